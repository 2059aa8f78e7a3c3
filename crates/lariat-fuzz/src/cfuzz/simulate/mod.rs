//! Simulation of views: what a program does from one visit of a loop's header to the next must be a step of each view of the loop.
//!
//! - `machine` runs the module that functions are made from, with the inputs of the native run, on `memory` byte by byte. What it
//!   observes must be what the native program observes;
//! - `record` notes what the variables and places of functions hold at the headers of loops, in each activation: a variable holds what
//!   its counterpart in the module does, a place what stands in memory at its address;
//! - `step` asks whether a view has a step between two such states.
//!
//! Nothing is taken from the steps of a function: a wrong translation of one is found like a wrong rule of views, because
//! the states are those of the module. What is not known of a state may be anything.

mod arithmetic;
mod library;
mod machine;
mod memory;
mod record;
mod step;
mod values;

pub use machine::Halt;

use super::native::{End, Run};
use dashu_int::IBig;
use lariat_check::view::{
    Effects, Entered, Keep, Places, Site, Start, deps, derive, enter, enter_caller, keeps, refusal,
};
use lariat_front::module::{FunctionId, Module};
use lariat_front::translate::Origins;
use lariat_ir::function::{Access, End as BlockEnd, Function, Functions, ObjectRef, Step, Target as Called};
use lariat_ir::neutral::{Target, lower};
use lariat_ir::{LocId, lts};
use machine::Machine;
use record::{Around, Looked, Recorder, State, Watched};
use std::collections::{BTreeMap, BTreeSet};
use step::{Found, Steps};

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The module, prepared for translation.
    pub module: &'a Module,
    /// Its functions, from which views are made.
    pub functions: &'a Functions,
    /// What their variables are in the module.
    pub origins: &'a Origins,
    /// Where the run starts.
    pub entry: &'a str,
    /// The seed of the inputs.
    pub input_seed: u64,
    /// The native run.
    pub native: &'a Run,
    /// The integer semantics of the views.
    pub targets: &'a [Target],
}

/// A step of the program that a view does not have, or something else that is wrong.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The semantics of the view; nothing if the run itself differs.
    pub target: Option<Target>,
    /// In words.
    pub detail: String,
    /// The view's system.
    pub system: Option<String>,
}

/// What came of it.
#[derive(Clone, Default, Debug)]
pub struct Simulated {
    /// How many programs were simulated.
    pub programs: u64,
    /// How many of them ended as the native run did, so that all of it was followed.
    pub whole: u64,
    /// Why the others were followed in part only.
    pub lost: BTreeMap<String, u64>,
    /// Loops with at least one step that was compared.
    pub loops: u64,
    /// Views that were asked.
    pub views: u64,
    /// Questions whether a view has a step, and whether it starts in a state.
    pub steps: u64,
    /// See `steps`.
    pub starts: u64,
    /// Questions without an answer.
    pub open: u64,
    /// What the loops that were compared have.
    pub features: BTreeMap<&'static str, u64>,
    /// What is wrong.
    pub wrong: Vec<Wrong>,
}

impl Simulated {
    /// Adds another's counts and findings.
    pub fn add(&mut self, other: Self) {
        self.programs += other.programs;
        self.whole += other.whole;
        self.loops += other.loops;
        self.views += other.views;
        self.steps += other.steps;
        self.starts += other.starts;
        self.open += other.open;
        for (k, n) in other.lost {
            *self.lost.entry(k).or_default() += n;
        }
        for (k, n) in other.features {
            *self.features.entry(k).or_default() += n;
        }
        self.wrong.extend(other.wrong);
    }
}

