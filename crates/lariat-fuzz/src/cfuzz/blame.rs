//! Whether what a system did rests on something that it does not know.
//!
//! A run is repeated with a mark on every value that was made from an unknown that is no input. A difference in front of which no
//! marked value decided anything, and that is no marked value itself, is there whatever the unknowns are: the system is wrong.
//! Any other may be a loss only.

use super::interpret::{FUEL, Values, initial_values, observes};
use lariat_ir::eval::apply;
use lariat_ir::random::Random;
use lariat_ir::{Id, LocationKind, Op, Role, Term, TransitionSystem, UnknownKind, Value};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Which parts of a value were made from unknowns.
#[derive(Clone, Debug)]
enum Mark {
    /// Nothing, or everything.
    All(bool),
    /// For a map: what these cells hold, and what all others hold.
    Cells(Rc<BTreeMap<Value, bool>>, bool),
}

impl Mark {
    fn any(&self) -> bool {
        match self {
            Self::All(m) => *m,
            Self::Cells(cells, rest) => *rest || cells.values().any(|m| *m),
        }
    }
    fn at(&self, index: &Value) -> bool {
        match self {
            Self::All(m) => *m,
            Self::Cells(cells, rest) => cells.get(index).copied().unwrap_or(*rest),
        }
    }
    fn with(&self, index: &Value, mark: bool) -> Self {
        let (mut cells, rest) = match self {
            Self::All(m) => (BTreeMap::new(), *m),
            Self::Cells(cells, rest) => (BTreeMap::clone(cells), *rest),
        };
        cells.insert(index.clone(), mark);
        Self::Cells(Rc::new(cells), rest)
    }
}

/// A marked value.
type Marked = (Value, Mark);

/// What a repeated run found.
pub struct Blame {
    /// How many observations went before the first step that an unknown decided, if there was one.
    pub decided_after: Option<usize>,
    /// For each observation, whether it was made from an unknown.
    pub observed: Vec<bool>,
}

impl Blame {
    /// Whether a difference in the n-th observation, or in what comes instead of it, may rest on an unknown.
    pub fn covers(&self, n: usize) -> bool {
        self.decided_after.is_some_and(|k| k <= n) || self.observed.get(n).copied().unwrap_or(false)
    }
}

/// Repeats the first steps of a run, up to the n-th observation.
pub fn blame(ts: &TransitionSystem, from: &Values, n: usize) -> Blame {
    let mut found = Blame { decided_after: None, observed: Vec::new() };
    let mut rng = Random::new(from.other_seed);
    let mut values: Vec<Marked> = initial_values(ts).into_iter().map(|v| (v, Mark::All(false))).collect();
    let mut loc = ts.entry;
    let observed = ts.var_named("observed");
    let mut plans: HashMap<Vec<Term>, Rc<[Term]>> = HashMap::new();
    for _ in 0..FUEL {
        if loc.is_sink() || found.observed.len() > n {
            break;
        }
        // What a run does from here is not known, whatever this system writes there: in one for divergence it leads to UB.
        if ts.locs[loc].kind() == LocationKind::BeyondModel && found.decided_after.is_none() {
            found.decided_after = Some(found.observed.len());
        }
        let out = &ts.locs[loc].out;
        let guards: Vec<Term> = out.iter().map(|&e| ts.edges[e].guard).collect();
        let mut never = |_: Term| unreachable!("a guard has no unknowns");
        let holds = evaluate(ts, &mut plans, &guards, &values, &mut never);
        let Some((edge, (_, mark))) = out.iter().zip(holds).find(|(_, (v, _))| v.as_bool()) else { break };
        if mark.any() && found.decided_after.is_none() {
            found.decided_after = Some(found.observed.len());
        }
        let edge = &ts.edges[*edge];
        let updates: Vec<Term> = edge.updates.iter().map(|(_, t)| *t).collect();
        let count = found.observed.len() as u64;
        let mut unknown = |s: Term| match ts.terms.role(s) {
            Some(Role::Unknown(u)) => {
                let (value, known) = from.choose(ts, u, count, &mut rng);
                debug_assert!(known || ts.unknowns[u].kind != UnknownKind::Input);
                (value, Mark::All(!known))
            }
            role => unreachable!("an update has no symbol with the role {role:?}"),
        };
        let new = evaluate(ts, &mut plans, &updates, &values, &mut unknown);
        for ((var, _), value) in edge.updates.iter().zip(new) {
            values[var.index()] = value;
        }
        loc = edge.to;
        if observes(ts, loc) {
            found.observed.push(observed.is_some_and(|v| values[v.index()].1.any()));
        }
    }
    found
}

fn evaluate(
    ts: &TransitionSystem,
    plans: &mut HashMap<Vec<Term>, Rc<[Term]>>,
    roots: &[Term],
    values: &[Marked],
    unknown: &mut dyn FnMut(Term) -> Marked,
) -> Vec<Marked> {
    let order = Rc::clone(plans.entry(roots.to_vec()).or_insert_with(|| ts.terms.reachable(roots).into()));
    let mut done: HashMap<Term, Marked> = HashMap::new();
    for &t in order.iter() {
        let node = ts.terms.node(t);
        let value = match node.op {
            Op::Symbol(_) => match ts.terms.role(t) {
                Some(Role::Var(v)) => values[v.index()].clone(),
                _ => unknown(t),
            },
            Op::Bool(_) | Op::Bv(_) | Op::Int(_) => {
                (ts.terms.constant_value(t).expect("a constant has a value"), Mark::All(false))
            }
            op => {
                let args: Vec<&Marked> = node.args().iter().map(|a| &done[a]).collect();
                operate(op, &args)
            }
        };
        done.insert(t, value);
    }
    roots.iter().map(|r| done[r].clone()).collect()
}

fn operate(op: Op, args: &[&Marked]) -> Marked {
    let plain: Vec<&Value> = args.iter().map(|(v, _)| v).collect();
    let value = apply(op, &plain);
    let marked = |i: usize| args[i].1.any();
    // One operand alone decides: the others do not matter.
    let by_one = |decides: &dyn Fn(&Value) -> bool| (0..args.len()).any(|i| !marked(i) && decides(plain[i]));
    let any = args.iter().any(|(_, m)| m.any());
    let zero = |v: &Value| *v == Value::zero(v.sort());
    let mark = match op {
        Op::And => Mark::All(any && !by_one(&|v| !v.as_bool())),
        Op::Or => Mark::All(any && !by_one(&|v| v.as_bool())),
        Op::BvAnd | Op::BvMul | Op::IntMul => Mark::All(any && !by_one(&zero)),
        Op::Ite if !marked(0) => args[if plain[0].as_bool() { 1 } else { 2 }].1.clone(),
        Op::Ite => Mark::All(marked(1) || marked(2) || plain[1] != plain[2]),
        Op::Select => Mark::All(marked(1) || args[0].1.at(plain[1])),
        Op::Store if marked(1) => Mark::All(true),
        Op::Store => args[0].1.with(plain[1], marked(2)),
        _ => Mark::All(any),
    };
    (value, mark)
}
