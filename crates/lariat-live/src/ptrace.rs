//! The system calls behind [`crate::process`], [`crate::others`] and [`crate::signals`], and nothing else.
//!
//! Unsafe code is allowed in this file because `ptrace`, `waitpid`, `kcmp` and what has to do with signals and process groups
//! have no safe form in the standard library. Every pointer that is passed points to a local value or a buffer whose length
//! is passed with it.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

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
    loop {
        if let Some(halt) = halted(tid, libc::__WALL)? {
            return Ok(halt);
        }
    }
}

/// How a thread came to a halt, if it has; does not wait.
pub(crate) fn poll(tid: i32) -> io::Result<Option<Halt>> {
    halted(tid, libc::__WALL | libc::WNOHANG)
}

fn halted(tid: i32, options: c_int) -> io::Result<Option<Halt>> {
    let mut status: c_int = 0;
    loop {
        // SAFETY: the pointer is to a local value.
        let result = unsafe { libc::waitpid(tid, &raw mut status, options) };
        if result == 0 {
            return Ok(None);
        }
        if result != -1 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    if !libc::WIFSTOPPED(status) {
        return Ok(Some(Halt::Gone));
    }
    let event = status >> 16;
    let signal = libc::WSTOPSIG(status);
    Ok(Some(if event == libc::PTRACE_EVENT_STOP { Halt::Interrupted } else { Halt::Signal(signal) }))
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

/// Where the kernel writes the number of the processor that a thread runs on: address and size. An error means that nobody
/// knows: kernels from 4.18 to 5.12 write there and do not tell.
pub(crate) fn restartable_sequences(tid: i32) -> io::Result<Option<(u64, u64)>> {
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
    if let Err(error) = call(GET_RSEQ, tid, size, (&raw mut found) as usize) {
        // SAFETY: registering nothing is refused, and has no effect; a kernel without the call says so.
        let there = unsafe { libc::syscall(libc::SYS_rseq, 0, 0, 0, 0) };
        let unknown = there == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::ENOSYS);
        return if unknown { Ok(None) } else { Err(error) };
    }
    Ok((found.address != 0).then(|| (found.address, u64::from(found.size.max(32)))))
}

/// Whether two processes have one address space; an error where that cannot be told.
pub(crate) fn same_memory(a: i32, b: i32) -> io::Result<bool> {
    /// `KCMP_VM`.
    const ADDRESS_SPACE: c_int = 1;
    // SAFETY: the call takes numbers.
    let result = unsafe { libc::syscall(libc::SYS_kcmp, a, b, ADDRESS_SPACE, 0, 0) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result == 0) }
}

/// Sends a signal to a process, or to a group if the number is negative.
pub(crate) fn send(pid: i32, signal: i32) -> io::Result<()> {
    // SAFETY: the call takes numbers.
    if unsafe { libc::kill(pid, signal) } == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Our own group.
pub(crate) fn own_group() -> i32 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::getpgrp() }
}

/// The group in the foreground of a terminal.
pub(crate) fn foreground(terminal: &File) -> Option<i32> {
    // SAFETY: the descriptor is open.
    let group = unsafe { libc::tcgetpgrp(terminal.as_raw_fd()) };
    (group > 0).then_some(group)
}

/// Puts a group into the foreground of a terminal. SIGTTOU has to be blocked: we may be in the background.
pub(crate) fn set_foreground(terminal: &File, group: i32) {
    // SAFETY: the descriptor is open. It fails if there is no such group any more: then there is nothing to do.
    unsafe { libc::tcsetpgrp(terminal.as_raw_fd(), group) };
}

/// A descriptor for a process, which becomes readable when it ends.
pub(crate) fn descriptor(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: the call takes numbers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = i32::try_from(fd).map_err(io::Error::other)?;
    // SAFETY: a descriptor that was opened a moment ago, and that nobody else knows of.
    if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(unsafe { OwnedFd::from_raw_fd(fd) }) }
}

/// Whether a descriptor is readable now.
pub(crate) fn is_readable(fd: &OwnedFd) -> bool {
    let mut one = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the pointer is to one local value.
    unsafe { libc::poll(&raw mut one, 1, 0) > 0 }
}

fn set(signals: &[c_int]) -> libc::sigset_t {
    // SAFETY: the set is made empty before it is used, and the numbers are signals.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for s in signals {
            libc::sigaddset(&raw mut set, *s);
        }
        set
    }
}

/// Blocks signals in this thread and in those that it starts from now on.
pub(crate) fn block(signals: &[c_int]) {
    let set = set(signals);
    // SAFETY: the set is a local value.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
}

/// A command is started with these signals not blocked, though they are in the process that starts it.
pub(crate) fn start_unblocked(command: &mut Command, signals: &'static [c_int]) {
    let unblock = move || {
        let set = set(signals);
        // SAFETY: the set is a local value.
        unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut()) };
        Ok(())
    };
    // SAFETY: between fork and exec it makes calls that are async-signal-safe, and no others.
    unsafe { command.pre_exec(unblock) };
}

/// Waits for one of these signals, which have to be blocked: which it is, and whether a process has sent it; a terminal's are the
/// kernel's.
pub(crate) fn wait_for(signals: &[c_int]) -> Option<(c_int, bool)> {
    let set = set(signals);
    // SAFETY: both pointers are to local values; the structure consists of integers.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let signal = libc::sigwaitinfo(&raw const set, &raw mut info);
        (signal > 0).then_some((signal, info.si_code <= 0))
    }
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
