//! Every side condition of the checker: a certificate that violates only it, and is rejected with a message that names it,
//! beside the repaired one that is accepted.

mod attacks;
mod semantics;

use lariat_check::{Condition, Proved, Rejection, System, check};
use lariat_ir::{
    Arm, Certificate, Choice, Claim, Disjunct, EdgeId, Id, Inner, LocId, Measure, Move, Order, Outline, Property, Sort,
    StatePart, SystemHash, Term, Terms, TransitionSystem, Value, lts,
};
use lariat_smt::{Answer, Cvc5Solver, DirectSolver, Limit, QueryId, Solver, Why, WhyKind, Z3Solver};
use std::collections::{BTreeMap, HashMap};

/// `while (x > 0) x--;` over the integers, behind a location of its own.
const COUNT: &str = "lts 1\nname count\nintegers ideal\nvar x: int\nvar y: int\nentry start\n\
    start:\n goto head\n\
    head:\n if x > 0 goto body\n if !(x > 0) goto EXIT\n\
    body:\n goto head with x := x - 1\n";
/// The same on eight bits.
const COUNT8: &str = "lts 1\nname count8\nintegers wrap\nvar x: bv8\nentry head\n\
    head:\n if x >s 0 goto head with x := x - 1\n if !(x >s 0) goto EXIT\n";
/// `for (; i > 0; i--) for (j = 3; j > 0; j--);`
const NEST: &str = "lts 1\nname nest\nintegers ideal\nvar i: int\nvar j: int\nentry outer\n\
    outer:\n if i > 0 goto inner with j := 3\n if !(i > 0) goto EXIT\n\
    inner:\n if j > 0 goto inner with j := j - 1\n if !(j > 0) goto outer with i := i - 1\n";
/// Stays for ever where x is 1 or 2; other values end in various ways.
const SPIN: &str = "lts 1\nname spin\nintegers wrap\nvar x: bv4\nvar y: bv4\nentry head\n\
    head:\n if x == 1 goto back\n if x == 2 goto back with y := y + 1\n if x == 3 goto UB\n if x >u 3 || x == 0 goto EXIT\n\
    back:\n goto head\n";
/// An input that is stored in every round, within a range.
const CHOOSE: &str = "lts 1\nname choose\nintegers ideal\nvar x: int\ninput n: int in 0 .. 5\nentry start\n\
    start:\n goto head with x := n\n\
    head:\n if x <= 3 goto head with x := n\n if !(x <= 3) goto EXIT\n";
/// Two loops, one in the other, both of which can go on for ever.
const ROUND: &str = "lts 1\nname round\nintegers wrap\nvar b: bool\nentry outer\n\
    outer:\n goto inner\n\
    inner:\n if b goto inner\n if !b goto outer\n";

fn system(text: &str) -> TransitionSystem {
    lts::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")).system
}

fn loc(ts: &TransitionSystem, name: &str) -> LocId {
    ts.loc_named(name).unwrap_or_else(|| panic!("no location {name}"))
}

fn term(ts: &TransitionSystem, text: &str) -> Term {
    lts::parse_term(ts, text, &HashMap::new()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn at(ts: &TransitionSystem, pairs: &[(&str, &str)]) -> BTreeMap<LocId, Term> {
    pairs.iter().map(|(l, t)| (loc(ts, l), term(ts, t))).collect()
}

fn claim(ts: &TransitionSystem, property: Property, when: &str, certificate: Certificate) -> Claim {
    Claim { system: ts.hash(), property, when: term(ts, when), certificate }
}

/// A ranking; each measure is an order and a term.
fn ranking(
    ts: &TransitionSystem,
    header: &str,
    invariants: &[(&str, &str)],
    measures: &[(&str, &[(Order, &str)])],
) -> Claim {
    let tuple =
        |ms: &[(Order, &str)]| ms.iter().map(|(order, t)| Measure { order: *order, term: term(ts, t) }).collect();
    let certificate = Certificate::Ranking {
        outline: Outline { invariants: at(ts, invariants), inner: Vec::new() },
        measures: measures.iter().map(|(l, ms)| (loc(ts, l), tuple(ms))).collect(),
    };
    claim(ts, Property::Terminates(loc(ts, header)), "true", certificate)
}

fn count_by(ts: &TransitionSystem, measure: &str) -> Claim {
    ranking(ts, "head", &[], &[("head", &[(Order::Int, measure)])])
}

fn inductive(ts: &TransitionSystem, invariants: &[(&str, &str)]) -> Claim {
    claim(ts, Property::Holds, "true", Certificate::Inductive { invariants: at(ts, invariants) })
}

/// The outer loop of `NEST`, its inner loop standing in by a relation.
fn over_inner(ts: &TransitionSystem, header: &str, relation: &str, inner_measure: &str) -> Claim {
    let mut c = ranking(ts, "outer", &[], &[("outer", &[(Order::Int, "i")])]);
    if let Certificate::Ranking { outline, .. } = &mut c.certificate {
        let own = ranking(ts, "inner", &[], &[("inner", &[(Order::Int, inner_measure)])]);
        outline.inner.push(Inner { header: loc(ts, header), relation: term(ts, relation), claim: Box::new(own) });
    }
    c
}

fn transitions(ts: &TransitionSystem, header: &str, disjuncts: &[(&str, &str)], inner: Vec<Inner>) -> Claim {
    let one = |(relation, measure): &(&str, &str)| Disjunct {
        relation: term(ts, relation),
        measure: vec![Measure { order: Order::Int, term: term(ts, measure) }],
    };
    let outline = Outline { invariants: BTreeMap::new(), inner };
    let certificate = Certificate::TransitionInvariant { outline, disjuncts: disjuncts.iter().map(one).collect() };
    claim(ts, Property::Terminates(loc(ts, header)), "true", certificate)
}

struct Run<'a> {
    header: &'a str,
    when: &'a str,
    start: &'a [&'a str],
    stem: &'a [usize],
    cycle: &'a [usize],
    same: &'a [&'a str],
    /// The value of every unknown that an edge mentions.
    value: Option<&'a str>,
}

