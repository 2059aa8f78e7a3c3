//! Intrinsics and functions of the library: those that programs of the fuzzer use.

use super::arithmetic::{mask, number, signed};
use super::machine::{Halt, LARGEST, Machine, Val, lost, undefined};
use super::memory::Area;
use super::values::{put, short, size_of, width_of};
use crate::cfuzz::native::input;
use lariat_front::intrinsic::{Computation, CountBits, Intrinsic, MinMax};
use lariat_front::module::{FloatKind, Function, Instruction, Type};
use lariat_ir::float::Rounding;

impl Machine<'_> {
    #[expect(clippy::cast_possible_truncation, reason = "the number is one of that kind")]
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        (target, i): (&Function, &Instruction),
        values: &[Val],
        types: &[Type],
    ) -> Result<(), Halt> {
        let known = |n: usize| match values.get(n) {
            Some(Val::Bits(b)) => Ok(*b),
            _ => Err(Halt::Lost("a value that nobody has written decides".to_owned())),
        };
        let width = width_of(&i.ty);
        let result = match intrinsic {
            Intrinsic::Nothing | Intrinsic::VaEnd | Intrinsic::StackSave | Intrinsic::StackRestore => Val::Bits(0),
            Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd => {
                if let Some(Val::Bits(at)) = values.iter().zip(types).find(|(_, t)| **t == Type::Ptr).map(|(v, _)| v) {
                    self.memory.live(short(*at), intrinsic == Intrinsic::LifetimeStart);
                }
                return Ok(());
            }
            Intrinsic::Assume if known(0)? & 1 == 0 => return undefined("an assumption does not hold"),
            Intrinsic::Assume => return Ok(()),
            Intrinsic::UbsanTrap => return undefined("a check of the compiler fails"),
            Intrinsic::Trap => return Err(Halt::Trap),
            Intrinsic::Memcpy | Intrinsic::Memmove => {
                let is_move = intrinsic == Intrinsic::Memmove;
                return self.copy(short(known(0)?), short(known(1)?), short(known(2)?), is_move);
            }
            Intrinsic::Memset => return self.fill(short(known(0)?), known(1)?, short(known(2)?)),
            Intrinsic::Identity => values[0].clone(),
            Intrinsic::IsConstant => Val::Bits(0),
            Intrinsic::MinMax(which) => {
                let (a, b) = (known(0)?, known(1)?);
                let less = match which {
                    MinMax::SMax | MinMax::SMin => signed(a, width) < signed(b, width),
                    MinMax::UMax | MinMax::UMin => a < b,
                };
                Val::Bits(if less == matches!(which, MinMax::SMin | MinMax::UMin) { a } else { b })
            }
            Intrinsic::Abs => {
                let x = signed(known(0)?, width);
                if known(1)? & 1 == 1 && x == signed(1 << (width - 1), width) {
                    self.overflowed = true;
                }
                Val::Bits(x.wrapping_abs().cast_unsigned() & mask(width))
            }
            Intrinsic::CountBits(which) => {
                let a = known(0)?;
                if a == 0 && which != CountBits::Set && known(1)? & 1 == 1 {
                    return undefined("the bits of zero are counted");
                }
                let n = match which {
                    CountBits::Set => a.count_ones(),
                    CountBits::Leading => a.leading_zeros() - (128 - width),
                    CountBits::Trailing => a.trailing_zeros().min(width),
                };
                Val::Bits(u128::from(n))
            }
            Intrinsic::Bswap => Val::Bits(known(0)?.swap_bytes() >> (128 - width)),
            Intrinsic::WithOverflow(op) => {
                use lariat_front::intrinsic::Arithmetic as A;
                let w = width_of(&types[0]);
                let (a, b) = (known(0)?, known(1)?);
                if w > 64 {
                    return lost("an operation of 128 bits that tells whether it overflowed");
                }
                let (x, y) =
                    if op.is_signed() { (signed(a, w), signed(b, w)) } else { (a.cast_signed(), b.cast_signed()) };
                let exact = match op {
                    A::SAdd | A::UAdd => x + y,
                    A::SSub | A::USub => x - y,
                    A::SMul => x * y,
                    A::UMul => {
                        let (low, over) = a.overflowing_mul(b);
                        if over || low > mask(w) { -1 } else { low.cast_signed() }
                    }
                };
                let bits = if op == A::UMul { a.wrapping_mul(b) } else { exact.cast_unsigned() } & mask(w);
                let back = if op.is_signed() { signed(bits, w) } else { bits.cast_signed() };
                Val::Parts(vec![Val::Bits(bits), Val::Bits(u128::from(back != exact))])
            }
            Intrinsic::VaStart => {
                let list = short(known(0)?);
                if target.name.contains("va_copy") {
                    return self.copy(list, short(known(1)?), 24, false);
                }
                return self.start_arguments(list);
            }
            Intrinsic::Compute(what) => {
                let Some(x) = number(&values[0], &types[0]) else { return lost("a computation") };
                let y = values.get(1).zip(types.get(1)).and_then(|(v, t)| number(v, t));
                let f = match (what, y) {
                    (Computation::Magnitude, _) => x.abs(),
                    (Computation::CopySign, Some(y)) => x.copysign(y),
                    (Computation::Round(Rounding::Down), _) => x.floor(),
                    (Computation::Round(Rounding::Up), _) => x.ceil(),
                    (Computation::Round(Rounding::Zero), _) => x.trunc(),
                    (Computation::Round(Rounding::Away), _) => x.round(),
                    (Computation::Round(Rounding::Even), _) => x.round_ties_even(),
                    (Computation::Sqrt, _) if types[0] == Type::Float(FloatKind::Double) => x.sqrt(),
                    _ => return lost(format!("`{}`", target.name)),
                };
                match i.ty {
                    Type::Float(FloatKind::Double) => Val::Bits(u128::from(f.to_bits())),
                    Type::Float(FloatKind::Single) => Val::Bits(u128::from((f as f32).to_bits())),
                    _ => return lost("a computation"),
                }
            }
            _ => return lost(format!("`{}`", target.name)),
        };
        self.set(i, result);
        Ok(())
    }

    /// All arguments lie where those lie that find no register, as x86-64 has it.
    pub(super) fn start_arguments(&mut self, list: u64) -> Result<(), Halt> {
        let more = self.frame().more.clone();
        let mut bytes: Vec<Option<u8>> = Vec::new();
        for (v, ty) in &more {
            let size = size_of(ty);
            if size > 8 || width_of(ty) == 0 {
                return lost("a large variable argument");
            }
            let mut slot = vec![None; 8];
            put(v, ty, &mut slot)?;
            bytes.extend(slot);
        }
        let area = self.memory.allocate(Area::Stack, bytes.len() as u64, 16, false);
        self.frame_mut().objects.push(area);
        self.memory.write(area, &bytes, |_| None)?;
        let mut head: Vec<Option<u8>> = Vec::new();
        head.extend(48u32.to_le_bytes().map(Some));
        head.extend(176u32.to_le_bytes().map(Some));
        head.extend(area.to_le_bytes().map(Some));
        head.extend([Some(0); 8]);
        self.memory.write(list, &head, |_| None)?;
        Ok(())
    }

    pub(super) fn fill(&mut self, to: u64, byte: u128, n: u64) -> Result<(), Halt> {
        if n == 0 {
            return Ok(());
        }
        if n > LARGEST {
            return undefined("an access behind an object");
        }
        let byte = u8::try_from(byte & 255).expect("it is a byte");
        let bytes = vec![Some(byte); usize::try_from(n).expect("it is small")];
        self.memory.write(to, &bytes, |_| None)?;
        Ok(())
    }

    pub(super) fn library(&mut self, target: &Function, i: &Instruction, values: &[Val]) -> Result<(), Halt> {
        let known = |n: usize| match values.get(n) {
            Some(Val::Bits(b)) => Ok(*b),
            _ => Err(Halt::Lost("a value that nobody has written decides".to_owned())),
        };
        let result = match target.name.as_str() {
            "observe" => {
                let value = i64::try_from(signed(known(0)?, 64)).expect("it has 64 bits");
                self.observed.push(value);
                if self.observed.len() >= self.most {
                    return Err(Halt::Limit);
                }
                return Ok(());
            }
            name if name.starts_with("__VERIFIER_nondet_") => {
                let word = input(self.input_seed, self.observed.len() as u64);
                u128::from(if name.ends_with("bool") { word & 1 } else { word })
            }
            "malloc" | "calloc" => {
                let mut size = known(0)?;
                if target.name == "calloc" {
                    size = size.saturating_mul(known(1)?);
                }
                if size > u128::from(LARGEST) {
                    return lost("a large object");
                }
                let size = short(size);
                let at = self.memory.allocate(Area::Heap, size, 16, false);
                if target.name == "calloc" {
                    self.fill(at, 0, size)?;
                }
                u128::from(at)
            }
            "realloc" => {
                let (old, size) = (short(known(0)?), short(known(1)?));
                if size > LARGEST || size == 0 {
                    return lost("`realloc` of another size");
                }
                let at = self.memory.allocate(Area::Heap, size, 16, false);
                if old != 0 {
                    let n = self.memory.size_of(old).unwrap_or(0).min(size);
                    self.copy(at, old, n, false)?;
                    self.memory.free(old)?;
                }
                u128::from(at)
            }
            "free" => {
                let at = short(known(0)?);
                if at != 0 {
                    self.memory.free(at)?;
                }
                return Ok(());
            }
            "memcpy" | "memmove" => {
                self.copy(short(known(0)?), short(known(1)?), short(known(2)?), target.name == "memmove")?;
                known(0)?
            }
            "memset" => {
                self.fill(short(known(0)?), known(1)?, short(known(2)?))?;
                known(0)?
            }
            "strlen" => {
                let from = short(known(0)?);
                let mut n = 0;
                loop {
                    match self.memory.read(from + n, 1)?[0] {
                        Some(0) => break u128::from(n),
                        Some(_) => n += 1,
                        None => return lost("a value that nobody has written decides"),
                    }
                }
            }
            "memcmp" => {
                let n = short(known(2)?);
                let (a, b) = (self.memory.read(short(known(0)?), n)?, self.memory.read(short(known(1)?), n)?);
                if a.iter().chain(b).any(Option::is_none) {
                    return lost("a value that nobody has written decides");
                }
                match a.cmp(b) {
                    std::cmp::Ordering::Less => u128::MAX,
                    std::cmp::Ordering::Equal => 0,
                    std::cmp::Ordering::Greater => 1,
                }
            }
            "abs" | "labs" | "llabs" => {
                let width = width_of(&i.ty);
                let x = signed(known(0)?, width);
                if x == signed(1 << (width - 1), width) {
                    return undefined("the magnitude of the smallest number");
                }
                x.unsigned_abs()
            }
            "abort" | "exit" | "__assert_fail" | "_exit" => return Err(Halt::Trap),
            name => return lost(format!("`{name}`")),
        };
        self.set(i, Val::Bits(result));
        Ok(())
    }
}
