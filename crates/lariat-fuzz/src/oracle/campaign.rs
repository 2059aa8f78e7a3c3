//! A campaign: many random systems against a checker and the engines.
//!
//! For every system: its text form is read again; its truth is enumerated; what is minted from the truth must be accepted;
//! mutants must be rejected where they break a rule, and where the claim is false in any case; what the engines claim
//! must not contradict the truth. A system is made from the campaign's seed and its number alone, so the result does not
//! depend on how many jobs there are.

mod report;

pub use report::{KindStats, Report, Stats};

use super::mint::mint;
use super::mutate::mutants;
use super::neutral::{TARGETS, disagreement, random_program};
use super::random::{Shape, random_system};
use super::shrink::shrink;
use super::truth::{NoTruth, Truth, Verdict};
use super::validate::{Validator, Validity};
use lariat_ir::neutral::lower;
use lariat_ir::random::Random;
use lariat_ir::source::around;
use lariat_ir::{Certificate, Claim, LocId, LoopForest, Property, SourceId, TransitionSystem, lts};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Judges claims about a system.
pub type Judge = Box<dyn FnMut(&TransitionSystem, &[Claim]) -> Judgement>;

/// What a judge says.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Of each claim: accepted, or why not. A reason that starts with [`GAVE_UP`] counts as no answer.
    pub answers: Vec<Result<(), String>>,
    /// What follows from all accepted claims for loops of the source.
    pub composed: Vec<(SourceId, Composed)>,
}

impl FromIterator<Result<(), String>> for Judgement {
    fn from_iter<T: IntoIterator<Item = Result<(), String>>>(answers: T) -> Self {
        Self { answers: answers.into_iter().collect(), composed: Vec::new() }
    }
}

/// What is concluded about a loop of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Composed {
    /// It ends from all initial states.
    Ends,
    /// It runs for ever from some.
    Hangs,
}

/// What the engines claim of a system.
pub type Engines = Box<dyn FnMut(&TransitionSystem) -> Vec<Claim>>;

/// How a judge's reason starts that is no judgement, such as a solver's limit.
pub const GAVE_UP: &str = "gave up: ";

/// How many systems are examined between two looks at the failures; a constant, so that the outcome is one.
const BLOCK: u64 = 512;

/// How many systems one job takes at once.
const CHUNK: u64 = 16;

/// What a campaign does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the randomness comes from.
    pub seed: u64,
    /// How many systems. Default is 1000.
    pub systems: u64,
    /// How many threads. Default is 2.
    pub jobs: usize,
    /// What the systems look like.
    pub shape: Shape,
    /// In how many of 100 cases it is a neutral program with a system for each integer semantics. Default is 10.
    pub neutral: u32,
    /// How many states of a system are expanded at most. Default is 4000.
    pub fuel: usize,
    /// Whether certificates are minted from the truth, and mutants made of them. Default is yes.
    pub mint: bool,
    /// How many mutants are made of each certificate. Default is 4.
    pub mutants: usize,
    /// After how many failures the campaign stops. Default is 1.
    pub most_failures: usize,
    /// How many questions a failure's shrinking may ask; 0 leaves it as it is. Default is 300.
    pub shrink_budget: usize,
    /// When it becomes true, no further block is begun. Default is none.
    pub stop: Option<&'static AtomicBool>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 1,
            systems: 1000,
            jobs: 2,
            shape: Shape::default(),
            neutral: 10,
            fuel: 4000,
            mint: true,
            mutants: 4,
            most_failures: 1,
            shrink_budget: 300,
            stop: None,
        }
    }
}

/// What is examined. Each job makes its own.
pub struct Subject<'s> {
    /// Makes a judge.
    pub judge: Option<&'s (dyn Fn() -> Judge + Sync)>,
    /// Makes engines.
    pub engines: Option<&'s (dyn Fn() -> Engines + Sync)>,
}

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// A false claim was accepted.
    AcceptedFalse,
    /// An engine's claim is false.
    EngineContradictsTruth,
    /// A certificate that breaks a rule was accepted.
    AcceptedInvalid,
    /// A true certificate was rejected.
    MintedRejected,
    /// The text form is not read again to the same.
    TextForm,
    /// The systems of one neutral program disagree.
    Semantics,
    /// A false verdict on a loop of the source was concluded from true ones.
    ComposedFalse,
    /// Two parts of the oracle disagree, or a random system is none.
    Oracle,
    /// Something panicked.
    Panic,
}

