//! The views of a file's loops: each loop by itself, before anything is asked about whole entries.

use crate::analyze::{Inquiry, Settings, Study};
use crate::source::Source;
use lariat_check::view::{
    Against, Condition, Cover, Effects, Ending, Entered, Given, Keep, Loss, Places, Site, Start, View, comparisons,
    deps, derive, derive_given, derive_walk, enter, enter_caller, keeps, losses, refusal,
};
use lariat_engines::{Effort, EngineCx, exits};
use lariat_ir::function::Functions;
use lariat_ir::neutral::{self, CmpOp, IntType, Target};
use lariat_ir::value::{Bits, Value};
use lariat_ir::{Id, Integers, LoopForest, LoopKey, Op, Sort, Term, TransitionSystem, VarId};
use lariat_smt::{ContextPool, Limit};
use std::cell::{OnceCell, RefCell};
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
    /// It is open.
    Open {
        /// The function and the loop, by their numbers.
        of: (usize, usize),
        /// What its exits ask of which nothing is known.
        lost: BTreeSet<Loss>,
        /// The last view that was tried.
        last: Option<Box<LastView>>,
    },
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
    /// What the view is made of: `loop`, `function`, `callees` or `callers`.
    pub rung: &'static str,
    /// What must hold when the loop is entered, for it to end; nothing if it always ends.
    pub when: Option<Condition>,
    /// The proof.
    pub ending: Ending,
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

/// What a view is made of, as results have it.
fn rung(view: &View) -> &'static str {
    match view.start() {
        _ if view.is_of_caller() => "callers",
        _ if view.has_entered() => "callees",
        Start::Anywhere | Start::SecondRound | Start::Near => "loop",
        Start::Entry => "function",
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

/// How long one loop may take in one pass.
const PASS: Duration = Duration::from_millis(150);

/// The limit of one question about a view, in the solver's own steps: some milliseconds. Nearly all questions that are answered take less than one.
const QUESTION: u64 = 25_000;

/// Looks for proofs that views end, for loops that are wanted, and tells each that is found.
///
/// In passes over all loops, the cheapest first, so that a large file has most of its answers early. A pass looks at what those before left open.
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
    let search = Search { target: target(integers), settings, checkers };
    let sites = functions.list.iter().enumerate().flat_map(|(function, f)| {
        let effects = &effects;
        (0..f.loops.len()).map(move |of| Site { functions, effects, function, of, entered: None })
    });
    let sites: Vec<Site<'_>> = sites.collect();
    let entered: Vec<EnteredFor> = sites.iter().map(|_| EnteredFor::default()).collect();
    let mut open: Vec<OpenLoop<'_>> = sites.iter().zip(&entered).map(|(s, e)| OpenLoop::new(*s, e)).collect();
    for pass in Pass::ALL {
        let mut still = Vec::new();
        for mut this in open {
            let site = this.site;
            let key = &site.function().loops[site.of].key;
            let found = if Instant::now() < deadline && wanted(key) {
                search.pass(pass, &mut this, deadline.min(Instant::now() + PASS))
            } else {
                None
            };
            match found {
                Some(found) => told(Found::Ending(Box::new(found))),
                None => still.push(this),
            }
        }
        open = still;
    }
    for this in open {
        if let Some(own) = &this.own {
            let of = (own.site.function, own.site.of);
            let lost = losses(own.site, &own.places, &deps(own.site, &own.places));
            told(Found::Open { of, lost, last: this.last() });
        }
    }
}

/// What is tried in one pass over all loops.
#[derive(Clone, Copy)]
enum Pass {
    /// The loop in its function.
    Own,
    /// With small callees entered: what they give back and write may be all that is missing.
    Callees,
    /// From the entry of the only caller: what holds before the call, and what the arguments are.
    Caller,
    /// Small views, with invariants.
    Invariants,
    /// Along links. That a loop always ends would say more than that it does under a condition.
    Walk,
    /// From where a number is as it should be.
    Given,
}

impl Pass {
    const ALL: [Self; 6] = [Self::Own, Self::Callees, Self::Caller, Self::Invariants, Self::Walk, Self::Given];
}

