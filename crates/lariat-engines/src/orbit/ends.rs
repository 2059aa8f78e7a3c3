//! Does the loop always end?
//!
//! The paper looks at a loop with one path, a convex guard `G x <= g` and an affine update `x' = U x + u`, and asks for
//! a fixed point in the guard, over the reals. If there is none, it says that the loop ends, by Brouwer's theorem. That
//! excludes periodic orbits only: `while (x >= 0) x++` has no fixed point and runs for ever over the integers. What the
//! absence of a fixed point really gives is found by Farkas' lemma, which is exact: the system
//!
//! ```text
//! G x <= g   and   (U - I) x + u = 0
//! ```
//!
//! has no real solution iff there are multipliers `l >= 0` and `m` with `l G = m (U - I)` and `l g + m u <= -1`, that is, a
//! linear function `f = m x` with `f(x') <= f(x) - 1` for every `x` in the guard. So the query here is the dual one: find
//! `f`. Solutions can be scaled, so integers are enough and no reals are needed. With `f` in hand:
//!
//! * over bit-vectors `f`, computed in a width in which it cannot wrap, has finitely many values: falling is enough, and
//!   this is just what the paper's finite number formats add to the missing half of its argument;
//! * over the integers `f` must be bounded below on the guard, which is one more Farkas condition. If it is not, the
//!   loop stays open.
//!
//! The linear reading of a bit-vector loop is a guess (module `linear`); before anything is claimed the solver shows
//! with the real operations that `f` falls on every path. So a modulo, a wrapping update, a narrowing or an input can make
//! the search fail but not the claim false. Nothing is asked of variables that the guard does not depend on: `f` need not
//! mention them. Several paths are allowed as long as one `f` falls on all of them; the set of paths must be complete, so
//! loops that hold inner loops are left alone.
//!

use crate::engine::{EngineCx, NoClaim, Task};
use crate::linear::{Linear, Reading, constraints, linear};
use crate::path::{Around, SymbolicPath, in_state};
use dashu_int::IBig;
use lariat_ir::simplify::simplify;
use lariat_ir::{
    Certificate, Claim, Id, MAX_WIDTH, Measure, Op, Order, Outline, Property, Role, Sort, Term, Terms,
    TransitionSystem, Value, VarId,
};
use lariat_smt::{Answer, Solver};
use std::collections::{BTreeMap, BTreeSet};

/// A linear function that falls on every path around the loop.
pub(super) fn always_ends(
    task: &Task<'_>,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    all: &Around,
) -> Result<Claim, NoClaim> {
    let ts = task.ts;
    if !all.complete {
        return Err("its paths cannot be listed: it holds another loop, or has too many".into());
    }
    let feasible: Vec<&SymbolicPath> = all
        .paths
        .iter()
        .filter(|p| {
            let mut premises = p.conditions.clone();
            premises.extend(p.ranges(ts));
            !cx.ask(solver, ts, &premises).is_unsat()
        })
        .collect();
    for reading in [Reading::Signed, Reading::Unsigned] {
        if cx.out_of_time() {
            return Err(NoClaim::out_of_time());
        }
        let Some(weights) = falling_function(ts, cx, &feasible, reading) else { continue };
        let Some(measure) = measure_term(ts, &weights, reading) else { continue };
        if feasible.iter().all(|p| falls(ts, cx, solver, p, measure)) {
            let measures = BTreeMap::from([(task.this().header, vec![measure])]);
            return Ok(Claim {
                system: task.hash,
                property: Property::Terminates(task.this().header),
                when: ts.terms.tt(),
                certificate: Certificate::Ranking { outline: Outline::default(), measures },
            });
        }
    }
    Err("no linear function falls on each of its paths".into())
}

/// The weights of the variables and a constant.
struct Weights {
    of: BTreeMap<VarId, IBig>,
    constant: IBig,
}

