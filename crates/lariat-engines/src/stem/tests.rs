//! Ways that must be found, and ways that must not. The set is the guard of the first edge that leaves `head`.

use super::*;
use crate::testing::{after, cx, holds, named, system};
use lariat_ir::State;

fn search(text: &str, effort: Effort) -> (TransitionSystem, Result<Stem, NoClaim>) {
    let ts = system(text);
    let target = named(&ts, "head");
    let set = ts.edges[ts.locs[target].out[0]].guard;
    let cx = cx(effort);
    let mut solver = cx.solver();
    let found = find(&ts, &cx, solver.as_mut(), target, set);
    (ts, found)
}

/// The way that is found, after it was gone.
fn found(text: &str) -> (TransitionSystem, Stem) {
    let (ts, stem) = search(text, Effort::Full);
    let stem = stem.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let target = named(&ts, "head");
    let set = ts.edges[ts.locs[target].out[0]].guard;
    assert!(Machine::new(&ts).is_initial(&stem.start) && holds(&ts, stem.when, &stem.start));
    let start = State { loc: ts.entry, values: stem.start.clone() };
    let ends = after(&ts, &start, &stem.moves).expect("the environment cannot lead it astray");
    assert!(!ends.is_empty() && ends.iter().all(|s| s.loc == target && holds(&ts, set, &s.values)), "{text}");
    (ts, stem)
}

/// What is said where none is found.
fn missing(text: &str) -> String {
    match search(text, Effort::Full) {
        (_, Err(reason)) => reason.to_string(),
        (_, Ok(stem)) => panic!("{stem:?}\n{text}"),
    }
}

#[test]
fn an_input_leads_into_the_set() {
    let (ts, stem) = found(
        "integers wrap\nvar x: bv8\ninput n: bv8\nentry start\n\
         start:\n goto head with x := n + 1\n\
         head:\n if x == 0 goto head\n if x != 0 goto EXIT\n",
    );
    assert_eq!(stem.moves.len(), 1);
    assert_eq!(stem.when, ts.terms.tt(), "the first value of x does not matter");
    let [(_, value)] = stem.moves[0].inputs[..] else { panic!("one input: {stem:?}") };
    assert_eq!(value, ts.terms.bv(8, 255));
}

#[test]
fn an_input_beyond_its_range_does_not() {
    let text = |most: i32| {
        format!(
            "integers ideal\nvar x: int\ninput n: int in 0 .. {most}\nentry start\n\
             start:\n goto head with x := 2 * n\n\
             head:\n if x > 12 goto head\n if x <= 12 goto EXIT\n"
        )
    };
    found(&text(7));
    assert_eq!(
        missing(&text(6)),
        "there is no way from the entry into the states that repeat, whatever the environment does"
    );
}

#[test]
fn initial_states_bind() {
    let text = |init: &str| {
        format!(
            "integers ideal\nvar x: int\nvar y: int\ninit {init}\nentry start\n\
             start:\n goto head with x := x + y\n\
             head:\n if x == 7 goto head\n if x != 7 goto EXIT\n"
        )
    };
    found(&text("x >= 3 && y >= 4"));
    missing(&text("x >= 3 && y >= 5"));
}

#[test]
fn what_the_environment_decides_is_no_way() {
    for kind in ["environment", "abstraction"] {
        let text = |test: &str| {
            format!(
                "integers wrap\nvar x: bv4\nvar y: bv4\n{kind} e: bv4\ninput n: bv4\nentry start\n\
                 start:\n goto middle with x := n, y := e\n\
                 middle:\n if {test} goto head\n if !({test}) goto EXIT\n\
                 head:\n if x == 9 goto head\n if x != 9 goto EXIT\n"
            )
        };
        missing(&text("y == 3"));
        missing(&text("y <u 15"));
        // It may do what it wants where that makes no difference.
        found(&text("y <=u 15"));
        found(&text("x >=u (y & 8)"));
        missing(&text("x >=u y"));
    }
}

