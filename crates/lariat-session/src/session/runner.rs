//! One thread works, another one watches the clock and the token: whoever works may not look at them for long.

use super::Done;
use crate::cancel::{Cancellation, Why};
use crate::threads::deep_thread;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// So long after its time the results so far are made: the checker has a third of a second of its own.
pub const GRACE: Duration = Duration::from_millis(400);
/// How often to look whether somebody wants them earlier.
const LOOK: Duration = Duration::from_millis(10);
/// So long a report may take that is begun when the time is up.
const REPORT: Duration = Duration::from_millis(300);
/// About what most files need.
const MEMORY: usize = 8 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that does one job after the other, and keeps what is worth keeping for the next one: the solver's contexts.
#[derive(Default)]
pub(super) struct Runner {
    jobs: Option<mpsc::Sender<Job>>,
}

/// Why there is no value.
pub(super) enum Missing {
    /// No thread could be started.
    NoThread(std::io::Error),
    /// The thread for the results so far could not be started, or did not come to its end.
    Lost,
}

/// How long to wait.
pub(super) struct Patience {
    /// How long the work may take.
    pub time: Duration,
    /// Ends it earlier.
    pub cancellation: Cancellation,
    /// How long the results so far took when they were last made.
    pub report: Arc<ReportTime>,
}

/// How long it took at most to make a report.
#[derive(Default)]
pub(super) struct ReportTime(AtomicU64);

impl ReportTime {
    pub(super) fn took(&self, time: Duration) {
        self.0.fetch_max(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
    fn longest(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

impl Patience {
    /// When to stop to wait. The last report of a large program is begun earlier; half of the time is for the search at least.
    fn end(&self) -> Duration {
        let all = self.time + GRACE;
        match self.report.longest() {
            Duration::ZERO => all,
            took => (all + REPORT).saturating_sub(took.mul_f64(1.5)).max(self.time / 2).min(all),
        }
    }
}

impl Runner {
    /// Works, and waits for it, but not longer than there is patience; then does `instead` on another thread. The one that is late is
    /// left behind, and ends when its job does.
    pub(super) fn run<T: Send + 'static>(
        &mut self,
        patience: &Patience,
        work: impl FnOnce() -> T + Send + 'static,
        instead: impl FnOnce(Why) -> T + Send + 'static,
    ) -> Result<Done<T>, Missing> {
        let (told, news) = mpsc::channel::<T>();
        let done = told.clone();
        // Nobody listens any more only when both threads come to an end.
        self.give(Box::new(move || drop(done.send(work()))))?;
        let begin = Instant::now();
        let why = loop {
            let left = (begin + patience.end()).saturating_duration_since(Instant::now());
            if let Ok(value) = news.recv_timeout(left.min(LOOK)) {
                return Ok(Done { value, left_behind: false });
            }
            match patience.cancellation.why() {
                None if left.is_zero() => break Why::Time,
                None => {}
                Some(why) => break why,
            }
        };
        self.jobs = None;
        // Reports walk over expressions, too, so this needs as deep a stack.
        deep_thread(move || drop(told.send(instead(why)))).map_err(|_| Missing::Lost)?;
        // The thread that is late may still be the first to be done.
        let value = news.recv().map_err(|_| Missing::Lost)?;
        Ok(Done { value, left_behind: true })
    }

    fn give(&mut self, job: Job) -> Result<(), Missing> {
        let mut job = job;
        if let Some(jobs) = &self.jobs {
            match jobs.send(job) {
                Ok(()) => return Ok(()),
                // The thread has ended by a panic.
                Err(mpsc::SendError(back)) => job = back,
            }
        }
        let (give, given) = mpsc::channel::<Job>();
        let work = move || {
            lariat_smt::ready_heap(MEMORY);
            for job in given {
                job();
            }
        };
        deep_thread(work).map_err(Missing::NoThread)?;
        give.send(job).map_err(|_| Missing::Lost)?;
        self.jobs = Some(give);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patience(time: Duration) -> Patience {
        Patience { time, cancellation: Cancellation::new(), report: Arc::default() }
    }

    #[test]
    fn one_thread_works_until_it_is_late() {
        let mut runner = Runner::default();
        let mut name = |patience: &Patience, pause: u64| {
            let work = move || {
                std::thread::sleep(Duration::from_millis(pause));
                Ok(std::thread::current().id())
            };
            runner.run(patience, work, Err).ok().expect("a value")
        };
        let long = patience(Duration::from_mins(1));
        let (first, second) = (name(&long, 0), name(&long, 0));
        assert!(first.value.is_ok() && first.value == second.value && !second.left_behind);
        let late = name(&patience(Duration::ZERO), 5000);
        assert!(late.value == Err(Why::Time) && late.left_behind);
        let third = name(&long, 0);
        assert!(third.value.is_ok() && third.value != first.value, "what was late is left behind");
        long.cancellation.cancel(Why::Interrupted);
        assert_eq!(name(&long, 5000).value, Err(Why::Interrupted));
    }

    #[test]
    fn a_report_that_takes_long_is_begun_earlier() {
        let p = patience(Duration::from_secs(10));
        assert_eq!(p.end(), Duration::from_millis(10_400));
        p.report.took(Duration::from_millis(100));
        assert_eq!(p.end(), Duration::from_millis(10_400));
        p.report.took(Duration::from_secs(2));
        assert_eq!(p.end(), Duration::from_millis(7_700));
        p.report.took(Duration::from_secs(9));
        assert_eq!(p.end(), Duration::from_secs(5));
    }
}
