//! Loops that do not end, and proofs that they do.

use crate::*;
use Order::{Int, Signed, Unsigned};

/// `claim` with this `when`.
fn when(ts: &TransitionSystem, text: &str, claim: Claim) -> Claim {
    Claim { when: term(ts, text), ..claim }
}

/// The loop at `header` stands in by `relation` in a proof for the loop at `outer`.
fn stepping_over(ts: &TransitionSystem, mut outer: Claim, relation: &str, inner: Claim) -> Claim {
    let Property::Terminates(header) = inner.property else { panic!("an inner claim is about a loop that ends") };
    match &mut outer.certificate {
        Certificate::Ranking { outline, .. } | Certificate::TransitionInvariant { outline, .. } => {
            outline.inner.push(Inner { header, relation: term(ts, relation), claim: Box::new(inner) });
        }
        other => panic!("{} has no inner loops", other.kind()),
    }
    outer
}

#[test]
fn a_measure_that_wraps_round_is_none() {
    let ts = system("lts 1\nvar x: bv8\nentry head\nhead:\n goto head with x := x - 1\n");
    for order in [Unsigned, Signed] {
        for measure in ["x", "-x", "~x", "x >>u 1", "x ^ 128"] {
            rejected(&ts, &ranking(&ts, "head", &[], &[("head", &[(order, measure)])]), Condition::MeasureDoesNotFall);
        }
    }
    let ts =
        system("lts 1\nvar x: bv128\nentry head\nhead:\n if x != 0 goto head with x := x - 1\n if x == 0 goto EXIT\n");
    accepted(&ts, &ranking(&ts, "head", &[], &[("head", &[(Unsigned, "x")])]));
    rejected(&ts, &ranking(&ts, "head", &[], &[("head", &[(Signed, "x")])]), Condition::MeasureDoesNotFall);
}

#[test]
fn falling_for_ever_is_not_falling_to_an_end() {
    let ts = system("lts 1\nintegers ideal\nvar x: int\nvar y: int\nentry head\nhead:\n goto head with x := x - 1\n");
    let by = |tuple| ranking(&ts, "head", &[], &[("head", tuple)]);
    rejected(&ts, &by(&[(Int, "x")]), Condition::MeasureUnbounded);
    rejected(&ts, &by(&[(Int, "x > 0 ? x : 0")]), Condition::CycleWithoutFall);
    rejected(&ts, &by(&[(Int, "x"), (Int, "y")]), Condition::MeasureUnbounded);
    rejected(&ts, &by(&[(Int, "y"), (Int, "x")]), Condition::MeasureUnbounded);
    // The bound of one component is not the bound of another.
    rejected(&ts, &by(&[(Int, "x"), (Int, "5")]), Condition::MeasureUnbounded);
    rejected(&ts, &transitions(&ts, "head", &[("x < old(x)", "x")], Vec::new()), Condition::DisjunctUnbounded);
}

#[test]
fn measures_of_two_places_cannot_hand_each_other_what_they_lose() {
    let toggle =
        "lts 1\nintegers ideal\nvar x: int\ninit x == 0\nentry a\na:\n goto b with x := 1\nb:\n goto a with x := 0\n";
    let ts = system(toggle);
    let at = |a, b| ranking(&ts, "a", &[("a", "x == 0"), ("b", "x == 1")], &[("a", &[(Int, a)]), ("b", &[(Int, b)])]);
    rejected(&ts, &at("1 - x", "x"), Condition::CycleWithoutFall);
    rejected(&ts, &at("2 - x", "x"), Condition::MeasureDoesNotFall);
    rejected(&ts, &at("x", "x"), Condition::MeasureDoesNotFall);
    let tuples: &[(&str, &[(Order, &str)])] = &[("a", &[(Int, "0"), (Int, "1 - x")]), ("b", &[(Int, "0"), (Int, "x")])];
    rejected(&ts, &ranking(&ts, "a", &[("a", "x == 0"), ("b", "x == 1")], tuples), Condition::CycleWithoutFall);
}

#[test]
fn two_well_founded_parts_do_not_make_a_well_founded_union() {
    let toggle = "lts 1\nintegers ideal\nvar x: int\ninit x == 0\nentry head\nhead:\n goto head with x := 1 - x\n";
    let ts = system(toggle);
    let parts = [("x < old(x) && old(x) == 1", "x"), ("x > old(x) && old(x) == 0", "1 - x")];
    let mut union = transitions(&ts, "head", &parts, Vec::new());
    if let Certificate::TransitionInvariant { outline, .. } = &mut union.certificate {
        outline.invariants = at(&ts, &[("head", "x == 0 || x == 1")]);
    }
    rejected(&ts, &union, Condition::RelationNotTransitive);
}

