//! Operations on numbers, as the machine does them.

use super::machine::{Halt, Machine, Val, lost, undefined};
use super::values::{short, width_of};
use lariat_front::module::{BinOp, CastOp, Flags, FloatKind, FloatOp, FloatPredicate, Operand, Predicate, Type};

pub(super) fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

pub(super) fn signed(bits: u128, width: u32) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    (bits << shift).cast_signed() >> shift
}

impl Machine<'_> {
    pub(super) fn binary(&mut self, op: BinOp, width: u32, a: u128, b: u128, flags: Flags) -> Result<u128, Halt> {
        let (x, y) = (signed(a, width), signed(b, width));
        let fits = |r: Option<i128>| r.is_some_and(|r| signed(r.cast_unsigned(), width) == r);
        let (result, exact) = match op {
            BinOp::Add => (a.wrapping_add(b), fits(x.checked_add(y))),
            BinOp::Sub => (a.wrapping_sub(b), fits(x.checked_sub(y))),
            BinOp::Mul => (a.wrapping_mul(b), fits(x.checked_mul(y))),
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem if b == 0 => return undefined("a division by zero"),
            BinOp::SDiv | BinOp::SRem if y == -1 && !fits(x.checked_neg()) => {
                return undefined("a division that overflows");
            }
            BinOp::UDiv => (a / b, true),
            BinOp::URem => (a % b, true),
            BinOp::SDiv => ((x / y).cast_unsigned(), true),
            BinOp::SRem => ((x % y).cast_unsigned(), true),
            BinOp::And => (a & b, true),
            BinOp::Or => (a | b, true),
            BinOp::Xor => (a ^ b, true),
            BinOp::Shl | BinOp::LShr | BinOp::AShr if b >= u128::from(width) => {
                return undefined("a shift by too much");
            }
            BinOp::Shl => {
                let by = u32::try_from(b).expect("it is less than a width");
                let r = a << by & mask(width);
                (r, x >= 0 && signed(r, width) >= 0 && r >> by == a)
            }
            BinOp::LShr => (a >> u32::try_from(b).expect("it is less than a width"), true),
            BinOp::AShr => ((x >> u32::try_from(b).expect("it is less than a width")).cast_unsigned(), true),
        };
        // For a shift of a signed number the flag was set from the compiler's check.
        if !exact && flags.nsw {
            self.overflowed = true;
        }
        let result = result & mask(width);
        if flags.nuw {
            let wraps = match op {
                BinOp::Add => result < a,
                BinOp::Sub => a < b,
                BinOp::Mul => a != 0 && result / a != b,
                _ => false,
            };
            if wraps {
                return undefined("an unsigned overflow where none may be");
            }
        }
        Ok(result)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "conversions round as the machine's do"
    )]
    pub(super) fn cast(&mut self, op: CastOp, arg: &Operand, from: &Type, to: &Type) -> Result<Val, Halt> {
        let (w, t) = (width_of(from), width_of(to));
        if w == 0 || t == 0 {
            return lost("a conversion of something else");
        }
        let v = self.operand(arg, from)?;
        let Val::Bits(a) = v else { return Ok(Val::Undef) };
        let x = || number(&Val::Bits(a), from);
        let made = |f: f64| match to {
            Type::Float(FloatKind::Single) => u128::from((f as f32).to_bits()),
            _ => u128::from(f.to_bits()),
        };
        Ok(Val::Bits(match op {
            CastOp::Trunc | CastOp::ZExt | CastOp::BitCast | CastOp::AddrSpaceCast => a & mask(t),
            CastOp::IntToPtr => a & mask(64),
            CastOp::PtrToInt => {
                self.looked_at_addresses = true;
                a & mask(t)
            }
            CastOp::SExt => signed(a, w).cast_unsigned() & mask(t),
            CastOp::FpTrunc | CastOp::FpExt => match x() {
                // A signalling value loses its sign of being one.
                Some(f) if f.is_nan() => return lost("a value that is no number is converted"),
                Some(f) => made(f),
                None => return lost("a float of another kind"),
            },
            CastOp::FpToSi | CastOp::FpToUi => {
                let Some(f) = x() else { return lost("a float of another kind") };
                let (lo, hi) = match op {
                    CastOp::FpToUi => (-1.0, 2f64.powi(t.cast_signed())),
                    _ => (-(2f64.powi(t.cast_signed() - 1)) - 1.0, 2f64.powi(t.cast_signed() - 1)),
                };
                let whole = f.trunc();
                if f.is_nan() || whole >= hi || f <= lo && whole < lo + 1.0 || t > 64 {
                    return undefined("a conversion out of range");
                }
                (whole as i128).cast_unsigned() & mask(t)
            }
            CastOp::UiToFp | CastOp::SiToFp => {
                if w > 64 {
                    return lost("a conversion of 128 bits");
                }
                let n = if op == CastOp::SiToFp { signed(a, w) } else { a.cast_signed() };
                match to {
                    Type::Float(FloatKind::Single) => u128::from((n as f32).to_bits()),
                    _ => u128::from((n as f64).to_bits()),
                }
            }
        }))
    }
}

pub(super) fn compare(pred: Predicate, width: u32, a: u128, b: u128) -> bool {
    let (x, y) = (signed(a, width), signed(b, width));
    match pred {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Sgt => x > y,
        Predicate::Sge => x >= y,
        Predicate::Slt => x < y,
        Predicate::Sle => x <= y,
    }
}

pub(super) fn single(bits: u128) -> f32 {
    f32::from_bits(u32::try_from(bits & mask(32)).expect("it has 32 bits"))
}

pub(super) fn number(v: &Val, ty: &Type) -> Option<f64> {
    match (v, ty) {
        (Val::Bits(b), Type::Float(FloatKind::Double)) => Some(f64::from_bits(short(*b))),
        (Val::Bits(b), Type::Float(FloatKind::Single)) => Some(f64::from(single(*b))),
        _ => None,
    }
}

pub(super) fn float<T>(op: FloatOp, x: T, y: T) -> T
where
    T: std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>
        + std::ops::Rem<Output = T>
        + std::ops::Neg<Output = T>,
{
    match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Rem => x % y,
        FloatOp::Neg => -x,
    }
}

#[expect(clippy::float_cmp, reason = "it is the machine's comparison")]
pub(super) fn float_compare(pred: FloatPredicate, x: f64, y: f64) -> bool {
    let apart = x.is_nan() || y.is_nan();
    match pred {
        FloatPredicate::False => false,
        FloatPredicate::True => true,
        FloatPredicate::Oeq => x == y,
        FloatPredicate::Ogt => x > y,
        FloatPredicate::Oge => x >= y,
        FloatPredicate::Olt => x < y,
        FloatPredicate::Ole => x <= y,
        FloatPredicate::One => !apart && x != y,
        FloatPredicate::Ord => !apart,
        FloatPredicate::Ueq => apart || x == y,
        FloatPredicate::Ugt => apart || x > y,
        FloatPredicate::Uge => apart || x >= y,
        FloatPredicate::Ult => apart || x < y,
        FloatPredicate::Ule => apart || x <= y,
        FloatPredicate::Une => x != y,
        FloatPredicate::Uno => apart,
    }
}
