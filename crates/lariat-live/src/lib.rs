//! From a hung process to observed iterations: ptrace, instruction semantics, symbols.

mod cpu;
#[doc(hidden)]
pub mod compare;
mod lift;
mod machine;
mod memory;
mod native;
mod pcode;
pub mod process;
mod ptrace;
mod stop;

pub use cpu::Cpu;
pub use lift::{Lifted, Lifter};
pub use machine::Machine;
pub use stop::Stop;
