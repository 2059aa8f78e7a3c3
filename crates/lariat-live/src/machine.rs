//! The emulator: a thread's state with the means to run it.

use crate::cpu::{Cpu, Nobody, Watch};
use crate::lift::{Body, Lifted, Lifter};
use crate::memory::{Memory, Source};
use crate::native::{Native, Trust};
use crate::others::Others;
use crate::process::{Held, Refused, Target};
use crate::stop::Stop;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// What runs instructions, for any state. Making one takes half a second, so it is made before the target is held.
pub struct Machine {
    pub(crate) lifter: Lifter,
    pub(crate) native: Native,
}

impl Machine {
    /// A machine without a state.
    pub fn new() -> Result<Self, Refused> {
        let native = Native::new().ok_or_else(|| {
            Refused("no memory that can be written and executed is to be had here; allow it for lariat".into())
        })?;
        Ok(Self { lifter: Lifter::new(), native })
    }

    /// Runs one instruction.
    pub(crate) fn step<W: Watch>(&mut self, cpu: &mut Cpu, watch: &mut W) -> Result<Rc<Lifted>, Stop> {
        let mut lifted = self.lifter.lift(&mut cpu.memory, cpu.rip)?;
        if matches!(lifted.body, Body::Ops(_)) {
            match self.native.vet(cpu, &lifted) {
                Trust::Known => {}
                Trust::But(flags) => lifted = self.lifter.distrust_flags(&lifted, flags),
                Trust::None => lifted = self.lifter.distrust(&lifted),
            }
        }
        cpu.run(&lifted, &mut self.native, watch)?;
        Ok(lifted)
    }

    /// Runs one instruction while nobody looks on.
    pub(crate) fn plain_step(&mut self, cpu: &mut Cpu) -> Result<Rc<Lifted>, Stop> {
        self.step(cpu, &mut Nobody)
    }
}

/// The state of a thread that is held. `others` is what others may write of its memory.
pub fn capture(target: &Target, held: &Held, tid: i32, others: &Others) -> Result<Cpu, Refused> {
    let (registers, extended) = held.registers(tid)?;
    let source = Source { memory: held.memory()?, pages: held.page_table(), others: others.clone() };
    let kernel = Held::kernel_writes(tid)?;
    let mut cpu = Cpu::new(&registers, &extended, Memory::new(source, target.mappings()?, kernel));
    cpu.restartable = kernel.is_some_and(|(at, _)| {
        // The pointer to the sequence that the thread is in; the kernel clears it when it sees that it is over.
        let mut sequence = [0u8; 8];
        let read = held.memory().is_ok_and(|m| m.read_exact_at(&mut sequence, at + SEQUENCE_AT).is_ok());
        !read || sequence != [0; 8]
    });
    Ok(cpu)
}

/// Where `struct rseq` has the pointer to the present sequence.
const SEQUENCE_AT: u64 = 8;
