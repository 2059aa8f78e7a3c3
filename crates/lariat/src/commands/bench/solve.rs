//! `lariat bench --solve`: what is decided, how long it takes, and what became of it since a baseline was stored.

use super::{Listed, Options, on, over_all};
use crate::commands::write_file;
use lariat_process::console::{fail, is_interrupted, print, read_text};
use lariat_session::document::{self, Document};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The name of the format of a baseline.
const SCHEMA: &str = "lariat-bench/1";

/// What was measured: as it is stored.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct Baseline {
    schema: String,
    /// The version of the tool.
    version: String,
    /// For each program, in seconds.
    timeout: f64,
    programs: Vec<Solved>,
}

/// One program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct Solved {
    file: String,
    verdict: String,
    millis: f64,
    loops: Vec<SolvedLoop>,
}

/// One of its loops, or recursions.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct SolvedLoop {
    function: String,
    line: u32,
    column: u32,
    verdict: String,
}

const UNKNOWN: &str = "unknown";
/// What could not be analysed has this for a verdict.
const ERROR: &str = "error";

pub(super) fn run(o: &Options, programs: &[Listed]) -> u8 {
    let before = match o.baseline.as_deref().map(read).transpose() {
        Ok(before) => before,
        Err(message) => return fail(&message),
    };
    let begin = Instant::now();
    let all: Vec<Solved> = over_all(o, programs, |p| solve(o, p)).into_iter().flatten().flatten().collect();
    let now = Baseline {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        timeout: o.timeout,
        programs: all,
    };
    let mut text = summary(&now, begin.elapsed());
    let compared = before.as_ref().map(|b| compare(b, &now));
    if let Some(c) = &compared {
        text.push_str(&c.text());
    }
    let interrupted = is_interrupted();
    if let Some(path) = o.save.as_deref().filter(|_| !interrupted) {
        let json = serde_json::to_string_pretty(&now).expect("texts and numbers can be written") + "\n";
        if let Err(message) = write_file(path, &json) {
            return fail(&message);
        }
    }
    match print(&text) {
        Err(message) => fail(&message),
        Ok(()) => u8::from(compared.is_some_and(|c| !c.lost.is_empty() || !c.contradicted.is_empty())),
    }
}

fn read(path: &Path) -> Result<Baseline, String> {
    let shown = path.display();
    let next = "store one with `lariat bench --solve --save FILE`";
    let found: Baseline =
        serde_json::from_str(&read_text(path)?).map_err(|e| format!("{shown} is no baseline: {e}; {next}"))?;
    if found.schema == SCHEMA { Ok(found) } else { Err(format!("{shown} is no {SCHEMA}; {next}")) }
}

/// Analyses a program, as a user would; nothing if the user interrupts it.
fn solve(o: &Options, program: &Listed) -> Option<Solved> {
    let failed = |millis| Solved { file: program.name.clone(), verdict: ERROR.to_owned(), millis, loops: Vec::new() };
    let Ok(mut command) = on(o, program, &["check", "--format", "json", "--jobs", "1"]) else {
        return Some(failed(0.0));
    };
    let begin = Instant::now();
    let out = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let millis = (begin.elapsed().as_secs_f64() * 1e4).round() / 10.0;
    if is_interrupted() {
        return None;
    }
    let read = out.ok().and_then(|o| Document::read(&String::from_utf8_lossy(&o.stdout)).ok());
    let Some(document::Program::Analysed(found)) = read.as_ref().and_then(|d| d.programs().first()) else {
        return Some(failed(millis));
    };
    let one = |l: &document::Loop| SolvedLoop {
        function: l.function.clone().unwrap_or_default(),
        line: l.line.unwrap_or_default(),
        column: l.column.unwrap_or_default(),
        verdict: l.verdict.clone(),
    };
    let mut loops: Vec<SolvedLoop> = found.loops.iter().chain(&found.recursion).map(one).collect();
    loops.sort();
    Some(Solved { file: program.name.clone(), verdict: found.verdict.clone(), millis, loops })
}

fn summary(all: &Baseline, time: Duration) -> String {
    let programs = &all.programs;
    let loops = || programs.iter().flat_map(|p| &p.loops);
    let count = |word: &str| programs.iter().filter(|p| p.verdict == word).count();
    let decided = loops().filter(|l| l.verdict != UNKNOWN).count();
    let mut times: Vec<f64> = programs.iter().map(|p| p.millis).collect();
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len().saturating_sub(1))).copied();
    let mut out = format!(
        "{} programs in {:.1} s: {} end, {} can run for ever, {} undecided, {} with an error\n",
        programs.len(),
        time.as_secs_f64(),
        count("terminates"),
        count("diverges"),
        count(UNKNOWN),
        count(ERROR)
    );
    let _ = writeln!(out, "{decided} of {} loops decided", loops().count());
    if let (Some(half), Some(most)) = (at(50), at(90)) {
        let sum: f64 = times.iter().sum();
        let _ =
            writeln!(out, "time of a program: median {half:.1} ms, 90 % within {most:.1} ms, sum {:.1} s", sum / 1e3);
    }
    out
}

