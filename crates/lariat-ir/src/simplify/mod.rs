//! Simplification: a layer above raw hash-consing, made of named rules.
//!
//! [`simplify`] rewrites a term bottom-up with the rules of [`families`] until none fires. The checker and the interpreter
//! do not use it; everything that shows a term to a person or a solver may. A rule looks at an operation and its
//! arguments and answers with an equal term of the same sort, or with nothing. The tests of this module validate every rule at
//! small widths under every valuation; a rule that no candidate exercises fails them.
//!
//! # Why it ends
//!
//! Every rule makes the pair (`W`, `V`) smaller, lexicographically; the tests check that for every firing that they see.
//! `W` is 1 for a constant, 2 for a symbol, and for an operation the sum of its arguments' `W` (an `ite` counts its condition
//! twice, `int_to_bv` its argument) plus a constant of the operation: 5 for an order comparison and `ite`, 3 for a subtraction, 1 for
//! `int_to_bv`, 2 for the rest. `V` is 1 for a
//! constant, 2 for a symbol, and `V(a) + 2 V(b) + 4 V(c) + 1` for an operation. Both are strictly monotone in every argument, so that rewriting
//! inside a term makes the whole term smaller, and both are natural numbers. Only `constant-right` leaves `W` as it is: it moves
//! the constant to where `V` counts double. As no rule makes `W` larger and a term has no more nodes than its `W`, a
//! simplified term is at most a small factor larger than the original as a tree; no rule mentions an argument twice, so
//! sharing is kept.

mod arith;
mod array;
mod bits;
mod boolean;
mod compare;
mod convert;
mod integer;
#[cfg(test)]
pub(crate) mod tests;

use crate::eval;
use crate::fast::FastMap;
use crate::term::{Op, Term, Terms};
use crate::value::Value;

/// A rewrite rule: an equal term of the same sort for an operation applied to arguments, where the rule applies.
#[derive(Clone, Copy)]
pub struct Rule {
    /// The rule's name, unique among all rules.
    pub name: &'static str,
    /// Rewrites the application of the operation to these arguments.
    pub apply: fn(&Terms, Op, &[Term]) -> Option<Term>,
}

/// A group of rules about the same operations.
#[derive(Clone, Copy)]
pub struct Family {
    /// What the rules speak about.
    pub name: &'static str,
    /// Whether some rule of this family may fire at this operation.
    pub concerns: fn(Op) -> bool,
    /// The rules, in the order in which they are tried.
    pub rules: &'static [Rule],
}

/// All rules.
pub fn families() -> &'static [Family] {
    &FAMILIES
}

static FAMILIES: [Family; 8] = [
    Family { name: "any sort", concerns: |_| true, rules: GENERAL },
    boolean::FAMILY,
    compare::FAMILY,
    arith::FAMILY,
    bits::FAMILY,
    integer::FAMILY,
    convert::FAMILY,
    array::FAMILY,
];

/// An equal term that no rule can rewrite any more.
pub fn simplify(terms: &Terms, term: Term) -> Term {
    simplify_all(terms, &[term])[0]
}

/// Simplifies several terms at once. The arena remembers normal forms, so that nothing is simplified twice.
pub fn simplify_all(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    // What a term was rewritten to in one step: its normal form is that term's.
    let mut next: FastMap<Term, Term> = FastMap::default();
    let known = |t: Term| terms.known_normal_form(t);
    let mut open: Vec<Term> = roots.to_vec();
    while let Some(&t) = open.last() {
        if known(t).is_some() {
            open.pop();
            continue;
        }
        if let Some(&u) = next.get(&t) {
            if let Some(n) = known(u) {
                terms.keep_normal_form(t, n);
                open.pop();
            } else {
                open.push(u);
            }
            continue;
        }
        let node = terms.node(t);
        let before = open.len();
        let mut args = [t; 3];
        for (arg, &a) in args.iter_mut().zip(node.args()) {
            match known(a) {
                Some(n) => *arg = n,
                None => open.push(a),
            }
        }
        if open.len() > before {
            continue;
        }
        let args = &args[..node.args().len()];
        if args != node.args() {
            next.insert(t, terms.apply(node.op, args));
        } else if let Some(u) = step(terms, node.op, args) {
            next.insert(t, u);
        } else {
            terms.keep_normal_form(t, t);
        }
    }
    roots.iter().map(|&t| known(t).expect("it was open until it was known")).collect()
}

