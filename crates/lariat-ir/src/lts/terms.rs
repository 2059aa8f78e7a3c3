//! Parsing terms.

use super::lex::{Lexer, ParseError, Token};
use crate::float::FloatOp;
use crate::sort::{MAX_WIDTH, Scalar, Sort};
use crate::system::TransitionSystem;
use crate::term::{Op, Term};
use crate::value::{Bits, Value};
use dashu_int::IBig;
use std::collections::HashMap;

/// How deep brackets may nest: far more than a person writes, far less than the stack holds.
const MAX_DEPTH: u32 = 400;

/// Reads a term over the variables, their old values and the unknowns of a system; `lets` are names for terms.
pub fn parse_term(ts: &TransitionSystem, text: &str, lets: &HashMap<String, Term>) -> Result<Term, ParseError> {
    on_borrowed(ts, text, lets, None)
}

/// Reads a term of this sort.
pub fn parse_term_of_sort(
    ts: &TransitionSystem,
    text: &str,
    lets: &HashMap<String, Term>,
    sort: Sort,
) -> Result<Term, ParseError> {
    on_borrowed(ts, text, lets, Some(sort))
}

fn on_borrowed(
    ts: &TransitionSystem,
    text: &str,
    lets: &HashMap<String, Term>,
    sort: Option<Sort>,
) -> Result<Term, ParseError> {
    let mut p = Parser::new(text, ts, lets.clone())?;
    let item = p.term(0)?;
    let t = match sort {
        Some(sort) => p.coerce(item, sort)?,
        None => p.settle(item),
    };
    if *p.lex.peek() == Token::End { Ok(t) } else { p.lex.expected("the end of the term") }
}

/// A parser over an owned system while a file is read, over a borrowed one for a single term.
pub(super) struct Parser<S> {
    pub lex: Lexer,
    pub ts: S,
    pub lets: HashMap<String, Term>,
    depth: u32,
}

/// A term, or a numeral that has not met its sort yet.
pub(super) enum Item {
    Term(Term),
    Numeral(IBig, (u32, u32)),
}

pub(super) fn error_at<T>(place: (u32, u32), message: impl Into<String>) -> Result<T, ParseError> {
    Err(ParseError { line: place.0, column: place.1, message: message.into() })
}

pub(super) fn numeral(digits: &str) -> IBig {
    let parsed = match digits.strip_prefix("0x") {
        Some(hex) => IBig::from_str_radix(hex, 16),
        None => IBig::from_str_radix(digits, 10),
    };
    parsed.expect("the lexer lets digits through only")
}

impl<S: std::borrow::Borrow<TransitionSystem>> Parser<S> {
    pub fn new(text: &str, ts: S, lets: HashMap<String, Term>) -> Result<Self, ParseError> {
        Ok(Self { lex: Lexer::new(text)?, ts, lets, depth: 0 })
    }

    pub fn sort(&mut self) -> Result<Sort, ParseError> {
        let place = self.lex.place();
        if self.lex.take_word("array") {
            self.lex.expect_sign("(")?;
            let index = self.scalar()?;
            self.lex.expect_sign(",")?;
            let element = self.scalar()?;
            self.lex.expect_sign(")")?;
            return Ok(Sort::Array(index, element));
        }
        match self.scalar() {
            Ok(s) => Ok(s.into()),
            Err(_) => error_at(place, "expected a sort: bool, int, bv1 to bv128, or array(index, element)"),
        }
    }

    fn scalar(&mut self) -> Result<Scalar, ParseError> {
        let place = self.lex.place();
        let name = self.lex.expect_name("bool, int or bv1 to bv128")?;
        match name.as_str() {
            "bool" => return Ok(Scalar::Bool),
            "int" => return Ok(Scalar::Int),
            _ => {}
        }
        match name.strip_prefix("bv").and_then(|w| w.parse::<u32>().ok()) {
            Some(w) if (1..=MAX_WIDTH).contains(&w) => Ok(Scalar::BitVec(w)),
            _ => error_at(place, format!("`{name}` is no sort; expected bool, int or bv1 to bv128")),
        }
    }

    pub fn term_of(&mut self, sort: Sort) -> Result<Term, ParseError> {
        let item = self.term(0)?;
        self.coerce(item, sort)
    }

    fn ts(&self) -> &TransitionSystem {
        self.ts.borrow()
    }

    /// A numeral that nothing gave a sort to is an integer.
    pub fn settle(&self, item: Item) -> Term {
        match item {
            Item::Term(t) => t,
            Item::Numeral(n, _) => self.ts().terms.int(n),
        }
    }

