//! `tests/lts/`: the truth stands beside each loop.
//!
//! `#@ loop: terminates`, `diverges`, `diverges when …` or `neither` is the truth; `; tool: unknown -- reason` behind it says
//! that the tool is weaker. A verdict that contradicts the truth always fails; one that is merely better than expected fails,
//! too, so that the expectation is brought up to date.

use lariat_ir::lts;
use lariat_session::{Settings, Verdict, analyze};
use std::path::PathBuf;

struct Expected {
    line: u32,
    truth: String,
    tool: Option<String>,
}

fn expectations(text: &str) -> Vec<Expected> {
    let mut all = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let Some((_, note)) = line.split_once("#@ loop:") else { continue };
        let (truth, tool) = match note.split_once("; tool:") {
            Some((truth, tool)) => (truth, Some(tool.split(" -- ").next().unwrap_or_default().trim().to_owned())),
            None => (note, None),
        };
        let line = u32::try_from(i + 1).expect("a test is short");
        all.push(Expected { line, truth: truth.trim().to_owned(), tool });
    }
    all
}

#[test]
fn the_truth_beside_each_loop_is_never_contradicted() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/lts");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|p| p.extension().is_some_and(|e| e == "lts"))
        .collect();
    files.sort();
    assert!(files.len() >= 20, "the corpus has shrunk");
    let mut failures = Vec::new();
    for file in files {
        let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(&file).expect("a corpus file can be read");
        let parsed = lts::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let settings = Settings { audit: true, ..Settings::default() };
        let analysis = analyze(&parsed.system, &settings).unwrap_or_else(|d| panic!("{name}: {d}"));
        if !analysis.contradictions.is_empty() {
            failures.push(format!("{name}: {}", analysis.contradictions.join("; ")));
        }
        let expected = expectations(&text);
        assert_eq!(expected.len(), analysis.loops.len(), "{name}: each loop has its truth beside it");
        for l in &analysis.loops {
            let header = analysis.forest().loops[l.id].header;
            let line = parsed.places[&header].0;
            let e =
                expected.iter().find(|e| e.line == line).unwrap_or_else(|| panic!("{name}: no truth at line {line}"));
            let said = match l.decisions.first() {
                Some((lariat_engines::Decision::Terminates, _)) => Verdict::Terminates,
                Some((lariat_engines::Decision::Diverges, _)) => Verdict::Diverges,
                None => Verdict::Unknown,
            };
            let truth = e.truth.split(" when ").next().unwrap_or_default();
            let wanted = e.tool.as_deref().unwrap_or(match truth {
                "neither" => "unknown",
                other => other,
            });
            if said != Verdict::Unknown && said.word() != truth {
                failures.push(format!("{name}:{line}: WRONG: said {}, the truth is {truth}", said.word()));
            } else if said.word() != wanted {
                failures.push(format!("{name}:{line}: said {}, expected {wanted}", said.word()));
            }
            for t in &l.trials {
                failures.extend(t.rejected.iter().map(|r| format!("{name}:{line}: {}: {r}", t.engine)));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
