//! LLVM's intrinsics.

use crate::intrinsic::Intrinsic;
use crate::module::{Constant, Instruction, Op, Operand, Type};
use crate::translate::build::Builder;
use crate::translate::memory::access::for_ends_only;
use crate::translate::memory::lives::Presence;
use crate::translate::points::{ObjectKind, Targets};
use crate::translate::state::{Flow, Split, State};
use crate::translate::values::arith::{Num, Sym, and, cmp, low_bit, operate, or, truth};
use crate::translate::values::operand_type;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, Goto, IntType, Overflow};
use lariat_ir::{AssumptionKind, UnknownKind};
use std::collections::BTreeSet;

impl<'m> Builder<'_, 'm> {
    pub(in crate::translate) fn intrinsic(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        which: Intrinsic,
        args: &[Operand],
    ) -> Result<Flow, Split> {
        let flat = self.cx.flat;
        let at = state.point();
        let result = flat.value(at.instance, instruction.id);
        let sym = match which {
            Intrinsic::Nothing | Intrinsic::VaEnd | Intrinsic::StackRestore => {
                if instruction.ty == Type::Void {
                    return Ok(Flow::On);
                }
                self.values.any(state, &instruction.ty, UnknownKind::Environment)
            }
            Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd => return Ok(self.mark_scope(state, which, args)),
            Intrinsic::Assume => {
                let c = match args.first() {
                    Some(a) => self.values.condition(state, a),
                    None => truth(true),
                };
                // What bundles promise (alignment, bounds) is not followed.
                let more = matches!(instruction.op, Op::Call { bundles: true, .. });
                let c = if more { and(c, for_ends_only()) } else { c };
                return Ok(if self.control.require(state, c) { Flow::On } else { Flow::Done });
            }
            Intrinsic::UbsanTrap => {
                self.control.end(state, Goto::Ub);
                return Ok(Flow::Done);
            }
            Intrinsic::Trap => {
                self.control.end(state, Goto::Trap);
                return Ok(Flow::Done);
            }
            Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset => {
                return self.bulk_intrinsic(state, which, args);
            }
            Intrinsic::Identity => match args.first() {
                Some(a) => self.values.operand(state, a, &instruction.ty),
                None => Sym::Nothing,
            },
            // Without optimisation nothing counts as constant.
            // Compilers fold it, or not.
            Intrinsic::IsConstant => {
                let flag = IntType::unsigned(1);
                Sym::Cond(low_bit(&self.values.unknown(state, "is constant", flag, UnknownKind::Environment, None)))
            }
            Intrinsic::VaStart => {
                let span = state.span_of();
                self.values.assume(
                    state,
                    AssumptionKind::Variadic,
                    "further arguments are as the function expects them",
                    span,
                );
                for a in args {
                    let targets = self.memory.targets(state, a);
                    self.memory.forget_all(&mut self.values, state, &targets, UnknownKind::Environment);
                }
                return Ok(Flow::On);
            }
            Intrinsic::StackSave => Sym::Num(Num::constant(0, self.memory.address())),
            Intrinsic::Environment => self.values.any(state, &instruction.ty, UnknownKind::Environment),
            which if which.is_computed() => self.values.computed(state, which, args, &instruction.ty),
            // A jump is followed as one, before this; one that goes where there is no target is not.
            _ => {
                self.control.beyond_unless(&mut self.values, state, truth(false));
                return Ok(Flow::Done);
            }
        };
        state.set_value(result, sym);
        Ok(Flow::On)
    }

    /// The scope of a local object starts or ends.
    fn mark_scope(&mut self, state: &mut State, which: Intrinsic, args: &[Operand]) -> Flow {
        let at = state.point();
        let value = match args.last() {
            Some(Operand::Value(v)) => *v,
            _ => return Flow::On,
        };
        let Some(id) = self.memory.known(ObjectKind::Stack(at.instance, value)) else { return Flow::On };
        let starts = which == Intrinsic::LifetimeStart;
        if starts {
            if self.memory.object(id).many.is_some() {
                let Some(address) = self.next_of_many(state, id) else { return Flow::Done };
                self.memory.forget_new(&mut self.values, state, id, &address);
                self.values.set_latest(state, at.instance, value, address);
            } else {
                self.memory.forget_fresh(&mut self.values, state, id);
            }
        }
        let is = if starts { Presence::There } else { Presence::Gone };
        self.memory.set_alive(&mut self.values, state, id, value, is);
        Flow::On
    }

    fn bulk_intrinsic(&mut self, state: &mut State, which: Intrinsic, args: &[Operand]) -> Result<Flow, Split> {
        let ty = self.memory.address();
        let [to, second, size, ..] = args else { return Ok(Flow::On) };
        let targets = self.memory.targets(state, to);
        let pointer = self.values.number(state, to, &Type::Ptr).to(ty).unpromised().clone();
        let given = operand_type(self.cx.flat.function(state.point().instance), size);
        let size = self.values.number(state, size, &given);
        let known = size.as_const().and_then(|k| u64::try_from(k.clone()).ok());
        // A volatile copy reads what the environment says.
        let volatile = matches!(args.get(3), Some(Operand::Constant(Constant::Int(_, 1))));
        let known = known.filter(|_| !volatile);
        let kept = if volatile { UnknownKind::Environment } else { UnknownKind::Abstraction };
        let from_targets = self.memory.targets(state, second);
        if which == Intrinsic::Memcpy {
            let source = self.values.number(state, second, &Type::Ptr).to(ty).unpromised().clone();
            let apart = equal_or_apart(&pointer, &source, &size.to(ty), ty);
            let one = |t: &Targets| t.0.keys().copied().collect::<BTreeSet<_>>();
            // Model addresses of different objects are apart.
            if !one(&targets).is_disjoint(&one(&from_targets)) && !self.control.require(state, apart) {
                return Ok(Flow::Done);
            }
        }
        let follows = match (which, known) {
            (Intrinsic::Memset, Some(n)) => {
                let byte = self.values.number(state, second, &Type::Int(8));
                self.fill(state, (&pointer, &targets), &byte, n)?
            }
            (_, Some(n)) => {
                let source = self.values.number(state, second, &Type::Ptr).to(ty).unpromised().clone();
                self.copy(state, (&pointer, &targets), (&source, &from_targets), n)?
            }
            (_, None) => {
                let size = size.to(ty);
                let mut valid = self.memory.range_valid(state, &pointer, &targets, &size)?;
                if which != Intrinsic::Memset {
                    let source = self.values.number(state, second, &Type::Ptr).to(ty).unpromised().clone();
                    valid = and(valid, self.memory.range_valid(state, &source, &from_targets, &size)?);
                }
                let follows = self.is_valid(state, &[&targets, &from_targets], valid);
                if follows {
                    self.memory.forget_all(&mut self.values, state, &targets, kept);
                }
                follows
            }
        };
        Ok(if follows { Flow::On } else { Flow::Done })
    }

    pub(in crate::translate) fn observe(&mut self, state: &mut State, var: usize, args: &[Operand]) -> Flow {
        let at = state.point();
        let function = self.cx.flat.function(at.instance);
        let ty = IntType::signed(64);
        if let Some(a) = args.first() {
            let given = operand_type(function, a);
            let value = self.values.number(state, a, &given);
            let e = value.to(ty);
            state.set(var, e);
        }
        let after = self.cx.flat.after_call(at);
        self.control.observation(after);
        Flow::To(after)
    }
}

/// That two ranges of so many bytes are one, or have no byte in common: else `memcpy` is undefined. (The compiler copies structs with
/// it, also onto themselves.)
fn equal_or_apart(a: &Expr, b: &Expr, size: &Expr, ty: IntType) -> Cond {
    let end = |p: &Expr| operate(BinaryOp::Add, ty, Overflow::Undefined, p.clone(), size.clone());
    let before = |p: &Expr, q: &Expr| cmp(CmpOp::Le, ty, end(p), q.clone());
    or(cmp(CmpOp::Eq, ty, a.clone(), b.clone()), or(before(a, b), before(b, a)))
}
