//! Files are analysed by worker processes; this is who watches over them.
//!
//! A thread that does not look at the clock, or takes all memory, cannot be stopped; a process can. So the main process only
//! hands out files, looks at the clock, at signals and at the memory of all processes together, and prints. A worker that
//! comes near a limit is asked to answer with what it has, and is killed when that takes too long. In both cases another
//! one takes its place, with nothing of what the last one held. A crash costs one file.

use super::progress::Progress;
use lariat_process::{Ask, Seat, Side, Signals, Usage, Worker};
use lariat_session::Why;
use lariat_session::harness::Harness;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// So long after its time a worker is killed. It answers with what it has after [`lariat_session::session::GRACE`].
const LATEST: Duration = Duration::from_millis(850);
/// So long a worker has for its answer when it is asked to come to an end.
const TO_COME_TO_AN_END: Duration = Duration::from_secs(1);
/// How often memory is looked at; while it is far from the limit, and when it is not. Memory grows by about a megabyte in a millisecond.
const LOOK: Duration = Duration::from_millis(25);
const LOOK_CLOSELY: Duration = Duration::from_millis(4);

/// What a worker says of its file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Answer {
    /// The part of the output.
    pub text: String,
    /// What took the time, a line for each event; empty if nobody asks.
    pub trace: String,
    /// The exit status, as far as this file decides it.
    pub status: u8,
    /// Sentences for standard error.
    pub messages: Vec<String>,
    /// Programs that show what was found.
    pub harnesses: Vec<Harness>,
    /// The worker has something left that it cannot get rid of, such as a thread that does not end.
    pub spent: bool,
    /// It counts only if no other one comes.
    pub is_early: bool,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Lost {
    /// It had to end.
    Limit(Why),
    /// The worker crashed, or could not be started: why.
    Crashed(String),
}

/// What is to be done.
pub(super) struct Tasks<'a> {
    /// How many files there are.
    pub count: usize,
    /// How many are analysed at once.
    pub jobs: usize,
    /// How long each may take.
    pub time: Duration,
    /// How many bytes all processes together may use.
    pub memory: u64,
    /// What a worker does. When it returns, the worker ends.
    pub serve: &'a dyn Fn(Seat),
    /// Makes an answer for a file whose worker gave none.
    pub lost: &'a dyn Fn(usize, Lost) -> Answer,
}

/// How it went.
pub(super) struct Outcome {
    /// The answers, in the order of the files.
    pub answers: Vec<Answer>,
    /// Whether the user interrupted it.
    pub interrupted: bool,
}

impl Tasks<'_> {
    /// Does them all, or gives the number of the signal that ended it.
    pub(super) fn run(&self, signals: &Signals, progress: &Progress) -> Result<Outcome, i32> {
        let mut all = Supervisor {
            tasks: self,
            open: (0..self.count).collect(),
            answers: BTreeMap::new(),
            posts: (0..self.jobs).map(|_| Post::default()).collect(),
            leaving: Vec::new(),
            interrupted: None,
            looks_at: Instant::now(),
        };
        while all.answers.len() < self.count {
            all.hand_out();
            all.wait(signals);
            while let Some(signal) = signals.next() {
                all.on_signal(signal)?;
            }
            all.collect();
            all.look_at_the_clock();
            all.look_at_the_memory();
            progress.show(all.answers.len());
        }
        Ok(Outcome { answers: all.answers.into_values().collect(), interrupted: all.interrupted.is_some() })
    }
}

/// Where a worker works.
#[derive(Default)]
struct Post {
    worker: Option<Worker>,
    task: Option<Task>,
}

/// A file in work.
struct Task {
    number: usize,
    /// When its worker is killed.
    deadline: Instant,
    /// What its worker was asked for.
    asked: Ask,
    /// What it said early.
    early: Option<Answer>,
}

struct Supervisor<'a> {
    tasks: &'a Tasks<'a>,
    open: VecDeque<usize>,
    answers: BTreeMap<usize, Answer>,
    posts: Vec<Post>,
    /// Workers that were killed, or are about to end by themselves, and still have memory.
    leaving: Vec<Worker>,
    interrupted: Option<Instant>,
    /// When to look at the memory again.
    looks_at: Instant,
}

