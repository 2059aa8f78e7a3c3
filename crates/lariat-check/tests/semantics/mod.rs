//! Each kind of certificate in both integer semantics: what is written here with eight bits is read again over Z.

use crate::*;

/// One of the two semantics.
#[derive(Clone, Copy)]
enum Dialect {
    Wrap,
    Ideal,
}

impl Dialect {
    const ALL: [Self; 2] = [Self::Wrap, Self::Ideal];

    /// A text with signed comparisons on `bv8`, in this dialect.
    fn says(self, text: &str) -> String {
        match self {
            Self::Wrap => text.to_owned(),
            Self::Ideal => {
                let words =
                    [("integers wrap", "integers ideal"), ("bv8", "int"), (">s", ">"), ("<s", "<"), ("<=s", "<=")];
                words.iter().fold(text.to_owned(), |t, (from, to)| t.replace(from, to))
            }
        }
    }
    fn order(self) -> Order {
        match self {
            Self::Wrap => Order::Signed,
            Self::Ideal => Order::Int,
        }
    }
    fn system(self, text: &str) -> TransitionSystem {
        system(&self.says(&format!("lts 1\nintegers wrap\n{text}")))
    }
    /// The measures of a ranking at each location, between commas.
    fn ranking(
        self,
        ts: &TransitionSystem,
        header: &str,
        invariants: &[(&str, &str)],
        tuples: &[(&str, &str)],
    ) -> Claim {
        let invariants: Vec<(&str, String)> = invariants.iter().map(|(l, t)| (*l, self.says(t))).collect();
        let invariants: Vec<(&str, &str)> = invariants.iter().map(|(l, t)| (*l, t.as_str())).collect();
        let tuples: Vec<(&str, Vec<(Order, &str)>)> =
            tuples.iter().map(|(l, tuple)| (*l, tuple.split(", ").map(|t| (self.order(), t)).collect())).collect();
        let tuples: Vec<(&str, &[(Order, &str)])> = tuples.iter().map(|(l, tuple)| (*l, tuple.as_slice())).collect();
        ranking(ts, header, &invariants, &tuples)
    }
}

/// `for (; i > 0; i--) for (j = 3; j > 0; j--);`
const NESTED: &str = "var i: bv8\nvar j: bv8\nentry outer\n\
    outer:\n if i >s 0 goto inner with j := 3\n if !(i >s 0) goto EXIT\n\
    inner:\n if j >s 0 goto inner with j := j - 1\n if !(j >s 0) goto outer with i := i - 1\n";

#[test]
fn nested_loops_fall_lexicographically_at_two_locations() {
    for d in Dialect::ALL {
        let ts = d.system(NESTED);
        let with =
            |inner| d.ranking(&ts, "outer", &[("inner", "i >s 0")], &[("outer", "i, i - i + 4"), ("inner", inner)]);
        accepted(&ts, &with("i, j"));
        rejected(&ts, &with("j, i"), Condition::MeasureDoesNotFall);
        accepted(&ts, &program(&ts, Property::ProgramTerminates, "true", vec![with("i, j")]));
    }
}

#[test]
fn an_inner_loop_stands_in_by_its_relation_in_both_rules() {
    for d in Dialect::ALL {
        let ts = d.system(NESTED);
        let inner = |relation: &str| Inner {
            header: loc(&ts, "inner"),
            relation: term(&ts, relation),
            claim: Box::new(d.ranking(&ts, "inner", &[], &[("inner", "j")])),
        };
        let by_ranking = |relation| {
            let mut c = d.ranking(&ts, "outer", &[], &[("outer", "i")]);
            if let Certificate::Ranking { outline, .. } = &mut c.certificate {
                outline.inner.push(inner(relation));
            }
            c
        };
        let by_transitions = |relation| {
            let disjunct = Disjunct {
                relation: term(&ts, &d.says("i <s old(i) && old(i) >s 0")),
                measure: vec![Measure { order: d.order(), term: term(&ts, "i") }],
            };
            let outline = Outline { invariants: BTreeMap::new(), inner: vec![inner(relation)] };
            let certificate = Certificate::TransitionInvariant { outline, disjuncts: vec![disjunct] };
            claim(&ts, Property::Terminates(loc(&ts, "outer")), "true", certificate)
        };
        accepted(&ts, &by_ranking("i == old(i)"));
        accepted(&ts, &by_transitions("i == old(i)"));
        rejected(&ts, &by_ranking("true"), Condition::MeasureDoesNotFall);
        rejected(&ts, &by_transitions("true"), Condition::StepOutsideRelation);
    }
}

