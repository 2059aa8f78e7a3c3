//! Why a certificate is not accepted.

use std::fmt;

/// The side condition that a certificate violates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "`Condition::name` says each in words")]
pub enum Condition {
    OtherSystem,
    OtherVerdict,
    IllFormedTerm,
    NoSuchLoop,
    KindDoesNotFit,
    OnlyAttested,
    InvariantNotInitial,
    InvariantNotInductive,
    NotUnreachable,
    MeasureShape,
    MeasureOutsideLoop,
    CycleAvoidsMeasures,
    MeasureDoesNotFall,
    MeasureUnbounded,
    CycleWithoutFall,
    InnerNotInside,
    InnerNotReflexive,
    InnerNotClosed,
    InnerNotProved,
    StepOutsideRelation,
    RelationNotTransitive,
    DisjunctDoesNotFall,
    DisjunctUnbounded,
    CycleAvoidsHeader,
    StartNotInitial,
    StepNotEnabled,
    StepsNotConnected,
    RunEnds,
    UndefinedBehaviour,
    MissingChoice,
    ChoiceOutOfRange,
    LeavesLoop,
    EmptyCycle,
    CycleNotClosed,
    ValuesDiffer,
    NotSettled,
    SetOutsideLoop,
    StemMissesSet,
    NoWayOn,
    EmptyPath,
    PathNotEnabled,
    PathLeavesSet,
    LoopNotCovered,
    OtherInitialStates,
    OpenObligation,
    SolverUnknown,
}

impl Condition {
    /// The side condition, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::OtherSystem => "the certificate belongs to this system",
            Self::OtherVerdict => "the system can carry this verdict",
            Self::IllFormedTerm => "terms speak of variables and have the right sort",
            Self::NoSuchLoop => "the claim names a loop",
            Self::KindDoesNotFit => "the certificate's kind can show the claim",
            Self::OnlyAttested => "an abstract cycle is attested, not proved",
            Self::InvariantNotInitial => "the invariant holds at the entry",
            Self::InvariantNotInductive => "the invariant is kept by every edge",
            Self::NotUnreachable => "the invariant excludes the location",
            Self::MeasureShape => "the measures are tuples of one shape, in the order of their sort",
            Self::MeasureOutsideLoop => "the measures stand in the loop",
            Self::CycleAvoidsMeasures => "every cycle of the loop passes a measure",
            Self::MeasureDoesNotFall => "the tuple never rises lexicographically",
            Self::MeasureUnbounded => "the falling part is bounded below before the step",
            Self::CycleWithoutFall => "the tuple falls on every cycle",
            Self::InnerNotInside => "an inner loop lies inside the loop, apart from the others and from the measures",
            Self::InnerNotReflexive => "the inner relation holds for no iterations",
            Self::InnerNotClosed => "the inner relation is kept by an iteration",
            Self::InnerNotProved => "the inner loop's own termination is proved",
            Self::StepOutsideRelation => "one step is in the relation",
            Self::RelationNotTransitive => "the relation followed by one step is in the relation",
            Self::DisjunctDoesNotFall => "every disjunct's measure falls",
            Self::DisjunctUnbounded => "every disjunct's falling part is bounded below",
            Self::CycleAvoidsHeader => "every cycle of the loop passes the header",
            Self::StartNotInitial => "the run starts in an initial state of `when`",
            Self::StepNotEnabled => "each step's guard holds",
            Self::StepsNotConnected => "each step starts where the last one ended",
            Self::RunEnds => "the run does not end",
            Self::UndefinedBehaviour => "the run has no undefined behaviour",
            Self::MissingChoice => "each step gives its unknown values, each once",
            Self::ChoiceOutOfRange => "chosen values lie in their ranges",
            Self::LeavesLoop => "the cycle stays in the loop",
            Self::EmptyCycle => "the cycle has at least one edge",
            Self::CycleNotClosed => "the cycle ends where it starts",
            Self::ValuesDiffer => "what decides the cycle is the same after it",
            Self::NotSettled => "environment values, what `when` leaves open and what is not compared decide nothing",
            Self::SetOutsideLoop => "the recurrent set lies in the loop",
            Self::StemMissesSet => "the stem ends inside the recurrent set",
            Self::NoWayOn => "every state of the recurrent set has an arm",
            Self::EmptyPath => "an arm's path has at least one edge",
            Self::PathNotEnabled => "a path is enabled from every state it is for",
            Self::PathLeavesSet => "an arm's path ends inside the recurrent set",
            Self::LoopNotCovered => "every outermost loop is covered by a proof",
            Self::OtherInitialStates => "the parts speak of the same initial states",
            Self::OpenObligation => "nothing is left open that the loops do not cover",
            Self::SolverUnknown => "the solver answers",
        }
    }
}

/// A certificate that is not accepted: the side condition, and what violates it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// The side condition that is not shown to hold.
    pub condition: Condition,
    /// Where and with which values.
    pub detail: String,
}

impl Rejection {
    pub(crate) fn new(condition: Condition, detail: impl Into<String>) -> Self {
        Self { condition, detail: detail.into() }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rejected, because this was not shown: {}: {}", self.condition.name(), self.detail)
    }
}

impl std::error::Error for Rejection {}
