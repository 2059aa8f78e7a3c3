//! The independent certificate checker: the only place where a claim becomes [`Proved`].
//!
//! It shares no code with any search: a certificate brings everything that had to be found, and here it is only
//! checked, on the whole system, on raw terms, with a solver of its own. Each rule stands beside the argument why it is
//! sound:
//!
//! | certificate | module | establishes |
//! | --- | --- | --- |
//! | Inductive, Unreachable | [`invariants`](mod@invariants) | what holds at locations |
//! | Ranking, `TransitionInvariant` | [`termination`](mod@termination) | no run stays in a loop for ever |
//! | Orbit | [`orbit`](mod@orbit) | a concrete run that repeats, whatever the environment does |
//! | `RecurrentSet` | [`recurrent`](mod@recurrent) | states a run can be kept in |
//! | Program | [`program`](mod@program) | the verdict of the whole system |
//! | none of its own | [`compose`](mod@compose) | the verdict on a loop of the source, from several systems |
//! | `AbstractCycle` | [`attest`](mod@attest) | nothing that counts: it becomes [`Attested`] |
//!
//! What all of them rest on is the [`System`]: its guards are total and disjoint ([`verify`]).
//!
//! The solver is a [`DirectSolver`]: it is asked about the terms themselves, so that no rewriting of questions is trusted. The one
//! that searches, which puts words to integers, is not taken:
//!
//! ```compile_fail,E0277
//! # let ts = lariat_ir::TransitionSystem::new("empty", lariat_ir::Integers::Wrap);
//! use lariat_check::System;
//! use lariat_smt::{Limit, Z3Solver};
//! let _ = System::verify(&ts, &mut Z3Solver::new(), Limit::default());
//! ```
//!
//! ```
//! # let ts = lariat_ir::TransitionSystem::new("empty", lariat_ir::Integers::Wrap);
//! use lariat_check::System;
//! use lariat_smt::{Limit, Z3Solver};
//! let _ = System::verify(&ts, &mut Z3Solver::new().direct(), Limit::default());
//! ```

pub mod attest;
pub mod compose;
pub mod invariants;
pub mod orbit;
pub mod program;
mod prover;
pub mod recurrent;
mod rejection;
mod segments;
mod taint;
pub mod termination;
pub mod verify;
pub mod view;

pub use attest::Attested;
pub use rejection::{Condition, Rejection};
pub use verify::{System, SystemDefect};

use lariat_ir::{AssumptionId, Certificate, Claim, LocId, LoopId, Property, Proves, Role, Sort, Term};
use lariat_smt::{DirectSolver, Limit};
use prover::Prover;
use std::collections::BTreeSet;

/// A claim that was checked. There is no other way to make one than [`check`] and [`program::conclude`].
#[derive(Clone, Debug)]
pub struct Proved {
    claim: Claim,
    assumptions: BTreeSet<AssumptionId>,
    /// Whether it was proved of all initial states.
    always: bool,
    /// The serial number of the system that the claim's terms belong to.
    of: u64,
}

impl Proved {
    fn new(system: &System<'_>, claim: Claim, assumptions: BTreeSet<AssumptionId>) -> Self {
        let always = claim.when == system.ts().terms.tt();
        Self { claim, assumptions, always, of: system.serial() }
    }
    /// What was proved.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }
    /// What the proof rests on: the assumptions of every edge that it may have used.
    pub fn assumptions(&self) -> &BTreeSet<AssumptionId> {
        &self.assumptions
    }
}

/// Checks a claim about a system.
///
/// # Panics
/// If something is asserted in the solver: whatever it is, it would be a premise of the proof.
pub fn check(
    system: &System<'_>,
    claim: &Claim,
    solver: &mut dyn DirectSolver,
    limit: Limit,
) -> Result<Proved, Rejection> {
    let mut prover = Prover::new(system, solver, limit);
    admissible(system, claim)?;
    let mut used = match (&claim.certificate, claim.property) {
        (Certificate::Ranking { outline, measures }, Property::Terminates(h)) => {
            termination::ranking(&mut prover, claim, h, outline, measures)?
        }
        (Certificate::TransitionInvariant { outline, disjuncts }, Property::Terminates(h)) => {
            termination::transition_invariant(&mut prover, claim, h, outline, disjuncts)?
        }
        (Certificate::Orbit { start, stem, cycle, same }, Property::Diverges(h)) => {
            orbit::orbit(&prover, claim, h, start, stem, cycle, same)?
        }
        (Certificate::RecurrentSet { start, stem, set, arms }, Property::Diverges(h)) => {
            recurrent::recurrent_set(&mut prover, claim, h, start, stem, set, arms)?
        }
        (Certificate::Inductive { invariants }, Property::Holds) => {
            invariants::inductive(&mut prover, claim.when, invariants)?;
            all_assumptions(system)
        }
        (Certificate::Unreachable { invariants }, Property::Unreachable(l)) => {
            invariants::unreachable(&mut prover, claim.when, invariants, l)?;
            all_assumptions(system)
        }
        (Certificate::Program { parts }, Property::ProgramTerminates | Property::ProgramDiverges) => {
            let mut proved = Vec::new();
            for part in parts {
                if matches!(part.certificate, Certificate::Program { .. }) {
                    return Err(Rejection::new(
                        Condition::KindDoesNotFit,
                        "a program's parts are claims about its loops",
                    ));
                }
                proved.push(check(system, part, prover.solver, limit)?);
            }
            return program::conclude(system, claim.property, claim.when, &proved, prover.solver, limit);
        }
        (Certificate::AbstractCycle { .. }, _) => {
            return Err(Rejection::new(
                Condition::OnlyAttested,
                "an abstract cycle is checked with its own domain only and is never proved",
            ));
        }
        (certificate, property) => {
            let message = format!("a {} certificate cannot show {}", certificate.kind(), words(system, property));
            return Err(Rejection::new(Condition::KindDoesNotFit, message));
        }
    };
    used.extend(general_assumptions(system));
    Ok(Proved::new(system, claim.clone(), used))
}

