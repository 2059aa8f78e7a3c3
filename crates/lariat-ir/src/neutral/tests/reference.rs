//! A direct evaluator of neutral expressions in machine words.

use crate::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Overflow, Program, Target, UnaryOp};
use crate::value::{ArrayValue, Bits, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What an Abstraction unknown is in these tests: a value that nothing computes by accident.
pub const ABSTRACT: i128 = 7_919_000;

/// What a direct evaluation gives.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    pub value: i128,
    pub poison: bool,
    /// Whether any evaluated operation left its type, as numbers.
    pub overflowed: bool,
}

/// An undefined operation was evaluated; `by_overflow` where Z would have a result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Undefined {
    pub by_overflow: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Arithmetic {
    Machine,
    Poisoning,
    Integers,
}

pub fn bounds(ty: IntType) -> (i128, i128) {
    if ty.signed { (-(1 << (ty.width - 1)), (1 << (ty.width - 1)) - 1) } else { (0, (1 << ty.width) - 1) }
}

pub fn fits(ty: IntType, v: i128) -> bool {
    let (min, max) = bounds(ty);
    min <= v && v <= max
}

pub fn reduce(ty: IntType, v: i128) -> i128 {
    let r = v.rem_euclid(1 << ty.width);
    if ty.signed && r >= 1 << (ty.width - 1) { r - (1 << ty.width) } else { r }
}

/// The constant that the lowering over Z sees here.
fn literal(e: &Expr) -> Option<i128> {
    match e {
        Expr::Const(k, _) => Some(i128::try_from(k.clone()).expect("small constants")),
        Expr::Cast { from, to, arg } => literal(arg).filter(|_| to.includes(*from)),
        Expr::Ite(c, a, b) => match **c {
            Cond::Const(true) => literal(a),
            Cond::Const(false) => literal(b),
            _ => literal(a).filter(|k| literal(b) == Some(*k)),
        },
        Expr::Binary { op, ty, overflow, left, right } => {
            let over_z = ty.signed && *overflow == Overflow::Undefined;
            let shift = *op == BinaryOp::Shr || (*op == BinaryOp::Shl && over_z);
            if *op == BinaryOp::And {
                return literal(right).or_else(|| literal(left)).filter(|mask| *mask == 0);
            }
            literal(left).filter(|_| shift && (ty.width == 1 || literal(right) == Some(0)))
        }
        Expr::Promised { value, .. } => literal(value),
        Expr::Join(parts) => literal(&parts[0]).filter(|_| parts.len() == 1),
        _ => None,
    }
}

/// The content of a memory.
#[derive(Clone, Debug)]
pub struct Cells {
    pub cells: BTreeMap<i128, i128>,
    pub default: i128,
}

impl Cells {
    pub fn at(&self, address: i128) -> i128 {
        self.cells.get(&address).copied().unwrap_or(self.default)
    }
    /// The same cells as values of the type.
    pub fn reduced(&self, ty: IntType) -> Self {
        Self {
            cells: self.cells.iter().map(|(a, v)| (*a, reduce(ty, *v))).collect(),
            default: reduce(ty, self.default),
        }
    }
}

pub struct Reference<'a> {
    pub program: &'a Program,
    pub arithmetic: Arithmetic,
    pub vars: &'a [(i128, bool)],
    pub unknowns: &'a [(i128, bool)],
    pub mems: &'a [Cells],
}

