//! Functions as measures: over the integers as they are, over bit-vectors in a width in which they cannot wrap.

use super::encode::Encoder;
use super::model::Node;
use super::synth::{Bound, Function, Level};
use crate::linear::Reading;
use crate::lp::Rational;
use dashu_int::IBig;
use dashu_int::ops::Abs;
use lariat_ir::simplify::simplify;
use lariat_ir::{Bits, LocId, MAX_WIDTH, Measure, Op, Order, Sort, Term, TransitionSystem, Value};
use std::collections::BTreeMap;

/// The tuple at each cutpoint; nothing if a function needs more bits than there are.
///
/// Where a cutpoint has several cells, each component is the function of the cell that the state is in. Where the functions
/// were asked to be at least zero before they fall, those over bit-vectors are cut off at zero, one higher: so the measure itself
/// shows how often it can fall.
pub(crate) fn measures(
    encoder: &Encoder<'_>,
    dimensions: &[Term],
    nodes: &[&Node],
    levels: &[Level],
    bound: Bound,
) -> Option<BTreeMap<LocId, Vec<Measure>>> {
    let ts = encoder.ts;
    let mut all: BTreeMap<LocId, Vec<Measure>> = nodes.iter().map(|n| (n.at, Vec::new())).collect();
    for level in levels {
        let width = width(ts, dimensions, level)?;
        let level = &raised(ts, dimensions, level);
        for (l, tuple) in &mut all {
            let here: Vec<(&Node, &Function)> = nodes.iter().copied().zip(level).filter(|(n, _)| n.at == *l).collect();
            let mut whole: Option<Term> = None;
            for (node, f) in here.into_iter().rev() {
                let term = match width {
                    None => integer(ts, dimensions, f),
                    Some(w) => bits(ts, encoder, dimensions, f, w),
                };
                whole = Some(match whole {
                    None => term,
                    Some(other) if other == term => term,
                    Some(other) => {
                        let linear = node.cell.iter().map(|c| holds(encoder, dimensions, c));
                        let inside = node.inside.iter().map(|c| Some(*c)).chain(linear);
                        ts.terms.ite(ts.terms.all(inside.collect::<Option<Vec<_>>>()?), term, other)
                    }
                });
            }
            let whole = simplify(&ts.terms, whole?);
            tuple.push(match (width, bound) {
                (None, _) => Measure { order: Order::Int, term: whole },
                (Some(_), Bound::Free) => Measure { order: Order::Signed, term: whole },
                (Some(w), Bound::Asked) => Measure { order: Order::Unsigned, term: cut_off(ts, whole, w) },
            });
        }
    }
    // A loop without steps ends whatever is measured.
    if levels.is_empty() {
        for tuple in all.values_mut() {
            tuple.push(Measure { order: Order::Int, term: ts.terms.int(0) });
        }
    }
    Some(all)
}

/// A level of truth values alone, raised to where it is never below zero: no bound may have been asked for.
fn raised(ts: &TransitionSystem, dimensions: &[Term], level: &[Function]) -> Level {
    let mut lowest = Rational::ZERO;
    for f in level {
        let mut least = f.constant.clone();
        for (d, w) in dimensions.iter().zip(&f.weights).filter(|(_, w)| !w.is_zero()) {
            if ts.terms.sort(*d) != Sort::Bool {
                return level.to_vec();
            }
            least = least.plus(&w.clone().min(Rational::ZERO));
        }
        lowest = lowest.min(least);
    }
    let raise = |f: &Function| Function { weights: f.weights.clone(), constant: f.constant.minus(&lowest) };
    level.iter().map(raise).collect()
}

/// One more than a term, zero where it is below zero. There is room: the width leaves one to add. It is left in this form,
/// in which readers know it again.
fn cut_off(ts: &TransitionSystem, term: Term, width: u32) -> Term {
    let t = &ts.terms;
    let (zero, one) = (t.bv(width, 0), t.bv(width, 1));
    t.ite(t.apply(Op::BvSle, &[zero, term]), simplify(t, t.apply(Op::BvAdd, &[term, one])), zero)
}

