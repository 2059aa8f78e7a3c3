//! The verbs of the command line, one a file. Parsing only validates; the work happens in each verb's `run`.

mod attach;
mod bench;
mod check;
mod explain;
mod query;
mod recheck;
mod run;

use clap::{Parser, Subcommand, ValueEnum};
use lariat_front::DataModel;
use lariat_ir::Integers;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells for every loop whether it always ends, with the reason, or can run for ever, with the input that makes it.
#[derive(Parser, Debug)]
#[command(name = "lariat", version, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 no endless run was proved, 1 one was, 2 the tool or its input failed.")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Decide every loop of some files
    Check(check::Options),
    /// Prove that a running process will never come back
    Attach(attach::Options),
    /// Run a command; when it spins, prove why
    Run(run::Options),
    /// Check the certificates in saved results again, with another solver
    Recheck(recheck::Options),
    /// Explain an engine, a kind of certificate or a finding
    Explain(explain::Options),
    /// Print the solver query behind an unknown
    Query(query::Options),
    /// Measure how fast programs are read and brought into each integer semantics
    Bench(bench::Options),
    /// Not in this binary: the fuzzers are a program of the repository, `./lariat fuzz`
    #[command(hide = true, disable_help_flag = true)]
    Fuzz {
        /// Taken, so that the answer is where the fuzzers are, whatever they are asked for
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        arguments: Vec<OsString>,
    },
}

/// The integer semantics.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum IntegersArg {
    /// As C has it: signed overflow is undefined
    C,
    /// Two's complement everywhere
    Wrap,
    /// Signed integers are unbounded
    Ideal,
}

impl IntegersArg {
    fn integers(self) -> Integers {
        match self {
            Self::C => Integers::C,
            Self::Wrap => Integers::Wrap,
            Self::Ideal => Integers::Ideal,
        }
    }
}

/// The sizes of C's types.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum DataModelArg {
    /// `long` and pointers have 64 bits
    Lp64,
    /// `int`, `long` and pointers have 32 bits
    Ilp32,
}

impl DataModelArg {
    fn name(self) -> &'static str {
        match self {
            Self::Lp64 => "lp64",
            Self::Ilp32 => "ilp32",
        }
    }
    fn of_the_front(self) -> DataModel {
        match self {
            Self::Lp64 => DataModel::Lp64,
            Self::Ilp32 => DataModel::Ilp32,
        }
    }
}

/// Runs the command; gives the exit status.
pub fn run(arguments: Arguments) -> u8 {
    if !matches!(arguments.verb, Verb::Explain(_) | Verb::Query(_) | Verb::Fuzz { .. })
        && let Err(e) = lariat_smt::z3_version()
    {
        return fail(&e.to_string());
    }
    match arguments.verb {
        Verb::Check(o) => check::run(&o),
        Verb::Attach(o) => attach::run(&o),
        Verb::Run(o) => run::run(&o),
        Verb::Recheck(o) => recheck::run(&o),
        Verb::Explain(o) => explain::run(&o),
        Verb::Query(o) => query::run(&o),
        Verb::Bench(o) => bench::run(&o),
        Verb::Fuzz { .. } => fail(
            "the fuzzers are not in this binary; run ./lariat fuzz in the repository, or cargo run --release -p lariat-fuzz",
        ),
    }
}

/// Set by the first Ctrl-C: long work comes to its end and shows what it has. The second one ends the process.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn show_results_on_interrupt() {
    // Without a handler Ctrl-C ends the process at once, which is no reason not to start.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            lariat_smt::leave(130);
        }
        eprintln!("lariat: stopping; Ctrl-C again ends at once");
    });
}

/// The stack of a thread for work on programs: expressions are as deep as programs are long, and some walks over them call
/// themselves. It is address space, of which the system gives memory when it is used. Where address space is limited, less has to do.
const STACKS: [usize; 4] = [256 << 20, 64 << 20, 16 << 20, 4 << 20];

/// Starts a thread for work on programs.
fn deep_thread(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let work = std::sync::Arc::new(std::sync::Mutex::new(Some(work)));
    with_stack(|stack| {
        let work = std::sync::Arc::clone(&work);
        stack.spawn(move || {
            let work = work.lock().ok().and_then(|mut w| w.take());
            if let Some(work) = work {
                work();
            }
        })
    })
    .map(drop)
}

/// Starts a thread for work on programs that ends within a scope.
fn deep_thread_in<'scope, 'env, T: Send + 'scope>(
    scope: &'scope std::thread::Scope<'scope, 'env>,
    work: impl FnOnce() -> T + Send + Copy + 'scope,
) -> std::io::Result<std::thread::ScopedJoinHandle<'scope, T>> {
    with_stack(|stack| stack.spawn_scoped(scope, work))
}

/// Starts a thread with the largest stack that there is.
fn with_stack<T>(mut start: impl FnMut(std::thread::Builder) -> std::io::Result<T>) -> std::io::Result<T> {
    let mut started = Err(std::io::ErrorKind::OutOfMemory.into());
    // A stack that leaves no room for anything else would be of no use.
    let most = lariat_process::address_space_limit().map_or(u64::MAX, |limit| limit / 8);
    let (smallest, larger) = STACKS.split_last().expect("there is one");
    let fitting = larger.iter().filter(|s| **s as u64 <= most);
    for &size in fitting.chain([smallest]) {
        started = start(std::thread::Builder::new().stack_size(size));
        if started.is_ok() {
            break;
        }
    }
    started
}

/// What a panic said.
fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().cloned();
    words.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
}

/// One sentence on standard error; the exit status for it.
fn fail(message: &str) -> u8 {
    eprintln!("lariat: {message}");
    2
}

/// Writes to standard output. A reader that went away has seen what it wanted.
fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot write to standard output: {e}")),
        _ => Ok(()),
    }
}

/// Writes a file as a whole or not at all; what is no regular file, such as a pipe or a link, is written to as it is.
fn write_file(path: &Path, text: &str) -> Result<(), String> {
    if std::fs::symlink_metadata(path).is_ok_and(|m| !m.is_file()) {
        return std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()));
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path)).map_err(|e| {
        let _ = std::fs::remove_file(&temporary);
        format!("cannot write {}: {e}", path.display())
    })
}

/// Whether a file holds a transition system.
fn is_lts(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "lts")
}

/// Reads a text file, or says in one sentence why not.
fn read_file(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {shown}; check the name"),
        std::io::ErrorKind::IsADirectory => format!("{shown} is a folder; name the files in it"),
        std::io::ErrorKind::PermissionDenied => format!("{shown} may not be read; check its permissions"),
        _ => format!("{shown} cannot be read: {e}"),
    })?;
    String::from_utf8(bytes).map_err(|_| format!("{shown} is no text file"))
}
