//! The files of one call, each analysed by a worker process within its time.

use super::progress::Progress;
use super::workers::{Answer, Lost, Outcome, Tasks};
use super::{Options, answer, emit};
use lariat_process::{Ask, Seat, Signals};
use lariat_session::results::{Failure, Program};
use lariat_session::{Cancellation, Event, Session, Sink, Why};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Analyses the files, several at once, and gives the results in the order of the files; or the number of the signal that
/// ended it.
pub(super) fn analyse_all(o: &Options, session: &lariat_session::Options, signals: &Signals) -> Result<Outcome, i32> {
    let progress = Progress::new(o.files.len());
    let tasks = Tasks {
        count: o.files.len(),
        jobs: jobs(o).min(o.files.len()),
        time: session.timeout,
        memory: o.memory_bytes(),
        serve: &|seat| serve(o, session, seat),
        lost: &|i, why| lost(o, session, &o.files[i], why),
    };
    let outcome = tasks.run(signals, &progress);
    progress.clear();
    outcome
}

/// How many things may be done at once.
pub(super) fn jobs(o: &Options) -> usize {
    o.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// A worker: takes one file after the other, and answers with what the session makes of it.
fn serve(o: &Options, session: &lariat_session::Options, seat: Seat) {
    let desk = Desk(Arc::new(Mutex::new((seat, State::Waiting))));
    let mut session = Session::new(session.clone())
        .with_cancellation(Cancellation::watching(asked))
        .with_sink(Early { options: o.clone(), desk: desk.clone() });
    while let Some(i) = desk.task() {
        let (options, path) = (o.clone(), o.files[i].clone());
        let done = match o.emit {
            None => session.analyse_then(&o.files[i], move |program| answer(&options, program)),
            Some(emit) => {
                let (wanted, failing, failed_path) = (session.options().clone(), o.clone(), path.clone());
                let work = move || emit::emitted(&options, emit, &wanted, &path);
                session.watch(work, move |failure| failed(&failing, &failed_path, failure))
            }
        };
        // The parent knows what to say of a worker that ends.
        let Ok(done) = done else { lariat_smt::leave(1) };
        // Once asked to end, a worker stays asked: the next file is for another one.
        let spent = done.left_behind || asked().is_some();
        desk.answer(&Answer { spent, ..done.value });
        if spent {
            break;
        }
    }
}

/// Why the parent wants an answer now.
fn asked() -> Option<Why> {
    match lariat_process::asked() {
        Ask::Nothing => None,
        Ask::Stop => Some(Why::Interrupted),
        Ask::Memory => Some(Why::Memory),
    }
}

/// The worker's side, for the thread that takes tasks and those that have something to say early.
#[derive(Clone)]
struct Desk(Arc<Mutex<(Seat, State)>>);

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// No answer is wanted.
    Waiting,
    /// A file is in work.
    Working,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, (Seat, State)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn task(&self) -> Option<usize> {
        let (seat, state) = &mut *self.lock();
        let task = seat.task()?;
        *state = State::Working;
        Some(task as usize)
    }
    /// The last word on a file. What a thread that is late says after it is not wanted.
    fn answer(&self, answer: &Answer) {
        let (seat, state) = &mut *self.lock();
        *state = State::Waiting;
        // A parent that is not there any more takes its workers with it.
        let _ = seat.answer(&answer.encode());
    }
    fn early(&self, answer: &Answer) {
        let (seat, state) = &mut *self.lock();
        if *state == State::Working {
            let _ = seat.answer(&answer.encode());
        }
    }
}

/// Passes on what there is to say of large programs before they are decided.
struct Early {
    options: Options,
    desk: Desk,
}

impl Sink for Early {
    fn event(&self, event: Event<'_>) {
        if let Event::Early(program) = event {
            self.desk.early(&Answer { is_early: true, ..answer(&self.options, program.clone()) });
        }
    }
    fn wants_early(&self) -> bool {
        self.options.emit.is_none()
    }
}

/// The answer for a file whose worker gave none.
fn lost(o: &Options, session: &lariat_session::Options, path: &Path, why: Lost) -> Answer {
    match why {
        Lost::Crashed(words) => answer(o, Program::failed(path, format!("{words}; please report it with this file"))),
        Lost::Limit(why) if o.emit.is_some() => failed(o, path, session.cut_short(why)),
        Lost::Limit(why) => answer(o, session.nothing_found(path, why)),
    }
}

/// The answer for a file that could not be analysed.
pub(super) fn failed(o: &Options, path: &Path, failure: Failure) -> Answer {
    answer(o, Program::failed_at(path, failure))
}
