//! What abstract states say, as terms.
//!
//! Each term is true of exactly the states that the part of the abstract state holds: linear constraints over bit-vectors are
//! written in a width in which nothing overflows.

use crate::integer::{abs, bit_length};
use crate::interval::Interval;
use crate::linear::{Constraint, Linear};
use crate::number::Number;
use crate::product::Product;
use crate::relation::Relation;
use crate::space::{Dimension, Space};
use crate::value::{AbsValue, Shared, Truth};
use crate::word::{Reading, Word};
use dashu_int::IBig;
use lariat_ir::{Bits, MAX_WIDTH, Op, Sort, Term, Value, VarId};

/// The longest coefficient that is said: longer ones are accidents of the arithmetic, and cost a solver much.
const LONGEST_COEFFICIENT: u32 = 24;

/// The parts of what an abstract state says; `false` alone where there is no state.
pub(crate) fn conjuncts<R: Relation>(space: &Space<'_>, state: &Product<R>) -> Vec<Term> {
    let Some(live) = &state.live else { return vec![space.ts.terms.ff()] };
    let mut out = Vec::new();
    for (v, value) in space.ts.vars.ids().zip(&live.boxes) {
        out.extend(of_variable(space, v, value));
    }
    let told: Vec<Constraint> = state.constraints(space).into_iter().filter(|c| !state.boxes_imply(space, c)).collect();
    out.extend(of_constraints(space, &told));
    out
}

/// Constraints as terms; two that are an equation become one.
pub(crate) fn of_constraints(space: &Space<'_>, all: &[Constraint]) -> Vec<Term> {
    let mut out = Vec::new();
    for (n, c) in all.iter().enumerate() {
        let reverse = c.reversed();
        if all[..n].contains(&reverse) {
            continue;
        }
        if all[n..].contains(&reverse) {
            let first_is_left = c.linear.terms().first().is_some_and(|(_, a)| *a > IBig::ZERO);
            out.extend(compare(space, if first_is_left { c } else { &reverse }, Comparison::Equal));
        } else {
            out.extend(compare(space, c, Comparison::AtMost));
        }
    }
    out
}

/// One constraint as a term, if it can be said.
pub(crate) fn of_constraint(space: &Space<'_>, c: &Constraint) -> Option<Term> {
    compare(space, c, Comparison::AtMost)
}

/// Whether a term expresses a constraint.
pub(crate) fn is_expressible(space: &Space<'_>, c: &Constraint) -> bool {
    let short = c.linear.terms().iter().all(|(_, a)| bit_length(a) <= LONGEST_COEFFICIENT);
    short && (is_over_integers(space, &c.linear) || width_for(space, c).is_some())
}

/// Whether a constraint says something worth saying beside what is known of single variables: one with a long bound that cuts off less than a
/// thousandth of what those leave is an accident of the ranges of types.
pub(crate) fn is_informative(space: &Space<'_>, c: &Constraint, boxes: &[Shared]) -> bool {
    if bit_length(&c.bound) <= 16 || c.linear.terms().len() < 2 {
        return true;
    }
    let range = c.linear.interval(|d| space.interval(d, boxes));
    range.ends().is_none_or(|(lo, hi)| (hi - &c.bound) * IBig::from(1000) >= hi - lo)
}

/// What is known of one variable.
pub(crate) fn of_variable(space: &Space<'_>, v: VarId, value: &AbsValue) -> Vec<Term> {
    let (t, x) = (&space.ts.terms, space.ts.vars[v].term);
    match value {
        AbsValue::Bool(Truth::Yes) => vec![x],
        AbsValue::Bool(Truth::No) => vec![t.not(x)],
        AbsValue::Int(n) => of_number(space, x, n),
        AbsValue::Bv(w) => of_word(space, x, w),
        AbsValue::Bool(Truth::Either) | AbsValue::Other => Vec::new(),
    }
}

fn of_number(space: &Space<'_>, x: Term, n: &Number) -> Vec<Term> {
    let t = &space.ts.terms;
    if let Some(c) = n.as_constant() {
        return vec![t.eq(x, t.int(c.clone()))];
    }
    let mut out = Vec::new();
    if let Some(l) = n.interval().lo() {
        out.push(t.apply(Op::IntLe, &[t.int(l.clone()), x]));
    }
    if let Some(h) = n.interval().hi() {
        out.push(t.apply(Op::IntLe, &[x, t.int(h.clone())]));
    }
    if !n.class().is_top() {
        let rest = t.apply(Op::IntMod, &[x, t.int(n.class().modulus().clone())]);
        out.push(t.eq(rest, t.int(n.class().rest().clone())));
    }
    out
}

