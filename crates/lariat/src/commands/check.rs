//! `lariat check`

mod emit;
mod files;
mod programs;
mod progress;
mod systems;

use super::{DataModelArg, IntegersArg, fail, print, read_file, show_results_on_interrupt, write_file};
use crate::analyze::Verdict;
use crate::beside::Compare;
use crate::report::{self, Failure, Program};
use clap::{Args, ValueEnum};
use lariat_engines::portfolio::ENGINES;
use lariat_front::EntryChoice;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

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
    /// An undecided program gives exit status 1, too
    #[arg(long)]
    require_proof: bool,
    /// Flags for the compiler
    #[arg(last = true)]
    compiler_flags: Vec<String>,
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
    show_results_on_interrupt();
    let mut models = Vec::new();
    for path in &o.model {
        match read_file(path) {
            Ok(text) => models.push((path.display().to_string(), text)),
            Err(message) => return fail(&message),
        }
    }
    let front = lariat_front::Options {
        flags: o.compiler_flags.clone(),
        data_model: o.data_model.of_the_front(),
        time: Some(Duration::from_secs_f64(o.timeout)),
        entry: match o.entry.as_deref() {
            None => EntryChoice::Default,
            Some("all") => EntryChoice::All,
            Some(name) => EntryChoice::Named(name.to_owned()),
        },
        models,
        meanwhile: o.emit.is_none().then_some(|| lariat_smt::prepare_contexts(files::CONTEXTS)),
        ..lariat_front::Options::default()
    };
    if let Some(emit) = o.emit {
        return emit::emit_all(o, emit, &front);
    }
    let analysed = files::analyse_all(o, front);
    if let Some(folder) = &o.harness
        && let Err(message) = programs::write_all(o, folder, &analysed)
    {
        return fail(&message);
    }
    let programs: Vec<Program> = analysed.into_iter().map(|a| a.program).collect();
    let colour = o.output.is_none() && std::io::stdout().is_terminal();
    let text = match o.format {
        Format::Text => report::text(&programs, colour),
        Format::Json => report::json::render(&programs),
    };
    if let Err(message) = write_out(o, &text) {
        return fail(&message);
    }
    status(o, &programs)
}

fn write_out(o: &Options, text: &str) -> Result<(), String> {
    match &o.output {
        Some(path) => write_file(path, text),
        None => print(text),
    }
}

fn status(o: &Options, programs: &[Program]) -> u8 {
    let mut status = 0;
    for p in programs {
        match &p.outcome {
            Err(f) => {
                if o.format == Format::Json || o.output.is_some() {
                    tell(&p.file, f);
                }
                status = 2;
            }
            Ok(r) if !r.contradictions.is_empty() => {
                fail(&format!("{}: verdicts contradict each other: {}", p.file, r.contradictions.join("; ")));
                status = 2;
            }
            Ok(r) => {
                let found = r.verdict == Verdict::Diverges
                    || r.loops.iter().chain(&r.recursion).any(|l| {
                        l.verdict == Verdict::Diverges
                            || l.overflow.as_ref().is_some_and(|o| o.only_by_overflow.is_some())
                    });
                if found || o.require_proof && r.verdict == Verdict::Unknown {
                    status = status.max(1);
                }
            }
        }
    }
    status
}

/// A failure on standard error, for a reader of whom only machines see the results.
fn tell(file: &str, f: &Failure) {
    let place = f.place.as_ref().map_or_else(|| file.to_owned(), ToString::to_string);
    if f.place.is_none() && f.message.contains(file) {
        fail(&f.message);
    } else {
        fail(&format!("{place}: {}", f.message));
    }
}
