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
use crate::lp::{Clock, ColumnId, Optimum, Rational, Simplex, common_multiple};
use dashu_int::IBig;
use lariat_ir::graph;

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

/// What one program may cost.
const WORK: u32 = 1_500_000;

/// Searches a tuple under which every step falls.
pub(crate) fn lexicographic(
    nodes: usize,
    dimensions: usize,
    relations: &[Relation],
    bound: Bound,
    clock: &Clock,
) -> Tuple {
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
            match one_level(&members, dimensions, &steps, bound, clock) {
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
    bound: Bound,
    clock: &Clock,
) -> Option<(Vec<Function>, Vec<bool>)> {
    let all: Vec<usize> = (0..steps.len()).collect();
    let ask = |wanted: &[usize], bound: Bound, weights: Weights| {
        falling(members, dimensions, steps, wanted, bound, weights, clock)
    };
    if let Some(found) = ask(&all, bound, Weights::Small) {
        return Some(found);
    }
    // Where nothing falls even without a bound, nothing falls with one. The solution for all falls wherever one can.
    let (_, can) = ask(&all, Bound::Free, Weights::Any)?;
    if bound == Bound::Free {
        return ask(&all, bound, Weights::Any);
    }
    let can: Vec<usize> = all.iter().copied().filter(|i| can[*i]).collect();
    let alone = if steps.len() == 1 { &[][..] } else { &can[..] };
    alone.iter().find_map(|i| ask(&[*i], bound, Weights::Small)).or_else(|| ask(&can, bound, Weights::Any))
}

/// Which weights are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Weights {
    /// Small ones.
    Small,
    /// Any.
    Any,
}

/// Whether a function must be bounded below where it falls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// It must be at least zero before each of the steps in question.
    Asked,
    /// It need not: it has finitely many values.
    Free,
}

/// Functions that rise on no step and fall on some of `wanted`; which steps they fall on.
///
/// Small weights are asked for first: types bound everything, so a sum with enormous weights can often do the work of two
/// levels, and no solver likes it.
pub(crate) fn falling(
    members: &[usize],
    dimensions: usize,
    steps: &[&Relation],
    wanted: &[usize],
    bound: Bound,
    weights: Weights,
    clock: &Clock,
) -> Option<(Vec<Function>, Vec<bool>)> {
    let question = Question { members, dimensions, steps, bound, clock };
    let solution = match weights {
        Weights::Any => question.solve(wanted, &Rational::ZERO)?,
        Weights::Small => question.small(wanted)?,
    };
    question.rounded(&solution).or_else(|| Some(solution.scaled(steps.len(), dimensions)))
}

/// A weight costs one part in this many of what a fall is worth.
const SMALL: i64 = 256;
/// A constant costs one part in this many of what a weight costs: the bound of a guard is better than that of a type.
const CONSTANT: i64 = 4096;
/// A fall by less than one part in this many is no clear one.
const CLEAR: i64 = 16;

struct Question<'a> {
    members: &'a [usize],
    dimensions: usize,
    steps: &'a [&'a Relation],
    bound: Bound,
    clock: &'a Clock,
}

impl Question<'_> {
    /// A solution with small weights. Steps that it makes fall by next to nothing wait for a level of their own.
    fn small(&self, wanted: &[usize]) -> Option<Solution> {
        let price = Rational::ONE.over(&Rational::small(SMALL));
        let clear = Rational::ONE.over(&Rational::small(CLEAR));
        let mut wanted = wanted.to_vec();
        let mut solution = None;
        while let Some(next) = self.solve(&wanted, &price) {
            let clearly: Vec<usize> = next.falls.iter().filter(|(_, by)| *by >= clear).map(|(i, _)| *i).collect();
            let settled = clearly.len() == next.falls.len() || clearly.is_empty();
            solution = Some(next);
            if settled {
                break;
            }
            wanted = clearly;
        }
        solution
    }

    /// Nearby functions with small integers, if they do as well.
    ///
    /// A corner of a program with enormous constants has enormous fractions, where plain numbers would do.
    fn rounded(&self, solution: &Solution) -> Option<(Vec<Function>, Vec<bool>)> {
        let half = Rational::ONE.over(&Rational::small(2));
        (1..=4).find_map(|scale| {
            let near = |v: &Rational| Rational::int(&v.times(&Rational::small(scale)).plus(&half).floor());
            let mut functions: Vec<Function> = Vec::new();
            for f in &solution.functions {
                let weights = f[..self.dimensions].iter().map(near).collect();
                functions.push(Function { weights, constant: near(&f[self.dimensions]) });
            }
            self.confirmed(functions, solution)
        })
    }

    /// The functions, with a common constant added, if they fall wherever the solution does.
    fn confirmed(&self, mut functions: Vec<Function>, solution: &Solution) -> Option<(Vec<Function>, Vec<bool>)> {
        let mut falls = vec![false; self.steps.len()];
        let mut lowest = Rational::ZERO;
        for (i, s) in self.steps.iter().enumerate() {
            let of = |node: usize| &functions[self.members.iter().position(|m| *m == node).expect("a member")];
            let (from, to) = (of(s.from), of(s.to));
            let before = s.function_before(&from.weights, &from.constant);
            let after = s.function_after(&to.weights, &to.constant);
            let by = s.least(&before.sub(&after), self.clock)?;
            if by.is_negative() {
                return None;
            }
            if solution.falls.iter().any(|(k, _)| *k == i) {
                if by < Rational::ONE {
                    return None;
                }
                falls[i] = true;
                if self.bound == Bound::Asked {
                    lowest = lowest.min(s.least(&before, self.clock)?);
                }
            }
        }
        // Raised all alike: the differences stay.
        let raise = Rational::int(&lowest.negated().ceil());
        for f in &mut functions {
            f.constant = f.constant.plus(&raise);
        }
        Some((functions, falls))
    }
}

