//! Results as text, like a compiler's.

use super::{Failure, LoopReport, Program, Results, StepReport};
use crate::analyze::Verdict;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use lariat_ir::Span;
use std::fmt::Write as _;
use std::ops::Range;

/// All programs, each loop a finding, and a closing line.
pub fn render(programs: &[Program], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for p in programs {
        match &p.outcome {
            Err(f) => out.push_str(&failure(p, f, &renderer)),
            Ok(r) => {
                for l in in_order(r) {
                    out.push_str(&finding(p, l, &renderer));
                    out.push_str("\n\n");
                }
                out.push_str(&closing(p, r));
            }
        }
    }
    out
}

/// Loops and recursions by their places.
fn in_order(r: &Results) -> Vec<&LoopReport> {
    let mut all: Vec<&LoopReport> = r.loops.iter().chain(&r.recursion).collect();
    all.sort_by(|a, b| (&a.place, a.depth).cmp(&(&b.place, b.depth)));
    all
}

fn failure(p: &Program, f: &Failure, renderer: &Renderer) -> String {
    let Some(place) = &f.place else { return format!("error: {}\n", named(p, f)) };
    let title = Level::ERROR.primary_title(f.message.as_str());
    let group = match excerpt(p, place) {
        Some((source, span)) => title.element(
            Snippet::source(source).path(&place.file).annotation(AnnotationKind::Primary.span(span).label("here")),
        ),
        None => Group::with_title(title).element(Level::NOTE.message(format!("at {place}"))),
    };
    format!("{}\n", renderer.render(&[group]))
}

/// The message with the file's name, once.
fn named(p: &Program, f: &Failure) -> String {
    if f.message.contains(&p.file) { f.message.clone() } else { format!("{}: {}", p.file, f.message) }
}

fn finding(p: &Program, l: &LoopReport, renderer: &Renderer) -> String {
    let (what, inside) = match l.recursion() {
        Some(f) => (format!("the recursion of `{f}`"), "this recursion"),
        None => ("this loop".to_owned(), "this loop"),
    };
    let (level, title, label) = match l.verdict {
        Verdict::Diverges => {
            (Level::ERROR, format!("{what} can run for ever"), format!("some run never leaves {inside}"))
        }
        Verdict::Terminates => (Level::NOTE, format!("{what} always ends"), format!("every run leaves {inside}")),
        Verdict::Unknown => {
            let title = match l.obligation() {
                Some(text) => format!("left open: {text}"),
                None if l.recursion().is_some() => format!("undecided: {what}"),
                None => "undecided loop".to_owned(),
            };
            (Level::WARNING, title, "neither an end nor an endless run was proved".to_owned())
        }
    };
    let title = level.primary_title(title);
    let mut group = match l.place.as_ref().and_then(|place| Some((place, excerpt(p, place)?))) {
        Some((place, (source, span))) => title.element(
            Snippet::source(source).path(&place.file).annotation(AnnotationKind::Primary.span(span).label(label)),
        ),
        None => Group::with_title(title),
    };
    for (kind, message) in notes(p, l) {
        let level = if kind == "help" { Level::HELP } else { Level::NOTE };
        let message = shortened(message);
        let message = if kind == "help" { message } else { format!("{kind}: {message}") };
        group =
            group.element(level.no_name().message(if kind == "help" { format!("next: {message}") } else { message }));
    }
    renderer.render(&[group])
}

fn notes(p: &Program, l: &LoopReport) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    let is_source = l.place.is_some() && l.place == l.span;
    let function = l.function.as_ref().map_or(String::new(), |f| format!(" in `{f}`"));
    match &l.span {
        Some(span) if !is_source || excerpt(p, span).is_none() => notes.push(("source", format!("{span}{function}"))),
        Some(_) => {
            if let Some(f) = &l.function {
                notes.push(("function", f.clone()));
            }
        }
        None if l.place.is_none() && l.obligation().is_none() => {
            notes.push(("location", format!("`{}`{function}", l.id)));
        }
        None => {}
    }
    if !l.others.is_empty() {
        let copies = l.others.len() + 1;
        notes.push((
            "copies",
            format!("it was looked at in {copies} copies of its function; this is about `{}`", l.entry),
        ));
    }
    if let Some(when) = &l.when {
        notes.push(("when", format!("`{when}` holds at the entry")));
    }
    if let Some(w) = &l.witness {
        if !w.inputs.is_empty() {
            let inputs: Vec<String> = w.inputs.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            notes.push(("input", inputs.join(", ")));
        }
        if !w.stem.is_empty() {
            notes.push(("to the loop", steps(&w.stem, is_source)));
        }
        if !w.cycle.is_empty() {
            notes.push(("around", steps(&w.cycle, is_source)));
        }
    }
    if let Some(because) = &l.because {
        notes.push(("because", because.clone()));
    }
    if let Some(bound) = &l.bound {
        notes.push(("rounds", format!("at most {bound}, with the values at the loop's first visit")));
    }
    if let Some(reason) = &l.reason {
        notes.push(("reason", reason.clone()));
    }
    for r in &l.rejected {
        notes.push(("engine bug", format!("a claim was not accepted: {r}")));
    }
    if let (Some(kind), Some(engine)) = (l.kind, l.engine) {
        notes.push(("proof", format!("{kind} by {engine}, accepted by the checker")));
    }
    match l.verdict {
        Verdict::Diverges => {
            notes.push((
                "help",
                "make a step of this cycle change one of the values that decide it, or leave the loop".into(),
            ));
        }
        Verdict::Unknown => {
            notes.push(("next", "`lariat explain unknown` tells what can be tried".into()));
        }
        Verdict::Terminates => {}
    }
    notes
}

