//! Floating-point operations: the same bit-vector terms in every semantics, over Z between conversions.

use super::expr::{Lowered, Scope, and, ite, not, or};
use super::{Cond, Expr, IntType, integers};
use crate::float::{FloatOp, Format, Limits};
use crate::term::{Op, Term, Terms};
use std::sync::Arc;

/// The type of a result, given the types of the arguments; nothing for a comparison, or what is wrong.
pub(super) fn type_of(op: FloatOp, args: &[IntType]) -> Result<Option<IntType>, String> {
    let Some(&first) = args.first() else { return Err(format!("`{}` without operands", op.name())) };
    let sorts: Vec<crate::sort::Sort> = args.iter().map(|ty| crate::sort::Sort::BitVec(ty.width)).collect();
    let sort = op.result_sort(&sorts).map_err(|e| e.to_string())?;
    let signed = matches!(op, FloatOp::FromSigned(_));
    if let Some(ty) = args.iter().find(|ty| ty.signed != signed) {
        return Err(format!("an operand of `{}` has the type {ty:?}", op.name()));
    }
    Ok(match op {
        FloatOp::Eq | FloatOp::Lt | FloatOp::Le => None,
        FloatOp::ToSigned(w) => Some(IntType::signed(w)),
        _ => Some(IntType::unsigned(sort.width().unwrap_or(first.width))),
    })
}

/// The result of an operation, with this pattern in place of one that is no number.
pub fn settle(number: Arc<Expr>, nan: Expr) -> Expr {
    let is_number = Cond::Float { op: FloatOp::Eq, args: [number.clone(), number.clone()] };
    Expr::Ite(Arc::new(Cond::negation(is_number)), Arc::new(nan), number)
}

/// The result behind [`settle`].
pub fn settled_number(e: &Expr) -> Option<&Arc<Expr>> {
    let Expr::Ite(c, _, number) = e else { return None };
    let Cond::Not(c) = &**c else { return None };
    let Cond::Float { op: FloatOp::Eq, args: [a, b] } = &**c else { return None };
    (Arc::ptr_eq(a, number) && Arc::ptr_eq(b, number)).then_some(number)
}

/// An operation on values, its arguments lowered. A comparison is a truth value.
pub(super) fn operate(scope: &mut Scope<'_>, op: FloatOp, args: &[Lowered]) -> Lowered {
    let t = scope.terms();
    let over_z = scope.over_z();
    let mut defined = args.iter().fold(t.tt(), |all, a| and(t, all, a.defined));
    let mut poison = args.iter().fold(t.ff(), |any, a| or(t, any, a.poison));
    let bits: Vec<Term> = args.iter().map(|a| if over_z { to_bits(t, a.width, a.term) } else { a.term }).collect();
    let mut term = t.apply(Op::Float(op), &bits);
    let mut width = 1;
    if let Some(w) = t.sort(term).width() {
        width = w;
        if over_z {
            term = t.apply(if matches!(op, FloatOp::ToSigned(_)) { Op::SbvToInt } else { Op::UbvToInt }, &[term]);
        }
    }
    if let Some(limits) = Format::of_width(args[0].width).and_then(|f| op.limits(f)) {
        // What does not fit is undefined; whether a poisoned number fits is nothing to rely on.
        defined = and(t, and(t, defined, fits(t, args[0].width, limits, bits[0])), not(t, poison));
        poison = t.ff();
    }
    if over_z && matches!(op, FloatOp::FromSigned(_)) && !args[0].in_range {
        // No bit-vector of the type is a number outside it: nothing is known of the result but its type.
        let (min, max) = IntType::signed(args[0].width).range();
        let within =
            t.and(t.apply(Op::IntLe, &[t.int(min), args[0].term]), t.apply(Op::IntLe, &[args[0].term, t.int(max)]));
        let other = integers::wrap(t, IntType::unsigned(width), scope.meaningless());
        term = ite(t, within, term, other);
    }
    Lowered { term, defined, poison, in_range: true, width }
}

/// The bits of a value over Z; of one that was read from bits these.
fn to_bits(t: &Terms, width: u32, a: Term) -> Term {
    t.apply(Op::IntToBv(width), &[a])
}

/// That a number can be converted to an integer type with these limits.
fn fits(t: &Terms, width: u32, Limits { low, closed, high }: Limits, a: Term) -> Term {
    let less = |op: FloatOp, a: Term, b: Term| t.apply(Op::Float(op), &[a, b]);
    let above = less(if closed { FloatOp::Le } else { FloatOp::Lt }, t.bv(width, low), a);
    t.and(above, less(FloatOp::Lt, a, t.bv(width, high)))
}
