//! Convex polyhedra: any linear constraints.
//!
//! P. Cousot and N. Halbwachs, *Automatic Discovery of Linear Restraints Among Variables of a Program*. A polyhedron is the slice at one of a
//! cone with a further coordinate, the first: a ray with a positive first coordinate is a point. It is kept both as
//! constraints and as generators. Where a polyhedron becomes too large, constraints are left out, which only holds more points.

use crate::cone::{Cone, Row, TooLarge, dot, lowest};
use crate::integer::{ceil_div, floor_div};
use crate::interval::Interval;
use crate::linear::{Constraint, Form, Linear};
use crate::relation::Relation;
use dashu_int::IBig;

/// With more rays than this, bounds of single dimensions are not added: each may double the number of rays, and the boxes know them.
const MANY_RAYS: usize = 20;

/// A polyhedron.
#[derive(Clone, Debug)]
pub struct Polyhedron {
    size: usize,
    /// Rows whose product with every point is zero.
    equalities: Vec<Row>,
    /// Rows whose product with every point is not negative. All points satisfy the rows, and what satisfies them is a point.
    inequalities: Vec<Row>,
    lines: Vec<Row>,
    rays: Vec<Row>,
    /// Whether no row follows from others.
    minimal: bool,
    empty: bool,
}

/// The row of a constraint: the bound, then the negated coefficients.
fn row_of(size: usize, c: &Constraint) -> Row {
    let mut row = vec![IBig::ZERO; size + 1];
    row[0].clone_from(&c.bound);
    for (d, a) in c.linear.terms() {
        row[d + 1] = -a;
    }
    row
}

fn constraint_of(row: &Row) -> Constraint {
    Constraint::new(Linear::new(row.iter().enumerate().skip(1).map(|(i, c)| (i - 1, -c))), row[0].clone())
}

fn negated(row: &Row) -> Row {
    row.iter().map(|c| -c).collect()
}

/// That the first coordinate is not negative: every cone of a polyhedron satisfies it.
fn forward(size: usize) -> Row {
    (0..=size).map(|i| IBig::from(i32::from(i == 0))).collect()
}

impl Polyhedron {
    fn nothing(size: usize) -> Self {
        Self { empty: true, ..Self::top(size) }
    }

    /// The points that satisfy all rows.
    fn satisfying(size: usize, equalities: &[Row], inequalities: &[Row]) -> Result<Self, TooLarge> {
        let mut cone = Cone::full(size + 1);
        cone.cut(&forward(size), false)?;
        for e in equalities {
            cone.cut(e, true)?;
        }
        for i in inequalities {
            cone.cut(i, false)?;
        }
        let (lines, rays) = cone.into_parts();
        let (equalities, inequalities) = (equalities.to_vec(), inequalities.to_vec());
        Ok(Self { size, equalities, inequalities, lines, rays, minimal: false, empty: false }.checked())
    }

    /// The least polyhedron with these generators: constraints from generators, and from these the generators that are needed.
    fn generated(size: usize, lines: &[Row], rays: &[Row]) -> Result<Self, TooLarge> {
        let (equalities, inequalities) = Self::dual(size, lines, rays)?;
        let mut out = Self::satisfying(size, &equalities, &inequalities)?;
        out.minimal = true;
        Ok(out)
    }

    /// The rows that all generators satisfy, none following from others.
    fn dual(size: usize, lines: &[Row], rays: &[Row]) -> Result<(Vec<Row>, Vec<Row>), TooLarge> {
        let mut cone = Cone::full(size + 1);
        for l in lines {
            cone.cut(l, true)?;
        }
        for r in rays {
            cone.cut(r, false)?;
        }
        let (equalities, mut inequalities) = cone.into_parts();
        inequalities.retain(|r| r.iter().skip(1).any(|c| !c.is_zero()));
        Ok((equalities, inequalities))
    }

    /// Without a ray that is a point there is none.
    fn checked(self) -> Self {
        if self.rays.iter().any(|r| r[0] > IBig::ZERO) { self } else { Self::nothing(self.size) }
    }