/// A line that a reader can take in; the whole is in the results as JSON.
fn shortened(mut text: String) -> String {
    const LONGEST: usize = 1000;
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(end);
        text.push_str(" ... (all of it is in --format json)");
    }
    text
}

/// The steps of a run: by location, or by line of the source where that is what the reader sees.
fn steps(all: &[StepReport], is_source: bool) -> String {
    let words = |s: &StepReport| {
        let mut parts: Vec<String> = s.inputs.iter().map(|(n, v)| format!("input {n} = {v}")).collect();
        parts.extend(s.changed.iter().map(|(n, v)| format!("{n} = {v}")));
        if s.changed.is_empty() && !is_source {
            parts.push("nothing changes".into());
        }
        parts.join(", ")
    };
    if !is_source {
        return all.iter().map(|s| format!("{} -> {} ({})", s.at, s.to, words(s))).collect::<Vec<_>>().join("; ");
    }
    // A line may be several steps; those in which nothing happens say nothing.
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for s in all {
        let at = s.span.as_ref().map_or_else(|| format!("`{}`", s.at), |span| format!("line {}", span.line));
        let what = words(s);
        match lines.last_mut() {
            Some((last, parts)) if *last == at => parts.extend((!what.is_empty()).then_some(what)),
            _ => lines.push((at, if what.is_empty() { Vec::new() } else { vec![what] })),
        }
    }
    if lines.iter().all(|(_, parts)| parts.is_empty()) {
        let at: Vec<String> = lines.into_iter().map(|(at, _)| at).collect();
        return format!("{} (nothing changes)", at.join(", "));
    }
    lines.retain(|(_, parts)| !parts.is_empty());
    lines.iter().map(|(at, parts)| format!("{at}: {}", parts.join(", "))).collect::<Vec<_>>().join("; ")
}

fn closing(p: &Program, r: &Results) -> String {
    let mut out = String::new();
    for (text, span) in &r.assumptions {
        let at = span.as_ref().map_or(String::new(), |s| format!(" ({s})"));
        let _ = writeln!(out, "assumed: {text}{at}");
    }
    for c in &r.contradictions {
        let _ = writeln!(out, "CONTRADICTION: {c}");
    }
    let word = |v: Verdict| match v {
        Verdict::Terminates => "every run ends",
        Verdict::Diverges => "some run never ends",
        Verdict::Unknown => "undecided",
    };
    if r.entries.is_empty() {
        let _ = writeln!(out, "{}: it defines no function, so nothing runs", p.file);
        return out;
    }
    if r.entries.len() > 1 {
        for e in &r.entries {
            let _ = writeln!(out, "{}: `{}`: {}", p.file, e.name, word(e.verdict));
        }
    }
    let count = |v: Verdict| r.loops.iter().filter(|l| l.verdict == v).count();
    let recursion = match r.recursion.len() {
        0 => String::new(),
        n => {
            let open = r.recursion.iter().filter(|l| l.verdict == Verdict::Unknown).count();
            format!("; besides loops: {n}, {open} undecided")
        }
    };
    let why = r.reason.as_ref().map_or(String::new(), |reason| format!(" (not shown: {reason})"));
    let _ = writeln!(
        out,
        "{}: {}{why}; loops: {} end, {} can run for ever, {} undecided{recursion}; integers: {}",
        p.file,
        word(r.verdict),
        count(Verdict::Terminates),
        count(Verdict::Diverges),
        count(Verdict::Unknown),
        r.integers
    );
    out
}

/// The text of the file of a place, if it was read, and the bytes of the word at the place.
fn excerpt<'a>(p: &'a Program, place: &Span) -> Option<(&'a str, Range<usize>)> {
    let source = p.sources.get(&place.file)?;
    Some((source, span_of(source, place.line, place.column)?))
}

/// The bytes of the word at a line and column; a column 0 is not known, and the line's first word stands for it.
fn span_of(source: &str, line: u32, column: u32) -> Option<Range<usize>> {
    let mut offset = 0;
    for (i, text) in source.split_inclusive('\n').enumerate() {
        if i + 1 == line as usize {
            let indent = text.chars().take_while(|c| c.is_whitespace()).count();
            let before = (column as usize).checked_sub(1).unwrap_or(indent);
            let start: usize = text.chars().take(before).map(char::len_utf8).sum();
            let rest = text.get(start..)?;
            let word: usize = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum();
            let end = start + word.max(rest.chars().next().map_or(0, char::len_utf8));
            return Some(offset + start..offset + end);
        }
        offset += text.len();
    }
    None
}
