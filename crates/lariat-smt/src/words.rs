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
//! speaks of it; so the models of the new question are those of the old one, one for one. What has no such form (a product of two
//! unknowns, a mixture of bits) has none here, and the bits must do.

use dashu_int::IBig;
use lariat_ir::{Bits, Op, Role, Sort, Term, Terms, Value};
use std::collections::{HashMap, HashSet};

/// Translated terms. They belong to one arena of questions.
#[derive(Default)]
pub(crate) struct Words {
    /// Ours: truth values and integers.
    terms: Terms,
    known: HashMap<Term, Option<Piece>>,
    /// Each symbol of the questions, with ours.
    symbols: HashMap<Term, Term>,
}

/// What stands for a term.
#[derive(Clone, Debug)]
enum Piece {
    Truth(Term),
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
/// Bounds that are this many bits wider than a word are not worth following.
const SLACK: u32 = 24;

impl Words {
    /// The arena of what [`Words::assertion`] gives.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// An assertion about integers in place of this one about words: both together have the same models as before.
    pub fn assertion(&mut self, theirs: &Terms, t: Term) -> Option<Term> {
        let below = theirs.reachable(&[t]);
        let unsigned = unsigned_symbols(theirs, &below);
        let mut parts = Vec::new();
        for &u in &below {
            if let Op::Symbol(_) = theirs.node(u).op {
                let range = if unsigned.contains(&u) { Range::Unsigned } else { Range::Signed };
                parts.extend(self.symbol(theirs, u, range));
            } else if !self.known.contains_key(&u) {
                let piece = self.piece(theirs, u);
                self.known.insert(u, piece);
            }
        }
        let Some(Some(Piece::Truth(truth))) = self.known.get(&t) else { return None };
        parts.push(*truth);
        Some(self.terms.all(parts))
    }

    /// Our symbol for one of the questions.
    pub fn symbol_for(&self, s: Term) -> Option<Term> {
        self.symbols.get(&s).copied()
    }

    /// How many terms are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Makes a symbol known, and gives its bounds.
    fn symbol(&mut self, theirs: &Terms, s: Term, range: Range) -> Option<Term> {
        let sort = theirs.sort(s);
        if let Some(known) = self.known.get(&s) {
            return match known {
                Some(Piece::Word(n)) => Some(self.bounds(&n.clone())),
                _ => None,
            };
        }
        let name = format!("{}@word", self.symbols.len());
        let piece = match sort {
            Sort::Bool => Some(Piece::Truth(self.terms.symbol(&name, Sort::Bool, Role::Free))),
            Sort::BitVec(width) => {
                let (low, high) = values(width, range);
                Some(Piece::Word(Number { term: self.terms.symbol(&name, Sort::Int, Role::Free), low, high }))
            }
            _ => None,
        };
        self.known.insert(s, piece.clone());
        match piece? {
            Piece::Truth(ours) => {
                self.symbols.insert(s, ours);
                None
            }
            Piece::Word(n) => {
                self.symbols.insert(s, n.term);
                Some(self.bounds(&n))
            }
        }
    }

