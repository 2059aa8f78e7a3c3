//! Which arguments can give a result.
//!
//! Sound: arguments from the given sets whose result lies in the result's set are kept. Each case drops only arguments of
//! which that is impossible; an operation that has no case drops none.

use crate::integer::{abs, floor_div, one, power};
use crate::interval::Interval;
use crate::number::Number;
use crate::value::{AbsValue, Empty, Truth};
use crate::word::{KnownBits, Reading, Word};
use dashu_int::IBig;
use lariat_ir::{Bits, Op};

type Kept<T> = Result<T, Empty>;

/// Drops from the arguments of an operation those that cannot give a result of the set.
pub fn restrict(op: Op, result: &AbsValue, args: &mut [AbsValue]) -> Kept<()> {
    match args {
        [a] => unary(op, result, a),
        [a, b] => binary(op, result, a, b),
        [c, a, b] if op == Op::Ite => choice(result, c, a, b),
        _ => Ok(()),
    }
}

/// The branch that is taken gives the result; a branch that cannot is not taken.
fn choice(result: &AbsValue, c: &mut AbsValue, a: &mut AbsValue, b: &mut AbsValue) -> Kept<()> {
    if c.truth() == Truth::Either {
        if a.meet(result).is_err() {
            *c = AbsValue::Bool(Truth::No);
        } else if b.meet(result).is_err() {
            *c = AbsValue::Bool(Truth::Yes);
        }
    }
    match c.truth() {
        Truth::Yes => *a = a.meet(result)?,
        Truth::No => *b = b.meet(result)?,
        Truth::Either => {}
    }
    Ok(())
}

fn unary(op: Op, result: &AbsValue, a: &mut AbsValue) -> Kept<()> {
    let kept = match (op, result, &*a) {
        (Op::Not, AbsValue::Bool(t), _) => a.meet(&AbsValue::Bool(t.negate()))?,
        (Op::IntNeg, AbsValue::Int(n), _) => a.meet(&AbsValue::Int(n.neg()))?,
        (Op::BvNot, AbsValue::Bv(w), _) => a.meet(&AbsValue::Bv(w.not()))?,
        (Op::BvNeg, AbsValue::Bv(w), _) => a.meet(&AbsValue::Bv(w.neg()))?,
        (Op::Extract { lo, .. }, AbsValue::Bv(r), AbsValue::Bv(x)) => AbsValue::Bv(extracted(r, x, lo)?),
        (Op::ZeroExtend(_), AbsValue::Bv(r), AbsValue::Bv(x)) => AbsValue::Bv(extended(r, x, Reading::Unsigned)?),
        (Op::SignExtend(_), AbsValue::Bv(r), AbsValue::Bv(x)) => AbsValue::Bv(extended(r, x, Reading::Signed)?),
        (Op::IntToBv(_), AbsValue::Bv(r), AbsValue::Int(x)) => AbsValue::Int(reduced(r, x)?),
        (Op::UbvToInt, AbsValue::Int(r), AbsValue::Bv(x)) => AbsValue::Bv(read(r, x, Reading::Unsigned)?),
        (Op::SbvToInt, AbsValue::Int(r), AbsValue::Bv(x)) => AbsValue::Bv(read(r, x, Reading::Signed)?),
        _ => return Ok(()),
    };
    *a = kept;
    Ok(())
}

/// The words whose reading is one of these numbers.
fn read(result: &Number, x: &Word, reading: Reading) -> Kept<Word> {
    let same = Word::with_reading(x.width(), reading, result).ok_or(Empty)?;
    x.meet(&same).ok_or(Empty)
}

/// The integers that reduction modulo 2^width can take into a set: they are in its class, and where all are reduced by one multiple, they are
/// the result up to that.
fn reduced(result: &Word, x: &Number) -> Kept<Number> {
    let m = power(result.width());
    let class = Number::new(Interval::top(), result.class().modulo(&m)).ok_or(Empty)?;
    let mut kept = x.meet(&class).ok_or(Empty)?;
    for r in Reading::BOTH {
        if let Some(t) = common_turn(kept.interval(), &r.least(result.width()), &m) {
            kept = kept.meet(&result.number(r).shift(&(t * &m))).ok_or(Empty)?;
        }
    }
    Ok(kept)
}

