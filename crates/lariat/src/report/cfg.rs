//! A program before it is in an integer semantics, as a listing to read: locations, cases, conditions and assignments as C.
//!
//! Expressions share their parts, and written out as trees they can be too long for any screen. Parts that occur often or
//! lie deep get a name, `$1`, on a line before the case.

use lariat_ir::neutral::{
    BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, MemInit, MemUpdate, Overflow, Program, UnaryOp,
};
use lariat_ir::{FloatOp, Mode, Span};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// A text longer than this gets a name where it is used again.
const LONG: usize = 24;
/// A text longer than this gets a name in any case.
const VERY_LONG: usize = 300;

/// The listing of a program.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    let mode = match program.mode {
        Mode::Program => "whole program",
        Mode::Function => "function",
    };
    let _ = writeln!(out, "program {} ({mode})", program.name);
    let values: HashMap<usize, String> =
        program.init.iter().filter_map(|(v, value)| Some((*v, value.as_ref()?.to_string()))).collect();
    for (i, (name, ty)) in program.vars.iter().enumerate() {
        match values.get(&i) {
            Some(value) => writeln!(out, "  {} {name} = {value}", type_name(*ty)),
            None => writeln!(out, "  {} {name}, any value", type_name(*ty)),
        }
        .expect("a text can be written to");
    }
    for m in &program.mems {
        let content = match &m.init {
            MemInit::Any => "any content".to_owned(),
            MemInit::Cells { default, cells } => {
                let cells: Vec<String> = cells.iter().map(|(a, v)| format!(", [{a}] = {v}")).collect();
                format!("{default} everywhere{}", cells.concat())
            }
        };
        let _ = writeln!(out, "  {} {}[{}], {content}", type_name(m.cell), m.name, type_name(program.address));
    }
    for u in &program.unknowns {
        let computed = if u.computed { ", computed" } else { "" };
        let range = u.range.as_ref().map_or(String::new(), |(lo, hi)| format!(", from {lo} to {hi}"));
        let _ = writeln!(out, "  {} {} {}{range}{computed}", u.kind.keyword(), type_name(u.ty), u.name);
    }
    for u in &program.mem_unknowns {
        let _ = writeln!(out, "  {} {} {}[]", u.kind.keyword(), type_name(u.cell), u.name);
    }
    for (i, a) in program.assumptions.iter().enumerate() {
        let _ = writeln!(out, "  assumption {i}: {}{}", a.text, at(a.span.as_ref()));
    }
    for o in &program.obligations {
        let _ = writeln!(out, "  not covered: {}{}", o.text, at(o.span.as_ref()));
    }
    for (i, loc) in program.locs.iter().enumerate() {
        let entry = if i == program.entry { "  (entry)" } else { "" };
        let function = loc.function.as_ref().map_or(String::new(), |f| format!(" in {f}"));
        let _ = writeln!(out, "\n{}:{function}{}{entry}", loc.name, at(loc.span.as_ref()));
        let mut names = Names { program, texts: HashMap::new(), uses: HashMap::new(), made: 0 };
        names.count(&loc.cases);
        for (n, case) in loc.cases.iter().enumerate() {
            names.case(case, n > 0, &mut out);
        }
    }
    out
}

fn at(span: Option<&Span>) -> String {
    span.map_or(String::new(), |s| format!("  at {s}"))
}

fn type_name(ty: IntType) -> String {
    format!("{}{}", if ty.signed { "i" } else { "u" }, ty.width)
}

