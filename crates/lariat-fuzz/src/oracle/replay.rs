//! The rules of an orbit, by replaying it with values that know whether they can be relied on.
//!
//! A value is *clean* if every run that starts in `when` and takes the same inputs has the same one.

use lariat_ir::eval::apply;
use lariat_ir::{
    Choice, Id, LocId, Op, Role, Scalar, Sort, StatePart, Term, TransitionSystem, UnknownKind, Value, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// An orbit as its certificate gives it.
pub(super) struct Orbit<'o> {
    pub when: Term,
    pub start: &'o [Value],
    pub stem: &'o [Choice],
    pub cycle: &'o [Choice],
    pub same: &'o [StatePart],
}

/// Which parts of a value are clean: one flag, or one for each cell of a small array.
#[derive(Clone, Debug)]
enum Clean {
    Whole(bool),
    Cells(BTreeMap<Value, bool>),
}

type Tracked = (Value, Clean);

/// The rule that an orbit violates, if it violates one.
pub(super) fn violation(ts: &TransitionSystem, body: &BTreeSet<LocId>, orbit: &Orbit) -> Option<String> {
    run(ts, body, orbit).err()
}

fn run(ts: &TransitionSystem, body: &BTreeSet<LocId>, orbit: &Orbit) -> Result<(), String> {
    let sorts_fit = orbit.start.iter().map(Value::sort).eq(ts.vars.iter().map(|v| v.sort));
    if !sorts_fit {
        return Err("the start does not fit the variables".into());
    }
    let at_start = |t: Term| {
        ts.terms.eval(t, |s| match ts.terms.role(s) {
            Some(Role::Var(v)) => orbit.start[v.index()].clone(),
            _ => unreachable!("conditions were seen to speak of variables"),
        })
    };
    if !at_start(ts.init).as_bool() || !at_start(orbit.when).as_bool() {
        return Err("the start is no initial state of `when`".into());
    }
    let mut pinned = pins(ts, orbit.when);
    pinned.extend(pins(ts, ts.init));
    let mut state: Vec<Tracked> =
        orbit.start.iter().zip(ts.vars.ids()).map(|(v, id)| (v.clone(), uniform(v, pinned.contains(&id)))).collect();
    let mut loc = ts.entry;
    for c in orbit.stem {
        loc = step(ts, loc, &mut state, c)?;
    }
    if orbit.cycle.is_empty() {
        return Err("the cycle is empty".into());
    }
    let knot = loc;
    let before = state.clone();
    for p in orbit.same {
        if !place_is_clean(&state, p)? {
            return Err("a place is not clean before the cycle".into());
        }
    }
    for (i, (value, clean)) in state.iter_mut().enumerate() {
        let v = VarId::from_index(i);
        let keep = |index: Option<&Value>| {
            orbit.same.iter().any(|p| match p {
                StatePart::Var(w) => *w == v,
                StatePart::Cell(w, at) => *w == v && Some(at) == index,
            })
        };
        *clean = match uniform(value, false) {
            Clean::Whole(_) => Clean::Whole(keep(None)),
            Clean::Cells(cells) => Clean::Cells(cells.into_keys().map(|k| (k.clone(), keep(Some(&k)))).collect()),
        };
    }
    for c in orbit.cycle {
        if !body.contains(&loc) {
            return Err("the cycle leaves the loop".into());
        }
        loc = step(ts, loc, &mut state, c)?;
    }
    if loc != knot {
        return Err("the cycle does not end where it starts".into());
    }
    for p in orbit.same {
        if place_value(&before, p)? != place_value(&state, p)? {
            return Err("a place differs after the cycle".into());
        }
        if !place_is_clean(&state, p)? {
            return Err("a place is not clean after the cycle".into());
        }
    }
    Ok(())
}

/// The variables that a condition fixes.
fn pins(ts: &TransitionSystem, condition: Term) -> BTreeSet<VarId> {
    let t = &ts.terms;
    let var = |x: Term| match t.role(x) {
        Some(Role::Var(v)) => Some(v),
        _ => None,
    };
    let closed = |x: Term| t.symbols(x).is_empty();
    let mut found = BTreeSet::new();
    for c in t.conjuncts(condition) {
        let node = t.node(c);
        found.extend(match (node.op, node.args()) {
            (Op::Eq, &[a, b]) if closed(b) => var(a),
            (Op::Eq, &[a, b]) if closed(a) => var(b),
            (Op::Not, &[a]) => var(a),
            _ => var(c),
        });
    }
    found
}

fn uniform(value: &Value, clean: bool) -> Clean {
    match value.sort() {
        Sort::Array(index, _) => Clean::Cells(indices(index).map(|i| (i, clean)).collect()),
        _ => Clean::Whole(clean),
    }
}

