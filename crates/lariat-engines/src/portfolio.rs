//! Runs the engines on the loops of a system, cheapest first, and hands their claims to the judge.

use crate::board::Board;
use crate::closed::ClosedSet;
use crate::engine::{Effort, Engine, EngineCx, Goal, NoClaim, Outcome, Task};
use crate::exits::Exits;
use crate::invariants::Invariants;
use crate::orbit::Orbit;
use crate::path_automaton::PathAutomaton;
use crate::rank::Ranking;
use lariat_ir::{Certificate, Claim, LoopForest, LoopId, Property, SystemHash, TransitionSystem};
use lariat_smt::{Limit, questions};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The engines, cheapest first.
pub const ENGINES: &[&dyn Engine] = &[&Ranking, &Exits, &Orbit, &ClosedSet, &PathAutomaton];

/// What the abstract domains find goes by this name.
const FACTS: &str = "invariants";

/// Who accepts claims: the checker, behind a trait that this crate can know.
pub trait Judge {
    /// Whether the claim was accepted, or why not. What is accepted is the judge's to keep.
    fn submit(&mut self, engine: &'static str, claim: &Claim) -> Result<(), Refusal>;
}

/// Why a claim was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A side condition does not hold: a bug of the engine.
    Rejected(String),
    /// A side condition was neither shown nor refuted: the solver or the time gave out.
    Undecided(String),
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only the engine of this name.
    pub only: Option<String>,
    /// Every engine runs to its end on every loop.
    pub audit: bool,
    /// How hard to try at most.
    pub most: Effort,
    /// The limit of one query.
    pub limit: Limit,
    /// When to stop.
    pub deadline: Instant,
}

/// One engine on one loop.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The engine.
    pub engine: &'static str,
    /// Why it decided nothing, if so.
    pub reason: Option<NoClaim>,
    /// Claims that the judge rejected, with the reason: each is a bug of the engine.
    pub rejected: Vec<String>,
}

/// One attempt of an engine at a loop, and what it cost.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The engine.
    pub engine: &'static str,
    /// How hard it tried.
    pub effort: Effort,
    /// When it began.
    pub begin: Instant,
    /// What the search cost.
    pub search: Cost,
    /// What the judge's work on its claims cost.
    pub check: Cost,
    /// What came of it.
    pub end: AttemptEnd,
}

/// Time, and questions to a solver.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cost {
    /// On the clock.
    pub time: Duration,
    /// How many.
    pub questions: u64,
}

impl Cost {
    fn add<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (begin, asked) = (Instant::now(), questions());
        let done = work();
        self.time += begin.elapsed();
        self.questions += questions() - asked;
        done
    }
}

/// What came of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptEnd {
    /// A verdict.
    Decided(Decision),
    /// No claim.
    GaveUp,
    /// The judge neither accepted nor rejected its claims.
    NotConfirmed,
    /// The judge rejected a claim.
    Rejected,
}

impl AttemptEnd {
    /// As results write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Decided(Decision::Terminates) => "terminates",
            Self::Decided(Decision::Diverges) => "diverges",
            Self::GaveUp => "gave-up",
            Self::NotConfirmed => "not-confirmed",
            Self::Rejected => "rejected",
        }
    }
}

/// A verdict on a loop, from an accepted claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// It ends.
    Terminates,
    /// It can run for ever.
    Diverges,
}

/// What happened to one loop.
#[derive(Clone, Debug)]
pub struct LoopResult {
    /// The loop.
    pub id: LoopId,
    /// The accepted verdicts; more than one only with `audit`.
    pub decisions: Vec<(Decision, &'static str)>,
    /// What was tried.
    pub trials: Vec<Trial>,
    /// The same by attempts, in their order: an engine may try several times, each time harder.
    pub attempts: Vec<Attempt>,
    /// How long it took.
    pub time: Duration,
}

impl LoopResult {
    /// Nothing has happened yet.
    pub fn open(id: LoopId) -> Self {
        Self { id, decisions: Vec::new(), trials: Vec::new(), attempts: Vec::new(), time: Duration::ZERO }
    }
}

/// The engines' work on one system.
#[derive(Default)]
pub struct Portfolio {
    board: Board,
    hanging: Accepted,
    ending: Accepted,
    results: Vec<LoopResult>,
}

impl Portfolio {
    /// Runs the engines on every loop that is open and not to be skipped, inner loops first.
    pub fn run(
        &mut self,
        system: (&TransitionSystem, &LoopForest, SystemHash),
        effort: Effort,
        options: &Options,
        skip: &dyn Fn(LoopId) -> bool,
        judge: &mut dyn Judge,
    ) {
        let (ts, forest, hash) = system;
        if self.results.is_empty() {
            self.results = forest.loops.ids().map(LoopResult::open).collect();
        }
        if options.audit && effort == Effort::Quick {
            self.certify_facts(system, options, judge);
        }
        for (nth, result) in self.results.iter_mut().enumerate() {
            if !options.audit && (!result.decisions.is_empty() || skip(result.id)) {
                continue;
            }
            let goals = Goal::of_loop(ts, result.id);
            let task = Task { ts, forest, hash, goals: &goals, board: &self.board };
            let share = share(options.deadline, forest.loops.len() - nth);
            decide(&task, effort, options, share, judge, (&mut self.hanging, &mut self.ending), result);
        }
        self.settle_inner(ts, forest, judge);
    }

