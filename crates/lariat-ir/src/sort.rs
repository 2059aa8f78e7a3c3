//! The sorts of terms.

use std::fmt;

/// The widest bit-vector: 128 bits hold every integer type of C and Rust, and a value stays a plain machine word pair.
pub const MAX_WIDTH: u32 = 128;

/// The sort of a value that is no array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// Truth values.
    Bool,
    /// Bit-vectors of 1 to [`MAX_WIDTH`] bits.
    BitVec(u32),
    /// The mathematical integers.
    Int,
}

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit-vectors of 1 to [`MAX_WIDTH`] bits.
    BitVec(u32),
    /// The mathematical integers.
    Int,
    /// Total maps from an index to an element; memory is such a map per partition.
    Array(Scalar, Scalar),
}

impl Sort {
    /// The scalar that this sort is, or nothing for an array.
    pub fn as_scalar(self) -> Option<Scalar> {
        match self {
            Self::Bool => Some(Scalar::Bool),
            Self::BitVec(w) => Some(Scalar::BitVec(w)),
            Self::Int => Some(Scalar::Int),
            Self::Array(..) => None,
        }
    }
    /// The width of a bit-vector.
    pub fn width(self) -> Option<u32> {
        match self {
            Self::BitVec(w) => Some(w),
            _ => None,
        }
    }
}

impl From<Scalar> for Sort {
    fn from(s: Scalar) -> Self {
        match s {
            Scalar::Bool => Self::Bool,
            Scalar::BitVec(w) => Self::BitVec(w),
            Scalar::Int => Self::Int,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => write!(f, "bool"),
            Self::BitVec(w) => write!(f, "bv{w}"),
            Self::Int => write!(f, "int"),
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array(i, e) => write!(f, "array({i}, {e})"),
            other => write!(f, "{}", other.as_scalar().expect("only arrays are no scalars")),
        }
    }
}
