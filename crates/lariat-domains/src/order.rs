//! The order in which locations are visited: a weak topological order.
//!
//! F. Bourdoncle, *Efficient Chaotic Iteration Strategies with Widenings*. Loops are units of the graph around them; what a unit
//! leads to comes after it, but for the way back to the header of the loop that they are in.

use lariat_ir::{LocId, LoopForest, LoopId, TransitionSystem};
use std::collections::{BTreeMap, BTreeSet};

/// A location by itself, or a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    Location(LocId),
    Loop { header: LocId, body: Vec<Unit> },
}

/// How deeply loops may be nested: each level is a level of recursion.
pub(crate) const DEEPEST: u32 = 100;

/// The order of a system; nothing if its loops are nested too deeply.
pub(crate) fn order(ts: &TransitionSystem, forest: &LoopForest) -> Option<Vec<Unit>> {
    if forest.loops.iter().any(|l| l.depth > DEEPEST) {
        return None;
    }
    // The innermost loop of each location; inner loops come first in a forest.
    let mut innermost: BTreeMap<LocId, LoopId> = BTreeMap::new();
    for (id, l) in forest.loops.entries() {
        for loc in &l.body {
            innermost.entry(*loc).or_insert(id);
        }
    }
    let all: BTreeSet<LocId> = ts.locs.ids().filter(|l| !l.is_sink()).collect();
    Some(region(ts, forest, &innermost, &all, None))
}

fn region(
    ts: &TransitionSystem,
    forest: &LoopForest,
    innermost: &BTreeMap<LocId, LoopId>,
    locs: &BTreeSet<LocId>,
    inside: Option<LoopId>,
) -> Vec<Unit> {
    // The loop directly inside this one that holds a location; the header of this loop is in none.
    let unit_of = |loc: LocId| {
        let mut at = innermost.get(&loc).copied();
        let mut last = None;
        while at != inside {
            last = at;
            at = at.and_then(|l| forest.loops[l].parent);
        }
        last.map_or(Key::Location(loc), Key::Loop)
    };
    let header = inside.map(|l| forest.loops[l].header);
    let mut next: BTreeMap<Key, BTreeSet<Key>> = BTreeMap::new();
    for &loc in locs {
        let from = unit_of(loc);
        let edges = ts.locs[loc].out.iter().map(|&e| ts.edges[e].to);
        let to = edges.filter(|t| locs.contains(t) && Some(*t) != header).map(unit_of).filter(|t| *t != from);
        next.entry(from).or_default().extend(to);
    }
    let mut units = Vec::new();
    for key in topological(&next) {
        match key {
            Key::Location(l) if Some(l) == header => {}
            Key::Location(l) => units.push(Unit::Location(l)),
            Key::Loop(id) => {
                let l = &forest.loops[id];
                units.push(Unit::Loop { header: l.header, body: region(ts, forest, innermost, &l.body, Some(id)) });
            }
        }
    }
    units
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Location(LocId),
    Loop(LoopId),
}

/// Every unit before those it leads to; the graph has no cycles, since loops are units.
fn topological(next: &BTreeMap<Key, BTreeSet<Key>>) -> Vec<Key> {
    let mut before: BTreeMap<Key, usize> = next.keys().map(|k| (*k, 0)).collect();
    for to in next.values().flatten() {
        *before.entry(*to).or_default() += 1;
    }
    let mut ready: BTreeSet<Key> = before.iter().filter(|(_, n)| **n == 0).map(|(k, _)| *k).collect();
    let mut out = Vec::new();
    while let Some(k) = ready.pop_first() {
        out.push(k);
        for to in &next[&k] {
            let n = before.get_mut(to).expect("every unit is counted");
            *n -= 1;
            if *n == 0 {
                ready.insert(*to);
            }
        }
    }
    debug_assert_eq!(out.len(), next.len(), "units have no cycle");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::{Id, Integers};

    fn written(units: &[Unit]) -> String {
        let one = |u: &Unit| match u {
            Unit::Location(l) => l.index().to_string(),
            Unit::Loop { header, body } => format!("({} {})", header.index(), written(body)).replace(" )", ")"),
        };
        units.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn loops_are_units() {
        let mut ts = TransitionSystem::new("order", Integers::Ideal);
        let l: Vec<LocId> = (0..6).map(|i| ts.add_loc(&format!("l{i}"))).collect();
        ts.entry = l[0];
        let tt = ts.terms.tt();
        for (a, b) in [(0, 1), (1, 2), (2, 2), (2, 3), (3, 1), (1, 5), (5, 4)] {
            ts.add_edge(l[a], l[b], tt, Vec::new());
        }
        ts.add_edge(l[4], LocId::EXIT, tt, Vec::new());
        let order = order(&ts, &LoopForest::of(&ts)).expect("not deep");
        assert_eq!(written(&order), "4 (5 (6) 7) 9 8");
    }
}
