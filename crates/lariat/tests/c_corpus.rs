//! `tests/corpus/`: C programs, with the truth beside each loop.
//!
//! The truth stands on the line on which the loop statement begins, and for a recursive function on the line of its definition:
//!
//! ```c
//! while (x != 0) { //@ loop: diverges when x < 0
//! for (int i = 0; i < n; i++) { //@ loop: terminates; wrap: diverges; ideal: terminates
//! static int f(int x) { //@ recursion: terminates
//! ```
//!
//! It is `terminates`, `diverges`, `diverges when …` or `neither`, and speaks of `--integers c`; `wrap:` and `ideal:` say what
//! is otherwise there. `neither` is a loop that the environment decides, or that ends or hangs only by an overflow. Then there may be:
//!
//! - `absent`: nothing goes around, or nothing comes here, as the program text shows; the results need not mention the loop.
//! - `within N lines`: a cycle of jumps has no one place; a loop on one of the next N lines is meant, too.
//! - `copies differ`: the loop is in a function that is called from several places; it diverges if one of its copies does.
//! - `with NAME`: functions that call each other; the results may mention one of them only.
//! - `tool: unknown -- REASON`, `tool wrap: …`, `tool ideal: …`: the tool is weaker than the truth, in that semantics; `tool everywhere: …`:
//!   in all three. One reason ends the comment, for all of them.
//! - `slow`, `slow wrap`, `slow ideal`, `slow everywhere`: it is decided, but not much faster than its time allows. Undecided is accepted then, but not
//!   by a long test, which has more time.
//! - `rounds: BOUND`, `rounds wrap: …`, `rounds ideal: …`: how often it goes round at most, as the results say it.
//! - `ends when TEXT`, `ends exactly when TEXT`: it is said to end under a condition, everywhere, which begins with this text. Else an end under a condition counts as undecided.
//!
//! A line `//@ native: ends` or `//@ native: hangs` says what the compiled program does: `native_runs` tries it.
//!
//! A verdict that contradicts the truth always fails. So does a loop that has a truth (not `neither`) and is undecided, if `tool:` does not say
//! so: what is decided stays decided. And one that is decided while `tool:` says unknown fails, so that it is brought up to date; but not if that took more than
//! a third of its time, since on another machine it stays open.
//!
//! A busy machine must not make a test fail: what is undecided and should not be is looked at once more, with more time. Programs of
//! which a loop is expected to stay undecided get less time than others, since they use all of it; a long test (`LARIAT_LONG=1`, which `./test --long`
//! sets) gives them the same.
//!
//! Each folder is a test, so that they run side by side; each prints how much of its folder is decided.

use lariat_session::results::ReasonKind;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The time of a program whose loops are all decided, in milliseconds. Most take a tenth of a second.
const TIMEOUT: u32 = 3_000;
/// The time of one of which a loop stays undecided.
const TIMEOUT_OF_OPEN: u32 = 600;
/// The time of a second look, and of slow loops in a long test.
const TIMEOUT_AGAIN: u32 = 15_000;

/// Whether there is time to look at everything.
fn is_long() -> bool {
    std::env::var_os("LARIAT_LONG").is_some_and(|v| !v.is_empty() && v != "0")
}

macro_rules! folders {
    ($($test:ident: $folder:literal,)*) => {
        const FOLDERS: &[&str] = &[$($folder),*];
        $(
            #[test]
            fn $test() {
                check_folder($folder);
            }
        )*
    };
}

