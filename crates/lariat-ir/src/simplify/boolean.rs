//! Negation, conjunction, disjunction and choice.

use super::{Family, Rule, binary, complementary, orders, unary};
use crate::simplify::compare;
use crate::term::{Op, Term, Terms};

pub(super) const FAMILY: Family = Family {
    name: "boolean",
    concerns: |op| matches!(op, Op::Not | Op::And | Op::Or | Op::Ite),
    rules: &[
        Rule { name: "not-not", apply: not_not },
        Rule { name: "not-comparison", apply: not_comparison },
        Rule { name: "junction-unit", apply: junction_unit },
        Rule { name: "junction-zero", apply: junction_zero },
        Rule { name: "junction-idempotent", apply: junction_idempotent },
        Rule { name: "junction-complement", apply: junction_complement },
        Rule { name: "junction-absorb", apply: junction_absorb },
        Rule { name: "junction-nested", apply: junction_nested },
        Rule { name: "junction-nested-complement", apply: junction_nested_complement },
        Rule { name: "junction-resolve", apply: junction_resolve },
        Rule { name: "ite-constant-condition", apply: ite_constant_condition },
        Rule { name: "ite-same-branches", apply: ite_same_branches },
        Rule { name: "ite-negated-condition", apply: ite_negated_condition },
        Rule { name: "ite-constant-branch", apply: ite_constant_branch },
        Rule { name: "ite-condition-as-branch", apply: ite_condition_as_branch },
        Rule { name: "ite-same-condition", apply: ite_same_condition },
        Rule { name: "ite-merge", apply: ite_merge },
        Rule { name: "ite-equal", apply: ite_equal },
    ],
};

fn not_not(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Not {
        return None;
    }
    unary(t, Op::Not, args[0])
}

/// The orders are total: `!(a < b)` is `b <= a`.
fn not_comparison(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if op != Op::Not {
        return None;
    }
    let node = t.node(args[0]);
    let negated = compare::negated(node.op)?;
    Some(t.apply(negated, &[node.args()[1], node.args()[0]]))
}

/// For `&&` and `||` the other one, and for each the constant that changes nothing.
fn junction(op: Op) -> Option<(Op, bool)> {
    match op {
        Op::And => Some((Op::Or, true)),
        Op::Or => Some((Op::And, false)),
        _ => None,
    }
}

fn junction_unit(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (_, unit) = junction(op)?;
    orders(args).into_iter().find_map(|(a, b)| (t.node(a).op == Op::Bool(unit)).then_some(b))
}

fn junction_zero(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (_, unit) = junction(op)?;
    args.iter().copied().find(|&a| t.node(a).op == Op::Bool(!unit))
}

fn junction_idempotent(_: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    junction(op)?;
    (args[0] == args[1]).then_some(args[0])
}

fn junction_complement(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (_, unit) = junction(op)?;
    complementary(t, args[0], args[1]).then(|| t.bool(!unit))
}

/// `a && (a || b)` is `a`.
fn junction_absorb(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (dual, _) = junction(op)?;
    orders(args).into_iter().find_map(|(a, b)| {
        let (x, y) = binary(t, dual, b)?;
        (x == a || y == a).then_some(a)
    })
}

/// `a && (a && b)` is `a && b`.
fn junction_nested(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    junction(op)?;
    orders(args).into_iter().find_map(|(a, b)| {
        let (x, y) = binary(t, op, b)?;
        (x == a || y == a).then_some(b)
    })
}

/// `a && (!a && b)` is `false`.
fn junction_nested_complement(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (_, unit) = junction(op)?;
    orders(args).into_iter().find_map(|(a, b)| {
        let (x, y) = binary(t, op, b)?;
        (complementary(t, x, a) || complementary(t, y, a)).then(|| t.bool(!unit))
    })
}

/// `a && (!a || b)` is `a && b`.
fn junction_resolve(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (dual, _) = junction(op)?;
    for (i, b) in args.iter().enumerate() {
        let a = args[1 - i];
        let Some((x, y)) = binary(t, dual, *b) else { continue };
        for (out, rest) in [(x, y), (y, x)] {
            if complementary(t, out, a) {
                // The order of the two stays, for the reader's sake.
                return Some(if i == 0 { t.apply(op, &[rest, a]) } else { t.apply(op, &[a, rest]) });
            }
        }
    }
    None
}

fn choice(op: Op, args: &[Term]) -> Option<(Term, Term, Term)> {
    (op == Op::Ite).then(|| (args[0], args[1], args[2]))
}

fn ite_constant_condition(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (c, a, b) = choice(op, args)?;
    match t.node(c).op {
        Op::Bool(true) => Some(a),
        Op::Bool(false) => Some(b),
        _ => None,
    }
}

fn ite_same_branches(_: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (_, a, b) = choice(op, args)?;
    (a == b).then_some(a)
}

fn ite_negated_condition(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (c, a, b) = choice(op, args)?;
    Some(t.ite(unary(t, Op::Not, c)?, b, a))
}

fn ite_constant_branch(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (c, a, b) = choice(op, args)?;
    match (t.node(a).op, t.node(b).op) {
        (Op::Bool(true), _) => Some(t.or(c, b)),
        (Op::Bool(false), _) => Some(t.and(t.not(c), b)),
        (_, Op::Bool(true)) => Some(t.or(t.not(c), a)),
        (_, Op::Bool(false)) => Some(t.and(c, a)),
        _ => None,
    }
}

/// `c ? c : b` is `c || b`; `c ? a : c` is `c && a`.
fn ite_condition_as_branch(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (c, a, b) = choice(op, args)?;
    if a == c {
        Some(t.or(c, b))
    } else if b == c {
        Some(t.and(c, a))
    } else if complementary(t, a, c) {
        Some(t.and(a, b))
    } else if complementary(t, b, c) {
        Some(t.or(b, a))
    } else {
        None
    }
}

/// A condition that stands again in a branch is known there.
fn ite_same_condition(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (c, a, b) = choice(op, args)?;
    let parts = |x: Term| {
        let node = t.node(x);
        choice(node.op, node.args())
    };
    // In the branch taken when `c` has the value `known`, what `x` comes to.
    let taken = |x: Term, known: bool| {
        let (d, yes, no) = parts(x)?;
        if d == c {
            Some(if known { yes } else { no })
        } else if complementary(t, c, d) {
            Some(if known { no } else { yes })
        } else {
            None
        }
    };
    if let Some(a) = taken(a, true) {
        return Some(t.ite(c, a, b));
    }
    taken(b, false).map(|b| t.ite(c, a, b))
}

/// `c ? a : (d ? a : b)` is `c || d ? a : b`; `c ? (d ? a : b) : b` is `c && d ? a : b`.
fn ite_merge(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (c, a, b) = choice(op, args)?;
    let parts = |x: Term| {
        let node = t.node(x);
        choice(node.op, node.args())
    };
    if let Some((d, yes, no)) = parts(b)
        && yes == a
    {
        return Some(t.ite(t.or(c, d), a, no));
    }
    let (d, yes, no) = parts(a)?;
    (no == b).then(|| t.ite(t.and(c, d), yes, b))
}

/// `a == b ? a : b` is `b`, whichever way round.
fn ite_equal(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let (c, a, b) = choice(op, args)?;
    let (x, y) = binary(t, Op::Eq, c)?;
    ((x, y) == (a, b) || (y, x) == (a, b)).then_some(b)
}
