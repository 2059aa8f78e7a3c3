//! One thread that rings when a deadline passes, for solvers that do not keep their time limit themselves.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A bell that was rung once is rung again after this time, until its guard goes: it may have been rung just before
/// there was anybody to hear it.
const AGAIN: Duration = Duration::from_millis(20);

/// What is done when a deadline passes. It is called on the watchdog's thread, with its lock held: it must be short.
pub(crate) trait Bell: Send + Sync {
    fn ring(&self);
}

/// Rings `bell` once `deadline` has passed, until the guard is dropped; never after.
pub(crate) fn watch(deadline: Instant, bell: Arc<dyn Bell>) -> Guard {
    let dog = Watchdog::get();
    let mut kennel = dog.lock();
    kennel.tickets += 1;
    let ticket = kennel.tickets;
    kennel.armed.insert(ticket, Armed { deadline, bell, rung: false });
    // Waking the thread costs more than a small query: it sleeps on if it will look in time anyway.
    if kennel.looks_at.is_none_or(|t| deadline < t) {
        kennel.looks_at = Some(deadline);
        dog.wake.notify_one();
    }
    Guard { ticket }
}

/// Whether deadlines are watched at all: a process at its limit of threads gets none more.
pub(crate) fn runs() -> bool {
    Watchdog::get().lock().started
}

/// Keeps one deadline armed.
pub(crate) struct Guard {
    ticket: u64,
}

impl Guard {
    /// Disarms, and says whether the bell was rung.
    pub fn disarm(self) -> bool {
        // The drop that follows finds no ticket.
        Watchdog::get().lock().armed.remove(&self.ticket).is_some_and(|a| a.rung)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        Watchdog::get().lock().armed.remove(&self.ticket);
    }
}

#[derive(Default)]
struct Watchdog {
    kennel: Mutex<Kennel>,
    wake: Condvar,
}

#[derive(Default)]
struct Kennel {
    /// Few at any time: one a thread that runs a solver. The ticket tells a later query of the same context apart.
    armed: BTreeMap<u64, Armed>,
    tickets: u64,
    /// When the thread will look next; never, if there is nothing.
    looks_at: Option<Instant>,
    started: bool,
}

struct Armed {
    deadline: Instant,
    bell: Arc<dyn Bell>,
    rung: bool,
}

impl Watchdog {
    fn get() -> &'static Self {
        static DOG: OnceLock<Watchdog> = OnceLock::new();
        static THREAD: OnceLock<()> = OnceLock::new();
        let dog = DOG.get_or_init(Self::default);
        THREAD.get_or_init(|| {
            let thread = thread::Builder::new().name("solver-watchdog".to_owned()).spawn(|| dog.run());
            dog.lock().started = thread.is_ok();
        });
        dog
    }

    fn lock(&self) -> MutexGuard<'_, Kennel> {
        self.kennel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut kennel = self.lock();
        loop {
            let now = Instant::now();
            for armed in kennel.armed.values_mut().filter(|a| a.deadline <= now) {
                armed.bell.ring();
                armed.rung = true;
                armed.deadline = now + AGAIN;
            }
            kennel.looks_at = kennel.armed.values().map(|a| a.deadline).min();
            kennel = match kennel.looks_at {
                None => self.wake.wait(kennel).unwrap_or_else(PoisonError::into_inner),
                Some(t) => {
                    let rest = t.saturating_duration_since(now);
                    self.wake.wait_timeout(kennel, rest).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[derive(Default)]
    struct Counter(AtomicU32);

    impl Bell for Counter {
        fn ring(&self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn rings_when_the_time_has_come_and_never_after() {
        let bell = Arc::new(Counter::default());
        let guard = watch(Instant::now() + Duration::from_millis(30), bell.clone());
        thread::sleep(Duration::from_millis(10));
        assert_eq!(bell.0.load(Ordering::SeqCst), 0);
        thread::sleep(Duration::from_millis(120));
        assert!(guard.disarm());
        let rung = bell.0.load(Ordering::SeqCst);
        assert!(rung >= 1);
        thread::sleep(Duration::from_millis(60));
        assert_eq!(bell.0.load(Ordering::SeqCst), rung);
    }

    #[test]
    fn a_disarmed_deadline_is_forgotten() {
        let bell = Arc::new(Counter::default());
        assert!(!watch(Instant::now() + Duration::from_millis(20), bell.clone()).disarm());
        drop(watch(Instant::now() + Duration::from_millis(20), bell.clone()));
        let later = Arc::new(Counter::default());
        let guard = watch(Instant::now() + Duration::from_mins(1), later.clone());
        thread::sleep(Duration::from_millis(60));
        assert_eq!(bell.0.load(Ordering::SeqCst), 0);
        assert!(!guard.disarm());
        assert_eq!(later.0.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn an_earlier_deadline_is_not_missed_behind_a_later_one() {
        let late = watch(Instant::now() + Duration::from_mins(1), Arc::new(Counter::default()));
        thread::sleep(Duration::from_millis(20));
        let bell = Arc::new(Counter::default());
        let guard = watch(Instant::now() + Duration::from_millis(10), bell);
        thread::sleep(Duration::from_millis(80));
        assert!(guard.disarm());
        assert!(!late.disarm());
    }
}
