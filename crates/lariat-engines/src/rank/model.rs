//! The steps of a system between its cutpoints, and cells that the states at a cutpoint are divided into.
//!
//! A cell is a conjunction of linear conditions. Bounds and functions are then found for each cell by itself, which makes
//! invariants disjunctions and measures piecewise linear: a loop that runs through phases, or towards zero from both
//! sides, has no linear function but one for each cell.

use super::relation::{Constraint, Relation};
use super::synth::Function;
use crate::lp::{Clock, Rational};
use lariat_ir::{LocId, Term};

/// Where the initial states come from.
pub(crate) const START: usize = usize::MAX;

/// A cell of a cutpoint.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The cutpoint.
    pub at: LocId,
    /// The functions that are at least zero in it.
    pub cell: Vec<Function>,
    /// What else holds in it, if the steps were listed with such cells.
    pub inside: Option<Term>,
}

/// Steps between nodes.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// What is observed of the state.
    pub dimensions: Vec<Term>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The steps; their ends are nodes, or [`START`] for the initial states.
    pub relations: Vec<Relation>,
}

/// A function at each of some cutpoints, which divides their states.
pub(crate) type Predicate = Vec<(LocId, Function)>;

impl Model {
    /// A model in which every cutpoint has one cell.
    pub fn new(dimensions: Vec<Term>, cutpoints: &[LocId], relations: Vec<Relation>) -> Self {
        let nodes = cutpoints.iter().map(|at| Node { at: *at, cell: Vec::new(), inside: None }).collect();
        Self { dimensions, nodes, relations }
    }

    /// Divides each cell by whether the predicate is at least zero there. Steps that become impossible are gone.
    pub fn divided(&self, predicate: &Predicate, clock: &Clock) -> Self {
        let of = |node: &Node| predicate.iter().find(|(at, _)| *at == node.at).map(|(_, f)| f.clone());
        self.divided_each(&self.nodes.iter().map(of).collect::<Vec<_>>(), clock)
    }

    /// Divides some cells, each by a function of its own.
    pub fn divided_each(&self, by: &[Option<Function>], clock: &Clock) -> Self {
        let mut nodes = Vec::new();
        // For each old node its new ones, each with what holds there.
        let mut parts: Vec<Vec<(usize, Option<Function>)>> = Vec::new();
        for (node, by) in self.nodes.iter().zip(by) {
            let mut mine = Vec::new();
            match by {
                None => {
                    mine.push((nodes.len(), None));
                    nodes.push(node.clone());
                }
                Some(f) => {
                    for side in [f.clone(), f.below_zero()] {
                        let mut cell = node.cell.clone();
                        cell.push(side.clone());
                        mine.push((nodes.len(), Some(side)));
                        nodes.push(Node { cell, ..node.clone() });
                    }
                }
            }
            parts.push(mine);
        }
        let mut relations = Vec::new();
        for r in &self.relations {
            let starts = if r.from == START { vec![(START, None)] } else { parts[r.from].clone() };
            for (from, before) in &starts {
                let mut from_here = Relation { from: *from, ..r.clone() };
                if let Some(f) = before {
                    let form = r.function_before(&f.weights, &f.constant);
                    let Some(next) = from_here.with(Constraint::at_least_zero(form), clock) else { continue };
                    from_here = next;
                }
                for (to, after) in &parts[r.to] {
                    let mut whole = Relation { to: *to, ..from_here.clone() };
                    if let Some(f) = after {
                        let form = r.function_after(&f.weights, &f.constant);
                        let Some(next) = whole.with(Constraint::at_least_zero(form), clock) else { continue };
                        whole = next;
                    }
                    relations.push(whole);
                }
            }
        }
        Self { dimensions: self.dimensions.clone(), nodes, relations }
    }

    /// The steps between nodes of some cutpoints, those nodes numbered anew; the nodes' old numbers.
    pub fn inside(&self, cutpoints: &[LocId]) -> (Vec<Relation>, Vec<usize>) {
        let kept: Vec<usize> = (0..self.nodes.len()).filter(|n| cutpoints.contains(&self.nodes[*n].at)).collect();
        let number = |n: usize| kept.iter().position(|k| *k == n);
        let relations = self
            .relations
            .iter()
            .filter_map(|r| Some(Relation { from: number(r.from)?, to: number(r.to)?, ..r.clone() }));
        (relations.collect(), kept)
    }
}

impl Function {
    /// The function that is at least zero where this one is below zero.
    pub fn below_zero(&self) -> Self {
        let minus = Rational::ONE.negated();
        Self {
            weights: self.weights.iter().map(Rational::negated).collect(),
            constant: self.constant.times(&minus).minus(&Rational::ONE),
        }
    }
}
