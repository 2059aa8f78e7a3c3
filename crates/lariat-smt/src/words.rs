//! Questions about machine words, put as questions about integers.
//!
//! A word of 32 bits that is compared with a number after an addition is a matter of a few inequalities, but of thousands of clauses
//! once it is taken apart into bits. Most of what programs do to words is linear, so this is tried first.
//!
//! A word of width w is represented by *some* integer that is congruent to it modulo 2^w, together with bounds on that integer. Sums,
//! differences, multiples, negation and truncation respect congruence, so they are those of the integers, and nothing wraps.
//! Only where the word itself decides something (a comparison, an extension, a division) the integer is brought into the range of its values,
//! signed or unsigned: [`Words::within`] subtracts the multiple of 2^w that the bounds leave, or chooses between the few that they
//! leave, or takes a remainder. A symbol is a symbol for an integer, with bounds that are asserted beside every assertion that
//! speaks of it. What has no such form (a product of two unknowns, a mixture of bits) has none here, and the bits must do.
//!
//! A map from words or to words becomes one from or to integers, where indices and elements are always the signed values. What is read is bounded
//! as a symbol is.
//!
//! *Nothing is lost*: each model of the old question gives one of the new one, so that an answer "impossible" to the new one holds for the old one. A symbol
//! has the value that its word has in its range. A map holds at the values of words what the old one holds there, and at all other
//! integers one value, about which nobody asks, with one exception: equality of maps. So these other values must agree where the old maps are equal. Let
//! symbols and constant maps that equations of the model connect, through stores, form groups; stores change nothing at the other
//! integers. A group has all its other values from its constant maps, which agree: two that did not would differ at all indices but
//! the few that stores in the formula name, one for each store, however often it is used. A term's number has 32 bits, so there are fewer stores than indices
//! of 32 bits, and equality of maps has no form where indices have fewer.
//!
//! *Nothing is gained*, either, but nobody relies on it: a model of the new question is turned back, and evaluation has the last word.

use dashu_int::IBig;
use lariat_ir::{ArrayValue, Bits, Op, Role, Scalar, Sort, Term, Terms, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Translated terms. They belong to one arena of questions.
#[derive(Default)]
pub(crate) struct Words {
    /// Ours: truth values and integers.
    terms: Terms,
    known: HashMap<Term, Option<Piece>>,
    /// Each symbol of the questions, with ours.
    symbols: HashMap<Term, Term>,
    /// What holds of a symbol, or of what is read from a map, because it stands for a word.
    bounds: HashMap<Term, Term>,
    #[cfg(test)]
    misled: bool,
}

/// What stands for a term.
#[derive(Clone, Debug)]
enum Piece {
    /// A truth value, an integer or a map, by a term of our own.
    Plain(Term),
    /// A word.
    Word(Number),
}

/// An integer that is congruent to a word.
#[derive(Clone, Debug)]
struct Number {
    term: Term,
    low: IBig,
    high: IBig,
}

/// Which integers are the values of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Range {
    Signed,
    Unsigned,
}

/// More ways to wrap around than this are a remainder rather than cases.
const CASES: u32 = 3;
/// Indices of fewer bits may be too few for an equality of maps: a formula has fewer stores than this many bits have values, because that is how a term
/// is numbered. Whoever widens those numbers must widen this.
const MANY: u32 = 32;
/// Bounds that are this many bits wider than a word are not worth following.
const SLACK: u32 = 24;

impl Words {
    /// The arena of what [`Words::assertion`] gives.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// An assertion about integers in place of this one, if it has a form.
    pub fn assertion(&mut self, theirs: &Terms, t: Term) -> Option<Term> {
        let below = theirs.reachable(&[t]);
        let unsigned = unsigned_symbols(theirs, &below);
        let mut parts = Vec::new();
        for &u in &below {
            if !self.known.contains_key(&u) {
                let op = theirs.node(u).op;
                let range = if unsigned.contains(&u) { Range::Unsigned } else { Range::Signed };
                let piece = match op {
                    Op::Symbol(_) => Some(self.symbol(u, theirs.sort(u), range)),
                    _ => self.piece(theirs, u),
                };
                if let (Op::Symbol(_) | Op::Select, Some(Piece::Word(n))) = (op, &piece) {
                    self.bounds.insert(u, self.between(n));
                }
                self.known.insert(u, piece);
            }
            parts.extend(self.bounds.get(&u));
        }
        let Some(Some(Piece::Plain(truth))) = self.known.get(&t) else { return None };
        parts.push(*truth);
        #[cfg(test)]
        if self.misled {
            return Some(self.terms.ff());
        }
        Some(self.terms.all(parts))
    }

