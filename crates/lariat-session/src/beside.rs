//! What the other integer semantics say of loops that C leaves open, because a number may overflow there.

use crate::analyze::{EntryStudy, Settings, Study, analyze_next};
use lariat_ir::Integers;
use lariat_ir::neutral::{self, Target};
use lariat_smt::ContextPool;
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

/// What the other semantics are asked about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Questions {
    /// There are loops that C leaves open; or any, where all are compared.
    open: bool,
    /// There are loops that end over the integers: an overflow may make one hang.
    ending: bool,
}

impl Questions {
    /// What is asked of an entry so that programs can show what hangs over the integers: whether it does so on a machine.
    pub fn for_programs(entry: &EntryStudy) -> Self {
        let over_z = |s: &Study| s.ts.integers == Integers::Ideal && s.hanging().next().is_some();
        Self { open: false, ending: entry.studies.iter().any(over_z) }
    }

    /// Those of an entry that was studied in the semantics `c`.
    pub fn of(entry: &EntryStudy, compare: Compare) -> Self {
        let first = entry.studies.first().filter(|s| s.ts.integers == Integers::C);
        let Some(first) = first.filter(|_| compare != Compare::Never) else { return Self::default() };
        let second: Vec<_> = entry.studies[1..].iter().map(Study::findings).collect();
        let mut asked = Self::default();
        for (id, l) in first.analysis.forest().loops.entries() {
            if first.ts.overflows.is_disjoint(&l.body) {
                continue;
            }
            let ends = first.ends_somewhere(id);
            let copy = first.analysis.control.source_of(id);
            let hangs = copy.is_some_and(|c| second.iter().any(|s| s.hangs(c).is_some()));
            asked.open |= compare == Compare::Always || !ends && !hangs;
            asked.ending |= ends;
        }
        // Over the integers a condition may be decided that is open where numbers wrap: then there is no loop to ask about.
        let findings = first.findings();
        let control = &first.analysis.control;
        asked.ending |= control.copies_at(&first.ts.overflows).into_iter().any(|copy| findings.ends(copy).is_ok());
        asked
    }
}

/// Asks the other semantics, before the deadline.
pub fn study_beside(
    program: &neutral::Program,
    asked: Questions,
    compare: Compare,
    settings: &Settings,
    checkers: &ContextPool,
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
        let some_hang = study.hanging().next().is_some();
        found.push(study);
        Some(some_hang)
    };
    // Only what runs for ever over the integers can be stopped by an overflow.
    let stopped = asked.open && ask(Target::Ideal, 2).is_some_and(|hangs| hangs || compare == Compare::Always);
    if stopped || asked.ending {
        ask(Target::Wrap, 1);
    }
    found
}
