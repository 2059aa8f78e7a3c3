//! The state after k executions of a path, for updates that are affine over the integers.
//!
//! With `D e` for `e` after one execution less `e` before it, `e` after k executions is the sum of `binomial(k, j) D^j e` over all j
//! (Newton's forward differences). Where the differences of all variables vanish after finitely many steps, that is a
//! polynomial in k. A variable that is set to a constant is that constant from the first execution on, and what it was
//! before it: so the form is that of k - 1 executions after the first one, with the constants in place.
//! A variable whose differences do not vanish has no form here; nothing is known of it then.

use super::automaton::State;
use crate::engine::EngineCx;
use crate::linear::{Linear, Reading, linear};
use crate::path::in_state;
use dashu_int::IBig;
use lariat_ir::simplify::simplify;
use lariat_ir::{Id, Op, Role, Sort, Term, TransitionSystem};
use lariat_smt::{Answer, Solver};
use std::collections::BTreeMap;

/// How often a path is taken before another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    /// Just once.
    Once,
    /// At least twice.
    Several,
    /// Any number of times, as far as is known.
    Any,
}

/// Differences of a higher order than this are not looked at.
const MOST_ORDER: usize = 4;

/// How often `s` is taken before `r`, if `s` was not taken just before.
///
/// The form of k executions and its conditions are asked about with a number k. `s`'s own condition is asked for at the first
/// and at the last execution only, so what is found possible may not be; what is excluded is.
pub(super) fn times(ts: &TransitionSystem, cx: &EngineCx, solver: &mut dyn Solver, s: &State, r: &State) -> Times {
    let t = &ts.terms;
    let Some(form) = ClosedForm::of(ts, &s.path.state) else { return Times::Any };
    // After the first execution, k more.
    let k = t.symbol("k", Sort::Int, Role::Free);
    let first: Vec<Term> = s.path.state.clone();
    let last = in_all(ts, &form.after(ts, t.apply(Op::IntSub, &[k, t.int(1)])), &first);
    let end = in_all(ts, &form.after(ts, k), &first);
    let at = |c: Term, state: &[Term]| simplify(t, in_state(ts, c, state));
    let mut again = s.path.conditions.clone();
    again.push(t.apply(Op::IntLe, &[t.int(1), k]));
    again.extend([at(s.condition, &first), at(s.condition, &last), at(r.condition, &end)]);
    if cx.ask(solver, ts, &again).is_unsat() {
        return Times::Once;
    }
    let mut once = s.path.conditions.clone();
    once.push(at(r.condition, &first));
    match cx.ask(solver, ts, &once) {
        Answer::Unsat => Times::Several,
        _ => Times::Any,
    }
}

fn in_all(ts: &TransitionSystem, terms: &[Term], state: &[Term]) -> Vec<Term> {
    terms.iter().map(|u| in_state(ts, *u, state)).collect()
}

/// The differences of each variable.
pub(super) struct ClosedForm {
    /// For each variable `e`, `D e`, `D^2 e` and so on, as far as they are not zero; nothing for one that the others do not hang on.
    differences: Vec<Option<Vec<Linear>>>,
}

