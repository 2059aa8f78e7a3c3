//! What an analysis spent its time on: an event for each stage of reading and for each attempt of an engine at a loop.
//!
//! Events are made of the results, not on the way: nothing is slower for them.

use crate::analyze::{EntryStudy, Study};
use crate::views::Views;
use lariat_engines::portfolio::{Attempt, Cost, LoopResult};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// Something that took time.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Event {
    /// The file.
    pub file: String,
    /// What was done: `compile`, `translate`, `search` or `check`.
    pub phase: &'static str,
    /// The entry, or the loop that is looked at by itself.
    pub entry: Option<String>,
    /// The system: its integer semantics, and which verdicts it can carry.
    pub system: Option<String>,
    /// The loop: the name of its header.
    #[serde(rename = "loop")]
    pub header: Option<String>,
    /// Where the loop is, as `file:line:column`.
    pub at: Option<String>,
    /// The engine.
    pub engine: Option<&'static str>,
    /// How hard it tried: `quick`, `brief` or `full`.
    pub rung: Option<&'static str>,
    /// When it began, in milliseconds after the work on the file did.
    pub start: f64,
    /// How long it took, in milliseconds.
    pub millis: f64,
    /// How many questions solvers were asked.
    pub queries: u64,
    /// What came of it: `terminates`, `diverges`, `gave-up`, `not-confirmed`, `rejected`, or `done`.
    pub outcome: &'static str,
}

/// When the work on a file began, and what reading it took.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// When the work began.
    pub begin: Instant,
    /// What the compiler took.
    pub compiling: Duration,
    /// What making systems of its output took.
    pub translating: Duration,
}

impl Default for Reading {
    /// The work begins now.
    fn default() -> Self {
        Self { begin: Instant::now(), compiling: Duration::ZERO, translating: Duration::ZERO }
    }
}

/// The events of a file, in the order in which they began.
pub fn events(file: &str, reading: Reading, entries: &[EntryStudy], views: &Views) -> Vec<Event> {
    let stage = |phase, start: Duration, time: Duration| Event {
        file: file.to_owned(),
        phase,
        entry: None,
        system: None,
        header: None,
        at: None,
        engine: None,
        rung: None,
        start: millis(start),
        millis: millis(time),
        queries: 0,
        outcome: "done",
    };
    let mut found = Vec::new();
    if reading.compiling > Duration::ZERO {
        found.push(stage("compile", Duration::ZERO, reading.compiling));
        found.push(stage("translate", reading.compiling, reading.translating));
    }
    let of_entries = entries.iter().flat_map(|e| e.studies.iter().chain(&e.beside).map(|s| (e.name.clone(), s)));
    let of_views = views.ending.iter().map(|v| (format!("{}, by itself", v.study.ts.name), &v.study));
    for (entry, study) in of_entries.chain(of_views) {
        for result in &study.analysis.loops {
            found.extend(result.attempts.iter().flat_map(|a| of_attempt(file, reading, &entry, study, result, a)));
        }
    }
    found.sort_by(|a, b| a.start.total_cmp(&b.start));
    found
}

fn of_attempt(
    file: &str,
    reading: Reading,
    entry: &str,
    study: &Study,
    result: &LoopResult,
    attempt: &Attempt,
) -> Vec<Event> {
    let header = &study.ts.locs[study.analysis.forest().loops[result.id].header];
    let begin = attempt.begin.saturating_duration_since(reading.begin);
    let event = |phase, start: Duration, cost: Cost| Event {
        file: file.to_owned(),
        phase,
        entry: Some(entry.to_owned()),
        system: Some(format!("{}, {}", study.ts.integers, study.ts.proves.word())),
        header: Some(header.name.clone()),
        at: header.span.as_ref().map(ToString::to_string),
        engine: Some(attempt.engine),
        rung: Some(attempt.effort.word()),
        start: millis(start),
        millis: millis(cost.time),
        queries: cost.questions,
        outcome: attempt.end.word(),
    };
    let mut events = vec![event("search", begin, attempt.search)];
    if attempt.check.time > Duration::ZERO {
        events.push(event("check", begin + attempt.search.time, attempt.check));
    }
    events
}

fn millis(t: Duration) -> f64 {
    (t.as_secs_f64() * 1e6).round() / 1e3
}

/// An event for each line, as JSON.
pub fn lines(events: &[Event]) -> String {
    let line = |e: &Event| serde_json::to_string(e).expect("texts and numbers can be written") + "\n";
    events.iter().map(line).collect()
}

/// The events as lines of Chrome's trace format, which is a list: what shows it wants `[` before and `]` behind, and commas between the lines.
pub fn chrome_lines(events: &[Event]) -> String {
    let line = |e: &Event| {
        let name = match (e.engine, e.phase) {
            (Some(engine), "check") => format!("check: {engine}"),
            (Some(engine), _) => engine.to_owned(),
            (None, phase) => phase.to_owned(),
        };
        let args: Json = serde_json::to_value(e).expect("texts and numbers can be written");
        let one = json!({
            "name": name,
            "cat": e.phase,
            "ph": "X",
            "ts": e.start * 1e3,
            "dur": e.millis * 1e3,
            "pid": e.file,
            "tid": e.entry.as_deref().unwrap_or("reading"),
            "args": args,
        });
        one.to_string() + "\n"
    };
    events.iter().map(line).collect()
}
