//! A campaign: many random C programs, each compared with its transition systems.
//!
//! A program is made from the campaign's seed and its number alone, and programs are taken in batches whose bounds do not depend on
//! how many jobs there are.

use super::compare::Variant;
use super::examine::{Examined, Examiner, Finding, FindingKind, Subject, Times};
use super::generate::{Generated, generate};
use super::native::{End, MOST_PROGRAMS, Native, single_file};
use super::program::{Constructs, PRELUDE, Program, Stmt};
use super::shrink::shrink;
use super::simulate::Simulated;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// What a campaign does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the randomness comes from.
    pub seed: u64,
    /// The number of the first program. Default is 0.
    pub first: u64,
    /// How many programs. Default is 1000.
    pub programs: u64,
    /// How many threads. Default is 2.
    pub jobs: usize,
    /// After how many programs with findings it stops. Default is 1.
    pub most_failures: usize,
    /// How many questions the shrinking of a failure may ask; 0 leaves it as it is. Default is 3000.
    pub shrink_budget: usize,
    /// Whether an imprecision is a failure. Default is no.
    pub imprecision: bool,
    /// Where failures are written to.
    pub output: PathBuf,
    /// When it becomes true, no further batch is begun.
    pub stop: Option<&'static AtomicBool>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 1,
            first: 0,
            programs: 1000,
            jobs: 2,
            most_failures: 1,
            shrink_budget: 3000,
            imprecision: false,
            output: PathBuf::from("lariat-fuzz"),
            stop: None,
        }
    }
}

/// A program with findings.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its number.
    pub index: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// The smallest program found with the first finding.
    pub small: Option<Program>,
    /// Where it was written to.
    pub file: PathBuf,
}

/// What a campaign counted.
#[derive(Clone, Default, Debug)]
pub struct Stats {
    /// Programs examined.
    pub programs: u64,
    /// Programs made to be free of undefined behaviour.
    pub clean: u64,
    /// How the native runs ended.
    pub ends: BTreeMap<String, u64>,
    /// Programs with a signed overflow.
    pub overflows: u64,
    /// Runs of systems that were compared as a whole, and in part.
    pub same: u64,
    /// See `same`.
    pub partly: u64,
    /// What systems did not know that made them differ, and in how many programs.
    pub imprecise: BTreeMap<String, u64>,
    /// Why programs were not compared.
    pub untranslated: BTreeMap<String, u64>,
    /// How often each construct was made.
    pub constructs: Constructs,
    /// Observations that were compared.
    pub observations: u64,
    /// What came of the simulation of views.
    pub simulated: Simulated,
    /// How long the parts of the work took, over all jobs.
    pub times: Times,
}

/// The outcome of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The counts.
    pub stats: Stats,
    /// The programs with findings, in the order of their numbers.
    pub failures: Vec<Failure>,
}

/// Runs a campaign; `progress` hears how many programs are done. An error is about the tools.
pub fn run(plan: &Plan, progress: &(dyn Fn(u64) + Sync)) -> Result<Report, String> {
    let folder = Folder::new()?;
    let native = Native::new(&folder.0)?;
    let next = AtomicU64::new(0);
    let done = AtomicU64::new(0);
    let failed = AtomicUsize::new(0);
    let batches = plan.programs.div_ceil(MOST_PROGRAMS as u64);
    let total: Mutex<Result<Report, String>> = Mutex::new(Ok(Report::default()));
    std::thread::scope(|scope| {
        for job in 0..plan.jobs.max(1) {
            let (native, folder, total, next, done, failed) = (&native, &folder, &total, &next, &done, &failed);
            scope.spawn(move || {
                let mut examiner = Examiner::new(native, &folder.0, job);
                loop {
                    let stopped = plan.stop.is_some_and(|s| s.load(Ordering::Relaxed));
                    let batch = next.fetch_add(1, Ordering::Relaxed);
                    if batch >= batches || stopped || failed.load(Ordering::Relaxed) >= plan.most_failures {
                        break;
                    }
                    let first = plan.first + batch * MOST_PROGRAMS as u64;
                    let last = (first + MOST_PROGRAMS as u64).min(plan.first + plan.programs);
                    let outcome = one_batch(plan, &mut examiner, first, last);
                    let mut total = total.lock().expect("no job panics while it holds the report");
                    match (outcome, &mut *total) {
                        (Ok(part), Ok(report)) => {
                            failed.fetch_add(part.failures.len(), Ordering::Relaxed);
                            report.add(part);
                        }
                        (Err(e), slot) => {
                            *slot = Err(e);
                            failed.store(usize::MAX / 2, Ordering::Relaxed);
                        }
                        _ => {}
                    }
                    drop(total);
                    progress(done.fetch_add(last - first, Ordering::Relaxed) + last - first);
                }
                if let Ok(report) = &mut *total.lock().expect("no job panics while it holds the report") {
                    report.stats.times.add(&examiner.times);
                }
            });
        }
    });
    let mut report = total.into_inner().expect("no job panics while it holds the report")?;
    report.failures.sort_by_key(|f| f.index);
    let mut examiner = Examiner::new(&native, &folder.0, plan.jobs);
    let most = plan.most_failures.max(1);
    for failure in report.failures.iter_mut().take(most) {
        shrink_failure(plan, &mut examiner, failure);
        write_failure(plan, &mut examiner, failure)?;
    }
    Ok(report)
}

