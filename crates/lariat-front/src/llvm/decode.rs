//! From the bytes that `shim/module.cpp` writes to [`Module`]: the two files have the same order.

use crate::intrinsic::Intrinsic;
use crate::module::{
    AccessedBy, AtomicOp, BinOp, Block, BlockId, Callee, CastOp, Constant, DebugType, Flags, FloatKind, FloatOp,
    FloatPredicate, Function, FunctionId, Global, GlobalId, Instruction, Listed, Member, MemberOf, Module, Op, Operand,
    Parameter, Place, Predicate, Promise, Terminator, Type, TypeId, ValueId, Variable,
};

/// The bytes are not what the reader writes, noticed at this position.
#[derive(Debug)]
pub struct Torn(pub usize);

type Read<T> = Result<T, Torn>;

/// What went wrong with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TroubleKind {
    /// It cannot be parsed.
    Malformed,
    /// A newer LLVM wrote it; the words are the version.
    Newer,
    /// The verifier refuses it.
    Broken,
    /// LLVM came to a state that it does not handle.
    Fatal,
    /// LLVM crashed.
    Crashed,
    /// The time was up.
    Late,
    /// The memory was up.
    NoMemory,
}

/// Why there is no module.
#[derive(Debug)]
pub struct Trouble {
    /// What went wrong.
    pub kind: TroubleKind,
    /// From 1; 0 if it is not known.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// LLVM's words.
    pub words: String,
}

/// Decodes what the reader answers: a module, or why there is none.
pub fn answer(bytes: &[u8]) -> Read<Result<Module, Trouble>> {
    use TroubleKind::{Broken, Crashed, Fatal, Late, Malformed, Newer, NoMemory};
    let mut r = Reader { bytes, at: 0, types: Vec::new(), next: 0 };
    let kinds = [Malformed, Newer, Broken, Fatal, Crashed, Late, NoMemory].map(Some);
    let kind = r.one_of(&[&[None], &kinds[..]].concat())?;
    let answer = match kind {
        None => Ok(r.module()?),
        Some(kind) => Err(Trouble { kind, line: r.small()?, column: r.small()?, words: r.text()? }),
    };
    if r.at == bytes.len() { Ok(answer) } else { r.torn() }
}

/// Every step checks that there is something left to read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    types: Vec<Type>,
    /// The number of the next value of the function at hand.
    next: u32,
}

impl<'a> Reader<'a> {
    fn torn<T>(&self) -> Read<T> {
        Err(Torn(self.at))
    }

    fn byte(&mut self) -> Read<u8> {
        let Some(&byte) = self.bytes.get(self.at) else { return self.torn() };
        self.at += 1;
        Ok(byte)
    }

    fn flag(&mut self) -> Read<bool> {
        self.one_of(&[false, true])
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> Read<T> {
        let index = usize::from(self.byte()?);
        choices.get(index).copied().ok_or(Torn(self.at))
    }

    fn number(&mut self) -> Read<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        self.torn()
    }

    fn small(&mut self) -> Read<u32> {
        u32::try_from(self.number()?).map_err(|_| Torn(self.at))
    }

    fn offset(&mut self) -> Read<i64> {
        let number = self.number()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// A number of things of at least one byte each.
    fn count(&mut self) -> Read<usize> {
        let count = usize::try_from(self.number()?).map_err(|_| Torn(self.at))?;
        if count > self.bytes.len() - self.at { self.torn() } else { Ok(count) }
    }

    fn raw(&mut self) -> Read<&'a [u8]> {
        let count = self.count()?;
        let raw = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(raw)
    }

    /// Names in object files can be any bytes.
    fn text(&mut self) -> Read<String> {
        Ok(String::from_utf8_lossy(self.raw()?).into_owned())
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = self.count()?;
        (0..count).map(|_| one(self)).collect()
    }

    fn option<T>(&mut self, one: impl FnOnce(&mut Self) -> Read<T>) -> Read<Option<T>> {
        if self.flag()? { one(self).map(Some) } else { Ok(None) }
    }

    fn module(&mut self) -> Read<Module> {
        let source = self.text()?;
        let pointer_bits = self.small()?;
        let big_endian = self.flag()?;
        let assembly = self.text()?;
        let files = self.list(Self::text)?;
        for _ in 0..self.count()? {
            let ty = self.new_type()?;
            self.types.push(ty);
        }
        let types = self.list(Self::debug_type)?;
        let globals = self.list(Self::global)?;
        let functions = self.list(Self::function)?;
        Ok(Module { source, pointer_bits, big_endian, typed_memory: false, assembly, files, types, globals, functions })
    }

    // ---- types

