//! Sets of bit-vectors of one width: what they are as unsigned and as signed numbers, and a congruence.
//!
//! Both readings are kept, since neither order is an interval of the other: `x <u 5` and `x <s 0` each say little in the
//! other reading. The class is that of the unsigned reading; the signed one differs by 0 or 2^width, so it lies in the
//! same class modulo 2^width, and in a moved one where the sign is known.

use crate::congruence::Congruence;
use crate::integer::{one, power, trailing_zeros};
use crate::interval::Interval;
use crate::number::Number;
use dashu_int::IBig;
use lariat_ir::Bits;
use std::fmt;

/// How bits are read as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reading {
    /// From 0 to 2^width - 1.
    Unsigned,
    /// Two's complement.
    Signed,
}

impl Reading {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Unsigned, Self::Signed];

    /// The least number of a width.
    pub fn least(self, width: u32) -> IBig {
        match self {
            Self::Unsigned => IBig::ZERO,
            Self::Signed => -power(width - 1),
        }
    }
    /// The numbers of a width.
    pub fn range(self, width: u32) -> Interval {
        let least = self.least(width);
        let most = &least + power(width) - one();
        Interval::between(least, most)
    }
}

/// A set of bit-vectors. Never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    width: u32,
    unsigned: Interval,
    signed: Interval,
    class: Congruence,
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}u {}s", self.number(Reading::Unsigned), self.signed)
    }
}

