//! Sets of integers: an interval and a congruence, each sharpened by the other.

use crate::congruence::Congruence;
use crate::integer::{abs, floor_div, one};
use crate::interval::Interval;
use dashu_int::IBig;
use std::fmt;

/// The integers of an interval that are in a congruence class. Never empty; the ends of the interval are members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    interval: Interval,
    class: Congruence,
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.class.modulus() <= &one() {
            write!(f, "{}", self.interval)
        } else {
            write!(f, "{}, {}", self.interval, self.class)
        }
    }
}

impl Number {
    /// All integers.
    pub fn top() -> Self {
        Self { interval: Interval::top(), class: Congruence::top() }
    }
    /// One integer.
    pub fn constant(c: impl Into<IBig>) -> Self {
        let c = c.into();
        Self { interval: Interval::constant(c.clone()), class: Congruence::constant(c) }
    }
    /// The integers of an interval.
    pub fn within(interval: Interval) -> Self {
        let class = interval.as_constant().map_or_else(Congruence::top, |c| Congruence::constant(c.clone()));
        Self { interval, class }
    }
    /// The common members, if there are any. The ends move inwards to the next members of the class: nothing lies
    /// between.
    pub fn new(interval: Interval, class: Congruence) -> Option<Self> {
        if class.is_top() {
            return Some(Self::within(interval));
        }
        let interval = if let Some(c) = class.as_constant() {
            interval.contains(c).then(|| Interval::constant(c.clone()))?
        } else {
            let lo = interval.lo().and_then(|l| class.from_on(l));
            let hi = interval.hi().and_then(|h| class.up_to(h));
            Interval::new(lo, hi)?
        };
        let class = interval.as_constant().map_or(class, |c| Congruence::constant(c.clone()));
        Some(Self { interval, class })
    }
    /// The interval.
    pub fn interval(&self) -> &Interval {
        &self.interval
    }
    /// The class.
    pub fn class(&self) -> &Congruence {
        &self.class
    }
    /// The only member.
    pub fn as_constant(&self) -> Option<&IBig> {
        self.interval.as_constant()
    }
    /// Whether an integer is a member.
    pub fn contains(&self, i: &IBig) -> bool {
        self.interval.contains(i) && self.class.contains(i)
    }
    /// Whether every member is one of the other.
    pub fn leq(&self, other: &Self) -> bool {
        self.interval.leq(&other.interval) && self.class.leq(&other.class)
    }
    /// Holds both.
    pub fn join(&self, other: &Self) -> Self {
        self.each(other, Interval::join, Congruence::join)
    }
    /// What is in both.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        Self::new(self.interval.meet(&other.interval)?, self.class.meet(&other.class)?)
    }
    /// Holds both, with ends that move finitely often.
    pub fn widen(&self, next: &Self, thresholds: &[IBig]) -> Self {
        self.each(next, |a, b| a.widen(b, thresholds), Congruence::join)
    }

    /// An operation that is sound for intervals and for classes is sound for what both hold; results are not empty
    /// where the operands are not, so that the common members of two sound results cannot be missing either.
    fn each(
        &self,
        other: &Self,
        interval: impl Fn(&Interval, &Interval) -> Interval,
        class: impl Fn(&Congruence, &Congruence) -> Congruence,
    ) -> Self {
        Self::sound(interval(&self.interval, &other.interval), class(&self.class, &other.class))
    }

    /// The common members of two sets that both hold some integer.
    fn sound(interval: Interval, class: Congruence) -> Self {
        Self::new(interval, class).expect("two sets that hold a result have a common member")
    }

    /// Sums.
    pub fn add(&self, other: &Self) -> Self {
        self.each(other, Interval::add, Congruence::add)
    }
    /// Differences.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }
    /// Negated.
    pub fn neg(&self) -> Self {
        Self { interval: self.interval.neg(), class: self.class.neg() }
    }
    /// Moved by a number.
    pub fn shift(&self, by: &IBig) -> Self {
        Self { interval: self.interval.shift(by), class: self.class.shift(by) }
    }
    /// Multiplied by a number.
    pub fn scale(&self, by: &IBig) -> Self {
        Self::sound(self.interval.scale(by), self.class.scale(by))
    }
    /// Products.
    pub fn mul(&self, other: &Self) -> Self {
        self.each(other, Interval::mul, Congruence::mul)
    }
    /// The floors of the quotients by a positive number.
    pub fn floor_div(&self, by: &IBig) -> Self {
        Self::sound(self.interval.floor_div(by), self.class.floor_div(by))
    }
    /// Without one integer, where that is an end.
    pub fn without(&self, i: &IBig) -> Option<Self> {
        Self::new(self.interval.without(i)?, self.class.clone())
    }
    /// The members of an interval.
    pub fn limit(&self, to: &Interval) -> Option<Self> {
        Self::new(self.interval.meet(to)?, self.class.clone())
    }
    /// What `x - m floor((x - least) / m)` can be: the representatives of the members from `least` to `least + m - 1`.
    /// Where all members have one quotient nothing but a shift happens; else the class is known modulo `m` only, since
    /// multiples of `m` were subtracted.
    pub fn reduced(&self, least: &IBig, m: &IBig) -> Self {
        let range = Interval::between(least.clone(), least + m - one());
        if let Some((lo, hi)) = self.interval.ends() {
            let (first, last) = (floor_div(&(lo - least), m), floor_div(&(hi - least), m));
            if first == last {
                return self.shift(&-(first * m));
            }
        }
        Self::sound(range, self.class.modulo(m))
    }

    /// Euclidean quotients; by zero it is zero.
    pub fn div_euclid(&self, divisor: &Self) -> Self {
        self.by_sign(divisor, &Self::constant(0), |a, b| match b.as_constant() {
            Some(k) => a.floor_div(k),
            None => Self::within(a.interval.quotient(&b.interval, floor_div)),
        })
    }

    /// The quotients, when `positive` gives those by positive divisors and `by_zero` those by zero. For a negative divisor the Euclidean
    /// remainder is that by its magnitude, so the quotient is the negated one.
    fn by_sign(&self, divisor: &Self, by_zero: &Self, positive: impl Fn(&Self, &Self) -> Self) -> Self {
        let mut all: Option<Self> = None;
        let mut hold = |n: Self| all = Some(all.as_ref().map_or(n.clone(), |a| a.join(&n)));
        if divisor.contains(&IBig::ZERO) {
            hold(by_zero.clone());
        }
        if let Some(d) = divisor.limit(&Interval::at_least(1)) {
            hold(positive(self, &d));
        }
        if let Some(d) = divisor.limit(&Interval::at_most(-1)) {
            hold(positive(self, &d.neg()).neg());
        }
        all.expect("a divisor has some sign")
    }

    /// Euclidean remainders; by zero it is the dividend. For a divisor `d` the remainder lies from 0 to `|d| - 1`, and is the
    /// dividend where that lies there already; a dividend that is not negative is never exceeded.
    pub fn rem_euclid(&self, divisor: &Self) -> Self {
        if let Some(k) = divisor.as_constant() {
            return if k.is_zero() { self.clone() } else { self.reduced(&IBig::ZERO, &abs(k)) };
        }
        let mut all: Option<Self> = divisor.contains(&IBig::ZERO).then(|| self.clone());
        if let Some(d) = Self::magnitudes(divisor) {
            let class = self.class.modulo(d.class.modulus()).modulo(d.class.rest());
            let mut interval = Interval::at_least(0);
            if let Some(most) = d.interval.hi() {
                interval = Interval::between(0, most - one());
            }
            let zero = IBig::ZERO;
            if self.interval.is_at_least(&zero) {
                interval = interval
                    .meet(&Interval::new(Some(zero), self.interval.hi().cloned()).expect("not empty"))
                    .expect("zero lies in both");
                if let (Some(h), Some(l)) = (self.interval.hi(), d.interval.lo())
                    && h < l
                {
                    interval = self.interval.clone();
                }
            }
            let rest = Self::sound(interval, class);
            all = Some(all.map_or(rest.clone(), |a| a.join(&rest)));
        }
        all.expect("a divisor is zero or has a magnitude")
    }

    /// The magnitudes of the members other than zero.
    fn magnitudes(of: &Self) -> Option<Self> {
        let up = of.limit(&Interval::at_least(1));
        let down = of.limit(&Interval::at_most(-1)).map(|d| d.neg());
        match (up, down) {
            (Some(a), Some(b)) => Some(a.join(&b)),
            (a, b) => a.or(b),
        }
    }

    /// Quotients rounded towards zero, by divisors that are not zero; nothing if all are. The magnitude of the quotient is that of the magnitudes.
    pub fn div_truncated(&self, divisor: &Self) -> Option<Self> {
        let by = |d: Self, negate: bool| {
            let q = match d.as_constant() {
                Some(k) if self.interval.is_at_least(&IBig::ZERO) => self.floor_div(k),
                _ => Self::within(self.interval.quotient(&d.interval, crate::integer::truncated_div)),
            };
            if negate { q.neg() } else { q }
        };
        let up = divisor.limit(&Interval::at_least(1)).map(|d| by(d, false));
        let down = divisor.limit(&Interval::at_most(-1)).map(|d| by(d.neg(), true));
        match (up, down) {
            (Some(a), Some(b)) => Some(a.join(&b)),
            (a, b) => a.or(b),
        }
    }

    /// Remainders with the sign of the dividend, by divisors that are not zero; nothing if all are. `a - d q` is congruent to `a` modulo
    /// every common divisor of all divisors.
    pub fn rem_truncated(&self, divisor: &Self) -> Option<Self> {
        let d = Self::magnitudes(divisor)?;
        if let (Some((l, h)), Some(least)) = (self.interval.ends(), d.interval.lo())
            && abs(l).max(abs(h)) < *least
        {
            return Some(self.clone());
        }
        let class = self.class.modulo(d.class.modulus()).modulo(d.class.rest());
        let mut interval = match d.interval.hi() {
            Some(most) => Interval::between(-(most - one()), most - one()),
            None => Interval::top(),
        };
        let zero = Interval::constant(0);
        interval = interval.meet(&self.interval.join(&zero)).expect("zero lies in both");
        Some(Self::sound(interval, class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::eval::{int_div, int_mod};

    fn all() -> Vec<Number> {
        let mut out: Vec<Number> = Vec::new();
        let ends = || std::iter::once(None).chain((-4..=4).map(|i| Some(IBig::from(i))));
        for (l, h) in ends().flat_map(|l| ends().map(move |h| (l.clone(), h))) {
            for (m, r) in [(1, 0), (2, 0), (2, 1), (3, 2), (4, 0)] {
                let n = Interval::new(l.clone(), h.clone()).and_then(|i| Number::new(i, Congruence::new(r, m)));
                out.extend(n.filter(|n| !out.contains(n)));
            }
        }
        out
    }
    fn members(n: &Number) -> Vec<i64> {
        (-9..=9).filter(|&x| n.contains(&IBig::from(x))).collect()
    }

    #[test]
    fn lattice_laws() {
        for a in all() {
            assert!(!members(&a).is_empty(), "{a}");
            for b in all() {
                let j = a.join(&b);
                let w = a.widen(&b, &[IBig::from(2)]);
                assert!(a.leq(&j) && b.leq(&j) && a.leq(&w) && b.leq(&w));
                assert!(!a.leq(&b) || members(&a).iter().all(|x| members(&b).contains(x)));
                let met: Vec<i64> = members(&a).into_iter().filter(|x| members(&b).contains(x)).collect();
                assert_eq!(a.meet(&b).map_or(Vec::new(), |m| members(&m)), met, "{a} {b}");
            }
        }
    }

    #[test]
    fn arithmetic_holds_every_result() {
        let all = all();
        for a in &all {
            for b in &all {
                let (quotient, rest) = (a.div_euclid(b), a.rem_euclid(b));
                let (truncated, signed) = (a.div_truncated(b), a.rem_truncated(b));
                let (sum, difference, product) = (a.add(b), a.sub(b), a.mul(b));
                for x in members(a) {
                    for y in members(b) {
                        let (i, j) = (IBig::from(x), IBig::from(y));
                        assert!(sum.contains(&(&i + &j)) && difference.contains(&(&i - &j)), "{a} {b}");
                        assert!(product.contains(&(&i * &j)), "{a} {b}");
                        assert!(quotient.contains(&int_div(&i, &j)), "{a} / {b}: {x} {y} not in {quotient}");
                        assert!(rest.contains(&int_mod(&i, &j)), "{a} % {b}: {x} {y} not in {rest}");
                        if y != 0 {
                            let holds = |n: &Option<Number>, i: i64| n.as_ref().is_some_and(|n| n.contains(&i.into()));
                            assert!(holds(&truncated, x / y), "{a} / {b}: {x} {y} not in {truncated:?}");
                            assert!(holds(&signed, x % y), "{a} % {b}: {x} {y} not in {signed:?}");
                        }
                    }
                }
            }
            for x in members(a) {
                for least in -3i64..=1 {
                    for m in 1..=5 {
                        let r = least + (x - least).rem_euclid(m);
                        assert!(a.reduced(&least.into(), &m.into()).contains(&r.into()), "{a} {least} {m} {x}");
                    }
                }
            }
        }
    }

    #[test]
    fn remainders_are_precise_where_it_matters() {
        let between = |l: i32, h: i32| Number::within(Interval::between(l, h));
        assert_eq!(between(0, 9).rem_euclid(&Number::constant(10)), between(0, 9));
        assert_eq!(between(10, 19).rem_euclid(&Number::constant(10)), between(0, 9));
        assert_eq!(between(-1, 19).rem_euclid(&Number::constant(10)), between(0, 9));
        assert_eq!(between(-7, 3).rem_truncated(&Number::constant(5)), Some(between(-4, 3)));
        assert_eq!(between(3, 17).div_truncated(&Number::constant(2)), Some(between(1, 8)));
        assert_eq!(between(0, 5).rem_euclid(&between(8, 9)), between(0, 5));
    }
}
