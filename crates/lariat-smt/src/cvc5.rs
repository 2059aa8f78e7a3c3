//! cvc5 as a process that speaks SMT-LIB: a second opinion that shares no code with Z3.

use crate::query_log::QueryLog;
use crate::sexpr::Sexprs;
use crate::solver::{Answer, DirectSolver, Level, Limit, Solver, Stack, WhyKind, count_question};
use crate::watchdog::{self, Bell};
use lariat_ir::{Op, Term, Terms, Value, smtlib};
use lariat_process::Limits;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{self, Write as _};
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// No honest answer is longer.
const LONGEST_ANSWER: u64 = 1 << 26;

/// So many resource units of Z3 for one of cvc5.
const Z3_UNITS: u64 = 200;

/// The address space of a process: cvc5 has no limit of its own.
const MEMORY: u64 = 2 << 30;

/// A cvc5 process. It ends with the thread that starts it.
///
/// cvc5 counts resources in coarser units than Z3: it gets one for two hundred of [`Limit::rlimit`], which is about
/// the same time. The limit is an option of the process, so a check with another one starts another process. The wall
/// clock ends the process.
pub struct Cvc5Solver {
    program: PathBuf,
    process: Option<Process>,
    stack: Stack,
    names: HashMap<Term, usize>,
    log: QueryLog,
}

/// cvc5 cannot be started.
#[derive(Debug)]
pub struct NoCvc5 {
    program: PathBuf,
    cause: io::Error,
}

impl fmt::Display for NoCvc5 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cvc5 cannot be started as `{}` ({}): install it, for example with `apt-get install cvc5`, or set LARIAT_CVC5 to its path",
            self.program.display(),
            self.cause
        )
    }
}

impl std::error::Error for NoCvc5 {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

impl Cvc5Solver {
    /// A solver without assertions: `$LARIAT_CVC5`, else `cvc5` on the path.
    pub fn new() -> Result<Self, NoCvc5> {
        let set = std::env::var_os("LARIAT_CVC5").filter(|v| !v.is_empty());
        Self::at(set.map_or_else(|| PathBuf::from("cvc5"), PathBuf::from))
    }

    /// A solver without assertions, of this program.
    pub fn at(program: impl Into<PathBuf>) -> Result<Self, NoCvc5> {
        let program = program.into();
        match Process::start(&program, Limit::DEFAULT_RLIMIT) {
            Ok(process) => Ok(Self {
                program,
                process: Some(process),
                stack: Stack::default(),
                names: HashMap::new(),
                log: QueryLog::of_user(),
            }),
            Err(cause) => Err(NoCvc5 { program, cause }),
        }
    }

    /// The same solver, with the questions that it cannot answer kept in this log. Default is [`QueryLog::of_user`].
    pub fn with_log(mut self, log: QueryLog) -> Self {
        self.log = log;
        self
    }

    /// Asks; if a process that was asked other things before fails, a new one is asked that has seen nothing but the assertions. cvc5
    /// has been seen to end itself over what earlier levels left behind.
    fn run(&mut self, terms: &Terms, limit: Limit) -> Result<Answer, WhyKind> {
        let deadline = Instant::now() + limit.left();
        let limit = limit.until(deadline);
        let used = self.process.as_ref().is_some_and(|p| p.questions > 0);
        match self.attempt(terms, limit) {
            Err(WhyKind::Crashed(_)) if used => self.attempt(terms, limit),
            answer => answer,
        }
    }

