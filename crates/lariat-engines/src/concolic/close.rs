//! The search for an argument why iterations close.

use super::system::{Built, Form, build};
use super::{Closed, Conclusion, Counter, OpenCause};
use lariat_ir::fast::FastMap;
use lariat_ir::observed::Observed;
use lariat_ir::{
    Arm, Assumption, Bits, Certificate, Choice, Claim, LocId, LoopForest, Move, Op, Property, Role, StatePart, Term,
    TransitionSystem, Value, VarId,
};
use lariat_smt::{Answer, Limit, Model, Solver, Z3Solver};
use std::collections::BTreeMap;
use std::time::Instant;

/// Rounds of so many iterations at most get an invariant for each of them.
const LONGEST_ROUND: usize = 64;
/// So many different iterations at most stand at one location.
const MOST_CHOICES: usize = 24;
/// An orbit may be this long.
const LONGEST_ORBIT: usize = 20_000;
/// Resource units for one question: what closes a loop is easy, or not found.
const QUERY: u64 = 1_000_000;
/// Equalities are looked for between so many cells.
const COMPARED_CELLS: usize = 40;

pub(super) struct Search<'a> {
    pub observed: &'a Observed,
    pub relevant: Vec<usize>,
    pub assumptions: &'a [Assumption],
    pub until: Instant,
}

/// A claim about how iterations go on, for which invariants are to be found.
struct Shape {
    iterations: Vec<usize>,
    /// The header before the first of them.
    head: usize,
    form: Form,
}