#[test]
fn no_parts_at_all_show_only_what_never_iterates() {
    let spins = system("lts 1\nvar b: bool\nentry head\nhead:\n if b goto head\n if !b goto EXIT\n");
    rejected(&spins, &transitions(&spins, "head", &[], Vec::new()), Condition::StepOutsideRelation);
    let mut never = transitions(&spins, "head", &[], Vec::new());
    if let Certificate::TransitionInvariant { outline, .. } = &mut never.certificate {
        outline.invariants = at(&spins, &[("head", "!b")]);
    }
    accepted(&spins, &when(&spins, "!b", never.clone()));
    rejected(&spins, &never, Condition::InvariantNotInitial);
}

#[test]
fn an_unknown_is_chosen_anew_on_every_edge_that_mentions_it() {
    let two = system(
        "lts 1\nvar a: bv8\nvar b: bv8\nenvironment e: bv8\ninit a == b\nentry head\n\
        head:\n goto mid with a := e\nmid:\n goto head with b := e\n",
    );
    rejected(&two, &inductive(&two, &[("head", "a == b")]), Condition::InvariantNotInductive);
    let again = system(
        "lts 1\nvar a: bv8\nvar b: bv8\nenvironment e: bv8\ninit a == b\nentry head\n\
        head:\n goto head with a := e, b := a\n",
    );
    rejected(&again, &inductive(&again, &[("head", "a == b")]), Condition::InvariantNotInductive);
    let once = system(
        "lts 1\nvar a: bv8\nvar b: bv8\nenvironment e: bv8\ninit a == b\nentry head\n\
        head:\n goto head with a := e, b := e\n",
    );
    accepted(&once, &inductive(&once, &[("head", "a == b")]));
}

#[test]
fn a_path_does_not_borrow_the_values_of_another_one() {
    // Both arms meet twice; x falls on one side and rises on the other.
    let diamonds = |other: &str| {
        format!(
            "lts 1\nintegers ideal\nvar x: int\nvar b: bool\nvar c: bool\nenvironment e: bool\nentry head\n\
            head:\n if x > 0 goto fork\n if !(x > 0) goto EXIT\n\
            fork:\n if b goto meet with x := x - 2, c := e\n if !b goto meet with x := x {other}, c := e\n\
            meet:\n if c goto head with b := e\n if !c goto last with x := x - 1\n\
            last:\n if b goto head with b := e\n if !b goto head\n"
        )
    };
    let (falls, rises) = (system(&diamonds("- 1")), system(&diamonds("+ 1")));
    accepted(&falls, &ranking(&falls, "head", &[], &[("head", &[(Int, "x")])]));
    rejected(&rises, &ranking(&rises, "head", &[], &[("head", &[(Int, "x")])]), Condition::MeasureDoesNotFall);
}

/// In every round the inner loop {h, t} is entered at its header, or from the side at t, as `side` says.
fn side_entry(side: &str, out: &str) -> String {
    format!(
        "lts 1\nintegers ideal\nvar i: int\nvar j: int\nvar s: int\nvar b: bool\nenvironment e: bool\ninit s == 0\nentry outer\n\
        outer:\n if i > 0 goto pick with b := e\n if !(i > 0) goto EXIT\n\
        pick:\n if b goto h\n if !b goto t with s := 1\n\
        h:\n if j > 0 goto t\n if !(j > 0) goto outer with i := i - 1, j := 5\n\
        t:\n if s == 1 goto {out} with i := i {side}, s := 0\n if s != 1 goto h with j := j - 1\n"
    )
}

#[test]
fn a_side_entry_into_an_inner_loop_is_not_stepped_over() {
    let proof = |ts: &TransitionSystem| {
        let settled: &[(&str, &str)] = &[("outer", "s == 0"), ("h", "s == 0")];
        let outer = ranking(ts, "outer", settled, &[("outer", &[(Int, "i")])]);
        let inner = ranking(ts, "h", settled, &[("h", &[(Int, "j")])]);
        stepping_over(ts, outer, "i == old(i) && j <= old(j)", inner)
    };
    let calm = system(&side_entry("- 0", "h"));
    accepted(&calm, &proof(&calm));
    // The same relation, and on the way from the side i grows by more than a round takes.
    let grows = system(&side_entry("+ 1", "h"));
    rejected(&grows, &proof(&grows), Condition::CycleWithoutFall);
    let faster = system(&side_entry("+ 2", "h"));
    rejected(&faster, &proof(&faster), Condition::MeasureDoesNotFall);
    // From the side straight out again, past the header.
    let past = system(&side_entry("- 0", "outer"));
    rejected(&past, &proof(&past), Condition::CycleWithoutFall);
}