impl FailureKind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::AcceptedFalse => "a false claim was accepted",
            Self::EngineContradictsTruth => "an engine contradicts the truth",
            Self::AcceptedInvalid => "a certificate that breaks a rule was accepted",
            Self::MintedRejected => "a true certificate was rejected",
            Self::TextForm => "the text form does not come back",
            Self::Semantics => "the integer semantics of one program contradict each other",
            Self::ComposedFalse => "a false verdict on a loop of the source was concluded",
            Self::Oracle => "the oracle contradicts itself",
            Self::Panic => "a panic",
        }
    }
}

/// A failure, as it is reported.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// The system's number in the campaign.
    pub index: u64,
    /// The system's text.
    pub system: String,
    /// The claim's text.
    pub claim: Option<String>,
    /// More about it.
    pub detail: String,
}

/// Runs a campaign; `progress` hears how many systems are done.
pub fn run(plan: &Plan, subject: &Subject, progress: &(dyn Fn(u64) + Sync)) -> Report {
    let mut report = Report::default();
    let done = AtomicU64::new(0);
    let mut first = 0;
    let stopped = || plan.stop.is_some_and(|s| s.load(Ordering::Relaxed));
    while first < plan.systems && report.failures.len() < plan.most_failures && !stopped() {
        let last = plan.systems.min(first + BLOCK);
        let next = AtomicU64::new(first);
        let results: Vec<(Stats, Vec<Failure>)> = std::thread::scope(|scope| {
            let work = || {
                let (mut stats, mut failures) = (Stats::default(), Vec::new());
                loop {
                    let start = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if start >= last {
                        return (stats, failures);
                    }
                    // A judge or an engine may remember what it was asked: so what each is asked is a matter of the
                    // chunk, not of the job that takes it.
                    let mut examiner = Examiner::new(plan, subject);
                    for index in start..last.min(start + CHUNK) {
                        failures.extend(examiner.number(index));
                        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                    }
                    stats.add(&examiner.stats);
                }
            };
            let jobs: Vec<_> = (0..plan.jobs.max(1)).map(|_| scope.spawn(work)).collect();
            jobs.into_iter().map(|j| j.join().expect("an examiner catches panics")).collect()
        });
        for (stats, failures) in results {
            report.stats.add(&stats);
            report.failures.extend(failures);
        }
        first = last;
    }
    report.failures.sort_by_key(|f| (f.index, f.kind));
    if let Some(f) = report.failures.first_mut()
        && plan.shrink_budget > 0
    {
        shrink_failure(plan, subject, f);
    }
    report
}

/// Makes a failure small: the smallest system found on which an examination fails in the same way.
fn shrink_failure(plan: &Plan, subject: &Subject, failure: &mut Failure) {
    let Ok(parsed) = lts::parse(&failure.system) else { return };
    let mut examiner = Examiner::new(plan, subject);
    let (index, kind) = (failure.index, failure.kind);
    let mut again = |ts: &TransitionSystem| examiner.failures_of(ts, index).into_iter().find(|f| f.kind == kind);
    if again(&parsed.system).is_none() {
        return;
    }
    let small = shrink(&parsed.system, plan.shrink_budget, &mut |ts| again(ts).is_some());
    if let Some(f) = again(&small) {
        *failure = f;
    }
}

/// One job's view of a campaign.
struct Examiner<'e, 's> {
    plan: &'e Plan,
    subject: &'e Subject<'s>,
    judge: Option<Judge>,
    engines: Option<Engines>,
    stats: Stats,
}

