//! Feasible symbolic paths from the entry, the simplest first.
//!
//! A path carries a *witness*: values of its symbols under which it is taken. Where it forks, guards are disjoint, so exactly
//! one branch inherits the witness and is feasible without a query; the solver is asked about another branch only when
//! its turn comes. Where all guards but one are false in the path's state nothing forks, so a loop with known
//! bounds is walked through without a query however long it is. Paths are taken in the order of how often
//! they forked: that bounds unrolling where a loop's exit depends on unknown values, and there only.
//!
//! Two paths that meet at a location in the same symbolic state differ in their conditions only. They are merged where this
//! loses nothing: when their conditions are the two sides of one fork and equal otherwise, the fork did not matter, and one
//! path without that condition stands for both; which side a run takes is decided by its witness when it is replayed.

use crate::engine::EngineCx;
use crate::path::{SymbolicPath, in_state};
use lariat_ir::simplify::simplify;
use lariat_ir::{EdgeId, Id, LocId, Op, Role, Term, TransitionSystem, UnknownKind, Value};
use lariat_smt::{Answer, Solver};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::rc::Rc;

/// The values of a path's symbols; what is missing does not matter and has the least value it can have.
pub(crate) type Witness = Rc<BTreeMap<Term, Value>>;

/// A visit of one of the locations of interest.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    /// Where.
    pub at: LocId,
    /// After how many steps.
    pub step: usize,
    /// The variables.
    pub state: Rc<Vec<Term>>,
}

/// A feasible path.
#[derive(Clone, Debug)]
pub(crate) struct Explored {
    /// The path.
    pub path: SymbolicPath,
    /// Values under which it is taken.
    pub witness: Witness,
    /// The locations of interest on the way, the last one being the path's end.
    pub visits: Vec<Visit>,
}

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Steps of all paths together.
    pub steps: usize,
    /// Queries.
    pub queries: usize,
    /// Forks of one path.
    pub forks: usize,
}

struct Pending {
    explored: Explored,
    /// The step that is taken first, not known to be feasible.
    edge: Option<EdgeId>,
    forks: usize,
    /// Another path goes on for this one; it is only shown where it has come to.
    stale: bool,
}

/// An iterator over feasible paths that end at locations of interest.
pub(crate) struct Paths<'a> {
    ts: &'a TransitionSystem,
    cx: &'a EngineCx,
    interest: BTreeSet<LocId>,
    useful: BTreeSet<LocId>,
    bounds: Bounds,
    waiting: Vec<Option<Pending>>,
    order: BinaryHeap<Reverse<(usize, usize)>>,
    current: Option<Pending>,
    /// Conditions of paths that were at a location in a state, for merging.
    met: HashMap<(LocId, Vec<Term>), Vec<Vec<Term>>>,
    /// Whether something was left out.
    pub limited: bool,
}

impl<'a> Paths<'a> {
    /// The paths from the entry to the locations of interest. Nothing if no state is initial.
    pub fn new(
        ts: &'a TransitionSystem,
        cx: &'a EngineCx,
        solver: &mut dyn Solver,
        interest: BTreeSet<LocId>,
        bounds: Bounds,
    ) -> Self {
        let useful = leads_to(ts, &interest);
        let mut new = Self {
            ts,
            cx,
            interest,
            useful,
            bounds,
            waiting: Vec::new(),
            order: BinaryHeap::new(),
            current: None,
            met: HashMap::new(),
            limited: false,
        };
        match cx.ask(solver, ts, &[ts.init]) {
            Answer::Sat(model) => {
                let witness = new.witness(&[ts.init], &model);
                let path = SymbolicPath::at(ts, ts.entry);
                new.push(Pending {
                    explored: Explored { path, witness, visits: Vec::new() },
                    edge: None,
                    forks: 0,
                    stale: false,
                });
            }
            Answer::Unsat => {}
            Answer::Unknown(_) => new.limited = true,
        }
        new
    }

    fn push(&mut self, pending: Pending) {
        self.order.push(Reverse((pending.forks, self.waiting.len())));
        self.waiting.push(Some(pending));
    }

    fn witness(&self, terms: &[Term], model: &lariat_smt::Model) -> Witness {
        let symbols: BTreeSet<Term> = terms.iter().flat_map(|t| self.ts.terms.symbols(*t)).collect();
        Rc::new(symbols.into_iter().filter_map(|s| model.value(s).map(|v| (s, v.clone()))).collect())
    }

    /// The next path that ends at a location of interest.
    pub fn next(&mut self, solver: &mut dyn Solver) -> Option<&Explored> {
        loop {
            if self.cx.out_of_time() || self.bounds.steps == 0 {
                self.limited = true;
                return None;
            }
            let pending = match self.current.take() {
                Some(pending) if pending.stale => continue,
                Some(pending) => self.advance(pending, solver),
                None => {
                    let Reverse((_, index)) = self.order.pop()?;
                    let mut pending = self.waiting[index].take().expect("each waits once");
                    match pending.edge.take() {
                        Some(edge) => self.take_unproved(solver, pending, edge),
                        None => Some(pending),
                    }
                }
            };
            let Some(mut pending) = pending else { continue };
            let arrived = self.arrive(&mut pending);
            let current = self.current.insert(pending);
            if arrived {
                // The borrow checker wants the path to be found again.
                break;
            }
            if current.stale {
                self.current = None;
            }
        }
        self.current.as_ref().map(|p| &p.explored)
    }

