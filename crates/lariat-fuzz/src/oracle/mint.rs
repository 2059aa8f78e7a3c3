//! True certificates, made from the enumerated truth.
//!
//! Nothing is searched for: distances, reachable sets and winning strategies are read off the explored states and written
//! down as terms. The variety is what matters: every kind, every order, measures at headers or everywhere, one
//! component or two, sets at one location or at several.

mod divergence;
mod stand_in;

use super::compiled::from_word;
use super::space::Coverage;
use super::tables::{Row, function_term, set_term};
use super::truth::{Node, Truth};
use lariat_ir::random::Random;
use lariat_ir::{
    Certificate, Claim, Disjunct, Id, LocId, LoopId, Measure, Op, Order, Outline, Property, Proves, Role, Sort,
    SystemHash, Term, TransitionSystem,
};
use std::collections::btree_map::Entry;
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
pub fn mint(truth: &mut Truth, rng: &mut Random) -> Minted {
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
    rng: &'m mut Random,
    out: Minted,
}

/// What the termination certificates for one condition have in common.
struct Ground {
    when: Term,
    reached: Vec<bool>,
    invariants: BTreeMap<LocId, Term>,
}

impl Mint<'_, '_> {
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
                let over_inner = self.ranking_over_inner(l, g);
                self.out.claims.extend(over_inner);
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
        // Quotient and remainder of a distance fall lexicographically; where it only never rises the remainder may.
        let split = (at == counted && self.rng.percent(35)).then(|| self.rng.between(2, 4));
        let mut measures = BTreeMap::new();
        let mut invariants = g.invariants.clone();
        for loc in at {
            // A measure speaks of the states that its invariant allows, so it stands beside one.
            if let Entry::Vacant(e) = invariants.entry(loc) {
                e.insert(set_term(self.ts, &self.rows_at(&g.reached, loc))?);
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
    fn random(rng: &mut Random, most: i64) -> Self {
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
        for seed in 0..250 {
            let ts = random_system(seed, &Shape::default());
            let Ok(mut truth) = Truth::of(&ts, 4000) else { panic!("seed {seed} has no truth") };
            let minted = mint(&mut truth, &mut Random::new(seed));
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
