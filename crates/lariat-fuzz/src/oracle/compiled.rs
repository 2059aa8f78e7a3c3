//! Terms compiled to straight-line code over machine words.
//!
//! The oracle evaluates the same few terms in every state of thousands of systems; `lariat_ir::eval` is exact for all
//! sorts and too slow for that. What does not fit in a word is refused, an integer that outgrows it is reported.

use lariat_ir::{ArrayValue, Bits, Id, Op, Role, Scalar, Sort, Term, TransitionSystem, Value};
use std::sync::Arc;

/// The widest bit-vector that fits.
const MAX_BITS: u32 = 62;

/// How many bits a value of this sort takes, if it has a fixed number that fits in a word.
pub fn bits_of(sort: Sort) -> Option<u32> {
    let scalar = |s: Scalar| match s {
        Scalar::Bool => Some(1),
        Scalar::BitVec(w) => (w <= MAX_BITS).then_some(w),
        Scalar::Int => None,
    };
    match sort {
        Sort::Array(i, e) => {
            let (i, e) = (scalar(i)?, scalar(e)?);
            (i <= 5 && e << i <= MAX_BITS).then_some(e << i)
        }
        other => scalar(other.as_scalar().expect("only arrays are no scalars")),
    }
}

/// Whether values of this sort fit in a word (integers do as long as they are small).
pub fn fits(sort: Sort) -> bool {
    sort == Sort::Int || bits_of(sort).is_some()
}

/// A value as a word; nothing if it does not fit.
pub fn to_word(v: &Value) -> Option<i64> {
    match v {
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Bv(b) => i64::try_from(b.unsigned()).ok().filter(|_| b.width() <= MAX_BITS),
        Value::Int(i) => i64::try_from(i.clone()).ok(),
        Value::Array(a) => {
            let Sort::Array(index, element) = v.sort() else { unreachable!("an array has an array's sort") };
            bits_of(v.sort())?;
            let (i, e) = (bits_of(index.into())?, bits_of(element.into())?);
            let mut word = 0;
            for cell in 0..1i64 << i {
                word |= to_word(a.get(&from_word(index.into(), cell)))? << (cell * i64::from(e));
            }
            Some(word)
        }
    }
}

/// The value that a word stands for.
pub fn from_word(sort: Sort, word: i64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(word != 0),
        Sort::BitVec(w) => Value::Bv(Bits::from_signed(w, word.into())),
        Sort::Int => Value::int(word),
        Sort::Array(index, element) => {
            let i = bits_of(index.into()).expect("only arrays that fit are made");
            let e = bits_of(element.into()).expect("only arrays that fit are made");
            let mut a = ArrayValue::constant(index, Value::zero(element.into()));
            for cell in 0..1i64 << i {
                let bits = word >> (cell * i64::from(e)) & low(e);
                a.set(from_word(index.into(), cell), from_word(element.into(), bits));
            }
            Value::Array(Arc::new(a))
        }
    }
}

/// Every value of an unknown as words, ascending; nothing if there are more than `limit`.
pub fn domain_of(ts: &TransitionSystem, unknown: lariat_ir::UnknownId, limit: usize) -> Option<Vec<i64>> {
    let u = &ts.unknowns[unknown];
    let (lo, hi) = match (&u.range, u.sort) {
        (Some((lo, hi)), _) => (i64::try_from(lo.clone()).ok()?, i64::try_from(hi.clone()).ok()?),
        (None, Sort::Int) => return None,
        (None, sort) => (0, low(bits_of(sort)?)),
    };
    let count = usize::try_from(hi.checked_sub(lo)?.checked_add(1)?).ok()?;
    (count <= limit).then(|| (lo..=hi).collect())
}

fn low(width: u32) -> i64 {
    (1i64 << width) - 1
}

fn signed(x: i64, width: u32) -> i64 {
    let shift = 64 - width;
    (x << shift) >> shift
}

#[derive(Clone, Copy)]
struct Instr {
    op: Op,
    /// The width of the first argument; of an element where the operation works on an array.
    width: u32,
    /// The width of the second argument, or the constant.
    extra: i64,
    args: [u32; 3],
}