impl Search<'_> {
    pub fn run(&self) -> Conclusion {
        let o = self.observed;
        let orbit = self.orbit();
        // A long orbit of few different iterations has a shorter proof, perhaps.
        let long = orbit.as_ref().is_some_and(|s| s.iterations.len() > LONGEST_ROUND);
        if let Some(shape) = &orbit
            && !long
        {
            return self.as_orbit(shape);
        }
        let mut leaves = Vec::new();
        for shape in self.shapes() {
            match self.with_invariants(&shape, false) {
                Ok(closed) => return closed,
                Err(state) => leaves = state,
            }
        }
        if let Some(shape) = &orbit {
            return self.as_orbit(shape);
        }
        for shape in self.shapes() {
            if let Ok(unbounded) = self.with_invariants(&shape, true) {
                return unbounded;
            }
        }
        let reason = if o.iterations.len() > MOST_CHOICES {
            format!(
                "{} iterations were observed, {} of them different, and none repeats",
                o.order.len(),
                o.iterations.len()
            )
        } else {
            "after the observed iterations another way is possible".to_owned()
        };
        Conclusion::Open { reason, leaves, cause: OpenCause::AnotherWay }
    }

    /// The first round after which all relevant cells have the values of before.
    fn orbit(&self) -> Option<Shape> {
        let o = self.observed;
        let mut seen: FastMap<Vec<Bits>, usize> = FastMap::default();
        for (n, row) in o.heads.iter().enumerate() {
            let key: Vec<Bits> = self.relevant.iter().map(|c| row[*c]).collect();
            // With values in play that nobody can foretell, only the first header is known to be reached.
            if !o.fresh.is_empty() && n > 0 && seen.get(&key) != Some(&0) {
                continue;
            }
            if let Some(before) = seen.insert(key, n) {
                let iterations = o.order[before..n].to_vec();
                if iterations.len() > LONGEST_ORBIT {
                    return None;
                }
                return Some(Shape { iterations, head: before, form: Form::Round });
            }
        }
        None
    }

    fn as_orbit(&self, shape: &Shape) -> Conclusion {
        let b = build(self.observed, &self.relevant, &shape.iterations, shape.head, shape.form, self.assumptions);
        let choice = |(_, edge): &(LocId, _)| {
            let values = b.ts.unknowns_of(*edge).into_iter().map(|u| (u, b.ts.least(u))).collect();
            Choice { edge: *edge, values }
        };
        let cycle = b.steps.iter().map(choice).collect();
        let same = b.vars.iter().map(|v| StatePart::Var(*v)).collect();
        let start = self.start(shape);
        let certificate = Certificate::Orbit { start, stem: Vec::new(), cycle, same };
        let invariant = b.ts.terms.conjuncts(b.ts.init);
        self.claim(b, certificate, shape.iterations.len(), invariant)
    }

    fn start(&self, shape: &Shape) -> Vec<Value> {
        self.relevant.iter().map(|n| Value::Bv(self.observed.heads[shape.head][*n])).collect()
    }

    fn claim(&self, b: Built, certificate: Certificate, period: usize, invariant: Vec<Term>) -> Conclusion {
        let Built { ts, .. } = b;
        let forest = LoopForest::of(&ts);
        let header = forest.loops.iter().find(|l| l.body.contains(&ts.entry)).map_or(ts.entry, |l| l.header);
        let claim = Claim { system: ts.hash(), property: Property::Diverges(header), when: ts.terms.tt(), certificate };
        let relevant = self.relevant.clone();
        Conclusion::Closed(Box::new(Closed { ts, claim, header, relevant, period, invariant }))
    }

    /// What could be: iterations in a fixed order, or in any.
    fn shapes(&self) -> Vec<Shape> {
        let o = self.observed;
        let mut out = Vec::new();
        let n = o.order.len();
        let period = (1..=LONGEST_ROUND.min(n / 2)).find(|p| (*p..n).all(|i| o.order[i] == o.order[i - p]));
        if let Some(p) = period {
            let round = |p: usize| Shape { iterations: o.order[..p].to_vec(), head: 0, form: Form::Round };
            out.push(round(p));
            // Cells may come back less often than iterations look the same; then each place knows their values.
            let back = |p: usize| {
                self.relevant.iter().filter(|c| (p..n).all(|i| o.heads[i][**c] == o.heads[i - p][**c])).count()
            };
            let longer = (1..).map(|k| k * p).take_while(|q| *q <= LONGEST_ROUND.min(n / 2));
            if let Some(q) = longer.max_by_key(|q| (back(*q), usize::MAX - q)).filter(|q| back(*q) > back(p)) {
                out.push(round(q));
            }
        }
        if o.iterations.len() <= MOST_CHOICES && (period.is_none() || o.iterations.len() > 1) {
            out.push(Shape { iterations: (0..o.iterations.len()).collect(), head: 0, form: Form::Choice });
        }
        out
    }

    /// Finds invariants and closes; otherwise the state that leaves. With `unbounded`, counters are taken not to wrap, and
    /// those for which that was needed come out.
    fn with_invariants(&self, shape: &Shape, unbounded: bool) -> Result<Conclusion, Vec<(usize, u128)>> {
        let o = self.observed;
        let b = build(o, &self.relevant, &shape.iterations, shape.head, shape.form, self.assumptions);
        let ts = &b.ts;
        let mut solver = Z3Solver::new();
        // What is known at the location before each step, and where each step leads.
        let (places, next): (usize, Vec<usize>) = match shape.form {
            Form::Round => (shape.iterations.len(), (0..b.steps.len()).map(|n| (n + 1) % b.steps.len()).collect()),
            Form::Choice => (1, vec![0; b.steps.len()]),
        };
        let at = |step: usize| if shape.form == Form::Round { step } else { 0 };
        let mut known: Vec<Vec<Term>> = (0..places).map(|p| self.candidates(&b, shape, p, places)).collect();
        let counters = if unbounded { self.counters(&b, shape) } else { Vec::new() };
        if unbounded && counters.is_empty() {
            return Err(Vec::new());
        }
        let after: Vec<FastMap<Term, Term>> = b.steps.iter().map(|(_, e)| post(ts, *e)).collect();
        // Neither here nor after the step.
        let here: Vec<Term> = counters.iter().map(|c| c.no_wrap).collect();
        let no_wrap: Vec<Vec<Term>> = after
            .iter()
            .map(|a| {
                let then = ts.terms.substitute_all(&here, |s| a.get(&s).copied());
                here.iter().copied().chain(then).collect()
            })
            .collect();
        let limit = Limit::rlimit(QUERY).until(self.until);
        // Houdini: drop what a step does not keep, until all is kept.
        loop {
            let mut dropped = false;
            for step in 0..b.steps.len() {
                loop {
                    let goals = known[next[step]].clone();
                    if goals.is_empty() {
                        break;
                    }
                    let mut premises = known[at(step)].clone();
                    premises.push(b.guards[step]);
                    premises.extend(&no_wrap[step]);
                    let wanted: Vec<Term> = ts.terms.substitute_all(&goals, |s| after[step].get(&s).copied());
                    match refute(ts, &mut solver, limit, &premises, ts.terms.all(wanted.iter().copied())) {
                        Refuted::No => break,
                        Refuted::By(model) => {
                            let holds = |t: Term| model.eval(&ts.terms, t).as_bool();
                            let kept: Vec<Term> =
                                goals.iter().zip(&wanted).filter(|(_, w)| holds(**w)).map(|(g, _)| *g).collect();
                            dropped = true;
                            known[next[step]] = kept;
                        }
                        Refuted::Perhaps => {
                            dropped = true;
                            known[next[step]].clear();
                        }
                    }
                }
            }
            if !dropped {
                break;
            }
        }
        // Closure: after each step some step is enabled.
        for step in 0..b.steps.len() {
            let mut premises = known[at(step)].clone();
            premises.push(b.guards[step]);
            premises.extend(&no_wrap[step]);
            let possible = match shape.form {
                Form::Round => b.guards[next[step]],
                Form::Choice => ts.terms.any(b.guards.iter().copied()),
            };
            let goal = ts.terms.substitute(possible, |s| after[step].get(&s).copied());
            let mut answer = refute(ts, &mut solver, limit, &premises, goal);
            // What holds anyway, such as that a remainder is less than its divisor, is found more easily without premises.
            if matches!(answer, Refuted::Perhaps) && matches!(refute(ts, &mut solver, limit, &[], goal), Refuted::No) {
                answer = Refuted::No;
            }
            match answer {
                Refuted::No => {}
                Refuted::By(model) => {
                    let value = |n: usize| model.value_or_zero(&ts.terms, ts.vars[b.vars[n]].term).as_bits().unsigned();
                    return Err(self.relevant.iter().enumerate().map(|(n, c)| (*c, value(n))).collect());
                }
                Refuted::Perhaps => return Err(Vec::new()),
            }
        }
        if unbounded {
            return Ok(Conclusion::Unbounded(counters.into_iter().map(|c| c.counter).collect()));
        }
        let mut set: BTreeMap<LocId, Term> = BTreeMap::new();
        for (place, facts) in known.iter().enumerate() {
            let mut facts = facts.clone();
            facts.push(match shape.form {
                Form::Round => b.guards[place],
                Form::Choice => ts.terms.any(b.guards.iter().copied()),
            });
            set.insert(b.steps[place].0, ts.terms.all(facts));
        }
        let arms = b
            .steps
            .iter()
            .zip(&b.guards)
            .map(|((from, edge), guard)| Arm {
                from: *from,
                when: *guard,
                path: vec![Move { edge: *edge, inputs: Vec::new() }],
            })
            .collect();
        let certificate = Certificate::RecurrentSet { start: self.start(shape), stem: Vec::new(), set, arms };
        let mut invariant = known[0].clone();
        invariant.push(b.guards[0]);
        let period = shape.iterations.len();
        Ok(self.claim(b, certificate, period, invariant))
    }

    /// What held at every header that belongs to a place.
    fn candidates(&self, b: &Built, shape: &Shape, place: usize, places: usize) -> Vec<Term> {
        let o = self.observed;
        let ts = &b.ts;
        let t = &ts.terms;
        let last = o.heads.len();
        let rows: Vec<&Vec<Bits>> = match shape.form {
            Form::Round => (shape.head + place..last).step_by(places).map(|n| &o.heads[n]).collect(),
            Form::Choice => o.heads.iter().collect(),
        };
        let mut out = Vec::new();
        let mut varying = Vec::new();
        for (n, c) in self.relevant.iter().enumerate() {
            let x = ts.vars[b.vars[n]].term;
            let width = o.cells[*c].width;
            let values = || rows.iter().map(|r| r[*c]);
            let first = rows[0][*c];
            if values().all(|v| v == first) {
                out.push(t.eq(x, t.value(&Value::Bv(first))));
                continue;
            }
            varying.push(n);
            let number = |v: Bits| t.value(&Value::Bv(v));
            let unsigned = |b: &Bits| b.unsigned();
            let signed = |b: &Bits| b.signed();
            if let (Some(lo), Some(hi)) = (values().min_by_key(unsigned), values().max_by_key(unsigned)) {
                out.push(t.apply(Op::BvUle, &[number(lo), x]));
                out.push(t.apply(Op::BvUle, &[x, number(hi)]));
            }
            if let (Some(lo), Some(hi)) = (values().min_by_key(signed), values().max_by_key(signed)) {
                out.push(t.apply(Op::BvSle, &[number(lo), x]));
                out.push(t.apply(Op::BvSle, &[x, number(hi)]));
            }
            // Low bits that never change: alignment, parity.
            let steady = (1..width.min(64))
                .take_while(|k| values().all(|v| (v.unsigned() ^ first.unsigned()) & Bits::mask(*k) == 0))
                .last();
            if let Some(k) = steady {
                let low = t.apply(Op::Extract { hi: k - 1, lo: 0 }, &[x]);
                out.push(t.eq(low, t.bv(k, first.unsigned())));
            }
        }
        varying.truncate(COMPARED_CELLS);
        for (i, a) in varying.iter().enumerate() {
            for c in &varying[i + 1..] {
                let (ca, cc) = (self.relevant[*a], self.relevant[*c]);
                if o.cells[ca].width == o.cells[cc].width && rows.iter().all(|r| r[ca] == r[cc]) {
                    out.push(t.eq(ts.vars[b.vars[*a]].term, ts.vars[b.vars[*c]].term));
                }
            }
        }
        out
    }

    /// Cells to which every iteration adds a constant of one sign, or nothing.
    fn counters(&self, b: &Built, shape: &Shape) -> Vec<Growing> {
        let ts = &b.ts;
        let t = &ts.terms;
        let mut out = Vec::new();
        for (n, cell) in self.relevant.iter().enumerate() {
            let var: VarId = b.vars[n];
            let x = ts.vars[var].term;
            let width = self.observed.cells[*cell].width;
            let steps: Option<Vec<i128>> = b
                .steps
                .iter()
                .map(|(_, e)| match ts.edges[*e].updates.iter().find(|(v, _)| *v == var) {
                    None => Some(0),
                    Some((_, new)) => added(ts, x, *new),
                })
                .collect();
            let Some(steps) = steps else { continue };
            let grows = steps.iter().all(|s| *s >= 0) && steps.iter().any(|s| *s > 0);
            let falls = steps.iter().all(|s| *s <= 0) && steps.iter().any(|s| *s < 0);
            if !grows && !falls || width > 64 {
                continue;
            }
            let largest = steps.iter().copied().max_by_key(|s| s.abs()).unwrap_or(0);
            let now = self.observed.heads[shape.head][*cell];
            // A machine word has no sign of its own. Zero is where an unsigned number ends that falls, and where a
            // negative one ends that grows: neither is an overflow. So only what wraps in both readings counts as one.
            let signed = falls || reads_signed(ts, &b.guards, x);
            if !signed && now.signed() < 0 {
                continue;
            }
            let half = 1i128 << (width - 1);
            let (lo, hi) = if signed { (-half, half - 1) } else { (0, 2 * half - 1) };
            let value = if signed { now.signed() } else { now.unsigned().cast_signed() };
            let order = if signed { Op::BvSle } else { Op::BvUle };
            let bound = |v: i128| t.value(&Value::Bv(Bits::from_signed(width, v)));
            let (no_wrap, room) = if grows {
                (t.apply(order, &[x, bound(hi - largest)]), hi - value)
            } else {
                (t.apply(order, &[bound(lo - largest), x]), value - lo)
            };
            let iterations = (room / largest.abs().max(1)).cast_unsigned();
            out.push(Growing { no_wrap, counter: Counter { cell: *cell, step: largest, iterations, signed } });
        }
        out
    }
}

