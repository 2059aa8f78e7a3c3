//! Results as JSON, `lariat-results/1`; and the tree of claims to and from JSON.

use lariat_ir::{Data, Span};
use lariat_session::results::{
    CopyReport, EntryReport, Input, InputOrigin, Intent, Live, LoopReport, OverflowReport, Program, Results, SCHEMA,
    StepReport,
};
use serde_json::{Map, Value as Json, json};

/// One program as it is, several under `programs`.
pub fn render(programs: &[Program]) -> String {
    let mut all: Vec<Json> = programs.iter().map(program).collect();
    let value =
        if all.len() == 1 { all.swap_remove(0) } else { json!({ "schema": SCHEMA, "tool": tool(), "programs": all }) };
    let mut text = serde_json::to_string_pretty(&value).expect("a tree of texts and numbers can be written");
    text.push('\n');
    text
}

/// What [`render`] gives for several programs, from what it gives for each: one as it is, several under `programs`.
pub fn together(mut rendered: Vec<String>) -> String {
    if rendered.len() == 1 {
        return rendered.swap_remove(0);
    }
    let mut text = render(&[]);
    let end = text.rfind("[]").expect("there are no programs in it");
    let rest = text.split_off(end);
    text.push('[');
    for (i, program) in rendered.iter().enumerate() {
        text.push_str(if i == 0 { "\n" } else { ",\n" });
        // A line break within a text of JSON is written as an escape: each line is one of the layout.
        for (j, line) in program.lines().enumerate() {
            text.push_str(if j == 0 { "    " } else { "\n    " });
            text.push_str(line);
        }
    }
    text.push_str(if rendered.is_empty() { "]" } else { "\n  ]" });
    text.push_str(&rest["[]".len()..]);
    text
}

fn tool() -> Json {
    json!({ "name": "lariat", "version": env!("CARGO_PKG_VERSION") })
}

fn program(p: &Program) -> Json {
    match &p.outcome {
        Ok(r) => results(&p.file, r),
        Err(f) => json!({
            "schema": SCHEMA,
            "tool": tool(),
            "file": p.file,
            "error": f.message,
            "at": f.place.as_ref().map(|s| &s.file),
            "line": f.place.as_ref().map(|s| s.line),
            "column": f.place.as_ref().map(|s| s.column),
        }),
    }
}

fn results(file: &str, r: &Results) -> Json {
    let assumptions: Vec<Json> = r
        .assumptions
        .iter()
        .map(|(text, span)| json!({ "text": text, "at": span.as_ref().map(ToString::to_string) }))
        .collect();
    let mut out = json!({
        "schema": SCHEMA,
        "tool": tool(),
        "file": file,
        "verdict": r.verdict.word(),
        "reason": r.reason,
        "integers": r.integers,
        "data_model": r.data_model,
        "entry": r.entry,
        "loops": r.loops.iter().map(|l| one_loop(file, l)).collect::<Vec<_>>(),
        "recursion": r.recursion.iter().map(|l| one_loop(file, l)).collect::<Vec<_>>(),
        "assumptions": assumptions,
        "contradictions": r.contradictions,
        "entries": r.entries.iter().map(entry).collect::<Vec<_>>(),
        "millis": millis(r.time),
    });
    if let (Some(l), Json::Object(fields)) = (&r.live, &mut out)
        && let Json::Object(more) = live(l)
    {
        fields.extend(more);
    }
    out
}

/// What is said of a running process.
fn live(l: &Live) -> Json {
    let watch: Vec<Json> = l
        .watch
        .iter()
        .map(|w| json!({ "name": w.name, "place": w.place, "size": w.size, "value": w.value, "changes": w.changes }))
        .collect();
    json!({
        "headline": l.verdict,
        "process": { "pid": l.pid, "thread": l.thread, "command": l.command },
        "held_millis": millis(l.held),
        "search_millis": millis(l.search),
        "instructions": l.instructions.map(|(_, most)| most),
        "period": l.period,
        "unbounded": l.unbounded,
        "leaves_in_seconds": l.leaves_in.map(|t| t.as_secs_f64().round()),
        "frames": l.frames,
        "lines": l.lines.iter().map(|s| json!({ "file": s.file, "line": s.line })).collect::<Vec<_>>(),
        "watch": watch,
        "conditions": l.conditions.iter().map(|(kind, text)| json!({ "kind": kind, "text": text })).collect::<Vec<_>>(),
    })
}

fn entry(e: &EntryReport) -> Json {
    let systems: Vec<Json> =
        e.systems.iter().map(|s| json!({ "proves": s.proves, "hash": s.hash, "lts": s.lts })).collect();
    json!({
        "name": e.name,
        "verdict": e.verdict.word(),
        "reason": e.reason,
        "certificate": e.certificate.as_ref().map(from_data),
        "systems": systems,
    })
}