/// Compiled terms. Registers: the variables, their old values, the unknowns, then one for each instruction.
pub struct Code {
    steps: Vec<Instr>,
    roots: Vec<u32>,
    leaves: usize,
}

/// How many registers stand for symbols.
pub fn leaves(ts: &TransitionSystem) -> usize {
    2 * ts.vars.len() + ts.unknowns.len()
}

impl Code {
    /// Compiles terms of a system; nothing if one has a sort that does not fit or a foreign symbol.
    pub fn new(ts: &TransitionSystem, roots: &[Term]) -> Option<Self> {
        let leaves = leaves(ts);
        let order = ts.terms.reachable(roots);
        let mut place = Vec::with_capacity(order.len());
        let mut code = Vec::new();
        let word = |n: usize| u32::try_from(n).expect("registers fit in 32 bits");
        for &t in &order {
            let node = ts.terms.node(t);
            if !fits(node.sort) || matches!(node.op, Op::Float(_)) {
                return None;
            }
            if matches!(node.op, Op::Symbol(_)) {
                place.push(match ts.terms.role(t)? {
                    Role::Var(v) if v.index() < ts.vars.len() => word(v.index()),
                    Role::Old(v) if v.index() < ts.vars.len() => word(ts.vars.len() + v.index()),
                    Role::Unknown(u) if u.index() < ts.unknowns.len() => word(2 * ts.vars.len() + u.index()),
                    _ => return None,
                });
                continue;
            }
            let mut args = [0; 3];
            for (i, a) in node.args().iter().enumerate() {
                args[i] = place[order.binary_search(a).expect("arguments are reachable")];
            }
            let sort_of = |i: usize| node.args().get(i).map(|a| ts.terms.sort(*a));
            let mut width = sort_of(0).and_then(bits_of).unwrap_or(0);
            let mut extra = sort_of(1).and_then(bits_of).map_or(0, i64::from);
            match node.op {
                Op::Bool(_) | Op::Bv(_) | Op::Int(_) => extra = to_word(&ts.terms.constant_value(t)?)?,
                Op::Select | Op::Store => {
                    let Some(Sort::Array(_, e)) = sort_of(0) else { return None };
                    width = bits_of(e.into())?;
                }
                Op::Fill(i) => extra = 1 << bits_of(i.into())?,
                _ => {}
            }
            code.push(Instr { op: node.op, width, extra, args });
            place.push(word(leaves + code.len() - 1));
        }
        let roots = roots.iter().map(|r| place[order.binary_search(r).expect("roots are reachable")]).collect();
        Some(Self { steps: code, roots, leaves })
    }

    /// Runs the code; the registers below [`leaves`] hold the symbols' values. False if an integer outgrew its word.
    pub fn run(&self, regs: &mut Vec<i64>) -> bool {
        regs.resize(self.leaves + self.steps.len(), 0);
        let mut fine = true;
        for (i, instr) in self.steps.iter().enumerate() {
            let [a, b, c] = instr.args.map(|r| regs[r as usize]);
            regs[self.leaves + i] = match step(instr, a, b, c) {
                Some(v) => v,
                None => {
                    fine = false;
                    0
                }
            };
        }
        fine
    }

    /// The value of the n-th root after a run.
    pub fn root(&self, regs: &[i64], n: usize) -> i64 {
        regs[self.roots[n] as usize]
    }
}

