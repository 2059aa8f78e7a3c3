//! Steps on memory: an access that is not valid ends its way, and so does an object for which there is no address.

use crate::module::{Type, ValueId};
use crate::translate::build::Builder;
use crate::translate::memory::access::Access;
use crate::translate::memory::collect::shift;
use crate::translate::memory::layout::Size;
use crate::translate::memory::lives::Presence;
use crate::translate::points::{ObjectId, ObjectKind, Targets};
use crate::translate::state::{Flow, Split, State};
use crate::translate::values::arith::{self, Num, Sym, and, cmp, constant, low_bit};
use crate::translate::values::flatten;
use crate::translate::{is_huge, leaves_of, store_size};
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{CmpOp, Cond, Expr, MemUpdate, Overflow};

impl Builder<'_, '_> {
    /// A new local object: nothing is known of its content.
    #[expect(clippy::unnecessary_wraps, reason = "every instruction has this form")]
    pub(in crate::translate) fn make_local(
        &mut self,
        state: &mut State,
        id: ObjectId,
        value: ValueId,
        element: u64,
        count: &Num,
    ) -> Result<Flow, Split> {
        let object = self.memory.object(id).clone();
        let ty = self.memory.address();
        let flat = self.cx.flat.value(state.at.instance, value);
        if let Size::Constant(_) = object.size {
        } else {
            let size = arith::operate(
                lariat_ir::neutral::BinaryOp::Mul,
                ty,
                Overflow::Undefined,
                count.to(ty),
                constant(element, ty),
            );
            // A negative size, or more than there is, is undefined; for less there may still be no model addresses.
            let possible = and(
                cmp(CmpOp::Ge, ty, size.clone(), constant(0, ty)),
                cmp(CmpOp::Le, ty, size.clone(), constant(self.memory.largest_of_all(), ty)),
            );
            if !self.control.require(state, possible) {
                return Ok(Flow::Done);
            }
            let largest = self.memory.largest_one(&object);
            if largest < self.memory.largest_of_all()
                && !self.control.room_unless(
                    &mut self.values,
                    state,
                    cmp(CmpOp::Le, ty, size.clone(), constant(largest, ty)),
                )
            {
                return Ok(Flow::Done);
            }
            match object.size {
                Size::Var(v) => state.set(v, size),
                Size::Mem(m) => {
                    let base = object
                        .many
                        .as_ref()
                        .map_or_else(|| constant(object.base.clone(), ty), |many| state.var(many.next));
                    state.stores.push(MemUpdate::Store { mem: m, address: base, value: size });
                }
                Size::Constant(_) => {}
            }
        }
        if object.many.is_some() {
            let Some(base) = self.next_of_many(state, id) else { return Ok(Flow::Done) };
            self.memory.forget_new(&mut self.values, state, id, &base);
            self.values.set_latest(state, state.at.instance, value, base);
        } else {
            state.env.insert(flat, Sym::Num(Num::constant(object.base.clone(), ty)));
            self.memory.forget_fresh(&mut self.values, state, id);
        }
        self.memory.set_alive(&mut self.values, state, id, value, Presence::There);
        Ok(Flow::On)
    }

    /// The address of a further object of which there are many.
    pub(in crate::translate) fn next_of_many(&mut self, state: &mut State, id: ObjectId) -> Option<Expr> {
        let object = self.memory.object(id).clone();
        let many = object.many.as_ref()?;
        let ty = self.memory.address();
        let base = state.var(many.next);
        let limit = constant(&many.limit - &many.step, ty);
        if !self.control.room_unless(&mut self.values, state, cmp(CmpOp::Lt, ty, base.clone(), limit)) {
            return None;
        }
        state.set(many.next, self.memory.add_address(base.clone(), many.step.clone()));
        Some(base)
    }

    /// Asks for an access to be valid; whether anything follows. What is at an address that the program gives as a number is not known: there
    /// may be memory.
    pub(in crate::translate) fn is_valid(&mut self, state: &mut State, targets: &[&Targets], valid: Cond) -> bool {
        let absolute = self.memory.known(ObjectKind::Absolute);
        if absolute.is_some_and(|a| targets.iter().any(|t| t.0.contains_key(&a))) {
            self.control.beyond_unless(&mut self.values, state, valid)
        } else {
            self.control.require(state, valid)
        }
    }

