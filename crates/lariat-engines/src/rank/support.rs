//! Invariants that support a ranking: bounds of linear forms at the cutpoints.
//!
//! The forms are fixed beforehand, the variables and what the guards compare; their bounds are found by value iteration
//! over the steps of the system, each step one linear program (template constraint domains: Sankaranarayanan, Sipma and
//! Manna). Bounds that keep moving jump to the next constant of the program, then away; at the end the bounds are computed
//! once more from themselves, which can only strengthen them and keeps them inductive. The checker shows again that they are.

use super::case::{Case, Goal};
use super::encode::Encoder;
use super::form::Form;
use super::measure;
use super::paths::{Detail, Region, read, relevant, steps};
use super::relation::{Constraint, Relation, restrict};
use super::synth::Function;
use crate::engine::Task;
use crate::linear::Reading;
use crate::lp::{Optimum, Rational, Simplex};
use dashu_int::IBig;
use lariat_ir::{LocId, Op, Role, Sort, Term, TransitionSystem};
use std::collections::{BTreeMap, BTreeSet};

/// More forms than this are not watched.
const MOST_FORMS: usize = 48;
/// Bounds may move freely for this many rounds.
const PATIENCE: usize = 3;
/// After this many rounds every bound that still moves is given up.
const LAST_THRESHOLD: usize = 8;

/// What holds at the cutpoints before and in a loop.
pub(crate) fn invariants(task: &Task<'_>, encoder: &Encoder<'_>) -> BTreeMap<LocId, Term> {
    let ts = task.ts;
    let mut known = BTreeMap::new();
    let (cutpoints, body) = leading_to(task);
    let dimensions: Vec<Term> = watched(ts, &task.this().body).into_iter().collect();
    if dimensions.is_empty() {
        return known;
    }
    // The first round finds the ranges of types; knowing them, the second sees that most sums do not wrap.
    for splits in [0, 2] {
        if encoder.out_of_time() {
            break;
        }
        let region = Region { cutpoints: &cutpoints, body: &body, invariants: &known, dimensions: &dimensions };
        let Ok(mut relations) = steps(encoder, &region, Detail { splits, most_steps: 200 }) else { break };
        relations.extend(first_states(encoder, &region));
        let forms = forms(encoder, &dimensions, &task.this().body);
        let thresholds = thresholds(ts);
        let Some(bounds) = iterate(encoder, cutpoints.len(), &forms, &thresholds, &relations) else { break };
        let mut next = BTreeMap::new();
        for (i, l) in cutpoints.iter().enumerate() {
            let all: Vec<Term> = match &bounds[i] {
                None => vec![ts.terms.ff()],
                Some(bounds) => forms
                    .iter()
                    .zip(bounds)
                    .filter_map(|(f, b)| at_least(encoder, &dimensions, f, b.as_ref()?))
                    .collect(),
            };
            let all = all.into_iter().chain(known.get(l).copied().into_iter().flat_map(|k| ts.terms.conjuncts(k)));
            let distinct: BTreeSet<Term> = all.collect();
            if !distinct.is_empty() {
                next.insert(*l, ts.terms.all(distinct));
            }
        }
        if next == known {
            break;
        }
        known = next;
    }
    if !task.forest.cutpoints().contains(&ts.entry) {
        known.remove(&ts.entry);
    }
    known
}

/// The entry and the cutpoints from which the loop can be reached or that lie in it, and all such locations.
fn leading_to(task: &Task<'_>) -> (Vec<LocId>, BTreeSet<LocId>) {
    let ts = task.ts;
    let mut found: BTreeSet<LocId> = task.this().body.clone();
    loop {
        let before = found.len();
        for e in &ts.edges {
            if found.contains(&e.to) {
                found.insert(e.from);
            }
        }
        if found.len() == before {
            break;
        }
    }
    let mut all: BTreeSet<LocId> = task.forest.cutpoints().into_iter().filter(|l| found.contains(l)).collect();
    all.insert(ts.entry);
    (all.into_iter().collect(), found)
}