impl<'e, 's> Examiner<'e, 's> {
    fn new(plan: &'e Plan, subject: &'e Subject<'s>) -> Self {
        let judge = subject.judge.map(|make| make());
        let engines = subject.engines.map(|make| make());
        Self { plan, subject, judge, engines, stats: Stats::default() }
    }

    fn number(&mut self, index: u64) -> Vec<Failure> {
        let mut rng = Random::for_task(self.plan.seed, index);
        if rng.percent(self.plan.neutral) {
            return self.neutral(rng.next(), index);
        }
        let ts = random_system(rng.next(), &self.plan.shape);
        self.failures_of(&ts, index)
    }

    fn neutral(&mut self, seed: u64, index: u64) -> Vec<Failure> {
        let program = random_program(seed);
        let systems = TARGETS.map(|target| lower(&program, target));
        let mut failures: Vec<Failure> = systems.iter().flat_map(|ts| self.failures_of(ts, index)).collect();
        let verdict = |ts| Truth::of(ts, self.plan.fuel).map_or(Verdict::Unscored, |t| t.program_verdict());
        if let Some(why) = disagreement(systems.each_ref().map(verdict)) {
            let system = systems.each_ref().map(lts::print).join("\n");
            failures.push(Failure { kind: FailureKind::Semantics, index, system, claim: None, detail: why });
        }
        failures
    }

