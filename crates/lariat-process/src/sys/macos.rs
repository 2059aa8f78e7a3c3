//! The same on macOS, where the kernel tells nobody of the death of a parent.
//!
//! **What is weaker.** A worker looks itself whether its parent is still there, and ends its group when it is not: up to [`MOMENT`]
//! later, and not while it is stopped. A started program does not look. In a worker it is of the worker's group and ends with
//! it. Elsewhere (a solver of `recheck`, a compiler of `bench`), and in a group of its own, it goes on until it has nothing to read or its processor time is up.
//! The limit of address space is accepted and not kept; the parent's watch over resident memory is what counts.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// What names a limit.
pub(super) type Resource = libc::c_int;

/// How often a worker looks for its parent.
const MOMENT: Duration = Duration::from_millis(100);

/// Nothing that could end a program with its parent outlives exec.
pub(super) fn end_command_with_parent() {}

/// Ends this process, a worker, with its parent.
pub(super) fn end_worker_with(parent: libc::pid_t) {
    let watch = move || {
        // SAFETY: a number.
        while unsafe { libc::getppid() } == parent {
            std::thread::sleep(MOMENT);
        }
        super::on_end(libc::SIGTERM);
    };
    if std::thread::Builder::new().stack_size(64 << 10).spawn(watch).is_err() {
        // Nobody would end it.
        super::on_end(libc::SIGTERM);
    }
}

/// How many threads this process has.
pub fn threads() -> usize {
    task(std::process::id()).and_then(|t| usize::try_from(t.pti_threadnum).ok()).unwrap_or(1)
}

/// The bytes of resident memory of a process, if it is there.
pub(crate) fn resident(pid: u32) -> Option<u64> {
    task(pid).map(|t| t.pti_resident_size)
}

fn task(pid: u32) -> Option<libc::proc_taskinfo> {
    let pid = i32::try_from(pid).ok()?;
    let size = i32::try_from(size_of::<libc::proc_taskinfo>()).ok()?;
    // SAFETY: the structure has numbers only, and as many bytes as it has are written at most.
    let (info, written) = unsafe {
        let mut info: libc::proc_taskinfo = std::mem::zeroed();
        let written = libc::proc_pidinfo(pid, libc::PROC_PIDTASKINFO, 0, (&raw mut info).cast(), size);
        (info, written)
    };
    (written == size).then_some(info)
}

/// The processes that a process has started.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let Ok(pid) = i32::try_from(pid) else { return Vec::new() };
    let mut all: Vec<u32> = vec![0; 64];
    loop {
        let bytes = i32::try_from(size_of_val(all.as_slice())).unwrap_or(i32::MAX);
        // SAFETY: as many bytes are written as there are, at most; any are numbers.
        let count = unsafe { libc::proc_listchildpids(pid, all.as_mut_ptr().cast(), bytes) };
        let count = usize::try_from(count).unwrap_or_default();
        if count < all.len() {
            all.truncate(count);
            return all;
        }
        // There may be more.
        all = vec![0; 2 * all.len()];
    }
}

/// The signals that ask to end, kept until somebody looks. A handler writes them into a pipe.
pub struct Signals(File);

/// The end of the pipe that the handler writes to, and the process that it is for.
static PIPE: AtomicI32 = AtomicI32::new(-1);
static OWNER: AtomicI32 = AtomicI32::new(0);

extern "C" fn on_signal(signal: libc::c_int) {
    let byte = signal.to_le_bytes()[0];
    // SAFETY: a signal handler may call these. A pipe that is full has signals enough.
    unsafe {
        // A copy that does not yet have a group of its own gets what its parent gets, and must not tell it again.
        if libc::getpid() == OWNER.load(Ordering::Relaxed) {
            libc::write(PIPE.load(Ordering::Relaxed), (&raw const byte).cast(), 1);
        }
    }
}

impl Signals {
    /// Keeps SIGINT, SIGTERM and SIGHUP from now on.
    pub fn keep() -> io::Result<Self> {
        let (out, into) = super::pipe()?;
        super::without_waiting(&out)?;
        super::without_waiting(&into)?;
        // Open for good: a handler may use it at any time.
        PIPE.store(into.into_raw_fd(), Ordering::Relaxed);
        OWNER.store(super::own_pid(), Ordering::Relaxed);
        for signal in super::ENDING {
            // SAFETY: the structure is ours, and the handler calls only what handlers may.
            let done = unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_flags = libc::SA_RESTART;
                action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut())
            };
            if done != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(Self(out))
    }

    /// The number of the next signal, if there is one.
    pub fn next(&self) -> Option<i32> {
        let mut byte = [0];
        (&self.0).read_exact(&mut byte).ok()?;
        Some(i32::from(byte[0]))
    }

    /// What becomes readable when there is one.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        AsFd::as_fd(&self.0)
    }
}