impl Supervisor<'_> {
    /// Gives a file to every worker that has none.
    fn hand_out(&mut self) {
        for i in 0..self.posts.len() {
            if self.posts[i].task.is_some() {
                continue;
            }
            // The memory of the last worker is waited for: else there would be too much for a moment.
            if self.posts[i].worker.is_none() && !self.leaving.is_empty() {
                continue;
            }
            let Some(number) = self.open.pop_front() else { return };
            if let Err(e) = self.give(i, number) {
                self.dismiss(i);
                let why = Lost::Crashed(format!("no process could be started: {e}"));
                self.answers.insert(number, (self.tasks.lost)(number, why));
            }
        }
    }

    fn give(&mut self, post: usize, number: usize) -> io::Result<()> {
        if self.posts[post].worker.is_none() {
            match lariat_process::fork()? {
                Side::Parent(worker) => self.posts[post].worker = Some(worker),
                Side::Child(seat) => {
                    let others = self.posts.iter_mut().filter_map(|p| p.worker.take());
                    for worker in others.chain(std::mem::take(&mut self.leaving)) {
                        worker.disown();
                    }
                    (self.tasks.serve)(seat);
                    lariat_smt::leave(0)
                }
            }
        }
        let worker = self.posts[post].worker.as_mut().expect("it was made just now");
        worker.give(u32::try_from(number).map_err(io::Error::other)?)?;
        let deadline = Instant::now() + self.tasks.time + LATEST;
        self.posts[post].task = Some(Task { number, deadline, asked: Ask::Nothing, early: None });
        Ok(())
    }

    fn wait(&self, signals: &Signals) {
        let mut fds = vec![signals.as_fd()];
        for worker in self.posts.iter().filter_map(|p| p.worker.as_ref()) {
            fds.extend(worker.fds());
        }
        let next = self.posts.iter().filter_map(|p| p.task.as_ref()).map(|t| t.deadline).min();
        let until = next.map_or(self.looks_at, |d| d.min(self.looks_at));
        let time = until.saturating_duration_since(Instant::now());
        lariat_process::wait_readable(&fds, time.min(LOOK).max(Duration::from_millis(1)));
    }

    fn on_signal(&mut self, signal: i32) -> Result<(), i32> {
        const INTERRUPT: i32 = 2;
        if signal != INTERRUPT || self.interrupted.is_some() {
            // The workers are killed when they are dropped.
            return Err(signal);
        }
        eprintln!("lariat: stopping; Ctrl-C again ends at once");
        self.interrupted = Some(Instant::now());
        for number in std::mem::take(&mut self.open) {
            self.answers.insert(number, (self.tasks.lost)(number, Lost::Limit(Why::Interrupted)));
        }
        for post in &mut self.posts {
            post.ask(Ask::Stop);
        }
        Ok(())
    }

    /// Takes the answers that are there, and sees who has ended without one.
    fn collect(&mut self) {
        for i in 0..self.posts.len() {
            let Post { worker: Some(worker), task } = &mut self.posts[i] else { continue };
            // First whether it has ended: what it said before is then all there. Nobody may wait for us to read it.
            let ended = worker.ended();
            let words = worker.words();
            let (mut done, mut torn) = (None, false);
            while let Some(bytes) = worker.answer() {
                let answer = Answer::decode(&bytes);
                match (answer, task.as_mut()) {
                    (Some(answer), Some(task)) if answer.is_early => task.early = Some(answer),
                    (Some(answer), Some(_)) => done = Some(answer),
                    // Nobody asked, or it cannot be read.
                    _ => torn = true,
                }
            }
            if torn {
                worker.kill();
            } else if let Some(answer) = done
                && let Some(task) = task.take()
            {
                if answer.spent {
                    self.dismiss(i);
                }
                self.answers.insert(task.number, answer);
            }
            if let Some(status) = ended {
                self.posts[i].worker = None;
                if let Some(task) = self.posts[i].task.take() {
                    let why = how_it_ended(&task, status, &words);
                    self.lose(task, why);
                }
            }
        }
        self.leaving.retain_mut(|w| w.ended().is_none());
    }

    fn look_at_the_clock(&mut self) {
        let now = Instant::now();
        for i in 0..self.posts.len() {
            if self.posts[i].task.as_ref().is_none_or(|t| t.deadline > now) {
                continue;
            }
            let task = self.posts[i].task.take().expect("it is there");
            self.dismiss(i);
            let why = match task.asked {
                Ask::Nothing => Lost::Limit(Why::Time),
                Ask::Stop => Lost::Limit(Why::Interrupted),
                Ask::Memory => Lost::Limit(Why::Memory),
            };
            self.lose(task, why);
        }
    }

    /// Sees to it that all processes together keep to the limit.
    fn look_at_the_memory(&mut self) {
        let now = Instant::now();
        if now < self.looks_at {
            return;
        }
        let own = lariat_process::usage(std::process::id());
        let total: u64 = own.iter().map(|u| u.bytes).sum();
        let limit = self.tasks.memory;
        // Enough for what a worker needs to say what it has.
        let near = limit - limit / 8;
        self.looks_at = now + if total > limit / 2 { LOOK_CLOSELY } else { LOOK };
        if total < near {
            return;
        }
        let trees = self.posts.iter().enumerate().filter_map(|(i, p)| {
            let worker = p.worker.as_ref().filter(|_| p.task.is_some())?;
            let tree = lariat_process::usage(worker.pid());
            Some((tree.iter().map(|u| u.bytes).sum::<u64>(), i, tree))
        });
        let Some((_, i, tree)) = trees.max_by_key(|(bytes, ..)| *bytes) else {
            // Workers without a file keep memory for the next one.
            for i in 0..self.posts.len() {
                self.dismiss(i);
            }
            return;
        };
        self.posts[i].ask(Ask::Memory);
        let worker = self.posts[i].worker.as_ref().expect("it was looked at just now");
        let largest = tree.iter().max_by_key(|u| u.bytes).copied().unwrap_or(Usage { pid: worker.pid(), bytes: 0 });
        if largest.pid != worker.pid() {
            // A compiler says nothing better when it is asked.
            worker.kill_descendant(largest.pid);
        } else if total >= limit {
            let task = self.posts[i].task.take().expect("only workers with a file were looked at");
            self.dismiss(i);
            self.lose(task, Lost::Limit(Why::Memory));
        }
    }

    /// Ends a worker; its place is free when its memory is.
    fn dismiss(&mut self, post: usize) {
        if let Some(worker) = self.posts[post].worker.take() {
            worker.kill();
            self.leaving.push(worker);
        }
    }

    /// Answers for a worker that did not: with what it said early, if that fits.
    fn lose(&mut self, task: Task, why: Lost) {
        let answer = match (why, task.early) {
            (Lost::Limit(Why::Time | Why::Memory), Some(early)) => early,
            (why, _) => (self.tasks.lost)(task.number, why),
        };
        self.answers.insert(task.number, answer);
    }
}

