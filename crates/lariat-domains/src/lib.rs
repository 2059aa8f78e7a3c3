//! Abstract domains over transition systems; no solver here.

mod congruence;
mod integer;
mod interval;
mod number;
mod word;
mod word_ops;

pub use congruence::Congruence;
pub use interval::Interval;
pub use number::Number;
pub use word::{KnownBits, Reading, Word};
