//! Paths of a system as formulas: where they lead, and when they are taken.

use crate::engine::EngineCx;
use lariat_ir::simplify::simplify;
use lariat_ir::{EdgeId, Id, LocId, Role, Term, TransitionSystem, UnknownId, UnknownKind};
use std::collections::BTreeSet;

/// An unknown as it occurs at one step of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    /// The step, from 0.
    pub step: usize,
    /// The unknown.
    pub unknown: UnknownId,
    /// Its value on this path: a symbol, or the term it was chosen to be.
    pub term: Term,
}

/// A path with the condition under which it is taken and the state it leads to, over the variables at its start.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicPath {
    /// Its edges.
    pub edges: Vec<EdgeId>,
    /// Where it ends.
    pub end: LocId,
    /// The guards, each in the state at its step.
    pub conditions: Vec<Term>,
    /// The variables at the end.
    pub state: Vec<Term>,
    /// The unknowns on the way.
    pub unknowns: Vec<Occurrence>,
}

impl SymbolicPath {
    /// The path without edges.
    pub fn at(ts: &TransitionSystem, loc: LocId) -> Self {
        let state = ts.vars.iter().map(|v| v.term).collect();
        Self { edges: Vec::new(), end: loc, conditions: Vec::new(), state, unknowns: Vec::new() }
    }

    /// The path with one more edge.
    pub fn then(&self, ts: &TransitionSystem, edge: EdgeId) -> Self {
        let mut next = self.clone();
        next.advance(ts, edge);
        next
    }

    /// Takes one more edge.
    pub fn advance(&mut self, ts: &TransitionSystem, edge: EdgeId) {
        self.advance_choosing(ts, edge, |_| None);
    }

    /// Takes one more edge, on which some unknowns have the values of terms over the variables before it.
    pub fn advance_choosing(
        &mut self,
        ts: &TransitionSystem,
        edge: EdgeId,
        choose: impl Fn(UnknownId) -> Option<Term>,
    ) {
        let e = &ts.edges[edge];
        assert!(e.from == self.end, "the edge starts where the path ends");
        let guard = simplify(&ts.terms, in_state(ts, e.guard, &self.state));
        if guard != ts.terms.tt() {
            self.conditions.push(guard);
        }
        let step = self.edges.len();
        let frame = u32::try_from(step).expect("paths are short");
        let first = self.unknowns.len();
        for u in ts.unknowns_of(edge) {
            let term = match choose(u) {
                Some(t) => in_state(ts, t, &self.state),
                None => ts.terms.copy_symbol(ts.unknowns[u].term, frame),
            };
            self.unknowns.push(Occurrence { step, unknown: u, term });
        }
        let here = &self.unknowns[first..];
        let state = &self.state;
        let new: Vec<Term> = e
            .updates
            .iter()
            .map(|(_, t)| {
                let new = ts.terms.substitute(*t, |s| match ts.terms.role(s) {
                    Some(Role::Var(v)) => Some(state[v.index()]),
                    Some(Role::Unknown(u)) => here.iter().find(|o| o.unknown == u).map(|o| o.term),
                    _ => None,
                });
                simplify(&ts.terms, new)
            })
            .collect();
        for ((v, _), t) in e.updates.iter().zip(new) {
            self.state[v.index()] = t;
        }
        self.edges.push(edge);
        self.end = e.to;
    }

    /// The ranges of its unknowns.
    pub fn ranges(&self, ts: &TransitionSystem) -> Vec<Term> {
        self.unknowns.iter().map(|o| ts.range_condition(o.unknown, o.term)).filter(|t| *t != ts.terms.tt()).collect()
    }

    /// The inputs on the way.
    pub fn inputs(&self, ts: &TransitionSystem) -> impl Iterator<Item = &Occurrence> {
        self.unknowns.iter().filter(|o| ts.unknowns[o.unknown].kind == UnknownKind::Input)
    }
}

/// A term over the variables in a state.
pub(crate) fn in_state(ts: &TransitionSystem, t: Term, state: &[Term]) -> Term {
    ts.terms.substitute(t, |s| match ts.terms.role(s) {
        Some(Role::Var(v)) => Some(state[v.index()]),
        _ => None,
    })
}

/// Whether a term speaks of variables alone.
pub(crate) fn speaks_of_variables(ts: &TransitionSystem, t: Term) -> bool {
    ts.terms.symbols(t).iter().all(|s| matches!(ts.terms.role(*s), Some(Role::Var(_))))
}

/// The paths around a loop: from its header inside its body back to the header.
pub(crate) struct Around {
    /// The paths, shortest first.
    pub paths: Vec<SymbolicPath>,
    /// Whether these are all: no inner loop was left out, no limit was hit.
    pub complete: bool,
    /// Whether a limit was hit.
    pub limited: bool,
}

/// Paths that visit no location twice, at most `most` of them.
pub(crate) fn around(
    ts: &TransitionSystem,
    cx: &EngineCx,
    header: LocId,
    body: &BTreeSet<LocId>,
    most: usize,
) -> Around {
    let mut found = Vec::new();
    let (mut complete, mut limited) = (true, false);
    let mut open = vec![(SymbolicPath::at(ts, header), BTreeSet::from([header]))];
    'search: while let Some((path, seen)) = open.pop() {
        for &e in ts.locs[path.end].out.iter().rev() {
            let to = ts.edges[e].to;
            if to == header {
                found.push(path.then(ts, e));
            } else if body.contains(&to) && seen.contains(&to) {
                complete = false;
            } else if body.contains(&to) {
                let mut further = seen.clone();
                further.insert(to);
                open.push((path.then(ts, e), further));
            }
            if found.len() > most || open.len() > 4 * most || cx.out_of_time() {
                limited = true;
                break 'search;
            }
        }
    }
    found.truncate(most);
    found.sort_by_key(|p| (p.edges.len(), p.edges.clone()));
    Around { paths: found, complete: complete && !limited, limited }
}

/// Paths from a location to the next one of the headers, inside a body that has no cycle without a header; at most `most`.
pub(crate) fn between(
    ts: &TransitionSystem,
    cx: &EngineCx,
    from: LocId,
    heads: &BTreeSet<LocId>,
    body: &BTreeSet<LocId>,
    most: usize,
) -> Vec<SymbolicPath> {
    let mut found = Vec::new();
    let mut open = vec![SymbolicPath::at(ts, from)];
    while let Some(path) = open.pop() {
        for &e in ts.locs[path.end].out.iter().rev() {
            let to = ts.edges[e].to;
            if !body.contains(&to) || found.len() == most || cx.out_of_time() {
                continue;
            }
            let next = path.then(ts, e);
            if next.conditions.last() == Some(&ts.terms.ff()) {
                continue;
            }
            if heads.contains(&to) { found.push(next) } else { open.push(next) }
        }
    }
    found.sort_by_key(|p| (p.edges.len(), p.edges.clone()));
    found
}
