//! Terms as affine forms: what is linear exactly, the rest by columns with what is known about them.
//!
//! *Soundness.* For every state and every choice of unknown values that a case stands for, giving each column the value
//! that its definition names satisfies all constraints of the case. A quotient `e / c` is a column q with
//! `c q <= e <= c q + |c| - 1`, which determines it. A bit-vector term has a form that is congruent to it modulo
//! 2^width; its value in a reading is that form less the multiple of 2^width that brings it into range, and that
//! multiple is split on where few are possible. What is not linear is a column with bounds that hold of the operation. A
//! function found for the relations is therefore right; the checker shows it again with the real operations.

use super::case::{Case, Fork, Literal};
use super::form::Form;
use super::relation::Constraint;
use crate::linear::Reading;
use crate::lp::{Clock, ColumnId, Rational};
use dashu_int::IBig;
use lariat_ir::{Node, Op, Role, Sort, Term, TransitionSystem, Value};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

/// Reads terms of one system.
pub(crate) struct Encoder<'a> {
    /// The system.
    pub ts: &'a TransitionSystem,
    /// How each bit-vector variable is read.
    pub readings: HashMap<Term, Reading>,
    /// When to stop.
    pub clock: Clock,
    /// Whether a choice was left open, for lack of an allowance or of bounds.
    losses: Cell<bool>,
}

/// Quotients and wraps with at most this many possible values are split on.
const MOST_VALUES: i64 = 3;
/// Remainders by more than this are not watched: they are wraps, or hashes.
pub(crate) const LARGEST_DIVISOR: i32 = 16;
/// A new quotient is compared with at most this many others.
const MOST_COMPARED: usize = 4;
/// Terms deeper than this are not looked into.
const DEEPEST: usize = 400;

type Read = Result<Form, Fork>;

impl<'a> Encoder<'a> {
    /// An encoder for a system. Each variable is read as the comparisons of the system read it.
    pub fn new(ts: &'a TransitionSystem, clock: Clock) -> Self {
        Self { ts, readings: readings(ts), clock, losses: Cell::new(false) }
    }

    /// Notes that a choice was left open.
    pub fn lose(&self) {
        self.losses.set(true);
    }
    /// Whether a choice was left open since [`Encoder::forget_losses`]: more splits could tell more.
    pub fn had_losses(&self) -> bool {
        self.losses.get()
    }
    /// Starts to watch for choices that are left open.
    pub fn forget_losses(&self) {
        self.losses.set(false);
    }

    /// Whether the time is up.
    pub fn out_of_time(&self) -> bool {
        self.clock.is_up()
    }

    /// How a bit-vector term of the state is read: as the variable that it is, or as a signed number.
    pub fn reading(&self, t: Term) -> Reading {
        self.readings.get(&t).copied().unwrap_or(Reading::Signed)
    }

