//! What a reader is told of a loop, and what scripts read of it.

use lariat_ir::AssumptionKind;
use lariat_session::results::{Note, ReasonKind};
use serde_json::Value;
use std::path::PathBuf;
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

/// A file of this test with a text.
fn file(name: &str, text: &str) -> String {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("findings");
    std::fs::create_dir_all(&dir).expect("the test folder can be made");
    let path = dir.join(name);
    std::fs::write(&path, text).expect("a test file can be written");
    path.display().to_string()
}

fn text(path: &str) -> String {
    stdout(&lariat(&["check", path]))
}

fn json(args: &[&str]) -> (Option<i32>, Value) {
    let mut all = vec!["check", "--format", "json"];
    all.extend(args);
    let o = lariat(&all);
    (o.status.code(), serde_json::from_str(&stdout(&o)).unwrap_or_else(|e| panic!("{e}: {}", stdout(&o))))
}

#[track_caller]
fn contains(shown: &str, parts: &[&str]) {
    for part in parts {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
}

const NONDET: &str = "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n";

/// The first thing that anybody sees is what the tool prints.
#[test]
fn the_readme_shows_the_output() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is one");
    let block = readme.split("```text\n").nth(1).and_then(|r| r.split("\n```").next()).expect("it has a text block");
    let shown = text("examples/zune.c");
    assert_eq!(shown.split("\n\n").next(), Some(block), "copy the output of `./lariat check examples/zune.c`");
}

/// Inputs are told with their calls, steps with their lines, and nothing that the source does not know.
#[test]
fn a_run_is_told_line_by_line() {
    let path = file(
        "lines.c",
        &format!(
            "{NONDET}static int step(int by) {{\n    return by * 2;\n}}\nint main(void) {{\n    int n = __VERIFIER_nondet_int();\n    \
             int by = __VERIFIER_nondet_int();\n    if (n != 9)\n        return 0;\n    while (n > 3)\n        n -= step(by);\n    \
             return 0;\n}}\n"
        ),
    );
    let shown = text(&path);
    contains(
        &shown,
        &[
            "error: this loop can run for ever",
            "while (n > 3)",
            "^^^^^^^^^^^^^ never left while ",
            "`__VERIFIER_nondet_int()` at line 7 returns 9",
            "`__VERIFIER_nondet_int()` at line 8 returns 0",
            "line 7  int n = __VERIFIER_nondet_int();   -> n = 9",
            "line 12  n -= step(by);",
            "line 4   return by * 2;",
            "and again; nothing has changed",
            "`n` stays 9",
        ],
    );
    for internal in ["%", ".chosen", "returns:", ".slot", ".value", "argument 1"] {
        assert!(!shown.contains(internal), "{internal}\n{shown}");
    }
    let (_, results) = json(&[&path]);
    let witness = &results["loops"][0]["witness"];
    assert_eq!(witness["inputs"][0]["name"], "__VERIFIER_nondet_int");
    assert_eq!((&witness["inputs"][0]["from"], &witness["inputs"][0]["line"]), (&"call".into(), &7.into()));
    let lines = |steps: &Value| -> Vec<u64> {
        steps.as_array().expect("steps").iter().filter_map(|s| s["line"].as_u64()).collect()
    };
    assert_eq!(lines(&witness["stem"]), [6, 7, 8, 9], "{witness}");
    assert_eq!(lines(&witness["cycle"]), [11, 12, 4, 12], "{witness}");
    assert_eq!(witness["stem"][1]["changed"]["n"], "9");
    assert_eq!(witness["cycle"][0]["changed"], serde_json::json!({}));
}

#[test]
fn values_that_come_back_are_listed() {
    let path = file(
        "back.c",
        "int main(void) {\n    int i = 1;\n    int n = 2;\n    for (; i < n; i++)\n        for (i = 0; i < n - 2; i++)\n            ;\n    return 0;\n}\n",
    );
    contains(&text(&path), &["after one iteration the values are the same again: `i`: 1 -> 0 -> 1", "`n` stays 2"]);
}