#[test]
fn a_cycle_through_an_inner_header_is_not_hidden_by_its_relation() {
    // outer -> inner -> outer can go on for ever without passing m.
    let text = "lts 1\nintegers ideal\nvar x: int\nvar j: int\nvar b: bool\nenvironment e: bool\nentry outer\n\
        outer:\n if b goto inner\n if !b goto m\n\
        inner:\n if j > 0 goto inner with j := j - 1\n if !(j > 0) goto outer with b := e\n\
        m:\n if x > 0 goto outer with x := x - 1, b := e\n if !(x > 0) goto EXIT\n";
    let ts = system(text);
    let inner = || ranking(&ts, "inner", &[], &[("inner", &[(Int, "j")])]);
    let at_m = stepping_over(&ts, ranking(&ts, "outer", &[], &[("m", &[(Int, "x")])]), "x == old(x)", inner());
    rejected(&ts, &at_m, Condition::CycleAvoidsMeasures);
    let at_outer = stepping_over(&ts, ranking(&ts, "outer", &[], &[("outer", &[(Int, "x")])]), "x == old(x)", inner());
    rejected(&ts, &at_outer, Condition::CycleWithoutFall);
}

#[test]
fn an_inner_loop_that_holds_another_one_does_not_stand_in_alone() {
    // The innermost loop changes i, which an iteration of the middle one without it would not.
    let text = "lts 1\nintegers ideal\nvar i: int\nvar j: int\nvar k: int\nentry outer\n\
        outer:\n if i > 0 goto middle with j := 3\n if !(i > 0) goto EXIT\n\
        middle:\n if j > 0 goto low with k := 3, j := j - 1\n if !(j > 0) goto outer with i := i - 1\n\
        low:\n if k > 0 goto low with k := k - 1, i := i + 1\n if !(k > 0) goto middle\n";
    let ts = system(text);
    let low = ranking(&ts, "low", &[], &[("low", &[(Int, "k")])]);
    let tuples: &[(&str, &[(Order, &str)])] =
        &[("middle", &[(Int, "2 * j"), (Int, "0")]), ("low", &[(Int, "2 * j + 1"), (Int, "k")])];
    let middle = ranking(&ts, "middle", &[("low", "j >= 0")], tuples);
    accepted(&ts, &low);
    accepted(&ts, &middle);
    let outer = || ranking(&ts, "outer", &[], &[("outer", &[(Int, "i")])]);
    let over = stepping_over(&ts, outer(), "i == old(i)", middle.clone());
    rejected(&ts, &over, Condition::InnerNotClosed);
    // Both stand in, one inside the other.
    let both = stepping_over(&ts, over, "i == old(i)", low.clone());
    rejected(&ts, &both, Condition::InnerNotClosed);
    let both = stepping_over(&ts, stepping_over(&ts, outer(), "true", low), "i == old(i)", middle);
    rejected(&ts, &both, Condition::InnerNotInside);
}

#[test]
fn an_inner_proof_for_other_states_or_another_loop_is_none() {
    let ts = system(NEST);
    let outer = || ranking(&ts, "outer", &[], &[("outer", &[(Int, "i")])]);
    let inner = || ranking(&ts, "inner", &[], &[("inner", &[(Int, "j")])]);
    let over = |claim: Claim| {
        let mut c = stepping_over(&ts, outer(), "i == old(i)", inner());
        if let Certificate::Ranking { outline, .. } = &mut c.certificate {
            *outline.inner[0].claim = claim;
        }
        c
    };
    accepted(&ts, &over(inner()));
    rejected(&ts, &over(when(&ts, "i > 5", inner())), Condition::InnerNotProved);
    rejected(&ts, &over(when(&ts, "false", inner())), Condition::InnerNotProved);
    rejected(&ts, &over(inductive(&ts, &[])), Condition::InnerNotProved);
    rejected(&ts, &over(over(inner())), Condition::InnerNotProved);
    rejected(&ts, &over(Claim { system: SystemHash([0; 32]), ..inner() }), Condition::InnerNotProved);
}

