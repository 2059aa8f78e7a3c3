//! From instruction bytes to p-code, with Ghidra's SLEIGH.
//!
//! Two decoders have to agree on every instruction: iced-x86, which also knows what an instruction reads and writes, and
//! SLEIGH. What they disagree about is opaque. SLEIGH remembers what it decoded by address, even after the bytes there have
//! changed, so an address is lifted once and other bytes at it are refused.

use crate::cpu::{FS_BASE, GS_BASE};
use crate::memory::Memory;
use crate::native::place_of;
use crate::pcode::{Arith, Op, REGISTERS, Slot, SlotKind, TEMPORARIES, TEMPORARY};
use crate::stop::Stop;
use iced_x86::{Code, Decoder, DecoderOptions, EncodingKind, FlowControl, Instruction, Mnemonic, OpKind, Register};
use lariat_ir::fast::{FastMap, FastSet};
use libsla::{
    Address, AddressSpace, AddressSpaceType, BoolOp, GhidraSleigh, InstructionLoader, IntOp, IntSign, OpCode,
    PcodeInstruction, PseudoOp, Sleigh, VarnodeData,
};
use std::rc::Rc;

/// An instruction, ready to be run.
#[derive(Debug)]
pub struct Lifted {
    /// Its address.
    pub address: u64,
    /// Its length in bytes.
    pub len: u32,
    /// As the other decoder sees it.
    pub(crate) decoded: Instruction,
    pub(crate) body: Body,
    /// What the address of the operand in memory has to be a multiple of, and which operand that is.
    pub(crate) alignment: u32,
    pub(crate) operand: u32,
    /// Whether it divides: what does not fit raises an exception, which p-code does not know.
    pub(crate) divides: bool,
    /// The flags that it reads, those that it sets, and those of them whose value is not known afterwards.
    pub(crate) flags: [u32; 3],
}

#[derive(Debug)]
pub(crate) enum Body {
    Ops(Vec<Op>),
    /// Has an effect only on the processor that runs it.
    Native,
    /// Gives values that nobody can foretell.
    Fresh,
    Stop(Stop),
}

impl Lifted {
    /// Where the next instruction is.
    pub fn next(&self) -> u64 {
        self.address.wrapping_add(u64::from(self.len))
    }
    /// As text.
    pub fn text(&self) -> String {
        text(&self.decoded)
    }
    /// Whether control may leave to elsewhere than the next instruction.
    pub(crate) fn branches(&self) -> bool {
        self.decoded.flow_control() != FlowControl::Next
    }
}

/// An instruction as an assembler writes it.
pub(crate) fn text(instruction: &Instruction) -> String {
    let mut out = String::new();
    iced_x86::FastFormatter::new().format(instruction, &mut out);
    out
}

/// The lifter with what it lifted.
pub struct Lifter {
    sleigh: GhidraSleigh,
    code: AddressSpace,
    known: FastMap<u64, (Vec<u8>, Rc<Lifted>)>,
    /// What was found to be still the same since the last capture.
    current: FastSet<u64>,
}

struct Bytes<'a> {
    address: u64,
    bytes: &'a [u8],
}

impl InstructionLoader for Bytes<'_> {
    fn load_instruction_bytes(&self, source: &VarnodeData) -> Result<Vec<u8>, String> {
        let from = source.address.offset.wrapping_sub(self.address);
        let from = usize::try_from(from).ok().filter(|f| *f < self.bytes.len()).ok_or("no such bytes")?;
        let mut found = self.bytes[from..].to_vec();
        // SLEIGH looks ahead further than an instruction is long; what it sees there does not matter.
        found.resize(source.size, 0x90);
        Ok(found)
    }
}

impl Lifter {
    /// A lifter for 64-bit code. Takes half a second.
    pub fn new() -> Self {
        let builder = GhidraSleigh::builder()
            .processor_spec(sleigh_config::processor_x86::PSPEC_X86_64)
            .expect("the processor specification is built in");
        let sleigh = builder.build(sleigh_config::processor_x86::SLA_X86_64).expect("the instruction set is built in");
        let code = sleigh.default_code_space();
        Self { sleigh, code, known: FastMap::default(), current: FastSet::default() }
    }

    /// The instruction at an address.
    pub fn lift(&mut self, memory: &mut Memory, address: u64) -> Result<Rc<Lifted>, Stop> {
        if let Some((bytes, lifted)) = self.known.get(&address) {
            if self.current.insert(address) && !memory.code(address)?.starts_with(bytes) {
                self.current.remove(&address);
                return Err(Stop::SelfModifying(address));
            }
            return Ok(lifted.clone());
        }
        let bytes = memory.code(address)?;
        self.current.insert(address);
        let lifted = Rc::new(self.lift_bytes(address, &bytes)?);
        let used = bytes[..lifted.len as usize].to_vec();
        self.known.insert(address, (used, lifted.clone()));
        Ok(lifted)
    }

