//! An LLVM module as plain data: what the reader found in bitcode, and all that the rest of this crate knows of LLVM.
//!
//! Nothing is interpreted here. Constant expressions are folded to an address with an offset where that is what they
//! are; address computations are a base, a constant and scaled indices in bytes; debug information is reduced to names,
//! places and types.

use crate::intrinsic::Intrinsic;
use std::fmt;

/// A whole translation unit.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The source file as the compiler was given it.
    pub source: String,
    /// The width of a pointer in bits.
    pub pointer_bits: u32,
    /// Whether the least significant byte comes last.
    pub big_endian: bool,
    /// Whether memory may be accessed by its declared type only, as C has it: not known of bitcode, and not so in Rust.
    pub typed_memory: bool,
    /// Assembly outside of functions.
    pub assembly: String,
    /// The files that places speak of.
    pub files: Vec<String>,
    /// The types that debug information speaks of.
    pub types: Vec<DebugType>,
    /// Global variables and constants.
    pub globals: Vec<Global>,
    /// Functions, defined and declared.
    pub functions: Vec<Function>,
}

/// An index into [`Module::functions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);
/// An index into [`Module::globals`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GlobalId(pub u32);
/// An index into [`Function::blocks`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(pub u32);
/// The number of a value within its function: parameters first, then instructions in order, whether they have a result
/// or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ValueId(pub u32);
/// An index into [`Module::types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// A place in a source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// An index into [`Module::files`].
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// From 1, or 0 where it is not known.
    pub column: u32,
}

/// The type of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of this many bits.
    Int(u32),
    /// A pointer (address space 0).
    Ptr,
    /// A floating-point number.
    Float(FloatKind),
    /// A struct that is a value: members with their byte offsets, and the size in bytes.
    Struct(Vec<(u64, Type)>, u64),
    /// An array that is a value: element, number of elements, size of an element in bytes.
    Array(Box<Type>, u64, u64),
    /// Something else (a vector, a token, a label), with its size in bytes.
    Other(u64),
}

/// A floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    /// 16 bits, IEEE.
    Half,
    /// 16 bits, brain float.
    BFloat,
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
    /// 80 bits, stored in 16 bytes (12 on i386).
    X87,
    /// 128 bits.
    Quad,
}

/// A constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// An integer: its width, at most 128 bits, and its bits.
    Int(u32, u128),
    /// A floating-point number: its format and its bits.
    Float(FloatKind, u128),
    /// The null pointer.
    Null,
    /// `undef`: any value, a new one at each use.
    Undef(Type),
    /// `poison`: any value, and undefined behaviour where it decides something.
    Poison(Type),
    /// The address of a global plus an offset in bytes.
    Global(GlobalId, i64),
    /// The address of a function.
    Function(FunctionId),
    /// The address of a block, for computed goto.
    Block(FunctionId, BlockId),
    /// A pointer as an integer of this width.
    PtrToInt(Box<Constant>, u32),
    /// An integer as a pointer.
    IntToPtr(Box<Constant>),
    /// All bits zero.
    Zero(Type),
    /// The bytes of an array of 8-bit integers (string literals and the like).
    Bytes(Vec<u8>),
    /// A struct or array of constants; the type says where each is.
    Aggregate(Type, Vec<Constant>),
    /// What is not understood, and the addresses of globals and functions that it is made from.
    Opaque(Type, Vec<Constant>),
}

/// What an instruction works on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A parameter or the result of an instruction.
    Value(ValueId),
    /// A constant.
    Constant(Constant),
}

/// Integer operations on two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "they are LLVM's instructions of the same name")]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

/// Integer comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "they are LLVM's predicates of the same name")]
pub enum Predicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Floating-point comparisons: `o` is false and `u` true where one operand is no number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "they are LLVM's predicates of the same name")]
pub enum FloatPredicate {
    False,
    True,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
}

impl FloatPredicate {
    /// The predicate that LLVM writes so.
    pub fn decode(name: &str) -> Option<Self> {
        Some(match name {
            "false" => Self::False,
            "true" => Self::True,
            "oeq" => Self::Oeq,
            "ogt" => Self::Ogt,
            "oge" => Self::Oge,
            "olt" => Self::Olt,
            "ole" => Self::Ole,
            "one" => Self::One,
            "ord" => Self::Ord,
            "ueq" => Self::Ueq,
            "ugt" => Self::Ugt,
            "uge" => Self::Uge,
            "ult" => Self::Ult,
            "ule" => Self::Ule,
            "une" => Self::Une,
            "uno" => Self::Uno,
            _ => return None,
        })
    }
}

