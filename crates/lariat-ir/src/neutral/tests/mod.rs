//! The lowerings against direct evaluation.

mod expressions;
mod programs;
mod random;
mod reference;
