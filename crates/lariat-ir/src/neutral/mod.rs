//! The neutral program: operations carry width, signedness and what happens on overflow, and are lowered to each integer
//! semantics from one source.
//!
//! | target | integers | signed overflow | undefined |
//! | --- | --- | --- | --- |
//! | [`Target::Wrap`] | bit-vectors | wraps | division by zero, the smallest value by -1, shift amounts outside the width |
//! | [`Target::Ideal`] | Z; unsigned values and conversions reduced | goes on in Z | division by zero, shift amounts |
//! | [`Target::CTerminates`] | as `Ideal` | goes on in Z | as `Ideal` |
//! | [`Target::CDiverges`] | bit-vectors | wraps and poisons the value | as `Wrap`, and poison in a branch, divisor, shift amount, address or stored value |
//!
//! In `Ideal` and `CTerminates` a value of an unsigned type lies within its type's range, always; a value of a signed type
//! may leave it, because it was computed over Z. Inputs lie within theirs; in `Ideal` those of signed types from 32 bits on are any integer. An operation that has no meaning outside the range (a
//! bitwise operation on two such values) gives an Abstraction unknown there.
//!
//! In `CDiverges` a poisoned value is one that was computed from a signed overflow. It does no harm while it is only
//! copied and computed with; a run in which it decides something ends in UB, because the program may do anything there.
//! Each variable that can be poisoned has a shadow variable that says whether it is.
//!
//! Floating-point numbers are patterns of bits. Their operations are the same in every semantics: over Z a pattern is the
//! integer that it is as a bit-vector.
//!
//! A memory ([`Mem`]) is a total map from addresses to cells. What a program stores is what it loads: over Z a computed signed
//! value that has left its type survives the way through memory, as it survives the way through a variable. Content that
//! the program did not compute, in the beginning or after a [`MemUpdate::Forget`], lies within the type of the cells.

mod check;
mod decide;
mod demand;
mod expr;
mod floats;
mod flow;
mod integers;
mod machine;
mod memo;
mod origin;
mod overflow;
mod system;
#[cfg(test)]
mod tests;

pub use expr::{Bound, BoundMem, Lowered, Reading, Scope, lower_cond, lower_expr};
pub use floats::{settle, settled_number};
pub use origin::{Before, Cells, Extent, Happening, Origin, Origins, Piece, Site, Visit};
pub use system::lower;

use crate::assumption::Assumption;
use crate::float::FloatOp;
use crate::ids::{IdVec, SourceId};
use crate::sort::Sort;
use crate::source::SourceLoop;
use crate::system::{Integers, Mode, Obligation, Proves, Span, UnknownKind};
use dashu_int::IBig;
use std::sync::Arc;

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct IntType {
    /// How many bits.
    pub width: u32,
    /// Whether the values are read as two's complement.
    pub signed: bool,
}

impl IntType {
    /// A signed type.
    pub const fn signed(width: u32) -> Self {
        Self { width, signed: true }
    }
    /// An unsigned type.
    pub const fn unsigned(width: u32) -> Self {
        Self { width, signed: false }
    }
    /// The least and the greatest value.
    pub fn range(self) -> (IBig, IBig) {
        let one = IBig::from(1);
        if self.signed {
            let half = one.clone() << (self.width - 1) as usize;
            (-half.clone(), half - one)
        } else {
            (IBig::ZERO, self.modulus() - one)
        }
    }
    /// How many values there are.
    pub fn modulus(self) -> IBig {
        IBig::from(1) << self.width as usize
    }
    /// Whether a value is one of this type's.
    pub fn contains(self, value: &IBig) -> bool {
        let (min, max) = self.range();
        min <= *value && *value <= max
    }
    /// Whether every value of `other` is a value of this type.
    pub fn includes(self, other: Self) -> bool {
        let (min, max) = other.range();
        self.contains(&min) && self.contains(&max)
    }
}

/// What happens when a result leaves its type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Overflow {
    /// It is reduced: unsigned arithmetic, and signed arithmetic with `-fwrapv`.
    Wraps,
    /// The program may not do it: signed arithmetic in C. For `<<` that is C's rule, by which a negative left
    /// operand is an overflow, too.
    Undefined,
}

/// Operations on one value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `~a`
    Not,
}

