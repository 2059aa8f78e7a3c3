//! P-code in the form in which it is run: few kinds of operations on bytes of one register file.

/// The size of the part of the file that holds registers, in SLEIGH's layout.
pub(crate) const REGISTERS: u32 = 0x2000;
/// Temporaries stand behind them, so many of [`TEMPORARY`] bytes.
pub(crate) const TEMPORARIES: u32 = 256;
/// SLEIGH places its temporaries this far apart, or a multiple of it.
pub(crate) const TEMPORARY: u32 = 0x80;
/// The size of the file.
pub(crate) const FILE: u32 = REGISTERS + TEMPORARIES * TEMPORARY;

/// What an operation reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Slot {
    pub place: SlotKind,
    /// In bytes.
    pub size: u32,
}

/// Where a slot is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum SlotKind {
    Constant(u64),
    /// An offset into the file.
    File(u32),
}

/// An operation on one or two numbers of at most sixteen bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Arith {
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    Eq,
    Ne,
    Ult,
    Slt,
    Ule,
    Sle,
    Sext,
    Carry,
    Scarry,
    Sborrow,
    Shl,
    Lshr,
    Ashr,
    And,
    Or,
    Xor,
    Not,
    Neg,
    BoolNot,
    BoolAnd,
    BoolOr,
    BoolXor,
    Popcount,
    Lzcount,
}

/// One operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// `to` becomes `from`, cut or filled with zeros; `skip` low bytes of `from` are left out.
    Move {
        to: Slot,
        from: Slot,
        skip: u32,
    },
    /// High part, then low part.
    Piece {
        to: Slot,
        high: Slot,
        low: Slot,
    },
    Arith {
        kind: Arith,
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Load {
        to: Slot,
        pointer: Slot,
    },
    Store {
        pointer: Slot,
        from: Slot,
    },
    /// To an operation of this instruction; one past the last is its end.
    Goto {
        when: Option<Slot>,
        to: usize,
    },
    /// To another instruction.
    Jump {
        when: Option<Slot>,
        to: u64,
    },
    JumpTo {
        target: Slot,
    },
}

/// The value of an operation; `width` is that of the operands in bytes.
pub(crate) fn arith(kind: Arith, a: u128, b: u128, size: u32, to: u32) -> Option<u128> {
    let bits = size * 8;
    let mask = mask(size);
    let sign = |v: u128| signed(v, bits);
    let shift = u32::try_from(b).ok().filter(|s| *s < bits);
    let value = match kind {
        Arith::Add => a.wrapping_add(b),
        Arith::Sub => a.wrapping_sub(b),
        Arith::Mul => a.wrapping_mul(b),
        Arith::Udiv => a.checked_div(b)?,
        Arith::Urem => a.checked_rem(b)?,
        Arith::Sdiv => sign(a).checked_div(sign(b))?.cast_unsigned(),
        Arith::Srem => sign(a).checked_rem(sign(b))?.cast_unsigned(),
        Arith::Eq => u128::from(a == b),
        Arith::Ne => u128::from(a != b),
        Arith::Ult => u128::from(a < b),
        Arith::Ule => u128::from(a <= b),
        Arith::Slt => u128::from(sign(a) < sign(b)),
        Arith::Sle => u128::from(sign(a) <= sign(b)),
        Arith::Sext => sign(a).cast_unsigned(),
        Arith::Carry => u128::from(a.wrapping_add(b) & mask < a),
        Arith::Scarry => {
            let r = a.wrapping_add(b);
            u128::from(sign((a ^ r) & (b ^ r) & mask) < 0)
        }
        Arith::Sborrow => {
            let r = a.wrapping_sub(b);
            u128::from(sign((a ^ b) & (a ^ r) & mask) < 0)
        }
        Arith::Shl => shift.map_or(0, |s| a << s),
        Arith::Lshr => shift.map_or(0, |s| a >> s),
        Arith::Ashr => (sign(a) >> shift.unwrap_or(bits - 1)).cast_unsigned(),
        Arith::And => a & b,
        Arith::Or => a | b,
        Arith::Xor => a ^ b,
        Arith::Not => !a,
        Arith::Neg => a.wrapping_neg(),
        Arith::BoolNot => u128::from(a == 0),
        Arith::BoolAnd => u128::from(a != 0 && b != 0),
        Arith::BoolOr => u128::from(a != 0 || b != 0),
        Arith::BoolXor => u128::from((a != 0) != (b != 0)),
        Arith::Popcount => u128::from(a.count_ones()),
        Arith::Lzcount => u128::from(a.leading_zeros() - (128 - bits)),
    };
    Some(value & self::mask(to))
}

/// All ones in so many bytes.
pub(crate) fn mask(size: u32) -> u128 {
    if size >= 16 { u128::MAX } else { (1u128 << (8 * size)) - 1 }
}

/// The lowest bits as a signed number.
pub(crate) fn signed(v: u128, bits: u32) -> i128 {
    (v << (128 - bits)).cast_signed() >> (128 - bits)
}
