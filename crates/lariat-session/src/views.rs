//! The views of a file's loops: each loop by itself, before anything is asked about whole entries.

use crate::analyze::{Inquiry, Settings, Study};
use crate::source::Source;
use lariat_check::view::{
    Acyclic, Cover, Effects, Ending, Loss, Places, Site, Start, View, deps, derive, derive_walk, enter, keeps, losses,
    refusal,
};
use lariat_engines::Effort;
use lariat_ir::function::Functions;
use lariat_ir::neutral::{self, Target};
use lariat_ir::{Integers, LoopKey, TransitionSystem};
use lariat_smt::{ContextPool, Limit};
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
    /// Whether calls are entered in it.
    pub has_entered: bool,
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

/// How long one attempt at a view may take. What ends it is the limit of its questions: the clock decides only on a machine that has much else to do.
const ATTEMPT: Duration = Duration::from_millis(75);

/// How long one loop may take in all.
const LOOP: Duration = Duration::from_millis(200);

/// The limit of one question about a view, in the solver's own steps: about five milliseconds. Nearly all questions that are answered take less than one.
const QUESTION: u64 = 40_000;

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
            let site = Site { functions, effects: &effects, function: f, of: l, entered: None };
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
    let search = Search { target: target(integers), settings, checkers };
    let mut own = Rung::new(site);
    if let Some(found) = search.first(&mut own, deadline) {
        return Ok(found);
    }
    // What small callees give back and write may be all that is missing.
    let entered = enter(site.functions, site.function, site.of);
    let mut callees = entered.as_ref().map(|function| Rung::new(Site { entered: Some(function), ..site }));
    if let Some(callees) = &mut callees
        && refusal(callees.site, Start::Anywhere).is_none()
        && let Some(found) = search.first(callees, deadline.max(Instant::now() + ATTEMPT))
    {
        return Ok(found);
    }
    for rung in [Some(&own), callees.as_ref()].into_iter().flatten() {
        for view in &rung.tried {
            if Instant::now() >= deadline {
                break;
            }
            if let Some(found) = search.view(view, &THEN, deadline) {
                return Ok(found);
            }
        }
    }
    // That it always ends would say more than that it does under a condition.
    for rung in [Some(&own), callees.as_ref()].into_iter().flatten() {
        let deadline = deadline.max(Instant::now() + ATTEMPT);
        if let Ok(Some(view)) = derive_walk(rung.site, &rung.places)
            && let Some(found) = search.view(&view, &WALK, deadline)
        {
            return Ok(found);
        }
    }
    let last = |rung: &mut Rung<'_>| rung.tried.pop().or_else(|| rung.last.take());
    let last = callees.as_mut().and_then(last).or_else(|| last(&mut own));
    Err(last.map(Box::new))
}

/// A loop as it stands in a function, or in one with calls entered.
struct Rung<'a> {
    site: Site<'a>,
    places: Places,
    /// The views that more effort may help with.
    tried: Vec<View>,
    /// The last one that nothing helps with.
    last: Option<View>,
}

impl<'a> Rung<'a> {
    fn new(site: Site<'a>) -> Self {
        Self { site, places: Places::of(site), tried: Vec::new(), last: None }
    }
}

/// How views are looked at.
struct Search<'a> {
    target: Target,
    settings: &'a Settings,
    checkers: &'a ContextPool,
}

impl Search<'_> {
    /// A first look at all views.
    fn first(&self, rung: &mut Rung<'_>, deadline: Instant) -> Option<ViewStudy> {
        for keep in keeps(rung.site, &rung.places, &deps(rung.site, &rung.places)) {
            if Instant::now() >= deadline {
                break;
            }
            let Ok(view) = derive(rung.site, &rung.places, &keep) else { break };
            let attempt = match (view.has_entered(), view.start()) {
                (_, Start::Entry) => &FROM_ENTRY,
                (true, _) => &WITH_CALLEES,
                (false, _) => &FIRST,
            };
            match study_view(&view, self.target, self.settings, self.checkers, (attempt, deadline)) {
                Looked::Ends(found) => return Some(*found),
                // Only what holds before the loop can exclude a round that changes nothing.
                Looked::Repeats if view.start() != Start::Entry => rung.last = Some(view),
                Looked::Open | Looked::Repeats => rung.tried.push(view),
            }
        }
        None
    }

    fn view(&self, view: &View, attempt: &Attempt, deadline: Instant) -> Option<ViewStudy> {
        match study_view(view, self.target, self.settings, self.checkers, (attempt, deadline)) {
            Looked::Ends(found) => Some(*found),
            Looked::Open | Looked::Repeats => None,
        }
    }
}