fn value(ts: &TransitionSystem, text: &str, sort: Sort) -> Value {
    let t = lts::parse_term_of_sort(ts, text, &HashMap::new(), sort).unwrap_or_else(|e| panic!("{text}: {e}"));
    ts.terms.eval(t, |_| unreachable!("a constant"))
}

fn start(ts: &TransitionSystem, values: &[&str]) -> Vec<Value> {
    ts.vars.iter().zip(values).map(|(v, text)| value(ts, text, v.sort)).collect()
}

fn orbit(ts: &TransitionSystem, run: &Run<'_>) -> Claim {
    let choice = |n: &usize| {
        let edge = EdgeId::from_index(*n);
        let chosen = |u| run.value.map(|text| (u, value(ts, text, ts.unknowns[u].sort)));
        Choice { edge, values: ts.unknowns_of(edge).into_iter().filter_map(chosen).collect() }
    };
    let certificate = Certificate::Orbit {
        start: start(ts, run.start),
        stem: run.stem.iter().map(choice).collect(),
        cycle: run.cycle.iter().map(choice).collect(),
        same: run.same.iter().map(|v| StatePart::Var(ts.var_named(v).expect("a variable"))).collect(),
    };
    claim(ts, Property::Diverges(loc(ts, run.header)), run.when, certificate)
}

/// The orbit of `SPIN` at x = 1, with one thing changed.
fn spin<'a>(change: impl FnOnce(&mut Run<'a>)) -> Run<'a> {
    let mut run = Run {
        header: "head",
        when: "x == 1",
        start: &["1", "0"],
        stem: &[],
        cycle: &[0, 4],
        same: &["x"],
        value: None,
    };
    change(&mut run);
    run
}

/// Edges by their numbers, each with the term for all its inputs.
type Path<'a> = &'a [(usize, &'a str)];

struct Set<'a> {
    when: &'a str,
    start: &'a [&'a str],
    stem: Path<'a>,
    states: &'a [(&'a str, &'a str)],
    /// Where each arm starts, for which states, and its path.
    arms: &'a [(&'a str, &'a str, Path<'a>)],
}

fn recurrent(ts: &TransitionSystem, s: &Set<'_>) -> Claim {
    let moves = |path: Path<'_>| -> Vec<Move> {
        path.iter()
            .map(|(n, input)| {
                let edge = EdgeId::from_index(*n);
                Move { edge, inputs: ts.unknowns_of(edge).into_iter().map(|u| (u, term(ts, input))).collect() }
            })
            .collect()
    };
    let arm = |(from, when, path): &(&str, &str, Path<'_>)| Arm {
        from: loc(ts, from),
        when: term(ts, when),
        path: moves(path),
    };
    let certificate = Certificate::RecurrentSet {
        start: start(ts, s.start),
        stem: moves(s.stem),
        set: at(ts, s.states),
        arms: s.arms.iter().map(arm).collect(),
    };
    claim(ts, Property::Diverges(loc(ts, "head")), s.when, certificate)
}

