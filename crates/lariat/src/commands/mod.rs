//! The verbs of the command line, one a file. Parsing only validates; the work happens in each verb's `run`.

#[cfg(not(all(feature = "live", target_os = "linux", target_arch = "x86_64")))]
mod absent;
#[cfg(all(feature = "live", target_os = "linux", target_arch = "x86_64"))]
mod attach;
mod bench;
mod check;
mod explain;
mod query;
mod recheck;
#[cfg(all(feature = "live", target_os = "linux", target_arch = "x86_64"))]
mod run;

#[cfg(not(all(feature = "live", target_os = "linux", target_arch = "x86_64")))]
use {absent as attach, absent as run};

use clap::{Parser, Subcommand, ValueEnum};
use lariat_front::DataModel;
use lariat_ir::Integers;
use lariat_process::console::{fail, print};
use std::ffi::OsString;
use std::path::Path;

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
