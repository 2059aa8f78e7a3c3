//! The rules of certificates, decided by looking at every state.
//!
//! This is a second implementation of what `lariat-check` establishes with a solver, made to disagree with it where one of
//! the two is wrong. It knows no formulas: a condition is the set of valuations in which it holds, a path is a
//! sequence of states. Over integers only a box around zero is looked at, which can refute a certificate and never
//! confirm it.

mod recurrent;

use super::compiled::{Code, bits_of, leaves};
use super::replay::{self, Orbit};
use super::space::{Coverage, Expansion, Space, Step, Valuation, WordMap, WordSet};
use lariat_ir::{
    Certificate, Claim, Disjunct, Id, LocId, LoopForest, Measure, Order, Outline, Property, Proves, Role, Sort,
    SystemHash, Term, TransitionSystem,
};
use std::collections::{BTreeMap, BTreeSet};

/// At most so many valuations are looked at.
const MAX_VALUATIONS: u32 = 1 << 13;
/// At most so many states at a header are paired with each other.
const MAX_PAIRED: usize = 300;

/// What enumeration says of a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Validity {
    /// It keeps every rule.
    Valid,
    /// It violates this rule.
    Invalid(String),
    /// It violates no rule within the states that were looked at, which are not all.
    NotRefuted,
    /// This validator does not know the rule, or there is too much to look at.
    Unsupported(&'static str),
}

/// Why a check stops early.
enum Stop {
    Invalid(String),
    Unsupported(&'static str),
}

type Check<T = ()> = Result<T, Stop>;

fn invalid<T>(why: impl Into<String>) -> Check<T> {
    Err(Stop::Invalid(why.into()))
}

/// A system prepared for validating many certificates.
pub struct Validator<'a> {
    ts: &'a TransitionSystem,
    space: Space<'a>,
    forest: LoopForest,
    hash: SystemHash,
    /// The valuations that are looked at, and whether these are all.
    universe: Vec<Valuation>,
    complete: bool,
    initial: (Vec<Valuation>, bool),
    /// Whether the certificate at hand was looked at in full.
    whole: bool,
}

impl<'a> Validator<'a> {
    /// Prepares a system; nothing if it is too large.
    pub fn new(ts: &'a TransitionSystem) -> Option<Self> {
        let mut space = Space::new(ts)?;
        let (universe, complete) = match space.valuations() {
            Some(n) if n <= MAX_VALUATIONS => ((0..n).collect(), true),
            Some(_) => return None,
            None => (box_around_zero(&mut space)?, false),
        };
        let (initial, coverage) = space.models(ts.init, ts.entry, 1 << 13);
        let initial = (initial, coverage == Coverage::Full);
        Some(Self { ts, forest: LoopForest::of(ts), hash: ts.hash(), space, universe, complete, initial, whole: true })
    }

    /// Whether a claim's certificate keeps the rules.
    pub fn validate(&mut self, claim: &Claim) -> Validity {
        self.whole = true;
        match self.claim(claim) {
            Ok(()) if self.whole => Validity::Valid,
            Ok(()) => Validity::NotRefuted,
            Err(Stop::Invalid(why)) => Validity::Invalid(why),
            Err(Stop::Unsupported(why)) => Validity::Unsupported(why),
        }
    }

