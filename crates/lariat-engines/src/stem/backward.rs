//! The way into a set of states, from behind: under which condition a run from an earlier place comes into it.
//!
//! Guards and updates are taken back edge by edge. What is left speaks of the variables at the earlier place and of the unknowns
//! on the way, which are symbols of their own. Rounds of a loop are taken back together, by the closed form of a path around
//! it, with their number as one more symbol: a loop of a thousand rounds is one leg. At the entry the solver gives a first
//! state, inputs and numbers of rounds.
//!
//! *Why what is found is right:* nothing of this is relied on. With a closed form a path's condition is asked for in the first and in
//! the last round only, and what has no form is forgotten. So the run is made, step by step, with the values of the model:
//! it counts if it takes the planned steps and ends in the set. What of its first state decides that is read off it
//! (`symex::reads`); where the environment has a say, it is no use. The checker replays it again.

use super::Stem;
use crate::choices::{self, PathChoice};
use crate::closed_form::ClosedForm;
use crate::engine::EngineCx;
use crate::path::{SymbolicPath, around, in_state, speaks_of_variables};
use crate::symex::concrete::Runner;
use crate::symex::paths::{Witness, leads_to, start_of, too_hard, value_of};
use crate::symex::reads::fixed_at_start;
use lariat_ir::simplify::simplify;
use lariat_ir::{
    EdgeId, Id, LocId, LoopForest, Machine, Move, Op, Role, Sort, Term, TransitionSystem, UnknownId, UnknownKind,
    Value, VarId,
};
use lariat_smt::{Answer, Solver};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet};
use std::rc::Rc;

/// Steps of a run.
const MOST_STEPS: usize = 20_000;
/// Larger conditions are not taken further back.
const MOST_NODES: usize = 3000;

/// A part of the way.
enum Leg {
    /// One edge, with the symbols of its unknowns.
    Step { edge: EdgeId, unknowns: Vec<(UnknownId, Term)> },
    /// A path around a loop, once and then as many more times as the symbol says.
    Rounds { round: Rc<Round>, more: Term },
}

/// A way from here to the set.
struct Way {
    leg: Leg,
    rest: Option<Rc<Self>>,
}

struct Pending {
    at: LocId,
    /// When a run from here comes into the set along the way.
    conditions: Vec<Term>,
    way: Option<Rc<Way>>,
    /// The way starts with rounds of a loop here.
    just_went_around: bool,
    forks: usize,
}

/// A path around a loop that can be taken back many times at once.
struct Round {
    choice: PathChoice,
    path: SymbolicPath,
    form: ClosedForm,
    /// The sort of the number of rounds.
    counted_by: Sort,
}

struct Search<'a> {
    ts: &'a TransitionSystem,
    cx: &'a EngineCx,
    forest: LoopForest,
    /// What the entry leads to.
    into: Vec<Vec<EdgeId>>,
    rounds: BTreeMap<LocId, Vec<Rc<Round>>>,
    waiting: Vec<Option<Pending>>,
    order: BinaryHeap<Reverse<(usize, usize)>>,
    seen: HashSet<(LocId, Vec<Term>)>,
    /// How many symbols were made.
    symbols: u32,
    queries: usize,
}

/// A way from the entry into the set, with the values that lead along it.
pub(super) fn find(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    target: LocId,
    set: Term,
) -> Option<Stem> {
    let mut into: Vec<Vec<EdgeId>> = vec![Vec::new(); ts.locs.len()];
    let useful = leads_to(ts, &BTreeSet::from([target]));
    for (e, edge) in ts.edges.entries() {
        if useful.contains(&edge.to) {
            into[edge.to.index()].push(e);
        }
    }
    let mut search = Search {
        ts,
        cx,
        forest: LoopForest::of(ts),
        into,
        rounds: BTreeMap::new(),
        waiting: Vec::new(),
        order: BinaryHeap::new(),
        seen: HashSet::new(),
        symbols: 0,
        queries: cx.effort.most(10, 60),
    };
    search.push(target, &[set], None, false, 0);
    for _ in 0..cx.effort.most(150, 900) {
        if cx.out_of_time() || search.queries == 0 {
            return None;
        }
        let Reverse((_, nth)) = search.order.pop()?;
        let pending = search.waiting[nth].take().expect("each waits once");
        if pending.at == ts.entry
            && let Some(stem) = search.stem_along(solver, &pending, target, set)
        {
            return Some(stem);
        }
        search.take_back(solver, &pending);
    }
    None
}