/// Examines the one program of a file that a campaign wrote, or that looks like one.
pub fn rerun(text: &str) -> Result<Examined, String> {
    let folder = Folder::new()?;
    let native = Native::new(&folder.0)?;
    let marked = text.lines().find_map(|l| l.strip_prefix(INPUTS)?.strip_suffix(" */")?.parse().ok());
    let own = text.replace(PRELUDE, "").replace("int main(void)", "int @main(void)");
    let program = Program { items: vec![Stmt::text(own)] };
    let subject = Subject { program, input_seed: marked.unwrap_or(0), clean: false };
    Ok(Examiner::new(&native, &folder.0, 0).examine(&[subject])?.swap_remove(0))
}

/// One batch out of so many is watched by all sanitizers from the beginning.
const STRICT: u64 = 8;

/// How a written program says what its inputs are made from.
const INPUTS: &str = "/* inputs ";

/// What was examined, in words.
pub fn describe(examined: &Examined) -> String {
    let mut text = String::new();
    let native = &examined.native;
    let _ = writeln!(text, "native: {:?}", native.observed);
    if let Some(k) = native.overflow_after {
        let _ = writeln!(text, "  a signed overflow after {k} observations");
    }
    let _ = writeln!(text, "  {}", native.end);
    if let Some(why) = &examined.untranslated {
        let _ = writeln!(text, "\nnot compared: {why}");
    }
    let v = &examined.simulated;
    let _ = writeln!(text, "views: {} loops, {} steps, {} starts", v.loops, v.steps, v.starts);
    for why in v.lost.keys() {
        let _ = writeln!(text, "  not followed: {why}");
    }
    for f in &examined.findings {
        let _ = writeln!(text, "\n{}", headline(f));
        if let Some(trace) = &f.trace {
            let _ = writeln!(text, "  {:?}\n  {}", trace.observed, trace.end);
        }
    }
    text
}

/// A folder for this process, which goes when it does.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("lariat-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|e| format!("cannot make the folder {}: {e}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn subject(g: &Generated) -> Subject {
    Subject { program: g.program.clone(), input_seed: g.input_seed, clean: g.risk == 0 }
}

