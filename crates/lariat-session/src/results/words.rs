//! What a claim says, in words.

use super::reader::Reader;
use lariat_ir::cprint::c_expr;
use lariat_ir::simplify::simplify;
use lariat_ir::{Certificate, Claim, Measure, Op, Order, Property, Role, Sort, Term, TransitionSystem, Value, VarId};

/// A term as C; `name` tells what a variable is called.
pub(super) fn as_c(ts: &TransitionSystem, t: Term, name: &dyn Fn(VarId) -> String) -> String {
    c_expr(&ts.terms, t, &|s| match (ts.terms.role(s), ts.terms.node(s).op) {
        (Some(Role::Var(v)), _) => name(v),
        (Some(Role::Old(v)), _) => format!("old({})", name(v)),
        (_, Op::Symbol(id)) => ts.terms.symbol_data(id).name.clone(),
        _ => unreachable!("only symbols have names"),
    })
}

/// A term as C with the reader's names. A variable of an unsigned type needs no cast to be read as one.
pub(super) fn for_readers(reader: &Reader<'_>, t: Term) -> String {
    let mut text = as_c(reader.ts, t, &|v| formula_name(reader, v));
    for s in reader.ts.terms.symbols(t) {
        if let Some(Role::Var(v)) = reader.ts.terms.role(s)
            && reader.source.is_unsigned(&reader.ts.vars[v].name)
        {
            let name = formula_name(reader, v);
            for cast in ["unsigned", "uint64_t", "uint16_t", "uint8_t"] {
                text = text.replace(&format!("({cast}){name}"), &name);
            }
        }
    }
    text
}

/// A condition on the initial states, as results write it.
pub fn condition_words(ts: &TransitionSystem, when: Term) -> String {
    as_c(ts, when, &|v| ts.vars[v].name.clone())
}

/// A condition on the initial states for a reader: what it says of the source's variables, and whether that is all.
pub(super) fn readable_condition(reader: &Reader<'_>, when: Term) -> (String, bool) {
    let all = reader.ts.terms.conjuncts(when);
    let shown: Vec<String> = all
        .iter()
        .filter(|t| readable(reader, **t))
        .map(|t| for_readers(reader, *t))
        .map(|t| if t.contains("||") && all.len() > 1 { format!("({t})") } else { t })
        .collect();
    (shown.join(" && "), shown.len() == all.len())
}

/// Whether a term speaks only of what a reader knows.
pub(super) fn readable(reader: &Reader<'_>, t: Term) -> bool {
    reader.ts.terms.symbols(t).iter().all(|s| match reader.ts.terms.role(*s) {
        Some(Role::Var(v) | Role::Old(v)) => reader.is_visible(v) && reader.source.mem_of(v).is_none(),
        _ => true,
    })
}

/// What a variable is called in a formula, also if it is none of the source's.
fn formula_name(reader: &Reader<'_>, v: VarId) -> String {
    let name = reader.name(v);
    match name.strip_prefix("value ").and_then(|place| place.split_once(':')) {
        Some((line, _)) if !reader.is_visible(v) => format!("(value of line {line})"),
        _ => name,
    }
}

/// The number of rounds that a ranking allows.
///
/// From one visit of the header to the next the tuple there falls. Components that are constants there cannot have fallen or risen
/// on the way, since what is in front of the one that falls never rises: so if only one is no constant, that one loses at
/// least one each round. An integer is at least zero before it falls; an unsigned number stays at least zero.
pub(super) fn bound(reader: &Reader<'_>, c: &Claim) -> Option<String> {
    let ts = reader.ts;
    let (Certificate::Ranking { measures, .. }, Property::Terminates(header)) = (&c.certificate, c.property) else {
        return None;
    };
    let tuple = measures.get(&header)?;
    let mut varying = tuple.iter().filter(|m| !ts.terms.symbols(m.term).is_empty());
    let (Some(m), None) = (varying.next(), varying.next()) else { return None };
    match m.order {
        Order::Int => {
            let one_more = ts.terms.apply(Op::IntAdd, &[m.term, ts.terms.int(1)]);
            Some(format!("max(0, {})", for_readers(reader, simplify(&ts.terms, one_more))))
        }
        Order::Unsigned => Some(measure_words(reader, m.term)),
        Order::Signed => None,
    }
}

/// A measure in words: one more than something, and zero where that is below zero, is a maximum.
fn measure_words(reader: &Reader<'_>, t: Term) -> String {
    let terms = &reader.ts.terms;
    let is_zero = |u: Term| terms.constant_value(u).is_some_and(|v| v == Value::zero(v.sort()));
    let node = terms.node(t);
    if let (Op::Ite, [condition, then, other], Sort::BitVec(w)) = (node.op, node.args(), node.sort)
        && let compared = terms.node(*condition)
        && let (Op::BvSle, [zero, number]) = (compared.op, compared.args())
        && is_zero(*zero)
        && is_zero(*other)
        && simplify(terms, terms.apply(Op::BvAdd, &[*number, terms.bv(w, 1)])) == *then
    {
        return format!("max(0, {})", for_readers(reader, *then));
    }
    for_readers(reader, t)
}

/// Why a loop ends.
pub(super) fn why_it_ends(reader: &Reader<'_>, c: &Claim) -> Vec<String> {
    let ts = reader.ts;
    let text = |t: Term| format!("`{}`", measure_words(reader, t));
    match &c.certificate {
        Certificate::Ranking { measures, .. } => {
            let header = match c.property {
                Property::Terminates(header) => measures.get(&header),
                _ => None,
            };
            let Some(tuple) = header.or_else(|| measures.values().next()) else { return Vec::new() };
            // Components that are constants at the header only order the ways inside.
            let varying: Vec<&Measure> = tuple.iter().filter(|m| !ts.terms.symbols(m.term).is_empty()).collect();
            vec![falls(&varying, &text)]
        }
        Certificate::TransitionInvariant { disjuncts, .. } => {
            let parts: Vec<String> = disjuncts
                .iter()
                .map(|d| match d.measure.as_slice() {
                    [m] if d.relation == ts.terms.tt() => text(m.term),
                    [m] => format!("{} (where {})", text(m.term), text(d.relation)),
                    all => all.iter().map(|m| text(m.term)).collect::<Vec<_>>().join(", then "),
                })
                .collect();
            vec![format!(
                "from any visit to any later one, one of these falls, and none of them can fall for ever: {}",
                parts.join("; ")
            )]
        }
        Certificate::Unreachable { .. } => vec!["no run ever comes to it".to_owned()],
        _ => Vec::new(),
    }
}

fn falls(tuple: &[&Measure], text: &dyn Fn(Term) -> String) -> String {
    let bounded = "an iteration starts only where it is at least 0";
    match tuple {
        [] => "it never comes back to its start".to_owned(),
        [m] if m.order == Order::Int => {
            format!("{} falls by at least 1 in every iteration, and {bounded}", text(m.term))
        }
        [m] if m.order == Order::Unsigned => {
            format!("{}, which is never below 0, falls in every iteration", text(m.term))
        }
        [m] => format!("{} falls in every iteration, and its type has finitely many values", text(m.term)),
        all => {
            let texts: Vec<String> = all.iter().map(|m| text(m.term)).collect();
            let end = if all.iter().all(|m| m.order == Order::Int) {
                "one that falls is at least 0 before"
            } else {
                "none of them can fall for ever"
            };
            format!("in every iteration the first of these that changes falls, and {end}: {}", texts.join(", then "))
        }
    }
}
