//! The command line as a user runs it.

use std::fmt::Write as _;
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
    text.lines().filter(|l| !l.contains("millis\"")).collect::<Vec<_>>().join("\n")
}

#[test]
fn zune_is_found_with_its_input() {
    let o = lariat(&["check", "examples/zune.lts"]);
    assert_eq!(o.status.code(), Some(1));
    let text = stdout(&o);
    for part in
        ["this loop can run for ever", "examples/zune.lts:15:1", "hangs with: today = 366", "RecurrentSet by orbit"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_trace_has_each_attempt_with_its_cost() {
    let dir = folder("trace");
    let (lines, chrome) = (dir.join("a.jsonl"), dir.join("a.json"));
    let o = lariat(&["check", "--format", "json", "--trace", &lines.display().to_string(), "examples/zune.c"]);
    assert_eq!(o.status.code(), Some(1), "{}", stderr(&o));
    let read = |path: &Path| std::fs::read_to_string(path).expect("the trace was written");
    let parse = |l: &str| serde_json::from_str::<serde_json::Value>(l).expect("each line is JSON");
    let events: Vec<serde_json::Value> = read(&lines).lines().map(parse).collect();
    for phase in ["compile", "translate", "search", "check"] {
        assert!(events.iter().any(|e| e["phase"] == phase), "{phase}: {events:?}");
    }
    let found = events.iter().find(|e| e["phase"] == "search" && e["outcome"] == "diverges").expect("it is decided");
    assert!(found["queries"].as_u64() > Some(0) && found["rung"] == "quick" && found["engine"].is_string(), "{found}");
    let starts: Vec<f64> = events.iter().filter_map(|e| e["start"].as_f64()).collect();
    assert!(starts.len() == events.len() && starts.is_sorted(), "{starts:?}");
    let results: serde_json::Value = serde_json::from_str(&stdout(&o)).expect("JSON");
    let trials = results["loops"][0]["trials"].as_array().expect("each loop has its trials");
    assert!(trials.iter().any(|t| t["outcome"] == "diverges" && t["check_queries"].as_u64() > Some(0)), "{trials:?}");

    let alone = write(&dir.join("alone.c"), "void f(int n) {\n  while (n > 0)\n    n--;\n}\n");
    lariat(&["check", "--trace", &lines.display().to_string(), &alone]);
    let by_itself = |e: &serde_json::Value| e["entry"] == "f: the loop at 2:3, by itself";
    assert!(read(&lines).lines().map(parse).any(|e| by_itself(&e)), "{}", read(&lines));

    lariat(&["check", "--trace", &chrome.display().to_string(), "examples/zune.c", "examples/zune.lts"]);
    let list = parse(&read(&chrome));
    let list = list.as_array().expect("Chrome's format is a list");
    assert!(list.iter().all(|e| e["ph"] == "X" && e["ts"].is_number() && e["dur"].is_number()), "{list:?}");
    assert!(["examples/zune.c", "examples/zune.lts"].iter().all(|f| list.iter().any(|e| e["pid"] == *f)), "{list:?}");
}

#[test]
fn json_has_the_fields_that_scripts_rely_on() {
    let o = lariat(&["check", "--format", "json", "examples/zune.lts"]);
    assert_eq!(o.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_str(&stdout(&o)).expect("JSON and nothing else");
    let top = [
        "schema",
        "tool",
        "verdict",
        "integers",
        "data_model",
        "entry",
        "loops",
        "recursion",
        "assumptions",
        "millis",
        "reason_code",
    ];
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
        "reason_code",
        "notes",
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
        // With more time than any of them needs, also on a busy machine; and the number of jobs makes no difference.
        let run = |jobs: &str| {
            let mut args = vec!["check", "--audit", "--timeout", "60", "--jobs", jobs, "--format", format];
            args.extend(corpus.iter().map(String::as_str));
            timeless(&stdout(&lariat(&args)))
        };
        let (first, second) = (run("1"), run("2"));
        let differs = first.lines().zip(second.lines()).find(|(a, b)| a != b);
        assert!(first == second, "--format {format}: {differs:?}");
    }
    for args in [&["explain"][..], &["explain", "orbit"], &["explain", "L0101"], &["--help"], &["check", "--help"]] {
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
    assert!(stdout(&o).contains("7 accepted, 0 not confirmed, 0 rejected"), "{}", stdout(&o));

    // The default is the other solver; without it the sentence says what to do.
    let o = lariat(&["recheck", &path]);
    let all = format!("{}{}", stdout(&o), stderr(&o));
    assert!(all.contains("accepted, 0 not confirmed, 0 rejected") || all.contains("--solver z3"), "{all}");

    // A solver that gives up rejects nothing.
    let o = lariat(&["recheck", "--solver", "z3", "--timeout", "0.000001", &path]);
    assert_eq!(o.status.code(), Some(1), "{}", stdout(&o));
    assert!(stdout(&o).contains("not confirmed: ") && stdout(&o).contains(", 0 rejected"), "{}", stdout(&o));

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
    json["entries"][0]["verdict"] = "terminates".into();
    json["entries"][0]["certificate"] = inner["certificate"].clone();
    for l in json["loops"].as_array_mut().expect("loops") {
        l["verdict"] = "terminates".into();
        l["certificate"] = inner["certificate"].clone();
    }
    let forged = write(&dir.join("forged.json"), &json.to_string());
    let o = lariat(&["recheck", "--solver", "z3", &forged]);
    assert_eq!(o.status.code(), Some(2), "{}", stdout(&o));
    assert!(stdout(&o).contains("1 accepted, 0 not confirmed, 2 rejected"), "{}", stdout(&o));

    // A program that ends has no loop that is open.
    let mut json: serde_json::Value = serde_json::from_str(&saved).expect("JSON");
    let programs = json["programs"].as_array_mut().expect("several programs");
    let ending = programs.iter_mut().find(|p| p["verdict"] == "terminates").expect("one ends");
    (ending["loops"][0]["verdict"], ending["loops"][0]["certificate"]) = ("unknown".into(), serde_json::Value::Null);
    let forged = write(&dir.join("open.json"), &json.to_string());
    let o = lariat(&["recheck", "--solver", "z3", &forged]);
    assert_eq!(o.status.code(), Some(2), "{}", stdout(&o));
    assert!(stdout(&o).contains("the program is said to end, its loop"), "{}", stdout(&o));

    let tampered = [
        (saved.replace("366#32\"", "365#32\""), "the stem ends inside the recurrent set"),
        (saved.replace("days <=s 366#32", "days <=s 399#32"), "a path is enabled from every state it is for"),
        (saved.replace("goto body with leap", "goto EXIT with leap"), "the certificate belongs to this system"),
        (
            saved.replacen("\"verdict\": \"diverges\"", "\"verdict\": \"terminates\"", 1),
            "the entries say diverges, the verdict is terminates",
        ),
        (saved.replace("\"verdict\": \"diverges\"", "\"verdict\": \"terminates\""), "the certificate says diverges"),
        (saved.replacen("\"line\": 5,", "\"line\": 6,", 1), "the loop with this certificate is at another place"),
        (saved.replacen("\"integers\": \"wrap\"", "\"integers\": \"c\"", 1), "in another integer semantics"),
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
    std::fs::write(dir.join("binary.lts"), [0xff, 0xfe, 0x00]).expect("a test file can be written");
    let binary = dir.join("binary.lts").display().to_string();
    let folder = dir.display().to_string();
    let cases = [
        (torn.as_str(), "expected a term, found the end of the text"),
        (gap.as_str(), "have a gap: none holds where x = 3#8; add an edge"),
        (overlap.as_str(), "overlap: two hold where x = 2#8; make them exclude each other"),
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
        (
            &["check", "--only", "magic", "examples/zune.lts"],
            "the engines are: closed-set, exits, orbit, path-automaton, ranking",
        ),
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

/// What the compiler or the reader cannot take: exit status 2, one sentence with the next step, the others still decided.
#[test]
fn bad_sources_get_one_clear_sentence() {
    let dir = folder("bad-sources");
    let good = write(&dir.join("good.c"), "int main(void) { int i = 3; while (i > 0) i--; return 0; }\n");
    let syntax =
        write(&dir.join("syntax.c"), "int main(void) { return x; }\nint f(void) { return y; }\nint g(void) { z; }\n");
    let one = write(&dir.join("one.c"), "int main(void) {\n  return x;\n}\n");
    let header = write(&dir.join("header.c"), "#include \"nowhere.h\"\nint main(void) { return 0; }\n");
    let empty = write(&dir.join("empty.c"), "");
    let text = write(&dir.join("notes.txt"), "int main(void) { return 0; }\n");
    let torn_text = write(&dir.join("torn.ll"), "define i32 @main( {\n");
    let no_bitcode = write(&dir.join("no.bc"), "int main(void) { return 0; }\n");
    let bytes = |name: &str, bytes: &[u8]| {
        std::fs::write(dir.join(name), bytes).expect("a test file can be written");
        dir.join(name).display().to_string()
    };
    let elf = bytes("elf.c", b"\x7fELF\x02\x01\x01\0\0\0");
    let binary = bytes("binary.c", b"int main(void) { return 0; }\0\x01\x02");
    let torn = bytes("torn.bc", b"BC\xc0\xde\xff\xff\xff\xff");
    let folder = dir.display().to_string();
    let cases = [
        ("no/such.c", "there is no file no/such.c; check the name"),
        (&folder, "is a folder; name the source files in it"),
        (&elf, "is no source file or bitcode but a compiled program"),
        (&binary, "is no source file or bitcode but binary data"),
        (&text, "the known ones end in .c, .i"),
        (&empty, "is empty; name a file with a program in it"),
        (&syntax, "use of undeclared identifier 'x' (and 2 more errors); mend it, or add the flags"),
        (&one, "use of undeclared identifier 'x'; mend it"),
        (&one, "one.c:2:10"),
        (&header, "'nowhere.h' file not found; add the folder of this header behind `--`"),
        (&no_bitcode, "is no bitcode; make it with `clang -c -emit-llvm`"),
        (&torn, "damaged"),
        (&torn_text, "torn.ll:2:1"),
    ];
    for (file, message) in cases {
        for format in ["text", "json"] {
            let o = lariat(&["check", "--format", format, file, &good]);
            assert_eq!(o.status.code(), Some(2), "{file}");
            let all = format!("{}{}", stdout(&o), stderr(&o));
            assert!(all.contains(message), "{message}\n{all}");
            assert!(!all.contains("panicked"), "{all}");
            assert!(all.contains("every run ends") || all.contains("\"verdict\": \"terminates\""), "{all}");
        }
        let o = lariat(&["check", "--emit", "lts", file]);
        assert_eq!((o.status.code(), stdout(&o).as_str()), (Some(2), ""), "{file}");
    }
    for (args, message) in [
        (
            &["check", &good, "--", "-no-such-flag"][..],
            "unknown argument: '-no-such-flag'; check the flags behind `--`",
        ),
        (
            &["check", &good, "--", "-m32"],
            "its pointers have 32 bits, not the 64 of the data model; use --data-model ilp32",
        ),
        (&["check", "--entry", "nobody", &good], "nobody"),
        (&["check", "--model", "no/such.models", &good], "there is no file no/such.models"),
        (&["check", "--emit", "cfg", "examples/zune.lts"], "print it with --emit lts"),
    ] {
        let o = lariat(args);
        assert_eq!(o.status.code(), Some(2), "{args:?}");
        let all = format!("{}{}", stdout(&o), stderr(&o));
        assert!(all.contains(message), "{args:?}\n{all}");
    }
    let without_clang = |variable: &str, value: &str| {
        let o = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(["check", &good])
            .env_remove("LARIAT_CLANG")
            .env(variable, value)
            .output()
            .expect("the tool starts");
        assert_eq!(o.status.code(), Some(2));
        stdout(&o)
    };
    let said = without_clang("PATH", "/nowhere");
    assert!(said.contains("no clang is on the PATH; install the package `clang`"), "{said}");
    let said = without_clang("LARIAT_CLANG", "/no/such/clang");
    assert!(said.contains("/no/such/clang cannot be started") && said.contains("LARIAT_CLANG"), "{said}");
}

/// The results of `check --format json` with these arguments.
fn results(args: &[&str]) -> (Option<i32>, serde_json::Value) {
    let mut all = vec!["check", "--format", "json"];
    all.extend(args);
    let o = lariat(&all);
    let json = serde_json::from_str(&stdout(&o)).unwrap_or_else(|e| panic!("{e}: {}{}", stdout(&o), stderr(&o)));
    (o.status.code(), json)
}

#[test]
fn a_c_program_is_decided_in_each_integer_semantics() {
    let dir = folder("semantics");
    let down = write(&dir.join("down.c"), "int main(int n, char **v) {\n  while (n > 0)\n    n--;\n  return 0;\n}\n");
    let up = write(
        &dir.join("up.c"),
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int();\n  while (n > 0)\n    n++;\n  return 0;\n}\n",
    );
    let hang = write(
        &dir.join("hang.c"),
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int();\n  while (n == 7)\n    ;\n  return 0;\n}\n",
    );
    for integers in ["c", "wrap", "ideal"] {
        let (status, json) = results(&["--integers", integers, &down]);
        assert_eq!((status, json["verdict"].as_str()), (Some(0), Some("terminates")), "{integers}");
        assert_eq!(json["integers"], integers);
        let (status, json) = results(&["--integers", integers, &hang]);
        assert_eq!((status, json["verdict"].as_str()), (Some(1), Some("diverges")), "{integers}");
        let l = &json["loops"][0];
        assert_eq!((l["function"].as_str(), l["line"].as_u64()), (Some("main"), Some(4)), "{l}");
        assert_eq!(l["file"], hang.as_str());
        assert_eq!(l["witness"]["inputs"][0]["value"], "7", "{l}");
    }
    // Over the integers it runs for ever, on a machine it ends: in C neither is so.
    let (_, json) = results(&["--integers", "c", &up]);
    assert_eq!(json["verdict"], "unknown");
    assert_eq!(json["entries"][0]["systems"].as_array().map(Vec::len), Some(2));
    assert_eq!(results(&["--integers", "ideal", &up]).1["verdict"], "diverges");
    assert_ne!(results(&["--integers", "wrap", &up]).1["verdict"], "diverges");
    // The default is C; several files are one result each.
    let (status, json) = results(&[&down, &hang, "--jobs", "2"]);
    assert_eq!(status, Some(1));
    assert_eq!(json["programs"][0]["integers"], "c");
    assert_eq!(json["programs"][1]["verdict"], "diverges");
    // As text the source is shown.
    let shown = stdout(&lariat(&["check", &hang]));
    for part in ["this loop can run for ever", "hang.c:4:", "while (n == 7)", "= 7", "accepted by the checker"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
}

#[test]
fn the_data_model_and_the_flags_reach_the_compiler() {
    let dir = folder("models");
    let sizes = write(
        &dir.join("sizes.c"),
        "#include <stdlib.h>\n#include <stdio.h>\n#include <string.h>\n_Static_assert(sizeof(long) == SIZE && sizeof(void *) == SIZE, \"size\");\nint main(void) { return 0; }\n",
    );
    let (status, json) = results(&[&sizes, "--", "-DSIZE=8"]);
    assert_eq!((status, json["data_model"].as_str()), (Some(0), Some("lp64")), "{json}");
    // The headers of the system's own width do for 32 bits, too.
    let (status, json) = results(&["--data-model", "ilp32", &sizes, "--", "-DSIZE=4"]);
    assert_eq!((status, json["data_model"].as_str()), (Some(0), Some("ilp32")), "{json}");
    assert_eq!(results(&["--data-model", "ilp32", &sizes, "--", "-DSIZE=8"]).0, Some(2));
    // Optimisation would use undefined behaviour: whatever the build asks for, none runs.
    let plain = write(&dir.join("plain.c"), "int main(int n, char **v) { for (; n > 0; n--) { } return 0; }\n");
    let emitted = |flags: &[&str]| {
        let mut args = vec!["check", "--emit", "lts", "--integers", "wrap", &plain, "--"];
        args.extend(flags);
        stdout(&lariat(&args))
    };
    assert!(emitted(&[]).contains("goto"));
    assert_eq!(emitted(&[]), emitted(&["-O3", "-flto", "-Werror", "-o", "elsewhere", "-g0"]));
    assert!(!root().join("elsewhere").exists());
    // Programs from before C99, and C++.
    let old = write(
        &dir.join("old.c"),
        "f(n) int n; { while (n > 0) n = g(n); }\nmain() { char *p = 3; int *q = p; f(2); }\ng(n) { return n - 1; }\n",
    );
    assert_ne!(results(&[&old]).0, Some(2));
    for name in ["new.cpp", "new.cc", "new.cxx", "new.C"] {
        let cpp = write(
            &dir.join(name),
            "struct S { int n; void down() { while (n > 0) --n; } };\nint main() { S s{3}; s.down(); return 0; }\n",
        );
        let (status, json) = results(&[&cpp]);
        assert_eq!((status, json["verdict"].as_str()), (Some(0), Some("terminates")), "{name}: {json}");
    }
    // Data alone does nothing.
    let data = write(&dir.join("data.c"), "int x = 3;\n");
    let (status, json) = results(&[&data]);
    assert_eq!((status, json["verdict"].as_str()), (Some(0), Some("terminates")), "{json}");
    assert_eq!(json["entries"], serde_json::json!([]));
    assert!(stdout(&lariat(&["check", &data])).contains("defines no function, so nothing runs"));
    // Preprocessed source and bitcode need no compiler flags.
    let i = write(&dir.join("pre.i"), "int main(void) { int i = 3; while (i > 0) i--; return 0; }\n");
    assert_eq!(results(&[&i]).1["verdict"], "terminates");
    let ll = write(
        &dir.join("text.ll"),
        "declare i32 @__VERIFIER_nondet_int()\ndefine i32 @main() {\nentry:\n  %n = call i32 @__VERIFIER_nondet_int()\n  br label %head\nhead:\n  %again = icmp eq i32 %n, 7\n  br i1 %again, label %head, label %done\ndone:\n  ret i32 0\n}\n",
    );
    let (status, json) = results(&[&ll]);
    assert_eq!((status, json["verdict"].as_str()), (Some(1), Some("diverges")), "{json}");
    // Nothing is known of its source: the location stands for the loop.
    assert_eq!(json["loops"][0]["line"], serde_json::Value::Null);
    assert!(stdout(&lariat(&["check", &ll])).contains("location: "));
}

#[test]
fn functions_are_decided_together_where_there_is_no_main() {
    let dir = folder("modular");
    let library = write(
        &dir.join("library.c"),
        "static void shared(int n) {\n  while (n > 0)\n    n--;\n}\nvoid f(int n) { shared(n); }\nvoid g(int n) { shared(n + 1); }\n",
    );
    let (status, json) = results(&[&library]);
    assert_eq!((status, json["verdict"].as_str(), json["entry"].as_str()), (Some(0), Some("terminates"), Some("all")));
    let names: Vec<&str> =
        json["entries"].as_array().expect("entries").iter().filter_map(|e| e["name"].as_str()).collect();
    assert_eq!(names, ["f", "g"]);
    assert_eq!(json["loops"].as_array().map(Vec::len), Some(1), "one loop of the source");
    let l = &json["loops"][0];
    assert_eq!((l["function"].as_str(), l["line"].as_u64()), (Some("shared"), Some(2)));
    assert_eq!((l["view"].as_str(), l["verdict"].as_str()), (Some("loop"), Some("terminates")), "it ends by itself");
    assert_eq!(json["entries"][1]["needs"][0]["line"].as_u64(), Some(2), "which the entries rest on");
    let (_, json) = results(&["--entry", "g", &library]);
    assert_eq!((json["entry"].as_str(), json["entries"].as_array().map(Vec::len)), (Some("g"), Some(1)));
    let (_, json) = results(&["--entry", "all", &library]);
    assert_eq!(json["entries"].as_array().map(Vec::len), Some(3));

    // What was shown of loops by themselves can be checked again; one that is left out is noticed.
    let alone = dir.join("alone.json").display().to_string();
    assert!(lariat(&["check", "--format", "json", "--output", &alone, &library]).status.success());
    let recheck = |file: &str| lariat(&["recheck", "--solver", "z3", file]);
    let o = recheck(&alone);
    assert!(o.status.success() && stdout(&o).contains("by itself: terminates by Ranking: accepted"), "{}", stdout(&o));
    let text = std::fs::read_to_string(&alone).expect("the results were written");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let view = json["loops"][0]["view_system"]["lts"].as_str().expect("the view is saved").replace("+ -1", "+ 1");
    json["loops"][0]["view_system"]["lts"] = view.into();
    let o = recheck(&write(&dir.join("other.json"), &json.to_string()));
    assert_eq!(o.status.code(), Some(2), "another system: {}", stdout(&o));
    json["loops"] = serde_json::json!([]);
    let o = recheck(&write(&dir.join("missing.json"), &json.to_string()));
    assert_eq!(o.status.code(), Some(2), "{}", stdout(&o));
    assert!(stdout(&o).contains("it rests on the loop of `shared` at line 2"), "{}", stdout(&o));

    // What is saved of several entries and two systems each can be checked again; one copy left out is noticed.
    let mixed = write(
        &dir.join("mixed.c"),
        "static void shared(int n, int by) {\n  while (n > 0)\n    n -= by;\n}\nvoid f(int n) { shared(n, 1); }\nvoid g(int n) { shared(n, 2); }\nvoid h(int n) {\n  while (n == 5)\n    ;\n}\n",
    );
    let saved = dir.join("mixed.json").display().to_string();
    let o = lariat(&["check", "--format", "json", "--output", &saved, &mixed]);
    assert_eq!(o.status.code(), Some(1), "{}", stderr(&o));
    let o = lariat(&["recheck", "--solver", "z3", &saved]);
    assert_eq!(o.status.code(), Some(0), "{}{}", stdout(&o), stderr(&o));
    let text = std::fs::read_to_string(&saved).expect("the results were written");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["verdict"], "diverges");
    // Without the copy's own proof that of its entry shows that it ends; without both nothing does.
    json["loops"][0]["others"] = serde_json::json!([]);
    let weaker = write(&dir.join("weaker.json"), &json.to_string());
    let o = lariat(&["recheck", "--solver", "z3", &weaker]);
    assert_eq!(o.status.code(), Some(0), "{}", stdout(&o));
    json["entries"][1]["verdict"] = "unknown".into();
    json["entries"][1]["certificate"] = serde_json::Value::Null;
    let forged = write(&dir.join("forged.json"), &json.to_string());
    let o = lariat(&["recheck", "--solver", "z3", &forged]);
    assert_eq!(o.status.code(), Some(2), "{}", stdout(&o));
    assert!(stdout(&o).contains("all proofs together say unknown of the loop of `shared`"), "{}", stdout(&o));
    let shown = stdout(&lariat(&["check", &mixed]));
    for part in ["`f`: every run ends", "`h`: some run never ends", "reached in 2 ways"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
}

#[test]
fn conditions_of_loops_over_lists_are_told_handed_on_and_checked_again() {
    let dir = folder("links");
    let list = "struct cell { struct cell *next; };\n\
        static int length(struct cell *c) {\n  int n = 0;\n  while (c) {\n    n++;\n    c = c->next;\n  }\n  return n;\n}\n";
    let library =
        write(&dir.join("library.c"), &format!("{list}int twice(struct cell *c) {{ return 2 * length(c); }}\n"));
    let (status, json) = results(&[&library]);
    let the_loop = &json["loops"][0];
    assert_eq!(
        (status, json["verdict"].as_str(), the_loop["verdict"].as_str()),
        (Some(0), Some("unknown"), Some("terminates"))
    );
    assert_eq!(the_loop["when"], "no cell comes twice before the loop is left, from `c` along `next`");
    assert_eq!((&the_loop["when"], &the_loop["exactly"]), (&the_loop["view_when"], &true.into()));
    assert_eq!(
        (&json["reason_code"], &json["entries"][0]["reason_code"]),
        (&"L0134".into(), &"L0134".into()),
        "{json}"
    );
    let text = stdout(&lariat(&["check", &library]));
    assert!(
        text.contains("this loop ends exactly under a condition")
            && text.contains("1 end (1 of them under a condition)"),
        "{text}"
    );
    // A program that does not come there ends, and one that makes the ring itself hangs.
    let unused = write(&dir.join("unused.c"), &format!("{list}int main(void) {{ return 0; }}\n"));
    assert_eq!(results(&[&unused]).1["verdict"], "terminates");
    let ring = "int main(void) { struct cell a; a.next = &a; return length(&a); }\n";
    let ring = write(&dir.join("ring.c"), &format!("{list}{ring}"));
    assert_eq!(results(&[&ring]).1["loops"][0]["verdict"], "diverges");
    // What is open in a function that nobody calls is not what the program rests on.
    let open = "void open(unsigned *c) { while (*c != 7) *c += 2; }\nint main(void) { return 0; }\n";
    let open = write(&dir.join("open.c"), open);
    let saved = dir.join("saved.json").display().to_string();
    let o = lariat(&["check", "--format", "json", "--output", &saved, &library, &unused, &ring, &open]);
    assert_eq!(o.status.code(), Some(1), "{}", stderr(&o));
    let o = lariat(&["recheck", "--solver", "z3", &saved]);
    assert_eq!(o.status.code(), Some(0), "{}", stdout(&o));
    // Without its condition the verdict is more than was proved.
    let text = std::fs::read_to_string(&saved).expect("it was saved");
    let condition = r#""when": "no cell comes twice before the loop is left, from `c` along `next`""#;
    assert!(text.contains(condition), "{text}");
    std::fs::write(&saved, text.replace(condition, r#""when": null"#)).expect("it can be written");
    let o = lariat(&["recheck", "--solver", "z3", &saved]);
    assert_ne!(o.status.code(), Some(0), "{}", stdout(&o));
}

#[test]
fn every_loop_is_told_of_where_no_entry_is_asked_for() {
    let dir = folder("told");
    let open = "extern int input(void);\nstatic int open(int n) {\n  while (n != 3)\n    n = n * n + input();\n  return n;\n}\n";
    let counts = "int counts(int n) {\n  int i = 0;\n  while (i < n)\n    i++;\n  return i;\n}\n";
    // A program that ends is not undecided for a function in a table that nothing calls.
    let table = format!(
        "{open}struct op {{ int (*run)(int); }} ops[] = {{{{ open }}}};\nint main(void) {{ return counts(7); }}\n"
    );
    let table = table.replace("int main", &format!("{counts}int main"));
    let (status, json) = results(&[&write(&dir.join("table.c"), &table)]);
    assert_eq!((status, json["verdict"].as_str()), (Some(0), Some("terminates")), "{json}");
    let told = |function: &str| {
        let all = json["loops"].as_array().expect("loops").iter();
        let of: Vec<_> = all.filter(|l| l["function"] == function).collect();
        assert_eq!(of.len(), 1, "{json}");
        (of[0]["verdict"].clone(), of[0]["reason_code"].clone())
    };
    assert_eq!(told("counts").0, "terminates");
    assert_eq!(told("open"), ("unknown".into(), "L0133".into()));
    // An entry that was asked for is told of, with what it calls.
    let both = write(&dir.join("both.c"), &format!("{open}int uses(int n) {{ return open(n); }}\n{counts}"));
    let functions = |args: &[&str]| -> Vec<String> {
        let (_, json) = results(args);
        let loops = json["loops"].as_array().expect("loops").iter();
        loops.filter_map(|l| l["function"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(functions(&[&both]), ["open", "counts"]);
    assert_eq!(functions(&["--entry", "counts", &both]), ["counts"]);
    assert_eq!(functions(&["--entry", "uses", &both]), ["open"]);
    // What never returns may throw, and then the loop goes on.
    let throws = "[[noreturn]] void fail(int);\nint again(int n) {\n  for (;;) {\n    try { fail(n); } catch (int) { if (n == 0) continue; return 1; }\n  }\n}\n";
    let (_, json) = results(&["--timeout", "1", &write(&dir.join("throws.cpp"), throws)]);
    assert_ne!(json["loops"][0]["verdict"], "terminates", "{json}");
}

#[test]
fn each_loop_has_a_drawing_of_its_own() {
    let dir = folder("drawings");
    let text = "int main(void) { int i = 3; while (i > 0) i--; return 0; }\n";
    let files = ["a", "b"].map(|sub| {
        std::fs::create_dir_all(dir.join(sub)).expect("a folder can be made");
        write(&dir.join(sub).join("same.c"), text)
    });
    let o = lariat(&["check", "--emit", "automaton", &files[0]]);
    assert_eq!(o.status.code(), Some(2));
    assert!(stderr(&o).contains("name a folder with --output"), "{}", stderr(&o));
    let out = dir.join("out").display().to_string();
    let o = lariat(&["check", "--emit", "automaton", "--integers", "ideal", "-o", &out, &files[0], &files[1]]);
    assert_eq!(o.status.code(), Some(0), "{}", stderr(&o));
    let drawn: Vec<_> = std::fs::read_dir(&out).expect("drawings").map(|e| e.expect("an entry").path()).collect();
    assert_eq!(drawn.len(), 2, "{drawn:?}");
    for file in drawn {
        let svg = std::fs::read_to_string(&file).expect("a drawing can be read");
        assert!(svg.contains("path 1: T"), "{svg}");
    }
}

#[test]
fn what_is_analysed_can_be_printed() {
    let dir = folder("emit");
    let file =
        write(&dir.join("count.c"), "int main(int n, char **v) {\n  while (n > 0)\n    n -= 2;\n  return 0;\n}\n");
    let both = stdout(&lariat(&["check", "--emit", "lts", &file]));
    assert_eq!(both.matches("\nlts 1\n").count(), 2, "{both}");
    assert!(both.contains("integers c, to prove that it ends") && both.contains("to prove that it runs for ever"));
    // One system is a file to check.
    let one = dir.join("count.lts").display().to_string();
    let o = lariat(&["check", "--emit", "lts", "--integers", "wrap", "--output", &one, &file]);
    assert_eq!((o.status.code(), stdout(&o).as_str()), (Some(0), ""), "{}", stderr(&o));
    assert_eq!(results(&[&one]).1["loops"][0]["line"], 2);
    let cfg = stdout(&lariat(&["check", "--emit", "cfg", &file]));
    for part in ["goto EXIT", "count.c:2:", " > 0", " in main"] {
        assert!(cfg.contains(part), "{part}\n{cfg}");
    }
}

#[test]
fn a_bench_measures_each_program_and_goes_on_after_bad_ones() {
    let dir = folder("bench");
    write(&dir.join("a.c"), "int main(void) { int i = WIDTH; while (i > 0) i--; return sizeof(long) == 4 ? 0 : 1; }\n");
    write(&dir.join("bad.c"), "int main(void) { return x; }\n");
    write(&dir.join("other.rs"), "fn main() {}\n");
    let table = write(
        &dir.join("table.tsv"),
        "suite\tfile\tdata_model\tcompile_flags\nx\ta.c\tILP32\t-DWIDTH=3 -DB\nx\ta.c\tLP64\t-DWIDTH=4\nx\tbad.c\t\t\nx\tother.rs\t\t\n",
    );
    let o = lariat(&["bench", &table]);
    let text = stdout(&o);
    assert_eq!(o.status.code(), Some(0), "{text}{}", stderr(&o));
    for part in
        ["programs: 3; measured: 2; refused by clang: 1; errors: 0; panics: 0", "95 %", "peak memory", "slowest"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let one = dir.join("a.c").display().to_string();
    let o = lariat(&["bench", "--integers", "wrap", "--each", &one, "--", "-DWIDTH=2"]);
    assert!(stdout(&o).contains("programs: 1; measured: 1"), "{}", stdout(&o));
    let wrong = write(&dir.join("wrong.tsv"), "name\tdata_model\na.c\tlp64\n");
    let o = lariat(&["bench", &wrong]);
    assert_eq!(o.status.code(), Some(2));
    assert!(stderr(&o).contains("has no column `file`"), "{}", stderr(&o));
    assert!(stdout(&lariat(&["--help"])).contains("bench"));
}

/// The time is for the whole of a program, compiler and all entries included.
#[test]
fn the_time_is_kept() {
    let dir = folder("time");
    let mut source = String::from("unsigned a[64];\n");
    for f in 0..12 {
        let _ = write!(
            source,
            "unsigned f{f}(unsigned x, unsigned y) {{\n  while (x * x * y != {f} + y * y) {{ x = x * 7 + y; y ^= x >> 3; if (x % 5 == y % 3) y = y * x; }}\n  return x;\n}}\n"
        );
    }
    let file = write(&dir.join("hard.c"), &source);
    let begin = std::time::Instant::now();
    let (_, json) = results(&["--timeout", "2", &file]);
    // Generous, since other tests run at the same time.
    assert!(begin.elapsed().as_secs_f64() < 8.0, "{:?}", begin.elapsed());
    assert_eq!(json["entries"].as_array().map(Vec::len), Some(12));
}

#[test]
fn require_proof_makes_unknown_count() {
    let file = "tests/lts/collatz-27.lts";
    assert_eq!(lariat(&["check", file]).status.code(), Some(0));
    assert_eq!(lariat(&["check", "--require-proof", file]).status.code(), Some(1));
    assert_eq!(lariat(&["check", "--require-proof", "tests/lts/count-down-wrap.lts"]).status.code(), Some(0));
}

#[test]
fn the_fuzzers_are_elsewhere_and_the_binary_says_where() {
    for args in [&["fuzz"][..], &["fuzz", "--c", "--count", "3"], &["fuzz", "--help"]] {
        let o = lariat(args);
        assert_eq!(o.status.code(), Some(2), "{args:?}");
        assert!(stdout(&o).is_empty(), "{args:?}");
        assert!(
            stderr(&o).contains("./lariat fuzz") && stderr(&o).contains("-p lariat-fuzz"),
            "{args:?}: {}",
            stderr(&o)
        );
    }
}
