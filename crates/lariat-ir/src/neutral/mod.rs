//! The neutral program: operations carry width, signedness and what happens on overflow, and are lowered to each integer
//! semantics from one source.
//!
//! | target | integers | signed overflow | undefined |
//! | --- | --- | --- | --- |
//! | [`Target::Wrap`] | bit-vectors | wraps | division by zero, the smallest value by -1, shift amounts outside the width |
//! | [`Target::Ideal`] | Z; unsigned values and conversions reduced | goes on in Z | division by zero, shift amounts |
//! | [`Target::CTerminates`] | as `Ideal` | goes on in Z | as `Ideal` |
//! | [`Target::CDiverges`] | bit-vectors | wraps and poisons the value | as `Wrap`, and poison in a branch, divisor or shift amount |
//!
//! In `Ideal` and `CTerminates` a value of an unsigned type lies within its type's range, always; a value of a signed type
//! may leave it, because it was computed over Z. Inputs lie within theirs. An operation that has no meaning outside the range (a
//! bitwise operation on two such values) gives an Abstraction unknown there.
//!
//! In `CDiverges` a poisoned value is one that was computed from a signed overflow. It does no harm while it is only
//! copied and computed with; a run in which it decides something ends in UB, because the program may do anything there.
//! Each variable that can be poisoned has a shadow variable that says whether it is.

mod expr;
mod integers;
mod machine;
mod system;
#[cfg(test)]
mod tests;

pub use expr::{Bound, Lowered, Scope, lower_cond, lower_expr};
pub use system::lower;

use crate::sort::{MAX_WIDTH, Sort};
use crate::system::{Span, UnknownKind};
use dashu_int::IBig;
use std::collections::BTreeSet;

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

