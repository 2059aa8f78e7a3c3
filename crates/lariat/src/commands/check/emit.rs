//! `lariat check --emit`

use super::files::{entries, parsed};
use super::{Emit, Options, tell, write_out};
use crate::commands::{IntegersArg, fail, is_lts};
use crate::report::{self, Failure};
use lariat_ir::neutral::{Recursion, lower};
use lariat_ir::{Proves, TransitionSystem, lts};
use std::fmt::Write as _;
use std::path::Path;

/// Prints what the files are to the engines.
pub(super) fn emit_all(o: &Options, emit: Emit, front: &lariat_front::Options) -> u8 {
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
