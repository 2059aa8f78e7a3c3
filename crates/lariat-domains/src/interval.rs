//! Intervals of integers, with or without ends.
//!
//! An interval is never empty: an operation that can give none says so with `Option`. Every operation is exact up to
//! the least interval that holds its results, or wider; the tests compare each with enumeration.

use crate::integer::{abs, bit_length, ceil_div, floor_div, one};
use dashu_int::IBig;
use std::fmt;

/// The longest end that multiplication keeps.
const MOST_BITS: u32 = 300;

/// The integers from `lo` to `hi`; a missing end is infinite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interval {
    lo: Option<IBig>,
    hi: Option<IBig>,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |e: &Option<IBig>| e.as_ref().map_or_else(|| "..".to_owned(), ToString::to_string);
        write!(f, "[{}, {}]", end(&self.lo), end(&self.hi))
    }
}

impl Interval {
    /// All integers.
    pub fn top() -> Self {
        Self { lo: None, hi: None }
    }
    /// One integer.
    pub fn constant(c: impl Into<IBig>) -> Self {
        let c = c.into();
        Self { lo: Some(c.clone()), hi: Some(c) }
    }
    /// The integers between two ends, if there are any.
    pub fn new(lo: Option<IBig>, hi: Option<IBig>) -> Option<Self> {
        match (&lo, &hi) {
            (Some(l), Some(h)) if l > h => None,
            _ => Some(Self { lo, hi }),
        }
    }
    /// The integers from one to another that is not smaller.
    pub fn between(lo: impl Into<IBig>, hi: impl Into<IBig>) -> Self {
        let (lo, hi) = (lo.into(), hi.into());
        assert!(lo <= hi, "an interval is not empty");
        Self { lo: Some(lo), hi: Some(hi) }
    }
    /// The integers from one on.
    pub fn at_least(lo: impl Into<IBig>) -> Self {
        Self { lo: Some(lo.into()), hi: None }
    }
    /// The integers up to one.
    pub fn at_most(hi: impl Into<IBig>) -> Self {
        Self { lo: None, hi: Some(hi.into()) }
    }
    /// The least integer.
    pub fn lo(&self) -> Option<&IBig> {
        self.lo.as_ref()
    }
    /// The greatest integer.
    pub fn hi(&self) -> Option<&IBig> {
        self.hi.as_ref()
    }
    /// Both ends, if there are both.
    pub fn ends(&self) -> Option<(&IBig, &IBig)> {
        Some((self.lo.as_ref()?, self.hi.as_ref()?))
    }
    /// The only integer in it.
    pub fn as_constant(&self) -> Option<&IBig> {
        self.lo.as_ref().filter(|_| self.lo == self.hi)
    }
    /// Whether an integer lies in it.
    pub fn contains(&self, i: &IBig) -> bool {
        self.lo.as_ref().is_none_or(|l| l <= i) && self.hi.as_ref().is_none_or(|h| i <= h)
    }
    /// Whether none of its integers is below `bound`.
    pub fn is_at_least(&self, bound: &IBig) -> bool {
        self.lo.as_ref().is_some_and(|l| l >= bound)
    }
    /// Whether none of its integers is above `bound`.
    pub fn is_at_most(&self, bound: &IBig) -> bool {
        self.hi.as_ref().is_some_and(|h| h <= bound)
    }