    fn coerce(&self, item: Item, sort: Sort) -> Result<Term, ParseError> {
        let terms = &self.ts().terms;
        match (item, sort) {
            (Item::Term(t), _) if terms.sort(t) == sort => Ok(t),
            (Item::Term(t), _) => {
                self.lex.error(format!("expected a term of sort {sort}, found one of sort {}", terms.sort(t)))
            }
            (Item::Numeral(n, _), Sort::Int) => Ok(terms.int(n)),
            (Item::Numeral(n, place), Sort::BitVec(w)) => Ok(terms.value(&Value::Bv(fit(&n, w, place)?))),
            (Item::Numeral(n, place), _) => {
                error_at(place, format!("expected a term of sort {sort}, found the number {n}"))
            }
        }
    }

    fn apply(&self, op: Op, args: &[Term], place: (u32, u32)) -> Result<Item, ParseError> {
        self.ts().terms.try_apply(op, args).map(Item::Term).or_else(|e| error_at(place, e.to_string()))
    }

    /// Precedence climbing; the strengths are those of the printer.
    pub fn term(&mut self, least: u8) -> Result<Item, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.lex.error("brackets nest too deep here; name parts with `let $1 = …`");
        }
        let mut left = self.unary()?;
        loop {
            let place = self.lex.place();
            let Token::Sign(sign) = *self.lex.peek() else { break };
            if sign == "?" {
                if least > 1 {
                    break;
                }
                self.lex.advance();
                let c = self.coerce(left, Sort::Bool)?;
                let a = self.term(2)?;
                self.lex.expect_sign(":")?;
                let b = self.term(1)?;
                let (a, b) = self.pair(a, b)?;
                left = self.apply(Op::Ite, &[c, a, b], place)?;
                continue;
            }
            let Some(strength) = infix_strength(sign) else { break };
            if strength < least {
                break;
            }
            self.lex.advance();
            // `=>` associates to the right, everything else to the left; comparisons do not chain.
            let right = self.term(if sign == "=>" { strength } else { strength + 1 })?;
            left = self.infix(sign, left, right, place)?;
            if strength == 5 && matches!(self.lex.peek(), Token::Sign(s) if infix_strength(s) == Some(5)) {
                return self.lex.error("comparisons do not chain; use brackets and `&&`");
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Two items of one sort: a numeral takes the sort of the other side.
    fn pair(&self, a: Item, b: Item) -> Result<(Term, Term), ParseError> {
        let terms = &self.ts().terms;
        Ok(match (a, b) {
            (Item::Term(a), b) => (a, self.coerce_beside(b, terms.sort(a))?),
            (a, Item::Term(b)) => (self.coerce_beside(a, terms.sort(b))?, b),
            (a, b) => (self.settle(a), self.settle(b)),
        })
    }

    /// As `coerce`, but a term of another sort stays: the operation's own message is better.
    fn coerce_beside(&self, item: Item, sort: Sort) -> Result<Term, ParseError> {
        match item {
            Item::Term(t) => Ok(t),
            numeral @ Item::Numeral(..) => self.coerce(numeral, sort),
        }
    }

    fn infix(&self, sign: &str, left: Item, right: Item, place: (u32, u32)) -> Result<Item, ParseError> {
        let (a, b) = self.pair(left, right)?;
        let terms = &self.ts().terms;
        let int = terms.sort(a) == Sort::Int;
        let need = |op: Op| self.apply(op, &[a, b], place);
        let swapped = |op: Op| self.apply(op, &[b, a], place);
        let unsigned_or_signed = || {
            error_at(
                place,
                format!(
                    "on bit-vectors write `{sign}u` for unsigned or `{sign}s` for signed; `{sign}` is for integers"
                ),
            )
        };
        match sign {
            "&&" => need(Op::And),
            "||" => need(Op::Or),
            "==" => need(Op::Eq),
            "!=" => {
                let eq = need(Op::Eq)?;
                let eq = self.settle(eq);
                self.apply(Op::Not, &[eq], place)
            }
            "=>" => {
                let not = self.apply(Op::Not, &[a], place)?;
                let not = self.settle(not);
                self.apply(Op::Or, &[not, b], place)
            }
            "<u" => need(Op::BvUlt),
            "<=u" => need(Op::BvUle),
            "<s" => need(Op::BvSlt),
            "<=s" => need(Op::BvSle),
            ">u" => swapped(Op::BvUlt),
            ">=u" => swapped(Op::BvUle),
            ">s" => swapped(Op::BvSlt),
            ">=s" => swapped(Op::BvSle),
            "<" | "<=" | ">" | ">=" | "/" | "%" if matches!(terms.sort(a), Sort::BitVec(_)) => unsigned_or_signed(),
            "<" => need(Op::IntLt),
            "<=" => need(Op::IntLe),
            ">" => swapped(Op::IntLt),
            ">=" => swapped(Op::IntLe),
            "|" => need(Op::BvOr),
            "^" => need(Op::BvXor),
            "&" => need(Op::BvAnd),
            "<<" => need(Op::BvShl),
            ">>u" => need(Op::BvLshr),
            ">>s" => need(Op::BvAshr),
            "+" => need(if int { Op::IntAdd } else { Op::BvAdd }),
            "-" => need(if int { Op::IntSub } else { Op::BvSub }),
            "*" => need(if int { Op::IntMul } else { Op::BvMul }),
            "/" => need(Op::IntDiv),
            "%" => need(Op::IntMod),
            "/u" => need(Op::BvUdiv),
            "%u" => need(Op::BvUrem),
            "/s" => need(Op::BvSdiv),
            "%s" => need(Op::BvSrem),
            _ => unreachable!("`infix_strength` knows the signs"),
        }
    }

    fn unary(&mut self) -> Result<Item, ParseError> {
        let place = self.lex.place();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.lex.error("signs nest too deep here; name parts with `let $1 = …`");
        }
        let item = if self.lex.take_sign("!") {
            let item = self.unary()?;
            let t = self.settle(item);
            self.apply(Op::Not, &[t], place)?
        } else if self.lex.take_sign("~") {
            let item = self.unary()?;
            let t = self.settle(item);
            self.apply(Op::BvNot, &[t], place)?
        } else if self.lex.take_sign("-") {
            if let Token::Number(digits) = self.lex.peek().clone() {
                self.lex.advance();
                let item = self.number(-numeral(&digits), place)?;
                self.postfix(item)?
            } else {
                let item = self.unary()?;
                let t = self.settle(item);
                let op = if self.ts().terms.sort(t) == Sort::Int { Op::IntNeg } else { Op::BvNeg };
                self.apply(op, &[t], place)?
            }
        } else {
            let item = self.atom()?;
            self.postfix(item)?
        };
        self.depth -= 1;
        Ok(item)
    }

    fn postfix(&mut self, mut item: Item) -> Result<Item, ParseError> {
        loop {
            let place = self.lex.place();
            if !self.lex.take_sign("[") {
                return Ok(item);
            }
            let array = self.settle(item);
            let index = self.term(0)?;
            self.lex.expect_sign("]")?;
            let index = match self.ts().terms.sort(array) {
                Sort::Array(i, _) => self.coerce(index, i.into())?,
                other => return error_at(place, format!("only arrays have elements; this is of sort {other}")),
            };
            item = self.apply(Op::Select, &[array, index], place)?;
        }
    }

    /// A numeral, with its width where one follows.
    fn number(&mut self, n: IBig, place: (u32, u32)) -> Result<Item, ParseError> {
        if !self.lex.take_sign("#") {
            return Ok(Item::Numeral(n, place));
        }
        let w = self.lex.expect_u32("a width")?;
        if !(1..=MAX_WIDTH).contains(&w) {
            return error_at(place, format!("a bit-vector has 1 to {MAX_WIDTH} bits, not {w}"));
        }
        Ok(Item::Term(self.ts().terms.value(&Value::Bv(fit(&n, w, place)?))))
    }

    fn atom(&mut self) -> Result<Item, ParseError> {
        let place = self.lex.place();
        match self.lex.peek().clone() {
            Token::Number(digits) => {
                self.lex.advance();
                self.number(numeral(&digits), place)
            }
            Token::Let(name) => {
                self.lex.advance();
                match self.lets.get(&name) {
                    Some(t) => Ok(Item::Term(*t)),
                    None => error_at(place, format!("`${name}` is not defined above")),
                }
            }
            Token::Sign("(") => {
                self.lex.advance();
                let item = self.term(0)?;
                self.lex.expect_sign(")")?;
                // `-(3)` is a negation, `-3` a numeral: brackets fix the sort of what they hold, unless a numeral
                // still looks for it.
                Ok(item)
            }
            Token::Name { text, quoted } => {
                self.lex.advance();
                if !quoted {
                    match text.as_str() {
                        "true" => return Ok(Item::Term(self.ts().terms.tt())),
                        "false" => return Ok(Item::Term(self.ts().terms.ff())),
                        "zext" | "sext" | "extract" | "concat" | "store" | "fill" | "old" | "int_to_bv"
                        | "ubv_to_int" | "sbv_to_int" => return self.call(&text, place),
                        _ if float_op(&text).is_some() => return self.call(&text, place),
                        _ => {}
                    }
                }
                let ts = self.ts();
                if let Some(v) = ts.var_named(&text) {
                    Ok(Item::Term(ts.vars[v].term))
                } else if let Some(u) = ts.unknown_named(&text) {
                    Ok(Item::Term(ts.unknowns[u].term))
                } else {
                    error_at(place, format!("`{text}` is not declared; declare it with `var {text}: bv32` or `input`"))
                }
            }
            _ => self.lex.expected("a term"),
        }
    }

    fn call(&mut self, head: &str, place: (u32, u32)) -> Result<Item, ParseError> {
        self.lex.expect_sign("(")?;
        let item = match head {
            "old" => {
                let place = self.lex.place();
                let name = self.lex.expect_name("a variable")?;
                match self.ts().var_named(&name) {
                    Some(v) => Item::Term(self.ts().vars[v].old),
                    None => return error_at(place, format!("`{name}` is no variable, so it has no old value")),
                }
            }
            "fill" => {
                let index = self.scalar()?;
                self.lex.expect_sign(",")?;
                let item = self.term(0)?;
                let value = self.settle(item);
                self.apply(Op::Fill(index), &[value], place)?
            }
            "int_to_bv" => {
                let number = self.term_of(Sort::Int)?;
                self.lex.expect_sign(",")?;
                let width = self.lex.expect_u32("a number of bits")?;
                self.apply(Op::IntToBv(width), &[number], place)?
            }
            "ubv_to_int" | "sbv_to_int" => {
                let item = self.term(0)?;
                let op = if head == "ubv_to_int" { Op::UbvToInt } else { Op::SbvToInt };
                self.apply(op, &[self.settle(item)], place)?
            }
            _ if float_op(head).is_some() => {
                let op = float_op(head).expect("it is one");
                let mut args = Vec::new();
                for i in 0..op.arity() {
                    if i > 0 {
                        self.lex.expect_sign(",")?;
                    }
                    let item = self.term(0)?;
                    args.push(self.settle(item));
                }
                let op = if op.width().is_some() {
                    self.lex.expect_sign(",")?;
                    op.with_width(self.lex.expect_u32("a number of bits")?)
                } else {
                    op
                };
                self.apply(Op::Float(op), &args, place)?
            }
            "concat" => {
                let a = self.term(0)?;
                self.lex.expect_sign(",")?;
                let b = self.term(0)?;
                let (a, b) = (self.settle(a), self.settle(b));
                self.apply(Op::Concat, &[a, b], place)?
            }
            "store" => {
                let item = self.term(0)?;
                let array = self.settle(item);
                let Sort::Array(i, e) = self.ts().terms.sort(array) else {
                    return error_at(place, "`store` changes an array; this is none");
                };
                self.lex.expect_sign(",")?;
                let index = self.term_of(i.into())?;
                self.lex.expect_sign(",")?;
                let value = self.term_of(e.into())?;
                self.apply(Op::Store, &[array, index, value], place)?
            }
            _ => {
                let item = self.term(0)?;
                let t = self.settle(item);
                let Sort::BitVec(w) = self.ts().terms.sort(t) else {
                    return error_at(place, format!("`{head}` needs a bit-vector, not {}", self.ts().terms.sort(t)));
                };
                self.lex.expect_sign(",")?;
                let n = self.lex.expect_u32("a number of bits")?;
                let op = if head == "extract" {
                    self.lex.expect_sign(",")?;
                    Op::Extract { hi: n, lo: self.lex.expect_u32("the lowest bit")? }
                } else if n < w {
                    return error_at(place, format!("`{head}` to {n} bits would shorten a value of {w} bits"));
                } else if head == "zext" {
                    Op::ZeroExtend(n - w)
                } else {
                    Op::SignExtend(n - w)
                };
                self.apply(op, &[t], place)?
            }
        };
        self.lex.expect_sign(")")?;
        Ok(item)
    }
}

/// The floating-point operation of this name, with some width where it has one.
fn float_op(name: &str) -> Option<FloatOp> {
    FloatOp::ALL.into_iter().find(|op| op.name() == name)
}

fn infix_strength(sign: &str) -> Option<u8> {
    Some(match sign {
        "=>" => 2,
        "||" => 3,
        "&&" => 4,
        "==" | "!=" | "<" | "<=" | ">" | ">=" | "<u" | "<=u" | ">u" | ">=u" | "<s" | "<=s" | ">s" | ">=s" => 5,
        "|" => 6,
        "^" => 7,
        "&" => 8,
        "<<" | ">>u" | ">>s" => 9,
        "+" | "-" => 10,
        "*" | "/" | "%" | "/u" | "%u" | "/s" | "%s" => 11,
        _ => return None,
    })
}

/// The numeral as a bit-vector, if it is the unsigned or the signed reading of one.
fn fit(n: &IBig, width: u32, place: (u32, u32)) -> Result<Bits, ParseError> {
    let top = IBig::from(1) << width as usize;
    let least = -(IBig::from(1) << (width as usize - 1));
    if *n < least || *n >= top {
        return error_at(place, format!("{n} does not fit in {width} bits"));
    }
    Ok(Bits::from_int(width, n))
}