/// Solves the dual of the fixed-point query for all paths at once; over the integers with a lower bound.
fn falling_function(
    ts: &TransitionSystem,
    cx: &EngineCx,
    paths: &[&SymbolicPath],
    reading: Reading,
) -> Option<Weights> {
    // The unknowns of this system live in an arena of their own.
    let lp = Terms::new();
    let mut solver = cx.solver();
    let int = |name: String| lp.symbol(&name, Sort::Int, Role::Free);
    let numeric: Vec<VarId> =
        ts.vars.entries().filter(|(_, v)| matches!(v.sort, Sort::Int | Sort::BitVec(_))).map(|(id, _)| id).collect();
    let bounded_by_width = numeric.iter().all(|v| ts.vars[*v].sort != Sort::Int);
    let weight: BTreeMap<VarId, Term> = numeric.iter().map(|v| (*v, int(format!("m{}", v.index())))).collect();
    let lowest = int("c".into());
    let scaled = |c: &IBig, t: Term| lp.apply(Op::IntMul, &[lp.int(c.clone()), t]);
    let sum = |ts: Vec<Term>| ts.into_iter().reduce(|a, b| lp.apply(Op::IntAdd, &[a, b])).unwrap_or_else(|| lp.int(0));

    for (p, path) in paths.iter().enumerate() {
        let known: Vec<Linear> = path
            .conditions
            .iter()
            .chain(&path.ranges(ts))
            .flat_map(|c| constraints(&ts.terms, *c, reading))
            .chain(numeric.iter().flat_map(|v| type_bounds(ts, *v, reading)))
            .collect();
        // f(x') - f(x), each variable's difference weighted.
        let difference: Vec<(Term, Linear)> = numeric
            .iter()
            .map(|v| {
                let after = linear(&ts.terms, path.state[v.index()], reading);
                let before = linear(&ts.terms, ts.vars[*v].term, reading);
                (weight[v], after.plus(&IBig::from(-1), &before))
            })
            .collect();
        // -f(x), which is at most the constant where f(x) + constant is bounded below by zero.
        let negated: Vec<(Term, Linear)> = numeric
            .iter()
            .map(|v| {
                let before = linear(&ts.terms, ts.vars[*v].term, reading);
                (weight[v], Linear::default().plus(&IBig::from(-1), &before))
            })
            .collect();
        let mut follows = |tag: &str, form: &[(Term, Linear)], slack: Term| {
            let multipliers: Vec<Term> = (0..known.len()).map(|i| int(format!("{tag}{p}.{i}"))).collect();
            for l in &multipliers {
                solver.assert(&lp, lp.apply(Op::IntLe, &[lp.int(0), *l]));
            }
            let columns: BTreeSet<Term> = form
                .iter()
                .flat_map(|(_, f)| f.columns.keys())
                .chain(known.iter().flat_map(|k| k.columns.keys()))
                .copied()
                .collect();
            let part = |pairs: &mut dyn Iterator<Item = (Term, IBig)>| {
                sum(pairs.filter(|(_, c)| *c != IBig::ZERO).map(|(t, c)| scaled(&c, t)).collect())
            };
            let of = |f: &Linear, column: &Term| f.columns.get(column).cloned().unwrap_or(IBig::ZERO);
            for column in columns {
                let left = part(&mut form.iter().map(|(w, f)| (*w, of(f, &column))));
                let right = part(&mut multipliers.iter().zip(&known).map(|(l, k)| (*l, of(k, &column))));
                solver.assert(&lp, lp.eq(left, right));
            }
            // form = multipliers * (columns of known) + constants, and known <= 0, so the form is at most what is left.
            let left = part(&mut form.iter().map(|(w, f)| (*w, f.constant.clone())));
            let right = part(&mut multipliers.iter().zip(&known).map(|(l, k)| (*l, k.constant.clone())));
            let rest = lp.apply(Op::IntSub, &[left, right]);
            solver.assert(&lp, lp.apply(Op::IntLe, &[rest, slack]));
        };
        follows("l", &difference, lp.int(-1));
        if !bounded_by_width {
            follows("n", &negated, lowest);
        }
    }
    let Answer::Sat(model) = cx.check(solver.as_mut(), &lp) else { return None };
    let read = |t: Term| model.value_or_zero(&lp, t).as_int().clone();
    let of = weight.iter().map(|(v, t)| (*v, read(*t))).filter(|(_, w)| *w != IBig::ZERO).collect();
    Some(Weights { of, constant: read(lowest) })
}

