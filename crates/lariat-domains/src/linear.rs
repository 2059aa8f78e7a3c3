//! Linear expressions over dimensions, constraints, and terms that are linear up to an interval.

use crate::integer::{ceil_div, floor_div, gcd, one};
use crate::interval::Interval;
use dashu_int::IBig;
use std::collections::BTreeMap;

/// A sum of dimensions with coefficients that are not zero, in the order of the dimensions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    terms: Vec<(usize, IBig)>,
}

impl Linear {
    /// The sum of nothing.
    pub fn zero() -> Self {
        Self::default()
    }
    /// One dimension.
    pub fn dimension(d: usize) -> Self {
        Self { terms: vec![(d, one())] }
    }
    /// A sum; a dimension may stand several times.
    pub fn new(terms: impl IntoIterator<Item = (usize, IBig)>) -> Self {
        let mut sum: BTreeMap<usize, IBig> = BTreeMap::new();
        for (d, c) in terms {
            *sum.entry(d).or_default() += c;
        }
        Self { terms: sum.into_iter().filter(|(_, c)| !c.is_zero()).collect() }
    }
    /// The dimensions with their coefficients.
    pub fn terms(&self) -> &[(usize, IBig)] {
        &self.terms
    }
    /// Whether it is the sum of nothing.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }
    /// Multiplied by a number.
    pub fn scale(&self, by: &IBig) -> Self {
        if by.is_zero() {
            return Self::zero();
        }
        Self { terms: self.terms.iter().map(|(d, c)| (*d, c * by)).collect() }
    }
    /// The sum of two.
    pub fn add(&self, other: &Self) -> Self {
        Self::new(self.terms.iter().chain(&other.terms).cloned())
    }
    /// The greatest number that divides every coefficient; zero for the sum of nothing.
    pub fn content(&self) -> IBig {
        self.terms.iter().fold(IBig::ZERO, |g, (_, c)| gcd(&g, c))
    }
    /// What the sum can be, when `of` says what each dimension can be.
    pub fn interval(&self, mut of: impl FnMut(usize) -> Interval) -> Interval {
        self.terms.iter().fold(Interval::constant(0), |sum, (d, c)| sum.add(&of(*d).scale(c)))
    }
    /// The sum for concrete values of the dimensions.
    pub fn value(&self, mut of: impl FnMut(usize) -> IBig) -> IBig {
        self.terms.iter().map(|(d, c)| c * of(*d)).sum()
    }
    /// With other names for the dimensions.
    pub fn rename(&self, of: impl Fn(usize) -> usize) -> Self {
        Self::new(self.terms.iter().map(|(d, c)| (of(*d), c.clone())))
    }
}

/// That a sum is at most a number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint {
    /// The sum.
    pub linear: Linear,
    /// What it is at most.
    pub bound: IBig,
}

impl Constraint {
    /// The constraint with coefficients without a common divisor. Integers satisfy it exactly if they satisfy the original: a
    /// multiple of `g` is at most `b` iff it is at most the greatest multiple of `g` below.
    pub fn new(linear: Linear, bound: IBig) -> Self {
        let g = linear.content();
        if g.is_zero() || g.is_one() {
            return Self { linear, bound };
        }
        let terms = linear.terms.iter().map(|(d, c)| (*d, c / &g)).collect();
        Self { linear: Linear { terms }, bound: floor_div(&bound, &g) }
    }
    /// Whether concrete values satisfy it.
    pub fn holds(&self, of: impl FnMut(usize) -> IBig) -> bool {
        self.linear.value(of) <= self.bound
    }
    /// That the sum is at least the bound: with this one, an equation.
    pub fn reversed(&self) -> Self {
        Self { linear: self.linear.scale(&IBig::from(-1)), bound: -&self.bound }
    }
}

/// What is known of a number: `scale` times it, less the sum, lies in an interval. The scale is positive.
///
/// With a scale, quotients stay linear: half of `x`, rounded down, is a `q` with `2 q - x` from -1 to 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// The scale.
    pub scale: IBig,
    /// The sum.
    pub linear: Linear,
    /// What is between.
    pub rest: Interval,
}

impl Form {
    /// A number of which an interval is known only.
    pub fn interval(rest: Interval) -> Self {
        Self { scale: one(), linear: Linear::zero(), rest }
    }
    /// A number that is a dimension.
    pub fn dimension(d: usize) -> Self {
        Self { scale: one(), linear: Linear::dimension(d), rest: Interval::constant(0) }
    }
    /// The sum of two numbers: both are brought to a common scale.
    pub fn add(&self, other: &Self) -> Self {
        Self {
            scale: &self.scale * &other.scale,
            linear: self.linear.scale(&other.scale).add(&other.linear.scale(&self.scale)),
            rest: self.rest.scale(&other.scale).add(&other.rest.scale(&self.scale)),
        }
        .lowest()
    }
    /// The number multiplied by a constant.
    pub fn times(&self, k: &IBig) -> Self {
        Self { scale: self.scale.clone(), linear: self.linear.scale(k), rest: self.rest.scale(k) }.lowest()
    }
    /// The difference of two numbers.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.times(&IBig::from(-1)))
    }
    /// The number plus one of an interval.
    pub fn plus(&self, more: &Interval) -> Self {
        Self { rest: self.rest.add(&more.scale(&self.scale)), ..self.clone() }
    }
    /// The quotient by a positive constant, with an error of `error`: `k q - n` lies in it.
    pub fn divided(&self, k: &IBig, error: &Interval) -> Self {
        Self { scale: &self.scale * k, linear: self.linear.clone(), rest: self.rest.add(&error.scale(&self.scale)) }
            .lowest()
    }
    /// Whether the number is the sum plus a constant.
    pub fn exact(&self) -> Option<&IBig> {
        if self.scale.is_one() { self.rest.as_constant() } else { None }
    }
    /// The numbers it can be, when the sum lies in an interval.
    pub fn values(&self, sum: &Interval) -> Option<Interval> {
        sum.add(&self.rest).exact_div(&self.scale)
    }
    /// The constraints that it puts on the number as a dimension of its own: `scale d - sum <= hi` and `sum - scale d <= -lo`.
    pub fn constraints(&self, d: usize) -> impl Iterator<Item = Constraint> {
        let own = Linear::new([(d, self.scale.clone())]);
        let above = own.add(&self.linear.scale(&IBig::from(-1)));
        let below = above.scale(&IBig::from(-1));
        let hi = self.rest.hi().cloned().map(|h| Constraint::new(above, h));
        let lo = self.rest.lo().map(|l| Constraint::new(below, -l));
        hi.into_iter().chain(lo)
    }
    /// Without a common divisor of scale and coefficients; the ends of the rest move outwards to multiples, which keeps every number.
    fn lowest(self) -> Self {
        let g = gcd(&self.linear.content(), &self.scale);
        if g.is_one() || self.linear.is_zero() && self.scale.is_one() {
            return self;
        }
        let terms = self.linear.terms.iter().map(|(d, c)| (*d, c / &g)).collect();
        // `g (s n - sum)` lies in the rest, so `s n - sum` lies from the ceiling of `lo / g` to the floor of `hi / g`.
        let rest = Interval::new(self.rest.lo().map(|l| ceil_div(l, &g)), self.rest.hi().map(|h| floor_div(h, &g)));
        match rest {
            Some(rest) => Self { scale: &self.scale / &g, linear: Linear { terms }, rest },
            // No number at all fits; the caller's own sets will say so.
            None => self,
        }
    }
}
