//! Invariants: `Inductive` and `Unreachable`.
//!
//! The cut is every annotated location and every loop header, the latter with `true` where nothing else is said: so
//! every cycle passes the cut, and a run is a chain of segments between its locations. If the annotation holds at the
//! first location of the cut that a run of `when` comes to, and each segment leads from the annotation at its start to
//! the one at its end, it holds at every visit, by induction over the chain.

use crate::prover::{Prover, term_words};
use crate::rejection::{Condition, Rejection};
use crate::segments::{self, Bounds, at_state};
use crate::state_term;
use lariat_ir::{LocId, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Shows that the annotations hold in every run that starts in `when`.
pub(crate) fn inductive(
    prover: &mut Prover<'_, '_>,
    when: Term,
    invariants: &BTreeMap<LocId, Term>,
) -> Result<(), Rejection> {
    let ts = prover.ts();
    let terms = &ts.terms;
    for (l, t) in invariants {
        state_term(prover.system, *t, &format!("the invariant at `{}`", prover.name(*l)))?;
        if l.is_sink() {
            let message = format!("`{}` is a sink: runs end there, and nothing is claimed about it", prover.name(*l));
            return Err(Rejection::new(Condition::IllFormedTerm, message));
        }
    }
    let mut annotations: BTreeMap<LocId, Term> =
        prover.system.forest().cutpoints().into_iter().map(|l| (l, terms.tt())).collect();
    annotations.extend(invariants.iter().map(|(l, t)| (*l, *t)));
    let cut: BTreeSet<LocId> = annotations.keys().copied().collect();
    let inside: BTreeSet<LocId> = ts.locs.ids().filter(|l| !l.is_sink()).collect();
    let bounds = Bounds {
        inside: &inside,
        cut: &cut,
        known: &BTreeMap::new(),
        stand_ins: &[],
        on_cycle: Condition::InvariantNotInductive,
    };

    let initial = [when, ts.init];
    let mut sources: Vec<(LocId, Vec<Term>)> = annotations.iter().map(|(l, t)| (*l, vec![*t])).collect();
    if let Some(at_entry) = annotations.get(&ts.entry) {
        prover.show(&initial, *at_entry, Condition::InvariantNotInitial, || {
            format!(
                "the invariant `{}` at `{}` does not hold at the start",
                term_words(ts, *at_entry),
                ts.locs[ts.entry].name
            )
        })?;
    } else {
        sources.insert(0, (ts.entry, initial.to_vec()));
    }
    for (source, premises) in sources {
        let found = segments::from_location(prover.system, source, &bounds)?;
        for end in &found.ends {
            let goal = at_state(ts, annotations[&end.at], &end.state);
            let mut all = premises.clone();
            all.extend(&found.side);
            all.push(end.condition);
            prover.show(&all, goal, Condition::InvariantNotInductive, || {
                format!(
                    "on the way from `{}` to `{}` the invariant `{}` is lost",
                    ts.locs[source].name,
                    ts.locs[end.at].name,
                    term_words(ts, annotations[&end.at])
                )
            })?;
        }
    }
    Ok(())
}

/// Shows that no run that starts in `when` comes to a location.
pub(crate) fn unreachable(
    prover: &mut Prover<'_, '_>,
    when: Term,
    invariants: &BTreeMap<LocId, Term>,
    at: LocId,
) -> Result<(), Rejection> {
    let terms = &prover.ts().terms;
    let name = prover.name(at);
    let Some(&here) = invariants.get(&at) else {
        let message = format!("there is no invariant at `{name}`");
        return Err(Rejection::new(Condition::NotUnreachable, message));
    };
    inductive(prover, when, invariants)?;
    prover.show(&[here], terms.ff(), Condition::NotUnreachable, || format!("the invariant at `{name}` can hold"))
}
