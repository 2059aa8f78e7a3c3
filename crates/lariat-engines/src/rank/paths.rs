//! The steps between cutpoints, path by path and case by case.

use super::case::{Case, Goal};
use super::encode::{Encoder, LARGEST_DIVISOR};
use super::form::Form;
use super::relation::Relation;
use crate::engine::NoClaim;
use crate::path::{SymbolicPath, in_state};
use lariat_ir::simplify::simplify;
use lariat_ir::{LocId, Op, Role, Sort, Term, TransitionSystem};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// How finely to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// How often one path may be split into cases, beyond what is forced.
    pub splits: usize,
    /// More steps than this are too many.
    pub most_steps: usize,
}

/// Where steps begin and end.
pub(crate) struct Region<'a> {
    /// The cutpoints; a step's ends are indices into this list. A location may occur several times, with different cells.
    pub cutpoints: &'a [LocId],
    /// For each cutpoint the states that it stands for, all if the list is empty. The cells of a location cover its states.
    pub cells: &'a [Term],
    /// Steps stay inside these locations.
    pub body: &'a BTreeSet<LocId>,
    /// What holds at locations.
    pub invariants: &'a BTreeMap<LocId, Term>,
    /// What is observed of the state: terms over the variables.
    pub dimensions: &'a [Term],
}

impl Region<'_> {
    /// What holds in the states that a cutpoint stands for.
    pub fn cell(&self, nth: usize) -> Option<Term> {
        self.cells.get(nth).copied()
    }
}

/// All steps of a region as relations, or why not.
pub(crate) fn steps(encoder: &Encoder<'_>, region: &Region<'_>, detail: Detail) -> Result<Vec<Relation>, NoClaim> {
    let mut found = Found { relations: Vec::new(), seen: HashSet::new() };
    for (from, &start) in region.cutpoints.iter().enumerate() {
        from_cutpoint(encoder, region, detail, from, start, &mut found)?;
    }
    Ok(found.relations)
}

struct Found {
    relations: Vec<Relation>,
    seen: HashSet<Relation>,
}

fn from_cutpoint(
    encoder: &Encoder<'_>,
    region: &Region<'_>,
    detail: Detail,
    from: usize,
    start: LocId,
    found: &mut Found,
) -> Result<(), NoClaim> {
    let ts = encoder.ts;
    let mut case = Case::new(&encoder.clock);
    case.goals.extend(region.dimensions.iter().map(|d| Goal::Value(*d, encoder.reading(*d))));
    if let Some(known) = region.invariants.get(&start) {
        case.assume(*known, true);
    }
    if let Some(cell) = region.cell(from) {
        case.assume(cell, true);
    }
    let mut open: Vec<(SymbolicPath, Case)> = Vec::new();
    for case in case.settle(encoder, &mut detail.splits.clone()) {
        open.push((SymbolicPath::at(ts, start), case));
    }
    while let Some((path, case)) = open.pop() {
        for &e in ts.locs[path.end].out.iter().rev() {
            let to = ts.edges[e].to;
            if to.is_sink() || !region.body.contains(&to) {
                continue;
            }
            if encoder.out_of_time() {
                return Err(NoClaim::OutOfTime("the time was up while its paths were listed".to_owned()));
            }
            if open.len() + found.relations.len() > detail.most_steps {
                return Err(format!("it has more than {} ways between its cutpoints", detail.most_steps).into());
            }
            let next = path.then(ts, e);
            let ends: Vec<usize> = (0..region.cutpoints.len()).filter(|i| region.cutpoints[*i] == to).collect();
            let mut case = case.clone();
            for c in &next.conditions[path.conditions.len()..] {
                case.assume(*c, true);
            }
            for o in &next.unknowns[path.unknowns.len()..] {
                let range = ts.range_condition(o.unknown, o.term);
                case.assume(range, true);
            }
            if let Some(known) = region.invariants.get(&to) {
                case.assume(in_state(ts, *known, &next.state), true);
            }
            // All conditions first: what they say makes values exact.
            let cases = case.settle(encoder, &mut detail.splits.clone());
            if ends.is_empty() {
                open.extend(cases.into_iter().map(|c| (next.clone(), c)));
            } else {
                let after: Vec<Term> =
                    region.dimensions.iter().map(|d| simplify(&ts.terms, in_state(ts, *d, &next.state))).collect();
                for to in ends {
                    let inside = region.cell(to).map(|cell| simplify(&ts.terms, in_state(ts, cell, &next.state)));
                    for case in &cases {
                        arrive(encoder, region, detail, (from, to), inside, &after, case.clone(), found);
                    }
                }
            }
        }
    }
    Ok(())
}

