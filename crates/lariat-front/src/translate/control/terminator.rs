//! What ends a block.

use crate::module::{BlockId, Constant, Operand, Predicate, Terminator, Type};
use crate::translate::build::Builder;
use crate::translate::state::{State, with};
use crate::translate::values::arith::{self, Num, cmp, compare, constant};
use dashu_int::IBig;
use lariat_ir::neutral::{CmpOp, Cond, Goto, IntType};
use lariat_ir::{AssumptionKind, UnknownKind};
use std::collections::BTreeSet;

impl Builder<'_, '_> {
    pub(in crate::translate) fn terminator(&mut self, mut state: State, t: &Terminator) {
        match t {
            // Nothing may be decided by poison.
            Terminator::Branch { cond: Operand::Constant(Constant::Poison(_)), .. }
            | Terminator::Switch { value: Operand::Constant(Constant::Poison(_)), .. }
            | Terminator::IndirectJump { address: Operand::Constant(Constant::Poison(_)), .. } => {
                self.control.pending_end(state, Goto::Ub);
            }
            Terminator::Jump(to) => self.control.follow_block(&mut self.values, state, *to),
            Terminator::Branch { cond, yes, no } => {
                let cond = self.values.condition(&mut state, cond);
                let (yes, no) = (*yes, *no);
                self.branch(
                    state,
                    cond,
                    |b, s| b.control.follow_block(&mut b.values, s, yes),
                    |b, s| b.control.follow_block(&mut b.values, s, no),
                );
            }
            Terminator::Switch { .. } => self.switch(state, t),
            Terminator::IndirectJump { address, targets } => self.indirect_jump(state, address, targets),
            Terminator::Return(value) => {
                let promise = &self.cx.flat.function(state.at.instance).promise;
                if let Some(value) = value
                    && !self.pass_with(&mut state, value, promise)
                {
                    return;
                }
                self.return_from(state, value.as_ref());
            }
            Terminator::Invoke { normal, .. } => self.control.follow_block(&mut self.values, state, *normal),
            Terminator::Resume => {
                let handler = self.cx.flat.instance(state.at.instance).parent.and_then(|p| self.cx.flat.handler(p));
                self.unwind(state, handler);
            }
            Terminator::Unreachable => self.control.pending_end(state, Goto::Ub),
            Terminator::Opaque { what, targets } => self.opaque_jump(state, what, targets),
        }
    }

    fn switch(&mut self, mut state: State, t: &Terminator) {
        let Terminator::Switch { value, width, cases, default } = t else { return };
        let value = if self.memory.is_address(&state, value, &Type::Int(*width)) {
            let ty = IntType::unsigned(*width);
            self.values.unknown(&mut state, "digits of an address", ty, UnknownKind::Environment, None)
        } else {
            self.values.number(&mut state, value, &Type::Int(*width))
        };
        let mut ways = Vec::new();
        let rest = state;
        let mut certain = false;
        // Targets that are the same are one case.
        let mut groups: Vec<(BlockId, Cond)> = Vec::new();
        for (bits, to) in cases {
            let number = Num::constant(IBig::from(*bits), IntType::signed(*width));
            let here = compare(Predicate::Eq, *width, &value, &number);
            match groups.iter_mut().find(|(b, _)| b == to) {
                Some((_, cond)) => *cond = arith::or(cond.clone(), here),
                None => groups.push((*to, here)),
            }
        }
        for (to, cond) in groups {
            match cond {
                Cond::Const(false) => {}
                Cond::Const(true) => {
                    ways.push((rest.clone(), to));
                    certain = true;
                    break;
                }
                c => {
                    let mut taken = rest.clone();
                    taken.cond = Some(with(rest.cond.clone(), c));
                    ways.push((taken, to));
                }
            }
        }
        if !certain {
            self.control.follow_block(&mut self.values, rest, *default);
        }
        for (state, to) in ways.into_iter().rev() {
            self.control.follow_block(&mut self.values, state, to);
        }
    }

    /// A jump to one of the blocks whose addresses the program has.
    fn indirect_jump(&mut self, mut state: State, address: &Operand, targets: &[BlockId]) {
        let value = self.values.number(&mut state, address, &Type::Ptr);
        let f = self.cx.flat.instance(state.at.instance).function;
        let ty = self.memory.address();
        self.control.pending_end(state.clone(), Goto::Ub);
        let mut seen = BTreeSet::new();
        let mut ways = Vec::new();
        for to in targets {
            if !seen.insert(*to) {
                continue;
            }
            let label = self.memory.constant_address(&Constant::Block(f, *to)).unwrap_or_default();
            match cmp(CmpOp::Eq, ty, value.to(ty), constant(label, ty)) {
                Cond::Const(false) => {}
                c => {
                    let mut taken = state.clone();
                    taken.cond = Some(with(state.cond.clone(), c));
                    ways.push((taken, *to));
                }
            }
        }
        for (state, to) in ways.into_iter().rev() {
            self.control.follow_block(&mut self.values, state, to);
        }
    }

    /// A terminator that is not followed.
    fn opaque_jump(&mut self, mut state: State, what: &str, targets: &[BlockId]) {
        let span = state.span.clone();
        self.values.assume(
            &mut state,
            AssumptionKind::JumpTargets,
            &format!("`{what}` goes to one of its targets"),
            span,
        );
        let unknown = self.values.unknown(&mut state, what, IntType::unsigned(32), UnknownKind::Environment, None);
        for (n, to) in targets.iter().copied().enumerate() {
            if n == 0 {
                self.control.follow_block(&mut self.values, state.clone(), to);
                continue;
            }
            let mut taken = state.clone();
            let ty = IntType::unsigned(32);
            let c = cmp(CmpOp::Eq, ty, unknown.to(ty), constant(n, ty));
            taken.cond = Some(with(state.cond.clone(), c));
            self.control.follow_block(&mut self.values, taken, to);
        }
        if targets.is_empty() {
            self.control.pending_end(state, Goto::Trap);
        }
    }
}
