//! `Orbit`: a concrete run that comes back to where it was.
//!
//! The run is replayed with the recorded values, and beside each value stands whether it is settled
//! (module `taint`): at the entry those variables that `when` or `init` fix to a constant, then what is computed
//! from settled values and inputs. Environment and abstraction values are recorded, since the replay needs
//! some, but they are not settled. Every guard on the way must be settled, so every run that starts in `when` and
//! chooses the same inputs takes the same edges. At the start of the cycle everything outside `same` counts as not
//! settled from there on; after the cycle all of `same` must be settled again and have its old value. Hence the
//! argument repeats: from any state that agrees on `same`, the same inputs lead around the cycle to a state that agrees
//! on `same`, whatever the environment does and whatever the rest of the state holds. The set is closed under what the
//! cycle reads, because reading anything outside it makes a guard or a member of `same` unsettled.

use crate::loop_at;
use crate::prover::Prover;
use crate::rejection::{Condition, Rejection};
use crate::taint::{Settled, Tracked, eval};
use lariat_ir::{
    AssumptionId, Choice, Claim, Id, LocId, Role, StatePart, Term, TransitionSystem, UnknownKind, Value, VarId,
};
use std::collections::BTreeSet;

/// Shows that the loop at `header` can run for ever, by a run that repeats.
pub(crate) fn orbit(
    prover: &Prover<'_, '_>,
    claim: &Claim,
    header: LocId,
    start: &[Value],
    stem: &[Choice],
    cycle: &[Choice],
    same: &[StatePart],
) -> Result<BTreeSet<AssumptionId>, Rejection> {
    let ts = prover.ts();
    let this = &prover.system.forest().loops[loop_at(prover.system, header)?];
    initial(ts, claim.when, start)?;
    let fixed: BTreeSet<VarId> = [claim.when, ts.init].iter().flat_map(|t| ts.fixed_by(*t)).collect();
    let mut state: Vec<Tracked> = start
        .iter()
        .enumerate()
        .map(|(i, v)| (v.clone(), Settled::all(v, fixed.contains(&VarId::from_index(i)))))
        .collect();
    let mut loc = ts.entry;
    let mut used = BTreeSet::new();
    for choice in stem {
        used.extend(&ts.edges[choice.edge].assumes);
        loc = step(ts, loc, &mut state, choice)?;
    }
    if cycle.is_empty() {
        return Err(Rejection::new(Condition::EmptyCycle, format!("the run stays at `{}`", ts.locs[loc].name)));
    }
    let cycle_start = loc;
    let before: Vec<Tracked> = state.clone();
    if let Some(place) = same.iter().find(|p| !is_settled(&state, p)) {
        return Err(Rejection::new(
            Condition::NotSettled,
            format!("`{}` is not settled before the cycle", place_words(ts, place)),
        ));
    }
    forget_all_but(&mut state, same);
    for choice in cycle {
        if !this.body.contains(&loc) {
            let message =
                format!("it passes `{}`, which is not in the loop at `{}`", ts.locs[loc].name, ts.locs[header].name);
            return Err(Rejection::new(Condition::LeavesLoop, message));
        }
        used.extend(&ts.edges[choice.edge].assumes);
        loc = step(ts, loc, &mut state, choice)?;
    }
    if loc != cycle_start {
        let message = format!("it starts at `{}` and ends at `{}`", ts.locs[cycle_start].name, ts.locs[loc].name);
        return Err(Rejection::new(Condition::CycleNotClosed, message));
    }
    for place in same {
        let words = place_words(ts, place);
        if value_at(&before, place) != value_at(&state, place) {
            let message =
                format!("`{words}` is {} before and {} after", value_at(&before, place), value_at(&state, place));
            return Err(Rejection::new(Condition::ValuesDiffer, message));
        }
        if !is_settled(&state, place) {
            let message = format!("`{words}` depends on something outside the compared values after the cycle");
            return Err(Rejection::new(Condition::NotSettled, message));
        }
    }
    Ok(used)
}

/// That values are an initial state of `when`.
pub(crate) fn initial(ts: &TransitionSystem, when: Term, start: &[Value]) -> Result<(), Rejection> {
    let bad = |message: &str| Err(Rejection::new(Condition::StartNotInitial, message));
    if start.len() != ts.vars.len() || start.iter().zip(&ts.vars).any(|(v, var)| v.sort() != var.sort) {
        return bad("the start does not give each variable a value of its sort");
    }
    let holds = |t: Term| ts.terms.eval(t, |s| start[var_of(ts, s).index()].clone()).as_bool();
    if !holds(ts.init) {
        return bad("the start does not satisfy `init`");
    }
    if !holds(when) {
        return bad("the start does not satisfy `when`");
    }
    Ok(())
}

