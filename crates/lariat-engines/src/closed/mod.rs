//! Sets that are never left: from a reachable state, the facts about it that every way around the loop keeps.
//!
//! The ways through the loop, from its header or that of a loop inside to the next one, are taken as they are, with their
//! whole conditions and with inputs chosen as terms (module `choices`). At each header some state in which it is visited,
//! found by the executor, is the seed. Of everything simple that holds in it (comparisons that the code makes, signs, values,
//! orders between two variables, parities) those facts are kept that every way preserves: candidates are dropped one
//! counterexample after the other until the rest is inductive. If the rest implies that one of the ways is taken, and
//! leads to a state in which again one is taken, the states in which it holds are never left. A way after which none is
//! certain is first restricted to where one is, then dropped. Where numbers grow in step with each other, module `geometric`
//! finds the set.
//!
//! *Why a set that is found is one:* at each header it is `D and K`, where `D` says that one of the kept ways is enabled and
//! `K` is what is left of the facts there. For every kept way the solver has shown that from `K` and the way's condition
//! its end satisfies `K` and `D` of the header it comes to, for all environment values in their ranges. Every way has at least one
//! edge, so a run can be kept going; it stays inside the loop, perhaps in one of those inside it. The checker shows it
//! again on the system.

mod facts;
mod geometric;
mod seeds;
mod simulate;
#[cfg(test)]
mod tests;

use crate::choices::{self, Chosen, PathChoice};
use crate::engine::{Effort, Engine, EngineCx, Goal, NoClaim, Outcome, Task};
use crate::path::{SymbolicPath, between, in_state, speaks_of_variables};
use crate::stem;
use lariat_ir::simplify::simplify;
use lariat_ir::{Arm, Certificate, Claim, Id, LocId, Move, Property, Role, Term, TransitionSystem, Value};
use lariat_smt::{Answer, Solver};
use seeds::{Seed, Visits};
use simulate::Simulation;
use std::collections::{BTreeMap, BTreeSet};

/// The engine.
pub struct ClosedSet;

/// More ways around a loop than this are not used.
const MOST_WAYS: usize = 16;
/// Ways to choose the inputs of one path.
const MOST_CHOICES: usize = 3;
/// Wishes that are tried.
const MOST_PREDICATES: usize = 24;
/// How often a way is restricted to where another one follows.
const MOST_RESTRICTIONS: usize = 2;

impl Engine for ClosedSet {
    fn name(&self) -> &'static str {
        "closed-set"
    }
    fn pursues(&self, goal: Goal) -> bool {
        matches!(goal, Goal::Endless(_))
    }
    fn run(&self, task: &Task<'_>, cx: &mut EngineCx) -> Outcome {
        if cx.effort == Effort::Quick {
            return Outcome::nothing_new();
        }
        let mut solver = cx.solver();
        match search(task, cx, solver.as_mut()) {
            Ok(claim) => Outcome::Claims(vec![claim]),
            Err(reason) => Outcome::GaveUp(reason),
        }
    }
}

/// One way through the loop, with its inputs chosen.
#[derive(Clone)]
struct Way {
    from: LocId,
    to: LocId,
    moves: Vec<Move>,
    condition: Term,
    /// The ranges of the values that stay open.
    ranges: Vec<Term>,
    state: Vec<Term>,
    restricted: usize,
}

/// Facts at each header.
type Facts = BTreeMap<LocId, Vec<Term>>;

