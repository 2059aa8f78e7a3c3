//! Floating-point numbers of 32 and 64 bits: their patterns as unsigned integers, with IEEE 754's operations.
//!
//! What is followed, and why that is right:
//!
//! - LLVM's `fadd` and the like round to the nearest number of their own type, ties to even, with subnormal numbers. A program can
//!   change that: the rounding mode or flushing to zero by `<fenv.h>`, by registers, by assembly. Then nothing is followed. Code that
//!   is not here may do it, too, against its calling convention: that it does not is an assumption.
//! - On i386 the x87 unit computes with more bits than the type has. Clang's default there is SSE2, which does not: an assumption.
//! - Operations with fast-math flags, and those in functions that flush subnormal numbers, do not come here: the reader has no form for
//!   them. Constrained operations are intrinsics that are not followed.
//! - Which pattern a result has that is no number (a NaN), with its sign, is not specified. In place of each such result stands any NaN,
//!   chosen by the environment. An operation or a comparison cannot tell two NaNs apart, so there the choice is left out again.
//! - The sign is a bit: negation, `fabs` and `copysign` change or copy it, also that of a NaN.
//! - `llvm.fmuladd` rounds once or twice, the environment chooses.
//! - A conversion to an integer type that does not hold the number is undefined in C: there the compiler's check stood before it. In LLVM
//!   it gives poison, which the environment chooses.

use crate::intrinsic::{Computation, Intrinsic, Unlisted};
use crate::module::{Callee, CastOp, FloatKind, FloatOp as LlvmOp, FloatPredicate, Function, Op, Operand, Type};
use crate::translate::state::State;
use crate::translate::values::arith::{Num, Sym, and, cmp, constant, ite, not, operate, or, truth};
use crate::translate::values::numbers::Conversion;
use crate::translate::values::{Values, operand_type};
use crate::translate::{Context, bits_of};
use dashu_int::IBig;
use lariat_ir::float::{self, Limits};
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Overflow, settle, settled_number};
use lariat_ir::{AssumptionKind, Bits, FloatOp, Format, UnknownKind, Value};
use std::sync::Arc;

/// Functions that change how floating-point operations round.
const CHANGE_ROUNDING: [&str; 10] = [
    "fesetround",
    "fesetenv",
    "feupdateenv",
    "feholdexcept",
    "fesetmode",
    "_control87",
    "_controlfp",
    "_controlfp_s",
    "__setfpucw",
    "_FPU_SETCW",
];

impl Context<'_> {
    /// Whether operations round as IEEE 754 has it by default, as far as this module says.
    pub(super) fn default_rounding(&self) -> bool {
        let module = self.flat.module;
        let changed = |f: &Function| {
            let sets = f.intrinsic == Some(Intrinsic::Unlisted(Unlisted::SetsRounding));
            sets || CHANGE_ROUNDING.contains(&f.name.as_str())
        };
        let assembly = |op: &Op| matches!(op, Op::Call { callee: Callee::Asm(_), .. });
        !module
            .functions
            .iter()
            .any(|f| changed(f) || f.blocks.iter().flat_map(|b| &b.instructions).any(|i| assembly(&i.op)))
    }
}

/// The format of a type whose numbers are followed.
fn format_of(ty: &Type) -> Option<Format> {
    match ty {
        Type::Float(FloatKind::Single) => Some(Format::Single),
        Type::Float(FloatKind::Double) => Some(Format::Double),
        _ => None,
    }
}

fn pattern(format: Format) -> IntType {
    IntType::unsigned(format.width())
}

fn is_nan(e: &Arc<Expr>) -> Cond {
    not(compare(FloatOp::Eq, e, e))
}

/// The constant that a pattern is.
fn as_const(e: &Expr) -> Option<Value> {
    match e {
        Expr::Const(v, ty) => Some(Value::Bv(Bits::from_int(ty.width, v))),
        _ => None,
    }
}

/// A comparison, folded where it shows.
fn compare(op: FloatOp, a: &Arc<Expr>, b: &Arc<Expr>) -> Cond {
    match (as_const(a), as_const(b)) {
        (Some(x), Some(y)) => truth(float::apply(op, &[&x, &y]).as_bool()),
        _ => Cond::Float { op, args: [a.clone(), b.clone()] },
    }
}

