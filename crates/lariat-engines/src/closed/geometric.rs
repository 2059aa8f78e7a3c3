//! Sets from geometric arguments (Leike and Heizmann): a point and directions in which a way around the loop goes on for ever.
//!
//! For a way with the affine update `v' = M v + c` and the condition `G v <= g`, sought are a point `x`, directions `y_1` and
//! `y_2`, and numbers `l_1, l_2 >= 0` and `m` in {0, 1} with
//!
//! ```text
//! G x <= g    M x + c = x + y_1 + y_2    G y_i <= 0    M y_1 = l_1 y_1 + m y_2    M y_2 = l_2 y_2
//! ```
//!
//! *Why the set `S = { x + t_1 y_1 + t_2 y_2 : t_1, t_2 >= 0 }` is never left:* the condition holds in all of it, and the way leads
//! from `(t_1, t_2)` to `(1 + l_1 t_1, 1 + l_2 t_2 + m t_1)`, which is in it again. The factors are eigenvalues of `M`, or their
//! direction is zero; with them fixed everything is linear, one question to the solver, in which `x` is what a run
//! brings to the header. With numbers for `x` and `y_i`, the `t_i` can be written as linear terms in `v`, so `S` is a conjunction of
//! equations and bounds.
//!
//! The linear reading is a guess, as everywhere: the solver is asked whether the set lies in the way's real condition and is
//! kept by its real update, and the checker shows it again.

use super::{Way, seeds::Visits};
use crate::engine::{EngineCx, Task};
use crate::linear::{Linear, Reading, constraints, linear};
use crate::path::{in_state, speaks_of_variables};
use crate::stem;
use crate::symex::paths::{Explored, too_hard};
use dashu_int::IBig;
use lariat_ir::simplify::simplify;
use lariat_ir::{Arm, Certificate, Claim, Id, Op, Property, Role, Sort, Term, TransitionSystem, Value, VarId};
use lariat_smt::{Answer, Solver};
use std::collections::{BTreeMap, BTreeSet};

/// More variables than this are too many.
const MOST_VARIABLES: usize = 8;
/// Factors that are tried.
const GREATEST_FACTOR: i64 = 8;

/// A claim from a geometric argument for one of the ways.
pub(super) fn search(
    task: &Task<'_>,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    ways: &[Way],
    visits: &Visits,
) -> Option<Claim> {
    let ts = task.ts;
    let header = task.this().header;
    for way in ways.iter().filter(|w| w.from == header && w.to == header && w.ranges.is_empty()) {
        let Some(affine) = Affine::of(ts, way) else { continue };
        for arrival in visits.arrivals() {
            for factors in affine.factors(ts) {
                if cx.out_of_time() {
                    return None;
                }
                let Some(set) = affine.argument(ts, cx, solver, arrival, factors) else { continue };
                if !is_closed(ts, cx, solver, way, set) {
                    continue;
                }
                let Ok(found) = stem::find(ts, cx, solver, header, set) else { continue };
                return Some(Claim {
                    system: task.hash,
                    property: Property::Diverges(header),
                    when: found.when,
                    certificate: Certificate::RecurrentSet {
                        start: found.start,
                        stem: found.moves,
                        arms: vec![Arm { from: header, when: way.condition, path: way.moves.clone() }],
                        set: BTreeMap::from([(header, set)]),
                    },
                });
            }
        }
    }
    None
}

/// Whether the way can be gone from every state of a set and leads back into it.
fn is_closed(ts: &TransitionSystem, cx: &EngineCx, solver: &mut dyn Solver, way: &Way, set: Term) -> bool {
    let t = &ts.terms;
    let after = simplify(t, in_state(ts, set, &way.state));
    speaks_of_variables(ts, after) && cx.ask(solver, ts, &[set, t.not(t.and(way.condition, after))]).is_unsat()
}

/// The factors of the two directions, and whether the first one leads on to the second.
type Factors = (i64, i64, bool);

/// A way as it is read: what it does to the variables that its condition depends on.
struct Affine {
    vars: Vec<VarId>,
    /// For each variable its new value.
    step: Vec<Linear>,
    /// Forms that are at most zero.
    guard: Vec<Linear>,
}