#[test]
fn a_set_that_the_environment_may_miss_is_none() {
    let text = |set: &str| {
        format!(
            "integers wrap\nvar x: bv4\nvar y: bv4\nenvironment e: bv4\ninput n: bv4\nentry start\n\
             start:\n goto head with x := n | 4, y := e\n\
             head:\n if {set} goto head\n if !({set}) goto EXIT\n"
        )
    };
    found(&text("x == 13"));
    found(&text("(x | (y & 4)) == 13"));
    missing(&text("x + y == 5"));
    missing(&text("x == 3"));
}

#[test]
fn the_way_past_a_sink_is_none() {
    missing(
        "integers wrap\nvar x: bv4\ninput n: bv4\nentry start\n\
         start:\n goto middle with x := n\n\
         middle:\n if x == 3 goto UB\n if x != 3 goto head\n\
         head:\n if x == 3 goto head\n if x != 3 goto EXIT\n",
    );
}

/// A loop of a thousand rounds, with a step: the paths forwards are too long, and backwards it is one leg.
fn counts(step: i32, set: &str) -> String {
    format!(
        "integers ideal\nvar i: int\nvar x: int\ninput n: int in -100 .. 100\nentry start\n\
         start:\n goto count with i := 0, x := n\n\
         count:\n if i < 4000 goto count with i := i + {step}\n if i >= 4000 goto head\n\
         head:\n if {set} goto head\n if !({set}) goto EXIT\n"
    )
}

#[test]
fn a_long_loop_on_the_way_is_gone_around() {
    let (_, stem) = found(&counts(2, "x == 7"));
    assert_eq!(stem.moves.len(), 2002);
    assert_eq!(found(&counts(3, "i == 4002 && x < 0")).1.moves.len(), 1336);
}

#[test]
fn where_a_long_loop_cannot_arrive_there_is_no_way() {
    for (step, set) in [(2, "i == 4001"), (3, "i == 4001"), (2, "i == 4000 && x == 101"), (2, "i < 4000")] {
        missing(&counts(step, set));
    }
}

#[test]
fn who_is_to_be_quick_does_not_look_backwards() {
    let (_, stem) = search(&counts(2, "x == 7"), Effort::Quick);
    assert_eq!(
        stem.map(|s| s.moves.len()),
        Err("no way from the entry into the states that repeat was found, forwards or backwards".into())
    );
}

#[test]
fn rounds_of_two_loops_are_counted_each_by_its_own_sort() {
    let (_, stem) = found(
        "integers wrap\nvar k: int\nvar w: bv32\nvar n: int\nvar m: bv32\ninput a: int\ninput b: bv32\nentry start\n\
         start:\n goto first with k := 0, w := 0, n := a, m := b\n\
         first:\n if k < n goto first with k := k + 1\n if !(k < n) goto second\n\
         second:\n if w <u m goto second with w := w + 1\n if !(w <u m) goto head\n\
         head:\n if k == 300 && w == 400 goto head\n if !(k == 300 && w == 400) goto EXIT\n",
    );
    assert_eq!(stem.moves.len(), 1 + 300 + 1 + 400 + 1);
}

#[test]
fn of_a_function_the_weakest_condition_is_said() {
    let (ts, stem) = found(
        "integers ideal\nmode function\nvar x: int\nvar y: int\nentry start\n\
         start:\n if y > 3 goto head with x := x + y\n if y <= 3 goto EXIT\n\
         head:\n if x > 10 goto head\n if x <= 10 goto EXIT\n",
    );
    for x in -20..20 {
        for y in -20..20 {
            let values = [Value::int(x), Value::int(y)];
            assert_eq!(holds(&ts, stem.when, &values), y > 3 && x + y > 10, "{x} {y}");
        }
    }
}

#[test]
fn without_time_nothing_is_found() {
    let ts = system(&counts(2, "x == 7"));
    let head = named(&ts, "head");
    let cx = EngineCx { deadline: std::time::Instant::now(), ..cx(Effort::Full) };
    let mut solver = cx.solver();
    let reason = find(&ts, &cx, solver.as_mut(), head, ts.terms.tt()).expect_err("it has no time");
    assert_eq!(reason, NoClaim::OutOfTime("the time was up while looking for a way from the entry".to_owned()));
}