    fn failures_of(&mut self, ts: &TransitionSystem, index: u64) -> Vec<Failure> {
        let mut failures = Vec::new();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.examine(ts, index, &mut failures)));
        if let Err(panic) = outcome {
            let words = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("without words");
            failures.push(failure(FailureKind::Panic, ts, index, None, words));
            // Whatever panicked may be half changed.
            self.judge = self.subject.judge.map(|make| make());
            self.engines = self.subject.engines.map(|make| make());
        }
        failures
    }

    fn examine(&mut self, ts: &TransitionSystem, index: u64, failures: &mut Vec<Failure>) {
        let mut fail =
            |kind, claim: Option<&Claim>, detail: &str| failures.push(failure(kind, ts, index, claim, detail));
        self.stats.systems += 1;
        let mut rng = Random::for_task(self.plan.seed ^ 0x5eed, index);
        if let Some(why) = text_form_of_system(ts) {
            fail(FailureKind::TextForm, None, &why);
        }
        let mut truth = match Truth::of(ts, self.plan.fuel) {
            Ok(t) => t,
            Err(NoTruth::TooLarge) => return,
            Err(NoTruth::Broken(l, values)) => {
                let words = format!("the guards at `{}` are not total and disjoint in {values:?}", ts.locs[l].name);
                return fail(FailureKind::Oracle, None, &words);
            }
        };
        *self.stats.programs.entry(truth.program_verdict().name()).or_default() += 1;
        let mut validator = Validator::new(ts);
        if !self.plan.mint {
            return self.engines(ts, index, &mut truth, validator.as_mut(), failures);
        }
        let minted = mint(&mut truth, &mut rng);
        for (kind, n) in minted.skipped {
            self.stats.kinds.entry(kind).or_default().skipped += u64::from(n);
        }

        let mut claims: Vec<(Claim, &'static str, &'static str)> = Vec::new();
        for claim in minted.claims {
            let kind = row_of(&claim.certificate);
            if let Some(why) = text_form_of_claim(ts, &claim) {
                fail(FailureKind::TextForm, Some(&claim), &why);
            }
            let made = mutants(ts, &claim, &mut rng, self.plan.mutants);
            claims.push((claim, kind, ""));
            claims.extend(made.into_iter().map(|m| (m.claim, kind, m.operator)));
        }
        let Judgement { answers, composed } = match &mut self.judge {
            Some(judge) => judge(ts, &claims.iter().map(|(c, _, _)| c.clone()).collect::<Vec<_>>()),
            None => Judgement::default(),
        };
        self.stats.composed += composed.len() as u64;
        if let Some(why) = falsely_composed(ts, &truth, &composed) {
            fail(FailureKind::ComposedFalse, None, &why);
        }
        for (n, (claim, kind, operator)) in claims.iter().enumerate() {
            let stats = self.stats.kinds.entry(kind).or_default();
            let truth = truth.claim(claim);
            let validity = validator.as_mut().map(|v| v.validate(claim));
            let invalid = match &validity {
                Some(Validity::Invalid(why)) => Some(why.as_str()),
                _ => None,
            };
            let valid = validity == Some(Validity::Valid);
            if valid && truth == Some(false) {
                fail(FailureKind::Oracle, Some(claim), "the certificate keeps the rules and its claim is false");
            }
            let minted = operator.is_empty();
            if minted {
                stats.minted += 1;
                if let Some(why) = invalid {
                    fail(FailureKind::Oracle, Some(claim), &format!("a minted certificate breaks a rule: {why}"));
                }
            } else {
                stats.mutants += 1;
                stats.false_mutants += u64::from(truth == Some(false));
                stats.invalid_mutants += u64::from(invalid.is_some());
            }
            match answers.get(n) {
                None => {}
                Some(Err(why)) if why.starts_with(GAVE_UP) => stats.gave_up += 1,
                Some(Ok(())) => {
                    if truth == Some(false) {
                        fail(FailureKind::AcceptedFalse, Some(claim), operator);
                    } else if let Some(why) = invalid {
                        fail(FailureKind::AcceptedInvalid, Some(claim), &format!("{operator}: {why}"));
                    }
                    if minted { stats.accepted += 1 } else { stats.accepted_mutants += 1 }
                }
                Some(Err(why)) if minted => fail(FailureKind::MintedRejected, Some(claim), why),
                Some(Err(why)) => {
                    stats.rejected += 1;
                    if valid {
                        stats.incomplete += 1;
                        *self.stats.incomplete_reasons.entry(beginning(why)).or_default() += 1;
                    }
                }
            }
        }
        self.engines(ts, index, &mut truth, validator.as_mut(), failures);
    }

    fn engines(
        &mut self,
        ts: &TransitionSystem,
        index: u64,
        truth: &mut Truth,
        mut validator: Option<&mut Validator>,
        failures: &mut Vec<Failure>,
    ) {
        let claims = self.engines.as_mut().map(|engines| engines(ts)).unwrap_or_default();
        let Judgement { answers, composed } = match &mut self.judge {
            Some(judge) if !claims.is_empty() => judge(ts, &claims),
            _ => Judgement::default(),
        };
        self.stats.composed += composed.len() as u64;
        if let Some(why) = falsely_composed(ts, truth, &composed) {
            failures.push(failure(FailureKind::ComposedFalse, ts, index, None, &why));
        }
        let mut decided: BTreeSet<LocId> = BTreeSet::new();
        for (n, claim) in claims.iter().enumerate() {
            self.stats.engine_claims.0 += 1;
            if truth.claim(claim) == Some(false) {
                failures.push(failure(FailureKind::EngineContradictsTruth, ts, index, Some(claim), ""));
            }
            match answers.get(n) {
                Some(Err(why)) => {
                    let why = beginning(why);
                    *self.stats.engine_rejections.entry(why.clone()).or_default() += 1;
                    self.stats.rejected_in.entry(why).or_insert_with(|| (index, lts::print(ts)));
                }
                accepted => {
                    self.stats.engine_claims.1 += u64::from(accepted.is_some());
                    if let Property::Terminates(h) | Property::Diverges(h) = claim.property {
                        decided.insert(h);
                    }
                    if let Some(Validity::Invalid(why)) = validator.as_mut().map(|v| v.validate(claim)) {
                        failures.push(failure(FailureKind::AcceptedInvalid, ts, index, Some(claim), &why));
                    }
                }
            }
        }
        for (id, l) in LoopForest::of(ts).loops.entries() {
            let entry = self.stats.loops.entry(truth.loop_verdict(id).name()).or_default();
            entry.0 += 1;
            entry.1 += u64::from(decided.contains(&l.header));
        }
    }
}

