//! Claims and their certificates: what an engine says, and why it should be believed.
//!
//! A claim is only data. What it takes for one to be true is written beside the code that checks it, in `lariat-check`.

mod form;

pub use form::{from_data, parse, print, to_data};

use crate::ids::{EdgeId, LocId, UnknownId, VarId};
use crate::system::SystemHash;
use crate::term::Term;
use crate::value::Value;
use std::collections::BTreeMap;

/// What is claimed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Property {
    /// No run that starts in a state of `when` stays in the loop with this header for ever.
    Terminates(LocId),
    /// From every state of `when`, some choice of the inputs gives a run that stays in the loop with this header for
    /// ever; and there is such a state.
    Diverges(LocId),
    /// The certificate's invariants hold whenever a run that starts in a state of `when` is at their locations.
    Holds,
    /// No run that starts in a state of `when` comes to this location.
    Unreachable(LocId),
    /// Every run that starts in a state of `when` ends.
    ProgramTerminates,
    /// From every state of `when`, some choice of the inputs gives an infinite run; and there is such a state.
    ProgramDiverges,
}

/// Something said about a system, with the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The system it is said about.
    pub system: SystemHash,
    /// What is said.
    pub property: Property,
    /// About which initial states: a truth value over the variables at the entry.
    pub when: Term,
    /// Why.
    pub certificate: Certificate,
}

/// The order in which a measure falls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Integers; a step that makes the measure fall starts at zero or above.
    Int,
    /// Bit-vectors, unsigned.
    Unsigned,
    /// Bit-vectors, signed.
    Signed,
}

/// A term that never rises, and falls where its tuple says so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Measure {
    /// The order.
    pub order: Order,
    /// The term, over the variables.
    pub term: Term,
}

/// An inner loop that another proof steps over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inner {
    /// Its header.
    pub header: LocId,
    /// A relation between the state at an arrival at the header (`old`) and at any later visit before the loop is
    /// left; it contains the reflexive transitive closure of the loop's iterations.
    pub relation: Term,
    /// That the inner loop ends.
    pub claim: Box<Claim>,
}

/// What termination proofs have in common.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// Invariants at some locations; `true` at the other loop headers.
    pub invariants: BTreeMap<LocId, Term>,
    /// Inner loops that are stepped over.
    pub inner: Vec<Inner>,
}

/// A part of a transition invariant, well-founded by its own measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disjunct {
    /// A relation between two visits of the header, the earlier one `old`.
    pub relation: Term,
    /// Falls from the earlier to the later one.
    pub measure: Vec<Measure>,
}

/// One step of a concrete run: the edge and the values of its unknowns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The edge that is taken.
    pub edge: EdgeId,
    /// The value of every unknown that it mentions.
    pub values: Vec<(UnknownId, Value)>,
}

/// One step of a symbolic path: the edge, and how to choose the inputs in the state before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The edge that is taken.
    pub edge: EdgeId,
    /// A term over the variables for every input that it mentions.
    pub inputs: Vec<(UnknownId, Term)>,
}

/// A part of the state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StatePart {
    /// A variable as a whole.
    Var(VarId),
    /// One cell of an array variable.
    Cell(VarId, Value),
}

/// A way to go on inside a recurrent set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arm {
    /// Where it starts.
    pub from: LocId,
    /// For which states of the set there.
    pub when: Term,
    /// The path back into the set.
    pub path: Vec<Move>,
}

/// Why a claim should be believed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// Measures at some locations of a loop that fall lexicographically.
    Ranking {
        /// Invariants and inner loops.
        outline: Outline,
        /// A tuple at each location; the tuples have one length.
        measures: BTreeMap<LocId, Vec<Measure>>,
    },
    /// A transitive relation between visits of the header, each part well-founded.
    TransitionInvariant {
        /// Invariants and inner loops.
        outline: Outline,
        /// The parts.
        disjuncts: Vec<Disjunct>,
    },
    /// A concrete run that comes back to where it was.
    Orbit {
        /// The values of all variables at the entry.
        start: Vec<Value>,
        /// The steps to the loop.
        stem: Vec<Choice>,
        /// The steps around.
        cycle: Vec<Choice>,
        /// What is the same after the cycle as before, and decides everything that the cycle does.
        same: Vec<StatePart>,
    },
    /// States that a run can be kept in.
    RecurrentSet {
        /// The values of all variables at the entry in one state of `when`.
        start: Vec<Value>,
        /// The steps from the entry into the set.
        stem: Vec<Move>,
        /// The set, at each of its locations.
        set: BTreeMap<LocId, Term>,
        /// How to stay in it.
        arms: Vec<Arm>,
    },
    /// A cycle of abstract states that the abstract domain itself vouches for.
    AbstractCycle {
        /// The domain's name.
        domain: String,
        /// The abstract states as terms, each at its location.
        states: Vec<(LocId, Term)>,
        /// The edge from each state to the next, and from the last to the first.
        edges: Vec<EdgeId>,
    },
    /// Invariants that the edges keep.
    Inductive {
        /// The invariants.
        invariants: BTreeMap<LocId, Term>,
    },
    /// Invariants that the edges keep and that exclude the location.
    Unreachable {
        /// The invariants.
        invariants: BTreeMap<LocId, Term>,
    },
    /// Claims about the loops that cover the program.
    Program {
        /// The claims.
        parts: Vec<Claim>,
    },
}

impl Certificate {
    /// The kind, as reports name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ranking { .. } => "Ranking",
            Self::TransitionInvariant { .. } => "TransitionInvariant",
            Self::Orbit { .. } => "Orbit",
            Self::RecurrentSet { .. } => "RecurrentSet",
            Self::AbstractCycle { .. } => "AbstractCycle",
            Self::Inductive { .. } => "Inductive",
            Self::Unreachable { .. } => "Unreachable",
            Self::Program { .. } => "Program",
        }
    }
}
