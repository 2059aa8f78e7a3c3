//! Neighbours of a certificate: one small change each, sometimes two. Most of them break a rule, some make the claim false, a few are
//! as good as the original; which it is decides [`super::validate`], not this module.

mod terms;

pub(super) use terms::replaced;

use lariat_ir::random::Random;
use lariat_ir::{
    Arm, Bits, Certificate, Choice, Claim, Disjunct, EdgeId, Id, Inner, LocId, LoopForest, Measure, Move, Op, Order,
    Property, Role, Sort, StatePart, SystemHash, Term, TransitionSystem, Value, VarId,
};
use std::collections::BTreeMap;

/// A changed claim.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The claim.
    pub claim: Claim,
    /// What was done to it.
    pub operator: &'static str,
}

/// What is done last to a claim: nothing can be built on a term of the wrong sort.
const ANOTHER_SORT: &str = "another sort";

/// About `count` different neighbours of a claim.
pub fn mutants(ts: &TransitionSystem, claim: &Claim, rng: &mut Random, count: usize) -> Vec<Mutant> {
    let headers = LoopForest::of(ts).cutpoints().into_iter().collect();
    let mut m = Mutator { ts, rng, headers };
    let mut found: Vec<Mutant> = Vec::new();
    for _ in 0..3 * count {
        if found.len() == count {
            break;
        }
        let Some((operator, mut changed)) = m.change(claim) else { continue };
        // Two changes may cover each other's tracks.
        if m.rng.percent(15)
            && operator != ANOTHER_SORT
            && let Some((_, twice)) = m.change(&changed)
        {
            changed = twice;
        }
        if changed != *claim && found.iter().all(|f| f.claim != changed) {
            found.push(Mutant { claim: changed, operator });
        }
    }
    found
}

struct Mutator<'m> {
    ts: &'m TransitionSystem,
    rng: &'m mut Random,
    headers: Vec<LocId>,
}

type Change = Option<&'static str>;

