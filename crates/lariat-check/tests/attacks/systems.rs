//! Systems that are none, systems that look like others, and terms that are larger than they look.

use crate::*;
use lariat_check::{SystemDefect, program};
use lariat_ir::{Integers, Op, Proves, UnknownKind};
use std::time::{Duration, Instant};

fn verify(ts: &TransitionSystem) -> Result<(), SystemDefect> {
    System::verify(ts, &mut Z3Solver::new().direct(), Limit::default()).map(|_| ())
}

fn defect(ts: &TransitionSystem) -> String {
    verify(ts).expect_err("it is no system").message
}

#[test]
fn a_gap_and_an_overlap_are_named_with_the_place_and_the_values() {
    let two = |first: &str, second: &str| {
        format!(
            "lts 1\nvar x: bv4\nvar y: bv4\nentry start\nstart:\n goto head\nhead:\n if {first} goto head\n if {second} goto EXIT\n"
        )
    };
    let gap = defect(&system(&two("x <u 3", "x >u 3")));
    assert!(gap.contains("`head` have a gap") && gap.contains("x = 3#4") && !gap.contains("y ="), "{gap}");
    let overlap = defect(&system(&two("x <=u 3", "x >=u 3")));
    assert!(overlap.contains("`head` overlap") && overlap.contains("x = 3#4"), "{overlap}");
    let everywhere = defect(&system("lts 1\nentry head\nhead:\n goto head\n goto EXIT\n"));
    assert!(everywhere.contains("overlap") && everywhere.contains("in any state"), "{everywhere}");
    let nowhere = defect(&system("lts 1\nentry head\nhead:\n if false goto EXIT\n"));
    assert!(nowhere.contains("gap") && nowhere.contains("in any state"), "{nowhere}");
    assert_eq!(verify(&system(&two("x <u 3", "x >=u 3"))), Ok(()));
}

#[test]
fn guards_that_the_solver_cannot_tell_apart_make_no_system() {
    let text =
        |guard: &str| format!("lts 1\nvar x: bv4\nentry head\nhead:\n if x <u 3 goto head\n if {guard} goto EXIT\n");
    let silent = |ts: &TransitionSystem| System::verify(ts, &mut Silent, Limit::default()).map(|_| ());
    for guard in ["!(x <u 3)", "x >=u 3", "!(!(3 <=u x))"] {
        assert_eq!(silent(&system(&text(guard))), Ok(()), "a diagram is enough for {guard}");
    }
    let d = silent(&system(&text("x >u 2"))).expect_err("it takes a solver");
    assert!(d.message.contains("could not be shown"), "{d}");
}

#[test]
fn a_hard_question_is_not_answered_by_a_small_limit() {
    let text = "lts 1\nvar x: bv64\nvar y: bv64\nentry head\nhead:\n goto head\n";
    let ts = system(text);
    let system = System::verify(&ts, &mut Z3Solver::new().direct(), Limit::default()).unwrap_or_else(|d| panic!("{d}"));
    let hard = inductive(&ts, &[("head", "y == 0 || (x /u y) * y + x %u y == x")]);
    let r =
        check(&system, &hard, &mut Z3Solver::new().direct(), Limit::rlimit(1000)).map(|_| ()).expect_err("too hard");
    assert_eq!(r.condition, Condition::SolverUnknown, "{r}");
    let easy = inductive(&ts, &[("head", "x * y == y * x")]);
    assert!(check(&system, &easy, &mut Z3Solver::new().direct(), Limit::default()).is_ok());
}

/// A loop that ends for x other than 1, with the term `when` that its proof speaks of.
fn proved_elsewhere(ts: &TransitionSystem, when: Term) -> Proved {
    let mut part = ranking(ts, "head", &[("head", "x != 1")], &[("head", &[(Order::Unsigned, "x")])]);
    part.when = when;
    judge(ts, &part, &mut Z3Solver::new().direct()).unwrap_or_else(|r| panic!("{r}"))
}