folders! {
    addresses: "addresses",
    aliasing: "aliasing",
    arguments: "arguments",
    assembly: "assembly",
    at_exit: "at-exit",
    bit_fields: "bit-fields",
    bool: "bool",
    calls: "calls",
    conditions: "conditions",
    const_functions: "const-functions",
    dangling: "dangling",
    float: "float",
    inner_loops: "inner-loops",
    integers: "integers",
    irreducible: "irreducible",
    jumps: "jumps",
    library: "library",
    links: "links",
    library_state: "library-state",
    memory: "memory",
    narrowing: "narrowing",
    noreturn: "noreturn",
    null_stores: "null-stores",
    orbits: "orbits",
    path_automaton: "path-automaton",
    ranking: "ranking",
    recursion: "recursion",
    registers: "registers",
    returns_twice: "returns-twice",
    sections: "sections",
    setjmp: "setjmp",
    short_circuit: "short-circuit",
    signals: "signals",
    signed_char_and_shifts: "signed-char-and-shifts",
    stems: "stems",
    streams: "streams",
    switch: "switch",
    undefined: "undefined",
    uninitialised: "uninitialised",
    unsigned_wrap: "unsigned-wrap",
    views: "views",
    volatile_and_atomic: "volatile-and-atomic",
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Integers {
    C,
    Wrap,
    Ideal,
}

impl Integers {
    const ALL: [Self; 3] = [Self::C, Self::Wrap, Self::Ideal];

    fn word(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Wrap => "wrap",
            Self::Ideal => "ideal",
        }
    }
}

/// What is so, or what is said; as the latter, `Open` is an unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Word {
    Terminates,
    Diverges,
    Open,
}

impl Word {
    fn truth(text: &str) -> Result<Self, String> {
        match text.split_once(" when ") {
            Some(("diverges", condition)) if !condition.trim().is_empty() => return Ok(Self::Diverges),
            Some(_) => return Err(format!("`{text}`: only `diverges` has a `when`, and a condition behind it")),
            None => {}
        }
        match text {
            "terminates" => Ok(Self::Terminates),
            "diverges" => Ok(Self::Diverges),
            "neither" => Ok(Self::Open),
            _ => Err(format!("`{text}` is no truth: say terminates, diverges, diverges when …, or neither")),
        }
    }

    fn verdict(entry: &Json) -> Result<Self, String> {
        match entry["verdict"].as_str() {
            Some("terminates") if entry["when"].is_string() => Ok(Self::Open),
            Some("terminates") => Ok(Self::Terminates),
            Some("diverges") => Ok(Self::Diverges),
            Some("unknown") => Ok(Self::Open),
            _ => Err(format!("`{}` is no verdict", entry["verdict"])),
        }
    }

    /// Whether saying this is a lie. To say nothing never is.
    fn contradicts(self, truth: Self) -> bool {
        self != Self::Open && self != truth
    }
}

#[derive(Debug)]
struct Truth {
    /// The function that it is in, or whose recursion this is about.
    function: String,
    recursion: bool,
    line: u64,
    /// How many lines further the cycle may be said to stand.
    within: u64,
    /// In the order of [`Integers::ALL`].
    words: [Word; 3],
    /// Where the tool is expected to say unknown.
    weaker: [bool; 3],
    /// Where its time may not be enough.
    slow: [bool; 3],
    absent: bool,
    copies_differ: bool,
    with: Option<String>,
    rounds: [Option<String>; 3],
    ends_when: Option<(String, bool)>,
}

impl Truth {
    fn word(&self, integers: Integers) -> Word {
        self.words[integers as usize]
    }

    /// Whether to leave it undecided is no failure.
    fn may_stay_open(&self, integers: Integers) -> bool {
        let n = integers as usize;
        self.words[n] == Word::Open || self.weaker[n] || self.slow[n] && !is_long()
    }
}

/// How long a program may take at first.
fn time_of(truths: &[Truth], integers: Integers) -> u32 {
    let n = integers as usize;
    let stays_open = |t: &Truth| t.word(integers) == Word::Open || t.weaker[n];
    match (is_long(), truths.iter().any(stays_open)) {
        (false, true) => TIMEOUT_OF_OPEN,
        _ if is_long() && truths.iter().any(|t| t.slow[n]) => TIMEOUT_AGAIN,
        _ => TIMEOUT,
    }
}

