//! Neighbours of a certificate: one small change each. Most of them break a rule, some make the claim false, a few are
//! as good as the original; which it is decides [`super::validate`], not this module.

use super::random::Rng;
use lariat_ir::{
    Arm, Bits, Certificate, Choice, Claim, Disjunct, EdgeId, Id, LocId, LoopForest, Measure, Move, Op, Order, Outline,
    Place, Property, Role, Sort, SystemHash, Term, TransitionSystem, Value, VarId,
};
use std::collections::{BTreeMap, HashMap};

/// A changed claim.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The claim.
    pub claim: Claim,
    /// What was done to it.
    pub operator: &'static str,
}

/// About `count` different neighbours of a claim.
pub fn mutants(ts: &TransitionSystem, claim: &Claim, rng: &mut Rng, count: usize) -> Vec<Mutant> {
    let headers = LoopForest::of(ts).cutpoints().into_iter().collect();
    let mut m = Mutator { ts, rng, headers };
    let mut found: Vec<Mutant> = Vec::new();
    for _ in 0..3 * count {
        if found.len() == count {
            break;
        }
        if let Some((operator, changed)) = m.change(claim) {
            if changed != *claim && found.iter().all(|f| f.claim != changed) {
                found.push(Mutant { claim: changed, operator });
            }
        }
    }
    found
}