/// The recurrent set of `CHOOSE`: always choose the old value.
fn choose<'a>(change: impl FnOnce(&mut Set<'a>)) -> Set<'a> {
    let mut set = Set {
        when: "true",
        start: &["9"],
        stem: &[(0, "2")],
        states: &[("head", "0 <= x && x <= 3")],
        arms: &[("head", "true", &[(1, "x")])],
    };
    change(&mut set);
    set
}

fn program(ts: &TransitionSystem, property: Property, when: &str, parts: Vec<Claim>) -> Claim {
    claim(ts, property, when, Certificate::Program { parts })
}

struct Case {
    condition: Condition,
    bad: (TransitionSystem, Claim),
    good: (TransitionSystem, Claim),
}

/// A case within one system.
fn case(condition: Condition, text: &str, make: impl Fn(&TransitionSystem) -> (Claim, Claim)) -> Case {
    let ts = system(text);
    let (bad, good) = make(&ts);
    Case { condition, bad: (ts.clone(), bad), good: (ts, good) }
}

/// A case in which the system itself is what is wrong.
fn two_systems(condition: Condition, bad: &str, good: &str, make: impl Fn(&TransitionSystem) -> Claim) -> Case {
    let (bad, good) = (system(bad), system(good));
    let (a, b) = (make(&bad), make(&good));
    Case { condition, bad: (bad, a), good: (good, b) }
}

