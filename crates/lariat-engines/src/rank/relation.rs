//! One step between cutpoints as a convex relation.

use super::form::Form;
use crate::lp::{Clock, Optimum, Outcome, Rational, Simplex};
use std::collections::BTreeSet;

/// What holds of a form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Constraint {
    /// The form.
    pub form: Form,
    /// Whether it is zero; at least zero otherwise.
    pub zero: bool,
}

impl Constraint {
    /// That a form is at least zero.
    pub fn at_least_zero(form: Form) -> Self {
        Self { form, zero: false }
    }
    /// That a form is zero.
    pub fn zero(form: Form) -> Self {
        Self { form, zero: true }
    }
}

/// All steps of one case of one path: the columns range over the points that satisfy the constraints.
///
/// It contains every real step of its case. Columns are integers, which the constraints were tightened by; from there on
/// they are treated as fractions, which only adds points.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Relation {
    /// Where it starts: a number of the synthesis, not of the system.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What holds.
    pub constraints: Vec<Constraint>,
    /// The dimensions before the step.
    pub before: Vec<Form>,
    /// The dimensions after it.
    pub after: Vec<Form>,
}

impl Relation {
    /// A program whose points are those of the relation; column numbers stay.
    pub fn program(&self, budget: u32, clock: &Clock) -> Simplex {
        self.program_of(self.width(), budget, clock)
    }

    /// One more than the greatest column.
    pub fn width(&self) -> usize {
        self.columns().last().map_or(0, |c| c + 1)
    }

    /// The same with at least this many columns.
    pub fn program_of(&self, columns: usize, budget: u32, clock: &Clock) -> Simplex {
        let mut lp = Simplex::new(budget, clock);
        for _ in 0..columns {
            lp.column(None, None);
        }
        for c in &self.constraints {
            restrict(&mut lp, c);
        }
        lp
    }

    /// The columns that occur.
    pub fn columns(&self) -> BTreeSet<usize> {
        let forms = self.constraints.iter().map(|c| &c.form).chain(&self.before).chain(&self.after);
        forms.flat_map(|f| f.parts.iter().map(|p| p.0)).collect()
    }

    /// The relation with one more constraint; nothing if it has no points then.
    pub fn with(&self, more: Constraint, clock: &Clock) -> Option<Self> {
        let mut next = self.clone();
        next.constraints.push(more);
        next.is_possible(clock).then_some(next)
    }

    /// Whether it has points, as far as can be told.
    pub fn is_possible(&self, clock: &Clock) -> bool {
        self.program(50_000, clock).feasible() != Outcome::Infeasible
    }

    /// The least value of a form over the relation's columns; nothing if there is none, or it was not found.
    pub fn least(&self, form: &Form, clock: &Clock) -> Option<Rational> {
        if form.parts.is_empty() {
            return Some(form.constant.clone());
        }
        let mut lp = self.program(100_000, clock);
        let row = lp.row(&form.parts);
        match lp.least(row) {
            Optimum::At(v) => Some(v.plus(&form.constant)),
            _ => None,
        }
    }

    /// Solves the equations and leaves out what says nothing: columns that nothing bounds from one side, and constraints
    /// on constants.
    pub fn simplify(&mut self) {
        let kept: BTreeSet<usize> = self.before.iter().filter_map(Form::as_column).collect();
        // Dimensions stay columns where possible. A column with weight one keeps the others integers; any other will do
        // for fractions.
        let rank = |(c, w): &(usize, Rational)| (!kept.contains(c), w.magnitude() == Rational::ONE, *c);
        while let Some((i, column)) = self.constraints.iter().enumerate().find_map(|(i, c)| {
            let best = c.form.parts.iter().max_by_key(|p| rank(p)).filter(|_| c.zero);
            best.map(|p| (i, p.0))
        }) {
            let equation = self.constraints.swap_remove(i).form;
            let w = equation.weight(column);
            let mut rest = equation;
            rest.parts.retain(|p| p.0 != column);
            let value = rest.scaled(&Rational::ONE.over(&w).negated());
            for form in self.forms() {
                *form = form.replaced(column, &value);
            }
        }
        self.constraints.retain(|c| !c.form.parts.is_empty());
        loop {
            let used: BTreeSet<usize> =
                self.before.iter().chain(&self.after).flat_map(|f| f.parts.iter().map(|p| p.0)).collect();
            let open = self.columns().into_iter().find(|c| {
                let signs = || self.constraints.iter().map(|k| k.form.weight(*c)).filter(|w| !w.is_zero());
                !used.contains(c) && (signs().all(|w| w.is_positive()) || signs().all(|w| w.is_negative()))
            });
            let Some(open) = open else { break };
            self.constraints.retain(|k| k.form.weight(open).is_zero());
        }
        let mut seen = BTreeSet::new();
        for c in &mut self.constraints {
            c.form = c.form.tightened();
        }
        self.constraints.sort_by_cached_key(|c| format!("{:?}", c.form));
        self.constraints.retain(|c| seen.insert(format!("{:?}", c.form)));
    }

    fn forms(&mut self) -> impl Iterator<Item = &mut Form> {
        self.constraints.iter_mut().map(|c| &mut c.form).chain(&mut self.before).chain(&mut self.after)
    }

    /// The sum of the dimensions before the step with these weights and a constant.
    pub fn function_before(&self, weights: &[Rational], constant: &Rational) -> Form {
        combine(&self.before, weights, constant)
    }
    /// The same after the step.
    pub fn function_after(&self, weights: &[Rational], constant: &Rational) -> Form {
        combine(&self.after, weights, constant)
    }
}

fn combine(dimensions: &[Form], weights: &[Rational], constant: &Rational) -> Form {
    let start = Form::constant(constant.clone());
    dimensions.iter().zip(weights).fold(start, |sum, (d, w)| sum.plus(w, d))
}

/// Adds a constraint to a program whose columns have the numbers of the form.
pub(crate) fn restrict(lp: &mut Simplex, c: &Constraint) {
    let bound = c.form.constant.negated();
    let (row, bound, up) = match c.form.parts.as_slice() {
        [] => {
            let violated = if c.zero { !c.form.constant.is_zero() } else { c.form.constant.is_negative() };
            if violated {
                lp.column(Some(Rational::ONE), Some(Rational::ZERO));
            }
            return;
        }
        [(column, w)] => (*column, bound.over(w), w.is_positive()),
        parts => (lp.row(parts), bound, true),
    };
    if c.zero || up {
        lp.at_least(row, bound.clone());
    }
    if c.zero || !up {
        lp.at_most(row, bound);
    }
}
