//! Which variables are looked at together.
//!
//! The relational domains cost more than linearly in the number of dimensions, and most variables have nothing to do with each other. Variables are linked
//! that a comparison compares, that one new value is made of, or that one edge counts up or down together; a
//! pack is a set of linked dimensions of limited size. Any choice is sound: relations between packs are just not found.

use crate::plan::{Plan, Source, is_number};
use crate::space::{Dimension, Layer, View};
use crate::word::Reading;
use lariat_ir::{Op, Sort, TransitionSystem, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The widest bit-vector with a dimension: a sum of several still has a meaning as a term.
const WIDEST: u32 = 64;

/// The packs of a system, given the plans of its edges and, after them, of other conditions on its states.
pub(crate) fn find(ts: &TransitionSystem, plans: &[&Plan], layer: Layer) -> Vec<Vec<Dimension>> {
    let most = if layer == Layer::Polyhedra { 9 } else { 18 };
    let views = views(ts, plans);
    let dims: Vec<Dimension> =
        views.iter().flat_map(|(v, s)| s.iter().map(|&view| Dimension { var: *v, view })).collect();
    let mut groups = Groups { group: (0..dims.len()).collect(), size: vec![1; dims.len()], most };
    let of = |v: VarId| dims.iter().enumerate().filter(move |(_, d)| d.var == v);
    // Only numbers of one kind are in one pack: a relation between an integer and a bit-vector has no meaning as a term.
    let kind = |v: VarId| ts.vars[v].sort == Sort::Int;
    let mut link = |vars: &BTreeSet<VarId>| {
        let Some(first) = vars.first() else { return };
        for v in vars.iter().filter(|v| kind(**v) == kind(*first)) {
            for (i, d) in of(*first) {
                for (j, e) in of(*v) {
                    if d.view == e.view {
                        groups.join(i, j);
                    }
                }
            }
        }
    };
    for plan in plans {
        for &c in &plan.comparisons {
            let node = &plan.nodes[c];
            link(&summands(plan, node.args()));
        }
    }
    let updates =
        || plans.iter().zip(ts.edges.iter()).map(|(p, e)| (p, e.updates.iter().map(|(v, _)| *v).zip(&p.roots[1..])));
    for (plan, new) in updates() {
        for (v, &root) in new {
            let mut parts = summands(plan, [root].into_iter());
            if !parts.is_empty() && is_number(ts.vars[v].sort) {
                parts.insert(v);
                link(&parts);
            }
        }
    }
    for (plan, new) in updates() {
        let counted: BTreeSet<VarId> = new
            .filter(|(v, root)| {
                plan.symbols.iter().all(|s| s.0 != **root) && summands(plan, [**root].into_iter()).contains(v)
            })
            .map(|(v, _)| v)
            .collect();
        link(&counted);
    }
    let mut packs: BTreeMap<usize, Vec<Dimension>> = BTreeMap::new();
    for (i, d) in dims.iter().enumerate() {
        packs.entry(groups.find(i)).or_default().push(*d);
    }
    packs.into_values().filter(|p| p.len() > 1).collect()
}

/// Sets of dimensions that are joined as long as they stay small.
struct Groups {
    group: Vec<usize>,
    size: Vec<usize>,
    most: usize,
}

impl Groups {
    fn find(&self, mut i: usize) -> usize {
        while self.group[i] != i {
            i = self.group[i];
        }
        i
    }
    fn join(&mut self, i: usize, j: usize) {
        let (a, b) = (self.find(i), self.find(j));
        let (a, b) = (a.min(b), a.max(b));
        if a != b && self.size[a] + self.size[b] <= self.most {
            self.group[b] = a;
            self.size[a] += self.size[b];
        }
    }
}

/// The variables that some terms are sums of, up to operations that keep a value linear where nothing overflows.
fn summands(plan: &Plan, from: impl Iterator<Item = usize>) -> BTreeSet<VarId> {
    let mut open: Vec<usize> = from.collect();
    let mut seen = BTreeSet::new();
    let mut found = BTreeSet::new();
    while let Some(i) = open.pop() {
        if !seen.insert(i) {
            continue;
        }
        let node = &plan.nodes[i];
        match node.op {
            Op::Symbol(_) if is_number(node.sort) => {
                found.extend(plan.symbols.iter().filter(|(s, _)| *s == i).filter_map(|(_, source)| match source {
                    Source::Var(v) => Some(*v),
                    _ => None,
                }));
            }
            Op::IntAdd | Op::IntSub | Op::IntMul | Op::BvAdd | Op::BvSub | Op::BvMul | Op::Concat => {
                open.extend(node.args());
            }
            Op::IntToBv(_)
            | Op::UbvToInt
            | Op::SbvToInt
            | Op::IntNeg
            | Op::BvNeg
            | Op::BvNot
            | Op::Extract { .. }
            | Op::ZeroExtend(_)
            | Op::SignExtend(_) => {
                open.extend(node.args());
            }
            Op::IntDiv
            | Op::IntMod
            | Op::BvUdiv
            | Op::BvSdiv
            | Op::BvUrem
            | Op::BvSrem
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
            | Op::BvAnd => open.push(node.arg(0)),
            Op::Ite => open.extend(node.args().skip(1)),
            _ => {}
        }
    }
    found
}

/// The readings that operations of the system use of each variable.
fn views(ts: &TransitionSystem, plans: &[&Plan]) -> BTreeMap<VarId, BTreeSet<View>> {
    let mut views: BTreeMap<VarId, BTreeSet<View>> = BTreeMap::new();
    for (v, var) in ts.vars.entries() {
        match var.sort {
            Sort::Int => {
                views.insert(v, [None].into());
            }
            Sort::BitVec(w) if w <= WIDEST => {
                views.insert(v, BTreeSet::new());
            }
            _ => {}
        }
    }
    let mut mark = |vars: BTreeSet<VarId>, reading: Reading| {
        for v in vars {
            if ts.vars[v].sort != Sort::Int
                && let Some(of) = views.get_mut(&v)
            {
                of.insert(Some(reading));
            }
        }
    };
    for plan in plans {
        for node in &plan.nodes {
            let reading = match node.op {
                Op::BvSlt | Op::BvSle | Op::BvSdiv | Op::BvSrem | Op::BvAshr | Op::SignExtend(_) | Op::SbvToInt => {
                    Reading::Signed
                }
                Op::BvUlt | Op::BvUle | Op::BvUdiv | Op::BvUrem | Op::BvLshr | Op::ZeroExtend(_) | Op::UbvToInt => {
                    Reading::Unsigned
                }
                _ => continue,
            };
            mark(summands(plan, node.args()), reading);
        }
    }
    // What no operation reads takes the readings of what it is computed from or compared with, or is unsigned.
    for _ in 0..3 {
        for (n, plan) in plans.iter().enumerate() {
            let updates = ts.edges.as_slice().get(n).map_or(&[][..], |e| &e.updates[..]);
            let compared = plan.comparisons.iter().map(|&c| summands(plan, plan.nodes[c].args()));
            let computed = updates.iter().zip(&plan.roots[1..]).map(|((v, _), root)| {
                let mut all = summands(plan, [*root].into_iter());
                all.insert(*v);
                all
            });
            for group in compared.chain(computed).collect::<Vec<_>>() {
                let common: BTreeSet<View> =
                    group.iter().filter_map(|v| views.get(v)).flatten().filter(|v| v.is_some()).copied().collect();
                for v in group {
                    if let Some(own) = views.get_mut(&v).filter(|own| own.is_empty()) {
                        own.extend(&common);
                    }
                }
            }
        }
    }
    for own in views.values_mut().filter(|own| own.is_empty()) {
        own.insert(Some(Reading::Unsigned));
    }
    views
}
