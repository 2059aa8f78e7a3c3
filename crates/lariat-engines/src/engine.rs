//! What an engine is.

use crate::board::Board;
use lariat_ir::{Claim, Loop, LoopForest, LoopId, Proves, SystemHash, Term, Terms, TransitionSystem};
use lariat_smt::{Answer, Limit, Solver, Why, Z3Solver};
use std::cell::RefCell;
use std::fmt;
use std::time::Instant;

/// What a claim is to show. A task has goals about one loop; each engine gets those that it pursues.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Goal {
    /// No run stays in the loop for ever.
    Ends(LoopId),
    /// Some run never leaves the loop.
    Endless(LoopId),
}

impl Goal {
    /// The verdicts on a loop that the system can carry.
    pub fn of_loop(ts: &TransitionSystem, id: LoopId) -> Vec<Self> {
        match ts.proves {
            Proves::Both => vec![Self::Ends(id), Self::Endless(id)],
            Proves::Terminates => vec![Self::Ends(id)],
            Proves::Diverges => vec![Self::Endless(id)],
        }
    }

    /// The loop that it is about.
    pub fn loop_id(self) -> LoopId {
        match self {
            Self::Ends(id) | Self::Endless(id) => id,
        }
    }
}

/// What an engine is to do.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The system; it has been verified.
    pub ts: &'a TransitionSystem,
    /// Its loops.
    pub forest: &'a LoopForest,
    /// Its hash.
    pub hash: SystemHash,
    /// At least one, all about one loop. One claim for any of them is enough.
    pub goals: &'a [Goal],
    /// Facts about the system that engines share.
    pub board: &'a Board,
}

impl Task<'_> {
    /// The loop that the goals are about.
    pub fn id(&self) -> LoopId {
        self.goals[0].loop_id()
    }
    /// The same loop, with its locations.
    pub fn this(&self) -> &Loop {
        &self.forest.loops[self.id()]
    }
    /// Whether a proof is wanted that the loop ends.
    pub fn wants_end(&self) -> bool {
        self.goals.iter().any(|g| matches!(g, Goal::Ends(_)))
    }
    /// Whether a run is wanted that never leaves the loop.
    pub fn wants_endless_run(&self) -> bool {
        self.goals.iter().any(|g| matches!(g, Goal::Endless(_)))
    }
}

/// What came of running an engine.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Claims for the checker, at least one. Of several that say the same the first that is accepted counts.
    Claims(Vec<Claim>),
    /// Nothing, for this reason; an empty one leaves standing what the engine said before, with less effort.
    GaveUp(NoClaim),
}

impl Outcome {
    /// Nothing, and nothing to add to what the engine said before.
    pub fn nothing_new() -> Self {
        Self::GaveUp(NoClaim::NotFound(String::new()))
    }
}

/// Why an engine makes no claim, in its own words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoClaim {
    /// The time was up, for a part of the search at least. More time may help.
    OutOfTime(String),
    /// The search came to its end, or to another limit than time.
    NotFound(String),
    /// In some state a round changes nothing. So nothing falls in every round, unless an invariant excludes that state.
    Repeats(String),
}

impl NoClaim {
    /// The time was up.
    pub fn out_of_time() -> Self {
        Self::OutOfTime("the time was up".to_owned())
    }
    /// The words.
    pub fn text(&self) -> &str {
        match self {
            Self::OutOfTime(text) | Self::NotFound(text) | Self::Repeats(text) => text,
        }
    }
    /// Several reasons as one.
    pub fn all(reasons: &[Self]) -> Self {
        let texts: Vec<&str> = reasons.iter().map(Self::text).collect();
        let text = texts.join("; ");
        if reasons.iter().any(|r| matches!(r, Self::OutOfTime(_))) {
            Self::OutOfTime(text)
        } else {
            Self::NotFound(text)
        }
    }
}

impl From<&str> for NoClaim {
    fn from(text: &str) -> Self {
        Self::NotFound(text.to_owned())
    }
}

impl From<String> for NoClaim {
    fn from(text: String) -> Self {
        Self::NotFound(text)
    }
}

impl fmt::Display for NoClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Says more.
impl fmt::Write for NoClaim {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let (Self::OutOfTime(text) | Self::NotFound(text) | Self::Repeats(text)) = self;
        text.push_str(more);
        Ok(())
    }
}

/// A way to reach goals.
pub trait Engine: Sync {
    /// The name on the command line and in reports.
    fn name(&self) -> &'static str;
    /// Whether it can make a claim for such a goal. It runs on tasks with at least one.
    fn pursues(&self, goal: Goal) -> bool;
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

    /// As results write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Brief => "brief",
            Self::Full => "full",
        }
    }

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
