//! Work on several things at once, each within its time: what does not come to its end is left behind.
//!
//! Engines look at the clock. This is for what does not: a thread cannot be stopped from outside, but nobody has to wait
//! for it.

use super::deep_thread;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// About what most tasks need.
const MEMORY: usize = 8 << 20;

/// Things to do, numbered from 0.
pub(super) struct Tasks<S, T> {
    /// How many there are.
    pub count: usize,
    /// How many to do at once.
    pub jobs: usize,
    /// How long each may take.
    pub time: Duration,
    /// Does one; what it has so far it keeps in the slot.
    pub work: Arc<Work<S, T>>,
}

/// Does the task of a number.
pub(super) type Work<S, T> = dyn Fn(usize, &S) -> T + Send + Sync;

/// What a thread and the one who waits for it share.
struct Ticket<S> {
    slot: S,
    /// The time was up, and somebody else took the thread's place.
    is_late: AtomicBool,
}

enum Event<S, T> {
    Started(usize, Arc<Ticket<S>>),
    Done(usize, T),
}

impl<S, T> Tasks<S, T>
where
    S: Default + Send + Sync + 'static,
    T: Send + 'static,
{
    /// Does them all, and gives the results in their order. `late` makes one from what a task has in its slot when its time
    /// is up; `finished` is told of each that is done.
    pub(super) fn run(self, late: impl Fn(usize, &S) -> T, finished: impl Fn()) -> Vec<T> {
        let (sender, events) = mpsc::channel();
        let next = Arc::new(AtomicUsize::new(0));
        for _ in 0..self.jobs {
            self.start(&next, &sender);
        }
        let mut results: BTreeMap<usize, T> = BTreeMap::new();
        let mut running: BTreeMap<usize, (Instant, Arc<Ticket<S>>)> = BTreeMap::new();
        while results.len() < self.count {
            let wait = running.values().map(|(deadline, _)| *deadline).min();
            let wait = wait.map_or(Duration::from_secs(3600), |d| d.saturating_duration_since(Instant::now()));
            match events.recv_timeout(wait) {
                Ok(Event::Started(i, ticket)) => {
                    running.insert(i, (Instant::now() + self.time, ticket));
                }
                Ok(Event::Done(i, result)) => {
                    if running.remove(&i).is_some() {
                        results.insert(i, result);
                        finished();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let now = Instant::now();
                    let over: Vec<usize> = running.iter().filter(|(_, (d, _))| *d <= now).map(|(i, _)| *i).collect();
                    for i in over {
                        let (_, ticket) = running.remove(&i).expect("it was running just now");
                        ticket.is_late.store(true, Ordering::Relaxed);
                        results.insert(i, late(i, &ticket.slot));
                        finished();
                        self.start(&next, &sender);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => unreachable!("a sender is kept here"),
            }
        }
        results.into_values().collect()
    }

    /// A thread that takes one task after the other: it keeps its solver context.
    fn start(&self, next: &Arc<AtomicUsize>, sender: &Sender<Event<S, T>>) {
        let (next, sender, work, count) = (Arc::clone(next), sender.clone(), Arc::clone(&self.work), self.count);
        let thread = move || {
            lariat_smt::ready_heap(MEMORY);
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= count {
                    break;
                }
                let ticket = Arc::new(Ticket { slot: S::default(), is_late: AtomicBool::new(false) });
                // Nobody listens any more only when everything is done.
                let _ = sender.send(Event::Started(i, Arc::clone(&ticket)));
                let result = work(i, &ticket.slot);
                let _ = sender.send(Event::Done(i, result));
                if ticket.is_late.load(Ordering::Relaxed) {
                    break;
                }
            }
        };
        deep_thread().spawn(thread).expect("a thread can be started");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn what_hangs_is_left_behind_with_what_it_has() {
        let work = |i: usize, slot: &Mutex<String>| {
            *slot.lock().expect("nobody panics") = format!("half of {i}");
            if i % 3 == 1 {
                std::thread::sleep(Duration::from_secs(30));
            }
            format!("all of {i}")
        };
        let tasks = Tasks { count: 7, jobs: 2, time: Duration::from_millis(300), work: Arc::new(work) };
        let done = AtomicUsize::new(0);
        let late = |_: usize, slot: &Mutex<String>| slot.lock().expect("nobody panics").clone();
        let results = tasks.run(late, || {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(results, ["all of 0", "half of 1", "all of 2", "all of 3", "half of 4", "all of 5", "all of 6"]);
        assert_eq!(done.into_inner(), 7);
    }
}
