//! LLVM's intrinsics as a closed list: the reader decodes each name once, and nothing else looks at names.
//!
//! What is not listed is [`Unlisted`](Intrinsic::Unlisted): such an intrinsic counts as a function without a model, which may change all that it
//! can reach, returns a value of the environment, and is assumed to return. So a name that a newer LLVM adds costs
//! precision, never soundness.

use lariat_ir::float::Rounding;

/// An intrinsic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// No effect that a program sees, and no result that anything depends on.
    Nothing,
    /// `llvm.lifetime.start`: a local object is there from now on, without a value.
    LifetimeStart,
    /// `llvm.lifetime.end`
    LifetimeEnd,
    /// `llvm.assume`: undefined behaviour where the condition does not hold.
    Assume,
    /// A check of the compiler failed: undefined behaviour.
    UbsanTrap,
    /// The program ends.
    Trap,
    /// Copies bytes; the ranges are equal or have no byte in common.
    Memcpy,
    /// Copies bytes, wherever they are.
    Memmove,
    /// Writes one byte many times.
    Memset,
    /// Gives its first argument.
    Identity,
    /// `llvm.is.constant`: no, since nothing has been optimised.
    IsConstant,
    /// `llvm.sadd.with.overflow` and its like.
    WithOverflow(Arithmetic),
    /// `llvm.smax` and its like.
    MinMax(MinMax),
    /// `llvm.abs`
    Abs,
    /// How many bits are set, or zero at one end.
    CountBits(CountBits),
    /// `llvm.bswap`
    Bswap,
    /// `llvm.fshl` (true) and `llvm.fshr`.
    FunnelShift {
        /// To the left.
        left: bool,
    },
    /// `va_start`, `va_copy`: the list is filled.
    VaStart,
    /// `va_end`
    VaEnd,
    /// `llvm.stacksave`
    StackSave,
    /// `llvm.stackrestore`: objects of variable size end.
    StackRestore,
    /// A function of numbers: followed where there is a rule for floating point, else any value. It touches no memory.
    Compute(Computation),
    /// A value of the environment, without an effect.
    Environment,
    /// `__builtin_setjmp`: returns again after [`Intrinsic::LongJump`].
    SetJump,
    /// `__builtin_longjmp`
    LongJump,
    /// Control goes where it is not followed, or comes from there (coroutines, `__builtin_eh_return`): nothing can be said of
    /// what comes after.
    Beyond,
    /// A name without a rule: a function without a model.
    Unlisted(Unlisted),
}

/// A function of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Computation {
    /// To a whole number.
    Round(Rounding),
    /// `llvm.fabs`
    Magnitude,
    /// `llvm.copysign`
    CopySign,
    /// `llvm.sqrt`
    Sqrt,
    /// `llvm.fma`: rounds once.
    Fma,
    /// `llvm.fmuladd`: rounds once or twice.
    MulAdd,
    /// `llvm.is.fpclass`
    IsClass,
    /// One without a rule.
    Other,
}

/// What the name of an intrinsic without a rule tells all the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unlisted {
    /// It changes how floating-point operations round.
    SetsRounding,
    /// It may end the program.
    Traps,
    /// Nothing.
    Plain,
}

/// An operation that tells whether it overflowed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "they are LLVM's intrinsics of the same name")]
pub enum Arithmetic {
    SAdd,
    UAdd,
    SSub,
    USub,
    SMul,
    UMul,
}