/// The truths of a program; each comment that begins with `//@` is one.
fn truths(text: &str) -> Result<Vec<Truth>, String> {
    let mut all = Vec::new();
    let mut function = String::new();
    for (line, text) in (1..).zip(text.lines()) {
        let (code, note) = text.split_once("//@").map_or((text, None), |(code, note)| (code, Some(note)));
        let definition = if code.starts_with([' ', '}']) { None } else { defined(code) };
        function = definition.clone().unwrap_or(function);
        // How the compiled program behaves is another test's.
        if let Some(note) = note.filter(|n| !n.trim_start().starts_with("native:")) {
            let t = truth(line, &function, note).map_err(|e| format!("line {line}: {e}"))?;
            if t.recursion && definition.is_none() {
                return Err(format!("line {line}: `recursion` stands beside a function's definition"));
            }
            all.push(t);
        }
    }
    if all.is_empty() { Err("no loop has its truth beside it".into()) } else { Ok(all) }
}

fn truth(line: u64, function: &str, note: &str) -> Result<Truth, String> {
    let (kind, rest) = note.split_once(':').ok_or("a truth is `//@ loop: …` or `//@ recursion: …`")?;
    let recursion = match kind.trim() {
        "loop" => false,
        "recursion" => true,
        other => return Err(format!("`{other}` has no truth; `loop` and `recursion` have")),
    };
    // A reason is free text, which ends the comment.
    let (rest, reason) = match rest.split_once(" -- ") {
        Some((rest, reason)) => (rest, Some(reason.trim())),
        None => (rest, None),
    };
    let mut clauses = rest.split(';').map(str::trim);
    let word = Word::truth(clauses.next().unwrap_or_default())?;
    let mut t = Truth {
        function: function.to_owned(),
        recursion,
        line,
        within: 0,
        words: [word; 3],
        weaker: [false; 3],
        slow: [false; 3],
        absent: false,
        copies_differ: false,
        with: None,
        rounds: [const { None }; 3],
        ends_when: None,
    };
    for clause in clauses {
        let weaker = |t: &mut Truth, integers: &[Integers], word: &str| {
            for i in integers {
                t.weaker[*i as usize] = true;
            }
            if word.trim() != "unknown" || reason.is_none_or(str::is_empty) {
                return Err(format!("`{clause}`: say `unknown -- ` and the reason"));
            }
            Ok(())
        };
        if let Some(condition) = clause.strip_prefix("ends exactly when ") {
            t.ends_when = Some((condition.to_owned(), true));
            continue;
        }
        if let Some(condition) = clause.strip_prefix("ends when ") {
            t.ends_when = Some((condition.to_owned(), false));
            continue;
        }
        match clause.split_once(':') {
            Some(("wrap", word)) => t.words[Integers::Wrap as usize] = Word::truth(word.trim())?,
            Some(("ideal", word)) => t.words[Integers::Ideal as usize] = Word::truth(word.trim())?,
            Some(("tool", word)) => weaker(&mut t, &[Integers::C], word)?,
            Some(("tool wrap", word)) => weaker(&mut t, &[Integers::Wrap], word)?,
            Some(("tool ideal", word)) => weaker(&mut t, &[Integers::Ideal], word)?,
            Some(("tool everywhere", word)) => weaker(&mut t, &Integers::ALL, word)?,
            Some(("rounds", bound)) => t.rounds[Integers::C as usize] = Some(bound.trim().to_owned()),
            Some(("rounds wrap", bound)) => t.rounds[Integers::Wrap as usize] = Some(bound.trim().to_owned()),
            Some(("rounds ideal", bound)) => t.rounds[Integers::Ideal as usize] = Some(bound.trim().to_owned()),
            Some(_) => return Err(format!("`{clause}` is no clause of a truth")),
            None if clause == "absent" => t.absent = true,
            None if clause == "copies differ" => t.copies_differ = true,
            None if clause == "slow" => t.slow[Integers::C as usize] = true,
            None if clause == "slow wrap" => t.slow[Integers::Wrap as usize] = true,
            None if clause == "slow ideal" => t.slow[Integers::Ideal as usize] = true,
            None if clause == "slow everywhere" => t.slow = [true; 3],
            None => match clause.split(' ').collect::<Vec<_>>()[..] {
                ["with", name] if t.recursion => t.with = Some(name.to_owned()),
                ["within", n, "lines"] => t.within = n.parse().map_err(|_| format!("`{n}` is no number of lines"))?,
                _ => return Err(format!("`{clause}` is no clause of a truth")),
            },
        }
    }
    if reason.is_some() && t.weaker == [false; 3] {
        return Err("a reason belongs to `tool: unknown`".into());
    }
    if reason.is_some_and(|r| r.contains("; tool")) {
        return Err("a reason ends the comment: what is unknown elsewhere, too, stands before it".into());
    }
    for integers in Integers::ALL {
        let n = integers as usize;
        if t.words[n] == Word::Open && (t.weaker[n] || t.slow[n]) {
            return Err(format!("`neither` in `{}`: unknown is all that can be said of it", integers.word()));
        }
        if t.weaker[n] && t.slow[n] {
            return Err(format!("in `{}` it is unknown, or slow", integers.word()));
        }
    }
    let [c, wrap, ideal] = t.words;
    // `c` ends iff it ends over Z and does not hang by an overflow; and a run for ever in which no overflow decides is one
    // everywhere. With `ideal`, inputs have no bounds either, so that less ends.
    if ideal == Word::Terminates && wrap != Word::Diverges && c != Word::Terminates {
        return Err("what ends in `ideal` ends in `c`, unless it hangs in `wrap`".into());
    }
    if c == Word::Diverges && (wrap, ideal) != (Word::Diverges, Word::Diverges) {
        return Err("what diverges in `c` diverges everywhere".into());
    }
    Ok(t)
}

