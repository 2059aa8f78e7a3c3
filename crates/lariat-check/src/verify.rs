//! What makes a transition system one that a proof can be about: its parts agree, and its guards are total and pairwise
//! disjoint.
//!
//! Agreement: one rule looks an edge up in the list of its location, another by its number; one sees a variable by its
//! number, another by its symbols; the text, and so the hash, has only what the lists hold. All must see the same system.
//! Its public fields allow otherwise, and a pass that rewrites a system may get it wrong.
//!
//! Totality: a stuck state is neither an end nor a hang, so there must be none. Disjointness: with it a run is a
//! function of its first state and the unknown values, and "some choice of the inputs" needs no word on who chooses
//! among several enabled edges.

mod diagram;
mod tree;

use lariat_ir::{
    Edge, Id, Integers, LocId, LoopForest, Op, Proves, Role, SINKS, Sort, SystemHash, Term, TransitionSystem,
    UnknownId, VarId,
};
use lariat_smt::{Answer, DirectSolver, Limit, Why};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many systems were verified.
static VERIFIED: AtomicU64 = AtomicU64::new(0);

/// A verified system with its loops and its hash.
#[derive(Debug)]
pub struct System<'a> {
    ts: &'a TransitionSystem,
    forest: LoopForest,
    hash: SystemHash,
    serial: u64,
}

/// Why a system is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemDefect {
    /// Where.
    pub at: Option<LocId>,
    /// What is wrong, with the next step.
    pub message: String,
    /// Whether nothing is known to be wrong: the solver gave up before the guards were shown to be total and disjoint.
    pub undecided: bool,
}

impl fmt::Display for SystemDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl<'a> System<'a> {
    /// Verifies a system.
    ///
    /// # Panics
    /// If something is asserted in the solver.
    pub fn verify(ts: &'a TransitionSystem, solver: &mut dyn DirectSolver, limit: Limit) -> Result<Self, SystemDefect> {
        assert!(solver.is_empty(), "the checker's solver has assertions of somebody else");
        if let Some(d) = ts.defects().into_iter().next() {
            return Err(SystemDefect { at: d.at, message: d.message, undecided: false });
        }
        if let Some(message) = disagreement(ts) {
            return Err(SystemDefect { at: None, message, undecided: false });
        }
        for (id, loc) in ts.locs.entries() {
            let guards: Vec<Term> = loc.out.iter().map(|&e| ts.edges[e].guard).collect();
            let shown = || tree::exactly_one(&ts.terms, &guards) || diagram::exactly_one(&ts.terms, &guards);
            if id.is_sink() || shown() {
                continue;
            }
            let t = &ts.terms;
            let none = t.not(t.any(guards.iter().copied()));
            if let Some(found) = find(ts, solver, none, limit).map_err(|why| undecided(id, &loc.name, &why))? {
                let message = format!(
                    "the guards at `{}` have a gap: none holds {found}; add an edge for it, or `goto STOP` if it cannot be",
                    loc.name
                );
                return Err(SystemDefect { at: Some(id), message, undecided: false });
            }
            let mut pairs = Vec::new();
            for (i, a) in guards.iter().enumerate() {
                pairs.extend(guards[i + 1..].iter().map(|b| t.and(*a, *b)));
            }
            let overlap = find(ts, solver, t.any(pairs), limit).map_err(|why| undecided(id, &loc.name, &why))?;
            if let Some(found) = overlap {
                let message = format!(
                    "the guards at `{}` overlap: two hold {found}; make them exclude each other, with an unknown stored \
                     before where the choice is free",
                    loc.name
                );
                return Err(SystemDefect { at: Some(id), message, undecided: false });
            }
        }
        let serial = VERIFIED.fetch_add(1, Ordering::Relaxed);
        Ok(Self { ts, forest: LoopForest::of(ts), hash: ts.hash(), serial })
    }

