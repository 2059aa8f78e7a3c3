//! What makes a transition system one that a proof can be about: its guards are total and pairwise disjoint.
//!
//! Totality: a stuck state is neither an end nor a hang, so there must be none. Disjointness: with it a run is a
//! function of its first state and the unknown values, and "some choice of the inputs" needs no word on who chooses
//! among several enabled edges.

use lariat_ir::{LocId, LoopForest, Op, SystemHash, Term, TransitionSystem};
use lariat_smt::{Answer, Limit, Solver};
use std::fmt;

/// A verified system with its loops and its hash.
#[derive(Debug)]
pub struct System<'a> {
    ts: &'a TransitionSystem,
    forest: LoopForest,
    hash: SystemHash,
}

/// Why a system is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemDefect {
    /// Where.
    pub at: Option<LocId>,
    /// What is wrong, with the next step.
    pub message: String,
}

impl fmt::Display for SystemDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl<'a> System<'a> {
    /// Verifies a system.
    pub fn verify(ts: &'a TransitionSystem, solver: &mut dyn Solver, limit: Limit) -> Result<Self, SystemDefect> {
        if let Some(d) = ts.defects().into_iter().next() {
            return Err(SystemDefect { at: d.at, message: d.message });
        }
        for (id, loc) in ts.locs.entries() {
            let guards: Vec<Term> = loc.out.iter().map(|&e| ts.edges[e].guard).collect();
            if id.is_sink() || exactly_one_by_truth_table(ts, &guards) {
                continue;
            }
            let t = &ts.terms;
            let none = t.not(t.any(guards.iter().copied()));
            if let Some(found) = find(ts, solver, none, limit) {
                let message = format!(
                    "the guards at `{}` have a gap: none holds {found}; add an edge for it, or `goto STOP` if it cannot be",
                    loc.name
                );
                return Err(SystemDefect { at: Some(id), message });
            }
            let mut pairs = Vec::new();
            for (i, a) in guards.iter().enumerate() {
                pairs.extend(guards[i + 1..].iter().map(|b| t.and(*a, *b)));
            }
            if let Some(found) = find(ts, solver, t.any(pairs), limit) {
                let message = format!(
                    "the guards at `{}` overlap: two hold {found}; make them exclude each other, with an unknown stored \
                     before where the choice is free",
                    loc.name
                );
                return Err(SystemDefect { at: Some(id), message });
            }
        }
        Ok(Self { ts, forest: LoopForest::of(ts), hash: ts.hash() })
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
}

/// A state that satisfies the term, in words, or nothing if there is none.
fn find(ts: &TransitionSystem, solver: &mut dyn Solver, t: Term, limit: Limit) -> Option<String> {
    solver.push();
    solver.assert(&ts.terms, t);
    let answer = solver.check(&ts.terms, limit);
    solver.pop();
    match answer {
        Answer::Unsat => None,
        Answer::Sat(model) => {
            let symbols = ts.terms.symbols(t);
            let values: Vec<String> = ts
                .vars
                .iter()
                .filter(|v| symbols.contains(&v.term))
                .map(|v| format!("{} = {}", v.name, model.value_or_zero(&ts.terms, v.term)))
                .collect();
            Some(if values.is_empty() { "in any state".into() } else { format!("where {}", values.join(", ")) })
        }
        Answer::Unknown(why) => Some(format!("in some state that cannot be excluded: {why}")),
    }
}

/// Whether exactly one guard holds whatever the truth values of the comparisons in them: the usual `g` and `!g`, and
/// chains of `else if`, need no solver.
fn exactly_one_by_truth_table(ts: &TransitionSystem, guards: &[Term]) -> bool {
    const MOST_ATOMS: usize = 8;
    let t = &ts.terms;
    let mut atoms = Vec::new();
    let mut open: Vec<Term> = guards.to_vec();
    while let Some(g) = open.pop() {
        let node = t.node(g);
        match node.op {
            Op::Not | Op::And | Op::Or => open.extend(node.args()),
            Op::Bool(_) => {}
            _ if atoms.contains(&g) => {}
            _ => atoms.push(g),
        }
        if atoms.len() > MOST_ATOMS || open.len() > 4096 {
            return false;
        }
    }
    (0..1u32 << atoms.len()).all(|row| {
        let mut holding = 0;
        for &g in guards {
            holding += u32::from(truth(ts, g, &atoms, row));
        }
        holding == 1
    })
}

fn truth(ts: &TransitionSystem, g: Term, atoms: &[Term], row: u32) -> bool {
    if let Some(i) = atoms.iter().position(|a| *a == g) {
        return row >> i & 1 == 1;
    }
    let node = ts.terms.node(g);
    let arg = |i: usize| truth(ts, node.args()[i], atoms, row);
    match node.op {
        Op::Not => !arg(0),
        Op::And => arg(0) && arg(1),
        Op::Or => arg(0) || arg(1),
        Op::Bool(b) => b,
        other => unreachable!("{other:?} is an atom"),
    }
}
