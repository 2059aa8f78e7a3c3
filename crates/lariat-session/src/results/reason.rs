//! Why a verdict is unknown.

use lariat_check::Rejection;
use lariat_engines::{LoopResult, NoClaim};
use lariat_ir::{LocationKind, codes};
use std::fmt;

codes! {
    /// The kinds of reasons. A new one needs a section in `docs/codes.md`.
    pub enum ReasonKind {
        TimeUp = "L0101", "the time was up";
        MemoryUp = "L0102", "the memory was up";
        LimitReached = "L0103", "the time or the memory was up";
        Interrupted = "L0104", "it was interrupted";
        NoProof = "L0105", "no engine found a proof";
        NoProofInTime = "L0106", "no engine found a proof in its time";
        NotTried = "L0107", "no engine looked at it";
        Rejected = "L0108", "a proof was not accepted by the checker";
        OnlyByOverflow = "L0109", "an overflow decides it";
        MayWrap = "L0110", "something runs for ever where numbers wrap";
        InnerLoopOpen = "L0111", "a loop inside it is open";
        NotListed = "L0112", "the system does not say where its places are";
        LeavesModel = "L0113", "a run may leave the model before it gets here";
        HangsInside = "L0114", "it hangs in a loop inside it";
        NotCovered = "L0115", "the system does not cover it";
        CopyNotSeen = "L0116", "a copy of the loop was not looked at";
        CopyOpen = "L0117", "a copy of the loop is open";
        LoopOpen = "L0118", "a loop is open";
        BeyondModel = "L0119", "some run may leave the model of memory";
        RecursionReturns = "L0120", "that the calls of a recursion all return is not shown";
        ObligationOpen = "L0121", "something is open that is no loop of the system";
        NotConcluded = "L0122", "the verdict on the whole does not follow";
        NoEndlessLoop = "L0123", "no loop was proved to run for ever";
        Malformed = "L0124", "the system could not be verified";
        Waits = "L0125", "the process waits";
        NotWatched = "L0126", "the process could not be watched long enough";
        CounterWraps = "L0127", "only the overflow of a counter ends the loop of the process";
        NotProved = "L0128", "that the process stays in its loop is not proved";
        OthersWrite = "L0129", "what others write decides the loop of the process";
        OpenByItself = "L0130", "nothing that falls was found in the loop by itself";
        CalleeOpen = "L0131", "a function that it calls is not shown to return";
        TooLarge = "L0132", "the entry is too large to be followed as a whole";
        NotReached = "L0133", "no run from the entry comes to it, and by itself it is open";
        UnderCondition = "L0134", "it ends under a condition";
    }
}