/// The variables that matter in the loop, and those that their values come from.
fn watched(ts: &TransitionSystem, body: &BTreeSet<LocId>) -> BTreeSet<Term> {
    let mut found: BTreeSet<Term> = relevant(ts, body).into_iter().map(|v| ts.vars[v].term).collect();
    let mut open: Vec<Term> = found.iter().copied().collect();
    while let Some(t) = open.pop() {
        for (v, new) in ts.edges.iter().flat_map(|e| &e.updates) {
            if ts.vars[*v].term != t {
                continue;
            }
            for s in ts.terms.symbols(*new) {
                let scalar = !matches!(ts.terms.sort(s), Sort::Array(..));
                if scalar && matches!(ts.terms.role(s), Some(Role::Var(_))) && found.insert(s) {
                    open.push(s);
                }
            }
        }
    }
    found
}

/// The initial states as steps into the entry.
fn first_states(encoder: &Encoder<'_>, region: &Region<'_>) -> Vec<Relation> {
    let ts = encoder.ts;
    let to = region.cutpoints.iter().position(|c| *c == ts.entry).expect("the entry is among them");
    let mut case = Case::new(encoder.deadline);
    case.goals.extend(region.dimensions.iter().map(|d| Goal::Value(*d, encoder.reading(*d))));
    case.assume(ts.init, true);
    let mut out = Vec::new();
    for mut case in case.settle(encoder, &mut 4) {
        let here: Vec<_> = region.dimensions.iter().map(|d| read(encoder, &mut case, *d, *d)).collect();
        out.push(case.relation(START, to, here.clone(), here));
    }
    out
}

/// Where the initial states come from.
const START: usize = usize::MAX;

/// The linear forms to watch: each dimension from both sides, and what the loop's guards compare.
fn forms(encoder: &Encoder<'_>, dimensions: &[Term], body: &BTreeSet<LocId>) -> Vec<Function> {
    let ts = encoder.ts;
    let terms = &ts.terms;
    let mut all: Vec<Function> = Vec::new();
    let mut add = |f: Function| {
        if f.weights.iter().all(Rational::is_zero) || all.len() >= MOST_FORMS {
            return;
        }
        for g in [Function { weights: f.weights.iter().map(Rational::negated).collect(), ..f.clone() }, f] {
            if !all.contains(&g) {
                all.push(g);
            }
        }
    };
    for d in 0..dimensions.len() {
        let mut f = Function::constant(dimensions.len(), 0);
        f.weights[d] = Rational::ONE;
        add(f);
    }
    let mut case = Case::new(encoder.deadline);
    case.lenient = true;
    let columns: Vec<Option<usize>> = dimensions
        .iter()
        .map(|d| encoder.value(&mut case, *d, encoder.reading(*d)).ok().and_then(|f| Some(f.parts.first()?.0)))
        .collect();
    let edges = ts.edges.iter().filter(|e| body.contains(&e.from));
    let guards: Vec<Term> = edges.map(|e| e.guard).collect();
    for t in terms.reachable(&guards) {
        let node = terms.node(t);
        let reading = match node.op {
            Op::IntLt | Op::IntLe | Op::BvSlt | Op::BvSle => Reading::Signed,
            Op::BvUlt | Op::BvUle => Reading::Unsigned,
            Op::Eq if matches!(terms.sort(node.args()[0]), Sort::Int) => Reading::Signed,
            _ => continue,
        };
        let (Ok(a), Ok(b)) =
            (encoder.value(&mut case, node.args()[0], reading), encoder.value(&mut case, node.args()[1], reading))
        else {
            continue;
        };
        let difference = b.sub(&a).tightened();
        let mut f = Function::constant(dimensions.len(), 0);
        let of = |c: usize| columns.iter().position(|k| *k == Some(c));
        if difference.parts.iter().all(|(c, _)| of(*c).is_some()) {
            for (c, w) in &difference.parts {
                f.weights[of(*c).expect("looked up before")] = w.clone();
            }
            add(f);
        }
    }
    all
}

