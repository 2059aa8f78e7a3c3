//! Expressions and conditions: what they come to, and when they may be evaluated.

use super::memo::{Memo, Part};
use super::{Cond, Expr, IntType, Target, floats, integers, machine};
use crate::term::{Op, Term, Terms};

/// An expression in one integer semantics.
#[derive(Clone, Copy, Debug)]
pub struct Lowered {
    /// The value, where `defined` holds.
    pub term: Term,
    /// That no undefined operation is evaluated.
    pub defined: Term,
    /// That the value is derived from a signed overflow; false but in [`Target::CDiverges`].
    pub poison: Term,
    /// Whether the value lies within its type's range, as far as one look shows it; of interest over Z.
    pub in_range: bool,
    /// The width of its type; one for a condition.
    pub width: u32,
}

/// What a variable or an unknown is in one integer semantics.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Its type.
    pub ty: IntType,
    /// Its value.
    pub value: Term,
    /// Whether it is derived from a signed overflow; nothing where it cannot be.
    pub poison: Option<Term>,
    /// Whether its value always lies within its type's range.
    pub in_range: bool,
}

/// What a memory is in one integer semantics.
#[derive(Clone, Copy, Debug)]
pub struct BoundMem {
    /// Its content.
    pub content: Term,
    /// The type of the cells.
    pub cell: IntType,
    /// How a cell is read.
    pub reading: Reading,
}

/// How the cells of a memory are read. Bit-vectors are what they are; over Z an array of integers that nobody computed
/// holds any integers, while its cells hold values of their type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// As they are: all lie within the range of their type.
    InRange,
    /// As they are: some may have left the range, because they were computed over Z.
    Computed,
    /// Reduced to the type: none was computed outside it.
    Reduced,
    /// As they are where this array of truth values says so, else reduced.
    Either(Term),
}

/// What the leaves of an expression mean.
pub struct Scope<'a> {
    terms: &'a Terms,
    target: Target,
    vars: &'a [Bound],
    unknowns: &'a [Bound],
    mems: &'a [BoundMem],
    fresh: &'a mut dyn FnMut() -> Term,
    memo: Memo<'a, Lowered>,
}

impl<'a> Scope<'a> {
    /// The meaning of variables, unknowns and memories by their index. `fresh` makes an unknown of sort `int` and kind
    /// `Abstraction`, without a range.
    pub fn new(
        terms: &'a Terms,
        target: Target,
        [vars, unknowns]: [&'a [Bound]; 2],
        mems: &'a [BoundMem],
        fresh: &'a mut dyn FnMut() -> Term,
    ) -> Self {
        Self { terms, target, vars, unknowns, mems, fresh, memo: Memo::new() }
    }

    pub(super) fn terms(&self) -> &'a Terms {
        self.terms
    }
    pub(super) fn over_z(&self) -> bool {
        self.target.over_z()
    }
    /// The result of an operation on values for which it has no meaning.
    pub(super) fn meaningless(&mut self) -> Term {
        (self.fresh)()
    }

    /// A part that is shared is lowered once: in one state it has one value, also where that is an unknown.
    fn lower(&mut self, root: Part<'a>) -> Lowered {
        let mut open = vec![(root, false)];
        while let Some(part) = self.memo.next(&mut open) {
            let lowered = match part {
                Part::Expr(e) => self.expr(e),
                Part::Cond(c) => self.cond(c),
            };
            self.memo.insert(part, lowered);
        }
        *self.memo.get(root)
    }

    /// An expression whose arguments are lowered.
    fn expr(&mut self, expr: &'a Expr) -> Lowered {
        let t = self.terms;
        let over_z = self.target.over_z();
        match expr {
            Expr::Var(v) => leaf(t, self.vars[*v]),
            Expr::Unknown(u) => leaf(t, self.unknowns[*u]),
            Expr::Const(value, ty) => {
                let term = if over_z { t.int(value.clone()) } else { machine::constant(t, *ty, value) };
                leaf(t, Bound { ty: *ty, value: term, poison: None, in_range: true })
            }
            Expr::Unary { op, ty, overflow, arg } => {
                let a = *self.memo.expr(arg);
                if over_z {
                    integers::unary(t, *op, *ty, *overflow, a)
                } else {
                    machine::unary(t, self.target, *op, *ty, *overflow, a)
                }
            }
            Expr::Binary { op, ty, overflow, left, right } => {
                let (a, b) = (*self.memo.expr(left), *self.memo.expr(right));
                if over_z {
                    integers::binary(self, *op, *ty, *overflow, a, b)
                } else {
                    machine::binary(t, self.target, *op, *ty, *overflow, a, b)
                }
            }
            Expr::Cast { from, to, arg } => {
                let a = *self.memo.expr(arg);
                if over_z { integers::cast(t, *from, *to, a) } else { machine::cast(t, *from, *to, a) }
            }
            Expr::Ite(cond, yes, no) => {
                let (c, a, b) = (*self.memo.cond(cond), *self.memo.expr(yes), *self.memo.expr(no));
                Lowered {
                    term: ite(t, c.term, a.term, b.term),
                    defined: and(t, c.defined, ite(t, c.term, a.defined, b.defined)),
                    poison: ite(t, c.term, a.poison, b.poison),
                    in_range: a.in_range && b.in_range,
                    width: a.width,
                }
            }
            Expr::Load { mem, address } => load(t, self.mems[*mem], *self.memo.expr(address)),
            Expr::Float { op, args } => {
                let args: Vec<Lowered> = args.iter().map(|a| *self.memo.expr(a)).collect();
                floats::operate(self, *op, &args)
            }
            Expr::Promised { kept, value } => {
                let (c, a) = (*self.memo.cond(kept), *self.memo.expr(value));
                if self.target != Target::CDiverges {
                    return a;
                }
                // Where the condition itself is not defined nothing is known to be kept.
                Lowered { poison: or(t, a.poison, not(t, and(t, c.defined, c.term))), ..a }
            }
            Expr::Join(parts) => {
                let parts = parts.iter().map(|p| *self.memo.expr(p));
                parts.reduce(|low, high| join(t, over_z, low, high)).expect("a value is joined from parts")
            }
        }
    }

