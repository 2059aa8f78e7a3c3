//! A running process: its threads, its mappings, its memory, and how it is held and let go.
//!
//! The target is never changed. It is seized without options and interrupted; a tracer that dies, for whatever reason, is
//! detached by the kernel and the target goes on. So nothing here steps it, sets breakpoints or writes to it.

use crate::ptrace::{self, Halt, Registers};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::time::{Duration, Instant};

/// A range of addresses of the target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// The first address.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
    /// Whether it can be read, written, executed.
    pub access: [bool; 3],
    /// Whether what others write appears here.
    pub shared: bool,
    /// Where in the file it starts.
    pub offset: u64,
    /// The file's device and number; 0 where there is no file.
    pub device: String,
    /// The number.
    pub inode: u64,
    /// The file, or a name in brackets, or nothing.
    pub name: String,
}

impl Mapping {
    /// Whether reads may give another value each time, though no thread of the target writes.
    ///
    /// An allow list: private are memory without a file, the heap, stacks, the kernel's code for every process, and files outside
    /// of the folders where the kernel and devices show themselves.
    pub fn is_volatile(&self) -> bool {
        let known = ["[heap]", "[stack", "[anon:", "[vdso]"].iter().any(|n| self.name.starts_with(n));
        let device = ["/dev/", "/sys/", "/proc/", "/["].iter().any(|n| self.name.starts_with(n));
        let private = self.name.is_empty() || known || self.name.starts_with('/') && !device;
        self.shared || !private
    }
}

/// Why a process cannot be looked at; the message ends with the next step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::error::Error for Refused {}

/// A process, not held.
#[derive(Clone, Debug)]
pub struct Target {
    /// The process.
    pub pid: i32,
    /// Its command line.
    pub command: String,
}

impl Target {
    /// The process of this number, if it runs and is of the right kind.
    pub fn find(pid: i32) -> Result<Self, Refused> {
        let words = fs::read(format!("/proc/{pid}/cmdline"))
            .map_err(|_| Refused(format!("there is no process {pid}; check the number with ps")))?;
        let command = words.split(|b| *b == 0).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
        let command = command.trim().to_owned();
        if command.is_empty() {
            return Err(Refused(format!("{pid} is a kernel thread or has ended; there is no program to look at")));
        }
        Ok(Self { pid, command })
    }

    /// The threads that exist now.
    pub fn threads(&self) -> Vec<i32> {
        let listed = fs::read_dir(format!("/proc/{}/task", self.pid)).into_iter().flatten().flatten();
        let mut all: Vec<i32> = listed.filter_map(|e| e.file_name().to_str()?.parse().ok()).collect();
        all.sort_unstable();
        all
    }

    /// How long each thread has run or waited for a processor: on a busy machine a thread that spins does more of the latter.
    fn run_times(&self) -> BTreeMap<i32, Duration> {
        let of = |tid: i32| {
            let text = fs::read_to_string(format!("/proc/{}/task/{tid}/schedstat", self.pid)).ok();
            let precise = text.map(|t| t.split_whitespace().take(2).filter_map(|w| w.parse::<u64>().ok()).sum());
            let precise = precise.map(Duration::from_nanos);
            precise.or_else(|| {
                let text = fs::read_to_string(format!("/proc/{}/task/{tid}/stat", self.pid)).ok()?;
                let after = text.rsplit_once(')')?.1;
                let ticks: u64 = after.split_whitespace().skip(11).take(2).filter_map(|w| w.parse::<u64>().ok()).sum();
                Some(Duration::from_millis(ticks * 10))
            })
        };
        self.threads().into_iter().filter_map(|t| Some((t, of(t)?))).collect()
    }

