//! `lariat attach`

use super::{fail, print, write_file};
use crate::live::{self, Settings};
use crate::report;
use clap::{Args, ValueEnum};
use lariat_live::process::Target;
use lariat_live::signals;
use lariat_session::Verdict;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Mutex;
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
    /// How long the process may be held, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1500, value_parser = clap::value_parser!(u64).range(1..))]
    hold: u64,
    /// How to write the result
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the result to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
The process is held for a moment, never changed, and goes on whatever happens here; Ctrl-C lets it go at once.
Exit status: 0 nothing was proved, 1 it never leaves its loop (unless what the headline names happens), or only by an overflow,
2 it could not be looked at, 130 interrupted.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(o: &Options) -> u8 {
    leave_on_interrupt(o.pid);
    match look_at(o.pid, o.thread, &o.look).and_then(|seen| seen.show(&o.look).map(|()| seen)) {
        Ok(seen) => u8::from(seen.finding),
        Err(message) => fail(&message),
    }
}

/// What a look at a process has brought.
pub(super) struct Seen {
    text: String,
    /// The verdict in one sentence.
    pub headline: String,
    /// Why nothing was proved, if so.
    pub reason: Option<String>,
    /// Whether it never leaves its loop, or only by an overflow.
    pub finding: bool,
    /// Whether it never comes back, whatever others do.
    pub certain: bool,
}

impl Seen {
    /// Prints the report, or writes it to the file that was asked for.
    pub(super) fn show(&self, look: &Look) -> Result<(), String> {
        // Who interrupts us now waits until all is written.
        let mut written = WRITTEN.lock().map_err(|e| e.to_string())?;
        match &look.output {
            Some(path) => write_file(path, &self.text)?,
            None => print(&self.text)?,
        }
        *written = true;
        Ok(())
    }
}

impl Look {
    /// Whether the report goes to a file.
    pub(super) fn to_file(&self) -> bool {
        self.output.is_some()
    }
}

/// Looks at a process.
pub(super) fn look_at(pid: i32, thread: Option<i32>, look: &Look) -> Result<Seen, String> {
    let begin = Instant::now();
    let target = Target::find(pid).map_err(|e| e.to_string())?;
    let settings =
        Settings { thread, budget: look.budget, hold: Duration::from_millis(look.hold), ..Settings::default() };
    let found = live::attach(&target, &settings).map_err(|e| e.to_string())?;
    let program = live::program(&found, begin.elapsed());
    let colour = look.output.is_none() && std::io::stdout().is_terminal();
    let text = match look.format {
        Format::Text => report::text(std::slice::from_ref(&program), colour),
        Format::Json => report::json::render(std::slice::from_ref(&program)),
    };
    let results = program.outcome.as_ref().map_err(|f| f.message.clone())?;
    let live = results.live.as_ref().ok_or("the report says nothing of a process")?;
    let proved = results.verdict == Verdict::Diverges;
    Ok(Seen {
        text,
        headline: live.verdict.clone(),
        reason: results.reason.as_ref().map(ToString::to_string),
        finding: proved || live.unbounded,
        certain: proved && live.conditions.is_empty(),
    })
}

/// Whether the report is written; locked while it is.
static WRITTEN: Mutex<bool> = Mutex::new(false);

/// Ctrl-C ends us at once. The kernel lets the process go on when its tracer is gone: it is only held. A report that is just being written is
/// written to its end, unless its reader does not read.
fn leave_on_interrupt(pid: i32) {
    signals::on_interrupt(move || {
        let begin = Instant::now();
        let written = loop {
            match WRITTEN.try_lock() {
                Ok(written) => break *written,
                Err(_) if begin.elapsed() > Duration::from_millis(50) => break true,
                Err(_) => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        if !written {
            eprintln!("lariat: interrupted; process {pid} goes on, and nothing was written");
        }
        lariat_smt::leave(130);
    });
}
