//! Concrete runs that remember what they did.

use super::reads;
use lariat_ir::{Choice, EdgeId, Machine, Place, State, TransitionSystem, UnknownId, Value};
use std::collections::BTreeSet;

/// A run from the entry, with every choice that was made.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// The values at the entry.
    pub start: Vec<Value>,
    /// The steps.
    pub steps: Vec<Choice>,
}

impl Recording {
    /// The values before each of the steps in a range, and after the last of them.
    pub fn states(&self, machine: &Machine<'_>, from: usize, to: usize) -> Vec<Vec<Value>> {
        let ts = machine.system();
        let mut state = State { loc: ts.entry, values: self.start.clone() };
        let mut found = Vec::with_capacity(to - from + 1);
        for (i, step) in self.steps[..to].iter().enumerate() {
            if i >= from {
                found.push(state.values.clone());
            }
            state = follow(machine, &state, step);
        }
        found.push(state.values);
        found
    }
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
}

impl<'m, 'ts> Runner<'m, 'ts> {
    /// A run that is about to start.
    pub fn new(machine: &'m Machine<'ts>, start: Vec<Value>) -> Self {
        let state = State { loc: machine.system().entry, values: start.clone() };
        Self { machine, recording: Recording { start, steps: Vec::new() }, state }
    }

    /// The edge that is taken next; none at the end of the run.
    pub fn next(&self) -> Option<EdgeId> {
        self.machine.enabled(&self.state).ok()
    }

    /// Takes one step; `choose` gives the value of each unknown.
    pub fn step(&mut self, edge: EdgeId, mut choose: impl FnMut(UnknownId) -> Value) {
        let ts = self.machine.system();
        let values = ts.unknowns_of(edge).into_iter().map(|u| (u, choose(u))).collect();
        let choice = Choice { edge, values };
        self.state = follow(self.machine, &self.state, &choice);
        self.recording.steps.push(choice);
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
    pub same: BTreeSet<Place>,
    /// What of the first state decides the run.
    pub needed: BTreeSet<Place>,
}

/// Whether the last steps of a run, from `cycle` on, can be repeated for ever: what they depend on is the same again, and
/// nothing on the way hangs on a value that the environment chooses.
pub(crate) fn closes(machine: &Machine<'_>, run: &Recording, cycle: usize) -> Option<Lasso> {
    let ts: &TransitionSystem = machine.system();
    let end = run.steps.len();
    let states = run.states(machine, cycle, end);
    let same = reads::closed(ts, &states, &run.steps[cycle..]).ok()??;
    let (first, last) = (&states[0], &states[states.len() - 1]);
    if same.iter().any(|p| reads::value_at(first, p) != reads::value_at(last, p)) {
        return None;
    }
    let before = run.states(machine, 0, cycle);
    let needed = reads::before(ts, &before, &run.steps[..cycle], &same).ok()?;
    Some(Lasso { run: run.clone(), cycle, same, needed })
}
