//! Instructions, one by one.

use super::build::Builder;
use super::memory::access::Access;
use super::points::ObjectKind;
use super::state::{Flow, Split, State};
use super::values::arith::{self, Num, Sym, and, bit, cmp, compare, constant, not, operate, or, truth};
use super::values::numbers::{Comparison, Conversion, Operation, bit_operation, select};
use super::values::operand_type;
use super::{ModelUse, bits_of};
use crate::module::{AtomicOp, BinOp, Callee, Constant, Flags, Instruction, Op, Operand, Promise, Type};
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, Goto, IntType, Overflow};
use lariat_ir::{AssumptionKind, UnknownKind};
use std::sync::Arc;

impl<'m> Builder<'_, 'm> {
    pub(super) fn execute(&mut self, state: &mut State, instruction: &'m Instruction) -> Result<Flow, Split> {
        let id = state.at.instance;
        let flat = self.cx.flat;
        let result = flat.value(id, instruction.id);
        if decides_by_poison(&instruction.op) {
            self.control.end(state, Goto::Ub);
            return Ok(Flow::Done);
        }
        let ty = &instruction.ty;
        let sym = match &instruction.op {
            Op::Alloca { size, count, .. } => {
                let Some(object) = self.memory.known(ObjectKind::Stack(id, instruction.id)) else {
                    return Ok(Flow::On);
                };
                let count = self.values.number(state, count, &Type::Int(64));
                return self.make_local(state, object, instruction.id, *size, &count);
            }
            Op::Load { .. } => self.loaded(state, instruction)?,
            Op::Store { .. } => return self.stored(state, instruction),
            Op::Gep { .. } => Some(self.element_address(state, instruction)?),
            Op::AtomicRmw { .. } => self.atomic(state, instruction)?,
            Op::CompareExchange { .. } => self.compare_exchange(state, instruction)?,
            Op::Binary { op, left, right, flags } => {
                let width = bits_of(ty, flat.module);
                Some(if !matches!(ty, Type::Int(w) if *w <= 128) {
                    self.values.any(state, ty, UnknownKind::Abstraction)
                } else if width == 1 {
                    let (a, b) = (self.values.condition(state, left), self.values.condition(state, right));
                    match op {
                        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Add | BinOp::Sub | BinOp::Mul => {
                            bit_operation(*op, &a, &b)
                        }
                        _ => self.values.any(state, ty, UnknownKind::Abstraction),
                    }
                } else {
                    self.values.arithmetic(state, Operation { op: *op, width, flags: *flags }, (left, right), ty)
                })
            }
            Op::Compare { .. } => Some(self.compared(state, instruction)?),
            Op::Cast { op, arg, from, flags } => {
                let conversion = Conversion { op: *op, arg, from, to: ty, flags: *flags };
                Some(self.values.cast(state, &conversion))
            }
            Op::Select { cond: Operand::Constant(Constant::Poison(_)), .. } => {
                let poison = Constant::Poison(ty.clone());
                Some(self.values.constant(state, &poison, ty))
            }
            Op::Select { cond, yes, no } => {
                let c = self.values.condition(state, cond);
                let (a, b) = (self.values.operand(state, yes, ty), self.values.operand(state, no, ty));
                Some(select(&c, &a, &b, bits_of(ty, flat.module)))
            }
            Op::Phi { .. } | Op::Fence => return Ok(Flow::On),
            // What is poison becomes some value. A constant is none; of what is computed that is not known.
            Op::Freeze { arg: Operand::Constant(c) } if !matches!(c, Constant::Undef(_) | Constant::Poison(_)) => {
                Some(self.values.constant(state, c, ty))
            }
            Op::Freeze { .. } | Op::LandingPad => Some(self.values.any(state, ty, UnknownKind::Environment)),
            Op::ExtractValue { aggregate, path } => Some(self.values.extract(state, aggregate, path, ty)),
            Op::InsertValue { aggregate, value, path } => Some(self.values.insert(state, (aggregate, value), path, ty)),
            Op::Float { op, left, right } => {
                let operands = [left, right.as_ref().unwrap_or(left)];
                Some(match self.values.float_operation(state, *op, operands, ty) {
                    Some(sym) => sym,
                    None => self.values.any(state, ty, UnknownKind::Abstraction),
                })
            }
            Op::FloatCompare { pred, left, right } => {
                let of = operand_type(flat.function(id), left);
                Some(match self.values.float_comparison(state, *pred, [left, right], &of) {
                    Some(c) => Sym::Cond(c),
                    None => self.values.any(state, ty, UnknownKind::Abstraction),
                })
            }
            Op::VaArg { .. } => {
                let span = state.span.clone();
                self.values.assume(
                    state,
                    AssumptionKind::Variadic,
                    "further arguments are as the function expects them",
                    span,
                );
                Some(self.values.any(state, ty, UnknownKind::Environment))
            }
            // Assembly that may jump, and memory of another address space.
            Op::Opaque { acts: true, .. } => {
                self.control.beyond_unless(&mut self.values, state, truth(false));
                return Ok(Flow::Done);
            }
            Op::Opaque { what, .. } => {
                let span = state.span.clone();
                self.values.assume(
                    state,
                    AssumptionKind::NoEffect,
                    &format!("`{what}` has no effect but its result"),
                    span,
                );
                Some(self.values.any(state, ty, UnknownKind::Abstraction))
            }
            Op::Call { .. } => return self.called(state, instruction),
        };
        let Some(sym) = sym else { return Ok(Flow::Done) };
        state.env.insert(result, sym);
        Ok(Flow::On)
    }

    fn called(&mut self, state: &mut State, instruction: &'m Instruction) -> Result<Flow, Split> {
        let Op::Call { callee, args, promises, promise, .. } = &instruction.op else { return Ok(Flow::On) };
        if let (Some(var), ModelUse::Observe) = (self.control.observed(), self.cx.model_use(state.at, callee)) {
            return Ok(self.observe(state, var, args));
        }
        for (a, promise) in args.iter().zip(promises) {
            if !self.pass_with(state, a, promise) {
                return Ok(Flow::Done);
            }
        }
        let result = self.cx.flat.value(state.at.instance, instruction.id);
        let flow = self.call(state, instruction)?;
        // A function that is entered promises it where it returns.
        if matches!(flow, Flow::On)
            && let Some(sym) = state.env.get(&result).cloned()
        {
            let Some(sym) = self.keep_promise(state, sym, promise) else { return Ok(Flow::Done) };
            state.env.insert(result, sym);
        }
        Ok(flow)
    }

    /// The address that a pointer operand of an access is.
    fn accessed(&mut self, state: &mut State, ptr: &Operand) -> Expr {
        self.values.number(state, ptr, &Type::Ptr).to(self.memory.address()).unpromised().clone()
    }

    /// What a load gives; nothing if nothing follows.
    fn loaded(&mut self, state: &mut State, instruction: &Instruction) -> Result<Option<Sym>, Split> {
        let Op::Load { ptr, size, align, volatile, atomic, promise, .. } = &instruction.op else { return Ok(None) };
        let id = state.at.instance;
        let targets = self.memory.targets(state, ptr);
        let pointer = self.accessed(state, ptr);
        if *volatile && self.values.is_register(state, &targets) {
            return Ok(Some(self.values.any(state, &instruction.ty, UnknownKind::Environment)));
        }
        state.direct = self.memory.is_direct(id, ptr);
        let access =
            Access { pointer: &pointer, targets: &targets, size: *size, align: *align, ty: Some(&instruction.ty) };
        let loaded = self.load(state, access, &instruction.ty);
        state.direct = false;
        let Some(sym) = loaded? else { return Ok(None) };
        let part = *size < u64::from(self.cx.flat.module.pointer_bits / 8) && {
            let outside = self.memory.known(ObjectKind::Outside);
            let result = self.cx.flat.value(id, instruction.id);
            self.memory.value(result).0.keys().any(|o| Some(*o) != outside)
        };
        let sym = if *volatile || *atomic || part {
            // A part of an address is a number that nobody knows.
            self.values.any(state, &instruction.ty, UnknownKind::Environment)
        } else {
            sym
        };
        let sym = match sym {
            // What memory from before holds leads to nothing that is made here, but by a store that is made here, too: an endless run that needs one is given up.
            Sym::Num(n)
                if instruction.ty == Type::Ptr && !self.cx.whole && self.memory.may_be_from_before(&targets) =>
            {
                let kept = self.memory.is_from_before(&n);
                let value = |kept| Expr::Promised { kept: Arc::new(kept), value: Arc::new(n.expr.clone()) };
                Sym::Num(Num::new(kept.map_or_else(|| n.expr.clone(), value), n.ty))
            }
            sym => sym,
        };
        Ok(self.keep_promise(state, sym, promise))
    }

    fn stored(&mut self, state: &mut State, instruction: &Instruction) -> Result<Flow, Split> {
        let Op::Store { value, ptr, ty, size, align, volatile, .. } = &instruction.op else { return Ok(Flow::On) };
        let targets = self.memory.targets(state, ptr);
        if *volatile && self.values.is_register(state, &targets) {
            return Ok(Flow::On);
        }
        let pointer = self.accessed(state, ptr);
        let sym = self.values.operand(state, value, ty);
        state.direct = self.memory.is_direct(state.at.instance, ptr);
        let access = Access { pointer: &pointer, targets: &targets, size: *size, align: *align, ty: Some(ty) };
        let stored = self.store(state, access, &sym, ty);
        state.direct = false;
        stored
    }

    /// `getelementptr`
    fn element_address(&mut self, state: &mut State, instruction: &Instruction) -> Result<Sym, Split> {
        let Op::Gep { base, offset, indices, flags } = &instruction.op else { return Ok(Sym::Nothing) };
        let address = self.memory.address();
        let mut sum = self.values.number(state, base, &Type::Ptr).to(address);
        // A promise about the base becomes one about the sum, which then has its usual form.
        let mut before = truth(true);
        while let Expr::Promised { kept, value } = sum {
            before = and(before, (*kept).clone());
            sum = (*value).clone();
        }
        let from = sum.clone();
        sum = self.memory.add_address(sum, *offset);
        for (i, scale) in indices {
            let ty = operand_type(self.cx.flat.function(state.at.instance), i);
            let value = self.values.number(state, i, &ty);
            let value = arith::sign_extend(&value, bits_of(&ty, self.cx.flat.module).clamp(1, 128));
            let factor = constant(*scale, address);
            let scaled = operate(BinaryOp::Mul, address, Overflow::Undefined, value.to(address), factor);
            sum = match scaled {
                Expr::Const(k, _) => self.memory.add_address(sum, k),
                scaled => operate(BinaryOp::Add, address, Overflow::Undefined, sum, scaled),
            };
        }
        let kept = if flags.inbounds { self.memory.stays_inside(state, base, (&from, &sum))? } else { truth(true) };
        // Without an unsigned carry it is not before its base.
        let rises = if flags.nuw && *offset >= 0 {
            let digits = IntType::unsigned(address.width);
            let number = |e: Expr| Num::new(e, address).to(digits);
            cmp(CmpOp::Ge, digits, number(sum.clone()), number(from))
        } else {
            truth(true)
        };
        let sum = match and(and(before, kept), rises) {
            Cond::Const(true) => sum,
            kept => Expr::promised(kept, sum),
        };
        Ok(Sym::Num(Num::new(sum, address)))
    }

    fn compared(&mut self, state: &mut State, instruction: &Instruction) -> Result<Sym, Split> {
        let Op::Compare { pred, left, right, ty, flags } = &instruction.op else { return Ok(Sym::Nothing) };
        let width = bits_of(ty, self.cx.flat.module);
        if !(matches!(ty, Type::Int(_) | Type::Ptr) && width <= 128) {
            return Ok(self.values.any(state, &instruction.ty, UnknownKind::Abstraction));
        }
        if width == 1 {
            let (a, b) = (self.values.condition(state, left), self.values.condition(state, right));
            return Ok(Sym::Cond(compare(*pred, 1, &bit(&a), &bit(&b))));
        }
        let comparison = Comparison { pred: *pred, left, right, ty, is_check: instruction.nosanitize };
        let c = self.values.comparison(state, &comparison)?;
        Ok(Sym::Cond(if flags.samesign { self.values.unless_signs_differ(state, &comparison, c) } else { c }))
    }

    /// What an `atomicrmw` gives; nothing if nothing follows.
    fn atomic(&mut self, state: &mut State, instruction: &Instruction) -> Result<Option<Sym>, Split> {
        let Op::AtomicRmw { op, ptr, value, size } = &instruction.op else { return Ok(None) };
        let ty = &instruction.ty;
        let targets = self.memory.targets(state, ptr);
        let pointer = self.accessed(state, ptr);
        let access = Access { pointer: &pointer, targets: &targets, size: *size, align: *size, ty: None };
        let Some(_) = self.load(state, access, ty)? else { return Ok(None) };
        let old = self.values.any(state, ty, UnknownKind::Environment);
        let operand = self.values.operand(state, value, ty);
        let computed = |op: BinOp, a: &Num, b: &Num| {
            Sym::Num(arith::binary(op, bits_of(ty, self.cx.flat.module), a, b, Flags::default()))
        };
        let new = match (op, &old, &operand) {
            (AtomicOp::Exchange, _, new) => new.clone(),
            (AtomicOp::Add, Sym::Num(a), Sym::Num(b)) => computed(BinOp::Add, a, b),
            (AtomicOp::Sub, Sym::Num(a), Sym::Num(b)) => computed(BinOp::Sub, a, b),
            _ => self.values.any(state, ty, UnknownKind::Environment),
        };
        Ok(match self.store(state, access, &new, ty)? {
            Flow::Done => None,
            Flow::On | Flow::To(_) => Some(old),
        })
    }

    /// What a `cmpxchg` gives; nothing if nothing follows.
    fn compare_exchange(&mut self, state: &mut State, instruction: &Instruction) -> Result<Option<Sym>, Split> {
        let Op::CompareExchange { ptr, new, size, .. } = &instruction.op else { return Ok(None) };
        let targets = self.memory.targets(state, ptr);
        let pointer = self.accessed(state, ptr);
        let ty = operand_type(self.cx.flat.function(state.at.instance), new);
        let access = Access { pointer: &pointer, targets: &targets, size: *size, align: *size, ty: None };
        let Some(_) = self.load(state, access, &ty)? else { return Ok(None) };
        let both = self.values.any(state, &instruction.ty, UnknownKind::Environment);
        let new = self.values.operand(state, new, &ty);
        if let Sym::Aggregate(parts) = &both
            && let [old, Sym::Cond(done)] = parts.as_slice()
        {
            let stored = select(done, &new, old, bits_of(&ty, self.cx.flat.module));
            if let Flow::Done = self.store(state, access, &stored, &ty)? {
                return Ok(None);
            }
        }
        Ok(Some(both))
    }

    /// A value is handed over with a promise, as an argument or a result: where it is not kept the run is undefined, or, if that is poison
    /// only, nothing is said of it. Whether anything follows.
    pub(super) fn pass_with(&mut self, state: &mut State, operand: &Operand, promise: &Promise) -> bool {
        if promise.defined && matches!(operand, Operand::Constant(Constant::Undef(_) | Constant::Poison(_))) {
            self.control.end(state, Goto::Ub);
            return false;
        }
        if promise.is_empty() {
            return true;
        }
        let ty = operand_type(self.cx.flat.function(state.at.instance), operand);
        let Sym::Num(value) = self.values.operand(state, operand, &ty) else { return true };
        let kept = kept(&value, promise);
        if promise.defined {
            self.control.require(state, kept)
        } else {
            self.control.beyond_unless(&mut self.values, state, kept)
        }
    }

    /// A value of which something is promised; where that is not kept it is poison, or the run is undefined and nothing follows.
    pub(super) fn keep_promise(&mut self, state: &mut State, sym: Sym, promise: &Promise) -> Option<Sym> {
        let Sym::Num(value) = sym else { return Some(sym) };
        if promise.is_empty() {
            return Some(Sym::Num(value));
        }
        let kept = kept(&value, promise);
        if promise.defined {
            return self.control.require(state, kept).then_some(Sym::Num(value));
        }
        Some(self.values.poison_where(state, not(kept), value))
    }
}

