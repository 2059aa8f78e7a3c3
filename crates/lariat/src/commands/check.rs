//! `lariat check`

use super::{
    DataModelArg, INTERRUPTED, IntegersArg, deep_thread, fail, is_lts, panic_words, print, read_file,
    show_results_on_interrupt, write_file,
};
use crate::analyze::{EntryStudy, Settings, SourceNames, Study, Verdict, analyze, analyze_entry, targets, undecided};
use crate::report::{self, Failure, Program, Results};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use lariat_engines::portfolio::ENGINES;
use lariat_front::{Entry, EntryChoice};
use lariat_ir::neutral::{Target, lower};
use lariat_ir::{Span, TransitionSystem, lts};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[derive(Args, Debug)]
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
    /// Print what is analysed instead: transition systems, or the program before it is in an integer semantics
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
    /// Flags for the compiler
    #[arg(last = true)]
    compiler_flags: Vec<String>,
}

const AFTER_HELP: &str = "\
Sources are compiled with clang: LARIAT_CLANG, or the newest one on the PATH.
Exit status: 0 no endless run was proved, 1 one was, 2 the tool or its input failed.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum Format {
    Text,
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum Emit {
    /// Transition systems, as `lariat check` reads them
    Lts,
    /// Locations and C-like steps
    Cfg,
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
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
        ..lariat_front::Options::default()
    };
    if let Some(emit) = o.emit {
        return emit_all(o, emit, &front);
    }
    let programs = analyse_all(o, &front);
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
                    || r.loops.iter().chain(&r.recursion).any(|l| l.verdict == Verdict::Diverges);
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

/// Analyses the files, several at once, and gives the results in the order of the files.
fn analyse_all(o: &Options, front: &lariat_front::Options) -> Vec<Program> {
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
                guarded(path, || one_file(o, front, path))
            };
            progress.finish_one();
            done.lock().expect("no worker panics while it holds the lock").push((i, program));
        }
    };
    // A thread for each file in turn would cost a solver context each; workers keep theirs.
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            deep_thread().spawn_scoped(scope, work).expect("a thread can be started");
        }
    });
    progress.clear();
    let mut all = done.into_inner().expect("no worker panics while it holds the lock");
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, p)| p).collect()
}

/// A panic is a bug of ours; it costs one program, not the others.
fn guarded(path: &Path, analyse: impl FnOnce() -> Program) -> Program {
    catch_unwind(AssertUnwindSafe(analyse)).unwrap_or_else(|panic| {
        let words = panic_words(panic.as_ref());
        not_analysed(path, format!("lariat has a bug: {words}; please report it with this file"))
    })
}

fn not_analysed(path: &Path, message: String) -> Program {
    failed(path, Failure { place: None, message })
}

/// A file that could not be analysed, with the text of the place where that is.
fn failed(path: &Path, failure: Failure) -> Program {
    let file = path.display().to_string();
    let sources = texts(failure.place.iter());
    Program { file, sources, outcome: Err(failure) }
}

