//! Invariants hold in every run and are kept by every edge: found by enumerating states.

mod common;

use common::{Maker, reachable, successors, tests, valuations};
use dashu_int::IBig;
use lariat_domains::{Budget, Layer, Options, invariants};
use lariat_ir::random::Random;
use lariat_ir::{LocId, LoopForest, Machine, State, Step, TransitionSystem, Value, lts};

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

/// Constants too large to enumerate: states of runs are moved to the border of the annotation, and steps must keep it there, too.
#[test]
fn large_constants() {
    let mut tried = 0;
    for seed in 0..300 {
        let scale = 1 << (seed % 40);
        let ts = Maker::scaled(seed, scale).system();
        for layer in [Layer::Octagons, Layer::Polyhedra] {
            tried += on_the_border(seed, &ts, layer);
        }
    }
    assert!(tried > 40_000, "{tried} states on borders");
}

fn on_the_border(seed: u64, ts: &TransitionSystem, layer: Layer) -> usize {
    let found = invariants(ts, &LoopForest::of(ts), &Options::new(layer));
    let terms = found.terms(ts);
    let at = tests(ts, &terms);
    let holds = |s: &State| at.get(&s.loc).is_none_or(|t| t.holds(ts, &s.values));
    let machine = Machine::new(ts);
    let mut rng = Random::new(seed);
    let mut tried = 0;
    for start in reachable(ts, 120).into_iter().filter(|s| !s.loc.is_sink()) {
        let mut s = start;
        for _ in 0..4 {
            let moved = rng.below(ts.vars.len());
            let Value::Int(own) = &s.values[moved] else { continue };
            let with = |i: &IBig| {
                let mut s = s.clone();
                s.values[moved] = Value::Int(i.clone());
                s
            };
            // One integer goes as far as the annotation lets it, up to a limit: the border is found by halving.
            let far = IBig::from(rng.between(-3, 3)) * (IBig::from(1) << rng.below(42));
            let (mut good, mut bad) = (own.clone(), own + far);
            if holds(&with(&bad)) {
                good.clone_from(&bad);
            }
            loop {
                let middle = (&good + &bad) / IBig::from(2);
                if middle == good || middle == bad {
                    break;
                }
                let side = if holds(&with(&middle)) { &mut good } else { &mut bad };
                *side = middle;
            }
            s = with(&good);
            tried += 1;
            for next in successors(&machine, &s) {
                assert!(
                    holds(&next),
                    "seed {seed} {layer:?}: {s:?} in {} leads to {next:?} not in {}\n{}",
                    terms.get(&s.loc).map_or(String::new(), |t| lts::print_term(ts, *t)),
                    terms.get(&next.loc).map_or(String::new(), |t| lts::print_term(ts, *t)),
                    lts::print(ts)
                );
            }
        }
    }
    tried
}

/// Dropping a bound that says nearly nothing must not lose another one that only followed from it.
#[test]
fn what_is_refined_stays_within_what_it_was() {
    let text = "lts 1\nname a\nintegers ideal\nvar x: int\nvar y: int\ninput i: int in -2147483648 .. 2147483647
input j: int in -2147483648 .. 2147483647\nentry start\n
start:
  goto head with x := i, y := j
head:
  if 0 < x goto head with x := x + y, y := y * -2
  if x <= 0 goto EXIT\n";
    let ts = lts::parse(text).expect("a system").system;
    let found = invariants(&ts, &LoopForest::of(&ts), &Options::new(Layer::Polyhedra));
    let head = ts.loc_named("head").expect("the location exists");
    let at = tests(&ts, &found.terms(&ts));
    let machine = Machine::new(&ts);
    for y in (-3_000_000..3_000_000i64).step_by(997).chain(-3..3).flat_map(|y| [y, y * 2863, -6_442_450_947 + y]) {
        let s = State { loc: head, values: vec![Value::int(1), Value::int(y)] };
        if at[&head].holds(&ts, &s.values) {
            let next = machine.step(&s, |_| Value::int(0));
            assert!(matches!(&next, Step::Took(_, n) if at[&head].holds(&ts, &n.values)), "{s:?} {next:?}");
        }
    }
}
