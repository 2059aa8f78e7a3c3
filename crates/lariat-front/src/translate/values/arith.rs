//! Integer values: LLVM's signless integers as expressions of a C type.
//!
//! A value of LLVM's width `W` is an expression `e` of some type `T` with `T.width <= W`; its bits are those of the number
//! `e` modulo 2^W. So a widening conversion changes nothing, and the sign is a matter of reading, which is chosen where a
//! value is made so that few conversions are needed: over Z each one between signed and unsigned costs a remainder.
//!
//! Why that is right in every integer semantics: a conversion between types of one width reduces modulo 2^W, so two
//! readings of one value are congruent, and operations that wrap respect congruence. Operations for which congruence is not
//! enough (comparison, division, right shift, and what may not overflow) convert their operands to the type that LLVM's
//! opcode or flag names. A value that was computed with `nsw` keeps its number over Z, also when it is out of range, until
//! something reads it as unsigned or narrows it, as C says.

use crate::module::{BinOp, Flags, Predicate};
use dashu_int::IBig;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Overflow, UnaryOp};

/// A number with the type it is read as.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::translate) struct Num {
    pub expr: Expr,
    pub ty: IntType,
}

/// The value of an LLVM value.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::translate) enum Sym {
    Num(Num),
    /// An `i1`.
    Cond(Cond),
    Aggregate(Vec<Sym>),
    /// No value, or one that nothing may use.
    Nothing,
}

pub(in crate::translate) fn wrap(value: &IBig, ty: IntType) -> IBig {
    let modulus = ty.modulus();
    let mut r = value % &modulus;
    if r < IBig::ZERO {
        r += &modulus;
    }
    if ty.signed && r > ty.range().1 { r - modulus } else { r }
}

pub(in crate::translate) fn constant(value: impl Into<IBig>, ty: IntType) -> Expr {
    Expr::Const(wrap(&value.into(), ty), ty)
}

impl Num {
    pub(in crate::translate) fn new(expr: Expr, ty: IntType) -> Self {
        Self { expr, ty }
    }
    pub(in crate::translate) fn constant(value: impl Into<IBig>, ty: IntType) -> Self {
        Self { expr: constant(value, ty), ty }
    }
    pub(in crate::translate) fn as_const(&self) -> Option<&IBig> {
        match &self.expr {
            Expr::Const(v, _) => Some(v),
            _ => None,
        }
    }
    /// The same number as an expression of another type.
    pub(in crate::translate) fn to(&self, to: IntType) -> Expr {
        convert(&self.expr, self.ty, to)
    }
    pub(in crate::translate) fn read_as(&self, ty: IntType) -> Self {
        Self { expr: self.to(ty), ty }
    }
    /// Whether the number is one of the signed type of this width, if it is one of its own type.
    fn fits_signed(&self, width: u32) -> bool {
        self.ty.signed || self.ty.width < width || self.as_const().is_some_and(|v| IntType::signed(width).contains(v))
    }
}

fn convert(expr: &Expr, from: IntType, to: IntType) -> Expr {
    if from == to {
        return expr.clone();
    }
    match expr {
        Expr::Const(v, _) => constant(v.clone(), to),
        Expr::Ite(c, a, b) if matches!((&**a, &**b), (Expr::Const(..), Expr::Const(..))) => {
            Expr::ite((**c).clone(), convert(a, from, to), convert(b, from, to))
        }
        // Reducing twice is reducing once, by the smaller modulus. Where the way back to the first type would be no
        // reduction at all, it still is one for a signed number that has left its range.
        Expr::Cast { from: first, to: middle, arg }
            if to.width <= middle.width && !(first.signed && to.includes(*first)) =>
        {
            convert(arg, *first, to)
        }
        // A value that was kept is kept.
        Expr::Cast { from: first, to: middle, arg } if to.width > middle.width && middle.includes(*first) => {
            convert(arg, *first, to)
        }
        _ => Expr::cast(from, to, expr.clone()),
    }
}

pub(in crate::translate) fn truth(b: bool) -> Cond {
    Cond::Const(b)
}

pub(in crate::translate) fn not(c: Cond) -> Cond {
    match c {
        Cond::Const(b) => Cond::Const(!b),
        Cond::Not(inner) => (*inner).clone(),
        Cond::Cmp { op, ty, left, right } => {
            let op = match op {
                CmpOp::Lt => CmpOp::Ge,
                CmpOp::Le => CmpOp::Gt,
                CmpOp::Gt => CmpOp::Le,
                CmpOp::Ge => CmpOp::Lt,
                CmpOp::Eq => CmpOp::Ne,
                CmpOp::Ne => CmpOp::Eq,
            };
            Cond::Cmp { op, ty, left, right }
        }
        other => Cond::negation(other),
    }
}

