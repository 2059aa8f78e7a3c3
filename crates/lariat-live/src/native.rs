//! Running a single instruction on the processor, inside our own process: for instructions without p-code, and to compare
//! p-code with what the processor does.
//!
//! The state is loaded into the registers, the instruction runs, the state is saved. An operand in memory is copied to a buffer
//! and the instruction encoded anew to use that. So nothing of the target is touched, and nothing of ours but one buffer.
//!
//! Unsafe code is allowed in this file because machine code is written and called. What makes it sound: only instructions that
//! pass [`Shape::of`] run, which have at most one operand in memory, no effect on control flow, the stack pointer or
//! privileged state, and whose memory operand has been redirected into the buffer; floating-point exceptions are
//! masked, and a division runs only where its quotient fits; the stub saves and restores everything that the calling
//! convention asks for.
#![allow(unsafe_code)]

use crate::cpu::{
    Cpu, Effects, FLAGS, FS_BASE, GENERAL, GS_BASE, MASKS, Nobody, Operands, SLEIGH_UNIT, UNIT, UNIT_SIZE, VECTORS,
    dividend_places,
};
use crate::lift::{Body, Lifted, by_hand, gives_fresh_values, names_unknown_register, text};
use crate::memory::Memory;
use crate::pcode::{Op, REGISTERS, Slot, SlotKind, signed};
use crate::ptrace;
use crate::stop::Stop;
use crate::symbolic::Loc;
use iced_x86::{
    ConditionCode, CpuidFeature, Encoder, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register, UsedMemory, UsedRegister,
};
use lariat_ir::fast::FastMap;
use lariat_ir::random::Random;
use std::rc::Rc;

const CODE: usize = 256 * 4096;
const DATA: usize = 8 * 4096;
const GENERAL_AT: usize = 0;
const FLAGS_AT: usize = 0x80;
const STACK_AT: usize = 0x88;
const MXCSR_AT: usize = 0x90;
const CONTROL_AT: usize = 0x98;
const BUFFER_AT: usize = 0x100;
/// The largest operand in memory.
const BUFFER: usize = 64;
const EXTENDED_AT: usize = 0x400;
/// x87, SSE, AVX, masks, both parts of AVX-512: what [`Cpu`] knows.
const PARTS: u32 = 0b1110_0111;
/// Trials with random values for each instruction.
const TRIALS: u32 = 12;
/// For each division: where it goes by the sign matters to few dividends.
const DIVISION_TRIALS: u32 = 80;

/// The place where instructions run.
pub struct Native {
    page: *mut u8,
    extended: usize,
    factory: InstructionInfoFactory,
    random: Random,
    vetted: FastMap<u64, Trust>,
    /// Instructions that ran before.
    shapes: FastMap<Instruction, Option<Rc<Shape>>>,
    /// How much of the room for code is used.
    used: usize,
    /// The registers before an instruction.
    before: Vec<u8>,
}

/// Whether the p-code of an instruction can be relied on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trust {
    Known,
    /// Not for these flags.
    But(u32),
    None,
}

/// An instruction that can run here, encoded anew.
struct Shape {
    /// The instruction with what has to stand around it.
    stub: usize,
    /// The register that points to the buffer.
    pointer: Option<usize>,
    registers: Vec<UsedRegister>,
    memory: Option<UsedMemory>,
    operand: u32,
    /// Uses the x87 unit.
    unit: bool,
}

