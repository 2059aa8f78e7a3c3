//! Linear programs over exact fractions.
//!
//! The general simplex method of Dutertre and de Moura: every column may have a lower and an upper bound, a row says that its
//! own column is a sum of others, and columns that own no row stand at a value within their bounds. Finding a
//! feasible point moves the columns that own rows into their bounds; maximising goes on from there.
//!
//! The pivot rule looks for the steepest way at first and falls back to Bland's rule, which cannot cycle, when it makes no
//! progress for a while. Nothing depends on addresses or hashes: the same program gives the same point. A budget of
//! work, counted in numbers touched, and a deadline are the bounds; what is over them is [`Outcome::GaveUp`].

mod rational;

pub(crate) use rational::{Rational, common_multiple};

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

/// A column of a program.
pub(crate) type ColumnId = usize;

/// What came of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// There is a point.
    Feasible,
    /// There is none.
    Infeasible,
    /// The budget or the time was used up.
    GaveUp,
}

/// The greatest value of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Optimum {
    /// It is this.
    At(Rational),
    /// There is none.
    Unbounded,
    /// There is no point.
    Infeasible,
    /// The budget or the time was used up.
    GaveUp,
}

#[derive(Clone, Debug)]
struct Column {
    lower: Option<Rational>,
    upper: Option<Rational>,
    value: Rational,
    /// The row that defines it.
    row: Option<usize>,
}

/// The column `owner` is the sum of these, which own no row; in the order of the columns.
#[derive(Clone, Debug)]
struct Row {
    owner: ColumnId,
    sum: Vec<(ColumnId, Rational)>,
}

impl Row {
    fn coefficient(&self, c: ColumnId) -> Option<&Rational> {
        self.sum.binary_search_by_key(&c, |e| e.0).ok().map(|i| &self.sum[i].1)
    }
}

/// What a search with many programs may use in all.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    deadline: Instant,
    /// How many numbers may still be touched.
    work: Rc<Cell<u64>>,
}

impl Clock {
    /// So much work, until then.
    pub fn new(work: u64, deadline: Instant) -> Self {
        Self { deadline, work: Rc::new(Cell::new(work)) }
    }
    /// Whether one of the two is used up.
    pub fn is_up(&self) -> bool {
        self.work.get() == 0 || Instant::now() >= self.deadline
    }
    fn use_up(&self, work: u64) {
        self.work.set(self.work.get().saturating_sub(work));
    }
}

/// A linear program, and a point at which it stands.
#[derive(Clone, Debug)]
pub(crate) struct Simplex {
    columns: Vec<Column>,
    rows: Vec<Row>,
    /// How many numbers may still be touched.
    budget: u32,
    /// How many pivots were made.
    pivots: u32,
    clock: Clock,
    /// A column has a lower bound above its upper one.
    empty: bool,
}

/// How many pivots in a row may bring nothing before Bland's rule takes over.
const PATIENCE: u32 = 24;

impl Simplex {
    /// A program without columns.
    pub fn new(budget: u32, clock: &Clock) -> Self {
        Self { columns: Vec::new(), rows: Vec::new(), budget, pivots: 0, clock: clock.clone(), empty: false }
    }

    /// Adds a column with these bounds.
    pub fn column(&mut self, lower: Option<Rational>, upper: Option<Rational>) -> ColumnId {
        let value = match (&lower, &upper) {
            (Some(l), _) if l.is_positive() => l.clone(),
            (_, Some(u)) if u.is_negative() => u.clone(),
            _ => Rational::ZERO,
        };
        if let (Some(l), Some(u)) = (&lower, &upper) {
            self.empty |= l > u;
        }
        self.columns.push(Column { lower, upper, value, row: None });
        self.columns.len() - 1
    }

    /// Adds a column that is a sum of others, in any order; without bounds.
    pub fn row(&mut self, sum: &[(ColumnId, Rational)]) -> ColumnId {
        let owner = self.columns.len();
        let mut parts: Vec<(ColumnId, Rational)> = Vec::new();
        for (c, w) in sum.iter().filter(|(_, w)| !w.is_zero()) {
            match self.columns[*c].row {
                Some(r) => parts = combine(&parts, w, &self.rows[r].sum),
                None => parts = combine(&parts, w, &[(*c, Rational::ONE)]),
            }
        }
        let value = parts.iter().fold(Rational::ZERO, |v, (c, w)| v.plus(&w.times(&self.columns[*c].value)));
        self.columns.push(Column { lower: None, upper: None, value, row: Some(self.rows.len()) });
        self.rows.push(Row { owner, sum: parts });
        owner
    }

    /// The value of a column at the present point.
    pub fn value(&self, c: ColumnId) -> &Rational {
        &self.columns[c].value
    }