    /// From now on each form is `false`, so that every question has the wrong answer "impossible".
    #[cfg(test)]
    pub fn mislead(&mut self) {
        self.misled = true;
    }

    /// Our symbol for one of the questions.
    pub fn symbol_for(&self, s: Term) -> Option<Term> {
        self.symbols.get(&s).copied()
    }

    /// How many terms are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    fn symbol(&mut self, s: Term, sort: Sort, range: Range) -> Piece {
        let name = format!("{}@word", self.symbols.len());
        let ours = self.terms.symbol(&name, our_sort(sort), Role::Free);
        self.symbols.insert(s, ours);
        match sort {
            Sort::BitVec(width) => {
                let (low, high) = values(width, range);
                Piece::Word(Number { term: ours, low, high })
            }
            _ => Piece::Plain(ours),
        }
    }

    fn between(&self, n: &Number) -> Term {
        let t = &self.terms;
        let above = t.apply(Op::IntLe, &[t.int(n.low.clone()), n.term]);
        t.and(above, t.apply(Op::IntLe, &[n.term, t.int(n.high.clone())]))
    }

    /// What stands for a term whose arguments have been looked at.
    fn piece(&self, theirs: &Terms, u: Term) -> Option<Piece> {
        let node = theirs.node(u);
        let t = &self.terms;
        let word = |i: usize| match self.known.get(&node.args()[i])? {
            Some(Piece::Word(n)) => Some(n.clone()),
            _ => None,
        };
        let plain = |i: usize| match self.known.get(&node.args()[i])? {
            Some(Piece::Plain(b)) => Some(*b),
            _ => None,
        };
        // As a part of a map.
        let part = |i: usize| match theirs.sort(node.args()[i]) {
            Sort::BitVec(width) => Some(self.within(&word(i)?, width, Range::Signed).term),
            _ => plain(i),
        };
        let width_of = |i: usize| match theirs.sort(node.args()[i]) {
            Sort::BitVec(width) => Some(width),
            _ => None,
        };
        let bits_of = |i: usize| match theirs.node(node.args()[i]).op {
            Op::Bv(bits) => Some(bits),
            _ => None,
        };
        let view = |i: usize, range: Range| Some(self.within(&word(i)?, width_of(i)?, range));
        let compare =
            |op: Op, range: Range| Some(Piece::Plain(t.apply(op, &[view(0, range)?.term, view(1, range)?.term])));
        let number = match node.op {
            Op::Bool(_) | Op::Int(_) => return Some(Piece::Plain(t.value(&theirs.constant_value(u)?))),
            Op::Eq => {
                return Some(Piece::Plain(match theirs.sort(node.args()[0]) {
                    Sort::BitVec(width) => self.equal(&word(0)?, &word(1)?, width),
                    Sort::Array(Scalar::BitVec(width), _) if width < MANY => return None,
                    _ => t.eq(plain(0)?, plain(1)?),
                }));
            }
            Op::Ite if !matches!(node.sort, Sort::BitVec(_)) => {
                return Some(Piece::Plain(t.ite(plain(0)?, plain(1)?, plain(2)?)));
            }
            Op::Not
            | Op::And
            | Op::Or
            | Op::IntNeg
            | Op::IntAdd
            | Op::IntSub
            | Op::IntMul
            | Op::IntDiv
            | Op::IntMod
            | Op::IntLt
            | Op::IntLe => {
                let args: Option<Vec<Term>> = (0..node.args().len()).map(plain).collect();
                return Some(Piece::Plain(t.apply(node.op, &args?)));
            }
            Op::UbvToInt => return Some(Piece::Plain(view(0, Range::Unsigned)?.term)),
            Op::SbvToInt => return Some(Piece::Plain(view(0, Range::Signed)?.term)),
            Op::Store => return Some(Piece::Plain(t.apply(Op::Store, &[plain(0)?, part(1)?, part(2)?]))),
            Op::Fill(index) => return Some(Piece::Plain(t.apply(Op::Fill(our_scalar(index)), &[part(0)?]))),
            Op::BvUlt => return compare(Op::IntLt, Range::Unsigned),
            Op::BvUle => return compare(Op::IntLe, Range::Unsigned),
            Op::BvSlt => return compare(Op::IntLt, Range::Signed),
            Op::BvSle => return compare(Op::IntLe, Range::Signed),
            Op::Select => {
                let term = t.apply(Op::Select, &[plain(0)?, part(1)?]);
                let Sort::BitVec(width) = node.sort else { return Some(Piece::Plain(term)) };
                let (low, high) = values(width, Range::Signed);
                Number { term, low, high }
            }
            Op::IntToBv(width) => {
                let term = t.apply(Op::IntMod, &[plain(0)?, t.int(power(width))]);
                Number { term, low: IBig::ZERO, high: power(width) - IBig::ONE }
            }
            Op::Ite => {
                let (a, b) = (word(1)?, word(2)?);
                let term = t.ite(plain(0)?, a.term, b.term);
                Number { term, low: a.low.min(b.low), high: a.high.max(b.high) }
            }
            Op::Bv(bits) => self.constant(IBig::from(bits.signed())),
            Op::BvNeg => self.minus(&self.constant(IBig::ZERO), &word(0)?),
            Op::BvNot => self.minus(&self.constant(IBig::from(-1)), &word(0)?),
            Op::BvAdd => self.plus(&word(0)?, &word(1)?),
            Op::BvSub => self.minus(&word(0)?, &word(1)?),
            Op::BvMul => match (bits_of(0), bits_of(1)) {
                (_, Some(c)) => self.times(&word(0)?, &IBig::from(c.signed())),
                (Some(c), _) => self.times(&word(1)?, &IBig::from(c.signed())),
                _ => return None,
            },
            Op::BvShl => match u32::try_from(bits_of(1)?.unsigned()) {
                Ok(by) if by < width_of(0)? => self.times(&word(0)?, &power(by)),
                _ => self.constant(IBig::ZERO),
            },
            Op::BvLshr => match u32::try_from(bits_of(1)?.unsigned()) {
                Ok(by) if by < width_of(0)? => self.quotient(&view(0, Range::Unsigned)?, &power(by)),
                _ => self.constant(IBig::ZERO),
            },
            Op::BvAshr => {
                let most = width_of(0)? - 1;
                let by = u32::try_from(bits_of(1)?.unsigned()).map_or(most, |by| by.min(most));
                self.quotient(&view(0, Range::Signed)?, &power(by))
            }
            Op::BvUdiv | Op::BvUrem => {
                let divisor = IBig::from(bits_of(1)?.unsigned());
                if divisor == IBig::ZERO {
                    return None;
                }
                let dividend = view(0, Range::Unsigned)?;
                if node.op == Op::BvUdiv {
                    self.quotient(&dividend, &divisor)
                } else {
                    self.remainder(&dividend, &divisor)
                }
            }
            Op::BvSdiv | Op::BvSrem => {
                let divisor = IBig::from(bits_of(1)?.signed());
                if divisor == IBig::ZERO {
                    return None;
                }
                let dividend = view(0, Range::Signed)?;
                let size = if divisor < IBig::ZERO { -&divisor } else { divisor.clone() };
                let part = self.toward_zero(&dividend, &size);
                if node.op == Op::BvSrem {
                    let rest = self.minus(&dividend, &self.times(&part, &size));
                    let least = if dividend.low < IBig::ZERO { IBig::ONE - &size } else { IBig::ZERO };
                    let most = if dividend.high > IBig::ZERO { &size - IBig::ONE } else { IBig::ZERO };
                    Number { term: rest.term, low: least, high: most }
                } else if divisor < IBig::ZERO {
                    self.times(&part, &IBig::from(-1))
                } else {
                    part
                }
            }
            // A mask of the last bits.
            Op::BvAnd => {
                let (mask, other) = match (bits_of(0), bits_of(1)) {
                    (_, Some(mask)) => (mask.unsigned(), 0),
                    (Some(mask), _) => (mask.unsigned(), 1),
                    _ => return None,
                };
                let next = IBig::from(mask) + IBig::ONE;
                if mask & mask.wrapping_add(1) != 0 {
                    return None;
                }
                self.remainder(&view(other, Range::Unsigned)?, &next)
            }
            Op::ZeroExtend(_) => view(0, Range::Unsigned)?,
            Op::SignExtend(_) => view(0, Range::Signed)?,
            // What lies above is cut off by the smaller modulus.
            Op::Extract { lo: 0, .. } => word(0)?,
            Op::Extract { lo, .. } => self.quotient(&view(0, Range::Unsigned)?, &power(lo)),
            Op::Concat => self.plus(&self.times(&word(0)?, &power(width_of(1)?)), &view(1, Range::Unsigned)?),
            _ => return None,
        };
        let Sort::BitVec(width) = node.sort else { return None };
        let follows = number.high.clone() - number.low.clone() < power(width + SLACK);
        follows.then_some(Piece::Word(number))
    }

    fn constant(&self, value: IBig) -> Number {
        Number { term: self.terms.int(value.clone()), low: value.clone(), high: value }
    }

    fn plus(&self, a: &Number, b: &Number) -> Number {
        if a.is(&IBig::ZERO) {
            return b.clone();
        }
        if b.is(&IBig::ZERO) {
            return a.clone();
        }
        Number { term: self.terms.apply(Op::IntAdd, &[a.term, b.term]), low: &a.low + &b.low, high: &a.high + &b.high }
    }

    fn minus(&self, a: &Number, b: &Number) -> Number {
        if b.is(&IBig::ZERO) {
            return a.clone();
        }
        Number { term: self.terms.apply(Op::IntSub, &[a.term, b.term]), low: &a.low - &b.high, high: &a.high - &b.low }
    }

    fn times(&self, a: &Number, c: &IBig) -> Number {
        if *c == IBig::ONE {
            return a.clone();
        }
        let (x, y) = (&a.low * c, &a.high * c);
        let term = self.terms.apply(Op::IntMul, &[self.terms.int(c.clone()), a.term]);
        if x <= y { Number { term, low: x, high: y } } else { Number { term, low: y, high: x } }
    }

    /// Rounded down; the divisor is positive.
    fn quotient(&self, a: &Number, by: &IBig) -> Number {
        if *by == IBig::ONE {
            return a.clone();
        }
        let term = self.terms.apply(Op::IntDiv, &[a.term, self.terms.int(by.clone())]);
        Number { term, low: floor(&a.low, by), high: floor(&a.high, by) }
    }

    /// The quotient without its fraction; the divisor is positive.
    fn toward_zero(&self, a: &Number, by: &IBig) -> Number {
        if a.low >= IBig::ZERO {
            return self.quotient(a, by);
        }
        let t = &self.terms;
        let negated = self.minus(&self.constant(IBig::ZERO), a);
        let of_negative = self.minus(&self.constant(IBig::ZERO), &self.quotient(&negated, by));
        let is_negative = t.apply(Op::IntLt, &[a.term, t.int(0)]);
        let term = t.ite(is_negative, of_negative.term, self.quotient(a, by).term);
        Number { term, low: &a.low / by, high: &a.high / by }
    }

    /// The one from 0 on; the divisor is positive.
    fn remainder(&self, a: &Number, by: &IBig) -> Number {
        if a.low >= IBig::ZERO && a.high < *by {
            return a.clone();
        }
        let term = self.terms.apply(Op::IntMod, &[a.term, self.terms.int(by.clone())]);
        Number { term, low: IBig::ZERO, high: by - IBig::ONE }
    }

    /// The value of a word, as an integer in the range.
    fn within(&self, n: &Number, width: u32, range: Range) -> Number {
        let modulus = power(width);
        let (first, last) = values(width, range);
        // `n - k * modulus` is in the range for one k, and that is between these.
        let (least, most) = (floor(&(&n.low - &first), &modulus), floor(&(&n.high - &first), &modulus));
        let shifted = |k: &IBig| self.minus(n, &self.constant(k * &modulus));
        if least == most {
            return shifted(&least);
        }
        if &most - &least >= IBig::from(CASES) {
            let from_zero = self.remainder(&self.minus(n, &self.constant(first.clone())), &modulus);
            let term = self.plus(&from_zero, &self.constant(first.clone())).term;
            return Number { term, low: first, high: last };
        }
        let mut k = most;
        let mut term = shifted(&k).term;
        while k > least {
            k -= IBig::ONE;
            // Up to here it is at most k multiples too large.
            let border = &first + (&k + IBig::ONE) * &modulus;
            let below = self.terms.apply(Op::IntLt, &[n.term, self.terms.int(border)]);
            term = self.terms.ite(below, shifted(&k).term, term);
        }
        Number { term, low: first, high: last }
    }

    /// Whether two words are the same: their difference is a multiple of the modulus.
    fn equal(&self, a: &Number, b: &Number, width: u32) -> Term {
        let t = &self.terms;
        let modulus = power(width);
        let (low, high) = (&a.low - &b.high, &a.high - &b.low);
        let (least, most) = (-floor(&-low, &modulus), floor(&high, &modulus));
        if &most - &least >= IBig::from(CASES) {
            let (a, b) = (self.within(a, width, Range::Signed), self.within(b, width, Range::Signed));
            return t.eq(a.term, b.term);
        }
        let mut cases = Vec::new();
        let mut k = least;
        while k <= most {
            let other = self.plus(b, &self.constant(&k * &modulus));
            cases.push(t.eq(a.term, other.term));
            k += IBig::ONE;
        }
        t.any(cases)
    }
}

