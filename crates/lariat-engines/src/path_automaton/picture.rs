//! The automaton of a loop as it is shown: in the words of the system, with marks and numbers of executions.

use super::automaton::{Automaton, Mark};
use super::times::Times;
use super::{forever, reduction};
use crate::board::Board;
use crate::engine::{Effort, EngineCx, Goal, Task};
use crate::invariants::Invariants;
use crate::path::in_state;
use crate::slice::slice;
use lariat_ir::lts::print_term;
use lariat_ir::simplify::simplify;
use lariat_ir::{Id, LoopForest, LoopId, SystemHash, TransitionSystem};
use lariat_smt::Limit;
use std::cell::RefCell;
use std::time::Instant;

/// A state as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Where it starts and ends.
    pub ends: (String, String),
    /// When it is taken.
    pub condition: String,
    /// What it does.
    pub updates: Vec<String>,
    /// Whether it ends by itself.
    pub mark: Mark,
    /// Whether a run can come to the loop and take it first, as far as is known.
    pub initial: bool,
}

/// An automaton as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The states.
    pub states: Vec<Shown>,
    /// The transitions, by the numbers of states, with how often the first is executed before the second.
    pub transitions: Vec<(usize, usize, Times)>,
    /// The states after which the loop can be left.
    pub exits: Vec<usize>,
    /// Whether a limit kept paths out.
    pub limited: bool,
}

/// The automaton of a loop's slice, with the marks of its states.
pub fn picture(ts: &TransitionSystem, forest: &LoopForest, hash: SystemHash, id: LoopId, deadline: Instant) -> Picture {
    let board = Board::default();
    let sliced = slice(ts, &forest.loops[id].body);
    let task = Task { ts: sliced.as_ref().unwrap_or(ts), forest, hash, goals: &[Goal::Ends(id)], board: &board };
    let cx =
        EngineCx { effort: Effort::Full, audit: false, limit: Limit::default(), deadline, gave_up: RefCell::default() };
    of(&task, &cx)
}

/// The automaton of a loop, with the marks of its states.
pub(super) fn of(task: &Task<'_>, cx: &EngineCx) -> Picture {
    let ts = task.ts;
    let t = &ts.terms;
    let mut solver = cx.solver();
    let solver = solver.as_mut();
    let mut automaton = Automaton::of(task, cx, solver);
    reduction::mark(task, &mut automaton, cx.effort, cx.deadline);
    forever::mark(task, cx, solver, &mut automaton);
    let transitions = automaton.transitions(ts, cx, solver);
    let invariants = Invariants::of(task.board, ts, task.forest, cx.deadline);
    let mut states = Vec::new();
    let mut exits = Vec::new();
    for (i, s) in automaton.states.iter().enumerate() {
        let inside = |l| task.this().body.contains(&l);
        // What holds at the header on arrival from outside, as far as the invariants say it.
        let entered = ts.edges.iter().any(|e| e.to == s.from && !inside(e.from)) || ts.entry == s.from;
        let known = invariants.get(&s.from).copied().unwrap_or_else(|| t.tt());
        let initial = entered && !cx.ask(solver, ts, &[known, s.condition]).is_unsat();
        let rest = automaton.cells.iter().rfind(|c| c.0 == s.path.end).expect("each head has a rest").1;
        let mut all = s.path.conditions.clone();
        all.extend(s.path.ranges(ts));
        all.push(simplify(t, in_state(ts, rest, &s.path.state)));
        if !cx.ask(solver, ts, &all).is_unsat() {
            exits.push(i);
        }
        let changed = ts.vars.entries().filter(|(v, var)| s.path.state[v.index()] != var.term);
        let update = |(v, var): (lariat_ir::VarId, &lariat_ir::Var)| {
            format!("{} := {}", var.name, print_term(ts, s.path.state[v.index()]))
        };
        states.push(Shown {
            ends: (ts.locs[s.from].name.clone(), ts.locs[s.path.end].name.clone()),
            condition: print_term(ts, s.condition),
            updates: changed.map(update).collect(),
            mark: s.mark,
            initial,
        });
    }
    let transitions = transitions.iter().map(|r| (r.from, r.to, r.times)).collect();
    Picture { states, transitions, exits, limited: automaton.limited }
}
