//! `Ranking` and `TransitionInvariant`: no run of `when` stays in a loop for ever.
//!
//! # Ranking
//!
//! The measures stand at a set M of locations of the loop L, a tuple at each, all of one shape. Between them run
//! the segments: paths inside L from M to M with nothing of M between. For each pair of locations, all segments are shown
//! to be *strict*: some component falls, those before it do not rise; or else all are shown to be *weak*: no
//! component rises. The checker then shows on the graph that no cycle of L avoids M and that no cycle of pairs is
//! without a strict one.
//!
//! *Why no run stays in L.* Such a run is, from some point on, an infinite chain of segments, since no cycle avoids M. As
//! every cycle of pairs has a strict one, infinitely many of them are strict. Let i be the least index at
//! which components fall infinitely often. From some point on, no strict segment falls at an index below i, so
//! component i never rises again: weak segments and segments strict beyond i keep it from rising. It falls infinitely
//! often. A bit-vector has finitely many values, so it cannot. An integer that falls is at least zero before
//! the step, so it cannot either. Note that components before i need only not rise; equality is not asked for.
//!
//! # Transition invariant
//!
//! T is a union of relations between two visits of the header. One iteration is in T, and T followed by an iteration is
//! in T, so by induction T contains every pair of visits of one stay in the loop. Each part is well-founded by its own
//! measure. *Why no run stays in L:* an infinite sequence of visits colours each pair of its members with a part
//! that holds it; by Ramsey's theorem there is an infinite subsequence all of whose pairs have one colour, which is
//! an infinite descent in a well-founded relation. This needs finitely many parts, which a list is, and that no cycle
//! of L avoids the header, or the run may stop visiting it.
//!
//! # Inner loops that stand in
//!
//! Both rules may step over an inner loop by a relation. It must hold between a visit of the inner header and itself, and
//! be kept by one more iteration of the inner loop; then it contains the pairs (arrival, any later visit of that stay).
//! The inner loop's own termination is shown by a claim of its own, so that a run that stays in L for ever does not do so
//! inside an inner loop: it comes back to M, or to the header, infinitely often.

use crate::prover::Prover;
use crate::rejection::{Condition, Rejection};
use crate::segments::{self, Bounds, Segments, at_state, old_state, relate};
use crate::{all_assumptions, check, invariants, loop_at, well_formed};
use lariat_ir::{
    AssumptionId, Claim, Disjunct, LocId, Loop, Measure, Op, Order, Outline, Property, Sort, Term, TransitionSystem,
};
use std::collections::{BTreeMap, BTreeSet};

/// Shows that the loop at `header` ends, by falling measures.
pub(crate) fn ranking(
    prover: &mut Prover<'_, '_>,
    claim: &Claim,
    header: LocId,
    outline: &Outline,
    measures: &BTreeMap<LocId, Vec<Measure>>,
) -> Result<BTreeSet<AssumptionId>, Rejection> {
    let ts = prover.ts();
    let this = prover.system.forest().loops[loop_at(prover.system, header)?].clone();
    shape(prover, measures)?;
    for l in measures.keys() {
        if !this.body.contains(l) {
            let message = format!(
                "there is a measure at `{}`, which is not in the loop at `{}`",
                prover.name(*l),
                prover.name(header)
            );
            return Err(Rejection::new(Condition::MeasureOutsideLoop, message));
        }
    }
    let cut: BTreeSet<LocId> = measures.keys().copied().collect();
    let stand_ins = outline_holds(prover, claim, header, outline, &cut)?;
    let bounds = Bounds {
        inside: &this.body,
        cut: &cut,
        known: &outline.invariants,
        stand_ins: &stand_ins,
        on_cycle: Condition::CycleAvoidsMeasures,
    };
    no_cycle_avoids(prover, &this, &bounds, outline)?;

    let mut weak: BTreeMap<LocId, Vec<LocId>> = BTreeMap::new();
    for (from, before) in measures {
        let found = segments::from_location(prover.system, *from, &bounds)?;
        for end in &found.ends {
            let after = in_state(ts, &measures[&end.at], &end.state);
            let premises = premises(&found, end.condition, outline.invariants.get(from));
            let falls = lexicographic(ts, before, &after, true);
            let Some(model) = prover.refute(&premises, falls)? else { continue };
            let stays = no_rise(ts, before, &after);
            if prover.refute(&premises, stays)?.is_some() {
                let place = format!("from `{}` to `{}`", prover.name(*from), prover.name(end.at));
                let unbounded = lexicographic(ts, before, &after, false);
                let only_unbounded = prover.refute(&premises, unbounded)?.is_none();
                let state = prover.state_words(&model);
                return Err(if only_unbounded {
                    Rejection::new(Condition::MeasureUnbounded, format!("{place} a measure falls below zero, {state}"))
                } else {
                    Rejection::new(Condition::MeasureDoesNotFall, format!("{place} the measure does not fall, {state}"))
                });
            }
            weak.entry(*from).or_default().push(end.at);
        }
    }
    if let Some(at) = on_a_cycle(&weak) {
        // Say which of the two it is: a measure that falls but has no bound, or one that does not fall.
        let message =
            format!("a cycle through `{}` has no step on which the measure is shown to fall", prover.name(at));
        return Err(weak_cycle_reason(prover, at, measures, &bounds, outline, message)?);
    }
    Ok(all_assumptions(prover.system))
}

