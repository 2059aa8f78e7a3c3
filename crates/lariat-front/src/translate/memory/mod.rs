//! Memory: objects, their layout, their addresses and their lives.
//!
//! The room does not change while the graph is executed: which objects there are was found before. What their contents are
//! is a matter of the [`State`]; a method that makes something unknown asks [`Values`](super::values::Values) for it. Steps that may also end a way
//! (an access that is not valid) are those of the [`Builder`](super::build::Builder).

pub(in crate::translate) mod access;
mod addresses;
mod bulk;
pub(in crate::translate) mod collect;
pub(in crate::translate) mod forget;
pub(in crate::translate) mod layout;
mod lifetimes;
pub(in crate::translate) mod lives;
mod origins;
pub(in crate::translate) mod start;
mod steps;

use crate::module::{FunctionId, Operand, ValueId};
use crate::translate::flat::{FlatValue, InstanceId, Point};
use crate::translate::points::{ObjectId, ObjectKind, Points, Targets};
use crate::translate::state::State;
use crate::translate::values::arith::{constant, operate};
use crate::translate::{Context, Names, debug};
use dashu_int::IBig;
use lariat_ir::fast::FastMap;
use lariat_ir::neutral::{BinaryOp, Expr, IntType, Overflow, Program};
use layout::{Object, Region, Size, Storage};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What pointers mean.
pub(in crate::translate) struct Memory<'a, 'm> {
    cx: &'a Context<'m>,
    points: &'a Points,
    layout: Storage,
    /// The scopes of local objects.
    scopes: RefCell<FastMap<FunctionId, Rc<debug::Scopes>>>,
    /// Where variables are declared whose scopes the compiler does not mark.
    declared: RefCell<FastMap<FunctionId, Rc<lives::Declared>>>,
}

impl<'a, 'm> Memory<'a, 'm> {
    pub(in crate::translate) fn new(
        cx: &'a Context<'m>,
        points: &'a Points,
        program: &mut Program,
        names: &mut Names,
    ) -> Self {
        let layout = Storage::new(cx, points, program, names);
        Self { cx, points, layout, scopes: RefCell::default(), declared: RefCell::default() }
    }

    /// What was found of pointers before the execution.
    pub(in crate::translate) fn points(&self) -> &'a Points {
        self.points
    }
}

impl Memory<'_, '_> {
    pub(in crate::translate) fn object(&self, id: ObjectId) -> &Object {
        self.layout.object(id)
    }

    pub(in crate::translate) fn objects(&self) -> &[Object] {
        &self.layout.objects
    }

    pub(in crate::translate) fn region(&self, number: usize) -> &Region {
        &self.layout.regions[number]
    }

    pub(in crate::translate) fn regions(&self) -> &[Region] {
        &self.layout.regions
    }

    /// The variable with the size of memory that the program did not make.
    pub(in crate::translate) fn outside_size(&self) -> Option<usize> {
        self.layout.outside_size
    }

    /// The object of a kind, if the program uses it.
    pub(in crate::translate) fn known(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.points.known(kind)
    }

    pub(in crate::translate) fn kind(&self, id: ObjectId) -> ObjectKind {
        self.points.objects[id.0 as usize]
    }

    /// Storage that the outside knows of.
    pub(in crate::translate) fn escaped(&self) -> &BTreeSet<ObjectId> {
        &self.points.escaped
    }

    /// With a pointer from outside, everything that it may be.
    pub(in crate::translate) fn expand(&self, targets: &Targets) -> Targets {
        self.points.expand(targets)
    }

    /// What a value may point to.
    pub(in crate::translate) fn value(&self, value: FlatValue) -> &Targets {
        self.points.value(value)
    }

    /// What an operand of an instance may point to.
    pub(in crate::translate) fn pointees(&self, instance: InstanceId, operand: &Operand) -> Targets {
        self.points.of(self.cx.flat, instance, operand)
    }

