//! What is found once for a system and used by every engine on every loop.

use crate::engine::Effort;
use crate::orbit::Lassos;
use lariat_domains::Layer;
use lariat_ir::{LocId, LoopForest, Role, Term, TransitionSystem, VarId};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Shared findings. Nothing on it is believed by the checker: what a claim uses of it, its certificate shows.
#[derive(Default)]
pub struct Board {
    lassos: [OnceCell<Lassos>; 3],
    invariants: OnceCell<BTreeMap<LocId, Term>>,
}

impl Board {
    /// The runs that repeat, as far as this effort goes; `hunt` finds them at the first call.
    pub(crate) fn lassos(&self, effort: Effort, hunt: impl FnOnce() -> Lassos) -> &Lassos {
        self.lassos[effort as usize].get_or_init(hunt)
    }

    /// What holds at the heads of the loops in every run, as an abstract interpretation finds it at the first call.
    ///
    /// The annotation of all locations is inductive; so is its part at the heads, since every step between two heads goes
    /// through annotated locations.
    pub(crate) fn invariants(
        &self,
        ts: &TransitionSystem,
        forest: &LoopForest,
        deadline: Instant,
    ) -> &BTreeMap<LocId, Term> {
        self.invariants.get_or_init(|| {
            let mut options = lariat_domains::Options::new(Layer::Octagons);
            options.budget.deadline = Some(deadline);
            let found = lariat_domains::invariants(ts, forest, &options).terms(ts);
            let heads = forest.cutpoints();
            found.into_iter().filter(|(l, _)| heads.contains(l)).collect()
        })
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
