//! Sums and products: what holds in every commutative ring, for bit-vectors and for integers.

use super::{Family, Rule, binary, fold, fold_constants, is_constant, orders, unary};
use crate::sort::Sort;
use crate::term::{Op, Term, Terms};
use crate::value::{Bits, Value};
use dashu_int::IBig;

pub(super) const FAMILY: Family = Family {
    name: "ring",
    concerns: |op| ring_of(op).is_some(),
    rules: &[
        Rule { name: "add-zero", apply: add_zero },
        Rule { name: "add-constants", apply: add_constants },
        Rule { name: "add-negated", apply: add_negated },
        Rule { name: "add-cancel", apply: add_cancel },
        Rule { name: "sub-constant", apply: sub_constant },
        Rule { name: "sub-same", apply: sub_same },
        Rule { name: "sub-from-zero", apply: sub_from_zero },
        Rule { name: "sub-negated", apply: sub_negated },
        Rule { name: "sub-from-constant", apply: sub_from_constant },
        Rule { name: "sub-cancel", apply: sub_cancel },
        Rule { name: "neg-neg", apply: neg_neg },
        Rule { name: "neg-sub", apply: neg_sub },
        Rule { name: "neg-constant", apply: neg_constant },
        Rule { name: "mul-zero", apply: mul_zero },
        Rule { name: "mul-one", apply: mul_one },
        Rule { name: "mul-minus-one", apply: mul_minus_one },
        Rule { name: "mul-constants", apply: mul_constants },
        Rule { name: "mul-negated", apply: mul_negated },
    ],
};

/// The operations of a ring.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    pub add: Op,
    pub sub: Op,
    pub neg: Op,
    pub mul: Op,
}

const BIT_VECTORS: Ring = Ring { add: Op::BvAdd, sub: Op::BvSub, neg: Op::BvNeg, mul: Op::BvMul };
const INTEGERS: Ring = Ring { add: Op::IntAdd, sub: Op::IntSub, neg: Op::IntNeg, mul: Op::IntMul };

fn ring_of(op: Op) -> Option<Ring> {
    match op {
        Op::BvAdd | Op::BvSub | Op::BvNeg | Op::BvMul => Some(BIT_VECTORS),
        Op::IntAdd | Op::IntSub | Op::IntNeg | Op::IntMul => Some(INTEGERS),
        _ => None,
    }
}

/// The ring of a sort's values.
pub(super) fn ring_of_sort(sort: Sort) -> Option<Ring> {
    match sort {
        Sort::BitVec(_) => Some(BIT_VECTORS),
        Sort::Int => Some(INTEGERS),
        Sort::Bool | Sort::Array(..) => None,
    }
}

impl Ring {
    /// `x` and `k` of `x + k`.
    pub fn offset(self, t: &Terms, a: Term) -> Option<(Term, Term)> {
        binary(t, self.add, a).filter(|&(_, k)| is_constant(t, k))
    }
    /// `k` and `x` of `k - x`.
    pub fn difference(self, t: &Terms, a: Term) -> Option<(Term, Term)> {
        binary(t, self.sub, a).filter(|&(k, _)| is_constant(t, k))
    }
}

/// The constant zero of a sort.
pub(super) fn zero(t: &Terms, sort: Sort) -> Term {
    t.value(&Value::zero(sort))
}

/// Whether a term is the constant `n`, for a bit-vector modulo its width.
fn is_number(t: &Terms, a: Term, n: i8) -> bool {
    match t.constant_value(a) {
        Some(Value::Bv(b)) => b == Bits::from_signed(b.width(), n.into()),
        Some(Value::Int(i)) => i == IBig::from(n),
        _ => false,
    }
}

/// Whether a term is the constant zero.
pub(super) fn is_zero(t: &Terms, a: Term) -> bool {
    is_number(t, a, 0)
}

/// Whether a term is the constant one.
pub(super) fn is_one(t: &Terms, a: Term) -> bool {
    is_number(t, a, 1)
}

/// Whether a term is the constant minus one: all ones, for a bit-vector.
pub(super) fn is_minus_one(t: &Terms, a: Term) -> bool {
    is_number(t, a, -1)
}

fn sum(op: Op) -> Option<Ring> {
    ring_of(op).filter(|r| r.add == op)
}

fn difference(op: Op) -> Option<Ring> {
    ring_of(op).filter(|r| r.sub == op)
}

fn product(op: Op) -> Option<Ring> {
    ring_of(op).filter(|r| r.mul == op)
}

fn add_zero(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    sum(op)?;
    orders(args).into_iter().find_map(|(a, b)| is_zero(t, b).then_some(a))
}

/// `(x + j) + k` is `x + (j + k)`; `(j - x) + k` is `(j + k) - x`.
fn add_constants(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = sum(op)?;
    let k = args[1];
    if !is_constant(t, k) {
        return None;
    }
    if let Some((x, j)) = ring.offset(t, args[0]) {
        return Some(t.apply(ring.add, &[x, fold(t, ring.add, j, k)?]));
    }
    let (j, x) = ring.difference(t, args[0])?;
    Some(t.apply(ring.sub, &[fold(t, ring.add, j, k)?, x]))
}

