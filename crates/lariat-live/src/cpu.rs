//! A thread in our own process: registers, memory, and the running of lifted instructions.

use crate::lift::{Body, Lifted};
use crate::memory::Memory;
use crate::native::{Native, effective, place_of};
use crate::pcode::{Arith, FILE, Op, Slot, SlotKind, arith, mask, signed};
use crate::ptrace::{self, Registers};
use crate::stop::Stop;
use crate::symbolic::Loc;
use iced_x86::{Mnemonic, OpKind};
use std::sync::LazyLock;

/// Where the general registers stand in the file, in the order of their numbers.
pub(crate) const GENERAL: [u32; 16] =
    [0x00, 0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x80, 0x88, 0x90, 0x98, 0xa0, 0xa8, 0xb0, 0xb8];
/// Their names, in the same order.
pub(crate) const GENERAL_NAMES: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
pub(crate) const RSP: u32 = 0x20;
pub(crate) const FS_BASE: u32 = 0x110;
pub(crate) const GS_BASE: u32 = 0x118;
/// Each flag has a byte: the byte's offset and the flag's bit.
pub(crate) const FLAGS: [(u32, u32, &str); 7] = [
    (0x200, 0, "cf"),
    (0x202, 2, "pf"),
    (0x204, 4, "af"),
    (0x206, 6, "zf"),
    (0x207, 7, "sf"),
    (0x20a, 10, "df"),
    (0x20b, 11, "of"),
];
/// The mask registers, eight bytes each.
pub(crate) const MASKS: u32 = 0x834;
/// The vector registers, 64 bytes each.
pub(crate) const VECTORS: u32 = 0x1200;
/// The first 160 bytes of the extended state: the x87 unit and MXCSR. SLEIGH has other places for them, which are not used.
pub(crate) const UNIT: u32 = 0x1c00;
/// The size of that.
pub(crate) const UNIT_SIZE: u32 = 160;
/// Where SLEIGH has the x87 unit and MXCSR.
pub(crate) const SLEIGH_UNIT: std::ops::Range<u32> = 0x1090..0x1180;

/// Where the parts of the extended state lie; asking the processor takes a while on virtual machines.
static EXTENDED_LAYOUT: LazyLock<[Option<usize>; 4]> = LazyLock::new(ptrace::extended_layout);

/// Someone who looks on while instructions run. Each call comes before its effect.
pub(crate) trait Watch {
    /// Bytes go from one place of the file, or a constant, to another; the rest of `to` becomes zero.
    fn moved(&mut self, _to: Slot, _from: Slot, _skip: u32) {}
    /// Two parts are put together.
    fn pieced(&mut self, _to: Slot, _high: Slot, _low: Slot) {}
    /// A number is computed.
    fn computed(&mut self, _kind: Arith, _to: Slot, _slots: [Slot; 2], _values: [u128; 2], _result: u128) {}
    /// Memory is read; the bytes are these.
    fn loaded(&mut self, _to: Slot, _pointer: Slot, _address: u64, _bytes: &[u8], _volatile: bool) {}
    /// Memory is written.
    fn stored(&mut self, _pointer: Slot, _address: u64, _from: Slot) {}
    /// A condition decides.
    fn decided(&mut self, _condition: Slot, _holds: bool) {}
    /// A jump to a computed address.
    fn jumped(&mut self, _target: Slot, _address: u64) {}
    /// An instruction runs natively, or gives values that nobody can foretell.
    fn native(&mut self, _effects: &Effects, _values: &dyn Fn(Loc, &mut [u8]), _fresh: bool) {}
}

/// What an instruction that runs natively reads and writes: ranges of the file and of memory.
#[derive(Clone, Default, Debug)]
pub(crate) struct Effects {
    /// Registers that form addresses, with what they hold.
    pub pointers: Vec<(u32, u32)>,
    pub reads: Vec<(u32, u32)>,
    pub writes: Vec<(u32, u32)>,
    pub memory_reads: Vec<(u64, u32, bool)>,
    pub memory_writes: Vec<(u64, u32)>,
}

/// A division's divisor and the two halves of its dividend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    pub divisor: u128,
    pub low: u128,
    pub high: u128,
    /// The size of each in bytes.
    pub size: u32,
}

/// Where the halves of a dividend stand, the lower one first: in `al` and `ah`, or in `rax` and `rdx` or parts of them.
pub(crate) fn dividend_places(size: u32) -> [u32; 2] {
    if size == 1 { [0, 1] } else { [GENERAL[0], GENERAL[2]] }
}

/// Nobody looks on.
pub(crate) struct Nobody;

impl Watch for Nobody {}

