//! The interpreter of transition systems: one run, with the unknown values chosen by the caller.

use crate::eval::Plan;
use crate::ids::{EdgeId, Id, IdVec, LocId, UnknownId, VarId};
use crate::system::TransitionSystem;
use crate::term::{Role, Term};
use crate::value::Value;
use std::cell::OnceCell;

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
    /// A number is too large to be calculated with: where numbers are squared in each round there is soon no memory for them.
    Huge,
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

/// A system prepared for running. A location is prepared at its first visit: most runs see few of them.
pub struct Machine<'a> {
    ts: &'a TransitionSystem,
    /// All guards of a location at once: they have most of their parts in common.
    guards: IdVec<LocId, OnceCell<Plan>>,
    updates: IdVec<EdgeId, OnceCell<Plan>>,
    unknowns: IdVec<EdgeId, OnceCell<Vec<UnknownId>>>,
    init: Plan,
}

impl<'a> Machine<'a> {
    /// Prepares a system.
    pub fn new(ts: &'a TransitionSystem) -> Self {
        let guards = ts.locs.iter().map(|_| OnceCell::new()).collect();
        let updates = ts.edges.iter().map(|_| OnceCell::new()).collect();
        let unknowns = ts.edges.iter().map(|_| OnceCell::new()).collect();
        Self { ts, guards, updates, unknowns, init: Plan::new(&ts.terms, &[ts.init]) }
    }

    /// The system.
    pub fn system(&self) -> &'a TransitionSystem {
        self.ts
    }

    /// The unknowns that the updates of an edge use.
    pub fn unknowns_of(&self, edge: EdgeId) -> &[UnknownId] {
        self.unknowns[edge].get_or_init(|| self.ts.unknowns_of(edge))
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
        if state.values.iter().any(Value::is_huge) {
            return Err(Step::Huge);
        }
        let out = &self.ts.locs[state.loc].out;
        let plan = self.guards[state.loc].get_or_init(|| {
            let guards: Vec<Term> = out.iter().map(|&e| self.ts.edges[e].guard).collect();
            Plan::new(&self.ts.terms, &guards)
        });
        let holds = plan.run(|s| self.variable(&state.values, s));
        let mut found: Option<EdgeId> = None;
        for (&e, holds) in out.iter().zip(&holds) {
            if holds.as_bool() {
                if let Some(first) = found {
                    return Err(Step::Ambiguous(first, e));
                }
                found = Some(e);
            }
        }
        found.ok_or(Step::Stuck)
    }

    /// The state after an edge that leaves the state's location, whether or not its guard holds.
    pub fn take(&self, state: &State, edge: EdgeId, mut choose: impl FnMut(UnknownId) -> Value) -> State {
        debug_assert!(self.ts.locs[state.loc].out.contains(&edge), "the edge leaves the location");
        let plan = self.updates[edge].get_or_init(|| {
            let updates: Vec<Term> = self.ts.edges[edge].updates.iter().map(|(_, t)| *t).collect();
            Plan::new(&self.ts.terms, &updates)
        });
        let new = plan.run(|s| match self.ts.terms.role(s) {
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
                Step::Huge => return (state, RunEnd::OutOfFuel),
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
