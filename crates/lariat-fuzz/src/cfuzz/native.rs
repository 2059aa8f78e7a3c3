//! The native side: many programs in one file, compiled twice and run, each program in a process of its own.
//!
//! The plain build (`-fwrapv`) says what a program observes. The sanitized build says where it leaves what C defines: signed overflow
//! is noted and the run goes on with the wrapped value, everything else ends the run.

use super::program::{PRELUDE, Program};
use lariat_ir::random::mix;
use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How many programs are in a file at most: many share the start of each compiler and linker.
pub const MOST_PROGRAMS: usize = 96;

/// How many observations of a program are compared.
pub const OBSERVATIONS: usize = 200;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// `main` returned.
    Exit,
    /// `abort`, `exit`, a failed assertion.
    Trap,
    /// It was still running after the last observation that counts.
    Limit,
    /// It was still running after a long time without one.
    Time,
    /// Undefined behaviour of this kind.
    Undefined(String),
    /// A signal: undefined behaviour that only the hardware noticed.
    Crash(i32),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit => write!(f, "EXIT"),
            Self::Trap => write!(f, "TRAP"),
            Self::Limit => write!(f, "still running after {OBSERVATIONS} observations"),
            Self::Time => write!(f, "still running"),
            Self::Undefined(kind) => write!(f, "UB ({kind})"),
            Self::Crash(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// A run of a native program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// What it observed.
    pub observed: Vec<i64>,
    /// How many observations went before the first signed overflow, if there was one.
    pub overflow_after: Option<usize>,
    /// How it ended.
    pub end: End,
}

/// Compilers, with the harness compiled for both builds.
pub struct Native {
    clang: PathBuf,
    folder: PathBuf,
}

/// How programs are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// Wraps, and watches nothing.
    Plain,
    /// With the sanitizers but the one for overflow of pointers, which takes as long as all others.
    Watched,
    /// With all sanitizers.
    Strict,
}

/// The flags of the sanitized builds.
const SANITIZERS: [&str; 3] = [
    "-fsanitize=undefined,float-cast-overflow,address",
    "-fno-sanitize-recover=all",
    "-fsanitize-recover=signed-integer-overflow,shift-base",
];

/// What the generator never writes, and a smaller program must not have.
const STRICT: [&str; 8] = [
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    "-Werror=pointer-integer-compare",
    "-Werror=compare-distinct-pointer-types",
    "-Werror=return-type",
    "-Werror=uninitialized",
    "-Werror=sometimes-uninitialized",
    "-Werror=implicit-function-declaration",
];

impl Native {
    /// Prepares the harness in a folder.
    pub fn new(folder: &Path) -> Result<Self, String> {
        let clang = find_clang().ok_or("no clang found; install clang 14 or newer and put it on the PATH")?;
        let this = Self { clang, folder: folder.to_owned() };
        let source = folder.join("harness.c");
        std::fs::write(&source, include_str!("harness.c"))
            .map_err(|e| format!("cannot write {}: {e}", source.display()))?;
        let object = |name: &str| folder.join(name);
        this.clang([
            "-O1".as_ref(),
            "-c".as_ref(),
            "-w".as_ref(),
            source.as_os_str(),
            "-o".as_ref(),
            object("plain.o").as_os_str(),
        ])?;
        this.clang([
            "-O1".as_ref(),
            "-c".as_ref(),
            "-w".as_ref(),
            "-DSANITIZED".as_ref(),
            source.as_os_str(),
            "-o".as_ref(),
            object("sanitized.o").as_os_str(),
        ])?;
        Ok(this)
    }

