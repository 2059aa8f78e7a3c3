//! cvc5 as a process: limits, models, and programs in its place that answer nonsense.

use lariat_ir::{Op, Role, Scalar, Sort, Term, Terms, Value};
use lariat_smt::{Answer, Cvc5Solver, Limit, QueryLog, Solver, WhyKind};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn cvc5() -> Option<Cvc5Solver> {
    match Cvc5Solver::new() {
        Ok(solver) => Some(solver.with_log(QueryLog::off())),
        Err(missing) => {
            eprintln!("not tested: {missing}");
            None
        }
    }
}

fn factoring(t: &Terms) -> Term {
    let wide = |name| t.apply(Op::ZeroExtend(32), &[t.symbol(name, Sort::BitVec(32), Role::Free)]);
    let (p, q) = (wide("p"), wide("q"));
    let more_than_one = |x| t.apply(Op::BvUlt, &[t.bv(64, 1), x]);
    let product = t.bv(64, 1_000_000_007 * 999_999_937);
    t.all([t.eq(t.apply(Op::BvMul, &[p, q]), product), more_than_one(p), more_than_one(q)])
}

fn reason(answer: Answer) -> WhyKind {
    match answer {
        Answer::Unknown(why) => why.reason,
        other => panic!("no reason in {other:?}"),
    }
}

#[test]
fn models_of_every_sort() {
    let Some(mut solver) = cvc5() else { return };
    let t = Terms::new();
    let x = t.symbol("select", Sort::BitVec(7), Role::Free);
    let i = t.symbol("a b", Sort::Int, Role::Free);
    let b = t.symbol("größe", Sort::Bool, Role::Free);
    let m = t.symbol("m", Sort::Array(Scalar::BitVec(2), Scalar::Int), Role::Free);
    solver.assert(&t, t.eq(x, t.bv(7, 77)));
    solver.assert(&t, t.apply(Op::IntLt, &[i, t.int(-1_000_000_000_000_i64)]));
    solver.assert(&t, b);
    for (at, value) in [(0, -4), (3, 9)] {
        solver.assert(&t, t.eq(t.apply(Op::Select, &[m, t.bv(2, at)]), t.int(value)));
    }
    let Answer::Sat(model) = solver.check(&t, Limit::default()) else { panic!("it has a model") };
    assert_eq!(model.value(x), Some(&Value::bv(7, 77)));
    assert_eq!(model.value(b), Some(&Value::Bool(true)));
    assert_eq!(*model.value(m).expect("it occurs").as_array().get(&Value::bv(2, 0)), Value::int(-4));
    solver.push();
    solver.assert(&t, t.not(b));
    assert!(solver.check(&t, Limit::default()).is_unsat());
    solver.pop();
    assert!(solver.check(&t, Limit::default()).is_sat());
}

#[test]
fn limits_are_kept_and_the_next_query_is_answered() {
    let Some(mut solver) = cvc5() else { return };
    let t = Terms::new();
    let x = t.symbol("x", Sort::Int, Role::Free);
    solver.assert(&t, t.apply(Op::IntLt, &[t.int(3), x]));
    for _ in 0..2 {
        solver.push();
        solver.assert(&t, factoring(&t));
        let start = Instant::now();
        let wall = Duration::from_millis(400);
        assert_eq!(reason(solver.check(&t, Limit { rlimit: u64::MAX, wall, until: None })), WhyKind::WallClock);
        let took = start.elapsed();
        assert!(took >= wall && took < wall + Duration::from_millis(500), "{took:?}");
        assert_eq!(reason(solver.check(&t, Limit::rlimit(100_000))), WhyKind::ResourceLimit);
        solver.pop();
        // The new process has been told what was asserted before.
        solver.push();
        solver.assert(&t, t.apply(Op::IntLt, &[x, t.int(3)]));
        assert!(solver.check(&t, Limit::default()).is_unsat());
        solver.pop();
        assert!(solver.check(&t, Limit::default()).is_sat());
    }
}

#[test]
fn a_missing_program_is_an_error_with_a_next_step() {
    let message = Cvc5Solver::at("/nonexistent/cvc5").err().expect("it does not exist").to_string();
    assert!(message.contains("apt-get install cvc5") && message.contains("LARIAT_CVC5"), "{message}");
}

