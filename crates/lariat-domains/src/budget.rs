//! How much work an analysis may do.

use crate::fixpoint::Exhausted;
use std::time::Instant;

/// Limits. Steps make a result depend on the system alone; the clock is the outer guard.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How many terms of edges may be evaluated. Default is 4 million.
    pub steps: u64,
    /// When to stop at the latest. Default is never.
    pub deadline: Option<Instant>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: 4_000_000, deadline: None }
    }
}

/// What is left of a budget.
pub(crate) struct Meter {
    left: u64,
    deadline: Option<Instant>,
}

impl Meter {
    pub fn new(budget: &Budget) -> Self {
        Self { left: budget.steps, deadline: budget.deadline }
    }

    /// Takes some steps, if they are left.
    pub fn spend(&mut self, steps: u64) -> Result<(), Exhausted> {
        if self.left < steps || self.deadline.is_some_and(|d| Instant::now() >= d) {
            self.left = 0;
            return Err(Exhausted);
        }
        self.left -= steps;
        Ok(())
    }
}