/// Follows a program and compares what it does with the views of its loops.
pub fn simulate(subject: Subject<'_>) -> Simulated {
    let mut done = Simulated { programs: 1, ..Simulated::default() };
    let functions = subject.functions;
    let effects = Effects::of(functions);
    let mut recorder = Recorder::new(functions, subject.origins);
    let mut all: BTreeMap<(usize, Looked), Vec<Keep>> = BTreeMap::new();
    let entered = entered(functions);
    let site = |f: usize, at: Looked| {
        let entered = entered.get(&(f, at));
        let plain = Site { functions, effects: &effects, function: f, of: at.of, entered };
        match entered.and_then(|e| Some((e.of(), e.loop_of_callee(at.of)?))) {
            Some((function, of)) => Site { function, of, ..plain },
            None => plain,
        }
    };
    let own = functions.list.iter().enumerate().flat_map(|(f, function)| {
        (0..function.loops.len()).map(move |of| (f, Looked { of, around: Around::Function }))
    });
    for (f, at) in own.chain(entered.keys().copied()) {
        let site = site(f, at);
        if refusal(site, Start::Anywhere).is_some() {
            continue;
        }
        let places = Places::of(site);
        let tried = tried(site, &places);
        let wanted: BTreeSet<usize> = tried.iter().flat_map(|k| &k.vars).copied().collect();
        let caller = entered.get(&(f, at)).filter(|_| at.around == Around::Caller).cloned();
        recorder.loops.entry(f).or_default().insert(at, Watched::new(wanted, places, caller));
        all.insert((f, at), tried);
    }
    follow(subject, &mut recorder, &mut done);
    let loops = std::mem::take(&mut recorder.loops);
    for (f, at, watched) in loops.iter().flat_map(|(f, all)| all.iter().map(move |(at, w)| (*f, *at, w))) {
        if watched.steps.is_empty() && watched.entered.is_empty() {
            continue;
        }
        let site = site(f, at);
        let mut was_compared = false;
        for keep in &all[&(f, at)] {
            for &target in subject.targets {
                was_compared |= compare(site, watched, keep, target, &mut done);
            }
        }
        if was_compared {
            done.loops += u64::from(at.around == Around::Function);
            for feature in features(site, at, watched) {
                *done.features.entry(feature).or_default() += 1;
            }
        }
    }
    done
}

/// The functions with calls entered, for each loop for which there are any.
fn entered(functions: &Functions) -> BTreeMap<(usize, Looked), Entered> {
    let mut found = BTreeMap::new();
    for (f, function) in functions.list.iter().enumerate() {
        let caller = if function.loops.is_empty() { None } else { enter_caller(functions, f) };
        for of in 0..function.loops.len() {
            if let Some(with_callees) = enter(functions, f, of) {
                found.insert((f, Looked { of, around: Around::Callees }), with_callees);
            }
            if let Some(caller) = &caller {
                found.insert((f, Looked { of, around: Around::Caller }), caller.clone());
            }
        }
    }
    found
}

/// What is kept: what a search would try, and everything at once.
fn tried(site: Site<'_>, places: &Places) -> Vec<Keep> {
    let deps = deps(site, places);
    let mut tried: Vec<Keep> = keeps(site, places, &deps).collect();
    let mut every = deps.closed(&deps.exits.iter().chain(&deps.branches).chain(&deps.addresses).copied().collect());
    every.extend((0..places.list.len()).map(|n| places.first + n).filter(|p| places.is_fixed(*p)));
    let function = site.function();
    every.extend((0..function.vars.len()).filter(|v| function.vars[*v].named));
    let every: BTreeSet<usize> = every.into_iter().take(MOST_KEPT).collect();
    for start in [Start::Anywhere, Start::Near, Start::Entry] {
        let keep = Keep { vars: every.clone(), start };
        if !tried.contains(&keep) {
            tried.push(keep);
        }
    }
    tried
}

/// So much is kept where everything is.
const MOST_KEPT: usize = 60;