/// Shows that the loop at `header` ends, by a transitive relation with well-founded parts.
pub(crate) fn transition_invariant(
    prover: &mut Prover<'_, '_>,
    claim: &Claim,
    header: LocId,
    outline: &Outline,
    disjuncts: &[Disjunct],
) -> Result<BTreeSet<AssumptionId>, Rejection> {
    let ts = prover.ts();
    let terms = &ts.terms;
    let this = prover.system.forest().loops[loop_at(prover.system, header)?].clone();
    for d in disjuncts {
        well_formed(prover.system, d.relation, "a disjunct", Some(Sort::Bool), true)?;
        shape(prover, &BTreeMap::from([(header, d.measure.clone())]))?;
    }
    let cut = BTreeSet::from([header]);
    let stand_ins = outline_holds(prover, claim, header, outline, &cut)?;
    let bounds = Bounds {
        inside: &this.body,
        cut: &cut,
        known: &outline.invariants,
        stand_ins: &stand_ins,
        on_cycle: Condition::CycleAvoidsHeader,
    };
    no_cycle_avoids(prover, &this, &bounds, outline)?;
    let step = segments::from_location(prover.system, header, &bounds)?;
    let here = outline.invariants.get(&header).copied().unwrap_or_else(|| terms.tt());
    let old = old_state(ts);
    let now: Vec<Term> = ts.vars.iter().map(|v| v.term).collect();
    let here_old = at_state(ts, here, &old);
    let union = |from: &[Term], to: &[Term]| terms.any(disjuncts.iter().map(|d| relate(ts, d.relation, from, to)));

    for end in &step.ends {
        let premises = premises(&step, end.condition, Some(&here));
        prover.show(&premises, union(&now, &end.state), Condition::StepOutsideRelation, || {
            format!("an iteration of the loop at `{}` is in no disjunct", ts.locs[header].name)
        })?;
        let mut composed = premises;
        composed.extend([here_old, union(&old, &now)]);
        prover.show(&composed, union(&old, &end.state), Condition::RelationNotTransitive, || {
            format!("the relation and an iteration of the loop at `{}` lead out of it", ts.locs[header].name)
        })?;
    }
    for (i, d) in disjuncts.iter().enumerate() {
        let premises = [here_old, here, relate(ts, d.relation, &old, &now)];
        let before = in_state(ts, &d.measure, &old);
        let falls = lexicographic(ts, &before, &d.measure, true);
        let Some(model) = prover.refute(&premises, falls)? else { continue };
        let without_bound = lexicographic(ts, &before, &d.measure, false);
        let only_unbounded = prover.refute(&premises, without_bound)?.is_none();
        let condition = if only_unbounded { Condition::DisjunctUnbounded } else { Condition::DisjunctDoesNotFall };
        let message = format!("disjunct {}: `{}`, {}", i + 1, prover.text(d.relation), prover.state_words(&model));
        return Err(Rejection::new(condition, message));
    }
    Ok(all_assumptions(prover.system))
}

