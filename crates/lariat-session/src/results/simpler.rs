//! Small numbers instead of the solver's: other inputs that lead into the same recurrent set.
//!
//! From every state of the set of an accepted certificate some choice of the inputs gives an endless run. So any stem into the set
//! gives one, and which one is shown is a matter of taste. The checker has shown the certificate's own stem for all values of the
//! environment. Of another one a replay shows it for one value each, which is enough where nothing depends on them: no guard of
//! the stem, and not whether its end lies in the set.

use super::replay::{Chosen, Player};
use lariat_ir::{Certificate, Claim, Move, Role, State, Term, TransitionSystem, UnknownId, UnknownKind, Value, VarId};
use std::collections::BTreeSet;

/// How many steps may be tried in all.
const STEPS: usize = 20_000;
/// What people like to read.
const LIKED: [i64; 8] = [0, 1, 2, -1, 3, 4, 8, 10];

/// Other inputs for the stem of a certificate: for each step, what to choose. Nothing where there are no nicer ones.
pub(super) fn simpler(ts: &TransitionSystem, c: &Claim) -> Option<Chosen> {
    let Certificate::RecurrentSet { start, stem, set, arms } = &c.certificate else { return None };
    let mut search = Search { ts, player: Player::new(ts), c, steps: 0, length: stem.len() };
    let mut inputs: Vec<((usize, UnknownId), Value)> = Vec::new();
    search.player.stem(start, stem, &Chosen::new())?;
    for (n, m) in search.player.moments.iter().enumerate() {
        for (u, value) in &m.chosen {
            if ts.unknowns[*u].kind != UnknownKind::Input {
                continue;
            }
            // Numbers only.
            like(ts, *u, value, 0)?;
            inputs.push(((n, *u), value.clone()));
        }
    }
    let end = stem.last().map_or(ts.entry, |m| ts.edges[m.edge].to);
    let conditions: Vec<Term> = set.get(&end).copied().into_iter().chain(arms.iter().map(|a| a.when)).collect();
    if inputs.is_empty() || !only_inputs_matter(ts, stem, &conditions) {
        return None;
    }
    let mut best: Chosen = inputs.iter().cloned().collect();
    search.together(&inputs, &mut best);
    for _ in 0..2 {
        for (key, _) in &inputs {
            search.alone(*key, &mut best);
        }
    }
    let changed = inputs.iter().any(|(key, value)| best[key] != *value);
    changed.then_some(best)
}

/// Whether neither the guards of a stem nor these conditions at its end depend on a value that is no input.
fn only_inputs_matter(ts: &TransitionSystem, stem: &[Move], conditions: &[Term]) -> bool {
    let mut tainted: BTreeSet<VarId> = BTreeSet::new();
    let depends = |t: Term, tainted: &BTreeSet<VarId>| {
        ts.terms.symbols(t).into_iter().any(|s| match ts.terms.role(s) {
            Some(Role::Var(v)) => tainted.contains(&v),
            Some(Role::Unknown(u)) => ts.unknowns[u].kind != UnknownKind::Input,
            _ => true,
        })
    };
    for m in stem {
        let edge = &ts.edges[m.edge];
        if depends(edge.guard, &tainted) || m.inputs.iter().any(|(_, t)| depends(*t, &tainted)) {
            return false;
        }
        let (lost, known): (Vec<_>, Vec<_>) = edge.updates.iter().partition(|(_, t)| depends(*t, &tainted));
        for (v, _) in &known {
            tainted.remove(v);
        }
        tainted.extend(lost.iter().map(|(v, _)| *v));
    }
    !conditions.iter().any(|t| depends(*t, &tainted))
}

/// A value of an unknown's sort.
fn like(ts: &TransitionSystem, u: UnknownId, old: &Value, number: i64) -> Option<Value> {
    let value = match old {
        Value::Bv(b) => Value::Bv(lariat_ir::Bits::from_signed(b.width(), i128::from(number))),
        Value::Int(_) => Value::int(number),
        Value::Bool(_) | Value::Array(_) => return None,
    };
    ts.admits(u, &value).then_some(value).or_else(|| ts.admits(u, old).then(|| old.clone()))
}

struct Search<'a> {
    ts: &'a TransitionSystem,
    player: Player<'a>,
    c: &'a Claim,
    steps: usize,
    length: usize,
}

impl Search<'_> {
    /// Whether these inputs lead into the set.
    fn works(&mut self, chosen: &Chosen) -> bool {
        let Certificate::RecurrentSet { start, stem, set, arms } = &self.c.certificate else { return false };
        self.steps += self.length + 1;
        let Some(end) = self.player.stem(start, stem, chosen) else { return false };
        let holds = |state: &State| set.get(&state.loc).is_some_and(|t| super::replay::holds(self.ts, state, *t));
        holds(&end) && arms.iter().any(|a| a.from == end.loc && super::replay::holds(self.ts, &end, a.when))
    }

    /// All inputs at once, where they are few: one alone may not be free to move.
    fn together(&mut self, inputs: &[((usize, UnknownId), Value)], best: &mut Chosen) {
        if inputs.len() > 3 {
            return;
        }
        let count = u32::try_from(inputs.len()).unwrap_or(u32::MAX);
        let mut tuples: Vec<Vec<usize>> = (0..LIKED.len().pow(count))
            .map(|n| (0..count).map(|k| n / LIKED.len().pow(k) % LIKED.len()).collect())
            .collect();
        tuples.sort_by_key(|t: &Vec<usize>| t.iter().sum::<usize>());
        for tuple in tuples {
            if self.steps > STEPS {
                return;
            }
            let values = inputs.iter().zip(&tuple);
            let tried: Option<Chosen> =
                values.map(|((key, old), k)| Some((*key, like(self.ts, key.1, old, LIKED[*k])?))).collect();
            if let Some(tried) = tried.filter(|t| self.works(t)) {
                *best = tried;
                return;
            }
        }
    }

    /// One input, the others as they are.
    fn alone(&mut self, key: (usize, UnknownId), best: &mut Chosen) {
        let old = best[&key].clone();
        for number in LIKED {
            let Some(value) = like(self.ts, key.1, &old, number) else { return };
            if value == old || self.steps > STEPS {
                return;
            }
            let mut tried = best.clone();
            tried.insert(key, value);
            if self.works(&tried) {
                *best = tried;
                return;
            }
        }
    }
}
