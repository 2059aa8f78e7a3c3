//! From a transition system to checked verdicts.

use crate::results::{Reason, Stage};
use crate::source::Source;
use lariat_check::compose::{Control, Entry, Extent, Findings};
use lariat_check::view::{Ending, View};
use lariat_check::{Condition, Proved, System, SystemDefect, check, program};
use lariat_engines::portfolio::{self, Judge, LoopResult, Options, Portfolio, Refusal};
use lariat_engines::{Effort, NoClaim};
use lariat_ir::neutral;
use lariat_ir::{
    Claim, Integers, LocId, LocationKind, LoopForest, LoopId, LoopKey, Property, Proves, TransitionSystem, lts,
};
use lariat_smt::{ContextPool, DirectSolver, DirectZ3, Limit, Z3Solver};
use std::cell::OnceCell;
use std::collections::BTreeSet;
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
    pub const fn word(self) -> &'static str {
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
    /// The limit of one question of an engine.
    pub limit: Limit,
}

impl Default for Settings {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(10), only: None, audit: false, limit: Limit::default() }
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
    /// Its control flow.
    pub control: Control,
    /// Whether engines could look at it. If not, `reason` says why.
    pub searched: bool,
    /// Why the verdict on the whole is unknown.
    pub reason: Option<Reason>,
    /// With `audit`: loops for which contradicting claims were accepted. A bug in the checker.
    pub contradictions: Vec<String>,
    /// How long it took.
    pub time: Duration,
}

impl Analysis {
    /// The loops of the system.
    pub fn forest(&self) -> &LoopForest {
        self.control.forest()
    }
}

/// Decides the loops of a system and the system.
pub fn analyze(ts: &TransitionSystem, settings: &Settings) -> Result<Analysis, SystemDefect> {
    lariat_smt::fresh_context();
    analyze_next(ts, settings, &ContextPool::default())
}

/// Decides a system after others of the same program. The checker's solver lives in the room, where no engine asks anything.
pub(crate) fn analyze_next(
    ts: &TransitionSystem,
    settings: &Settings,
    checkers: &ContextPool,
) -> Result<Analysis, SystemDefect> {
    let deadline = Instant::now() + settings.timeout;
    let mut inquiry = Inquiry::new(ts, checkers, deadline)?;
    for effort in Effort::ALL {
        inquiry.advance(effort, settings, deadline, &BTreeSet::new());
    }
    Ok(inquiry.analysis(deadline))
}

/// The work on one system.
pub(crate) struct Inquiry<'a> {
    system: System<'a>,
    control: Control,
    portfolio: Portfolio,
    proved: Vec<(&'static str, Proved)>,
    /// The checker's, in a context in which no engine asks anything.
    solver: DirectZ3,
    /// What follows for the whole, from all that is proved.
    conclusion: Option<Conclusion>,
    time: Duration,
}

impl<'a> Inquiry<'a> {
    pub(crate) fn new(
        ts: &'a TransitionSystem,
        checkers: &ContextPool,
        deadline: Instant,
    ) -> Result<Self, SystemDefect> {
        let begin = Instant::now();
        let system = System::verify(ts, &mut Z3Solver::new().direct(), until(deadline))?;
        let (control, portfolio) = (Control::of(&system), Portfolio::default());
        let solver = Z3Solver::in_pool(checkers).direct();
        Ok(Self { system, control, portfolio, proved: Vec::new(), solver, conclusion: None, time: begin.elapsed() })
    }

    /// Runs the engines on the loops that are open.
    pub(crate) fn advance(&mut self, effort: Effort, settings: &Settings, deadline: Instant, skip: &BTreeSet<LoopId>) {
        let begin = Instant::now();
        let options = Options {
            only: settings.only.clone(),
            audit: settings.audit,
            most: Effort::Full,
            limit: settings.limit,
            deadline,
        };
        let system = &self.system;
        let mut judge = Checker { system, proved: &mut self.proved, solver: &mut self.solver, deadline };
        let forest = system.forest();
        let skip = |id: LoopId| skip.contains(&id);
        self.portfolio.run((system.ts(), forest, system.hash()), effort, &options, &skip, &mut judge);
        self.conclusion = None;
        self.time += begin.elapsed();
    }

    /// That a view ends, if this is its system and that was proved.
    pub(crate) fn ending(&self, view: &View, target: neutral::Target) -> Option<Ending> {
        self.proved.iter().find_map(|(_, p)| Ending::of(view, target, &self.system, p))
    }

    /// Whether an engine saw a state in which a round of a loop changes nothing.
    pub(crate) fn repeats(&self) -> bool {
        let trials = self.portfolio.results().iter().flat_map(|l| &l.trials);
        trials.into_iter().any(|t| matches!(t.reason, Some(NoClaim::Repeats(_))))
    }

    /// Whether it was proved that a loop ends, from every initial state.
    fn ends(&self, header: LocId) -> bool {
        let all = self.system.ts().terms.tt();
        let mut claims = self.proved.iter().map(|(_, p)| p.claim());
        claims.any(|c| c.property == Property::Terminates(header) && c.when == all)
    }