    /// Another state is looked at: its code may be another.
    pub(crate) fn begin(&mut self) {
        self.current.clear();
    }

    /// The code that was lifted, by address.
    pub fn code(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.known.iter().map(|(a, (b, _))| (*a, b.as_slice()))
    }

    pub(crate) fn lift_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<Lifted, Stop> {
        let decoded = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
        if decoded.is_invalid() {
            return Err(Stop::Trap(format!("no instruction at {address:#x}")));
        }
        let len = u32::try_from(decoded.len()).expect("an instruction has at most fifteen bytes");
        let body = match special(&decoded) {
            Some(body) => body,
            None => self.semantics(address, bytes, &decoded),
        };
        let (alignment, operand) = alignment(&decoded);
        let flags = [decoded.rflags_read(), decoded.rflags_modified(), decoded.rflags_undefined()];
        let divides = matches!(decoded.mnemonic(), Mnemonic::Div | Mnemonic::Idiv);
        Ok(Lifted { address, len, decoded, body, alignment, operand, divides, flags })
    }

    /// From now on nobody may read these flags after this instruction: its p-code has them wrong.
    pub(crate) fn distrust_flags(&mut self, lifted: &Rc<Lifted>, wrong: u32) -> Rc<Lifted> {
        let Body::Ops(ops) = &lifted.body else { return lifted.clone() };
        let (body, decoded) = (Body::Ops(ops.clone()), lifted.decoded);
        let Lifted { address, len, alignment, operand, divides, flags, .. } = **lifted;
        let flags = [flags[0], flags[1], flags[2] | wrong];
        self.replace(Lifted { address, len, decoded, body, alignment, operand, divides, flags })
    }

    /// From now on this instruction runs on the processor: its p-code was found wanting.
    pub(crate) fn distrust(&mut self, lifted: &Lifted) -> Rc<Lifted> {
        let (body, decoded) = (Body::Native, lifted.decoded);
        let Lifted { address, len, alignment, operand, divides, flags, .. } = *lifted;
        self.replace(Lifted { address, len, decoded, body, alignment, operand, divides, flags })
    }

    fn replace(&mut self, lifted: Lifted) -> Rc<Lifted> {
        let other = Rc::new(lifted);
        if let Some((_, known)) = self.known.get_mut(&other.address) {
            *known = other.clone();
        }
        other
    }

    fn semantics(&mut self, address: u64, bytes: &[u8], decoded: &Instruction) -> Body {
        let loader = Bytes { address, bytes };
        let Ok(found) = self.sleigh.disassemble_pcode(&loader, Address::new(self.code.clone(), address)) else {
            return Body::Native;
        };
        if found.origin.size != decoded.len() {
            return opaque(decoded);
        }
        let mut out = Translation::default();
        for op in &found.instructions {
            out.starts.push(out.ops.len());
            if out.translate(op, decoded).is_none() {
                return opaque(decoded);
            }
        }
        out.starts.push(out.ops.len());
        match out.resolve() {
            Some(ops) => Body::Ops(ops),
            None => Body::Stop(Stop::Opaque(text(decoded))),
        }
    }
}

impl Default for Lifter {
    fn default() -> Self {
        Self::new()
    }
}

/// An instruction without p-code: the processor knows it, unless it is one that changes control flow.
fn opaque(decoded: &Instruction) -> Body {
    if decoded.flow_control() == FlowControl::Next { Body::Native } else { Body::Stop(Stop::Opaque(text(decoded))) }
}

/// What an operand in memory has to be aligned to, and its number.
fn alignment(i: &Instruction) -> (u32, u32) {
    use Mnemonic::{
        Movapd, Movaps, Movdqa, Movntdq, Movntdqa, Movntpd, Movntps, Vmovapd, Vmovaps, Vmovdqa, Vmovdqa32, Vmovdqa64,
        Vmovntdq, Vmovntdqa, Vmovntpd, Vmovntps,
    };
    let Some(operand) = (0..i.op_count()).find(|n| i.op_kind(*n) == OpKind::Memory) else { return (1, 0) };
    let size = u32::try_from(i.memory_size().size()).unwrap_or(1);
    let always = [
        Movaps, Movapd, Movdqa, Movntdq, Movntdqa, Movntps, Movntpd, Vmovaps, Vmovapd, Vmovdqa, Vmovdqa32, Vmovdqa64,
        Vmovntdq, Vmovntdqa, Vmovntps, Vmovntpd,
    ];
    let never = [Mnemonic::Movups, Mnemonic::Movupd, Mnemonic::Movdqu, Mnemonic::Lddqu];
    let old = i.encoding() == EncodingKind::Legacy && size == 16 && !never.contains(&i.mnemonic());
    let old = old && i.mnemonic() != Mnemonic::Cmpxchg8b;
    if always.contains(&i.mnemonic()) || old { (size.max(1), operand) } else { (1, operand) }
}

