//! The run of a divergence certificate, as a reader follows it: line by line where the source is known, else from location
//! to location.

use super::reader::{Reader, number};
use super::replay::{Moment, Replay};
use super::{Input, InputOrigin, StepReport, Witness};
use crate::source::Source;
use lariat_ir::neutral::{Happening, Origin, Site, Visit};
use lariat_ir::{Claim, Id, Mode, Op, Role, Term, UnknownId, UnknownKind, Value, VarId};
use std::collections::BTreeMap;

/// The stem and the first round of a run, in the reader's words.
pub(super) fn witness(reader: &mut Reader<'_>, c: &Claim, run: &Replay) -> Witness {
    learn_pointers(reader, run);
    let mut first = start_inputs(reader, c, &run.start);
    for input in cells_read(reader, run) {
        if !first.iter().any(|i| i.name == input.name) {
            first.push(input);
        }
    }
    first.extend(stream_input(reader, run));
    for (word, text) in super::contents::words(reader.ts, reader.source, run) {
        let value = format!("\"{}\"", text.escape_ascii());
        first.push(Input { name: format!("argv[{word}]"), value, origin: InputOrigin::Before });
    }
    let mut teller =
        Teller { reader, values: run.start.clone(), chosen: BTreeMap::new(), told: BTreeMap::new(), steps: Vec::new() };
    for m in run.stem() {
        teller.tell(m);
    }
    let stem = std::mem::take(&mut teller.steps);
    for m in run.round(0) {
        teller.tell(m);
    }
    let mut cycle = std::mem::take(&mut teller.steps);
    if run.rounds.len() > 1 && teller.reader.source.is_known() {
        for m in run.round(1) {
            teller.tell(m);
        }
        keep_common(&mut cycle, &teller.steps);
    }
    let inputs = first.into_iter().chain(stem.iter().flat_map(|s| s.inputs.iter().cloned())).collect();
    Witness { inputs, stem, cycle }
}

/// What is read from streams.
fn stream_input(reader: &Reader<'_>, run: &Replay) -> Option<Input> {
    const SHOWN: usize = 60;
    let read = super::contents::contents(reader.ts, reader.source, run)?;
    let mut value = read.bytes.escape_ascii().to_string();
    if value.len() > SHOWN {
        value.truncate(SHOWN);
        value.push('…');
    }
    let name = if read.standard { "standard input" } else { "what is read" };
    Some(Input { name: name.to_owned(), value, origin: InputOrigin::Stream })
}

/// Leaves in a round only what the next one does again: the first one may still give a variable its value.
fn keep_common(round: &mut [StepReport], next: &[StepReport]) {
    let same = round.len() == next.len() && round.iter().zip(next).all(|(a, b)| a.span == b.span);
    if !same {
        return;
    }
    for (step, other) in round.iter_mut().zip(next) {
        step.changed.retain(|(name, _)| other.changed.iter().any(|(n, _)| n == name));
    }
}

/// The pointers that the entry is called with, so that memory can be named after them.
fn learn_pointers(reader: &mut Reader<'_>, run: &Replay) {
    for (u, value) in run.moments.iter().take(run.stem.max(2)).flat_map(|m| &m.chosen) {
        if let Some(Origin::Parameter { name, pointer: Some(size), .. }) = reader.source.origin(*u)
            && let Some(address) = number(value)
            && !reader.pointers.iter().any(|(n, ..)| n == name)
        {
            reader.pointers.push((name.clone(), address, *size));
        }
    }
}

/// What holds at the entry and is the caller's choice.
fn start_inputs(reader: &Reader<'_>, c: &Claim, start: &[Value]) -> Vec<Input> {
    let ts = reader.ts;
    let needed = ts.terms.symbols(c.when);
    let mut inputs = Vec::new();
    for ((id, v), value) in ts.vars.entries().zip(start) {
        let fixed = reader.source.is_fixed(&v.name) || !reader.is_visible(id);
        if !fixed && (ts.mode == Mode::Function || needed.contains(&v.term)) {
            let values = reader.values(id, None, value);
            inputs.extend(values.into_iter().map(|(name, value)| Input { name, value, origin: InputOrigin::Before }));
        }
    }
    inputs
}