/// That a function is at least zero, as a term.
fn holds(encoder: &Encoder<'_>, dimensions: &[Term], f: &Function) -> Option<Term> {
    let t = &encoder.ts.terms;
    let m = single(encoder.ts, encoder, dimensions, f)?;
    let zero = t.value(&Value::zero(t.sort(m.term)));
    let op = if t.sort(m.term) == Sort::Int { Op::IntLe } else { Op::BvSle };
    Some(simplify(t, t.apply(op, &[zero, m.term])))
}

/// One function by itself.
pub(crate) fn single(
    ts: &TransitionSystem,
    encoder: &Encoder<'_>,
    dimensions: &[Term],
    f: &Function,
) -> Option<Measure> {
    let level = [f.clone()];
    Some(match width(ts, dimensions, &level)? {
        None => Measure { order: Order::Int, term: simplify(&ts.terms, integer(ts, dimensions, f)) },
        Some(w) => Measure { order: Order::Signed, term: simplify(&ts.terms, bits(ts, encoder, dimensions, f, w)) },
    })
}

/// The width that a level needs: none if no bit-vector occurs in it; outer nothing if it is too great.
#[expect(clippy::option_option, reason = "the inner one is part of the answer")]
fn width(ts: &TransitionSystem, dimensions: &[Term], level: &[Function]) -> Option<Option<u32>> {
    let mut greatest = IBig::ZERO;
    let mut any = false;
    for f in level {
        let mut bound = f.constant.numerator().abs() + 1;
        for (d, w) in dimensions.iter().zip(&f.weights) {
            if w.is_zero() {
                continue;
            }
            let bits = match ts.terms.sort(*d) {
                Sort::BitVec(bits) => {
                    any = true;
                    bits
                }
                Sort::Bool => 1,
                _ => continue,
            };
            bound += w.numerator().abs() << bits as usize;
        }
        greatest = greatest.max(bound);
    }
    if !any {
        return Some(None);
    }
    let width = (1..=MAX_WIDTH).find(|w| IBig::ONE << (*w as usize - 1) > greatest)?;
    Some(Some(width))
}

fn integer(ts: &TransitionSystem, dimensions: &[Term], f: &Function) -> Term {
    let t = &ts.terms;
    let mut sum = t.int(f.constant.numerator());
    for (d, w) in dimensions.iter().zip(&f.weights) {
        if w.is_zero() {
            continue;
        }
        let weight = t.int(w.numerator());
        let part = match t.sort(*d) {
            Sort::Bool => t.ite(*d, weight, t.int(0)),
            _ => t.apply(Op::IntMul, &[weight, *d]),
        };
        sum = t.apply(Op::IntAdd, &[part, sum]);
    }
    sum
}

fn bits(ts: &TransitionSystem, encoder: &Encoder<'_>, dimensions: &[Term], f: &Function, width: u32) -> Term {
    let t = &ts.terms;
    let constant = |i: &IBig| t.value(&Value::Bv(Bits::from_int(width, i)));
    let mut sum = constant(&f.constant.numerator());
    for (d, w) in dimensions.iter().zip(&f.weights) {
        if w.is_zero() {
            continue;
        }
        let weight = constant(&w.numerator());
        let part = match t.sort(*d) {
            Sort::Bool => t.ite(*d, weight, constant(&IBig::ZERO)),
            sort => {
                let by = width - sort.width().expect("the rest are bit-vectors");
                let extended = match encoder.reading(*d) {
                    Reading::Signed => t.apply(Op::SignExtend(by), &[*d]),
                    Reading::Unsigned => t.apply(Op::ZeroExtend(by), &[*d]),
                };
                t.apply(Op::BvMul, &[weight, extended])
            }
        };
        sum = t.apply(Op::BvAdd, &[part, sum]);
    }
    sum
}
