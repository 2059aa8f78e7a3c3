//! `lariat query`

use super::{fail, print};
use clap::Args;
use lariat_smt::{QueryId, query_log};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The number that a report names
    number: u32,
}

pub(super) fn run(o: &Options) -> u8 {
    match query_log::load(QueryId(o.number)).map_err(|e| e.to_string()).and_then(|text| print(&text)) {
        Ok(()) => 0,
        Err(message) => fail(&message),
    }
}