/// `x + -y` is `x - y`.
fn add_negated(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = sum(op)?;
    orders(args).into_iter().find_map(|(a, b)| Some(t.apply(ring.sub, &[a, unary(t, ring.neg, b)?])))
}

/// `(x - y) + y` is `x`.
fn add_cancel(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = sum(op)?;
    orders(args).into_iter().find_map(|(a, b)| {
        let (x, y) = binary(t, ring.sub, a)?;
        (y == b).then_some(x)
    })
}

/// `x - k` is `x + -k`, so that constants gather in one kind of term.
fn sub_constant(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = difference(op)?;
    Some(t.apply(ring.add, &[args[0], fold_constants(t, ring.neg, &args[1..])?]))
}

fn sub_same(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    difference(op)?;
    (args[0] == args[1]).then(|| zero(t, t.sort(args[0])))
}

fn sub_from_zero(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = difference(op)?;
    is_zero(t, args[0]).then(|| t.apply(ring.neg, &args[1..]))
}

/// `x - -y` is `x + y`.
fn sub_negated(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = difference(op)?;
    Some(t.apply(ring.add, &[args[0], unary(t, ring.neg, args[1])?]))
}

/// `j - (x + k)` is `(j - k) - x`; `j - (k - x)` is `x + (j - k)`.
fn sub_from_constant(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = difference(op)?;
    let j = args[0];
    if !is_constant(t, j) {
        return None;
    }
    if let Some((x, k)) = ring.offset(t, args[1]) {
        return Some(t.apply(ring.sub, &[fold(t, ring.sub, j, k)?, x]));
    }
    let (k, x) = ring.difference(t, args[1])?;
    Some(t.apply(ring.add, &[x, fold(t, ring.sub, j, k)?]))
}

/// Differences in which a term stands twice: `(x + y) - y`, `x - (x - y)`, `x - (x + y)`, `(x - y) - x`.
fn sub_cancel(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = difference(op)?;
    let (a, b) = (args[0], args[1]);
    let other = |pair: Option<(Term, Term)>, out: Term| {
        pair.and_then(|(x, y)| if x == out { Some(y) } else { (y == out).then_some(x) })
    };
    if let Some(rest) = other(binary(t, ring.add, a), b) {
        return Some(rest);
    }
    if let Some(rest) = other(binary(t, ring.add, b), a) {
        return Some(t.apply(ring.neg, &[rest]));
    }
    if let Some((x, y)) = binary(t, ring.sub, b)
        && x == a
    {
        return Some(y);
    }
    let (x, y) = binary(t, ring.sub, a)?;
    (x == b).then(|| t.apply(ring.neg, &[y]))
}

fn neg_neg(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = ring_of(op).filter(|r| r.neg == op)?;
    unary(t, ring.neg, args[0])
}

/// `-(x - y)` is `y - x`.
fn neg_sub(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = ring_of(op).filter(|r| r.neg == op)?;
    let (x, y) = binary(t, ring.sub, args[0])?;
    Some(t.apply(ring.sub, &[y, x]))
}

/// `-(x + k)` is `-k - x`; `-(x * k)` is `x * -k`.
fn neg_constant(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = ring_of(op).filter(|r| r.neg == op)?;
    if let Some((x, k)) = ring.offset(t, args[0]) {
        return Some(t.apply(ring.sub, &[fold_constants(t, ring.neg, &[k])?, x]));
    }
    let (x, k) = binary(t, ring.mul, args[0])?;
    Some(t.apply(ring.mul, &[x, fold_constants(t, ring.neg, &[k])?]))
}

fn mul_zero(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    product(op)?;
    args.iter().copied().find(|&a| is_zero(t, a))
}

fn mul_one(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    product(op)?;
    orders(args).into_iter().find_map(|(a, b)| is_one(t, b).then_some(a))
}

fn mul_minus_one(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = product(op)?;
    orders(args).into_iter().find_map(|(a, b)| is_minus_one(t, b).then(|| t.apply(ring.neg, &[a])))
}

/// `(x * j) * k` is `x * (j * k)`.
fn mul_constants(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = product(op)?;
    let (x, j) = binary(t, ring.mul, args[0])?;
    Some(t.apply(ring.mul, &[x, fold(t, ring.mul, j, args[1])?]))
}

/// `-x * k` is `x * -k`; `-x * -y` is `x * y`.
fn mul_negated(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let ring = product(op)?;
    let x = unary(t, ring.neg, args[0])?;
    if let Some(y) = unary(t, ring.neg, args[1]) {
        return Some(t.apply(ring.mul, &[x, y]));
    }
    Some(t.apply(ring.mul, &[x, fold_constants(t, ring.neg, &args[1..])?]))
}
