//! `lariat bench`: how fast programs are read and brought into each integer semantics; with `--solve`, what is decided and how fast.
//!
//! Each program is measured in a process of its own: peak memory is then the program's, and a crash costs one program.

mod solve;

use super::DataModelArg;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use lariat_check::System;
use lariat_front::{EntryChoice, compile, llvm};
use lariat_ir::Integers;
use lariat_ir::neutral::lower;
use lariat_process::console::{fail, is_interrupted, print, read_text, show_results_on_interrupt};
use lariat_session::threads::{deep_thread_in, panic_words};
use lariat_smt::{Limit, Z3Solver};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Programs; or tables (.tsv) with the columns `file`, `data_model` and `compile_flags`, the last two if needed
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The integer semantics to bring them into
    #[arg(long, value_enum, default_value = "all")]
    integers: BenchIntegers,
    /// The sizes of C's types, where a table does not say it
    #[arg(long, value_enum, default_value = "lp64")]
    data_model: DataModelArg,
    /// The function to start from, or `all` [default: main, or else every function with external linkage]
    #[arg(long, value_name = "NAME|all")]
    entry: Option<String>,
    /// For each program, in seconds
    #[arg(long, default_value_t = 60.0, value_parser = super::check::seconds)]
    timeout: f64,
    /// How many programs at once [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Decide the loops, too, as `lariat check` does in the semantics c
    #[arg(long)]
    solve: bool,
    /// With --solve: show what became slower, was lost or gained since this was stored
    #[arg(long, value_name = "FILE", requires = "solve")]
    baseline: Option<PathBuf>,
    /// With --solve: store what was measured, for --baseline
    #[arg(long, value_name = "FILE", requires = "solve")]
    save: Option<PathBuf>,
    /// Print one line for each program, too
    #[arg(long)]
    each: bool,
    /// Measure the one program in this process, and print the numbers
    #[arg(long, hide = true)]
    one: bool,
    /// Flags for the compiler
    #[arg(last = true)]
    compiler_flags: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Debug)]
enum BenchIntegers {
    /// All three
    All,
    /// As C has it
    C,
    /// Two's complement everywhere
    Wrap,
    /// Signed integers are unbounded
    Ideal,
}

impl BenchIntegers {
    fn all(self) -> Vec<Integers> {
        match self {
            Self::All => vec![Integers::Wrap, Integers::Ideal, Integers::C],
            Self::C => vec![Integers::C],
            Self::Wrap => vec![Integers::Wrap],
            Self::Ideal => vec![Integers::Ideal],
        }
    }
}

pub(super) fn run(o: &Options) -> u8 {
    if o.one {
        return one(o);
    }
    show_results_on_interrupt(lariat_smt::leave);
    let programs = match listed(o) {
        Ok(programs) => programs,
        Err(message) => return fail(&message),
    };
    if o.solve {
        return solve::run(o, &programs);
    }
    let begin = Instant::now();
    let measured = measure_all(o, &programs);
    let text = report(o, &measured, begin.elapsed());
    match print(&text) {
        Err(message) => fail(&message),
        Ok(()) if measured.iter().any(|(_, m)| m.is_ours()) => 2,
        Ok(()) => 0,
    }
}

/// A program to measure.
#[derive(Debug)]
struct Listed {
    /// As it is named in the report.
    name: String,
    /// The folder that it, and its flags, are named from.
    folder: PathBuf,
    data_model: DataModelArg,
    flags: Vec<String>,
}

fn listed(o: &Options) -> Result<Vec<Listed>, String> {
    let mut all = Vec::new();
    for path in &o.files {
        if path.extension().is_none_or(|e| e != "tsv") {
            let name = path.display().to_string();
            let flags = o.compiler_flags.clone();
            all.push(Listed { name, folder: PathBuf::new(), data_model: o.data_model, flags });
            continue;
        }
        let text = read_text(path)?;
        let shown = path.display();
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let column = |name: &str| header.iter().position(|h| *h == name);
        let file = column("file").ok_or_else(|| format!("{shown} has no column `file`; name it in the first line"))?;
        let (model, flags) = (column("data_model"), column("compile_flags"));
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        for (i, line) in lines.enumerate().filter(|(_, l)| !l.is_empty()) {
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |column: Option<usize>| column.and_then(|c| cells.get(c)).copied().unwrap_or_default();
            let Some(name) = cells.get(file).filter(|n| !n.is_empty()) else {
                return Err(format!("{shown}:{}: no file is named; fill the column or take the line out", i + 2));
            };
            if !is_program(Path::new(name)) {
                continue;
            }
            let data_model = match cell(model) {
                "" => o.data_model,
                text => DataModelArg::from_str(text, true)
                    .map_err(|_| format!("{shown}:{}: `{text}` is no data model; write lp64 or ilp32", i + 2))?,
            };
            let mut flags: Vec<String> = cell(flags).split_whitespace().map(str::to_owned).collect();
            flags.extend(o.compiler_flags.iter().cloned());
            all.push(Listed { name: (*name).to_owned(), folder: folder.clone(), data_model, flags });
        }
    }
    Ok(all)
}