    /// The address of a local object of which there is one.
    pub(in crate::translate) fn fixed_address(&self, instance: InstanceId, v: ValueId) -> Option<IBig> {
        let object = self.object(self.points.known(ObjectKind::Stack(instance, v))?);
        object.many.is_none().then(|| object.base.clone())
    }

    /// Whether a value is the address of a local object of which there can be many.
    ///
    /// Such an address is no value of a piece, stored only if something is going to use it: it is in its variable from when the
    /// object is made on. The end of the object's life asks for it, and that may be anywhere: at a return, a jump
    /// back, an exception, far behind the last instruction that names it.
    pub(in crate::translate) fn is_latest(&self, instance: InstanceId, v: ValueId) -> bool {
        let object = self.points.known(ObjectKind::Stack(instance, v));
        object.is_some_and(|o| self.object(o).many.is_some())
    }

    /// The local objects of instances of which there can be many.
    pub(in crate::translate) fn many_locals(&self, of: impl Fn(InstanceId) -> bool) -> Vec<(InstanceId, ValueId)> {
        let objects = self.layout.objects.iter().filter(|o| o.many.is_some());
        let locals = objects.filter_map(|o| match o.kind {
            ObjectKind::Stack(instance, v) if of(instance) => Some((instance, v)),
            _ => None,
        });
        locals.collect()
    }

    pub(in crate::translate) fn targets(&self, state: &State, operand: &Operand) -> Targets {
        self.points.of(self.cx.flat, state.at.instance, operand)
    }

    /// The largest object that a call can make in the model.
    pub(in crate::translate) fn largest_at(&self, at: Point) -> IBig {
        let Some(id) = self.points.known(ObjectKind::Heap(at)) else { return self.largest() };
        let object = self.object(id);
        match (&object.many, &object.size) {
            (Some(_), _) => IBig::from(self.layout.largest.1),
            (None, Size::Constant(n)) => IBig::from(*n).max(self.largest()),
            (None, _) => self.largest(),
        }
    }

    /// The largest object of open size like this one.
    fn largest_one(&self, object: &Object) -> IBig {
        IBig::from(if object.many.is_some() { self.layout.largest.1 } else { self.layout.largest.0 })
    }

    /// The largest object.
    pub(in crate::translate) fn largest(&self) -> IBig {
        IBig::from(self.layout.largest.0)
    }

    /// The largest object that any memory can hold: all the addresses of a process, or what a pointer difference can say.
    pub(in crate::translate) fn largest_of_all(&self) -> IBig {
        if self.address().width >= 64 { IBig::from(1u64 << 47) } else { IBig::from(i32::MAX) }
    }

    pub(in crate::translate) fn address(&self) -> IntType {
        self.layout.address
    }

    pub(in crate::translate) fn add_address(&self, a: Expr, by: impl Into<IBig>) -> Expr {
        let ty = self.address();
        let by: IBig = by.into();
        // Sums with a constant are kept in one form, so that equal addresses look equal.
        if let Expr::Binary { op: BinaryOp::Add, left, right, .. } = &a
            && let Expr::Const(k, _) = &**right
        {
            let sum = k + &by;
            if ty.contains(&sum) {
                return operate(BinaryOp::Add, ty, Overflow::Undefined, (**left).clone(), constant(sum, ty));
            }
        }
        if let Expr::Const(k, _) = &a {
            return constant(k + by, ty);
        }
        operate(BinaryOp::Add, ty, Overflow::Undefined, a, constant(by, ty))
    }

    /// Whether nobody may change an object.
    pub(in crate::translate) fn is_constant(&self, object: ObjectId) -> bool {
        match self.points.objects[object.0 as usize] {
            ObjectKind::Function(_) => true,
            ObjectKind::Global(g) => self.cx.flat.module.globals[g.0 as usize].constant,
            _ => false,
        }
    }

    /// The first address of memory that the program did not make, where the vector lies.
    pub(in crate::translate) fn vector_address(&self) -> Option<IBig> {
        let outside = self.points.known(ObjectKind::Outside)?;
        Some(self.object(outside).base.clone())
    }
}
