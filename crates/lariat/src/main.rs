//! The command line.

use clap::Parser;
use lariat::commands::{Arguments, run};

fn main() {
    lariat_smt::leave(run(Arguments::parse()))
}
