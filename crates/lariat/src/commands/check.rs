//! `lariat check`

use super::deadline::Tasks;
use super::{
    DataModelArg, INTERRUPTED, IntegersArg, fail, is_lts, panic_words, print, read_file, show_results_on_interrupt,
    write_file,
};
use crate::analyze::{EntryStudy, Settings, Step, Study, Verdict, analyze, study_systems, undecided};
use crate::report::{self, Failure, Program, Results};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use lariat_engines::portfolio::ENGINES;
use lariat_front::{Entry, EntryChoice};
use lariat_ir::neutral::{Recursion, lower};
use lariat_ir::{Integers, Proves, Span, TransitionSystem, lts};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    let programs = analyse_all(o, front);
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

/// How much later than its time a file is given up: the checker has half a second of its own.
const GRACE: Duration = Duration::from_millis(800);

/// Analyses the files, several at once, and gives the results in the order of the files.
fn analyse_all(o: &Options, front: lariat_front::Options) -> Vec<Program> {
    let progress = Progress::new(o.files.len());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = o.clone();
    let work = move |i: usize, found: &Found| {
        let path = &options.files[i];
        if INTERRUPTED.load(Ordering::Relaxed) {
            not_analysed(path, "it was not analysed: interrupted by Ctrl-C; run it again".into())
        } else {
            guarded(path, || one_file(&options, &front, path, found))
        }
    };
    let tasks = Tasks {
        count: o.files.len(),
        jobs: o.jobs.map_or(cores, usize::from).min(o.files.len()),
        time: Duration::from_secs_f64(o.timeout) + GRACE,
        work: Arc::new(work),
    };
    let programs = tasks.run(|i, found| given_up(o, &o.files[i], found), || progress.finish_one());
    progress.clear();
    programs
}

const TIME_IS_UP: &str = "the time was up";

/// What is known of a file while it is being analysed.
#[derive(Default)]
struct Found(Mutex<SoFar>);

#[derive(Default)]
struct SoFar {
    /// All entries, once the file is read.
    names: Vec<String>,
    /// Those that were looked at, the last one perhaps not to its end.
    entries: Vec<EntryStudy>,
    integers: Option<Integers>,
    places: Option<lts::Places>,
    /// The results, when all is done.
    results: Option<Results>,
}

impl Found {
    fn lock(&self) -> MutexGuard<'_, SoFar> {
        // A panic is reported as such; what was found before stays true.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn read(&self, names: Vec<String>, integers: Integers, places: Option<lts::Places>) {
        let mut so_far = self.lock();
        so_far.names = names;
        so_far.integers = Some(integers);
        so_far.places = places;
    }
    fn last(&self, change: impl FnOnce(&mut EntryStudy)) {
        if let Some(entry) = self.lock().entries.last_mut() {
            change(entry);
        }
    }
    /// Makes the results from what there is, once. Nobody gives up a file in the meantime: it takes a while for a large
    /// one, but it ends.
    fn results(&self, o: &Options, path: &Path, time: Duration) -> Results {
        let so_far = &mut *self.lock();
        if so_far.results.is_none() {
            let integers = so_far.integers.unwrap_or(o.integers.unwrap_or(IntegersArg::C).integers());
            let file = path.display().to_string();
            let (entries, places) = (&so_far.entries, so_far.places.as_ref());
            so_far.results = Some(report::results(&file, integers, o.data_model.name(), entries, places, time));
        }
        so_far.results.clone().expect("they were made just now")
    }
}

