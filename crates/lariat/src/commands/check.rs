//! `lariat check`

mod emit;
mod files;
mod programs;
mod progress;
mod workers;

use super::{DataModelArg, IntegersArg, fail, print, write_file};
use crate::report;
use clap::{Args, ValueEnum};
use lariat_engines::portfolio::ENGINES;
use lariat_front::EntryChoice;
use lariat_process::Signals;
use lariat_session::Verdict;
use lariat_session::beside::Compare;
use lariat_session::input::read_text;
use lariat_session::results::{Failure, Program};
use lariat_session::trace;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// C and C++ sources, bitcode (.bc, .ll), transition systems (.lts)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The function to analyse, or `all` [default: main, or else every function with external linkage]
    #[arg(long, value_name = "NAME|all")]
    entry: Option<String>,
    /// How integers behave; an .lts file was made for one of them [default: c]
    #[arg(long, value_enum)]
    integers: Option<IntegersArg>,
    /// The sizes of C's types
    #[arg(long, value_enum, default_value = "lp64")]
    data_model: DataModelArg,
    /// What library functions do, beyond what is built in; may be given several times
    #[arg(long, value_name = "FILE")]
    model: Vec<PathBuf>,
    /// Print what is analysed instead: transition systems, or the program before it is in an integer semantics; or draw the
    /// automata of its loops
    #[arg(long, value_enum)]
    emit: Option<Emit>,
    /// For each program, in seconds
    #[arg(long, default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,
    /// How many megabytes all processes of this call may use together, compilers included
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(128..))]
    memory: u32,
    /// Run only this engine
    #[arg(long, value_parser = engine_name)]
    only: Option<String>,
    /// How many files to analyse at once [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// When to ask what other integer semantics say of a loop, in the semantics c
    #[arg(long, value_enum, default_value = "undecided", value_name = "WHEN")]
    overflow: OverflowArg,
    /// Let every engine run to its end; contradicting verdicts are a failure
    #[arg(long)]
    audit: bool,
    /// How to write the results
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the results to a file; the drawings of --emit automaton to a folder
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a program into this folder for each endless run that was proved, and a script that builds and runs them
    #[arg(long, value_name = "FOLDER")]
    harness: Option<PathBuf>,
    /// Write what took the time: a line of JSON for each attempt of an engine; a name that ends in .json gets Chrome's trace format
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// An undecided program gives exit status 1, too
    #[arg(long)]
    require_proof: bool,
    /// Flags for the compiler
    #[arg(last = true)]
    compiler_flags: Vec<String>,
    /// Whether text has colours.
    #[arg(skip)]
    colour: bool,
}

impl Options {
    fn memory_bytes(&self) -> u64 {
        u64::from(self.memory) << 20
    }

    /// What a session is told; or why a file with models cannot be read.
    fn of_the_session(&self) -> Result<lariat_session::Options, String> {
        let model = |path: &PathBuf| Ok((path.display().to_string(), read_text(path)?));
        Ok(lariat_session::Options {
            integers: self.integers.map(IntegersArg::integers),
            data_model: self.data_model.of_the_front(),
            entry: match self.entry.as_deref() {
                None => EntryChoice::Default,
                Some("all") => EntryChoice::All,
                Some(name) => EntryChoice::Named(name.to_owned()),
            },
            models: self.model.iter().map(model).collect::<Result<_, String>>()?,
            flags: self.compiler_flags.clone(),
            timeout: Duration::from_secs_f64(self.timeout),
            memory: self.memory_bytes(),
            only: self.only.clone(),
            audit: self.audit,
            compare: self.overflow.compare(),
            harness: self.harness.is_some(),
            // Jobs that no file needs are for the entries of one.
            jobs: (files::jobs(self) / self.files.len()).max(1),
        })
    }
}

const AFTER_HELP: &str = "\
Sources are compiled with clang: LARIAT_CLANG, or the newest one on the PATH.
Exit status: 0 neither an endless run nor an end only by overflow was proved, 1 one was, 2 the tool or its
input failed.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum Format {
    Text,
    Json,
}

/// When the other integer semantics are asked.
#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum OverflowArg {
    /// For undecided loops that compute with signed numbers
    Undecided,
    /// For all loops that compute with signed numbers
    Always,
    /// Never
    Never,
}

