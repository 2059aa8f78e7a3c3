//! Loops and cutpoints, by strongly connected components.
//!
//! The forest: each strongly connected component that has a cycle is a loop; one of its locations becomes the header;
//! the components of what is left are the loops inside. Any graph decomposes this way, irreducible ones and the
//! results of `goto`, computed jumps and `setjmp` included; for a reducible graph these are its natural loops.
//!
//! Why this is enough to speak of infinite runs: the locations that an infinite run visits infinitely often are
//! strongly connected, so they lie in a loop; the smallest loop that holds them all has its header among them, or
//! they would lie in a component of the rest, which is a smaller loop. Hence every cycle passes a header, the
//! headers are cutpoints, and a program terminates iff no run stays in one of its outermost loops for ever.

use crate::graph::{self, Component};
use crate::ids::{EdgeId, Id, IdVec, LocId, LoopId};
use crate::system::TransitionSystem;
use std::collections::BTreeSet;

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The cutpoint that stands for the loop.
    pub header: LocId,
    /// Its locations, the header and those of inner loops among them.
    pub body: BTreeSet<LocId>,
    /// The edges that leave it.
    pub exits: Vec<EdgeId>,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// How many loops are around it, itself included.
    pub depth: u32,
    /// Whether it can be entered elsewhere than at its header.
    pub irreducible: bool,
}

/// The loops of a system, inner loops before the loops that hold them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopForest {
    /// The loops.
    pub loops: IdVec<LoopId, Loop>,
}

impl LoopForest {
    /// The loops of a system.
    pub fn of(ts: &TransitionSystem) -> Self {
        let mut found: Vec<(Loop, Option<usize>)> = Vec::new();
        let mut search = Search::new(ts);
        let mut predecessors: IdVec<LocId, Vec<LocId>> = ts.locs.ids().map(|_| Vec::new()).collect();
        for e in &ts.edges {
            predecessors[e.to].push(e.from);
        }
        let all: Vec<LocId> = ts.locs.ids().filter(|l| !l.is_sink()).collect();
        let mut open: Vec<(Vec<LocId>, Option<usize>, u32)> = vec![(all, None, 1)];
        while let Some((region, parent, depth)) = open.pop() {
            for body in search.cyclic_components(&region) {
                let inside = search.mark(&body);
                let is_inside = |l: LocId| search.region[l] == inside;
                let mut entries = body
                    .iter()
                    .copied()
                    .filter(|&l| l == ts.entry || predecessors[l].iter().any(|&from| !is_inside(from)));
                let header = entries.next().or_else(|| body.first().copied()).expect("a component is not empty");
                let irreducible = entries.next().is_some();
                let out = body.iter().flat_map(|&l| ts.locs[l].out.iter().copied());
                let mut exits: Vec<EdgeId> = out.filter(|&e| !is_inside(ts.edges[e].to)).collect();
                exits.sort_unstable();
                let rest = body.iter().copied().filter(|&l| l != header).collect();
                let body = body.into_iter().collect();
                found.push((Loop { header, body, exits, parent: None, depth, irreducible }, parent));
                open.push((rest, Some(found.len() - 1), depth + 1));
            }
        }
        // Inner loops first; among loops of one depth the order of the headers.
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(found[i].0.depth), found[i].0.header));
        let mut id_of = vec![LoopId::from_index(0); found.len()];
        for (id, &i) in order.iter().enumerate() {
            id_of[i] = LoopId::from_index(id);
        }
        let loops = order
            .iter()
            .map(|&i| {
                let (l, parent) = found[i].clone();
                Loop { parent: parent.map(|p| id_of[p]), ..l }
            })
            .collect();
        Self { loops }
    }

    /// The loop with this header.
    pub fn with_header(&self, header: LocId) -> Option<LoopId> {
        self.loops.entries().find(|(_, l)| l.header == header).map(|(id, _)| id)
    }

    /// The headers: every cycle passes one of them.
    pub fn cutpoints(&self) -> BTreeSet<LocId> {
        self.loops.iter().map(|l| l.header).collect()
    }

    /// Whether one loop lies inside another.
    pub fn is_inside(&self, inner: LoopId, outer: LoopId) -> bool {
        let mut up = self.loops[inner].parent;
        while let Some(l) = up {
            if l == outer {
                return true;
            }
            up = self.loops[l].parent;
        }
        false
    }

    /// The outermost loops.
    pub fn outermost(&self) -> impl Iterator<Item = LoopId> + '_ {
        self.loops.entries().filter(|(_, l)| l.parent.is_none()).map(|(id, _)| id)
    }
}

/// A cycle through `region` that avoids `cut`, as its locations in order; nothing if every cycle passes the cut.
pub fn cycle_avoiding(ts: &TransitionSystem, region: &BTreeSet<LocId>, cut: &BTreeSet<LocId>) -> Option<Vec<LocId>> {
    let rest: Vec<LocId> = region.difference(cut).copied().collect();
    let component: BTreeSet<LocId> = Search::new(ts).cyclic_components(&rest).into_iter().next()?.into_iter().collect();
    // Walk inside the component until a location repeats: each has a successor in it.
    let mut walk = vec![*component.first().expect("a component is not empty")];
    loop {
        let here = walk[walk.len() - 1];
        let next = ts.locs[here]
            .out
            .iter()
            .map(|&e| ts.edges[e].to)
            .find(|l| component.contains(l))
            .expect("each location of a cyclic component has a successor in it");
        if let Some(start) = walk.iter().position(|&l| l == next) {
            return Some(walk.split_off(start));
        }
        walk.push(next);
    }
}

