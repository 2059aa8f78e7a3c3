//! A run of a module, instruction by instruction: what the machine does, with the inputs of the native run.
//!
//! Where something happens that is not followed, or that C leaves undefined, the run ends there: nothing is guessed. Values that nobody
//! has written are carried along, and end the run where they decide something.

use super::arithmetic::mask;
use super::arithmetic::{compare, float, float_compare, number, signed, single};
use super::memory::{Area, Memory, Refused, Typed, typed};
use super::values::{get, put, short, size_of, undefined_parts, width_of, zero};
use crate::cfuzz::native::OBSERVATIONS;
use lariat_front::module::{
    BinOp, BlockId, Callee, Constant, FloatKind, Function, FunctionId, Instruction, Module, Op, Operand, Terminator,
    Type, ValueId,
};
use std::collections::BTreeMap;

/// A value of an instruction.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Val {
    /// The bits of a number or an address.
    Bits(u128),
    /// The members of a struct or an array.
    Parts(Vec<Val>),
    /// One that nobody has written.
    Undef,
}

/// Why a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// `main` returned.
    Exit,
    /// `abort`, `exit`, a failed assertion.
    Trap,
    /// It was long enough.
    Limit,
    /// From here on it is not followed.
    Lost(String),
    /// The behaviour is undefined.
    Undefined(String),
}

impl From<Refused> for Halt {
    fn from(why: Refused) -> Self {
        Self::Undefined(why.to_owned())
    }
}

pub(super) fn lost<T>(why: impl Into<String>) -> Result<T, Halt> {
    Err(Halt::Lost(why.into()))
}

pub(super) fn undefined<T>(why: &str) -> Result<T, Halt> {
    Err(Halt::Undefined(why.to_owned()))
}

/// An activation of a function.
pub(super) struct Frame {
    pub(super) function: usize,
    block: usize,
    at: usize,
    pub(super) values: Vec<Val>,
    /// What arrives at each `phi`.
    pub(super) arriving: BTreeMap<ValueId, Val>,
    /// The objects of the activation, and where the stack was before.
    pub(super) objects: Vec<u64>,
    stack: u64,
    /// The arguments that have no parameter.
    pub(super) more: Vec<(Val, Type)>,
    /// Who it is, among all.
    pub(super) serial: u64,
}

/// Hears of each block that is entered.
pub(super) trait Watcher {
    /// A block is entered in the innermost activation.
    fn enter(&mut self, machine: &Machine<'_>, block: usize);
    /// An activation is left.
    fn leave(&mut self, serial: u64);
}

/// How many instructions a run has at most, and how many without an observation.
const FUEL: u64 = 150_000;
const SILENCE: u64 = 40_000;
/// How many activations there are at once, and how many bytes an object has.
const DEPTH: usize = 200;
pub(super) const LARGEST: u64 = 1 << 16;

const FUNCTIONS: u64 = 0x40_0000;
const BLOCKS: u64 = 0x1_0000_0000;

pub(super) struct Machine<'a> {
    module: &'a Module,
    pub(super) memory: Memory,
    pub(super) frames: Vec<Frame>,
    pub(super) observed: Vec<i64>,
    pub(super) input_seed: u64,
    /// How many observations may be made.
    pub(super) most: usize,
    /// Whether a signed number overflowed.
    pub(super) overflowed: bool,
    /// Whether addresses were looked at as numbers: what is observed may depend on them.
    pub(super) looked_at_addresses: bool,
    globals: Vec<u64>,
    serial: u64,
}

impl<'a> Machine<'a> {
    pub(super) fn new(module: &'a Module, input_seed: u64, most: usize, reuses: bool) -> Self {
        let mut this = Self {
            module,
            memory: Memory::new(reuses),
            frames: Vec::new(),
            observed: Vec::new(),
            input_seed,
            most: most.min(OBSERVATIONS),
            overflowed: false,
            looked_at_addresses: false,
            globals: Vec::new(),
            serial: 0,
        };
        for g in &module.globals {
            let size = if g.init.is_some() && g.size <= LARGEST { g.size } else { 0 };
            this.globals.push(this.memory.allocate(Area::Globals, size, g.align, false));
        }
        // The registers of a device, as the harness has them.
        this.memory.insert(0x1000_0000, 4096, false);
        for n in 0..512 {
            let zero = [Some(0); 8];
            let _ = this.memory.write(0x1000_0000 + 8 * n, &zero, |_| None);
        }
        this
    }

