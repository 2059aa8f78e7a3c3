//! Runs clang: from a source file to bitcode that says what the source says.
//!
//! No pass of LLVM runs, and the flags that see to it stand behind the user's, so that a build's `-O2` changes nothing.
//! Passes may use undefined behaviour; what the user wrote is then no longer there.

use crate::{DataModel, Failure, Options};
use lariat_process::Limits;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The names under which clang is looked for on the PATH, newest first.
const CLANGS: [&str; 10] = [
    "clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14", "clang",
];

/// Each extension of a source file with the language that clang calls it by.
const LANGUAGES: [(&str, &str); 8] = [
    ("c", "c"),
    ("i", "cpp-output"),
    ("cpp", "c++"),
    ("cc", "c++"),
    ("cxx", "c++"),
    ("c++", "c++"),
    ("C", "c++"),
    ("ii", "c++-cpp-output"),
];

/// Before the user's flags, which may say otherwise. Old programs leave out types and declarations: newer compilers
/// refuse that by default. In C23 `f()` takes no arguments, which old programs do not mean.
const DEFAULTS: [&str; 6] = [
    "-w",
    "-Wno-error=implicit-int",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=return-mismatch",
];

/// Behind the user's flags. The lifetime markers that come with use-after-scope say where a local variable is a new
/// one. The checks make explicit what is undefined and else looks like any other instruction, or, with constant operands, like
/// none at all; a check of a shift's base is there for signed shifts only, and tells them apart. The compiler proper runs in the
/// process that we start, so that nothing is left when that is killed.
const NEEDED: [&str; 21] = [
    "-fno-lto",
    "-fno-sanitize=all",
    "-fsanitize=shift,integer-divide-by-zero,float-cast-overflow,array-bounds,vla-bound",
    "-fsanitize-trap=all",
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-fsanitize-address-use-after-scope",
    "-ferror-limit=0",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-fdiagnostics-format=clang",
    "-fintegrated-cc1",
    "-g",
    "-O0",
    "-c",
    "-emit-llvm",
    "-o",
    "-",
];

/// Lets the compiler say by which types memory is accessed, if it can (from clang 20 on).
const TYPES: [&str; 2] = ["-Xclang", "-fsanitize=type"];

/// The address space of the compiler's code, which is not memory.
const CODE: u64 = 512 << 20;

/// The compiler's stack: it crashes over expressions that are nested deeper than its stack.
const STACK: u64 = 256 << 20;

/// A folder that exists only for the compiler, with the one header that 64-bit systems leave out and every 32-bit program
/// asks for. It holds nothing but the names of functions that the C library lacks.
const VIRTUAL_FOLDER: &str = "/lariat-headers";
const VIRTUAL_HEADERS: &str = r#"{"version": 0, "roots": [
    {"type": "file", "name": "/lariat-headers/gnu/stubs-32.h", "external-contents": "/dev/null"}]}"#;

