//! The lowerings against direct evaluation.

mod expressions;
mod large;
mod programs;
mod random;
mod reference;
