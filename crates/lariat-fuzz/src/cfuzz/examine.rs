//! From programs to findings: native runs, translation, runs of the transition systems, comparison.

use super::blame::blame;
use super::compare::{Outcome, Variant, compare};
use super::interpret::{Ended, Trace, Values, interpret};
use super::native::{Build, End, Native, Run, file_of, find_tool};
use super::program::{PRELUDE, Program};
use super::simulate::{self, Simulated, simulate};
use lariat_front::module::{Function, Global, Module};
use lariat_front::{EntryChoice, Options, compile, llvm, translate};
use lariat_ir::neutral::{self, Target, lower};
use lariat_ir::{TransitionSystem, lts};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingKind {
    /// The system does something else than the program.
    Difference,
    /// A view of a loop does not have a step that the program makes.
    View,
    /// The program was not followed as it runs.
    Followed,
    /// What the system does depends on something that it does not know and the program does.
    Imprecision,
    /// Something panicked.
    Panic,
    /// Something takes very long.
    Hang,
    /// The program is not what it should be: it does not compile, or the two builds disagree, or one that was to be
    /// defined is not.
    Generator,
}

impl FindingKind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Difference => "the transition system does something else",
            Self::View => "a view does not have a step of the program",
            Self::Followed => "the program was followed wrongly",
            Self::Imprecision => "the transition system does not know what it does",
            Self::Panic => "a panic",
            Self::Hang => "it takes too long",
            Self::Generator => "the program is not what it should be",
        }
    }
}

/// Something that is wrong with a program's translation.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// The integer semantics and whether the optimiser was there.
    pub of: Option<(Target, Variant)>,
    /// More about it.
    pub detail: String,
    /// The run of the system.
    pub trace: Option<Trace>,
    /// The system's text.
    pub system: Option<String>,
}

impl Finding {
    /// Whether another finding is about the same: a smaller program may fail in its place.
    pub fn resembles(&self, other: &Self) -> bool {
        let shape = |s: &str| s.chars().filter(|c| c.is_alphabetic()).take(24).collect::<String>();
        self.kind == other.kind && self.of == other.of && shape(&self.detail) == shape(&other.detail)
    }
}

/// What became of one program.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The native run that the sanitizers watched.
    pub native: Run,
    /// What is wrong; empty if nothing is.
    pub findings: Vec<Finding>,
    /// How many runs of systems were compared as a whole, and in part.
    pub same: u64,
    /// See `same`.
    pub partly: u64,
    /// Why the program was not compared, if it was not.
    pub untranslated: Option<String>,
    /// What came of the simulation of its views.
    pub simulated: Simulated,
}

/// A program and what its inputs are made from.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program.
    pub program: Program,
    /// The seed of its inputs.
    pub input_seed: u64,
    /// Whether it was made to be free of undefined behaviour.
    pub clean: bool,
}

/// How long the parts of the work took.
#[derive(Clone, Copy, Default, Debug)]
pub struct Times {
    /// Compilers, native runs and the optimiser.
    pub native: Duration,
    /// Compiling for and reading by the front end.
    pub reading: Duration,
    /// Translating.
    pub translating: Duration,
    /// Lowering.
    pub lowering: Duration,
    /// Running the systems.
    pub running: Duration,
    /// Following programs and asking their views.
    pub simulating: Duration,
}

impl Times {
    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        self.native += other.native;
        self.reading += other.reading;
        self.translating += other.translating;
        self.lowering += other.lowering;
        self.running += other.running;
        self.simulating += other.simulating;
    }
}

/// One job's examiner; its files have names of their own.
pub struct Examiner<'e> {
    native: &'e Native,
    folder: PathBuf,
    job: usize,
    optimiser: Option<PathBuf>,
    /// The one comparison to make; all if there is none.
    pub only: Option<(Target, Variant)>,
    /// Whether all sanitizers watch the native run. Default is yes.
    pub strict: bool,
    /// How long things took.
    pub times: Times,
}

