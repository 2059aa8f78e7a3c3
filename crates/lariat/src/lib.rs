//! The binary `lariat`: the command line, reports, and processes that run right now. Files are analysed by [`lariat_session`].

pub mod commands;
pub mod explain;
#[cfg(all(feature = "live", target_os = "linux", target_arch = "x86_64"))]
pub mod live;
pub mod report;