pub(in crate::translate) fn and(a: Cond, b: Cond) -> Cond {
    match (a, b) {
        (Cond::Const(true), c) | (c, Cond::Const(true)) => c,
        (Cond::Const(false), _) | (_, Cond::Const(false)) => Cond::Const(false),
        (a, b) if a == b => a,
        (a, b) => Cond::and(a, b),
    }
}

pub(in crate::translate) fn or(a: Cond, b: Cond) -> Cond {
    match (a, b) {
        (Cond::Const(false), c) | (c, Cond::Const(false)) => c,
        (Cond::Const(true), _) | (_, Cond::Const(true)) => Cond::Const(true),
        (a, b) if a == b => a,
        (a, b) => Cond::or(a, b),
    }
}

pub(in crate::translate) fn ite(c: Cond, yes: Expr, no: Expr) -> Expr {
    match c {
        Cond::Const(true) => yes,
        Cond::Const(false) => no,
        _ if yes == no => yes,
        c => Expr::ite(c, yes, no),
    }
}

fn holds(op: CmpOp, a: &IBig, b: &IBig) -> bool {
    match op {
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
    }
}

/// A comparison of two expressions of one type, folded where it shows.
pub(in crate::translate) fn cmp(op: CmpOp, ty: IntType, left: Expr, right: Expr) -> Cond {
    match (&left, &right) {
        (Expr::Const(a, _), Expr::Const(b, _)) => return Cond::Const(holds(op, a, b)),
        (Expr::Ite(c, yes, no), Expr::Const(k, _)) => {
            if let (Expr::Const(a, _), Expr::Const(b, _)) = (&**yes, &**no) {
                return match (holds(op, a, k), holds(op, b, k)) {
                    (true, true) => Cond::Const(true),
                    (false, false) => Cond::Const(false),
                    (true, false) => (**c).clone(),
                    (false, true) => not((**c).clone()),
                };
            }
        }
        _ => {}
    }
    Cond::cmp(op, ty, left, right)
}

/// A comparison as LLVM writes it, of values of `width` bits.
pub(in crate::translate) fn compare(pred: Predicate, width: u32, a: &Num, b: &Num) -> Cond {
    let (op, sign) = match pred {
        Predicate::Eq => (CmpOp::Eq, None),
        Predicate::Ne => (CmpOp::Ne, None),
        Predicate::Ugt => (CmpOp::Gt, Some(false)),
        Predicate::Uge => (CmpOp::Ge, Some(false)),
        Predicate::Ult => (CmpOp::Lt, Some(false)),
        Predicate::Ule => (CmpOp::Le, Some(false)),
        Predicate::Sgt => (CmpOp::Gt, Some(true)),
        Predicate::Sge => (CmpOp::Ge, Some(true)),
        Predicate::Slt => (CmpOp::Lt, Some(true)),
        Predicate::Sle => (CmpOp::Le, Some(true)),
    };
    // For equality any common reading will do; one that needs no conversion is best. Where one side is signed and the other
    // is not, C converts to unsigned.
    let signed = sign.unwrap_or_else(|| a.fits_signed(width) && b.fits_signed(width));
    let ty = IntType { width, signed };
    cmp(op, ty, a.to(ty), b.to(ty))
}

/// Folds an operation on constants; nothing where it is undefined.
fn fold(op: BinaryOp, ty: IntType, overflow: Overflow, a: &Expr, b: &Expr) -> Option<Expr> {
    let (Expr::Const(x, _), Expr::Const(y, _)) = (a, b) else {
        return identity(op, a, b);
    };
    let exact = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Shl => {
            let k = u32::try_from(y.clone()).ok().filter(|k| *k < ty.width)?;
            if ty.signed && *x < IBig::ZERO && overflow == Overflow::Undefined {
                return None;
            }
            x << k as usize
        }
        _ => return None,
    };
    // An overflow that may not happen is left to the lowering, which knows what each semantics makes of it.
    if overflow == Overflow::Undefined && !ty.contains(&exact) {
        return None;
    }
    Some(constant(exact, ty))
}

