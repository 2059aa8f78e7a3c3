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
use super::model::{Model, START};
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

/// The steps of a system up to and in a loop, and what is known at its cutpoints.
pub(crate) struct Analysis {
    /// The steps.
    pub model: Model,
    /// The forms whose bounds are watched.
    pub forms: Vec<Function>,
    /// Constants that bounds may rest at.
    thresholds: Vec<IBig>,
    /// What the steps rely on.
    pub relied_on: BTreeMap<LocId, Term>,
    /// The headers among the cutpoints.
    headers: BTreeSet<LocId>,
}

impl Analysis {
    /// Lists the steps; nothing if they are too many. `given` holds at the cutpoints and is inductive by itself.
    pub fn new(task: &Task<'_>, encoder: &Encoder<'_>, given: &BTreeMap<LocId, Term>) -> Option<Self> {
        Self::of_cells(task, encoder, given, &[], &[])
    }

    /// The same, with the states at some cutpoints of the loop divided into cells, which cover them, and with functions that are
    /// watched, too. The numbers of the model's nodes are in the order of the cutpoints, then of the cells.
    pub fn of_cells(
        task: &Task<'_>,
        encoder: &Encoder<'_>,
        given: &BTreeMap<LocId, Term>,
        cells: &[(LocId, Term)],
        also: &[Function],
    ) -> Option<Self> {
        let ts = task.ts;
        let (mut cutpoints, body) = leading_to(task);
        cutpoints.retain(|c| cells.iter().all(|(l, _)| l != c));
        let mut inside: Vec<Term> = if cells.is_empty() { Vec::new() } else { vec![ts.terms.tt(); cutpoints.len()] };
        cutpoints.extend(cells.iter().map(|c| c.0));
        inside.extend(cells.iter().map(|c| c.1));
        let dimensions: Vec<Term> = watched(ts, &task.this().body).into_iter().collect();
        let mut relied_on = given.clone();
        let list = |known: &BTreeMap<LocId, Term>, splits: usize| {
            let region = Region {
                cutpoints: &cutpoints,
                cells: &inside,
                body: &body,
                invariants: known,
                dimensions: &dimensions,
            };
            let mut relations = steps(encoder, &region, Detail { splits, most_steps: 160 }).ok()?;
            relations.extend(first_states(encoder, &region));
            Some(relations)
        };
        encoder.forget_losses();
        let relations = list(&relied_on, 0)?;
        let mut model = Model::new(dimensions.clone(), &cutpoints, relations);
        for (node, cell) in model.nodes.iter_mut().zip(&inside) {
            node.inside = Some(*cell).filter(|c| *c != ts.terms.tt());
        }
        let watched = |relations: &[Relation]| {
            let mut all = forms(encoder, &dimensions, &body, relations);
            let more: Vec<Function> = also.iter().filter(|f| !all.contains(f)).cloned().collect();
            all.extend(more);
            all
        };
        let mut this = Self {
            forms: watched(&model.relations),
            thresholds: thresholds(ts),
            model,
            relied_on: relied_on.clone(),
            headers: task.forest.cutpoints(),
        };
        // Knowing the ranges of types, a second look sees that most sums do not wrap.
        if encoder.had_losses() {
            let bounds = this.bounds(encoder, &this.model)?;
            relied_on = this.invariants(encoder, &this.model, &bounds);
            if let Some(relations) = list(&relied_on, 6).or_else(|| list(&relied_on, 0)) {
                this.forms = watched(&relations);
                this.model.relations = relations;
                this.relied_on = relied_on;
                this.relied_on.retain(|l, _| this.headers.contains(l));
            }
        }
        Some(this)
    }

    /// The bounds at each node of a model that was made from this one.
    pub fn bounds(&self, encoder: &Encoder<'_>, model: &Model) -> Option<Vec<Bounds>> {
        iterate(encoder, model.nodes.len(), &self.forms, &self.thresholds, &model.relations)
    }

    /// The bounds as invariants of the cutpoints.
    pub fn invariants(&self, encoder: &Encoder<'_>, model: &Model, bounds: &[Bounds]) -> BTreeMap<LocId, Term> {
        let t = &encoder.ts.terms;
        let mut all: BTreeMap<LocId, Vec<Term>> = BTreeMap::new();
        for (node, here) in model.nodes.iter().zip(bounds) {
            let cells = all.entry(node.at).or_default();
            let Some(bounds) = here else { continue };
            let zero = IBig::ZERO;
            let cell = node.cell.iter().map(|f| (f, &zero));
            let known = self.forms.iter().zip(bounds).filter_map(|(f, b)| Some((f, b.as_ref()?)));
            let linear = cell.chain(known).filter_map(|(f, b)| at_least(encoder, &model.dimensions, f, b));
            let parts: BTreeSet<Term> = node.inside.into_iter().chain(linear).collect();
            cells.push(t.all(parts));
        }
        let mut invariants = self.relied_on.clone();
        for (l, cells) in all {
            let mine = t.any(cells);
            if mine == t.tt() {
                continue;
            }
            let before = invariants.get(&l).copied();
            let both: BTreeSet<Term> = before.into_iter().chain([mine]).flat_map(|k| t.conjuncts(k)).collect();
            invariants.insert(l, t.all(both));
        }
        invariants
    }

    /// Whether a location is the header of a loop: only there invariants are worth claiming.
    pub fn is_header(&self, l: LocId) -> bool {
        self.headers.contains(&l)
    }