    pub(super) fn global(&self, g: usize) -> u64 {
        self.globals[g]
    }

    fn fill_globals(&mut self) -> Result<(), Halt> {
        for (n, g) in self.module.globals.iter().enumerate() {
            if let Some(init) = &g.init
                && g.size <= LARGEST
            {
                let value = self.constant(init, &g.ty);
                let mut bytes = vec![Some(0); usize::try_from(g.size).expect("it is small")];
                // What is not understood is in a global that may not be used.
                match value {
                    Ok(v) => put(&v, &g.ty, &mut bytes)?,
                    Err(_) => bytes.fill(None),
                }
                self.memory.write(self.globals[n], &bytes, |_| None)?;
                if g.constant {
                    self.memory.seal(self.globals[n]);
                }
            }
        }
        Ok(())
    }

    /// Runs an entry to its end.
    pub(super) fn run(&mut self, entry: FunctionId, watcher: &mut dyn Watcher) -> Halt {
        let started = self.fill_globals().and_then(|()| self.call(entry.0 as usize, Vec::new(), Vec::new()));
        if let Err(halt) = started {
            return halt;
        }
        watcher.enter(self, 0);
        let mut silent = 0;
        let mut before = 0;
        for _ in 0..FUEL {
            silent = if self.observed.len() > before { 0 } else { silent + 1 };
            before = self.observed.len();
            if silent > SILENCE {
                break;
            }
            if let Err(halt) = self.step(watcher) {
                return halt;
            }
        }
        Halt::Limit
    }

