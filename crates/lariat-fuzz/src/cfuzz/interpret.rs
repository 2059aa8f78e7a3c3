//! The interpreter's side: one run of a transition system with the inputs of the native run.

use super::native::{OBSERVATIONS, input};
use dashu_int::IBig;
use dashu_int::ops::BitTest;
use lariat_ir::neutral::IntType;
use lariat_ir::random::Random;
use lariat_ir::{
    LocId, Machine, Op, Role, Scalar, Sort, State, Step, Term, TransitionSystem, UnknownId, UnknownKind, Value,
};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// How many steps a run takes at most.
pub(super) const FUEL: u64 = 60_000;
/// How many cells of memory all steps of a run may hold together.
const CELLS: usize = 2_000_000;

/// How many steps a run takes at most without an observation: programs observe often.
const SILENCE: u64 = 10_000;

/// How many bits a number may have: far more than any type, so that an overflow came long before, and nothing behind it is
/// compared over Z. A program that squares a number again and again has soon used up all memory.
const WIDEST: usize = 4096;

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
    /// The fuel was used up, or a number got too wide.
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

/// Where the values of unknowns come from.
#[derive(Clone, Debug)]
pub struct Values {
    /// The seed of the inputs, which the native run has, too.
    pub input_seed: u64,
    /// The seed of everything else.
    pub other_seed: u64,
    /// The types of the unknowns, by name. Over Z the system itself does not bound all of its inputs, and the native program has
    /// no others than those of their types.
    pub types: HashMap<String, IntType>,
}

/// Runs a system. Inputs have the values that the native run gets; everything else that is unknown has random values.
pub fn interpret(ts: &TransitionSystem, from: &Values) -> Trace {
    let machine = Machine::new(ts);
    let mut trace = Trace { observed: Vec::new(), end: Ended::Fuel, asked: Vec::new() };
    let values = initial_values(ts);
    if !machine.is_initial(&values) {
        trace.end = Ended::Broken("no initial state was found".into());
        return trace;
    }
    let observed = ts.var_named("observed");
    let mut rng = Random::new(from.other_seed);
    let mut state = State { loc: ts.entry, values };
    let mut silent = 0;
    let mut cells = CELLS;
    for _ in 0..FUEL {
        silent += 1;
        // A run that allocates for ever has more and more memory, and every store copies it.
        let held = state.values.iter().map(|v| if let Value::Array(a) = v { a.cells().len() } else { 0 });
        cells = cells.saturating_sub(held.sum());
        if silent > SILENCE || cells == 0 {
            break;
        }
        let count = trace.observed.len();
        let asked = &mut trace.asked;
        let step = machine.step(&state, |u| {
            let (value, known) = from.choose(ts, u, count as u64, &mut rng);
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
            Step::Huge => break,
            Step::Stuck => {
                trace.end = Ended::Broken(format!("stuck at `{}`", ts.locs[state.loc].name));
                return trace;
            }
            Step::Ambiguous(..) => {
                trace.end = Ended::Broken(format!("two edges at `{}`", ts.locs[state.loc].name));
                return trace;
            }
        }
        if state.values.iter().any(is_too_wide) {
            break;
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

fn is_too_wide(value: &Value) -> bool {
    match value {
        Value::Int(i) => i.bit_len() > WIDEST,
        Value::Array(a) => is_too_wide(a.default_value()) || a.cells().values().any(is_too_wide),
        Value::Bool(_) | Value::Bv(_) => false,
    }
}

/// Whether a run that comes to a location has just observed something.
pub(super) fn observes(ts: &TransitionSystem, loc: LocId) -> bool {
    // The location in which unknowns of an observing location are stored has its name, too.
    let name = &ts.locs[loc].name;
    name.starts_with("observe") && !name.ends_with(".chosen")
}

impl Values {
    /// The value of an unknown after so many observations, and whether the native run has the same.
    pub(super) fn choose(
        &self,
        ts: &TransitionSystem,
        u: UnknownId,
        observations: u64,
        rng: &mut Random,
    ) -> (Value, bool) {
        let unknown = &ts.unknowns[u];
        if unknown.kind == UnknownKind::Input {
            let word = input(self.input_seed, observations);
            return (value_of_word(ts, u, self.types.get(&unknown.name).copied(), word), true);
        }
        // The native program has memory enough.
        if unknown.name.contains(" fails") {
            return (value_of_word(ts, u, None, 0), true);
        }
        (random_value(ts, u, rng), false)
    }
}

/// The value of an unknown: the low bits of the word, as the type reads them.
fn value_of_word(ts: &TransitionSystem, u: UnknownId, ty: Option<IntType>, word: u64) -> Value {
    let unknown = &ts.unknowns[u];
    let word = if unknown.name.contains("bool") { word & 1 } else { word };
    let word = i128::from(word.cast_signed());
    match unknown.sort {
        Sort::Int => {
            let range = unknown.range.clone().or_else(|| ty.map(IntType::range));
            let Some((lo, hi)) = range else { return Value::int(word) };
            let size = hi - &lo + IBig::ONE;
            let above = (IBig::from(word) - &lo) % &size;
            Value::Int(lo + if above < IBig::ZERO { above + size } else { above })
        }
        Sort::BitVec(w) => Value::bv(w, word.cast_unsigned()),
        Sort::Bool => Value::Bool(word & 1 == 1),
        Sort::Array(..) => ts.least(u),
    }
}

fn random_value(ts: &TransitionSystem, u: UnknownId, rng: &mut Random) -> Value {
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
        _ => value_of_word(ts, u, None, word),
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