/// Tables may list files in other languages.
fn is_program(path: &Path) -> bool {
    let known = ["c", "i", "cpp", "cc", "cxx", "c++", "C", "ii", "bc", "ll"];
    path.extension().is_some_and(|e| known.iter().any(|k| e == *k))
}

/// What became of a program.
#[derive(Debug)]
enum Measured {
    Done(Numbers),
    /// The compiler does not take it.
    Refused(String),
    /// It cannot be read or translated, or its systems are not well formed.
    Error(String),
    Panic(String),
    TimedOut,
    NotRun,
}

impl Measured {
    /// Whether it is a fault of this tool.
    fn is_ours(&self) -> bool {
        matches!(self, Self::Error(_) | Self::Panic(_))
    }
}

/// Times in seconds.
#[derive(Debug, Default)]
struct Numbers {
    compile: f64,
    read: f64,
    translate: f64,
    lower: f64,
    verify: f64,
    /// In KiB.
    memory: u64,
    entries: u64,
    locations: u64,
    edges: u64,
}

impl Numbers {
    fn without_the_compiler(&self) -> f64 {
        self.read + self.translate + self.lower + self.verify
    }
}

fn measure_all(o: &Options, programs: &[Listed]) -> Vec<(String, Measured)> {
    let measured = over_all(o, programs, |program| in_a_process(o, program));
    programs.iter().map(|p| p.name.clone()).zip(measured.into_iter().map(|m| m.unwrap_or(Measured::NotRun))).collect()
}

/// Does something with each program, several at once, and gives what came of it in the order of the programs; nothing for those that an
/// interrupt leaves out.
fn over_all<T: Send>(o: &Options, programs: &[Listed], work: impl Fn(&Listed) -> T + Sync) -> Vec<Option<T>> {
    let bar = if std::io::stderr().is_terminal() {
        let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} programs, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::new(programs.len() as u64).with_style(style)
    } else {
        ProgressBar::hidden()
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = o.jobs.map_or(cores, usize::from).min(programs.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Option<T>)>> = Mutex::new(Vec::new());
    let each = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(program) = programs.get(i) else { break };
            let stop = is_interrupted();
            let made = if stop { None } else { Some(work(program)) };
            bar.inc(1);
            done.lock().expect("no worker panics while it holds the lock").push((i, made));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(each);
        }
        each();
    });
    bar.finish_and_clear();
    let mut all = done.into_inner().expect("no worker panics while it holds the lock");
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, made)| made).collect()
}

/// This tool on a program, in a process of its own.
fn on(o: &Options, program: &Listed, arguments: &[&str]) -> Result<Command, String> {
    let me = std::env::current_exe().map_err(|e| format!("this program cannot find itself to start anew: {e}"))?;
    let mut command = Command::new(me);
    command.args(arguments).args(["--data-model", program.data_model.name()]);
    if let Some(entry) = &o.entry {
        command.args(["--entry", entry]);
    }
    command.arg("--timeout").arg(o.timeout.to_string()).arg(&program.name).arg("--").args(&program.flags);
    if !program.folder.as_os_str().is_empty() {
        command.current_dir(&program.folder);
    }
    lariat_process::tie(&mut command, lariat_process::Limits::default());
    Ok(command)
}

/// Measures a program in a process of its own.
fn in_a_process(o: &Options, program: &Listed) -> Measured {
    let integers = o.integers.to_possible_value().expect("no value is hidden");
    let mut command = match on(o, program, &["bench", "--one", "--integers", integers.get_name()]) {
        Ok(command) => command,
        Err(message) => return Measured::Error(message),
    };
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(e) => return Measured::Error(format!("no process can be started: {e}")),
    };
    let deadline = Instant::now() + Duration::from_secs_f64(o.timeout) + Duration::from_millis(200);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Measured::TimedOut;
            }
        }
    };
    // Both are far smaller than a pipe's buffer, so the process never waits for us.
    let (mut out, mut err) = (String::new(), String::new());
    let _ = child.stdout.take().map(|mut s| s.read_to_string(&mut out));
    let _ = child.stderr.take().map(|mut s| s.read_to_string(&mut err));
    let answer: Json = match serde_json::from_str(&out) {
        Ok(answer) => answer,
        Err(_) if is_interrupted() => return Measured::NotRun,
        Err(_) => {
            let last = err.lines().rfind(|l| !l.trim().is_empty()).unwrap_or("nothing was said").to_owned();
            return Measured::Panic(format!("the process died ({status}): {last}"));
        }
    };
    let text = |key: &str| answer.get(key).and_then(Json::as_str).map(str::to_owned);
    if let Some(message) = text("refused") {
        return Measured::Refused(message);
    }
    if let Some(message) = text("panic") {
        return Measured::Panic(message);
    }
    if let Some(message) = text("error") {
        return Measured::Error(message);
    }
    let seconds = |key: &str| answer[key].as_f64().unwrap_or_default();
    let number = |key: &str| answer[key].as_u64().unwrap_or_default();
    Measured::Done(Numbers {
        compile: seconds("compile"),
        read: seconds("read"),
        translate: seconds("translate"),
        lower: seconds("lower"),
        verify: seconds("verify"),
        memory: number("memory"),
        entries: number("entries"),
        locations: number("locations"),
        edges: number("edges"),
    })
}