    /// Asks a column to be at least this.
    pub fn at_least(&mut self, c: ColumnId, bound: Rational) {
        let column = &mut self.columns[c];
        if column.lower.as_ref().is_some_and(|l| *l >= bound) {
            return;
        }
        self.empty |= column.upper.as_ref().is_some_and(|u| *u < bound);
        let moves = column.row.is_none() && column.value < bound;
        column.lower = Some(bound.clone());
        if moves {
            self.move_to(c, bound);
        }
    }

    /// Asks a column to be at most this.
    pub fn at_most(&mut self, c: ColumnId, bound: Rational) {
        let column = &mut self.columns[c];
        if column.upper.as_ref().is_some_and(|u| *u <= bound) {
            return;
        }
        self.empty |= column.lower.as_ref().is_some_and(|l| *l > bound);
        let moves = column.row.is_none() && column.value > bound;
        column.upper = Some(bound.clone());
        if moves {
            self.move_to(c, bound);
        }
    }

    /// Gives a column that owns no row another value.
    fn move_to(&mut self, c: ColumnId, value: Rational) {
        let by = value.minus(&self.columns[c].value);
        if by.is_zero() {
            return;
        }
        for row in &self.rows {
            if let Some(w) = row.coefficient(c) {
                let owner = &mut self.columns[row.owner];
                owner.value = owner.value.plus(&w.times(&by));
            }
        }
        self.columns[c].value = value;
    }

    /// Moves to a point within all bounds.
    pub fn feasible(&mut self) -> Outcome {
        if self.empty {
            return Outcome::Infeasible;
        }
        let mut pivots = 0u32;
        loop {
            if !self.may_go_on() {
                return Outcome::GaveUp;
            }
            pivots += 1;
            // The greatest violation first; then, to be sure of an end, the least column.
            let bland = pivots > PATIENCE + u32::try_from(self.rows.len()).unwrap_or(u32::MAX / 2);
            let mut worst: Option<(usize, Rational, bool)> = None;
            for (r, row) in self.rows.iter().enumerate() {
                let c = &self.columns[row.owner];
                let (by, up) = match (&c.lower, &c.upper) {
                    (Some(l), _) if c.value < *l => (l.minus(&c.value), true),
                    (_, Some(u)) if c.value > *u => (c.value.minus(u), false),
                    _ => continue,
                };
                let better = match &worst {
                    None => true,
                    Some((best, ..)) if bland => row.owner < self.rows[*best].owner,
                    Some((_, most, _)) => by > *most,
                };
                if better {
                    worst = Some((r, by, up));
                }
            }
            let Some((r, _, up)) = worst else { return Outcome::Feasible };
            let row = &self.rows[r];
            let can_help = |c: ColumnId, w: &Rational| {
                let rises = w.is_positive() == up;
                let column = &self.columns[c];
                if rises {
                    column.upper.as_ref().is_none_or(|u| column.value < *u)
                } else {
                    column.lower.as_ref().is_none_or(|l| column.value > *l)
                }
            };
            let Some(&(enters, _)) = row.sum.iter().find(|(c, w)| can_help(*c, w)) else {
                return Outcome::Infeasible;
            };
            let owner = row.owner;
            let target = if up { self.columns[owner].lower.clone() } else { self.columns[owner].upper.clone() };
            let target = target.expect("the violated bound exists");
            let by = target.minus(&self.columns[owner].value);
            let step = by.over(row.coefficient(enters).expect("the column is in the row"));
            let value = self.columns[enters].value.plus(&step);
            self.move_to(enters, value);
            self.pivot(r, enters);
        }
    }

    /// Moves to a point at which a column is as great as possible.
    pub fn maximise(&mut self, objective: ColumnId) -> Optimum {
        match self.feasible() {
            Outcome::Feasible => {}
            Outcome::Infeasible => return Optimum::Infeasible,
            Outcome::GaveUp => return Optimum::GaveUp,
        }
        let mut idle = 0u32;
        loop {
            if !self.may_go_on() {
                return Optimum::GaveUp;
            }
            let own = [(objective, Rational::ONE)];
            let direction: &[(ColumnId, Rational)] = match self.columns[objective].row {
                Some(r) => &self.rows[r].sum,
                None => &own,
            };
            let mut enters: Option<(ColumnId, &Rational)> = None;
            for (c, w) in direction {
                let column = &self.columns[*c];
                let free = if w.is_positive() {
                    column.upper.as_ref().is_none_or(|u| column.value < *u)
                } else {
                    column.lower.as_ref().is_none_or(|l| column.value > *l)
                };
                if !free {
                    continue;
                }
                if idle > PATIENCE {
                    enters = Some((*c, w));
                    break;
                }
                if enters.is_none_or(|(_, best)| w.magnitude() > best.magnitude()) {
                    enters = Some((*c, w));
                }
            }
            let Some((enters, weight)) = enters else { return Optimum::At(self.columns[objective].value.clone()) };
            let up = weight.is_positive();
            // How far the column can go: its own bound, or the first bound of a column that depends on it.
            let here = &self.columns[enters];
            let own_bound = if up { &here.upper } else { &here.lower };
            let mut room: Option<(Rational, Option<usize>)> =
                own_bound.as_ref().map(|b| (b.minus(&here.value).magnitude(), None));
            for (r, row) in self.rows.iter().enumerate() {
                let Some(w) = row.coefficient(enters) else { continue };
                let column = &self.columns[row.owner];
                let bound = if w.is_positive() == up { &column.upper } else { &column.lower };
                let Some(bound) = bound else { continue };
                let step = bound.minus(&column.value).over(w).magnitude();
                let tighter = match &room {
                    None => true,
                    Some((least, leaves)) => match step.cmp(least) {
                        std::cmp::Ordering::Less => true,
                        std::cmp::Ordering::Equal => leaves.is_some_and(|l| row.owner < self.rows[l].owner),
                        std::cmp::Ordering::Greater => false,
                    },
                };
                if tighter {
                    room = Some((step, Some(r)));
                }
            }
            let Some((step, leaves)) = room else { return Optimum::Unbounded };
            idle = if step.is_zero() { idle + 1 } else { 0 };
            let value = if up { here.value.plus(&step) } else { here.value.minus(&step) };
            self.move_to(enters, value);
            if let Some(r) = leaves {
                self.pivot(r, enters);
            }
        }
    }