/// Whether an operand is a register that the emulator does not have: a selector, a control or debug register, a bound, a tile.
pub(crate) fn names_unknown_register(i: &Instruction) -> bool {
    let known = |r: Register| r.is_gpr() || r.is_vector_register() || r.is_k() || r.is_st() || r.is_mm();
    (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Register && !known(i.op_register(n)))
}

/// Instructions whose results differ each time, or with the processor that runs them.
pub(crate) fn gives_fresh_values(i: &Instruction) -> bool {
    use Mnemonic::{Cpuid, Rdpid, Rdrand, Rdseed, Rdtsc, Rdtscp};
    [Cpuid, Rdpid, Rdrand, Rdseed, Rdtsc, Rdtscp].contains(&i.mnemonic())
}

/// Whether [`special`] has operations for it. They are right by definition, and are not compared with the processor, which
/// would read our own segment bases.
pub(crate) fn by_hand(i: &Instruction) -> bool {
    matches!(special(i), Some(Body::Ops(_)))
}

/// A segment base goes to a general register. It is the target's: ptrace gives it, and no instruction that is followed
/// changes it. Into half a register it goes without its upper half, and the register's is cleared.
fn base_to_register(i: &Instruction, base: u32) -> Body {
    let register = i.op0_register();
    let Some((offset, size)) = place_of(register) else { return Body::Stop(Stop::Opaque(text(i))) };
    let to = Slot { place: SlotKind::File(offset), size: 8 };
    Body::Ops(vec![Op::Move { to, from: Slot { place: SlotKind::File(base), size }, skip: 0 }])
}

/// Instructions that SLEIGH is not asked about.
fn special(i: &Instruction) -> Option<Body> {
    let m = i.mnemonic();
    if gives_fresh_values(i) {
        return Some(Body::Fresh);
    }
    if names_unknown_register(i) {
        return Some(Body::Stop(Stop::Opaque(text(i))));
    }
    Some(match m {
        Mnemonic::Rdfsbase => base_to_register(i, FS_BASE),
        Mnemonic::Rdgsbase => base_to_register(i, GS_BASE),
        // What they do is a matter of speed and order, not of values.
        Mnemonic::Nop
        | Mnemonic::Pause
        | Mnemonic::Endbr64
        | Mnemonic::Mfence
        | Mnemonic::Lfence
        | Mnemonic::Sfence => Body::Ops(Vec::new()),
        Mnemonic::Prefetchnta
        | Mnemonic::Prefetcht0
        | Mnemonic::Prefetcht1
        | Mnemonic::Prefetcht2
        | Mnemonic::Prefetchw => Body::Ops(Vec::new()),
        // They read AF, which has no p-code.
        Mnemonic::Pushf | Mnemonic::Pushfq | Mnemonic::Lahf => Body::Stop(Stop::Opaque(text(i))),
        Mnemonic::Rdpmc | Mnemonic::Rdsspd | Mnemonic::Rdsspq => Body::Stop(Stop::Opaque(text(i))),
        Mnemonic::Syscall | Mnemonic::Sysenter | Mnemonic::Int => Body::Stop(Stop::SystemCall(u64::MAX)),
        Mnemonic::Int3 | Mnemonic::Int1 | Mnemonic::Ud2 | Mnemonic::Hlt => Body::Stop(Stop::Trap(text(i))),
        _ if i.code() == Code::INVALID => Body::Stop(Stop::Opaque(text(i))),
        // Fixed by hand: SLEIGH keeps the upper half of the destination.
        Mnemonic::Kmovd | Mnemonic::Kmovw | Mnemonic::Kmovb | Mnemonic::Kmovq => Body::Native,
        _ => return None,
    })
}

#[derive(Default)]
struct Translation {
    ops: Vec<Op>,
    /// Where the operations of each p-code operation start.
    starts: Vec<usize>,
    /// The granule of each temporary.
    temporaries: Vec<u64>,
    extra: u32,
}

