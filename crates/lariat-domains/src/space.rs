//! What an analysis of one system needs to know of it: the dimensions of the relational domains and their packs, the plans of its edges, and
//! the constants that bounds may stop at.

use crate::congruence::Congruence;
use crate::integer::one;
use crate::interval::Interval;
use crate::packs;
use crate::plan::{Plan, Source};
use crate::value::{AbsValue, Shared};
use crate::word::Reading;
use dashu_int::IBig;
use lariat_ir::{EdgeId, Id, IdVec, Op, Sort, Term, TransitionSystem, VarId};
use std::collections::{BTreeSet, HashMap};

/// How a variable is a number: an integer is one, a bit-vector has two readings.
pub(crate) type View = Option<Reading>;

/// A dimension of the relational domains.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Dimension {
    pub var: VarId,
    pub view: View,
}

/// How much is looked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Layer {
    /// Intervals and congruences of single variables.
    Intervals,
    /// Also bounds on sums and differences of two variables.
    Octagons,
    /// Also bounds on sums of several variables with any coefficients.
    Polyhedra,
}

/// The most thresholds: each may cost a round around a loop.
const MOST_THRESHOLDS: usize = 48;

/// A system as the domains see it.
pub struct Space<'a> {
    pub(crate) ts: &'a TransitionSystem,
    pub(crate) dims: Vec<Dimension>,
    dim_of: HashMap<Dimension, usize>,
    /// Groups of dimensions; relations are kept within each.
    pub(crate) packs: Vec<Vec<usize>>,
    /// The pack of a dimension and its place there.
    pub(crate) place: Vec<Option<(usize, usize)>>,
    /// Constants of the system and their neighbours, ascending.
    pub(crate) thresholds: Vec<IBig>,
    /// For each edge: the guard, then the new values.
    pub(crate) edges: IdVec<EdgeId, Plan>,
    /// For each variable: every value of its sort.
    pub(crate) tops: IdVec<VarId, Shared>,
}

impl<'a> Space<'a> {
    /// Prepares a system for a layer.
    pub fn new(ts: &'a TransitionSystem, layer: Layer) -> Self {
        let plan = |e: EdgeId| {
            let edge = &ts.edges[e];
            let roots: Vec<Term> = std::iter::once(edge.guard).chain(edge.updates.iter().map(|(_, t)| *t)).collect();
            Plan::new(&ts.terms, &roots)
        };
        let mut space = Self {
            ts,
            dims: Vec::new(),
            dim_of: HashMap::new(),
            packs: Vec::new(),
            place: Vec::new(),
            thresholds: thresholds(ts),
            edges: ts.edges.ids().map(plan).collect(),
            tops: ts.vars.iter().map(|v| Shared::new(AbsValue::top(v.sort))).collect(),
        };
        if layer > Layer::Intervals {
            let init = Plan::new(&ts.terms, &[ts.init]);
            let plans: Vec<&Plan> = space.edges.iter().chain([&init]).collect();
            for pack in packs::find(ts, &plans, layer) {
                let first = space.dims.len();
                for (n, d) in pack.into_iter().enumerate() {
                    space.dim_of.insert(d, first + n);
                    space.dims.push(d);
                    space.place.push(Some((space.packs.len(), n)));
                }
                space.packs.push((first..space.dims.len()).collect());
            }
        }
        space
    }

    /// The system.
    pub fn system(&self) -> &'a TransitionSystem {
        self.ts
    }

    /// What one step over an edge costs.
    pub(crate) fn cost(&self, e: EdgeId) -> u64 {
        let packs: usize = self.packs.iter().map(|p| 4 * p.len() * p.len()).sum();
        (self.edges[e].nodes.len() + packs + self.tops.len() + 1) as u64
    }

    /// The dimension of a variable in a view.
    pub(crate) fn dimension(&self, var: VarId, view: View) -> Option<usize> {
        self.dim_of.get(&Dimension { var, view }).copied()
    }

    /// What is known of a dimension from what is known of its variable.
    pub(crate) fn interval(&self, d: usize, boxes: &[Shared]) -> Interval {
        reading(&boxes[self.dims[d].var.index()], self.dims[d].view)
    }

    /// Whether a bound says no more than the sort of the variable, and is far off: that no unsigned number is below zero is
    /// worth knowing, as counters start there.
    pub(crate) fn is_range_end(&self, d: usize, end: &IBig) -> bool {
        let Dimension { var, view } = self.dims[d];
        match (self.ts.vars[var].sort, view) {
            (Sort::BitVec(w), Some(r)) => {
                !end.is_zero() && r.range(w).ends().is_some_and(|(l, h)| end == l || end == h)
            }
            _ => false,
        }
    }

    /// What is known of a symbol before a step.
    pub(crate) fn symbol(&self, source: Source, sort: Sort, boxes: &[Shared]) -> AbsValue {
        match source {
            Source::Var(v) => AbsValue::clone(&boxes[v.index()]),
            Source::Unknown(u) => match &self.ts.unknowns[u].range {
                Some((lo, hi)) => AbsValue::Int(
                    crate::number::Number::new(Interval::between(lo.clone(), hi.clone()), Congruence::top())
                        .expect("the range of an unknown is not empty"),
                ),
                None => AbsValue::top(sort),
            },
            Source::Free => AbsValue::top(sort),
        }
    }
}

/// The interval of a value in a view; everything for what is no number in it.
pub(crate) fn reading(v: &AbsValue, view: View) -> Interval {
    match (v, view) {
        (AbsValue::Int(n), None) => n.interval().clone(),
        (AbsValue::Bv(w), Some(r)) => w.interval(r).clone(),
        _ => Interval::top(),
    }
}

/// The constants that comparisons and values of the system name, with what lies beside them: a counter stops there.
fn thresholds(ts: &TransitionSystem) -> Vec<IBig> {
    let mut found: BTreeSet<IBig> = [-1, 0, 1].map(IBig::from).into();
    let mut hold = |i: IBig| {
        found.insert(&i - one());
        found.insert(&i + one());
        found.insert(i);
    };
    let mut roots: Vec<Term> = ts.edges.iter().map(|e| e.guard).collect();
    roots.push(ts.init);
    // Of a new value, only that which is a constant altogether is a place to stop at.
    roots.extend(
        ts.edges
            .iter()
            .flat_map(|e| e.updates.iter().map(|(_, t)| *t))
            .filter(|t| ts.terms.constant_value(*t).is_some()),
    );
    for t in ts.terms.reachable(&roots) {
        match ts.terms.node(t).op {
            Op::Int(i) => hold(ts.terms.int_value(i)),
            Op::Bv(b) => {
                hold(b.unsigned().into());
                hold(b.signed().into());
            }
            _ => {}
        }
    }
    for u in &ts.unknowns {
        if let Some((lo, hi)) = &u.range {
            found.insert(lo.clone());
            found.insert(hi.clone());
        }
    }
    // Too many: those of small magnitude stop most counters.
    let mut all: Vec<IBig> = found.into_iter().collect();
    all.sort_by_key(crate::integer::abs);
    all.truncate(MOST_THRESHOLDS);
    for width in ts.vars.iter().filter_map(|v| v.sort.width()).collect::<BTreeSet<u32>>() {
        for r in Reading::BOTH {
            let range = r.range(width);
            all.extend(range.lo().cloned());
            all.extend(range.hi().cloned());
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
