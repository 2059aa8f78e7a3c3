//! A loop without what does not decide whether it goes on.
//!
//! Edges between the same locations of the loop that do the same to the variables in question differ only in what does not
//! matter: they become one, whose guard is the disjunction of theirs, and `p || !p` vanishes from it. The variables in question are those
//! of the guards that are left, closed under dependence; the others get any value at all. What is left has every step of the
//! loop, seen through these variables, and no other; edges outside the loop stay as they are. So a proof that the sliced loop
//! ends, with measures and invariants over these variables, is one for the whole system: the checker shows it there.

use lariat_ir::simplify::simplify;
use lariat_ir::{Edge, EdgeId, LocId, Op, Role, Term, Terms, TransitionSystem, UnknownKind, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// More edges than this between two locations are not compared with each other.
const MOST_EDGES: usize = 256;

/// A conjunction.
type Cube = BTreeSet<Term>;

/// What edges have in common that become one: their ends, and what they do to the variables in question.
type Group = (LocId, LocId, Vec<(VarId, Term)>);

/// The slice of a loop with this body; nothing if it would be the loop itself.
pub(crate) fn slice(ts: &TransitionSystem, body: &BTreeSet<LocId>) -> Option<TransitionSystem> {
    let inside: Vec<(EdgeId, &Edge)> =
        ts.edges.entries().filter(|(_, e)| body.contains(&e.from) && body.contains(&e.to)).collect();
    let mut relevant: BTreeSet<VarId> = BTreeSet::new();
    let groups = loop {
        let mut groups: BTreeMap<Group, Vec<EdgeId>> = BTreeMap::new();
        for (id, e) in &inside {
            let mut updates: Vec<_> = e.updates.iter().filter(|(v, _)| relevant.contains(v)).copied().collect();
            updates.sort_unstable();
            groups.entry((e.from, e.to, updates)).or_default().push(*id);
        }
        let merged: Vec<(Group, Vec<EdgeId>, Vec<Cube>)> = groups
            .into_iter()
            .map(|(group, edges)| {
                let cubes = merge(&ts.terms, edges.iter().map(|e| ts.edges[*e].guard));
                (group, edges, cubes)
            })
            .collect();
        let before = relevant.len();
        for ((_, _, updates), _, cubes) in &merged {
            let terms = cubes.iter().flatten().copied().chain(updates.iter().map(|(_, t)| *t));
            for s in terms.flat_map(|t| ts.terms.symbols(t)) {
                if let Some(Role::Var(v)) = ts.terms.role(s) {
                    relevant.insert(v);
                }
            }
        }
        if relevant.len() == before {
            break merged;
        }
    };
    let left: usize = groups.iter().map(|(_, _, cubes)| cubes.len()).sum();
    if left == inside.len() {
        return None;
    }
    let mut sliced = ts.clone();
    sliced.edges = lariat_ir::IdVec::new();
    sliced.cases.clear();
    for l in ts.locs.ids() {
        sliced.locs[l].out.clear();
    }
    for (_, e) in ts.edges.entries().filter(|(id, _)| !inside.iter().any(|(i, _)| i == id)) {
        sliced.push_edge(e.clone());
    }
    let mut anything: BTreeMap<VarId, Term> = BTreeMap::new();
    for ((from, to, updates), edges, cubes) in groups {
        let mut updates = updates;
        let changed: BTreeSet<VarId> = edges.iter().flat_map(|e| &ts.edges[*e].updates).map(|(v, _)| *v).collect();
        for v in changed.into_iter().filter(|v| !relevant.contains(v)) {
            let value = *anything.entry(v).or_insert_with(|| {
                let name = format!("any value of {}", sliced.vars[v].name);
                let unknown = sliced.add_unknown(&name, sliced.vars[v].sort, UnknownKind::Environment, None);
                sliced.unknowns[unknown].term
            });
            updates.push((v, value));
        }
        for cube in cubes {
            let guard = simplify(&sliced.terms, sliced.terms.all(cube));
            sliced.add_edge(from, to, guard, updates.clone());
        }
    }
    Some(sliced)
}

/// The disjunction of some conditions, as few conjunctions.
///
/// `C p || C' !p` is `C p || C'` where `C'` says all that `C` says; what implies another one is dropped.
fn merge(t: &Terms, conditions: impl Iterator<Item = Term>) -> Vec<Cube> {
    let mut cubes: Vec<Cube> = conditions.map(|c| t.conjuncts(c).into_iter().collect()).collect();
    if cubes.len() > MOST_EDGES {
        return cubes;
    }
    let mut opposites: BTreeMap<Term, Term> = BTreeMap::new();
    let mut opposite = |p: Term| *opposites.entry(p).or_insert_with(|| simplify(t, t.not(p)));
    loop {
        let mut shorter: Option<(usize, Term)> = None;
        'pairs: for (i, stronger) in cubes.iter().enumerate() {
            for (_, weaker) in cubes.iter().enumerate().filter(|(k, _)| *k != i) {
                let mut missing = weaker.difference(stronger);
                // All that the weaker one says, but for one part, whose opposite the stronger one says.
                if let (Some(p), None) = (missing.next(), missing.next()) {
                    let not_p = opposite(*p);
                    if stronger.contains(&not_p) {
                        shorter = Some((i, not_p));
                        break 'pairs;
                    }
                }
            }
        }
        match shorter {
            Some((i, p)) => {
                cubes[i].remove(&p);
            }
            None => break,
        }
    }
    let implied = |i: usize| {
        cubes
            .iter()
            .enumerate()
            .any(|(k, weaker)| k != i && weaker.is_subset(&cubes[i]) && (weaker.len() < cubes[i].len() || k < i))
    };
    let kept: Vec<usize> = (0..cubes.len()).filter(|i| !implied(*i)).collect();
    kept.into_iter().map(|i| cubes[i].clone()).collect()
}

