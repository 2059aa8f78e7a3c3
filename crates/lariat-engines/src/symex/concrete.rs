//! Concrete runs that remember what they did.

use super::reads::{self, Miss, Reads};
use lariat_ir::{Choice, EdgeId, Machine, State, StatePart, Term, UnknownId, Value};
use std::collections::BTreeSet;

/// A run from the entry, with every choice that was made.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// The values at the entry.
    pub start: Vec<Value>,
    /// The steps.
    pub steps: Vec<Choice>,
}

fn follow(machine: &Machine<'_>, state: &State, step: &Choice) -> State {
    machine.take(state, step.edge, |u| {
        let given = step.values.iter().find(|(w, _)| *w == u).map(|(_, v)| v.clone());
        given.unwrap_or_else(|| machine.system().least(u))
    })
}

/// A run in the making.
pub(crate) struct Runner<'m, 'ts> {
    machine: &'m Machine<'ts>,
    /// What was done so far.
    pub recording: Recording,
    /// Where the run is.
    pub state: State,
    /// The values before each step.
    before: Vec<Vec<Value>>,
}

impl<'m, 'ts> Runner<'m, 'ts> {
    /// A run that is about to start.
    pub fn new(machine: &'m Machine<'ts>, start: Vec<Value>) -> Self {
        let state = State { loc: machine.system().entry, values: start.clone() };
        Self { machine, recording: Recording { start, steps: Vec::new() }, state, before: Vec::new() }
    }

    /// The edge that is taken next; none at the end of the run.
    pub fn next(&self) -> Option<EdgeId> {
        self.machine.enabled(&self.state).ok()
    }

    /// Takes one step; `choose` gives the value of each unknown.
    pub fn step(&mut self, edge: EdgeId, mut choose: impl FnMut(UnknownId) -> Value) {
        let values = self.machine.unknowns_of(edge).iter().map(|u| (*u, choose(*u))).collect();
        let choice = Choice { edge, values };
        let next = follow(self.machine, &self.state, &choice);
        self.before.push(std::mem::replace(&mut self.state, next).values);
        self.recording.steps.push(choice);
    }

    /// Takes back all steps from the n-th on.
    pub fn back_to(&mut self, n: usize) {
        let loc = self.machine.system().edges[self.recording.steps[n].edge].from;
        self.state = State { loc, values: self.before[n].clone() };
        self.recording.steps.truncate(n);
        self.before.truncate(n);
    }

    /// What of the first state decides that the run takes these steps and that a condition holds at its end; nothing if it does
    /// not, or if the environment has a say.
    pub fn leads_into(&self, condition: Term) -> Option<BTreeSet<StatePart>> {
        let mut reads = Reads::new(self.machine.system());
        let (holds, after) = reads.of(&self.state.values, condition);
        reads.before(&self.before, &self.recording.steps, &after).ok().filter(|_| holds)
    }

    /// Whether the last steps, from `cycle` on, can be repeated for ever: what they depend on is the same again, and
    /// nothing on the way hangs on a value that the environment chooses.
    pub fn closes(&self, cycle: usize) -> Result<Lasso, Miss> {
        let (first, last) = (&self.before[cycle], &self.state.values);
        let differs =
            |places: &BTreeSet<StatePart>| places.iter().any(|p| reads::value_at(first, p) != reads::value_at(last, p));
        let (stem, round) = self.recording.steps.split_at(cycle);
        let mut reads = Reads::new(self.machine.system());
        let same = reads.closed(&self.before[cycle..], round, &differs)?;
        let needed = reads.before(&self.before[..cycle], stem, &same)?;
        Ok(Lasso { run: self.recording.clone(), cycle, same, needed })
    }
}

/// A run that repeats: the steps before the repetition, the repetition, and what it keeps.
#[derive(Clone, Debug)]
pub(crate) struct Lasso {
    /// The run, up to the end of the first round.
    pub run: Recording,
    /// Where the cycle starts.
    pub cycle: usize,
    /// What is the same after the cycle as before and decides everything that it does.
    pub same: BTreeSet<StatePart>,
    /// What of the first state decides the run.
    pub needed: BTreeSet<StatePart>,
}
