//! Instructions, one by one.

use super::arith::{self, Num, Sym, and, bit, cmp, compare, constant, low_bit};
use super::build::{Builder, Flow, Split, State};
use super::flat::InstanceId;
use super::layout::{Layout, Size};
use super::numbers::{bit_operation, select};
use super::points::{ObjectKind, Targets};
use super::values::{flatten, inner_type, leaf_range, operand_type};
use super::{bits_of, leaves_of, store_size};
use crate::module::{BinOp, Callee, Constant, Instruction, Op, Operand, Type, ValueId};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{CmpOp, Expr, Goto, MemUpdate, Overflow};

impl<'m> Builder<'_, 'm> {
    pub(super) fn execute(&mut self, state: &mut State, instruction: &'m Instruction) -> Result<Flow, Split> {
        let id = state.at.instance;
        let module = self.cx.flat.module;
        let result = self.cx.flat.value(id, instruction.id);
        let width = bits_of(&instruction.ty, module);
        if decides_by_poison(&instruction.op) {
            self.end(state, Goto::Ub);
            return Ok(Flow::Done);
        }
        let sym = match &instruction.op {
            Op::Alloca { size, count } => {
                let Some(object) = self.points.known(ObjectKind::Stack(id, instruction.id)) else {
                    return Ok(Flow::On);
                };
                let count = self.number(state, count, &Type::Int(64));
                return self.make_local(state, object, instruction.id, *size, &count);
            }
            Op::Load { ptr, size, align, volatile, atomic } => {
                let targets = self.targets(state, ptr);
                let pointer = self.number(state, ptr, &Type::Ptr).to(self.address());
                state.direct = self.is_direct(id, ptr);
                let loaded = self.load(state, &pointer, &targets, &instruction.ty, *size, *align);
                state.direct = false;
                let Some(sym) = loaded? else { return Ok(Flow::Done) };
                let part = *size < u64::from(module.pointer_bits / 8) && {
                    let outside = self.points.known(ObjectKind::Outside);
                    self.points.value(result).0.keys().any(|o| Some(*o) != outside)
                };
                if *volatile || *atomic || part {
                    // A part of an address is a number that nobody knows.
                    self.any(state, &instruction.ty, UnknownKind::Environment)
                } else {
                    sym
                }
            }
            Op::Store { value, ptr, ty, size, align, .. } => {
                let targets = self.targets(state, ptr);
                let pointer = self.number(state, ptr, &Type::Ptr).to(self.address());
                let sym = self.operand(state, value, ty);
                state.direct = self.is_direct(id, ptr);
                let stored = self.store(state, &pointer, &targets, &sym, ty, *size, *align);
                state.direct = false;
                return stored;
            }
            Op::Gep { base, offset, indices, .. } => {
                let address = self.address();
                let mut sum = self.number(state, base, &Type::Ptr).to(address);
                sum = self.add_address(sum, *offset);
                for (i, scale) in indices {
                    let ty = operand_type(self.cx.flat.function(id), i);
                    let value = self.number(state, i, &ty);
                    let value = arith::sign_extend(&value, bits_of(&ty, module).clamp(1, 128));
                    let scaled = arith::operate(
                        lariat_ir::neutral::BinaryOp::Mul,
                        address,
                        Overflow::Undefined,
                        value.to(address),
                        constant(*scale, address),
                    );
                    sum = match scaled {
                        Expr::Const(k, _) => self.add_address(sum, k),
                        scaled => {
                            arith::operate(lariat_ir::neutral::BinaryOp::Add, address, Overflow::Undefined, sum, scaled)
                        }
                    };
                }
                Sym::Num(Num::new(sum, address))
            }
            Op::Binary { op, left, right, flags } => {
                if !matches!(instruction.ty, Type::Int(w) if w <= 128) {
                    self.any(state, &instruction.ty, UnknownKind::Abstraction)
                } else if width == 1 {
                    let (a, b) = (self.condition(state, left), self.condition(state, right));
                    match op {
                        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Add | BinOp::Sub | BinOp::Mul => {
                            bit_operation(*op, &a, &b)
                        }
                        _ => self.any(state, &instruction.ty, UnknownKind::Abstraction),
                    }
                } else {
                    self.arithmetic(state, *op, width, (left, right), *flags, &instruction.ty)
                }
            }
            Op::Compare { pred, left, right, ty, flags } => {
                let width = bits_of(ty, module);
                if matches!(ty, Type::Int(_) | Type::Ptr) && width <= 128 {
                    if width == 1 {
                        let (a, b) = (self.condition(state, left), self.condition(state, right));
                        Sym::Cond(compare(*pred, 1, &bit(&a), &bit(&b)))
                    } else {
                        let c = self.comparison(state, *pred, left, right, ty, instruction.nosanitize);
                        Sym::Cond(if flags.samesign { self.unless_signs_differ(state, left, right, ty, c) } else { c })
                    }
                } else {
                    self.any(state, &instruction.ty, UnknownKind::Abstraction)
                }
            }
            Op::Cast { op, arg, from, flags } => self.cast(state, *op, arg, from, &instruction.ty, *flags),
            Op::Select { cond, yes, no } => {
                let c = self.condition(state, cond);
                let (a, b) = (self.operand(state, yes, &instruction.ty), self.operand(state, no, &instruction.ty));
                select(&c, &a, &b, width)
            }
            Op::Phi { .. } | Op::Fence => return Ok(Flow::On),
            Op::Freeze { arg } => self.operand(state, arg, &instruction.ty),
            Op::ExtractValue { aggregate, path } => {
                let ty = operand_type(self.cx.flat.function(id), aggregate);
                let (first, count) = leaf_range(&ty, path);
                match self.operand(state, aggregate, &ty) {
                    Sym::Aggregate(parts)
                        if count == 1 && !matches!(instruction.ty, Type::Struct(..) | Type::Array(..)) =>
                    {
                        parts.get(first).cloned().unwrap_or(Sym::Nothing)
                    }
                    Sym::Aggregate(parts) => Sym::Aggregate(parts.into_iter().skip(first).take(count).collect()),
                    _ => self.any(state, &instruction.ty, UnknownKind::Abstraction),
                }
            }
            Op::InsertValue { aggregate, value, path } => {
                let (first, count) = leaf_range(&instruction.ty, path);
                let inner = inner_type(&instruction.ty, path);
                let new = self.operand(state, value, &inner);
                match self.operand(state, aggregate, &instruction.ty) {
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
                    _ => self.any(state, &instruction.ty, UnknownKind::Abstraction),
                }
            }
            Op::Float { op, left, right } => {
                let operands = [left, right.as_ref().unwrap_or(left)];
                match self.float_operation(state, *op, operands, &instruction.ty) {
                    Some(sym) => sym,
                    None => self.any(state, &instruction.ty, UnknownKind::Abstraction),
                }
            }
            Op::FloatCompare { pred, left, right } => {
                let ty = operand_type(self.cx.flat.function(id), left);
                match self.float_comparison(state, pred, [left, right], &ty) {
                    Some(c) => Sym::Cond(c),
                    None => self.any(state, &instruction.ty, UnknownKind::Abstraction),
                }
            }
            Op::AtomicRmw { op, ptr, value, size } => {
                let targets = self.targets(state, ptr);
                let pointer = self.number(state, ptr, &Type::Ptr).to(self.address());
                let Some(_) = self.load(state, &pointer, &targets, &instruction.ty, *size, *size)? else {
                    return Ok(Flow::Done);
                };
                let old = self.any(state, &instruction.ty, UnknownKind::Environment);
                let operand = self.operand(state, value, &instruction.ty);
                let new = match (op.as_str(), &old, &operand) {
                    ("xchg", _, new) => new.clone(),
                    ("add", Sym::Num(a), Sym::Num(b)) => {
                        Sym::Num(arith::binary(BinOp::Add, width, a, b, crate::module::Flags::default()))
                    }
                    ("sub", Sym::Num(a), Sym::Num(b)) => {
                        Sym::Num(arith::binary(BinOp::Sub, width, a, b, crate::module::Flags::default()))
                    }
                    _ => self.any(state, &instruction.ty, UnknownKind::Environment),
                };
                let ty = instruction.ty.clone();
                if let Flow::Done = self.store(state, &pointer, &targets, &new, &ty, *size, *size)? {
                    return Ok(Flow::Done);
                }
                old
            }
            Op::CompareExchange { ptr, new, size, .. } => {
                let targets = self.targets(state, ptr);
                let pointer = self.number(state, ptr, &Type::Ptr).to(self.address());
                let ty = operand_type(self.cx.flat.function(id), new);
                let Some(_) = self.load(state, &pointer, &targets, &ty, *size, *size)? else { return Ok(Flow::Done) };
                let both = self.any(state, &instruction.ty, UnknownKind::Environment);
                let new = self.operand(state, new, &ty);
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
                self.assume(state, "further arguments are as the function expects them", span);
                self.any(state, &instruction.ty, UnknownKind::Environment)
            }
            Op::LandingPad => self.any(state, &instruction.ty, UnknownKind::Environment),
            Op::Opaque { what, args } => {
                let span = state.span.clone();
                self.assume(state, &format!("`{what}` has no effect but its result"), span);
                let _ = args;
                self.any(state, &instruction.ty, UnknownKind::Abstraction)
            }
            Op::Call { callee, args, .. } => {
                if let (Some(var), super::ModelUse::Intrinsic("lariat.observe")) =
                    (self.observed, self.cx.model_use(state.at, callee))
                {
                    return Ok(self.observe(state, var, args));
                }
                return self.call(state, instruction);
            }
        };
        state.env.insert(result, sym);
        Ok(Flow::On)
    }

    /// Whether an address is that of a local object that the function calls by its name.
    pub(super) fn is_direct(&self, instance: InstanceId, operand: &Operand) -> bool {
        let Operand::Value(v) = operand else { return false };
        let function = self.cx.flat.function(instance);
        let Some(first) = (v.0 as usize).checked_sub(function.params.len()) else {
            return function.params[v.0 as usize].byval.is_some();
        };
        let mut n = first;
        for block in &function.blocks {
            if let Some(i) = block.instructions.get(n) {
                return match &i.op {
                    Op::Alloca { .. } => true,
                    Op::Gep { base, .. } => self.is_direct(instance, base),
                    _ => false,
                };
            }
            n -= block.instructions.len();
        }
        false
    }

    /// A new local object: nothing is known of its content.
    #[expect(clippy::unnecessary_wraps, reason = "every instruction has this form")]
    pub(super) fn make_local(
        &mut self,
        state: &mut State,
        id: super::points::ObjectId,
        value: ValueId,
        element: u64,
        count: &Num,
    ) -> Result<Flow, Split> {
        let object = self.memory.object(id).clone();
        let ty = self.address();
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
                cmp(CmpOp::Le, ty, size.clone(), constant(self.largest_of_all(), ty)),
            );
            if !self.require(state, possible) {
                return Ok(Flow::Done);
            }
            let largest = if object.many.is_some() { self.memory.largest.1 } else { self.memory.largest.0 };
            if IBig::from(largest) < self.largest_of_all()
                && !self.beyond_unless(state, cmp(CmpOp::Le, ty, size.clone(), constant(largest, ty)))
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
            self.forget_new(state, id, &base);
            self.set_latest(state, state.at.instance, value, base);
        } else {
            state.env.insert(flat, Sym::Num(Num::constant(object.base.clone(), ty)));
            self.forget_fresh(state, id);
        }
        self.set_alive(state, id, value, true);
        Ok(Flow::On)
    }

    /// The content of an object that has just been made.
    pub(super) fn forget_fresh(&mut self, state: &mut State, id: super::points::ObjectId) {
        match &self.memory.object(id).layout {
            Layout::Scalars(_) => self.forget(state, id, UnknownKind::Environment),
            Layout::Region(_) => {
                let base = constant(self.memory.object(id).base.clone(), self.address());
                self.forget_new(state, id, &base);
            }
        }
    }

    /// The content of a new object in an array. What was never written has the array's first content, of which nobody knows
    /// anything; but where the array is an input in part, and where the object may have been there before, it is forgotten.
    pub(super) fn forget_new(&mut self, state: &mut State, id: super::points::ObjectId, base: &Expr) {
        let object = self.memory.object(id).clone();
        let Layout::Region(n) = object.layout else { return };
        let region = self.memory.regions[n].clone();
        let again = object.many.is_none() && self.cx.on_cycle(state.at);
        let input = region.objects.iter().any(|o| self.memory.object(*o).kind == ObjectKind::Outside);
        if !again && !input {
            return;
        }
        let targets = Targets([(id, super::points::Offsets::Exact(vec![0]))].into());
        let pieces = match object.size {
            Size::Constant(size) => self.pieces(&targets, base, size),
            _ => None,
        };
        let Some(pieces) = pieces else {
            let alone = region.objects.len() == 1;
            let kind = if alone { UnknownKind::Environment } else { UnknownKind::Abstraction };
            self.forget(state, id, kind);
            return;
        };
        for (d, size) in pieces {
            let first = i64::try_from(d).unwrap_or(0);
            let first = if region.stride > 0 { first.rem_euclid(region.stride) } else { first };
            let field = region.fields.iter().find(|f| region.bytes || f.size == size && f.first == first);
            let Some(field) = field.cloned() else { continue };
            let value = self.unknown(state, "content", field.ty, UnknownKind::Environment, None);
            let address = self.add_address(base.clone(), d);
            state.stores.push(MemUpdate::Store { mem: field.mem, address, value: value.expr });
        }
    }

    /// The address of a further object of which there are many.
    pub(super) fn next_of_many(&mut self, state: &mut State, id: super::points::ObjectId) -> Option<Expr> {
        let object = self.memory.object(id).clone();
        let many = object.many.as_ref()?;
        let ty = self.address();
        let base = state.var(many.next);
        let limit = constant(&many.limit - &many.step, ty);
        if !self.beyond_unless(state, cmp(CmpOp::Lt, ty, base.clone(), limit)) {
            return None;
        }
        state.set(many.next, self.add_address(base.clone(), many.step.clone()));
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
        if !self.somewhere(state, pointer, targets) {
            return Ok(None);
        }
        if super::is_huge(ty) {
            let valid = self.range_valid(state, pointer, targets, &constant(size, self.address()))?;
            if !self.require(state, valid) {
                return Ok(None);
            }
            return Ok(Some(self.any(state, ty, UnknownKind::Abstraction)));
        }
        for (offset, leaf) in &leaves {
            let (bytes, align) = if single { (size, align) } else { (store_size(leaf, self.cx.flat.module), 1) };
            let at = self.add_address(pointer.clone(), *offset);
            let moved = super::layout::shift(targets, *offset);
            let resolved = self.resolve(state, &at, &moved, bytes, align)?;
            let value = self.read(state, &resolved, bytes)?;
            if !self.require(state, resolved.valid) {
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
        if !self.somewhere(state, pointer, targets) {
            return Ok(Flow::Done);
        }
        if super::is_huge(ty) {
            let valid = self.range_valid(state, pointer, targets, &constant(size, self.address()))?;
            if !self.require(state, valid) {
                return Ok(Flow::Done);
            }
            self.forget_all(state, targets, UnknownKind::Abstraction);
            return Ok(Flow::On);
        }
        for ((offset, leaf), part) in leaves.iter().zip(parts) {
            let (bytes, align) = if single { (size, align) } else { (store_size(leaf, self.cx.flat.module), 1) };
            let at = self.add_address(pointer.clone(), *offset);
            let moved = super::layout::shift(targets, *offset);
            state.writing = true;
            let resolved = self.resolve(state, &at, &moved, bytes, align);
            state.writing = false;
            let resolved = resolved?;
            let part = match leaf {
                Type::Int(w) if u64::from(*w) < bytes * 8 => arith::zero_extend(&part, *w),
                _ => part,
            };
            if !self.require(state, resolved.valid.clone()) {
                return Ok(Flow::Done);
            }
            self.write(state, &resolved, bytes, &part)?;
        }
        Ok(Flow::On)
    }
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