impl Native {
    /// Room for one instruction.
    pub fn new() -> Option<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), CODE + DATA, protection, flags, -1, 0) };
        if page == libc::MAP_FAILED {
            return None;
        }
        let last = ptrace::extended_layout().into_iter().flatten().max().unwrap_or(576) + 16 * 64;
        let mut native = Self::nowhere();
        (native.page, native.extended) = (page.cast(), last);
        (last <= DATA - EXTENDED_AT).then_some(native)
    }

    fn data(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has CODE + DATA bytes and nobody else has a reference to it.
        unsafe { std::slice::from_raw_parts_mut(self.page.add(CODE), DATA) }
    }

    /// Runs an instruction on a state; `announce` hears what it reads and writes before it does.
    pub(crate) fn run(
        &mut self,
        cpu: &mut Cpu,
        i: &Instruction,
        announce: impl FnOnce(&Effects, &dyn Fn(Loc, &mut [u8])),
    ) -> Result<Effects, Stop> {
        let shape = self.shape(i).ok_or_else(|| Stop::Opaque(text(i)))?;
        let mut effects = Effects::default();
        let mut bytes = Vec::new();
        let mut address = 0;
        if let Some(m) = &shape.memory {
            address = effective(cpu, i, shape.operand).ok_or_else(|| Stop::Opaque(text(i)))?;
            let size = u32::try_from(m.memory_size().size()).expect("the size of an operand is small");
            bytes = vec![0; size as usize];
            let volatile = cpu.memory.read(address, &mut bytes)?;
            if reads(m.access()) {
                effects.memory_reads.push((address, size, volatile));
            }
            if writes(m.access()) {
                effects.memory_writes.push((address, size));
            }
            for r in [m.base(), m.index()] {
                effects.pointers.extend(place_of(r));
            }
            match m.segment() {
                Register::FS => effects.pointers.push((FS_BASE, 8)),
                Register::GS => effects.pointers.push((GS_BASE, 8)),
                _ => {}
            }
        }
        for r in &shape.registers {
            let Some(place) = place_of(r.register()) else {
                if harmless(r.register()) {
                    continue;
                }
                return Err(Stop::Opaque(text(i)));
            };
            // A write that may not happen leaves the old value: it is read, too.
            let partial = matches!(r.access(), OpAccess::CondWrite | OpAccess::ReadCondWrite);
            if reads(r.access()) || partial {
                effects.reads.push(place);
            }
            if writes(r.access()) {
                // A write to half of a general register clears the other half.
                let whole = if r.register().is_gpr32() { (place.0, 8) } else { place };
                if partial {
                    effects.reads.push(whole);
                }
                effects.writes.push(whole);
            }
        }
        for (offset, bit, _) in FLAGS {
            let mask = flag_mask(bit);
            // AF is not followed; `lift` refuses the instructions that read it.
            if bit == 4 {
                if i.rflags_modified() & mask != 0 {
                    effects.writes.push((offset, 1));
                }
                continue;
            }
            if i.rflags_read() & mask != 0 {
                effects.reads.push((offset, 1));
            }
            if i.rflags_modified() & mask != 0 {
                if may_keep_flags(i) {
                    effects.reads.push((offset, 1));
                }
                effects.writes.push((offset, 1));
            }
        }
        let unit = if shape.unit { (UNIT, UNIT_SIZE) } else { (UNIT + 24, 4) };
        effects.reads.push(unit);
        effects.writes.push(unit);
        let operand = bytes.clone();
        cpu.unforeseen += u64::from(effects.memory_reads.iter().any(|(_, _, volatile)| *volatile));
        announce(&effects, &|at, into| match at {
            Loc::File(o) => into.copy_from_slice(&cpu.file[o as usize..][..into.len()]),
            Loc::Memory(a) => {
                let from = usize::try_from(a.wrapping_sub(address)).expect("only the operand is asked for");
                into.copy_from_slice(&operand[from..from + into.len()]);
            }
        });

        self.before.clear();
        let before = {
            let mut before = std::mem::take(&mut self.before);
            before.extend_from_slice(&cpu.file[..REGISTERS as usize]);
            before
        };
        self.execute(cpu, &shape, &mut bytes)?;
        // The table of what an instruction writes is checked against what it wrote.
        let said = |at: usize| effects.writes.iter().any(|(o, n)| (*o as usize..(*o + *n) as usize).contains(&at));
        let differ = |chunk: usize| before[chunk..chunk + 64] != cpu.file[chunk..chunk + 64];
        let changed = (0..REGISTERS as usize).step_by(64).filter(|c| differ(*c)).flat_map(|c| c..c + 64);
        let unsaid = changed.into_iter().any(|at| before[at] != cpu.file[at] && !said(at));
        self.before = before;
        if unsaid {
            return Err(Stop::Opaque(text(i)));
        }
        if !effects.memory_writes.is_empty() {
            cpu.memory.write(address, &bytes)?;
        }
        Ok(effects)
    }

    /// Whether p-code does what the processor does, for this instruction: in the given state and in others like it. An
    /// instruction that cannot run here is left to the comparison of whole programs in the tests if it is of a kind that is
    /// compared there.
    pub(crate) fn vet(&mut self, cpu: &Cpu, lifted: &Lifted) -> Trust {
        if self.vetted.contains_key(&lifted.address) {
            return Trust::Known;
        }
        let mut wrong = 0;
        let good = self.compare(cpu, lifted, &mut wrong);
        let trust = match (good, wrong) {
            (false, _) => Trust::None,
            (true, 0) => Trust::Known,
            (true, flags) => Trust::But(flags),
        };
        self.vetted.insert(lifted.address, trust);
        trust
    }

    fn compare(&mut self, cpu: &Cpu, lifted: &Lifted, wrong: &mut u32) -> bool {
        let Body::Ops(ops) = &lifted.body else { return true };
        if by_hand(&lifted.decoded) || compared_elsewhere(&lifted.decoded) {
            return true;
        }
        if touches_unit(ops) {
            return false;
        }
        let i = &lifted.decoded;
        let Some(shape) = self.shape(i) else { return false };
        let mut real = Cpu {
            file: cpu.file.clone(),
            memory: Memory::blank(),
            rip: 0,
            undefined: 0,
            unforeseen: 0,
            in_call: None,
            restartable: false,
        };
        let mut nowhere = Native::nowhere();
        let mut trial = Cpu {
            file: cpu.file.clone(),
            memory: cpu.memory.clone(),
            rip: cpu.rip,
            undefined: 0,
            unforeseen: 0,
            in_call: None,
            restartable: false,
        };
        for n in 0..if lifted.divides { DIVISION_TRIALS } else { TRIALS } {
            let mut operand = Vec::new();
            trial.file[..REGISTERS as usize].copy_from_slice(&cpu.file[..REGISTERS as usize]);
            let mut address = None;
            if let Some(m) = &shape.memory {
                let Some(a) = effective(cpu, i, shape.operand) else { return false };
                operand = vec![0; m.memory_size().size()];
                if trial.memory.read(a, &mut operand).is_err() {
                    // Nothing to compare: it faults, and so says the emulator.
                    return true;
                }
                if n > 0 && writes(m.access()) | reads(m.access()) && cpu_writable(&trial, a) {
                    self.fill(&mut operand);
                    if lifted.divides && operand.iter().all(|b| *b == 0) {
                        operand[0] = 3;
                    }
                    if trial.memory.write(a, &operand).is_err() {
                        return true;
                    }
                }
                address = Some(a);
            }
            if n > 0 {
                self.scramble(&mut trial, &shape);
            }
            if lifted.divides {
                if n > 0 && choose_dividend(&mut trial, lifted).is_err() {
                    return false;
                }
                // A quotient that does not fit would be an exception of ours.
                if n > 0 && !trial.quotient_fits(lifted).unwrap_or(false) {
                    continue;
                }
            }
            trial.undefined = 0;
            real.file[..REGISTERS as usize].copy_from_slice(&trial.file[..REGISTERS as usize]);
            if trial.run(lifted, &mut nowhere, &mut Nobody).is_err() {
                return false;
            }
            if self.execute(&mut real, &shape, &mut operand).is_err() {
                return false;
            }
            let undefined = i.rflags_undefined();
            for (offset, bit, name) in FLAGS {
                // AF has no p-code; `lift` refuses the instructions that read it.
                let differs = trial.file[offset as usize] != real.file[offset as usize];
                if differs && undefined & flag_mask(bit) == 0 && name != "af" {
                    *wrong |= flag_mask(bit);
                }
                trial.file[offset as usize] = real.file[offset as usize];
            }
            let skip = SLEIGH_UNIT.start as usize..SLEIGH_UNIT.end as usize;
            let same = |range: std::ops::Range<usize>| trial.file[range.clone()] == real.file[range];
            let scratch = 0x898..0x97c;
            if !(same(0..0x288)
                && same(0x290..scratch.start)
                && same(scratch.end..skip.start)
                && same(VECTORS as usize..REGISTERS as usize))
            {
                return false;
            }
            if let (Some(a), Some(m)) = (address, &shape.memory)
                && writes(m.access())
            {
                let mut stored = vec![0; operand.len()];
                if trial.memory.read(a, &mut stored).is_err() || stored != operand {
                    return false;
                }
            }
        }
        true
    }

    /// A place where nothing runs: p-code needs none.
    fn nowhere() -> Self {
        let (factory, vetted, shapes) = (InstructionInfoFactory::new(), FastMap::default(), FastMap::default());
        Self {
            page: std::ptr::null_mut(),
            extended: 0,
            factory,
            random: Random::new(1),
            vetted,
            shapes,
            used: 0,
            before: Vec::new(),
        }
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let n = self.random.next();
            let value = match n % 7 {
                0 => 0,
                1 => u64::MAX,
                2 => 1,
                3 => 1 << ((n >> 8) % 64),
                4 => (n >> 8) % 256,
                _ => self.random.next(),
            };
            chunk.copy_from_slice(&value.to_le_bytes()[..chunk.len()]);
        }
    }

    /// Other values in every register that is read but forms no address.
    fn scramble(&mut self, cpu: &mut Cpu, shape: &Shape) {
        let keep: Vec<(u32, u32)> = match &shape.memory {
            Some(m) => [m.base(), m.index()].into_iter().filter_map(place_of).collect(),
            None => Vec::new(),
        };
        let places: Vec<(u32, u32)> = shape.registers.iter().filter_map(|r| place_of(r.register())).collect();
        for (offset, size) in places {
            if keep.iter().any(|(o, n)| offset < o + n && *o < offset + size) {
                continue;
            }
            let mut bytes = vec![0; size as usize];
            self.fill(&mut bytes);
            cpu.file[offset as usize..(offset + size) as usize].copy_from_slice(&bytes);
        }
        let flags = self.random.next();
        for (offset, bit, name) in FLAGS {
            if name != "df" {
                cpu.file[offset as usize] = u8::from(flags >> bit & 1 == 1);
            }
        }
    }

    fn shape(&mut self, i: &Instruction) -> Option<Rc<Shape>> {
        if let Some(known) = self.shapes.get(i) {
            return known.clone();
        }
        let shape = Shape::of(i, &mut self.factory).map(|(shape, code)| {
            let code = |at: usize| stub(&code, at);
            let length = code(0).len();
            if self.used + length > CODE {
                self.used = 0;
                self.shapes.clear();
            }
            let shape = Shape { stub: self.used, ..shape };
            let code = code(self.used);
            assert!(self.used + code.len() <= CODE && !self.page.is_null(), "there is room for the stub");
            // SAFETY: the page is ours and writable, and the stub ends inside it. No stub runs meanwhile.
            unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), self.page.add(self.used), code.len()) };
            self.used += code.len();
            Rc::new(shape)
        });
        self.shapes.insert(*i, shape.clone());
        shape
    }

    fn execute(&mut self, cpu: &mut Cpu, shape: &Shape, operand: &mut [u8]) -> Result<(), Stop> {
        let masked = cpu.get(UNIT + 24, 4) & 0x1f80 == 0x1f80 && cpu.get(UNIT, 2) & 0x3f == 0x3f;
        if !masked || self.page.is_null() {
            return Err(Stop::Opaque("a floating-point instruction whose exceptions are not masked".into()));
        }
        let buffer = self.page as usize + CODE + BUFFER_AT;
        let extended = self.extended;
        let data = self.data();
        for (n, offset) in GENERAL.iter().enumerate() {
            data[GENERAL_AT + 8 * n..][..8].copy_from_slice(&cpu.file[*offset as usize..][..8]);
        }
        if let Some(n) = shape.pointer {
            data[GENERAL_AT + 8 * n..][..8].copy_from_slice(&buffer.to_le_bytes());
        }
        data[FLAGS_AT..][..8].copy_from_slice(&(cpu.flags() | 0x202).to_le_bytes());
        data[BUFFER_AT..][..operand.len()].copy_from_slice(operand);
        cpu.extended(&mut data[EXTENDED_AT..EXTENDED_AT + extended]);
        // SAFETY: a stub was written there; it follows the calling convention of C.
        unsafe {
            let run: extern "C" fn() = std::mem::transmute(self.page.add(shape.stub));
            run();
        }
        let data = self.data();
        for (n, offset) in GENERAL.iter().enumerate() {
            // The stack pointer and the pointer to the buffer are ours.
            if n != 4 && Some(n) != shape.pointer {
                cpu.file[*offset as usize..][..8].copy_from_slice(&data[GENERAL_AT + 8 * n..][..8]);
            }
        }
        operand.copy_from_slice(&data[BUFFER_AT..][..operand.len()]);
        let flags = u64::from_le_bytes(data[FLAGS_AT..][..8].try_into().expect("eight bytes"));
        let state = data[EXTENDED_AT..EXTENDED_AT + extended].to_vec();
        cpu.set_flags(flags);
        let unit = cpu.file[UNIT as usize..(UNIT + UNIT_SIZE) as usize].to_vec();
        cpu.set_extended(&state);
        if !shape.unit {
            // What XSAVE writes for an unused unit differs in form only; MXCSR counts.
            let at = UNIT as usize;
            cpu.file[at..at + 24].copy_from_slice(&unit[..24]);
            cpu.file[at + 28..at + UNIT_SIZE as usize].copy_from_slice(&unit[28..]);
        }
        Ok(())
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        if !self.page.is_null() {
            // SAFETY: the mapping was made in `new`, and nothing refers to it any more.
            unsafe { libc::munmap(self.page.cast(), CODE + DATA) };
        }
    }
}

