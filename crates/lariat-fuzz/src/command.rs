//! `./lariat fuzz`, which is the binary `lariat-fuzz`

use crate::cfuzz;
use crate::oracle::campaign::{Composed, Engines, GAVE_UP, Judge, Judgement, Plan, Subject, run as run_campaign};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use lariat_check::compose::{Control, Extent, Findings};
use lariat_check::{Condition, Proved, Rejection, System, check};
use lariat_engines::Effort;
use lariat_engines::portfolio::{self, ENGINES};
use lariat_ir::{Claim, LoopForest, SourceId, TransitionSystem};
use lariat_process::console::{INTERRUPTED, fail, print, read_text, show_results_on_interrupt};
use lariat_smt::{Cvc5Solver, DirectSolver, Limit, Z3Solver};
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Try to break the checker and the engines with random systems whose truth is known
#[derive(Parser, Debug)]
#[command(name = "lariat-fuzz", bin_name = "lariat fuzz")]
#[expect(clippy::struct_excessive_bools, reason = "they are the command's switches")]
pub struct Options {
    /// Make C programs, and compare what each does with what its transition system does
    #[arg(long, conflicts_with_all = ["mutants", "second_solver", "no_engines"])]
    c: bool,
    /// How many systems or programs to make
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// Where the randomness comes from: the same seed makes the same systems
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first program
    #[arg(long, default_value_t = 0, requires = "c")]
    first: u64,
    /// After how many programs with a difference to stop
    #[arg(long, default_value_t = 1, requires = "c")]
    failures: usize,
    /// Count a program, too, whose system differs only for some values of what it does not know
    #[arg(long, requires = "c")]
    imprecision: bool,
    /// Examine the program in this file, which an earlier run wrote
    #[arg(long, requires = "c")]
    program: Option<PathBuf>,
    /// How many smaller programs to try for each difference
    #[arg(long, default_value_t = 3000, requires = "c")]
    shrink: usize,
    /// The folder to which programs with a difference are written
    #[arg(long, default_value = "lariat-fuzz", requires = "c")]
    output: PathBuf,
    /// How many systems at once [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// How many mutants to make of each certificate
    #[arg(long, default_value_t = 4)]
    mutants: usize,
    /// Check every certificate with cvc5, too: the answers must agree
    #[arg(long)]
    second_solver: bool,
    /// Leave the engines out and try the checker alone
    #[arg(long)]
    no_engines: bool,
    /// Leave the checker's own certificates out and try the engines alone
    #[arg(long, conflicts_with_all = ["c", "no_engines", "mutants"])]
    no_certificates: bool,
    /// Only the engine of this name
    #[arg(long, conflicts_with_all = ["c", "no_engines"], value_name = "ENGINE", value_parser = engine_name)]
    only: Option<String>,
}

/// Queries about systems this small are easy; one that is not is given up early. By resources alone: the outcome must not depend
/// on how busy the machine is.
const LIMIT: Limit = Limit { rlimit: 500_000, wall: Duration::from_mins(10), until: None };
/// The judge never needs as much. What its solver was asked before changes what an answer costs by some, which must not decide.
const JUDGED: Limit = Limit { rlimit: 10_000_000, ..LIMIT };

fn engine_name(text: &str) -> Result<String, String> {
    let mut names: Vec<&str> = ENGINES.iter().map(|e| e.name()).collect();
    names.sort_unstable();
    names.dedup();
    if names.contains(&text) { Ok(text.to_owned()) } else { Err(format!("the engines are: {}", names.join(", "))) }
}

