//! Results as text, like a compiler's.

use super::snippet::{loop_span, word_span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use lariat_ir::{Assumption, Span};
use lariat_session::Verdict;
use lariat_session::results::{
    Failure, Input, InputOrigin, Intent, LoopReport, OnlyByOverflow, Program, Reason, ReasonKind, Results, StepReport,
    Witness,
};
use std::fmt::Write as _;

/// All programs, each loop a finding, and a closing line.
pub fn render(programs: &[Program], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for p in programs {
        match &p.outcome {
            Err(f) => out.push_str(&failure(p, f, &renderer)),
            Ok(r) if r.live.is_some() => out.push_str(&super::live::render(p, r, &renderer)),
            Ok(r) => {
                for l in in_order(r) {
                    out.push_str(&finding(p, r, l, &renderer));
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
    let excerpt = p.sources.get(&place.file).and_then(|source| Some((source, word_span(source, place)?)));
    let group = match excerpt {
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

/// What is said first, how loudly, and beside the loop.
struct Headline {
    level: Level<'static>,
    title: String,
    label: String,
}

fn headline(l: &LoopReport) -> Headline {
    let (what, inside) = match l.recursion() {
        Some(f) => (format!("the recursion of `{f}`"), "this recursion"),
        None => ("this loop".to_owned(), "this loop"),
    };
    let (level, title, label) = match (l.verdict, &l.intent) {
        (Verdict::Diverges, Some(Intent::EventLoop { .. })) => {
            (Level::NOTE, format!("{what} runs for ever, as an event loop does"), "it has no exit".to_owned())
        }
        (Verdict::Diverges, Some(Intent::Halt)) => {
            (Level::NOTE, format!("{what} runs for ever and does nothing: a halt"), "it has no exit".to_owned())
        }
        (Verdict::Diverges, _) if l.inner.is_some() => {
            (Level::ERROR, format!("{what} can run for ever"), "a loop inside it does".to_owned())
        }
        (Verdict::Diverges, _) => {
            let label = match (&l.stays, l.why.len()) {
                (Some(stays), 1..) if stays.len() <= 60 => format!("never left while {stays}").replace("stays", "is"),
                _ => format!("some run never leaves {inside}"),
            };
            (Level::ERROR, format!("{what} can run for ever"), label)
        }
        (Verdict::Terminates, _) if l.exactly => (
            Level::NOTE,
            format!("{what} ends exactly under a condition"),
            "where it holds, every run leaves it; where it does not, no run does".to_owned(),
        ),
        (Verdict::Terminates, _) if l.when.is_some() && l.view.is_some() => {
            (Level::NOTE, format!("{what} ends under a condition"), "where it holds, every run leaves it".to_owned())
        }
        (Verdict::Terminates, _) => (Level::NOTE, format!("{what} always ends"), format!("every run leaves {inside}")),
        (Verdict::Unknown, Some(Intent::EventLoop { .. } | Intent::Halt)) => {
            (Level::NOTE, format!("{what} has no exit"), "nothing but the end of the program can leave it".to_owned())
        }
        (Verdict::Unknown, Some(Intent::SpinWait)) => (
            Level::NOTE,
            format!("{what} waits until somebody else changes what it reads"),
            "how long is not decided here".to_owned(),
        ),
        (Verdict::Unknown, _) if by_overflow(l) == Some(OnlyByOverflow::Ends) => (
            Level::WARNING,
            format!("{what} ends only by an overflow"),
            "with numbers of any size it would run for ever".to_owned(),
        ),
        (Verdict::Unknown, _) if by_overflow(l) == Some(OnlyByOverflow::Hangs) => (
            Level::WARNING,
            format!("{what} runs for ever by an overflow"),
            "where numbers wrap, some run never leaves it".to_owned(),
        ),
        (Verdict::Unknown, _) if l.reason == Some(Reason::NotReached) => (
            Level::NOTE,
            "undecided loop, which no run from the entry comes to".to_owned(),
            "neither an end nor an endless run was proved for other callers".to_owned(),
        ),
        (Verdict::Unknown, _) => {
            let title = match l.obligation() {
                Some(text) => format!("left open: {text}"),
                None if l.recursion().is_some() => format!("undecided: {what}"),
                None => "undecided loop".to_owned(),
            };
            (Level::WARNING, title, "neither an end nor an endless run was proved".to_owned())
        }
    };
    Headline { level, title, label }
}

fn finding(p: &Program, r: &Results, l: &LoopReport, renderer: &Renderer) -> String {
    let Headline { level, title, label } = headline(l);
    let title = level.primary_title(title);
    let shown = l.place.as_ref().and_then(|place| {
        let source = p.sources.get(&place.file)?;
        Some((place, source, loop_span(source, place)?))
    });
    let mut group = match shown {
        Some((place, source, span)) => {
            let mut snippet =
                Snippet::source(source).path(&place.file).annotation(AnnotationKind::Primary.span(span).label(label));
            for (at, label) in calls_with_inputs(l, &place.file) {
                if let Some(span) = word_span(source, &at) {
                    snippet = snippet.annotation(AnnotationKind::Context.span(span).label(label));
                }
            }
            title.element(snippet)
        }
        None => Group::with_title(title),
    };
    for (kind, message) in notes(p, r, l) {
        let begin = if message.contains('\n') { "\n" } else { " " };
        let text = format!("{kind}:{begin}{}", shortened(message)).replace('\n', "\n    ");
        group = group.element(Level::NOTE.no_name().message(text));
    }
    renderer.render(&[group])
}

/// The calls of a file that give inputs, with what they return.
fn calls_with_inputs(l: &LoopReport, file: &str) -> Vec<(Span, String)> {
    let Some(w) = l.witness.as_ref().filter(|_| l.inner.is_none()) else { return Vec::new() };
    let mut found: Vec<(Span, Vec<&str>)> = Vec::new();
    for input in w.stem.iter().chain(&w.cycle).flat_map(|s| &s.inputs) {
        let InputOrigin::Call(Some(span)) = &input.origin else { continue };
        if span.file != file {
            continue;
        }
        match found.iter_mut().find(|(at, _)| at == span) {
            Some((_, values)) => values.push(&input.value),
            None => found.push((span.clone(), vec![&input.value])),
        }
    }
    // More would hide the loop itself.
    found.truncate(4);
    let words = |values: &[&str]| match values {
        [first, rest @ ..] if rest.iter().all(|v| v == first) => format!("returns {first}"),
        [first, second, ..] => format!("returns {first}, then {second}{}", if values.len() > 2 { ", ..." } else { "" }),
        _ => String::new(),
    };
    found.into_iter().map(|(at, values)| (at, words(&values))).collect()
}

fn notes(p: &Program, r: &Results, l: &LoopReport) -> Vec<(&'static str, String)> {
    let mut notes = place_notes(p, l);
    match &l.when_readable {
        Some((when, true)) => notes.push(("when", format!("`{when}` holds at the entry"))),
        Some((when, false)) if !when.is_empty() => {
            notes.push(("when", format!("`{when}` holds at the entry, and memory is as below")));
        }
        Some(_) => notes.push(("when", "memory is as below (the condition is in --format json)".to_owned())),
        None => notes.extend(l.when.iter().map(|when| ("when", format!("{when}; whenever the loop is entered")))),
    }
    if let Some(Intent::EventLoop { waits_in }) = &l.intent {
        let calls: Vec<String> = waits_in.iter().take(4).map(|f| format!("`{f}`")).collect();
        notes.push(("waits", format!("in {}; it seems to be meant so", calls.join(", "))));
    }
    let is_source = l.place.is_some() && l.place == l.span;
    if let Some(inner) = &l.inner {
        notes.push(("why", format!("a run that never leaves the loop at line {} never leaves this one", inner.line)));
    } else {
        notes.extend(l.witness.iter().flat_map(|w| run_notes(p, l, w, is_source)));
        notes.extend(l.why.iter().map(|why| ("why", why.clone())));
        notes.extend(l.in_general.iter().map(|text| ("in general", text.clone())));
    }
    if let Some(bound) = &l.bound {
        notes.push(("rounds", format!("at most {bound}, with the values when the loop is entered")));
    }
    if let Some(o) = &l.overflow {
        let word = |v: Verdict| match v {
            Verdict::Terminates => "always ends",
            Verdict::Diverges => "can run for ever",
            Verdict::Unknown => "undecided",
        };
        let (c, wrap, ideal) = (word(o.c), word(o.wrap), word(o.ideal));
        notes.push(("integers", format!("c: {c}; wrap: {wrap}; ideal: {ideal}")));
        for why in &o.why {
            let when =
                if o.only_by_overflow == Some(OnlyByOverflow::Hangs) { "where they wrap" } else { "without overflow" };
            notes.push((when, why.clone()));
        }
    }
    // Of a loop that is meant to go on nobody asks why its end was not shown.
    let told = l.intent.is_some() || by_overflow(l).is_some();
    notes.extend(l.reason.iter().filter(|_| !told).map(|reason| ("reason", reason.to_string())));
    for rejected in &l.rejected {
        notes.push(("engine bug", format!("a claim was not accepted: {rejected}")));
    }
    if let (Some(kind), Some(engine)) = (l.kind, l.engine) {
        notes.push(("proof", format!("{kind} by {engine}, accepted by the checker")));
    }
    notes.extend(next(r, l).map(|text| ("next", text)));
    notes
}

/// Where it is, if the excerpt does not show it.
fn place_notes(p: &Program, l: &LoopReport) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    let is_source = l.place.is_some() && l.place == l.span;
    let function = l.function.as_ref().map_or(String::new(), |f| format!(" in `{f}`"));
    match &l.span {
        Some(span) if !is_source || !p.sources.contains_key(&span.file) => {
            notes.push(("source", format!("{span}{function}")));
        }
        Some(_) => notes.extend(l.function.as_ref().map(|f| ("function", f.clone()))),
        None if l.place.is_none() && l.obligation().is_none() => {
            notes.push(("location", format!("`{}`{function}", l.id)));
        }
        None => {}
    }
    if !l.others.is_empty() {
        let copies = l.others.len() + 1;
        notes.push(("copies", format!("it is reached in {copies} ways; this is about `{}`", l.entry)));
    }
    notes
}

/// The values to give, and the steps of the run.
fn run_notes(p: &Program, l: &LoopReport, w: &Witness, is_source: bool) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    let recursion = l.recursion().is_some();
    if !w.inputs.is_empty() {
        notes.push(("hangs with", inputs(l, &w.inputs)));
    }
    if !w.stem.is_empty() {
        let text = steps(&w.stem, p, is_source, false);
        if !text.is_empty() {
            notes.push((if recursion { "to the recursion" } else { "to the loop" }, text));
        }
    }
    if !w.cycle.is_empty() {
        notes.push((if recursion { "one call deeper" } else { "one iteration" }, steps(&w.cycle, p, is_source, true)));
    }
    notes
}

/// How many inputs are listed.
const INPUTS: usize = 10;

fn inputs(l: &LoopReport, all: &[Input]) -> String {
    let words = |i: &Input| match &i.origin {
        InputOrigin::Call(Some(span)) => {
            let called = format!("`{}()` at line {} returns {}", i.name, span.line, i.value);
            if l.place.as_ref().is_some_and(|p| p.file != span.file) {
                called.replace("at line", &format!("at {}:", span.file))
            } else {
                called
            }
        }
        InputOrigin::Call(None) => format!("`{}()` returns {}", i.name, i.value),
        InputOrigin::Parameter(_) => format!("parameter `{}` = {}", i.name, i.value),
        InputOrigin::Before => format!("`{}` = {} at the start", i.name, i.value),
        InputOrigin::Stream if i.value.is_empty() => format!("{} is empty", i.name),
        InputOrigin::Stream => format!("{} is `{}`, then the end", i.name, i.value),
        InputOrigin::Unknown => format!("{} = {}", i.name, i.value),
    };
    // What the function is called with comes first, then what is there before, then what is read.
    let mut all: Vec<&Input> = all.iter().collect();
    all.sort_by_key(|i| !matches!(i.origin, InputOrigin::Parameter(_)));
    let mut parts: Vec<String> = all.iter().take(INPUTS).map(|i| words(i)).collect();
    if all.len() > INPUTS {
        parts.push(format!("and {} more inputs (all of them are in --format json)", all.len() - INPUTS));
    }
    parts.join("\n")
}

fn by_overflow(l: &LoopReport) -> Option<OnlyByOverflow> {
    l.overflow.as_ref().and_then(|o| o.only_by_overflow)
}

/// What to do next.
fn next(r: &Results, l: &LoopReport) -> Option<String> {
    match (l.verdict, &l.intent) {
        (Verdict::Diverges | Verdict::Unknown, Some(intent)) => Some(format!("`lariat explain {}`", intent.word())),
        (Verdict::Diverges, None) if l.inner.is_some() => None,
        (Verdict::Diverges, None) if l.recursion().is_some() => {
            Some("let a call change one of the values that decide it, or return before it calls itself".into())
        }
        (Verdict::Diverges, None) => {
            Some("let an iteration change one of the values that decide it, or leave the loop before".into())
        }
        (Verdict::Unknown, _) if by_overflow(l).is_some() => {
            Some("bound the number before it overflows; `lariat explain ends-only-by-overflow`".into())
        }
        (Verdict::Unknown, _) => {
            let time = l.reason.iter().chain(&r.reason).any(Reason::is_of_time);
            Some(if time {
                "more time (`--timeout S`) may decide it; `lariat explain unknown` tells what else can be tried".into()
            } else {
                "`lariat explain unknown` tells what can be tried".into()
            })
        }
        (Verdict::Terminates, _) => None,
    }
}

/// A text that a reader can take in; the whole is in the results as JSON.
fn shortened(mut text: String) -> String {
    const LONGEST: usize = 1200;
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(end);
        text.push_str(" ... (all of it is in --format json)");
    }
    text
}

/// How many steps are shown, of the first and of the last ones.
const STEPS: usize = 6;

/// The steps of a run, one a line: by line of the source, or by location.
fn steps(all: &[StepReport], p: &Program, is_source: bool, around: bool) -> String {
    let mut lines = if is_source { by_line(all, p, around) } else { all.iter().map(by_location).collect() };
    if lines.len() > 2 * STEPS + 1 {
        let last = lines.split_off(lines.len() - STEPS);
        let left = lines.len() - STEPS;
        lines.truncate(STEPS);
        lines.push(format!("... {left} more steps ..."));
        lines.extend(last);
    }
    if around && all.iter().all(|s| s.changed.is_empty()) {
        lines.push("and again; nothing has changed".to_owned());
    }
    lines.join("\n")
}

fn happenings(s: &StepReport) -> Vec<String> {
    // What a variable gets at once need not be told twice, nor what the function was called with.
    let stored = |i: &&Input| match i.origin {
        InputOrigin::Call(_) => s.changed.iter().any(|(_, v)| *v == i.value),
        InputOrigin::Parameter(_) => true,
        InputOrigin::Before | InputOrigin::Stream | InputOrigin::Unknown => false,
    };
    let mut parts: Vec<String> = s
        .inputs
        .iter()
        .filter(|i| !stored(i))
        .map(|i| match i.origin {
            InputOrigin::Call(_) => format!("{}() returns {}", i.name, i.value),
            _ => format!("input {} = {}", i.name, i.value),
        })
        .collect();
    parts.extend(s.changed.iter().map(|(n, v)| format!("{n} = {v}")));
    parts
}

fn by_location(s: &StepReport) -> String {
    let parts = happenings(s);
    let what = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let name = |l: &Option<String>| l.clone().unwrap_or_default();
    format!("{} -> {}{what}", name(&s.at), name(&s.to))
}

/// Each line with its text and what happens there. On the way to the loop only lines where something does.
fn by_line(all: &[StepReport], p: &Program, around: bool) -> Vec<String> {
    let mut lines: Vec<(String, String, String)> = Vec::new();
    for s in all {
        let Some(span) = &s.span else { continue };
        let parts = happenings(s).join(", ");
        let text = code(p, span);
        if parts.is_empty() && (!around || matches!(text.as_str(), "}" | "")) {
            continue;
        }
        let here = p.sources.len() < 2 || span.file == p.file;
        let at = if here { format!("line {}", span.line) } else { format!("{}:{}", span.file, span.line) };
        lines.push((at, text, parts));
    }
    let width =
        |f: fn(&(String, String, String)) -> &String| lines.iter().map(|l| f(l).chars().count()).max().unwrap_or(0);
    let (at, code) = (width(|l| &l.0), width(|l| &l.1));
    let line = |(place, text, what): &(String, String, String)| {
        let row = if what.is_empty() {
            format!("{place:at$}  {text}")
        } else {
            format!("{place:at$}  {text:code$}  -> {what}")
        };
        row.trim_end().to_owned()
    };
    lines.iter().map(line).collect()
}

/// The text of a line, as much as there is room for.
fn code(p: &Program, span: &Span) -> String {
    const LONGEST: usize = 48;
    let text = p.sources.get(&span.file).and_then(|s| s.lines().nth(span.line as usize - 1)).unwrap_or_default();
    let text = text.split("/*").next().unwrap_or_default().split("//").next().unwrap_or_default().trim();
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 3).collect::<String>() + "..."
}

fn closing(p: &Program, r: &Results) -> String {
    let mut out = String::new();
    for text in assumed(r) {
        let _ = writeln!(out, "assumed: {text}");
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
    let under_condition = r.loops.iter().filter(|l| l.verdict == Verdict::Terminates && l.when.is_some()).count();
    let conditions = match under_condition {
        0 => String::new(),
        n => format!(" ({n} of them under a condition)"),
    };
    let recursion = match r.recursion.len() {
        0 => String::new(),
        n => {
            let open = r.recursion.iter().filter(|l| l.verdict == Verdict::Unknown).count();
            format!("; besides loops: {n}, {open} undecided")
        }
    };
    let why = not_shown(r).map_or(String::new(), |reason| format!(" ({reason})"));
    let _ = writeln!(
        out,
        "{}: {}{why}; loops: {} end{conditions}, {} can run for ever, {} undecided{recursion}; integers: {}",
        p.file,
        word(r.verdict),
        count(Verdict::Terminates),
        count(Verdict::Diverges),
        count(Verdict::Unknown),
        r.integers
    );
    out
}

/// Why a program is undecided, where the loops do not say it.
fn not_shown(r: &Results) -> Option<String> {
    let reason = r.reason.as_ref()?;
    if r.loops.iter().chain(&r.recursion).any(|l| l.verdict == Verdict::Unknown) {
        return None;
    }
    Some(match reason.kind() {
        ReasonKind::BeyondModel => "some run may leave the model of memory, see `lariat explain c`".to_owned(),
        ReasonKind::RecursionReturns => "that the calls of a recursion all return is not shown".to_owned(),
        _ => format!("not shown: {reason}"),
    })
}

/// What was taken for granted, the same thing at several places once.
fn assumed(r: &Results) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&Span>)> = Vec::new();
    for Assumption { text, span, .. } in &r.assumptions {
        match groups.iter_mut().find(|(t, _)| t == text) {
            Some((_, spans)) => spans.extend(span),
            None => groups.push((text, span.iter().collect())),
        }
    }
    let words = |(text, spans): (&str, Vec<&Span>)| match spans.as_slice() {
        [] => text.to_owned(),
        [one] => format!("{text} ({one})"),
        [first, rest @ ..] => format!("{text} ({first} and {} more)", rest.len()),
    };
    groups.into_iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::json;
    use lariat_ir::neutral::{self, BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Overflow, Unknown};
    use lariat_ir::{Id, Integers, LoopCopy, LoopKey, SourceId, SourceKind, SourceLoop, UnknownKind};
    use lariat_session::Settings;
    use lariat_session::analyze::analyze_entry;
    use lariat_session::views::Views;
    use std::collections::BTreeMap;
    use std::time::Duration;

    /// `x = input; while (x == 0) x = x * 1;`, the loop at line 2 of a function.
    fn hangs(function: &str, kind: SourceKind, name: &str) -> Results {
        const INT: IntType = IntType::signed(32);
        let span = Some(Span { file: "a.c".into(), line: 2, column: 3 });
        let mut p = neutral::Program::new("entry");
        p.vars = vec![("x".into(), INT)];
        p.init = vec![(0, Some(0.into()))];
        p.unknowns = vec![Unknown::new("n", INT, UnknownKind::Input)];
        let step = Expr::binary(BinaryOp::Mul, INT, Overflow::Undefined, Expr::Var(0), Expr::constant(1, INT));
        let go_on = Cond::cmp(CmpOp::Eq, INT, Expr::Var(0), Expr::constant(0, INT));
        let start = Location::new("start", vec![Case::new(None, vec![(0, Expr::Unknown(0))], Goto::Loc(1))]);
        let mut head = Location::new(
            name,
            vec![Case::new(Some(go_on), vec![(0, step)], Goto::Loc(1)), Case::new(None, vec![], Goto::Exit)],
        );
        head.span.clone_from(&span);
        head.function = Some(function.to_owned());
        head.within = Some(SourceId::from_index(0));
        p.locs = vec![start, head];
        let key = LoopKey { span, function: function.to_owned(), kind, ordinal: 0 };
        p.sources.push(SourceLoop { copy: LoopCopy { key, instance: 0 }, parent: None });
        let entry = analyze_entry("main", &p, Integers::C, &Settings::default());
        lariat_session::results::combine("a.c", Integers::C, "lp64", (&[entry], &Views::default()), Duration::ZERO)
    }

    fn file(results: Results, sources: BTreeMap<String, String>) -> Program {
        Program { file: "a.c".into(), sources, outcome: Ok(results), harnesses: Vec::new() }
    }

    #[test]
    fn a_recursion_is_reported_as_one() {
        let file = file(hangs("walk", SourceKind::Recursion, "recursion:walk"), BTreeMap::new());
        assert!(render(std::slice::from_ref(&file), false).contains("the recursion of `walk` can run for ever"));
        assert!(json::render(&[file]).contains("\"recursion\": [\n    {\n      \"id\": \"recursion:walk\""));
    }

    #[test]
    fn the_source_is_shown_with_the_lines_of_the_run() {
        let r = hangs("main", SourceKind::Loop, "head");
        let source = "int main(void) {\n  while (x == 0) x = x * 1;\n}\n";
        let sources = [("a.c".to_owned(), source.to_owned())].into();
        let shown = render(&[file(r.clone(), sources)], false);
        for part in [
            "a.c:2:3",
            "while (x == 0)",
            "hangs with: n = 0",
            "line 2  while (x == 0) x = x * 1;",
            "and again; nothing has changed",
            "nothing that decides how the loop goes on changes in it: `x` stays 0",
            "function: main",
        ] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        // Without the file the place is told in words.
        let shown = render(&[file(r, BTreeMap::new())], false);
        assert!(shown.contains("source: a.c:2:3 in `main`"), "{shown}");
    }
}