    fn claim(&mut self, claim: &Claim) -> Check {
        if claim.system != self.hash {
            return invalid("the certificate is for another system");
        }
        let (terminates, diverges) = match claim.property {
            Property::Terminates(_) | Property::ProgramTerminates => (true, false),
            Property::Diverges(_) | Property::ProgramDiverges => (false, true),
            Property::Holds | Property::Unreachable(_) => (false, false),
        };
        if terminates && self.ts.proves == Proves::Diverges || diverges && self.ts.proves == Proves::Terminates {
            return invalid("the system does not carry this verdict");
        }
        self.speaks_of_state(claim.when, Some(Sort::Bool))?;
        match (&claim.certificate, claim.property) {
            (Certificate::Ranking { outline, measures }, Property::Terminates(h)) => {
                self.ranking(claim.when, h, outline, measures)
            }
            (Certificate::TransitionInvariant { outline, disjuncts }, Property::Terminates(h)) => {
                self.transition_invariant(claim.when, h, outline, disjuncts)
            }
            (Certificate::Orbit { start, stem, cycle, same }, Property::Diverges(h)) => {
                let body = self.body(h)?;
                let orbit = Orbit { when: claim.when, start, stem, cycle, same };
                replay::violation(self.ts, &body, &orbit).map_or(Ok(()), invalid)
            }
            (Certificate::RecurrentSet { start, stem, set, arms }, Property::Diverges(h)) => {
                self.recurrent_set(claim.when, h, start, stem, set, arms)
            }
            (Certificate::Inductive { invariants }, Property::Holds) => self.inductive(claim.when, invariants),
            (Certificate::Unreachable { invariants }, Property::Unreachable(l)) => {
                self.inductive(claim.when, invariants)?;
                let Some(&here) = invariants.get(&l) else { return invalid("the location has no invariant") };
                let code = self.code(here)?;
                if self.universe.clone().into_iter().any(|v| self.space.truth_of(&code, v) != Some(false)) {
                    return invalid("the invariant does not exclude the location");
                }
                Ok(())
            }
            (Certificate::Program { parts }, Property::ProgramTerminates) => {
                self.parts(parts)?;
                self.program_terminates(claim.when, parts)
            }
            (Certificate::Program { parts }, Property::ProgramDiverges) => {
                self.parts(parts)?;
                let fits = |p: &Claim| matches!(p.property, Property::Diverges(_)) && p.when == claim.when;
                if parts.iter().any(fits) { Ok(()) } else { invalid("no part diverges from these states") }
            }
            _ => invalid("the certificate's kind cannot show the claim"),
        }
    }

    // ---- terms ----

    fn speaks_of_state(&self, t: Term, sort: Option<Sort>) -> Check {
        self.speaks(t, sort, false)
    }

    fn speaks(&self, t: Term, sort: Option<Sort>, of_old: bool) -> Check {
        if sort.is_some_and(|s| self.ts.terms.sort(t) != s) {
            return invalid("a term has the wrong sort");
        }
        for s in self.ts.terms.symbols(t) {
            match self.ts.terms.role(s) {
                Some(Role::Var(_)) => {}
                Some(Role::Old(_)) if of_old => {}
                _ => return invalid("a term speaks of something else than the state"),
            }
        }
        Ok(())
    }

    fn code(&self, t: Term) -> Check<Code> {
        Code::new(self.ts, &[t]).ok_or(Stop::Unsupported("a term does not fit in a machine word"))
    }

    fn body(&self, header: LocId) -> Check<BTreeSet<LocId>> {
        match self.forest.with_header(header) {
            Some(l) => Ok(self.forest.loops[l].body.clone()),
            None => invalid("the claim names no loop"),
        }
    }

    /// The valuations in which a condition holds, as a test.
    fn condition(&mut self, t: Term) -> Check<Test> {
        self.speaks_of_state(t, Some(Sort::Bool))?;
        Ok(Test { code: self.code(t)?, known: Vec::new() })
    }

    fn holds(&mut self, test: &mut Test, v: Valuation) -> bool {
        if test.known.len() <= v as usize {
            test.known.resize((v as usize + 1).next_power_of_two(), None);
        }
        if let Some(known) = test.known[v as usize] {
            return known;
        }
        let value = self.space.value_of(&test.code, v);
        self.whole &= value.is_some();
        test.known[v as usize] = Some(value == Some(1));
        value == Some(1)
    }

    /// The initial states of `when`.
    fn starts(&mut self, when: Term) -> Check<Vec<Valuation>> {
        let mut test = self.condition(when)?;
        self.whole &= self.initial.1;
        let all = self.initial.0.clone();
        Ok(all.into_iter().filter(|&v| self.holds(&mut test, v)).collect())
    }

    // ---- steps ----

    /// The step from a state that is at no sink; nothing where the oracle cannot represent it.
    fn step(&mut self, loc: LocId, v: Valuation) -> Check<Option<Step>> {
        match self.space.expand(loc, v) {
            Expansion::Step(s) => Ok(Some(s)),
            Expansion::Outgrown => {
                self.whole = false;
                Ok(None)
            }
            Expansion::Broken => invalid("the guards are not total and disjoint"),
        }
    }

    fn outcomes(&self, s: &Step) -> Vec<Valuation> {
        let mut all = self.space.outcomes(s).to_vec();
        all.sort_unstable();
        all.dedup();
        all
    }

    // ---- invariants ----

