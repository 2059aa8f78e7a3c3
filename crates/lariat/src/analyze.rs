//! From a transition system to checked verdicts.

use crate::source::Source;
use lariat_check::{Condition, Proved, System, SystemDefect, check, program};
use lariat_engines::portfolio::{self, Judge, LoopResult, Options, Refusal, Trial};
use lariat_ir::neutral::{self, Recursion};
use lariat_ir::{Claim, Integers, LocId, Location, LoopForest, LoopId, Property, Proves, TransitionSystem};
use lariat_smt::{Limit, Solver, Z3Solver};
use std::collections::{BTreeMap, BTreeSet};
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

/// A system and what was found about it.
#[derive(Debug)]
pub struct Study {
    /// The system.
    pub ts: TransitionSystem,
    /// What was found.
    pub analysis: Analysis,
}

/// What was found about one entry.
#[derive(Debug)]
pub struct EntryStudy {
    /// The entry's name.
    pub name: String,
    /// Its systems: one, or, in the semantics `c` and for a program with recursion, the one that carries proofs of termination
    /// and then, unless that one left nothing open, the one that carries proofs of divergence.
    pub studies: Vec<Study>,
    /// What the other integer semantics say, where they were asked.
    pub beside: Vec<Study>,
    /// Why there are no systems, or not all.
    pub reason: Option<String>,
    /// What the systems do not say of its source.
    pub source: Source,
    /// Verdicts on different systems that contradict each other. A bug in the lowering or in the checker.
    pub contradictions: Vec<String>,
    /// The names of the locations of each recursive function's calls, by that of the location where it is entered again; for the
    /// system that carries proofs of termination.
    pub inside: BTreeMap<String, BTreeSet<String>>,
}

impl EntryStudy {
    /// An entry of a program, before anything is known of it.
    pub fn of(name: &str, program: &neutral::Program) -> Self {
        Self { source: Source::of(program), inside: inside_recursions(program), ..Self::named(name) }
    }
    /// An entry of which only the name is known.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            studies: Vec::new(),
            beside: Vec::new(),
            reason: None,
            source: Source::default(),
            contradictions: Vec::new(),
            inside: BTreeMap::new(),
        }
    }
    /// Looks for verdicts of its systems that contradict each other.
    pub fn compare(&mut self) {
        if let [ends, hangs] = self.studies.as_slice() {
            self.contradictions = contradictions_between(&self.name, ends, hangs);
        }
    }
}

fn inside_recursions(program: &neutral::Program) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    if let Recursion::Resumed { ending } = &program.recursion
        && let Recursion::Skipped { inside } = &ending.recursion
    {
        let name = |n: &usize| ending.locs[*n].name.clone();
        all.extend(inside.iter().map(|(entry, locs)| (name(entry), locs.iter().map(name).collect())));
    }
    all
}

/// The time that is left is not worth a start: the checks alone would exceed it.
const TOO_LITTLE: Duration = Duration::from_millis(20);

/// Decides an entry of a program in one integer semantics, within the time of the settings.
pub fn analyze_entry(
    name: &str,
    program: &neutral::Program,
    integers: Integers,
    settings: &Settings,
    progress: &mut dyn FnMut(usize, usize),
) -> EntryStudy {
    let mut entry = EntryStudy::of(name, program);
    study_systems(program, integers, settings, progress, &mut |step| {
        if let Step::Done(study) = step {
            entry.studies.push(*study);
        }
    });
    entry.compare();
    entry
}

/// A step of [`study_systems`].
#[derive(Debug)]
pub enum Step<'a> {
    /// This system is looked at next.
    Begun(&'a TransitionSystem),
    /// What was found about it.
    Done(Box<Study>),
}

