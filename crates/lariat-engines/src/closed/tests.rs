//! Sets that must be found, and some that are nearly closed, which must not.

use super::*;
use crate::board::Board;
use crate::testing::{after, all_values, cx, holds, system};
use lariat_ir::{LoopForest, Machine, State};

fn search(text: &str) -> (TransitionSystem, Result<Claim, NoClaim>) {
    let ts = system(text);
    let forest = LoopForest::of(&ts);
    // The outermost loop that is met last: what comes before it is the way.
    let id = forest.loops.ids().filter(|l| forest.loops[*l].parent.is_none()).max().expect("a loop");
    let board = Board::default();
    let goals = [Goal::Endless(id)];
    let task = Task { ts: &ts, forest: &forest, hash: ts.hash(), goals: &goals, board: &board };
    let found = match ClosedSet.run(&task, &mut cx(Effort::Full)) {
        Outcome::Claims(mut claims) => Ok(claims.remove(0)),
        Outcome::GaveUp(reason) => Err(reason),
    };
    (ts, found)
}

/// The set that is found, of states that are few: each was looked at.
fn found(text: &str) -> (TransitionSystem, BTreeMap<LocId, Term>) {
    let (ts, claim) = search(text);
    let claim = claim.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let Certificate::RecurrentSet { start, stem, set, arms } = claim.certificate else { panic!("a set") };
    let is_in = |s: &State| set.get(&s.loc).is_some_and(|here| holds(&ts, *here, &s.values));
    assert!(Machine::new(&ts).is_initial(&start) && holds(&ts, claim.when, &start), "{text}");
    let entry = State { loc: ts.entry, values: start };
    let arrived = after(&ts, &entry, &stem).expect("the environment cannot lead it astray");
    assert!(!arrived.is_empty() && arrived.iter().all(is_in), "{text}");
    let mut members = 0;
    for state in set.keys().flat_map(|at| states(&ts, *at)).filter(|s| is_in(s)) {
        members += 1;
        let arm = arms.iter().find(|a| a.from == state.loc && holds(&ts, a.when, &state.values));
        let arm = arm.unwrap_or_else(|| panic!("no way goes on from {state:?}\n{text}"));
        let back = after(&ts, &state, &arm.path).unwrap_or_else(|| panic!("{state:?} is led astray\n{text}"));
        assert!(!arm.path.is_empty() && back.iter().all(is_in), "{state:?} leads out\n{text}");
    }
    assert!(members > 0 || ts.vars.iter().any(|v| v.sort == lariat_ir::Sort::Int), "{text}");
    (ts, set)
}

/// All states at a location; for integers, those around zero.
fn states(ts: &TransitionSystem, at: LocId) -> Vec<State> {
    let mut all = vec![Vec::new()];
    for v in &ts.vars {
        let values = match v.sort {
            lariat_ir::Sort::Int => (-20..=20).map(Value::int).collect(),
            sort => all_values(sort),
        };
        all = all
            .iter()
            .flat_map(|s: &Vec<Value>| values.iter().map(|v| [s.as_slice(), std::slice::from_ref(v)].concat()))
            .collect();
    }
    all.into_iter().map(|values| State { loc: at, values }).collect()
}

/// What is said where none is found.
fn missing(text: &str) -> String {
    match search(text) {
        (_, Err(reason)) => reason.to_string(),
        (_, Ok(claim)) => panic!("{claim:?}\n{text}"),
    }
}

const NEVER_LEFT: &str = "no set of states around the first ones is never left";

#[test]
fn odd_numbers_never_reach_zero_in_steps_of_two() {
    let text = |init: &str| {
        format!(
            "integers wrap\nvar x: bv4\ninit {init}\nentry head\n\
             head:\n if x != 0 goto head with x := x + 2\n if x == 0 goto EXIT\n"
        )
    };
    let (ts, set) = found(&text("x == 3"));
    let odd = |n: u32| n % 2 == 1;
    for n in (0..16u32).filter(|n| !odd(*n)) {
        let values = [Value::Bv(lariat_ir::Bits::from_int(4, &n.into()))];
        assert!(set.values().all(|s| !holds(&ts, *s, &values)), "{n} leads to zero");
    }
    found(&text("x >u 3"));
    assert_eq!(missing(&text("x == 6")), NEVER_LEFT);
    assert_eq!(missing(&text("(x & 1) == 0")), NEVER_LEFT);
}

/// `while (x > 0) x += step`
fn steps(low: i32, high: i32) -> String {
    format!(
        "integers ideal\nvar x: int\nvar step: int\ninput a: int\ninput b: int in {low} .. {high}\nentry start\n\
         start:\n goto head with x := a, step := b\n\
         head:\n if x > 0 goto head with x := x + step\n if x <= 0 goto EXIT\n"
    )
}

#[test]
fn a_step_that_is_not_negative_is_kept_as_a_fact() {
    let (ts, set) = found(&steps(-3, 9));
    for x in -5..5 {
        for step in -5..0 {
            let values = [Value::int(x), Value::int(step)];
            assert!(set.values().all(|s| !holds(&ts, *s, &values)), "{x} falls by {step}");
        }
    }
    found(&steps(0, 0));
    assert_eq!(missing(&steps(-9, -1)), NEVER_LEFT);
}

