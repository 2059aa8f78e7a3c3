//! What only Linux has: a signal at the death of the parent, signals as a file, `/proc`.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::{fs, io};

/// What names a limit.
#[cfg(target_env = "gnu")]
pub(super) type Resource = libc::__rlimit_resource_t;
/// What names a limit.
#[cfg(not(target_env = "gnu"))]
pub(super) type Resource = libc::c_int;

/// Ends this process, which is about to become a started program, with its parent. Called between fork and exec.
pub(super) fn end_command_with_parent() {
    // SAFETY: numbers only.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Sends this process, a worker, SIGTERM when its parent dies.
pub(super) fn end_worker_with(_parent: libc::pid_t) {
    // SAFETY: numbers only.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) };
}

/// How many threads this process has.
pub fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}

/// The bytes of resident memory of a process, if it is there.
pub(crate) fn resident(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<u64>().ok()? * crate::page_size())
}

/// The processes that a process has started.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    // A child belongs to the thread that started it.
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.map(|t| fs::read_to_string(t.path().join("children")).unwrap_or_default());
    lists.flat_map(|l| l.split_whitespace().filter_map(|p| p.parse().ok()).collect::<Vec<u32>>()).collect()
}

/// The signals that ask to end, kept until somebody looks.
pub struct Signals(OwnedFd);

impl Signals {
    /// Keeps SIGINT, SIGTERM and SIGHUP from now on, for all threads that this one starts later.
    pub fn keep() -> io::Result<Self> {
        // SAFETY: the set is ours; the descriptor is new and nobody else's.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in super::ENDING {
                libc::sigaddset(&raw mut set, signal);
            }
            if libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            let fd = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
            if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(Self(OwnedFd::from_raw_fd(fd))) }
        }
    }

    /// The number of the next signal, if there is one.
    pub fn next(&self) -> Option<i32> {
        let size = size_of::<libc::signalfd_siginfo>();
        // SAFETY: the structure has numbers only, and as many bytes as it has are written at most.
        let (info, read) = unsafe {
            let mut info: libc::signalfd_siginfo = std::mem::zeroed();
            let read = libc::read(self.0.as_raw_fd(), (&raw mut info).cast(), size);
            (info, read)
        };
        if usize::try_from(read) == Ok(size) { i32::try_from(info.ssi_signo).ok() } else { None }
    }

    /// What becomes readable when there is one.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        std::os::fd::AsFd::as_fd(&self.0)
    }
}