impl Shape {
    /// With the instruction's new encoding; the place of the stub is still to be found.
    fn of(i: &Instruction, factory: &mut InstructionInfoFactory) -> Option<(Self, Vec<u8>)> {
        let info = factory.info(i);
        let registers = info.used_registers().to_vec();
        let memory = info.used_memory().to_vec();
        let unit = i.cpuid_features().iter().any(|f| {
            let old = [CpuidFeature::FPU, CpuidFeature::FPU287, CpuidFeature::FPU387, CpuidFeature::MMX];
            old.contains(f)
        });
        let denied = !self_contained(i)
            || i.flow_control() != FlowControl::Next
            || i.is_privileged()
            || i.is_vsib()
            || i.is_string_instruction()
            || memory.len() > 1
            || registers.iter().any(|r| {
                r.register().full_register() == Register::RSP && (writes(r.access()) || is_operand(i, Register::RSP))
                    || r.register().is_segment_register() && writes(r.access())
            });
        if denied {
            return None;
        }
        let operand = (0..i.op_count()).find(|n| i.op_kind(*n) == OpKind::Memory);
        let mut moved = *i;
        let mut pointer = None;
        let mut memory = memory.first().copied();
        match (operand, memory) {
            (None, None) => {}
            // LEA and the like mention memory and do not touch it.
            (Some(_), None) => {
                if i.is_ip_rel_memory_operand() {
                    return None;
                }
            }
            (Some(_), Some(m)) if m.access() == OpAccess::NoMemAccess => {
                memory = None;
                if i.is_ip_rel_memory_operand() {
                    return None;
                }
            }
            (Some(_), Some(m)) => {
                let size = m.memory_size().size();
                if size == 0 || size > BUFFER {
                    return None;
                }
                // Low registers first: some encodings have no others beside `ah`.
                let free = [3usize, 6, 7, 5, 8, 9, 10, 11, 12, 13, 14, 15].into_iter().find(|n| {
                    !registers.iter().any(|r| place_of(r.register()).is_some_and(|(o, _)| o & !7 == GENERAL[*n]))
                })?;
                moved.set_memory_base(NAMED[free]);
                moved.set_memory_index(Register::None);
                moved.set_memory_index_scale(1);
                moved.set_memory_displacement64(0);
                moved.set_memory_displ_size(0);
                moved.set_segment_prefix(Register::None);
                pointer = Some(free);
            }
            (None, Some(_)) => return None,
        }
        let mut encoder = Encoder::new(64);
        encoder.encode(&moved, 0x1000).ok()?;
        let operand = operand.unwrap_or(0);
        Some((Self { stub: 0, pointer, registers, memory, operand, unit }, encoder.take_buffer()))
    }
}