/// A comparison as LLVM has it: `o` is false and `u` true where one operand is no number.
fn predicate(pred: FloatPredicate, a: &Arc<Expr>, b: &Arc<Expr>) -> Cond {
    let (eq, lt, le) = (FloatOp::Eq, FloatOp::Lt, FloatOp::Le);
    let apart = || or(compare(lt, a, b), compare(lt, b, a));
    match pred {
        FloatPredicate::False => truth(false),
        FloatPredicate::True => truth(true),
        FloatPredicate::Oeq => compare(eq, a, b),
        FloatPredicate::Olt => compare(lt, a, b),
        FloatPredicate::Ole => compare(le, a, b),
        FloatPredicate::Ogt => compare(lt, b, a),
        FloatPredicate::Oge => compare(le, b, a),
        FloatPredicate::One => apart(),
        FloatPredicate::Ord => and(compare(eq, a, a), compare(eq, b, b)),
        FloatPredicate::Une => not(compare(eq, a, b)),
        FloatPredicate::Ult => not(compare(le, b, a)),
        FloatPredicate::Ule => not(compare(lt, b, a)),
        FloatPredicate::Ugt => not(compare(le, a, b)),
        FloatPredicate::Uge => not(compare(lt, a, b)),
        FloatPredicate::Ueq => not(apart()),
        FloatPredicate::Uno => or(is_nan(a), is_nan(b)),
    }
}

/// An operation, folded where it shows.
fn apply(op: FloatOp, args: &[Arc<Expr>]) -> Arc<Expr> {
    let values: Option<Vec<Value>> = args.iter().map(|a| as_const(a)).collect();
    let folded = values.and_then(|values| match op {
        // Where the number does not fit the lowering says that it is undefined.
        FloatOp::ToSigned(_) | FloatOp::ToUnsigned(_) => None,
        _ => Some(float::apply(op, &values.iter().collect::<Vec<_>>()).as_bits()),
    });
    Arc::new(match folded {
        Some(bits) => Expr::constant(bits.unsigned(), IntType::unsigned(bits.width())),
        None => Expr::float(op, args.iter().cloned()),
    })
}

/// Whether a conversion to an integer is followed.
pub(in crate::translate) fn converts(from: &Type, to: &Type) -> bool {
    format_of(from).is_some() && matches!(to, Type::Int(2..=128))
}

/// That a number can be converted to an integer.
fn fits(op: FloatOp, a: &Arc<Expr>, format: Format) -> Option<Cond> {
    let Limits { low, closed, high } = op.limits(format)?;
    let limit = |pattern: u128| Arc::new(Expr::constant(pattern, self::pattern(format)));
    let above = compare(if closed { FloatOp::Le } else { FloatOp::Lt }, &limit(low), a);
    Some(and(above, compare(FloatOp::Lt, a, &limit(high))))
}

/// The same number with the pattern of its NaN left open.
fn any_nan(e: Expr) -> Arc<Expr> {
    settled_number(&e).cloned().unwrap_or_else(|| Arc::new(e))
}

impl Values<'_, '_> {
    /// Whether numbers of this type are followed here; states what that rests on.
    fn follows(&mut self, state: &mut State, ty: &Type) -> Option<Format> {
        let format = format_of(ty).filter(|_| self.default_rounding)?;
        if self.cx.open {
            self.assume(
                state,
                AssumptionKind::Rounding,
                "code that is not here leaves the rounding of floating-point operations alone",
                None,
            );
        }
        if self.cx.flat.module.pointer_bits == 32 {
            self.assume(
                state,
                AssumptionKind::Precision,
                "floating-point operations round to their own type, as SSE2 does and x87 does not",
                None,
            );
        }
        Some(format)
    }

    /// An unknown is shown as the number that it is.
    pub(in crate::translate) fn note_float(&mut self, unknown: &Num) {
        if let Expr::Unknown(u) = unknown.expr {
            self.program.origins.floats.insert(u);
        }
    }

    /// A number as an operand of operations and comparisons.
    fn float_operand(&mut self, state: &mut State, operand: &Operand, ty: &Type, format: Format) -> Arc<Expr> {
        any_nan(self.number(state, operand, ty).to(pattern(format)))
    }

    /// The result of an operation that may be no number: then any NaN.
    fn settled(&mut self, state: &mut State, result: Arc<Expr>, format: Format) -> Sym {
        let ty = pattern(format);
        let is_number = |v: &Value| float::apply(FloatOp::Eq, &[v, v]).as_bool();
        if as_const(&result).is_some_and(|v| is_number(&v)) {
            return Sym::Num(Num::new((*result).clone(), ty));
        }
        let any = self.unknown(state, "NaN", ty, UnknownKind::Environment, None).expr;
        let bits = |op: BinaryOp, k: u128| operate(op, ty, Overflow::Wraps, any.clone(), constant(k, ty));
        // All ones in the exponent, and a fraction that is not zero.
        let fraction = bits(BinaryOp::And, Bits::mask(format.precision() - 1));
        let empty = cmp(CmpOp::Eq, ty, fraction, constant(0, ty));
        let nan = ite(empty, bits(BinaryOp::Or, format.nan()), bits(BinaryOp::Or, format.infinity()));
        let e = if as_const(&result).is_some() { nan } else { settle(result, nan) };
        Sym::Num(Num::new(e, ty))
    }

