//! Where a program computes with signed numbers.

use super::{BinaryOp, Case, Cond, Expr, Goto, Location, MemUpdate, Overflow};
use std::collections::BTreeSet;

/// Whether a condition at a location, or a value that is kept there, is computed with signed numbers that may overflow. What is
/// computed on the way out of the program decides nothing, but whether it is gone does.
pub(super) fn may_overflow(location: &Location) -> bool {
    location.cases.iter().any(case_may_overflow)
}

fn case_may_overflow(case: &Case) -> bool {
    let mut seen = BTreeSet::new();
    let decides = case.cond.as_ref().is_some_and(|c| cond_may_overflow(c, &mut seen));
    if decides || !matches!(case.target, Goto::Loc(_)) {
        return decides;
    }
    let stores = case.stores.iter().any(|s| match s {
        MemUpdate::Store { address, value, .. } => {
            expr_may_overflow(address, &mut seen) || expr_may_overflow(value, &mut seen)
        }
        MemUpdate::Forget { .. } => false,
    });
    stores || case.assigns.iter().any(|(_, e)| expr_may_overflow(e, &mut seen))
}

/// Parts are shared: each is looked at once.
type Seen = BTreeSet<usize>;

fn expr_may_overflow(e: &Expr, seen: &mut Seen) -> bool {
    if !seen.insert(std::ptr::from_ref(e).addr()) {
        return false;
    }
    match e {
        Expr::Var(_) | Expr::Unknown(_) | Expr::Const(..) => false,
        Expr::Unary { overflow, arg, ty, .. } => {
            *overflow == Overflow::Undefined && ty.signed || expr_may_overflow(arg, seen)
        }
        Expr::Binary { op, overflow, left, right, ty } => {
            let computes = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
            computes && *overflow == Overflow::Undefined && ty.signed
                || expr_may_overflow(left, seen)
                || expr_may_overflow(right, seen)
        }
        Expr::Cast { arg, .. } => expr_may_overflow(arg, seen),
        Expr::Ite(c, a, b) => cond_may_overflow(c, seen) || expr_may_overflow(a, seen) || expr_may_overflow(b, seen),
        Expr::Load { address, .. } => expr_may_overflow(address, seen),
        // The condition is no computation of the program.
        Expr::Promised { value, .. } => expr_may_overflow(value, seen),
        Expr::Join(parts) => parts.iter().any(|p| expr_may_overflow(p, seen)),
        Expr::Float { args, .. } => args.iter().any(|a| expr_may_overflow(a, seen)),
    }
}

fn cond_may_overflow(c: &Cond, seen: &mut Seen) -> bool {
    match c {
        Cond::Const(_) => false,
        Cond::Cmp { left, right, .. } => expr_may_overflow(left, seen) || expr_may_overflow(right, seen),
        Cond::Float { args, .. } => args.iter().any(|a| expr_may_overflow(a, seen)),
        Cond::And(a, b) | Cond::Or(a, b) => cond_may_overflow(a, seen) || cond_may_overflow(b, seen),
        Cond::Not(a) => cond_may_overflow(a, seen),
    }
}
