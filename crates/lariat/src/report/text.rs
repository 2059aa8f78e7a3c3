//! Results as text, like a compiler's.

use super::{Failure, LoopReport, Program, Results, StepReport};
use crate::analyze::Verdict;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt::Write as _;

/// All programs, each loop a finding, and a closing line.
pub fn render(programs: &[Program], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for p in programs {
        match &p.outcome {
            Err(f) => out.push_str(&failure(p, f, &renderer)),
            Ok(r) => {
                for l in &r.loops {
                    out.push_str(&finding(p, l, &renderer));
                    out.push_str("\n\n");
                }
                out.push_str(&closing(p, r));
            }
        }
    }
    out
}

fn failure(p: &Program, f: &Failure, renderer: &Renderer) -> String {
    let Some((line, column)) = f.place else { return format!("error: {}\n", named(p, f)) };
    let title = Level::ERROR.primary_title(f.message.as_str());
    let group = match span_of(&p.source, line, column) {
        Some(span) => title.element(
            Snippet::source(&p.source).path(&p.file).annotation(AnnotationKind::Primary.span(span).label("here")),
        ),
        None => Group::with_title(title).element(Level::NOTE.message(format!("at {}:{line}:{column}", p.file))),
    };
    format!("{}\n", renderer.render(&[group]))
}

/// The message with the file's name, once.
fn named(p: &Program, f: &Failure) -> String {
    if f.message.contains(&p.file) { f.message.clone() } else { format!("{}: {}", p.file, f.message) }
}

fn finding(p: &Program, l: &LoopReport, renderer: &Renderer) -> String {
    let (level, title, label) = match l.verdict {
        Verdict::Diverges => (Level::ERROR, "this loop can run for ever", "some run never leaves this loop"),
        Verdict::Terminates => (Level::NOTE, "this loop always ends", "every run leaves this loop"),
        Verdict::Unknown => (Level::WARNING, "undecided loop", "neither an end nor an endless run was proved"),
    };
    let mut group = match span_of(&p.source, l.place.0, l.place.1) {
        Some(span) => level.primary_title(title).element(
            Snippet::source(&p.source).path(&p.file).annotation(AnnotationKind::Primary.span(span).label(label)),
        ),
        None => Group::with_title(level.primary_title(title)),
    };
    for (kind, message) in notes(p, l) {
        let level = if kind == "help" { Level::HELP } else { Level::NOTE };
        let message = if kind == "help" { message } else { format!("{kind}: {message}") };
        group =
            group.element(level.no_name().message(if kind == "help" { format!("next: {message}") } else { message }));
    }
    renderer.render(&[group])
}

fn notes(p: &Program, l: &LoopReport) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    if l.span.file != p.file {
        let function = l.function.as_ref().map_or(String::new(), |f| format!(" in `{f}`"));
        notes.push(("source", format!("{}{function}", l.span)));
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
            notes.push(("to the loop", steps(&w.stem)));
        }
        if !w.cycle.is_empty() {
            notes.push(("around", steps(&w.cycle)));
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

fn steps(all: &[StepReport]) -> String {
    let one = |s: &StepReport| {
        let mut parts: Vec<String> = s.inputs.iter().map(|(n, v)| format!("input {n} = {v}")).collect();
        parts.extend(s.changed.iter().map(|(n, v)| format!("{n} = {v}")));
        if s.changed.is_empty() {
            parts.push("nothing changes".into());
        }
        let what = parts.join(", ");
        format!("{} -> {} ({what})", s.at, s.to)
    };
    all.iter().map(one).collect::<Vec<_>>().join("; ")
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
    let count = |v: Verdict| r.loops.iter().filter(|l| l.verdict == v).count();
    let word = match r.verdict {
        Verdict::Terminates => "every run ends",
        Verdict::Diverges => "some run never ends",
        Verdict::Unknown => "undecided",
    };
    let why = r.reason.as_ref().map_or(String::new(), |reason| format!(" (not shown: {reason})"));
    let _ = writeln!(
        out,
        "{}: {word}{why}; loops: {} end, {} can run for ever, {} undecided; integers: {}",
        p.file,
        count(Verdict::Terminates),
        count(Verdict::Diverges),
        count(Verdict::Unknown),
        r.integers
    );
    out
}

/// The bytes of the word at a line and column.
fn span_of(source: &str, line: u32, column: u32) -> Option<std::ops::Range<usize>> {
    let mut offset = 0;
    for (i, text) in source.split_inclusive('\n').enumerate() {
        if i + 1 == line as usize {
            let start: usize = text.chars().take(column as usize - 1).map(char::len_utf8).sum();
            let rest = text.get(start..)?;
            let word: usize = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum();
            let end = start + word.max(rest.chars().next().map_or(0, char::len_utf8));
            return Some(offset + start..offset + end);
        }
        offset += text.len();
    }
    None
}
