//! `lariat recheck`

use super::{fail, is_lts, print, read_file};
use crate::analyze::source_name;
use crate::report::json::to_data;
use crate::report::{RECURSION, SCHEMA, condition_words, together_words};
use clap::{Args, ValueEnum};
use lariat_check::{System, check};
use lariat_ir::{Claim, LocId, LoopForest, Property, Proves, TransitionSystem, claim, lts};
use lariat_smt::{Cvc5Solver, Limit, Solver, Z3Solver};
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Results written by `lariat check --format json`
    file: PathBuf,
    /// The solver to check with
    #[arg(long, value_enum, default_value = "cvc5")]
    solver: SolverArg,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum SolverArg {
    Cvc5,
    Z3,
}

pub(super) fn run(o: &Options) -> u8 {
    match recheck(o) {
        Ok((text, all_accepted)) => match print(&text) {
            Ok(()) if all_accepted => 0,
            Ok(()) => 2,
            Err(e) => fail(&e),
        },
        Err(message) => fail(&message),
    }
}

fn recheck(o: &Options) -> Result<(String, bool), String> {
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
    let (mut accepted, mut rejected) = (0, 0);
    for p in programs {
        let name = p.get("file").and_then(Json::as_str).unwrap_or("?");
        if let Some(error) = p.get("error").and_then(Json::as_str) {
            let _ = writeln!(out, "{name}: was not analysed: {error}");
            continue;
        }
        let (good, bad) = program(o, name, p, &mut out)?;
        accepted += good;
        rejected += bad;
    }
    let _ = writeln!(out, "{accepted} accepted, {rejected} rejected");
    Ok((out, rejected == 0))
}

fn solver(o: &Options) -> Result<Box<dyn Solver>, String> {
    Ok(match o.solver {
        SolverArg::Z3 => Box::new(Z3Solver::isolated()),
        SolverArg::Cvc5 => Box::new(Cvc5Solver::new().map_err(|e| format!("{e}; or use --solver z3"))?),
    })
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

fn program(o: &Options, name: &str, p: &Json, out: &mut String) -> Result<(usize, usize), String> {
    let saved = saved(name, p)?;
    let mut verified: Vec<(&str, Vec<System<'_>>)> = Vec::new();
    for e in &saved {
        let mut systems = Vec::new();
        for ts in &e.systems {
            let system = System::verify(ts, solver(o)?.as_mut(), Limit::default())
                .map_err(|d| format!("{name}: the saved system: {d}"))?;
            systems.push(system);
        }
        verified.push((e.entry.as_str(), systems));
    }
    let (mut accepted, mut rejected) = (0, 0);
    let mut judge = |what: &str, verdict: Option<&str>, found: Result<Option<&'static str>, String>| match found {
        Ok(None) => {
            let _ = writeln!(out, "{name}: {what}: undecided, nothing to check");
        }
        Ok(Some(kind)) => {
            accepted += 1;
            let _ = writeln!(out, "{name}: {what}: {} by {kind}: accepted", verdict.unwrap_or("?"));
        }
        Err(why) => {
            rejected += 1;
            let _ = writeln!(out, "{name}: {what}: {why}");
        }
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
            judge(&format!("loop at `{}`", texts(l, "id").unwrap_or("?")), verdict, Err(why));
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
        let why =
            format!("rejected: the entries say {together}, the verdict is {}", texts(p, "verdict").unwrap_or("?"));
        judge("verdict", None, Err(why));
    }
    Ok((accepted, rejected))
}

/// Checks what is saved about one copy of a loop.
fn loop_claim(
    o: &Options,
    verified: &[(&str, Vec<System<'_>>)],
    l: &Json,
    copy: &Json,
) -> Result<Option<&'static str>, String> {
    let (id, entry) = (texts(copy, "id").unwrap_or("?"), texts(copy, "entry").unwrap_or("?"));
    let Some((_, systems)) = verified.iter().find(|(name, _)| *name == entry) else {
        return Err(format!("rejected: there is no entry `{entry}`"));
    };
    let subject = |ts: &TransitionSystem| Subject::Loop(ts.loc_named(id), texts(copy, "when"));
    if !certified(copy) {
        return one_claim(o, systems, &subject, &copy["certificate"], texts(copy, "verdict"));
    }
    for system in systems {
        let ts = system.ts();
        let Some(span) = ts.loc_named(id).and_then(|h| ts.locs[h].span.as_ref()) else { continue };
        let said = (texts(l, "file"), l["line"].as_u64(), l["column"].as_u64());
        if said != (Some(span.file.as_str()), Some(span.line.into()), Some(span.column.into())) {
            return Err("rejected: the loop with this certificate is at another place".into());
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
    systems: &[System<'_>],
    subject: &dyn Fn(&TransitionSystem) -> Subject<'j>,
    certificate: &Json,
    verdict: Option<&str>,
) -> Result<Option<&'static str>, String> {
    if certificate.is_null() && verdict == Some("unknown") {
        return Ok(None);
    }
    // The system it names; if there is none of that hash the checker says so.
    let named = systems.iter().find(|s| texts(certificate, "system") == Some(s.hash().to_string().as_str()));
    let system = named.or(systems.first()).ok_or("rejected: no system is saved")?;
    let ts = system.ts();
    let subject = &subject(ts);
    let data = to_data(certificate).map_err(|e| format!("rejected: the certificate is torn: {e}"))?;
    let claim: Claim = claim::from_data(ts, &data).map_err(|e| format!("rejected: the certificate is torn: {e}"))?;
    let (says, about_this) = match (claim.property, subject) {
        (Property::Terminates(l), Subject::Loop(header, _)) => ("terminates", Some(l) == *header),
        (Property::Diverges(l), Subject::Loop(header, _)) => ("diverges", Some(l) == *header),
        (Property::ProgramTerminates, Subject::Program) => ("terminates", true),
        (Property::ProgramDiverges, Subject::Program) => ("diverges", true),
        _ => ("something else", false),
    };
    if !about_this {
        return Err("rejected: the certificate is about something else".into());
    }
    let for_all = claim.when == ts.terms.tt();
    let agrees = match subject {
        Subject::Loop(_, when) => *when == (!for_all).then(|| condition_words(ts, claim.when)).as_deref(),
        Subject::Program => for_all || says == "diverges",
    };
    if !agrees {
        return Err("rejected: the certificate is for other initial states than the verdict".into());
    }
    if verdict != Some(says) {
        return Err(format!("rejected: the verdict is {}, the certificate says {says}", verdict.unwrap_or("missing")));
    }
    check(system, &claim, solver(o)?.as_mut(), Limit::default()).map_err(|r| r.to_string())?;
    Ok(Some(claim.certificate.kind()))
}
