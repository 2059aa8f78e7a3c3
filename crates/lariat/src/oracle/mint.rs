//! True certificates, made from the enumerated truth.
//!
//! Nothing is searched for: distances, reachable sets and winning strategies are read off the explored states and written
//! down as terms. The variety is what matters: every kind, every order, measures at headers or everywhere, one
//! component or two, sets at one location or at several.

use super::compiled::{bits_of, from_word, to_word};
use super::random::Rng;
use super::space::Coverage;
use super::tables::{Row, equals, function_term, set_term};
use super::truth::{Game, Node, Truth};
use lariat_ir::{
    Arm, Certificate, Choice, Claim, Disjunct, EdgeId, Id, LocId, LoopId, Measure, Move, Op, Order, Outline, Place,
    Property, Proves, Role, Sort, SystemHash, Term, TransitionSystem, UnknownKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// What was minted.
#[derive(Default)]
pub struct Minted {
    /// The claims, each with a certificate that keeps the rules.
    pub claims: Vec<Claim>,
    /// How often a certificate of a kind was due and could not be written down.
    pub skipped: BTreeMap<&'static str, u32>,
}

/// Certificates for what is true of a system.
pub fn mint(truth: &mut Truth, rng: &mut Rng) -> Minted {
    let ts = truth.space.ts;
    let mut m = Mint { hash: ts.hash(), ts, truth, rng, out: Minted::default() };
    if m.ts.proves != Proves::Diverges {
        m.terminations();
    }
    if m.ts.proves != Proves::Terminates {
        m.divergences();
    }
    m.inductions();
    m.out
}

struct Mint<'m, 'a> {
    ts: &'a TransitionSystem,
    hash: SystemHash,
    truth: &'m mut Truth<'a>,
    rng: &'m mut Rng,
    out: Minted,
}

/// What the termination certificates for one condition have in common.
struct Ground {
    when: Term,
    reached: Vec<bool>,
    invariants: BTreeMap<LocId, Term>,
}

impl<'a> Mint<'_, 'a> {
    fn skip(&mut self, kind: &'static str) {
        *self.out.skipped.entry(kind).or_default() += 1;
    }

    fn claim(&self, property: Property, when: Term, certificate: Certificate) -> Claim {
        Claim { system: self.hash, property, when, certificate }
    }

    fn row(&self, n: Node) -> Row {
        self.truth.space.words(self.truth.nodes[n as usize].1)
    }

    fn rows_at(&self, set: &[bool], l: LocId) -> BTreeSet<Row> {
        (0..set.len()).filter(|&n| set[n] && self.truth.nodes[n].0 == l).map(|n| self.row(number(n))).collect()
    }

    // ---- termination ----

    /// The initial states among these as a condition; `true` where these are all.
    fn condition(&mut self, starts: &[Node]) -> Option<Term> {
        if starts.len() == self.truth.initial.len() {
            return Some(if self.rng.percent(85) { self.ts.terms.tt() } else { self.ts.init });
        }
        set_term(self.ts, &starts.iter().map(|&n| self.row(n)).collect())
    }

    /// Reachable states and invariants for runs that start in these states.
    fn ground(&mut self, starts: &[Node]) -> Option<Ground> {
        if self.truth.coverage != Coverage::Full {
            return None;
        }
        let (reached, whole) = self.truth.reachable(starts);
        if !whole {
            return None;
        }
        let when = self.condition(starts)?;
        let mut at = self.truth.forest.cutpoints();
        if self.rng.percent(20) {
            at.extend(self.ts.locs.ids().filter(|l| !l.is_sink()));
        }
        let mut invariants = BTreeMap::new();
        for l in at {
            invariants.insert(l, set_term(self.ts, &self.rows_at(&reached, l))?);
        }
        Some(Ground { when, reached, invariants })
    }

    fn terminations(&mut self) {
        let mut grounds: BTreeMap<Vec<Node>, Option<Ground>> = BTreeMap::new();
        let loops: Vec<LoopId> = self.truth.forest.loops.ids().collect();
        for l in loops {
            let may = &self.truth.loops[l].may.greatest;
            let starts: Vec<Node> = self.truth.initial.iter().copied().filter(|&n| !may[n as usize]).collect();
            if starts.is_empty() && !self.truth.initial.is_empty() {
                continue;
            }
            let ground = match grounds.remove(&starts) {
                Some(g) => g,
                None => self.ground(&starts),
            };
            if let Some(g) = &ground {
                self.rank(l, g);
                self.transition_invariant(l, g);
            } else {
                self.skip("Ranking");
            }
            grounds.insert(starts, ground);
        }
        let program = &self.truth.program.may.greatest;
        let starts: Vec<Node> = self.truth.initial.iter().copied().filter(|&n| !program[n as usize]).collect();
        if (starts.is_empty() && !self.truth.initial.is_empty()) || !self.ts.obligations.is_empty() {
            return;
        }
        let Some(g) = self.ground(&starts) else { return self.skip("Program") };
        let outermost: Vec<LoopId> = self.truth.forest.outermost().collect();
        let mut parts = Vec::new();
        for l in outermost {
            match self.ranking(l, &g) {
                Some(part) => parts.push(part),
                None => return self.skip("Program"),
            }
        }
        let claim = self.claim(Property::ProgramTerminates, g.when, Certificate::Program { parts });
        self.out.claims.push(claim);
    }

    fn rank(&mut self, l: LoopId, g: &Ground) {
        match self.ranking(l, g) {
            Some(c) => self.out.claims.push(c),
            None => self.skip("Ranking"),
        }
    }

    /// From each reached state of the body: the most arrivals at `counted` locations before the body is left.
    fn distances(&self, l: LoopId, reached: &[bool], counted: &BTreeSet<LocId>) -> BTreeMap<Node, i64> {
        let body = &self.truth.forest.loops[l].body;
        let inside = |n: Node| reached[n as usize] && body.contains(&self.truth.nodes[n as usize].0);
        let mut distance: BTreeMap<Node, i64> = BTreeMap::new();
        for root in (0..number(reached.len())).filter(|&n| inside(n)) {
            let mut open = vec![(root, false)];
            while let Some((n, ready)) = open.pop() {
                if distance.contains_key(&n) {
                    continue;
                }
                let next: Vec<Node> = self.truth.steps[n as usize]
                    .iter()
                    .flat_map(|s| s.outcomes.iter().copied())
                    .filter(|&o| inside(o))
                    .collect();
                if ready {
                    let arrive = |o: Node| i64::from(counted.contains(&self.truth.nodes[o as usize].0));
                    let d = next.iter().map(|&o| distance[&o] + arrive(o)).max().unwrap_or(0);
                    distance.insert(n, d);
                } else {
                    open.push((n, true));
                    open.extend(next.into_iter().filter(|o| !distance.contains_key(o)).map(|o| (o, false)));
                }
            }
        }
        distance
    }

    /// Locations of a loop that cut all its cycles: the header alone where that is enough, or those of the inner loops too.
    fn cuts(&mut self, l: LoopId) -> BTreeSet<LocId> {
        let lp = &self.truth.forest.loops[l];
        let header: BTreeSet<LocId> = [lp.header].into();
        let alone = lariat_ir::loops::cycle_avoiding(self.ts, &lp.body, &header).is_none();
        if alone && self.rng.percent(60) {
            return header;
        }
        self.truth.forest.cutpoints().intersection(&lp.body).copied().collect()
    }

    fn ranking(&mut self, l: LoopId, g: &Ground) -> Option<Claim> {
        let header = self.truth.forest.loops[l].header;
        let body = self.truth.forest.loops[l].body.clone();
        let cuts = self.cuts(l);
        // Where measures stand, and which arrivals they count: each counted arrival makes the measure fall.
        let (at, counted) = match self.rng.below(3) {
            0 => (body.clone(), body),
            1 => (body, cuts),
            _ => (cuts.clone(), cuts),
        };
        let distance = self.distances(l, &g.reached, &counted);
        let style = Style::random(self.rng, distance.values().copied().max().unwrap_or(0));
        let split = self.rng.percent(35).then(|| self.rng.between(2, 4));
        let mut measures = BTreeMap::new();
        let mut invariants = g.invariants.clone();
        for loc in at {
            // A measure speaks of the states that its invariant allows, so it stands beside one.
            if !invariants.contains_key(&loc) {
                invariants.insert(loc, set_term(self.ts, &self.rows_at(&g.reached, loc))?);
            }
            let table: BTreeMap<Row, i64> = distance
                .iter()
                .filter(|(n, _)| self.truth.nodes[**n as usize].0 == loc)
                .map(|(n, d)| (self.row(*n), *d))
                .collect();
            let tuple = match split {
                None => vec![self.measure(&table, style)?],
                Some(k) => vec![
                    self.measure(&table.iter().map(|(r, d)| (r.clone(), d / k)).collect(), style)?,
                    self.measure(&table.iter().map(|(r, d)| (r.clone(), d % k)).collect(), style)?,
                ],
            };
            measures.insert(loc, tuple);
        }
        let outline = Outline { invariants, inner: Vec::new() };
        Some(self.claim(Property::Terminates(header), g.when, Certificate::Ranking { outline, measures }))
    }

    fn measure(&mut self, table: &BTreeMap<Row, i64>, style: Style) -> Option<Measure> {
        let constant = |d: i64| style.constant(self.ts, d);
        if table.is_empty() {
            return Some(Measure { order: style.order(), term: constant(0) });
        }
        if let Some(term) = self.linear(table, style) {
            return Some(Measure { order: style.order(), term });
        }
        Some(Measure { order: style.order(), term: function_term(self.ts, table, &constant)? })
    }

    /// `c + x` or `c - x`, where one of them has these values: what a person would have written.
    fn linear(&self, table: &BTreeMap<Row, i64>, style: Style) -> Option<Term> {
        let t = &self.ts.terms;
        for (v, var) in self.ts.vars.entries() {
            for sign in [1, -1] {
                let mut offsets = table.iter().map(|(row, d)| d - sign * row[v.index()]);
                let c = offsets.next()?;
                if table.len() < 3 || offsets.any(|o| o != c) {
                    continue;
                }
                match (style, var.sort) {
                    (Style::Int, Sort::Int) => {
                        let op = if sign == 1 { Op::IntAdd } else { Op::IntSub };
                        return Some(t.apply(op, &[t.int(c), var.term]));
                    }
                    (Style::Unsigned(w), Sort::BitVec(own)) if own <= w => {
                        let x = if own == w { var.term } else { t.apply(Op::ZeroExtend(w - own), &[var.term]) };
                        let op = if sign == 1 { Op::BvAdd } else { Op::BvSub };
                        return Some(t.apply(op, &[style.constant(self.ts, c), x]));
                    }
                    _ => {}
                }
            }
        }
        None
    }

    fn transition_invariant(&mut self, l: LoopId, g: &Ground) {
        let lp = &self.truth.forest.loops[l];
        let header: BTreeSet<LocId> = [lp.header].into();
        if lariat_ir::loops::cycle_avoiding(self.ts, &lp.body, &header).is_some() {
            return;
        }
        let property = Property::Terminates(lp.header);
        let distance = self.distances(l, &g.reached, &header);
        let table: BTreeMap<Row, i64> = distance
            .iter()
            .filter(|(n, _)| header.contains(&self.truth.nodes[**n as usize].0))
            .map(|(n, d)| (self.row(*n), *d))
            .collect();
        let style = Style::random(self.rng, table.values().copied().max().unwrap_or(0));
        let variant = self.rng.below(4);
        let disjuncts = if variant == 3 {
            let k = self.rng.between(2, 4);
            let part = |f: &dyn Fn(i64) -> i64| table.iter().map(|(r, d)| (r.clone(), f(*d))).collect();
            let q = self.measure(&part(&|d| d / k), style);
            let r = self.measure(&part(&|d| d % k), style);
            let (Some(q), Some(r)) = (q, r) else { return self.skip("TransitionInvariant") };
            let t = &self.ts.terms;
            let same = t.eq(self.old(q.term), q.term);
            vec![
                Disjunct { relation: self.falls(q), measure: vec![q] },
                Disjunct { relation: t.and(same, self.falls(r)), measure: vec![r] },
            ]
        } else {
            let Some(m) = self.measure(&table, style) else { return self.skip("TransitionInvariant") };
            let relation = self.falls(m);
            let t = &self.ts.terms;
            if variant == 0 {
                vec![Disjunct { relation, measure: vec![m] }]
            } else {
                // Any predicate splits the relation in two that need each other.
                let rows: BTreeSet<Row> = table.keys().take(1 + table.len() / 3).cloned().collect();
                let Some(p) = set_term(self.ts, &rows) else { return self.skip("TransitionInvariant") };
                let p = if variant == 1 { p } else { self.old(p) };
                vec![
                    Disjunct { relation: t.and(relation, p), measure: vec![m] },
                    Disjunct { relation: t.and(t.not(p), relation), measure: vec![m] },
                ]
            }
        };
        let outline = Outline { invariants: g.invariants.clone(), inner: Vec::new() };
        let claim = self.claim(property, g.when, Certificate::TransitionInvariant { outline, disjuncts });
        self.out.claims.push(claim);
    }

    fn old(&self, t: Term) -> Term {
        self.ts.terms.substitute(t, |s| match self.ts.terms.role(s) {
            Some(Role::Var(v)) => Some(self.ts.vars[v].old),
            _ => None,
        })
    }

    fn falls(&self, m: Measure) -> Term {
        let t = &self.ts.terms;
        let before = self.old(m.term);
        match m.order {
            Order::Int => t.and(t.apply(Op::IntLt, &[m.term, before]), t.apply(Op::IntLe, &[t.int(0), before])),
            Order::Unsigned => t.apply(Op::BvUlt, &[m.term, before]),
            Order::Signed => t.apply(Op::BvSlt, &[m.term, before]),
        }
    }

    // ---- divergence ----

    fn divergences(&mut self) {
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
    ) -> Option<(Vec<(EdgeId, BTreeSet<Node>)>, BTreeSet<Node>)> {
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
        let (stem, mut ends) = self.follow(&[start].into(), choice, false, &there)?;
        // Other initial states may take the same way.
        let mut group: BTreeSet<Node> = [start].into();
        if self.rng.percent(50) {
            let edges: Vec<EdgeId> = stem.iter().map(|(e, _)| *e).collect();
            for &s in starts {
                if let Some((path, more)) = self.follow(&[s].into(), choice, false, &there) {
                    if path.iter().map(|(e, _)| *e).eq(edges.iter().copied()) {
                        group.insert(s);
                        ends.extend(more);
                    }
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
                    places.extend((0..1i64 << bits).map(|c| Place::Cell(*v, from_word(i.into(), c))));
                }
                _ => places.push(Place::Var(*v)),
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

    // ---- invariants ----

    fn inductions(&mut self) {
        let initial = self.truth.initial.clone();
        let mut starts = initial.clone();
        if initial.len() > 1 && self.rng.percent(30) {
            let n = 1 + self.rng.below(initial.len() - 1);
            starts.truncate(n);
        }
        let Some(g) = self.ground(&starts) else { return self.skip("Inductive") };
        let claim = self.claim(Property::Holds, g.when, Certificate::Inductive { invariants: g.invariants.clone() });
        self.out.claims.push(claim);
        let dead: Vec<LocId> = self
            .ts
            .locs
            .ids()
            .filter(|&l| !l.is_sink() && !(0..g.reached.len()).any(|n| g.reached[n] && self.truth.nodes[n].0 == l))
            .collect();
        if !dead.is_empty() {
            let l = *self.rng.pick(&dead);
            let mut invariants = g.invariants;
            invariants.insert(l, self.ts.terms.ff());
            let claim = self.claim(Property::Unreachable(l), g.when, Certificate::Unreachable { invariants });
            self.out.claims.push(claim);
        }
    }
}

fn number(n: usize) -> Node {
    u32::try_from(n).expect("nodes fit in 32 bits")
}

/// The order of a measure, and the width it is written in.
#[derive(Clone, Copy)]
enum Style {
    Int,
    Unsigned(u32),
    Signed(u32),
}

impl Style {
    fn random(rng: &mut Rng, most: i64) -> Self {
        let enough = 64 - most.leading_zeros();
        let width = enough.max(1) + u32::try_from(rng.below(3)).expect("small");
        match rng.below(3) {
            0 => Self::Int,
            1 => Self::Unsigned(width),
            _ => Self::Signed(width),
        }
    }

    fn order(self) -> Order {
        match self {
            Self::Int => Order::Int,
            Self::Unsigned(_) => Order::Unsigned,
            Self::Signed(_) => Order::Signed,
        }
    }

    /// Signed measures use the whole width: zero is the least value.
    fn constant(self, ts: &TransitionSystem, d: i64) -> Term {
        match self {
            Self::Int => ts.terms.int(d),
            Self::Unsigned(w) => ts.terms.value(&from_word(Sort::BitVec(w), d)),
            Self::Signed(w) => ts.terms.value(&from_word(Sort::BitVec(w), d - (1 << (w - 1)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::{Shape, random_system};
    use super::super::validate::{Validator, Validity};
    use super::*;

    #[test]
    fn what_is_minted_is_true_and_keeps_the_rules() {
        let mut count: BTreeMap<(&str, bool), u32> = BTreeMap::new();
        let mut skipped: BTreeMap<&str, u32> = BTreeMap::new();
        for seed in 0..700 {
            let ts = random_system(seed, &Shape::default());
            let Ok(mut truth) = Truth::of(&ts, 4000) else { panic!("seed {seed} has no truth") };
            let minted = mint(&mut truth, &mut Rng::new(seed));
            let mut validator = Validator::new(&ts);
            for (kind, n) in minted.skipped {
                *skipped.entry(kind).or_default() += n;
            }
            for claim in &minted.claims {
                let text =
                    || format!("seed {seed}\n{}\n{}", lariat_ir::lts::print(&ts), lariat_ir::claim::print(&ts, claim));
                assert_ne!(truth.claim(claim), Some(false), "{}", text());
                let validity = validator.as_mut().map(|v| v.validate(claim));
                if let Some(Validity::Invalid(why)) = &validity {
                    panic!("{why}: {}", text());
                }
                *count.entry((claim.certificate.kind(), validity == Some(Validity::Valid))).or_default() += 1;
            }
        }
        for kind in ["Ranking", "TransitionInvariant", "Orbit", "RecurrentSet", "Inductive", "Unreachable", "Program"] {
            assert!(count.get(&(kind, true)).copied().unwrap_or(0) > 30, "{kind}: {count:?}, skipped {skipped:?}");
        }
    }
}
