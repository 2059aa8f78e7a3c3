//! What an engine is.

use crate::board::Board;
use lariat_ir::{Claim, Loop, LoopForest, LoopId, SystemHash, Term, Terms, TransitionSystem};
use lariat_smt::{Answer, Limit, Solver, Why, Z3Solver};
use std::cell::RefCell;
use std::time::Instant;

/// One loop to be decided.
pub struct Task<'a> {
    /// The system; it has been verified.
    pub ts: &'a TransitionSystem,
    /// Its loops.
    pub forest: &'a LoopForest,
    /// Its hash.
    pub hash: SystemHash,
    /// The loop.
    pub id: LoopId,
    /// What is known of the system.
    pub board: &'a Board,
}

impl Task<'_> {
    /// The loop in question.
    pub fn this(&self) -> &Loop {
        &self.forest.loops[self.id]
    }
}

/// Whether an engine has something to say about a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Applies {
    /// It is worth running.
    Yes,
    /// It is not, for this reason.
    No(String),
    /// It looks for a verdict that the system cannot carry: another system of the program is for that, and nothing is said of
    /// it here.
    Elsewhere,
}

/// What came of running an engine.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Claims for the checker, at least one. Of several that say the same the first that is accepted counts.
    Claims(Vec<Claim>),
    /// Nothing, for this reason; an empty one leaves standing what the engine said before, with less effort.
    GaveUp(String),
}

/// A way to decide loops.
pub trait Engine: Sync {
    /// The name on the command line and in reports.
    fn name(&self) -> &'static str;
    /// Roughly how much work it is; cheaper engines run first.
    fn cost(&self) -> u32;
    /// Whether it is worth running on this loop.
    fn applies(&self, task: &Task<'_>) -> Applies;
    /// Runs it.
    fn run(&self, task: &Task<'_>, cx: &mut EngineCx) -> Outcome;
}

/// How hard an engine tries. Each is asked to be brief on all loops of all systems of a program before any takes its time on one:
/// what it would look for in vain, another one may see elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effort {
    /// What decides most loops, within some milliseconds.
    Quick,
    /// What decides most of the others, within some ten milliseconds.
    Brief,
    /// Everything it can do.
    Full,
}

impl Effort {
    /// In their order.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Brief, Self::Full];

    /// A limit: that one only when it takes its time.
    pub fn most<T>(self, brief: T, full: T) -> T {
        if self == Self::Full { full } else { brief }
    }
}

/// What an engine may use while it runs.
pub struct EngineCx {
    /// How hard to try.
    pub effort: Effort,
    /// Run every test to its end, even after one has succeeded.
    pub audit: bool,
    /// The limit of one query.
    pub limit: Limit,
    /// When to stop, whatever is left to do.
    pub deadline: Instant,
    /// Why the solver first gave up, if it did.
    pub gave_up: RefCell<Option<Why>>,
}

impl EngineCx {
    /// Whether the time is up.
    pub fn out_of_time(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// A solver without assertions.
    pub fn solver(&self) -> Box<dyn Solver> {
        Box::new(Z3Solver::new())
    }

    /// Whether these terms can hold together.
    pub fn ask(&self, solver: &mut dyn Solver, ts: &TransitionSystem, all: &[Term]) -> Answer {
        solver.push();
        for t in all {
            solver.assert(&ts.terms, *t);
        }
        let answer = self.check(solver, &ts.terms);
        solver.pop();
        answer
    }

    /// Whether what is asserted can hold together.
    pub fn check(&self, solver: &mut dyn Solver, terms: &Terms) -> Answer {
        let answer = solver.check(terms, self.limit.until(self.deadline));
        if let Answer::Unknown(why) = &answer {
            self.gave_up.borrow_mut().get_or_insert_with(|| why.clone());
        }
        answer
    }
}