/// Whether what an instruction does depends on nothing but what [`Cpu`] holds: general, vector and mask registers, seven flags,
/// the x87 unit with MXCSR, and the operand in memory.
///
/// An allow list. Where an instruction runs, everything else is our own process's: selectors and segment bases, descriptor
/// tables, control registers, PKRU, XCR0, the shadow stack, the processor's number. An instruction that reads one of those
/// (`mov eax, fs`, RDFSBASE, LSL, LAR, VERR, SMSW, STR, SGDT, RDPKRU, XGETBV) would tell of us, not of the target; and its p-code
/// would agree with the processor for the same reason. So an instruction counts only if its extension of the instruction set has no
/// such members, or if it is one of the old ones named here; and no operand may be a register that is not loaded. RDFSBASE
/// and RDGSBASE are done by hand, see [`by_hand`].
fn self_contained(i: &Instruction) -> bool {
    use CpuidFeature::{INTEL186, INTEL286, INTEL386, INTEL486, INTEL8086, X64};
    let old = [INTEL8086, INTEL186, INTEL286, INTEL386, INTEL486, X64];
    let features = i.cpuid_features();
    let extension = features.iter().any(|f| PLAIN_EXTENSIONS.contains(f))
        && features.iter().all(|f| PLAIN_EXTENSIONS.contains(f) || old.contains(f));
    let integer = features.iter().all(|f| old.contains(f)) && is_integer(i);
    // They give the addresses of the last x87 instruction and its operand: here those are ours.
    let environment = [Mnemonic::Fnstenv, Mnemonic::Fstenv, Mnemonic::Fldenv, Mnemonic::Fnsave, Mnemonic::Fsave];
    // The address is in a register that no operand names, or there is none.
    let elsewhere = [Mnemonic::Frstor, Mnemonic::Wait, Mnemonic::Maskmovq, Mnemonic::Maskmovdqu, Mnemonic::Vmaskmovdqu];
    !names_unknown_register(i)
        && (extension || integer || gives_fresh_values(i))
        && !i.is_save_restore_instruction()
        && !environment.contains(&i.mnemonic())
        && !elsewhere.contains(&i.mnemonic())
}

