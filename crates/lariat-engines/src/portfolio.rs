//! Runs the engines on the loops of a system, by cost, and hands their claims to the judge.

use crate::board::Board;
use crate::engine::{Applies, Engine, EngineCx, Outcome, Task};
use lariat_ir::{Claim, LoopForest, LoopId, Property, SystemHash, TransitionSystem};
use lariat_smt::Limit;
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// The engines, cheapest first.
pub const ENGINES: &[&dyn Engine] = &[&crate::orbit::Orbit, &crate::rank::Ranking, &crate::closed::ClosedSet];

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
    pub reason: Option<String>,
    /// Claims that the judge rejected, with the reason: each is a bug of the engine.
    pub rejected: Vec<String>,
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
    /// How long it took.
    pub time: Duration,
}

/// Runs the engines on every loop, inner loops first. `progress` is told the number of each loop that is done.
pub fn run(
    ts: &TransitionSystem,
    forest: &LoopForest,
    hash: SystemHash,
    options: &Options,
    judge: &mut dyn Judge,
    progress: &mut dyn FnMut(usize),
) -> Vec<LoopResult> {
    let mut results = Vec::new();
    let mut hanging = Vec::new();
    let board = Board::default();
    for id in forest.loops.ids() {
        let task = Task { ts, forest, hash, id, board: &board };
        let share = share(options.deadline, forest.loops.len() - results.len());
        results.push(decide(&task, options, share, judge, &mut hanging));
        progress(results.len());
    }
    results
}

/// When one of several loops, or of several engines, has used up its part of the time: what is left is shared by those that are
/// still to come, and what one leaves over is theirs. Nobody gets less than a start is worth, as long as there is time.
fn share(deadline: Instant, to_come: usize) -> Instant {
    const LEAST: Duration = Duration::from_millis(200);
    let now = Instant::now();
    let left = deadline.saturating_duration_since(now);
    let parts = u32::try_from(to_come.max(1)).unwrap_or(u32::MAX);
    // Most loops take far less than their part, so twice the part is still fair.
    deadline.min(now + (left / parts * 2).max(LEAST))
}

/// Accepted claims that a loop runs for ever, each with its loop and its engine.
type Hanging = Vec<(LoopId, &'static str, Claim)>;

fn decide(
    task: &Task<'_>,
    options: &Options,
    deadline: Instant,
    judge: &mut dyn Judge,
    hanging: &mut Hanging,
) -> LoopResult {
    let begin = Instant::now();
    let mut decisions = Vec::new();
    let mut trials = Vec::new();
    // A run that never leaves an inner loop never leaves this one: the same certificate shows both.
    if let Some((_, engine, claim)) = hanging.iter().find(|(inner, ..)| task.forest.is_inside(*inner, task.id)) {
        let claim = Claim { property: Property::Diverges(task.this().header), ..claim.clone() };
        if judge.submit(engine, &claim).is_ok() {
            decisions.push((Decision::Diverges, *engine));
            hanging.push((task.id, engine, claim));
            if !options.audit {
                return LoopResult { id: task.id, decisions, trials, time: begin.elapsed() };
            }
        }
    }
    for (nth, engine) in ENGINES.iter().enumerate() {
        if options.only.as_deref().is_some_and(|only| only != engine.name()) {
            continue;
        }
        let mut trial = Trial { engine: engine.name(), reason: None, rejected: Vec::new() };
        if Instant::now() >= deadline {
            trial.reason = Some("the time was up before it could run".into());
            trials.push(trial);
            continue;
        }
        match engine.applies(task) {
            Applies::Elsewhere => continue,
            Applies::No(reason) => trial.reason = Some(reason),
            Applies::Yes => {
                let mut cx = EngineCx {
                    audit: options.audit,
                    limit: options.limit,
                    deadline: share(deadline, ENGINES.len() - nth),
                    gave_up: RefCell::default(),
                };
                match engine.run(task, &mut cx) {
                    Outcome::GaveUp(mut reason) => {
                        if let Some(why) = cx.gave_up.borrow().as_ref() {
                            reason = format!("{reason}; {why}");
                        }
                        trial.reason = Some(reason);
                    }
                    Outcome::Claims(claims) => {
                        for claim in claims {
                            match judge.submit(engine.name(), &claim) {
                                Ok(()) => {
                                    let found = decision(&claim);
                                    decisions.extend(found.map(|d| (d, engine.name())));
                                    if found == Some(Decision::Diverges) {
                                        hanging.push((task.id, engine.name(), claim));
                                    }
                                }
                                Err(Refusal::Rejected(why)) => trial.rejected.push(why),
                                Err(Refusal::Undecided(why)) => trial.reason = Some(why),
                            }
                        }
                    }
                }
            }
        }
        trials.push(trial);
        if !decisions.is_empty() && !options.audit {
            break;
        }
    }
    LoopResult { id: task.id, decisions, trials, time: begin.elapsed() }
}

fn decision(claim: &Claim) -> Option<Decision> {
    match claim.property {
        Property::Terminates(_) => Some(Decision::Terminates),
        Property::Diverges(_) => Some(Decision::Diverges),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_stand_in_the_order_of_their_cost() {
        assert!(ENGINES.is_sorted_by_key(|e| e.cost()));
    }
}
