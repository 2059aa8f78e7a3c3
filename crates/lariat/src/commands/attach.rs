//! `lariat attach`

use super::{fail, print, write_file};
use crate::analyze::Verdict;
use crate::live::{self, Settings};
use crate::report;
use clap::{Args, ValueEnum};
use lariat_live::process::Target;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// The process
    #[arg(value_parser = clap::value_parser!(i32).range(1..))]
    pid: i32,
    /// The thread [default: the one that uses most of the processor]
    #[arg(long, value_name = "TID", value_parser = clap::value_parser!(i32).range(1..))]
    thread: Option<i32>,
    #[command(flatten)]
    look: Look,
}

/// What `attach` and `run` have in common.
#[derive(Args, Clone, Debug)]
pub(super) struct Look {
    /// How many instructions to follow at most
    #[arg(long, value_name = "N", default_value_t = 4_000_000, value_parser = clap::value_parser!(u64).range(1000..))]
    budget: u64,
    /// How long the process may be held, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1.5, value_parser = super::check::seconds)]
    hold: f64,
    /// How to write the result
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the result to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
The process is held for a moment, never changed, and goes on whatever happens here.
Exit status: 0 nothing was proved, 1 it never comes back, or only by an overflow, 2 it could not be looked at.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(o: &Options) -> u8 {
    match look_at(o.pid, o.thread, &o.look) {
        Ok(status) => status,
        Err(message) => fail(&message),
    }
}

/// Looks at a process and reports; gives the exit status.
pub(super) fn look_at(pid: i32, thread: Option<i32>, look: &Look) -> Result<u8, String> {
    let begin = Instant::now();
    let target = Target::find(pid).map_err(|e| e.to_string())?;
    let settings =
        Settings { thread, budget: look.budget, hold: Duration::from_secs_f64(look.hold), ..Settings::default() };
    let found = live::attach(&target, &settings).map_err(|e| e.to_string())?;
    let program = live::program(&found, begin.elapsed());
    let colour = look.output.is_none() && std::io::stdout().is_terminal();
    let text = match look.format {
        Format::Text => report::text(std::slice::from_ref(&program), colour),
        Format::Json => report::json::render(std::slice::from_ref(&program)),
    };
    match &look.output {
        Some(path) => write_file(path, &text)?,
        None => print(&text)?,
    }
    let results = program.outcome.as_ref().map_err(|f| f.message.clone())?;
    let unbounded = results.live.as_ref().is_some_and(|l| l.unbounded);
    Ok(u8::from(results.verdict == Verdict::Diverges || unbounded))
}