/// Extensions of the instruction set whose members compute with general, vector and mask registers, the x87 unit and memory only.
const PLAIN_EXTENSIONS: [CpuidFeature; 51] = {
    use CpuidFeature as F;
    [
        F::ADX,
        F::AES,
        F::AVX,
        F::AVX2,
        F::AVX512_4FMAPS,
        F::AVX512_4VNNIW,
        F::AVX512_BF16,
        F::AVX512_BITALG,
        F::AVX512_FP16,
        F::AVX512_IFMA,
        F::AVX512_VBMI,
        F::AVX512_VBMI2,
        F::AVX512_VNNI,
        F::AVX512_VP2INTERSECT,
        F::AVX512_VPOPCNTDQ,
        F::AVX512BW,
        F::AVX512CD,
        F::AVX512DQ,
        F::AVX512ER,
        F::AVX512F,
        F::AVX512VL,
        F::AVX_IFMA,
        F::AVX_NE_CONVERT,
        F::AVX_VNNI,
        F::AVX_VNNI_INT8,
        F::AVX_VNNI_INT16,
        F::BMI1,
        F::BMI2,
        F::CMOV,
        F::CMPXCHG16B,
        F::CX8,
        F::F16C,
        F::FMA,
        F::FPU,
        F::FPU287,
        F::FPU387,
        F::GFNI,
        F::LZCNT,
        F::MMX,
        F::MOVBE,
        F::PCLMULQDQ,
        F::POPCNT,
        F::SHA,
        F::SSE,
        F::SSE2,
        F::SSE3,
        F::SSE4_1,
        F::SSE4_2,
        F::SSSE3,
        F::VAES,
        F::VPCLMULQDQ,
    ]
};

/// Old instructions that compute with general registers, flags and memory. The same extensions have LAR, LSL, SLDT, SMSW, PUSHF,
/// IN, HLT and moves from and to segment and control registers.
fn is_integer(i: &Instruction) -> bool {
    use Mnemonic::{
        Adc, Add, And, Bsf, Bsr, Bswap, Bt, Btc, Btr, Bts, Cbw, Cdq, Cdqe, Clc, Cld, Cmc, Cmp, Cmpxchg, Cqo, Cwd, Cwde,
        Dec, Div, Idiv, Imul, Inc, Lea, Mov, Movsx, Movsxd, Movzx, Mul, Neg, Not, Or, Rcl, Rcr, Rol, Ror, Sahf, Sal,
        Sar, Sbb, Shl, Shld, Shr, Shrd, Stc, Std, Sub, Test, Xadd, Xchg, Xor,
    };
    let named = [
        Adc, Add, And, Bsf, Bsr, Bswap, Bt, Btc, Btr, Bts, Cbw, Cdq, Cdqe, Clc, Cld, Cmc, Cmp, Cmpxchg, Cqo, Cwd, Cwde,
        Dec, Div, Idiv, Imul, Inc, Lea, Mov, Movsx, Movsxd, Movzx, Mul, Neg, Not, Or, Rcl, Rcr, Rol, Ror, Sahf, Sal,
        Sar, Sbb, Shl, Shld, Shr, Shrd, Stc, Std, Sub, Test, Xadd, Xchg, Xor,
    ];
    // SETcc; jumps on conditions are no candidates.
    named.contains(&i.mnemonic()) || i.condition_code() != ConditionCode::None
}

const NAMED: [Register; 16] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RBX,
    Register::RSP,
    Register::RBP,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// Makes a dividend of what stands in its two registers, such that the quotient fits: the lower half is to be the quotient, and what the divisor
/// leaves of the upper half the remainder. A divisor that stands in one of the two changes with it and may not go with it then.
fn choose_dividend(cpu: &mut Cpu, lifted: &Lifted) -> Result<(), Stop> {
    let Operands { divisor, size, .. } = cpu.operands_of_division(lifted)?;
    let register = lifted.decoded.op_kind(0) == OpKind::Register;
    if divisor == 0
        && register
        && let Some((offset, _)) = place_of(lifted.decoded.op_register(0))
    {
        cpu.set(offset, 1, 3);
    }
    let Operands { divisor, low, high, .. } = cpu.operands_of_division(lifted)?;
    if divisor == 0 {
        return Ok(());
    }
    let dividend = if lifted.decoded.mnemonic() == Mnemonic::Div {
        low * divisor + high % divisor
    } else {
        let (d, quotient) = (signed(divisor, 8 * size), signed(low, 8 * size));
        let rest = signed(high, 8 * size) % d;
        // A remainder has the sign of the dividend.
        let rest = if (quotient < 0) == (d < 0) { rest.abs() } else { -rest.abs() };
        (quotient * d + rest).cast_unsigned()
    };
    let [low_at, high_at] = dividend_places(size);
    cpu.set(low_at, size, dividend);
    cpu.set(high_at, size, dividend >> (8 * size));
    Ok(())
}

