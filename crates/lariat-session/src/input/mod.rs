//! Reading files: programs, and transition systems as text.

mod systems;

pub use lariat_process::console::read_text;
pub use systems::{Systems, systems};

use crate::results::Failure;
use crate::session::Options;
use lariat_front::Unit;
use lariat_ir::Span;
use std::path::Path;

/// Reads a source file, or bitcode. `meanwhile` is started as soon as there is nothing to do but to wait for the compiler.
pub fn unit(options: &Options, path: &Path, meanwhile: Option<fn()>) -> Result<Unit, Failure> {
    let front = lariat_front::Options {
        flags: options.flags.clone(),
        data_model: options.data_model,
        time: Some(options.timeout),
        memory: Some(options.memory),
        entry: options.entry.clone(),
        models: options.models.clone(),
        meanwhile,
        ..lariat_front::Options::default()
    };
    lariat_front::load(path, &front).map_err(|f| Failure {
        place: f.place.map(|(file, line, column)| Span { file, line, column }),
        message: f.message,
    })
}

/// Whether a file holds a transition system.
pub fn is_lts(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "lts")
}
