//! That every run through the automaton ends: the order in which it is reduced is a lexicographic ranking.
//!
//! Nodes are the cells of the automaton, and for each header the rest of its states; steps are listed from cell to cell, with
//! everything that the conditions at both ends say (`rank::paths`), so that every real step lies in a relation. On these
//! nodes:
//!
//! * Steps between different components fall in a number for each component: Theorem 1's order of an acyclic automaton.
//! * A component of one cell must fall by a function of its own: the cell is marked T.
//! * In a component of several, a function that rises on no step of it and falls, bounded below, on those of some cell, makes
//!   this cell a *pivot* (Definition 3.5 with a fall at every execution); its steps are done with and the rest is reduced in
//!   the same way (Definition 3.6, Lemma 2). Functions may differ from cell to cell, so that a cycle without a pivot is ranked
//!   as a whole.
//! * Where a function falls on all steps that are left, but has no bound, the cells are divided by its sign: that it
//!   "eventually" falls is then a phase with a proof of its own.
//!
//! What is known on arrival in each cell comes from the entry (`rank::support`): bounds of linear forms, the greatest solution
//! that the steps keep, for each cell by itself. This is the paper's refinement by preconditions, over all runs at once: a bound
//! that is not found is no bound, and a cell that no run comes to has no steps.
//!
//! The measure at a header is the tuple of the cell that the state is in. The checker shows on the system itself that it falls.

use super::automaton::{Automaton, Mark};
use crate::engine::{Effort, NoClaim, Task};
use crate::lp::{Clock, Rational};
use crate::rank::Proof;
use crate::rank::encode::Encoder;
use crate::rank::form::Form;
use crate::rank::measure;
use crate::rank::model::{Model, Node};
use crate::rank::paths::{Detail, Region, relevant, steps};
use crate::rank::relation::Relation;
use crate::rank::slim::slim;
use crate::rank::support::{Analysis, conditions};
use crate::rank::synth::{self, Bound, Function, Level, Weights};
use lariat_ir::{LocId, Measure, Sort, Term};
use std::collections::BTreeMap;
use std::time::Instant;

/// What a search may cost, in numbers that linear programs touch.
const BRIEF: u64 = 3_000_000;
/// How many phases are tried.
const MOST_PHASES: usize = 4;
/// More steps than this are too many.
const MOST_STEPS: usize = 400;

/// Proofs that the loop ends, of which one is enough.
pub(super) fn search(
    task: &Task<'_>,
    automaton: &mut Automaton,
    effort: Effort,
    deadline: Instant,
    known: &dyn Fn() -> BTreeMap<LocId, Term>,
) -> Result<Vec<Proof>, NoClaim> {
    let encoder = Encoder::new(task.ts, Clock::new(effort.most(BRIEF, u64::MAX), deadline));
    let reduction = Reduction::new(task, &encoder, automaton);
    for supported in [false, true] {
        let invariants = if supported { known() } else { BTreeMap::new() };
        let model = reduction.model(task, automaton, &invariants)?;
        if let Some((model, levels)) = reduction.levels(None, &model, effort.most(2, MOST_PHASES)) {
            let proofs = reduction.written(&model, &levels);
            return Ok(proofs.into_iter().map(|m| (m, invariants.clone())).collect());
        }
    }
    let Some(analysis) = Analysis::of_cells(task, &encoder, &known(), &automaton.cells, &[]) else {
        return Err("it has too many steps between cutpoints".into());
    };
    if let Some(proofs) = reduction.refined(&analysis, effort) {
        return Ok(proofs);
    }
    Err(if Instant::now() >= deadline {
        NoClaim::out_of_time()
    } else if automaton.limited {
        format!("it has more than {} paths, and the merged ones could not be reduced", automaton.states.len()).into()
    } else {
        "its automaton has states or cycles that could not be shown to end".into()
    })
}

/// Marks the states that lead back to where they start: T where the steps of its cell alone fall.
///
/// A cell's own steps, without what is known of the program, are those of its paths that start and end in it. If they fall,
/// none of its paths can be repeated for ever.
pub(super) fn mark(task: &Task<'_>, automaton: &mut Automaton, effort: Effort, deadline: Instant) {
    let encoder = Encoder::new(task.ts, Clock::new(effort.most(BRIEF, u64::MAX), deadline));
    let reduction = Reduction::new(task, &encoder, automaton);
    let Ok(model) = reduction.model(task, automaton, &BTreeMap::new()) else { return };
    for state in automaton.states.iter_mut().filter(|s| s.mark == Mark::UN) {
        let own = |r: &&Relation| r.from == state.cell && r.to == state.cell;
        let steps: Vec<Relation> = model.relations.iter().filter(own).cloned().collect();
        let alone = Model { relations: steps, ..model.clone() };
        if reduction.levels(None, &alone, MOST_PHASES).is_some() {
            state.mark = Mark::T;
        }
    }
}

