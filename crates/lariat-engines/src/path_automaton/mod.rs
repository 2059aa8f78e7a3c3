//! The path dependency automaton of Xie and others (Loopster): whether each path of a loop ends by itself, which path can follow
//! which, and what that says of the loop.
//!
//! `automaton` lists the paths between headers and divides the states at each header by them; `reduction` shows that every run
//! through the automaton ends, `forever` that one does not; `monotone` and `times` look at one path by itself.
//! For termination the automaton is that of the slice, in which paths that the exits cannot tell apart are one; a recurrent
//! set needs real edges, so there it is that of the loop itself.

mod automaton;
mod forever;
mod monotone;
mod picture;
mod reduction;
#[cfg(test)]
mod tests;
mod times;

use crate::engine::{Effort, Engine, EngineCx, Goal, NoClaim, Outcome, Task};
use crate::invariants::Invariants;
use crate::rank::on_slice;
use automaton::Automaton;
use lariat_ir::Claim;
use std::time::Instant;

pub use automaton::Mark;
pub use picture::{Picture, Shown, picture};
pub use times::Times;

/// The engine.
pub struct PathAutomaton;

impl Engine for PathAutomaton {
    fn name(&self) -> &'static str {
        "path-automaton"
    }
    fn pursues(&self, goal: Goal) -> bool {
        matches!(goal, Goal::Ends(_) | Goal::Endless(_))
    }
    fn run(&self, task: &Task<'_>, cx: &mut EngineCx) -> Outcome {
        if cx.effort == Effort::Quick {
            return Outcome::nothing_new();
        }
        // Many small questions: one that is hard is not worth the time of the others.
        cx.limit.rlimit = cx.limit.rlimit.min(cx.effort.most(200_000, 400_000));
        let mut claims = Vec::new();
        let mut reasons = Vec::new();
        if task.wants_end() {
            match ends(task, cx) {
                Ok(found) => claims.extend(found),
                Err(reason) => reasons.push(reason),
            }
        }
        if task.wants_endless_run() && (claims.is_empty() || cx.audit) {
            match runs_for_ever(task, cx) {
                Ok(claim) => claims.push(claim),
                Err(reason) => reasons.push(reason),
            }
        }
        if claims.is_empty() { Outcome::GaveUp(NoClaim::all(&reasons)) } else { Outcome::Claims(claims) }
    }
}

/// Claims that the loop ends, from its slice.
fn ends(task: &Task<'_>, cx: &EngineCx) -> Result<Vec<Claim>, NoClaim> {
    // The other half looks at this loop, too.
    let now = Instant::now();
    let deadline = now + cx.deadline.saturating_duration_since(now) / 2;
    on_slice(task, deadline, &|view, known| {
        let mut automaton = Automaton::of(view, cx, cx.solver().as_mut());
        reduction::search(view, &mut automaton, cx.effort, deadline, known)
    })
}

/// A claim that the loop can run for ever.
fn runs_for_ever(task: &Task<'_>, cx: &EngineCx) -> Result<Claim, NoClaim> {
    let mut solver = cx.solver();
    let mut automaton = Automaton::of(task, cx, solver.as_mut());
    // What ends by itself is not looked at again: marks only, whatever the steps say together.
    let now = Instant::now();
    let deadline = now + cx.deadline.saturating_duration_since(now) / 4;
    reduction::mark(task, &mut automaton, cx.effort, deadline);
    let invariants = Invariants::of(task.board, task.ts, task.forest, cx.deadline);
    forever::search(task, cx, solver.as_mut(), &mut automaton, &invariants)
}
