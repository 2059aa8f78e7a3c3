//! Invariants of a system, layer by layer.
//!
//! A cheap layer runs first, and what it finds limits the next one. Let `I` be inductive, and let every step from `X` lead to states that are in
//! `X` or not in `I`. Then a step from a state of both leads into `I`, so into both: together they are inductive. So each layer
//! only has to find what it can say beyond the layers before, and when the budget ends, what they found stands.

use crate::budget::{Budget, Meter};
use crate::domain::AbstractDomain;
use crate::fixpoint::Fixpoint;
use crate::linear::{Constraint, Linear};
use crate::meaning;
use crate::octagon::Octagon;
use crate::order::{self, Unit};
use crate::polyhedron::Polyhedron;
use crate::product::Product;
use crate::relation::Relation;
use crate::space::{Dimension, Layer, Space};
use crate::value::Shared;
use dashu_int::IBig;
use lariat_ir::{IdVec, LocId, LoopForest, Term, TransitionSystem};
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
    let single = Space::new(ts, Layer::Intervals);
    let Some(values) = run::<Octagon>(&single, &order, options.when, None, &mut meter) else { return found };
    found.layer = Some(Layer::Intervals);
    let mut boxes = boxes_of(&values);

    let mut octagons: Option<(Space<'_>, IdVec<LocId, Product<Octagon>>)> = None;
    if options.layer >= Layer::Octagons {
        let space = Space::new(ts, Layer::Octagons);
        // Without packs there is nothing to find beyond the first layer.
        if space.packs.is_empty() {
            found.layer = Some(Layer::Octagons);
        } else if let Some(done) = run(&space, &order, options.when, Some(&boxes), &mut meter) {
            found.layer = Some(Layer::Octagons);
            boxes = boxes_of(&done);
            octagons = Some((space, done));
        }
    }

    let mut polyhedra: Option<(Space<'_>, IdVec<LocId, Product<Polyhedron>>)> = None;
    if options.layer >= Layer::Polyhedra && found.layer == Some(Layer::Octagons) {
        let space = Space::new(ts, Layer::Polyhedra);
        if space.packs.is_empty() {
            found.layer = Some(Layer::Polyhedra);
        } else if let Some(done) = run(&space, &order, options.when, Some(&boxes), &mut meter) {
            found.layer = Some(Layer::Polyhedra);
            boxes = boxes_of(&done);
            polyhedra = Some((space, done));
        }
    }

    for l in ts.locs.ids().filter(|l| !l.is_sink()) {
        let parts = match &boxes[l] {
            None => vec![ts.terms.ff()],
            Some(known) => {
                let mut parts: Vec<Term> =
                    ts.vars.ids().zip(known).flat_map(|(v, x)| meaning::of_variable(&single, v, x)).collect();
                let pairs = octagons.as_ref().map(|(space, done)| (space, &done[l]));
                let groups = polyhedra.as_ref().map(|(space, done)| (space, &done[l]));
                parts.extend(relations(pairs, groups, known));
                parts
            }
        };
        if !parts.is_empty() {
            found.at.insert(l, parts);
        }
    }
    found
}

/// What is known of each variable at each location; nothing where no state comes to.
type Boxes = IdVec<LocId, Option<Vec<Shared>>>;

fn boxes_of<R: Relation>(done: &IdVec<LocId, Product<R>>) -> Boxes {
    done.iter().map(|p| p.live.as_ref().map(|l| l.boxes.clone())).collect()
}

/// One layer; nothing if the budget ends it.
fn run<R: Relation>(
    space: &Space<'_>,
    order: &[Unit],
    when: Option<Term>,
    known: Option<&Boxes>,
    meter: &mut Meter,
) -> Option<IdVec<LocId, Product<R>>> {
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
    Fixpoint::new(space, order, start, &limit, meter).solve().ok()
}

/// What the relations of both layers say beyond the values of single variables. The later layer is inductive together with the earlier one only, so
/// both are said; but what follows from the rest need not be.
fn relations(
    pairs: Option<(&Space<'_>, &Product<Octagon>)>,
    groups: Option<(&Space<'_>, &Product<Polyhedron>)>,
    known: &[Shared],
) -> Vec<Term> {
    let telling =
        |space: &Space<'_>, c: &Constraint| !c.linear.interval(|d| space.interval(d, known)).is_at_most(&c.bound);
    let mut out = Vec::new();
    if let Some((space, state)) = groups {
        let own: Vec<Constraint> = state.constraints(space).into_iter().filter(|c| telling(space, c)).collect();
        out.extend(meaning::of_constraints(space, &own));
    }
    if let Some((space, state)) = pairs {
        let own = state.constraints(space).into_iter().filter(|c| telling(space, c));
        let own: Vec<Constraint> = own.filter(|c| !groups.is_some_and(|g| follows(space, c, g))).collect();
        out.extend(meaning::of_constraints(space, &own));
    }
    out
}

/// Whether a constraint over the dimensions of one space follows from a state of another.
fn follows(space: &Space<'_>, c: &Constraint, (other, state): (&Space<'_>, &Product<Polyhedron>)) -> bool {
    let renamed = c.linear.terms().iter().map(|(d, a)| {
        let Dimension { var, view } = space.dims[*d];
        Some((other.dimension(var, view)?, a.clone()))
    });
    let renamed: Option<Vec<(usize, IBig)>> = renamed.collect();
    renamed.zip(state.live.as_ref()).is_some_and(|(l, live)| live.sum(other, &Linear::new(l)).is_at_most(&c.bound))
}
