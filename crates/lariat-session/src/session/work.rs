//! The work on one file, and what is known of it meanwhile.

use super::runner::{GRACE, ReportTime};
use super::{Event, Options, Sink};
use crate::analyze::{EntryStudy, PENDING, Study, analyze, study_each, study_systems};
use crate::beside::{Questions, study_beside};
use crate::cancel::{Cancellation, Why};
use crate::harness::{self, Harness};
use crate::input::{self, Systems};
use crate::results::{Failure, Program, Reason, Results, combine};
use crate::threads::deep_thread_in;
use crate::trace::{self, Reading};
use crate::views::{Found, Views, study_views};
use lariat_check::compose::{self, Outcome};
use lariat_check::{System, SystemDefect};
use lariat_front::Entry;
use lariat_front::translate::Prepared;
use lariat_ir::function::Functions;
use lariat_ir::neutral::Recursion;
use lariat_ir::{Integers, LoopKey, Span};
use lariat_smt::{ContextPool, Limit, Z3Solver};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One for the engines, one for the checker.
const CONTEXTS: usize = 2;

/// The work on a file: one thread does it, and another one may make results of what there is.
pub(super) struct Work {
    options: Arc<Options>,
    path: PathBuf,
    sink: Arc<dyn Sink>,
    cancellation: Cancellation,
    so_far: Mutex<SoFar>,
    /// How long early reports took.
    pub report_time: Arc<ReportTime>,
}

/// What is known of a file while it is being analysed.
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
    /// When the work began, and what reading took.
    reading: Reading,
    /// What is known of functions by themselves.
    views: Views,
}

/// A program of so many instructions, all calls entered, is followed as a whole first.
const SMALL: usize = 4_000;

/// An entry of so many instructions, all calls entered, is not followed as a whole.
const TOO_LARGE: usize = 6_000;

/// One with few loops is followed up to this size: then most of it has no loops, as in a large state machine.
const TOO_LARGE_ANYWAY: usize = 40_000;

/// So many loops are few.
const FEW_LOOPS: usize = 12;

/// Entries of a file without `main` get at least this.
const LEAST_FOR_ENTRIES: Duration = Duration::from_millis(200);

/// The loops of a function and of all that it may call.
fn reachable_keys(functions: &Functions, from: usize) -> BTreeSet<LoopKey> {
    let all = functions.reachable([from]);
    all.iter().flat_map(|f| functions.list[*f].loops.iter().map(|l| l.key.clone())).collect()
}

fn is_open(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Open(_) | Outcome::NotSeen(_))
}

/// What is known of a file before it is read, and why it is not more.
pub(super) fn nothing(options: &Options, path: &Path, reason: Reason) -> Program {
    let entry = EntryStudy { reason: Some(reason), ..EntryStudy::named(options.entry_name()) };
    let so_far = SoFar { entries: vec![entry], ..SoFar::default() };
    Program::new(path, so_far.results(options, path, options.timeout), Vec::new())
}

/// Whether all was looked at.
#[derive(PartialEq)]
enum Extent {
    All,
    /// The token was set before.
    Part,
}

impl Work {
    pub(super) fn new(options: &Arc<Options>, path: &Path, sink: &Arc<dyn Sink>, cancellation: &Cancellation) -> Self {
        Self {
            options: Arc::clone(options),
            path: path.to_owned(),
            sink: Arc::clone(sink),
            cancellation: cancellation.clone(),
            so_far: Mutex::default(),
            report_time: Arc::default(),
        }
    }

    /// Reads the file, and decides all its loops.
    pub(super) fn analyse(&self) -> Program {
        let begin = Instant::now();
        self.change_reading(|r| r.begin = begin);
        let studied = if input::is_lts(&self.path) { self.systems() } else { self.source() };
        match (studied, self.cancellation.why()) {
            // A compiler that is killed is no finding about the program.
            (Err(_), Some(Why::Memory)) => self.given_up(Why::Memory),
            (Err(_), _) if begin.elapsed() >= self.options.timeout => self.given_up(Why::Time),
            (Err(failure), _) => Program::failed_at(&self.path, failure),
            (Ok(Extent::Part), why) => self.given_up(why.unwrap_or(Why::Interrupted)),
            (Ok(Extent::All), _) => self.program(begin.elapsed()),
        }
    }