/// Runs the program as far as it can be followed, and compares it with the native run.
fn follow(subject: Subject<'_>, recorder: &mut Recorder<'_>, done: &mut Simulated) {
    let native = subject.native;
    let named = |f: &&(usize, &lariat_front::module::Function)| f.1.name == subject.entry;
    let Some((entry, _)) = subject.module.functions.iter().enumerate().collect::<Vec<_>>().iter().find(named).copied()
    else {
        *done.lost.entry("no entry".to_owned()).or_default() += 1;
        return;
    };
    let is_undefined = matches!(native.end, End::Undefined(_) | End::Crash(_));
    // What the sanitizers find undefined may look defined here: the run is followed to the last observation before.
    let most = if is_undefined { native.observed.len() } else { usize::MAX };
    if most == 0 {
        *done.lost.entry("undefined before the first observation".to_owned()).or_default() += 1;
        return;
    }
    let mut machine = Machine::new(subject.module, subject.input_seed, most, !is_undefined);
    let entry = FunctionId(u32::try_from(entry).expect("there are few functions"));
    let halt = machine.run(entry, recorder);
    let seen = &machine.observed;
    let differs = seen.iter().zip(&native.observed).position(|(a, b)| a != b);
    let wrong = |detail: String| Wrong { target: None, detail, system: None };
    let same_end = match (&halt, &native.end) {
        (Halt::Exit, End::Exit) | (Halt::Trap, End::Trap) | (Halt::Limit, _) => true,
        (Halt::Lost(_), _) => true,
        (Halt::Undefined(_), End::Undefined(_) | End::Crash(_)) => true,
        // No sanitizer sees everything; the types of memory none of them looks at.
        (Halt::Undefined(_), _) => true,
        _ => false,
    };
    if machine.looked_at_addresses && (differs.is_some() || !same_end) {
        *done.lost.entry("what it does depends on addresses".to_owned()).or_default() += 1;
        recorder.loops.clear();
    } else if let Some(n) = differs {
        let detail = format!("followed, observation {n} is {}, not {}", seen[n], native.observed[n]);
        done.wrong.push(wrong(detail));
    } else if seen.len() > native.observed.len() || !same_end {
        let detail = format!("followed, it ends {halt:?} after {} observations, not {}", seen.len(), native.end);
        done.wrong.push(wrong(detail));
    } else {
        match halt {
            Halt::Exit | Halt::Trap => done.whole += 1,
            Halt::Limit => *done.lost.entry("it runs on".to_owned()).or_default() += 1,
            Halt::Lost(why) => *done.lost.entry(why).or_default() += 1,
            Halt::Undefined(why) => *done.lost.entry(format!("undefined: {why}")).or_default() += 1,
        }
    }
}

/// Asks one view of a loop about all that was recorded; whether there was a step to ask about.
fn compare(site: Site<'_>, watched: &Watched, keep: &Keep, target: Target, done: &mut Simulated) -> bool {
    let Ok(view) = derive(site, &watched.places, keep) else { return false };
    let program = view.program();
    let function = site.function();
    let ts = lower(program, target);
    let is_header = |l: &lariat_ir::neutral::Location| {
        !l.name.contains(", block ")
            && !l.name.ends_with(", first round")
            && !l.name.ends_with(", before")
            && l.name != "start"
    };
    let header: Option<LocId> = program.locs.iter().find(|l| is_header(l)).and_then(|l| ts.loc_named(&l.name));
    let Some(header) = header else { return false };
    let values = |state: &State| keep.vars.iter().map(|v| state.get(v).cloned()).collect::<Vec<Option<IBig>>>();
    let shown = |state: &State| {
        let known = keep.vars.iter().enumerate().filter_map(|(n, v)| {
            let value = state.get(v)?;
            Some(format!("{} = {value}", program.vars[n].0))
        });
        known.collect::<Vec<_>>().join(", ")
    };
    let what = |text: String| {
        let key = &function.loops[site.of].key;
        format!(
            "{text}, in the view of {key} with {:?} that keeps {} things{}",
            keep.start,
            keep.vars.len(),
            match site.entered.map(|e| e.loop_of_callee(0).is_some()) {
                Some(true) => ", in the only caller",
                Some(false) => ", calls entered",
                None => "",
            }
        )
    };
    let mut steps = Steps::new(&ts, header);
    done.views += 1;
    let mut was_compared = false;
    let mut wrong = None;
    // Where little is kept, little differs from one step to the next.
    let most = if keep.vars.len() == watched.wanted.len() { usize::MAX } else { 4 };
    for (n, (from, to, overflowed)) in watched.steps.iter().take(most).enumerate() {
        if *overflowed && target.over_z() {
            continue;
        }
        was_compared = true;
        done.steps += 1;
        match steps.leads(&values(from), &values(to)) {
            Found::Allowed => {}
            Found::Open => done.open += 1,
            Found::Refused => {
                wrong = wrong.or_else(|| Some(what(format!("no step from ({}) to ({})", shown(from), shown(to)))));
            }
        }
        if keep.start == Start::SecondRound && n == 0 {
            done.starts += 1;
            match steps.starts(&values(to)) {
                Found::Allowed => {}
                Found::Open => done.open += 1,
                Found::Refused => wrong = wrong.or_else(|| Some(what(format!("no start in ({})", shown(to))))),
            }
        }
    }
    for (state, overflowed) in &watched.entered {
        if *overflowed && target.over_z() || keep.start == Start::SecondRound {
            continue;
        }
        done.starts += 1;
        match steps.starts(&values(state)) {
            Found::Allowed => {}
            Found::Open => done.open += 1,
            Found::Refused => wrong = wrong.or_else(|| Some(what(format!("no start in ({})", shown(state))))),
        }
    }
    if let Some(detail) = wrong {
        done.wrong.push(Wrong { target: Some(target), detail, system: Some(lts::print(&ts)) });
    }
    was_compared
}