/// A loop of which no view is proved to end yet.
struct OpenLoop<'a> {
    site: Site<'a>,
    /// As it stands in its function, once it was looked at.
    own: Option<Rung<'a>>,
    /// With calls entered.
    callees: Option<Rung<'a>>,
    /// In the only caller of its function.
    caller: Option<Rung<'a>>,
    entered: &'a EnteredFor,
}

/// What is made for a loop when it is asked for.
#[derive(Default)]
struct EnteredFor {
    callees: OnceCell<Option<Entered>>,
    caller: OnceCell<Option<Entered>>,
}

impl<'a> OpenLoop<'a> {
    fn new(site: Site<'a>, entered: &'a EnteredFor) -> Self {
        Self { site, own: None, callees: None, caller: None, entered }
    }
    fn rungs(&self) -> impl Iterator<Item = &Rung<'a>> {
        self.own.iter().chain(&self.callees).chain(&self.caller)
    }
    /// The last view that was tried.
    fn last(&self) -> Option<Box<LastView>> {
        let rung = self.rungs().filter(|r| r.last.is_some()).last()?;
        let of = (rung.site.function, rung.site.of);
        Some(Box::new(LastView { of, entered: rung.site.entered.cloned(), keep: rung.last.clone()? }))
    }
}

/// A loop as it stands in a function, or in one with calls entered.
struct Rung<'a> {
    site: Site<'a>,
    places: Places,
    /// The views that more effort may help with, as far as they are small enough.
    tried: Vec<View>,
    /// What the last one kept.
    last: Option<Keep>,
    /// Whether it is the loop of a callee.
    is_caller: bool,
}

impl<'a> Rung<'a> {
    fn new(site: Site<'a>) -> Option<Self> {
        let is_refused = refusal(site, Start::Anywhere).is_some();
        let is_caller = site.entered.is_some_and(|e| e.loop_of_callee(0).is_some());
        (!is_refused).then(|| Self { site, places: Places::of(site), tried: Vec::new(), last: None, is_caller })
    }
}

/// How views are looked at.
struct Search<'a> {
    target: Target,
    settings: &'a Settings,
    checkers: &'a ContextPool,
}