/// The bitcode of a source file; bitcode and its text form are handed on as they are.
pub fn compile(path: &Path, options: &Options) -> Result<Vec<u8>, Failure> {
    let bytes = read(path)?;
    let shown = path.display();
    let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    if is_bitcode(&bytes) {
        options.meanwhile();
        return Ok(bytes);
    }
    if bytes.is_empty() {
        return failed(format!("{shown} is empty; name a file with a program in it"));
    }
    if extension == "bc" {
        return failed(format!("{shown} is no bitcode; make it with `clang -c -emit-llvm`"));
    }
    if bytes.contains(&0) {
        let what = if bytes.starts_with(b"\x7fELF") { "a compiled program" } else { "binary data" };
        return failed(format!("{shown} is no source file or bitcode but {what}; name the source it was made from"));
    }
    if extension == "ll" {
        options.meanwhile();
        return Ok(bytes);
    }
    let Some((_, language)) = LANGUAGES.iter().find(|(e, _)| *e == extension) else {
        let known: Vec<String> = LANGUAGES.iter().map(|(e, _)| format!(".{e}")).collect();
        return failed(format!(
            "{shown} is no source file or bitcode by its name; the known ones end in {}, .bc or .ll",
            known.join(", ")
        ));
    };
    drop(bytes);
    let clang = find_clang(options)?;
    let is_cpp = language.starts_with("c++");
    let is_small = options.data_model == DataModel::Ilp32;
    let ilp32 = if is_small { ilp32_flags(&clang, is_cpp) } else { Vec::new() };
    let limits = Limits { time: options.time, memory: options.memory.map(|m| m + CODE) };
    let attempt = |more: &[&str], meanwhile: &dyn Fn()| {
        let mut command = Command::new(&clang);
        if !is_cpp {
            command.arg("-std=gnu17");
        }
        command.args(DEFAULTS).args(&ilp32).args(&options.flags).args(NEEDED).args(more).args(["-x", language]);
        // A name that starts with a dash is no flag.
        let dashed = path.as_os_str().as_encoded_bytes().starts_with(b"-");
        command.arg(if dashed { Path::new(".").join(path) } else { path.to_owned() });
        let words = |e| failure(format!("{} cannot be started: {e}; let LARIAT_CLANG name a clang", clang.display()));
        run(command, is_small.then_some(VIRTUAL_HEADERS), limits, meanwhile).map_err(words)
    };
    let mut ran = attempt(&TYPES, &|| options.meanwhile())?;
    if let Ran::Ended { stderr, .. } = &ran
        && String::from_utf8_lossy(stderr).contains("'type' in '-fsanitize=")
    {
        ran = attempt(&[], &|| {})?;
    }
    match ran {
        Ran::Ended { status, stdout, .. } if status.success() && !stdout.is_empty() => Ok(stdout),
        Ran::Ended { status, stderr, .. } => Err(refusal(&clang, status, &String::from_utf8_lossy(&stderr))),
        Ran::TimedOut => {
            failed("the compiler did not end within the time; give it more with --timeout, or a smaller file")
        }
    }
}

/// Whether a file is one of C, by its name: bitcode does not say by which rules it was made.
pub(crate) fn is_source(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    LANGUAGES.iter().any(|(e, _)| *e == extension)
}

/// Whether memory is accessed by its declared type only, as far as the compiler's flags say.
pub(crate) fn typed_memory(flags: &[String]) -> bool {
    let last = flags.iter().rev().find(|f| f.ends_with("strict-aliasing"));
    // Flags that stand elsewhere may say so, and for Windows the compiler does by itself.
    let may_relax = |f: &String| {
        f == "-relaxed-aliasing"
            || f.starts_with('@')
            || f.starts_with("--config")
            || ["windows", "msvc", "uefi"].iter().any(|os| f.contains(os))
    };
    last.is_none_or(|f| f != "-fno-strict-aliasing") && !flags.iter().any(may_relax)
}

fn failure(message: impl Into<String>) -> Failure {
    Failure { place: None, message: message.into() }
}

fn failed<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(failure(message))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    std::fs::read(path).map_err(|e| {
        failure(match e.kind() {
            ErrorKind::NotFound => format!("there is no file {shown}; check the name"),
            ErrorKind::IsADirectory => {
                format!("{shown} is a folder; name the source files in it, such as {shown}/*.c")
            }
            ErrorKind::PermissionDenied => format!("{shown} may not be read; check its permissions"),
            _ => format!("{shown} cannot be read: {e}; check the file"),
        })
    })
}

/// Bitcode, or bitcode with the wrapper that some systems put around it.
fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&[0xde, 0xc0, 0x17, 0x0b])
}

