//! Terms as SMT-LIB 2.6 text.
//!
//! A term is a graph: what it shares is printed once and named, so the text is as long as the graph, not as the tree.
//! Names of our own hold a `%` that no escape begins with (`%t7` for a shared term), and a `%` in a symbol's name is
//! always escaped, so the two never meet.
//!
//! SMT-LIB has no way from a floating-point number to its pattern. So the pattern that an operation gives is a constant of its own
//! (`%f7`), of which is asserted that it is the pattern of the result, see [`float_definition`]. There always is exactly one such pattern,
//! so that nothing else becomes true or false by it.

use crate::fast::{FastMap, FastSet};
use crate::float::{FloatOp, Format, Limits, Rounding};
use crate::sort::{Scalar, Sort};
use crate::term::{Op, Term, Terms};
use crate::value::{Bits, Value};
use dashu_int::IBig;
use std::borrow::Cow;
use std::fmt::Write as _;

/// How deep an expression may nest before a part of it gets a name: parsers recurse, and long store chains are deep.
const MAX_NESTING: u32 = 100;

/// A term, with `let` for what it shares.
pub fn term(terms: &Terms, t: Term) -> String {
    term_with(terms, t, |s| symbol_name(terms, s))
}

/// A term, with `let` for what it shares and symbols named by `name`, and so the [`float_results`]; the names must be SMT-LIB
/// symbols without `%`.
pub fn term_with(terms: &Terms, t: Term, mut name: impl FnMut(Term) -> String) -> String {
    let shared = Shared::of(terms, &[t]);
    let mut out = String::new();
    let mut groups: Vec<Vec<Term>> = Vec::new();
    for &(u, level) in &shared.order {
        if level >= groups.len() {
            groups.resize(level + 1, Vec::new());
        }
        groups[level].push(u);
    }
    for group in &groups {
        out.push_str("(let (");
        for (i, &u) in group.iter().enumerate() {
            if i > 0 {
                out.push(' ');
            }
            let _ = write!(out, "({} ", shared.name(u).expect("it is in the order"));
            shared.print(&mut out, u, &mut name);
            out.push(')');
        }
        out.push_str(") ");
    }
    shared.print_or_name(&mut out, t, &mut name);
    for _ in &groups {
        out.push(')');
    }
    out
}

/// A whole script that asks whether these terms can be true together.
pub fn script(terms: &Terms, asserted: &[Term]) -> String {
    let mut out = String::from("(set-logic ALL)\n");
    for t in terms.reachable(asserted) {
        let node = terms.node(t);
        if matches!(node.op, Op::Symbol(_)) {
            let _ = writeln!(out, "(declare-const {} {})", symbol_name(terms, t), sort(node.sort));
        }
    }
    let floats = float_results(terms, asserted);
    for &t in &floats {
        let _ = writeln!(out, "(declare-const {} {})", symbol_name(terms, t), sort(terms.sort(t)));
    }
    let shared = Shared::of(terms, asserted);
    let mut name = |s| symbol_name(terms, s);
    for &(u, _) in &shared.order {
        let _ = write!(out, "(define-fun {} () {} ", shared.name(u).expect("it is in the order"), sort(terms.sort(u)));
        shared.print(&mut out, u, &mut name);
        out.push_str(")\n");
    }
    for &t in &floats {
        let _ = writeln!(out, "(assert {})", float_definition(terms, t, name));
    }
    for &t in asserted {
        out.push_str("(assert ");
        shared.print_or_name(&mut out, t, &mut name);
        out.push_str(")\n");
    }
    out.push_str("(check-sat)\n");
    out
}

/// The terms below these that are the pattern of an operation's result, ascending: each is to be declared, and its definition
/// asserted.
pub fn float_results(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut all = terms.reachable(roots);
    all.retain(|&t| is_float_result(terms, t));
    all
}

fn is_float_result(terms: &Terms, t: Term) -> bool {
    match terms.node(t).op {
        Op::Float(op) => op.result_format(terms.sort(t).width().unwrap_or(0)).is_some(),
        _ => false,
    }
}