fn identity(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let is = |e: &Expr, k: i32| matches!(e, Expr::Const(v, _) if *v == IBig::from(k));
    match op {
        BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor if is(a, 0) => Some(b.clone()),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr if is(b, 0) => {
            Some(a.clone())
        }
        BinaryOp::Mul if is(a, 1) => Some(b.clone()),
        BinaryOp::Mul | BinaryOp::Div if is(b, 1) => Some(a.clone()),
        _ => None,
    }
}

pub(in crate::translate) fn operate(op: BinaryOp, ty: IntType, overflow: Overflow, a: Expr, b: Expr) -> Expr {
    fold(op, ty, overflow, &a, &b).unwrap_or_else(|| Expr::binary(op, ty, overflow, a, b))
}

/// An operation as LLVM writes it, on values of `width` bits. The flags that say what may not overflow become the
/// overflow rule; the others are the caller's business.
pub(in crate::translate) fn binary(op: BinOp, width: u32, a: &Num, b: &Num, flags: Flags) -> Num {
    let signed = IntType::signed(width);
    let unsigned = IntType::unsigned(width);
    let plain = |neutral: BinaryOp, ty: IntType, overflow: Overflow| {
        Num::new(operate(neutral, ty, overflow, a.to(ty), b.to(ty)), ty)
    };
    // The reading that the operands have, where either will do.
    let common = || {
        let of = |n: &Num| n.as_const().is_none().then_some(n.ty.signed && n.ty.width == width);
        match (of(a), of(b)) {
            (Some(false), _) | (_, Some(false)) => unsigned,
            (Some(true), _) | (_, Some(true)) => signed,
            (None, None) => unsigned,
        }
    };
    let arithmetic = |neutral: BinaryOp| {
        if flags.nsw {
            plain(neutral, signed, Overflow::Undefined)
        } else if flags.nuw {
            plain(neutral, unsigned, Overflow::Undefined)
        } else {
            plain(neutral, common(), Overflow::Wraps)
        }
    };
    match op {
        BinOp::Add => arithmetic(BinaryOp::Add),
        BinOp::Sub if flags.nsw && a.as_const() == Some(&IBig::ZERO) => {
            let arg = b.to(signed);
            match &arg {
                Expr::Const(v, _) if signed.contains(&-v.clone()) => Num::constant(-v.clone(), signed),
                _ => Num::new(Expr::unary(UnaryOp::Neg, signed, Overflow::Undefined, arg), signed),
            }
        }
        BinOp::Sub => arithmetic(BinaryOp::Sub),
        BinOp::Mul => arithmetic(BinaryOp::Mul),
        BinOp::Shl => arithmetic(BinaryOp::Shl),
        BinOp::UDiv => plain(BinaryOp::Div, unsigned, Overflow::Wraps),
        BinOp::URem => plain(BinaryOp::Rem, unsigned, Overflow::Wraps),
        BinOp::SDiv => plain(BinaryOp::Div, signed, Overflow::Undefined),
        BinOp::SRem => plain(BinaryOp::Rem, signed, Overflow::Undefined),
        BinOp::LShr => plain(BinaryOp::Shr, unsigned, Overflow::Wraps),
        BinOp::AShr => plain(BinaryOp::Shr, signed, Overflow::Wraps),
        BinOp::And | BinOp::Or | BinOp::Xor => {
            let ones = |n: &Num| n.as_const().is_some_and(|v| wrap(v, signed) == IBig::from(-1));
            if op == BinOp::Xor && (ones(a) || ones(b)) {
                let other = if ones(a) { b } else { a };
                let ty = IntType { width, signed: other.ty.signed && other.ty.width == width };
                return Num::new(Expr::unary(UnaryOp::Not, ty, Overflow::Wraps, other.to(ty)), ty);
            }
            // A mask of the low bits of a number that is not negative by its type keeps it small.
            let neutral = match op {
                BinOp::And => BinaryOp::And,
                BinOp::Or => BinaryOp::Or,
                _ => BinaryOp::Xor,
            };
            let mut ty = common();
            let narrow = |n: &Num| !n.ty.signed && n.ty.width < width;
            if narrow(a) && narrow(b) {
                ty = IntType::unsigned(a.ty.width.max(b.ty.width));
            } else if op == BinOp::And {
                // The result is no larger than a constant mask.
                for (mask, other) in [(a, b), (b, a)] {
                    if let (Some(k), true) = (mask.as_const(), narrow(other)) {
                        let k = wrap(k, unsigned);
                        let ty = other.ty;
                        let result = operate(neutral, ty, Overflow::Wraps, other.expr.clone(), constant(k, ty));
                        return Num::new(result, ty);
                    }
                }
            }
            plain(neutral, ty, Overflow::Wraps)
        }
    }
}

