//! Equality and the orders.

use super::arith::{Ring, ring_of_sort, zero};
use super::{Family, Rule, binary, complementary, distinct, fold, is_constant, orders, unary};
use crate::sort::Sort;
use crate::term::{Op, Term, Terms};
use crate::value::{Bits, Value};
use dashu_int::IBig;

pub(super) const FAMILY: Family = Family {
    name: "comparisons",
    concerns: |op| matches!(op, Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::IntLt | Op::IntLe),
    rules: &[
        Rule { name: "eq-same", apply: eq_same },
        Rule { name: "eq-distinct", apply: eq_distinct },
        Rule { name: "eq-truth-value", apply: eq_truth_value },
        Rule { name: "eq-complement", apply: eq_complement },
        Rule { name: "eq-not-not", apply: eq_not_not },
        Rule { name: "eq-cancel-constant", apply: eq_cancel_constant },
        Rule { name: "eq-cancel-offsets", apply: eq_cancel_offsets },
        Rule { name: "eq-cancel-term", apply: eq_cancel_term },
        Rule { name: "eq-cancel-bits", apply: eq_cancel_bits },
        Rule { name: "eq-extended", apply: eq_extended },
        Rule { name: "compare-same", apply: compare_same },
        Rule { name: "compare-bounds", apply: compare_bounds },
        Rule { name: "compare-to-equality", apply: compare_to_equality },
        Rule { name: "compare-extended", apply: compare_extended },
        Rule { name: "compare-extended-constant", apply: compare_extended_constant },
        Rule { name: "compare-remainder", apply: compare_remainder },
        Rule { name: "int-compare-constant", apply: int_compare_constant },
        Rule { name: "int-compare-offsets", apply: int_compare_offsets },
        Rule { name: "int-compare-self", apply: int_compare_self },
    ],
};

/// The order comparison that, with its arguments exchanged, is this one's negation.
pub(super) fn negated(op: Op) -> Option<Op> {
    Some(match op {
        Op::BvUlt => Op::BvUle,
        Op::BvUle => Op::BvUlt,
        Op::BvSlt => Op::BvSle,
        Op::BvSle => Op::BvSlt,
        Op::IntLt => Op::IntLe,
        Op::IntLe => Op::IntLt,
        _ => return None,
    })
}

fn is_strict(op: Op) -> bool {
    matches!(op, Op::BvUlt | Op::BvSlt | Op::IntLt)
}

fn equality(op: Op, args: &[Term]) -> Option<(Term, Term)> {
    (op == Op::Eq).then(|| (args[0], args[1]))
}

fn eq_same(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (a, b) = equality(op, args)?;
    (a == b).then(|| t.tt())
}

fn eq_distinct(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (a, b) = equality(op, args)?;
    distinct(t, a, b).then(|| t.ff())
}

fn eq_truth_value(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    equality(op, args)?;
    orders(args).into_iter().find_map(|(a, b)| match t.node(b).op {
        Op::Bool(true) => Some(a),
        Op::Bool(false) => Some(t.not(a)),
        _ => None,
    })
}

fn eq_complement(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (a, b) = equality(op, args)?;
    complementary(t, a, b).then(|| t.ff())
}

/// `!a == !b` is `a == b`, for truth values, and for bit-vectors with `~` or `-`, and for integers with `-`.
fn eq_not_not(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (a, b) = equality(op, args)?;
    [Op::Not, Op::BvNot, Op::BvNeg, Op::IntNeg]
        .into_iter()
        .find_map(|op| Some(t.eq(unary(t, op, a)?, unary(t, op, b)?)))
}

/// `x + j == k` is `x == k - j`; `j - x == k` is `x == j - k`; `-x == k` is `x == -k`.
fn eq_cancel_constant(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (a, k) = equality(op, args)?;
    let ring = ring_of_sort(t.sort(a))?;
    if !is_constant(t, k) {
        return None;
    }
    if let Some((x, j)) = ring.offset(t, a) {
        return Some(t.eq(x, fold(t, ring.sub, k, j)?));
    }
    if let Some((j, x)) = ring.difference(t, a) {
        return Some(t.eq(x, fold(t, ring.sub, j, k)?));
    }
    let x = unary(t, ring.neg, a)?;
    Some(t.eq(x, super::fold_constants(t, ring.neg, &[k])?))
}

/// `x + j == y + k` is `x == y + (k - j)`.
fn eq_cancel_offsets(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (a, b) = equality(op, args)?;
    let ring = ring_of_sort(t.sort(a))?;
    let ((x, j), (y, k)) = (ring.offset(t, a)?, ring.offset(t, b)?);
    Some(t.eq(x, t.apply(ring.add, &[y, fold(t, ring.sub, k, j)?])))
}

