//! The search for a division of the states into cells under which a tuple of functions is found.
//!
//! Without cells first. Where that is stuck, the states are divided by a linear condition, the bounds are computed anew
//! for each cell, and the search is made again. Conditions that are tried: that a function which falls on all of the steps in
//! question, but has no bound, is below zero, which divides phases (Leike and Heizmann, Ben-Amram and Genaim); by how much a step changes a variable; what the
//! steps' guards say; then two of these.

use super::encode::Encoder;
use super::measure;
use super::model::{Model, Node, Predicate};
use super::relation::{Constraint, Relation};
use super::slim::slim;
use super::support::{Analysis, conditions};
use super::synth::{self, Bound, Function, Weights};
use crate::engine::Effort;
use lariat_ir::{LocId, Measure, Term};
use std::collections::BTreeMap;

/// A proof.
pub(crate) struct Found {
    /// The measures at the loop's cutpoints, in several forms; the one that says most comes first.
    pub measures: Vec<BTreeMap<LocId, Vec<Measure>>>,
    /// The invariants they rely on.
    pub invariants: BTreeMap<LocId, Term>,
}

/// How many phases are tried.
const MOST_PHASES: usize = 4;
/// How many of the conditions are tried in pairs.
const MOST_PAIRED: usize = 8;

/// Searches a proof.
pub(crate) fn search(
    encoder: &Encoder<'_>,
    analysis: &Analysis,
    cutpoints: &[LocId],
    bound: Bound,
    effort: Effort,
) -> Option<Found> {
    let most_conditions = effort.most(4, 24);
    let search = Search { encoder, analysis, cutpoints, bound };
    let stuck = match search.attempt(&analysis.model)? {
        Attempt::Done(found) => return Some(found),
        Attempt::Stuck(stuck) => stuck,
    };
    if let Some(found) = search.phases(&analysis.model, &stuck, MOST_PHASES) {
        return Some(found);
    }
    let mut candidates: Vec<Predicate> = Vec::new();
    let here = stuck.relations.iter().flat_map(conditions);
    for f in here.chain(analysis.forms.iter().cloned()) {
        if candidates.len() == most_conditions || !search.divides(&stuck.relations, &f) {
            continue;
        }
        let predicate: Predicate = cutpoints.iter().map(|c| (*c, f.clone())).collect();
        let opposite: Predicate = cutpoints.iter().map(|c| (*c, f.below_zero())).collect();
        if !candidates.contains(&predicate) && !candidates.contains(&opposite) {
            candidates.push(predicate);
        }
    }
    let mut divided = Vec::new();
    for p in &candidates {
        let model = analysis.model.divided(p, &encoder.clock);
        match search.attempt(&model)? {
            Attempt::Done(found) => return Some(found),
            Attempt::Stuck(stuck) => {
                if let Some(found) = search.phases(&model, &stuck, 1) {
                    return Some(found);
                }
            }
        }
        divided.push(model);
    }
    for (i, model) in divided.iter().enumerate().take(effort.most(0, MOST_PAIRED)) {
        for p in candidates.iter().take(MOST_PAIRED).skip(i + 1) {
            let model = model.divided(p, &encoder.clock);
            if let Attempt::Done(found) = search.attempt(&model)? {
                return Some(found);
            }
        }
    }
    None
}

struct Search<'a> {
    encoder: &'a Encoder<'a>,
    analysis: &'a Analysis,
    cutpoints: &'a [LocId],
    bound: Bound,
}

enum Attempt {
    Done(Found),
    Stuck(Stuck),
}

/// Where no further level was found.
struct Stuck {
    /// The steps, strengthened by the bounds; their ends are among `nodes`.
    relations: Vec<Relation>,
    /// The cutpoint of each node.
    nodes: Vec<LocId>,
}

