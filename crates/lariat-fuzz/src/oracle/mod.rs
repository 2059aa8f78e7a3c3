//! The explicit-state oracle: random small systems whose truth is found by looking at every state.
//!
//! Nothing here is part of a proof. It exists to catch the parts that are: the checker must accept what is minted from
//! the truth, must reject what the truth or the rules exclude, and no engine may contradict the truth.
//!
//! - [`random`] makes systems, [`neutral`] makes programs with a system for each integer semantics, [`truth`] enumerates
//!   them;
//! - [`mint`] makes true certificates from the enumeration, [`mutate`] makes neighbours of them, most of them false;
//! - [`validate`] decides by enumeration whether a certificate keeps the rules, without any solver;
//! - [`campaign`] runs all of it against a checker and the engines, [`shrink`] makes a failure small.

pub mod campaign;
pub mod compiled;
pub mod mint;
pub mod mutate;
pub mod neutral;
pub mod random;
mod replay;
pub mod shrink;
pub mod space;
mod tables;
pub mod truth;
pub mod validate;
