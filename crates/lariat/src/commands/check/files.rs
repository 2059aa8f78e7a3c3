//! The files of one call, each read and decided within its time.

use super::progress::Progress;
use super::systems::{self, Systems};
use super::workers::{Answer, GRACE, Lost, Outcome, Tasks};
use super::{Options, answer, emit};
use crate::analyze::{EntryStudy, MEMORY_IS_UP, Settings, Study, TIME_IS_UP, analyze, study_each, study_systems};
use crate::beside::{Questions, study_beside};
use crate::commands::{IntegersArg, deep_thread, deep_thread_in, is_lts, panic_words};
use crate::harness::{self, Harness};
use crate::report::{self, Failure, Program, Results};
use lariat_check::{System, SystemDefect};
use lariat_front::Entry;
use lariat_ir::{Integers, Span};
use lariat_process::{Ask, Seat, Signals};
use lariat_smt::{Limit, Room, Z3Solver};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One for the engines, one for the checker.
pub(super) const CONTEXTS: usize = 2;

/// Analyses the files, several at once, and gives the results in the order of the files; or the number of the signal that
/// ended it.
pub(super) fn analyse_all(o: &Options, front: &lariat_front::Options, signals: &Signals) -> Result<Outcome, i32> {
    let work: Work = match o.emit {
        Some(emit) => Arc::new(move |o: &Options, front: &lariat_front::Options, path: &Path, _: &Found| {
            emit::emitted(o, emit, front, path)
        }),
        None => Arc::new(one_file),
    };
    let progress = Progress::new(o.files.len());
    let tasks = Tasks {
        count: o.files.len(),
        jobs: jobs(o).min(o.files.len()),
        time: Duration::from_secs_f64(o.timeout),
        memory: o.memory_bytes(),
        serve: &|seat| serve(o, front, &work, seat),
        lost: &|i, why| lost(o, &o.files[i], &why),
    };
    let outcome = tasks.run(signals, &progress);
    progress.clear();
    outcome
}

/// What is done with a file.
type Work = Arc<dyn Fn(&Options, &lariat_front::Options, &Path, &Found) -> Answer + Send + Sync>;

/// About what most files need.
const MEMORY: usize = 8 << 20;

/// A worker: takes one file after the other. A thread does the work, and keeps what is worth keeping for the next file; this one
/// looks at the clock and answers with what there is when the time is up.
fn serve(o: &Options, front: &lariat_front::Options, work: &Work, mut seat: Seat) {
    let (give, given) = mpsc::channel::<(usize, Arc<Found>)>();
    let (told, news) = mpsc::channel::<News>();
    let done = told.clone();
    let (options, front, work) = (o.clone(), front.clone(), Arc::clone(work));
    let thread = move || {
        lariat_smt::ready_heap(MEMORY);
        for (i, found) in given {
            let path = &options.files[i];
            let answer = guarded(&options, path, || work(&options, &front, path, &found));
            // Nobody listens any more only when the process ends.
            let _ = done.send(News::Answer(answer));
        }
    };
    let started = deep_thread(thread);
    while let Some(i) = seat.task() {
        let i = i as usize;
        let answer = match &started {
            Ok(()) => {
                let found = Arc::new(Found { told: Some(told.clone()), ..Found::default() });
                give.send((i, Arc::clone(&found))).expect("the thread takes files as long as there are some");
                one_answer(o, &o.files[i], &news, found, &mut seat)
            }
            Err(e) => not_analysed(o, &o.files[i], no_thread(e)),
        };
        // A parent that is not there any more takes its workers with it.
        let _ = seat.answer(&answer.encode());
        if answer.spent {
            break;
        }
    }
}

/// What the thread that works on a file tells.
enum News {
    /// What there is to say if nothing else comes, and how long it took to say it.
    Early(Answer, Duration),
    /// All.
    Answer(Answer),
}