/// An expression.
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
        arg: Box<Expr>,
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
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// A conversion, which keeps the value where it can and else reduces it modulo the target type.
    Cast {
        /// The type of the operand.
        from: IntType,
        /// The type of the result.
        to: IntType,
        /// The operand.
        arg: Box<Expr>,
    },
    /// `c ? a : b`: only one of `a` and `b` is evaluated.
    Ite(Box<Cond>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// A constant.
    pub fn constant(value: impl Into<IBig>, ty: IntType) -> Self {
        Self::Const(value.into(), ty)
    }
    /// An operation on two values of `ty`.
    pub fn binary(op: BinaryOp, ty: IntType, overflow: Overflow, left: Self, right: Self) -> Self {
        Self::Binary { op, ty, overflow, left: Box::new(left), right: Box::new(right) }
    }
    /// An operation on one value of `ty`.
    pub fn unary(op: UnaryOp, ty: IntType, overflow: Overflow, arg: Self) -> Self {
        Self::Unary { op, ty, overflow, arg: Box::new(arg) }
    }
    /// A conversion.
    pub fn cast(from: IntType, to: IntType, arg: Self) -> Self {
        Self::Cast { from, to, arg: Box::new(arg) }
    }
    /// A choice.
    pub fn ite(cond: Cond, yes: Self, no: Self) -> Self {
        Self::Ite(Box::new(cond), Box::new(yes), Box::new(no))
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
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `a && b`
    And(Box<Cond>, Box<Cond>),
    /// `a || b`
    Or(Box<Cond>, Box<Cond>),
    /// `!a`
    Not(Box<Cond>),
}

impl Cond {
    /// A comparison of two values of `ty`.
    pub fn cmp(op: CmpOp, ty: IntType, left: Expr, right: Expr) -> Self {
        Self::Cmp { op, ty, left: Box::new(left), right: Box::new(right) }
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
}

impl Unknown {
    /// An unknown value; what was lost by abstraction counts as computed.
    pub fn new(name: impl Into<String>, ty: IntType, kind: UnknownKind) -> Self {
        Self { name: name.into(), ty, kind, computed: kind == UnknownKind::Abstraction }
    }
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
    /// Where it goes.
    pub target: Goto,
    /// Where it comes from.
    pub span: Option<Span>,
}

impl Case {
    /// A case without a source position.
    pub fn new(cond: Option<Cond>, assigns: Vec<(usize, Expr)>, target: Goto) -> Self {
        Self { cond, assigns, target, span: None }
    }
}

/// A location: a chain of cases, total and disjoint by construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// The cases, in the order in which their conditions are evaluated.
    pub cases: Vec<Case>,
    /// Where it comes from.
    pub span: Option<Span>,
}

impl Location {
    /// A location without a source position.
    pub fn new(name: impl Into<String>, cases: Vec<Case>) -> Self {
        Self { name: name.into(), cases, span: None }
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

impl Program {
    /// The type of an expression, or what is wrong with it.
    pub fn type_of(&self, expr: &Expr) -> Result<IntType, String> {
        let same = |what: &str, want: IntType, got: IntType| {
            if want == got { Ok(()) } else { Err(format!("{what} has the type {got:?} and should have {want:?}")) }
        };
        let sound = |ty: IntType| {
            if (1..=MAX_WIDTH).contains(&ty.width) { Ok(ty) } else { Err(format!("there is no type {ty:?}")) }
        };
        match expr {
            Expr::Var(v) => self.vars.get(*v).map(|(_, ty)| *ty).ok_or_else(|| format!("there is no variable {v}")),
            Expr::Unknown(u) => self.unknowns.get(*u).map(|u| u.ty).ok_or_else(|| format!("there is no unknown {u}")),
            Expr::Const(value, ty) => {
                if sound(*ty)?.contains(value) {
                    Ok(*ty)
                } else {
                    Err(format!("{value} is no value of {ty:?}"))
                }
            }
            Expr::Unary { ty, arg, .. } => {
                same("an operand", sound(*ty)?, self.type_of(arg)?)?;
                Ok(*ty)
            }
            Expr::Binary { ty, left, right, .. } => {
                same("a left operand", sound(*ty)?, self.type_of(left)?)?;
                same("a right operand", *ty, self.type_of(right)?)?;
                Ok(*ty)
            }
            Expr::Cast { from, to, arg } => {
                same("the operand of a conversion", *from, self.type_of(arg)?)?;
                sound(*to)
            }
            Expr::Ite(cond, yes, no) => {
                self.check_cond(cond)?;
                let ty = self.type_of(yes)?;
                same("the second branch of a choice", ty, self.type_of(no)?)?;
                Ok(ty)
            }
        }
    }

    fn check_cond(&self, cond: &Cond) -> Result<(), String> {
        match cond {
            Cond::Const(_) => Ok(()),
            Cond::Cmp { ty, left, right, .. } => {
                for side in [left, right] {
                    let got = self.type_of(side)?;
                    if got != *ty {
                        return Err(format!("a comparison of {ty:?} has a side of type {got:?}"));
                    }
                }
                Ok(())
            }
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.check_cond(a)?;
                self.check_cond(b)
            }
            Cond::Not(a) => self.check_cond(a),
        }
    }

    /// What is wrong with this program; [`lower`] asks for one of which this says nothing.
    pub fn defects(&self) -> Vec<String> {
        let mut found = Vec::new();
        let types = self.vars.iter().map(|(_, ty)| *ty).chain(self.unknowns.iter().map(|u| u.ty));
        for ty in types.filter(|ty| !(1..=MAX_WIDTH).contains(&ty.width)) {
            found.push(format!("there is no type {ty:?}"));
        }
        let mut names = BTreeSet::new();
        for name in self.vars.iter().map(|(n, _)| n).chain(self.unknowns.iter().map(|u| &u.name)) {
            if !names.insert(name) {
                found.push(format!("`{name}` is declared twice"));
            }
        }
        let mut names = BTreeSet::new();
        for (i, loc) in self.locs.iter().enumerate() {
            if !names.insert(&loc.name) {
                found.push(format!("the location `{}` stands twice", loc.name));
            }
            if i == self.entry && loc.cases.is_empty() {
                found.push(format!("the entry `{}` has no cases", loc.name));
            }
            for problem in self.location_defects(loc) {
                found.push(format!("at `{}`: {problem}", loc.name));
            }
        }
        if self.entry >= self.locs.len() {
            found.push(format!("there is no location {} to enter", self.entry));
        }
        let mut set = BTreeSet::new();
        for (v, value) in &self.init {
            match (self.vars.get(*v), value) {
                (None, _) => found.push(format!("an initial value for the variable {v}, which there is not")),
                (Some((name, ty)), Some(value)) if !ty.contains(value) => {
                    found.push(format!("the initial value {value} of `{name}` is no value of its type"));
                }
                _ => {}
            }
            if !set.insert(*v) {
                found.push(format!("two initial values for the variable {v}"));
            }
        }
        found
    }

    fn location_defects(&self, loc: &Location) -> Vec<String> {
        let mut found = Vec::new();
        let last = loc.cases.len().saturating_sub(1);
        if loc.cases.is_empty() {
            found.push("no cases; end the chain with an `else`".to_owned());
        }
        for (i, case) in loc.cases.iter().enumerate() {
            match &case.cond {
                Some(cond) => {
                    found.extend(self.check_cond(cond).err());
                    if i == last {
                        found.push("the last case has a condition; end the chain with an `else`".to_owned());
                    }
                }
                None if i < last => found.push("a case after the `else`".to_owned()),
                None => {}
            }
            let mut changed = BTreeSet::new();
            for (v, e) in &case.assigns {
                let Some((name, ty)) = self.vars.get(*v) else {
                    found.push(format!("an assignment to the variable {v}, which there is not"));
                    continue;
                };
                if !changed.insert(*v) {
                    found.push(format!("two assignments to `{name}` in one case"));
                }
                match self.type_of(e) {
                    Ok(got) if got == *ty => {}
                    Ok(got) => found.push(format!("`{name}` of type {ty:?} gets a value of type {got:?}")),
                    Err(e) => found.push(e),
                }
            }
            if let Goto::Loc(to) = case.target
                && to >= self.locs.len()
            {
                found.push(format!("a case goes to the location {to}, which there is not"));
            }
        }
        found
    }
}
