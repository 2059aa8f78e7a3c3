//! The lowerings against direct evaluation.

mod expressions;
mod floats;
mod flow;
mod large;
mod memory;
mod programs;
mod random;
mod reference;
