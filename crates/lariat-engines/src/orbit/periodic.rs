//! Does a run from the entry come back to where it was?
//!
//! The paper's second test unrolls the loop under symbolic execution and asks, at each visit of its header, whether the state
//! can be the same as at an earlier visit: the steps before are the prefix, those between are the period. Here it is done
//! twice, for all loops of the system together.
//!
//! *Concretely.* A few runs with simple input values are followed, and visits with equal values are found by a table. A
//! period of a thousand costs a thousand steps and no query. Then inputs are chosen one by one (module `explore`).
//!
//! *Symbolically.* Along the feasible paths (module `symex::paths`) every visit is compared with every earlier one on its
//! path, that is, every split into prefix and period up to the bound is tried; the solver finds the input values.
//!
//! States are compared in what the loop's guards depend on, closed under dependence through the loop. That is a guess at what
//! matters. What is claimed is decided by a replay: from the recorded steps, the parts of the state that the cycle really
//! reads, memory cells included, are computed backwards and closed (module `symex::reads`), and each of them must have its
//! old value. *Why it then runs for ever:* a run that agrees on those parts and chooses the same inputs takes the same
//! steps, so it agrees on them again after the cycle, whatever the environment does and whatever else is in the state. A
//! cycle that reads an environment value, or a stem that does, is not used.

use super::explore::explore;
use crate::board::relevant;
use crate::engine::{EngineCx, NoClaim, Task};
use crate::symex::concrete::{Lasso, Runner};
use crate::symex::paths::{Bounds, Explored, Paths, Visit, Witness, start_of, too_hard, value_of};
use crate::symex::reads::{Miss, fixed_at_start};
use dashu_int::IBig;
use lariat_ir::fast::FastMap;
use lariat_ir::simplify::simplify;
use lariat_ir::{
    Bits, Certificate, Claim, Id, LocId, LoopForest, Machine, Property, Sort, Term, Terms, TransitionSystem,
    UnknownKind, Value, VarId,
};
use lariat_smt::{Answer, Solver};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Runs that repeat, one for each loop for which one was found.
pub(super) type Lassos = BTreeMap<LocId, Lasso>;

/// Those of a system, as far as each effort goes.
#[derive(Default)]
struct LassosByEffort([OnceCell<Lassos>; 3]);

/// How far runs are followed.
struct Reach {
    /// Steps of the first concrete run.
    first: usize,
    /// Steps of those after the first.
    again: usize,
    /// Steps of all concrete runs of a system.
    all: usize,
    /// Steps of the search that chooses the inputs one by one: for each location, since a round of a large system is long.
    chosen: usize,
    /// How far paths are followed.
    paths: Bounds,
    /// How many pairs of visits the solver is asked about.
    pairs: usize,
    /// How many paths are followed beyond their end.
    beyond: usize,
}

impl Reach {
    fn most_chosen(&self, ts: &TransitionSystem) -> usize {
        (2000 + self.chosen * ts.locs.len()).min(MOST_CHOSEN)
    }
}

const BRIEF: Reach = Reach {
    first: 1200,
    again: 150,
    all: 2500,
    chosen: 40,
    beyond: 2,
    paths: Bounds { steps: 150, queries: 12, forks: 6 },
    pairs: 12,
};
const FULL: Reach = Reach {
    first: 4000,
    again: 600,
    all: 12_000,
    chosen: 1000,
    beyond: 4,
    paths: Bounds { steps: 800, queries: 50, forks: 14 },
    pairs: 50,
};

/// So many steps are made at most where inputs are chosen one by one.
const MOST_CHOSEN: usize = 400_000;

/// How often values at a header may be equal without a cycle that closes.
pub(super) const MOST_MISSES: usize = 4;

/// A run that comes back to where it was, as a claim.
pub(super) fn repeats(task: &Task<'_>, cx: &EngineCx, solver: &mut dyn Solver) -> Result<Claim, NoClaim> {
    let ts = task.ts;
    let header = task.this().header;
    let found = task.board.get_or_insert_with(LassosByEffort::default);
    let lassos = found.0[cx.effort as usize].get_or_init(|| search_runs(ts, task.forest, cx, solver));
    let Some(lasso) = lassos.get(&header) else {
        return Err("no run came back to where it was".into());
    };
    let fixed = ts.fixed_by(ts.init);
    let (stem, cycle) = lasso.run.steps.split_at(lasso.cycle);
    Ok(Claim {
        system: task.hash,
        property: Property::Diverges(header),
        when: fixed_at_start(ts, &lasso.run.start, &lasso.needed, &fixed),
        certificate: Certificate::Orbit {
            start: lasso.run.start.clone(),
            stem: stem.to_vec(),
            cycle: cycle.to_vec(),
            same: lasso.same.iter().cloned().collect(),
        },
    })
}

