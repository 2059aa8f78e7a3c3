//! Ranking functions.

mod case;
mod encode;
mod form;
mod measure;
mod paths;
mod relation;
mod support;
mod synth;

use crate::engine::{Applies, Engine, EngineCx, Outcome, Task};
use encode::Encoder;
use lariat_ir::{Certificate, Claim, LocId, Outline, Property, Proves, Sort, Term};
use paths::{Detail, Region};
use synth::Bound;
use std::collections::BTreeMap;

/// The engine.
pub struct Ranking;

impl Engine for Ranking {
    fn name(&self) -> &'static str {
        "ranking"
    }
    fn cost(&self) -> u32 {
        20
    }
    fn applies(&self, task: &Task<'_>) -> Applies {
        if task.ts.proves == Proves::Diverges {
            return Applies::No("the system can only show that loops run for ever".into());
        }
        Applies::Yes
    }
    fn run(&self, task: &Task<'_>, cx: &mut EngineCx) -> Outcome {
        match prove(task, cx) {
            Ok(claim) => Outcome::Claims(vec![claim]),
            Err(reason) => Outcome::GaveUp(reason),
        }
    }
}

fn prove(task: &Task<'_>, cx: &EngineCx) -> Result<Claim, String> {
    let ts = task.ts;
    let this = task.this();
    let inner = task.forest.loops.entries().filter(|(id, _)| *id == task.id || task.forest.is_inside(*id, task.id));
    let cutpoints: Vec<LocId> = inner.map(|(_, l)| l.header).collect();
    let dimensions: Vec<Term> = paths::relevant(ts, &this.body).into_iter().map(|v| ts.vars[v].term).collect();
    let encoder = Encoder::new(ts, cx.deadline);
    // Sums of bit-vectors have finitely many values: falling is enough.
    let finite = dimensions.iter().all(|d| ts.terms.sort(*d) != Sort::Int);
    let bound = if finite { Bound::Free } else { Bound::Asked };
    let mut invariants: BTreeMap<LocId, Term> = BTreeMap::new();
    let stages = [(false, 0), (true, 0), (true, 8)];
    for (with_invariants, splits) in stages {
        if cx.out_of_time() {
            return Err("the time was up".into());
        }
        if with_invariants && splits == 0 {
            invariants = support::invariants(task, &encoder);
        }
        let region =
            Region { cutpoints: &cutpoints, body: &this.body, invariants: &invariants, dimensions: &dimensions };
        let relations = paths::steps(&encoder, &region, Detail { splits, most_steps: 300 })?;
        let found = synth::lexicographic(cutpoints.len(), dimensions.len(), &relations, bound, cx.deadline);
        if !found.stuck.is_empty() {
            continue;
        }
        let Some(measures) = measure::measures(ts, &encoder, &cutpoints, &dimensions, &found.levels) else { continue };
        return Ok(Claim {
            system: task.hash,
            property: Property::Terminates(this.header),
            when: ts.terms.tt(),
            certificate: Certificate::Ranking { outline: Outline { invariants, inner: Vec::new() }, measures },
        });
    }
    Err("no tuple of linear functions falls on each of its steps".into())
}
