//! What a program says of its source beyond what runs: for reports and for programs that show a finding. No verdict rests on it.

use crate::system::Span;
use dashu_int::IBig;
use std::collections::BTreeSet;

/// Where an unknown value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A parameter of the entry.
    Parameter {
        /// Its number, from 0.
        number: usize,
        /// What the source calls it.
        name: String,
        /// If it is a pointer, how many bytes what it points to has; 0 if that is not known.
        pointer: Option<u64>,
    },
    /// A call of a function that is not followed.
    Call {
        /// The function.
        function: String,
        /// Whether this is what the call returns, and not something else that it decides.
        result: bool,
        /// Where the call is.
        site: Option<Site>,
    },
    /// What is read from a stream: standard input, a file, a connection.
    Stream {
        /// The function that reads it, if one does.
        function: String,
        /// What it is.
        piece: Piece,
        /// Whether that is standard input for certain.
        standard: bool,
        /// Where the call is.
        site: Option<Site>,
    },
    /// A read that others may have written for: volatile, or atomic.
    Shared {
        /// Where it is read.
        site: Option<Site>,
    },
}

/// A piece of what is read from a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    /// How many reads give something.
    Length,
    /// Whether ends may come at any time.
    Rough,
    /// A byte.
    Byte,
    /// So many items of this many bytes each.
    Items(u64),
    /// A line.
    Line,
    /// This many bytes, the value's, the first one the lowest.
    Bytes(u64),
    /// A number, as the conversion of this letter reads it.
    Number(char),
    /// Whether there is something that is no number.
    NoNumber,
    /// Whether there is no such file.
    Missing,
}

/// A place in one of the files of [`Origins::files`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// The file's index.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// What happens at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Happening {
    /// Control passes it.
    Passed,
    /// The variable with this index gets a value.
    Set(usize),
    /// The memory with this index gets a value.
    Stored(usize),
    /// The unknown value with this index is asked for.
    Asked(usize),
    /// A function that is not followed is called.
    Called,
    /// The function with this index in [`Origins::waiting`] is called.
    Waits(usize),
}

/// A point on the way that a case stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// Where it is.
    pub site: Site,
    /// What happens there.
    pub what: Happening,
}

/// Memory from before the entry was called, which is an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Before {
    /// Its first address.
    pub base: IBig,
    /// The variable that says how many bytes it has.
    pub size: Option<usize>,
    /// The indices of the memories that hold its content.
    pub mems: Vec<usize>,
    /// The variables that hold parts of its content, with the offset of each.
    pub scalars: Vec<(usize, i64)>,
}

/// The cells of one object in a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cells {
    /// The memory's index.
    pub mem: usize,
    /// The object's first address.
    pub base: IBig,
    /// The address behind it, if that is known.
    pub end: Option<IBig>,
    /// The offset of the first cell.
    pub first: i64,
    /// The distance from one cell to the next; 0 if there is one cell.
    pub stride: i64,
    /// What the source calls the first cell: the last `[0]` in it counts on.
    pub name: String,
    /// Whether the cells hold pointers.
    pub pointers: bool,
}

/// Where an object lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Its first address.
    pub base: IBig,
    /// The address behind it, if that is known.
    pub end: Option<IBig>,
    /// What the source calls it.
    pub name: String,
}

/// What a program says of its source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origins {
    /// The source files.
    pub files: Vec<String>,
    /// The indices of variables that are none of the source's.
    pub made: BTreeSet<usize>,
    /// The indices of variables that hold pointers.
    pub pointers: BTreeSet<usize>,
    /// The indices of unknown values that are floating-point numbers, as their patterns.
    pub floats: BTreeSet<usize>,
    /// Where objects lie.
    pub objects: Vec<Extent>,
    /// What the source calls cells of memories.
    pub cells: Vec<Cells>,
    /// Functions that may wait for the outside: for input, for a file, for time to pass.
    pub waiting: Vec<String>,
    /// Functions that only say what holds: a run in which it does not is none.
    pub assumes: BTreeSet<String>,
    /// Functions without a model, which are called and not defined.
    pub unknown_functions: BTreeSet<String>,
    /// Whether it accesses registers of devices, at addresses of its own.
    pub devices: bool,
    /// Memory from before, if the program looks at it.
    pub before: Option<Before>,
}

impl Origins {
    /// A place as reports write it.
    pub fn span(&self, site: Site) -> Option<Span> {
        let file = self.files.get(site.file as usize)?.clone();
        Some(Span { file, line: site.line, column: site.column })
    }
}
