//! From what was found about each system to one result: a loop of the source appears once, whatever number of systems and
//! entries it occurs in.

use super::intent::intent;
use super::overflow::{ENDS_ONLY_BY_OVERFLOW, OnlyByOverflow, may_be, overflow, unmatched_hangs};
use super::reader::Reader;
use super::replay::{Replay, replay};
use super::why::why;
use super::witness::witness;
use super::words::{bound, condition_words, readable_condition, why_it_ends};
use super::{CopyReport, EntryReport, LoopReport, Results, SystemReport};
use crate::analyze::{Analysis, EntryStudy, Study, Verdict};
use crate::counterparts::{Counterparts, source_name};
use lariat_check::Proved;
use lariat_engines::LoopResult;
use lariat_ir::lts::{self, Places};
use lariat_ir::{
    Integers, LocId, Loop, LoopId, Op, Property, Proves, Role, Span, Term, TransitionSystem, Value, claim,
};
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// Makes the results of a file from what was found about its entries.
pub fn results(file: &str, integers: Integers, data_model: &str, entries: &[EntryStudy], time: Duration) -> Results {
    let mut all: Vec<LoopReport> = Vec::new();
    let mut reports: Vec<EntryReport> = Vec::new();
    for entry in entries {
        let loops = loops_of(file, entry);
        reports.push(entry_report(entry, &loops));
        all.extend(loops);
    }
    if entries.iter().all(|e| e.places.is_empty()) {
        // Cycles that the translation made, which are no loops of the source; the verdict on the whole counts them.
        let made = |l: &LoopReport| ["returns:", "beyond the model"].iter().any(|p| l.id.starts_with(p));
        all.retain(|l| !made(l));
        all = by_source(all);
        for l in &mut all {
            with_all_copies(entries, l);
        }
    }
    all.sort_by(|a, b| (&a.place, a.depth).cmp(&(&b.place, b.depth)));
    let (recursion, loops) = all.into_iter().partition(|l| l.recursion().is_some() || l.obligation().is_some());
    let verdict = together(&reports);
    let mut contradictions: Vec<String> = Vec::new();
    for entry in entries {
        contradictions.extend(entry.studies.iter().flat_map(|s| s.analysis.contradictions.iter().cloned()));
        contradictions.extend(entry.contradictions.iter().cloned());
    }
    Results {
        verdict,
        reason: (verdict == Verdict::Unknown).then(|| reason_together(&reports)).flatten(),
        integers: integers.to_string(),
        data_model: data_model.to_owned(),
        entry: match entries {
            [one] => one.name.clone(),
            _ => "all".to_owned(),
        },
        entries: reports,
        loops,
        recursion,
        assumptions: assumptions(entries),
        contradictions,
        time,
        live: None,
    }
}

/// The verdict on several entries: one that hangs is enough for the one verdict, all must end for the other.
pub(crate) fn together_words<'a>(mut verdicts: impl Iterator<Item = &'a str> + Clone) -> &'static str {
    if verdicts.clone().any(|v| v == Verdict::Diverges.word()) {
        Verdict::Diverges.word()
    } else if verdicts.all(|v| v == Verdict::Terminates.word()) {
        Verdict::Terminates.word()
    } else {
        Verdict::Unknown.word()
    }
}

fn together(entries: &[EntryReport]) -> Verdict {
    let word = together_words(entries.iter().map(|e| e.verdict.word()));
    let all = [Verdict::Terminates, Verdict::Diverges, Verdict::Unknown];
    all.into_iter().find(|v| v.word() == word).expect("these are all verdicts")
}

fn reason_together(entries: &[EntryReport]) -> Option<String> {
    let open: Vec<&EntryReport> = entries.iter().filter(|e| e.verdict == Verdict::Unknown).collect();
    let first = open.first()?;
    let reason = first.reason.clone()?;
    Some(match (entries.len(), open.len()) {
        (1, _) => reason,
        (_, 1) => format!("in `{}`: {reason}", first.name),
        (_, n) => format!("in `{}`: {reason}; and in {} more", first.name, n - 1),
    })
}