/// What a loop has, for the report.
fn features(site: Site<'_>, at: Looked, watched: &Watched) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    if at.around == Around::Caller {
        // The rest was told of its own function.
        return BTreeSet::from(["in the only caller"]);
    }
    let function: &Function = site.function();
    let functions = site.functions;
    let this = &function.loops[site.of];
    if site.entered.is_some() {
        found.insert("with calls entered");
    }
    if this.parent.is_some() {
        found.insert("inside another loop");
    }
    if function.loops.iter().any(|l| l.parent == Some(site.of)) {
        found.insert("with an inner loop");
    }
    if functions.reachable(function.callees()).contains(&site.function) {
        found.insert("in a recursion");
    }
    for p in &watched.places.list {
        found.insert("with places");
        if p.root >= watched.places.first {
            found.insert("with places behind places");
        } else if function.vars[p.root].object.is_none() {
            found.insert("with places behind a pointer");
        } else if matches!(function.vars[p.root].object, Some(ObjectRef::Global(_))) {
            found.insert("with places in globals");
        }
    }
    if watched.is_aliased {
        found.insert("with two names of the same bytes");
    }
    if watched.places.uses_types() {
        found.insert("whose memory is kept apart by types");
    }
    let mut look = |at: &Access, is_store: bool| {
        found.insert(if is_store { "that stores" } else { "that loads" });
        if at.by.as_ref().is_some_and(|b| b.member.is_some()) {
            found.insert("that accesses members of structs");
        }
    };
    let mut calls = Vec::new();
    for b in &this.body {
        for step in &function.blocks[*b].steps {
            match step {
                Step::Load { at, .. } => look(at, false),
                Step::Store { at, .. } => look(at, true),
                Step::Call(call) => calls.push(call),
                _ => {}
            }
        }
    }
    for b in &this.body {
        match &function.blocks[*b].end {
            BlockEnd::Switch { .. } => {
                found.insert("with a switch");
            }
            BlockEnd::Choose(_) => {
                found.insert("with a computed goto");
            }
            _ => {}
        }
        let copies = |s: &&Step| matches!(s, Step::Store { value: None, .. });
        if function.blocks[*b].steps.iter().any(|s| copies(&s)) {
            found.insert("with stores of something else");
        }
    }
    for call in calls {
        let own = call.targets.iter().filter(|t| matches!(t, Called::Function(_))).count();
        found.insert(if own > 0 { "that calls functions" } else { "that calls the library" });
        if own > 1 || own > 0 && own < call.targets.len() {
            found.insert("that calls through pointers");
        }
        if own > 0 && call.args.iter().any(Option::is_some) {
            found.insert("that gives addresses to functions");
        }
    }
    found
}
