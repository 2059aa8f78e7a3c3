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

/// Where the invariants of an attempt come from.
#[derive(Clone, Copy)]
enum Support {
    /// There are none.
    None,
    /// The abstract domains.
    Board,
    /// Those and bounds of linear forms.
    Templates,
    /// What is there already.
    Both,
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
    // What is known of the whole program costs more to find and to check, and most loops do without.
    for (support, splits) in [(Support::None, 0), (Support::Board, 0), (Support::Templates, 0), (Support::Both, 8)] {
        if cx.out_of_time() {
            return Err("the time was up".into());
        }
        match support {
            Support::None | Support::Both => {}
            Support::Board => invariants.clone_from(task.board.invariants(ts, task.forest, cx.deadline)),
            // Two annotations that are inductive are so together.
            Support::Templates => {
                for (l, more) in support::invariants(task, &encoder) {
                    let here = invariants.entry(l).or_insert(more);
                    if *here != more {
                        *here = ts.terms.and(*here, more);
                    }
                }
            }
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
            certificate: Certificate::Ranking {
                outline: Outline { invariants: invariants.clone(), inner: Vec::new() },
                measures,
            },
        });
    }
    Err("no tuple of linear functions falls on each of its steps".into())
}
