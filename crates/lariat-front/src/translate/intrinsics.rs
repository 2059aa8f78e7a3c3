//! LLVM's intrinsics.

use super::arith::{Num, Sym, and, cmp, compare, constant, ite, operate, or, truth};
use super::bits_of;
use super::build::{Builder, Flow, Split, State};
use super::points::ObjectKind;
use super::values::operand_type;
use crate::module::{Constant, Instruction, Operand, Predicate, Type};
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{BinaryOp, CmpOp, Expr, Goto, IntType, Overflow, UnaryOp};

impl<'m> Builder<'_, 'm> {
    pub(super) fn intrinsic(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        name: &'m str,
        args: &[Operand],
    ) -> Result<Flow, Split> {
        let flat = self.cx.flat;
        let at = state.point();
        let function = flat.function(at.instance);
        let result = flat.value(at.instance, instruction.id);
        let width = bits_of(&instruction.ty, flat.module);
        let base = name.strip_prefix("llvm.").unwrap_or(name);
        let kind = base.split('.').next().unwrap_or(base);
        // On vectors they work lane by lane, which is not followed.
        let lanes = matches!(instruction.ty, Type::Other(_))
            || args.iter().any(|a| matches!(operand_type(function, a), Type::Other(_)));
        if lanes && instruction.ty != Type::Void && !writes_memory(name) {
            let sym = self.any(state, &instruction.ty, UnknownKind::Abstraction);
            state.set_value(result, sym);
            return Ok(Flow::On);
        }
        let arg = |b: &mut Self, state: &mut State, n: usize| {
            let ty = args.get(n).map_or(Type::Void, |a| operand_type(function, a));
            args.get(n).map(|a| b.number(state, a, &ty))
        };
        let sym = match kind {
            "dbg" => return Ok(Flow::On),
            "lifetime" => {
                let value = match args.last() {
                    Some(Operand::Value(v)) => *v,
                    _ => return Ok(Flow::On),
                };
                let Some(id) = self.points.known(ObjectKind::Stack(at.instance, value)) else { return Ok(Flow::On) };
                let starts = base.starts_with("lifetime.start");
                if starts {
                    if self.memory.object(id).many.is_some() {
                        let Some(address) = self.next_of_many(state, id) else { return Ok(Flow::Done) };
                        self.forget_new(state, id, &address);
                        self.set_latest(state, at.instance, value, address);
                    } else {
                        self.forget_fresh(state, id);
                    }
                }
                self.set_alive(state, id, value, starts);
                return Ok(Flow::On);
            }
            "assume" => {
                let c = match args.first() {
                    Some(a) => self.condition(state, a),
                    None => truth(true),
                };
                return Ok(if self.require(state, c) { Flow::On } else { Flow::Done });
            }
            "ubsantrap" => {
                self.end(state, Goto::Ub);
                return Ok(Flow::Done);
            }
            "trap" | "debugtrap" => {
                self.end(state, Goto::Trap);
                return Ok(Flow::Done);
            }
            "memcpy" | "memmove" | "memset" => {
                let ty = self.address();
                let (Some(to), Some(second), Some(n)) = (args.first(), args.get(1), args.get(2)) else {
                    return Ok(Flow::On);
                };
                let targets = self.targets(state, to);
                let pointer = self.number(state, to, &Type::Ptr).to(ty);
                let size = arg(self, state, 2).unwrap_or_else(|| Num::constant(0, ty));
                let known = size.as_const().and_then(|k| u64::try_from(k.clone()).ok());
                // A volatile copy reads what the environment says.
                let volatile = matches!(args.get(3), Some(Operand::Constant(Constant::Int(_, 1))));
                let known = known.filter(|_| !volatile);
                let kept = if volatile { UnknownKind::Environment } else { UnknownKind::Abstraction };
                let from_targets = self.targets(state, second);
                let follows = match (kind, known) {
                    ("memset", Some(n)) => {
                        let byte = self.number(state, second, &Type::Int(8));
                        self.fill(state, (&pointer, &targets), &byte, n)?
                    }
                    (_, Some(n)) => {
                        let source = self.number(state, second, &Type::Ptr).to(ty);
                        self.copy(state, (&pointer, &targets), (&source, &from_targets), n)?
                    }
                    (_, None) => {
                        let _ = n;
                        let size = size.to(ty);
                        let mut valid = self.range_valid(state, &pointer, &targets, &size)?;
                        if kind != "memset" {
                            let source = self.number(state, second, &Type::Ptr).to(ty);
                            valid = and(valid, self.range_valid(state, &source, &from_targets, &size)?);
                        }
                        let follows = self.require(state, valid);
                        if follows {
                            self.forget_all(state, &targets, kept);
                        }
                        follows
                    }
                };
                return Ok(if follows { Flow::On } else { Flow::Done });
            }
            "expect" | "launder" | "strip" | "ssa" => match args.first() {
                Some(a) => self.operand(state, a, &instruction.ty),
                None => Sym::Nothing,
            },
            // Without optimisation nothing counts as constant.
            "is" if base.starts_with("is.constant") => Sym::Cond(truth(false)),
            "sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul" if base.contains("with.overflow") => {
                match (arg(self, state, 0), arg(self, state, 1)) {
                    (Some(a), Some(b)) => {
                        let ty = args.first().map_or(Type::Void, |a| operand_type(function, a));
                        match overflowing(kind, bits_of(&ty, flat.module), &a, &b) {
                            Some(both) => both,
                            None => self.any(state, &instruction.ty, UnknownKind::Abstraction),
                        }
                    }
                    _ => self.any(state, &instruction.ty, UnknownKind::Abstraction),
                }
            }
            "smax" | "smin" | "umax" | "umin" => match (arg(self, state, 0), arg(self, state, 1)) {
                (Some(a), Some(b)) => {
                    let pred = match kind {
                        "smax" => Predicate::Sgt,
                        "smin" => Predicate::Slt,
                        "umax" => Predicate::Ugt,
                        _ => Predicate::Ult,
                    };
                    let ty = IntType { width, signed: kind.starts_with('s') };
                    let first = compare(pred, width, &a, &b);
                    Sym::Num(Num::new(ite(first, a.to(ty), b.to(ty)), ty))
                }
                _ => Sym::Nothing,
            },
            "abs" => match arg(self, state, 0) {
                Some(a) => {
                    let ty = IntType::signed(width);
                    let x = a.to(ty);
                    let poison = matches!(args.get(1), Some(Operand::Constant(Constant::Int(_, 1))));
                    let overflow = if poison { Overflow::Undefined } else { Overflow::Wraps };
                    let negated = Expr::unary(UnaryOp::Neg, ty, overflow, x.clone());
                    let negative = cmp(CmpOp::Lt, ty, x.clone(), constant(0, ty));
                    Sym::Num(Num::new(ite(negative, negated, x), ty))
                }
                None => Sym::Nothing,
            },
            "ctpop" | "ctlz" | "cttz" => match arg(self, state, 0) {
                Some(a) if width <= 64 => {
                    if kind != "ctpop" && matches!(args.get(1), Some(Operand::Constant(Constant::Int(_, 1)))) {
                        let ty = IntType::unsigned(width);
                        let ok = cmp(CmpOp::Ne, ty, a.to(ty), constant(0, ty));
                        if !self.require(state, ok) {
                            return Ok(Flow::Done);
                        }
                    }
                    Sym::Num(count_bits(kind, width, &a))
                }
                _ => self.any(state, &instruction.ty, UnknownKind::Abstraction),
            },
            "bswap" => match arg(self, state, 0) {
                Some(a) if width.is_multiple_of(8) => {
                    let ty = IntType::unsigned(width);
                    let byte = IntType::unsigned(8);
                    let parts = (0..width / 8).rev().map(|i| {
                        let moved = operate(BinaryOp::Shr, ty, Overflow::Wraps, a.to(ty), constant(8 * i, ty));
                        Num::new(moved, ty).to(byte)
                    });
                    Sym::Num(Num::new(Expr::Join(parts.collect()), ty))
                }
                _ => self.any(state, &instruction.ty, UnknownKind::Abstraction),
            },
            "fshl" | "fshr" => match (arg(self, state, 0), arg(self, state, 1), arg(self, state, 2)) {
                (Some(a), Some(b), Some(c)) => {
                    let ty = IntType::unsigned(width);
                    let modulus = constant(width, ty);
                    let by = operate(BinaryOp::Rem, ty, Overflow::Wraps, c.to(ty), modulus.clone());
                    let rest = operate(BinaryOp::Sub, ty, Overflow::Wraps, modulus, by.clone());
                    let (left, right) = if kind == "fshl" { (by.clone(), rest) } else { (rest, by.clone()) };
                    let high = operate(BinaryOp::Shl, ty, Overflow::Wraps, a.to(ty), left);
                    let low = operate(BinaryOp::Shr, ty, Overflow::Wraps, b.to(ty), right);
                    let both = operate(BinaryOp::Or, ty, Overflow::Wraps, high, low);
                    let whole = if kind == "fshl" { a.to(ty) } else { b.to(ty) };
                    let none = cmp(CmpOp::Eq, ty, by, constant(0, ty));
                    Sym::Num(Num::new(ite(none, whole, both), ty))
                }
                _ => Sym::Nothing,
            },
            "usub" | "uadd" | "ssub" | "sadd" => self.any(state, &instruction.ty, UnknownKind::Abstraction),
            "va_start" | "va_copy" => {
                let span = state.span_of();
                self.assume(state, "further arguments are as the function expects them", span);
                for a in args {
                    let targets = self.targets(state, a);
                    self.forget_all(state, &targets, UnknownKind::Environment);
                }
                return Ok(Flow::On);
            }
            "va_end" | "stackrestore" | "prefetch" | "donothing" | "invariant" | "var" | "experimental"
            | "annotation" => {
                if instruction.ty == Type::Void {
                    return Ok(Flow::On);
                }
                self.any(state, &instruction.ty, UnknownKind::Environment)
            }
            "objectsize" => self.any(state, &instruction.ty, UnknownKind::Environment),
            "stacksave" => Sym::Num(Num::constant(0, self.address())),
            "threadlocal" => match args.first() {
                Some(a) => self.operand(state, a, &Type::Ptr),
                None => Sym::Nothing,
            },
            "eh" => self.any(state, &instruction.ty, UnknownKind::Environment),
            _ if writes_memory(name) => {
                for a in args {
                    let targets = self.targets(state, a);
                    self.forget_all(state, &targets, UnknownKind::Environment);
                }
                self.forget_escaped(state, false);
                self.any(state, &instruction.ty, UnknownKind::Environment)
            }
            // Floating point, mostly: no effect, and a result that is followed or not.
            _ => match self.float_intrinsic(state, base, args, &instruction.ty) {
                Some(sym) => sym,
                None => self.any(state, &instruction.ty, UnknownKind::Abstraction),
            },
        };
        state.set_value(result, sym);
        Ok(Flow::On)
    }

    pub(super) fn observe(&mut self, state: &mut State, var: usize, args: &[Operand]) -> Flow {
        let at = state.point();
        let function = self.cx.flat.function(at.instance);
        let ty = IntType::signed(64);
        if let Some(a) = args.first() {
            let given = operand_type(function, a);
            let value = self.number(state, a, &given);
            let e = value.to(ty);
            state.set(var, e);
        }
        let after = self.cx.flat.after_call(at);
        self.observation(after);
        Flow::To(after)
    }
}