fn entry_report(entry: &EntryStudy, loops: &[LoopReport]) -> EntryReport {
    let find = |v: Verdict| entry.studies.iter().find(|s| s.analysis.verdict == v);
    // What ends over the integers and hangs where they wrap is not said to end.
    let hangs = |l: &LoopReport| l.overflow.as_ref().is_some_and(|o| o.only_by_overflow == Some(OnlyByOverflow::Hangs));
    let at = |l: &LoopReport| source_name(&l.id).to_owned();
    let wraps = || entry.studies.first().is_some_and(|first| !unmatched_hangs(first, &entry.beside).is_empty());
    let by_overflow = loops
        .iter()
        .find(|l| hangs(l))
        .map(|l| format!("{ENDS_ONLY_BY_OVERFLOW}: the loop at `{}` hangs where numbers wrap", at(l)));
    // Nor is it said beside a loop that is left open.
    let open =
        loops.iter().find(|l| l.verdict != Verdict::Terminates).map(|l| format!("the loop at `{}` is open", at(l)));
    let doubt = by_overflow.clone().or(open).or_else(|| wraps().then(|| WRAPS.to_owned()));
    let decided = find(Verdict::Diverges).or_else(|| find(Verdict::Terminates).filter(|_| doubt.is_none()));
    // The first system is the one that could have shown that it ends; its reason names the loop.
    let reason = || {
        let first = entry.studies.first().and_then(|s| s.analysis.reason.clone());
        by_overflow.or(first).or(doubt).or_else(|| entry.reason.clone())
    };
    EntryReport {
        name: entry.name.clone(),
        verdict: decided.map_or(Verdict::Unknown, |s| s.analysis.verdict),
        reason: if decided.is_some() { None } else { reason() },
        certificate: decided.and_then(|s| s.analysis.program.as_ref().map(|p| claim::to_data(&s.ts, p.claim()))),
        systems: entry
            .studies
            .iter()
            .map(|s| SystemReport {
                proves: match s.ts.proves {
                    Proves::Both => "both",
                    Proves::Terminates => "terminates",
                    Proves::Diverges => "diverges",
                },
                hash: s.ts.hash().to_string(),
                lts: lts::print(&s.ts),
            })
            .collect(),
    }
}

/// What the proofs rest on, each thing once.
fn assumptions(entries: &[EntryStudy]) -> Vec<(String, Option<Span>)> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for study in entries.iter().flat_map(|e| &e.studies) {
        let proofs = study.analysis.proved.iter().map(|(_, p)| p).chain(&study.analysis.program);
        let mut used: Vec<_> = proofs.flat_map(|p: &Proved| p.assumptions().iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        for a in used {
            let a = &study.ts.assumptions[a];
            let pair = (a.text.clone(), a.span.clone());
            if seen.insert(pair.clone()) {
                all.push(pair);
            }
        }
    }
    all
}

/// The loops of an entry: those of its systems, matched, and what it leaves open besides.
///
/// A verdict that two systems have a part in stands only if the loop has exactly one counterpart in the other system, or if nothing
/// goes round at its places there.
fn loops_of(file: &str, entry: &EntryStudy) -> Vec<LoopReport> {
    let mut all = Vec::new();
    let [first, rest @ ..] = entry.studies.as_slice() else { return all };
    let in_first = |result: &LoopResult| loop_report(file, entry, first, entry.places.first(), result);
    let in_second = |study: &Study, result: &LoopResult| loop_report(file, entry, study, entry.places.get(1), result);
    let here = first.places();
    // What the first system shows by itself needs no other one.
    let second = rest.first().filter(|s| !first.leaves_nothing_open() || s.hanging().next().is_some());
    let counterparts = second.map(|s| Counterparts::of(&here, &s.places()));
    let mut reports: Vec<LoopReport> = first.analysis.loops.iter().map(in_first).collect();
    with_all_inside(entry, first, &mut reports);
    let unmatched = unmatched_hangs(first, &entry.beside);
    for (result, mut this) in first.analysis.loops.iter().zip(reports) {
        if let (Some(second), Some(counterparts)) = (second, &counterparts) {
            let other = counterparts.of_first(result.id);
            if let Some(other) = second.analysis.loops.iter().find(|l| Some(l.id) == other) {
                this = of_two_systems(this, in_second(second, other));
            } else if this.verdict == Verdict::Unknown {
                this.reason = hanging_inside(first, result.id, second).or(this.reason);
            } else if !here.body(result.id).is_some_and(|body| second.places().end(&body, &|_| false)) {
                undecide(&mut this, NO_COUNTERPART.to_owned());
            }
        }
        // What hangs by an inner loop says so; the semantics are a matter of that one.
        if this.inner.is_none() {
            this.overflow = overflow(&entry.source, first, result.id, this.verdict, &entry.beside);
        }
        if this.verdict == Verdict::Terminates && unmatched.iter().any(|other| may_be(first, result.id, *other)) {
            undecide(&mut this, WRAPS.to_owned());
        }
        if this.overflow.as_ref().is_some_and(|o| o.only_by_overflow.is_some()) {
            undecide(&mut this, ENDS_ONLY_BY_OVERFLOW.to_owned());
        }
        all.push(this);
    }
    if let (Some(second), Some(counterparts)) = (second, &counterparts) {
        let there = second.places();
        // Where nothing goes round for ever in the first system either, there is nothing to tell.
        let ends = |l: &LoopResult| there.body(l.id).is_some_and(|body| here.end(&body, &|id| first.ends(id)));
        let hangs = |l: &LoopResult| second.hanging().any(|id| id == l.id);
        let alone = second.analysis.loops.iter().filter(|l| counterparts.of_second(l.id).is_none());
        all.extend(alone.filter(|l| hangs(l) || !ends(l)).map(|l| in_second(second, l)));
    }
    all.extend(first.ts.obligations.iter().map(|o| open_obligation(file, entry, &o.text, o.span.as_ref())));
    all
}