fn search(task: &Task<'_>, cx: &EngineCx, solver: &mut dyn Solver) -> Result<Claim, NoClaim> {
    let ts = task.ts;
    let choices = cx.effort.most(1, MOST_CHOICES);
    let variants: Vec<Vec<Way>> = (0..choices).map(|nth| ways(task, cx, nth)).collect();
    if variants.iter().all(Vec::is_empty) {
        return Err("every way around it depends on values of the environment".into());
    }
    let visits = Visits::of(task, cx, solver, &heads(task));
    if visits.is_empty() {
        return Err("no state was found in which it is entered".into());
    }
    let quantities = facts::quantities(ts, task);
    let mut tried = Tried::default();
    let plain = visits.seeds(cx.effort);
    for (nth, ways) in variants.iter().enumerate() {
        // Another choice of inputs is another set of ways, or nothing new.
        if nth > 0 && variants[..nth].iter().any(|earlier| same_ways(earlier, ways)) {
            continue;
        }
        for seed in &plain {
            if let Some(claim) = attempt(task, cx, solver, ways, &quantities, seed, &mut tried) {
                return Ok(claim);
            }
        }
    }
    for ways in &variants {
        if let Some(claim) = geometric::search(task, cx, solver, ways, &visits) {
            return Ok(claim);
        }
    }
    // States of another kind: beyond the constants that the code mentions.
    let enabled = ts.terms.any(variants[0].iter().filter(|w| w.from == task.this().header).map(|w| w.condition));
    for predicate in facts::seed_predicates(ts, task, &quantities).into_iter().take(cx.effort.most(8, MOST_PREDICATES))
    {
        let Some(seed) = visits.directed(task, cx, solver, enabled, predicate) else { continue };
        if let Some(claim) = attempt(task, cx, solver, &variants[0], &quantities, &seed, &mut tried) {
            return Ok(claim);
        }
    }
    Err(if cx.out_of_time() {
        NoClaim::out_of_time()
    } else {
        "no set of states around the first ones is never left".into()
    })
}

/// What was tried already.
#[derive(Default)]
struct Tried {
    sets: BTreeSet<BTreeMap<LocId, Term>>,
    facts: BTreeSet<(usize, Facts)>,
}

/// A claim from the facts about one seed.
fn attempt(
    task: &Task<'_>,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    ways: &[Way],
    quantities: &[Term],
    seed: &Seed,
    tried: &mut Tried,
) -> Option<Claim> {
    let ts = task.ts;
    if cx.out_of_time() {
        return None;
    }
    let mut facts: Facts = seed.iter().map(|(l, values)| (*l, facts::facts(ts, task, quantities, values))).collect();
    Simulation::new(ts, ways).drop_refuted(seed, &mut facts)?;
    if !tried.facts.insert((ways.len(), facts.clone())) {
        return None;
    }
    let (set, kept) = close(ts, cx, solver, ways, facts, seed)?;
    if !tried.sets.insert(set.clone()) {
        return None;
    }
    for (at, here) in &set {
        let Ok(found) = stem::find(ts, cx, solver, *at, *here) else { continue };
        let arms = kept.iter().map(|w| Arm { from: w.from, when: w.condition, path: w.moves.clone() });
        return Some(Claim {
            system: task.hash,
            property: Property::Diverges(task.this().header),
            when: found.when,
            certificate: Certificate::RecurrentSet { start: found.start, stem: found.moves, arms: arms.collect(), set },
        });
    }
    None
}

fn same_ways(a: &[Way], b: &[Way]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.condition == b.condition && a.state == b.state)
}

/// The headers of the loop and of the loops inside it.
fn heads(task: &Task<'_>) -> BTreeSet<LocId> {
    let inner = task.forest.loops.ids().filter(|l| task.forest.is_inside(*l, task.id()));
    inner.chain([task.id()]).map(|l| task.forest.loops[l].header).collect()
}

/// The ways that do not hang on the environment, each with the nth choice of its inputs, or the last one.
fn ways(task: &Task<'_>, cx: &EngineCx, nth: usize) -> Vec<Way> {
    let ts = task.ts;
    let t = &ts.terms;
    let heads = heads(task);
    let mut found: Vec<Way> = Vec::new();
    for head in &heads {
        for path in between(ts, cx, *head, &heads, &task.this().body, MOST_WAYS) {
            if cx.out_of_time() {
                break;
            }
            let mut choices = choices::of_path(ts, &path.edges, nth + 1);
            found.extend(choices.pop().and_then(|choice| way(ts, *head, &path, &choice)));
        }
    }
    found.retain(|w| w.condition != t.ff());
    found
}

