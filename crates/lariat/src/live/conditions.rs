//! What a verdict on a running thread rests on.
//!
//! The emulator sees one thread, its registers and its memory. A proof says: from this state the thread goes round for ever, as long as nobody
//! else changes what it reads. Whoever is seen to be able to is a condition, named in the headline; a proof without conditions says that
//! the process does not come back. What nobody can see from outside is a standing assumption of every report.

use lariat_ir::{Assumption, AssumptionKind};
use lariat_live::process::{Mapping, Oddity, Target};

/// Something that could still end the loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// So many other threads of the process.
    Threads(usize),
    /// Handlers of these signals.
    Signals(Vec<String>),
    /// A timer whose signal ends the process.
    Timer,
    /// A limit, in words.
    Limit(String),
    /// A file whose contents are read, of which the process has no copy.
    File(String),
    /// Memory that the process has given back to the kernel.
    GivenBack,
    /// The run-time system of a language, in words.
    Runtime(&'static str),
}

impl Condition {
    /// In one word, for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Threads(_) => "thread",
            Self::Signals(_) => "signal",
            Self::Timer => "timer",
            Self::Limit(_) => "limit",
            Self::File(_) => "file",
            Self::GivenBack => "memory",
            Self::Runtime(_) => "runtime",
        }
    }

    /// What could end the loop, to stand after "unless"; `watched` names the memory that the loop reads, or is empty.
    pub fn text(&self, watched: &str) -> String {
        match self {
            Self::Threads(n) => {
                let who = if *n == 1 { "another thread".to_owned() } else { format!("one of {n} other threads") };
                if watched.is_empty() {
                    format!("{who} ends the process or changes its code")
                } else {
                    format!("{who} writes {watched}")
                }
            }
            Self::Signals(names) => {
                let verb = if names.len() == 1 { "the handler of" } else { "a handler of" };
                let end =
                    if watched.is_empty() { "leaves it".to_owned() } else { format!("writes {watched} or leaves it") };
                format!("{verb} {} {end}", names.join(", "))
            }
            Self::Timer => "an alarm without a handler ends the process".to_owned(),
            Self::Limit(words) => format!("{words} ends the process"),
            Self::File(name) => format!("somebody writes to the file {name}"),
            Self::GivenBack => "the kernel takes memory that the process has given back (MADV_FREE)".to_owned(),
            Self::Runtime(words) => (*words).to_owned(),
        }
    }
}

/// What every proof takes for granted.
pub fn standing() -> Vec<Assumption> {
    let all = [
        "nobody else changes the code of the loop or the values that it reads: no debugger, no process_vm_writev",
        "program files are not changed",
        "no signal ends the process: not by kill, and not by an interval timer without a handler, which nobody can see from \
         outside",
    ];
    all.map(|text| Assumption::everywhere(AssumptionKind::Undisturbed, text)).to_vec()
}

/// Signals by which the processor tells a thread of what it has just done itself. A proof shows that the loop does nothing of the sort, so
/// their handlers do not run unless somebody sends the signal with `kill`. Programs in Rust have handlers of two of them.
const FAULTS: [u32; 4] = [4, 7, 8, 11];

/// Signals by which the threads of a C library talk to each other. Where there are other threads, they are a condition already.
const OF_THREADS: [u32; 2] = [32, 33];