/// Waits for the answer, but not longer than the file may take.
fn one_answer(o: &Options, path: &Path, news: &mpsc::Receiver<News>, found: Arc<Found>, seat: &mut Seat) -> Answer {
    /// How often to look whether somebody wants it earlier.
    const LOOK: Duration = Duration::from_millis(10);
    /// So long a report may take that is begun when the time is up.
    const REPORT: Duration = Duration::from_millis(300);
    let time = Duration::from_secs_f64(o.timeout);
    let begin = Instant::now();
    let mut deadline = begin + time + GRACE;
    let why = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match news.recv_timeout(left.min(LOOK)) {
            Ok(News::Answer(answer)) => return answer,
            Ok(News::Early(answer, took)) => {
                let _ = seat.answer(&answer.encode());
                // The last report of a large program is begun earlier; half of the time is for the search at least.
                let search = (time + GRACE + REPORT).saturating_sub(took.mul_f64(1.5)).max(time / 2);
                deadline = deadline.min(begin + search);
            }
            // The thread has panicked outside of what catches panics.
            Err(RecvTimeoutError::Disconnected) => lariat_smt::leave(1),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match lariat_process::asked() {
            Ask::Nothing if left.is_zero() => break Lost::Late,
            Ask::Nothing => {}
            Ask::Stop => break Lost::Interrupted,
            Ask::Memory => break Lost::Memory,
        }
    };
    // Reports walk over expressions, too, so this needs as deep a stack.
    let (options, path, told) = (o.clone(), path.to_owned(), found.told.clone().expect("a worker listens"));
    let started = deep_thread(move || {
        let answer = guarded(&options, &path, || given_up(&options, &path, &found, &why));
        let _ = told.send(News::Answer(answer));
    });
    while started.is_ok()
        && let Ok(news) = news.recv()
    {
        // The thread that is late may still be the first to be done.
        if let News::Answer(answer) = news {
            return Answer { spent: true, ..answer };
        }
    }
    // The parent knows what to say of a worker that ends.
    lariat_smt::leave(1)
}

/// Why no thread could be started, and what to do.
fn no_thread(e: &std::io::Error) -> String {
    let limit = lariat_process::address_space_limit();
    let next = match limit {
        Some(bytes) => format!("raise the limit of virtual memory, which is {} MB (ulimit -v)", bytes >> 20),
        None => "end other processes, or raise the limit of threads (ulimit -u)".to_owned(),
    };
    format!("it was not analysed, since no thread could be started ({e}); {next}")
}

