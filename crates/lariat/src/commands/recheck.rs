//! `lariat recheck`

mod opinion;

use super::{fail, print};
use clap::{Args, ValueEnum};
use lariat_check::compose::{self, Control, Entry, Extent, Findings, Open, Outcome};
use lariat_check::{Condition, Proved, Rejection, System, check, holds_initially};
use lariat_ir::{Claim, LocId, LoopKey, Property, TransitionSystem, claim, lts};
use lariat_session::Verdict;
use lariat_session::document::{self, Analysed, Document, to_data};
use lariat_session::input::{is_lts, read_text};
use lariat_session::results::{ReasonKind, condition_words};
use lariat_smt::Limit;
use opinion::Opinion;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// Results written by `lariat check --format json`
    file: PathBuf,
    /// The solver to check with
    #[arg(long, value_enum, default_value = "cvc5")]
    solver: SolverArg,
    /// For each certificate, in seconds
    #[arg(long, default_value_t = 60.0, value_parser = super::check::seconds)]
    timeout: f64,
}

const AFTER_HELP: &str = "\
Exit status: 0 every certificate was accepted, 1 a solver gave up on one and none was rejected, 2 one was
rejected, or the file cannot be read.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum SolverArg {
    /// cvc5, and Z3 bit by bit for questions that cvc5 gives up
    Cvc5,
    /// Z3, bit by bit
    Z3,
}

/// The verdicts, as results write them.
const TERMINATES: &str = Verdict::Terminates.word();
const DIVERGES: &str = Verdict::Diverges.word();
const UNKNOWN: &str = Verdict::Unknown.word();
/// What a document without a verdict is read as.
const NO_VERDICT: &str = document::NOT_SAID;

/// What became of the certificates.
#[derive(Default)]
struct Counts {
    accepted: usize,
    not_confirmed: usize,
    rejected: usize,
}

pub(super) fn run(o: &Options) -> u8 {
    match recheck(o) {
        Ok((text, counts)) => match print(&text) {
            Ok(()) if counts.rejected > 0 => 2,
            Ok(()) if counts.not_confirmed > 0 => 1,
            Ok(()) => 0,
            Err(e) => fail(&e),
        },
        Err(message) => fail(&message),
    }
}

fn recheck(o: &Options) -> Result<(String, Counts), String> {
    let file = o.file.display();
    let source = read_text(&o.file)?;
    let document = Document::read(&source)
        .map_err(|e| format!("{file} {e}; write it with `lariat check --format json --output FILE`"))?;
    let mut out = String::new();
    let mut counts = Counts::default();
    for p in document.programs() {
        match p {
            document::Program::Failed(f) => {
                let _ = writeln!(out, "{}: was not analysed: {}", f.file, f.error);
            }
            document::Program::Analysed(p) => program(o, p, &mut out, &mut counts)?,
        }
    }
    let Counts { accepted, not_confirmed, rejected } = counts;
    let _ = writeln!(out, "{accepted} accepted, {not_confirmed} not confirmed, {rejected} rejected");
    Ok((out, counts))
}

/// A certificate that the checker accepted.
struct Accepted {
    proved: Proved,
    /// Who answered, if not cvc5 alone.
    words: Option<String>,
}

/// Why a certificate is not accepted.
enum Refused {
    /// A solver gave up: nothing is known to be wrong.
    NotConfirmed(String),
    /// It does not show what it is said to show.
    Rejected(String),
}

impl From<Rejection> for Refused {
    fn from(r: Rejection) -> Self {
        if r.condition == Condition::SolverUnknown {
            Self::NotConfirmed(r.detail)
        } else {
            Self::Rejected(r.to_string())
        }
    }
}

/// The refusal of something that does not fit together.
fn rejected<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::Rejected(format!("rejected: {}", why.into())))
}

/// The limit for one certificate from now on. The clock decides: whoever checks again has time.
fn limit(o: &Options) -> Limit {
    let time = Duration::from_secs_f64(o.timeout);
    Limit { rlimit: u64::from(u32::MAX), wall: time, until: Some(Instant::now() + time) }
}

/// The saved systems of one entry.
struct Saved<'j> {
    entry: &'j str,
    systems: Vec<TransitionSystem>,
}

