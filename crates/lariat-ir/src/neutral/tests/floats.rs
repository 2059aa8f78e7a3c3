//! Floating-point operations in every semantics, and what of them is computed for nothing.

use super::reference::value_of;
use crate::eval::Plan;
use crate::float::{self, FloatOp, Format};
use crate::neutral::{
    BinaryOp, Bound, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Lowered, Overflow, Program, Scope, Target,
    Unknown, lower, lower_cond, lower_expr, settle, settled_number,
};
use crate::sort::Sort;
use crate::system::UnknownKind;
use crate::term::{Role, Term, Terms};
use crate::value::{Bits, Value};
use std::sync::Arc;

const DOUBLE: IntType = IntType::unsigned(64);
const INT: IntType = IntType::signed(32);

fn pattern(x: f64) -> i128 {
    x.to_bits().into()
}

/// The value, whether it is defined, and whether it is poisoned, of an expression or condition of one variable.
fn evaluate(
    target: Target,
    ty: IntType,
    (value, poison, in_range): (i128, bool, bool),
    lowered: impl for<'a> Fn(&mut Scope<'a>) -> Lowered,
) -> Vec<Value> {
    let t = Terms::new();
    let x = t.symbol("x", target.sort(ty), Role::Free);
    let p = t.symbol("p", Sort::Bool, Role::Free);
    let vars = [Bound { ty, value: x, poison: (target == Target::CDiverges).then_some(p), in_range }];
    let mut fresh = || t.symbol("fresh", Sort::Int, Role::Free);
    let mut scope = Scope::new(&t, target, [&vars, &[]], &[], &mut fresh);
    let Lowered { term, defined, poison: poisoned, .. } = lowered(&mut scope);
    let lookup = |s: Term| match s {
        _ if s == x => value_of(target, ty, value),
        _ if s == p => Value::Bool(poison),
        _ => Value::int(-1),
    };
    Plan::new(&t, &[term, defined, poisoned]).run(lookup)
}

/// An operation on one number, at a value; nothing where it is undefined.
fn run(e: &Expr, target: Target, ty: IntType, value: i128) -> Option<i128> {
    let e = e.clone();
    let results = evaluate(target, ty, (value, false, true), move |scope| {
        // The expression outlives the scope by being leaked: it is a test.
        lower_expr(scope, Box::leak(Box::new(e.clone())))
    });
    results[1].as_bool().then(|| match &results[0] {
        Value::Int(i) => i128::try_from(i.clone()).expect("small numbers"),
        // Results of 32 bits are integers, or compared as bits.
        Value::Bv(b) if b.width() == 32 => b.signed(),
        other => i128::try_from(other.as_bits().unsigned()).expect("small numbers"),
    })
}

