//! What the other integer semantics say of loops that C leaves open, because a number may overflow there.

use crate::analyze::{EntryStudy, Settings, Study, analyze_next, counterpart_of};
use lariat_ir::neutral::{self, Target};
use lariat_ir::{Claim, Integers, Location, Loop, Property};
use lariat_smt::Room;
use std::time::{Duration, Instant};

/// When to ask the other semantics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compare {
    /// For loops that compute with signed numbers and are undecided, or end over the integers.
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
pub struct Questions {
    /// What C leaves open, or whatever there is.
    open: Vec<Location>,
    /// What ends over the integers: an overflow may make it hang.
    ending: Vec<Location>,
}

impl Questions {
    /// Those of an entry that was studied in the semantics `c`.
    pub fn of(entry: &EntryStudy, compare: Compare) -> Self {
        let first = entry.studies.first().filter(|s| s.ts.integers == Integers::C);
        let Some(first) = first.filter(|_| compare != Compare::Never) else { return Self::default() };
        let decided = |l: &Loop| entry.studies.iter().any(|s| claims(&first.ts.locs[l.header], s).next().is_some());
        let ends =
            |l: &Loop| claims(&first.ts.locs[l.header], first).any(|c| matches!(c.property, Property::Terminates(_)));
        let names = |l: &Loop| l.body.iter().map(|b| first.ts.locs[*b].name.as_str()).collect::<Vec<_>>();
        let loops = first.analysis.forest.loops.iter().filter(|l| entry.source.may_overflow(names(l).into_iter()));
        let mut asked = Self::default();
        for l in loops {
            let header = first.ts.locs[l.header].clone();
            if compare == Compare::Always || !decided(l) {
                asked.open.push(header);
            } else if ends(l) {
                asked.ending.push(header);
            }
        }
        asked
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
    asked: &Questions,
    compare: Compare,
    settings: &Settings,
    checkers: &Room,
    deadline: Instant,
) -> Vec<Study> {
    let mut found = Vec::new();
    let mut ask = |target: Target, share: u32| {
        let left = deadline.saturating_duration_since(Instant::now()) / share;
        if left < TOO_LITTLE {
            return None;
        }
        let ts = neutral::lower(program, target);
        let settings = Settings { timeout: left, audit: false, ..settings.clone() };
        let analysis = analyze_next(&ts, &settings, checkers).ok()?;
        let study = Study { ts, analysis };
        let hangs = |c: &Claim| matches!(c.property, Property::Diverges(_));
        let some_hang = asked.open.iter().any(|l| claims(l, &study).any(hangs));
        found.push(study);
        Some(some_hang)
    };
    // Only what runs for ever over the integers can be stopped by an overflow.
    let stopped =
        !asked.open.is_empty() && ask(Target::Ideal, 2).is_some_and(|hangs| hangs || compare == Compare::Always);
    if stopped || !asked.ending.is_empty() {
        ask(Target::Wrap, 1);
    }
    found
}
