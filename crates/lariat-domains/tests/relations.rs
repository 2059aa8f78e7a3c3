//! The relational domains against enumeration of points: what an operation gives holds what it must.

mod common;

use dashu_int::IBig;
use lariat_domains::{Constraint, Form, Interval, Linear, Octagon, Polyhedron, Relation};
use lariat_ir::random::Random;

const SIZE: usize = 3;
const SIDE: i64 = 3;

fn points() -> Vec<[i64; SIZE]> {
    let side = || -SIDE..=SIDE;
    side().flat_map(|x| side().flat_map(move |y| side().map(move |z| [x, y, z]))).collect()
}

fn random_linear(rng: &mut Random, octagonal: bool) -> Linear {
    let unit = |rng: &mut Random| if rng.percent(50) { 1 } else { -1 };
    let coefficient = |rng: &mut Random| if octagonal { unit(rng) } else { rng.between(-3, 3) };
    let count = 1 + rng.below(if octagonal { 2 } else { SIZE });
    let first = rng.below(SIZE);
    Linear::new((0..count).map(|i| ((first + i) % SIZE, IBig::from(coefficient(rng)))))
}

fn random_constraint(rng: &mut Random) -> Constraint {
    let octagonal = rng.percent(70);
    let linear = random_linear(rng, octagonal);
    Constraint::new(linear, rng.between(-3, 6).into())
}

fn holds(constraints: &[Constraint], p: &[i64; SIZE]) -> bool {
    constraints.iter().all(|c| c.holds(|d| p[d].into()))
}

/// A relation made of random constraints, and the points that satisfy them.
fn random<R: Relation>(rng: &mut Random) -> (R, Vec<[i64; SIZE]>) {
    let constraints: Vec<Constraint> = (0..rng.below(6)).map(|_| random_constraint(rng)).collect();
    let mut r = R::top(SIZE);
    for c in &constraints {
        r.add(c);
    }
    (r, points().into_iter().filter(|p| holds(&constraints, p)).collect())
}

fn contains<R: Relation>(r: &R, p: &[i64; SIZE]) -> bool {
    !r.is_empty() && holds(&r.constraints(), p)
}

fn operations<R: Relation>(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut rng = Random::new(seed);
        let (a, in_a): (R, _) = random(&mut rng);
        let (b, in_b): (R, _) = random(&mut rng);
        for p in &in_a {
            assert!(contains(&a, p), "seed {seed}: {p:?} satisfies the constraints");
        }
        let joined = a.join(&b);
        let widened = a.widen(&b);
        let met = a.meet(&b);
        let (wide, wider) = (joined.constraints(), widened.constraints());
        for p in in_a.iter().chain(&in_b) {
            assert!(holds(&wide, p) && holds(&wider, p), "seed {seed}: {p:?}");
        }
        for p in in_a.iter().filter(|p| in_b.contains(p)) {
            assert!(contains(&met, p), "seed {seed}: {p:?}");
        }
        assert!(a.leq(&a) && a.leq(&joined) && b.leq(&joined) && a.leq(&widened), "seed {seed}");
        assert!(a.leq(&R::top(SIZE)) && met.leq(&a) && met.leq(&b), "seed {seed}");
        if a.leq(&b) {
            assert!(in_a.iter().all(|p| contains(&b, p)), "seed {seed}");
        }
        for _ in 0..4 {
            let l = random_linear(&mut rng, false);
            let range = a.bounds(&l);
            for p in &in_a {
                assert!(range.contains(&l.value(|d| p[d].into())), "seed {seed}: {l:?} of {p:?} not in {range}");
            }
        }
        updates(seed, &mut rng, &a, &in_a);
    }
}

fn updates<R: Relation>(seed: u64, rng: &mut Random, a: &R, in_a: &[[i64; SIZE]]) {
    let mut forms: Vec<(usize, Form)> = Vec::new();
    for d in 0..SIZE {
        if rng.percent(60) {
            let scale = IBig::from(if rng.percent(70) { 1 } else { rng.between(2, 3) });
            let lo = rng.between(-2, 2);
            let rest = match rng.below(4) {
                0 => Interval::between(lo, lo + 2),
                1 => Interval::at_least(lo),
                _ => Interval::constant(lo),
            };
            let octagonal = rng.percent(50);
            forms.push((d, Form { scale, linear: random_linear(rng, octagonal), rest }));
        }
    }
    let mut moved = a.clone();
    moved.update(&forms);
    let said = moved.constraints();
    for p in in_a {
        let same = |q: &[i64; SIZE]| (0..SIZE).all(|d| q[d] == p[d] || forms.iter().any(|(u, _)| *u == d));
        for q in points().into_iter().filter(same) {
            let fits = (0..SIZE).all(|d| match forms.iter().find(|(u, _)| *u == d) {
                None => q[d] == p[d],
                Some((_, f)) => {
                    let sum = f.linear.value(|e| p[e].into());
                    f.rest.contains(&(&f.scale * IBig::from(q[d]) - sum))
                }
            });
            assert!(!fits || holds(&said, &q), "seed {seed}: {p:?} moves to {q:?} by {forms:?}");
        }
    }
}

#[test]
fn octagons_hold_every_point() {
    operations::<Octagon>(0..250);
}

#[test]
fn polyhedra_hold_every_point() {
    operations::<Polyhedron>(0..250);
}

/// An octagon is exact on integer points for octagonal constraints.
#[test]
fn octagons_hold_no_other_points() {
    for seed in 0..300 {
        let mut rng = Random::new(seed);
        let mut r = Octagon::top(SIZE);
        let mut all = Vec::new();
        for _ in 0..=rng.below(5) {
            let c = Constraint::new(random_linear(&mut rng, true), rng.between(-3, 5).into());
            r.add(&c);
            all.push(c);
        }
        for p in points() {
            assert_eq!(contains(&r, &p), holds(&all, &p), "seed {seed}: {p:?} of {all:?}");
        }
    }
}

#[test]
fn polyhedra_hold_no_other_points() {
    for seed in 0..300 {
        let mut rng = Random::new(seed);
        let (r, inside): (Polyhedron, _) = random(&mut rng);
        for p in points() {
            assert_eq!(contains(&r, &p), inside.contains(&p), "seed {seed}: {p:?}");
        }
    }
}

fn chain<R: Relation>() {
    for seed in 0..60 {
        let mut rng = Random::new(seed);
        let (mut x, _): (R, _) = random(&mut rng);
        let mut steps = 0;
        loop {
            let mut next = x.clone();
            next.close();
            let step = rng.between(-2, 2);
            let moved =
                Form { scale: 1.into(), linear: Linear::dimension(rng.below(SIZE)), rest: Interval::constant(step) };
            next.update(&[(rng.below(SIZE), moved)]);
            if rng.percent(30) {
                next = random::<R>(&mut rng).0;
            }
            if next.leq(&x) {
                if steps > 0 && rng.percent(20) {
                    break;
                }
                steps += 1;
                assert!(steps < 500);
                continue;
            }
            x = x.widen(&x.join(&next));
            steps += 1;
            assert!(steps < 500, "seed {seed}: the widening does not end");
        }
    }
}

#[test]
fn widening_of_octagons_ends() {
    chain::<Octagon>();
}

#[test]
fn widening_of_polyhedra_ends() {
    chain::<Polyhedron>();
}
