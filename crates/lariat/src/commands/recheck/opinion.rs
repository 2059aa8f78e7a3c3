//! Who answers when certificates are checked again.

use super::SolverArg;
use lariat_ir::{Term, Terms};
use lariat_smt::{Answer, Cvc5Solver, DirectSolver, DirectZ3, Limit, Solver, Z3Solver};
use std::time::{Duration, Instant};

/// cvc5; and where it gives up, or where there is no other, Z3.
pub(super) struct Opinion {
    cvc5: Option<Cvc5Solver>,
    z3: DirectZ3,
    /// How many questions were asked, and how many of them cvc5 left to Z3.
    asked: usize,
    left: usize,
}

impl Opinion {
    pub(super) fn new(choice: SolverArg) -> Result<Self, String> {
        let cvc5 = match choice {
            SolverArg::Z3 => None,
            SolverArg::Cvc5 => Some(Cvc5Solver::new().map_err(|e| format!("{e}; or use --solver z3"))?),
        };
        Ok(Self { cvc5, z3: Z3Solver::isolated().direct(), asked: 0, left: 0 })
    }

    /// Who answered, if not cvc5 alone.
    pub(super) fn words(&self) -> Option<String> {
        (self.left > 0).then(|| format!("Z3 answered {} of {} questions, which cvc5 gave up", self.left, self.asked))
    }
}

impl DirectSolver for Opinion {}

impl Solver for Opinion {
    fn push(&mut self) {
        self.cvc5.iter_mut().for_each(Solver::push);
        self.z3.push();
    }
    fn pop(&mut self) {
        self.cvc5.iter_mut().for_each(Solver::pop);
        self.z3.pop();
    }
    fn assert(&mut self, terms: &Terms, t: Term) {
        self.cvc5.iter_mut().for_each(|s| s.assert(terms, t));
        self.z3.assert(terms, t);
    }
    fn check(&mut self, terms: &Terms, limit: Limit) -> Answer {
        self.asked += 1;
        let Some(cvc5) = &mut self.cvc5 else { return self.z3.check(terms, limit) };
        // Half of what is left: the rest is for the other one.
        let left = limit.until.map_or(limit.wall, |u| u.saturating_duration_since(Instant::now())).min(limit.wall);
        let half = Limit { wall: (left / 2).max(Duration::from_millis(1)), ..limit };
        let first = cvc5.check(terms, half);
        if !matches!(first, Answer::Unknown(_)) {
            return first;
        }
        match self.z3.check(terms, limit) {
            Answer::Unknown(_) => first,
            answer => {
                self.left += 1;
                answer
            }
        }
    }
    fn is_empty(&self) -> bool {
        self.z3.is_empty()
    }
    fn name(&self) -> &str {
        self.cvc5.as_ref().map_or_else(|| self.z3.name(), Solver::name)
    }
}
