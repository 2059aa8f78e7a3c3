//! Can it run for ever from some set of states?
//!
//! The paper shows for a single path that its guard implies itself after the update. Here each path around the loop is
//! taken by itself, with its whole condition `C`, every branch on it included, so that a body that can leave the loop is
//! not forgotten: leaving is another path. Two sets are tried, `C` itself, and `C` where the path is a fixed point in the
//! variables that `C` depends on, closed under dependence. Inputs on the path are chosen to be the variable that they
//! are stored to, or a constant of the path; environment and abstraction values are left open, and a path whose condition
//! depends on one is not used. The set must be inductive for all of them. A recurrent set proves nothing without a way
//! to it from the entry: module `stem`.

use super::MOST_PATHS;
use crate::choices;
use crate::engine::{EngineCx, NoClaim, Task};
use crate::path::{Around, Occurrence, SymbolicPath, in_state};
use crate::stem;
use lariat_ir::simplify::simplify;
use lariat_ir::{Arm, Certificate, Claim, Id, Property, Role, Term, TransitionSystem, VarId};
use lariat_smt::Solver;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// More ways to choose the inputs of a path than this are not tried.
const MOST_CHOICES: usize = 16;

/// A path around the loop that leads back into its own condition, and a way to it.
pub(super) fn runs_for_ever(
    task: &Task<'_>,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    all: &Around,
) -> Result<Claim, NoClaim> {
    let ts = task.ts;
    let header = task.this().header;
    let mut why = NoClaim::from("no path around it leads back into its own condition");
    if all.limited {
        let _ = write!(why, ", of the first {MOST_PATHS}");
    }
    for path in &all.paths {
        let mut ways = choices::of_path(ts, &path.edges, MOST_CHOICES + 1);
        if ways.len() > MOST_CHOICES {
            ways.truncate(MOST_CHOICES);
            let _ = write!(why, ", with the first {MOST_CHOICES} ways to choose its inputs");
        }
        for choice in ways {
            if cx.out_of_time() {
                return Err(NoClaim::out_of_time());
            }
            let chosen = choices::choose(ts, header, &path.edges, &choice);
            let Some(set) = recurrent(ts, cx, solver, &chosen) else { continue };
            match stem::find(ts, cx, solver, header, set) {
                Ok(found) => {
                    let moves = choices::moves(ts, &path.edges, &choice);
                    return Ok(Claim {
                        system: task.hash,
                        property: Property::Diverges(header),
                        when: found.when,
                        certificate: Certificate::RecurrentSet {
                            start: found.start,
                            stem: found.moves,
                            set: BTreeMap::from([(header, set)]),
                            arms: vec![Arm { from: header, when: ts.terms.tt(), path: moves }],
                        },
                    });
                }
                Err(reason) => why = reason,
            }
        }
    }
    Err(why)
}

/// A set of states from which the path leads back into the set, whatever the environment does.
fn recurrent(ts: &TransitionSystem, cx: &EngineCx, solver: &mut dyn Solver, path: &SymbolicPath) -> Option<Term> {
    let t = &ts.terms;
    // The range of a chosen input is a condition like any other; that of the others may be relied on.
    let is_open = |term: Term| matches!(t.role(term), Some(Role::Copy(..)));
    let (open, chosen): (Vec<&Occurrence>, Vec<&Occurrence>) = path.unknowns.iter().partition(|o| is_open(o.term));
    let mut conditions = path.conditions.clone();
    conditions.extend(chosen.iter().map(|o| ts.range_condition(o.unknown, o.term)));
    let condition = simplify(t, t.all(conditions));
    let speaks_of_variables = |term: Term| t.symbols(term).iter().all(|s| matches!(t.role(*s), Some(Role::Var(_))));
    if !speaks_of_variables(condition) || condition == t.ff() {
        return None;
    }
    let ranges: Vec<Term> = open.iter().map(|o| ts.range_condition(o.unknown, o.term)).collect();
    let mut sets = vec![condition];
    if let Some(fixed) = fixed_point(ts, path, condition) {
        let both = simplify(t, t.and(condition, fixed));
        if both != condition {
            sets.push(both);
        }
    }
    sets.into_iter().find(|&set| {
        if !cx.ask(solver, ts, &[set]).is_sat() {
            return false;
        }
        let mut all = ranges.clone();
        all.extend([set, t.not(in_state(ts, set, &path.state))]);
        cx.ask(solver, ts, &all).is_unsat()
    })
}

/// That the path changes none of the variables that the condition depends on, closed under dependence.
fn fixed_point(ts: &TransitionSystem, path: &SymbolicPath, condition: Term) -> Option<Term> {
    let t = &ts.terms;
    let mut relevant: BTreeSet<VarId> = BTreeSet::new();
    let mut open = vec![condition];
    while let Some(term) = open.pop() {
        for s in t.symbols(term) {
            match t.role(s) {
                Some(Role::Var(v)) => {
                    if relevant.insert(v) {
                        open.push(path.state[v.index()]);
                    }
                }
                _ => return None,
            }
        }
    }
    let equations = relevant.iter().map(|v| t.eq(path.state[v.index()], ts.vars[*v].term));
    Some(simplify(t, t.all(equations)))
}