impl<'e> Examiner<'e> {
    /// An examiner that works in a folder.
    pub fn new(native: &'e Native, folder: &Path, job: usize) -> Self {
        let optimiser =
            (14..=22).rev().map(|n| format!("opt-{n}")).chain(["opt".to_owned()]).find_map(|n| find_tool(&n));
        Self { native, folder: folder.to_owned(), job, optimiser, only: None, strict: true, times: Times::default() }
    }

    /// Examines some programs; an error is about all of them: they do not compile.
    pub fn examine(&mut self, subjects: &[Subject]) -> Result<Vec<Examined>, String> {
        let source = self.folder.join(format!("job{}.c", self.job));
        let text = file_of(subjects.iter().map(|s| &s.program));
        std::fs::write(&source, text).map_err(|e| format!("cannot write {}: {e}", source.display()))?;
        let seeds: Vec<u64> = subjects.iter().map(|s| s.input_seed).collect();

        // The front end's compiler comes first: it is the quickest to refuse what is no C.
        let begin = Instant::now();
        let options = Options { observe: Some("observe".into()), ..Options::default() };
        let bitcode = compile::compile(&source, &options).map_err(|f| f.message)?;
        let module = llvm::read(&bitcode, "program.c").map_err(|f| f.message)?;
        self.times.reading += begin.elapsed();

        let begin = Instant::now();
        let plain = self.native.run(&source, &format!("job{}.plain", self.job), &seeds, Build::Plain)?;
        let watch = if self.strict { Build::Strict } else { Build::Watched };
        let sanitized = self.native.run(&source, &format!("job{}.sanitized", self.job), &seeds, watch)?;
        let wanted = |variant: Variant| self.only.is_none_or(|(_, only)| only == variant);
        let (as_it_is, also_optimised) = (wanted(Variant::Plain), wanted(Variant::Optimised));
        let optimised = if also_optimised { self.optimise(&bitcode)? } else { None };
        self.times.native += begin.elapsed();
        let begin = Instant::now();
        let optimised = match optimised {
            Some(bytes) => Some(llvm::read(&bytes, "program.c").map_err(|f| f.message)?),
            None => None,
        };
        self.times.reading += begin.elapsed();

        let mut done = Vec::new();
        for (k, subject) in subjects.iter().enumerate() {
            let native = sanitized[k].clone();
            let (findings, untranslated, simulated) = (Vec::new(), None, Simulated::default());
            let mut examined = Examined { native, findings, same: 0, partly: 0, untranslated, simulated };
            if let Some(why) = unfit(subject, &plain[k], &sanitized[k]) {
                let (kind, detail) = (FindingKind::Generator, why);
                examined.findings.push(Finding { kind, of: None, detail, trace: None, system: None });
            } else if disagree(&plain[k], &sanitized[k]) {
                // No sanitizer sees everything.
                examined.untranslated = Some("it is undefined in a way that no sanitizer sees".into());
            } else {
                if as_it_is {
                    self.systems(k, subject, &module, Variant::Plain, &mut examined);
                }
                if let Some(module) = &optimised {
                    self.systems(k, subject, module, Variant::Optimised, &mut examined);
                }
            }
            done.push(examined);
        }
        Ok(done)
    }

    /// Examines programs of which some may be no C; nothing for those.
    pub fn examine_some(&mut self, subjects: &[Subject]) -> Vec<Option<Examined>> {
        let mut done: Vec<Option<Examined>> = vec![None; subjects.len()];
        let source = self.folder.join(format!("job{}.c", self.job));
        let mut good: Vec<usize> = (0..subjects.len()).collect();
        // Some errors show only when others are gone.
        for _ in 0..3 {
            let text = file_of(good.iter().map(|&k| &subjects[k].program));
            if std::fs::write(&source, text).is_err() {
                return done;
            }
            let Ok(faults) = self.native.faults(&source) else { return done };
            if faults.is_empty() {
                break;
            }
            let mut line = PRELUDE.lines().count();
            let mut kept = Vec::new();
            for (slot, &k) in good.iter().enumerate() {
                let end = line + subjects[k].program.print(&format!("p{slot}_")).lines().count();
                if !faults.iter().any(|f| line < *f && *f <= end) {
                    kept.push(k);
                }
                line = end;
            }
            good = kept;
        }
        let chosen: Vec<Subject> = good.iter().map(|&k| subjects[k].clone()).collect();
        if chosen.is_empty() {
            return done;
        }
        match self.examine(&chosen) {
            Ok(all) => {
                for (k, examined) in good.into_iter().zip(all) {
                    done[k] = Some(examined);
                }
            }
            Err(_) if subjects.len() > 1 => {
                for k in good {
                    done[k] = self.examine(std::slice::from_ref(&subjects[k])).ok().map(|mut one| one.swap_remove(0));
                }
            }
            Err(_) => {}
        }
        done
    }

