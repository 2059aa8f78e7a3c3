//! Abstract domains over transition systems; no solver here.
//!
//! [`invariants`] gives what holds at the locations of a system, as terms that are inductive together. Below it: sets of values of
//! single variables ([`AbsValue`]: [`Interval`]s, [`Congruence`]s), relations between several ([`Octagon`]s, [`Polyhedron`]s), their product as an
//! [`AbstractDomain`], and the iteration.

mod analysis;
mod backward;
mod budget;
mod cone;
mod congruence;
mod domain;
mod facts;
mod fixpoint;
mod forms;
mod forward;
mod integer;
mod interval;
mod linear;
mod meaning;
mod number;
mod octagon;
mod order;
mod packs;
mod plan;
mod polyhedron;
mod product;
mod relation;
mod space;
mod step;
mod value;
mod word;
mod word_ops;

pub use analysis::{Invariants, Options, invariants};
pub use budget::Budget;
pub use congruence::Congruence;
pub use domain::{AbstractDomain, Jump};
pub use interval::Interval;
pub use linear::{Constraint, Form, Linear};
pub use number::Number;
pub use octagon::Octagon;
pub use polyhedron::Polyhedron;
pub use product::Product;
pub use relation::Relation;
pub use space::{Layer, Space};
pub use value::{AbsValue, Empty, Truth};
pub use word::{KnownBits, Reading, Word};