/// Zero extension of a value of `from` bits.
pub(in crate::translate) fn zero_extend(a: &Num, from: u32) -> Num {
    if a.ty.signed { a.read_as(IntType::unsigned(from)) } else { a.clone() }
}

/// Sign extension of a value of `from` bits.
pub(in crate::translate) fn sign_extend(a: &Num, from: u32) -> Num {
    if a.ty.signed || a.ty.width < from { a.clone() } else { a.read_as(IntType::signed(from)) }
}

/// The low `to` bits.
pub(in crate::translate) fn truncate(a: &Num, to: u32) -> Num {
    if a.ty.width <= to && (!a.ty.signed || a.ty.width == to) {
        return a.clone();
    }
    if a.ty.width < to {
        return a.clone();
    }
    a.read_as(IntType { width: to, signed: a.ty.signed })
}

/// The lowest bit as a condition.
pub(in crate::translate) fn low_bit(a: &Num) -> Cond {
    let ty = IntType::unsigned(a.ty.width);
    if a.ty.width == 1 {
        return cmp(CmpOp::Ne, ty, a.to(ty), constant(0, ty));
    }
    if let Expr::Ite(c, yes, no) = &a.expr
        && let (Expr::Const(x, _), Expr::Const(y, _)) = (&**yes, &**no)
    {
        let odd = |v: &IBig| wrap(v, IntType::unsigned(1)) == IBig::from(1);
        return match (odd(x), odd(y)) {
            (true, true) => truth(true),
            (false, false) => truth(false),
            (true, false) => (**c).clone(),
            (false, true) => not((**c).clone()),
        };
    }
    if let Some(v) = a.as_const() {
        return truth(wrap(v, IntType::unsigned(1)) == IBig::from(1));
    }
    let bit = operate(BinaryOp::And, a.ty, Overflow::Wraps, a.expr.clone(), constant(1, a.ty));
    cmp(CmpOp::Ne, a.ty, bit, constant(0, a.ty))
}

/// A truth value as a number.
pub(in crate::translate) fn bit(c: &Cond) -> Num {
    let ty = IntType::unsigned(1);
    match c {
        Cond::Const(b) => Num::constant(i32::from(*b), ty),
        c => Num::new(Expr::ite(c.clone(), constant(1, ty), constant(0, ty)), ty),
    }
}

/// How large an expression is, counted up to a limit.
pub(in crate::translate) fn size(expr: &Expr, limit: usize) -> usize {
    fn walk(e: &Expr, left: &mut usize) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        match e {
            Expr::Var(_) | Expr::Unknown(_) | Expr::Const(..) => {}
            Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => walk(arg, left),
            Expr::Load { address, .. } => walk(address, left),
            Expr::Binary { left: a, right: b, .. } => {
                walk(a, left);
                walk(b, left);
            }
            // What the promise says becomes part of the proofs only where the value decides something.
            Expr::Promised { value, .. } => walk(value, left),
            Expr::Join(parts) => parts.iter().for_each(|p| walk(p, left)),
            Expr::Float { args, .. } => args.iter().for_each(|a| walk(a, left)),
            Expr::Ite(c, a, b) => {
                walk_cond(c, left);
                walk(a, left);
                walk(b, left);
            }
        }
    }
    fn walk_cond(c: &Cond, left: &mut usize) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        match c {
            Cond::Const(_) => {}
            Cond::Cmp { left: a, right: b, .. } => {
                walk(a, left);
                walk(b, left);
            }
            Cond::Float { args, .. } => args.iter().for_each(|a| walk(a, left)),
            Cond::And(a, b) | Cond::Or(a, b) => {
                walk_cond(a, left);
                walk_cond(b, left);
            }
            Cond::Not(a) => walk_cond(a, left),
        }
    }
    let mut left = limit;
    walk(expr, &mut left);
    limit - left
}

/// How large a value is.
pub(in crate::translate) fn sym_size(sym: &Sym, limit: usize) -> usize {
    match sym {
        Sym::Num(n) => size(&n.expr, limit),
        Sym::Cond(c) => size(&bit(c).expr, limit),
        Sym::Aggregate(parts) => parts.iter().map(|p| sym_size(p, limit)).sum(),
        Sym::Nothing => 0,
    }
}
