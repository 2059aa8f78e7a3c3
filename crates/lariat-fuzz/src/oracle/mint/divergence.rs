//! Orbits and recurrent sets.

use super::{Mint, number};
use crate::oracle::compiled::{bits_of, from_word, to_word};
use crate::oracle::tables::{Row, equals, function_term, set_term};
use crate::oracle::truth::{Game, Node};
use lariat_ir::{
    Arm, Certificate, Choice, Claim, EdgeId, Id, LocId, LoopId, Move, Property, Role, Sort, StatePart, Term,
    UnknownKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The edges of a path, each with the states before it.
type Followed = Vec<(EdgeId, BTreeSet<Node>)>;

impl Mint<'_, '_> {
    pub(super) fn divergences(&mut self) {
        let loops: Vec<LoopId> = self.truth.forest.loops.ids().collect();
        for l in loops {
            let before = self.out.claims.len();
            self.orbit(l);
            self.recurrent_set(l);
            if self.out.claims.len() > before && self.rng.percent(30) {
                let part = self.out.claims[before].clone();
                let claim =
                    self.claim(Property::ProgramDiverges, part.when, Certificate::Program { parts: vec![part] });
                self.out.claims.push(claim);
            }
        }
    }

    /// A strategy that keeps runs in a loop, and the way there: for each state that can be forced the number of its
    /// inputs' combination.
    fn strategy(&mut self, l: LoopId) -> (Vec<bool>, BTreeMap<Node, usize>) {
        let body = &self.truth.forest.loops[l].body;
        let inside: Vec<bool> = self.truth.nodes.iter().map(|(loc, _)| body.contains(loc)).collect();
        let nobody = vec![false; inside.len()];
        let game = Game::new(&self.truth.nodes, &self.truth.steps, &self.truth.frontier);
        let kept = game.kept(&inside, &nobody, true);
        let mut choice = BTreeMap::new();
        let offset = self.rng.below(8);
        let leads = |n: usize, set: &[bool]| {
            let s = self.truth.steps[n].as_ref()?;
            let all: Vec<&[Node]> = s.outcomes.chunks(s.others).collect();
            (0..all.len()).map(|i| (i + offset) % all.len()).find(|&i| all[i].iter().all(|&o| set[o as usize]))
        };
        for n in (0..kept.len()).filter(|&n| kept[n]) {
            choice.insert(number(n), leads(n, &kept).expect("a kept state has a choice that keeps it"));
        }
        // Layer by layer, so that a choice always leads to where the goal is nearer.
        let mut won = kept.clone();
        loop {
            let new: Vec<(usize, usize)> =
                (0..won.len()).filter(|&n| !won[n]).filter_map(|n| Some((n, leads(n, &won)?))).collect();
            if new.is_empty() {
                return (kept, choice);
            }
            for (n, i) in new {
                won[n] = true;
                choice.insert(number(n), i);
            }
        }
    }

    fn recurrent_set(&mut self, l: LoopId) {
        let (kept, choice) = self.strategy(l);
        let header = self.truth.forest.loops[l].header;
        let starts: Vec<Node> = self.truth.initial.iter().copied().filter(|n| choice.contains_key(n)).collect();
        if starts.is_empty() {
            return;
        }
        let start = *self.rng.pick(&starts);
        let body = self.truth.forest.loops[l].body.clone();
        let cuts = self.truth.forest.cutpoints().intersection(&body).copied().collect();
        let mut options: Vec<BTreeSet<LocId>> = vec![[header].into(), cuts, body];
        if self.rng.percent(40) {
            options.reverse();
        }
        for at in options {
            if let Some(claim) = self.recurrent_at(header, &kept, &choice, &at, start, &starts) {
                self.out.claims.push(claim);
                return;
            }
        }
        self.skip("RecurrentSet");
    }

    /// Follows the strategy from some states that take the same edges whatever the other values are, to the first time
    /// that `there` holds; gives the states before each edge. At least one edge if `moving`.
    fn follow(
        &self,
        from: &BTreeSet<Node>,
        choice: &BTreeMap<Node, usize>,
        moving: bool,
        there: &dyn Fn(Node) -> bool,
    ) -> Option<(Followed, BTreeSet<Node>)> {
        let mut now = from.clone();
        let mut path = Vec::new();
        loop {
            let arrived = now.iter().filter(|&&n| there(n)).count();
            if arrived == now.len() && (!moving || !path.is_empty()) {
                return Some((path, now));
            }
            if arrived > 0 && !path.is_empty() || path.len() > 80 {
                return None;
            }
            let mut edges = now.iter().filter_map(|&n| self.truth.steps[n as usize].as_ref()).map(|s| s.edge);
            let edge = edges.next()?;
            if edges.any(|e| e != edge) {
                return None;
            }
            let mut next = BTreeSet::new();
            for n in &now {
                let s = self.truth.steps[*n as usize].as_ref()?;
                next.extend(s.outcomes[choice.get(n)? * s.others..][..s.others].iter().copied());
            }
            path.push((edge, now));
            now = next;
        }
    }

    fn recurrent_at(
        &mut self,
        header: LocId,
        kept: &[bool],
        choice: &BTreeMap<Node, usize>,
        at: &BTreeSet<LocId>,
        start: Node,
        starts: &[Node],
    ) -> Option<Claim> {
        let there = |n: Node| kept[n as usize] && at.contains(&self.truth.nodes[n as usize].0);
        let (stem, _) = self.follow(&[start].into(), choice, false, &there)?;
        // Other initial states may take the same way.
        let mut group: BTreeSet<Node> = [start].into();
        if self.rng.percent(50) {
            let edges: Vec<EdgeId> = stem.iter().map(|(e, _)| *e).collect();
            for &s in starts {
                let Some((path, _)) = self.follow(&[s].into(), choice, false, &there) else { continue };
                if path.iter().map(|(e, _)| *e).eq(edges.iter().copied()) {
                    group.insert(s);
                }
            }
        }
        let (stem, ends) = self.follow(&group, choice, false, &there)?;
        // The set: what the strategy leads to from there, or all that it keeps.
        let mut set: BTreeSet<Node> = ends;
        if self.rng.percent(40) {
            set.extend((0..number(kept.len())).filter(|&n| there(n)));
        }
        let mut arms: BTreeMap<(LocId, Vec<EdgeId>), BTreeSet<Node>> = BTreeMap::new();
        let mut open: Vec<Node> = set.iter().copied().collect();
        while let Some(n) = open.pop() {
            let (path, ends) = self.follow(&[n].into(), choice, true, &there)?;
            open.extend(ends.iter().filter(|e| !set.contains(e)));
            set.extend(ends);
            let key = (self.truth.nodes[n as usize].0, path.iter().map(|(e, _)| *e).collect());
            arms.entry(key).or_default().insert(n);
        }
        let mut terms = BTreeMap::new();
        for loc in at {
            let rows: BTreeSet<Row> =
                set.iter().filter(|n| self.truth.nodes[**n as usize].0 == *loc).map(|n| self.row(*n)).collect();
            if !rows.is_empty() {
                terms.insert(*loc, set_term(self.ts, &rows)?);
            }
        }
        let mut written = Vec::new();
        for ((from, _), nodes) in &arms {
            let (path, _) = self.follow(nodes, choice, true, &there)?;
            let lonely = arms.keys().filter(|(l, _)| l == from).count() == 1;
            let when = if lonely && self.rng.percent(50) {
                self.ts.terms.tt()
            } else {
                set_term(self.ts, &nodes.iter().map(|n| self.row(*n)).collect())?
            };
            written.push(Arm { from: *from, when, path: self.moves(&path, choice)? });
        }
        let stem = self.moves(&stem, choice)?;
        let when = set_term(self.ts, &group.iter().map(|n| self.row(*n)).collect())?;
        let start = self.truth.space.values(self.truth.nodes[start as usize].1);
        let certificate = Certificate::RecurrentSet { start, stem, set: terms, arms: written };
        Some(self.claim(Property::Diverges(header), when, certificate))
    }

    /// The inputs along a path as terms over the states before each edge.
    fn moves(&self, path: &[(EdgeId, BTreeSet<Node>)], choice: &BTreeMap<Node, usize>) -> Option<Vec<Move>> {
        let mut out = Vec::new();
        for (edge, nodes) in path {
            let mut tables: BTreeMap<lariat_ir::UnknownId, BTreeMap<Row, i64>> = BTreeMap::new();
            for n in nodes {
                let combination = u32::try_from(choice[n]).expect("combinations are few");
                for (u, value) in self.truth.space.choice(*edge, combination, 0) {
                    if self.ts.unknowns[u].kind == UnknownKind::Input {
                        tables.entry(u).or_default().insert(self.row(*n), to_word(&value)?);
                    }
                }
            }
            let mut inputs = Vec::new();
            for (u, table) in tables {
                let sort = self.ts.unknowns[u].sort;
                let constant = |w: i64| self.ts.terms.value(&from_word(sort, w));
                inputs.push((u, function_term(self.ts, &table, &constant)?));
            }
            out.push(Move { edge: *edge, inputs });
        }
        Some(out)
    }

    // ---- orbits ----

    fn orbit(&mut self, l: LoopId) {
        let may = &self.truth.loops[l].may;
        let promising: Vec<Node> = self.truth.initial.iter().copied().filter(|&n| may.greatest[n as usize]).collect();
        if promising.is_empty() {
            return;
        }
        let relevant = self.relevant(l);
        for _ in 0..6 {
            let start = *self.rng.pick(&promising);
            let Some((walk, first)) = self.lasso(l, start, &relevant) else { continue };
            if let Some(claim) = self.orbit_of(l, start, &walk, first, &relevant) {
                self.out.claims.push(claim);
                return;
            }
        }
        self.skip("Orbit");
    }

    /// The variables that decide what happens in a loop's body: what its guards read, and what those are computed from.
    fn relevant(&self, l: LoopId) -> BTreeSet<VarId> {
        let body = &self.truth.forest.loops[l].body;
        let inside = || self.ts.edges.iter().filter(|e| body.contains(&e.from));
        let mut found: BTreeSet<VarId> = inside().flat_map(|e| self.vars_of(e.guard)).collect();
        loop {
            let more: BTreeSet<VarId> = inside()
                .flat_map(|e| &e.updates)
                .filter(|(v, _)| found.contains(v))
                .flat_map(|(_, t)| self.vars_of(*t))
                .collect();
            if more.is_subset(&found) {
                return found;
            }
            found.extend(more);
        }
    }

    fn vars_of(&self, t: Term) -> Vec<VarId> {
        let role = |s| match self.ts.terms.role(s) {
            Some(Role::Var(v)) => Some(v),
            _ => None,
        };
        self.ts.terms.symbols(t).into_iter().filter_map(role).collect()
    }

    /// A run (states with the number of the outcome taken) whose last step comes back to the state at `first`, as far as
    /// the relevant variables can tell, without leaving the body in between.
    fn lasso(&mut self, l: LoopId, start: Node, relevant: &BTreeSet<VarId>) -> Option<(Vec<(Node, usize)>, usize)> {
        let body = self.truth.forest.loops[l].body.clone();
        let may = self.truth.loops[l].may.greatest.clone();
        let mut walk: Vec<(Node, usize)> = Vec::new();
        let mut seen: BTreeMap<(LocId, Row), usize> = BTreeMap::new();
        let mut now = start;
        for _ in 0..150 {
            let loc = self.truth.nodes[now as usize].0;
            if body.contains(&loc) {
                let row = self.row(now);
                let key = (loc, relevant.iter().map(|v| row[v.index()]).collect());
                if let Some(&first) = seen.get(&key) {
                    return Some((walk, first));
                }
                seen.insert(key, walk.len());
            } else {
                seen.clear();
            }
            let s = self.truth.steps[now as usize].as_ref()?;
            let ways: Vec<usize> = (0..s.outcomes.len()).filter(|&i| may[s.outcomes[i] as usize]).collect();
            if ways.is_empty() {
                return None;
            }
            // The first way mostly, so that walks repeat themselves soon.
            let way = if self.rng.percent(60) { ways[0] } else { *self.rng.pick(&ways) };
            walk.push((now, way));
            now = s.outcomes[way];
        }
        None
    }

    fn orbit_of(
        &mut self,
        l: LoopId,
        start: Node,
        walk: &[(Node, usize)],
        first: usize,
        relevant: &BTreeSet<VarId>,
    ) -> Option<Claim> {
        let scalar = |v: &VarId| bits_of(self.ts.vars[*v].sort).is_some() || self.ts.vars[*v].sort == Sort::Int;
        let pinnable = |v: &VarId| scalar(v) && !matches!(self.ts.vars[*v].sort, Sort::Array(..));
        let edges: Vec<EdgeId> =
            walk.iter().map(|(n, _)| self.truth.steps[*n as usize].as_ref().expect("a walk has steps").edge).collect();
        let (stem_edges, cycle_edges) = edges.split_at(first);
        let mut pinned: BTreeSet<VarId> = self.ts.vars.ids().filter(pinnable).collect();
        let clean = self.clean_after(&pinned, stem_edges)?;
        // Everything that is clean and comes back, or only what matters.
        let before = self.row(walk[first].0);
        let after = {
            let (n, way) = *walk.last()?;
            self.row(self.truth.steps[n as usize].as_ref()?.outcomes[way])
        };
        let back = |v: &VarId| before[v.index()] == after[v.index()];
        let everything: BTreeSet<VarId> = clean.iter().copied().filter(back).collect();
        let closed = |same: &BTreeSet<VarId>, this: &Self| {
            same.is_subset(&clean) && this.clean_after(same, cycle_edges).is_some_and(|c| same.is_subset(&c))
        };
        let same = if self.rng.percent(50) && closed(&everything, self) { everything } else { relevant.clone() };
        if !closed(&same, self) {
            return None;
        }
        // Pins that nothing depends on can go: the claim is stronger then.
        if self.rng.percent(50) {
            for v in pinned.clone() {
                let mut fewer = pinned.clone();
                fewer.remove(&v);
                if self.clean_after(&fewer, stem_edges).is_some_and(|c| same.is_subset(&c)) {
                    pinned = fewer;
                }
            }
        }
        let row = self.row(start);
        let when = self.ts.terms.all(pinned.iter().map(|v| equals(self.ts, *v, row[v.index()])));
        let choice = |(n, way): &(Node, usize)| {
            let s = self.truth.steps[*n as usize].as_ref().expect("a walk has steps");
            let small = |n: usize| u32::try_from(n).expect("combinations are few");
            Choice {
                edge: s.edge,
                values: self.truth.space.choice(s.edge, small(way / s.others), small(way % s.others)),
            }
        };
        let mut places = Vec::new();
        for v in &same {
            match self.ts.vars[*v].sort {
                Sort::Array(i, _) if bits_of(i.into()).is_some_and(|b| b <= 3) && self.rng.percent(50) => {
                    let bits = bits_of(i.into()).expect("just looked");
                    places.extend((0..1i64 << bits).map(|c| StatePart::Cell(*v, from_word(i.into(), c))));
                }
                _ => places.push(StatePart::Var(*v)),
            }
        }
        let certificate = Certificate::Orbit {
            start: self.truth.space.values(self.truth.nodes[start as usize].1),
            stem: walk[..first].iter().map(choice).collect(),
            cycle: walk[first..].iter().map(choice).collect(),
            same: places,
        };
        let header = self.truth.forest.loops[l].header;
        Some(self.claim(Property::Diverges(header), when, certificate))
    }

    /// Which variables are known after some edges, when these are known before; nothing if a guard on the way is not.
    fn clean_after(&self, clean: &BTreeSet<VarId>, edges: &[EdgeId]) -> Option<BTreeSet<VarId>> {
        let mut clean = clean.clone();
        for &e in edges {
            for &other in &self.ts.locs[self.ts.edges[e].from].out {
                if self.vars_of(self.ts.edges[other].guard).iter().any(|v| !clean.contains(v)) {
                    return None;
                }
            }
            let mut next = clean.clone();
            for (v, t) in &self.ts.edges[e].updates {
                let known = self.ts.terms.symbols(*t).into_iter().all(|s| match self.ts.terms.role(s) {
                    Some(Role::Var(x)) => clean.contains(&x),
                    Some(Role::Unknown(u)) => self.ts.unknowns[u].kind == UnknownKind::Input,
                    _ => false,
                });
                if known {
                    next.insert(*v)
                } else {
                    next.remove(v)
                };
            }
            clean = next;
        }
        Some(clean)
    }
}
