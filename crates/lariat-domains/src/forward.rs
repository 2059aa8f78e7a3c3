//! What an operation gives for sets of arguments.
//!
//! Sound: the result holds the concrete result for all members of the arguments. An operation that has no case here, or
//! arguments that are not followed, such as reads of arrays, give every value of the sort.

use crate::interval::Interval;
use crate::number::Number;
use crate::value::{AbsValue, Truth};
use crate::word::{Reading, Word};
use lariat_ir::{Op, Sort};

/// The values that an operation that is no leaf can give.
pub fn apply(op: Op, sort: Sort, args: &[&AbsValue]) -> AbsValue {
    let result = match args {
        [a] => unary(op, a),
        [a, b] => binary(op, a, b),
        [c, a, b] if op == Op::Ite => Some(match c.truth() {
            Truth::Yes => (*a).clone(),
            Truth::No => (*b).clone(),
            Truth::Either => a.join(b),
        }),
        _ => None,
    };
    result.unwrap_or_else(|| AbsValue::top(sort))
}

fn unary(op: Op, a: &AbsValue) -> Option<AbsValue> {
    Some(match (op, a) {
        (Op::Not, AbsValue::Bool(t)) => AbsValue::Bool(t.negate()),
        (Op::IntNeg, AbsValue::Int(n)) => AbsValue::Int(n.neg()),
        (Op::BvNot, AbsValue::Bv(w)) => AbsValue::Bv(w.not()),
        (Op::BvNeg, AbsValue::Bv(w)) => AbsValue::Bv(w.neg()),
        (Op::Extract { hi, lo }, AbsValue::Bv(w)) => AbsValue::Bv(w.extract(hi, lo)),
        (Op::ZeroExtend(by), AbsValue::Bv(w)) => AbsValue::Bv(w.zero_extend(by)),
        (Op::SignExtend(by), AbsValue::Bv(w)) => AbsValue::Bv(w.sign_extend(by)),
        (Op::IntToBv(w), AbsValue::Int(n)) => AbsValue::Bv(Word::of_number(w, n)),
        (Op::UbvToInt, AbsValue::Bv(w)) => AbsValue::Int(w.number(Reading::Unsigned)),
        (Op::SbvToInt, AbsValue::Bv(w)) => AbsValue::Int(w.number(Reading::Signed)),
        _ => return None,
    })
}

fn binary(op: Op, a: &AbsValue, b: &AbsValue) -> Option<AbsValue> {
    if op == Op::Eq {
        return Some(AbsValue::Bool(equal(a, b)));
    }
    match (a, b) {
        (AbsValue::Bool(a), AbsValue::Bool(b)) => truths(op, *a, *b).map(AbsValue::Bool),
        (AbsValue::Int(a), AbsValue::Int(b)) => numbers(op, a, b),
        (AbsValue::Bv(a), AbsValue::Bv(b)) => words(op, a, b),
        _ => None,
    }
}

fn truths(op: Op, a: Truth, b: Truth) -> Option<Truth> {
    let and = |a: Truth, b: Truth| match (a, b) {
        (Truth::No, _) | (_, Truth::No) => Truth::No,
        (Truth::Yes, Truth::Yes) => Truth::Yes,
        _ => Truth::Either,
    };
    match op {
        Op::And => Some(and(a, b)),
        Op::Or => Some(and(a.negate(), b.negate()).negate()),
        _ => None,
    }
}

/// Two sets without a common member are unequal; two single values that are one are equal.
fn equal(a: &AbsValue, b: &AbsValue) -> Truth {
    if a.meet(b).is_err() {
        Truth::No
    } else if a.is_constant() && a == b {
        Truth::Yes
    } else {
        Truth::Either
    }
}

/// Whether each member of one interval is below each of another, or at most as large; no where none can be.
fn below(a: &Interval, b: &Interval, strictly: bool) -> Truth {
    let surely = |a: &Interval, b: &Interval, strictly: bool| match (a.hi(), b.lo()) {
        (Some(h), Some(l)) => h < l || !strictly && h == l,
        _ => false,
    };
    if surely(a, b, strictly) {
        Truth::Yes
    } else if surely(b, a, !strictly) {
        Truth::No
    } else {
        Truth::Either
    }
}

fn numbers(op: Op, a: &Number, b: &Number) -> Option<AbsValue> {
    Some(AbsValue::Int(match op {
        Op::IntAdd => a.add(b),
        Op::IntSub => a.sub(b),
        Op::IntMul => a.mul(b),
        Op::IntDiv => a.div_euclid(b),
        Op::IntMod => a.rem_euclid(b),
        Op::IntLt => return Some(AbsValue::Bool(below(a.interval(), b.interval(), true))),
        Op::IntLe => return Some(AbsValue::Bool(below(a.interval(), b.interval(), false))),
        _ => return None,
    }))
}

fn words(op: Op, a: &Word, b: &Word) -> Option<AbsValue> {
    let compare = |r: Reading, strictly: bool| Some(AbsValue::Bool(below(a.interval(r), b.interval(r), strictly)));
    Some(AbsValue::Bv(match op {
        Op::BvAnd => a.and(b),
        Op::BvOr => a.or(b),
        Op::BvXor => a.xor(b),
        Op::BvAdd => a.add(b),
        Op::BvSub => a.sub(b),
        Op::BvMul => a.mul(b),
        Op::BvUdiv => a.udiv(b),
        Op::BvUrem => a.urem(b),
        Op::BvSdiv => a.sdiv(b),
        Op::BvSrem => a.srem(b),
        Op::BvShl => a.shl(b),
        Op::BvLshr => a.lshr(b),
        Op::BvAshr => a.ashr(b),
        Op::Concat => a.concat(b),
        Op::BvUlt => return compare(Reading::Unsigned, true),
        Op::BvUle => return compare(Reading::Unsigned, false),
        Op::BvSlt => return compare(Reading::Signed, true),
        Op::BvSle => return compare(Reading::Signed, false),
        _ => return None,
    }))
}