    fn bounds(&self, n: &Number) -> Term {
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
        let truth = |i: usize| match self.known.get(&node.args()[i])? {
            Some(Piece::Truth(b)) => Some(*b),
            _ => None,
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
            |op: Op, range: Range| Some(Piece::Truth(t.apply(op, &[view(0, range)?.term, view(1, range)?.term])));
        let is_word = matches!(node.args().first().map(|a| theirs.sort(*a)), Some(Sort::BitVec(_)));
        let number = match node.op {
            Op::Bool(b) => return Some(Piece::Truth(t.bool(b))),
            Op::Not => return Some(Piece::Truth(t.not(truth(0)?))),
            Op::And => return Some(Piece::Truth(t.and(truth(0)?, truth(1)?))),
            Op::Or => return Some(Piece::Truth(t.or(truth(0)?, truth(1)?))),
            Op::Eq if is_word => return Some(Piece::Truth(self.equal(&word(0)?, &word(1)?, width_of(0)?))),
            Op::Eq => return Some(Piece::Truth(t.eq(truth(0)?, truth(1)?))),
            Op::Ite if node.sort == Sort::Bool => {
                return Some(Piece::Truth(t.ite(truth(0)?, truth(1)?, truth(2)?)));
            }
            Op::BvUlt => return compare(Op::IntLt, Range::Unsigned),
            Op::BvUle => return compare(Op::IntLe, Range::Unsigned),
            Op::BvSlt => return compare(Op::IntLt, Range::Signed),
            Op::BvSle => return compare(Op::IntLe, Range::Signed),
            Op::Ite => {
                let (a, b) = (word(1)?, word(2)?);
                let term = t.ite(truth(0)?, a.term, b.term);
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
        (_, other) => other,
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
    use lariat_ir::eval::eval;

    /// Every word operation that has a form here, on two words x and y of a width, and some that combine them.
    fn samples(t: &Terms, width: u32) -> Vec<Term> {
        let sort = Sort::BitVec(width);
        let (x, y) = (t.symbol("x", sort, Role::Free), t.symbol("y", sort, Role::Free));
        let p = t.symbol("p", Sort::Bool, Role::Free);
        let mut words = vec![x, y, t.apply(Op::BvNeg, &[x]), t.apply(Op::BvNot, &[y])];
        for op in [Op::BvAdd, Op::BvSub] {
            words.extend([t.apply(op, &[x, y]), t.apply(op, &[y, t.bv(width, 3)])]);
        }
        for c in 0..1_u128 << width {
            let c = t.bv(width, c);
            let by_number = [Op::BvMul, Op::BvShl, Op::BvLshr, Op::BvAshr, Op::BvUdiv, Op::BvUrem, Op::BvAnd];
            words.extend(by_number.map(|op| t.apply(op, &[x, c])));
            words.extend([t.apply(Op::BvMul, &[c, y]), t.apply(Op::BvAnd, &[c, x])]);
        }
        let sum = t.apply(Op::BvAdd, &[t.apply(Op::BvAdd, &[x, x]), t.apply(Op::BvAdd, &[x, y])]);
        let far = t.apply(Op::BvMul, &[sum, t.bv(width, 5)]);
        words.extend([sum, far, t.apply(Op::BvSub, &[t.apply(Op::BvNeg, &[sum]), far])]);
        words.push(t.ite(p, sum, t.apply(Op::BvNot, &[x])));
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
        }
        let last = truths.len() - 1;
        truths.push(t.and(truths[5], t.or(truths[last], truths[9])));
        truths.push(t.ite(p, truths[7], t.not(truths[last])));
        truths
    }

    /// Which integer our symbol has for a word: the one in the range that was chosen.
    fn of_word(words: &Words, theirs: Term, bits: Bits) -> IBig {
        let Some(Some(Piece::Word(n))) = words.known.get(&theirs) else { panic!("a symbol for a word") };
        if n.low == IBig::ZERO { IBig::from(bits.unsigned()) } else { IBig::from(bits.signed()) }
    }

    #[test]
    fn every_form_means_the_same_under_every_value() {
        for width in 1..=3 {
            let t = Terms::new();
            let find =
                |name: &str| t.symbol(name, if name == "p" { Sort::Bool } else { Sort::BitVec(width) }, Role::Free);
            let (x, y) = (find("x"), find("y"));
            let mut formed = 0;
            let all = samples(&t, width);
            for &truth in &all {
                // Each by itself: which range a symbol has depends on what is said of it first.
                let mut words = Words::default();
                let Some(ours) = words.assertion(&t, truth) else { continue };
                formed += 1;
                for (a, b, c) in
                    (0..1 << width).flat_map(|a| (0..1 << width).flat_map(move |b| [(a, b, false), (a, b, true)]))
                {
                    let (a, b) = (Bits::new(width, a), Bits::new(width, b));
                    let theirs = |s: Term| match s {
                        s if s == x => Value::Bv(a),
                        s if s == y => Value::Bv(b),
                        _ => Value::Bool(c),
                    };
                    let back: HashMap<Term, Term> = words.symbols.iter().map(|(k, v)| (*v, *k)).collect();
                    let lookup = |s: Term| match theirs(back[&s]) {
                        Value::Bv(bits) => Value::Int(of_word(&words, back[&s], bits)),
                        other => other,
                    };
                    let (old, new) = (eval(&t, truth, theirs), eval(words.terms(), ours, lookup));
                    assert_eq!(
                        old,
                        new,
                        "width {width}, x {a:?}, y {b:?}, p {c}: {}",
                        lariat_ir::smtlib::script(&t, &[truth])
                    );
                    for s in t.symbols(truth) {
                        let ours = words.symbol_for(s).expect("it occurs");
                        assert_eq!(word(lookup(ours), t.sort(s)), theirs(s));
                    }
                }
            }
            assert!(formed * 10 > all.len() * 8, "{formed} of {} have a form", all.len());
        }
    }

    #[test]
    fn what_is_no_value_of_a_word_is_no_model() {
        let t = Terms::new();
        let x = t.symbol("x", Sort::BitVec(3), Role::Free);
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
    }

    #[test]
    fn other_terms_have_no_form() {
        let t = Terms::new();
        let x = t.symbol("x", Sort::BitVec(8), Role::Free);
        let y = t.symbol("y", Sort::BitVec(8), Role::Free);
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
