//! The search for lexicographic tuples of affine functions.
//!
//! At each level one function for each node is sought that rises on no step of a component and falls, bounded below,
//! on as many as possible (Alias, Darte, Feautrier and Gonnord). If no function is bounded on all steps, one is
//! sought for each step by itself that need be bounded there only (Bradley, Manna and Sipma). The steps that fall are
//! done with; the rest splits into strongly connected components; steps between those fall in a level of constants. By
//! Farkas' lemma each question is one linear program: a form is at least zero on a relation that has points iff it is a sum
//! of the relation's constraints with weights that are not negative, and a constant that is not.

use super::form::Form;
use super::relation::{Constraint, Relation};
use crate::lp::{ColumnId, Optimum, Rational, Simplex, common_multiple};
use dashu_int::IBig;
use std::time::Instant;

/// An affine function of the dimensions, with integer weights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Function {
    /// The weight of each dimension.
    pub weights: Vec<Rational>,
    /// What is added.
    pub constant: Rational,
}

impl Function {
    /// A constant.
    pub fn constant(dimensions: usize, c: i64) -> Self {
        Self { weights: vec![Rational::ZERO; dimensions], constant: Rational::small(c) }
    }
}

/// A function for each node.
pub(crate) type Level = Vec<Function>;

/// What was found.
pub(crate) struct Tuple {
    /// The levels.
    pub levels: Vec<Level>,
    /// The steps of components on which no further level was found; empty if the search succeeded.
    pub stuck: Vec<Relation>,
}

/// How much to spend on one program.
const PIVOTS: u32 = 6_000;

/// Searches a tuple under which every step falls.
pub(crate) fn lexicographic(nodes: usize, dimensions: usize, relations: &[Relation], deadline: Instant) -> Tuple {
    let mut levels: Vec<Level> = Vec::new();
    let mut rest: Vec<Relation> = relations.to_vec();
    let mut stuck: Vec<Relation> = Vec::new();
    loop {
        let component = components(nodes, &rest);
        let crosses = |r: &Relation| component[r.from] != component[r.to];
        if rest.iter().any(crosses) {
            // Components are numbered so that steps go from greater numbers to smaller ones.
            let number = |n: usize| i64::try_from(component[n]).expect("components are few");
            levels.push((0..nodes).map(|n| Function::constant(dimensions, number(n))).collect());
            rest.retain(|r| !crosses(r));
        }
        if rest.is_empty() {
            return Tuple { levels, stuck };
        }
        let mut level: Level = (0..nodes).map(|_| Function::constant(dimensions, 0)).collect();
        let mut left = Vec::new();
        let mut any = false;
        let most = component.iter().max().copied().unwrap_or(0);
        for c in 0..=most {
            let steps: Vec<&Relation> = rest.iter().filter(|r| component[r.from] == c).collect();
            if steps.is_empty() {
                continue;
            }
            let members: Vec<usize> = (0..nodes).filter(|n| component[*n] == c).collect();
            match one_level(&members, dimensions, &steps, deadline) {
                Some((functions, falls)) => {
                    any = true;
                    for (n, f) in members.iter().zip(functions) {
                        level[*n] = f;
                    }
                    left.extend(steps.iter().zip(falls).filter(|(_, f)| !f).map(|(s, _)| (*s).clone()));
                }
                None => stuck.extend(steps.into_iter().cloned()),
            }
        }
        if !any {
            return Tuple { levels, stuck };
        }
        levels.push(level);
        rest = left;
    }
}

/// Functions for these nodes, and on which steps they fall.
fn one_level(
    members: &[usize],
    dimensions: usize,
    steps: &[&Relation],
    deadline: Instant,
) -> Option<(Vec<Function>, Vec<bool>)> {
    let all: Vec<usize> = (0..steps.len()).collect();
    if let Some(found) = falling(members, dimensions, steps, &all, Bound::Asked, deadline) {
        return Some(found);
    }
    if steps.len() == 1 {
        return None;
    }
    all.iter().find_map(|i| falling(members, dimensions, steps, &[*i], Bound::Asked, deadline))
}

/// Whether a function must be bounded below where it falls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// It must be at least zero before each of the steps in question.
    Asked,
    /// It need not.
    Free,
}

