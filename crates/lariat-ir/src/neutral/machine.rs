//! Machine integers: bit-vectors that wrap, with poison where a proof of divergence needs it.

use super::expr::{Lowered, and, not, or};
use super::{BinaryOp, CmpOp, IntType, Overflow, Target, UnaryOp};
use crate::eval::{int_div, int_mod};
use crate::term::{Op, Term, Terms};
use crate::value::{Bits, Value};
use dashu_int::IBig;

pub(super) fn constant(t: &Terms, ty: IntType, value: &IBig) -> Term {
    t.value(&Value::Bv(Bits::from_int(ty.width, value)))
}

pub(super) fn unary(t: &Terms, target: Target, op: UnaryOp, ty: IntType, overflow: Overflow, a: Lowered) -> Lowered {
    let (bv, overflows) = match op {
        UnaryOp::Not => (Op::BvNot, t.ff()),
        UnaryOp::Neg if ty.signed => (Op::BvNeg, t.eq(a.term, constant(t, ty, &ty.range().0))),
        UnaryOp::Neg => (Op::BvNeg, t.not(t.eq(a.term, constant(t, ty, &IBig::ZERO)))),
    };
    let poison = poison(t, target, overflow, a.poison, overflows);
    Lowered { term: t.apply(bv, &[a.term]), poison, ..a }
}

/// The poison of a result: inherited, or from an overflow of its own that the program may not do.
fn poison(t: &Terms, target: Target, overflow: Overflow, inherited: Term, overflows: Term) -> Term {
    match (target, overflow) {
        (Target::CDiverges, Overflow::Undefined) => or(t, inherited, overflows),
        _ => inherited,
    }
}

pub(super) fn binary(
    t: &Terms,
    target: Target,
    op: BinaryOp,
    ty: IntType,
    overflow: Overflow,
    a: Lowered,
    b: Lowered,
) -> Lowered {
    let bv = match (op, ty.signed) {
        (BinaryOp::Add, _) => Op::BvAdd,
        (BinaryOp::Sub, _) => Op::BvSub,
        (BinaryOp::Mul, _) => Op::BvMul,
        (BinaryOp::Div, true) => Op::BvSdiv,
        (BinaryOp::Div, false) => Op::BvUdiv,
        (BinaryOp::Rem, true) => Op::BvSrem,
        (BinaryOp::Rem, false) => Op::BvUrem,
        (BinaryOp::And, _) => Op::BvAnd,
        (BinaryOp::Or, _) => Op::BvOr,
        (BinaryOp::Xor, _) => Op::BvXor,
        (BinaryOp::Shl, _) => Op::BvShl,
        (BinaryOp::Shr, true) => Op::BvAshr,
        (BinaryOp::Shr, false) => Op::BvLshr,
    };
    let (x, y) = (a.term, b.term);
    let result = t.apply(bv, &[x, y]);
    let mut defined = and(t, a.defined, b.defined);
    let inherited = match op {
        BinaryOp::Div | BinaryOp::Rem => {
            let zero = constant(t, ty, &IBig::ZERO);
            defined = and(t, defined, t.not(t.eq(y, zero)));
            if ty.signed {
                // Whether a poisoned dividend is the smallest value is nothing to rely on.
                let smallest = or(t, t.eq(x, constant(t, ty, &ty.range().0)), a.poison);
                let minus_one = t.eq(y, constant(t, ty, &IBig::from(-1)));
                defined = and(t, defined, not(t, and(t, smallest, minus_one)));
            }
            defined = and(t, defined, not(t, b.poison));
            a.poison
        }
        BinaryOp::Shl | BinaryOp::Shr => {
            // A negative amount is a large one, read as unsigned.
            let width = t.bv(ty.width, u128::from(ty.width));
            defined = and(t, defined, t.apply(Op::BvUlt, &[y, width]));
            defined = and(t, defined, not(t, b.poison));
            a.poison
        }
        _ => or(t, a.poison, b.poison),
    };
    let poison = if target == Target::CDiverges && overflow == Overflow::Undefined {
        let overflows = if ty.signed {
            signed_overflow(t, op, ty, x, y, result)
        } else {
            unsigned_overflow(t, op, ty, x, y, result)
        };
        or(t, inherited, overflows)
    } else {
        inherited
    };
    let in_range = true;
    Lowered { term: result, defined, poison, in_range, width: ty.width }
}

/// That a value lies within these bounds, which are values of its type.
pub(super) fn between(t: &Terms, ty: IntType, low: &IBig, x: Term, high: &IBig) -> Term {
    let at_most = |a: Term, b: Term| compare(t, CmpOp::Le, ty, a, b);
    let (min, max) = ty.range();
    let above = if *low == min { t.tt() } else { at_most(constant(t, ty, low), x) };
    let below = if *high == max { t.tt() } else { at_most(x, constant(t, ty, high)) };
    and(t, above, below)
}

/// The signed number that a constant is.
fn number(t: &Terms, a: Term) -> Option<IBig> {
    match t.node(a).op {
        Op::Bv(b) => Some(b.signed().into()),
        _ => None,
    }
}

/// That a signed value lies outside these bounds, one of which may be no bound within the type.
fn outside(t: &Terms, ty: IntType, x: Term, low: &IBig, high: &IBig) -> Term {
    let (min, max) = ty.range();
    let below = if *low > min { t.apply(Op::BvSlt, &[x, constant(t, ty, low)]) } else { t.ff() };
    let above = if *high < max { t.apply(Op::BvSlt, &[constant(t, ty, high), x]) } else { t.ff() };
    or(t, below, above)
}

