//! `lariat run`

use super::attach::{Look, look_at};
use super::fail;
use clap::Args;
use lariat_live::process::Target;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// After so many seconds of computing without a system call, look at it
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = super::check::seconds)]
    after: f64,
    #[command(flatten)]
    look: Look,
    /// The command and its arguments
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

const AFTER_HELP: &str = "\
The command's output and exit status pass through. When it spins, the finding is written to standard output; a command that
is proved never to come back is ended, with exit status 1.";

/// How often the command is looked at from outside.
const MOMENT: Duration = Duration::from_millis(50);

pub(super) fn run(o: &Options) -> u8 {
    let (program, arguments) = o.command.split_first().expect("clap asks for a command");
    let mut child = match Command::new(program).args(arguments).spawn() {
        Ok(child) => child,
        Err(e) => return fail(&format!("{program} cannot be started: {e}; check its name")),
    };
    match watch(o, &mut child) {
        Ok(status) => status,
        Err(message) => {
            // What could not be looked at goes on as it would have.
            fail(&message);
            child.wait().map_or(2, passed_on)
        }
    }
}

fn watch(o: &Options, child: &mut Child) -> Result<u8, String> {
    let pid = i32::try_from(child.id()).map_err(|_| "the process number is too large".to_owned())?;
    let mut spinning_since: Option<Instant> = None;
    let mut patience = Duration::from_secs_f64(o.after);
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(passed_on(status));
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
        let Ok(status) = look_at(pid, None, &o.look) else {
            // It may have ended a moment ago.
            if let Ok(Some(status)) = child.try_wait() {
                return Ok(passed_on(status));
            }
            return Err(format!("process {pid} cannot be looked at"));
        };
        if status == 1 {
            // Both fail only if it has ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(1);
        }
        // Not proved: it may well end. Ask again, less and less often.
        patience *= 4;
        spinning_since = None;
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
