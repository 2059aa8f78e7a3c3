//! Rankings that step over inner loops.
//!
//! The inner relation is either exact, as a list of pairs, or what an engine would write: the variables that the inner
//! loop does not change keep their values. The outer measure is then the longest chain of visits of the header under that
//! relation, if there is a longest one.

use super::{Ground, Mint, Style};
use crate::oracle::tables::{Row, equals};
use crate::oracle::truth::Node;
use lariat_ir::loops::cycle_avoiding;
use lariat_ir::{Certificate, Claim, Id, Inner, LocId, LoopId, Outline, Property, Term, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// An inner loop with the pairs of states that its relation holds for.
struct StandIn {
    id: LoopId,
    header: LocId,
    body: BTreeSet<LocId>,
    relation: Term,
    pairs: BTreeMap<Node, Vec<Node>>,
}

impl Mint<'_, '_> {
    /// A ranking with a measure at the header alone that steps over the inner loops; nothing if there are none or if
    /// they cannot stand in.
    pub(super) fn ranking_over_inner(&mut self, l: LoopId, g: &Ground) -> Option<Claim> {
        let this = self.truth.forest.loops[l].clone();
        let inner: Vec<LoopId> =
            self.truth.forest.loops.entries().filter(|(_, i)| i.parent == Some(l)).map(|(id, _)| id).collect();
        if inner.is_empty() {
            return None;
        }
        let mut stand_ins = Vec::new();
        for id in inner {
            stand_ins.push(self.stand_in(id, &g.reached)?);
        }
        let visits: Vec<Node> = self.reached_at(&g.reached, this.header);
        let mut next: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        for &n in &visits {
            next.insert(n, self.next_visits(n, &this.body, this.header, &stand_ins));
        }
        let distance = longest(&next)?;
        let table: BTreeMap<Row, i64> = distance.iter().map(|(n, d)| (self.row(*n), *d)).collect();
        let style = Style::random(self.rng, table.values().copied().max().unwrap_or(0));
        let measures = BTreeMap::from([(this.header, vec![self.measure(&table, style)?])]);
        let mut inner = Vec::new();
        for s in stand_ins {
            let claim = Box::new(self.ranking(s.id, g)?);
            inner.push(Inner { header: s.header, relation: s.relation, claim });
        }
        let outline = Outline { invariants: g.invariants.clone(), inner };
        Some(self.claim(Property::Terminates(this.header), g.when, Certificate::Ranking { outline, measures }))
    }

    fn reached_at(&self, reached: &[bool], l: LocId) -> Vec<Node> {
        (0..super::number(reached.len()))
            .filter(|&n| reached[n as usize] && self.truth.nodes[n as usize].0 == l)
            .collect()
    }

    fn stand_in(&mut self, id: LoopId, reached: &[bool]) -> Option<StandIn> {
        let this = self.truth.forest.loops[id].clone();
        if cycle_avoiding(self.ts, &this.body, &[this.header].into()).is_some() {
            return None;
        }
        let visits = self.reached_at(reached, this.header);
        let mut pairs: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        for &n in &visits {
            pairs.insert(n, self.later_visits(n, &this.body, this.header));
        }
        let t = &self.ts.terms;
        let relation = if self.rng.percent(40) && pairs.values().map(Vec::len).sum::<usize>() <= 30 {
            let state = |row: &Row| t.all(self.ts.vars.ids().zip(row).map(|(v, w)| equals(self.ts, v, *w)));
            let pair = |(a, b): (Node, Node)| t.and(self.old(state(&self.row(a))), state(&self.row(b)));
            t.any(pairs.iter().flat_map(|(a, all)| all.iter().map(|b| pair((*a, *b)))))
        } else {
            let changed: BTreeSet<VarId> = self
                .ts
                .edges
                .iter()
                .filter(|e| this.body.contains(&e.from) && this.body.contains(&e.to))
                .flat_map(|e| e.updates.iter().map(|(v, _)| *v))
                .collect();
            let kept: Vec<VarId> = self.ts.vars.ids().filter(|v| !changed.contains(v)).collect();
            let same = |a: &Row, b: &Row| kept.iter().all(|v| a[v.index()] == b[v.index()]);
            let rows: Vec<Row> = visits.iter().map(|n| self.row(*n)).collect();
            for (i, n) in visits.iter().enumerate() {
                let all = visits.iter().zip(&rows).filter(|(_, r)| same(&rows[i], r)).map(|(m, _)| *m).collect();
                pairs.insert(*n, all);
            }
            t.all(kept.iter().map(|v| t.eq(self.ts.vars[*v].old, self.ts.vars[*v].term)))
        };
        Some(StandIn { id, header: this.header, body: this.body, relation, pairs })
    }

    /// The visits of an inner header in one stay, from a first one on.
    fn later_visits(&self, from: Node, body: &BTreeSet<LocId>, header: LocId) -> Vec<Node> {
        let mut found: BTreeSet<Node> = [from].into();
        let mut seen: BTreeSet<Node> = [from].into();
        let mut open = vec![from];
        while let Some(n) = open.pop() {
            for &o in self.truth.steps[n as usize].iter().flat_map(|s| &s.outcomes) {
                let l = self.truth.nodes[o as usize].0;
                if body.contains(&l) && seen.insert(o) {
                    if l == header {
                        found.insert(o);
                    }
                    open.push(o);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The next visits of a header, with inner loops stepped over by their relations.
    fn next_visits(&self, from: Node, body: &BTreeSet<LocId>, header: LocId, inner: &[StandIn]) -> BTreeSet<Node> {
        let mut found = BTreeSet::new();
        // A state, and the inner loop that the path is on its way out of.
        let mut seen: BTreeSet<(Node, Option<usize>)> = BTreeSet::new();
        let mut open: Vec<(Node, Option<usize>)> = vec![(from, None)];
        while let Some((n, leaving)) = open.pop() {
            for &o in self.truth.steps[n as usize].iter().flat_map(|s| &s.outcomes) {
                let l = self.truth.nodes[o as usize].0;
                if l == header {
                    found.insert(o);
                    continue;
                }
                if !body.contains(&l) {
                    continue;
                }
                let still = leaving.filter(|i| inner[*i].body.contains(&l));
                let mut go = |at: (Node, Option<usize>)| {
                    if seen.insert(at) {
                        open.push(at);
                    }
                };
                match (still, inner.iter().position(|s| s.header == l)) {
                    (Some(i), Some(j)) if i == j => {}
                    (_, Some(j)) => inner[j].pairs.get(&o).into_iter().flatten().for_each(|m| go((*m, Some(j)))),
                    (still, None) => go((o, still)),
                }
            }
        }
        found
    }
}

/// The length of the longest chain from each member, if every chain ends.
fn longest(next: &BTreeMap<Node, BTreeSet<Node>>) -> Option<BTreeMap<Node, i64>> {
    let mut done: BTreeMap<Node, i64> = BTreeMap::new();
    while done.len() < next.len() {
        let ready: Vec<(Node, i64)> = next
            .iter()
            .filter(|(n, _)| !done.contains_key(n))
            .filter_map(|(n, all)| {
                let ends: Option<Vec<i64>> = all.iter().map(|m| done.get(m).copied()).collect();
                Some((*n, ends?.into_iter().max().map_or(0, |d| d + 1)))
            })
            .collect();
        if ready.is_empty() {
            return None;
        }
        done.extend(ready);
    }
    Some(done)
}
