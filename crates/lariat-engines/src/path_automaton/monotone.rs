//! Conditions under which a path can be repeated for ever: from its own condition backwards, by what must not change, must not
//! fall, or must keep its sign.
//!
//! The set starts as the path's condition. A conjunct that an execution can break asks for another one, and what is added is
//! treated in the same way:
//!
//! * *monotone*: for `e >= 0`, that the path does not make `e` smaller: `e' - e >= 0`. In `x += y; y += z` with `x > 0` that asks
//!   for `y >= 0` and then for `z >= 0`: dependent and cyclic monotonic variables are chains of such conditions.
//! * *signed*: for `e >= 0`, that each part of the sum `e'` has the sign that it needs.
//! * *again*: that the conjunct holds after the path, too; exact where it comes to an end.
//! * *fixed*: that the path changes none of the variables in question.
//!
//! Differences are guesses: over machine integers they may wrap. *Why a set that is given back is right:* the solver has shown,
//! with the real operations and for all values of the environment in their ranges, that an execution from any of its states leads
//! into it again; and it implies the path's condition. So the path can be repeated for ever from each of its states. The checker
//! shows that again.

use crate::choices::Chosen;
use crate::closed_form::term;
use crate::engine::EngineCx;
use crate::linear::{Linear, Reading, linear};
use crate::path::{in_state, speaks_of_variables};
use crate::symex::paths::too_hard;
use dashu_int::IBig;
use lariat_ir::simplify::simplify;
use lariat_ir::{Id, Op, Role, Sort, Term, TransitionSystem, VarId};
use lariat_smt::{Answer, Solver};
use std::collections::BTreeSet;

/// How a condition that is not kept is helped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Monotone,
    Signed,
    Again,
    Fixed,
}

impl Mode {
    pub const ALL: [Self; 4] = [Self::Monotone, Self::Signed, Self::Again, Self::Fixed];
}

/// More conditions than this are not added.
const MOST_ROUNDS: usize = 6;
/// A question that the solver leaves open counts as that many.
const LEFT_OPEN: usize = 20;
/// Disjunctions are looked at case by case, as long as there are not more.
const MOST_CASES: usize = 6;

/// A set of states from which a cycle leads into it, inside its condition; none if it could not be shown that one is.
/// `patience` is how many more questions may be asked.
pub(super) fn kept(
    ts: &TransitionSystem,
    cx: &EngineCx,
    solver: &mut dyn Solver,
    cycle: &Chosen,
    case: &[Term],
    mode: Mode,
    patience: &mut usize,
) -> Option<Term> {
    let t = &ts.terms;
    let mut set: Vec<Term> = case.to_vec();
    for _ in 0..MOST_ROUNDS {
        let mut more: Vec<Term> = Vec::new();
        let mut all_kept = true;
        for c in &set {
            let after = simplify(t, in_state(ts, *c, &cycle.state));
            if after == t.tt() || set.contains(&after) {
                continue;
            }
            let mut all = cycle.ranges.clone();
            all.extend(&set);
            all.push(t.not(after));
            if cx.out_of_time() || *patience == 0 || too_hard(ts, &all) {
                return None;
            }
            let answer = cx.ask(solver, ts, &all);
            let cost = if matches!(answer, Answer::Unknown(_)) { LEFT_OPEN } else { 1 };
            *patience = patience.saturating_sub(cost);
            if !answer.is_unsat() {
                all_kept = false;
                more.extend(helped(ts, cycle, *c, after, mode)?);
            }
        }
        // Not "nothing to add": there may be no help for what is broken.
        if all_kept {
            return Some(simplify(t, t.all(set)));
        }
        let before = set.len();
        for m in more {
            let m = simplify(t, m);
            if m == t.ff() || !speaks_of_variables(ts, m) {
                return None;
            }
            if m != t.tt() && !set.contains(&m) {
                set.push(m);
            }
        }
        if set.len() == before || set.len() > 24 || too_hard(ts, &set) || !cx.ask(solver, ts, &set).is_sat() {
            return None;
        }
    }
    None
}

/// The condition as conjunctions of which one holds, as far as they are few.
pub(super) fn cases(ts: &TransitionSystem, condition: Term) -> Vec<Vec<Term>> {
    let t = &ts.terms;
    let mut all: Vec<Vec<Term>> = vec![Vec::new()];
    for c in t.conjuncts(condition) {
        let ways = alternatives(ts, c);
        if ways.len() * all.len() > MOST_CASES {
            for a in &mut all {
                a.push(c);
            }
            continue;
        }
        all = ways
            .iter()
            .flat_map(|w| {
                all.iter().map(|a| {
                    let mut a = a.clone();
                    a.extend(t.conjuncts(*w));
                    a
                })
            })
            .collect();
    }
    all
}

