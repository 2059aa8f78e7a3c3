//! Exact fractions: machine words while they fit, big integers beyond.

use dashu_int::IBig;
use dashu_int::ops::{Abs, Gcd};
use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator.
///
/// Of two forms the small one is used whenever numerator and denominator fit, so equal fractions are equal values.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Rational {
    /// Numerator and denominator.
    Small(i128, i128),
    /// The same, where one of them does not fit.
    Big(Box<(IBig, IBig)>),
}

impl Rational {
    /// Zero.
    pub const ZERO: Self = Self::Small(0, 1);
    /// One.
    pub const ONE: Self = Self::Small(1, 1);

    /// An integer.
    pub fn int(i: &IBig) -> Self {
        match i128::try_from(i) {
            Ok(n) => Self::Small(n, 1),
            Err(_) => Self::Big(Box::new((i.clone(), IBig::ONE))),
        }
    }

    /// A small integer.
    pub fn small(i: i64) -> Self {
        Self::Small(i128::from(i), 1)
    }

    fn fraction(n: i128, d: i128) -> Option<Self> {
        if d == 1 {
            return Some(Self::Small(n, 1));
        }
        let g = i128::try_from(gcd(n.unsigned_abs(), d.unsigned_abs())).ok()?;
        let (n, d) = if g == 1 { (n, d) } else { (quotient(n, g), quotient(d, g)) };
        if d < 0 { Some(Self::Small(n.checked_neg()?, d.checked_neg()?)) } else { Some(Self::Small(n, d)) }
    }

    fn big(n: IBig, d: IBig) -> Self {
        if n.is_zero() {
            return Self::ZERO;
        }
        let g = IBig::from((&n).gcd(&d));
        let g = if d < IBig::ZERO { -g } else { g };
        let (n, d) = (n / &g, d / g);
        match (i128::try_from(&n), i128::try_from(&d)) {
            (Ok(n), Ok(d)) => Self::Small(n, d),
            _ => Self::Big(Box::new((n, d))),
        }
    }

    fn parts(&self) -> (IBig, IBig) {
        match self {
            Self::Small(n, d) => (IBig::from(*n), IBig::from(*d)),
            Self::Big(b) => (b.0.clone(), b.1.clone()),
        }
    }

    /// The numerator.
    pub fn numerator(&self) -> IBig {
        self.parts().0
    }
    /// The denominator, which is positive.
    pub fn denominator(&self) -> IBig {
        self.parts().1
    }
    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Small(0, _))
    }
    /// Its sign.
    pub fn sign(&self) -> Ordering {
        match self {
            Self::Small(n, _) => n.cmp(&0),
            Self::Big(b) => b.0.cmp(&IBig::ZERO),
        }
    }
    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.sign() == Ordering::Less
    }
    /// Whether it is above zero.
    pub fn is_positive(&self) -> bool {
        self.sign() == Ordering::Greater
    }
    /// The greatest integer that is not above it.
    pub fn floor(&self) -> IBig {
        match self {
            Self::Small(n, d) => IBig::from(n.div_euclid(*d)),
            Self::Big(b) => lariat_ir::eval::int_div(&b.0, &b.1),
        }
    }
    /// The least integer that is not below it.
    pub fn ceil(&self) -> IBig {
        -self.negated().floor()
    }

    /// Its negation.
    pub fn negated(&self) -> Self {
        match self {
            Self::Small(n, d) if *n != i128::MIN => Self::Small(-n, *d),
            _ => {
                let (n, d) = self.parts();
                Self::big(-n, d)
            }
        }
    }

    /// Its absolute value.
    pub fn magnitude(&self) -> Self {
        if self.is_negative() { self.negated() } else { self.clone() }
    }

    /// The sum.
    pub fn plus(&self, other: &Self) -> Self {
        if let (Self::Small(a, b), Self::Small(c, d)) = (self, other) {
            if *a == 0 {
                return other.clone();
            }
            if *c == 0 {
                return self.clone();
            }
            let sum = if b == d {
                a.checked_add(*c).and_then(|n| Self::fraction(n, *b))
            } else {
                (|| {
                    let n = product(*a, *d)?.checked_add(product(*c, *b)?)?;
                    Self::fraction(n, product(*b, *d)?)
                })()
            };
            if let Some(sum) = sum {
                return sum;
            }
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        Self::big(a * &d + c * &b, b * d)
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    /// The product.
    pub fn times(&self, other: &Self) -> Self {
        if let (Self::Small(a, b), Self::Small(c, d)) = (self, other)
            && let Some(n) = product(*a, *c)
            && let Some(d) = product(*b, *d)
            && let Some(product) = Self::fraction(n, d)
        {
            return product;
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        Self::big(a * c, b * d)
    }

    /// The quotient.
    ///
    /// # Panics
    /// If the other is zero.
    pub fn over(&self, other: &Self) -> Self {
        assert!(!other.is_zero(), "a pivot is not zero");
        match other {
            Self::Small(c, d) => self.times(&if *c < 0 && *c != i128::MIN {
                Self::Small(-d, -c)
            } else if *c < 0 {
                let (c, d) = other.parts();
                Self::big(d, c)
            } else {
                Self::Small(*d, *c)
            }),
            Self::Big(_) => {
                let ((a, b), (c, d)) = (self.parts(), other.parts());
                Self::big(a * d, b * c)
            }
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Self::Small(a, b), Self::Small(c, d)) = (self, other) {
            if b == d {
                return a.cmp(c);
            }
            if let (Some(x), Some(y)) = (product(*a, *d), product(*c, *b)) {
                return x.cmp(&y);
            }
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        (a * d).cmp(&(c * b))
    }
}

impl std::fmt::Debug for Rational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (n, d) = self.parts();
        if d == IBig::ONE { write!(f, "{n}") } else { write!(f, "{n}/{d}") }
    }
}

/// The least common multiple of two positive integers.
pub(crate) fn common_multiple(a: &IBig, b: &IBig) -> IBig {
    let g = IBig::from(a.gcd(b));
    (a / g * b).abs()
}

/// The product, if it fits. Most numbers are small, and looking out for an overflow of 128 bits is slow.
fn product(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(x), Ok(y)) => Some(i128::from(x) * i128::from(y)),
        _ => a.checked_mul(b),
    }
}

/// The quotient by a divisor that is positive.
fn quotient(n: i128, g: i128) -> i128 {
    match (i64::try_from(n), i64::try_from(g)) {
        (Ok(n), Ok(g)) => i128::from(n / g),
        _ => n / g,
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    // Most numbers are small, and division of 128 bits is slow.
    loop {
        if let (Ok(mut x), Ok(mut y)) = (u64::try_from(a), u64::try_from(b)) {
            while y != 0 {
                (x, y) = (y, x % y);
            }
            return u128::from(x);
        }
        if b == 0 {
            return a;
        }
        (a, b) = (b, a % b);
    }
}
