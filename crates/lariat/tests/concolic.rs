//! Observed iterations, made by hand: what closes, what must not, and that the checker agrees.

use lariat_check::{System, check};
use lariat_engines::concolic::{Conclusion, OpenCause, close};
use lariat_ir::observed::{Cell, Fresh, FreshOrigin, Iteration, Observed};
use lariat_ir::{Assumption, AssumptionKind, Bits, Op, Role, Sort, Term, Terms};
use lariat_smt::{Limit, Z3Solver};
use std::time::{Duration, Instant};

/// An observation of cells of 32 bits.
struct Hand {
    terms: Terms,
    cells: Vec<Cell>,
    fresh: Vec<Fresh>,
}

impl Hand {
    fn new(names: &[&str]) -> Self {
        let terms = Terms::new();
        let cell = |name: &&str| {
            let term = terms.symbol(name, Sort::BitVec(32), Role::Free);
            Cell { name: (*name).to_owned(), width: 32, term }
        };
        let cells = names.iter().map(cell).collect();
        Self { terms, cells, fresh: Vec::new() }
    }
    fn x(&self, n: usize) -> Term {
        self.cells[n].term
    }
    fn number(&self, n: u128) -> Term {
        self.terms.bv(32, n)
    }
    fn plus(&self, n: usize, by: u128) -> Term {
        self.terms.apply(Op::BvAdd, &[self.x(n), self.number(by)])
    }
    fn is(&self, n: usize, value: u128) -> Term {
        self.terms.eq(self.x(n), self.number(value))
    }
    fn fresh(&mut self) -> Term {
        let name = format!("fresh{}", self.fresh.len());
        let term = self.terms.symbol(&name, Sort::BitVec(32), Role::Free);
        self.fresh.push(Fresh { name, term, origin: FreshOrigin::Instruction });
        term
    }
    fn observed(self, iterations: Vec<Iteration>, order: &[usize], heads: &[&[u128]]) -> Observed {
        let heads = heads.iter().map(|h| h.iter().map(|v| Bits::new(32, *v)).collect()).collect();
        let Self { terms, cells, fresh } = self;
        Observed { terms, cells, fresh, iterations, order: order.to_vec(), heads }
    }
}

fn conclude(o: &Observed) -> Conclusion {
    close(
        o,
        &[Assumption::everywhere(AssumptionKind::Undisturbed, "nobody else writes")],
        Instant::now() + Duration::from_secs(10),
    )
}

/// That it closes, and that the checker accepts it; gives the kind of the certificate.
fn closes(o: &Observed) -> &'static str {
    match conclude(o) {
        Conclusion::Closed(c) => {
            let limit = Limit::default();
            let system = System::verify(&c.ts, &mut Z3Solver::new().direct(), limit).expect("it is a system");
            let proved = check(&system, &c.claim, &mut Z3Solver::new().direct(), limit).expect("the claim is accepted");
            assert!(!proved.assumptions().is_empty(), "the proof names what it rests on");
            proved.claim().certificate.kind()
        }
        other => panic!("{other:?}"),
    }
}

