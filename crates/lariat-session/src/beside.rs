//! What the other integer semantics say of loops that C leaves open, because a number may overflow there.

use crate::analyze::{EntryStudy, Settings, Study, analyze_next};
use crate::upstream;
use crate::views::{Found, study_views};
use lariat_check::view::Cover;
use lariat_ir::function::Functions;
use lariat_ir::neutral::{self, Target};
use lariat_ir::{Integers, LoopKey};
use lariat_smt::ContextPool;
use std::collections::BTreeSet;
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

/// That loops which end over the integers hang where numbers wrap is looked for as long as the proof that they end took, and at least for this.
const LEAST_FOR_ENDING: Duration = Duration::from_millis(250);

/// What the other semantics are asked about.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// There are loops that C leaves open; or any, where all are compared.
    open: bool,
    /// There are loops that end over the integers: an overflow may make one hang.
    ending: bool,
    /// These loops, if they are of the source and nothing else is asked.
    keys: BTreeSet<LoopKey>,
}

impl Questions {
    /// What is asked of an entry so that programs can show what hangs over the integers: whether it does so on a machine.
    pub fn for_programs(entry: &EntryStudy) -> Self {
        let over_z = |s: &Study| s.ts.integers == Integers::Ideal && s.hanging().next().is_some();
        Self { ending: entry.studies.iter().any(over_z), ..Self::default() }
    }

    /// Those of an entry that was studied in the semantics `c`.
    pub fn of(entry: &EntryStudy, compare: Compare) -> Self {
        let first = entry.studies.first().filter(|s| s.ts.integers == Integers::C);
        let Some(first) = first.filter(|_| compare != Compare::Never) else { return Self::default() };
        let second: Vec<_> = entry.studies[1..].iter().map(Study::findings).collect();
        let mut asked = Self::default();
        let mut others = compare == Compare::Always;
        for (id, l) in first.analysis.forest().loops.entries() {
            let computes = !first.ts.overflows.is_disjoint(&l.body);
            // What ends for what a number was before it may hang where that number wraps.
            let ends = first.ends_somewhere(id);
            if !computes && (!ends || !upstream::reaches(&first.ts, &l.body)) {
                continue;
            }
            let copy = first.analysis.control.source_of(id);
            let hangs = copy.is_some_and(|c| second.iter().any(|s| s.hangs(c).is_some()));
            asked.open |= compare == Compare::Always || !ends && !hangs;
            asked.ending |= ends;
            if ends {
                others |= copy.is_none();
                asked.keys.extend(copy.map(|c| c.key.clone()));
            }
        }
        // Over the integers a condition may be decided that is open where numbers wrap: then there is no loop to ask about.
        let findings = first.findings();
        let control = &first.analysis.control;
        for copy in control.copies_at(&first.ts.overflows).into_iter().filter(|copy| findings.ends(copy).is_ok()) {
            asked.ending = true;
            asked.keys.insert(copy.key.clone());
        }
        if others || asked.open {
            asked.keys.clear();
        }
        asked
    }

    /// Drops what views answer: a loop of which the view ends where numbers wrap hangs in no run.
    pub fn asked_of_views(
        &mut self,
        functions: &Functions,
        reached: &BTreeSet<LoopKey>,
        settings: &Settings,
        checkers: &ContextPool,
        deadline: Instant,
    ) {
        if !self.ending || self.keys.is_empty() {
            return;
        }
        let mut ending = Vec::new();
        let told = &mut |found| {
            if let Found::Ending(view) = found {
                ending.push(view.ending);
            }
        };
        study_views(functions, Integers::Wrap, settings, checkers, deadline, &|key| reached.contains(key), told);
        let mut cover = Cover::new(functions, ending);
        let mut ends = |f: usize, l: usize| cover.ends(f, l).is_ok_and(|rest| rest.conditions.is_empty());
        let all = functions
            .list
            .iter()
            .enumerate()
            .flat_map(|(f, function)| function.loops.iter().enumerate().map(move |(l, this)| (f, l, &this.key)));
        let shown: BTreeSet<&LoopKey> = all.filter(|(f, l, _)| ends(*f, *l)).map(|(.., key)| key).collect();
        if self.keys.iter().all(|k| shown.contains(k)) {
            self.ending = false;
        }
    }
}

/// Asks the other semantics, before the deadline; `spent` is what it took to decide the program in its own.
pub fn study_beside(
    program: &neutral::Program,
    asked: &Questions,
    compare: Compare,
    settings: &Settings,
    checkers: &ContextPool,
    (spent, deadline): (Duration, Instant),
) -> Vec<Study> {
    let mut found = Vec::new();
    let mut ask = |target: Target, share: u32, most: Duration| {
        let left = most.min(deadline.saturating_duration_since(Instant::now()) / share);
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
    let stopped =
        asked.open && ask(Target::Ideal, 2, Duration::MAX).is_some_and(|hangs| hangs || compare == Compare::Always);
    if stopped || compare == Compare::Always {
        ask(Target::Wrap, 1, Duration::MAX);
    } else if asked.ending {
        ask(Target::Wrap, 1, spent.max(LEAST_FOR_ENDING));
    }
    found
}