/// The relations of one case of a path whose end lies in a cell.
#[expect(clippy::too_many_arguments, reason = "it is one step of a loop that would be too long")]
fn arrive(
    encoder: &Encoder<'_>,
    region: &Region<'_>,
    detail: Detail,
    (from, to): (usize, usize),
    inside: Option<Term>,
    after: &[Term],
    mut case: Case,
    found: &mut Found,
) {
    let mut cases = vec![case.clone()];
    if let Some(inside) = inside {
        case.assume(inside, true);
        cases = case.settle(encoder, &mut detail.splits.clone());
    }
    let dimensions = || region.dimensions.iter().zip(after);
    for mut case in cases {
        case.goals.extend(dimensions().map(|(d, a)| Goal::Value(*a, encoder.reading(*d))));
        for mut case in case.settle(encoder, &mut detail.splits.clone()) {
            let mut before = Vec::new();
            let mut later = Vec::new();
            for (d, a) in dimensions() {
                before.push(read(encoder, &mut case, *d, *d));
                later.push(read(encoder, &mut case, *a, *d));
            }
            let relation = case.relation(from, to, before, later);
            if found.seen.insert(relation.clone()) {
                found.relations.push(relation);
            }
        }
    }
}

/// The form of a term, which the goals have made sure of; where time ran out, a column.
pub(crate) fn read(encoder: &Encoder<'_>, case: &mut Case, t: Term, dimension: Term) -> Form {
    case.lenient = true;
    let form = encoder.value(case, t, encoder.reading(dimension));
    form.unwrap_or_else(|_| Form::column(case.column(None, None)))
}

/// What matters for whether the region is left: the variables in its guards, closed under dependence, and the cells and
/// remainders that its guards speak of.
pub(crate) fn relevant(ts: &TransitionSystem, body: &BTreeSet<LocId>) -> BTreeSet<Term> {
    let terms = &ts.terms;
    let edges: Vec<_> = ts.edges.iter().filter(|e| body.contains(&e.from) && body.contains(&e.to)).collect();
    let guards: Vec<Term> = edges.iter().map(|e| e.guard).collect();
    let mut seen: BTreeSet<Term> = BTreeSet::new();
    let mut open = guards.clone();
    while let Some(t) = open.pop() {
        for s in terms.symbols(t) {
            if let Some(Role::Var(v)) = terms.role(s)
                && seen.insert(s)
            {
                open.extend(edges.iter().flat_map(|e| &e.updates).filter(|u| u.0 == v).map(|u| u.1));
            }
        }
    }
    seen.retain(|s| !matches!(terms.sort(*s), Sort::Array(..)));
    seen.extend(observed(ts, &guards));
    seen
}

/// Cells of arrays, and remainders by small constants, that occur in some conditions.
fn observed(ts: &TransitionSystem, conditions: &[Term]) -> Vec<Term> {
    let terms = &ts.terms;
    // A term over the variables, none of them an array; cells of arrays where they are allowed.
    let plain = |t: Term, cells: bool| {
        terms.reachable(&[t]).iter().all(|u| match terms.role(*u) {
            Some(Role::Var(_)) => cells || !matches!(terms.sort(*u), Sort::Array(..)),
            Some(_) => false,
            None => match terms.node(*u).op {
                Op::Select => cells,
                Op::Store | Op::Fill(_) | Op::IntMod | Op::Ite => false,
                _ => true,
            },
        })
    };
    let wanted = |t: &Term| {
        let node = terms.node(*t);
        match node.op {
            Op::Select => matches!(terms.role(node.args()[0]), Some(Role::Var(_))) && plain(node.args()[1], false),
            Op::IntMod => {
                let divisor = terms.constant_value(node.args()[1]);
                let small = divisor.is_some_and(|d| (2..=LARGEST_DIVISOR).any(|k| *d.as_int() == k.into()));
                // What is read of a narrow cell is a remainder, too.
                let of_cell = || terms.reachable(&[node.args()[0]]).iter().any(|u| terms.node(*u).op == Op::Select);
                plain(node.args()[0], true) && (small || of_cell())
            }
            _ => false,
        }
    };
    terms.reachable(conditions).into_iter().filter(wanted).take(MOST_OBSERVED).collect()
}

/// More cells and remainders than this are not watched.
const MOST_OBSERVED: usize = 6;
