//! The system calls behind [`crate::process`], and nothing else.
//!
//! Unsafe code is allowed in this file because `ptrace` and `waitpid` have no safe form in the standard library. Every
//! pointer that is passed points to a local value or a buffer whose length is passed with it.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::io;

/// `NT_X86_XSTATE`.
const XSTATE: usize = 0x202;
/// `PTRACE_GET_RSEQ_CONFIGURATION`.
const GET_RSEQ: u32 = 0x420f;

/// The general registers, as the kernel gives them.
pub(crate) type Registers = libc::user_regs_struct;

/// How a thread came to a halt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// By our interrupt.
    Interrupted,
    /// A signal was about to be delivered; it must be handed on.
    Signal(i32),
    /// It is gone.
    Gone,
}

fn call(request: u32, tid: i32, address: usize, data: usize) -> io::Result<()> {
    // SAFETY: the requests that come here take numbers, or pointers to values that outlive the call.
    let result = unsafe { libc::ptrace(request, tid, address as *mut c_void, data as *mut c_void) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Becomes the tracer without stopping the thread; without options, so that our death changes nothing for it.
pub(crate) fn seize(tid: i32) -> io::Result<()> {
    call(libc::PTRACE_SEIZE, tid, 0, 0)
}

/// Asks a seized thread to stop.
pub(crate) fn interrupt(tid: i32) -> io::Result<()> {
    call(libc::PTRACE_INTERRUPT, tid, 0, 0)
}

/// Lets a thread go on, untraced; a signal that was about to be delivered is.
pub(crate) fn detach(tid: i32, signal: i32) -> io::Result<()> {
    call(libc::PTRACE_DETACH, tid, 0, usize::try_from(signal).unwrap_or(0))
}

/// Waits until a thread has stopped.
pub(crate) fn wait(tid: i32) -> io::Result<Halt> {
    let mut status: c_int = 0;
    loop {
        // SAFETY: the pointer is to a local value.
        let result = unsafe { libc::waitpid(tid, &raw mut status, libc::__WALL) };
        if result != -1 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    if !libc::WIFSTOPPED(status) {
        return Ok(Halt::Gone);
    }
    let event = status >> 16;
    let signal = libc::WSTOPSIG(status);
    Ok(if event == libc::PTRACE_EVENT_STOP { Halt::Interrupted } else { Halt::Signal(signal) })
}

/// The general registers of a stopped thread.
pub(crate) fn registers(tid: i32) -> io::Result<Registers> {
    // SAFETY: the structure consists of integers, for which zero is a value.
    let mut registers: Registers = unsafe { std::mem::zeroed() };
    call(libc::PTRACE_GETREGS, tid, 0, (&raw mut registers) as usize)?;
    Ok(registers)
}

/// The extended state of a stopped thread, in the standard form of XSAVE.
pub(crate) fn extended_state(tid: i32) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0u8; 16 << 10];
    let mut vector = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    call(libc::PTRACE_GETREGSET, tid, XSTATE, (&raw mut vector) as usize)?;
    buffer.truncate(vector.iov_len);
    Ok(buffer)
}

/// Where the kernel writes the number of the processor that a thread runs on: address and size.
pub(crate) fn restartable_sequences(tid: i32) -> Option<(u64, u64)> {
    #[repr(C)]
    #[derive(Default)]
    struct Configuration {
        address: u64,
        size: u32,
        signature: u32,
        flags: u32,
        pad: u32,
    }
    let mut found = Configuration::default();
    let size = size_of::<Configuration>();
    call(GET_RSEQ, tid, size, (&raw mut found) as usize).ok()?;
    (found.address != 0).then(|| (found.address, u64::from(found.size.max(32))))
}

/// Runs one instruction of a stopped thread. Only the tests do this: were the tracer killed in it, the target would be, too.
#[doc(hidden)]
pub(crate) fn step(tid: i32) -> io::Result<Halt> {
    call(libc::PTRACE_SINGLESTEP, tid, 0, 0)?;
    wait(tid)
}

/// Where the parts of the extended state lie that have no fixed place: AVX, mask registers, upper halves, upper sixteen.
pub(crate) fn extended_layout() -> [Option<usize>; 4] {
    [2u32, 5, 6, 7].map(|part| {
        #[allow(unused_unsafe, reason = "the function was unsafe in older releases")]
        // SAFETY: every processor with 64 bits has this instruction.
        let leaf = unsafe { std::arch::x86_64::__cpuid_count(0xd, part) };
        (leaf.eax != 0).then_some(leaf.ebx as usize)
    })
}