/// A term is a number in its arena: `x != 1` in one copy of a system is `true` in another one.
#[test]
fn a_proof_about_another_copy_of_the_system_is_no_part() {
    let text = "lts 1\nvar x: bv4\nentry head\nhead:\n if x == 1 goto head\n if !(x == 1) goto EXIT\n";
    let (first, second) = (system(text), system(text));
    let in_first = first.terms.or(term(&first, "!(x == 1)"), first.terms.ff());
    let true_or = |ts: &TransitionSystem| ts.terms.or(ts.terms.tt(), ts.terms.tt());
    // Make terms in the second copy until one has the same number.
    let mut in_second = true_or(&second);
    while in_second < in_first {
        in_second = second.terms.or(in_second, second.terms.tt());
    }
    assert_eq!(in_second, in_first);
    assert_eq!(first.hash(), second.hash());
    let part = proved_elsewhere(&first, in_first);
    let system =
        System::verify(&second, &mut Z3Solver::new().direct(), Limit::default()).unwrap_or_else(|d| panic!("{d}"));
    let concluded = program::conclude(
        &system,
        Property::ProgramTerminates,
        in_second,
        &[part],
        &mut Z3Solver::new().direct(),
        Limit::default(),
    );
    assert_eq!(concluded.map(|_| ()).map_err(|r| r.condition), Err(Condition::OtherSystem));
}

#[test]
fn two_systems_never_share_a_text() {
    let made = |vars: &[&str]| {
        let mut ts = TransitionSystem::new("made", Integers::Wrap);
        for v in vars {
            ts.add_var(v, Sort::Int);
        }
        let head = ts.add_loc("head");
        ts.entry = head;
        ts.add_edge(head, LocId::EXIT, ts.terms.tt(), vec![]);
        ts
    };
    let (two, one) = (made(&["a b", "c d"]), made(&["a b`: int\nvar `c d"]));
    assert_eq!(two.hash(), one.hash(), "this is why such names are no names");
    assert_eq!(verify(&two), Ok(()));
    assert!(defect(&one).contains("cannot be"));
    for name in ["", "x@1", "old(x)", "$1", "a\nb", "a\rb", "`"] {
        assert!(defect(&made(&[name])).contains("cannot be"), "{name}");
    }
    for name in ["goto", "true", "5#8", "é", "# x", "0", "a..b", "x y", "\"", "old", "bv8", "in", "=>"] {
        let ts = made(&[name]);
        assert_eq!(verify(&ts), Ok(()), "{name}");
        let again = system(&lts::print(&ts));
        assert_eq!(again.vars.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), [name]);
        assert_eq!(again.hash(), ts.hash());
    }
    let mut ts = made(&["x"]);
    let evil = ts.add_loc("a`:\n  goto EXIT\n`b");
    ts.add_edge(evil, LocId::EXIT, ts.terms.tt(), vec![]);
    assert!(defect(&ts).contains("cannot be"));
    let mut ts = made(&["x"]);
    ts.name = "a`\nobligation \"`".into();
    assert!(defect(&ts).contains("cannot be"));
}

#[test]
fn a_system_whose_parts_disagree_is_none() {
    let sane = || system(COUNT8);
    let head = |ts: &TransitionSystem| loc(ts, "head");
    let mut hidden = sane();
    let h = head(&hidden);
    // An edge that its location does not list: no proof of an end would see it, an orbit could take it.
    hidden.locs[h].out.remove(0);
    let g = hidden.terms.tt();
    hidden.edges[EdgeId::from_index(1)].guard = g;
    assert!(defect(&hidden).contains("edges"), "{}", defect(&hidden));
    let mut moved = sane();
    let other = moved.add_loc("other");
    moved.add_edge(other, LocId::EXIT, moved.terms.tt(), vec![]);
    moved.edges[EdgeId::from_index(0)].from = other;
    assert!(defect(&moved).contains("edges"));
    let mut renamed = sane();
    renamed.locs[LocId::UB].name = "fine".into();
    assert!(defect(&renamed).contains("sink"));
    let mut crossed = sane();
    let y = crossed.add_var("y", Sort::BitVec(8));
    let x = crossed.var_named("x").expect("x");
    crossed.vars[x].old = crossed.vars[y].old;
    assert!(defect(&crossed).contains("symbol"));
    let mut both = sane();
    both.integers = Integers::C;
    assert!(defect(&both).contains("one verdict"));
    both.proves = Proves::Terminates;
    assert_eq!(verify(&both), Ok(()));
    let mut unstated = sane();
    unstated.edges[EdgeId::from_index(0)].assumes.push(lariat_ir::AssumptionId::from_index(3));
    assert!(defect(&unstated).contains("assumption"));
}