    /// All rows as inequalities.
    fn halves(&self) -> impl Iterator<Item = Row> + '_ {
        let equal = self.equalities.iter().flat_map(|r| [r.clone(), negated(r)]);
        equal.chain(self.inequalities.iter().cloned())
    }

    /// Whether all points satisfy a row as an inequality.
    fn satisfies(&self, row: &[IBig]) -> bool {
        self.lines.iter().all(|l| dot(row, l).is_zero()) && self.rays.iter().all(|r| dot(row, r) >= IBig::ZERO)
    }

    /// The generators that lie on the border of a row, as a comparable list.
    fn border(&self, row: &[IBig]) -> Vec<bool> {
        self.lines.iter().chain(&self.rays).map(|g| dot(row, g).is_zero()).collect()
    }

    fn cut(&self, row: &Row, equality: bool) -> Result<Self, TooLarge> {
        let mut known = vec![forward(self.size)];
        known.extend(self.equalities.iter().chain(&self.inequalities).cloned());
        let mut cone = Cone::known(self.lines.clone(), self.rays.clone(), &known)?;
        cone.cut(row, equality)?;
        let mut out = self.clone();
        (out.lines, out.rays) = cone.into_parts();
        if equality {
            out.equalities.push(row.clone());
        } else {
            out.inequalities.push(row.clone());
        }
        out.minimal = false;
        Ok(out.checked())
    }

    /// Without rows that follow from others.
    fn minimise(&mut self) {
        if !self.minimal
            && !self.empty
            && let Ok((e, i)) = Self::dual(self.size, &self.lines, &self.rays)
        {
            (self.equalities, self.inequalities, self.minimal) = (e, i, true);
        }
    }

    fn minimised(&self) -> std::borrow::Cow<'_, Self> {
        if self.minimal {
            return std::borrow::Cow::Borrowed(self);
        }
        let mut out = self.clone();
        out.minimise();
        std::borrow::Cow::Owned(out)
    }

    /// The rows of each that the points of the other satisfy, too: holds both.
    fn weak_join(&self, other: &Self) -> Self {
        let own = self.halves().filter(|r| other.satisfies(r));
        let theirs = other.halves().filter(|r| self.satisfies(r));
        let mut rows: Vec<Row> = own.chain(theirs).collect();
        rows.sort_unstable();
        rows.dedup();
        Self::satisfying(self.size, &[], &rows).unwrap_or_else(|TooLarge| Self::top(self.size))
    }

    /// The points after updates: the new values become coordinates of their own, then take the place of the old ones.
    fn moved(&self, updates: &[(usize, Form)]) -> Result<Self, TooLarge> {
        let wide = self.size + updates.len();
        let extend = |row: &Row| {
            let mut row = row.clone();
            for (_, form) in updates {
                // A form without slack gives the coordinate of each generator.
                let value = form.exact().map_or(IBig::ZERO, |c| {
                    form.linear.terms().iter().map(|(d, a)| a * &row[d + 1]).sum::<IBig>() + c * &row[0]
                });
                row.push(value);
            }
            row
        };
        let mut lines: Vec<Row> = self.lines.iter().map(extend).collect();
        let mut rays: Vec<Row> = self.rays.iter().map(extend).collect();
        let mut known: Vec<Row> = vec![forward(wide)];
        let pad = |row: &Row| row.iter().cloned().chain(updates.iter().map(|_| IBig::ZERO)).collect::<Row>();
        known.extend(self.equalities.iter().chain(&self.inequalities).map(pad));
        let mut cuts = Vec::new();
        for (n, (_, form)) in updates.iter().enumerate() {
            let new = self.size + n;
            if form.exact().is_none() {
                lines.push((0..=wide).map(|i| IBig::from(i32::from(i == new + 1))).collect());
                cuts.extend(form.constraints(new).map(|c| row_of(wide, &c)));
            }
        }
        if !cuts.is_empty() {
            let mut cone = Cone::known(lines, rays, &known)?;
            for c in &cuts {
                cone.cut(c, false)?;
            }
            (lines, rays) = cone.into_parts();
        }
        let place = |d: usize| updates.iter().position(|(u, _)| *u == d).map_or(d, |n| self.size + n);
        let select = |row: &Row| {
            lowest(std::iter::once(row[0].clone()).chain((0..self.size).map(|d| row[place(d) + 1].clone())).collect())
        };
        let tidy = |rows: &[Row]| {
            let mut rows: Vec<Row> = rows.iter().map(select).filter(|r| r.iter().any(|c| !c.is_zero())).collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        };
        Self::generated(self.size, &tidy(&lines), &tidy(&rays))
    }
}

impl Relation for Polyhedron {
    fn top(size: usize) -> Self {
        let unit = |i: usize| (0..=size).map(|j| IBig::from(i32::from(i == j))).collect::<Row>();
        let (lines, rays) = ((1..=size).map(unit).collect(), vec![unit(0)]);
        Self { size, equalities: Vec::new(), inequalities: Vec::new(), lines, rays, minimal: true, empty: false }
    }

