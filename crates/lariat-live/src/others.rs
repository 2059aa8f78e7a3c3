//! Who else can write the memory of a process: files that are written elsewhere, processes in the same address space, and
//! requests that the kernel or a device works on by itself.
//!
//! What is seen here is made fresh at every read, so a proof cannot rest on it. What cannot be seen is a standing assumption of every
//! report: no debugger and no `process_vm_writev`, and no request of `io_uring` whose ring has neither a descriptor nor a mapping.

use crate::process::{Mapping, Target};
use crate::ptrace;
use lariat_ir::fast::FastSet;
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};

/// What others may write of a process's memory, as seen at one moment.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Others {
    /// Who may write all of its writable memory, in words. Nobody knows which part of it, so all of it reads fresh.
    pub writers: Vec<String>,
    /// Files that somebody has open for writing, or mapped shared and writable. One file may be known by different numbers or
    /// names, as in overlay file systems: either is enough to count.
    inodes: FastSet<u64>,
    names: FastSet<String>,
    /// The program and its libraries.
    programs: FastSet<(String, u64)>,
}

impl Others {
    /// Looks at all processes that we may look at.
    pub fn see(target: &Target, mappings: &[Mapping]) -> Self {
        let mut out = Self { programs: programs(target.pid, mappings), ..Self::default() };
        let files: Vec<&Mapping> = mappings.iter().filter(|m| !m.shared && m.inode != 0).collect();
        let own: FastSet<u64> = files.iter().map(|m| m.inode).collect();
        let named: FastSet<&str> = files.iter().map(|m| m.name.as_str()).collect();
        out.writers = descriptors(target.pid);
        for m in mappings {
            let rings = [("/[aio]", "io_setup"), ("anon_inode:[io_uring]", "io_uring")];
            if let Some((_, what)) = rings.iter().find(|(name, _)| m.name.starts_with(name)) {
                out.writers.push(format!("the kernel, for requests by {what}"));
            }
        }
        for pid in processes() {
            let (children, sharing) = (parent(pid) == Some(target.pid), shares_memory(target.pid, pid));
            if pid != target.pid && sharing {
                out.writers.push(format!("process {pid}, which shares the address space (CLONE_VM, vfork)"));
            }
            // A child inherits the descriptor of a ring; what the parent has asked for goes on when it closes its own.
            if children && links(pid).iter().any(|(_, to)| to.contains("[io_uring]")) {
                out.writers.push(format!("the kernel, for io_uring requests by way of process {pid}"));
            }
            let text = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
            let shared = text.lines().filter(|l| l.contains(" rw-s ") || l.contains(" rwxs ") || l.contains(" -w"));
            for m in shared.filter_map(crate::process::mapping).filter(|m| m.shared && m.access[1]) {
                if own.contains(&m.inode) || named.contains(m.name.as_str()) {
                    out.inodes.insert(m.inode);
                    out.names.insert(m.name);
                }
            }
            for (fd, to) in links(pid).into_iter().filter(|(_, to)| to.starts_with('/')) {
                let inode = fs::metadata(format!("/proc/{pid}/fd/{fd}")).map(|m| m.ino()).unwrap_or_default();
                if (own.contains(&inode) || named.contains(to.as_str())) && may_write(pid, &fd) {
                    out.inodes.insert(inode);
                    out.names.insert(to);
                }
            }
        }
        out.writers.sort_unstable();
        out.writers.dedup();
        out
    }

    /// Whether somebody may write the file of a mapping.
    pub(crate) fn may_write(&self, mapping: &Mapping) -> bool {
        self.inodes.contains(&mapping.inode) || self.names.contains(&mapping.name)
    }

    /// Whether the file of a mapping is the program or a library.
    pub(crate) fn is_program(&self, mapping: &Mapping) -> bool {
        self.programs.contains(&(mapping.device.clone(), mapping.inode))
    }

    /// Whether somebody is seen here who was not seen before.
    pub fn are_more_than(&self, before: &Self) -> bool {
        let new_writer = self.writers.iter().any(|w| !before.writers.contains(w));
        new_writer || !self.inodes.is_subset(&before.inodes) || !self.names.is_subset(&before.names)
    }
}

