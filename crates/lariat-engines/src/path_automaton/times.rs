//! How often one path is taken before another one, by the closed form of its update.

use super::automaton::State;
use crate::closed_form::ClosedForm;
use crate::engine::EngineCx;
use crate::path::in_state;
use lariat_ir::simplify::simplify;
use lariat_ir::{Op, Role, Sort, Term, TransitionSystem};
use lariat_smt::{Answer, Solver};

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

/// How often `s` is taken before `r`, if `s` was not taken just before.
///
/// The form of k executions and its conditions are asked about with a number k. `s`'s own condition is asked for at the first
/// and at the last execution only, so what is found possible may not be; what is excluded is.
pub(super) fn times(ts: &TransitionSystem, cx: &EngineCx, solver: &mut dyn Solver, s: &State, r: &State) -> Times {
    let t = &ts.terms;
    let Some(form) = ClosedForm::of(ts, &s.path.state) else { return Times::Any };
    // After the first execution, k more.
    let k = t.symbol("k@times", Sort::Int, Role::Free);
    let first: Vec<Term> = s.path.state.clone();
    let last = in_all(ts, &form.after(ts, t.apply(Op::IntSub, &[k, t.int(1)]), "at the last"), &first);
    let end = in_all(ts, &form.after(ts, k, "at the end"), &first);
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