    /// Makes the results of what there is, also while another thread still works.
    pub(super) fn given_up(&self, why: Why) -> Program {
        let mut so_far = self.lock();
        if let Some((results, harnesses)) = so_far.results.take() {
            return Program::new(&self.path, results, harnesses);
        }
        let unread = so_far.names.is_empty();
        if unread {
            so_far.names = vec![self.options.entry_name().to_owned()];
        }
        let reason = self.options.reason(why, !unread);
        so_far.blame(&PENDING, &reason);
        let known = so_far.entries.len();
        for name in so_far.names.split_off(known) {
            so_far.entries.push(EntryStudy { reason: Some(reason.clone()), ..EntryStudy::named(&name) });
        }
        drop(so_far);
        self.program(self.options.timeout + GRACE)
    }

    /// Makes the results from what there is, once. Nobody gives up a file in the meantime: it takes a while for a large
    /// one, but it ends.
    fn program(&self, time: Duration) -> Program {
        let so_far = &mut *self.lock();
        if so_far.results.is_none() {
            let results = so_far.results(&self.options, &self.path, time);
            let of = harness::Origins { file: &self.path, flags: &self.options.flags };
            let wanted = so_far.entries.iter().filter(|_| self.options.harness);
            let harnesses = wanted.flat_map(|e| harness::harnesses(&of, e)).collect();
            so_far.results = Some((results, harnesses));
        }
        let (results, harnesses) = so_far.results.clone().expect("they were made just now");
        Program::new(&self.path, results, harnesses)
    }

    fn lock(&self) -> MutexGuard<'_, SoFar> {
        // A panic is reported as such; what was found before stays true.
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_cancelled(&self) -> bool {
        self.cancellation.why().is_some()
    }

    fn read(&self, names: &[String], integers: Integers, entries: Vec<EntryStudy>) {
        let mut so_far = self.lock();
        so_far.names = names.to_vec();
        so_far.integers = Some(integers);
        so_far.entries = entries;
        drop(so_far);
        self.sink.event(Event::Read { entries: names, integers });
    }

    fn change_reading(&self, change: impl FnOnce(&mut Reading)) {
        change(&mut self.lock().reading);
    }

    fn change<T>(&self, entry: usize, change: impl FnOnce(&mut EntryStudy) -> T) -> T {
        change(&mut self.lock().entries[entry])
    }

    /// Takes in what is known of a system of an entry. Of a large program it says early what there is to say if nothing else is found:
    /// then it is listed with all its loops, even if there is no time left to make a report.
    fn know(&self, entry: usize, number: usize, study: Study) {
        /// So many terms take a while to print.
        const LARGE: usize = 10_000;
        let (terms, verdict) = (study.ts.terms.len(), study.analysis.verdict);
        let mut so_far = self.lock();
        let is_new = number >= so_far.entries[entry].studies.len();
        so_far.entries[entry].know(number, study);
        so_far.terms += if is_new { terms } else { 0 };
        let early = so_far.terms >= LARGE.max(2 * so_far.told) && self.sink.wants_early();
        if !early {
            drop(so_far);
            self.sink.event(Event::System { entry, number, verdict });
            return;
        }
        so_far.told = so_far.terms;
        let begin = Instant::now();
        let before: Vec<Option<Reason>> = so_far.entries.iter().map(|e| e.reason.clone()).collect();
        so_far.blame(&PENDING, &Reason::LimitReached);
        let results = so_far.results(&self.options, &self.path, self.options.timeout);
        so_far.blame(&Reason::LimitReached, &PENDING);
        for (entry, reason) in so_far.entries.iter_mut().zip(before) {
            entry.reason = reason;
        }
        drop(so_far);
        self.sink.event(Event::System { entry, number, verdict });
        self.sink.event(Event::Early(&Program::new(&self.path, results, Vec::new())));
        self.report_time.took(begin.elapsed());
    }