    /// The transition system.
    pub fn ts(&self) -> &'a TransitionSystem {
        self.ts
    }
    /// Its loops.
    pub fn forest(&self) -> &LoopForest {
        &self.forest
    }
    /// Its hash.
    pub fn hash(&self) -> SystemHash {
        self.hash
    }
    /// A number that no other verified system of this process has. Two copies of a system have one hash, but a term is
    /// a number in the arena of one of them, and means something else in the other.
    pub(crate) fn serial(&self) -> u64 {
        self.serial
    }
}

/// Where two parts of a system say different things, in words.
fn disagreement(ts: &TransitionSystem) -> Option<String> {
    let is_symbol = |t: Term, sort: Sort, role: Role| ts.terms.role(t) == Some(role) && ts.terms.sort(t) == sort;
    let is_named = |t: Term, name: &str| match ts.terms.node(t).op {
        Op::Symbol(s) => ts.terms.symbol_data(s).name == name,
        _ => false,
    };
    for (id, v) in ts.vars.entries() {
        if !is_symbol(v.term, v.sort, Role::Var(id))
            || !is_named(v.term, &v.name)
            || !is_symbol(v.old, v.sort, Role::Old(id))
        {
            return Some(format!("the symbols of `{}` are not its own; add variables with `add_var`", v.name));
        }
    }
    for (id, u) in ts.unknowns.entries() {
        if !is_symbol(u.term, u.sort, Role::Unknown(id)) || !is_named(u.term, &u.name) {
            return Some(format!("the symbol of `{}` is not its own; add unknowns with `add_unknown`", u.name));
        }
    }
    if SINKS.iter().any(|(l, name)| ts.locs.get(*l).is_none_or(|loc| loc.name != *name)) {
        return Some("the first four locations are not the sinks; start from `TransitionSystem::new`".into());
    }
    let listed = ts.locs.entries().flat_map(|(l, loc)| loc.out.iter().map(move |e| (l, *e)));
    let mut times: Vec<u32> = vec![0; ts.edges.len()];
    for (l, e) in listed {
        match ts.edges.get(e) {
            Some(edge) if edge.from == l => times[e.index()] += 1,
            _ => {
                return Some(format!(
                    "`{}` lists edges that do not leave it; add edges with `push_edge`",
                    ts.locs[l].name
                ));
            }
        }
    }
    if times.iter().any(|n| *n != 1) {
        return Some("not all edges are listed at their locations, each once; add edges with `push_edge`".into());
    }
    if ts.edges.iter().flat_map(|e| &e.assumes).any(|a| ts.assumptions.get(*a).is_none()) {
        return Some("an edge names an assumption that the system does not have".into());
    }
    if let Some(l) = ts.locs.ids().find(|l| ts.locs[*l].escapes && !comes_back(ts, *l)) {
        return Some(format!(
            "`{}` escapes, and a run that gets there need not come back unchanged; lead it back to itself, by an unknown value",
            ts.locs[l].name
        ));
    }
    if ts.integers == Integers::C && ts.proves == Proves::Both {
        return Some("in the semantics `c` a system carries one verdict only; set `proves`".into());
    }
    None
}

/// Whether a run that gets to a location can come back to it again and again, in the same state but for values that are chosen afresh.
///
/// The way back consists of edges that only store unknown values. The guard of each is true, or an equation of a variable that was stored on
/// the way with a constant which its unknown can be; no variable is tested twice. So the values can be chosen such that the way is gone. If it
/// leads to the location itself, the run goes on so for ever. If it leads to where the run came from, by an edge that changes nothing, the
/// same guard holds there again: it asks only for what the way left alone, and for variables that hold a choice of which nothing was asked
/// yet. Such a variable got its value when the run first came there, by whichever edge, from the same unknown; so the same value can be chosen again.
fn comes_back(ts: &TransitionSystem, location: LocId) -> bool {
    let start = Way { at: location, held: BTreeMap::new(), stored: BTreeSet::new() };
    let (mut open, mut reached) = (vec![location], BTreeMap::from([(location, start)]));
    let mut is_reached = false;
    while let Some(at) = open.pop() {
        for e in ts.locs[at].out.iter().map(|e| &ts.edges[*e]).filter(|e| !e.to.is_sink()) {
            let Some(next) = reached[&at].along(ts, e) else { continue };
            is_reached |= e.to == location;
            if let Entry::Vacant(new) = reached.entry(e.to) {
                new.insert(next);
                open.push(e.to);
            }
        }
    }
    let again = |e: &Edge| e.updates.is_empty() && reached.get(&e.from).is_some_and(|way| way.keeps(ts, e.guard));
    is_reached || location != ts.entry && ts.edges.iter().filter(|e| e.to == location).all(again)
}