#[expect(clippy::unnecessary_wraps, reason = "a batch may fail as the examiner may")]
fn one_batch(plan: &Plan, examiner: &mut Examiner, first: u64, last: u64) -> Result<Report, String> {
    let made: Vec<Generated> = (first..last).map(|i| generate(plan.seed, i)).collect();
    let subjects: Vec<Subject> = made.iter().map(subject).collect();
    let mut report = Report::default();
    examiner.strict = (first / MOST_PROGRAMS as u64).is_multiple_of(STRICT);
    let mut examined: Vec<Result<Examined, String>> = match examiner.examine(&subjects) {
        Ok(all) => all.into_iter().map(Ok).collect(),
        // One of them does not compile: each on its own, to find it.
        Err(_) => subjects
            .iter()
            .map(|s| examiner.examine(std::slice::from_ref(s)).map(|mut one| one.swap_remove(0)))
            .collect(),
    };
    if !examiner.strict {
        examiner.strict = true;
        // What was not watched may be what makes the difference.
        for (s, outcome) in subjects.iter().zip(&mut examined) {
            let wrong = |e: &Examined| e.findings.iter().any(|f| f.kind != FindingKind::Imprecision);
            if outcome.as_ref().is_ok_and(wrong) {
                *outcome = examiner.examine(std::slice::from_ref(s)).map(|mut one| one.swap_remove(0));
            }
        }
    }
    for ((i, g), outcome) in (first..).zip(&made).zip(examined) {
        let stats = &mut report.stats;
        stats.programs += 1;
        stats.clean += u64::from(g.risk == 0);
        for (construct, n) in &g.constructs {
            *stats.constructs.entry(construct).or_default() += n;
        }
        let mut findings = match outcome {
            Err(detail) => vec![Finding { kind: FindingKind::Generator, of: None, detail, trace: None, system: None }],
            Ok(examined) => {
                let end = match &examined.native.end {
                    End::Undefined(kind) => format!("undefined: {kind}"),
                    End::Crash(signal) => format!("undefined: signal {signal}"),
                    other => other.to_string(),
                };
                *stats.ends.entry(end).or_default() += 1;
                stats.overflows += u64::from(examined.native.overflow_after.is_some());
                stats.same += examined.same;
                stats.partly += examined.partly;
                stats.simulated.add(examined.simulated);
                stats.observations += examined.native.observed.len() as u64;
                if let Some(why) = examined.untranslated {
                    *stats.untranslated.entry(why).or_default() += 1;
                }
                examined.findings
            }
        };
        let unknown = findings.iter().find(|f| f.kind == FindingKind::Imprecision);
        if let Some(f) = unknown {
            let name = f.detail.split(": ").next().unwrap_or_default();
            *stats.imprecise.entry(name.to_owned()).or_default() += 1;
        }
        findings.retain(|f| plan.imprecision || f.kind != FindingKind::Imprecision);
        if !findings.is_empty() {
            let file = plan.output.join(format!("{}-{i}.c", plan.seed));
            report.failures.push(Failure { index: i, findings, small: None, file });
        }
    }
    Ok(report)
}

fn shrink_failure(plan: &Plan, examiner: &mut Examiner, failure: &mut Failure) {
    let original = subject(&generate(plan.seed, failure.index));
    // A program whose builds disagree shows nothing when it is smaller; to ask whether something hangs takes long.
    let Some(known) =
        failure.findings.iter().find(|f| !matches!(f.kind, FindingKind::Generator | FindingKind::Hang)).cloned()
    else {
        return;
    };
    let stopped = || plan.stop.is_some_and(|s| s.load(Ordering::Relaxed));
    examiner.only = known.of;
    let small = shrink(&original.program, plan.shrink_budget, &mut |programs| {
        if stopped() {
            return vec![false; programs.len()];
        }
        // Smaller programs may overflow where the whole one did not: that is another finding, or none.
        let subjects: Vec<Subject> =
            programs.iter().map(|p| Subject { program: p.clone(), ..original.clone() }).collect();
        let fails = |e: &Examined| e.findings.iter().any(|f| f.resembles(&known));
        examiner.examine_some(&subjects).iter().map(|e| e.as_ref().is_some_and(fails)).collect()
    });
    examiner.only = None;
    failure.small = Some(small);
}

/// Writes a failure: the program, the smaller one, both runs, the system.
fn write_failure(plan: &Plan, examiner: &mut Examiner, failure: &mut Failure) -> Result<(), String> {
    let made = generate(plan.seed, failure.index);
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
    };
    std::fs::create_dir_all(&plan.output)
        .map_err(|e| format!("cannot make the folder {}: {e}", plan.output.display()))?;
    let marked = |p: &Program| format!("{INPUTS}{} */\n{}", made.input_seed, single_file(p));
    write(&failure.file, &marked(&made.program))?;
    let mut shown = subject(&made);
    if let Some(small) = &failure.small {
        write(&failure.file.with_extension("small.c"), &marked(small))?;
        shown.program = small.clone();
    }
    let mut text = format!("program {} of seed {}\n", failure.index, plan.seed);
    for f in &failure.findings {
        let _ = writeln!(text, "{}", headline(f));
    }
    let hangs = failure.findings.iter().any(|f| f.kind == FindingKind::Hang);
    let again = if hangs { None } else { examiner.examine(std::slice::from_ref(&shown)).ok() };
    if let Some(examined) = again.map(|mut all| all.swap_remove(0)) {
        let _ = writeln!(text, "\nthe smaller one:\n{}", describe(&examined));
        if let Some(system) = examined.findings.iter().find_map(|f| f.system.as_ref()) {
            write(&failure.file.with_extension("lts"), system)?;
        }
    }
    write(&failure.file.with_extension("txt"), &text)
}

