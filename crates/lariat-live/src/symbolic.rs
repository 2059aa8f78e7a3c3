//! Symbolic execution beside the concrete one.
//!
//! A byte of the state has a shadow where its value depends on a cell: a term and the number of a byte in it. A byte without a
//! shadow has, in every state that satisfies the constraints, the value that it has concretely. That is the invariant of
//! this module; each method of [`Watch`] keeps it, by giving the result of an operation the term for it, or by a
//! constraint that fixes what the operation depends on:
//!
//! - addresses, targets of jumps, shift amounts, divisors and operands of products of two unknowns are fixed to what they are;
//! - a division raises no exception: that its quotient fits becomes a constraint;
//! - a decision becomes a constraint;
//! - what runs natively has all of its operands fixed;
//! - what reads differently each time is a fresh symbol.

use crate::cpu::{Effects, Watch};
use crate::division::{divide, divides};
use crate::pcode::{Arith, FILE, REGISTERS, Slot, SlotKind};
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::observed::{Cell, Fresh, FreshOrigin};
use lariat_ir::simplify::simplify;
use lariat_ir::{Op, Role, Sort, Term, Terms};

/// A byte of the state: a register's, or memory's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Loc {
    File(u32),
    Memory(u64),
}

impl Loc {
    pub(crate) fn plus(self, n: u32) -> Self {
        match self {
            Self::File(o) => Self::File(o + n),
            Self::Memory(a) => Self::Memory(a.wrapping_add(u64::from(n))),
        }
    }
}

/// A byte of a term, the lowest being 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Byte {
    term: Term,
    index: u32,
}

/// The shadows and constraints of one iteration.
pub(crate) struct Symbolic<'a> {
    terms: &'a Terms,
    file: Vec<Option<Byte>>,
    memory: FastMap<u64, Byte>,
    /// What has to hold for the run to go as it did.
    pub constraints: Vec<Term>,
    seen: FastSet<Term>,
    /// Overflow flags of subtractions, with the operands.
    overflows: FastMap<Term, (Term, Term)>,
    pub fresh: &'a mut Vec<Fresh>,
}

impl<'a> Symbolic<'a> {
    /// Every cell has its symbol.
    pub fn new(terms: &'a Terms, cells: &[(Loc, Cell)], fresh: &'a mut Vec<Fresh>) -> Self {
        let mut this = Self {
            terms,
            file: vec![None; FILE as usize],
            memory: FastMap::default(),
            constraints: Vec::new(),
            seen: FastSet::default(),
            overflows: FastMap::default(),
            fresh,
        };
        for (at, cell) in cells {
            for index in 0..cell.width / 8 {
                this.put(at.plus(index), Some(Byte { term: cell.term, index }));
            }
        }
        this
    }

    fn put(&mut self, at: Loc, byte: Option<Byte>) {
        match (at, byte) {
            (Loc::File(o), byte) => self.file[o as usize] = byte,
            (Loc::Memory(a), Some(byte)) => {
                self.memory.insert(a, byte);
            }
            (Loc::Memory(a), None) => {
                if !self.memory.is_empty() {
                    self.memory.remove(&a);
                }
            }
        }
    }

    fn byte(&self, at: Loc) -> Option<Byte> {
        match at {
            Loc::File(o) => self.file[o as usize],
            Loc::Memory(a) => self.memory.get(&a).copied(),
        }
    }

    /// Whether a byte depends on a cell.
    pub fn is_symbolic(&self, at: Loc) -> bool {
        self.byte(at).is_some()
    }

    /// The term for some bytes whose concrete value is given; nothing if none has a shadow.
    pub fn read(&self, at: Loc, size: u32, concrete: u128) -> Option<Term> {
        let bytes: Vec<Option<Byte>> = (0..size).map(|n| self.byte(at.plus(n))).collect();
        self.join(&bytes, concrete)
    }