/// The value of a symbol of the questions, from that of ours.
pub(crate) fn word(ours: Value, sort: Sort) -> Value {
    match (sort, ours) {
        (Sort::BitVec(width), Value::Int(i)) => Value::Bv(Bits::from_int(width, &i)),
        (Sort::Array(index, element), Value::Array(map)) => {
            let mut words = ArrayValue::constant(index, word(map.default_value().clone(), element.into()));
            for (i, v) in map.cells() {
                let at = word(i.clone(), index.into());
                // At other integers it holds nothing that was asked for.
                if matches!((&at, i), (Value::Bv(bits), Value::Int(i)) if IBig::from(bits.signed()) != *i) {
                    continue;
                }
                words.set(at, word(v.clone(), element.into()));
            }
            Value::Array(Arc::new(words))
        }
        (_, other) => other,
    }
}

/// Whether a term speaks of words.
pub(crate) fn has_words(terms: &Terms, t: Term) -> bool {
    terms.reachable(&[t]).iter().any(|&u| our_sort(terms.sort(u)) != terms.sort(u))
}

fn our_scalar(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::BitVec(_) => Scalar::Int,
        other => other,
    }
}

fn our_sort(sort: Sort) -> Sort {
    match sort {
        Sort::BitVec(_) => Sort::Int,
        Sort::Array(index, element) => Sort::Array(our_scalar(index), our_scalar(element)),
        other => other,
    }
}