/// That one of the [`float_results`] is what its operation gives.
pub fn float_definition(terms: &Terms, t: Term, mut name: impl FnMut(Term) -> String) -> String {
    let node = terms.node(t);
    let Op::Float(op) = node.op else { panic!("a result of a floating-point operation") };
    let format = terms.sort(t).width().and_then(Format::of_width).expect("the result is a pattern");
    let own = name(t);
    let mut result = format!("({}", float_head(op));
    for &a in node.args() {
        let arg = term_with(terms, a, &mut name);
        let width = terms.sort(a).width().expect("an argument is a bit-vector");
        match Format::of_width(width).filter(|_| op.takes_floats()) {
            Some(format) => {
                let _ = write!(result, " ({} {arg})", to_fp(format));
            }
            None => {
                let _ = write!(result, " {arg}");
            }
        }
    }
    let nan = bits(Bits::new(format.width(), format.nan()));
    let head = to_fp(format);
    format!("(let ((%f {result}))) (and (= ({head} {own}) %f) (=> (fp.isNaN %f) (= {own} {nan}))))")
}

fn to_fp(format: Format) -> String {
    format!("(_ to_fp {} {})", format.exponent(), format.precision())
}

/// The operation, with the way it rounds.
fn float_head(op: FloatOp) -> String {
    let target = |w: u32| Format::of_width(w).expect("a format has this width");
    match op {
        FloatOp::Add => "fp.add RNE".to_owned(),
        FloatOp::Sub => "fp.sub RNE".to_owned(),
        FloatOp::Mul => "fp.mul RNE".to_owned(),
        FloatOp::Div => "fp.div RNE".to_owned(),
        FloatOp::Fma => "fp.fma RNE".to_owned(),
        FloatOp::Sqrt => "fp.sqrt RNE".to_owned(),
        FloatOp::Round(Rounding::Even) => "fp.roundToIntegral RNE".to_owned(),
        FloatOp::Round(Rounding::Away) => "fp.roundToIntegral RNA".to_owned(),
        FloatOp::Round(Rounding::Zero) => "fp.roundToIntegral RTZ".to_owned(),
        FloatOp::Round(Rounding::Down) => "fp.roundToIntegral RTN".to_owned(),
        FloatOp::Round(Rounding::Up) => "fp.roundToIntegral RTP".to_owned(),
        FloatOp::Eq => "fp.eq".to_owned(),
        FloatOp::Lt => "fp.lt".to_owned(),
        FloatOp::Le => "fp.leq".to_owned(),
        FloatOp::Convert(w) | FloatOp::FromSigned(w) => format!("{} RNE", to_fp(target(w))),
        FloatOp::FromUnsigned(w) => {
            format!("(_ to_fp_unsigned {} {}) RNE", target(w).exponent(), target(w).precision())
        }
        FloatOp::ToSigned(w) => format!("(_ fp.to_sbv {w}) RTZ"),
        FloatOp::ToUnsigned(w) => format!("(_ fp.to_ubv {w}) RTZ"),
    }
}

/// A sort.
pub fn sort(s: Sort) -> String {
    match s {
        Sort::Bool => "Bool".to_owned(),
        Sort::BitVec(w) => format!("(_ BitVec {w})"),
        Sort::Int => "Int".to_owned(),
        Sort::Array(i, e) => format!("(Array {} {})", scalar(i), scalar(e)),
    }
}

fn scalar(s: Scalar) -> String {
    sort(s.into())
}

/// A scalar value, or an array as stores over a constant one.
pub fn value(v: &Value) -> String {
    match v {
        Value::Bool(b) => b.to_string(),
        Value::Bv(b) => bits(*b),
        Value::Int(i) => int(i),
        Value::Array(a) => {
            let mut out = "(store ".repeat(a.cells().len());
            let _ = write!(out, "((as const {}) {})", sort(v.sort()), value(a.default_value()));
            for (i, e) in a.cells() {
                let _ = write!(out, " {} {})", value(i), value(e));
            }
            out
        }
    }
}

fn bits(b: Bits) -> String {
    let width = b.width() as usize;
    if width.is_multiple_of(4) {
        format!("#x{:0digits$x}", b.unsigned(), digits = width / 4)
    } else {
        format!("#b{:0width$b}", b.unsigned())
    }
}

