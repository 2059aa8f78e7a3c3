//! Concrete values.

use crate::sort::{MAX_WIDTH, Scalar, Sort};
use dashu_int::IBig;
use dashu_int::ops::BitTest;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A bit-vector value: no bit is set at or above `width`. Two words, because a term of 16 bytes' alignment would be half empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits {
    width: u32,
    high: u64,
    low: u64,
}

impl Bits {
    /// The low `width` bits of `bits`.
    pub fn new(width: u32, bits: u128) -> Self {
        assert!((1..=MAX_WIDTH).contains(&width), "a bit-vector has 1 to {MAX_WIDTH} bits, not {width}");
        let bits = bits & Self::mask(width);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
        let (high, low) = ((bits >> 64) as u64, bits as u64);
        Self { width, high, low }
    }
    /// `value` modulo 2^`width`.
    pub fn from_signed(width: u32, value: i128) -> Self {
        Self::new(width, value.cast_unsigned())
    }
    /// `value` modulo 2^`width`, for any integer.
    pub fn from_int(width: u32, value: &IBig) -> Self {
        let modulus = IBig::from(1) << width as usize;
        let rest = crate::eval::int_mod(value, &modulus);
        Self::new(width, u128::try_from(rest).expect("a remainder modulo 2^128 at most fits"))
    }
    /// All ones in the low `width` bits.
    pub fn mask(width: u32) -> u128 {
        if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
    }
    /// How many bits.
    pub fn width(self) -> u32 {
        self.width
    }
    /// The value read as unsigned.
    pub fn unsigned(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
    /// The value read as two's complement.
    pub fn signed(self) -> i128 {
        let shift = 128 - self.width;
        (self.unsigned() << shift).cast_signed() >> shift
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.unsigned(), self.width)
    }
}

/// A total map: `cells` over `default`.
///
/// Equal maps are equal values: no cell holds the default, and where the indices are finitely many the default is the
/// value that most of them have, the smallest of those in a tie. Without the latter rule `{0 -> 1, else 0}` and
/// `{1 -> 0, else 1}` would be two values for one map from one bit, and the evaluator would call unequal what a solver
/// calls equal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    index: Scalar,
    default: Value,
    cells: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// The map that holds `default` everywhere.
    pub fn constant(index: Scalar, default: Value) -> Self {
        assert!(default.sort().as_scalar().is_some(), "an array holds scalars");
        Self { index, default, cells: BTreeMap::new() }
    }
    /// The value at an index.
    pub fn get(&self, index: &Value) -> &Value {
        self.cells.get(index).unwrap_or(&self.default)
    }
    /// The map with one cell changed.
    pub fn set(&mut self, index: Value, value: Value) {
        if value == self.default {
            self.cells.remove(&index);
        } else {
            self.cells.insert(index, value);
        }
        self.settle_default();
    }
    /// Makes the default what it has to be. Only a map with cells at half of the indices can have another one.
    fn settle_default(&mut self) {
        let indices: u128 = match self.index {
            Scalar::Bool => 2,
            Scalar::BitVec(w) if w < 64 => 1 << w,
            Scalar::BitVec(_) | Scalar::Int => return,
        };
        if (self.cells.len() as u128) * 2 < indices {
            return;
        }
        let mut counts: BTreeMap<&Value, u128> = BTreeMap::from([(&self.default, indices - self.cells.len() as u128)]);
        for v in self.cells.values() {
            *counts.entry(v).or_default() += 1;
        }
        let most = counts.values().max().copied().unwrap_or_default();
        let settled = counts.into_iter().find(|(_, n)| *n == most).map_or(&self.default, |(v, _)| v).clone();
        if settled == self.default {
            return;
        }
        let all = (0..indices).map(|i| match self.index {
            Scalar::BitVec(w) => Value::bv(w, i),
            _ => Value::Bool(i == 1),
        });
        let cells = all.map(|i| (i.clone(), self.get(&i).clone())).filter(|(_, v)| *v != settled).collect();
        self.cells = cells;
        self.default = settled;
    }
    /// The cells that differ from the default.
    pub fn cells(&self) -> &BTreeMap<Value, Value> {
        &self.cells
    }
    /// What every other cell holds.
    pub fn default_value(&self) -> &Value {
        &self.default
    }
    /// The sort of the indices.
    pub fn index_sort(&self) -> Scalar {
        self.index
    }
}