/// Whether an intrinsic of this name may write through its arguments: those that compute only are listed.
pub(super) fn writes_memory(name: &str) -> bool {
    const COMPUTE: &[&str] = &[
        "abs",
        "annotation",
        "assume",
        "bitreverse",
        "bswap",
        "canonicalize",
        "ceil",
        "copysign",
        "cos",
        "ctlz",
        "ctpop",
        "cttz",
        "dbg",
        "debugtrap",
        "donothing",
        "eh",
        "exp",
        "exp10",
        "exp2",
        "expect",
        "experimental",
        "fabs",
        "floor",
        "fma",
        "fmuladd",
        "fptosi",
        "fptoui",
        "frameaddress",
        "frexp",
        "fshl",
        "fshr",
        "invariant",
        "is",
        "launder",
        "ldexp",
        "lifetime",
        "llrint",
        "llround",
        "log",
        "log10",
        "log2",
        "lrint",
        "lround",
        "maximum",
        "maximumnum",
        "maxnum",
        "memcpy",
        "memmove",
        "memset",
        "minimum",
        "minimumnum",
        "minnum",
        "modf",
        "nearbyint",
        "objectsize",
        "pow",
        "powi",
        "prefetch",
        "ptrmask",
        "returnaddress",
        "rint",
        "round",
        "roundeven",
        "sadd",
        "sdiv",
        "sin",
        "sincos",
        "smax",
        "smin",
        "smul",
        "sponentry",
        "sqrt",
        "ssa",
        "sshl",
        "ssub",
        "stackrestore",
        "stacksave",
        "strip",
        "tan",
        "threadlocal",
        "trap",
        "trunc",
        "uadd",
        "ubsantrap",
        "udiv",
        "umax",
        "umin",
        "umul",
        "ushl",
        "usub",
        "va_copy",
        "va_end",
        "va_start",
        "var",
        "vector",
    ];
    let kind = name.strip_prefix("llvm.").unwrap_or(name).split('.').next().unwrap_or_default();
    name.starts_with("llvm.") && COMPUTE.binary_search(&kind).is_err()
}

