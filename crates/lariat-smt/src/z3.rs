//! Z3 in process.

use crate::query_log::QueryLog;
use crate::solver::{Answer, DirectSolver, Level, Limit, Solver, Stack, WhyKind, count_question};
use crate::watchdog;
use crate::words::{self, Words};
use crate::z3_raw::{self, Ast, Context, Fault, Kind, RawSolver, Verdict};
use lariat_ir::{Op, Sort, Term, Terms, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;
use std::time::Instant;

/// The oldest Z3 that the bindings fit.
const OLDEST: [u32; 3] = [4, 13, 3];

/// The version of the Z3 that runs, or that it is too old.
pub fn z3_version() -> Result<String, OldZ3> {
    let (numbers, text) = z3_raw::version();
    if numbers >= OLDEST { Ok(text) } else { Err(OldZ3 { found: text }) }
}

/// The Z3 that was loaded is too old.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OldZ3 {
    /// What was found.
    pub found: String,
}

impl fmt::Display for OldZ3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = OLDEST;
        write!(
            f,
            "Z3 {} is too old, {major}.{minor}.{patch} or newer is needed: run ./lariat once, it installs Z3, or set LARIAT_Z3_DIR",
            self.found
        )
    }
}

impl std::error::Error for OldZ3 {}

/// Resource units for the first, incremental attempt; some ten milliseconds. What it does not settle is asked once more
/// without levels: Z3 simplifies more there, and for integers and arrays it has stronger methods, slower for easy ones.
const FIRST_ATTEMPT: u64 = 100_000;
/// Resource units for a question about words that is put to integers, beyond those that it may take else: where integers do well, they take few.
const AS_INTEGERS: u64 = 50_000;
/// So many times in vain, and more often than not, and integers are not asked any more.
const IN_VAIN: u32 = 4;
/// So many translated terms are remembered; then all are forgotten.
const REMEMBERED: usize = 1 << 17;
/// So many solvers of each kind wait for their next use.
const SPARE: usize = 4;

/// Z3 in process, with our terms and models.
///
/// Limits are kept in two ways: the resource limit by Z3 itself, the wall clock by a thread that interrupts Z3.
///
/// Which model Z3 finds, and how much of the resource limit it needs, may depend on what the same context was asked
/// before. Where that must not differ with the schedule of threads, a task takes [`Z3Solver::isolated`].
pub struct Z3Solver {
    /// Nothing before the first check, and after a fault.
    context: Option<Rc<PooledContext>>,
    pool: ContextPool,
    stack: Stack,
    /// Of the first assertions, whether each is [`Translated::bits_only`].
    bits_only: Vec<bool>,
    translation: Translation,
    integers: Integers,
    lanes: [Lane; 3],
    log: QueryLog,
}

/// Z3, asked about the terms themselves: words are bits, whatever they would be as integers.
pub struct DirectZ3(Z3Solver);

impl DirectZ3 {
    /// The same solver, with the questions that it cannot answer kept in this log. Default is [`QueryLog::of_user`].
    pub fn with_log(self, log: QueryLog) -> Self {
        Self(self.0.with_log(log))
    }
}

impl DirectSolver for DirectZ3 {}

impl Solver for DirectZ3 {
    fn push(&mut self) {
        self.0.push();
    }
    fn pop(&mut self) {
        self.0.pop();
    }
    fn assert(&mut self, terms: &Terms, t: Term) {
        self.0.assert(terms, t);
    }
    fn check(&mut self, terms: &Terms, limit: Limit) -> Answer {
        self.0.check(terms, limit)
    }
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    fn name(&self) -> &str {
        self.0.name()
    }
}

/// The same questions as integers see them.
#[derive(Default)]
struct Integers {
    words: Words,
    translation: Translation,
    /// Of the first assertions, whether each speaks of words.
    has_words: Vec<bool>,
    /// Of the first assertions, the form that each has, if any.
    forms: Vec<Option<Term>>,
    /// They are not to be asked.
    never: bool,
    /// How often there was an answer, and how often there was none.
    settled: u32,
    in_vain: u32,
}

impl Integers {
    fn are_worth_it(&self) -> bool {
        !self.never && (self.in_vain < IN_VAIN || self.in_vain < self.settled)
    }
}