/// The compiler that was named, or the newest on the PATH.
fn find_clang(options: &Options) -> Result<PathBuf, Failure> {
    if let Some(clang) = &options.clang {
        return Ok(clang.clone());
    }
    if let Some(clang) = std::env::var_os("LARIAT_CLANG").filter(|c| !c.is_empty()) {
        return Ok(clang.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = CLANGS.iter().flat_map(|name| folders.iter().map(move |f| f.join(name))).find(|p| is_executable(p));
    found.ok_or_else(|| {
        failure(
            "no clang is on the PATH; install the package `clang` (Debian, Ubuntu: apt-get install clang), or let \
             LARIAT_CLANG name one",
        )
    })
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// 32-bit programs on a system that has the headers of its own width only: those are written for both, but for one
/// file that we bring along.
fn ilp32_flags(clang: &Path, is_cpp: bool) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec!["-m32".into()];
    if cfg!(not(any(target_arch = "x86_64", target_arch = "x86"))) {
        flags = vec!["--target=i386-pc-linux-gnu".into()];
    }
    if is_cpp {
        for folder in cpp_folders(clang) {
            flags.extend(["-cxx-isystem".into(), folder]);
        }
    }
    // Behind all others, so that real 32-bit headers come first where they are installed.
    let host = format!("/usr/include/{}-linux-gnu", std::env::consts::ARCH);
    for folder in [OsStr::new(&host), OsStr::new(VIRTUAL_FOLDER)] {
        flags.extend(["-idirafter".into(), folder.to_owned()]);
    }
    flags.extend(["-ivfsoverlay".into(), "/dev/stdin".into()]);
    flags
}

/// Where this compiler finds the C++ library for the width of the system. It looks for another one for 32 bits, but the
/// headers are the same.
fn cpp_folders(clang: &Path) -> Vec<OsString> {
    let mut command = Command::new(clang);
    command.args(["-E", "-v", "-x", "c++", "/dev/null"]);
    let limits = Limits { time: Some(Duration::from_secs(10)), memory: None };
    let Ok(Ran::Ended { stderr, .. }) = run(command, None, limits, || {}) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&stderr);
    let listed = text.lines().filter_map(|l| l.strip_prefix(' ')).filter(|l| l.starts_with('/') && l.contains("c++"));
    listed.map(OsString::from).collect()
}

/// What became of a process.
enum Ran {
    Ended { status: ExitStatus, stdout: Vec<u8>, stderr: Vec<u8> },
    TimedOut,
}

/// Runs a process to its end, or kills it when the time is up. It ends with this thread, which waits for it.
fn run(
    mut command: Command,
    stdin: Option<&'static str>,
    limits: Limits,
    meanwhile: impl FnOnce(),
) -> std::io::Result<Ran> {
    let Limits { time, .. } = limits;
    lariat_process::tie(&mut command, limits);
    lariat_process::raise_stack(&mut command, STACK);
    let first = if stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    let deadline = time.map(|t| Instant::now() + t);
    let mut child = command.stdin(first).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let (Some(text), Some(mut pipe)) = (stdin, child.stdin.take()) {
        // It is far smaller than a pipe's buffer. A compiler that does not read it says itself what is wrong.
        let _ = pipe.write_all(text.as_bytes());
    }
    meanwhile();
    let stdout = child.stdout.take().map(OwnedFd::from).expect("standard output is a pipe");
    let stderr = child.stderr.take().map(OwnedFd::from).expect("standard error is a pipe");
    let mut pipes = [(Some(File::from(stdout)), Vec::new()), (Some(File::from(stderr)), Vec::new())];
    let left = || deadline.map_or(HOUR, |d| d.saturating_duration_since(Instant::now()));
    let all = loop {
        let open: Vec<BorrowedFd<'_>> = pipes.iter().filter_map(|(p, _)| p.as_ref()).map(AsFd::as_fd).collect();
        if left().is_zero() {
            break false;
        }
        // A process may close both long before it ends.
        let wait = if open.is_empty() { left().min(SOON) } else { left() };
        let mut readable = lariat_process::wait_readable(&open, wait).into_iter();
        for (pipe, text) in &mut pipes {
            if pipe.is_some() && readable.next() == Some(true) {
                read_some(pipe, text)?;
            }
        }
        if pipes.iter().all(|(p, _)| p.is_none()) && child.try_wait()?.is_some() {
            break true;
        }
    };
    if !all {
        // It may have ended by itself just now.
        let _ = child.kill();
    }
    let status = child.wait()?;
    let [(_, stdout), (_, stderr)] = pipes;
    Ok(if all { Ran::Ended { status, stdout, stderr } } else { Ran::TimedOut })
}

/// How long to wait where nothing is limited: then it is looked again.
const HOUR: Duration = Duration::from_hours(1);
/// How long to wait for a process that has said all.
const SOON: Duration = Duration::from_millis(1);

/// Reads what a pipe has, and closes it at its end.
fn read_some(pipe: &mut Option<File>, text: &mut Vec<u8>) -> std::io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    match pipe.as_mut().map_or(Ok(0), |p| p.read(&mut buffer)) {
        Ok(0) => *pipe = None,
        Ok(n) => text.extend_from_slice(&buffer[..n]),
        Err(e) if e.kind() == ErrorKind::Interrupted => {}
        Err(e) => return Err(e),
    }
    Ok(())
}

