//! Random expressions and conditions.

use super::reference::bounds;
use crate::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Overflow, UnaryOp};
use crate::simplify::tests::Random;

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

impl Random {
    fn overflow(&mut self, ty: IntType) -> Overflow {
        // What programs have, mostly: signed arithmetic that may not overflow.
        if ty.signed && self.below(4) > 0 { Overflow::Undefined } else { self.pick(&OVERFLOWS) }
    }

    /// A random expression over variables and unknowns of these types.
    pub fn expr(&mut self, ty: IntType, depth: u32, vars: &[IntType], unknowns: &[IntType]) -> Expr {
        if depth == 0 || self.below(6) == 0 {
            let v = self.below(vars.len());
            if !unknowns.is_empty() && self.below(3) == 0 {
                let u = self.below(unknowns.len());
                let leaf = Expr::Unknown(u);
                return if unknowns[u] == ty { leaf } else { Expr::cast(unknowns[u], ty, leaf) };
            }
            if self.below(4) == 0 {
                let (min, max) = bounds(ty);
                let span = usize::try_from(max - min + 1).expect("small types");
                return Expr::constant(min + i128::try_from(self.below(span)).expect("small"), ty);
            }
            return if vars[v] == ty { Expr::Var(v) } else { Expr::cast(vars[v], ty, Expr::Var(v)) };
        }
        match self.below(8) {
            0 => {
                let op = self.pick(&[UnaryOp::Neg, UnaryOp::Not]);
                let overflow = self.overflow(ty);
                Expr::unary(op, ty, overflow, self.expr(ty, depth - 1, vars, unknowns))
            }
            1 => {
                let c = self.cond(depth - 1, vars, unknowns);
                let a = self.expr(ty, depth - 1, vars, unknowns);
                Expr::ite(c, a, self.expr(ty, depth - 1, vars, unknowns))
            }
            2 => {
                let from = self.pick(&types(&[1, 2, 3, 4]));
                Expr::cast(from, ty, self.expr(from, depth - 1, vars, unknowns))
            }
            _ => {
                let op = self.pick(&BINARY);
                let overflow = self.overflow(ty);
                let left = self.expr(ty, depth - 1, vars, unknowns);
                Expr::binary(op, ty, overflow, left, self.expr(ty, depth - 1, vars, unknowns))
            }
        }
    }

    pub fn cond(&mut self, depth: u32, vars: &[IntType], unknowns: &[IntType]) -> Cond {
        match if depth == 0 { 9 } else { self.below(10) } {
            0 => Cond::Not(Box::new(self.cond(depth - 1, vars, unknowns))),
            1 => {
                let a = Box::new(self.cond(depth - 1, vars, unknowns));
                Cond::And(a, Box::new(self.cond(depth - 1, vars, unknowns)))
            }
            2 => {
                let a = Box::new(self.cond(depth - 1, vars, unknowns));
                Cond::Or(a, Box::new(self.cond(depth - 1, vars, unknowns)))
            }
            3 => Cond::Const(self.below(2) == 0),
            _ => {
                let ty = self.pick(&types(&[1, 2, 3, 4]));
                let op = self.pick(&COMPARISONS);
                let left = self.expr(ty, depth.min(2), vars, unknowns);
                Cond::cmp(op, ty, left, self.expr(ty, depth.min(2), vars, unknowns))
            }
        }
    }
}