/// The state of a thread.
#[derive(Clone)]
pub struct Cpu {
    pub(crate) file: Vec<u8>,
    pub(crate) memory: Memory,
    /// The address of the next instruction.
    pub rip: u64,
    /// The flags whose value nobody can rely on.
    pub(crate) undefined: u32,
    /// How often something was read that may be another value in the target: time, chance, what others write.
    pub(crate) unforeseen: u64,
    /// The system call that the thread is in.
    pub(crate) in_call: Option<u64>,
    /// Whether it is in a restartable sequence, which the kernel leaves when it takes the processor away.
    pub(crate) restartable: bool,
}

impl Cpu {
    /// The state with these registers.
    pub(crate) fn new(registers: &Registers, extended: &[u8], memory: Memory) -> Self {
        let mut cpu = Self {
            file: vec![0; FILE as usize],
            memory,
            rip: registers.rip,
            undefined: 0,
            unforeseen: 0,
            in_call: None,
            restartable: false,
        };
        // Interrupted in a system call, what it returns is not in the registers yet.
        cpu.in_call = (registers.orig_rax.cast_signed() >= 0).then_some(registers.orig_rax);
        let r = registers;
        let general = [
            r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14,
            r.r15,
        ];
        for (offset, value) in GENERAL.iter().zip(general) {
            cpu.set(*offset, 8, value.into());
        }
        cpu.set(FS_BASE, 8, r.fs_base.into());
        cpu.set(GS_BASE, 8, r.gs_base.into());
        cpu.set_flags(r.eflags);
        cpu.set_extended(extended);
        cpu
    }

    pub(crate) fn set_flags(&mut self, flags: u64) {
        for (offset, bit, _) in FLAGS {
            self.file[offset as usize] = u8::from(flags >> bit & 1 == 1);
        }
    }

    pub(crate) fn flags(&self) -> u64 {
        FLAGS.iter().map(|(offset, bit, _)| u64::from(self.file[*offset as usize] & 1) << bit).sum()
    }

    /// Takes over the vector registers from the standard form of XSAVE; what it marks as initial is.
    pub(crate) fn set_extended(&mut self, state: &[u8]) {
        let present = state.get(512..520).map_or(0, |b| u64::from_le_bytes(b.try_into().expect("eight bytes")));
        self.file[UNIT as usize..(UNIT + UNIT_SIZE) as usize].copy_from_slice(&state[..UNIT_SIZE as usize]);
        let [avx, masks, upper, high] = *EXTENDED_LAYOUT;
        // A part that is in its initial state is not written there: it is all zeros.
        let mut put = |at: u32, number: u32, from: Option<usize>, len: usize| {
            let to = &mut self.file[at as usize..at as usize + len];
            match from.filter(|_| present >> number & 1 == 1).and_then(|from| state.get(from..from + len)) {
                Some(bytes) => to.copy_from_slice(bytes),
                None => to.fill(0),
            }
        };
        for i in 0..16u32 {
            let n = i as usize;
            put(VECTORS + 64 * i, 1, Some(160 + 16 * n), 16);
            put(VECTORS + 64 * i + 16, 2, avx.map(|at| at + 16 * n), 16);
            put(VECTORS + 64 * i + 32, 6, upper.map(|at| at + 32 * n), 32);
            put(VECTORS + 64 * (16 + i), 7, high.map(|at| at + 64 * n), 64);
        }
        for i in 0..8u32 {
            put(MASKS + 8 * i, 5, masks.map(|at| at + 8 * i as usize), 8);
        }
    }

    /// Puts the vector registers into the standard form of XSAVE.
    pub(crate) fn extended(&self, state: &mut [u8]) {
        let get = |at: u32, len: usize| &self.file[at as usize..at as usize + len];
        state[..UNIT_SIZE as usize].copy_from_slice(get(UNIT, UNIT_SIZE as usize));
        let mut present: u64 = 0b11;
        let [avx, masks, upper, high] = *EXTENDED_LAYOUT;
        for i in 0..16u32 {
            let n = i as usize;
            state[160 + 16 * n..][..16].copy_from_slice(get(VECTORS + 64 * i, 16));
            if let Some(avx) = avx {
                present |= 1 << 2;
                state[avx + 16 * n..][..16].copy_from_slice(get(VECTORS + 64 * i + 16, 16));
            }
            if let Some(upper) = upper {
                present |= 1 << 6;
                state[upper + 32 * n..][..32].copy_from_slice(get(VECTORS + 64 * i + 32, 32));
            }
            if let Some(high) = high {
                present |= 1 << 7;
                state[high + 64 * n..][..64].copy_from_slice(get(VECTORS + 64 * (16 + i), 64));
            }
        }
        if let Some(masks) = masks {
            present |= 1 << 5;
            for i in 0..8u32 {
                state[masks + 8 * i as usize..][..8].copy_from_slice(get(MASKS + 8 * i, 8));
            }
        }
        state[512..520].copy_from_slice(&present.to_le_bytes());
        state[520..576].fill(0);
    }