/// The least and the greatest value of a bit-vector variable.
fn type_bounds(ts: &TransitionSystem, v: VarId, reading: Reading) -> Vec<Linear> {
    let Sort::BitVec(w) = ts.vars[v].sort else { return Vec::new() };
    let half = IBig::from(1) << (w as usize - 1);
    let (least, greatest): (IBig, IBig) = match reading {
        Reading::Signed => (-half.clone(), half - 1),
        Reading::Unsigned => (IBig::ZERO, (half << 1) - 1),
    };
    let x = ts.vars[v].term;
    let above = Linear { columns: BTreeMap::from([(x, IBig::from(1))]), constant: -greatest };
    let below = Linear { columns: BTreeMap::from([(x, IBig::from(-1))]), constant: least };
    vec![above, below]
}

/// The function as a term: over the integers as it is, over bit-vectors in a width in which it cannot wrap.
fn measure_term(ts: &TransitionSystem, weights: &Weights, reading: Reading) -> Option<Measure> {
    let t = &ts.terms;
    if weights.of.is_empty() {
        return Some(Measure { order: Order::Int, term: t.int(0) });
    }
    let vars: Vec<(&VarId, &IBig)> = weights.of.iter().collect();
    if vars.iter().all(|(v, _)| ts.vars[**v].sort == Sort::Int) {
        let parts = vars.iter().map(|(v, w)| t.apply(Op::IntMul, &[t.int((*w).clone()), ts.vars[**v].term]));
        let sum = parts.reduce(|a, b| t.apply(Op::IntAdd, &[a, b]))?;
        let term = simplify(t, t.apply(Op::IntAdd, &[sum, t.int(weights.constant.clone())]));
        return Some(Measure { order: Order::Int, term });
    }
    // |f| < the sum of |weight| * 2^width, and one bit for the sign.
    let mut bound = IBig::from(1);
    for (v, w) in &vars {
        let width = ts.vars[**v].sort.width()?;
        let size = if **w < IBig::ZERO { -(*w).clone() } else { (*w).clone() };
        bound += size << width as usize;
    }
    let mut width = 1;
    while (IBig::from(1) << (width as usize - 1)) < bound {
        width += 1;
        if width > MAX_WIDTH {
            return None;
        }
    }
    let parts = vars.iter().map(|(v, w)| {
        let var = &ts.vars[**v];
        let by = width - var.sort.width().expect("all are bit-vectors");
        let extended = match reading {
            Reading::Signed => t.apply(Op::SignExtend(by), &[var.term]),
            Reading::Unsigned => t.apply(Op::ZeroExtend(by), &[var.term]),
        };
        let weight = t.value(&Value::Bv(lariat_ir::Bits::from_int(width, w)));
        t.apply(Op::BvMul, &[weight, extended])
    });
    let sum = parts.reduce(|a, b| t.apply(Op::BvAdd, &[a, b]))?;
    // What is never below zero says how often it can fall.
    let never_negative = reading == Reading::Unsigned && vars.iter().all(|(_, w)| **w >= IBig::ZERO);
    let order = if never_negative { Order::Unsigned } else { Order::Signed };
    Some(Measure { order, term: simplify(t, sum) })
}

/// Whether the measure falls on a path, with the real operations.
fn falls(ts: &TransitionSystem, cx: &EngineCx, solver: &mut dyn Solver, path: &SymbolicPath, m: Measure) -> bool {
    let t = &ts.terms;
    let after = in_state(ts, m.term, &path.state);
    let fall = match m.order {
        Order::Int => t.and(t.apply(Op::IntLt, &[after, m.term]), t.apply(Op::IntLe, &[t.int(0), m.term])),
        Order::Unsigned => t.apply(Op::BvUlt, &[after, m.term]),
        Order::Signed => t.apply(Op::BvSlt, &[after, m.term]),
    };
    let mut all = path.conditions.clone();
    all.extend(path.ranges(ts));
    all.push(t.not(fall));
    cx.ask(solver, ts, &all).is_unsat()
}
