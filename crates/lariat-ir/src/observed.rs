//! Iterations of a loop that were seen to happen, with what made them happen: the common language of those who watch
//! a running program and those who prove that it never ends.
//!
//! A cell is a piece of the state that iterations read. An iteration says: in every state in which all of its guards hold,
//! whatever the rest of the state is, the program goes once around along this path and comes back to the header with the cells
//! changed as it says. That is Definition 3.4 of the Looper paper, with identity where a cell is not mentioned.

use crate::term::{Term, Terms};
use crate::value::Bits;
use std::fmt;

/// A piece of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// A name that can be a variable's.
    pub name: String,
    /// Its bits.
    pub width: u32,
    /// Its symbol: the value at the header of the loop.
    pub term: Term,
}

/// A value that nobody can foretell: every read gives another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fresh {
    /// A name that can be an unknown's.
    pub name: String,
    /// Its symbol.
    pub term: Term,
    /// Where it comes from.
    pub origin: FreshOrigin,
}

/// Where a fresh value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FreshOrigin {
    /// Others write it, at an address if one is known.
    Others(Option<u64>),
    /// An instruction gives another result each time.
    Instruction,
}

impl fmt::Display for FreshOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Others(Some(address)) => write!(f, "memory at {address:#x} that others write"),
            Self::Others(None) => f.write_str("memory that others write"),
            Self::Instruction => f.write_str("an instruction whose result differs each time"),
        }
    }
}

/// One way around.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Iteration {
    /// When it is taken: truth values over cells and fresh values.
    pub guards: Vec<Term>,
    /// The cells that may have changed, by number, with their new values.
    pub changes: Vec<(usize, Term)>,
}

/// What was seen of a loop.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The arena of all terms here.
    pub terms: Terms,
    /// The cells.
    pub cells: Vec<Cell>,
    /// The fresh values.
    pub fresh: Vec<Fresh>,
    /// The distinct iterations.
    pub iterations: Vec<Iteration>,
    /// Which iteration followed which.
    pub order: Vec<usize>,
    /// The values of the cells at the header before each iteration, and after the last.
    pub heads: Vec<Vec<Bits>>,
}