    /// The systems of an `.lts` file.
    fn systems(&self) -> Result<Extent, Failure> {
        lariat_smt::prepare_contexts(CONTEXTS);
        let deadline = Instant::now() + self.options.timeout;
        let all = input::systems(&self.options, &self.path)?;
        self.read(
            &all.iter().map(|e| e.name.clone()).collect::<Vec<_>>(),
            all[0].systems[0].system.integers,
            Vec::new(),
        );
        let count = all.len();
        for (i, Systems { name, systems }) in all.into_iter().enumerate() {
            if self.is_cancelled() {
                return Ok(Extent::Part);
            }
            let share = u32::try_from(count - i).unwrap_or(u32::MAX);
            let timeout = deadline.saturating_duration_since(Instant::now()) / share;
            let settings = self.options.settings(timeout);
            let (systems, places): (Vec<_>, Vec<_>) = systems.into_iter().map(|p| (p.system, p.places)).unzip();
            let defect = |n: usize, defect: SystemDefect| {
                let at = defect.at.and_then(|l| places[n].get(&l)).copied();
                let file = self.path.display().to_string();
                Failure { place: at.map(|(line, column)| Span { file, line, column }), message: defect.message }
            };
            let mut entry = EntryStudy::named(&name);
            if let [ts] = systems.as_slice() {
                let analysis = analyze(ts, &settings).map_err(|d| defect(0, d))?;
                let verdict = analysis.verdict;
                entry.know(0, Study { ts: ts.clone(), analysis });
                self.sink.event(Event::System { entry: i, number: 0, verdict });
            } else {
                for (n, ts) in systems.iter().enumerate() {
                    System::verify(ts, &mut Z3Solver::new().direct(), Limit::default()).map_err(|d| defect(n, d))?;
                }
                let told = &mut |number, study: Study| {
                    let verdict = study.analysis.verdict;
                    entry.know(number, study);
                    self.sink.event(Event::System { entry: i, number, verdict });
                };
                study_each(systems.len(), &|n| systems[n].clone(), &settings, &ContextPool::default(), told);
                entry.compare();
            }
            self.lock().entries.push(EntryStudy { places, ..entry });
        }
        Ok(Extent::All)
    }

    /// The entries of a program, and its functions.
    ///
    /// A small program is followed as a whole first, and its loops are looked at by themselves where that leaves them open. A large one is
    /// looked at loop by loop first; entries that are still open then, and not too large, are followed as a whole.
    fn source(&self) -> Result<Extent, Failure> {
        let deadline = Instant::now() + self.options.timeout;
        let unit = input::unit(&self.options, &self.path, Some(|| lariat_smt::prepare_contexts(CONTEXTS)))?;
        let (compiling, translating) = (unit.compiling, unit.translating);
        self.change_reading(|r| *r = Reading { compiling, translating, ..*r });
        let prepared = &unit.prepared;
        let functions = Arc::new(prepared.functions());
        let names = prepared.names();
        let studies = names.iter().zip(&functions.entries).map(|(name, f)| EntryStudy {
            keys: reachable_keys(&functions, *f),
            reason: Some(PENDING),
            ..EntryStudy::named(name)
        });
        self.read(names, self.options.integers(), studies.collect());
        self.lock().views.functions = Some(Arc::clone(&functions));
        let sizes: Vec<usize> = (0..names.len()).map(|n| prepared.size(n, TOO_LARGE_ANYWAY)).collect();
        let is_whole = prepared.is_whole();
        let is_small = sizes.iter().sum::<usize>() <= SMALL;
        let is_first = is_whole && is_small;
        if !is_first {
            self.views(&functions, deadline);
        }
        let wanted = self.wanted(&functions, &sizes, is_first, is_whole || is_small);
        // Functions that anybody may call are many: they are followed as a whole for as long as all the rest took.
        let spent = self.options.timeout.saturating_sub(deadline.saturating_duration_since(Instant::now()));
        let until = match (is_whole, is_first) {
            // What is left is for views.
            (_, true) => deadline.checked_sub(self.options.timeout / 12).unwrap_or(deadline),
            (true, false) => deadline,
            (false, false) => deadline.min(Instant::now() + spent.max(LEAST_FOR_ENTRIES)),
        };
        let extent = self.entries(prepared, &wanted, until);
        if is_first && extent == Extent::All {
            // What no run comes to is worth as much as all the rest.
            let spent = self.options.timeout.saturating_sub(deadline.saturating_duration_since(Instant::now()));
            let soon = Instant::now() + spent.max(LEAST_FOR_ENTRIES);
            let is_open = self.lock().entries.iter().any(|e| is_open(&e.findings().program()));
            self.views(&functions, if is_open { deadline } else { deadline.min(soon) });
        }
        Ok(extent)
    }