    /// Notes an arrival; whether it is at a location of interest.
    fn arrive(&self, pending: &mut Pending) -> bool {
        let path = &pending.explored.path;
        if !self.interest.contains(&path.end) {
            return false;
        }
        pending.explored.visits.push(Visit {
            at: path.end,
            step: path.edges.len(),
            state: Rc::new(path.state.clone()),
        });
        true
    }

    /// A step of which only a query tells whether it is possible.
    fn take_unproved(&mut self, solver: &mut dyn Solver, mut pending: Pending, edge: EdgeId) -> Option<Pending> {
        let ts = self.ts;
        if self.bounds.queries == 0 {
            self.limited = true;
            return None;
        }
        self.bounds.queries -= 1;
        let guard = simplify(&ts.terms, in_state(ts, ts.edges[edge].guard, &pending.explored.path.state));
        let mut all = pending.explored.path.conditions.clone();
        all.push(guard);
        if too_hard(ts, &all) {
            self.limited = true;
            return None;
        }
        all.extend(pending.explored.path.ranges(ts));
        all.push(ts.init);
        match self.cx.ask(solver, ts, &all) {
            Answer::Sat(model) => pending.explored.witness = self.witness(&all, &model),
            Answer::Unsat => return None,
            Answer::Unknown(_) => {
                self.limited = true;
                return None;
            }
        }
        pending.explored.path.advance(ts, edge);
        self.bounds.steps = self.bounds.steps.saturating_sub(1);
        pending.stale = self.merged(&mut pending);
        Some(pending)
    }

    /// Takes the step that the witness takes; leaves the other branches for later.
    fn advance(&mut self, mut pending: Pending, solver: &mut dyn Solver) -> Option<Pending> {
        let ts = self.ts;
        let path = &pending.explored.path;
        let open: Vec<(EdgeId, Term)> = ts.locs[path.end]
            .out
            .iter()
            .map(|&e| (e, simplify(&ts.terms, in_state(ts, ts.edges[e].guard, &path.state))))
            .filter(|(_, g)| *g != ts.terms.ff())
            .collect();
        let forks = open.len() > 1;
        let mut taken = None;
        for (e, guard) in open {
            if !self.useful.contains(&ts.edges[e].to) {
                continue;
            }
            if self.hangs_on_environment(guard) && !self.follows(solver, &pending.explored, guard) {
                continue;
            }
            if guard == ts.terms.tt() || self.holds(&pending.explored.witness, guard) {
                taken = Some(e);
            } else if pending.forks >= self.bounds.forks {
                self.limited = true;
            } else {
                let explored = pending.explored.clone();
                self.push(Pending { explored, edge: Some(e), forks: pending.forks + 1, stale: false });
            }
        }
        let edge = taken?;
        if forks {
            if pending.forks >= self.bounds.forks {
                self.limited = true;
                return None;
            }
            pending.forks += 1;
        }
        pending.explored.path.advance(ts, edge);
        self.bounds.steps = self.bounds.steps.saturating_sub(1);
        if !forks {
            return Some(pending);
        }
        pending.stale = self.merged(&mut pending);
        Some(pending)
    }

    /// Whether only the environment knows if a condition holds. One in which other values have a say may hold for all of the
    /// environment's if they are chosen well; whoever uses the path has to see to that.
    fn hangs_on_environment(&self, guard: Term) -> bool {
        let t = &self.ts.terms;
        let of_environment = |s: Term| match t.role(s) {
            Some(Role::Copy(of, _)) => self
                .ts
                .unknowns
                .iter()
                .any(|u| matches!(t.node(u.term).op, Op::Symbol(id) if id == of) && u.kind != UnknownKind::Input),
            _ => false,
        };
        let symbols = t.symbols(guard);
        !symbols.is_empty() && symbols.into_iter().all(of_environment)
    }

    /// Whether a guard holds on the path whatever values there are.
    fn follows(&mut self, solver: &mut dyn Solver, explored: &Explored, guard: Term) -> bool {
        if self.bounds.queries == 0 {
            self.limited = true;
            return false;
        }
        self.bounds.queries -= 1;
        let ts = self.ts;
        let mut all = explored.path.conditions.clone();
        all.extend(explored.path.ranges(ts));
        all.extend([ts.init, ts.terms.not(guard)]);
        self.cx.ask(solver, ts, &all).is_unsat()
    }

    fn holds(&self, witness: &Witness, guard: Term) -> bool {
        self.ts.terms.eval(guard, |s| value_of(self.ts, witness, s)).as_bool()
    }

