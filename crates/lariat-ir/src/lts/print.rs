//! Printing. What is printed parses to the same system: the same terms, not just equivalent ones.

use super::lex::{quote, quote_name};
use crate::assumption::AssumptionKind;
use crate::fast::FastMap;
use crate::ids::{Id, LocId};
use crate::system::{Mode, Proves, Span, TransitionSystem};
use crate::term::{Op, Term};
use std::fmt::Write as _;

/// Words that mean something in a term, so that a variable of that name needs ticks.
pub(super) const RESERVED_IN_TERMS: &[&str] = &[
    "true",
    "false",
    "zext",
    "sext",
    "extract",
    "concat",
    "store",
    "fill",
    "old",
    "bool",
    "int",
    "array",
    "int_to_bv",
    "ubv_to_int",
    "sbv_to_int",
    "fp_add",
    "fp_sub",
    "fp_mul",
    "fp_div",
    "fp_fma",
    "fp_sqrt",
    "fp_rint",
    "fp_round",
    "fp_trunc",
    "fp_floor",
    "fp_ceil",
    "fp_eq",
    "fp_lt",
    "fp_le",
    "fp_to_fp",
    "sbv_to_fp",
    "ubv_to_fp",
    "fp_to_sbv",
    "fp_to_ubv",
];
/// Words that mean something between locations.
pub(super) const RESERVED_FOR_LOCS: &[&str] = &["goto", "if", "let"];

/// Names for terms that occur often or lie deep, so that the text stays as small as the terms are.
#[derive(Clone, Debug, Default)]
pub struct Lets {
    names: FastMap<Term, String>,
    order: Vec<Term>,
}

impl Lets {
    /// The terms below `roots` that deserve a name, arguments first, with names from `$first` on.
    pub fn of(ts: &TransitionSystem, roots: &[Term], first: usize) -> Self {
        let order = ts.terms.reachable(roots);
        let mut uses: FastMap<Term, u32> = FastMap::default();
        for r in roots {
            *uses.entry(*r).or_default() += 1;
        }
        for t in &order {
            for a in ts.terms.node(*t).args() {
                *uses.entry(*a).or_default() += 1;
            }
        }
        // (printed size, depth) of each term given the names so far.
        let mut shape: FastMap<Term, (u32, u32)> = FastMap::default();
        let mut lets = Self::default();
        for t in order {
            let node = ts.terms.node(t);
            let (mut size, mut depth) = (1u32, 0u32);
            for a in node.args() {
                let (s, d) = shape[a];
                size += s;
                depth = depth.max(d + 1);
            }
            if !node.args().is_empty() && (size >= 6 && uses[&t] > 1 || depth >= 30 || size >= 200) {
                lets.names.insert(t, format!("${}", first + lets.order.len()));
                lets.order.push(t);
                (size, depth) = (1, 0);
            }
            shape.insert(t, (size, depth));
        }
        lets
    }

    /// Whether no term has a name.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Each name with the text of its term.
    pub fn definitions<'a>(&'a self, ts: &'a TransitionSystem) -> impl Iterator<Item = (&'a str, String)> + 'a {
        self.order.iter().map(|t| (self.names[t].as_str(), write(ts, *t, self, false)))
    }

    /// The text of a term that may use the names.
    pub fn text(&self, ts: &TransitionSystem, t: Term) -> String {
        write(ts, t, self, true)
    }
}

/// A term as text, without names for parts.
pub fn print_term(ts: &TransitionSystem, t: Term) -> String {
    write(ts, t, &Lets::default(), true)
}

/// A system as text.
pub fn print(ts: &TransitionSystem) -> String {
    let mut roots = vec![ts.init];
    for e in &ts.edges {
        roots.push(e.guard);
        roots.extend(e.updates.iter().map(|(_, t)| *t));
    }
    let lets = Lets::of(ts, &roots, 1);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = render(ts, &lets, &mut out);
    out
}