/// The result of the first rule that fires.
fn step(terms: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if args.is_empty() {
        return None;
    }
    FAMILIES.iter().filter(|f| (f.concerns)(op)).flat_map(|f| f.rules).find_map(|r| (r.apply)(terms, op, args))
}

const GENERAL: &[Rule] = &[
    Rule { name: "fold-constants", apply: fold_constants },
    Rule { name: "constant-right", apply: constant_right },
    Rule { name: "lift-ite", apply: lift_ite },
];

fn fold_constants(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if matches!(op, Op::Fill(_)) {
        return None;
    }
    let values = args.iter().map(|&a| t.constant_value(a)).collect::<Option<Vec<Value>>>()?;
    Some(t.value(&eval::apply(op, &values.iter().collect::<Vec<_>>())))
}

fn constant_right(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    let commutes =
        matches!(op, Op::Eq | Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr | Op::BvXor | Op::IntAdd | Op::IntMul);
    (commutes && is_constant(t, args[0]) && !is_constant(t, args[1])).then(|| t.apply(op, &[args[1], args[0]]))
}

/// `f(c ? k1 : k2, k3)` is `c ? f(k1, k3) : f(k2, k3)`: one operation less, as the branches fold. A test of a stored
/// comparison, `(c ? 1 : 0) != 0`, becomes the comparison this way.
fn lift_ite(t: &Terms, op: Op, args: &[Term]) -> Option<Term> {
    if matches!(op, Op::Ite | Op::Fill(_) | Op::Select | Op::Store) {
        return None;
    }
    let at = args.iter().position(|&a| !is_constant(t, a))?;
    let node = t.node(args[at]);
    let (Op::Ite, &[c, yes, no]) = (node.op, node.args()) else { return None };
    let folded = |branch: Term| {
        let mut args = args.to_vec();
        args[at] = branch;
        fold_constants(t, op, &args)
    };
    Some(t.ite(c, folded(yes)?, folded(no)?))
}

// What several families ask of terms.

fn is_constant(t: &Terms, a: Term) -> bool {
    matches!(t.node(a).op, Op::Bool(_) | Op::Bv(_) | Op::Int(_))
}

/// The arguments of a unary application of `op`.
fn unary(t: &Terms, op: Op, a: Term) -> Option<Term> {
    let node = t.node(a);
    (node.op == op).then(|| node.args()[0])
}

/// The arguments of a binary application of `op`.
fn binary(t: &Terms, op: Op, a: Term) -> Option<(Term, Term)> {
    let node = t.node(a);
    (node.op == op).then(|| (node.args()[0], node.args()[1]))
}

/// Both orders of two arguments, for an operation that commutes.
fn orders(args: &[Term]) -> [(Term, Term); 2] {
    [(args[0], args[1]), (args[1], args[0])]
}

/// The result of an operation on two constants, as a term.
fn fold(t: &Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    fold_constants(t, op, &[a, b])
}

/// Whether two terms of sort Bool are each other's negation, as far as one look shows it.
fn complementary(t: &Terms, a: Term, b: Term) -> bool {
    if unary(t, Op::Not, a) == Some(b) || unary(t, Op::Not, b) == Some(a) {
        return true;
    }
    let (m, n) = (t.node(a), t.node(b));
    compare::negated(m.op).is_some_and(|op| op == n.op && m.args()[0] == n.args()[1] && m.args()[1] == n.args()[0])
}

/// Whether two terms have different values under every valuation, as far as one look shows it: different constants, or
/// the same term with different constants added.
fn distinct(t: &Terms, a: Term, b: Term) -> bool {
    if a == b {
        return false;
    }
    let offset = |a: Term| {
        let node = t.node(a);
        match (node.op, node.args()) {
            (Op::BvAdd | Op::IntAdd, &[x, k]) if is_constant(t, k) => (x, Some(k)),
            _ => (a, None),
        }
    };
    let zero = |k: Option<Term>| k.is_none_or(|k| arith::is_zero(t, k));
    match (is_constant(t, a), is_constant(t, b)) {
        (true, true) => true,
        (false, false) => {
            let ((x, j), (y, k)) = (offset(a), offset(b));
            x == y && j != k && !(zero(j) && zero(k))
        }
        _ => false,
    }
}