    /// A condition whose arguments are lowered. It is a branch: a poisoned operand makes it undefined, so that it never is
    /// poisoned itself.
    fn cond(&mut self, cond: &'a Cond) -> Lowered {
        let t = self.terms;
        let plain = |term: Term, defined: Term| Lowered { term, defined, poison: t.ff(), in_range: true, width: 1 };
        match cond {
            Cond::Const(b) => plain(t.bool(*b), t.tt()),
            Cond::Cmp { op, ty, left, right } => {
                let (a, b) = (self.memo.expr(left), self.memo.expr(right));
                let term = if self.target.over_z() {
                    integers::compare(t, *op, a.term, b.term)
                } else {
                    machine::compare(t, *op, *ty, a.term, b.term)
                };
                let clean = not(t, or(t, a.poison, b.poison));
                plain(term, and(t, and(t, a.defined, b.defined), clean))
            }
            Cond::Float { op, args } => {
                let args = args.each_ref().map(|a| *self.memo.expr(a));
                let Lowered { term, defined, poison, .. } = floats::operate(self, *op, &args);
                plain(term, and(t, defined, not(t, poison)))
            }
            Cond::And(a, b) => {
                let (a, b) = (self.memo.cond(a), self.memo.cond(b));
                plain(and(t, a.term, b.term), and(t, a.defined, or(t, not(t, a.term), b.defined)))
            }
            Cond::Or(a, b) => {
                let (a, b) = (self.memo.cond(a), self.memo.cond(b));
                plain(or(t, a.term, b.term), and(t, a.defined, or(t, a.term, b.defined)))
            }
            Cond::Not(a) => {
                let a = self.memo.cond(a);
                plain(not(t, a.term), a.defined)
            }
        }
    }
}

/// Lowers an expression.
pub fn lower_expr<'a>(scope: &mut Scope<'a>, expr: &'a Expr) -> Lowered {
    scope.lower(Part::Expr(expr))
}

/// Lowers a condition.
pub fn lower_cond<'a>(scope: &mut Scope<'a>, cond: &'a Cond) -> Lowered {
    scope.lower(Part::Cond(cond))
}

/// A cell is never poisoned, because what is stored is not. A poisoned address decides which cell is read: undefined.
fn load(t: &Terms, mem: BoundMem, address: Lowered) -> Lowered {
    let cell = t.apply(Op::Select, &[mem.content, address.term]);
    let (term, in_range) = match mem.reading {
        Reading::InRange => (cell, true),
        Reading::Computed => (cell, false),
        Reading::Reduced => (integers::wrap(t, mem.cell, cell), true),
        Reading::Either(exact) => {
            let as_it_is = t.apply(Op::Select, &[exact, address.term]);
            (t.ite(as_it_is, cell, integers::wrap(t, mem.cell, cell)), false)
        }
    };
    let defined = and(t, address.defined, not(t, address.poison));
    Lowered { term, defined, poison: t.ff(), in_range, width: mem.cell.width }
}

/// One value of two: the parts are unsigned, so over Z, too, each lies within its type and the sum has no carry.
fn join(t: &Terms, over_z: bool, low: Lowered, high: Lowered) -> Lowered {
    let term = if over_z { integers::join(t, low, high) } else { t.apply(Op::Concat, &[high.term, low.term]) };
    Lowered {
        term,
        defined: and(t, low.defined, high.defined),
        poison: or(t, low.poison, high.poison),
        in_range: true,
        width: low.width + high.width,
    }
}

fn leaf(t: &Terms, bound: Bound) -> Lowered {
    Lowered {
        term: bound.value,
        defined: t.tt(),
        poison: bound.poison.unwrap_or_else(|| t.ff()),
        in_range: bound.in_range,
        width: bound.ty.width,
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