/// Why a verdict is unknown. As text it is what reports print.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time was up.
    TimeUp(Stage),
    /// The memory was up.
    MemoryUp {
        /// Whether the program was read.
        read: bool,
        /// The limit.
        limit: MemoryLimit,
    },
    /// Said early of what may not be done later.
    LimitReached,
    /// Somebody ended it.
    Interrupted {
        /// Whether the program was read.
        read: bool,
    },
    /// No engine could be asked, for this reason.
    Unsearched(Box<Reason>),
    /// What each engine said.
    Engines(Vec<(&'static str, NoClaim)>),
    /// No engine was asked.
    NotTried,
    /// The checker accepted no claim.
    Rejected,
    /// Both systems of an entry leave it open, each for its reason.
    Both(Box<Reason>, Box<Reason>),
    /// It ends, or hangs, only because a number overflows.
    OnlyByOverflow {
        /// Of a program: the loop that hangs where numbers wrap, by its name.
        hangs: Option<String>,
    },
    /// Something runs for ever where numbers wrap, and it may be this loop.
    MayWrap,
    /// Its own iterations end; the loop of this name in it is open.
    InnerLoopOpen(String),
    /// The system for proofs of termination does not say where its places are.
    NotListed,
    /// A run may leave what the model knows before it gets here.
    LeavesModel,
    /// A run never leaves a loop inside it, and no system holds both: where that is, in words.
    HangsInside(String),
    /// It is no loop of the system.
    NotCovered,
    /// It was not looked at as a part of this entry.
    CopyNotSeen(String),
    /// Some other copy of it is open.
    CopyOpen,
    /// The verdict on the whole does not follow from what was proved.
    NotConcluded {
        /// The condition that is not met.
        rejection: Rejection,
        /// What the loop stands for that was not proved to end, if it is one.
        open: Option<LocationKind>,
    },
    /// No loop was proved to run for ever, and the system carries no other verdict.
    NoEndlessLoop,
    /// The system could not be verified, for what is said here.
    Malformed(String),
    /// The reason of an entry, of several.
    InEntry {
        /// The first entry that is open.
        entry: String,
        /// Why it is.
        reason: Box<Reason>,
        /// How many more are open.
        more: usize,
    },
    /// Its view does not end, or has none.
    OpenByItself(Vec<String>),
    /// Its view ends; this function, which it calls, is not shown to return, for a reason in words.
    CalleeOpen(String, String),
    /// The entry was not translated.
    TooLarge,
    /// No run from the entry comes to it; by itself it is open.
    NotReached,
    /// A loop of this function ends under a condition only.
    UnderCondition(String),
    /// Of a running process, in words.
    Process(ProcessReason, String),
}

/// When the time was up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// While the program was read.
    Reading,
    /// Before anything could be done with a system.
    Starting,
    /// While engines looked at it.
    Searching,
}

/// Which limit of memory was reached, in megabytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryLimit {
    /// The one of the options.
    Asked(u64),
    /// The one that the system sets for every process.
    OfTheSystem(u64),
}

/// Why it is not known whether a running process stays in its loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessReason {
    /// It waits.
    Waits,
    /// It could not be watched long enough.
    NotWatched,
    /// A counter's overflow ends the loop, and nothing else.
    CounterWraps,
    /// Others write what decides it.
    OthersWrite,
    /// Something else.
    NotProved,
}

impl Reason {
    /// What kind of reason it is.
    pub fn kind(&self) -> ReasonKind {
        use lariat_check::Condition;
        match self {
            Self::TimeUp(_) => ReasonKind::TimeUp,
            Self::MemoryUp { .. } => ReasonKind::MemoryUp,
            Self::LimitReached => ReasonKind::LimitReached,
            Self::Interrupted { .. } => ReasonKind::Interrupted,
            Self::Unsearched(reason) | Self::InEntry { reason, .. } => reason.kind(),
            Self::Engines(_) if self.is_of_time() => ReasonKind::NoProofInTime,
            Self::Engines(_) => ReasonKind::NoProof,
            Self::NotTried => ReasonKind::NotTried,
            Self::Rejected => ReasonKind::Rejected,
            Self::Both(first, second) => if first.is_of_time() || !second.is_of_time() { first } else { second }.kind(),
            Self::OnlyByOverflow { .. } => ReasonKind::OnlyByOverflow,
            Self::MayWrap => ReasonKind::MayWrap,
            Self::InnerLoopOpen(_) => ReasonKind::InnerLoopOpen,
            Self::NotListed => ReasonKind::NotListed,
            Self::LeavesModel => ReasonKind::LeavesModel,
            Self::HangsInside(_) => ReasonKind::HangsInside,
            Self::NotCovered => ReasonKind::NotCovered,
            Self::CopyNotSeen(_) => ReasonKind::CopyNotSeen,
            Self::CopyOpen => ReasonKind::CopyOpen,
            Self::NotConcluded { open: Some(LocationKind::BeyondModel), .. } => ReasonKind::BeyondModel,
            Self::NotConcluded { open: Some(LocationKind::Returns), .. } => ReasonKind::RecursionReturns,
            Self::NotConcluded { open: Some(LocationKind::Plain), .. } => ReasonKind::LoopOpen,
            Self::NotConcluded { rejection, open: None } if rejection.condition == Condition::OpenObligation => {
                ReasonKind::ObligationOpen
            }
            Self::NotConcluded { open: None, .. } => ReasonKind::NotConcluded,
            Self::NoEndlessLoop => ReasonKind::NoEndlessLoop,
            Self::Malformed(_) => ReasonKind::Malformed,
            Self::OpenByItself(_) => ReasonKind::OpenByItself,
            Self::CalleeOpen(..) => ReasonKind::CalleeOpen,
            Self::TooLarge => ReasonKind::TooLarge,
            Self::NotReached => ReasonKind::NotReached,
            Self::UnderCondition(_) => ReasonKind::UnderCondition,
            Self::Process(ProcessReason::Waits, _) => ReasonKind::Waits,
            Self::Process(ProcessReason::NotWatched, _) => ReasonKind::NotWatched,
            Self::Process(ProcessReason::CounterWraps, _) => ReasonKind::CounterWraps,
            Self::Process(ProcessReason::OthersWrite, _) => ReasonKind::OthersWrite,
            Self::Process(ProcessReason::NotProved, _) => ReasonKind::NotProved,
        }
    }

