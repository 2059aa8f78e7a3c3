//! That a run goes through the automaton for ever: a path, or a cycle of paths, that can be repeated, and a way to it.
//!
//! A cycle of the automaton is a path again: the composition of its paths, with the weakest condition under which all of them
//! are taken in this order. The same test is made of it and of its powers (module `monotone`). Reachable in the automaton is
//! not reachable in the program: Theorem 2 is used with a concrete way from the entry into the set (`stem`).

use super::automaton::{Automaton, Mark};
use super::monotone::{Mode, cases, kept};
use crate::choices::{self, Chosen, PathChoice};
use crate::closed_form::term;
use crate::engine::{EngineCx, NoClaim, Task};
use crate::linear::{Linear, Reading, constraints};
use crate::path::{SymbolicPath, in_state};
use crate::stem;
use dashu_int::IBig;
use lariat_ir::simplify::simplify;
use lariat_ir::{Arm, Certificate, Claim, EdgeId, Id, LocId, Property, Role, Sort, Term, TransitionSystem};
use lariat_smt::Solver;
use std::collections::{BTreeMap, BTreeSet};

/// Ways to choose the inputs of one cycle.
const MOST_CHOICES: usize = 6;
/// Questions about what cycles keep.
const PATIENCE: usize = 200;
/// Edges of a composed path.
const MOST_EDGES: usize = 40;

/// A claim that the loop can run for ever. Marks of paths that can always be repeated are set.
pub(super) fn search(
    task: &Task<'_>,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    automaton: &mut Automaton,
    invariants: &BTreeMap<LocId, Term>,
) -> Result<Claim, NoClaim> {
    let ts = task.ts;
    let mut tried: BTreeSet<(LocId, Term)> = BTreeSet::new();
    let mut unreached = false;
    let mut patience = cx.effort.most(40, PATIENCE);
    for edges in cycles(cx, automaton) {
        let from = ts.edges[edges[0]].from;
        let single = automaton.states.iter().position(|s| s.path.edges == edges);
        for choice in inputs(ts, from, &edges, cx.effort.most(3, MOST_CHOICES)) {
            let Some(cycle) = Chosen::of(ts, from, &edges, &choice) else { continue };
            if cycle.condition == ts.terms.ff() {
                continue;
            }
            for case in cases(ts, cycle.condition) {
                for mode in Mode::ALL {
                    if cx.out_of_time() {
                        return Err(NoClaim::out_of_time());
                    }
                    if patience == 0 {
                        return Err(
                            "no cycle among the first ones of its automaton was shown to repeat for ever".into()
                        );
                    }
                    let Some(set) = kept(ts, cx, solver, &cycle, &case, mode, &mut patience) else { continue };
                    if set == cycle.condition
                        && let Some(state) = single.map(|i| &mut automaton.states[i])
                    {
                        state.mark = Mark::NT;
                    }
                    if !tried.insert((from, set)) {
                        continue;
                    }
                    let here = invariants.get(&from).copied().unwrap_or_else(|| ts.terms.tt());
                    if cx.ask(solver, ts, &[set, here]).is_unsat() {
                        continue;
                    }
                    let Ok(found) = stem::find(ts, cx, solver, from, set) else {
                        unreached = true;
                        continue;
                    };
                    let arm = Arm { from, when: cycle.condition, path: cycle.moves.clone() };
                    return Ok(Claim {
                        system: task.hash,
                        property: Property::Diverges(task.this().header),
                        when: found.when,
                        certificate: Certificate::RecurrentSet {
                            start: found.start,
                            stem: found.moves,
                            arms: vec![arm],
                            set: BTreeMap::from([(from, set)]),
                        },
                    });
                }
            }
        }
    }
    Err(if unreached {
        "no way from the entry to a path that can be repeated for ever was found".into()
    } else {
        "no path and no cycle of its automaton was shown to repeat for ever".into()
    })
}