/// A finding in a line.
pub(super) fn headline(f: &Finding) -> String {
    let of = match f.of {
        Some((target, Variant::Plain)) => format!(" ({target:?})"),
        Some((target, Variant::Optimised)) => format!(" ({target:?}, after sroa and mem2reg)"),
        None => String::new(),
    };
    format!("{}{of}: {}", f.kind.name(), f.detail)
}

impl Report {
    fn add(&mut self, other: Self) {
        let (s, o) = (&mut self.stats, other.stats);
        s.programs += o.programs;
        s.clean += o.clean;
        s.overflows += o.overflows;
        s.same += o.same;
        s.partly += o.partly;
        s.observations += o.observations;
        s.simulated.add(o.simulated);
        for (k, n) in o.ends {
            *s.ends.entry(k).or_default() += n;
        }
        for (k, n) in o.imprecise {
            *s.imprecise.entry(k).or_default() += n;
        }
        for (k, n) in o.untranslated {
            *s.untranslated.entry(k).or_default() += n;
        }
        for (k, n) in o.constructs {
            *s.constructs.entry(k).or_default() += n;
        }
        self.failures.extend(other.failures);
    }

    /// The counts as a table, and the failures.
    pub fn table(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.render(&mut out);
        out
    }

    fn render(&self, out: &mut String) -> std::fmt::Result {
        let s = &self.stats;
        writeln!(out, "{} programs, {} of them made to be free of undefined behaviour", s.programs, s.clean)?;
        writeln!(
            out,
            "  {} runs of transition systems compared as a whole, {} in part; {} observations",
            s.same, s.partly, s.observations
        )?;
        writeln!(out, "\n  how the programs ended")?;
        for (end, n) in &s.ends {
            writeln!(out, "    {n:>8} {end}")?;
        }
        writeln!(out, "    {:>8} with a signed overflow on the way", s.overflows)?;
        if !s.imprecise.is_empty() {
            writeln!(out, "\n  programs that differ only because a system does not know this")?;
            for (name, n) in &s.imprecise {
                writeln!(out, "    {n:>8} {name}")?;
            }
        }
        if !s.untranslated.is_empty() {
            writeln!(out, "\n  not compared")?;
            for (why, n) in &s.untranslated {
                writeln!(out, "    {n:>8} {why}")?;
            }
        }
        let v = &s.simulated;
        writeln!(
            out,
            "\n  views: {} runs followed, {} of them to their end; {} loops, {} views",
            v.programs, v.whole, v.loops, v.views
        )?;
        writeln!(out, "    {} steps and {} starts compared, {} of them without an answer", v.steps, v.starts, v.open)?;
        writeln!(out, "    loops that were compared")?;
        for (feature, n) in &v.features {
            writeln!(out, "      {n:>8} {feature}")?;
        }
        writeln!(out, "    not followed from some moment on")?;
        for (why, n) in &v.lost {
            writeln!(out, "      {n:>8} {why}")?;
        }
        writeln!(out, "\n  constructs")?;
        let shown: Vec<String> = s.constructs.iter().map(|(k, n)| format!("{n:>8} {k}")).collect();
        let rows = shown.len().div_ceil(3);
        for row in 0..rows {
            let cells = (0..3).filter_map(|column| shown.get(column * rows + row));
            let line: Vec<String> = cells.map(|c| format!("{c:<44}")).collect();
            writeln!(out, "  {}", line.concat().trim_end())?;
        }
        writeln!(out, "\n  {} programs with findings", self.failures.len())?;
        for f in &self.failures {
            writeln!(out, "\nFAILURE in program {}, in {}", f.index, f.file.display())?;
            for finding in &f.findings {
                writeln!(out, "  {}", headline(finding))?;
            }
            if let Some(small) = &f.small {
                writeln!(out, "\n{}", small.print(""))?;
            }
        }
        Ok(())
    }
}