    /// Runs the compiler; gives what it says on standard error if it fails.
    fn clang<'a>(&self, arguments: impl IntoIterator<Item = &'a OsStr>) -> Result<(), String> {
        let done = Command::new(&self.clang)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("cannot run {}: {e}", self.clang.display()))?;
        if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
    }

    /// The lines of a file that are no C, or not what the generator would write.
    pub fn faults(&self, source: &Path) -> Result<Vec<usize>, String> {
        let done = Command::new(&self.clang)
            .args(["-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics"])
            .args(STRICT)
            .arg(source)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("cannot run {}: {e}", self.clang.display()))?;
        let text = String::from_utf8_lossy(&done.stderr);
        let line_of = |line: &str| -> Option<usize> {
            let (place, _) = [": error:", ": fatal error:", ": warning: ordered comparison"]
                .iter()
                .find_map(|m| line.split_once(m))?;
            let mut parts = place.rsplitn(3, ':');
            parts.next()?;
            parts.next()?.parse().ok()
        };
        let lines: Vec<usize> = text.lines().filter_map(line_of).collect();
        if lines.is_empty() && !done.status.success() { Err(text.into_owned()) } else { Ok(lines) }
    }

    /// Compiles and runs the programs of a file; `name` is unused by others at this time.
    pub fn run(&self, source: &Path, name: &str, seeds: &[u64], build: Build) -> Result<Vec<Run>, String> {
        let sanitized = build != Build::Plain;
        let binary = self.folder.join(name);
        let harness = self.folder.join(if sanitized { "sanitized.o" } else { "plain.o" });
        let mut arguments: Vec<&OsStr> =
            vec!["-O0".as_ref(), "-w".as_ref(), "-DNATIVE".as_ref(), "-rtlib=compiler-rt".as_ref()];
        if sanitized {
            arguments.push("-ftrivial-auto-var-init=pattern".as_ref());
            arguments.extend(SANITIZERS.iter().map(AsRef::<OsStr>::as_ref));
            if build == Build::Watched {
                arguments.push("-fno-sanitize=pointer-overflow".as_ref());
            }
        } else {
            // What was never written has other values here than there: a program that looks at it is found out.
            arguments.push("-fwrapv".as_ref());
            arguments.push("-ftrivial-auto-var-init=zero".as_ref());
        }
        arguments.extend([source.as_os_str(), harness.as_os_str(), "-lm".as_ref(), "-o".as_ref(), binary.as_os_str()]);
        self.clang(arguments)?;
        let done = Command::new(&binary)
            .arg(OBSERVATIONS.to_string())
            .args(seeds.iter().map(u64::to_string))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .map_err(|e| format!("cannot run {}: {e}", binary.display()));
        let _ = std::fs::remove_file(&binary);
        let runs = parse(&String::from_utf8_lossy(&done?.stdout))?;
        if runs.len() == seeds.len() {
            Ok(runs)
        } else {
            Err(format!("{} programs and {} runs", seeds.len(), runs.len()))
        }
    }
}

/// The text of a file with these programs, and with a list of them for the harness: the front end does not see it, because it
/// would take their addresses.
pub fn file_of<'a>(programs: impl IntoIterator<Item = &'a Program>) -> String {
    let mut text = PRELUDE.to_owned();
    let mut list = String::new();
    let mut count = 0;
    for (k, p) in programs.into_iter().enumerate() {
        text.push_str(&p.print(&format!("p{k}_")));
        let _ = write!(list, "p{k}_main, ");
        count = k + 1;
    }
    let _ = write!(
        text,
        "#ifdef NATIVE\nint (*const programs[])(void) = {{{list}}};\nconst int program_count = {count};\n#endif\n"
    );
    text
}

/// The text of a file with one program, for readers.
pub fn single_file(program: &Program) -> String {
    format!("{PRELUDE}\n{}", program.print(""))
}

/// The newest clang on the PATH.
pub fn find_clang() -> Option<PathBuf> {
    let names = (14..=22).rev().map(|n| format!("clang-{n}")).chain(["clang".to_owned()]);
    names.into_iter().find_map(|n| find_tool(&n))
}

/// A program on the PATH.
pub fn find_tool(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|p| p.is_file())
}

fn parse(text: &str) -> Result<Vec<Run>, String> {
    let mut runs: Vec<Run> = Vec::new();
    let mut kind = String::new();
    for line in text.lines() {
        if line.starts_with("program ") {
            runs.push(Run { observed: Vec::new(), overflow_after: None, end: End::Time });
            kind.clear();
            continue;
        }
        let run = runs.last_mut().ok_or("the harness says nothing about programs")?;
        match line.split_once(' ') {
            Some(("o", value)) => run.observed.push(value.parse().map_err(|_| format!("`{value}` is no number"))?),
            Some(("v", _)) => run.overflow_after = run.overflow_after.or(Some(run.observed.len())),
            Some(("u", what)) => what.clone_into(&mut kind),
            Some(("end", how)) => {
                run.end = match how {
                    _ if !kind.is_empty() => End::Undefined(kind.clone()),
                    "exit" => End::Exit,
                    "trap" => End::Trap,
                    "limit" => End::Limit,
                    "time" => End::Time,
                    other => End::Crash(other.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0)),
                }
            }
            _ => return Err(format!("the harness says `{line}`")),
        }
    }
    Ok(runs)
}

/// The value of an input after so many observations; the harness has the same function.
pub fn input(seed: u64, observations: u64) -> u64 {
    let h = mix(seed.wrapping_add(observations.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let r = h >> 8;
    match h & 7 {
        0 => 0,
        1 => 1,
        2 => r % 16,
        3 => 0u64.wrapping_sub(r % 16),
        4 => r % 256,
        5 => (1u64 << (r % 64)).wrapping_sub((r >> 6) % 2),
        6 => mix(h),
        _ => r % 100,
    }
}
