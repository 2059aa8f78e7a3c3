//! From a hung process to observed iterations: ptrace, instruction semantics, symbols.

#[doc(hidden)]
pub mod compare;
mod cpu;
mod division;
mod lift;
mod machine;
mod memory;
mod native;
pub mod observe;
pub mod others;
mod pcode;
pub mod process;
mod ptrace;
mod record;
pub mod signals;
mod stop;
mod symbolic;
pub mod symbols;
pub mod variables;

pub use cpu::Cpu;
pub use lift::{Lifted, Lifter};
pub use machine::{Machine, capture};
pub use stop::Stop;