impl Search<'_> {
    /// Adds a place from which a way goes on, if its condition can hold as far as is seen without a query.
    fn push(&mut self, at: LocId, conditions: &[Term], way: Option<Rc<Way>>, just_went_around: bool, forks: usize) {
        let t = &self.ts.terms;
        let mut all: Vec<Term> = conditions.iter().flat_map(|c| t.conjuncts(simplify(t, *c))).collect();
        all.retain(|c| *c != t.tt());
        all.sort_unstable();
        all.dedup();
        let is_false = |c: &Term| *c == t.ff() || all.binary_search(&t.not(*c)).is_ok();
        if all.iter().any(is_false) || t.reachable(&all).len() > MOST_NODES || !self.seen.insert((at, all.clone())) {
            return;
        }
        self.order.push(Reverse((forks, self.waiting.len())));
        self.waiting.push(Some(Pending { at, conditions: all, way, just_went_around, forks }));
    }

    fn ask(&mut self, solver: &mut dyn Solver, all: &[Term]) -> Answer {
        self.queries = self.queries.saturating_sub(1);
        self.cx.ask(solver, self.ts, all)
    }

    /// Takes one leg back, in every way.
    fn take_back(&mut self, solver: &mut dyn Solver, pending: &Pending) {
        let edges = self.into[pending.at.index()].clone();
        let is_head = self.forest.with_header(pending.at).is_some();
        let is_asked = is_head && pending.forks > 0;
        let conditions = &pending.conditions;
        if is_asked && (too_hard(self.ts, conditions) || self.ask(solver, conditions).is_unsat()) {
            return;
        }
        let rounds = if is_head && !pending.just_went_around { self.rounds(pending.at) } else { Vec::new() };
        let forks = pending.forks + usize::from(edges.len() + rounds.len() > 1);
        for round in rounds {
            self.around(pending, &round, forks);
        }
        for e in edges {
            self.step(pending, e, forks);
        }
    }

    fn step(&mut self, pending: &Pending, e: EdgeId, forks: usize) {
        let ts = self.ts;
        let t = &ts.terms;
        let edge = &ts.edges[e];
        let mut unknowns = Vec::new();
        for u in ts.unknowns_of(e) {
            unknowns.push((u, t.copy_symbol(ts.unknowns[u].term, self.symbols)));
            self.symbols += 1;
        }
        let named = |term: Term| {
            t.substitute(term, |s| match t.role(s) {
                Some(Role::Unknown(u)) => unknowns.iter().find(|(w, _)| *w == u).map(|(_, symbol)| *symbol),
                _ => None,
            })
        };
        let new: BTreeMap<VarId, Term> = edge.updates.iter().map(|(v, term)| (*v, named(*term))).collect();
        let mut conditions = t.substitute_all(&pending.conditions, |s| match t.role(s) {
            Some(Role::Var(v)) => new.get(&v).copied(),
            _ => None,
        });
        conditions.push(edge.guard);
        conditions.extend(unknowns.iter().map(|(u, symbol)| ts.range_condition(*u, *symbol)));
        let way = Way { leg: Leg::Step { edge: e, unknowns }, rest: pending.way.clone() };
        self.push(edge.from, &conditions, Some(Rc::new(way)), false, forks);
    }

    /// The paths around a loop that have a closed form.
    fn rounds(&mut self, head: LocId) -> Vec<Rc<Round>> {
        let (ts, cx) = (self.ts, self.cx);
        let t = &ts.terms;
        let Some(id) = self.forest.with_header(head) else { return Vec::new() };
        let body = &self.forest.loops[id].body;
        let find = || {
            let mut found = Vec::new();
            for path in around(ts, cx, head, body, cx.effort.most(4, 8)).paths {
                for choice in choices::of_path(ts, &path.edges, cx.effort.most(2, 4)) {
                    let path = without_wrapping(ts, choices::choose(ts, head, &path.edges, &choice));
                    let settled = |c: &Term| speaks_of_variables(ts, *c);
                    let can_be = !path.conditions.contains(&t.ff()) && path.conditions.iter().all(settled);
                    let changes_bits = |v: VarId| {
                        matches!(ts.vars[v].sort, Sort::BitVec(_)) && path.state[v.index()] != ts.vars[v].term
                    };
                    let counted_by = if ts.vars.ids().any(changes_bits) { Sort::BitVec(64) } else { Sort::Int };
                    if let Some(form) = ClosedForm::of(ts, &path.state).filter(|_| can_be) {
                        found.push(Rc::new(Round { choice, path, form, counted_by }));
                    }
                }
            }
            found
        };
        self.rounds.entry(head).or_insert_with(find).clone()
    }

    fn around(&mut self, pending: &Pending, round: &Rc<Round>, forks: usize) {
        let ts = self.ts;
        let t = &ts.terms;
        let path = &round.path;
        let matters = |s: &Term| matches!(t.role(*s), Some(Role::Var(v)) if path.state[v.index()] != *s);
        if !pending.conditions.iter().any(|c| t.symbols(*c).iter().any(matters)) {
            return;
        }
        let name = format!("rounds@{} {:?}", self.symbols, round.counted_by);
        self.symbols += 1;
        let more = t.symbol(&name, round.counted_by, Role::Free);
        let most = MOST_STEPS / path.edges.len();
        let (one_less, in_bounds) = if round.counted_by == Sort::Int {
            let most = t.int(most);
            let least = t.apply(Op::IntLe, &[t.int(0), more]);
            (t.apply(Op::IntSub, &[more, t.int(1)]), t.and(least, t.apply(Op::IntLe, &[more, most])))
        } else {
            let most = t.bv(64, most as u128);
            (t.apply(Op::BvSub, &[more, t.bv(64, 1)]), t.apply(Op::BvUle, &[more, most]))
        };
        let after = |k: Term, when: &str| -> Vec<Term> {
            let form = round.form.after(ts, k, &format!("{when} {name}"));
            form.iter().map(|u| in_state(ts, *u, &path.state)).collect()
        };
        let (last, end) = (after(one_less, "before the last of"), after(more, "after"));
        let mut own = path.conditions.clone();
        own.extend(path.ranges(ts));
        let mut conditions: Vec<Term> = own.iter().map(|c| in_state(ts, *c, &last)).collect();
        conditions.extend(own);
        conditions.extend(pending.conditions.iter().map(|c| in_state(ts, *c, &end)));
        conditions.push(in_bounds);
        let way = Way { leg: Leg::Rounds { round: Rc::clone(round), more }, rest: pending.way.clone() };
        self.push(pending.at, &conditions, Some(Rc::new(way)), true, forks);
    }

    /// A stem along the way, if a first state can have it.
    fn stem_along(&mut self, solver: &mut dyn Solver, pending: &Pending, target: LocId, set: Term) -> Option<Stem> {
        let ts = self.ts;
        let mut all = pending.conditions.clone();
        all.push(ts.init);
        if too_hard(ts, &all) {
            return None;
        }
        let Answer::Sat(model) = self.ask(solver, &all) else { return None };
        let symbols: BTreeSet<Term> = all.iter().flat_map(|c| ts.terms.symbols(*c)).collect();
        let values: BTreeMap<Term, Value> =
            symbols.into_iter().filter_map(|s| model.value(s).map(|v| (s, v.clone()))).collect();
        run(ts, pending.way.as_deref(), &Rc::new(values), target, set)
    }
}