    /// Whether every integer of this lies in the other.
    pub fn leq(&self, other: &Self) -> bool {
        other.lo.as_ref().is_none_or(|l| self.is_at_least(l)) && other.hi.as_ref().is_none_or(|h| self.is_at_most(h))
    }
    /// The least interval that holds both.
    pub fn join(&self, other: &Self) -> Self {
        Self { lo: both(self.lo(), other.lo(), lesser), hi: both(self.hi(), other.hi(), greater) }
    }
    /// What lies in both.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        Self::new(either(self.lo(), other.lo(), greater), either(self.hi(), other.hi(), lesser))
    }
    /// Holds both, and an end that moved goes to the next threshold, or to infinity: with finitely many thresholds no
    /// end moves for ever. The thresholds are in ascending order.
    pub fn widen(&self, next: &Self, thresholds: &[IBig]) -> Self {
        let lo = match (&self.lo, &next.lo) {
            (Some(old), Some(new)) if old <= new => Some(old.clone()),
            (Some(_), Some(new)) => thresholds.iter().rev().find(|t| *t <= new).cloned(),
            _ => None,
        };
        let hi = match (&self.hi, &next.hi) {
            (Some(old), Some(new)) if old >= new => Some(old.clone()),
            (Some(_), Some(new)) => thresholds.iter().find(|t| *t >= new).cloned(),
            _ => None,
        };
        Self { lo, hi }
    }

    /// Sums.
    pub fn add(&self, other: &Self) -> Self {
        Self { lo: both(self.lo(), other.lo(), |a, b| a + b), hi: both(self.hi(), other.hi(), |a, b| a + b) }
    }
    /// Negated.
    pub fn neg(&self) -> Self {
        Self { lo: self.hi.as_ref().map(|h| -h), hi: self.lo.as_ref().map(|l| -l) }
    }
    /// Differences.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }
    /// Moved by a number.
    pub fn shift(&self, by: &IBig) -> Self {
        Self { lo: self.lo.as_ref().map(|l| l + by), hi: self.hi.as_ref().map(|h| h + by) }
    }
    /// Multiplied by a number.
    pub fn scale(&self, by: &IBig) -> Self {
        if by.is_zero() {
            return Self::constant(0);
        }
        let times = |e: &Option<IBig>| e.as_ref().map(|e| e * by);
        if *by > IBig::ZERO {
            Self { lo: times(&self.lo), hi: times(&self.hi) }.short()
        } else {
            Self { lo: times(&self.hi), hi: times(&self.lo) }.short()
        }
    }
    /// Without ends that are too long to be worth their cost: a square in a loop would double the length each time.
    fn short(self) -> Self {
        let keep = |e: &IBig| bit_length(e) <= MOST_BITS;
        Self { lo: self.lo.filter(keep), hi: self.hi.filter(keep) }
    }
    /// Products. A product of two bounded intervals has its extremes at the ends, since it is linear in each factor. A
    /// factor with a missing end is known by its sign only.
    pub fn mul(&self, other: &Self) -> Self {
        if let Some(c) = self.as_constant() {
            return other.scale(c);
        }
        if let Some(c) = other.as_constant() {
            return self.scale(c);
        }
        if let (Some((a, b)), Some((c, d))) = (self.ends(), other.ends()) {
            let products = [a * c, a * d, b * c, b * d];
            let lo = products.iter().min().cloned();
            let hi = products.iter().max().cloned();
            return Self { lo, hi }.short();
        }
        // Both of one sign: the magnitude is at least the product of the least magnitudes.
        let zero = IBig::ZERO;
        let magnitude = |i: &Self| {
            if i.is_at_least(&zero) {
                Some((1, i.clone()))
            } else if i.is_at_most(&zero) {
                Some((-1, i.neg()))
            } else {
                None
            }
        };
        match (magnitude(self), magnitude(other)) {
            (Some((s, a)), Some((t, b))) => {
                let product = Self { lo: both(a.lo(), b.lo(), |x, y| x * y), hi: both(a.hi(), b.hi(), |x, y| x * y) };
                product.scale(&IBig::from(s * t))
            }
            _ => Self::top(),
        }
    }
    /// The floors of the quotients by a positive number: monotone in the dividend.
    pub fn floor_div(&self, by: &IBig) -> Self {
        Self { lo: self.lo.as_ref().map(|l| floor_div(l, by)), hi: self.hi.as_ref().map(|h| floor_div(h, by)) }
    }
    /// The integers whose product with a positive number lies in this interval.
    pub fn exact_div(&self, by: &IBig) -> Option<Self> {
        Self::new(self.lo.as_ref().map(|l| ceil_div(l, by)), self.hi.as_ref().map(|h| floor_div(h, by)))
    }
    /// Quotients, rounded by `round`, which is monotone in the dividend for a divisor of one sign, of a dividend that may be
    /// anything and a divisor from 1 on; its magnitude falls as the divisor rises, so the extremes are at the ends.
    pub fn quotient(&self, divisor: &Self, round: impl Fn(&IBig, &IBig) -> IBig) -> Self {
        let least = divisor.lo.clone().map_or_else(one, |l| l.max(one()));
        let at = |end: &IBig, outward_is_small: bool| {
            // Towards infinity in magnitude the small divisor counts, towards zero the large one.
            if outward_is_small {
                round(end, &least)
            } else {
                match &divisor.hi {
                    Some(most) => round(end, most),
                    // For a divisor that grows without bound the quotient tends to zero from its side.
                    None => round(end, &(abs(end) + one())),
                }
            }
        };
        Self {
            lo: self.lo.as_ref().map(|l| at(l, *l < IBig::ZERO)),
            hi: self.hi.as_ref().map(|h| at(h, *h >= IBig::ZERO)),
        }
    }
    /// The magnitudes.
    pub fn abs(&self) -> Self {
        let zero = IBig::ZERO;
        if self.is_at_least(&zero) {
            return self.clone();
        }
        if self.is_at_most(&zero) {
            return self.neg();
        }
        let hi = both(self.lo(), self.hi(), |l, h| abs(l).max(h.clone()));
        Self { lo: Some(zero), hi }
    }
    /// Without one integer, where that is an end.
    pub fn without(&self, i: &IBig) -> Option<Self> {
        let lo = if self.lo.as_ref() == Some(i) { Some(i + one()) } else { self.lo.clone() };
        let hi = if self.hi.as_ref() == Some(i) { Some(i - one()) } else { self.hi.clone() };
        Self::new(lo, hi)
    }
}

