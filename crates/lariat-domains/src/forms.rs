//! Terms as linear forms over the dimensions.
//!
//! Sound: in every state of the step, `scale` times the number that a term is in a view, less the sum, lies in the rest. Where an operation is
//! not linear, or may overflow in more than one way, the form is the interval of the term's own value.

use crate::integer::{floor_div, one, power};
use crate::interval::Interval;
use crate::linear::Form;
use crate::plan::Source;
use crate::relation::Relation;
use crate::space::{View, reading};
use crate::step::Step;
use crate::value::{AbsValue, Truth};
use crate::word::Reading;
use dashu_int::IBig;
use lariat_ir::{Bits, Op};

/// How deep a term is looked into: beyond, its interval stands for it.
const DEEPEST: usize = 40;
/// How many multiples of a modulus may be in doubt.
const MOST_TURNS: i32 = 3;

impl<R: Relation> Step<'_, R> {
    /// The form of a term in a view.
    pub(crate) fn form(&self, node: usize, view: View) -> Form {
        self.form_at(node, view, 0)
    }

    fn own_interval(&self, node: usize, view: View) -> Form {
        Form::interval(reading(self.facts.value(node), view))
    }

    fn form_at(&self, node: usize, view: View, depth: usize) -> Form {
        let value = self.facts.value(node);
        if depth > DEEPEST || value.is_constant() {
            return self.own_interval(node, view);
        }
        if let Some(known) = self.forms.borrow().get(&(node, view)) {
            return known.clone();
        }
        let form = match view {
            None => self.integer(node, depth),
            Some(r) => self.word(node, r, depth),
        };
        let form = form.unwrap_or_else(|| self.own_interval(node, view));
        self.forms.borrow_mut().insert((node, view), form.clone());
        form
    }

    /// A variable is its dimension; one with a dimension for the other reading only is that, moved, where the sign is known.
    fn symbol(&self, node: usize, view: View) -> Option<Form> {
        let (_, source) = self.facts.plan.symbols.iter().find(|(i, _)| *i == node)?;
        let Source::Var(v) = source else { return None };
        if let Some(d) = self.space.dimension(*v, view) {
            return Some(Form::dimension(d));
        }
        let AbsValue::Bv(w) = self.facts.value(node) else { return None };
        let (other, up) = match view? {
            Reading::Unsigned => (Reading::Signed, power(w.width())),
            Reading::Signed => (Reading::Unsigned, -power(w.width())),
        };
        let d = self.space.dimension(*v, Some(other))?;
        let move_by = if w.sign()? { up } else { IBig::ZERO };
        Some(Form::dimension(d).plus(&Interval::constant(move_by)))
    }

    /// The constant that a term is, in a view.
    fn constant(&self, node: usize, view: View) -> Option<IBig> {
        reading(self.facts.value(node), view).as_constant().cloned()
    }

    /// A choice whose condition is open is one of both: known where they are the same sum.
    fn choice(&self, node: usize, view: View, depth: usize) -> Option<Form> {
        let n = &self.facts.plan.nodes[node];
        let branch = |i: usize| self.form_at(n.arg(i), view, depth + 1);
        match self.facts.value(n.arg(0)).truth() {
            Truth::Yes => Some(branch(1)),
            Truth::No => Some(branch(2)),
            Truth::Either => {
                let (a, b) = (branch(1), branch(2));
                (a.linear == b.linear && a.scale == b.scale).then(|| Form { rest: a.rest.join(&b.rest), ..a })
            }
        }
    }

    /// The representative of a number from `least` to `least + m - 1`: a multiple of `m` less, and which is known up to the number's
    /// range. Where several are in doubt, all count.
    fn reduced(&self, e: &Form, least: &IBig, m: &IBig) -> Option<Form> {
        let range = e.values(&self.sum(&e.linear))?;
        let (lo, hi) = range.ends()?;
        let (first, last) = (floor_div(&(lo - least), m), floor_div(&(hi - least), m));
        if &last - &first > IBig::from(MOST_TURNS) {
            return None;
        }
        Some(e.plus(&Interval::between(-last * m, -first * m)))
    }

    /// The floor of a quotient: `k q - n` lies from `1 - k` to 0.
    fn floor(e: &Form, k: &IBig) -> Form {
        e.divided(k, &Interval::between(one() - k, 0))
    }

    fn integer(&self, node: usize, depth: usize) -> Option<Form> {
        let n = &self.facts.plan.nodes[node];
        let arg = |i: usize| self.form_at(n.arg(i), None, depth + 1);
        let constant = |i: usize| self.constant(n.arg(i), None);
        match n.op {
            Op::Symbol(_) => self.symbol(node, None),
            Op::Ite => self.choice(node, None, depth),
            Op::UbvToInt => Some(self.form_at(n.arg(0), Some(Reading::Unsigned), depth + 1)),
            Op::SbvToInt => Some(self.form_at(n.arg(0), Some(Reading::Signed), depth + 1)),
            Op::IntNeg => Some(arg(0).times(&IBig::from(-1))),
            Op::IntAdd => Some(arg(0).add(&arg(1))),
            Op::IntSub => Some(arg(0).sub(&arg(1))),
            Op::IntMul => match (constant(0), constant(1)) {
                (_, Some(k)) => Some(arg(0).times(&k)),
                (Some(k), _) => Some(arg(1).times(&k)),
                _ => None,
            },
            Op::IntDiv => constant(1).filter(|k| *k > IBig::ZERO).map(|k| Self::floor(&arg(0), &k)),
            Op::IntMod => self.reduced(&arg(0), &IBig::ZERO, &constant(1).filter(|k| *k > IBig::ZERO)?),
            _ => None,
        }
    }

    fn word(&self, node: usize, r: Reading, depth: usize) -> Option<Form> {
        let n = &self.facts.plan.nodes[node];
        let width = n.sort.width()?;
        let arg = |i: usize, r: Reading| self.form_at(n.arg(i), Some(r), depth + 1);
        let constant = |i: usize, r: Reading| self.constant(n.arg(i), Some(r)).filter(|k| *k > IBig::ZERO);
        // What is the same in both readings up to a multiple of 2^width.
        let wrapped = |e: &Form| self.reduced(e, &r.least(width), &power(width));
        // What is defined in one reading is known in the other where the sign of the result is.
        let natural = |own: Reading, e: Form| {
            if own == r {
                return Some(e);
            }
            let AbsValue::Bv(w) = self.facts.value(node) else { return None };
            let up = if r == Reading::Unsigned { power(width) } else { -power(width) };
            let move_by = if w.sign()? { up } else { IBig::ZERO };
            Some(e.plus(&Interval::constant(move_by)))
        };
        let amount = |i: usize| {
            let AbsValue::Bv(w) = self.facts.value(n.arg(i)) else { return None };
            u32::try_from(w.as_constant()?.unsigned()).ok().filter(|k| *k < width)
        };
        let (unsigned, signed) = (Reading::Unsigned, Reading::Signed);
        match n.op {
            Op::Symbol(_) => self.symbol(node, Some(r)),
            Op::Ite => self.choice(node, Some(r), depth),
            Op::IntToBv(_) => wrapped(&self.form_at(n.arg(0), None, depth + 1)),
            Op::BvNeg => wrapped(&arg(0, r).times(&IBig::from(-1))),
            Op::BvNot => wrapped(&arg(0, r).times(&IBig::from(-1)).plus(&Interval::constant(-1))),
            Op::BvAdd => wrapped(&arg(0, r).add(&arg(1, r))),
            Op::BvSub => wrapped(&arg(0, r).sub(&arg(1, r))),
            Op::BvMul => match (self.constant(n.arg(0), Some(signed)), self.constant(n.arg(1), Some(signed))) {
                (_, Some(k)) => wrapped(&arg(0, r).times(&k)),
                (Some(k), _) => wrapped(&arg(1, r).times(&k)),
                _ => None,
            },
            Op::BvShl => wrapped(&arg(0, r).times(&power(amount(1)?))),
            Op::BvLshr => natural(unsigned, Self::floor(&arg(0, unsigned), &power(amount(1)?))),
            Op::BvAshr => natural(signed, Self::floor(&arg(0, signed), &power(amount(1)?))),
            Op::BvUdiv => natural(unsigned, Self::floor(&arg(0, unsigned), &constant(1, unsigned)?)),
            Op::BvSdiv => {
                let k = constant(1, signed)?;
                let AbsValue::Bv(w) = self.facts.value(n.arg(0)) else { return None };
                // Towards zero: down for what is not negative, up for what is.
                let error = match w.sign() {
                    Some(false) => Interval::between(one() - &k, 0),
                    Some(true) => Interval::between(0, &k - one()),
                    None => Interval::between(one() - &k, &k - one()),
                };
                natural(signed, arg(0, signed).divided(&k, &error))
            }
            Op::BvUrem => natural(unsigned, self.reduced(&arg(0, unsigned), &IBig::ZERO, &constant(1, unsigned)?)?),
            Op::BvSrem => {
                let AbsValue::Bv(w) = self.facts.value(n.arg(0)) else { return None };
                if w.sign() != Some(false) {
                    return None;
                }
                natural(signed, self.reduced(&arg(0, signed), &IBig::ZERO, &constant(1, signed)?)?)
            }
            Op::BvAnd => {
                // A mask of low bits takes the remainder.
                let AbsValue::Bv(w) = self.facts.value(n.arg(1)) else { return None };
                let mask = w.as_constant().map(Bits::unsigned).filter(|m| m & m.wrapping_add(1) == 0)?;
                let modulus = IBig::from(mask) + one();
                natural(unsigned, self.reduced(&arg(0, unsigned), &IBig::ZERO, &modulus)?)
            }
            Op::ZeroExtend(by) => {
                if by == 0 {
                    Some(arg(0, r))
                } else {
                    Some(arg(0, unsigned))
                }
            }
            Op::SignExtend(_) => natural(signed, arg(0, signed)),
            Op::Extract { lo, .. } => wrapped(&Self::floor(&arg(0, r), &power(lo))),
            Op::Concat => {
                let low = self.facts.plan.nodes[n.arg(1)].sort.width()?;
                natural(unsigned, arg(0, unsigned).times(&power(low)).add(&arg(1, unsigned)))
            }
            _ => None,
        }
    }
}