    /// Works out what it means that a condition has a truth value.
    pub fn assume(&self, case: &mut Case, t: Term, positive: bool) -> Result<(), Fork> {
        let terms = &self.ts.terms;
        let node = terms.node(t);
        let args = node.args();
        match node.op {
            Op::Bool(b) => case.dead |= b != positive,
            Op::Not => case.assume(args[0], !positive),
            Op::And | Op::Or if positive == (node.op == Op::And) => {
                args.iter().rev().for_each(|a| case.assume(*a, positive));
            }
            Op::And | Op::Or => {
                let mut ways = Vec::new();
                let mut open = vec![t];
                while let Some(u) = open.pop() {
                    let inner = terms.node(u);
                    if inner.op == node.op {
                        open.extend(inner.args().iter().rev());
                        continue;
                    }
                    match case.truth.get(&u) {
                        Some(known) if *known == positive => return Ok(()),
                        Some(_) => {}
                        None => ways.push(vec![Literal::Condition(u, positive)]),
                    }
                }
                match ways.as_slice() {
                    [] => case.dead = true,
                    _ if case.lenient => {}
                    _ => return Err(ways),
                }
            }
            Op::Eq if terms.sort(args[0]) == Sort::Bool => {
                if case.lenient {
                    return Ok(());
                }
                if let Some(a) = case.truth.get(&args[0]).copied() {
                    case.assume(args[1], a == positive);
                    return Ok(());
                }
                let way = |a: bool| vec![Literal::Condition(args[0], a), Literal::Condition(args[1], a == positive)];
                return Err(vec![way(true), way(false)]);
            }
            Op::Ite => {
                if let Some(c) = case.truth.get(&args[0]).copied() {
                    case.assume(args[if c { 1 } else { 2 }], positive);
                    return Ok(());
                }
                if case.lenient {
                    return Ok(());
                }
                let way =
                    |c: bool, then: Term| vec![Literal::Condition(args[0], c), Literal::Condition(then, positive)];
                return Err(vec![way(true, args[1]), way(false, args[2])]);
            }
            Op::Eq => match terms.sort(args[0]) {
                Sort::Int | Sort::BitVec(_) => {
                    let reading = self.common_reading(case, args[0], args[1]);
                    let (a, b) = (self.value(case, args[0], reading)?, self.value(case, args[1], reading)?);
                    let difference = a.sub(&b);
                    if positive {
                        case.hold(Constraint::zero(difference));
                    } else {
                        let (above, below) = (difference.shifted(-1), difference.negated().shifted(-1));
                        match case.range(&difference) {
                            (Some(l), _) if !l.is_negative() => case.hold(Constraint::at_least_zero(above)),
                            (_, Some(u)) if !u.is_positive() => case.hold(Constraint::at_least_zero(below)),
                            _ if case.lenient => return Ok(()),
                            _ => {
                                let way = |f: Form| vec![Literal::Holds(Constraint::at_least_zero(f))];
                                return Err(vec![way(above), way(below)]);
                            }
                        }
                    }
                }
                // Equal arrays tell nothing that a form could say.
                _ => {}
            },
            Op::IntLt | Op::IntLe | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
                let reading =
                    if matches!(node.op, Op::BvUlt | Op::BvUle) { Reading::Unsigned } else { Reading::Signed };
                let (a, b) = (self.value(case, args[0], reading)?, self.value(case, args[1], reading)?);
                let strict = matches!(node.op, Op::IntLt | Op::BvUlt | Op::BvSlt);
                let slack = match (positive, strict) {
                    (true, false) => b.sub(&a),
                    (true, true) => b.sub(&a).shifted(-1),
                    (false, false) => a.sub(&b).shifted(-1),
                    (false, true) => a.sub(&b),
                };
                case.hold(Constraint::at_least_zero(slack));
            }
            _ => {
                let column = self.truth_column(case, t);
                case.hold(Constraint::zero(column.shifted(-i64::from(positive))));
            }
        }
        Ok(())
    }

    /// Zero or one, for a truth value that is not looked into.
    fn truth_column(&self, case: &mut Case, t: Term) -> Form {
        debug_assert!(self.ts.terms.sort(t) == Sort::Bool, "a truth value");
        if let Some(f) = case.forms.get(&t) {
            return f.clone();
        }
        let f = Form::column(case.column(Some(IBig::ZERO), Some(IBig::ONE)));
        case.forms.insert(t, f.clone());
        f
    }

    /// The value of a term, in a reading where it is a bit-vector; zero or one for a truth value.
    pub fn value(&self, case: &mut Case, t: Term, reading: Reading) -> Read {
        self.value_at(case, t, reading, 0)
    }

    fn value_at(&self, case: &mut Case, t: Term, reading: Reading, depth: usize) -> Read {
        match self.ts.terms.sort(t) {
            Sort::Bool => self.truth_value(case, t),
            Sort::BitVec(w) => {
                let key = (t, reading == Reading::Signed);
                if let Some(f) = case.values.get(&key) {
                    return Ok(f.clone());
                }
                let raw = self.form(case, t, depth)?;
                let value = self.normalise(case, &raw, w, reading)?;
                case.values.insert(key, value.clone());
                Ok(value)
            }
            _ => self.form(case, t, depth),
        }
    }

    fn truth_value(&self, case: &mut Case, t: Term) -> Read {
        if let Some(b) = case.truth.get(&t) {
            return Ok(Form::constant(Rational::small(i64::from(*b))));
        }
        let node = self.ts.terms.node(t);
        match node.op {
            Op::Bool(b) => Ok(Form::constant(Rational::small(i64::from(b)))),
            Op::Not => Ok(self.truth_value(case, node.args()[0])?.negated().shifted(1)),
            Op::Symbol(_) | Op::Select => Ok(self.truth_column(case, t)),
            _ if case.lenient => Ok(self.truth_column(case, t)),
            _ => Err(vec![vec![Literal::Condition(t, true)], vec![Literal::Condition(t, false)]]),
        }
    }

    /// The reading in which two terms are compared for equality: one that costs no split, if there is one.
    fn common_reading(&self, case: &Case, a: Term, b: Term) -> Reading {
        let terms = &self.ts.terms;
        let has = |t: Term, signed: bool| {
            case.values.contains_key(&(t, signed)) || terms.constant_value(t).is_some() || {
                let symbols = terms.symbols(t);
                symbols.iter().all(|s| self.readings.get(s).copied().is_some_and(|r| (r == Reading::Signed) == signed))
            }
        };
        if !(has(a, true) && has(b, true)) && has(a, false) && has(b, false) {
            Reading::Unsigned
        } else {
            Reading::Signed
        }
    }

    /// The multiple of 2^width is taken away that brings a form into the range of a reading.
    fn normalise(&self, case: &mut Case, raw: &Form, width: u32, reading: Reading) -> Read {
        let modulus = IBig::ONE << width as usize;
        let (least, greatest) = range_of(width, reading);
        if let [(column, one)] = raw.parts.as_slice()
            && *one == Rational::ONE
            && raw.constant.is_zero()
            && case.opaque.remove(column).is_some_and(|w| w == width)
        {
            case.hold(Constraint::at_least_zero(raw.sub(&Form::int(&least))));
            case.hold(Constraint::at_least_zero(Form::int(&greatest).sub(raw)));
            return Ok(raw.clone());
        }
        let times = |k: &IBig| raw.sub(&Form::int(&(k * &modulus)));
        if let (Some(l), Some(g)) = case.range(raw) {
            let wraps = |v: &Rational| v.minus(&Rational::int(&least)).over(&Rational::int(&modulus)).floor();
            let (from, to) = (wraps(&Rational::int(&l.ceil())), wraps(&Rational::int(&g.floor())));
            if from == to {
                return Ok(times(&from));
            }
            if !case.lenient && &to - &from < IBig::from(MOST_VALUES) && from < to {
                let mut ways = Vec::new();
                let mut k = from;
                while k <= to {
                    let v = times(&k);
                    ways.push(vec![
                        Literal::Holds(Constraint::at_least_zero(v.sub(&Form::int(&least)))),
                        Literal::Holds(Constraint::at_least_zero(Form::int(&greatest).sub(&v))),
                    ]);
                    k += 1;
                }
                return Err(ways);
            }
        }
        self.lose();
        let value = case.column(Some(least), Some(greatest));
        let wraps = case.column(None, None);
        let rest = raw.plus(&Rational::int(&-modulus), &Form::column(wraps)).sub(&Form::column(value));
        case.hold(Constraint::zero(rest));
        Ok(Form::column(value))
    }

    /// The form of an integer; of a bit-vector a form that is congruent to it.
    fn form(&self, case: &mut Case, t: Term, depth: usize) -> Read {
        if let Some(f) = case.forms.get(&t) {
            return Ok(f.clone());
        }
        let f = if depth > DEEPEST { self.opaque(case, t) } else { self.form_of(case, t, depth + 1)? };
        case.forms.insert(t, f.clone());
        Ok(f)
    }

    fn form_of(&self, case: &mut Case, t: Term, depth: usize) -> Read {
        let terms = &self.ts.terms;
        let node = terms.node(t);
        let args = node.args();
        let minus = Rational::ONE.negated();
        Ok(match node.op {
            Op::Int(i) => Form::int(&terms.int_value(i)),
            Op::Bv(b) => Form::int(&IBig::from(b.signed())),
            Op::Symbol(_) => self.symbol(case, t, &node),
            Op::IntAdd | Op::BvAdd => self.form(case, args[0], depth)?.add(&self.form(case, args[1], depth)?),
            Op::IntSub | Op::BvSub => self.form(case, args[0], depth)?.sub(&self.form(case, args[1], depth)?),
            Op::IntNeg | Op::BvNeg => self.form(case, args[0], depth)?.scaled(&minus),
            Op::BvNot => self.form(case, args[0], depth)?.scaled(&minus).shifted(-1),
            Op::IntMul | Op::BvMul => {
                let (a, b) = (self.form(case, args[0], depth)?, self.form(case, args[1], depth)?);
                match (a.as_constant(), b.as_constant()) {
                    (Some(c), _) => b.scaled(c),
                    (_, Some(c)) => a.scaled(c),
                    _ => self.product(case, t, &a, &b),
                }
            }
            Op::BvShl => {
                let a = self.form(case, args[0], depth)?;
                match self.constant(args[1]) {
                    Some(k) if k < IBig::from(128) => {
                        let by = usize::try_from(&k).expect("the shift is below 128");
                        a.scaled(&Rational::int(&(IBig::ONE << by)))
                    }
                    _ => self.opaque(case, t),
                }
            }
            Op::Ite => return self.choice(case, t, args, depth),
            Op::IntDiv | Op::IntMod => return self.integer_division(case, t, &node, depth),
            Op::ZeroExtend(_) => self.value_at(case, args[0], Reading::Unsigned, depth)?,
            Op::SignExtend(_) => self.value_at(case, args[0], Reading::Signed, depth)?,
            Op::Concat => {
                let (high, low) = (
                    self.value_at(case, args[0], Reading::Unsigned, depth)?,
                    self.value_at(case, args[1], Reading::Unsigned, depth)?,
                );
                let by = terms.sort(args[1]).width().expect("a bit-vector has a width");
                low.plus(&Rational::int(&(IBig::ONE << by as usize)), &high)
            }
            Op::Extract { lo: 0, .. } => self.form(case, args[0], depth)?,
            Op::Extract { lo, .. } => {
                let a = self.value_at(case, args[0], Reading::Unsigned, depth)?;
                self.quotient(case, t, &a, &(IBig::ONE << lo as usize))?
            }
            Op::BvLshr | Op::BvAshr => match self.constant(args[1]) {
                Some(k) if k < IBig::from(128) => {
                    let by = usize::try_from(&k).expect("the shift is below 128");
                    let reading = if node.op == Op::BvLshr { Reading::Unsigned } else { Reading::Signed };
                    let a = self.value_at(case, args[0], reading, depth)?;
                    self.quotient(case, t, &a, &(IBig::ONE << by))?
                }
                _ => {
                    let a = self.value_at(case, args[0], Reading::Unsigned, depth)?;
                    self.bounded_by(case, t, node.op == Op::BvLshr, &[a])
                }
            },
            Op::BvUdiv | Op::BvUrem => return self.unsigned_division(case, t, &node, depth),
            Op::BvSdiv | Op::BvSrem => return self.signed_division(case, t, &node, depth),
            Op::BvAnd => {
                let mask = args.iter().enumerate().find_map(|(i, a)| {
                    let next: IBig = self.constant(*a)? + 1;
                    next.is_power_of_two_positive().then(|| (args[1 - i], next))
                });
                if let Some((other, modulus)) = mask {
                    let a = self.form(case, other, depth)?;
                    let q = self.quotient(case, t, &a, &modulus)?;
                    return Ok(a.plus(&Rational::int(&-modulus), &q));
                }
                let a = self.value_at(case, args[0], Reading::Unsigned, depth)?;
                let b = self.value_at(case, args[1], Reading::Unsigned, depth)?;
                self.bounded_by(case, t, true, &[a, b])
            }
            Op::BvOr | Op::BvXor => {
                let a = self.value_at(case, args[0], Reading::Unsigned, depth)?;
                let b = self.value_at(case, args[1], Reading::Unsigned, depth)?;
                let f = self.bounded_by(case, t, true, &[a.add(&b)]);
                if node.op == Op::BvOr {
                    case.hold(Constraint::at_least_zero(f.sub(&a)));
                    case.hold(Constraint::at_least_zero(f.sub(&b)));
                }
                f
            }
            Op::Select => return self.select(case, t, args, depth),
            _ => self.opaque(case, t),
        })
    }

    /// A variable, or an unknown at a point of the path.
    fn symbol(&self, case: &mut Case, t: Term, node: &Node) -> Form {
        match (node.sort, self.readings.get(&t)) {
            (Sort::BitVec(w), Some(reading)) => {
                let (least, greatest) = range_of(w, *reading);
                Form::column(case.column(Some(least), Some(greatest)))
            }
            _ => self.opaque(case, t),
        }
    }

    /// A column of which nothing is known but its sort.
    fn opaque(&self, case: &mut Case, t: Term) -> Form {
        let column = case.column(None, None);
        if let Sort::BitVec(w) = self.ts.terms.sort(t) {
            case.opaque.insert(column, w);
        }
        Form::column(column)
    }

    /// An unsigned column that is at most each of these, if `bounded`.
    fn bounded_by(&self, case: &mut Case, t: Term, bounded: bool, above: &[Form]) -> Form {
        let w = self.ts.terms.sort(t).width().expect("a bit-vector has a width");
        let f = Form::column(case.column(Some(IBig::ZERO), Some((IBig::ONE << w as usize) - 1)));
        if bounded {
            for a in above {
                case.hold(Constraint::at_least_zero(a.sub(&f)));
            }
        }
        f
    }

    fn constant(&self, t: Term) -> Option<IBig> {
        match self.ts.terms.constant_value(t)? {
            Value::Int(i) => Some(i),
            Value::Bv(b) => Some(IBig::from(b.unsigned())),
            _ => None,
        }
    }

    /// `ite`: the side that the case takes.
    fn choice(&self, case: &mut Case, t: Term, args: &[Term], depth: usize) -> Read {
        match case.truth.get(&args[0]) {
            Some(true) => self.form(case, args[1], depth),
            Some(false) => self.form(case, args[2], depth),
            None if case.lenient => {
                let (a, b) = (self.form(case, args[1], depth)?, self.form(case, args[2], depth)?);
                let f = self.opaque(case, t);
                if self.ts.terms.sort(t) == Sort::Int {
                    // Between the two, where it is known which is the greater one.
                    let (least, greatest) = case.range(&b.sub(&a));
                    let sides = if least.is_some_and(|l| !l.is_negative()) {
                        Some((a, b))
                    } else if greatest.is_some_and(|g| !g.is_positive()) {
                        Some((b, a))
                    } else {
                        None
                    };
                    if let Some((low, high)) = sides {
                        case.hold(Constraint::at_least_zero(f.sub(&low)));
                        case.hold(Constraint::at_least_zero(high.sub(&f)));
                    }
                }
                Ok(f)
            }
            None => Err(vec![vec![Literal::Condition(args[0], true)], vec![Literal::Condition(args[0], false)]]),
        }
    }

    /// The quotient of a form by a positive constant, rounded down; split on where few values are possible.
    fn quotient(&self, case: &mut Case, key: Term, form: &Form, by: &IBig) -> Read {
        let column = match case.quotients.get(&key) {
            Some(c) => c.0,
            None => {
                let q = case.column(None, None);
                let rest = form.plus(&Rational::int(&-by), &Form::column(q));
                case.hold(Constraint::at_least_zero(Form::int(&(by - 1)).sub(&rest)));
                case.hold(Constraint::at_least_zero(rest));
                // Quotients by one divisor differ by an integer, which their bounds often determine.
                let others: Vec<ColumnId> = case.quotients.values().filter(|o| o.1 == *by).map(|o| o.0).collect();
                for other in others.into_iter().take(MOST_COMPARED) {
                    let difference = Form::column(q).sub(&Form::column(other));
                    if let (Some(l), Some(g)) = case.range(&difference)
                        && l.ceil() == g.floor()
                    {
                        case.hold(Constraint::zero(difference.sub(&Form::int(&l.ceil()))));
                    }
                }
                case.quotients.insert(key, (q, by.clone()));
                q
            }
        };
        let q = Form::column(column);
        if let (Some(l), Some(g)) = case.range(&q) {
            let (from, to) = (l.ceil(), g.floor());
            if from >= to {
                case.hold(Constraint::zero(q.sub(&Form::int(&from))));
                return Ok(Form::int(&from));
            }
            if !case.lenient && &to - &from < IBig::from(MOST_VALUES) {
                let mut ways = Vec::new();
                let mut k = from;
                while k <= to {
                    ways.push(vec![Literal::Holds(Constraint::zero(q.sub(&Form::int(&k))))]);
                    k += 1;
                }
                return Err(ways);
            }
        }
        self.lose();
        Ok(q)
    }

    /// Quotient and remainder of integers: the remainder is never below zero.
    fn integer_division(&self, case: &mut Case, t: Term, node: &Node, depth: usize) -> Read {
        let args = node.args();
        let a = self.form(case, args[0], depth)?;
        let b = self.form(case, args[1], depth)?;
        let is_mod = node.op == Op::IntMod;
        let Some(c) = b.as_constant().map(Rational::numerator) else {
            return self.division_by_form(case, t, is_mod, &a, &b);
        };
        if c.is_zero() {
            return Ok(if is_mod { a } else { Form::constant(Rational::ZERO) });
        }
        let size = if c < IBig::ZERO { -c.clone() } else { c.clone() };
        // Both share one column: the key is the quotient by the size.
        let terms = &self.ts.terms;
        let key = terms.apply(Op::IntDiv, &[args[0], terms.int(size.clone())]);
        let q = self.quotient(case, key, &a, &size)?;
        Ok(match (is_mod, c < IBig::ZERO) {
            (true, _) => {
                let rest = a.plus(&Rational::int(&-&size), &q);
                if size > IBig::from(LARGEST_DIVISOR) || q.as_constant().is_some() {
                    return Ok(rest);
                }
                // A column of its own, so that conditions can be seen to speak of it.
                let r = Form::column(case.column(Some(IBig::ZERO), Some(size - 1)));
                case.hold(Constraint::zero(rest.sub(&r)));
                r
            }
            (false, false) => q,
            (false, true) => q.scaled(&Rational::ONE.negated()),
        })
    }

    /// By a divisor that is not constant: bounds, where its sign is known.
    fn division_by_form(&self, case: &mut Case, t: Term, is_mod: bool, a: &Form, b: &Form) -> Read {
        let positive = case.is_at_least_zero(&b.shifted(-1));
        let negative = !positive && case.is_at_least_zero(&b.negated().shifted(-1));
        if !positive && !negative && !case.lenient {
            let way = |f: Form| vec![Literal::Holds(Constraint::at_least_zero(f))];
            let none = vec![Literal::Holds(Constraint::zero(b.clone()))];
            let fork = vec![way(b.shifted(-1)), way(b.negated().shifted(-1)), none];
            let at_zero = case.range(b);
            if at_zero == (Some(Rational::ZERO), Some(Rational::ZERO)) {
                return Ok(if is_mod { a.clone() } else { Form::constant(Rational::ZERO) });
            }
            return Err(fork);
        }
        let f = self.opaque(case, t);
        let dividend_positive = case.is_at_least_zero(a);
        if is_mod && (positive || negative) {
            let size = if positive { b.clone() } else { b.negated() };
            case.hold(Constraint::at_least_zero(f.clone()));
            case.hold(Constraint::at_least_zero(size.sub(&f).shifted(-1)));
            if dividend_positive {
                case.hold(Constraint::at_least_zero(a.sub(&f)));
            }
        } else if !is_mod && positive && dividend_positive {
            case.hold(Constraint::at_least_zero(f.clone()));
            let two = Rational::small(2);
            let halved = case.is_at_least_zero(&b.shifted(-2));
            let most = if halved { a.plus(&two.negated(), &f) } else { a.sub(&f) };
            case.hold(Constraint::at_least_zero(most));
        }
        Ok(f)
    }

    fn unsigned_division(&self, case: &mut Case, t: Term, node: &Node, depth: usize) -> Read {
        let args = node.args();
        let a = self.value_at(case, args[0], Reading::Unsigned, depth)?;
        let is_rem = node.op == Op::BvUrem;
        if let Some(c) = self.constant(args[1]).filter(|c| !c.is_zero()) {
            let terms = &self.ts.terms;
            let key = terms.apply(Op::BvUdiv, &[args[0], args[1]]);
            let q = self.quotient(case, key, &a, &c)?;
            return Ok(if is_rem { a.plus(&Rational::int(&-c), &q) } else { q });
        }
        let b = self.value_at(case, args[1], Reading::Unsigned, depth)?;
        let divides = case.is_at_least_zero(&b.shifted(-1));
        if !divides && !case.lenient {
            // Nothing is below zero here, so the divisor is zero or above.
            let zero = vec![Literal::Holds(Constraint::zero(b.clone()))];
            if case.range(&b).1.is_none_or(|u| u.is_positive()) {
                return Err(vec![vec![Literal::Holds(Constraint::at_least_zero(b.shifted(-1)))], zero]);
            }
            return Ok(if is_rem { a } else { Form::constant(Rational::ONE.negated()) });
        }
        let f = self.bounded_by(case, t, is_rem || divides, std::slice::from_ref(&a));
        if is_rem && divides {
            case.hold(Constraint::at_least_zero(b.sub(&f).shifted(-1)));
        } else if divides && case.is_at_least_zero(&b.shifted(-2)) {
            case.hold(Constraint::at_least_zero(a.plus(&Rational::small(-2), &f)));
        }
        Ok(f)
    }

    /// Division that rounds towards zero, by a constant other than zero and minus one.
    fn signed_division(&self, case: &mut Case, t: Term, node: &Node, depth: usize) -> Read {
        let args = node.args();
        let terms = &self.ts.terms;
        let c = match terms.constant_value(args[1]) {
            Some(Value::Bv(b)) if b.signed() > 0 || b.signed() < -1 => IBig::from(b.signed()),
            _ => return Ok(self.opaque(case, t)),
        };
        let a = self.value_at(case, args[0], Reading::Signed, depth)?;
        let positive = case.is_at_least_zero(&a);
        if !positive && !case.is_at_least_zero(&a.negated()) {
            if case.lenient {
                return Ok(self.opaque(case, t));
            }
            let way = |f: Form| vec![Literal::Holds(Constraint::at_least_zero(f))];
            return Err(vec![way(a.clone()), way(a.negated().shifted(-1))]);
        }
        let size = if c < IBig::ZERO { -c.clone() } else { c.clone() };
        let absolute = if positive { a.clone() } else { a.negated() };
        let key = terms.apply(Op::BvSdiv, &[args[0], args[1]]);
        let q = self.quotient(case, key, &absolute, &size)?;
        Ok(if node.op == Op::BvSrem {
            let rest = absolute.plus(&Rational::int(&-size), &q);
            if positive { rest } else { rest.negated() }
        } else if positive == (c > IBig::ZERO) {
            q
        } else {
            q.negated()
        })
    }

    /// A product of two forms: a column, bounded by the products of their distances to their bounds.
    fn product(&self, case: &mut Case, t: Term, a: &Form, b: &Form) -> Form {
        let f = self.opaque(case, t);
        if self.ts.terms.sort(t) != Sort::Int {
            return f;
        }
        let ((al, au), (bl, bu)) = (case.range(a), case.range(b));
        // (a - x) (b - y) with both factors of known sign, multiplied out.
        let mut corner = |x: &Option<Rational>, y: &Option<Rational>, above: bool| {
            if let (Some(x), Some(y)) = (x, y) {
                let expanded = f.plus(&y.negated(), a).plus(&x.negated(), b).add(&Form::constant(x.times(y)));
                case.hold(Constraint::at_least_zero(if above { expanded } else { expanded.negated() }));
            }
        };
        corner(&al, &bl, true);
        corner(&au, &bu, true);
        corner(&al, &bu, false);
        corner(&au, &bl, false);
        if a == b {
            case.hold(Constraint::at_least_zero(f.sub(a)));
            case.hold(Constraint::at_least_zero(f.add(a)));
        }
        f
    }

    /// A cell: past the stores to other cells, the one that was stored, or a column.
    fn select(&self, case: &mut Case, t: Term, args: &[Term], depth: usize) -> Read {
        let terms = &self.ts.terms;
        let mut array = args[0];
        while let node = terms.node(array)
            && node.op == Op::Store
        {
            let [below, at, stored] = *node.args() else { unreachable!("a store has three arguments") };
            if terms.sort(at) != Sort::Int && at != args[1] {
                break;
            }
            let difference = if at == args[1] {
                Form::constant(Rational::ZERO)
            } else {
                self.form(case, at, depth)?.sub(&self.form(case, args[1], depth)?)
            };
            let (least, greatest) = case.range(&difference);
            let is = |v: &Option<Rational>, what: fn(&Rational) -> bool| v.as_ref().is_some_and(what);
            if is(&least, Rational::is_zero) && is(&greatest, Rational::is_zero) {
                return self.form(case, stored, depth);
            }
            if is(&least, Rational::is_positive) || is(&greatest, Rational::is_negative) {
                array = below;
                continue;
            }
            if case.lenient {
                return Ok(self.opaque(case, t));
            }
            let way = |f: Form| vec![Literal::Holds(Constraint::at_least_zero(f))];
            return Err(vec![
                vec![Literal::Holds(Constraint::zero(difference.clone()))],
                way(difference.shifted(-1)),
                way(difference.negated().shifted(-1)),
            ]);
        }
        let cell = terms.apply(Op::Select, &[array, args[1]]);
        if let Some(f) = case.forms.get(&cell) {
            return Ok(f.clone());
        }
        let f = self.opaque(case, cell);
        case.forms.insert(cell, f.clone());
        Ok(f)
    }
}

