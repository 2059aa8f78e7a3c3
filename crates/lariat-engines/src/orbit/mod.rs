//! Fixed points and periodic orbits: the tests of Ibing and Mai, made sound for machine integers and given certificates.
//!
//! Two tests look at the loop alone (module `ends`: it always ends; module `forever`: it can be kept running from some
//! set of states, to which a way is then sought), one at runs from the entry (module `periodic`: a run that comes back to
//! where it was). What a loop's properties are is found once: the runs are shared by all loops of a system.

mod ends;
mod explore;
mod forever;
mod periodic;

use crate::engine::{Effort, Engine, EngineCx, Goal, NoClaim, Outcome, Task};
use crate::path::around;
use lariat_ir::Claim;
use lariat_smt::Solver;

/// The engine.
pub struct Orbit;

/// One that ends with a claim, or with a reason why there is none.
type Test<'a> = &'a dyn Fn(&mut dyn Solver) -> Result<Claim, NoClaim>;

/// More paths around a loop than this are not looked at.
const MOST_PATHS: usize = 64;

impl Engine for Orbit {
    fn name(&self) -> &'static str {
        "orbit"
    }
    fn pursues(&self, goal: Goal) -> bool {
        matches!(goal, Goal::Ends(_) | Goal::Endless(_))
    }
    fn run(&self, task: &Task<'_>, cx: &mut EngineCx) -> Outcome {
        let ts = task.ts;
        if cx.effort == Effort::Brief {
            return Outcome::nothing_new();
        }
        if cx.effort == Effort::Full {
            // The other tests have no bounds that are worth raising.
            if task.wants_endless_run()
                && let Ok(claim) = periodic::repeats(task, cx, cx.solver().as_mut())
            {
                return Outcome::Claims(vec![claim]);
            }
            return Outcome::nothing_new();
        }
        let this = task.this();
        let all = around(ts, cx, this.header, &this.body, MOST_PATHS);
        let mut solver = cx.solver();
        let mut claims = Vec::new();
        let mut reasons = Vec::new();
        if task.wants_end() {
            match ends::always_ends(task, cx, solver.as_mut(), &all) {
                Ok(claim) => claims.push(claim),
                Err(reason) => reasons.push(reason),
            }
        }
        if task.wants_endless_run() {
            let tests: [Test<'_>; 2] = [&|solver| forever::runs_for_ever(task, cx, solver, &all), &|solver| {
                periodic::repeats(task, cx, solver)
            }];
            for test in tests {
                if claims.is_empty() || cx.audit {
                    match test(solver.as_mut()) {
                        Ok(claim) => claims.push(claim),
                        Err(reason) => reasons.push(reason),
                    }
                }
            }
        }
        if claims.is_empty() { Outcome::GaveUp(NoClaim::all(&reasons)) } else { Outcome::Claims(claims) }
    }
}