/// The function that is defined on a line.
fn defined(code: &str) -> Option<String> {
    let (before, _) = code.trim_end().strip_suffix('{')?.rsplit_once('(')?;
    let name: String = before.chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then(|| name.chars().rev().collect())
}

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

/// What is in a folder, in alphabetical order.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("a folder can be listed").path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The results for each of the files, each within so many seconds.
fn results(files: &[&Path], integers: Integers, time: u32) -> Vec<Json> {
    if files.is_empty() {
        return Vec::new();
    }
    let o = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["check", "--format", "json", "--jobs", "1"])
        .args(["--timeout", &(f64::from(time) / 1000.0).to_string()])
        .args(["--integers", integers.word()])
        .args(files)
        .output()
        .expect("the tool starts");
    let said = String::from_utf8_lossy(&o.stderr);
    let json: Json = serde_json::from_slice(&o.stdout)
        .unwrap_or_else(|e| panic!("--integers {}: no JSON: {e}\n{said}", integers.word()));
    let programs = json["programs"].as_array().cloned().unwrap_or_else(|| vec![json]);
    assert_eq!(programs.len(), files.len(), "each file has its results");
    programs
}

#[derive(Default)]
struct Score {
    decided: usize,
    all: usize,
}

impl Score {
    fn add(&mut self, other: &Self) {
        self.decided += other.decided;
        self.all += other.all;
    }
}

/// The results for one program, beside its truths.
#[derive(Default)]
struct Compared {
    /// What contradicts them.
    wrong: Vec<String>,
    /// What is undecided, and is not said to be.
    open: Vec<String>,
    score: Score,
}

impl Compared {
    fn problems(&self) -> impl Iterator<Item = &String> {
        self.wrong.iter().chain(&self.open)
    }
}