/// What an atomic instruction does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// It stores its operand.
    Exchange,
    /// It adds its operand.
    Add,
    /// It takes its operand away.
    Sub,
    /// It stores something else.
    Other,
}

impl AtomicOp {
    /// The operation that LLVM writes so.
    pub fn decode(name: &str) -> Self {
        match name {
            "xchg" => Self::Exchange,
            "add" => Self::Add,
            "sub" => Self::Sub,
            _ => Self::Other,
        }
    }
}

/// When functions run that the program does not call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Listed {
    /// Before `main`.
    Constructors,
    /// When the program ends.
    Destructors,
}

impl Listed {
    /// What the compiler's list of this name is for.
    pub fn decode(name: &str) -> Option<Self> {
        match name {
            "llvm.global_ctors" => Some(Self::Constructors),
            "llvm.global_dtors" => Some(Self::Destructors),
            _ => None,
        }
    }
}

/// Floating-point operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "they are LLVM's instructions of the same name")]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
}

/// Conversions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "they are LLVM's instructions of the same name")]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

#[expect(clippy::struct_excessive_bools, reason = "they are LLVM's flags")]
/// The flags by which an instruction promises something; where the promise is broken the result is poison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags {
    /// No signed wrap.
    pub nsw: bool,
    /// No unsigned wrap.
    pub nuw: bool,
    /// Nothing is shifted or divided away.
    pub exact: bool,
    /// An `or` of values without a common bit.
    pub disjoint: bool,
    /// The operand is not negative.
    pub nneg: bool,
    /// Both operands have the same sign.
    pub samesign: bool,
    /// Address computation within one object.
    pub inbounds: bool,
    /// A shift or a conversion in front of which a check of its operand stood that was taken away: out of range is undefined
    /// behaviour, not only poison. Never set in a module that was just read.
    pub checked: bool,
}

/// What is promised of a value (`!range`, `!nonnull`, `!noundef`, and the attributes of these names). Where it is broken the value
/// is poison.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Promise {
    /// It is neither undef nor poison, else the behaviour is undefined; so it is where another promise is broken.
    pub defined: bool,
    /// It is not null.
    pub nonnull: bool,
    /// It lies within one range of each of these. A range is a width, the first value, and the one behind the last; it may
    /// wrap.
    pub ranges: Vec<Vec<(u32, u128, u128)>>,
}

impl Promise {
    /// Whether nothing is promised but, at most, that it is defined.
    pub fn is_empty(&self) -> bool {
        !self.nonnull && self.ranges.is_empty()
    }
}

/// By which type of the source memory is accessed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AccessedBy {
    /// The type, behind those that it is a kind of, each with a `/`; empty where it may be any.
    pub path: String,
    /// The struct that it is named as a member of.
    pub member: Option<MemberOf>,
}

/// A member of a struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemberOf {
    /// The struct.
    pub base: String,
    /// Where the member is in it.
    pub offset: u64,
    /// The types of members of the struct, and of members of these; an empty name if one is not known.
    pub inside: Vec<String>,
}

/// Who is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function of this module, defined or declared; LLVM's intrinsics too.
    Function(FunctionId),
    /// A pointer.
    Pointer(Operand),
    /// Inline assembly.
    Asm(String),
}