impl Affine {
    fn of(ts: &TransitionSystem, way: &Way) -> Option<Self> {
        let t = &ts.terms;
        let mut vars: Vec<VarId> = Vec::new();
        let mut seen: BTreeSet<VarId> = BTreeSet::new();
        let mut open = vec![way.condition];
        let mut step: BTreeMap<VarId, Linear> = BTreeMap::new();
        while let Some(u) = open.pop() {
            for s in t.symbols(u) {
                let Some(Role::Var(v)) = t.role(s) else { return None };
                if !seen.insert(v) {
                    continue;
                }
                // Bit-vectors grow in no direction for ever.
                if ts.vars[v].sort != Sort::Int || seen.len() > MOST_VARIABLES {
                    return None;
                }
                let next = way.state[v.index()];
                step.insert(v, linear(t, next, Reading::Signed));
                open.push(next);
                vars.push(v);
            }
        }
        let guard = constraints(t, way.condition, Reading::Signed);
        let of_variables = |l: &Linear| l.columns.keys().all(|c| matches!(t.role(*c), Some(Role::Var(_))));
        if vars.is_empty() || !step.values().all(of_variables) {
            return None;
        }
        vars.sort_unstable();
        let step = vars.iter().map(|v| step[v].clone()).collect();
        Some(Self { vars, step, guard: guard.into_iter().filter(of_variables).collect() })
    }

    /// The part of a form that is linear, in terms of other numbers than the variables'.
    fn homogeneous(&self, ts: &TransitionSystem, form: &Linear, at: &[Term]) -> Term {
        let t = &ts.terms;
        let column = |c: &Term| self.vars.iter().position(|v| ts.vars[*v].term == *c).expect("a variable of the way");
        let parts = form.columns.iter().map(|(c, w)| t.apply(Op::IntMul, &[t.int(w.clone()), at[column(c)]]));
        parts.reduce(|a, b| t.apply(Op::IntAdd, &[a, b])).unwrap_or_else(|| t.int(0))
    }

    /// Whether a number is an eigenvalue of the update: an elimination over fractions of `M - l I`.
    fn is_eigenvalue(&self, ts: &TransitionSystem, l: i64) -> bool {
        use crate::lp::Rational;
        let n = self.vars.len();
        let entry = |i: usize, j: usize| {
            let w = self.step[i].columns.get(&ts.vars[self.vars[j]].term).cloned().unwrap_or(IBig::ZERO);
            Rational::int(&if i == j { w - IBig::from(l) } else { w })
        };
        let mut rows: Vec<Vec<Rational>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        for column in 0..n {
            let Some(pivot) = (column..n).find(|r| !rows[*r][column].is_zero()) else { return true };
            rows.swap(column, pivot);
            let lead = rows[column].clone();
            for row in rows.iter_mut().skip(column + 1) {
                let factor = row[column].over(&lead[column]);
                if !factor.is_zero() {
                    for (a, b) in row.iter_mut().zip(&lead) {
                        *a = a.minus(&factor.times(b));
                    }
                }
            }
        }
        false
    }

    /// What is tried, simple ones first.
    fn factors(&self, ts: &TransitionSystem) -> Vec<Factors> {
        let values: Vec<i64> = (0..=GREATEST_FACTOR).filter(|l| self.is_eigenvalue(ts, *l)).collect();
        let mut found: Vec<Factors> = values.iter().map(|l| (*l, *l, false)).collect();
        for a in &values {
            for b in &values {
                if a != b {
                    found.push((*a, *b, false));
                }
                found.push((*a, *b, true));
            }
        }
        found
    }