/// The larger or the smaller of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "they are LLVM's intrinsics of the same name")]
pub enum MinMax {
    SMax,
    SMin,
    UMax,
    UMin,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CountBits {
    /// Set bits.
    Set,
    /// Zero bits from the highest on.
    Leading,
    /// Zero bits from the lowest on.
    Trailing,
}

impl Intrinsic {
    /// The rule for a name `llvm.…`; none for another function.
    pub fn decode(name: &str) -> Option<Self> {
        use Intrinsic::{
            Abs, Assume, Beyond, Bswap, Compute, CountBits as Count, Environment, FunnelShift, Identity, IsConstant,
            LifetimeEnd, LifetimeStart, LongJump, Memcpy, Memmove, Memset, MinMax as Choose, Nothing, SetJump,
            StackRestore, StackSave, Trap, UbsanTrap, VaEnd, VaStart, WithOverflow,
        };
        let base = name.strip_prefix("llvm.")?;
        // The types of an overloaded intrinsic follow its name, so a rule is for a whole number of parts.
        let is = |prefix: &str| base.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let any = |list: &[&str]| list.iter().any(|p| is(p));
        Some(if any(NOTHING) {
            Nothing
        } else if is("lifetime.start") {
            LifetimeStart
        } else if is("lifetime.end") {
            LifetimeEnd
        } else if is("assume") {
            Assume
        } else if is("ubsantrap") {
            UbsanTrap
        } else if is("trap") {
            Trap
        } else if base.contains(".element.unordered.atomic") {
            unlisted(base)
        } else if is("memcpy") {
            Memcpy
        } else if is("memmove") {
            Memmove
        } else if is("memset") {
            Memset
        } else if any(IDENTITY) {
            Identity
        } else if is("is.constant") {
            IsConstant
        } else if let Some(op) = overflowing(base) {
            WithOverflow(op)
        } else if is("smax") {
            Choose(MinMax::SMax)
        } else if is("smin") {
            Choose(MinMax::SMin)
        } else if is("umax") {
            Choose(MinMax::UMax)
        } else if is("umin") {
            Choose(MinMax::UMin)
        } else if is("abs") {
            Abs
        } else if is("ctpop") {
            Count(CountBits::Set)
        } else if is("ctlz") {
            Count(CountBits::Leading)
        } else if is("cttz") {
            Count(CountBits::Trailing)
        } else if is("bswap") {
            Bswap
        } else if is("fshl") {
            FunnelShift { left: true }
        } else if is("fshr") {
            FunnelShift { left: false }
        } else if any(&["va_start", "va_copy"]) {
            VaStart
        } else if is("va_end") {
            VaEnd
        } else if is("stacksave") {
            StackSave
        } else if is("stackrestore") {
            StackRestore
        } else if any(COMPUTE) {
            Compute(computation(base))
        } else if any(ENVIRONMENT) {
            Environment
        } else if is("eh.sjlj.setjmp") {
            SetJump
        } else if is("eh.sjlj.longjmp") {
            LongJump
        } else if any(&["coro", "eh.return", "experimental.deoptimize", "experimental.guard", "call.preallocated"]) {
            Beyond
        } else {
            unlisted(base)
        })
    }

