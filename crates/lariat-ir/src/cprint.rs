//! Terms as C, for people.
//!
//! The convention: a printed bit-vector expression is to be read as signed, of its width; an operation that reads its
//! operands as unsigned says so with a cast. So `x < 10` is the signed comparison, and the unsigned one is
//! `(unsigned)x < 10`; a constant is printed as the number that its place reads it as. At 8 and 16 bits, where C computes in
//! `int`, a result that wraps is cast back: `(int8_t)(x + 1)`. Other widths are printed as if C had such types.
//! What C has no notation for is written like a call: `bits(x, hi, lo)` is the number made of these bits,
//! `div(a, b)` and `mod(a, b)` are the integers' division with a remainder that is never negative.
//!
//! Parentheses are as few as C's precedences allow, and an operand is never copied; but a term that shares its parts may be
//! long as text, so a part of more than [`LONGEST`] bytes is printed as `...`.

use crate::float::{self, FloatOp};
use crate::sort::Sort;
use crate::term::{Op, Term, Terms};
use crate::value::Bits;
use std::collections::HashMap;

/// How long the text of an operand may be before it is replaced by `...`.
pub const LONGEST: usize = 4000;

/// A term as a C expression. `name` gives a primary expression for each symbol, such as `x` or `p->next`.
pub fn c_expr(terms: &Terms, term: Term, name: &dyn Fn(Term) -> String) -> String {
    let mut printer = Printer { terms, printed: HashMap::new() };
    for t in terms.reachable(&[term]) {
        let mut text = printer.print(t, name);
        if text.len() > LONGEST && t != term {
            text = Printed::plain(Text::atom("..."));
        }
        printer.printed.insert(t, text);
    }
    printer.signed(term).text
}

/// C's precedences, from weak to strong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Choice,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Order,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

/// A piece of C and how strongly it holds together.
#[derive(Clone, Debug)]
struct Text {
    text: String,
    level: Level,
}

impl Text {
    fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: Level::Primary }
    }
    /// A number: a negative one is a unary minus.
    fn number(text: String) -> Self {
        let level = if text.starts_with('-') { Level::Unary } else { Level::Primary };
        Self { text, level }
    }
    /// In parentheses where it is weaker than its place.
    fn at(&self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text.clone() }
    }
    fn cast(&self, to: &str) -> Self {
        self.prefix(&format!("({to})"))
    }
    fn prefix(&self, sign: &str) -> Self {
        // Two signs in a row would read as a decrement.
        let operand =
            if sign == "-" && self.text.starts_with('-') { format!("({})", self.text) } else { self.at(Level::Unary) };
        Self { text: format!("{sign}{operand}"), level: Level::Unary }
    }
    /// `a op b`, grouped to the left as C does; `&&` and the like need no grouping at all.
    fn infix(a: &Self, op: &str, b: &Self, level: Level) -> Self {
        let associates = matches!(level, Level::Or | Level::And | Level::BitOr | Level::BitXor | Level::BitAnd);
        let right = if associates && b.level == level { b.text.clone() } else { b.at(stronger(level)) };
        Self { text: format!("{} {op} {right}", a.at(level)), level }
    }
}

fn stronger(level: Level) -> Level {
    match level {
        Level::Choice => Level::Or,
        Level::Or => Level::And,
        Level::And => Level::BitOr,
        Level::BitOr => Level::BitXor,
        Level::BitXor => Level::BitAnd,
        Level::BitAnd => Level::Equality,
        Level::Equality => Level::Order,
        Level::Order => Level::Shift,
        Level::Shift => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Unary,
        Level::Unary | Level::Primary => Level::Primary,
    }
}

/// How a term is printed, by what its place reads.
#[derive(Clone, Debug)]
struct Printed {
    /// Where only the low bits count, as under `+`: C's type may be wider, or signed, or not.
    low_bits: Text,
    /// Where it is read as signed.
    signed: Text,
    /// Where it is read as unsigned.
    unsigned: Text,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A number that is written as its place wants it.
    Constant,
    /// The same number, read as signed or as unsigned: nobody needs to be told.
    NonNegative,
    /// C computes `low_bits` in a signed type, or the sort is no bit-vector.
    Signed,
    /// C computes `low_bits` in an unsigned type.
    Unsigned,
}