impl ClosedForm {
    /// The form of a path's update from its second execution on; nothing if no integer has one.
    pub fn of(ts: &TransitionSystem, state: &[Term]) -> Option<Self> {
        let t = &ts.terms;
        let step: Vec<Option<Linear>> = ts
            .vars
            .entries()
            .map(|(v, var)| {
                let new = state[v.index()];
                let is_affine = |l: &Linear| l.columns.keys().all(|c| matches!(t.role(*c), Some(Role::Var(_))));
                (var.sort == Sort::Int).then(|| linear(t, new, Reading::Signed)).filter(is_affine)
            })
            .collect();
        let constant = |c: &Term| match t.role(*c) {
            Some(Role::Var(v)) => step[v.index()].as_ref().filter(|l| l.columns.is_empty()).map(|l| l.constant.clone()),
            _ => None,
        };
        // From the second execution on, what is set to a constant has it.
        let settled = |l: &Linear| {
            l.columns.iter().fold(Linear { columns: BTreeMap::new(), constant: l.constant.clone() }, |sum, (c, w)| {
                match constant(c) {
                    Some(value) => Linear { constant: sum.constant + w * value, ..sum },
                    None => sum.plus(w, &linear(t, *c, Reading::Signed)),
                }
            })
        };
        let step: Vec<Option<Linear>> = step.iter().map(|l| l.as_ref().map(settled)).collect();
        let differences: Vec<Option<Vec<Linear>>> = ts.vars.ids().map(|v| newton(ts, &step, v.index())).collect();
        differences.iter().any(Option::is_some).then_some(Self { differences })
    }

    /// The state after k executions; a variable without a form becomes one that nothing is known of.
    pub fn after(&self, ts: &TransitionSystem, k: Term) -> Vec<Term> {
        let t = &ts.terms;
        let binomials: Vec<Term> = (0..=MOST_ORDER).map(|j| binomial(ts, k, j)).collect();
        ts.vars
            .iter()
            .zip(&self.differences)
            .map(|(var, differences)| match differences {
                None => t.symbol(&format!("some {}", var.name), var.sort, Role::Free),
                Some(all) => {
                    let parts = all.iter().zip(&binomials).map(|(d, b)| t.apply(Op::IntMul, &[*b, term(ts, d)]));
                    simplify(t, parts.reduce(|a, b| t.apply(Op::IntAdd, &[a, b])).unwrap_or_else(|| t.int(0)))
                }
            })
            .collect()
    }
}

/// `e`, `D e` and so on until they vanish.
fn newton(ts: &TransitionSystem, step: &[Option<Linear>], v: usize) -> Option<Vec<Linear>> {
    let t = &ts.terms;
    let stepped = |l: &Linear| -> Option<Linear> {
        let mut sum = Linear { columns: BTreeMap::new(), constant: l.constant.clone() };
        for (c, w) in &l.columns {
            let Some(Role::Var(v)) = t.role(*c) else { return None };
            sum = sum.plus(w, step[v.index()].as_ref()?);
        }
        Some(sum)
    };
    let mut all = vec![linear(t, ts.vars.iter().nth(v)?.term, Reading::Signed)];
    // What is set to a constant stays.
    if step[v].as_ref()?.columns.is_empty() {
        return Some(vec![step[v].clone()?]);
    }
    loop {
        let last = all.last()?;
        let next = stepped(last)?.plus(&IBig::from(-1), last);
        if next.columns.is_empty() && next.constant == IBig::ZERO {
            return Some(all);
        }
        if all.len() > MOST_ORDER {
            return None;
        }
        all.push(next);
    }
}

/// `k (k - 1) ... (k - j + 1) / j!`, which is an integer.
fn binomial(ts: &TransitionSystem, k: Term, j: usize) -> Term {
    let t = &ts.terms;
    let mut product = t.int(1);
    let mut divisor = IBig::from(1);
    for i in 0..j {
        let i = i64::try_from(i).expect("orders are small");
        product = simplify(t, t.apply(Op::IntMul, &[product, t.apply(Op::IntSub, &[k, t.int(i)])]));
        divisor *= IBig::from(i + 1);
    }
    if divisor == IBig::from(1) { product } else { t.apply(Op::IntDiv, &[product, t.int(divisor)]) }
}

/// A linear form as a term.
pub(super) fn term(ts: &TransitionSystem, l: &Linear) -> Term {
    let t = &ts.terms;
    let mut sum = t.int(l.constant.clone());
    for (c, w) in &l.columns {
        sum = t.apply(Op::IntAdd, &[t.apply(Op::IntMul, &[t.int(w.clone()), *c]), sum]);
    }
    simplify(t, sum)
}
