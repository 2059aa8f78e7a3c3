//! Affine forms over numbered columns.

use crate::lp::{ColumnId, Rational};
use dashu_int::IBig;

/// A sum of columns with weights, and a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Form {
    /// The columns in order, none with weight zero.
    pub parts: Vec<(ColumnId, Rational)>,
    /// What is added.
    pub constant: Rational,
}

impl Form {
    /// A constant.
    pub fn constant(c: Rational) -> Self {
        Self { parts: Vec::new(), constant: c }
    }
    /// An integer.
    pub fn int(c: &IBig) -> Self {
        Self::constant(Rational::int(c))
    }
    /// A column.
    pub fn column(c: ColumnId) -> Self {
        Self { parts: vec![(c, Rational::ONE)], constant: Rational::ZERO }
    }
    /// Its value, if no column occurs in it.
    pub fn as_constant(&self) -> Option<&Rational> {
        self.parts.is_empty().then_some(&self.constant)
    }
    /// The column that this is.
    pub fn as_column(&self) -> Option<ColumnId> {
        match self.parts.as_slice() {
            [(c, one)] if *one == Rational::ONE && self.constant.is_zero() => Some(*c),
            _ => None,
        }
    }
    /// The weight of a column.
    pub fn weight(&self, c: ColumnId) -> Rational {
        self.parts.binary_search_by_key(&c, |p| p.0).map_or(Rational::ZERO, |i| self.parts[i].1.clone())
    }
    /// This and `factor` times the other.
    pub fn plus(&self, factor: &Rational, other: &Self) -> Self {
        if factor.is_zero() {
            return self.clone();
        }
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut i, mut j) = (0, 0);
        loop {
            match (self.parts.get(i), other.parts.get(j)) {
                (None, None) => break,
                (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                    parts.push(a.clone());
                    i += 1;
                }
                (a, Some(b)) if a.is_none_or(|a| b.0 < a.0) => {
                    parts.push((b.0, b.1.times(factor)));
                    j += 1;
                }
                (Some(a), Some(b)) => {
                    let w = a.1.plus(&b.1.times(factor));
                    if !w.is_zero() {
                        parts.push((a.0, w));
                    }
                    i += 1;
                    j += 1;
                }
                _ => unreachable!("one of the two comes first"),
            }
        }
        Self { parts, constant: self.constant.plus(&other.constant.times(factor)) }
    }
    /// The sum.
    pub fn add(&self, other: &Self) -> Self {
        self.plus(&Rational::ONE, other)
    }
    /// The difference.
    pub fn sub(&self, other: &Self) -> Self {
        self.plus(&Rational::ONE.negated(), other)
    }
    /// A multiple.
    pub fn scaled(&self, factor: &Rational) -> Self {
        Self::constant(Rational::ZERO).plus(factor, self)
    }
    /// The negation.
    pub fn negated(&self) -> Self {
        self.scaled(&Rational::ONE.negated())
    }
    /// The same with an integer added.
    pub fn shifted(&self, by: i64) -> Self {
        Self { parts: self.parts.clone(), constant: self.constant.plus(&Rational::small(by)) }
    }
    /// The form in which a column is replaced.
    pub fn replaced(&self, c: ColumnId, by: &Self) -> Self {
        let w = self.weight(c);
        if w.is_zero() {
            return self.clone();
        }
        let mut rest = self.clone();
        rest.parts.retain(|p| p.0 != c);
        rest.plus(&w, by)
    }

    /// For `self >= 0` over integer columns: the strongest such form with the same direction.
    ///
    /// The weights are made integers without a common divisor; the constant can then be rounded down.
    pub fn tightened(&self) -> Self {
        use crate::lp::common_multiple;
        use dashu_int::ops::{Abs, Gcd};
        if self.parts.is_empty() {
            return self.clone();
        }
        let mut scale = IBig::ONE;
        for (_, w) in &self.parts {
            scale = common_multiple(&scale, &w.denominator());
        }
        let mut divisor = IBig::ZERO;
        for (_, w) in &self.parts {
            let n = w.numerator() * (&scale / w.denominator());
            divisor = IBig::from(divisor.gcd(n.abs()));
        }
        let factor = Rational::int(&scale).over(&Rational::int(&divisor));
        let mut all = self.scaled(&factor);
        all.constant = Rational::int(&all.constant.floor());
        all
    }
}