/// An extension has the same number in its reading.
fn extended(result: &Word, x: &Word, reading: Reading) -> Kept<Word> {
    read(&result.number(reading), x, reading)
}

/// Bits that are cut out are those of the whole; and where the quotient by 2^lo is reduced by one multiple for all, it is the
/// result up to that.
fn extracted(result: &Word, x: &Word, lo: u32) -> Kept<Word> {
    let bits = result.known_bits();
    let shifted = KnownBits { width: x.width(), known: bits.known << lo, value: bits.value << lo }.word();
    let mut kept = x.meet(&shifted).ok_or(Empty)?;
    for r in Reading::BOTH {
        let quotient = kept.interval(r).floor_div(&power(lo));
        let (least, m) = (r.least(result.width()), power(result.width()));
        if let Some(t) = common_turn(&quotient, &least, &m) {
            let before = result.interval(r).shift(&(t * m));
            kept = kept.with_quotient(r, &power(lo), &before).ok_or(Empty)?;
        }
    }
    Ok(kept)
}

/// The multiple of `m` that reduction to the range from `least` takes from every member, where it is the same for all.
fn common_turn(i: &Interval, least: &IBig, m: &IBig) -> Option<IBig> {
    let (lo, hi) = i.ends()?;
    let first = floor_div(&(lo - least), m);
    (first == floor_div(&(hi - least), m)).then_some(first)
}

fn binary(op: Op, result: &AbsValue, a: &mut AbsValue, b: &mut AbsValue) -> Kept<()> {
    if op == Op::Eq {
        return equal(result.truth(), a, b);
    }
    match (result, &mut *a, &mut *b) {
        (AbsValue::Bool(t), AbsValue::Bool(_), AbsValue::Bool(_)) => truths(op, *t, a, b),
        (AbsValue::Bool(t), AbsValue::Int(x), AbsValue::Int(y)) => compared_numbers(op, *t, x, y),
        (AbsValue::Bool(t), AbsValue::Bv(x), AbsValue::Bv(y)) => compared_words(op, *t, x, y),
        (AbsValue::Int(r), AbsValue::Int(x), AbsValue::Int(y)) => numbers(op, r, x, y),
        (AbsValue::Bv(r), AbsValue::Bv(x), AbsValue::Bv(y)) => words(op, r, x, y),
        _ => Ok(()),
    }
}

fn truths(op: Op, result: Truth, a: &mut AbsValue, b: &mut AbsValue) -> Kept<()> {
    // For `&&`: true needs both; false with one true needs the other false. `||` is its dual.
    let strong = match op {
        Op::And => Truth::Yes,
        Op::Or => Truth::No,
        _ => return Ok(()),
    };
    if result == strong {
        *a = a.meet(&AbsValue::Bool(strong))?;
        *b = b.meet(&AbsValue::Bool(strong))?;
    } else if result == strong.negate() {
        if a.truth() == strong {
            *b = b.meet(&AbsValue::Bool(result))?;
        }
        if b.truth() == strong {
            *a = a.meet(&AbsValue::Bool(result))?;
        }
    }
    Ok(())
}

fn equal(result: Truth, a: &mut AbsValue, b: &mut AbsValue) -> Kept<()> {
    match result {
        Truth::Yes => {
            let both = a.meet(b)?;
            *a = both.clone();
            *b = both;
        }
        Truth::No => {
            *a = without(a, b)?;
            *b = without(b, a)?;
        }
        Truth::Either => {}
    }
    Ok(())
}

/// The values of `a` that are not the only value of `b`.
fn without(a: &AbsValue, b: &AbsValue) -> Kept<AbsValue> {
    match (a, b) {
        (AbsValue::Bool(_), AbsValue::Bool(t)) if *t != Truth::Either => a.meet(&AbsValue::Bool(t.negate())),
        (AbsValue::Int(x), AbsValue::Int(y)) => match y.as_constant() {
            Some(c) => x.without(c).map(AbsValue::Int).ok_or(Empty),
            None => Ok(a.clone()),
        },
        (AbsValue::Bv(x), AbsValue::Bv(y)) => match y.as_constant() {
            Some(c) => x.without(c).map(AbsValue::Bv).ok_or(Empty),
            None => Ok(a.clone()),
        },
        _ => Ok(a.clone()),
    }
}

