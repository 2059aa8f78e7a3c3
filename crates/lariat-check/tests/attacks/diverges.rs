//! Runs that end, or that the environment can end, and proofs that they do not.

use crate::*;

/// One orbit around the edges `cycle`, from the entry.
fn around<'a>(when: &'a str, start: &'a [&'a str], cycle: &'a [usize], same: &'a [&'a str]) -> Run<'a> {
    Run { header: "head", when, start, stem: &[], cycle, same, value: Some("1") }
}

#[test]
fn when_must_fix_what_decides_the_run() {
    let ts = system(
        "lts 1\nvar x: bv4\nvar y: bv4\nvar b: bool\nentry head\nhead:\n if x == 1 goto head\n if x != 1 goto EXIT\n",
    );
    let with = |when| orbit(&ts, &around(when, &["1", "1", "true"], &[0], &["x"]));
    for fixes in ["x == 1", "1 == x", "y == 2#4 - 1#4 && x == 3#4 - 2#4", "b && (x == 1 && y == 1)"] {
        accepted(&ts, &with(fixes));
    }
    for leaves_open in
        ["true", "x == y", "x == y && y == 1", "b == (x == 1)", "x == 1 || y == 1", "!(x != 1)", "b => x == 1"]
    {
        rejected(&ts, &with(leaves_open), Condition::NotSettled);
    }
    rejected(&ts, &with("x == 1 && x == 2"), Condition::StartNotInitial);
    rejected(&ts, &with("false"), Condition::StartNotInitial);
    let never =
        system("lts 1\nvar x: bv4\ninit x != 1\nentry head\nhead:\n if x == 1 goto head\n if x != 1 goto EXIT\n");
    rejected(&never, &orbit(&never, &around("x == 1", &["1"], &[0], &["x"])), Condition::StartNotInitial);
}

#[test]
fn what_the_environment_wrote_a_round_ago_decides_nothing() {
    // The environment's value is stored in one round and tested in the next.
    let text = |test: &str| {
        format!(
            "lts 1\nvar x: bv4\nvar y: bv4\nvar z: bv4\nenvironment e: bv4\ninit x == 1 && y == 1 && z == 1\nentry head\n\
            head:\n if {test} == 1 goto head with z := y, y := e\n if {test} != 1 goto EXIT\n"
        )
    };
    let (reads, calm) = (system(&text("z")), system(&text("x")));
    let with = |ts: &TransitionSystem, cycle, same| orbit(ts, &around("true", &["1", "1", "1"], cycle, same));
    accepted(&calm, &with(&calm, &[0], &["x"]));
    for cycle in [&[0][..], &[0, 0], &[0, 0, 0]] {
        for same in [&["x", "y", "z"][..], &["z"], &["z", "y"], &["y"], &[]] {
            rejected(&reads, &with(&reads, cycle, same), Condition::NotSettled);
        }
    }
}

#[test]
fn an_unsettled_index_or_condition_unsettles_what_it_touches() {
    let text = |update: &str| {
        format!(
            "lts 1\nvar m: array(bv2, bv4)\nvar x: bv4\nvar b: bool\nvar u: bool\nenvironment e: bv4\ninit x == 1 && m == fill(bv2, 1#4) && b\n\
            entry head\nhead:\n if x == 1 && m[0] == 1 goto head with {update}\n if !(x == 1 && m[0] == 1) goto EXIT\n"
        )
    };
    let judge = |update: &str| {
        let ts = system(&text(update));
        let values: &[&str] = &["fill(bv2, 1#4)", "1", "true", "true"];
        let claim = orbit(&ts, &around("true", values, &[0], &["x", "m", "b"]));
        judge(&ts, &claim, &mut Z3Solver::new().direct()).map(|_| ()).map_err(|r| r.condition)
    };
    for settled in [
        "x := 1",
        "x := b ? 1 : e",
        "x := !b ? e : 1",
        "x := store(m, 2#2, e)[0]",
        "x := store(fill(bv2, e), 3#2, 1#4)[3]",
    ] {
        assert_eq!(judge(settled), Ok(()), "{settled}");
    }
    for not in [
        "x := e",
        "x := e == 0 ? 2#4 : 1#4",
        "x := u ? 1#4 : 2#4",
        "x := m[extract(e, 1, 0)]",
        "m := store(m, extract(e, 1, 0), 1#4)",
        "m := store(m, 3#2, e)",
        "m := u ? m : fill(bv2, 0#4)",
        "m := fill(bv2, e)",
        "b := u || b",
        "x := e - e + 1",
    ] {
        assert_eq!(judge(not), Err(Condition::NotSettled), "{not}");
    }
}

#[test]
fn a_store_at_an_unknown_index_may_hit_the_compared_cell() {
    let text = "lts 1\nvar m: array(bv2, bv4)\nvar i: bv2\nenvironment e: bv2\nentry head\n\
        head:\n if m[0] == 1 goto head with m := store(m, i, 0#4), i := e\n if m[0] != 1 goto EXIT\n";
    let ts = system(text);
    let (m, i) = (ts.var_named("m").expect("m"), ts.var_named("i").expect("i"));
    let with = |same: Vec<StatePart>| {
        let step =
            Choice { edge: EdgeId::from_index(0), values: vec![(ts.unknown_named("e").expect("e"), Value::bv(2, 3))] };
        let certificate =
            Certificate::Orbit { start: start(&ts, &["fill(bv2, 1#4)", "3"]), stem: vec![], cycle: vec![step], same };
        claim(&ts, Property::Diverges(loc(&ts, "head")), "m == fill(bv2, 1#4) && i == 3", certificate)
    };
    let cell = StatePart::Cell(m, Value::bv(2, 0));
    for same in
        [vec![cell.clone()], vec![cell.clone(), StatePart::Var(i)], vec![cell, StatePart::Cell(m, Value::bv(2, 3))]]
    {
        rejected(&ts, &with(same), Condition::NotSettled);
    }
}

#[test]
fn equal_maps_with_different_histories_do_not_keep_a_run_alive() {
    // m and n hold the same at both indices, so the run ends at once.
    let text = "lts 1\nvar m: array(bv1, bv4)\nvar n: array(bv1, bv4)\n\
        init m == store(fill(bv1, 0#4), 0#1, 1#4) && n == store(fill(bv1, 1#4), 1#1, 0#4)\nentry head\n\
        head:\n if m == n goto EXIT\n if m != n goto head\n";
    let ts = system(text);
    let values: &[&str] = &["store(fill(bv1, 0#4), 0#1, 1#4)", "store(fill(bv1, 1#4), 1#1, 0#4)"];
    rejected(&ts, &orbit(&ts, &around("true", values, &[1], &["m", "n"])), Condition::StepNotEnabled);
    accepted(&ts, &ranking(&ts, "head", &[("head", "m == n")], &[("head", &[(Order::Unsigned, "m[0]")])]));
}

/// x becomes an input and an environment value together, on one edge.
const TOGETHER: &str = "lts 1\nintegers ideal\nvar x: int\ninput n: int in -9 .. 9\nenvironment e: int in -3 .. 3\nentry head\n\
    head:\n if x > 0 goto head with x := e + n\n if !(x > 0) goto EXIT\n";

fn answering(ts: &TransitionSystem, input: Term) -> Claim {
    let n = ts.unknown_named("n").expect("n");
    let path = vec![Move { edge: EdgeId::from_index(0), inputs: vec![(n, input)] }];
    let certificate = Certificate::RecurrentSet {
        start: start(ts, &["1"]),
        stem: vec![],
        set: at(ts, &[("head", "x > 0")]),
        arms: vec![Arm { from: loc(ts, "head"), when: term(ts, "true"), path }],
    };
    claim(ts, Property::Diverges(loc(ts, "head")), "x > 0", certificate)
}

#[test]
fn an_input_does_not_see_what_the_environment_does_at_the_same_moment() {
    let ts = system(TOGETHER);
    let e = ts.unknowns[ts.unknown_named("e").expect("e")].term;
    accepted(&ts, &answering(&ts, term(&ts, "4")));
    rejected(&ts, &answering(&ts, term(&ts, "3")), Condition::PathLeavesSet);
    rejected(&ts, &answering(&ts, term(&ts, "1 - e")), Condition::IllFormedTerm);
    rejected(&ts, &answering(&ts, term(&ts, "n")), Condition::IllFormedTerm);
    rejected(&ts, &answering(&ts, term(&ts, "old(x)")), Condition::IllFormedTerm);
    // The symbol under which the checker itself will know the environment's value.
    let one = term(&ts, "1");
    let foreseen = ts.terms.apply(lariat_ir::Op::IntSub, &[one, ts.terms.copy_symbol(e, 1)]);
    rejected(&ts, &answering(&ts, foreseen), Condition::IllFormedTerm);
}

#[test]
fn an_input_stays_in_its_range_in_every_state() {
    let ts = system(TOGETHER);
    accepted(&ts, &answering(&ts, term(&ts, "x > 5 ? 9 : 4 + x")));
    rejected(&ts, &answering(&ts, term(&ts, "4 + x")), Condition::ChoiceOutOfRange);
    rejected(&ts, &answering(&ts, term(&ts, "10")), Condition::ChoiceOutOfRange);
    let e = lts::parse(&TOGETHER.replace("-3 .. 3", "3 .. -3")).expect_err("an empty range holds for all its values");
    assert!(e.message.contains("empty"), "{e}");
}

#[test]
fn a_recurrent_set_is_never_empty_and_never_left() {
    let ts = system(CHOOSE);
    rejected(&ts, &recurrent(&ts, &choose(|s| s.states = &[("head", "false")])), Condition::StemMissesSet);
    rejected(&ts, &recurrent(&ts, &choose(|s| s.states = &[])), Condition::StemMissesSet);
    rejected(&ts, &recurrent(&ts, &choose(|s| s.when = "false")), Condition::StartNotInitial);
    rejected(&ts, &recurrent(&ts, &choose(|s| s.arms = &[])), Condition::NoWayOn);
    rejected(&ts, &recurrent(&ts, &choose(|s| s.arms = &[("head", "false", &[(1, "x")])])), Condition::NoWayOn);
    rejected(&ts, &recurrent(&ts, &choose(|s| s.arms = &[("head", "true", &[(2, "x")])])), Condition::RunEnds);
    rejected(
        &ts,
        &recurrent(&ts, &choose(|s| s.arms = &[("head", "true", &[(0, "x")])])),
        Condition::StepsNotConnected,
    );
    rejected(&ts, &recurrent(&ts, &choose(|s| s.stem = &[])), Condition::StemMissesSet);
    let dead_end = CHOOSE.replace("goto EXIT", "goto UB");
    let ts = system(&dead_end);
    rejected(
        &ts,
        &recurrent(&ts, &choose(|s| s.arms = &[("head", "true", &[(2, "x")])])),
        Condition::UndefinedBehaviour,
    );
}

#[test]
fn an_arm_may_pass_other_places_of_the_loop_but_not_leave_it() {
    let text = "lts 1\nvar x: bv4\nentry head\nhead:\n if x == 1 goto far\n if x != 1 goto two\n\
        far:\n goto head\ntwo:\n if x == 2 goto two\n if x != 2 goto EXIT\n";
    let ts = system(text);
    let with = |arm| {
        let s = Set { when: "x == 1", start: &["1"], stem: &[], states: &[("head", "x == 1")], arms: arm };
        recurrent(&ts, &s)
    };
    accepted(&ts, &with(&[("head", "true", &[(0, ""), (2, "")])]));
    rejected(&ts, &with(&[("head", "true", &[(0, "")])]), Condition::PathLeavesSet);
    rejected(&ts, &with(&[("head", "true", &[(1, "")])]), Condition::LeavesLoop);
}

#[test]
fn a_program_diverges_from_just_the_states_that_a_part_speaks_of() {
    let ts = system(SPIN);
    let part = orbit(&ts, &spin(|_| {}));
    let whole = |property, when, part: &Claim| program(&ts, property, when, vec![part.clone()]);
    accepted(&ts, &whole(Property::ProgramDiverges, "x == 1", &part));
    for other in ["true", "x == 2", "x == 1 && y == 0", "x == 1 || x == 2"] {
        rejected(&ts, &whole(Property::ProgramDiverges, other, &part), Condition::OtherInitialStates);
    }
    rejected(&ts, &whole(Property::ProgramTerminates, "x == 1", &part), Condition::LoopNotCovered);
    let ends = ranking(&ts, "head", &[("head", "x == 0")], &[("head", &[(Order::Unsigned, "x")])]);
    let ends = Claim { when: term(&ts, "x == 0"), ..ends };
    accepted(&ts, &ends);
    rejected(&ts, &whole(Property::ProgramDiverges, "x == 0", &ends), Condition::OtherInitialStates);
}

#[test]
fn a_system_made_for_one_verdict_carries_no_part_of_the_other() {
    for integers in ["c", "wrap"] {
        let text = SPIN.replace("integers wrap", &format!("integers {integers} proves terminates"));
        let ts = system(&text);
        let part = orbit(&ts, &spin(|_| {}));
        rejected(&ts, &part, Condition::OtherVerdict);
        rejected(&ts, &program(&ts, Property::ProgramDiverges, "x == 1", vec![part.clone()]), Condition::OtherVerdict);
        rejected(&ts, &program(&ts, Property::ProgramTerminates, "x == 1", vec![part]), Condition::OtherVerdict);
    }
}

/// `x` decides the way to the loop, in which nothing happens.
const ON_THE_WAY: &str = "lts 1\nname t\nintegers ideal\nvar x: int\nenvironment e: int in 0 .. 9\nentry start\n\
    start:\n goto middle with x := CHANGE\n\
    middle:\n if x == 0 goto head\n if !(x == 0) goto EXIT\n\
    head:\n goto head\n";

fn by_the_way(change: &str, when: &str) -> (TransitionSystem, Claim) {
    let ts = system(&ON_THE_WAY.replace("CHANGE", change));
    let step = |i: usize| Move { edge: EdgeId::from_index(i), inputs: vec![] };
    let certificate = Certificate::RecurrentSet {
        start: start(&ts, &["0"]),
        stem: vec![step(0), step(1)],
        set: at(&ts, &[("head", "true")]),
        arms: vec![Arm { from: loc(&ts, "head"), when: term(&ts, "true"), path: vec![step(3)] }],
    };
    let claim = claim(&ts, Property::Diverges(loc(&ts, "head")), when, certificate);
    (ts, claim)
}

#[test]
fn a_stem_is_replayed_only_as_far_as_its_values_are_settled() {
    let (ts, good) = by_the_way("x * 1", "x == 0");
    accepted(&ts, &good);
    // In the replay x is 0, but another first state of `when` has another value.
    let (ts, bad) = by_the_way("x * 1", "x <= 0");
    rejected(&ts, &bad, Condition::PathNotEnabled);
    // The least value of the environment is 0 as well.
    let (ts, bad) = by_the_way("x + e", "x == 0");
    rejected(&ts, &bad, Condition::PathNotEnabled);
}
