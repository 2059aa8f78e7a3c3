//! From a transition system to checked verdicts.

use crate::source::Source;
use lariat_check::{Condition, Proved, System, SystemDefect, check, program};
use lariat_engines::Effort;
use lariat_engines::portfolio::{self, Judge, LoopResult, Options, Portfolio, Refusal, Trial};
use lariat_ir::neutral::{self, Recursion};
use lariat_ir::{Claim, Integers, LocId, Location, LoopForest, LoopId, Property, Proves, TransitionSystem};
use lariat_smt::{Limit, Room, Solver, Z3Solver};
use std::cell::OnceCell;
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
pub fn analyze(ts: &TransitionSystem, settings: &Settings) -> Result<Analysis, SystemDefect> {
    lariat_smt::fresh_context();
    analyze_next(ts, settings, &Room::default())
}

/// Decides a system after others of the same program. The checker's solver lives in the room, where no engine asks anything.
pub(crate) fn analyze_next(
    ts: &TransitionSystem,
    settings: &Settings,
    checkers: &Room,
) -> Result<Analysis, SystemDefect> {
    let deadline = Instant::now() + settings.timeout;
    let mut inquiry = Inquiry::new(ts, checkers, deadline)?;
    for effort in Effort::ALL {
        inquiry.advance(effort, settings, deadline, &|_| false);
    }
    Ok(inquiry.analysis(deadline))
}

/// The work on one system.
struct Inquiry<'a> {
    system: System<'a>,
    portfolio: Portfolio,
    proved: Vec<(&'static str, Proved)>,
    /// The checker's, in a context in which no engine asks anything.
    solver: Z3Solver,
    /// What follows for the whole, from all that is proved.
    conclusion: Option<Conclusion>,
    time: Duration,
}

impl<'a> Inquiry<'a> {
    fn new(ts: &'a TransitionSystem, checkers: &Room, deadline: Instant) -> Result<Self, SystemDefect> {
        let begin = Instant::now();
        let system = System::verify(ts, &mut Z3Solver::new(), until(deadline))?;
        let portfolio = Portfolio::default();
        let solver = Z3Solver::in_room(checkers);
        Ok(Self { system, portfolio, proved: Vec::new(), solver, conclusion: None, time: begin.elapsed() })
    }

    /// Runs the engines on the loops that are open.
    fn advance(&mut self, effort: Effort, settings: &Settings, deadline: Instant, skip: &dyn Fn(&Location) -> bool) {
        let begin = Instant::now();
        let options = Options {
            only: settings.only.clone(),
            audit: settings.audit,
            most: Effort::Full,
            limit: Limit::default(),
            deadline,
        };
        let system = &self.system;
        let mut judge = Checker { system, proved: &mut self.proved, solver: &mut self.solver, deadline };
        let forest = system.forest();
        let skip = |id: LoopId| skip(&system.ts().locs[forest.loops[id].header]);
        self.portfolio.run((system.ts(), forest, system.hash()), effort, &options, &skip, &mut judge);
        self.conclusion = None;
        self.time += begin.elapsed();
    }

    /// Whether it was proved that a loop ends, from every initial state.
    fn ends(&self, header: LocId) -> bool {
        let all = self.system.ts().terms.tt();
        let mut claims = self.proved.iter().map(|(_, p)| p.claim());
        claims.any(|c| c.property == Property::Terminates(header) && c.when == all)
    }

    /// Whether the verdict on the loop that stands for the one with this header in another system is known.
    fn decides(&self, header: &Location) -> bool {
        let forest = self.system.forest();
        let here = counterpart_among(header, self.system.ts(), forest).map(|id| forest.loops[id].header);
        let hangs = |h| self.proved.iter().any(|(_, p)| p.claim().property == Property::Diverges(h));
        here.is_some_and(|h| self.ends(h) || hangs(h))
    }

    /// Whether the program and each of its loops end, from every initial state: then no run for ever can be found elsewhere.
    fn leaves_nothing_open(&mut self, deadline: Instant) -> bool {
        self.system.forest().loops.iter().all(|l| self.ends(l.header))
            && self.conclusion(deadline).verdict == Verdict::Terminates
    }

    fn conclusion(&mut self, deadline: Instant) -> &Conclusion {
        let (solver, begin) = (&mut self.solver, Instant::now());
        let found =
            self.conclusion.get_or_insert_with(|| conclude(&self.system, &self.proved, solver, until(deadline)));
        self.time += begin.elapsed();
        found
    }

    /// What is known so far.
    fn analysis(&mut self, deadline: Instant) -> Analysis {
        let Conclusion { verdict, program, reason } = self.conclusion(deadline).clone();
        Analysis {
            verdict,
            program,
            proved: self.proved.clone(),
            loops: self.portfolio.results().to_vec(),
            forest: self.system.forest().clone(),
            reason,
            contradictions: contradictions(&self.system, &self.proved),
            time: self.time,
        }
    }
}