/// The constants of the system and their neighbours, both signs, in ascending order.
fn thresholds(ts: &TransitionSystem) -> Vec<IBig> {
    let mut found: BTreeSet<IBig> = (-1..=1).map(IBig::from).collect();
    let mut roots: Vec<Term> = ts.edges.iter().map(|e| e.guard).collect();
    roots.extend(ts.edges.iter().flat_map(|e| e.updates.iter().map(|u| u.1)));
    for t in ts.terms.reachable(&roots) {
        let values: Vec<IBig> = match ts.terms.constant_value(t) {
            Some(lariat_ir::Value::Int(i)) => vec![i],
            Some(lariat_ir::Value::Bv(b)) => vec![IBig::from(b.signed()), IBig::from(b.unsigned())],
            _ => continue,
        };
        for c in values {
            for by in -1i32..=1 {
                found.insert(&c + by);
                found.insert(IBig::from(-by) - &c);
            }
        }
    }
    for (l, g) in ts.unknowns.iter().filter_map(|u| u.range.as_ref()) {
        found.extend([l.clone(), -g]);
    }
    found.into_iter().collect()
}

/// The lower bound of each form, or none; nothing for a node that no run comes to.
type Bounds = Option<Vec<Option<IBig>>>;

fn iterate(
    encoder: &Encoder<'_>,
    nodes: usize,
    forms: &[Function],
    thresholds: &[IBig],
    relations: &[Relation],
) -> Option<Vec<Bounds>> {
    let mut bounds: Vec<Bounds> = vec![None; nodes];
    let mut changed: BTreeSet<usize> = BTreeSet::from([START]);
    let mut round = 0;
    while !changed.is_empty() {
        let mut next = BTreeSet::new();
        for r in relations.iter().filter(|r| changed.contains(&r.from)) {
            if encoder.out_of_time() {
                return None;
            }
            let old = bounds[r.to].clone();
            let Some(found) = after(encoder, r, &bounds, forms, old.as_ref())? else { continue };
            let joined = match old {
                None => found,
                Some(ref old) => join(old, &found, thresholds, round),
            };
            if Some(&joined) != bounds[r.to].as_ref() {
                bounds[r.to] = Some(joined);
                next.insert(r.to);
            }
        }
        changed = next;
        round += 1;
    }
    // Once more from themselves: what follows from inductive bounds is inductive.
    for _ in 0..2 {
        let mut again: Vec<Bounds> = vec![None; nodes];
        for r in relations {
            let Some(found) = after(encoder, r, &bounds, forms, None)? else { continue };
            again[r.to] = Some(match &again[r.to] {
                None => found,
                Some(old) => old.iter().zip(&found).map(|(a, b)| Some(a.clone()?.min(b.clone()?))).collect(),
            });
        }
        if again == bounds {
            break;
        }
        bounds = again;
    }
    for here in bounds.iter_mut().flatten() {
        without_redundant(encoder, forms, here);
    }
    Some(bounds)
}

/// Gives up the bounds that follow from the others, those of sums first.
fn without_redundant(encoder: &Encoder<'_>, forms: &[Function], bounds: &mut [Option<IBig>]) {
    let columns = forms.first().map_or(0, |f| f.weights.len());
    let form = |f: &Function, c: &IBig| {
        let parts = (0..columns).map(|i| (i, f.weights[i].clone())).filter(|p| !p.1.is_zero()).collect();
        Form { parts, constant: Rational::int(&-c) }
    };
    for k in (0..forms.len()).rev() {
        let Some(mine) = &bounds[k] else { continue };
        let mut lp = Simplex::new(2000, encoder.deadline);
        for _ in 0..columns {
            lp.column(None, None);
        }
        for (i, f) in forms.iter().enumerate() {
            if let Some(b) = bounds[i].as_ref().filter(|_| i != k) {
                restrict(&mut lp, &Constraint::at_least_zero(form(f, b)));
            }
        }
        let below = form(&forms[k], mine).negated().shifted(-1);
        restrict(&mut lp, &Constraint::at_least_zero(below));
        if lp.feasible() == crate::lp::Outcome::Infeasible {
            bounds[k] = None;
        }
    }
}

fn join(old: &[Option<IBig>], new: &[Option<IBig>], thresholds: &[IBig], round: usize) -> Vec<Option<IBig>> {
    let pair = |(a, b): (&Option<IBig>, &Option<IBig>)| {
        let (a, b) = (a.as_ref()?, b.as_ref()?);
        if a <= b {
            Some(a.clone())
        } else if round < PATIENCE {
            Some(b.clone())
        } else if round < LAST_THRESHOLD {
            thresholds.iter().rev().find(|t| *t <= b).cloned()
        } else {
            None
        }
    };
    old.iter().zip(new).map(pair).collect()
}

