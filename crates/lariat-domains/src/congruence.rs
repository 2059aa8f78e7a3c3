//! Congruences: the integers `a`, `a + m`, `a - m`, and so on.
//!
//! Moduli only shrink to divisors when classes are joined, so there is no infinite ascending chain: no widening is
//! needed.

use crate::integer::{bit_length, gcd, one, power, residue, trailing_zeros};
use dashu_int::IBig;
use std::fmt;

/// The longest modulus that is kept: a product of moduli could grow without end.
const MOST_BITS: u32 = 130;

/// The integers that are congruent to `rest` modulo `modulus`; modulo zero that is `rest` alone.
///
/// `rest` lies from 0 to `modulus - 1` where the modulus is not zero, so equal sets are equal values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Congruence {
    modulus: IBig,
    rest: IBig,
}

impl fmt::Display for Congruence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} mod {}", self.rest, self.modulus)
    }
}

impl Congruence {
    /// All integers.
    pub fn top() -> Self {
        Self { modulus: one(), rest: IBig::ZERO }
    }
    /// One integer.
    pub fn constant(c: impl Into<IBig>) -> Self {
        Self { modulus: IBig::ZERO, rest: c.into() }
    }
    /// The integers congruent to `rest`; the sign of the modulus does not matter.
    pub fn new(rest: impl Into<IBig>, modulus: impl Into<IBig>) -> Self {
        let (rest, modulus) = (rest.into(), crate::integer::abs(&modulus.into()));
        if modulus.is_zero() {
            // Products in a loop grow without end.
            if bit_length(&rest) > 2 * MOST_BITS { Self::top() } else { Self { modulus, rest } }
        } else if bit_length(&modulus) > MOST_BITS {
            // Larger than any machine word: the class modulo a divisor holds it.
            let smaller = power(trailing_zeros(&modulus).min(MOST_BITS - 1));
            Self { rest: residue(&rest, &smaller), modulus: smaller }
        } else {
            Self { rest: residue(&rest, &modulus), modulus }
        }
    }
    /// The modulus: 1 for all integers, 0 for a single one.
    pub fn modulus(&self) -> &IBig {
        &self.modulus
    }
    /// The least member that is not negative, or the only member.
    pub fn rest(&self) -> &IBig {
        &self.rest
    }
    /// Whether these are all integers.
    pub fn is_top(&self) -> bool {
        self.modulus.is_one()
    }
    /// The only member.
    pub fn as_constant(&self) -> Option<&IBig> {
        Some(&self.rest).filter(|_| self.modulus.is_zero())
    }
    /// Whether an integer is a member.
    pub fn contains(&self, i: &IBig) -> bool {
        if self.modulus.is_zero() { *i == self.rest } else { residue(i, &self.modulus) == self.rest }
    }
    /// Whether every member is one of the other.
    pub fn leq(&self, other: &Self) -> bool {
        other.contains(&self.rest) && gcd(&self.modulus, &other.modulus) == other.modulus
    }
    /// The least class that holds both: the difference of any two members is a multiple of the new modulus.
    pub fn join(&self, other: &Self) -> Self {
        let modulus = gcd(&gcd(&self.modulus, &other.modulus), &(&self.rest - &other.rest));
        Self::new(self.rest.clone(), modulus)
    }
    /// What is in both, by the Chinese remainder theorem.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        if self.modulus.is_zero() {
            return other.contains(&self.rest).then(|| self.clone());
        }
        if other.modulus.is_zero() {
            return self.contains(&other.rest).then(|| other.clone());
        }
        let common = gcd(&self.modulus, &other.modulus);
        if !residue(&(&self.rest - &other.rest), &common).is_zero() {
            return None;
        }
        // Where the common modulus would be too long, the class of the larger one holds the meet.
        let modulus = &self.modulus / &common * &other.modulus;
        if bit_length(&modulus) > MOST_BITS {
            return Some(if self.modulus >= other.modulus { self.clone() } else { other.clone() });
        }
        let step = residue(&(&self.modulus / &common), &(&other.modulus / &common));
        let inverse = inverse(&step, &(&other.modulus / &common));
        let times = (&other.rest - &self.rest) / &common * inverse;
        let rest = &self.rest + &self.modulus * residue(&times, &(&other.modulus / &common));
        Some(Self::new(rest, modulus))
    }
    /// The class modulo the common divisor of its modulus and another number: what is left when multiples of that
    /// number are added.
    pub fn modulo(&self, m: &IBig) -> Self {
        Self::new(self.rest.clone(), gcd(&self.modulus, m))
    }
    /// Sums.
    pub fn add(&self, other: &Self) -> Self {
        Self::new(&self.rest + &other.rest, gcd(&self.modulus, &other.modulus))
    }
    /// Moved by a number.
    pub fn shift(&self, by: &IBig) -> Self {
        Self::new(&self.rest + by, self.modulus.clone())
    }
    /// Multiplied by a number.
    pub fn scale(&self, by: &IBig) -> Self {
        Self::new(&self.rest * by, &self.modulus * by)
    }
    /// Negated.
    pub fn neg(&self) -> Self {
        Self::new(-&self.rest, self.modulus.clone())
    }
    /// Products: `(a + m i) (b + n j) = a b + (b m) i + (a n) j + (m n) i j`.
    pub fn mul(&self, other: &Self) -> Self {
        let (a, m, b, n) = (&self.rest, &self.modulus, &other.rest, &other.modulus);
        Self::new(a * b, gcd(&gcd(&(b * m), &(a * n)), &(m * n)))
    }
    /// The floors of the quotients by a positive number. Where it divides the modulus, `(a + m i) / k = a / k + (m / k) i`.
    pub fn floor_div(&self, k: &IBig) -> Self {
        if !residue(&self.modulus, k).is_zero() {
            return Self::top();
        }
        Self::new(crate::integer::floor_div(&self.rest, k), &self.modulus / k)
    }
    /// The least member from `bound` on.
    pub fn from_on(&self, bound: &IBig) -> Option<IBig> {
        if self.modulus.is_zero() {
            return Some(self.rest.clone()).filter(|r| r >= bound);
        }
        Some(bound + residue(&(&self.rest - bound), &self.modulus))
    }
    /// The greatest member up to `bound`.
    pub fn up_to(&self, bound: &IBig) -> Option<IBig> {
        if self.modulus.is_zero() {
            return Some(self.rest.clone()).filter(|r| r <= bound);
        }
        Some(bound - residue(&(bound - &self.rest), &self.modulus))
    }
}

