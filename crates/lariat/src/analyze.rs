//! From a transition system to checked verdicts.

use lariat_check::{Condition, Proved, System, SystemDefect, check, program};
use lariat_engines::portfolio::{self, Judge, LoopResult, Options, Refusal};
use lariat_ir::{Claim, Property, Proves};
use lariat_ir::{LoopForest, TransitionSystem};
use lariat_smt::{Limit, Solver, Z3Solver};
use std::time::{Duration, Instant};

/// A verdict, of a loop or of the whole program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every run ends.
    Terminates,
    /// Some run does not.
    Diverges,
    /// Neither was proved.
    Unknown,
}

impl Verdict {
    /// As results write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Terminates => "terminates",
            Self::Diverges => "diverges",
            Self::Unknown => "unknown",
        }
    }
}

/// How to analyse.
#[derive(Clone, Debug)]
pub struct Settings {
    /// For each program. Default is ten seconds.
    pub timeout: Duration,
    /// Only the engine of this name.
    pub only: Option<String>,
    /// Every engine runs to its end, and verdicts that contradict each other are a failure.
    pub audit: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(10), only: None, audit: false }
    }
}

/// What was found about one system.
#[derive(Debug)]
pub struct Analysis {
    /// The verdict on the whole.
    pub verdict: Verdict,
    /// Its proof.
    pub program: Option<Proved>,
    /// Every accepted claim with the engine that made it.
    pub proved: Vec<(&'static str, Proved)>,
    /// What happened to each loop, inner loops first.
    pub loops: Vec<LoopResult>,
    /// The loops.
    pub forest: LoopForest,
    /// Why the verdict on the whole is unknown.
    pub reason: Option<String>,
    /// With `audit`: loops for which contradicting claims were accepted. A bug in the checker.
    pub contradictions: Vec<String>,
    /// How long it took.
    pub time: Duration,
}

/// Decides the loops of a system and the system.
pub fn analyze(
    ts: &TransitionSystem,
    settings: &Settings,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Analysis, SystemDefect> {
    let begin = Instant::now();
    let deadline = begin + settings.timeout;
    lariat_smt::fresh_context();
    let system = System::verify(ts, &mut Z3Solver::new(), until(deadline))?;
    let options = Options { only: settings.only.clone(), audit: settings.audit, limit: Limit::default(), deadline };
    let mut judge = Checker { system: &system, proved: Vec::new(), solver: None, deadline };
    let total = system.forest().loops.len();
    let loops =
        portfolio::run(ts, system.forest(), system.hash(), &options, &mut judge, &mut |done| progress(done, total));
    let Checker { proved, solver, .. } = judge;
    let mut solver = solver.unwrap_or_else(Z3Solver::isolated);
    let contradictions = contradictions(&system, &proved);
    let (verdict, program, reason) = conclude(&system, &proved, &mut solver, until(deadline));
    Ok(Analysis {
        verdict,
        program,
        proved,
        loops,
        forest: system.forest().clone(),
        reason,
        contradictions,
        time: begin.elapsed(),
    })
}

/// The limit of the checker's queries: half a second in all beyond the time, since an engine may have used it up.
fn until(deadline: Instant) -> Limit {
    Limit::default().until(deadline + Duration::from_millis(500))
}

/// The checker as the portfolio's judge: keeps what it accepts.
struct Checker<'a> {
    system: &'a System<'a>,
    proved: Vec<(&'static str, Proved)>,
    /// In a context of its own, so that nothing an engine asked can be in it.
    solver: Option<Z3Solver>,
    deadline: Instant,
}

impl Judge for Checker<'_> {
    fn submit(&mut self, engine: &'static str, claim: &Claim) -> Result<(), Refusal> {
        let solver = self.solver.get_or_insert_with(Z3Solver::isolated);
        match check(self.system, claim, solver, until(self.deadline)) {
            Ok(proved) => {
                self.proved.push((engine, proved));
                Ok(())
            }
            Err(r) if r.condition == Condition::SolverUnknown => {
                Err(Refusal::Undecided(format!("a proof was found, but checking it was too much: {}", r.detail)))
            }
            Err(r) => Err(Refusal::Rejected(r.to_string())),
        }
    }
}

fn conclude(
    system: &System<'_>,
    proved: &[(&'static str, Proved)],
    solver: &mut dyn Solver,
    limit: Limit,
) -> (Verdict, Option<Proved>, Option<String>) {
    let parts: Vec<Proved> = proved.iter().map(|(_, p)| p.clone()).collect();
    let ts = system.ts();
    if let Some(p) = parts.iter().find(|p| matches!(p.claim().property, Property::Diverges(_))) {
        let when = p.claim().when;
        if let Ok(program) = program::conclude(system, Property::ProgramDiverges, when, &parts, solver, limit) {
            return (Verdict::Diverges, Some(program), None);
        }
    }
    if ts.proves == Proves::Diverges {
        let reason = "no loop was proved to run for ever, and this system carries no other verdict".to_owned();
        return (Verdict::Unknown, None, Some(reason));
    }
    match program::conclude(system, Property::ProgramTerminates, ts.terms.tt(), &parts, solver, limit) {
        Ok(program) => (Verdict::Terminates, Some(program), None),
        Err(rejection) => {
            (Verdict::Unknown, None, Some(format!("{}: {}", rejection.condition.name(), rejection.detail)))
        }
    }
}

/// Loops that were proved to end and to run for ever.
fn contradictions(system: &System<'_>, proved: &[(&'static str, Proved)]) -> Vec<String> {
    let mut found = Vec::new();
    for (ends, a) in proved {
        let Property::Terminates(end) = a.claim().property else { continue };
        if a.claim().when != system.ts().terms.tt() {
            continue;
        }
        for (hangs, b) in proved {
            // A loop that ends holds every loop inside it. A claim for some initial states only is no contradiction by
            // itself.
            let Property::Diverges(hang) = b.claim().property else { continue };
            let forest = system.forest();
            let inside = forest
                .with_header(end)
                .zip(forest.with_header(hang))
                .is_some_and(|(outer, inner)| outer == inner || forest.is_inside(inner, outer));
            if inside {
                let name = &system.ts().locs[end].name;
                found.push(format!("the loop at `{name}`: {ends} proved that it ends, {hangs} that it runs for ever"));
            }
        }
    }
    found
}