    fn float_kind(&mut self) -> Read<FloatKind> {
        use FloatKind::{BFloat, Double, Half, Quad, Single, X87};
        self.one_of(&[Half, BFloat, Single, Double, X87, Quad])
    }

    fn new_type(&mut self) -> Read<Type> {
        Ok(match self.byte()? {
            0 => Type::Void,
            1 => Type::Int(self.small()?),
            2 => Type::Ptr,
            3 => Type::Float(self.float_kind()?),
            4 => {
                let size = self.number()?;
                Type::Struct(self.list(|r| Ok((r.number()?, r.ty()?)))?, size)
            }
            5 => Type::Array(Box::new(self.ty()?), self.number()?, self.number()?),
            6 => Type::Other(self.number()?),
            _ => return self.torn(),
        })
    }

    fn ty(&mut self) -> Read<Type> {
        let index = usize::try_from(self.number()?).map_err(|_| Torn(self.at))?;
        self.types.get(index).cloned().ok_or(Torn(self.at))
    }

    // ---- constants and operands

    fn bits(&mut self, width: u32) -> Read<u128> {
        let low = u128::from(self.number()?);
        let high = if width > 64 { u128::from(self.number()?) } else { 0 };
        Ok(high << 64 | low)
    }

    fn value(&mut self) -> Read<ValueId> {
        self.small().map(ValueId)
    }

    fn block_id(&mut self) -> Read<BlockId> {
        self.small().map(BlockId)
    }

    fn function_id(&mut self) -> Read<FunctionId> {
        self.small().map(FunctionId)
    }

    fn operand(&mut self) -> Read<Operand> {
        Ok(match self.byte()? {
            0 => Operand::Value(self.value()?),
            tag => Operand::Constant(self.constant_of(tag)?),
        })
    }

    fn constant(&mut self) -> Read<Constant> {
        let tag = self.byte()?;
        self.constant_of(tag)
    }

    fn constant_of(&mut self, tag: u8) -> Read<Constant> {
        Ok(match tag {
            1 => {
                let width = self.small()?;
                Constant::Int(width, self.bits(width)?)
            }
            2 => {
                let kind = self.float_kind()?;
                let width = self.small()?;
                Constant::Float(kind, self.bits(width)?)
            }
            3 => Constant::Null,
            4 => Constant::Undef(self.ty()?),
            5 => Constant::Global(GlobalId(self.small()?), self.offset()?),
            6 => Constant::Function(self.function_id()?),
            7 => Constant::Block(self.function_id()?, self.block_id()?),
            8 => {
                let width = self.small()?;
                Constant::PtrToInt(Box::new(self.constant()?), width)
            }
            9 => Constant::IntToPtr(Box::new(self.constant()?)),
            10 => Constant::Zero(self.ty()?),
            11 => Constant::Bytes(self.raw()?.to_vec()),
            12 => Constant::Aggregate(self.ty()?, self.list(Self::constant)?),
            13 => Constant::Opaque(self.ty()?, self.list(Self::constant)?),
            14 => Constant::Poison(self.ty()?),
            _ => return self.torn(),
        })
    }

    // ---- places

    fn place(&mut self) -> Read<Option<Place>> {
        Ok(match self.small()?.checked_sub(1) {
            None => None,
            Some(file) => Some(Place { file, line: self.small()?, column: self.small()? }),
        })
    }

    // ---- types of the source

    fn type_id(&mut self) -> Read<Option<TypeId>> {
        Ok(self.small()?.checked_sub(1).map(TypeId))
    }

    fn debug_type(&mut self) -> Read<DebugType> {
        Ok(match self.byte()? {
            0 => DebugType::Int { name: self.text()?, size: self.number()?, signed: self.flag()? },
            1 => DebugType::Bool { size: self.number()? },
            2 => DebugType::Float { size: self.number()? },
            3 => DebugType::Pointer { to: self.type_id()? },
            4 => DebugType::Array { of: self.type_id()?, counts: self.list(|r| Ok(r.number()?.checked_sub(1)))? },
            5 => DebugType::Record { name: self.text()?, size: self.number()?, members: self.list(Self::member)? },
            6 => DebugType::Other,
            _ => return self.torn(),
        })
    }

    fn member(&mut self) -> Read<Member> {
        Ok(Member {
            name: self.text()?,
            offset_bits: self.number()?,
            size_bits: self.number()?,
            ty: self.type_id()?,
            bit_field: self.flag()?,
        })
    }

    fn variable(&mut self) -> Read<Variable> {
        Ok(Variable { name: self.text()?, ty: self.type_id()?, argument: self.small()?, place: self.place()? })
    }

    // ---- globals

