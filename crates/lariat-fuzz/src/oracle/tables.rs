//! Sets of states and functions on states as terms.

use super::compiled::{bits_of, from_word};
use lariat_ir::{Id, Op, Sort, Term, TransitionSystem, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The words of the variables in a state.
pub(super) type Row = Vec<i64>;

/// At most so many states are listed one by one.
const LIMIT: usize = 40;

/// That a variable has this value.
pub(super) fn equals(ts: &TransitionSystem, v: VarId, word: i64) -> Term {
    let (t, var) = (&ts.terms, &ts.vars[v]);
    match var.sort {
        Sort::Bool if word == 0 => t.not(var.term),
        Sort::Bool => var.term,
        sort => t.eq(var.term, t.value(&from_word(sort, word))),
    }
}

/// A condition that holds in exactly these states; nothing if it would be large.
pub(super) fn set_term(ts: &TransitionSystem, rows: &BTreeSet<Row>) -> Option<Term> {
    if rows.is_empty() {
        return Some(ts.terms.ff());
    }
    let mut kept: Vec<usize> = (0..ts.vars.len()).collect();
    let mut rows = rows.clone();
    // A variable that takes all its values beside every choice of the others says nothing.
    for v in 0..ts.vars.len() {
        let at = kept.iter().position(|&k| k == v).expect("each is dropped at most once");
        let Some(bits) = bits_of(ts.vars[VarId::from_index(v)].sort) else { continue };
        let rest: BTreeSet<Row> = rows.iter().map(|r| without(r, at)).collect();
        if bits < 20 && rest.len() << bits == rows.len() {
            rows = rest;
            kept.remove(at);
        }
    }
    if let Some(b) = box_term(ts, &kept, &rows) {
        return Some(b);
    }
    let listed = |rows: &BTreeSet<Row>| {
        let one = |r: &Row| ts.terms.all(r.iter().zip(&kept).map(|(w, &v)| equals(ts, VarId::from_index(v), *w)));
        (rows.len() <= LIMIT).then(|| ts.terms.any(rows.iter().map(one)))
    };
    if let Some(t) = listed(&rows) {
        return Some(t);
    }
    let bits: Vec<u32> = kept.iter().map(|&v| bits_of(ts.vars[VarId::from_index(v)].sort)).collect::<Option<_>>()?;
    let all: u32 = bits.iter().sum();
    if all > 12 || (1usize << all) - rows.len() > LIMIT {
        return None;
    }
    let mut rest = BTreeSet::new();
    for n in 0..1i64 << all {
        let mut n = n;
        let row: Row = bits
            .iter()
            .map(|b| {
                let w = n & ((1 << b) - 1);
                n >>= b;
                w
            })
            .collect();
        if !rows.contains(&row) {
            rest.insert(row);
        }
    }
    Some(ts.terms.not(listed(&rest)?))
}

fn without(row: &Row, at: usize) -> Row {
    let mut r = row.clone();
    r.remove(at);
    r
}

/// The condition of a product of intervals, if these states are one.
fn box_term(ts: &TransitionSystem, vars: &[usize], rows: &BTreeSet<Row>) -> Option<Term> {
    let t = &ts.terms;
    let mut size = 1usize;
    let mut conjuncts = Vec::new();
    for (at, &v) in vars.iter().enumerate() {
        let var = &ts.vars[VarId::from_index(v)];
        let lo = rows.iter().map(|r| r[at]).min()?;
        let hi = rows.iter().map(|r| r[at]).max()?;
        size = size.checked_mul(usize::try_from(hi - lo + 1).ok()?)?;
        if lo == hi {
            conjuncts.push(equals(ts, VarId::from_index(v), lo));
            continue;
        }
        let value = |w: i64| t.value(&from_word(var.sort, w));
        let (le, least, greatest) = match var.sort {
            Sort::Int => (Op::IntLe, None, None),
            Sort::BitVec(w) => (Op::BvUle, Some(0), Some((1i64 << w) - 1)),
            _ => return None,
        };
        if Some(lo) != least {
            conjuncts.push(t.apply(le, &[value(lo), var.term]));
        }
        if Some(hi) != greatest {
            conjuncts.push(t.apply(le, &[var.term, value(hi)]));
        }
    }
    (size == rows.len()).then(|| t.all(conjuncts))
}

/// A term that has these values in these states, and any value elsewhere; nothing if it would be large.
pub(super) fn function_term(
    ts: &TransitionSystem,
    table: &BTreeMap<Row, i64>,
    constant: &dyn Fn(i64) -> Term,
) -> Option<Term> {
    let mut table = table.clone();
    // Variables that the value does not depend on are set to zero everywhere.
    for v in 0..ts.vars.len() {
        let mut smaller: BTreeMap<Row, i64> = BTreeMap::new();
        let independent = table.iter().all(|(row, value)| {
            let mut r = row.clone();
            r[v] = 0;
            *smaller.entry(r).or_insert(*value) == *value
        });
        if independent {
            // The zero stands for "any": spread it over the variable's values again where sets are made.
            table = smaller;
        }
    }
    let ignored: Vec<bool> = (0..ts.vars.len()).map(|v| table.keys().all(|r| r[v] == 0)).collect();
    let mut classes: BTreeMap<i64, Vec<&Row>> = BTreeMap::new();
    for (row, value) in &table {
        classes.entry(*value).or_default().push(row);
    }
    let default = *classes.iter().max_by_key(|(_, rows)| rows.len())?.0;
    if table.len() - classes[&default].len() > LIMIT {
        return None;
    }
    let mut term = constant(default);
    for (value, rows) in classes.iter().filter(|(v, _)| **v != default) {
        let one = |row: &&Row| {
            let parts = row.iter().enumerate().filter(|(v, _)| !ignored[*v]);
            ts.terms.all(parts.map(|(v, w)| equals(ts, VarId::from_index(v), *w)))
        };
        term = ts.terms.ite(ts.terms.any(rows.iter().map(one)), constant(*value), term);
    }
    Some(term)
}
