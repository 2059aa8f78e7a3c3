//! The lowerings against direct evaluation.

mod expressions;
mod flow;
mod large;
mod memory;
mod programs;
mod random;
mod reference;