/// A part of an expression.
#[derive(Clone, Copy)]
enum Part<'p> {
    Expr(&'p Expr),
    Cond(&'p Cond),
}

impl<'p> Part<'p> {
    /// Shared parts have one address.
    fn key(self) -> (usize, bool) {
        match self {
            Self::Expr(e) => (std::ptr::from_ref(e).addr(), false),
            Self::Cond(c) => (std::ptr::from_ref(c).addr(), true),
        }
    }
    fn parts(self) -> Vec<Part<'p>> {
        match self {
            Self::Expr(e) => match e {
                Expr::Var(_) | Expr::Unknown(_) | Expr::Const(..) => Vec::new(),
                Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => vec![Part::Expr(arg)],
                Expr::Binary { left, right, .. } => vec![Part::Expr(left), Part::Expr(right)],
                Expr::Ite(c, a, b) => vec![Part::Cond(c), Part::Expr(a), Part::Expr(b)],
                Expr::Load { address, .. } => vec![Part::Expr(address)],
                Expr::Promised { kept, value } => vec![Part::Cond(kept), Part::Expr(value)],
                Expr::Join(all) => all.iter().map(Part::Expr).collect(),
                Expr::Float { args, .. } => args.iter().map(|a| Part::Expr(a)).collect(),
            },
            Self::Cond(c) => match c {
                Cond::Const(_) => Vec::new(),
                Cond::Cmp { left, right, .. } => vec![Part::Expr(left), Part::Expr(right)],
                Cond::Float { args, .. } => args.iter().map(|a| Part::Expr(a)).collect(),
                Cond::And(a, b) | Cond::Or(a, b) => vec![Part::Cond(a), Part::Cond(b)],
                Cond::Not(a) => vec![Part::Cond(a)],
            },
        }
    }
}

/// How tightly an expression holds together; a looser one stands in brackets inside a tighter one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bind {
    Choice,
    Or,
    And,
    Compare,
    Operator,
    Prefix,
    Atom,
}

/// The texts of the parts of one location.
struct Names<'p> {
    program: &'p Program,
    texts: HashMap<(usize, bool), (String, Bind)>,
    uses: HashMap<(usize, bool), u32>,
    made: usize,
}

impl<'p> Names<'p> {
    /// Counts how often each part occurs in the others.
    fn count(&mut self, cases: &'p [Case]) {
        let mut open: Vec<Part<'p>> = cases.iter().flat_map(roots).collect();
        while let Some(part) = open.pop() {
            let uses = self.uses.entry(part.key()).or_default();
            *uses += 1;
            if *uses == 1 {
                open.extend(part.parts());
            }
        }
    }

    fn case(&mut self, case: &'p Case, is_else: bool, out: &mut String) {
        let mut line = "  ".to_owned();
        for root in roots(case) {
            self.write(root, out);
        }
        if is_else {
            line.push_str("else ");
        }
        if let Some(cond) = &case.cond {
            let _ = write!(line, "if ({}) ", self.text(Part::Cond(cond)));
        }
        let target = match case.target {
            Goto::Loc(i) => self.program.locs[i].name.as_str(),
            Goto::Exit => "EXIT",
            Goto::Stop => "STOP",
            Goto::Trap => "TRAP",
            Goto::Ub => "UB",
        };
        let _ = write!(line, "goto {target}");
        let mut changes: Vec<String> = case
            .assigns
            .iter()
            .map(|(v, e)| format!("{} = {}", self.program.vars[*v].0, self.text(Part::Expr(e))))
            .collect();
        changes.extend(case.stores.iter().map(|s| match s {
            MemUpdate::Store { mem, address, value } => format!(
                "{}[{}] = {}",
                self.program.mems[*mem].name,
                self.text(Part::Expr(address)),
                self.text(Part::Expr(value))
            ),
            MemUpdate::Forget { mem, unknown } => {
                format!("{} = {}", self.program.mems[*mem].name, self.program.mem_unknowns[*unknown].name)
            }
        }));
        if !changes.is_empty() {
            let _ = write!(line, " with {}", changes.join(", "));
        }
        if !case.assumes.is_empty() {
            let all: Vec<String> = case.assumes.iter().map(ToString::to_string).collect();
            let _ = write!(line, " assumes {}", all.join(", "));
        }
        let _ = writeln!(out, "{line}{}", at(case.span.as_ref()));
    }

    fn text(&self, part: Part<'p>) -> &str {
        &self.texts[&part.key()].0
    }

    /// The text of a part inside another one.
    fn inside(&self, part: Part<'p>, bind: Bind) -> String {
        let (text, own) = &self.texts[&part.key()];
        if *own < bind { format!("({text})") } else { text.clone() }
    }

