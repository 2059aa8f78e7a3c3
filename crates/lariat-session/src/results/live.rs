//! What results say of a running process.

use lariat_ir::Span;
use std::time::Duration;

/// What reports say about a process beside what they say about any program.
#[derive(Clone, Debug)]
pub struct Live {
    /// The process.
    pub pid: i32,
    /// The thread.
    pub thread: i32,
    /// The command line.
    pub command: String,
    /// How long it was held.
    pub held: Duration,
    /// How long the proof took after it was released.
    pub search: Duration,
    /// Instructions an iteration, the least and the most.
    pub instructions: Option<(u64, u64)>,
    /// How many iterations make a round after which all is as before.
    pub period: Option<usize>,
    /// Whether only unbounded integers make it infinite.
    pub unbounded: bool,
    /// When a counter wraps.
    pub leaves_in: Option<Duration>,
    /// The values that the loop reads.
    pub watch: Vec<WatchedValue>,
    /// Where the thread was, in words.
    pub at: String,
    /// Inlined calls around the header of the loop, the innermost first.
    pub frames: Vec<String>,
    /// The lines of the loop.
    pub lines: Vec<Span>,
    /// In one sentence.
    pub verdict: String,
    /// What could still end the loop: a word for machines, and words for readers, to stand after "unless".
    pub conditions: Vec<(&'static str, String)>,
    /// Whether the thread waits.
    pub waits: bool,
}

/// A value that a loop reads and that has to stay as the proof says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WatchedValue {
    /// What a reader calls it.
    pub name: String,
    /// Where it is.
    pub place: String,
    /// How many bytes it has.
    pub size: u32,
    /// Its value when the loop was watched.
    pub value: String,
    /// Whether the loop changes it.
    pub changes: bool,
}