/// The ways in which one conjunct can hold: the parts of a disjunction, and for `a != b` the two orders.
fn alternatives(ts: &TransitionSystem, c: Term) -> Vec<Term> {
    let t = &ts.terms;
    let node = t.node(c);
    match node.op {
        Op::Or => node.args().iter().flat_map(|a| alternatives(ts, *a)).collect(),
        Op::Not => {
            let inner = t.node(node.args()[0]);
            match inner.op {
                Op::And => inner.args().iter().flat_map(|a| alternatives(ts, simplify(t, t.not(*a)))).collect(),
                Op::Eq => {
                    let (a, b) = (inner.args()[0], inner.args()[1]);
                    match t.sort(a) {
                        Sort::Int => vec![t.apply(Op::IntLt, &[a, b]), t.apply(Op::IntLt, &[b, a])],
                        Sort::BitVec(_) => vec![c, t.apply(Op::BvSlt, &[a, b]), t.apply(Op::BvSlt, &[b, a])],
                        _ => vec![c],
                    }
                }
                _ => vec![c],
            }
        }
        _ => vec![c],
    }
}

/// What would help a conjunct that is not kept; nothing if this mode has no help.
fn helped(ts: &TransitionSystem, cycle: &Chosen, c: Term, after: Term, mode: Mode) -> Option<Vec<Term>> {
    let t = &ts.terms;
    match mode {
        Mode::Again => Some(vec![after]),
        Mode::Fixed => {
            let changed: BTreeSet<VarId> = closure(ts, cycle, c);
            Some(changed.into_iter().map(|v| t.eq(cycle.state[v.index()], ts.vars[v].term)).collect())
        }
        Mode::Monotone | Mode::Signed => {
            let comparison = Comparison::of(ts, c)?;
            let (a, b) = (comparison.less, comparison.greater);
            let then = |u: Term| simplify(t, in_state(ts, u, &cycle.state));
            if t.sort(a) != Sort::Int {
                if mode == Mode::Signed || comparison.equal {
                    return None;
                }
                // Over bit-vectors: the lesser side does not rise, the greater one does not fall, each in the order in question.
                let op = comparison.op;
                return Some(vec![t.apply(op, &[then(a), a]), t.apply(op, &[b, then(b)])]);
            }
            let minus = IBig::from(-1);
            let slack = |a: Term, b: Term| linear(t, b, Reading::Signed).plus(&minus, &linear(t, a, Reading::Signed));
            let later = slack(then(a), then(b));
            let zero = t.int(0);
            if mode == Mode::Monotone {
                let change = later.plus(&minus, &slack(a, b));
                let change = term(ts, &change, Sort::Int);
                let holds = if comparison.equal { t.eq(change, zero) } else { t.apply(Op::IntLe, &[zero, change]) };
                return Some(vec![holds]);
            }
            if comparison.equal {
                return None;
            }
            let part = |c: &Term, w: &IBig| {
                let alone = Linear { columns: [(*c, w.clone())].into(), constant: IBig::ZERO };
                t.apply(Op::IntLe, &[zero, term(ts, &alone, Sort::Int)])
            };
            Some(later.columns.iter().map(|(c, w)| part(c, w)).collect())
        }
    }
}

/// The variables that a condition hangs on, from one execution to the next, and that the cycle changes.
fn closure(ts: &TransitionSystem, cycle: &Chosen, c: Term) -> BTreeSet<VarId> {
    let t = &ts.terms;
    let mut seen: BTreeSet<VarId> = BTreeSet::new();
    let mut open = vec![c];
    while let Some(u) = open.pop() {
        for s in t.symbols(u) {
            if let Some(Role::Var(v)) = t.role(s)
                && seen.insert(v)
            {
                open.push(cycle.state[v.index()]);
            }
        }
    }
    seen.retain(|v| cycle.state[v.index()] != ts.vars[*v].term);
    seen
}

/// A conjunct as a comparison: `less` is at most, or below, `greater`.
struct Comparison {
    less: Term,
    greater: Term,
    equal: bool,
    /// The order "at most".
    op: Op,
}

impl Comparison {
    fn of(ts: &TransitionSystem, c: Term) -> Option<Self> {
        let t = &ts.terms;
        let (mut node, mut positive) = (t.node(c), true);
        while node.op == Op::Not {
            node = t.node(node.args()[0]);
            positive = !positive;
        }
        let op = match node.op {
            Op::IntLt | Op::IntLe => Op::IntLe,
            Op::BvSlt | Op::BvSle => Op::BvSle,
            Op::BvUlt | Op::BvUle => Op::BvUle,
            Op::Eq if positive && t.sort(node.args()[0]) == Sort::Int => {
                return Some(Self { less: node.args()[0], greater: node.args()[1], equal: true, op: Op::IntLe });
            }
            _ => return None,
        };
        let (a, b) = if positive { (node.args()[0], node.args()[1]) } else { (node.args()[1], node.args()[0]) };
        Some(Self { less: a, greater: b, equal: false, op })
    }
}