    /// A number of at most sixteen bytes.
    pub(crate) fn get(&self, offset: u32, size: u32) -> u128 {
        let at = offset as usize;
        match size {
            1 => self.file[at].into(),
            4 => u32::from_le_bytes(self.file[at..at + 4].try_into().expect("four bytes")).into(),
            8 => u64::from_le_bytes(self.file[at..at + 8].try_into().expect("eight bytes")).into(),
            _ => {
                let mut bytes = [0; 16];
                bytes[..size as usize].copy_from_slice(&self.file[at..at + size as usize]);
                u128::from_le_bytes(bytes)
            }
        }
    }

    pub(crate) fn set(&mut self, offset: u32, size: u32, value: u128) {
        let at = offset as usize;
        self.file[at..at + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
    }

    pub(crate) fn value(&self, slot: Slot) -> u128 {
        match slot.place {
            SlotKind::Constant(c) => u128::from(c) & mask(slot.size),
            SlotKind::File(offset) => self.get(offset, slot.size),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "an address has 64 bits, and so have the slots")]
    fn address(&self, slot: Slot) -> u64 {
        self.value(slot) as u64
    }

    /// The stack pointer.
    pub fn stack_pointer(&self) -> u64 {
        self.address(Slot { place: SlotKind::File(RSP), size: 8 })
    }

    /// Runs one instruction; then `rip` is that of the next.
    pub(crate) fn run<W: Watch>(&mut self, lifted: &Lifted, native: &mut Native, watch: &mut W) -> Result<(), Stop> {
        if lifted.alignment > 1 {
            let address = effective(self, &lifted.decoded, lifted.operand).unwrap_or(1);
            if !address.is_multiple_of(u64::from(lifted.alignment)) {
                return Err(Stop::Trap(format!("the address {address:#x} is not aligned")));
            }
        }
        if let Body::Stop(stop) = &lifted.body {
            return Err(match stop {
                #[expect(clippy::cast_possible_truncation, reason = "the number is in a 64-bit register")]
                Stop::SystemCall(_) => Stop::SystemCall(self.get(GENERAL[0], 8) as u64),
                other => other.clone(),
            });
        }
        if lifted.divides && !self.quotient_fits(lifted)? {
            return Err(Stop::Trap("a division by zero or out of range".into()));
        }
        let [read, set, unknown] = lifted.flags;
        if read & self.undefined != 0 {
            return Err(Stop::Untrusted(lifted.text()));
        }
        self.undefined = self.undefined & !set | unknown;
        let next = match &lifted.body {
            Body::Ops(ops) => self.run_ops(ops, lifted.next(), watch)?,
            Body::Native => {
                let effects = native.run(self, &lifted.decoded, |e, values| watch.native(e, values, false))?;
                debug_assert!(effects.writes.len() < 64);
                lifted.next()
            }
            Body::Fresh => {
                self.unforeseen += 1;
                native.run(self, &lifted.decoded, |e, values| watch.native(e, values, true))?;
                lifted.next()
            }
            Body::Stop(_) => unreachable!("it was told apart above"),
        };
        self.rip = next;
        Ok(())
    }

    /// Whether the quotient of a division fits where it has to go.
    pub(crate) fn quotient_fits(&mut self, lifted: &Lifted) -> Result<bool, Stop> {
        let Operands { divisor, low, high, size } = self.operands_of_division(lifted)?;
        let dividend = high << (8 * size) | low;
        let (half, whole) = (8 * size, 16 * size);
        if lifted.decoded.mnemonic() == Mnemonic::Div {
            return Ok(dividend.checked_div(divisor).is_some_and(|q| q <= mask(size)));
        }
        let quotient = signed(dividend, whole).checked_div(signed(divisor, half));
        Ok(quotient.is_some_and(|q| signed(q.cast_unsigned(), half) == q))
    }

    /// The numbers that a division is about.
    pub(crate) fn operands_of_division(&mut self, lifted: &Lifted) -> Result<Operands, Stop> {
        let i = &lifted.decoded;
        let unknown = || Stop::Opaque(lifted.text());
        let (divisor, size) = if i.op_kind(0) == OpKind::Register {
            let (offset, size) = place_of(i.op_register(0)).ok_or_else(unknown)?;
            (self.get(offset, size), size)
        } else {
            let address = effective(self, i, 0).ok_or_else(unknown)?;
            let size = u32::try_from(i.memory_size().size()).map_err(|_| unknown())?;
            let mut bytes = [0u8; 16];
            self.memory.read(address, &mut bytes[..size as usize])?;
            (u128::from_le_bytes(bytes), size)
        };
        let [low, high] = dividend_places(size).map(|at| self.get(at, size));
        Ok(Operands { divisor, low, high, size })
    }

    fn run_ops<W: Watch>(&mut self, ops: &[Op], next: u64, watch: &mut W) -> Result<u64, Stop> {
        let mut at = 0;
        // An instruction may loop inside itself, such as one that looks for a bit; but not for ever.
        let mut left = 4096;
        while let Some(op) = ops.get(at) {
            at += 1;
            left -= 1;
            if left == 0 {
                return Err(Stop::Opaque("an instruction that does not end".into()));
            }
            match op {
                Op::Move { to, from, skip } => {
                    watch.moved(*to, *from, *skip);
                    self.copy(*to, *from, *skip);
                }
                Op::Piece { to, high, low } => {
                    watch.pieced(*to, *high, *low);
                    let mut bytes = vec![0u8; (high.size + low.size) as usize];
                    self.bytes(*low, &mut bytes[..low.size as usize]);
                    self.bytes(*high, &mut bytes[low.size as usize..]);
                    bytes.resize(to.size as usize, 0);
                    self.put(*to, &bytes);
                }
                Op::Arith { kind, to, a, b } => {
                    let values = [self.value(*a), self.value(*b)];
                    let Some(result) = arith(*kind, values[0], values[1], a.size, to.size) else {
                        return Err(Stop::Trap("a division by zero or out of range".into()));
                    };
                    watch.computed(*kind, *to, [*a, *b], values, result);
                    let SlotKind::File(offset) = to.place else { unreachable!("results go to the file") };
                    self.set(offset, to.size, result);
                }
                Op::Load { to, pointer } => {
                    let address = self.address(*pointer);
                    let mut buffer = [0u8; 128];
                    let bytes = &mut buffer[..to.size as usize];
                    let volatile = self.memory.read(address, bytes)?;
                    self.unforeseen += u64::from(volatile);
                    watch.loaded(*to, *pointer, address, bytes, volatile);
                    let bytes = &buffer[..to.size as usize];
                    self.put(*to, bytes);
                }
                Op::Store { pointer, from } => {
                    let address = self.address(*pointer);
                    let mut buffer = [0u8; 128];
                    let bytes = &mut buffer[..from.size as usize];
                    self.bytes(*from, bytes);
                    self.memory.write(address, bytes)?;
                    watch.stored(*pointer, address, *from);
                }
                Op::Goto { when, to } => {
                    if self.taken(*when, watch) {
                        at = *to;
                    }
                }
                Op::Jump { when, to } => {
                    if self.taken(*when, watch) {
                        return Ok(*to);
                    }
                }
                Op::JumpTo { target } => {
                    let address = self.address(*target);
                    watch.jumped(*target, address);
                    return Ok(address);
                }
            }
        }
        Ok(next)
    }

    fn taken<W: Watch>(&self, when: Option<Slot>, watch: &mut W) -> bool {
        let Some(condition) = when else { return true };
        let holds = self.value(condition) != 0;
        watch.decided(condition, holds);
        holds
    }

    /// The bytes of a slot.
    fn bytes(&self, slot: Slot, into: &mut [u8]) {
        match slot.place {
            SlotKind::Constant(c) => {
                into.fill(0);
                let n = into.len().min(8);
                into[..n].copy_from_slice(&c.to_le_bytes()[..n]);
            }
            SlotKind::File(offset) => into.copy_from_slice(&self.file[offset as usize..][..into.len()]),
        }
    }

    fn put(&mut self, slot: Slot, bytes: &[u8]) {
        let SlotKind::File(offset) = slot.place else { unreachable!("results go to the file") };
        self.file[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn copy(&mut self, to: Slot, from: Slot, skip: u32) {
        if to.size <= 16 && from.size <= 16 {
            let value = self.value(from).checked_shr(8 * skip).unwrap_or(0);
            let SlotKind::File(offset) = to.place else { unreachable!("results go to the file") };
            self.set(offset, to.size, value & mask(to.size));
            return;
        }
        let mut buffer = [0u8; 256];
        self.bytes(from, &mut buffer[..from.size as usize]);
        let part = &buffer[skip as usize..][..to.size as usize];
        self.put(to, part);
    }
}