    fn join(&self, bytes: &[Option<Byte>], concrete: u128) -> Option<Term> {
        if bytes.iter().all(Option::is_none) {
            return None;
        }
        let t = self.terms;
        let mut whole: Option<Term> = None;
        let mut n = 0;
        while n < bytes.len() {
            let mut end = n + 1;
            let part = match bytes[n] {
                None => {
                    while end < bytes.len() && bytes[end].is_none() {
                        end += 1;
                    }
                    let width = 8 * u32::try_from(end - n).expect("few bytes");
                    t.bv(width, concrete >> (8 * n))
                }
                Some(first) => {
                    let follows = |m: usize| {
                        bytes[m]
                            .is_some_and(|b| b.term == first.term && b.index as usize == first.index as usize + m - n)
                    };
                    while end < bytes.len() && follows(end) {
                        end += 1;
                    }
                    let count = u32::try_from(end - n).expect("few bytes");
                    let (lo, hi) = (8 * first.index, 8 * (first.index + count) - 1);
                    let whole = t.sort(first.term) == Sort::BitVec(hi + 1) && lo == 0;
                    if whole { first.term } else { t.apply(Op::Extract { hi, lo }, &[first.term]) }
                }
            };
            whole = Some(match whole {
                None => part,
                Some(low) => t.apply(Op::Concat, &[part, low]),
            });
            n = end;
        }
        whole.map(|w| simplify(t, w))
    }

    fn write(&mut self, at: Loc, size: u32, term: Option<Term>) {
        let term = term.map(|t| simplify(self.terms, t)).filter(|t| self.terms.constant_value(*t).is_none());
        for index in 0..size {
            self.put(at.plus(index), term.map(|term| Byte { term, index }));
        }
    }

    /// Adds a condition that holds in the concrete run.
    fn require(&mut self, condition: Term) {
        let condition = simplify(self.terms, condition);
        if self.terms.node(condition).op == Op::Bool(true) {
            return;
        }
        if self.seen.insert(condition) {
            self.constraints.push(condition);
        }
    }

    /// From here on these bytes have their concrete value.
    fn fix(&mut self, at: Loc, size: u32, concrete: u128) {
        if let Some(term) = self.read(at, size, concrete) {
            let condition = self.terms.eq(term, self.terms.bv(8 * size, concrete));
            self.require(condition);
            self.write(at, size, None);
        }
    }

    fn fix_slot(&mut self, slot: Slot, concrete: u128) {
        if let SlotKind::File(o) = slot.place {
            self.fix(Loc::File(o), slot.size, concrete);
        }
    }

    fn slot(&self, slot: Slot, concrete: u128) -> Option<Term> {
        match slot.place {
            SlotKind::Constant(_) => None,
            SlotKind::File(o) => self.read(Loc::File(o), slot.size, concrete),
        }
    }

    fn slot_bytes(&self, slot: Slot) -> Vec<Option<Byte>> {
        match slot.place {
            SlotKind::Constant(_) => vec![None; slot.size as usize],
            SlotKind::File(o) => (0..slot.size).map(|n| self.file[(o + n) as usize]).collect(),
        }
    }

    fn put_bytes(&mut self, at: Loc, bytes: &[Option<Byte>], size: u32) {
        for n in 0..size {
            self.put(at.plus(n), bytes.get(n as usize).copied().flatten());
        }
    }

    /// The bytes of a result that is made of whole bytes of the operands: of a shift by whole bytes, whose amount is a number by
    /// now, and where `|` puts bytes beside zeros, as for the two registers of a dividend.
    fn rearranged(&self, kind: Arith, [a, b]: [Slot; 2], values: [u128; 2]) -> Option<Vec<Option<Byte>>> {
        let from = self.slot_bytes(a);
        let amount = || usize::try_from(values[1] / 8).ok().filter(|n| values[1].is_multiple_of(8) && *n < from.len());
        match kind {
            Arith::Shl => {
                let n = amount()?;
                Some((0..from.len()).map(|i| from[i.checked_sub(n)?]).collect())
            }
            Arith::Lshr => {
                let n = amount()?;
                Some((0..from.len()).map(|i| *from.get(i + n)?).collect())
            }
            Arith::Or => {
                let other = self.slot_bytes(b);
                let zero = |value: u128, i: usize| value.to_le_bytes()[i] == 0;
                let beside = |i: usize| match (from[i], other[i]) {
                    (None, None) => Some(None),
                    (byte, None) if zero(values[1], i) => Some(byte),
                    (None, byte) if zero(values[0], i) => Some(byte),
                    _ => None,
                };
                (0..from.len().min(other.len())).map(beside).collect()
            }
            _ => None,
        }
    }