/// Shows that a condition holds in every initial state: a claim for the states of such a `when` is one for all of them.
///
/// # Panics
/// If something is asserted in the solver.
pub fn holds_initially(
    system: &System<'_>,
    when: Term,
    solver: &mut dyn DirectSolver,
    limit: Limit,
) -> Result<(), Rejection> {
    let mut prover = Prover::new(system, solver, limit);
    state_term(system, when, "`when`")?;
    let init = system.ts().init;
    prover.show(&[init], when, Condition::OtherInitialStates, || "an initial state is outside `when`".to_owned())
}

/// What must hold of any claim before its certificate is looked at.
fn admissible(system: &System<'_>, claim: &Claim) -> Result<(), Rejection> {
    let ts = system.ts();
    if claim.system != system.hash() {
        let message = format!("the certificate is for the system {}, this is {}", claim.system, system.hash());
        return Err(Rejection::new(Condition::OtherSystem, message));
    }
    let allowed = match claim.property {
        Property::Terminates(_) | Property::ProgramTerminates => ts.proves != Proves::Diverges,
        Property::Diverges(_) | Property::ProgramDiverges => ts.proves != Proves::Terminates,
        // A fact is used inside proofs about this same system; it carries no verdict.
        Property::Holds | Property::Unreachable(_) => true,
    };
    if !allowed {
        let message = "this system was made for the other verdict: in the semantics `c` each has a system of its own";
        return Err(Rejection::new(Condition::OtherVerdict, message));
    }
    state_term(system, claim.when, "`when`")
}

/// A truth value over the present values of the variables.
pub(crate) fn state_term(system: &System<'_>, t: Term, what: &str) -> Result<(), Rejection> {
    well_formed(system, t, what, Some(Sort::Bool), false)
}

/// A term of a certificate mentions variables, and old values where it is a relation, and nothing else: an unknown in it
/// would be a value that nobody chose.
pub(crate) fn well_formed(
    system: &System<'_>,
    t: Term,
    what: &str,
    sort: Option<Sort>,
    relation: bool,
) -> Result<(), Rejection> {
    let ts = system.ts();
    let bad = |message: String| Err(Rejection::new(Condition::IllFormedTerm, message));
    if let Some(sort) = sort
        && ts.terms.sort(t) != sort
    {
        return bad(format!("{what} has the sort {}, not {sort}", ts.terms.sort(t)));
    }
    for s in ts.terms.symbols(t) {
        match ts.terms.role(s) {
            Some(Role::Var(_)) => {}
            Some(Role::Old(_)) if relation => {}
            _ => return bad(format!("{what} mentions `{}`, which is no variable", lariat_ir::lts::print_term(ts, s))),
        }
    }
    Ok(())
}

/// The loop with this header.
pub(crate) fn loop_at(system: &System<'_>, header: LocId) -> Result<LoopId, Rejection> {
    system.forest().with_header(header).ok_or_else(|| {
        let name = &system.ts().locs[header].name;
        Rejection::new(Condition::NoSuchLoop, format!("`{name}` is no loop's header"))
    })
}

/// A termination proof speaks of every run, so it rests on every edge.
pub(crate) fn all_assumptions(system: &System<'_>) -> BTreeSet<AssumptionId> {
    system.ts().assumptions.ids().collect()
}

/// The assumptions that no edge names, such as those for which an edge was left out: every proof rests on them.
fn general_assumptions(system: &System<'_>) -> BTreeSet<AssumptionId> {
    let named: BTreeSet<AssumptionId> = system.ts().edges.iter().flat_map(|e| e.assumes.iter().copied()).collect();
    &all_assumptions(system) - &named
}

fn words(system: &System<'_>, property: Property) -> String {
    let name = |l: LocId| &system.ts().locs[l].name;
    match property {
        Property::Terminates(l) => format!("that the loop at `{}` ends", name(l)),
        Property::Diverges(l) => format!("that the loop at `{}` can run for ever", name(l)),
        Property::Holds => "an invariant".into(),
        Property::Unreachable(l) => format!("that `{}` is unreachable", name(l)),
        Property::ProgramTerminates => "that the program ends".into(),
        Property::ProgramDiverges => "that the program can run for ever".into(),
    }
}