/// A loop around one that hangs is told of in one sentence.
#[test]
fn the_loop_around_points_to_the_loop_inside() {
    let path = file(
        "nested.c",
        &format!(
            "{NONDET}int main(void) {{\n    int n = __VERIFIER_nondet_int();\n    while (n > 0) {{\n        while (n == 7)\n            ;\n        n--;\n    }}\n    return 0;\n}}\n"
        ),
    );
    let shown = text(&path);
    contains(&shown, &["a loop inside it does", "a run that never leaves the loop at line 6 never leaves this one"]);
    assert_eq!(shown.matches("one iteration:").count(), 1, "{shown}");
}

#[test]
fn a_measure_is_told_in_the_names_of_its_function() {
    let path = file(
        "measure.c",
        "static void count(int from, int to) {\n    while (from < to)\n        from++;\n}\nint main(int n, char **v) {\n    count(0, n);\n    return 0;\n}\n",
    );
    contains(&text(&path), &["`to - from` falls by at least 1 in every iteration", "rounds: at most max(0, to - from"]);
}

#[test]
fn an_end_by_overflow_is_a_finding() {
    let (status, results) = json(&["examples/overflow.c"]);
    let l = &results["loops"][0];
    assert_eq!((status, &l["verdict"], &l["reason"]), (Some(1), &"unknown".into(), &"ends-only-by-overflow".into()));
    assert_eq!(l["reason_code"], ReasonKind::OnlyByOverflow.code());
    assert_eq!(l["notes"], serde_json::json!([Note::EndsOnlyByOverflow.code()]));
    let codes = [&results["reason_code"], &results["entries"][0]["reason_code"]];
    assert_eq!(codes, [ReasonKind::LoopOpen.code(); 2], "{}", results["reason"]);
    assert_eq!(l["overflow"], serde_json::json!({ "c": "unknown", "wrap": "terminates", "ideal": "diverges" }));
    assert!(l["witness"].is_null() && l["certificate"].is_null(), "{l}");
    contains(
        &text("examples/overflow.c"),
        &[
            "warning: this loop ends only by an overflow",
            "c: undecided; wrap: always ends; ideal: can run for ever",
            "`next`: 1, 2, 3, 4",
            "lariat explain ends-only-by-overflow",
        ],
    );
    let (status, results) = json(&["--overflow", "never", "examples/overflow.c"]);
    assert_eq!((status, &results["loops"][0]["overflow"]), (Some(0), &Value::Null));
    // What a wider input than its type would need is no such finding.
    let path = file(
        "wide.c",
        &format!(
            "{NONDET}int main(void) {{\n    int n = __VERIFIER_nondet_int();\n    unsigned long long i = 0;\n    while (i < 5000000000ULL && n + 0 > 2147483647LL)\n        n++;\n    return 0;\n}}\n"
        ),
    );
    let (_, results) = json(&[&path]);
    assert_ne!(results["loops"][0]["reason"], "ends-only-by-overflow", "{results}");
}

/// A loop that ends in C, and that two's complement makes endless.
#[test]
fn all_loops_can_be_compared() {
    let path = file(
        "largest.c",
        &format!(
            "{NONDET}int main(void) {{\n    int n = __VERIFIER_nondet_int();\n    for (int i = 0; i <= n; i++)\n        ;\n    return 0;\n}}\n"
        ),
    );
    let (status, results) = json(&[&path]);
    let l = &results["loops"][0];
    assert_eq!((status, &l["verdict"], &l["overflow"]), (Some(0), &"terminates".into(), &Value::Null));
    let (status, results) = json(&["--overflow", "always", &path]);
    let l = &results["loops"][0];
    assert_eq!((status, &l["verdict"], &l["overflow"]["c"]), (Some(0), &"terminates".into(), &"terminates".into()));
    assert_ne!(l["overflow"]["wrap"], "terminates", "with the largest int it does not end");
}