/// One operation; nothing where an integer outgrows its word.
fn step(instr: &Instr, a: i64, b: i64, c: i64) -> Option<i64> {
    let w = instr.width;
    let mask = low(w);
    let sa = || signed(a, w);
    let sb = || signed(b, w);
    let flag = |b: bool| i64::from(b);
    Some(match instr.op {
        Op::Bool(_) | Op::Bv(_) | Op::Int(_) => instr.extra,
        Op::Symbol(_) => unreachable!("symbols have registers of their own"),
        Op::Float(_) => unreachable!("they are refused"),
        Op::Not => flag(a == 0),
        Op::And | Op::BvAnd => a & b,
        Op::Or | Op::BvOr => a | b,
        Op::Eq => flag(a == b),
        Op::Ite => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Op::BvNot => !a & mask,
        Op::BvNeg => a.wrapping_neg() & mask,
        Op::BvXor => a ^ b,
        Op::BvAdd => a.wrapping_add(b) & mask,
        Op::BvSub => a.wrapping_sub(b) & mask,
        Op::BvMul => a.wrapping_mul(b) & mask,
        Op::BvUdiv => a.checked_div(b).unwrap_or(mask),
        Op::BvUrem => a.checked_rem(b).unwrap_or(a),
        Op::BvSdiv => (if b == 0 { if sa() < 0 { 1 } else { -1 } } else { sa() / sb() }) & mask,
        Op::BvSrem => (if b == 0 { sa() } else { sa() % sb() }) & mask,
        Op::BvShl => {
            if b < i64::from(w) {
                a << b & mask
            } else {
                0
            }
        }
        Op::BvLshr => {
            if b < i64::from(w) {
                a >> b
            } else {
                0
            }
        }
        Op::BvAshr => (sa() >> b.min(62)) & mask,
        Op::BvUlt | Op::IntLt => flag(a < b),
        Op::BvUle | Op::IntLe => flag(a <= b),
        Op::BvSlt => flag(sa() < sb()),
        Op::BvSle => flag(sa() <= sb()),
        Op::Concat => a << instr.extra | b,
        Op::Extract { hi, lo } => a >> lo & low(hi - lo + 1),
        Op::ZeroExtend(_) => a,
        Op::SignExtend(by) => sa() & low(w + by),
        Op::IntNeg => a.checked_neg()?,
        Op::IntAdd => a.checked_add(b)?,
        Op::IntSub => a.checked_sub(b)?,
        Op::IntMul => a.checked_mul(b)?,
        Op::IntToBv(width) => a & low(width),
        Op::UbvToInt => a,
        Op::SbvToInt => sa(),
        Op::IntDiv => {
            if b == 0 {
                0
            } else {
                a.checked_div_euclid(b)?
            }
        }
        Op::IntMod => {
            if b == 0 {
                a
            } else {
                a.checked_rem_euclid(b)?
            }
        }
        Op::Select => a >> (b * i64::from(w)) & mask,
        Op::Store => (a & !(mask << (b * i64::from(w)))) | c << (b * i64::from(w)),
        Op::Fill(_) => (0..instr.extra).fold(0, |word, i| word | a << (i * i64::from(w))),
    })
}

#[cfg(test)]
mod tests {
    use super::super::random::{Shape, random_system};
    use super::super::space::{Expansion, Space};
    use super::*;
    use lariat_ir::random::Random;
    use lariat_ir::{Machine, State, Step};

    /// Steps of random systems, worked out here and by the interpreter.
    #[test]
    fn compiled_terms_mean_what_the_interpreter_says() {
        let mut compared = 0;
        for seed in 0..300 {
            let ts = random_system(seed, &Shape { arrays: 20, ..Shape::default() });
            let mut space = Space::new(&ts).expect("random systems are small");
            let machine = Machine::new(&ts);
            let mut rng = Random::new(seed);
            let locs: Vec<_> = ts.locs.ids().filter(|l| !l.is_sink()).collect();
            for _ in 0..20 {
                let words: Vec<i64> = ts
                    .vars
                    .iter()
                    .map(|v| bits_of(v.sort).map_or((-9, 20), |b| (0, low(b))))
                    .map(|(least, greatest)| rng.between(least, greatest))
                    .collect();
                let v = space.intern(&words);
                let state = State { loc: *rng.pick(&locs), values: space.values(v) };
                assert_eq!(state.values.iter().map(to_word).collect::<Option<Vec<_>>>(), Some(words));
                let Expansion::Step(step) = space.expand(state.loc, v) else { panic!("seed {seed} is no system") };
                for (n, outcome) in space.outcomes(&step).iter().enumerate() {
                    let small = |n: usize| u32::try_from(n).expect("small");
                    let (input, other) = (small(n) / step.others, small(n) % step.others);
                    let choice = space.choice(step.edge, input, other);
                    let value = |u| choice.iter().find(|(w, _)| *w == u).expect("each is given").1.clone();
                    let Step::Took(edge, next) = machine.step(&state, value) else { panic!("seed {seed} is stuck") };
                    assert_eq!((edge, next.loc), (step.edge, step.to));
                    assert_eq!(next.values, space.values(*outcome), "seed {seed}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 6000, "{compared}");
    }
}
