//! `tests/ll/`: programs in LLVM's text form, with the truth in the first line.
//!
//! ```text
//! ; truth: terminates -- why
//! ```
//!
//! It is `terminates`, `diverges`, `neither` (the environment decides, or the run is undefined in a way that LLVM leaves open), or
//! `refused`. A program whose truth is `neither` must be undecided; the others must have their verdict.

use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;

#[test]
fn programs_have_their_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ll");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut programs: Vec<_> = entries.map(|e| e.expect("it can be listed").path()).collect();
    programs.sort();
    assert!(programs.len() >= 20, "{} programs", programs.len());
    let mut wrong = Vec::new();
    for program in programs {
        let text = std::fs::read_to_string(&program).expect("a program is text");
        let first = text.lines().next().unwrap_or_default();
        let truth = first.strip_prefix("; truth: ").and_then(|t| t.split_once(" -- ")).map(|(truth, _)| truth);
        let done = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(["check", "--format", "json", "--timeout", "3"])
            .arg(&program)
            .output()
            .expect("the tool starts");
        let json: Json = serde_json::from_slice(&done.stdout).unwrap_or_default();
        let said = if json.get("error").is_some() { "refused" } else { json["verdict"].as_str().unwrap_or("nothing") };
        let expected = match truth {
            Some("neither") => "unknown",
            Some(known @ ("terminates" | "diverges" | "refused")) => known,
            _ => panic!("{}: the first line has no truth", program.display()),
        };
        if said != expected {
            wrong.push(format!("{}: {said}, expected {expected}", program.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
