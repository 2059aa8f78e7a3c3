//! Workers: copies of this process, each with a part of its work.

use crate::sys::{self, Ask};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitStatus;

/// How much of what a worker wrote to its standard error is kept.
const WORDS: usize = 4096;

/// What a fork returns.
pub enum Side {
    /// In this process.
    Parent(Worker),
    /// In the copy.
    Child(Seat),
}

/// Makes a worker. Only a process with one thread can: another one could hold a lock which the copy would wait for in vain.
/// The copy does not return from what it does, but ends with its process.
pub fn fork() -> io::Result<Side> {
    if sys::threads() != 1 {
        return Err(io::Error::other("a process of several threads makes no workers"));
    }
    let (commands_out, commands_in) = sys::pipe()?;
    let (answers_out, answers_in) = sys::pipe()?;
    let (words_out, words_in) = sys::pipe()?;
    sys::without_waiting(&answers_out)?;
    sys::without_waiting(&words_out)?;
    let parent = sys::own_pid();
    match sys::fork()? {
        Some(pid) => Ok(Side::Parent(Worker {
            pid,
            commands: commands_in,
            answers: answers_out,
            words: words_out,
            received: Vec::new(),
            said: Vec::new(),
            ended: None,
        })),
        None => {
            sys::settle(parent, &words_in);
            Ok(Side::Child(Seat { commands: commands_out, answers: answers_in }))
        }
    }
}

/// A worker, as its parent sees it. It is killed when this is dropped.
pub struct Worker {
    pid: i32,
    commands: File,
    answers: File,
    words: File,
    received: Vec<u8>,
    said: Vec<u8>,
    ended: Option<ExitStatus>,
}

impl Worker {
    /// Its number.
    pub fn pid(&self) -> u32 {
        self.pid.unsigned_abs()
    }
    /// Gives it the task of a number. It waits for tasks, and reads them at once.
    pub fn give(&mut self, task: u32) -> io::Result<()> {
        self.commands.write_all(&task.to_le_bytes())
    }
    /// Asks it to come to an end with its task.
    pub fn ask(&self, what: Ask) {
        if self.ended.is_none() {
            sys::ask(self.pid, what);
        }
    }
    /// Kills one of its descendants, by its number.
    pub fn kill_descendant(&self, pid: u32) {
        if let Ok(pid) = i32::try_from(pid)
            && self.ended.is_none()
            && pid != self.pid
        {
            sys::kill(pid);
        }
    }
    /// Kills it with all of its descendants.
    pub fn kill(&self) {
        if self.ended.is_none() {
            sys::kill_group(self.pid);
        }
    }
    /// What becomes readable when it answers, speaks or ends.
    pub fn fds(&self) -> [BorrowedFd<'_>; 2] {
        [self.answers.as_fd(), self.words.as_fd()]
    }
    /// The answer to its task, if it is all there.
    pub fn answer(&mut self) -> Option<Vec<u8>> {
        read_what_is_there(&mut self.answers, &mut self.received);
        let (length, rest) = self.received.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        if rest.len() < length {
            return None;
        }
        let answer = rest[..length].to_vec();
        self.received.drain(..8 + length);
        Some(answer)
    }
    /// The last words on its standard error.
    pub fn words(&mut self) -> String {
        read_what_is_there(&mut self.words, &mut self.said);
        let from = self.said.len().saturating_sub(WORDS);
        self.said.drain(..from);
        String::from_utf8_lossy(&self.said).into_owned()
    }
    /// In another worker: it is not ours to kill.
    pub fn disown(mut self) {
        self.ended = Some(ExitStatus::default());
    }
    /// How it ended, if it has. What is left of its group is killed then.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = sys::ended(self.pid);
        }
        self.ended
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
        // Whoever measures what this process and its children took is told of all of them.
        if self.ended.is_none() {
            sys::wait_for_end(self.pid);
        }
    }
}

fn read_what_is_there(from: &mut File, into: &mut Vec<u8>) {
    let mut buffer = [0; 1 << 14];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => into.extend_from_slice(&buffer[..n]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// A worker's side.
pub struct Seat {
    commands: File,
    answers: File,
}

impl Seat {
    /// Waits for the next task; nothing when there is none any more.
    pub fn task(&mut self) -> Option<u32> {
        let mut number = [0; 4];
        self.commands.read_exact(&mut number).ok()?;
        Some(u32::from_le_bytes(number))
    }
    /// Sends the answer to a task.
    pub fn answer(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.answers.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.answers.write_all(bytes)
    }
}