    /// The module after promotion of variables by LLVM, where the optimiser is there.
    fn optimise(&self, bitcode: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let Some(optimiser) = &self.optimiser else { return Ok(None) };
        let shown = optimiser.display();
        let mut child = Command::new(optimiser)
            .args(["-passes=sroa,mem2reg", "-", "-o", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("cannot run {shown}: {e}"))?;
        let mut input = child.stdin.take().expect("standard input is piped");
        // It reads everything before it writes anything.
        input.write_all(bitcode).map_err(|e| format!("cannot write to {shown}: {e}"))?;
        drop(input);
        let done = child.wait_with_output().map_err(|e| format!("cannot run {shown}: {e}"))?;
        if done.status.success() { Ok(Some(done.stdout)) } else { Err(format!("{shown} refuses the module")) }
    }

    /// The semantics in which a program is compared. The two over Z differ in what they prove only, and what the optimiser made
    /// takes the same way through the lowering: a program takes its turn there.
    fn targets(&self, subject: &Subject, variant: Variant) -> Vec<Target> {
        if let Some((target, _)) = self.only {
            return vec![target];
        }
        let turn = subject.input_seed;
        match variant {
            Variant::Plain if turn.is_multiple_of(2) => vec![Target::Wrap, Target::CDiverges, Target::Ideal],
            Variant::Plain => vec![Target::Wrap, Target::CDiverges, Target::CTerminates],
            Variant::Optimised => vec![[Target::Wrap, Target::CDiverges, Target::Ideal][(turn / 2 % 3) as usize]],
        }
    }

    /// Translates one program of a module and compares its systems, in a thread of its own: what takes too long is left behind.
    fn systems(&mut self, k: usize, subject: &Subject, module: &Module, variant: Variant, examined: &mut Examined) {
        let (send, receive) = mpsc::channel();
        let work = Work {
            entry: format!("p{k}_main"),
            input_seed: subject.input_seed,
            module: alone(module, k),
            variant,
            native: examined.native.clone(),
            targets: self.targets(subject, variant),
        };
        let started = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            // Nobody listens any more if it took too long.
            let _ = send.send(work.compared());
        });
        let outcome = started.map_err(|_| ()).and_then(|_| receive.recv_timeout(PATIENCE).map_err(|_| ()));
        match outcome {
            Ok(c) => {
                examined.findings.extend(c.findings);
                examined.same += c.same;
                examined.partly += c.partly;
                examined.untranslated = examined.untranslated.take().or(c.untranslated);
                examined.simulated.add(c.simulated);
                self.times.add(&c.times);
            }
            Err(()) => {
                let detail = format!("no answer within {} s ({variant:?})", PATIENCE.as_secs());
                examined.findings.push(Finding {
                    kind: FindingKind::Hang,
                    of: None,
                    detail,
                    trace: None,
                    system: None,
                });
            }
        }
    }
}

/// How long one program may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Graphs are walked recursively.
const STACK: usize = 256 << 20;

/// One program of a module.
struct Work {
    entry: String,
    input_seed: u64,
    module: Module,
    variant: Variant,
    native: Run,
    targets: Vec<Target>,
}

/// What became of it.
#[derive(Default)]
struct Compared {
    findings: Vec<Finding>,
    same: u64,
    partly: u64,
    untranslated: Option<String>,
    simulated: Simulated,
    times: Times,
}

