//! What a claim says, in words.

use lariat_ir::cprint::c_expr;
use lariat_ir::simplify::simplify;
use lariat_ir::{Certificate, Claim, Op, Order, Property, Role, Sort, Term, TransitionSystem, VarId};

/// A term as C, with the names of the system.
pub(super) fn as_c(ts: &TransitionSystem, t: Term) -> String {
    c_expr(&ts.terms, t, &|s| match (ts.terms.role(s), ts.terms.node(s).op) {
        (Some(Role::Old(v)), _) => format!("old({})", ts.vars[v].name),
        (_, Op::Symbol(id)) => ts.terms.symbol_data(id).name.clone(),
        _ => unreachable!("only symbols have names"),
    })
}

/// A condition on the initial states, as results write it.
pub fn condition_words(ts: &TransitionSystem, when: Term) -> String {
    as_c(ts, when)
}

/// A condition for readers: that nothing overflowed goes without saying, since such a run is no witness.
fn without_overflows(ts: &TransitionSystem, t: Term) -> Term {
    let is_shadow = |v: VarId| {
        let base = ts.vars[v].name.strip_suffix(".poison");
        ts.vars[v].sort == Sort::Bool && base.is_some_and(|b| ts.var_named(b).is_some())
    };
    let plain = ts.terms.substitute(t, |s| match ts.terms.role(s) {
        Some(Role::Var(v)) if is_shadow(v) => Some(ts.terms.ff()),
        _ => None,
    });
    if plain == t { t } else { simplify(&ts.terms, plain) }
}

/// The number of rounds that a ranking allows: an integer measure loses at least one each round and is at least zero
/// before it.
pub(super) fn bound(ts: &TransitionSystem, c: &Claim) -> Option<String> {
    let (Certificate::Ranking { measures, .. }, Property::Terminates(header)) = (&c.certificate, c.property) else {
        return None;
    };
    let tuple = measures.get(&header)?;
    match (tuple.as_slice(), measures.len()) {
        ([m], 1) if m.order == Order::Int && !ts.terms.symbols(m.term).is_empty() => {
            let one_more = ts.terms.apply(Op::IntAdd, &[m.term, ts.terms.int(1)]);
            let simple = simplify(&ts.terms, one_more);
            Some(format!("max(0, {})", as_c(ts, simple)))
        }
        _ => None,
    }
}

pub(super) fn because(ts: &TransitionSystem, c: &Claim) -> Option<String> {
    match &c.certificate {
        Certificate::Ranking { measures, .. } => {
            let tuple = measures.values().next()?;
            let texts: Vec<String> = tuple.iter().map(|m| format!("`{}`", as_c(ts, m.term))).collect();
            let never_goes_round = tuple.len() == 1 && ts.terms.symbols(tuple[0].term).is_empty();
            Some(if never_goes_round {
                "it never comes back to its start".to_owned()
            } else if tuple.iter().all(|m| m.order == Order::Int) {
                format!(
                    "{} falls in every round, and a round starts only where it is at least zero",
                    texts.join(", then ")
                )
            } else {
                format!("{} falls in every round, and its type has finitely many values", texts.join(", then "))
            })
        }
        Certificate::TransitionInvariant { disjuncts, .. } => {
            let parts: Vec<String> = disjuncts.iter().map(|d| format!("`{}`", as_c(ts, d.relation))).collect();
            Some(format!(
                "any two visits are related by one of {}, and none of these goes on for ever",
                parts.join(", ")
            ))
        }
        Certificate::Orbit { .. } => Some("after the cycle everything that decides it is as it was before".into()),
        Certificate::RecurrentSet { set, .. } => {
            let parts: Vec<String> = set
                .iter()
                .map(|(l, t)| {
                    let t = without_overflows(ts, *t);
                    let what = if t == ts.terms.tt() { "any state".to_owned() } else { format!("`{}`", as_c(ts, t)) };
                    format!("{what} at `{}`", ts.locs[*l].name)
                })
                .collect();
            Some(format!("from {} the cycle leads back there", parts.join(" or ")))
        }
        _ => None,
    }
}
