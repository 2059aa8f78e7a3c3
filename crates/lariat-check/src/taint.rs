//! Evaluation that knows which values are settled.
//!
//! Beside each value stands whether it is *settled*: the same in every run that agrees on the settled values it was
//! made from. Environment and abstraction values are not settled, nor is anything computed from them, except that a
//! settled condition chooses its branch, and a settled index its cell.

use lariat_ir::eval::apply;
use lariat_ir::{Op, Term, Terms, Value};
use std::collections::{BTreeMap, HashMap};

/// Which part of a value is settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Settled {
    /// A scalar.
    Whole(bool),
    /// An array: the cells named here as said, all others as `rest`.
    Cells { rest: bool, cells: BTreeMap<Value, bool> },
}

impl Settled {
    /// All of a value, or nothing of it.
    pub fn all(value: &Value, settled: bool) -> Self {
        match value {
            Value::Array(_) => Self::Cells { rest: settled, cells: BTreeMap::new() },
            _ => Self::Whole(settled),
        }
    }
    /// Whether every part is.
    pub fn is_all(&self) -> bool {
        match self {
            Self::Whole(s) => *s,
            Self::Cells { rest, cells } => *rest && cells.values().all(|s| *s),
        }
    }
    /// Whether one cell is.
    pub fn cell(&self, index: &Value) -> bool {
        match self {
            Self::Whole(s) => *s,
            Self::Cells { rest, cells } => cells.get(index).copied().unwrap_or(*rest),
        }
    }
    fn with_cell(&self, index: &Value, settled: bool) -> Self {
        match self {
            Self::Whole(_) => unreachable!("only arrays are stored to"),
            Self::Cells { rest, cells } => {
                let mut cells = cells.clone();
                cells.insert(index.clone(), settled);
                Self::Cells { rest: *rest, cells }
            }
        }
    }
}

/// A value and which part of it is settled.
pub(crate) type Tracked = (Value, Settled);

/// The value of a term; `lookup` gives that of each symbol.
pub(crate) fn eval(terms: &Terms, t: Term, mut lookup: impl FnMut(Term) -> Tracked) -> Tracked {
    let mut done: HashMap<Term, Tracked> = HashMap::new();
    for u in terms.reachable(&[t]) {
        let node = terms.node(u);
        let tracked = match node.op {
            Op::Symbol(_) => lookup(u),
            Op::Bool(_) | Op::Bv(_) | Op::Int(_) => {
                (terms.constant_value(u).expect("a constant has a value"), Settled::Whole(true))
            }
            op => {
                let args: Vec<&Tracked> = node.args().iter().map(|a| &done[a]).collect();
                let values: Vec<&Value> = args.iter().map(|(v, _)| v).collect();
                let value = apply(op, &values);
                let settled = settled(op, &args, &value);
                (value, settled)
            }
        };
        done.insert(u, tracked);
    }
    done.remove(&t).expect("the root is evaluated last")
}

fn settled(op: Op, args: &[&Tracked], value: &Value) -> Settled {
    let all = |i: usize| args[i].1.is_all();
    match op {
        Op::Ite if all(0) => args[if args[0].0.as_bool() { 1 } else { 2 }].1.clone(),
        Op::Select if all(1) => Settled::Whole(args[0].1.cell(&args[1].0)),
        Op::Store if all(1) => args[0].1.with_cell(&args[1].0, all(2)),
        Op::Fill(_) => Settled::all(value, all(0)),
        _ => Settled::all(value, (0..args.len()).all(all)),
    }
}