/// Why a verdict of one system is not that on a loop of the source.
const NO_COUNTERPART: &str =
    "it ends in the system for proofs of termination, but which loop it is in the other system is not known";

/// Why an end over the integers is not told.
const WRAPS: &str = "where numbers wrap a loop runs for ever, and which one that is over the integers is not known";

/// Where a loop of the second system runs for ever that lies in a loop of the first one. The second one has no such outer loop: there the
/// way back is never taken, since the inner one is never left.
fn hanging_inside(first: &Study, id: LoopId, second: &Study) -> Option<String> {
    let (outer, there) = (first.places().body(id)?, second.places());
    let inside = |id: &LoopId| there.body(*id).is_some_and(|body| body.is_subset(&outer));
    let inner = second.hanging().find(inside)?;
    let header = &second.ts.locs[second.analysis.forest.loops[inner].header];
    let at = header.span.as_ref().map_or_else(|| format!("at `{}`", header.name), |s| format!("at line {}", s.line));
    Some(format!(
        "a run that never leaves the loop {at} inside it never leaves this one; no system holds both loops, so there is no proof of its own"
    ))
}

/// A recursion ends only if the loops in its calls do, also those that no recursive call follows.
fn with_all_inside(entry: &EntryStudy, first: &Study, reports: &mut [LoopReport]) {
    if entry.inside.is_empty() {
        return;
    }
    let always_ends = |l: &LoopReport| l.verdict == Verdict::Terminates && l.when.is_none();
    let open: Vec<String> = reports.iter().filter(|l| !always_ends(l)).map(|l| source_name(&l.id).to_owned()).collect();
    let places = first.places();
    for (result, this) in first.analysis.loops.iter().zip(reports) {
        if this.verdict != Verdict::Terminates {
            continue;
        }
        let own = source_name(&this.id);
        let Some(body) = places.body(result.id) else {
            undecide(this, "which loops are in its calls is not known".to_owned());
            continue;
        };
        // The functions that are entered again in this loop.
        let inside = entry.inside.iter().filter(|(again, _)| body.contains(again.as_str())).map(|(_, inside)| inside);
        let other = inside.flat_map(|inside| open.iter().filter(|o| *o != own && inside.contains(*o))).next();
        if let Some(other) = other {
            undecide(this, format!("its calls do not nest for ever, but the loop at `{other}` in them is open"));
        }
    }
}

/// Takes a verdict back, for a reason that no engine knows of.
fn undecide(this: &mut LoopReport, reason: String) {
    this.verdict = Verdict::Unknown;
    this.reason = Some(reason);
    (this.when, this.engine, this.certificate, this.kind) = (None, None, None, None);
    (this.witness, this.bound, this.stays, this.in_general) = (None, None, None, None);
    this.why.clear();
}

/// One loop, as the system that can show its end and the one that can show an endless run see it.
fn of_two_systems(ends: LoopReport, hangs: LoopReport) -> LoopReport {
    let time = ends.time + hangs.time;
    let rejected: Vec<String> = ends.rejected.iter().chain(&hangs.rejected).cloned().collect();
    let both = |a: &Option<String>, b: &Option<String>| match (a, b) {
        (Some(a), Some(b)) if a != b => Some(format!("{a}; {b}")),
        (a, b) => a.clone().or_else(|| b.clone()),
    };
    let mut report = match (ends.verdict, hangs.verdict) {
        (_, Verdict::Diverges) => hangs,
        (Verdict::Terminates, _) => ends,
        _ => LoopReport { reason: both(&ends.reason, &hangs.reason), ..ends },
    };
    report.time = time;
    report.rejected = rejected;
    report
}

