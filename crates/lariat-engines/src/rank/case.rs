//! One case of a path: what is assumed of it, as a linear program, and what is still to be said.
//!
//! A goal is a condition to assume or a term to be read as a form. Most goals are met at once; one that needs a choice
//! (a disjunction, an `ite`, whether a sum wrapped) gives a fork. Forks of which one way alone is possible are no choice;
//! the others split the case while the allowance lasts. Beyond it, a condition is left out and a value becomes a
//! column with less known about it: both only add steps to the relation.

use super::encode::Encoder;
use super::form::Form;
use super::relation::{Constraint, Relation, restrict};
use super::slim::renumber;
use crate::linear::Reading;
use crate::lp::{Clock, ColumnId, Optimum, Outcome, Rational, Simplex};
use dashu_int::IBig;
use lariat_ir::Term;
use std::collections::{BTreeMap, HashMap};

/// Something to be done in a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    /// Work out that a condition has this truth value.
    Assume(Term, bool),
    /// Find the form of a term, read this way where it is a bit-vector.
    Value(Term, Reading),
}

/// What one way of a fork assumes.
#[derive(Clone, Debug)]
pub(crate) enum Literal {
    /// The truth of a condition.
    Condition(Term, bool),
    /// A constraint.
    Holds(Constraint),
}

/// A choice: one of these ways.
pub(crate) type Fork = Vec<Vec<Literal>>;

/// A case.
#[derive(Clone)]
pub(crate) struct Case {
    /// The constraints as a program. Its columns are those of the forms, and rows between them.
    pub lp: Simplex,
    /// The constraints.
    pub constraints: Vec<Constraint>,
    /// The form of a term: its value, or for a bit-vector a number that is congruent to it.
    pub forms: HashMap<Term, Form>,
    /// The value of a bit-vector, in one reading.
    pub values: HashMap<(Term, bool), Form>,
    /// The columns of quotients, with their divisors.
    pub quotients: BTreeMap<Term, (ColumnId, IBig)>,
    /// The columns of bit-vectors of which only the width is known; until one reading is asked for they have no bounds.
    pub opaque: HashMap<ColumnId, u32>,
    /// The conditions that are decided.
    pub truth: HashMap<Term, bool>,
    /// What is still to be done.
    pub goals: Vec<Goal>,
    /// Nothing is possible here.
    pub dead: bool,
    /// From now on no fork is given.
    pub lenient: bool,
    /// Something was added since the program was last found feasible.
    dirty: bool,
}

/// What one case may cost.
const WORK: u32 = 2_000_000;

impl Case {
    /// The case in which nothing is known.
    pub fn new(clock: &Clock) -> Self {
        Self {
            lp: Simplex::new(WORK, clock),
            constraints: Vec::new(),
            forms: HashMap::new(),
            values: HashMap::new(),
            quotients: BTreeMap::new(),
            opaque: HashMap::new(),
            truth: HashMap::new(),
            goals: Vec::new(),
            dead: false,
            lenient: false,
            dirty: false,
        }
    }

    /// A new integer column.
    pub fn column(&mut self, lower: Option<IBig>, upper: Option<IBig>) -> ColumnId {
        let c = self.lp.column(None, None);
        if let Some(l) = lower {
            self.hold(Constraint::at_least_zero(Form::column(c).sub(&Form::int(&l))));
        }
        if let Some(u) = upper {
            self.hold(Constraint::at_least_zero(Form::int(&u).sub(&Form::column(c))));
        }
        c
    }

    /// Adds a constraint, which is tightened by what integers allow.
    pub fn hold(&mut self, mut c: Constraint) {
        if c.zero {
            let exact = c.form.tightened();
            // The divisor of the weights must divide the constant: 2 x = 1 has no solution.
            if !exact.parts.is_empty() {
                let ratio = c.form.parts[0].1.over(&exact.parts[0].1);
                if exact.constant.times(&ratio) != c.form.constant {
                    self.dead = true;
                }
            }
            c.form = exact;
        } else {
            c.form = c.form.tightened();
        }
        match c.form.as_constant() {
            Some(k) if k.is_negative() || (c.zero && !k.is_zero()) => self.dead = true,
            Some(_) => {}
            None => {
                restrict(&mut self.lp, &c);
                self.constraints.push(c);
                self.dirty = true;
            }
        }
    }

    /// Whether a point is left.
    pub fn is_possible(&mut self) -> bool {
        if self.dirty && !self.dead {
            self.dead = self.lp.feasible() == Outcome::Infeasible;
            self.dirty = false;
        }
        !self.dead
    }

