//! Floating-point operations on bit patterns.
//!
//! A number of IEEE 754's `binary32` or `binary64` is its pattern, a bit-vector of 32 or 64 bits: the width is the format.
//! Rounding is to the nearest, ties to even, but where a conversion or a function says otherwise; subnormal numbers are
//! what they are.
//!
//! Every operation is total. A result that is no number is the [`Format::nan`] of its format, whatever the operands'
//! patterns: IEEE 754 does not say which one it is, so that a program that looks at the pattern must not be told this one; the
//! translation puts an unknown pattern in its place. A conversion to an integer gives 0 where the number does not fit; the
//! lowering puts an edge to UB in front. Solvers may choose in both cases, so they are told the same.

use crate::sort::{MAX_WIDTH, Sort};
use crate::term::SortError;
use crate::value::{Bits, Value};

/// A format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// `binary32`, C's `float`.
    Single,
    /// `binary64`, C's `double`.
    Double,
}

impl Format {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Single, Self::Double];

    /// The format of patterns of this width.
    pub fn of_width(width: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.width() == width)
    }
    /// The width of the patterns.
    pub fn width(self) -> u32 {
        match self {
            Self::Single => 32,
            Self::Double => 64,
        }
    }
    /// The bits of the exponent.
    pub fn exponent(self) -> u32 {
        match self {
            Self::Single => 8,
            Self::Double => 11,
        }
    }
    /// The bits of precision: those of the fraction, and the hidden one.
    pub fn precision(self) -> u32 {
        self.width() - self.exponent()
    }
    /// The pattern of positive infinity; only a NaN has a larger one, the sign left out.
    pub fn infinity(self) -> u128 {
        ((1 << self.exponent()) - 1) << (self.precision() - 1)
    }
    /// The pattern of the sign.
    pub fn sign(self) -> u128 {
        1 << (self.width() - 1)
    }
    /// The pattern that results have which are no numbers.
    pub fn nan(self) -> u128 {
        self.infinity() | 1 << (self.precision() - 2)
    }
    /// The pattern of the number nearest to an integer.
    pub fn of_int(self, n: i128) -> u128 {
        from_signed(self, n)
    }
}