    fn make_fresh(&mut self, at: Loc, size: u32, origin: FreshOrigin) {
        let mut done = 0;
        while done < size {
            let part = (size - done).min(8);
            let name = format!("fresh{}", self.fresh.len());
            let term = self.terms.symbol(&name, Sort::BitVec(8 * part), Role::Free);
            self.fresh.push(Fresh { name, term, origin });
            self.write(at.plus(done), part, Some(term));
            done += part;
        }
    }

    /// A truth value as one byte.
    fn flag(&self, condition: Term) -> Term {
        self.terms.ite(condition, self.terms.bv(8, 1), self.terms.bv(8, 0))
    }

    /// A byte as a truth value: that it is not zero.
    fn truth(&self, byte: Term) -> Term {
        let t = self.terms;
        let node = t.node(byte);
        if node.op == Op::Ite {
            let [c, a, b] = [node.args()[0], node.args()[1], node.args()[2]];
            let of = |x: Term| t.constant_value(x).map(|v| v.as_bits().unsigned());
            match (of(a), of(b)) {
                (Some(1), Some(0)) => return c,
                (Some(0), Some(1)) => return t.not(c),
                _ => {}
            }
        }
        let Sort::BitVec(width) = t.sort(byte) else { unreachable!("bytes are bit-vectors") };
        t.not(t.eq(byte, t.bv(width, 0)))
    }

    /// `a < b` with signs, where two bytes are the overflow flag and the sign flag of `a - b`: that these differ is how the
    /// processor says so.
    fn compared(&self, x: Term, y: Term) -> Option<Term> {
        let t = self.terms;
        let (overflow, sign) = if self.overflows.contains_key(&x) { (x, y) } else { (y, x) };
        let (a, b) = *self.overflows.get(&overflow)?;
        let difference = t.apply(Op::BvSub, &[a, b]);
        let Sort::BitVec(width) = t.sort(a) else { return None };
        let negative = self.flag(t.apply(Op::BvSlt, &[difference, t.bv(width, 0)]));
        (simplify(t, negative) == sign).then(|| t.apply(Op::BvSlt, &[a, b]))
    }

    /// `a <= b`, where two conditions are `a < b` and `a == b`: so the processor says it.
    fn at_most(&self, x: Term, y: Term) -> Option<Term> {
        let t = self.terms;
        [(x, y), (y, x)].into_iter().find_map(|(less, equal)| {
            let (less, equal) = (t.node(less), t.node(equal));
            let op = match less.op {
                Op::BvUlt => Op::BvUle,
                Op::BvSlt => Op::BvSle,
                _ => return None,
            };
            if equal.op != Op::Eq {
                return None;
            }
            // Equality may be said of the difference.
            let (left, right) = (t.node(equal.args()[0]), equal.args()[1]);
            let zero = || t.constant_value(right).is_some_and(|v| v.as_bits().unsigned() == 0);
            let pair = if left.op == Op::BvSub && zero() { left.args().to_vec() } else { equal.args().to_vec() };
            let [a, b] = [less.args()[0], less.args()[1]];
            (pair == [a, b] || pair == [b, a]).then(|| t.apply(op, less.args()))
        })
    }