#[test]
fn operations_are_the_same_in_every_semantics() {
    let x = || Arc::new(Expr::Var(0));
    let half = Arc::new(Expr::constant(0.5f64.to_bits(), DOUBLE));
    let numbers = [0.0, -0.0, 1.5, -2.25, 1e300, 5e-324, f64::INFINITY, f64::NAN];
    for target in Target::ALL {
        for a in numbers {
            for (op, args) in [
                (FloatOp::Add, vec![x(), half.clone()]),
                (FloatOp::Div, vec![half.clone(), x()]),
                (FloatOp::Sqrt, vec![x()]),
                (FloatOp::Convert(32), vec![x()]),
            ] {
                let values: Vec<Value> = args
                    .iter()
                    .map(|e| {
                        Value::bv(64, if matches!(**e, Expr::Var(_)) { a.to_bits() } else { 0.5f64.to_bits() }.into())
                    })
                    .collect();
                let expected = float::apply(op, &values.iter().collect::<Vec<_>>()).as_bits();
                let found = run(&Expr::float(op, args), target, DOUBLE, pattern(a)).expect("it is always defined");
                assert_eq!(Bits::from_signed(expected.width(), found), expected, "{op:?} of {a} in {target:?}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_undefined() {
    let to_int = Expr::float(FloatOp::ToSigned(32), [Arc::new(Expr::Var(0))]);
    for target in Target::ALL {
        let at = |x: f64| run(&to_int, target, DOUBLE, pattern(x));
        assert_eq!(at(-7.9), Some(-7));
        assert_eq!(at(2_147_483_647.5), Some(2_147_483_647));
        assert_eq!(at(-2_147_483_648.9), Some(-2_147_483_648));
        for outside in [2_147_483_648.0, -2_147_483_649.0, f64::INFINITY, f64::NAN] {
            assert_eq!(at(outside), None, "{outside} in {target:?}");
        }
    }
}

#[test]
fn integers_that_have_left_their_type_become_unknown_numbers() {
    let of_int: &'static Expr = Box::leak(Box::new(Expr::float(FloatOp::FromSigned(64), [Arc::new(Expr::Var(0))])));
    let at = |v: i128| evaluate(Target::Ideal, INT, (v, false, false), |scope| lower_expr(scope, of_int))[0].clone();
    assert_eq!(at(-3), Value::int(pattern(-3.0)));
    // The unknown is -1, which is no pattern: all ones is the one of 64 bits that is congruent.
    assert_eq!(at(1 << 40), Value::int(u64::MAX));
}

#[test]
fn poison_decides_nothing() {
    let x: Arc<Expr> = Arc::new(Expr::float(FloatOp::FromSigned(64), [Arc::new(Expr::Var(0))]));
    let sum: &'static Expr = Box::leak(Box::new(Expr::float(FloatOp::Add, [x.clone(), x.clone()])));
    let back: &'static Expr = Box::leak(Box::new(Expr::float(FloatOp::ToSigned(32), [x.clone()])));
    let less: &'static Cond = Box::leak(Box::new(Cond::Float { op: FloatOp::Lt, args: [x.clone(), x] }));
    let poisoned = (5, true, true);
    let [_, defined, poison] = &evaluate(Target::CDiverges, INT, poisoned, |s| lower_expr(s, sum))[..] else {
        panic!()
    };
    assert!(defined.as_bool() && poison.as_bool(), "a sum passes it on");
    for results in [
        evaluate(Target::CDiverges, INT, poisoned, |s| lower_expr(s, back)),
        evaluate(Target::CDiverges, INT, poisoned, |s| lower_cond(s, less)),
    ] {
        assert!(!results[1].as_bool(), "a conversion to an integer, or a comparison, is undefined");
    }
}

/// `while (go) { a = a + 0.5; b = b + 0.5; c = c + 0.5; i = i + 1; }` where `b` decides and the bits of `c` do.
fn loop_program() -> Program {
    let mut p = Program::new("floats");
    p.vars = ["a", "b", "c"].map(|n| (n.to_owned(), DOUBLE)).into();
    p.vars.push(("i".to_owned(), INT));
    p.unknowns = vec![Unknown::new("nan", DOUBLE, UnknownKind::Environment)];
    let half = Arc::new(Expr::constant(0.5f64.to_bits(), DOUBLE));
    let next = |v: usize| {
        let sum = Expr::float(FloatOp::Add, [Arc::new(Expr::Var(v)), half.clone()]);
        settle(Arc::new(sum), Expr::Unknown(0))
    };
    let one = Expr::binary(BinaryOp::Add, INT, Overflow::Undefined, Expr::Var(3), Expr::constant(1, INT));
    let go = Cond::and(
        Cond::Float { op: FloatOp::Lt, args: [Arc::new(Expr::Var(1)), half.clone()] },
        Cond::cmp(CmpOp::Ne, DOUBLE, Expr::Var(2), Expr::constant(7, DOUBLE)),
    );
    let step = vec![(0, next(0)), (1, next(1)), (2, next(2)), (3, one)];
    let cases = vec![Case::new(Some(go), step, Goto::Loc(0)), Case::new(None, Vec::new(), Goto::Exit)];
    p.locs = vec![Location::new("head", cases)];
    p
}

#[test]
fn idle_numbers_are_not_computed() {
    let mut p = loop_program();
    p.drop_idle_floats();
    assert_eq!(p.defects(), Vec::<String>::new());
    let assigns = &p.locs[0].cases[0].assigns;
    let of = |v: usize| assigns.iter().find(|(w, _)| *w == v).map(|(_, e)| e);
    assert_eq!(of(0), None, "nobody asks for `a`");
    assert!(matches!(of(1), Some(Expr::Float { .. })), "of `b` the number is asked for");
    assert!(of(2).is_some_and(|e| settled_number(e).is_some()), "of `c` the bits are asked for");
    assert!(of(3).is_some(), "integers stay");
    for target in Target::ALL {
        assert_eq!(lower(&p, target).defects(), Vec::new());
    }
}

#[test]
fn what_a_conversion_asks_for_is_computed() {
    let mut p = loop_program();
    // `i = (int)a`: whether `a` fits decides.
    p.locs[0].cases[0].assigns[3].1 = Expr::float(FloatOp::ToSigned(32), [Arc::new(Expr::Var(0))]);
    p.drop_idle_floats();
    let assigns = &p.locs[0].cases[0].assigns;
    assert_eq!(assigns.len(), 4);
    assert!(matches!(assigns[0], (0, Expr::Float { .. })));
}

#[test]
fn what_is_evaluated_only_is_computed() {
    let mut p = loop_program();
    p.locs[0].cases[0].evaluates = vec![Expr::float(FloatOp::ToSigned(32), [Arc::new(Expr::Var(0))])];
    p.drop_idle_floats();
    assert!(matches!(p.locs[0].cases[0].assigns[0], (0, Expr::Float { .. })), "whether `a` fits decides");
}

#[test]
fn what_a_condition_decides_is_computed() {
    let mut p = loop_program();
    // `a = i < 1 ? a + 0.5 : a`: a poisoned `i` is undefined there.
    let Case { assigns, .. } = &mut p.locs[0].cases[0];
    let low = Cond::cmp(CmpOp::Lt, INT, Expr::Var(3), Expr::constant(1, INT));
    assigns[0].1 = Expr::ite(low, assigns[0].1.clone(), Expr::Var(0));
    p.drop_idle_floats();
    assert!(matches!(p.locs[0].cases[0].assigns[0], (0, Expr::Ite(..))));
}

#[test]
fn operands_have_the_types_that_operations_take() {
    let p =
        Program { vars: vec![("f".to_owned(), IntType::unsigned(32)), ("i".to_owned(), INT)], ..Program::default() };
    let ty = |op: FloatOp, v: &[usize]| p.type_of(&Expr::float(op, v.iter().map(|v| Arc::new(Expr::Var(*v)))));
    assert_eq!(ty(FloatOp::Add, &[0, 0]), Ok(IntType::unsigned(32)));
    assert_eq!(ty(FloatOp::FromSigned(64), &[1]), Ok(DOUBLE));
    assert_eq!(ty(FloatOp::ToSigned(16), &[0]), Ok(IntType::signed(16)));
    for (op, v) in [
        (FloatOp::Add, &[0, 1][..]),
        (FloatOp::Add, &[0]),
        (FloatOp::FromUnsigned(64), &[1]),
        (FloatOp::FromSigned(48), &[1]),
        (FloatOp::Lt, &[0, 0]),
    ] {
        assert!(ty(op, v).is_err(), "{op:?}");
    }
    assert_eq!(Format::of_width(16), None);
}