/// A term of one arena in another that has the same symbols.
pub(crate) fn brought(from: &Terms, to: &Terms, t: Term) -> Term {
    let mut done: BTreeMap<Term, Term> = BTreeMap::new();
    for u in from.reachable(&[t]) {
        let node = from.node(u);
        let there = match node.op {
            Op::Symbol(s) => {
                let symbol = from.symbol_data(s);
                to.symbol(&symbol.name, symbol.sort, symbol.role)
            }
            Op::Bool(_) | Op::Bv(_) | Op::Int(_) => to.value(&from.constant_value(u).expect("a constant has a value")),
            op => to.apply(op, &node.args().iter().map(|a| done[a]).collect::<Vec<_>>()),
        };
        done.insert(u, there);
    }
    done[&t]
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::lts;

    fn parsed(text: &str) -> (TransitionSystem, BTreeSet<LocId>) {
        let ts = lts::parse(text).expect("a system").system;
        let body = lariat_ir::LoopForest::of(&ts).loops.iter().next().expect("a loop").body.clone();
        (ts, body)
    }

    const SEARCH: &str = "lts 1
name search
integers ideal
var i: int
var n: int
var most: int
var kind: int
init i == 0
entry head
head:
  if i < n && most < 5 && kind == 1 goto head with i := i + 1, most := most + i
  if i < n && most < 5 && kind != 1 goto head with i := i + 1, kind := most
  if i < n && most >= 5 goto head with i := i + 1
  if i >= n goto EXIT
";

    #[test]
    fn what_does_not_decide_vanishes() {
        let (ts, body) = parsed(SEARCH);
        let sliced = slice(&ts, &body).expect("most and kind do not matter");
        let inside: Vec<&Edge> = sliced.edges.iter().filter(|e| body.contains(&e.to)).collect();
        assert_eq!(inside.len(), 1);
        let i = &ts.vars[ts.var_named("i").expect("i")];
        let n = &ts.vars[ts.var_named("n").expect("n")];
        assert_eq!(inside[0].guard, sliced.terms.apply(Op::IntLt, &[i.term, n.term]));
        // The others may be anything after it.
        assert_eq!(inside[0].updates.len(), 3);
        assert!(sliced.edges.iter().any(|e| e.to == LocId::EXIT));
    }

    #[test]
    fn a_loop_that_depends_on_everything_stays() {
        let text = SEARCH.replace("i := i + 1, kind := most", "i := i + kind, kind := most");
        let (ts, body) = parsed(&text);
        assert!(slice(&ts, &body).is_none());
    }

    #[test]
    fn disjunctions_are_exact() {
        let ts = TransitionSystem::new("none", lariat_ir::Integers::Wrap);
        let t = &ts.terms;
        let names = ["a", "b", "c"];
        let vars = names.map(|n| t.symbol(n, lariat_ir::Sort::Bool, Role::Free));
        // All sets of at most four of the 26 conjunctions of literals would be many: a regular sample.
        let literals = |code: usize| {
            let parts =
                vars.iter().enumerate().filter_map(|(i, v)| match code / 3usize.pow(u32::try_from(i).ok()?) % 3 {
                    0 => None,
                    1 => Some(*v),
                    _ => Some(t.not(*v)),
                });
            t.all(parts.collect::<Vec<_>>())
        };
        for seed in 0..2000usize {
            let codes: Vec<usize> = (0..4).map(|k| (seed * (7 + 4 * k) + k * seed / 5) % 26 + 1).collect();
            let conditions: Vec<Term> = codes.iter().map(|c| literals(*c)).collect();
            let cubes = merge(t, conditions.iter().copied());
            let before = t.any(conditions);
            let after = t.any(cubes.into_iter().map(|c| t.all(c)).collect::<Vec<_>>());
            for values in 0..8usize {
                let look = |s: Term| {
                    let i = vars.iter().position(|v| *v == s).expect("one of the three");
                    lariat_ir::Value::Bool(values >> i & 1 == 1)
                };
                assert_eq!(t.eval(before, look), t.eval(after, look), "{codes:?} {values}");
            }
        }
    }
}