impl Work {
    /// Follows the program and asks the views of its loops.
    fn simulate(&self, options: &Options, done: &mut Compared) {
        let begin = Instant::now();
        let mut module = self.module.clone();
        // Half of the programs are read with the rule that memory has types.
        module.typed_memory = self.input_seed.is_multiple_of(2);
        let mut targets: Vec<Target> = Vec::new();
        for t in &self.targets {
            // Views are for proofs of termination.
            let t = if *t == Target::CDiverges { Target::CTerminates } else { *t };
            if !targets.contains(&t) {
                targets.push(t);
            }
        }
        // The two over Z are alike: a program takes its turn.
        if targets.len() > 2 {
            targets.retain(|t| *t != Target::CTerminates);
        }
        let simulated = guarded(|| {
            let prepared = translate::Prepared::new(&module, options).map_err(|f| f.message)?;
            let (functions, origins) = prepared.functions_with_origins();
            Ok::<_, String>(simulate(simulate::Subject {
                module: prepared.module(),
                functions: &functions,
                origins: &origins,
                entry: &self.entry,
                input_seed: self.input_seed,
                native: &self.native,
                targets: &targets,
            }))
        });
        done.times.simulating += begin.elapsed();
        match simulated {
            Err(words) => done.findings.push(panicked(None, &format!("simulating: {words}"))),
            Ok(Err(_)) => {}
            Ok(Ok(mut found)) => {
                for w in std::mem::take(&mut found.wrong) {
                    let kind = if w.target.is_some() { FindingKind::View } else { FindingKind::Followed };
                    let of = Some((w.target.unwrap_or(self.targets[0]), self.variant));
                    let (detail, system) = (w.detail, w.system);
                    done.findings.push(Finding { kind, of, detail, trace: None, system });
                }
                done.simulated.add(found);
            }
        }
    }

    /// The unknown on which a difference may rest: one that is there whatever the unknowns are is a bug, others are only a loss.
    fn unknown_at_fault(
        &self,
        program: &neutral::Program,
        ts: &TransitionSystem,
        of: Target,
        from: &Values,
        trace: &Trace,
    ) -> Option<String> {
        let at = trace.observed.iter().zip(&self.native.observed).take_while(|(a, b)| **a == i128::from(**b)).count();
        let last = trace.asked.iter().rev().find(|(observations, _)| *observations <= at);
        if last.is_some() && blame(ts, from, at).covers(at) {
            let name = last.map_or("", |(_, u)| ts.unknowns[*u].name.as_str());
            return Some(kind_of_unknown(name).to_owned());
        }
        // What was forgotten counts as overflowed there, whatever its value is, and the system may not even ask for it before
        // it ends. To end too often is sound, because only runs for ever are proved with it. It is a loss only where something
        // was forgotten; what passes put together from parts without a value counts as that. (`more` decides only where runs go
        // that have left the model.)
        let early = of == Target::CDiverges && trace.end == Ended::Undefined && trace.observed.len() == at;
        let forgotten = |u: &&neutral::Unknown| u.computed && !u.name.starts_with("more");
        let forgotten = program.unknowns.iter().find(forgotten).filter(|_| early)?;
        Some(format!("{} (counts as overflowed)", kind_of_unknown(&forgotten.name)))
    }

