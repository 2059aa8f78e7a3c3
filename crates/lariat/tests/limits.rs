//! Limits of time and memory, and what is left when a run ends early: nothing.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("limits").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the test folder can be made");
    path
}

fn write(path: &Path, text: &str) -> PathBuf {
    std::fs::write(path, text).expect("a test file can be written");
    path.to_owned()
}

fn lariat() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lariat"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(o: &Output) -> serde_json::Value {
    serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", text(&o.stdout), text(&o.stderr)))
}

const ENDS: &str = "int main(void) { int i = 10; while (i > 0) i--; return 0; }\n";

/// A compiler that never ends. It has a child, and writes both their numbers into a file.
fn endless_compiler(dir: &Path) -> PathBuf {
    let pids = dir.join("pids");
    let script = format!("#!/bin/sh\nsleep 1000 &\necho $$ $! > {0}.new\nmv {0}.new {0}\nwait\n", pids.display());
    let path = write(&dir.join("clang"), &script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be made executable");
    path
}

/// Waits, but not for ever.
fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_there(pid: u32) -> bool {
    // A process that has ended and that nobody has waited for yet has no memory.
    std::fs::read_to_string(format!("/proc/{pid}/statm")).is_ok_and(|s| !s.starts_with("0 "))
}

fn descendants(pid: u32) -> Vec<u32> {
    let all = lariat_process::usage(pid);
    all.iter().map(|u| u.pid).filter(|p| *p != pid).collect()
}

fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
    assert!(status.expect("kill can be started").success());
}

fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the tool starts")
}

fn all_end(pids: &[u32]) {
    for &pid in pids {
        eventually(&format!("process {pid} is left"), || (!is_there(pid)).then_some(()));
    }
}

#[test]
fn no_child_outlives_its_parent_whatever_ends_it() {
    for (name, number) in [("KILL", 9), ("TERM", 15), ("HUP", 1), ("INT", 2)] {
        let dir = folder(&format!("signal-{name}"));
        let mut command = lariat();
        command.args(["check", "--timeout", "100"]).arg(write(&dir.join("a.c"), ENDS));
        command.env("LARIAT_CLANG", endless_compiler(&dir));
        let child = start(command);
        let pids = eventually("the compiler starts", || std::fs::read_to_string(dir.join("pids")).ok());
        let mut pids: Vec<u32> = pids.split_whitespace().map(|p| p.parse().expect("a number")).collect();
        assert_eq!(pids.len(), 2);
        pids.extend(descendants(child.id()));
        assert!(pids.len() > 2, "{pids:?}");
        signal(child.id(), name);
        let o = child.wait_with_output().expect("it ends");
        if name == "KILL" {
            assert_eq!(o.status.signal(), Some(number));
        } else {
            assert_eq!(o.status.code(), Some(128 + number), "{name}: {}", text(&o.stderr));
        }
        // Ctrl-C shows what there is; the others nothing.
        assert_eq!(o.stdout.is_empty(), name != "INT", "{name}: {}", text(&o.stdout));
        all_end(&pids);
    }
}

#[test]
fn the_reader_of_bitcode_dies_with_its_parent() {
    let dir = folder("reader");
    let mut source = String::from("target triple = \"x86_64-pc-linux-gnu\"\ndefine i32 @main() {\n");
    for i in 0..600_000 {
        let _ = writeln!(source, "  %v{i} = add i32 {i}, 1");
    }
    source.push_str("  ret i32 0\n}\n");
    let file = write(&dir.join("long.ll"), &source);
    for who in ["parent", "worker"] {
        let mut command = lariat();
        command.args(["check", "--timeout", "100"]).arg(&file);
        let child = start(command);
        // The worker, and the process that reads for it.
        let pids = eventually("a reader starts", || {
            let pids = descendants(child.id());
            (pids.len() >= 2).then_some(pids)
        });
        signal(if who == "parent" { child.id() } else { pids[0] }, "KILL");
        let o = child.wait_with_output().expect("it ends");
        all_end(&pids);
        if who == "worker" {
            assert_eq!(o.status.code(), Some(2));
            assert!(text(&o.stdout).contains("signal 9"), "{}", text(&o.stdout));
        }
    }
}

