//! What the operations on bit-vectors give for sets of them.
//!
//! Each function's result holds the result of the concrete operation (`lariat_ir::eval`) for all members of its
//! operands. Addition, subtraction and multiplication commute with reduction modulo 2^width, so they are done on numbers in
//! either reading; the other operations are defined on one reading, and are done on that.

use crate::integer::{floor_div, power};
use crate::interval::Interval;
use crate::number::Number;
use crate::word::{KnownBits, Reading, Word};
use dashu_int::IBig;
use lariat_ir::Bits;

use Reading::{Signed, Unsigned};

impl Word {
    /// Sums.
    pub fn add(&self, other: &Self) -> Self {
        self.arithmetic(other, Number::add)
    }
    /// Differences.
    pub fn sub(&self, other: &Self) -> Self {
        self.arithmetic(other, Number::sub)
    }
    /// Products.
    pub fn mul(&self, other: &Self) -> Self {
        self.arithmetic(other, Number::mul)
    }
    /// Negated.
    pub fn neg(&self) -> Self {
        Self::constant(Bits::new(self.width(), 0)).sub(self)
    }
    /// Complemented: `~x = -1 - x`.
    pub fn not(&self) -> Self {
        Self::constant(Bits::new(self.width(), u128::MAX)).sub(self)
    }

    /// Unsigned quotients; by zero all ones.
    pub fn udiv(&self, by: &Self) -> Self {
        let (a, b) = (self.number(Unsigned), by.number(Unsigned));
        let quotient = b.limit(&Interval::at_least(1)).map(|b| Self::of_number(self.width(), &a.div_euclid(&b)));
        let by_zero = by.may_be_zero().then(|| Self::constant(Bits::new(self.width(), u128::MAX)));
        join_all(quotient, by_zero)
    }
    /// Unsigned remainders; by zero the dividend.
    pub fn urem(&self, by: &Self) -> Self {
        Self::of_number(self.width(), &self.number(Unsigned).rem_euclid(&by.number(Unsigned)))
    }
    /// Signed quotients towards zero; by zero 1 for a negative dividend and -1 for another. The one quotient that
    /// does not fit, of the least number by -1, is reduced.
    pub fn sdiv(&self, by: &Self) -> Self {
        let (a, b) = (self.number(Signed), by.number(Signed));
        let quotient = a.div_truncated(&b).map(|q| Self::of_number(self.width(), &q));
        let by_zero = by.may_be_zero().then(|| {
            let sign = |negative: bool| Self::constant(Bits::from_signed(self.width(), if negative { 1 } else { -1 }));
            match self.sign() {
                Some(negative) => sign(negative),
                None => sign(true).join(&sign(false)),
            }
        });
        join_all(quotient, by_zero)
    }
    /// Signed remainders, with the dividend's sign; by zero the dividend.
    pub fn srem(&self, by: &Self) -> Self {
        let rest = self.number(Signed).rem_truncated(&by.number(Signed)).map(|r| Self::of_number(self.width(), &r));
        let by_zero = by.may_be_zero().then(|| self.clone());
        join_all(rest, by_zero)
    }

    /// Bitwise conjunction. A bit is known where it is clear in one operand or known in both; and `x & y` exceeds neither.
    pub fn and(&self, other: &Self) -> Self {
        let (a, b) = (self.known_bits(), other.known_bits());
        let zeros = (a.known & !a.value) | (b.known & !b.value);
        let ones = a.value & b.value;
        let bits = KnownBits { width: a.width, known: zeros | ones, value: ones }.word();
        let most = |w: &Self| Interval::at_most(w.interval(Unsigned).hi().expect("a word is bounded").clone());
        bits.limit(Unsigned, &most(self)).and_then(|w| w.limit(Unsigned, &most(other))).expect("the results are there")
    }
    /// Bitwise disjunction, by De Morgan's law.
    pub fn or(&self, other: &Self) -> Self {
        self.not().and(&other.not()).not()
    }
    /// Bitwise difference: a bit is known where it is known in both.
    pub fn xor(&self, other: &Self) -> Self {
        let (a, b) = (self.known_bits(), other.known_bits());
        let known = a.known & b.known;
        KnownBits { width: a.width, known, value: (a.value ^ b.value) & known }.word()
    }