/// A solution before it is scaled to integers.
struct Solution {
    /// For each member its weights and its constant.
    functions: Vec<Vec<Rational>>,
    /// The steps that fall, and by how much at least.
    falls: Vec<(usize, Rational)>,
}

impl Question<'_> {
    /// Solves the program in which a weight costs this much.
    fn solve(&self, wanted: &[usize], cost: &Rational) -> Option<Solution> {
        let mut lp = Simplex::new(WORK, self.clock);
        let zero = || Some(Rational::ZERO);
        let mut price: Vec<(ColumnId, Rational)> = Vec::new();
        let mut unknowns: Vec<Vec<(ColumnId, ColumnId)>> = Vec::new();
        let mut constants: Vec<(ColumnId, ColumnId)> = Vec::new();
        let of_constant = cost.over(&Rational::small(CONSTANT)).negated();
        for _ in self.members {
            let pairs: Vec<_> =
                (0..self.dimensions).map(|_| (lp.column(zero(), None), lp.column(zero(), None))).collect();
            price.extend(pairs.iter().flat_map(|(p, m)| [(*p, cost.negated()), (*m, cost.negated())]));
            unknowns.push(pairs);
            let pair = (lp.column(zero(), None), lp.column(zero(), None));
            price.extend([(pair.0, of_constant.clone()), (pair.1, of_constant.clone())]);
            constants.push(pair);
        }
        let minus = Rational::ONE.negated();
        let weighted = |node: usize, forms: &[Form], sign: &Rational| -> Vec<(ColumnId, Form)> {
            let at = self.members.iter().position(|m| *m == node).expect("steps stay in the component");
            let (p, m) = constants[at];
            let mut sum = vec![(p, Form::constant(sign.clone())), (m, Form::constant(sign.negated()))];
            for ((p, m), f) in unknowns[at].iter().zip(forms) {
                if !f.parts.is_empty() || !f.constant.is_zero() {
                    let f = f.scaled(sign);
                    sum.push((*m, f.negated()));
                    sum.push((*p, f));
                }
            }
            sum
        };
        let mut falls: Vec<(usize, ColumnId)> = Vec::new();
        for (i, s) in self.steps.iter().enumerate() {
            let before = weighted(s.from, &s.before, &Rational::ONE);
            let mut difference = before.clone();
            difference.extend(weighted(s.to, &s.after, &minus));
            let fall = wanted.contains(&i).then(|| lp.column(zero(), Some(Rational::ONE)));
            follows(&mut lp, &s.constraints, &difference, fall);
            if let Some(fall) = fall {
                falls.push((i, fall));
                if self.bound == Bound::Asked {
                    follows(&mut lp, &s.constraints, &before, None);
                }
            }
        }
        let mut sum: Vec<(ColumnId, Rational)> = falls.iter().map(|(_, c)| (*c, Rational::ONE)).collect();
        if !cost.is_zero() {
            sum.extend(price);
        }
        let goal = lp.row(&sum);
        match lp.maximise(goal) {
            Optimum::At(v) if v.is_positive() => {}
            _ => return None,
        }
        let functions = unknowns
            .iter()
            .zip(&constants)
            .map(|(pairs, c)| {
                let weights = pairs.iter().map(|(p, m)| lp.value(*p).minus(lp.value(*m)));
                weights.chain(std::iter::once(lp.value(c.0).minus(lp.value(c.1)))).collect()
            })
            .collect();
        let falls = falls.iter().map(|(i, c)| (*i, lp.value(*c).clone())).filter(|(_, by)| by.is_positive()).collect();
        Some(Solution { functions, falls })
    }
}

impl Solution {
    /// Integer functions that fall by at least one where these fall at all.
    fn scaled(self, steps: usize, dimensions: usize) -> (Vec<Function>, Vec<bool>) {
        let mut does = vec![false; steps];
        let mut least = Rational::ONE;
        for (i, by) in &self.falls {
            does[*i] = true;
            least = least.min(by.clone());
        }
        let mut denominators = IBig::ONE;
        for c in self.functions.iter().flatten() {
            denominators = common_multiple(&denominators, &c.denominator());
        }
        let needed = Rational::ONE.over(&least.times(&Rational::int(&denominators))).ceil().max(IBig::ONE);
        let factor = Rational::int(&(denominators * needed));
        let function = |f: &Vec<Rational>| Function {
            weights: f[..dimensions].iter().map(|w| w.times(&factor)).collect(),
            constant: f[dimensions].times(&factor),
        };
        (self.functions.iter().map(function).collect(), does)
    }
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
    let successors = |n: usize| relations.iter().filter(move |r| r.from == n).map(|r| r.to);
    let found = graph::components(nodes, successors);
    let mut home = vec![0; nodes];
    for (c, component) in found.iter().enumerate() {
        for n in &component.nodes {
            home[*n] = c;
        }
    }
    let mut number = vec![usize::MAX; nodes];
    let mut next = 0;
    // A component comes when all that it leads to have their numbers, in the order of the first nodes.
    while number.contains(&usize::MAX) {
        for a in 0..nodes {
            let members = &found[home[a]].nodes;
            let ready = |r: &Relation| home[r.from] != home[a] || home[r.to] == home[a] || number[r.to] != usize::MAX;
            if number[a] == usize::MAX && relations.iter().all(ready) {
                for b in members {
                    number[*b] = next;
                }
                next += 1;
            }
        }
    }
    number
}