#[test]
fn a_compiler_that_never_ends_costs_its_file_only() {
    let dir = folder("compiler");
    let (a, b) = (write(&dir.join("a.c"), ENDS), write(&dir.join("b.lts"), &read("tests/lts/count-down-wrap.lts")));
    let begin = Instant::now();
    let mut command = lariat();
    command.args(["check", "--timeout", "1", "--jobs", "1", "--format", "json"]).arg(a).arg(b);
    let o = command.env("LARIAT_CLANG", endless_compiler(&dir)).output().expect("it ends");
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    let pids = std::fs::read_to_string(dir.join("pids")).expect("the compiler was started");
    all_end(&pids.split_whitespace().map(|p| p.parse().expect("a number")).collect::<Vec<u32>>());
    let results = json(&o);
    let first = &results["programs"][0];
    let reason = first["reason"].as_str().or(first["error"].as_str());
    assert!(reason.is_some_and(|r| r.contains("time")), "{first}");
    assert_eq!(results["programs"][1]["verdict"], "terminates");
}

fn read(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(path).expect("it is there")
}

/// Programs that take long in one step or another: to read, to translate, to decide, to print.
fn large_programs() -> Vec<(&'static str, String)> {
    let lines = |n: usize, line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<String>();
    let main = |before: &str, body: &str| format!("int nd(void);\n{before}\nint main(void) {{\n{body}\nreturn 0; }}\n");
    let loops = |k: usize| format!("for (int i = 0; i < {}; i++) x += i;\n", k % 97 + 3);
    let case = |k: usize| format!("case {}: x = x * {k} + 1; n += {}; break;\n", k * 7, k % 5);
    let function = |k: usize| format!("static int f{k}(int n) {{ while (n > {k}) n -= {}; return n; }}\n", k % 3 + 1);
    let table = format!("int (*t[500])(int) = {{ {} }};\n", lines(500, &|k| format!("f{k}, ")));
    let target = |k: usize| format!("L{k}: if (nd()) goto L{}; x++;\n", (k * 37 + 11) % 1000);
    let global = |k: usize| format!("int f{k}(int n) {{ int s = 0; while (n > {k}) {{ s += n; n--; }} return s; }}\n");
    vec![
        ("loops", main("", &format!("int x = nd();\n{}", lines(5000, &loops)))),
        ("functions", lines(5000, &global)),
        (
            "switch",
            main(
                "",
                &format!(
                    "int x, n = 1; while (n) {{ x = nd(); switch (x) {{\n{}default: n--; }} }}",
                    lines(2000, &case)
                ),
            ),
        ),
        (
            "pointers",
            main(&format!("{}{table}", lines(500, &function)), "for (int i = 0; i < 500; i++) t[nd() & 255](nd());"),
        ),
        ("jumps", main("", &format!("int x = 0;\n{}", lines(1000, &target)))),
        (
            "initialiser",
            main(
                &format!("int t[300000] = {{ {} }};", lines(300_000, &|k| format!("{},", k * 7919 % 1000))),
                "int i = 0; while (t[i]) i = t[i];",
            ),
        ),
        (
            "expression",
            main(
                "",
                &format!("unsigned x = nd(), y = 0{}; while (y > 0) y--;", lines(8000, &|k| format!("+(x ^ {k})"))),
            ),
        ),
    ]
}

/// Generous, since other tests run at the same time.
const LATE: Duration = Duration::from_secs(3);