impl Translation {
    fn slot(&mut self, v: &VarnodeData) -> Option<Slot> {
        let size = u32::try_from(v.size).ok()?;
        let offset = v.address.offset;
        let place = match v.address.address_space.space_type {
            AddressSpaceType::Constant => SlotKind::Constant(offset),
            AddressSpaceType::Internal => {
                let granule = offset / u64::from(TEMPORARY);
                let index = self.temporaries.iter().position(|g| *g == granule).unwrap_or_else(|| {
                    self.temporaries.push(granule);
                    self.temporaries.len() - 1
                });
                // The upper half of the temporaries is for what stands in memory.
                let index = u32::try_from(index).ok().filter(|i| *i < TEMPORARIES / 2)?;
                let inside = u32::try_from(offset % u64::from(TEMPORARY)).ok()?;
                SlotKind::File(REGISTERS + index * TEMPORARY + inside).within(size, TEMPORARY - inside)?
            }
            AddressSpaceType::Processor if v.address.address_space.name == "register" => {
                let offset = u32::try_from(offset).ok().filter(|o| o + size <= REGISTERS)?;
                SlotKind::File(offset)
            }
            _ => return None,
        };
        Some(Slot { place, size })
    }

    fn is_memory(v: &VarnodeData) -> bool {
        v.address.address_space.name == "ram"
    }

    /// A temporary for an operand in memory.
    fn stand_in(&mut self, size: u32) -> Option<Slot> {
        let index = TEMPORARIES / 2 + self.extra;
        self.extra += 1;
        (index < TEMPORARIES && size <= TEMPORARY)
            .then_some(Slot { place: SlotKind::File(REGISTERS + index * TEMPORARY), size })
    }

    fn input(&mut self, v: &VarnodeData) -> Option<Slot> {
        if !Self::is_memory(v) {
            return self.slot(v);
        }
        let to = self.stand_in(u32::try_from(v.size).ok()?)?;
        let pointer = Slot { place: SlotKind::Constant(v.address.offset), size: 8 };
        self.ops.push(Op::Load { to, pointer });
        Some(to)
    }

    fn translate(&mut self, op: &PcodeInstruction, decoded: &Instruction) -> Option<()> {
        match op.op_code {
            OpCode::Branch | OpCode::Call => return self.branch(None, &op.inputs[0]),
            OpCode::BranchConditional => {
                let when = self.input(&op.inputs[1])?;
                return self.branch(Some(when), &op.inputs[0]);
            }
            OpCode::BranchIndirect | OpCode::CallIndirect | OpCode::Return => {
                let target = self.input(&op.inputs[0])?;
                self.ops.push(Op::JumpTo { target });
                return Some(());
            }
            OpCode::Store => {
                let pointer = self.input(&op.inputs[1])?;
                let from = self.input(&op.inputs[2])?;
                self.ops.push(Op::Store { pointer, from });
                return Some(());
            }
            // The marks around a locked instruction: this thread sees no difference.
            OpCode::Pseudo(PseudoOp::CallOther) if op.output.is_none() && is_locked(decoded) => return Some(()),
            _ => {}
        }
        let out = op.output.as_ref()?;
        let in_memory = Self::is_memory(out);
        let to = if in_memory { self.stand_in(u32::try_from(out.size).ok()?)? } else { self.slot(out)? };
        match op.op_code {
            OpCode::Load => {
                let pointer = self.input(&op.inputs[1])?;
                self.ops.push(Op::Load { to, pointer });
            }
            OpCode::Copy | OpCode::Int(IntOp::Extension(IntSign::Unsigned)) => {
                let from = self.input(&op.inputs[0])?;
                self.ops.push(Op::Move { to, from, skip: 0 });
            }
            OpCode::Subpiece => {
                let from = self.input(&op.inputs[0])?;
                let skip = u32::try_from(op.inputs[1].address.offset).ok()?;
                self.ops.push(Op::Move { to, from, skip });
            }
            OpCode::Piece => {
                let high = self.input(&op.inputs[0])?;
                let low = self.input(&op.inputs[1])?;
                self.ops.push(Op::Piece { to, high, low });
            }
            code => {
                let kind = kind(code)?;
                let a = self.input(&op.inputs[0])?;
                let b = match op.inputs.get(1) {
                    Some(v) => self.input(v)?,
                    None => Slot { place: SlotKind::Constant(0), size: a.size },
                };
                self.arithmetic(kind, to, a, b)?;
            }
        }
        if in_memory {
            let pointer = Slot { place: SlotKind::Constant(out.address.offset), size: 8 };
            self.ops.push(Op::Store { pointer, from: to });
        }
        Some(())
    }

