//! The reader of LLVM modules: bitcode of LLVM 22 or older, or assembly.
//!
//! LLVM itself reads and verifies the file, in C++ (`shim`), in a process of its own: damaged bitcode makes it
//! crash. The module comes over as bytes, so that no object of LLVM is seen on this side.

mod decode;
mod ffi;

use crate::Failure;
use crate::module::Module;
use decode::{Torn, Trouble, TroubleKind};
use lariat_process::Limits;

/// The version of LLVM that reads.
const VERSION: u32 = 22;

/// Reads bitcode or LLVM assembly; `name` is for messages.
pub fn read(bytes: &[u8], name: &str) -> Result<Module, Failure> {
    read_within(bytes, name, Limits::default())
}

/// Reads bitcode or LLVM assembly within limits.
pub fn read_within(bytes: &[u8], name: &str, limits: Limits) -> Result<Module, Failure> {
    let fail = |message: String| Failure { place: None, message };
    if bytes.is_empty() {
        return Err(fail(format!("{name} is empty: give a file with LLVM bitcode or assembly.")));
    }
    let Some(answer) = ffi::read(bytes, name, limits) else {
        return Err(fail(format!(
            "{name} was not read, since there was no memory or process for it: end others, and try again."
        )));
    };
    match decode::answer(&answer) {
        Ok(answer) => answer.map_err(|trouble| failure(&trouble, name)),
        Err(Torn(at)) => Err(fail(format!(
            "{name} was read, but the answer is not understood at byte {at}: this is a defect, please report it."
        ))),
    }
}

fn failure(trouble: &Trouble, name: &str) -> Failure {
    let words = trouble.words.trim_end_matches('.');
    let message = match trouble.kind {
        TroubleKind::Malformed if trouble.line > 0 => {
            format!("this is neither bitcode nor assembly of LLVM {VERSION} or older: {words}.")
        }
        TroubleKind::Malformed => format!("the bitcode in {name} is damaged ({words}): make the file anew."),
        TroubleKind::Newer => format!(
            "the bitcode in {name} was written by a newer LLVM than {VERSION} ({words}): \
             compile with clang {VERSION} or older."
        ),
        TroubleKind::Broken => format!("LLVM's verifier refuses {name} ({words}): make the file anew."),
        TroubleKind::Fatal => format!("LLVM gave up on {name} ({words}): make the file anew."),
        TroubleKind::Crashed => {
            format!("LLVM crashed when it read {name} ({words}): it may be damaged, make it anew.")
        }
        TroubleKind::Late => format!("LLVM did not read {name} within the time: give it more with --timeout."),
        TroubleKind::NoMemory => {
            format!("LLVM needs more memory to read {name} than it may use: {}.", crate::next_step_for_memory())
        }
    };
    let place = (trouble.line > 0).then(|| (name.to_owned(), trouble.line, trouble.column));
    Failure { place, message }
}