    fn function(&self) -> &'a Function {
        &self.module.functions[self.frame().function]
    }
    pub(super) fn frame(&self) -> &Frame {
        self.frames.last().expect("something runs")
    }
    /// The activation that called this one.
    pub(super) fn caller(&self) -> Option<&Frame> {
        self.frames.iter().rev().nth(1)
    }
    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("something runs")
    }

    fn step(&mut self, watcher: &mut dyn Watcher) -> Result<(), Halt> {
        let function = self.function();
        let (b, at) = (self.frame().block, self.frame().at);
        let block = &function.blocks[b];
        if let Some(i) = block.instructions.get(at) {
            self.frame_mut().at += 1;
            let depth = self.frames.len();
            self.instruction(function, i)?;
            if self.frames.len() > depth {
                watcher.enter(self, 0);
            }
            return Ok(());
        }
        let to = match &block.terminator {
            Terminator::Jump(to) => *to,
            Terminator::Branch { cond, yes, no } => {
                let c = self.bits(cond, &Type::Int(1))?;
                if c & 1 == 1 { *yes } else { *no }
            }
            Terminator::Switch { value, width, cases, default } => {
                let v = self.bits(value, &Type::Int(*width))?;
                cases.iter().find(|(k, _)| *k & mask(*width) == v).map_or(*default, |(_, to)| *to)
            }
            Terminator::IndirectJump { address, targets } => {
                let a = self.bits(address, &Type::Ptr)?;
                let f = self.frame().function;
                let is = |t: &&BlockId| u128::from(block_address(f, **t)) == a;
                match targets.iter().find(is) {
                    Some(to) => *to,
                    None => return undefined("a jump to no label"),
                }
            }
            Terminator::Return(value) => {
                let value = match value {
                    Some(v) => self.operand(v, &function.result)?,
                    None => Val::Undef,
                };
                return self.give_back(value, watcher);
            }
            Terminator::Unreachable => return undefined("what is unreachable is reached"),
            Terminator::Invoke { .. } | Terminator::Resume | Terminator::Opaque { .. } => {
                return lost("exceptions");
            }
        };
        self.arrive(function, b)?;
        let frame = self.frame_mut();
        (frame.block, frame.at) = (to.0 as usize, 0);
        watcher.enter(self, to.0 as usize);
        Ok(())
    }

    /// Leaves what arrives at the blocks behind a block.
    fn arrive(&mut self, function: &'a Function, b: usize) -> Result<(), Halt> {
        let targets: Vec<BlockId> = match &function.blocks[b].terminator {
            Terminator::Jump(to) => vec![*to],
            Terminator::Branch { yes, no, .. } => vec![*yes, *no],
            Terminator::Switch { cases, default, .. } => cases.iter().map(|(_, t)| *t).chain([*default]).collect(),
            Terminator::IndirectJump { targets, .. } => targets.clone(),
            _ => Vec::new(),
        };
        for to in targets {
            for i in &function.blocks[to.0 as usize].instructions {
                let Op::Phi { incoming } = &i.op else { break };
                if let Some((_, o)) = incoming.iter().find(|(from, _)| from.0 as usize == b) {
                    let value = self.operand(o, &i.ty)?;
                    self.frame_mut().arriving.insert(i.id, value);
                }
            }
        }
        Ok(())
    }

    fn give_back(&mut self, value: Val, watcher: &mut dyn Watcher) -> Result<(), Halt> {
        let frame = self.frames.pop().expect("something runs");
        watcher.leave(frame.serial);
        for at in &frame.objects {
            self.memory.live(*at, false);
        }
        if self.memory.reuses() {
            self.memory.remove(&frame.objects);
            self.memory.stack = frame.stack;
        }
        if self.frames.is_empty() {
            return Err(Halt::Exit);
        }
        let function = self.function();
        let caller = self.frame();
        let i = &function.blocks[caller.block].instructions[caller.at - 1];
        self.set(i, value);
        Ok(())
    }

    pub(super) fn set(&mut self, i: &Instruction, value: Val) {
        let value = match value {
            Val::Bits(b) if width_of(&i.ty) > 0 => Val::Bits(b & mask(width_of(&i.ty))),
            other => other,
        };
        self.frame_mut().values[i.id.0 as usize] = value;
    }

    fn call(&mut self, f: usize, args: Vec<Val>, more: Vec<(Val, Type)>) -> Result<(), Halt> {
        if self.frames.len() >= DEPTH {
            return lost("a deep recursion");
        }
        let function = &self.module.functions[f];
        if args.len() != function.params.len() {
            return undefined("a call with other arguments");
        }
        let mut values = vec![Val::Undef; function.value_count()];
        let stack = self.memory.stack;
        let mut objects = Vec::new();
        for (n, (a, p)) in args.into_iter().zip(&function.params).enumerate() {
            values[n] = a;
            if let (Some(size), Val::Bits(from)) = (p.byval, &values[n]) {
                let bytes = self.memory.read(short(*from), size)?.to_vec();
                let types = self.memory.types(short(*from), size)?.to_vec();
                let copy = self.memory.allocate(Area::Stack, size, p.align, false);
                self.memory.write(copy, &bytes, |n| types[n].clone())?;
                objects.push(copy);
                values[n] = Val::Bits(u128::from(copy));
            }
        }
        self.serial += 1;
        let arriving = BTreeMap::new();
        let serial = self.serial;
        self.frames.push(Frame { function: f, block: 0, at: 0, values, arriving, objects, stack, more, serial });
        Ok(())
    }

    pub(super) fn operand(&mut self, o: &Operand, ty: &Type) -> Result<Val, Halt> {
        match o {
            Operand::Value(v) => Ok(self.frame().values[v.0 as usize].clone()),
            Operand::Constant(c) => self.constant(c, ty),
        }
    }

    /// The bits of an operand that decides something.
    fn bits(&mut self, o: &Operand, ty: &Type) -> Result<u128, Halt> {
        match self.operand(o, ty)? {
            Val::Bits(b) => Ok(b),
            Val::Undef => lost("a value that nobody has written decides"),
            Val::Parts(_) => lost("an aggregate"),
        }
    }

    fn address(&mut self, o: &Operand) -> Result<u64, Halt> {
        self.bits(o, &Type::Ptr).map(short)
    }

    fn constant(&mut self, c: &Constant, ty: &Type) -> Result<Val, Halt> {
        Ok(match c {
            Constant::Int(w, bits) => Val::Bits(bits & mask(*w)),
            Constant::Float(FloatKind::Single | FloatKind::Double, bits) => Val::Bits(*bits),
            Constant::Null => Val::Bits(0),
            Constant::Undef(_) | Constant::Poison(_) => Val::Undef,
            Constant::Global(g, offset) => {
                Val::Bits(u128::from(self.globals[g.0 as usize].wrapping_add_signed(*offset)))
            }
            Constant::Function(f) => Val::Bits(u128::from(FUNCTIONS + 16 * u64::from(f.0))),
            Constant::Block(f, b) => Val::Bits(u128::from(block_address(f.0 as usize, *b))),
            Constant::PtrToInt(c, w) => {
                self.looked_at_addresses = true;
                match self.constant(c, &Type::Ptr)? {
                    Val::Bits(b) => Val::Bits(b & mask(*w)),
                    other => other,
                }
            }
            Constant::IntToPtr(c) => self.constant(c, &Type::Int(64))?,
            Constant::Zero(of) => zero(of),
            Constant::Bytes(bytes) => Val::Parts(bytes.iter().map(|b| Val::Bits(u128::from(*b))).collect()),
            Constant::Aggregate(of, parts) => {
                let mut all = Vec::new();
                for (n, p) in parts.iter().enumerate() {
                    let inner = match of {
                        Type::Struct(members, _) => members.get(n).map_or(Type::Void, |m| m.1.clone()),
                        Type::Array(of, ..) => (**of).clone(),
                        _ => return lost("a vector"),
                    };
                    all.push(self.constant(p, &inner)?);
                }
                Val::Parts(all)
            }
            Constant::Float(..) => return lost("a float of another kind"),
            Constant::Opaque(..) => return lost(format!("a constant of type {ty:?}")),
        })
    }

    fn load(&mut self, address: u64, ty: &Type) -> Result<Val, Halt> {
        get(self.memory.read(address, size_of(ty))?, ty)
    }

    fn store(&mut self, address: u64, size: u64, value: &Val, ty: &Type, by: Option<&Typed>) -> Result<(), Halt> {
        let mut bytes = vec![None; usize::try_from(size).expect("it is small")];
        put(value, ty, &mut bytes)?;
        self.memory.write(address, &bytes, |_| by.cloned())?;
        Ok(())
    }

    pub(super) fn copy(&mut self, to: u64, from: u64, n: u64, may_overlap: bool) -> Result<(), Halt> {
        if n == 0 {
            return Ok(());
        }
        if !may_overlap && to != from && to.abs_diff(from) < n {
            return undefined("memcpy of what overlaps");
        }
        let bytes = self.memory.read(from, n)?.to_vec();
        let types = self.memory.types(from, n)?.to_vec();
        // What is declared keeps its type (C11, 6.5p6).
        let is_declared = !Memory::is_heap(to);
        self.memory.write(to, &bytes, |n| types[n].clone().filter(|_| !is_declared))?;
        Ok(())
    }

    fn instruction(&mut self, function: &'a Function, i: &'a Instruction) -> Result<(), Halt> {
        let value = match &i.op {
            Op::Alloca { size, count, align } => {
                let count = self.bits(count, &Type::Int(64))?;
                let Some(bytes) = u64::try_from(count).ok().and_then(|n| n.checked_mul(*size)) else {
                    return lost("a large object");
                };
                if bytes > LARGEST {
                    return lost("a large object");
                }
                let at = self.memory.allocate(Area::Stack, bytes, *align, false);
                self.frame_mut().objects.push(at);
                Val::Bits(u128::from(at))
            }
            Op::Load { ptr, size, align, atomic: false, by, .. } => {
                let address = self.address(ptr)?;
                if !address.is_multiple_of(*align) {
                    return undefined("an access that is not aligned");
                }
                if let Some(by) = typed(by, *size)
                    && !self.memory.agrees(address, *size, &by.0)
                {
                    return undefined(EFFECTIVE_TYPE);
                }
                self.load(address, &i.ty)?
            }
            Op::Store { value, ptr, ty, size, align, atomic: false, by, .. } => {
                let address = self.address(ptr)?;
                if !address.is_multiple_of(*align) {
                    return undefined("an access that is not aligned");
                }
                let value = self.operand(value, ty)?;
                return self.store(address, *size, &value, ty, typed(by, *size).as_ref());
            }
            Op::Gep { base, offset, indices, flags } => {
                self.element(function, (base, *offset, indices), flags.inbounds)?
            }
            Op::Binary { op, left, right, flags } => {
                let width = width_of(&i.ty);
                if width == 0 {
                    return lost("a vector");
                }
                match (self.operand(left, &i.ty)?, self.operand(right, &i.ty)?) {
                    (Val::Bits(a), Val::Bits(b)) => Val::Bits(self.binary(*op, width, a, b, *flags)?),
                    (_, Val::Undef) if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) => {
                        return lost("a value that nobody has written decides");
                    }
                    _ => Val::Undef,
                }
            }
            Op::Compare { pred, left, right, ty, .. } => {
                let width = width_of(ty);
                match (self.operand(left, ty)?, self.operand(right, ty)?) {
                    (Val::Bits(a), Val::Bits(b)) => {
                        if *ty == Type::Ptr && self.memory.object_of(short(a)) != self.memory.object_of(short(b)) {
                            self.looked_at_addresses |= a != 0 && b != 0;
                        }
                        Val::Bits(u128::from(compare(*pred, width, a, b)))
                    }
                    _ => Val::Undef,
                }
            }
            Op::Float { op, left, right } => {
                let a = self.operand(left, &i.ty)?;
                let b = match right {
                    Some(r) => self.operand(r, &i.ty)?,
                    None => Val::Bits(0),
                };
                match (a, b, &i.ty) {
                    (Val::Bits(a), Val::Bits(b), Type::Float(FloatKind::Double)) => {
                        let (x, y) = (f64::from_bits(short(a)), f64::from_bits(short(b)));
                        Val::Bits(u128::from(float(*op, x, y).to_bits()))
                    }
                    (Val::Bits(a), Val::Bits(b), Type::Float(FloatKind::Single)) => {
                        let (x, y) = (single(a), single(b));
                        Val::Bits(u128::from(float(*op, x, y).to_bits()))
                    }
                    (Val::Undef, ..) | (_, Val::Undef, _) => Val::Undef,
                    _ => return lost("a float of another kind"),
                }
            }
            Op::FloatCompare { pred, left, right } => {
                let ty = type_of(function, left);
                let (a, b) = (self.operand(left, &ty)?, self.operand(right, &ty)?);
                match (number(&a, &ty), number(&b, &ty)) {
                    (Some(x), Some(y)) => Val::Bits(u128::from(float_compare(*pred, x, y))),
                    _ => return lost("a float of another kind"),
                }
            }
            Op::Cast { op, arg, from, .. } => self.cast(*op, arg, from, &i.ty)?,
            Op::Select { cond, yes, no } => {
                let c = self.bits(cond, &Type::Int(1))?;
                self.operand(if c & 1 == 1 { yes } else { no }, &i.ty)?
            }
            Op::Phi { .. } => self.frame().arriving.get(&i.id).cloned().unwrap_or(Val::Undef),
            Op::Freeze { arg } => match self.operand(arg, &i.ty)? {
                Val::Undef => return lost("a value that nobody has written decides"),
                known => known,
            },
            Op::ExtractValue { aggregate, path } => {
                let ty = type_of(function, aggregate);
                let mut v = self.operand(aggregate, &ty)?;
                for p in path {
                    v = match v {
                        Val::Parts(mut parts) if (*p as usize) < parts.len() => parts.swap_remove(*p as usize),
                        _ => Val::Undef,
                    };
                }
                v
            }
            Op::InsertValue { aggregate, value, path } => {
                let mut whole = match self.operand(aggregate, &i.ty)? {
                    Val::Undef => undefined_parts(&i.ty),
                    known => known,
                };
                let inner = type_of(function, value);
                let value = self.operand(value, &inner)?;
                let mut slot = &mut whole;
                for p in path {
                    let Val::Parts(parts) = slot else { return lost("an aggregate") };
                    slot = match parts.get_mut(*p as usize) {
                        Some(s) => s,
                        None => return lost("an aggregate"),
                    };
                }
                *slot = value;
                whole
            }
            Op::Call { .. } => return self.called(function, i),
            Op::Fence => return Ok(()),
            Op::Load { .. } | Op::Store { .. } | Op::AtomicRmw { .. } | Op::CompareExchange { .. } => {
                return lost("atomics");
            }
            Op::VaArg { .. } | Op::LandingPad => return lost("an instruction"),
            Op::Opaque { what, .. } => return lost(format!("the instruction `{what}`")),
        };
        self.set(i, value);
        Ok(())
    }

    fn element(
        &mut self,
        function: &Function,
        (base, offset, indices): (&Operand, i64, &[(Operand, i64)]),
        inbounds: bool,
    ) -> Result<Val, Halt> {
        let Val::Bits(base) = self.operand(base, &Type::Ptr)? else { return Ok(Val::Undef) };
        let mut sum = i128::from(short(base)) + i128::from(offset);
        for (o, scale) in indices {
            let ty = type_of(function, o);
            let Val::Bits(n) = self.operand(o, &ty)? else { return Ok(Val::Undef) };
            sum += signed(n, width_of(&ty)) * i128::from(*scale);
        }
        let to = u64::try_from(sum);
        if inbounds && sum != i128::from(short(base)) {
            let object = self.memory.object_of(short(base));
            if object.is_none() || to.ok().and_then(|t| self.memory.object_of(t)) != object {
                return undefined("an address leaves its object");
            }
        }
        Ok(Val::Bits(sum.cast_unsigned() & mask(64)))
    }

    fn called(&mut self, function: &'a Function, i: &'a Instruction) -> Result<(), Halt> {
        let Op::Call { callee, args, returns_twice, .. } = &i.op else { return Ok(()) };
        if *returns_twice {
            return lost("`setjmp`");
        }
        let f = match callee {
            Callee::Function(f) => f.0 as usize,
            Callee::Asm(_) => return lost("assembly"),
            Callee::Pointer(p) => {
                let at = self.address(p)?;
                let n = at.wrapping_sub(FUNCTIONS) / 16;
                if at < FUNCTIONS || !at.is_multiple_of(16) || n >= self.module.functions.len() as u64 {
                    return undefined("a call of no function");
                }
                usize::try_from(n).expect("there are few")
            }
        };
        let target = &self.module.functions[f];
        let types: Vec<Type> = args.iter().map(|a| type_of(function, a)).collect();
        let mut values = Vec::new();
        for (a, ty) in args.iter().zip(&types) {
            values.push(self.operand(a, ty)?);
        }
        if let Some(intrinsic) = target.intrinsic {
            return self.intrinsic(intrinsic, (target, i), &values, &types);
        }
        if target.blocks.is_empty() {
            return self.library(target, i, &values);
        }
        if target.params.iter().zip(&types).any(|(p, t)| p.ty != *t) || target.result != i.ty {
            return undefined("a call by another type");
        }
        let extra = values.split_off(target.params.len().min(values.len()));
        let more = extra.into_iter().zip(types.into_iter().skip(target.params.len())).collect();
        self.call(f, values, more)
    }
}

/// What is said where memory is read by another type than it was written by.
pub(super) const EFFECTIVE_TYPE: &str = "memory is read by another type than it was written by";

fn block_address(f: usize, b: BlockId) -> u64 {
    BLOCKS + ((f as u64) << 20) + 16 * u64::from(b.0)
}

fn type_of(function: &Function, o: &Operand) -> Type {
    match o {
        Operand::Value(v) => {
            let n = v.0 as usize;
            if let Some(p) = function.params.get(n) {
                return p.ty.clone();
            }
            let all = function.blocks.iter().flat_map(|b| &b.instructions);
            all.into_iter().find(|i| i.id == *v).map_or(Type::Void, |i| i.ty.clone())
        }
        Operand::Constant(c) => match c {
            Constant::Int(w, _) | Constant::PtrToInt(_, w) => Type::Int(*w),
            Constant::Float(k, _) => Type::Float(*k),
            Constant::Undef(t) | Constant::Poison(t) | Constant::Zero(t) | Constant::Aggregate(t, _) => t.clone(),
            Constant::Opaque(t, _) => t.clone(),
            Constant::Bytes(b) => Type::Array(Box::new(Type::Int(8)), b.len() as u64, 1),
            _ => Type::Ptr,
        },
    }
}