/// The result of an operation and whether it overflowed.
pub(super) fn overflowing(kind: &str, width: u32, a: &Num, b: &Num) -> Option<Sym> {
    if width == 0 || width > 63 && kind.ends_with("mul") && width * 2 > 128 || width > 126 {
        return None;
    }
    let signed = kind.starts_with('s');
    let ty = IntType { width, signed };
    let wide = IntType::signed(if kind.ends_with("mul") { (2 * width).min(128) } else { width + 2 });
    let op = match &kind[1..] {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        _ => BinaryOp::Mul,
    };
    if kind.ends_with("mul") && !signed && 2 * width > 127 {
        return None;
    }
    let of = |n: &Num| Num::new(n.to(ty), ty).to(wide);
    let exact = operate(op, wide, Overflow::Wraps, of(a), of(b));
    let result = Num::new(exact.clone(), wide).read_as(ty);
    let (min, max) = ty.range();
    let out =
        or(cmp(CmpOp::Lt, wide, exact.clone(), constant(min, wide)), cmp(CmpOp::Gt, wide, exact, constant(max, wide)));
    Some(Sym::Aggregate(vec![Sym::Num(result), Sym::Cond(out)]))
}

pub(super) fn count_bits(kind: &str, width: u32, a: &Num) -> Num {
    let ty = IntType::unsigned(width);
    let x = a.to(ty);
    let set = |i: u32| {
        let moved = operate(BinaryOp::Shr, ty, Overflow::Wraps, x.clone(), constant(i, ty));
        let one = operate(BinaryOp::And, ty, Overflow::Wraps, moved, constant(1, ty));
        cmp(CmpOp::Ne, ty, one, constant(0, ty))
    };
    let e = match kind {
        "ctpop" => (0..width).fold(constant(0, ty), |sum, i| {
            operate(BinaryOp::Add, ty, Overflow::Wraps, sum, ite(set(i), constant(1, ty), constant(0, ty)))
        }),
        "ctlz" => (0..width).fold(constant(width, ty), |rest, i| ite(set(i), constant(width - 1 - i, ty), rest)),
        _ => (0..width).rev().fold(constant(width, ty), |rest, i| ite(set(i), constant(i, ty), rest)),
    };
    Num::new(e, ty)
}
