//! What is known of each term of a plan in the states at hand, and how knowing one thing tells others.
//!
//! All values are about one and the same step: the state before an edge and the unknown values on it. So what is learnt of a term,
//! whichever way, holds for the rest of the step, and sets only shrink.

use crate::backward;
use crate::forward;
use crate::plan::Plan;
use crate::value::{AbsValue, Empty};

/// How often the terms are gone through at most: each time is sound by itself, and more find little.
const ROUNDS: usize = 4;

/// A set of values for each term of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Facts<'p> {
    pub plan: &'p Plan,
    values: Vec<AbsValue>,
    /// Terms of which more is known than their arguments say: they tell about their arguments.
    told: Vec<bool>,
    /// Terms that changed since the last round.
    fresh: Vec<bool>,
}

impl<'p> Facts<'p> {
    /// What follows from the values of the symbols.
    pub fn new(plan: &'p Plan, mut symbol: impl FnMut(crate::plan::Source, lariat_ir::Sort) -> AbsValue) -> Self {
        let mut values: Vec<AbsValue> = plan.nodes.iter().map(|_| AbsValue::Other).collect();
        let mut leaf = vec![false; values.len()];
        for (i, source) in &plan.symbols {
            values[*i] = symbol(*source, plan.nodes[*i].sort);
            leaf[*i] = true;
        }
        for (i, v) in &plan.constants {
            values[*i] = v.clone();
            leaf[*i] = true;
        }
        for (i, node) in plan.nodes.iter().enumerate() {
            if !leaf[i] {
                values[i] = evaluate(plan, i, &values);
            }
            debug_assert!(values[i] != AbsValue::Other || AbsValue::top(node.sort) == AbsValue::Other);
        }
        let size = values.len();
        Self { plan, values, told: vec![false; size], fresh: vec![false; size] }
    }

    /// What is known of a term.
    pub fn value(&self, i: usize) -> &AbsValue {
        &self.values[i]
    }

    /// Learns that a term's value is in a set. Says whether that was new.
    pub fn learn(&mut self, i: usize, v: &AbsValue) -> Result<bool, Empty> {
        let new = self.values[i].meet(v)?;
        if new == self.values[i] {
            return Ok(false);
        }
        self.values[i] = new;
        (self.told[i], self.fresh[i]) = (true, true);
        Ok(true)
    }

    /// Tells arguments what follows from results and results what follows from arguments, until nothing changes or enough was done.
    pub fn settle(&mut self) -> Result<(), Empty> {
        for _ in 0..ROUNDS {
            if !self.fresh.iter().any(|f| *f) {
                break;
            }
            self.down()?;
            let mut changed = std::mem::replace(&mut self.fresh, vec![false; self.values.len()]);
            self.up(&mut changed)?;
        }
        self.fresh.fill(false);
        Ok(())
    }

    /// From results to arguments, later terms first: so a term has heard from all terms that use it.
    fn down(&mut self) -> Result<(), Empty> {
        for i in (0..self.values.len()).rev() {
            let node = &self.plan.nodes[i];
            if !self.told[i] || node.args().len() == 0 {
                continue;
            }
            let mut args: Vec<AbsValue> = node.args().map(|a| self.values[a].clone()).collect();
            backward::restrict(node.op, &self.values[i], &mut args)?;
            for (a, v) in node.args().zip(&args) {
                self.learn(a, v)?;
            }
        }
        Ok(())
    }

    /// From arguments that changed to results; a result of which more is known than that has something to tell.
    fn up(&mut self, changed: &mut [bool]) -> Result<(), Empty> {
        for i in 0..self.values.len() {
            if !self.plan.nodes[i].args().any(|a| changed[a]) {
                continue;
            }
            let computed = evaluate(self.plan, i, &self.values);
            let new = self.values[i].meet(&computed)?;
            if new != self.values[i] {
                self.values[i] = new;
                changed[i] = true;
            }
            if self.told[i] {
                self.fresh[i] = true;
            }
        }
        Ok(())
    }
}

fn evaluate(plan: &Plan, i: usize, values: &[AbsValue]) -> AbsValue {
    let node = &plan.nodes[i];
    let args: Vec<&AbsValue> = node.args().map(|a| &values[a]).collect();
    forward::apply(node.op, node.sort, &args)
}