fn compare(truths: &[Truth], json: &Json, integers: Integers) -> Compared {
    let Compared { mut wrong, mut open, mut score } = Compared::default();
    if let Some(error) = json.get("error") {
        return Compared { wrong: vec![format!("error: {error}")], ..Compared::default() };
    }
    if json["contradictions"].as_array().is_some_and(|c| !c.is_empty()) {
        wrong.push(format!("contradictions: {}", json["contradictions"]));
    }
    // What is said of each truth.
    let mut said: Vec<Vec<Word>> = vec![Vec::new(); truths.len()];
    let mut reasons: Vec<String> = vec![String::new(); truths.len()];
    let reason = |entry: &Json| entry["reason"].as_str().unwrap_or("no reason is given").to_owned();
    let entries = |key: &str| json[key].as_array().cloned().unwrap_or_default();
    for entry in entries("loops") {
        let Some(line) = entry["line"].as_u64() else {
            wrong.push(format!("a loop without a line: {}", entry["id"]));
            continue;
        };
        // A tail call may have become a jump: then recursion is a loop.
        let at = truths
            .iter()
            .position(|t| !t.recursion && t.line == line)
            .or_else(|| truths.iter().position(|t| (t.line..=t.line + t.within).contains(&line)));
        if let Some(rounds) = at.and_then(|at| truths[at].rounds[integers as usize].as_deref())
            && entry["bound"].as_str() != Some(rounds)
        {
            wrong.push(format!("line {line}: the bound is {}, expected {rounds}", entry["bound"]));
        }
        if let Some((condition, exactly)) = at.and_then(|at| truths[at].ends_when.as_ref())
            && !(entry["verdict"] == "terminates"
                && entry["exactly"] == *exactly
                && entry["when"].as_str().is_some_and(|w| w.starts_with(condition)))
        {
            wrong.push(format!(
                "line {line}: it is {} when {}, expected an end when {condition}",
                entry["verdict"], entry["when"]
            ));
        }
        match (at, Word::verdict(&entry)) {
            (Some(at), Ok(word)) => {
                said[at].push(word);
                if word == Word::Open {
                    reasons[at] = reason(&entry);
                }
            }
            (None, _) => wrong.push(format!("line {line}: a loop without a truth beside it")),
            (_, Err(e)) => wrong.push(format!("line {line}: {e}")),
        }
    }
    for entry in entries("recursion") {
        let word = match Word::verdict(&entry) {
            Ok(word) => word,
            Err(e) => {
                wrong.push(format!("recursion: {e}: {entry}"));
                continue;
            }
        };
        // What is about a function as a whole, and undecided, is about its loops, too.
        let function = concerned(&entry);
        let about = |t: &&Truth| function == Some(t.function.as_str()) || t.recursion && entry["line"] == t.line;
        let loops = |t: &&Truth| about(t) && !t.recursion && word == Word::Open;
        if let Some(at) = truths.iter().position(|t| t.recursion && about(&t)) {
            said[at].push(word);
            reasons[at] = reason(&entry);
        } else if truths.iter().any(|t| loops(&t)) {
            for (_, words) in truths.iter().zip(&mut said).filter(|(t, _)| loops(t)) {
                words.push(word);
            }
        } else {
            wrong.push(format!("recursion without a truth: {entry}"));
        }
    }
    for ((t, words), reason) in truths.iter().zip(&said).zip(&reasons) {
        let truth = t.word(integers);
        let of = if t.recursion { format!("recursion of `{}`", t.function) } else { "loop".to_owned() };
        if words.is_empty() {
            let partner = truths.iter().position(|other| other.recursion && t.with.as_ref() == Some(&other.function));
            // A program that was not read within its time, on a busy machine, or did not answer, has no loops that could be listed: it is
            // undecided.
            let late = json["reason_code"] == ReasonKind::TimeUp.code();
            if late && !t.absent && !t.may_stay_open(integers) {
                open.push(format!("line {}: the {of} was not looked at in time", t.line));
            } else if !t.absent && !late && partner.is_none_or(|p| said[p].is_empty()) {
                wrong.push(format!("line {}: the {of} is missing", t.line));
            }
            continue;
        }
        let words = if t.copies_differ { vec![merged(words)] } else { words.clone() };
        for word in &words {
            if word.contradicts(truth) {
                wrong.push(format!("line {}: WRONG: the {of} is said to be {word:?}, the truth is {truth:?}", t.line));
            }
        }
        let decided = words.iter().all(|w| *w != Word::Open);
        if decided && t.weaker[integers as usize] && !is_narrow(json, time_of(truths, integers)) {
            wrong.push(format!("line {}: the {of} is decided by now; take `tool: unknown` out", t.line));
        }
        if !decided && !t.may_stay_open(integers) {
            let clause = if integers == Integers::C { "tool".to_owned() } else { format!("tool {}", integers.word()) };
            open.push(format!(
                "line {}: the {of} is undecided, the truth is {truth:?}; if the tool cannot do better, say `; {clause}: unknown -- WHY`: {reason}",
                t.line
            ));
        }
        score.all += usize::from(truth != Word::Open);
        score.decided += usize::from(decided && truth != Word::Open);
    }
    match Word::verdict(json) {
        Ok(Word::Terminates) if truths.iter().any(|t| t.word(integers) != Word::Terminates) => {
            wrong.push("WRONG: the program is said to terminate, and a loop of it does not".into());
        }
        Ok(Word::Diverges) if truths.iter().all(|t| t.word(integers) == Word::Terminates) => {
            wrong.push("WRONG: the program is said to diverge, and all of its loops terminate".into());
        }
        Ok(_) => {}
        Err(e) => wrong.push(format!("the program: {e}")),
    }
    Compared { wrong, open, score }
}