    /// Looks at the loops by themselves that are not decided yet.
    fn views(&self, functions: &Functions, deadline: Instant) {
        let decided = self.decided();
        let settings = self.options.settings(self.options.timeout);
        study_views(
            functions,
            self.options.integers(),
            &settings,
            &ContextPool::default(),
            deadline,
            &|key| !self.is_cancelled() && !decided.contains(key),
            &mut |found| match found {
                Found::Ending(found) => {
                    let function = &functions.list[found.of.0].shown;
                    self.lock().views.ending.push(*found);
                    self.sink.event(Event::View { function });
                }
                Found::Open { of, lost, .. } => {
                    self.lock().views.lost.insert(of, lost);
                }
            },
        );
    }

    /// The loops of which entries say whether they end. What ends by itself is needed for what holds it.
    fn decided(&self) -> BTreeSet<LoopKey> {
        let so_far = self.lock();
        let composed: Vec<_> = so_far.entries.iter().map(EntryStudy::findings).collect();
        let mut open = false;
        let all: BTreeSet<LoopKey> = so_far.entries.iter().flat_map(|e| e.keys.iter().cloned()).collect();
        let mut decided = BTreeSet::new();
        for key in all {
            let outcome = compose::source_loop(&composed, &key);
            open |= is_open(&outcome);
            if outcome == Outcome::Hangs {
                decided.insert(key);
            }
        }
        let whole = composed.iter().all(|e| !is_open(&e.program()));
        // Nothing is left to be asked.
        if !open && whole {
            decided.extend(so_far.entries.iter().flat_map(|e| e.keys.iter().cloned()));
        }
        decided
    }

    /// The entries that are followed as a whole, in their order: all of a small program, else those that are still open and not too large, the smallest first.
    fn wanted(&self, functions: &Functions, sizes: &[usize], is_first: bool, is_any: bool) -> Vec<usize> {
        let (covered, few_loops): (Vec<bool>, Vec<bool>) = {
            let so_far = self.lock();
            let cover = so_far.views.cover();
            let covered = functions.entries.iter().map(|f| cover.as_ref().is_some_and(|c| c.program(*f).is_ok()));
            (covered.collect(), so_far.entries.iter().map(|e| e.keys.len() <= FEW_LOOPS).collect())
        };
        let most = |i: usize| if functions.whole && few_loops[i] { TOO_LARGE_ANYWAY } else { TOO_LARGE };
        let is_wanted = |i: usize| is_first || is_any && !covered[i] && sizes[i] < most(i);
        let (mut wanted, others): (Vec<usize>, Vec<usize>) = (0..sizes.len()).partition(|i| is_wanted(*i));
        for i in others {
            self.change(i, |e| e.reason = Some(Reason::TooLarge));
        }
        if !is_first {
            wanted.sort_by_key(|i| sizes[*i]);
        }
        wanted
    }