fn way(ts: &TransitionSystem, from: LocId, path: &SymbolicPath, choice: &PathChoice) -> Option<Way> {
    let Chosen { moves, condition, ranges, state } = Chosen::of(ts, from, &path.edges, choice)?;
    Some(Way { from, to: path.end, moves, condition, ranges, state, restricted: 0 })
}

/// The part of the facts that the ways keep, with the ways that can be kept, so that the seed lies in a set that is never
/// left.
fn close(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    ways: &[Way],
    mut facts: Facts,
    seed: &Seed,
) -> Option<(BTreeMap<LocId, Term>, Vec<Way>)> {
    let t = &ts.terms;
    // A header that is not visited has no states.
    let mut ways: Vec<Way> =
        ways.iter().filter(|w| seed.contains_key(&w.from) && seed.contains_key(&w.to)).cloned().collect();
    loop {
        let mut stable = false;
        while !stable {
            stable = true;
            for way in &ways {
                if cx.out_of_time() {
                    return None;
                }
                stable &= drop_lost(ts, cx, solver, way, &mut facts)?;
            }
        }
        let enabled: BTreeMap<LocId, Term> =
            seed.keys().map(|l| (*l, t.any(ways.iter().filter(|w| w.from == *l).map(|w| w.condition)))).collect();
        let goes_on = |l: &LocId, values: &[Value]| t.eval(enabled[l], |s| value_in(ts, values, s)).as_bool();
        if !seed.iter().any(|(l, values)| goes_on(l, values)) {
            return None;
        }
        let mut failing = None;
        for (i, way) in ways.iter().enumerate() {
            let goal = simplify(t, in_state(ts, enabled[&way.to], &way.state));
            let mut all = way.ranges.clone();
            all.extend(&facts[&way.from]);
            all.extend([way.condition, t.not(goal)]);
            if !cx.ask(solver, ts, &all).is_unsat() {
                failing = Some((i, goal));
                break;
            }
        }
        let Some((i, goal)) = failing else {
            let set = enabled.iter().map(|(l, on)| (*l, simplify(t, t.and(*on, t.all(facts[l].iter().copied())))));
            let set: BTreeMap<LocId, Term> = set.filter(|(_, states)| *states != t.ff()).collect();
            // A way to where there are no states is never enabled: from a state of the set it would lead into the set.
            ways.retain(|w| set.contains_key(&w.from) && set.contains_key(&w.to));
            return Some((set, ways));
        };
        if ways[i].restricted < MOST_RESTRICTIONS && speaks_of_variables(ts, goal) && goal != t.ff() {
            ways[i].condition = simplify(t, t.and(ways[i].condition, goal));
            ways[i].restricted += 1;
        } else {
            ways.remove(i);
        }
    }
}

/// Drops the facts that one way does not keep; whether there were none.
fn drop_lost(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    way: &Way,
    facts: &mut Facts,
) -> Option<bool> {
    let t = &ts.terms;
    let mut none = true;
    loop {
        let after: Vec<Term> = facts[&way.to].iter().map(|f| simplify(t, in_state(ts, *f, &way.state))).collect();
        let mut all = way.ranges.clone();
        all.extend(&facts[&way.from]);
        all.extend([way.condition, t.not(t.all(after.iter().copied()))]);
        match cx.ask(solver, ts, &all) {
            Answer::Unsat => return Some(none),
            Answer::Unknown(_) => return None,
            Answer::Sat(model) => {
                let holds = |c: Term| t.eval(c, |s| model.value_or_zero(t, s)).as_bool();
                let mut kept = after.iter().map(|a| holds(*a));
                let there = facts.get_mut(&way.to).expect("a way leads to a head with facts");
                let before = there.len();
                there.retain(|_| kept.next().expect("one for each fact"));
                if there.len() == before {
                    return None;
                }
                none = false;
            }
        }
    }
}

fn value_in(ts: &TransitionSystem, values: &[Value], s: Term) -> Value {
    match ts.terms.role(s) {
        Some(Role::Var(v)) => values[v.index()].clone(),
        role => unreachable!("{role:?} in a term over variables"),
    }
}