impl Printed {
    fn plain(text: Text) -> Self {
        Self { low_bits: text.clone(), signed: text.clone(), unsigned: text, kind: Kind::Signed }
    }
    fn len(&self) -> usize {
        self.low_bits.text.len().max(self.signed.text.len())
    }
    /// A value that C has in a type of this width.
    fn of_width(text: Text, width: u32, unsigned: bool) -> Self {
        if unsigned {
            let signed = text.cast(&signed_name(width));
            Self { low_bits: text.clone(), signed, unsigned: text, kind: Kind::Unsigned }
        } else {
            let unsigned = text.cast(&unsigned_name(width));
            Self { low_bits: text.clone(), signed: text, unsigned, kind: Kind::Signed }
        }
    }
    /// The result of arithmetic in which only the low bits count.
    fn computed(text: Text, width: u32, unsigned: bool) -> Self {
        if !promoted(width) {
            return Self::of_width(text, width, unsigned);
        }
        let (signed, unsigned) = (text.cast(&fixed(width, true)), text.cast(&fixed(width, false)));
        Self { low_bits: text, signed, unsigned, kind: Kind::Signed }
    }
}

/// Whether C computes in `int` what has this width.
fn promoted(width: u32) -> bool {
    width == 8 || width == 16
}

/// Whether C has a type of this width.
fn has_type(width: u32) -> bool {
    matches!(width, 8 | 16 | 32 | 64)
}

fn fixed(width: u32, signed: bool) -> String {
    format!("{}int{width}_t", if signed { "" } else { "u" })
}

/// The type to read a value of this width as signed.
fn signed_name(width: u32) -> String {
    if width != 32 && has_type(width) { fixed(width, true) } else { "int".to_owned() }
}

/// The type to read a value of this width as unsigned.
fn unsigned_name(width: u32) -> String {
    if width != 32 && has_type(width) { fixed(width, false) } else { "unsigned".to_owned() }
}

struct Printer<'a> {
    terms: &'a Terms,
    printed: HashMap<Term, Printed>,
}