    fn attempt(&mut self, terms: &Terms, limit: Limit) -> Result<Answer, WhyKind> {
        let deadline = Instant::now() + limit.left();
        if fills_with_no_constant(terms, self.stack.asserted()) {
            return Err(WhyKind::Incomplete("cvc5 has no array that is filled with what is no constant".to_owned()));
        }
        // While it is out of its place the process is in doubt, and an early return ends it.
        let mut process = match self.process.take().filter(|p| p.rlimit == limit.rlimit) {
            Some(process) => process,
            None => Process::start(&self.program, limit.rlimit).map_err(|e| WhyKind::Crashed(e.to_string()))?,
        };
        let guard = watchdog::watch(deadline, process.child.clone());
        let talk = self.talk(terms, &mut process);
        let late = guard.disarm();
        match talk {
            Err(_) if late => Err(WhyKind::WallClock),
            // It ends itself over what it cannot do, such as two different constant arrays in one chain of stores.
            Err(words) if words.contains("support") => Err(WhyKind::Incomplete(words)),
            Err(words) => Err(WhyKind::Crashed(words)),
            Ok(_) if late => Err(WhyKind::WallClock),
            Ok(Said::Unsat) => {
                self.process = Some(process);
                Ok(Answer::Unsat)
            }
            Ok(Said::Sat(values)) => {
                self.process = Some(process);
                let unreadable = || WhyKind::Incomplete("the model cannot be read".to_owned());
                self.stack.confirm(terms, values.ok_or_else(unreadable)?)
            }
            Ok(Said::Unknown(why)) => {
                self.process = Some(process);
                Err(match why.as_str() {
                    "resourceout" => WhyKind::ResourceLimit,
                    "timeout" => WhyKind::WallClock,
                    _ => WhyKind::Incomplete(why),
                })
            }
        }
    }