/// The condition that a value is what is promised of it.
pub(super) fn kept(value: &Num, promise: &Promise) -> Cond {
    let ty = IntType::unsigned(value.ty.width);
    let number = value.to(ty);
    let mut kept = truth(true);
    if promise.nonnull {
        kept = and(kept, cmp(CmpOp::Ne, ty, number.clone(), constant(0, ty)));
    }
    for ranges in &promise.ranges {
        let mut within = truth(false);
        for (width, low, high) in ranges {
            if *width != ty.width {
                within = truth(true);
                continue;
            }
            let from = cmp(CmpOp::Ge, ty, number.clone(), constant(*low, ty));
            let to = cmp(CmpOp::Lt, ty, number.clone(), constant(*high, ty));
            // One that wraps goes from the first to the largest, and from 0 on.
            within = or(within, if low < high { and(from, to) } else { or(from, to) });
        }
        kept = and(kept, within);
    }
    kept
}

/// Whether an instruction goes by a poison constant where LLVM says that this is undefined behaviour: as an address, a divisor or a
/// function. Elsewhere poison is only handed on; an aggregate is often begun with it.
fn decides_by_poison(op: &Op) -> bool {
    let poison = |o: &Operand| matches!(o, Operand::Constant(Constant::Poison(_)));
    match op {
        Op::Load { ptr, .. }
        | Op::Store { ptr, .. }
        | Op::AtomicRmw { ptr, .. }
        | Op::CompareExchange { ptr, .. }
        | Op::Call { callee: Callee::Pointer(ptr), .. } => poison(ptr),
        Op::Binary { op: BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem, right, .. } => poison(right),
        _ => false,
    }
}