struct Program(PathBuf);

impl Program {
    /// A script that gets the question on its standard input.
    fn new(name: &str, body: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lariat-no-cvc5-{}-{name}", std::process::id()));
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("the temporary folder is writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        Self(path)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Answers every `(echo ...)`, as cvc5 does, and before it whatever `$1` prints.
fn answering(said: &str) -> String {
    format!(
        "while read -r line; do case $line in '(echo '*) m=${{line#*\\\"}}; echo \"${{m%%\\\"*}}\";; '(check-sat)') {said};; '(get-value '*) echo '((s0 #b11)';; esac; done"
    )
}

#[test]
fn nonsense_is_no_answer() {
    let t = Terms::new();
    let x = t.symbol("x", Sort::BitVec(2), Role::Free);
    let query = t.eq(x, t.bv(2, 1));
    let limit = Limit { rlimit: 1000, wall: Duration::from_millis(300), until: None };
    let ask = |name: &str, body: &str| {
        let program = Program::new(name, body);
        let mut solver = Cvc5Solver::at(&program.0).expect("it exists").with_log(QueryLog::off());
        solver.assert(&t, query);
        (solver.check(&t, limit), solver.check(&t, limit))
    };
    assert!(ask("right", &answering("echo unsat")).0.is_unsat(), "the stand-in itself works");
    for (name, body) in [
        ("silent", "exit 0".to_owned()),
        ("torn", "printf 'unsa'; exit 0".to_owned()),
        ("no-end", "echo unsat; exit 0".to_owned()),
        ("error", answering("echo '(error \"out of memory\")'")),
        ("twice", answering("echo sat; echo unsat")),
        ("binary", answering("printf '\\377\\376\\n'")),
        ("empty", answering("true")),
        ("killed", answering("kill -9 $$")),
    ] {
        let (first, second) = ask(name, &body);
        for answer in [first, second] {
            assert!(matches!(reason(answer), WhyKind::Crashed(_)), "{name}");
        }
    }
    // One that fails over what it was asked before is started again.
    let (first, second) = ask("dies-later", &answering("n=${n}x; [ $n = x ] || exit 1; echo unsat"));
    assert!(first.is_unsat() && second.is_unsat());
    let (torn_model, _) = ask("torn-model", &answering("echo sat"));
    assert_eq!(reason(torn_model), WhyKind::Incomplete("the model cannot be read".to_owned()));
    let wrong_model = answering("echo sat").replace("((s0 #b11)", "((s0 #b11))");
    assert_eq!(
        reason(ask("wrong-model", &wrong_model).0),
        WhyKind::Incomplete("model does not satisfy the query".to_owned())
    );
    let right_model = answering("echo sat").replace("((s0 #b11)", "((s0 #b01))");
    assert!(ask("right-model", &right_model).0.is_sat());
    assert_eq!(reason(ask("asleep", "exec sleep 60").0), WhyKind::WallClock);
    // Never an end of the answer: the clock ends it.
    assert_eq!(reason(ask("endless", "while :; do echo unsat; done").0), WhyKind::WallClock);
}

#[test]
fn no_process_is_left_behind() {
    let children = || {
        let me = std::process::id().to_string();
        let task = format!("/proc/{me}/task");
        let mut all = Vec::new();
        for entry in fs::read_dir(task).expect("it is Linux").flatten() {
            let list = fs::read_to_string(entry.path().join("children")).unwrap_or_default();
            all.extend(list.split_whitespace().map(str::to_owned));
        }
        all
    };
    let program = Program::new("left", "echo $$ > \"$0.pid\"; exec sleep 60");
    let mut solver = Cvc5Solver::at(&program.0).expect("it exists").with_log(QueryLog::off());
    let t = Terms::new();
    solver.assert(&t, t.tt());
    let _ = solver.check(&t, Limit { rlimit: 1, wall: Duration::from_millis(200), until: None });
    drop(solver);
    let note = format!("{}.pid", program.0.display());
    let pid = fs::read_to_string(&note).expect("it ran").trim().to_owned();
    fs::remove_file(note).expect("it was written");
    assert!(!children().contains(&pid), "dead and waited for");
}
