//! Assuming a condition and assigning values, on random terms over random sets of states: compared with every state.

mod common;

use common::{Maker, Test, valuations};
use lariat_domains::{AbstractDomain, Jump, Layer, Octagon, Polyhedron, Product, Relation, Space};
use lariat_ir::{Id, Sort, Term, TransitionSystem, Value, VarId};
use std::collections::BTreeSet;

/// The states that an abstract state holds, by what it says.
fn members<R: Relation>(space: &Space<'_>, p: &Product<R>) -> BTreeSet<Vec<Value>> {
    let ts = space.system();
    let test = p.meaning(space).map(|t| Test::new(ts, t));
    valuations(ts).into_iter().filter(|v| test.as_ref().is_none_or(|t| t.holds(ts, v))).collect()
}

/// The states in which all of these hold.
fn states(ts: &TransitionSystem, guards: &[Term]) -> BTreeSet<Vec<Value>> {
    let test = Test::new(ts, ts.terms.all(guards.iter().copied()));
    valuations(ts).into_iter().filter(|v| test.holds(ts, v)).collect()
}

fn laws<R: Relation>(seeds: std::ops::Range<u64>, ints: bool, layer: Layer) -> (usize, usize) {
    let (mut exact, mut all) = (0, 0);
    for seed in seeds {
        let mut maker = Maker::new(seed, ints);
        let terms: Vec<Term> = (0..3).map(|_| maker.term(Sort::Bool, 3)).collect();
        let target = VarId::from_index(maker.rng.below(maker.ts.vars.len()));
        let (sort, other) = (maker.ts.vars[target].sort, VarId::from_index(maker.rng.below(maker.ts.vars.len())));
        let mut updates = vec![(target, maker.term(sort, 3))];
        if other != target {
            let sort = maker.ts.vars[other].sort;
            updates.push((other, maker.term(sort, 2)));
        }
        // The terms decide which variables are looked at together.
        let loc = maker.ts.add_loc("l");
        maker.ts.entry = loc;
        maker.ts.add_edge(loc, loc, terms[0], updates.clone());
        maker.ts.init = terms[1];
        let ts = &maker.ts;
        let space = Space::new(ts, layer);

        let top = Product::<R>::top(&space);
        let assumed = |from: &Product<R>, guard: Term| {
            let mut p = from.clone();
            p.assume(&space, guard);
            p
        };
        let a = assumed(&assumed(&top, terms[0]), terms[1]);
        let b = assumed(&top, terms[2]);
        let (in_a, in_b) = (members(&space, &a), members(&space, &b));
        let wanted = states(ts, &terms[..2]);
        assert!(wanted.is_subset(&in_a), "seed {seed}: {:?} are lost by assuming", wanted.difference(&in_a));
        assert!(states(ts, &terms[2..]).is_subset(&in_b), "seed {seed}");
        all += 1;
        exact += usize::from(wanted.len() == in_a.len());

        let post: Vec<Test> = updates.iter().map(|(_, t)| Test::new(ts, *t)).collect();
        let mut moved = a.clone();
        moved.assign(&space, &updates);
        let said = moved.meaning(&space).map(|t| Test::new(ts, t));
        for v in &in_a {
            let mut next = v.clone();
            for ((x, _), t) in updates.iter().zip(&post) {
                next[x.index()] = t.value(ts, v);
            }
            assert!(said.as_ref().is_none_or(|t| t.holds(ts, &next)), "seed {seed}: {v:?} leads to {next:?}");
        }

        let union: BTreeSet<Vec<Value>> = in_a.union(&in_b).cloned().collect();
        let joined = a.join(&b);
        assert!(union.is_subset(&members(&space, &joined)), "seed {seed}");
        for jump in [Jump::Threshold, Jump::Infinity, Jump::Forget] {
            assert!(union.is_subset(&members(&space, &a.widen(&space, &joined, jump))), "seed {seed} {jump:?}");
        }
        let common: BTreeSet<Vec<Value>> = in_a.intersection(&in_b).cloned().collect();
        assert!(common.is_subset(&members(&space, &a.meet(&b))), "seed {seed}");
        assert!(a.leq(&a) && a.leq(&joined) && Product::<R>::bottom(&space).leq(&a) && a.leq(&top), "seed {seed}");
        assert!(!a.leq(&b) || in_a.is_subset(&in_b), "seed {seed}");
        match a.why_not_leq(&space, &b) {
            // A reason is a part of what `b` says.
            Some(t) => assert!(in_b.is_subset(&states(ts, &[t])), "seed {seed}"),
            None => assert!(in_a.is_subset(&in_b), "seed {seed}"),
        }
    }
    (exact, all)
}

#[test]
fn products_with_octagons_over_bit_vectors() {
    let (exact, all) = laws::<Octagon>(0..250, false, Layer::Octagons);
    assert!(exact * 4 > all, "exact in {exact} of {all} cases");
}

#[test]
fn products_with_octagons_over_integers() {
    let (exact, all) = laws::<Octagon>(0..120, true, Layer::Octagons);
    assert!(exact * 4 > all, "exact in {exact} of {all} cases");
}

#[test]
fn products_with_polyhedra_over_bit_vectors() {
    let (exact, all) = laws::<Polyhedron>(300..450, false, Layer::Polyhedra);
    assert!(exact * 4 > all, "exact in {exact} of {all} cases");
}

#[test]
fn products_with_polyhedra_over_integers() {
    let (exact, all) = laws::<Polyhedron>(300..400, true, Layer::Polyhedra);
    assert!(exact * 4 > all, "exact in {exact} of {all} cases");
}