impl Post {
    /// Asks for the end of the task, once for each reason; a shortage of memory is the stronger one.
    fn ask(&mut self, what: Ask) {
        let (Some(worker), Some(task)) = (&self.worker, &mut self.task) else { return };
        if task.asked == what || task.asked == Ask::Memory {
            return;
        }
        task.asked = what;
        task.deadline = task.deadline.min(Instant::now() + TO_COME_TO_AN_END);
        worker.ask(what);
    }
}

/// Why a worker ended without an answer.
fn how_it_ended(task: &Task, status: ExitStatus, words: &str) -> Lost {
    // What is said when there is no memory: by Rust's allocator, by that of C++, by Z3.
    let memory = ["memory allocation of", "bad_alloc", "out of memory"];
    // Where address space is limited, stacks are small.
    let stack = words.contains("overflowed its stack") && lariat_process::address_space_limit().is_some();
    if task.asked == Ask::Memory || stack || memory.iter().any(|m| words.contains(m)) {
        return Lost::Limit(Why::Memory);
    }
    if task.asked == Ask::Stop {
        return Lost::Limit(Why::Interrupted);
    }
    let last = words.lines().rfind(|l| !l.trim().is_empty()).map(|l| format!(" ({})", l.trim())).unwrap_or_default();
    Lost::Crashed(match status.signal() {
        Some(signal) => format!("the process that analysed it was ended by signal {signal}{last}"),
        None => format!("the process that analysed it ended by itself{last}"),
    })
}

