//! Bitwise operations, shifts, bit-vector division, extraction and extension.

use super::arith::{is_minus_one, is_one, is_zero};
use super::{Family, Rule, binary, fold, is_constant, orders, unary};
use crate::term::{Op, Term, Terms};
use crate::value::Bits;

pub(super) const FAMILY: Family = Family {
    name: "bits",
    concerns: |op| {
        matches!(
            op,
            Op::BvNot
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvUdiv
                | Op::BvUrem
                | Op::BvSdiv
                | Op::BvSrem
                | Op::BvShl
                | Op::BvLshr
                | Op::BvAshr
                | Op::Concat
                | Op::Extract { .. }
                | Op::ZeroExtend(_)
                | Op::SignExtend(_)
        )
    },
    rules: &[
        Rule { name: "bits-not-not", apply: bits_not_not },
        Rule { name: "bits-unit", apply: bits_unit },
        Rule { name: "bits-zero", apply: bits_zero },
        Rule { name: "bits-idempotent", apply: bits_idempotent },
        Rule { name: "bits-complement", apply: bits_complement },
        Rule { name: "bits-absorb", apply: bits_absorb },
        Rule { name: "bits-constants", apply: bits_constants },
        Rule { name: "xor-zero", apply: xor_zero },
        Rule { name: "xor-ones", apply: xor_ones },
        Rule { name: "xor-same", apply: xor_same },
        Rule { name: "xor-cancel", apply: xor_cancel },
        Rule { name: "shift-by-zero", apply: shift_by_zero },
        Rule { name: "shift-of-zero", apply: shift_of_zero },
        Rule { name: "shift-out", apply: shift_out },
        Rule { name: "shift-shift", apply: shift_shift },
        Rule { name: "shift-sign", apply: shift_sign },
        Rule { name: "bv-div-one", apply: div_one },
        Rule { name: "bv-div-minus-one", apply: div_minus_one },
        Rule { name: "bv-rem-one", apply: rem_one },
        Rule { name: "bv-rem-rem", apply: rem_rem },
        Rule { name: "extract-whole", apply: extract_whole },
        Rule { name: "extract-extract", apply: extract_extract },
        Rule { name: "extract-concat", apply: extract_concat },
        Rule { name: "extract-extension", apply: extract_extension },
        Rule { name: "extend-by-nothing", apply: extend_by_nothing },
        Rule { name: "extend-extension", apply: extend_extension },
        Rule { name: "concat-zero", apply: concat_zero },
        Rule { name: "concat-extracts", apply: concat_extracts },
    ],
};

fn bits_not_not(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::BvNot {
        return None;
    }
    unary(t, Op::BvNot, args[0])
}

/// For `&` and `|` the other one.
fn lattice(op: Op) -> Option<Op> {
    match op {
        Op::BvAnd => Some(Op::BvOr),
        Op::BvOr => Some(Op::BvAnd),
        _ => None,
    }
}

/// Whether `a` is the constant that `&` or `|` leaves everything alone with.
fn is_unit(t: &Terms, op: Op, a: Term) -> bool {
    if op == Op::BvAnd { is_minus_one(t, a) } else { is_zero(t, a) }
}

fn bits_unit(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    lattice(op)?;
    orders(args).into_iter().find_map(|(a, b)| is_unit(t, op, b).then_some(a))
}

fn bits_zero(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let dual = lattice(op)?;
    args.iter().copied().find(|&a| is_unit(t, dual, a))
}

fn bits_idempotent(_: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    lattice(op)?;
    (args[0] == args[1]).then_some(args[0])
}

fn bits_complement(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if !matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor) {
        return None;
    }
    let width = t.sort(args[0]).width()?;
    orders(args).into_iter().find_map(|(a, b)| {
        (unary(t, Op::BvNot, a)? == b).then(|| t.bv(width, if op == Op::BvAnd { 0 } else { u128::MAX }))
    })
}

/// `a & (a | b)` is `a`, `a & (a & b)` is `a & b`, and with the operations exchanged.
fn bits_absorb(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let dual = lattice(op)?;
    orders(args).into_iter().find_map(|(a, b)| {
        let has = |pair: Option<(Term, Term)>| pair.is_some_and(|(x, y)| x == a || y == a);
        if has(binary(t, dual, b)) { Some(a) } else { has(binary(t, op, b)).then_some(b) }
    })
}

/// `(x & j) & k` is `x & (j & k)`, and so for `|` and `^`.
fn bits_constants(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if !matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor) {
        return None;
    }
    let (x, j) = binary(t, op, args[0])?;
    Some(t.apply(op, &[x, fold(t, op, j, args[1])?]))
}

fn xor_zero(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::BvXor {
        return None;
    }
    orders(args).into_iter().find_map(|(a, b)| is_zero(t, b).then_some(a))
}

fn xor_ones(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::BvXor {
        return None;
    }
    orders(args).into_iter().find_map(|(a, b)| is_minus_one(t, b).then(|| t.apply(Op::BvNot, &[a])))
}

fn xor_same(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    (op == Op::BvXor && args[0] == args[1]).then(|| t.bv(t.sort(args[0]).width().expect("a bit-vector"), 0))
}

/// `(x ^ y) ^ y` is `x`.
fn xor_cancel(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::BvXor {
        return None;
    }
    orders(args).into_iter().find_map(|(a, b)| {
        let (x, y) = binary(t, Op::BvXor, a)?;
        if x == b { Some(y) } else { (y == b).then_some(x) }
    })
}

fn is_shift(op: Op) -> bool {
    matches!(op, Op::BvShl | Op::BvLshr | Op::BvAshr)
}

fn shift_by_zero(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    (is_shift(op) && is_zero(t, args[1])).then_some(args[0])
}