/// The results of a file that is still being worked on after its time.
fn given_up(o: &Options, path: &Path, found: &Found) -> Program {
    let time = Duration::from_secs_f64(o.timeout) + GRACE;
    let mut so_far = found.lock();
    if let Some(results) = so_far.results.take() {
        return shown(path, results);
    }
    let unread = so_far.names.is_empty();
    if unread {
        so_far.names = vec![o.entry.clone().unwrap_or_else(|| "main".to_owned())];
    }
    let reason = if unread { "the time was up before the program was read" } else { TIME_IS_UP };
    for entry in &mut so_far.entries {
        entry.reason = Some(reason.to_owned());
    }
    let known = so_far.entries.len();
    for name in so_far.names.split_off(known) {
        so_far.entries.push(EntryStudy { reason: Some(reason.to_owned()), ..EntryStudy::named(&name) });
    }
    drop(so_far);
    shown(path, found.results(o, path, time))
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

fn one_file(o: &Options, front: &lariat_front::Options, path: &Path, found: &Found) -> Program {
    let begin = Instant::now();
    let studied = if is_lts(path) { one_system(o, path, found) } else { one_source(o, front, path, found) };
    match studied {
        Err(failure) => failed(path, failure),
        Ok(()) => shown(path, found.results(o, path, begin.elapsed())),
    }
}

/// Results with the texts of the places in them.
fn shown(path: &Path, results: Results) -> Program {
    let sources = texts(results.loops.iter().chain(&results.recursion).filter_map(|l| l.place.as_ref()));
    Program { file: path.display().to_string(), sources, outcome: Ok(results) }
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

fn one_system(o: &Options, path: &Path, found: &Found) -> Result<(), Failure> {
    let lts::Parsed { system: ts, places } = parsed(o, path)?;
    found.read(vec![ts.name.clone()], ts.integers, Some(places.clone()));
    let analysis = analyze(&ts, &settings(o), &mut |_, _| {}).map_err(|defect| {
        let at = defect.at.and_then(|l| places.get(&l)).copied();
        let file = path.display().to_string();
        Failure { place: at.map(|(line, column)| Span { file, line, column }), message: defect.message }
    })?;
    let name = ts.name.clone();
    let studies = vec![Study { ts, analysis }];
    found.lock().entries.push(EntryStudy { studies, ..EntryStudy::named(&name) });
    Ok(())
}

/// Reads a source file.
fn entries(path: &Path, front: &lariat_front::Options) -> Result<Vec<Entry>, Failure> {
    let unit = lariat_front::load(path, front).map_err(|f| Failure {
        place: f.place.map(|(file, line, column)| Span { file, line, column }),
        message: f.message,
    })?;
    Ok(unit.entries)
}

fn one_source(o: &Options, front: &lariat_front::Options, path: &Path, found: &Found) -> Result<(), Failure> {
    let deadline = Instant::now() + Duration::from_secs_f64(o.timeout);
    let entries = entries(path, front)?;
    let integers = o.integers.unwrap_or(IntegersArg::C).integers();
    found.read(entries.iter().map(|e| e.name.clone()).collect(), integers, None);
    for (i, entry) in entries.iter().enumerate() {
        found.lock().entries.push(EntryStudy::of(&entry.name, &entry.program));
        if INTERRUPTED.load(Ordering::Relaxed) {
            found.last(|e| e.reason = Some("interrupted by Ctrl-C; run it again".to_owned()));
            continue;
        }
        // What one entry leaves over is for those behind it.
        let left = deadline.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(entries.len() - i).unwrap_or(u32::MAX);
        let settings = Settings { timeout: share, ..settings(o) };
        study_systems(&entry.program, integers, &settings, &mut |_, _| {}, &mut |step| match step {
            // Should it not come to its end, its loops are shown all the same.
            Step::Begun(ts) => {
                let study = Study { ts: ts.clone(), analysis: undecided(ts, TIME_IS_UP) };
                found.last(|e| e.studies.push(study));
            }
            Step::Done(study) => found.last(|e| {
                e.studies.pop();
                e.studies.push(*study);
            }),
        });
        found.last(EntryStudy::compare);
    }
    Ok(())
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
            if let Recursion::Resumed { ending } = &entry.program.recursion {
                let _ = writeln!(out, "# {file}: `{}`, recursive calls skipped or never left", entry.name);
                out.push_str(&report::cfg::print(ending));
                out.push('\n');
            }
            continue;
        }
        for (form, target) in entry.program.systems(integers) {
            let ts: TransitionSystem = lower(form, target);
            let what = match ts.proves {
                Proves::Terminates => ", to prove that it ends",
                Proves::Diverges => ", to prove that it runs for ever",
                Proves::Both => "",
            };
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
