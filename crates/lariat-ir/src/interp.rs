//! The interpreter of transition systems: one run, with the unknown values chosen by the caller.

use crate::eval::Plan;
use crate::ids::{EdgeId, Id, IdVec, LocId, UnknownId, VarId};
use crate::system::TransitionSystem;
use crate::term::{Role, Term};
use crate::value::Value;

/// A state: where a run is, and the value of every variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The location.
    pub loc: LocId,
    /// The values, in the order of the variables.
    pub values: Vec<Value>,
}

/// What one step did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// This edge was taken.
    Took(EdgeId, State),
    /// The state is at a sink.
    Ended,
    /// No guard holds: the system is not total.
    Stuck,
    /// Two guards hold: the system is not deterministic.
    Ambiguous(EdgeId, EdgeId),
}

/// How a run of limited length came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// At this sink.
    Sink(LocId),
    /// The fuel was used up first.
    OutOfFuel,
    /// In a state without a step, or with more than one: not a system that `lariat_check::verify` accepts.
    Broken,
}

struct PreparedEdge {
    id: EdgeId,
    guard: Plan,
    updates: Plan,
}

/// A system prepared for running.
pub struct Machine<'a> {
    ts: &'a TransitionSystem,
    edges: IdVec<LocId, Vec<PreparedEdge>>,
    init: Plan,
}

impl<'a> Machine<'a> {
    /// Prepares a system.
    pub fn new(ts: &'a TransitionSystem) -> Self {
        let prepare = |id: EdgeId| {
            let edge = &ts.edges[id];
            let updates: Vec<Term> = edge.updates.iter().map(|(_, t)| *t).collect();
            PreparedEdge { id, guard: Plan::new(&ts.terms, &[edge.guard]), updates: Plan::new(&ts.terms, &updates) }
        };
        let edges = ts.locs.iter().map(|l| l.out.iter().map(|&e| prepare(e)).collect()).collect();
        Self { ts, edges, init: Plan::new(&ts.terms, &[ts.init]) }
    }

    /// The system.
    pub fn system(&self) -> &'a TransitionSystem {
        self.ts
    }

    /// Whether a run can start with these values.
    pub fn is_initial(&self, values: &[Value]) -> bool {
        self.init.run(|s| self.variable(values, s)).swap_remove(0).as_bool()
    }

    /// The edge that is taken from a state.
    pub fn enabled(&self, state: &State) -> Result<EdgeId, Step> {
        if state.loc.is_sink() {
            return Err(Step::Ended);
        }
        let mut found: Option<EdgeId> = None;
        for e in &self.edges[state.loc] {
            if e.guard.run(|s| self.variable(&state.values, s)).swap_remove(0).as_bool() {
                if let Some(first) = found {
                    return Err(Step::Ambiguous(first, e.id));
                }
                found = Some(e.id);
            }
        }
        found.ok_or(Step::Stuck)
    }

    /// The state after an edge that leaves the state's location, whether or not its guard holds.
    pub fn take(&self, state: &State, edge: EdgeId, mut choose: impl FnMut(UnknownId) -> Value) -> State {
        let prepared = self.edges[state.loc].iter().find(|e| e.id == edge).expect("the edge leaves the location");
        let new = prepared.updates.run(|s| match self.ts.terms.role(s) {
            Some(Role::Unknown(u)) => {
                let v = choose(u);
                debug_assert!(self.ts.admits(u, &v), "the value of an unknown lies in its range");
                v
            }
            _ => self.variable(&state.values, s),
        });
        let mut values = state.values.clone();
        for ((var, _), value) in self.ts.edges[edge].updates.iter().zip(new) {
            values[var.index()] = value;
        }
        State { loc: self.ts.edges[edge].to, values }
    }

    /// One step.
    pub fn step(&self, state: &State, choose: impl FnMut(UnknownId) -> Value) -> Step {
        match self.enabled(state) {
            Ok(edge) => Step::Took(edge, self.take(state, edge, choose)),
            Err(other) => other,
        }
    }

    /// Runs from a state for at most `fuel` steps; gives the last state.
    pub fn run(&self, mut state: State, fuel: u64, mut choose: impl FnMut(UnknownId) -> Value) -> (State, RunEnd) {
        for _ in 0..fuel {
            match self.step(&state, &mut choose) {
                Step::Took(_, next) => state = next,
                Step::Ended => {
                    let at = state.loc;
                    return (state, RunEnd::Sink(at));
                }
                Step::Stuck | Step::Ambiguous(..) => return (state, RunEnd::Broken),
            }
        }
        let end = if state.loc.is_sink() { RunEnd::Sink(state.loc) } else { RunEnd::OutOfFuel };
        (state, end)
    }

    fn variable(&self, values: &[Value], s: Term) -> Value {
        match self.ts.terms.role(s) {
            Some(Role::Var(v)) => values[v.index()].clone(),
            role => unreachable!("a guard or an update of a system has no symbol with the role {role:?}"),
        }
    }
}

impl State {
    /// The value of a variable.
    pub fn value(&self, v: VarId) -> &Value {
        &self.values[v.index()]
    }
}