    fn global(&mut self) -> Read<Global> {
        let name = self.text()?;
        Ok(Global {
            listed: Listed::decode(&name),
            name,
            variable: self.option(Self::variable)?,
            size: self.number()?,
            ty: self.ty()?,
            constant: self.flag()?,
            external: self.flag()?,
            elsewhere: self.flag()?,
            weak: self.flag()?,
            thread_local: self.flag()?,
            unnamed: self.flag()?,
            align: self.number()?,
            section: self.text()?,
            init: self.option(Self::constant)?,
        })
    }

    // ---- functions

    fn function(&mut self) -> Read<Function> {
        let name = self.text()?;
        let source_name = self.option(Self::text)?;
        let external = self.flag()?;
        let elsewhere = self.flag()?;
        let replaceable = self.flag()?;
        let unnamed = self.flag()?;
        let placed = self.flag()?;
        let promise = self.promise()?;
        let params = self.list(Self::parameter)?;
        let result = self.ty()?;
        let variadic = self.flag()?;
        let noreturn = self.flag()?;
        let place = self.place()?;
        self.next = u32::try_from(params.len()).map_err(|_| Torn(self.at))?;
        let blocks = self.list(Self::block)?;
        let all = self.list(|r| {
            let (value, variable) = (r.value()?, r.variable()?);
            let mut small = || r.number().and_then(|n| u32::try_from(n).map_err(|_| Torn(r.at)));
            Ok((value, variable, BlockId(small()?), small()?))
        })?;
        let declared_at = all.iter().map(|(value, _, block, index)| (*value, *block, *index)).collect();
        let declares = all.into_iter().map(|(value, variable, ..)| (value, variable)).collect();
        let values = self.list(|r| Ok((r.value()?, r.variable()?)))?;
        Ok(Function {
            intrinsic: Intrinsic::decode(&name),
            name,
            source_name,
            external,
            elsewhere,
            replaceable,
            defaulted: false,
            waits: false,
            unnamed,
            placed,
            promise,
            params,
            result,
            variadic,
            noreturn,
            blocks,
            place,
            declares,
            declared_at,
            values,
        })
    }

    fn parameter(&mut self) -> Read<Parameter> {
        Ok(Parameter {
            ty: self.ty()?,
            align: self.number()?,
            byval: self.option(Self::number)?,
            sret: self.option(Self::number)?,
            noalias: self.flag()?,
            nonnull: self.flag()?,
            promise: self.promise()?,
        })
    }

    fn block(&mut self) -> Read<Block> {
        let instructions = self.list(Self::instruction)?;
        Ok(Block { instructions, terminator: self.terminator()?, place: self.place()?, loop_place: self.place()? })
    }

    fn instruction(&mut self) -> Read<Instruction> {
        let id = ValueId(self.next);
        self.next += 1;
        let ty = self.ty()?;
        let place = self.place()?;
        let nosanitize = self.flag()?;
        Ok(Instruction { id, ty, op: self.op()?, place, nosanitize })
    }

    fn flags(&mut self) -> Read<Flags> {
        let byte = self.byte()?;
        let bit = |n: u8| byte >> n & 1 == 1;
        Ok(Flags {
            nsw: bit(0),
            nuw: bit(1),
            exact: bit(2),
            disjoint: bit(3),
            nneg: bit(4),
            samesign: bit(5),
            inbounds: bit(6),
            checked: false,
        })
    }

    fn accessed_by(&mut self) -> Read<AccessedBy> {
        let path = self.text()?;
        let base = self.text()?;
        let (offset, inside) = (self.number()?, self.list(Self::text)?);
        let member = (!base.is_empty()).then_some(MemberOf { base, offset, inside });
        Ok(AccessedBy { path, member })
    }