    /// Whether more time may help.
    pub fn is_of_time(&self) -> bool {
        match self {
            Self::TimeUp(_) => true,
            Self::Unsearched(reason) | Self::InEntry { reason, .. } => reason.is_of_time(),
            Self::Both(first, second) => first.is_of_time() || second.is_of_time(),
            Self::Engines(all) => all.iter().any(|(_, why)| matches!(why, NoClaim::OutOfTime(_))),
            _ => false,
        }
    }

    /// Why no engine decided a loop.
    pub(super) fn of_trials(result: &LoopResult) -> Self {
        let said: Vec<_> =
            result.trials.iter().filter_map(|t| t.reason.as_ref().map(|r| (t.engine, r.clone()))).collect();
        let rejected = result.trials.iter().any(|t| !t.rejected.is_empty());
        match (said.is_empty(), rejected) {
            (true, false) => Self::NotTried,
            (true, true) => Self::Rejected,
            _ => Self::Engines(said),
        }
    }
}

/// The reason, and what the finding is called, of a loop whose end, or whose endless run, is the work of an overflow.
const ENDS_ONLY_BY_OVERFLOW: &str = "ends-only-by-overflow";

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = |read: &bool| if *read { "" } else { " before the program was read" };
        match self {
            Self::TimeUp(Stage::Searching) => f.write_str("the time was up"),
            Self::TimeUp(Stage::Starting) => f.write_str("the time was up before it could be looked at"),
            Self::TimeUp(Stage::Reading) => f.write_str(
                "the time was up before the program was read; give it more with --timeout, or a smaller file",
            ),
            Self::MemoryUp { read, limit: MemoryLimit::OfTheSystem(mb) } => {
                write!(f, "the memory was up{}: the system allows {mb} MB (ulimit -v); raise that limit", when(read))
            }
            Self::MemoryUp { read, limit: MemoryLimit::Asked(mb) } => write!(
                f,
                "the memory was up{}: it would take more than {mb} MB; give it more with --memory",
                when(read)
            ),
            Self::LimitReached => f.write_str("the time or the memory was up"),
            Self::Interrupted { read } => write!(f, "interrupted by Ctrl-C{}; run it again", when(read)),
            Self::Unsearched(reason) => write!(f, "lariat: {reason}"),
            Self::Engines(all) => {
                for (i, (engine, why)) in all.iter().enumerate() {
                    write!(f, "{}{engine}: {why}", if i > 0 { "; " } else { "" })?;
                }
                Ok(())
            }
            Self::NotTried => f.write_str("no engine looked at it"),
            Self::Rejected => f.write_str("a proof was found but not accepted by the checker"),
            Self::Both(first, second) => write!(f, "{first}; {second}"),
            Self::OnlyByOverflow { hangs: None } => f.write_str(ENDS_ONLY_BY_OVERFLOW),
            Self::OnlyByOverflow { hangs: Some(at) } => {
                write!(f, "{ENDS_ONLY_BY_OVERFLOW}: the loop at `{at}` hangs where numbers wrap")
            }
            Self::MayWrap => {
                f.write_str("where numbers wrap something runs for ever, and whether it is this loop is not known")
            }
            Self::InnerLoopOpen(at) => write!(f, "its own iterations end, but the loop at `{at}` in it is open"),
            Self::NotListed => f.write_str("the system for proofs of termination does not say where its places are"),
            Self::LeavesModel => f.write_str("a run may leave what the model knows before it gets here"),
            Self::HangsInside(at) => write!(
                f,
                "a run that never leaves the loop {at} inside it never leaves this one; no system holds both loops, so there is no \
                 proof of its own"
            ),
            Self::NotCovered => f.write_str("the system does not cover it"),
            Self::CopyNotSeen(entry) => {
                write!(f, "it ends where it was looked at, which it was not as a part of `{entry}`")
            }
            Self::CopyOpen => f.write_str("it ends here, but not all of its copies were shown to"),
            Self::NotConcluded { rejection, .. } => write!(f, "{}: {}", rejection.condition.name(), rejection.detail),
            Self::NoEndlessLoop => {
                f.write_str("no loop was proved to run for ever, and this system carries no other verdict")
            }
            Self::Malformed(message) => f.write_str(message),
            Self::InEntry { entry, reason, more: 0 } => write!(f, "in `{entry}`: {reason}"),
            Self::InEntry { entry, reason, more } => write!(f, "in `{entry}`: {reason}; and in {more} more"),
            Self::OpenByItself(lost) => {
                f.write_str("nothing that falls was found in the loop by itself")?;
                if lost.is_empty() { Ok(()) } else { write!(f, ": {}", lost.join("; ")) }
            }
            Self::CalleeOpen(name, why) => {
                write!(f, "its own iterations end, but `{name}`, which it calls, is not shown to return: {why}")
            }
            Self::TooLarge => f.write_str("with all that it calls it is too large to be followed as a whole"),
            Self::NotReached => {
                f.write_str("no run from the entry comes to it; for other callers, nothing that falls was found in the loop by itself")
            }
            Self::UnderCondition(function) => write!(f, "a loop of `{function}` ends under a condition, which is for callers to meet"),
            Self::Process(_, text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_keeps_its_kind_within_others() {
        let late = Reason::Engines(vec![
            ("orbit", NoClaim::from("no path")),
            ("ranking", NoClaim::OutOfTime("the time was up while its paths were listed".to_owned())),
        ]);
        let open = Reason::Engines(vec![("orbit", NoClaim::from("no path"))]);
        assert_eq!((late.kind(), open.kind()), (ReasonKind::NoProofInTime, ReasonKind::NoProof));
        assert_eq!(late.to_string(), "orbit: no path; ranking: the time was up while its paths were listed");
        for (both, kind) in [
            (Reason::Both(Box::new(open.clone()), Box::new(late.clone())), ReasonKind::NoProofInTime),
            (Reason::Both(Box::new(late), Box::new(open.clone())), ReasonKind::NoProofInTime),
            (Reason::Both(Box::new(open), Box::new(Reason::NotTried)), ReasonKind::NoProof),
        ] {
            let whole = Reason::InEntry { entry: "f".to_owned(), reason: Box::new(both.clone()), more: 2 };
            assert_eq!((both.kind(), whole.kind(), whole.is_of_time()), (kind, kind, both.is_of_time()));
            assert_eq!(whole.to_string(), format!("in `f`: {both}; and in 2 more"));
        }
        let unsearched = Reason::Unsearched(Box::new(Reason::TimeUp(Stage::Searching)));
        assert_eq!(
            (unsearched.kind(), unsearched.to_string().as_str()),
            (ReasonKind::TimeUp, "lariat: the time was up")
        );
    }
}
