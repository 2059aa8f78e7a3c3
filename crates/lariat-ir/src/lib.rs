//! Sorts, terms, transition systems, loops, claims and certificates, each with a text form. No IO, no solver.

pub mod assumption;
pub mod claim;
mod codes;
pub mod cprint;
pub mod data;
pub mod eval;
pub mod fast;
pub mod float;
pub mod function;
pub mod graph;
pub mod ids;
mod intern;
pub mod interp;
pub mod loops;
pub mod lts;
pub mod neutral;
pub mod observed;
pub mod random;
pub mod simplify;
pub mod smtlib;
pub mod sort;
pub mod source;
pub mod system;
pub mod term;
pub mod value;

pub use assumption::{Assumption, AssumptionKind};
pub use claim::{Arm, Certificate, Choice, Claim, Disjunct, Inner, Measure, Move, Order, Outline, Property, StatePart};
pub use data::Data;
pub use float::{FloatOp, Format};
pub use ids::{AssumptionId, EdgeId, Id, IdVec, LocId, LoopId, SourceId, UnknownId, VarId};
pub use interp::{Machine, RunEnd, State, Step};
pub use loops::{Loop, LoopForest};
pub use sort::{MAX_WIDTH, Scalar, Sort};
pub use source::{LoopCopy, LoopKey, SourceKind, SourceLoop};
pub use system::{
    Defect, Edge, Integers, Location, LocationKind, Mode, Obligation, Proves, SINKS, Span, SystemHash,
    TransitionSystem, Unknown, UnknownKind, Var,
};
pub use term::{Node, Op, Role, SortError, Symbol, SymbolId, Term, Terms};
pub use value::{ArrayValue, Bits, Value};