fn cases() -> Vec<Case> {
    use Condition as C;
    let mut all = Vec::new();
    let mut add = |c: Case| all.push(c);

    add(case(C::OtherSystem, COUNT, |ts| {
        let good = count_by(ts, "x");
        (Claim { system: SystemHash([7; 32]), ..good.clone() }, good)
    }));
    let for_c = |verdict: &str| COUNT.replace("integers ideal", &format!("integers c proves {verdict}"));
    add(two_systems(C::OtherVerdict, &for_c("diverges"), &for_c("terminates"), |ts| count_by(ts, "x")));
    add(case(C::IllFormedTerm, COUNT, |ts| (count_by(ts, "x + old(y) - old(y)"), count_by(ts, "x + y - y"))));
    add(case(C::NoSuchLoop, COUNT, |ts| {
        let good = count_by(ts, "x");
        (Claim { property: Property::Terminates(loc(ts, "body")), ..good.clone() }, good)
    }));
    add(case(C::KindDoesNotFit, COUNT, |ts| {
        let good = count_by(ts, "x");
        (Claim { property: Property::Diverges(loc(ts, "head")), ..good.clone() }, good)
    }));
    add(case(C::OnlyAttested, SPIN, |ts| {
        let cycle = Certificate::AbstractCycle {
            domain: "intervals".into(),
            states: vec![(loc(ts, "head"), term(ts, "x == 1")), (loc(ts, "back"), term(ts, "x == 1"))],
            edges: vec![EdgeId::from_index(0), EdgeId::from_index(4)],
        };
        (claim(ts, Property::Diverges(loc(ts, "head")), "x == 1", cycle), orbit(ts, &spin(|_| {})))
    }));

    let from_five = COUNT.replace("entry start", "init x == 5\nentry start");
    add(case(C::InvariantNotInitial, &from_five, |ts| {
        (
            inductive(ts, &[("start", "x <= 3"), ("head", "x <= 3")]),
            inductive(ts, &[("start", "x <= 5"), ("head", "x <= 5")]),
        )
    }));
    add(case(C::InvariantNotInductive, &from_five, |ts| {
        (inductive(ts, &[("head", "x >= 5")]), inductive(ts, &[("head", "x >= 0")]))
    }));
    let dead =
        "lts 1\nvar x: bv4\ninit x == 1\nentry a\na:\n if x == 2 goto dead\n if x != 2 goto EXIT\ndead:\n goto EXIT\n";
    add(case(C::NotUnreachable, dead, |ts| {
        let unreachable = |t: &str| {
            let certificate = Certificate::Unreachable { invariants: at(ts, &[("dead", t)]) };
            claim(ts, Property::Unreachable(loc(ts, "dead")), "true", certificate)
        };
        (unreachable("x == 2"), unreachable("false"))
    }));

    add(case(C::MeasureShape, COUNT8, |ts| {
        let by = |order| ranking(ts, "head", &[], &[("head", &[(order, "x")])]);
        (by(Order::Int), by(Order::Signed))
    }));
    add(case(C::MeasureOutsideLoop, COUNT, |ts| {
        let both: &[(&str, &[(Order, &str)])] = &[("start", &[(Order::Int, "x")]), ("head", &[(Order::Int, "x")])];
        (ranking(ts, "head", &[], both), ranking(ts, "head", &[], &both[1..]))
    }));
    let lexicographic: &[(&str, &[(Order, &str)])] =
        &[("inner", &[(Order::Int, "i"), (Order::Int, "j")]), ("outer", &[(Order::Int, "i"), (Order::Int, "4")])];
    add(case(C::CycleAvoidsMeasures, NEST, |ts| {
        let with = |m| ranking(ts, "outer", &[("inner", "i > 0")], m);
        (with(&lexicographic[1..]), with(lexicographic))
    }));
    add(case(C::MeasureDoesNotFall, COUNT, |ts| (count_by(ts, "100 - x"), count_by(ts, "x"))));
    add(case(C::MeasureUnbounded, COUNT, |ts| (count_by(ts, "x - 5"), count_by(ts, "x - 1"))));
    add(case(C::CycleWithoutFall, COUNT, |ts| (count_by(ts, "y"), count_by(ts, "x"))));
    add(case(C::InnerNotInside, NEST, |ts| {
        (over_inner(ts, "outer", "i == old(i)", "j"), over_inner(ts, "inner", "i == old(i)", "j"))
    }));
    add(case(C::InnerNotReflexive, NEST, |ts| {
        (
            over_inner(ts, "inner", "i == old(i) && j < old(j)", "j"),
            over_inner(ts, "inner", "i == old(i) && j <= old(j)", "j"),
        )
    }));
    add(case(C::InnerNotClosed, NEST, |ts| {
        (over_inner(ts, "inner", "i == old(i) && j == old(j)", "j"), over_inner(ts, "inner", "i == old(i)", "j"))
    }));
    add(case(C::InnerNotProved, NEST, |ts| {
        (over_inner(ts, "inner", "i == old(i)", "i"), over_inner(ts, "inner", "i == old(i)", "j"))
    }));

    let t = |ts: &TransitionSystem, relation: &str, measure: &str| {
        transitions(ts, "head", &[(relation, measure)], Vec::new())
    };
    let right = "x < old(x) && old(x) > 0";
    add(case(C::StepOutsideRelation, COUNT, |ts| (t(ts, "x < old(x) - 1 && old(x) > 0", "x"), t(ts, right, "x"))));
    add(case(C::RelationNotTransitive, COUNT, |ts| (t(ts, "x == old(x) - 1 && old(x) > 0", "x"), t(ts, right, "x"))));
    add(case(C::DisjunctDoesNotFall, COUNT, |ts| (t(ts, right, "100 - x"), t(ts, right, "x"))));
    add(case(C::DisjunctUnbounded, COUNT, |ts| (t(ts, right, "x - 5"), t(ts, right, "x"))));
    add(case(C::CycleAvoidsHeader, NEST, |ts| {
        let own = ranking(ts, "inner", &[], &[("inner", &[(Order::Int, "j")])]);
        let inner = Inner { header: loc(ts, "inner"), relation: term(ts, "i == old(i)"), claim: Box::new(own) };
        let with = |inner| transitions(ts, "outer", &[("i < old(i) && old(i) > 0", "i")], inner);
        (with(Vec::new()), with(vec![inner]))
    }));

    let spins = |condition, bad: fn(&mut Run<'static>)| {
        case(condition, SPIN, move |ts| (orbit(ts, &spin(bad)), orbit(ts, &spin(|_| {}))))
    };
    add(spins(C::StartNotInitial, |r| r.start = &["2", "0"]));
    add(spins(C::StepNotEnabled, |r| r.cycle = &[1, 4]));
    add(spins(C::StepsNotConnected, |r| r.cycle = &[4, 0]));
    add(spins(C::RunEnds, |r| (r.when, r.start, r.cycle) = ("x == 0", &["0", "0"], &[3])));
    add(spins(C::UndefinedBehaviour, |r| (r.when, r.start, r.cycle) = ("x == 3", &["3", "0"], &[2])));
    add(spins(C::EmptyCycle, |r| r.cycle = &[]));
    add(spins(C::CycleNotClosed, |r| r.cycle = &[0]));
    add(spins(C::NotSettled, |r| r.when = "x + 0 == 1"));
    add(case(C::ValuesDiffer, SPIN, |ts| {
        let at_two = |same| Run { when: "x == 2 && y == 0", start: &["2", "0"], cycle: &[1, 4], same, ..spin(|_| {}) };
        (orbit(ts, &at_two(&["x", "y"])), orbit(ts, &at_two(&["x"])))
    }));
    let chosen =
        |value| Run { header: "head", when: "true", start: &["9"], stem: &[0], cycle: &[1], same: &["x"], value };
    add(case(C::MissingChoice, CHOOSE, |ts| (orbit(ts, &chosen(None)), orbit(ts, &chosen(Some("2"))))));
    add(case(C::ChoiceOutOfRange, CHOOSE, |ts| (orbit(ts, &chosen(Some("-1"))), orbit(ts, &chosen(Some("0"))))));
    let world = CHOOSE.replace("input n", "environment n");
    add(two_systems(C::NotSettled, &world, CHOOSE, |ts| orbit(ts, &chosen(Some("2")))));
    add(case(C::LeavesLoop, ROUND, |ts| {
        let through = |header| Run {
            header,
            when: "!b",
            start: &["false"],
            stem: &[],
            cycle: &[0, 2],
            same: &["b"],
            value: None,
        };
        (orbit(ts, &through("inner")), orbit(ts, &through("outer")))
    }));

    let sets = |condition, bad: fn(&mut Set<'static>)| {
        case(condition, CHOOSE, move |ts| (recurrent(ts, &choose(bad)), recurrent(ts, &choose(|_| {}))))
    };
    add(sets(C::SetOutsideLoop, |s| s.states = &[("head", "0 <= x && x <= 3"), ("start", "false")]));
    add(sets(C::StemMissesSet, |s| s.stem = &[(0, "4")]));
    add(sets(C::NoWayOn, |s| s.arms = &[("head", "x < 3", &[(1, "x")])]));
    add(sets(C::EmptyPath, |s| s.arms = &[("head", "true", &[])]));
    add(sets(C::PathNotEnabled, |s| s.states = &[("head", "0 <= x && x <= 4")]));
    add(sets(C::PathLeavesSet, |s| s.arms = &[("head", "true", &[(1, "x + 1")])]));

    add(case(C::LoopNotCovered, COUNT, |ts| {
        let with = |parts| program(ts, Property::ProgramTerminates, "true", parts);
        (with(Vec::new()), with(vec![count_by(ts, "x")]))
    }));
    add(case(C::OtherInitialStates, COUNT, |ts| {
        let with = |when: &str| {
            let part = Claim { when: term(ts, when), ..count_by(ts, "x") };
            program(ts, Property::ProgramTerminates, "x < 9", vec![part])
        };
        (with("x < 5"), with("x < 20"))
    }));
    let open = COUNT.replace("entry start", "obligation \"recursion through `f`\"\nentry start");
    add(two_systems(C::OpenObligation, &open, COUNT, |ts| {
        program(ts, Property::ProgramTerminates, "true", vec![count_by(ts, "x")])
    }));
    all
}

