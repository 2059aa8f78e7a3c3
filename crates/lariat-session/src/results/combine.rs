//! From what was found about each system to one result: a loop of the source appears once, whatever number of systems and
//! entries it occurs in.

use super::intent::intent;
use super::overflow::{OnlyByOverflow, OverflowReport, overflow};
use super::reader::Reader;
use super::replay::{Replay, replay};
use super::views::with_views;
use super::why::why;
use super::witness::witness;
use super::words::{bound, condition_words, readable_condition, why_it_ends};
use super::{CopyReport, EntryReport, LoopReport, Reason, Results, Subject, SystemReport};
use crate::analyze::{Analysis, EntryStudy, Study, Verdict};
use crate::views::Views;
use lariat_check::Proved;
use lariat_check::compose::{self, Open, Outcome};
use lariat_engines::LoopResult;
use lariat_ir::lts::{self, Places};
use lariat_ir::{
    Assumption, Integers, LocId, Loop, LoopCopy, LoopId, LoopKey, Op, Property, Role, Span, Term, TransitionSystem,
    Value, claim,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

/// Makes the results of a file from what was found about its entries.
pub fn combine(
    file: &str,
    integers: Integers,
    data_model: &str,
    (entries, views): (&[EntryStudy], &Views),
    time: Duration,
) -> Results {
    let composed: Vec<compose::Entry<'_>> = entries.iter().map(EntryStudy::findings).collect();
    let mut all: Vec<LoopReport> = Vec::new();
    let mut reports: Vec<EntryReport> = Vec::new();
    for (entry, known) in entries.iter().zip(&composed) {
        let loops = loops_of(file, entry, known);
        reports.push(entry_report(entry, known, &loops));
        all.extend(loops);
    }
    if entries.iter().all(|e| e.places.is_empty()) {
        all = by_source(all, entries, &composed);
    }
    let mut rests = Vec::new();
    let mut contradictions: Vec<String> = Vec::new();
    let mut condition = None;
    if let Some(cover) = views.cover() {
        // A loop that systems hold and in which nothing goes round in them; but not if no run was followed to it that might be there.
        let is_told = |key: &LoopKey| {
            entries.iter().any(|e| e.keys.contains(key) && !e.studies.is_empty())
                && compose::source_loop(&composed, key) != Outcome::Open(Open::NotFollowed)
        };
        let found = with_views(file, &mut all, views, cover, &mut reports, &is_told);
        (rests, contradictions, condition) = (found.rests, found.contradictions, found.condition);
    }
    all.sort_by(|a, b| (&a.place, a.depth).cmp(&(&b.place, b.depth)));
    let (recursion, loops): (Vec<LoopReport>, Vec<LoopReport>) =
        all.into_iter().partition(|l| l.recursion().is_some() || l.obligation().is_some());
    let mut verdict = together(&reports);
    let mut reason = (verdict == Verdict::Unknown).then(|| reason_together(&reports)).flatten();
    // A function that no entry calls may have a loop that is open. Where the program begins here that does not matter.
    let matters = |l: &&LoopReport| l.verdict != Verdict::Terminates && l.reason != Some(Reason::NotReached);
    if let Some(open) = loops.iter().find(matters)
        && verdict == Verdict::Terminates
    {
        (verdict, reason) = (Verdict::Unknown, open.reason.clone());
    }
    if let Some(function) = condition.filter(|_| verdict == Verdict::Terminates) {
        (verdict, reason) = (Verdict::Unknown, Some(Reason::UnderCondition(function)));
    }
    for entry in entries {
        contradictions.extend(entry.studies.iter().flat_map(|s| s.analysis.contradictions.iter().cloned()));
        contradictions.extend(entry.contradictions.iter().cloned());
    }
    Results {
        verdict,
        reason,
        integers: integers.to_string(),
        data_model: data_model.to_owned(),
        entry: match entries {
            [one] => one.name.clone(),
            _ => "all".to_owned(),
        },
        entries: reports,
        loops,
        recursion,
        assumptions: assumptions(entries, rests),
        contradictions,
        time,
        trace: Vec::new(),
        live: None,
    }
}

/// What the checker's rules conclude, as a verdict.
fn verdict_of(outcome: &Outcome) -> Verdict {
    match outcome {
        Outcome::Ends(_) => Verdict::Terminates,
        Outcome::Hangs => Verdict::Diverges,
        Outcome::Open(_) | Outcome::NotSeen(_) => Verdict::Unknown,
    }
}

fn reason_together(entries: &[EntryReport]) -> Option<Reason> {
    let open: Vec<&EntryReport> = entries.iter().filter(|e| e.verdict == Verdict::Unknown).collect();
    let first = open.first()?;
    let reason = first.reason.clone()?;
    if entries.len() == 1 {
        return Some(reason);
    }
    Some(Reason::InEntry { entry: first.name.clone(), reason: Box::new(reason), more: open.len() - 1 })
}

fn entry_report(entry: &EntryStudy, known: &compose::Entry<'_>, loops: &[LoopReport]) -> EntryReport {
    let outcome = known.program();
    let verdict = verdict_of(&outcome);
    let decided = entry.studies.iter().find(|s| s.analysis.verdict == verdict).filter(|_| verdict != Verdict::Unknown);
    let reason = || {
        // What ends over the integers and hangs where they wrap is not said to end.
        let hangs =
            |l: &&LoopReport| l.overflow.as_ref().is_some_and(|o| o.only_by_overflow == Some(OnlyByOverflow::Hangs));
        let by_overflow = loops.iter().find(hangs).map(|l| Reason::OnlyByOverflow { hangs: Some(l.id.clone()) });
        let wraps = (outcome == Outcome::Open(Open::Wraps)).then(|| open_reason(entry, Open::Wraps));
        // The first system is the one that could have shown that it ends; its reason names the loop.
        let first = entry.studies.first().and_then(|s| s.analysis.reason.clone());
        by_overflow.or(wraps).or(first).or_else(|| entry.reason.clone())
    };
    EntryReport {
        name: entry.name.clone(),
        verdict,
        reason: if verdict == Verdict::Unknown { reason() } else { None },
        certificate: decided.and_then(|s| s.analysis.program.as_ref().map(|p| claim::to_data(&s.ts, p.claim()))),
        systems: entry
            .studies
            .iter()
            .map(|s| SystemReport { proves: s.ts.proves.word(), hash: s.ts.hash().to_string(), lts: lts::print(&s.ts) })
            .collect(),
        needs: None,
    }
}

/// What follows for the file from the verdicts on its entries.
fn together(entries: &[EntryReport]) -> Verdict {
    verdict_of(&compose::all_entries(entries.iter().map(|e| match e.verdict {
        Verdict::Terminates => Outcome::Ends(compose::Extent::Always),
        Verdict::Diverges => Outcome::Hangs,
        Verdict::Unknown => Outcome::Open(Open::NotListed),
    })))
}

/// What the proofs rest on, each thing once.
fn assumptions(entries: &[EntryStudy], of_views: Vec<Assumption>) -> Vec<Assumption> {
    let mut seen = HashSet::new();
    let mut all: Vec<Assumption> = Vec::new();
    for study in entries.iter().flat_map(|e| &e.studies) {
        let proofs = study.analysis.proved.iter().map(|(_, p)| p).chain(&study.analysis.program);
        let mut used: Vec<_> = proofs.flat_map(|p: &Proved| p.assumptions().iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        for a in used {
            let a = &study.ts.assumptions[a];
            if seen.insert(a) {
                all.push(a.clone());
            }
        }
    }
    let new: Vec<Assumption> = of_views.into_iter().filter(|a| !all.contains(a)).collect();
    all.extend(new);
    all
}

/// The loops of an entry: those of its systems, each with what the checker's rules conclude, and what it leaves open besides.
fn loops_of(file: &str, entry: &EntryStudy, known: &compose::Entry<'_>) -> Vec<LoopReport> {
    let mut all = Vec::new();
    let [first, rest @ ..] = entry.studies.as_slice() else { return all };
    // Cycles that the translation made are no loops of the source; the verdict on the whole counts them.
    let listed = |study: &Study, l: &LoopResult| {
        !study.ts.locs[study.analysis.forest().loops[l.id].header].artificial || !entry.places.is_empty()
    };
    let second = rest.first();
    let mut seen: BTreeSet<&LoopCopy> = BTreeSet::new();
    for result in first.analysis.loops.iter().filter(|l| listed(first, l)) {
        let mut this = loop_report(file, entry, first, entry.places.first(), result);
        if let Some(copy) = first.analysis.control.source_of(result.id) {
            seen.insert(copy);
            this = with_outcome(this, copy, entry, &known.outcome(copy), |hanging| {
                let study = second.unwrap_or(first);
                let result = study.analysis.loops.iter().find(|l| l.id == hanging)?;
                Some(loop_report(file, entry, study, entry.places.get(usize::from(second.is_some())), result))
            });
            if this.inner.is_none() {
                this.overflow = overflow(&entry.source, first, result.id, this.verdict, &entry.beside);
                let by_overflow = this.overflow.as_ref().is_some_and(|o| o.only_by_overflow.is_some());
                if by_overflow && this.verdict == Verdict::Unknown {
                    undecide(&mut this, Reason::OnlyByOverflow { hangs: None });
                }
            }
        }
        if first.analysis.control.source_of(result.id).is_none()
            && this.verdict == Verdict::Terminates
            && let Some(open) = known.doubt(result.id)
        {
            undecide(&mut this, open_reason(entry, open));
        }
        all.push(this);
    }
    if let Some(study) = second {
        for result in study.analysis.loops.iter().filter(|l| listed(study, l)) {
            let copy = study.analysis.control.source_of(result.id);
            // Where nothing goes round for ever in the first system either, there is nothing to tell.
            let is_told = match copy {
                Some(copy) => !seen.contains(copy) && !matches!(known.outcome(copy), Outcome::Ends(_)),
                None => first.analysis.verdict != Verdict::Terminates || study.hanging().any(|id| id == result.id),
            };
            if is_told {
                all.push(loop_report(file, entry, study, entry.places.get(1), result));
            }
        }
    }
    all.extend(only_where_numbers_wrap(file, entry, first, &seen));
    all.extend(first.ts.obligations.iter().map(|o| open_obligation(file, entry, &o.text, o.span.as_ref())));
    all
}

/// The loops that run for ever where numbers wrap, and are none over the integers: a condition is decided there.
fn only_where_numbers_wrap(
    file: &str,
    entry: &EntryStudy,
    first: &Study,
    seen: &BTreeSet<&LoopCopy>,
) -> Vec<LoopReport> {
    let wraps = |s: &&Study| s.ts.integers == Integers::Wrap && first.ts.integers == Integers::C;
    let Some(wrap) = entry.beside.iter().find(wraps) else { return Vec::new() };
    let findings = first.findings();
    let mut all = Vec::new();
    for result in &wrap.analysis.loops {
        let copy = wrap.analysis.control.source_of(result.id);
        let is_new = copy.is_some_and(|c| !seen.contains(c) && findings.ends(c).is_ok());
        if is_new && wrap.hanging().any(|id| id == result.id) {
            let mut this = loop_report(file, entry, wrap, None, result);
            let overflow = OverflowReport {
                c: Verdict::Unknown,
                wrap: Verdict::Diverges,
                ideal: Verdict::Unknown,
                only_by_overflow: Some(OnlyByOverflow::Hangs),
                why: std::mem::take(&mut this.why),
            };
            undecide(&mut this, Reason::OnlyByOverflow { hangs: None });
            this.overflow = Some(overflow);
            all.push(this);
        }
    }
    all
}

/// What one system says of a loop of the source, with what follows from all systems of the entry. `in_other` makes the report of a
/// loop of the system that carries proofs of divergence.
fn with_outcome(
    mut this: LoopReport,
    copy: &LoopCopy,
    entry: &EntryStudy,
    outcome: &Outcome,
    in_other: impl Fn(LoopId) -> Option<LoopReport>,
) -> LoopReport {
    let hanging = entry.studies.get(1).or(entry.studies.first()).map(Study::findings);
    let hangs = hanging.as_ref().and_then(|f| f.hangs(copy));
    let other = match (outcome, hangs) {
        (Outcome::Hangs, Some(id)) => in_other(id),
        _ => None,
    };
    match (outcome, other) {
        (Outcome::Hangs, Some(other)) => {
            let (time, mut rejected) = (this.time, std::mem::take(&mut this.rejected));
            rejected.extend(other.rejected);
            let mut attempts = std::mem::take(&mut this.attempts);
            attempts.extend(other.attempts);
            return LoopReport { time: time + other.time, rejected, attempts, ..other };
        }
        (Outcome::Open(open), _) if this.verdict == Verdict::Terminates => {
            undecide(&mut this, open_reason(entry, *open));
        }
        (Outcome::Open(_), _) if this.verdict == Verdict::Unknown => {
            let inside = entry.studies.get(1).and_then(|s| Some((s, s.findings().hangs_within(copy)?)));
            if let Some((study, id)) = inside {
                this.reason = Some(hanging_inside(study, id));
            } else if let Some(more) = entry.studies.get(1).and_then(|s| reason_in(s, copy))
                && this.reason.as_ref() != Some(&more)
            {
                this.reason = Some(match this.reason {
                    Some(reason) => Reason::Both(Box::new(reason), Box::new(more)),
                    None => more,
                });
            }
        }
        _ => {}
    }
    this
}

/// Why a system leaves a loop of the source open.
fn reason_in(study: &Study, copy: &LoopCopy) -> Option<Reason> {
    let is_this = |l: &&LoopResult| study.analysis.control.source_of(l.id) == Some(copy);
    study.analysis.loops.iter().find(is_this).map(|l| undecided_reason(&study.analysis, l))
}

/// Why a copy of a loop is not said to end, though its own proof says so.
fn open_reason(entry: &EntryStudy, open: Open) -> Reason {
    match open {
        Open::Loop(id) => {
            let at = entry.studies.first().map(|s| s.ts.locs[s.analysis.forest().loops[id].header].name.as_str());
            Reason::InnerLoopOpen(at.unwrap_or("?").to_owned())
        }
        Open::NotListed => Reason::NotListed,
        Open::Beyond | Open::NotFollowed => Reason::LeavesModel,
        Open::Wraps => Reason::OnlyByOverflow { hangs: None },
        Open::MayWrap => Reason::MayWrap,
    }
}

/// Where a loop runs for ever that lies in another one. The system that shows it may have no such outer loop: there the
/// way back is never taken, since the inner one is never left.
fn hanging_inside(study: &Study, id: LoopId) -> Reason {
    let header = &study.ts.locs[study.analysis.forest().loops[id].header];
    let at = header.span.as_ref().map_or_else(|| format!("at `{}`", header.name), |s| format!("at line {}", s.line));
    Reason::HangsInside(at)
}

/// Takes a verdict back, for a reason that no engine knows of.
fn undecide(this: &mut LoopReport, reason: Reason) {
    this.verdict = Verdict::Unknown;
    this.reason = Some(reason);
    (this.when, this.engine, this.certificate, this.kind) = (None, None, None, None);
    (this.witness, this.bound, this.stays, this.in_general) = (None, None, None, None);
    this.why.clear();
}

/// Something that could run for ever and is no loop of the system.
fn open_obligation(file: &str, entry: &EntryStudy, text: &str, span: Option<&Span>) -> LoopReport {
    // An `.lts` file is shown itself; where in it the obligation stands is not known.
    let place =
        if entry.places.is_empty() { span.cloned() } else { Some(Span { file: file.to_owned(), line: 1, column: 1 }) };
    let subject = Subject::Obligation(text.to_owned());
    let id = format!("obligation:{text}");
    LoopReport { place, ..LoopReport::open(entry.name.clone(), id, subject, span.cloned(), Reason::NotCovered) }
}

/// Each loop of the source once: a function that is called from several places, or is in several entries, has its loops
/// copied into each. What follows from all of them is the checker's matter.
fn by_source(all: Vec<LoopReport>, entries: &[EntryStudy], composed: &[compose::Entry<'_>]) -> Vec<LoopReport> {
    let mut groups: BTreeMap<LoopKey, Vec<LoopReport>> = BTreeMap::new();
    let mut done = Vec::new();
    for l in all {
        match l.source().cloned() {
            Some(key) => groups.entry(key).or_default().push(l),
            None => done.push(l),
        }
    }
    for (key, copies) in groups {
        let mut this = one_of_the_source(copies);
        let outcome = compose::source_loop(composed, &key);
        if this.verdict != Verdict::Unknown && verdict_of(&outcome) != this.verdict {
            let reason = match outcome {
                Outcome::NotSeen(n) => Reason::CopyNotSeen(entries[n].name.clone()),
                _ => Reason::CopyOpen,
            };
            undecide(&mut this, reason);
        }
        done.push(this);
    }
    done
}

fn one_of_the_source(mut copies: Vec<LoopReport>) -> LoopReport {
    let position = |wanted: &dyn Fn(&LoopReport) -> bool| copies.iter().position(wanted);
    // The copy that is shown decides: one that hangs, else one that is open, else one that ends under a condition.
    let shown = position(&|l| l.verdict == Verdict::Diverges)
        .or_else(|| position(&|l| l.verdict == Verdict::Unknown))
        .or_else(|| position(&|l| l.when.is_some()))
        .unwrap_or(0);
    let mut this = copies.remove(shown);
    for other in copies {
        this.time += other.time;
        this.rejected.extend(other.rejected);
        this.attempts.extend(other.attempts);
        this.others.push(CopyReport {
            entry: other.entry,
            id: other.id,
            verdict: other.verdict,
            when: other.when,
            certificate: other.certificate,
        });
    }
    this
}

pub(super) fn loop_report(
    file: &str,
    entry: &EntryStudy,
    study: &Study,
    places: Option<&Places>,
    result: &LoopResult,
) -> LoopReport {
    let Study { ts, analysis } = study;
    let this = &analysis.forest().loops[result.id];
    let header = &ts.locs[this.header];
    let (engine, proof) = proof_of(analysis, result.id).unzip();
    let claim = proof.map(Proved::claim);
    let verdict = match claim.map(|c| c.property) {
        Some(Property::Terminates(_)) => Verdict::Terminates,
        Some(Property::Diverges(_)) => Verdict::Diverges,
        _ => Verdict::Unknown,
    };
    let rejected: Vec<String> = result.trials.iter().flat_map(|t| t.rejected.iter().cloned()).collect();
    let reason = (verdict == Verdict::Unknown).then(|| undecided_reason(analysis, result));
    let place = match places {
        Some(places) => {
            let (line, column) = places.get(&this.header).copied().unwrap_or((1, 1));
            Some(Span { file: file.to_owned(), line, column })
        }
        None => header.span.clone(),
    };
    // A condition that holds in every initial state says nothing.
    let limited = claim.filter(|c| c.when != ts.terms.tt() && !holds_at_the_start(ts, c.when));
    let mut reader = Reader::new(ts, &entry.source, header.function.as_deref());
    let mut report = LoopReport {
        entry: entry.name.clone(),
        id: header.name.clone(),
        subject: analysis.control.source_of(result.id).map_or(Subject::Loop, |c| Subject::Source(c.clone())),
        function: header.function.clone(),
        span: header.span.clone(),
        place,
        depth: this.depth,
        verdict,
        when: limited.map(|c| condition_words(ts, c.when)),
        when_readable: limited.map(|c| readable_condition(&reader, c.when)),
        engine,
        certificate: claim.map(|c| claim::to_data(ts, c)),
        kind: claim.map(|c| c.certificate.kind()),
        witness: None,
        bound: claim.and_then(|c| bound(&reader, c)),
        why: claim.map_or_else(Vec::new, |c| why_it_ends(&reader, c)),
        in_general: None,
        inner: None,
        stays: None,
        intent: if verdict == Verdict::Terminates { None } else { intent(ts, &entry.source, this) },
        overflow: None,
        reason,
        rejected,
        others: Vec::new(),
        attempts: result.attempts.clone(),
        time: result.time,
        view: None,
        exactly: false,
    };
    if let Some((c, run)) = claim.and_then(|c| Some((c, replay(ts, c, ROUNDS, STEPS)?))) {
        report.witness = Some(witness(&mut reader, c, &run));
        let why = why(&reader, c, &run);
        report.why = why.sentences;
        report.in_general = why.in_general;
        report.inner = inner_loop(analysis, result.id, ts, &run).and_then(|l| ts.locs[l.header].span.clone());
        report.stays = why.stays;
    }
    report
}

/// Whether a condition speaks only of variables that `init` gives one value each, and is true of these.
fn holds_at_the_start(ts: &TransitionSystem, when: Term) -> bool {
    let t = &ts.terms;
    let mut fixed: BTreeMap<Term, Value> = BTreeMap::new();
    for c in t.conjuncts(ts.init) {
        let node = t.node(c);
        let (Op::Eq, [a, b]) = (node.op, node.args()) else { continue };
        for (symbol, value) in [(*a, *b), (*b, *a)] {
            if matches!(t.role(symbol), Some(Role::Var(_))) && t.symbols(value).is_empty() {
                fixed.insert(symbol, t.eval(value, |s| Value::zero(t.sort(s))));
            }
        }
    }
    t.symbols(when).iter().all(|s| fixed.contains_key(s)) && t.eval(when, |s| fixed[&s].clone()).as_bool()
}

/// The outermost loop inside a loop that a run never leaves.
fn inner_loop<'a>(analysis: &'a Analysis, of: LoopId, ts: &TransitionSystem, run: &Replay) -> Option<&'a Loop> {
    let forest = analysis.forest();
    let inside = forest.loops.entries().filter(|(id, _)| *id != of && forest.is_inside(*id, of));
    let stays = |l: &Loop| run.moments[run.stem..].iter().all(|m| l.body.contains(&ts.edges[m.edge].from));
    inside.map(|(_, l)| l).filter(|l| stays(l)).min_by_key(|l| l.depth)
}

/// How far an endless run is followed to see whether it comes back to where it was.
const ROUNDS: usize = 300;
const STEPS: usize = 3000;

/// The proof of a loop's verdict with the engine that found it: its own, or that of the smallest loop around it that ends.
fn proof_of(analysis: &Analysis, id: LoopId) -> Option<(&'static str, &Proved)> {
    let forest = analysis.forest();
    let own = |p: &Proved, header: LocId| matches!(p.claim().property, Property::Terminates(h) | Property::Diverges(h) if h == header);
    let ends = |p: &Proved, header: LocId| p.claim().property == Property::Terminates(header);
    let find =
        |is: &dyn Fn(&Proved) -> bool| analysis.proved.iter().find(|(_, p)| is(p)).map(|(engine, p)| (*engine, p));
    let around = std::iter::successors(forest.loops[id].parent, |l| forest.loops[*l].parent);
    find(&|p| own(p, forest.loops[id].header))
        .or_else(|| around.map(|l| forest.loops[l].header).find_map(|h| find(&|p| ends(p, h))))
}

/// Why no engine decided a loop.
fn undecided_reason(analysis: &Analysis, result: &LoopResult) -> Reason {
    match &analysis.reason {
        Some(reason) if !analysis.searched => Reason::Unsearched(Box::new(reason.clone())),
        _ => Reason::of_trials(result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::{Settings, analyze_entry};
    use lariat_ir::neutral::{
        BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Overflow, Program, Recursion, Unknown,
    };
    use lariat_ir::{Id, SourceId, SourceKind, SourceLoop, UnknownKind};

    const INT: IntType = IntType::signed(32);

    /// `x = input; while (x CMP 0) x = x OP 1;`, the loop in a function at a line.
    fn counting(cmp: CmpOp, op: BinaryOp, function: &str, line: u32) -> Program {
        let span = Some(Span { file: "a.c".into(), line, column: 3 });
        let x = || Expr::Var(0);
        let mut p = Program::new("entry");
        p.vars = vec![("x".into(), INT)];
        p.init = vec![(0, Some(0.into()))];
        p.unknowns = vec![Unknown::new("n", INT, UnknownKind::Input)];
        let step = Expr::binary(op, INT, Overflow::Undefined, x(), Expr::constant(1, INT));
        let go_on = Cond::cmp(cmp, INT, x(), Expr::constant(0, INT));
        let start = Location::new("start", vec![Case::new(None, vec![(0, Expr::Unknown(0))], Goto::Loc(1))]);
        let mut head = Location::new(
            "head",
            vec![Case::new(Some(go_on), vec![(0, step)], Goto::Loc(1)), Case::new(None, vec![], Goto::Exit)],
        );
        head.span.clone_from(&span);
        head.function = Some(function.to_owned());
        head.within = Some(SourceId::from_index(0));
        p.locs = vec![start, head];
        p.sources.push(source(function, line, SourceKind::Loop, None));
        p
    }

    fn source(function: &str, line: u32, kind: SourceKind, parent: Option<usize>) -> SourceLoop {
        let span = Some(Span { file: "a.c".into(), line, column: 3 });
        let key = LoopKey { span, function: function.to_owned(), kind, ordinal: 0 };
        SourceLoop { copy: LoopCopy { key, instance: 0 }, parent: parent.map(SourceId::from_index) }
    }

    fn ends(function: &str, line: u32) -> Program {
        counting(CmpOp::Gt, BinaryOp::Sub, function, line)
    }

    /// `while (x == 0) x = x * 1;`
    fn hangs(function: &str, line: u32) -> Program {
        counting(CmpOp::Eq, BinaryOp::Mul, function, line)
    }

    /// `while (x > 0) x = x + 1;`: ends by an overflow only.
    fn overflows(function: &str, line: u32) -> Program {
        counting(CmpOp::Gt, BinaryOp::Add, function, line)
    }

    fn study(entries: &[(&str, Program)], integers: Integers, audit: bool) -> Vec<EntryStudy> {
        let settings = Settings { audit, ..Settings::default() };
        entries.iter().map(|(name, p)| analyze_entry(name, p, integers, &settings)).collect()
    }

    fn decided(entries: &[(&str, Program)], integers: Integers) -> Results {
        let studies = study(entries, integers, true);
        let r = combine("a.c", integers, "lp64", (&studies, &Views::default()), Duration::ZERO);
        assert_eq!(r.contradictions, Vec::<String>::new());
        r
    }

    #[test]
    fn the_semantics_c_takes_each_verdict_from_its_own_system() {
        let r = decided(&[("main", ends("main", 2))], Integers::C);
        assert_eq!(
            (r.verdict, r.loops[0].verdict, r.entry.as_str()),
            (Verdict::Terminates, Verdict::Terminates, "main")
        );
        assert_eq!(r.entries[0].systems.len(), 2, "an audit looks at both");
        let r = decided(&[("main", hangs("main", 2))], Integers::C);
        assert_eq!((r.verdict, r.loops[0].verdict), (Verdict::Diverges, Verdict::Diverges));
        let inputs = &r.loops[0].witness.as_ref().expect("a run is shown").inputs;
        assert_eq!(inputs.iter().map(|i| (i.name.as_str(), i.value.as_str())).collect::<Vec<_>>(), [("n", "0")]);
        assert_eq!(r.loops.len(), 1, "both systems speak of one loop");
        let r = decided(&[("main", overflows("main", 2))], Integers::C);
        assert_eq!((r.verdict, r.loops[0].verdict), (Verdict::Unknown, Verdict::Unknown));
        assert!(r.loops[0].reason.is_some() && r.reason.is_some());
        let r = decided(&[("main", overflows("main", 2))], Integers::Wrap);
        assert_eq!(r.entries[0].systems.len(), 1);
        assert_ne!(r.verdict, Verdict::Diverges, "it ends when it wraps");
        assert_eq!(decided(&[("main", overflows("main", 2))], Integers::Ideal).verdict, Verdict::Diverges);
    }

    #[test]
    fn without_an_audit_nothing_is_sought_that_cannot_be() {
        let studies = study(&[("main", ends("main", 2))], Integers::C, false);
        assert_eq!(studies[0].studies.len(), 1);
    }

    #[test]
    fn a_loop_of_the_source_appears_once_and_ends_only_if_all_copies_do() {
        let r = decided(&[("f", ends("g", 2)), ("g", ends("g", 2))], Integers::C);
        assert_eq!((r.entry.as_str(), r.verdict, r.loops.len()), ("all", Verdict::Terminates, 1));
        assert_eq!((r.loops[0].verdict, r.loops[0].others.len()), (Verdict::Terminates, 1));

        let r = decided(&[("f", ends("g", 2)), ("g", overflows("g", 2))], Integers::C);
        assert_eq!((r.verdict, r.loops.len(), r.loops[0].verdict), (Verdict::Unknown, 1, Verdict::Unknown));
        assert_eq!(r.loops[0].entry, "g", "what is shown is what decides");
        assert!(r.reason.expect("it is unknown").to_string().starts_with("in `g`: "));

        let r = decided(&[("f", ends("g", 2)), ("g", hangs("g", 2)), ("h", overflows("h", 9))], Integers::C);
        assert_eq!((r.verdict, r.loops.len(), r.loops[0].verdict), (Verdict::Diverges, 2, Verdict::Diverges));
        assert_eq!(r.loops[1].verdict, Verdict::Unknown);

        // Another line or another function is another loop; the order is that of the source.
        let r = decided(&[("f", ends("f", 7)), ("g", ends("g", 2)), ("h", ends("h", 2))], Integers::Wrap);
        let places: Vec<_> = r.loops.iter().map(|l| (l.function.clone().unwrap_or_default(), l.others.len())).collect();
        assert_eq!(places, [("g".to_owned(), 0), ("h".to_owned(), 0), ("f".to_owned(), 0)]);
    }

    #[test]
    fn a_recursion_is_reported_apart() {
        let mut p = hangs("walk", 2);
        p.locs[1].name = "recursion:walk".into();
        p.sources = [source("walk", 2, SourceKind::Recursion, None)].into_iter().collect();
        let r = decided(&[("main", p)], Integers::C);
        assert_eq!((r.loops.len(), r.recursion.len(), r.verdict), (0, 1, Verdict::Diverges));
        assert_eq!((r.recursion[0].id.as_str(), r.recursion[0].recursion()), ("recursion:walk", Some("walk")));
    }

    /// `f` enters itself again at location 1, and a loop at location 2 follows its last recursive call.
    fn recursive(after: &Program) -> Program {
        let mut p = ends("f", 2);
        p.locs[1].name = "recursion:f".into();
        p.locs[1].cases[1].target = Goto::Loc(2);
        let mut last = after.locs[1].clone();
        last.name = "f:5".into();
        last.within = Some(SourceId::from_index(1));
        last.span = Some(Span { file: "a.c".into(), line: 5, column: 3 });
        for case in &mut last.cases {
            if case.target == Goto::Loc(1) {
                case.target = Goto::Loc(2);
            }
        }
        p.locs.push(last);
        p.sources = [source("f", 2, SourceKind::Recursion, None), source("f", 5, SourceKind::Loop, Some(0))]
            .into_iter()
            .collect();
        let ending = Program { recursion: Recursion::Skipped, ..p.clone() };
        Program { recursion: Recursion::Resumed { ending: Box::new(ending) }, ..p }
    }

    #[test]
    fn a_recursion_ends_only_if_the_loops_behind_its_calls_do() {
        for integers in [Integers::C, Integers::Wrap, Integers::Ideal] {
            let r = decided(&[("f", recursive(&ends("f", 5)))], integers);
            assert_eq!((r.verdict, r.recursion[0].verdict), (Verdict::Terminates, Verdict::Terminates));
            assert_eq!(r.entries[0].systems.len(), 2, "an audit looks at both forms");
            let r = decided(&[("f", recursive(&hangs("f", 5)))], integers);
            assert_ne!(r.loops[0].verdict, Verdict::Terminates);
            assert_eq!(r.recursion[0].verdict, Verdict::Unknown, "its calls do not nest, but a loop in them is open");
            assert!(r.recursion[0].certificate.is_none() && r.recursion[0].reason.is_some());
        }
    }

    fn reported(entry: EntryStudy) -> Results {
        combine("a.c", Integers::C, "lp64", (&[entry], &Views::default()), Duration::ZERO)
    }

    fn one_entry(p: Program, integers: Integers) -> EntryStudy {
        study(&[("main", p)], integers, true).swap_remove(0)
    }

    #[test]
    fn a_loop_that_hangs_where_numbers_wrap_is_open_and_so_is_its_program() {
        let beside = || one_entry(hangs("main", 2), Integers::Wrap).studies;
        let mut entry = one_entry(ends("main", 2), Integers::C);
        entry.beside = beside();
        let r = reported(entry);
        assert_eq!((r.verdict, r.loops[0].verdict), (Verdict::Unknown, Verdict::Unknown));
        assert_eq!(r.loops[0].reason, Some(Reason::OnlyByOverflow { hangs: None }));
        // What hangs is no loop of the source: the program is open, and its loops are what they are.
        let mut nowhere = hangs("main", 2);
        nowhere.locs[1].within = None;
        let mut entry = one_entry(ends("main", 2), Integers::C);
        entry.beside = one_entry(nowhere, Integers::Wrap).studies;
        let r = reported(entry);
        assert_eq!((r.verdict, r.loops[0].verdict), (Verdict::Unknown, Verdict::Terminates));
        assert_eq!(r.loops[0].overflow, None, "nothing is claimed of this one");
    }

    #[test]
    fn a_copy_at_which_nobody_looked_leaves_the_loop_open() {
        let mut entries = study(&[("f", ends("g", 2)), ("h", ends("g", 2))], Integers::C, true);
        entries[1].studies.clear();
        let r = combine("a.c", Integers::C, "lp64", (&entries, &Views::default()), Duration::ZERO);
        assert_eq!((r.verdict, r.loops.len(), r.loops[0].verdict), (Verdict::Unknown, 1, Verdict::Unknown));
        assert_eq!(r.loops[0].reason, Some(Reason::CopyNotSeen("h".to_owned())));
        // Another function's loops are another matter.
        entries[1] = EntryStudy::of("h", &ends("other", 9));
        let r = combine("a.c", Integers::C, "lp64", (&entries, &Views::default()), Duration::ZERO);
        assert_eq!((r.verdict, r.loops[0].verdict), (Verdict::Unknown, Verdict::Terminates));
    }

    #[test]
    fn a_condition_is_left_out_only_where_it_always_holds() {
        let text = |when: &str| {
            format!(
                "lts 1\nintegers wrap\nvar x: bv8\nvar y: bv8\ninit x == 5 && y <u 9{when}\nentry a\na: goto EXIT\n"
            )
        };
        let ts = lts::parse(&text("")).expect("a system").system;
        let holds = |when: &str| {
            let t = lts::parse_term(&ts, when, &std::collections::HashMap::new()).expect("a term");
            holds_at_the_start(&ts, t)
        };
        assert!(holds("x == 5") && holds("x <u 6 && x != 0"));
        assert!(!holds("x == 4"), "it holds in no initial state");
        assert!(!holds("y <u 9") && !holds("x == 5 && y == 0"), "of `y` more than one value is possible");
    }

    /// Two systems that are not of one program: what was proved of one contradicts the other, and it is noticed.
    #[test]
    fn an_end_and_an_endless_run_of_one_loop_are_a_contradiction() {
        let (mut a, b) = (
            study(&[("main", ends("main", 2))], Integers::C, true),
            study(&[("main", hangs("main", 2))], Integers::C, true),
        );
        let [ending, hanging] = [a.swap_remove(0), b.into_iter().next().expect("one")];
        let found = crate::analyze::contradictions_between("main", &ending.studies[0], &hanging.studies[1]);
        for what in ["the loop of `main` at a.c:2:3 was proved to end", "`main` was proved to end and to run for ever"]
        {
            assert!(found.iter().any(|f| f.starts_with(what)), "{what}: {found:?}");
        }
        let other = study(&[("main", ends("main", 2))], Integers::C, true);
        assert!(crate::analyze::contradictions_between("main", &other[0].studies[0], &other[0].studies[1]).is_empty());
    }
}
