//! A session: from files to results, with events on the way and one token to come to an end.

mod runner;
mod work;

pub use runner::GRACE;

use crate::analyze::{Settings, Verdict};
use crate::beside::Compare;
use crate::cancel::{Cancellation, Why};
use crate::results::{Failure, MemoryLimit, Program, Reason, Stage};
use crate::threads::panic_words;
use lariat_front::{DataModel, EntryChoice};
use lariat_ir::Integers;
use runner::{Missing, Patience, Runner};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use work::Work;

/// How to read and analyse files.
#[derive(Clone, Debug)]
pub struct Options {
    /// The integer semantics. Default is that of C; an `.lts` file was made for one, which must be this one if it is given.
    pub integers: Option<Integers>,
    /// The sizes of C's types. Default is LP64.
    pub data_model: DataModel,
    /// What to analyse. Default is `main`, or else every function with external linkage.
    pub entry: EntryChoice,
    /// Texts of model tables beyond the built-in one, each with the name of its file. Default is none.
    pub models: Vec<(String, String)>,
    /// Flags for the compiler. Default is none.
    pub flags: Vec<String>,
    /// For each file. Default is ten seconds.
    pub timeout: Duration,
    /// How many bytes a compiler may use; what a user is told who asks for more. Default is two gigabytes.
    pub memory: u64,
    /// Only the engine of this name. Default is all.
    pub only: Option<String>,
    /// Every engine runs to its end, and verdicts that contradict each other are a failure. Default is no.
    pub audit: bool,
    /// When to ask what other integer semantics say of a loop. Default is for undecided loops.
    pub compare: Compare,
    /// Whether to make programs that show endless runs. Default is no.
    pub harness: bool,
    /// How many entries of a file to analyse at once. Default is one.
    pub jobs: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            integers: None,
            data_model: DataModel::default(),
            entry: EntryChoice::Default,
            models: Vec::new(),
            flags: Vec::new(),
            timeout: Duration::from_secs(10),
            memory: 2048 << 20,
            only: None,
            audit: false,
            compare: Compare::default(),
            harness: false,
            jobs: 1,
        }
    }
}

impl Options {
    /// The integer semantics in which a program is analysed.
    pub fn integers(&self) -> Integers {
        self.integers.unwrap_or(Integers::C)
    }
    /// What an entry is called of which nothing else is known.
    fn entry_name(&self) -> &str {
        match &self.entry {
            EntryChoice::Default => "main",
            EntryChoice::All => "all",
            EntryChoice::Named(name) => name,
        }
    }
    fn data_model_name(&self) -> &'static str {
        match self.data_model {
            DataModel::Lp64 => "lp64",
            DataModel::Ilp32 => "ilp32",
        }
    }
    fn settings(&self, timeout: Duration) -> Settings {
        Settings { timeout, only: self.only.clone(), audit: self.audit, ..Settings::default() }
    }
    /// What to say of a file that is not done, and whether it was read.
    fn reason(&self, why: Why, read: bool) -> Reason {
        match why {
            Why::Time => Reason::TimeUp(if read { Stage::Searching } else { Stage::Reading }),
            Why::Memory => {
                let limit = match lariat_process::address_space_limit() {
                    Some(bytes) if bytes < self.memory => MemoryLimit::OfTheSystem(bytes >> 20),
                    _ => MemoryLimit::Asked(self.memory >> 20),
                };
                Reason::MemoryUp { read, limit }
            }
            Why::Interrupted => Reason::Interrupted { read },
        }
    }
    /// What is known of a file of which nothing came, since its analysis had to end.
    pub fn nothing_found(&self, path: &Path, why: Why) -> Program {
        let reason = self.reason(why, true);
        match why {
            Why::Interrupted => Program::failed(path, format!("it was not analysed: {reason}")),
            Why::Time | Why::Memory => work::nothing(self, path, reason),
        }
    }
    /// Why nothing is printed of a file, since that had to end.
    pub fn cut_short(&self, why: Why) -> Failure {
        Failure { place: None, message: self.reason(why, true).to_string() }
    }
}

/// What happens while a file is analysed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The file is read: these are its entries.
    Read {
        /// Their names.
        entries: &'a [String],
        /// The integer semantics in which they are analysed.
        integers: Integers,
    },
    /// Something new is known of a system; first that there is one.
    System {
        /// The number of its entry.
        entry: usize,
        /// Its number among the systems of that entry.
        number: usize,
        /// The verdict on it so far.
        verdict: Verdict,
    },
    /// A loop was shown to end by itself, if what it calls returns.
    View {
        /// The function that it is in.
        function: &'a str,
    },
    /// What there is to say of a large program if nothing else is found: all its loops, though there may be no time left for a report.
    Early(&'a Program),
}