/// File, line and column.
type Place = (String, u32, u32);

/// What the compiler said, as one sentence.
fn refusal(clang: &Path, status: ExitStatus, stderr: &str) -> Failure {
    let name = clang.file_name().unwrap_or(clang.as_os_str()).to_string_lossy();
    if is_out_of_memory(stderr) {
        return failure(format!("{name} needs more memory than it may use; {}", crate::next_step_for_memory()));
    }
    let errors: Vec<(Option<Place>, &str)> = stderr.lines().filter_map(error_line).collect();
    let Some((place, words)) = errors.first() else {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            // SIGINT: Ctrl-C reached the compiler, as it should.
            return failure(match signal {
                2 => "it was not analysed: interrupted by Ctrl-C; run it again".to_owned(),
                n => format!("{name} was killed by signal {n}; try another one with LARIAT_CLANG"),
            });
        }
        let last = stderr.lines().rfind(|l| !l.trim().is_empty()).unwrap_or("without a word");
        return failure(format!("{name} failed ({last}); try another one with LARIAT_CLANG"));
    };
    let more = match errors.len() - 1 {
        0 => String::new(),
        1 => " (and 1 more error)".to_owned(),
        n => format!(" (and {n} more errors)"),
    };
    let next = if words.contains("file not found") {
        "add the folder of this header behind `--`, as in `-- -I FOLDER`"
    } else if place.is_some() {
        "mend it, or add the flags that this file is built with behind `--`"
    } else {
        "check the flags behind `--`"
    };
    Failure { place: place.clone(), message: format!("{name}: {words}{more}; {next}") }
}

/// What the compiler says when it gets no memory: LLVM's words, those of the C++ library, or of who loads its code.
fn is_out_of_memory(stderr: &str) -> bool {
    let words = ["LLVM ERROR: out of memory", "std::bad_alloc", "failed to map segment from shared object"];
    words.iter().any(|words| stderr.contains(words))
}

/// A line of the compiler's that tells an error: where it is, and its words.
fn error_line(line: &str) -> Option<(Option<Place>, &str)> {
    let (before, words) = line.split_once("error: ")?;
    let before = before.strip_suffix("fatal ").unwrap_or(before);
    if before.is_empty() {
        return Some((None, words));
    }
    let place = before.strip_suffix(": ")?;
    let mut parts = place.rsplitn(3, ':');
    let (column, row, file) = (parts.next(), parts.next(), parts.next());
    let number = |text: Option<&str>| text.and_then(|t| t.parse::<u32>().ok());
    match (file, number(row), number(column)) {
        (Some(file), Some(row), Some(column)) => Some((Some((file.to_owned(), row, column)), words)),
        // The driver speaks under its own name.
        _ if !place.contains(' ') => Some((None, words)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_among_the_words_of_the_compiler() {
        let at = error_line;
        let place = |f: &str, l, c| Some((f.to_owned(), l, c));
        assert_eq!(at("a.c:1:24: error: expected ';'"), Some((place("a.c", 1, 24), "expected ';'")));
        assert_eq!(
            at("odd:name.c:3:10: fatal error: 'x.h' file not found"),
            Some((place("odd:name.c", 3, 10), "'x.h' file not found"))
        );
        assert_eq!(at("clang-22: error: unknown argument: '-foo'"), Some((None, "unknown argument: '-foo'")));
        assert_eq!(at("error: cannot open"), Some((None, "cannot open")));
        assert_eq!(at("a.c:1:24: note: declared here"), None);
        assert_eq!(at("In file included from a.c:1:"), None);
        assert_eq!(at("    printf(\"error: no\");"), None);
    }

    #[test]
    fn bitcode_is_known_by_its_first_bytes() {
        assert!(is_bitcode(b"BC\xc0\xde\x35"));
        assert!(is_bitcode(&[0xde, 0xc0, 0x17, 0x0b, 0]));
        assert!(!is_bitcode(b"BC"));
        assert!(!is_bitcode(b"int main(void) {}"));
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_does_not_end_is_killed_in_time() {
        let begin = Instant::now();
        let mut command = Command::new("sleep");
        command.arg("60");
        let ran = run(command, None, Limits { time: Some(Duration::from_millis(50)), memory: None }, || {})
            .expect("sleep can be started");
        assert!(matches!(ran, Ran::TimedOut));
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
}