    fn compared(&self) -> Compared {
        let mut done = Compared::default();
        let options = Options {
            observe: Some("observe".into()),
            entry: EntryChoice::Named(self.entry.clone()),
            ..Options::default()
        };
        self.simulate(&options, &mut done);
        let begin = Instant::now();
        let translated = guarded(|| translate::translate(&self.module, &options));
        done.times.translating += begin.elapsed();
        let entry = match translated {
            Err(words) => {
                done.findings.push(panicked(None, &format!("translating: {words}")));
                return done;
            }
            Ok(Err(failure)) => {
                done.untranslated = Some(failure.message);
                return done;
            }
            Ok(Ok(mut entries)) => entries.swap_remove(0),
        };
        let types = entry.program.unknowns.iter().map(|u| (u.name.clone(), u.ty)).collect();
        let from = Values { input_seed: self.input_seed, other_seed: self.input_seed ^ 0x5eed, types };
        for &target in &self.targets {
            let of = (target, self.variant);
            let begin = Instant::now();
            let lowered = guarded(|| lower(&entry.program, target));
            done.times.lowering += begin.elapsed();
            let ts = match lowered {
                Err(words) => {
                    done.findings.push(panicked(Some(of), &format!("lowering: {words}")));
                    continue;
                }
                Ok(ts) => ts,
            };
            let begin = Instant::now();
            let ran = guarded(|| interpret(&ts, &from));
            done.times.running += begin.elapsed();
            let trace = match ran {
                Err(words) => {
                    done.findings.push(panicked(Some(of), &format!("running: {words}")));
                    continue;
                }
                Ok(trace) => trace,
            };
            match compare(&self.native, &trace, target, self.variant) {
                Outcome::Same => done.same += 1,
                Outcome::Partly => done.partly += 1,
                Outcome::Differ(detail) => {
                    let unknown = self.unknown_at_fault(&entry.program, &ts, target, &from, &trace);
                    let (kind, detail) = match unknown {
                        Some(name) => (FindingKind::Imprecision, format!("{name}: {detail}")),
                        None => (FindingKind::Difference, detail),
                    };
                    let system = Some(lts::print(&ts));
                    done.findings.push(Finding { kind, of: Some(of), detail, trace: Some(trace), system });
                }
            }
        }
        done
    }
}

/// The name of an unknown without its place.
fn kind_of_unknown(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || ":. ".contains(c))
}

/// The module with one program only: the translator may look at all functions whose address is taken.
fn alone(module: &Module, k: usize) -> Module {
    let foreign = |name: &str| owner(name).is_some_and(|o| o != k);
    let functions = module.functions.iter().map(|f| {
        if !foreign(&f.name) {
            return f.clone();
        }
        Function {
            name: f.name.clone(),
            promise: f.promise.clone(),
            source_name: None,
            params: f.params.clone(),
            result: f.result.clone(),
            blocks: Vec::new(),
            declares: Vec::new(),
            declared_at: Vec::new(),
            values: Vec::new(),
            ..*f
        }
    });
    let globals = module.globals.iter().map(|g| {
        if !foreign(&g.name) {
            return g.clone();
        }
        Global {
            name: g.name.clone(),
            variable: None,
            ty: g.ty.clone(),
            section: g.section.clone(),
            external: false,
            init: None,
            ..*g
        }
    });
    Module {
        source: module.source.clone(),
        assembly: module.assembly.clone(),
        files: module.files.clone(),
        types: module.types.clone(),
        globals: globals.collect(),
        functions: functions.collect(),
        ..*module
    }
}

/// The number of the program that a name belongs to: `p3_main`, `p3_f1.x2`, `__const.p3_f1.x2`.
fn owner(name: &str) -> Option<usize> {
    name.split('.').find_map(|part| part.strip_prefix('p')?.split_once('_')?.0.parse().ok())
}

/// Why a program is not what it should be.
fn unfit(subject: &Subject, plain: &Run, sanitized: &Run) -> Option<String> {
    let undefined = matches!(sanitized.end, End::Undefined(_) | End::Crash(_));
    if subject.clean && (undefined || sanitized.overflow_after.is_some()) {
        return Some(format!("it was to be defined, and is not: {}", sanitized.end));
    }
    if subject.clean && disagree(plain, sanitized) {
        return Some(format!(
            "the two builds disagree: {} observations and {}, {} and {}",
            plain.observed.len(),
            plain.end,
            sanitized.observed.len(),
            sanitized.end
        ));
    }
    None
}

/// Whether two builds differ in a run that no sanitizer ended.
fn disagree(plain: &Run, sanitized: &Run) -> bool {
    let undefined = matches!(sanitized.end, End::Undefined(_) | End::Crash(_));
    !undefined && (plain.observed != sanitized.observed || plain.end != sanitized.end)
}

fn panicked(of: Option<(Target, Variant)>, words: &str) -> Finding {
    Finding { kind: FindingKind::Panic, of, detail: words.to_owned(), trace: None, system: None }
}

fn guarded<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| {
        let words =
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        words.unwrap_or("without words").to_owned()
    })
}