struct Growing {
    no_wrap: Term,
    counter: Counter,
}

/// The constant that a term adds to a variable.
fn added(ts: &TransitionSystem, x: Term, new: Term) -> Option<i128> {
    let t = &ts.terms;
    if new == x {
        return Some(0);
    }
    let node = t.node(new);
    let number = |a: Term| t.constant_value(a).map(|v| v.as_bits().signed());
    match (node.op, node.args()) {
        (Op::BvAdd, [a, b]) if *a == x => number(*b),
        (Op::BvAdd, [a, b]) if *b == x => number(*a),
        (Op::BvSub, [a, b]) if *a == x => number(*b).and_then(i128::checked_neg),
        _ => None,
    }
}

/// Whether some guard compares something that depends on the variable as signed numbers.
fn reads_signed(ts: &TransitionSystem, guards: &[Term], x: Term) -> bool {
    ts.terms.reachable(guards).into_iter().any(|t| {
        let node = ts.terms.node(t);
        matches!(node.op, Op::BvSlt | Op::BvSle) && ts.terms.reachable(&[t]).contains(&x)
    })
}

/// The values of the variables after an edge.
fn post(ts: &TransitionSystem, edge: lariat_ir::EdgeId) -> FastMap<Term, Term> {
    ts.edges[edge].updates.iter().map(|(v, t)| (ts.vars[*v].term, *t)).collect()
}

enum Refuted {
    No,
    By(Model),
    Perhaps,
}

/// Whether the goal can fail where the premises hold. Unknowns in it are anybody's choice.
fn refute(ts: &TransitionSystem, solver: &mut Z3Solver, limit: Limit, premises: &[Term], goal: Term) -> Refuted {
    let t = &ts.terms;
    debug_assert!(premises.iter().all(|p| t.symbols(*p).iter().all(|s| matches!(t.role(*s), Some(Role::Var(_))))));
    if t.node(goal).op == Op::Bool(true) {
        return Refuted::No;
    }
    solver.push();
    for p in premises {
        solver.assert(t, *p);
    }
    solver.assert(t, t.not(goal));
    let answer = solver.check(t, limit);
    solver.pop();
    match answer {
        Answer::Unsat => Refuted::No,
        Answer::Sat(model) => Refuted::By(model),
        Answer::Unknown(_) => Refuted::Perhaps,
    }
}