fn judge(ts: &TransitionSystem, claim: &Claim, solver: &mut dyn DirectSolver) -> Result<Proved, Rejection> {
    let system = System::verify(ts, solver, Limit::default()).unwrap_or_else(|d| panic!("{d}"));
    check(&system, claim, solver, Limit::default())
}

fn all_cases_hold(mut solver: impl FnMut() -> Box<dyn DirectSolver>) {
    for c in cases() {
        let (ts, bad) = &c.bad;
        let r = judge(ts, bad, solver().as_mut()).map(|_| ()).expect_err(c.condition.name());
        assert_eq!(r.condition, c.condition, "{r}");
        assert!(r.to_string().contains(c.condition.name()), "the message names the condition: {r}");
        let (ts, good) = &c.good;
        let repaired = judge(ts, good, solver().as_mut());
        assert!(
            repaired.is_ok(),
            "{}: repaired, and still: {}",
            c.condition.name(),
            repaired.expect_err("it is rejected")
        );
    }
}

#[test]
fn each_condition_is_violated_alone_and_named() {
    all_cases_hold(|| Box::new(Z3Solver::new().direct()));
}

#[test]
fn the_second_solver_says_the_same() {
    if let Err(e) = Cvc5Solver::new() {
        println!("skipped: {e}");
        return;
    }
    all_cases_hold(|| Box::new(Cvc5Solver::new().expect("it was there a moment ago")));
}

/// The conditions; one that is not listed does not compile, because the match below is complete.
macro_rules! conditions {
    ($($name:ident),* $(,)?) => {
        const ALL: &[Condition] = &[$(Condition::$name),*];
        const _: fn(Condition) = |c| match c { $(Condition::$name => {}),* };
    };
}

