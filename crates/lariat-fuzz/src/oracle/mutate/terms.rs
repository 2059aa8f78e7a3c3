//! Changes of terms.

use super::{ANOTHER_SORT, Change, Mutator};
use lariat_ir::{Certificate, Claim, Move, Op, Outline, Role, Sort, Term, TransitionSystem};
use std::collections::HashMap;

impl Mutator<'_> {
    pub(super) fn term(&mut self, c: &mut Claim) -> Change {
        let mut count = 0;
        each_term(c, &mut |_| count += 1);
        let chosen = self.rng.below(count);
        let (mut n, mut done) = (0, None);
        each_term(c, &mut |t| {
            if n == chosen
                && let Some((name, new)) = self.rewritten(*t)
            {
                *t = new;
                done = Some(name);
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
                return Some((ANOTHER_SORT, other));
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
pub(in crate::oracle) fn replaced(ts: &TransitionSystem, root: Term, node: Term, new: Term) -> Option<Term> {
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
