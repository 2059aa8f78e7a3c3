//! Ranking functions: lexicographic tuples of affine functions, over nested loops, in parts.
//!
//! The steps between cutpoints become linear relations (`paths`, `encode`, `case`, `relation`), tuples are found by linear
//! programs (`synth`), with invariants (`support`) and with the states divided into cells (`partition`, `model`), and are
//! written as measures (`measure`). Nothing here asks a solver: a relation contains every real step of its case,
//! so what falls on it falls. The checker shows that again, on the system itself.

pub(crate) mod case;
pub(crate) mod encode;
pub(crate) mod form;
pub(crate) mod measure;
pub(crate) mod model;
mod partition;
pub(crate) mod paths;
pub(crate) mod relation;
pub(crate) mod slim;
pub(crate) mod support;
pub(crate) mod synth;
#[cfg(test)]
mod tests;

use crate::engine::{Effort, Engine, EngineCx, Goal, NoClaim, Outcome, Task};
use crate::invariants::Invariants;
use crate::lp::Clock;
use crate::slice::{brought, slice};
use encode::Encoder;
use lariat_ir::{Certificate, Claim, LocId, Measure, Outline, Property, Sort, Term};
use model::{Model, Node};
use paths::{Detail, Region};
use slim::slim;
use std::collections::BTreeMap;
use std::time::Instant;
use support::Analysis;
use synth::Bound;

/// The engine. One tuple of linear functions decides most loops; cells, phases and invariants for each cell are a long search.
pub struct Ranking;

impl Engine for Ranking {
    fn name(&self) -> &'static str {
        "ranking"
    }
    fn pursues(&self, goal: Goal) -> bool {
        matches!(goal, Goal::Ends(_))
    }
    fn run(&self, task: &Task<'_>, cx: &mut EngineCx) -> Outcome {
        match on_slice(task, cx.deadline, &|view, known| search(view, cx.effort, cx.deadline, known)) {
            Ok(claims) => Outcome::Claims(claims),
            Err(reason) => Outcome::GaveUp(reason),
        }
    }
}

/// What the search for one tuple may cost, in numbers that linear programs touch.
const ONE_TUPLE: u64 = 4_000_000;
/// What the long search may cost, when it is to be brief.
const BRIEF: u64 = 150_000;

/// A search for proofs, given what is known at locations.
pub(crate) type SearchOn<'s> =
    dyn Fn(&Task<'_>, &dyn Fn() -> BTreeMap<LocId, Term>) -> Result<Vec<Proof>, NoClaim> + 's;

/// Claims that a loop ends, from a search on its slice.
pub(crate) fn on_slice(task: &Task<'_>, deadline: Instant, search: &SearchOn<'_>) -> Result<Vec<Claim>, NoClaim> {
    let ts = task.ts;
    let known = || Invariants::of(task.board, ts, task.forest, deadline);
    let proofs = match slice(ts, &task.this().body) {
        None => search(task, &|| BTreeMap::clone(&known()))?,
        Some(sliced) => {
            let there = |t: &Term| brought(&ts.terms, &sliced.terms, *t);
            let back = |t: &Term| brought(&sliced.terms, &ts.terms, *t);
            let known = || known().iter().map(|(l, t)| (*l, there(t))).collect();
            let mut proofs = search(&Task { ts: &sliced, ..*task }, &known)?;
            for (measures, invariants) in &mut proofs {
                for m in measures.values_mut().flatten() {
                    m.term = back(&m.term);
                }
                for t in invariants.values_mut() {
                    *t = back(t);
                }
            }
            proofs
        }
    };
    let claim = |(measures, invariants)| Claim {
        system: task.hash,
        property: Property::Terminates(task.this().header),
        when: ts.terms.tt(),
        certificate: Certificate::Ranking { outline: Outline { invariants, inner: Vec::new() }, measures },
    };
    Ok(proofs.into_iter().map(claim).collect())
}

/// Measures, and the invariants that they rely on.
pub(crate) type Proof = (BTreeMap<LocId, Vec<Measure>>, BTreeMap<LocId, Term>);

/// Proofs of which one is enough.
fn search(
    task: &Task<'_>,
    effort: Effort,
    deadline: Instant,
    known: &dyn Fn() -> BTreeMap<LocId, Term>,
) -> Result<Vec<Proof>, NoClaim> {
    let ts = task.ts;
    let this = task.this();
    let inner = task.forest.loops.entries().filter(|(id, _)| *id == task.id() || task.forest.is_inside(*id, task.id()));
    let cutpoints: Vec<LocId> = inner.map(|(_, l)| l.header).collect();
    let dimensions: Vec<Term> = paths::relevant(ts, &this.body).into_iter().collect();
    // Sums of bit-vectors have finitely many values: falling is enough.
    let finite = dimensions.iter().all(|d| ts.terms.sort(*d) != Sort::Int);
    let bound = if finite { Bound::Free } else { Bound::Asked };

    // Most loops need no invariants and no cases; many of the others only what the abstract domains find.
    let encoder = Encoder::new(ts, Clock::new(ONE_TUPLE, deadline));
    for supported in [false, true].into_iter().filter(|_| effort == Effort::Quick) {
        let invariants = if supported { known() } else { BTreeMap::new() };
        let region = Region {
            cutpoints: &cutpoints,
            cells: &[],
            body: &this.body,
            invariants: &invariants,
            dimensions: &dimensions,
        };
        let relations = paths::steps(&encoder, &region, Detail { splits: 0, most_steps: 200 })?;
        let relations = slim(&relations, &encoder.clock);
        let model = Model::new(dimensions.clone(), &cutpoints, Vec::new());
        let nodes: Vec<&Node> = model.nodes.iter().collect();
        // What is at least zero before it falls says how often it can fall.
        for bound in [Bound::Asked, Bound::Free].into_iter().filter(|b| finite || *b == Bound::Asked) {
            let found = synth::lexicographic(cutpoints.len(), dimensions.len(), &relations, bound, &encoder.clock);
            if !found.stuck.is_empty() {
                continue;
            }
            // The solver has it easier with the plain functions.
            let forms = [bound, Bound::Free].into_iter();
            let measures = forms.filter_map(|b| measure::measures(&encoder, &dimensions, &nodes, &found.levels, b));
            let mut proofs: Vec<Proof> = measures.map(|m| (m, invariants.clone())).collect();
            proofs.dedup();
            if !proofs.is_empty() {
                return Ok(proofs);
            }
        }
    }
    if effort == Effort::Quick {
        return Err("no tuple of linear functions falls on each of its steps".into());
    }
    let encoder = Encoder::new(ts, Clock::new(effort.most(BRIEF, u64::MAX), deadline));
    let Some(analysis) = Analysis::new(task, &encoder, &known()) else {
        return Err("it has too many steps between cutpoints".into());
    };
    match partition::search(&encoder, &analysis, &cutpoints, bound, effort) {
        Some(found) => Ok(found.measures.into_iter().map(|m| (m, found.invariants.clone())).collect()),
        None if Instant::now() >= deadline => Err(NoClaim::out_of_time()),
        None => Err("no tuple of functions that are linear in few parts falls on each of its steps".into()),
    }
}