conditions!(
    OtherSystem,
    OtherVerdict,
    IllFormedTerm,
    NoSuchLoop,
    KindDoesNotFit,
    OnlyAttested,
    InvariantNotInitial,
    InvariantNotInductive,
    NotUnreachable,
    MeasureShape,
    MeasureOutsideLoop,
    CycleAvoidsMeasures,
    MeasureDoesNotFall,
    MeasureUnbounded,
    CycleWithoutFall,
    InnerNotInside,
    InnerNotReflexive,
    InnerNotClosed,
    InnerNotProved,
    StepOutsideRelation,
    RelationNotTransitive,
    DisjunctDoesNotFall,
    DisjunctUnbounded,
    CycleAvoidsHeader,
    StartNotInitial,
    StepNotEnabled,
    StepsNotConnected,
    RunEnds,
    UndefinedBehaviour,
    MissingChoice,
    ChoiceOutOfRange,
    LeavesLoop,
    EmptyCycle,
    CycleNotClosed,
    ValuesDiffer,
    NotSettled,
    SetOutsideLoop,
    StemMissesSet,
    NoWayOn,
    EmptyPath,
    PathNotEnabled,
    PathLeavesSet,
    LoopNotCovered,
    OtherInitialStates,
    OpenObligation,
    SolverUnknown
);

#[test]
fn no_condition_is_left_out() {
    let covered: Vec<Condition> = cases().iter().map(|c| c.condition).collect();
    for c in ALL {
        // The last one has a test of its own below.
        assert!(covered.contains(c) || *c == Condition::SolverUnknown, "{c:?} has no case");
    }
}

/// Whatever is asserted in the solver would be a premise of the proof.
#[test]
#[should_panic(expected = "assertions of somebody else")]
fn a_solver_that_was_told_something_is_refused() {
    let ts = system(COUNT);
    let system = System::verify(&ts, &mut Z3Solver::new().direct(), Limit::default()).unwrap_or_else(|d| panic!("{d}"));
    let mut solver = Z3Solver::new().direct();
    solver.assert(&ts.terms, ts.terms.ff());
    let _ = check(&system, &count_by(&ts, "y"), &mut solver, Limit::default());
}

/// A solver that never knows.
struct Silent;

impl DirectSolver for Silent {}

impl Solver for Silent {
    fn push(&mut self) {}
    fn pop(&mut self) {}
    fn assert(&mut self, _: &Terms, _: Term) {}
    fn check(&mut self, _: &Terms, _: Limit) -> Answer {
        Answer::Unknown(Why { reason: WhyKind::ResourceLimit, query: QueryId(12) })
    }
    fn is_empty(&self) -> bool {
        true
    }
    fn name(&self) -> &'static str {
        "silent"
    }
}

#[test]
fn what_the_solver_does_not_know_is_not_proved() {
    for c in cases() {
        let (ts, good) = &c.good;
        let system =
            System::verify(ts, &mut Z3Solver::new().direct(), Limit::default()).unwrap_or_else(|d| panic!("{d}"));
        if matches!(good.certificate, Certificate::Orbit { .. }) {
            continue; // It is replayed, and asks nothing.
        }
        let r = check(&system, good, &mut Silent, Limit::default()).map(|_| ()).expect_err("nothing was shown");
        assert_eq!(r.condition, Condition::SolverUnknown, "{r}");
        assert!(r.to_string().contains("lariat query 12"), "{r}");
    }
}

fn accepted(ts: &TransitionSystem, claim: &Claim) {
    if let Err(r) = judge(ts, claim, &mut Z3Solver::new().direct()) {
        panic!("{r}");
    }
}

fn rejected(ts: &TransitionSystem, claim: &Claim, condition: Condition) {
    let r = judge(ts, claim, &mut Z3Solver::new().direct()).map(|_| ()).expect_err(condition.name());
    assert_eq!(r.condition, condition, "{r}");
}

#[test]
fn an_environment_value_that_nobody_reads_is_no_obstacle() {
    let text = "lts 1\nvar x: bv4\nvar log: bv4\nenvironment e: bv4\nentry head\nhead:\n if x == 1 goto head with log := e\n if x != 1 goto EXIT\n";
    let ts = system(text);
    let run = |same| Run {
        header: "head",
        when: "x == 1",
        start: &["1", "0"],
        stem: &[],
        cycle: &[0],
        same,
        value: Some("7"),
    };
    accepted(&ts, &orbit(&ts, &run(&["x"])));
    rejected(&ts, &orbit(&ts, &run(&["x", "log"])), Condition::NotSettled);
}

