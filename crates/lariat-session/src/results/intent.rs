//! Endless loops that are meant, told from those that are bugs.
//!
//! What a loop is for is a guess, and no verdict rests on it; but it is a guess from what the loop can do, not from how it is
//! written: whether it has an exit, whether it waits for something in a call, whether its exits depend on what others write.

use crate::source::Source;
use lariat_ir::neutral::{Happening, Origin};
use lariat_ir::{EdgeId, LocId, Loop, Role, Term, TransitionSystem, VarId};
use std::collections::BTreeSet;

/// What an endless loop is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Intent {
    /// It has no exit, and waits in a call.
    EventLoop {
        /// The functions that wait.
        waits_in: Vec<String>,
    },
    /// It goes on until somebody else changes something.
    SpinWait,
    /// It has no exit, and does nothing.
    Halt,
}

impl Intent {
    /// As results write it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::EventLoop { .. } => "event-loop",
            Self::SpinWait => "spin-wait",
            Self::Halt => "halt",
        }
    }
}

/// What a loop seems to be for; nothing for a loop like any other.
pub(super) fn intent(ts: &TransitionSystem, source: &Source, this: &Loop) -> Option<Intent> {
    if !source.is_known() {
        return None;
    }
    // A run that is undefined, or does not count, was not meant to leave the loop.
    let leaves = |e: &&EdgeId| !matches!(ts.edges[**e].to, LocId::UB | LocId::STOP);
    let exits: Vec<EdgeId> = this.exits.iter().filter(leaves).copied().collect();
    let inside: Vec<EdgeId> = this
        .body
        .iter()
        .flat_map(|l| ts.locs[*l].out.iter().copied())
        .filter(|e| this.body.contains(&ts.edges[*e].to))
        .collect();
    if exits.is_empty() {
        let passed = inside.iter().flat_map(|e| source.trail(ts, *e).unwrap_or_default());
        let mut waits_in: Vec<String> = passed
            .filter_map(|v| match v.what {
                Happening::Waits(n) => source.origins.waiting.get(n).cloned(),
                _ => None,
            })
            .collect();
        waits_in.sort();
        waits_in.dedup();
        if !waits_in.is_empty() {
            return Some(Intent::EventLoop { waits_in });
        }
        let idle = inside.iter().all(|e| {
            let edge = &ts.edges[*e];
            edge.updates.iter().all(|(v, t)| !source.is_visible(ts, *v) || is_forgotten(ts, *t))
                && source.trail(ts, *e).is_none_or(|t| t.iter().all(|v| matches!(v.what, Happening::Passed)))
        });
        return idle.then_some(Intent::Halt);
    }
    let shared = shared_values(ts, source, &inside);
    let decided = |e: &EdgeId| vars(ts, ts.edges[*e].guard).any(|v| shared.contains(&v));
    exits.iter().all(decided).then_some(Intent::SpinWait)
}

/// Whether a value is one that nobody knows.
fn is_forgotten(ts: &TransitionSystem, t: Term) -> bool {
    matches!(ts.terms.role(t), Some(Role::Unknown(_)))
}

fn vars(ts: &TransitionSystem, t: Term) -> impl Iterator<Item = VarId> + '_ {
    ts.terms.symbols(t).into_iter().filter_map(|s| match ts.terms.role(s) {
        Some(Role::Var(v)) => Some(v),
        _ => None,
    })
}

/// The variables that hold what volatile and atomic reads gave, inside a loop.
fn shared_values(ts: &TransitionSystem, source: &Source, inside: &[EdgeId]) -> BTreeSet<VarId> {
    let mut found: BTreeSet<VarId> = BTreeSet::new();
    loop {
        let more: Vec<VarId> = inside
            .iter()
            .flat_map(|e| &ts.edges[*e].updates)
            .filter(|(v, t)| {
                !found.contains(v)
                    && ts.terms.symbols(*t).into_iter().any(|s| match ts.terms.role(s) {
                        Some(Role::Unknown(u)) => matches!(source.origin(u), Some(Origin::Shared { .. })),
                        Some(Role::Var(w)) => found.contains(&w),
                        _ => false,
                    })
            })
            .map(|(v, _)| *v)
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}