/// Runs a campaign; gives the exit status.
pub fn run(o: &Options) -> u8 {
    if let Err(e) = lariat_smt::z3_version() {
        return fail(&e.to_string());
    }
    if o.c {
        return run_c(o);
    }
    if o.second_solver
        && let Err(e) = Cvc5Solver::new()
    {
        return fail(&e.to_string());
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Plan {
        seed: o.seed,
        systems: o.count,
        jobs: o.jobs.map_or(cores, usize::from),
        mint: !o.no_certificates,
        mutants: o.mutants,
        stop: Some(&INTERRUPTED),
        ..Plan::default()
    };
    let second_solver = o.second_solver;
    let judge = move || judge(second_solver);
    let only = o.only.clone();
    let engines = move || engines(only.clone());
    let subject = Subject { judge: Some(&judge), engines: if o.no_engines { None } else { Some(&engines) } };
    show_results_on_interrupt(lariat_smt::leave);
    let begin = Instant::now();
    let bar = bar(o.count, "systems");
    let report = run_campaign(&plan, &subject, &|done| bar.set_position(done));
    bar.finish_and_clear();
    let mut text = report.table();
    if o.second_solver {
        let _ = writeln!(text, "\n  Z3 and cvc5 agree on {} claims", COMPARED.load(Ordering::Relaxed));
    }
    eprintln!("{:.1} s", begin.elapsed().as_secs_f64());
    match print(&text) {
        Err(e) => fail(&e),
        Ok(()) => u8::from(!report.failures.is_empty()),
    }
}

fn run_c(o: &Options) -> u8 {
    if let Some(path) = &o.program {
        let examined = match read_text(path).and_then(|text| cfuzz::campaign::rerun(&text)) {
            Ok(examined) => examined,
            Err(e) => return fail(&e),
        };
        let mut text = cfuzz::campaign::describe(&examined);
        if let Some(system) = examined.findings.iter().find_map(|f| f.system.as_ref()) {
            let _ = write!(text, "\n{system}");
        }
        return match print(&text) {
            Err(e) => fail(&e),
            Ok(()) => u8::from(!examined.findings.is_empty()),
        };
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = cfuzz::campaign::Plan {
        seed: o.seed,
        first: o.first,
        programs: o.count,
        jobs: o.jobs.map_or(cores, usize::from),
        most_failures: o.failures,
        shrink_budget: o.shrink,
        imprecision: o.imprecision,
        output: o.output.clone(),
        stop: Some(&INTERRUPTED),
    };
    show_results_on_interrupt(lariat_smt::leave);
    // A panic is a finding; what it says is in the report.
    std::panic::set_hook(Box::new(|_| {}));
    let begin = Instant::now();
    let bar = bar(o.count, "programs");
    let report = cfuzz::campaign::run(&plan, &|done| bar.set_position(done));
    bar.finish_and_clear();
    let _ = std::panic::take_hook();
    let report = match report {
        Ok(report) => report,
        Err(e) => return fail(&e),
    };
    let t = &report.stats.times;
    eprintln!(
        "{:.1} s; over all jobs: {:.1} s native, {:.1} s reading, {:.1} s translating, {:.1} s lowering, {:.1} s running, {:.1} s simulating",
        begin.elapsed().as_secs_f64(),
        t.native.as_secs_f64(),
        t.reading.as_secs_f64(),
        t.translating.as_secs_f64(),
        t.lowering.as_secs_f64(),
        t.running.as_secs_f64(),
        t.simulating.as_secs_f64()
    );
    match print(&report.table()) {
        Err(e) => fail(&e),
        Ok(()) => u8::from(!report.failures.is_empty()),
    }
}

/// Claims that both solvers judged.
static COMPARED: AtomicU64 = AtomicU64::new(0);

/// The checker. Where a second solver is asked, a disagreement is a panic, which the campaign reports as a failure with
/// the system.
fn judge(second_solver: bool) -> Judge {
    Box::new(move |ts: &TransitionSystem, claims: &[Claim]| {
        let first = judge_with(ts, claims, &mut Z3Solver::new().direct());
        if second_solver {
            let mut cvc5 = Cvc5Solver::new().expect("cvc5 was found at the start");
            let second = judge_with(ts, claims, &mut cvc5);
            COMPARED.fetch_add(claims.len() as u64, Ordering::Relaxed);
            for (i, (a, b)) in first.answers.iter().zip(&second.answers).enumerate() {
                let answered = |r: &Result<(), String>| !matches!(r, Err(why) if why.starts_with(GAVE_UP));
                assert!(
                    a.is_ok() == b.is_ok() || !answered(a) || !answered(b),
                    "the solvers disagree on claim {i}: Z3 {a:?}, cvc5 {b:?}\n{}",
                    lariat_ir::claim::print(ts, &claims[i])
                );
            }
        }
        first
    })
}

fn judge_with(ts: &TransitionSystem, claims: &[Claim], solver: &mut dyn DirectSolver) -> Judgement {
    match System::verify(ts, solver, JUDGED) {
        // The campaign knows by enumeration that the guards are total and disjoint: a solver that does not say so gave up.
        Err(defect) => claims.iter().map(|_| Err(format!("{GAVE_UP}{defect}"))).collect(),
        Ok(system) => {
            let mut proved = Vec::new();
            let mut judge = |claim| check(&system, claim, solver, JUDGED).map(|p| proved.push(p));
            let answers = claims.iter().map(|c| judge(c).map_err(|r| reason(&r))).collect();
            Judgement { answers, composed: composed(&system, &proved) }
        }
    }
}

/// What follows for the loops of the source.
fn composed(system: &System<'_>, proved: &[Proved]) -> Vec<(SourceId, Composed)> {
    let control = Control::of(system);
    let found = Findings::new(&control, proved).expect("these are proofs about this system");
    let mut all = Vec::new();
    for (id, source) in system.ts().sources.entries() {
        if found.ends(&source.copy) == Ok(Extent::Always) {
            all.push((id, Composed::Ends));
        }
        if found.hangs_within(&source.copy).is_some() {
            all.push((id, Composed::Hangs));
        }
    }
    all
}

fn reason(r: &Rejection) -> String {
    if r.condition == Condition::SolverUnknown {
        format!("{GAVE_UP}{}", r.detail)
    } else {
        r.condition.name().to_owned()
    }
}

/// On one in eight systems every engine runs to its end; on one in 8192 they also take their time, which finds little that is
/// of another kind.
fn thoroughness(ts: &TransitionSystem) -> (bool, Effort) {
    let chance = u16::from_le_bytes([ts.hash().0[0], ts.hash().0[1]]);
    (chance.is_multiple_of(8), if chance.is_multiple_of(8192) { Effort::Full } else { Effort::Brief })
}

/// All engines; their claims go to the campaign unjudged.
fn engines(only: Option<String>) -> Engines {
    // What is decided must not depend on what this thread's context was asked before: the campaign makes its engines anew
    // for every few systems.
    lariat_smt::fresh_context();
    Box::new(move |ts: &TransitionSystem| {
        let forest = LoopForest::of(ts);
        let (audit, most) = thoroughness(ts);
        let options = portfolio::Options {
            only: only.clone(),
            audit,
            most,
            limit: LIMIT,
            // For the rare system on which the solver does not look at its limit; all others end long before.
            deadline: Instant::now() + Duration::from_secs(20),
        };
        let mut collected = Collector(Vec::new());
        portfolio::run(ts, &forest, ts.hash(), &options, &mut collected);
        collected.0
    })
}

struct Collector(Vec<Claim>);

impl portfolio::Judge for Collector {
    fn submit(&mut self, _: &'static str, claim: &Claim) -> Result<(), portfolio::Refusal> {
        self.0.push(claim.clone());
        Ok(())
    }
}

fn bar(count: u64, what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(&format!("{{wide_bar}} {{pos}} of {{len}} {what}, {{eta}} left"))
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(count).with_style(style)
}
