//! Limits are kept, and what comes after a limit is not harmed by it.

use lariat_ir::{Op, Role, Sort, Term, Terms};
use lariat_smt::{Answer, Limit, QueryLog, Solver, Why, WhyKind, Z3Solver};
use std::time::{Duration, Instant};

/// The two prime factors of a number of 60 bits: minutes of work at least.
fn factoring(t: &Terms) -> Term {
    let product = 1_000_000_007_u128 * 999_999_937;
    let wide = |name| t.apply(Op::ZeroExtend(32), &[t.symbol(name, Sort::BitVec(32), Role::Free)]);
    let (p, q) = (wide("p"), wide("q"));
    let more_than_one = |x| t.apply(Op::BvUlt, &[t.bv(64, 1), x]);
    t.all([t.eq(t.apply(Op::BvMul, &[p, q]), t.bv(64, product)), more_than_one(p), more_than_one(q)])
}

/// A sum of three cubes: 114 is an open problem.
fn cubes(t: &Terms) -> Term {
    let cube = |name| {
        let x = t.symbol(name, Sort::Int, Role::Free);
        t.apply(Op::IntMul, &[x, t.apply(Op::IntMul, &[x, x])])
    };
    let two = t.apply(Op::IntAdd, &[cube("x"), cube("y")]);
    t.eq(t.apply(Op::IntAdd, &[two, cube("z")]), t.int(114))
}

fn easy(t: &Terms) -> Term {
    let x = t.symbol("easy", Sort::BitVec(8), Role::Free);
    t.eq(t.apply(Op::BvAdd, &[x, t.bv(8, 1)]), t.bv(8, 0))
}

fn reason(a: &Answer) -> &WhyKind {
    match a {
        Answer::Unknown(Why { reason, .. }) => reason,
        other => panic!("no reason in {other:?}"),
    }
}

fn quiet(s: Z3Solver) -> Z3Solver {
    s.with_log(QueryLog::off())
}

#[test]
fn the_wall_clock_is_kept_and_the_context_goes_on_working() {
    for hard in [factoring, cubes] {
        let t = Terms::new();
        let mut solver = quiet(Z3Solver::new());
        let wall = Duration::from_millis(300);
        for _ in 0..3 {
            solver.push();
            let hard = hard(&t);
            solver.assert(&t, hard);
            let start = Instant::now();
            let answer = solver.check(&t, Limit { rlimit: u64::MAX, wall, until: None });
            let took = start.elapsed();
            assert_eq!(*reason(&answer), WhyKind::WallClock);
            assert!(took >= wall && took < wall + Duration::from_millis(500), "{took:?}");
            solver.pop();

            solver.push();
            solver.assert(&t, easy(&t));
            assert!(solver.check(&t, Limit::default()).is_sat());
            solver.pop();
            let mut other = quiet(Z3Solver::new());
            other.assert(&t, easy(&t));
            other.assert(&t, t.not(easy(&t)));
            assert!(other.check(&t, Limit::default()).is_unsat());
        }
    }
}

#[test]
fn a_late_interrupt_never_reaches_the_next_query() {
    let t = Terms::new();
    let hard = factoring(&t);
    let mut solver = quiet(Z3Solver::new());
    // Deadlines in the middle of short queries: whatever comes of them, the next one is answered.
    for i in 0..300u64 {
        solver.push();
        solver.assert(&t, if i % 10 == 0 { hard } else { easy(&t) });
        let _ =
            solver.check(&t, Limit { rlimit: u64::MAX, wall: Duration::from_micros(100 + 37 * i % 900), until: None });
        solver.pop();
        solver.push();
        solver.assert(&t, easy(&t));
        let answer = solver.check(&t, Limit::default());
        assert!(answer.is_sat(), "round {i}: {answer:?}");
        solver.pop();
    }
}

