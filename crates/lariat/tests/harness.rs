//! The programs that `--harness` writes really do not end.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("harness").join(name);
    // What an earlier run left there would be counted.
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the test folder can be made");
    path
}

/// Writes the programs for some files; gives their folder and what the folder holds.
fn harness(name: &str, files: &[String], more: &[&str]) -> (PathBuf, Vec<String>) {
    let dir = folder(name).join("programs");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(["check", "--harness"]).arg(&dir).args(files).args(more).current_dir(root());
    let o = command.output().expect("the tool starts");
    assert_eq!(
        o.status.code(),
        Some(1),
        "{}{}",
        String::from_utf8_lossy(&o.stdout),
        String::from_utf8_lossy(&o.stderr)
    );
    let mut names: Vec<String> = std::fs::read_dir(&dir)
        .expect("the folder was made")
        .map(|e| e.expect("a folder can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    (dir, names)
}

/// Builds and runs what is in a folder, a second each.
fn run(dir: &Path) -> (Option<i32>, String) {
    let o = Command::new(dir.join("run.sh")).arg("1").output().expect("the script starts");
    (o.status.code(), format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr)))
}

#[test]
fn pointers_that_were_set_before_lead_to_what_they_led_to() {
    let files = ["tests/corpus/calls/pointer-set-elsewhere.c".to_owned()];
    let (dir, names) = harness("pointers", &files, &["--entry", "wait_for"]);
    assert_eq!(names.len(), 2, "a program, and the script: {names:?}");
    let (status, said) = run(&dir);
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn programs_of_the_corpus_do_not_end() {
    let files = [
        "examples/zune.c",
        "tests/corpus/unsigned-wrap/doubling.c",
        "tests/corpus/memory/struct-copy.c",
        "tests/corpus/noreturn/own-function-spins.c",
        "tests/corpus/calls/mutual-hang.c",
    ];
    let files = files.map(str::to_owned);
    let (dir, names) = harness("corpus", &files, &[]);
    assert_eq!(names.len(), files.len() + 1, "a program each, and the script: {names:?}");
    let (status, said) = run(&dir);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("zune-main-11: still running after 1 s"), "{said}");
}

#[test]
fn a_function_is_called_with_its_arguments_globals_and_memory() {
    let dir = folder("function");
    let file = dir.join("walk.c");
    let text = "struct node { int kind; struct node *next; };\n\
                unsigned step;\n\
                int walk(const struct node *n, unsigned limit) {\n\
                \x20   unsigned seen = 0;\n\
                \x20   while (seen < limit && n->kind == 77)\n\
                \x20       seen += step;\n\
                \x20   return seen == 3;\n\
                }\n";
    std::fs::write(&file, text).expect("a test file can be written");
    let (dir, names) = harness("function-programs", &[file.display().to_string()], &[]);
    assert_eq!(names, ["run.sh", "walk-walk-5.c"], "{names:?}");
    let program = std::fs::read_to_string(dir.join("walk-walk-5.c")).expect("it was written");
    // What is zero at the start of a program need not be set.
    assert!(program.contains("= (unsigned)77;") && !program.contains("step = 1;"), "{program}");
    let (status, said) = run(&dir);
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn inputs_of_the_cycle_are_given_again_and_again() {
    let dir = folder("again");
    let file = dir.join("again.c");
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void log_it(int);\n\
                int main(void) {\n    int n = __VERIFIER_nondet_int();\n    if (n != 12)\n        return 0;\n\
                \x20   while (__VERIFIER_nondet_int() != 5)\n        log_it(n);\n    return 0;\n}\n";
    std::fs::write(&file, text).expect("a test file can be written");
    let (dir, names) = harness("again-programs", &[file.display().to_string()], &[]);
    assert_eq!(names.len(), 2, "{names:?}");
    let (status, said) = run(&dir);
    assert_eq!(status, Some(0), "{said}");
}

/// The script tells the truth about a program that ends.
#[test]
fn a_program_that_ends_is_told_from_one_that_does_not() {
    let (dir, _) = harness("ends", &["examples/zune.c".to_owned()], &[]);
    let file = dir.join("zune-main-11.c");
    let text = std::fs::read_to_string(&file).expect("it was written");
    assert!(text.contains("{ 366 }"), "{text}");
    std::fs::write(&file, text.replace("{ 366 }", "{ 367 }")).expect("it can be changed");
    let (status, said) = run(&dir);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("zune-main-11: it ended with status"), "{said}");
    std::fs::write(&file, "no C").expect("it can be changed");
    assert_eq!(run(&dir).0, Some(2));
}