impl Search<'_> {
    /// Bounds and then functions for a model; nothing if the time is up.
    fn attempt(&self, model: &Model) -> Option<Attempt> {
        if self.encoder.out_of_time() {
            return None;
        }
        let bounds = self.analysis.bounds(self.encoder, model)?;
        let strong = self.analysis.strengthened(model, &bounds);
        let (relations, kept) = strong.inside(self.cutpoints);
        let relations = slim(&relations, &self.encoder.clock);
        let dimensions = model.dimensions.len();
        let tuple = synth::lexicographic(kept.len(), dimensions, &relations, self.bound, &self.encoder.clock);
        let nodes: Vec<&Node> = kept.iter().map(|n| &model.nodes[*n]).collect();
        if tuple.stuck.is_empty() {
            // What is at least zero before it falls says how often it can fall.
            let bounded = synth::lexicographic(kept.len(), dimensions, &relations, Bound::Asked, &self.encoder.clock);
            let bounded = bounded.stuck.is_empty().then_some((&bounded.levels, Bound::Asked));
            let forms = bounded.into_iter().chain([(&tuple.levels, Bound::Free)]);
            let measures: Vec<_> = forms
                .filter_map(|(levels, b)| measure::measures(self.encoder, &model.dimensions, &nodes, levels, b))
                .collect();
            if measures.is_empty() {
                return Some(Attempt::Stuck(Stuck { relations: Vec::new(), nodes: Vec::new() }));
            }
            let mut invariants = self.analysis.invariants(self.encoder, model, &bounds);
            invariants.retain(|l, _| self.analysis.is_header(*l));
            return Some(Attempt::Done(Found { measures, invariants }));
        }
        Some(Attempt::Stuck(Stuck { relations: tuple.stuck, nodes: nodes.iter().map(|n| n.at).collect() }))
    }

    /// Whether some steps start where a function is at least zero, and some where it is not.
    fn divides(&self, relations: &[Relation], f: &Function) -> bool {
        let some = |f: &Function| {
            relations.iter().any(|r| {
                let form = r.function_before(&f.weights, &f.constant);
                r.with(Constraint::at_least_zero(form), &self.encoder.clock).is_some()
            })
        };
        some(f) && some(&f.below_zero())
    }

    /// Divides by a function that falls without a bound, as often as there is one.
    fn phases(&self, model: &Model, stuck: &Stuck, most: usize) -> Option<Found> {
        let mut model = model.clone();
        let mut relations = stuck.relations.clone();
        let mut nodes = stuck.nodes.clone();
        for _ in 0..most {
            let predicate = self.unbounded(&relations, &nodes, model.dimensions.len())?;
            model = model.divided(&predicate, &self.encoder.clock);
            match self.attempt(&model)? {
                Attempt::Done(found) => return Some(found),
                Attempt::Stuck(stuck) => (relations, nodes) = (stuck.relations, stuck.nodes),
            }
        }
        None
    }

    /// A function that rises on no step and falls on some, without a bound.
    fn unbounded(&self, relations: &[Relation], nodes: &[LocId], dimensions: usize) -> Option<Predicate> {
        let component = synth::components(nodes.len(), relations);
        let mut predicate = Predicate::new();
        for r in relations {
            let members: Vec<usize> = (0..nodes.len()).filter(|n| component[*n] == component[r.from]).collect();
            if members.iter().any(|m| predicate.iter().any(|(at, _)| *at == nodes[*m])) {
                continue;
            }
            let steps: Vec<&Relation> = relations
                .iter()
                .filter(|s| component[s.from] == component[r.from] && component[s.to] == component[r.from])
                .collect();
            let all: Vec<usize> = (0..steps.len()).collect();
            let found =
                synth::falling(&members, dimensions, &steps, &all, Bound::Free, Weights::Small, &self.encoder.clock);
            let Some((functions, _)) = found else { continue };
            let is_constant = |f: &Function| f.weights.iter().all(crate::lp::Rational::is_zero);
            for (m, f) in members.iter().zip(functions) {
                if !is_constant(&f) && !predicate.iter().any(|(at, _)| *at == nodes[*m]) {
                    predicate.push((nodes[*m], f));
                }
            }
        }
        (!predicate.is_empty()).then_some(predicate)
    }
}