/// The bounds that `x < y`, or `x <= y`, puts on each: `x` is below the greatest `y`, `y` above the least `x`.
fn ordered(x: &Interval, y: &Interval, strictly: bool) -> (Interval, Interval) {
    let gap = if strictly { one() } else { IBig::ZERO };
    let top = Interval::top;
    (
        y.hi().map_or_else(top, |h| Interval::at_most(h - &gap)),
        x.lo().map_or_else(top, |l| Interval::at_least(l + &gap)),
    )
}

fn compared_numbers(op: Op, result: Truth, x: &mut Number, y: &mut Number) -> Kept<()> {
    let (x, y, strictly) = match (op, result) {
        (Op::IntLt, Truth::Yes) => (x, y, true),
        (Op::IntLt, Truth::No) => (y, x, false),
        (Op::IntLe, Truth::Yes) => (x, y, false),
        (Op::IntLe, Truth::No) => (y, x, true),
        _ => return Ok(()),
    };
    let (on_x, on_y) = ordered(x.interval(), y.interval(), strictly);
    *x = x.limit(&on_x).ok_or(Empty)?;
    *y = y.limit(&on_y).ok_or(Empty)?;
    Ok(())
}

fn compared_words(op: Op, result: Truth, x: &mut Word, y: &mut Word) -> Kept<()> {
    use Reading::{Signed, Unsigned};
    let (reading, strict) = match op {
        Op::BvUlt => (Unsigned, true),
        Op::BvUle => (Unsigned, false),
        Op::BvSlt => (Signed, true),
        Op::BvSle => (Signed, false),
        _ => return Ok(()),
    };
    let (x, y, strictly) = match result {
        Truth::Yes => (x, y, strict),
        Truth::No => (y, x, !strict),
        Truth::Either => return Ok(()),
    };
    let (on_x, on_y) = ordered(x.interval(reading), y.interval(reading), strictly);
    *x = x.limit(reading, &on_x).ok_or(Empty)?;
    *y = y.limit(reading, &on_y).ok_or(Empty)?;
    Ok(())
}