/// The one program, in this process.
fn one(o: &Options) -> u8 {
    let Some(path) = o.files.first() else { return fail("there is no file to measure") };
    // The message is caught below; the backtrace would be long.
    std::panic::set_hook(Box::new(|_| {}));
    let measured =
        std::thread::scope(|scope| deep_thread_in(scope, || measure(o, path)).expect("a thread can be started").join());
    let answer = measured.unwrap_or_else(|panic| json!({ "panic": panic_words(panic.as_ref()) }));
    match print(&format!("{answer}\n")) {
        Ok(()) => 0,
        Err(message) => fail(&message),
    }
}

fn measure(o: &Options, path: &Path) -> Json {
    let deadline = Instant::now() + Duration::from_secs_f64(o.timeout);
    let front = lariat_front::Options {
        flags: o.compiler_flags.clone(),
        data_model: o.data_model.of_the_front(),
        entry: match o.entry.as_deref() {
            None => EntryChoice::Default,
            Some("all") => EntryChoice::All,
            Some(name) => EntryChoice::Named(name.to_owned()),
        },
        ..lariat_front::Options::default()
    };
    let words = |f: lariat_front::Failure| match f.place {
        Some((file, line, column)) => format!("{file}:{line}:{column}: {}", f.message),
        None => f.message,
    };
    let mut clock = Clock(Instant::now());
    let bitcode = match compile::compile(path, &front) {
        Ok(bitcode) => bitcode,
        Err(f) => return json!({ "refused": words(f) }),
    };
    let compile = clock.lap();
    let module = match llvm::read(&bitcode, &path.display().to_string()) {
        Ok(module) => module,
        Err(f) => return json!({ "error": words(f) }),
    };
    let read = clock.lap();
    let entries = match lariat_front::translate::translate(&module, &front) {
        Ok(entries) => entries,
        Err(f) => return json!({ "error": words(f) }),
    };
    let translate = clock.lap();
    let (mut lowering, mut verifying) = (0.0, 0.0);
    let (mut locations, mut edges) = (0, 0);
    for entry in &entries {
        for (form, target) in o.integers.all().into_iter().flat_map(|i| entry.program.systems(i)) {
            let ts = lower(form, target);
            lowering += clock.lap();
            lariat_smt::fresh_context();
            if let Err(defect) = System::verify(&ts, &mut Z3Solver::new().direct(), Limit::default().until(deadline)) {
                return json!({ "error": format!("`{}`, {target:?}: {defect}", entry.name) });
            }
            verifying += clock.lap();
            locations += ts.locs.len();
            edges += ts.edges.len();
        }
    }
    json!({
        "compile": compile,
        "read": read,
        "translate": translate,
        "lower": lowering,
        "verify": verifying,
        "memory": peak_memory(),
        "entries": entries.len(),
        "locations": locations,
        "edges": edges,
    })
}

/// Laps in seconds.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let lap = now - self.0;
        self.0 = now;
        lap.as_secs_f64()
    }
}

/// The greatest memory of this process so far, in KiB; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or_default()
}

