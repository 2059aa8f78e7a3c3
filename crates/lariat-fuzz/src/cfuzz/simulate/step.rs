//! Whether a view has a step from one state to another.

use dashu_int::IBig;
use lariat_ir::simplify::{simplify, simplify_all};
use lariat_ir::{Id, LocId, Op, Sort, Term, TransitionSystem, Value, value::Bits};
use lariat_smt::{Answer, Limit, Solver, Z3Solver};
use std::collections::BTreeMap;

/// What is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// It has the step.
    Allowed,
    /// It has not.
    Refused,
    /// There are too many ways, or the solver does not say.
    Open,
}

/// A view's system that is asked about steps.
pub(super) struct Steps<'t> {
    ts: &'t TransitionSystem,
    header: LocId,
    solver: Z3Solver,
    frame: u32,
}

/// How many edges are taken in one search, and how many ways are put to the solver.
const EDGES: usize = 3000;
const WAYS: usize = 60;
const LIMIT: Limit = Limit { rlimit: 400_000, wall: std::time::Duration::from_secs(2), until: None };

struct Search<'s> {
    to: &'s [Option<IBig>],
    left: usize,
    /// The conditions of ways that lead there.
    ways: Vec<Term>,
    is_sure: bool,
}

impl<'t> Steps<'t> {
    pub(super) fn new(ts: &'t TransitionSystem, header: LocId) -> Self {
        Self { ts, header, solver: Z3Solver::new(), frame: 0 }
    }

    /// Whether a state at the header leads to another one there.
    pub(super) fn leads(&mut self, from: &[Option<IBig>], to: &[Option<IBig>]) -> Found {
        self.search(self.header, from, to)
    }

    /// Whether a run comes to the header in a state.
    pub(super) fn starts(&mut self, to: &[Option<IBig>]) -> Found {
        self.search(self.ts.entry, &[], to)
    }

    fn value(&self, sort: Sort, value: &IBig) -> Option<Term> {
        let value = match sort {
            Sort::Int => Value::Int(value.clone()),
            Sort::BitVec(w) => Value::Bv(Bits::from_int(w, value)),
            _ => return None,
        };
        Some(self.ts.terms.value(&value))
    }

    fn search(&mut self, at: LocId, from: &[Option<IBig>], to: &[Option<IBig>]) -> Found {
        let ts = self.ts;
        let state: Vec<Term> = ts
            .vars
            .entries()
            .map(|(id, v)| {
                let known = from.get(id.index()).and_then(Option::as_ref);
                known.and_then(|k| self.value(v.sort, k)).unwrap_or(v.term)
            })
            .collect();
        let mut search = Search { to, left: EDGES, ways: Vec::new(), is_sure: false };
        self.walk(at, &state, ts.terms.tt(), &mut search);
        if search.is_sure {
            return Found::Allowed;
        }
        let mut is_open = search.left == 0 || search.ways.len() > WAYS;
        for way in search.ways.into_iter().take(WAYS) {
            self.solver.push();
            self.solver.assert(&ts.terms, way);
            let answer = self.solver.check(&ts.terms, LIMIT);
            self.solver.pop();
            match answer {
                Answer::Sat(_) => return Found::Allowed,
                Answer::Unsat => {}
                Answer::Unknown(_) => is_open = true,
            }
        }
        if is_open { Found::Open } else { Found::Refused }
    }

    fn walk(&mut self, at: LocId, state: &[Term], cond: Term, search: &mut Search<'_>) {
        let ts = self.ts;
        let terms = &ts.terms;
        for &e in &ts.locs[at].out {
            if search.is_sure || search.left == 0 {
                return;
            }
            search.left -= 1;
            let edge = &ts.edges[e];
            self.frame += 1;
            let frame = self.frame;
            let mut all = vec![cond, ts.in_state(edge.guard, state, frame)];
            for u in ts.unknowns_of(e) {
                all.push(ts.range_condition(u, terms.copy_symbol(ts.unknowns[u].term, frame)));
            }
            let mut next = simplify(terms, terms.all(all));
            if next == terms.ff() || edge.to.is_sink() {
                continue;
            }
            let mut after = state.to_vec();
            for (v, t) in &edge.updates {
                after[v.index()] = ts.in_state(*t, state, frame);
            }
            let after = simplify_all(terms, &after);
            if edge.to != self.header {
                self.walk(edge.to, &after, next, search);
                continue;
            }
            for (id, v) in ts.vars.entries() {
                if let Some(known) = search.to.get(id.index()).and_then(Option::as_ref)
                    && let Some(value) = self.value(v.sort, known)
                {
                    next = terms.and(next, terms.eq(after[id.index()], value));
                }
            }
            let next = self.settled(simplify(terms, next));
            if next == terms.tt() {
                search.is_sure = true;
            } else if next != terms.ff() {
                search.ways.push(next);
            }
        }
    }

    /// A condition in which the unknowns that must have one value have it: mostly nothing is left to ask.
    fn settled(&self, mut condition: Term) -> Term {
        let terms = &self.ts.terms;
        loop {
            let mut known: BTreeMap<Term, Term> = BTreeMap::new();
            for c in terms.conjuncts(condition) {
                let node = terms.node(c);
                let (Op::Eq, &[a, b]) = (node.op, node.args()) else { continue };
                for (symbol, value) in [(a, b), (b, a)] {
                    if terms.role(symbol).is_some() && terms.constant_value(value).is_some() {
                        known.entry(symbol).or_insert(value);
                    }
                }
            }
            if known.is_empty() {
                return condition;
            }
            condition = simplify(terms, terms.substitute(condition, |s| known.get(&s).copied()));
        }
    }
}