    /// Follows entries as a whole.
    fn entries(&self, prepared: &Prepared, wanted: &[usize], deadline: Instant) -> Extent {
        let jobs = self.options.jobs.clamp(1, wanted.len().max(1));
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let Some(&i) = wanted.get(n) else { return Extent::All };
                if self.is_cancelled() {
                    return Extent::Part;
                }
                // What one entry leaves over is for those behind it.
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() && n > 0 {
                    return Extent::All;
                }
                let rounds = (wanted.len() - n).div_ceil(jobs);
                let share = left / u32::try_from(rounds).unwrap_or(u32::MAX);
                let end = Instant::now() + share;
                let entry = prepared.entry(i);
                let related = match entry.program.recursion {
                    Recursion::Resumed { .. } => prepared.entry_with_relations(i),
                    _ => None,
                };
                self.change(i, |e| *e = EntryStudy::of(&entry.name, &entry.program));
                // What recursive calls give back is guessed where nothing is found without it.
                let first = if related.is_some() { Instant::now() + share / 4 } else { end };
                self.entry(i, &entry, first);
                if let Some(related) = related.filter(|_| self.is_open(i)) {
                    let before =
                        self.change(i, |e| std::mem::replace(e, EntryStudy::of(&related.name, &related.program)));
                    self.entry(i, &related, end);
                    if self.is_open(i) {
                        self.change(i, |e| *e = before);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            // This thread works as well. One that cannot be started is not needed.
            let threads: Vec<_> = (1..jobs).filter_map(|_| deep_thread_in(scope, work).ok()).collect();
            let mut extent = work();
            for thread in threads {
                if thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)) == Extent::Part {
                    extent = Extent::Part;
                }
            }
            extent
        })
    }

    /// Whether it is open whether an entry ends.
    fn is_open(&self, i: usize) -> bool {
        self.change(i, |e| is_open(&e.findings().program()))
    }

    fn entry(&self, i: usize, entry: &Entry, deadline: Instant) {
        let (integers, compare) = (self.options.integers(), self.options.compare);
        let settings = self.options.settings(deadline.saturating_duration_since(Instant::now()));
        let checkers = ContextPool::default();
        let begin = Instant::now();
        study_systems(&entry.program, integers, &settings, &checkers, &mut |n, study| self.know(i, n, study));
        let spent = begin.elapsed();
        let mut questions = self.change(i, |e| {
            e.compare();
            match integers {
                Integers::Ideal if self.options.harness => Questions::for_programs(e),
                _ => Questions::of(e, compare),
            }
        });
        let (functions, reached) = {
            let so_far = self.lock();
            (so_far.views.functions.clone(), so_far.entries[i].keys.clone())
        };
        if let Some(functions) = functions {
            let soon = deadline.min(Instant::now() + spent);
            questions.asked_of_views(&functions, &reached, &settings, &checkers, soon);
        }
        let beside = study_beside(&entry.program, &questions, compare, &settings, &checkers, (spent, deadline));
        self.change(i, |e| e.beside = beside);
    }
}

impl SoFar {
    fn results(&self, options: &Options, path: &Path, time: Duration) -> Results {
        let integers = self.integers.unwrap_or(options.integers());
        let file = path.display().to_string();
        let mut results = combine(&file, integers, options.data_model_name(), (&self.entries, &self.views), time);
        results.trace = trace::events(&file, self.reading, &self.entries, &self.views);
        results
    }
    /// Gives another reason for what is not done: `was` is the one that it has.
    fn blame(&mut self, was: &Reason, reason: &Reason) {
        for entry in &mut self.entries {
            entry.reason = Some(reason.clone());
            let analyses = entry.studies.iter_mut().map(|s| &mut s.analysis);
            for analysis in analyses.filter(|a| a.reason.as_ref() == Some(was)) {
                analysis.reason = Some(reason.clone());
            }
        }
    }
}
