//! The command line of the fuzzers.

use clap::Parser;
use lariat_fuzz::command::{Options, run};

fn main() {
    lariat_smt::leave(run(&Options::parse()))
}
