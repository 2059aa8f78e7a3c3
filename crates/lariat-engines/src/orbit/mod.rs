//! Fixed points and periodic orbits: the tests of Ibing and Mai, made sound for machine integers and given certificates.
//!
//! Two tests look at the loop alone (module `ends`: it always ends; module `forever`: it can be kept running from some
//! set of states, to which a way is then sought), one at runs from the entry (module `periodic`: a run that comes back to
//! where it was). What a loop's properties are is found once: the runs are shared by all loops of a system.

mod ends;
mod forever;
mod periodic;

pub(crate) use periodic::Lassos;

use crate::engine::{Applies, Engine, EngineCx, Outcome, Task};
use crate::path::around;
use lariat_ir::Proves;

/// The engine.
pub struct Orbit;

/// More paths around a loop than this are not looked at.
const MOST_PATHS: usize = 64;

impl Engine for Orbit {
    fn name(&self) -> &'static str {
        "orbit"
    }
    fn cost(&self) -> u32 {
        10
    }
    fn applies(&self, _: &Task<'_>) -> Applies {
        Applies::Yes
    }
    fn run(&self, task: &Task<'_>, cx: &mut EngineCx) -> Outcome {
        let ts = task.ts;
        let this = task.this();
        let all = around(ts, cx, this.header, &this.body, MOST_PATHS);
        let mut solver = cx.solver();
        let mut claims = Vec::new();
        let mut reasons = Vec::new();
        if ts.proves != Proves::Diverges {
            match ends::always_ends(task, cx, solver.as_mut(), &all) {
                Ok(claim) => claims.push(claim),
                Err(reason) => reasons.push(reason),
            }
        }
        if ts.proves != Proves::Terminates {
            for test in [forever::runs_for_ever, periodic::repeats] {
                if claims.is_empty() || cx.audit {
                    match test(task, cx, solver.as_mut(), &all) {
                        Ok(claim) => claims.push(claim),
                        Err(reason) => reasons.push(reason),
                    }
                }
            }
        }
        if claims.is_empty() { Outcome::GaveUp(reasons.join("; ")) } else { Outcome::Claims(claims) }
    }
}
