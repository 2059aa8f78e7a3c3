//! The path dependency automaton: its states are the ways between the headers of a loop, its transitions say which way can follow
//! which.
//!
//! A state is a path from a header to the next one inside the loop, with the weakest condition under which it is taken:
//! the guards, each in the state at its step, so that they speak of the variables at the header. What is infeasible is no state.
//! The headers are those of the loop and of all loops inside it, so that nested loops are one automaton.
//!
//! A transition from `s` to `r` is left out only where the solver has shown that `r`'s condition cannot hold after an execution
//! of `s`: an unknown answer keeps it. *Why one execution is enough:* if `r` can be taken after k executions of `s`, it can be taken
//! after the last of them, which starts in a state in which `s` is taken. The number k is found for what is drawn and for
//! cycles (module `times`).
//!
//! Where inputs or the environment decide between two paths, their conditions over the variables overlap. Such paths share a
//! *cell*; the cells of a header and the rest of its states, in which the loop is left, divide all states at the header.

use super::times::{Times, times};
use crate::engine::{EngineCx, Task};
use crate::path::{SymbolicPath, between, in_state, speaks_of_variables};
use lariat_ir::simplify::simplify;
use lariat_ir::{LocId, Term, TransitionSystem};
use lariat_smt::Solver;
use std::collections::BTreeSet;

/// More paths from a header than this are not listed.
const MOST_PATHS: usize = 40;
/// More cells at a header than this are merged.
const MOST_CELLS: usize = 10;

/// Whether a path, taken again and again, ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// From no state can it be repeated for ever.
    T,
    /// From every state in which it is taken it can be repeated for ever.
    NT,
    /// Neither was shown.
    UN,
}

/// A path between two headers.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Where it starts.
    pub from: LocId,
    /// The path, with the guards over the variables at its start.
    pub path: SymbolicPath,
    /// The part of its condition that speaks of the variables alone.
    pub condition: Term,
    /// The cell of its header that it starts in.
    pub cell: usize,
    /// Whether it ends by itself.
    pub mark: Mark,
}

impl State {
    /// Whether it leads back to where it starts.
    pub fn is_cycle(&self) -> bool {
        self.from == self.path.end
    }
}

/// That one path can follow another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transition {
    pub from: usize,
    pub to: usize,
    /// How often the first is taken before the second.
    pub times: Times,
}

/// The automaton of a loop.
pub(crate) struct Automaton {
    /// The headers.
    pub heads: BTreeSet<LocId>,
    /// The states.
    pub states: Vec<State>,
    /// The states at the headers, divided: the cells with paths, then for each header the rest.
    pub cells: Vec<(LocId, Term)>,
    /// Whether a limit kept paths out. What is concluded from cells does not hang on it: the rest of a header has all that is not in a
    /// cell, and its steps are listed anew.
    pub limited: bool,
}

impl Automaton {
    /// The automaton of a loop, without transitions.
    pub fn of(task: &Task<'_>, cx: &EngineCx, solver: &mut dyn Solver) -> Self {
        let ts = task.ts;
        let inner = task.forest.loops.ids().filter(|l| task.forest.is_inside(*l, task.id()));
        let heads: BTreeSet<LocId> = inner.chain([task.id()]).map(|l| task.forest.loops[l].header).collect();
        let mut this = Self { heads: heads.clone(), states: Vec::new(), cells: Vec::new(), limited: false };
        let mut rests = Vec::new();
        for &head in &heads {
            let mut paths = between(ts, cx, head, &heads, &task.this().body, MOST_PATHS + 1);
            if paths.len() > MOST_PATHS || cx.out_of_time() {
                this.limited = true;
                paths.truncate(MOST_PATHS);
            }
            paths.retain(|p| {
                let mut all = p.conditions.clone();
                all.extend(p.ranges(ts));
                !cx.ask(solver, ts, &all).is_unsat()
            });
            rests.push((head, this.add(ts, head, &paths)));
        }
        for (head, rest) in rests {
            this.cells.push((head, rest));
        }
        this
    }

