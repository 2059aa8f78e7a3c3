//! The lives of objects: when they are there, and when they are gone.

use crate::intrinsic::Intrinsic;
use crate::module::{BlockId, Operand, ValueId};
use crate::translate::debug;
use crate::translate::flat::{InstanceId, Point};
use crate::translate::memory::Memory;
use crate::translate::memory::layout::{Life, Object};
use crate::translate::points::{ObjectId, ObjectKind};
use crate::translate::state::{Split, State};
use crate::translate::values::Values;
use crate::translate::values::arith::{Sym, cmp, constant, truth};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::neutral::{CmpOp, Cond, Expr, IntType, MemUpdate};
use std::rc::Rc;

/// Whether an object is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::translate) enum Presence {
    Gone = 0,
    There = 1,
}

/// The variables that are declared at each place of a function.
pub(super) type Declared = FastMap<(BlockId, u32), Vec<ValueId>>;

impl Memory<'_, '_> {
    /// Marks an object as there or gone.
    pub(in crate::translate) fn set_life(&self, state: &mut State, id: ObjectId, base: &Expr, is: Presence) {
        let flag = IntType::unsigned(8);
        let value = constant(is as u8, flag);
        match self.object(id).life {
            Life::Always => {}
            Life::Flag(v) => state.set(v, value),
            Life::Mem(mem) => state.stores.push(MemUpdate::Store { mem, address: base.clone(), value }),
        }
    }

    /// The condition that an object is there.
    pub(super) fn alive(&self, state: &State, object: &Object, pointer: &Expr) -> Result<Cond, Split> {
        let flag = IntType::unsigned(8);
        // What the program calls by its name is in scope.
        if state.direct {
            return Ok(truth(true));
        }
        Ok(match &object.life {
            Life::Always => truth(true),
            Life::Flag(v) => cmp(CmpOp::Eq, flag, state.var(*v), constant(1, flag)),
            Life::Mem(m) => {
                let base = self.base_of(object, pointer);
                cmp(CmpOp::Eq, flag, state.load_cell(*m, &base)?, constant(1, flag))
            }
        })
    }

    /// A jump back leaves the blocks, too, of the function with the `setjmp` in which that is not.
    pub(in crate::translate) fn leave_blocks(&self, values: &mut Values<'_, '_>, state: &mut State, target: Point) {
        let flat = self.cx.flat;
        let function = flat.function(target.instance);
        let mut left: Vec<ValueId> =
            debug::out_of_scope(flat.module, function, target.block, target.index).into_iter().collect();
        left.sort_unstable();
        for value in left {
            if let Some(object) = self.points.known(ObjectKind::Stack(target.instance, value)) {
                self.set_alive(values, state, object, value, Presence::Gone);
            }
        }
        self.leave_several(values, state, target.instance);
    }

    /// Where the earlier ones of several objects of a call are is not kept: from now on any of them may be gone.
    pub(in crate::translate) fn leave_several(&self, values: &mut Values<'_, '_>, state: &mut State, id: InstanceId) {
        for object in self.layout.objects.iter().filter(|o| o.several) {
            if let (ObjectKind::Stack(instance, _), Life::Mem(mem)) = (object.kind, &object.life)
                && instance == id
            {
                values.forget_mem(state, *mem, UnknownKind::Environment);
            }
        }
    }

    /// Marks a local object as there or gone.
    pub(in crate::translate) fn set_alive(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        id: ObjectId,
        value: ValueId,
        is: Presence,
    ) {
        let object = self.object(id).clone();
        let flag = IntType::unsigned(8);
        let value_of = if is == Presence::There && object.doubtful && !matches!(object.life, Life::Always) {
            let range = Some((IBig::ZERO, IBig::from(1)));
            values.unknown(state, "in scope", flag, UnknownKind::Environment, range).expr
        } else {
            constant(is as u8, flag)
        };
        match object.life {
            Life::Always => {}
            Life::Flag(v) => state.set(v, value_of),
            Life::Mem(mem) => {
                let ObjectKind::Stack(instance, _) = object.kind else { return };
                let address = self.address();
                let Sym::Num(base) = values.value(state, instance, value) else { return };
                let base = base.to(address);
                state.stores.push(MemUpdate::Store { mem, address: base, value: value_of });
            }
        }
    }

    /// A variable that is declared here has no value yet, or none any more: control may come here again without having left
    /// its scope. (Where the compiler marks scopes, the marks say it.) Whether there is one.
    pub(in crate::translate) fn declare(&self, values: &mut Values<'_, '_>, state: &mut State) -> bool {
        let f = self.cx.flat.instance(state.at.instance).function;
        let function = self.cx.flat.function(state.at.instance);
        let module = self.cx.flat.module;
        let here = Rc::clone(self.declared.borrow_mut().entry(f).or_insert_with(|| {
            let marked: FastSet<ValueId> = function
                .blocks
                .iter()
                .flat_map(|b| &b.instructions)
                .filter_map(|i| debug::marked(module, i, Intrinsic::LifetimeStart))
                .collect();
            let mut found = Declared::default();
            for ((value, block, at), (_, variable)) in function.declared_at.iter().zip(&function.declares) {
                if variable.argument == 0 && !marked.contains(value) && block.0 != 0 {
                    found.entry((*block, *at)).or_default().push(*value);
                }
            }
            Rc::new(found)
        }));
        let begin = here.get(&(state.at.block, state.at.index));
        for value in begin.into_iter().flatten() {
            if let Some(id) = self.points.known(ObjectKind::Stack(state.at.instance, *value)) {
                self.forget(values, state, id, UnknownKind::Environment);
            }
        }
        begin.is_some()
    }

    /// Whether an address is that of a local object that the function calls by its name, in its scope.
    pub(in crate::translate) fn is_direct(&self, instance: InstanceId, operand: &Operand) -> bool {
        let Operand::Value(v) = operand else { return false };
        let function = self.cx.flat.function(instance);
        if let Some(p) = function.params.get(v.0 as usize) {
            return p.byval.is_some();
        }
        let Some(local) = debug::local_of(function, operand) else { return false };
        let f = self.cx.flat.instance(instance).function;
        let module = self.cx.flat.module;
        let mut scopes = self.scopes.borrow_mut();
        let scopes = scopes.entry(f).or_insert_with(|| Rc::new(debug::Scopes::new(module, function)));
        !scopes.is_strayed(local)
    }
}
