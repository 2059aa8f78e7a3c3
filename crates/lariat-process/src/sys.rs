//! The calls of the system: here those that every Unix has, in [`os`] those that differ.
#![expect(unsafe_code, reason = "forks, signals and limits are calls of the C library")]

#[cfg_attr(target_os = "linux", path = "sys/linux.rs")]
#[cfg_attr(target_os = "macos", path = "sys/macos.rs")]
mod os;

pub use os::{Signals, threads};
pub(crate) use os::{children, resident};

use crate::Limits;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// Makes the process of a command die with the thread that starts it, and limits what it may use. Start it on the thread that
/// waits for it.
pub fn tie(command: &mut Command, limits: Limits) {
    // SAFETY: the number of this process.
    let parent = unsafe { libc::getpid() };
    // SAFETY: between fork and exec the closure calls only `prctl`, `getppid`, `getrlimit`, `setrlimit` and `_exit`, which a
    // signal handler may call, too; it allocates nothing and takes no lock.
    unsafe {
        command.pre_exec(move || {
            os::end_command_with_parent();
            end_without(parent);
            limit(limits);
            Ok(())
        });
    }
}

/// Lets the process of a command have a stack of this many bytes, if the system allows that.
pub fn raise_stack(command: &mut Command, bytes: u64) {
    // SAFETY: the closure calls only `getrlimit` and `setrlimit`, which a signal handler may call, too.
    unsafe {
        command.pre_exec(move || {
            let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            if libc::getrlimit(libc::RLIMIT_STACK, &raw mut now) == 0 && now.rlim_cur < bytes {
                now.rlim_cur = bytes.min(now.rlim_max);
                libc::setrlimit(libc::RLIMIT_STACK, &raw const now);
            }
            Ok(())
        });
    }
}

/// Ends this process if its parent is dead already.
fn end_without(parent: libc::pid_t) {
    // SAFETY: numbers only.
    unsafe {
        if libc::getppid() != parent {
            libc::_exit(1);
        }
    }
}

fn limit(limits: Limits) {
    if let Some(bytes) = limits.memory {
        lower(libc::RLIMIT_AS, bytes);
    }
    if let Some(time) = limits.time {
        // The kernel counts whole seconds.
        lower(libc::RLIMIT_CPU, time.as_secs() + 1);
    }
    // A crash is no news for the user's disk.
    lower(libc::RLIMIT_CORE, 0);
}

/// Lowers a limit; one that is lower already stays.
fn lower(resource: os::Resource, wanted: u64) {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is ours.
    unsafe {
        if libc::getrlimit(resource, &raw mut now) == 0 && now.rlim_cur > wanted {
            now.rlim_cur = wanted;
            libc::setrlimit(resource, &raw const now);
        }
    }
}

/// The address space that this process may use, if it is limited.
pub fn address_space_limit() -> Option<u64> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is ours.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut now) } == 0;
    (known && now.rlim_cur != libc::RLIM_INFINITY).then_some(now.rlim_cur)
}

pub(crate) fn page_size() -> u64 {
    // SAFETY: a number in, a number out.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).unwrap_or(4096)
}

/// Waits until one of the descriptors can be read, or is at its end, or the time is over; says which.
pub fn wait_readable(fds: &[BorrowedFd<'_>], time: Duration) -> Vec<bool> {
    let mut all: Vec<libc::pollfd> =
        fds.iter().map(|f| libc::pollfd { fd: f.as_raw_fd(), events: libc::POLLIN, revents: 0 }).collect();
    // Rounded up, or it would wait in many small steps.
    let millis = time.as_micros().div_ceil(1000);
    let millis = libc::c_int::try_from(millis).unwrap_or(libc::c_int::MAX);
    // SAFETY: the descriptors are open, and the array has as many entries as it says.
    let found = unsafe { libc::poll(all.as_mut_ptr(), all.len() as libc::nfds_t, millis) };
    all.iter().map(|p| found > 0 && p.revents != 0).collect()
}

/// The signals that ask a process to end.
const ENDING: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// What the parent of a worker asks it for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Nothing.
    Nothing,
    /// To come to an end: the user wants to see what there is.
    Stop,
    /// To come to an end: memory is short.
    Memory,
}

static STOP: AtomicU8 = AtomicU8::new(0);

/// What this worker was asked for.
pub fn asked() -> Ask {
    match STOP.load(Ordering::Relaxed) {
        0 => Ask::Nothing,
        1 => Ask::Stop,
        _ => Ask::Memory,
    }
}

impl Ask {
    fn signal(self) -> Option<libc::c_int> {
        match self {
            Self::Nothing => None,
            Self::Stop => Some(libc::SIGUSR1),
            Self::Memory => Some(libc::SIGUSR2),
        }
    }
}