/// The system of each loop's view, with what is said of it: the one that ends, or the last one that was tried.
pub fn systems(functions: &Functions, integers: Integers, settings: &Settings) -> Vec<(String, TransitionSystem)> {
    lariat_smt::fresh_context();
    let effects = Effects::of(functions);
    let checkers = ContextPool::default();
    let mut all = Vec::new();
    for (f, function) in functions.list.iter().enumerate() {
        for (l, this) in function.loops.iter().enumerate() {
            let site = Site { functions, effects: &effects, function: f, of: l, entered: None };
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

/// What decides nearly all loops that are decided: measures from what exits compare, without invariants. Of 154 views of real projects with more edges 3 were proved, in a tenth of all the time.
const FIRST: Attempt = Attempt { engines: &[("exits", Effort::Quick)], most: (200, usize::MAX) };

/// Where callees are entered large views decide next to nothing: whoever needs them finds what falls in a small one.
const WITH_CALLEES: Attempt = Attempt { engines: FIRST.engines, most: (48, 200) };

/// The same holds of what stands before the loop.
const FROM_ENTRY: Attempt = Attempt { engines: FIRST.engines, most: (24, 60) };

/// What is left is tried with invariants, on small views: they cost several times as much, and decide one loop in thirty.
const THEN: Attempt = Attempt { engines: &[("exits", Effort::Brief), ("ranking", Effort::Quick)], most: (16, 8) };

/// Where only the number of links that are to come is kept.
const WALK: Attempt =
    Attempt { engines: &[("exits", Effort::Quick), ("ranking", Effort::Quick)], most: (usize::MAX, usize::MAX) };

/// What came of a look at a view.
enum Looked {
    /// It ends.
    Ends(Box<ViewStudy>),
    /// It is open.
    Open,
    /// In some state one round of it changes nothing, so that it does not end.
    Repeats,
}

fn study_view(
    view: &View,
    target: Target,
    settings: &Settings,
    checkers: &ContextPool,
    (attempt, deadline): (&Attempt, Instant),
) -> Looked {
    let deadline = deadline.min(Instant::now() + ATTEMPT);
    // Each case becomes an edge, or several.
    let cases: usize = view.program().locs.iter().map(|l| l.cases.len()).sum();
    if cases > attempt.most.0 {
        return Looked::Open;
    }
    let ts = neutral::lower(view.program(), target);
    if ts.edges.len() > attempt.most.0 || ts.vars.len() > attempt.most.1 {
        return Looked::Open;
    }
    let Ok(mut inquiry) = Inquiry::new(&ts, checkers, deadline) else { return Looked::Open };
    let asked = |engine: &str| settings.only.as_deref().is_none_or(|only| only == engine);
    for (engine, effort) in attempt.engines.iter().filter(|(engine, _)| asked(engine)) {
        let limit = Limit::rlimit(QUESTION);
        let only = Settings { only: Some((*engine).to_owned()), limit, ..settings.clone() };
        inquiry.advance(*effort, &only, deadline, &BTreeSet::new());
        if let Some(ending) = inquiry.ending(view, target) {
            let analysis = inquiry.analysis(deadline);
            let source = Source::of(view.program());
            let study = Study { ts: ts.clone(), analysis };
            let (start, when, has_entered) = (view.start(), view.when().cloned(), view.has_entered());
            let found = ViewStudy { of: view.of(), study, source, start, has_entered, when, ending };
            return Looked::Ends(Box::new(found));
        }
        if inquiry.repeats() {
            return Looked::Repeats;
        }
    }
    Looked::Open
}
