//! What is known of the value of a term: a set of values of its sort.

use crate::number::Number;
use crate::word::Word;
use dashu_int::IBig;
use lariat_ir::{Sort, Value};
use std::fmt;
use std::rc::Rc;

/// What is known of a truth value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// It is true.
    Yes,
    /// It is false.
    No,
    /// Nothing.
    Either,
}

impl Truth {
    /// Known to be this.
    pub fn of(b: bool) -> Self {
        if b { Self::Yes } else { Self::No }
    }
    /// The value, where it is known.
    pub fn known(self) -> Option<bool> {
        match self {
            Self::Yes => Some(true),
            Self::No => Some(false),
            Self::Either => None,
        }
    }
    /// Negated.
    pub fn negate(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Either => Self::Either,
        }
    }
}

/// A set of values of one sort. Never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AbsValue {
    /// Truth values.
    Bool(Truth),
    /// Integers.
    Int(Number),
    /// Bit-vectors.
    Bv(Word),
    /// Every value of a sort that is not followed, such as arrays.
    Other,
}

/// A set that several states have in common: most variables change on few edges.
pub(crate) type Shared = Rc<AbsValue>;

/// Whether every value of one set is in the other.
pub(crate) fn leq(a: &Shared, b: &Shared) -> bool {
    Rc::ptr_eq(a, b) || a.leq(b)
}

/// Holds both; one of the two where it holds the other.
pub(crate) fn join(a: &Shared, b: &Shared) -> Shared {
    if leq(b, a) {
        a.clone()
    } else if a.leq(b) {
        b.clone()
    } else {
        Rc::new(a.join(b))
    }
}

/// What is in both; one of the two where it is within the other.
pub(crate) fn meet(a: &Shared, b: &Shared) -> Result<Shared, Empty> {
    if leq(a, b) {
        Ok(a.clone())
    } else if b.leq(a) {
        Ok(b.clone())
    } else {
        a.meet(b).map(Rc::new)
    }
}

/// That a set has become empty: no state is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Empty;

impl fmt::Display for AbsValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(t) => write!(f, "{t:?}"),
            Self::Int(n) => write!(f, "{n}"),
            Self::Bv(w) => write!(f, "{w}"),
            Self::Other => write!(f, "anything"),
        }
    }
}

impl AbsValue {
    /// All values of a sort.
    pub fn top(sort: Sort) -> Self {
        if let Some(w) = sort.width() {
            Self::Bv(Word::top(w))
        } else if sort == Sort::Bool {
            Self::Bool(Truth::Either)
        } else if sort == Sort::Int {
            Self::Int(Number::top())
        } else {
            Self::Other
        }
    }
    /// A set that holds one value, and no other unless it is not followed.
    pub fn constant(v: &Value) -> Self {
        if let Value::Bool(b) = v {
            Self::Bool(Truth::of(*b))
        } else if let Value::Bv(b) = v {
            Self::Bv(Word::constant(*b))
        } else if let Value::Int(i) = v {
            Self::Int(Number::constant(i.clone()))
        } else {
            Self::Other
        }
    }
    /// Whether a value is in the set.
    pub fn contains(&self, v: &Value) -> bool {
        match (self, v) {
            (Self::Bool(t), Value::Bool(b)) => t.known().is_none_or(|k| k == *b),
            (Self::Bv(w), Value::Bv(b)) => w.contains(*b),
            (Self::Int(n), Value::Int(i)) => n.contains(i),
            (Self::Other, _) => true,
            _ => false,
        }
    }
    /// What is known of a truth value; nothing of anything else.
    pub fn truth(&self) -> Truth {
        match self {
            Self::Bool(t) => *t,
            _ => Truth::Either,
        }
    }
    /// Whether it is one value.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Bool(t) => t.known().is_some(),
            Self::Int(n) => n.as_constant().is_some(),
            Self::Bv(w) => w.as_constant().is_some(),
            Self::Other => false,
        }
    }
    /// Whether every value is one of the other.
    pub fn leq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a == b || *b == Truth::Either,
            (Self::Int(a), Self::Int(b)) => a.leq(b),
            (Self::Bv(a), Self::Bv(b)) => a.leq(b),
            _ => *other == Self::Other,
        }
    }
    /// Holds both.
    pub fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => Self::Bool(if a == b { *a } else { Truth::Either }),
            (Self::Int(a), Self::Int(b)) => Self::Int(a.join(b)),
            (Self::Bv(a), Self::Bv(b)) => Self::Bv(a.join(b)),
            _ => Self::Other,
        }
    }
    /// Holds both, and changes finitely often along a chain.
    pub fn widen(&self, next: &Self, thresholds: &[IBig]) -> Self {
        match (self, next) {
            (Self::Int(a), Self::Int(b)) => Self::Int(a.widen(b, thresholds)),
            (Self::Bv(a), Self::Bv(b)) => Self::Bv(a.widen(b, thresholds)),
            _ => self.join(next),
        }
    }
    /// What is in both.
    pub fn meet(&self, other: &Self) -> Result<Self, Empty> {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => match (a, b) {
                (Truth::Either, t) | (t, Truth::Either) => Ok(Self::Bool(*t)),
                _ if a == b => Ok(self.clone()),
                _ => Err(Empty),
            },
            (Self::Int(a), Self::Int(b)) => a.meet(b).map(Self::Int).ok_or(Empty),
            (Self::Bv(a), Self::Bv(b)) => a.meet(b).map(Self::Bv).ok_or(Empty),
            (Self::Other, known) | (known, _) => Ok(known.clone()),
        }
    }
}