impl Search<'_> {
    fn pass(&self, pass: Pass, this: &mut OpenLoop<'_>, deadline: Instant) -> Option<ViewStudy> {
        match pass {
            Pass::Own => {
                this.own = Rung::new(this.site);
                self.first(this.own.as_mut()?, deadline)
            }
            Pass::Callees => {
                this.own.as_ref()?;
                let site = this.site;
                let made = || enter(site.functions, site.function, site.of);
                let entered = this.entered.callees.get_or_init(made);
                this.callees = Rung::new(Site { entered: Some(entered.as_ref()?), ..site });
                self.first(this.callees.as_mut()?, deadline)
            }
            Pass::Caller => {
                this.own.as_ref()?;
                let site = this.site;
                let entered = this.entered.caller.get_or_init(|| enter_caller(site.functions, site.function));
                let entered = entered.as_ref()?;
                let of = entered.loop_of_callee(site.of)?;
                this.caller = Rung::new(Site { entered: Some(entered), function: entered.of(), of, ..site });
                self.first(this.caller.as_mut()?, deadline)
            }
            Pass::Invariants => {
                let views = this.rungs().flat_map(|r| &r.tried);
                views.take_while(|_| Instant::now() < deadline).find_map(|view| self.view(view, &THEN, deadline))
            }
            Pass::Walk => this.own.iter().chain(&this.callees).find_map(|rung| {
                let view = derive_walk(rung.site, &rung.places).ok()??;
                self.view(&view, &WALK, deadline)
            }),
            Pass::Given => this.own.iter().chain(&this.callees).find_map(|rung| self.given(rung, deadline)),
        }
    }

    /// A first look at all views.
    fn first(&self, rung: &mut Rung<'_>, deadline: Instant) -> Option<ViewStudy> {
        for keep in keeps(rung.site, &rung.places, &deps(rung.site, &rung.places)) {
            if Instant::now() >= deadline {
                break;
            }
            // From any state it is the same loop as in its own function.
            if rung.is_caller && keep.start != Start::Entry {
                continue;
            }
            let Ok(view) = derive(rung.site, &rung.places, &keep) else { break };
            let attempt = match (view.has_entered(), view.start()) {
                (_, Start::Entry) => &FROM_ENTRY,
                (_, Start::Near) => &NEAR,
                (true, _) => &WITH_CALLEES,
                (false, _) => &FIRST,
            };
            rung.last = Some(keep);
            match study_view(&view, self.target, self.settings, self.checkers, (attempt, deadline)) {
                Looked::Ends(found) => return Some(*found),
                // Only what holds before the loop can exclude a round that changes nothing.
                Looked::Repeats if !matches!(view.start(), Start::Entry | Start::Near) => {}
                Looked::Open | Looked::Repeats if THEN.fits(&view) => rung.tried.push(view),
                Looked::Open | Looked::Repeats => {}
            }
        }
        None
    }

    /// Looks for a comparison that is all that is missing when the loop is entered.
    fn given(&self, rung: &Rung<'_>, deadline: Instant) -> Option<ViewStudy> {
        let (site, places) = (rung.site, &rung.places);
        let deps = deps(site, places);
        // What its exits ask is another number each time.
        if !losses(site, places, &deps).is_empty() {
            return None;
        }
        let mut tried = BTreeSet::new();
        for keep in keeps(site, places, &deps).filter(|k| k.start < Start::Near) {
            let keep = Keep { start: Start::Anywhere, ..keep };
            if Instant::now() >= deadline || !tried.insert(keep.vars.clone()) {
                continue;
            }
            let Ok(view) = derive(site, places, &keep) else { break };
            if !GIVEN.fits(&view) {
                continue;
            }
            let ts = neutral::lower(view.program(), self.target);
            let forest = LoopForest::of(&ts);
            let Some(this) = forest.loops.iter().next() else { continue };
            let all = comparisons(site, places, &keep, &deps.exits);
            let compared = all.iter().map(|given| compared(&ts, &view, &keep, given));
            let terms: Vec<Term> = [ts.terms.tt()].into_iter().chain(compared).collect();
            let within: Vec<Term> =
                ts.vars.iter().zip(&view.program().vars).map(|(v, (_, ty))| in_range(&ts, v.term, *ty)).collect();
            let cx = EngineCx {
                effort: Effort::Brief,
                audit: false,
                limit: Limit::rlimit(QUESTION),
                deadline: deadline.min(Instant::now() + ATTEMPT),
                gave_up: RefCell::default(),
            };
            let suffices = exits::first_that_suffices(&ts, (this.header, &this.body), (&terms, &within), &cx);
            let view = match suffices {
                None => continue,
                Some(0) => view,
                Some(n) => match derive_given(site, places, &keep, &all[n - 1]) {
                    Ok(view) => view,
                    Err(_) => continue,
                },
            };
            if let Some(found) = self.view(&view, &GIVEN, deadline) {
                return Some(found);
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

/// The last view of a loop that was tried.
#[derive(Debug)]
pub struct LastView {
    of: (usize, usize),
    entered: Option<Entered>,
    keep: Keep,
}

/// The system of each loop's view, with what is said of it: the one that ends, or the last one that was tried.
pub fn systems(functions: &Functions, integers: Integers, settings: &Settings) -> Vec<(String, TransitionSystem)> {
    let mut all = BTreeMap::new();
    let deadline = Instant::now() + settings.timeout;
    let effects = Effects::of(functions);
    let key = |(f, l): (usize, usize)| &functions.list[f].loops[l].key;
    let told = &mut |found| match found {
        Found::Ending(found) => {
            all.insert(found.of, (format!("{}: ends by itself", key(found.of)), found.study.ts));
        }
        Found::Open { of, last, .. } => {
            let Some(last) = last else { return };
            let entered = last.entered.as_ref();
            let (function, l) = last.of;
            let site = Site { functions, effects: &effects, function, of: l, entered };
            if let Ok(view) = derive(site, &Places::of(site), &last.keep) {
                all.insert(of, (format!("{}: open", key(of)), neutral::lower(view.program(), target(integers))));
            }
        }
    };
    study_views(functions, integers, settings, &ContextPool::default(), deadline, &|_| true, told);
    all.into_values().collect()
}

/// How engines look at a view.
struct Attempt {
    /// Their names and efforts, in their order.
    engines: &'static [(&'static str, Effort)],
    /// So many edges and variables a view may have.
    most: (usize, usize),
}

impl Attempt {
    /// Whether a view is not too large for it. Each case becomes an edge, or several.
    fn fits(&self, view: &View) -> bool {
        view.program().locs.iter().map(|l| l.cases.len()).sum::<usize>() <= self.most.0
            && view.program().vars.len() <= self.most.1
    }
}

/// What decides nearly all loops that are decided: measures from what exits compare, without invariants. Of 154 views of real projects with more edges 3 were proved, in a tenth of all the time.
const FIRST: Attempt = Attempt { engines: &[("exits", Effort::Quick)], most: (200, usize::MAX) };

/// Where callees are entered large views decide next to nothing: whoever needs them finds what falls in a small one.
const WITH_CALLEES: Attempt = Attempt { engines: FIRST.engines, most: (48, 200) };

/// What the last blocks before the loop say is known by invariants only, of small views.
const NEAR: Attempt = Attempt { engines: &[("exits", Effort::Brief)], most: (24, 12) };

/// The same holds of what stands before the loop.
const FROM_ENTRY: Attempt = Attempt { engines: FIRST.engines, most: (24, 60) };

/// What is left is tried with invariants, on small views: they cost several times as much, and decide one loop in thirty.
const THEN: Attempt = Attempt { engines: &[("exits", Effort::Brief), ("ranking", Effort::Quick)], most: (16, 8) };

/// Where a condition was found, small views as well.
const GIVEN: Attempt = Attempt { engines: &[("exits", Effort::Brief)], most: (32, 12) };

/// Where only the number of links that are to come is kept.
const WALK: Attempt =
    Attempt { engines: &[("exits", Effort::Quick), ("ranking", Effort::Quick)], most: (usize::MAX, usize::MAX) };

/// That a number is one of its type.
fn in_range(ts: &TransitionSystem, value: Term, ty: IntType) -> Term {
    let terms = &ts.terms;
    if terms.sort(value) != Sort::Int {
        return terms.tt();
    }
    let (least, greatest) = ty.range();
    let at_least = terms.apply(Op::IntLe, &[terms.int(least), value]);
    terms.and(at_least, terms.apply(Op::IntLe, &[value, terms.int(greatest)]))
}

/// A comparison as a term of a view's system.
fn compared(ts: &TransitionSystem, view: &View, keep: &Keep, given: &Given) -> Term {
    let at = |v: usize| keep.vars.iter().position(|k| *k == v).expect("it compares what is kept");
    let terms = &ts.terms;
    let of = |v: usize| ts.vars[VarId::from_index(at(v))].term;
    let (left, signed) = (of(given.left), view.program().vars[at(given.left)].1.signed);
    let right = match &given.right {
        Against::Kept(v) => of(*v),
        Against::Number(n) => match terms.sort(left) {
            Sort::BitVec(width) => terms.value(&Value::Bv(Bits::from_int(width, &(*n).into()))),
            _ => terms.int(*n),
        },
    };
    let (less, less_or_equal) = match (terms.sort(left), signed) {
        (Sort::BitVec(_), true) => (Op::BvSlt, Op::BvSle),
        (Sort::BitVec(_), false) => (Op::BvUlt, Op::BvUle),
        _ => (Op::IntLt, Op::IntLe),
    };
    match given.op {
        CmpOp::Lt => terms.apply(less, &[left, right]),
        CmpOp::Le => terms.apply(less_or_equal, &[left, right]),
        CmpOp::Gt => terms.apply(less, &[right, left]),
        CmpOp::Ge => terms.apply(less_or_equal, &[right, left]),
        CmpOp::Eq => terms.eq(left, right),
        CmpOp::Ne => terms.not(terms.eq(left, right)),
    }
}

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
    if !attempt.fits(view) {
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
            let found =
                ViewStudy { of: view.of(), study, source, rung: rung(view), when: view.when().cloned(), ending };
            return Looked::Ends(Box::new(found));
        }
        if inquiry.repeats() {
            return Looked::Repeats;
        }
    }
    Looked::Open
}