fn shift_of_zero(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    (is_shift(op) && is_zero(t, args[0])).then_some(args[0])
}

/// The bits of a bit-vector constant.
fn bits_of(t: &Terms, a: Term) -> Option<Bits> {
    match t.node(a).op {
        Op::Bv(b) => Some(b),
        _ => None,
    }
}

fn shift_out(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if !matches!(op, Op::BvShl | Op::BvLshr) {
        return None;
    }
    let amount = bits_of(t, args[1])?;
    (amount.unsigned() >= u128::from(amount.width())).then(|| t.bv(amount.width(), 0))
}

/// `(x << j) << k` is `x << (j + k)`; where that shifts everything out, zero, or for `>>` of a sign the last bit.
fn shift_shift(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if !is_shift(op) {
        return None;
    }
    let (x, j) = binary(t, op, args[0])?;
    let (j, k) = (bits_of(t, j)?, bits_of(t, args[1])?);
    let width = k.width();
    let sum = j.unsigned().saturating_add(k.unsigned());
    if sum < u128::from(width) {
        return Some(t.apply(op, &[x, t.bv(width, sum)]));
    }
    Some(if op == Op::BvAshr { t.apply(op, &[x, t.bv(width, u128::from(width - 1))]) } else { t.bv(width, 0) })
}

/// All ones stay all ones when the sign is shifted in.
fn shift_sign(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    (op == Op::BvAshr && is_minus_one(t, args[0])).then_some(args[0])
}

fn div_one(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    (matches!(op, Op::BvUdiv | Op::BvSdiv) && is_one(t, args[1])).then_some(args[0])
}

/// The smallest value divided by minus one is itself, as its negation is.
fn div_minus_one(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    (op == Op::BvSdiv && is_minus_one(t, args[1])).then(|| t.apply(Op::BvNeg, &args[..1]))
}

fn rem_one(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let divides = match op {
        Op::BvUrem => is_one(t, args[1]),
        Op::BvSrem => is_one(t, args[1]) || is_minus_one(t, args[1]),
        _ => false,
    };
    divides.then(|| t.bv(t.sort(args[0]).width().expect("a bit-vector"), 0))
}

/// `(x % n) % n` is `x % n`, also where `n` is zero and both are `x`.
fn rem_rem(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if !matches!(op, Op::BvUrem | Op::BvSrem) {
        return None;
    }
    let (_, n) = binary(t, op, args[0])?;
    (n == args[1]).then_some(args[0])
}

fn extract_of(op: Op) -> Option<(u32, u32)> {
    match op {
        Op::Extract { hi, lo } => Some((hi, lo)),
        _ => None,
    }
}

fn extract_whole(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (hi, lo) = extract_of(op)?;
    (lo == 0 && t.sort(args[0]).width() == Some(hi + 1)).then_some(args[0])
}

fn extract_extract(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (hi, lo) = extract_of(op)?;
    let node = t.node(args[0]);
    let (_, by) = extract_of(node.op)?;
    Some(t.apply(Op::Extract { hi: hi + by, lo: lo + by }, node.args()))
}

/// Bits that lie within one of two joined parts.
fn extract_concat(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (hi, lo) = extract_of(op)?;
    let (high, low) = binary(t, Op::Concat, args[0])?;
    let split = t.sort(low).width()?;
    if hi < split {
        Some(t.apply(op, &[low]))
    } else if lo >= split {
        Some(t.apply(Op::Extract { hi: hi - split, lo: lo - split }, &[high]))
    } else {
        None
    }
}

/// Bits of an extended term: bits of the term, zeros that were added, or the term extended by less.
fn extract_extension(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (hi, lo) = extract_of(op)?;
    let node = t.node(args[0]);
    if !matches!(node.op, Op::ZeroExtend(_) | Op::SignExtend(_)) {
        return None;
    }
    let width = t.sort(node.args()[0]).width()?;
    if hi < width {
        Some(t.apply(op, node.args()))
    } else if lo >= width && matches!(node.op, Op::ZeroExtend(_)) {
        Some(t.bv(hi - lo + 1, 0))
    } else if lo == 0 {
        let by = hi + 1 - width;
        let less = if matches!(node.op, Op::ZeroExtend(_)) { Op::ZeroExtend(by) } else { Op::SignExtend(by) };
        Some(t.apply(less, node.args()))
    } else {
        None
    }
}

fn extend_by_nothing(_: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    matches!(op, Op::ZeroExtend(0) | Op::SignExtend(0)).then_some(args[0])
}

/// Two extensions are one; the sign of what has a zero on top is zero.
fn extend_extension(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let node = t.node(args[0]);
    let joined = match (op, node.op) {
        (Op::ZeroExtend(m), Op::ZeroExtend(n)) | (Op::SignExtend(m), Op::ZeroExtend(n @ 1..)) => Op::ZeroExtend(m + n),
        (Op::SignExtend(m), Op::SignExtend(n)) => Op::SignExtend(m + n),
        _ => return None,
    };
    Some(t.apply(joined, node.args()))
}

fn concat_zero(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Concat || !is_constant(t, args[0]) || !is_zero(t, args[0]) {
        return None;
    }
    Some(t.apply(Op::ZeroExtend(t.sort(args[0]).width()?), &args[1..]))
}

/// Adjacent bits of one term.
fn concat_extracts(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Concat {
        return None;
    }
    let (m, n) = (t.node(args[0]), t.node(args[1]));
    let ((hi, upper), (lower, lo)) = (extract_of(m.op)?, extract_of(n.op)?);
    (m.args() == n.args() && upper == lower + 1).then(|| t.apply(Op::Extract { hi, lo }, m.args()))
}
