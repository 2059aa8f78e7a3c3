//! `lariat attach` and `lariat run` in a binary that was built without the part for running processes.

use super::fail;
use clap::Args;
use std::ffi::OsString;

#[derive(Args, Debug)]
#[command(after_help = MESSAGE)]
pub(super) struct Options {
    /// Taken, so that the answer is the same whatever is asked for
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

const MESSAGE: &str = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    "this binary cannot look at running processes: it was built without the feature `live`; build it with its default features \
     (cargo build --release -p lariat), or check the program's source with lariat check"
} else {
    "running processes can be looked at on x86-64 Linux only; run lariat there, or check the program's source with lariat check"
};

pub(super) fn run(_: &Options) -> u8 {
    fail(MESSAGE)
}