fn render(ts: &TransitionSystem, lets: &Lets, out: &mut String) -> std::fmt::Result {
    writeln!(out, "lts 1")?;
    writeln!(out, "name {}", quote_name(&ts.name, &[]))?;
    write!(out, "integers {}", ts.integers)?;
    match ts.proves {
        Proves::Both => writeln!(out)?,
        Proves::Terminates => writeln!(out, " proves terminates")?,
        Proves::Diverges => writeln!(out, " proves diverges")?,
    }
    if ts.mode == Mode::Function {
        writeln!(out, "mode function")?;
    }
    for v in &ts.vars {
        writeln!(out, "var {}: {}", name(&v.name), v.sort)?;
    }
    for u in &ts.unknowns {
        write!(out, "{} {}: {}", u.kind.keyword(), name(&u.name), u.sort)?;
        if let Some((lo, hi)) = &u.range {
            write!(out, " in {lo} .. {hi}")?;
        }
        writeln!(out)?;
    }
    for a in &ts.assumptions {
        // What a system states by itself needs no word; so the text and the hash of systems from before there were words stay.
        let word = if a.kind == AssumptionKind::Stated { String::new() } else { format!("{} ", a.kind.word()) };
        writeln!(out, "assumption {word}{}{}", quote(&a.text), at(a.span.as_ref()))?;
    }
    for o in &ts.obligations {
        writeln!(out, "obligation {}{}", quote(&o.text), at(o.span.as_ref()))?;
    }
    for s in &ts.sources {
        let key = &s.copy.key;
        write!(out, "source {} {}", key.kind.word(), quote(&key.function))?;
        for (word, number) in [("number", key.ordinal), ("copy", s.copy.instance)] {
            if number > 0 {
                write!(out, " {word} {number}")?;
            }
        }
        if let Some(p) = s.parent {
            write!(out, " within {}", p.index())?;
        }
        writeln!(out, "{}", at(key.span.as_ref()))?;
    }
    for (name, text) in lets.definitions(ts) {
        writeln!(out, "let {name} = {text}")?;
    }
    if ts.init != ts.terms.tt() {
        writeln!(out, "init {}", lets.text(ts, ts.init))?;
    }
    writeln!(out, "entry {}", loc_name(ts, ts.entry))?;
    // Edges keep their numbers: they are printed at their locations, and numbered where that order is not theirs.
    let natural: Vec<_> = ts.locs.iter().flat_map(|l| l.out.iter().copied()).collect();
    let in_order = natural.iter().enumerate().all(|(i, e)| e.index() == i);
    for (id, loc) in ts.locs.entries() {
        if id.is_sink() {
            continue;
        }
        write!(out, "\n{}:{}", loc_name(ts, id), at(loc.span.as_ref()))?;
        if let Some(f) = &loc.function {
            write!(out, " in {}", quote(f))?;
        }
        if let Some(s) = loc.within {
            write!(out, " within {}", s.index())?;
        }
        for (word, is_so) in [("artificial", loc.artificial), ("escapes", loc.escapes)] {
            if is_so {
                write!(out, " {word}")?;
            }
        }
        writeln!(out)?;
        for &e in &loc.out {
            let edge = &ts.edges[e];
            write!(out, "  ")?;
            if edge.guard != ts.terms.tt() {
                write!(out, "if {} ", lets.text(ts, edge.guard))?;
            }
            write!(out, "goto {}", loc_name(ts, edge.to))?;
            for (i, (v, t)) in edge.updates.iter().enumerate() {
                let word = if i == 0 { " with" } else { "," };
                write!(out, "{word} {} := {}", name(&ts.vars[*v].name), lets.text(ts, *t))?;
            }
            for a in &edge.assumes {
                write!(out, " assumes {}", a.index())?;
            }
            if !in_order {
                write!(out, " edge {}", e.index())?;
            }
            writeln!(out, "{}", at(edge.span.as_ref()))?;
        }
    }
    Ok(())
}

fn at(span: Option<&Span>) -> String {
    span.map_or(String::new(), |s| format!(" at {}:{}:{}", quote(&s.file), s.line, s.column))
}

fn name(n: &str) -> String {
    quote_name(n, RESERVED_IN_TERMS)
}

pub(super) fn loc_name(ts: &TransitionSystem, l: LocId) -> String {
    quote_name(&ts.locs[l].name, RESERVED_FOR_LOCS)
}

/// How tightly an operation binds; more is tighter. The parser has the same table.
fn strength(op: Op) -> u8 {
    match op {
        Op::Ite => 1,
        Op::Or => 3,
        Op::And => 4,
        Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::IntLt | Op::IntLe => 5,
        Op::BvOr => 6,
        Op::BvXor => 7,
        Op::BvAnd => 8,
        Op::BvShl | Op::BvLshr | Op::BvAshr => 9,
        Op::BvAdd | Op::BvSub | Op::IntAdd | Op::IntSub => 10,
        Op::BvMul | Op::IntMul | Op::IntDiv | Op::IntMod | Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => 11,
        Op::Not | Op::BvNot | Op::BvNeg | Op::IntNeg => 12,
        _ => 13,
    }
}