fn stays_open(o: &Observed) {
    match conclude(o) {
        Conclusion::Open { .. } => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_decides() {
    let h = Hand::new(&["i"]);
    let i = Iteration { guards: vec![], changes: vec![(0, h.plus(0, 1))] };
    assert_eq!(closes(&h.observed(vec![i], &[0, 0], &[&[1], &[2], &[3]])), "Orbit");
}

#[test]
fn what_an_iteration_does_not_touch_stays() {
    // Two iterations in turn; each looks at a cell that the other does not mention.
    let h = Hand::new(&["x", "limit", "y"]);
    let less = |a: usize| h.terms.apply(Op::BvUlt, &[h.x(a), h.x(1)]);
    let one = Iteration { guards: vec![h.is(0, 6), less(0)], changes: vec![(0, h.number(8)), (2, h.plus(2, 1))] };
    let two = Iteration { guards: vec![h.is(0, 8), less(0)], changes: vec![(0, h.number(6)), (2, h.plus(2, 1))] };
    let heads: [&[u128]; 4] = [&[6, 10, 1], &[8, 10, 2], &[6, 10, 3], &[8, 10, 4]];
    assert_eq!(closes(&h.observed(vec![one, two], &[0, 1, 0], &heads)), "Orbit");
}

#[test]
fn a_counter_that_wraps_is_no_proof() {
    let h = Hand::new(&["y"]);
    let positive = h.terms.apply(Op::BvSlt, &[h.number(0), h.x(0)]);
    let i = Iteration { guards: vec![positive], changes: vec![(0, h.plus(0, 1))] };
    match conclude(&h.observed(vec![i], &[0, 0], &[&[5], &[6], &[7]])) {
        Conclusion::Unbounded(counters) => {
            assert_eq!(counters[0].step, 1);
            assert!(counters[0].signed);
            assert_eq!(counters[0].iterations, 0x7fff_ffff - 5);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_counter_with_a_bound_ends() {
    let h = Hand::new(&["i"]);
    let less = h.terms.apply(Op::BvUlt, &[h.plus(0, 1), h.number(4_000_000_000)]);
    let i = Iteration { guards: vec![less], changes: vec![(0, h.plus(0, 1))] };
    stays_open(&h.observed(vec![i], &[0, 0], &[&[5], &[6], &[7]]));
}

#[test]
fn counting_down_to_zero_is_no_overflow() {
    let h = Hand::new(&["n"]);
    let down = h.terms.apply(Op::BvSub, &[h.x(0), h.number(1)]);
    let i = Iteration { guards: vec![h.terms.not(h.is(0, 0))], changes: vec![(0, down)] };
    stays_open(&h.observed(vec![i], &[0, 0], &[&[500], &[499], &[498]]));
}

#[test]
fn counting_up_to_zero_is_no_overflow() {
    // As compilers like to count: from -500 to 0.
    let h = Hand::new(&["n"]);
    let i = Iteration { guards: vec![h.terms.not(h.is(0, 0))], changes: vec![(0, h.plus(0, 1))] };
    let at = |n: u128| 0x1_0000_0000 - n;
    stays_open(&h.observed(vec![i], &[0, 0], &[&[at(500)], &[at(499)], &[at(498)]]));
}

#[test]
fn what_held_so_far_need_not_hold() {
    // x was 7 at every head, but only while y is above zero; y falls.
    let h = Hand::new(&["x", "y"]);
    let positive = h.terms.apply(Op::BvUlt, &[h.number(0), h.x(1)]);
    let next = h.terms.ite(positive, h.number(7), h.number(3));
    let down = h.terms.apply(Op::BvSub, &[h.x(1), h.number(1)]);
    let i = Iteration { guards: vec![h.is(0, 7)], changes: vec![(0, next), (1, down)] };
    let heads: [&[u128]; 4] = [&[7, 100], &[7, 99], &[7, 98], &[7, 97]];
    stays_open(&h.observed(vec![i], &[0, 0, 0], &heads));
}

#[test]
fn a_counter_that_comes_back_closes_by_its_bounds() {
    let h = Hand::new(&["i"]);
    let last = h.is(0, 999);
    let up = Iteration { guards: vec![h.terms.not(last)], changes: vec![(0, h.plus(0, 1))] };
    let back = Iteration { guards: vec![last], changes: vec![(0, h.number(0))] };
    // The window has no repetition, but both iterations.
    let heads: Vec<[u128; 1]> = (900..1000).chain(0..90).map(|n| [n]).collect();
    let rows: Vec<&[u128]> = heads.iter().map(<[u128; 1]>::as_slice).collect();
    let order: Vec<usize> = heads[..heads.len() - 1].iter().map(|h| usize::from(h[0] == 999)).collect();
    assert_eq!(closes(&h.observed(vec![up, back], &order, &rows)), "RecurrentSet");
}

#[test]
fn two_cells_that_stay_equal() {
    // The loop ends where they differ; both grow, and wrap together.
    let h = Hand::new(&["a", "b"]);
    let same = h.terms.eq(h.x(0), h.x(1));
    let i = Iteration { guards: vec![same], changes: vec![(0, h.plus(0, 3)), (1, h.plus(1, 3))] };
    assert_eq!(closes(&h.observed(vec![i], &[0, 0], &[&[5, 5], &[8, 8], &[11, 11]])), "RecurrentSet");
}

#[test]
fn a_die_in_a_guard() {
    let mut h = Hand::new(&["x"]);
    let die = h.fresh();
    let i = Iteration { guards: vec![h.terms.not(h.terms.eq(die, h.number(6)))], changes: vec![] };
    match conclude(&h.observed(vec![i], &[0, 0], &[&[1], &[1], &[1]])) {
        Conclusion::Open { cause, .. } => assert_eq!(cause, OpenCause::Fresh(FreshOrigin::Instruction)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_die_that_is_kept_for_later() {
    // The die goes to x, and x decides the next time. It showed 1 so far.
    let mut h = Hand::new(&["x"]);
    let die = h.fresh();
    let i = Iteration { guards: vec![h.terms.not(h.is(0, 6))], changes: vec![(0, die)] };
    let o = h.observed(vec![i], &[0, 0], &[&[1], &[1], &[1]]);
    if let Conclusion::Closed(c) = conclude(&o) {
        let limit = Limit::default();
        let system = System::verify(&c.ts, &mut Z3Solver::new().direct(), limit).expect("it is a system");
        assert!(
            check(&system, &c.claim, &mut Z3Solver::new().direct(), limit).is_err(),
            "the checker has to refuse it"
        );
    }
}

#[test]
fn a_die_before_the_repetition() {
    // What x is when the repetition starts was a matter of chance: only the first head is known to be reached.
    let mut h = Hand::new(&["x", "t"]);
    let die = h.fresh();
    let cast = Iteration { guards: vec![h.is(1, 0)], changes: vec![(0, die), (1, h.number(1))] };
    let spin = Iteration { guards: vec![h.is(1, 1), h.terms.not(h.is(0, 6))], changes: vec![] };
    let heads: [&[u128]; 4] = [&[0, 0], &[1, 1], &[1, 1], &[1, 1]];
    let o = h.observed(vec![cast, spin], &[0, 1, 1], &heads);
    stays_open(&o);
}
