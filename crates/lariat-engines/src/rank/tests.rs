use super::encode::Encoder;
use super::paths::{Detail, Region, steps};
use super::relation::{Constraint, Relation, restrict};
use crate::linear::Reading;
use crate::lp::{Clock, Outcome, Rational};
use dashu_int::IBig;
use lariat_ir::random::Random;
use lariat_ir::{Integers, LocId, Op, Sort, Term, TransitionSystem, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// A random term of a sort over the variables.
fn term(ts: &TransitionSystem, random: &mut Random, sort: Sort, depth: usize) -> Term {
    let t = &ts.terms;
    let leaf = |random: &mut Random| {
        let of_sort: Vec<Term> = ts.vars.iter().filter(|v| v.sort == sort).map(|v| v.term).collect();
        if !of_sort.is_empty() && random.below(3) > 0 {
            return random.choose(&of_sort);
        }
        match sort {
            Sort::Bool => t.bool(random.below(2) == 0),
            Sort::Int => t.int(i64::try_from(random.below(9)).expect("small") - 4),
            Sort::BitVec(w) => t.bv(w, random.below(1 << w) as u128),
            Sort::Array(..) => unreachable!("no arrays here"),
        }
    };
    if depth == 0 {
        return leaf(random);
    }
    let numeric: Vec<Sort> = ts.vars.iter().map(|v| v.sort).filter(|s| *s != Sort::Bool).collect();
    match sort {
        Sort::Bool => {
            let s = random.choose(&numeric);
            let (a, b) = (term(ts, random, s, depth - 1), term(ts, random, s, depth - 1));
            let compare: &[Op] = if s == Sort::Int {
                &[Op::IntLt, Op::IntLe, Op::Eq]
            } else {
                &[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq]
            };
            let (c, d) = (term(ts, random, sort, depth - 1), term(ts, random, sort, depth - 1));
            match random.below(6) {
                0 => t.and(c, d),
                1 => t.or(c, d),
                2 => t.not(c),
                _ => t.apply(random.choose(compare), &[a, b]),
            }
        }
        Sort::Int => {
            let (a, b) = (term(ts, random, sort, depth - 1), term(ts, random, sort, depth - 1));
            let op = random.choose(&[Op::IntAdd, Op::IntSub, Op::IntMul, Op::IntDiv, Op::IntMod, Op::Ite, Op::IntNeg]);
            match op {
                Op::Ite => t.ite(term(ts, random, Sort::Bool, depth - 1), a, b),
                Op::IntNeg => t.apply(op, &[a]),
                // Mostly by constants, as in programs.
                Op::IntDiv | Op::IntMod if random.below(3) > 0 => {
                    let by = t.int(i64::try_from(random.below(7)).expect("small") - 2);
                    t.apply(op, &[a, by])
                }
                _ => t.apply(op, &[a, b]),
            }
        }
        Sort::BitVec(w) => {
            let (a, b) = (term(ts, random, sort, depth - 1), term(ts, random, sort, depth - 1));
            let two = [
                Op::BvAdd,
                Op::BvSub,
                Op::BvMul,
                Op::BvAnd,
                Op::BvOr,
                Op::BvXor,
                Op::BvUdiv,
                Op::BvUrem,
                Op::BvSdiv,
                Op::BvSrem,
                Op::BvShl,
                Op::BvLshr,
                Op::BvAshr,
            ];
            match random.below(8) {
                0 => t.ite(term(ts, random, Sort::Bool, depth - 1), a, b),
                1 => t.apply(random.choose(&[Op::BvNeg, Op::BvNot]), &[a]),
                2 => {
                    let wide = t.apply(random.choose(&[Op::ZeroExtend(2), Op::SignExtend(2)]), &[a]);
                    let lo = u32::try_from(random.below(3)).expect("small");
                    t.apply(Op::Extract { hi: lo + w - 1, lo }, &[wide])
                }
                3 => {
                    let both = t.apply(Op::Concat, &[a, b]);
                    t.apply(Op::Extract { hi: w, lo: 1 }, &[both])
                }
                _ => {
                    let by = if random.below(2) == 0 { b } else { leaf(random) };
                    t.apply(random.choose(&two), &[a, by])
                }
            }
        }
        Sort::Array(..) => unreachable!("no arrays here"),
    }
}

/// A loop of one edge with a random guard and random updates.
fn one_loop(random: &mut Random, sort: Sort) -> (TransitionSystem, LocId) {
    let mut ts = TransitionSystem::new("random", Integers::Wrap);
    let head = ts.add_loc("head");
    ts.entry = head;
    for (name, sort) in [("x", sort), ("y", sort), ("b", Sort::Bool)] {
        ts.add_var(name, sort);
    }
    let guard = term(&ts, random, Sort::Bool, 2);
    let updates = ts.vars.entries().map(|(id, v)| (id, term(&ts, random, v.sort, 2))).collect();
    ts.add_edge(head, head, guard, updates);
    ts.add_edge(head, LocId::EXIT, ts.terms.not(guard), vec![]);
    (ts, head)
}

fn number(encoder: &Encoder<'_>, dimension: Term, value: &Value) -> Rational {
    match value {
        Value::Bool(b) => Rational::small(i64::from(*b)),
        Value::Int(i) => Rational::int(i),
        Value::Bv(b) => Rational::int(&match encoder.reading(dimension) {
            Reading::Signed => IBig::from(b.signed()),
            Reading::Unsigned => IBig::from(b.unsigned()),
        }),
        Value::Array(_) => unreachable!("no arrays here"),
    }
}

fn contains(r: &Relation, before: &[Rational], after: &[Rational], clock: &Clock) -> bool {
    let mut lp = r.program(1_000_000, clock);
    for (forms, values) in [(&r.before, before), (&r.after, after)] {
        for (f, v) in forms.iter().zip(values) {
            let mut f = f.clone();
            f.constant = f.constant.minus(v);
            restrict(&mut lp, &Constraint::zero(f));
        }
    }
    lp.feasible() == Outcome::Feasible
}

/// Every step that the system can make is in one of its relations, with and without splits.
fn every_step_is_in_a_relation(seed: u64, sort: Sort, values: &[Value], systems: usize) {
    let mut random = Random::new(seed);
    let clock = Clock::new(u64::MAX, Instant::now() + Duration::from_hours(1));
    let (mut taken, mut excluded) = (0, 0);
    for _ in 0..systems {
        let (ts, head) = one_loop(&mut random, sort);
        let encoder = Encoder::new(&ts, clock.clone());
        let dimensions: Vec<Term> = ts.vars.iter().map(|v| v.term).collect();
        let (body, invariants) = (BTreeSet::from([head]), BTreeMap::new());
        let region =
            Region { cutpoints: &[head], cells: &[], body: &body, invariants: &invariants, dimensions: &dimensions };
        let edge = ts.edges.iter().next().expect("there is an edge").clone();
        for splits in [0, 6] {
            let relations = steps(&encoder, &region, Detail { splits, most_steps: 10_000 }).expect("the steps are few");
            for x in values {
                for y in values {
                    for b in [false, true] {
                        let state = [x.clone(), y.clone(), Value::Bool(b)];
                        let look =
                            |t: Term| state[dimensions.iter().position(|d| *d == t).expect("a variable")].clone();
                        let numbers = |values: &[Value]| -> Vec<Rational> {
                            dimensions.iter().zip(values).map(|(d, v)| number(&encoder, *d, v)).collect()
                        };
                        let before = numbers(&state);
                        let next: Vec<Value> = edge.updates.iter().map(|(_, t)| ts.terms.eval(*t, look)).collect();
                        let after = numbers(&next);
                        let found = relations.iter().any(|r| contains(r, &before, &after, &clock));
                        if ts.terms.eval(edge.guard, look).as_bool() {
                            taken += 1;
                            assert!(found, "{splits} splits, {state:?} to {next:?}:\n{}", lariat_ir::lts::print(&ts));
                        } else {
                            excluded += usize::from(!found);
                        }
                    }
                }
            }
        }
    }
    // A relation that contains everything would pass: most states outside the guard must be excluded.
    assert!(taken > 1000 && excluded * 3 > taken, "{taken} {excluded}");
}

#[test]
fn bit_vector_steps_are_in_relations() {
    let values: Vec<Value> = (0..8).map(|i| Value::bv(3, i)).collect();
    every_step_is_in_a_relation(0x1234_5678_9abc_def1, Sort::BitVec(3), &values, 60);
}

#[test]
fn integer_steps_are_in_relations() {
    let values: Vec<Value> = (-4..5).map(Value::int).collect();
    every_step_is_in_a_relation(0x0fed_cba9_8765_4321, Sort::Int, &values, 60);
}