impl Printer<'_> {
    fn signed(&self, t: Term) -> Text {
        self.printed[&t].signed.clone()
    }
    fn unsigned(&self, t: Term) -> Text {
        self.printed[&t].unsigned.clone()
    }
    /// Read as unsigned by C, too: a constant or `(uint8_t)x` would be an `int`.
    fn of_unsigned_type(&self, t: Term) -> Text {
        match self.kind(t) {
            Kind::Constant | Kind::NonNegative => self.signed(t).cast(&unsigned_name(self.width(t))),
            Kind::Signed | Kind::Unsigned => self.unsigned(t),
        }
    }
    fn low_bits(&self, t: Term) -> Text {
        self.printed[&t].low_bits.clone()
    }
    fn kind(&self, t: Term) -> Kind {
        self.printed[&t].kind
    }
    fn width(&self, t: Term) -> u32 {
        self.terms.sort(t).width().expect("the operand of a bit-vector operation")
    }
    fn constant(&self, t: Term) -> Option<Bits> {
        match self.terms.node(t).op {
            Op::Bv(b) => Some(b),
            _ => None,
        }
    }

    fn print(&self, t: Term, name: &dyn Fn(Term) -> String) -> Printed {
        let node = self.terms.node(t);
        let args = node.args();
        match node.op {
            Op::Symbol(_) => match node.sort {
                Sort::BitVec(w) => Printed::of_width(Text::atom(name(t)), w, false),
                _ => Printed::plain(Text::atom(name(t))),
            },
            Op::Bool(b) => Printed::plain(Text::atom(b.to_string())),
            Op::Int(i) => Printed::plain(Text::number(self.terms.int_value(i).to_string())),
            Op::Bv(b) => {
                let signed = Text::number(b.signed().to_string());
                let unsigned = Text::number(b.unsigned().to_string());
                Printed { low_bits: signed.clone(), signed, unsigned, kind: Kind::Constant }
            }
            Op::Not => Printed::plain(self.negation(args[0])),
            Op::And => Printed::plain(Text::infix(&self.signed(args[0]), "&&", &self.signed(args[1]), Level::And)),
            Op::Or => Printed::plain(Text::infix(&self.signed(args[0]), "||", &self.signed(args[1]), Level::Or)),
            Op::Eq => Printed::plain(self.equality("==", args)),
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::IntLt | Op::IntLe => {
                Printed::plain(self.order(node.op, args, false))
            }
            Op::Ite => self.choice(args),
            Op::BvNot | Op::BvNeg => {
                let sign = if node.op == Op::BvNot { "~" } else { "-" };
                let text = self.low_bits(args[0]).prefix(sign);
                Printed::computed(text, self.width(t), self.kind(args[0]) == Kind::Unsigned)
            }
            Op::BvAdd | Op::BvSub => self.sum(t, node.op == Op::BvSub, args),
            Op::BvMul => self.low_bits_infix(t, "*", Level::Product, args),
            Op::BvAnd => self.low_bits_infix(t, "&", Level::BitAnd, args),
            Op::BvOr => self.low_bits_infix(t, "|", Level::BitOr, args),
            Op::BvXor => self.low_bits_infix(t, "^", Level::BitXor, args),
            Op::BvSdiv | Op::BvSrem => {
                let op = if node.op == Op::BvSdiv { "/" } else { "%" };
                let text = Text::infix(&self.signed(args[0]), op, &self.signed(args[1]), Level::Product);
                Printed::computed(text, self.width(t), false)
            }
            Op::BvUdiv | Op::BvUrem => {
                let op = if node.op == Op::BvUdiv { "/" } else { "%" };
                let text = Text::infix(&self.of_unsigned_type(args[0]), op, &self.unsigned(args[1]), Level::Product);
                Printed::computed(text, self.width(t), true)
            }
            Op::BvShl => {
                let text = Text::infix(&self.low_bits(args[0]), "<<", &self.amount(args[1]), Level::Shift);
                Printed::computed(text, self.width(t), self.kind(args[0]) == Kind::Unsigned)
            }
            Op::BvLshr => {
                let text = Text::infix(&self.of_unsigned_type(args[0]), ">>", &self.amount(args[1]), Level::Shift);
                Printed::computed(text, self.width(t), true)
            }
            Op::BvAshr => {
                let text = Text::infix(&self.signed(args[0]), ">>", &self.amount(args[1]), Level::Shift);
                Printed::of_width(text, self.width(t), false)
            }
            Op::Concat => {
                let text = format!("concat({}, {})", self.unsigned(args[0]).text, self.unsigned(args[1]).text);
                Printed::of_width(Text::atom(text), self.width(t), true)
            }
            Op::Extract { hi, lo } => self.extract(args[0], hi, lo),
            Op::ZeroExtend(_) => self.zero_extend(t, args[0]),
            Op::SignExtend(_) => {
                let width = self.width(t);
                let inner = self.signed(args[0]);
                let text = if has_type(width) { inner.cast(&fixed(width, true)) } else { inner };
                Printed::of_width(text, width, false)
            }
            Op::IntNeg => Printed::plain(self.signed(args[0]).prefix("-")),
            Op::IntAdd => Printed::plain(self.int_sum(args)),
            Op::IntSub => Printed::plain(Text::infix(&self.signed(args[0]), "-", &self.signed(args[1]), Level::Sum)),
            Op::IntMul => {
                Printed::plain(Text::infix(&self.signed(args[0]), "*", &self.signed(args[1]), Level::Product))
            }
            Op::IntDiv | Op::IntMod => {
                let call = if node.op == Op::IntDiv { "div" } else { "mod" };
                let text = format!("{call}({}, {})", self.signed(args[0]).text, self.signed(args[1]).text);
                Printed::plain(Text::atom(text))
            }
            Op::IntToBv(width) => self.converted(args[0], width),
            Op::UbvToInt => Printed::plain(self.unsigned(args[0])),
            Op::SbvToInt => Printed::plain(self.as_signed_number(args[0])),
            Op::Select => {
                let text = Text::atom(format!("{}[{}]", self.signed(args[0]).at(Level::Primary), self.index(args[1])));
                match node.sort {
                    Sort::BitVec(w) => Printed::of_width(text, w, false),
                    _ => Printed::plain(text),
                }
            }
            Op::Store => {
                let array = self.signed(args[0]).at(Level::Primary);
                let text = format!("{array}{{[{}] = {}}}", self.index(args[1]), self.signed(args[2]).text);
                Printed::plain(Text::atom(text))
            }
            Op::Float(op) => self.float(op, args),
            Op::Fill(_) => Printed::plain(Text::atom(format!("{{[*] = {}}}", self.signed(args[0]).text))),
        }
    }

    /// The negation of a truth value; a comparison turns round.
    fn negation(&self, a: Term) -> Text {
        let node = self.terms.node(a);
        match node.op {
            Op::Eq => self.equality("!=", node.args()),
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::IntLt | Op::IntLe => {
                self.order(node.op, node.args(), true)
            }
            _ => self.signed(a).prefix("!"),
        }
    }

    /// Two bit-vectors are equal iff their numbers are, read alike.
    fn equality(&self, op: &str, args: &[Term]) -> Text {
        let unsigned = args.iter().any(|&a| self.kind(a) == Kind::Unsigned);
        let side = |a: Term| if unsigned { self.unsigned(a) } else { self.signed(a) };
        // The constant stands on the right, where a reader looks for it.
        let (a, b) = if self.kind(args[0]) == Kind::Constant { (args[1], args[0]) } else { (args[0], args[1]) };
        Text::infix(&side(a), op, &side(b), Level::Equality)
    }

    fn order(&self, op: Op, args: &[Term], negated: bool) -> Text {
        let strict = matches!(op, Op::BvUlt | Op::BvSlt | Op::IntLt);
        let unsigned = matches!(op, Op::BvUlt | Op::BvUle);
        let side = |a: Term| if unsigned { self.unsigned(a) } else { self.signed(a) };
        let is_constant = |a: Term| matches!(self.terms.node(a).op, Op::Bv(_) | Op::Int(_));
        let flip = is_constant(args[0]) && !is_constant(args[1]);
        let sign = match (strict, negated, flip) {
            (true, false, false) | (false, true, true) => "<",
            (false, false, false) | (true, true, true) => "<=",
            (true, false, true) | (false, true, false) => ">",
            (false, false, true) | (true, true, false) => ">=",
        };
        let (a, b) = if flip { (args[1], args[0]) } else { (args[0], args[1]) };
        Text::infix(&side(a), sign, &side(b), Level::Order)
    }

    fn choice(&self, args: &[Term]) -> Printed {
        let join = |a: &Text, b: &Text| Text {
            text: format!("{} ? {} : {}", self.signed(args[0]).at(Level::Or), a.text, b.at(Level::Choice)),
            level: Level::Choice,
        };
        match self.terms.sort(args[1]) {
            Sort::BitVec(w) => {
                let unsigned = args[1..].iter().any(|&a| self.kind(a) == Kind::Unsigned);
                let side = |a: Term| if unsigned { self.unsigned(a) } else { self.signed(a) };
                Printed::of_width(join(&side(args[1]), &side(args[2])), w, unsigned)
            }
            _ => Printed::plain(join(&self.signed(args[1]), &self.signed(args[2]))),
        }
    }

    fn low_bits_infix(&self, t: Term, op: &str, level: Level, args: &[Term]) -> Printed {
        let text = Text::infix(&self.low_bits(args[0]), op, &self.low_bits(args[1]), level);
        Printed::computed(text, self.width(t), args.iter().any(|&a| self.kind(a) == Kind::Unsigned))
    }

    /// A sum or a difference; a negative constant turns the sign round.
    fn sum(&self, t: Term, minus: bool, args: &[Term]) -> Printed {
        let width = self.width(t);
        let unsigned = args.iter().any(|&a| self.kind(a) == Kind::Unsigned);
        let (minus, right) = match self.constant(args[1]).map(Bits::signed) {
            Some(k) if k < 0 => (!minus, Text::number(k.unsigned_abs().to_string())),
            _ => (minus, self.low_bits(args[1])),
        };
        let op = if minus { "-" } else { "+" };
        Printed::computed(Text::infix(&self.low_bits(args[0]), op, &right, Level::Sum), width, unsigned)
    }

    fn int_sum(&self, args: &[Term]) -> Text {
        let right = self.signed(args[1]);
        match right.text.strip_prefix('-') {
            Some(positive) if matches!(self.terms.node(args[1]).op, Op::Int(_)) => {
                Text::infix(&self.signed(args[0]), "-", &Text::atom(positive), Level::Sum)
            }
            _ => Text::infix(&self.signed(args[0]), "+", &right, Level::Sum),
        }
    }

    /// As C has it, with patterns read as the numbers they are.
    fn float(&self, op: FloatOp, args: &[Term]) -> Printed {
        let number = |a: Term| match self.constant(a) {
            Some(bits) if op.takes_floats() => Text::number(float::decimal(bits)),
            _ => self.signed(a),
        };
        let infix = |sign: &str, level: Level| Text::infix(&number(args[0]), sign, &number(args[1]), level);
        let call = |name: &str| {
            let all: Vec<String> = args.iter().map(|&a| number(a).text).collect();
            Text::atom(format!("{name}({})", all.join(", ")))
        };
        let float_name = |width: u32| if width == 32 { "float" } else { "double" };
        let text = match op {
            FloatOp::Add => infix("+", Level::Sum),
            FloatOp::Sub => infix("-", Level::Sum),
            FloatOp::Mul => infix("*", Level::Product),
            FloatOp::Div => infix("/", Level::Product),
            FloatOp::Eq => infix("==", Level::Equality),
            FloatOp::Lt => infix("<", Level::Order),
            FloatOp::Le => infix("<=", Level::Order),
            FloatOp::Convert(w) | FloatOp::FromSigned(w) => number(args[0]).cast(float_name(w)),
            FloatOp::FromUnsigned(w) => self.unsigned(args[0]).cast(float_name(w)),
            FloatOp::ToSigned(w) => number(args[0]).cast(&signed_name(w)),
            FloatOp::ToUnsigned(w) => number(args[0]).cast(&unsigned_name(w)),
            FloatOp::Fma | FloatOp::Sqrt | FloatOp::Round(_) => call(op.name().trim_start_matches("fp_")),
        };
        match op {
            FloatOp::ToUnsigned(w) => Printed::of_width(text, w, true),
            FloatOp::ToSigned(w) => Printed::of_width(text, w, false),
            // Where the pattern is read as an integer nobody converts it: there is nothing in C to say so.
            _ => Printed { kind: Kind::NonNegative, ..Printed::plain(text) },
        }
    }

    /// An integer reduced to a width, which a conversion does in C, too.
    fn converted(&self, a: Term, width: u32) -> Printed {
        if !has_type(width) {
            return Printed::of_width(self.bits(a, width - 1, 0), width, true);
        }
        let (signed, unsigned) = (self.signed(a).cast(&fixed(width, true)), self.signed(a).cast(&fixed(width, false)));
        Printed { low_bits: signed.clone(), signed, unsigned, kind: Kind::Signed }
    }

    /// A bit-vector as an integer: what wraps says so, because among integers nothing does.
    fn as_signed_number(&self, a: Term) -> Text {
        match self.terms.node(a).op {
            Op::BvNeg | Op::BvAdd | Op::BvSub | Op::BvMul | Op::BvShl if !promoted(self.width(a)) => {
                self.signed(a).cast(&signed_name(self.width(a)))
            }
            _ => self.signed(a),
        }
    }

    /// The amount of a shift.
    fn amount(&self, a: Term) -> Text {
        match self.kind(a) {
            Kind::Constant => self.unsigned(a),
            _ => self.signed(a),
        }
    }

    /// What stands between the brackets of an array.
    fn index(&self, a: Term) -> String {
        match self.kind(a) {
            Kind::Constant => self.unsigned(a).text,
            _ => self.signed(a).text,
        }
    }

    fn extract(&self, a: Term, hi: u32, lo: u32) -> Printed {
        let width = hi - lo + 1;
        if !has_type(width) {
            return Printed::of_width(self.bits(a, hi, lo), width, true);
        }
        let low = if lo == 0 {
            self.low_bits(a)
        } else {
            Text::infix(&self.signed(a), ">>", &Text::atom(lo.to_string()), Level::Shift)
        };
        let (signed, unsigned) = (low.cast(&fixed(width, true)), low.cast(&fixed(width, false)));
        Printed { low_bits: signed.clone(), signed, unsigned, kind: Kind::Signed }
    }

    fn bits(&self, a: Term, hi: u32, lo: u32) -> Text {
        Text::atom(format!("bits({}, {hi}, {lo})", self.signed(a).text))
    }

    fn zero_extend(&self, t: Term, a: Term) -> Printed {
        let (narrow, wide) = (self.width(a), self.width(t));
        if !has_type(narrow) {
            // `bits` is never negative already.
            let inner = match self.terms.node(a).op {
                Op::Extract { .. } => self.low_bits(a),
                _ => self.bits(a, narrow - 1, 0),
            };
            return Printed {
                low_bits: inner.clone(),
                signed: inner.clone(),
                unsigned: inner,
                kind: Kind::NonNegative,
            };
        }
        let value = self.low_bits_of_cast(a, narrow);
        if wide <= 32 || !has_type(wide) {
            // C converts such a value to `int` by itself, and does not change it.
            return Printed {
                low_bits: value.clone(),
                signed: value.clone(),
                unsigned: value,
                kind: Kind::NonNegative,
            };
        }
        let (signed, unsigned) = (value.cast(&fixed(wide, true)), value.cast(&fixed(wide, false)));
        Printed { low_bits: signed.clone(), signed, unsigned, kind: Kind::NonNegative }
    }

    /// `(uint8_t)x`: where `x` is itself a cast to the signed type, that one is left out.
    fn low_bits_of_cast(&self, a: Term, width: u32) -> Text {
        if promoted(width) || matches!(self.terms.node(a).op, Op::Extract { .. }) {
            self.unsigned(a)
        } else {
            self.low_bits(a).cast(&fixed(width, false))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Scalar;
    use crate::term::Role;

    struct Fixture {
        t: Terms,
    }

    impl Fixture {
        fn bv(&self, name: &str, width: u32) -> Term {
            self.t.symbol(name, Sort::BitVec(width), Role::Free)
        }
        fn int(&self, name: &str) -> Term {
            self.t.symbol(name, Sort::Int, Role::Free)
        }
        fn flag(&self, name: &str) -> Term {
            self.t.symbol(name, Sort::Bool, Role::Free)
        }
        fn k(&self, n: i32) -> Term {
            self.t.bv(32, u128::from(n.cast_unsigned()))
        }
        fn ap(&self, op: Op, args: &[Term]) -> Term {
            self.t.apply(op, args)
        }
        fn show(&self, term: Term) -> String {
            c_expr(&self.t, term, &|s| {
                let Op::Symbol(id) = self.t.node(s).op else { unreachable!("names are asked for symbols") };
                self.t.symbol_data(id).name.clone()
            })
        }
    }

    fn fixture() -> Fixture {
        Fixture { t: Terms::new() }
    }

    #[test]
    fn conditions() {
        let f = fixture();
        let (x, n, flag) = (f.bv("x", 32), f.bv("n", 32), f.flag("flag"));
        let t = &f.t;
        let below = f.ap(Op::BvSlt, &[f.ap(Op::BvAdd, &[x, f.k(1)]), n]);
        assert_eq!(f.show(t.and(below, t.not(flag))), "x + 1 < n && !flag");
        assert_eq!(f.show(t.or(t.and(flag, below), below)), "flag && x + 1 < n || x + 1 < n");
        assert_eq!(f.show(t.and(t.or(flag, below), below)), "(flag || x + 1 < n) && x + 1 < n");
        assert_eq!(f.show(t.not(t.and(flag, below))), "!(flag && x + 1 < n)");
        assert_eq!(f.show(t.not(t.eq(x, f.k(-1)))), "x != -1");
        assert_eq!(f.show(t.eq(f.k(0), x)), "x == 0");
        assert_eq!(f.show(t.not(f.ap(Op::BvSlt, &[x, n]))), "x >= n");
        assert_eq!(f.show(t.not(f.ap(Op::BvSle, &[x, n]))), "x > n");
        assert_eq!(f.show(f.ap(Op::BvSlt, &[f.k(0), x])), "x > 0");
        assert_eq!(f.show(t.not(f.ap(Op::BvSlt, &[f.k(0), x]))), "x <= 0");
        assert_eq!(f.show(t.not(f.ap(Op::BvSle, &[f.k(0), x]))), "x < 0");
        assert_eq!(f.show(t.and(flag, t.and(flag, flag))), "flag && flag && flag");
        assert_eq!(f.show(t.eq(below, flag)), "x + 1 < n == flag");
        assert_eq!(f.show(t.not(t.not(flag))), "!!flag");
        assert_eq!(f.show(t.tt()), "true");
    }

    #[test]
    fn unsigned_comparisons_say_so() {
        let f = fixture();
        let (x, y) = (f.bv("x", 32), f.bv("y", 32));
        assert_eq!(f.show(f.ap(Op::BvUlt, &[x, y])), "(unsigned)x < (unsigned)y");
        assert_eq!(f.show(f.ap(Op::BvUlt, &[x, f.k(10)])), "(unsigned)x < 10");
        assert_eq!(f.show(f.ap(Op::BvUle, &[x, f.k(-1)])), "(unsigned)x <= 4294967295");
        assert_eq!(f.show(f.ap(Op::BvUlt, &[f.k(-2), x])), "(unsigned)x > 4294967294");
        assert_eq!(f.show(f.t.not(f.ap(Op::BvUlt, &[x, y]))), "(unsigned)x >= (unsigned)y");
        let sum = f.ap(Op::BvAdd, &[x, f.k(-1)]);
        assert_eq!(f.show(f.ap(Op::BvUlt, &[sum, y])), "(unsigned)(x - 1) < (unsigned)y");
        let (p, q) = (f.bv("p", 64), f.bv("q", 64));
        assert_eq!(f.show(f.ap(Op::BvUlt, &[p, q])), "(uint64_t)p < (uint64_t)q");
        let half = f.ap(Op::BvUdiv, &[x, f.k(2)]);
        assert_eq!(f.show(f.ap(Op::BvUlt, &[half, y])), "(unsigned)x / 2 < (unsigned)y");
        assert_eq!(f.show(f.ap(Op::BvSlt, &[half, y])), "(int)((unsigned)x / 2) < y");
        assert_eq!(f.show(f.t.eq(half, f.k(-1))), "(unsigned)x / 2 == 4294967295");
    }

    #[test]
    fn arithmetic_has_few_parentheses() {
        let f = fixture();
        let (x, y, z) = (f.bv("x", 32), f.bv("y", 32), f.bv("z", 32));
        let (add, sub, mul) = (Op::BvAdd, Op::BvSub, Op::BvMul);
        assert_eq!(f.show(f.ap(mul, &[f.ap(add, &[x, y]), z])), "(x + y) * z");
        assert_eq!(f.show(f.ap(add, &[f.ap(mul, &[x, y]), z])), "x * y + z");
        assert_eq!(f.show(f.ap(sub, &[f.ap(sub, &[x, y]), z])), "x - y - z");
        assert_eq!(f.show(f.ap(sub, &[x, f.ap(sub, &[y, z])])), "x - (y - z)");
        assert_eq!(f.show(f.ap(add, &[x, f.k(-1)])), "x - 1");
        assert_eq!(f.show(f.ap(sub, &[x, f.k(-1)])), "x + 1");
        assert_eq!(f.show(f.ap(add, &[x, f.k(i32::MIN)])), "x - 2147483648");
        assert_eq!(f.show(f.ap(mul, &[x, f.k(-3)])), "x * -3");
        let neg = f.ap(Op::BvNeg, &[x]);
        assert_eq!(f.show(f.ap(Op::BvNeg, &[neg])), "-(-x)");
        assert_eq!(f.show(f.ap(Op::BvNot, &[f.ap(add, &[x, y])])), "~(x + y)");
        assert_eq!(f.show(f.ap(Op::BvSdiv, &[x, f.ap(mul, &[y, z])])), "x / (y * z)");
        assert_eq!(f.show(f.ap(Op::BvSrem, &[x, f.k(2)])), "x % 2");
        assert_eq!(f.show(f.ap(Op::BvUrem, &[x, f.k(8)])), "(int)((unsigned)x % 8)");
        assert_eq!(f.show(f.t.eq(f.ap(Op::BvAnd, &[x, f.k(1)]), f.k(0))), "(x & 1) == 0");
        assert_eq!(f.show(f.ap(Op::BvShl, &[f.ap(add, &[x, y]), f.k(3)])), "x + y << 3");
        assert_eq!(f.show(f.ap(Op::BvAshr, &[x, f.k(3)])), "x >> 3");
        assert_eq!(f.show(f.ap(Op::BvSlt, &[f.ap(Op::BvLshr, &[x, f.k(3)]), y])), "(int)((unsigned)x >> 3) < y");
        assert_eq!(f.show(f.ap(Op::BvXor, &[x, f.ap(Op::BvXor, &[y, z])])), "x ^ y ^ z");
    }

    #[test]
    fn choices_nest_to_the_right() {
        let f = fixture();
        let (x, y, z) = (f.bv("x", 32), f.bv("y", 32), f.bv("z", 32));
        let (p, q) = (f.flag("p"), f.flag("q"));
        let t = &f.t;
        assert_eq!(f.show(t.ite(p, x, t.ite(q, y, z))), "p ? x : q ? y : z");
        assert_eq!(f.show(t.ite(t.and(p, q), x, f.k(-1))), "p && q ? x : -1");
        assert_eq!(f.show(f.ap(Op::BvAdd, &[t.ite(p, x, y), f.k(1)])), "(p ? x : y) + 1");
        let unsigned = f.ap(Op::BvUdiv, &[x, y]);
        let either = t.ite(p, unsigned, f.k(-1));
        assert_eq!(f.show(f.ap(Op::BvUlt, &[either, z])), "(p ? (unsigned)x / (unsigned)y : 4294967295) < (unsigned)z");
    }

    #[test]
    fn conversions_are_casts() {
        let f = fixture();
        let (x, c, h, w) = (f.bv("x", 32), f.bv("c", 8), f.bv("h", 16), f.bv("w", 64));
        let low = f.ap(Op::Extract { hi: 7, lo: 0 }, &[x]);
        assert_eq!(f.show(low), "(int8_t)x");
        assert_eq!(f.show(f.ap(Op::ZeroExtend(24), &[low])), "(uint8_t)x");
        assert_eq!(f.show(f.ap(Op::SignExtend(24), &[low])), "(int32_t)(int8_t)x");
        assert_eq!(f.show(f.ap(Op::SignExtend(24), &[c])), "(int32_t)c");
        assert_eq!(f.show(f.ap(Op::ZeroExtend(24), &[c])), "(uint8_t)c");
        let wide = f.ap(Op::ZeroExtend(32), &[x]);
        assert_eq!(f.show(f.ap(Op::BvUlt, &[wide, w])), "(uint64_t)(uint32_t)x < (uint64_t)w");
        assert_eq!(f.show(f.ap(Op::BvSlt, &[wide, w])), "(int64_t)(uint32_t)x < w");
        let sum = f.ap(Op::BvAdd, &[wide, w]);
        assert_eq!(f.show(f.ap(Op::BvSlt, &[sum, w])), "(int64_t)(uint32_t)x + w < w");
        let letter = f.ap(Op::ZeroExtend(24), &[c]);
        assert_eq!(f.show(f.ap(Op::BvUlt, &[letter, f.k(65)])), "(uint8_t)c < 65");
        assert_eq!(f.show(f.ap(Op::BvUlt, &[letter, x])), "(uint8_t)c < (unsigned)x");
        let third = f.ap(Op::BvAdd, &[f.ap(Op::BvUdiv, &[letter, f.k(3)]), x]);
        assert_eq!(f.show(f.ap(Op::BvUlt, &[third, f.k(10)])), "(unsigned)(uint8_t)c / 3 + x < 10");
        assert_eq!(f.show(f.ap(Op::Extract { hi: 15, lo: 8 }, &[x])), "(int8_t)(x >> 8)");
        assert_eq!(f.show(f.ap(Op::Extract { hi: 4, lo: 2 }, &[x])), "(int)bits(x, 4, 2)");
        assert_eq!(f.show(f.ap(Op::ZeroExtend(29), &[f.ap(Op::Extract { hi: 4, lo: 2 }, &[x])])), "bits(x, 4, 2)");
        let one = f.t.bv(8, 1);
        let next = f.ap(Op::BvAdd, &[c, one]);
        assert_eq!(f.show(next), "(int8_t)(c + 1)");
        assert_eq!(f.show(f.ap(Op::BvMul, &[next, c])), "(int8_t)((c + 1) * c)");
        assert_eq!(f.show(f.ap(Op::BvUlt, &[next, c])), "(uint8_t)(c + 1) < (uint8_t)c");
        assert_eq!(f.show(f.t.eq(f.ap(Op::BvNeg, &[h]), h)), "(int16_t)-h == h");
        assert_eq!(f.show(f.ap(Op::ZeroExtend(24), &[next])), "(uint8_t)(c + 1)");
    }

    #[test]
    fn arrays_and_integers() {
        let f = fixture();
        let a = f.t.symbol("a", Sort::Array(Scalar::BitVec(32), Scalar::BitVec(32)), Role::Free);
        let (i, x) = (f.bv("i", 32), f.bv("x", 32));
        let next = f.ap(Op::BvAdd, &[i, f.k(1)]);
        assert_eq!(f.show(f.ap(Op::Select, &[a, next])), "a[i + 1]");
        let stored = f.ap(Op::Store, &[a, i, f.ap(Op::BvAdd, &[x, f.k(1)])]);
        assert_eq!(f.show(stored), "a{[i] = x + 1}");
        assert_eq!(f.show(f.ap(Op::Select, &[stored, f.k(-1)])), "a{[i] = x + 1}[4294967295]");
        assert_eq!(f.show(f.ap(Op::Fill(Scalar::BitVec(32)), &[f.k(-1)])), "{[*] = -1}");
        let (n, m) = (f.int("n"), f.int("m"));
        let t = &f.t;
        assert_eq!(f.show(f.ap(Op::IntAdd, &[n, t.int(-3)])), "n - 3");
        assert_eq!(f.show(f.ap(Op::IntSub, &[n, f.ap(Op::IntAdd, &[n, m])])), "n - (n + m)");
        assert_eq!(f.show(t.not(f.ap(Op::IntLt, &[n, t.int(-3)]))), "n >= -3");
        let wrapped = f.ap(Op::IntMod, &[f.ap(Op::IntAdd, &[n, m]), t.int(4_294_967_296u64)]);
        assert_eq!(f.show(f.ap(Op::IntLe, &[wrapped, t.int(7)])), "mod(n + m, 4294967296) <= 7");
        assert_eq!(f.show(f.ap(Op::IntMul, &[f.ap(Op::IntNeg, &[n]), f.ap(Op::IntDiv, &[n, m])])), "-n * div(n, m)");
    }

    #[test]
    fn conversions_between_integers_and_bit_vectors() {
        let f = fixture();
        let (n, m, x) = (f.int("n"), f.int("m"), f.bv("x", 32));
        let bits = |a: Term| f.ap(Op::IntToBv(32), &[a]);
        let both = f.ap(Op::BvAnd, &[bits(n), bits(f.ap(Op::IntSub, &[n, m]))]);
        assert_eq!(f.show(f.ap(Op::SbvToInt, &[both])), "(int32_t)n & (int32_t)(n - m)");
        assert_eq!(f.show(f.ap(Op::IntLt, &[f.ap(Op::UbvToInt, &[x]), n])), "(unsigned)x < n");
        let sum = f.ap(Op::BvAdd, &[x, f.k(1)]);
        assert_eq!(f.show(f.ap(Op::IntLt, &[f.ap(Op::SbvToInt, &[sum]), n])), "(int)(x + 1) < n");
        assert_eq!(f.show(f.ap(Op::IntToBv(3), &[n])), "(int)bits(n, 2, 0)");
    }

    #[test]
    fn shared_terms_stay_short() {
        let f = fixture();
        let mut t = f.bv("x", 32);
        for _ in 0..200 {
            t = f.ap(Op::BvMul, &[t, t]);
        }
        let text = f.show(t);
        assert!(text.len() < 3 * LONGEST && text.contains("..."));
    }
}
