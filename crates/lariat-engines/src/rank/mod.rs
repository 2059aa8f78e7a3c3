//! Ranking functions: lexicographic tuples of affine functions, over nested loops, in parts.
//!
//! The steps between cutpoints become linear relations (`paths`, `encode`, `case`, `relation`), tuples are found by linear
//! programs (`synth`), with invariants (`support`) and with the states divided into cells (`partition`, `model`), and are
//! written as measures (`measure`). Nothing here asks a solver: a relation contains every real step of its case,
//! so what falls on it falls. The checker shows that again, on the system itself.

mod case;
mod encode;
mod form;
mod measure;
mod model;
mod partition;
mod paths;
mod relation;
mod slim;
mod support;
mod synth;
#[cfg(test)]
mod tests;

use crate::engine::{Applies, Engine, EngineCx, Outcome, Task};
use encode::Encoder;
use lariat_ir::{Certificate, Claim, LocId, Outline, Property, Proves, Sort, Term};
use model::{Model, Node};
use paths::{Detail, Region};
use slim::slim;
use std::collections::BTreeMap;
use std::time::Instant;
use support::Analysis;
use synth::Bound;

/// The engine.
///
/// It comes twice in the portfolio. What is quick decides most loops; cells, phases and invariants for each cell are a long search,
/// for which the loops that can be shown to run for ever should not wait.
pub struct Ranking {
    deep: bool,
}

impl Ranking {
    /// One tuple of linear functions, with what the abstract domains know.
    pub const QUICK: Self = Self { deep: false };
    /// Everything else.
    pub const DEEP: Self = Self { deep: true };
}

impl Engine for Ranking {
    fn name(&self) -> &'static str {
        "ranking"
    }
    fn cost(&self) -> u32 {
        if self.deep { 40 } else { 20 }
    }
    fn applies(&self, task: &Task<'_>) -> Applies {
        if task.ts.proves == Proves::Diverges {
            return Applies::Elsewhere;
        }
        Applies::Yes
    }
    fn run(&self, task: &Task<'_>, cx: &mut EngineCx) -> Outcome {
        match prove(task, cx, self.deep) {
            Ok(claim) => Outcome::Claims(vec![claim]),
            Err(reason) => Outcome::GaveUp(reason),
        }
    }
}

fn prove(task: &Task<'_>, cx: &EngineCx, deep: bool) -> Result<Claim, String> {
    let ts = task.ts;
    let this = task.this();
    let inner = task.forest.loops.entries().filter(|(id, _)| *id == task.id || task.forest.is_inside(*id, task.id));
    let cutpoints: Vec<LocId> = inner.map(|(_, l)| l.header).collect();
    let dimensions: Vec<Term> = paths::relevant(ts, &this.body).into_iter().collect();
    // Other engines want to look at this loop and at the next ones, too.
    let now = Instant::now();
    let deadline = now + cx.deadline.saturating_duration_since(now) / 2;
    let encoder = Encoder::new(ts, deadline);
    // Sums of bit-vectors have finitely many values: falling is enough.
    let finite = dimensions.iter().all(|d| ts.terms.sort(*d) != Sort::Int);
    let bound = if finite { Bound::Free } else { Bound::Asked };
    let claim = |measures, invariants| Claim {
        system: task.hash,
        property: Property::Terminates(this.header),
        when: ts.terms.tt(),
        certificate: Certificate::Ranking { outline: Outline { invariants, inner: Vec::new() }, measures },
    };

    // Most loops need no invariants and no cases; many of the others only what the abstract domains find.
    let nothing = BTreeMap::new();
    for supported in [false, true].into_iter().filter(|_| !deep) {
        let invariants = if supported { task.board.invariants(ts, task.forest, deadline) } else { &nothing };
        let region = Region { cutpoints: &cutpoints, body: &this.body, invariants, dimensions: &dimensions };
        let relations = paths::steps(&encoder, &region, Detail { splits: 0, most_steps: 200 })?;
        let relations = slim(&relations, deadline);
        let model = Model::new(dimensions.clone(), &cutpoints, Vec::new());
        let found = synth::lexicographic(cutpoints.len(), dimensions.len(), &relations, bound, deadline);
        if found.stuck.is_empty() {
            let nodes: Vec<&Node> = model.nodes.iter().collect();
            if let Some(measures) = measure::measures(&encoder, &dimensions, &nodes, &found.levels) {
                return Ok(claim(measures, invariants.clone()));
            }
        }
    }
    if !deep {
        return Err("no tuple of linear functions falls on each of its steps".into());
    }
    let known = task.board.invariants(ts, task.forest, deadline);
    let Some(analysis) = Analysis::new(task, &encoder, known) else {
        return Err("it has too many steps between cutpoints".into());
    };
    match partition::search(&encoder, &analysis, &cutpoints, bound) {
        Some(found) => Ok(claim(found.measures, found.invariants)),
        None if encoder.out_of_time() => Err("the time was up".into()),
        None => Err("no tuple of functions that are linear in few parts falls on each of its steps".into()),
    }
}
