//! A few symbols with all their values, and what terms over them evaluate to.

use crate::eval;
use crate::sort::{Scalar, Sort};
use crate::term::{Op, Role, Term, Terms, result_sort};
use crate::value::{ArrayValue, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// All values of a small scalar sort.
fn all_values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(w) => (0..1u128 << w).map(|b| Value::bv(w, b)).collect(),
        Sort::Int => (-5..=5).map(Value::int).collect(),
        Sort::Array(i, e) => all_arrays(i, e),
    }
}

/// All maps over a small index: every default, with every way to fill the cells. Over integers, a few.
fn all_arrays(index: Scalar, element: Scalar) -> Vec<Value> {
    let mut maps = BTreeSet::new();
    let elements: Vec<Value> =
        all_values(element.into()).into_iter().step_by(if element == Scalar::Int { 4 } else { 1 }).collect();
    let indices: Vec<Value> =
        all_values(index.into()).into_iter().step_by(if index == Scalar::Int { 4 } else { 1 }).collect();
    for default in &elements {
        let mut level = vec![ArrayValue::constant(index, default.clone())];
        for i in &indices {
            level = level
                .iter()
                .flat_map(|map| {
                    elements.iter().map(|e| {
                        let mut map = map.clone();
                        map.set(i.clone(), e.clone());
                        map
                    })
                })
                .collect();
        }
        maps.extend(level);
    }
    maps.into_iter().map(|m| Value::Array(Arc::new(m))).collect()
}

/// Symbols with all their values, and tables of what terms over them evaluate to.
pub struct Universe {
    pub terms: Terms,
    pub symbols: Vec<Term>,
    /// The values of each symbol in every valuation.
    pub valuations: Vec<Vec<Value>>,
    pub ops: Vec<Op>,
    /// The sorts of the symbols, and truth values.
    pub sorts: Vec<Sort>,
    /// What each operation takes, over the sorts of the symbols.
    pub signatures: HashMap<Op, Vec<Vec<Sort>>>,
    constants: RefCell<BTreeMap<Sort, Rc<Vec<Term>>>>,
    tables: RefCell<HashMap<Term, Rc<Vec<Value>>>>,
}

impl Universe {
    pub fn new(symbols: &[(&str, Sort)], ops: Vec<Op>) -> Self {
        let terms = Terms::new();
        let names = symbols.iter().map(|(n, s)| terms.symbol(n, *s, Role::Free)).collect();
        let mut sorts: BTreeSet<Sort> = symbols.iter().map(|(_, s)| *s).collect();
        sorts.insert(Sort::Bool);
        let sorts: Vec<Sort> = sorts.into_iter().collect();
        let signatures = ops.iter().map(|&op| (op, signatures(op, &sorts))).collect();
        let mut valuations: Vec<Vec<Value>> = vec![Vec::new()];
        for (_, sort) in symbols {
            let values = all_values(*sort);
            valuations = valuations
                .into_iter()
                .flat_map(|v| {
                    values.iter().map(move |x| {
                        let mut v = v.clone();
                        v.push(x.clone());
                        v
                    })
                })
                .collect();
        }
        let (constants, tables) = (RefCell::default(), RefCell::default());
        Self { terms, symbols: names, valuations, ops, sorts, signatures, constants, tables }
    }

    pub fn constants(&self, sort: Sort) -> Rc<Vec<Term>> {
        let make = || match sort {
            Sort::Array(i, e) => {
                let fill = |v: &Value| self.terms.apply(Op::Fill(i), &[self.terms.value(v)]);
                all_values(e.into()).iter().map(fill).collect()
            }
            scalar => all_values(scalar).iter().map(|v| self.terms.value(v)).collect(),
        };
        self.constants.borrow_mut().entry(sort).or_insert_with(|| Rc::new(make())).clone()
    }

    pub fn symbols_of(&self, sort: Sort) -> Vec<Term> {
        self.symbols.iter().copied().filter(|&s| self.terms.sort(s) == sort).collect()
    }

    /// Symbols and constants of a sort.
    pub fn leaves(&self, sort: Sort) -> Vec<Term> {
        let mut all = self.symbols_of(sort);
        all.extend(self.constants(sort).iter());
        all
    }

    /// The values of a term under every valuation.
    pub fn table(&self, t: Term) -> Rc<Vec<Value>> {
        if let Some(table) = self.tables.borrow().get(&t) {
            return table.clone();
        }
        let node = self.terms.node(t);
        let table = if let Some(at) = self.symbols.iter().position(|&s| s == t) {
            self.valuations.iter().map(|v| v[at].clone()).collect()
        } else if let Some(value) = self.terms.constant_value(t) {
            vec![value; self.valuations.len()]
        } else {
            self.apply(node.op, node.args())
        };
        let table = Rc::new(table);
        let mut tables = self.tables.borrow_mut();
        if tables.len() > 4000 {
            tables.clear();
        }
        tables.insert(t, table.clone());
        table
    }

