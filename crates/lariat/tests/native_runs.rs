//! What corpus programs do when they are compiled and run, where that says something about their truths.
//!
//! A line of its own in a program of `tests/corpus/` says it:
//!
//! ```c
//! //@ native: ends
//! //@ native: hangs
//! //@ native: hangs; input: "ab\n"; arguments: -v 3
//! ```
//!
//! Each is compiled with clang and gcc, with and without optimisation, and run with empty standard input, or with the input given. A
//! loop without an end is no undefined behaviour here, so the compilers are told not to assume that loops end.

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program that ends may take, and how long one that hangs is watched.
const ENDS_WITHIN: Duration = Duration::from_secs(20);
const HANGS_FOR: Duration = Duration::from_millis(150);

#[derive(Debug, PartialEq)]
struct Expected {
    hangs: bool,
    input: Vec<u8>,
    arguments: Vec<String>,
}

fn expected(text: &str) -> Result<Option<Expected>, String> {
    let mut lines = text.lines().filter_map(|l| l.strip_prefix("//@ native:"));
    let Some(line) = lines.next() else { return Ok(None) };
    if lines.next().is_some() {
        return Err("there is one line `native:` at most".into());
    }
    let mut clauses = line.split("; ").map(str::trim);
    let hangs = match clauses.next() {
        Some("ends") => false,
        Some("hangs") => true,
        other => return Err(format!("`{}` is neither `ends` nor `hangs`", other.unwrap_or_default())),
    };
    let mut found = Expected { hangs, input: Vec::new(), arguments: Vec::new() };
    for clause in clauses {
        match clause.split_once(": ") {
            Some(("input", quoted)) => {
                let inner = quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"')).ok_or("an input is quoted")?;
                found.input = inner.replace("\\n", "\n").replace("\\0", "\0").into_bytes();
            }
            Some(("arguments", list)) => found.arguments = list.split_whitespace().map(str::to_owned).collect(),
            _ => return Err(format!("`{clause}` is no clause")),
        }
    }
    Ok(Some(found))
}

/// Whether a program was still running when its time was up.
fn hangs(program: &Path, e: &Expected) -> bool {
    // What it writes it writes there.
    let folder = program.parent().expect("it is in a folder");
    let mut child = Command::new(program)
        .args(&e.arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("what was compiled starts");
    let mut input = child.stdin.take().expect("it is piped");
    // A program may end without reading.
    let _ = input.write_all(&e.input);
    drop(input);
    let time = if e.hangs { HANGS_FOR } else { ENDS_WITHIN };
    let begin = Instant::now();
    while begin.elapsed() < time {
        if child.try_wait().expect("a child can be waited for").is_some() {
            end(&mut child);
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    end(&mut child);
    true
}

/// Ends a program, and what it has started.
fn end(child: &mut Child) {
    // It fails if nothing is left.
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status();
    child.wait().expect("a child can be waited for");
}

fn programs() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let list = |folder: &Path| fs::read_dir(folder).expect("it is there").map(|e| e.expect("it can be listed").path());
    let mut all: Vec<PathBuf> = list(&corpus).flat_map(|folder| list(&folder).collect::<Vec<_>>()).collect();
    all.sort();
    all
}

#[test]
fn programs_do_what_their_truths_say() {
    check("clang-22", "-O0");
}

#[test]
fn optimised_programs_do_what_their_truths_say() {
    check("clang-22", "-O2");
}

#[test]
fn programs_of_another_compiler_do_what_their_truths_say() {
    check("gcc", "-O2");
}

/// Compiles and runs each program that says what it does.
fn check(compiler: &str, flag: &str) {
    let folder = tempfile(&format!("{compiler}{flag}"));
    let built = folder.join("program");
    let mut failures = Vec::new();
    let mut tried = 0;
    for program in programs() {
        let text = fs::read_to_string(&program).expect("a program is text");
        let e = match expected(&text) {
            Ok(Some(e)) => e,
            Ok(None) => continue,
            Err(e) => panic!("{}: {e}", program.display()),
        };
        tried += 1;
        let done = Command::new(compiler)
            .args([flag, "-w", "-fno-finite-loops", "-o"])
            .args([&built, &program])
            .arg("-lm")
            .output()
            .unwrap_or_else(|e| panic!("{compiler}: {e}; tools/setup installs it"));
        let name = program.display();
        if !done.status.success() {
            failures.push(format!("{name}: {}", String::from_utf8_lossy(&done.stderr)));
        } else if hangs(&built, &e) != e.hangs {
            failures.push(format!("{name}: it is said to {}", if e.hangs { "hang" } else { "end" }));
        }
    }
    fs::remove_dir_all(&folder).expect("it was made here");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(tried >= 10, "{tried} programs say what they do");
}

fn tempfile(of: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lariat-native-{}-{of}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder for temporary files is writable");
    folder
}

#[test]
fn expectations_are_read() {
    let of = |line: &str| expected(&format!("// A title.\n//@ native: {line}\nint main(void) {{}}\n"));
    let plain = |hangs| Expected { hangs, input: Vec::new(), arguments: Vec::new() };
    assert_eq!(of("ends"), Ok(Some(plain(false))));
    assert_eq!(of("hangs"), Ok(Some(plain(true))));
    let all = of("hangs; input: \"a\\n\"; arguments: -v 3").expect("it is right").expect("it is there");
    assert_eq!((all.input.as_slice(), all.arguments.len()), (b"a\n".as_slice(), 2));
    assert!(of("perhaps").is_err());
    assert_eq!(expected("int main(void) {}"), Ok(None));
}