    fn arith(&self, kind: Arith, a: Term, b: Term, width: u32, to: u32) -> Term {
        let t = self.terms;
        let apply = |op: Op| t.apply(op, &[a, b]);
        let zero = || t.bv(width, 0);
        let negative = |x: Term| t.apply(Op::BvSlt, &[x, zero()]);
        match kind {
            Arith::Add => apply(Op::BvAdd),
            Arith::Sub => apply(Op::BvSub),
            Arith::Mul => apply(Op::BvMul),
            Arith::And => apply(Op::BvAnd),
            Arith::Or => apply(Op::BvOr),
            Arith::Xor => apply(Op::BvXor),
            Arith::Shl => apply(Op::BvShl),
            Arith::Lshr => apply(Op::BvLshr),
            Arith::Ashr => apply(Op::BvAshr),
            Arith::Not => t.apply(Op::BvNot, &[a]),
            Arith::Neg => t.apply(Op::BvNeg, &[a]),
            Arith::Eq => self.flag(t.eq(a, b)),
            Arith::Ne => self.flag(t.not(t.eq(a, b))),
            Arith::Ult => self.flag(apply(Op::BvUlt)),
            Arith::Ule => self.flag(apply(Op::BvUle)),
            Arith::Slt => self.flag(apply(Op::BvSlt)),
            Arith::Sle => self.flag(apply(Op::BvSle)),
            Arith::Carry => self.flag(t.apply(Op::BvUlt, &[apply(Op::BvAdd), a])),
            Arith::Scarry => {
                let r = apply(Op::BvAdd);
                let both = t.apply(Op::BvAnd, &[t.apply(Op::BvXor, &[a, r]), t.apply(Op::BvXor, &[b, r])]);
                self.flag(negative(both))
            }
            Arith::Sborrow => {
                let r = apply(Op::BvSub);
                let both = t.apply(Op::BvAnd, &[t.apply(Op::BvXor, &[a, b]), t.apply(Op::BvXor, &[a, r])]);
                self.flag(negative(both))
            }
            Arith::BoolNot => self.flag(t.not(self.truth(a))),
            Arith::BoolAnd => {
                let (a, b) = (self.truth(a), self.truth(b));
                let neither = self.at_most(simplify(t, t.not(a)), simplify(t, t.not(b))).map(|c| t.not(c));
                self.flag(neither.unwrap_or_else(|| t.and(a, b)))
            }
            Arith::BoolOr => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.flag(self.at_most(a, b).unwrap_or_else(|| t.or(a, b)))
            }
            Arith::BoolXor => self.flag(t.not(t.eq(self.truth(a), self.truth(b)))),
            Arith::Sext if 8 * to > width => t.apply(Op::SignExtend(8 * to - width), &[a]),
            Arith::Sext => a,
            Arith::Popcount => {
                let bits = (0..width).map(|n| t.apply(Op::Extract { hi: n, lo: n }, &[a]));
                let wide = bits.map(|bit| t.apply(Op::ZeroExtend(8 * to - 1), &[bit]));
                wide.reduce(|x, y| t.apply(Op::BvAdd, &[x, y])).expect("there are bits")
            }
            Arith::Lzcount | Arith::Udiv | Arith::Sdiv | Arith::Urem | Arith::Srem => {
                unreachable!("operands are fixed, and a division has conditions")
            }
        }
    }
}

