//! Expressions and conditions: what they come to, and when they may be evaluated.

use super::{Cond, Expr, Target, integers, machine};
use crate::term::{Op, Term, Terms};

/// An expression in one integer semantics.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The value, where `defined` holds.
    pub term: Term,
    /// That no undefined operation is evaluated.
    pub defined: Term,
    /// That the value is derived from a signed overflow; false but in [`Target::CDiverges`].
    pub poison: Term,
    /// Whether the value lies within its type's range, as far as one look shows it; of interest over Z.
    pub in_range: bool,
    /// Unknowns of sort `int` and kind `Abstraction`, without a range, that `term` mentions: each stands for the result of an
    /// operation on values for which it has no meaning.
    pub abstraction: Vec<Term>,
}

/// What a variable or an unknown is in one integer semantics.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Its value.
    pub value: Term,
    /// Whether it is derived from a signed overflow; nothing where it cannot be.
    pub poison: Option<Term>,
    /// Whether its value always lies within its type's range.
    pub in_range: bool,
}

/// What the leaves of an expression mean.
pub struct Scope<'a> {
    /// Where terms are made.
    pub terms: &'a Terms,
    /// The integer semantics.
    pub target: Target,
    /// The variables, by index.
    pub vars: &'a [Bound],
    /// The unknowns, by index.
    pub unknowns: &'a [Bound],
    /// Makes an unknown of sort `int` and kind `Abstraction`, without a range.
    pub fresh: &'a mut dyn FnMut() -> Term,
}

/// Lowers an expression.
pub fn lower_expr(scope: &mut Scope<'_>, expr: &Expr) -> Lowered {
    let t = scope.terms;
    let over_z = scope.target.over_z();
    match expr {
        Expr::Var(v) => leaf(t, scope.vars[*v]),
        Expr::Unknown(u) => leaf(t, scope.unknowns[*u]),
        Expr::Const(value, ty) => {
            let term = if over_z { t.int(value.clone()) } else { machine::constant(t, *ty, value) };
            leaf(t, Bound { value: term, poison: None, in_range: true })
        }
        Expr::Unary { op, ty, overflow, arg } => {
            let a = lower_expr(scope, arg);
            if over_z {
                integers::unary(t, *op, *ty, *overflow, a)
            } else {
                machine::unary(t, scope.target, *op, *ty, *overflow, a)
            }
        }
        Expr::Binary { op, ty, overflow, left, right } => {
            let (a, b) = (lower_expr(scope, left), lower_expr(scope, right));
            if over_z {
                integers::binary(scope, *op, *ty, *overflow, a, b)
            } else {
                machine::binary(t, scope.target, *op, *ty, *overflow, a, b)
            }
        }
        Expr::Cast { from, to, arg } => {
            let a = lower_expr(scope, arg);
            if over_z { integers::cast(t, *from, *to, a) } else { machine::cast(t, *from, *to, a) }
        }
        Expr::Ite(cond, yes, no) => {
            let (c, a, b) = (lower_cond(scope, cond), lower_expr(scope, yes), lower_expr(scope, no));
            Lowered {
                term: ite(t, c.term, a.term, b.term),
                defined: and(t, c.defined, ite(t, c.term, a.defined, b.defined)),
                poison: ite(t, c.term, a.poison, b.poison),
                in_range: a.in_range && b.in_range,
                abstraction: [c.abstraction, a.abstraction, b.abstraction].concat(),
            }
        }
    }
}

/// Lowers a condition. It is a branch: a poisoned operand makes it undefined, so that it never is poisoned itself.
pub fn lower_cond(scope: &mut Scope<'_>, cond: &Cond) -> Lowered {
    let t = scope.terms;
    let plain = |term: Term, defined: Term, abstraction: Vec<Term>| Lowered {
        term,
        defined,
        poison: t.ff(),
        in_range: true,
        abstraction,
    };
    match cond {
        Cond::Const(b) => plain(t.bool(*b), t.tt(), Vec::new()),
        Cond::Cmp { op, ty, left, right } => {
            let (a, b) = (lower_expr(scope, left), lower_expr(scope, right));
            let term = if scope.target.over_z() {
                integers::compare(t, *op, a.term, b.term)
            } else {
                machine::compare(t, *op, *ty, a.term, b.term)
            };
            let clean = not(t, or(t, a.poison, b.poison));
            plain(term, and(t, and(t, a.defined, b.defined), clean), [a.abstraction, b.abstraction].concat())
        }
        Cond::And(a, b) => {
            let (a, b) = (lower_cond(scope, a), lower_cond(scope, b));
            let defined = and(t, a.defined, or(t, not(t, a.term), b.defined));
            plain(and(t, a.term, b.term), defined, [a.abstraction, b.abstraction].concat())
        }
        Cond::Or(a, b) => {
            let (a, b) = (lower_cond(scope, a), lower_cond(scope, b));
            let defined = and(t, a.defined, or(t, a.term, b.defined));
            plain(or(t, a.term, b.term), defined, [a.abstraction, b.abstraction].concat())
        }
        Cond::Not(a) => {
            let a = lower_cond(scope, a);
            plain(not(t, a.term), a.defined, a.abstraction)
        }
    }
}

fn leaf(t: &Terms, bound: Bound) -> Lowered {
    Lowered {
        term: bound.value,
        defined: t.tt(),
        poison: bound.poison.unwrap_or_else(|| t.ff()),
        in_range: bound.in_range,
        abstraction: Vec::new(),
    }
}

// Truth values with the constants left out: nearly everything is defined and nothing poisoned, and should look so.

pub(super) fn not(t: &Terms, a: Term) -> Term {
    match t.node(a).op {
        Op::Bool(b) => t.bool(!b),
        _ => t.not(a),
    }
}

pub(super) fn and(t: &Terms, a: Term, b: Term) -> Term {
    match (t.node(a).op, t.node(b).op) {
        (Op::Bool(true), _) | (_, Op::Bool(false)) => b,
        (_, Op::Bool(true)) | (Op::Bool(false), _) => a,
        _ => t.and(a, b),
    }
}

pub(super) fn or(t: &Terms, a: Term, b: Term) -> Term {
    match (t.node(a).op, t.node(b).op) {
        (Op::Bool(false), _) | (_, Op::Bool(true)) => b,
        (_, Op::Bool(false)) | (Op::Bool(true), _) => a,
        _ => t.or(a, b),
    }
}

pub(super) fn ite(t: &Terms, c: Term, a: Term, b: Term) -> Term {
    match t.node(c).op {
        Op::Bool(true) => a,
        Op::Bool(false) => b,
        _ if a == b => a,
        _ => t.ite(c, a, b),
    }
}