/// A search for components in one part of a graph after another.
struct Search<'a> {
    ts: &'a TransitionSystem,
    /// The part that a location was last said to be in, and its number there.
    region: IdVec<LocId, u32>,
    place: IdVec<LocId, usize>,
    regions: u32,
}

impl<'a> Search<'a> {
    fn new(ts: &'a TransitionSystem) -> Self {
        let (region, place) = (ts.locs.ids().map(|_| 0).collect(), ts.locs.ids().map(|_| 0).collect());
        Self { ts, region, place, regions: 0 }
    }

    /// Says that these locations are a part, and no others.
    fn mark(&mut self, part: &[LocId]) -> u32 {
        self.regions += 1;
        for (n, &l) in part.iter().enumerate() {
            (self.region[l], self.place[l]) = (self.regions, n);
        }
        self.regions
    }

    /// The strongly connected components of a subgraph that have a cycle, in order of their smallest location, each in order.
    fn cyclic_components(&mut self, part: &[LocId]) -> Vec<Vec<LocId>> {
        let here = self.mark(part);
        let (ts, region, place) = (self.ts, &self.region, &self.place);
        let found = graph::components(part.len(), |n| {
            let next = ts.locs[part[n]].out.iter().map(|&e| ts.edges[e].to);
            next.filter(|&to| region[to] == here).map(|to| place[to])
        });
        let locations = |c: Component| {
            let mut body: Vec<LocId> = c.nodes.into_iter().map(|n| part[n]).collect();
            body.sort_unstable();
            body
        };
        let mut components: Vec<Vec<LocId>> = found.into_iter().filter(|c| c.cyclic).map(locations).collect();
        components.sort_by_key(|c| c.first().copied());
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Integers;

    /// A system with these edges between locations 0.., the first being the entry.
    fn graph(n: usize, edges: &[(usize, usize)]) -> (TransitionSystem, Vec<LocId>) {
        let mut ts = TransitionSystem::new("graph", Integers::Wrap);
        let locs: Vec<LocId> = (0..n).map(|i| ts.add_loc(&format!("n{i}"))).collect();
        ts.entry = locs[0];
        let tt = ts.terms.tt();
        for &(a, b) in edges {
            ts.add_edge(locs[a], locs[b], tt, vec![]);
        }
        (ts, locs)
    }

    #[test]
    fn nested_loops_come_inner_first() {
        let (ts, l) = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 2), (3, 1), (1, 4)]);
        let forest = LoopForest::of(&ts);
        assert_eq!(forest.loops.len(), 2);
        let (inner, outer) = (LoopId::from_index(0), LoopId::from_index(1));
        assert_eq!(forest.loops[inner].header, l[2]);
        assert_eq!(forest.loops[outer].header, l[1]);
        assert_eq!(forest.loops[inner].parent, Some(outer));
        assert_eq!(forest.loops[inner].depth, 2);
        assert!(!forest.loops[inner].irreducible && !forest.loops[outer].irreducible);
        assert_eq!(forest.loops[outer].exits.len(), 1);
    }

    #[test]
    fn an_irreducible_loop_is_one_loop_with_one_header() {
        let (ts, _) = graph(3, &[(0, 1), (0, 2), (1, 2), (2, 1)]);
        let forest = LoopForest::of(&ts);
        assert_eq!(forest.loops.len(), 1);
        assert!(forest.loops[LoopId::from_index(0)].irreducible);
    }

    /// Every subgraph of the complete graph on 4 locations: no cycle avoids the headers, and dropping a header that
    /// has a cycle of its own is noticed.
    #[test]
    fn no_cycle_avoids_the_cutpoints_in_any_graph_on_four_locations() {
        let pairs: Vec<(usize, usize)> = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).collect();
        for mask in 0u32..1 << 16 {
            let edges: Vec<_> = pairs.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, e)| *e).collect();
            let (ts, locs) = graph(4, &edges);
            let forest = LoopForest::of(&ts);
            let all: BTreeSet<LocId> = locs.iter().copied().collect();
            assert_eq!(cycle_avoiding(&ts, &all, &forest.cutpoints()), None, "graph {mask:#x}");
            assert_eq!(cycle_avoiding(&ts, &all, &BTreeSet::new()).is_some(), !forest.loops.is_empty());
            for l in &forest.loops {
                let entered = |l: &LocId, body: &BTreeSet<LocId>| {
                    *l == ts.entry || ts.edges.iter().any(|e| e.to == *l && !body.contains(&e.from))
                };
                let entries: Vec<LocId> = l.body.iter().copied().filter(|b| entered(b, &l.body)).collect();
                assert_eq!(l.irreducible, entries.len() > 1);
                assert!(entries.is_empty() && l.body.contains(&l.header) || entries.contains(&l.header));
                let leaves = |e: &crate::Edge| l.body.contains(&e.from) && !l.body.contains(&e.to);
                let exits: Vec<EdgeId> = ts.edges.entries().filter(|(_, e)| leaves(e)).map(|(id, _)| id).collect();
                assert_eq!(l.exits, exits);
                let children: BTreeSet<LocId> = forest
                    .loops
                    .iter()
                    .filter(|c| c.depth > l.depth && l.body.contains(&c.header))
                    .map(|c| c.header)
                    .collect();
                assert!(cycle_avoiding(&ts, &l.body, &BTreeSet::new()).is_some());
                if children.is_empty() {
                    let others = l.body.iter().copied().filter(|&b| b != l.header).collect();
                    assert_eq!(cycle_avoiding(&ts, &others, &BTreeSet::new()), None);
                }
            }
        }
    }
}