/// How many things may be done at once.
fn jobs(o: &Options) -> usize {
    o.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// What is known of a file while it is being analysed.
#[derive(Default)]
struct Found {
    so_far: Mutex<SoFar>,
    /// Who wants to hear of large programs early.
    told: Option<mpsc::Sender<News>>,
}

#[derive(Default)]
struct SoFar {
    /// How many terms the systems have, and how many they had when that was told.
    terms: usize,
    told: usize,
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
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn read(&self, names: Vec<String>, integers: Integers) {
        let mut so_far = self.lock();
        so_far.names = names;
        so_far.integers = Some(integers);
    }
    fn change<T>(&self, entry: usize, change: impl FnOnce(&mut EntryStudy) -> T) -> T {
        change(&mut self.lock().entries[entry])
    }
    /// Takes in what is known of a system of an entry. Of a large program it says early what there is to say if nothing else is found:
    /// then it is listed with all its loops, even if there is no time left to make a report.
    fn know(&self, o: &Options, path: &Path, entry: usize, number: usize, study: Study) {
        /// So many terms take a while to print.
        const LARGE: usize = 10_000;
        let mut so_far = self.lock();
        let terms = study.ts.terms.len();
        let is_new = number >= so_far.entries[entry].studies.len();
        so_far.entries[entry].know(number, study);
        so_far.terms += if is_new { terms } else { 0 };
        if so_far.terms < LARGE.max(2 * so_far.told) {
            return;
        }
        let Some(told) = &self.told else { return };
        so_far.told = so_far.terms;
        let begin = Instant::now();
        let before: Vec<Option<String>> = so_far.entries.iter().map(|e| e.reason.clone()).collect();
        so_far.blame(TIME_IS_UP, LIMIT_IS_REACHED);
        let results = so_far.results(o, path, Duration::from_secs_f64(o.timeout));
        so_far.blame(LIMIT_IS_REACHED, TIME_IS_UP);
        for (entry, reason) in so_far.entries.iter_mut().zip(before) {
            entry.reason = reason;
        }
        drop(so_far);
        let answer = Answer { is_early: true, ..shown(o, path, (results, Vec::new())) };
        let _ = told.send(News::Early(answer, begin.elapsed()));
    }
    /// Makes the results from what there is, once. Nobody gives up a file in the meantime: it takes a while for a large
    /// one, but it ends.
    fn results(&self, o: &Options, path: &Path, time: Duration) -> (Results, Vec<Harness>) {
        let so_far = &mut *self.lock();
        if so_far.results.is_none() {
            let results = so_far.results(o, path, time);
            let of = harness::Origins { file: path, flags: &o.compiler_flags };
            let wanted = so_far.entries.iter().filter(|_| o.harness.is_some());
            let harnesses = wanted.flat_map(|e| harness::harnesses(&of, e)).collect();
            so_far.results = Some((results, harnesses));
        }
        so_far.results.clone().expect("they were made just now")
    }
}

impl SoFar {
    fn results(&self, o: &Options, path: &Path, time: Duration) -> Results {
        let integers = self.integers.unwrap_or(o.integers.unwrap_or(IntegersArg::C).integers());
        let file = path.display().to_string();
        report::results(&file, integers, o.data_model.name(), &self.entries, time)
    }
    /// Gives another reason for what is not done: `was` is the one that it has.
    fn blame(&mut self, was: &str, reason: &str) {
        for entry in &mut self.entries {
            entry.reason = Some(reason.to_owned());
            let analyses = entry.studies.iter_mut().map(|s| &mut s.analysis);
            let reasons = analyses.flat_map(|a| {
                a.loops.iter_mut().flat_map(|l| &mut l.trials).map(|t| &mut t.reason).chain([&mut a.reason])
            });
            for known in reasons.filter(|r| r.as_deref() == Some(was)) {
                *known = Some(reason.to_owned());
            }
        }
    }
}

/// Said early of what may not be done later.
const LIMIT_IS_REACHED: &str = "the time or the memory was up";

/// What to say of a file that is not done.
fn reason(o: &Options, why: &Lost, read: bool) -> String {
    let when = if read { "" } else { " before the program was read" };
    match why {
        Lost::Late if read => TIME_IS_UP.to_owned(),
        Lost::Late => format!("{TIME_IS_UP}{when}; give it more with --timeout, or a smaller file"),
        Lost::Memory => match lariat_process::address_space_limit() {
            Some(bytes) if bytes < o.memory_bytes() => {
                format!("{MEMORY_IS_UP}{when}: the system allows {} MB (ulimit -v); raise that limit", bytes >> 20)
            }
            _ => format!("{MEMORY_IS_UP}{when}: it would take more than {} MB; give it more with --memory", o.memory),
        },
        Lost::Interrupted => format!("interrupted by Ctrl-C{when}; run it again"),
        Lost::Crashed(words) => words.clone(),
    }
}

/// The answer for a file that is still being worked on, from what is known of it.
fn given_up(o: &Options, path: &Path, found: &Found, why: &Lost) -> Answer {
    if o.emit.is_some() {
        return lost(o, path, why);
    }
    let time = Duration::from_secs_f64(o.timeout) + GRACE;
    let mut so_far = found.lock();
    if let Some(results) = so_far.results.take() {
        return shown(o, path, results);
    }
    let unread = so_far.names.is_empty();
    if unread {
        so_far.names = vec![o.entry.clone().unwrap_or_else(|| "main".to_owned())];
    }
    let reason = reason(o, why, !unread);
    so_far.blame(TIME_IS_UP, &reason);
    let known = so_far.entries.len();
    for name in so_far.names.split_off(known) {
        so_far.entries.push(EntryStudy { reason: Some(reason.clone()), ..EntryStudy::named(&name) });
    }
    drop(so_far);
    shown(o, path, found.results(o, path, time))
}

/// The answer for a file whose worker gave none.
fn lost(o: &Options, path: &Path, why: &Lost) -> Answer {
    let reason = reason(o, why, true);
    match why {
        Lost::Crashed(_) => not_analysed(o, path, format!("{reason}; please report it with this file")),
        _ if o.emit.is_some() => not_analysed(o, path, reason),
        Lost::Interrupted => not_analysed(o, path, format!("it was not analysed: {reason}")),
        Lost::Late | Lost::Memory => {
            let name = o.entry.clone().unwrap_or_else(|| "main".to_owned());
            let found = Found::default();
            found.lock().entries = vec![EntryStudy { reason: Some(reason), ..EntryStudy::named(&name) }];
            shown(o, path, found.results(o, path, Duration::from_secs_f64(o.timeout)))
        }
    }
}

/// A panic is a bug of ours; it costs one program, not the others.
fn guarded(o: &Options, path: &Path, analyse: impl FnOnce() -> Answer) -> Answer {
    catch_unwind(AssertUnwindSafe(analyse)).unwrap_or_else(|panic| {
        let words = panic_words(panic.as_ref());
        not_analysed(o, path, format!("lariat has a bug: {words}; please report it with this file"))
    })
}

fn not_analysed(o: &Options, path: &Path, message: String) -> Answer {
    failed(o, path, Failure { place: None, message })
}

/// The answer for a file that could not be analysed, with the text of the place where that is.
pub(super) fn failed(o: &Options, path: &Path, failure: Failure) -> Answer {
    let file = path.display().to_string();
    let sources = texts(failure.place.iter());
    answer(o, Program { file, sources, outcome: Err(failure) }, Vec::new())
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

fn one_file(o: &Options, front: &lariat_front::Options, path: &Path, found: &Found) -> Answer {
    let begin = Instant::now();
    let studied = if is_lts(path) { one_system(o, path, found) } else { one_source(o, front, path, found) };
    match studied {
        // A compiler that is killed is no finding about the program.
        Err(_) if lariat_process::asked() == Ask::Memory => given_up(o, path, found, &Lost::Memory),
        Err(_) if begin.elapsed() >= Duration::from_secs_f64(o.timeout) => given_up(o, path, found, &Lost::Late),
        Err(failure) => failed(o, path, failure),
        Ok(()) => shown(o, path, found.results(o, path, begin.elapsed())),
    }
}

/// Results with the texts of the places in them.
fn shown(o: &Options, path: &Path, (results, harnesses): (Results, Vec<Harness>)) -> Answer {
    let loops = results.loops.iter().chain(&results.recursion);
    let steps = |l: &report::LoopReport| {
        let all = l.witness.iter().flat_map(|w| w.stem.iter().chain(&w.cycle));
        all.filter_map(|s| s.span.clone()).chain(l.place.clone()).collect::<Vec<_>>()
    };
    let places: Vec<Span> = loops.flat_map(steps).collect();
    let sources = texts(places.iter());
    answer(o, Program { file: path.display().to_string(), sources, outcome: Ok(results) }, harnesses)
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
                System::verify(ts, &mut Z3Solver::new().direct(), Limit::default()).map_err(|d| defect(n, d))?;
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
            // What one entry leaves over is for those behind it.
            let left = deadline.saturating_duration_since(Instant::now());
            let rounds = (entries.len() - i).div_ceil(jobs);
            let share = left / u32::try_from(rounds).unwrap_or(u32::MAX);
            one_entry(o, path, integers, (i, entry), Instant::now() + share, found);
        }
    };
    std::thread::scope(|scope| {
        // This thread works as well. One that cannot be started is not needed.
        let threads: Vec<_> = (1..jobs).filter_map(|_| deep_thread_in(scope, work).ok()).collect();
        work();
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    Ok(())
}

fn one_entry(
    o: &Options,
    path: &Path,
    integers: Integers,
    (i, entry): (usize, &Entry),
    deadline: Instant,
    found: &Found,
) {
    let timeout = deadline.saturating_duration_since(Instant::now());
    let settings = Settings { timeout, ..settings(o) };
    let checkers = Room::default();
    study_systems(&entry.program, integers, &settings, &checkers, &mut |n, study| found.know(o, path, i, n, study));
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
