//! What the three integer semantics say of one loop, where they differ.

use super::replay::replay;
use crate::analyze::{Study, Verdict};
use crate::counterparts::Counterparts;
use crate::source::Source;
use lariat_ir::{
    Certificate, Claim, Integers, LocId, LoopId, Property, TransitionSystem, UnknownId, UnknownKind, Value,
};

/// The reason of a loop whose end, or whose endless run, is the work of an overflow.
pub const ENDS_ONLY_BY_OVERFLOW: &str = "ends-only-by-overflow";

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
    let of = |integers: Integers| {
        let study = beside.iter().find(|s| s.ts.integers == integers)?;
        let id = Counterparts::of(&first.places(), &study.places()).of_first(id)?;
        let header = study.analysis.forest.loops[id].header;
        let claim = study
            .analysis
            .proved
            .iter()
            .map(|(_, p)| p.claim())
            .find(|c| matches!(c.property, Property::Terminates(h) | Property::Diverges(h) if h == header));
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
        && wrap.and_then(|(s, c)| Some(c?.when == s.ts.terms.tt())).unwrap_or(false)
    {
        report.only_by_overflow = Some(OnlyByOverflow::Ends);
        report.why = words(source, study, claim);
    }
    Some(report)
}

/// The loops that run for ever where numbers wrap, and of which it is not known which loops of the first system they are.
pub(super) fn unmatched_hangs<'a>(first: &'a Study, beside: &'a [Study]) -> Vec<(&'a Study, LoopId)> {
    let wrap = beside.iter().find(|s| s.ts.integers == Integers::Wrap && first.ts.integers == Integers::C);
    let Some(wrap) = wrap else { return Vec::new() };
    let counterparts = Counterparts::of(&first.places(), &wrap.places());
    wrap.hanging().filter(|id| counterparts.of_second(*id).is_none()).map(|id| (wrap, id)).collect()
}

/// Whether a loop of the first system may be one that runs for ever in another one: unless their places are known to be different.
pub(super) fn may_be(first: &Study, id: LoopId, (other, hanging): (&Study, LoopId)) -> bool {
    let (here, there) = (first.places().body(id), other.places().body(hanging));
    here.zip(there).is_none_or(|(here, there)| !here.is_disjoint(&there))
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
