//! `RecurrentSet`: states that a run can be kept in.
//!
//! A path of a certificate says for each edge how to choose the inputs, by terms over the state before the edge. It is
//! walked symbolically: inputs become those terms, environment and abstraction values become fresh symbols in their
//! ranges, and every guard must follow from what holds at the start. So from every state it is for, the path is taken,
//! whatever the environment does: guards are disjoint, so an enabled edge is the only one.
//!
//! Where a value is settled (module `taint`: the same in every run of `when` that chooses these inputs), the walk goes on with
//! the value itself instead of a term for it, and a settled guard needs no solver. So a stem through a loop that runs a
//! thousand times with known bounds is replayed rather than proved.
//!
//! The stem leads from every initial state of `when` into the set, and there is such a state. Every state of the set has
//! an arm, and an arm leads through at least one edge inside the loop back into the set. So a run of `when` can be kept
//! going for ever, inside the loop from the first visit of the set on. It never meets undefined behaviour, since paths do
//! not enter sinks.

use crate::orbit::{initial, var_of};
use crate::prover::Prover;
use crate::rejection::{Condition, Rejection};
use crate::segments::at_state;
use crate::taint::{Settled, Tracked, eval};
use crate::{loop_at, state_term, well_formed};
use lariat_ir::{
    Arm, AssumptionId, Claim, Id, LocId, Machine, Move, Role, State, Term, Terms, TransitionSystem, UnknownId,
    UnknownKind, Value, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Shows that the loop at `header` can run for ever, by a set that is never left.
pub(crate) fn recurrent_set(
    prover: &mut Prover<'_, '_>,
    claim: &Claim,
    header: LocId,
    start: &[Value],
    stem: &[Move],
    set: &BTreeMap<LocId, Term>,
    arms: &[Arm],
) -> Result<BTreeSet<AssumptionId>, Rejection> {
    let ts = prover.ts();
    let this = prover.system.forest().loops[loop_at(prover.system, header)?].body.clone();
    for (l, t) in set {
        state_term(prover.system, *t, "the recurrent set")?;
        if !this.contains(l) {
            let message = format!("`{}` is not in the loop at `{}`", prover.name(*l), prover.name(header));
            return Err(Rejection::new(Condition::SetOutsideLoop, message));
        }
    }
    for a in arms {
        state_term(prover.system, a.when, "an arm's condition")?;
    }
    initial(ts, claim.when, start)?;
    let mut used = BTreeSet::new();
    let anywhere: BTreeSet<LocId> = ts.locs.ids().filter(|l| !l.is_sink()).collect();
    let fixed: BTreeSet<VarId> = [claim.when, ts.init].iter().flat_map(|t| ts.fixed_by(*t)).collect();
    let known = start.iter().enumerate().map(|(i, v)| {
        let settled = fixed.contains(&VarId::from_index(i));
        (v.clone(), Settled::all(v, settled))
    });
    let known = known.collect();
    let end = walk(prover, ts.entry, &[claim.when, ts.init], stem, &anywhere, &mut used, known)?;
    let Some(goal) = set.get(&end.at) else {
        let message = format!("it ends at `{}`, where the set has no states", prover.name(end.at));
        return Err(Rejection::new(Condition::StemMissesSet, message));
    };
    prover.show(&end.premises, at_state(ts, *goal, &end.state), Condition::StemMissesSet, || {
        format!("the stem ends at `{}` outside the set", ts.locs[end.at].name)
    })?;
    replay(ts, start, stem, set)?;

    for (l, here) in set {
        let ways = ts.terms.any(arms.iter().filter(|a| a.from == *l).map(|a| a.when));
        prover.show(&[*here], ways, Condition::NoWayOn, || {
            format!("a state of the set at `{}` has no arm", ts.locs[*l].name)
        })?;
    }
    for a in arms {
        let name = prover.name(a.from);
        let Some(here) = set.get(&a.from) else {
            let message = format!("an arm starts at `{name}`, where the set has no states");
            return Err(Rejection::new(Condition::SetOutsideLoop, message));
        };
        if a.path.is_empty() {
            return Err(Rejection::new(Condition::EmptyPath, format!("the arm at `{name}`")));
        }
        let nothing = ts.vars.iter().map(|v| Value::zero(v.sort)).map(|v| (v.clone(), Settled::all(&v, false)));
        let end = walk(prover, a.from, &[*here, a.when], &a.path, &this, &mut used, nothing.collect())?;
        let Some(goal) = set.get(&end.at) else {
            let message =
                format!("the arm from `{name}` ends at `{}`, where the set has no states", prover.name(end.at));
            return Err(Rejection::new(Condition::PathLeavesSet, message));
        };
        prover.show(&end.premises, at_state(ts, *goal, &end.state), Condition::PathLeavesSet, || {
            format!("the arm from `{name}` to `{}`", ts.locs[end.at].name)
        })?;
    }
    Ok(used)
}

struct Walked {
    at: LocId,
    state: Vec<Term>,
    premises: Vec<Term>,
}

/// Walks a path from every state that the premises allow, for all environment and abstraction values.
fn walk(
    prover: &mut Prover<'_, '_>,
    from: LocId,
    premises: &[Term],
    path: &[Move],
    inside: &BTreeSet<LocId>,
    used: &mut BTreeSet<AssumptionId>,
    mut known: Vec<Tracked>,
) -> Result<Walked, Rejection> {
    let ts = prover.ts();
    let terms = &ts.terms;
    let mut at = from;
    let mut state: Vec<Term> =
        ts.vars.iter().zip(&known).map(|(v, k)| settled_term(terms, k).unwrap_or(v.term)).collect();
    let mut premises = premises.to_vec();
    for (frame, m) in path.iter().enumerate() {
        let frame = u32::try_from(frame + 1).expect("a path is short");
        let edge = &ts.edges[m.edge];
        let words = || format!("the step from `{}` to `{}`", ts.locs[edge.from].name, ts.locs[edge.to].name);
        if edge.from != at {
            let message = format!("{} does not start at `{}`", words(), prover.name(at));
            return Err(Rejection::new(Condition::StepsNotConnected, message));
        }
        if edge.to == LocId::UB {
            return Err(Rejection::new(Condition::UndefinedBehaviour, words()));
        }
        if edge.to.is_sink() {
            return Err(Rejection::new(Condition::RunEnds, words()));
        }
        if !inside.contains(&edge.to) {
            return Err(Rejection::new(Condition::LeavesLoop, words()));
        }
        used.extend(&edge.assumes);
        let (enabled, settled) = eval(terms, edge.guard, |s| known[var_of(ts, s).index()].clone());
        if !(settled.is_all() && enabled.as_bool()) {
            prover.show(&premises, at_state(ts, edge.guard, &state), Condition::PathNotEnabled, words)?;
        }

        let mentioned = ts.unknowns_of(m.edge);
        let wanted: Vec<UnknownId> =
            mentioned.iter().copied().filter(|u| ts.unknowns[*u].kind == UnknownKind::Input).collect();
        let mut given: Vec<UnknownId> = m.inputs.iter().map(|(u, _)| *u).collect();
        given.sort_unstable();
        if wanted != given {
            return Err(Rejection::new(Condition::MissingChoice, words()));
        }
        let mut chosen: BTreeMap<UnknownId, Term> = BTreeMap::new();
        let mut values: BTreeMap<UnknownId, Tracked> = BTreeMap::new();
        for (u, t) in &m.inputs {
            well_formed(prover.system, *t, "an input", Some(ts.unknowns[*u].sort), false)?;
            let tracked = eval(terms, *t, |s| known[var_of(ts, s).index()].clone());
            let value = settled_term(terms, &tracked).unwrap_or_else(|| at_state(ts, *t, &state));
            if !(tracked.1.is_all() && ts.admits(*u, &tracked.0)) {
                prover.show(&premises, ts.range_condition(*u, value), Condition::ChoiceOutOfRange, words)?;
            }
            values.insert(*u, tracked);
            chosen.insert(*u, value);
        }
        for u in mentioned {
            values.entry(u).or_insert_with(|| {
                let any = ts.least(u);
                let settled = Settled::all(&any, false);
                (any, settled)
            });
            chosen.entry(u).or_insert_with(|| {
                let any = terms.copy_symbol(ts.unknowns[u].term, frame);
                premises.push(ts.range_condition(u, any));
                any
            });
        }
        let after: Vec<(usize, Term, Tracked)> = edge
            .updates
            .iter()
            .map(|(v, t)| {
                let tracked = eval(terms, *t, |s| match terms.role(s) {
                    Some(Role::Unknown(u)) => values[&u].clone(),
                    _ => known[var_of(ts, s).index()].clone(),
                });
                if let Some(constant) = settled_term(terms, &tracked) {
                    return (v.index(), constant, tracked);
                }
                let new = terms.substitute(*t, |s| match terms.role(s) {
                    Some(Role::Var(v)) => Some(state[v.index()]),
                    Some(Role::Unknown(u)) => Some(chosen[&u]),
                    _ => None,
                });
                (v.index(), new, tracked)
            })
            .collect();
        for (v, new, tracked) in after {
            state[v] = new;
            known[v] = tracked;
        }
        at = edge.to;
    }
    Ok(Walked { at, state, premises })
}

/// The constant that a settled scalar is.
fn settled_term(terms: &Terms, (value, settled): &Tracked) -> Option<Term> {
    (settled.is_all() && !matches!(value, Value::Array(_))).then(|| terms.value(value))
}

/// Runs the stem from the start with the interpreter: no solver has a say in it. Environment and abstraction values are
/// the least of their ranges.
fn replay(ts: &TransitionSystem, start: &[Value], stem: &[Move], set: &BTreeMap<LocId, Term>) -> Result<(), Rejection> {
    let machine = Machine::new(ts);
    let mut state = State { loc: ts.entry, values: start.to_vec() };
    for m in stem {
        let words = || format!("the step from `{}` in a replay", ts.locs[state.loc].name);
        if machine.enabled(&state) != Ok(m.edge) {
            return Err(Rejection::new(Condition::StepNotEnabled, words()));
        }
        let values = state.values.clone();
        let next = machine.take(&state, m.edge, |u| match m.inputs.iter().find(|(w, _)| *w == u) {
            Some((_, t)) => in_values(ts, *t, &values),
            None => ts.least(u),
        });
        state = next;
    }
    match set.get(&state.loc) {
        Some(t) if in_values(ts, *t, &state.values).as_bool() => Ok(()),
        _ => Err(Rejection::new(Condition::StemMissesSet, "the replayed stem ends outside the set")),
    }
}

fn in_values(ts: &TransitionSystem, t: Term, values: &[Value]) -> Value {
    ts.terms.eval(t, |s| match ts.terms.role(s) {
        Some(Role::Var(v)) => values[v.index()].clone(),
        role => unreachable!("{role:?} in a term over variables"),
    })
}