/// Whether a program took more than a third of its time.
fn is_narrow(json: &Json, time: u32) -> bool {
    json["millis"].as_f64().is_some_and(|millis| 3.0 * millis > f64::from(time))
}

/// One diverges, or all terminate.
fn merged(copies: &[Word]) -> Word {
    [Word::Diverges, Word::Open].into_iter().find(|w| copies.contains(w)).unwrap_or(Word::Terminates)
}

/// The function that an entry about recursion is about: its own, or else the one that it names.
fn concerned(entry: &Json) -> Option<&str> {
    let named = || entry["id"].as_str().and_then(|id| id.split('`').nth(1));
    entry["function"].as_str().or_else(named)
}

/// What comes of each program. Those that have the same time are one call of the tool.
fn compared(files: &[PathBuf], truths: &[Vec<Truth>], integers: Integers) -> Vec<Compared> {
    let mut found: Vec<Compared> = files.iter().map(|_| Compared::default()).collect();
    let mut look = |which: &[usize], time: u32| {
        let paths: Vec<&Path> = which.iter().map(|n| files[*n].as_path()).collect();
        for (n, json) in which.iter().zip(results(&paths, integers, time)) {
            found[*n] = compare(&truths[*n], &json, integers);
        }
        which.iter().copied().filter(|n| !found[*n].open.is_empty()).collect::<Vec<_>>()
    };
    let mut again = Vec::new();
    for time in BTreeSet::from([TIMEOUT_OF_OPEN, TIMEOUT, TIMEOUT_AGAIN]) {
        let which: Vec<usize> = (0..files.len()).filter(|n| time_of(&truths[*n], integers) == time).collect();
        again.extend(look(&which, time));
    }
    for n in &again {
        println!("{}: --integers {}: once more, with more time", name(&files[*n]), integers.word());
    }
    look(&again, TIMEOUT_AGAIN);
    found
}

fn check_folder(folder: &str) {
    let files = listed(&corpus().join(folder));
    let mut wrong = String::new();
    let mut known = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a corpus file can be read");
        known.push(truths(&text).unwrap_or_else(|e| panic!("{folder}/{}: {e}", name(file))));
    }
    let mut report = format!("{folder}: {} programs; decided:", files.len());
    for integers in Integers::ALL {
        let mut score = Score::default();
        for (file, compared) in files.iter().zip(compared(&files, &known, integers)) {
            score.add(&compared.score);
            for w in compared.problems() {
                let _ = write!(wrong, "\n{folder}/{}: --integers {}: {w}", name(file), integers.word());
            }
        }
        let _ = write!(report, " {} {} of {};", integers.word(), score.decided, score.all);
    }
    println!("{report}");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_folder_has_its_test_and_every_program_its_truths() {
    let folders = listed(&corpus());
    let named: BTreeSet<String> = folders.iter().map(|f| name(f)).collect();
    assert_eq!(named, FOLDERS.iter().map(|f| (*f).to_owned()).collect::<BTreeSet<_>>());
    let mut programs = 0;
    for folder in folders {
        let of = name(&folder);
        let mut words = Vec::new();
        for file in listed(&folder) {
            assert_eq!(file.extension().and_then(|e| e.to_str()), Some("c"), "{of}/{}", name(&file));
            let text = std::fs::read_to_string(&file).expect("a corpus file can be read");
            assert!(text.starts_with("// "), "{of}/{}: the first line says what the trap is", name(&file));
            let found = truths(&text).unwrap_or_else(|e| panic!("{of}/{}: {e}", name(&file)));
            words.extend(found.iter().map(|t| t.word(Integers::C)));
            programs += 1;
        }
        // A tool that always says the same must not pass.
        assert!(words.contains(&Word::Terminates) && words.contains(&Word::Diverges), "{of} has both kinds of loops");
    }
    assert!(programs >= 200, "the corpus has shrunk to {programs} programs");
}