/// The path where no remainder of what is stored makes a difference: `(x + 1) % 256` is `x + 1` where that is a byte.
fn without_wrapping(ts: &TransitionSystem, mut path: SymbolicPath) -> SymbolicPath {
    let t = &ts.terms;
    for new in &mut path.state {
        let node = t.node(*new);
        if node.op == Op::IntMod && t.constant_value(node.args()[1]).is_some() {
            let (whole, divisor) = (node.args()[0], node.args()[1]);
            let inside = t.and(t.apply(Op::IntLe, &[t.int(0), whole]), t.apply(Op::IntLt, &[whole, divisor]));
            path.conditions.push(simplify(t, inside));
            *new = whole;
        }
    }
    path
}

/// Makes the run, with the values of a model.
fn run(ts: &TransitionSystem, mut way: Option<&Way>, values: &Witness, target: LocId, set: Term) -> Option<Stem> {
    let t = &ts.terms;
    let machine = Machine::new(ts);
    let mut runner = Runner::new(&machine, start_of(ts, values));
    let step = |runner: &mut Runner<'_, '_>, edge: EdgeId, given: &dyn Fn(UnknownId, &[Value]) -> Option<Value>| {
        if runner.next() != Some(edge) || runner.recording.steps.len() == MOST_STEPS {
            return None;
        }
        let before = runner.state.values.clone();
        runner.step(edge, |u| given(u, &before).unwrap_or_else(|| ts.least(u)));
        Some(())
    };
    while let Some(Way { leg, rest }) = way {
        match leg {
            Leg::Step { edge, unknowns } => step(&mut runner, *edge, &|u, _| {
                unknowns.iter().find(|(w, _)| *w == u).map(|(_, symbol)| value_of(ts, values, *symbol))
            })?,
            Leg::Rounds { round, more } => {
                let more = match value_of(ts, values, *more) {
                    Value::Int(i) => usize::try_from(i).ok()?,
                    other => usize::try_from(other.as_bits().unsigned()).ok()?,
                };
                for _ in 0..=more {
                    for (nth, edge) in round.path.edges.iter().enumerate() {
                        step(&mut runner, *edge, &|u, before| {
                            let chosen = round.choice.get(&(nth, u))?;
                            let value = |s: Term| match t.role(s) {
                                Some(Role::Var(v)) => before[v.index()].clone(),
                                _ => unreachable!("inputs are chosen by variables"),
                            };
                            Some(t.eval(*chosen, value))
                        })?;
                    }
                }
            }
        }
        way = rest.as_deref();
    }
    let needed = runner.leads_into(set).filter(|_| runner.state.loc == target)?;
    let start = runner.recording.start.clone();
    let is_input = |u: &UnknownId| ts.unknowns[*u].kind == UnknownKind::Input;
    let moves = runner.recording.steps.iter().map(|s| {
        let inputs = s.values.iter().filter(|(u, _)| is_input(u)).map(|(u, v)| (*u, t.value(v))).collect();
        Move { edge: s.edge, inputs }
    });
    let when = fixed_at_start(ts, &start, &needed, &ts.fixed_by(ts.init));
    Some(Stem { when, moves: moves.collect(), start })
}