    /// The set of an argument with these factors whose point is reached by a run.
    fn argument(
        &self,
        ts: &TransitionSystem,
        cx: &EngineCx,
        solver: &mut dyn Solver,
        arrival: &Explored,
        (first, second, linked): Factors,
    ) -> Option<Term> {
        let t = &ts.terms;
        let path = &arrival.path;
        let x: Vec<Term> = self.vars.iter().map(|v| path.state[v.index()]).collect();
        // One direction for two equal factors that are not linked: their sum is as good.
        let two = linked || first != second;
        let direction = |name: &str| -> Vec<Term> {
            (0..self.vars.len()).map(|i| t.symbol(&format!("direction@{name}{i}"), Sort::Int, Role::Free)).collect()
        };
        let (y, z) = (direction("y"), direction("z"));
        let zero = t.int(0);
        let plus = |a: Term, b: Term| t.apply(Op::IntAdd, &[a, b]);
        let scaled = |l: i64, a: Term| t.apply(Op::IntMul, &[t.int(l), a]);
        let mut all = path.conditions.clone();
        for g in &self.guard {
            let at_x = plus(self.homogeneous(ts, g, &x), t.int(g.constant.clone()));
            all.push(t.apply(Op::IntLe, &[at_x, zero]));
            all.push(t.apply(Op::IntLe, &[self.homogeneous(ts, g, &y), zero]));
            if two {
                all.push(t.apply(Op::IntLe, &[self.homogeneous(ts, g, &z), zero]));
            }
        }
        for (i, form) in self.step.iter().enumerate() {
            let next = plus(self.homogeneous(ts, form, &x), t.int(form.constant.clone()));
            let moved = plus(x[i], if two { plus(y[i], z[i]) } else { y[i] });
            all.push(t.eq(next, moved));
            let grown = scaled(first, y[i]);
            all.push(t.eq(self.homogeneous(ts, form, &y), if linked { plus(grown, z[i]) } else { grown }));
            if two {
                all.push(t.eq(self.homogeneous(ts, form, &z), scaled(second, z[i])));
            }
        }
        for c in &mut all {
            *c = simplify(t, *c);
        }
        if all.contains(&t.ff()) || too_hard(ts, &all) {
            return None;
        }
        all.extend(path.ranges(ts));
        all.push(ts.init);
        let Answer::Sat(model) = cx.ask(solver, ts, &all) else { return None };
        let number = |u: &Term| match model.eval(t, *u) {
            Value::Int(i) => i,
            other => unreachable!("{other:?} is no integer"),
        };
        let values = |terms: &[Term]| terms.iter().map(number).collect::<Vec<IBig>>();
        let z = if two { values(&z) } else { vec![IBig::ZERO; self.vars.len()] };
        self.set(ts, &values(&x), &values(&y), &z)
    }

    /// The states `x + t_1 y + t_2 z` with factors that are not negative; nothing if both directions lie on one line.
    fn set(&self, ts: &TransitionSystem, x: &[IBig], y: &[IBig], z: &[IBig]) -> Option<Term> {
        let t = &ts.terms;
        let n = self.vars.len();
        let is_zero = |d: &[IBig]| d.iter().all(IBig::is_zero);
        let (y, z) = if is_zero(y) { (z, y) } else { (y, z) };
        let away = |i: usize| t.apply(Op::IntSub, &[ts.vars[self.vars[i]].term, t.int(x[i].clone())]);
        let scaled = |w: &IBig, a: Term| t.apply(Op::IntMul, &[t.int(w.clone()), a]);
        let minus = |a: Term, b: Term| t.apply(Op::IntSub, &[a, b]);
        let (zero, mut parts) = (t.int(0), Vec::new());
        if is_zero(y) {
            parts.extend((0..n).map(|i| t.eq(away(i), zero)));
        } else if is_zero(z) {
            // With d for the way from x, y_i d_j = y_j d_i, and d_i has the sign of y_i.
            let i = (0..n).find(|i| !y[*i].is_zero())?;
            parts.extend((0..n).filter(|j| *j != i).map(|j| t.eq(scaled(&y[i], away(j)), scaled(&y[j], away(i)))));
            parts.push(t.apply(Op::IntLe, &[zero, scaled(&y[i], away(i))]));
        } else {
            // By Cramer's rule from two coordinates; multiplied by the determinant, whose sign is made positive.
            let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            let determinant = |(i, j): (usize, usize)| &y[i] * &z[j] - &y[j] * &z[i];
            let (i, j) = pairs.into_iter().find(|p| !determinant(*p).is_zero())?;
            let (i, j) = if determinant((i, j)) < IBig::ZERO { (j, i) } else { (i, j) };
            let whole = determinant((i, j));
            let along_y = minus(scaled(&z[j], away(i)), scaled(&z[i], away(j)));
            let along_z = minus(scaled(&y[i], away(j)), scaled(&y[j], away(i)));
            parts.push(t.apply(Op::IntLe, &[zero, along_y]));
            parts.push(t.apply(Op::IntLe, &[zero, along_z]));
            for k in (0..n).filter(|k| *k != i && *k != j) {
                let sum = t.apply(Op::IntAdd, &[scaled(&y[k], along_y), scaled(&z[k], along_z)]);
                parts.push(t.eq(scaled(&whole, away(k)), sum));
            }
        }
        Some(simplify(t, t.all(parts)))
    }
}
