//! From a process to a checked verdict: hold it, watch its thread go round in the emulator, let it go, prove.

use super::conditions::{self, Condition};
use lariat_check::{Proved, System, check, program};
use lariat_engines::concolic::{self, Closed, Conclusion, Counter, OpenCause};
use lariat_ir::observed::FreshOrigin;
use lariat_ir::{Assumption, AssumptionKind, Property};
use lariat_live::observe::{Budget, Head, Loop, Trace, iterate};
use lariat_live::others::Others;
use lariat_live::process::{Refused, Target};
use lariat_live::{Machine, Stop, capture};
use lariat_session::results::{ProcessReason, Reason};
use lariat_smt::{Limit, Z3Solver};
use std::time::{Duration, Instant};

/// How to look.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The thread. Default is the one that uses most of the processor.
    pub thread: Option<i32>,
    /// Instructions to emulate at most. Default is four million.
    pub budget: u64,
    /// How long the process may be held, in all. Default is 1500 milliseconds.
    pub hold: Duration,
    /// How long the search may take after the process was released. Default is five seconds.
    pub search: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        let (hold, search) = (Duration::from_millis(1500), Duration::from_secs(5));
        Self { thread: None, budget: 4_000_000, hold, search }
    }
}

/// What was found out about a process.
pub struct Found {
    /// The process.
    pub target: Target,
    /// The thread that was looked at.
    pub thread: i32,
    /// How many threads it has.
    pub threads: usize,
    /// For which part of the time the thread was running.
    pub busy: f64,
    /// How long it was held, in all.
    pub held: Duration,
    /// How long the search took after the process was released.
    pub search: Duration,
    /// Instructions that were emulated in the last round.
    pub emulated: u64,
    /// The program counter at which the thread was held.
    pub address: u64,
    /// What could still end the loop; a proof without any says that the process does not come back.
    pub conditions: Vec<Condition>,
    /// What every proof takes for granted.
    pub assumptions: Vec<Assumption>,
    /// What came out.
    pub outcome: Outcome,
    /// The loop, where one was found.
    pub watched: Option<Watched>,
    /// The mappings of the process.
    pub mappings: Vec<lariat_live::process::Mapping>,
}

/// A loop in a running process.
pub struct Watched {
    /// Its header.
    pub head: Head,
    /// Its iterations.
    pub iterations: Loop,
}

/// A verdict on a running thread.
pub enum Outcome {
    /// It never leaves the loop.
    Proved {
        /// The system of the observed iterations, with the claim that was accepted.
        closed: Box<Closed>,
        /// The proof.
        proved: Box<Proved>,
        /// That the system as a whole runs for ever.
        program: Box<Proved>,
    },
    /// It leaves the loop only when a counter wraps.
    Unbounded {
        /// The counters.
        counters: Vec<Counter>,
        /// When that is, if the pace could be measured.
        leaves_in: Option<Duration>,
    },
    /// It may leave the loop, as far as was found out.
    NotProved {
        /// Why.
        reason: Reason,
        /// A state after which it may, by cell.
        leaves: Vec<(usize, u128)>,
    },
    /// It could not be watched long enough.
    Incomplete {
        /// Why.
        reason: Stop,
        /// Where.
        at: u64,
    },
    /// It does not run: it waits.
    Waits,
}

impl Outcome {
    /// Why it is not known whether it stays in its loop, in words.
    fn not_proved(reason: impl Into<String>) -> Self {
        Self::NotProved { reason: Reason::Process(ProcessReason::NotProved, reason.into()), leaves: Vec::new() }
    }
}