/// Kinds of instructions that need the stack, control flow or several operands in memory: the comparison of whole programs with
/// single-stepping covers them. Kinds that are not met there are not in the list, and so not trusted.
fn compared_elsewhere(i: &Instruction) -> bool {
    use Mnemonic::{
        Add, And, Call, Cmp, Cmpsb, Cmpsd, Cmpsq, Cmpsw, Iret, Iretd, Iretq, Jcxz, Jecxz, Jrcxz, Lea, Leave, Loop,
        Loope, Loopne, Mov, Movsb, Movsd, Movsq, Movsw, Pop, Push, Ret, Retf, Scasb, Scasd, Scasq, Scasw, Stosb, Stosd,
        Stosq, Stosw, Sub, Sysexit, Sysret, Xchg,
    };
    let m = i.mnemonic();
    // `push fs` and `mov sp, ds` read selectors, which are not followed.
    if names_unknown_register(i) {
        return false;
    }
    let near = !i.is_jmp_far() && !i.is_jmp_far_indirect() && !i.is_call_far() && !i.is_call_far_indirect();
    let rare = [Loop, Loope, Loopne, Jcxz, Jecxz, Jrcxz, Retf, Iret, Iretd, Iretq, Sysret, Sysexit].contains(&m);
    let jumps = matches!(
        i.flow_control(),
        FlowControl::UnconditionalBranch
            | FlowControl::IndirectBranch
            | FlowControl::ConditionalBranch
            | FlowControl::Return
            | FlowControl::Call
            | FlowControl::IndirectCall
    );
    let copies = [Movsb, Movsw, Movsd, Movsq, Stosb, Stosw, Stosd, Stosq];
    let searches = [Scasb, Scasw, Scasd, Scasq, Cmpsb, Cmpsw, Cmpsd, Cmpsq];
    // `movsd` and `cmpsd` are also vector instructions.
    let strings = i.is_string_instruction() && copies.iter().chain(&searches).any(|s| *s == m);
    // The stack pointer is not loaded where instructions run; with it as an operand only these are common.
    let simple = [Mov, Lea, Add, Sub, And, Cmp, Xchg];
    let on_stack_pointer = is_operand(i, Register::RSP) && simple.contains(&m);
    let address_only = m == Lea && (i.memory_base() == Register::RSP || i.is_ip_rel_memory_operand());
    jumps && near && !rare
        || [Push, Pop, Call, Ret, Leave].contains(&m) && near
        || strings
        || on_stack_pointer
        || address_only
}

/// Whether a general register, or a part of it, is an operand by itself.
fn is_operand(i: &Instruction, register: Register) -> bool {
    (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Register && i.op_register(n).full_register() == register)
}

/// A shift by zero leaves the flags alone.
fn may_keep_flags(i: &Instruction) -> bool {
    use Mnemonic::{Rcl, Rcr, Rol, Ror, Sar, Shl, Shld, Shr, Shrd};
    [Rcl, Rcr, Rol, Ror, Sar, Shl, Shld, Shr, Shrd].contains(&i.mnemonic())
}

fn cpu_writable(cpu: &Cpu, address: u64) -> bool {
    cpu.memory.mapping(address).is_some_and(|m| m.access[1])
}

/// P-code for the x87 unit and MXCSR is not used.
fn touches_unit(ops: &[Op]) -> bool {
    let inside =
        |s: &Slot| matches!(s.place, SlotKind::File(o) if o < SLEIGH_UNIT.end && o + s.size > SLEIGH_UNIT.start);
    ops.iter().any(|op| match op {
        Op::Move { to, from, .. } => inside(to) || inside(from),
        Op::Piece { to, high, low } => inside(to) || inside(high) || inside(low),
        Op::Arith { to, a, b, .. } => inside(to) || inside(a) || inside(b),
        Op::Load { to, pointer } => inside(to) || inside(pointer),
        Op::Store { pointer, from } => inside(pointer) || inside(from),
        Op::Goto { when, .. } | Op::Jump { when, .. } => when.as_ref().is_some_and(inside),
        Op::JumpTo { target } => inside(target),
    })
}

pub(crate) fn effective(cpu: &Cpu, i: &Instruction, operand: u32) -> Option<u64> {
    i.virtual_address(operand, 0, |register, _, _| {
        Some(match register {
            Register::FS => u64::try_from(cpu.get(FS_BASE, 8)).ok()?,
            Register::GS => u64::try_from(cpu.get(GS_BASE, 8)).ok()?,
            r if r.is_segment_register() => 0,
            r => {
                let (offset, size) = place_of(r)?;
                u64::try_from(cpu.get(offset, size)).ok()?
            }
        })
    })
}

pub(crate) fn flag_mask(bit: u32) -> u32 {
    use iced_x86::RflagsBits;
    match bit {
        0 => RflagsBits::CF,
        2 => RflagsBits::PF,
        4 => RflagsBits::AF,
        6 => RflagsBits::ZF,
        7 => RflagsBits::SF,
        10 => RflagsBits::DF,
        _ => RflagsBits::OF,
    }
}

fn reads(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite | OpAccess::CondWrite
    )
}

