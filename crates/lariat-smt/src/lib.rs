//! The solver facade: our terms in, our models out.
//!
//! [`Z3Solver`] runs Z3 in process, [`Cvc5Solver`] speaks SMT-LIB with a cvc5 process as a second opinion. Neither is
//! believed about a model: a [`Answer::Sat`] has been evaluated with `lariat_ir::eval`, and a query that no solver
//! answered is kept in the [`query_log`], under a number that is the same in every run. [`Z3Solver`] may put a question to
//! integers in place of words; a [`DirectSolver`] does not, and the checker takes no other.
//!
//! ```
//! use lariat_ir::{Op, Role, Sort, Terms};
//! use lariat_smt::{Answer, Limit, Solver, Z3Solver};
//!
//! let terms = Terms::new();
//! let x = terms.symbol("x", Sort::BitVec(8), Role::Free);
//! let mut solver = Z3Solver::new();
//! solver.assert(&terms, terms.eq(terms.apply(Op::BvMul, &[x, terms.bv(8, 3)]), terms.bv(8, 1)));
//! let Answer::Sat(model) = solver.check(&terms, Limit::default()) else { panic!("3 is odd") };
//! assert_eq!(model.value(x).map(ToString::to_string).as_deref(), Some("171#8"));
//! ```

mod cvc5;
pub mod query_log;
#[cfg(test)]
mod random;
mod sexpr;
mod solver;
mod watchdog;
mod words;
mod z3;
mod z3_raw;

pub use cvc5::{Cvc5Solver, NoCvc5};
pub use query_log::{QueryId, QueryLog};
pub use solver::{Answer, DirectSolver, Limit, Model, Solver, Why, WhyKind, questions};
pub use z3::{
    ContextPool, DirectZ3, OldZ3, Z3Solver, fresh_context, leave, limit_memory, prepare_contexts, ready_heap,
    z3_version,
};