    /// Whether another path stands for this one. If that path and this one are the two sides of a fork that made no
    /// difference, the one that is still to come gets rid of the condition.
    fn merged(&mut self, pending: &mut Pending) -> bool {
        let terms = &self.ts.terms;
        let path = &mut pending.explored.path;
        let before = self.met.entry((path.end, path.state.clone())).or_default();
        for old in before.iter() {
            if old.iter().all(|c| path.conditions.contains(c)) {
                // Everything this path allows, the other one allows as well.
                return true;
            }
        }
        let opposite = |a: Term, b: Term| terms.not(a) == b || terms.not(b) == a;
        let sides = |old: &Vec<Term>| {
            let mine: Vec<Term> = path.conditions.iter().copied().filter(|c| !old.contains(c)).collect();
            let theirs: Vec<Term> = old.iter().copied().filter(|c| !path.conditions.contains(c)).collect();
            match (mine.as_slice(), theirs.as_slice()) {
                ([a], [b]) if opposite(*a, *b) => Some(*a),
                _ => None,
            }
        };
        if let Some(condition) = before.iter().find_map(sides) {
            path.conditions.retain(|c| *c != condition);
        }
        before.push(path.conditions.clone());
        false
    }
}

/// The value of a symbol in a witness.
pub(crate) fn value_of(ts: &TransitionSystem, witness: &Witness, s: Term) -> Value {
    if let Some(v) = witness.get(&s) {
        return v.clone();
    }
    let terms = &ts.terms;
    if let Some(Role::Copy(of, _)) = terms.role(s) {
        for u in ts.unknowns.ids() {
            if matches!(terms.node(ts.unknowns[u].term).op, Op::Symbol(id) if id == of) {
                return ts.least(u);
            }
        }
    }
    Value::zero(terms.sort(s))
}

/// The values of the variables at the entry in a witness.
pub(crate) fn start_of(ts: &TransitionSystem, witness: &Witness) -> Vec<Value> {
    ts.vars.iter().map(|v| value_of(ts, witness, v.term)).collect()
}

/// The locations from which one of the targets can be reached in the graph.
pub(crate) fn leads_to(ts: &TransitionSystem, targets: &BTreeSet<LocId>) -> BTreeSet<LocId> {
    let mut into: Vec<Vec<LocId>> = vec![Vec::new(); ts.locs.len()];
    for e in &ts.edges {
        into[e.to.index()].push(e.from);
    }
    let mut found = targets.clone();
    let mut open: Vec<LocId> = targets.iter().copied().collect();
    while let Some(l) = open.pop() {
        for &from in &into[l.index()] {
            if found.insert(from) {
                open.push(from);
            }
        }
    }
    found
}

/// How many products or quotients of unknown values a path's condition may hold.
const MOST_PRODUCTS: usize = 8;
/// How many unknown values one product may have: a square that is squared again and again has more than any solver can write down.
const MOST_FACTORS: u32 = 8;

/// Whether conditions multiply or divide so often that a solver would choke on them: products of products take gigabytes
/// before any limit is looked at.
pub(crate) fn too_hard(ts: &TransitionSystem, conditions: &[Term]) -> bool {
    let t = &ts.terms;
    let mut products = 0;
    // The unknown factors of the longest product in each term; arguments come first.
    let mut factors: HashMap<Term, u32> = HashMap::new();
    for u in t.reachable(conditions) {
        let node = t.node(u);
        let of: Vec<u32> = node.args().iter().map(|a| factors[a]).collect();
        let is_product = matches!(node.op, Op::BvMul | Op::IntMul);
        let is_quotient =
            matches!(node.op, Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::IntDiv | Op::IntMod);
        if (is_product || is_quotient) && node.args().iter().all(|a| t.constant_value(*a).is_none()) {
            products += 1;
        }
        let count = match node.op {
            Op::Symbol(_) => 1,
            _ if is_product => of.iter().sum(),
            _ => of.iter().copied().max().unwrap_or(0),
        };
        if products > MOST_PRODUCTS || count > MOST_FACTORS {
            return true;
        }
        factors.insert(u, count);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::lts;

    #[test]
    fn a_square_of_squares_is_too_hard() {
        let ts = lts::parse("lts 1\nvar x: int\nvar y: int\nentry a\na:\n goto EXIT\n").expect("a system").system;
        let t = &ts.terms;
        let (x, y) = (ts.vars.iter().next().expect("x").term, ts.vars.iter().nth(1).expect("y").term);
        let mut square = x;
        let mut hard = Vec::new();
        for _ in 0..5 {
            square = t.apply(Op::IntAdd, &[t.apply(Op::IntMul, &[square, square]), y]);
            hard.push(too_hard(&ts, &[t.apply(Op::IntLt, &[square, y])]));
        }
        assert_eq!(hard, [false, false, false, true, true]);
        // As often as one likes by a number.
        let mut scaled = x;
        for _ in 0..50 {
            scaled = t.apply(Op::IntAdd, &[t.apply(Op::IntMul, &[scaled, t.int(3)]), y]);
        }
        assert!(!too_hard(&ts, &[t.apply(Op::IntLt, &[scaled, y])]));
    }
}