#[test]
fn what_was_shown_for_some_initial_states_is_not_used_for_others() {
    let text = "lts 1\nintegers ideal\nvar x: int\nvar y: int\nentry head\n\
        head:\n if x > 0 goto head with x := x - y\n if !(x > 0) goto EXIT\n";
    let ts = system(text);
    let by_y = || ranking(&ts, "head", &[("head", "y > 0")], &[("head", &[(Int, "x")])]);
    accepted(&ts, &when(&ts, "y > 0", by_y()));
    rejected(&ts, &by_y(), Condition::InvariantNotInitial);
    rejected(&ts, &when(&ts, "y >= 0", by_y()), Condition::InvariantNotInitial);
    // Nothing starts there, so nothing stays for ever; it says nothing about the program.
    let vacuous = when(&ts, "false", by_y());
    accepted(&ts, &vacuous);
    let whole = |when, part| program(&ts, Property::ProgramTerminates, when, vec![part]);
    accepted(&ts, &whole("false", vacuous.clone()));
    rejected(&ts, &whole("true", vacuous), Condition::OtherInitialStates);
    rejected(&ts, &whole("true", when(&ts, "y > 0", by_y())), Condition::OtherInitialStates);
    accepted(&ts, &whole("y > 3", when(&ts, "y > 0", by_y())));
}

#[test]
fn an_entry_that_is_visited_again_keeps_its_invariant_each_time() {
    let ts = system("lts 1\nvar x: bv4\ninit x == 5\nentry head\nhead:\n goto head with x := x + 1\n");
    rejected(&ts, &inductive(&ts, &[("head", "x == 5")]), Condition::InvariantNotInductive);
    // The entry lies inside a loop whose header is another location, because a dead one leads there, too.
    let ts =
        system("lts 1\nvar x: bv4\ninit x == 0\nentry b\ndead:\n goto a\na:\n goto b\nb:\n goto a with x := x | 1\n");
    accepted(&ts, &inductive(&ts, &[("a", "x <=u 1")]));
    rejected(&ts, &inductive(&ts, &[("a", "x == 0")]), Condition::InvariantNotInductive);
    rejected(&ts, &inductive(&ts, &[("b", "x == 0")]), Condition::InvariantNotInductive);
    rejected(&ts, &inductive(&ts, &[("a", "x == 1"), ("b", "x == 1")]), Condition::InvariantNotInitial);
}

#[test]
fn a_program_does_not_end_because_some_of_it_does() {
    let ts = system(NEST);
    let inner = ranking(&ts, "inner", &[], &[("inner", &[(Int, "j")])]);
    let whole = |parts| program(&ts, Property::ProgramTerminates, "true", parts);
    rejected(&ts, &whole(vec![inner.clone()]), Condition::LoopNotCovered);
    rejected(&ts, &whole(vec![inductive(&ts, &[])]), Condition::LoopNotCovered);
    rejected(&ts, &whole(vec![whole(vec![inner])]), Condition::KindDoesNotFit);
    let two = system(
        "lts 1\nvar x: bv4\nentry a\na:\n if x == 1 goto a\n if x != 1 goto b\nb:\n if x == 2 goto b\n if x != 2 goto EXIT\n",
    );
    let a = when(&two, "x != 1", ranking(&two, "a", &[("a", "x != 1")], &[("a", &[(Unsigned, "x")])]));
    let b = when(&two, "x != 2", ranking(&two, "b", &[("a", "x != 2"), ("b", "x != 2")], &[("b", &[(Unsigned, "x")])]));
    let whole = |when, parts| program(&two, Property::ProgramTerminates, when, parts);
    accepted(&two, &whole("x != 1 && x != 2", vec![a.clone(), b.clone()]));
    rejected(&two, &whole("x != 1", vec![a.clone(), b]), Condition::OtherInitialStates);
    rejected(&two, &whole("x != 1", vec![a.clone(), a]), Condition::LoopNotCovered);
}

#[test]
fn division_by_zero_is_what_the_evaluator_says() {
    let ts = system(
        "lts 1\nintegers ideal\nvar x: int\nvar z: int\ninit z == 0\nentry head\nhead:\n goto head with x := x + 1\n",
    );
    accepted(&ts, &inductive(&ts, &[("head", "z == 0 && x / z == 0 && x % z == x && x / 0 == 0 && x % 0 == x")]));
    for wrong in ["x / z == 1", "x % z == 0", "x / 0 == x", "x % 0 >= 0"] {
        let claim = inductive(&ts, &[("head", &format!("z == 0 && {wrong}"))]);
        rejected(&ts, &claim, Condition::InvariantNotInitial);
    }
    // Euclid's quotient, not C's.
    accepted(&ts, &inductive(&ts, &[("head", "-7 / 2 == -4 && -7 % 2 == 1 && -7 / -2 == 4 && 7 / -2 == -3")]));
}
