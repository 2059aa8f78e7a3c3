//! LLVM's intrinsics.

use crate::intrinsic::{Arithmetic, CountBits, Intrinsic, MinMax};
use crate::module::{Constant, Instruction, Operand, Predicate, Type};
use crate::translate::bits_of;
use crate::translate::build::Builder;
use crate::translate::points::{ObjectKind, Targets};
use crate::translate::state::{Flow, Split, State};
use crate::translate::values::arith::{Num, Sym, and, cmp, compare, constant, ite, operate, or, truth};
use crate::translate::values::operand_type;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, Goto, IntType, Overflow, UnaryOp};
use std::collections::BTreeSet;

impl<'m> Builder<'_, 'm> {
    pub(in crate::translate) fn intrinsic(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        which: &'m Intrinsic,
        args: &[Operand],
    ) -> Result<Flow, Split> {
        let flat = self.cx.flat;
        let at = state.point();
        let function = flat.function(at.instance);
        let result = flat.value(at.instance, instruction.id);
        let width = bits_of(&instruction.ty, flat.module);
        if is_computed(which) && self.memory.is_out_of_sight(state, which, args, &instruction.ty) {
            let sym = self.values.any(state, &instruction.ty, UnknownKind::Abstraction);
            state.set_value(result, sym);
            return Ok(Flow::On);
        }
        let arg = |b: &mut Self, state: &mut State, n: usize| {
            let ty = args.get(n).map_or(Type::Void, |a| operand_type(function, a));
            args.get(n).map(|a| b.values.number(state, a, &ty))
        };
        let flagged = |n: usize| matches!(args.get(n), Some(Operand::Constant(Constant::Int(_, 1))));
        let sym = match which {
            Intrinsic::Nothing | Intrinsic::VaEnd | Intrinsic::StackRestore => {
                if instruction.ty == Type::Void {
                    return Ok(Flow::On);
                }
                self.values.any(state, &instruction.ty, UnknownKind::Environment)
            }
            Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd => {
                let value = match args.last() {
                    Some(Operand::Value(v)) => *v,
                    _ => return Ok(Flow::On),
                };
                let Some(id) = self.memory.known(ObjectKind::Stack(at.instance, value)) else { return Ok(Flow::On) };
                let starts = *which == Intrinsic::LifetimeStart;
                if starts {
                    if self.memory.object(id).many.is_some() {
                        let Some(address) = self.next_of_many(state, id) else { return Ok(Flow::Done) };
                        self.memory.forget_new(&mut self.values, state, id, &address);
                        self.values.set_latest(state, at.instance, value, address);
                    } else {
                        self.memory.forget_fresh(&mut self.values, state, id);
                    }
                }
                self.memory.set_alive(&mut self.values, state, id, value, starts);
                return Ok(Flow::On);
            }
            Intrinsic::Assume => {
                let c = match args.first() {
                    Some(a) => self.values.condition(state, a),
                    None => truth(true),
                };
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
            Intrinsic::IsConstant => Sym::Cond(truth(false)),
            Intrinsic::WithOverflow(op) => match (arg(self, state, 0), arg(self, state, 1)) {
                (Some(a), Some(b)) => {
                    let ty = args.first().map_or(Type::Void, |a| operand_type(function, a));
                    match overflowing(*op, bits_of(&ty, flat.module), &a, &b) {
                        Some(both) => both,
                        None => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
                    }
                }
                _ => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
            },
            Intrinsic::MinMax(kind) => match (arg(self, state, 0), arg(self, state, 1)) {
                (Some(a), Some(b)) => {
                    let (pred, signed) = match kind {
                        MinMax::SMax => (Predicate::Sgt, true),
                        MinMax::SMin => (Predicate::Slt, true),
                        MinMax::UMax => (Predicate::Ugt, false),
                        MinMax::UMin => (Predicate::Ult, false),
                    };
                    let ty = IntType { width, signed };
                    let first = compare(pred, width, &a, &b);
                    Sym::Num(Num::new(ite(first, a.to(ty), b.to(ty)), ty))
                }
                _ => Sym::Nothing,
            },
            Intrinsic::Abs => match arg(self, state, 0) {
                Some(a) => {
                    let ty = IntType::signed(width);
                    let x = a.to(ty);
                    let overflow = if flagged(1) { Overflow::Undefined } else { Overflow::Wraps };
                    let negated = Expr::unary(UnaryOp::Neg, ty, overflow, x.clone());
                    let negative = cmp(CmpOp::Lt, ty, x.clone(), constant(0, ty));
                    Sym::Num(Num::new(ite(negative, negated, x), ty))
                }
                None => Sym::Nothing,
            },
            Intrinsic::CountBits(what) => match arg(self, state, 0) {
                Some(a) if width <= 64 => {
                    let counted = count_bits(*what, width, &a);
                    if *what != CountBits::Set && flagged(1) {
                        // Of zero it is poison; where the compiler's checks stand before it, zero does not come here.
                        let ty = IntType::unsigned(width);
                        let zero = cmp(CmpOp::Eq, ty, a.to(ty), constant(0, ty));
                        self.values.poison_where(state, zero, counted)
                    } else {
                        Sym::Num(counted)
                    }
                }
                _ => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
            },
            Intrinsic::Bswap => match arg(self, state, 0) {
                Some(a) if width.is_multiple_of(8) => {
                    let ty = IntType::unsigned(width);
                    let byte = IntType::unsigned(8);
                    let parts = (0..width / 8).rev().map(|i| {
                        let moved = operate(BinaryOp::Shr, ty, Overflow::Wraps, a.to(ty), constant(8 * i, ty));
                        Num::new(moved, ty).to(byte)
                    });
                    Sym::Num(Num::new(Expr::Join(parts.collect()), ty))
                }
                _ => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
            },
            Intrinsic::FunnelShift { left } => match (arg(self, state, 0), arg(self, state, 1), arg(self, state, 2)) {
                (Some(a), Some(b), Some(c)) => {
                    let ty = IntType::unsigned(width);
                    let modulus = constant(width, ty);
                    let by = operate(BinaryOp::Rem, ty, Overflow::Wraps, c.to(ty), modulus.clone());
                    let rest = operate(BinaryOp::Sub, ty, Overflow::Wraps, modulus, by.clone());
                    let (up, down) = if *left { (by.clone(), rest) } else { (rest, by.clone()) };
                    let high = operate(BinaryOp::Shl, ty, Overflow::Wraps, a.to(ty), up);
                    let low = operate(BinaryOp::Shr, ty, Overflow::Wraps, b.to(ty), down);
                    let both = operate(BinaryOp::Or, ty, Overflow::Wraps, high, low);
                    let whole = if *left { a.to(ty) } else { b.to(ty) };
                    let none = cmp(CmpOp::Eq, ty, by, constant(0, ty));
                    Sym::Num(Num::new(ite(none, whole, both), ty))
                }
                _ => Sym::Nothing,
            },
            Intrinsic::VaStart => {
                let span = state.span_of();
                self.values.assume(state, "further arguments are as the function expects them", span);
                for a in args {
                    let targets = self.memory.targets(state, a);
                    self.memory.forget_all(&mut self.values, state, &targets, UnknownKind::Environment);
                }
                return Ok(Flow::On);
            }
            Intrinsic::StackSave => Sym::Num(Num::constant(0, self.memory.address())),
            Intrinsic::Environment => self.values.any(state, &instruction.ty, UnknownKind::Environment),
            // Floating point, mostly: a result that is followed or not.
            Intrinsic::Compute(name) => match self.values.float_intrinsic(state, name, args, &instruction.ty) {
                Some(sym) => sym,
                None => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
            },
            // A jump is followed as one, before this; one that goes where there is no target is not.
            Intrinsic::SetJump | Intrinsic::LongJump | Intrinsic::Beyond => {
                self.control.beyond_unless(&mut self.values, state, truth(false));
                return Ok(Flow::Done);
            }
        };
        state.set_value(result, sym);
        Ok(Flow::On)
    }

    fn bulk_intrinsic(&mut self, state: &mut State, which: &Intrinsic, args: &[Operand]) -> Result<Flow, Split> {
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
        if *which == Intrinsic::Memcpy {
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
                if *which != Intrinsic::Memset {
                    let source = self.values.number(state, second, &Type::Ptr).to(ty).unpromised().clone();
                    valid = and(valid, self.memory.range_valid(state, &source, &from_targets, &size)?);
                }
                let follows = self.control.require(state, valid);
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

/// Whether an intrinsic is a function of its arguments.
fn is_computed(which: &Intrinsic) -> bool {
    matches!(
        which,
        Intrinsic::Compute(_)
            | Intrinsic::WithOverflow(_)
            | Intrinsic::MinMax(_)
            | Intrinsic::Abs
            | Intrinsic::CountBits(_)
            | Intrinsic::Bswap
            | Intrinsic::FunnelShift { .. }
    )
}

/// That two ranges of so many bytes are one, or have no byte in common: else `memcpy` is undefined. (The compiler copies structs with
/// it, also onto themselves.)
fn equal_or_apart(a: &Expr, b: &Expr, size: &Expr, ty: IntType) -> Cond {
    let end = |p: &Expr| operate(BinaryOp::Add, ty, Overflow::Undefined, p.clone(), size.clone());
    let before = |p: &Expr, q: &Expr| cmp(CmpOp::Le, ty, end(p), q.clone());
    or(cmp(CmpOp::Eq, ty, a.clone(), b.clone()), or(before(a, b), before(b, a)))
}

/// The result of an operation and whether it overflowed.
fn overflowing(kind: Arithmetic, width: u32, a: &Num, b: &Num) -> Option<Sym> {
    let signed = kind.is_signed();
    // A product of unsigned numbers needs one bit more as a signed number.
    let too_wide = kind.is_product() && (width > 64 || !signed && width > 63);
    if width == 0 || too_wide || width > 126 {
        return None;
    }
    let ty = IntType { width, signed };
    let wide = IntType::signed(if kind.is_product() { (2 * width).min(128) } else { width + 2 });
    let op = match kind {
        Arithmetic::SAdd | Arithmetic::UAdd => BinaryOp::Add,
        Arithmetic::SSub | Arithmetic::USub => BinaryOp::Sub,
        Arithmetic::SMul | Arithmetic::UMul => BinaryOp::Mul,
    };
    let of = |n: &Num| Num::new(n.to(ty), ty).to(wide);
    let exact = operate(op, wide, Overflow::Wraps, of(a), of(b));
    let result = Num::new(exact.clone(), wide).read_as(ty);
    let (min, max) = ty.range();
    let out =
        or(cmp(CmpOp::Lt, wide, exact.clone(), constant(min, wide)), cmp(CmpOp::Gt, wide, exact, constant(max, wide)));
    Some(Sym::Aggregate(vec![Sym::Num(result), Sym::Cond(out)]))
}

fn count_bits(what: CountBits, width: u32, a: &Num) -> Num {
    let ty = IntType::unsigned(width);
    let x = a.to(ty);
    let set = |i: u32| {
        let moved = operate(BinaryOp::Shr, ty, Overflow::Wraps, x.clone(), constant(i, ty));
        let one = operate(BinaryOp::And, ty, Overflow::Wraps, moved, constant(1, ty));
        cmp(CmpOp::Ne, ty, one, constant(0, ty))
    };
    let e = match what {
        CountBits::Set => (0..width).fold(constant(0, ty), |sum, i| {
            operate(BinaryOp::Add, ty, Overflow::Wraps, sum, ite(set(i), constant(1, ty), constant(0, ty)))
        }),
        CountBits::Leading => {
            (0..width).fold(constant(width, ty), |rest, i| ite(set(i), constant(width - 1 - i, ty), rest))
        }
        CountBits::Trailing => (0..width).rev().fold(constant(width, ty), |rest, i| ite(set(i), constant(i, ty), rest)),
    };
    Num::new(e, ty)
}
