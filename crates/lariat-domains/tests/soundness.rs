//! Invariants hold in every run and are kept by every edge: found by enumerating states.

mod common;

use common::{Maker, reachable, successors, tests, valuations};
use lariat_domains::{Budget, Layer, Options, invariants};
use lariat_ir::{LocId, LoopForest, Machine, State, TransitionSystem, lts};

fn check(seed: u64, ts: &TransitionSystem, layer: Layer) -> usize {
    let found = invariants(ts, &LoopForest::of(ts), &Options::new(layer));
    assert_eq!(found.layer, Some(layer), "seed {seed}");
    let terms = found.terms(ts);
    let at = tests(ts, &terms);
    let said = |l: LocId| terms.get(&l).map_or("true".to_owned(), |t| lts::print_term(ts, *t));
    let holds = |s: &State| at.get(&s.loc).is_none_or(|t| t.holds(ts, &s.values));
    for s in reachable(ts, 3000) {
        assert!(holds(&s), "seed {seed} {layer:?}: {s:?} is reached, but not in {}\n{}", said(s.loc), lts::print(ts));
    }
    let machine = Machine::new(ts);
    for loc in ts.locs.ids().filter(|l| !l.is_sink()) {
        for values in valuations(ts) {
            let s = State { loc, values };
            if !holds(&s) {
                continue;
            }
            for next in successors(&machine, &s) {
                assert!(
                    holds(&next),
                    "seed {seed} {layer:?}: {s:?} in {} leads to {next:?} not in {}\n{}",
                    said(loc),
                    said(next.loc),
                    lts::print(ts)
                );
            }
        }
    }
    found.at.values().map(Vec::len).sum()
}

fn campaign(seeds: std::ops::Range<u64>, ints: bool, layer: Layer) -> usize {
    let mut parts = 0;
    for seed in seeds {
        let ts = Maker::new(seed, ints).system();
        assert_eq!(ts.defects(), Vec::new());
        parts += check(seed, &ts, layer);
    }
    parts
}

#[test]
fn intervals_on_bit_vectors() {
    assert!(campaign(0..400, false, Layer::Intervals) > 800);
}

#[test]
fn intervals_on_integers() {
    assert!(campaign(0..250, true, Layer::Intervals) > 600);
}

#[test]
fn octagons_on_bit_vectors() {
    assert!(campaign(1000..1600, false, Layer::Octagons) > 1200);
}

#[test]
fn octagons_on_integers() {
    assert!(campaign(1000..1300, true, Layer::Octagons) > 750);
}

#[test]
fn polyhedra_on_bit_vectors() {
    assert!(campaign(2000..2300, false, Layer::Polyhedra) > 600);
}

#[test]
fn polyhedra_on_integers() {
    assert!(campaign(2000..2300, true, Layer::Polyhedra) > 750);
}

#[test]
fn a_small_budget_gives_less_but_nothing_wrong() {
    for seed in 0..60 {
        for steps in [0, 10, 50, 200, 1000, 5000] {
            let ts = Maker::new(seed, seed % 2 == 0).system();
            let budget = Budget { steps, deadline: None };
            let options = Options { budget, ..Options::new(Layer::Polyhedra) };
            let found = invariants(&ts, &LoopForest::of(&ts), &options);
            assert!(steps > 0 || found.at.is_empty());
            let at = tests(&ts, &found.terms(&ts));
            for s in reachable(&ts, 1000) {
                assert!(at.get(&s.loc).is_none_or(|t| t.holds(&ts, &s.values)), "seed {seed} steps {steps}");
            }
        }
    }
}