/// Looks at the systems of a program in one integer semantics, one after the other, and hands on what was found.
pub fn study_systems(
    program: &neutral::Program,
    integers: Integers,
    settings: &Settings,
    progress: &mut dyn FnMut(usize, usize),
    told: &mut dyn FnMut(Step<'_>),
) {
    let deadline = Instant::now() + settings.timeout;
    let systems = program.systems(integers);
    for (i, &(form, target)) in systems.iter().enumerate() {
        let ts = neutral::lower(form, target);
        told(Step::Begun(&ts));
        let left = deadline.saturating_duration_since(Instant::now());
        // What one system leaves over is the next one's.
        let share = left / u32::try_from(systems.len() - i).expect("an entry has one or two systems");
        let analysis = if left < TOO_LITTLE {
            undecided(&ts, "the time was up before it could be looked at")
        } else {
            let settings = Settings { timeout: share, ..settings.clone() };
            analyze(&ts, &settings, progress).unwrap_or_else(|defect| undecided(&ts, &defect.message))
        };
        let settled = leaves_nothing_open(&ts, &analysis);
        told(Step::Done(Box::new(Study { ts, analysis })));
        if settled && !settings.audit {
            break;
        }
    }
}

/// What is known of a system at which nobody could look.
pub fn undecided(ts: &TransitionSystem, reason: &str) -> Analysis {
    let forest = LoopForest::of(ts);
    let trial = || Trial { engine: "lariat", reason: Some(reason.to_owned()), rejected: Vec::new() };
    let loops = forest
        .loops
        .ids()
        .map(|id| LoopResult { id, decisions: Vec::new(), trials: vec![trial()], time: Duration::ZERO })
        .collect();
    Analysis {
        verdict: Verdict::Unknown,
        program: None,
        proved: Vec::new(),
        loops,
        forest,
        reason: Some(reason.to_owned()),
        contradictions: Vec::new(),
        time: Duration::ZERO,
    }
}

/// Whether the program and each of its loops end, from every initial state: then no run for ever can be found elsewhere.
fn leaves_nothing_open(ts: &TransitionSystem, analysis: &Analysis) -> bool {
    analysis.verdict == Verdict::Terminates
        && analysis.forest.loops.iter().all(|l| {
            let mut claims = analysis.proved.iter().map(|(_, p)| p.claim());
            claims.any(|c| c.property == Property::Terminates(l.header) && c.when == ts.terms.tt())
        })
}

/// The name of a location in the program that a system was made from. The lowering may put a location in front, where
/// unknown values are chosen, and the header of a loop may be the one or the other.
pub fn source_name(name: &str) -> &str {
    match name.rsplit_once(".chosen") {
        Some((base, rest)) if rest.strip_prefix('.').map_or(rest.is_empty(), |n| n.parse::<u32>().is_ok()) => base,
        _ => name,
    }
}

/// The loop of another system of the same program that stands for a loop of this one: the one whose header has the same
/// name, or else the only one at the same place.
pub fn counterpart(ts: &TransitionSystem, header: LocId, other: &Study) -> Option<LoopId> {
    counterpart_of(&ts.locs[header], other)
}

/// The loop of a system that stands for the loop of another one with this header.
pub fn counterpart_of(here: &Location, other: &Study) -> Option<LoopId> {
    let loops = || other.analysis.forest.loops.entries().map(|(id, l)| (id, &other.ts.locs[l.header]));
    let named = loops().find(|(_, l)| source_name(&l.name) == source_name(&here.name)).map(|(id, _)| id);
    named.or_else(|| {
        here.span.as_ref()?;
        let mut same = loops().filter(|(_, l)| l.span == here.span && l.function == here.function);
        same.next().filter(|_| same.next().is_none()).map(|(id, _)| id)
    })
}

/// Loops, and the entry, that were proved to end on one system and to run for ever on the other.
pub(crate) fn contradictions_between(name: &str, ends: &Study, hangs: &Study) -> Vec<String> {
    let body = |study: &Study, header: LocId| -> Option<BTreeSet<String>> {
        let id = study.analysis.forest.with_header(header)?;
        let locs = study.analysis.forest.loops[id].body.iter();
        Some(locs.map(|l| source_name(&study.ts.locs[*l].name).to_owned()).collect())
    };
    let mut found = Vec::new();
    for (ending, a) in &ends.analysis.proved {
        let Property::Terminates(end) = a.claim().property else { continue };
        if a.claim().when != ends.ts.terms.tt() {
            continue;
        }
        for (hanging, b) in &hangs.analysis.proved {
            let Property::Diverges(hang) = b.claim().property else { continue };
            // A run that stays in a part of the one loop stays in the other one.
            let inside = body(hangs, hang).zip(body(ends, end)).is_some_and(|(inner, outer)| inner.is_subset(&outer));
            if inside {
                let at = &ends.ts.locs[end].name;
                found.push(format!(
                    "the loop at `{at}` of `{name}`: {ending} proved that it ends, {hanging} that it runs for ever"
                ));
            }
        }
    }
    if ends.analysis.verdict == Verdict::Terminates && hangs.analysis.verdict == Verdict::Diverges {
        found.push(format!("`{name}` was proved to end and to run for ever"));
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_location_where_values_are_chosen_has_the_name_of_its_source() {
        for (name, source) in [
            ("head", "head"),
            ("head.chosen", "head"),
            ("head.chosen.2", "head"),
            ("a.chosen.b", "a.chosen.b"),
            ("a.chosen.chosen", "a.chosen"),
        ] {
            assert_eq!(source_name(name), source);
        }
    }
}
