//! The fuzzers: [`oracle`] makes random transition systems whose truth is known, for the checker and the engines; [`cfuzz`] makes
//! random C programs, for the front end.
//!
//! A crate of its own, so that the binary for users has none of it. `./lariat fuzz` runs the binary `lariat-fuzz`.

pub mod cfuzz;
pub mod command;
pub mod oracle;
