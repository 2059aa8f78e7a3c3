//! The run of a divergence certificate, as a reader follows it.

use super::{StepReport, Witness};
use crate::analyze::SourceNames;
use lariat_ir::{
    Certificate, Choice, Claim, EdgeId, Machine, Mode, Move, Role, State, TransitionSystem, UnknownId, UnknownKind,
    Value,
};
use std::collections::BTreeSet;

/// The run of a divergence certificate, replayed: stem and once around.
pub(super) fn witness(ts: &TransitionSystem, names: &SourceNames, c: &Claim) -> Option<Witness> {
    let machine = Machine::new(ts);
    let (start, stem, cycle): (&[Value], Vec<Planned<'_>>, Vec<Planned<'_>>) = match &c.certificate {
        Certificate::Orbit { start, stem, cycle, .. } => {
            (start, stem.iter().map(Planned::Choice).collect(), cycle.iter().map(Planned::Choice).collect())
        }
        Certificate::RecurrentSet { start, stem, arms, .. } => {
            // The cycle shown starts with the arm for the place where the stem ends.
            let end = stem.last().map_or(ts.entry, |m| ts.edges[m.edge].to);
            let arm = arms.iter().find(|a| a.from == end)?;
            (start, stem.iter().map(Planned::Move).collect(), arm.path.iter().map(Planned::Move).collect())
        }
        _ => return None,
    };
    let mut inputs = Vec::new();
    let needed = ts.terms.symbols(c.when);
    for (v, value) in ts.vars.iter().zip(start) {
        let chosen = ts.mode == Mode::Function && !names.fixed.contains(&v.name) && !is_made(ts, &v.name);
        if chosen || needed.contains(&v.term) {
            inputs.extend(value_words(names, &v.name, None, value));
        }
    }
    let mut state = State { loc: ts.entry, values: start.to_vec() };
    let mut reports = Vec::new();
    for (i, step) in stem.iter().chain(&cycle).enumerate() {
        // With several arms the first one listed may be for other states than this one: what was shown so far stands.
        if machine.enabled(&state) != Ok(step.edge()) {
            break;
        }
        let mut chosen = Vec::new();
        let next = machine.take(&state, step.edge(), |u| {
            let value = step.value(ts, &state, u);
            if ts.unknowns[u].kind == UnknownKind::Input {
                chosen.extend(value_words(names, &ts.unknowns[u].name, None, &value));
            }
            value
        });
        if i < stem.len() {
            inputs.extend(chosen.iter().cloned());
        }
        let changed = ts
            .vars
            .iter()
            .zip(state.values.iter().zip(&next.values))
            .filter(|(v, (a, b))| a != b && !is_made(ts, &v.name))
            .flat_map(|(v, (a, b))| value_words(names, &v.name, Some(a), b))
            .collect();
        reports.push(StepReport {
            at: ts.locs[state.loc].name.clone(),
            span: ts.edges[step.edge()].span.clone().or_else(|| ts.locs[state.loc].span.clone()),
            to: ts.locs[next.loc].name.clone(),
            inputs: chosen,
            changed,
        });
        state = next;
    }
    let around = reports.split_off(stem.len().min(reports.len()));
    Some(Witness { inputs, stem: reports, cycle: around })
}

/// Whether the lowering made this variable: it says whether another one is poisoned, or keeps an unknown value that is
/// shown by its own name.
fn is_made(ts: &TransitionSystem, name: &str) -> bool {
    name.strip_suffix(".poison").is_some_and(|base| ts.var_named(base).is_some())
        || name.strip_suffix(".value").is_some_and(|base| ts.unknown_named(base).is_some())
}

/// How many cells of a memory are shown.
const CELLS: usize = 8;

/// A name with its value as a reader writes it; of a memory, each cell that is not as it was before, or as most are.
fn value_words(names: &SourceNames, name: &str, before: Option<&Value>, value: &Value) -> Vec<(String, String)> {
    let one = |v: &Value| match v {
        Value::Bv(b) if b.width() == 1 || names.unsigned.contains(name) => b.unsigned().to_string(),
        Value::Bv(b) => b.signed().to_string(),
        other => other.to_string(),
    };
    let Value::Array(now) = value else { return vec![(name.to_owned(), one(value))] };
    let was = |index: &Value| match before {
        Some(Value::Array(a)) => a.get(index).clone(),
        _ => now.default_value().clone(),
    };
    let old_cells = match before {
        Some(Value::Array(a)) => a.cells().keys().collect(),
        _ => Vec::new(),
    };
    let indices: BTreeSet<&Value> = now.cells().keys().chain(old_cells).collect();
    let changed = indices.into_iter().filter(|&i| *now.get(i) != was(i));
    let address = |i: &Value| match i {
        Value::Bv(b) => b.unsigned().to_string(),
        other => other.to_string(),
    };
    let mut shown: Vec<_> = changed.map(|i| (format!("{name}[{}]", address(i)), one(now.get(i)))).collect();
    if shown.len() > CELLS {
        let more = shown.len() - CELLS;
        shown.truncate(CELLS);
        shown.push((format!("{name}[...]"), format!("{more} more cells")));
    }
    shown
}

enum Planned<'a> {
    Choice(&'a Choice),
    Move(&'a Move),
}

impl Planned<'_> {
    fn edge(&self) -> EdgeId {
        match self {
            Self::Choice(c) => c.edge,
            Self::Move(m) => m.edge,
        }
    }
    fn value(&self, ts: &TransitionSystem, state: &State, u: UnknownId) -> Value {
        let chosen = match self {
            Self::Choice(c) => c.values.iter().find(|(w, _)| *w == u).map(|(_, v)| v.clone()),
            Self::Move(m) => m.inputs.iter().find(|(w, _)| *w == u).map(|(_, t)| {
                ts.terms.eval(*t, |s| match ts.terms.role(s) {
                    Some(Role::Var(v)) => state.value(v).clone(),
                    role => unreachable!("{role:?} in an input"),
                })
            }),
        };
        chosen.unwrap_or_else(|| ts.least(u))
    }
}