/// Combines two ends where both are finite.
fn both(a: Option<&IBig>, b: Option<&IBig>, f: impl Fn(&IBig, &IBig) -> IBig) -> Option<IBig> {
    Some(f(a?, b?))
}

/// Combines two ends, or gives the finite one.
fn either(a: Option<&IBig>, b: Option<&IBig>, f: impl Fn(&IBig, &IBig) -> IBig) -> Option<IBig> {
    match (a, b) {
        (Some(a), Some(b)) => Some(f(a, b)),
        (Some(a), None) => Some(a.clone()),
        (None, b) => b.cloned(),
    }
}

fn lesser(a: &IBig, b: &IBig) -> IBig {
    a.min(b).clone()
}

fn greater(a: &IBig, b: &IBig) -> IBig {
    a.max(b).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::truncated_div;

    /// Every interval with ends from -4 to 4, or without.
    fn all() -> Vec<Interval> {
        let ends = || std::iter::once(None).chain((-4..=4).map(|i| Some(IBig::from(i))));
        ends().flat_map(|l| ends().filter_map(move |h| Interval::new(l.clone(), h))).collect()
    }
    /// Members within -9 to 9: enough to meet every end, and what lies beyond.
    fn members(i: &Interval) -> Vec<i64> {
        (-9..=9).filter(|&x| i.contains(&IBig::from(x))).collect()
    }

    #[test]
    fn lattice_laws() {
        for a in all() {
            assert!(a.leq(&a) && a.leq(&Interval::top()));
            for b in all() {
                let j = a.join(&b);
                assert!(a.leq(&j) && b.leq(&j) && j == b.join(&a));
                assert_eq!(a.leq(&b), members(&a).iter().all(|x| members(&b).contains(x)), "{a} {b}");
                let met: Vec<i64> = members(&a).into_iter().filter(|x| members(&b).contains(x)).collect();
                assert_eq!(a.meet(&b).map_or(Vec::new(), |m| members(&m)), met);
                for thresholds in [vec![], vec![IBig::from(-2), IBig::from(0), IBig::from(3)]] {
                    let w = a.widen(&b, &thresholds);
                    assert!(a.leq(&w) && b.leq(&w), "{a} {b} {w}");
                }
            }
        }
    }

    #[test]
    fn widening_ends() {
        let thresholds: Vec<IBig> = [-8, 0, 5, 100].map(IBig::from).to_vec();
        let (mut x, mut steps) = (Interval::constant(0), 0);
        loop {
            let next = x.widen(&x.join(&x.shift(&one())).join(&x.shift(&IBig::from(-1))), &thresholds);
            if next == x {
                break;
            }
            x = next;
            steps += 1;
        }
        assert!(x == Interval::top() && steps <= 4, "{x} {steps}");
    }

    #[test]
    fn arithmetic_holds_every_result() {
        let all = all();
        for a in &all {
            for x in members(a) {
                let i = IBig::from(x);
                assert!(a.neg().contains(&-&i) && a.abs().contains(&abs(&i)));
                for k in 1..=3 {
                    assert!(a.floor_div(&IBig::from(k)).contains(&IBig::from(x.div_euclid(k))));
                    if x % k == 0 {
                        let exact = a.exact_div(&IBig::from(k)).expect("a multiple lies in it");
                        assert!(exact.contains(&IBig::from(x / k)));
                    }
                }
                for k in -3..=3 {
                    assert!(a.scale(&IBig::from(k)).contains(&IBig::from(x * k)));
                    assert!(x == k || a.without(&IBig::from(k)).is_some_and(|w| w.contains(&i)));
                }
            }
            for b in &all {
                for x in members(a) {
                    for y in members(b) {
                        let (i, j) = (IBig::from(x), IBig::from(y));
                        assert!(a.add(b).contains(&(&i + &j)) && a.sub(b).contains(&(&i - &j)));
                        assert!(a.mul(b).contains(&(&i * &j)), "{a} * {b} = {} lacks {x} * {y}", a.mul(b));
                        if y >= 1 {
                            assert!(a.quotient(b, floor_div).contains(&IBig::from(x.div_euclid(y))), "{a} {b} {x} {y}");
                            assert!(a.quotient(b, truncated_div).contains(&IBig::from(x / y)), "{a} {b} {x} {y}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn arithmetic_of_bounded_intervals_is_exact() {
        let bounded = || all().into_iter().filter(|i| i.ends().is_some());
        let hull = |v: Vec<i64>| Interval::between(*v.iter().min().expect("some"), *v.iter().max().expect("some"));
        for a in bounded() {
            for b in bounded() {
                let pairs = || members(&a).into_iter().flat_map(|x| members(&b).into_iter().map(move |y| (x, y)));
                assert_eq!(a.mul(&b), hull(pairs().map(|(x, y)| x * y).collect()));
                assert_eq!(a.sub(&b), hull(pairs().map(|(x, y)| x - y).collect()));
            }
        }
    }
}