    /// Numbers of more than sixteen bytes are taken apart where the parts are independent.
    fn arithmetic(&mut self, kind: Arith, to: Slot, a: Slot, b: Slot) -> Option<()> {
        if a.size <= 16 && to.size <= 16 {
            self.ops.push(Op::Arith { kind, to, a, b });
            return Some(());
        }
        let bitwise = matches!(kind, Arith::And | Arith::Or | Arith::Xor | Arith::Not);
        if !bitwise || !to.size.is_multiple_of(8) || a.size != to.size {
            return None;
        }
        let part = |s: Slot, at: u32| match s.place {
            SlotKind::File(offset) => Some(Slot { place: SlotKind::File(offset + at), size: 8 }),
            SlotKind::Constant(0) => Some(Slot { place: SlotKind::Constant(0), size: 8 }),
            SlotKind::Constant(_) => None,
        };
        for at in (0..to.size).step_by(8) {
            self.ops.push(Op::Arith { kind, to: part(to, at)?, a: part(a, at)?, b: part(b, at)? });
        }
        Some(())
    }

    fn branch(&mut self, when: Option<Slot>, to: &VarnodeData) -> Option<()> {
        match to.address.address_space.space_type {
            // Relative, in p-code operations; resolved when all are known.
            AddressSpaceType::Constant => {
                let here = self.starts.len() - 1;
                let unused = 64 - 8 * u32::try_from(to.size).ok().filter(|s| (1..=8).contains(s))?;
                let distance = (to.address.offset << unused).cast_signed() >> unused;
                let distance = isize::try_from(distance).ok()?;
                let to = here.checked_add_signed(distance)?;
                self.ops.push(Op::Goto { when, to });
            }
            _ => self.ops.push(Op::Jump { when, to: to.address.offset }),
        }
        Some(())
    }

    fn resolve(self) -> Option<Vec<Op>> {
        let starts = self.starts;
        let mut ops = self.ops;
        for op in &mut ops {
            if let Op::Goto { to, .. } = op {
                *to = *starts.get(*to)?;
            }
        }
        Some(ops)
    }
}

impl SlotKind {
    fn within(self, size: u32, room: u32) -> Option<Self> {
        (size <= room).then_some(self)
    }
}

/// A locked instruction, or an exchange with memory, which is one without saying so.
fn is_locked(i: &Instruction) -> bool {
    let memory = (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Memory);
    i.has_lock_prefix() || i.mnemonic() == Mnemonic::Xchg && memory
}

fn kind(code: OpCode) -> Option<Arith> {
    use IntSign::{Signed, Unsigned};
    Some(match code {
        OpCode::Int(op) => match op {
            IntOp::Add => Arith::Add,
            IntOp::Negate => Arith::Neg,
            IntOp::Subtract => Arith::Sub,
            IntOp::Multiply => Arith::Mul,
            IntOp::Divide(Unsigned) => Arith::Udiv,
            IntOp::Divide(Signed) => Arith::Sdiv,
            IntOp::Remainder(Unsigned) => Arith::Urem,
            IntOp::Remainder(Signed) => Arith::Srem,
            IntOp::Equal => Arith::Eq,
            IntOp::NotEqual => Arith::Ne,
            IntOp::LessThan(Unsigned) => Arith::Ult,
            IntOp::LessThan(Signed) => Arith::Slt,
            IntOp::LessThanOrEqual(Unsigned) => Arith::Ule,
            IntOp::LessThanOrEqual(Signed) => Arith::Sle,
            IntOp::Extension(Signed) => Arith::Sext,
            IntOp::Extension(Unsigned) => return None,
            IntOp::Carry(Unsigned) => Arith::Carry,
            IntOp::Carry(Signed) => Arith::Scarry,
            IntOp::Borrow => Arith::Sborrow,
            IntOp::ShiftLeft => Arith::Shl,
            IntOp::ShiftRight(Unsigned) => Arith::Lshr,
            IntOp::ShiftRight(Signed) => Arith::Ashr,
            IntOp::Bitwise(BoolOp::And) => Arith::And,
            IntOp::Bitwise(BoolOp::Or) => Arith::Or,
            IntOp::Bitwise(BoolOp::Xor) => Arith::Xor,
            IntOp::Bitwise(BoolOp::Negate) => Arith::Not,
        },
        OpCode::Bool(BoolOp::And) => Arith::BoolAnd,
        OpCode::Bool(BoolOp::Or) => Arith::BoolOr,
        OpCode::Bool(BoolOp::Xor) => Arith::BoolXor,
        OpCode::Bool(BoolOp::Negate) => Arith::BoolNot,
        OpCode::Popcount => Arith::Popcount,
        OpCode::LzCount => Arith::Lzcount,
        _ => return None,
    })
}
