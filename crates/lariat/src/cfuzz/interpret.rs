//! The interpreter's side: one run of a transition system with the inputs of the native run.

use super::native::{OBSERVATIONS, input};
use crate::oracle::random::Rng;
use lariat_ir::{
    LocId, Machine, Op, Role, Scalar, Sort, State, Step, Term, TransitionSystem, UnknownId, UnknownKind, Value,
};
use std::fmt;
use std::sync::Arc;

/// How many steps a run takes at most.
pub(super) const FUEL: u64 = 60_000;

/// How many steps a run takes at most without an observation: programs observe often.
const SILENCE: u64 = 10_000;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The entry returned.
    Exit,
    /// An assume was violated.
    Stop,
    /// Abort, exit, a failed assertion.
    Trap,
    /// Undefined behaviour.
    Undefined,
    /// It was still running after the last observation that counts.
    Limit,
    /// The fuel was used up.
    Fuel,
    /// The system is none: no edge or two could be taken, or there is no initial state.
    Broken(String),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit => write!(f, "EXIT"),
            Self::Stop => write!(f, "STOP"),
            Self::Trap => write!(f, "TRAP"),
            Self::Undefined => write!(f, "UB"),
            Self::Limit => write!(f, "still running after {OBSERVATIONS} observations"),
            Self::Fuel => write!(f, "still running"),
            Self::Broken(why) => write!(f, "broken: {why}"),
        }
    }
}

/// A run of a transition system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// What it observed; over Z a value may have any size.
    pub observed: Vec<i128>,
    /// How it ended.
    pub end: Ended,
    /// The unknowns that are no inputs and were asked for: how many observations went before, and which one.
    pub asked: Vec<(usize, UnknownId)>,
}

/// Runs a system. Inputs have the values that the native run gets; everything else that is unknown has random values; for
/// the seeds 0 and 1 they are all of them that.
pub fn interpret(ts: &TransitionSystem, input_seed: u64, other_seed: u64) -> Trace {
    let machine = Machine::new(ts);
    let mut trace = Trace { observed: Vec::new(), end: Ended::Fuel, asked: Vec::new() };
    let values = initial_values(ts);
    if !machine.is_initial(&values) {
        trace.end = Ended::Broken("no initial state was found".into());
        return trace;
    }
    let observed = ts.var_named("observed");
    let mut rng = Rng::new(other_seed);
    let mut state = State { loc: ts.entry, values };
    let mut silent = 0;
    for _ in 0..FUEL {
        silent += 1;
        if silent > SILENCE {
            break;
        }
        let count = trace.observed.len();
        let asked = &mut trace.asked;
        let step = machine.step(&state, |u| {
            let (value, known) = choose(ts, u, input_seed, count as u64, other_seed, &mut rng);
            if !known {
                asked.push((count, u));
            }
            value
        });
        match step {
            Step::Took(_, next) => state = next,
            Step::Ended => {
                trace.end = match state.loc {
                    LocId::EXIT => Ended::Exit,
                    LocId::STOP => Ended::Stop,
                    LocId::TRAP => Ended::Trap,
                    _ => Ended::Undefined,
                };
                return trace;
            }
            Step::Stuck => {
                trace.end = Ended::Broken(format!("stuck at `{}`", ts.locs[state.loc].name));
                return trace;
            }
            Step::Ambiguous(..) => {
                trace.end = Ended::Broken(format!("two edges at `{}`", ts.locs[state.loc].name));
                return trace;
            }
        }
        if observes(ts, state.loc) {
            silent = 0;
            trace.observed.push(match observed.map(|v| state.value(v)) {
                Some(Value::Bv(b)) => b.signed(),
                Some(Value::Int(i)) => i128::try_from(i.clone()).unwrap_or(i128::MAX),
                other => {
                    trace.end = Ended::Broken(format!("`observed` is {other:?}"));
                    return trace;
                }
            });
            if trace.observed.len() >= OBSERVATIONS {
                trace.end = Ended::Limit;
                return trace;
            }
        }
    }
    trace
}