struct Reduction<'a> {
    encoder: &'a Encoder<'a>,
    dimensions: Vec<Term>,
    heads: Vec<LocId>,
    bounds: Vec<Bound>,
}

/// Levels that make every step fall, with how they are bounded.
type Levels = Vec<(Vec<Level>, Bound)>;

/// One attempt on a model.
enum Attempt {
    Done(Levels),
    /// The steps that are left, between nodes of the model.
    Stuck(Vec<Relation>),
}

impl<'a> Reduction<'a> {
    fn new(task: &Task<'_>, encoder: &'a Encoder<'a>, automaton: &Automaton) -> Self {
        let ts = task.ts;
        let dimensions: Vec<Term> = relevant(ts, &task.this().body).into_iter().collect();
        // Sums of bit-vectors have finitely many values: falling is enough.
        let finite = dimensions.iter().all(|d| ts.terms.sort(*d) != Sort::Int);
        let bounds = if finite { vec![Bound::Asked, Bound::Free] } else { vec![Bound::Asked] };
        Self { encoder, dimensions, heads: automaton.heads.iter().copied().collect(), bounds }
    }

    /// The steps between the cells, with what is known at the headers.
    fn model(
        &self,
        task: &Task<'_>,
        automaton: &Automaton,
        invariants: &BTreeMap<LocId, Term>,
    ) -> Result<Model, NoClaim> {
        let cutpoints: Vec<LocId> = automaton.cells.iter().map(|c| c.0).collect();
        let cells: Vec<Term> = automaton.cells.iter().map(|c| c.1).collect();
        let region = Region {
            cutpoints: &cutpoints,
            cells: &cells,
            body: &task.this().body,
            invariants,
            dimensions: &self.dimensions,
        };
        let relations = steps(self.encoder, &region, Detail { splits: 2, most_steps: MOST_STEPS })?;
        let mut model = Model::new(self.dimensions.clone(), &cutpoints, relations);
        for (node, cell) in model.nodes.iter_mut().zip(&cells) {
            node.inside = Some(*cell);
        }
        Ok(model)
    }

    /// Measures for the steps with what is known on arrival in each cell.
    fn refined(&self, analysis: &Analysis, effort: Effort) -> Option<Vec<Proof>> {
        let mut models = vec![analysis.model.clone()];
        // Division by what decides whether a cell's own steps fall: by how much they change something.
        let stuck = match self.attempt(Some(analysis), &analysis.model)? {
            Attempt::Done(_) => Vec::new(),
            Attempt::Stuck(stuck) => stuck,
        };
        let mut seen: Vec<Function> = Vec::new();
        for r in stuck.iter().filter(|r| r.from == r.to) {
            let changes = conditions(r).into_iter().take(r.before.len());
            for f in settled(r, &stuck).into_iter().chain(changes) {
                if seen.len() >= effort.most(4, 12) || seen.contains(&f) || seen.contains(&f.below_zero()) {
                    continue;
                }
                let by: Vec<Option<Function>> =
                    (0..analysis.model.nodes.len()).map(|n| (n == r.from).then(|| f.clone())).collect();
                models.push(analysis.model.divided_each(&by, &self.encoder.clock));
                seen.push(f);
            }
        }
        for model in models {
            if self.encoder.out_of_time() {
                return None;
            }
            let Some((model, levels)) = self.levels(Some(analysis), &model, effort.most(2, MOST_PHASES)) else {
                continue;
            };
            let bounds = analysis.bounds(self.encoder, &model)?;
            let mut invariants = analysis.invariants(self.encoder, &model, &bounds);
            invariants.retain(|l, _| analysis.is_header(*l));
            let measures = self.written(&model, &levels);
            return Some(measures.into_iter().map(|m| (m, invariants.clone())).collect());
        }
        None
    }

    /// Levels for a model or for one that is divided into phases.
    fn levels(&self, analysis: Option<&Analysis>, model: &Model, phases: usize) -> Option<(Model, Levels)> {
        let mut model = model.clone();
        for phase in 0..=phases {
            match self.attempt(analysis, &model)? {
                Attempt::Done(levels) => return Some((model, levels)),
                Attempt::Stuck(_) if phase == phases => return None,
                Attempt::Stuck(stuck) => {
                    let by = self.unbounded(&stuck, &model)?;
                    model = model.divided_each(&by, &self.encoder.clock);
                }
            }
        }
        None
    }