    fn op(&mut self) -> Read<Op> {
        Ok(match self.byte()? {
            0 => Op::Alloca { size: self.number()?, count: self.operand()?, align: self.number()? },
            1 => Op::Load {
                ptr: self.operand()?,
                size: self.number()?,
                align: self.number()?,
                volatile: self.flag()?,
                atomic: self.flag()?,
                promise: self.promise()?,
                by: self.accessed_by()?,
            },
            2 => Op::Store {
                value: self.operand()?,
                ptr: self.operand()?,
                ty: self.ty()?,
                size: self.number()?,
                align: self.number()?,
                volatile: self.flag()?,
                atomic: self.flag()?,
                by: self.accessed_by()?,
            },
            3 => Op::Gep {
                base: self.operand()?,
                offset: self.offset()?,
                indices: self.list(|r| Ok((r.operand()?, r.offset()?)))?,
                flags: self.flags()?,
            },
            4 => Op::Binary { op: self.bin_op()?, left: self.operand()?, right: self.operand()?, flags: self.flags()? },
            5 => Op::Compare {
                pred: self.predicate()?,
                left: self.operand()?,
                right: self.operand()?,
                ty: self.ty()?,
                flags: self.flags()?,
            },
            6 => Op::Float { op: self.float_op()?, left: self.operand()?, right: self.option(Self::operand)? },
            7 => Op::FloatCompare { pred: self.float_predicate()?, left: self.operand()?, right: self.operand()? },
            8 => Op::Cast { op: self.cast_op()?, arg: self.operand()?, from: self.ty()?, flags: self.flags()? },
            9 => Op::Select { cond: self.operand()?, yes: self.operand()?, no: self.operand()? },
            10 => Op::Phi { incoming: self.list(|r| Ok((r.block_id()?, r.operand()?)))? },
            11 => Op::Freeze { arg: self.operand()? },
            12 => Op::ExtractValue { aggregate: self.operand()?, path: self.list(Self::small)? },
            13 => Op::InsertValue { aggregate: self.operand()?, value: self.operand()?, path: self.list(Self::small)? },
            14 => {
                let callee = self.callee()?;
                let args = self.list(Self::operand)?;
                let promises = args.iter().map(|_| self.promise()).collect::<Read<Vec<_>>>()?;
                Op::Call {
                    callee,
                    args,
                    promises,
                    promise: self.promise()?,
                    noreturn: self.flag()?,
                    nounwind: self.flag()?,
                    returns_twice: self.flag()?,
                    fast: self.flag()?,
                    bundles: self.flag()?,
                }
            }
            15 => Op::AtomicRmw {
                op: AtomicOp::decode(&self.text()?),
                ptr: self.operand()?,
                value: self.operand()?,
                size: self.number()?,
            },
            16 => Op::CompareExchange {
                ptr: self.operand()?,
                expected: self.operand()?,
                new: self.operand()?,
                size: self.number()?,
            },
            17 => Op::VaArg { list: self.operand()? },
            18 => Op::LandingPad,
            19 => Op::Fence,
            20 => Op::Opaque { what: self.text()?, acts: self.flag()?, args: self.list(Self::operand)? },
            _ => return self.torn(),
        })
    }

    fn promise(&mut self) -> Read<Promise> {
        let (defined, nonnull) = (self.flag()?, self.flag()?);
        let range = |r: &mut Self| {
            let width = r.small()?;
            Ok((width, r.bits(width)?, r.bits(width)?))
        };
        let ranges = self.list(|r| r.list(range))?;
        Ok(Promise { defined, nonnull, ranges })
    }

    fn bin_op(&mut self) -> Read<BinOp> {
        use BinOp::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
        self.one_of(&[Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr])
    }

    fn predicate(&mut self) -> Read<Predicate> {
        use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        self.one_of(&[Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle])
    }

    fn float_predicate(&mut self) -> Read<FloatPredicate> {
        match FloatPredicate::decode(&self.text()?) {
            Some(pred) => Ok(pred),
            None => self.torn(),
        }
    }

    fn float_op(&mut self) -> Read<FloatOp> {
        use FloatOp::{Add, Div, Mul, Neg, Rem, Sub};
        self.one_of(&[Add, Sub, Mul, Div, Rem, Neg])
    }

    fn cast_op(&mut self) -> Read<CastOp> {
        use CastOp::{
            AddrSpaceCast, BitCast, FpExt, FpToSi, FpToUi, FpTrunc, IntToPtr, PtrToInt, SExt, SiToFp, Trunc, UiToFp,
            ZExt,
        };
        self.one_of(&[
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
        ])
    }

    fn callee(&mut self) -> Read<Callee> {
        Ok(match self.byte()? {
            0 => Callee::Function(self.function_id()?),
            1 => Callee::Pointer(self.operand()?),
            2 => Callee::Asm(self.text()?),
            _ => return self.torn(),
        })
    }

    // ---- terminators

    fn terminator(&mut self) -> Read<Terminator> {
        Ok(match self.byte()? {
            0 => Terminator::Jump(self.block_id()?),
            1 => Terminator::Branch { cond: self.operand()?, yes: self.block_id()?, no: self.block_id()? },
            2 => {
                let value = self.operand()?;
                let width = self.small()?;
                let cases = self.list(|r| Ok((r.bits(width)?, r.block_id()?)))?;
                Terminator::Switch { value, width, cases, default: self.block_id()? }
            }
            3 => Terminator::IndirectJump { address: self.operand()?, targets: self.list(Self::block_id)? },
            4 => Terminator::Return(Some(self.operand()?)),
            5 => Terminator::Return(None),
            6 => Terminator::Invoke { normal: self.block_id()?, unwind: self.block_id()? },
            7 => Terminator::Resume,
            8 => Terminator::Unreachable,
            9 => Terminator::Opaque { what: self.text()?, targets: self.list(Self::block_id)? },
            _ => return self.torn(),
        })
    }
}