/// A verdict on a loop of the source that is false: what it holds is the locations within it.
fn falsely_composed(ts: &TransitionSystem, truth: &Truth<'_>, composed: &[(SourceId, Composed)]) -> Option<String> {
    composed.iter().find_map(|(source, says)| {
        let within = |l: LocId| around(&ts.sources, ts.locs[l].within).any(|s| s == *source);
        let verdict = truth.verdict_in(within);
        let is_false = match says {
            Composed::Ends => matches!(verdict, Verdict::Diverges | Verdict::NotTerminating | Verdict::Neither),
            Composed::Hangs => matches!(verdict, Verdict::Terminates | Verdict::Neither),
        };
        is_false.then(|| format!("{says:?} of {source:?}, which {}", verdict.name()))
    })
}

/// The row of the table: the kind, with rankings that step over inner loops on their own.
fn row_of(certificate: &Certificate) -> &'static str {
    match certificate {
        Certificate::Ranking { outline, .. } if !outline.inner.is_empty() => "Ranking over inner",
        other => other.kind(),
    }
}

fn failure(kind: FailureKind, ts: &TransitionSystem, index: u64, claim: Option<&Claim>, detail: &str) -> Failure {
    let claim = claim.map(|c| lariat_ir::claim::print(ts, c));
    Failure { kind, index, system: lts::print(ts), claim, detail: detail.to_owned() }
}

/// The start of a message, up to the part that names values.
fn beginning(why: &str) -> String {
    let cut = why.match_indices(": ").nth(1).map_or(why.len(), |(i, _)| i);
    why[..cut].chars().take(120).collect()
}

fn text_form_of_system(ts: &TransitionSystem) -> Option<String> {
    let text = lts::print(ts);
    match lts::parse(&text) {
        Err(e) => Some(format!("it cannot be read: {e}")),
        Ok(p) if lts::print(&p.system) != text => Some(format!("it is read as\n{}", lts::print(&p.system))),
        Ok(p) if p.system.hash() != ts.hash() => Some("it has another hash".into()),
        Ok(_) => None,
    }
}

