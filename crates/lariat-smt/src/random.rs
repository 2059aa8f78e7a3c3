//! Random questions about words and maps that a hidden choice of values answers with yes, for tests: whoever says that they are impossible is wrong.
//! It takes no enumeration, so it works at every width.

use lariat_ir::random::Random;
use lariat_ir::{ArrayValue, Bits, Op, Role, Scalar, Sort, Term, Terms, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// The widths at which something may go wrong.
pub(crate) const WIDTHS: [u32; 13] = [1, 2, 3, 8, 31, 32, 33, 63, 64, 65, 126, 127, 128];

pub(crate) struct World {
    pub terms: Terms,
    /// The hidden values.
    pub values: HashMap<Term, Value>,
    width: u32,
    random: Random,
    words: Vec<Term>,
    maps: Vec<Term>,
    truths: Vec<Term>,
    integers: Vec<Term>,
}

impl World {
    pub fn new(seed: u64) -> Self {
        let width = WIDTHS[usize::try_from(seed).expect("small") % WIDTHS.len()];
        let (terms, values) = (Terms::new(), HashMap::new());
        let (words, maps, truths, integers) = Default::default();
        let mut world = Self { terms, values, width, random: Random::new(seed), words, maps, truths, integers };
        let word = Scalar::BitVec(width);
        for i in 0..2 {
            let sorts = [("w", word.into()), ("p", Sort::Bool), ("i", Sort::Int), ("m", Sort::Array(word, word))];
            let [w, p, n, m] = sorts.map(|(name, sort)| world.symbol(&format!("{name}{i}"), sort));
            world.words.push(w);
            world.truths.push(p);
            world.integers.push(n);
            world.maps.push(m);
        }
        world
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn symbol(&mut self, name: &str, sort: Sort) -> Term {
        let s = self.terms.symbol(name, sort, Role::Free);
        let value = self.value(sort);
        self.values.insert(s, value);
        s
    }

    /// Mostly at an edge.
    fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 0),
            Sort::Int => Value::int(i64::try_from(self.below(21)).expect("small") - 10),
            Sort::BitVec(width) => {
                let half = 1_u128 << (width - 1);
                let any = self.random.next().into();
                let near = self.pick(&[0, half, half >> 1, u128::MAX, any]);
                Value::Bv(Bits::new(width, near.wrapping_add(self.below(5) as u128).wrapping_sub(2)))
            }
            Sort::Array(index, element) => {
                let mut map = ArrayValue::constant(index, self.value(element.into()));
                for _ in 0..self.below(4) {
                    map.set(self.value(index.into()), self.value(element.into()));
                }
                Value::Array(Arc::new(map))
            }
        }
    }

    fn word(&mut self, depth: usize) -> Term {
        let width = self.width;
        if depth == 0 || self.below(8) == 0 {
            let number = self.value(Sort::BitVec(width));
            let number = self.terms.value(&number);
            return self.pick(&[self.words[0], self.words[1], number]);
        }
        let (a, b) = (self.word(depth - 1), self.word(depth - 1));
        let number = self.value(Sort::BitVec(width));
        let number = self.terms.value(&number);
        let small = u32::try_from(self.below(3)).expect("small");
        let op = match self.below(12) {
            0..3 => return self.terms.apply(Op::BvAdd, &[a, b]),
            3 => return self.terms.apply(Op::BvSub, &[a, b]),
            4 => return self.terms.apply([Op::BvNot, Op::BvNeg, Op::BvNot][small as usize], &[a]),
            5 => self.pick(&[Op::BvMul, Op::BvShl, Op::BvLshr, Op::BvAshr]),
            6 => self.pick(&[Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem]),
            7 => {
                let mask = self.terms.bv(width, u128::MAX.checked_shr(128 - width.min(128) + small).unwrap_or(0));
                return self.terms.apply(Op::BvAnd, &[a, mask]);
            }
            8 => {
                let p = self.truth(depth - 1);
                return self.terms.ite(p, a, b);
            }
            9 if 2 * width <= 128 => {
                let both = self.terms.apply(Op::Concat, &[a, b]);
                let lo = u32::try_from(self.below(width as usize + 1)).expect("small");
                return self.terms.apply(Op::Extract { hi: lo + width - 1, lo }, &[both]);
            }
            10 if width + 2 <= 128 => {
                let op = self.pick(&[Op::ZeroExtend(2), Op::SignExtend(2)]);
                let sum = self.terms.apply(Op::BvAdd, &[self.terms.apply(op, &[a]), self.terms.apply(op, &[b])]);
                return self.terms.apply(Op::Extract { hi: small + width - 1, lo: small }, &[sum]);
            }
            9 | 10 => {
                let i = self.integer(depth - 1);
                return self.terms.apply(Op::IntToBv(width), &[i]);
            }
            _ => {
                let map = self.map(depth - 1);
                return self.terms.apply(Op::Select, &[map, a]);
            }
        };
        self.terms.apply(op, &[a, number])
    }

    fn map(&mut self, depth: usize) -> Term {
        let m = self.pick(&[self.maps[0], self.maps[1]]);
        if depth == 0 {
            return m;
        }
        match self.below(4) {
            0 => {
                let v = self.word(depth - 1);
                self.terms.apply(Op::Fill(Scalar::BitVec(self.width)), &[v])
            }
            1 => {
                let (p, a, b) = (self.truth(depth - 1), self.map(depth - 1), self.map(depth - 1));
                self.terms.ite(p, a, b)
            }
            _ => {
                let (a, i, v) = (self.map(depth - 1), self.word(depth - 1), self.word(depth - 1));
                self.terms.apply(Op::Store, &[a, i, v])
            }
        }
    }

    fn integer(&mut self, depth: usize) -> Term {
        if depth == 0 || self.below(3) == 0 {
            return self.pick(&[self.integers[0], self.integers[1]]);
        }
        let a = self.word(depth - 1);
        let b = self.integer(depth - 1);
        let op = self.pick(&[Op::UbvToInt, Op::SbvToInt]);
        self.terms.apply(Op::IntAdd, &[self.terms.apply(op, &[a]), b])
    }

    pub fn truth(&mut self, depth: usize) -> Term {
        if self.below(10) == 0 {
            return self.pick(&[self.truths[0], self.truths[1]]);
        }
        if depth > 0 && self.below(4) == 0 {
            let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
            let t = &self.terms;
            let all = [t.and(a, b), t.or(a, b), t.not(a), t.eq(a, b)];
            return self.pick(&all);
        }
        let (op, a, b) = match self.below(8) {
            0 => (Op::Eq, self.map(depth), self.map(depth)),
            1 => (self.pick(&[Op::Eq, Op::IntLt, Op::IntLe]), self.integer(depth), self.integer(depth)),
            _ => {
                let op = self.pick(&[Op::Eq, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle]);
                (op, self.word(depth), self.word(depth))
            }
        };
        self.terms.apply(op, &[a, b])
    }

    pub fn evaluate(&self, t: Term) -> Value {
        self.terms.eval(t, |s| self.values[&s].clone())
    }

    /// Something that holds of the hidden values.
    pub fn fact(&mut self, depth: usize) -> Term {
        let t = self.truth(depth);
        if self.evaluate(t).as_bool() { t } else { self.terms.not(t) }
    }
}