    fn inductive(&mut self, when: Term, invariants: &BTreeMap<LocId, Term>) -> Check {
        let tt = self.ts.terms.tt();
        let mut annotations: BTreeMap<LocId, Test> = BTreeMap::new();
        for l in self.forest.cutpoints() {
            annotations.insert(l, self.condition(tt)?);
        }
        for (l, t) in invariants {
            if l.is_sink() {
                return invalid("an invariant stands at a sink");
            }
            annotations.insert(*l, self.condition(*t)?);
        }
        self.whole &= self.complete;
        let mut open: Vec<(LocId, Valuation)> = Vec::new();
        let starts = self.starts(when)?;
        let entry = self.ts.entry;
        match annotations.get_mut(&entry) {
            Some(test) => {
                if starts.iter().any(|&v| !self.holds(test, v)) {
                    return invalid("an invariant does not hold at the entry");
                }
            }
            None => open.extend(starts.iter().map(|&v| (entry, v))),
        }
        let universe = self.universe.clone();
        for (l, test) in &mut annotations {
            open.extend(universe.iter().filter(|&&v| self.holds(test, v)).map(|&v| (*l, v)));
        }
        let mut seen: WordSet<(u32, u32)> = WordSet::default();
        while let Some((l, v)) = open.pop() {
            if !seen.insert((id(l), v)) {
                continue;
            }
            let Some(s) = self.step(l, v)? else { continue };
            if s.to.is_sink() {
                continue;
            }
            for o in self.outcomes(&s) {
                match annotations.get_mut(&s.to) {
                    Some(test) => {
                        if !self.holds(test, o) {
                            return invalid("an invariant is not kept");
                        }
                    }
                    None => open.push((s.to, o)),
                }
            }
        }
        Ok(())
    }

    /// Whether some cycle through a region passes no location of a cut.
    fn cycle_avoids(&self, region: &BTreeSet<LocId>, cut: &BTreeSet<LocId>) -> bool {
        let mut rest: BTreeSet<LocId> = region.difference(cut).copied().collect();
        loop {
            // What has no successor left lies on no cycle.
            let ends: Vec<LocId> = rest
                .iter()
                .copied()
                .filter(|l| !self.ts.locs[*l].out.iter().any(|&e| rest.contains(&self.ts.edges[e].to)))
                .collect();
            if ends.is_empty() {
                return !rest.is_empty();
            }
            for l in ends {
                rest.remove(&l);
            }
        }
    }

    /// From a state at `from`: the states at the cut that paths inside a region come to next, wherever the known
    /// invariants hold on the way.
    fn next_at(
        &mut self,
        from: (LocId, Valuation),
        region: &BTreeSet<LocId>,
        cut: &BTreeSet<LocId>,
        known: &mut BTreeMap<LocId, Test>,
    ) -> Check<BTreeSet<(LocId, Valuation)>> {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        let mut seen = BTreeSet::new();
        while let Some((l, v)) = open.pop() {
            let Some(s) = self.step(l, v)? else { continue };
            if !region.contains(&s.to) {
                continue;
            }
            for o in self.outcomes(&s) {
                if known.get_mut(&s.to).is_some_and(|test| !self.holds(test, o)) {
                    continue;
                }
                if cut.contains(&s.to) {
                    found.insert((s.to, o));
                } else if seen.insert((s.to, o)) {
                    open.push((s.to, o));
                }
            }
        }
        Ok(found)
    }

    fn tests(&mut self, terms: &BTreeMap<LocId, Term>) -> Check<BTreeMap<LocId, Test>> {
        terms.iter().map(|(l, t)| Ok((*l, self.condition(*t)?))).collect()
    }

    // ---- termination ----

    fn tuple(&self, measures: &[Measure]) -> Check<Tuple> {
        if measures.is_empty() {
            return invalid("a tuple is empty");
        }
        let mut shape = Vec::new();
        for m in measures {
            self.speaks_of_state(m.term, None)?;
            let sort = self.ts.terms.sort(m.term);
            match (m.order, sort) {
                (Order::Int, Sort::Int) | (Order::Unsigned | Order::Signed, Sort::BitVec(_)) => {}
                _ => return invalid("an order is not one of its sort"),
            }
            shape.push((m.order, sort));
        }
        let roots: Vec<Term> = measures.iter().map(|m| m.term).collect();
        let code = Code::new(self.ts, &roots).ok_or(Stop::Unsupported("a measure does not fit in a machine word"))?;
        Ok(Tuple { code, shape, known: WordMap::default() })
    }