/// The verdict on a whole system, with its proof or the reason why there is none.
#[derive(Clone)]
struct Conclusion {
    verdict: Verdict,
    program: Option<Proved>,
    reason: Option<String>,
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
    /// Replaces what was known of one of its systems.
    pub fn know(&mut self, number: usize, study: Study) {
        match self.studies.get_mut(number) {
            Some(known) => *known = study,
            None => self.studies.push(study),
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

/// Why nothing is known of a loop that was still being looked at.
pub const TIME_IS_UP: &str = "the time was up";

/// The same, where memory was short.
pub const MEMORY_IS_UP: &str = "the memory was up";

/// Decides an entry of a program in one integer semantics, within the time of the settings.
pub fn analyze_entry(name: &str, program: &neutral::Program, integers: Integers, settings: &Settings) -> EntryStudy {
    let mut entry = EntryStudy::of(name, program);
    study_systems(program, integers, settings, &Room::default(), &mut |i, study| entry.know(i, study));
    entry.compare();
    entry
}

/// Looks at the systems of a program in one integer semantics, and tells what is known of each by its number: first that there
/// is one, last all that was found. The systems take turns, so that nobody searches long for what another one shows soon.
pub fn study_systems(
    program: &neutral::Program,
    integers: Integers,
    settings: &Settings,
    checkers: &Room,
    told: &mut dyn FnMut(usize, Study),
) {
    // What the solver says must not depend on what this thread did before.
    lariat_smt::fresh_context();
    let deadline = Instant::now() + settings.timeout;
    let forms = program.systems(integers);
    let lowered: Vec<OnceCell<TransitionSystem>> = forms.iter().map(|_| OnceCell::new()).collect();
    let mut inquiries: Vec<Result<Inquiry<'_>, String>> = Vec::new();
    let mut turns = Effort::ALL.len() * forms.len();
    'turns: for effort in Effort::ALL {
        for (i, &(form, target)) in forms.iter().enumerate() {
            if effort == Effort::Quick {
                let ts = lowered[i].get_or_init(|| neutral::lower(form, target));
                told(i, Study { ts: ts.clone(), analysis: undecided(ts, TIME_IS_UP) });
                let left = deadline.saturating_duration_since(Instant::now());
                inquiries.push(if left < TOO_LITTLE {
                    Err("the time was up before it could be looked at".to_owned())
                } else {
                    Inquiry::new(ts, checkers, deadline).map_err(|defect| defect.message)
                });
            }
            let share = portfolio::share(deadline, turns);
            turns -= 1;
            let (before, rest) = inquiries.split_at_mut(i);
            let Some((Ok(this), behind)) = rest.split_first_mut() else { continue };
            let others: Vec<&Inquiry<'_>> = before.iter().chain(&*behind).flatten().collect();
            if effort == Effort::Full {
                let ts = this.system.ts().clone();
                told(i, Study { ts, analysis: this.analysis(deadline) });
            }
            this.advance(effort, settings, share, &|header| others.iter().any(|o| o.decides(header)));
            if !settings.audit && this.leaves_nothing_open(deadline) {
                break 'turns;
            }
        }
    }
    let analyses: Vec<_> = inquiries.into_iter().map(|i| i.map(|mut i| i.analysis(deadline))).collect();
    for (i, (ts, analysis)) in lowered.into_iter().filter_map(OnceCell::into_inner).zip(analyses).enumerate() {
        let analysis = analysis.unwrap_or_else(|reason| undecided(&ts, &reason));
        told(i, Study { ts, analysis });
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
    counterpart_among(here, &other.ts, &other.analysis.forest)
}

fn counterpart_among(here: &Location, ts: &TransitionSystem, forest: &LoopForest) -> Option<LoopId> {
    let loops = || forest.loops.entries().map(|(id, l)| (id, &ts.locs[l.header]));
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

/// The limit of the checker's queries: a third of a second in all beyond the time, since an engine may have used it up.
fn until(deadline: Instant) -> Limit {
    Limit::default().until(deadline + Duration::from_millis(330))
}

/// The checker as the portfolio's judge: keeps what it accepts.
struct Checker<'a> {
    system: &'a System<'a>,
    proved: &'a mut Vec<(&'static str, Proved)>,
    solver: &'a mut Z3Solver,
    deadline: Instant,
}

impl Judge for Checker<'_> {
    fn submit(&mut self, engine: &'static str, claim: &Claim) -> Result<(), Refusal> {
        match check(self.system, claim, self.solver, until(self.deadline)) {
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
) -> Conclusion {
    let unknown = |reason| Conclusion { verdict: Verdict::Unknown, program: None, reason: Some(reason) };
    let known = |verdict, program| Conclusion { verdict, program: Some(program), reason: None };
    let parts: Vec<Proved> = proved.iter().map(|(_, p)| p.clone()).collect();
    let ts = system.ts();
    if let Some(p) = parts.iter().find(|p| matches!(p.claim().property, Property::Diverges(_))) {
        let when = p.claim().when;
        if let Ok(program) = program::conclude(system, Property::ProgramDiverges, when, &parts, solver, limit) {
            return known(Verdict::Diverges, program);
        }
    }
    if ts.proves == Proves::Diverges {
        return unknown("no loop was proved to run for ever, and this system carries no other verdict".to_owned());
    }
    match program::conclude(system, Property::ProgramTerminates, ts.terms.tt(), &parts, solver, limit) {
        Ok(program) => known(Verdict::Terminates, program),
        Err(rejection) => unknown(format!("{}: {}", rejection.condition.name(), rejection.detail)),
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