    /// Makes the texts of a part and of all its parts, those first; a loop, since parts lie as deep as a program is long.
    fn write(&mut self, root: Part<'p>, out: &mut String) {
        let mut open = vec![root];
        while let Some(part) = open.last().copied() {
            if self.texts.contains_key(&part.key()) {
                open.pop();
                continue;
            }
            let missing: Vec<Part<'p>> =
                part.parts().into_iter().filter(|p| !self.texts.contains_key(&p.key())).collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            open.pop();
            let (mut text, mut bind) = match part {
                Part::Expr(e) => self.expr(e),
                Part::Cond(c) => self.cond(c),
            };
            let is_root = open.is_empty();
            let often = self.uses.get(&part.key()).is_some_and(|n| *n > 1);
            if often && text.len() > LONG || !is_root && text.len() > VERY_LONG {
                self.made += 1;
                let name = format!("${}", self.made);
                let _ = writeln!(out, "  let {name} = {text}");
                (text, bind) = (name, Bind::Atom);
            }
            self.texts.insert(part.key(), (text, bind));
        }
    }

    fn expr(&self, e: &'p Expr) -> (String, Bind) {
        match e {
            Expr::Var(v) => (self.program.vars[*v].0.clone(), Bind::Atom),
            Expr::Unknown(u) => (self.program.unknowns[*u].name.clone(), Bind::Atom),
            Expr::Const(value, _) => (value.to_string(), Bind::Atom),
            Expr::Unary { op, ty, overflow, arg } => {
                let sign = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "~",
                };
                let text = format!("{sign}{}", self.inside(Part::Expr(arg), Bind::Atom));
                wrapping(text, Bind::Prefix, *op == UnaryOp::Neg, *ty, *overflow)
            }
            Expr::Binary { op, ty, overflow, left, right } => {
                let (sign, can_overflow) = match op {
                    BinaryOp::Add => ("+", true),
                    BinaryOp::Sub => ("-", true),
                    BinaryOp::Mul => ("*", true),
                    BinaryOp::Div => ("/", false),
                    BinaryOp::Rem => ("%", false),
                    BinaryOp::And => ("&", false),
                    BinaryOp::Or => ("|", false),
                    BinaryOp::Xor => ("^", false),
                    BinaryOp::Shl => ("<<", true),
                    BinaryOp::Shr => (">>", false),
                };
                let (l, r) =
                    (self.inside(Part::Expr(left), Bind::Prefix), self.inside(Part::Expr(right), Bind::Prefix));
                wrapping(format!("{l} {sign} {r}"), Bind::Operator, can_overflow, *ty, *overflow)
            }
            Expr::Cast { to, arg, .. } => {
                (format!("({}){}", type_name(*to), self.inside(Part::Expr(arg), Bind::Prefix)), Bind::Prefix)
            }
            Expr::Ite(c, a, b) => {
                let [c, a, b] = [Part::Cond(c), Part::Expr(a), Part::Expr(b)].map(|p| self.inside(p, Bind::Or));
                (format!("{c} ? {a} : {b}"), Bind::Choice)
            }
            Expr::Load { mem, address } => {
                (format!("{}[{}]", self.program.mems[*mem].name, self.text(Part::Expr(address))), Bind::Atom)
            }
            Expr::Promised { kept, value } => {
                (format!("promised({}, {})", self.text(Part::Expr(value)), self.text(Part::Cond(kept))), Bind::Atom)
            }
            Expr::Join(all) => {
                let texts: Vec<&str> = all.iter().map(|p| self.text(Part::Expr(p))).collect();
                (format!("join({})", texts.join(", ")), Bind::Atom)
            }
            Expr::Float { op, args } => self.float(*op, args),
        }
    }

    fn float(&self, op: FloatOp, args: &'p [Arc<Expr>]) -> (String, Bind) {
        let mut texts: Vec<String> = args.iter().map(|a| self.text(Part::Expr(a)).to_owned()).collect();
        texts.extend(op.width().map(|w| w.to_string()));
        (format!("{}({})", op.name(), texts.join(", ")), Bind::Atom)
    }

    fn cond(&self, c: &'p Cond) -> (String, Bind) {
        match c {
            Cond::Const(b) => (b.to_string(), Bind::Atom),
            Cond::Cmp { op, left, right, .. } => {
                let sign = match op {
                    CmpOp::Lt => "<",
                    CmpOp::Le => "<=",
                    CmpOp::Gt => ">",
                    CmpOp::Ge => ">=",
                    CmpOp::Eq => "==",
                    CmpOp::Ne => "!=",
                };
                let [l, r] = [left, right].map(|p| self.inside(Part::Expr(p), Bind::Operator));
                (format!("{l} {sign} {r}"), Bind::Compare)
            }
            Cond::Float { op, args } => self.float(*op, args),
            Cond::And(a, b) => {
                let [a, b] = [a, b].map(|p| self.inside(Part::Cond(p), Bind::And));
                (format!("{a} && {b}"), Bind::And)
            }
            Cond::Or(a, b) => {
                let [a, b] = [a, b].map(|p| self.inside(Part::Cond(p), Bind::Or));
                (format!("{a} || {b}"), Bind::Or)
            }
            Cond::Not(a) => (format!("!{}", self.inside(Part::Cond(a), Bind::Prefix)), Bind::Prefix),
        }
    }
}

