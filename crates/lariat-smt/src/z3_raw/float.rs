//! Floating-point operations: patterns to Z3's numbers and back.
//!
//! Z3 may choose the pattern of what is no number, and what a conversion gives that does not fit; `lariat_ir::float` does not, so
//! both are said.

use super::{Ast, Context, Fault};
use lariat_ir::float::{Limits, Rounding};
use lariat_ir::{Bits, FloatOp, Format, Op, Value};
use std::rc::Rc;
#[allow(clippy::wildcard_imports, reason = "many names, each with Z3's prefix")]
use z3_sys::*;

type WithMode1 = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>;
type WithMode2 = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_ast) -> Option<Z3_ast>;
type Conversion = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_sort) -> Option<Z3_ast>;

impl Context {
    /// An operation on patterns, as `lariat_ir::float` defines it.
    pub(super) fn float(self: &Rc<Self>, op: FloatOp, args: &[&Ast]) -> Result<Ast, Fault> {
        let c = self.raw();
        for a in args {
            a.belongs_to(self);
        }
        let first = args.first().ok_or_else(|| Fault(format!("{op:?} without arguments")))?;
        // SAFETY: the context and the argument are alive and belong together.
        let width = unsafe { Z3_get_sort(c, first.raw).map(|s| Z3_get_bv_sort_size(c, s)) }.unwrap_or_default();
        if args.len() != op.arity() {
            return Err(Fault(format!("{op:?} takes no {} arguments", args.len())));
        }
        let mode = |m: Rounding| self.mode(m);
        let nearest = || self.mode(Rounding::Even);
        let with_mode_1 = |make: WithMode1, m: Ast, a: Ast| {
            // SAFETY: the context and the arguments are alive and belong together; Z3 itself checks the sorts.
            self.own(unsafe { make(c, m.raw, a.raw) })
        };
        let with_mode_2 = |make: WithMode2, a: Ast, b: Ast| {
            let m = nearest()?;
            // SAFETY: as above.
            self.own(unsafe { make(c, m.raw, a.raw, b.raw) })
        };
        let to_format = |make: Conversion, a: &Ast, w: u32| {
            a.belongs_to(self);
            let (m, sort) = (nearest()?, self.float_sort(w)?);
            // SAFETY: as above; the sort is alive as long as the context.
            self.own(unsafe { make(c, m.raw, a.raw, sort) })
        };
        let number = |i: usize| self.number(args[i], width);
        let result = match op {
            FloatOp::Add => with_mode_2(Z3_mk_fpa_add, number(0)?, number(1)?)?,
            FloatOp::Sub => with_mode_2(Z3_mk_fpa_sub, number(0)?, number(1)?)?,
            FloatOp::Mul => with_mode_2(Z3_mk_fpa_mul, number(0)?, number(1)?)?,
            FloatOp::Div => with_mode_2(Z3_mk_fpa_div, number(0)?, number(1)?)?,
            FloatOp::Fma => {
                let (m, [x, y, z]) = (nearest()?, [number(0)?, number(1)?, number(2)?]);
                // SAFETY: as above.
                self.own(unsafe { Z3_mk_fpa_fma(c, m.raw, x.raw, y.raw, z.raw) })?
            }
            FloatOp::Sqrt => with_mode_1(Z3_mk_fpa_sqrt, nearest()?, number(0)?)?,
            FloatOp::Round(m) => with_mode_1(Z3_mk_fpa_round_to_integral, mode(m)?, number(0)?)?,
            FloatOp::Eq => return self.binary(Z3_mk_fpa_eq, [&number(0)?, &number(1)?]),
            FloatOp::Lt => return self.binary(Z3_mk_fpa_lt, [&number(0)?, &number(1)?]),
            FloatOp::Le => return self.binary(Z3_mk_fpa_leq, [&number(0)?, &number(1)?]),
            FloatOp::Convert(w) => to_format(Z3_mk_fpa_to_fp_float, &number(0)?, w)?,
            FloatOp::FromSigned(w) => to_format(Z3_mk_fpa_to_fp_signed, args[0], w)?,
            FloatOp::FromUnsigned(w) => to_format(Z3_mk_fpa_to_fp_unsigned, args[0], w)?,
            FloatOp::ToSigned(_) | FloatOp::ToUnsigned(_) => return self.to_integer(op, &number(0)?, width),
        };
        let format = op.result_format(width).ok_or_else(|| Fault("a result without a format".to_owned()))?;
        self.pattern(&result, format)
    }

