//! Instructions, one by one.

use super::build::Builder;
use super::memory::layout::{Size, shift};
use super::points::{ObjectId, ObjectKind, Targets};
use super::state::{Flow, Split, State};
use super::values::arith::{self, Num, Sym, and, bit, cmp, compare, constant, low_bit, not, or, truth};
use super::values::numbers::{bit_operation, select};
use super::values::{flatten, inner_type, leaf_range, operand_type};
use super::{ModelUse, bits_of, is_huge, leaves_of, store_size};
use crate::module::{BinOp, Callee, Constant, Instruction, Op, Operand, Promise, Type, ValueId};
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{CmpOp, Cond, Expr, Goto, IntType, MemUpdate, Overflow};

impl<'m> Builder<'_, 'm> {
    pub(super) fn execute(&mut self, state: &mut State, instruction: &'m Instruction) -> Result<Flow, Split> {
        let id = state.at.instance;
        let module = self.cx.flat.module;
        let result = self.cx.flat.value(id, instruction.id);
        let width = bits_of(&instruction.ty, module);
        if decides_by_poison(&instruction.op) {
            self.control.end(state, Goto::Ub);
            return Ok(Flow::Done);
        }
        let sym = match &instruction.op {
            Op::Alloca { size, count, .. } => {
                let Some(object) = self.memory.known(ObjectKind::Stack(id, instruction.id)) else {
                    return Ok(Flow::On);
                };
                let count = self.values.number(state, count, &Type::Int(64));
                return self.make_local(state, object, instruction.id, *size, &count);
            }
            Op::Load { ptr, size, align, volatile, atomic, promise } => {
                let targets = self.memory.targets(state, ptr);
                let pointer = self.values.number(state, ptr, &Type::Ptr).to(self.memory.address()).unpromised().clone();
                if *volatile && self.values.is_register(state, &targets) {
                    let sym = self.values.any(state, &instruction.ty, UnknownKind::Environment);
                    state.env.insert(result, sym);
                    return Ok(Flow::On);
                }
                state.direct = self.memory.is_direct(id, ptr);
                let loaded = self.load(state, &pointer, &targets, &instruction.ty, *size, *align);
                state.direct = false;
                let Some(sym) = loaded? else { return Ok(Flow::Done) };
                let part = *size < u64::from(module.pointer_bits / 8) && {
                    let outside = self.memory.known(ObjectKind::Outside);
                    self.memory.value(result).0.keys().any(|o| Some(*o) != outside)
                };
                let sym = if *volatile || *atomic || part {
                    // A part of an address is a number that nobody knows.
                    self.values.any(state, &instruction.ty, UnknownKind::Environment)
                } else {
                    sym
                };
                match self.keep_promise(state, sym, promise) {
                    Some(sym) => sym,
                    None => return Ok(Flow::Done),
                }
            }
            Op::Store { value, ptr, ty, size, align, volatile, .. } => {
                let targets = self.memory.targets(state, ptr);
                if *volatile && self.values.is_register(state, &targets) {
                    return Ok(Flow::On);
                }
                let pointer = self.values.number(state, ptr, &Type::Ptr).to(self.memory.address()).unpromised().clone();
                let sym = self.values.operand(state, value, ty);
                state.direct = self.memory.is_direct(id, ptr);
                let stored = self.store(state, &pointer, &targets, &sym, ty, *size, *align);
                state.direct = false;
                return stored;
            }
            Op::Gep { base, offset, indices, flags } => {
                let address = self.memory.address();
                let mut sum = self.values.number(state, base, &Type::Ptr).to(address);
                // A promise about the base becomes one about the sum, which then has its usual form.
                let mut before = truth(true);
                while let Expr::Promised { kept, value } = sum {
                    before = and(before, (*kept).clone());
                    sum = (*value).clone();
                }
                sum = self.memory.add_address(sum, *offset);
                for (i, scale) in indices {
                    let ty = operand_type(self.cx.flat.function(id), i);
                    let value = self.values.number(state, i, &ty);
                    let value = arith::sign_extend(&value, bits_of(&ty, module).clamp(1, 128));
                    let scaled = arith::operate(
                        lariat_ir::neutral::BinaryOp::Mul,
                        address,
                        Overflow::Undefined,
                        value.to(address),
                        constant(*scale, address),
                    );
                    sum = match scaled {
                        Expr::Const(k, _) => self.memory.add_address(sum, k),
                        scaled => {
                            arith::operate(lariat_ir::neutral::BinaryOp::Add, address, Overflow::Undefined, sum, scaled)
                        }
                    };
                }
                let kept = if flags.inbounds { self.memory.stays_inside(state, base, &sum)? } else { truth(true) };
                let sum = match and(before, kept) {
                    Cond::Const(true) => sum,
                    kept => Expr::promised(kept, sum),
                };
                Sym::Num(Num::new(sum, address))
            }
            Op::Binary { op, left, right, flags } => {
                if !matches!(instruction.ty, Type::Int(w) if w <= 128) {
                    self.values.any(state, &instruction.ty, UnknownKind::Abstraction)
                } else if width == 1 {
                    let (a, b) = (self.values.condition(state, left), self.values.condition(state, right));
                    match op {
                        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Add | BinOp::Sub | BinOp::Mul => {
                            bit_operation(*op, &a, &b)
                        }
                        _ => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
                    }
                } else {
                    self.values.arithmetic(state, *op, width, (left, right), *flags, &instruction.ty)
                }
            }
            Op::Compare { pred, left, right, ty, flags } => {
                let width = bits_of(ty, module);
                if matches!(ty, Type::Int(_) | Type::Ptr) && width <= 128 {
                    if width == 1 {
                        let (a, b) = (self.values.condition(state, left), self.values.condition(state, right));
                        Sym::Cond(compare(*pred, 1, &bit(&a), &bit(&b)))
                    } else {
                        let c = self.values.comparison(state, *pred, left, right, ty, instruction.nosanitize)?;
                        Sym::Cond(if flags.samesign {
                            self.values.unless_signs_differ(state, left, right, ty, c)
                        } else {
                            c
                        })
                    }
                } else {
                    self.values.any(state, &instruction.ty, UnknownKind::Abstraction)
                }
            }
            Op::Cast { op, arg, from, flags } => self.values.cast(state, *op, arg, from, &instruction.ty, *flags),
            Op::Select { cond: Operand::Constant(Constant::Poison(_)), .. } => {
                let poison = Constant::Poison(instruction.ty.clone());
                self.values.constant(state, &poison, &instruction.ty)
            }
            Op::Select { cond, yes, no } => {
                let c = self.values.condition(state, cond);
                let (a, b) =
                    (self.values.operand(state, yes, &instruction.ty), self.values.operand(state, no, &instruction.ty));
                select(&c, &a, &b, width)
            }
            Op::Phi { .. } | Op::Fence => return Ok(Flow::On),
            // What is poison becomes some value. A constant is none; of what is computed that is not known.
            Op::Freeze { arg: Operand::Constant(c) } if !matches!(c, Constant::Undef(_) | Constant::Poison(_)) => {
                self.values.constant(state, c, &instruction.ty)
            }
            Op::Freeze { .. } => self.values.any(state, &instruction.ty, UnknownKind::Environment),
            Op::ExtractValue { aggregate, path } => {
                let ty = operand_type(self.cx.flat.function(id), aggregate);
                let (first, count) = leaf_range(&ty, path);
                match self.values.operand(state, aggregate, &ty) {
                    Sym::Aggregate(parts)
                        if count == 1 && !matches!(instruction.ty, Type::Struct(..) | Type::Array(..)) =>
                    {
                        parts.get(first).cloned().unwrap_or(Sym::Nothing)
                    }
                    Sym::Aggregate(parts) => Sym::Aggregate(parts.into_iter().skip(first).take(count).collect()),
                    _ => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
                }
            }
            Op::InsertValue { aggregate, value, path } => {
                let (first, count) = leaf_range(&instruction.ty, path);
                let inner = inner_type(&instruction.ty, path);
                let new = self.values.operand(state, value, &inner);
                match self.values.operand(state, aggregate, &instruction.ty) {
                    Sym::Aggregate(mut parts) => {
                        let new = match new {
                            Sym::Aggregate(list) => list,
                            one => vec![one],
                        };
                        if first + count <= parts.len() && new.len() == count {
                            parts.splice(first..first + count, new);
                        }
                        Sym::Aggregate(parts)
                    }
                    _ => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
                }
            }
            Op::Float { op, left, right } => {
                let operands = [left, right.as_ref().unwrap_or(left)];
                match self.values.float_operation(state, *op, operands, &instruction.ty) {
                    Some(sym) => sym,
                    None => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
                }
            }
            Op::FloatCompare { pred, left, right } => {
                let ty = operand_type(self.cx.flat.function(id), left);
                match self.values.float_comparison(state, pred, [left, right], &ty) {
                    Some(c) => Sym::Cond(c),
                    None => self.values.any(state, &instruction.ty, UnknownKind::Abstraction),
                }
            }
            Op::AtomicRmw { op, ptr, value, size } => {
                let targets = self.memory.targets(state, ptr);
                let pointer = self.values.number(state, ptr, &Type::Ptr).to(self.memory.address()).unpromised().clone();
                let Some(_) = self.load(state, &pointer, &targets, &instruction.ty, *size, *size)? else {
                    return Ok(Flow::Done);
                };
                let old = self.values.any(state, &instruction.ty, UnknownKind::Environment);
                let operand = self.values.operand(state, value, &instruction.ty);
                let new = match (op.as_str(), &old, &operand) {
                    ("xchg", _, new) => new.clone(),
                    ("add", Sym::Num(a), Sym::Num(b)) => {
                        Sym::Num(arith::binary(BinOp::Add, width, a, b, crate::module::Flags::default()))
                    }
                    ("sub", Sym::Num(a), Sym::Num(b)) => {
                        Sym::Num(arith::binary(BinOp::Sub, width, a, b, crate::module::Flags::default()))
                    }
                    _ => self.values.any(state, &instruction.ty, UnknownKind::Environment),
                };
                let ty = instruction.ty.clone();
                if let Flow::Done = self.store(state, &pointer, &targets, &new, &ty, *size, *size)? {
                    return Ok(Flow::Done);
                }
                old
            }
            Op::CompareExchange { ptr, new, size, .. } => {
                let targets = self.memory.targets(state, ptr);
                let pointer = self.values.number(state, ptr, &Type::Ptr).to(self.memory.address()).unpromised().clone();
                let ty = operand_type(self.cx.flat.function(id), new);
                let Some(_) = self.load(state, &pointer, &targets, &ty, *size, *size)? else { return Ok(Flow::Done) };
                let both = self.values.any(state, &instruction.ty, UnknownKind::Environment);
                let new = self.values.operand(state, new, &ty);
                if let Sym::Aggregate(parts) = &both
                    && let [old, Sym::Cond(done)] = parts.as_slice()
                {
                    let stored = select(done, &new, old, bits_of(&ty, module));
                    if let Flow::Done = self.store(state, &pointer, &targets, &stored, &ty, *size, *size)? {
                        return Ok(Flow::Done);
                    }
                }
                both
            }
            Op::VaArg { .. } => {
                let span = state.span.clone();
                self.values.assume(state, "further arguments are as the function expects them", span);
                self.values.any(state, &instruction.ty, UnknownKind::Environment)
            }
            Op::LandingPad => self.values.any(state, &instruction.ty, UnknownKind::Environment),
            Op::Opaque { what, args } => {
                let span = state.span.clone();
                self.values.assume(state, &format!("`{what}` has no effect but its result"), span);
                let _ = args;
                self.values.any(state, &instruction.ty, UnknownKind::Abstraction)
            }
            Op::Call { callee, args, promises, promise, .. } => {
                if let (Some(var), ModelUse::Observe) = (self.control.observed(), self.cx.model_use(state.at, callee)) {
                    return Ok(self.observe(state, var, args));
                }
                for (a, promise) in args.iter().zip(promises) {
                    if !self.pass_with(state, a, promise) {
                        return Ok(Flow::Done);
                    }
                }
                let flow = self.call(state, instruction)?;
                // A function that is entered promises it where it returns.
                if matches!(flow, Flow::On)
                    && let Some(sym) = state.env.get(&result).cloned()
                {
                    let Some(sym) = self.keep_promise(state, sym, promise) else { return Ok(Flow::Done) };
                    state.env.insert(result, sym);
                }
                return Ok(flow);
            }
        };
        state.env.insert(result, sym);
        Ok(Flow::On)
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

    /// A new local object: nothing is known of its content.
    #[expect(clippy::unnecessary_wraps, reason = "every instruction has this form")]
    pub(super) fn make_local(
        &mut self,
        state: &mut State,
        id: ObjectId,
        value: ValueId,
        element: u64,
        count: &Num,
    ) -> Result<Flow, Split> {
        let object = self.memory.object(id).clone();
        let ty = self.memory.address();
        let flat = self.cx.flat.value(state.at.instance, value);
        if let Size::Constant(_) = object.size {
        } else {
            let size = arith::operate(
                lariat_ir::neutral::BinaryOp::Mul,
                ty,
                Overflow::Undefined,
                count.to(ty),
                constant(element, ty),
            );
            // A negative size, or more than there is, is undefined; for less there may still be no model addresses.
            let possible = and(
                cmp(CmpOp::Ge, ty, size.clone(), constant(0, ty)),
                cmp(CmpOp::Le, ty, size.clone(), constant(self.memory.largest_of_all(), ty)),
            );
            if !self.control.require(state, possible) {
                return Ok(Flow::Done);
            }
            let largest = self.memory.largest_one(&object);
            if largest < self.memory.largest_of_all()
                && !self.control.beyond_unless(
                    &mut self.values,
                    state,
                    cmp(CmpOp::Le, ty, size.clone(), constant(largest, ty)),
                )
            {
                return Ok(Flow::Done);
            }
            match object.size {
                Size::Var(v) => state.set(v, size),
                Size::Mem(m) => {
                    let base = object
                        .many
                        .as_ref()
                        .map_or_else(|| constant(object.base.clone(), ty), |many| state.var(many.next));
                    state.stores.push(MemUpdate::Store { mem: m, address: base, value: size });
                }
                Size::Constant(_) => {}
            }
        }
        if object.many.is_some() {
            let Some(base) = self.next_of_many(state, id) else { return Ok(Flow::Done) };
            self.memory.forget_new(&mut self.values, state, id, &base);
            self.values.set_latest(state, state.at.instance, value, base);
        } else {
            state.env.insert(flat, Sym::Num(Num::constant(object.base.clone(), ty)));
            self.memory.forget_fresh(&mut self.values, state, id);
        }
        self.memory.set_alive(&mut self.values, state, id, value, true);
        Ok(Flow::On)
    }

    /// The address of a further object of which there are many.
    pub(super) fn next_of_many(&mut self, state: &mut State, id: ObjectId) -> Option<Expr> {
        let object = self.memory.object(id).clone();
        let many = object.many.as_ref()?;
        let ty = self.memory.address();
        let base = state.var(many.next);
        let limit = constant(&many.limit - &many.step, ty);
        if !self.control.beyond_unless(&mut self.values, state, cmp(CmpOp::Lt, ty, base.clone(), limit)) {
            return None;
        }
        state.set(many.next, self.memory.add_address(base.clone(), many.step.clone()));
        Some(base)
    }

    /// Loads a value; nothing if the access is undefined on this way.
    pub(super) fn load(
        &mut self,
        state: &mut State,
        pointer: &Expr,
        targets: &Targets,
        ty: &Type,
        size: u64,
        align: u64,
    ) -> Result<Option<Sym>, Split> {
        let leaves = leaves_of(ty);
        let single = leaves.len() == 1 && leaves[0].0 == 0;
        let mut parts = Vec::new();
        if !self.control.somewhere(&mut self.values, state, pointer, targets) {
            return Ok(None);
        }
        if is_huge(ty) {
            let valid = self.memory.range_valid(state, pointer, targets, &constant(size, self.memory.address()))?;
            if !self.control.require(state, valid) {
                return Ok(None);
            }
            return Ok(Some(self.values.any(state, ty, UnknownKind::Abstraction)));
        }
        for (offset, leaf) in &leaves {
            let (bytes, align) = if single { (size, align) } else { (store_size(leaf, self.cx.flat.module), 1) };
            let at = self.memory.add_address(pointer.clone(), *offset);
            let moved = shift(targets, *offset);
            let resolved = self.memory.resolve(state, &at, &moved, bytes, align)?;
            let value = self.memory.read(&mut self.values, state, &resolved, bytes)?;
            if !self.control.require(state, resolved.valid) {
                return Ok(None);
            }
            parts.push(match leaf {
                Type::Int(1) => Sym::Cond(low_bit(&value)),
                Type::Int(w) if u64::from(*w) < bytes * 8 => Sym::Num(arith::truncate(&value, *w)),
                _ => Sym::Num(value),
            });
        }
        Ok(Some(if matches!(ty, Type::Struct(..) | Type::Array(..)) {
            Sym::Aggregate(parts)
        } else {
            parts.pop().unwrap_or(Sym::Nothing)
        }))
    }

    /// Stores a value.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of LLVM's store")]
    pub(super) fn store(
        &mut self,
        state: &mut State,
        pointer: &Expr,
        targets: &Targets,
        value: &Sym,
        ty: &Type,
        size: u64,
        align: u64,
    ) -> Result<Flow, Split> {
        let leaves = leaves_of(ty);
        let single = leaves.len() == 1 && leaves[0].0 == 0;
        let mut parts = Vec::new();
        flatten(value, &mut parts);
        if !self.control.somewhere(&mut self.values, state, pointer, targets) {
            return Ok(Flow::Done);
        }
        if is_huge(ty) {
            let valid = self.memory.range_valid(state, pointer, targets, &constant(size, self.memory.address()))?;
            if !self.control.require(state, valid) {
                return Ok(Flow::Done);
            }
            self.memory.forget_all(&mut self.values, state, targets, UnknownKind::Abstraction);
            return Ok(Flow::On);
        }
        for ((offset, leaf), part) in leaves.iter().zip(parts) {
            let (bytes, align) = if single { (size, align) } else { (store_size(leaf, self.cx.flat.module), 1) };
            let at = self.memory.add_address(pointer.clone(), *offset);
            let moved = shift(targets, *offset);
            state.writing = true;
            let resolved = self.memory.resolve(state, &at, &moved, bytes, align);
            state.writing = false;
            let resolved = resolved?;
            let part = match leaf {
                Type::Int(w) if u64::from(*w) < bytes * 8 => arith::zero_extend(&part, *w),
                _ => part,
            };
            if !self.control.require(state, resolved.valid.clone()) {
                return Ok(Flow::Done);
            }
            self.memory.write(&mut self.values, state, &resolved, bytes, &part)?;
        }
        Ok(Flow::On)
    }
}

/// The condition that a value is what is promised of it.
fn kept(value: &Num, promise: &Promise) -> Cond {
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