/// That the result of a signed operation, as a number, is not in the type; for `<<` also that the left operand is negative.
fn signed_overflow(t: &Terms, op: BinaryOp, ty: IntType, x: Term, y: Term, result: Term) -> Term {
    let (min, max) = ty.range();
    let zero = || constant(t, ty, &IBig::ZERO);
    let negative = |a: Term| t.apply(Op::BvSlt, &[a, zero()]);
    let xor = |a: Term, b: Term| t.apply(Op::BvXor, &[a, b]);
    match op {
        BinaryOp::Add => match (number(t, x), number(t, y)) {
            (_, Some(k)) => outside(t, ty, x, &(&min - &k), &(&max - &k)),
            (Some(k), _) => outside(t, ty, y, &(&min - &k), &(&max - &k)),
            // Both operands have the sign that the result has not.
            _ => negative(t.apply(Op::BvAnd, &[xor(x, result), xor(y, result)])),
        },
        BinaryOp::Sub => match number(t, y) {
            Some(k) => outside(t, ty, x, &(&min + &k), &(&max + &k)),
            // The operands' signs differ, and the result's is not the left one's.
            None => negative(t.apply(Op::BvAnd, &[xor(x, y), xor(x, result)])),
        },
        BinaryOp::Mul => match (number(t, x), number(t, y)) {
            (_, Some(k)) => product_outside(t, ty, x, &k),
            (Some(k), _) => product_outside(t, ty, y, &k),
            _ if 2 * ty.width <= crate::sort::MAX_WIDTH => {
                let wide = |a: Term| t.apply(Op::SignExtend(ty.width), &[a]);
                t.not(t.eq(t.apply(Op::BvMul, &[wide(x), wide(y)]), wide(result)))
            }
            _ => {
                // Dividing back gives the other factor, but for the one quotient that overflows itself.
                let smallest = t.and(t.eq(x, constant(t, ty, &IBig::from(-1))), t.eq(y, constant(t, ty, &min)));
                let differs = t.not(t.eq(t.apply(Op::BvSdiv, &[result, x]), y));
                t.and(t.not(t.eq(x, zero())), t.or(smallest, differs))
            }
        },
        BinaryOp::Shl => {
            let largest = t.apply(Op::BvLshr, &[constant(t, ty, &max), y]);
            t.or(negative(x), t.apply(Op::BvSlt, &[largest, x]))
        }
        // The smallest value by minus one is undefined, not poisoned.
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shr => t.ff(),
    }
}

/// That `x * k` is not in the signed type.
fn product_outside(t: &Terms, ty: IntType, x: Term, k: &IBig) -> Term {
    if *k == IBig::ZERO {
        return t.ff();
    }
    let (min, max) = ty.range();
    let (low, high) = if *k > IBig::ZERO { (min, max) } else { (max, min) };
    // The factors whose product lies within are those from the ceiling of low / k to the floor of high / k. The Euclidean
    // quotient is the floor for a positive divisor and the ceiling for a negative one.
    let exact = |n: &IBig| int_mod(n, k) == IBig::ZERO;
    let step = |n: &IBig| if exact(n) { IBig::ZERO } else { IBig::from(1) };
    let (least, greatest) = if *k > IBig::ZERO {
        (int_div(&low, k) + step(&low), int_div(&high, k))
    } else {
        (int_div(&low, k), int_div(&high, k) - step(&high))
    };
    outside(t, ty, x, &least, &greatest)
}

/// That the result of an unsigned operation, as a number, is not in the type.
fn unsigned_overflow(t: &Terms, op: BinaryOp, ty: IntType, x: Term, y: Term, result: Term) -> Term {
    match op {
        BinaryOp::Add => t.apply(Op::BvUlt, &[result, x]),
        BinaryOp::Sub => t.apply(Op::BvUlt, &[x, y]),
        BinaryOp::Mul => {
            let zero = constant(t, ty, &IBig::ZERO);
            t.and(t.not(t.eq(x, zero)), t.not(t.eq(t.apply(Op::BvUdiv, &[result, x]), y)))
        }
        BinaryOp::Shl => t.not(t.eq(t.apply(Op::BvLshr, &[result, y]), x)),
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shr => t.ff(),
    }
}

pub(super) fn cast(t: &Terms, from: IntType, to: IntType, a: Lowered) -> Lowered {
    let term = if to.width < from.width {
        t.apply(Op::Extract { hi: to.width - 1, lo: 0 }, &[a.term])
    } else if to.width == from.width {
        a.term
    } else if from.signed {
        t.apply(Op::SignExtend(to.width - from.width), &[a.term])
    } else {
        t.apply(Op::ZeroExtend(to.width - from.width), &[a.term])
    };
    Lowered { term, width: to.width, ..a }
}

pub(super) fn compare(t: &Terms, op: CmpOp, ty: IntType, a: Term, b: Term) -> Term {
    let (lt, le) = if ty.signed { (Op::BvSlt, Op::BvSle) } else { (Op::BvUlt, Op::BvUle) };
    match op {
        CmpOp::Lt => t.apply(lt, &[a, b]),
        CmpOp::Le => t.apply(le, &[a, b]),
        CmpOp::Gt => t.apply(lt, &[b, a]),
        CmpOp::Ge => t.apply(le, &[b, a]),
        CmpOp::Eq => t.eq(a, b),
        CmpOp::Ne => t.not(t.eq(a, b)),
    }
}