/// `x + y == x` is `y == 0`, and so is `x - y == x`.
fn eq_cancel_term(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    equality(op, args)?;
    let ring = ring_of_sort(t.sort(args[0]))?;
    orders(args).into_iter().find_map(|(a, b)| {
        let (x, y) = binary(t, ring.add, a).or_else(|| binary(t, ring.sub, a))?;
        if x == b {
            Some(t.eq(y, zero(t, t.sort(a))))
        } else if y == b && binary(t, ring.add, a).is_some() {
            Some(t.eq(x, zero(t, t.sort(a))))
        } else {
            None
        }
    })
}

/// `~x == k` is `x == ~k`; `x ^ j == k` is `x == j ^ k`.
fn eq_cancel_bits(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (a, k) = equality(op, args)?;
    if !is_constant(t, k) {
        return None;
    }
    if let Some(x) = unary(t, Op::BvNot, a) {
        return Some(t.eq(x, super::fold_constants(t, Op::BvNot, &[k])?));
    }
    let (x, j) = binary(t, Op::BvXor, a)?;
    Some(t.eq(x, fold(t, Op::BvXor, j, k)?))
}

/// A term that is an extension by at least one bit: what is extended, and whether by copies of the sign.
fn extension(t: &Terms, a: Term) -> Option<(Term, bool)> {
    let node = t.node(a);
    match node.op {
        Op::ZeroExtend(1..) => Some((node.args()[0], false)),
        Op::SignExtend(1..) => Some((node.args()[0], true)),
        _ => None,
    }
}

/// A constant as a number, read as signed or as unsigned.
fn number(t: &Terms, k: Term, signed: bool) -> Option<IBig> {
    match t.node(k).op {
        Op::Bv(b) => Some(if signed { b.signed().into() } else { b.unsigned().into() }),
        _ => None,
    }
}

/// The numbers that a bit-vector of this width can be, read as signed or as unsigned.
fn range(width: u32, signed: bool) -> (IBig, IBig) {
    let one = IBig::from(1);
    if signed {
        let half = one.clone() << (width - 1) as usize;
        (-half.clone(), half - one)
    } else {
        (IBig::ZERO, (one.clone() << width as usize) - one)
    }
}

/// Where a constant lies as to the numbers of a narrower width: below, among, or above them.
enum Position {
    Below,
    Within(Term),
    Above,
}

fn position(t: &Terms, n: &IBig, width: u32, signed: bool) -> Position {
    let (min, max) = range(width, signed);
    if *n < min {
        Position::Below
    } else if *n > max {
        Position::Above
    } else {
        Position::Within(t.value(&Value::Bv(Bits::from_int(width, n))))
    }
}

/// An extended term is a constant iff the term is the constant's low part, or never; two terms extended alike are equal iff
/// the terms are.
fn eq_extended(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (a, b) = equality(op, args)?;
    let (x, signed) = extension(t, a)?;
    let width = t.sort(x).width()?;
    if let Some((y, other)) = extension(t, b) {
        return (signed == other && t.sort(y).width() == Some(width)).then(|| t.eq(x, y));
    }
    match position(t, &number(t, b, signed)?, width, signed) {
        Position::Within(k) => Some(t.eq(x, k)),
        Position::Below | Position::Above => Some(t.ff()),
    }
}

fn compare_same(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    negated(op)?;
    (args[0] == args[1]).then(|| t.bool(!is_strict(op)))
}

/// For an order of bit-vectors: whether it is signed.
fn signed_order(op: Op) -> Option<bool> {
    match op {
        Op::BvUlt | Op::BvUle => Some(false),
        Op::BvSlt | Op::BvSle => Some(true),
        _ => None,
    }
}

/// Nothing is below the smallest or above the greatest value.
fn compare_bounds(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let signed = signed_order(op)?;
    let (min, max) = range(t.sort(args[0]).width()?, signed);
    let (a, b) = (number(t, args[0], signed), number(t, args[1], signed));
    if is_strict(op) {
        (a == Some(max) || b == Some(min)).then(|| t.ff())
    } else {
        (a == Some(min) || b == Some(max)).then(|| t.tt())
    }
}

/// Only the smallest value is at most the smallest, and only it is below its successor; likewise at the other end.
fn compare_to_equality(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let signed = signed_order(op)?;
    let width = t.sort(args[0]).width()?;
    let (min, max) = range(width, signed);
    let step = IBig::from(u8::from(is_strict(op)));
    let bits = |n: &IBig| t.value(&Value::Bv(Bits::from_int(width, n)));
    if number(t, args[1], signed) == Some(&min + &step) {
        Some(t.eq(args[0], bits(&min)))
    } else if number(t, args[0], signed) == Some(&max - &step) {
        Some(t.eq(args[1], bits(&max)))
    } else {
        None
    }
}

/// The order of bit-vectors that reads as given.
fn order(strict: bool, signed: bool) -> Op {
    match (strict, signed) {
        (true, true) => Op::BvSlt,
        (true, false) => Op::BvUlt,
        (false, true) => Op::BvSle,
        (false, false) => Op::BvUle,
    }
}