impl Number {
    fn is(&self, value: &IBig) -> bool {
        self.low == *value && self.high == *value
    }
}

/// 2 to the power.
fn power(exponent: u32) -> IBig {
    IBig::ONE << exponent as usize
}

/// The least and the greatest value of a word.
fn values(width: u32, range: Range) -> (IBig, IBig) {
    match range {
        Range::Unsigned => (IBig::ZERO, power(width) - IBig::ONE),
        Range::Signed => (-power(width - 1), power(width - 1) - IBig::ONE),
    }
}

/// The quotient, rounded down; the divisor is positive.
fn floor(a: &IBig, by: &IBig) -> IBig {
    let whole = a / by;
    if &whole * by > *a { whole - IBig::ONE } else { whole }
}

/// The symbols that are looked at as unsigned numbers more often than as signed ones: in either range they mean the same, but
/// the one that is asked for is without cases.
fn unsigned_symbols(terms: &Terms, all: &[Term]) -> HashSet<Term> {
    let mut votes: HashMap<Term, i32> = HashMap::new();
    for &u in all {
        let node = terms.node(u);
        let vote = match node.op {
            Op::BvUlt | Op::BvUle | Op::ZeroExtend(_) | Op::BvUdiv | Op::BvUrem | Op::BvLshr | Op::BvAnd => 1,
            Op::BvSlt | Op::BvSle | Op::SignExtend(_) | Op::BvAshr => -1,
            _ => continue,
        };
        for &a in node.args() {
            let below = terms.node(a);
            let linear = matches!(below.op, Op::BvAdd | Op::BvSub | Op::BvNeg | Op::BvNot);
            let next = if linear { below.args() } else { &[] };
            for &s in [a].iter().chain(next) {
                if matches!(terms.node(s).op, Op::Symbol(_)) {
                    *votes.entry(s).or_default() += vote;
                }
            }
        }
    }
    votes.into_iter().filter(|(_, v)| *v > 0).map(|(s, _)| s).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::World;
    use lariat_ir::eval::eval;

    /// Every operation that has a form here, on words x and y, a map m from words to words, a truth value p and an integer i.
    fn samples(t: &Terms, width: u32) -> Vec<Term> {
        let [x, y, m, p, i] = symbols(t, width);
        let mut words =
            vec![x, y, t.apply(Op::BvNeg, &[x]), t.apply(Op::BvNot, &[y]), t.apply(Op::IntToBv(width), &[i])];
        for op in [Op::BvAdd, Op::BvSub] {
            words.extend([t.apply(op, &[x, y]), t.apply(op, &[y, t.bv(width, 3)])]);
        }
        for c in 0..1_u128 << width {
            let c = t.bv(width, c);
            let by_number = [
                [Op::BvMul, Op::BvShl, Op::BvLshr],
                [Op::BvAshr, Op::BvUdiv, Op::BvUrem],
                [Op::BvSdiv, Op::BvSrem, Op::BvAnd],
            ];
            words.extend(by_number.as_flattened().iter().map(|op| t.apply(*op, &[x, c])));
            words.extend([t.apply(Op::BvMul, &[c, y]), t.apply(Op::BvAnd, &[c, x])]);
        }
        let sum = t.apply(Op::BvAdd, &[t.apply(Op::BvAdd, &[x, x]), t.apply(Op::BvAdd, &[x, y])]);
        let far = t.apply(Op::BvMul, &[sum, t.bv(width, 5)]);
        words.extend([sum, far, t.apply(Op::BvSub, &[t.apply(Op::BvNeg, &[sum]), far])]);
        words.push(t.ite(p, sum, t.apply(Op::BvNot, &[x])));
        let stored = t.apply(Op::Store, &[m, sum, far]);
        let constant = t.apply(Op::Fill(Scalar::BitVec(width)), &[t.apply(Op::BvAdd, &[x, t.bv(width, 1)])]);
        for map in [m, stored, constant, t.ite(p, m, t.apply(Op::Store, &[constant, y, x]))] {
            words.extend([x, sum, far].map(|at| t.apply(Op::Select, &[map, at])));
        }
        let mut truths = vec![p, t.not(p), t.tt(), t.eq(p, t.apply(Op::BvSlt, &[x, y]))];
        for &w in &words {
            for op in [Op::Eq, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle] {
                truths.extend([t.apply(op, &[w, y]), t.apply(op, &[x, w])]);
            }
            for op in [Op::ZeroExtend(2), Op::SignExtend(2)] {
                let wide = t.apply(op, &[w]);
                let more = t.apply(Op::BvAdd, &[wide, t.bv(width + 2, 3)]);
                truths.push(t.apply(Op::BvUlt, &[more, t.apply(Op::SignExtend(2), &[y])]));
                truths.push(t.apply(Op::BvSle, &[t.apply(Op::ZeroExtend(2), &[y]), more]));
            }
            let both = t.apply(Op::Concat, &[w, y]);
            for (hi, lo) in (0..2 * width).flat_map(|hi| (0..=hi).map(move |lo| (hi, lo))) {
                let part = t.apply(Op::Extract { hi, lo }, &[both]);
                truths.push(t.apply(Op::BvUlt, &[part, t.bv(hi - lo + 1, 1)]));
                truths.push(t.apply(Op::BvSlt, &[part, t.bv(hi - lo + 1, 1)]));
            }
            for op in [Op::UbvToInt, Op::SbvToInt] {
                let twice = t.apply(Op::IntAdd, &[t.apply(op, &[w]), t.apply(op, &[x])]);
                truths.push(t.apply(Op::IntLt, &[twice, i]));
                truths.push(t.eq(t.apply(Op::IntMod, &[twice, t.int(3)]), i));
            }
        }
        let last = truths.len() - 1;
        truths.push(t.and(truths[5], t.or(truths[last], truths[9])));
        truths.push(t.ite(p, truths[7], t.not(truths[last])));
        truths
    }

    fn symbols(t: &Terms, width: u32) -> [Term; 5] {
        let word = Scalar::BitVec(width);
        let sorts = [word.into(), word.into(), Sort::Array(word, word), Sort::Bool, Sort::Int];
        let named = [("x", sorts[0]), ("y", sorts[1]), ("m", sorts[2]), ("p", sorts[3]), ("i", sorts[4])];
        named.map(|(name, sort)| t.symbol(name, sort, Role::Free))
    }

    /// What our symbol has for what a symbol of the question has.
    fn code(words: &Words, s: Term, value: &Value) -> Value {
        let signed = |v: &Value| match v {
            Value::Bv(bits) => Value::int(bits.signed()),
            other => other.clone(),
        };
        match (value, words.known.get(&s)) {
            (Value::Bv(bits), Some(Some(Piece::Word(n)))) if n.low == IBig::ZERO => Value::int(bits.unsigned()),
            (Value::Array(map), _) => {
                let mut ours = ArrayValue::constant(Scalar::Int, signed(map.default_value()));
                for (at, v) in map.cells() {
                    ours.set(signed(at), signed(v));
                }
                Value::Array(Arc::new(ours))
            }
            (other, _) => signed(other),
        }
    }

    fn map_of(width: u32, default: u128, cells: &[(u128, u128)]) -> Value {
        let mut map = ArrayValue::constant(Scalar::BitVec(width), Value::bv(width, default));
        for &(at, v) in cells {
            map.set(Value::bv(width, at), Value::bv(width, v));
        }
        Value::Array(Arc::new(map))
    }

    /// Old and new question have the same answer under the same values, so have their parts, and the values can be told from the new ones.
    fn same(words: &Words, t: &Terms, truth: Term, ours: Term, values: &HashMap<Term, Value>) {
        let back: HashMap<Term, Term> = words.symbols.iter().map(|(k, v)| (*v, *k)).collect();
        let lookup = |s: Term| code(words, back[&s], &values[&back[&s]]);
        let (old, new) = (eval(t, truth, |s| values[&s].clone()), eval(words.terms(), ours, lookup));
        assert_eq!(old, new, "{values:?}: {}", lariat_ir::smtlib::script(t, &[truth]));
        for u in t.reachable(&[truth]) {
            if let Some(Some(Piece::Word(n))) = words.known.get(&u) {
                let value = eval(words.terms(), n.term, lookup);
                assert!(n.low <= *value.as_int() && *value.as_int() <= n.high, "{value:?} is not within {n:?}");
                assert_eq!(word(value, t.sort(u)), eval(t, u, |s| values[&s].clone()));
            }
        }
        for s in t.symbols(truth) {
            let ours = words.symbol_for(s).expect("it occurs");
            assert_eq!(word(lookup(ours), t.sort(s)), values[&s]);
        }
    }

    /// The same, if there is a form.
    fn agrees(t: &Terms, truth: Term, values: &HashMap<Term, Value>) -> bool {
        // A translation for each: which range a symbol has depends on what is said of it first.
        let mut words = Words::default();
        let Some(ours) = words.assertion(t, truth) else { return false };
        same(&words, t, truth, ours, values);
        true
    }

    #[test]
    fn every_form_means_the_same_under_every_value() {
        for width in 1..=3 {
            let t = Terms::new();
            let all = samples(&t, width);
            let [x, y, m, p, i] = symbols(&t, width);
            let mut formed = 0;
            for (number, &truth) in all.iter().enumerate() {
                let mut has_form = true;
                for (a, b) in (0..1_u128 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
                    let chosen = a + 3 * b + number as u128;
                    let maps = [map_of(width, a, &[(b, b + 1), (1, 0)]), map_of(width, b, &[(0, a), (a + b, 3)])];
                    let map = maps[usize::from(chosen.is_multiple_of(3))].clone();
                    let integer = Value::int(i64::try_from(chosen % 11).expect("it is small") - 5);
                    let values =
                        [Value::bv(width, a), Value::bv(width, b), map, Value::Bool(chosen.is_multiple_of(2)), integer];
                    has_form &= agrees(&t, truth, &[x, y, m, p, i].into_iter().zip(values).collect());
                }
                formed += usize::from(has_form);
            }
            assert!(formed * 10 > all.len() * 8, "{formed} of {} have a form", all.len());
        }
    }

    #[test]
    fn maps_are_equal_where_indices_are_many() {
        let t = Terms::new();
        let [x, y, m, ..] = symbols(&t, 32);
        let n = t.symbol("n", t.sort(m), Role::Free);
        let fill = |v| t.apply(Op::Fill(Scalar::BitVec(32)), &[v]);
        let store = |m, at, v| t.apply(Op::Store, &[m, at, v]);
        let maps = [m, n, fill(x), fill(t.bv(32, 7)), store(m, x, y), store(n, y, x), store(fill(y), x, t.bv(32, 7))];
        let contents =
            [map_of(32, 7, &[]), map_of(32, 7, &[(5, 9)]), map_of(32, 9, &[(5, 7)]), map_of(32, 7, &[(9, 5)])];
        let mut equal = 0;
        for (a, b) in maps.iter().flat_map(|a| maps.map(|b| (*a, b))) {
            let truth = t.eq(a, b);
            for (c, d) in contents.iter().flat_map(|c| contents.clone().map(|d| (c.clone(), d))) {
                for (e, f) in [(5, 7), (7, 7), (5, 9), (9, 5), (7, 0xffff_ffff)] {
                    let values = [(x, Value::bv(32, e)), (y, Value::bv(32, f)), (m, c.clone()), (n, d.clone())];
                    let values = values.into_iter().collect();
                    assert!(agrees(&t, truth, &values));
                    equal +=
                        usize::from(a != b && eval(&t, truth, |s: Term| HashMap::clone(&values)[&s].clone()).as_bool());
                }
            }
        }
        assert!(equal > 20, "{equal} equalities hold");
        let few = Terms::new();
        let [_, _, m, ..] = symbols(&few, 3);
        let n = few.symbol("n", few.sort(m), Role::Free);
        let (same, p) = (few.eq(m, n), few.symbol("p", Sort::Bool, Role::Free));
        for truth in [same, few.not(same), few.and(p, same), few.ite(p, same, p), few.eq(few.ite(p, m, n), n)] {
            assert!(Words::default().assertion(&few, truth).is_none());
        }
    }

    /// One translation over many assertions: what it knows from the first ones, and in which range, serves the others.
    #[test]
    fn forms_mean_the_same_at_all_widths_however_long_they_are_known() {
        let (mut forms, mut asked) = (0, 0);
        for seed in 0..650 {
            let mut world = World::new(seed);
            let mut words = Words::default();
            for _ in 0..20 {
                let depth = world.below(5);
                let truth = world.truth(depth);
                asked += 1;
                let Some(ours) = words.assertion(&world.terms, truth) else { continue };
                forms += 1;
                same(&words, &world.terms, truth, ours, &world.values);
            }
        }
        assert!(forms * 3 > asked, "{forms} of {asked} have a form");
    }

    #[test]
    fn what_is_no_value_of_a_word_is_no_model() {
        let t = Terms::new();
        let [x, _, m, ..] = symbols(&t, 3);
        for (truth, range) in
            [(t.apply(Op::BvSle, &[x, t.bv(3, 3)]), -4..4), (t.apply(Op::BvUle, &[x, t.bv(3, 7)]), 0..8)]
        {
            let mut words = Words::default();
            let ours = words.assertion(&t, truth).expect("a form");
            for i in -20..20 {
                assert_eq!(eval(words.terms(), ours, |_| Value::int(i)), Value::Bool(range.contains(&i)), "{i}");
            }
            // Said again, the bounds are said again: the first assertion may be gone.
            let again = words.assertion(&t, t.eq(x, x)).expect("a form");
            assert_eq!(eval(words.terms(), again, |_| Value::int(20)), Value::Bool(false));
        }
        let read = t.apply(Op::Select, &[m, t.bv(3, 6)]);
        let mut words = Words::default();
        let ours = words.assertion(&t, t.eq(read, read)).expect("a form");
        for i in -20..20 {
            let map = |_| Value::Array(Arc::new(ArrayValue::constant(Scalar::Int, Value::int(i))));
            assert_eq!(eval(words.terms(), ours, map), Value::Bool((-4..4).contains(&i)), "{i}");
        }
    }

    #[test]
    fn other_terms_have_no_form() {
        let t = Terms::new();
        let [x, y, ..] = symbols(&t, 8);
        for op in [Op::BvMul, Op::BvAnd, Op::BvOr, Op::BvXor, Op::BvShl, Op::BvUdiv, Op::BvSdiv, Op::BvSrem] {
            let truth = t.eq(t.apply(op, &[x, y]), x);
            assert!(Words::default().assertion(&t, truth).is_none(), "{op:?}");
        }
        let by_zero = t.eq(t.apply(Op::BvUdiv, &[x, t.bv(8, 0)]), y);
        assert!(Words::default().assertion(&t, by_zero).is_none());
        let holes = t.eq(t.apply(Op::BvAnd, &[x, t.bv(8, 5)]), y);
        assert!(Words::default().assertion(&t, holes).is_none());
    }
}