/// Operations on two values of one type. A shift amount has the type of what is shifted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, towards zero.
    Div,
    /// `a % b`, with the sign of `a`.
    Rem,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a << b`
    Shl,
    /// `a >> b`, which keeps the sign of a signed value.
    Shr,
}

/// Comparisons of two values of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
}

/// An expression. Its parts are shared: a clone is cheap, and what is shared is lowered once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// The variable with this index.
    Var(usize),
    /// The unknown with this index: one value at each visit of a location, however often it is mentioned.
    Unknown(usize),
    /// A constant of a type.
    Const(IBig, IntType),
    /// An operation on one value.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// The type of operand and result.
        ty: IntType,
        /// What happens on overflow.
        overflow: Overflow,
        /// The operand.
        arg: Arc<Expr>,
    },
    /// An operation on two values.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// The type of operands and result.
        ty: IntType,
        /// What happens on overflow.
        overflow: Overflow,
        /// The left operand.
        left: Arc<Expr>,
        /// The right operand.
        right: Arc<Expr>,
    },
    /// A conversion, which keeps the value where it can and else reduces it modulo the target type.
    Cast {
        /// The type of the operand.
        from: IntType,
        /// The type of the result.
        to: IntType,
        /// The operand.
        arg: Arc<Expr>,
    },
    /// `c ? a : b`: only one of `a` and `b` is evaluated.
    Ite(Arc<Cond>, Arc<Expr>, Arc<Expr>),
    /// The cell of a memory at an address, before the stores of the case it stands in.
    Load {
        /// The memory's index.
        mem: usize,
        /// The address, of the type [`Program::address`].
        address: Arc<Expr>,
    },
    /// One value made of several, the least significant first. The parts have unsigned types, the result has the unsigned
    /// type of all their bits.
    Join(Vec<Expr>),
    /// A value that is poison where a condition does not hold: `inbounds` of an address, say. Only [`Target::CDiverges`] knows poison; in
    /// the others it is the value.
    Promised {
        /// When it is no poison.
        kept: Arc<Cond>,
        /// The value.
        value: Arc<Expr>,
    },
    /// A floating-point operation that is no comparison. Numbers are patterns of bits, of an unsigned type; the integers that are
    /// converted have a type of the sign that the operation names. A result that is no number has one pattern here, so a program
    /// that can see the pattern needs an unknown one in its place. A conversion of what does not fit is undefined.
    Float {
        /// The operation.
        op: FloatOp,
        /// The operands.
        args: Vec<Arc<Expr>>,
    },
}

impl Expr {
    /// A constant.
    pub fn constant(value: impl Into<IBig>, ty: IntType) -> Self {
        Self::Const(value.into(), ty)
    }
    /// An operation on two values of `ty`.
    pub fn binary(
        op: BinaryOp,
        ty: IntType,
        overflow: Overflow,
        left: impl Into<Arc<Self>>,
        right: impl Into<Arc<Self>>,
    ) -> Self {
        Self::Binary { op, ty, overflow, left: left.into(), right: right.into() }
    }
    /// An operation on one value of `ty`.
    pub fn unary(op: UnaryOp, ty: IntType, overflow: Overflow, arg: impl Into<Arc<Self>>) -> Self {
        Self::Unary { op, ty, overflow, arg: arg.into() }
    }
    /// A conversion.
    pub fn cast(from: IntType, to: IntType, arg: impl Into<Arc<Self>>) -> Self {
        Self::Cast { from, to, arg: arg.into() }
    }
    /// A choice.
    pub fn ite(cond: impl Into<Arc<Cond>>, yes: impl Into<Arc<Self>>, no: impl Into<Arc<Self>>) -> Self {
        Self::Ite(cond.into(), yes.into(), no.into())
    }
    /// A floating-point operation.
    pub fn float(op: FloatOp, args: impl IntoIterator<Item = Arc<Self>>) -> Self {
        Self::Float { op, args: args.into_iter().collect() }
    }
    /// A value that is poison unless a condition holds.
    pub fn promised(kept: impl Into<Arc<Cond>>, value: impl Into<Arc<Self>>) -> Self {
        Self::Promised { kept: kept.into(), value: value.into() }
    }
    /// The value of a promise that something else checks.
    pub fn unpromised(&self) -> &Self {
        match self {
            Self::Promised { value, .. } => value.unpromised(),
            other => other,
        }
    }
    /// The cell of a memory.
    pub fn load(mem: usize, address: impl Into<Arc<Self>>) -> Self {
        Self::Load { mem, address: address.into() }
    }
}

/// A condition; `&&` and `||` evaluate their right side only where it decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cond {
    /// Always, or never.
    Const(bool),
    /// A comparison.
    Cmp {
        /// The comparison.
        op: CmpOp,
        /// The type of the operands.
        ty: IntType,
        /// The left operand.
        left: Arc<Expr>,
        /// The right operand.
        right: Arc<Expr>,
    },
    /// A comparison of floating-point numbers: [`FloatOp::Eq`], [`FloatOp::Lt`] or [`FloatOp::Le`].
    Float {
        /// The comparison.
        op: FloatOp,
        /// The operands.
        args: [Arc<Expr>; 2],
    },
    /// `a && b`
    And(Arc<Cond>, Arc<Cond>),
    /// `a || b`
    Or(Arc<Cond>, Arc<Cond>),
    /// `!a`
    Not(Arc<Cond>),
}

impl Cond {
    /// A comparison of two values of `ty`.
    pub fn cmp(op: CmpOp, ty: IntType, left: impl Into<Arc<Expr>>, right: impl Into<Arc<Expr>>) -> Self {
        Self::Cmp { op, ty, left: left.into(), right: right.into() }
    }
    /// `a && b`
    pub fn and(a: impl Into<Arc<Self>>, b: impl Into<Arc<Self>>) -> Self {
        Self::And(a.into(), b.into())
    }
    /// `a || b`
    pub fn or(a: impl Into<Arc<Self>>, b: impl Into<Arc<Self>>) -> Self {
        Self::Or(a.into(), b.into())
    }
    /// `!a`
    pub fn negation(a: impl Into<Arc<Self>>) -> Self {
        Self::Not(a.into())
    }
}

/// A nondeterministic value of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: IntType,
    /// Who chooses it.
    pub kind: UnknownKind,
    /// Whether it stands for a value that the program computed, which may have overflowed before it was forgotten: it then has no
    /// range over Z if it is signed, and is poisoned in [`Target::CDiverges`].
    pub computed: bool,
    /// The least and the greatest value, where they are not the type's: no semantics has others, also over Z.
    pub range: Option<(IBig, IBig)>,
    /// Where it comes from in the source.
    pub origin: Option<Origin>,
}

impl Unknown {
    /// Whether it may be any integer of Z: a computed value that was lost, and in [`Target::Ideal`] an input of a signed type
    /// that is not narrower than `int`, because signed integers have no bounds there, or what may stand for one.
    pub(crate) fn has_no_range(&self, target: Target) -> bool {
        let may_be_input = matches!(self.kind, UnknownKind::Input | UnknownKind::Abstraction);
        let input = target == Target::Ideal && may_be_input && self.ty.width >= 32;
        target.over_z() && self.ty.signed && self.range.is_none() && (self.computed || input)
    }
    /// An unknown value; what was lost by abstraction counts as computed.
    pub fn new(name: impl Into<String>, ty: IntType, kind: UnknownKind) -> Self {
        Self { name: name.into(), ty, kind, computed: kind == UnknownKind::Abstraction, range: None, origin: None }
    }
}

/// A part of memory: a total map from addresses to cells of one type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mem {
    /// Its name.
    pub name: String,
    /// The type of the cells.
    pub cell: IntType,
    /// What it holds in the beginning.
    pub init: MemInit,
}

/// What a memory holds in the beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemInit {
    /// Any value of its type in each cell. As with a variable without an initial value, it is for a proof of divergence to
    /// choose: only memory that is an input may start like this. What else is not known starts with some content and is
    /// forgotten at the entry, by a [`MemUpdate::Forget`] with an unknown of the right kind.
    Any,
    /// The same value everywhere, but in these cells.
    Cells {
        /// What most cells hold.
        default: IBig,
        /// Addresses, each once, and what the cells there hold.
        cells: Vec<(IBig, IBig)>,
    },
}

/// The content of a whole memory that nobody knows: one content at each visit of a location, however often it is mentioned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemUnknown {
    /// Its name.
    pub name: String,
    /// The type of the cells.
    pub cell: IntType,
    /// Who chooses it. What was lost by abstraction may have been computed: over Z its signed cells have no range.
    pub kind: UnknownKind,
}

impl MemUnknown {
    /// Whether its cells may have left the range of their type over Z, because the program computed them.
    fn is_computed(&self) -> bool {
        self.kind == UnknownKind::Abstraction && self.cell.signed
    }
}

/// A change of a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemUpdate {
    /// Changes one cell.
    Store {
        /// The memory's index.
        mem: usize,
        /// The address, of the type [`Program::address`].
        address: Expr,
        /// The new value, of the type of the cells.
        value: Expr,
    },
    /// Changes every cell, nobody knows how.
    ///
    /// In [`Target::CDiverges`] forgotten cells are not poisoned, because storing a poisoned value is undefined. So a store that is
    /// forgotten because its place is not known is still to be written as one: store the value anywhere in that memory, then
    /// forget the memory. That the value is defined and not poisoned is then asked for.
    Forget {
        /// The memory's index.
        mem: usize,
        /// The index of the unknown content, of cells of the same type.
        unknown: usize,
    },
}

/// Where a case goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Goto {
    /// To the location with this index.
    Loc(usize),
    /// The entry returns.
    Exit,
    /// An assume is violated.
    Stop,
    /// Abort, exit, panic.
    Trap,
    /// Undefined behaviour.
    Ub,
}

/// One arm of an `if` / `else if` / `else` chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// When it is taken, if no earlier arm is; nothing for the last one, the `else`.
    pub cond: Option<Cond>,
    /// The variables it changes, all at once, and their new values.
    pub assigns: Vec<(usize, Expr)>,
    /// The changes of memories, one after the other; their operands are evaluated before all of them, in the state in which
    /// the case is taken.
    pub stores: Vec<MemUpdate>,
    /// Expressions that are evaluated although nothing uses their values: where one is undefined, the case is.
    pub evaluates: Vec<Expr>,
    /// Where it goes.
    pub target: Goto,
    /// Where it comes from.
    pub span: Option<Span>,
    /// The indices of the assumptions that the model of this step rests on.
    pub assumes: Vec<usize>,
    /// The places of the source that it passes, in order.
    pub trail: Vec<Visit>,
}

impl Case {
    /// A case without stores, source position or assumptions.
    pub fn new(cond: Option<Cond>, assigns: Vec<(usize, Expr)>, target: Goto) -> Self {
        Self {
            cond,
            assigns,
            stores: Vec::new(),
            evaluates: Vec::new(),
            target,
            span: None,
            assumes: Vec::new(),
            trail: Vec::new(),
        }
    }
}

/// A location: a chain of cases, total and disjoint by construction. Where the conditions are the paths to the leaves of a tree of
/// decisions, in order and the last path being the `else`, each guard is its path and nothing else; parts of conditions that are
/// shared are then best shared as what they are, one [`Arc`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// The cases, in the order in which their conditions are evaluated.
    pub cases: Vec<Case>,
    /// Where it comes from.
    pub span: Option<Span>,
    /// The function it belongs to.
    pub function: Option<String>,
    /// The innermost loop of the source that it lies in.
    pub within: Option<SourceId>,
    /// Whether it stands for no place of the source: a loop that starts here is none of the program.
    pub artificial: bool,
    /// Whether a run that gets here may go on anywhere in the program, in any state; it can also come back for ever.
    pub escapes: bool,
}

impl Location {
    /// A location without a source position.
    pub fn new(name: impl Into<String>, cases: Vec<Case>) -> Self {
        Self { name: name.into(), cases, span: None, function: None, within: None, artificial: false, escapes: false }
    }
}

/// A program in no integer semantics yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// A name for messages.
    pub name: String,
    /// The variables.
    pub vars: Vec<(String, IntType)>,
    /// The nondeterministic values.
    pub unknowns: Vec<Unknown>,
    /// The locations.
    pub locs: Vec<Location>,
    /// The index of the location where runs start.
    pub entry: usize,
    /// The initial values of variables; one without a value, or not mentioned, has any value of its type.
    pub init: Vec<(usize, Option<IBig>)>,
    /// The memories.
    pub mems: Vec<Mem>,
    /// Unknown contents of memories.
    pub mem_unknowns: Vec<MemUnknown>,
    /// The type of addresses.
    pub address: IntType,
    /// What the program's model rests on.
    pub assumptions: Vec<Assumption>,
    /// What a verdict does not cover.
    pub obligations: Vec<Obligation>,
    /// The loops of the source that it holds.
    pub sources: IdVec<SourceId, SourceLoop>,
    /// Whose the entry is.
    pub mode: Mode,
    /// How its recursive calls are written.
    pub recursion: Recursion,
    /// What it says of its source.
    pub origins: Origins,
}

/// How the recursive calls of a program are written. No single program serves both verdicts well, see
/// [`Recursion::Resumed`]; so a program with recursion comes in two forms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Recursion {
    /// There are none.
    #[default]
    Absent,
    /// A call is a jump to the entry of the function, and a return goes on after any of the calls, with locals that nobody
    /// knows. What runs for ever here and needs nothing of these locals does so in truth, so this form is for proofs of
    /// divergence. It has runs that only return, from call after call for ever, so that a proof of termination hardly exists.
    Resumed {
        /// The same program in the other form.
        ending: Box<Program>,
    },
    /// A call is descended into for good, or skipped: where it returns, everything that it may change is unknown then. Every
    /// infinite run of the truth is one here, and there are others: this form is for proofs of termination only.
    Skipped,
}

impl Default for Program {
    /// A program without locations, with addresses of 64 bits.
    fn default() -> Self {
        Self {
            name: "program".to_owned(),
            vars: Vec::new(),
            unknowns: Vec::new(),
            locs: Vec::new(),
            entry: 0,
            init: Vec::new(),
            mems: Vec::new(),
            mem_unknowns: Vec::new(),
            address: IntType::signed(64),
            assumptions: Vec::new(),
            obligations: Vec::new(),
            sources: IdVec::new(),
            mode: Mode::Program,
            recursion: Recursion::Absent,
            origins: Origins::default(),
        }
    }
}

impl Program {
    /// A program without locations, with addresses of 64 bits.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The systems that an integer semantics takes: what to lower, and how. If there are two, the first carries proofs of
    /// termination and the second proofs of divergence.
    pub fn systems(&self, integers: Integers) -> Vec<(&Self, Target)> {
        let targets: &[Target] = match integers {
            Integers::Wrap => &[Target::Wrap],
            Integers::Ideal => &[Target::Ideal],
            Integers::C => &[Target::CTerminates, Target::CDiverges],
        };
        match (&self.recursion, targets) {
            (Recursion::Resumed { ending }, [first, .., last] | [first @ last]) => {
                vec![(&**ending, *first), (self, *last)]
            }
            (_, targets) => targets.iter().map(|t| (self, *t)).collect(),
        }
    }

    /// The verdicts that its system for a target carries; nothing if there is none.
    pub fn proves(&self, target: Target) -> Option<Proves> {
        match (&self.recursion, target) {
            (Recursion::Skipped, Target::CDiverges) => None,
            (Recursion::Skipped, _) | (_, Target::CTerminates) => Some(Proves::Terminates),
            (Recursion::Resumed { .. }, _) | (_, Target::CDiverges) => Some(Proves::Diverges),
            (Recursion::Absent, Target::Wrap | Target::Ideal) => Some(Proves::Both),
        }
    }
}

/// The integer semantics that a program is lowered to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// Two's complement everywhere.
    Wrap,
    /// Signed arithmetic over Z.
    Ideal,
    /// C, for proofs of termination: signed arithmetic over Z, inputs within their types.
    CTerminates,
    /// C, for proofs of divergence: machine integers, and no overflow that decides anything.
    CDiverges,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Wrap, Self::Ideal, Self::CTerminates, Self::CDiverges];

    /// Whether values are integers of Z, not bit-vectors.
    pub fn over_z(self) -> bool {
        matches!(self, Self::Ideal | Self::CTerminates)
    }
    /// The sort of a type's values.
    pub fn sort(self, ty: IntType) -> Sort {
        if self.over_z() { Sort::Int } else { Sort::BitVec(ty.width) }
    }
}
