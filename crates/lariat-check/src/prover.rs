//! One question: does a goal follow?

use crate::rejection::{Condition, Rejection};
use crate::verify::System;
use lariat_ir::{Op, Term, Terms, TransitionSystem};
use lariat_smt::{Answer, DirectSolver, Limit, Model};

/// A system and the solver that the check uses.
pub(crate) struct Prover<'a, 's> {
    pub system: &'a System<'a>,
    pub solver: &'s mut dyn DirectSolver,
    pub limit: Limit,
}

impl<'a, 's> Prover<'a, 's> {
    /// # Panics
    /// If something is asserted in the solver: whatever it is, it would be a premise of the proof.
    pub fn new(system: &'a System<'a>, solver: &'s mut dyn DirectSolver, limit: Limit) -> Self {
        assert!(solver.is_empty(), "the checker's solver has assertions of somebody else");
        Self { system, solver, limit }
    }

    pub fn ts(&self) -> &'a TransitionSystem {
        self.system.ts()
    }

    /// Whether the goal follows from the premises: nothing if it does, otherwise a state in which it does not.
    pub fn refute(&mut self, premises: &[Term], goal: Term) -> Result<Option<Model>, Rejection> {
        let terms = &self.ts().terms;
        if is(terms, goal, true) || premises.iter().any(|&p| is(terms, p, false)) {
            return Ok(None);
        }
        self.solver.push();
        for &p in premises {
            if !is(terms, p, true) {
                self.solver.assert(terms, p);
            }
        }
        self.solver.assert(terms, terms.not(goal));
        let answer = self.solver.check(terms, self.limit);
        self.solver.pop();
        match answer {
            Answer::Unsat => Ok(None),
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unknown(why) => Err(Rejection::new(Condition::SolverUnknown, why.to_string())),
        }
    }

    /// Shows that the goal follows, or names the condition that it stands for with the state that violates it.
    pub fn show(
        &mut self,
        premises: &[Term],
        goal: Term,
        condition: Condition,
        where_: impl FnOnce() -> String,
    ) -> Result<(), Rejection> {
        match self.refute(premises, goal)? {
            None => Ok(()),
            Some(model) => Err(Rejection::new(condition, format!("{}, {}", where_(), self.state_words(&model)))),
        }
    }

    /// The values of the variables in a model, as a reader writes them.
    pub fn state_words(&self, model: &Model) -> String {
        let ts = self.ts();
        let values: Vec<String> =
            ts.vars.iter().filter_map(|v| model.value(v.term).map(|value| format!("{} = {value}", v.name))).collect();
        if values.is_empty() { "in any state".into() } else { format!("for instance where {}", values.join(", ")) }
    }

    /// The name of a location.
    pub fn name(&self, l: lariat_ir::LocId) -> &'a str {
        &self.ts().locs[l].name
    }

    /// A term as text, cut where it is long.
    pub fn text(&self, t: Term) -> String {
        term_words(self.ts(), t)
    }
}

/// A term for a message: as C, cut where it is long.
pub(crate) fn term_words(ts: &TransitionSystem, t: Term) -> String {
    lariat_ir::cprint::c_expr(&ts.terms, t, &|s| match ts.terms.node(s).op {
        Op::Symbol(id) => ts.terms.symbol_data(id).name.clone(),
        _ => unreachable!("only symbols have names"),
    })
}

/// Whether a term is this constant.
pub(crate) fn is(terms: &Terms, t: Term, b: bool) -> bool {
    terms.node(t).op == Op::Bool(b)
}

/// A conjunction that leaves out `true`.
pub(crate) fn both(terms: &Terms, a: Term, b: Term) -> Term {
    if is(terms, a, true) {
        b
    } else if is(terms, b, true) {
        a
    } else {
        terms.and(a, b)
    }
}