    /// The steps of a model with the bounds at their start; none from where no run comes.
    pub fn strengthened(&self, model: &Model, bounds: &[Bounds]) -> Model {
        let mut relations = Vec::new();
        for r in model.relations.iter().filter(|r| r.from != START) {
            let Some(here) = &bounds[r.from] else { continue };
            let mut r = r.clone();
            for (f, b) in self.forms.iter().zip(here) {
                if let Some(b) = b {
                    let form = r.function_before(&f.weights, &Rational::int(&-b));
                    r.constraints.push(Constraint::at_least_zero(form));
                }
            }
            r.simplify();
            relations.push(r);
        }
        Model { relations, ..model.clone() }
    }
}

/// The entry and the cutpoints from which the loop can be reached or that lie in it, and all such locations.
fn leading_to(task: &Task<'_>) -> (Vec<LocId>, BTreeSet<LocId>) {
    let ts = task.ts;
    // What holds at a location must hold on every way to it: so all ways to the entry count, too.
    let mut found: BTreeSet<LocId> = task.this().body.clone();
    found.insert(ts.entry);
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
    let mut found = relevant(ts, body);
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
    let mut out = Vec::new();
    for to in (0..region.cutpoints.len()).filter(|i| region.cutpoints[*i] == ts.entry) {
        let mut case = Case::new(&encoder.clock);
        case.goals.extend(region.dimensions.iter().map(|d| Goal::Value(*d, encoder.reading(*d))));
        case.assume(ts.init, true);
        if let Some(cell) = region.cell(to) {
            case.assume(cell, true);
        }
        for mut case in case.settle(encoder, &mut 4) {
            let here: Vec<_> = region.dimensions.iter().map(|d| read(encoder, &mut case, *d, *d)).collect();
            out.push(case.relation(START, to, here.clone(), here));
        }
    }
    out
}

/// The linear forms to watch: each dimension from both sides, what guards compare, and by how much steps change
/// dimensions.
fn forms(encoder: &Encoder<'_>, dimensions: &[Term], body: &BTreeSet<LocId>, relations: &[Relation]) -> Vec<Function> {
    let mut all: Vec<Function> = Vec::new();
    let mut add = |f: Function| {
        if f.weights.iter().all(Rational::is_zero) || all.len() >= MOST_FORMS {
            return;
        }
        let f = Function { constant: Rational::ZERO, ..f };
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
    compared(encoder, dimensions, body).into_iter().for_each(&mut add);
    relations.iter().flat_map(conditions).for_each(&mut add);
    relations.iter().flat_map(consequences).for_each(&mut add);
    all
}

/// The conditions of a step that speak of the dimensions before it, and by how much it changes each of them.
pub(crate) fn conditions(r: &Relation) -> Vec<Function> {
    let changes = r.before.iter().zip(&r.after).map(|(b, a)| a.sub(b).tightened());
    let guards = r.constraints.iter().map(|c| c.form.clone());
    changes.chain(guards).filter_map(|f| over(&r.before, &f)).collect()
}

/// What a step's conditions say of the dimensions after it.
fn consequences(r: &Relation) -> Vec<Function> {
    r.constraints.iter().filter_map(|c| over(&r.after, &c.form)).collect()
}

/// A form as a function of the dimensions, where its columns are dimensions.
fn over(dimensions: &[Form], form: &Form) -> Option<Function> {
    let mut f = Function::constant(dimensions.len(), 0);
    f.constant = form.constant.clone();
    for (c, w) in &form.parts {
        let d = dimensions.iter().position(|k| k.as_column() == Some(*c))?;
        f.weights[d] = w.clone();
    }
    (!form.parts.is_empty()).then_some(f)
}

/// What the guards of these locations compare, where it is linear.
fn compared(encoder: &Encoder<'_>, dimensions: &[Term], body: &BTreeSet<LocId>) -> Vec<Function> {
    let ts = encoder.ts;
    let terms = &ts.terms;
    let mut all = Vec::new();
    let mut case = Case::new(&encoder.clock);
    case.lenient = true;
    let columns: Vec<Option<usize>> = dimensions
        .iter()
        .map(|d| encoder.value(&mut case, *d, encoder.reading(*d)).ok().and_then(|f| f.as_column()))
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
            all.push(f);
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
pub(crate) type Bounds = Option<Vec<Option<IBig>>>;

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
        let mut lp = Simplex::new(50_000, &encoder.clock);
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
    let mut lp = r.program(500_000, &encoder.clock);
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
pub(crate) fn at_least(encoder: &Encoder<'_>, dimensions: &[Term], f: &Function, bound: &IBig) -> Option<Term> {
    let ts = encoder.ts;
    let t = &ts.terms;
    let scale = f.weights.iter().find(|w| !w.is_zero())?.magnitude();
    let alone = f.weights.iter().filter(|w| !w.is_zero()).count() == 1;
    if alone && (scale != Rational::ONE || !f.constant.is_zero()) {
        // w x + c >= b is x >= (b - c) / w, rounded up.
        let plain = Function { weights: f.weights.iter().map(|w| w.over(&scale)).collect(), constant: Rational::ZERO };
        let bound = Rational::int(bound).minus(&f.constant).over(&scale).ceil();
        return at_least(encoder, dimensions, &plain, &bound);
    }
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
    let shifted = Function { weights: f.weights.clone(), constant: f.constant.minus(&Rational::int(bound)) };
    let m = measure::single(ts, encoder, dimensions, &shifted)?;
    let zero = t.value(&lariat_ir::Value::zero(t.sort(m.term)));
    let op = if t.sort(m.term) == Sort::Int { Op::IntLe } else { Op::BvSle };
    Some(t.apply(op, &[zero, m.term]))
}
