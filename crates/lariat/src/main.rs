//! The command line.

use clap::Parser;
use lariat::commands::{Arguments, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(run(Arguments::parse()))
}