/// Something that could run for ever and is no loop of the system.
fn open_obligation(file: &str, entry: &EntryStudy, text: &str, span: Option<&Span>) -> LoopReport {
    // An `.lts` file is shown itself; where in it the obligation stands is not known.
    let place =
        if entry.places.is_empty() { span.cloned() } else { Some(Span { file: file.to_owned(), line: 1, column: 1 }) };
    LoopReport {
        entry: entry.name.clone(),
        id: format!("{}{text}", super::OBLIGATION),
        function: None,
        span: span.cloned(),
        place,
        depth: 1,
        verdict: Verdict::Unknown,
        when: None,
        when_readable: None,
        engine: None,
        certificate: None,
        kind: None,
        witness: None,
        bound: None,
        why: Vec::new(),
        in_general: None,
        inner: None,
        stays: None,
        intent: None,
        overflow: None,
        reason: Some("the system does not cover it".to_owned()),
        rejected: Vec::new(),
        others: Vec::new(),
        time: Duration::ZERO,
    }
}

/// Each loop of the source once: a function that is called from several places, or is in several entries, has its loops
/// copied into each. One copy that hangs is enough; only when all copies end does the loop end.
fn by_source(all: Vec<LoopReport>) -> Vec<LoopReport> {
    type Key = (Option<Span>, Option<String>, bool, Option<(String, String)>);
    let mut groups: BTreeMap<Key, Vec<LoopReport>> = BTreeMap::new();
    for l in all {
        // Without a place there is no telling what is the same.
        let alone = (l.span.is_none() || l.obligation().is_some()).then(|| (l.entry.clone(), l.id.clone()));
        let key = (l.span.clone(), l.function.clone(), l.recursion().is_some(), alone);
        groups.entry(key).or_default().push(l);
    }
    groups.into_values().map(one_of_the_source).collect()
}