    /// An arithmetic instruction; nothing if it is not followed.
    pub(in crate::translate) fn float_operation(
        &mut self,
        state: &mut State,
        op: LlvmOp,
        [left, right]: [&Operand; 2],
        ty: &Type,
    ) -> Option<Sym> {
        if op == LlvmOp::Neg {
            // Nothing is rounded.
            let format = format_of(ty)?;
            return Some(self.change_sign(state, (BinaryOp::Xor, format.sign()), left, ty, format));
        }
        let op = match op {
            LlvmOp::Add => FloatOp::Add,
            LlvmOp::Sub => FloatOp::Sub,
            LlvmOp::Mul => FloatOp::Mul,
            LlvmOp::Div => FloatOp::Div,
            // C's remainder is another one than IEEE 754's.
            LlvmOp::Rem | LlvmOp::Neg => return None,
        };
        let format = self.follows(state, ty)?;
        let args = [left, right].map(|o| self.float_operand(state, o, ty, format));
        Some(self.settled(state, apply(op, &args), format))
    }

    fn change_sign(
        &mut self,
        state: &mut State,
        (op, mask): (BinaryOp, u128),
        operand: &Operand,
        ty: &Type,
        format: Format,
    ) -> Sym {
        let bits = self.number(state, operand, ty).to(pattern(format));
        let ty = pattern(format);
        let changed = match as_const(&bits) {
            Some(v) => {
                let v = v.as_bits().unsigned();
                constant(if op == BinaryOp::Xor { v ^ mask } else { v & mask }, ty)
            }
            None => operate(op, ty, Overflow::Wraps, bits, constant(mask, ty)),
        };
        Sym::Num(Num::new(changed, ty))
    }

    /// A comparison; nothing if it is not followed.
    pub(in crate::translate) fn float_comparison(
        &mut self,
        state: &mut State,
        pred: FloatPredicate,
        [left, right]: [&Operand; 2],
        ty: &Type,
    ) -> Option<Cond> {
        // Comparing rounds nothing; but who changes the rounding may have subnormal numbers read as zero, too.
        let format = format_of(ty).filter(|_| self.default_rounding)?;
        let [a, b] = [left, right].map(|o| self.float_operand(state, o, ty, format));
        Some(predicate(pred, &a, &b))
    }

    /// A conversion from or to a floating-point number; nothing if it is not followed.
    pub(super) fn float_cast(&mut self, state: &mut State, conversion: &Conversion<'_>) -> Option<Sym> {
        let Conversion { op, arg, from, to, flags } = *conversion;
        match op {
            CastOp::FpTrunc | CastOp::FpExt => {
                let target = self.follows(state, to)?;
                let source = format_of(from)?;
                let a = self.float_operand(state, arg, from, source);
                Some(self.settled(state, apply(FloatOp::Convert(target.width()), &[a]), target))
            }
            CastOp::SiToFp | CastOp::UiToFp => {
                let Type::Int(width) = from else { return None };
                let format = self.follows(state, to)?;
                let signed = op == CastOp::SiToFp;
                let ty = IntType { width: *width, signed };
                let n = self.number(state, arg, from).to(ty);
                let w = format.width();
                let op = if signed { FloatOp::FromSigned(w) } else { FloatOp::FromUnsigned(w) };
                // An integer is a number.
                Some(Sym::Num(Num::new((*apply(op, &[Arc::new(n)])).clone(), pattern(format))))
            }
            CastOp::FpToSi | CastOp::FpToUi => {
                let Type::Int(width) = *to else { return None };
                let format = format_of(from).filter(|_| converts(from, to))?;
                let signed = op == CastOp::FpToSi;
                let ty = IntType { width, signed };
                let a = self.float_operand(state, arg, from, format);
                let op = if signed { FloatOp::ToSigned(width) } else { FloatOp::ToUnsigned(width) };
                let fits = fits(op, &a, format)?;
                let whole = Num::new((*apply(op, &[a])).clone(), ty);
                if fits == truth(true) {
                    return Some(Sym::Num(whole));
                }
                if flags.checked {
                    state.evaluates.push(whole.expr.clone());
                    return Some(Sym::Num(whole));
                }
                Some(self.poison_where(state, not(fits), whole))
            }
            _ => None,
        }
    }