    /// Whether a thread runs, or would if there were a processor for it.
    pub fn is_runnable(&self, tid: i32) -> bool {
        let text = fs::read_to_string(format!("/proc/{}/task/{tid}/stat", self.pid)).unwrap_or_default();
        text.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('R'))
    }

    /// The thread that ran most while we looked on for a moment, and for which part of that moment it ran.
    pub fn hottest(&self, moment: Duration) -> Option<(i32, f64)> {
        let before = self.run_times();
        let begin = Instant::now();
        std::thread::sleep(moment);
        let after = self.run_times();
        let ran = |(tid, t): (&i32, &Duration)| (*tid, t.saturating_sub(before.get(tid).copied().unwrap_or_default()));
        // On a busy machine a thread may not have had its turn: one that could run comes before one that waits.
        let (tid, most) = after.iter().map(ran).max_by_key(|(tid, t)| (*t, self.is_runnable(*tid)))?;
        Some((tid, most.as_secs_f64() / begin.elapsed().as_secs_f64()))
    }

    /// A number that changes when a thread waits for something: how often all of them did, of their own will.
    ///
    /// System calls that do not wait are not counted anywhere; the loop is seen to make them when it is emulated.
    pub fn waits(&self) -> u64 {
        let of = |tid: i32| {
            let text = fs::read_to_string(format!("/proc/{}/task/{tid}/status", self.pid)).ok()?;
            text.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:")?.trim().parse::<u64>().ok())
        };
        self.busiest().into_iter().filter_map(of).sum()
    }

    /// The thread that has run most so far.
    fn busiest(&self) -> Option<i32> {
        self.run_times().into_iter().max_by_key(|(_, t)| *t).map(|(tid, _)| tid)
    }

    /// The signals that have handlers.
    pub fn caught_signals(&self) -> Vec<u32> {
        let text = fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let mask = text.lines().find_map(|l| u64::from_str_radix(l.strip_prefix("SigCgt:")?.trim(), 16).ok());
        // Without the mask any signal may have one.
        let mask = mask.unwrap_or(u64::MAX);
        (1..=64).filter(|s| mask >> (s - 1) & 1 == 1).collect()
    }

    /// Whether it has timers of its own; intervals of `setitimer` cannot be seen from outside.
    pub fn has_timers(&self) -> bool {
        fs::read_to_string(format!("/proc/{}/timers", self.pid)).is_ok_and(|t| !t.trim().is_empty())
    }

    /// Its mappings, by address.
    pub fn mappings(&self) -> Result<Vec<Mapping>, Refused> {
        let path = format!("/proc/{}/maps", self.pid);
        let text = fs::read_to_string(&path).map_err(|e| self.refusal("its mappings cannot be read", &e))?;
        Ok(text.lines().filter_map(mapping).collect())
    }

    /// What went wrong, and what to do about it.
    fn refusal(&self, what: &str, error: &io::Error) -> Refused {
        let pid = self.pid;
        let denied = matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES));
        if !denied {
            return Refused(format!("{what}: {error}; check that process {pid} still runs"));
        }
        let tracer = fs::read_to_string(format!("/proc/{pid}/status")).ok().and_then(|t| {
            t.lines().find_map(|l| l.strip_prefix("TracerPid:")?.trim().parse::<i32>().ok()).filter(|t| *t != 0)
        });
        if let Some(tracer) = tracer {
            return Refused(format!("process {pid} is already traced by process {tracer}; detach that debugger first"));
        }
        let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
        let fix = match scope.trim() {
            "1" => {
                "run this with sudo, or allow it until the next boot: echo 0 | sudo tee /proc/sys/kernel/yama/ptrace_scope"
            }
            "2" => "only root may trace here (kernel.yama.ptrace_scope is 2): run this with sudo",
            "3" => {
                "kernel.yama.ptrace_scope is 3, which forbids tracing until the next boot; set it to 1 in /etc/sysctl.d and reboot"
            }
            _ => {
                "run this with sudo or as the owner of the process; in a container, start it with --cap-add=SYS_PTRACE or run this on the host"
            }
        };
        Refused(format!("{what}: not permitted; {fix}"))
    }

    /// Holds all threads, if that takes no longer than `patience`.
    ///
    /// All are asked to stop before any is waited for: a thread stops when it has its turn on a processor, and with many busy
    /// threads that is soon only if the others give theirs up, too.
    pub fn hold(&self, patience: Duration) -> Result<Held, Refused> {
        self.hold_those(|_| true, patience)
    }

    /// Holds one thread, to see where it is. The others go on.
    pub fn hold_one(&self, tid: i32, patience: Duration) -> Result<Held, Refused> {
        self.hold_those(|t| t == tid, patience)
    }

    fn hold_those(&self, wanted: impl Fn(i32) -> bool, patience: Duration) -> Result<Held, Refused> {
        let begin = Instant::now();
        let mut held = Held { target: self.clone(), threads: BTreeMap::new(), begin, memory: None };
        let mut ended = BTreeSet::new();
        // A thread may be made by one that is not held yet: look again until there is no new one.
        loop {
            let new = |t: &i32| wanted(*t) && !held.threads.contains_key(t) && !ended.contains(t);
            let new: Vec<i32> = self.threads().into_iter().filter(new).collect();
            if new.is_empty() {
                break;
            }
            for tid in new {
                match ptrace::seize(tid) {
                    // A thread that has ended may stay until it is waited for, and cannot be traced.
                    Err(e) if e.raw_os_error() == Some(libc::ESRCH) || self.has_ended(tid) => {
                        ended.insert(tid);
                        continue;
                    }
                    Err(e) => return Err(self.refusal("it cannot be held", &e)),
                    Ok(()) => {}
                }
                held.threads.insert(tid, None);
                // It fails only if the thread has ended, which is seen below.
                let _ = ptrace::interrupt(tid);
            }
            held.settle(begin + patience)?;
        }
        if held.threads.is_empty() {
            return Err(Refused(format!("process {} has ended", self.pid)));
        }
        let memory =
            File::open(format!("/proc/{}/mem", self.pid)).map_err(|e| self.refusal("its memory cannot be read", &e))?;
        held.memory = Some(memory);
        Ok(held)
    }

    /// Whether a thread has ended and only waits to be waited for.
    fn has_ended(&self, tid: i32) -> bool {
        let text = fs::read_to_string(format!("/proc/{}/task/{tid}/stat", self.pid)).unwrap_or_default();
        text.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
    }

    /// What a line of `/proc/PID/task/TID/status` says.
    fn status(&self, tid: i32, field: &str) -> Option<String> {
        let text = fs::read_to_string(format!("/proc/{}/task/{tid}/status", self.pid)).ok()?;
        text.lines().find_map(|l| Some(l.strip_prefix(field)?.strip_prefix(':')?.trim().to_owned()))
    }

    /// A set of signals of a thread; all if it cannot be read.
    fn signals(&self, tid: i32, field: &str) -> Option<u64> {
        self.status(tid, field).and_then(|t| u64::from_str_radix(&t, 16).ok())
    }

    /// Whether a signal can do something to a thread: it is neither blocked nor ignored.
    pub fn may_get(&self, tid: i32, signal: u32) -> bool {
        let bit = 1u64 << (signal - 1);
        ["SigBlk", "SigIgn"].iter().all(|field| self.signals(tid, field).unwrap_or(0) & bit == 0)
    }

    /// A limit of the process, the softer and the harder; nothing where there is none.
    pub fn limit(&self, name: &str) -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/limits", self.pid)).ok()?;
        let line = text.lines().find_map(|l| l.strip_prefix(name))?;
        line.split_whitespace().take(2).filter_map(|w| w.parse().ok()).min()
    }

    /// Whether a thread is scheduled by a real-time policy, for which a limit of its own holds.
    pub fn is_real_time(&self, tid: i32) -> bool {
        let text = fs::read_to_string(format!("/proc/{}/task/{tid}/stat", self.pid)).unwrap_or_default();
        let policy = text.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(38)?.parse::<u32>().ok());
        policy.is_none_or(|p| p == 1 || p == 2 || p == 6)
    }

    /// What is special about the mappings of some addresses: why what is read there may change by itself, in words, and whether that is
    /// certain to be no memory of the process's own.
    pub fn oddities(&self, addresses: &[u64]) -> Vec<Oddity> {
        let Ok(text) = fs::read_to_string(format!("/proc/{}/smaps", self.pid)) else { return Vec::new() };
        let mut out = Vec::new();
        let (mut wanted, mut anonymous) = (false, false);
        for line in text.lines() {
            let value = |name: &str| line.strip_prefix(name).map(|v| v.trim().trim_end_matches(" kB").to_owned());
            if let Some(m) = mapping(line) {
                wanted = addresses.iter().any(|a| (m.start..m.end).contains(a)) && !m.is_volatile();
                anonymous = m.inode == 0 && m.name != "[vdso]";
            }
            // What is given back is marked as clean at once, and counted as such only later.
            let clean = ["Private_Clean:", "Shared_Clean:"].iter().any(|n| value(n).is_some_and(|v| v != "0"));
            if !wanted {
                continue;
            }
            if anonymous && clean || value("LazyFree:").is_some_and(|v| v != "0") {
                out.push(Oddity::GivenBack);
            } else if value("ProtectionKey:").is_some_and(|v| v != "0") {
                out.push(Oddity::Protected);
            } else if let Some(flags) = value("VmFlags:") {
                let has = |f: &str| flags.split_whitespace().any(|g| g == f);
                // Without pages of their own, of a device, or both.
                if ["pf", "io", "mm"].iter().any(|f| has(f)) {
                    out.push(Oddity::Device);
                }
                if has("dp") {
                    out.push(Oddity::GivenBack);
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// What may be special about private memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Oddity {
    /// The process has given pages back (`MADV_FREE`, `MAP_DROPPABLE`): the kernel may fill them with zeros at any time.
    GivenBack,
    /// A device's memory.
    Device,
    /// Under a protection key: whether the thread may access it is not followed.
    Protected,
}

/// One line of `/proc/PID/maps`.
pub(crate) fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let flags = words.next()?.as_bytes();
    let offset = words.next()?;
    let (device, rest) = (words.next()?.to_owned(), words.next()?);
    let (inode, name) = (rest.parse().ok()?, words.next().unwrap_or_default().trim());
    let number = |t: &str| u64::from_str_radix(t, 16).ok();
    Some(Mapping {
        start: number(start)?,
        end: number(end)?,
        access: [flags.first() == Some(&b'r'), flags.get(1) == Some(&b'w'), flags.get(2) == Some(&b'x')],
        shared: flags.get(3) == Some(&b's'),
        offset: number(offset)?,
        device,
        inode,
        name: name.to_owned(),
    })
}

/// A process whose threads stand still, until this goes away.
#[derive(Debug)]
pub struct Held {
    target: Target,
    /// Each with the signal that has to be handed on; nothing for a thread that has not come to its halt yet.
    threads: BTreeMap<i32, Option<i32>>,
    begin: Instant,
    memory: Option<File>,
}

/// The selectors of 64-bit code: on the bare machine, and under Xen.
const CODE_64: [u64; 2] = [0x33, 0xe033];
/// Single-stepping by itself, nested tasks, checks of alignment.
const STRANGE_FLAGS: u64 = 1 << 8 | 1 << 14 | 1 << 18;

impl Held {
    /// Waits until all threads have come to their halt.
    ///
    /// One that waits in the kernel where no signal reaches it (as the parent of a `vfork` does) does not. That is an error then, and
    /// what was asked of it is taken back when the thread that asked ends, at the latest.
    fn settle(&mut self, until: Instant) -> Result<(), Refused> {
        loop {
            let mut open = None;
            let waiting: Vec<i32> = self.threads.iter().filter(|(_, s)| s.is_none()).map(|(t, _)| *t).collect();
            for tid in waiting {
                match ptrace::poll(tid) {
                    Ok(Some(Halt::Interrupted)) => drop(self.threads.insert(tid, Some(0))),
                    Ok(Some(Halt::Signal(s))) => drop(self.threads.insert(tid, Some(s))),
                    Ok(Some(Halt::Gone)) | Err(_) => drop(self.threads.remove(&tid)),
                    Ok(None) => open = Some(tid),
                }
            }
            let Some(tid) = open else { return Ok(()) };
            if Instant::now() >= until {
                return Err(Refused(format!(
                    "thread {tid} of process {} does not come to a halt; try again, or give a larger --hold",
                    self.target.pid
                )));
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// The registers of a thread, which has to be in a state that the emulator knows: 64-bit code, without what makes accesses or
    /// instructions trap that otherwise do not.
    ///
    /// The mode is that of the code that runs now, by its selector: a process of a 32-bit program, and a thread of a 64-bit one that has
    /// gone over to 32-bit code. Nothing that is followed changes it: far jumps and returns are refused.
    pub(crate) fn registers(&self, tid: i32) -> Result<(Registers, Vec<u8>), Refused> {
        let read = || Ok((ptrace::registers(tid)?, ptrace::extended_state(tid)?));
        let pid = self.target.pid;
        if !self.threads.contains_key(&tid) {
            return Err(Refused(format!("process {pid} has no thread {tid}; leave --thread out")));
        }
        let (registers, extended) =
            read().map_err(|e: io::Error| self.target.refusal("its registers cannot be read", &e))?;
        if !CODE_64.contains(&registers.cs) {
            return Err(Refused(format!(
                "thread {tid} of process {pid} runs 32-bit code (selector {:#x}), which is not supported; build the program for 64 bits",
                registers.cs
            )));
        }
        if registers.eflags & STRANGE_FLAGS != 0 {
            return Err(Refused(format!(
                "thread {tid} of process {pid} steps itself or checks alignment (flags {:#x}), which is not supported",
                registers.eflags
            )));
        }
        let features = self.target.status(tid, "x86_Thread_features").unwrap_or_default();
        if features.split_whitespace().any(|f| f == "shstk") {
            return Err(Refused(format!(
                "process {pid} has a shadow stack, which is not supported; start it without (GLIBC_TUNABLES=glibc.cpu.x86_shstk=off)"
            )));
        }
        Ok((registers, extended))
    }

    /// Where the kernel writes on its own account.
    pub(crate) fn kernel_writes(tid: i32) -> Result<Option<(u64, u64)>, Refused> {
        ptrace::restartable_sequences(tid).map_err(|_| {
            Refused("where the kernel writes for restartable sequences cannot be seen; that needs Linux 5.13".into())
        })
    }

    /// Which pages are the process's own, if the kernel tells.
    pub(crate) fn page_table(&self) -> Option<File> {
        File::open(format!("/proc/{}/pagemap", self.target.pid)).ok()
    }

    /// The memory, to be read while the process is held.
    pub(crate) fn memory(&self) -> Result<File, Refused> {
        let file = self.memory.as_ref().map(File::try_clone);
        match file {
            Some(Ok(file)) => Ok(file),
            _ => Err(Refused(format!("the memory of process {} cannot be read", self.target.pid))),
        }
    }

    /// How many threads are held.
    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// Runs one instruction of a thread on the processor: for the comparison with the emulator only.
    #[doc(hidden)]
    pub fn step_for_comparison(&mut self, tid: i32) -> bool {
        matches!(ptrace::step(tid), Ok(Halt::Signal(libc::SIGTRAP)))
    }

    /// Lets it go; says how long it was held.
    pub fn release(self) -> Duration {
        let begin = self.begin;
        drop(self);
        begin.elapsed()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        for (tid, signal) in &self.threads {
            // A thread that is gone needs no more. One that did not halt in time may have by now; if not, it cannot be detached, and is when
            // the thread that traces it ends.
            let signal = signal.or_else(|| match ptrace::poll(*tid) {
                Ok(Some(Halt::Signal(s))) => Some(s),
                Ok(Some(Halt::Interrupted)) => Some(0),
                _ => None,
            });
            let _ = signal.map(|s| ptrace::detach(*tid, s));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_private_memory_that_is_known_as_such_is_not_volatile() {
        let volatile = |flags: &str, inode: u64, name: &str| {
            let line = format!("7f0000000000-7f0000001000 {flags} 00000000 fd:00 {inode}                    {name}");
            mapping(&line).expect("a mapping").is_volatile()
        };
        for name in ["", "[heap]", "[stack]", "[anon:glibc: malloc]", "[vdso]"] {
            assert!(!volatile("rw-p", 0, name) && volatile("rw-s", 0, name), "{name}");
        }
        assert!(!volatile("rw-p", 7, "/usr/lib/a b.so") && !volatile("r--p", 7, "/memfd:x (deleted)"));
        for name in ["[vvar]", "[vvar_vclock]", "[uprobes]", "/dev/mem", "/sys/x/resource0", "anon_inode:[x]", "/[aio]"]
        {
            assert!(volatile("rw-p", 7, name), "{name}");
        }
    }

    #[test]
    fn a_line_of_the_mappings_is_taken_apart() {
        let line = "55d000000000-55d000002000 r-xp 00001000 fd:01 4711                       /bin/a b (deleted)";
        let m = mapping(line).expect("a mapping");
        assert_eq!((m.start, m.end, m.offset), (0x55d0_0000_0000, 0x55d0_0000_2000, 0x1000));
        assert_eq!((m.access, m.shared, m.inode), ([true, false, true], false, 4711));
        assert_eq!((m.device.as_str(), m.name.as_str()), ("fd:01", "/bin/a b (deleted)"));
    }
}