fn text_form_of_claim(ts: &TransitionSystem, claim: &Claim) -> Option<String> {
    let text = lariat_ir::claim::print(ts, claim);
    match lariat_ir::claim::parse(ts, &text) {
        Err(e) => Some(format!("it cannot be read: {e}")),
        Ok(c) if c != *claim => Some(format!("it is read as\n{}", lariat_ir::claim::print(ts, &c))),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A judge without a solver: the validator itself, with a bug planted on demand.
    fn planted(bug: fn(&Claim) -> bool) -> impl Fn() -> Judge + Sync {
        move || {
            Box::new(move |ts, claims| {
                let mut v = Validator::new(ts);
                let mut judge = |c: &Claim| match v.as_mut().map(|v| v.validate(c)) {
                    _ if bug(c) => Ok(()),
                    Some(Validity::Invalid(why)) => Err(why),
                    Some(Validity::Valid) => Ok(()),
                    _ => Err(format!("{GAVE_UP}too large")),
                };
                claims.iter().map(&mut judge).collect()
            })
        }
    }

    #[test]
    fn a_campaign_is_clean_and_the_same_for_any_number_of_jobs() {
        let judge = planted(|_| false);
        let subject = Subject { judge: Some(&judge), engines: None };
        let report = |jobs| {
            let plan = Plan { systems: 100, jobs, mutants: 2, ..Plan::default() };
            run(&plan, &subject, &|_| {})
        };
        let (one, three) = (report(1), report(3));
        assert!(one.failures.is_empty(), "{}", one.table());
        assert_eq!(one.stats, three.stats);
    }

    #[test]
    fn a_planted_bug_is_found_and_made_small() {
        let judge = planted(|c| match &c.certificate {
            Certificate::Orbit { cycle, .. } => cycle.is_empty(),
            _ => false,
        });
        let subject = Subject { judge: Some(&judge), engines: None };
        let plan = Plan { systems: 60, mutants: 8, ..Plan::default() };
        let report = run(&plan, &subject, &|_| {});
        let f = report.failures.first().expect("the bug is found");
        assert!(matches!(f.kind, FailureKind::AcceptedInvalid | FailureKind::AcceptedFalse), "{}", report.table());
        let small = lts::parse(&f.system).expect("a failure's text is a system").system;
        assert!(small.edges.len() <= 3, "{}", report.table());
    }

    #[test]
    fn an_engine_that_lies_is_found() {
        let engines = || -> Engines {
            Box::new(|ts| {
                let certificate = Certificate::Program { parts: vec![] };
                vec![Claim {
                    system: ts.hash(),
                    property: Property::ProgramTerminates,
                    when: ts.terms.tt(),
                    certificate,
                }]
            })
        };
        let subject = Subject { judge: None, engines: Some(&engines) };
        let report = run(&Plan { systems: 50, ..Plan::default() }, &subject, &|_| {});
        let f = report.failures.iter().find(|f| f.kind == FailureKind::EngineContradictsTruth);
        assert!(f.is_some(), "{}", report.table());
    }

    fn checker() -> Judge {
        use lariat_check::{Condition, System, check};
        use lariat_smt::{Limit, Z3Solver};
        Box::new(|ts, claims| {
            let system = match System::verify(ts, &mut Z3Solver::new().direct(), Limit::default()) {
                Ok(s) => s,
                Err(defect) => return claims.iter().map(|_| Err(defect.to_string())).collect(),
            };
            claims
                .iter()
                .map(|c| match check(&system, c, &mut Z3Solver::new().direct(), Limit::default()) {
                    Ok(_) => Ok(()),
                    Err(r) if r.condition == Condition::SolverUnknown => Err(format!("{GAVE_UP}{r}")),
                    Err(r) => Err(r.to_string()),
                })
                .collect()
        })
    }

    /// `SYSTEMS=1000 SEED=1 cargo test --release -p lariat-fuzz --lib checker_campaign -- --ignored --nocapture`
    #[test]
    #[ignore = "long; the checker against the oracle"]
    fn checker_campaign() {
        let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
        let plan = Plan {
            seed: number("SEED", 1),
            systems: number("SYSTEMS", 300),
            most_failures: usize::try_from(number("FAILURES", 1)).expect("small"),
            ..Plan::default()
        };
        let start = std::time::Instant::now();
        let report = run(&plan, &Subject { judge: Some(&checker), engines: None }, &|_| {});
        println!("{}\n{:?}", report.table(), start.elapsed());
        assert!(report.failures.is_empty());
    }

    /// `cargo test --release -p lariat-fuzz --lib oracle_throughput -- --ignored --nocapture`
    #[test]
    #[ignore = "a measurement"]
    fn oracle_throughput() {
        let n = 20_000u32;
        let time = |what: &str, f: &mut dyn FnMut(u64)| {
            let start = std::time::Instant::now();
            for i in 0..u64::from(n) {
                f(i);
            }
            println!("{what:<32} {:>8.1} us per system", start.elapsed().as_secs_f64() * 1e6 / f64::from(n));
        };
        let shape = Shape::default();
        let system = |i: u64| random_system(Random::for_task(7, i).next(), &shape);
        time("random", &mut |i| drop(system(i)));
        time("random + truth", &mut |i| drop(Truth::of(&system(i), 4000).map(|t| t.program_verdict())));
        time("random + truth + mint", &mut |i| {
            let ts = system(i);
            let mut truth = Truth::of(&ts, 4000).expect("a truth");
            drop(mint(&mut truth, &mut Random::new(i)));
        });
        time("random + truth + mint + validate", &mut |i| {
            let ts = system(i);
            let mut truth = Truth::of(&ts, 4000).expect("a truth");
            let minted = mint(&mut truth, &mut Random::new(i));
            if let Some(mut v) = Validator::new(&ts) {
                minted.claims.iter().for_each(|c| drop(v.validate(c)));
            }
        });
        let report =
            run(&Plan { systems: n.into(), ..Plan::default() }, &Subject { judge: None, engines: None }, &|_| {});
        println!("{}", report.table());
    }
}
