//! Results as text and as JSON: pure functions of the model in [`lariat_session::results`].

pub(crate) mod automaton;
pub mod cfg;
pub mod json;
mod live;
mod snippet;
mod text;

pub use text::render as text;
