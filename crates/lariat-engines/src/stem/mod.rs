//! The way from the entry into a set of states, with the input values that lead there.
//!
//! First forwards, along the simplest feasible paths; where they are too many or too long, backwards from the set (`backward`), with
//! loops on the way taken as a whole.

mod backward;
#[cfg(test)]
mod tests;

use crate::engine::{Effort, EngineCx, NoClaim};
use crate::path::{SymbolicPath, in_state};
use crate::symex::concrete::Runner;
use crate::symex::paths::{Bounds, Paths, Witness, start_of, too_hard, value_of};
use lariat_ir::simplify::simplify;
use lariat_ir::{EdgeId, LocId, Machine, Mode, Move, Role, Term, TransitionSystem, Value};
use lariat_smt::{Answer, Solver};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A way into a set of states.
#[derive(Clone, Debug)]
pub(crate) struct Stem {
    /// The initial states it is for.
    pub when: Term,
    /// One of them.
    pub start: Vec<Value>,
    /// Its steps.
    pub moves: Vec<Move>,
}

/// How far to look.
const BOUNDS: Bounds = Bounds { steps: 1500, queries: 60, forks: 24 };
/// How many arrivals at the loop are looked at.
const MOST_ARRIVALS: usize = 40;

/// The simplest path from the entry to `target` on which `set` can hold at the end whatever the environment does.
///
/// The inputs are fixed to the values of a model. What the path needs of the first state becomes `when`: in a whole
/// program the model's values of the variables that matter, in a function the path's own condition, which is the
/// weakest one, where no unknown occurs in it.
pub(crate) fn find(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    target: LocId,
    set: Term,
) -> Result<Stem, NoClaim> {
    let machine = Machine::new(ts);
    let mut paths = Paths::new(ts, cx, solver, BTreeSet::from([target]), BOUNDS);
    let mut arrivals = 0;
    while let Some(explored) = paths.next(solver) {
        let (path, witness) = (explored.path.clone(), explored.witness.clone());
        if let Some(stem) = attempt(ts, cx, solver, &machine, &path, &witness, set) {
            return Ok(stem);
        }
        arrivals += 1;
        if arrivals == MOST_ARRIVALS {
            paths.limited = true;
            break;
        }
    }
    if paths.limited
        && cx.effort != Effort::Quick
        && let Some(stem) = backward::find(ts, cx, solver, target, set)
    {
        return Ok(stem);
    }
    if cx.out_of_time() {
        return Err(NoClaim::OutOfTime("the time was up while looking for a way from the entry".to_owned()));
    }
    Err(if paths.limited {
        "no way from the entry into the states that repeat was found, forwards or backwards".into()
    } else {
        "there is no way from the entry into the states that repeat, whatever the environment does".into()
    })
}

/// The edges that a run takes with the values of a witness, as many as asked for.
pub(crate) fn edges_of(machine: &Machine<'_>, witness: &Witness, steps: usize, end: LocId) -> Option<Vec<EdgeId>> {
    let ts = machine.system();
    let mut runner = Runner::new(machine, start_of(ts, witness));
    // Two sides of a fork that made no difference may have different lengths.
    while runner.state.loc != end || runner.recording.steps.len() < steps {
        if runner.recording.steps.len() > steps + 64 {
            return None;
        }
        let frame = u32::try_from(runner.recording.steps.len()).expect("paths are short");
        let edge = runner.next()?;
        runner.step(edge, |u| value_of(ts, witness, ts.terms.copy_symbol(ts.unknowns[u].term, frame)));
    }
    Some(runner.recording.steps.iter().map(|s| s.edge).collect())
}

fn attempt(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    machine: &Machine<'_>,
    path: &SymbolicPath,
    witness: &Witness,
    set: Term,
) -> Option<Stem> {
    let terms = &ts.terms;
    let goal = simplify(terms, in_state(ts, set, &path.state));
    if goal == terms.ff() {
        return None;
    }
    let mut needed = path.conditions.clone();
    needed.push(goal);
    let witness = if terms.eval(goal, |s| value_of(ts, witness, s)).as_bool() {
        witness.clone()
    } else {
        if too_hard(ts, &needed) {
            return None;
        }
        let mut all = needed.clone();
        all.extend(path.ranges(ts));
        all.push(ts.init);
        let Answer::Sat(model) = cx.ask(solver, ts, &all) else { return None };
        let symbols: BTreeSet<Term> = all.iter().flat_map(|t| terms.symbols(*t)).collect();
        Rc::new(symbols.into_iter().filter_map(|s| model.value(s).map(|v| (s, v.clone()))).collect())
    };
    let taken = edges_of(machine, &witness, path.edges.len(), path.end)?;
    if taken != path.edges {
        // The witness takes another way to the same state: one that this path stands for.
        let mut other = SymbolicPath::at(ts, ts.entry);
        for e in taken {
            other.advance(ts, e);
        }
        return along(ts, cx, solver, &other, &witness, set);
    }
    along(ts, cx, solver, path, &witness, set)
}

/// The stem along a path with the inputs of a witness, if the environment cannot lead it astray.
fn along(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    path: &SymbolicPath,
    witness: &Witness,
    set: Term,
) -> Option<Stem> {
    let terms = &ts.terms;
    let mut needed = path.conditions.clone();
    needed.push(simplify(terms, in_state(ts, set, &path.state)));
    let start = start_of(ts, witness);
    let chosen: Vec<(usize, lariat_ir::UnknownId, Term, Value)> =
        path.inputs(ts).map(|o| (o.step, o.unknown, o.term, value_of(ts, witness, o.term))).collect();
    let with_inputs: Vec<Term> = terms
        .substitute_all(&needed, |s| chosen.iter().find(|c| c.2 == s).map(|c| terms.value(&c.3)))
        .into_iter()
        .map(|t| simplify(terms, t))
        .collect();
    let condition = simplify(terms, terms.all(with_inputs));
    let symbols = terms.symbols(condition);
    let only_variables = symbols.iter().all(|s| matches!(terms.role(*s), Some(Role::Var(_))));
    let when = if ts.mode == Mode::Function && only_variables {
        condition
    } else {
        let fixed = ts.vars.iter().zip(&start).filter(|(v, _)| symbols.contains(&v.term));
        terms.all(fixed.map(|(v, value)| terms.eq(v.term, terms.value(value))))
    };
    // The witness chose environment values, too: the path must be taken for all others as well.
    if condition != terms.tt() && condition != when {
        let mut counter: Vec<Term> = path.ranges(ts);
        counter.extend([when, ts.init, terms.not(condition)]);
        if too_hard(ts, &counter) || !cx.ask(solver, ts, &counter).is_unsat() {
            return None;
        }
    }
    let moves = path
        .edges
        .iter()
        .enumerate()
        .map(|(step, &edge)| {
            let inputs = chosen.iter().filter(|c| c.0 == step).map(|c| (c.1, terms.value(&c.3))).collect();
            Move { edge, inputs }
        })
        .collect();
    Some(Stem { when, start, moves })
}
