//! The views of a file's loops: each loop by itself, before anything is asked about whole entries.

use crate::analyze::{Inquiry, Settings, Study};
use crate::source::Source;
use lariat_check::view::{
    Cover, Deps, Effects, Ending, Keep, Places, Site, Start, View, deps, deps_before, derive, refusal,
};
use lariat_engines::Effort;
use lariat_ir::function::Functions;
use lariat_ir::neutral::{self, Target};
use lariat_ir::{Integers, LoopKey, TransitionSystem};
use lariat_smt::ContextPool;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is known of the functions of a file, each by itself.
#[derive(Debug, Default)]
pub struct Views {
    /// The functions; nothing before they are read.
    pub functions: Option<Arc<Functions>>,
    /// The loops whose views end.
    pub ending: Vec<ViewStudy>,
}

/// A view that was proved to end.
#[derive(Debug)]
pub struct ViewStudy {
    /// The function and the loop, by their numbers.
    pub of: (usize, usize),
    /// The view's system and its proof.
    pub study: Study,
    /// What the system does not say of its source.
    pub source: Source,
    /// Where the view begins.
    pub start: Start,
    ending: Ending,
}

impl Views {
    /// What the proofs cover.
    pub fn cover(&self) -> Option<Cover<'_>> {
        let functions = self.functions.as_deref()?;
        Some(Cover::new(functions, self.ending.iter().map(|v| v.ending)))
    }
    /// The loops of the source, by the numbers of the function and of the loop.
    pub fn keys(&self) -> BTreeMap<&LoopKey, (usize, usize)> {
        let functions = self.functions.iter().flat_map(|f| f.list.iter().enumerate());
        functions
            .flat_map(|(f, function)| function.loops.iter().enumerate().map(move |(l, this)| (&this.key, (f, l))))
            .collect()
    }
    /// The view of a loop that ends.
    pub fn of(&self, of: (usize, usize)) -> Option<&ViewStudy> {
        self.ending.iter().find(|v| v.of == of)
    }
}

/// The form of a view in an integer semantics.
fn target(integers: Integers) -> Target {
    match integers {
        Integers::C => Target::CTerminates,
        Integers::Wrap => Target::Wrap,
        Integers::Ideal => Target::Ideal,
    }
}

/// How long one attempt at a view may take.
const ATTEMPT: Duration = Duration::from_millis(80);

/// How long one loop may take in all.
const LOOP: Duration = Duration::from_millis(160);

/// Looks for proofs that views end, for loops that are wanted, and tells each that is found.
pub fn study_views(
    functions: &Functions,
    integers: Integers,
    settings: &Settings,
    checkers: &ContextPool,
    deadline: Instant,
    wanted: &dyn Fn(&LoopKey) -> bool,
    told: &mut dyn FnMut(ViewStudy),
) {
    lariat_smt::fresh_context();
    let effects = Effects::of(functions);
    for (f, function) in functions.list.iter().enumerate() {
        for l in 0..function.loops.len() {
            if Instant::now() >= deadline {
                return;
            }
            if !wanted(&function.loops[l].key) {
                continue;
            }
            let site = Site { functions, effects: &effects, function: f, of: l };
            let end = deadline.min(Instant::now() + LOOP);
            if let Ok(found) = study_loop(site, integers, settings, checkers, end) {
                told(found);
            }
        }
    }
}

/// The view of a loop that ends, or the last one of which that is open.
fn study_loop(
    site: Site<'_>,
    integers: Integers,
    settings: &Settings,
    checkers: &ContextPool,
    deadline: Instant,
) -> Result<ViewStudy, Option<Box<View>>> {
    if refusal(site, Start::Anywhere).is_some() {
        return Err(None);
    }
    let places = Places::of(site);
    let mut last = None;
    for keep in keeps(site, &places, &deps(site, &places)) {
        let Ok(view) = derive(site, &places, &keep) else { break };
        let until = deadline.min(Instant::now() + ATTEMPT);
        if Instant::now() >= deadline {
            break;
        }
        let found = study_view(&view, target(integers), settings, checkers, until);
        if let Some(found) = found {
            return Ok(found);
        }
        last = Some(Box::new(view));
    }
    Err(last)
}

/// The system of each loop's view, with what is said of it: the one that ends, or the last one that was tried.
pub fn systems(functions: &Functions, integers: Integers, settings: &Settings) -> Vec<(String, TransitionSystem)> {
    lariat_smt::fresh_context();
    let effects = Effects::of(functions);
    let checkers = ContextPool::default();
    let mut all = Vec::new();
    for (f, function) in functions.list.iter().enumerate() {
        for (l, this) in function.loops.iter().enumerate() {
            let site = Site { functions, effects: &effects, function: f, of: l };
            let key = &this.key;
            match study_loop(site, integers, settings, &checkers, Instant::now() + settings.timeout) {
                Ok(found) => all.push((format!("{key}: ends by itself"), found.study.ts)),
                Err(Some(view)) => all.push((format!("{key}: open"), neutral::lower(view.program(), target(integers)))),
                Err(None) => {}
            }
        }
    }
    all
}

/// What to keep, in the order in which it is tried: what the exits depend on, with what pointers are moved, and everything.
fn keeps(site: Site<'_>, places: &Places, deps: &Deps) -> Vec<Keep> {
    let moved: BTreeSet<usize> = deps.addresses.intersection(&places.changed).copied().collect();
    let exits = deps.closed(&deps.exits);
    let pointers = deps.closed(&deps.exits.union(&moved).copied().collect());
    let all: BTreeSet<usize> = [&deps.exits, &deps.branches, &deps.addresses].into_iter().flatten().copied().collect();
    let all = deps.closed(&all);
    let mut found: Vec<Keep> = Vec::new();
    let before = deps_before(site).closed(&pointers);
    let anywhere = [(&exits, Start::Anywhere), (&pointers, Start::SecondRound), (&all, Start::SecondRound)];
    for (vars, start) in anywhere.into_iter().chain([(&before, Start::Entry)]) {
        // Nothing falls where nothing changes.
        if vars.is_disjoint(&places.changed) || vars.len() > 40 {
            continue;
        }
        let keep = Keep { vars: vars.clone(), start };
        if !found.contains(&keep) {
            found.push(keep);
        }
    }
    found
}

/// The engines that look at views, in their order, and how many edges they look at.
const ENGINES: [(&str, usize); 2] = [("exits", usize::MAX), ("ranking", 24)];

fn study_view(
    view: &View,
    target: Target,
    settings: &Settings,
    checkers: &ContextPool,
    deadline: Instant,
) -> Option<ViewStudy> {
    let ts = neutral::lower(view.program(), target);
    let mut inquiry = Inquiry::new(&ts, checkers, deadline).ok()?;
    let asked = |engine: &str| settings.only.as_deref().is_none_or(|only| only == engine);
    for (engine, _) in ENGINES.into_iter().filter(|(engine, most)| asked(engine) && ts.edges.len() <= *most) {
        let only = Settings { only: Some(engine.to_owned()), ..settings.clone() };
        inquiry.advance(Effort::Quick, &only, deadline, &BTreeSet::new());
        if let Some(ending) = inquiry.ending(view, target) {
            let analysis = inquiry.analysis(deadline);
            let source = Source::of(view.program());
            let study = Study { ts: ts.clone(), analysis };
            return Some(ViewStudy { of: view.of(), study, source, start: view.start(), ending });
        }
    }
    None
}