    /// A run that stays in an inner loop stays in those around it, so an open loop inside one that ends does so, too, and the same measures
    /// show it.
    fn settle_inner(&mut self, ts: &TransitionSystem, forest: &LoopForest, judge: &mut dyn Judge) {
        for result in self.results.iter_mut().filter(|r| r.decisions.is_empty()) {
            let around = |(outer, _, c): &&(LoopId, &'static str, Claim)| {
                c.when == ts.terms.tt() && *outer != result.id && forest.is_inside(result.id, *outer)
            };
            let found = self.ending.iter().filter(around).find_map(|(_, engine, claim)| {
                let claim = within(forest, claim, result.id)?;
                judge.submit(engine, &claim).is_ok().then_some((*engine, claim))
            });
            if let Some((engine, claim)) = found {
                result.decisions.push((Decision::Terminates, engine));
                self.ending.push((result.id, engine, claim));
            }
        }
    }

    /// Has the board's invariants checked by themselves. A claim that uses them shows them again, so this is for audits alone: no
    /// engine may build on what does not hold.
    fn certify_facts(
        &mut self,
        (ts, forest, hash): (&TransitionSystem, &LoopForest, SystemHash),
        options: &Options,
        judge: &mut dyn Judge,
    ) {
        let found = Invariants::of(&self.board, ts, forest, share(options.deadline, 4));
        let invariants = BTreeMap::clone(&found);
        let claim = Claim {
            system: hash,
            property: Property::Holds,
            when: ts.terms.tt(),
            certificate: Certificate::Inductive { invariants },
        };
        let mut trial = Trial { engine: FACTS, reason: None, rejected: Vec::new() };
        match judge.submit(FACTS, &claim) {
            Ok(()) => return,
            Err(Refusal::Undecided(why)) => trial.reason = Some(why.into()),
            Err(Refusal::Rejected(why)) => trial.rejected.push(why),
        }
        if let Some(first) = self.results.first_mut() {
            first.trials.push(trial);
        }
    }

