//! What the iterations of a loop read before they write it.

use crate::cpu::{Effects, Watch};
use crate::pcode::{Arith, REGISTERS, Slot, SlotKind};
use crate::symbolic::Loc;
use lariat_ir::fast::{FastMap, FastSet};

/// Collects, over several iterations, the bytes that are read in the state at the header, and the pieces in which
/// bytes are read and written.
#[derive(Default)]
pub(crate) struct Record {
    iteration: u32,
    /// The iteration in which each byte was last written.
    file: Vec<u32>,
    memory: FastMap<u64, u32>,
    pub inputs: FastSet<Loc>,
    pub pieces: FastSet<(Loc, u32)>,
    /// Addresses that others may write.
    pub volatile: FastSet<u64>,
}

impl Record {
    pub fn new() -> Self {
        Self { iteration: 1, file: vec![0; REGISTERS as usize], ..Self::default() }
    }

    /// The header is reached again.
    pub fn next_iteration(&mut self) {
        self.iteration += 1;
    }

    fn read(&mut self, at: Loc, size: u32) {
        self.pieces.insert((at, size));
        for n in 0..size {
            let byte = at.plus(n);
            let written = match byte {
                Loc::File(o) => self.file[o as usize],
                Loc::Memory(a) => self.memory.get(&a).copied().unwrap_or(0),
            };
            if written != self.iteration {
                self.inputs.insert(byte);
            }
        }
    }

    fn write(&mut self, at: Loc, size: u32) {
        self.pieces.insert((at, size));
        for n in 0..size {
            match at.plus(n) {
                Loc::File(o) => self.file[o as usize] = self.iteration,
                Loc::Memory(a) => {
                    self.memory.insert(a, self.iteration);
                }
            }
        }
    }

    fn read_slot(&mut self, slot: Slot) {
        if let SlotKind::File(o) = slot.place
            && o < REGISTERS
        {
            self.read(Loc::File(o), slot.size);
        }
    }

    fn write_slot(&mut self, slot: Slot) {
        if let SlotKind::File(o) = slot.place
            && o < REGISTERS
        {
            self.write(Loc::File(o), slot.size);
        }
    }
}

impl Watch for Record {
    fn moved(&mut self, to: Slot, from: Slot, _: u32) {
        self.read_slot(from);
        self.write_slot(to);
    }
    fn pieced(&mut self, to: Slot, high: Slot, low: Slot) {
        self.read_slot(high);
        self.read_slot(low);
        self.write_slot(to);
    }
    fn computed(&mut self, _: Arith, to: Slot, slots: [Slot; 2], _: [u128; 2], _: u128) {
        self.read_slot(slots[0]);
        self.read_slot(slots[1]);
        self.write_slot(to);
    }
    fn loaded(&mut self, to: Slot, pointer: Slot, address: u64, bytes: &[u8], volatile: bool) {
        self.read_slot(pointer);
        if volatile {
            self.volatile.insert(address);
        } else {
            self.read(Loc::Memory(address), u32::try_from(bytes.len()).expect("few bytes"));
        }
        self.write_slot(to);
    }
    fn stored(&mut self, pointer: Slot, address: u64, from: Slot) {
        self.read_slot(pointer);
        self.read_slot(from);
        self.write(Loc::Memory(address), from.size);
    }
    fn decided(&mut self, condition: Slot, _: bool) {
        self.read_slot(condition);
    }
    fn jumped(&mut self, target: Slot, _: u64) {
        self.read_slot(target);
    }
    fn native(&mut self, effects: &Effects, _: &dyn Fn(Loc, &mut [u8]), _: bool) {
        for (o, n) in effects.pointers.iter().chain(&effects.reads) {
            self.read(Loc::File(*o), *n);
        }
        for (a, n, volatile) in &effects.memory_reads {
            if *volatile {
                self.volatile.insert(*a);
            } else {
                self.read(Loc::Memory(*a), *n);
            }
        }
        for (o, n) in &effects.writes {
            self.write(Loc::File(*o), *n);
        }
        for (a, n) in &effects.memory_writes {
            self.write(Loc::Memory(*a), *n);
        }
    }
}