    /// Whether it is a function of its arguments.
    pub fn is_computed(self) -> bool {
        matches!(
            self,
            Self::Compute(_)
                | Self::WithOverflow(_)
                | Self::MinMax(_)
                | Self::Abs
                | Self::CountBits(_)
                | Self::Bswap
                | Self::FunnelShift { .. }
        )
    }
}

fn computation(base: &str) -> Computation {
    match base.split('.').next() {
        Some("floor") => Computation::Round(Rounding::Down),
        Some("ceil") => Computation::Round(Rounding::Up),
        Some("trunc") => Computation::Round(Rounding::Zero),
        Some("round") => Computation::Round(Rounding::Away),
        Some("roundeven" | "rint" | "nearbyint") => Computation::Round(Rounding::Even),
        Some("fabs") => Computation::Magnitude,
        Some("copysign") => Computation::CopySign,
        Some("sqrt") => Computation::Sqrt,
        Some("fma") => Computation::Fma,
        Some("fmuladd") => Computation::MulAdd,
        _ if base.starts_with("is.fpclass") => Computation::IsClass,
        _ => Computation::Other,
    }
}

fn unlisted(base: &str) -> Intrinsic {
    Intrinsic::Unlisted(if matches!(base, "set.rounding" | "x86.sse.ldmxcsr") || base.starts_with("set.fp") {
        Unlisted::SetsRounding
    } else if base.contains("trap") {
        Unlisted::Traps
    } else {
        Unlisted::Plain
    })
}

/// Marks for other tools, hints, counters of profilers.
const NOTHING: &[&str] = &[
    "clear_cache",
    "codeview.annotation",
    "dbg",
    "donothing",
    "experimental.noalias.scope.decl",
    "fake.use",
    "instrprof",
    "invariant.end",
    "invariant.start",
    "prefetch",
    "pseudoprobe",
    "sideeffect",
    "stackprotector",
    "var.annotation",
];

/// Those that give their first argument, with a hint about it.
const IDENTITY: &[&str] = &[
    "annotation",
    "arithmetic.fence",
    "expect",
    "expect.with.probability",
    "launder.invariant.group",
    "ptr.annotation",
    "ssa.copy",
    "strip.invariant.group",
    "threadlocal.address",
];

/// Functions of their arguments. (`ptrmask` gives a pointer into the object of its argument.)
const COMPUTE: &[&str] = &[
    "acos",
    "asin",
    "atan",
    "atan2",
    "bitreverse",
    "canonicalize",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "exp",
    "exp10",
    "exp2",
    "experimental.constrained",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "fptosi.sat",
    "fptoui.sat",
    "frexp",
    "is.fpclass",
    "ldexp",
    "llrint",
    "llround",
    "log",
    "log10",
    "log2",
    "lrint",
    "lround",
    "maximum",
    "maximumnum",
    "maxnum",
    "minimum",
    "minimumnum",
    "minnum",
    "modf",
    "nearbyint",
    "pow",
    "powi",
    "ptrmask",
    "rint",
    "round",
    "roundeven",
    "sadd.sat",
    "scmp",
    "sdiv.fix",
    "sdiv.fix.sat",
    "sin",
    "sincos",
    "sinh",
    "smul.fix",
    "smul.fix.sat",
    "sqrt",
    "sshl.sat",
    "ssub.sat",
    "tan",
    "tanh",
    "trunc",
    "uadd.sat",
    "ucmp",
    "udiv.fix",
    "udiv.fix.sat",
    "umul.fix",
    "umul.fix.sat",
    "ushl.sat",
    "usub.sat",
    "vector.extract",
    "vector.insert",
    "vector.reduce",
    "vscale",
];

/// Questions about the machine or the compiler, and addresses that nobody knows.
const ENVIRONMENT: &[&str] = &[
    "addressofreturnaddress",
    "allow.runtime.check",
    "allow.ubsan.check",
    "eh.typeid.for",
    "experimental.widenable.condition",
    "frameaddress",
    "get.rounding",
    "objectsize",
    "read_register",
    "readcyclecounter",
    "readsteadycounter",
    "returnaddress",
    "sponentry",
    "stackguard",
    "thread.pointer",
    "type.test",
];

fn overflowing(base: &str) -> Option<Arithmetic> {
    let (op, rest) = base.split_once('.')?;
    if !rest.starts_with("with.overflow.") {
        return None;
    }
    Some(match op {
        "sadd" => Arithmetic::SAdd,
        "uadd" => Arithmetic::UAdd,
        "ssub" => Arithmetic::SSub,
        "usub" => Arithmetic::USub,
        "smul" => Arithmetic::SMul,
        "umul" => Arithmetic::UMul,
        _ => return None,
    })
}

impl Arithmetic {
    /// Whether the operands are signed.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::SAdd | Self::SSub | Self::SMul)
    }
    /// Whether it multiplies.
    pub fn is_product(self) -> bool {
        matches!(self, Self::SMul | Self::UMul)
    }
}

#[cfg(test)]
mod tests {
    use super::{Arithmetic, Computation, CountBits, Intrinsic, MinMax, Rounding, Unlisted};

