//! Octagons: the constraints `x <= c`, `x - y <= c` and `x + y <= c`.
//!
//! A. Miné, *The Octagon Abstract Domain*. Each dimension `x` has two nodes, for `x` and for `-x`; an entry bounds the difference of
//! two nodes from above. The matrix is closed by shortest paths, then tightened for integers: `2 x <= c` is `2 x <= 2 floor(c / 2)`, and two
//! bounds of single nodes bound their sum (Bagnara, Hill and Zaffanella, *An Improved Tight Closure Algorithm for Integer Octagonal
//! Constraints*).
//!
//! Entries are machine integers. One that grows beyond the limits is rounded up, towards no constraint, which only holds more points.

use crate::integer::{abs, floor_div};
use crate::interval::Interval;
use crate::linear::{Constraint, Form, Linear};
use crate::relation::Relation;
use dashu_int::IBig;

/// No constraint.
const NONE: i128 = i128::MAX;
/// The largest magnitude that is kept: sums of four entries still fit.
const LIMIT: i128 = 1 << 100;
/// Bounds of smaller magnitude are always kept.
const LONG: i128 = 1 << 16;

/// An octagon.
#[derive(Clone, Debug)]
pub struct Octagon {
    size: usize,
    /// `entries[i * 2 size + j]` bounds node `i` minus node `j`; node `2 d` is dimension `d`, node `2 d + 1` its negation.
    entries: Vec<i128>,
    closed: bool,
    empty: bool,
}

/// The sum of two bounds, rounded up.
fn plus(a: i128, b: i128) -> i128 {
    if a == NONE || b == NONE { NONE } else { clamp(a + b) }
}

/// A bound within the limits that is not below the given one.
fn clamp(a: i128) -> i128 {
    if a > LIMIT { NONE } else { a.max(-LIMIT) }
}

fn bound_of(i: &IBig) -> i128 {
    match i128::try_from(i.clone()) {
        Ok(v) => clamp(v),
        Err(_) if *i < IBig::ZERO => -LIMIT,
        Err(_) => NONE,
    }
}

/// The node of a dimension with a sign.
fn node(d: usize, positive: bool) -> usize {
    2 * d + usize::from(!positive)
}

/// That node `i` minus node `j`, of two dimensions, is at most `c`.
fn pair(i: usize, j: usize, c: i128) -> Constraint {
    let sign = |n: usize| IBig::from(if n & 1 == 0 { 1 } else { -1 });
    Constraint { linear: Linear::new([(i / 2, sign(i)), (j / 2, -sign(j))]), bound: IBig::from(c) }
}

impl Octagon {
    fn width(&self) -> usize {
        2 * self.size
    }
    fn at(&self, i: usize, j: usize) -> i128 {
        self.entries[i * self.width() + j]
    }
    fn set(&mut self, i: usize, j: usize, c: i128) {
        let w = self.width();
        self.entries[i * w + j] = c;
        // Node i minus node j is the negated node j minus the negated node i.
        self.entries[(j ^ 1) * w + (i ^ 1)] = c;
    }

    /// Adds that node `i` minus node `j` is at most `c`, and keeps a closed matrix closed.
    ///
    /// Sound: each new entry is a sum of entries along a path between its nodes, or half the sum of two bounds on doubled nodes, rounded
    /// down, which integers satisfy.
    fn bound(&mut self, i: usize, j: usize, c: i128) {
        if self.empty || c == NONE || self.at(i, j) <= c {
            return;
        }
        if !self.closed {
            self.set(i, j, c);
            return;
        }
        let w = self.width();
        let old = self.entries.clone();
        let at = |p: usize, q: usize| old[p * w + q];
        let (bar_i, bar_j) = (i ^ 1, j ^ 1);
        for p in 0..w {
            // From p to the start of the new edge, or of its mirror image; perhaps by way of the other one first.
            let (to_i, to_bar_j) = (at(p, i), at(p, bar_j));
            let via = plus(to_i, c).min(plus(plus(plus(to_bar_j, c), at(bar_i, i)), c));
            let mirrored = plus(to_bar_j, c).min(plus(plus(plus(to_i, c), at(j, bar_j)), c));
            if via == NONE && mirrored == NONE {
                continue;
            }
            for q in 0..w {
                let new = plus(via, at(j, q)).min(plus(mirrored, at(bar_i, q)));
                let entry = &mut self.entries[p * w + q];
                *entry = (*entry).min(new);
            }
        }
        self.tighten();
    }