/// A context, with solvers in it that have no assertions and wait for their next use.
///
/// Making a solver takes a third of a millisecond, more than many a query.
struct PooledContext {
    raw: Rc<Context>,
    spare: RefCell<[Vec<RawSolver>; 2]>,
}

/// A pool of one context: its solvers share the context, apart from all others. It is made when it is needed.
#[derive(Clone, Default)]
pub struct ContextPool(Rc<RefCell<Option<Rc<PooledContext>>>>);

/// A context that no solver uses any more, with its solvers, until it is taken down.
type Empty = (Rc<Context>, [Vec<RawSolver>; 2]);

thread_local! {
    static SHARED: ContextPool = ContextPool::default();
    /// Taking a context down takes a millisecond or more, so it waits until the thread makes another, or ends.
    static EMPTY: RefCell<Vec<Empty>> = const { RefCell::new(Vec::new()) };
}

/// The next solver of this thread starts in a new context.
///
/// What Z3 answers, a model above all, may depend on what its context was asked before. Whoever wants the same
/// bytes in every run, whichever thread takes which task, starts each task with this.
pub fn fresh_context() {
    SHARED.with(|shared| *shared.0.borrow_mut() = None);
}

/// Makes contexts ahead on another thread, for whoever has something to wait for and will need them soon.
pub fn prepare_contexts(count: usize) {
    z3_raw::prepare(count);
}

/// Sets how many megabytes all solvers in this process may use together before a check gives up. Only before the first one is
/// made. Default is 2048.
pub fn limit_memory(megabytes: u32) {
    z3_raw::limit_memory(megabytes);
}

/// Readies the allocator for a thread that is going to need about this much memory.
pub fn ready_heap(bytes: usize) {
    z3_raw::heap::ready(bytes);
}

/// Ends the process at once: what was written is written, and no other thread is waited for.
pub fn leave(status: u8) -> ! {
    z3_raw::leave(status)
}

impl ContextPool {
    fn context(&self) -> Result<Rc<PooledContext>, Fault> {
        let mut there = self.0.borrow_mut();
        let context = match there.take() {
            Some(context) => context,
            None => PooledContext::new()?,
        };
        Ok(there.insert(context).clone())
    }
    /// After a fault no other solver gets it.
    fn abandon(&self, context: &Rc<PooledContext>) {
        let mut there = self.0.borrow_mut();
        if there.as_ref().is_some_and(|h| Rc::ptr_eq(h, context)) {
            *there = None;
        }
    }
}

impl Drop for PooledContext {
    fn drop(&mut self) {
        let empty = (self.raw.clone(), self.spare.take());
        // At the end of a thread there is no later.
        let _ = EMPTY.try_with(|all| all.borrow_mut().push(empty));
    }
}

impl PooledContext {
    fn new() -> Result<Rc<Self>, Fault> {
        drop(EMPTY.take());
        Ok(Rc::new(Self { raw: Context::new()?, spare: RefCell::default() }))
    }
    fn take_solver(&self, lane: usize) -> Result<RawSolver, Fault> {
        let spare = self.spare.borrow_mut()[kind(lane)].pop();
        let mut solver = match spare {
            Some(solver) => solver,
            None => self.fresh_solver(lane)?,
        };
        // Below this level there is never an assertion, so that the solver can be handed on.
        solver.push()?;
        Ok(solver)
    }
    fn fresh_solver(&self, lane: usize) -> Result<RawSolver, Fault> {
        let mut solver = RawSolver::new(&self.raw, Kind::Simple)?;
        if lane == BITS {
            // Relevancy saves work in other theories; over bits alone it is the work.
            solver.set(&[(c"relevancy", 0)])?;
        }
        Ok(solver)
    }
}

/// The lane for assertions over truth values and bit-vectors alone, the one for all others, and the one for the former as integers.
const BITS: usize = 0;
const MIXED: usize = 1;
const INTEGERS: usize = 2;

/// Which of the spare solvers fit a lane.
fn kind(lane: usize) -> usize {
    usize::from(lane != BITS)
}

/// A solver that catches up with the stack when it is asked.
#[derive(Default)]
struct Lane {
    solver: Option<RawSolver>,
    /// The open levels and the number of assertions, as far as the solver knows.
    levels: Vec<Level>,
    asserted: usize,
}

