//! Division of a term by a number, as the processor does it.
//!
//! The dividend `a` is twice as wide as the divisor `d`; of quotient and remainder the lower half is kept. A quotient that has no room there
//! is an exception, which p-code does not know. So the result comes with a condition on `a`: that there is none. It is exact:
//!
//! - Unsigned, with n bits in a half: `a / d < 2^n` where `a < d * 2^n`, and only there.
//! - Signed, rounded towards zero: the quotient's absolute value is `|a| / |d|`, rounded down. It is not negative where `a` and
//!   `d` have one sign, and may then be `2^(n-1) - 1` at most: `|a| < |d| * 2^(n-1)`. Otherwise it may be `-2^(n-1)`:
//!   `|a| < |d| * (2^(n-1) + 1)`.
//!
//! No bound needs more than the 2n bits that `a` has.
//!
//! Solvers find the division of halves much easier. It gives the same where `a` is an extension of its lower half `l`, which compilers
//! see to: `zext(l) / zext(d)` is `zext(l / d)`, and `sext(l) / sext(d)` is `sext(l / d)`, unless that overflows, as `-2^(n-1) / -1` does: the
//! condition excludes it. So for remainders, which overflow never. Terms round towards zero as the processor does.

use crate::pcode::{Arith, mask, signed};
use lariat_ir::simplify::simplify;
use lariat_ir::{Op, Sort, Term, Terms};

/// What a division gives, and when it gives something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Division {
    /// The quotient or the remainder, as wide as the dividend.
    pub result: Term,
    /// That the quotient fits.
    pub fits: Term,
}

/// Whether this is a quotient or a remainder.
pub(crate) fn divides(kind: Arith) -> bool {
    matches!(kind, Arith::Udiv | Arith::Sdiv | Arith::Urem | Arith::Srem)
}

/// Divides a term, which has this concrete value, by a number that is given in the dividend's width. Nothing if the division is not one of
/// the processor's, or if the quotient does not fit concretely.
pub(crate) fn divide(t: &Terms, kind: Arith, dividend: Term, concrete: u128, divisor: u128) -> Option<Division> {
    let Sort::BitVec(width) = t.sort(dividend) else { return None };
    let size = width / 16;
    if divisor == 0 || size == 0 || width % 16 != 0 {
        return None;
    }
    let half = 8 * size;
    let small = divisor & mask(size);
    let part = |a: Term, hi: u32, lo: u32| simplify(t, t.apply(Op::Extract { hi, lo }, &[a]));
    let (high, low) = (part(dividend, width - 1, half), part(dividend, half - 1, 0));
    let (by_sign, op) = match kind {
        Arith::Udiv => (false, Op::BvUdiv),
        Arith::Urem => (false, Op::BvUrem),
        Arith::Sdiv => (true, Op::BvSdiv),
        Arith::Srem => (true, Op::BvSrem),
        _ => return None,
    };
    let extension = if by_sign { Op::SignExtend(half) } else { Op::ZeroExtend(half) };
    let extended = t.apply(extension, &[low]);
    let of_low = part(extended, width - 1, half) == high;
    let dividend = if of_low { extended } else { dividend };

    let fits = if by_sign {
        let d = signed(divisor, width);
        if signed(small, half) != d {
            return None;
        }
        let (least, most) = bounds(d, half);
        if !(least..=most).contains(&signed(concrete, width)) {
            return None;
        }
        let bound = |v: i128| t.bv(width, v.cast_unsigned());
        let above = t.apply(Op::BvSle, &[bound(least), dividend]);
        t.and(above, t.apply(Op::BvSle, &[dividend, bound(most)]))
    } else {
        if small != divisor || concrete >= divisor << half {
            return None;
        }
        t.apply(Op::BvUlt, &[dividend, t.bv(width, divisor << half)])
    };
    let result = if of_low {
        t.apply(extension, &[t.apply(op, &[low, t.bv(half, small)])])
    } else {
        t.apply(op, &[dividend, t.bv(width, divisor)])
    };
    Some(Division { result, fits })
}

