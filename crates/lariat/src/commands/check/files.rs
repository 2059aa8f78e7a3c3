//! The files of one call, each read and decided within its time.

use super::Options;
use super::progress::Progress;
use super::systems::{self, Systems};
use crate::analyze::{EntryStudy, Settings, Study, TIME_IS_UP, analyze, study_each, study_systems};
use crate::beside::{Questions, study_beside};
use crate::commands::deadline::Tasks;
use crate::commands::{INTERRUPTED, IntegersArg, deep_thread, is_lts, panic_words};
use crate::harness::{self, Harness};
use crate::report::{self, Failure, Program, Results};
use lariat_check::{System, SystemDefect};
use lariat_front::Entry;
use lariat_ir::{Integers, Span};
use lariat_smt::{Limit, Room, Z3Solver};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is known of a file.
pub(super) struct Analysed {
    /// For reports.
    pub program: Program,
    /// Programs that show what was found.
    pub harnesses: Vec<Harness>,
}

/// One for the engines, one for the checker.
pub(super) const CONTEXTS: usize = 2;

/// How much later than its time a file is given up: the checker has half a second of its own.
const GRACE: Duration = Duration::from_millis(800);

/// Analyses the files, several at once, and gives the results in the order of the files.
pub(super) fn analyse_all(o: &Options, front: lariat_front::Options) -> Vec<Analysed> {
    let progress = Progress::new(o.files.len());
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
        jobs: jobs(o).min(o.files.len()),
        time: Duration::from_secs_f64(o.timeout) + GRACE,
        work: Arc::new(work),
    };
    let programs = tasks.run(|i, found| given_up(o, &o.files[i], found), || progress.finish_one());
    progress.clear();
    programs
}

/// How many things may be done at once.
fn jobs(o: &Options) -> usize {
    o.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// What is known of a file while it is being analysed.
#[derive(Default)]
struct Found(Mutex<SoFar>);

#[derive(Default)]
struct SoFar {
    /// All entries, once the file is read.
    names: Vec<String>,
    /// What is known of each, perhaps nothing yet.
    entries: Vec<EntryStudy>,
    integers: Option<Integers>,
    /// The results, when all is done.
    results: Option<(Results, Vec<Harness>)>,
}

impl Found {
    fn lock(&self) -> MutexGuard<'_, SoFar> {
        // A panic is reported as such; what was found before stays true.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn read(&self, names: Vec<String>, integers: Integers) {
        let mut so_far = self.lock();
        so_far.names = names;
        so_far.integers = Some(integers);
    }
    fn change<T>(&self, entry: usize, change: impl FnOnce(&mut EntryStudy) -> T) -> T {
        change(&mut self.lock().entries[entry])
    }
    /// Makes the results from what there is, once. Nobody gives up a file in the meantime: it takes a while for a large
    /// one, but it ends.
    fn results(&self, o: &Options, path: &Path, time: Duration) -> (Results, Vec<Harness>) {
        let so_far = &mut *self.lock();
        if so_far.results.is_none() {
            let integers = so_far.integers.unwrap_or(o.integers.unwrap_or(IntegersArg::C).integers());
            let file = path.display().to_string();
            let entries = &so_far.entries;
            let results = report::results(&file, integers, o.data_model.name(), entries, time);
            let of = harness::Origins { file: path, flags: &o.compiler_flags };
            let wanted = entries.iter().filter(|_| o.harness.is_some());
            let harnesses = wanted.flat_map(|e| harness::harnesses(&of, e)).collect();
            so_far.results = Some((results, harnesses));
        }
        so_far.results.clone().expect("they were made just now")
    }
}