/// What an instruction does.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are LLVM's operands of the same name")]
pub enum Op {
    /// A new local object of `size * count` bytes, whose address is a multiple of `align`.
    Alloca {
        size: u64,
        count: Operand,
        align: u64,
    },
    /// `align` in bytes: an address that is no multiple of it is undefined.
    Load {
        ptr: Operand,
        size: u64,
        align: u64,
        volatile: bool,
        atomic: bool,
        promise: Promise,
        by: AccessedBy,
    },
    Store {
        value: Operand,
        ptr: Operand,
        ty: Type,
        size: u64,
        align: u64,
        volatile: bool,
        atomic: bool,
        by: AccessedBy,
    },
    /// `base + offset + sum of index * scale`, in bytes; indices are read as signed.
    Gep {
        base: Operand,
        offset: i64,
        indices: Vec<(Operand, i64)>,
        flags: Flags,
    },
    Binary {
        op: BinOp,
        left: Operand,
        right: Operand,
        flags: Flags,
    },
    /// The operands have type `ty`: an integer or a pointer.
    Compare {
        pred: Predicate,
        left: Operand,
        right: Operand,
        ty: Type,
        flags: Flags,
    },
    Float {
        op: FloatOp,
        left: Operand,
        right: Option<Operand>,
    },
    FloatCompare {
        pred: FloatPredicate,
        left: Operand,
        right: Operand,
    },
    Cast {
        op: CastOp,
        arg: Operand,
        from: Type,
        flags: Flags,
    },
    Select {
        cond: Operand,
        yes: Operand,
        no: Operand,
    },
    Phi {
        incoming: Vec<(BlockId, Operand)>,
    },
    Freeze {
        arg: Operand,
    },
    ExtractValue {
        aggregate: Operand,
        path: Vec<u32>,
    },
    InsertValue {
        aggregate: Operand,
        value: Operand,
        path: Vec<u32>,
    },
    /// Also the call of an `invoke`, which is then the last instruction of its block.
    Call {
        callee: Callee,
        args: Vec<Operand>,
        /// Of each argument.
        promises: Vec<Promise>,
        /// Of the result.
        promise: Promise,
        noreturn: bool,
        nounwind: bool,
        returns_twice: bool,
        /// Whether fast-math flags make some results poison.
        fast: bool,
        /// Whether it has operand bundles, by which `llvm.assume` says more than its condition.
        bundles: bool,
    },
    AtomicRmw {
        op: AtomicOp,
        ptr: Operand,
        value: Operand,
        size: u64,
    },
    CompareExchange {
        ptr: Operand,
        expected: Operand,
        new: Operand,
        size: u64,
    },
    VaArg {
        list: Operand,
    },
    LandingPad,
    Fence,
    /// What is not understood; `what` is LLVM's name for it.
    Opaque {
        what: String,
        /// Whether it does more than give a result.
        acts: bool,
        args: Vec<Operand>,
    },
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its number.
    pub id: ValueId,
    /// The type of its result.
    pub ty: Type,
    /// What it does.
    pub op: Op,
    /// Where it comes from.
    pub place: Option<Place>,
    /// Whether a sanitizer added it.
    pub nosanitize: bool,
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are LLVM's operands of the same name")]
pub enum Terminator {
    Jump(BlockId),
    Branch {
        cond: Operand,
        yes: BlockId,
        no: BlockId,
    },
    Switch {
        value: Operand,
        width: u32,
        cases: Vec<(u128, BlockId)>,
        default: BlockId,
    },
    IndirectJump {
        address: Operand,
        targets: Vec<BlockId>,
    },
    Return(Option<Operand>),
    /// The call is the block's last instruction.
    Invoke {
        normal: BlockId,
        unwind: BlockId,
    },
    Resume,
    Unreachable,
    /// What is not understood; it may go to any of the targets or leave the function.
    Opaque {
        what: String,
        targets: Vec<BlockId>,
    },
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its instructions without the terminator.
    pub instructions: Vec<Instruction>,
    /// How it ends.
    pub terminator: Terminator,
    /// Where the terminator comes from.
    pub place: Option<Place>,
    /// Where the loop starts whose back edge the terminator is (`!llvm.loop`).
    pub loop_place: Option<Place>,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its type.
    pub ty: Type,
    /// What an address that is given is a multiple of, as far as that is said.
    pub align: u64,
    /// For `byval`: the size of the object of which the callee gets a copy.
    pub byval: Option<u64>,
    /// For `sret`: the size of the object that receives the result.
    pub sret: Option<u64>,
    /// For `noalias` (`restrict`): what is accessed through it and written is accessed through nothing else.
    pub noalias: bool,
    /// Whether null must not be handed over (`nonnull`, `dereferenceable`).
    pub nonnull: bool,
    /// What else is promised of what is handed over.
    pub promise: Promise,
}

/// A variable of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// Its type.
    pub ty: Option<TypeId>,
    /// Which parameter it is, from 1; 0 for none.
    pub argument: u32,
    /// Where it is declared.
    pub place: Option<Place>,
}