    /// Rounds the bounds of single dimensions to integers and combines them.
    fn tighten(&mut self) {
        let w = self.width();
        for p in 0..w {
            let c = self.at(p, p ^ 1);
            if c != NONE {
                self.entries[p * w + (p ^ 1)] = c.div_euclid(2) * 2;
            }
        }
        for p in 0..w {
            let to = self.at(p, p ^ 1);
            if to == NONE {
                continue;
            }
            if plus(to, self.at(p ^ 1, p)) < 0 || self.at(p, p) < 0 {
                self.empty = true;
            }
            for q in 0..w {
                let from = self.at(q ^ 1, q);
                if from != NONE {
                    let half = (to + from).div_euclid(2);
                    let entry = &mut self.entries[p * w + q];
                    *entry = (*entry).min(half);
                }
            }
        }
        if (0..w).any(|p| self.at(p, p) < 0) {
            self.empty = true;
        }
    }

    /// What node `i` minus node `j` is at most.
    fn limit(&self, i: usize, j: usize) -> Option<IBig> {
        Some(self.at(i, j)).filter(|c| *c != NONE).map(IBig::from)
    }

    /// The upper bound of a sum: pairs of dimensions by their common entries, what is left of one by its own bound.
    fn above(&self, l: &Linear) -> Option<IBig> {
        let mut left: Vec<(usize, IBig)> = l.terms().to_vec();
        left.sort_by_key(|(_, c)| std::cmp::Reverse(abs(c)));
        let mut total = IBig::ZERO;
        while let Some((d, c)) = left.pop() {
            // The smallest coefficient pairs with the next larger one, and uses up as much of it.
            let i = node(d, c > IBig::ZERO);
            let Some((e, f)) = left.last_mut() else {
                return Some(total + floor_div(&(self.limit(i, i ^ 1)? * abs(&c)), &IBig::from(2)));
            };
            let j = node(*e, *f > IBig::ZERO);
            let shared = self.limit(i, j ^ 1);
            let apart = match (self.limit(i, i ^ 1), self.limit(j, j ^ 1)) {
                (Some(a), Some(b)) => Some(floor_div(&(a + b), &IBig::from(2))),
                _ => None,
            };
            let pair = match (shared, apart) {
                (Some(a), Some(b)) => a.min(b),
                (a, b) => a.or(b)?,
            };
            total += pair * abs(&c);
            if *f > IBig::ZERO {
                *f -= abs(&c);
            } else {
                *f += abs(&c);
            }
            if f.is_zero() {
                left.pop();
            }
        }
        Some(total)
    }

    /// Adds what a constraint of one or two dimensions with coefficients of one magnitude says, or what any other says about pairs.
    fn constrain(&mut self, c: &Constraint) {
        let terms = c.linear.terms();
        match terms {
            [] => self.empty |= c.bound < IBig::ZERO,
            [(d, a)] => {
                let i = node(*d, *a > IBig::ZERO);
                self.bound(i, i ^ 1, bound_of(&(floor_div(&c.bound, &abs(a)) * IBig::from(2))));
            }
            [(d, a), (e, b)] if abs(a) == abs(b) => {
                let (i, j) = (node(*d, *a > IBig::ZERO), node(*e, *b > IBig::ZERO));
                self.bound(i, j ^ 1, bound_of(&floor_div(&c.bound, &abs(a))));
            }
            _ => self.project(c),
        }
    }