#[test]
fn a_bad_comment_is_noticed() {
    let bad = [
        "int x;",
        "while (1) { //@ loop terminates",
        "while (1) { //@ loop: ends",
        "while (1) { //@ loop: terminates when x > 0",
        "while (1) { //@ loop: diverges when ",
        "while (1) { //@ lop: terminates",
        "while (1) { //@ loop: terminates; wrp: diverges",
        "while (1) { //@ loop: neither; ideal: terminates",
        "while (1) { //@ loop: diverges; wrap: terminates",
        "while (1) { //@ loop: terminates; within some lines",
        "while (1) { //@ loop: terminates; with f",
        "while (1) { //@ loop: terminates; tool: unknown",
        "while (1) { //@ loop: terminates; tool: diverges -- it is wrong",
        "while (1) { //@ loop: terminates -- for a reason",
        "while (1) { //@ loop: terminates; tool: unknown -- a reason; tool ideal: unknown -- another",
        "while (1) { //@ loop: neither; tool: unknown -- a reason",
        "while (1) { //@ loop: neither; slow",
        "while (1) { //@ loop: terminates; slow; tool: unknown -- a reason",
        "while (1) { //@ loop: terminates; slow somewhere",
        "int x; //@ recursion: terminates",
    ];
    for text in bad {
        assert!(truths(text).is_err(), "{text}");
    }
    let text =
        "static int f(int x) { //@ recursion: terminates; wrap: neither; with g; tool ideal: unknown -- too hard; yes";
    let found = truths(text).expect("it is a truth");
    assert_eq!((found[0].recursion, found[0].function.as_str()), (true, "f"));
    assert_eq!((found[0].words[1], found[0].weaker), (Word::Open, [false, false, true]));
    let found =
        truths("while (x) { //@ loop: diverges; tool wrap: unknown; slow; slow ideal -- why").expect("it is a truth");
    assert_eq!((found[0].weaker, found[0].slow), ([false, true, false], [true, false, true]));
}