/// The results of a file that is still being worked on after its time.
fn given_up(o: &Options, path: &Path, found: &Found) -> Analysed {
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
fn guarded(path: &Path, analyse: impl FnOnce() -> Analysed) -> Analysed {
    catch_unwind(AssertUnwindSafe(analyse)).unwrap_or_else(|panic| {
        let words = panic_words(panic.as_ref());
        not_analysed(path, format!("lariat has a bug: {words}; please report it with this file"))
    })
}

fn not_analysed(path: &Path, message: String) -> Analysed {
    failed(path, Failure { place: None, message })
}

/// A file that could not be analysed, with the text of the place where that is.
fn failed(path: &Path, failure: Failure) -> Analysed {
    let file = path.display().to_string();
    let sources = texts(failure.place.iter());
    Analysed { program: Program { file, sources, outcome: Err(failure) }, harnesses: Vec::new() }
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

fn one_file(o: &Options, front: &lariat_front::Options, path: &Path, found: &Found) -> Analysed {
    let begin = Instant::now();
    let studied = if is_lts(path) { one_system(o, path, found) } else { one_source(o, front, path, found) };
    match studied {
        Err(failure) => failed(path, failure),
        Ok(()) => shown(path, found.results(o, path, begin.elapsed())),
    }
}

/// Results with the texts of the places in them.
fn shown(path: &Path, (results, harnesses): (Results, Vec<Harness>)) -> Analysed {
    let loops = results.loops.iter().chain(&results.recursion);
    let steps = |l: &report::LoopReport| {
        let all = l.witness.iter().flat_map(|w| w.stem.iter().chain(&w.cycle));
        all.filter_map(|s| s.span.clone()).chain(l.place.clone()).collect::<Vec<_>>()
    };
    let places: Vec<Span> = loops.flat_map(steps).collect();
    let sources = texts(places.iter());
    let program = Program { file: path.display().to_string(), sources, outcome: Ok(results) };
    Analysed { program, harnesses }
}

fn settings(o: &Options) -> Settings {
    Settings { timeout: Duration::from_secs_f64(o.timeout), only: o.only.clone(), audit: o.audit }
}

fn one_system(o: &Options, path: &Path, found: &Found) -> Result<(), Failure> {
    lariat_smt::prepare_contexts(CONTEXTS);
    let deadline = Instant::now() + Duration::from_secs_f64(o.timeout);
    let all = systems::read(o, path)?;
    found.read(all.iter().map(|e| e.name.clone()).collect(), all[0].systems[0].system.integers);
    let count = all.len();
    for (i, Systems { name, systems }) in all.into_iter().enumerate() {
        let share = u32::try_from(count - i).unwrap_or(u32::MAX);
        let timeout = deadline.saturating_duration_since(Instant::now()) / share;
        let settings = Settings { timeout, ..settings(o) };
        let (systems, places): (Vec<_>, Vec<_>) = systems.into_iter().map(|p| (p.system, p.places)).unzip();
        let defect = |n: usize, defect: SystemDefect| {
            let at = defect.at.and_then(|l| places[n].get(&l)).copied();
            let file = path.display().to_string();
            Failure { place: at.map(|(line, column)| Span { file, line, column }), message: defect.message }
        };
        let mut entry = EntryStudy::named(&name);
        if let [ts] = systems.as_slice() {
            let analysis = analyze(ts, &settings).map_err(|d| defect(0, d))?;
            entry.know(0, Study { ts: ts.clone(), analysis });
        } else {
            for (n, ts) in systems.iter().enumerate() {
                System::verify(ts, &mut Z3Solver::new(), Limit::default()).map_err(|d| defect(n, d))?;
            }
            let told = &mut |n, study| entry.know(n, study);
            study_each(systems.len(), &|n| systems[n].clone(), &settings, &Room::default(), told);
            entry.compare();
        }
        found.lock().entries.push(EntryStudy { places, ..entry });
    }
    Ok(())
}

/// Reads a source file.
pub(super) fn entries(path: &Path, front: &lariat_front::Options) -> Result<Vec<Entry>, Failure> {
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
    found.read(entries.iter().map(|e| e.name.clone()).collect(), integers);
    found.lock().entries = entries.iter().map(|e| EntryStudy::of(&e.name, &e.program)).collect();
    // Jobs that no file needs are for the entries of one.
    let jobs = (jobs(o) / o.files.len()).clamp(1, entries.len().max(1));
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(entry) = entries.get(i) else { break };
            if INTERRUPTED.load(Ordering::Relaxed) {
                found.change(i, |e| e.reason = Some("interrupted by Ctrl-C; run it again".to_owned()));
                continue;
            }
            // What one entry leaves over is for those behind it.
            let left = deadline.saturating_duration_since(Instant::now());
            let rounds = (entries.len() - i).div_ceil(jobs);
            let share = left / u32::try_from(rounds).unwrap_or(u32::MAX);
            one_entry(o, integers, entry, i, Instant::now() + share, found);
        }
    };
    if jobs == 1 {
        work();
        return Ok(());
    }
    std::thread::scope(|scope| {
        let threads = (0..jobs).map(|_| deep_thread().spawn_scoped(scope, work).expect("a thread can be started"));
        for thread in threads.collect::<Vec<_>>() {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    Ok(())
}

fn one_entry(o: &Options, integers: Integers, entry: &Entry, i: usize, deadline: Instant, found: &Found) {
    let timeout = deadline.saturating_duration_since(Instant::now());
    let settings = Settings { timeout, ..settings(o) };
    let checkers = Room::default();
    study_systems(&entry.program, integers, &settings, &checkers, &mut |n, study| {
        found.change(i, |e| e.know(n, study));
    });
    let compare = o.overflow.compare();
    let questions = found.change(i, |e| {
        e.compare();
        match integers {
            Integers::Ideal if o.harness.is_some() => Questions::for_programs(e),
            _ => Questions::of(e, compare),
        }
    });
    let beside = study_beside(&entry.program, questions, compare, &settings, &checkers, deadline);
    found.change(i, |e| e.beside = beside);
}