/// Who hears of events. They come on the threads that work, which wait until the sink returns.
pub trait Sink: Send + Sync {
    /// Something happened.
    fn event(&self, event: Event<'_>);
    /// Whether [`Event::Early`] is wanted, which takes time to make. Default is no.
    fn wants_early(&self) -> bool {
        false
    }
}

/// Nobody listens.
impl Sink for () {
    fn event(&self, _: Event<'_>) {}
}

/// What came of a file.
#[derive(Debug)]
pub struct Done<T> {
    /// The value.
    pub value: T,
    /// Whether a thread still works on it, which nobody can end. It ends by itself, or with the process.
    pub left_behind: bool,
}

/// No thread was there to make a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoAnswer;

/// Analyses one file after the other. See the [crate] for an example.
pub struct Session {
    options: Arc<Options>,
    cancellation: Cancellation,
    sink: Arc<dyn Sink>,
    runner: Runner,
}

impl Session {
    /// A session that tells nobody, and ends when all is done or the time is up.
    pub fn new(options: Options) -> Self {
        Self {
            options: Arc::new(options),
            cancellation: Cancellation::new(),
            sink: Arc::new(()),
            runner: Runner::default(),
        }
    }
    /// One that tells a sink what happens.
    #[must_use]
    pub fn with_sink(self, sink: impl Sink + 'static) -> Self {
        Self { sink: Arc::new(sink), ..self }
    }
    /// One that ends when a token is set, too.
    #[must_use]
    pub fn with_cancellation(self, cancellation: Cancellation) -> Self {
        Self { cancellation, ..self }
    }
    /// Its options.
    pub fn options(&self) -> &Options {
        &self.options
    }
    /// What sets it to its end.
    pub fn cancellation(&self) -> Cancellation {
        self.cancellation.clone()
    }

    /// Analyses a file. Comes back when all is decided, when its time is up, or when the token is set; then with the results so far.
    pub fn analyse(&mut self, path: &Path) -> Program {
        match self.analyse_then(path, |program| program) {
            Ok(done) => done.value,
            Err(NoAnswer) => Program::failed(path, "it was not analysed: no thread could be started; run it again"),
        }
    }

    /// Analyses a file, and makes something of the results. That happens on a thread with a deep stack, and within the time: should it
    /// take too long, it is done again with the results so far.
    pub fn analyse_then<T: Send + 'static>(
        &mut self,
        path: &Path,
        then: impl Fn(Program) -> T + Send + Sync + 'static,
    ) -> Result<Done<T>, NoAnswer> {
        let work = Arc::new(Work::new(&self.options, path, &self.sink, &self.cancellation));
        let then = Arc::new(then);
        let patience = Patience {
            time: self.options.timeout,
            cancellation: self.cancellation.clone(),
            report: Arc::clone(&work.report_time),
        };
        let (late, then_late) = (Arc::clone(&work), Arc::clone(&then));
        let failed = {
            let (path, then) = (path.to_owned(), Arc::clone(&then));
            move |failure| then(Program::failed_at(&path, failure))
        };
        let (failed_late, no_thread) = (failed.clone(), failed.clone());
        let done = self.runner.run(
            &patience,
            move || guarded(|| then(work.analyse()), failed),
            move |why| guarded(|| then_late(late.given_up(why)), failed_late),
        );
        answered(done, no_thread)
    }

    /// Does something else with a file within the time, and as a session does: on a thread with a deep stack, with `failed` instead if the
    /// time is up or the token is set, and where it panics.
    pub fn watch<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
        failed: impl Fn(Failure) -> T + Send + Sync + 'static,
    ) -> Result<Done<T>, NoAnswer> {
        let failed = Arc::new(failed);
        let (panicked, late, no_thread) = (Arc::clone(&failed), Arc::clone(&failed), failed);
        let options = Arc::clone(&self.options);
        let patience =
            Patience { time: self.options.timeout, cancellation: self.cancellation.clone(), report: Arc::default() };
        let done = self.runner.run(
            &patience,
            move || guarded(work, |failure| panicked(failure)),
            move |why| late(options.cut_short(why)),
        );
        answered(done, |failure| no_thread(failure))
    }
}

/// A panic is a bug of ours; it costs one file, not the others.
fn guarded<T>(work: impl FnOnce() -> T, failed: impl FnOnce(Failure) -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic_words(panic.as_ref());
        let message = format!("lariat has a bug: {words}; please report it with this file");
        failed(Failure { place: None, message })
    })
}

fn answered<T>(done: Result<Done<T>, Missing>, failed: impl FnOnce(Failure) -> T) -> Result<Done<T>, NoAnswer> {
    match done {
        Ok(done) => Ok(done),
        Err(Missing::NoThread(e)) => {
            let value = failed(Failure { place: None, message: no_thread(&e) });
            Ok(Done { value, left_behind: false })
        }
        Err(Missing::Lost) => Err(NoAnswer),
    }
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
