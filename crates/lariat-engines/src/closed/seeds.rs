//! States in which the headers of a loop are visited.

use crate::engine::{Effort, EngineCx, Task};
use crate::path::in_state;
use crate::symex::paths::{Bounds, Explored, Paths, too_hard, value_of};
use lariat_ir::simplify::simplify;
use lariat_ir::{LocId, Term, TransitionSystem, Value};
use lariat_smt::{Answer, Solver};
use std::collections::{BTreeMap, BTreeSet};

/// A state at each header that was visited.
pub(super) type Seed = BTreeMap<LocId, Vec<Value>>;

/// States from which facts are taken.
fn most_seeds(effort: Effort) -> usize {
    effort.most(3, 5)
}
/// Visits that are looked at for them.
const MOST_VISITS: usize = 24;
/// How far the executor looks.
const BRIEF: Bounds = Bounds { steps: 150, queries: 8, forks: 6 };
const FULL: Bounds = Bounds { steps: 500, queries: 30, forks: 12 };

/// The first visits of the headers.
pub(super) struct Visits {
    states: BTreeMap<LocId, Vec<Vec<Value>>>,
    /// The simplest paths to the loop's own header.
    arrivals: Vec<Explored>,
}

impl Visits {
    /// Those that the executor finds.
    pub fn of(task: &Task<'_>, cx: &EngineCx, solver: &mut dyn Solver, heads: &BTreeSet<LocId>) -> Self {
        let ts = task.ts;
        let mut paths = Paths::new(ts, cx, solver, heads.clone(), cx.effort.most(BRIEF, FULL));
        let mut found = Self { states: BTreeMap::new(), arrivals: Vec::new() };
        for _ in 0..MOST_VISITS {
            let Some(explored) = paths.next(solver) else { break };
            let values = values(ts, explored);
            let here = found.states.entry(explored.path.end).or_default();
            if !here.contains(&values) {
                here.push(values);
            }
            if explored.path.end == task.this().header && found.arrivals.len() < 2 {
                found.arrivals.push(explored.clone());
            }
            if found.states.len() == heads.len() && found.states.values().all(|v| v.len() >= most_seeds(cx.effort)) {
                break;
            }
        }
        found
    }

    /// The simplest paths to the loop's own header.
    pub fn arrivals(&self) -> &[Explored] {
        &self.arrivals
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The states of the first visits, then those of later ones, which have forgotten how the run began.
    pub fn seeds(&self, effort: Effort) -> Vec<Seed> {
        (0..most_seeds(effort))
            .filter(|nth| self.states.values().any(|v| *nth < v.len()))
            .map(|nth| {
                let at = |v: &Vec<Vec<Value>>| v[nth.min(v.len() - 1)].clone();
                self.states.iter().map(|(l, v)| (*l, at(v))).collect()
            })
            .collect()
    }

    /// A seed in which the loop is entered, some way is enabled and a predicate holds.
    pub fn directed(
        &self,
        task: &Task<'_>,
        cx: &EngineCx,
        solver: &mut dyn Solver,
        enabled: Term,
        predicate: Term,
    ) -> Option<Seed> {
        let ts = task.ts;
        for arrival in &self.arrivals {
            let path = &arrival.path;
            let mut all = path.conditions.clone();
            all.extend([enabled, predicate].map(|t| simplify(&ts.terms, in_state(ts, t, &path.state))));
            if cx.out_of_time() || too_hard(ts, &all) {
                return None;
            }
            all.extend(path.ranges(ts));
            all.push(ts.init);
            let Answer::Sat(model) = cx.ask(solver, ts, &all) else { continue };
            let of = |t: &Term| {
                ts.terms.eval(*t, |s| model.value(s).cloned().unwrap_or_else(|| value_of(ts, &arrival.witness, s)))
            };
            let mut seed = self.seeds(cx.effort).first().cloned().unwrap_or_default();
            seed.insert(task.this().header, path.state.iter().map(of).collect());
            return Some(seed);
        }
        None
    }
}

fn values(ts: &TransitionSystem, explored: &Explored) -> Vec<Value> {
    explored.path.state.iter().map(|t| ts.terms.eval(*t, |s| value_of(ts, &explored.witness, s))).collect()
}