    /// The loops of another system of which a verdict is known here.
    fn decided_of(&self, other: &Self) -> BTreeSet<LoopId> {
        let here = findings(&self.control, self.proved.iter().map(|(_, p)| p));
        let is_decided = |id: &LoopId| {
            let copy = other.control.source_of(*id);
            copy.is_some_and(|c| here.hangs(c).is_some() || here.ends(c) == Ok(Extent::Always))
        };
        other.control.forest().loops.ids().filter(is_decided).collect()
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
    pub(crate) fn analysis(&mut self, deadline: Instant) -> Analysis {
        let Conclusion { verdict, program, reason } = self.conclusion(deadline).clone();
        Analysis {
            verdict,
            program,
            proved: self.proved.clone(),
            loops: self.portfolio.results().to_vec(),
            control: self.control.clone(),
            searched: true,
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
    reason: Option<Reason>,
}

/// A system and what was found about it.
#[derive(Debug)]
pub struct Study {
    /// The system.
    pub ts: TransitionSystem,
    /// What was found.
    pub analysis: Analysis,
}

impl Study {
    /// What was proved of it.
    pub fn findings(&self) -> Findings<'_> {
        let Analysis { control, proved, program, .. } = &self.analysis;
        findings(control, proved.iter().map(|(_, p)| p).chain(program))
    }
    /// Whether it was proved that a loop ends, from every initial state.
    pub fn ends(&self, id: LoopId) -> bool {
        let header = self.analysis.forest().loops[id].header;
        let mut claims = self.analysis.proved.iter().map(|(_, p)| p.claim());
        claims.any(|c| c.property == Property::Terminates(header) && c.when == self.ts.terms.tt())
    }
    /// Whether it was proved that a loop ends, at least from some initial states.
    pub fn ends_somewhere(&self, id: LoopId) -> bool {
        let header = self.analysis.forest().loops[id].header;
        self.analysis.proved.iter().any(|(_, p)| p.claim().property == Property::Terminates(header))
    }
    /// The loops that were proved to run for ever.
    pub fn hanging(&self) -> impl Iterator<Item = LoopId> + '_ {
        self.analysis.proved.iter().filter_map(|(_, p)| match p.claim().property {
            Property::Diverges(h) => self.analysis.forest().with_header(h),
            _ => None,
        })
    }
}

/// What proofs say of the system that they were made for.
fn findings<'a>(control: &'a Control, proofs: impl IntoIterator<Item = &'a Proved>) -> Findings<'a> {
    Findings::new(control, proofs).expect("an analysis keeps the proofs of its own system")
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
    /// Of an `.lts` file: where the locations of each of its systems stand in it.
    pub places: Vec<lts::Places>,
    /// Why there are no systems, or not all.
    pub reason: Option<Reason>,
    /// What the systems do not say of its source.
    pub source: Source,
    /// Verdicts on different systems that contradict each other. A bug in the lowering or in the checker.
    pub contradictions: Vec<String>,
    /// The loops of the source that it holds.
    pub keys: BTreeSet<LoopKey>,
}

impl EntryStudy {
    /// An entry of a program, before anything is known of it.
    pub fn of(name: &str, program: &neutral::Program) -> Self {
        let keys = program.sources.iter().map(|s| s.copy.key.clone()).collect();
        Self { source: Source::of(program), keys, ..Self::named(name) }
    }
    /// An entry of which only the name is known.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            studies: Vec::new(),
            beside: Vec::new(),
            places: Vec::new(),
            reason: None,
            source: Source::default(),
            contradictions: Vec::new(),
            keys: BTreeSet::new(),
        }
    }
    /// What the checker's rules of composition are told.
    pub fn findings(&self) -> Entry<'_> {
        let [first, rest @ ..] = self.studies.as_slice() else { return Entry::Unseen(&self.keys) };
        // Only C leaves open what happens where numbers wrap.
        let wraps = |s: &&Study| s.ts.integers == Integers::Wrap && first.ts.integers == Integers::C;
        let wrap = self.beside.iter().find(wraps).map(Study::findings);
        Entry::Seen { ends: first.findings(), hangs: rest.first().map(Study::findings), wrap }
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

/// The time that is left is not worth a start: the checks alone would exceed it.
const TOO_LITTLE: Duration = Duration::from_millis(20);

/// Why nothing is known of a system that is still being looked at, unless another reason is found.
pub(crate) const PENDING: Reason = Reason::TimeUp(Stage::Searching);

/// Decides an entry of a program in one integer semantics, within the time of the settings.
pub fn analyze_entry(name: &str, program: &neutral::Program, integers: Integers, settings: &Settings) -> EntryStudy {
    let mut entry = EntryStudy::of(name, program);
    study_systems(program, integers, settings, &ContextPool::default(), &mut |i, study| entry.know(i, study));
    entry.compare();
    entry
}