/// The bounds after a step; inner nothing if it is impossible, outer nothing if that could not be found out.
#[expect(clippy::option_option, reason = "the inner one is part of the answer")]
fn after(
    encoder: &Encoder<'_>,
    r: &Relation,
    bounds: &[Bounds],
    forms: &[Function],
    old: Option<&Vec<Option<IBig>>>,
) -> Option<Option<Vec<Option<IBig>>>> {
    let mut lp = r.program(20_000, encoder.deadline);
    if r.from != START {
        let Some(here) = &bounds[r.from] else { return Some(None) };
        for (f, b) in forms.iter().zip(here) {
            if let Some(b) = b {
                let form = r.function_before(&f.weights, &Rational::int(&-b));
                restrict(&mut lp, &Constraint::at_least_zero(form));
            }
        }
    }
    match lp.feasible() {
        crate::lp::Outcome::Feasible => {}
        crate::lp::Outcome::Infeasible => return Some(None),
        crate::lp::Outcome::GaveUp => return None,
    }
    let mut found = Vec::with_capacity(forms.len());
    for (k, f) in forms.iter().enumerate() {
        // A bound that is given up already stays so.
        if old.is_some_and(|o| o[k].is_none()) {
            found.push(None);
            continue;
        }
        let form = r.function_after(&f.weights, &Rational::ZERO);
        if form.parts.is_empty() {
            found.push(Some(form.constant.ceil()));
            continue;
        }
        let negative: Vec<_> = form.parts.iter().map(|(c, w)| (*c, w.negated())).collect();
        let row = lp.row(&negative);
        let optimum = lp.maximise(row);
        lp.drop_last_row(row);
        found.push(match optimum {
            Optimum::At(v) => Some(form.constant.minus(&v).ceil()),
            Optimum::Unbounded => None,
            Optimum::Infeasible => return Some(None),
            Optimum::GaveUp => return None,
        });
    }
    Some(Some(found))
}

/// That a form is at least a bound, as a term; nothing if the type says so anyway, or it cannot be written.
fn at_least(encoder: &Encoder<'_>, dimensions: &[Term], f: &Function, bound: &IBig) -> Option<Term> {
    let ts = encoder.ts;
    let t = &ts.terms;
    let used: Vec<(Term, &Rational)> =
        dimensions.iter().copied().zip(&f.weights).filter(|(_, w)| !w.is_zero()).collect();
    if let [(d, w)] = used.as_slice() {
        let rises = w.is_positive();
        match t.sort(*d) {
            Sort::Bool => {
                let one = *bound > IBig::ZERO;
                let none = !rises && *bound == IBig::ZERO;
                return if one { Some(*d) } else { none.then(|| t.not(*d)) };
            }
            Sort::BitVec(width) => {
                let reading = encoder.reading(*d);
                let (least, greatest) = super::encode::range_of(width, reading);
                let value = if rises { bound.clone() } else { -bound };
                if (rises && value <= least) || (!rises && value >= greatest) {
                    return None;
                }
                let constant = t.value(&lariat_ir::Value::Bv(lariat_ir::Bits::from_int(width, &value)));
                let op = if reading == Reading::Signed { Op::BvSle } else { Op::BvUle };
                return Some(if rises { t.apply(op, &[constant, *d]) } else { t.apply(op, &[*d, constant]) });
            }
            Sort::Int => {
                let value = if rises { bound.clone() } else { -bound };
                let constant = t.int(value);
                return Some(if rises {
                    t.apply(Op::IntLe, &[constant, *d])
                } else {
                    t.apply(Op::IntLe, &[*d, constant])
                });
            }
            Sort::Array(..) => return None,
        }
    }
    let shifted = Function { weights: f.weights.clone(), constant: Rational::int(&-bound) };
    let m = measure::single(ts, encoder, dimensions, &shifted)?;
    let zero = t.value(&lariat_ir::Value::zero(t.sort(m.term)));
    let op = if t.sort(m.term) == Sort::Int { Op::IntLe } else { Op::BvSle };
    Some(t.apply(op, &[zero, m.term]))
}