#[test]
fn results_that_contradict_the_truth_are_noticed() {
    let truths = truths(
        "int f(int x) { //@ recursion: diverges\n\
         while (x) { //@ loop: terminates\n\
         while (y) { //@ loop: neither; absent\n",
    )
    .expect("these are truths");
    let judged = |first: &str, second: &str, recursion: Json, verdict: &str| {
        let loops = serde_json::json!([{ "line": 2, "verdict": first }, { "line": 3, "verdict": second }]);
        let json = serde_json::json!({ "verdict": verdict, "loops": loops, "recursion": recursion });
        problems(&truths, &json)
    };
    let at = |verdict: &str| serde_json::json!([{ "line": 1, "verdict": verdict }]);
    assert_eq!(judged("terminates", "unknown", at("diverges"), "diverges"), 0);
    let of = serde_json::json!([{ "line": null, "function": "f", "verdict": "unknown" }]);
    assert_eq!(judged("terminates", "unknown", of, "unknown"), 1);
    assert_eq!(judged("unknown", "unknown", at("unknown"), "unknown"), 2);
    assert_eq!(judged("diverges", "unknown", at("diverges"), "unknown"), 1);
    assert_eq!(judged("terminates", "terminates", at("diverges"), "unknown"), 1);
    assert_eq!(judged("terminates", "diverges", at("terminates"), "unknown"), 2);
    assert_eq!(judged("terminates", "unknown", at("diverges"), "terminates"), 1);
    assert_eq!(judged("terminates", "unknown", serde_json::json!([]), "unknown"), 1);
    assert_eq!(judged("maybe", "unknown", at("diverges"), "unknown"), 2);
    let odd =
        serde_json::json!({ "verdict": "unknown", "loops": [{ "line": 9, "verdict": "unknown" }], "recursion": [] });
    assert_eq!(problems(&truths, &odd), 3);
    let open = serde_json::json!([{ "id": "the loops of `late`", "function": null, "verdict": "unknown" }]);
    let late = self::truths("void late(void) {\n    while (1) { //@ loop: diverges\n").expect("this is a truth");
    for (verdict, expected) in [("unknown", 1), ("terminates", 2)] {
        let json = serde_json::json!({ "verdict": verdict, "loops": [], "recursion": open });
        assert_eq!(problems(&late, &json), expected);
    }
    let missing = serde_json::json!({ "verdict": "unknown", "loops": [], "recursion": [] });
    assert_eq!(problems(&late, &missing), 1);
    let failed = serde_json::json!({ "error": "no" });
    assert_eq!(problems(&truths, &failed), 1);
}

fn problems(truths: &[Truth], json: &Json) -> usize {
    compare(truths, json, Integers::C).problems().count()
}

#[test]
fn what_is_undecided_is_said_to_be() {
    let found = |note: &str, verdict: &str, integers: Integers| {
        let known = truths(&format!("while (x) {{ //@ loop: {note}\n")).expect("it is a truth");
        let json = serde_json::json!({ "verdict": "unknown", "loops": [{ "line": 1, "verdict": verdict }] });
        let c = compare(&known, &json, integers);
        (c.wrong.len(), c.open.len())
    };
    let (fine, wrong, open) = ((0, 0), (1, 0), (0, 1));
    for integers in Integers::ALL {
        assert_eq!(found("diverges", "diverges", integers), fine);
        assert_eq!(found("diverges", "unknown", integers), open);
        assert_eq!(found("neither", "unknown", integers), fine);
        assert_eq!(found("diverges; tool everywhere: unknown -- why", "unknown", integers), fine);
        assert_eq!(found("diverges; tool everywhere: unknown -- why", "diverges", integers), wrong);
        assert_eq!(found("diverges; slow everywhere", "diverges", integers), fine);
        assert_eq!(found("diverges; slow everywhere", "terminates", integers), wrong);
        assert_eq!(found("diverges; slow everywhere", "unknown", integers), if is_long() { open } else { fine });
    }
    let known = truths("while (x) { //@ loop: diverges; tool: unknown -- why\n").expect("it is a truth");
    for (millis, expected) in [(100, 1), (900, 0)] {
        let json = serde_json::json!({ "verdict": "diverges", "millis": millis, "loops": [{ "line": 1, "verdict": "diverges" }] });
        assert_eq!(compare(&known, &json, Integers::C).wrong.len(), expected, "decided in {millis} ms");
    }
    let note = "terminates; wrap: diverges; tool wrap: unknown -- why";
    assert_eq!(found(note, "unknown", Integers::Wrap), fine);
    assert_eq!(found(note, "unknown", Integers::C), open);
    assert_eq!(found(note, "unknown", Integers::Ideal), open);
    // What was not looked at in time is undecided, not missing.
    let late = truths("while (x) { //@ loop: diverges\n").expect("it is a truth");
    let json = serde_json::json!({ "verdict": "unknown", "reason_code": ReasonKind::TimeUp.code() });
    let c = compare(&late, &json, Integers::C);
    assert_eq!((c.wrong.len(), c.open.len()), open);
}
