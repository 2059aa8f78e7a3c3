//! What `--emit lts` prints is what is analysed, and `lariat check` reads it.

use lariat_ir::{Integers, lts, neutral};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn lariat(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(args).current_dir(root()).output().expect("the tool starts")
}

fn stdout(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned()
}

/// The C programs of a folder and of those in it.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "c" || e == "cpp") {
            found.push(path);
        }
    }
}

#[test]
fn every_system_of_the_corpus_is_read_back_as_it_was() {
    let mut files = Vec::new();
    sources(&root().join("tests/corpus"), &mut files);
    files.sort();
    assert!(files.len() > 100, "the corpus is there");
    // All of them in a long test, see `./test`.
    let is_long = std::env::var_os("LARIAT_LONG").is_some_and(|v| !v.is_empty() && v != "0");
    let files: Vec<PathBuf> = files.into_iter().step_by(if is_long { 1 } else { 3 }).collect();
    let mut systems = 0;
    for (n, file) in files.iter().enumerate() {
        let Ok(unit) = lariat_front::load(file, &lariat_front::Options::default()) else { continue };
        // Each semantics in its turn: all of them take long.
        let integers = [Integers::C, Integers::Wrap, Integers::Ideal][n % 3];
        for entry in &unit.entries() {
            for (form, target) in entry.program.systems(integers) {
                let ts = neutral::lower(form, target);
                let text = lts::print(&ts);
                let again = lts::parse(&text).unwrap_or_else(|e| panic!("{}: {e:?}\n{text}", file.display())).system;
                assert_eq!(again.hash(), ts.hash(), "{}", file.display());
                assert_eq!(lts::print(&again), text, "{}", file.display());
                systems += 1;
            }
        }
    }
    assert!(systems > files.len() / 2, "{systems} systems of {} files", files.len());
}

/// Several entries with two systems each, a recursion, and names that need ticks.
#[test]
fn all_systems_of_a_file_are_read_and_decided() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("emit");
    std::fs::create_dir_all(&dir).expect("the test folder can be made");
    let (source, systems) = (dir.join("four.c"), dir.join("four.lts"));
    let text = "int f(int n) { while (n > 0) n--; return n; }\n\
                int g(int n) { while (n == 5) ; return n; }\n\
                int fac(int n) { return n <= 1 ? 1 : fac(n - 1); }\n\
                int a$b(int gr\u{f6}\u{df}e) { while (gr\u{f6}\u{df}e > 3) gr\u{f6}\u{df}e--; return 0; }\n";
    std::fs::write(&source, text).expect("a test file can be written");
    let (source, systems) = (source.display().to_string(), systems.display().to_string());
    for integers in ["c", "wrap", "ideal"] {
        let o = lariat(&["check", "--emit", "lts", "--integers", integers, "--output", &systems, &source]);
        assert_eq!(o.status.code(), Some(0), "{}", String::from_utf8_lossy(&o.stderr));
        // Printed again it is the same, comments aside.
        let again = stdout(&lariat(&["check", "--emit", "lts", &systems]));
        let plain = |text: &str| {
            text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let printed = std::fs::read_to_string(&systems).expect("it was written");
        assert_eq!(plain(&again), plain(&printed), "{integers}");
        // What is decided is decided alike.
        let verdicts = |file: &str| {
            let o = lariat(&["check", "--format", "json", "--integers", integers, file]);
            let json: serde_json::Value = serde_json::from_slice(&o.stdout).expect("JSON");
            let of = |e: &serde_json::Value| e["verdict"].as_str().unwrap_or("none").to_owned();
            let entries = json["entries"].as_array().expect("entries").iter().map(of).collect::<Vec<_>>();
            (of(&json), entries)
        };
        let found = verdicts(&systems);
        assert_eq!(found, verdicts(&source), "{integers}");
        assert_eq!((found.0.as_str(), found.1.len()), ("diverges", 4), "{integers}");
    }
    let one = stdout(&lariat(&["check", "--entry", "g", &systems]));
    assert!(one.contains("some run never ends") && !one.contains("`f`"), "{one}");
    let o = lariat(&["check", "--entry", "nobody", &systems]);
    assert_eq!(o.status.code(), Some(2));
}
