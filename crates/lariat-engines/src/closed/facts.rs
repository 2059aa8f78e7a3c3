//! Simple facts about states, and predicates that seeds of another kind satisfy.

use super::value_in;
use crate::board::relevant;
use crate::engine::Task;
use dashu_int::IBig;
use lariat_ir::simplify::simplify;
use lariat_ir::{Bits, Op, Role, Sort, Term, TransitionSystem, Value, VarId};
use std::collections::BTreeSet;

/// Quantities that facts are about.
const MOST_QUANTITIES: usize = 14;
/// Constants of the code that quantities are compared with.
const MOST_CONSTANTS: usize = 7;

/// What facts are about: the scalar variables that decide the loop, and what its guards compare and it does not change.
pub(super) fn quantities(ts: &TransitionSystem, task: &Task<'_>) -> Vec<Term> {
    let t = &ts.terms;
    let body = &task.this().body;
    let scalar = |v: &VarId| matches!(ts.vars[*v].sort, Sort::Int | Sort::BitVec(_) | Sort::Bool);
    let inner = ts.edges.iter().filter(|e| body.contains(&e.from) && body.contains(&e.to));
    let changed: BTreeSet<VarId> = inner.flat_map(|e| &e.updates).map(|(v, _)| *v).collect();
    let is_fixed = |u: Term| {
        let symbols = t.symbols(u);
        !symbols.is_empty() && symbols.iter().all(|s| matches!(t.role(*s), Some(Role::Var(v)) if !changed.contains(&v)))
    };
    let mut found: Vec<Term> = Vec::new();
    for u in t.reachable(&guards(ts, task)) {
        let node = t.node(u);
        if is_comparison(node.op) {
            let compound = |a: &&Term| t.role(**a).is_none() && matches!(t.sort(**a), Sort::Int | Sort::BitVec(_));
            found.extend(node.args().iter().filter(compound).filter(|a| is_fixed(**a)));
        }
    }
    found.extend(relevant(ts, body).into_iter().filter(scalar).map(|v| ts.vars[v].term));
    let mut seen = BTreeSet::new();
    found.retain(|q| seen.insert(*q));
    found.truncate(MOST_QUANTITIES);
    found
}

fn guards(ts: &TransitionSystem, task: &Task<'_>) -> Vec<Term> {
    ts.edges.iter().filter(|e| task.this().body.contains(&e.from)).map(|e| e.guard).collect()
}

fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::IntLt | Op::IntLe)
}

/// The numbers that the loop's code mentions, with zero and what is next to it.
fn constants(ts: &TransitionSystem, task: &Task<'_>) -> Vec<IBig> {
    let t = &ts.terms;
    let body = &task.this().body;
    let inside = ts.edges.iter().filter(|e| body.contains(&e.from));
    let terms: Vec<Term> = inside.flat_map(|e| e.updates.iter().map(|(_, n)| *n).chain([e.guard])).collect();
    let mut found = vec![IBig::ZERO, IBig::from(1), IBig::from(-1)];
    for u in t.reachable(&terms) {
        match (t.constant_value(u), t.node(u).op) {
            (Some(Value::Int(i)), _) => found.push(i),
            (Some(Value::Bv(b)), _) => found.push(IBig::from(b.signed())),
            // What a narrow value can be at most decides as a constant does.
            (_, Op::ZeroExtend(_) | Op::SignExtend(_)) => {
                let width = t.sort(t.node(u).args()[0]).width().expect("only bit-vectors are extended") as usize;
                let bits = if matches!(t.node(u).op, Op::ZeroExtend(_)) { width } else { width - 1 };
                found.push((IBig::from(1) << bits) - IBig::from(1));
            }
            _ => {}
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|c| seen.insert(c.clone()));
    found.truncate(MOST_CONSTANTS);
    found
}

/// A number as a constant of a sort, if the sort has it.
fn of_sort(ts: &TransitionSystem, sort: Sort, n: &IBig) -> Option<Term> {
    match sort {
        Sort::Int => Some(ts.terms.int(n.clone())),
        Sort::BitVec(w) => {
            let bits = Bits::from_int(w, n);
            let same = IBig::from(bits.signed()) == *n || IBig::from(bits.unsigned()) == *n;
            same.then(|| ts.terms.value(&Value::Bv(bits)))
        }
        _ => None,
    }
}

/// The orders in which the loop compares.
struct Orders<'a> {
    ts: &'a TransitionSystem,
    of_bits: Vec<Op>,
}