    /// The least and the greatest value of a form, where there are such.
    pub fn range(&mut self, form: &Form) -> (Option<Rational>, Option<Rational>) {
        if form.parts.is_empty() {
            return (Some(form.constant.clone()), Some(form.constant.clone()));
        }
        let row = self.lp.row(&form.parts);
        let found = |o: Optimum| match o {
            Optimum::At(v) => Some(v),
            _ => None,
        };
        let greatest = found(self.lp.maximise(row));
        let least = found(self.lp.least(row));
        self.lp.drop_last_row(row);
        (least.map(|v| v.plus(&form.constant)), greatest.map(|v| v.plus(&form.constant)))
    }

    /// Whether a form is at least zero at every point.
    pub fn is_at_least_zero(&mut self, form: &Form) -> bool {
        self.range(form).0.is_some_and(|l| !l.ceil().lt(&IBig::ZERO))
    }

    /// Assumes that a condition has a truth value; what that means is worked out later.
    pub fn assume(&mut self, t: Term, positive: bool) {
        match self.truth.insert(t, positive) {
            None => self.goals.push(Goal::Assume(t, positive)),
            Some(known) => self.dead |= known != positive,
        }
    }

    fn apply(&mut self, way: &[Literal]) {
        for l in way {
            match l {
                Literal::Condition(t, b) => self.assume(*t, *b),
                Literal::Holds(c) => self.hold(c.clone()),
            }
        }
    }

    /// Meets the goals that need no choice; those that do are given back, with their forks.
    fn advance(&mut self, encoder: &Encoder<'_>) -> Vec<(Goal, Fork)> {
        let mut blocked = Vec::new();
        while let Some(goal) = self.goals.pop() {
            if self.dead {
                return Vec::new();
            }
            let result = match goal {
                Goal::Assume(t, b) => encoder.assume(self, t, b),
                Goal::Value(t, reading) => encoder.value(self, t, reading).map(|_| ()),
            };
            if let Err(fork) = result {
                blocked.push((goal, fork));
            }
        }
        blocked
    }

    /// Meets all goals; gives the cases that it splits into. `allowance` bounds how many there are.
    pub fn settle(mut self, encoder: &Encoder<'_>, allowance: &mut usize) -> Vec<Self> {
        loop {
            // The goals are worked off from the end; those asked for first matter first.
            self.goals.reverse();
            let blocked = self.advance(encoder);
            if !self.is_possible() || encoder.out_of_time() {
                return if self.dead { Vec::new() } else { vec![self] };
            }
            if blocked.is_empty() {
                return vec![self];
            }
            let mut best: Option<(usize, Vec<Self>)> = None;
            let mut decided = false;
            for (i, (_, fork)) in blocked.iter().enumerate() {
                let mut ways: Vec<Self> = Vec::new();
                for way in fork {
                    let mut child = self.clone();
                    child.apply(way);
                    let still = child.advance(encoder);
                    if child.is_possible() {
                        child.goals.extend(still.into_iter().map(|(g, _)| g));
                        ways.push(child);
                    }
                }
                if ways.len() <= 1 {
                    let Some(mut only) = ways.pop() else { return Vec::new() };
                    // The goal itself comes again: it may hold more than this choice.
                    only.goals.extend(blocked.iter().map(|(g, _)| *g));
                    self = only;
                    decided = true;
                    break;
                }
                if best.as_ref().is_none_or(|(_, b)| ways.len() < b.len()) {
                    best = Some((i, ways));
                }
            }
            if decided {
                continue;
            }
            let (_, ways) = best.expect("something is blocked");
            if *allowance < ways.len() - 1 {
                self.lenient = true;
                encoder.lose();
                self.goals.extend(blocked.iter().map(|(g, _)| *g));
                continue;
            }
            *allowance -= ways.len() - 1;
            let mut out = Vec::new();
            for mut way in ways {
                way.goals.extend(blocked.iter().map(|(g, _)| *g));
                out.extend(way.settle(encoder, allowance));
            }
            return out;
        }
    }

    /// The relation between these forms, its columns renumbered.
    pub fn relation(&self, from: usize, to: usize, before: Vec<Form>, after: Vec<Form>) -> Relation {
        let mut r = Relation { from, to, constraints: self.constraints.clone(), before, after };
        r.simplify();
        renumber(&mut r);
        r
    }
}