    /// Shifted left: multiplied by a power of two; by the width or more nothing is left.
    pub fn shl(&self, by: &Self) -> Self {
        self.shifted(
            by,
            |k| self.arithmetic(self, |a, _| a.scale(&power(k))),
            || Self::constant(Bits::new(self.width(), 0)),
        )
    }
    /// Shifted right with zeros: the floor of the quotient of the unsigned reading.
    pub fn lshr(&self, by: &Self) -> Self {
        let quotient = |k: u32| Self::of_number(self.width(), &self.number(Unsigned).floor_div(&power(k)));
        self.shifted(by, quotient, || Self::constant(Bits::new(self.width(), 0)))
    }
    /// Shifted right with the sign: the floor of the quotient of the signed reading. By the width or more it is as by one less.
    pub fn ashr(&self, by: &Self) -> Self {
        let quotient = |k: u32| Self::of_number(self.width(), &self.number(Signed).floor_div(&power(k)));
        self.shifted(by, quotient, || quotient(self.width() - 1))
    }

    /// The results of all amounts: there are at most as many different ones as bits.
    fn shifted(&self, by: &Self, one: impl Fn(u32) -> Self, beyond: impl Fn() -> Self) -> Self {
        let (lo, hi) = by.interval(Unsigned).ends().expect("a word is bounded");
        let width = IBig::from(self.width());
        let mut all: Option<Self> = (*hi >= width).then(beyond);
        let small = |i: &IBig| u32::try_from(i.clone()).expect("an amount below the width is small");
        if *lo < width {
            let last = small(hi.min(&(&width - crate::integer::one())));
            for k in small(lo)..=last {
                if by.contains(Bits::new(by.width(), k.into())) {
                    let shifted = one(k);
                    all = Some(all.map_or(shifted.clone(), |a| a.join(&shifted)));
                }
            }
        }
        all.unwrap_or_else(|| Self::top(self.width()))
    }

    /// The high part above a low part.
    pub fn concat(&self, low: &Self) -> Self {
        let sum = self.number(Unsigned).scale(&power(low.width())).add(&low.number(Unsigned));
        Self::of_number(self.width() + low.width(), &sum)
    }
    /// Some bits: the floor of the quotient by 2^lo, reduced. From bit 0 on, either reading is reduced alike.
    pub fn extract(&self, hi: u32, lo: u32) -> Self {
        let width = hi - lo + 1;
        let cut = |r: Reading| Self::of_number(width, &self.number(r).floor_div(&power(lo)));
        cut(Unsigned).meet(&cut(Signed)).expect("both hold the results")
    }
    /// With zeros above.
    pub fn zero_extend(&self, by: u32) -> Self {
        Self::of_number(self.width() + by, &self.number(Unsigned))
    }
    /// With copies of the sign above.
    pub fn sign_extend(&self, by: u32) -> Self {
        Self::of_number(self.width() + by, &self.number(Signed))
    }

    /// Whether zero is in the set.
    pub fn may_be_zero(&self) -> bool {
        self.contains(Bits::new(self.width(), 0))
    }

    // ---- backwards: which operands can give a result ----

    /// The words `x` among these for which `x & mask` can be in a set, for a mask of the lowest `bits` bits: `x & mask` is the
    /// remainder modulo 2^bits, so `x` lies in the class of the remainder.
    pub fn with_low_bits(&self, bits: u32, result: &Self) -> Option<Self> {
        self.with_residue(Unsigned, &power(bits), &result.number(Unsigned))
    }
    /// The words `x` among these whose reading can have a remainder in a set, modulo a positive number; also for remainders
    /// with the sign of the dividend, since `x - q m` is congruent to `x` whichever way the quotient is rounded.
    pub fn with_residue(&self, reading: Reading, modulus: &IBig, result: &Number) -> Option<Self> {
        let class = result.class().modulo(modulus);
        let class = match (reading, self.sign()) {
            (Unsigned, _) | (Signed, Some(false)) => class,
            (Signed, Some(true)) => class.shift(&power(self.width())),
            (Signed, None) => class.modulo(&power(self.width())),
        };
        self.in_class(&class)
    }
    /// The words `x` among these whose reading, divided by a positive number with rounding down, can be in a set.
    pub fn with_quotient(&self, reading: Reading, by: &IBig, result: &Interval) -> Option<Self> {
        let lo = result.lo().map(|l| l * by);
        let hi = result.hi().map(|h| h * by + by - crate::integer::one());
        self.limit(reading, &Interval::new(lo, hi).expect("a quotient's dividends are not empty"))
    }
    /// The words `x` among these for which `k x`, reduced, can be in a set: known where the product is not reduced in
    /// the reading, or by one and the same multiple of 2^width for all.
    pub fn with_product(&self, k: &IBig, result: &Self) -> Option<Self> {
        let mut out = self.clone();
        for r in Reading::BOTH {
            let product = out.interval(r).scale(k);
            let Some((lo, hi)) = product.ends() else { continue };
            let (least, whole) = (r.least(self.width()), power(self.width()));
            let turns = floor_div(&(lo - &least), &whole);
            if k.is_zero() || turns != floor_div(&(hi - &least), &whole) {
                continue;
            }
            let before = result.interval(r).shift(&(turns * whole));
            let before = if *k < IBig::ZERO { before.neg() } else { before };
            out = out.limit(r, &before.exact_div(&crate::integer::abs(k))?)?;
        }
        Some(out)
    }
}

