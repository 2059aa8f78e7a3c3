//! The binary `lariat`: the command line, reports, and processes that run right now. Files are analysed by [`lariat_session`].

pub mod commands;
pub mod explain;
pub mod live;
pub mod report;