    /// A constraint of many dimensions, with all but one or two of them replaced by their least values.
    fn project(&mut self, c: &Constraint) {
        let terms = c.linear.terms();
        if terms.len() > 6 {
            return;
        }
        let mut found = Vec::new();
        let mut keep = |part: Linear| {
            let rest = c.linear.add(&part.scale(&IBig::from(-1)));
            if let Some(least) = self.bounds(&rest).lo() {
                found.push(Constraint::new(part, &c.bound - least));
            }
        };
        for (n, (d, a)) in terms.iter().enumerate() {
            keep(Linear::new([(*d, a.clone())]));
            for (e, b) in &terms[n + 1..] {
                // With coefficients of two magnitudes the smaller one is used, and what is left of the other is part of the rest.
                let least = abs(a).min(abs(b));
                let unit = |x: &IBig| if *x > IBig::ZERO { least.clone() } else { -&least };
                keep(Linear::new([(*d, unit(a)), (*e, unit(b))]));
            }
        }
        for f in found {
            self.constrain(&f);
        }
    }

    /// With more dimensions at the end, of which nothing is known.
    fn extended(&self, more: usize) -> Self {
        let mut out = Self::top(self.size + more);
        (out.closed, out.empty) = (self.closed, self.empty);
        let (w, v) = (self.width(), out.width());
        for i in 0..w {
            out.entries[i * v..i * v + w].copy_from_slice(&self.entries[i * w..(i + 1) * w]);
        }
        out
    }

    /// The dimensions in a new order; those that are not named are forgotten. What a closed matrix says of the others, it says without them.
    fn selected(&self, dims: &[usize]) -> Self {
        let mut out = Self::top(dims.len());
        (out.closed, out.empty) = (self.closed, self.empty);
        let w = out.width();
        for (p, d) in dims.iter().enumerate() {
            for (q, e) in dims.iter().enumerate() {
                for (s, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    out.entries[(2 * p + s) * w + 2 * q + t] = self.at(2 * d + s, 2 * e + t);
                }
            }
        }
        out
    }

    fn closed(&self) -> std::borrow::Cow<'_, Self> {
        if self.closed {
            return std::borrow::Cow::Borrowed(self);
        }
        let mut out = self.clone();
        out.close();
        std::borrow::Cow::Owned(out)
    }
}

impl Relation for Octagon {
    fn top(size: usize) -> Self {
        let mut entries = vec![NONE; 4 * size * size];
        for i in 0..2 * size {
            entries[i * 2 * size + i] = 0;
        }
        Self { size, entries, closed: true, empty: false }
    }

    fn is_empty(&self) -> bool {
        self.empty
    }

    fn add(&mut self, c: &Constraint) {
        self.close();
        self.constrain(c);
    }

    fn bounds(&self, l: &Linear) -> Interval {
        if self.empty {
            return Interval::top();
        }
        let me = self.closed();
        let hi = me.above(l);
        let lo = me.above(&l.scale(&IBig::from(-1))).map(|h| -h);
        // Crossed bounds would say that there is no point; the caller's other sets find that out.
        Interval::new(lo, hi).unwrap_or_else(Interval::top)
    }

    fn leq(&self, other: &Self) -> bool {
        let me = self.closed();
        me.empty || !other.empty && me.entries.iter().zip(&other.entries).all(|(a, b)| a <= b)
    }

    fn join(&self, other: &Self) -> Self {
        let (a, b) = (self.closed(), other.closed());
        if a.empty {
            return b.into_owned();
        }
        if b.empty {
            return a.into_owned();
        }
        let entries = a.entries.iter().zip(&b.entries).map(|(x, y)| *x.max(y)).collect();
        Self { size: self.size, entries, closed: true, empty: false }
    }

    /// Entries that grow go: a matrix has finitely many. The result is not closed, since closing would bring entries back and the
    /// chain might not end.
    fn widen(&self, next: &Self) -> Self {
        let next = next.closed();
        if self.empty {
            return next.into_owned();
        }
        if next.empty {
            return self.clone();
        }
        let keep = |(old, new): (&i128, &i128)| if new <= old { *old } else { NONE };
        let entries = self.entries.iter().zip(&next.entries).map(keep).collect();
        Self { size: self.size, entries, closed: false, empty: false }
    }

