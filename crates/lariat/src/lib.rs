//! Lariat as a library: from a transition system to checked verdicts and their reports.

pub mod analyze;
pub mod beside;
pub mod commands;
pub mod explain;
pub mod harness;
pub mod live;
pub mod report;
pub mod source;

pub use analyze::{Analysis, Settings, Verdict, analyze};