/// Whether a run that comes to a location has just observed something.
pub(super) fn observes(ts: &TransitionSystem, loc: LocId) -> bool {
    // The location in which unknowns of an observing location are stored has its name, too.
    let name = &ts.locs[loc].name;
    name.starts_with("observe") && !name.ends_with(".chosen")
}

/// The value of an unknown after so many observations, and whether the native run has the same.
pub(super) fn choose(
    ts: &TransitionSystem,
    u: UnknownId,
    input_seed: u64,
    observations: u64,
    other_seed: u64,
    rng: &mut Rng,
) -> (Value, bool) {
    if ts.unknowns[u].kind == UnknownKind::Input {
        return (input_value(ts, u, input(input_seed, observations)), true);
    }
    // The native program has memory enough.
    if ts.unknowns[u].name.contains(" fails") {
        return (input_value(ts, u, 0), true);
    }
    (if other_seed <= 1 { input_value(ts, u, other_seed) } else { random_value(ts, u, rng) }, false)
}

/// The value of an input: the low bits of the word, as the type reads them.
fn input_value(ts: &TransitionSystem, u: UnknownId, word: u64) -> Value {
    let unknown = &ts.unknowns[u];
    let word = if unknown.name.contains("bool") { word & 1 } else { word };
    let word = i128::from(word.cast_signed());
    match (unknown.sort, &unknown.range) {
        (Sort::Int, Some((lo, hi))) => {
            let (Ok(lo), Ok(hi)) = (i128::try_from(lo.clone()), i128::try_from(hi.clone())) else {
                return Value::int(word);
            };
            // A range as wide as the numbers here holds every word.
            let size = hi.checked_sub(lo).and_then(|d| d.checked_add(1));
            Value::int(size.map_or(word, |size| lo + (word - lo).rem_euclid(size)))
        }
        (Sort::Int, None) => Value::int(word),
        (Sort::BitVec(w), _) => Value::bv(w, word.cast_unsigned()),
        (Sort::Bool, _) => Value::Bool(word & 1 == 1),
        (Sort::Array(..), _) => ts.least(u),
    }
}

fn random_value(ts: &TransitionSystem, u: UnknownId, rng: &mut Rng) -> Value {
    let word = if rng.percent(50) { rng.next() } else { rng.next() % 4 };
    match ts.unknowns[u].sort {
        Sort::Array(index, of) => {
            let default = match of {
                Scalar::Bool => Value::Bool(word & 1 == 1),
                Scalar::BitVec(w) => Value::bv(w, u128::from(word)),
                Scalar::Int => Value::int(i128::from(word % 256) - 128),
            };
            Value::Array(Arc::new(lariat_ir::ArrayValue::constant(index, default)))
        }
        _ => input_value(ts, u, word),
    }
}

/// Values that satisfy `init` where that is a conjunction of equations, which is what a lowered program has.
pub(super) fn initial_values(ts: &TransitionSystem) -> Vec<Value> {
    let mut values: Vec<Value> = ts.vars.iter().map(|v| Value::zero(v.sort)).collect();
    let variable = |t: Term| match ts.terms.role(t) {
        Some(Role::Var(v)) => Some(lariat_ir::Id::index(v)),
        _ => None,
    };
    let closed = |t: Term| ts.terms.symbols(t).is_empty();
    for condition in ts.terms.conjuncts(ts.init) {
        let node = ts.terms.node(condition);
        match (node.op, node.args()) {
            (Op::Eq, &[a, b]) => {
                let (x, value) = if closed(b) { (a, b) } else { (b, a) };
                if let (Some(v), true) = (variable(x), closed(value)) {
                    values[v] = ts.terms.eval(value, |s| unreachable!("{s:?} is no part of a closed term"));
                }
            }
            (Op::Symbol(_), _) => {
                if let Some(v) = variable(condition) {
                    values[v] = Value::Bool(true);
                }
            }
            _ => {}
        }
    }
    values
}
