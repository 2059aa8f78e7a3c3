//! Cancellation: one token for all reasons to come to an end.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Why an analysis comes to its end before it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The time was up.
    Time,
    /// The memory was up.
    Memory,
    /// The user interrupted it.
    Interrupted,
}

type Source = dyn Fn() -> Option<Why> + Send + Sync;

/// A token that ends analyses, from any thread: whoever runs one gets the results so far. Clones are the same token. It stays
/// set, and the first reason counts.
#[derive(Clone, Default)]
pub struct Cancellation {
    set: Arc<AtomicU8>,
    source: Option<Arc<Source>>,
}

impl Cancellation {
    /// A token that is not set.
    pub fn new() -> Self {
        Self::default()
    }
    /// A token that is also set by what a function says, which is asked every few milliseconds. So a signal's handler can set it.
    pub fn watching(source: impl Fn() -> Option<Why> + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(source)), ..Self::default() }
    }
    /// Sets it.
    pub fn cancel(&self, why: Why) {
        let number = match why {
            Why::Time => 1,
            Why::Memory => 2,
            Why::Interrupted => 3,
        };
        // Another reason that came first stays.
        let _ = self.set.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }
    /// Why it is set, if it is.
    pub fn why(&self) -> Option<Why> {
        match self.set.load(Ordering::Relaxed) {
            0 => self.source.as_ref().and_then(|source| source()),
            1 => Some(Why::Time),
            2 => Some(Why::Memory),
            _ => Some(Why::Interrupted),
        }
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancellation").field(&self.why()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts_for_all_clones() {
        let token = Cancellation::new();
        let other = token.clone();
        assert_eq!(other.why(), None);
        token.cancel(Why::Memory);
        other.cancel(Why::Time);
        assert_eq!((token.why(), other.why()), (Some(Why::Memory), Some(Why::Memory)));
        assert_eq!(Cancellation::watching(|| Some(Why::Interrupted)).why(), Some(Why::Interrupted));
    }
}
