//! `lariat fuzz`

use clap::Args;

#[derive(Args, Debug)]
pub(super) struct Options {}

pub(super) fn run(_: &Options) -> u8 {
    0
}