/// A way that a run can be led.
struct Way {
    at: LocId,
    /// The variables that hold an unknown of which nothing was asked.
    held: BTreeMap<VarId, UnknownId>,
    /// The variables that were stored.
    stored: BTreeSet<VarId>,
}

impl Way {
    /// Whether a guard that held when a run first came here can hold again.
    fn keeps(&self, ts: &TransitionSystem, guard: Term) -> bool {
        let same = |v: VarId| {
            let unknown = self.held.get(&v).copied();
            let chosen =
                |e: &Edge| e.updates.iter().any(|(w, t)| *w == v && ts.terms.role(*t) == unknown.map(Role::Unknown));
            unknown.is_some() && self.at != ts.entry && ts.edges.iter().filter(|e| e.to == self.at).all(chosen)
        };
        ts.terms.symbols(guard).into_iter().all(|s| match ts.terms.role(s) {
            Some(Role::Var(v)) => !self.stored.contains(&v) || same(v),
            _ => false,
        })
    }

    /// The way with one more edge, if values can be chosen for that.
    fn along(&self, ts: &TransitionSystem, e: &Edge) -> Option<Self> {
        let mut held = self.held.clone();
        if e.guard != ts.terms.tt() {
            let node = ts.terms.node(e.guard);
            let (Op::Eq, &[a, b]) = (node.op, node.args()) else { return None };
            let (x, constant) = if ts.terms.constant_value(b).is_some() { (a, b) } else { (b, a) };
            let Some(Role::Var(v)) = ts.terms.role(x) else { return None };
            let (value, unknown) = (ts.terms.constant_value(constant)?, held.remove(&v)?);
            if !ts.admits(unknown, &value) {
                return None;
            }
        }
        let mut stored = self.stored.clone();
        for (v, t) in &e.updates {
            let Some(Role::Unknown(u)) = ts.terms.role(*t) else { return None };
            held.insert(*v, u);
            stored.insert(*v);
        }
        // One value for several variables is not chosen for each.
        let distinct: BTreeSet<UnknownId> = e.updates.iter().filter_map(|(v, _)| held.get(v).copied()).collect();
        (distinct.len() == e.updates.len()).then_some(Self { at: e.to, held, stored })
    }
}

fn undecided(at: LocId, name: &str, why: &Why) -> SystemDefect {
    let message =
        format!("the guards at `{name}` could not be shown to be total and disjoint: {why}; make them simpler");
    SystemDefect { at: Some(at), message, undecided: true }
}