fn int(i: &IBig) -> String {
    if *i < IBig::ZERO { format!("(- {})", -i) } else { i.to_string() }
}

/// The name of a symbol as SMT-LIB can read it; different names stay different.
fn symbol_name(terms: &Terms, t: Term) -> String {
    match terms.node(t).op {
        Op::Symbol(id) => quote(&terms.symbol_data(id).name),
        Op::Float(_) => format!("%f{}", format!("{t:?}").trim_start_matches('t')),
        _ => unreachable!("only symbols and results of floating-point operations have names"),
    }
}

fn quote(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            // Not even a quoted symbol may hold `|` or `\`; solvers differ about what is not ASCII.
            b'%' | b'|' | b'\\' | ..b' ' | 0x7f.. => {
                let _ = write!(out, "%{byte:02x}");
            }
            _ => out.push(char::from(byte)),
        }
    }
    if TAKEN.split_whitespace().any(|taken| taken == name) {
        out.push('%');
    }
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let reserved_start = |c: char| c.is_ascii_digit() || c == '@' || c == '.';
    if out.chars().all(simple) && out.chars().next().is_some_and(|c| !reserved_start(c)) {
        out
    } else {
        format!("|{out}|")
    }
}

/// Names that a variable of a program may well have and that mean something to a solver; quoting would not help.
const TAKEN: &str = "\
! * + - / < <= = => > >= ^ _ BINARY Array BitVec Bool DECIMAL FloatingPoint HEXADECIMAL Int NUMERAL RNA RNE RTN
RTP RTZ Real RegLan RoundingMode STRING Seq Set String Tuple Unit abs and arccos arccot arccsc arcsec arcsin
arctan as assert bag bv2int bv2nat bvadd bvand bvashr bvcomp bvlshr bvmul bvnand bvneg bvnor bvnot bvor bvsdiv
bvsge bvsgt bvshl bvsle bvslt bvsmod bvsrem bvsub bvudiv bvuge bvugt bvule bvult bvurem bvxnor bvxor card choose
comprehension concat const continue cos cot csc default distinct div divisible emp emptyset eqrange error exists
exp extract false forall fp iand if implies in insert int2bv int_to_bv intersection is is_int ite join lambda let map
match member mod nil not or par pi pop pow pow2 product pto push rel rem repeat rotate_left rotate_right sat sbv_to_int sec
select sep seq set setminus sin singleton sqrt store subset success tan tclosure theory to_int to_real transpose
true tuple tuple_project ubv_to_int union univset unknown unsat unsupported update wand xor";

/// What the terms below some roots share.
struct Shared<'a> {
    terms: &'a Terms,
    /// The number in each named term's name.
    numbers: FastMap<Term, usize>,
    /// The named terms, arguments first, each with how many named terms stand below one another in it.
    order: Vec<(Term, usize)>,
}

impl<'a> Shared<'a> {
    fn of(terms: &'a Terms, roots: &[Term]) -> Self {
        let reachable = printed(terms, roots);
        let mut uses: FastMap<Term, u32> = FastMap::default();
        for &t in roots {
            *uses.entry(t).or_default() += 1;
        }
        for &t in &reachable {
            for part in layout(terms, t) {
                if let Part::Argument(a) = part {
                    *uses.entry(a).or_default() += 1;
                }
            }
        }
        let mut shared = Self { terms, numbers: FastMap::default(), order: Vec::new() };
        // Of each term: how deep it nests, and how many named terms stand below one another in it.
        let mut shape: FastMap<Term, (u32, usize)> = FastMap::default();
        for &t in &reachable {
            let (mut depth, mut level) = (0, 0);
            let args = printed_args(terms, t);
            for a in &args {
                let (d, l) = shape[a];
                depth = depth.max(d + 1);
                level = level.max(l);
            }
            if !args.is_empty() && (uses[&t] > 1 || depth >= MAX_NESTING) {
                shared.order.push((t, level));
                shared.numbers.insert(t, shared.order.len());
                depth = 0;
                level += 1;
            }
            shape.insert(t, (depth, level));
        }
        shared
    }