/// A loop in which a periodic run is sought.
pub(super) struct Candidate {
    pub body: BTreeSet<LocId>,
    /// The variables that may matter.
    pub relevant: Vec<VarId>,
    /// How often values were equal in vain.
    pub misses: usize,
}

fn search_runs(ts: &TransitionSystem, forest: &LoopForest, cx: &EngineCx, solver: &mut dyn Solver) -> Lassos {
    let machine = Machine::new(ts);
    let mut candidates: BTreeMap<LocId, Candidate> = forest
        .loops
        .iter()
        .map(|l| {
            let relevant = relevant(ts, &l.body).into_iter().collect();
            (l.header, Candidate { body: l.body.clone(), relevant, misses: 0 })
        })
        .collect();
    let mut found = Lassos::new();
    let Answer::Sat(model) = cx.ask(solver, ts, &[ts.init]) else { return found };
    let start: Vec<Value> = ts.vars.iter().map(|v| model.value_or_zero(&ts.terms, v.term)).collect();
    let reach = &cx.effort.most(BRIEF, FULL);
    concretely(ts, cx, reach, &machine, &start, &mut candidates, &mut found);
    if !candidates.is_empty() && !cx.out_of_time() && ts.unknowns.iter().any(|u| u.kind == UnknownKind::Input) {
        let run = Runner::new(&machine, start);
        explore(ts, cx, &machine, run, reach.most_chosen(ts), &mut candidates, &mut found);
    }
    if !candidates.is_empty() && !cx.out_of_time() {
        symbolically(ts, cx, solver, reach, &machine, &mut candidates, &mut found);
    }
    found
}

/// The values that inputs are given in concrete runs: those that programs compare with, and their neighbours.
fn first_values(ts: &TransitionSystem) -> Vec<IBig> {
    let t = &ts.terms;
    let mut found = vec![IBig::ZERO, IBig::from(1), IBig::from(-1), IBig::from(2)];
    let guards: Vec<Term> = ts.edges.iter().map(|e| e.guard).collect();
    for c in t.reachable(&guards) {
        let Some(value) = number(t, c) else { continue };
        found.extend([value.clone(), value.clone() + IBig::from(1), value - IBig::from(1)]);
    }
    // What the types of C end with.
    let power = |n: usize| IBig::from(1) << n;
    let ends = [power(31) - 1, -power(31), power(63) - 1, power(32) - 1, IBig::from(65535), IBig::from(255)];
    found.truncate(MOST_POLICIES - ends.len());
    found.extend(ends);
    let mut seen = BTreeSet::new();
    found.retain(|v| seen.insert(v.clone()));
    found
}

/// The number that a constant is.
pub(super) fn number(t: &Terms, c: Term) -> Option<IBig> {
    match t.constant_value(c)? {
        Value::Int(i) => Some(i),
        Value::Bv(b) => Some(IBig::from(b.signed())),
        _ => None,
    }
}

/// How many values are tried for all inputs alike.
const MOST_POLICIES: usize = 24;

pub(super) fn of_sort(sort: Sort, value: &IBig) -> Value {
    match sort {
        Sort::Bool => Value::Bool(*value != IBig::ZERO),
        Sort::BitVec(w) => Value::Bv(Bits::from_int(w, value)),
        Sort::Int => Value::Int(value.clone()),
        Sort::Array(..) => Value::zero(sort),
    }
}

/// Follows a run with each of the candidate values.
fn concretely(
    ts: &TransitionSystem,
    cx: &EngineCx,
    reach: &Reach,
    machine: &Machine<'_>,
    start: &[Value],
    candidates: &mut BTreeMap<LocId, Candidate>,
    found: &mut Lassos,
) {
    let fixed = ts.fixed_by(ts.init);
    let chooses = ts.unknowns.iter().any(|u| u.kind == UnknownKind::Input) || fixed.len() < ts.vars.len();
    let mut steps = reach.all;
    let mut length = reach.first;
    for value in first_values(ts) {
        let mut values = start.to_vec();
        for (v, var) in ts.vars.entries().filter(|(v, _)| !fixed.contains(v)) {
            values[v.index()] = of_sort(var.sort, &value);
        }
        if !machine.is_initial(&values) {
            values = start.to_vec();
        }
        follow(ts, cx, machine, values, &value, length.min(steps), candidates, found, &mut steps);
        if candidates.values().all(|q| q.misses > MOST_MISSES) || steps == 0 || !chooses || cx.out_of_time() {
            return;
        }
        length = reach.again;
    }
}

