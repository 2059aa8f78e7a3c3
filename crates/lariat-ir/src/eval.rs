//! Concrete evaluation: what each operation means, once and for all.
//!
//! Every operation is total. Bit-vector division by zero is SMT-LIB's (all ones; the dividend as the remainder). For
//! integers SMT-LIB leaves division by zero open, so that a solver may choose it; here `a div 0 = 0` and
//! `a mod 0 = a`, and `lariat-smt` translates accordingly. Programs never rely on either: the lowering puts an
//! edge to UB in front.

use crate::float;
use crate::sort::Sort;
use crate::term::{Op, Term, Terms};
use crate::value::{ArrayValue, Bits, Value};
use dashu_int::IBig;
use dashu_int::ops::{DivEuclid, RemEuclid};
use std::sync::Arc;

/// Euclidean quotient: the remainder is never negative; by zero it is zero.
pub fn int_div(a: &IBig, b: &IBig) -> IBig {
    if *b == IBig::ZERO { IBig::ZERO } else { a.clone().div_euclid(b.clone()) }
}

/// Euclidean remainder, never negative; by zero it is the dividend.
pub fn int_mod(a: &IBig, b: &IBig) -> IBig {
    if *b == IBig::ZERO { a.clone() } else { IBig::from(a.clone().rem_euclid(b.clone())) }
}

/// Applies an operation that is no leaf to values of the right sorts.
pub fn apply(op: Op, args: &[&Value]) -> Value {
    let bool_of = |i: usize| args[i].as_bool();
    let bits = |i: usize| args[i].as_bits();
    let int = |i: usize| args[i].as_int();
    let width = || bits(0).width();
    let bv = |b: u128| Value::Bv(Bits::new(width(), b));
    match op {
        Op::Bool(_) | Op::Bv(_) | Op::Int(_) | Op::Symbol(_) => unreachable!("a leaf has no arguments"),
        Op::Not => Value::Bool(!bool_of(0)),
        Op::And => Value::Bool(bool_of(0) && bool_of(1)),
        Op::Or => Value::Bool(bool_of(0) || bool_of(1)),
        Op::Eq => Value::Bool(args[0] == args[1]),
        Op::Ite => args[if bool_of(0) { 1 } else { 2 }].clone(),
        Op::BvNot => bv(!bits(0).unsigned()),
        Op::BvNeg => bv(bits(0).unsigned().wrapping_neg()),
        Op::BvAnd => bv(bits(0).unsigned() & bits(1).unsigned()),
        Op::BvOr => bv(bits(0).unsigned() | bits(1).unsigned()),
        Op::BvXor => bv(bits(0).unsigned() ^ bits(1).unsigned()),
        Op::BvAdd => bv(bits(0).unsigned().wrapping_add(bits(1).unsigned())),
        Op::BvSub => bv(bits(0).unsigned().wrapping_sub(bits(1).unsigned())),
        Op::BvMul => bv(bits(0).unsigned().wrapping_mul(bits(1).unsigned())),
        Op::BvUdiv => bv(bits(0).unsigned().checked_div(bits(1).unsigned()).unwrap_or(u128::MAX)),
        Op::BvUrem => bv(bits(0).unsigned().checked_rem(bits(1).unsigned()).unwrap_or(bits(0).unsigned())),
        Op::BvSdiv => {
            let (a, b) = (bits(0).signed(), bits(1).signed());
            let quotient = match b {
                0 if a < 0 => 1,
                0 => -1,
                _ => a.wrapping_div(b),
            };
            bv(quotient.cast_unsigned())
        }
        Op::BvSrem => {
            let (a, b) = (bits(0).signed(), bits(1).signed());
            bv(if b == 0 { a } else { a.wrapping_rem(b) }.cast_unsigned())
        }
        Op::BvShl => bv(shift_amount(bits(1)).map_or(0, |s| bits(0).unsigned() << s)),
        Op::BvLshr => bv(shift_amount(bits(1)).map_or(0, |s| bits(0).unsigned() >> s)),
        Op::BvAshr => {
            let s = shift_amount(bits(1)).unwrap_or(127);
            bv((bits(0).signed() >> s).cast_unsigned())
        }
        Op::BvUlt => Value::Bool(bits(0).unsigned() < bits(1).unsigned()),
        Op::BvUle => Value::Bool(bits(0).unsigned() <= bits(1).unsigned()),
        Op::BvSlt => Value::Bool(bits(0).signed() < bits(1).signed()),
        Op::BvSle => Value::Bool(bits(0).signed() <= bits(1).signed()),
        Op::Concat => {
            let (a, b) = (bits(0), bits(1));
            Value::bv(a.width() + b.width(), (a.unsigned() << b.width()) | b.unsigned())
        }
        Op::Extract { hi, lo } => Value::bv(hi - lo + 1, bits(0).unsigned() >> lo),
        Op::ZeroExtend(by) => Value::bv(width() + by, bits(0).unsigned()),
        Op::SignExtend(by) => Value::bv(width() + by, bits(0).signed().cast_unsigned()),
        Op::IntNeg => Value::Int(-int(0)),
        Op::IntAdd => Value::Int(int(0) + int(1)),
        Op::IntSub => Value::Int(int(0) - int(1)),
        Op::IntMul => Value::Int(int(0) * int(1)),
        Op::IntDiv => Value::Int(int_div(int(0), int(1))),
        Op::IntMod => Value::Int(int_mod(int(0), int(1))),
        Op::IntLt => Value::Bool(int(0) < int(1)),
        Op::IntLe => Value::Bool(int(0) <= int(1)),
        Op::IntToBv(width) => Value::Bv(Bits::from_int(width, int(0))),
        Op::UbvToInt => Value::int(bits(0).unsigned()),
        Op::SbvToInt => Value::int(bits(0).signed()),
        Op::Select => args[0].as_array().get(args[1]).clone(),
        Op::Store => {
            let mut map = ArrayValue::clone(args[0].as_array());
            map.set(args[1].clone(), args[2].clone());
            Value::Array(Arc::new(map))
        }
        Op::Float(op) => float::apply(op, args),
        Op::Fill(index) => Value::Array(Arc::new(ArrayValue::constant(index, args[0].clone()))),
    }
}

