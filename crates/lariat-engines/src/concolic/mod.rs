//! Looper: from iterations that were observed in a running program to a proof that it never leaves its loop.
//!
//! The iterations are given as guards and changes over cells ([`Observed`]). Only the cells that guards depend on, directly or
//! through changes, matter. Three ways to close, the cheapest first:
//!
//! 1. The relevant cells have at some header the values that they had at an earlier one: an orbit, without a solver.
//! 2. The iterations repeat in a fixed order: one location for each of them, with an invariant of its own.
//! 3. There are few different iterations, in whatever order: one location, one invariant.
//!
//! Invariants have the forms `x == n`, `x <= n`, `x >= n` and `x == y`, read off the observed values; those that an iteration
//! does not keep are dropped, together with those that needed them, until the rest is kept. They are part of the set, and the
//! checker shows again that they are kept.
//!
//! Where that fails because a counter that only grows would wrap, the loop is infinite only with unbounded integers: that is no
//! proof, and is told apart.

mod close;
mod system;

use lariat_ir::fast::FastSet;
use lariat_ir::observed::{FreshOrigin, Observed};
use lariat_ir::{Assumption, Claim, LocId, Term, TransitionSystem};
use std::time::Instant;

/// A system made of iterations, and why it runs for ever. Nothing is proved before the checker has accepted the claim.
#[derive(Debug)]
pub struct Closed {
    /// The system.
    pub ts: TransitionSystem,
    /// The claim.
    pub claim: Claim,
    /// The header of the loop.
    pub header: LocId,
    /// The cells that matter, in the order of the system's variables.
    pub relevant: Vec<usize>,
    /// The number of locations: how many iterations make a round.
    pub period: usize,
    /// The invariant at the header, for a reader: over the system's variables.
    pub invariant: Vec<Term>,
}

/// A counter that only grows, or only falls, and keeps the loop going until it wraps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The cell.
    pub cell: usize,
    /// What is added in each iteration, as a signed number.
    pub step: i128,
    /// How many iterations there are before it wraps.
    pub iterations: u128,
    /// Whether it was read as a signed number.
    pub signed: bool,
}

/// What came out.
#[derive(Debug)]
pub enum Conclusion {
    /// The iterations close.
    Closed(Box<Closed>),
    /// They would if these counters did not wrap.
    Unbounded(Vec<Counter>),
    /// They do not, or it was not found out how.
    Open {
        /// In words.
        reason: String,
        /// A state after which no observed iteration follows, by cell.
        leaves: Vec<(usize, u128)>,
        /// What leaves it open.
        cause: OpenCause,
    },
}

/// What leaves it open whether observed iterations go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenCause {
    /// A value decides it that nobody can foretell: more iterations would change nothing about that.
    Fresh(FreshOrigin),
    /// Another way is possible, as far as was found out.
    AnotherWay,
}

/// Tries to close observed iterations. The assumptions are what the observation rests on.
pub fn close(observed: &Observed, assumptions: &[Assumption], until: Instant) -> Conclusion {
    let relevant = match relevant(observed) {
        Ok(cells) => cells,
        Err(origin) => {
            let reason = format!("the way it takes depends on {origin}");
            return Conclusion::Open { reason, leaves: Vec::new(), cause: OpenCause::Fresh(origin) };
        }
    };
    close::Search { observed, relevant, assumptions, until }.run()
}

/// The cells that guards depend on; or where a fresh value comes from that a guard depends on directly.
fn relevant(o: &Observed) -> Result<Vec<usize>, FreshOrigin> {
    let of_symbol = |t: Term| o.cells.iter().position(|c| c.term == t);
    let mut wanted: FastSet<usize> = FastSet::default();
    let mut open: Vec<Term> = o.iterations.iter().flat_map(|i| i.guards.iter().copied()).collect();
    for g in &open {
        for s in o.terms.symbols(*g) {
            if let Some(f) = o.fresh.iter().find(|f| f.term == s) {
                return Err(f.origin);
            }
        }
    }
    while !open.is_empty() {
        let mut found = Vec::new();
        for s in o.terms.reachable(&open) {
            if let Some(n) = of_symbol(s)
                && wanted.insert(n)
            {
                found.push(n);
            }
        }
        open = o
            .iterations
            .iter()
            .flat_map(|i| i.changes.iter().filter(|(n, _)| found.contains(n)).map(|(_, t)| *t))
            .collect();
    }
    let mut all: Vec<usize> = wanted.into_iter().collect();
    all.sort_unstable();
    Ok(all)
}
