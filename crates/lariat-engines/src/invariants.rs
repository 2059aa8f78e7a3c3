//! Invariants by abstract interpretation.

use crate::board::Board;
use lariat_domains::Layer;
use lariat_ir::{LocId, LoopForest, Term, TransitionSystem};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;
use std::time::Instant;

/// Invariants at the headers of the loops.
///
/// The annotation of all locations is inductive; so is its part at the headers, since every step between two headers goes
/// through annotated locations.
pub(crate) struct Invariants(BTreeMap<LocId, Term>);

impl Invariants {
    /// Those of a system. The deadline counts for the first call.
    pub fn of(board: &Board, ts: &TransitionSystem, forest: &LoopForest, deadline: Instant) -> Rc<Self> {
        board.get_or_insert_with(|| {
            let mut options = lariat_domains::Options::new(Layer::Octagons);
            options.budget.deadline = Some(deadline);
            let found = lariat_domains::invariants(ts, forest, &options).terms(ts);
            let heads = forest.cutpoints();
            Self(found.into_iter().filter(|(l, _)| heads.contains(l)).collect())
        })
    }
}

impl Deref for Invariants {
    type Target = BTreeMap<LocId, Term>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
