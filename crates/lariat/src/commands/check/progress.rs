//! The progress bar.

use indicatif::{ProgressBar, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// A bar on standard error, from the second second on, and only where a person looks at it.
pub(super) struct Progress {
    bar: ProgressBar,
    drawn: Cell<Instant>,
}

/// How often it is drawn.
const INTERVAL: Duration = Duration::from_secs(1);

impl Progress {
    pub(super) fn new(files: usize) -> Self {
        let bar = ProgressBar::hidden();
        if std::io::stderr().is_terminal() {
            bar.set_length(files as u64);
            let style = ProgressStyle::with_template("{spinner} {pos} of {len} files, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
        Self { bar, drawn: Cell::new(Instant::now()) }
    }
    /// So many files are done. It has no thread to draw: whoever waits tells it again and again.
    pub(super) fn show(&self, done: usize) {
        if self.drawn.get().elapsed() > INTERVAL {
            self.drawn.set(Instant::now());
            self.bar.set_position(done as u64);
            self.bar.tick();
        }
    }
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
