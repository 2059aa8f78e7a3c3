//! Arithmetic, comparison and conversion, with what must not be seen of addresses.
//!
//! A model address stands for a real one that nobody knows. So a result that depends on the digits of an address is unknown: the
//! order of two objects, a number made from an address by more than adding to it, and whether it happens to equal something else.

use crate::module::{BinOp, CastOp, Flags, Operand, Predicate, Type};
use crate::translate::bits_of;
use crate::translate::memory::layout::Life;
use crate::translate::points::{ObjectId, ObjectKind, Targets};
use crate::translate::state::{Split, State};
use crate::translate::values::Values;
use crate::translate::values::arith::{self, Num, Sym, and, bit, cmp, compare, constant, ite, low_bit, not, truth};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{CmpOp, Cond, Expr, IntType, Overflow};

/// An operation on integers of a width.
#[derive(Clone, Copy)]
pub(in crate::translate) struct Operation {
    pub op: BinOp,
    pub width: u32,
    pub flags: Flags,
}

/// A comparison of two operands of a type.
pub(in crate::translate) struct Comparison<'o> {
    pub pred: Predicate,
    pub left: &'o Operand,
    pub right: &'o Operand,
    pub ty: &'o Type,
    /// Whether it is one of the compiler's own checks.
    pub is_check: bool,
}

/// A conversion of an operand.
pub(in crate::translate) struct Conversion<'o> {
    pub op: CastOp,
    pub arg: &'o Operand,
    pub from: &'o Type,
    pub to: &'o Type,
    pub flags: Flags,
}

impl Values<'_, '_> {
    /// An integer operation.
    pub(in crate::translate) fn arithmetic(
        &mut self,
        state: &mut State,
        operation: Operation,
        (left, right): (&Operand, &Operand),
        ty: &Type,
    ) -> Sym {
        let Operation { op, width, flags } = operation;
        let (p, q) = (self.memory.is_address(state, left, ty), self.memory.is_address(state, right, ty));
        let (a, b) = (self.number(state, left, ty), self.number(state, right, ty));
        if p || q {
            let same = p && q && self.memory.one_object(state, left, right);
            let plain = match op {
                BinOp::Add => !(p && q),
                BinOp::Sub => same || p && !q,
                _ => false,
            };
            // A difference of addresses is no address: it is tracked as one only because nobody looked closer.
            let distances = self.memory.distance_like(state, left) && self.memory.distance_like(state, right);
            if !plain && !distances {
                if may_be_undefined(operation, &b) {
                    let one = Num::constant(1, IntType::unsigned(width));
                    state.evaluates.push(arith::binary(op, width, &one, &b, Flags::default()).expr);
                }
                return self.any(state, ty, UnknownKind::Abstraction);
            }
        }
        let mut result = arith::binary(op, width, &a, &b, flags);
        if may_be_undefined(operation, &b) {
            state.evaluates.push(result.expr.clone());
        } else if may_be_undefined(Operation { flags: Flags { checked: true, ..flags }, ..operation }, &b) {
            // An optimiser may have moved it to where nothing uses what it gives for an amount out of range.
            let unsigned = IntType::unsigned(width);
            let in_range = cmp(CmpOp::Lt, unsigned, b.to(unsigned), constant(width, unsigned));
            let other = self.poison(state, result.ty);
            result = Num::new(ite(in_range, result.expr, other), result.ty);
        }
        self.unless_promised(state, operation, (&a, &b), result)
    }