    fn is_empty(&self) -> bool {
        self.empty
    }

    fn add(&mut self, c: &Constraint) {
        if self.empty {
            return;
        }
        let row = row_of(self.size, c);
        if c.linear.is_zero() {
            self.empty |= c.bound < IBig::ZERO;
            return;
        }
        if self.satisfies(&row) || c.linear.terms().len() == 1 && self.rays.len() > MANY_RAYS {
            return;
        }
        // With the reverse known already, this makes an equation.
        let equality = self.satisfies(&negated(&row));
        if let Ok(cut) = self.cut(&row, equality) {
            *self = cut;
            if self.inequalities.len() > 3 * self.size + 6 {
                self.minimise();
            }
        }
    }

    fn bounds(&self, l: &Linear) -> Interval {
        if self.empty {
            return Interval::top();
        }
        let row = row_of(self.size, &Constraint { linear: l.scale(&IBig::from(-1)), bound: IBig::ZERO });
        if self.lines.iter().any(|line| !dot(&row, line).is_zero()) {
            return Interval::top();
        }
        let (mut lo, mut hi): (Option<IBig>, Option<IBig>) = (None, None);
        let (mut below, mut above) = (false, false);
        for r in &self.rays {
            let v = dot(&row, r);
            if r[0].is_zero() {
                below |= v < IBig::ZERO;
                above |= v > IBig::ZERO;
                continue;
            }
            // Integer points only have integer sums.
            let (up, down) = (floor_div(&v, &r[0]), ceil_div(&v, &r[0]));
            hi = Some(hi.map_or(up.clone(), |h| h.max(up)));
            lo = Some(lo.map_or(down.clone(), |l| l.min(down)));
        }
        Interval::new(lo.filter(|_| !below), hi.filter(|_| !above)).unwrap_or_else(Interval::top)
    }

    fn leq(&self, other: &Self) -> bool {
        self.empty || !other.empty && other.halves().all(|r| self.satisfies(&r))
    }

    fn join(&self, other: &Self) -> Self {
        if self.empty || other.leq(self) {
            return if self.empty { other.clone() } else { self.clone() };
        }
        if self.leq(other) {
            return other.clone();
        }
        let all = |a: &[Row], b: &[Row]| {
            let mut rows: Vec<Row> = a.iter().chain(b).cloned().collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        };
        let (lines, rays) = (all(&self.lines, &other.lines), all(&self.rays, &other.rays));
        Self::generated(self.size, &lines, &rays).unwrap_or_else(|TooLarge| self.weak_join(other))
    }

    /// The rows of this polyhedron that the points of the next satisfy, and rows of the next that lie on the same generators as one of
    /// this: so the number of rows falls, or the dimension rises.
    fn widen(&self, next: &Self) -> Self {
        if self.empty || next.empty {
            return if self.empty { next.clone() } else { self.clone() };
        }
        let (old, new) = (self.minimised(), next.minimised());
        let new = if old.leq(&new) { new.into_owned() } else { old.join(&new) };
        let mut rows: Vec<Row> = old.halves().filter(|r| new.satisfies(r)).collect();
        let borders: Vec<Vec<bool>> = old.halves().map(|r| old.border(&r)).collect();
        rows.extend(new.halves().filter(|r| borders.contains(&old.border(r))));
        rows.sort_unstable();
        rows.dedup();
        Self::satisfying(self.size, &[], &rows).unwrap_or_else(|TooLarge| Self::top(self.size))
    }

    fn update(&mut self, updates: &[(usize, Form)]) {
        if self.empty || updates.is_empty() {
            return;
        }
        *self = self.moved(updates).unwrap_or_else(|TooLarge| Self::top(self.size));
    }

    fn constraints(&self) -> Vec<Constraint> {
        if self.empty {
            return vec![Constraint { linear: Linear::zero(), bound: IBig::from(-1) }];
        }
        let me = self.minimised();
        me.halves().map(|r| constraint_of(&r)).collect()
    }

    fn retain(&mut self, keep: &mut dyn FnMut(&Constraint) -> bool) {
        if self.empty {
            return;
        }
        let me = self.minimised();
        let rows: Vec<Row> = me.halves().filter(|r| keep(&constraint_of(r))).collect();
        if rows.len() < me.halves().count() {
            let kept = Self::satisfying(self.size, &[], &rows);
            *self = kept.unwrap_or_else(|TooLarge| Self::top(self.size));
        }
    }

    fn close(&mut self) {
        self.minimise();
    }
}
