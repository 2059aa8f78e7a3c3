//! Integers of Z: signed arithmetic that never overflows, and everything else reduced as C does.

use super::expr::{Lowered, Scope, and, ite};
use super::{BinaryOp, CmpOp, IntType, Overflow, UnaryOp};
use crate::term::{Op, Term, Terms};
use dashu_int::IBig;

fn power(exponent: u32) -> IBig {
    IBig::from(1) << exponent as usize
}

fn constant_of(t: &Terms, a: Term) -> Option<IBig> {
    match t.node(a).op {
        Op::Int(i) => Some(t.int_value(i)),
        _ => None,
    }
}

fn add(t: &Terms, a: Term, b: Term) -> Term {
    t.apply(Op::IntAdd, &[a, b])
}

fn sub(t: &Terms, a: Term, b: Term) -> Term {
    t.apply(Op::IntSub, &[a, b])
}

fn times(t: &Terms, a: Term, k: IBig) -> Term {
    if k == IBig::from(1) { a } else { t.apply(Op::IntMul, &[a, t.int(k)]) }
}

/// The floor of `a / k` for a positive `k`.
fn floor_div(t: &Terms, a: Term, k: IBig) -> Term {
    if k == IBig::from(1) { a } else { t.apply(Op::IntDiv, &[a, t.int(k)]) }
}

fn modulo(t: &Terms, a: Term, k: IBig) -> Term {
    t.apply(Op::IntMod, &[a, t.int(k)])
}

/// The value of the type that is congruent modulo 2^width.
pub(super) fn wrap(t: &Terms, ty: IntType, a: Term) -> Term {
    if !ty.signed {
        return modulo(t, a, ty.modulus());
    }
    let half = t.int(power(ty.width - 1));
    sub(t, modulo(t, add(t, a, half), ty.modulus()), half)
}

/// What arithmetic over Z gives as a value of the type.
fn fit(t: &Terms, ty: IntType, overflow: Overflow, a: Term) -> (Term, bool) {
    if over_z(ty, overflow) { (a, false) } else { (wrap(t, ty, a), true) }
}

/// Whether results may leave the type's range.
pub(super) fn over_z(ty: IntType, overflow: Overflow) -> bool {
    ty.signed && overflow == Overflow::Undefined
}

pub(super) fn unary(t: &Terms, op: UnaryOp, ty: IntType, overflow: Overflow, a: Lowered) -> Lowered {
    let negated = t.apply(Op::IntNeg, &[a.term]);
    let (term, in_range) = match op {
        UnaryOp::Neg => fit(t, ty, overflow, negated),
        UnaryOp::Not => (complement(t, ty, a.term), a.in_range),
    };
    Lowered { term, in_range, ..a }
}

/// `~a`: over all of Z, for a signed type.
fn complement(t: &Terms, ty: IntType, a: Term) -> Term {
    let ones = if ty.signed { IBig::from(-1) } else { ty.modulus() - IBig::from(1) };
    sub(t, t.int(ones), a)
}

