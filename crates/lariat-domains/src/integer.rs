//! Arithmetic of integers that `dashu` spells in many ways.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivEuclid, Gcd, RemEuclid, UnsignedAbs};

/// 2 to the power of `exponent`.
pub(crate) fn power(exponent: u32) -> IBig {
    IBig::from(1) << exponent as usize
}

/// One.
pub(crate) fn one() -> IBig {
    IBig::from(1)
}

/// The greatest common divisor, never negative; that of zero and zero is zero.
pub(crate) fn gcd(a: &IBig, b: &IBig) -> IBig {
    if a.is_zero() {
        return abs(b);
    }
    if b.is_zero() {
        return abs(a);
    }
    IBig::from(a.gcd(b))
}

/// The magnitude.
pub(crate) fn abs(a: &IBig) -> IBig {
    if *a < IBig::ZERO { -a } else { a.clone() }
}

/// The floor of `a / b` for a positive `b`.
pub(crate) fn floor_div(a: &IBig, b: &IBig) -> IBig {
    debug_assert!(*b > IBig::ZERO, "a positive divisor");
    a.div_euclid(b)
}

/// The ceiling of `a / b` for a positive `b`.
pub(crate) fn ceil_div(a: &IBig, b: &IBig) -> IBig {
    -floor_div(&-a, b)
}

/// The quotient rounded towards zero, for a `b` that is not zero.
pub(crate) fn truncated_div(a: &IBig, b: &IBig) -> IBig {
    a / b
}

/// The remainder from 0 to `b - 1` for a positive `b`.
pub(crate) fn residue(a: &IBig, b: &IBig) -> IBig {
    debug_assert!(*b > IBig::ZERO, "a positive divisor");
    IBig::from(a.rem_euclid(b))
}

/// How many bits the magnitude has.
pub(crate) fn bit_length(a: &IBig) -> u32 {
    u32::try_from(a.unsigned_abs().bit_len()).unwrap_or(u32::MAX)
}

/// The exponent of the largest power of two that divides a number that is not zero.
pub(crate) fn trailing_zeros(a: &IBig) -> u32 {
    a.trailing_zeros().and_then(|z| u32::try_from(z).ok()).unwrap_or(0)
}