#[test]
fn a_name_of_the_checker_s_own_symbols_is_no_hole() {
    // `taken@2.0` and `x@1` cannot be declared, so that no fresh symbol is ever somebody's variable.
    for name in ["taken@2.0", "x@1", "e@1"] {
        let text = format!("lts 1\nvar `{name}`: bool\nentry head\nhead:\n goto EXIT\n");
        assert!(lts::parse(&text).is_err());
        let mut ts = system("lts 1\nvar x: bool\nenvironment e: bool\nentry head\nhead:\n goto EXIT\n");
        ts.add_unknown(name, Sort::Bool, UnknownKind::Input, None);
        assert!(defect(&ts).contains("cannot be"));
    }
    // Plain names that come close.
    let text = "lts 1\nvar taken: bool\nvar x: bv4\nvar x.1: bv4\nenvironment e: bool\ninit taken\nentry head\n\
        head:\n if taken goto meet with x := 1, taken := e\n if !taken goto meet with x := 2, taken := e\n\
        meet:\n goto head with x.1 := x\n";
    let ts = system(text);
    accepted(&ts, &inductive(&ts, &[("meet", "x == 1 || x == 2")]));
    rejected(&ts, &inductive(&ts, &[("meet", "x == 1")]), Condition::InvariantNotInductive);
}

/// `t`, `t op t`, and so on: a tree of 2^n leaves that is n terms.
fn doubled(ts: &TransitionSystem, op: Op, mut t: Term, n: usize) -> Term {
    for _ in 0..n {
        t = ts.terms.apply(op, &[t, t]);
    }
    t
}

#[test]
fn terms_that_share_their_parts_cost_what_they_are_not_what_they_spell() {
    let begin = Instant::now();
    let mut ts = system("lts 1\nvar x: bv8\nentry head\nhead:\n if x == 1 goto head\n if !(x == 1) goto EXIT\n");
    let one = term(&ts, "x == 1");
    let heavy = doubled(&ts, Op::And, one, 60);
    let (stays, leaves) = (EdgeId::from_index(0), EdgeId::from_index(1));
    ts.edges[stays].guard = heavy;
    ts.edges[leaves].guard = ts.terms.not(heavy);
    assert_eq!(verify(&ts), Ok(()));
    let run = Run { header: "head", when: "true", start: &["1"], stem: &[], cycle: &[0], same: &["x"], value: None };
    accepted(&ts, &Claim { when: heavy, ..orbit(&ts, &run) });
    let sum = doubled(&ts, Op::BvAdd, ts.vars[ts.var_named("x").expect("x")].term, 60);
    let mut lost = inductive(&ts, &[("head", "true")]);
    lost.certificate = Certificate::Inductive {
        invariants: BTreeMap::from([(loc(&ts, "head"), ts.terms.eq(sum, ts.terms.bv(8, 1)))]),
    };
    rejected(&ts, &lost, Condition::InvariantNotInitial);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn an_assumption_that_no_edge_names_is_stated_by_every_proof() {
    let text = "lts 1\nvar x: bv8\nassumption \"memory suffices\"\nassumption \"`f` returns\"\nentry head\n\
        head:\n if x == 1 goto head\n if !(x == 1) goto EXIT assumes 1\n";
    let ts = system(text);
    let run = Run { header: "head", when: "x == 1", start: &["1"], stem: &[], cycle: &[0], same: &["x"], value: None };
    let stated = |claim: &Claim| -> Vec<usize> {
        let proved = judge(&ts, claim, &mut Z3Solver::new().direct()).unwrap_or_else(|r| panic!("{r}"));
        proved.assumptions().iter().map(|a| a.index()).collect()
    };
    let spins = orbit(&ts, &run);
    assert_eq!(stated(&spins), [0]);
    assert_eq!(stated(&program(&ts, Property::ProgramDiverges, "x == 1", vec![spins])), [0]);
    assert_eq!(stated(&inductive(&ts, &[])), [0, 1]);
    let ends = ranking(&ts, "head", &[("head", "x != 1")], &[("head", &[(Order::Unsigned, "x")])]);
    let ends = Claim { when: term(&ts, "x != 1"), ..ends };
    assert_eq!(stated(&ends), [0, 1]);
    assert_eq!(stated(&program(&ts, Property::ProgramTerminates, "x != 1", vec![ends])), [0, 1]);
}