/// Files that are mapped to be executed and start as ELF files do. The beginning is read where it is mapped, so that files that were
/// replaced or deleted since count, too.
fn programs(pid: i32, mappings: &[Mapping]) -> FastSet<(String, u64)> {
    let Ok(memory) = fs::File::open(format!("/proc/{pid}/mem")) else { return FastSet::default() };
    let is_elf = |m: &&Mapping| {
        let mut magic = [0u8; 4];
        let starts = m.inode != 0 && m.offset == 0 && m.access[0] && !m.shared;
        starts && memory.read_exact_at(&mut magic, m.start).is_ok() && magic == *b"\x7fELF"
    };
    let key = |m: &Mapping| (m.device.clone(), m.inode);
    let executed: FastSet<(String, u64)> = mappings.iter().filter(|m| m.access[2]).map(key).collect();
    mappings.iter().filter(is_elf).map(key).filter(|k| executed.contains(k)).collect()
}

/// Descriptors of a process by way of which memory may be written without a system call of its own. An allow list: a device or
/// a kind of descriptor that nobody has thought of counts as a writer.
fn descriptors(pid: i32) -> Vec<String> {
    let harmless = [
        "eventfd",
        "eventpoll",
        "timerfd",
        "signalfd",
        "inotify",
        "fanotify",
        "pidfd",
        "bpf",
        "perf_event",
        "landlock",
        "seccomp",
        "fscontext",
        "mount",
    ];
    let devices =
        ["null", "zero", "full", "random", "urandom", "tty", "pts/", "ptmx", "console", "shm/", "mqueue/", "log"];
    let mut out = Vec::new();
    for (_, to) in links(pid) {
        if let Some(kind) = to.strip_prefix("anon_inode:") {
            let bare = kind.trim_start_matches('[');
            if !harmless.iter().any(|h| bare.starts_with(h)) {
                out.push(format!("the kernel, by way of the descriptor {kind}"));
            }
        } else if let Some(device) = to.strip_prefix("/dev/")
            && !devices.iter().any(|d| device.starts_with(d))
        {
            out.push(format!("the device {to}, which is open"));
        }
    }
    out
}

/// Whether two processes have one address space.
fn shares_memory(target: i32, other: i32) -> bool {
    if let Ok(same) = ptrace::same_memory(target, other) {
        return same;
    }
    // Not permitted, or the kernel cannot compare. One address space has one size; then one list of mappings.
    let size = |pid: i32| {
        let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    };
    let (ours, theirs) = (size(target), size(other));
    if theirs == Some(0) || theirs.is_none() || ours.is_some() && ours != theirs && size(target) == ours {
        return false;
    }
    let maps = |pid: i32| fs::read_to_string(format!("/proc/{pid}/maps")).ok();
    match (maps(target), maps(other)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// All processes.
fn processes() -> Vec<i32> {
    let listed = fs::read_dir("/proc").into_iter().flatten().flatten();
    listed.filter_map(|e| e.file_name().to_str()?.parse().ok()).collect()
}

fn parent(pid: i32) -> Option<i32> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The descriptors of a process and what they lead to; none where we may not look.
fn links(pid: i32) -> Vec<(String, String)> {
    let listed = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let link = |e: fs::DirEntry| {
        let to = fs::read_link(e.path()).ok()?.to_string_lossy().into_owned();
        Some((e.file_name().into_string().ok()?, to))
    };
    listed.filter_map(link).collect()
}

/// Whether a descriptor is open for writing; if that cannot be told, it is.
fn may_write(pid: i32, fd: &str) -> bool {
    let text = fs::read_to_string(format!("/proc/{pid}/fdinfo/{fd}")).unwrap_or_default();
    let flags = text.lines().find_map(|l| u32::from_str_radix(l.strip_prefix("flags:")?.trim(), 8).ok());
    flags.is_none_or(|f| f & 3 != 0)
}
