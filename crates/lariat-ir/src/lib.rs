//! Sorts, terms, transition systems, loops, claims and certificates, each with a text form. No IO, no solver.

pub mod eval;
pub mod ids;
pub mod sort;
pub mod term;
pub mod value;

pub use ids::{AssumptionId, EdgeId, Id, IdVec, LocId, LoopId, UnknownId, VarId};
pub use sort::{MAX_WIDTH, Scalar, Sort};
pub use term::{Node, Op, Role, SortError, Symbol, SymbolId, Term, Terms};
pub use value::{ArrayValue, Bits, Value};