#[test]
fn the_resource_limit_stops_in_the_same_place_every_time() {
    let t = Terms::new();
    for hard in [factoring(&t), cubes(&t)] {
        let run = |rlimit| {
            let mut solver = quiet(Z3Solver::isolated());
            solver.assert(&t, hard);
            solver.check(&t, Limit::rlimit(rlimit))
        };
        for rlimit in [1, 1000, 50_000, 300_000] {
            let (first, second) = (run(rlimit), run(rlimit));
            assert_eq!(first, second);
            assert_eq!(*reason(&first), WhyKind::ResourceLimit, "with {rlimit}");
        }
    }
}

#[test]
fn one_query_does_not_eat_the_resources_of_the_next() {
    let t = Terms::new();
    let hard = factoring(&t);
    for mut solver in [quiet(Z3Solver::new()), quiet(Z3Solver::isolated())] {
        for _ in 0..5 {
            solver.push();
            solver.assert(&t, hard);
            assert_eq!(*reason(&solver.check(&t, Limit::rlimit(60_000))), WhyKind::ResourceLimit);
            solver.pop();
            solver.push();
            solver.assert(&t, easy(&t));
            assert!(solver.check(&t, Limit::rlimit(60_000)).is_sat());
            solver.pop();
        }
    }
}

#[test]
fn threads_have_their_own_limits() {
    let short = std::thread::spawn(|| {
        let t = Terms::new();
        let mut solver = quiet(Z3Solver::new());
        solver.assert(&t, factoring(&t));
        let start = Instant::now();
        let answer = solver.check(&t, Limit { rlimit: u64::MAX, wall: Duration::from_millis(200), until: None });
        (reason(&answer).clone(), start.elapsed())
    });
    let t = Terms::new();
    let mut solver = quiet(Z3Solver::new());
    solver.assert(&t, factoring(&t));
    let start = Instant::now();
    let long = Duration::from_millis(600);
    assert_eq!(*reason(&solver.check(&t, Limit { rlimit: u64::MAX, wall: long, until: None })), WhyKind::WallClock);
    assert!(start.elapsed() >= long);
    let (why, took) = short.join().expect("it does not panic");
    assert_eq!(why, WhyKind::WallClock);
    assert!(took < Duration::from_millis(700), "{took:?}");
}

#[test]
fn an_open_question_is_kept_under_its_number() {
    let folder = std::env::temp_dir().join(format!("lariat-limits-{}", std::process::id()));
    let log = QueryLog::at(&folder);
    let t = Terms::new();
    let mut solver = Z3Solver::new().with_log(log.clone());
    let hard = factoring(&t);
    solver.assert(&t, hard);
    let Answer::Unknown(why) = solver.check(&t, Limit::rlimit(1000)) else { panic!("it is hard") };
    let script = log.load(why.query).expect("it was kept");
    assert_eq!(script, lariat_ir::smtlib::script(&t, &[hard]));
    std::fs::remove_dir_all(&folder).expect("it was made");
}

#[test]
fn the_same_questions_give_the_same_models() {
    // Each thread has a context of its own, and goes through many solver objects in it.
    let run = || {
        let mut models = Vec::new();
        for round in 0..12u128 {
            let t = Terms::new();
            let v = |name| t.symbol(name, Sort::BitVec(16), Role::Free);
            let (x, y, z) = (v("x"), v("y"), v("z"));
            let product = t.apply(Op::BvMul, &[x, t.apply(Op::BvXor, &[y, t.bv(16, 77 * round)])]);
            let rest = t.apply(Op::BvUrem, &[z, t.apply(Op::BvOr, &[x, t.bv(16, 5 + round)])]);
            let mut solver = quiet(Z3Solver::new());
            solver.assert(&t, t.apply(Op::BvUlt, &[rest, product]));
            solver.assert(&t, t.apply(Op::BvSlt, &[t.apply(Op::BvSub, &[y, z]), t.apply(Op::BvAdd, &[product, x])]));
            solver.assert(&t, t.not(t.eq(t.apply(Op::BvAnd, &[product, z]), t.bv(16, round))));
            models.push(solver.check(&t, Limit::default()));
        }
        models
    };
    let first = std::thread::spawn(run).join().expect("it does not panic");
    assert!(first.iter().all(Answer::is_sat));
    for _ in 0..3 {
        assert_eq!(first, std::thread::spawn(run).join().expect("it does not panic"));
    }
}
