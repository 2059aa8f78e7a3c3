//! What the tests of engines share: small systems as text, and runs of what was found, made without any of the search code.

use crate::engine::{Effort, EngineCx};
use lariat_ir::{
    Bits, LocId, Machine, Move, Role, Sort, State, Term, TransitionSystem, UnknownId, UnknownKind, Value, lts,
};
use lariat_smt::Limit;
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// A system without its first lines.
pub(crate) fn system(text: &str) -> TransitionSystem {
    let text = format!("lts 1\nname test\n{text}");
    lts::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).system
}

/// Time for everything.
pub(crate) fn cx(effort: Effort) -> EngineCx {
    EngineCx {
        effort,
        audit: false,
        limit: Limit::default(),
        deadline: Instant::now() + Duration::from_mins(1),
        gave_up: RefCell::default(),
    }
}

/// The location of this name.
pub(crate) fn named(ts: &TransitionSystem, name: &str) -> LocId {
    ts.loc_named(name).unwrap_or_else(|| panic!("no location {name}"))
}

/// Whether a condition on variables holds in a state.
pub(crate) fn holds(ts: &TransitionSystem, condition: Term, values: &[Value]) -> bool {
    value(ts, condition, values).as_bool()
}

fn value(ts: &TransitionSystem, term: Term, values: &[Value]) -> Value {
    ts.terms.eval(term, |s| match ts.terms.role(s) {
        Some(Role::Var(v)) => values[lariat_ir::Id::index(v)].clone(),
        role => panic!("{role:?} is no variable"),
    })
}

/// Some of the values that an unknown can have; all of them, if its sort has few.
pub(crate) fn some_values(ts: &TransitionSystem, u: UnknownId) -> Vec<Value> {
    let unknown = &ts.unknowns[u];
    match (&unknown.range, unknown.sort) {
        (Some((low, high)), _) => vec![Value::Int(low.clone()), Value::Int(high.clone())],
        (None, Sort::Int) => [0, 1, -1, 1000, -1000].map(Value::int).to_vec(),
        (None, sort) => all_values(sort),
    }
}

/// All values of a sort that has few.
pub(crate) fn all_values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(w) if w <= 6 => (0..1u32 << w).map(|n| Value::Bv(Bits::from_int(w, &n.into()))).collect(),
        other => panic!("{other:?} has many values"),
    }
}

/// The states to which moves lead from a state, one for each behaviour of the environment; `None` if it can lead elsewhere.
pub(crate) fn after(ts: &TransitionSystem, from: &State, moves: &[Move]) -> Option<Vec<State>> {
    let machine = Machine::new(ts);
    let mut states = vec![from.clone()];
    for step in moves {
        let mut next = Vec::new();
        for state in &states {
            if machine.enabled(state) != Ok(step.edge) {
                return None;
            }
            let open: Vec<UnknownId> = machine.unknowns_of(step.edge).to_vec();
            let mut given: Vec<Vec<(UnknownId, Value)>> = vec![Vec::new()];
            for u in open {
                let values = match ts.unknowns[u].kind {
                    UnknownKind::Input => {
                        let (_, term) = step.inputs.iter().find(|(w, _)| *w == u).expect("each input has its term");
                        vec![value(ts, *term, &state.values)]
                    }
                    _ => some_values(ts, u),
                };
                assert!(values.iter().all(|v| ts.admits(u, v)), "values are in their ranges");
                let with = |g: &Vec<(UnknownId, Value)>, v: &Value| [g.as_slice(), &[(u, v.clone())]].concat();
                given = given.iter().flat_map(|g| values.iter().map(move |v| with(g, v))).collect();
            }
            for g in &given {
                let chosen = |u: UnknownId| g.iter().find(|(w, _)| *w == u).expect("it is given").1.clone();
                next.push(machine.take(state, step.edge, chosen));
            }
        }
        next.sort_unstable();
        next.dedup();
        states = next;
    }
    Some(states)
}