    /// Every rule with names it is for, as LLVM 22 writes them, and names that look alike and are another's.
    #[test]
    fn every_name_has_its_rule() {
        use Intrinsic::{
            Abs, Assume, Beyond, Bswap, Environment, FunnelShift, Identity, IsConstant, LifetimeEnd, LifetimeStart,
            LongJump, Memcpy, Memmove, Memset, Nothing, SetJump, StackRestore, StackSave, Trap, UbsanTrap, VaEnd,
            VaStart,
        };
        let of_names: &[(Intrinsic, &[&str])] = &[
            (
                Nothing,
                &["dbg.value", "donothing", "sideeffect", "var.annotation.p0.p0", "prefetch.p0", "invariant.start.p0"],
            ),
            (LifetimeStart, &["lifetime.start.p0"]),
            (LifetimeEnd, &["lifetime.end.p0"]),
            (Assume, &["assume"]),
            (UbsanTrap, &["ubsantrap"]),
            (Trap, &["trap"]),
            (Memcpy, &["memcpy.p0.p0.i64", "memcpy.inline.p0.p0.i64"]),
            (Memmove, &["memmove.p0.p0.i64"]),
            (Memset, &["memset.p0.i64", "memset.inline.p0.i64"]),
            (
                Identity,
                &[
                    "expect.i64",
                    "expect.with.probability.i1",
                    "ssa.copy.i32",
                    "annotation.i32.p0",
                    "threadlocal.address.p0",
                ],
            ),
            (IsConstant, &["is.constant.i32"]),
            (Intrinsic::WithOverflow(Arithmetic::SAdd), &["sadd.with.overflow.i32"]),
            (Intrinsic::WithOverflow(Arithmetic::UMul), &["umul.with.overflow.i64"]),
            (Intrinsic::MinMax(MinMax::UMin), &["umin.i32"]),
            (Abs, &["abs.i32"]),
            (Intrinsic::CountBits(CountBits::Trailing), &["cttz.i64"]),
            (Bswap, &["bswap.i16"]),
            (FunnelShift { left: true }, &["fshl.i32"]),
            (VaStart, &["va_start", "va_start.p0", "va_copy.p0"]),
            (VaEnd, &["va_end.p0"]),
            (StackSave, &["stacksave.p0"]),
            (StackRestore, &["stackrestore.p0"]),
            (
                Environment,
                &["objectsize.i64.p0", "returnaddress", "eh.typeid.for.p0", "readcyclecounter", "get.rounding"],
            ),
            (SetJump, &["eh.sjlj.setjmp"]),
            (LongJump, &["eh.sjlj.longjmp"]),
            (Beyond, &["coro.id", "coro.begin", "coro.suspend", "coro.resume", "eh.return.i64"]),
        ];
        for (rule, names) in of_names {
            for name in *names {
                assert_eq!(Intrinsic::decode(&format!("llvm.{name}")).as_ref(), Some(rule), "{name}");
            }
        }
        let computed = [
            ("fabs.f64", Computation::Magnitude),
            ("fma.f32", Computation::Fma),
            ("fmuladd.f32", Computation::MulAdd),
            ("is.fpclass.f64", Computation::IsClass),
            ("round.f64", Computation::Round(Rounding::Away)),
            ("roundeven.f64", Computation::Round(Rounding::Even)),
            ("llround.i64.f64", Computation::Other),
            ("sadd.sat.i32", Computation::Other),
            ("vector.reduce.add.v4i32", Computation::Other),
            ("ptrmask.p0.i64", Computation::Other),
            ("experimental.constrained.fadd.f64", Computation::Other),
        ];
        for (name, what) in computed {
            let decoded = Intrinsic::decode(&format!("llvm.{name}"));
            assert_eq!(decoded, Some(Intrinsic::Compute(what)), "{name}");
            assert!(decoded.is_some_and(Intrinsic::is_computed), "{name}");
        }
        // What may write, jump or come back twice, and what LLVM does not have: functions without a model.
        let unknown = [
            "memcpy.element.unordered.atomic.p0.p0.i64",
            "masked.store.v4i32.p0",
            "masked.load.v4i32.p0",
            "x86.sse2.clflush",
            "x86.xbegin",
            "x86.int",
            "eh.sjlj.setup.dispatch",
            "eh.dwarf.cfa",
            "write_register.i64",
            "init.trampoline",
            "localescape",
            "localrecover",
            "load.relative.i32",
            "experimental.gc.statepoint.p0",
            "experimental.memset.pattern.p0.i64.i64",
            "type.checked.load",
            "assumed",
            "lifetime",
            "expected.i32",
            "brand.new",
        ];
        for name in unknown {
            let plain = Intrinsic::Unlisted(Unlisted::Plain);
            assert_eq!(Intrinsic::decode(&format!("llvm.{name}")), Some(plain), "{name}");
        }
        let told = [
            ("trapped", Unlisted::Traps),
            ("debugtrap", Unlisted::Traps),
            ("set.rounding", Unlisted::SetsRounding),
            ("set.fpenv.i64", Unlisted::SetsRounding),
            ("x86.sse.ldmxcsr", Unlisted::SetsRounding),
        ];
        for (name, what) in told {
            assert_eq!(Intrinsic::decode(&format!("llvm.{name}")), Some(Intrinsic::Unlisted(what)), "{name}");
        }
        assert_eq!(Intrinsic::decode("memcpy"), None);
    }
}
