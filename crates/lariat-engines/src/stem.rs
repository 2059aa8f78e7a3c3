//! The way from the entry into a set of states, with the input values that lead there.

use crate::engine::EngineCx;
use crate::path::{SymbolicPath, in_state};
use lariat_ir::simplify::simplify;
use lariat_ir::{LocId, Mode, Move, Op, Role, Term, TransitionSystem, Value};
use lariat_smt::{Answer, Solver};
use std::collections::{BTreeSet, VecDeque};

/// A way into a set of states.
#[derive(Clone, Debug)]
pub(crate) struct Stem {
    /// The initial states it is for.
    pub when: Term,
    /// One of them.
    pub start: Vec<Value>,
    /// Its steps.
    pub moves: Vec<Move>,
}

/// How far to look: paths of more edges are not tried.
const LONGEST: usize = 24;
/// How many products or quotients of unknown values a path's condition may hold.
const MOST_PRODUCTS: usize = 8;
/// How many queries to spend.
const MOST_QUERIES: usize = 60;

/// The shortest path from the entry to `target` on which `set` can hold at the end whatever the environment does.
///
/// The inputs are fixed to the values of a model. What the path needs of the first state becomes `when`: in a whole
/// program the model's values of the variables that matter, in a function the path's own condition, which is the
/// weakest one, where no unknown occurs in it.
pub(crate) fn find(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    target: LocId,
    set: Term,
) -> Result<Stem, String> {
    let useful = leads_to(ts, target);
    let mut open = VecDeque::from([SymbolicPath::at(ts, ts.entry)]);
    let mut queries = 0;
    let mut limited = false;
    while let Some(path) = open.pop_front() {
        if cx.out_of_time() {
            return Err("the time was up while looking for a way from the entry".into());
        }
        if path.end == target {
            queries += 1;
            if let Some(stem) = attempt(ts, cx, solver, &path, set) {
                return Ok(stem);
            }
        }
        if queries > MOST_QUERIES {
            return Err("no way from the entry was found among the shortest ones".into());
        }
        if path.edges.len() == LONGEST || hard(ts, &path) {
            limited = true;
            continue;
        }
        let branches: Vec<_> =
            ts.locs[path.end].out.iter().copied().filter(|e| useful.contains(&ts.edges[*e].to)).collect();
        for e in &branches {
            let next = path.then(ts, *e);
            if next.conditions.last() == Some(&ts.terms.ff()) {
                continue;
            }
            // Only at a branch can a path become infeasible.
            if ts.locs[path.end].out.len() > 1 {
                queries += 1;
                let mut all = next.conditions.clone();
                all.extend(next.ranges(ts));
                all.push(ts.init);
                if cx.ask(solver, ts, &all).is_unsat() {
                    continue;
                }
            }
            open.push_back(next);
        }
    }
    Err(if limited {
        format!(
            "no way from the entry into the states that repeat was found among simple ones of at most {LONGEST} steps"
        )
    } else {
        "there is no way from the entry into the states that repeat, whatever the environment does".into()
    })
}

/// Whether a path's condition multiplies or divides so often that a solver would choke on it: products of products take
/// gigabytes before any limit is looked at.
fn hard(ts: &TransitionSystem, path: &SymbolicPath) -> bool {
    let t = &ts.terms;
    let costly = |u: &Term| {
        let node = t.node(*u);
        let is_product = matches!(
            node.op,
            Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::IntMul | Op::IntDiv | Op::IntMod
        );
        is_product && node.args().iter().all(|a| t.constant_value(*a).is_none())
    };
    t.reachable(&path.conditions).iter().filter(|u| costly(u)).count() > MOST_PRODUCTS
}

/// The locations from which a target can be reached in the graph.
fn leads_to(ts: &TransitionSystem, target: LocId) -> BTreeSet<LocId> {
    let mut found = BTreeSet::from([target]);
    loop {
        let before = found.len();
        for e in &ts.edges {
            if found.contains(&e.to) {
                found.insert(e.from);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn attempt(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    path: &SymbolicPath,
    set: Term,
) -> Option<Stem> {
    let terms = &ts.terms;
    let mut needed = path.conditions.clone();
    needed.push(simplify(terms, in_state(ts, set, &path.state)));
    let mut all = needed.clone();
    all.extend(path.ranges(ts));
    all.push(ts.init);
    let Answer::Sat(model) = cx.ask(solver, ts, &all) else { return None };

    let start: Vec<Value> = ts.vars.iter().map(|v| model.value_or_zero(terms, v.term)).collect();
    let chosen: Vec<(usize, lariat_ir::UnknownId, Term, Value)> = path
        .inputs(ts)
        .map(|o| {
            let value = model.value(o.term).cloned().unwrap_or_else(|| ts.least(o.unknown));
            (o.step, o.unknown, o.term, value)
        })
        .collect();
    let with_inputs: Vec<Term> = terms
        .substitute_all(&needed, |s| chosen.iter().find(|c| c.2 == s).map(|c| terms.value(&c.3)))
        .into_iter()
        .map(|t| simplify(terms, t))
        .collect();
    let condition = simplify(terms, terms.all(with_inputs));
    let symbols = terms.symbols(condition);
    let only_variables = symbols.iter().all(|s| matches!(terms.role(*s), Some(Role::Var(_))));
    let when = if ts.mode == Mode::Function && only_variables {
        condition
    } else {
        let fixed = ts.vars.iter().zip(&start).filter(|(v, _)| symbols.contains(&v.term));
        terms.all(fixed.map(|(v, value)| terms.eq(v.term, terms.value(value))))
    };
    // The model chose environment values, too: the path must be taken for all others as well.
    let mut counter: Vec<Term> = path.ranges(ts);
    counter.extend([when, ts.init, terms.not(condition)]);
    if !cx.ask(solver, ts, &counter).is_unsat() {
        return None;
    }
    let moves = path
        .edges
        .iter()
        .enumerate()
        .map(|(step, &edge)| {
            let inputs = chosen.iter().filter(|c| c.0 == step).map(|c| (c.1, terms.value(&c.3))).collect();
            Move { edge, inputs }
        })
        .collect();
    Some(Stem { when, start, moves })
}
