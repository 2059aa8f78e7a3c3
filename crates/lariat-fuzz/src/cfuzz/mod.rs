//! The C fuzzer: random programs, whose transition systems must do what the compiled programs do.
//!
//! - [`program`] is a C program as a tree of text, [`generate`] makes random ones;
//! - [`native`] compiles and runs many of them at once, [`interpret`] runs a transition system with the same inputs;
//! - [`compare`] says what the one run must look like, given the other, [`blame`] whether a difference rests on what is not known;
//! - [`examine`] does all of that for a batch of programs, [`campaign`] for many batches, [`shrink`] makes a program small.

pub mod blame;
pub mod campaign;
pub mod compare;
pub mod examine;
pub mod generate;
pub mod interpret;
pub mod native;
pub mod program;
pub mod shrink;
pub mod simulate;