fn of_word(space: &Space<'_>, x: Term, w: &Word) -> Vec<Term> {
    let t = &space.ts.terms;
    let width = w.width();
    if let Some(c) = w.as_constant() {
        return vec![t.eq(x, t.value(&Value::Bv(c)))];
    }
    let word = |i: &IBig| t.value(&Value::Bv(Bits::from_int(width, i)));
    let mut out = Vec::new();
    // One reading is enough where the other follows.
    let follows =
        |unsigned: &Interval, signed: &Interval| Word::new(width, unsigned, signed, w.class()).is_some_and(|v| v == *w);
    let full = |r: Reading| r.range(width);
    let (u, s) = (w.interval(Reading::Unsigned), w.interval(Reading::Signed));
    let told: &[Reading] = if follows(u, &full(Reading::Signed)) {
        &[Reading::Unsigned]
    } else if follows(&full(Reading::Unsigned), s) {
        &[Reading::Signed]
    } else {
        &Reading::BOTH
    };
    for &r in told {
        let at_most = if r == Reading::Unsigned { Op::BvUle } else { Op::BvSle };
        let (range, own) = (full(r), w.interval(r));
        if let Some(l) = own.lo().filter(|l| range.lo() != Some(*l)) {
            out.push(t.apply(at_most, &[word(l), x]));
        }
        if let Some(h) = own.hi().filter(|h| range.hi() != Some(*h)) {
            out.push(t.apply(at_most, &[x, word(h)]));
        }
    }
    let (modulus, rest) = (w.class().modulus(), w.class().rest());
    if !w.class().is_top() {
        let exponent = crate::integer::trailing_zeros(modulus);
        if *modulus == crate::integer::power(exponent) && exponent < width {
            let low = t.apply(Op::Extract { hi: exponent - 1, lo: 0 }, &[x]);
            out.push(t.eq(low, t.value(&Value::Bv(Bits::from_int(exponent, rest)))));
        } else if bit_length(modulus) <= width {
            out.push(t.eq(t.apply(Op::BvUrem, &[x, word(modulus)]), word(rest)));
        } else {
            // A modulus beyond the width leaves one word.
            out.push(t.eq(x, word(rest)));
        }
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    AtMost,
    Equal,
}

fn is_over_integers(space: &Space<'_>, l: &Linear) -> bool {
    l.terms().iter().all(|(d, _)| space.dims[*d].view.is_none())
}

/// A width in which neither side of a constraint over bit-vectors overflows, read as signed.
fn width_for(space: &Space<'_>, c: &Constraint) -> Option<u32> {
    // Each side has the bound at most, and magnitudes below 2^width for each coefficient.
    let (mut left, mut right) = (abs(&c.bound), abs(&c.bound));
    for (d, a) in c.linear.terms() {
        space.dims[*d].view?;
        let w = space.ts.vars[space.dims[*d].var].sort.width()?;
        *(if *a > IBig::ZERO { &mut left } else { &mut right }) += abs(a) << w as usize;
    }
    Some(bit_length(&left.max(right)) + 1).filter(|w| *w <= MAX_WIDTH)
}

fn compare(space: &Space<'_>, c: &Constraint, comparison: Comparison) -> Option<Term> {
    let t = &space.ts.terms;
    if let Some(simple) = direct(space, c, comparison) {
        return Some(simple);
    }
    let integers = is_over_integers(space, &c.linear);
    let (sort, at_most) =
        if integers { (Sort::Int, Op::IntLe) } else { (Sort::BitVec(width_for(space, c)?), Op::BvSle) };
    let number = |i: &IBig| match sort {
        Sort::BitVec(w) => t.value(&Value::Bv(Bits::from_int(w, i))),
        _ => t.int(i.clone()),
    };
    let (add, mul) = if integers { (Op::IntAdd, Op::IntMul) } else { (Op::BvAdd, Op::BvMul) };
    // Negative coefficients and a negative bound change sides, so that both sides are sums.
    let side = |positive: bool| {
        let own = c.linear.terms().iter().filter(|(_, a)| (*a > IBig::ZERO) == positive);
        let mut parts: Vec<Term> = own
            .map(|(d, a)| {
                let x = dimension(space, space.dims[*d], sort);
                let k = abs(a);
                if k.is_one() { x } else { t.apply(mul, &[number(&k), x]) }
            })
            .collect();
        let counts = if positive { c.bound < IBig::ZERO } else { c.bound > IBig::ZERO };
        if counts {
            parts.push(number(&abs(&c.bound)));
        }
        parts.into_iter().reduce(|a, b| t.apply(add, &[a, b])).unwrap_or_else(|| number(&IBig::ZERO))
    };
    let (left, right) = (side(true), side(false));
    Some(if comparison == Comparison::Equal { t.eq(left, right) } else { t.apply(at_most, &[left, right]) })
}

/// `x <= y`, `x < y` and `x == y` of bit-vectors of one width in one reading need no wider words.
fn direct(space: &Space<'_>, c: &Constraint, comparison: Comparison) -> Option<Term> {
    let [(d, a), (e, b)] = c.linear.terms() else { return None };
    let (x, y) = (space.dims[*d], space.dims[*e]);
    let reading = x.view?;
    let sort = |d: Dimension| space.ts.vars[d.var].sort;
    if y.view != x.view || sort(x) != sort(y) || abs(a) != IBig::from(1) || *b != -a {
        return None;
    }
    let (low, high) = if *a > IBig::ZERO { (x, y) } else { (y, x) };
    let (low, high) = (space.ts.vars[low.var].term, space.ts.vars[high.var].term);
    let t = &space.ts.terms;
    let op = match (comparison, i32::try_from(c.bound.clone()).ok()?, reading) {
        (Comparison::Equal, 0, _) => Op::Eq,
        (Comparison::AtMost, 0, Reading::Unsigned) => Op::BvUle,
        (Comparison::AtMost, 0, Reading::Signed) => Op::BvSle,
        (Comparison::AtMost, -1, Reading::Unsigned) => Op::BvUlt,
        (Comparison::AtMost, -1, Reading::Signed) => Op::BvSlt,
        _ => return None,
    };
    Some(t.apply(op, &[low, high]))
}

/// A dimension as a term of a sort.
fn dimension(space: &Space<'_>, d: Dimension, sort: Sort) -> Term {
    let t = &space.ts.terms;
    let x = space.ts.vars[d.var].term;
    match (d.view, sort) {
        (Some(r), Sort::BitVec(to)) => {
            let own = space.ts.vars[d.var].sort.width().expect("a reading is that of a bit-vector");
            let by = to - own;
            t.apply(if r == Reading::Unsigned { Op::ZeroExtend(by) } else { Op::SignExtend(by) }, &[x])
        }
        _ => x,
    }
}
