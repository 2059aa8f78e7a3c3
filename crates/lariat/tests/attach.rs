//! Real programs, started, looked at while they run, and ended: `tests/live` has them with the verdict that is expected.
//!
//! In a program: `//@ attach: proved`, `unbounded`, or `unknown; WORDS` with words that the reason has to hold, or `refused; WORDS`;
//! `//@ attach -O2:` for one way to compile it; `//@ arguments:`, `//@ flags:`, and `//@ line:` for the line of the loop that has to
//! be named. `//@ conditions:` has the kinds of what could still end it, none where it is left out; `//@ headline:` words of the
//! first sentence. What is expected to stay unknown must never be proved; what is expected to be proved may fail only with a report of it.
//!
//! A long test (`LARIAT_LONG=1`, which `./test --long` sets) looks at all of them in every way; else each is looked at in one.
#![cfg(all(feature = "live", target_os = "linux", target_arch = "x86_64"))]

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Whether there is time to look at everything.
fn is_long() -> bool {
    std::env::var_os("LARIAT_LONG").is_some_and(|v| !v.is_empty() && v != "0")
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("live");
    std::fs::create_dir_all(&path).expect("the test folder can be made");
    path
}

/// A running program that is ended when the test is over, whatever happens.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Option<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok().map(Self)
    }
    fn pid(&self) -> String {
        self.0.id().to_string()
    }
    /// Waits until it has computed for a while.
    fn settle(&self, seconds: f64) {
        let begin = Instant::now();
        let threads = format!("/proc/{}/task", self.pid());
        let time = |thread: std::fs::DirEntry| {
            let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        };
        while begin.elapsed() < Duration::from_secs(30) {
            let listed = std::fs::read_dir(&threads).into_iter().flatten().flatten();
            let ran: f64 = listed.filter_map(time).sum();
            if ran > seconds * 1e9 {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What `lariat attach` says, or why it refuses; nothing where tracing is not allowed, with the reason printed.
fn attempt(pid: &str, more: &[&str]) -> Option<Result<Json, String>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let out = command.args(["attach", pid, "--format", "json"]).args(more).output().expect("the tool starts");
    let errors = String::from_utf8_lossy(&out.stderr);
    if errors.contains("not permitted") {
        println!("skipped: {errors}");
        return None;
    }
    let text = String::from_utf8_lossy(&out.stdout);
    if out.status.code() == Some(2) && text.is_empty() {
        return Some(Err(errors.into_owned()));
    }
    Some(Ok(serde_json::from_str(&text).unwrap_or_else(|e| panic!("no JSON ({e}): {text}{errors}"))))
}

fn attach(pid: &str, more: &[&str]) -> Option<Json> {
    attempt(pid, more).map(|found| found.unwrap_or_else(|errors| panic!("{errors}")))
}

/// The kinds of what could still end a process. The kernel does not tell whose an alarm is: one of another test counts only where it is
/// expected, and only root is told of any.
fn conditions(found: &Json, expected: &str) -> String {
    let kinds = found["conditions"].as_array().into_iter().flatten().filter_map(|c| c["kind"].as_str());
    let mut kinds: Vec<&str> = kinds.filter(|k| *k != "timer" || expected.contains("timer")).collect();
    if expected.contains("timer") && std::fs::read_to_string("/proc/timer_list").is_err() {
        kinds.push("timer");
    }
    kinds.dedup();
    kinds.join(" ")
}

/// In one word.
fn verdict(found: &Json) -> &str {
    match found["verdict"].as_str() {
        Some("diverges") => "proved",
        Some(_) if found["unbounded"] == true => "unbounded",
        _ => "unknown",
    }
}

/// The values of a directive.
fn directive<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    source.lines().find_map(|l| l.strip_prefix("//@ ")?.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

/// Starts a program, looks at it, and compares; an error in words.
fn judge(source: &Path, text: &str, way: &str, binary: &Path) -> Option<Result<String, String>> {
    let name = source.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let expected = directive(text, &format!("attach {way}")).or_else(|| directive(text, "attach"));
    let expected = expected?;
    let arguments = directive(text, "arguments").unwrap_or_default();
    let running = Running::start(Command::new(binary).args(arguments.split_whitespace())).expect("the program starts");
    running.settle(0.05);
    let (wanted, words) = expected.split_once(';').unwrap_or((expected, ""));
    let found = match (attempt(&running.pid(), &[])?, wanted.trim()) {
        (Err(errors), "refused") if errors.contains(words.trim()) => {
            return Some(Ok(format!("{name} {way}: {}", errors.trim())));
        }
        (Err(errors), _) => return Some(Err(format!("{name} {way}: {errors}: expected {expected}"))),
        (Ok(found), _) => found,
    };
    let got = verdict(&found);
    let reason = found["reason"].as_str().unwrap_or_default();
    let held = found["held_millis"].as_f64().unwrap_or(f64::MAX);
    let line = format!(
        "{name} {way}: {got}, {} instructions an iteration, held {held} ms, proof {} ms{}",
        found["instructions"],
        found["search_millis"],
        if reason.is_empty() { String::new() } else { format!(" ({reason})") }
    );
    if got != wanted.trim() {
        return Some(Err(format!("{line}: expected {wanted}")));
    }
    if !reason.contains(words.trim()) {
        return Some(Err(format!("{line}: the reason does not speak of {words}")));
    }
    if held > 2000.0 {
        return Some(Err(format!("{line}: held too long")));
    }
    let wanted = directive(text, "conditions").unwrap_or_default();
    let kinds = conditions(&found, wanted);
    if got == "proved" && kinds != wanted {
        return Some(Err(format!(
            "{line}: the conditions are `{kinds}` instead of `{wanted}`: {}",
            found["conditions"]
        )));
    }
    if let Some(words) = directive(text, "headline")
        && !found["headline"].as_str().is_some_and(|h| h.contains(words))
    {
        return Some(Err(format!("{line}: the headline is {}", found["headline"])));
    }
    if let Some(wanted) = directive(text, "line") {
        let lines: Vec<u64> =
            found["lines"].as_array().into_iter().flatten().filter_map(|l| l["line"].as_u64()).collect();
        let wanted: u64 = wanted.parse().expect("a line number");
        if !lines.contains(&wanted) {
            return Some(Err(format!("{line}: lines {lines:?} instead of {wanted}")));
        }
    }
    Some(Ok(line))
}

/// All programs with one extension, compiled one way. If there is not much time and `first` says so: those that speak of this way, and of the
/// others every second one, from that one on.
fn all(extension: &str, way: &str, first: Option<usize>, compile: impl Fn(&Path, &str, &Path) -> bool) {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(root().join("tests/live"))
        .expect("the programs are there")
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    sources.sort();
    let mut wrong = Vec::new();
    for (n, source) in sources.into_iter().enumerate() {
        let text = std::fs::read_to_string(&source).expect("a program can be read");
        if !is_long() && first.is_some_and(|f| n % 2 != f) && directive(&text, &format!("attach {way}")).is_none() {
            continue;
        }
        let stem = source.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        let binary = folder().join(format!("{stem}{way}"));
        assert!(compile(&source, &text, &binary), "{} does not compile", source.display());
        match judge(&source, &text, way, &binary) {
            Some(Ok(line)) => println!("{line}"),
            Some(Err(line)) => wrong.push(line),
            None => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn c(way: &str) {
    all("c", way, Some(usize::from(way == "-O2")), |source, text, binary| {
        let flags = directive(text, "flags").unwrap_or_default();
        // Without the last flag clang takes loops without effects to end, and may drop them.
        let status = Command::new("clang-22")
            .args(["-g", way, "-fno-finite-loops", "-o"])
            .args([binary, source])
            .args(flags.split_whitespace())
            .status();
        status.is_ok_and(|s| s.success())
    });
}

#[test]
fn c_without_optimisation() {
    c("-O0");
}

#[test]
fn c_with_optimisation() {
    c("-O2");
}

fn rust(way: &str, flags: &[&str]) {
    all("rs", way, None, |source, _, binary| {
        let status = Command::new("rustc")
            .args(["-g", "--edition", "2021"])
            .args(flags)
            .arg("-o")
            .args([binary, source])
            .status();
        status.is_ok_and(|s| s.success())
    });
}

#[test]
fn rust_debug() {
    rust("-debug", &[]);
}

#[test]
fn rust_release() {
    rust("-release", &["-O"]);
}

/// Starts an interpreter, if there is one, and expects a proof within a time.
fn interpreted(what: &str, program: &str, arguments: &[&str], settle: f64, proof_millis: f64) {
    let Some(running) = Running::start(Command::new(program).args(arguments).current_dir(folder())) else {
        println!("skipped: there is no {program} here");
        return;
    };
    running.settle(settle);
    // A just-in-time compiler may be at work when we look; another look sees the code that it made.
    let mut last = Json::Null;
    for _ in 0..4 {
        let Some(found) = attach(&running.pid(), &[]) else { return };
        if verdict(&found) == "proved" {
            let (held, proof) = (found["held_millis"].as_f64(), found["search_millis"].as_f64());
            println!(
                "{what}: proved, {} instructions an iteration, held {held:?} ms, proof {proof:?} ms",
                found["instructions"]
            );
            // Tests run without full optimisation, beside others.
            assert!(proof.is_some_and(|p| p < proof_millis), "{what}: the proof took {proof:?} ms");
            assert!(held.is_some_and(|h| h < 2000.0), "{what}: held {held:?} ms");
            return;
        }
        last = found;
        std::thread::sleep(Duration::from_millis(500));
    }
    panic!("{what}: {}", last["reason"]);
}

fn write(name: &str, text: &str) -> String {
    let path = folder().join(name);
    std::fs::write(&path, text).expect("a test file can be written");
    path.display().to_string()
}

const PYTHON_LIST: &str = "
class Node: pass
a, b, c = Node(), Node(), Node()
a.data, b.data, c.data = 3, 12, 5
a.next, b.next, c.next = b, c, a
def member(p, x):
    while p is not None:
        if p.data == x: return True
        p = p.next
    return False
member(a, 7)
";

#[test]
fn python() {
    interpreted("python, while True", "/usr/bin/python3", &["-c", "while True: pass"], 0.3, 3000.0);
    let list = write("list.py", PYTHON_LIST);
    interpreted("python, circular list", "/usr/bin/python3", &[&list], 0.3, 3000.0);
}

const JAVA_LIST: &str = "
public class CircularList {
    static class Node { int data; Node next; }
    static int find(Node head, int x) {
        int index = 0;
        Node p = head;
        while (p != null) {
            if (p.data == x) return index;
            index++;
            p = p.next;
        }
        return -1;
    }
    public static void main(String[] arguments) {
        Node a = new Node(), b = new Node(), c = new Node();
        a.data = 3; b.data = 12; c.data = 5;
        a.next = b; b.next = c; c.next = a;
        System.out.println(find(a, 7));
    }
}
";

#[test]
fn java() {
    write("CircularList.java", JAVA_LIST);
    let compiled = Command::new("javac").arg("CircularList.java").current_dir(folder()).status();
    if !compiled.is_ok_and(|s| s.success()) {
        println!("skipped: there is no Java compiler here");
        return;
    }
    for how in ["-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"] {
        interpreted(&format!("java {how}"), "java", &[how, "CircularList"], 2.0, 3000.0);
    }
}

const JAVASCRIPT_LIST: &str = "
function member(head, x) {
  var p = head;
  while (p !== null) {
    if (p.data === x) { return true; }
    p = p.next;
  }
  return false;
}
var a = {data: 3, next: null}, b = {data: 12, next: null}, c = {data: 5, next: null};
a.next = b; b.next = c; c.next = a;
member(a, 7);
";

#[test]
fn rhino() {
    let library = "/usr/share/java/js.jar:/usr/share/java/rhino.jar";
    if !Path::new("/usr/share/java/rhino.jar").exists() && !Path::new("/usr/share/java/js.jar").exists() {
        println!("skipped: there is no Rhino here (Debian's package rhino)");
        return;
    }
    let list = write("list.js", JAVASCRIPT_LIST);
    for (how, level) in [("-Xint", "-1"), ("-Xmixed", "-1"), ("-Xmixed", "9")] {
        let main = "org.mozilla.javascript.tools.shell.Main";
        let arguments = [how, "-cp", library, main, "-opt", level, &list];
        interpreted(&format!("rhino {how} -opt {level}"), "java", &arguments, 5.0, 10_000.0);
    }
}

#[test]
fn the_report_names_place_and_values() {
    let source = root().join("tests/live/spin_on_a_flag.c");
    let binary = folder().join("named");
    let status = Command::new("clang-22").args(["-g", "-O0", "-o"]).args([&binary, &source]).status();
    assert!(status.is_ok_and(|s| s.success()));
    let running = Running::start(&mut Command::new(&binary)).expect("the program starts");
    running.settle(0.05);
    let out = Command::new(env!("CARGO_BIN_EXE_lariat")).args(["attach", &running.pid()]).output().expect("it starts");
    let errors = String::from_utf8_lossy(&out.stderr);
    if errors.contains("not permitted") {
        println!("skipped: {errors}");
        return;
    }
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{text}{errors}");
    for words in [
        "never leaves",
        "`main`",
        "spin_on_a_flag.c:6",
        "`ready` == 0 is never changed",
        "accepted by the checker",
        "held",
    ] {
        assert!(text.contains(words), "no `{words}` in:\n{text}");
    }
}

#[test]
fn saved_results_are_checked_again() {
    let source = root().join("tests/live/figure_2.c");
    let binary = folder().join("saved");
    let status = Command::new("clang-22").args(["-g", "-O0", "-o"]).args([&binary, &source]).status();
    assert!(status.is_ok_and(|s| s.success()));
    let running = Running::start(Command::new(&binary).args(["3", "7"])).expect("the program starts");
    running.settle(0.05);
    let results = folder().join("saved.json").display().to_string();
    let lariat = || Command::new(env!("CARGO_BIN_EXE_lariat"));
    let out = lariat()
        .args(["attach", &running.pid(), "--format", "json", "--output", &results])
        .output()
        .expect("it starts");
    if String::from_utf8_lossy(&out.stderr).contains("not permitted") {
        println!("skipped: tracing is not allowed here");
        return;
    }
    let out = lariat().args(["recheck", &results, "--solver", "z3"]).output().expect("it starts");
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success() && text.contains("2 accepted, 0 not confirmed, 0 rejected"),
        "{text}{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

#[test]
fn a_command_that_ends_passes_through() {
    let out = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["run", "--", "sh", "-c", "echo out; echo err >&2; exit 7"])
        .output()
        .expect("the tool starts");
    assert_eq!(out.status.code(), Some(7));
    assert_eq!(String::from_utf8_lossy(&out.stdout), "out\n");
    assert_eq!(String::from_utf8_lossy(&out.stderr), "err\n");
}

/// A program of a test, compiled.
fn compiled(name: &str, source: &Path, flags: &[&str]) -> PathBuf {
    let binary = folder().join(name);
    let status = Command::new("clang-22").args(["-g", "-O0", "-o"]).args([&binary, source]).args(flags).status();
    assert!(status.is_ok_and(|s| s.success()), "{name} does not compile");
    binary
}

fn live(name: &str) -> PathBuf {
    root().join("tests/live").join(name)
}

/// What `lariat run` brings: exit status, output, errors.
fn run(options: &[&str], command: &mut dyn Iterator<Item = &str>) -> (Option<i32>, String, String) {
    let mut lariat = Command::new(env!("CARGO_BIN_EXE_lariat"));
    lariat.args(["run", "--after", "0.3"]).args(options).arg("--").args(command).stdin(Stdio::null());
    let out = lariat.output().expect("the tool starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// Whether a process runs: it is there, and is none that only waits to be waited for.
fn runs(pid: &str) -> bool {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    text.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim().starts_with(['Z', 'X']))
}

#[test]
fn a_command_that_spins_goes_on() {
    let binary = compiled("spins_on", &live("spin_on_a_flag.c"), &[]).display().to_string();
    let results = folder().join("spins_on.json");
    // One of a run before.
    let _ = std::fs::remove_file(&results);
    let mut lariat = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["run", "--after", "0.3", "--format", "json", "--output"])
        .arg(&results)
        .args(["--", &binary])
        .spawn()
        .expect("the tool starts");
    let begin = Instant::now();
    while !results.exists() && begin.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let found: Json = serde_json::from_str(&std::fs::read_to_string(&results).expect("a report")).expect("JSON");
    assert_eq!(verdict(&found), "proved", "{found}");
    let pid = found["process"]["pid"].to_string();
    std::thread::sleep(Duration::from_millis(500));
    assert!(runs(&pid), "the command was ended");
    assert!(lariat.try_wait().expect("it can be waited for").is_none(), "the tool does not wait for its command");
    // Its own end is the end of both.
    assert!(Command::new("kill").args(["-TERM", &pid]).status().is_ok_and(|s| s.success()));
    assert_eq!(lariat.wait().expect("it ends").code(), Some(128 + 15));
}

#[test]
fn with_kill_a_command_that_never_comes_back_is_ended_with_its_group() {
    let source = write(
        "leaves_a_child.c",
        "
        #include <stdio.h>
        #include <unistd.h>
        static volatile int ready;
        int main(void) {
            int child = fork();
            if (child == 0) {
                sleep(1000);
                _exit(0);
            }
            printf(\"%d\\n\", child);
            fflush(stdout);
            while (!ready)
                ;
            return 0;
        }
    ",
    );
    let binary = compiled("leaves_a_child", Path::new(&source), &[]).display().to_string();
    let (status, text, errors) = run(&["--kill"], &mut [binary.as_str()].into_iter());
    assert_eq!(status, Some(1), "{text}{errors}");
    assert!(text.contains("never leaves") && text.contains("will not come back"), "{text}");
    let child = text.lines().next().expect("the number of the child");
    let begin = Instant::now();
    while runs(child) && begin.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!runs(child), "the child {child} is left behind");
}

/// Programs that wait in a busy loop for somebody else, and end.
#[test]
fn healthy_programs_come_to_their_own_end() {
    let thread = write(
        "waits_for_a_thread.c",
        "
        #include <pthread.h>
        #include <unistd.h>
        static volatile int stop;
        static void *other(void *unused) { sleep(6); stop = 1; return unused; }
        int main(void) {
            pthread_t thread;
            pthread_create(&thread, 0, other, 0);
            while (!stop)
                ;
            return 7;
        }
    ",
    );
    let child = write(
        "waits_for_a_child.c",
        "
        #include <signal.h>
        #include <unistd.h>
        static volatile sig_atomic_t ended;
        static void on_child(int signal) { ended = signal; }
        int main(void) {
            signal(SIGCHLD, on_child);
            if (fork() == 0) { sleep(6); _exit(0); }
            while (!ended)
                ;
            return 7;
        }
    ",
    );
    let python = write(
        "waits_for_a_thread.py",
        "
import sys, threading, time
stop = []
def other():
    time.sleep(6)
    stop.append(1)
threading.Thread(target=other).start()
while not stop: pass
sys.exit(7)
",
    );
    let thread = compiled("waits_for_a_thread", Path::new(&thread), &["-pthread"]).display().to_string();
    let child = compiled("waits_for_a_child", Path::new(&child), &[]).display().to_string();
    for kill in [&[][..], &["--kill"]] {
        for command in [vec![thread.as_str()], vec![child.as_str()], vec!["/usr/bin/python3", python.as_str()]] {
            if !Path::new(command[0]).exists() {
                println!("skipped: there is no {}", command[0]);
                continue;
            }
            let (status, text, errors) = run(kill, &mut command.iter().copied());
            println!("{command:?} {kill:?}: {}", text.lines().next().unwrap_or("nothing was said"));
            assert_eq!(status, Some(7), "{command:?} {kill:?}: {text}{errors}");
            assert!(!text.contains("will not come back"), "{command:?}: {text}");
        }
    }
}

#[test]
fn signals_pass_through_to_the_command() {
    for kill in [&[][..], &["--kill"]] {
        let mut lariat = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .arg("run")
            .args(kill)
            .args(["--", "sh", "-c", "trap 'echo heard; exit 5' INT; echo ready; while :; do sleep 0.1; done"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the tool starts");
        let mut out = std::io::BufReader::new(lariat.stdout.take().expect("its output is ours"));
        let mut line = String::new();
        std::io::BufRead::read_line(&mut out, &mut line).expect("a line");
        assert_eq!(line, "ready\n");
        let pid = lariat.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().is_ok_and(|s| s.success()));
        assert_eq!(lariat.wait().expect("it ends").code(), Some(5), "{kill:?}");
        line.clear();
        std::io::BufRead::read_line(&mut out, &mut line).expect("a line");
        assert_eq!(line, "heard\n");
    }
}

#[test]
fn two_hundred_threads_are_held_in_time() {
    let source = write(
        "many_threads.c",
        "
        #include <pthread.h>
        static volatile int stop;
        static void *spin(void *unused) { while (!stop) ; return unused; }
        int main(void) {
            pthread_t thread;
            for (int n = 0; n < 199; n++) pthread_create(&thread, 0, spin, 0);
            spin(0);
            return 0;
        }
    ",
    );
    let binary = compiled("many_threads", Path::new(&source), &["-pthread"]);
    let running = Running::start(&mut Command::new(&binary)).expect("the program starts");
    let tasks = format!("/proc/{}/task", running.pid());
    let begin = Instant::now();
    while std::fs::read_dir(&tasks).is_ok_and(|d| d.count() < 200) && begin.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(10));
    }
    running.settle(0.5);
    // On a machine that is busy otherwise it takes longer.
    let Some(found) = attach(&running.pid(), &["--hold", "5000"]) else { return };
    println!("held {} ms: {}", found["held_millis"], found["headline"]);
    assert!(found["held_millis"].as_f64().is_some_and(|h| h < 6000.0), "{found}");
    assert_eq!(conditions(&found, "thread"), "thread");
}

#[test]
fn ctrl_c_during_the_search_lets_the_process_go() {
    // Nothing repeats here, and the search takes its time.
    let binary = compiled("interrupted", &live("control_lcg.c"), &[]);
    let running = Running::start(&mut Command::new(&binary)).expect("the program starts");
    running.settle(0.05);
    let results = folder().join("interrupted.json");
    let mut interrupted = 0;
    for delay in [50, 300, 600, 900, 1200, 1500, 2500] {
        let _ = std::fs::remove_file(&results);
        let mut lariat = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(["attach", &running.pid(), "--format", "json", "--output"])
            .arg(&results)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the tool starts");
        std::thread::sleep(Duration::from_millis(delay));
        let begin = Instant::now();
        assert!(Command::new("kill").args(["-INT", &lariat.id().to_string()]).status().is_ok_and(|s| s.success()));
        let status = lariat.wait().expect("it ends");
        println!("after {delay} ms: {status}, {} ms later", begin.elapsed().as_millis());
        // Before it has begun Ctrl-C ends it as it ends any program.
        if status.code() == Some(130) {
            interrupted += 1;
            // The machine may be busy; the search itself takes seconds.
            assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
            assert!(!results.exists(), "something was written");
        }
        let state = std::fs::read_to_string(format!("/proc/{}/stat", running.pid())).unwrap_or_default();
        let state = state.rsplit_once(')').map_or("?", |(_, s)| s.trim());
        assert!(!state.starts_with(['t', 'T', '?', 'Z']), "the target is in the state {state}");
    }
    assert!(interrupted > 0, "it was never interrupted");
}

#[test]
fn what_cannot_be_looked_at_is_said_with_the_next_step() {
    let lariat = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_lariat")).args(args).output().expect("the tool starts");
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (status, errors) = lariat(&["attach", "4194304"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("there is no process"), "{errors}");
    let sleeping = Running::start(Command::new("sleep").arg("60")).expect("sleep starts");
    let found = attach(&sleeping.pid(), &[]);
    if let Some(found) = found {
        assert!(found["reason"].as_str().is_some_and(|r| r.contains("waits")), "{found}");
    }
    // As somebody else, if we may become somebody else.
    let out = Command::new("setpriv")
        .args([
            "--reuid",
            "65534",
            "--clear-groups",
            env!("CARGO_BIN_EXE_lariat"),
            "attach",
            &sleeping.pid(),
            "--thread",
            &sleeping.pid(),
        ])
        .output();
    match out {
        Ok(out) if String::from_utf8_lossy(&out.stderr).contains("lariat:") => {
            let errors = String::from_utf8_lossy(&out.stderr);
            assert!(errors.contains("sudo"), "{errors}");
        }
        _ => println!("skipped: nobody else to be"),
    }
}

#[test]
fn the_target_survives_the_death_of_the_tracer() {
    // A computation with a known result, which goes on while tracer after tracer is killed.
    let tracers = if is_long() { 24 } else { 8 };
    let source = write(
        "sum.c",
        "
        #include <stdio.h>
        #include <stdlib.h>
        int main(int argc, char **argv) {
            volatile unsigned long n = 0;
            unsigned long end = strtoul(argv[1], 0, 10);
            for (unsigned long i = 0; i < end; i++) n += i & 3;
            printf(\"%lu\\n\", n);
            return 0;
        }
    ",
    );
    let binary = folder().join("sum");
    let rounds = tracers * 250_000_000;
    let status = Command::new("clang-22").args(["-O1", "-o"]).arg(&binary).arg(&source).status();
    assert!(status.is_ok_and(|s| s.success()));
    let mut target = Command::new(&binary);
    let target = target.arg(rounds.to_string()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let pid = target.id().to_string();
    let mut delay = 1u64;
    for n in 0..tracers {
        let mut tracer = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(["attach", &pid])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the tool starts");
        delay = delay.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n + 1);
        std::thread::sleep(Duration::from_millis(300 + delay % 1200));
        let _ = tracer.kill();
        let _ = tracer.wait();
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = state.rsplit_once(')').map_or("?", |(_, s)| s.trim());
        assert!(!state.starts_with(['t', 'T', '?']), "after {n} tracers the target is in the state {state}");
    }
    let out = target.wait_with_output().expect("the program ends");
    assert!(out.status.success(), "{:?}", out.status);
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), (rounds / 2 * 3).to_string());
}

/// Programs that the static analysis proves to hang, written by it with their inputs, hang when they run, and looking at them
/// proves it again. In a short test, every third of them.
#[test]
fn what_hangs_by_static_proof_hangs_at_run_time() {
    let programs = folder().join("harness");
    // Runs before may have left others.
    let _ = std::fs::remove_dir_all(&programs);
    let mut files: Vec<PathBuf> = Vec::new();
    for topic in std::fs::read_dir(root().join("tests/corpus")).expect("the corpus is there") {
        let listed = std::fs::read_dir(topic.expect("a folder can be listed").path()).expect("topics are folders");
        files.extend(listed.filter_map(|e| Some(e.ok()?.path())).filter(|p| {
            let text = std::fs::read_to_string(p).unwrap_or_default();
            // Of what stays undecided there is no program to be written.
            let open = |line: &str| line.contains("; tool: unknown") || line.contains("; tool everywhere: unknown");
            let hangs = |line: &str| line.contains("//@") && line.contains("diverges") && !open(line);
            p.extension().is_some_and(|e| e == "c") && text.lines().any(hangs)
        }));
    }
    files.sort();
    let every = if is_long() { 1 } else { 9 };
    let files: Vec<PathBuf> = files.into_iter().step_by(every).collect();
    let out = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["check", "--jobs", "1", "--timeout", if is_long() { "10" } else { "3" }, "--harness"])
        .arg(&programs)
        .args(&files)
        .current_dir(root())
        .output()
        .expect("the tool starts");
    assert!(programs.exists(), "{}", String::from_utf8_lossy(&out.stderr));
    let mut made: Vec<PathBuf> = std::fs::read_dir(&programs)
        .expect("the folder was made")
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect();
    made.sort();
    let (mut proved, mut open, mut ended) = (0, Vec::new(), Vec::new());
    for source in &made {
        let name = source.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        let binary = source.with_extension("");
        let status = Command::new("clang-22")
            .args(["-O0", "-g", "-w", "-Wno-error=implicit-function-declaration", "-o"])
            .args([&binary, source])
            .args(["-lm", "-Wl,--unresolved-symbols=ignore-all"])
            .status();
        assert!(status.is_ok_and(|s| s.success()), "{name} does not compile");
        let mut running = Running::start(&mut Command::new(&binary)).expect("the program starts");
        running.settle(0.05);
        if running.0.try_wait().is_ok_and(|s| s.is_some()) {
            ended.push(name.to_owned());
            continue;
        }
        // On a busy machine the first look may be too short.
        let mut reason = String::new();
        for _ in 0..2 {
            let Some(found) = attach(&running.pid(), &[]) else { return };
            if verdict(&found) == "proved" {
                reason.clear();
                break;
            }
            reason = format!("{name}: {}", found["reason"]);
        }
        if reason.is_empty() { proved += 1 } else { open.push(reason) }
    }
    println!("{proved} of {} proved at run time; open:\n{}", made.len(), open.join("\n"));
    println!("ended: {}", ended.join(", "));
    assert!(proved >= 110 / every, "{proved}");
    // A real stack ends a recursion. A call that is said to have no effects and whose result is not used is none for the compiler.
    let recursions = ["by_a_pointer_for_ever", "mutual_hang", "recursion_passes_zero", "upwards"];
    let no_calls = ["recursion_hang", "result_not_used"];
    ended.retain(|name| !recursions.iter().chain(&no_calls).any(|known| name.starts_with(known)));
    assert!(ended.is_empty(), "{}", ended.join(", "));
    // A system call in each round, whose result is not followed: that of `setjmp`, and those that read and write.
    let jumps =
        ["for_ever-main-13", "inside_the_loop", "jump_to_the_outside", "returns_twice-attempt", "value_carries"];
    let files = ["no_pipe-", "read-main", "read_a_byte-", "read_all-"];
    // The harness counts its inputs in 64 bits: after thousands of years the first ones come again.
    let counts = ["knows_a_password-main"];
    open.retain(|line| !jumps.iter().chain(&files).chain(&counts).any(|known| line.starts_with(known)));
    assert!(open.is_empty(), "{}", open.join("\n"));
}
