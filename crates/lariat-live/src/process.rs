//! A running process: its threads, its mappings, its memory, and how it is held and let go.
//!
//! The target is never changed. It is seized without options and interrupted; a tracer that dies, for whatever reason, is
//! detached by the kernel and the target goes on. So nothing here steps it, sets breakpoints or writes to it.

use crate::ptrace::{self, Halt, Registers};
use std::collections::BTreeMap;
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
    /// The file, or a name in brackets, or nothing.
    pub name: String,
}

impl Mapping {
    /// Whether reads may give another value each time, though no thread of the target writes.
    pub fn is_volatile(&self) -> bool {
        self.shared || self.name.starts_with("[vvar") || self.name.starts_with("/dev/")
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

    /// How long each thread has run.
    fn run_times(&self) -> BTreeMap<i32, Duration> {
        let of = |tid: i32| {
            let text = fs::read_to_string(format!("/proc/{}/task/{tid}/schedstat", self.pid)).ok();
            let precise = text.and_then(|t| t.split_whitespace().next()?.parse().ok()).map(Duration::from_nanos);
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

    /// Holds all threads.
    pub fn hold(&self) -> Result<Held, Refused> {
        let begin = Instant::now();
        let mut held = Held { target: self.clone(), threads: BTreeMap::new(), begin, memory: None };
        // A thread may be made by one that is not held yet: look again until there is no new one.
        loop {
            let new: Vec<i32> = self.threads().into_iter().filter(|t| !held.threads.contains_key(t)).collect();
            if new.is_empty() {
                break;
            }
            for tid in new {
                let seized = ptrace::seize(tid);
                match seized {
                    Err(e) if e.raw_os_error() == Some(libc::ESRCH) => continue,
                    Err(e) => return Err(self.refusal("it cannot be held", &e)),
                    Ok(()) => {}
                }
                // From here on it has to be detached.
                held.threads.insert(tid, 0);
                let halt = ptrace::interrupt(tid).and_then(|()| ptrace::wait(tid));
                match halt {
                    Ok(Halt::Interrupted) => {}
                    Ok(Halt::Signal(s)) => {
                        held.threads.insert(tid, s);
                    }
                    Ok(Halt::Gone) | Err(_) => {
                        held.threads.remove(&tid);
                    }
                }
            }
        }
        if held.threads.is_empty() {
            return Err(Refused(format!("process {} has ended", self.pid)));
        }
        let memory =
            File::open(format!("/proc/{}/mem", self.pid)).map_err(|e| self.refusal("its memory cannot be read", &e))?;
        held.memory = Some(memory);
        Ok(held)
    }
}

/// One line of `/proc/PID/maps`.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let flags = words.next()?.as_bytes();
    let offset = words.next()?;
    let name = words.nth(2).unwrap_or_default().trim();
    let number = |t: &str| u64::from_str_radix(t, 16).ok();
    Some(Mapping {
        start: number(start)?,
        end: number(end)?,
        access: [flags.first() == Some(&b'r'), flags.get(1) == Some(&b'w'), flags.get(2) == Some(&b'x')],
        shared: flags.get(3) == Some(&b's'),
        offset: number(offset)?,
        name: name.to_owned(),
    })
}

/// A process whose threads stand still, until this goes away.
#[derive(Debug)]
pub struct Held {
    target: Target,
    /// Each with the signal that has to be handed on.
    threads: BTreeMap<i32, i32>,
    begin: Instant,
    memory: Option<File>,
}

impl Held {
    /// The registers of a thread.
    pub(crate) fn registers(&self, tid: i32) -> Result<(Registers, Vec<u8>), Refused> {
        let read = || Ok((ptrace::registers(tid)?, ptrace::extended_state(tid)?));
        if !self.threads.contains_key(&tid) {
            return Err(Refused(format!("process {} has no thread {tid}; leave --thread out", self.target.pid)));
        }
        read().map_err(|e: io::Error| self.target.refusal("its registers cannot be read", &e))
    }

    /// Where the kernel writes on its own account.
    pub(crate) fn kernel_writes(tid: i32) -> Option<(u64, u64)> {
        ptrace::restartable_sequences(tid)
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
            // A thread that is gone needs no more.
            let _ = ptrace::detach(*tid, *signal);
        }
    }
}