    fn name(&self, t: Term) -> Option<String> {
        self.numbers.get(&t).map(|n| format!("%t{n}"))
    }

    fn print_or_name(&self, out: &mut String, t: Term, name: &mut impl FnMut(Term) -> String) {
        match self.name(t) {
            Some(n) => out.push_str(&n),
            None => self.print(out, t, name),
        }
    }

    /// Prints `t` itself even if it has a name, and what stands in it by name where it has one.
    fn print(&self, out: &mut String, t: Term, name: &mut impl FnMut(Term) -> String) {
        let mut open = layout(self.terms, t);
        open.reverse();
        while let Some(part) = open.pop() {
            match part {
                Part::Text(s) => out.push_str(&s),
                Part::Symbol(s) => out.push_str(&name(s)),
                Part::Argument(a) => match self.name(a) {
                    Some(n) => out.push_str(&n),
                    None => open.extend(layout(self.terms, a).into_iter().rev()),
                },
            }
        }
    }
}

/// The arguments that are printed where a term is.
fn printed_args(terms: &Terms, t: Term) -> Vec<Term> {
    if is_float_result(terms, t) { Vec::new() } else { terms.node(t).args().to_vec() }
}

/// What is printed of these terms, ascending.
fn printed(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let (mut seen, mut open) = (FastSet::default(), roots.to_vec());
    while let Some(t) = open.pop() {
        if seen.insert(t) {
            open.extend(printed_args(terms, t));
        }
    }
    let mut all: Vec<Term> = seen.into_iter().collect();
    all.sort_unstable();
    all
}

