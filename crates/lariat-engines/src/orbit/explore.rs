//! Runs that choose another input each time: an explicit-state search, depth first.
//!
//! A state machine reads an input a round, and the round that changes nothing is found by trying. So a run is followed; where it reads inputs,
//! they get the constants in turn that the program compares them with; and where it ends, or comes to where another run was, it goes back to
//! the last choice and takes the next constant. Nothing is claimed here but runs that were made, by `Runner::closes`.

use super::periodic::{Candidate, Lassos, MOST_MISSES, number, of_sort};
use crate::engine::EngineCx;
use crate::symex::concrete::Runner;
use crate::symex::reads::Miss;
use dashu_int::IBig;
use lariat_ir::fast::FastMap;
use lariat_ir::{EdgeId, Id, LocId, Machine, Role, Sort, Term, TransitionSystem, UnknownId, UnknownKind, Value, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// More constants than this are not tried for an input.
const MOST_CONSTANTS: usize = 48;

/// More values than this are not kept for going back.
const MOST_VALUES: usize = 4_000_000;

/// How often values at a header may be equal without a cycle that closes: other inputs may do better, so it may be more often than with one run.
const MORE_MISSES: usize = 4 * MOST_MISSES;

/// A place of the run where inputs were read.
struct Choice {
    /// The number of the step.
    step: usize,
    edge: EdgeId,
    /// Which of the constants comes next.
    next: usize,
}

/// Looks for runs that come back to where they were, over all choices of inputs behind the run that is given, until so many steps are made.
pub(super) fn explore(
    ts: &TransitionSystem,
    cx: &EngineCx,
    machine: &Machine<'_>,
    mut runner: Runner<'_, '_>,
    most_steps: usize,
    candidates: &mut BTreeMap<LocId, Candidate>,
    found: &mut Lassos,
) {
    let constants = Constants::of(ts);
    // Two states that agree on what any of the loops depends on have the same future, but for what arrays hold: one is enough.
    let decisive: BTreeSet<VarId> = candidates.values().flat_map(|q| scalars(ts, q)).collect();
    let mut been: BTreeSet<(LocId, Vec<Value>)> = BTreeSet::new();
    // The visits on the way to where the run is, in their order, each with the one before it that had the same values, and where to find the last one with some values.
    let mut visits: Vec<(usize, Key, Option<usize>)> = Vec::new();
    let mut on_the_way: FastMap<Key, usize> = FastMap::default();
    let mut choices: Vec<Choice> = Vec::new();
    for candidate in candidates.values_mut() {
        candidate.misses = if candidate.misses > MOST_MISSES { MORE_MISSES + 1 } else { 0 };
    }
    // Most of the steps may lie behind each other, if there is room for their states; going back costs none.
    let deepest = runner.recording.steps.len() + (most_steps / 4 * 3).min(MOST_VALUES / ts.vars.len().max(1));
    for _ in 0..most_steps {
        if candidates.values().all(|q| q.misses > MORE_MISSES) || cx.out_of_time() {
            return;
        }
        let now = runner.recording.steps.len();
        let loc = runner.state.loc;
        let mut goes_on = now < deepest;
        if let Some(candidate) = candidates.get_mut(&loc) {
            let key = (loc, values(&runner, scalars(ts, candidate)));
            if candidate.misses <= MORE_MISSES
                && let Some(&before) = on_the_way.get(&key)
            {
                let mut round = runner.recording.steps[before..].iter();
                let inside = round.all(|s| candidate.body.contains(&ts.edges[s.edge].from));
                match if inside { runner.closes(before) } else { Err(Miss::Differs) } {
                    Ok(lasso) => {
                        found.insert(loc, lasso);
                        candidates.remove(&loc);
                        goes_on = false;
                    }
                    Err(Miss::Unsettled) => candidate.misses = MORE_MISSES + 1,
                    Err(Miss::Differs) => candidate.misses += 1,
                }
            }
            goes_on &= been.insert((loc, values(&runner, decisive.iter().copied())));
            if goes_on {
                let before = on_the_way.insert(key.clone(), now);
                visits.push((now, key, before));
            }
        }
        let edge = runner.next().filter(|_| goes_on);
        if let Some(edge) = edge {
            if machine.unknowns_of(edge).iter().any(|u| ts.unknowns[*u].kind == UnknownKind::Input) {
                choices.push(Choice { step: now, edge, next: 1 });
            }
            constants.step(&mut runner, edge, 0);
            continue;
        }
        // The last place with a constant that was not tried.
        let next = loop {
            let Some(choice) = choices.last_mut() else { return };
            if choice.next < constants.most(machine.unknowns_of(choice.edge)) {
                choice.next += 1;
                break (choice.step, choice.edge, choice.next - 1);
            }
            choices.pop();
        };
        let (step, edge, n) = next;
        runner.back_to(step);
        while let Some((_, key, before)) = visits.pop_if(|(at, ..)| *at > step) {
            match before {
                Some(before) => on_the_way.insert(key, before),
                None => on_the_way.remove(&key),
            };
        }
        constants.step(&mut runner, edge, n);
    }
}

/// A location and the values there of what its loop depends on.
type Key = (LocId, Vec<Value>);

fn scalars(ts: &TransitionSystem, candidate: &Candidate) -> impl Iterator<Item = VarId> {
    candidate.relevant.iter().copied().filter(|v| !matches!(ts.vars[*v].sort, Sort::Array(..)))
}

fn values(runner: &Runner<'_, '_>, of: impl Iterator<Item = VarId>) -> Vec<Value> {
    of.map(|v| runner.state.values[v.index()].clone()).collect()
}

/// The values that inputs are given.
struct Constants<'a> {
    ts: &'a TransitionSystem,
    of: BTreeMap<UnknownId, Vec<Value>>,
}

