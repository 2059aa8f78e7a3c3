//! The emulator: a thread's state with the means to run it.

use crate::cpu::{Cpu, Nobody, Watch};
use crate::lift::{Body, Lifted, Lifter};
use crate::memory::Memory;
use crate::native::{Native, Trust};
use crate::process::{Held, Refused, Target};
use crate::stop::Stop;
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

/// The state of a thread that is held.
pub fn capture(target: &Target, held: &Held, tid: i32) -> Result<Cpu, Refused> {
    let (registers, extended) = held.registers(tid)?;
    let memory = Memory::new(held.memory()?, target.mappings()?, Held::kernel_writes(tid));
    Ok(Cpu::new(&registers, &extended, memory))
}