fn writes(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// Registers without a place that matter to nobody: the x87 stack is in the unit, segments are flat.
fn harmless(r: Register) -> bool {
    r.is_segment_register() || r.is_st() || r.is_mm() || r == Register::None || r.is_ip()
}

/// Where a register stands in the file.
pub(crate) fn place_of(r: Register) -> Option<(u32, u32)> {
    let size = u32::try_from(r.size()).ok()?;
    if r.is_gpr() {
        let number = r.full_register().number();
        let high = matches!(r, Register::AH | Register::BH | Register::CH | Register::DH);
        return Some((GENERAL[number] + u32::from(high), size));
    }
    let number = u32::try_from(r.number()).ok()?;
    if r.is_xmm() || r.is_ymm() || r.is_zmm() {
        return Some((VECTORS + 64 * number, size));
    }
    r.is_k().then_some((MASKS + 8 * number, 8))
}

/// The stub around an instruction, to stand at this offset. Its data stands behind the room for code.
fn stub(instruction: &[u8], offset: usize) -> Vec<u8> {
    let mut out = Stub(Vec::with_capacity(320), offset);
    out.raw(&[0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57]);
    out.at(&[0x48, 0x89, 0x25], STACK_AT);
    out.at(&[0x0f, 0xae, 0x1d], MXCSR_AT);
    out.at(&[0xd9, 0x3d], CONTROL_AT);
    out.parts();
    out.at(&[0x48, 0x0f, 0xae, 0x2d], EXTENDED_AT);
    out.at(&[0xff, 0x35], FLAGS_AT);
    out.raw(&[0x9d]);
    for n in (0..16u8).filter(|n| *n != 4) {
        out.general(0x8b, n);
    }
    out.raw(instruction);
    for n in (0..16u8).filter(|n| *n != 4) {
        out.general(0x89, n);
    }
    out.at(&[0x48, 0x8b, 0x25], STACK_AT);
    out.raw(&[0x9c]);
    out.at(&[0x8f, 0x05], FLAGS_AT);
    out.parts();
    out.at(&[0x48, 0x0f, 0xae, 0x25], EXTENDED_AT);
    // The x87 unit as at the start of a program, then our own settings.
    out.raw(&[0xdb, 0xe3]);
    out.at(&[0xd9, 0x2d], CONTROL_AT);
    out.at(&[0x0f, 0xae, 0x15], MXCSR_AT);
    out.raw(&[0xfc, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3]);
    out.0
}

struct Stub(Vec<u8>, usize);

impl Stub {
    fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
    /// An instruction whose operand is at this place of the data, relative to the next instruction.
    fn at(&mut self, bytes: &[u8], place: usize) {
        self.raw(bytes);
        let distance = i32::try_from(CODE + place - (self.1 + self.0.len() + 4)).expect("the data is near");
        self.raw(&distance.to_le_bytes());
    }
    /// Moves a general register from (0x8b) or to (0x89) its place.
    fn general(&mut self, code: u8, n: u8) {
        let prefix = 0x48 | (n >> 3) << 2;
        self.at(&[prefix, code, (n & 7) << 3 | 5], GENERAL_AT + 8 * usize::from(n));
    }
    /// Which parts of the extended state to load or save.
    fn parts(&mut self) {
        self.raw(&[0xb8]);
        self.raw(&PARTS.to_le_bytes());
        self.raw(&[0x31, 0xd2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lift::Lifter;
    use crate::pcode::FILE;

    /// A state in which no floating-point exception is raised.
    fn state() -> Cpu {
        let (file, memory) = (vec![0; FILE as usize], Memory::blank());
        let mut cpu = Cpu { file, memory, rip: 0, undefined: 0, unforeseen: 0, in_call: None, restartable: false };
        cpu.set(UNIT, 2, 0x37f);
        cpu.set(UNIT + 24, 4, 0x1f80);
        cpu
    }

    /// What depends on more than the emulator has.
    const FOREIGN: &[(&str, &[u8])] = &[
        ("lar eax, ecx", &[0x0f, 0x02, 0xc1]),
        ("lsl eax, ecx", &[0x0f, 0x03, 0xc1]),
        ("verr cx", &[0x0f, 0x00, 0xe1]),
        ("verw cx", &[0x0f, 0x00, 0xe9]),
        ("smsw eax", &[0x0f, 0x01, 0xe0]),
        ("str eax", &[0x0f, 0x00, 0xc8]),
        ("sldt eax", &[0x0f, 0x00, 0xc0]),
        ("sgdt [rax]", &[0x0f, 0x01, 0x00]),
        ("sidt [rax]", &[0x0f, 0x01, 0x08]),
        ("rdpkru", &[0x0f, 0x01, 0xee]),
        ("wrpkru", &[0x0f, 0x01, 0xef]),
        ("xgetbv", &[0x0f, 0x01, 0xd0]),
        ("xtest", &[0x0f, 0x01, 0xd6]),
        ("xbegin", &[0xc7, 0xf8, 0, 0, 0, 0]),
        ("rdpru", &[0x0f, 0x01, 0xfd]),
        ("rdpmc", &[0x0f, 0x33]),
        ("rdmsr", &[0x0f, 0x32]),
        ("rdsspq rax", &[0xf3, 0x48, 0x0f, 0x1e, 0xc8]),
        ("wrfsbase rax", &[0xf3, 0x48, 0x0f, 0xae, 0xd0]),
        ("wrgsbase rax", &[0xf3, 0x48, 0x0f, 0xae, 0xd8]),
        ("swapgs", &[0x0f, 0x01, 0xf8]),
        ("mov eax, fs", &[0x8c, 0xe0]),
        ("mov [rax], gs", &[0x8c, 0x28]),
        ("mov esp, ds", &[0x8c, 0xdc]),
        ("mov gs, eax", &[0x8e, 0xe8]),
        ("push fs", &[0x0f, 0xa0]),
        ("pop gs", &[0x0f, 0xa9]),
        ("lfs eax, [rax]", &[0x0f, 0xb4, 0x00]),
        ("mov rax, cr0", &[0x0f, 0x20, 0xc0]),
        ("mov rax, dr0", &[0x0f, 0x21, 0xc0]),
        ("pushfq", &[0x9c]),
        ("popfq", &[0x9d]),
        ("lahf", &[0x9f]),
        ("cli", &[0xfa]),
        ("in al, dx", &[0xec]),
        ("fnstenv [rax]", &[0xd9, 0x30]),
        ("fldenv [rax]", &[0xd9, 0x20]),
        ("fnsave [rax]", &[0xdd, 0x30]),
        ("frstor [rax]", &[0xdd, 0x20]),
        ("fxsave [rax]", &[0x0f, 0xae, 0x00]),
        ("xsave [rax]", &[0x0f, 0xae, 0x20]),
        ("maskmovdqu xmm0, xmm1", &[0x66, 0x0f, 0xf7, 0xc1]),
        ("retf", &[0xcb]),
        ("iretq", &[0x48, 0xcf]),
        ("jmp far [rax]", &[0xff, 0x28]),
        ("call far [rax]", &[0xff, 0x18]),
        ("int 0x80", &[0xcd, 0x80]),
        ("syscall", &[0x0f, 0x05]),
    ];

    #[test]
    fn what_depends_on_our_own_process_is_refused() {
        let (mut lifter, mut native, mut cpu) = (Lifter::new(), Native::new().expect("there is memory"), state());
        for (n, (name, bytes)) in FOREIGN.iter().enumerate() {
            let lifted = lifter.lift_bytes(0x100 * n as u64, bytes).expect(name);
            assert_eq!(lifted.len as usize, bytes.len(), "{name}");
            if let Body::Stop(_) = lifted.body {
                continue;
            }
            assert!(
                matches!(lifted.body, Body::Native) || native.vet(&cpu, &lifted) == Trust::None,
                "{name} is trusted"
            );
            let run = native.run(&mut cpu, &lifted.decoded, |_, _| {});
            assert!(matches!(run, Err(Stop::Opaque(_))), "{name}: {run:?}");
        }
    }

    #[test]
    fn what_differs_each_time_is_fresh() {
        let mut lifter = Lifter::new();
        let all: [&[u8]; 6] = [
            &[0x0f, 0x31],
            &[0x0f, 0x01, 0xf9],
            &[0x0f, 0xa2],
            &[0x0f, 0xc7, 0xf0],
            &[0x0f, 0xc7, 0xf8],
            &[0xf3, 0x0f, 0xc7, 0xf8],
        ];
        for (n, bytes) in all.iter().enumerate() {
            let lifted = lifter.lift_bytes(0x100 * n as u64, bytes).expect("an instruction");
            assert!(matches!(lifted.body, Body::Fresh), "{}", lifted.text());
        }
    }

    #[test]
    fn segment_bases_are_the_targets() {
        let (mut lifter, mut native, mut cpu) = (Lifter::new(), Native::new().expect("there is memory"), state());
        cpu.set(FS_BASE, 8, 0x1234_5678_9abc_def0);
        cpu.set(GS_BASE, 8, 0x0fed_cba9_8765_4321);
        let all: [(&[u8], usize, u128); 3] = [
            (&[0xf3, 0x48, 0x0f, 0xae, 0xc0], 0, 0x1234_5678_9abc_def0),
            (&[0xf3, 0x0f, 0xae, 0xc3], 3, 0x9abc_def0),
            (&[0xf3, 0x48, 0x0f, 0xae, 0xc9], 1, 0x0fed_cba9_8765_4321),
        ];
        for (n, (bytes, register, value)) in all.into_iter().enumerate() {
            let lifted = lifter.lift_bytes(0x100 * n as u64, bytes).expect("an instruction");
            assert_eq!(native.vet(&cpu, &lifted), Trust::Known, "{}", lifted.text());
            cpu.set(GENERAL[register], 8, u128::from(u64::MAX));
            cpu.run(&lifted, &mut native, &mut Nobody).expect("it runs");
            assert_eq!(cpu.get(GENERAL[register], 8), value, "{}", lifted.text());
        }
    }

    #[test]
    fn what_computes_runs() {
        let mut factory = InstructionInfoFactory::new();
        let all: [&[u8]; 10] = [
            &[0x48, 0x01, 0xc8],
            &[0x0f, 0x94, 0xc0],
            &[0x0f, 0x44, 0xc1],
            &[0xf3, 0x0f, 0xb8, 0xc1],
            &[0xf2, 0x0f, 0x59, 0xc1],
            &[0xc5, 0xf4, 0x58, 0xc2],
            &[0x62, 0xf1, 0x74, 0x48, 0x58, 0xc2],
            &[0xd8, 0xc1],
            &[0x0f, 0xae, 0x18],
            &[0x48, 0x0f, 0xb1, 0x08],
        ];
        for bytes in all {
            let i = iced_x86::Decoder::with_ip(64, bytes, 0, 0).decode();
            assert!(Shape::of(&i, &mut factory).is_some(), "{}", text(&i));
        }
    }
}
