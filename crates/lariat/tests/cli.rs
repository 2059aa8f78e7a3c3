//! The command line as a user runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn lariat(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(args).current_dir(root()).output().expect("the tool starts")
}

fn stdout(o: &Output) -> String {
    String::from_utf8(o.stdout.clone()).expect("the output is text")
}

fn stderr(o: &Output) -> String {
    String::from_utf8(o.stderr.clone()).expect("messages are text")
}

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).expect("the test folder can be made");
    path
}

fn write(path: &Path, text: &str) -> String {
    std::fs::write(path, text).expect("a test file can be written");
    path.display().to_string()
}

/// The output without its times.
fn timeless(text: &str) -> String {
    text.lines().filter(|l| !l.contains("\"millis\"")).collect::<Vec<_>>().join("\n")
}

#[test]
fn zune_is_found_with_its_input() {
    let o = lariat(&["check", "examples/zune.lts"]);
    assert_eq!(o.status.code(), Some(1));
    let text = stdout(&o);
    for part in ["this loop can run for ever", "examples/zune.lts:15:1", "input: today = 366", "RecurrentSet by orbit"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn json_has_the_fields_that_scripts_rely_on() {
    let o = lariat(&["check", "--format", "json", "examples/zune.lts"]);
    assert_eq!(o.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_str(&stdout(&o)).expect("JSON and nothing else");
    let top =
        ["schema", "tool", "verdict", "integers", "data_model", "entry", "loops", "recursion", "assumptions", "millis"];
    for key in top {
        assert!(json.get(key).is_some(), "{key}");
    }
    let keys = [
        "id",
        "function",
        "file",
        "line",
        "column",
        "depth",
        "verdict",
        "when",
        "engine",
        "certificate",
        "witness",
        "bound",
        "intent",
        "overflow",
        "reason",
        "millis",
    ];
    for key in keys {
        assert!(json["loops"][0].get(key).is_some(), "{key}");
    }
    assert_eq!(json["schema"], "lariat-results/1");
    assert_eq!(json["verdict"], "diverges");
    assert_eq!(json["loops"][0]["certificate"]["kind"], "RecurrentSet");
    assert_eq!(json["loops"][0]["witness"]["inputs"][0]["value"], "366");
}

#[test]
fn two_runs_print_the_same_bytes() {
    let corpus: Vec<String> = std::fs::read_dir(root().join("tests/lts"))
        .expect("the corpus is there")
        .map(|e| format!("tests/lts/{}", e.expect("a folder can be listed").file_name().to_string_lossy()))
        .collect();
    for format in ["text", "json"] {
        for jobs in ["1", "2"] {
            let mut args = vec!["check", "--audit", "--jobs", jobs, "--format", format];
            args.extend(corpus.iter().map(String::as_str));
            let first = lariat(&args);
            let second = lariat(&args);
            let (first, second) = (timeless(&stdout(&first)), timeless(&stdout(&second)));
            let differs = first.lines().zip(second.lines()).find(|(a, b)| a != b);
            assert!(first == second, "--jobs {jobs} --format {format}: {differs:?}");
        }
    }
    for args in [&["explain"][..], &["explain", "orbit"], &["--help"], &["check", "--help"]] {
        assert_eq!(lariat(args).stdout, lariat(args).stdout);
    }
}

#[test]
fn saved_results_are_checked_again_and_tampering_is_noticed() {
    let dir = folder("recheck");
    let file = dir.join("zune.json");
    let path = file.display().to_string();
    let nested = "tests/lts/nested-hang.lts";
    let down = "tests/lts/count-down-ideal.lts";
    let o = lariat(&["check", "--format", "json", "--output", &path, "examples/zune.lts", nested, down]);
    assert_eq!((o.status.code(), stdout(&o).as_str()), (Some(1), ""));
    let o = lariat(&["recheck", "--solver", "z3", &path]);
    assert_eq!(o.status.code(), Some(0), "{}", stdout(&o));
    assert!(stdout(&o).contains("7 accepted, 0 rejected"), "{}", stdout(&o));

    // The default is the other solver; without it the sentence says what to do.
    let o = lariat(&["recheck", &path]);
    let all = format!("{}{}", stdout(&o), stderr(&o));
    assert!(all.contains("accepted, 0 rejected") || all.contains("--solver z3"), "{all}");

    let saved = std::fs::read_to_string(&file).expect("the results were written");
    // True certificates about something else: the inner loop's for the outer one and for the program.
    let nested_end = dir.join("nested.json");
    let nested_path = nested_end.display().to_string();
    lariat(&["check", "--format", "json", "--output", &nested_path, "tests/lts/nested.lts"]);
    let text = std::fs::read_to_string(&nested_end).expect("the results were written");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let inner = json["loops"].as_array().and_then(|l| l.iter().find(|l| l["id"] == "inner")).expect("inner").clone();
    assert_eq!(inner["verdict"], "terminates");
    json["verdict"] = "terminates".into();
    json["certificate"] = inner["certificate"].clone();
    for l in json["loops"].as_array_mut().expect("loops") {
        l["verdict"] = "terminates".into();
        l["certificate"] = inner["certificate"].clone();
    }
    let forged = write(&dir.join("forged.json"), &json.to_string());
    let o = lariat(&["recheck", "--solver", "z3", &forged]);
    assert_eq!(o.status.code(), Some(2), "{}", stdout(&o));
    assert!(stdout(&o).contains("1 accepted, 2 rejected"), "{}", stdout(&o));

    let tampered = [
        (saved.replace("366#32\"", "365#32\""), "the stem ends inside the recurrent set"),
        (saved.replace("days <=s 366#32", "days <=s 399#32"), "a path is enabled from every state it is for"),
        (saved.replace("goto body with leap", "goto EXIT with leap"), "the certificate belongs to this system"),
        (
            saved.replacen("\"verdict\": \"diverges\"", "\"verdict\": \"terminates\"", 1),
            "the certificate says diverges",
        ),
        (saved.replace("\"term\": \"x\"", "\"term\": \"-x\""), "not shown"),
        (saved.replacen("\"when\": null", "\"when\": \"days == 1\"", 1), "other initial states than the verdict"),
    ];
    for (text, message) in tampered {
        assert_ne!(text, saved, "the tampering changes something: {message}");
        let path = write(&dir.join("tampered.json"), &text);
        let o = lariat(&["recheck", "--solver", "z3", &path]);
        assert_eq!(o.status.code(), Some(2), "{message}\n{}", stdout(&o));
        assert!(
            stdout(&o).contains(message) || stderr(&o).contains(message),
            "{message}\n{}{}",
            stdout(&o),
            stderr(&o)
        );
    }
}

/// Bad input: exit status 2, one sentence with the place and the next step, the other files still decided.
#[test]
fn bad_input_gets_one_clear_sentence() {
    let dir = folder("bad");
    let torn = write(&dir.join("torn.lts"), "lts 1\nvar x: bv8\nentry a\na:\n  if x <");
    let gap =
        write(&dir.join("gap.lts"), "lts 1\nvar x: bv8\nentry a\na:\n  if x <u 3 goto EXIT\n  if x >u 3 goto a\n");
    let overlap =
        write(&dir.join("overlap.lts"), "lts 1\nvar x: bv8\nentry a\na:\n  if x <u 3 goto EXIT\n  if x >u 1 goto a\n");
    let program = write(&dir.join("prog.c"), "int main(void) { return 0; }\n");
    std::fs::write(dir.join("binary.lts"), [0xff, 0xfe, 0x00]).expect("a test file can be written");
    let binary = dir.join("binary.lts").display().to_string();
    let folder = dir.display().to_string();
    let cases = [
        (torn.as_str(), "expected a term, found the end of the text"),
        (gap.as_str(), "have a gap: none holds where x = 3#8; add an edge"),
        (overlap.as_str(), "overlap: two hold where x = 2#8; make them exclude each other"),
        (program.as_str(), "only transition systems (.lts) can be read"),
        (binary.as_str(), "is no text file"),
        (folder.as_str(), "is a folder"),
        ("no/such.lts", "there is no file no/such.lts"),
    ];
    for (file, message) in cases {
        for format in ["text", "json"] {
            let o = lariat(&["check", "--format", format, file, "tests/lts/count-down-wrap.lts"]);
            assert_eq!(o.status.code(), Some(2), "{file}");
            let all = format!("{}{}", stdout(&o), stderr(&o));
            assert!(all.contains(message), "{message}\n{all}");
            assert!(!all.contains("panicked"), "{all}");
            assert!(all.contains("every run ends") || all.contains("\"verdict\": \"terminates\""), "{all}");
        }
    }
    for (args, message) in [
        (&["check", "--integers", "ideal", "examples/zune.lts"][..], "was made for --integers wrap"),
        (&["check", "--entry", "main", "examples/zune.lts"], "there is no entry `main`"),
        (&["check", "--only", "magic", "examples/zune.lts"], "the engines are: orbit"),
        (&["explain", "magic"], "the pages are: orbit"),
        (&["query", "1"], "query 1 cannot be read"),
        (&["recheck", "examples/zune.lts"], "is no JSON"),
        (&["recheck", "Cargo.toml"], "lariat check --format json --output FILE"),
    ] {
        let o = lariat(args);
        assert_eq!(o.status.code(), Some(2), "{args:?}");
        let all = format!("{}{}", stdout(&o), stderr(&o));
        assert!(all.contains(message), "{args:?}\n{all}");
    }
}

#[test]
fn require_proof_makes_unknown_count() {
    let file = "tests/lts/slow-phase.lts";
    assert_eq!(lariat(&["check", file]).status.code(), Some(0));
    assert_eq!(lariat(&["check", "--require-proof", file]).status.code(), Some(1));
    assert_eq!(lariat(&["check", "--require-proof", "tests/lts/count-down-wrap.lts"]).status.code(), Some(0));
}
