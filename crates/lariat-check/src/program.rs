//! `Program`: the verdict of the whole system from what was proved of its loops.
//!
//! Every infinite run stays, from some point on, in one outermost loop (the argument is in `lariat_ir::loops`). So when
//! each outermost loop ends for all initial states in question, and the system leaves nothing open that its loops do
//! not cover, every run ends. One loop that runs for ever is an infinite run of the program.

use crate::prover::Prover;
use crate::rejection::{Condition, Rejection};
use crate::verify::System;
use crate::{Proved, admissible};
use lariat_ir::{AssumptionId, Certificate, Claim, LocId, Property, Term};
use lariat_smt::{DirectSolver, Limit};
use std::collections::BTreeSet;

/// Concludes a verdict for the initial states of `when` from what was proved about loops of the same system.
pub fn conclude(
    system: &System<'_>,
    property: Property,
    when: Term,
    parts: &[Proved],
    solver: &mut dyn DirectSolver,
    limit: Limit,
) -> Result<Proved, Rejection> {
    let ts = system.ts();
    let mut prover = Prover::new(system, solver, limit);
    let claim = |used: &[&Proved]| Claim {
        system: system.hash(),
        property,
        when,
        certificate: Certificate::Program { parts: used.iter().map(|p| p.claim.clone()).collect() },
    };
    admissible(system, &claim(&[]))?;
    for p in parts {
        if p.of != system.serial() {
            let message = "a part was proved about another copy of the system: its terms mean something else here";
            return Err(Rejection::new(Condition::OtherSystem, message));
        }
        admissible(system, &p.claim)?;
    }
    match property {
        Property::ProgramTerminates => {
            if let Some(o) = ts.obligations.first() {
                return Err(Rejection::new(Condition::OpenObligation, o.text.clone()));
            }
            let mut used = Vec::new();
            for l in system.forest().outermost() {
                let header = system.forest().loops[l].header;
                used.push(covering(&mut prover, header, when, parts)?);
            }
            // Without loops every run ends, and rests on every edge all the same.
            let assumptions = crate::all_assumptions(system);
            Ok(Proved::new(system, claim(&used), assumptions))
        }
        Property::ProgramDiverges => {
            let Some(p) =
                parts.iter().find(|p| matches!(p.claim.property, Property::Diverges(_)) && p.claim.when == when)
            else {
                let message = "no part shows that a loop runs for ever from these initial states";
                return Err(Rejection::new(Condition::OtherInitialStates, message));
            };
            let assumptions: BTreeSet<AssumptionId> = p.assumptions.clone();
            Ok(Proved::new(system, claim(&[p]), assumptions))
        }
        _ => Err(Rejection::new(Condition::KindDoesNotFit, "a program's verdict is that it terminates or diverges")),
    }
}

/// A part that shows that the loop at `header` ends for all initial states of `when`.
fn covering<'p>(
    prover: &mut Prover<'_, '_>,
    header: LocId,
    when: Term,
    parts: &'p [Proved],
) -> Result<&'p Proved, Rejection> {
    let ts = prover.ts();
    let mut why = Rejection::new(Condition::LoopNotCovered, format!("the loop at `{}`", ts.locs[header].name));
    for p in parts.iter().filter(|p| p.claim.property == Property::Terminates(header)) {
        if p.claim.when == when {
            return Ok(p);
        }
        let covers = prover.show(&[when, ts.init], p.claim.when, Condition::OtherInitialStates, || {
            format!("the proof for the loop at `{}`", ts.locs[header].name)
        });
        match covers {
            Ok(()) => return Ok(p),
            // What the solver did not answer is not refuted, whatever becomes of the other parts.
            Err(_) if why.condition == Condition::SolverUnknown => {}
            Err(r) => why = r,
        }
    }
    Err(why)
}
