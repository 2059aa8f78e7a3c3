//! Ways to choose the inputs on a path around a loop.

use crate::path::{Occurrence, SymbolicPath, speaks_of_variables};
use lariat_ir::simplify::simplify;
use lariat_ir::{EdgeId, LocId, Move, Sort, Term, TransitionSystem, UnknownId, UnknownKind};
use std::collections::{BTreeMap, BTreeSet};

/// One way to choose every input on a path: for each step the term, over the variables before it.
pub(crate) type PathChoice = BTreeMap<(usize, UnknownId), Term>;

/// Ways to choose the inputs on a path, at most so many: each input is the variable that it is stored to, or a constant of the
/// path.
pub(crate) fn of_path(ts: &TransitionSystem, edges: &[EdgeId], most: usize) -> Vec<PathChoice> {
    let t = &ts.terms;
    let constants: BTreeSet<Term> = edges
        .iter()
        .flat_map(|e| t.reachable(&[ts.edges[*e].guard]))
        .filter(|c| t.constant_value(*c).is_some())
        .collect();
    let mut all = vec![PathChoice::new()];
    for (step, &e) in edges.iter().enumerate() {
        for u in ts.unknowns_of(e) {
            let unknown = &ts.unknowns[u];
            if unknown.kind != UnknownKind::Input {
                continue;
            }
            let mut options: Vec<Term> = ts.edges[e]
                .updates
                .iter()
                .filter(|(_, new)| *new == unknown.term)
                .map(|(v, _)| ts.vars[*v].term)
                .collect();
            options.push(t.value(&ts.least(u)));
            options.extend(constants.iter().filter(|c| t.sort(**c) == unknown.sort));
            if unknown.sort == Sort::Bool {
                options.extend([t.tt(), t.ff()]);
            }
            let mut seen = BTreeSet::new();
            options.retain(|o| seen.insert(*o));
            all = all
                .into_iter()
                .flat_map(|c| {
                    options.iter().map(move |o| {
                        let mut c = c.clone();
                        c.insert((step, u), *o);
                        c
                    })
                })
                .collect();
            // The earliest choices are the likeliest: what is beyond the limit is not tried, and the reason says so.
            all.truncate(most);
        }
    }
    all
}

/// The path with its inputs chosen.
pub(crate) fn choose(ts: &TransitionSystem, header: LocId, edges: &[EdgeId], choice: &PathChoice) -> SymbolicPath {
    let mut path = SymbolicPath::at(ts, header);
    for (step, &e) in edges.iter().enumerate() {
        path.advance_choosing(ts, e, |u| choice.get(&(step, u)).copied());
    }
    path
}

/// The path as a certificate has it.
pub(crate) fn moves(ts: &TransitionSystem, edges: &[EdgeId], choice: &PathChoice) -> Vec<Move> {
    let inputs = |step: usize, e: EdgeId| {
        ts.unknowns_of(e).into_iter().filter_map(|u| choice.get(&(step, u)).map(|t| (u, *t))).collect()
    };
    edges.iter().enumerate().map(|(step, &e)| Move { edge: e, inputs: inputs(step, e) }).collect()
}

/// A path with its inputs chosen, where the environment does not decide whether it is taken.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// Its steps.
    pub moves: Vec<Move>,
    /// When it is taken, over the variables.
    pub condition: Term,
    /// The ranges of the values that stay open.
    pub ranges: Vec<Term>,
    /// The variables at its end.
    pub state: Vec<Term>,
}

impl Chosen {
    /// Nothing if the environment decides whether the path is taken.
    pub fn of(ts: &TransitionSystem, from: LocId, edges: &[EdgeId], choice: &PathChoice) -> Option<Self> {
        let t = &ts.terms;
        let path = choose(ts, from, edges, choice);
        // By whether it was chosen, not by what it is: a chosen input may have the value of the environment's, which need not be
        // in the input's range.
        let is_open = |o: &Occurrence| !choice.contains_key(&(o.step, o.unknown));
        let mut conditions = path.conditions.clone();
        let taken = path.unknowns.iter().filter(|o| !is_open(o));
        conditions.extend(taken.map(|o| ts.range_condition(o.unknown, o.term)));
        let condition = simplify(t, t.all(conditions));
        let open = path.unknowns.iter().filter(|o| is_open(o));
        let ranges = open.map(|o| ts.range_condition(o.unknown, o.term)).filter(|r| *r != t.tt()).collect();
        let moves = moves(ts, edges, choice);
        speaks_of_variables(ts, condition).then_some(Self { moves, condition, ranges, state: path.state })
    }
}