/// The dividends whose quotient by `d` is a signed number of so many bits, at most 64.
fn bounds(d: i128, bits: u32) -> (i128, i128) {
    let (all, size) = (1i128 << (bits - 1), d.abs());
    let (negative, other) = (size * (all + 1) - 1, size * all - 1);
    if d > 0 { (-negative, other) } else { (-other, negative) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{Cpu, GENERAL, Nobody, UNIT};
    use crate::lift::{Body, Lifted, Lifter};
    use crate::memory::Memory;
    use crate::native::{Native, Trust};
    use crate::pcode::{self, FILE};
    use crate::symbolic::{Loc, Symbolic};
    use lariat_ir::observed::Cell;
    use lariat_ir::random::Random;
    use lariat_ir::{Role, Value};

    const RAX: u32 = GENERAL[0];
    const RCX: u32 = GENERAL[1];
    const RDX: u32 = GENERAL[2];

    fn state(rax: u64, rdx: u64, rcx: u64) -> Cpu {
        let (file, memory) = (vec![0; FILE as usize], Memory::blank());
        let mut cpu = Cpu { file, memory, rip: 0, undefined: 0, unforeseen: 0, in_call: None, restartable: false };
        for (at, value) in [(RAX, rax), (RDX, rdx), (RCX, rcx)] {
            cpu.set(at, 8, value.into());
        }
        // Floating-point exceptions are masked, as at the start of a program.
        cpu.set(UNIT, 2, 0x37f);
        cpu.set(UNIT + 24, 4, 0x1f80);
        cpu
    }

    /// The instructions that stand in these bytes.
    fn lift(lifter: &mut Lifter, at: &mut u64, mut bytes: &[u8]) -> Vec<Lifted> {
        let mut out = Vec::new();
        while !bytes.is_empty() {
            let lifted = lifter.lift_bytes(*at, bytes).expect("an instruction");
            *at += u64::from(lifted.len);
            bytes = &bytes[lifted.len as usize..];
            out.push(lifted);
        }
        out
    }

    fn next(random: &mut Random) -> u64 {
        let value = random.next();
        // Near the ends of the ranges of all widths, small, or anything.
        let end = [0, 1 << 7, 1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 1 << 63][(value >> 8) as usize % 8];
        match value % 4 {
            0 => end,
            1 => end.wrapping_sub(1 + (value >> 32) % 2),
            2 => (value >> 32) % 100,
            _ => value.rotate_left(17),
        }
    }

    /// Divides with `rax` and `rdx` unknown, and then with numbers for them: result and condition have to be what the emulator says.
    /// Gives how many dividends had no quotient.
    fn agrees(code: &[Lifted], first: [u64; 2], divisor: u64, random: &mut Random, halves: bool) -> u32 {
        let mut native = Native::new().expect("there is memory");
        let terms = Terms::new();
        let symbol = |name: &str| terms.symbol(name, Sort::BitVec(64), Role::Free);
        let (rax, rdx) = (symbol("rax"), symbol("rdx"));
        let cell = |at: u32, term: Term| (Loc::File(at), Cell { name: String::new(), width: 64, term });
        let mut fresh = Vec::new();
        let mut symbolic = Symbolic::new(&terms, &[cell(RAX, rax), cell(RDX, rdx)], &mut fresh);
        let mut cpu = state(first[0], first[1], divisor);
        for lifted in code {
            cpu.run(lifted, &mut native, &mut symbolic).expect("the first division has a quotient");
        }
        let results = [RAX, RDX].map(|at| {
            let concrete = cpu.get(at, 8);
            symbolic.read(Loc::File(at), 8, concrete).unwrap_or_else(|| terms.bv(64, concrete))
        });
        let condition = terms.all(symbolic.constraints.iter().copied());
        let text = code.last().expect("there is code").text();
        let size = code.last().map_or(0, |l| l.decoded.op_register(0).size());
        let widest = terms.reachable(&[results[0], results[1], condition]).into_iter().filter_map(|x| {
            let node = terms.node(x);
            matches!(node.op, Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem).then(|| terms.sort(x).width())?
        });
        let expected = if halves { 8 * size } else { 16 * size };
        if ![1, u64::MAX].contains(&divisor) {
            assert_eq!(widest.max().map(|w| w as usize), Some(expected), "{text} by {divisor:#x}");
        }
        let mut without = 0;
        for n in 0..400 {
            let [a, d] = if n == 0 { first } else { [next(random), next(random)] };
            // Half of them near the limit of what fits.
            let d = if n % 4 == 1 {
                divisor.wrapping_sub(n / 4 % 3)
            } else if n % 4 == 2 {
                divisor.wrapping_neg() >> 1
            } else {
                d
            };
            let look_up = |x: Term| Value::bv(64, if x == rax { a.into() } else { d.into() });
            let holds = terms.eval(condition, look_up).as_bool();
            let mut real = state(a, d, divisor);
            let ran = code.iter().all(|lifted| real.run(lifted, &mut native, &mut Nobody).is_ok());
            assert_eq!(holds, ran, "{text} of {d:#x}:{a:#x} by {divisor:#x}");
            without += u32::from(!ran);
            for (at, result) in [RAX, RDX].into_iter().zip(results).filter(|_| ran) {
                let value = terms.eval(result, look_up).as_bits().unsigned();
                assert_eq!(value, real.get(at, 8), "{text} of {d:#x}:{a:#x} by {divisor:#x}: {at:#x}");
            }
        }
        without
    }

    /// By `cl`, `cx`, `ecx` and `rcx`.
    const UNSIGNED: [&[u8]; 4] = [&[0xf6, 0xf1], &[0x66, 0xf7, 0xf1], &[0xf7, 0xf1], &[0x48, 0xf7, 0xf1]];
    const SIGNED: [&[u8]; 4] = [&[0xf6, 0xf9], &[0x66, 0xf7, 0xf9], &[0xf7, 0xf9], &[0x48, 0xf7, 0xf9]];
    /// What makes a dividend of `al`, `ax`, `eax` and `rax`.
    const ZEROS: [&[u8]; 4] = [&[0x0f, 0xb6, 0xc0], &[0x31, 0xd2], &[0x31, 0xd2], &[0x31, 0xd2]];
    const SIGNS: [&[u8]; 4] = [&[0x66, 0x98], &[0x66, 0x99], &[0x99], &[0x48, 0x99]];
    const DIVISORS: [u64; 9] = [1, 2, 5, 100, 0x7f, 0x80, 0xfffb, 0xffff_ffff_ffff_fff9, u64::MAX];

    fn low(v: u64, size: usize) -> u64 {
        v & u64::MAX >> (64 - 8 * size)
    }

    #[test]
    fn any_dividend() {
        let (mut lifter, mut at, mut random) = (Lifter::new(), 0, Random::new(1));
        for (n, bytes) in UNSIGNED.iter().chain(&SIGNED).enumerate() {
            let code = lift(&mut lifter, &mut at, bytes);
            let mut without = 0;
            for d in DIVISORS.into_iter().filter(|d| low(*d, 1 << (n % 4)) != 0) {
                without += agrees(&code, [7, 0], d, &mut random, false);
            }
            assert!(without > 100, "{without} of {}", code[0].text());
        }
    }

    #[test]
    fn a_dividend_with_zeros_above() {
        let (mut lifter, mut at, mut random) = (Lifter::new(), 0, Random::new(2));
        for (bytes, before) in UNSIGNED.iter().zip(ZEROS) {
            let code = lift(&mut lifter, &mut at, &[before, bytes].concat());
            for d in DIVISORS {
                assert_eq!(agrees(&code, [7, 9], d, &mut random, true), 0, "every quotient fits");
            }
        }
    }

    #[test]
    fn a_dividend_with_its_sign_above() {
        let (mut lifter, mut at, mut random) = (Lifter::new(), 0, Random::new(3));
        for (bytes, before) in SIGNED.iter().zip(SIGNS) {
            let code = lift(&mut lifter, &mut at, &[before, bytes].concat());
            for d in DIVISORS {
                let size = code[1].decoded.op_register(0).size();
                let without = agrees(&code, [7, 9], d, &mut random, true);
                let minus_one = low(d, size) == low(u64::MAX, size);
                assert_eq!(without > 0, minus_one, "{} by {d:#x}: {without}", code[1].text());
            }
        }
    }

    #[test]
    fn p_code_of_divisions_is_compared_with_the_processor() {
        let (mut lifter, mut at) = (Lifter::new(), 0);
        let mut native = Native::new().expect("there is memory");
        for bytes in UNSIGNED.iter().chain(&SIGNED) {
            for divisor in [1, 3, 0x7f] {
                let mut code = lift(&mut lifter, &mut at, bytes);
                let mut lifted = code.remove(0);
                assert_eq!(native.vet(&state(10, 0, divisor), &lifted), Trust::Known, "{}", lifted.text());
                // The state tells no difference: both are positive.
                let Body::Ops(ops) = &mut lifted.body else { panic!("it has p-code") };
                for op in ops {
                    if let pcode::Op::Arith { kind, .. } = op {
                        *kind = match *kind {
                            Arith::Udiv => Arith::Sdiv,
                            Arith::Sdiv => Arith::Udiv,
                            other => other,
                        };
                    }
                }
                lifted.address += 0x10_0000;
                assert_eq!(native.vet(&state(10, 0, divisor), &lifted), Trust::None, "{}", lifted.text());
            }
        }
    }
}