    /// Adds the paths from one header and their cells; gives the rest of its states.
    fn add(&mut self, ts: &TransitionSystem, head: LocId, paths: &[SymbolicPath]) -> Term {
        let t = &ts.terms;
        let mut groups = together(ts, head, paths, false);
        if groups.len() > MOST_CELLS {
            groups = together(ts, head, paths, true);
        }
        if groups.len() > MOST_CELLS {
            groups = vec![(0..paths.len()).collect()];
        }
        let mut all = Vec::new();
        for group in groups {
            let conditions: Vec<Term> = group.iter().map(|i| over_variables(ts, &paths[*i])).collect();
            let cell = simplify(t, t.any(conditions.iter().copied()));
            for (i, condition) in group.iter().zip(conditions) {
                let path = paths[*i].clone();
                let mark = if path.end == head { Mark::UN } else { Mark::T };
                self.states.push(State { from: head, path, condition, cell: self.cells.len(), mark });
            }
            self.cells.push((head, cell));
            all.push(cell);
        }
        simplify(t, t.not(t.any(all)))
    }

    /// The transitions. No state stays in a path that leads elsewhere.
    pub fn transitions(&self, ts: &TransitionSystem, cx: &EngineCx, solver: &mut dyn Solver) -> Vec<Transition> {
        let t = &ts.terms;
        let mut found = Vec::new();
        for (i, s) in self.states.iter().enumerate() {
            for (k, r) in self.states.iter().enumerate() {
                if i == k || s.path.end != r.from {
                    continue;
                }
                let mut all = s.path.conditions.clone();
                all.extend(s.path.ranges(ts));
                all.push(simplify(t, in_state(ts, r.condition, &s.path.state)));
                if !cx.ask(solver, ts, &all).is_unsat() {
                    let times = if s.is_cycle() { times(ts, cx, solver, s, r) } else { Times::Once };
                    found.push(Transition { from: i, to: k, times });
                }
            }
        }
        found
    }
}

/// The part of a path's condition that speaks of variables alone.
fn over_variables(ts: &TransitionSystem, path: &SymbolicPath) -> Term {
    let t = &ts.terms;
    simplify(t, t.all(path.conditions.iter().copied().filter(|c| speaks_of_variables(ts, *c))))
}

/// Groups of paths of which no two start in a common state.
///
/// Guards of one location are disjoint. So two paths start in different states if the guards at the first location where they part
/// speak of the variables at the header; otherwise they are put together, and so are those that a third one connects. Grouped by
/// their first edges, they are apart by the guards of the header itself.
fn together(ts: &TransitionSystem, head: LocId, paths: &[SymbolicPath], by_first_edge: bool) -> Vec<Vec<usize>> {
    let guards: Vec<Vec<Term>> = paths
        .iter()
        .map(|p| {
            let mut walk = SymbolicPath::at(ts, head);
            let mut guards = Vec::new();
            for e in &p.edges {
                guards.push(in_state(ts, ts.edges[*e].guard, &walk.state));
                walk.advance(ts, *e);
            }
            guards
        })
        .collect();
    let apart = |a: usize, b: usize| {
        let parted = paths[a].edges.iter().zip(&paths[b].edges).position(|(x, y)| x != y);
        parted.is_some_and(|i| {
            (!by_first_edge || i == 0) && speaks_of_variables(ts, guards[a][i]) && speaks_of_variables(ts, guards[b][i])
        })
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for i in 0..paths.len() {
        let (mut mine, others): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
            groups.into_iter().partition(|g| g.iter().any(|k| !apart(i, *k)));
        mine.push(vec![i]);
        groups = others;
        groups.push(mine.concat());
    }
    for g in &mut groups {
        g.sort_unstable();
    }
    groups.sort();
    groups
}