/// Which way a number is rounded to an integral one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rounding {
    /// To the nearest, ties to even: `rint`, as nobody changes the mode.
    Even,
    /// To the nearest, ties away from zero: `round`.
    Away,
    /// Towards zero: `trunc`.
    Zero,
    /// Down: `floor`.
    Down,
    /// Up: `ceil`.
    Up,
}

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a * b + c`, rounded once.
    Fma,
    /// The square root.
    Sqrt,
    /// To an integral number of the same format.
    Round(Rounding),
    /// `a == b`: false if one is no number.
    Eq,
    /// `a < b`: false if one is no number.
    Lt,
    /// `a <= b`: false if one is no number.
    Le,
    /// To the nearest number of the format of this width.
    Convert(u32),
    /// From a signed integer to the nearest number of the format of this width.
    FromSigned(u32),
    /// From an unsigned integer to the nearest number of the format of this width.
    FromUnsigned(u32),
    /// Towards zero, to a signed integer of this width; 0 if it does not fit.
    ToSigned(u32),
    /// Towards zero, to an unsigned integer of this width; 0 if it does not fit.
    ToUnsigned(u32),
}

impl FloatOp {
    /// One of each, the conversions to 64 bits.
    pub const ALL: [Self; 19] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Fma,
        Self::Sqrt,
        Self::Round(Rounding::Even),
        Self::Round(Rounding::Away),
        Self::Round(Rounding::Zero),
        Self::Round(Rounding::Down),
        Self::Round(Rounding::Up),
        Self::Eq,
        Self::Lt,
        Self::Le,
        Self::Convert(64),
        Self::FromSigned(64),
        Self::FromUnsigned(64),
        Self::ToSigned(64),
        Self::ToUnsigned(64),
    ];

    /// The name in the text form; where the operation has a width it stands behind the arguments.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "fp_add",
            Self::Sub => "fp_sub",
            Self::Mul => "fp_mul",
            Self::Div => "fp_div",
            Self::Fma => "fp_fma",
            Self::Sqrt => "fp_sqrt",
            Self::Round(Rounding::Even) => "fp_rint",
            Self::Round(Rounding::Away) => "fp_round",
            Self::Round(Rounding::Zero) => "fp_trunc",
            Self::Round(Rounding::Down) => "fp_floor",
            Self::Round(Rounding::Up) => "fp_ceil",
            Self::Eq => "fp_eq",
            Self::Lt => "fp_lt",
            Self::Le => "fp_le",
            Self::Convert(_) => "fp_to_fp",
            Self::FromSigned(_) => "sbv_to_fp",
            Self::FromUnsigned(_) => "ubv_to_fp",
            Self::ToSigned(_) => "fp_to_sbv",
            Self::ToUnsigned(_) => "fp_to_ubv",
        }
    }

    /// The width that it has for itself.
    pub fn width(self) -> Option<u32> {
        match self {
            Self::Convert(w)
            | Self::FromSigned(w)
            | Self::FromUnsigned(w)
            | Self::ToSigned(w)
            | Self::ToUnsigned(w) => Some(w),
            _ => None,
        }
    }

    /// The same operation with another width of its own.
    pub fn with_width(self, width: u32) -> Self {
        match self {
            Self::Convert(_) => Self::Convert(width),
            Self::FromSigned(_) => Self::FromSigned(width),
            Self::FromUnsigned(_) => Self::FromUnsigned(width),
            Self::ToSigned(_) => Self::ToSigned(width),
            Self::ToUnsigned(_) => Self::ToUnsigned(width),
            other => other,
        }
    }

    /// How many arguments it has.
    pub fn arity(self) -> usize {
        match self {
            Self::Fma => 3,
            Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Eq | Self::Lt | Self::Le => 2,
            _ => 1,
        }
    }

    /// The format of the result, given the width of the first argument; nothing if the result is no floating-point number.
    pub fn result_format(self, first: u32) -> Option<Format> {
        match self {
            Self::Eq | Self::Lt | Self::Le | Self::ToSigned(_) | Self::ToUnsigned(_) => None,
            Self::Convert(w) | Self::FromSigned(w) | Self::FromUnsigned(w) => Format::of_width(w),
            _ => Format::of_width(first),
        }
    }

    /// Whether the arguments are floating-point numbers.
    pub fn takes_floats(self) -> bool {
        !matches!(self, Self::FromSigned(_) | Self::FromUnsigned(_))
    }

    /// The sort of the result.
    pub fn result_sort(self, args: &[Sort]) -> Result<Sort, SortError> {
        let fail = |want: &str| Err(SortError(format!("`{}` needs {want}", self.name())));
        let Some(Sort::BitVec(first)) = args.first().copied() else { return fail("bit-vectors") };
        if args.len() != self.arity() || args.iter().any(|a| *a != Sort::BitVec(first)) {
            return fail("bit-vectors of one width, as many as it takes");
        }
        if self.takes_floats() && Format::of_width(first).is_none() {
            return fail("bit-vectors of 32 or 64 bits");
        }
        match self {
            Self::Eq | Self::Lt | Self::Le => Ok(Sort::Bool),
            Self::ToSigned(w) | Self::ToUnsigned(w) if (1..=MAX_WIDTH).contains(&w) => Ok(Sort::BitVec(w)),
            _ => match self.result_format(first) {
                Some(format) => Ok(Sort::BitVec(format.width())),
                None => fail("a width of its own that there is"),
            },
        }
    }

    /// The patterns between which a number is, both left out or, where `closed`, the first one not, if it can be converted to an
    /// integer of this kind.
    pub fn limits(self, format: Format) -> Option<Limits> {
        let (low, closed, high) = match self {
            // Minus 2^(w-1) is a number of every format; the next integer below only if it has as many bits.
            Self::ToSigned(w) if w <= format.precision() => (power(format, w - 1, true, true), false, (w - 1, false)),
            Self::ToSigned(w) => (power(format, w - 1, true, false), true, (w - 1, false)),
            Self::ToUnsigned(w) => (format.of_int(-1), false, (w, false)),
            _ => return None,
        };
        Some(Limits { low, closed, high: power(format, high.0, high.1, false) })
    }
}

/// See [`FloatOp::limits`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The lower limit.
    pub low: u128,
    /// Whether it may be reached.
    pub closed: bool,
    /// The upper limit, which may not be reached.
    pub high: u128,
}

/// The pattern of a power of two, negated or not; `beyond`: of the next integer away from zero, which must have no more bits
/// than the format. Infinity if the power is too large for the format.
fn power(format: Format, exponent: u32, negative: bool, beyond: bool) -> u128 {
    let bias = (1 << (format.exponent() - 1)) - 1;
    let magnitude = if exponent > bias {
        format.infinity()
    } else {
        let fraction = if beyond && exponent > 0 { 1 << (format.precision() - 1 - exponent) } else { 0 };
        // One and one is two, the next power.
        let exponent = if beyond && exponent == 0 { 1 } else { exponent };
        u128::from(bias + exponent) << (format.precision() - 1) | fraction
    };
    if negative { magnitude | format.sign() } else { magnitude }
}

/// Applies an operation to values of the right sorts.
pub fn apply(op: FloatOp, args: &[&Value]) -> Value {
    let bits = |i: usize| args[i].as_bits();
    match op {
        FloatOp::FromSigned(w) => {
            let format = Format::of_width(w).expect("a format has this width");
            Value::bv(w, from_signed(format, bits(0).signed()))
        }
        FloatOp::FromUnsigned(w) => {
            let format = Format::of_width(w).expect("a format has this width");
            Value::bv(w, from_unsigned(format, bits(0).unsigned()))
        }
        _ => match Format::of_width(bits(0).width()).expect("patterns of a format") {
            Format::Single => single(op, bits(0), |i| f32::from_bits(low32(bits(i).unsigned()))),
            Format::Double => double(op, bits(0), |i| f64::from_bits(low64(bits(i).unsigned()))),
        },
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a pattern of 32 bits")]
fn low32(bits: u128) -> u32 {
    bits as u32
}

#[expect(clippy::cast_possible_truncation, reason = "a pattern of 64 bits")]
fn low64(bits: u128) -> u64 {
    bits as u64
}

#[expect(clippy::cast_precision_loss, reason = "the nearest number is what is wanted")]
fn from_signed(format: Format, n: i128) -> u128 {
    match format {
        Format::Single => (n as f32).to_bits().into(),
        Format::Double => (n as f64).to_bits().into(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "the nearest number is what is wanted")]
fn from_unsigned(format: Format, n: u128) -> u128 {
    match format {
        Format::Single => (n as f32).to_bits().into(),
        Format::Double => (n as f64).to_bits().into(),
    }
}

fn of_single(x: f32) -> Value {
    Value::bv(32, if x.is_nan() { Format::Single.nan() } else { x.to_bits().into() })
}

fn of_double(x: f64) -> Value {
    Value::bv(64, if x.is_nan() { Format::Double.nan() } else { x.to_bits().into() })
}

/// What converts a number of one type to an integer: towards zero, as Rust's `as` does where it fits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it fits")]
fn to_integer(op: FloatOp, pattern: Bits, x: f64) -> Value {
    let width = op.width().expect("a conversion has a width");
    let format = Format::of_width(pattern.width()).expect("patterns of a format");
    let limits = op.limits(format).expect("a conversion to integers has limits");
    let number = |bits: u128| match format {
        Format::Single => f64::from(f32::from_bits(low32(bits))),
        Format::Double => f64::from_bits(low64(bits)),
    };
    let (low, high) = (number(limits.low), number(limits.high));
    let fits = (low < x || limits.closed && low <= x) && x < high;
    match op {
        _ if !fits => Value::bv(width, 0),
        FloatOp::ToSigned(_) => Value::Bv(Bits::from_signed(width, x as i128)),
        _ => Value::bv(width, x as u128),
    }
}

#[expect(clippy::float_cmp, reason = "it is the operation")]
fn single(op: FloatOp, pattern: Bits, x: impl Fn(usize) -> f32) -> Value {
    let a = x(0);
    match op {
        FloatOp::Add => of_single(a + x(1)),
        FloatOp::Sub => of_single(a - x(1)),
        FloatOp::Mul => of_single(a * x(1)),
        FloatOp::Div => of_single(a / x(1)),
        FloatOp::Fma => of_single(a.mul_add(x(1), x(2))),
        FloatOp::Sqrt => of_single(a.sqrt()),
        FloatOp::Round(Rounding::Even) => of_single(a.round_ties_even()),
        FloatOp::Round(Rounding::Away) => of_single(a.round()),
        FloatOp::Round(Rounding::Zero) => of_single(a.trunc()),
        FloatOp::Round(Rounding::Down) => of_single(a.floor()),
        FloatOp::Round(Rounding::Up) => of_single(a.ceil()),
        FloatOp::Eq => Value::Bool(a == x(1)),
        FloatOp::Lt => Value::Bool(a < x(1)),
        FloatOp::Le => Value::Bool(a <= x(1)),
        FloatOp::Convert(32) => of_single(a),
        FloatOp::Convert(_) => of_double(a.into()),
        // Every number of the smaller format is one of the larger.
        FloatOp::ToSigned(_) | FloatOp::ToUnsigned(_) => to_integer(op, pattern, a.into()),
        FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_) => unreachable!("it takes an integer"),
    }
}

#[expect(clippy::float_cmp, reason = "it is the operation")]
fn double(op: FloatOp, pattern: Bits, x: impl Fn(usize) -> f64) -> Value {
    let a = x(0);
    match op {
        FloatOp::Add => of_double(a + x(1)),
        FloatOp::Sub => of_double(a - x(1)),
        FloatOp::Mul => of_double(a * x(1)),
        FloatOp::Div => of_double(a / x(1)),
        FloatOp::Fma => of_double(a.mul_add(x(1), x(2))),
        FloatOp::Sqrt => of_double(a.sqrt()),
        FloatOp::Round(Rounding::Even) => of_double(a.round_ties_even()),
        FloatOp::Round(Rounding::Away) => of_double(a.round()),
        FloatOp::Round(Rounding::Zero) => of_double(a.trunc()),
        FloatOp::Round(Rounding::Down) => of_double(a.floor()),
        FloatOp::Round(Rounding::Up) => of_double(a.ceil()),
        FloatOp::Eq => Value::Bool(a == x(1)),
        FloatOp::Lt => Value::Bool(a < x(1)),
        FloatOp::Le => Value::Bool(a <= x(1)),
        #[expect(clippy::cast_possible_truncation, reason = "the nearest number is what is wanted")]
        FloatOp::Convert(32) => of_single(a as f32),
        FloatOp::Convert(_) => of_double(a),
        FloatOp::ToSigned(_) | FloatOp::ToUnsigned(_) => to_integer(op, pattern, a),
        FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_) => unreachable!("it takes an integer"),
    }
}

/// A pattern as the number that it is, in C's notation.
pub fn decimal(pattern: Bits) -> String {
    let (negative, text) = match Format::of_width(pattern.width()) {
        Some(Format::Single) => {
            let x = f32::from_bits(low32(pattern.unsigned()));
            (x.is_sign_negative(), if x.is_finite() { format!("{:?}f", x.abs()) } else { format!("{:?}", x.abs()) })
        }
        _ => {
            let x = f64::from_bits(low64(pattern.unsigned()));
            (x.is_sign_negative(), format!("{:?}", x.abs()))
        }
    };
    let text = match text.as_str() {
        "inf" => "INFINITY",
        "NaN" => "NAN",
        other => other,
    };
    if negative { format!("-{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(format: Format, x: f64) -> Value {
        #[expect(clippy::cast_possible_truncation, reason = "the nearest number is what is wanted")]
        match format {
            Format::Single => Value::bv(32, (x as f32).to_bits().into()),
            Format::Double => Value::bv(64, x.to_bits().into()),
        }
    }

    fn run(op: FloatOp, format: Format, args: &[f64]) -> Value {
        let args: Vec<Value> = args.iter().map(|x| value(format, *x)).collect();
        apply(op, &args.iter().collect::<Vec<_>>())
    }

    #[test]
    fn formats_have_the_patterns_that_the_standard_gives_them() {
        assert_eq!(Format::Single.infinity(), u128::from(f32::INFINITY.to_bits()));
        assert_eq!(Format::Double.infinity(), u128::from(f64::INFINITY.to_bits()));
        assert_eq!(Format::Single.nan(), 0x7fc0_0000);
        assert_eq!(Format::Double.nan(), 0x7ff8_0000_0000_0000);
        assert_eq!(Format::Single.sign(), u128::from((-0.0f32).to_bits()));
        assert_eq!(Format::Double.of_int(-3), u128::from((-3.0f64).to_bits()));
    }

    #[test]
    fn operations_are_those_of_the_standard() {
        for format in Format::ALL {
            assert_eq!(run(FloatOp::Add, format, &[1.5, 2.25]), value(format, 3.75));
            assert_eq!(run(FloatOp::Sub, format, &[0.0, 0.0]), value(format, 0.0));
            assert_eq!(run(FloatOp::Mul, format, &[-0.0, 5.0]), value(format, -0.0));
            assert_eq!(run(FloatOp::Div, format, &[1.0, 0.0]), value(format, f64::INFINITY));
            assert_eq!(run(FloatOp::Div, format, &[0.0, 0.0]), Value::bv(format.width(), format.nan()));
            assert_eq!(run(FloatOp::Sqrt, format, &[-1.0]), Value::bv(format.width(), format.nan()));
            assert_eq!(run(FloatOp::Sqrt, format, &[-0.0]), value(format, -0.0));
            assert_eq!(run(FloatOp::Eq, format, &[0.0, -0.0]), Value::Bool(true));
            assert_eq!(run(FloatOp::Eq, format, &[f64::NAN, f64::NAN]), Value::Bool(false));
            assert_eq!(run(FloatOp::Le, format, &[f64::NAN, 1.0]), Value::Bool(false));
            assert_eq!(run(FloatOp::Round(Rounding::Even), format, &[2.5]), value(format, 2.0));
            assert_eq!(run(FloatOp::Round(Rounding::Away), format, &[2.5]), value(format, 3.0));
            assert_eq!(run(FloatOp::Round(Rounding::Up), format, &[-0.5]), value(format, -0.0));
        }
        // What rounding makes of a step that is too small.
        assert_eq!(run(FloatOp::Add, Format::Single, &[16_777_216.0, 1.0]), value(Format::Single, 16_777_216.0));
        assert_ne!(run(FloatOp::Add, Format::Double, &[16_777_216.0, 1.0]), value(Format::Double, 16_777_216.0));
        // Rounded once, the product's last bit counts.
        let e = f64::from(f32::EPSILON);
        let (a, b) = (1.0 + e, 1.0 - e);
        assert_eq!(run(FloatOp::Fma, Format::Single, &[a, b, -1.0]), value(Format::Single, -e * e));
        assert_eq!(run(FloatOp::Mul, Format::Single, &[a, b]), value(Format::Single, 1.0));
    }

    #[test]
    fn conversions_round_to_nearest_or_towards_zero() {
        let int = |n: i128| Value::Bv(Bits::from_signed(64, n));
        assert_eq!(apply(FloatOp::FromSigned(32), &[&int(16_777_217)]), value(Format::Single, 16_777_216.0));
        assert_eq!(apply(FloatOp::FromSigned(64), &[&int(-3)]), value(Format::Double, -3.0));
        assert_eq!(apply(FloatOp::FromUnsigned(64), &[&int(-1)]), value(Format::Double, 18_446_744_073_709_551_616.0));
        assert_eq!(apply(FloatOp::Convert(32), &[&value(Format::Double, 1e300)]), value(Format::Single, f64::INFINITY));
        assert_eq!(apply(FloatOp::Convert(64), &[&value(Format::Single, 0.5)]), value(Format::Double, 0.5));
        assert_eq!(run(FloatOp::ToSigned(32), Format::Double, &[-7.9]), Value::Bv(Bits::from_signed(32, -7)));
        assert_eq!(run(FloatOp::ToUnsigned(8), Format::Double, &[255.9]), Value::bv(8, 255));
    }

    /// Just within the limits a number is converted, just outside it gives 0: for each width, at each end.
    #[test]
    fn limits_are_exact() {
        for format in Format::ALL {
            for width in 1..=128u32 {
                for op in [FloatOp::ToSigned(width), FloatOp::ToUnsigned(width)] {
                    let Limits { low, closed, high } = op.limits(format).expect("a conversion to integers");
                    let at = |pattern: u128| apply(op, &[&Value::bv(format.width(), pattern)]);
                    let zero = Value::bv(width, 0);
                    // Away from zero is the next larger pattern, whatever the sign.
                    assert_eq!(at(high), zero);
                    let largest = match op {
                        FloatOp::ToSigned(_) => Bits::mask(width - 1),
                        _ => Bits::mask(width),
                    };
                    let lost = width.saturating_sub(u32::from(matches!(op, FloatOp::ToSigned(_))));
                    let kept =
                        largest >> lost.saturating_sub(format.precision()) << lost.saturating_sub(format.precision());
                    assert_eq!(at(high - 1), Value::bv(width, kept), "{op:?} below the upper limit");
                    let least = match op {
                        FloatOp::ToSigned(_) => Value::bv(width, 1 << (width - 1)),
                        _ => zero.clone(),
                    };
                    if closed {
                        assert_eq!(at(low), least, "{op:?} at the lower limit");
                        assert_eq!(at(low + 1), zero, "{op:?} beyond the lower limit");
                    } else {
                        assert_eq!(at(low), zero, "{op:?} at the lower limit");
                        assert_eq!(at(low - 1), least, "{op:?} above the lower limit");
                    }
                    assert_eq!(at(format.nan()), zero);
                    assert_eq!(at(format.infinity()), zero);
                }
            }
        }
    }

    #[test]
    fn patterns_are_shown_as_numbers() {
        let show = |format, x| decimal(value(format, x).as_bits());
        assert_eq!(show(Format::Double, 0.1), "0.1");
        assert_eq!(show(Format::Single, -2.0), "-2.0f");
        assert_eq!(show(Format::Double, f64::NEG_INFINITY), "-INFINITY");
        assert_eq!(show(Format::Single, f64::NAN), "NAN");
    }
}
