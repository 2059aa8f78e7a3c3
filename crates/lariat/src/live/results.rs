//! What was found out about a process, in the model that all reports are made from.

use super::names::Names;
use super::prove::{Found, Outcome};
use lariat_engines::concolic::Counter;
use lariat_ir::{Assumption, Span, claim, lts};
use lariat_live::Stop;
use lariat_live::observe::CellPlace;
use lariat_session::Verdict;
use lariat_session::results::{
    EntryReport, Live, LoopReport, ProcessReason, Program, Reason, Results, Subject, SystemReport, WatchedValue,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// The result model.
pub fn program(found: &Found, time: Duration) -> Program {
    let names = Names::new(found);
    let watch = watch(found, &names);
    let head = found.watched.as_ref().map(|w| w.head.address);
    let lines = found.watched.as_ref().map(|w| names.lines(w)).unwrap_or_default();
    let frames = names.frames(head.unwrap_or(found.address));
    let at = names.place(head.unwrap_or(found.address));
    let span = frames.iter().find_map(|f| {
        let (file, line) = (f.file.clone()?, f.line?);
        Some(Span { file, line, column: f.column.unwrap_or(0) })
    });
    // The header may lie anywhere in the loop; its first line is where it starts.
    let first = lines.iter().min_by_key(|l| l.line).cloned();
    let place = match (&span, first) {
        (Some(s), Some(f)) if f.file == s.file => Some(f),
        (Some(s), _) => Some(s.clone()),
        (None, f) => f,
    };
    let watched = memory_words(found, &names);
    let conditions: Vec<(&'static str, String)> =
        found.conditions.iter().map(|c| (c.kind(), c.text(&watched))).collect();
    let (verdict, reason, sentence) = verdict(found, &names, &conditions);
    let mut live = Live {
        pid: found.target.pid,
        thread: found.thread,
        command: found.target.command.clone(),
        held: found.held,
        search: found.search,
        instructions: found.watched.as_ref().map(|w| w.iterations.instructions),
        period: None,
        unbounded: matches!(found.outcome, Outcome::Unbounded { .. }),
        leaves_in: None,
        watch,
        at,
        frames: frames.iter().filter_map(|f| f.function.clone()).collect(),
        lines,
        verdict: sentence,
        conditions,
        waits: matches!(found.outcome, Outcome::Waits),
    };
    if let Outcome::Unbounded { leaves_in, .. } = &found.outcome {
        live.leaves_in = *leaves_in;
    }
    let entry = format!("thread {}", found.thread);
    let mut systems = Vec::new();
    let mut certificate = None;
    let mut kind = None;
    let mut header = head.map_or_else(|| "head".to_owned(), |h| format!("{h:#x}"));
    let mut assumptions: Vec<Assumption> = Vec::new();
    let mut whole = None;
    if let Outcome::Proved { closed, proved, program } = &found.outcome {
        whole = Some(claim::to_data(&closed.ts, program.claim()));
        systems.push(SystemReport {
            proves: "diverges",
            hash: closed.claim.system.to_string(),
            lts: lts::print(&closed.ts),
        });
        certificate = Some(claim::to_data(&closed.ts, proved.claim()));
        kind = Some(proved.claim().certificate.kind());
        header.clone_from(&closed.ts.locs[closed.header].name);
        live.period = Some(closed.period);
    }
    if matches!(found.outcome, Outcome::Proved { .. } | Outcome::Unbounded { .. }) {
        assumptions.clone_from(&found.assumptions);
    }
    let why = why(found, &names);
    let mut sources = BTreeMap::new();
    for file in place.iter().map(|p| &p.file).chain(live.lines.iter().map(|l| &l.file)) {
        if let Ok(text) = std::fs::read_to_string(file) {
            sources.insert(file.clone(), text);
        }
    }
    let report = LoopReport {
        entry: entry.clone(),
        id: header,
        subject: Subject::Loop,
        function: frames.first().and_then(|f| f.function.clone()),
        span: place.clone(),
        place,
        depth: 1,
        verdict,
        when: None,
        when_readable: None,
        engine: certificate.is_some().then_some("concolic"),
        certificate,
        kind,
        witness: None,
        bound: None,
        why,
        in_general: None,
        inner: None,
        stays: None,
        intent: None,
        overflow: None,
        reason: reason.clone(),
        rejected: Vec::new(),
        others: Vec::new(),
        attempts: Vec::new(),
        time: found.search,
        view: None,
        exactly: false,
    };
    let entries = vec![EntryReport {
        name: entry.clone(),
        verdict,
        reason: reason.clone(),
        certificate: whole,
        systems,
        needs: None,
    }];
    let results = Results {
        verdict,
        reason,
        integers: "wrap".to_owned(),
        data_model: "lp64".to_owned(),
        entry,
        entries,
        loops: vec![report],
        recursion: Vec::new(),
        assumptions,
        contradictions: Vec::new(),
        time,
        trace: Vec::new(),
        live: Some(Box::new(live)),
    };
    let file = format!("process {}", found.target.pid);
    Program { file, sources, outcome: Ok(results), harnesses: Vec::new() }
}

/// The verdict, why it is unknown, and both in a sentence.
fn verdict(found: &Found, names: &Names, conditions: &[(&'static str, String)]) -> (Verdict, Option<Reason>, String) {
    let who = format!("thread {} of process {}", found.thread, found.target.pid);
    // What was proved is conditional, so the headline is.
    let texts: Vec<&str> = conditions.iter().map(|(_, text)| text.as_str()).collect();
    let unless = if texts.is_empty() { String::new() } else { format!(", unless {}", texts.join(", or ")) };
    match &found.outcome {
        Outcome::Proved { .. } => (Verdict::Diverges, None, format!("{who} is in a loop that it never leaves{unless}")),
        Outcome::Unbounded { counters, leaves_in } => {
            let counter = counters.first().map_or_else(String::new, |c| counter_words(found, names, c));
            let when = leaves_in.map_or_else(String::new, |t| format!(", in about {}", duration_words(t)));
            let reason = format!("it ends only when {counter} wraps{when}; with unbounded integers it would never end");
            (
                Verdict::Unknown,
                Some(Reason::Process(ProcessReason::CounterWraps, reason)),
                format!("{who} is in a loop that only a counter's overflow ends{when}{unless}"),
            )
        }
        Outcome::NotProved { reason, .. } => {
            (Verdict::Unknown, Some(reason.clone()), format!("{who} is in a loop; that it never ends is not proved"))
        }
        Outcome::Incomplete { reason, at } => {
            let reason = match reason {
                Stop::Budget | Stop::Time => format!("no loop was seen: {reason}"),
                _ => format!("{reason} (at {})", names.place(*at)),
            };
            let reason = Reason::Process(ProcessReason::NotWatched, reason);
            (Verdict::Unknown, Some(reason), format!("{who} could not be watched long enough for a verdict"))
        }
        Outcome::Waits => {
            let reason = "it does not run: it waits for something, so it is not in a busy loop".to_owned();
            let reason = Reason::Process(ProcessReason::Waits, reason);
            (Verdict::Unknown, Some(reason), format!("process {} is not busy", found.target.pid))
        }
    }
}

fn counter_words(found: &Found, names: &Names, c: &Counter) -> String {
    match &found.watched {
        Some(w) => format!("`{}`", names.cell(w.iterations.places[c.cell])),
        None => "a counter".to_owned(),
    }
}

/// A time for a reader.
fn duration_words(t: Duration) -> String {
    let s = t.as_secs_f64();
    match s {
        s if s < 120.0 => format!("{s:.0} seconds"),
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} hours", s / 3600.0),
        s if s < 63_072_000.0 => format!("{:.0} days", s / 86_400.0),
        s => format!("{:.0} years", s / 31_536_000.0),
    }
}

/// So many values at most stand in a report as text; all of them are in the JSON.
const WATCHED_IN_WORDS: usize = 6;

/// Sentences: what decides the loop and why that stays.
fn why(found: &Found, names: &Names) -> Vec<String> {
    let Some(w) = &found.watched else { return Vec::new() };
    let o = &w.iterations.observed;
    let cell = |n: usize| names.cell(w.iterations.places[n]);
    match &found.outcome {
        Outcome::Proved { closed, .. } => {
            let steady = |n: &usize| o.heads.iter().all(|h| h[*n] == o.heads[0][*n]);
            let (same, moving): (Vec<usize>, Vec<usize>) = closed.relevant.iter().partition(|n| steady(n));
            let mut out = Vec::new();
            let named: Vec<String> = same
                .iter()
                .take(WATCHED_IN_WORDS)
                .map(|n| format!("`{}` is {} again", cell(*n), o.heads[0][*n].unsigned()))
                .collect();
            if !named.is_empty() {
                out.push(format!("after every iteration {}", named.join(", ")));
            }
            if !moving.is_empty() {
                let named: Vec<String> =
                    moving.iter().take(WATCHED_IN_WORDS).map(|n| format!("`{}`", cell(*n))).collect();
                let more = moving.len().saturating_sub(WATCHED_IN_WORDS);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                out.push(match &closed.claim.certificate {
                    lariat_ir::Certificate::Orbit { .. } => {
                        let times = if closed.period == 1 {
                            "iteration".to_owned()
                        } else {
                            format!("{} iterations", closed.period)
                        };
                        let verb = if moving.len() == 1 { "is" } else { "are" };
                        format!("after {times} {}{more} {verb} as before", named.join(", "))
                    }
                    _ => format!("{}{more} change, but stay where the loop goes on", named.join(", ")),
                });
            }
            let fixed = fixed_words(found, names);
            if !fixed.is_empty() {
                out.push(format!("{fixed} never changed by the loop"));
            }
            if out.is_empty() {
                out.push("nothing that the loop does decides how it goes on".to_owned());
            }
            out
        }
        Outcome::Unbounded { counters, .. } => counters
            .iter()
            .map(|c| {
                format!("every iteration adds {} to `{}`, and nothing else would end the loop", c.step, cell(c.cell))
            })
            .collect(),
        Outcome::NotProved { leaves, .. } if !leaves.is_empty() => {
            let state: Vec<String> =
                leaves.iter().take(WATCHED_IN_WORDS).map(|(n, v)| format!("`{}` is {v}", cell(*n))).collect();
            vec![format!("as far as is known, it may leave where {}", state.join(", "))]
        }
        _ => Vec::new(),
    }
}

/// The memory that the loop reads, for a sentence about who may write it; nothing if it reads none. Constants that have names come
/// first: they are what such a loop waits for.
fn memory_words(found: &Found, names: &Names) -> String {
    let Some(w) = &found.watched else { return String::new() };
    let constants = w.iterations.constants.iter().map(|(place, _)| *place);
    let places = constants.chain(w.iterations.places.iter().copied());
    let memory: Vec<String> = places.filter(|p| matches!(p, CellPlace::Memory(..))).map(|p| names.cell(p)).collect();
    let mut named: Vec<&String> = memory.iter().filter(|n| !n.starts_with("0x")).collect();
    named.dedup();
    match (memory.len(), named.as_slice()) {
        (0, _) => String::new(),
        (1, []) => format!("the watched value at {}", memory[0]),
        (n, []) => format!("one of the {n} watched values"),
        (_, [one]) if memory.len() == 1 => format!("`{one}`"),
        (_, [first, rest @ ..]) => {
            let others = memory.len() - 1;
            match rest {
                [second] if others == 1 => format!("`{first}` or `{second}`"),
                _ => format!("`{first}` or another of the {} watched values", others + 1),
            }
        }
    }
}

/// The constants in memory that have names, with their values.
fn fixed_words(found: &Found, names: &Names) -> String {
    let Some(w) = &found.watched else { return String::new() };
    let named: Vec<String> = w
        .iterations
        .constants
        .iter()
        .filter(|(place, _)| matches!(place, CellPlace::Memory(..)))
        .map(|(place, bytes)| (names.cell(*place), number(bytes)))
        .filter(|(name, _)| !name.starts_with("0x"))
        .map(|(name, value)| format!("`{name}` == {value}"))
        .take(WATCHED_IN_WORDS)
        .collect();
    if named.is_empty() {
        String::new()
    } else {
        format!("{} {}", named.join(", "), if named.len() == 1 { "is" } else { "are" })
    }
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u128::from(*b))
}

/// Everything that the loop reads.
fn watch(found: &Found, names: &Names) -> Vec<WatchedValue> {
    let Some(w) = &found.watched else { return Vec::new() };
    let o = &w.iterations.observed;
    let value = |place: CellPlace, value: u128, changes: bool| {
        let (at, size) = match place {
            CellPlace::Register(_, n) => (place.register_name().unwrap_or_default(), n),
            CellPlace::Memory(a, n) => (format!("{a:#x}"), n),
        };
        WatchedValue { name: names.cell(place), place: at, size, value: format!("{value:#x}"), changes }
    };
    let mut out: Vec<WatchedValue> =
        w.iterations.places.iter().enumerate().map(|(n, p)| value(*p, o.heads[0][n].unsigned(), true)).collect();
    out.extend(w.iterations.constants.iter().map(|(p, b)| value(*p, number(b), false)));
    out
}
