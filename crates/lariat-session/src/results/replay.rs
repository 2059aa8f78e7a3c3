//! The run of a divergence certificate, replayed: the stem, and some rounds.

use lariat_ir::{
    Arm, Certificate, Choice, Claim, EdgeId, Machine, Move, Role, State, Term, TransitionSystem, UnknownId, Value,
    VarId,
};
use std::collections::BTreeMap;

/// A step of a run.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// The edge that was taken.
    pub edge: EdgeId,
    /// The values of the unknowns on it.
    pub chosen: Vec<(UnknownId, Value)>,
    /// The variables that changed, with the values before and after.
    pub changed: Vec<(VarId, Value, Value)>,
}

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    /// The first values of the variables.
    pub start: Vec<Value>,
    /// The steps.
    pub moments: Vec<Moment>,
    /// How many of them lead to the loop.
    pub stem: usize,
    /// For each round, where it ends in the steps.
    pub rounds: Vec<usize>,
    /// The states in which the rounds start, and the one after the last.
    pub states: Vec<State>,
}

impl Replay {
    /// The steps to the loop.
    pub fn stem(&self) -> &[Moment] {
        &self.moments[..self.stem]
    }
    /// The steps of the round of a number.
    pub fn round(&self, n: usize) -> &[Moment] {
        let start = if n == 0 { self.stem } else { self.rounds[n - 1] };
        &self.moments[start..self.rounds[n]]
    }
}

/// Replays a certificate with so many rounds, or as many as `most` steps have room for; at least one.
pub(crate) fn replay(ts: &TransitionSystem, c: &Claim, rounds: usize, most: usize) -> Option<Replay> {
    let mut player = Player::new(ts);
    match &c.certificate {
        Certificate::Orbit { start, stem, cycle, .. } => {
            let mut state = State { loc: ts.entry, values: start.clone() };
            for c in stem {
                state = player.play(&state, &Planned::Choice(c))?;
            }
            player.rounds(start.clone(), state, rounds, most, |player, state| {
                cycle.iter().try_fold(state.clone(), |state, c| player.play(&state, &Planned::Choice(c)))
            })
        }
        Certificate::RecurrentSet { start, stem, arms, .. } => {
            let chosen = super::simpler::simpler(ts, c).unwrap_or_default();
            let state = player.stem(start, stem, &chosen)?;
            player.rounds(start.clone(), state, rounds, most, |player, state| {
                let arm = arms.iter().find(|a| applies(ts, state, a))?;
                arm.path.iter().try_fold(state.clone(), |state, m| player.play(&state, &Planned::Move(m)))
            })
        }
        _ => None,
    }
}

fn applies(ts: &TransitionSystem, state: &State, arm: &Arm) -> bool {
    arm.from == state.loc && holds(ts, state, arm.when)
}

/// Whether a condition on the variables holds in a state.
pub(super) fn holds(ts: &TransitionSystem, state: &State, condition: Term) -> bool {
    value(ts, state, condition).as_bool()
}

/// Values for the unknowns of steps, instead of those of a certificate.
pub(super) type Chosen = BTreeMap<(usize, UnknownId), Value>;

fn value(ts: &TransitionSystem, state: &State, term: Term) -> Value {
    ts.terms.eval(term, |s| match ts.terms.role(s) {
        Some(Role::Var(v)) => state.value(v).clone(),
        role => unreachable!("a term of a recurrent set has no symbol with the role {role:?}"),
    })
}

/// Plays steps and writes them down.
pub(super) struct Player<'a> {
    ts: &'a TransitionSystem,
    machine: Machine<'a>,
    pub(super) moments: Vec<Moment>,
}

impl<'a> Player<'a> {
    pub(super) fn new(ts: &'a TransitionSystem) -> Self {
        Self { ts, machine: Machine::new(ts), moments: Vec::new() }
    }

    /// Plays a stem from the entry, with other inputs where there are some; gives the state at its end.
    pub(super) fn stem(&mut self, start: &[Value], stem: &[Move], chosen: &Chosen) -> Option<State> {
        self.moments.clear();
        let mut state = State { loc: self.ts.entry, values: start.to_vec() };
        for (n, m) in stem.iter().enumerate() {
            state = self.play(&state, &Planned::Changed(m, n, chosen))?;
        }
        Some(state)
    }

    fn play(&mut self, state: &State, step: &Planned<'_>) -> Option<State> {
        // An accepted certificate never gets here with another edge; a hand-made one might.
        if self.machine.enabled(state) != Ok(step.edge()) {
            return None;
        }
        let mut chosen: Vec<(UnknownId, Value)> = Vec::new();
        let next = self.machine.take(state, step.edge(), |u| {
            let value = step.value(self.ts, state, u);
            if !chosen.iter().any(|(w, _)| *w == u) {
                chosen.push((u, value.clone()));
            }
            value
        });
        let ids = self.ts.vars.ids();
        let pairs = ids.zip(state.values.iter().zip(&next.values)).filter(|(_, (a, b))| a != b);
        let changed = pairs.map(|(v, (a, b))| (v, a.clone(), b.clone())).collect();
        self.moments.push(Moment { edge: step.edge(), chosen, changed });
        Some(next)
    }

    fn rounds(
        mut self,
        start: Vec<Value>,
        mut state: State,
        rounds: usize,
        most: usize,
        mut around: impl FnMut(&mut Self, &State) -> Option<State>,
    ) -> Option<Replay> {
        let stem = self.moments.len();
        let mut ends = Vec::new();
        let mut states = vec![state.clone()];
        while ends.len() < rounds && (ends.is_empty() || self.moments.len() < stem + most) {
            match around(&mut self, &state) {
                Some(next) => state = next,
                None if ends.is_empty() => return None,
                None => break,
            }
            ends.push(self.moments.len());
            states.push(state.clone());
        }
        let end = *ends.last()?;
        self.moments.truncate(end);
        Some(Replay { start, moments: self.moments, stem, rounds: ends, states })
    }
}

enum Planned<'a> {
    Choice(&'a Choice),
    Move(&'a Move),
    /// The step of a number, with other inputs.
    Changed(&'a Move, usize, &'a Chosen),
}

impl Planned<'_> {
    fn edge(&self) -> EdgeId {
        match self {
            Self::Choice(c) => c.edge,
            Self::Move(m) | Self::Changed(m, ..) => m.edge,
        }
    }
    fn value(&self, ts: &TransitionSystem, state: &State, u: UnknownId) -> Value {
        if let Self::Changed(_, n, chosen) = self
            && let Some(value) = chosen.get(&(*n, u))
        {
            return value.clone();
        }
        let chosen = match self {
            Self::Choice(c) => c.values.iter().find(|(w, _)| *w == u).map(|(_, v)| v.clone()),
            Self::Move(m) | Self::Changed(m, ..) => {
                m.inputs.iter().find(|(w, _)| *w == u).map(|(_, t)| value(ts, state, *t))
            }
        };
        chosen.unwrap_or_else(|| ts.least(u))
    }
}
