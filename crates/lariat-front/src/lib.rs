//! From C, C++, Rust and bitcode to neutral programs: the only crate that knows LLVM.
//!
//! [`load`] does it all: [`compile`](compile::compile) runs clang, [`llvm::read`] turns bitcode into a [`module::Module`], and
//! [`translate::translate`] gives a neutral program for each entry.

pub mod compile;
pub mod intrinsic;
pub mod llvm;
pub mod models;
pub mod module;
pub mod translate;

use lariat_ir::neutral;
use lariat_process::Limits;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use translate::Prepared;

/// The sizes of C's types.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
}

/// What to analyse.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum EntryChoice {
    /// `main` where there is one, else every function with external linkage, or whose address is taken.
    #[default]
    Default,
    /// Every function that is defined.
    All,
    /// The function of this name.
    Named(String),
}

/// How to read a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The compiler; by default the newest clang on the PATH.
    pub clang: Option<PathBuf>,
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// The sizes of C's types.
    pub data_model: DataModel,
    /// How long the compiler and the reader may take together; by default as long as they like.
    pub time: Option<Duration>,
    /// How many bytes each of them may use; by default as many as it likes.
    pub memory: Option<u64>,
    /// What to start as soon as there is nothing to do but to wait for the compiler, or for LLVM's reader.
    pub meanwhile: Option<fn()>,
    /// What to analyse.
    pub entry: EntryChoice,
    /// Texts of model tables beyond the built-in one, each with the name of its file.
    pub models: Vec<(String, String)>,
    /// A function `void NAME(long long)` whose calls are observations: see [`translate`].
    pub observe: Option<String>,
}

impl Options {
    fn meanwhile(&self) {
        if let Some(start) = self.meanwhile {
            start();
        }
    }
}

/// One entry of a program.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The function.
    pub name: String,
    /// The program that starts there.
    pub program: neutral::Program,
}

/// A file that was read.
#[derive(Debug)]
pub struct Unit {
    /// The entries, in the order of the source, before they are translated.
    pub prepared: Prepared,
    /// How long the compiler took.
    pub compiling: Duration,
    /// How long reading took.
    pub translating: Duration,
}

impl Unit {
    /// All entries, translated.
    pub fn entries(&self) -> Vec<Entry> {
        (0..self.prepared.names().len()).map(|n| self.prepared.entry(n)).collect()
    }
}

/// Why a file cannot be analysed: one sentence with the next step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// File, line and column.
    pub place: Option<(String, u32, u32)>,
    /// In words.
    pub message: String,
}

/// Reads a file: compiles it if it is source, and looks for its entries.
pub fn load(path: &Path, options: &Options) -> Result<Unit, Failure> {
    let begin = Instant::now();
    let bitcode = compile::compile(path, options)?;
    let compiling = begin.elapsed();
    let time = options.time.map(|t| t.saturating_sub(compiling));
    let begin = Instant::now();
    let limits = Limits { time, memory: options.memory };
    let mut module = llvm::read_within(&bitcode, &path.display().to_string(), limits)?;
    drop(bitcode);
    check_data_model(&module, options)?;
    module.typed_memory = compile::is_source(path) && compile::typed_memory(&options.flags);
    let prepared = Prepared::new(&module, options)?;
    Ok(Unit { prepared, compiling, translating: begin.elapsed() })
}

/// What to do when a process gets no memory.
fn next_step_for_memory() -> String {
    match lariat_process::address_space_limit() {
        Some(bytes) => format!("raise the limit of virtual memory, which is {} MB (ulimit -v)", bytes >> 20),
        None => "give it more with --memory".to_owned(),
    }
}

/// Bitcode, and flags such as `-m32`, have a data model of their own.
fn check_data_model(module: &module::Module, options: &Options) -> Result<(), Failure> {
    let (wanted, other) = match options.data_model {
        DataModel::Lp64 => (64, "ilp32"),
        DataModel::Ilp32 => (32, "lp64"),
    };
    if module.pointer_bits == wanted {
        return Ok(());
    }
    let message = format!(
        "its pointers have {} bits, not the {wanted} of the data model; use --data-model {other}",
        module.pointer_bits
    );
    Err(Failure { place: None, message })
}
