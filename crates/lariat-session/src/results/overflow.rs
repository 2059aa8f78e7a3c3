//! What the three integer semantics say of one loop, where they differ.

use super::replay::replay;
use crate::analyze::{Study, Verdict};
use crate::source::Source;
use lariat_check::compose::Extent;
use lariat_ir::{
    Certificate, Claim, Integers, LocId, LoopId, Property, TransitionSystem, UnknownId, UnknownKind, Value,
};

/// The verdicts of the three integer semantics on one loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverflowReport {
    /// As C has it.
    pub c: Verdict,
    /// Two's complement everywhere.
    pub wrap: Verdict,
    /// Signed integers are unbounded.
    pub ideal: Verdict,
    /// What is proved to happen only because a number overflows.
    pub only_by_overflow: Option<OnlyByOverflow>,
    /// The values that show it.
    pub why: Vec<String>,
}

/// What an overflow does to a loop. Neither is a verdict in C: the run that meets the overflow has no meaning there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnlyByOverflow {
    /// It runs for ever over the integers, and stops on a machine whose numbers wrap.
    Ends,
    /// It ends over the integers, and runs for ever on a machine whose numbers wrap.
    Hangs,
}

/// The verdicts on a loop in the semantics beside that of a study; nothing if they were not asked, or agree.
pub(super) fn overflow(
    source: &Source,
    first: &Study,
    id: LoopId,
    c: Verdict,
    beside: &[Study],
) -> Option<OverflowReport> {
    if first.ts.integers != Integers::C {
        return None;
    }
    let copy = first.analysis.control.source_of(id)?;
    let of = |integers: Integers| {
        let study = beside.iter().find(|s| s.ts.integers == integers)?;
        let forest = study.analysis.forest();
        let is_this = |h: LocId| forest.with_header(h).and_then(|l| study.analysis.control.source_of(l)) == Some(copy);
        let claim = study
            .analysis
            .proved
            .iter()
            .map(|(_, p)| p.claim())
            .find(|c| matches!(c.property, Property::Terminates(h) | Property::Diverges(h) if is_this(h)));
        Some((study, claim))
    };
    let verdict = |found: Option<(&Study, Option<&Claim>)>| match found.and_then(|(_, c)| c).map(|c| c.property) {
        Some(Property::Terminates(_)) => Verdict::Terminates,
        Some(Property::Diverges(_)) => Verdict::Diverges,
        _ => Verdict::Unknown,
    };
    let (wrap, ideal) = (of(Integers::Wrap), of(Integers::Ideal));
    let mut report =
        OverflowReport { c, wrap: verdict(wrap), ideal: verdict(ideal), only_by_overflow: None, why: Vec::new() };
    // Where only `wrap` was asked, to be sure, it is worth a word only if it knows better.
    let says_nothing = report.wrap == Verdict::Unknown || report.wrap == c;
    if report.wrap == c && report.ideal == c || ideal.is_none() && says_nothing {
        return None;
    }
    if let (Verdict::Terminates, Verdict::Diverges, Some((study, Some(claim)))) = (c, report.wrap, wrap) {
        // A run without an overflow is a run over the integers, where all end.
        report.only_by_overflow = Some(OnlyByOverflow::Hangs);
        report.c = Verdict::Unknown;
        report.why = words(source, study, claim);
    }
    if let (Verdict::Unknown, Verdict::Terminates, Some((study, Some(claim)))) = (c, report.wrap, ideal)
        && report.ideal == Verdict::Diverges
        && inputs_fit(source, &study.ts, claim)
        && wrap.is_some_and(|(s, _)| s.findings().ends(copy) == Ok(Extent::Always))
    {
        report.only_by_overflow = Some(OnlyByOverflow::Ends);
        report.why = words(source, study, claim);
    }
    Some(report)
}

/// Why the run of a claim goes on.
fn words(source: &Source, study: &Study, claim: &Claim) -> Vec<String> {
    let Some(run) = replay(&study.ts, claim, 6, 200) else { return Vec::new() };
    let function = study.ts.locs[header_of(claim)].function.as_deref();
    let reader = super::reader::Reader::new(&study.ts, source, function);
    super::why::why(&reader, claim, &run).sentences
}

fn header_of(claim: &Claim) -> LocId {
    match claim.property {
        Property::Terminates(h) | Property::Diverges(h) | Property::Unreachable(h) => h,
        Property::Holds | Property::ProgramTerminates | Property::ProgramDiverges => LocId::EXIT,
    }
}

/// Whether the inputs of an endless run over the integers lie within their types for ever: over the integers a signed input
/// has no bounds, in C it has those of its type.
fn inputs_fit(source: &Source, ts: &TransitionSystem, claim: &Claim) -> bool {
    let fits = |u: UnknownId, value: &Value| {
        ts.unknowns[u].kind != UnknownKind::Input
            || match (source.type_of(u), value) {
                (Some(ty), Value::Int(n)) => ty.contains(n),
                _ => false,
            }
    };
    let Some(run) = replay(ts, claim, 1, 0) else { return false };
    if !run.moments.iter().flat_map(|m| &m.chosen).all(|(u, v)| fits(*u, v)) {
        return false;
    }
    match &claim.certificate {
        // The same values again and again.
        Certificate::Orbit { .. } => true,
        Certificate::RecurrentSet { arms, .. } => arms
            .iter()
            .flat_map(|a| &a.path)
            .flat_map(|m| &m.inputs)
            .all(|(u, t)| ts.terms.constant_value(*t).is_some_and(|v| fits(*u, &v))),
        _ => false,
    }
}
