//! The result model: what is known of a file, as data. Reports are pure functions of it.

mod combine;
pub(crate) mod contents;
mod intent;
mod live;
mod note;
mod overflow;
mod reader;
mod reason;
pub(crate) mod replay;
mod simpler;
mod views;
mod why;
mod witness;
mod words;

pub use combine::combine;
pub use intent::Intent;
pub use live::{Live, WatchedValue};
pub use note::Note;
pub use overflow::{OnlyByOverflow, OverflowReport};
pub use reason::{MemoryLimit, ProcessReason, Reason, ReasonKind, Stage};
pub use words::condition_words;

use crate::analyze::Verdict;
use crate::harness::Harness;
use crate::trace;
use lariat_engines::portfolio::Attempt;
use lariat_ir::{Assumption, Data, LoopCopy, LoopKey, SourceKind, Span};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// What is known of one input file.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file as the user named it.
    pub file: String,
    /// The texts of the files that places speak of, for excerpts; one that could not be read is not there.
    pub sources: BTreeMap<String, String>,
    /// What was found, or why nothing could be.
    pub outcome: Result<Results, Failure>,
    /// Programs that show what was found, where they were wanted.
    pub harnesses: Vec<Harness>,
}

impl Program {
    /// Results, with the texts of the places in them.
    pub fn new(path: &Path, results: Results, harnesses: Vec<Harness>) -> Self {
        let loops = results.loops.iter().chain(&results.recursion);
        let steps = |l: &LoopReport| {
            let all = l.witness.iter().flat_map(|w| w.stem.iter().chain(&w.cycle));
            all.filter_map(|s| s.span.clone()).chain(l.place.clone()).collect::<Vec<_>>()
        };
        let places: Vec<Span> = loops.flat_map(steps).collect();
        let sources = texts(places.iter());
        Self { file: path.display().to_string(), sources, outcome: Ok(results), harnesses }
    }
    /// A file that could not be analysed.
    pub fn failed(path: &Path, message: impl Into<String>) -> Self {
        Self::failed_at(path, Failure { place: None, message: message.into() })
    }
    /// A file that could not be analysed, with the text of the place where that is.
    pub fn failed_at(path: &Path, failure: Failure) -> Self {
        let sources = texts(failure.place.iter());
        Self { file: path.display().to_string(), sources, outcome: Err(failure), harnesses: Vec::new() }
    }
}

/// The texts of the files that places are in; what cannot be read is not shown.
fn texts<'a>(places: impl Iterator<Item = &'a Span>) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for place in places {
        if !all.contains_key(&place.file)
            && let Ok(bytes) = std::fs::read(&place.file)
        {
            all.insert(place.file.clone(), String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    all
}

/// Why a file could not be analysed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Where, if at one place.
    pub place: Option<Span>,
    /// One sentence, with the next step.
    pub message: String,
}

/// The results for one program.
#[derive(Clone, Debug)]
pub struct Results {
    /// The verdict: of the entry, or of all entries together.
    pub verdict: Verdict,
    /// Why it is unknown.
    pub reason: Option<Reason>,
    /// The integer semantics.
    pub integers: String,
    /// The data model.
    pub data_model: String,
    /// The entry, or `all`.
    pub entry: String,
    /// Each entry.
    pub entries: Vec<EntryReport>,
    /// The loops, in the order of their places.
    pub loops: Vec<LoopReport>,
    /// The functions that call themselves, and what else is left open besides loops, in the order of their places.
    pub recursion: Vec<LoopReport>,
    /// What the verdicts rest on.
    pub assumptions: Vec<Assumption>,
    /// Verdicts that contradict each other.
    pub contradictions: Vec<String>,
    /// How long it took.
    pub time: Duration,
    /// What took the time, in its order.
    pub trace: Vec<trace::Event>,
    /// Of a running process: what else is known.
    pub live: Option<Box<Live>>,
}

/// The report of one entry.
#[derive(Clone, Debug)]
pub struct EntryReport {
    /// Its name.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is unknown.
    pub reason: Option<Reason>,
    /// The proof of the verdict.
    pub certificate: Option<Data>,
    /// The systems that certificates speak of.
    pub systems: Vec<SystemReport>,
    /// Where the verdict follows from views: the loops of the source that must end.
    pub needs: Option<Vec<LoopKey>>,
}

/// A system in the results.
#[derive(Clone, Debug)]
pub struct SystemReport {
    /// Which verdicts it can carry.
    pub proves: &'static str,
    /// Its hash.
    pub hash: String,
    /// Its text.
    pub lts: String,
}

/// What a report is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A loop of the source.
    Source(LoopCopy),
    /// A loop of a system that says nothing of a source.
    Loop,
    /// Something that could run for ever and is no loop of its system, in words.
    Obligation(String),
}