#[expect(clippy::too_many_arguments, reason = "the state of one search")]
fn follow(
    ts: &TransitionSystem,
    cx: &EngineCx,
    machine: &Machine<'_>,
    start: Vec<Value>,
    value: &IBig,
    length: usize,
    candidates: &mut BTreeMap<LocId, Candidate>,
    found: &mut Lassos,
    steps: &mut usize,
) {
    let mut runner = Runner::new(machine, start);
    let mut seen: FastMap<(LocId, Vec<Value>), usize> = FastMap::default();
    for _ in 0..length {
        if *steps == 0 || candidates.values().all(|q| q.misses > MOST_MISSES) || cx.out_of_time() {
            return;
        }
        *steps -= 1;
        let loc = runner.state.loc;
        if let Some(candidate) = candidates.get_mut(&loc).filter(|q| q.misses <= MOST_MISSES) {
            let scalars = candidate.relevant.iter().filter(|v| !matches!(ts.vars[**v].sort, Sort::Array(..)));
            let key = (loc, scalars.map(|v| runner.state.values[v.index()].clone()).collect());
            let now = runner.recording.steps.len();
            if let Some(before) = seen.insert(key, now) {
                let edges = runner.recording.steps[before..].iter().map(|s| s.edge);
                let inside = edges.into_iter().all(|e| candidate.body.contains(&ts.edges[e].from));
                let lasso = if inside { runner.closes(before) } else { Err(Miss::Differs) };
                match lasso {
                    Ok(lasso) => {
                        // From here on the run does the same again.
                        found.insert(loc, lasso);
                        candidates.remove(&loc);
                        return;
                    }
                    // Other values do not make the environment matter less.
                    Err(Miss::Unsettled) => candidate.misses = MOST_MISSES + 1,
                    Err(Miss::Differs) => candidate.misses += 1,
                }
            }
        }
        let Some(edge) = runner.next() else { return };
        runner.step(edge, |u| {
            let wanted = of_sort(ts.unknowns[u].sort, value);
            let is_input = ts.unknowns[u].kind == UnknownKind::Input;
            if is_input && ts.admits(u, &wanted) { wanted } else { ts.least(u) }
        });
    }
}

/// Compares visits along the feasible paths.
fn symbolically(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    reach: &Reach,
    machine: &Machine<'_>,
    candidates: &mut BTreeMap<LocId, Candidate>,
    found: &mut Lassos,
) {
    let interest: BTreeSet<LocId> = candidates.keys().copied().collect();
    let mut paths = Paths::new(ts, cx, solver, interest, reach.paths);
    let mut pairs = reach.pairs;
    let mut beyond = reach.beyond;
    while let Some(explored) = paths.next(solver) {
        let explored = explored.clone();
        let now = explored.visits.last().expect("a path ends with a visit");
        if !candidates.contains_key(&now.at) {
            continue;
        }
        // A path whose inputs had to be solved for to come here leads to where no simple input does.
        let is_first = explored.visits.iter().filter(|v| v.at == now.at).count() == 1;
        if is_first
            && beyond > 0
            && let Some(run) = run_to(machine, &explored.witness, now.at, 0, now.step)
        {
            beyond -= 1;
            explore(ts, cx, machine, run, reach.most_chosen(ts), candidates, found);
        }
        let Some(candidate) = candidates.get(&now.at) else { continue };
        for before in explored.visits[..explored.visits.len() - 1].iter().rev().filter(|v| v.at == now.at) {
            let between = &explored.path.edges[before.step..];
            if !between.iter().all(|e| candidate.body.contains(&ts.edges[*e].from)) {
                break;
            }
            if pairs == 0 || cx.out_of_time() {
                return;
            }
            let Some(equal) = equations(ts, candidate, before, now) else { continue };
            let Some(witness) = meet(ts, cx, solver, &explored, &equal, &mut pairs) else { continue };
            let visits = Visits::of(&explored, before);
            if let Some(lasso) = replay(machine, &witness, &visits, &candidate.body, now.step) {
                found.insert(now.at, lasso);
                candidates.remove(&now.at);
                break;
            }
        }
        if candidates.is_empty() {
            return;
        }
    }
}

