//! The executor that the engines share: concrete runs, symbolic paths, and what a run depends on. No verdicts here.
//!
//! * [`concrete`] runs a system with recorded choices, so that deterministic stretches of any length cost no solver.
//! * [`paths`] is an iterator over the feasible symbolic paths of a system.
//! * [`reads`] says what a recorded run depends on, part by part of the state.

pub(crate) mod concrete;
pub(crate) mod paths;
pub(crate) mod reads;
