//! Random expressions and conditions.

use super::reference::bounds;
use crate::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Overflow, UnaryOp};
use crate::random::Random;

pub const BINARY: [BinaryOp; 10] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::Shr,
];
pub const COMPARISONS: [CmpOp; 6] = [CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge, CmpOp::Eq, CmpOp::Ne];
pub const OVERFLOWS: [Overflow; 2] = [Overflow::Wraps, Overflow::Undefined];

pub fn types(widths: &[u32]) -> Vec<IntType> {
    widths.iter().flat_map(|&w| [IntType::signed(w), IntType::unsigned(w)]).collect()
}

/// The types of what expressions may mention.
#[derive(Clone, Copy)]
pub struct Leaves<'a> {
    pub vars: &'a [IntType],
    pub unknowns: &'a [IntType],
    pub mems: &'a [IntType],
    pub address: IntType,
}

impl<'a> Leaves<'a> {
    pub fn vars(vars: &'a [IntType]) -> Self {
        Self { vars, unknowns: &[], mems: &[], address: IntType::signed(64) }
    }
}

impl Random {
    fn overflow(&mut self, ty: IntType) -> Overflow {
        // What programs have, mostly: signed arithmetic that may not overflow.
        if ty.signed && self.below(4) > 0 { Overflow::Undefined } else { self.choose(&OVERFLOWS) }
    }

    /// A random expression.
    pub fn expr(&mut self, ty: IntType, depth: u32, leaves: Leaves<'_>) -> Expr {
        let convert = |from: IntType, e: Expr| if from == ty { e } else { Expr::cast(from, ty, e) };
        if depth == 0 || self.below(6) == 0 {
            if !leaves.unknowns.is_empty() && self.below(3) == 0 {
                let u = self.below(leaves.unknowns.len());
                return convert(leaves.unknowns[u], Expr::Unknown(u));
            }
            if self.below(4) == 0 {
                let (min, max) = bounds(ty);
                let span = usize::try_from(max - min + 1).expect("small types");
                return Expr::constant(min + i128::try_from(self.below(span)).expect("small"), ty);
            }
            let v = self.below(leaves.vars.len());
            return convert(leaves.vars[v], Expr::Var(v));
        }
        if !leaves.mems.is_empty() && self.below(3) == 0 {
            let m = self.below(leaves.mems.len());
            return convert(leaves.mems[m], Expr::load(m, self.expr(leaves.address, depth - 1, leaves)));
        }
        if !ty.signed && ty.width > 1 && self.below(6) == 0 {
            let mut parts = Vec::new();
            let mut left = ty.width;
            while left > 0 {
                let width = 1 + u32::try_from(self.below(left as usize)).expect("small");
                parts.push(self.expr(IntType::unsigned(width), depth - 1, leaves));
                left -= width;
            }
            return Expr::Join(parts);
        }
        if self.below(10) == 0 {
            return Expr::promised(self.cond(depth - 1, leaves), self.expr(ty, depth - 1, leaves));
        }
        match self.below(8) {
            0 => {
                let op = self.choose(&[UnaryOp::Neg, UnaryOp::Not]);
                let overflow = self.overflow(ty);
                Expr::unary(op, ty, overflow, self.expr(ty, depth - 1, leaves))
            }
            1 => {
                let c = self.cond(depth - 1, leaves);
                let a = self.expr(ty, depth - 1, leaves);
                Expr::ite(c, a, self.expr(ty, depth - 1, leaves))
            }
            2 => {
                let from = self.choose(&types(&[1, 2, 3, 4]));
                Expr::cast(from, ty, self.expr(from, depth - 1, leaves))
            }
            _ => {
                let op = self.choose(&BINARY);
                let overflow = self.overflow(ty);
                let left = self.expr(ty, depth - 1, leaves);
                Expr::binary(op, ty, overflow, left, self.expr(ty, depth - 1, leaves))
            }
        }
    }

    /// A random condition.
    pub fn cond(&mut self, depth: u32, leaves: Leaves<'_>) -> Cond {
        match if depth == 0 { 9 } else { self.below(10) } {
            0 => Cond::negation(self.cond(depth - 1, leaves)),
            1 => {
                let a = self.cond(depth - 1, leaves);
                Cond::and(a, self.cond(depth - 1, leaves))
            }
            2 => {
                let a = self.cond(depth - 1, leaves);
                Cond::or(a, self.cond(depth - 1, leaves))
            }
            3 => Cond::Const(self.below(2) == 0),
            _ => {
                let ty = self.choose(&types(&[1, 2, 3, 4]));
                let op = self.choose(&COMPARISONS);
                let left = self.expr(ty, depth.min(2), leaves);
                Cond::cmp(op, ty, left, self.expr(ty, depth.min(2), leaves))
            }
        }
    }
}