fn one_loop(file: &str, l: &LoopReport) -> Json {
    let witness = l.witness.as_ref().map(|w| {
        json!({
            "inputs": w.inputs.iter().map(input).collect::<Vec<_>>(),
            "stem": w.stem.iter().map(step).collect::<Vec<_>>(),
            "cycle": w.cycle.iter().map(step).collect::<Vec<_>>(),
        })
    });
    let span = l.span.as_ref().or(l.place.as_ref());
    json!({
        "id": l.id,
        "function": l.function,
        "file": span.map_or(file, |s| &s.file),
        "line": span.map(|s| s.line),
        "column": span.map(|s| s.column),
        "depth": l.depth,
        "verdict": l.verdict.word(),
        "when": l.when,
        "engine": l.engine,
        "certificate": l.certificate.as_ref().map(from_data),
        "witness": witness,
        "bound": l.bound,
        "intent": l.intent.as_ref().map(Intent::word),
        "overflow": l.overflow.as_ref().map(overflow),
        "reason": l.reason,
        "why": l.why,
        "rejected": l.rejected,
        "entry": l.entry,
        "others": l.others.iter().map(copy).collect::<Vec<_>>(),
        "millis": millis(l.time),
    })
}

fn copy(c: &CopyReport) -> Json {
    json!({
        "entry": c.entry,
        "id": c.id,
        "verdict": c.verdict.word(),
        "when": c.when,
        "certificate": c.certificate.as_ref().map(from_data),
    })
}

fn step(s: &StepReport) -> Json {
    let changed: Map<String, Json> = s.changed.iter().map(|(k, v)| (k.clone(), Json::from(v.as_str()))).collect();
    let span = |f: fn(&Span) -> Json| s.span.as_ref().map(f);
    json!({
        "at": s.at,
        "to": s.to,
        "file": span(|x| json!(x.file)),
        "line": span(|x| json!(x.line)),
        "column": span(|x| json!(x.column)),
        "inputs": s.inputs.iter().map(input).collect::<Vec<_>>(),
        "changed": changed,
    })
}

fn input(i: &Input) -> Json {
    let (from, span) = match &i.origin {
        InputOrigin::Call(span) => ("call", span.as_ref()),
        InputOrigin::Parameter(_) => ("parameter", None),
        InputOrigin::Before => ("before", None),
        InputOrigin::Stream => ("stream", None),
        InputOrigin::Unknown => ("input", None),
    };
    json!({
        "name": i.name,
        "value": i.value,
        "from": from,
        "file": span.map(|s| &s.file),
        "line": span.map(|s| s.line),
        "column": span.map(|s| s.column),
    })
}

fn overflow(o: &OverflowReport) -> Json {
    json!({ "c": o.c.word(), "wrap": o.wrap.word(), "ideal": o.ideal.word() })
}

fn millis(t: std::time::Duration) -> Json {
    json!((t.as_secs_f64() * 10_000.0).round() / 10.0)
}

/// A tree as JSON.
pub fn from_data(d: &Data) -> Json {
    match d {
        Data::Text(t) => Json::from(t.as_str()),
        Data::List(items) => items.iter().map(from_data).collect(),
        Data::Record(fields) => Json::Object(fields.iter().map(|(k, v)| (k.clone(), from_data(v))).collect()),
    }
}

/// A tree from JSON; numbers, truth values and null have no place in one.
pub fn to_data(j: &Json) -> Result<Data, String> {
    match j {
        Json::String(t) => Ok(Data::text(t.as_str())),
        Json::Array(items) => Ok(Data::List(items.iter().map(to_data).collect::<Result<_, _>>()?)),
        Json::Object(fields) => {
            Ok(Data::Record(fields.iter().map(|(k, v)| Ok((k.clone(), to_data(v)?))).collect::<Result<_, String>>()?))
        }
        other => Err(format!("a certificate holds texts, lists and records, not `{other}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_session::results::Failure;
    use std::collections::BTreeMap;

    #[test]
    fn programs_that_are_rendered_one_by_one_give_the_same_text() {
        let program = |message: &str| Program {
            file: "a.c".to_owned(),
            sources: BTreeMap::new(),
            outcome: Err(Failure { place: None, message: message.to_owned() }),
            harnesses: Vec::new(),
        };
        let all = [program("one\nline \u{2028} \r and another"), program("[]"), program("")];
        for n in 0..=all.len() {
            let alone = all[..n].iter().map(|p| render(std::slice::from_ref(p))).collect();
            assert_eq!(together(alone), render(&all[..n]), "{n} programs");
        }
    }
}