    /// Loads a value; nothing if the access is undefined on this way.
    pub(in crate::translate) fn load(
        &mut self,
        state: &mut State,
        access: Access<'_>,
        ty: &Type,
    ) -> Result<Option<Sym>, Split> {
        let Access { pointer, targets, size, align, ty: by } = access;
        let leaves = leaves_of(ty);
        let single = leaves.len() == 1 && leaves[0].0 == 0;
        let mut parts = Vec::new();
        if !self.control.somewhere(&mut self.values, state, pointer, targets) {
            return Ok(None);
        }
        if is_huge(ty) {
            let valid = self.memory.range_valid(state, pointer, targets, &constant(size, self.memory.address()))?;
            if !self.is_valid(state, &[targets], valid) {
                return Ok(None);
            }
            return Ok(Some(self.values.any(state, ty, UnknownKind::Abstraction)));
        }
        for (offset, leaf) in &leaves {
            let (bytes, align) = if single { (size, align) } else { (store_size(leaf, self.cx.flat.module), 1) };
            let at = self.memory.add_address(pointer.clone(), *offset);
            let moved = shift(targets, *offset);
            let resolved = self
                .memory
                .resolve(state, Access { pointer: &at, targets: &moved, size: bytes, align, ty: by.map(|_| leaf) })?;
            let value = self.memory.read(&mut self.values, state, &resolved, bytes)?;
            if !self.is_valid(state, &[targets], resolved.valid) {
                return Ok(None);
            }
            parts.push(match leaf {
                Type::Int(1) => Sym::Cond(low_bit(&value)),
                Type::Int(w) if u64::from(*w) < bytes * 8 => Sym::Num(arith::truncate(&value, *w)),
                _ => Sym::Num(value),
            });
        }
        Ok(Some(if matches!(ty, Type::Struct(..) | Type::Array(..)) {
            Sym::Aggregate(parts)
        } else {
            parts.pop().unwrap_or(Sym::Nothing)
        }))
    }

    /// Stores a value.
    pub(in crate::translate) fn store(
        &mut self,
        state: &mut State,
        access: Access<'_>,
        value: &Sym,
        ty: &Type,
    ) -> Result<Flow, Split> {
        let Access { pointer, targets, size, align, ty: by } = access;
        let leaves = leaves_of(ty);
        let single = leaves.len() == 1 && leaves[0].0 == 0;
        let mut parts = Vec::new();
        flatten(value, &mut parts);
        if !self.control.somewhere(&mut self.values, state, pointer, targets) {
            return Ok(Flow::Done);
        }
        if is_huge(ty) {
            let valid = self.memory.range_valid(state, pointer, targets, &constant(size, self.memory.address()))?;
            if !self.is_valid(state, &[targets], valid) {
                return Ok(Flow::Done);
            }
            self.memory.forget_all(&mut self.values, state, targets, UnknownKind::Abstraction);
            return Ok(Flow::On);
        }
        for ((offset, leaf), part) in leaves.iter().zip(parts) {
            let (bytes, align) = if single { (size, align) } else { (store_size(leaf, self.cx.flat.module), 1) };
            let at = self.memory.add_address(pointer.clone(), *offset);
            let moved = shift(targets, *offset);
            state.writing = true;
            let resolved = self
                .memory
                .resolve(state, Access { pointer: &at, targets: &moved, size: bytes, align, ty: by.map(|_| leaf) });
            state.writing = false;
            let resolved = resolved?;
            let part = match leaf {
                Type::Int(w) if u64::from(*w) < bytes * 8 => arith::zero_extend(&part, *w),
                _ => part,
            };
            if !self.is_valid(state, &[targets], resolved.valid.clone()) {
                return Ok(Flow::Done);
            }
            self.memory.write(&mut self.values, state, &resolved, bytes, &part)?;
        }
        Ok(Flow::On)
    }
}