fn numbers(op: Op, r: &Number, x: &mut Number, y: &mut Number) -> Kept<()> {
    let meet = |a: &Number, b: &Number| a.meet(b).ok_or(Empty);
    match op {
        Op::IntAdd => {
            *x = meet(x, &r.sub(y))?;
            *y = meet(y, &r.sub(x))?;
        }
        Op::IntSub => {
            *x = meet(x, &r.add(y))?;
            *y = meet(y, &x.sub(r))?;
        }
        Op::IntMul => {
            *x = factor(r, x, y)?;
            *y = factor(r, y, x)?;
        }
        Op::IntDiv => {
            if let Some(k) = y.as_constant().filter(|k| !k.is_zero()) {
                // By a negative divisor it is the negated quotient by its magnitude.
                let q = if *k < IBig::ZERO { r.neg() } else { r.clone() };
                *x = x.limit(&dividends(q.interval(), &abs(k))).ok_or(Empty)?;
            }
        }
        Op::IntMod => {
            if let Some(k) = y.as_constant().filter(|k| !k.is_zero()) {
                let m = abs(k);
                // The remainder differs from the dividend by a multiple of the modulus.
                *x = meet(x, &Number::new(Interval::top(), r.class().modulo(&m)).ok_or(Empty)?)?;
                if let Some(t) = common_turn(x.interval(), &IBig::ZERO, &m) {
                    *x = meet(x, &r.shift(&(t * m)))?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// The integers whose floor quotient by a positive number lies in an interval.
fn dividends(q: &Interval, by: &IBig) -> Interval {
    Interval::new(q.lo().map(|l| l * by), q.hi().map(|h| h * by + by - one()))
        .expect("not empty where quotients are not")
}

/// The members of `x` whose product with a constant `k` can be in a set.
fn factor(r: &Number, x: &Number, k: &Number) -> Kept<Number> {
    let Some(k) = k.as_constant().filter(|k| !k.is_zero()) else { return Ok(x.clone()) };
    let r = if *k < IBig::ZERO { r.neg() } else { r.clone() };
    x.limit(&r.interval().exact_div(&abs(k)).ok_or(Empty)?).ok_or(Empty)
}

fn words(op: Op, r: &Word, x: &mut Word, y: &mut Word) -> Kept<()> {
    use Reading::{Signed, Unsigned};
    let meet = |a: &Word, b: &Word| a.meet(b).ok_or(Empty);
    let positive = |w: &Word, reading: Reading| {
        w.as_constant()
            .map(|b| if reading == Signed { b.signed().into() } else { b.unsigned().into() })
            .filter(|k: &IBig| *k > IBig::ZERO)
    };
    // An amount that leaves something of the word.
    let amount = |w: &Word| {
        let k = w.as_constant()?.unsigned();
        u32::try_from(k).ok().filter(|k| *k < w.width())
    };
    match op {
        Op::BvAdd => {
            *x = meet(x, &r.sub(y))?;
            *y = meet(y, &r.sub(x))?;
        }
        Op::BvSub => {
            *x = meet(x, &r.add(y))?;
            *y = meet(y, &x.sub(r))?;
        }
        Op::BvXor => {
            // `x = r ^ y`.
            *x = meet(x, &r.xor(y))?;
            *y = meet(y, &r.xor(x))?;
        }
        Op::BvMul => {
            if let Some(k) = y.as_constant() {
                *x = x.with_product(&k.signed().into(), r).ok_or(Empty)?;
            }
            if let Some(k) = x.as_constant() {
                *y = y.with_product(&k.signed().into(), r).ok_or(Empty)?;
            }
        }
        Op::BvUdiv => {
            if let Some(k) = positive(y, Unsigned) {
                *x = x.with_quotient(Unsigned, &k, r.interval(Unsigned)).ok_or(Empty)?;
            }
        }
        Op::BvUrem => {
            if let Some(k) = positive(y, Unsigned) {
                *x = x.with_residue(Unsigned, &k, &r.number(Unsigned)).ok_or(Empty)?;
            }
        }
        Op::BvSdiv => {
            // Towards zero is down where the dividend is not negative.
            if let (Some(k), Some(false)) = (positive(y, Signed), x.sign()) {
                *x = x.with_quotient(Signed, &k, r.interval(Signed)).ok_or(Empty)?;
            }
        }
        Op::BvSrem => {
            if let Some(k) = positive(y, Signed) {
                *x = x.with_residue(Signed, &k, &r.number(Signed)).ok_or(Empty)?;
            }
        }
        Op::BvShl => {
            if let Some(k) = amount(y) {
                *x = x.with_product(&power(k), r).ok_or(Empty)?;
            }
        }
        Op::BvLshr | Op::BvAshr => {
            if let Some(k) = amount(y) {
                let reading = if op == Op::BvLshr { Unsigned } else { Signed };
                *x = x.with_quotient(reading, &power(k), r.interval(reading)).ok_or(Empty)?;
            }
        }
        Op::BvAnd => {
            *x = masked(r, x, y)?;
            *y = masked(r, y, x)?;
        }
        Op::BvOr => {
            // `~r = ~x & ~y`.
            *x = meet(x, &masked(&r.not(), &x.not(), &y.not())?.not())?;
            *y = meet(y, &masked(&r.not(), &y.not(), &x.not())?.not())?;
        }
        Op::Concat => {
            let (low, whole) = (y.width(), r.width());
            *x = meet(x, &r.extract(whole - 1, low))?;
            *y = meet(y, &r.extract(low - 1, 0))?;
        }
        _ => {}
    }
    Ok(())
}

/// The members of `x` for which `x & y` can be in a set: where `y` has a one the bit of the result is that of `x`, where the result has a
/// one so has `x`, and `x` is not below `x & y`.
fn masked(r: &Word, x: &Word, y: &Word) -> Kept<Word> {
    let (bits, other) = (r.known_bits(), y.known_bits());
    let known = bits.known & (other.value | bits.value);
    let kept = KnownBits { width: x.width(), known, value: bits.value & known }.word();
    let least = r.interval(Reading::Unsigned).lo().cloned().unwrap_or(IBig::ZERO);
    let kept = x.meet(&kept).and_then(|w| w.limit(Reading::Unsigned, &Interval::at_least(least))).ok_or(Empty)?;
    // A mask of low bits takes the remainder.
    match y.as_constant().map(Bits::unsigned) {
        Some(m) if m & m.wrapping_add(1) == 0 && m != 0 => kept.with_low_bits(m.trailing_ones(), r).ok_or(Empty),
        _ => Ok(kept),
    }
}