#[test]
fn what_has_no_program_says_why() {
    let (dir, names) = harness("lts", &["examples/zune.lts".to_owned()], &[]);
    assert_eq!(names.len(), 2, "{names:?}");
    let text = std::fs::read_to_string(dir.join(&names[1])).expect("it was written");
    assert!(text.contains("only C sources are put into programs"), "{names:?} {text}");
}

/// Writes the programs for one source; gives what the folder holds, and the texts that say why there is none.
fn of_source(name: &str, text: &str, more: &[&str]) -> (PathBuf, Vec<String>, String) {
    let file = folder(&format!("{name}-source")).join("module.c");
    std::fs::write(&file, text).expect("a test file can be written");
    let (dir, names) = harness(name, &[file.display().to_string()], more);
    let texts = names.iter().filter(|n| Path::new(n).extension().is_some_and(|e| e == "txt"));
    let why = texts.map(|n| std::fs::read_to_string(dir.join(n)).expect("it was written")).collect();
    (dir, names, why)
}

/// A module has what others define: variables with their values, functions that are never called on the way.
#[test]
fn what_the_source_only_declares_is_defined() {
    let text = "struct device { int ready; struct device *next; };\n\
                extern int limit;\nextern struct device *first;\nextern int table[8];\n\
                extern int poll_device(int);\nextern void report_error(void);\n\
                int wait_for(int n) {\n\
                \x20   int spins = 0;\n\
                \x20   if (n == 3)\n        return poll_device(n);\n\
                \x20   while (limit > 100 && table[2] == 9)\n        spins ^= 1;\n\
                \x20   return spins;\n}\n\
                int walk(void) {\n\
                \x20   struct device *d = first;\n\
                \x20   while (d) {\n        if (d->ready > 7)\n            report_error();\n        else\n            d = d->next;\n    }\n\
                \x20   return 0;\n}\n";
    let (dir, names, why) = of_source("externs", text, &[]);
    assert!(names.iter().any(|n| n.ends_with("-wait_for-11.c")), "{names:?} {why}");
    let (status, said) = run(&dir);
    assert_eq!(status, Some(0), "{said}");
}

/// Only touched pages of a large memory are there, so that a program with a large index runs.
#[test]
fn a_large_index_is_no_obstacle() {
    let text = "unsigned sum(unsigned char *p, unsigned n) {\n    unsigned s = 0;\n\
                \x20   while (n > 3000000000u)\n        s += p[n];\n    return s;\n}\n";
    let (dir, names, why) = of_source("large", text, &[]);
    assert!(names.len() == 2 && why.is_empty(), "{names:?} {why}");
    let (status, said) = run(&dir);
    assert_eq!(status, Some(0), "{said}");
}

/// A machine has no integers of any size.
#[test]
fn what_hangs_over_the_integers_only_has_no_program() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int x = __VERIFIER_nondet_int();\n\
                \x20   while (x == 5)\n        ;\n    while (x > 0)\n        x++;\n    return 0;\n}\n";
    let (dir, names, why) = of_source("any-size", text, &["--integers", "ideal"]);
    assert!(names.iter().any(|n| n.ends_with("-main-4.c")), "{names:?}");
    assert!(why.contains(":6:") && why.contains("integers of any size"), "{why}");
    let (status, said) = run(&dir);
    assert_eq!(status, Some(0), "{said}");
}

/// The script does not take a program for one that ends when it only lacks a function.
#[test]
fn a_missing_function_is_told() {
    let (dir, _) = harness("missing", &["examples/zune.c".to_owned()], &[]);
    let file = dir.join("zune-main-11.c");
    let text = std::fs::read_to_string(&file).expect("it was written");
    let calls =
        text.replace("int main(void) {\n", "void lariat_nowhere(void);\nint main(void) {\n    lariat_nowhere();\n");
    assert_ne!(text, calls);
    std::fs::write(&file, calls).expect("it can be changed");
    let (status, said) = run(&dir);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("there is no lariat_nowhere here"), "{said}");
}