#[test]
fn an_orbit_compares_the_cells_that_it_reads() {
    // m[x] is read; the cell behind it is counted up in every round.
    let text = "lts 1\nvar m: array(bv2, bv4)\nvar x: bv2\nentry head\n\
        head:\n if m[x] == 5 goto head with m := store(m, x + 1, m[x + 1] + 1)\n if m[x] != 5 goto EXIT\n";
    let ts = system(text);
    let (m, x) = (ts.var_named("m").expect("m"), ts.var_named("x").expect("x"));
    let memory = value(&ts, "store(fill(bv2, 0#4), 0#2, 5#4)", ts.vars[m].sort);
    let zero = value(&ts, "0", ts.vars[x].sort);
    let with = |same: Vec<StatePart>| {
        let certificate = Certificate::Orbit {
            start: vec![memory.clone(), zero.clone()],
            stem: vec![],
            cycle: vec![Choice { edge: EdgeId::from_index(0), values: vec![] }],
            same,
        };
        claim(&ts, Property::Diverges(loc(&ts, "head")), "m == store(fill(bv2, 0#4), 0#2, 5#4) && x == 0", certificate)
    };
    let cell = |i: &str| StatePart::Cell(m, value(&ts, i, Sort::BitVec(2)));
    accepted(&ts, &with(vec![cell("0"), StatePart::Var(x)]));
    rejected(&ts, &with(vec![StatePart::Var(m), StatePart::Var(x)]), Condition::ValuesDiffer);
    rejected(&ts, &with(vec![cell("0"), cell("1"), StatePart::Var(x)]), Condition::ValuesDiffer);
    rejected(&ts, &with(vec![cell("0")]), Condition::NotSettled);
    rejected(&ts, &with(vec![cell("2"), StatePart::Var(x)]), Condition::NotSettled);
}

#[test]
fn an_orbit_has_a_prefix_and_a_period() {
    // 0, 1, 2, 3, 4, 5, 6, then 3 again.
    let text = "lts 1\nvar x: bv4\nentry start\nstart:\n goto head with x := 0\n\
        head:\n if x == 6 goto head with x := 3\n if x <u 6 goto head with x := x + 1\n if x >u 6 goto EXIT\n";
    let ts = system(text);
    let run = |stem, cycle| Run { header: "head", when: "true", start: &["9"], stem, cycle, same: &["x"], value: None };
    accepted(&ts, &orbit(&ts, &run(&[0, 2, 2, 2], &[2, 2, 2, 1])));
    rejected(&ts, &orbit(&ts, &run(&[0, 2, 2], &[2, 2, 2, 2])), Condition::ValuesDiffer);
}

#[test]
fn a_recurrent_set_answers_every_environment_value() {
    let text = "lts 1\nintegers ideal\nvar x: int\nvar y: int\ninput n: int in -9 .. 9\nenvironment e: int in -3 .. 3\nentry head\n\
        head:\n if x > 0 goto answer with y := e\n if !(x > 0) goto EXIT\n\
        answer:\n goto head with x := y + n\n";
    let ts = system(text);
    let with = |answer| {
        recurrent(
            &ts,
            &Set {
                when: "x > 0",
                start: &["1", "0"],
                stem: &[],
                states: &[("answer", "-3 <= y && y <= 3"), ("head", "x > 0")],
                arms: &[("head", "true", &[(0, "0")]), ("answer", "true", answer)],
            },
        )
    };
    let mut good = with(&[(2, "1 - y")]);
    // The environment's value on the first edge is not the certificate's to give.
    if let Certificate::RecurrentSet { arms, .. } = &mut good.certificate {
        arms[0].path[0].inputs.clear();
    }
    accepted(&ts, &good);
    rejected(&ts, &with(&[(2, "1 - y")]), Condition::MissingChoice);
    let mut fixed = with(&[(2, "2")]);
    if let Certificate::RecurrentSet { arms, .. } = &mut fixed.certificate {
        arms[0].path[0].inputs.clear();
    }
    rejected(&ts, &fixed, Condition::PathLeavesSet);
}

#[test]
fn when_is_a_condition_on_a_function_s_inputs() {
    let text = "lts 1\nintegers ideal\nmode function\nvar at: int\nvar step: int\nvar end: int\nentry head\n\
        head:\n if at < end goto head with at := at + step\n if !(at < end) goto EXIT\n";
    let ts = system(text);
    let with = |when| {
        recurrent(
            &ts,
            &Set {
                when,
                start: &["0", "0", "1"],
                stem: &[],
                states: &[("head", "at < end && step <= 0")],
                arms: &[("head", "true", &[(0, "0")])],
            },
        )
    };
    accepted(&ts, &with("at < end && step <= 0"));
    accepted(&ts, &with("at < end && step == 0"));
    rejected(&ts, &with("at < end"), Condition::StemMissesSet);
    rejected(&ts, &with("step < 0 && at < end"), Condition::StartNotInitial);
}