#[test]
fn a_nested_loop_is_kept_going_at_two_locations() {
    for d in Dialect::ALL {
        let ts = d.system(&NESTED.replace("outer", "head").replace("i := i - 1", "i := i"));
        let (positive, more) = (d.says("i >s 0"), d.says("j >s 0"));
        let less = format!("!({more})");
        let with = |less: &str| {
            recurrent(
                &ts,
                &Set {
                    when: &positive,
                    start: &["1", "0"],
                    stem: &[],
                    states: &[("head", &positive), ("inner", &positive)],
                    arms: &[("head", "true", &[(0, "")]), ("inner", &more, &[(2, "")]), ("inner", less, &[(3, "")])],
                },
            )
        };
        accepted(&ts, &with(&less));
        accepted(&ts, &program(&ts, Property::ProgramDiverges, &positive, vec![with(&less)]));
        rejected(&ts, &with("j == 0"), Condition::NoWayOn);
        rejected(&ts, &with("true"), Condition::PathNotEnabled);
    }
}

#[test]
fn an_orbit_passes_two_locations_with_inputs_and_a_period() {
    for d in Dialect::ALL {
        let ts = d.system(
            "var x: bv8\nvar seen: bv8\ninput n: bv8\nenvironment e: bv8\nentry start\nstart:\n goto head with x := n\n\
            head:\n if x >s 0 goto back with x := -x, seen := e\n if x <s 0 goto back with x := -x\n if x == 0 goto EXIT\n\
            back:\n goto head\n",
        );
        let run = |cycle, same| Run {
            header: "head",
            when: "true",
            start: &["0", "0"],
            stem: &[0],
            cycle,
            same,
            value: Some("3"),
        };
        accepted(&ts, &orbit(&ts, &run(&[1, 4, 2, 4], &["x"])));
        rejected(&ts, &orbit(&ts, &run(&[1, 4], &["x"])), Condition::ValuesDiffer);
        rejected(&ts, &orbit(&ts, &run(&[1, 4, 2, 4], &["x", "seen"])), Condition::NotSettled);
        accepted(&ts, &program(&ts, Property::ProgramDiverges, "true", vec![orbit(&ts, &run(&[1, 4, 2, 4], &["x"]))]));
    }
}

#[test]
fn what_is_unreachable_for_some_initial_states_is_claimed_for_those() {
    for d in Dialect::ALL {
        let ts = d.system(
            "var x: bv8\nentry head\nhead:\n if x >s 9 goto dead\n if !(x >s 9) && x >s 0 goto head with x := x - 1\n\
            if !(x >s 9) && !(x >s 0) goto EXIT\ndead:\n goto EXIT\n",
        );
        let with = |when: &str, head: &str| {
            let certificate =
                Certificate::Unreachable { invariants: at(&ts, &[("head", &d.says(head)), ("dead", "false")]) };
            claim(&ts, Property::Unreachable(loc(&ts, "dead")), &d.says(when), certificate)
        };
        accepted(&ts, &with("x <s 5", "x <s 10"));
        rejected(&ts, &with("true", "x <s 10"), Condition::InvariantNotInitial);
        rejected(&ts, &with("x <s 5", "true"), Condition::InvariantNotInductive);
    }
}
