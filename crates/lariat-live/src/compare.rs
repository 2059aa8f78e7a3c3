//! The emulator against the processor, step by step: used by the tests, never by the prover, because a stepped target does not
//! survive its tracer.

use crate::cpu::{Cpu, FLAGS, GENERAL, GENERAL_NAMES, MASKS, VECTORS, Watch};
use crate::machine::{Machine, capture};
use crate::others::Others;
use crate::pcode::Slot;
use crate::process::Target;
use crate::stop::Stop;
use crate::symbolic::Loc;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long the threads may take to come to a halt.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a comparison found.
#[derive(Default, Debug)]
pub struct Comparison {
    /// Instructions that were run on both.
    pub steps: u64,
    /// How often the emulator stopped with a reason, such as a system call; it then took over the processor's state.
    pub stops: BTreeMap<String, u64>,
    /// What differed, with the number of times.
    pub differences: BTreeMap<String, u64>,
    /// Instructions that ran on the processor because their p-code was not trusted.
    pub native: BTreeMap<String, u64>,
}

#[derive(Default)]
struct Writes(Vec<(u64, u32)>);

impl Watch for Writes {
    fn stored(&mut self, _: Slot, address: u64, from: Slot) {
        self.0.push((address, from.size));
    }
    fn native(&mut self, effects: &crate::cpu::Effects, _: &dyn Fn(Loc, &mut [u8]), _: bool) {
        self.0.extend(&effects.memory_writes);
    }
}

/// Runs a thread of a process for so many instructions on both.
pub fn compare(machine: &mut Machine, target: &Target, tid: i32, steps: u64) -> Result<Comparison, String> {
    let words = |e: crate::process::Refused| e.to_string();
    let mut held = target.hold(PATIENCE).map_err(words)?;
    let others = Others::see(target, &target.mappings().map_err(words)?);
    let mut out = Comparison::default();
    let mut cpu = capture(target, &held, tid, &others).map_err(words)?;
    while out.steps < steps {
        let mut writes = Writes::default();
        let address = cpu.rip;
        let mut emulated = machine.step(&mut cpu, &mut writes);
        // The processor leaves a repeated instruction with the last repetition, p-code with one more look at the count.
        if let Ok(lifted) = &emulated
            && lifted.decoded.is_string_instruction()
            && cpu.rip == address
            && cpu.get(GENERAL[1], 8) == 0
        {
            emulated = machine.step(&mut cpu, &mut writes);
        }
        if !held.step_for_comparison(tid) {
            break;
        }
        let (registers, extended) = held.registers(tid).map_err(words)?;
        let mut real = Cpu::new(&registers, &extended, cpu.memory.afresh());
        let lifted = match emulated {
            Err(stop) => {
                let reason = match &stop {
                    Stop::SystemCall(_) => "system call".to_owned(),
                    Stop::Clock(_) => "clock".to_owned(),
                    other => other.to_string(),
                };
                *out.stops.entry(reason).or_default() += 1;
                real = capture(target, &held, tid, &others).map_err(words)?;
                cpu = real;
                continue;
            }
            Ok(lifted) => lifted,
        };
        out.steps += 1;
        if matches!(lifted.body, crate::lift::Body::Native) {
            *out.native.entry(lifted.text()).or_default() += 1;
        }
        if matches!(lifted.body, crate::lift::Body::Fresh) {
            cpu = real;
            continue;
        }
        let mut wrong = Vec::new();
        if cpu.rip != real.rip {
            wrong.push("rip".to_owned());
        }
        for (offset, name) in GENERAL.iter().zip(GENERAL_NAMES) {
            if cpu.get(*offset, 8) != real.get(*offset, 8) {
                wrong.push(name.to_owned());
            }
        }
        // Between two repetitions some processors show the flags from before the instruction. They count when it is over.
        let unfinished = lifted.decoded.is_string_instruction() && real.rip == address;
        for (offset, bit, name) in FLAGS {
            let same = cpu.file[offset as usize] == real.file[offset as usize];
            if !same && !unfinished && name != "af" && cpu.undefined & crate::native::flag_mask(bit) == 0 {
                wrong.push(name.to_owned());
            }
        }
        for n in 0..32u32 {
            let at = (VECTORS + 64 * n) as usize;
            if cpu.file[at..at + 64] != real.file[at..at + 64] {
                wrong.push(format!("zmm{n}"));
            }
        }
        for n in 0..8u32 {
            if cpu.get(MASKS + 8 * n, 8) != real.get(MASKS + 8 * n, 8) {
                wrong.push(format!("k{n}"));
            }
        }
        let mut fresh = real;
        for (address, size) in writes.0 {
            let (mut ours, mut theirs) = (vec![0; size as usize], vec![0; size as usize]);
            let read = cpu.memory.read(address, &mut ours).is_ok() && fresh.memory.read(address, &mut theirs).is_ok();
            if !read || ours != theirs {
                wrong.push("memory".to_owned());
            }
        }
        if !wrong.is_empty() {
            let what = format!("{} at {address:#x}: {}", lifted.text(), wrong.join(", "));
            *out.differences.entry(what).or_default() += 1;
            cpu = fresh;
        } else if cpu_is_stale(&out) {
            // Memory that the kernel or another thread writes is seen again now and then.
            cpu = Cpu { memory: fresh.memory, ..cpu };
        }
    }
    Ok(out)
}

fn cpu_is_stale(out: &Comparison) -> bool {
    out.steps.is_multiple_of(4096)
}
