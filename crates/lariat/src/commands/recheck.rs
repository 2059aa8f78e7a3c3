//! `lariat recheck`

mod opinion;

use super::{fail, is_lts, print, read_file};
use crate::counterparts::source_name;
use crate::report::json::to_data;
use crate::report::{RECURSION, SCHEMA, condition_words, together_words};
use clap::{Args, ValueEnum};
use lariat_check::{Condition, Rejection, System, check, holds_initially};
use lariat_ir::{Claim, LocId, LoopForest, Property, Proves, TransitionSystem, claim, lts};
use lariat_smt::Limit;
use opinion::Opinion;
use serde_json::Value as Json;
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
    let source = read_file(&o.file)?;
    let json: Json = serde_json::from_str(&source)
        .map_err(|e| format!("{file} is no JSON: {e}; write it with `lariat check --format json --output FILE`"))?;
    if json.get("schema").and_then(Json::as_str) != Some(SCHEMA) {
        return Err(format!("{file} is no {SCHEMA}; write it with `lariat check --format json --output FILE`"));
    }
    let one = [json.clone()];
    let programs = json.get("programs").and_then(Json::as_array).map_or(&one[..], Vec::as_slice);
    let mut out = String::new();
    let mut counts = Counts::default();
    for p in programs {
        let name = p.get("file").and_then(Json::as_str).unwrap_or("?");
        if let Some(error) = p.get("error").and_then(Json::as_str) {
            let _ = writeln!(out, "{name}: was not analysed: {error}");
            continue;
        }
        program(o, name, p, &mut out, &mut counts)?;
    }
    let Counts { accepted, not_confirmed, rejected } = counts;
    let _ = writeln!(out, "{accepted} accepted, {not_confirmed} not confirmed, {rejected} rejected");
    Ok((out, counts))
}

/// A certificate that the checker accepted.
struct Accepted {
    kind: &'static str,
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

fn texts<'a>(j: &'a Json, key: &str) -> Option<&'a str> {
    j.get(key).and_then(Json::as_str)
}

fn list<'a>(j: &'a Json, key: &str) -> &'a [Json] {
    j.get(key).and_then(Json::as_array).map_or(&[][..], Vec::as_slice)
}

/// The saved systems of one entry.
struct Saved {
    entry: String,
    systems: Vec<TransitionSystem>,
}

fn saved(name: &str, p: &Json) -> Result<Vec<Saved>, String> {
    let mut all = Vec::new();
    for e in list(p, "entries") {
        let mut systems = Vec::new();
        for s in list(e, "systems") {
            let text = texts(s, "lts").ok_or_else(|| format!("{name}: no system is saved"))?;
            let ts = lts::parse(text).map_err(|e| format!("{name}: the saved system is torn: {e}"))?.system;
            if texts(p, "integers") != Some(ts.integers.to_string().as_str()) {
                return Err(format!("{name}: the saved system is in another integer semantics than the results"));
            }
            systems.push(ts);
        }
        if systems.is_empty() && texts(e, "verdict") != Some("unknown") {
            return Err(format!("{name}: no system is saved"));
        }
        all.push(Saved { entry: texts(e, "name").unwrap_or("?").to_owned(), systems });
    }
    if p.get("entries").is_none() {
        return Err(format!("{name}: no system is saved"));
    }
    Ok(all)
}

/// A system, or why its guards were not shown to be total and disjoint.
type Verified<'a> = Result<System<'a>, String>;

fn program(o: &Options, name: &str, p: &Json, out: &mut String, counts: &mut Counts) -> Result<(), String> {
    let saved = saved(name, p)?;
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
        verified.push((e.entry.as_str(), systems));
    }
    let mut judge = |what: &str, verdict: Option<&str>, found: Result<Option<Accepted>, Refused>| {
        let _ = match found {
            Ok(None) => writeln!(out, "{name}: {what}: undecided, nothing to check"),
            Ok(Some(Accepted { kind, words })) => {
                counts.accepted += 1;
                let words = words.map_or(String::new(), |w| format!(" ({w})"));
                writeln!(out, "{name}: {what}: {} by {kind}: accepted{words}", verdict.unwrap_or("?"))
            }
            Err(Refused::NotConfirmed(why)) => {
                counts.not_confirmed += 1;
                writeln!(out, "{name}: {what}: not confirmed: {why}; more time (`--timeout S`) may help")
            }
            Err(Refused::Rejected(why)) => {
                counts.rejected += 1;
                writeln!(out, "{name}: {what}: {why}")
            }
        };
    };
    for l in list(p, "loops").iter().chain(list(p, "recursion")) {
        let verdict = texts(l, "verdict");
        let copies: Vec<&Json> = std::iter::once(l).chain(list(l, "others")).collect();
        for copy in &copies {
            let (id, entry) = (texts(copy, "id").unwrap_or("?"), texts(copy, "entry").unwrap_or("?"));
            let what = if saved.len() == 1 { format!("loop at `{id}`") } else { format!("`{entry}`: loop at `{id}`") };
            judge(&what, texts(copy, "verdict"), loop_claim(o, &verified, l, copy));
        }
        // In an `.lts` file each location stands for itself, whatever source it names.
        if verdict == Some("terminates")
            && !is_lts(Path::new(name))
            && let Some(why) = missing_copy(&saved, l, &copies)
        {
            judge(&format!("loop at `{}`", texts(l, "id").unwrap_or("?")), verdict, Err(Refused::Rejected(why)));
        }
        // Who reads that every run ends must not read of a loop that may not.
        if texts(p, "verdict") == Some("terminates") && verdict != Some("terminates") {
            let id = texts(l, "id").unwrap_or("?");
            let why = format!("the program is said to end, its loop at `{id}` is not");
            judge("verdict", None, rejected(why));
        }
    }
    let all = list(p, "entries");
    for (e, (entry, systems)) in all.iter().zip(&verified) {
        let what = if saved.len() == 1 { "program".to_owned() } else { format!("`{entry}`") };
        let found = one_claim(o, systems, &|_| Subject::Program, &e["certificate"], texts(e, "verdict"));
        judge(&what, texts(e, "verdict"), found);
    }
    if all.is_empty() {
        judge("no function", None, Ok(None));
    }
    let together = together_words(all.iter().map(|e| texts(e, "verdict").unwrap_or("?")));
    if texts(p, "verdict") != Some(together) {
        let why = format!("the entries say {together}, the verdict is {}", texts(p, "verdict").unwrap_or("?"));
        judge("verdict", None, rejected(why));
    }
    Ok(())
}