/// What became of a baseline.
#[derive(Default, Debug, PartialEq)]
struct Compared {
    /// Verdicts that are not found any more, and those that are new.
    lost: Vec<String>,
    gained: Vec<String>,
    /// Verdicts that are others now: one of the two is wrong.
    contradicted: Vec<String>,
    slower: Vec<String>,
    faster: Vec<String>,
    /// The time of all programs that are in both, in milliseconds.
    time: (f64, f64),
    /// How many programs are only here, or only there.
    only: (usize, usize),
}

/// A program counts as slower, or faster, from this factor on, if it is a matter of so many milliseconds.
const FACTOR: f64 = 1.5;
const LEAST: f64 = 50.0;

fn compare(before: &Baseline, now: &Baseline) -> Compared {
    let old: BTreeMap<&str, &Solved> = before.programs.iter().map(|p| (p.file.as_str(), p)).collect();
    let mut found = Compared::default();
    for new in &now.programs {
        let Some(old) = old.get(new.file.as_str()) else {
            found.only.0 += 1;
            continue;
        };
        found.time.0 += old.millis;
        found.time.1 += new.millis;
        let words = format!("{}: {:.0} ms, before {:.0}", new.file, new.millis, old.millis);
        if new.millis > old.millis * FACTOR && new.millis - old.millis > LEAST {
            found.slower.push(words);
        } else if old.millis > new.millis * FACTOR && old.millis - new.millis > LEAST {
            found.faster.push(words);
        }
        found.verdict(&new.file, &old.verdict, &new.verdict);
        let key = |l: &SolvedLoop| (l.function.clone(), l.line, l.column);
        let loops: BTreeMap<_, &str> = new.loops.iter().map(|l| (key(l), l.verdict.as_str())).collect();
        for l in &old.loops {
            // A loop that is not listed any more may be gone from the program.
            if let Some(verdict) = loops.get(&key(l)) {
                found.verdict(&format!("{}:{}:{}", new.file, l.line, l.column), &l.verdict, verdict);
            }
        }
    }
    let here = |p: &&Solved| now.programs.iter().any(|n| n.file == p.file);
    found.only.1 = before.programs.iter().filter(|p| !here(p)).count();
    found
}

impl Compared {
    fn verdict(&mut self, what: &str, old: &str, new: &str) {
        let open = |v: &str| v == UNKNOWN || v == ERROR;
        let list = match (open(old), open(new)) {
            _ if old == new => return,
            (true, true) => return,
            (false, true) => &mut self.lost,
            (true, false) => &mut self.gained,
            (false, false) => &mut self.contradicted,
        };
        list.push(format!("{what}: {new}, before {old}"));
    }

    fn text(&self) -> String {
        let mut out = String::from("\nagainst the baseline:\n");
        let _ =
            writeln!(out, "  time of the same programs: {:.1} s, before {:.1} s", self.time.1 / 1e3, self.time.0 / 1e3);
        let lists = [
            ("verdicts that changed: one of the two is wrong", &self.contradicted),
            ("lost", &self.lost),
            ("gained", &self.gained),
            ("slower", &self.slower),
            ("faster", &self.faster),
        ];
        for (name, list) in lists {
            let _ = writeln!(out, "  {name}: {}", list.len());
            for line in list {
                let _ = writeln!(out, "    {line}");
            }
        }
        if self.only != (0, 0) {
            let _ = writeln!(out, "  {} programs are new, {} of the baseline were not run", self.only.0, self.only.1);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(programs: &[(&str, &str, f64, &[&str])]) -> Baseline {
        let one = |&(file, verdict, millis, loops): &(&str, &str, f64, &[&str])| Solved {
            file: file.to_owned(),
            verdict: verdict.to_owned(),
            millis,
            loops: (1..)
                .zip(loops)
                .map(|(line, v)| SolvedLoop { function: "f".to_owned(), line, column: 1, verdict: (*v).to_owned() })
                .collect(),
        };
        Baseline {
            schema: SCHEMA.to_owned(),
            version: "0".to_owned(),
            timeout: 1.0,
            programs: programs.iter().map(one).collect(),
        }
    }

    #[test]
    fn what_is_lost_gained_slower_and_faster_is_told() {
        let before = measured(&[
            ("a.c", "terminates", 10.0, &["terminates", "unknown"]),
            ("b.c", "diverges", 500.0, &["diverges"]),
            ("c.c", "unknown", 20.0, &["unknown"]),
            ("gone.c", "unknown", 20.0, &[]),
        ]);
        let now = measured(&[
            ("a.c", "unknown", 200.0, &["unknown", "diverges"]),
            ("b.c", "terminates", 100.0, &["terminates"]),
            ("c.c", "error", 40.0, &[]),
            ("new.c", "unknown", 20.0, &[]),
        ]);
        let found = compare(&before, &now);
        assert_eq!(found.lost, ["a.c: unknown, before terminates", "a.c:1:1: unknown, before terminates"]);
        assert_eq!(found.gained, ["a.c:2:1: diverges, before unknown"]);
        assert_eq!(found.contradicted, ["b.c: terminates, before diverges", "b.c:1:1: terminates, before diverges"]);
        assert_eq!((found.slower.len(), found.faster.len(), found.only), (1, 1, (1, 1)));
        assert_eq!(compare(&now, &now), Compared { time: (360.0, 360.0), ..Compared::default() });
        let stored = serde_json::to_string(&now).expect("it can be written");
        assert_eq!(serde_json::from_str::<Baseline>(&stored).expect("it can be read"), now);
    }
}