/// The cells of memory from before that a run reads before it writes to them, with what must be there.
fn cells_read(reader: &Reader<'_>, run: &Replay) -> Vec<Input> {
    const LOOKED_AT: usize = 200;
    let ts = reader.ts;
    let Some(before) = &reader.source.origins.before else { return Vec::new() };
    let mut values = run.start.clone();
    let mut found: Vec<Input> = Vec::new();
    for m in run.moments.iter().take(LOOKED_AT) {
        let edge = &ts.edges[m.edge];
        let roots: Vec<Term> = edge.updates.iter().map(|(_, t)| *t).chain([edge.guard]).collect();
        let var = |t: Term| match ts.terms.role(t) {
            Some(Role::Var(v)) => Some(v),
            _ => None,
        };
        for t in ts.terms.reachable(&roots).into_iter().filter(|t| ts.terms.node(*t).op == Op::Select) {
            let node = ts.terms.node(t);
            let [array, index] = node.args() else { continue };
            let Some(v) = var(*array).filter(|v| reader.source.mem_of(*v).is_some_and(|m| before.mems.contains(&m)))
            else {
                continue;
            };
            // What the step only chooses is not there to be read yet.
            if ts.terms.symbols(*index).iter().any(|s| var(*s).is_none()) {
                continue;
            }
            let at = ts.terms.eval(*index, |s| var(s).map(|v| values[v.index()].clone()).expect("a variable"));
            let (Value::Array(now), Value::Array(first)) = (&values[v.index()], &run.start[v.index()]) else {
                continue;
            };
            if now.get(&at) != first.get(&at) {
                continue;
            }
            let (name, value) = reader.cell_value(v, &at, first.get(&at));
            if !found.iter().any(|i| i.name == name) {
                found.push(Input { name, value, origin: InputOrigin::Before });
            }
        }
        for (v, _, now) in &m.changed {
            values[v.index()] = now.clone();
        }
    }
    found
}

struct Teller<'r, 'a> {
    reader: &'r Reader<'a>,
    values: Vec<Value>,
    /// Unknown values that were chosen and not asked for yet.
    chosen: BTreeMap<UnknownId, Value>,
    /// The values that the reader has heard of.
    told: BTreeMap<VarId, Value>,
    steps: Vec<StepReport>,
}

impl Teller<'_, '_> {
    fn tell(&mut self, m: &Moment) {
        let ts = self.reader.ts;
        self.chosen.extend(m.chosen.iter().cloned());
        let before = self.values.clone();
        for (v, _, now) in &m.changed {
            self.values[v.index()] = now.clone();
        }
        if !self.reader.source.is_known() {
            self.tell_locations(m, &before);
            return;
        }
        // Where values are only chosen, nothing of the source happens yet.
        let Some(trail) = self.reader.source.trail(ts, m.edge) else { return };
        if trail.is_empty() {
            self.tell_edge(m);
        } else {
            self.tell_lines(m, &before, trail);
        }
        self.chosen.clear();
    }

    fn tell_locations(&mut self, m: &Moment, before: &[Value]) {
        let ts = self.reader.ts;
        let edge = &ts.edges[m.edge];
        let inputs = m.chosen.iter().filter(|(u, _)| ts.unknowns[*u].kind == UnknownKind::Input);
        let inputs = inputs.map(|(u, value)| Input {
            name: ts.unknowns[*u].name.clone(),
            value: self.reader.seen(*u, value),
            origin: InputOrigin::Unknown,
        });
        let changed = m.changed.iter().filter(|(v, ..)| self.reader.is_visible(*v));
        self.steps.push(StepReport {
            at: Some(ts.locs[edge.from].name.clone()),
            to: Some(ts.locs[edge.to].name.clone()),
            span: edge.span.clone().or_else(|| ts.locs[edge.from].span.clone()),
            inputs: inputs.collect(),
            changed: changed.flat_map(|(v, _, now)| self.reader.values(*v, Some(&before[v.index()]), now)).collect(),
        });
    }

    /// A step of which only the place is known, as in a program that was made by hand.
    fn tell_edge(&mut self, m: &Moment) {
        let inputs = self.chosen.keys().filter_map(|u| self.input(*u)).collect();
        let changed = m.changed.iter().filter(|(v, ..)| self.reader.is_visible(*v));
        let changed = changed.flat_map(|(v, was, now)| self.reader.values(*v, Some(was), now)).collect();
        let span = self.reader.ts.edges[m.edge].span.clone();
        let span = span.or_else(|| self.reader.ts.locs[self.reader.ts.edges[m.edge].from].span.clone());
        self.steps.push(StepReport { span, inputs, changed, ..StepReport::default() });
    }

