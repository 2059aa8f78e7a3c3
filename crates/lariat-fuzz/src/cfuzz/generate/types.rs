//! C's types, as far as the generator needs them: conversions, ranges, declarations.

use super::super::program::Expr;

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Int {
    pub(super) name: &'static str,
    pub(super) bits: u32,
    pub(super) signed: bool,
    pub(super) rank: u8,
}

const fn int(name: &'static str, bits: u32, signed: bool, rank: u8) -> Int {
    Int { name, bits, signed, rank }
}

pub(super) const BOOL: Int = int("_Bool", 1, false, 0);
pub(super) const CHAR: Int = int("char", 8, true, 1);
pub(super) const SCHAR: Int = int("signed char", 8, true, 1);
pub(super) const UCHAR: Int = int("unsigned char", 8, false, 1);
pub(super) const SHORT: Int = int("short", 16, true, 2);
pub(super) const USHORT: Int = int("unsigned short", 16, false, 2);
pub(super) const INT: Int = int("int", 32, true, 3);
pub(super) const UINT: Int = int("unsigned", 32, false, 3);
pub(super) const LONG: Int = int("long", 64, true, 4);
pub(super) const ULONG: Int = int("unsigned long", 64, false, 4);
pub(super) const LLONG: Int = int("long long", 64, true, 5);
pub(super) const ULLONG: Int = int("unsigned long long", 64, false, 5);
pub(super) const I128: Int = int("__int128", 128, true, 6);
pub(super) const U128: Int = int("unsigned __int128", 128, false, 6);

/// The common ones, the most common more than once.
pub(super) const COMMON: [Int; 18] =
    [BOOL, CHAR, SCHAR, UCHAR, SHORT, USHORT, INT, INT, INT, INT, UINT, UINT, LONG, ULONG, LLONG, ULLONG, INT, UCHAR];

impl Int {
    pub(super) fn min(self) -> i128 {
        if self.signed { i128::MIN >> (128 - self.bits) } else { 0 }
    }
    /// The greatest value; for the widest unsigned type the greatest that can be written here, and nothing relies on it.
    pub(super) fn max(self) -> i128 {
        match (self.signed, self.bits) {
            (true, b) => i128::MAX >> (128 - b),
            (false, 128) => i128::MAX,
            (false, b) => (1 << b) - 1,
        }
    }
    pub(super) fn promoted(self) -> Self {
        if self.rank < INT.rank { INT } else { self }
    }
    /// The type in which two values meet.
    pub(super) fn usual(a: Self, b: Self) -> Self {
        let (a, b) = (a.promoted(), b.promoted());
        if a.signed == b.signed {
            return if a.rank >= b.rank { a } else { b };
        }
        let (s, u) = if a.signed { (a, b) } else { (b, a) };
        if u.rank >= s.rank {
            u
        } else if s.bits > u.bits {
            s
        } else {
            s.unsigned()
        }
    }
    /// The unsigned type of the same rank.
    pub(super) fn unsigned(self) -> Self {
        match self.rank {
            0 => BOOL,
            1 => UCHAR,
            2 => USHORT,
            3 => UINT,
            4 => ULONG,
            5 => ULLONG,
            _ => U128,
        }
    }
    pub(super) fn holds(self, lo: i128, hi: i128) -> bool {
        self.min() <= lo && hi <= self.max()
    }
}

/// What a variable, a field or an element is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Int(Int),
    Bits(Int, u32),
    Array(Box<Kind>, usize),
    Struct(usize),
    Union(usize),
    /// Points to the first of this many objects, or to nothing if it may be null.
    Ptr {
        to: Box<Kind>,
        len: usize,
        nullable: bool,
    },
    /// A function from two `int` to `int`.
    FnPtr,
}

impl Kind {
    /// The declaration of a name.
    pub(super) fn declare(&self, name: &str) -> String {
        match self {
            Self::Int(t) => format!("{} {name}", t.name),
            Self::Bits(t, w) => format!("{} {name} : {w}", t.name),
            Self::Array(of, n) => of.declare(&format!("{name}[{n}]")),
            Self::Struct(id) => format!("struct @s{id} {name}"),
            Self::Union(id) => format!("union @u{id} {name}"),
            Self::Ptr { to, .. } if matches!(**to, Self::Array(..)) => to.declare(&format!("(*{name})")),
            Self::Ptr { to, .. } => to.declare(&format!("*{name}")),
            Self::FnPtr => format!("int (*{name})(int, int)"),
        }
    }
    pub(super) fn ptr(to: Self, len: usize) -> Self {
        Self::Ptr { to: Box::new(to), len, nullable: false }
    }
    pub(super) fn array(of: Self, len: usize) -> Self {
        Self::Array(Box::new(of), len)
    }
}

/// An expression with its type and the range in which its value is known to lie.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) e: Expr,
    pub(super) ty: Int,
    pub(super) lo: i128,
    pub(super) hi: i128,
}

impl Typed {
    /// A value of which only the type is known.
    pub(super) fn any(e: Expr, ty: Int) -> Self {
        Self { e, ty, lo: ty.min(), hi: ty.max() }
    }
    /// A value with a range, which is cut to the type's if it does not fit.
    pub(super) fn ranged(e: Expr, ty: Int, lo: i128, hi: i128) -> Self {
        if ty.holds(lo, hi) && ty != U128 { Self { e, ty, lo, hi } } else { Self::any(e, ty) }
    }
    /// The range after a conversion.
    pub(super) fn range_as(&self, to: Int) -> (i128, i128) {
        if to == BOOL {
            (0, 1)
        } else if self.ty != U128 && to != U128 && to.holds(self.lo, self.hi) {
            (self.lo, self.hi)
        } else {
            (to.min(), to.max())
        }
    }
    /// The value after an explicit conversion.
    pub(super) fn cast(self, to: Int) -> Self {
        let (lo, hi) = self.range_as(to);
        Self { e: Expr::of(&format!("({})#", to.name), vec![self.e]), ty: to, lo, hi }
    }
}

/// A constant of a type.
pub(super) fn literal(value: i128, ty: Int) -> Typed {
    let suffix = match (ty.rank, ty.signed) {
        (0..=3, true) => "",
        (3, false) => "u",
        (4, true) => "l",
        (4, false) => "ul",
        (5 | 6, true) => "ll",
        (5 | 6, false) => "ull",
        _ => "",
    };
    let text = if value == ty.min() && ty.signed && ty.bits >= 32 && ty.bits <= 64 {
        format!("(-{}{suffix} - 1)", ty.max())
    } else if value < 0 {
        format!("(-{}{suffix})", -value)
    } else {
        format!("{value}{suffix}")
    };
    // A constant narrower than int is one of type int.
    let (text, ty) = match ty.rank {
        0..=2 => (text, INT),
        6 => (format!("(({}){text})", ty.name), ty),
        _ => (text, ty),
    };
    Typed { e: Expr::text(text), ty, lo: value, hi: value }
}