/// The report of one loop, or of one recursion.
#[derive(Clone, Debug)]
pub struct LoopReport {
    /// The entry that the certificate is about.
    pub entry: String,
    /// Its header's name.
    pub id: String,
    /// What it is.
    pub subject: Subject,
    /// The function it is in.
    pub function: Option<String>,
    /// Its source, if that is known.
    pub span: Option<Span>,
    /// What a reader is shown: its source, or its location in the `.lts` file.
    pub place: Option<Span>,
    /// How many loops are around it, itself included.
    pub depth: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// For which initial states, as C; nothing if for all.
    pub when: Option<String>,
    /// The same for a reader: what it says of variables of the source, and whether that is all.
    pub when_readable: Option<(String, bool)>,
    /// Who proved it.
    pub engine: Option<&'static str>,
    /// The claim with its certificate.
    pub certificate: Option<Data>,
    /// The kind of the certificate.
    pub kind: Option<&'static str>,
    /// The run that does not end.
    pub witness: Option<Witness>,
    /// How often it can go round at most.
    pub bound: Option<String>,
    /// In sentences: what falls, or what repeats.
    pub why: Vec<String>,
    /// What holds again after every iteration of an endless run, whatever the values are.
    pub in_general: Option<String>,
    /// The loop inside this one that the endless run never leaves.
    pub inner: Option<Span>,
    /// The values that stay as they are in an endless run, in a few words.
    pub stays: Option<String>,
    /// What an endless loop is for, if it seems to be meant.
    pub intent: Option<Intent>,
    /// What the other integer semantics say, where they differ.
    pub overflow: Option<OverflowReport>,
    /// Why the verdict is unknown.
    pub reason: Option<Reason>,
    /// Claims that the checker did not accept.
    pub rejected: Vec<String>,
    /// The same loop of the source in other entries, or called from elsewhere.
    pub others: Vec<CopyReport>,
    /// What engines tried, in its order, and what that cost.
    pub attempts: Vec<Attempt>,
    /// How long it took.
    pub time: Duration,
    /// The view that the certificate is about, if it is about one.
    pub view: Option<Box<ViewReport>>,
    /// Whether the opposite verdict is proved wherever the condition of this one does not hold.
    pub exactly: bool,
}

/// A view that was proved to end.
#[derive(Clone, Debug)]
pub struct ViewReport {
    /// What it was made of.
    pub rung: &'static str,
    /// Its system.
    pub system: SystemReport,
    /// What must hold when the loop is entered, for the view to be one of it; nothing if it always is.
    pub when: Option<String>,
    /// The loops of the source that must end, too: those inside, and those of the functions that are called.
    pub needs: Vec<LoopKey>,
}

impl LoopReport {
    /// One of which nothing was proved.
    fn open(entry: String, id: String, subject: Subject, span: Option<Span>, reason: Reason) -> Self {
        Self {
            entry,
            id,
            subject,
            function: None,
            place: span.clone(),
            span,
            depth: 1,
            verdict: Verdict::Unknown,
            when: None,
            when_readable: None,
            engine: None,
            certificate: None,
            kind: None,
            witness: None,
            bound: None,
            why: Vec::new(),
            in_general: None,
            inner: None,
            stays: None,
            intent: None,
            overflow: None,
            reason: Some(reason),
            rejected: Vec::new(),
            others: Vec::new(),
            attempts: Vec::new(),
            time: Duration::ZERO,
            view: None,
            exactly: false,
        }
    }
    /// The function that calls itself, if this is a recursion.
    pub fn recursion(&self) -> Option<&str> {
        let key = self.source().filter(|key| key.kind == SourceKind::Recursion)?;
        Some(self.function.as_deref().unwrap_or(&key.function))
    }
    /// The loop of the source that it is.
    pub fn source(&self) -> Option<&LoopKey> {
        match &self.subject {
            Subject::Source(copy) => Some(&copy.key),
            Subject::Loop | Subject::Obligation(_) => None,
        }
    }
    /// What is left open, if this is no loop of the system.
    pub fn obligation(&self) -> Option<&str> {
        match &self.subject {
            Subject::Obligation(text) => Some(text),
            Subject::Source(_) | Subject::Loop => None,
        }
    }
}

/// Another copy of a loop of the source.
#[derive(Clone, Debug)]
pub struct CopyReport {
    /// The entry it is in.
    pub entry: String,
    /// Its header's name.
    pub id: String,
    /// The verdict.
    pub verdict: Verdict,
    /// For which initial states, as C; nothing if for all.
    pub when: Option<String>,
    /// The claim with its certificate.
    pub certificate: Option<Data>,
}

/// A run that does not end.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The first values of variables that matter, and the inputs in the order in which they are read before the loop.
    pub inputs: Vec<Input>,
    /// The steps to the loop.
    pub stem: Vec<StepReport>,
    /// The steps around it.
    pub cycle: Vec<StepReport>,
}

/// A value that somebody chooses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What it is called: a function, a parameter, a variable.
    pub name: String,
    /// The value.
    pub value: String,
    /// Where it comes from.
    pub origin: InputOrigin,
}

/// Where an input comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputOrigin {
    /// A call of a function returns it.
    Call(Option<Span>),
    /// It is the parameter of this number, from 0.
    Parameter(usize),
    /// It is there before the entry is called.
    Before,
    /// It is what streams hold, as text.
    Stream,
    /// From somewhere else.
    Unknown,
}

/// One step of a run: a line of the source, or an edge of an `.lts` file.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// The location it starts from, in an `.lts` file.
    pub at: Option<String>,
    /// The location that is reached, in an `.lts` file.
    pub to: Option<String>,
    /// Its source.
    pub span: Option<Span>,
    /// The inputs that are read, with the values to give.
    pub inputs: Vec<Input>,
    /// The variables that changed, with their new values.
    pub changed: Vec<(String, String)>,
}