    /// What happened to each loop so far, inner loops first.
    pub fn results(&self) -> &[LoopResult] {
        &self.results
    }
}

/// Runs all engines on every loop of a system by itself.
pub fn run(
    ts: &TransitionSystem,
    forest: &LoopForest,
    hash: SystemHash,
    options: &Options,
    judge: &mut dyn Judge,
) -> Vec<LoopResult> {
    let mut portfolio = Portfolio::default();
    for effort in Effort::ALL.into_iter().filter(|e| *e <= options.most) {
        portfolio.run((ts, forest, hash), effort, options, &|_| false, judge);
    }
    portfolio.results
}

/// When one of several loops, engines or systems has used up its part of the time: what is left is shared by those that are
/// still to come, and what one leaves over is theirs. Nobody gets less than a start is worth, as long as there is time.
pub fn share(deadline: Instant, to_come: usize) -> Instant {
    const LEAST: Duration = Duration::from_millis(200);
    let now = Instant::now();
    let left = deadline.saturating_duration_since(now);
    let parts = u32::try_from(to_come.max(1)).unwrap_or(u32::MAX);
    // Most loops take far less than their part, so twice the part is still fair.
    deadline.min(now + (left / parts * 2).max(LEAST))
}

/// Accepted claims of one verdict, each with its loop and its engine.
type Accepted = Vec<(LoopId, &'static str, Claim)>;

/// The claim that a loop ends, from one for a loop around it: the part of its certificate that speaks of the inner loop.
///
/// The inner loop's cycles and the segments between measures in it are some of the outer loop's, so what holds for all of those
/// holds for these. A loop that stands in brings a claim of its own; a transition invariant covers inner loops by those alone.
fn within(forest: &LoopForest, outer: &Claim, id: LoopId) -> Option<Claim> {
    let (Certificate::Ranking { outline, .. } | Certificate::TransitionInvariant { outline, .. }) = &outer.certificate
    else {
        return None;
    };
    let this = &forest.loops[id];
    for inner in &outline.inner {
        let stand_in = forest.with_header(inner.header)?;
        if stand_in == id {
            return Some((*inner.claim).clone());
        }
        if forest.is_inside(id, stand_in) {
            return within(forest, &inner.claim, id);
        }
    }
    let Certificate::Ranking { outline, measures } = &outer.certificate else { return None };
    let mut outline = outline.clone();
    outline.inner.retain(|i| this.body.contains(&i.header));
    let measures: BTreeMap<_, _> =
        measures.iter().filter(|(l, _)| this.body.contains(l)).map(|(l, m)| (*l, m.clone())).collect();
    let certificate = Certificate::Ranking { outline, measures };
    Some(Claim { property: Property::Terminates(this.header), certificate, ..outer.clone() })
}

fn decide(
    task: &Task<'_>,
    effort: Effort,
    options: &Options,
    deadline: Instant,
    judge: &mut dyn Judge,
    (hanging, ending): (&mut Accepted, &mut Accepted),
    result: &mut LoopResult,
) {
    let begin = Instant::now();
    let LoopResult { decisions, trials, attempts, time, .. } = result;
    // A run that never leaves an inner loop never leaves this one: the same certificate shows both.
    if decisions.is_empty()
        && let Some((_, engine, claim)) = hanging.iter().find(|(inner, ..)| task.forest.is_inside(*inner, task.id()))
    {
        let claim = Claim { property: Property::Diverges(task.this().header), ..claim.clone() };
        if judge.submit(engine, &claim).is_ok() {
            decisions.push((Decision::Diverges, *engine));
            hanging.push((task.id(), engine, claim));
            if !options.audit {
                *time += begin.elapsed();
                return;
            }
        }
    }
    let wanted = |e: &&&dyn Engine| options.only.as_deref().is_none_or(|only| only == e.name());
    let pursued = |e: &&dyn Engine| -> Vec<Goal> { task.goals.iter().copied().filter(|g| e.pursues(*g)).collect() };
    let engines: Vec<_> =
        ENGINES.iter().filter(wanted).map(|e| (e, pursued(e))).filter(|(_, goals)| !goals.is_empty()).collect();
    let count = engines.len();
    for (nth, (engine, goals)) in engines.into_iter().enumerate() {
        let earlier = trials.iter().position(|t| t.engine == engine.name()).map(|i| trials.remove(i));
        let mut trial = Trial { engine: engine.name(), reason: None, rejected: Vec::new() };
        let mut before = None;
        if let Some(earlier) = earlier {
            (before, trial.rejected) = (earlier.reason, earlier.rejected);
        }
        if Instant::now() >= deadline {
            trial.reason =
                before.or_else(|| Some(NoClaim::OutOfTime("the time was up before it could run".to_owned())));
            trials.push(trial);
            continue;
        }
        let mut cx = EngineCx {
            effort,
            audit: options.audit,
            limit: options.limit,
            deadline: share(deadline, count - nth),
            gave_up: RefCell::default(),
        };
        let (began, mut search, mut check) = (Instant::now(), Cost::default(), Cost::default());
        let mut end = AttemptEnd::GaveUp;
        match search.add(|| engine.run(&Task { goals: &goals, ..*task }, &mut cx)) {
            Outcome::GaveUp(mut reason) => {
                if reason.text().is_empty() {
                    reason = before.unwrap_or(reason);
                }
                if let Some(why) = cx.gave_up.borrow().as_ref().filter(|w| !reason.text().contains(&w.to_string())) {
                    let _ = write!(reason, "; {why}");
                }
                trial.reason = Some(reason);
            }
            Outcome::Claims(claims) => {
                for claim in claims {
                    let found = decision(&claim);
                    if !options.audit && decisions.iter().any(|(d, _)| Some(*d) == found) {
                        continue;
                    }
                    match check.add(|| judge.submit(engine.name(), &claim)) {
                        Ok(()) => {
                            end = found.map_or(end, AttemptEnd::Decided);
                            decisions.extend(found.map(|d| (d, engine.name())));
                            match found {
                                Some(Decision::Diverges) => hanging.push((task.id(), engine.name(), claim)),
                                Some(Decision::Terminates) => ending.push((task.id(), engine.name(), claim)),
                                None => {}
                            }
                        }
                        Err(Refusal::Rejected(why)) => {
                            end = if let AttemptEnd::Decided(_) = end { end } else { AttemptEnd::Rejected };
                            trial.rejected.push(why);
                        }
                        Err(Refusal::Undecided(why)) => {
                            end = if end == AttemptEnd::GaveUp { AttemptEnd::NotConfirmed } else { end };
                            trial.reason = Some(why.into());
                        }
                    }
                }
            }
        }
        attempts.push(Attempt { engine: engine.name(), effort, begin: began, search, check, end });
        trials.push(trial);
        if !decisions.is_empty() && !options.audit {
            break;
        }
    }
    *time += begin.elapsed();
}

fn decision(claim: &Claim) -> Option<Decision> {
    match claim.property {
        Property::Terminates(_) => Some(Decision::Terminates),
        Property::Diverges(_) => Some(Decision::Diverges),
        _ => None,
    }
}
