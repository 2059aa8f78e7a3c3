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
pub(in crate::translate) mod types;

use crate::intrinsic::Intrinsic;
use crate::models::{Content, Effect, Write};
use crate::module::{BlockId, CastOp, FunctionId, Op, Operand, Type, ValueId};
use crate::translate::flat::{FlatValue, InstanceId, Point, index};
use crate::translate::points::{ObjectId, ObjectKind, Points, Targets};
use crate::translate::state::State;
use crate::translate::values::arith::{constant, operate};
use crate::translate::{Context, ModelUse, Names, debug, leaves_of};
use dashu_int::IBig;
use lariat_ir::fast::FastMap;
use lariat_ir::neutral::{BinaryOp, Expr, IntType, Overflow, Program};
use layout::{Object, Region, Size, Storage};
use std::cell::{OnceCell, RefCell};
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
    /// The objects from which addresses are read; nothing if it may be any.
    address_holders: OnceCell<Option<BTreeSet<ObjectId>>>,
    /// The addresses of what is made later than the entry begins.
    made_later: OnceCell<Vec<(IBig, IBig)>>,
}

impl<'a, 'm> Memory<'a, 'm> {
    pub(in crate::translate) fn new(
        cx: &'a Context<'m>,
        points: &'a Points,
        program: &mut Program,
        names: &mut Names,
    ) -> Self {
        let layout = Storage::new(cx, points, program, names);
        Self {
            cx,
            points,
            layout,
            scopes: RefCell::default(),
            declared: RefCell::default(),
            address_holders: OnceCell::new(),
            made_later: OnceCell::new(),
        }
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

    /// Whether something that these point to may be read as an address.
    pub(in crate::translate) fn holds_addresses(&self, targets: &Targets) -> bool {
        let holders = self.address_holders.get_or_init(|| self.find_address_holders());
        holders.as_ref().is_none_or(|all| self.expand(targets).0.keys().any(|o| all.contains(o)))
    }

    /// What addresses are read from, and what is copied elsewhere, where it may be read as one; nothing if numbers are made addresses.
    fn find_address_holders(&self) -> Option<BTreeSet<ObjectId>> {
        let has_pointer = |ty: &Type| leaves_of(ty).iter().any(|(_, leaf)| *leaf == Type::Ptr);
        let mut found = BTreeSet::new();
        for id in self.cx.flat.ids() {
            for (b, block) in self.cx.flat.function(id).blocks.iter().enumerate() {
                for (n, i) in block.instructions.iter().enumerate() {
                    let mut add = |o: &Operand| found.extend(self.expand(&self.pointees(id, o)).0.into_keys());
                    match &i.op {
                        Op::Load { ptr, .. } if has_pointer(&i.ty) => add(ptr),
                        Op::Cast { op: CastOp::IntToPtr, arg: Operand::Value(_), .. } => return None,
                        Op::Call { callee, args, .. } => {
                            let at = Point { instance: id, block: BlockId(index(b)), index: index(n) };
                            match self.cx.model_use(at, callee) {
                                ModelUse::Intrinsic(Intrinsic::Memcpy | Intrinsic::Memmove) => {
                                    args.get(1).into_iter().for_each(add);
                                }
                                ModelUse::Model(model) => {
                                    let copied = model.effects.iter().filter_map(|e| match e {
                                        Effect::Writes(Write { content: Content::CopyOf(from), .. }) => args.get(*from),
                                        _ => None,
                                    });
                                    copied.for_each(add);
                                }
                                _ => {}
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        Some(found)
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