    fn tell_lines(&mut self, m: &Moment, before: &[Value], trail: &[Visit]) {
        let source = self.reader.source;
        let mut line: Option<Site> = None;
        let mut fresh = true;
        // A variable that is set several times on the way is told of where it gets its last value.
        let last: BTreeMap<VarId, usize> =
            trail.iter().enumerate().filter_map(|(n, v)| Some((target(source, v.what)?, n))).collect();
        for (n, visit) in trail.iter().enumerate() {
            let same = line.is_some_and(|s| (s.file, s.line) == (visit.site.file, visit.site.line));
            if !same {
                line = Some(visit.site);
                // The way may go on in the line in which the last one ended.
                let span = source.span(visit.site);
                let goes_on = fresh && self.steps.last().is_some_and(|s| same_line(s, span.as_ref()));
                if !goes_on {
                    self.steps.push(StepReport { span, ..StepReport::default() });
                }
                fresh = false;
            }
            if let Happening::Asked(u) = visit.what {
                let input = self.input(UnknownId::from_index(u));
                let step = self.steps.last_mut().expect("a line was begun");
                step.inputs.extend(input);
            }
            let set = target(source, visit.what).filter(|v| last[v] == n);
            if let Some(v) = set.filter(|v| self.reader.is_visible(*v)) {
                let was = &before[v.index()];
                let now = &self.values[v.index()];
                let news = self.told.insert(v, now.clone()).as_ref() != Some(now);
                let news = news && !self.reader.is_as_passed(v, now);
                if news && (was != now || !matches!(now, Value::Array(_))) {
                    let values = self.reader.values(v, Some(was), now);
                    let step = self.steps.last_mut().expect("a line was begun");
                    for (name, value) in values {
                        step.changed.retain(|(n, _)| *n != name);
                        step.changed.push((name, value));
                    }
                }
            }
        }
        // What changed without an assignment of the source's.
        let rest = m.changed.iter().filter(|(v, ..)| !last.contains_key(v) && self.reader.is_visible(*v));
        let rest = rest.filter(|(v, ..)| !self.is_forgotten(m, *v));
        let rest: Vec<(String, String)> =
            rest.flat_map(|(v, was, now)| self.reader.values(*v, Some(was), now)).collect();
        if let Some(step) = self.steps.last_mut() {
            step.changed.extend(rest);
        }
    }

    /// Whether a step gives a variable a value that nobody knows: any would do, so that it tells nothing.
    fn is_forgotten(&self, m: &Moment, v: VarId) -> bool {
        let ts = self.reader.ts;
        let term = ts.edges[m.edge].updates.iter().find(|(w, _)| *w == v).map(|(_, t)| *t);
        let kind = |u: UnknownId| ts.unknowns[u].kind != UnknownKind::Input;
        match term.and_then(|t| ts.terms.role(t)) {
            Some(Role::Unknown(u)) => kind(u),
            // An unknown that was stored before.
            Some(Role::Var(w)) => {
                let stored = ts.vars[w].name.strip_suffix(".value").and_then(|n| ts.unknown_named(n));
                stored.is_some_and(kind)
            }
            _ => false,
        }
    }

    /// An unknown that is asked for, if it is an input.
    fn input(&self, u: UnknownId) -> Option<Input> {
        let unknown = &self.reader.ts.unknowns[u];
        // These are told together, in the beginning.
        let origin = self.reader.source.origin(u);
        let pieces = origin.is_some_and(super::contents::is_part);
        if unknown.kind != UnknownKind::Input || pieces {
            return None;
        }
        // What nothing depends on was never chosen: any value does.
        let least = self.reader.ts.least(u);
        let value = self.reader.seen(u, self.chosen.get(&u).unwrap_or(&least));
        let (name, origin) = match self.reader.source.origin(u) {
            Some(Origin::Parameter { name, number, .. }) => (name.clone(), InputOrigin::Parameter(*number)),
            Some(Origin::Call { function, result: true, site }) => {
                let span = site.and_then(|s| self.reader.source.span(s));
                (function.clone(), InputOrigin::Call(span))
            }
            Some(Origin::Call { function, result: false, .. }) => {
                (format!("{function} (what it writes)"), InputOrigin::Unknown)
            }
            Some(Origin::Shared { .. } | Origin::Stream { .. }) | None => (unknown.name.clone(), InputOrigin::Unknown),
        };
        Some(Input { name, value, origin })
    }
}

/// The variable of the system that something happens to.
fn target(source: &Source, what: Happening) -> Option<VarId> {
    match what {
        Happening::Set(v) => Some(VarId::from_index(v)),
        Happening::Stored(mem) => Some(source.mem_var(mem)),
        Happening::Passed | Happening::Asked(_) | Happening::Called | Happening::Waits(_) => None,
    }
}

fn same_line(step: &StepReport, span: Option<&lariat_ir::Span>) -> bool {
    match (&step.span, span) {
        (Some(a), Some(b)) => (&a.file, a.line) == (&b.file, b.line),
        _ => false,
    }
}