/// Two terms extended alike compare as the terms do: zero-extended ones as unsigned in either order, and sign-extended ones
/// in the order that was asked for, because sign extension keeps both orders.
fn compare_extended(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let signed = signed_order(op)?;
    let ((x, by_sign), (y, other)) = (extension(t, args[0])?, extension(t, args[1])?);
    (by_sign == other && t.sort(x) == t.sort(y)).then(|| t.apply(order(is_strict(op), by_sign && signed), &[x, y]))
}

/// An extended term against a constant: the narrow comparison, or known because every extended value is on one side.
fn compare_extended_constant(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let signed = signed_order(op)?;
    let narrow = |a: Term, k: Term| {
        let (x, by_sign) = extension(t, a)?;
        // Unsigned, the sign-extended values lie at both ends of the range.
        if by_sign && !signed {
            return None;
        }
        Some((x, by_sign, position(t, &number(t, k, signed)?, t.sort(x).width()?, by_sign)))
    };
    if let Some((x, by_sign, place)) = narrow(args[0], args[1]) {
        return Some(match place {
            Position::Below => t.ff(),
            Position::Above => t.tt(),
            Position::Within(k) => t.apply(order(is_strict(op), by_sign), &[x, k]),
        });
    }
    let (x, by_sign, place) = narrow(args[1], args[0])?;
    Some(match place {
        Position::Below => t.tt(),
        Position::Above => t.ff(),
        Position::Within(k) => t.apply(order(is_strict(op), by_sign), &[k, x]),
    })
}

/// The least and the greatest remainder modulo a constant, read as signed or as unsigned.
fn remainders(t: &Terms, a: Term, signed: bool) -> Option<(IBig, IBig)> {
    let one = IBig::from(1);
    if let Some((_, n)) = binary(t, Op::BvUrem, a) {
        let most = number(t, n, false).filter(|n| *n != IBig::ZERO)? - one;
        let (_, max) = range(t.sort(a).width()?, signed);
        return (most <= max).then_some((IBig::ZERO, most));
    }
    let (_, n) = binary(t, Op::BvSrem, a).filter(|_| signed)?;
    let n = number(t, n, true).filter(|n| *n != IBig::ZERO)?;
    let most = if n < IBig::ZERO { -n } else { n } - one;
    Some((-most.clone(), most))
}

/// What a comparison of a remainder with a constant comes to that is no remainder, or the last one.
fn compare_remainder(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let signed = match op {
        Op::Eq => orders(args).iter().any(|(a, _)| binary(t, Op::BvSrem, *a).is_some()),
        _ => signed_order(op)?,
    };
    let (always, never) = if let Some(k) = number(t, args[1], signed) {
        let (least, most) = remainders(t, args[0], signed)?;
        match op {
            Op::Eq => (false, k < least || k > most),
            _ if is_strict(op) => (k > most, k <= least),
            _ => (k >= most, k < least),
        }
    } else {
        let k = number(t, args[0], signed)?;
        let (least, most) = remainders(t, args[1], signed)?;
        match op {
            Op::Eq => (false, k < least || k > most),
            _ if is_strict(op) => (k < least, k >= most),
            _ => (k <= least, k > most),
        }
    };
    (always || never).then(|| t.bool(always))
}

fn int_order(op: Op) -> Option<Ring> {
    matches!(op, Op::IntLt | Op::IntLe).then(|| ring_of_sort(Sort::Int).expect("the integers are a ring"))
}

/// `x + j < k` is `x < k - j`; `j - x < k` is `j - k < x`; `-x < k` is `-k < x`; and with the constant on the left.
fn int_compare_constant(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = int_order(op)?;
    let on_left = is_constant(t, args[0]);
    let (a, k) = if on_left { (args[1], args[0]) } else { (args[0], args[1]) };
    if !is_constant(t, k) {
        return None;
    }
    // The rewritten pair, and whether the sides change.
    let (x, k, flip) = if let Some((x, j)) = ring.offset(t, a) {
        (x, fold(t, ring.sub, k, j)?, false)
    } else if let Some((j, x)) = ring.difference(t, a) {
        (x, fold(t, ring.sub, j, k)?, true)
    } else {
        (unary(t, ring.neg, a)?, super::fold_constants(t, ring.neg, &[k])?, true)
    };
    Some(if on_left == flip { t.apply(op, &[x, k]) } else { t.apply(op, &[k, x]) })
}

/// `x + j < y + k` is `x < y + (k - j)`.
fn int_compare_offsets(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = int_order(op)?;
    let ((x, j), (y, k)) = (ring.offset(t, args[0])?, ring.offset(t, args[1])?);
    Some(t.apply(op, &[x, t.apply(ring.add, &[y, fold(t, ring.sub, k, j)?])]))
}

/// `x < x + k` is `0 < k`; `x + k < x` is `k < 0`.
fn int_compare_self(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = int_order(op)?;
    let none = zero(t, Sort::Int);
    if let Some((x, k)) = ring.offset(t, args[1])
        && x == args[0]
    {
        return fold(t, op, none, k);
    }
    let (x, k) = ring.offset(t, args[0])?;
    if x == args[1] { fold(t, op, k, none) } else { None }
}