pub(crate) fn var_of(ts: &TransitionSystem, s: Term) -> VarId {
    match ts.terms.role(s) {
        Some(Role::Var(v)) => v,
        role => unreachable!("{role:?} in a term over variables"),
    }
}

/// Takes one recorded step.
fn step(ts: &TransitionSystem, loc: LocId, state: &mut [Tracked], choice: &Choice) -> Result<LocId, Rejection> {
    let edge = &ts.edges[choice.edge];
    let name = |l: LocId| &ts.locs[l].name;
    if edge.from != loc {
        let message = format!("the run is at `{}`, the next step starts at `{}`", name(loc), name(edge.from));
        return Err(Rejection::new(Condition::StepsNotConnected, message));
    }
    let (holds, settled) = eval(&ts.terms, edge.guard, |s| state[var_of(ts, s).index()].clone());
    let step_words = || format!("the step from `{}` to `{}`", name(edge.from), name(edge.to));
    if !holds.as_bool() {
        return Err(Rejection::new(Condition::StepNotEnabled, format!("{} is not enabled", step_words())));
    }
    if !settled.is_all() {
        let message = format!("{} depends on a value that is not settled", step_words());
        return Err(Rejection::new(Condition::NotSettled, message));
    }
    if edge.to == LocId::UB {
        return Err(Rejection::new(Condition::UndefinedBehaviour, step_words()));
    }
    if edge.to.is_sink() {
        return Err(Rejection::new(Condition::RunEnds, format!("{} ends the run", step_words())));
    }
    let mentioned: BTreeSet<_> = ts.unknowns_of(choice.edge).into_iter().collect();
    let given: BTreeSet<_> = choice.values.iter().map(|(u, _)| *u).collect();
    if mentioned != given || given.len() != choice.values.len() {
        return Err(Rejection::new(Condition::MissingChoice, step_words()));
    }
    for (u, v) in &choice.values {
        if !ts.admits(*u, v) {
            let message = format!("{}: {v} is no value of `{}`", step_words(), ts.unknowns[*u].name);
            return Err(Rejection::new(Condition::ChoiceOutOfRange, message));
        }
    }
    let after: Vec<(VarId, Tracked)> = edge
        .updates
        .iter()
        .map(|(v, t)| {
            let new = eval(&ts.terms, *t, |s| match ts.terms.role(s) {
                Some(Role::Unknown(u)) => {
                    let value = &choice.values.iter().find(|(w, _)| *w == u).expect("each is given").1;
                    (value.clone(), Settled::all(value, ts.unknowns[u].kind == UnknownKind::Input))
                }
                _ => state[var_of(ts, s).index()].clone(),
            });
            (*v, new)
        })
        .collect();
    for (v, new) in after {
        state[v.index()] = new;
    }
    Ok(edge.to)
}

fn is_settled(state: &[Tracked], place: &StatePart) -> bool {
    match place {
        StatePart::Var(v) => state[v.index()].1.is_all(),
        StatePart::Cell(v, i) => state[v.index()].1.cell(i),
    }
}

fn value_at(state: &[Tracked], place: &StatePart) -> Value {
    match place {
        StatePart::Var(v) => state[v.index()].0.clone(),
        StatePart::Cell(v, i) => match &state[v.index()].0 {
            Value::Array(a) => a.get(i).clone(),
            scalar => scalar.clone(),
        },
    }
}

/// Only what is in `same` stays settled.
fn forget_all_but(state: &mut [Tracked], same: &[StatePart]) {
    for (i, (value, settled)) in state.iter_mut().enumerate() {
        let this = VarId::from_index(i);
        let mut kept = Settled::all(value, same.contains(&StatePart::Var(this)));
        if let Settled::Cells { cells, rest: false } = &mut kept {
            for place in same {
                if let StatePart::Cell(v, index) = place
                    && *v == this
                {
                    cells.insert(index.clone(), true);
                }
            }
        }
        *settled = kept;
    }
}

fn place_words(ts: &TransitionSystem, place: &StatePart) -> String {
    match place {
        StatePart::Var(v) => ts.vars[*v].name.clone(),
        StatePart::Cell(v, i) => format!("{}[{i}]", ts.vars[*v].name),
    }
}
