//! What every solver offers, and what its answers are.

use crate::query_log::{QueryId, QueryLog};
use lariat_ir::eval::Plan;
use lariat_ir::{Op, Term, Terms, Value, smtlib};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// A stack of assertions that can be asked whether they can hold together.
///
/// A term is a number that means something in its arena only: one solver object is used with one arena, for its
/// whole life, and panics when it is given a term of another.
pub trait Solver {
    /// Opens a level: what is asserted from now on goes away with the next [`Solver::pop`].
    fn push(&mut self);
    /// Closes the level that was opened last.
    ///
    /// # Panics
    /// If none is open.
    fn pop(&mut self);
    /// Asserts a term of sort Bool.
    fn assert(&mut self, terms: &Terms, t: Term);
    /// Whether all that is asserted can hold together.
    fn check(&mut self, terms: &Terms, limit: Limit) -> Answer;
    /// Whether nothing is asserted and no level is open.
    fn is_empty(&self) -> bool;
    /// The solver's name, as reports print it.
    fn name(&self) -> &str;
}

/// A solver that is asked about the asserted terms themselves: no [`Answer::Unsat`] of it rests on another form of the question.
///
/// The checker takes no other, so a rewriting of questions is a search aid and never a premise of a proof. Whoever implements
/// this for a solver states that of it.
pub trait DirectSolver: Solver {}

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

/// How many questions this thread has put to solvers so far.
pub fn questions() -> u64 {
    ASKED.get()
}

/// Counts a question.
pub(crate) fn count_question() {
    ASKED.set(ASKED.get() + 1);
}

/// How long one [`Solver::check`] may take.
///
/// The resource limit counts the solver's own steps, so where it stops does not depend on the machine, and two runs
/// print the same bytes. The wall clock is the guard around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Z3's resource units. Default is [`Limit::DEFAULT_RLIMIT`].
    pub rlimit: u64,
    /// Time on the clock. Default is [`Limit::DEFAULT_WALL`].
    pub wall: Duration,
    /// When to stop at the latest, however many checks share this limit. Default is never.
    pub until: Option<Instant>,
}

impl Limit {
    /// About half a second of Z3 on a machine of 2024.
    pub const DEFAULT_RLIMIT: u64 = 4_000_000;
    /// Far more than the default resource limit takes, so that it does not decide which answer is printed.
    pub const DEFAULT_WALL: Duration = Duration::from_secs(20);

    /// This many resource units, with the default wall clock as the guard.
    pub fn rlimit(rlimit: u64) -> Self {
        Self { rlimit, wall: Self::DEFAULT_WALL, until: None }
    }
    /// The same, to be over at this time.
    pub fn until(self, deadline: Instant) -> Self {
        Self { until: Some(deadline), ..self }
    }
    /// What a check that starts now may take.
    pub(crate) fn left(&self) -> Duration {
        let left = self.until.map_or(self.wall, |u| u.saturating_duration_since(Instant::now()));
        left.min(self.wall)
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self::rlimit(Self::DEFAULT_RLIMIT)
    }
}

/// What a solver found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The assertions hold together in this model, which has been evaluated.
    Sat(Model),
    /// They cannot hold together.
    Unsat,
    /// The solver does not know.
    Unknown(Why),
}

impl Answer {
    /// Whether this is [`Answer::Unsat`].
    pub fn is_unsat(&self) -> bool {
        matches!(self, Self::Unsat)
    }
    /// Whether this is [`Answer::Sat`].
    pub fn is_sat(&self) -> bool {
        matches!(self, Self::Sat(_))
    }
}

/// Why there is no answer, and the number under which `lariat query` prints the question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    /// The reason.
    pub reason: WhyKind,
    /// The question's number in the [`crate::query_log`].
    pub query: QueryId,
}

/// A reason for no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WhyKind {
    /// [`Limit::rlimit`] was reached: the same in every run.
    ResourceLimit,
    /// [`Limit::wall`] was reached: this may differ from machine to machine.
    WallClock,
    /// The solver gave up, in its own words.
    Incomplete(String),
    /// The solver failed, in its own words.
    Crashed(String),
}

