//! The proof engines and their portfolio.
//!
//! An engine gets a [`Goal`] about a loop and returns claims, never verdicts: what it says is worth nothing until `lariat-check` has
//! accepted it, and this crate cannot even name the checker. The portfolio hands claims to a [`Judge`].
//!
//! Adding an engine: its file, one line in [`portfolio::ENGINES`], a page `docs/engines/<name>.md`, and two programs, one
//! that it proves and one that it must leave.

mod board;
mod choices;
pub mod closed;
mod closed_form;
pub mod concolic;
mod engine;
pub mod exits;
mod invariants;
mod linear;
mod lp;
pub mod orbit;
mod path;
pub mod path_automaton;
pub mod portfolio;
pub mod rank;
mod slice;
mod stem;
mod symex;
#[cfg(test)]
mod testing;

pub use board::Board;
pub use engine::{Effort, Engine, EngineCx, Goal, NoClaim, Outcome, Task};
pub use portfolio::{Decision, Judge, LoopResult, Options, Refusal, Trial};