    /// The least value of a column.
    pub fn least(&mut self, c: ColumnId) -> Optimum {
        let negative = self.row(&[(c, Rational::ONE.negated())]);
        let found = match self.maximise(negative) {
            Optimum::At(v) => Optimum::At(v.negated()),
            other => other,
        };
        self.drop_last_row(negative);
        found
    }

    /// Takes away the column that was added last, which is a row without bounds.
    pub fn drop_last_row(&mut self, c: ColumnId) {
        assert_eq!(c + 1, self.columns.len(), "only the last column can go");
        let r = match self.columns[c].row {
            Some(r) => r,
            None => {
                // A column without bounds never leaves its row; but another row may have taken it in exchange.
                let r = self.rows.iter().position(|row| row.coefficient(c).is_some()).expect("it depends on others");
                self.pivot(r, c);
                r
            }
        };
        self.rows.swap_remove(r);
        if let Some(moved) = self.rows.get(r) {
            self.columns[moved.owner].row = Some(r);
        }
        self.columns.pop();
    }

    fn may_go_on(&mut self) -> bool {
        self.pivots += 1;
        self.budget > 0
            && self.clock.work.get() > 0
            && !(self.pivots.is_multiple_of(16) && Instant::now() >= self.clock.deadline)
    }

    /// The column takes over the row; its owner joins the sum.
    fn pivot(&mut self, r: usize, enters: ColumnId) {
        let row = &mut self.rows[r];
        let at = row.sum.binary_search_by_key(&enters, |e| e.0).expect("the column is in the row");
        let (_, pivot) = row.sum.remove(at);
        let leaves = row.owner;
        // leaves = pivot * enters + rest, so enters = leaves / pivot - rest / pivot.
        let scale = Rational::ONE.over(&pivot);
        let minus = scale.negated();
        for (_, w) in &mut row.sum {
            *w = w.times(&minus);
        }
        let place = row.sum.binary_search_by_key(&leaves, |e| e.0).expect_err("an owner is in no sum");
        row.sum.insert(place, (leaves, scale));
        row.owner = enters;
        self.columns[leaves].row = None;
        self.columns[enters].row = Some(r);
        let definition = std::mem::take(&mut self.rows[r].sum);
        let mut work = self.rows.len();
        for (i, other) in self.rows.iter_mut().enumerate() {
            if i == r {
                continue;
            }
            if let Ok(at) = other.sum.binary_search_by_key(&enters, |e| e.0) {
                let (_, w) = other.sum.remove(at);
                other.sum = combine(&other.sum, &w, &definition);
                work += other.sum.len();
            }
        }
        let work = u32::try_from(work).unwrap_or(u32::MAX);
        self.budget = self.budget.saturating_sub(work);
        self.clock.use_up(work.into());
        self.rows[r].sum = definition;
    }
}

/// The first sum and `factor` times the second, both in the order of their columns.
fn combine(
    first: &[(ColumnId, Rational)],
    factor: &Rational,
    second: &[(ColumnId, Rational)],
) -> Vec<(ColumnId, Rational)> {
    let mut out = Vec::with_capacity(first.len() + second.len());
    let (mut i, mut j) = (0, 0);
    while i < first.len() || j < second.len() {
        let order = match (first.get(i), second.get(j)) {
            (Some(a), Some(b)) => a.0.cmp(&b.0),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        match order {
            std::cmp::Ordering::Less => {
                out.push(first[i].clone());
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                out.push((second[j].0, second[j].1.times(factor)));
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                let w = first[i].1.plus(&second[j].1.times(factor));
                if !w.is_zero() {
                    out.push((first[i].0, w));
                }
                i += 1;
                j += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