impl Lane {
    /// Brings the solver to what the stack holds now. It stays out of the lane until that is done.
    fn follow(
        &mut self,
        solver: &mut RawSolver,
        stack: &Stack,
        mut translate: impl FnMut(usize, &mut RawSolver) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let wanted = stack.levels();
        let common = self.levels.iter().zip(wanted).take_while(|(a, b)| a.number == b.number).count();
        if let Some(first) = self.levels.get(common) {
            // A level that is still open has only grown, so what is below the first closed one stands.
            self.asserted = first.below;
            solver.pop(u32::try_from(self.levels.len() - common).expect("levels fit in 32 bits"))?;
            self.levels.truncate(common);
        }
        // Levels above the last assertion are opened when something is asserted in them.
        for i in self.asserted..stack.asserted().len() {
            while let Some(level) = wanted.get(self.levels.len()).filter(|l| l.below <= i) {
                solver.push()?;
                self.levels.push(*level);
            }
            translate(i, solver)?;
        }
        self.asserted = stack.asserted().len();
        Ok(())
    }
}

/// What has been translated. It belongs to one solver object, because a term's number belongs to one arena.
#[derive(Default)]
struct Translation {
    /// In the order in which they were made, so that they are also let go in the same order in every run: Z3 uses their
    /// numbers again, and what it finds depends on its terms' numbers.
    translated: Vec<Translated>,
    places: HashMap<Term, usize>,
    /// Outlives what is forgotten: a symbol must keep its number.
    symbols: HashMap<Term, u32>,
}

struct Translated {
    ast: Ast,
    /// Whether it holds truth values and bit-vectors alone, and no floating-point operation.
    bits_only: bool,
}

impl Translation {
    fn of(&mut self, context: &Rc<Context>, terms: &Terms, t: Term) -> Result<&Translated, Fault> {
        if self.translated.len() > REMEMBERED {
            self.places.clear();
            self.translated.clear();
        }
        let mut open = vec![t];
        while let Some(&u) = open.last() {
            if self.places.contains_key(&u) {
                open.pop();
                continue;
            }
            let node = terms.node(u);
            let before = open.len();
            open.extend(node.args().iter().filter(|a| !self.places.contains_key(a)));
            if open.len() > before {
                continue;
            }
            open.pop();
            // For floating-point numbers the tactics are much stronger than the incremental core.
            let scalar_bits = matches!(node.sort, Sort::Bool | Sort::BitVec(_)) && !matches!(node.op, Op::Float(_));
            let bits_only = scalar_bits && node.args().iter().all(|a| self.get(*a).bits_only);
            let ast = match node.op {
                Op::Symbol(_) => {
                    let next = u32::try_from(self.symbols.len()).expect("symbols fit in 32 bits");
                    context.symbol(*self.symbols.entry(u).or_insert(next), node.sort)?
                }
                Op::Bool(_) | Op::Bv(_) | Op::Int(_) => {
                    context.constant(&terms.constant_value(u).expect("a constant has a value"))?
                }
                op => match node.args() {
                    [a] => context.apply(op, &[&self.get(*a).ast])?,
                    [a, b] => context.apply(op, &[&self.get(*a).ast, &self.get(*b).ast])?,
                    args => context.apply(op, &args.iter().map(|a| &self.get(*a).ast).collect::<Vec<_>>())?,
                },
            };
            self.places.insert(u, self.translated.len());
            self.translated.push(Translated { ast, bits_only });
        }
        Ok(self.get(t))
    }

    fn get(&self, t: Term) -> &Translated {
        &self.translated[self.places[&t]]
    }
}

impl Default for Z3Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Z3Solver {
    /// A solver without assertions, in the context that the solvers of this thread share.
    pub fn new() -> Self {
        SHARED.with(Self::in_pool)
    }

    /// A solver without assertions, in a context of its own: nothing else has any influence on its answers. It costs some
    /// milliseconds more.
    pub fn isolated() -> Self {
        Self::in_pool(&ContextPool::default())
    }

    /// A solver without assertions, in the context of a pool: only what is asked there has any influence on its answers.
    pub fn in_pool(pool: &ContextPool) -> Self {
        Self {
            context: None,
            pool: pool.clone(),
            stack: Stack::default(),
            bits_only: Vec::new(),
            translation: Translation::default(),
            integers: Integers::default(),
            lanes: Default::default(),
            log: QueryLog::of_user(),
        }
    }

    /// The same solver, with the questions that it cannot answer kept in this log. Default is [`QueryLog::of_user`].
    pub fn with_log(mut self, log: QueryLog) -> Self {
        self.log = log;
        self
    }