/// Looks at a process.
pub fn attach(target: &Target, settings: &Settings) -> Result<Found, Refused> {
    let mut machine = Machine::new()?;
    let (thread, busy) = match settings.thread {
        Some(t) if target.threads().contains(&t) => (t, 1.0),
        Some(t) => return Err(Refused(format!("process {} has no thread {t}; leave --thread out", target.pid))),
        None => target
            .hottest(Duration::from_millis(60))
            .ok_or_else(|| Refused(format!("process {} has ended", target.pid)))?,
    };
    let timers = conditions::timers(target);
    let mappings = target.mappings()?;
    let mut found = Found {
        target: target.clone(),
        thread,
        threads: target.threads().len(),
        busy,
        held: Duration::ZERO,
        search: Duration::ZERO,
        emulated: 0,
        address: 0,
        conditions: conditions::seen(target, thread, &mappings),
        assumptions: conditions::standing(),
        outcome: Outcome::Waits,
        watched: None,
        mappings,
    };
    if settings.thread.is_none() && busy < 0.02 && !target.is_runnable(thread) {
        return Ok(found);
    }
    let others = Others::see(target, &found.mappings);
    let begin = Instant::now();
    let mut budget = settings.budget.min(40_000);
    loop {
        let left = settings.hold.saturating_sub(found.held);
        let until = Instant::now() + left;
        let held = target.hold(left)?;
        let cpu = capture(target, &held, thread, &others)?;
        found.address = cpu.rip;
        let trace = Trace::record(&mut machine, cpu, Budget { instructions: budget, until });
        found.held += held.release();
        let trace = trace.seal();
        found.emulated = trace.length;
        let released = Instant::now();
        let conclusive = conclude(&mut machine, &trace, &mut found, released + settings.search);
        found.search = released.elapsed();
        qualify(&mut found, &trace, &others);
        let over = found.held + Duration::from_millis(20) >= settings.hold || budget >= settings.budget;
        let out_of_time = begin.elapsed() > settings.search + settings.hold;
        if conclusive || over || out_of_time || !matches!(trace.stop, Stop::Budget) {
            break;
        }
        budget = (budget * 10).min(settings.budget);
    }
    if let (Some(reason), Outcome::Proved { .. } | Outcome::Unbounded { .. }) = (timers, &found.outcome) {
        found.outcome = Outcome::not_proved(reason);
    }
    if let Outcome::Unbounded { counters, .. } = &found.outcome {
        let pace = pace(target, &found, counters, &others);
        if let Outcome::Unbounded { leaves_in, .. } = &mut found.outcome {
            *leaves_in = pace;
        }
    }
    Ok(found)
}

/// What a proof rests on is looked at once more, now that it is known what it reads.
///
/// The process was looked at before it was held. Who came in between and was gone again by now has not been seen, and may have
/// written; who came and stayed is seen here. The thread itself brings nobody: since it was held it has made no system call.
fn qualify(found: &mut Found, trace: &Trace, before: &Others) {
    if let Outcome::NotProved { reason: Reason::Process(ProcessReason::OthersWrite, text), .. } = &mut found.outcome
        && !before.writers.is_empty()
    {
        *text = format!("{text}: {}", before.writers.join(", "));
    }
    if !matches!(found.outcome, Outcome::Proved { .. } | Outcome::Unbounded { .. }) {
        return;
    }
    let target = found.target.clone();
    let mappings = target.mappings().unwrap_or_default();
    if mappings.is_empty() {
        found.outcome = Outcome::not_proved("it has ended while it was looked at");
        return;
    }
    for c in conditions::seen(&target, found.thread, &mappings) {
        if !found.conditions.contains(&c) {
            found.conditions.retain(|old| old.kind() != c.kind() || old.kind() == "limit");
            found.conditions.push(c);
        }
    }
    if let Some(w) = &found.watched {
        found.conditions.extend(trace.files(&w.iterations).into_iter().map(Condition::File));
    }
    let refuted = if Others::see(&target, &mappings).are_more_than(before) {
        Err("while it was looked at, somebody else got access to its memory or its files; try again".to_owned())
    } else {
        still_there(found, before).and_then(|()| conditions::of_memory(&target.oddities(&trace.pages())))
    };
    match refuted {
        Ok(more) => found.conditions.extend(more),
        Err(reason) => found.outcome = Outcome::not_proved(reason),
    }
}

/// Whether the thread is still in the loop. No part of a proof: what it would find is a condition that came true meanwhile, or a bug of ours.
fn still_there(found: &mut Found, others: &Others) -> Result<(), String> {
    let held = found.target.hold_one(found.thread, PATIENCE).map_err(|e| e.to_string())?;
    let now = capture(&found.target, &held, found.thread, others).map(|cpu| cpu.rip);
    found.held += held.release();
    let now = now.map_err(|e| e.to_string())?;
    match &found.watched {
        Some(w) if !w.iterations.code.contains(&now) => {
            Err("it is elsewhere by now: it has left the loop, or is in a handler of a signal".to_owned())
        }
        _ => Ok(()),
    }
}

/// How long a thread may take to come to a halt, where it is held for a moment only.
const PATIENCE: Duration = Duration::from_secs(1);

/// Instructions to run symbolically at one header.
const MOST_SYMBOLIC: u64 = 200_000;
/// Iterations at one header.
const MOST_ITERATIONS: u64 = 6_000;