#[test]
fn two_disjuncts_rank_what_no_single_measure_does() {
    // Either x falls, or x stays and y falls; y may grow when x falls.
    let text = "lts 1\nintegers ideal\nvar x: int\nvar y: int\nvar b: bool\nenvironment coin: bool\nenvironment any: int\nentry head\n\
        head:\n if x > 0 && y > 0 goto body with b := coin\n if !(x > 0 && y > 0) goto EXIT\n\
        body:\n if b goto head with x := x - 1, y := any\n if !b goto head with y := y - 1\n";
    let ts = system(text);
    let first = ("x < old(x) && old(x) > 0", "x");
    let second = ("x == old(x) && y < old(y) && old(y) > 0", "y");
    accepted(&ts, &transitions(&ts, "head", &[first, second], Vec::new()));
    rejected(&ts, &transitions(&ts, "head", &[first], Vec::new()), Condition::StepOutsideRelation);
}

#[test]
fn an_irreducible_loop_is_ranked_at_any_cut() {
    let text = "lts 1\nvar x: bv8\nvar b: bool\nentry start\nstart:\n if b goto one\n if !b goto two\n\
        one:\n if x >u 5 goto two with x := x - 1\n if !(x >u 5) goto EXIT\n\
        two:\n if x >u 5 goto one with x := x - 3\n if !(x >u 5) goto EXIT\n";
    let ts = system(text);
    for cut in ["one", "two"] {
        accepted(&ts, &ranking(&ts, "one", &[], &[(cut, &[(Order::Unsigned, "x")])]));
        rejected(&ts, &ranking(&ts, "one", &[], &[(cut, &[(Order::Signed, "x")])]), Condition::MeasureDoesNotFall);
    }
}

#[test]
fn an_abstract_cycle_is_attested_if_it_is_one() {
    let ts = system(SPIN);
    let with = |states: &[(&str, &str)], edges: &[usize]| {
        let certificate = Certificate::AbstractCycle {
            domain: "intervals".into(),
            states: states.iter().map(|(l, t)| (loc(&ts, l), term(&ts, t))).collect(),
            edges: edges.iter().map(|e| EdgeId::from_index(*e)).collect(),
        };
        claim(&ts, Property::Diverges(loc(&ts, "head")), "x == 1", certificate)
    };
    let verified =
        System::verify(&ts, &mut Z3Solver::new().direct(), Limit::default()).unwrap_or_else(|d| panic!("{d}"));
    let attest = |c: &Claim| {
        lariat_check::attest::attest(&verified, c, &mut Z3Solver::new().direct(), Limit::default())
            .map(|_| ())
            .map_err(|r| r.condition)
    };
    assert_eq!(attest(&with(&[("head", "x == 1"), ("back", "x == 1")], &[0, 4])), Ok(()));
    assert_eq!(attest(&with(&[("head", "x == 4"), ("back", "x == 1")], &[0, 4])), Err(Condition::PathNotEnabled));
    assert_eq!(attest(&with(&[("head", "x == 1"), ("back", "x == 1")], &[4, 0])), Err(Condition::StepsNotConnected));
    assert_eq!(attest(&with(&[], &[])), Err(Condition::EmptyCycle));
}

#[test]
fn claims_come_back_from_their_text_and_torn_ones_never_panic() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    for c in cases() {
        for (ts, claim) in [&c.bad, &c.good] {
            let text = lariat_ir::claim::print(ts, claim);
            match lariat_ir::claim::parse(ts, &text) {
                Ok(again) => assert_eq!(again, *claim, "{text}"),
                // An ill-formed term is already refused when it is read.
                Err(e) => assert_eq!(c.condition, Condition::IllFormedTerm, "{e}\n{text}"),
            }
            for cut in 0..text.len() {
                let _ = lariat_ir::claim::parse(ts, &text[..cut]);
            }
            for _ in 0..50 {
                let mut bytes = text.clone().into_bytes();
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let place = usize::try_from(seed >> 33).expect("31 bits fit") % bytes.len();
                bytes[place] = b"{}[]\":x09-<=&"[usize::try_from(seed >> 29 & 0xf).expect("4 bits fit") % 13];
                let _ = lariat_ir::claim::parse(ts, &String::from_utf8(bytes).expect("ASCII"));
            }
        }
    }
}