    fn value(&mut self, tuple: &mut Tuple, v: Valuation) -> Option<Vec<i64>> {
        if let Some(known) = tuple.known.get(&v) {
            return known.clone();
        }
        let mut regs = vec![0; leaves(self.ts)];
        let words = self.space.words(v);
        regs[..words.len()].copy_from_slice(&words);
        let values = tuple.code.run(&mut regs).then(|| {
            let in_order = |(n, (order, sort)): (usize, &(Order, Sort))| {
                let w = tuple.code.root(&regs, n);
                match (order, bits_of(*sort)) {
                    (Order::Signed, Some(bits)) => (w << (64 - bits)) >> (64 - bits),
                    _ => w,
                }
            };
            tuple.shape.iter().enumerate().map(in_order).collect::<Vec<i64>>()
        });
        self.whole &= values.is_some();
        tuple.known.insert(v, values.clone());
        values
    }

    fn ranking(
        &mut self,
        when: Term,
        header: LocId,
        outline: &Outline,
        measures: &BTreeMap<LocId, Vec<Measure>>,
    ) -> Check {
        let body = self.body(header)?;
        if measures.is_empty() {
            return invalid("there are no measures");
        }
        let mut tuples: BTreeMap<LocId, Tuple> = BTreeMap::new();
        for (l, m) in measures {
            if !body.contains(l) {
                return invalid("a measure stands outside the loop");
            }
            tuples.insert(*l, self.tuple(m)?);
        }
        let mut shapes = tuples.values().map(|t| &t.shape);
        let first = shapes.next();
        if shapes.any(|s| Some(s) != first) {
            return invalid("the tuples differ in shape");
        }
        if !outline.inner.is_empty() {
            return Err(Stop::Unsupported("inner loops that stand in"));
        }
        self.inductive(when, &outline.invariants)?;
        let cut: BTreeSet<LocId> = measures.keys().copied().collect();
        if self.cycle_avoids(&body, &cut) {
            return invalid("a cycle avoids the measures");
        }
        let mut known = self.tests(&outline.invariants)?;
        // For each pair of locations: whether all paths are strict, and whether all are weak.
        let mut pairs: BTreeMap<(LocId, LocId), (bool, bool)> = BTreeMap::new();
        for &m in &cut {
            for v in self.universe.clone() {
                if known.get_mut(&m).is_some_and(|test| !self.holds(test, v)) {
                    continue;
                }
                let Some(before) = self.value(tuples.get_mut(&m).expect("m has a tuple"), v) else { continue };
                for (to, o) in self.next_at((m, v), &body, &cut, &mut known)? {
                    let tuple = tuples.get_mut(&to).expect("the cut has tuples");
                    let orders: Vec<Order> = tuple.shape.iter().map(|(o, _)| *o).collect();
                    let Some(after) = self.value(tuple, o) else { continue };
                    let pair = pairs.entry((m, to)).or_insert((true, true));
                    pair.0 &= falls(&orders, &before, &after);
                    pair.1 &= before.iter().zip(&after).all(|(b, a)| a <= b);
                }
            }
        }
        if pairs.values().any(|(strict, weak)| !strict && !weak) {
            return invalid("a measure does not fall");
        }
        let mut loose: BTreeSet<(LocId, LocId)> =
            pairs.iter().filter(|(_, (strict, _))| !strict).map(|(p, _)| *p).collect();
        loop {
            let before = loose.len();
            let sources: BTreeSet<LocId> = loose.iter().map(|(a, _)| *a).collect();
            loose.retain(|(_, b)| sources.contains(b));
            if loose.len() == before {
                break;
            }
        }
        if loose.is_empty() { Ok(()) } else { invalid("a cycle has no falling step") }
    }

