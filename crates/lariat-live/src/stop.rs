//! Why the emulation of a thread could not go on.

use std::fmt;

/// A reason to stop. None of them is an error: each says what a proof would have to know, and we do not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A system call of this number: what the kernel does is unknown.
    SystemCall(u64),
    /// It reads the clock, in the pages that the kernel keeps current.
    Clock(u64),
    /// It would access memory that it cannot.
    Fault(u64),
    /// A page that was not read while the process was held.
    NotFetched(u64),
    /// It changes code that it has executed.
    SelfModifying(u64),
    /// It executes code that others may change.
    SharedCode(u64),
    /// It is in a restartable sequence, which the kernel may leave at any time.
    Restartable,
    /// An instruction without known semantics.
    Opaque(String),
    /// An instruction whose semantics differ from what the processor does.
    Untrusted(String),
    /// It would raise an exception.
    Trap(String),
    /// The number of instructions is used up.
    Budget,
    /// The time is.
    Time,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SystemCall(n) => write!(f, "it makes a system call (number {n}), whose result nobody can foretell"),
            Self::Clock(_) => write!(f, "it reads the clock, so what it does next depends on the time"),
            Self::Fault(a) => write!(f, "it would access the address {a:#x}, which it cannot"),
            Self::NotFetched(a) => write!(f, "it needs memory at {a:#x} that was not read while the process was held"),
            Self::SelfModifying(a) => write!(f, "it changes its own code at {a:#x}"),
            Self::SharedCode(a) => write!(f, "its code at {a:#x} is in memory that others may write"),
            Self::Restartable => {
                write!(f, "it is in a restartable sequence (rseq), which the kernel may leave at any time")
            }
            Self::Opaque(what) => write!(f, "the meaning of the instruction `{what}` is not known here"),
            Self::Untrusted(what) => write!(f, "the instruction `{what}` does not do here what the processor does"),
            Self::Trap(what) => write!(f, "it would raise an exception: {what}"),
            Self::Budget => write!(f, "the budget of instructions is used up; give a larger --budget"),
            Self::Time => write!(f, "the time for which the process may be held is used up"),
        }
    }
}

impl std::error::Error for Stop {}
