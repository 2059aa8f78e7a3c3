//! Which loops an overflow on the way to them may change.
//!
//! Over the integers `q = -n` and `q < 0` say something of `n`; where numbers wrap they may say something else. A loop that computes
//! with no signed number itself may hang for that reason alone. The answer only decides which questions are asked: no verdict rests on it.

use lariat_ir::fast::FastSet;
use lariat_ir::{Edge, IdVec, LocId, Op, Role, Term, TransitionSystem, VarId};
use std::collections::BTreeSet;

/// Whether a number that overflows before a loop may decide whether the loop is come to, or when it ends.
pub fn reaches(ts: &TransitionSystem, body: &BTreeSet<LocId>) -> bool {
    let before = leading_to(ts, body);
    if ts.overflows.is_disjoint(&before) {
        return false;
    }
    let edges: Vec<&Edge> = ts.edges.iter().filter(|e| before.contains(&e.to)).collect();
    let decisive = decisive(ts, body, &edges);
    edges
        .iter()
        .filter(|e| ts.overflows.contains(&e.from))
        .any(|e| computes(ts, e.guard) || e.updates.iter().any(|(v, t)| decisive.contains(v) && computes(ts, *t)))
}

/// The locations from which a way leads to a loop, those of the loop included.
fn leading_to(ts: &TransitionSystem, body: &BTreeSet<LocId>) -> BTreeSet<LocId> {
    let mut into: IdVec<LocId, Vec<LocId>> = ts.locs.iter().map(|_| Vec::new()).collect();
    for e in ts.edges.iter().filter(|e| !e.to.is_sink()) {
        into[e.to].push(e.from);
    }
    let mut seen = body.clone();
    let mut work: Vec<LocId> = body.iter().copied().collect();
    while let Some(at) = work.pop() {
        work.extend(into[at].iter().filter(|from| seen.insert(**from)));
    }
    seen
}

/// The variables on which the conditions inside a loop depend.
fn decisive(ts: &TransitionSystem, body: &BTreeSet<LocId>, edges: &[&Edge]) -> FastSet<VarId> {
    let mut found: FastSet<VarId> = FastSet::default();
    let mut work: Vec<VarId> = Vec::new();
    let inside = ts.edges.iter().filter(|e| body.contains(&e.from));
    for v in inside.flat_map(|e| vars(ts, e.guard)) {
        if found.insert(v) {
            work.push(v);
        }
    }
    while let Some(v) = work.pop() {
        let updates = edges.iter().flat_map(|e| &e.updates).filter(|(to, _)| *to == v);
        for w in updates.flat_map(|(_, t)| vars(ts, *t)) {
            if found.insert(w) {
                work.push(w);
            }
        }
    }
    found
}

fn vars(ts: &TransitionSystem, t: Term) -> Vec<VarId> {
    let var = |s: Term| match ts.terms.role(s) {
        Some(Role::Var(v)) => Some(v),
        _ => None,
    };
    ts.terms.symbols(t).into_iter().filter_map(var).collect()
}

/// Whether integers are computed in a term.
fn computes(ts: &TransitionSystem, t: Term) -> bool {
    let is_arithmetic = |s: &Term| matches!(ts.terms.node(*s).op, Op::IntNeg | Op::IntAdd | Op::IntSub | Op::IntMul);
    ts.terms.reachable(&[t]).iter().any(is_arithmetic)
}