/// A line of the table: its title and what it shows.
type Column = (&'static str, fn(&Numbers) -> f64);

fn report(o: &Options, measured: &[(String, Measured)], time: Duration) -> String {
    let mut out = String::new();
    let count = |is: &dyn Fn(&Measured) -> bool| measured.iter().filter(|(_, m)| is(m)).count();
    if o.each {
        let _ = writeln!(out, "program\tcompile\tread\ttranslate\tlower\tverify\tkib\tlocations\tedges");
        for (name, m) in measured {
            if let Measured::Done(n) = m {
                let times = [n.compile, n.read, n.translate, n.lower, n.verify].map(|s| format!("{:.2}", s * 1000.0));
                let _ = writeln!(out, "{name}\t{}\t{}\t{}\t{}", times.join("\t"), n.memory, n.locations, n.edges);
            }
        }
        out.push('\n');
    }
    let mut named = |title: &str, pick: &dyn Fn(&Measured) -> Option<String>| {
        for (name, m) in measured {
            if let Some(why) = pick(m) {
                let _ = writeln!(out, "{title}: {name}: {why}");
            }
        }
    };
    named("refused", &|m| if let Measured::Refused(why) = m { Some(why.clone()) } else { None });
    named("error", &|m| if let Measured::Error(why) = m { Some(why.clone()) } else { None });
    named("panic", &|m| if let Measured::Panic(why) = m { Some(why.clone()) } else { None });
    named("timed out", &|m| matches!(m, Measured::TimedOut).then(|| format!("after {} s", o.timeout)));
    let done: Vec<(&str, &Numbers)> = measured
        .iter()
        .filter_map(|(name, m)| if let Measured::Done(n) = m { Some((name.as_str(), n)) } else { None })
        .collect();
    let _ = writeln!(
        out,
        "programs: {}; measured: {}; refused by clang: {}; errors: {}; panics: {}; timed out: {}; not run: {}",
        measured.len(),
        done.len(),
        count(&|m| matches!(m, Measured::Refused(_))),
        count(&|m| matches!(m, Measured::Error(_))),
        count(&|m| matches!(m, Measured::Panic(_))),
        count(&|m| matches!(m, Measured::TimedOut)),
        count(&|m| matches!(m, Measured::NotRun)),
    );
    let entries: u64 = done.iter().map(|(_, n)| n.entries).sum();
    let _ = writeln!(out, "entries: {entries}; wall time: {:.1} s", time.as_secs_f64());
    if done.is_empty() {
        return out;
    }
    let _ = writeln!(out, "\n{:24}{:>10}{:>10}{:>10}  slowest", "milliseconds", "median", "95 %", "max");
    let columns: [Column; 6] = [
        ("all but clang", Numbers::without_the_compiler),
        ("  read", |n| n.read),
        ("  translate", |n| n.translate),
        ("  lower", |n| n.lower),
        ("  verify", |n| n.verify),
        ("clang", |n| n.compile),
    ];
    for (title, value) in columns {
        let s = Spread::of(&done, value);
        let [median, most, max] = [s.median, s.most, s.max].map(|x| format!("{:.1}", x * 1000.0));
        let _ = writeln!(out, "{title:24}{median:>10}{most:>10}{max:>10}  {}", s.name);
    }
    #[expect(clippy::cast_precision_loss, reason = "a number of KiB to be rounded")]
    let s = Spread::of(&done, |n| n.memory as f64 / 1024.0);
    let [median, most, max] = [s.median, s.most, s.max].map(|x| format!("{x:.1}"));
    let _ = writeln!(out, "{:24}{median:>10}{most:>10}{max:>10}  {}", "peak memory, MiB", s.name);

    let mut slowest = done;
    slowest.sort_by(|a, b| b.1.without_the_compiler().total_cmp(&a.1.without_the_compiler()));
    let _ = writeln!(out, "\nslowest (milliseconds: all but clang = read + translate + lower + verify)");
    for (name, n) in slowest.iter().take(10) {
        let [all, read, translate, lower, verify] =
            [n.without_the_compiler(), n.read, n.translate, n.lower, n.verify].map(|x| format!("{:.1}", x * 1000.0));
        let _ = writeln!(
            out,
            "{all:>10} = {read} + {translate} + {lower} + {verify}; {} locations, {} edges  {name}",
            n.locations, n.edges
        );
    }
    out
}

/// The middle, the value that 95 of 100 do not exceed, and the greatest one with its name.
struct Spread<'a> {
    median: f64,
    most: f64,
    max: f64,
    name: &'a str,
}

impl<'a> Spread<'a> {
    fn of(done: &[(&'a str, &Numbers)], value: impl Fn(&Numbers) -> f64) -> Self {
        let mut all: Vec<(f64, &'a str)> = done.iter().map(|(name, n)| (value(n), *name)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |part: usize| all[((all.len() - 1) * part).div_ceil(100)].0;
        let (max, name) = all[all.len() - 1];
        Self { median: at(50), most: at(95), max, name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_picks_values_that_occur() {
        let numbers: Vec<Numbers> = (1..=100).map(|i| Numbers { read: f64::from(i), ..Numbers::default() }).collect();
        let names: Vec<String> = (1..=100).map(|i| format!("p{i}")).collect();
        let done: Vec<(&str, &Numbers)> = names.iter().map(String::as_str).zip(&numbers).collect();
        let s = Spread::of(&done, |n| n.read);
        assert_eq!((s.median, s.most, s.max, s.name), (51.0, 96.0, 100.0, "p100"));
        let s = Spread::of(&done[..1], |n| n.read);
        assert_eq!((s.median, s.most, s.max, s.name), (1.0, 1.0, 1.0, "p1"));
    }
}