/// Shows what both rules rest on, the invariants and the inner loops; gives the inner loops with their relations.
fn outline_holds<'a>(
    prover: &mut Prover<'a, '_>,
    claim: &Claim,
    header: LocId,
    outline: &Outline,
    cut: &BTreeSet<LocId>,
) -> Result<Vec<(&'a Loop, Term)>, Rejection> {
    let ts = prover.ts();
    let system = prover.system;
    let forest = system.forest();
    invariants::inductive(prover, claim.when, &outline.invariants)?;
    let this = loop_at(system, header)?;
    let mut stand_ins: Vec<(&Loop, Term)> = Vec::new();
    for inner in &outline.inner {
        let name = prover.name(inner.header);
        well_formed(system, inner.relation, "an inner relation", Some(Sort::Bool), true)?;
        let id = loop_at(system, inner.header)?;
        let l = &forest.loops[id];
        let apart = stand_ins.iter().all(|(other, _)| other.body.is_disjoint(&l.body));
        if !forest.is_inside(id, this) || !apart || !l.body.is_disjoint(cut) {
            let message = format!("the loop at `{name}` cannot stand in here");
            return Err(Rejection::new(Condition::InnerNotInside, message));
        }
        if inner.claim.property != Property::Terminates(inner.header) || inner.claim.when != claim.when {
            let message =
                format!("the claim beside it is not that the loop at `{name}` ends for the same initial states");
            return Err(Rejection::new(Condition::InnerNotProved, message));
        }
        check(system, &inner.claim, prover.solver, prover.limit).map_err(|r| match r.condition {
            // What the solver did not answer is not refuted, here as anywhere.
            Condition::SolverUnknown => r,
            _ => Rejection::new(Condition::InnerNotProved, format!("the loop at `{name}`: {r}")),
        })?;

        let here = outline.invariants.get(&inner.header).copied().unwrap_or_else(|| ts.terms.tt());
        let now: Vec<Term> = ts.vars.iter().map(|v| v.term).collect();
        let old = old_state(ts);
        let reflexive = relate(ts, inner.relation, &now, &now);
        prover.show(&[here], reflexive, Condition::InnerNotReflexive, || {
            format!("the relation of the loop at `{name}`")
        })?;
        let own_cut = BTreeSet::from([inner.header]);
        let bounds = Bounds {
            inside: &l.body,
            cut: &own_cut,
            known: &outline.invariants,
            stand_ins: &[],
            on_cycle: Condition::InnerNotClosed,
        };
        no_cycle_avoids(prover, l, &bounds, &Outline::default())?;
        let step = segments::from_location(system, inner.header, &bounds)?;
        for end in &step.ends {
            let mut premises = premises(&step, end.condition, Some(&here));
            premises.extend([at_state(ts, here, &old), relate(ts, inner.relation, &old, &now)]);
            let goal = relate(ts, inner.relation, &old, &end.state);
            prover
                .show(&premises, goal, Condition::InnerNotClosed, || format!("the relation of the loop at `{name}`"))?;
        }
        stand_ins.push((l, inner.relation));
    }
    Ok(stand_ins)
}

/// Shows on the graph that no cycle of the loop avoids the cut, other than those inside loops that stand in.
///
/// The segments from each cut location reject the cycles that they can reach; this looks at all of the loop.
fn no_cycle_avoids(
    prover: &Prover<'_, '_>,
    this: &Loop,
    bounds: &Bounds<'_>,
    outline: &Outline,
) -> Result<(), Rejection> {
    // A run can be in the body of a stand-in without having passed its header: so only the header counts as cut there,
    // and the loops inside the stand-in must be cut on their own.
    let mut cut = bounds.cut.clone();
    cut.extend(outline.inner.iter().map(|i| i.header));
    if let Some(cycle) = lariat_ir::loops::cycle_avoiding(prover.ts(), &this.body, &cut) {
        let names: Vec<&str> = cycle.iter().map(|l| prover.name(*l)).collect();
        return Err(Rejection::new(bounds.on_cycle, format!("the cycle through `{}` does not", names.join("`, `"))));
    }
    Ok(())
}

fn premises(found: &Segments, condition: Term, at_start: Option<&Term>) -> Vec<Term> {
    let mut all = found.side.clone();
    all.push(condition);
    all.extend(at_start);
    all
}

