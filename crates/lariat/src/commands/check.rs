//! `lariat check`

use super::{INTERRUPTED, fail, print, read_file, show_results_on_interrupt, write_file};
use crate::analyze::{Settings, Verdict, analyze};
use crate::report::{self, Failure, Program};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use lariat_engines::portfolio::ENGINES;
use lariat_ir::lts;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Transition systems as .lts files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The entry to analyse: the system's name, or `all`
    #[arg(long, value_name = "NAME|all")]
    entry: Option<String>,
    /// The integer semantics, which must be the one that the .lts file was made for
    #[arg(long, value_enum)]
    integers: Option<IntegersArg>,
    /// The sizes of C's types; recorded in the results
    #[arg(long, value_enum, default_value = "lp64")]
    data_model: DataModel,
    /// For each program, in seconds
    #[arg(long, default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,
    /// Run only this engine
    #[arg(long, value_parser = engine_name)]
    only: Option<String>,
    /// How many files to analyse at once [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Let every engine run to its end; contradicting verdicts are a failure
    #[arg(long)]
    audit: bool,
    /// How to write the results
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the results to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// An undecided program gives exit status 1, too
    #[arg(long)]
    require_proof: bool,
    /// Flags for the compiler; an .lts file needs none
    #[arg(last = true)]
    compiler_flags: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum Format {
    Text,
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum IntegersArg {
    C,
    Wrap,
    Ideal,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum DataModel {
    Lp64,
    Ilp32,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 1e6 => Ok(s),
        _ => Err("expected a number of seconds above 0".into()),
    }
}

fn engine_name(text: &str) -> Result<String, String> {
    let names: Vec<&str> = ENGINES.iter().map(|e| e.name()).collect();
    if names.contains(&text) { Ok(text.to_owned()) } else { Err(format!("the engines are: {}", names.join(", "))) }
}

pub(super) fn run(o: &Options) -> u8 {
    show_results_on_interrupt();
    let programs = analyse_all(o);
    let colour = o.output.is_none() && std::io::stdout().is_terminal();
    let text = match o.format {
        Format::Text => report::text(&programs, colour),
        Format::Json => report::json::render(&programs),
    };
    let written = match &o.output {
        Some(path) => write_file(path, &text),
        None => print(&text),
    };
    if let Err(message) = written {
        return fail(&message);
    }
    status(o, &programs)
}

fn status(o: &Options, programs: &[Program]) -> u8 {
    let mut status = 0;
    for p in programs {
        match &p.outcome {
            Err(f) => {
                if o.format == Format::Json || o.output.is_some() {
                    let place = f.place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
                    fail(&format!("{}{place}: {}", p.file, f.message));
                }
                status = 2;
            }
            Ok(r) if !r.contradictions.is_empty() => {
                fail(&format!("{}: verdicts contradict each other: {}", p.file, r.contradictions.join("; ")));
                status = 2;
            }
            Ok(r) => {
                let found = r.verdict == Verdict::Diverges || r.loops.iter().any(|l| l.verdict == Verdict::Diverges);
                if found || o.require_proof && r.verdict == Verdict::Unknown {
                    status = status.max(1);
                }
            }
        }
    }
    status
}

/// Analyses the files, several at once, and gives the results in the order of the files.
fn analyse_all(o: &Options) -> Vec<Program> {
    let progress = Progress::new(o.files.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Program)>> = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = o.jobs.map_or(cores, usize::from).min(o.files.len());
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = o.files.get(i) else { break };
            let program = if INTERRUPTED.load(Ordering::Relaxed) {
                not_analysed(path, "it was not analysed: interrupted by Ctrl-C; run it again".into())
            } else {
                guarded(path, || one_file(o, path))
            };
            progress.finish_one();
            done.lock().expect("no worker panics while it holds the lock").push((i, program));
        }
    };
    // A thread for each file in turn would cost a solver context each; workers keep theirs.
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(work);
        }
        work();
    });
    progress.clear();
    let mut all = done.into_inner().expect("no worker panics while it holds the lock");
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, p)| p).collect()
}

/// A panic is a bug of ours; it costs one program, not the others.
fn guarded(path: &Path, analyse: impl FnOnce() -> Program) -> Program {
    catch_unwind(AssertUnwindSafe(analyse)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default();
        not_analysed(path, format!("lariat has a bug: {words}; please report it with this file"))
    })
}

fn not_analysed(path: &Path, message: String) -> Program {
    let outcome = Err(Failure { place: None, message });
    Program { file: path.display().to_string(), source: String::new(), outcome }
}

fn one_file(o: &Options, path: &Path) -> Program {
    let file = path.display().to_string();
    let failed = |source: String, place: Option<(u32, u32)>, message: String| Program {
        file: file.clone(),
        source,
        outcome: Err(Failure { place, message }),
    };
    if path.extension().is_none_or(|e| e != "lts") {
        let message =
            "only transition systems (.lts) can be read by this version; `lariat explain lts` shows the format";
        return match read_file(path) {
            Err(e) => failed(String::new(), None, e),
            Ok(_) => failed(String::new(), None, message.into()),
        };
    }
    let source = match read_file(path) {
        Ok(s) => s,
        Err(e) => return failed(String::new(), None, e),
    };
    let parsed = match lts::parse(&source) {
        Ok(p) => p,
        Err(e) => return failed(source, Some((e.line, e.column)), e.message),
    };
    let ts = &parsed.system;
    if let Some(wanted) = o.integers {
        let wanted = wanted.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned());
        if wanted != ts.integers.to_string() {
            let message = format!("this system was made for --integers {}, not {wanted}", ts.integers);
            return failed(source, None, message);
        }
    }
    if let Some(entry) = o.entry.as_deref().filter(|e| *e != "all" && *e != ts.name) {
        return failed(source, None, format!("there is no entry `{entry}`; this system is `{}`", ts.name));
    }
    let data_model = match o.data_model {
        DataModel::Lp64 => "lp64",
        DataModel::Ilp32 => "ilp32",
    };
    let settings = Settings { timeout: Duration::from_secs_f64(o.timeout), only: o.only.clone(), audit: o.audit };
    match analyze(ts, &settings, &mut |_, _| {}) {
        Ok(analysis) => {
            let results = report::results(ts, &file, &parsed.places, data_model, &analysis);
            Program { file, source, outcome: Ok(results) }
        }
        Err(defect) => {
            let place = defect.at.and_then(|l| parsed.places.get(&l)).copied();
            failed(source, place, defect.message)
        }
    }
}

/// A bar on standard error, from the second second on, and only where a person looks at it.
struct Progress {
    bar: ProgressBar,
    begin: Instant,
    done: AtomicUsize,
}

impl Progress {
    fn new(files: usize) -> Self {
        let bar = ProgressBar::hidden();
        if std::io::stderr().is_terminal() {
            bar.set_length(files as u64);
            let style = ProgressStyle::with_template("{spinner} {pos} of {len} files, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            // The ticker draws for the first time when its interval is over.
            bar.enable_steady_tick(Duration::from_secs(1));
        }
        Self { bar, begin: Instant::now(), done: AtomicUsize::new(0) }
    }
    fn finish_one(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.begin.elapsed() > Duration::from_secs(1) {
            self.bar.set_position(done as u64);
        }
    }
    fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