    /// The same solver, which asks about the terms themselves and never about integers in place of words.
    pub fn direct(mut self) -> DirectZ3 {
        self.integers.never = true;
        DirectZ3(self)
    }

    fn run(&mut self, terms: &Terms, limit: Limit) -> Result<Attempt, Fault> {
        let deadline = Instant::now() + limit.left();
        let context = self.pooled()?;
        let context = match self.as_integers(terms, &context, limit.rlimit.min(AS_INTEGERS), deadline) {
            Ok(Some(answer)) => return Ok(Ok(answer)),
            Ok(None) => context,
            // What the integers could not bear, the bits may.
            Err(_) => {
                self.integers.in_vain += 1;
                self.start_over();
                self.pooled()?
            }
        };
        for &t in &self.stack.asserted()[self.bits_only.len()..] {
            self.bits_only.push(self.translation.of(&context.raw, terms, t)?.bits_only);
        }
        let lane = if self.bits_only.iter().all(|b| *b) { BITS } else { MIXED };
        let first = self.incremental(terms, &context, lane, limit.rlimit.min(FIRST_ATTEMPT), deadline)?;
        let Err(WhyKind::ResourceLimit | WhyKind::Incomplete(_)) = first else { return Ok(first) };
        match limit.rlimit.saturating_sub(FIRST_ATTEMPT) {
            0 => Ok(first),
            rest => self.anew(terms, &context, lane, rest, deadline),
        }
    }

    fn pooled(&mut self) -> Result<Rc<PooledContext>, Fault> {
        match &self.context {
            Some(context) => Ok(context.clone()),
            None => Ok(self.context.insert(self.pool.context()?).clone()),
        }
    }

    /// The answer to a question about words, if integers find it soon.
    fn as_integers(
        &mut self,
        terms: &Terms,
        context: &PooledContext,
        rlimit: u64,
        deadline: Instant,
    ) -> Result<Option<Answer>, Fault> {
        if !self.integers.are_worth_it() {
            return Ok(None);
        }
        if self.integers.words.len() > REMEMBERED {
            self.forget_forms();
        }
        let Integers { words, forms, has_words, .. } = &mut self.integers;
        has_words.extend(self.stack.asserted()[has_words.len()..].iter().map(|&t| words::has_words(terms, t)));
        if !has_words.contains(&true) {
            return Ok(None);
        }
        for &t in &self.stack.asserted()[forms.len()..] {
            forms.push(words.assertion(terms, t));
        }
        if forms.iter().any(Option::is_none) {
            return Ok(None);
        }
        let attempt = self.incremental(terms, context, INTEGERS, rlimit, deadline)?;
        let count = if attempt.is_ok() { &mut self.integers.settled } else { &mut self.integers.in_vain };
        *count += 1;
        Ok(attempt.ok())
    }

    fn incremental(
        &mut self,
        terms: &Terms,
        context: &PooledContext,
        lane: usize,
        rlimit: u64,
        deadline: Instant,
    ) -> Result<Attempt, Fault> {
        let mut solver = match self.lanes[lane].solver.take() {
            Some(solver) => solver,
            None => {
                self.lanes[lane] = Lane::default();
                context.take_solver(lane)?
            }
        };
        let (translation, integers, stack) = (&mut self.translation, &mut self.integers, &self.stack);
        self.lanes[lane].follow(&mut solver, stack, |i, solver| {
            let translated = if lane == INTEGERS {
                let form = integers.forms[i].expect("only questions that have a form are put to integers");
                integers.translation.of(&context.raw, integers.words.terms(), form)?
            } else {
                translation.of(&context.raw, terms, stack.asserted()[i])?
            };
            solver.assert(&translated.ast)
        })?;
        let (attempt, rung) = self.ask(terms, context, &mut solver, lane, rlimit, deadline)?;
        if !rung {
            self.lanes[lane].solver = Some(solver);
        }
        Ok(attempt)
    }

    fn anew(
        &mut self,
        terms: &Terms,
        context: &PooledContext,
        lane: usize,
        rlimit: u64,
        deadline: Instant,
    ) -> Result<Attempt, Fault> {
        // What integers would answer soon is often hard for the bits, and the tactics answer a part of it.
        let mut solver = if lane == BITS && !self.integers.never {
            context.fresh_solver(BITS)?
        } else {
            RawSolver::new(&context.raw, Kind::Tactics)?
        };
        for &t in self.stack.asserted() {
            solver.assert(&self.translation.of(&context.raw, terms, t)?.ast)?;
        }
        Ok(self.ask(terms, context, &mut solver, lane, rlimit, deadline)?.0)
    }