#[test]
fn loops_that_are_meant_are_told_from_bugs() {
    let intent = |name: &str, source: &str| {
        let path = file(name, source);
        let (_, results) = json(&[&path]);
        (results["loops"][0]["intent"].clone(), text(&path))
    };
    let (word, shown) = intent(
        "event.c",
        "#include <stdio.h>\nint main(void) {\n    int seen = 0;\n    for (;;)\n        if (getchar() == 'x')\n            seen = 1;\n}\n",
    );
    assert_eq!(word, "event-loop");
    contains(&shown, &["waits: in `getchar`"]);
    let (word, _) = intent(
        "exits.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    for (;;)\n        if (getchar() == 'x')\n            exit(0);\n}\n",
    );
    assert_eq!(word, Value::Null, "at the end of the input it never exits");
    let (word, shown) =
        intent("spin.c", "volatile int ready;\nint main(void) {\n    while (!ready)\n        ;\n    return 0;\n}\n");
    assert_eq!(word, "spin-wait");
    contains(&shown, &["note: this loop waits until somebody else changes what it reads"]);
    let (word, shown) = intent("halt.c", "int main(void) {\n    for (;;)\n        ;\n}\n");
    assert_eq!(word, "halt");
    contains(&shown, &["note: this loop runs for ever and does nothing: a halt"]);
    let (word, _) = intent("counts.c", "int main(void) {\n    unsigned n = 0;\n    for (;;)\n        n++;\n}\n");
    assert_eq!(word, Value::Null, "it does something, and waits for nothing");
}

/// Of a function by itself: parameters, globals and the memory that it reads.
#[test]
fn inputs_of_a_function_are_told_by_their_names() {
    let shown = text("examples/chunks.c");
    contains(&shown, &["parameter `length` = ", "`data[0]` = 0 at the start"]);
    for internal in ["outside", "1152921504606846976", "23058430092136"] {
        assert!(!shown.contains(internal), "{internal}\n{shown}");
    }
    let path = file(
        "global.c",
        "unsigned step;\nvoid walk(unsigned n) {\n    for (unsigned i = 0; i < n; i += step)\n        ;\n}\n",
    );
    contains(&text(&path), &["when: `step == 0` holds at the entry", "`step` = 0 at the start", "parameter `n` = "]);
}

/// The same assumption at several places is printed once.
#[test]
fn assumptions_are_grouped() {
    let path = file(
        "assumed.c",
        "extern void f(void);\nint main(void) {\n    f();\n    for (int i = 0; i < 3; i++)\n        f();\n    f();\n    return 0;\n}\n",
    );
    let shown = text(&path);
    assert_eq!(shown.matches("assumed: `f` returns").count(), 1, "{shown}");
    contains(&shown, &["assumed.c:3:5 and 2 more)"]);
    let (_, results) = json(&[&path]);
    assert_eq!(results["assumptions"].as_array().map(Vec::len), Some(3), "each is in the results");
    assert_eq!(results["assumptions"][0]["code"], AssumptionKind::Returns.code());
}

#[test]
fn a_bad_file_is_an_entry_of_the_results() {
    let bad = file("bad.c", "int main(void) { return }\n");
    let (status, results) = json(&[&bad, "examples/zune.c"]);
    assert_eq!(status, Some(2));
    let programs = results["programs"].as_array().expect("several files");
    assert!(programs[0]["error"].is_string() && programs[0]["line"] == 1, "{}", programs[0]);
    assert_eq!(programs[1]["verdict"], "diverges");
}

/// Each example shows what its comment says.
#[test]
fn the_examples_are_worth_a_look() {
    let found = |name: &str| {
        let (_, r) = json(&[&format!("examples/{name}.c")]);
        let loops = r["loops"].as_array().expect("loops").clone();
        loops.iter().map(|l| l["verdict"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for name in ["zune", "grow", "search", "chunks"] {
        assert_eq!(found(name), ["diverges"], "{name}");
    }
    assert_eq!(found("overflow"), ["unknown"]);
    assert_eq!(found("server")[0], "terminates");
}