/// A state that satisfies the term, in words, or nothing if there is none.
fn find(ts: &TransitionSystem, solver: &mut dyn DirectSolver, t: Term, limit: Limit) -> Result<Option<String>, Why> {
    solver.push();
    solver.assert(&ts.terms, t);
    let answer = solver.check(&ts.terms, limit);
    solver.pop();
    match answer {
        Answer::Unsat => Ok(None),
        Answer::Sat(model) => {
            let symbols = ts.terms.symbols(t);
            let values: Vec<String> = ts
                .vars
                .iter()
                .filter(|v| symbols.contains(&v.term))
                .map(|v| format!("{} = {}", v.name, model.value_or_zero(&ts.terms, v.term)))
                .collect();
            Ok(Some(if values.is_empty() { "in any state".into() } else { format!("where {}", values.join(", ")) }))
        }
        Answer::Unknown(why) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::lts;

    /// Whether the location `beyond` of a system with these lines comes back.
    fn back(lines: &str) -> bool {
        let text = format!(
            "lts 1\nintegers wrap\nvar x: bv8\nvar m: bv1\nvar k: bv1\nvar n: int\nabstraction more: bv1\n\
             abstraction other: bv8\nabstraction few: int in 0 .. 3\nentry a\n\
             a: if x == 0 goto beyond\n if x != 0 goto EXIT\n{lines}"
        );
        let ts = lts::parse(&text).expect("a system").system;
        comes_back(&ts, ts.loc_named("beyond").expect("it is there"))
    }

    #[test]
    fn where_a_run_escapes_it_can_come_back_for_ever() {
        let choose = "beyond: escapes goto c with m := more\n";
        assert!(back(&format!("{choose}c: if m == 0 goto beyond\n if m != 0 goto STOP\n")));
        assert!(back(&format!("{choose}c: if m == 0 goto a\n if m != 0 goto STOP\n")));
        assert!(back("beyond: escapes goto beyond\n"));
        // It ends, it changes something, or something that was not chosen decides.
        assert!(!back("beyond: escapes goto STOP\n"));
        assert!(!back("beyond: escapes goto beyond with x := x + 1\n"));
        assert!(!back(&format!("{choose}c: if m == 0 goto a with x := 1\n if m != 0 goto STOP\n")));
        assert!(!back("beyond: escapes\n if x == 1 goto beyond\n if x != 1 goto STOP\n"));
        // It comes back to one of the places that it came from only.
        let two = "c: if m == 0 goto a\n if m == 1 goto d\nd: if x == 3 goto beyond\n if x != 3 goto EXIT\n";
        assert!(back(&format!("{choose}{two}")), "both are reached by a choice");
        let two = "c: if m == 0 goto a\n if m != 0 goto STOP\nd: if x == 3 goto beyond\n if x != 3 goto EXIT\n";
        assert!(!back(&format!("{choose}{two}")));
        // No value leads along the way: it asks for too much, twice, or of something that was there before.
        assert!(!back("beyond: escapes\n if false goto beyond\n if true goto STOP\n"));
        assert!(!back(&format!(
            "{choose}c: if m == 0 goto d\n if m != 0 goto STOP\nd: if m == 1 goto beyond\n if m != 1 goto STOP\n"
        )));
        assert!(!back(
            "beyond: escapes goto c with k := more, m := more\nc: if m == 0 goto beyond\n if m != 0 goto STOP\n"
        ));
        // It comes back with another value where the first edge asks for it.
        let asks = "beyond: escapes goto c with x := other\nc: if x == 5 goto a\n if x != 5 goto STOP\n";
        assert!(!back(asks));
        // A value that the unknown cannot have.
        assert!(!back("beyond: escapes goto c with n := few\nc: if n == 7 goto beyond\n if n != 7 goto STOP\n"));
        assert!(back("beyond: escapes goto c with n := few\nc: if n == 2 goto beyond\n if n != 2 goto STOP\n"));
    }

    #[test]
    fn what_was_chosen_before_an_escape_can_be_chosen_again() {
        let back = |choose: &str, other: &str| {
            let text = format!(
                "lts 1\nintegers wrap\nvar m: bv1\nvar k: bv1\nvar y: bv1\nabstraction more: bv1\nabstraction less: bv1\nentry s\n\
                 s: if y == 0 goto a\n if y != 0 {other}\na: goto b with {choose}\nb: if m == y goto beyond\n if m != y goto EXIT\n\
                 beyond: escapes goto c with k := more\nc: if k == 0 goto a\n if k != 0 goto STOP\n"
            );
            let ts = lts::parse(&text).expect("a system").system;
            comes_back(&ts, ts.loc_named("beyond").expect("it is there"))
        };
        assert!(back("m := less", "goto EXIT"));
        assert!(!back("m := less", "goto b"), "there `m` was not chosen");
        assert!(!back("m := less", "goto b with m := more"), "there it is another choice");
        assert!(!back("m := y", "goto EXIT"), "it is no choice");
    }

    #[test]
    fn a_system_whose_escape_does_not_come_back_is_none() {
        let text = "lts 1\nintegers wrap\nentry a\na: escapes goto EXIT\n";
        let ts = lts::parse(text).expect("it can be read").system;
        assert!(disagreement(&ts).is_some_and(|d| d.contains("escapes")));
    }
}