impl Answer {
    /// As bytes: numbers, and texts behind their lengths.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = vec![self.status, u8::from(self.spent), u8::from(self.is_early)];
        let text = |out: &mut Vec<u8>, s: &str| {
            out.extend((s.len() as u64).to_le_bytes());
            out.extend(s.as_bytes());
        };
        text(&mut out, &self.text);
        text(&mut out, &self.trace);
        out.extend((self.messages.len() as u64).to_le_bytes());
        for m in &self.messages {
            text(&mut out, m);
        }
        out.extend((self.harnesses.len() as u64).to_le_bytes());
        for Harness { name, text: program, runs, recursion } in &self.harnesses {
            text(&mut out, name);
            text(&mut out, program);
            out.extend([u8::from(*runs), u8::from(*recursion)]);
        }
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = Bytes(bytes);
        let (status, spent, is_early) = (rest.byte()?, rest.byte()? != 0, rest.byte()? != 0);
        let (text, trace) = (rest.text()?, rest.text()?);
        let messages = (0..rest.number()?).map(|_| rest.text()).collect::<Option<Vec<_>>>()?;
        let harness = |rest: &mut Bytes<'_>| {
            let (name, text) = (rest.text()?, rest.text()?);
            Some(Harness { name, text, runs: rest.byte()? != 0, recursion: rest.byte()? != 0 })
        };
        let harnesses = (0..rest.number()?).map(|_| harness(&mut rest)).collect::<Option<Vec<_>>>()?;
        rest.0.is_empty().then_some(Self { text, trace, status, messages, harnesses, spent, is_early })
    }
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }
    fn number(&mut self) -> Option<usize> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        usize::try_from(u64::from_le_bytes(*number)).ok()
    }
    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written_and_torn_ones_are_not() {
        let harness = Harness { name: "f-1.c".into(), text: "int main;\n".into(), runs: true, recursion: false };
        let answer = Answer {
            trace: "{}\n".to_owned(),
            text: "a ü\n".into(),
            status: 1,
            messages: vec!["one".into(), String::new()],
            harnesses: vec![harness],
            spent: true,
            is_early: false,
        };
        let bytes = answer.encode();
        assert_eq!(Answer::decode(&bytes), Some(answer));
        assert_eq!(Answer::decode(&Answer::default().encode()), Some(Answer::default()));
        for n in 0..bytes.len() {
            assert_eq!(Answer::decode(&bytes[..n]), None);
        }
        let longer = [&bytes[..], b"x"].concat();
        assert_eq!(Answer::decode(&longer), None);
    }

    #[test]
    fn what_a_dead_worker_said_tells_why_it_ended() {
        let task = |asked| Task { number: 0, deadline: Instant::now(), asked, early: None };
        let killed = ExitStatus::from_raw(6);
        let why = |asked, words| how_it_ended(&task(asked), killed, words);
        assert_eq!(why(Ask::Nothing, "memory allocation of 4096 bytes failed\n"), Lost::Limit(Why::Memory));
        assert_eq!(why(Ask::Nothing, "terminate called after throwing 'std::bad_alloc'"), Lost::Limit(Why::Memory));
        assert_eq!(why(Ask::Memory, ""), Lost::Limit(Why::Memory));
        assert_eq!(why(Ask::Stop, ""), Lost::Limit(Why::Interrupted));
        let Lost::Crashed(words) = why(Ask::Nothing, "stack overflow\n\n") else { panic!("a crash") };
        assert_eq!(words, "the process that analysed it was ended by signal 6 (stack overflow)");
    }
}