impl Reference<'_> {
    fn result(&self, ty: IntType, overflow: Overflow, exact: i128, extra: bool, parts: &[Outcome]) -> Outcome {
        let outside = !fits(ty, exact) || extra;
        let over_z = self.arithmetic == Arithmetic::Integers && ty.signed && overflow == Overflow::Undefined;
        Outcome {
            value: if over_z { exact } else { reduce(ty, exact) },
            poison: parts.iter().any(|p| p.poison) || (outside && overflow == Overflow::Undefined),
            overflowed: parts.iter().any(|p| p.overflowed) || outside,
        }
    }

    pub fn expr(&self, e: &Expr) -> Result<Outcome, Undefined> {
        let leaf = |(value, poison): (i128, bool)| Outcome { value, poison, overflowed: false };
        Ok(match e {
            Expr::Var(v) => leaf(self.vars[*v]),
            Expr::Unknown(u) => leaf(self.unknowns[*u]),
            Expr::Const(k, _) => leaf((i128::try_from(k.clone()).expect("small constants"), false)),
            Expr::Unary { op, ty, overflow, arg } => {
                let a = self.expr(arg)?;
                match op {
                    UnaryOp::Neg => self.result(*ty, *overflow, -a.value, false, &[a]),
                    UnaryOp::Not if ty.signed => Outcome { value: !a.value, ..a },
                    UnaryOp::Not => Outcome { value: reduce(*ty, !a.value), ..a },
                }
            }
            Expr::Binary { op, ty, overflow, left, right } => {
                let (a, b) = (self.expr(left)?, self.expr(right)?);
                self.binary(*op, *ty, *overflow, a, b, literal(left).or_else(|| literal(right)).is_some())?
            }
            Expr::Cast { from, to, arg } => {
                let a = self.expr(arg)?;
                let keeps = to.includes(*from);
                Outcome { value: if keeps { a.value } else { reduce(*to, a.value) }, ..a }
            }
            Expr::Ite(c, a, b) => {
                let (c, overflowed) = self.cond(c)?;
                let chosen = self.expr(if c { a } else { b })?;
                Outcome { overflowed: chosen.overflowed || overflowed, ..chosen }
            }
            Expr::Load { mem, address } => {
                let a = self.expr(address)?;
                if self.arithmetic == Arithmetic::Poisoning && a.poison {
                    return Err(Undefined { by_overflow: true });
                }
                Outcome { value: self.mems[*mem].at(a.value), poison: false, overflowed: a.overflowed }
            }
            Expr::Float { .. } => unreachable!("`floats` tests those"),
            Expr::Promised { kept, value } => {
                let a = self.expr(value)?;
                let broken = || !matches!(self.cond(kept), Ok((true, _)));
                Outcome { poison: a.poison || self.arithmetic == Arithmetic::Poisoning && broken(), ..a }
            }
            Expr::Join(parts) => {
                let (mut all, mut low) = (leaf((0, false)), 0);
                for e in parts {
                    let p = self.expr(e)?;
                    all.value += p.value << low;
                    all.poison |= p.poison;
                    all.overflowed |= p.overflowed;
                    low += self.program.type_of(e).expect("a program has types").width;
                }
                all
            }
        })
    }

    fn binary(
        &self,
        op: BinaryOp,
        ty: IntType,
        overflow: Overflow,
        a: Outcome,
        b: Outcome,
        literal: bool,
    ) -> Result<Outcome, Undefined> {
        let (x, y) = (a.value, b.value);
        let poisoning = self.arithmetic == Arithmetic::Poisoning;
        let undefined = Err(Undefined { by_overflow: false });
        Ok(match op {
            BinaryOp::Add => self.result(ty, overflow, x + y, false, &[a, b]),
            BinaryOp::Sub => self.result(ty, overflow, x - y, false, &[a, b]),
            BinaryOp::Mul => self.result(ty, overflow, x * y, false, &[a, b]),
            BinaryOp::Div | BinaryOp::Rem => {
                if y == 0 || (poisoning && b.poison) {
                    return undefined;
                }
                let traps = self.arithmetic != Arithmetic::Integers || overflow == Overflow::Wraps;
                if ty.signed && y == -1 && ((traps && x == bounds(ty).0) || (poisoning && a.poison)) {
                    return Err(Undefined { by_overflow: true });
                }
                let exact = if op == BinaryOp::Div { x / y } else { x % y };
                self.result(ty, overflow, exact, false, &[a, b])
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let exact = match op {
                    BinaryOp::And => x & y,
                    BinaryOp::Or => x | y,
                    _ => x ^ y,
                };
                let known = literal || (fits(ty, x) && fits(ty, y));
                Outcome {
                    value: if known { exact } else { ABSTRACT },
                    poison: a.poison || b.poison,
                    overflowed: a.overflowed || b.overflowed,
                }
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                if !(0..i128::from(ty.width)).contains(&y) || (poisoning && b.poison) {
                    return undefined;
                }
                if op == BinaryOp::Shr {
                    Outcome { value: x >> y, poison: a.poison, overflowed: a.overflowed || b.overflowed }
                } else {
                    self.result(ty, overflow, x << y, ty.signed && x < 0, &[a, b])
                }
            }
        })
    }

    pub fn cond(&self, c: &Cond) -> Result<(bool, bool), Undefined> {
        Ok(match c {
            Cond::Const(b) => (*b, false),
            Cond::Cmp { op, left, right, .. } => {
                let (a, b) = (self.expr(left)?, self.expr(right)?);
                if self.arithmetic == Arithmetic::Poisoning && (a.poison || b.poison) {
                    return Err(Undefined { by_overflow: true });
                }
                let (x, y) = (a.value, b.value);
                let holds = match op {
                    CmpOp::Lt => x < y,
                    CmpOp::Le => x <= y,
                    CmpOp::Gt => x > y,
                    CmpOp::Ge => x >= y,
                    CmpOp::Eq => x == y,
                    CmpOp::Ne => x != y,
                };
                (holds, a.overflowed || b.overflowed)
            }
            Cond::Float { .. } => unreachable!("`floats` tests those"),
            Cond::And(a, b) => match self.cond(a)? {
                (true, o) => self.cond(b).map(|(v, p)| (v, o || p))?,
                other => other,
            },
            Cond::Or(a, b) => match self.cond(a)? {
                (false, o) => self.cond(b).map(|(v, p)| (v, o || p))?,
                other => other,
            },
            Cond::Not(a) => self.cond(a).map(|(v, o)| (!v, o))?,
        })
    }
}

pub fn arithmetic(target: Target) -> Arithmetic {
    match target {
        Target::Wrap => Arithmetic::Machine,
        Target::CDiverges => Arithmetic::Poisoning,
        Target::Ideal | Target::CTerminates => Arithmetic::Integers,
    }
}

pub fn value_of(target: Target, ty: IntType, v: i128) -> Value {
    if target.over_z() { Value::int(v) } else { Value::Bv(Bits::from_signed(ty.width, v)) }
}

pub fn number_of(ty: IntType, v: &Value) -> i128 {
    match v {
        Value::Int(i) => i128::try_from(i.clone()).expect("small numbers"),
        Value::Bv(b) if ty.signed => b.signed(),
        Value::Bv(b) => i128::try_from(b.unsigned()).expect("small numbers"),
        other => panic!("{other} is no number"),
    }
}

/// A content as an array.
pub fn array_of(target: Target, address: IntType, cell: IntType, content: &Cells) -> Value {
    let index = target.sort(address).as_scalar().expect("addresses are integers");
    let mut array = ArrayValue::constant(index, value_of(target, cell, content.default));
    for (a, v) in &content.cells {
        array.set(value_of(target, address, *a), value_of(target, cell, *v));
    }
    Value::Array(Arc::new(array))
}
