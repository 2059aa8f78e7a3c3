//! A running process, as text.

use super::snippet::loop_span;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use lariat_session::Verdict;
use lariat_session::results::{Live, LoopReport, Program, Results};
use std::fmt::Write as _;
use std::time::Duration;

/// So many watched values are listed; the JSON has all.
const LISTED: usize = 12;

/// One finding.
pub(super) fn render(p: &Program, r: &Results, renderer: &Renderer) -> String {
    let (Some(live), Some(l)) = (&r.live, r.loops.first()) else { return String::new() };
    let level = match (r.verdict, live.unbounded) {
        (Verdict::Diverges, _) if live.conditions.is_empty() => Level::ERROR,
        (Verdict::Diverges, _) => Level::WARNING,
        (_, true) => Level::WARNING,
        _ => Level::NOTE,
    };
    let title = level.primary_title(live.verdict.clone());
    let shown = l.place.as_ref().and_then(|place| {
        let source = p.sources.get(&place.file)?;
        Some((place, source, loop_span(source, place)?))
    });
    let label = match (r.verdict, live.unbounded) {
        (Verdict::Diverges, _) if live.conditions.is_empty() => "it goes round here for ever",
        (Verdict::Diverges, _) => "it goes round here by itself for ever",
        (_, true) => "it goes round here until a counter wraps",
        _ => "it goes round here",
    };
    let mut group = match shown {
        Some((place, source, span)) => title.element(
            Snippet::source(source).path(&place.file).annotation(AnnotationKind::Primary.span(span).label(label)),
        ),
        None => Group::with_title(title),
    };
    for (kind, text) in notes(r, live, l) {
        let begin = if text.contains('\n') { "\n" } else { " " };
        let text = format!("{kind}:{begin}{text}").replace('\n', "\n    ");
        group = group.element(Level::NOTE.no_name().message(text));
    }
    format!("{}\n", renderer.render(&[group]))
}

fn notes(r: &Results, live: &Live, l: &LoopReport) -> Vec<(&'static str, String)> {
    let mut out = vec![("process", format!("{} ({})", live.pid, live.command)), ("where", live.at.clone())];
    if live.frames.len() > 1 {
        out.push(("inlined into", live.frames[1..].join(", then ")));
    }
    if !live.lines.is_empty() {
        out.push(("lines", lines(live)));
    }
    if let Some((least, most)) = live.instructions {
        let range = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let round = match live.period {
            Some(p) if p > 1 => format!("; {p} different iterations"),
            _ => String::new(),
        };
        out.push(("one iteration", format!("{range} instructions{round}")));
    }
    out.extend(l.why.iter().map(|w| ("why", w.clone())));
    out.extend(r.reason.iter().map(|why| ("reason", why.to_string())));
    if let (Some(kind), Some(engine)) = (l.kind, l.engine) {
        out.push(("proof", format!("{kind} by {engine}, accepted by the checker")));
    }
    if (r.verdict == Verdict::Diverges || live.unbounded) && !live.watch.is_empty() {
        out.push(("watched", watched(live)));
    }
    if r.verdict == Verdict::Diverges || live.unbounded {
        out.extend(live.conditions.iter().map(|(_, text)| ("unless", text.clone())));
    }
    out.extend(r.assumptions.iter().map(|a| ("provided that", a.text.clone())));
    if !live.waits {
        let (held, search) = (millis(live.held), millis(live.search));
        out.push(("held", format!("for {held} ms; the search took {search} ms after that")));
    }
    out.push(("next", next(r, live)));
    out
}

fn lines(live: &Live) -> String {
    let numbers: Vec<String> = live.lines.iter().map(|s| s.line.to_string()).collect();
    let file = &live.lines[0].file;
    let file = file.rsplit('/').next().unwrap_or(file);
    format!("{} of {file}", numbers.join(", "))
}

fn watched(live: &Live) -> String {
    let mut text = String::new();
    for w in live.watch.iter().take(LISTED) {
        let how = if w.changes { ", changed by the loop" } else { "" };
        let at = if w.name.starts_with(&w.place) { String::new() } else { format!(" at {}", w.place) };
        let _ = write!(text, "\n{} = {} ({} bytes{at}{how})", w.name, w.value, w.size);
    }
    let more = live.watch.len().saturating_sub(LISTED);
    if more > 0 {
        let _ = write!(text, "\nand {more} more values; --format json lists all");
    }
    text.trim_start().to_owned()
}

fn millis(t: Duration) -> String {
    format!("{:.1}", t.as_secs_f64() * 1000.0)
}

fn next(r: &Results, live: &Live) -> String {
    match (r.verdict, live.unbounded) {
        (Verdict::Diverges, _) if live.conditions.is_empty() => {
            "it will not come back by itself; end it, and see what keeps the watched values as they are".into()
        }
        (Verdict::Diverges, _) => "see whether what it waits for can still happen; if not, it hangs".into(),
        (_, true) => "it was hardly meant to wait for an overflow: see which condition on the counter is missing".into(),
        _ if live.waits => "see what it waits for: /proc/PID/wchan, or a debugger".into(),
        _ => "try again later, with a larger --budget, or name a thread with --thread; `lariat explain attach` tells what cannot be proved".into(),
    }
}
