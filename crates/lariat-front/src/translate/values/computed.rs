//! Intrinsics that are functions of their arguments.

use crate::intrinsic::{Arithmetic, CountBits, Intrinsic, MinMax};
use crate::module::{Constant, Operand, Predicate, Type};
use crate::translate::bits_of;
use crate::translate::state::State;
use crate::translate::values::arith::{Num, Sym, cmp, compare, constant, ite, operate, or};
use crate::translate::values::{Values, operand_type};
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{BinaryOp, CmpOp, Expr, IntType, Overflow, UnaryOp};

impl Values<'_, '_> {
    /// The result of a computation of this type.
    pub(in crate::translate) fn computed(
        &mut self,
        state: &mut State,
        which: Intrinsic,
        args: &[Operand],
        result: &Type,
    ) -> Sym {
        let module = self.cx.flat.module;
        let function = self.cx.flat.function(state.point().instance);
        let width = bits_of(result, module);
        if self.memory.is_out_of_sight(state, which, args, result) {
            return self.any(state, result, UnknownKind::Abstraction);
        }
        let arg = |b: &mut Self, state: &mut State, n: usize| {
            let ty = args.get(n).map_or(Type::Void, |a| operand_type(function, a));
            args.get(n).map(|a| b.number(state, a, &ty))
        };
        let flagged = |n: usize| matches!(args.get(n), Some(Operand::Constant(Constant::Int(_, 1))));
        match which {
            Intrinsic::WithOverflow(op) => match (arg(self, state, 0), arg(self, state, 1)) {
                (Some(a), Some(b)) => {
                    let ty = args.first().map_or(Type::Void, |a| operand_type(function, a));
                    match overflowing(op, bits_of(&ty, module), &a, &b) {
                        Some(both) => both,
                        None => self.any(state, result, UnknownKind::Abstraction),
                    }
                }
                _ => self.any(state, result, UnknownKind::Abstraction),
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
                    let counted = count_bits(what, width, &a);
                    if what != CountBits::Set && flagged(1) {
                        // Of zero it is poison; where the compiler's checks stand before it, zero does not come here.
                        let ty = IntType::unsigned(width);
                        let zero = cmp(CmpOp::Eq, ty, a.to(ty), constant(0, ty));
                        self.poison_where(state, zero, counted)
                    } else {
                        Sym::Num(counted)
                    }
                }
                _ => self.any(state, result, UnknownKind::Abstraction),
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
                _ => self.any(state, result, UnknownKind::Abstraction),
            },
            Intrinsic::FunnelShift { left } => match (arg(self, state, 0), arg(self, state, 1), arg(self, state, 2)) {
                (Some(a), Some(b), Some(c)) => {
                    let ty = IntType::unsigned(width);
                    let modulus = constant(width, ty);
                    let by = operate(BinaryOp::Rem, ty, Overflow::Wraps, c.to(ty), modulus.clone());
                    let rest = operate(BinaryOp::Sub, ty, Overflow::Wraps, modulus, by.clone());
                    let (up, down) = if left { (by.clone(), rest) } else { (rest, by.clone()) };
                    let high = operate(BinaryOp::Shl, ty, Overflow::Wraps, a.to(ty), up);
                    let low = operate(BinaryOp::Shr, ty, Overflow::Wraps, b.to(ty), down);
                    let both = operate(BinaryOp::Or, ty, Overflow::Wraps, high, low);
                    let whole = if left { a.to(ty) } else { b.to(ty) };
                    let none = cmp(CmpOp::Eq, ty, by, constant(0, ty));
                    Sym::Num(Num::new(ite(none, whole, both), ty))
                }
                _ => Sym::Nothing,
            },
            // Floating point, mostly: a result that is followed or not.
            Intrinsic::Compute(what) => match self.float_intrinsic(state, what, args, result) {
                Some(sym) => sym,
                None => self.any(state, result, UnknownKind::Abstraction),
            },
            _ => Sym::Nothing,
        }
    }
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
