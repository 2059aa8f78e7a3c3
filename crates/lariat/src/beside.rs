//! What the other integer semantics say of loops that C leaves open, because a number may overflow there.

use crate::analyze::{EntryStudy, Settings, Study, analyze, counterpart_of};
use lariat_ir::neutral::{self, Target};
use lariat_ir::{Claim, Integers, Location, Loop, Property};
use std::time::{Duration, Instant};

/// When to ask the other semantics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compare {
    /// For loops that are undecided and compute with signed numbers.
    #[default]
    Undecided,
    /// Whenever a loop computes with signed numbers.
    Always,
    /// Never.
    Never,
}

/// The least time that is worth a start.
const TOO_LITTLE: Duration = Duration::from_millis(50);

/// Loops that the other semantics are asked about: their headers.
#[derive(Clone, Debug, Default)]
pub struct Questions(Vec<Location>);

impl Questions {
    /// Those of an entry that was studied in the semantics `c`.
    pub fn of(entry: &EntryStudy, compare: Compare) -> Self {
        let first = entry.studies.first().filter(|s| s.ts.integers == Integers::C);
        let Some(first) = first.filter(|_| compare != Compare::Never) else { return Self::default() };
        let decided = |l: &Loop| entry.studies.iter().any(|s| claims(&first.ts.locs[l.header], s).next().is_some());
        let loops = first.analysis.forest.loops.iter();
        let asked = loops.filter(|l| compare == Compare::Always || !decided(l));
        let names = |l: &Loop| l.body.iter().map(|b| first.ts.locs[*b].name.as_str()).collect::<Vec<_>>();
        let asked = asked.filter(|l| entry.source.may_overflow(names(l).into_iter()));
        Self(asked.map(|l| first.ts.locs[l.header].clone()).collect())
    }
}

/// What was proved of the loop of a study with this header.
fn claims<'a>(header: &Location, study: &'a Study) -> impl Iterator<Item = &'a Claim> {
    let header = counterpart_of(header, study).map(|id| study.analysis.forest.loops[id].header);
    study.analysis.proved.iter().map(|(_, p)| p.claim()).filter(move |c| match c.property {
        Property::Terminates(h) | Property::Diverges(h) => Some(h) == header,
        _ => false,
    })
}

/// Asks the other semantics, before the deadline.
pub fn study_beside(
    program: &neutral::Program,
    Questions(asked): &Questions,
    compare: Compare,
    settings: &Settings,
    deadline: Instant,
) -> Vec<Study> {
    let mut found = Vec::new();
    if asked.is_empty() {
        return found;
    }
    for (n, target) in [Target::Ideal, Target::Wrap].into_iter().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now()) / if n == 0 { 2 } else { 1 };
        if left < TOO_LITTLE {
            break;
        }
        let ts = neutral::lower(program, target);
        let settings = Settings { timeout: left, audit: false, ..settings.clone() };
        let Ok(analysis) = analyze(&ts, &settings, &mut |_, _| {}) else { break };
        let study = Study { ts, analysis };
        let hangs = |c: &Claim| matches!(c.property, Property::Diverges(_));
        let some_hang = asked.iter().any(|l| claims(l, &study).any(hangs));
        found.push(study);
        // Only what runs for ever over the integers can be stopped by an overflow.
        if compare == Compare::Undecided && !some_hang {
            break;
        }
    }
    found
}