struct Mutator<'m> {
    ts: &'m TransitionSystem,
    rng: &'m mut Rng,
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

    // ---- terms ----

    fn term(&mut self, c: &mut Claim) -> Change {
        let mut count = 0;
        each_term(c, &mut |_| count += 1);
        let chosen = self.rng.below(count);
        let (mut n, mut done) = (0, None);
        each_term(c, &mut |t| {
            if n == chosen {
                if let Some((name, new)) = self.rewritten(*t) {
                    *t = new;
                    done = Some(name);
                }
            }
            n += 1;
        });
        done
    }

    /// A term with one node changed.
    fn rewritten(&mut self, root: Term) -> Option<(&'static str, Term)> {
        let t = &self.ts.terms;
        let sort = t.sort(root);
        match self.rng.below(24) {
            0 if sort == Sort::Bool => return Some(("term := true", t.tt())),
            1 if sort == Sort::Bool => return Some(("term := false", t.ff())),
            2 if sort == Sort::Bool => return Some(("term negated", t.not(root))),
            3 if sort == Sort::Bool => {
                let atom = self.atom();
                return Some(("conjunct added", self.ts.terms.and(root, atom)));
            }
            4 if sort == Sort::Bool => {
                let atom = self.atom();
                return Some(("disjunct added", self.ts.terms.or(root, atom)));
            }
            5 => {
                let strange: Vec<Term> = self
                    .ts
                    .unknowns
                    .iter()
                    .map(|u| u.term)
                    .chain(self.ts.vars.iter().map(|v| v.old))
                    .filter(|s| t.sort(*s) == sort)
                    .collect();
                if strange.is_empty() {
                    return None;
                }
                return Some(("a symbol that is no variable", *self.rng.pick(&strange)));
            }
            6 if self.rng.percent(30) => {
                let other = if sort == Sort::Int { t.bv(4, 3) } else { t.int(1) };
                return Some(("another sort", other));
            }
            _ => {}
        }
        let nodes = t.reachable(&[root]);
        let node = *self.rng.pick(&nodes);
        let (name, new) = self.node(node)?;
        Some((name, replaced(self.ts, root, node, new)?))
    }

    fn node(&mut self, node: Term) -> Option<(&'static str, Term)> {
        let t = &self.ts.terms;
        let n = t.node(node);
        let args = n.args();
        Some(match n.op {
            Op::Bool(b) => ("constant changed", t.bool(!b)),
            Op::Bv(b) => {
                let by = if self.rng.percent(50) { 1 } else { u128::MAX };
                ("constant off by one", t.bv(b.width(), b.unsigned().wrapping_add(by)))
            }
            Op::Int(i) => ("constant off by one", t.int(t.int_value(i) + if self.rng.percent(50) { 1 } else { -1 })),
            Op::Symbol(_) => {
                let Some(Role::Var(v) | Role::Old(v)) = t.role(node) else { return None };
                let old = matches!(t.role(node), Some(Role::Old(_)));
                if old && self.rng.percent(50) {
                    return Some(("now instead of old", self.ts.vars[v].term));
                }
                let others: Vec<Term> = self
                    .ts
                    .vars
                    .entries()
                    .filter(|(w, x)| *w != v && x.sort == n.sort)
                    .map(|(_, x)| if old { x.old } else { x.term })
                    .collect();
                if others.is_empty() {
                    return None;
                }
                ("another variable", *self.rng.pick(&others))
            }
            Op::Not => ("negation dropped", args[0]),
            Op::And => match self.rng.below(3) {
                0 => ("conjunct dropped", args[0]),
                1 => ("conjunct dropped", args[1]),
                _ => ("and becomes or", t.or(args[0], args[1])),
            },
            Op::Or => match self.rng.below(3) {
                0 => ("disjunct dropped", args[0]),
                1 => ("disjunct dropped", args[1]),
                _ => ("or becomes and", t.and(args[0], args[1])),
            },
            Op::Ite => match self.rng.below(3) {
                0 => ("branches swapped", t.ite(args[0], args[2], args[1])),
                1 => ("branch dropped", args[1]),
                _ => ("branch dropped", args[2]),
            },
            Op::Eq => ("equality negated", t.not(node)),
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::IntLt | Op::IntLe => {
                if self.rng.percent(30) {
                    return Some(("comparison turned", t.apply(n.op, &[args[1], args[0]])));
                }
                let op = match n.op {
                    Op::BvUlt if self.rng.percent(50) => Op::BvSlt,
                    Op::BvSlt if self.rng.percent(50) => Op::BvUlt,
                    Op::BvUlt => Op::BvUle,
                    Op::BvUle => Op::BvUlt,
                    Op::BvSlt => Op::BvSle,
                    Op::BvSle => Op::BvSlt,
                    Op::IntLt => Op::IntLe,
                    _ => Op::IntLt,
                };
                ("comparison changed", t.apply(op, args))
            }
            Op::BvAdd => ("sum becomes difference", t.apply(Op::BvSub, args)),
            Op::BvSub => ("difference becomes sum", t.apply(Op::BvAdd, args)),
            Op::IntAdd => ("sum becomes difference", t.apply(Op::IntSub, args)),
            Op::IntSub => ("difference becomes sum", t.apply(Op::IntAdd, args)),
            Op::ZeroExtend(by) => ("extension changed", t.apply(Op::SignExtend(by), args)),
            _ => return None,
        })
    }

    // ---- structure ----

    fn structure(&mut self, c: &mut Claim) -> Change {
        match &mut c.certificate {
            Certificate::Ranking { outline, measures } => {
                if self.rng.percent(25) {
                    self.invariants(&mut outline.invariants)
                } else {
                    self.ranking(measures)
                }
            }
            Certificate::TransitionInvariant { outline, disjuncts } => {
                if self.rng.percent(25) {
                    self.outline(outline)
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
                self.invariants(invariants)
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

    fn outline(&mut self, o: &mut Outline) -> Change {
        self.invariants(&mut o.invariants)
    }

    fn invariants(&mut self, all: &mut BTreeMap<LocId, Term>) -> Change {
        let t = &self.ts.terms;
        let keys: Vec<LocId> = all.keys().copied().collect();
        if self.rng.percent(15) || keys.is_empty() {
            let l = self.any_loc();
            let atom = self.atom();
            all.insert(l, atom);
            return Some("invariant added");
        }
        let l = *self.rng.pick(&keys);
        Some(match self.rng.below(4) {
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
        })
    }

    fn ranking(&mut self, all: &mut BTreeMap<LocId, Vec<Measure>>) -> Change {
        let keys: Vec<LocId> = all.keys().copied().collect();
        let l = *self.rng.pick(&keys);
        let length = all[&l].len();
        let i = self.rng.below(length);
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
                all.values_mut().for_each(|m| drop(m.remove(i)));
                "component dropped"
            }
            4 => {
                all.values_mut().for_each(|m| m.reverse());
                "components reversed"
            }
            5 => {
                let order = self.other_order(all[&l][i].order);
                all.get_mut(&l)?[i].order = order;
                "order changed at one location"
            }
            6 => {
                let order = self.other_order(all[&l][i].order);
                all.values_mut().for_each(|m| m[i].order = order);
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
        if all.is_empty() {
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

    fn start(&mut self, start: &mut Vec<Value>) -> Change {
        if self.rng.percent(10) {
            start.pop();
            return Some("start shortened");
        }
        let n = self.rng.below(start.len());
        start[n] = self.other_value(&start[n].clone());
        Some("another start")
    }

    fn orbit(
        &mut self,
        start: &mut Vec<Value>,
        stem: &mut Vec<Choice>,
        cycle: &mut Vec<Choice>,
        same: &mut Vec<Place>,
    ) -> Change {
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
            9 => self.start(start)?,
            10 => {
                if same.is_empty() {
                    return None;
                }
                same.remove(self.rng.below(same.len()));
                "place dropped"
            }
            11 => {
                same.push(Place::Var(var));
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
            8 => self.start(start)?,
            9 => self.moves(stem)?,
            _ => self.moves(&mut arms[n].path)?,
        })
    }
}

/// Every term of a claim, in a fixed order.
fn each_term(c: &mut Claim, f: &mut dyn FnMut(&mut Term)) {
    f(&mut c.when);
    let in_outline = |o: &mut Outline, f: &mut dyn FnMut(&mut Term)| {
        o.invariants.values_mut().for_each(&mut *f);
        for i in &mut o.inner {
            f(&mut i.relation);
            each_term(&mut i.claim, f);
        }
    };
    let in_moves = |path: &mut Vec<Move>, f: &mut dyn FnMut(&mut Term)| {
        path.iter_mut().flat_map(|m| &mut m.inputs).for_each(|(_, t)| f(t));
    };
    match &mut c.certificate {
        Certificate::Ranking { outline, measures } => {
            in_outline(outline, f);
            measures.values_mut().flatten().for_each(|m| f(&mut m.term));
        }
        Certificate::TransitionInvariant { outline, disjuncts } => {
            in_outline(outline, f);
            for d in disjuncts {
                f(&mut d.relation);
                d.measure.iter_mut().for_each(|m| f(&mut m.term));
            }
        }
        Certificate::Orbit { .. } => {}
        Certificate::RecurrentSet { stem, set, arms, .. } => {
            in_moves(stem, f);
            set.values_mut().for_each(&mut *f);
            for a in arms {
                f(&mut a.when);
                in_moves(&mut a.path, f);
            }
        }
        Certificate::AbstractCycle { states, .. } => states.iter_mut().for_each(|(_, t)| f(t)),
        Certificate::Inductive { invariants } | Certificate::Unreachable { invariants } => {
            invariants.values_mut().for_each(f);
        }
        Certificate::Program { parts } => parts.iter_mut().for_each(|p| each_term(p, f)),
    }
}

/// A term with one node replaced; nothing if the sorts do not fit.
pub(super) fn replaced(ts: &TransitionSystem, root: Term, node: Term, new: Term) -> Option<Term> {
    if ts.terms.sort(node) != ts.terms.sort(new) {
        return None;
    }
    let mut image: HashMap<Term, Term> = HashMap::new();
    for t in ts.terms.reachable(&[root]) {
        let n = ts.terms.node(t);
        let value = if t == node {
            new
        } else if n.args().iter().all(|a| image[a] == *a) {
            t
        } else {
            let args: Vec<Term> = n.args().iter().map(|a| image[a]).collect();
            ts.terms.try_apply(n.op, &args).ok()?
        };
        image.insert(t, value);
    }
    Some(image[&root])
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
        for seed in 0..250 {
            let ts = random_system(seed, &Shape { ideal: 10, max_bits: 8, ..Shape::default() });
            let mut truth = Truth::of(&ts, 4000).expect("random systems have a truth");
            let mut rng = Rng::new(seed);
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
            assert!(invalid * 100 > made * 50, "{kind}: {invalid} of {made} break a rule");
            assert!(false_ * 100 > made * 4, "{kind}: {false_} of {made} are false");
            assert!(operators[kind].len() >= 8, "{kind}: {:?}", operators[kind]);
        }
        assert!(broken.len() >= 7, "{broken:?}");
    }
}