impl<'a> Constants<'a> {
    /// For each input the constants that guards compare it with, and their neighbours; where it is compared with none, a few small ones.
    fn of(ts: &'a TransitionSystem) -> Self {
        let t = &ts.terms;
        let guards: Vec<Term> = ts.edges.iter().map(|e| e.guard).collect();
        // Comparisons: what they speak of, and the numbers in them.
        let compared: Vec<(BTreeSet<VarId>, Vec<IBig>)> = t
            .reachable(&guards)
            .into_iter()
            .filter(|&c| t.sort(c) == Sort::Bool && t.node(c).args().iter().any(|a| t.sort(*a) != Sort::Bool))
            .map(|c| {
                let numbers = t.reachable(&[c]).into_iter().filter_map(|n| number(t, n));
                (variables(ts, c).collect(), numbers.collect())
            })
            .filter(|(vars, numbers): &(BTreeSet<VarId>, Vec<IBig>)| !vars.is_empty() && !numbers.is_empty())
            .collect();
        let inputs = ts.unknowns.entries().filter(|(_, u)| u.kind == UnknownKind::Input);
        let flows = flows(ts);
        let of = inputs.map(|(u, unknown)| {
            // What is compared with the input itself comes first.
            let holders = holders(ts, &flows, u);
            let told = holders.iter().flat_map(|v| compared.iter().filter(|(vars, _)| vars.contains(v)));
            let near =
                told.flat_map(|(_, numbers)| numbers).flat_map(|n| [n.clone(), n + IBig::from(1), n - IBig::from(1)]);
            let small = [0, 1, -1].map(IBig::from);
            let mut all: Vec<Value> = Vec::new();
            for number in near.chain(small) {
                let value = of_sort(unknown.sort, &number);
                if ts.admits(u, &value) && !all.contains(&value) {
                    all.push(value);
                }
                if all.len() == MOST_CONSTANTS {
                    break;
                }
            }
            if all.is_empty() {
                all.push(ts.least(u));
            }
            (u, all)
        });
        let of = of.collect();
        Self { ts, of }
    }

    /// How many choices there are for the inputs that are read at once: they are chosen alike.
    fn most(&self, read: &[UnknownId]) -> usize {
        read.iter().filter_map(|u| self.of.get(u)).map(Vec::len).max().unwrap_or(1)
    }

    /// Takes a step with the n-th choice.
    fn step(&self, runner: &mut Runner<'_, '_>, edge: EdgeId, n: usize) {
        runner.step(edge, |u| match self.of.get(&u) {
            Some(values) => values[n % values.len()].clone(),
            None => self.ts.least(u),
        });
    }
}

fn variables(ts: &TransitionSystem, of: Term) -> impl Iterator<Item = VarId> {
    ts.terms.symbols(of).into_iter().filter_map(|s| match ts.terms.role(s) {
        Some(Role::Var(v)) => Some(v),
        _ => None,
    })
}

/// Which variables get their values directly from a variable or an unknown.
fn flows(ts: &TransitionSystem) -> FastMap<Term, BTreeSet<VarId>> {
    let mut found: FastMap<Term, BTreeSet<VarId>> = FastMap::default();
    for (v, new) in ts.edges.iter().flat_map(|e| e.updates.iter().copied()) {
        if !matches!(ts.vars[v].sort, Sort::Array(..)) {
            for from in ts.terms.symbols(new) {
                found.entry(from).or_default().insert(v);
            }
        }
    }
    found
}

/// The variables that get their values from an input, directly or by way of others: those with fewer steps between first.
fn holders(ts: &TransitionSystem, flows: &FastMap<Term, BTreeSet<VarId>>, input: UnknownId) -> Vec<VarId> {
    let mut found: Vec<VarId> = Vec::new();
    let mut known: BTreeSet<VarId> = BTreeSet::new();
    let mut from = Some(ts.unknowns[input].term);
    let mut followed = 0;
    while let Some(term) = from {
        let next = flows.get(&term).into_iter().flatten();
        found.extend(next.copied().filter(|v| known.insert(*v)));
        from = found.get(followed).map(|v| ts.vars[*v].term);
        followed += 1;
    }
    found
}
