//! `lariat run`

use super::attach::{Look, Seen, look_at};
use super::fail;
use clap::Args;
use lariat_live::process::Target;
use lariat_live::signals::{self, End, Group};
use lariat_session::threads::{deep_thread, panic_words};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// After so many seconds of computing without a system call, look at it
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = super::check::seconds)]
    after: f64,
    /// End the command with its process group when it is proved never to come back, whatever others do
    #[arg(long)]
    kill: bool,
    #[command(flatten)]
    look: Look,
    /// The command and its arguments
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

const AFTER_HELP: &str = "\
The command's output and exit status pass through, and it is left alone: when it spins, the finding is written to standard output, and it goes on.
With --kill a command that never comes back, whatever others do, is ended with its whole process group; the exit status is 1 then.";

/// How often the command is looked at from outside.
const MOMENT: Duration = Duration::from_millis(50);

pub(super) fn run(o: &Options) -> u8 {
    let (program, arguments) = o.command.split_first().expect("clap asks for a command");
    let mut command = Command::new(program);
    command.args(arguments);
    if o.kill {
        // What is ended is the group, so it must not be ours.
        command.process_group(0);
    }
    signals::wait_with(&mut command);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => return fail(&format!("{program} cannot be started: {e}; check its name")),
    };
    let Ok(pid) = i32::try_from(child.id()) else { return fail("the process number is too large") };
    let group = o.kill.then(|| Group::of(pid));
    signals::pass_on(pid, o.kill);
    let status = watch(o, &mut child, pid, group.as_ref());
    drop(group);
    match status {
        Ok(status) => status,
        // A look that is still under way may be in the solver, which does not like an orderly end.
        Err(Ended) => lariat_smt::leave(child.wait().map_or(2, passed_on)),
    }
}

/// The command has ended while it was looked at.
struct Ended;

fn watch(o: &Options, child: &mut Child, pid: i32, group: Option<&Group>) -> Result<u8, Ended> {
    let end = End::of(pid);
    let mut spinning_since: Option<Instant> = None;
    let mut patience = Duration::from_secs_f64(o.after);
    let mut said: Option<String> = None;
    loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => return Ok(passed_on(status)),
            Err(e) => return Ok(fail(&format!("process {pid} cannot be waited for: {e}"))),
        }
        if let Some(group) = group {
            group.follow_stop();
        }
        std::thread::sleep(MOMENT);
        let Ok(target) = Target::find(pid) else { continue };
        if !spins(&target) {
            spinning_since = None;
            continue;
        }
        let since = *spinning_since.get_or_insert_with(Instant::now);
        if since.elapsed() < patience {
            continue;
        }
        // Whatever comes out, it may well end: ask again, less and less often.
        patience *= 4;
        spinning_since = None;
        let seen = look_aside(pid, &o.look, &end)?;
        let words = match &seen {
            Ok(seen) if seen.finding => seen.headline.clone(),
            Ok(seen) => format!("{}: {}", seen.headline, seen.reason.as_deref().unwrap_or_default()),
            Err(message) => message.clone(),
        };
        let new = said.as_ref() != Some(&words);
        match &seen {
            Ok(seen) if new && (seen.finding || o.look.to_file()) => {
                if let Err(message) = seen.show(&o.look) {
                    fail(&message);
                }
            }
            _ if new => eprintln!("lariat: {words}"),
            _ => {}
        }
        said = Some(words);
        // On the strength of a conditional proof nothing is done to anybody.
        if let (Some(group), true) = (group, seen.is_ok_and(|s| s.certain)) {
            group.end();
            // It fails only if somebody else has waited for it.
            let _ = child.wait();
            return Ok(1);
        }
    }
}

/// Looks at the command in a thread of its own, for as long as it runs: nobody waits for the search when the command has ended. When the
/// thread ends, the kernel lets go whatever it has held.
fn look_aside(pid: i32, look: &Look, end: &End) -> Result<Result<Seen, String>, Ended> {
    let look = look.clone();
    let (sender, seen) = mpsc::channel();
    let work = move || {
        let found = catch_unwind(AssertUnwindSafe(|| look_at(pid, None, &look)));
        // Nobody listens any more when the command has ended.
        let _ = sender.send(found.unwrap_or_else(|panic| Err(panic_words(&*panic))));
    };
    if let Err(e) = deep_thread(work) {
        return Ok(Err(format!("process {pid} cannot be looked at: {e}")));
    }
    loop {
        match seen.recv_timeout(Duration::from_millis(10)) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Timeout) if end.has_come() => return Err(Ended),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(Err(format!("process {pid} cannot be looked at"))),
        }
    }
}

/// Whether a thread runs, in its own code, and made no system call in the last moment.
fn spins(target: &Target) -> bool {
    let before = target.waits();
    let busy = target.hottest(MOMENT).is_some_and(|(_, part)| part > 0.3);
    busy && before == target.waits()
}

/// The exit status as a shell has it.
fn passed_on(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(2);
    u8::try_from(code).unwrap_or(2)
}