/// The least and the greatest value of a bit-vector.
pub(crate) fn range_of(width: u32, reading: Reading) -> (IBig, IBig) {
    let half = IBig::ONE << (width as usize - 1);
    match reading {
        Reading::Signed => (-half.clone(), half - 1),
        Reading::Unsigned => (IBig::ZERO, (half << 1) - 1),
    }
}

/// How each bit-vector variable is read: as the operations that tell the difference do, by majority.
fn readings(ts: &TransitionSystem) -> HashMap<Term, Reading> {
    let terms = &ts.terms;
    let mut votes: BTreeMap<Term, i64> = BTreeMap::new();
    let roots: Vec<Term> =
        ts.edges.iter().flat_map(|e| std::iter::once(e.guard).chain(e.updates.iter().map(|u| u.1))).collect();
    for t in terms.reachable(&roots) {
        let node = terms.node(t);
        let vote = match node.op {
            Op::BvSlt | Op::BvSle | Op::SignExtend(_) | Op::BvSdiv | Op::BvSrem | Op::BvAshr => 1,
            Op::BvUlt | Op::BvUle | Op::ZeroExtend(_) | Op::BvUdiv | Op::BvUrem | Op::BvLshr | Op::BvAnd => -1,
            _ => continue,
        };
        for s in node.args().iter().flat_map(|a| terms.symbols(*a)) {
            *votes.entry(s).or_default() += vote;
        }
    }
    let is_variable = |t: Term| matches!(terms.role(t), Some(Role::Var(_)));
    let mut all = HashMap::new();
    for v in ts.vars.iter().filter(|v| matches!(v.sort, Sort::BitVec(_)) && is_variable(v.term)) {
        let unsigned = votes.get(&v.term).copied().unwrap_or(0) < 0;
        all.insert(v.term, if unsigned { Reading::Unsigned } else { Reading::Signed });
    }
    all
}

trait PowerOfTwo {
    fn is_power_of_two_positive(&self) -> bool;
}

impl PowerOfTwo for IBig {
    fn is_power_of_two_positive(&self) -> bool {
        use dashu_int::ops::PowerOfTwo as _;
        *self > IBig::ZERO && dashu_int::UBig::try_from(self.clone()).is_ok_and(|u| u.is_power_of_two())
    }
}
