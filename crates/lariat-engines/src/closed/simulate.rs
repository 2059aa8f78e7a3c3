//! Runs around a loop with values: what they show of a set costs no query.

use super::{Facts, Seed, Way, value_in};
use lariat_ir::eval::Plan;
use lariat_ir::{LocId, Role, TransitionSystem, Value};

/// How many steps a run makes at most.
const MOST_STEPS: usize = 64;

/// Ways that can be gone with values.
pub(super) struct Simulation<'a> {
    ts: &'a TransitionSystem,
    ways: Vec<(&'a Way, Plan, Plan)>,
}

impl<'a> Simulation<'a> {
    pub fn new(ts: &'a TransitionSystem, ways: &'a [Way]) -> Self {
        let plans = |way: &'a Way| {
            let condition = ts.terms.all(way.ranges.iter().copied().chain([way.condition]));
            (way, Plan::new(&ts.terms, &[condition]), Plan::new(&ts.terms, &way.state))
        };
        Self { ts, ways: ways.iter().map(plans).collect() }
    }

    /// The states at the headers that a run from a state visits, the first one included, as long as exactly one way goes on; and
    /// whether none goes on after the last one.
    ///
    /// A set that is closed under the ways and holds the first state holds them all; so it holds no state after which no
    /// way goes on, and whatever is false in one of them is no fact about it.
    fn run(&self, at: LocId, from: &[Value]) -> (Vec<(LocId, Vec<Value>)>, bool) {
        let mut visited = vec![(at, from.to_vec())];
        for _ in 0..MOST_STEPS {
            let (at, values) = visited.last().expect("it begins with one");
            if values.iter().any(Value::is_huge) {
                break;
            }
            // Open values are those of the environment; zero is one of them where the ranges say so.
            let look = |s| match self.ts.terms.role(s) {
                Some(Role::Var(_)) => value_in(self.ts, values, s),
                _ => Value::zero(self.ts.terms.sort(s)),
            };
            let mut enabled = self.ways.iter().filter(|(way, condition, _)| {
                // What is open may be in its range with another value.
                way.from == *at && (!way.ranges.is_empty() || condition.run(look)[0].as_bool())
            });
            match (enabled.next(), enabled.next()) {
                (None, _) => return (visited, true),
                (Some((way, _, state)), None) if way.ranges.is_empty() => {
                    let next = state.run(look);
                    visited.push((way.to, next));
                }
                _ => break,
            }
        }
        (visited, false)
    }

    /// Drops what is no fact about any set that holds the seed; `None` if no such set holds one of its states.
    pub fn drop_refuted(&self, seed: &Seed, facts: &mut Facts) -> Option<()> {
        let runs: Vec<_> = seed.iter().map(|(l, values)| self.run(*l, values)).collect();
        if runs.iter().all(|(_, ended)| *ended) {
            return None;
        }
        for (at, values) in runs.iter().filter(|(_, ended)| !ended).flat_map(|(visited, _)| visited) {
            if let Some(here) = facts.get_mut(at) {
                let holds = Plan::new(&self.ts.terms, here).run(|s| value_in(self.ts, values, s));
                let mut holds = holds.iter().map(Value::as_bool);
                here.retain(|_| holds.next().expect("one for each fact"));
            }
        }
        Some(())
    }
}