fn saved(p: &Analysed) -> Result<Vec<Saved<'_>>, String> {
    let name = &p.file;
    let nothing = || format!("{name}: no system is saved");
    let mut all = Vec::new();
    for e in p.entries.as_ref().ok_or_else(nothing)? {
        let mut systems = Vec::new();
        for s in &e.systems {
            if s.lts.is_empty() {
                return Err(nothing());
            }
            let ts = lts::parse(&s.lts).map_err(|e| format!("{name}: the saved system is torn: {e}"))?.system;
            if p.integers != ts.integers.to_string() {
                return Err(format!("{name}: the saved system is in another integer semantics than the results"));
            }
            systems.push(ts);
        }
        if systems.is_empty() && e.verdict != UNKNOWN && e.needs.is_none() {
            return Err(nothing());
        }
        all.push(Saved { entry: &e.name, systems });
    }
    Ok(all)
}

/// What is said of one copy of a loop.
#[derive(Clone, Copy)]
struct Said<'j> {
    entry: &'j str,
    id: &'j str,
    verdict: &'j str,
    when: Option<&'j str>,
    certificate: Option<&'j Json>,
}

/// All copies of a loop, the one that is shown first.
fn copies(l: &document::Loop) -> impl Iterator<Item = Said<'_>> {
    let shown = Said {
        entry: &l.entry,
        id: &l.id,
        verdict: &l.verdict,
        when: l.when.as_deref(),
        certificate: l.certificate.as_ref(),
    };
    std::iter::once(shown).chain(l.others.iter().map(|c| Said {
        entry: &c.entry,
        id: &c.id,
        verdict: &c.verdict,
        when: c.when.as_deref(),
        certificate: c.certificate.as_ref(),
    }))
}

/// A system, or why its guards were not shown to be total and disjoint.
type Verified<'a> = Result<System<'a>, String>;

/// What is told of one program.
struct Log<'a> {
    name: &'a str,
    out: &'a mut String,
    counts: &'a mut Counts,
    /// All that was accepted.
    proofs: Vec<Proved>,
}

impl Log<'_> {
    fn judge(&mut self, what: &str, verdict: &str, found: Result<Option<Accepted>, Refused>) {
        let name = self.name;
        let _ = match found {
            Ok(None) => writeln!(self.out, "{name}: {what}: undecided, nothing to check"),
            Ok(Some(Accepted { proved, words })) => {
                self.counts.accepted += 1;
                let words = words.map_or(String::new(), |w| format!(" ({w})"));
                let kind = proved.claim().certificate.kind();
                self.proofs.push(proved);
                writeln!(self.out, "{name}: {what}: {verdict} by {kind}: accepted{words}")
            }
            Err(Refused::NotConfirmed(why)) => {
                self.counts.not_confirmed += 1;
                writeln!(self.out, "{name}: {what}: not confirmed: {why}; more time (`--timeout S`) may help")
            }
            Err(Refused::Rejected(why)) => {
                self.counts.rejected += 1;
                writeln!(self.out, "{name}: {what}: {why}")
            }
        };
    }
}

