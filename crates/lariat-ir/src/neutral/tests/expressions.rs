//! Expressions, at every operand.

use super::random::{BINARY, COMPARISONS, Leaves, OVERFLOWS, types};
use super::reference::{ABSTRACT, Arithmetic, Reference, arithmetic, bounds, fits, number_of, value_of};
use crate::eval::Plan;
use crate::neutral::{BinaryOp, Bound, Cond, Expr, IntType, Overflow, Program, Scope, Target, UnaryOp, lower_expr};
use crate::random::Random;
use crate::simplify::simplify;
use crate::sort::Sort;
use crate::term::{Role, Term, Terms};
use crate::value::{Bits, Value};

/// A lowered expression over two variables, ready to be evaluated.
struct Prepared {
    program: Program,
    plan: Plan,
    symbols: [Term; 4],
    in_range: bool,
}

fn prepare(e: &Expr, target: Target, types: [IntType; 2], in_range: bool) -> Prepared {
    let t = Terms::new();
    let x = t.symbol("x", target.sort(types[0]), Role::Free);
    let y = t.symbol("y", target.sort(types[1]), Role::Free);
    let (p, q) = (t.symbol("p", Sort::Bool, Role::Free), t.symbol("q", Sort::Bool, Role::Free));
    let bound = |value: Term, poison: Term, ty: IntType| Bound {
        ty,
        value,
        poison: (target == Target::CDiverges).then_some(poison),
        in_range: in_range || !ty.signed,
    };
    let vars = [bound(x, p, types[0]), bound(y, q, types[1])];
    let mut made = 0;
    let mut fresh = || {
        made += 1;
        t.symbol(&format!("fresh{made}"), Sort::Int, Role::Free)
    };
    let mut scope = Scope::new(&t, target, [&vars, &[]], &[], &mut fresh);
    let lowered = lower_expr(&mut scope, e);
    let roots =
        [lowered.term, lowered.defined, lowered.poison, simplify(&t, lowered.term), simplify(&t, lowered.defined)];
    let vars = types.iter().map(|ty| (String::new(), *ty)).collect();
    let program = Program { vars, ..Program::default() };
    Prepared { program, plan: Plan::new(&t, &roots), symbols: [x, y, p, q], in_range: lowered.in_range }
}

/// The values an operand is tried with; over Z a signed one may have left its type.
fn operands(ty: IntType, target: Target, in_range: bool) -> Vec<i128> {
    let (min, max) = bounds(ty);
    if !target.over_z() || in_range || !ty.signed {
        return (min..=max).collect();
    }
    (2 * min - 1..=2 * max + 2).collect()
}

#[derive(Default, Debug)]
struct Seen {
    evaluations: usize,
    undefined: usize,
    poisoned: usize,
    abstract_values: usize,
    agreed: usize,
}

/// Checks an expression over two variables in every target, for all values; gives what was seen.
fn check(e: &Expr, ty: IntType, types: [IntType; 2], seen: &mut Seen) {
    for target in [Target::Wrap, Target::CDiverges, Target::Ideal] {
        for in_range in [true, false] {
            if !in_range && !target.over_z() {
                continue;
            }
            let prepared = prepare(e, target, types, in_range);
            for x in operands(types[0], target, in_range) {
                for y in operands(types[1], target, in_range) {
                    for poison in 0..if target == Target::CDiverges { 4 } else { 1 } {
                        check_at(e, ty, types, target, &prepared, [(x, poison & 1 != 0), (y, poison & 2 != 0)], seen);
                    }
                }
            }
        }
    }
}

fn check_at(
    e: &Expr,
    ty: IntType,
    types: [IntType; 2],
    target: Target,
    prepared: &Prepared,
    vars: [(i128, bool); 2],
    seen: &mut Seen,
) {
    let [x, y, p, q] = prepared.symbols;
    let got = prepared.plan.run(|s| {
        if s == x {
            value_of(target, types[0], vars[0].0)
        } else if s == y {
            value_of(target, types[1], vars[1].0)
        } else if s == p {
            Value::Bool(vars[0].1)
        } else if s == q {
            Value::Bool(vars[1].1)
        } else {
            Value::int(ABSTRACT)
        }
    });
    let program = &prepared.program;
    let reference = Reference { program, arithmetic: arithmetic(target), vars: &vars, unknowns: &[], mems: &[] };
    let want = reference.expr(e);
    let context = || format!("{target:?} {e:?} at {vars:?}: {got:?} and {want:?}");
    seen.evaluations += 1;
    assert_eq!(got[1].as_bool(), want.is_ok(), "definedness: {}", context());
    assert_eq!(got[4], got[1], "simplified definedness: {}", context());
    let Ok(want) = want else {
        seen.undefined += 1;
        return;
    };
    assert_eq!(number_of(ty, &got[0]), want.value, "value: {}", context());
    assert_eq!(got[3], got[0], "simplified value: {}", context());
    assert!(ty.signed || fits(ty, want.value), "an unsigned value leaves its type: {}", context());
    assert!(!prepared.in_range || fits(ty, want.value), "a value leaves its type: {}", context());
    if target == Target::CDiverges {
        assert_eq!(got[2].as_bool(), want.poison, "poison: {}", context());
        seen.poisoned += usize::from(want.poison);
    } else {
        assert!(!got[2].as_bool(), "poison: {}", context());
    }
    seen.abstract_values += usize::from(want.value == ABSTRACT);
    // Without overflow the semantics are one.
    if target.over_z() && fits(types[0], vars[0].0) && fits(types[1], vars[1].0) {
        let machine = Reference { arithmetic: Arithmetic::Machine, ..reference };
        match machine.expr(e) {
            Ok(m) if !m.overflowed => {
                assert_eq!(m.value, want.value, "without overflow: {}", context());
                seen.agreed += 1;
            }
            Ok(_) => {}
            Err(u) => assert!(u.by_overflow || want.overflowed, "undefined by overflow only: {}", context()),
        }
    }
}