    /// Checks within the limits, and says whether Z3 had to be interrupted.
    fn ask(
        &mut self,
        terms: &Terms,
        context: &PooledContext,
        solver: &mut RawSolver,
        lane: usize,
        rlimit: u64,
        deadline: Instant,
    ) -> Result<(Attempt, bool), Fault> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok((Err(WhyKind::WallClock), false));
        }
        // Z3 keeps time with a thread of its own for each check, which costs as much as a small query.
        let milliseconds =
            if watchdog::runs() { 0 } else { u32::try_from(left.as_millis()).unwrap_or(u32::MAX).max(1) };
        context.raw.limit(u32::try_from(rlimit).unwrap_or(u32::MAX).max(1), milliseconds);
        let guard = watchdog::watch(deadline, context.raw.interrupt());
        let verdict = solver.check();
        let rung = guard.disarm();
        let attempt = match verdict {
            Err(_) if rung => Err(WhyKind::WallClock),
            Err(fault) => return Err(fault),
            Ok(Verdict::Unsat) => Ok(Answer::Unsat),
            Ok(Verdict::Unknown(_)) if rung => Err(WhyKind::WallClock),
            Ok(Verdict::Unknown(words)) if words.contains("timeout") => Err(WhyKind::WallClock),
            // What it holds goes away with its context only.
            Ok(Verdict::Unknown(words)) if words.contains("memout") => {
                return Err(Fault("it needed too much memory".to_owned()));
            }
            // Nobody but the resource limit has cancelled it.
            Ok(Verdict::Unknown(words)) if words.contains("resource limit") || words.contains("canceled") => {
                Err(WhyKind::ResourceLimit)
            }
            Ok(Verdict::Unknown(words)) => Err(WhyKind::Incomplete(words)),
            Ok(Verdict::Sat) => match self.model(terms, context, solver, lane) {
                Ok(values) => self.stack.confirm(terms, values),
                Err(_) if rung => Err(WhyKind::WallClock),
                Err(fault) => Err(WhyKind::Incomplete(fault.0)),
            },
        };
        Ok((attempt, rung))
    }

    fn model(
        &mut self,
        terms: &Terms,
        context: &PooledContext,
        solver: &RawSolver,
        lane: usize,
    ) -> Result<BTreeMap<Term, Value>, Fault> {
        let model = solver.model()?;
        let mut values = BTreeMap::new();
        for s in self.stack.symbols(terms) {
            let sort = terms.sort(s);
            let value = if lane == INTEGERS {
                let Integers { words, translation, .. } = &mut self.integers;
                let found = match words.symbol_for(s) {
                    Some(ours) => {
                        let inner = words.terms();
                        model.value(&translation.of(&context.raw, inner, ours)?.ast, inner.sort(ours))?
                    }
                    None => None,
                };
                found.map(|v| words::word(v, sort))
            } else {
                model.value(&self.translation.of(&context.raw, terms, s)?.ast, sort)?
            };
            values.insert(s, value.unwrap_or_else(|| Value::zero(sort)));
        }
        Ok(values)
    }

    /// Forgets which integers stand for which words. Symbols get new names, so the solver that knows the old ones goes, too.
    fn forget_forms(&mut self) {
        let Integers { never, settled, in_vain, .. } = self.integers;
        self.integers = Integers { never, settled, in_vain, ..Integers::default() };
        self.lanes[INTEGERS] = Lane::default();
    }

    /// Forgets all that Z3 holds; the assertions are ours, and the next check tells them to a new context.
    fn start_over(&mut self) {
        if let Some(context) = self.context.take() {
            self.pool.abandon(&context);
        }
        self.lanes = Default::default();
        self.translation = Translation::default();
        self.integers.translation = Translation::default();
    }
}

/// An answer, or why there is none.
type Attempt = Result<Answer, WhyKind>;