fn shape(prover: &Prover<'_, '_>, measures: &BTreeMap<LocId, Vec<Measure>>) -> Result<(), Rejection> {
    let ts = prover.ts();
    let bad = |message: String| Err(Rejection::new(Condition::MeasureShape, message));
    let Some(first) = measures.values().next() else { return bad("there are no measures".into()) };
    let kind = |m: &Measure| (m.order, ts.terms.sort(m.term));
    for (l, tuple) in measures {
        if tuple.is_empty() {
            return bad(format!("the tuple at `{}` is empty", prover.name(*l)));
        }
        if tuple.iter().map(kind).ne(first.iter().map(kind)) {
            return bad(format!(
                "the tuple at `{}` differs in length, orders or sorts from the others",
                prover.name(*l)
            ));
        }
        for m in tuple {
            well_formed(prover.system, m.term, "a measure", None, false)?;
            match kind(m) {
                (Order::Int, Sort::Int) | (Order::Unsigned | Order::Signed, Sort::BitVec(_)) => {}
                (order, sort) => return bad(format!("the order {order:?} is not one of the sort {sort}")),
            }
        }
    }
    Ok(())
}

fn in_state(ts: &TransitionSystem, tuple: &[Measure], state: &[Term]) -> Vec<Measure> {
    tuple.iter().map(|m| Measure { order: m.order, term: at_state(ts, m.term, state) }).collect()
}

/// Some component falls, from zero or above where it is an integer and `bounded` asks for it; those before do not rise.
fn lexicographic(ts: &TransitionSystem, before: &[Measure], after: &[Measure], bounded: bool) -> Term {
    let terms = &ts.terms;
    let mut ways = Vec::new();
    for i in 0..before.len() {
        let (b, a) = (before[i], after[i]);
        let mut all = vec![match b.order {
            Order::Int => terms.apply(Op::IntLt, &[a.term, b.term]),
            Order::Unsigned => terms.apply(Op::BvUlt, &[a.term, b.term]),
            Order::Signed => terms.apply(Op::BvSlt, &[a.term, b.term]),
        }];
        if b.order == Order::Int && bounded {
            all.push(terms.apply(Op::IntLe, &[terms.int(0), b.term]));
        }
        all.extend((0..i).map(|j| not_above(ts, after[j], before[j])));
        ways.push(terms.all(all));
    }
    terms.any(ways)
}

/// No component rises.
fn no_rise(ts: &TransitionSystem, before: &[Measure], after: &[Measure]) -> Term {
    ts.terms.all(before.iter().zip(after).map(|(b, a)| not_above(ts, *a, *b)))
}

fn not_above(ts: &TransitionSystem, a: Measure, b: Measure) -> Term {
    let op = match b.order {
        Order::Int => Op::IntLe,
        Order::Unsigned => Op::BvUle,
        Order::Signed => Op::BvSle,
    };
    ts.terms.apply(op, &[a.term, b.term])
}

/// A location on a cycle of this graph.
fn on_a_cycle(graph: &BTreeMap<LocId, Vec<LocId>>) -> Option<LocId> {
    graph.keys().copied().find(|&start| {
        let mut seen = BTreeSet::new();
        let mut open = graph[&start].clone();
        while let Some(l) = open.pop() {
            if l == start {
                return true;
            }
            if seen.insert(l) {
                open.extend(graph.get(&l).into_iter().flatten());
            }
        }
        false
    })
}

/// The reason for a cycle of weak steps: whether only the bound is missing.
fn weak_cycle_reason(
    prover: &mut Prover<'_, '_>,
    at: LocId,
    measures: &BTreeMap<LocId, Vec<Measure>>,
    bounds: &Bounds<'_>,
    outline: &Outline,
    message: String,
) -> Result<Rejection, Rejection> {
    let ts = prover.ts();
    let found = segments::from_location(prover.system, at, bounds)?;
    for end in &found.ends {
        let after = in_state(ts, &measures[&end.at], &end.state);
        let premises = premises(&found, end.condition, outline.invariants.get(&at));
        let bounded = prover.refute(&premises, lexicographic(ts, &measures[&at], &after, true))?.is_none();
        let falls = prover.refute(&premises, lexicographic(ts, &measures[&at], &after, false))?.is_none();
        if falls && !bounded {
            let message = format!("{message}: it falls without a bound from `{}`", prover.name(at));
            return Ok(Rejection::new(Condition::MeasureUnbounded, message));
        }
    }
    Ok(Rejection::new(Condition::CycleWithoutFall, message))
}