/// The inverse of `a` modulo a coprime `m`, by Euclid's algorithm.
fn inverse(a: &IBig, m: &IBig) -> IBig {
    let (mut r0, mut r1) = (m.clone(), residue(a, m));
    let (mut t0, mut t1) = (IBig::ZERO, one());
    while !r1.is_zero() {
        let q = &r0 / &r1;
        let r2 = &r0 - &q * &r1;
        let t2 = &t0 - &q * &t1;
        (r0, r1, t0, t1) = (r1, r2, t1, t2);
    }
    residue(&t0, m)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Congruence> {
        (0..=7).flat_map(|m| (if m == 0 { -5..=5 } else { 0..=m - 1 }).map(move |a| Congruence::new(a, m))).collect()
    }
    fn members(c: &Congruence) -> Vec<i64> {
        (-60..=60).filter(|&x| c.contains(&IBig::from(x))).collect()
    }

    #[test]
    fn lattice_laws() {
        for a in all() {
            assert!(a.leq(&a) && a.leq(&Congruence::top()));
            for b in all() {
                let (x, y) = (members(&a), members(&b));
                let j = a.join(&b);
                assert!(a.leq(&j) && b.leq(&j) && j == b.join(&a));
                assert_eq!(a.leq(&b), x.iter().all(|i| y.contains(i)), "{a} {b}");
                let met: Vec<i64> = x.iter().copied().filter(|i| y.contains(i)).collect();
                assert_eq!(a.meet(&b).map_or(Vec::new(), |m| members(&m)), met, "{a} {b}");
            }
        }
    }

    #[test]
    fn arithmetic_holds_every_result() {
        let near = |c: &Congruence| (-12..=12).filter(|&x| c.contains(&IBig::from(x))).collect::<Vec<i64>>();
        for a in all() {
            for x in near(&a) {
                let i = IBig::from(x);
                for k in -4i64..=4 {
                    assert!(a.scale(&IBig::from(k)).contains(&IBig::from(x * k)));
                    assert!(a.shift(&IBig::from(k)).contains(&IBig::from(x + k)));
                    assert!(a.modulo(&IBig::from(k)).contains(&IBig::from(x + 5 * k)));
                    if k > 0 {
                        assert!(a.floor_div(&IBig::from(k)).contains(&IBig::from(x.div_euclid(k))), "{a} {k} {x}");
                    }
                    let bound = IBig::from(k);
                    if i >= bound {
                        let m = a.from_on(&bound).expect("there is a member from the bound on");
                        assert!(m >= bound && m <= i && a.contains(&m));
                    }
                    if i <= bound {
                        let m = a.up_to(&bound).expect("there is a member up to the bound");
                        assert!(m <= bound && m >= i && a.contains(&m));
                    }
                }
                assert!(a.neg().contains(&-&i));
            }
            for b in all() {
                for x in near(&a) {
                    for y in near(&b) {
                        assert!(a.add(&b).contains(&IBig::from(x + y)));
                        assert!(a.mul(&b).contains(&IBig::from(x * y)), "{a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn moduli_stay_short() {
        let mut c = Congruence::new(0, 6);
        for _ in 0..100 {
            c = c.scale(&IBig::from(12));
            assert!(c.contains(&IBig::ZERO) && bit_length(c.modulus()) <= MOST_BITS);
        }
    }
}