impl Solver for Z3Solver {
    fn push(&mut self) {
        self.stack.push();
    }
    fn pop(&mut self) {
        self.stack.pop();
        self.bits_only.truncate(self.stack.asserted().len());
        self.integers.forms.truncate(self.stack.asserted().len());
        self.integers.has_words.truncate(self.stack.asserted().len());
    }
    fn assert(&mut self, terms: &Terms, t: Term) {
        self.stack.assert(terms, t);
    }
    fn check(&mut self, terms: &Terms, limit: Limit) -> Answer {
        count_question();
        self.stack.belongs_to(terms);
        let attempt = self.run(terms, limit).unwrap_or_else(|fault| {
            self.start_over();
            Err(WhyKind::Crashed(fault.0))
        });
        attempt.unwrap_or_else(|reason| self.stack.unknown(terms, reason, &self.log))
    }
    fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
    fn name(&self) -> &'static str {
        "Z3"
    }
}

impl Drop for Z3Solver {
    fn drop(&mut self) {
        let Some(context) = &self.context else { return };
        for (i, lane) in self.lanes.iter_mut().enumerate() {
            let levels = u32::try_from(lane.levels.len() + 1).expect("levels fit in 32 bits");
            let spare = &mut context.spare.borrow_mut()[kind(i)];
            if let Some(mut solver) = lane.solver.take().filter(|_| spare.len() < SPARE)
                && solver.pop(levels).is_ok()
            {
                spare.push(solver);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::World;
    use lariat_ir::Role;

    /// With a form that is wrong for every assertion: whoever asks integers takes it for an answer, a direct solver does not.
    #[test]
    fn a_wrong_form_makes_no_direct_answer() {
        for width in [8, 32] {
            for arrays in [false, true] {
                let terms = Terms::new();
                let x = terms.symbol("x", Sort::BitVec(width), Role::Free);
                let five = terms.bv(width, 5);
                let mut fact = terms.apply(Op::BvUlt, &[x, five]);
                if arrays {
                    let word = lariat_ir::Scalar::BitVec(width);
                    let m = terms.symbol("m", Sort::Array(word, word), Role::Free);
                    fact = terms.and(fact, terms.eq(terms.apply(Op::Select, &[m, x]), five));
                }
                let mut misled = Z3Solver::new().with_log(QueryLog::off());
                misled.integers.words.mislead();
                misled.assert(&terms, fact);
                assert!(misled.check(&terms, Limit::default()).is_unsat(), "the wrong form is in use");
                let mut direct = Z3Solver::new().with_log(QueryLog::off()).direct();
                direct.0.integers.words.mislead();
                for _ in 0..3 {
                    direct.push();
                    direct.assert(&terms, fact);
                    assert!(direct.check(&terms, Limit::default()).is_sat());
                }
                direct.0.start_over();
                direct.0.forget_forms();
                direct.0.integers.words.mislead();
                assert!(direct.check(&terms, Limit::default()).is_sat(), "also after a fault");
            }
        }
    }

    /// In the middle of pushes, pops, faults and small limits.
    #[test]
    fn what_holds_of_some_values_is_not_impossible() {
        let (mut possible, mut by_integers) = (0, 0);
        for seed in 0..400 {
            let mut world = World::new(seed);
            let mut solver = Z3Solver::new().with_log(QueryLog::off());
            let mut levels = 0;
            for _ in 0..25 {
                match world.below(10) {
                    0 | 1 if levels < 5 => {
                        solver.push();
                        levels += 1;
                    }
                    2 if levels > 0 => {
                        solver.pop();
                        levels -= 1;
                    }
                    3 if world.below(8) == 0 => solver.start_over(),
                    3 => solver.forget_forms(),
                    4..7 => {
                        let depth = world.below(4);
                        let fact = world.fact(depth);
                        solver.assert(&world.terms, fact);
                    }
                    _ => {
                        // However often they do not know, integers are asked here.
                        solver.integers.in_vain = 0;
                        let before = solver.integers.settled;
                        let limit = Limit::rlimit([200, 5_000, 60_000][world.below(3)]);
                        let answer = solver.check(&world.terms, limit);
                        let asked = lariat_ir::smtlib::script(&world.terms, solver.stack.asserted());
                        assert!(!answer.is_unsat(), "seed {seed}, {:?}: {asked}", world.values);
                        possible += usize::from(answer.is_sat());
                        by_integers += solver.integers.settled - before;
                    }
                }
            }
        }
        assert!(possible > 1000 && by_integers > 500, "{possible} possible, {by_integers} by integers");
    }
}