/// A concrete value of any sort.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit-vector.
    Bv(Bits),
    /// An integer.
    Int(IBig),
    /// A map.
    Array(Arc<ArrayValue>),
}

impl Value {
    /// The sort of this value.
    pub fn sort(&self) -> Sort {
        match self {
            Self::Bool(_) => Sort::Bool,
            Self::Bv(b) => Sort::BitVec(b.width()),
            Self::Int(_) => Sort::Int,
            Self::Array(a) => Sort::Array(a.index, a.default.sort().as_scalar().expect("an array holds scalars")),
        }
    }
    /// A bit-vector value.
    pub fn bv(width: u32, bits: u128) -> Self {
        Self::Bv(Bits::new(width, bits))
    }
    /// An integer value.
    pub fn int(i: impl Into<IBig>) -> Self {
        Self::Int(i.into())
    }
    /// Whether it is an integer too large to be calculated with: where numbers are squared in each round there is soon no memory for them.
    pub fn is_huge(&self) -> bool {
        /// More bits are too many.
        const MOST_BITS: usize = 1 << 14;
        matches!(self, Self::Int(i) if i.bit_len() > MOST_BITS)
    }
    /// Zero, false, or the map of them.
    pub fn zero(sort: Sort) -> Self {
        match sort {
            Sort::Bool => Self::Bool(false),
            Sort::BitVec(w) => Self::bv(w, 0),
            Sort::Int => Self::Int(IBig::ZERO),
            Sort::Array(i, e) => Self::Array(Arc::new(ArrayValue::constant(i, Self::zero(e.into())))),
        }
    }
    /// The truth value; a bug if this is none.
    pub fn as_bool(&self) -> bool {
        match self {
            Self::Bool(b) => *b,
            other => panic!("{other} is no truth value"),
        }
    }
    /// The bit-vector; a bug if this is none.
    pub fn as_bits(&self) -> Bits {
        match self {
            Self::Bv(b) => *b,
            other => panic!("{other} is no bit-vector"),
        }
    }
    /// The integer; a bug if this is none.
    pub fn as_int(&self) -> &IBig {
        match self {
            Self::Int(i) => i,
            other => panic!("{other} is no integer"),
        }
    }
    /// The map; a bug if this is none.
    pub fn as_array(&self) -> &Arc<ArrayValue> {
        match self {
            Self::Array(a) => a,
            other => panic!("{other} is no array"),
        }
    }
}

impl fmt::Display for Value {
    /// As in the text form of a system: `true`, `5#8`, `-3`, `store(fill(bv4, 0#8), 1#4, 7#8)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(b) => write!(f, "{b}"),
            Self::Bv(b) => write!(f, "{b:?}"),
            Self::Int(i) => write!(f, "{i}"),
            Self::Array(a) => {
                for _ in a.cells() {
                    write!(f, "store(")?;
                }
                write!(f, "fill({}, {})", a.index, a.default)?;
                for (i, v) in a.cells() {
                    write!(f, ", {i}, {v})")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to write every map from two bits to two bits, starting from every constant one, gives one value.
    #[test]
    fn equal_maps_are_equal_values_whatever_their_history() {
        let v = |i: usize| Value::bv(2, i as u128);
        for map in 0..256usize {
            let wanted = |i: usize| v(map >> (2 * i) & 3);
            let mut forms = std::collections::HashSet::new();
            for default in 0..4 {
                for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
                    let mut a = ArrayValue::constant(Scalar::BitVec(2), v(default));
                    for i in order {
                        a.set(v(i), v((default + 1) % 4));
                        a.set(v(i), wanted(i));
                    }
                    assert!((0..4).all(|i| *a.get(&v(i)) == wanted(i)));
                    forms.insert(a);
                }
            }
            assert_eq!(forms.len(), 1, "{forms:?}");
        }
        let mut a = ArrayValue::constant(Scalar::Bool, Value::Bool(true));
        a.set(Value::Bool(false), Value::Bool(false));
        let mut b = ArrayValue::constant(Scalar::Bool, Value::Bool(false));
        b.set(Value::Bool(true), Value::Bool(true));
        assert_eq!(a, b);
    }
}