    /// An intrinsic; nothing if it is not followed.
    pub(super) fn float_intrinsic(
        &mut self,
        state: &mut State,
        what: Computation,
        args: &[Operand],
        ty: &Type,
    ) -> Option<Sym> {
        if what == Computation::IsClass {
            return self.is_class(state, args);
        }
        let (first, format) = (args.first()?, format_of(ty)?);
        let operand =
            |b: &mut Self, state: &mut State, n: usize| args.get(n).map(|a| b.float_operand(state, a, ty, format));
        match what {
            Computation::Magnitude => {
                let magnitude = !format.sign() & Bits::mask(format.width());
                return Some(self.change_sign(state, (BinaryOp::And, magnitude), first, ty, format));
            }
            Computation::CopySign => {
                let mut masked = |mask: u128, operand: &Operand| match self.change_sign(
                    state,
                    (BinaryOp::And, mask),
                    operand,
                    ty,
                    format,
                ) {
                    Sym::Num(n) => Some(n.expr),
                    _ => None,
                };
                let magnitude = masked(Bits::mask(format.width() - 1), first)?;
                let sign = masked(format.sign(), args.get(1)?)?;
                let both = operate(BinaryOp::Or, pattern(format), Overflow::Wraps, magnitude, sign);
                return Some(Sym::Num(Num::new(both, pattern(format))));
            }
            Computation::Other | Computation::IsClass => return None,
            Computation::Round(_) | Computation::Sqrt | Computation::Fma | Computation::MulAdd => {}
        }
        self.follows(state, ty)?;
        let a = operand(self, state, 0)?;
        let result = match what {
            Computation::Round(rounding) => apply(FloatOp::Round(rounding), &[a]),
            Computation::Sqrt => apply(FloatOp::Sqrt, &[a]),
            _ => {
                let (b, c) = (operand(self, state, 1)?, operand(self, state, 2)?);
                let once = apply(FloatOp::Fma, &[a.clone(), b.clone(), c.clone()]);
                if what == Computation::Fma {
                    once
                } else {
                    let twice = apply(FloatOp::Add, &[apply(FloatOp::Mul, &[a, b]), c]);
                    let flag = IntType::unsigned(1);
                    let fused = self.unknown(state, "fused", flag, UnknownKind::Environment, None).expr;
                    let fused = cmp(CmpOp::Ne, flag, fused, constant(0, flag));
                    Arc::new(ite(fused, (*once).clone(), (*twice).clone()))
                }
            }
        };
        Some(self.settled(state, result, format))
    }

    /// `llvm.is.fpclass`: the classes of a format are ranges of its patterns.
    fn is_class(&mut self, state: &mut State, args: &[Operand]) -> Option<Sym> {
        let function = self.cx.flat.function(state.at.instance);
        let of = operand_type(function, args.first()?);
        let format = format_of(&of)?;
        let mask = match args.get(1)? {
            Operand::Constant(crate::module::Constant::Int(_, bits)) => *bits,
            Operand::Constant(_) | Operand::Value(_) => return None,
        };
        debug_assert_eq!(bits_of(&of, self.cx.flat.module), format.width());
        // The two kinds of NaN, or all but them.
        if let 0b11 | 0x3fc = mask & 0x3ff {
            let x = self.float_operand(state, args.first()?, &of, format);
            let nan = is_nan(&x);
            return Some(Sym::Cond(if mask & 1 == 1 { nan } else { not(nan) }));
        }
        let ty = pattern(format);
        let x = self.number(state, args.first()?, &of).to(ty);
        let (inf, nan, normal) = (format.infinity(), format.nan(), 1u128 << (format.precision() - 1));
        let last = format.sign() - 1;
        // Each bit of the mask with its range, the sign left out, and whether the sign is set.
        let classes = [
            (0, inf + 1, nan - 1, false),
            (0, inf + 1, nan - 1, true),
            (1, nan, last, false),
            (1, nan, last, true),
            (2, inf, inf, true),
            (3, normal, inf - 1, true),
            (4, 1, normal - 1, true),
            (5, 0, 0, true),
            (6, 0, 0, false),
            (7, 1, normal - 1, false),
            (8, normal, inf - 1, false),
            (9, inf, inf, false),
        ];
        let mut found = truth(false);
        for (bit, low, high, negative) in classes {
            if mask >> bit & 1 == 1 {
                let sign = if negative { format.sign() } else { 0 };
                let at = |op: CmpOp, k: u128| cmp(op, ty, x.clone(), constant(IBig::from(k | sign), ty));
                found = or(found, and(at(CmpOp::Ge, low), at(CmpOp::Le, high)));
            }
        }
        Some(Sym::Cond(found))
    }
}
