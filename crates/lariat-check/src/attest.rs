//! `AbstractCycle`: attested, never proved.
//!
//! Only the abstract domain that made the cycle can say that each abstract state is left by all its members for the
//! next one. The checker does not know the domain, so it looks at what it can: that the cycle is one of the system and
//! that no abstract state is empty. The result is printed as attested and not counted as decided.

use crate::prover::Prover;
use crate::rejection::{Condition, Rejection};
use crate::verify::System;
use crate::{admissible, loop_at, state_term};
use lariat_ir::{Certificate, Claim, Property};
use lariat_smt::{DirectSolver, Limit};

/// A cycle that its own domain vouches for.
#[derive(Clone, Debug)]
pub struct Attested {
    claim: Claim,
}

impl Attested {
    /// What is attested.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }
}

/// Looks at an abstract cycle.
pub fn attest(
    system: &System<'_>,
    claim: &Claim,
    solver: &mut dyn DirectSolver,
    limit: Limit,
) -> Result<Attested, Rejection> {
    let ts = system.ts();
    let mut prover = Prover::new(system, solver, limit);
    admissible(system, claim)?;
    let (Certificate::AbstractCycle { states, edges, .. }, Property::Diverges(header)) =
        (&claim.certificate, claim.property)
    else {
        let message = "only a claim that a loop runs for ever, by an abstract cycle, is attested";
        return Err(Rejection::new(Condition::KindDoesNotFit, message));
    };
    let body = &system.forest().loops[loop_at(system, header)?].body;
    if edges.is_empty() || edges.len() != states.len() {
        return Err(Rejection::new(Condition::EmptyCycle, "it needs as many edges as states, and at least one"));
    }
    for (i, (l, t)) in states.iter().enumerate() {
        let name = &ts.locs[*l].name;
        state_term(system, *t, "an abstract state")?;
        let edge = &ts.edges[edges[i]];
        if edge.from != *l || edge.to != states[(i + 1) % states.len()].0 {
            return Err(Rejection::new(Condition::StepsNotConnected, format!("the edge from `{name}`")));
        }
        if !body.contains(l) {
            return Err(Rejection::new(Condition::LeavesLoop, format!("`{name}`")));
        }
        if prover.refute(&[*t, edge.guard], ts.terms.ff())?.is_none() {
            let message = format!("no state of the abstract state at `{name}` takes the edge");
            return Err(Rejection::new(Condition::PathNotEnabled, message));
        }
    }
    Ok(Attested { claim: claim.clone() })
}