/// That two visits agree on what may matter; nothing if they cannot.
fn equations(ts: &TransitionSystem, candidate: &Candidate, before: &Visit, now: &Visit) -> Option<Vec<Term>> {
    let t = &ts.terms;
    let mut found = Vec::new();
    for v in &candidate.relevant {
        let (a, b) = (before.state[v.index()], now.state[v.index()]);
        let equal = if a == b { t.tt() } else { simplify(t, t.eq(a, b)) };
        if equal == t.ff() {
            return None;
        }
        // Arrays are compared by the replay, in the cells that matter.
        if equal != t.tt() && !matches!(ts.vars[*v].sort, Sort::Array(..)) {
            found.push(equal);
        }
    }
    Some(found)
}

/// Values under which a path is taken and the equations hold.
fn meet(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    explored: &Explored,
    equal: &[Term],
    pairs: &mut usize,
) -> Option<Witness> {
    let t = &ts.terms;
    let holds = |c: &Term| t.eval(*c, |s| value_of(ts, &explored.witness, s)).as_bool();
    if equal.iter().all(holds) {
        return Some(explored.witness.clone());
    }
    *pairs -= 1;
    let mut all = explored.path.conditions.clone();
    all.extend(equal);
    if too_hard(ts, &all) {
        return None;
    }
    all.extend(explored.path.ranges(ts));
    all.push(ts.init);
    let Answer::Sat(model) = cx.ask(solver, ts, &all) else { return None };
    let symbols: BTreeSet<Term> = all.iter().flat_map(|c| t.symbols(*c)).collect();
    Some(Rc::new(symbols.into_iter().filter_map(|s| model.value(s).map(|v| (s, v.clone()))).collect()))
}

/// Visits of a location on a path: where a cycle begins, and where it ends.
struct Visits {
    at: LocId,
    /// How many come before the beginning.
    first: usize,
    /// How many come before the end.
    last: usize,
}

impl Visits {
    /// The numbers of the visits of a path's end, from one to the last.
    fn of(explored: &Explored, before: &Visit) -> Self {
        let at = before.at;
        let count = |all: &[Visit]| all.iter().filter(|v| v.at == at).count();
        let first = explored.visits.iter().take_while(|v| v.step < before.step).filter(|v| v.at == at).count();
        Self { at, first, last: count(&explored.visits) - 1 }
    }
}

/// The run of a witness, up to its n-th visit of a location; 0 is the first one. Paths that were merged differ in their steps, so the run may take
/// others than the path did; what counts is where it comes by.
fn run_to<'m, 'ts>(
    machine: &'m Machine<'ts>,
    witness: &Witness,
    at: LocId,
    mut n: usize,
    length: usize,
) -> Option<Runner<'m, 'ts>> {
    let ts = machine.system();
    let mut runner = Runner::new(machine, start_of(ts, witness));
    for step in 0..=2 * length {
        if runner.state.loc == at {
            if n == 0 {
                return Some(runner);
            }
            n -= 1;
        }
        let frame = u32::try_from(step).expect("paths are short");
        let edge = runner.next()?;
        runner.step(edge, |u| value_of(ts, witness, ts.terms.copy_symbol(ts.unknowns[u].term, frame)));
    }
    None
}

/// The run of a witness, if it repeats between two visits.
fn replay(
    machine: &Machine<'_>,
    witness: &Witness,
    visits: &Visits,
    body: &BTreeSet<LocId>,
    length: usize,
) -> Option<Lasso> {
    let ts = machine.system();
    let cycle = run_to(machine, witness, visits.at, visits.first, length)?.recording.steps.len();
    let runner = run_to(machine, witness, visits.at, visits.last, length)?;
    let stays = runner.recording.steps[cycle..].iter().all(|s| body.contains(&ts.edges[s.edge].from));
    if stays { runner.closes(cycle).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_brought_into_the_sort_of_an_input() {
        assert_eq!(of_sort(Sort::BitVec(8), &IBig::from(-1)), Value::bv(8, 255));
        assert_eq!(of_sort(Sort::Bool, &IBig::from(2)), Value::Bool(true));
        assert!(matches!(of_sort(Sort::Int, &IBig::from(7)), Value::Int(_)));
    }
}