#[test]
fn a_set_that_is_left_after_a_thousand_rounds_is_not_closed() {
    let text = |more: &str| {
        format!(
            "integers ideal\nvar x: int\nvar n: int\ninput a: int\nentry start\n\
             start:\n goto head with x := a, n := 1000\n\
             head:\n if x > 0 && n > 0 goto head with x := x + 1, n := n {more}\n if !(x > 0 && n > 0) goto EXIT\n"
        )
    };
    assert_eq!(missing(&text("- 1")), NEVER_LEFT);
    found(&text("+ 1"));
    found(&text("- 0"));
}

#[test]
fn one_state_that_leads_out_is_too_many() {
    // All numbers from eight on go around among themselves, but for the one that is led out.
    let text = |out: u32| {
        format!(
            "integers wrap\nvar x: bv4\ninit x >=u 8\nentry head\n\
             head:\n if x >=u 8 goto middle\n if x <u 8 goto EXIT\n\
             middle:\n if x == {out} goto TRAP\n if x != {out} goto head with x := (x + 1) | 8\n"
        )
    };
    for out in 8..16 {
        assert_eq!(missing(&text(out)), NEVER_LEFT);
    }
    found(&text(7));
}

#[test]
fn the_environment_may_move_within_the_set_and_not_out_of_it() {
    let text = |step: &str| {
        format!(
            "integers wrap\nvar x: bv4\nenvironment e: bv4\ninit x >=u 8\nentry head\n\
             head:\n if x >=u 8 goto head with x := {step}\n if x <u 8 goto EXIT\n"
        )
    };
    found(&text("e | 8"));
    found(&text("(x & 12) | (e & 3)"));
    missing(&text("e"));
    missing(&text("e | 4"));
    missing(&text("(x & 7) | (e & 12)"));
}

#[test]
fn undefined_behaviour_inside_is_a_way_out() {
    let text = |next: &str| {
        format!(
            "integers wrap\nvar x: bv4\nvar y: bv4\nenvironment e: bv4\ninput n: bv4\ninit x == 1 && y == 0\nentry head\n\
             head:\n if x != 0 goto middle with y := {next}\n if x == 0 goto EXIT\n\
             middle:\n if y == 3 goto UB\n if y != 3 goto head\n"
        )
    };
    found(&text("y ^ 1"));
    found(&text("n"));
    assert_eq!(missing(&text("e")), "every way around it depends on values of the environment");
    missing(&text("y + 1"));
}

#[test]
fn an_input_is_chosen_in_every_round() {
    let text = |kind: &str| {
        format!(
            "integers wrap\nvar x: bv4\n{kind} n: bv4\ninit x == 0\nentry head\n\
             head:\n if x != 5 goto head with x := n\n if x == 5 goto EXIT\n"
        )
    };
    found(&text("input"));
    missing(&text("environment"));
}

#[test]
fn a_loop_inside_is_part_of_the_set() {
    // The inner loop counts `y` up to three; `x` decides the outer one.
    let text = |change: &str| {
        format!(
            "integers wrap\nvar x: bv3\nvar y: bv3\ninit x == 1 && y == 0\nentry head\n\
             head:\n if x != 0 goto inner with y := 0\n if x == 0 goto EXIT\n\
             inner:\n if y <u 3 goto inner with y := y + 1\n if !(y <u 3) goto head with x := {change}\n"
        )
    };
    let (_, set) = found(&text("x"));
    assert_eq!(set.len(), 2, "states at both heads");
    found(&text("x ^ 2"));
    missing(&text("x - 1"));
    missing(&text("x + 1"));
}

#[test]
fn a_closed_set_without_a_way_to_it_is_no_claim() {
    let text = |on: &str| {
        format!(
            "integers wrap\nvar x: bv4\nvar on: bool\nenvironment e: bool\ninput n: bool\nentry start\n\
             start:\n goto middle with x := 6, on := {on}\n\
             middle:\n if on goto head with x := 7\n if !on goto head\n\
             head:\n if x == 7 goto head\n if x != 7 goto EXIT\n"
        )
    };
    found(&text("n"));
    found(&text("true"));
    missing(&text("e"));
    missing(&text("false"));
}

#[test]
fn numbers_that_grow_together_need_a_direction() {
    let text = |start: &str| {
        format!(
            "integers ideal\nvar x: int\nvar y: int\ninput a: int\ninput b: int\ninit x == 0 && y == 0\nentry start\n\
             start:\n goto head with x := {start}\n\
             head:\n if 1 <= 2 * x - 3 * y goto head with x := 8 * x - 10 * y, y := 3 * x - 3 * y\n \
             if 2 * x - 3 * y < 1 goto EXIT\n"
        )
    };
    found(&text("a, y := b"));
    found(&text("5, y := 3"));
    // There 2 x - 3 y is one, one again, and then minus one.
    missing(&text("8, y := 5"));
}

#[test]
fn who_is_to_be_quick_says_nothing() {
    let ts = system("integers ideal\nentry head\nhead:\n goto head\n");
    let forest = LoopForest::of(&ts);
    let (board, goals) = (Board::default(), [Goal::Endless(forest.loops.ids().next().expect("a loop"))]);
    let task = Task { ts: &ts, forest: &forest, hash: ts.hash(), goals: &goals, board: &board };
    let outcome = ClosedSet.run(&task, &mut cx(Effort::Quick));
    assert!(matches!(outcome, Outcome::GaveUp(reason) if reason.text().is_empty()));
    assert!(matches!(ClosedSet.run(&task, &mut cx(Effort::Brief)), Outcome::Claims(claims) if claims.len() == 1));
    assert!(ClosedSet.pursues(goals[0]) && !ClosedSet.pursues(Goal::Ends(goals[0].loop_id())));
}