#[test]
fn every_operation_at_every_operand() {
    let mut seen = Seen::default();
    for ty in types(&[1, 2, 3, 4]) {
        let (min, max) = bounds(ty);
        for overflow in OVERFLOWS {
            for op in BINARY {
                let var = |v| Expr::Var(v);
                check(&Expr::binary(op, ty, overflow, var(0), var(1)), ty, [ty, ty], &mut seen);
                for k in min..=max {
                    let k = || Expr::constant(k, ty);
                    check(&Expr::binary(op, ty, overflow, var(0), k()), ty, [ty, ty], &mut seen);
                    check(&Expr::binary(op, ty, overflow, k(), var(0)), ty, [ty, ty], &mut seen);
                }
            }
            for op in [UnaryOp::Neg, UnaryOp::Not] {
                check(&Expr::unary(op, ty, overflow, Expr::Var(0)), ty, [ty, ty], &mut seen);
            }
        }
        for op in COMPARISONS {
            let cond = Cond::cmp(op, ty, Expr::Var(0), Expr::Var(1));
            check(&Expr::ite(cond, Expr::constant(min, ty), Expr::constant(max, ty)), ty, [ty, ty], &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.undefined > 1000 && seen.poisoned > 1000 && seen.abstract_values > 1000 && seen.agreed > 1000);
}

#[test]
fn every_conversion_of_every_value() {
    let mut seen = Seen::default();
    for from in types(&[1, 2, 3, 4, 8]) {
        for to in types(&[1, 2, 3, 4, 8]) {
            check(&Expr::cast(from, to, Expr::Var(0)), to, [from, IntType::unsigned(1)], &mut seen);
        }
    }
    println!("{seen:?}");
}

#[test]
fn wide_products_overflow_as_narrow_ones_do() {
    // From 65 bits on the product is divided back: the same formula at a width that can be enumerated, by comparing poison
    // at 128 bits with the truth for chosen operands.
    let ty = IntType::signed(128);
    let t = Terms::new();
    let (x, y) = (t.symbol("x", Sort::BitVec(128), Role::Free), t.symbol("y", Sort::BitVec(128), Role::Free));
    let bound = |value| Bound { ty, value, poison: None, in_range: true };
    let vars = [bound(x), bound(y)];
    let mut fresh = || unreachable!("bit-vectors need no abstraction");
    let e = Expr::binary(BinaryOp::Mul, ty, Overflow::Undefined, Expr::Var(0), Expr::Var(1));
    let mut scope = Scope::new(&t, Target::CDiverges, [&vars, &[]], &[], &mut fresh);
    let plan = Plan::new(&t, &[lower_expr(&mut scope, &e).poison]);
    let edge = [
        0,
        1,
        -1,
        2,
        -2,
        3,
        1 << 63,
        1 << 64,
        -(1 << 63),
        -(1 << 64),
        i128::MAX,
        i128::MIN,
        i128::MAX / 3,
        i128::MIN / 3,
    ];
    for a in edge {
        for b in edge {
            let lookup = |s: Term| Value::Bv(Bits::from_signed(128, if s == x { a } else { b }));
            assert_eq!(plan.run(lookup)[0].as_bool(), a.checked_mul(b).is_none(), "{a} * {b}");
        }
    }
}

#[test]
fn random_expressions() {
    let mut r = Random::new(42);
    let mut seen = Seen::default();
    let all = types(&[1, 2, 3, 4]);
    for _ in 0..2500 {
        let ty = r.choose(&all);
        let vars = [r.choose(&all), r.choose(&all)];
        let e = r.expr(ty, 3, Leaves::vars(&vars));
        check(&e, ty, vars, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.undefined > 10_000 && seen.poisoned > 10_000 && seen.abstract_values > 100 && seen.agreed > 10_000);
}