enum Part {
    Text(Cow<'static, str>),
    Symbol(Term),
    Argument(Term),
}

/// What one node prints, its arguments still to be printed.
fn layout(terms: &Terms, t: Term) -> Vec<Part> {
    let node = terms.node(t);
    let text = |s: &'static str| Part::Text(Cow::Borrowed(s));
    let owned = |s: String| Part::Text(Cow::Owned(s));
    match node.op {
        Op::Symbol(_) => return vec![Part::Symbol(t)],
        Op::Float(_) if is_float_result(terms, t) => return vec![Part::Symbol(t)],
        Op::Float(op) => return float_layout(terms, op, node.args()),
        Op::Bool(_) | Op::Bv(_) | Op::Int(_) => {
            return vec![owned(value(&terms.constant_value(t).expect("a constant has a value")))];
        }
        _ => {}
    }
    // SMT-LIB leaves division by zero to the solver's choice; `eval` does not.
    if let (Op::IntDiv | Op::IntMod, [a, b]) = (node.op, node.args())
        && !matches!(terms.constant_value(*b), Some(Value::Int(i)) if i != IBig::ZERO)
    {
        let (a, b) = (*a, *b);
        let mut parts = vec![text("(ite (= "), Part::Argument(b), text(" 0) ")];
        if node.op == Op::IntDiv {
            parts.push(text("0 (div "));
        } else {
            parts.extend([Part::Argument(a), text(" (mod ")]);
        }
        parts.extend([Part::Argument(a), text(" "), Part::Argument(b), text("))")]);
        return parts;
    }
    // The names are those that solvers knew before SMT-LIB 2.7 had its own; for the signed reading there was none.
    if let (Op::SbvToInt, &[a]) = (node.op, node.args()) {
        let width = terms.sort(a).width().expect("it reads a bit-vector");
        let negative = format!(" {}) {} 0))", bits(Bits::new(width, 0)), IBig::from(1) << width as usize);
        let parts =
            [text("(- (bv2nat "), Part::Argument(a), text(") (ite (bvslt "), Part::Argument(a), owned(negative)];
        return parts.into();
    }
    let head = match node.op {
        Op::Extract { hi, lo } => owned(format!("((_ extract {hi} {lo})")),
        Op::ZeroExtend(by) => owned(format!("((_ zero_extend {by})")),
        Op::SignExtend(by) => owned(format!("((_ sign_extend {by})")),
        Op::IntToBv(width) => owned(format!("((_ int2bv {width})")),
        Op::Fill(_) => owned(format!("((as const {})", sort(node.sort))),
        op => text(head(op)),
    };
    let mut parts = vec![head];
    for &a in node.args() {
        parts.extend([text(" "), Part::Argument(a)]);
    }
    parts.push(text(")"));
    parts
}

/// A comparison of floating-point numbers, or a conversion to an integer, with what it gives where the number does not fit.
fn float_layout(terms: &Terms, op: FloatOp, args: &[Term]) -> Vec<Part> {
    let text = |s: String| Part::Text(Cow::Owned(s));
    let format = terms.sort(args[0]).width().and_then(Format::of_width).expect("it takes patterns");
    let number = |a: Term| [text(format!(" ({} ", to_fp(format))), Part::Argument(a), text(")".to_owned())];
    let applied = |head: &str| {
        let mut parts = vec![text(format!("({head}"))];
        parts.extend(args.iter().flat_map(|a| number(*a)));
        parts.push(text(")".to_owned()));
        parts
    };
    let Some(Limits { low, closed, high }) = op.limits(format) else { return applied(&float_head(op)) };
    let limit = |pattern: u128| format!("({} {})", to_fp(format), bits(Bits::new(format.width(), pattern)));
    let mut parts = applied(&format!("ite (and ({} {}", if closed { "fp.leq" } else { "fp.lt" }, limit(low)));
    parts.extend(applied("fp.lt"));
    let last = parts.len() - 1;
    parts[last] = text(format!(" {})) ", limit(high)));
    parts.extend(applied(&float_head(op)));
    parts.push(text(format!(" {})", bits(Bits::new(op.width().expect("a conversion has a width"), 0)))));
    parts
}

fn head(op: Op) -> &'static str {
    match op {
        Op::Not => "(not",
        Op::And => "(and",
        Op::Or => "(or",
        Op::Eq => "(=",
        Op::Ite => "(ite",
        Op::BvNot => "(bvnot",
        Op::BvNeg => "(bvneg",
        Op::BvAnd => "(bvand",
        Op::BvOr => "(bvor",
        Op::BvXor => "(bvxor",
        Op::BvAdd => "(bvadd",
        Op::BvSub => "(bvsub",
        Op::BvMul => "(bvmul",
        Op::BvUdiv => "(bvudiv",
        Op::BvUrem => "(bvurem",
        Op::BvSdiv => "(bvsdiv",
        Op::BvSrem => "(bvsrem",
        Op::BvShl => "(bvshl",
        Op::BvLshr => "(bvlshr",
        Op::BvAshr => "(bvashr",
        Op::BvUlt => "(bvult",
        Op::BvUle => "(bvule",
        Op::BvSlt => "(bvslt",
        Op::BvSle => "(bvsle",
        Op::Concat => "(concat",
        Op::IntNeg | Op::IntSub => "(-",
        Op::IntAdd => "(+",
        Op::IntMul => "(*",
        Op::IntDiv => "(div",
        Op::IntMod => "(mod",
        Op::IntLt => "(<",
        Op::IntLe => "(<=",
        Op::UbvToInt => "(bv2nat",
        Op::Select => "(select",
        Op::Store => "(store",
        Op::Bool(_)
        | Op::Bv(_)
        | Op::Int(_)
        | Op::Symbol(_)
        | Op::Extract { .. }
        | Op::ZeroExtend(_)
        | Op::SignExtend(_)
        | Op::IntToBv(_)
        | Op::SbvToInt
        | Op::Float(_)
        | Op::Fill(_) => unreachable!("printed by `layout`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Role;

    fn free(terms: &Terms, name: &str, sort: Sort) -> Term {
        terms.symbol(name, sort, Role::Free)
    }

    #[test]
    fn golden_script() {
        let t = Terms::new();
        let x = free(&t, "x", Sort::BitVec(8));
        let y = free(&t, "old(y)", Sort::BitVec(8));
        let i = free(&t, "i@3", Sort::Int);
        let m = free(&t, "select", Sort::Array(Scalar::BitVec(3), Scalar::Bool));
        let sum = t.apply(Op::BvAdd, &[x, y]);
        let low = t.apply(Op::Extract { hi: 2, lo: 0 }, &[sum]);
        let fill = t.apply(Op::Fill(Scalar::BitVec(3)), &[t.tt()]);
        let asserted = [
            t.apply(Op::BvSlt, &[sum, t.bv(8, 0x1f)]),
            t.not(t.apply(Op::Select, &[m, low])),
            t.eq(t.apply(Op::Store, &[fill, t.bv(3, 5), t.ff()]), m),
            t.apply(Op::IntLt, &[t.apply(Op::IntMod, &[i, i]), t.apply(Op::IntDiv, &[i, t.int(-2)])]),
        ];
        assert_eq!(
            script(&t, &asserted),
            "\
(set-logic ALL)
(declare-const x (_ BitVec 8))
(declare-const |old(y)| (_ BitVec 8))
(declare-const i@3 Int)
(declare-const select% (Array (_ BitVec 3) Bool))
(define-fun %t1 () (_ BitVec 8) (bvadd x |old(y)|))
(assert (bvslt %t1 #x1f))
(assert (not (select select% ((_ extract 2 0) %t1))))
(assert (= (store ((as const (Array (_ BitVec 3) Bool)) true) #b101 false) select%))
(assert (< (ite (= i@3 0) i@3 (mod i@3 i@3)) (div i@3 (- 2))))
(check-sat)
"
        );
    }

    #[test]
    fn what_is_shared_is_printed_once() {
        let t = Terms::new();
        let mut x = free(&t, "x", Sort::Int);
        for _ in 0..64 {
            x = t.apply(Op::IntAdd, &[x, x]);
        }
        let text = term(&t, x);
        assert!(text.len() < 2000, "{} characters", text.len());
        assert!(text.starts_with("(let ((%t1 (+ x x))) (let ((%t2 (+ %t1 %t1))) "));
        assert_eq!(text.matches('(').count(), text.matches(')').count());
    }

    #[test]
    fn a_divisor_that_may_be_zero_is_printed_once() {
        let t = Terms::new();
        let mut x = free(&t, "x", Sort::Int);
        let one = t.int(1);
        for _ in 0..40 {
            x = t.apply(Op::IntDiv, &[one, t.apply(Op::IntAdd, &[x, one])]);
        }
        assert!(term(&t, x).len() < 4000);
        let y = free(&t, "y", Sort::Int);
        let zero = t.apply(Op::IntMod, &[y, t.int(0)]);
        assert_eq!(term(&t, zero), "(ite (= 0 0) y (mod y 0))");
    }

    #[test]
    fn a_deep_term_needs_no_deep_text() {
        let t = Terms::new();
        let mut x = free(&t, "x", Sort::Int);
        for i in 0..200_000 {
            x = t.apply(Op::IntAdd, &[x, t.int(i)]);
        }
        let text = script(&t, &[t.eq(x, t.int(0))]);
        let mut depth = 0u32;
        let mut deepest = 0;
        for c in text.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        assert_eq!(depth, 0);
        assert!(deepest <= MAX_NESTING + 4);
    }

    #[test]
    fn names_stay_apart() {
        assert_eq!(quote("x"), "x");
        assert_eq!(quote("x@1"), "x@1");
        assert_eq!(quote("a b"), "|a b|");
        assert_eq!(quote("a|b"), "a%7cb");
        assert_eq!(quote("a%7cb"), "a%257cb");
        assert_eq!(quote("%t1"), "%25t1");
        assert_eq!(quote("0x"), "|0x|");
        assert_eq!(quote("@x"), "|@x|");
        assert_eq!(quote("store"), "store%");
        assert_eq!(quote("store%"), "store%25");
        assert_eq!(quote("größe"), "gr%c3%b6%c3%9fe");
        assert_eq!(quote(""), "||");
    }

    #[test]
    fn values_print_like_the_terms_they_are() {
        let t = Terms::new();
        let mut a = crate::value::ArrayValue::constant(Scalar::BitVec(4), Value::int(-1));
        a.set(Value::bv(4, 3), Value::int(7));
        let v = Value::Array(std::sync::Arc::new(a));
        assert_eq!(value(&v), "(store ((as const (Array (_ BitVec 4) Int)) (- 1)) #x3 7)");
        assert_eq!(term(&t, t.value(&v)), value(&v));
    }
}