extern "C" fn on_ask(signal: libc::c_int) {
    STOP.fetch_max(if signal == libc::SIGUSR2 { 2 } else { 1 }, Ordering::Relaxed);
}

extern "C" fn on_end(_: libc::c_int) {
    // SAFETY: numbers only, and a signal handler may call these.
    unsafe {
        // Only a group of its own: never that of the user's shell.
        if libc::getpgrp() == libc::getpid() {
            libc::kill(0, libc::SIGKILL);
        }
        libc::_exit(1);
    }
}

/// A pipe: the end to read from and the end to write to. No program that is started gets either.
pub(crate) fn pipe() -> io::Result<(File, File)> {
    let (out, into) = io::pipe()?;
    Ok((OwnedFd::from(out).into(), OwnedFd::from(into).into()))
}

/// Reading from it does not wait any more.
pub(crate) fn without_waiting(file: &File) -> io::Result<()> {
    // SAFETY: the descriptor is open.
    let done = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The number of the child in the parent, nothing in the child. Only for a process of one thread.
pub(crate) fn fork() -> io::Result<Option<i32>> {
    // SAFETY: there is no other thread that could hold a lock which the child would wait for. The caller checks it.
    match unsafe { libc::fork() } {
        0 => Ok(None),
        pid if pid > 0 => {
            // Both do it: whoever comes first, the group is there when it is needed.
            // SAFETY: numbers only.
            unsafe { libc::setpgid(pid, pid) };
            Ok(Some(pid))
        }
        _ => Err(io::Error::last_os_error()),
    }
}

pub(crate) fn own_pid() -> i32 {
    // SAFETY: a number.
    unsafe { libc::getpid() }
}

/// Makes this process, a forked child, the worker of its parent: a group of its own, which ends with the parent.
pub(crate) fn settle(parent: i32, words: &File) {
    // SAFETY: the structures are ours, the handlers call only what handlers may, and the descriptors are open.
    unsafe {
        libc::setpgid(0, 0);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_flags = libc::SA_RESTART;
        action.sa_sigaction = on_end as extern "C" fn(libc::c_int) as usize;
        libc::sigaction(libc::SIGTERM, &raw const action, std::ptr::null_mut());
        action.sa_sigaction = on_ask as extern "C" fn(libc::c_int) as usize;
        libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut());
        libc::sigaction(libc::SIGUSR2, &raw const action, std::ptr::null_mut());
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        libc::dup2(words.as_raw_fd(), libc::STDERR_FILENO);
        // What is printed by mistake must not get into the results.
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        if nowhere >= 0 {
            libc::dup2(nowhere, libc::STDIN_FILENO);
            libc::dup2(nowhere, libc::STDOUT_FILENO);
            libc::close(nowhere);
        }
        // A crash is no news for the user's disk.
        lower(libc::RLIMIT_CORE, 0);
    }
    os::end_worker_with(parent);
    end_without(parent);
}

/// Asks a worker for something.
pub(crate) fn ask(pid: i32, what: Ask) {
    if let Some(signal) = what.signal() {
        // SAFETY: numbers only; the child has not been waited for, so the number is still its own.
        unsafe { libc::kill(pid, signal) };
    }
}

/// Kills one process by its number.
pub(crate) fn kill(pid: i32) {
    // SAFETY: numbers only.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// Kills a worker with all of its group.
pub(crate) fn kill_group(pid: i32) {
    // SAFETY: numbers only; the child has not been waited for, so the number is still its own.
    unsafe {
        libc::kill(-pid, libc::SIGKILL);
        libc::kill(pid, libc::SIGKILL);
    }
}

/// Waits for the end of a child that was killed.
pub(crate) fn wait_for_end(pid: i32) {
    let mut status = 0;
    // SAFETY: the number is ours; a child that has been waited for already is an error that tells nothing new.
    unsafe {
        libc::waitpid(pid, &raw mut status, 0);
    }
}

/// How a worker ended, if it has. What is left of its group is killed before its number is free for others.
pub(crate) fn ended(pid: i32) -> Option<std::process::ExitStatus> {
    let mut status = 0;
    // SAFETY: the structure and the number are ours.
    let done = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let look = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        if libc::waitid(libc::P_PID, pid.unsigned_abs(), &raw mut info, look) == 0 && info.si_pid() == 0 {
            return None;
        }
        libc::kill(-pid, libc::SIGKILL);
        libc::waitpid(pid, &raw mut status, libc::WNOHANG)
    };
    // A child that is not there has ended.
    (done != 0).then(|| std::os::unix::process::ExitStatusExt::from_raw(status))
}
