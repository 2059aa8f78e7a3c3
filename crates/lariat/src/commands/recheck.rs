//! `lariat recheck`

use super::{fail, print, read_file};
use crate::report::json::to_data;
use crate::report::{SCHEMA, condition_words};
use clap::{Args, ValueEnum};
use lariat_check::{System, check};
use lariat_ir::{Claim, LocId, Property, claim, lts};
use lariat_smt::{Cvc5Solver, Limit, Solver, Z3Solver};
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::path::PathBuf;

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

fn program(o: &Options, name: &str, p: &Json, out: &mut String) -> Result<(usize, usize), String> {
    let text =
        p.pointer("/system/lts").and_then(Json::as_str).ok_or_else(|| format!("{name}: no `system` is saved"))?;
    let ts = lts::parse(text).map_err(|e| format!("{name}: the saved system is torn: {e}"))?.system;
    let limit = Limit::default();
    let system =
        System::verify(&ts, solver(o)?.as_mut(), limit).map_err(|d| format!("{name}: the saved system: {d}"))?;
    // What each entry says it is about, so that a true certificate about something else is no proof of it.
    let mut entries: Vec<(String, Subject, &Json, Option<&str>)> = Vec::new();
    for l in p.get("loops").and_then(Json::as_array).map_or(&[][..], Vec::as_slice) {
        let id = l.get("id").and_then(Json::as_str).unwrap_or("?");
        let subject = Subject::Loop(ts.loc_named(id), l.get("when").and_then(Json::as_str));
        entries.push((format!("loop at `{id}`"), subject, &l["certificate"], l.get("verdict").and_then(Json::as_str)));
    }
    let verdict = p.get("verdict").and_then(Json::as_str);
    entries.push(("program".into(), Subject::Program, &p["certificate"], verdict));
    let (mut accepted, mut rejected) = (0, 0);
    for (what, subject, certificate, verdict) in entries {
        if certificate.is_null() && verdict == Some("unknown") {
            let _ = writeln!(out, "{name}: {what}: undecided, nothing to check");
            continue;
        }
        match one_claim(o, &system, &subject, certificate, verdict) {
            Ok(kind) => {
                accepted += 1;
                let _ = writeln!(out, "{name}: {what}: {} by {kind}: accepted", verdict.unwrap_or("?"));
            }
            Err(why) => {
                rejected += 1;
                let _ = writeln!(out, "{name}: {what}: {why}");
            }
        }
    }
    Ok((accepted, rejected))
}

/// What a verdict is about.
enum Subject<'a> {
    /// The loop with this header, for the initial states of this condition, or for all.
    Loop(Option<LocId>, Option<&'a str>),
    Program,
}

fn one_claim(
    o: &Options,
    system: &System<'_>,
    subject: &Subject<'_>,
    certificate: &Json,
    verdict: Option<&str>,
) -> Result<&'static str, String> {
    let ts = system.ts();
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
    Ok(claim.certificate.kind())
}