fn program(o: &Options, p: &Analysed, out: &mut String, counts: &mut Counts) -> Result<(), String> {
    let name = p.file.as_str();
    let saved = saved(p)?;
    let mut verified: Vec<(&str, Vec<Verified<'_>>)> = Vec::new();
    for e in &saved {
        let mut systems = Vec::new();
        for ts in &e.systems {
            systems.push(match System::verify(ts, &mut Opinion::new(o.solver)?, limit(o)) {
                Ok(system) => Ok(system),
                Err(d) if d.undecided => Err(format!("the saved system: {d}")),
                Err(d) => return Err(format!("{name}: the saved system: {d}")),
            });
        }
        verified.push((e.entry, systems));
    }
    let before = counts.not_confirmed;
    let mut log = Log { name, out, counts, proofs: Vec::new() };
    let loops = || p.loops.iter().chain(&p.recursion);
    for l in loops() {
        if let Some(system) = &l.view_system {
            log.judge(&format!("loop at `{}`, by itself", l.id), &l.verdict, view_claim(o, p, l, system));
        }
        // Of a loop that no entry holds nothing is said.
        let is_told = |copy: &Said<'_>| copy.verdict != UNKNOWN || verified.iter().any(|(name, _)| *name == copy.entry);
        for copy in copies(l).filter(|copy| l.view_system.is_none() && is_told(copy)) {
            let Said { id, entry, verdict, .. } = copy;
            let what = if saved.len() == 1 { format!("loop at `{id}`") } else { format!("`{entry}`: loop at `{id}`") };
            log.judge(&what, verdict, loop_claim(o, &verified, l, copy));
        }
        // Who reads that every run ends must not read of a loop that may not.
        let is_apart = l.reason_code.as_deref() == Some(ReasonKind::NotReached.code());
        if p.verdict == TERMINATES && l.verdict != TERMINATES && !is_apart {
            let why = format!("the program is said to end, its loop at `{}` is not", l.id);
            log.judge("verdict", NO_VERDICT, rejected(why));
        }
    }
    let all = p.entries.as_deref().unwrap_or_default();
    for (e, (entry, systems)) in all.iter().zip(&verified) {
        let what = if saved.len() == 1 { "program".to_owned() } else { format!("`{entry}`") };
        // What follows from views has no certificate of its own: the loops have.
        if let Some(needs) = e.needs.as_ref().filter(|_| e.certificate.is_none()) {
            if let Some(missing) = missing(p, needs, Ends::Always).filter(|_| e.verdict != UNKNOWN) {
                log.judge(&what, &e.verdict, rejected(missing));
            }
            continue;
        }
        let found = one_claim(o, systems, &|_| Subject::Program, e.certificate.as_ref(), &e.verdict);
        log.judge(&what, &e.verdict, found);
    }
    if all.is_empty() {
        log.judge("no function", NO_VERDICT, Ok(None));
    }
    let together = word(&compose::all_entries(all.iter().map(|e| match e.verdict.as_str() {
        TERMINATES => Outcome::Ends(Extent::Always),
        DIVERGES => Outcome::Hangs,
        _ => Outcome::Open(Open::NotListed),
    })));
    // A loop that no entry holds may be open, or end under a condition.
    let is_open = loops().any(|l| l.verdict != TERMINATES || l.when.is_some());
    if p.verdict != together && !(p.verdict == UNKNOWN && is_open) {
        let why = format!("the entries say {together}, the verdict is {}", p.verdict);
        log.judge("verdict", NO_VERDICT, rejected(why));
    }
    // What a solver gave up is told already, and something may be missing for it. In an `.lts` file each location stands for itself.
    if log.counts.not_confirmed == before && !is_lts(Path::new(name)) {
        let proofs = std::mem::take(&mut log.proofs);
        let loops = loops().filter(|l| l.verdict != UNKNOWN && l.verdict != NO_VERDICT && l.view_system.is_none());
        for (what, verdict, why) in not_composed(&saved, &verified, &proofs, loops) {
            log.judge(&what, verdict, rejected(why));
        }
    }
    Ok(())
}

/// The verdict on loops of the source that the checker's rules do not give: what, the verdict, and why it is wrong.
fn not_composed<'j>(
    saved: &[Saved<'_>],
    verified: &[(&str, Vec<Verified<'_>>)],
    proofs: &[Proved],
    loops: impl Iterator<Item = &'j document::Loop>,
) -> Vec<(String, &'j str, String)> {
    let control = |e: usize, i: usize| match &verified[e].1[i] {
        Ok(system) => Control::of(system),
        Err(_) => Control::unverified(&saved[e].systems[i]),
    };
    let controls: Vec<Vec<Control>> =
        saved.iter().enumerate().map(|(e, s)| (0..s.systems.len()).map(|i| control(e, i)).collect()).collect();
    let nothing = BTreeSet::new();
    let mut entries = Vec::new();
    for of_entry in &controls {
        let of = |c| Findings::new(c, proofs.iter().filter(|p| Control::is_of(c, p)));
        let all: Result<Vec<Findings<'_>>, Rejection> = of_entry.iter().map(of).collect();
        let mut all = all.expect("each proof is about the system that it was chosen for").into_iter();
        entries.push(match all.next() {
            Some(ends) => Entry::Seen { ends, hangs: all.next(), wrap: None },
            None => Entry::Unseen(&nothing),
        });
    }
    let key_of = |l: &document::Loop| -> Option<&LoopKey> {
        let entry = saved.iter().position(|s| s.entry == l.entry)?;
        let mut systems = saved[entry].systems.iter().zip(&controls[entry]);
        systems.find_map(|(ts, control)| {
            let id = control.forest().with_header(ts.loc_named(&l.id)?)?;
            control.source_of(id).map(|copy| &copy.key)
        })
    };
    let mut wrong = Vec::new();
    for l in loops {
        let Some(key) = key_of(l) else { continue };
        let verdict = l.verdict.as_str();
        let follows = word(&compose::source_loop(&entries, key));
        if follows != verdict {
            let what = format!("loop at `{}`", l.id);
            wrong.push((
                what,
                verdict,
                format!("all proofs together say {follows} of {key}, the verdict is {verdict}"),
            ));
        }
    }
    wrong
}

/// What the checker's rules conclude, as results write it.
fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Ends(_) => TERMINATES,
        Outcome::Hangs => DIVERGES,
        Outcome::Open(_) | Outcome::NotSeen(_) => UNKNOWN,
    }
}

/// Checks what is saved about one copy of a loop.
fn loop_claim(
    o: &Options,
    verified: &[(&str, Vec<Verified<'_>>)],
    l: &document::Loop,
    copy: Said<'_>,
) -> Result<Option<Accepted>, Refused> {
    let Said { entry, id, verdict, when, certificate } = copy;
    let Some((_, systems)) = verified.iter().find(|(name, _)| *name == entry) else {
        return rejected(format!("there is no entry `{entry}`"));
    };
    for system in systems.iter().flatten().filter(|_| certificate.is_some()) {
        let ts = system.ts();
        let Some(span) = ts.loc_named(id).and_then(|h| ts.locs[h].span.as_ref()) else { continue };
        if (&l.file, l.line, l.column) != (&span.file, Some(span.line), Some(span.column)) {
            return rejected("the loop with this certificate is at another place");
        }
    }
    let subject = |ts: &TransitionSystem| Subject::Loop(ts.loc_named(id), when);
    one_claim(o, systems, &subject, certificate, verdict)
}

/// Checks what is saved about a loop by itself: the certificate on its view, and that the loops end on which it rests.
fn view_claim(
    o: &Options,
    p: &Analysed,
    l: &document::Loop,
    saved: &document::System,
) -> Result<Option<Accepted>, Refused> {
    let torn = |e: String| Refused::Rejected(format!("rejected: the saved view is torn: {e}"));
    let ts = lts::parse(&saved.lts).map_err(|e| torn(e.to_string()))?.system;
    if p.integers != ts.integers.to_string() {
        return rejected("the saved view is in another integer semantics than the results");
    }
    let mut solver = Opinion::new(o.solver).map_err(Refused::NotConfirmed)?;
    let system = match System::verify(&ts, &mut solver, limit(o)) {
        Ok(system) => system,
        Err(d) if d.undecided => return Err(Refused::NotConfirmed(format!("the saved view: {d}"))),
        Err(d) => return rejected(format!("the saved view: {d}")),
    };
    // It has one loop, which is the one that ends.
    if system.forest().loops.len() != 1 || l.verdict != TERMINATES {
        return rejected("the saved view is not that of a loop that ends");
    }
    if let Some(missing) = missing(p, &l.needs, Ends::Somehow) {
        return rejected(missing);
    }
    // Conditions are handed on: its own, and those of the loops that it rests on.
    let has_condition = l.view_when.is_some() || missing(p, &l.needs, Ends::Always).is_some();
    if has_condition != l.when.is_some() {
        return rejected(
            "the loop is said to end under another condition than its view and the loops that it rests on",
        );
    }
    let subject = |ts: &TransitionSystem| Subject::Loop(ts.loc_named(&l.id), None);
    one_claim(o, &[Ok(system)], &subject, l.certificate.as_ref(), &l.verdict)
}

/// How a loop is said to end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// Perhaps under a condition.
    Somehow,
    Always,
}

/// A loop that must end for something else to end, and is not said to.
fn missing(p: &Analysed, needs: &[document::Position], how: Ends) -> Option<String> {
    let ends = |n: &document::Position| {
        let here = |l: &&document::Loop| n.file.as_ref() == Some(&l.file) && (n.line, n.column) == (l.line, l.column);
        let all: Vec<&document::Loop> = p.loops.iter().filter(here).collect();
        // Several loops may have one position, as macros make them.
        let is_one_free = how == Ends::Somehow || all.iter().any(|l| l.when.is_none());
        !all.is_empty() && all.iter().all(|l| l.verdict == TERMINATES) && is_one_free
    };
    let open = needs.iter().find(|n| !ends(n))?;
    let line = open.line.map_or_else(|| "?".to_owned(), |l| l.to_string());
    Some(format!("it rests on the loop of `{}` at line {line}, which is not said to end", open.function))
}

/// What a verdict is about.
enum Subject<'a> {
    /// The loop with this header, for the initial states of this condition, or for all.
    Loop(Option<LocId>, Option<&'a str>),
    Program,
}

/// Whether a loop is the one at a header, or one around it: what ends holds all that is inside.
fn is_around(system: &System<'_>, outer: LocId, header: Option<LocId>) -> bool {
    let forest = system.forest();
    let pair = header.and_then(|h| forest.with_header(h)).zip(forest.with_header(outer));
    pair.is_some_and(|(inner, outer)| inner == outer || forest.is_inside(inner, outer))
}

/// Checks one saved certificate; nothing where there is none and none is needed.
fn one_claim<'j>(
    o: &Options,
    systems: &[Verified<'_>],
    subject: &dyn Fn(&TransitionSystem) -> Subject<'j>,
    certificate: Option<&Json>,
    verdict: &str,
) -> Result<Option<Accepted>, Refused> {
    if certificate.is_none() && verdict == UNKNOWN {
        return Ok(None);
    }
    // A certificate names its system; if there is none of that hash the checker says so. Of one that nobody could verify nothing is known.
    let hash = certificate.and_then(|c| c.get("system")).and_then(Json::as_str);
    let mut known = systems.iter().flatten();
    let named = known.clone().find(|s| hash == Some(s.hash().to_string().as_str()));
    let undecided = systems.iter().find_map(|s| s.as_ref().err());
    let system = match (named, undecided, known.next()) {
        (Some(system), ..) => system,
        (None, Some(why), _) => return Err(Refused::NotConfirmed(why.clone())),
        (None, None, Some(first)) => first,
        (None, None, None) => return rejected("no system is saved"),
    };
    let ts = system.ts();
    let subject = &subject(ts);
    let torn = |e: String| Refused::Rejected(format!("rejected: the certificate is torn: {e}"));
    let data = to_data(certificate.unwrap_or(&Json::Null)).map_err(torn)?;
    let claim: Claim = claim::from_data(ts, &data).map_err(|e| torn(e.clone()))?;
    let (says, about_this) = match (claim.property, subject) {
        (Property::Terminates(l), Subject::Loop(header, _)) => (TERMINATES, is_around(system, l, *header)),
        (Property::Diverges(l), Subject::Loop(header, _)) => (DIVERGES, Some(l) == *header),
        (Property::ProgramTerminates, Subject::Program) => (TERMINATES, true),
        (Property::ProgramDiverges, Subject::Program) => (DIVERGES, true),
        _ => ("something else", false),
    };
    if !about_this {
        return rejected("the certificate is about something else");
    }
    let mut solver = Opinion::new(o.solver).map_err(Refused::NotConfirmed)?;
    let for_all = claim.when == ts.terms.tt();
    let agrees = match subject {
        // Where all initial states are in `when`, results may leave it out.
        Subject::Loop(_, None) if !for_all => match holds_initially(system, claim.when, &mut solver, limit(o)) {
            Ok(()) => true,
            Err(r) if r.condition == Condition::SolverUnknown => return Err(r.into()),
            Err(_) => false,
        },
        Subject::Loop(_, when) => *when == (!for_all).then(|| condition_words(ts, claim.when)).as_deref(),
        Subject::Program => for_all || says == DIVERGES,
    };
    if !agrees {
        return rejected("the certificate is for other initial states than the verdict");
    }
    if verdict != says {
        return rejected(format!("the verdict is {verdict}, the certificate says {says}"));
    }
    let proved = check(system, &claim, &mut solver, limit(o))?;
    Ok(Some(Accepted { proved, words: solver.words() }))
}