/// The indices of a small array; the random systems have no others.
fn indices(index: Scalar) -> impl Iterator<Item = Value> {
    let count: u128 = match index {
        Scalar::Bool => 2,
        Scalar::BitVec(w) => 1 << w.min(10),
        Scalar::Int => 0,
    };
    (0..count).map(move |n| match index {
        Scalar::BitVec(w) => Value::bv(w, n),
        _ => Value::Bool(n == 1),
    })
}

impl Clean {
    fn all(&self) -> bool {
        match self {
            Self::Whole(c) => *c,
            Self::Cells(cells) => !cells.is_empty() && cells.values().all(|c| *c),
        }
    }
}

fn place_is_clean(state: &[Tracked], p: &StatePart) -> Result<bool, String> {
    let (StatePart::Var(v) | StatePart::Cell(v, _)) = p;
    let (_, clean) = state.get(v.index()).ok_or("a place is no variable")?;
    match (p, clean) {
        (StatePart::Cell(_, at), Clean::Cells(cells)) => {
            cells.get(at).copied().ok_or_else(|| "a place's index does not fit".to_owned())
        }
        _ => Ok(clean.all()),
    }
}

fn place_value(state: &[Tracked], p: &StatePart) -> Result<Value, String> {
    let (StatePart::Var(v) | StatePart::Cell(v, _)) = p;
    let (value, _) = state.get(v.index()).ok_or("a place is no variable")?;
    Ok(match (p, value) {
        (StatePart::Cell(_, at), Value::Array(a)) => a.get(at).clone(),
        _ => value.clone(),
    })
}

fn step(ts: &TransitionSystem, loc: LocId, state: &mut [Tracked], c: &Choice) -> Result<LocId, String> {
    let edge = &ts.edges[c.edge];
    if edge.from != loc {
        return Err("a step does not start where the run is".into());
    }
    let (holds, clean) = evaluate(ts, edge.guard, state, &[]);
    if !holds.as_bool() {
        return Err("a step is not enabled".into());
    }
    if !clean.all() {
        return Err("a guard is not clean".into());
    }
    if edge.to.is_sink() {
        return Err("the run ends".into());
    }
    let mut given: Vec<_> = c.values.iter().map(|(u, _)| *u).collect();
    given.sort_unstable();
    if given != ts.unknowns_of(c.edge) {
        return Err("a step does not give each of its unknowns once".into());
    }
    if c.values.iter().any(|(u, v)| !ts.admits(*u, v)) {
        return Err("a value lies outside its range".into());
    }
    let new: Vec<(VarId, Tracked)> =
        edge.updates.iter().map(|(v, t)| (*v, evaluate(ts, *t, state, &c.values))).collect();
    for (v, tracked) in new {
        state[v.index()] = tracked;
    }
    Ok(edge.to)
}

fn evaluate(ts: &TransitionSystem, t: Term, state: &[Tracked], unknowns: &[(lariat_ir::UnknownId, Value)]) -> Tracked {
    let mut done: BTreeMap<Term, Tracked> = BTreeMap::new();
    for x in ts.terms.reachable(&[t]) {
        let node = ts.terms.node(x);
        let tracked = match ts.terms.role(x) {
            Some(Role::Var(v)) => state[v.index()].clone(),
            Some(Role::Unknown(u)) => {
                let value = unknowns.iter().find(|(w, _)| *w == u).map(|(_, v)| v.clone()).expect("each is given");
                let clean = uniform(&value, ts.unknowns[u].kind == UnknownKind::Input);
                (value, clean)
            }
            Some(role) => unreachable!("{role:?} in a term of a system"),
            None => match ts.terms.constant_value(x) {
                Some(v) => (v, Clean::Whole(true)),
                None => {
                    let args: Vec<&Tracked> = node.args().iter().map(|a| &done[a]).collect();
                    let value = apply(node.op, &args.iter().map(|(v, _)| v).collect::<Vec<_>>());
                    let clean = combine(node.op, &args, &value);
                    (value, clean)
                }
            },
        };
        done.insert(x, tracked);
    }
    done.remove(&t).expect("the root was evaluated")
}

fn combine(op: Op, args: &[&Tracked], value: &Value) -> Clean {
    match (op, args) {
        (Op::Ite, [c, a, b]) if c.1.all() => {
            if c.0.as_bool() {
                a.1.clone()
            } else {
                b.1.clone()
            }
        }
        (Op::Select, [(_, Clean::Cells(cells)), at]) => {
            Clean::Whole(at.1.all() && cells.get(&at.0).copied().unwrap_or(false))
        }
        (Op::Store, [(_, Clean::Cells(cells)), at, new]) => {
            if !at.1.all() {
                return uniform(value, false);
            }
            let mut cells = cells.clone();
            cells.insert(at.0.clone(), new.1.all());
            Clean::Cells(cells)
        }
        _ => uniform(value, args.iter().all(|a| a.1.all())),
    }
}