pub(super) fn binary(
    scope: &mut Scope<'_>,
    op: BinaryOp,
    ty: IntType,
    overflow: Overflow,
    a: Lowered,
    b: Lowered,
) -> Lowered {
    let t = scope.terms();
    let (x, y) = (a.term, b.term);
    let mut defined = and(t, a.defined, b.defined);
    let within = a.in_range && b.in_range;
    let (term, in_range) = match op {
        BinaryOp::Add => fit(t, ty, overflow, add(t, x, y)),
        BinaryOp::Sub => fit(t, ty, overflow, sub(t, x, y)),
        BinaryOp::Mul => fit(t, ty, overflow, t.apply(Op::IntMul, &[x, y])),
        BinaryOp::Div | BinaryOp::Rem => {
            defined = and(t, defined, t.not(t.eq(y, t.int(0))));
            if ty.signed && overflow == Overflow::Wraps {
                // No quotient of the type, and nothing that wrapping would give: the machine traps.
                let smallest = t.eq(x, t.int(ty.range().0));
                defined = and(t, defined, t.not(t.and(smallest, t.eq(y, t.int(-1)))));
            }
            let euclidean = if op == BinaryOp::Div { Op::IntDiv } else { Op::IntMod };
            if ty.signed {
                let term = toward_zero(t, euclidean, x, y);
                // A remainder is no larger than the dividend.
                if op == BinaryOp::Rem && within { (term, true) } else { fit(t, ty, overflow, term) }
            } else {
                (t.apply(euclidean, &[x, y]), true)
            }
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => bitwise(scope, op, ty, x, y, within),
        BinaryOp::Shl => {
            defined = and(t, defined, amount_in_range(t, ty, y));
            fit(t, ty, overflow, shift(t, ty, x, y, times))
        }
        BinaryOp::Shr => {
            defined = and(t, defined, amount_in_range(t, ty, y));
            (shift(t, ty, x, y, floor_div), a.in_range)
        }
    };
    Lowered { term, defined, poison: t.ff(), in_range, width: ty.width }
}

/// Division towards zero by way of Euclidean division, which is the same for a dividend that is not negative.
fn toward_zero(t: &Terms, euclidean: Op, a: Term, b: Term) -> Term {
    let negated = t.apply(Op::IntNeg, &[a]);
    t.ite(
        t.apply(Op::IntLe, &[t.int(0), a]),
        t.apply(euclidean, &[a, b]),
        t.apply(Op::IntNeg, &[t.apply(euclidean, &[negated, b])]),
    )
}

fn between(t: &Terms, low: IBig, a: Term, high: IBig) -> Term {
    t.and(t.apply(Op::IntLe, &[t.int(low), a]), t.apply(Op::IntLe, &[a, t.int(high)]))
}

fn amount_in_range(t: &Terms, ty: IntType, amount: Term) -> Term {
    match constant_of(t, amount) {
        Some(k) => t.bool(k >= IBig::ZERO && k < IBig::from(ty.width)),
        None => between(t, IBig::ZERO, amount, IBig::from(ty.width - 1)),
    }
}

/// A shift by an amount within the width; `by` multiplies or divides by a power of two. An amount that is no constant shifts in
/// stages, one for each of its bits: floors of quotients compose.
fn shift(t: &Terms, ty: IntType, a: Term, amount: Term, by: fn(&Terms, Term, IBig) -> Term) -> Term {
    if let Some(k) = constant_of(t, amount) {
        // Outside the width it is undefined, and any term will do.
        return u32::try_from(k).ok().filter(|k| *k < ty.width).map_or(a, |k| by(t, a, power(k)));
    }
    let mut result = a;
    let mut stage = 0;
    while power(stage) < IBig::from(ty.width) {
        let shifted = by(t, result, power(1 << stage));
        result = t.ite(bit(t, amount, stage), shifted, result);
        stage += 1;
    }
    result
}

/// That a bit of the two's complement of a number is set.
fn bit(t: &Terms, a: Term, index: u32) -> Term {
    t.eq(modulo(t, floor_div(t, a, power(index)), IBig::from(2)), t.int(1))
}

/// A bitwise operation, and whether its value lies in the type.
///
/// By a constant it has a meaning for every number of Z, whose two's complement has infinitely many bits: a conjunction takes
/// runs of bits, and `a | k = a + k - (a & k)`, `a ^ k = a + k - 2 (a & k)`. For two variable operands it is that of the
/// type's bit-vectors, which is right for values of the type; others have more bits, and nothing is known of the result.
fn bitwise(scope: &mut Scope<'_>, op: BinaryOp, ty: IntType, a: Term, b: Term, within: bool) -> (Term, bool) {
    let t = scope.terms();
    let from_conjunction = |both: Term| match op {
        BinaryOp::And => both,
        BinaryOp::Or => sub(t, add(t, a, b), both),
        _ => sub(t, add(t, a, b), times(t, both, IBig::from(2))),
    };
    let constant = constant_of(t, b).map(|k| (a, k)).or_else(|| constant_of(t, a).map(|k| (b, k)));
    if let Some((x, k)) = constant {
        let small = op == BinaryOp::And && k >= IBig::ZERO;
        return (from_conjunction(masked(t, x, &k)), within || small);
    }
    let bits = |x: Term| t.apply(Op::IntToBv(ty.width), &[x]);
    let machine = match op {
        BinaryOp::And => Op::BvAnd,
        BinaryOp::Or => Op::BvOr,
        _ => Op::BvXor,
    };
    let read = if ty.signed { Op::SbvToInt } else { Op::UbvToInt };
    let exact = t.apply(read, &[t.apply(machine, &[bits(a), bits(b)])]);
    if within {
        return (exact, true);
    }
    let (min, max) = ty.range();
    let meaningful = and(t, between(t, min.clone(), a, max.clone()), between(t, min, b, max));
    (ite(t, meaningful, exact, scope.meaningless()), false)
}

/// `a & k` for every number `a` of Z.
fn masked(t: &Terms, a: Term, k: &IBig) -> Term {
    if *k < IBig::ZERO {
        // What is left when the bits that `k` lacks are taken away.
        return sub(t, a, masked(t, a, &(-k - IBig::from(1))));
    }
    let is_set = |i: u32| crate::eval::int_mod(&(k >> i as usize), &IBig::from(2)) == IBig::from(1);
    let mut sum: Option<Term> = None;
    let mut low = 0;
    while power(low) <= *k {
        if !is_set(low) {
            low += 1;
            continue;
        }
        let mut high = low;
        while is_set(high) {
            high += 1;
        }
        let run = times(t, modulo(t, floor_div(t, a, power(low)), power(high - low)), power(low));
        sum = Some(sum.map_or(run, |s| add(t, s, run)));
        low = high;
    }
    sum.unwrap_or_else(|| t.int(0))
}

/// A conversion to a type that has all values of the source type changes nothing, also for a value that has left the source
/// type's range; any other reduces.
pub(super) fn cast(t: &Terms, from: IntType, to: IntType, a: Lowered) -> Lowered {
    if to.includes(from) {
        return Lowered { width: to.width, ..a };
    }
    Lowered { term: wrap(t, to, a.term), in_range: true, width: to.width, ..a }
}

/// `low` in the low bits and `high` above them.
pub(super) fn join(t: &Terms, low: Lowered, high: Lowered) -> Term {
    add(t, low.term, times(t, high.term, power(low.width)))
}

pub(super) fn compare(t: &Terms, op: CmpOp, a: Term, b: Term) -> Term {
    match op {
        CmpOp::Lt => t.apply(Op::IntLt, &[a, b]),
        CmpOp::Le => t.apply(Op::IntLe, &[a, b]),
        CmpOp::Gt => t.apply(Op::IntLt, &[b, a]),
        CmpOp::Ge => t.apply(Op::IntLe, &[b, a]),
        CmpOp::Eq => t.eq(a, b),
        CmpOp::Ne => t.not(t.eq(a, b)),
    }
}