impl<'a> Orders<'a> {
    fn of(ts: &'a TransitionSystem, task: &Task<'_>) -> Self {
        let t = &ts.terms;
        let used: Vec<Op> = t.reachable(&guards(ts, task)).into_iter().map(|u| t.node(u).op).collect();
        let mut of_bits = Vec::new();
        if used.iter().any(|op| matches!(op, Op::BvUlt | Op::BvUle)) {
            of_bits.push(Op::BvUle);
        }
        if of_bits.is_empty() || used.iter().any(|op| matches!(op, Op::BvSlt | Op::BvSle)) {
            of_bits.push(Op::BvSle);
        }
        Self { ts, of_bits }
    }

    fn at_most(&self, a: Term, b: Term) -> Vec<Term> {
        let t = &self.ts.terms;
        match t.sort(a) {
            Sort::Int => vec![t.apply(Op::IntLe, &[a, b])],
            _ => self.of_bits.iter().map(|op| t.apply(*op, &[a, b])).collect(),
        }
    }
}

/// What simply holds in a state.
pub(super) fn facts(ts: &TransitionSystem, task: &Task<'_>, quantities: &[Term], seed: &[Value]) -> Vec<Term> {
    let t = &ts.terms;
    let mut all: Vec<Term> = Vec::new();
    for u in t.reachable(&guards(ts, task)) {
        let node = t.node(u);
        if node.sort == Sort::Bool && (is_comparison(node.op) || matches!(node.op, Op::Symbol(_))) {
            all.extend([u, t.not(u)]);
        }
    }
    let constants = constants(ts, task);
    let orders = Orders::of(ts, task);
    for &x in quantities {
        let here = t.value(&t.eval(x, |s| value_in(ts, seed, s)));
        let sort = t.sort(x);
        if sort == Sort::Bool {
            all.extend([x, t.not(x)]);
            continue;
        }
        all.push(t.eq(x, here));
        for c in constants.iter().filter_map(|c| of_sort(ts, sort, c)).chain([here]) {
            all.extend(orders.at_most(x, c));
            all.extend(orders.at_most(c, x));
            // One past it.
            all.extend(orders.at_most(x, c).into_iter().map(|f| t.not(f)));
            all.extend(orders.at_most(c, x).into_iter().map(|f| t.not(f)));
        }
        let parity = match sort {
            Sort::BitVec(w) if w > 1 => t.apply(Op::Extract { hi: 0, lo: 0 }, &[x]),
            Sort::Int => t.apply(Op::IntMod, &[x, t.int(2)]),
            _ => continue,
        };
        all.push(t.eq(parity, t.value(&t.eval(parity, |s| value_in(ts, seed, s)))));
    }
    for (i, &x) in quantities.iter().enumerate() {
        for &y in &quantities[i + 1..] {
            if t.sort(x) == t.sort(y) && t.sort(x) != Sort::Bool {
                all.push(t.eq(x, y));
                all.extend(orders.at_most(x, y));
                all.extend(orders.at_most(y, x));
            }
        }
    }
    let mut seen = BTreeSet::new();
    all.into_iter()
        .map(|f| simplify(t, f))
        .filter(|f| seen.insert(*f) && *f != t.tt() && t.eval(*f, |s| value_in(ts, seed, s)).as_bool())
        .collect()
}

/// Conditions that lead to states of another kind: a quantity beyond one of the constants, or odd.
pub(super) fn seed_predicates(ts: &TransitionSystem, task: &Task<'_>, quantities: &[Term]) -> Vec<Term> {
    let t = &ts.terms;
    let mut found = Vec::new();
    let constants = constants(ts, task);
    let orders = Orders::of(ts, task);
    for &x in quantities {
        let sort = t.sort(x);
        if !matches!(sort, Sort::Int | Sort::BitVec(_)) {
            continue;
        }
        for c in constants.iter().filter_map(|c| of_sort(ts, sort, c)) {
            found.push(t.not(orders.at_most(x, c)[0]));
            found.push(t.not(orders.at_most(c, x)[0]));
        }
        if matches!(sort, Sort::BitVec(w) if w > 1) {
            found.push(t.eq(t.apply(Op::Extract { hi: 0, lo: 0 }, &[x]), t.bv(1, 1)));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|w| seen.insert(*w));
    found
}