impl Watch for Symbolic<'_> {
    fn moved(&mut self, to: Slot, from: Slot, skip: u32) {
        let SlotKind::File(o) = to.place else { return };
        let bytes = self.slot_bytes(from);
        self.put_bytes(Loc::File(o), bytes.get(skip as usize..).unwrap_or_default(), to.size);
    }

    fn pieced(&mut self, to: Slot, high: Slot, low: Slot) {
        let SlotKind::File(o) = to.place else { return };
        let mut bytes = self.slot_bytes(low);
        bytes.extend(self.slot_bytes(high));
        self.put_bytes(Loc::File(o), &bytes, to.size);
    }

    fn computed(&mut self, kind: Arith, to: Slot, slots: [Slot; 2], values: [u128; 2], _result: u128) {
        let SlotKind::File(o) = to.place else { return };
        let at = Loc::File(o);
        let [a, b] = slots;
        let mut terms = [self.slot(a, values[0]), self.slot(b, values[1])];
        if terms == [None, None] {
            self.write(at, to.size, None);
            return;
        }
        // What is compared with itself, or taken from itself, does not depend on it.
        if a == b
            && matches!(
                kind,
                Arith::Xor | Arith::Sub | Arith::Eq | Arith::Ne | Arith::Ult | Arith::Slt | Arith::Sborrow
            )
        {
            self.write(at, to.size, None);
            return;
        }
        let shift = matches!(kind, Arith::Shl | Arith::Lshr | Arith::Ashr);
        let product = kind == Arith::Mul && terms.iter().all(Option::is_some);
        let both = product || kind == Arith::Lzcount;
        let fixed = [both, both || shift || divides(kind)];
        for n in 0..2 {
            if fixed[n] && terms[n].is_some() {
                self.fix_slot(slots[n], values[n]);
                terms[n] = None;
            }
        }
        if terms == [None, None] {
            self.write(at, to.size, None);
            return;
        }
        if to.size == a.size
            && let Some(bytes) = self.rearranged(kind, slots, values)
        {
            self.put_bytes(at, &bytes, to.size);
            return;
        }
        if let Some(dividend) = terms[0].filter(|_| divides(kind)) {
            let division = divide(self.terms, kind, dividend, values[0], values[1]);
            match division.filter(|_| to.size == a.size) {
                Some(found) => {
                    self.require(found.fits);
                    self.write(at, to.size, Some(found.result));
                }
                None => {
                    self.fix_slot(a, values[0]);
                    self.write(at, to.size, None);
                }
            }
            return;
        }
        let width = 8 * a.size;
        let t = self.terms;
        let left = terms[0].unwrap_or_else(|| t.bv(width, values[0]));
        // The amount of a shift may have another width; by now it is a number.
        let right = match terms[1] {
            Some(term) => term,
            None if shift => t.bv(width, values[1].min(u128::from(width))),
            None => t.bv(8 * b.size, values[1]),
        };
        let less = if matches!(kind, Arith::Eq | Arith::Ne) { self.compared(left, right) } else { None };
        let result = match less {
            Some(less) => self.flag(if kind == Arith::Ne { less } else { t.not(less) }),
            None => self.arith(kind, left, right, width, to.size),
        };
        if kind == Arith::Sborrow {
            self.overflows.insert(simplify(t, result), (left, right));
        }
        self.write(at, to.size, Some(result));
    }

    fn loaded(&mut self, to: Slot, pointer: Slot, address: u64, _bytes: &[u8], volatile: bool) {
        self.fix_slot(pointer, address.into());
        let SlotKind::File(o) = to.place else { return };
        if volatile {
            self.make_fresh(Loc::File(o), to.size, FreshOrigin::Others(Some(address)));
            return;
        }
        let bytes: Vec<Option<Byte>> = (0..to.size).map(|n| self.byte(Loc::Memory(address).plus(n))).collect();
        self.put_bytes(Loc::File(o), &bytes, to.size);
    }

    fn stored(&mut self, pointer: Slot, address: u64, from: Slot) {
        let bytes = self.slot_bytes(from);
        self.fix_slot(pointer, address.into());
        self.put_bytes(Loc::Memory(address), &bytes, from.size);
    }

    fn decided(&mut self, condition: Slot, holds: bool) {
        if let Some(byte) = self.slot(condition, 0) {
            let truth = self.truth(byte);
            let wanted = if holds { truth } else { self.terms.not(truth) };
            self.require(wanted);
        }
    }

    fn jumped(&mut self, target: Slot, address: u64) {
        self.fix_slot(target, address.into());
    }

    fn native(&mut self, effects: &Effects, values: &dyn Fn(Loc, &mut [u8]), fresh: bool) {
        let mut fix = |at: Loc, size: u32| {
            let mut done = 0;
            while done < size {
                let part = (size - done).min(8);
                let mut bytes = [0u8; 16];
                values(at.plus(done), &mut bytes[..part as usize]);
                self.fix(at.plus(done), part, u128::from_le_bytes(bytes));
                done += part;
            }
        };
        for (o, n) in effects.pointers.iter().chain(&effects.reads) {
            fix(Loc::File(*o), *n);
        }
        let mut volatile = false;
        for (a, n, v) in &effects.memory_reads {
            fix(Loc::Memory(*a), *n);
            volatile |= v;
        }
        for (o, n) in &effects.writes {
            debug_assert!(o + n <= REGISTERS);
            if fresh || volatile {
                self.make_fresh(
                    Loc::File(*o),
                    *n,
                    if fresh { FreshOrigin::Instruction } else { FreshOrigin::Others(None) },
                );
            } else {
                self.write(Loc::File(*o), *n, None);
            }
        }
        for (a, n) in &effects.memory_writes {
            if fresh || volatile {
                self.make_fresh(Loc::Memory(*a), *n, FreshOrigin::Others(None));
            } else {
                self.write(Loc::Memory(*a), *n, None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{Cpu, GENERAL};
    use crate::lift::Lifter;
    use crate::memory::Memory;
    use crate::native::Native;
    use lariat_ir::Value;

    type Case = (&'static [u8], u8, fn(i32, i32) -> bool);

    #[test]
    fn comparisons_are_seen_through_the_flags() {
        let (mut lifter, mut native) = (Lifter::new(), Native::new().expect("there is memory"));
        let terms = Terms::new();
        let [a, b] = ["eax", "edx"].map(|name| terms.symbol(name, Sort::BitVec(32), Role::Free));
        let cell = |at: u32, term: Term| (Loc::File(at), Cell { name: String::new(), width: 32, term });
        let code: [Case; 7] = [
            (&[0x39, 0xd0, 0x0f, 0x9c, 0xc1], 0, |a, b| a < b),
            (&[0x39, 0xd0, 0x0f, 0x9d, 0xc1], 1, |a, b| a >= b),
            (&[0x83, 0xf8, 0x07, 0x0f, 0x9e, 0xc1], 2, |a, _| a <= 7),
            (&[0x3d, 0x00, 0x00, 0x00, 0x80, 0x0f, 0x9f, 0xc1], 3, |a, _| a > i32::MIN),
            (&[0x39, 0xd0, 0x0f, 0x9f, 0xc1], 4, |a, b| a > b),
            (&[0x39, 0xd0, 0x0f, 0x96, 0xc1], 5, |a, b| a.cast_unsigned() <= b.cast_unsigned()),
            (&[0x39, 0xd0, 0x0f, 0x97, 0xc1], 6, |a, b| a.cast_unsigned() > b.cast_unsigned()),
        ];
        for (bytes, n, holds) in code {
            let mut fresh = Vec::new();
            let mut symbolic = Symbolic::new(&terms, &[cell(GENERAL[0], a), cell(GENERAL[2], b)], &mut fresh);
            let (file, memory) = (vec![0; FILE as usize], Memory::blank());
            let mut cpu = Cpu { file, memory, rip: 0, undefined: 0, unforeseen: 0, in_call: None, restartable: false };
            let at = 0x100 * u64::from(n);
            let first = lifter.lift_bytes(at, bytes).expect("a comparison");
            let second = lifter.lift_bytes(first.next(), &bytes[first.len as usize..]).expect("its use");
            for lifted in [first, second] {
                cpu.run(&lifted, &mut native, &mut symbolic).expect("it runs");
            }
            let result = symbolic.read(Loc::File(GENERAL[1]), 1, 0).expect("it depends on the operands");
            let others = |x: &Term| matches!(terms.node(*x).op, Op::BvXor | Op::BvSub | Op::And | Op::Or);
            assert_eq!(terms.reachable(&[result]).into_iter().find(others), None, "{n}");
            for x in [i32::MIN, -8, -1, 0, 7, 8, i32::MAX] {
                for y in [i32::MIN, -8, 0, 8, i32::MAX] {
                    let value = |t: Term| Value::bv(32, if t == a { x } else { y }.cast_unsigned().into());
                    let found = terms.eval(result, value).as_bits().unsigned();
                    assert_eq!(found, u128::from(holds(x, y)), "{n}: {x} {y}");
                }
            }
        }
    }
}