/// A function.
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The name in the object file.
    pub name: String,
    /// What it does, if it is an intrinsic of LLVM.
    pub intrinsic: Option<Intrinsic>,
    /// The name in the source, where it differs (C++, Rust).
    pub source_name: Option<String>,
    /// Whether other translation units see it.
    pub external: bool,
    /// Whether its address is used by something that is not here: a body or an initial value that was left out.
    pub elsewhere: bool,
    /// Whether another definition may take its place when the program is linked.
    pub replaceable: bool,
    /// Whether it had a body that may be replaced, and that was taken away: what runs may be this one or another.
    pub defaulted: bool,
    /// Whether it had a body that may not return, and that was taken away: since the function says which runs count, or since it may be replaced.
    pub waits: bool,
    /// Whether its address means nothing: another function may have the same (`unnamed_addr`).
    pub unnamed: bool,
    /// Whether the program puts it into a section by its name.
    pub placed: bool,
    /// What is promised of the result.
    pub promise: Promise,
    /// The parameters.
    pub params: Vec<Parameter>,
    /// The type of the result.
    pub result: Type,
    /// Whether it takes more arguments than it has parameters.
    pub variadic: bool,
    /// Whether it is declared never to return.
    pub noreturn: bool,
    /// The blocks, the entry first; none for a declaration.
    pub blocks: Vec<Block>,
    /// Where it is defined.
    pub place: Option<Place>,
    /// The variables whose addresses these values are (`#dbg_declare`).
    pub declares: Vec<(ValueId, Variable)>,
    /// Where the declarations stand: the block, and how many of its instructions come before.
    pub declared_at: Vec<(ValueId, BlockId, u32)>,
    /// The variables whose value these values are, somewhere (`#dbg_value`); names for what passes have promoted.
    pub values: Vec<(ValueId, Variable)>,
}

impl Function {
    /// How many values there are: the numbers are 0 up to this.
    pub fn value_count(&self) -> usize {
        self.params.len() + self.blocks.iter().map(|b| b.instructions.len()).sum::<usize>()
    }
    /// The name to show.
    pub fn shown(&self) -> &str {
        self.source_name.as_deref().unwrap_or(&self.name)
    }
}

/// A global variable or constant.
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// The name in the object file.
    pub name: String,
    /// Whether it is the compiler's list of functions that run before or after `main`.
    pub listed: Option<Listed>,
    /// The variable of the source.
    pub variable: Option<Variable>,
    /// In bytes.
    pub size: u64,
    /// Its type.
    pub ty: Type,
    /// Whether it is never written.
    pub constant: bool,
    /// Whether other translation units see it.
    pub external: bool,
    /// Whether its address is used by something that is not here: a body or an initial value that was left out.
    pub elsewhere: bool,
    /// Whether its address is null if no other file defines it.
    pub weak: bool,
    /// Whether each thread has its own.
    pub thread_local: bool,
    /// Whether its address means nothing: a constant may be merged with others (`unnamed_addr`).
    pub unnamed: bool,
    /// Its address is a multiple of this.
    pub align: u64,
    /// The section that it is put into, if the program says so.
    pub section: String,
    /// The value it starts with; none if it is defined elsewhere.
    pub init: Option<Constant>,
}

impl Global {
    /// Whether it may be only a name for an address, as the linker defines some: nobody here knows which memory that is, and how much of it.
    pub fn is_symbol(&self) -> bool {
        self.init.is_none() && self.size == 0 && !self.constant
    }
}

/// A type of the source, with typedefs and qualifiers taken away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DebugType {
    /// An integer, a character, or an enumeration.
    Int {
        /// Its name.
        name: String,
        /// In bytes.
        size: u64,
        /// Whether it is signed.
        signed: bool,
    },
    /// `_Bool`, `bool`.
    Bool {
        /// In bytes.
        size: u64,
    },
    /// A floating-point number.
    Float {
        /// In bytes.
        size: u64,
    },
    /// A pointer or reference.
    Pointer {
        /// To what; none for `void`.
        to: Option<TypeId>,
    },
    /// An array.
    Array {
        /// Of what, the innermost element.
        of: Option<TypeId>,
        /// How many elements in each dimension; `None` where it is not constant.
        counts: Vec<Option<u64>>,
    },
    /// A struct, union or class.
    Record {
        /// Its name.
        name: String,
        /// In bytes.
        size: u64,
        /// The members.
        members: Vec<Member>,
    },
    /// Something else.
    Other,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// In bits from the start.
    pub offset_bits: u64,
    /// In bits.
    pub size_bits: u64,
    /// Its type.
    pub ty: Option<TypeId>,
    /// Whether it is a bit-field.
    pub bit_field: bool,
}

impl fmt::Display for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}