/// A loop ends only if its copies do also in entries at which nobody could look.
fn with_all_copies(entries: &[EntryStudy], this: &mut LoopReport) {
    let unseen = |e: &&EntryStudy| {
        e.studies.is_empty() && this.function.as_deref().is_some_and(|function| e.source.has_function(function))
    };
    if this.verdict == Verdict::Terminates
        && let Some(entry) = entries.iter().find(unseen)
    {
        undecide(this, format!("it ends where it was looked at, which it was not as a part of `{}`", entry.name));
    }
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

fn loop_report(
    file: &str,
    entry: &EntryStudy,
    study: &Study,
    places: Option<&Places>,
    result: &LoopResult,
) -> LoopReport {
    let Study { ts, analysis } = study;
    let this = &analysis.forest.loops[result.id];
    let header = &ts.locs[this.header];
    let (engine, proof) = proof_of(analysis, this.header).unzip();
    let claim = proof.map(Proved::claim);
    let verdict = match claim.map(|c| c.property) {
        Some(Property::Terminates(_)) => Verdict::Terminates,
        Some(Property::Diverges(_)) => Verdict::Diverges,
        _ => Verdict::Unknown,
    };
    let reasons: Vec<String> =
        result.trials.iter().filter_map(|t| t.reason.as_ref().map(|r| format!("{}: {r}", t.engine))).collect();
    let rejected: Vec<String> = result.trials.iter().flat_map(|t| t.rejected.iter().cloned()).collect();
    let reason = (verdict == Verdict::Unknown).then(|| match (reasons.is_empty(), rejected.is_empty()) {
        (true, true) => "no engine looked at it".to_owned(),
        (true, false) => "a proof was found but not accepted by the checker".to_owned(),
        _ => reasons.join("; "),
    });
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
        time: result.time,
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
    let forest = &analysis.forest;
    let inside = forest.loops.entries().filter(|(id, _)| *id != of && forest.is_inside(*id, of));
    let stays = |l: &Loop| run.moments[run.stem..].iter().all(|m| l.body.contains(&ts.edges[m.edge].from));
    inside.map(|(_, l)| l).filter(|l| stays(l)).min_by_key(|l| l.depth)
}

/// How far an endless run is followed to see whether it comes back to where it was.
const ROUNDS: usize = 300;
const STEPS: usize = 3000;

/// The proof of a loop's verdict with the engine that found it.
fn proof_of(analysis: &Analysis, header: LocId) -> Option<(&'static str, &Proved)> {
    let is_of =
        |p: &Proved| matches!(p.claim().property, Property::Terminates(h) | Property::Diverges(h) if h == header);
    analysis.proved.iter().find(|(_, p)| is_of(p)).map(|(engine, p)| (*engine, p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::{Settings, analyze_entry};
    use crate::report::{Program as File, json, text};
    use lariat_ir::UnknownKind;
    use lariat_ir::neutral::{
        BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Overflow, Program, Recursion, Unknown,
    };

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
        p.locs = vec![start, head];
        p
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
        let r = results("a.c", integers, "lp64", &studies, Duration::ZERO);
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
        assert!(r.reason.expect("it is unknown").starts_with("in `g`: "));

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
        let r = decided(&[("main", p)], Integers::C);
        assert_eq!((r.loops.len(), r.recursion.len(), r.verdict), (0, 1, Verdict::Diverges));
        let file = File { file: "a.c".into(), sources: BTreeMap::new(), outcome: Ok(r) };
        assert!(text(std::slice::from_ref(&file), false).contains("the recursion of `walk` can run for ever"));
        assert!(json::render(&[file]).contains("\"recursion\": [\n    {\n      \"id\": \"recursion:walk\""));
    }

    /// `f` enters itself again at location 1, and a loop at location 2 follows its last recursive call.
    fn recursive(after: &Program) -> Program {
        let mut p = ends("f", 2);
        p.locs[1].name = "recursion:f".into();
        p.locs[1].cases[1].target = Goto::Loc(2);
        let mut last = after.locs[1].clone();
        last.name = "f:5".into();
        last.span = Some(Span { file: "a.c".into(), line: 5, column: 3 });
        for case in &mut last.cases {
            if case.target == Goto::Loc(1) {
                case.target = Goto::Loc(2);
            }
        }
        p.locs.push(last);
        let ending = Program { recursion: Recursion::Skipped { inside: vec![(1, vec![1, 2])] }, ..p.clone() };
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

    /// One program after another: the second one's loop stands at location 2, called `then`.
    fn both(first: Program, second: &Program) -> Program {
        let mut p = first;
        p.locs[1].cases[1].target = Goto::Loc(2);
        let mut last = second.locs[1].clone();
        last.name = "then".into();
        for case in &mut last.cases {
            if case.target == Goto::Loc(1) {
                case.target = Goto::Loc(2);
            }
        }
        p.locs.push(last);
        p
    }

    fn rename(study: &mut Study, from: &str, to: &str) {
        let at = study.ts.loc_named(from).expect("there is such a location");
        study.ts.locs[at].name = to.to_owned();
    }

    fn reported(entry: EntryStudy) -> Results {
        results("a.c", Integers::C, "lp64", &[entry], Duration::ZERO)
    }

    fn one_entry(p: Program, integers: Integers) -> EntryStudy {
        study(&[("main", p)], integers, true).swap_remove(0)
    }

    #[test]
    fn a_loop_that_the_other_system_does_not_have_is_undecided() {
        let entry = || one_entry(both(overflows("main", 2), &ends("main", 5)), Integers::C);
        let verdicts = |r: &Results| r.loops.iter().map(|l| (l.id.clone(), l.verdict)).collect::<Vec<_>>();
        let r = reported(entry());
        assert_eq!(verdicts(&r), [("head".to_owned(), Verdict::Unknown), ("then".to_owned(), Verdict::Terminates)]);
        // Its name in the second system is another one: whether it is the same is not known, though the place is.
        let mut other = entry();
        rename(&mut other.studies[1], "then", "elsewhere");
        let r = reported(other);
        assert_eq!(r.verdict, Verdict::Unknown);
        assert!(r.loops.iter().all(|l| l.verdict == Verdict::Unknown), "{:?}", verdicts(&r));
    }

    #[test]
    fn what_one_system_shows_alone_needs_no_other() {
        let mut entry = one_entry(ends("main", 2), Integers::C);
        assert_eq!(entry.studies.len(), 2);
        rename(&mut entry.studies[1], "head", "elsewhere");
        let r = reported(entry);
        assert_eq!((r.verdict, r.loops.len(), r.loops[0].verdict), (Verdict::Terminates, 1, Verdict::Terminates));
    }

    #[test]
    fn an_inner_loop_of_the_other_system_is_no_proof_for_the_outer_one() {
        let ending = one_entry(both(ends("main", 2), &overflows("main", 5)), Integers::C);
        let mut entry = one_entry(both(ends("main", 2), &hangs("main", 5)), Integers::C);
        entry.studies[0] = ending.studies.into_iter().next().expect("there are two");
        // Where nothing matches, each system speaks for itself.
        rename(&mut entry.studies[1], "then", "elsewhere");
        let r = reported(entry);
        let then: Vec<_> = r.loops.iter().filter(|l| l.span.as_ref().is_some_and(|s| s.line == 5)).collect();
        assert_eq!((r.verdict, then.len(), then[0].verdict), (Verdict::Diverges, 1, Verdict::Diverges));
        assert_eq!(then[0].id, "elsewhere", "the proof is about what it is shown for");
    }

    #[test]
    fn nothing_ends_beside_a_loop_that_is_open() {
        let entry = one_entry(ends("main", 2), Integers::C);
        let mut loops = loops_of("a.c", &entry);
        assert_eq!(entry_report(&entry, &loops).verdict, Verdict::Terminates);
        undecide(&mut loops[0], "a test".to_owned());
        let report = entry_report(&entry, &loops);
        assert_eq!((report.verdict, report.certificate.is_some()), (Verdict::Unknown, false));
        assert_eq!(report.reason.as_deref(), Some("the loop at `head` is open"));
    }

    #[test]
    fn a_loop_that_hangs_where_numbers_wrap_is_found_or_all_is_open() {
        let beside = || one_entry(hangs("main", 2), Integers::Wrap).studies;
        let mut entry = one_entry(ends("main", 2), Integers::C);
        entry.beside = beside();
        let r = reported(entry);
        assert_eq!((r.verdict, r.loops[0].verdict), (Verdict::Unknown, Verdict::Unknown));
        assert_eq!(r.loops[0].reason.as_deref(), Some(ENDS_ONLY_BY_OVERFLOW));
        // Nobody knows which loop that is.
        let mut entry = one_entry(ends("main", 2), Integers::C);
        entry.beside = beside();
        rename(&mut entry.beside[0], "head", "elsewhere");
        let r = reported(entry);
        assert_eq!((r.verdict, r.reason.as_deref()), (Verdict::Unknown, Some(WRAPS)));
        assert_eq!(r.loops[0].overflow, None, "nothing is claimed of this one");
    }

    #[test]
    fn a_copy_at_which_nobody_looked_leaves_the_loop_open() {
        let mut entries = study(&[("f", ends("g", 2)), ("h", ends("g", 2))], Integers::C, true);
        entries[1].studies.clear();
        let r = results("a.c", Integers::C, "lp64", &entries, Duration::ZERO);
        assert_eq!((r.verdict, r.loops.len(), r.loops[0].verdict), (Verdict::Unknown, 1, Verdict::Unknown));
        assert!(r.loops[0].reason.as_ref().is_some_and(|why| why.contains("as a part of `h`")));
        // Another function's loops are another matter.
        entries[1] = EntryStudy::of("h", &ends("other", 9));
        let r = results("a.c", Integers::C, "lp64", &entries, Duration::ZERO);
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
        for what in ["the loop at `head` of `main`: ", "`main` was proved to end and to run for ever"] {
            assert!(found.iter().any(|f| f.starts_with(what)), "{what}: {found:?}");
        }
        let other = study(&[("main", ends("main", 2))], Integers::C, true);
        assert!(crate::analyze::contradictions_between("main", &other[0].studies[0], &other[0].studies[1]).is_empty());
    }

    #[test]
    fn the_source_is_shown_with_the_lines_of_the_run() {
        let r = decided(&[("main", hangs("main", 2))], Integers::C);
        let source = "int main(void) {\n  while (x == 0) x = x * 1;\n}\n";
        let sources = [("a.c".to_owned(), source.to_owned())].into();
        let shown = text(&[File { file: "a.c".into(), sources, outcome: Ok(r.clone()) }], false);
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
        let shown = text(&[File { file: "a.c".into(), sources: BTreeMap::new(), outcome: Ok(r) }], false);
        assert!(shown.contains("source: a.c:2:3 in `main`"), "{shown}");
    }
}