/// Marks the states that can be repeated for ever from wherever they are taken.
pub(super) fn mark(task: &Task<'_>, cx: &EngineCx, solver: &mut dyn Solver, automaton: &mut Automaton) {
    let ts = task.ts;
    let mut patience = PATIENCE;
    for state in automaton.states.iter_mut().filter(|s| s.mark == Mark::UN && s.is_cycle()) {
        let always = inputs(ts, state.from, &state.path.edges, MOST_CHOICES).into_iter().any(|choice| {
            let cycle = Chosen::of(ts, state.from, &state.path.edges, &choice);
            // With its inputs chosen, the whole condition is kept as it is.
            cycle.is_some_and(|c| {
                let all = ts.terms.conjuncts(c.condition);
                c.condition == state.condition
                    && kept(ts, cx, solver, &c, &all, Mode::Again, &mut patience) == Some(c.condition)
            })
        });
        if always {
            state.mark = Mark::NT;
        }
    }
}

/// Ways to choose the inputs of a path: those that make the path's first condition hold again come first.
///
/// In `old = x; x = input()` with `x >= 2 * old`, the input that is just great enough is `2 * x`: a comparison of the header's
/// condition at the end of the path, in which an input occurs once, is solved for it.
fn inputs(ts: &TransitionSystem, from: LocId, edges: &[EdgeId], most: usize) -> Vec<PathChoice> {
    let t = &ts.terms;
    let plain = choices::of_path(ts, edges, most);
    let Some(base) = plain.first() else { return plain };
    let path = choices::choose(ts, from, edges, &PathChoice::new());
    let first = in_state(ts, ts.edges[edges[0]].guard, &path.state);
    let mut found = Vec::new();
    for o in path.inputs(ts).filter(|o| t.sort(o.term) == Sort::Int) {
        for c in t.conjuncts(simplify(t, first)) {
            for slack in constraints(t, c, Reading::Signed) {
                // The slack is at most zero: weight * input + rest <= 0.
                let Some(weight) = slack.columns.get(&o.term) else { continue };
                if *weight != IBig::from(1) && *weight != IBig::from(-1) {
                    continue;
                }
                let mut rest = slack.clone();
                rest.columns.remove(&o.term);
                let value = Linear::default().plus(&-weight.clone(), &rest);
                let value = term(ts, &value, Sort::Int);
                // The term is over the variables before the step: they must not have changed on the way to it.
                let mut before = SymbolicPath::at(ts, from);
                edges[..o.step].iter().for_each(|e| before.advance(ts, *e));
                let same = |s: &Term| matches!(t.role(*s), Some(Role::Var(v)) if before.state[v.index()] == *s);
                if t.symbols(value).iter().all(same) {
                    let mut choice = base.clone();
                    choice.insert((o.step, o.unknown), value);
                    found.push(choice);
                }
            }
        }
    }
    found.truncate(most);
    found.extend(plain);
    found
}

/// Composed paths that lead back to where they start, the shortest first, then powers.
fn cycles(cx: &EngineCx, automaton: &Automaton) -> Vec<Vec<EdgeId>> {
    let most = cx.effort.most(16, 90);
    let longest = cx.effort.most(3, 5);
    let mut found: Vec<Vec<EdgeId>> = Vec::new();
    let mut open: Vec<Vec<usize>> = (0..automaton.states.len()).map(|i| vec![i]).collect();
    while let Some(chain) = (!open.is_empty()).then(|| open.remove(0)) {
        let first = &automaton.states[chain[0]];
        let last = &automaton.states[chain[chain.len() - 1]];
        // What ends by itself is no cycle alone; one that begins with another of its paths is the same cycle.
        let is_least = chain.iter().all(|i| *i >= chain[0]);
        let alone = chain.iter().all(|i| *i == chain[0]);
        let over = alone && automaton.states[chain[0]].mark == Mark::T;
        if last.path.end == first.from && is_least && !over {
            let edges: Vec<EdgeId> = chain.iter().flat_map(|i| automaton.states[*i].path.edges.clone()).collect();
            if edges.len() <= MOST_EDGES {
                found.push(edges);
            }
        }
        if found.len() >= most || cx.out_of_time() {
            break;
        }
        if chain.len() < longest && open.len() < 4000 {
            for (i, s) in automaton.states.iter().enumerate() {
                if s.from == last.path.end && i >= chain[0] {
                    let mut longer = chain.clone();
                    longer.push(i);
                    open.push(longer);
                }
            }
        }
    }
    found
}
