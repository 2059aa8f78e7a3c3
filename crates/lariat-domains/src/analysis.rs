//! Invariants of a system, layer by layer.
//!
//! A cheap layer runs first, and what it finds limits the next one. Let `I` be inductive, and let every step from `X` lead to states that are in
//! `X` or not in `I`. Then a step from a state of both leads into `I`, so into both: together they are inductive. So each layer
//! only has to find what it can say beyond the layers before, and when the budget ends, what they found stands.

use crate::budget::{Budget, Meter};
use crate::domain::AbstractDomain;
use crate::fixpoint::Fixpoint;
use crate::meaning;
use crate::octagon::Octagon;
use crate::order::{self, Unit};
use crate::polyhedron::Polyhedron;
use crate::product::Product;
use crate::relation::Relation;
use crate::space::{Layer, Space};
use crate::value::AbsValue;
use lariat_ir::{Id, IdVec, LocId, LoopForest, Term, TransitionSystem};
use std::collections::BTreeMap;

/// What is looked for, and at what cost.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The last layer.
    pub layer: Layer,
    /// Only runs from these initial states count: a truth value over the variables. All initial states if there is none.
    pub when: Option<Term>,
    /// The limits.
    pub budget: Budget,
}

impl Options {
    /// All initial states and the default budget.
    pub fn new(layer: Layer) -> Self {
        Self { layer, when: None, budget: Budget::default() }
    }
}

/// An inductive annotation.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// What holds at each location, as parts of a conjunction; a location without an entry has none. `false` alone: the location is not reached.
    pub at: BTreeMap<LocId, Vec<Term>>,
    /// The last layer that came to its end; nothing if not even the first did.
    pub layer: Option<Layer>,
}

impl Invariants {
    /// The annotation as a certificate of kind `Inductive` has it.
    pub fn terms(&self, ts: &TransitionSystem) -> BTreeMap<LocId, Term> {
        self.at.iter().map(|(l, parts)| (*l, ts.terms.all(parts.iter().copied()))).collect()
    }
    /// Whether a location is not reached.
    pub fn excludes(&self, ts: &TransitionSystem, l: LocId) -> bool {
        self.at.get(&l).is_some_and(|parts| *parts == [ts.terms.ff()])
    }
}

/// What holds at the locations of a system in every run that starts in `init` and `when`.
///
/// The annotation is inductive as a whole. Where the budget ends a layer, what the layers before found is given; that may be nothing.
pub fn invariants(ts: &TransitionSystem, forest: &LoopForest, options: &Options) -> Invariants {
    let mut found = Invariants::default();
    let Some(order) = order::order(ts, forest) else { return found };
    let mut meter = Meter::new(&options.budget);
    let mut known: Option<Boxes> = None;
    for layer in [Layer::Intervals, Layer::Octagons, Layer::Polyhedra].into_iter().filter(|l| *l <= options.layer) {
        let space = Space::new(ts, layer);
        // Without packs there is nothing to find beyond the first layer.
        let nothing_new = layer > Layer::Intervals && space.packs.is_empty();
        let boxes = match layer {
            _ if nothing_new => known,
            Layer::Polyhedra => run::<Polyhedron>(&space, &order, options.when, known.as_ref(), &mut meter, &mut found),
            _ => run::<Octagon>(&space, &order, options.when, known.as_ref(), &mut meter, &mut found),
        };
        let Some(boxes) = boxes else { break };
        known = Some(boxes);
        found.layer = Some(layer);
    }
    found
}

/// What is known of each variable at each location; nothing where no state comes to.
type Boxes = IdVec<LocId, Option<Vec<AbsValue>>>;

/// One layer. Adds what it finds and gives what it knows of single variables, or nothing if the budget ends it.
fn run<R: Relation>(
    space: &Space<'_>,
    order: &[Unit],
    when: Option<Term>,
    known: Option<&Boxes>,
    meter: &mut Meter,
    found: &mut Invariants,
) -> Option<Boxes> {
    let limit = |l: LocId, p: &mut Product<R>| {
        if let Some(known) = known
            && !l.is_sink()
        {
            p.restrict(known[l].as_deref());
        }
    };
    let mut start = Product::<R>::top(space);
    start.assume(space, space.system().init);
    if let Some(when) = when {
        start.assume(space, when);
    }
    limit(space.system().entry, &mut start);
    let done = Fixpoint::new(space, order, start, &limit, meter).solve().ok()?;
    say(space, &done, found);
    Some(done.iter().map(|p| p.live.as_ref().map(|l| l.boxes.clone())).collect())
}

/// Adds what a layer found. Its values of single variables are within those of the layers before, so they take their place; relations of layers
/// before stay, since this layer's result is inductive together with them only.
fn say<R: Relation>(space: &Space<'_>, done: &IdVec<LocId, Product<R>>, found: &mut Invariants) {
    let single = |ts: &TransitionSystem, t: Term| ts.terms.symbols(t).len() < 2;
    for (l, state) in done.entries().filter(|(l, _)| !l.is_sink()) {
        let mut parts = meaning::conjuncts(space, state);
        if state.live.is_some() {
            let before = found.at.remove(&l).unwrap_or_default();
            parts.extend(before.into_iter().filter(|t| !single(space.system(), *t)));
            parts.sort_unstable_by_key(|t| (space.system().terms.symbols(*t).len(), *t));
            parts.dedup();
        }
        if parts.is_empty() {
            found.at.remove(&l);
        } else {
            found.at.insert(l, parts);
        }
    }
    debug_assert!(found.at.keys().all(|l| l.index() >= 4), "sinks are not annotated");
}
