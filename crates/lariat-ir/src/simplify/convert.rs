//! Conversions between integers and bit-vectors.

use super::{Family, Rule, binary, is_constant, orders, unary};
use crate::term::{Op, Term, Terms};
use crate::value::{Bits, Value};
use dashu_int::IBig;

pub(super) const FAMILY: Family = Family {
    name: "conversions",
    concerns: |op| matches!(op, Op::IntToBv(_) | Op::UbvToInt | Op::SbvToInt | Op::Eq | Op::IntLt | Op::IntLe),
    rules: &[
        Rule { name: "convert-back", apply: convert_back },
        Rule { name: "convert-inside", apply: convert_inside },
        Rule { name: "convert-remainder", apply: convert_remainder },
        Rule { name: "convert-reduced", apply: convert_reduced },
        Rule { name: "convert-extended", apply: convert_extended },
        Rule { name: "convert-both", apply: convert_both },
        Rule { name: "convert-constant", apply: convert_constant },
    ],
};

/// The bit-vector that a term reads as an integer, and whether as signed.
fn reading(t: &Terms, a: Term) -> Option<(Term, bool)> {
    unary(t, Op::UbvToInt, a).map(|b| (b, false)).or_else(|| unary(t, Op::SbvToInt, a).map(|b| (b, true)))
}

/// `int_to_bv` of what was a bit-vector: itself, or longer, or shorter.
fn convert_back(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let Op::IntToBv(width) = op else { return None };
    let (b, signed) = reading(t, args[0])?;
    let from = t.sort(b).width()?;
    Some(match width {
        w if w == from => b,
        w if w < from => t.apply(Op::Extract { hi: w - 1, lo: 0 }, &[b]),
        w if signed => t.apply(Op::SignExtend(w - from), &[b]),
        w => t.apply(Op::ZeroExtend(w - from), &[b]),
    })
}

/// Reduction modulo a power of two respects sums, differences and products; of the latter only those by a constant are
/// worth having as bit-vectors.
fn convert_inside(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let Op::IntToBv(_) = op else { return None };
    let node = t.node(args[0]);
    let inside = match node.op {
        Op::IntAdd => Op::BvAdd,
        Op::IntSub => Op::BvSub,
        Op::IntNeg => Op::BvNeg,
        Op::IntMul if node.args().iter().any(|&a| is_constant(t, a)) => Op::BvMul,
        _ => return None,
    };
    let parts: Vec<Term> = node.args().iter().map(|&a| t.apply(op, &[a])).collect();
    Some(t.apply(inside, &parts))
}

/// A remainder modulo 2^k is congruent to the dividend, also modulo smaller powers.
fn convert_remainder(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let Op::IntToBv(width) = op else { return None };
    let (a, k) = binary(t, Op::IntMod, args[0])?;
    let Some(Value::Int(k)) = t.constant_value(k) else { return None };
    let multiple = k != IBig::ZERO && crate::eval::int_mod(&k, &power(width)) == IBig::ZERO;
    multiple.then(|| t.apply(op, &[a]))
}

/// `ubv_to_int(int_to_bv(x))` is the remainder of `x`.
fn convert_reduced(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let node = t.node(args[0]);
    let (Op::UbvToInt, Op::IntToBv(width)) = (op, node.op) else { return None };
    Some(t.apply(Op::IntMod, &[node.args()[0], t.int(power(width))]))
}

/// An extension does not change the number; of what has a zero on top both readings are one.
fn convert_extended(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let node = t.node(args[0]);
    let read = match (op, node.op) {
        (Op::UbvToInt, Op::ZeroExtend(_)) | (Op::SbvToInt, Op::ZeroExtend(1..)) => Op::UbvToInt,
        (Op::SbvToInt, Op::SignExtend(_) | Op::ZeroExtend(0)) => Op::SbvToInt,
        _ => return None,
    };
    Some(t.apply(read, node.args()))
}

/// The comparison of bit-vectors that compares the numbers they are.
fn comparison(op: Op, signed: bool) -> Option<Op> {
    Some(match (op, signed) {
        (Op::Eq, _) => Op::Eq,
        (Op::IntLt, true) => Op::BvSlt,
        (Op::IntLe, true) => Op::BvSle,
        (Op::IntLt, false) => Op::BvUlt,
        (Op::IntLe, false) => Op::BvUle,
        _ => return None,
    })
}

/// Two bit-vectors of one width, read alike and compared.
fn convert_both(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let [a, b] = *args else { return None };
    let ((a, s), (b, r)) = (reading(t, a)?, reading(t, b)?);
    (s == r && t.sort(a) == t.sort(b)).then_some(())?;
    Some(t.apply(comparison(op, s)?, &[a, b]))
}

/// A bit-vector's number compared with a constant, which is one of its numbers or lies on one side of all of them.
fn convert_constant(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let [left, right] = *args else { return None };
    let (read, number) = orders(args).into_iter().find_map(|(a, k)| match t.constant_value(k) {
        Some(Value::Int(k)) => reading(t, a).map(|r| (r, k)),
        _ => None,
    })?;
    let (b, signed) = read;
    let compared = comparison(op, signed)?;
    let width = t.sort(b).width()?;
    let least = if signed { -power(width - 1) } else { IBig::ZERO };
    if number < least || number >= &least + power(width) {
        let constant_is_left = is_constant(t, left);
        return Some(t.bool(op != Op::Eq && (number < least) == constant_is_left));
    }
    let constant = t.value(&Value::Bv(Bits::from_int(width, &number)));
    let side = |a: Term| if is_constant(t, a) { constant } else { b };
    Some(t.apply(compared, &[side(left), side(right)]))
}

fn power(exponent: u32) -> IBig {
    IBig::from(1) << exponent as usize
}