    pub fn apply(&self, op: Op, args: &[Term]) -> Vec<Value> {
        let tables: Vec<Rc<Vec<Value>>> = args.iter().map(|&a| self.table(a)).collect();
        (0..self.valuations.len())
            .map(|i| match tables.as_slice() {
                [a] => eval::apply(op, &[&a[i]]),
                [a, b] => eval::apply(op, &[&a[i], &b[i]]),
                [a, b, c] => eval::apply(op, &[&a[i], &b[i], &c[i]]),
                _ => unreachable!("operations have one to three arguments"),
            })
            .collect()
    }
}

/// The argument sorts that an operation takes, as far as sorts of the universe go.
pub fn signatures(op: Op, sorts: &[Sort]) -> Vec<Vec<Sort>> {
    let mut all = Vec::new();
    let arity = match op {
        Op::Ite | Op::Store => 3,
        Op::Not
        | Op::BvNot
        | Op::BvNeg
        | Op::IntNeg
        | Op::Extract { .. }
        | Op::ZeroExtend(_)
        | Op::SignExtend(_)
        | Op::IntToBv(_)
        | Op::UbvToInt
        | Op::SbvToInt
        | Op::Fill(_) => 1,
        _ => 2,
    };
    let mut open: Vec<Vec<Sort>> = vec![Vec::new()];
    while let Some(prefix) = open.pop() {
        if prefix.len() == arity {
            if result_sort(op, &prefix).is_ok() {
                all.push(prefix);
            }
            continue;
        }
        open.extend(sorts.iter().map(|&s| {
            let mut p = prefix.clone();
            p.push(s);
            p
        }));
    }
    all
}

const BOOLEAN: [Op; 5] = [Op::Not, Op::And, Op::Or, Op::Eq, Op::Ite];

fn bit_vector_ops(width: u32) -> Vec<Op> {
    let mut ops = BOOLEAN.to_vec();
    ops.extend([Op::BvNot, Op::BvNeg, Op::BvAnd, Op::BvOr, Op::BvXor, Op::BvAdd, Op::BvSub, Op::BvMul]);
    ops.extend([Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem, Op::BvShl, Op::BvLshr, Op::BvAshr]);
    ops.extend([Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Concat]);
    ops.extend((0..=2).flat_map(|by| [Op::ZeroExtend(by), Op::SignExtend(by)]));
    ops.extend((0..2 * width).flat_map(|hi| (0..=hi).map(move |lo| Op::Extract { hi, lo })));
    ops
}

pub fn bit_vectors(width: u32) -> Universe {
    let w = Sort::BitVec(width);
    Universe::new(&[("x", w), ("y", w)], bit_vector_ops(width))
}

/// One bit-vector and one truth value: two and one would take twice the valuations.
pub fn bit_vector_and_truth_value(width: u32) -> Universe {
    Universe::new(&[("x", Sort::BitVec(width)), ("p", Sort::Bool)], bit_vector_ops(width))
}

pub fn booleans() -> Universe {
    let symbols = [("p", Sort::Bool), ("q", Sort::Bool), ("r", Sort::Bool), ("s", Sort::Bool)];
    Universe::new(&symbols, BOOLEAN.to_vec())
}

pub fn integers() -> Universe {
    let mut ops = BOOLEAN.to_vec();
    ops.extend([Op::IntNeg, Op::IntAdd, Op::IntSub, Op::IntMul, Op::IntDiv, Op::IntMod, Op::IntLt, Op::IntLe]);
    Universe::new(&[("x", Sort::Int), ("y", Sort::Int), ("p", Sort::Bool)], ops)
}

/// Integers and bit-vectors together, with what turns one into the other.
pub fn conversions(width: u32) -> Universe {
    let mut ops = BOOLEAN.to_vec();
    ops.extend([Op::IntNeg, Op::IntAdd, Op::IntSub, Op::IntMul, Op::IntMod, Op::IntLt, Op::IntLe]);
    ops.extend([Op::UbvToInt, Op::SbvToInt, Op::BvAnd, Op::BvAdd, Op::BvUlt, Op::BvSle]);
    ops.extend((1..=width + 1).map(Op::IntToBv));
    ops.extend((0..=2).flat_map(|by| [Op::ZeroExtend(by), Op::SignExtend(by)]));
    let bits = Sort::BitVec(width);
    Universe::new(&[("x", Sort::Int), ("b", bits), ("c", bits)], ops)
}

pub fn arrays(index: Scalar, element: Scalar) -> Universe {
    let (i, e) = (index.into(), element.into());
    let mut symbols = vec![("a", Sort::Array(index, element)), ("i", i), ("v", e)];
    if index != Scalar::Int {
        // Eleven values each would be too many valuations.
        symbols.push(("j", i));
    }
    let add = if index == Scalar::Int { Op::IntAdd } else { Op::BvAdd };
    Universe::new(&symbols, vec![Op::Ite, Op::Eq, Op::Select, Op::Store, Op::Fill(index), add])
}