    fn update(&mut self, updates: &[(usize, Form)]) {
        self.close();
        if self.empty || updates.is_empty() {
            return;
        }
        // The new values are dimensions of their own until all are known; then they take the place of the old ones.
        let mut both = self.extended(updates.len());
        for (n, (d, form)) in updates.iter().enumerate() {
            let new = self.size + n;
            for c in form.constraints(new) {
                both.constrain(&c);
            }
            // A form that is no octagonal constraint still bounds the change of the dimension itself.
            if form.linear.terms().len() > 1 || !form.scale.is_one() {
                let change = form.sub(&Form::dimension(*d));
                let range = change.values(&both.bounds(&change.linear));
                let step = Linear::new([(new, IBig::from(1)), (*d, IBig::from(-1))]);
                if let Some(h) = range.as_ref().and_then(|r| r.hi()) {
                    both.constrain(&Constraint::new(step.clone(), h.clone()));
                }
                if let Some(l) = range.as_ref().and_then(|r| r.lo()) {
                    both.constrain(&Constraint::new(step.scale(&IBig::from(-1)), -l));
                }
            }
        }
        let place = |d: usize| updates.iter().position(|(u, _)| *u == d).map_or(d, |n| self.size + n);
        let dims: Vec<usize> = (0..self.size).map(place).collect();
        *self = both.selected(&dims);
    }

    /// Without entries that follow from others: a bound on a pair that the bounds of the two give, or that a way over a third node gives.
    fn constraints(&self) -> Vec<Constraint> {
        let me = self.closed();
        let w = me.width();
        if me.empty {
            return vec![Constraint { linear: Linear::zero(), bound: IBig::from(-1) }];
        }
        let mut kept = me.as_ref().clone();
        let mut out = Vec::new();
        for i in 0..w {
            for j in 0..w {
                let c = me.at(i, j);
                // Of an entry and its mirror image one is enough.
                if i == j || c == NONE || (i, j) > (j ^ 1, i ^ 1) || j == (i ^ 1) {
                    continue;
                }
                let halves = plus(me.at(i, i ^ 1), me.at(j ^ 1, j));
                let implied = halves != NONE && halves.div_euclid(2) <= c
                    || (0..w).any(|k| {
                        k != i && k != j && k != (i ^ 1) && k != (j ^ 1) && plus(kept.at(i, k), kept.at(k, j)) <= c
                    });
                if implied {
                    kept.set(i, j, NONE);
                    continue;
                }
                out.push(pair(i, j, c));
            }
        }
        for i in 0..w {
            let c = me.at(i, i ^ 1);
            if c != NONE {
                let sign = IBig::from(if i & 1 == 0 { 1 } else { -1 });
                out.push(Constraint { linear: Linear::new([(i / 2, sign)]), bound: IBig::from(c.div_euclid(2)) });
            }
        }
        out
    }

    /// Only long bounds of pairs are asked about: coefficients are one, and short bounds always can be said and say something.
    fn retain(&mut self, keep: &mut dyn FnMut(&Constraint) -> bool) {
        let (w, closed) = (self.width(), self.closed);
        for i in 0..w {
            for j in 0..w {
                let c = self.at(i, j);
                if c == NONE || c.abs() < LONG || i / 2 == j / 2 || (i, j) > (j ^ 1, i ^ 1) {
                    continue;
                }
                if !keep(&pair(i, j, c)) {
                    self.set(i, j, NONE);
                    self.closed = false;
                }
            }
        }
        // What was the result of a widening stays as it is, see there.
        if closed {
            self.close();
        }
    }

    fn close(&mut self) {
        if self.closed || self.empty {
            self.closed = true;
            return;
        }
        let w = self.width();
        for k in 0..w {
            for i in 0..w {
                let to = self.at(i, k);
                if to == NONE {
                    continue;
                }
                for j in 0..w {
                    let via = plus(to, self.at(k, j));
                    let entry = &mut self.entries[i * w + j];
                    *entry = (*entry).min(via);
                }
            }
        }
        self.closed = true;
        self.tighten();
    }

    fn meet(&self, other: &Self) -> Self {
        let entries = self.entries.iter().zip(&other.entries).map(|(a, b)| *a.min(b)).collect();
        let mut out = Self { size: self.size, entries, closed: false, empty: self.empty || other.empty };
        out.close();
        out
    }
}
