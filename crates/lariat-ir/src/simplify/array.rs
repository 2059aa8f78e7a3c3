//! Reads and writes of arrays.

use super::{Family, Rule, binary, distinct, unary};
use crate::term::{Op, Term, Terms};

pub(super) const FAMILY: Family = Family {
    name: "arrays",
    concerns: |op| matches!(op, Op::Select | Op::Store),
    rules: &[
        Rule { name: "select-fill", apply: select_fill },
        Rule { name: "select-stored", apply: select_stored },
        Rule { name: "select-passes-store", apply: select_passes_store },
        Rule { name: "store-selected", apply: store_selected },
        Rule { name: "store-fill", apply: store_fill },
        Rule { name: "store-store", apply: store_store },
        Rule { name: "store-shadowed", apply: store_shadowed },
    ],
};

fn store(t: &Terms, a: Term) -> Option<(Term, Term, Term)> {
    let node = t.node(a);
    match (node.op, node.args()) {
        (Op::Store, &[base, index, value]) => Some((base, index, value)),
        _ => None,
    }
}

/// What every cell of a filled array holds.
fn filling(t: &Terms, a: Term) -> Option<Term> {
    match t.node(a).op {
        op @ Op::Fill(_) => unary(t, op, a),
        _ => None,
    }
}

fn select_fill(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Select {
        return None;
    }
    filling(t, args[0])
}

fn select_stored(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Select {
        return None;
    }
    let (_, index, value) = store(t, args[0])?;
    (index == args[1]).then_some(value)
}

fn select_passes_store(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Select {
        return None;
    }
    let (base, index, _) = store(t, args[0])?;
    distinct(t, index, args[1]).then(|| t.apply(Op::Select, &[base, args[1]]))
}

/// Writing back what was read there changes nothing.
fn store_selected(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Store {
        return None;
    }
    (binary(t, Op::Select, args[2])? == (args[0], args[1])).then_some(args[0])
}

fn store_fill(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Store {
        return None;
    }
    (filling(t, args[0])? == args[2]).then_some(args[0])
}

fn store_store(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Store {
        return None;
    }
    let (base, index, _) = store(t, args[0])?;
    (index == args[1]).then(|| t.apply(Op::Store, &[base, index, args[2]]))
}

/// A write that a later one to the same cell hides, with a write to another cell in between.
fn store_shadowed(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Store {
        return None;
    }
    let (middle, other, value) = store(t, args[0])?;
    let (base, index, _) = store(t, middle)?;
    (index == args[1] && distinct(t, index, other))
        .then(|| t.apply(Op::Store, &[t.apply(Op::Store, &[base, other, value]), index, args[2]]))
}
