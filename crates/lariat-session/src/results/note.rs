//! What is remarkable about a loop besides its verdict.

use super::{Intent, LoopReport, OnlyByOverflow};
use lariat_ir::codes;

codes! {
    /// The kinds of notes. A new one needs a section in `docs/codes.md`.
    pub enum Note {
        EndsOnlyByOverflow = "L0301", "the loop ends only by an overflow";
        HangsByOverflow = "L0302", "the loop runs for ever by an overflow";
        EventLoop = "L0303", "the loop waits for the outside, for ever";
        SpinWait = "L0304", "the loop waits until somebody else writes";
        Halt = "L0305", "the loop is a halt";
    }
}

impl Note {
    /// Those of a loop.
    pub fn of(l: &LoopReport) -> Vec<Self> {
        let by_overflow = l.overflow.as_ref().and_then(|o| o.only_by_overflow).map(|o| match o {
            OnlyByOverflow::Ends => Self::EndsOnlyByOverflow,
            OnlyByOverflow::Hangs => Self::HangsByOverflow,
        });
        let intent = l.intent.as_ref().map(|i| match i {
            Intent::EventLoop { .. } => Self::EventLoop,
            Intent::SpinWait => Self::SpinWait,
            Intent::Halt => Self::Halt,
        });
        by_overflow.into_iter().chain(intent).collect()
    }
}
