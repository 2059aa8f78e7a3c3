//! Makes a failing system small while it keeps failing.
//!
//! Every edit keeps guards total and disjoint: an edge is dropped by giving its guard to a neighbour, a guard is changed
//! together with its negation. An edit is kept if the result is smaller and still fails; edits are tried until
//! none is.

use super::mutate::replaced;
use super::truth::Truth;
use lariat_ir::{EdgeId, LocId, Mode, Op, Role, Sort, Term, TransitionSystem, UnknownId, Value, VarId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A smaller system that still fails, found with at most `budget` questions to `fails`.
pub fn shrink(
    ts: &TransitionSystem,
    budget: usize,
    fails: &mut dyn FnMut(&TransitionSystem) -> bool,
) -> TransitionSystem {
    let mut best = ts.clone();
    let mut left = budget;
    loop {
        let mut progress = false;
        for edit in 0.. {
            let mut candidates = Vec::new();
            if !candidates_of(&best, edit, &mut candidates) {
                break;
            }
            for draft in candidates {
                let Some(candidate) = rebuilt(&draft, &BTreeMap::new()) else { continue };
                if cost(&candidate) >= cost(&best) || Truth::of(&candidate, 4000).is_err() {
                    continue;
                }
                if left == 0 {
                    return best;
                }
                left -= 1;
                if fails(&candidate) {
                    best = candidate;
                    progress = true;
                    // The ids of what is left have changed: make the candidates anew.
                    break;
                }
            }
        }
        if !progress {
            return best;
        }
    }
}

/// How much there is to read.
fn cost(ts: &TransitionSystem) -> usize {
    let mut roots = vec![ts.init];
    for e in &ts.edges {
        roots.push(e.guard);
        roots.extend(e.updates.iter().map(|(_, t)| *t));
    }
    // Terms are counted where they stand, not once for all places; a constant costs a little by its size.
    let size = |t: &Term| {
        ts.terms
            .reachable(&[*t])
            .into_iter()
            .map(|x| match ts.terms.constant_value(x) {
                Some(Value::Bv(b)) => 2 + usize::from(b.unsigned() > 1),
                Some(Value::Int(i)) => 2 + usize::from(!(0..=1).any(|n| i == n.into())),
                Some(_) => 1,
                None => 3,
            })
            .sum::<usize>()
    };
    let bits: usize = ts.vars.iter().map(|v| v.sort.width().unwrap_or(8) as usize).sum();
    roots.iter().map(size).sum::<usize>()
        + 60 * ts.locs.len()
        + 40 * ts.edges.len()
        + 30 * ts.vars.len()
        + 20 * ts.unknowns.len()
        + 10 * ts.edges.iter().map(|e| e.updates.len()).sum::<usize>()
        + 5 * (ts.obligations.len() + usize::from(ts.mode == Mode::Function))
        + bits
}

/// The results of the n-th group of edits; false if there are no more groups.
fn candidates_of(ts: &TransitionSystem, edit: usize, out: &mut Vec<TransitionSystem>) -> bool {
    let mut push = |f: &dyn Fn(&mut TransitionSystem)| {
        let mut d = ts.clone();
        f(&mut d);
        out.push(d);
    };
    match edit {
        0 => {
            for e in ts.edges.ids() {
                push(&|d| merge_away(d, e));
            }
        }
        1 => {
            for e in ts.edges.ids().filter(|e| !ts.edges[*e].to.is_sink()) {
                push(&|d| d.edges[e].to = LocId::EXIT);
            }
        }
        2 => {
            // A location that only passes on is skipped.
            for (l, loc) in ts.locs.entries() {
                if let [only] = loc.out[..] {
                    let edge = &ts.edges[only];
                    if edge.updates.is_empty() && edge.to != l {
                        let to = edge.to;
                        push(&|d| {
                            for e in d.edges.ids() {
                                if d.edges[e].to == l {
                                    d.edges[e].to = to;
                                }
                            }
                            if d.entry == l && !to.is_sink() {
                                d.entry = to;
                            }
                        });
                    }
                }
            }
        }
        3 => {
            for l in ts.locs.ids().filter(|l| !l.is_sink()) {
                push(&|d| d.entry = l);
            }
            for v in ts.vars.ids() {
                let zero = ts.terms.value(&Value::zero(ts.vars[v].sort));
                let dropped = BTreeMap::from([(v, zero)]);
                out.extend(rebuilt(ts, &dropped));
            }
        }
        4 => {
            for e in ts.edges.ids() {
                for n in 0..ts.edges[e].updates.len() {
                    push(&|d| {
                        d.edges[e].updates.remove(n);
                    });
                }
            }
        }
        5 => {
            for u in ts.unknowns.ids() {
                let value = match &ts.unknowns[u].range {
                    Some((lo, _)) => Value::Int(lo.clone()),
                    None => Value::zero(ts.unknowns[u].sort),
                };
                push(&|d| substitute_unknown(d, u, &value));
            }
        }
        6 => {
            push(&|d| d.obligations.clear());
            push(&|d| d.mode = Mode::Program);
            push(&|d| d.init = d.terms.tt());
            for c in ts.terms.conjuncts(ts.init) {
                let rest: Vec<Term> = ts.terms.conjuncts(ts.init).into_iter().filter(|x| *x != c).collect();
                push(&|d| d.init = d.terms.all(rest.iter().copied()));
            }
            for v in ts.vars.ids() {
                let zero = Value::zero(ts.vars[v].sort);
                push(&|d| d.init = d.terms.and(d.init, d.terms.eq(d.vars[v].term, d.terms.value(&zero))));
            }
        }
        7 => {
            for e in ts.edges.ids() {
                for n in 0..ts.edges[e].updates.len() {
                    for smaller in simpler(ts, ts.edges[e].updates[n].1) {
                        push(&|d| d.edges[e].updates[n].1 = smaller);
                    }
                }
            }
        }
        8 => {
            for loc in &ts.locs {
                let [a, b] = loc.out[..] else { continue };
                for smaller in simpler(ts, ts.edges[a].guard) {
                    push(&|d| {
                        d.edges[a].guard = smaller;
                        d.edges[b].guard = d.terms.not(smaller);
                    });
                }
            }
        }
        9 => {
            for smaller in simpler(ts, ts.init) {
                push(&|d| d.init = smaller);
            }
        }
        _ => return false,
    }
    true
}

/// Takes an edge away; the first other edge of its location gets its guard.
fn merge_away(d: &mut TransitionSystem, e: EdgeId) {
    let from = d.edges[e].from;
    let others: Vec<EdgeId> = d.locs[from].out.iter().copied().filter(|o| *o != e).collect();
    let Some(&heir) = others.first() else { return };
    d.edges[heir].guard =
        if others.len() == 1 { d.terms.tt() } else { d.terms.or(d.edges[heir].guard, d.edges[e].guard) };
    d.locs[from].out = others;
}

fn substitute_unknown(d: &mut TransitionSystem, u: UnknownId, value: &Value) {
    let (symbol, constant) = (d.unknowns[u].term, d.terms.value(value));
    for e in d.edges.ids().collect::<Vec<_>>() {
        for n in 0..d.edges[e].updates.len() {
            let t = d.edges[e].updates[n].1;
            d.edges[e].updates[n].1 = d.terms.substitute(t, |s| (s == symbol).then_some(constant));
        }
    }
}

/// Terms of the same sort with less in them: each node replaced by an argument of its sort, or by a small constant.
fn simpler(ts: &TransitionSystem, root: Term) -> Vec<Term> {
    let t = &ts.terms;
    let mut found = BTreeSet::new();
    for node in t.reachable(&[root]) {
        let n = t.node(node);
        let mut smaller: Vec<Term> = n.args().iter().copied().filter(|a| t.sort(*a) == n.sort).collect();
        match n.sort {
            Sort::Bool if !n.args().is_empty() => smaller.extend([t.tt(), t.ff()]),
            Sort::BitVec(w) => smaller.extend([t.bv(w, 0), t.bv(w, 1)]),
            Sort::Int => smaller.extend([t.int(0), t.int(1)]),
            _ => {}
        }
        if n.op == Op::Not {
            smaller.extend(t.node(n.args()[0]).args().iter().copied().filter(|a| t.sort(*a) == n.sort));
        }
        found.extend(smaller.into_iter().filter(|s| *s != node).filter_map(|s| replaced(ts, root, node, s)));
    }
    found.into_iter().collect()
}

/// The system with only what is used: locations that the graph reaches, unknowns that edges mention, no dropped
/// variables. Nothing if that is no system.
fn rebuilt(ts: &TransitionSystem, dropped: &BTreeMap<VarId, Term>) -> Option<TransitionSystem> {
    let mut reached: BTreeSet<LocId> = [ts.entry].into();
    let mut open = vec![ts.entry];
    while let Some(l) = open.pop() {
        for &e in &ts.locs[l].out {
            let to = ts.edges[e].to;
            if !to.is_sink() && reached.insert(to) {
                open.push(to);
            }
        }
    }
    let mut new = TransitionSystem::new(&ts.name, ts.integers);
    new.proves = ts.proves;
    new.mode = ts.mode;
    new.obligations.clone_from(&ts.obligations);
    let mut image: HashMap<Term, Term> = HashMap::new();
    let mut var_of: BTreeMap<VarId, VarId> = BTreeMap::new();
    for (v, var) in ts.vars.entries() {
        if let Some(constant) = dropped.get(&v) {
            let value = ts.terms.eval(*constant, |_| unreachable!("a constant has no symbols"));
            image.insert(var.term, new.terms.value(&value));
        } else {
            let id = new.add_var(&var.name, var.sort);
            image.insert(var.term, new.vars[id].term);
            var_of.insert(v, id);
        }
    }
    let edges = || reached.iter().flat_map(|l| ts.locs[*l].out.iter().copied());
    let used: BTreeSet<UnknownId> = edges().flat_map(|e| ts.unknowns_of(e)).collect();
    for u in used {
        let x = &ts.unknowns[u];
        let id = new.add_unknown(&x.name, x.sort, x.kind, x.range.clone());
        image.insert(x.term, new.unknowns[id].term);
    }
    let mut loc_of: BTreeMap<LocId, LocId> = lariat_ir::SINKS.iter().map(|(l, _)| (*l, *l)).collect();
    for l in &reached {
        loc_of.insert(*l, new.add_loc(&ts.locs[*l].name));
    }
    new.entry = *loc_of.get(&ts.entry).filter(|l| !l.is_sink())?;
    new.init = moved(ts, &new, ts.init, &mut image)?;
    for e in edges() {
        let edge = &ts.edges[e];
        let guard = moved(ts, &new, edge.guard, &mut image)?;
        let mut updates = Vec::new();
        for (v, t) in &edge.updates {
            if let Some(id) = var_of.get(v) {
                updates.push((*id, moved(ts, &new, *t, &mut image)?));
            }
        }
        new.add_edge(loc_of[&edge.from], loc_of[&edge.to], guard, updates);
    }
    (new.defects().is_empty() && !new.vars.is_empty()).then_some(new)
}

/// A term in another arena.
fn moved(from: &TransitionSystem, to: &TransitionSystem, t: Term, image: &mut HashMap<Term, Term>) -> Option<Term> {
    for x in from.terms.reachable(&[t]) {
        if image.contains_key(&x) {
            continue;
        }
        let node = from.terms.node(x);
        let y = match (from.terms.constant_value(x), from.terms.role(x)) {
            (Some(v), _) => to.terms.value(&v),
            (_, Some(Role::Var(_) | Role::Unknown(_) | Role::Old(_) | Role::Copy(..) | Role::Free)) => return None,
            _ => {
                let args: Vec<Term> = node.args().iter().map(|a| image[a]).collect();
                to.terms.try_apply(node.op, &args).ok()?
            }
        };
        image.insert(x, y);
    }
    image.get(&t).copied()
}

#[cfg(test)]
mod tests {
    use super::super::random::{Shape, random_system};
    use super::*;
    use lariat_ir::lts;

    /// "Fails" if some reachable state multiplies, wherever that stands: the rest is to go.
    #[test]
    fn a_planted_failure_becomes_small() {
        let multiplies = |ts: &TransitionSystem| {
            ts.edges.iter().any(|e| {
                e.updates.iter().any(|(_, t)| {
                    ts.terms.reachable(&[*t]).iter().any(|x| matches!(ts.terms.node(*x).op, Op::BvMul | Op::IntMul))
                })
            })
        };
        let mut shrunk = 0;
        for seed in 0..100 {
            // What no edge leads to is dropped in any case, so it is dropped first.
            let Some(ts) = rebuilt(&random_system(seed, &Shape::default()), &BTreeMap::new()) else { continue };
            if !multiplies(&ts) {
                continue;
            }
            let small = shrink(&ts, 400, &mut |c| multiplies(c));
            assert!(multiplies(&small));
            assert_eq!(small.defects(), Vec::new());
            assert!(small.locs.len() - 4 <= 1, "seed {seed}\n{}", lts::print(&small));
            assert_eq!(small.edges.len(), 1, "seed {seed}\n{}", lts::print(&small));
            assert_eq!(lts::print(&lts::parse(&lts::print(&small)).expect("a system").system), lts::print(&small));
            shrunk += 1;
        }
        assert!(shrunk > 5, "{shrunk}");
    }

    #[test]
    fn what_fails_by_its_truth_keeps_its_truth() {
        use super::super::truth::Verdict;
        let mut seen = 0;
        for seed in 0..60 {
            let ts = random_system(seed, &Shape::default());
            let verdict = |ts: &TransitionSystem| Truth::of(ts, 4000).map(|t| t.program_verdict()).ok();
            if verdict(&ts) != Some(Verdict::Neither) {
                continue;
            }
            let small = shrink(&ts, 400, &mut |c| verdict(c) == Some(Verdict::Neither));
            assert_eq!(verdict(&small), Some(Verdict::Neither));
            assert!(small.edges.len() <= 6, "seed {seed}\n{}", lts::print(&small));
            seen += 1;
        }
        assert!(seen > 0);
    }
}