/// Functions that rise on no step and fall on some of `wanted`; which steps they fall on.
pub(crate) fn falling(
    members: &[usize],
    dimensions: usize,
    steps: &[&Relation],
    wanted: &[usize],
    bound: Bound,
    deadline: Instant,
) -> Option<(Vec<Function>, Vec<bool>)> {
    let mut lp = Simplex::new(PIVOTS, deadline);
    let unknowns: Vec<Vec<ColumnId>> =
        members.iter().map(|_| (0..=dimensions).map(|_| lp.column(None, None)).collect()).collect();
    let of = |node: usize| &unknowns[members.iter().position(|m| *m == node).expect("steps stay in the component")];
    let mut falls: Vec<(usize, ColumnId)> = Vec::new();
    for (i, s) in steps.iter().enumerate() {
        let before = weighted(of(s.from), &s.before, &Rational::ONE);
        let mut difference = before.clone();
        difference.extend(weighted(of(s.to), &s.after, &Rational::ONE.negated()));
        let fall = wanted.contains(&i).then(|| lp.column(Some(Rational::ZERO), Some(Rational::ONE)));
        follows(&mut lp, &s.constraints, &difference, fall);
        if let Some(fall) = fall {
            falls.push((i, fall));
            if bound == Bound::Asked {
                follows(&mut lp, &s.constraints, &before, None);
            }
        }
    }
    let sum: Vec<(ColumnId, Rational)> = falls.iter().map(|(_, c)| (*c, Rational::ONE)).collect();
    let goal = lp.row(&sum);
    match lp.maximise(goal) {
        Optimum::At(v) if v.is_positive() => {}
        _ => return None,
    }
    let mut does = vec![false; steps.len()];
    let mut scale = IBig::ONE;
    for (i, c) in &falls {
        let by = lp.value(*c);
        if by.is_positive() {
            does[*i] = true;
            // A fall by a fraction becomes one by at least one.
            scale = common_multiple(&scale, &by.numerator());
        }
    }
    let least_fall = falls.iter().map(|(_, c)| lp.value(*c)).filter(|v| v.is_positive()).min()?.clone();
    let mut denominators = IBig::ONE;
    for c in unknowns.iter().flatten() {
        denominators = common_multiple(&denominators, &lp.value(*c).denominator());
    }
    let mut factor = Rational::int(&denominators);
    while least_fall.times(&factor) < Rational::ONE {
        factor = factor.times(&Rational::int(&Rational::ONE.over(&least_fall.times(&factor)).ceil()));
    }
    let function = |columns: &Vec<ColumnId>| {
        let value = |c: &ColumnId| lp.value(*c).times(&factor);
        Function { weights: columns[..dimensions].iter().map(value).collect(), constant: value(&columns[dimensions]) }
    };
    Some((unknowns.iter().map(function).collect(), does))
}

/// The unknown function at a node, applied to forms: each unknown with the form that it is multiplied with.
fn weighted(unknowns: &[ColumnId], forms: &[Form], sign: &Rational) -> Vec<(ColumnId, Form)> {
    let one = Form::constant(Rational::ONE);
    let pairs = unknowns.iter().zip(forms.iter().chain(std::iter::once(&one)));
    pairs.filter(|(_, f)| !f.parts.is_empty() || !f.constant.is_zero()).map(|(u, f)| (*u, f.scaled(sign))).collect()
}

/// Asks that a sum of unknowns times forms, less `fall`, is at least zero wherever the constraints hold.
pub(crate) fn follows(lp: &mut Simplex, constraints: &[Constraint], sum: &[(ColumnId, Form)], fall: Option<ColumnId>) {
    let multipliers: Vec<ColumnId> =
        constraints.iter().map(|c| lp.column((!c.zero).then_some(Rational::ZERO), None)).collect();
    let mut columns: std::collections::BTreeMap<usize, Vec<(ColumnId, Rational)>> = std::collections::BTreeMap::new();
    let mut constants: Vec<(ColumnId, Rational)> = Vec::new();
    for (unknown, form) in sum {
        for (c, w) in &form.parts {
            columns.entry(*c).or_default().push((*unknown, w.clone()));
        }
        constants.push((*unknown, form.constant.clone()));
    }
    for (m, c) in multipliers.iter().zip(constraints) {
        for (k, w) in &c.form.parts {
            columns.entry(*k).or_default().push((*m, w.negated()));
        }
        constants.push((*m, c.form.constant.negated()));
    }
    for parts in columns.into_values() {
        let row = lp.row(&parts);
        lp.at_least(row, Rational::ZERO);
        lp.at_most(row, Rational::ZERO);
    }
    constants.extend(fall.map(|f| (f, Rational::ONE.negated())));
    constants.retain(|c| !c.1.is_zero());
    let row = lp.row(&constants);
    lp.at_least(row, Rational::ZERO);
}

/// The strongly connected component of each node, numbered so that steps between components go downwards.
pub(crate) fn components(nodes: usize, relations: &[Relation]) -> Vec<usize> {
    let mut reach = vec![vec![false; nodes]; nodes];
    for r in relations {
        reach[r.from][r.to] = true;
    }
    for k in 0..nodes {
        for i in 0..nodes {
            if reach[i][k] {
                for j in 0..nodes {
                    if reach[k][j] {
                        reach[i][j] = true;
                    }
                }
            }
        }
    }
    let together = |a: usize, b: usize| a == b || (reach[a][b] && reach[b][a]);
    let mut number = vec![usize::MAX; nodes];
    let mut next = 0;
    // A component comes when all that it leads to have their numbers.
    while number.contains(&usize::MAX) {
        for a in 0..nodes {
            let ready = |b: usize| !reach[a][b] || together(a, b) || number[b] != usize::MAX;
            let all_ready = (0..nodes)
                .filter(|m| together(a, *m))
                .all(|m| (0..nodes).all(|b| !reach[m][b] || together(m, b) || number[b] != usize::MAX));
            if number[a] == usize::MAX && (0..nodes).all(ready) && all_ready {
                for b in 0..nodes {
                    if together(a, b) {
                        number[b] = next;
                    }
                }
                next += 1;
            }
        }
    }
    number
}