fn infix(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Or => "||",
        Op::And => "&&",
        Op::Eq => "==",
        Op::BvUlt => "<u",
        Op::BvUle => "<=u",
        Op::BvSlt => "<s",
        Op::BvSle => "<=s",
        Op::IntLt => "<",
        Op::IntLe => "<=",
        Op::BvOr => "|",
        Op::BvXor => "^",
        Op::BvAnd => "&",
        Op::BvShl => "<<",
        Op::BvLshr => ">>u",
        Op::BvAshr => ">>s",
        Op::BvAdd | Op::IntAdd => "+",
        Op::BvSub | Op::IntSub => "-",
        Op::BvMul | Op::IntMul => "*",
        Op::IntDiv => "/",
        Op::IntMod => "%",
        Op::BvUdiv => "/u",
        Op::BvUrem => "%u",
        Op::BvSdiv => "/s",
        Op::BvSrem => "%s",
        _ => return None,
    })
}

fn write(ts: &TransitionSystem, t: Term, lets: &Lets, name_root: bool) -> String {
    let mut out = String::new();
    let _ = term(ts, t, lets, name_root, 0, &mut out);
    out
}

/// Recursion is bounded where it matters: names are given to deep terms; without names only small terms are printed.
fn term(ts: &TransitionSystem, t: Term, lets: &Lets, may_name: bool, outer: u8, out: &mut String) -> std::fmt::Result {
    if let Some(n) = lets.names.get(&t).filter(|_| may_name) {
        return write!(out, "{n}");
    }
    let node = ts.terms.node(t);
    let args = node.args();
    let sub = |a: Term, outer: u8, out: &mut String| term(ts, a, lets, true, outer, out);
    let call = |head: &str, extra: &[u32], out: &mut String| {
        write!(out, "{head}(")?;
        for (i, a) in args.iter().enumerate() {
            if i > 0 {
                write!(out, ", ")?;
            }
            term(ts, *a, lets, true, 0, out)?;
        }
        for e in extra {
            write!(out, ", {e}")?;
        }
        write!(out, ")")
    };
    let width = || node.sort.width().expect("an extension is a bit-vector");
    match node.op {
        Op::Bool(_) | Op::Bv(_) | Op::Int(_) => {
            let v = ts.terms.constant_value(t).expect("a constant has a value");
            return write!(out, "{v}");
        }
        Op::Symbol(s) => {
            let data = ts.terms.symbol_data(s);
            return match data.role {
                crate::term::Role::Old(v) => write!(out, "old({})", name(&ts.vars[v].name)),
                _ => write!(out, "{}", name(&data.name)),
            };
        }
        Op::Extract { hi, lo } => return call("extract", &[hi, lo], out),
        Op::ZeroExtend(_) => return call("zext", &[width()], out),
        Op::SignExtend(_) => return call("sext", &[width()], out),
        Op::Concat => return call("concat", &[], out),
        Op::IntToBv(width) => return call("int_to_bv", &[width], out),
        Op::UbvToInt => return call("ubv_to_int", &[], out),
        Op::SbvToInt => return call("sbv_to_int", &[], out),
        Op::Float(op) => return call(op.name(), op.width().as_slice(), out),
        Op::Store => return call("store", &[], out),
        Op::Fill(i) => {
            write!(out, "fill({i}, ")?;
            sub(args[0], 0, out)?;
            return write!(out, ")");
        }
        Op::Select => {
            sub(args[0], 13, out)?;
            write!(out, "[")?;
            sub(args[1], 0, out)?;
            return write!(out, "]");
        }
        _ => {}
    }
    let mine = strength(node.op);
    let parens = mine < outer;
    if parens {
        write!(out, "(")?;
    }
    match node.op {
        // A minus right before a numeral belongs to the numeral, so the argument of a negation is always bracketed
        // when it is a constant.
        Op::BvNeg | Op::IntNeg => {
            write!(out, "-")?;
            let constant = ts.terms.constant_value(args[0]).is_some();
            if constant {
                write!(out, "(")?;
                sub(args[0], 0, out)?;
                write!(out, ")")?;
            } else {
                sub(args[0], mine, out)?;
            }
        }
        Op::Not | Op::BvNot => {
            write!(out, "{}", if node.op == Op::Not { "!" } else { "~" })?;
            sub(args[0], mine, out)?;
        }
        Op::Ite => {
            sub(args[0], mine + 1, out)?;
            write!(out, " ? ")?;
            sub(args[1], mine + 1, out)?;
            write!(out, " : ")?;
            sub(args[2], mine, out)?;
        }
        op => {
            let sign = infix(op).expect("every other operation is infix");
            // Comparisons do not chain; everything else associates to the left.
            let left = if mine == 5 { mine + 1 } else { mine };
            sub(args[0], left, out)?;
            write!(out, " {sign} ")?;
            sub(args[1], mine + 1, out)?;
        }
    }
    if parens {
        write!(out, ")")?;
    }
    Ok(())
}