/// C has no signed arithmetic that wraps; where the program has, the text says so.
fn wrapping(text: String, bind: Bind, can_overflow: bool, ty: IntType, overflow: Overflow) -> (String, Bind) {
    if can_overflow && ty.signed && overflow == Overflow::Wraps {
        (format!("wrap({text})"), Bind::Atom)
    } else {
        (text, bind)
    }
}

fn roots(case: &Case) -> Vec<Part<'_>> {
    let mut all: Vec<Part<'_>> = case.cond.iter().map(Part::Cond).collect();
    all.extend(case.assigns.iter().map(|(_, e)| Part::Expr(e)));
    for s in &case.stores {
        if let MemUpdate::Store { address, value, .. } = s {
            all.extend([Part::Expr(address), Part::Expr(value)]);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::UnknownKind;
    use lariat_ir::neutral::{Location, Mem, Unknown};
    use std::sync::Arc;

    const INT: IntType = IntType::signed(32);

    fn add(a: impl Into<Arc<Expr>>, b: impl Into<Arc<Expr>>, overflow: Overflow) -> Expr {
        Expr::binary(BinaryOp::Add, INT, overflow, a, b)
    }

    #[test]
    fn a_listing_shows_conditions_changes_and_places() {
        let byte = IntType::unsigned(8);
        let address = IntType::signed(64);
        let mut p = Program::new("count");
        p.vars = vec![("x".into(), INT), ("n".into(), INT)];
        p.init = vec![(0, Some(3.into()))];
        p.unknowns = vec![Unknown::new("read", byte, UnknownKind::Input)];
        p.mems = vec![Mem { name: "bytes".into(), cell: byte, init: MemInit::Any }];
        let cell = Expr::load(0, Expr::cast(INT, address, Expr::Var(0)));
        let less = Cond::cmp(CmpOp::Lt, INT, Expr::Var(0), Expr::Var(1));
        let seen = Cond::cmp(CmpOp::Ne, byte, cell, Expr::constant(0, byte));
        let mut step = Case::new(
            Some(Cond::and(less, Cond::negation(seen))),
            vec![(
                0,
                add(add(Expr::Var(0), Expr::Var(1), Overflow::Wraps), Expr::constant(1, INT), Overflow::Undefined),
            )],
            Goto::Loc(0),
        );
        step.span = Some(Span { file: "a.c".into(), line: 4, column: 7 });
        step.stores = vec![MemUpdate::Store { mem: 0, address: Expr::constant(16, address), value: Expr::Unknown(0) }];
        p.locs = vec![Location::new("head", vec![step, Case::new(None, vec![], Goto::Exit)])];
        let expected = "\
program count (whole program)
  i32 x = 3
  i32 n, any value
  u8 bytes[i64], any content
  input u8 read

head:  (entry)
  if (x < n && !(bytes[(i64)x] != 0)) goto head with x = wrap(x + n) + 1, bytes[16] = read  at a.c:4:7
  else goto EXIT
";
        assert_eq!(print(&p), expected);
    }

    /// Twice the size in each of 200 steps: written out it would have 2^200 leaves.
    #[test]
    fn shared_parts_are_written_once() {
        let mut p = Program::new("deep");
        p.vars = vec![("x".into(), INT)];
        let mut e = Arc::new(Expr::Var(0));
        for _ in 0..200 {
            e = Arc::new(add(Arc::clone(&e), Arc::clone(&e), Overflow::Undefined));
        }
        p.locs = vec![Location::new("a", vec![Case::new(None, vec![(0, Expr::clone(&e))], Goto::Exit)])];
        let text = print(&p);
        assert!(text.len() < 20_000, "{} bytes", text.len());
        assert!(text.contains("let $1 = "), "{text}");
    }
}