/// The conditions that can be seen now.
pub fn seen(target: &Target, thread: i32, mappings: &[Mapping]) -> Vec<Condition> {
    let mut out = Vec::new();
    let others = target.threads().iter().filter(|t| **t != thread).count();
    if others > 0 {
        out.push(Condition::Threads(others));
    }
    // A thread that makes no system call does not unblock a signal.
    let from_threads = |n: &u32| others > 0 && OF_THREADS.contains(n);
    let heard = |n: &u32| !FAULTS.contains(n) && !from_threads(n) && target.may_get(thread, *n);
    let caught: Vec<String> = target.caught_signals().into_iter().filter(heard).map(signal_name).collect();
    if !caught.is_empty() {
        out.push(Condition::Signals(caught));
    }
    if target.may_get(thread, SIGALRM) && alarms_are_set() {
        out.push(Condition::Timer);
    }
    if let Some(seconds) = target.limit("Max cpu time") {
        out.push(Condition::Limit(format!("the limit of {seconds} s of processor time (RLIMIT_CPU)")));
    }
    if let Some(micros) = target.limit("Max realtime timeout").filter(|_| target.is_real_time(thread)) {
        out.push(Condition::Limit(format!("the limit of {micros} us without a pause (RLIMIT_RTTIME)")));
    }
    // Who sets the flag for pending work is another thread or a handler: without any, nobody does.
    let maps = |what: &str| mappings.iter().any(|m| m.name.rsplit('/').next().is_some_and(|n| n.starts_with(what)));
    if !out.is_empty() && maps("libjvm") {
        out.push(Condition::Runtime(
            "the virtual machine asks the thread to stop, for a collection, a deadline or new code",
        ));
    }
    if !out.is_empty() && (maps("python") || maps("libpython")) {
        out.push(Condition::Runtime("somebody sets the interpreter's flag for pending work, as Ctrl-C does"));
    }
    out
}

/// What is special about memory that was read: a condition, or why there is no proof.
pub fn of_memory(oddities: &[Oddity]) -> Result<Vec<Condition>, String> {
    let mut out = Vec::new();
    for oddity in oddities {
        match oddity {
            Oddity::GivenBack => out.push(Condition::GivenBack),
            Oddity::Device => return Err("it reads memory of a device, which may change by itself".to_owned()),
            Oddity::Protected => {
                return Err("it uses memory under a protection key, and whether it may is not known here".to_owned());
            }
        }
    }
    Ok(out)
}

const SIGALRM: u32 = 14;

/// Whether some process has an alarm or a real-time interval timer set. The kernel tells root of all timers, not whose they are; others
/// it tells nothing: then it is the standing assumption that stands.
fn alarms_are_set() -> bool {
    std::fs::read_to_string("/proc/timer_list").is_ok_and(|t| t.contains("it_real_fn"))
}

/// The signals of timers: their handlers may end any loop, at a time that nobody sees from outside.
const TIMER_SIGNALS: [(u32, &str); 3] = [(SIGALRM, "SIGALRM"), (26, "SIGVTALRM"), (27, "SIGPROF")];

/// Why a timer may end any loop of the process, in words.
pub fn timers(target: &Target) -> Option<String> {
    let caught = target.caught_signals();
    let handler = TIMER_SIGNALS.iter().find(|(n, _)| caught.contains(n));
    match handler {
        Some((_, name)) => Some(format!(
            "there is a handler for {name}, so a timer may end the loop; nobody can see from outside whether one is set"
        )),
        None if target.has_timers() => Some("a timer of the process is set, and may end the loop".to_owned()),
        None => None,
    }
}

fn signal_name(n: u32) -> String {
    let names = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (10, "SIGUSR1"),
        (11, "SIGSEGV"),
        (12, "SIGUSR2"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (17, "SIGCHLD"),
        (18, "SIGCONT"),
        (20, "SIGTSTP"),
        (23, "SIGURG"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
        (28, "SIGWINCH"),
        (29, "SIGIO"),
        (31, "SIGSYS"),
    ];
    names.iter().find(|(k, _)| *k == n).map_or_else(|| format!("signal {n}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_says_what_could_end_the_loop() {
        assert_eq!(Condition::Threads(1).text("`stop`"), "another thread writes `stop`");
        assert_eq!(Condition::Threads(3).text(""), "one of 3 other threads ends the process or changes its code");
        let handlers = Condition::Signals(vec!["SIGINT".into(), "SIGCHLD".into()]);
        assert_eq!(handlers.text("`stop`"), "a handler of SIGINT, SIGCHLD writes `stop` or leaves it");
        assert_eq!((handlers.kind(), Condition::Timer.kind()), ("signal", "timer"));
    }

    #[test]
    fn memory_of_a_device_is_no_premise() {
        assert!(of_memory(&[Oddity::Device]).is_err() && of_memory(&[Oddity::Protected]).is_err());
        assert_eq!(of_memory(&[Oddity::GivenBack]), Ok(vec![Condition::GivenBack]));
    }
}