    fn mode(self: &Rc<Self>, rounding: Rounding) -> Result<Ast, Fault> {
        let c = self.raw();
        // SAFETY: the context is alive.
        self.own(unsafe {
            match rounding {
                Rounding::Even => Z3_mk_fpa_rne(c),
                Rounding::Away => Z3_mk_fpa_rna(c),
                Rounding::Zero => Z3_mk_fpa_rtz(c),
                Rounding::Down => Z3_mk_fpa_rtn(c),
                Rounding::Up => Z3_mk_fpa_rtp(c),
            }
        })
    }

    fn float_sort(self: &Rc<Self>, width: u32) -> Result<Z3_sort, Fault> {
        let format = Format::of_width(width).ok_or_else(|| Fault(format!("no format has {width} bits")))?;
        if let Some(&s) = self.float_sorts.borrow().get(&format) {
            return Ok(s);
        }
        let c = self.raw();
        // SAFETY: the context is alive; the sort is counted up once and lives as long as the context.
        let raw = unsafe {
            let raw = match format {
                Format::Single => Z3_mk_fpa_sort_32(c),
                Format::Double => Z3_mk_fpa_sort_64(c),
            };
            let raw = raw.ok_or_else(|| self.fault())?;
            Z3_inc_ref(c, Z3_sort_to_ast(c, raw).ok_or_else(|| self.fault())?);
            raw
        };
        self.float_sorts.borrow_mut().insert(format, raw);
        Ok(raw)
    }

    /// The number with this pattern. Also for a pattern that was made from a number: the way there and back is what lets Z3 see that
    /// equal patterns are equal numbers.
    fn number(self: &Rc<Self>, a: &Ast, width: u32) -> Result<Ast, Fault> {
        a.belongs_to(self);
        let sort = self.float_sort(width)?;
        // SAFETY: the context, the argument and the sort are alive and belong together.
        self.own(unsafe { Z3_mk_fpa_to_fp_bv(self.raw(), a.raw, sort) })
    }

    fn pattern(self: &Rc<Self>, number: &Ast, format: Format) -> Result<Ast, Fault> {
        let nan = self.constant(&Value::Bv(Bits::new(format.width(), format.nan())))?;
        let no_number = self.unary(Z3_mk_fpa_is_nan, number)?;
        let bits = self.unary(Z3_mk_fpa_to_ieee_bv, number)?;
        self.ite([&no_number, &nan, &bits])
    }

    fn to_integer(self: &Rc<Self>, op: FloatOp, number: &Ast, width: u32) -> Result<Ast, Fault> {
        let format = Format::of_width(width).ok_or_else(|| Fault(format!("no format has {width} bits")))?;
        let (Some(to), Some(Limits { low, closed, high })) = (op.width(), op.limits(format)) else {
            return Err(Fault("a conversion to integers has limits".to_owned()));
        };
        let limit = |pattern: u128| {
            let pattern = self.constant(&Value::Bv(Bits::new(width, pattern)))?;
            self.number(&pattern, width)
        };
        let above = self.binary(if closed { Z3_mk_fpa_leq } else { Z3_mk_fpa_lt }, [&limit(low)?, number])?;
        let below = self.binary(Z3_mk_fpa_lt, [number, &limit(high)?])?;
        let fits = self.apply(Op::And, &[&above, &below])?;
        let mode = self.mode(Rounding::Zero)?;
        // SAFETY: the context and the arguments are alive and belong together.
        let whole = self.own(unsafe {
            match op {
                FloatOp::ToSigned(_) => Z3_mk_fpa_to_sbv(self.raw(), mode.raw, number.raw, to),
                _ => Z3_mk_fpa_to_ubv(self.raw(), mode.raw, number.raw, to),
            }
        })?;
        let zero = self.constant(&Value::Bv(Bits::new(to, 0)))?;
        self.ite([&fits, &whole, &zero])
    }
}
