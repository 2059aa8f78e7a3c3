//! Documents from the result model.

use super::{
    Analysed, Assumption, Condition, Copy, Document, Entry, Failed, Input, Line, Live, Loop, Overflow, Position,
    Process, Program, SCHEMA, Step, System, Tool, Trial, Watched, Witness, from_data,
};
use crate::results::{self, InputOrigin, Intent, Note, Reason};
use lariat_engines::portfolio::Attempt;
use lariat_ir::{LoopKey, Span};
use serde_json::Value as Json;
use std::time::Duration;

impl From<&[results::Program]> for Document {
    /// One program as it is, several under `programs`.
    fn from(all: &[results::Program]) -> Self {
        match all {
            [one] => Self::One(Box::new(one.into())),
            several => Self::Several {
                schema: SCHEMA.to_owned(),
                tool: tool(),
                programs: several.iter().map(Program::from).collect(),
            },
        }
    }
}

fn tool() -> Tool {
    Tool { name: "lariat".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

impl From<&results::Program> for Program {
    fn from(p: &results::Program) -> Self {
        match &p.outcome {
            Ok(r) => Self::Analysed(Box::new(analysed(&p.file, r))),
            Err(f) => {
                let (at, line, column) = place(f.place.as_ref());
                let (file, error) = (p.file.clone(), f.message.clone());
                Self::Failed(Failed { schema: SCHEMA.to_owned(), tool: tool(), file, error, at, line, column })
            }
        }
    }
}

fn place(span: Option<&Span>) -> (Option<String>, Option<u32>, Option<u32>) {
    (span.map(|s| s.file.clone()), span.map(|s| s.line), span.map(|s| s.column))
}

fn millis(t: Duration) -> f64 {
    (t.as_secs_f64() * 10_000.0).round() / 10.0
}

fn analysed(file: &str, r: &results::Results) -> Analysed {
    let loops = |all: &[results::LoopReport]| all.iter().map(|l| one_loop(file, l)).collect();
    let assumption = |a: &lariat_ir::Assumption| Assumption {
        text: a.text.clone(),
        at: a.span.as_ref().map(ToString::to_string),
        code: a.kind.code().to_owned(),
    };
    Analysed {
        schema: SCHEMA.to_owned(),
        tool: tool(),
        file: file.to_owned(),
        verdict: r.verdict.word().to_owned(),
        reason: r.reason.as_ref().map(ToString::to_string),
        integers: r.integers.clone(),
        data_model: r.data_model.clone(),
        entry: r.entry.clone(),
        loops: loops(&r.loops),
        recursion: loops(&r.recursion),
        assumptions: r.assumptions.iter().map(assumption).collect(),
        contradictions: r.contradictions.clone(),
        entries: Some(r.entries.iter().map(Entry::from).collect()),
        millis: millis(r.time),
        live: r.live.as_deref().map(Live::from),
        reason_code: code(r.reason.as_ref()),
    }
}

impl From<&results::EntryReport> for Entry {
    fn from(e: &results::EntryReport) -> Self {
        Self {
            name: e.name.clone(),
            verdict: e.verdict.word().to_owned(),
            reason: e.reason.as_ref().map(ToString::to_string),
            certificate: e.certificate.as_ref().map(from_data),
            systems: e.systems.iter().map(System::from).collect(),
            reason_code: code(e.reason.as_ref()),
            needs: e.needs.as_ref().map(|all| all.iter().map(Position::from).collect()),
        }
    }
}

impl From<&results::SystemReport> for System {
    fn from(s: &results::SystemReport) -> Self {
        Self { proves: s.proves.to_owned(), hash: s.hash.clone(), lts: s.lts.clone() }
    }
}

impl From<&LoopKey> for Position {
    fn from(key: &LoopKey) -> Self {
        let (file, line, column) = place(key.span.as_ref());
        Self { function: key.function.clone(), file, line, column, ordinal: key.ordinal }
    }
}

fn one_loop(file: &str, l: &results::LoopReport) -> Loop {
    let (at, line, column) = place(l.span.as_ref().or(l.place.as_ref()));
    Loop {
        id: l.id.clone(),
        function: l.function.clone(),
        file: at.unwrap_or_else(|| file.to_owned()),
        line,
        column,
        depth: l.depth,
        verdict: l.verdict.word().to_owned(),
        when: l.when.clone(),
        engine: l.engine.map(str::to_owned),
        certificate: l.certificate.as_ref().map(from_data),
        witness: l.witness.as_ref().map(Witness::from),
        bound: l.bound.clone(),
        intent: l.intent.as_ref().map(Intent::word).map(str::to_owned),
        overflow: l.overflow.as_ref().map(Overflow::from),
        reason: l.reason.as_ref().map(ToString::to_string),
        why: l.why.clone(),
        rejected: l.rejected.clone(),
        entry: l.entry.clone(),
        others: l.others.iter().map(Copy::from).collect(),
        millis: millis(l.time),
        trials: l.attempts.iter().map(Trial::from).collect(),
        reason_code: code(l.reason.as_ref()),
        notes: Note::of(l).into_iter().map(|n| n.code().to_owned()).collect(),
        view: l.view.as_ref().map(|v| v.rung.to_owned()),
        view_system: l.view.as_ref().map(|v| System::from(&v.system)),
        view_when: l.view.as_ref().and_then(|v| v.when.clone()),
        needs: l.view.iter().flat_map(|v| &v.needs).map(Position::from).collect(),
        exactly: l.exactly,
    }
}

fn code(reason: Option<&Reason>) -> Option<String> {
    reason.map(|r| r.kind().code().to_owned())
}

impl From<&Attempt> for Trial {
    fn from(a: &Attempt) -> Self {
        Self {
            engine: a.engine.to_owned(),
            rung: a.effort.word().to_owned(),
            outcome: a.end.word().to_owned(),
            millis: millis(a.search.time),
            queries: a.search.questions,
            check_millis: millis(a.check.time),
            check_queries: a.check.questions,
        }
    }
}

impl From<&results::CopyReport> for Copy {
    fn from(c: &results::CopyReport) -> Self {
        Self {
            entry: c.entry.clone(),
            id: c.id.clone(),
            verdict: c.verdict.word().to_owned(),
            when: c.when.clone(),
            certificate: c.certificate.as_ref().map(from_data),
        }
    }
}

impl From<&results::OverflowReport> for Overflow {
    fn from(o: &results::OverflowReport) -> Self {
        let [c, wrap, ideal] = [o.c, o.wrap, o.ideal].map(|v| v.word().to_owned());
        Self { c, wrap, ideal }
    }
}

impl From<&results::Witness> for Witness {
    fn from(w: &results::Witness) -> Self {
        Self {
            inputs: w.inputs.iter().map(Input::from).collect(),
            stem: w.stem.iter().map(Step::from).collect(),
            cycle: w.cycle.iter().map(Step::from).collect(),
        }
    }
}

impl From<&results::StepReport> for Step {
    fn from(s: &results::StepReport) -> Self {
        let (file, line, column) = place(s.span.as_ref());
        Self {
            at: s.at.clone(),
            to: s.to.clone(),
            file,
            line,
            column,
            inputs: s.inputs.iter().map(Input::from).collect(),
            changed: s.changed.iter().map(|(k, v)| (k.clone(), Json::from(v.as_str()))).collect(),
        }
    }
}

impl From<&results::Input> for Input {
    fn from(i: &results::Input) -> Self {
        let (from, span) = match &i.origin {
            InputOrigin::Call(span) => ("call", span.as_ref()),
            InputOrigin::Parameter(_) => ("parameter", None),
            InputOrigin::Before => ("before", None),
            InputOrigin::Stream => ("stream", None),
            InputOrigin::Unknown => ("input", None),
        };
        let (file, line, column) = place(span);
        Self { name: i.name.clone(), value: i.value.clone(), from: from.to_owned(), file, line, column }
    }
}

impl From<&results::Live> for Live {
    fn from(l: &results::Live) -> Self {
        let watched = |w: &results::WatchedValue| Watched {
            name: w.name.clone(),
            place: w.place.clone(),
            size: w.size,
            value: w.value.clone(),
            changes: w.changes,
        };
        let condition =
            |(kind, text): &(&'static str, String)| Condition { kind: (*kind).to_owned(), text: text.clone() };
        Self {
            headline: l.verdict.clone(),
            process: Process { pid: l.pid, thread: l.thread, command: l.command.clone() },
            held_millis: millis(l.held),
            search_millis: millis(l.search),
            instructions: l.instructions.map(|(_, most)| most),
            period: l.period,
            unbounded: l.unbounded,
            leaves_in_seconds: l.leaves_in.map(|t| t.as_secs_f64().round()),
            frames: l.frames.clone(),
            lines: l.lines.iter().map(|s| Line { file: s.file.clone(), line: s.line }).collect(),
            watch: l.watch.iter().map(watched).collect(),
            conditions: l.conditions.iter().map(condition).collect(),
        }
    }
}