/// The texts of the files that places are in; what cannot be read is not shown.
fn texts<'a>(places: impl Iterator<Item = &'a Span>) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for place in places {
        if !all.contains_key(&place.file)
            && let Ok(bytes) = std::fs::read(&place.file)
        {
            all.insert(place.file.clone(), String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    all
}

fn one_file(o: &Options, front: &lariat_front::Options, path: &Path) -> Program {
    let results = if is_lts(path) { one_system(o, path) } else { one_source(o, front, path) };
    match results {
        Err(failure) => failed(path, failure),
        Ok(r) => {
            let sources = texts(r.loops.iter().chain(&r.recursion).filter_map(|l| l.place.as_ref()));
            Program { file: path.display().to_string(), sources, outcome: Ok(r) }
        }
    }
}

fn settings(o: &Options) -> Settings {
    Settings { timeout: Duration::from_secs_f64(o.timeout), only: o.only.clone(), audit: o.audit }
}

/// Reads an `.lts` file that fits the options.
fn parsed(o: &Options, path: &Path) -> Result<lts::Parsed, Failure> {
    let file = path.display().to_string();
    let anywhere = |message: String| Failure { place: None, message };
    let source = read_file(path).map_err(anywhere)?;
    let parsed = lts::parse(&source)
        .map_err(|e| Failure { place: Some(Span { file, line: e.line, column: e.column }), message: e.message })?;
    let ts = &parsed.system;
    if let Some(wanted) = o.integers.filter(|i| i.integers() != ts.integers) {
        let message = format!("this system was made for --integers {}, not {}", ts.integers, wanted.integers());
        return Err(anywhere(message));
    }
    if let Some(entry) = o.entry.as_deref().filter(|e| *e != "all" && *e != ts.name) {
        return Err(anywhere(format!("there is no entry `{entry}`; this system is `{}`", ts.name)));
    }
    Ok(parsed)
}

fn one_system(o: &Options, path: &Path) -> Result<Results, Failure> {
    let file = path.display().to_string();
    let lts::Parsed { system: ts, places } = parsed(o, path)?;
    let analysis = analyze(&ts, &settings(o), &mut |_, _| {}).map_err(|defect| {
        let at = defect.at.and_then(|l| places.get(&l)).copied();
        Failure { place: at.map(|(line, column)| Span { file: file.clone(), line, column }), message: defect.message }
    })?;
    let (integers, time) = (ts.integers, analysis.time);
    let entry = EntryStudy {
        name: ts.name.clone(),
        studies: vec![Study { ts, analysis }],
        names: SourceNames::default(),
        contradictions: Vec::new(),
    };
    Ok(report::results(&file, integers, o.data_model.name(), &[entry], Some(&places), time))
}

/// Reads a source file.
fn entries(path: &Path, front: &lariat_front::Options) -> Result<Vec<Entry>, Failure> {
    let unit = lariat_front::load(path, front).map_err(|f| Failure {
        place: f.place.map(|(file, line, column)| Span { file, line, column }),
        message: f.message,
    })?;
    if unit.entries.is_empty() {
        let message = "there is no function to analyse; name a file that defines one";
        return Err(Failure { place: None, message: message.into() });
    }
    Ok(unit.entries)
}

fn one_source(o: &Options, front: &lariat_front::Options, path: &Path) -> Result<Results, Failure> {
    let begin = Instant::now();
    let deadline = begin + Duration::from_secs_f64(o.timeout);
    let entries = entries(path, front)?;
    let integers = o.integers.unwrap_or(IntegersArg::C).integers();
    let mut studies = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        if INTERRUPTED.load(Ordering::Relaxed) {
            studies.push(left_out(entry, targets(integers)));
            continue;
        }
        // What one entry leaves over is for those behind it.
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(entries.len() - i).unwrap_or(u32::MAX);
        let settings = Settings { timeout: share, ..settings(o) };
        studies.push(analyze_entry(&entry.name, &entry.program, integers, &settings, &mut |_, _| {}));
    }
    let file = path.display().to_string();
    Ok(report::results(&file, integers, o.data_model.name(), &studies, None, begin.elapsed()))
}

/// An entry that was not looked at, because the user wants to see what there is.
fn left_out(entry: &Entry, targets: &[Target]) -> EntryStudy {
    let study = |target: &Target| {
        let ts = lower(&entry.program, *target);
        let analysis = undecided(&ts, "interrupted by Ctrl-C; run it again");
        Study { ts, analysis }
    };
    EntryStudy {
        name: entry.name.clone(),
        studies: targets.iter().map(study).collect(),
        names: SourceNames::of(&entry.program),
        contradictions: Vec::new(),
    }
}

/// Prints what the files are to the engines.
fn emit_all(o: &Options, emit: Emit, front: &lariat_front::Options) -> u8 {
    let mut out = String::new();
    let mut status = 0;
    for path in &o.files {
        match emitted(o, emit, front, path) {
            Ok(text) => out.push_str(&text),
            Err(f) => {
                tell(&path.display().to_string(), &f);
                status = 2;
            }
        }
    }
    match write_out(o, &out) {
        Ok(()) => status,
        Err(message) => fail(&message),
    }
}

fn emitted(o: &Options, emit: Emit, front: &lariat_front::Options, path: &Path) -> Result<String, Failure> {
    let file = path.display();
    let mut out = String::new();
    if is_lts(path) {
        let ts = parsed(o, path)?.system;
        if emit == Emit::Cfg {
            let message = "a transition system is in an integer semantics already; print it with --emit lts";
            return Err(Failure { place: None, message: message.into() });
        }
        out.push_str(&lts::print(&ts));
        return Ok(out);
    }
    let integers = o.integers.unwrap_or(IntegersArg::C).integers();
    for entry in entries(path, front)? {
        if emit == Emit::Cfg {
            let _ = writeln!(out, "# {file}: `{}`", entry.name);
            out.push_str(&report::cfg::print(&entry.program));
            out.push('\n');
            continue;
        }
        for target in targets(integers) {
            let what = match target {
                Target::CTerminates => ", to prove that it ends",
                Target::CDiverges => ", to prove that it runs for ever",
                Target::Wrap | Target::Ideal => "",
            };
            let ts: TransitionSystem = lower(&entry.program, *target);
            let _ = writeln!(out, "# {file}: `{}`, integers {integers}{what}", entry.name);
            let _ = writeln!(out, "{}", lts::print(&ts));
        }
    }
    Ok(out)
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
