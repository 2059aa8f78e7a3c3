//! The progress bar.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A bar on standard error, from the second second on, and only where a person looks at it.
pub(super) struct Progress {
    bar: ProgressBar,
    begin: Instant,
    done: AtomicUsize,
}

impl Progress {
    pub(super) fn new(files: usize) -> Self {
        let bar = ProgressBar::hidden();
        if std::io::stderr().is_terminal() {
            bar.set_length(files as u64);
            let style = ProgressStyle::with_template("{spinner} {pos} of {len} files, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            // The ticker draws for the first time when its interval is over.
            bar.enable_steady_tick(Duration::from_secs(1));
        }
        Self { bar, begin: Instant::now(), done: AtomicUsize::new(0) }
    }
    pub(super) fn finish_one(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.begin.elapsed() > Duration::from_secs(1) {
            self.bar.set_position(done as u64);
        }
    }
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