/// Checks what is saved about one copy of a loop.
fn loop_claim(
    o: &Options,
    verified: &[(&str, Vec<Verified<'_>>)],
    l: &Json,
    copy: &Json,
) -> Result<Option<Accepted>, Refused> {
    let (id, entry) = (texts(copy, "id").unwrap_or("?"), texts(copy, "entry").unwrap_or("?"));
    let Some((_, systems)) = verified.iter().find(|(name, _)| *name == entry) else {
        return rejected(format!("there is no entry `{entry}`"));
    };
    let subject = |ts: &TransitionSystem| Subject::Loop(ts.loc_named(id), texts(copy, "when"));
    if !certified(copy) {
        return one_claim(o, systems, &subject, &copy["certificate"], texts(copy, "verdict"));
    }
    for system in systems.iter().flatten() {
        let ts = system.ts();
        let Some(span) = ts.loc_named(id).and_then(|h| ts.locs[h].span.as_ref()) else { continue };
        let said = (texts(l, "file"), l["line"].as_u64(), l["column"].as_u64());
        if said != (Some(span.file.as_str()), Some(span.line.into()), Some(span.column.into())) {
            return rejected("the loop with this certificate is at another place");
        }
    }
    one_claim(o, systems, &subject, &copy["certificate"], texts(copy, "verdict"))
}

fn certified(copy: &Json) -> bool {
    !copy["certificate"].is_null()
}

/// Why a loop of the source is not shown to end: a copy of it that is in a system and not in the results.
fn missing_copy(saved: &[Saved], l: &Json, copies: &[&Json]) -> Option<String> {
    let listed = |entry: &str, id: &str| {
        copies.iter().any(|c| {
            let other = texts(c, "id").map(source_name);
            texts(c, "entry") == Some(entry)
                && other == Some(source_name(id))
                && texts(c, "verdict") == Some("terminates")
        })
    };
    for e in saved {
        for ts in e.systems.iter().filter(|ts| ts.proves != Proves::Diverges) {
            for inner in &LoopForest::of(ts).loops {
                let header = &ts.locs[inner.header];
                let Some(span) = &header.span else { continue };
                let recursive = |id: &str| source_name(id).starts_with(RECURSION);
                let same = texts(l, "id").is_some_and(|id| recursive(id) == recursive(&header.name))
                    && texts(l, "function") == header.function.as_deref()
                    && texts(l, "file") == Some(span.file.as_str())
                    && l["line"].as_u64() == Some(span.line.into())
                    && l["column"].as_u64() == Some(span.column.into());
                if same && !listed(&e.entry, &header.name) {
                    return Some(format!(
                        "rejected: nothing is said of its copy at `{}` of `{}`",
                        header.name, e.entry
                    ));
                }
            }
        }
    }
    None
}

/// What a verdict is about.
enum Subject<'a> {
    /// The loop with this header, for the initial states of this condition, or for all.
    Loop(Option<LocId>, Option<&'a str>),
    Program,
}

/// Checks one saved certificate; nothing where there is none and none is needed.
fn one_claim<'j>(
    o: &Options,
    systems: &[Verified<'_>],
    subject: &dyn Fn(&TransitionSystem) -> Subject<'j>,
    certificate: &Json,
    verdict: Option<&str>,
) -> Result<Option<Accepted>, Refused> {
    if certificate.is_null() && verdict == Some("unknown") {
        return Ok(None);
    }
    // A certificate names its system; if there is none of that hash the checker says so. Of one that nobody could verify nothing is known.
    let hash = texts(certificate, "system");
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
    let data = to_data(certificate).map_err(torn)?;
    let claim: Claim = claim::from_data(ts, &data).map_err(|e| torn(e.clone()))?;
    let (says, about_this) = match (claim.property, subject) {
        (Property::Terminates(l), Subject::Loop(header, _)) => ("terminates", Some(l) == *header),
        (Property::Diverges(l), Subject::Loop(header, _)) => ("diverges", Some(l) == *header),
        (Property::ProgramTerminates, Subject::Program) => ("terminates", true),
        (Property::ProgramDiverges, Subject::Program) => ("diverges", true),
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
        Subject::Program => for_all || says == "diverges",
    };
    if !agrees {
        return rejected("the certificate is for other initial states than the verdict");
    }
    if verdict != Some(says) {
        return rejected(format!("the verdict is {}, the certificate says {says}", verdict.unwrap_or("missing")));
    }
    check(system, &claim, &mut solver, limit(o))?;
    Ok(Some(Accepted { kind: claim.certificate.kind(), words: solver.words() }))
}