/// Tries the headers of a trace, the outermost first. Whether there is nothing more to find by a longer trace.
fn conclude(machine: &mut Machine, trace: &Trace, found: &mut Found, until: Instant) -> bool {
    found.outcome = Outcome::Incomplete { reason: trace.stop.clone(), at: trace.stopped_at };
    found.watched = None;
    let mut assumptions = found.assumptions.clone();
    assumptions.extend(
        found.conditions.iter().map(|c| {
            Assumption::everywhere(AssumptionKind::NotEnded, format!("not that {}", c.text("what is watched")))
        }),
    );
    for head in trace.heads().into_iter().take(8) {
        // Few iterations first: most loops close after one or two.
        let mut wanted = 3u64;
        let mut hopeless = false;
        loop {
            if Instant::now() > until {
                return false;
            }
            let wanted_now = wanted.min(head.visits - 1);
            let each = head.span / (head.visits - 1).max(1);
            if wanted_now > 3 && wanted_now * each > MOST_SYMBOLIC || wanted > MOST_ITERATIONS {
                break;
            }
            let Ok(iterations) = iterate(machine, trace, head, wanted_now) else { break };
            match concolic::close(&iterations.observed, &assumptions, until) {
                Conclusion::Closed(_) if !head.foreseen => {
                    let reason = "whether it comes to this loop depends on something that differs each time";
                    found.outcome = Outcome::not_proved(reason);
                    found.watched = Some(Watched { head, iterations });
                    break;
                }
                Conclusion::Closed(closed) => match checked(&closed) {
                    Ok((proved, program)) => {
                        let (proved, program) = (Box::new(proved), Box::new(program));
                        found.outcome = Outcome::Proved { closed, proved, program };
                        found.watched = Some(Watched { head, iterations });
                        return true;
                    }
                    Err(why) => {
                        found.outcome = Outcome::not_proved(format!("the checker did not accept the proof: {why}"));
                        found.watched = Some(Watched { head, iterations });
                    }
                },
                Conclusion::Unbounded(_) if !head.foreseen => break,
                Conclusion::Unbounded(counters) => {
                    found.outcome = Outcome::Unbounded { counters, leaves_in: None };
                    found.watched = Some(Watched { head, iterations });
                    return true;
                }
                Conclusion::Open { reason, leaves, cause } => {
                    // More iterations do not make what differs each time the same.
                    hopeless = matches!(cause, OpenCause::Fresh(_));
                    let better = matches!(found.outcome, Outcome::Incomplete { .. });
                    if better && matches!(trace.stop, Stop::Budget | Stop::Time) {
                        let kind = match cause {
                            OpenCause::Fresh(FreshOrigin::Others(_)) => ProcessReason::OthersWrite,
                            OpenCause::Fresh(FreshOrigin::Instruction) | OpenCause::AnotherWay => {
                                ProcessReason::NotProved
                            }
                        };
                        found.outcome = Outcome::NotProved { reason: Reason::Process(kind, reason), leaves };
                        found.watched = Some(Watched { head, iterations });
                    }
                }
            }
            if hopeless {
                // Nor does a longer trace.
                return true;
            }
            if wanted_now < wanted || wanted_now == head.visits - 1 {
                break;
            }
            wanted *= 4;
        }
    }
    // Where the run stopped for a reason of its own a longer one would stop there, too.
    !matches!(trace.stop, Stop::Budget | Stop::Time)
}

/// The claim goes to the checker, with a system and a solver of its own.
fn checked(closed: &Closed) -> Result<(Proved, Proved), String> {
    let limit = Limit::default();
    let system = System::verify(&closed.ts, &mut Z3Solver::isolated().direct(), limit).map_err(|d| d.to_string())?;
    let mut solver = Z3Solver::isolated().direct();
    let proved = check(&system, &closed.claim, &mut solver, limit).map_err(|r| r.to_string())?;
    let (whole, when) = (Property::ProgramDiverges, closed.claim.when);
    let parts = [proved.clone()];
    let program = program::conclude(&system, whole, when, &parts, &mut solver, limit).map_err(|r| r.to_string())?;
    Ok((proved, program))
}

/// When the first counter wraps, by how far it comes in a moment.
fn pace(target: &Target, found: &Found, counters: &[Counter], others: &Others) -> Option<Duration> {
    let w = found.watched.as_ref()?;
    let counter = counters.iter().min_by_key(|c| c.iterations)?;
    let place = w.iterations.places[counter.cell];
    let width = w.iterations.observed.cells[counter.cell].width;
    let look = || -> Option<(Instant, u128)> {
        let held = target.hold_one(found.thread, PATIENCE).ok()?;
        let mut cpu = capture(target, &held, found.thread, others).ok()?;
        let value = cpu.cell(place)?;
        Some((Instant::now(), value))
    };
    let (t0, v0) = look()?;
    std::thread::sleep(Duration::from_millis(100));
    let (t1, v1) = look()?;
    let mask = lariat_ir::Bits::mask(width);
    let moved = if counter.step > 0 { v1.wrapping_sub(v0) & mask } else { v0.wrapping_sub(v1) & mask };
    let seconds = (t1 - t0).as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let (moved, left) = (moved as f64, counter.iterations as f64 * counter.step.unsigned_abs() as f64);
    let estimate = left * seconds / moved;
    (moved > 0.0 && estimate < 1e15).then(|| Duration::from_secs_f64(estimate))
}