    /// A result whose promise is broken is any value.
    fn unless_promised(&mut self, state: &mut State, operation: Operation, (a, b): (&Num, &Num), result: Num) -> Sym {
        let Operation { op, width, flags } = operation;
        let unsigned = IntType::unsigned(width);
        let zero = constant(0, unsigned);
        let broken = match op {
            BinOp::SDiv | BinOp::UDiv if flags.exact => {
                let signed = op == BinOp::SDiv;
                let ty = IntType { width, signed };
                // A distance within an array is a multiple of its elements' size.
                let rest =
                    arith::operate(lariat_ir::neutral::BinaryOp::Rem, ty, Overflow::Undefined, a.to(ty), b.to(ty));
                cmp(CmpOp::Ne, ty, rest, constant(0, ty))
            }
            BinOp::LShr | BinOp::AShr if flags.exact => {
                let back = arith::operate(
                    lariat_ir::neutral::BinaryOp::Shl,
                    unsigned,
                    Overflow::Wraps,
                    result.to(unsigned),
                    b.to(unsigned),
                );
                cmp(CmpOp::Ne, unsigned, back, a.to(unsigned))
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl if flags.nsw && flags.nuw => {
                // The signed rule is in the operation; the unsigned one is asked for here.
                let (x, y, r) = (a.to(unsigned), b.to(unsigned), result.to(unsigned));
                match op {
                    BinOp::Add => cmp(CmpOp::Lt, unsigned, r, x),
                    BinOp::Sub => cmp(CmpOp::Lt, unsigned, x, y),
                    // Without a signed overflow, it is one where a factor is negative and the other is neither 0 nor 1.
                    BinOp::Mul => {
                        let signed = IntType::signed(width);
                        let negative = |n: &Num| cmp(CmpOp::Lt, signed, n.to(signed), constant(0, signed));
                        let large = |e: &Expr| cmp(CmpOp::Gt, unsigned, e.clone(), constant(1, unsigned));
                        arith::or(and(negative(a), large(&y)), and(negative(b), large(&x)))
                    }
                    _ => {
                        let signed = IntType::signed(width);
                        cmp(CmpOp::Lt, signed, a.to(signed), constant(0, signed))
                    }
                }
            }
            BinOp::Or if flags.disjoint => {
                let both = arith::operate(
                    lariat_ir::neutral::BinaryOp::And,
                    unsigned,
                    Overflow::Wraps,
                    a.to(unsigned),
                    b.to(unsigned),
                );
                cmp(CmpOp::Ne, unsigned, both, zero)
            }
            _ => truth(false),
        };
        self.poison_where(state, broken, result)
    }

    /// Poison: a value of the environment by which nothing may be decided.
    pub(in crate::translate) fn poison(&mut self, state: &mut State, ty: IntType) -> Expr {
        let any = self.unknown(state, "poison", ty, UnknownKind::Environment, None);
        if let Expr::Unknown(u) = any.expr {
            self.program.unknowns[u].computed = true;
        }
        any.expr
    }

    /// A value that is poison under a condition.
    pub(in crate::translate) fn poison_where(&mut self, state: &mut State, broken: Cond, value: Num) -> Sym {
        match broken {
            Cond::Const(false) => Sym::Num(value),
            c => {
                let other = self.poison(state, value.ty);
                Sym::Num(Num::new(ite(c, other, value.expr), value.ty))
            }
        }
    }

    /// An integer comparison.
    pub(in crate::translate) fn comparison(
        &mut self,
        state: &mut State,
        comparison: &Comparison<'_>,
    ) -> Result<Cond, Split> {
        let Comparison { pred, left, right, ty, .. } = *comparison;
        let width = bits_of(ty, self.cx.flat.module);
        let (a, b) = (self.number(state, left, ty), self.number(state, right, ty));
        let (p, q) = (self.memory.is_address(state, left, ty), self.memory.is_address(state, right, ty));
        let equality = matches!(pred, Predicate::Eq | Predicate::Ne);
        let signed = IntType::signed(width);
        let distances = self.memory.distance_like(state, left) && self.memory.distance_like(state, right);
        if (p || q) && !equality && !distances {
            let null = |n: &Num| n.as_const() == Some(&IBig::ZERO);
            let (x, y) = (self.memory.targets(state, left), self.memory.targets(state, right));
            let has_order = |t: &Targets| !t.is_empty() && !self.memory.is_label(t);
            let into_one = has_order(&x) && has_order(&y) && self.memory.one_object(state, left, right);
            // A number beside a pointer that the caller gave, who knows its digits.
            let numbers = self.memory.is_number(&x) && self.memory.is_number(&y);
            let known = *ty == Type::Ptr && (null(&a) || null(&b) || into_one || numbers);
            if !known {
                let flag = IntType::unsigned(1);
                let unknown = self.unknown(state, "order of addresses", flag, UnknownKind::Environment, None);
                return Ok(low_bit(&unknown));
            }
        }
        if equality && let Some(cond) = self.address_equality(state, comparison, (&a, &b))? {
            return Ok(if pred == Predicate::Eq { cond } else { not(cond) });
        }
        let in_objects = |o: &Operand| !self.memory.is_number(&self.memory.targets(state, o));
        if *ty == Type::Ptr && (in_objects(left) || in_objects(right)) {
            // Model addresses are not negative, so that one order serves both. What a caller gave may be any number.
            let pred = match pred {
                Predicate::Ugt => Predicate::Sgt,
                Predicate::Uge => Predicate::Sge,
                Predicate::Ult => Predicate::Slt,
                Predicate::Ule => Predicate::Sle,
                other => other,
            };
            return Ok(compare(pred, width, &a.read_as(signed), &b.read_as(signed)));
        }
        if comparison.is_check
            && a.ty.signed
            && let (Predicate::Ult | Predicate::Ule, Some(limit)) = (pred, b.as_const())
            && *limit >= IBig::ZERO
        {
            // The compiler's own test of an index, which is no conversion of the program.
            let index = a.to(signed);
            let op = if pred == Predicate::Ult { CmpOp::Lt } else { CmpOp::Le };
            return Ok(and(
                cmp(CmpOp::Ge, signed, index.clone(), constant(0, signed)),
                cmp(op, signed, index, constant(limit.clone(), signed)),
            ));
        }
        Ok(compare(pred, width, &a, &b))
    }

    /// A comparison that promises operands of one sign; where they are not it is any truth value.
    pub(in crate::translate) fn unless_signs_differ(
        &mut self,
        state: &mut State,
        comparison: &Comparison<'_>,
        c: Cond,
    ) -> Cond {
        let Comparison { left, right, ty, .. } = *comparison;
        let width = bits_of(ty, self.cx.flat.module);
        let signed = IntType::signed(width);
        let (a, b) = (self.number(state, left, ty), self.number(state, right, ty));
        let negative = |n: &Num| bit(&cmp(CmpOp::Lt, signed, n.to(signed), constant(0, signed))).expr;
        let flag = IntType::unsigned(1);
        let differ = cmp(CmpOp::Ne, flag, negative(&a), negative(&b));
        let any = Num::new(self.poison(state, flag), flag);
        arith::or(and(differ.clone(), low_bit(&any)), and(not(differ), c))
    }

    /// Whether two values are equal, at least one of which is an address: nothing where the model addresses tell.
    ///
    /// Equal model addresses are one place in one object, so the real ones are equal. Different ones are those of different places; the
    /// real ones differ, too, if both objects are there at this moment and both places are inside. They may be equal by
    /// chance if one of the objects is gone, because its memory may have been used again; if one place is just past the end; and
    /// if the objects are constants whose addresses mean nothing, which may lie over each other. What is no address at all equals
    /// one by chance, and so do pointers into memory that the program did not make.
    fn address_equality(
        &mut self,
        state: &mut State,
        comparison: &Comparison<'_>,
        (a, b): (&Num, &Num),
    ) -> Result<Option<Cond>, Split> {
        let Comparison { left, right, ty, .. } = *comparison;
        let (p, q) = (self.memory.is_address(state, left, ty), self.memory.is_address(state, right, ty));
        let null = |n: &Num| n.as_const() == Some(&IBig::ZERO);
        let distances = self.memory.distance_like(state, left) && self.memory.distance_like(state, right);
        if !(p || q) || a.expr == b.expr || distances {
            return Ok(None);
        }
        let (x, y) = (self.memory.targets(state, left), self.memory.targets(state, right));
        let (x, y) = (self.memory.expand(&x), self.memory.expand(&y));
        let shows_null = self.memory.shows_null(&x, ty) && self.memory.shows_null(&y, ty);
        if (null(a) || null(b)) && shows_null {
            return Ok(None);
        }
        let width = bits_of(ty, self.cx.flat.module);
        let flag = IntType::unsigned(1);
        let by_chance = self.unknown(state, "chance of addresses", flag, UnknownKind::Environment, None);
        let by_chance = low_bit(&by_chance);
        if width < self.memory.address().width {
            // The lower digits only.
            return Ok(Some(by_chance));
        }
        let signed = IntType::signed(width);
        let zero = |n: &Num| cmp(CmpOp::Eq, signed, n.to(signed), constant(0, signed));
        let same = compare(Predicate::Eq, width, a, b);
        if !shows_null && (p != q || null(a) || null(b)) {
            return Ok(Some(by_chance));
        }
        if p != q {
            // One of them may be null in a variable.
            let either = arith::or(zero(a), zero(b));
            return Ok(Some(arith::or(and(either.clone(), same), and(not(either), by_chance))));
        }
        let outside = self.memory.known(ObjectKind::Outside);
        let from_outside = |t: &Targets| outside.is_some_and(|o| t.0.contains_key(&o));
        let strangers = from_outside(&x) && from_outside(&y);
        let neither = and(not(zero(a)), not(zero(b)));
        let perhaps = and(neither, by_chance.clone());
        // One address for several objects tells nothing.
        let summary = x.0.keys().any(|o| y.0.contains_key(o) && self.memory.object(*o).summary);
        if summary || strangers && self.cx.whole {
            return Ok(Some(arith::or(and(zero(a), zero(b)), perhaps)));
        }
        let mut all: Vec<ObjectId> = x.0.keys().chain(y.0.keys()).copied().collect();
        all.sort_unstable();
        all.dedup();
        if self.memory.is_label(&x) || self.memory.is_label(&y) {
            // Where code is within its function nobody knows.
            return Ok(Some(by_chance));
        }
        if let [one] = all.as_slice()
            && self.memory.object(*one).many.is_none()
        {
            return Ok(None);
        }
        if self.memory.may_lie_over(&x, &y) {
            return Ok(Some(arith::or(same, perhaps)));
        }
        let common = x.0.keys().any(|o| y.0.contains_key(o));
        let settled = self.memory.always_inside(&x) && self.memory.always_inside(&y);
        if settled && !common && shows_null {
            return Ok(Some(and(zero(a), zero(b))));
        }
        let immortal = all.iter().all(|o| matches!(self.memory.object(*o).life, Life::Always));
        if settled && shows_null || strangers && immortal {
            return Ok(None);
        }
        let address = self.memory.address();
        let inside =
            and(self.memory.inside_now(state, &a.to(address), &x)?, self.memory.inside_now(state, &b.to(address), &y)?);
        if !shows_null {
            // What walked out of its object may have the number of another one here, and not there.
            return Ok(Some(arith::or(and(inside.clone(), same), and(not(inside), by_chance))));
        }
        Ok(Some(arith::or(same, and(perhaps, not(inside)))))
    }

    /// A conversion.
    pub(in crate::translate) fn cast(&mut self, state: &mut State, conversion: &Conversion<'_>) -> Sym {
        let Conversion { op, arg, from, to, flags } = *conversion;
        let module = self.cx.flat.module;
        let (w, v) = (bits_of(from, module), bits_of(to, module));
        if w == 0 || v == 0 || w > 128 || v > 128 {
            return self.any(state, to, UnknownKind::Abstraction);
        }
        let boolean = |b: &mut Self, state: &mut State| b.condition(state, arg);
        match op {
            CastOp::Trunc => {
                if self.memory.is_address(state, arg, from) && !self.memory.distance_like(state, arg) {
                    return self.any(state, to, UnknownKind::Abstraction);
                }
                let a = self.number(state, arg, from);
                let short = if v == 1 { bit(&low_bit(&a)) } else { arith::truncate(&a, v) };
                let mut lost = truth(false);
                for (promised, signed) in [(flags.nsw, true), (flags.nuw, false)] {
                    if promised {
                        let (wide, narrow) = (IntType { width: w, signed }, IntType { width: v, signed });
                        let back = Num::new(short.to(narrow), narrow).to(wide);
                        lost = arith::or(lost, cmp(CmpOp::Ne, wide, back, a.to(wide)));
                    }
                }
                let short = if lost == truth(false) {
                    short
                } else {
                    let any = self.poison(state, short.ty);
                    Num::new(ite(lost, any, short.expr), short.ty)
                };
                if v == 1 { Sym::Cond(low_bit(&short)) } else { Sym::Num(short) }
            }
            CastOp::ZExt if w == 1 => Sym::Num(bit(&boolean(self, state))),
            CastOp::SExt if w == 1 => {
                let c = boolean(self, state);
                let ty = IntType::signed(v);
                Sym::Num(Num::new(ite(c, constant(-1, ty), constant(0, ty)), ty))
            }
            CastOp::ZExt => {
                let a = self.number(state, arg, from);
                let extended = arith::zero_extend(&a, w);
                if flags.nneg {
                    let ty = IntType::signed(bits_of(from, module));
                    let negative = cmp(CmpOp::Lt, ty, a.to(ty), constant(0, ty));
                    return self.poison_where(state, negative, extended);
                }
                Sym::Num(extended)
            }
            CastOp::SExt => Sym::Num(arith::sign_extend(&self.number(state, arg, from), w)),
            CastOp::PtrToInt => {
                // The lower digits of an address tell nothing; nor do any of one that the program did not make, which as a number is
                // not told from others. (In modular mode it is an input.)
                let outside = self.memory.known(ObjectKind::Outside);
                let foreign = self.memory.targets(state, arg).0.keys().any(|o| Some(*o) == outside);
                if v < w && self.memory.is_address(state, arg, &Type::Int(w)) || self.cx.whole && foreign {
                    return self.any(state, to, UnknownKind::Environment);
                }
                let a = self.number(state, arg, from);
                Sym::Num(if v < w { arith::truncate(&a, v) } else { a })
            }
            CastOp::IntToPtr => {
                let a = self.number(state, arg, from);
                Sym::Num(if w > v { arith::truncate(&a, v) } else { a }.read_as(self.memory.address()))
            }
            CastOp::BitCast | CastOp::AddrSpaceCast if w == v && !matches!(to, Type::Other(_)) => {
                self.operand(state, arg, from)
            }
            CastOp::UiToFp if flags.nneg => self.any(state, to, UnknownKind::Abstraction),
            CastOp::UiToFp | CastOp::SiToFp if self.memory.is_address(state, arg, from) => {
                self.any(state, to, UnknownKind::Environment)
            }
            _ => match self.float_cast(state, conversion) {
                Some(sym) => sym,
                None => self.any(state, to, UnknownKind::Abstraction),
            },
        }
    }
}

/// Whether a divisor or an amount may be one for which the operation is undefined behaviour: for a shift only where the compiler's
/// checks stood before it. Else its result is poison, which does no harm by itself.
fn may_be_undefined(operation: Operation, by: &Num) -> bool {
    let Operation { op, width, flags } = operation;
    let known = by.as_const();
    match op {
        BinOp::UDiv | BinOp::URem => known.is_none_or(|k| *k == IBig::ZERO),
        BinOp::SDiv | BinOp::SRem => {
            let wrapped = known.map(|k| arith::wrap(k, IntType::signed(width)));
            wrapped.is_none_or(|k| k == IBig::ZERO || k == IBig::from(-1))
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr if flags.checked => {
            at_most(&by.expr).is_none_or(|k| k >= IBig::from(width))
        }
        _ => false,
    }
}

/// A bound of a number that is not negative, where its form shows one: masks are how programs keep amounts in range.
fn at_most(e: &Expr) -> Option<IBig> {
    match e {
        Expr::Const(k, _) => (*k >= IBig::ZERO).then(|| k.clone()),
        Expr::Binary { op: lariat_ir::neutral::BinaryOp::And, left, right, .. } => {
            let mask = |e: &Expr| matches!(e, Expr::Const(..)).then(|| at_most(e)).flatten();
            mask(left).or_else(|| mask(right))
        }
        Expr::Cast { to, arg, .. } => at_most(arg).filter(|k| to.contains(k)),
        _ => None,
    }
}

pub(in crate::translate) fn select(c: &Cond, a: &Sym, b: &Sym, width: u32) -> Sym {
    match (c, a, b) {
        (Cond::Const(true), a, _) => a.clone(),
        (Cond::Const(false), _, b) => b.clone(),
        (_, Sym::Cond(x), Sym::Cond(y)) => {
            let ty = IntType::unsigned(1);
            Sym::Cond(cmp(CmpOp::Ne, ty, ite(c.clone(), bit(x).expr, bit(y).expr), constant(0, ty)))
        }
        (_, Sym::Num(x), Sym::Num(y)) => {
            // A type that has both numbers, or the full width, in which every reading is the same bits.
            let fits = |ty: IntType, n: &Num| n.as_const().map_or(ty.includes(n.ty), |k| ty.contains(k));
            let both = |ty: IntType| fits(ty, x) && fits(ty, y);
            let full = IntType { width, signed: x.ty.signed || y.ty.signed };
            let ty = [x.ty, y.ty].into_iter().find(|ty| both(*ty)).unwrap_or(full);
            Sym::Num(Num::new(ite(c.clone(), x.to(ty), y.to(ty)), ty))
        }
        (_, Sym::Aggregate(x), Sym::Aggregate(y)) => {
            Sym::Aggregate(x.iter().zip(y).map(|(x, y)| select(c, x, y, part_width(x, y))).collect())
        }
        _ => Sym::Nothing,
    }
}

/// A width that holds two parts of aggregates.
fn part_width(x: &Sym, y: &Sym) -> u32 {
    let of = |s: &Sym| match s {
        Sym::Num(n) => n.ty.width,
        _ => 1,
    };
    (of(x).max(of(y)) + 1).min(128)
}

/// An operation on truth values: both sides are evaluated.
pub(in crate::translate) fn bit_operation(op: BinOp, a: &Cond, b: &Cond) -> Sym {
    match (op, a, b) {
        (BinOp::Xor, c, Cond::Const(true)) | (BinOp::Xor, Cond::Const(true), c) => return Sym::Cond(not(c.clone())),
        (BinOp::And, Cond::Const(k), c) | (BinOp::And, c, Cond::Const(k)) => {
            return Sym::Cond(if *k { c.clone() } else { truth(false) });
        }
        (BinOp::Or, Cond::Const(k), c) | (BinOp::Or, c, Cond::Const(k)) => {
            return Sym::Cond(if *k { truth(true) } else { c.clone() });
        }
        _ => {}
    }
    let ty = IntType::unsigned(1);
    let neutral = match op {
        BinOp::And | BinOp::Mul => lariat_ir::neutral::BinaryOp::And,
        BinOp::Or => lariat_ir::neutral::BinaryOp::Or,
        _ => lariat_ir::neutral::BinaryOp::Xor,
    };
    let result = arith::operate(neutral, ty, Overflow::Wraps, bit(a).expr, bit(b).expr);
    Sym::Cond(cmp(CmpOp::Ne, ty, result, constant(0, ty)))
}
