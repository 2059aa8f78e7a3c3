//! Questions about words that integers can answer: random ones, asked in the middle of pushes and pops, against all values.

use lariat_ir::eval::Plan;
use lariat_ir::random::Random;
use lariat_ir::{ArrayValue, Op, Role, Scalar, Sort, Term, Terms, Value};
use lariat_smt::{Answer, Limit, QueryLog, Solver, Z3Solver};
use std::collections::HashMap;
use std::sync::Arc;

/// Two words, a truth value, and a map where there are few enough.
fn symbols(t: &Terms, width: u32) -> Vec<Term> {
    let word = Scalar::BitVec(width);
    let mut all = vec![("x", word.into()), ("y", word.into()), ("p", Sort::Bool)];
    if width <= 2 {
        all.push(("m", Sort::Array(word, word)));
    }
    all.into_iter().map(|(name, sort)| t.symbol(name, sort, Role::Free)).collect()
}

/// All values of a sort.
fn values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(w) => (0..1 << w).map(|bits| Value::bv(w, bits)).collect(),
        Sort::Int => unreachable!("there are too many"),
        Sort::Array(index, element) => {
            let elements = values(element.into());
            let mut maps = vec![ArrayValue::constant(index, elements[0].clone())];
            for at in values(index.into()) {
                let with = |m: &ArrayValue, v: &Value| {
                    let mut m = m.clone();
                    m.set(at.clone(), v.clone());
                    m
                };
                maps = maps.iter().flat_map(|m| elements.iter().map(move |v| with(m, v)).collect::<Vec<_>>()).collect();
            }
            maps.into_iter().map(|m| Value::Array(Arc::new(m))).collect()
        }
    }
}

/// Every valuation of the symbols.
fn valuations(t: &Terms, symbols: &[Term]) -> Vec<HashMap<Term, Value>> {
    let mut all = vec![HashMap::new()];
    for &s in symbols {
        let extended = |v: &HashMap<Term, Value>| -> Vec<HashMap<Term, Value>> {
            let with = |value| v.clone().into_iter().chain([(s, value)]).collect();
            values(t.sort(s)).into_iter().map(with).collect()
        };
        all = all.iter().flat_map(extended).collect();
    }
    all
}

fn word(t: &Terms, r: &mut Random, width: u32, symbols: &[Term], depth: usize) -> Term {
    let [x, y, ..] = *symbols else { unreachable!("there are two words") };
    let number = t.bv(width, r.below(1 << width) as u128);
    if depth == 0 {
        return r.choose(&[x, y, number]);
    }
    let a = word(t, r, width, symbols, depth - 1);
    let b = word(t, r, width, symbols, depth - 1);
    match r.below(12) {
        0..3 => t.apply(Op::BvAdd, &[a, b]),
        3..5 => t.apply(Op::BvSub, &[a, b]),
        5 => t.apply(r.choose(&[Op::BvNot, Op::BvNeg]), &[a]),
        6 => t.apply(r.choose(&[Op::BvMul, Op::BvShl, Op::BvLshr, Op::BvAshr]), &[a, number]),
        7 => t.apply(r.choose(&[Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem]), &[a, number]),
        8 => t.ite(truth(t, r, width, symbols, depth - 1), a, b),
        9 => {
            let wide = t.apply(Op::Concat, &[a, b]);
            let lo = u32::try_from(r.below(width as usize + 1)).expect("small");
            t.apply(Op::Extract { hi: lo + width - 1, lo }, &[wide])
        }
        10 => {
            let op = r.choose(&[Op::ZeroExtend(2), Op::SignExtend(2)]);
            let sum = t.apply(Op::BvAdd, &[t.apply(op, &[a]), t.apply(op, &[b])]);
            let lo = u32::try_from(r.below(3)).expect("small");
            t.apply(Op::Extract { hi: lo + width - 1, lo }, &[sum])
        }
        _ => match symbols.get(3) {
            Some(&m) => {
                let c = word(t, r, width, symbols, depth - 1);
                let map = r.choose(&[m, t.apply(Op::Store, &[m, b, c])]);
                t.apply(Op::Select, &[map, a])
            }
            None => t.apply(Op::BvAnd, &[a, t.bv(width, 1)]),
        },
    }
}

fn truth(t: &Terms, r: &mut Random, width: u32, symbols: &[Term], depth: usize) -> Term {
    if r.below(10) == 0 {
        return symbols[2];
    }
    if depth > 0 && r.below(3) == 0 {
        let (a, b) = (truth(t, r, width, symbols, depth - 1), truth(t, r, width, symbols, depth - 1));
        return r.choose(&[t.and(a, b), t.or(a, b), t.not(a), t.eq(a, b)]);
    }
    let (a, b) = (word(t, r, width, symbols, depth), word(t, r, width, symbols, depth));
    t.apply(r.choose(&[Op::Eq, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle]), &[a, b])
}

#[test]
fn answers_are_those_of_all_values() {
    let (mut possible, mut impossible) = (0, 0);
    for seed in 0..250 {
        let mut r = Random::new(seed);
        let t = Terms::new();
        let width = 1 + u32::try_from(seed % 4).expect("small");
        let symbols = symbols(&t, width);
        let all = valuations(&t, &symbols);
        let mut solver = Z3Solver::new().with_log(QueryLog::off());
        let mut levels: Vec<Vec<Term>> = vec![Vec::new()];
        for _ in 0..30 {
            match r.below(6) {
                0 if levels.len() < 5 => {
                    solver.push();
                    levels.push(Vec::new());
                }
                1 if levels.len() > 1 => {
                    solver.pop();
                    levels.pop();
                }
                2..4 if levels.len() > 1 => {
                    let depth = r.below(4);
                    let truth = truth(&t, &mut r, width, &symbols, depth);
                    solver.assert(&t, truth);
                    levels.last_mut().expect("the lowest is never closed").push(truth);
                }
                _ => {
                    let plan = Plan::new(&t, &levels.concat());
                    let can_hold = all.iter().any(|v| plan.run(|s| v[&s].clone()).iter().all(Value::as_bool));
                    match solver.check(&t, Limit::default()) {
                        Answer::Unsat => {
                            assert!(!can_hold, "seed {seed}: {}", lariat_ir::smtlib::script(&t, &levels.concat()));
                            impossible += 1;
                        }
                        Answer::Sat(_) => {
                            assert!(can_hold, "a model is evaluated");
                            possible += 1;
                        }
                        Answer::Unknown(why) => panic!("seed {seed}: {why:?}"),
                    }
                }
            }
        }
    }
    assert!(possible > 200 && impossible > 200, "{possible} possible, {impossible} impossible");
}