    /// Brings the process to what the stack holds, and asks. An error is what makes the process useless.
    fn talk(&mut self, terms: &Terms, process: &mut Process) -> Result<Said, String> {
        let mut commands = process.catch_up(&self.stack, |out, known, t| {
            let floats = smtlib::float_results(terms, &[t]);
            for &s in terms.symbols(t).iter().chain(&floats) {
                let next = self.names.len();
                let number = *self.names.entry(s).or_insert(next);
                if known.insert(number) {
                    let _ = writeln!(out, "(declare-const s{number} {})", smtlib::sort(terms.sort(s)));
                }
            }
            let name = |s: Term| format!("s{}", self.names[&s]);
            // Said again with each assertion: what was said within a level is forgotten with it.
            for &f in &floats {
                let _ = writeln!(out, "(assert {})", smtlib::float_definition(terms, f, name));
            }
            let text = smtlib::term_with(terms, t, name);
            let _ = writeln!(out, "(assert {text})");
        });
        commands.push_str("(check-sat)\n");
        match process.ask(&commands)?.as_str() {
            "unsat" => Ok(Said::Unsat),
            "sat" => {
                let symbols = self.stack.symbols(terms);
                if symbols.is_empty() {
                    return Ok(Said::Sat(Some(BTreeMap::new())));
                }
                let names: Vec<String> = symbols.iter().map(|s| format!("s{}", self.names[s])).collect();
                let answer = process.ask(&format!("(get-value ({}))\n", names.join(" ")))?;
                Ok(Said::Sat(read_values(terms, &symbols, &names, &answer)))
            }
            "unknown" => {
                let answer = process.ask("(get-info :reason-unknown)\n")?;
                let why = answer.trim_start_matches("(:reason-unknown").trim_end_matches(')').trim();
                Ok(Said::Unknown(why.to_owned()))
            }
            other => Err(format!("cvc5 said: {}", other.chars().take(200).collect::<String>())),
        }
    }
}

/// What cvc5 refuses: `((as const ...) t)` where `t` is no value.
fn fills_with_no_constant(terms: &Terms, asserted: &[Term]) -> bool {
    terms.reachable(asserted).iter().any(|&t| {
        let node = terms.node(t);
        matches!(node.op, Op::Fill(_)) && node.args().iter().any(|&a| terms.constant_value(a).is_none())
    })
}

enum Said {
    Unsat,
    /// Nothing if the model is written in a way that we do not know.
    Sat(Option<BTreeMap<Term, Value>>),
    Unknown(String),
}

/// `((s0 v) (s1 v))`, for exactly these names in this order.
fn read_values(terms: &Terms, symbols: &[Term], names: &[String], answer: &str) -> Option<BTreeMap<Term, Value>> {
    let all = Sexprs::parse(answer)?;
    let pairs = all.list(all.root())?;
    if pairs.len() != symbols.len() {
        return None;
    }
    let mut values = BTreeMap::new();
    for ((&pair, &s), name) in pairs.iter().zip(symbols).zip(names) {
        let [key, value] = *all.list(pair)? else { return None };
        if all.atom(key)? != name {
            return None;
        }
        values.insert(s, all.value(value, terms.sort(s))?);
    }
    Some(values)
}

/// A running cvc5, and what it has been told.
struct Process {
    child: Arc<Killable>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    rlimit: u64,
    levels: Vec<Level>,
    asserted: usize,
    declared: HashSet<usize>,
    questions: u64,
}

struct Killable(Mutex<Child>);

impl Bell for Killable {
    /// Ends the process; who reads from it then sees the end of its output.
    fn ring(&self) {
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}

impl Process {
    fn start(program: &Path, rlimit: u64) -> io::Result<Self> {
        let mut command = Command::new(program);
        lariat_process::tie(&mut command, Limits { time: None, memory: Some(MEMORY) });
        let mut child = command
            .args(["--lang=smt2", "--incremental", "--produce-models", "--arrays-exp"])
            .arg(format!("--rlimit-per={}", (rlimit / Z3_UNITS).max(1)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C is for us: a solver that it ends in the middle of an answer would look like a crash.
            .process_group(0)
            .spawn()?;
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        Ok(Self {
            child: Arc::new(Killable(Mutex::new(child))),
            input,
            output,
            rlimit,
            levels: Vec::new(),
            asserted: 0,
            declared: HashSet::new(),
            questions: 0,
        })
    }

    /// The commands that bring the process to what the stack holds.
    fn catch_up(&mut self, stack: &Stack, mut assert: impl FnMut(&mut String, &mut HashSet<usize>, Term)) -> String {
        let mut out = String::new();
        if self.questions == 0 {
            // A symbol outlives the level in which it first occurs.
            out.push_str("(set-option :global-declarations true)\n(set-logic ALL)\n");
        }
        let wanted = stack.levels();
        let common = self.levels.iter().zip(wanted).take_while(|(a, b)| a.number == b.number).count();
        if let Some(first) = self.levels.get(common) {
            // A level that is still open has only grown, so what is below the first closed one stands.
            self.asserted = first.below;
            let _ = writeln!(out, "(pop {})", self.levels.len() - common);
            self.levels.truncate(common);
        }
        for (i, &t) in stack.asserted().iter().enumerate().skip(self.asserted) {
            while let Some(level) = wanted.get(self.levels.len()).filter(|l| l.below <= i) {
                out.push_str("(push 1)\n");
                self.levels.push(*level);
            }
            assert(&mut out, &mut self.declared, t);
        }
        self.asserted = stack.asserted().len();
        out
    }

    /// Sends commands and gives all that is answered; the echo after them tells where the answer ends, so that an answer
    /// is never taken for that of another question.
    fn ask(&mut self, commands: &str) -> Result<String, String> {
        self.questions += 1;
        let mark = format!("lariat-end-{}", self.questions);
        let io = |e: io::Error| format!("cvc5 cannot be talked to: {e}");
        // A process that has ended takes nothing, but what it said at its end can still be read.
        let _ = writeln!(self.input, "{commands}(echo \"{mark}\")").and_then(|()| self.input.flush());
        let mut answer = String::new();
        let mut left = LONGEST_ANSWER;
        loop {
            let mut line = Vec::new();
            let read = self.output.by_ref().take(left).read_until(b'\n', &mut line).map_err(io)?;
            if line.last() != Some(&b'\n') {
                let said: String = answer.chars().chain(String::from_utf8_lossy(&line).chars()).take(300).collect();
                return Err(format!("cvc5 ended in the middle of an answer: {}", said.trim()));
            }
            left -= u64::try_from(read).expect("at most what was asked for");
            let line = String::from_utf8(line).map_err(|_| "cvc5 said what is no text".to_owned())?;
            // Later versions echo without the quotes.
            if line.trim().trim_matches('"') == mark {
                return Ok(answer.trim().to_owned());
            }
            answer.push_str(&line);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let mut child = self.child.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Every assertion is printed as it is.
impl DirectSolver for Cvc5Solver {}

impl Solver for Cvc5Solver {
    fn push(&mut self) {
        self.stack.push();
    }
    fn pop(&mut self) {
        self.stack.pop();
    }
    fn assert(&mut self, terms: &Terms, t: Term) {
        self.stack.assert(terms, t);
    }
    fn check(&mut self, terms: &Terms, limit: Limit) -> Answer {
        count_question();
        self.stack.belongs_to(terms);
        self.run(terms, limit).unwrap_or_else(|reason| self.stack.unknown(terms, reason, &self.log))
    }
    fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
    fn name(&self) -> &'static str {
        "cvc5"
    }
}
