//! What a campaign counted, and how it is printed.

use super::Failure;
use crate::oracle::truth::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What happened to the certificates of one kind.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct KindStats {
    /// Minted certificates.
    pub minted: u64,
    /// Certificates that were due and too large to write down.
    pub skipped: u64,
    /// Minted certificates that were accepted.
    pub accepted: u64,
    /// Mutants made.
    pub mutants: u64,
    /// Mutants whose claim is false.
    pub false_mutants: u64,
    /// Mutants that break a rule.
    pub invalid_mutants: u64,
    /// Mutants that were rejected.
    pub rejected: u64,
    /// Mutants that were accepted, and are not false.
    pub accepted_mutants: u64,
    /// Mutants that keep the rules and were rejected.
    pub incomplete: u64,
    /// Claims without an answer.
    pub gave_up: u64,
}

/// What a campaign counted.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Systems examined.
    pub systems: u64,
    /// Systems by the truth of the program.
    pub programs: BTreeMap<&'static str, u64>,
    /// Loops by their truth, and how many of them engines decided.
    pub loops: BTreeMap<&'static str, (u64, u64)>,
    /// Certificates by kind.
    pub kinds: BTreeMap<&'static str, KindStats>,
    /// Verdicts on loops of the source that were concluded.
    pub composed: u64,
    /// Claims of engines, and how many of them were accepted.
    pub engine_claims: (u64, u64),
    /// Why certificates that keep the rules were rejected.
    pub incomplete_reasons: BTreeMap<String, u64>,
    /// Why claims of engines were rejected.
    pub engine_rejections: BTreeMap<String, u64>,
    /// For each of these reasons the first system in which it occurred, by its number, and its text.
    pub rejected_in: BTreeMap<String, (u64, String)>,
}

/// The outcome of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The counts.
    pub stats: Stats,
    /// The failures, in the order of their systems; the first one is shrunk.
    pub failures: Vec<Failure>,
}

impl Stats {
    pub(super) fn add(&mut self, other: &Self) {
        self.systems += other.systems;
        self.composed += other.composed;
        self.engine_claims.0 += other.engine_claims.0;
        self.engine_claims.1 += other.engine_claims.1;
        for (k, n) in &other.programs {
            *self.programs.entry(k).or_default() += n;
        }
        for (k, (n, d)) in &other.loops {
            let entry = self.loops.entry(k).or_default();
            entry.0 += n;
            entry.1 += d;
        }
        for (mine, theirs) in [
            (&mut self.incomplete_reasons, &other.incomplete_reasons),
            (&mut self.engine_rejections, &other.engine_rejections),
        ] {
            for (k, n) in theirs {
                *mine.entry(k.clone()).or_default() += n;
            }
        }
        for (k, first) in &other.rejected_in {
            let e = self.rejected_in.entry(k.clone()).or_insert_with(|| first.clone());
            if first.0 < e.0 {
                e.clone_from(first);
            }
        }
        for (k, s) in &other.kinds {
            let e = self.kinds.entry(k).or_default();
            e.minted += s.minted;
            e.skipped += s.skipped;
            e.accepted += s.accepted;
            e.mutants += s.mutants;
            e.false_mutants += s.false_mutants;
            e.invalid_mutants += s.invalid_mutants;
            e.rejected += s.rejected;
            e.accepted_mutants += s.accepted_mutants;
            e.incomplete += s.incomplete;
            e.gave_up += s.gave_up;
        }
    }
}

impl Report {
    /// The counts as a table, and the failures.
    pub fn table(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.render(&mut out);
        out
    }

    fn render(&self, out: &mut String) -> std::fmt::Result {
        let s = &self.stats;
        writeln!(out, "{} systems", s.systems)?;
        for v in Verdict::ALL {
            let n = s.programs.get(v.name()).copied().unwrap_or(0);
            let (loops, decided) = s.loops.get(v.name()).copied().unwrap_or((0, 0));
            writeln!(
                out,
                "  {:<16} {n:>8} programs ({:>5.1} %)  {loops:>8} loops, {decided} decided",
                v.name(),
                percent(n, s.systems)
            )?;
        }
        if s.engine_claims.0 > 0 {
            writeln!(out, "  engines: {} claims, {} accepted", s.engine_claims.0, s.engine_claims.1)?;
        }
        if s.composed > 0 {
            writeln!(out, "  loops of the source: {} verdicts concluded", s.composed)?;
        }
        writeln!(
            out,
            "\n  {:<20}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}{:>11}{:>9}",
            "certificate",
            "minted",
            "skipped",
            "accepted",
            "mutants",
            "false",
            "invalid",
            "rejected",
            "accepted",
            "incomplete",
            "gave up"
        )?;
        for (kind, k) in &s.kinds {
            writeln!(
                out,
                "  {kind:<20}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}{:>11}{:>9}",
                k.minted,
                k.skipped,
                k.accepted,
                k.mutants,
                k.false_mutants,
                k.invalid_mutants,
                k.rejected,
                k.accepted_mutants,
                k.incomplete,
                k.gave_up
            )?;
        }
        for (title, reasons) in [
            ("rejected although every rule is kept", &s.incomplete_reasons),
            ("claims of engines that were rejected", &s.engine_rejections),
        ] {
            if !reasons.is_empty() {
                writeln!(out, "\n  {title}:")?;
            }
            for (why, n) in reasons {
                writeln!(out, "    {n:>6} {why}")?;
            }
        }
        for (why, (index, system)) in &s.rejected_in {
            writeln!(out, "\n  {why}, first in system {index}:\n\n{system}")?;
        }
        for f in &self.failures {
            writeln!(out, "\nFAILURE in system {}: {}\n{}\n", f.index, f.kind.name(), f.detail)?;
            writeln!(out, "{}", f.system)?;
            if let Some(c) = &f.claim {
                writeln!(out, "{c}")?;
            }
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "a percentage is for reading")]
fn percent(n: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { n as f64 * 100.0 / of as f64 }
}