impl OverflowArg {
    fn compare(self) -> Compare {
        match self {
            Self::Undecided => Compare::Undecided,
            Self::Always => Compare::Always,
            Self::Never => Compare::Never,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum Emit {
    /// Transition systems, as `lariat check` reads them
    Lts,
    /// Locations and C-like steps
    Cfg,
    /// The view of each loop, as a transition system
    View,
    /// The path automaton of each loop, as SVG files in the folder that --output names
    Automaton,
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 1e6 => Ok(s),
        _ => Err("expected a number of seconds above 0".into()),
    }
}

pub(super) fn engine_name(text: &str) -> Result<String, String> {
    let mut names: Vec<&str> = ENGINES.iter().map(|e| e.name()).collect();
    names.sort_unstable();
    names.dedup();
    if names.contains(&text) { Ok(text.to_owned()) } else { Err(format!("the engines are: {}", names.join(", "))) }
}

pub(super) fn run(o: &Options) -> u8 {
    let session = match o.of_the_session() {
        Ok(session) => session,
        Err(message) => return fail(&message),
    };
    if o.emit == Some(Emit::Automaton) {
        return emit::draw_all(o, &session);
    }
    let signals = match Signals::keep() {
        Ok(signals) => signals,
        Err(e) => return fail(&format!("signals cannot be watched: {e}; run it again")),
    };
    // Solvers give up before the whole has to.
    lariat_smt::limit_memory(o.memory / 4 * 3);
    let colour = o.output.is_none() && std::io::stdout().is_terminal();
    let o = &Options { colour, ..o.clone() };
    let outcome = match files::analyse_all(o, &session, &signals) {
        Ok(outcome) => outcome,
        Err(signal) => return ended_by(signal),
    };
    let status = outcome.answers.iter().map(|a| a.status).max().unwrap_or(0);
    let status = if outcome.interrupted { ended_by(2) } else { status };
    let options = o.clone();
    finish(&signals, move || write_results(&options, outcome.answers).map_or_else(|m| fail(&m), |()| status))
}

/// The exit status of what a signal ended.
fn ended_by(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

/// Writes while this thread looks at signals: nobody may have to wait for a reader who does not read.
fn finish(signals: &Signals, write: impl FnOnce() -> u8 + Send + 'static) -> u8 {
    /// So long a signal leaves for the rest of the output.
    const TO_WRITE: Duration = Duration::from_secs(1);
    let write = Arc::new(Mutex::new(Some(write)));
    let work = move || write.lock().ok().and_then(|mut w| w.take()).map_or(2, |w| w());
    let (done, status) = mpsc::channel();
    let on_thread = work.clone();
    let thread = std::thread::Builder::new().spawn(move || {
        let _ = done.send(on_thread());
    });
    if thread.is_err() {
        return work();
    }
    let mut ends: Option<(i32, Instant)> = None;
    loop {
        match status.recv_timeout(Duration::from_millis(10)) {
            Ok(status) => return ends.map_or(status, |(signal, _)| ended_by(signal)),
            // It panicked.
            Err(RecvTimeoutError::Disconnected) => return 2,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(signal) = signals.next() {
            ends.get_or_insert((signal, Instant::now() + TO_WRITE));
        }
        if let Some((signal, _)) = ends.filter(|(_, at)| Instant::now() >= *at) {
            return ended_by(signal);
        }
    }
}

fn write_results(o: &Options, answers: Vec<workers::Answer>) -> Result<(), String> {
    let mut texts = Vec::new();
    let mut harnesses = Vec::new();
    let mut events = String::new();
    for answer in answers {
        for message in &answer.messages {
            fail(message);
        }
        texts.push(answer.text);
        harnesses.extend(answer.harnesses);
        events.push_str(&answer.trace);
    }
    if let Some(path) = &o.trace {
        let text = if is_chrome(path) { chrome(&events) } else { events };
        write_file(path, &text)?;
    }
    if let Some(folder) = &o.harness {
        programs::write_all(o, folder, &harnesses)?;
    }
    let text = match o.format {
        Format::Json if o.emit.is_none() => report::json::together(texts),
        _ => texts.concat(),
    };
    match &o.output {
        Some(path) => write_file(path, &text),
        None => print(&text),
    }
}

/// Whether a trace is to be in Chrome's format: by the file's name.
fn is_chrome(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "json")
}

/// Lines of Chrome's trace format as the list that viewers read.
fn chrome(lines: &str) -> String {
    let events: Vec<&str> = lines.lines().collect();
    format!("[\n{}\n]\n", events.join(",\n"))
}

/// What a worker says of a program.
fn answer(o: &Options, mut program: Program) -> workers::Answer {
    let (status, messages) = status(o, &program);
    let harnesses = std::mem::take(&mut program.harnesses);
    let events = program.outcome.as_ref().map_or(&[][..], |r| &r.trace);
    let trace = match &o.trace {
        None => String::new(),
        Some(path) if is_chrome(path) => trace::chrome_lines(events),
        Some(_) => trace::lines(events),
    };
    let text = match o.format {
        _ if o.emit.is_some() => String::new(),
        Format::Text => report::text(&[program], o.colour),
        Format::Json => report::json::render(&[program]),
    };
    workers::Answer { text, trace, status, messages, harnesses, spent: false, is_early: false }
}

/// The exit status that a program asks for, and what standard error says of it.
fn status(o: &Options, p: &Program) -> (u8, Vec<String>) {
    match &p.outcome {
        // Where a person reads the results, they say it.
        Err(_) if o.format == Format::Text && o.output.is_none() && o.emit.is_none() => (2, Vec::new()),
        Err(f) => (2, vec![sentence(&p.file, f)]),
        Ok(r) if !r.contradictions.is_empty() => {
            (2, vec![format!("{}: verdicts contradict each other: {}", p.file, r.contradictions.join("; "))])
        }
        Ok(r) => {
            let found = r.verdict == Verdict::Diverges
                || r.loops.iter().chain(&r.recursion).any(|l| {
                    l.verdict == Verdict::Diverges || l.overflow.as_ref().is_some_and(|o| o.only_by_overflow.is_some())
                });
            (u8::from(found || o.require_proof && r.verdict == Verdict::Unknown), Vec::new())
        }
    }
}

/// A failure, for a reader of whom only machines see the results.
fn sentence(file: &str, f: &Failure) -> String {
    let place = f.place.as_ref().map_or_else(|| file.to_owned(), ToString::to_string);
    if f.place.is_none() && f.message.contains(file) { f.message.clone() } else { format!("{place}: {}", f.message) }
}
