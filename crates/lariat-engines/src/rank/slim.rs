//! Leaves out of steps what cannot matter for a ranking, so that fewer and smaller steps remain.

use super::form::Form;
use super::relation::{Constraint, Relation, restrict};
use crate::lp::{Clock, Outcome, Rational};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// From this many constraints on, those that follow from the others are looked for.
const MANY: usize = 8;

/// The steps without dimensions that are set anew, to anything, on every step; without conditions that are not connected
/// to any dimension; without doubles.
///
/// A function that rises on no step has weight zero at a dimension that may become anything, so nothing is lost.
pub(crate) fn slim(relations: &[Relation], clock: &Clock) -> Vec<Relation> {
    let mut relations = relations.to_vec();
    let dimensions = relations.first().map_or(0, |r| r.before.len());
    loop {
        let idle: Vec<usize> = (0..dimensions)
            .filter(|d| relations.iter().any(|r| !r.before[*d].parts.is_empty() || !r.after[*d].parts.is_empty()))
            .filter(|d| relations.iter().all(|r| becomes_anything(r, *d)))
            .collect();
        if idle.is_empty() {
            break;
        }
        for r in &mut relations {
            for d in &idle {
                r.before[*d] = Form::constant(Rational::ZERO);
                r.after[*d] = Form::constant(Rational::ZERO);
            }
        }
    }
    // What is one constant all along says nothing that a constant could not.
    for d in 0..dimensions {
        let values: BTreeSet<Option<&Rational>> =
            relations.iter().flat_map(|r| [r.before[d].as_constant(), r.after[d].as_constant()]).collect();
        if values.len() == 1 && !values.contains(&None) {
            for r in &mut relations {
                r.before[d] = Form::constant(Rational::ZERO);
                r.after[d] = Form::constant(Rational::ZERO);
            }
        }
    }
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for mut r in relations {
        only_connected(&mut r);
        without_redundant(&mut r, clock);
        renumber(&mut r);
        if seen.insert(r.clone()) {
            out.push(r);
        }
    }
    out
}

/// Whether a dimension's value after the step is a column that nothing else mentions.
fn becomes_anything(r: &Relation, d: usize) -> bool {
    let others = r.constraints.iter().map(|c| &c.form).chain(&r.before);
    let after = r.after.iter().enumerate().filter(|(i, _)| *i != d).map(|(_, f)| f);
    let mentioned: BTreeSet<usize> = others.chain(after).flat_map(|f| f.parts.iter().map(|p| p.0)).collect();
    r.after[d].parts.iter().any(|(c, _)| !mentioned.contains(c))
}

/// Drops constraints on columns that no chain of constraints connects with a dimension.
fn only_connected(r: &mut Relation) {
    let mut reached: BTreeSet<usize> =
        r.before.iter().chain(&r.after).flat_map(|f| f.parts.iter().map(|p| p.0)).collect();
    loop {
        let before = reached.len();
        for c in &r.constraints {
            if c.form.parts.iter().any(|p| reached.contains(&p.0)) {
                reached.extend(c.form.parts.iter().map(|p| p.0));
            }
        }
        if reached.len() == before {
            break;
        }
    }
    // What is not connected has points, or the relation would have none and would not be here.
    r.constraints.retain(|c| c.form.parts.iter().any(|p| reached.contains(&p.0)));
}

/// Drops constraints that follow from the others.
fn without_redundant(r: &mut Relation, clock: &Clock) {
    // Of constraints with one direction the strongest is enough.
    let mut strongest: BTreeMap<Vec<(usize, String)>, Constraint> = BTreeMap::new();
    for c in r.constraints.drain(..) {
        let mut key: Vec<(usize, String)> = c.form.parts.iter().map(|(k, w)| (*k, format!("{w:?}"))).collect();
        if c.zero {
            key.push((usize::MAX, format!("{:?}", c.form.constant)));
        }
        match strongest.get(&key) {
            Some(old) if old.form.constant <= c.form.constant => {}
            _ => {
                strongest.insert(key, c);
            }
        }
    }
    r.constraints = strongest.into_values().collect();
    if r.constraints.len() < MANY {
        return;
    }
    let columns = r.width();
    let mut i = r.constraints.len();
    while i > 0 {
        i -= 1;
        if r.constraints[i].zero {
            continue;
        }
        let c = r.constraints.remove(i);
        let mut lp = r.program_of(columns, WORK, clock);
        restrict(&mut lp, &Constraint::at_least_zero(c.form.negated().shifted(-1)));
        if lp.feasible() != Outcome::Infeasible {
            r.constraints.insert(i, c);
        }
    }
}

/// What one question about redundancy may cost.
const WORK: u32 = 20_000;

/// Numbers the columns without gaps.
pub(crate) fn renumber(r: &mut Relation) {
    let number: BTreeMap<usize, usize> = r.columns().into_iter().enumerate().map(|(i, c)| (c, i)).collect();
    let all = r.constraints.iter_mut().map(|c| &mut c.form).chain(&mut r.before).chain(&mut r.after);
    for f in all {
        f.parts.iter_mut().for_each(|p| p.0 = number[&p.0]);
    }
}