fn join_all(a: Option<Word>, b: Option<Word>) -> Word {
    match (a, b) {
        (Some(a), Some(b)) => a.join(&b),
        (a, b) => a.or(b).expect("a divisor is zero or not"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congruence::Congruence;
    use lariat_ir::eval::apply;
    use lariat_ir::{Op, Value};

    const WIDTH: u32 = 3;

    /// Every set of words of three bits that intervals of both readings and small classes describe.
    fn all(width: u32) -> Vec<Word> {
        let mut out: Vec<Word> = Vec::new();
        let n = 1i64 << width;
        for lo in 0..n {
            for hi in lo..n {
                for (m, r) in [(1, 0), (2, 0), (2, 1), (3, 1), (4, 2)] {
                    for signed in [(-n / 2, n / 2 - 1), (-2, 1), (-1, 3), (-n / 2, -2)] {
                        let w = Word::new(
                            width,
                            &Interval::between(lo, hi),
                            &Interval::between(signed.0, signed.1),
                            &Congruence::new(r, m),
                        );
                        out.extend(w.filter(|w| !out.contains(w)));
                    }
                }
            }
        }
        out
    }
    fn members(w: &Word) -> Vec<Bits> {
        (0..1 << w.width()).map(|b| Bits::new(w.width(), b)).filter(|&b| w.contains(b)).collect()
    }

    #[test]
    fn lattice_laws() {
        let all = all(WIDTH);
        assert!(all.len() > 60, "{}", all.len());
        for a in &all {
            assert!(!members(a).is_empty() && a.leq(&Word::top(WIDTH)) && a.leq(a));
            for b in &all {
                let (j, w) = (a.join(b), a.widen(b, &[IBig::from(-1), IBig::from(5)]));
                assert!(a.leq(&j) && b.leq(&j) && a.leq(&w) && b.leq(&w), "{a} {b} {j} {w}");
                let inside = members(a).iter().all(|x| b.contains(*x));
                assert!(!a.leq(b) || inside);
                let met: Vec<Bits> = members(a).into_iter().filter(|x| b.contains(*x)).collect();
                assert_eq!(a.meet(b).map_or(Vec::new(), |m| members(&m)), met, "{a} {b}");
            }
            for bits in (0..8).map(|b| Bits::new(WIDTH, b)) {
                let rest: Vec<Bits> = members(a).into_iter().filter(|x| *x != bits).collect();
                assert!(rest.iter().all(|x| a.without(bits).is_some_and(|w| w.contains(*x))));
            }
        }
    }

    #[test]
    fn known_bits_are_those_of_every_member() {
        for a in all(4) {
            let bits = a.known_bits();
            assert!(members(&a).iter().all(|m| m.unsigned() & bits.known == bits.value), "{a} {bits:?}");
            assert!(a.leq(&bits.word().join(&a)) && members(&a).iter().all(|m| bits.word().contains(*m)));
        }
    }

    type Forward = fn(&Word, &Word) -> Word;

    #[test]
    fn every_operation_holds_every_result() {
        let all = all(WIDTH);
        let table: [(Op, Forward); 13] = [
            (Op::BvAdd, Word::add),
            (Op::BvSub, Word::sub),
            (Op::BvMul, Word::mul),
            (Op::BvUdiv, Word::udiv),
            (Op::BvUrem, Word::urem),
            (Op::BvSdiv, Word::sdiv),
            (Op::BvSrem, Word::srem),
            (Op::BvAnd, Word::and),
            (Op::BvOr, Word::or),
            (Op::BvXor, Word::xor),
            (Op::BvShl, Word::shl),
            (Op::BvLshr, Word::lshr),
            (Op::BvAshr, Word::ashr),
        ];
        for (op, forward) in table {
            let concrete: Vec<Bits> =
                (0..64).map(|i| apply(op, &[&Value::bv(WIDTH, i >> 3), &Value::bv(WIDTH, i & 7)]).as_bits()).collect();
            let mut exact = 0;
            for a in &all {
                for b in &all {
                    let result = forward(a, b);
                    let mut size = 0;
                    for m in members(&result) {
                        size += usize::from(members(a).iter().any(|x| {
                            members(b).iter().any(|y| {
                                let at = usize::try_from(x.unsigned() * 8 + y.unsigned()).expect("small");
                                concrete[at] == m
                            })
                        }));
                    }
                    for x in members(a) {
                        for y in members(b) {
                            let z = concrete[usize::try_from(x.unsigned() * 8 + y.unsigned()).expect("small")];
                            assert!(result.contains(z), "{op:?}: {a} and {b} give {result}, without {x:?} {y:?} {z:?}");
                        }
                    }
                    exact += usize::from(size == members(&result).len());
                }
            }
            assert!(exact * 4 > all.len() * all.len(), "{op:?} is exact for {exact} pairs only");
        }
    }

    #[test]
    fn cutting_and_joining_holds_every_result() {
        let (narrow, wide) = (all(2), all(4));
        let holds = |w: &Word, op: Op, args: &[&Bits]| {
            let values: Vec<Value> = args.iter().map(|b| Value::Bv(**b)).collect();
            w.contains(apply(op, &values.iter().collect::<Vec<_>>()).as_bits())
        };
        for a in &narrow {
            for x in members(a) {
                assert!(holds(&a.zero_extend(2), Op::ZeroExtend(2), &[&x]));
                assert!(holds(&a.sign_extend(2), Op::SignExtend(2), &[&x]));
                assert!(holds(&a.not(), Op::BvNot, &[&x]) && holds(&a.neg(), Op::BvNeg, &[&x]));
                for b in &narrow {
                    assert!(members(b).iter().all(|y| holds(&a.concat(b), Op::Concat, &[&x, y])));
                }
            }
        }
        for a in &wide {
            for lo in 0..4 {
                for hi in lo..4 {
                    let cut = a.extract(hi, lo);
                    assert!(members(a).iter().all(|x| holds(&cut, Op::Extract { hi, lo }, &[x])), "{a} {hi} {lo}");
                }
            }
        }
    }

    #[test]
    fn backwards_keeps_every_operand_that_can_give_the_result() {
        let all = all(WIDTH);
        let number = |b: Bits, r: Reading| match r {
            Unsigned => IBig::from(b.unsigned()),
            Signed => IBig::from(b.signed()),
        };
        for a in &all {
            for result in &all {
                for k in -3i64..=3 {
                    let kept = a.with_product(&IBig::from(k), result);
                    for x in members(a) {
                        let product = Bits::from_int(WIDTH, &(IBig::from(x.unsigned()) * IBig::from(k)));
                        assert!(!result.contains(product) || kept.as_ref().is_some_and(|w| w.contains(x)));
                    }
                }
                for (k, reading) in (1i64..=5).flat_map(|k| Reading::BOTH.map(|r| (k, r))) {
                    let m = IBig::from(k);
                    let residue = a.with_residue(reading, &m, &result.number(reading));
                    let quotient = a.with_quotient(reading, &m, result.interval(reading));
                    for x in members(a) {
                        let n = number(x, reading);
                        let held = |w: &Option<Word>| w.as_ref().is_some_and(|w| w.contains(x));
                        for rest in [crate::integer::residue(&n, &m), &n % &m] {
                            let fits = result.number(reading).contains(&rest);
                            assert!(!fits || held(&residue), "{a} {result} {k} {reading:?} {x:?}");
                        }
                        assert!(!result.interval(reading).contains(&floor_div(&n, &m)) || held(&quotient));
                    }
                }
            }
        }
    }
}
