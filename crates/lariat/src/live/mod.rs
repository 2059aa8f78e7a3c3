//! Processes that run right now: will this one ever come back?

mod conditions;
mod names;
mod prove;
mod results;

pub use conditions::Condition;
pub use names::Names;
pub use prove::{Found, Outcome, Settings, Watched, attach};
pub use results::program;
