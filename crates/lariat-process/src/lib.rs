//! Child processes: they die with their parent, whatever way it dies, and keep limits of time and memory.
//!
//! [`tie`] is for programs that are started, such as compilers and solvers. [`fork`] makes a [`Worker`], a copy of this
//! process that does a part of its work and can be killed with all it holds. [`usage`] says how much memory a process and its
//! descendants have.
//!
//! **Why nothing is left behind.** A child asks the kernel for a signal at the death of its parent, and then looks whether the
//! parent is still there, since it may have died before. The kernel means the *thread* that started the child: whoever starts a tied
//! command waits for it on the same thread. The signal of a tied command is SIGKILL. A worker leads a process
//! group with all its descendants in it, those that a child of its child started included. Its signal is SIGTERM, whose
//! handler kills the group; and when the worker itself is killed, its parent kills the group. So descendants are left
//! only where somebody kills both with SIGKILL at once, or where they left the group: then limits of processor time end them.
//! All this is Linux. `sys/macos.rs` says what is weaker there.

pub mod console;
mod memory;
mod sys;
mod worker;

pub use memory::{Usage, page_size, usage};
pub use sys::{Ask, Signals, address_space_limit, asked, raise_stack, threads, tie, wait_readable};
pub use worker::{Seat, Side, Worker, fork};

use std::time::Duration;

/// What a child may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Bytes of address space. Default is what the parent may use.
    pub memory: Option<u64>,
    /// Processor time, of each of its processes. Default is no limit.
    pub time: Option<Duration>,
}