/// Looks at the systems of a program in one integer semantics, and tells what is known of each by its number: first that there
/// is one, last all that was found. The systems take turns, so that nobody searches long for what another one shows soon.
pub fn study_systems(
    program: &neutral::Program,
    integers: Integers,
    settings: &Settings,
    checkers: &ContextPool,
    told: &mut dyn FnMut(usize, Study),
) {
    let forms = program.systems(integers);
    study_each(forms.len(), &|i| neutral::lower(forms[i].0, forms[i].1), settings, checkers, told);
}

/// The same for so many systems of one program; `make` makes the one of a number.
pub fn study_each(
    count: usize,
    make: &dyn Fn(usize) -> TransitionSystem,
    settings: &Settings,
    checkers: &ContextPool,
    told: &mut dyn FnMut(usize, Study),
) {
    // What the solver says must not depend on what this thread did before.
    lariat_smt::fresh_context();
    let deadline = Instant::now() + settings.timeout;
    let lowered: Vec<OnceCell<TransitionSystem>> = (0..count).map(|_| OnceCell::new()).collect();
    let mut inquiries: Vec<Result<Inquiry<'_>, Reason>> = Vec::new();
    let mut turns = Effort::ALL.len() * count;
    'turns: for effort in Effort::ALL {
        for (i, slot) in lowered.iter().enumerate() {
            if effort == Effort::Quick {
                let ts = slot.get_or_init(|| make(i));
                told(i, Study { ts: ts.clone(), analysis: undecided(ts, PENDING) });
                let left = deadline.saturating_duration_since(Instant::now());
                inquiries.push(if left < TOO_LITTLE {
                    Err(Reason::TimeUp(Stage::Starting))
                } else {
                    Inquiry::new(ts, checkers, deadline).map_err(|defect| Reason::Malformed(defect.message))
                });
            }
            let share = portfolio::share(deadline, turns);
            turns -= 1;
            let (before, rest) = inquiries.split_at_mut(i);
            let Some((Ok(this), behind)) = rest.split_first_mut() else { continue };
            let skip = before.iter().chain(&*behind).flatten().flat_map(|other| other.decided_of(this)).collect();
            if effort == Effort::Full {
                let ts = this.system.ts().clone();
                told(i, Study { ts, analysis: this.analysis(deadline) });
            }
            this.advance(effort, settings, share, &skip);
            if !settings.audit && this.leaves_nothing_open(deadline) {
                break 'turns;
            }
        }
    }
    let analyses: Vec<_> = inquiries.into_iter().map(|i| i.map(|mut i| i.analysis(deadline))).collect();
    for (i, (ts, analysis)) in lowered.into_iter().filter_map(OnceCell::into_inner).zip(analyses).enumerate() {
        let analysis = analysis.unwrap_or_else(|reason| undecided(&ts, reason));
        told(i, Study { ts, analysis });
    }
}

/// What is known of a system at which nobody could look.
pub fn undecided(ts: &TransitionSystem, reason: Reason) -> Analysis {
    let control = Control::unverified(ts);
    let loops = control.forest().loops.ids().map(LoopResult::open).collect();
    Analysis {
        verdict: Verdict::Unknown,
        program: None,
        proved: Vec::new(),
        loops,
        control,
        searched: false,
        reason: Some(reason),
        contradictions: Vec::new(),
        time: Duration::ZERO,
    }
}

/// Loops, and the entry, that were proved to end on one system and to run for ever on the other.
pub(crate) fn contradictions_between(name: &str, ends: &Study, hangs: &Study) -> Vec<String> {
    let (ending, hanging) = (ends.findings(), hangs.findings());
    let mut found = Vec::new();
    for copy in hangs.analysis.control.copies() {
        // A run that stays in a part of a loop stays in the loop.
        if let Some(id) = hanging.hangs_within(copy)
            && ending.ends(copy) == Ok(Extent::Always)
        {
            let at = &hangs.ts.locs[hangs.analysis.forest().loops[id].header].name;
            found.push(format!("{} was proved to end, and to run for ever at `{at}` of `{name}`", copy.key));
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
    solver: &'a mut DirectZ3,
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
    solver: &mut dyn DirectSolver,
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
        return unknown(Reason::NoEndlessLoop);
    }
    match program::conclude(system, Property::ProgramTerminates, ts.terms.tt(), &parts, solver, limit) {
        Ok(program) => known(Verdict::Terminates, program),
        Err(rejection) => {
            let open = (rejection.condition == Condition::LoopNotCovered).then(|| open_loop(system, &parts)).flatten();
            unknown(Reason::NotConcluded { rejection, open })
        }
    }
}

/// What the first outermost loop stands for of which nothing was proved: the one that the checker misses.
fn open_loop(system: &System<'_>, parts: &[Proved]) -> Option<LocationKind> {
    let forest = system.forest();
    let ends = |header: LocId| parts.iter().any(|p| p.claim().property == Property::Terminates(header));
    let header = forest.outermost().map(|l| forest.loops[l].header).find(|h| !ends(*h))?;
    Some(system.ts().locs[header].kind())
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
