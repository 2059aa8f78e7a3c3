//! The transition system that observed iterations make.
//!
//! A location stands for "the program is at the header of the loop", several for "and the iteration of this number in the round is
//! next". An iteration is an edge; where none is known to follow the run goes to EXIT, which claims nothing, since
//! such a system carries proofs of divergence only. So every infinite run of the system is one of the program.

use lariat_ir::fast::FastMap;
use lariat_ir::observed::Observed;
use lariat_ir::{
    Assumption, EdgeId, Integers, LocId, Mode, Op, Proves, Sort, Term, Terms, TransitionSystem, UnknownKind, Value,
    VarId,
};

/// A system under construction, with the translation from the observation's terms.
pub(super) struct Built {
    pub ts: TransitionSystem,
    pub vars: Vec<VarId>,
    /// The locations and the edge of each iteration, in their order.
    pub steps: Vec<(LocId, EdgeId)>,
    /// The guard of each step.
    pub guards: Vec<Term>,
}

/// How the iterations stand to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// One after the other, and then from the first again.
    Round,
    /// Any of them after any.
    Choice,
}

/// A system of these iterations over these cells, started at a header.
pub(super) fn build(
    o: &Observed,
    relevant: &[usize],
    iterations: &[usize],
    head: usize,
    form: Form,
    assumptions: &[Assumption],
) -> Built {
    let mut ts = TransitionSystem::new("observed", Integers::Wrap);
    ts.proves = Proves::Diverges;
    ts.mode = Mode::Program;
    ts.assumptions = assumptions.iter().cloned().collect();
    let vars: Vec<VarId> =
        relevant.iter().map(|n| ts.add_var(&o.cells[*n].name, Sort::BitVec(o.cells[*n].width))).collect();
    let mut symbols: FastMap<Term, Term> = FastMap::default();
    for (n, v) in relevant.iter().zip(&vars) {
        symbols.insert(o.cells[*n].term, ts.vars[*v].term);
    }
    // Fresh values that reach relevant cells are the environment's.
    let used: Vec<Term> = iterations
        .iter()
        .flat_map(|i| o.iterations[*i].changes.iter().filter(|(n, _)| relevant.contains(n)).map(|(_, t)| *t))
        .collect();
    let reached = o.terms.reachable(&used);
    for f in o.fresh.iter().filter(|f| reached.contains(&f.term)) {
        let unknown = ts.add_unknown(&f.name, o.terms.sort(f.term), UnknownKind::Environment, None);
        symbols.insert(f.term, ts.unknowns[unknown].term);
    }
    let mut copied = FastMap::default();
    let mut copy = |ts: &TransitionSystem, t: Term| translate(&o.terms, &ts.terms, t, &symbols, &mut copied);
    let locs: Vec<LocId> = match form {
        Form::Round => (0..iterations.len()).map(|n| ts.add_loc(&format!("head{n}"))).collect(),
        Form::Choice => vec![ts.add_loc("head")],
    };
    ts.entry = locs[0];
    let mut steps = Vec::new();
    let mut guards = Vec::new();
    let mut earlier = ts.terms.tt();
    for (n, i) in iterations.iter().enumerate() {
        let parts: Vec<Term> = o.iterations[*i].guards.iter().map(|g| copy(&ts, *g)).collect();
        let guard = ts.terms.all(parts);
        let updates: Vec<(VarId, Term)> = o.iterations[*i]
            .changes
            .iter()
            .filter_map(|(cell, t)| {
                let at = relevant.iter().position(|r| r == cell)?;
                Some((vars[at], copy(&ts, *t)))
            })
            .collect();
        match form {
            Form::Round => {
                let (from, to) = (locs[n], locs[(n + 1) % locs.len()]);
                let edge = ts.add_edge(from, to, guard, updates);
                if ts.terms.node(guard).op != Op::Bool(true) {
                    let otherwise = ts.terms.not(guard);
                    ts.add_edge(from, LocId::EXIT, otherwise, Vec::new());
                }
                steps.push((from, edge));
                guards.push(guard);
            }
            Form::Choice => {
                let first = earlier == ts.terms.tt();
                let alone = if first { guard } else { ts.terms.and(earlier, guard) };
                let edge = ts.add_edge(locs[0], locs[0], alone, updates);
                let not_this = ts.terms.not(guard);
                earlier = if first { not_this } else { ts.terms.and(earlier, not_this) };
                steps.push((locs[0], edge));
                guards.push(alone);
            }
        }
    }
    if form == Form::Choice && ts.terms.node(guards[0]).op != Op::Bool(true) {
        ts.add_edge(locs[0], LocId::EXIT, earlier, Vec::new());
    }
    let facts: Vec<Term> = relevant
        .iter()
        .zip(&vars)
        .map(|(n, v)| ts.terms.eq(ts.vars[*v].term, ts.terms.value(&Value::Bv(o.heads[head][*n]))))
        .collect();
    ts.init = ts.terms.all(facts);
    Built { ts, vars, steps, guards }
}

/// A term in another arena.
fn translate(from: &Terms, to: &Terms, t: Term, symbols: &FastMap<Term, Term>, done: &mut FastMap<Term, Term>) -> Term {
    if let Some(known) = done.get(&t) {
        return *known;
    }
    for u in from.reachable(&[t]) {
        if done.contains_key(&u) {
            continue;
        }
        let node = from.node(u);
        let image = match node.op {
            Op::Symbol(_) => symbols[&u],
            Op::Bool(_) | Op::Bv(_) | Op::Int(_) => {
                to.value(&from.constant_value(u).expect("a constant leaf has a value"))
            }
            op => {
                let args: Vec<Term> = node.args().iter().map(|a| done[a]).collect();
                to.apply(op, &args)
            }
        };
        done.insert(u, image);
    }
    done[&t]
}
