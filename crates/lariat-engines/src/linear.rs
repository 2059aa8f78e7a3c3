//! Linear readings of terms, and the search for a linear function that falls.
//!
//! Readings are guesses. A bit-vector is read as a signed or as an unsigned number and its arithmetic as if it never
//! wrapped; a part that is not linear becomes a column of its own, without constraints. Whatever is found this way is
//! tested with the real meaning before it is claimed.

use dashu_int::IBig;
use lariat_ir::{Op, Sort, Term, Terms, Value};
use std::collections::BTreeMap;

/// How bit-vectors are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    Signed,
    Unsigned,
}

/// A sum of columns with coefficients, and a constant. A column is a term that is not looked into.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Linear {
    pub columns: BTreeMap<Term, IBig>,
    pub constant: IBig,
}

impl Linear {
    fn constant(c: IBig) -> Self {
        Self { columns: BTreeMap::new(), constant: c }
    }
    fn column(t: Term) -> Self {
        Self { columns: BTreeMap::from([(t, IBig::from(1))]), constant: IBig::ZERO }
    }
    /// This and `factor` times the other.
    pub fn plus(mut self, factor: &IBig, other: &Self) -> Self {
        self.constant += factor * &other.constant;
        for (t, c) in &other.columns {
            let sum = self.columns.entry(*t).or_insert(IBig::ZERO);
            *sum += factor * c;
            if *sum == IBig::ZERO {
                self.columns.remove(t);
            }
        }
        self
    }
    fn times(&self, factor: &IBig) -> Self {
        Self::default().plus(factor, self)
    }
}

/// The linear reading of an integer or bit-vector term.
pub(crate) fn linear(terms: &Terms, t: Term, reading: Reading) -> Linear {
    let mut done: BTreeMap<Term, Linear> = BTreeMap::new();
    for u in terms.reachable(&[t]) {
        let node = terms.node(u);
        if !matches!(node.sort, Sort::Int | Sort::BitVec(_)) {
            continue;
        }
        let args = node.args();
        let get = |i: usize| done.get(&args[i]).cloned();
        // Adding 255 to 8 bits is taking one away: of the numbers that an added constant can mean, the nearest to zero.
        let addend = |i: usize| match terms.node(args[i]).op {
            Op::Bv(_) => Some(Linear::constant(number(terms, args[i], Reading::Signed))),
            _ => get(i),
        };
        let one = IBig::from(1);
        let value = match node.op {
            Op::Int(_) | Op::Bv(_) => Some(Linear::constant(number(terms, u, reading))),
            Op::IntAdd | Op::BvAdd => addend(0).zip(addend(1)).map(|(a, b)| a.plus(&one, &b)),
            Op::IntSub | Op::BvSub => get(0).zip(addend(1)).map(|(a, b)| a.plus(&-one, &b)),
            Op::IntNeg | Op::BvNeg => get(0).map(|a| a.times(&-one)),
            Op::IntMul | Op::BvMul => get(0).zip(get(1)).and_then(|(a, b)| {
                if a.columns.is_empty() {
                    Some(b.times(&a.constant))
                } else if b.columns.is_empty() {
                    Some(a.times(&b.constant))
                } else {
                    None
                }
            }),
            Op::ZeroExtend(_) if reading == Reading::Unsigned => get(0),
            Op::SignExtend(_) if reading == Reading::Signed => get(0),
            _ => None,
        };
        done.insert(u, value.unwrap_or_else(|| Linear::column(u)));
    }
    done.remove(&t).expect("the term is an integer or a bit-vector")
}

fn number(terms: &Terms, t: Term, reading: Reading) -> IBig {
    match terms.constant_value(t).expect("a constant has a value") {
        Value::Int(i) => i,
        Value::Bv(b) => match reading {
            Reading::Signed => IBig::from(b.signed()),
            Reading::Unsigned => IBig::from(b.unsigned()),
        },
        other => unreachable!("{other} is no number"),
    }
}

/// The conjuncts of a condition that have a linear reading, each as a form that is at most zero.
pub(crate) fn constraints(terms: &Terms, condition: Term, reading: Reading) -> Vec<Linear> {
    let mut out = Vec::new();
    let one = IBig::from(1);
    for c in terms.conjuncts(condition) {
        let mut node = terms.node(c);
        let mut positive = true;
        while node.op == Op::Not {
            node = terms.node(node.args()[0]);
            positive = !positive;
        }
        let reads = match node.op {
            Op::BvSlt | Op::BvSle => reading == Reading::Signed,
            Op::BvUlt | Op::BvUle => reading == Reading::Unsigned,
            Op::IntLt | Op::IntLe => true,
            Op::Eq => positive && matches!(terms.sort(node.args()[0]), Sort::Int | Sort::BitVec(_)),
            _ => false,
        };
        if !reads {
            continue;
        }
        let (a, b) = (linear(terms, node.args()[0], reading), linear(terms, node.args()[1], reading));
        let strict = matches!(node.op, Op::BvSlt | Op::BvUlt | Op::IntLt);
        let at_most = |a: &Linear, b: &Linear, strict: bool| {
            let mut d = a.clone().plus(&-one.clone(), b);
            if strict {
                d.constant += &one;
            }
            d
        };
        if node.op == Op::Eq {
            out.push(at_most(&a, &b, false));
            out.push(at_most(&b, &a, false));
        } else if positive {
            out.push(at_most(&a, &b, strict));
        } else {
            out.push(at_most(&b, &a, !strict));
        }
    }
    out
}