impl Word {
    /// All words of a width.
    pub fn top(width: u32) -> Self {
        let (unsigned, signed) = (Reading::Unsigned.range(width), Reading::Signed.range(width));
        Self { width, unsigned, signed, class: Congruence::top() }
    }
    /// One word.
    pub fn constant(bits: Bits) -> Self {
        let class = Congruence::constant(bits.unsigned());
        let (unsigned, signed) = (Interval::constant(bits.unsigned()), Interval::constant(bits.signed()));
        Self { width: bits.width(), unsigned, signed, class }
    }
    /// The words that lie in both intervals and in the class, if there are any.
    ///
    /// The words below 2^(width-1) are the same in both readings, the others differ by 2^width: each half is met by itself, and the
    /// readings are the hulls of what is left.
    pub fn new(width: u32, unsigned: &Interval, signed: &Interval, class: &Congruence) -> Option<Self> {
        let (half, whole) = (power(width - 1), power(width));
        let low = unsigned.meet(signed).and_then(|i| i.meet(&Interval::between(0, &half - one())));
        let high = unsigned.meet(&signed.shift(&whole)).and_then(|i| i.meet(&Interval::between(half, &whole - one())));
        let low = low.and_then(|i| Number::new(i, class.clone()));
        let high = high.and_then(|i| Number::new(i, class.clone()));
        let (unsigned, signed) = match (&low, &high) {
            (Some(l), Some(h)) => (l.join(h), l.interval().join(&h.interval().shift(&-whole))),
            (Some(l), None) => (l.clone(), l.interval().clone()),
            (None, Some(h)) => (h.clone(), h.interval().shift(&-whole)),
            (None, None) => return None,
        };
        Some(Self { width, unsigned: unsigned.interval().clone(), signed, class: unsigned.class().clone() })
    }
    /// The words that a number can be after reduction modulo 2^width.
    pub fn of_number(width: u32, n: &Number) -> Self {
        let whole = power(width);
        let read = |r: Reading| n.reduced(&r.least(width), &whole);
        let unsigned = read(Reading::Unsigned);
        let signed = read(Reading::Signed);
        Self::new(width, unsigned.interval(), signed.interval(), unsigned.class())
            .expect("a number that is reduced is some word")
    }
    /// The words whose reading is in a set, if there are any.
    pub fn with_reading(width: u32, reading: Reading, n: &Number) -> Option<Self> {
        let n = n.limit(&reading.range(width))?;
        Some(Self::of_number(width, &n))
    }
    /// How many bits.
    pub fn width(&self) -> u32 {
        self.width
    }
    /// The interval of a reading.
    pub fn interval(&self, reading: Reading) -> &Interval {
        match reading {
            Reading::Unsigned => &self.unsigned,
            Reading::Signed => &self.signed,
        }
    }
    /// The numbers of a reading.
    pub fn number(&self, reading: Reading) -> Number {
        let number = match reading {
            Reading::Unsigned => Number::new(self.unsigned.clone(), self.class.clone()),
            Reading::Signed => {
                let class = match self.sign() {
                    Some(false) => self.class.clone(),
                    Some(true) => self.class.shift(&-power(self.width)),
                    None => self.class.modulo(&power(self.width)),
                };
                Number::new(self.signed.clone(), class)
            }
        };
        number.expect("a word has both readings")
    }
    /// The class of the unsigned reading.
    pub fn class(&self) -> &Congruence {
        &self.class
    }
    /// Whether all are negative in the signed reading, or none.
    pub fn sign(&self) -> Option<bool> {
        if self.signed.is_at_least(&IBig::ZERO) {
            Some(false)
        } else if self.signed.is_at_most(&IBig::from(-1)) {
            Some(true)
        } else {
            None
        }
    }
    /// The only word.
    pub fn as_constant(&self) -> Option<Bits> {
        self.unsigned.as_constant().map(|c| Bits::from_int(self.width, c))
    }
    /// Whether a word is in the set.
    pub fn contains(&self, b: Bits) -> bool {
        let u = IBig::from(b.unsigned());
        self.unsigned.contains(&u) && self.signed.contains(&IBig::from(b.signed())) && self.class.contains(&u)
    }
    /// Whether every word of this is in the other.
    pub fn leq(&self, other: &Self) -> bool {
        self.unsigned.leq(&other.unsigned) && self.signed.leq(&other.signed) && self.class.leq(&other.class)
    }
    /// Holds both.
    pub fn join(&self, other: &Self) -> Self {
        self.each(other, Interval::join)
    }
    /// What is in both.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        let unsigned = self.unsigned.meet(&other.unsigned)?;
        let signed = self.signed.meet(&other.signed)?;
        Self::new(self.width, &unsigned, &signed, &self.class.meet(&other.class)?)
    }
    /// Holds both, with ends that move finitely often: a width has finitely many words.
    pub fn widen(&self, next: &Self, thresholds: &[IBig]) -> Self {
        self.each(next, |a, b| a.widen(b, thresholds))
    }

    fn each(&self, other: &Self, on: impl Fn(&Interval, &Interval) -> Interval) -> Self {
        let unsigned = on(&self.unsigned, &other.unsigned);
        let signed = on(&self.signed, &other.signed);
        Self::new(self.width, &unsigned, &signed, &self.class.join(&other.class)).expect("holds both operands")
    }

    /// Without one word, where that is an end of a reading.
    pub fn without(&self, b: Bits) -> Option<Self> {
        let unsigned = self.unsigned.without(&IBig::from(b.unsigned()))?;
        let signed = self.signed.without(&IBig::from(b.signed()))?;
        Self::new(self.width, &unsigned, &signed, &self.class)
    }
    /// The words whose reading lies in an interval.
    pub fn limit(&self, reading: Reading, to: &Interval) -> Option<Self> {
        let limited = self.interval(reading).meet(to)?;
        match reading {
            Reading::Unsigned => Self::new(self.width, &limited, &self.signed, &self.class),
            Reading::Signed => Self::new(self.width, &self.unsigned, &limited, &self.class),
        }
    }
    /// The words whose unsigned reading is in a class too.
    pub fn in_class(&self, class: &Congruence) -> Option<Self> {
        Self::new(self.width, &self.unsigned, &self.signed, &self.class.meet(class)?)
    }

    /// What an operation on numbers gives, when it is the same in either reading up to multiples of 2^width: the results of both are met.
    pub fn arithmetic(&self, other: &Self, op: impl Fn(&Number, &Number) -> Number) -> Self {
        let by = |r: Reading| Self::of_number(self.width, &op(&self.number(r), &other.number(r)));
        by(Reading::Unsigned).meet(&by(Reading::Signed)).expect("both hold the results")
    }

    /// What is known of single bits.
    ///
    /// Low bits: those of a class modulo a power of two. High bits: where the least and the greatest word agree from the top on, every word between
    /// does.
    pub fn known_bits(&self) -> KnownBits {
        let mask = Bits::mask(self.width);
        let (lo, hi) = self.unsigned.ends().expect("a word is bounded");
        let word = |i: &IBig| u128::try_from(i.clone()).expect("a word has at most 128 bits");
        let (lo, hi) = (word(lo), word(hi));
        let differing = 128 - (lo ^ hi).leading_zeros();
        let high = mask & !low_mask(differing);
        let modulus = self.class.modulus();
        let tail = if modulus.is_zero() { self.width } else { trailing_zeros(modulus).min(self.width) };
        let rest = Bits::from_int(self.width, self.class.rest()).unsigned();
        let low = low_mask(tail);
        KnownBits { width: self.width, known: (high | low) & mask, value: (lo & high) | (rest & low & !high) }
    }
}

/// Which bits are known, and their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownBits {
    /// How many bits.
    pub width: u32,
    /// Those that are known.
    pub known: u128,
    /// Their values; no other bit is set.
    pub value: u128,
}

impl KnownBits {
    /// The words with these bits: from those with the unknown bits clear to those with them set, and the class of the low bits up to the first
    /// unknown one.
    pub fn word(self) -> Word {
        let mask = Bits::mask(self.width);
        let tail = self.known.trailing_ones().min(self.width);
        let unsigned = Interval::between(self.value, self.value | (mask & !self.known));
        let class = Congruence::new(self.value & low_mask(tail), power(tail));
        Word::new(self.width, &unsigned, &Reading::Signed.range(self.width), &class).expect("some word has these bits")
    }
}

/// All ones in the low `bits`.
fn low_mask(bits: u32) -> u128 {
    if bits == 0 { 0 } else { Bits::mask(bits) }
}