#[test]
fn the_time_is_kept_whatever_takes_it() {
    let dir = folder("time");
    for (name, source) in large_programs() {
        let file = write(&dir.join(format!("{name}.c")), &source);
        let begin = Instant::now();
        let o = lariat().args(["check", "--timeout", "1", "--format", "json"]).arg(file).output().expect("it ends");
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(1) + LATE, "{name}: {took:?}");
        let results = json(&o);
        assert!(results["verdict"].is_string() || results["error"].is_string(), "{name}");
    }
}

/// The compiler's stack is large enough for it to say itself what it does not take.
#[test]
fn deeply_nested_expressions_are_no_crash() {
    let dir = folder("nested");
    for depth in [200, 3000] {
        let (open, close) = ("(".repeat(depth), " ^ x)".repeat(depth));
        let source = format!("int main(int x) {{ int y = {open}x{close}; while (y > 0) y--; return 0; }}\n");
        let file = write(&dir.join(format!("nested-{depth}.c")), &source);
        let o = lariat().args(["check", "--timeout", "5"]).arg(file).output().expect("it ends");
        let all = text(&o.stdout);
        assert!(!all.contains("signal"), "{depth}: {all}");
        assert_eq!(o.status.code(), Some(if depth > 256 { 2 } else { 0 }), "{depth}: {all}");
    }
}

/// The most memory that a process and its descendants have at once, and its output.
fn peak(command: Command) -> (u64, Output) {
    let mut child = start(command);
    let (out, err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let reader = |mut from: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut all = Vec::new();
            from.read_to_end(&mut all).map(|_| all).expect("it can be read")
        })
    };
    let (stdout, stderr) = (reader(Box::new(out)), reader(Box::new(err)));
    let mut most = 0;
    let status = loop {
        most = most.max(lariat_process::usage(child.id()).iter().map(|u| u.bytes).sum());
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (stdout, stderr) = (stdout.join().expect("it reads"), stderr.join().expect("it reads"));
    (most, Output { status, stdout, stderr })
}

#[test]
fn the_memory_of_all_processes_together_is_kept() {
    let dir = folder("memory");
    let programs = large_programs();
    let hog = &programs.iter().find(|(name, _)| *name == "loops").expect("it is there").1;
    let small = write(&dir.join("small.c"), ENDS);
    let (a, b) = (write(&dir.join("a.c"), hog), write(&dir.join("b.c"), hog));
    let mut command = lariat();
    let limit = 400;
    command.args(["check", "--timeout", "60", "--format", "json", "--jobs", "2", "--memory", &limit.to_string()]);
    let (most, o) = peak({
        command.args([&a, &b, &small]);
        command
    });
    // What grows while nobody looks.
    assert!(most >> 20 < limit + limit / 5, "{} MB", most >> 20);
    let results = json(&o);
    for i in 0..2 {
        let reason = results["programs"][i]["reason"].as_str().unwrap_or_default();
        assert!(reason.contains("--memory"), "{}", results["programs"][i]);
    }
    assert_eq!(results["programs"][2]["verdict"], "terminates");
    assert_eq!(o.status.code(), Some(0));
}

#[test]
fn little_address_space_is_an_error_with_the_next_step_or_a_verdict() {
    let dir = folder("ulimit");
    let small = write(&dir.join("small.c"), ENDS);
    for megabytes in [250, 300, 400, 500, 700, 1000, 2000, 4000] {
        let script = format!("ulimit -v {}; exec \"$@\"", megabytes << 10);
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_lariat"), "check", "--timeout", "5"]).arg(&small);
        let o = command.output().expect("a shell starts");
        let all = text(&o.stdout) + &text(&o.stderr);
        assert!(!all.contains("panicked"), "{megabytes} MB: {all}");
        let code = o.status.code();
        assert!(matches!(code, Some(0 | 2)), "{megabytes} MB: {:?} {all}", o.status);
        let decided = all.contains("always ends");
        assert!(decided || all.contains("memory"), "{megabytes} MB: {all}");
        assert!(decided || megabytes < 2000, "{megabytes} MB: {all}");
    }
}