impl fmt::Display for WhyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ResourceLimit => write!(f, "the solver reached its resource limit"),
            Self::WallClock => write!(f, "the solver reached its time limit"),
            Self::Incomplete(words) => write!(f, "the solver gave up: {words}"),
            Self::Crashed(words) => write!(f, "the solver failed: {words}"),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (lariat query {})", self.reason, self.query)
    }
}

/// A value for every symbol that occurs in the asserted terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    values: BTreeMap<Term, Value>,
}

impl Model {
    /// The value of a symbol, or nothing if it occurs in no asserted term.
    pub fn value(&self, symbol: Term) -> Option<&Value> {
        self.values.get(&symbol)
    }
    /// The value of a symbol; zero if it occurs in no asserted term, where any value will do.
    pub fn value_or_zero(&self, terms: &Terms, symbol: Term) -> Value {
        self.value(symbol).cloned().unwrap_or_else(|| Value::zero(terms.sort(symbol)))
    }
    /// The value of any term, by [`Model::value_or_zero`] of its symbols.
    pub fn eval(&self, terms: &Terms, t: Term) -> Value {
        terms.eval(t, |s| self.value_or_zero(terms, s))
    }
    /// The symbols with their values, in the order of the arena.
    pub fn iter(&self) -> impl Iterator<Item = (Term, &Value)> {
        self.values.iter().map(|(&t, v)| (t, v))
    }
}

/// The assertions of a solver, level by level.
#[derive(Default)]
pub(crate) struct Stack {
    asserted: Vec<Term>,
    /// Of each open level: its number, never used twice, and how many assertions stand below it.
    levels: Vec<Level>,
    opened: u64,
    /// The arena that the terms belong to.
    arena: Option<u64>,
}

#[derive(Clone, Copy)]
pub(crate) struct Level {
    pub number: u64,
    pub below: usize,
}

impl Stack {
    pub fn push(&mut self) {
        self.opened += 1;
        self.levels.push(Level { number: self.opened, below: self.asserted.len() });
    }
    pub fn pop(&mut self) {
        let level = self.levels.pop().expect("every pop has its push");
        self.asserted.truncate(level.below);
    }
    pub fn assert(&mut self, terms: &Terms, t: Term) {
        self.arena.get_or_insert(terms.serial());
        self.belongs_to(terms);
        assert_eq!(terms.sort(t), lariat_ir::Sort::Bool, "only truth values are asserted");
        self.asserted.push(t);
    }
    /// Makes sure that a question is about the arena of the assertions.
    pub fn belongs_to(&self, terms: &Terms) {
        assert!(self.arena.is_none_or(|a| a == terms.serial()), "one solver object is used with one arena");
    }
    pub fn asserted(&self) -> &[Term] {
        &self.asserted
    }
    pub fn is_empty(&self) -> bool {
        self.asserted.is_empty() && self.levels.is_empty()
    }
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
    /// The symbols of all assertions.
    pub fn symbols(&self, terms: &Terms) -> Vec<Term> {
        let mut all = terms.reachable(&self.asserted);
        all.retain(|&t| matches!(terms.node(t).op, Op::Symbol(_)));
        all
    }
    /// A solver's model as an answer, if evaluation agrees with it: a solver is not believed about `Sat`.
    pub fn confirm(&self, terms: &Terms, values: BTreeMap<Term, Value>) -> Result<Answer, WhyKind> {
        let model = Model { values };
        let plan = Plan::new(terms, &self.asserted);
        let holds = plan.run(|s| model.value_or_zero(terms, s)).iter().all(Value::as_bool);
        if holds {
            Ok(Answer::Sat(model))
        } else {
            Err(WhyKind::Incomplete("model does not satisfy the query".to_owned()))
        }
    }
    /// No answer; the question goes to the log.
    pub fn unknown(&self, terms: &Terms, reason: WhyKind, log: &QueryLog) -> Answer {
        let query = log.save(&smtlib::script(terms, &self.asserted)).id;
        Answer::Unknown(Why { reason, query })
    }
}
