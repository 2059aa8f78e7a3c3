//! The interpreter, on the Zune loop.

use lariat_ir::{LocId, Machine, RunEnd, State, Step, TransitionSystem, Value, lts};

fn zune() -> TransitionSystem {
    lts::parse(include_str!("../../../examples/zune.lts")).expect("the example is a system").system
}

fn run(ts: &TransitionSystem, today: u128, fuel: u64) -> (State, RunEnd) {
    let values = ts.vars.iter().map(|v| Value::zero(v.sort)).collect();
    Machine::new(ts).run(State { loc: ts.entry, values }, fuel, |_| Value::bv(32, today))
}

#[test]
fn an_ordinary_day_ends_and_the_last_day_of_a_leap_year_does_not() {
    let ts = zune();
    let year = ts.var_named("year").expect("there is a year");
    let (end, how) = run(&ts, 400, 1000);
    assert_eq!(how, RunEnd::Sink(LocId::EXIT));
    assert_eq!(*end.value(year), Value::bv(32, 1981));
    assert_eq!(run(&ts, 366, 100_000).1, RunEnd::OutOfFuel);
    // 31 December 2008, counted from 1 January 1980.
    assert_eq!(run(&ts, 366 + 365 * 28 + 7, 100_000).1, RunEnd::OutOfFuel);
    assert_eq!(run(&ts, 366 + 365 * 28 + 8, 100_000).1, RunEnd::Sink(LocId::EXIT));
}

#[test]
fn fuel_is_counted_in_steps() {
    let ts = zune();
    // start -> head -> EXIT
    assert_eq!(run(&ts, 1, 1).1, RunEnd::OutOfFuel);
    assert_eq!(run(&ts, 1, 2).1, RunEnd::Sink(LocId::EXIT));
}

#[test]
fn gaps_and_overlaps_are_noticed() {
    let text = "lts 1\nvar x: bv2\nentry a\na:\n if x <u 1 goto EXIT\n if x >u 1 goto EXIT\n if x ==  3 goto EXIT\n";
    let ts = lts::parse(text).expect("the structure is fine").system;
    let machine = Machine::new(&ts);
    let at = |x: u128| {
        machine.step(&State { loc: ts.entry, values: vec![Value::bv(2, x)] }, |_| unreachable!("no unknowns"))
    };
    assert!(matches!(at(0), Step::Took(..)));
    assert_eq!(at(1), Step::Stuck);
    assert!(matches!(at(3), Step::Ambiguous(..)));
}
