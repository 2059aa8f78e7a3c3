//! The views of a file's loops: each loop by itself, before anything is asked about whole entries.

use crate::analyze::{Inquiry, Settings, Study};
use crate::source::Source;
use lariat_check::view::{
    Acyclic, Cover, Effects, Ending, Loss, Places, Site, Start, View, deps, derive, derive_walk, keeps, losses, refusal,
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
    /// What the exits of the others ask of which nothing is known, by the numbers of the function and of the loop.
    pub lost: BTreeMap<(usize, usize), BTreeSet<Loss>>,
}

/// What was found of a loop by itself.
#[derive(Debug)]
pub enum Found {
    /// It ends.
    Ending(Box<ViewStudy>),
    /// It is open, and why.
    Open((usize, usize), BTreeSet<Loss>),
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
    /// What must hold when the loop is entered, for it to end; nothing if it always ends.
    pub when: Option<Acyclic>,
    ending: Ending,
}

impl Views {
    /// What the proofs cover.
    pub fn cover(&self) -> Option<Cover<'_>> {
        let functions = self.functions.as_deref()?;
        Some(Cover::new(functions, self.ending.iter().map(|v| v.ending)))
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
const ATTEMPT: Duration = Duration::from_millis(50);

/// How long one loop may take in all.
const LOOP: Duration = Duration::from_millis(100);

/// Looks for proofs that views end, for loops that are wanted, and tells each that is found.
pub fn study_views(
    functions: &Functions,
    integers: Integers,
    settings: &Settings,
    checkers: &ContextPool,
    deadline: Instant,
    wanted: &dyn Fn(&LoopKey) -> bool,
    told: &mut dyn FnMut(Found),
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
            told(match study_loop(site, integers, settings, checkers, end) {
                Ok(found) => Found::Ending(Box::new(found)),
                Err(_) => {
                    let places = Places::of(site);
                    Found::Open((f, l), losses(site, &places, &deps(site, &places)))
                }
            });
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
    let mut tried: Vec<View> = Vec::new();
    for keep in keeps(site, &places, &deps(site, &places)) {
        if Instant::now() >= deadline {
            break;
        }
        let Ok(view) = derive(site, &places, &keep) else { break };
        if let Some(found) = study_view(&view, target(integers), settings, checkers, (&FIRST, deadline)) {
            return Ok(found);
        }
        tried.push(view);
    }
    for view in &tried {
        if Instant::now() >= deadline {
            break;
        }
        if let Some(found) = study_view(view, target(integers), settings, checkers, (&THEN, deadline)) {
            return Ok(found);
        }
    }
    // That it always ends would say more than that it does under a condition.
    let deadline = deadline.max(Instant::now() + ATTEMPT);
    if let Ok(Some(view)) = derive_walk(site, &places)
        && let Some(found) = study_view(&view, target(integers), settings, checkers, (&WALK, deadline))
    {
        return Ok(found);
    }
    Err(tried.pop().map(Box::new))
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

/// How engines look at a view.
struct Attempt {
    /// Their names and efforts, in their order.
    engines: &'static [(&'static str, Effort)],
    /// So many edges and variables a view may have.
    most: (usize, usize),
}

/// What decides nearly all loops that are decided: measures from what exits compare, without invariants.
const FIRST: Attempt = Attempt { engines: &[("exits", Effort::Quick)], most: (usize::MAX, usize::MAX) };

/// What is left is tried with invariants, on small views: they cost several times as much, and decide one loop in thirty.
const THEN: Attempt = Attempt { engines: &[("exits", Effort::Brief), ("ranking", Effort::Quick)], most: (16, 8) };

/// Where only the number of links that are to come is kept.
const WALK: Attempt =
    Attempt { engines: &[("exits", Effort::Quick), ("ranking", Effort::Quick)], most: (usize::MAX, usize::MAX) };

fn study_view(
    view: &View,
    target: Target,
    settings: &Settings,
    checkers: &ContextPool,
    (attempt, deadline): (&Attempt, Instant),
) -> Option<ViewStudy> {
    let deadline = deadline.min(Instant::now() + ATTEMPT);
    let ts = neutral::lower(view.program(), target);
    if ts.edges.len() > attempt.most.0 || ts.vars.len() > attempt.most.1 {
        return None;
    }
    let mut inquiry = Inquiry::new(&ts, checkers, deadline).ok()?;
    let asked = |engine: &str| settings.only.as_deref().is_none_or(|only| only == engine);
    for (engine, effort) in attempt.engines.iter().filter(|(engine, _)| asked(engine)) {
        let only = Settings { only: Some((*engine).to_owned()), ..settings.clone() };
        inquiry.advance(*effort, &only, deadline, &BTreeSet::new());
        if let Some(ending) = inquiry.ending(view, target) {
            let analysis = inquiry.analysis(deadline);
            let source = Source::of(view.program());
            let study = Study { ts: ts.clone(), analysis };
            let (start, when) = (view.start(), view.when().cloned());
            return Some(ViewStudy { of: view.of(), study, source, start, when, ending });
        }
    }
    None
}
