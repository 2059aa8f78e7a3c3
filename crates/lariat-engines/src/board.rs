//! What is found once for a system and used by every engine on every loop.

use crate::orbit::Lassos;
use lariat_ir::{LocId, Role, Term, TransitionSystem, VarId};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Shared findings. Nothing on it is believed by the checker: what a claim uses of it, its certificate shows.
#[derive(Default)]
pub struct Board {
    lassos: OnceCell<Lassos>,
}

impl Board {
    /// The runs that repeat; `hunt` finds them at the first call.
    pub(crate) fn lassos(&self, hunt: impl FnOnce() -> Lassos) -> &Lassos {
        self.lassos.get_or_init(hunt)
    }
}

/// The variables that the guards of a region depend on, closed under dependence through its edges.
pub(crate) fn relevant(ts: &TransitionSystem, region: &BTreeSet<LocId>) -> BTreeSet<VarId> {
    let edges: Vec<_> = ts.edges.iter().filter(|e| region.contains(&e.from)).collect();
    let mut found: BTreeSet<VarId> = BTreeSet::new();
    let mut open: Vec<Term> = edges.iter().map(|e| e.guard).collect();
    while let Some(t) = open.pop() {
        for s in ts.terms.symbols(t) {
            if let Some(Role::Var(v)) = ts.terms.role(s)
                && found.insert(v)
            {
                let inner = edges.iter().filter(|e| region.contains(&e.to));
                open.extend(inner.flat_map(|e| &e.updates).filter(|(w, _)| *w == v).map(|(_, new)| *new));
            }
        }
    }
    found
}
