//! What an abstract domain is.

use crate::space::Space;
use lariat_ir::{EdgeId, Term, VarId};

/// How hard a widening jumps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Jump {
    /// To the next constant of the system.
    Threshold,
    /// To infinity.
    Infinity,
    /// Away with everything that still moves: the last resort, after which a location changes no more than it has parts.
    Forget,
}

/// Sets of states of a system, described in a way that can be computed with.
///
/// Every operation over-approximates: the set it gives holds at least the states that the operation gives concretely. What an
/// element says is [`AbstractDomain::meaning`], exactly: so an annotation of locations by elements that the steps keep is an annotation by terms that
/// they keep.
pub trait AbstractDomain: Clone {
    /// All states.
    fn top(space: &Space<'_>) -> Self;
    /// No state.
    fn bottom(space: &Space<'_>) -> Self;
    /// Whether there is surely no state.
    fn is_bottom(&self) -> bool;
    /// Whether every state is one of the other. A false answer says nothing.
    fn leq(&self, other: &Self) -> bool;
    /// Holds the states of both.
    fn join(&self, other: &Self) -> Self;
    /// Holds the states that both have, and perhaps more.
    fn meet(&self, other: &Self) -> Self;
    /// Holds the states of both; a chain of widenings changes finitely often.
    fn widen(&self, space: &Space<'_>, next: &Self, jump: Jump) -> Self;
    /// Keeps the states in which a truth value over the variables holds.
    fn assume(&mut self, space: &Space<'_>, guard: Term);
    /// Gives variables new values, all at once; the terms are over the variables and over unknowns, which may be anything that they can be.
    fn assign(&mut self, space: &Space<'_>, updates: &[(VarId, Term)]);
    /// The states after an edge.
    fn post(&self, space: &Space<'_>, edge: EdgeId) -> Self {
        let mut out = self.clone();
        out.assume(space, space.system().edges[edge].guard);
        out.assign(space, &space.system().edges[edge].updates);
        out
    }
    /// A set within this one that holds the states which both have, and can be said as a term.
    fn refine(&self, space: &Space<'_>, with: &Self) -> Self;
    /// Drops what no term expresses.
    fn keep_expressible(&mut self, space: &Space<'_>);
    /// The element as a term over the variables; nothing if it says nothing.
    fn meaning(&self, space: &Space<'_>) -> Option<Term>;
    /// A part of what the other says that this element does not imply.
    fn why_not_leq(&self, space: &Space<'_>, other: &Self) -> Option<Term>;
}