    fn transition_invariant(&mut self, when: Term, header: LocId, outline: &Outline, disjuncts: &[Disjunct]) -> Check {
        let body = self.body(header)?;
        let mut relations = Vec::new();
        let mut tuples = Vec::new();
        for d in disjuncts {
            self.speaks(d.relation, Some(Sort::Bool), true)?;
            relations.push(self.code(d.relation)?);
            tuples.push(self.tuple(&d.measure)?);
        }
        if !outline.inner.is_empty() {
            return Err(Stop::Unsupported("inner loops that stand in"));
        }
        self.inductive(when, &outline.invariants)?;
        let cut: BTreeSet<LocId> = [header].into();
        if self.cycle_avoids(&body, &cut) {
            return invalid("a cycle avoids the header");
        }
        let mut known = self.tests(&outline.invariants)?;
        let mut here: Vec<Valuation> = self.universe.clone();
        if let Some(test) = known.get_mut(&header) {
            here.retain(|&v| self.holds(test, v));
        }
        if here.len() > MAX_PAIRED {
            return Err(Stop::Unsupported("too many pairs of states"));
        }
        let mut steps: WordMap<Valuation, Vec<Valuation>> = WordMap::default();
        for &v in &here {
            let next = self.next_at((header, v), &body, &cut, &mut known)?;
            steps.insert(v, next.into_iter().map(|(_, o)| o).collect());
        }
        let mut memo: WordMap<(u32, u32), bool> = WordMap::default();
        let mut in_union = |this: &mut Self, o: Valuation, c: Valuation| {
            *memo.entry((o, c)).or_insert_with(|| relations.iter().any(|r| this.space.related(r, o, c)))
        };
        for &v in &here {
            for &c in &steps[&v] {
                if !in_union(self, v, c) {
                    return invalid("a step is outside the relation");
                }
            }
        }
        for &o in &here {
            for &m in &here {
                if !in_union(self, o, m) {
                    continue;
                }
                for &c in &steps[&m] {
                    if !in_union(self, o, c) {
                        return invalid("the relation is not kept by a step");
                    }
                }
            }
        }
        for (r, tuple) in relations.iter().zip(&mut tuples) {
            let orders: Vec<Order> = tuple.shape.iter().map(|(o, _)| *o).collect();
            for &o in &here {
                for &c in &here {
                    if self.space.related(r, o, c) {
                        let (Some(before), Some(after)) = (self.value(tuple, o), self.value(tuple, c)) else {
                            continue;
                        };
                        if !falls(&orders, &before, &after) {
                            return invalid("a disjunct does not fall");
                        }
                    }
                }
            }
        }
        Ok(())
    }

    // ---- programs ----

    fn parts(&mut self, parts: &[Claim]) -> Check {
        for p in parts {
            if matches!(p.certificate, Certificate::Program { .. }) {
                return invalid("a program is no part of a program");
            }
            self.claim(p)?;
        }
        Ok(())
    }

    fn program_terminates(&mut self, when: Term, parts: &[Claim]) -> Check {
        if !self.ts.obligations.is_empty() {
            return invalid("something is left open");
        }
        let starts = self.starts(when)?;
        let outermost: Vec<LocId> = self.forest.outermost().map(|l| self.forest.loops[l].header).collect();
        for h in outermost {
            let mut covered = false;
            for p in parts.iter().filter(|p| p.property == Property::Terminates(h)) {
                let mut test = self.condition(p.when)?;
                covered |= starts.iter().all(|&v| self.holds(&mut test, v));
            }
            if !covered {
                return invalid("an outermost loop is not covered");
            }
        }
        Ok(())
    }
}

/// A condition with what is known about it.
struct Test {
    code: Code,
    known: Vec<Option<bool>>,
}

/// A tuple of measures with the values that are known.
struct Tuple {
    code: Code,
    shape: Vec<(Order, Sort)>,
    known: WordMap<Valuation, Option<Vec<i64>>>,
}

/// Whether a tuple falls: some component does, bounded below before if it is an integer, and none before it rises.
fn falls(orders: &[Order], before: &[i64], after: &[i64]) -> bool {
    for i in 0..orders.len() {
        if after[i] < before[i] && (orders[i] != Order::Int || before[i] >= 0) {
            return true;
        }
        if after[i] > before[i] {
            return false;
        }
    }
    false
}

fn id(l: LocId) -> u32 {
    u32::try_from(l.index()).expect("locations are few")
}

/// Some thousand valuations near zero.
fn box_around_zero(space: &mut Space) -> Option<Vec<Valuation>> {
    let ts = space.ts;
    let integers = ts.vars.iter().filter(|v| v.sort == Sort::Int).count();
    let (lo, hi) = match integers {
        0 | 1 => (-40, 80),
        2 => (-10, 20),
        _ => (-4, 10),
    };
    let mut rows: Vec<Vec<i64>> = vec![Vec::new()];
    for v in &ts.vars {
        let domain: Vec<i64> = match bits_of(v.sort) {
            None => (lo..=hi).collect(),
            Some(bits) if bits <= 8 => (0..1i64 << bits).collect(),
            Some(_) => return None,
        };
        rows = rows.iter().flat_map(|r| domain.iter().map(|w| r.iter().copied().chain([*w]).collect())).collect();
        if rows.len() > 1 << 14 {
            return None;
        }
    }
    Some(rows.iter().map(|r| space.intern(r)).collect())
}