/// The amount as a shift of a 128-bit word, or nothing when it shifts everything out.
fn shift_amount(amount: Bits) -> Option<u32> {
    u32::try_from(amount.unsigned()).ok().filter(|s| *s < 128)
}

/// Terms prepared for many evaluations: their nodes in an order in which arguments come first.
pub struct Plan {
    steps: Vec<Step>,
    roots: Vec<usize>,
}

enum Step {
    Constant(Value),
    Symbol(Term, Sort),
    Apply(Op, [usize; 3], u8),
}

impl Plan {
    /// Prepares the evaluation of these terms.
    pub fn new(terms: &Terms, roots: &[Term]) -> Self {
        let order = terms.reachable(roots);
        let slot = |t: Term| order.binary_search(&t).expect("arguments are reachable");
        let steps = order
            .iter()
            .map(|&t| {
                let node = terms.node(t);
                match node.op {
                    Op::Symbol(_) => Step::Symbol(t, node.sort),
                    Op::Bool(_) | Op::Bv(_) | Op::Int(_) => {
                        Step::Constant(terms.constant_value(t).expect("a constant has a value"))
                    }
                    op => {
                        let mut args = [0; 3];
                        for (i, a) in node.args().iter().enumerate() {
                            args[i] = slot(*a);
                        }
                        Step::Apply(op, args, u8::try_from(node.args().len()).expect("at most three arguments"))
                    }
                }
            })
            .collect();
        Self { steps, roots: roots.iter().map(|&r| slot(r)).collect() }
    }

    /// The symbols whose values an evaluation asks for.
    pub fn symbols(&self) -> impl Iterator<Item = Term> + '_ {
        self.steps.iter().filter_map(|s| match s {
            Step::Symbol(t, _) => Some(*t),
            _ => None,
        })
    }

    /// The values of the terms, in the order given to [`Plan::new`]; `lookup` gives the value of each symbol.
    pub fn run(&self, mut lookup: impl FnMut(Term) -> Value) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let value = match step {
                Step::Constant(v) => v.clone(),
                Step::Symbol(t, sort) => {
                    let v = lookup(*t);
                    debug_assert_eq!(v.sort(), *sort, "a symbol's value has its sort");
                    v
                }
                Step::Apply(op, [a, b, c], n) => match n {
                    1 => apply(*op, &[&values[*a]]),
                    2 => apply(*op, &[&values[*a], &values[*b]]),
                    _ => apply(*op, &[&values[*a], &values[*b], &values[*c]]),
                },
            };
            values.push(value);
        }
        self.roots.iter().map(|&r| values[r].clone()).collect()
    }
}

/// The value of one term; `lookup` gives the value of each symbol.
pub fn eval(terms: &Terms, term: Term, lookup: impl FnMut(Term) -> Value) -> Value {
    Plan::new(terms, &[term]).run(lookup).swap_remove(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_operations_follow_smt_lib() {
        let v = |x: i128| Value::Bv(Bits::from_signed(8, x));
        assert_eq!(apply(Op::BvSdiv, &[&v(-7), &v(2)]), v(-3));
        assert_eq!(apply(Op::BvSrem, &[&v(-7), &v(2)]), v(-1));
        assert_eq!(apply(Op::BvSdiv, &[&v(-128), &v(-1)]), v(-128));
        assert_eq!(apply(Op::BvSdiv, &[&v(5), &v(0)]), v(-1));
        assert_eq!(apply(Op::BvSdiv, &[&v(-5), &v(0)]), v(1));
        assert_eq!(apply(Op::BvAshr, &[&v(-1), &v(100)]), v(-1));
        assert_eq!(apply(Op::BvShl, &[&v(1), &v(8)]), v(0));
        let wide = |x: i128| Value::Bv(Bits::from_signed(128, x));
        assert_eq!(apply(Op::BvAshr, &[&wide(-5), &wide(127)]), wide(-1));
        assert_eq!(apply(Op::BvLshr, &[&wide(-1), &wide(128)]), wide(0));
    }

    #[test]
    fn integer_division_is_euclidean() {
        let v = |x: i32| Value::int(x);
        for a in -7..=7 {
            for b in -3..=3 {
                let q = apply(Op::IntDiv, &[&v(a), &v(b)]);
                let r = apply(Op::IntMod, &[&v(a), &v(b)]);
                assert_eq!(q.as_int() * v(b).as_int() + r.as_int(), *v(a).as_int());
                assert!(b == 0 || (*r.as_int() >= IBig::ZERO && *r.as_int() < IBig::from(b.abs())));
            }
        }
    }
}