impl Mutator<'_> {
    fn change(&mut self, claim: &Claim) -> Option<(&'static str, Claim)> {
        let mut c = claim.clone();
        let operator = match self.rng.below(20) {
            0..=8 => self.term(&mut c)?,
            9..=11 => self.frame(&mut c)?,
            _ => self.structure(&mut c)?,
        };
        Some((operator, c))
    }

    // ---- what is claimed ----

    fn frame(&mut self, c: &mut Claim) -> Change {
        let t = &self.ts.terms;
        Some(match self.rng.below(12) {
            0 => {
                let mut bytes = c.system.0;
                bytes[self.rng.below(32)] ^= 1 << self.rng.below(8);
                c.system = SystemHash(bytes);
                "another system"
            }
            1 | 2 => {
                c.when = t.tt();
                "when := true"
            }
            3 => {
                c.when = t.not(c.when);
                "when negated"
            }
            4 => {
                let atom = self.atom();
                c.when = self.ts.terms.and(c.when, atom);
                "when strengthened"
            }
            5 | 6 => {
                let atom = self.atom();
                c.when = self.ts.terms.or(c.when, atom);
                "when weakened"
            }
            7 => {
                c.when = t.ff();
                "when := false"
            }
            8 | 9 => {
                let other = if self.headers.is_empty() { self.any_loc() } else { *self.rng.pick(&self.headers) };
                let other = if self.rng.percent(20) { self.any_loc() } else { other };
                match &mut c.property {
                    Property::Terminates(l) | Property::Diverges(l) | Property::Unreachable(l) => *l = other,
                    _ => return None,
                }
                "another location"
            }
            10 => {
                c.property = match c.property {
                    Property::Terminates(l) => Property::Diverges(l),
                    Property::Diverges(l) => Property::Terminates(l),
                    Property::ProgramTerminates => Property::ProgramDiverges,
                    Property::ProgramDiverges => Property::ProgramTerminates,
                    Property::Holds => Property::Unreachable(self.any_loc()),
                    Property::Unreachable(_) => Property::Holds,
                };
                "the opposite"
            }
            _ => {
                c.property = match c.property {
                    Property::Terminates(_) => Property::ProgramTerminates,
                    Property::Diverges(_) => Property::ProgramDiverges,
                    _ => Property::Terminates(self.any_loc()),
                };
                "the whole program"
            }
        })
    }

    fn any_loc(&mut self) -> LocId {
        LocId::from_index(self.rng.below(self.ts.locs.len()))
    }

    fn any_edge(&mut self) -> EdgeId {
        EdgeId::from_index(self.rng.below(self.ts.edges.len()))
    }

    fn any_var(&mut self) -> VarId {
        VarId::from_index(self.rng.below(self.ts.vars.len()))
    }

    /// A small condition on one variable.
    fn atom(&mut self) -> Term {
        let v = self.any_var();
        let (sort, x) = (self.ts.vars[v].sort, self.ts.vars[v].term);
        let t = &self.ts.terms;
        match sort {
            Sort::Bool => x,
            Sort::BitVec(w) => {
                let c = t.bv(w, self.rng.next().into());
                t.apply(*self.rng.pick(&[Op::Eq, Op::BvUlt, Op::BvSle]), &[x, c])
            }
            Sort::Int => {
                let c = t.int(self.rng.between(-3, 9));
                t.apply(*self.rng.pick(&[Op::Eq, Op::IntLt, Op::IntLe]), &[x, c])
            }
            Sort::Array(..) => t.eq(x, t.value(&Value::zero(sort))),
        }
    }

    // ---- structure ----

    fn structure(&mut self, c: &mut Claim) -> Change {
        match &mut c.certificate {
            Certificate::Ranking { outline, .. } if !outline.inner.is_empty() && self.rng.percent(50) => {
                self.inner(&mut outline.inner)
            }
            Certificate::Ranking { outline, measures } => {
                if self.rng.percent(25) {
                    Some(self.invariants(&mut outline.invariants))
                } else {
                    self.ranking(measures)
                }
            }
            Certificate::TransitionInvariant { outline, disjuncts } => {
                if self.rng.percent(25) {
                    Some(self.invariants(&mut outline.invariants))
                } else {
                    self.disjuncts(disjuncts)
                }
            }
            Certificate::Orbit { start, stem, cycle, same } => self.orbit(start, stem, cycle, same),
            Certificate::RecurrentSet { start, stem, set, arms } => self.recurrent(start, stem, set, arms),
            Certificate::AbstractCycle { edges, .. } => {
                edges.pop();
                Some("edge dropped")
            }
            Certificate::Inductive { invariants } if self.rng.percent(15) => {
                c.certificate = Certificate::Unreachable { invariants: invariants.clone() };
                Some("another kind")
            }
            Certificate::Unreachable { invariants } if self.rng.percent(15) => {
                c.certificate = Certificate::Inductive { invariants: invariants.clone() };
                Some("another kind")
            }
            Certificate::Inductive { invariants } | Certificate::Unreachable { invariants } => {
                Some(self.invariants(invariants))
            }
            Certificate::Program { parts } => {
                if parts.is_empty() {
                    return None;
                }
                let n = self.rng.below(parts.len());
                match self.rng.below(6) {
                    0 => {
                        parts.remove(n);
                        Some("part dropped")
                    }
                    1 => {
                        parts.push(parts[n].clone());
                        Some("part doubled")
                    }
                    2 => {
                        let inner = parts.clone();
                        parts[n].certificate = Certificate::Program { parts: inner };
                        Some("program in a program")
                    }
                    _ => {
                        let (operator, part) = self.change(&parts[n].clone())?;
                        parts[n] = part;
                        Some(operator)
                    }
                }
            }
        }
    }

    fn invariants(&mut self, all: &mut BTreeMap<LocId, Term>) -> &'static str {
        let t = &self.ts.terms;
        let keys: Vec<LocId> = all.keys().copied().collect();
        if self.rng.percent(15) || keys.is_empty() {
            let l = self.any_loc();
            let atom = self.atom();
            all.insert(l, atom);
            return "invariant added";
        }
        let l = *self.rng.pick(&keys);
        match self.rng.below(4) {
            0 => {
                all.remove(&l);
                "invariant dropped"
            }
            1 => {
                all.insert(l, t.tt());
                "invariant := true"
            }
            2 => {
                all.insert(l, t.ff());
                "invariant := false"
            }
            _ => {
                let k = *self.rng.pick(&keys);
                let (a, b) = (all[&l], all[&k]);
                all.insert(l, b);
                all.insert(k, a);
                "invariants swapped"
            }
        }
    }

    fn ranking(&mut self, all: &mut BTreeMap<LocId, Vec<Measure>>) -> Change {
        let keys: Vec<LocId> = all.keys().copied().collect();
        let least = all.values().map(Vec::len).min()?;
        if least == 0 {
            return None;
        }
        let (l, i) = (*self.rng.pick(&keys), self.rng.below(least));
        Some(match self.rng.below(10) {
            0 | 1 => {
                all.remove(&l);
                "measure dropped"
            }
            2 => {
                all.get_mut(&l)?.remove(i);
                "component dropped at one location"
            }
            3 => {
                for m in all.values_mut() {
                    m.remove(i);
                }
                "component dropped"
            }
            4 => {
                for m in all.values_mut() {
                    m.reverse();
                }
                "components reversed"
            }
            5 => {
                let order = self.other_order(all[&l][i].order);
                all.get_mut(&l)?[i].order = order;
                "order changed at one location"
            }
            6 => {
                let order = self.other_order(all[&l][i].order);
                for m in all.values_mut() {
                    m[i].order = order;
                }
                "order changed"
            }
            7 => {
                let k = self.any_loc();
                let m = all[&l].clone();
                all.insert(k, m);
                "measure copied"
            }
            8 => {
                let k = *self.rng.pick(&keys);
                let (a, b) = (all[&l].clone(), all[&k].clone());
                all.insert(l, b);
                all.insert(k, a);
                "measures swapped"
            }
            _ => {
                let zero = self.ts.terms.value(&Value::zero(self.ts.terms.sort(all[&l][i].term)));
                all.get_mut(&l)?[i].term = zero;
                "measure := 0"
            }
        })
    }

    fn inner(&mut self, all: &mut Vec<Inner>) -> Change {
        let n = self.rng.below(all.len());
        let t = &self.ts.terms;
        Some(match self.rng.below(9) {
            0 => {
                all.remove(n);
                "inner loop dropped"
            }
            1 => {
                all[n].relation = t.tt();
                "inner relation := true"
            }
            2 => {
                all[n].relation = t.ff();
                "inner relation := false"
            }
            3 => {
                let now: Vec<Term> = self.ts.vars.iter().map(|v| t.eq(v.old, v.term)).collect();
                all[n].relation = t.all(now);
                "inner relation := identity"
            }
            4 => {
                all[n].header = *self.rng.pick(&self.headers);
                "another inner loop"
            }
            5 => {
                let kept = t.conjuncts(all[n].relation);
                let gone = self.rng.below(kept.len().max(1));
                all[n].relation = t.all(kept.into_iter().enumerate().filter(|(i, _)| *i != gone).map(|(_, c)| c));
                "inner relation weakened"
            }
            6 => {
                let v = self.any_var();
                let same = self.ts.terms.eq(self.ts.vars[v].old, self.ts.vars[v].term);
                all[n].relation = self.ts.terms.and(all[n].relation, same);
                "inner relation strengthened"
            }
            7 => {
                let again = all[n].clone();
                all.push(again);
                "inner loop doubled"
            }
            _ => {
                let (operator, claim) = self.change(&all[n].claim.clone())?;
                *all[n].claim = claim;
                operator
            }
        })
    }

    fn other_order(&mut self, order: Order) -> Order {
        match order {
            Order::Int => *self.rng.pick(&[Order::Unsigned, Order::Signed]),
            Order::Unsigned => {
                if self.rng.percent(80) {
                    Order::Signed
                } else {
                    Order::Int
                }
            }
            Order::Signed => {
                if self.rng.percent(80) {
                    Order::Unsigned
                } else {
                    Order::Int
                }
            }
        }
    }

    fn disjuncts(&mut self, all: &mut Vec<Disjunct>) -> Change {
        if all.is_empty() || all.iter().any(|d| d.measure.is_empty()) {
            return None;
        }
        let n = self.rng.below(all.len());
        let t = &self.ts.terms;
        Some(match self.rng.below(8) {
            0 | 1 => {
                all.remove(n);
                "disjunct dropped"
            }
            2 => {
                let order = self.other_order(all[n].measure[0].order);
                all[n].measure[0].order = order;
                "order changed"
            }
            3 => {
                all[n].relation = t.substitute(all[n].relation, |s| match t.role(s) {
                    Some(Role::Var(v)) => Some(self.ts.vars[v].old),
                    Some(Role::Old(v)) => Some(self.ts.vars[v].term),
                    _ => None,
                });
                "old and now swapped"
            }
            4 => {
                all[n].relation = t.tt();
                "relation := true"
            }
            5 => {
                all[n].measure.clear();
                "measure dropped"
            }
            6 => {
                let k = self.rng.below(all.len());
                all[n].measure = all[k].measure.clone();
                "measure of another disjunct"
            }
            _ => {
                let zero = t.value(&Value::zero(t.sort(all[n].measure[0].term)));
                all[n].measure[0].term = zero;
                "measure := 0"
            }
        })
    }

    fn other_value(&mut self, v: &Value) -> Value {
        match v {
            Value::Bool(b) => Value::Bool(!b),
            Value::Bv(b) => {
                Value::Bv(Bits::new(b.width(), b.unsigned().wrapping_add(1 + u128::from(self.rng.next() % 3))))
            }
            Value::Int(i) => Value::Int(i + self.rng.between(-2, 2)),
            Value::Array(a) => {
                let Sort::Array(index, _) = v.sort() else { unreachable!("an array has an array's sort") };
                let at = Value::zero(index.into());
                let mut changed = (**a).clone();
                let new = self.other_value(a.get(&at));
                changed.set(at, new);
                Value::Array(std::sync::Arc::new(changed))
            }
        }
    }

    fn start(&mut self, start: &mut Vec<Value>) -> &'static str {
        if self.rng.percent(10) || start.is_empty() {
            start.pop();
            return "start shortened";
        }
        let n = self.rng.below(start.len());
        start[n] = self.other_value(&start[n].clone());
        "another start"
    }

    fn orbit(
        &mut self,
        start: &mut Vec<Value>,
        stem: &mut Vec<Choice>,
        cycle: &mut Vec<Choice>,
        same: &mut Vec<StatePart>,
    ) -> Change {
        if cycle.is_empty() {
            return None;
        }
        let on_cycle = stem.is_empty() || self.rng.percent(60);
        let edge = self.any_edge();
        let var = self.any_var();
        let path: &mut Vec<Choice> = if on_cycle { &mut *cycle } else { &mut *stem };
        let n = self.rng.below(path.len());
        Some(match self.rng.below(14) {
            0 => {
                path.remove(n);
                "step dropped"
            }
            1 => {
                cycle.clear();
                "empty cycle"
            }
            2 => {
                let again = cycle.clone();
                cycle.extend(again);
                "cycle doubled"
            }
            3 => {
                let first = cycle.remove(0);
                stem.push(first.clone());
                cycle.push(first);
                "cycle turned"
            }
            4 => {
                path[n].edge = edge;
                "another edge"
            }
            5 | 6 => {
                let k = self.rng.below(path[n].values.len().max(1));
                let old = path[n].values.get(k)?.1.clone();
                let new = self.other_value(&old);
                let path: &mut Vec<Choice> = if on_cycle { cycle } else { stem };
                path[n].values[k].1 = new;
                "another value"
            }
            7 => {
                path[n].values.pop()?;
                "value dropped"
            }
            8 => {
                let value = path[n].values.first()?.clone();
                path[n].values.push(value);
                "value doubled"
            }
            9 => self.start(start),
            10 => {
                if same.is_empty() {
                    return None;
                }
                same.remove(self.rng.below(same.len()));
                "place dropped"
            }
            11 => {
                same.push(StatePart::Var(var));
                "place added"
            }
            12 => {
                same.clear();
                "places dropped"
            }
            _ => {
                let step = path[n].clone();
                path.insert(n, step);
                "step doubled"
            }
        })
    }

    fn moves(&mut self, path: &mut Vec<Move>) -> Change {
        if path.is_empty() {
            path.push(Move { edge: self.any_edge(), inputs: Vec::new() });
            return Some("step added");
        }
        let n = self.rng.below(path.len());
        Some(match self.rng.below(7) {
            0 => {
                path.remove(n);
                "step dropped"
            }
            1 => {
                path[n].edge = self.any_edge();
                "another edge"
            }
            2 => {
                path[n].inputs.pop()?;
                "input dropped"
            }
            3 => {
                let input = *path[n].inputs.first()?;
                path[n].inputs.push(input);
                "input doubled"
            }
            4 => {
                let step = path[n].clone();
                path.insert(n, step);
                "step doubled"
            }
            _ => {
                let (_, t) = path[n].inputs.first_mut()?;
                let value = self.ts.terms.constant_value(*t).unwrap_or_else(|| Value::zero(self.ts.terms.sort(*t)));
                *t = self.ts.terms.value(&self.other_value(&value));
                "another input"
            }
        })
    }

    fn recurrent(
        &mut self,
        start: &mut Vec<Value>,
        stem: &mut Vec<Move>,
        set: &mut BTreeMap<LocId, Term>,
        arms: &mut Vec<Arm>,
    ) -> Change {
        let keys: Vec<LocId> = set.keys().copied().collect();
        if keys.is_empty() || arms.is_empty() {
            return None;
        }
        let l = *self.rng.pick(&keys);
        let n = self.rng.below(arms.len());
        let t = &self.ts.terms;
        Some(match self.rng.below(14) {
            0 => {
                set.remove(&l);
                "set dropped at a location"
            }
            1 | 2 => {
                set.insert(l, t.tt());
                "set := true"
            }
            3 => {
                arms.remove(n);
                "arm dropped"
            }
            4 => {
                arms[n].when = t.tt();
                "arm for all"
            }
            5 => {
                arms[n].path.clear();
                "arm without edges"
            }
            6 => {
                arms[n].from = *self.rng.pick(&keys);
                "arm elsewhere"
            }
            7 => {
                let k = self.any_loc();
                let here = set[&l];
                set.insert(k, here);
                "set at another location"
            }
            8 => self.start(start),
            9 => self.moves(stem)?,
            _ => self.moves(&mut arms[n].path)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::mint::mint;
    use super::super::random::{Shape, random_system};
    use super::super::truth::Truth;
    use super::super::validate::{Validator, Validity};
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn most_mutants_of_every_kind_break_a_rule_and_a_valid_one_is_never_false() {
        let mut broken: BTreeMap<&str, (u32, u32, u32)> = BTreeMap::new();
        let mut operators: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for seed in 0..100 {
            let ts = random_system(seed, &Shape { ideal: 10, max_bits: 8, ..Shape::default() });
            let mut truth = Truth::of(&ts, 4000).expect("random systems have a truth");
            let mut rng = Random::new(seed);
            let minted = mint(&mut truth, &mut rng);
            let Some(mut validator) = Validator::new(&ts) else { continue };
            for claim in &minted.claims {
                let kind = claim.certificate.kind();
                for m in mutants(&ts, claim, &mut rng, 6) {
                    let entry = broken.entry(kind).or_default();
                    let validity = validator.validate(&m.claim);
                    let truth = truth.claim(&m.claim);
                    entry.0 += 1;
                    entry.1 += u32::from(matches!(validity, Validity::Invalid(_)));
                    entry.2 += u32::from(truth == Some(false));
                    if matches!(validity, Validity::Invalid(_)) {
                        operators.entry(kind).or_default().insert(m.operator);
                    }
                    let text = || {
                        let claim = lariat_ir::claim::print(&ts, &m.claim);
                        format!("seed {seed}, {}\n{}\n{claim}", m.operator, lariat_ir::lts::print(&ts))
                    };
                    assert!(validity != Validity::Valid || truth != Some(false), "valid and false: {}", text());
                }
            }
        }
        for (kind, (made, invalid, false_)) in &broken {
            assert!(invalid * 100 > made * 35, "{kind}: {invalid} of {made} break a rule");
            assert!(false_ * 100 > made * 2, "{kind}: {false_} of {made} are false");
            assert!(operators[kind].len() >= 8, "{kind}: {:?}", operators[kind]);
        }
        assert!(broken.len() >= 7, "{broken:?}");
    }
}