    fn attempt(&self, analysis: Option<&Analysis>, model: &Model) -> Option<Attempt> {
        if self.encoder.out_of_time() {
            return None;
        }
        let strong = match analysis {
            None => model.clone(),
            Some(a) => a.strengthened(model, &a.bounds(self.encoder, model)?),
        };
        let (relations, kept) = strong.inside(&self.heads);
        let relations = slim(&relations, &self.encoder.clock);
        let mut done = Vec::new();
        let mut stuck = Vec::new();
        for bound in &self.bounds {
            let clock = &self.encoder.clock;
            let tuple = synth::lexicographic(kept.len(), model.dimensions.len(), &relations, *bound, clock);
            if tuple.stuck.is_empty() {
                done.push((tuple.levels, *bound));
            } else {
                stuck = tuple.stuck;
            }
        }
        if !done.is_empty() {
            return Some(Attempt::Done(done));
        }
        for r in &mut stuck {
            (r.from, r.to) = (kept[r.from], kept[r.to]);
        }
        Some(Attempt::Stuck(stuck))
    }

    /// For the cells of some steps, functions that rise on no step and fall on some, without a bound.
    fn unbounded(&self, stuck: &[Relation], model: &Model) -> Option<Vec<Option<Function>>> {
        let nodes = model.nodes.len();
        let component = synth::components(nodes, stuck);
        let mut by: Vec<Option<Function>> = vec![None; nodes];
        let mut done = Vec::new();
        for r in stuck {
            let this = component[r.from];
            if done.contains(&this) {
                continue;
            }
            done.push(this);
            let members: Vec<usize> = (0..nodes).filter(|n| component[*n] == this).collect();
            let inner = |s: &&Relation| component[s.from] == this && component[s.to] == this;
            let steps: Vec<Relation> = stuck.iter().filter(inner).cloned().collect();
            let all: Vec<usize> = (0..steps.len()).collect();
            let (dimensions, clock) = (model.dimensions.len(), &self.encoder.clock);
            let fall = |steps: &[Relation]| {
                let steps: Vec<&Relation> = steps.iter().collect();
                synth::falling(&members, dimensions, &steps, &all, Bound::Free, Weights::Small, clock)
            };
            // What these cells are divided by already would divide nothing: another function first, without it.
            let used: Vec<usize> = members
                .iter()
                .flat_map(|m| &model.nodes[*m].cell)
                .filter_map(|f| f.weights.iter().position(|w| !w.is_zero()))
                .collect();
            let mut without = steps.clone();
            for r in &mut without {
                for d in &used {
                    r.before[*d] = Form::constant(Rational::ZERO);
                    r.after[*d] = Form::constant(Rational::ZERO);
                }
            }
            let found = fall(&without).or_else(|| fall(&steps));
            let Some((functions, _)) = found else { continue };
            for (m, f) in members.iter().zip(functions) {
                if f.weights.iter().any(|w| !w.is_zero()) {
                    by[*m] = Some(f);
                }
            }
        }
        by.iter().any(Option::is_some).then_some(by)
    }

    fn written(&self, model: &Model, levels: &[(Vec<Level>, Bound)]) -> Vec<BTreeMap<LocId, Vec<Measure>>> {
        let nodes: Vec<&Node> = model.nodes.iter().filter(|n| self.heads.contains(&n.at)).collect();
        let mut all = Vec::new();
        for (levels, bound) in levels {
            // The solver has it easier with the plain functions.
            for form in [*bound, Bound::Free] {
                let found = measure::measures(self.encoder, &model.dimensions, &nodes, levels, form);
                all.extend(found.filter(|m| !all.contains(m)));
            }
        }
        all
    }
}

/// Functions that tell the constants of one step from those of the others in its cell: what was settled before the loop.
fn settled(r: &Relation, all: &[Relation]) -> Vec<Function> {
    let mut found = Vec::new();
    for (d, value) in r.before.iter().enumerate() {
        let Some(value) = value.as_constant() else { continue };
        let lower = |o: &Relation| o.from == r.from && o.before[d].as_constant().is_some_and(|other| other < value);
        if all.iter().any(lower) {
            let mut f = Function::constant(r.before.len(), 0);
            f.weights[d] = Rational::ONE;
            f.constant = value.negated();
            found.push(f);
        }
    }
    found
}
