//! Euclidean division and remainder of integers.

use super::arith::{is_minus_one, is_one};
use super::{Family, Rule, binary, unary};
use crate::eval::int_mod;
use crate::term::{Op, Term, Terms};
use dashu_int::IBig;

pub(super) const FAMILY: Family = Family {
    name: "integer division",
    concerns: |op| matches!(op, Op::IntDiv | Op::IntMod | Op::Eq | Op::IntLt | Op::IntLe),
    rules: &[
        Rule { name: "int-div-one", apply: div_one },
        Rule { name: "int-div-minus-one", apply: div_minus_one },
        Rule { name: "int-div-multiple", apply: div_multiple },
        Rule { name: "int-div-div", apply: div_div },
        Rule { name: "int-mod-one", apply: mod_one },
        Rule { name: "int-mod-mod", apply: mod_mod },
        Rule { name: "int-mod-multiple", apply: mod_multiple },
        Rule { name: "int-mod-absorb", apply: mod_absorb },
        Rule { name: "int-mod-bounds", apply: mod_bounds },
    ],
};

fn int_of(t: &Terms, a: Term) -> Option<IBig> {
    match t.node(a).op {
        Op::Int(i) => Some(t.int_value(i)),
        _ => None,
    }
}

/// A constant divisor, as its absolute value: the remainder does not depend on the sign. Never zero.
fn modulus(t: &Terms, a: Term) -> Option<IBig> {
    let n = int_of(t, a).filter(|n| *n != IBig::ZERO)?;
    Some(if n < IBig::ZERO { -n } else { n })
}

fn divides(n: &IBig, m: &IBig) -> bool {
    int_mod(m, n) == IBig::ZERO
}

fn div_one(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    (op == Op::IntDiv && is_one(t, args[1])).then_some(args[0])
}

fn div_minus_one(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    (op == Op::IntDiv && is_minus_one(t, args[1])).then(|| t.apply(Op::IntNeg, &args[..1]))
}

/// `(x * k) div n` is `x * (k / n)` where `n` divides `k`.
fn div_multiple(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::IntDiv {
        return None;
    }
    let n = int_of(t, args[1]).filter(|n| *n != IBig::ZERO)?;
    let (x, k) = binary(t, Op::IntMul, args[0])?;
    let k = int_of(t, k).filter(|k| divides(&n, k))?;
    Some(t.apply(Op::IntMul, &[x, t.int(k / n)]))
}

/// `(x div m) div n` is `x div (m * n)` for positive divisors, where the quotient is the floor.
fn div_div(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::IntDiv {
        return None;
    }
    let positive = |a: Term| int_of(t, a).filter(|n| *n > IBig::ZERO);
    let (x, m) = binary(t, Op::IntDiv, args[0])?;
    Some(t.apply(Op::IntDiv, &[x, t.int(positive(m)? * positive(args[1])?)]))
}

fn mod_one(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    (op == Op::IntMod && (is_one(t, args[1]) || is_minus_one(t, args[1]))).then(|| t.int(0))
}

/// `(x mod m) mod n` is `x mod n` where `n` divides `m`, and `x mod m` where `n` is at least `m`.
fn mod_mod(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::IntMod {
        return None;
    }
    let n = modulus(t, args[1])?;
    let (x, m) = binary(t, Op::IntMod, args[0])?;
    let m = modulus(t, m)?;
    if divides(&n, &m) { Some(t.apply(Op::IntMod, &[x, args[1]])) } else { (m <= n).then_some(args[0]) }
}

/// `(x * k) mod n` is zero where `n` divides `k`.
fn mod_multiple(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::IntMod {
        return None;
    }
    let n = modulus(t, args[1])?;
    let (_, k) = binary(t, Op::IntMul, args[0])?;
    divides(&n, &int_of(t, k)?).then(|| t.int(0))
}

/// `((x mod m) + y) mod n` is `(x + y) mod n` where `n` divides `m`: one reduction, at the end, is enough. So for
/// differences, products and negation.
fn mod_absorb(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::IntMod {
        return None;
    }
    let n = modulus(t, args[1])?;
    let reduced = |a: Term| {
        let (x, m) = binary(t, Op::IntMod, a)?;
        divides(&n, &modulus(t, m)?).then_some(x)
    };
    let node = t.node(args[0]);
    let inner = match node.op {
        Op::IntAdd | Op::IntSub | Op::IntMul => {
            let (a, b) = (node.args()[0], node.args()[1]);
            match (reduced(a), reduced(b)) {
                (None, None) => return None,
                (x, y) => t.apply(node.op, &[x.unwrap_or(a), y.unwrap_or(b)]),
            }
        }
        Op::IntNeg => t.apply(Op::IntNeg, &[reduced(unary(t, Op::IntNeg, args[0])?)?]),
        _ => return None,
    };
    Some(t.apply(Op::IntMod, &[inner, args[1]]))
}

/// A remainder modulo `n` lies between 0 and `n - 1`: what comparisons with constants outside come to.
fn mod_bounds(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if !matches!(op, Op::Eq | Op::IntLt | Op::IntLe) {
        return None;
    }
    let remainder = |a: Term| modulus(t, binary(t, Op::IntMod, a)?.1);
    let zero = IBig::ZERO;
    if let (Some(n), Some(k)) = (remainder(args[0]), int_of(t, args[1])) {
        let (always, never) = match op {
            Op::Eq => (false, k < zero || k >= n),
            Op::IntLt => (k >= n, k <= zero),
            Op::IntLe => (k >= n - IBig::from(1), k < zero),
            _ => return None,
        };
        return (always || never).then(|| t.bool(always));
    }
    let (k, n) = (int_of(t, args[0])?, remainder(args[1])?);
    let (always, never) = match op {
        Op::IntLt => (k < zero, k >= n - IBig::from(1)),
        Op::IntLe => (k <= zero, k >= n),
        _ => return None,
    };
    (always || never).then(|| t.bool(always))
}
