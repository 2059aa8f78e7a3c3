//! Signals, process groups and the terminal, for those who start or watch a process.
//!
//! Signals are blocked in every thread and taken by one that waits for them. A handler would not do: Z3 puts its own in the place
//! of ours for as long as it searches, and Ctrl-C would only end one question of many.

use crate::ptrace;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::process::Command;

/// From now on Ctrl-C is told to `told`, on a thread of its own. To be called before other threads are started.
pub fn on_interrupt(told: impl FnOnce() + Send + 'static) {
    const SIGNALS: [i32; 1] = [libc::SIGINT];
    ptrace::block(&SIGNALS);
    std::thread::spawn(move || {
        if ptrace::wait_for(&SIGNALS).is_some() {
            told();
        }
    });
}

/// Signals that ask a process to end.
const ENDING: [i32; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

/// From now on signals that ask us to end wait for [`pass_on`]; the command hears them. To be called before the command and other threads are
/// started: it may be asked to end as soon as it runs.
pub fn wait_with(command: &mut Command) {
    ptrace::block(&ENDING);
    ptrace::start_unblocked(command, &ENDING);
}

/// Signals that ask us to end go to a command that we wait for, and not to us.
///
/// What a terminal sends, it sends to the whole group in its foreground. So a command in our own group has it already, and one in another
/// group does not.
pub fn pass_on(command: i32, in_own_group: bool) {
    std::thread::spawn(move || {
        while let Some((signal, from_process)) = ptrace::wait_for(&ENDING) {
            if in_own_group || from_process {
                // It fails if there is nobody left to tell.
                let _ = ptrace::send(if in_own_group { -command } else { command }, signal);
            }
        }
    });
}

/// A command in a process group of its own, which is the one in the terminal's foreground as long as we were.
pub struct Group {
    leader: i32,
    terminal: Option<File>,
}

impl Group {
    /// The group of a command that was started as its leader.
    pub fn of(leader: i32) -> Self {
        // From the background a terminal can be handed over only by those who do not hear SIGTTOU.
        ptrace::block(&[libc::SIGTTOU]);
        let terminal = File::options().read(true).write(true).open("/dev/tty").ok();
        let group = Self { leader, terminal };
        group.to_foreground();
        group
    }

    /// Hands the terminal over, if it is ours to give.
    fn to_foreground(&self) {
        if let Some(terminal) = &self.terminal
            && ptrace::foreground(terminal) == Some(ptrace::own_group())
        {
            ptrace::set_foreground(terminal, self.leader);
        }
        // Who has read from the terminal before it had it was stopped. It fails if all have ended.
        let _ = ptrace::send(-self.leader, libc::SIGCONT);
    }

    fn to_background(&self) {
        if let Some(terminal) = &self.terminal
            && ptrace::foreground(terminal) == Some(self.leader)
        {
            ptrace::set_foreground(terminal, ptrace::own_group());
        }
    }

    /// If the command was stopped (Ctrl-Z) we stop, too, and go on together.
    pub fn follow_stop(&self) {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.leader)).unwrap_or_default();
        if !text.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T')) {
            return;
        }
        self.to_background();
        // A group can always be sent a signal by its members.
        let _ = ptrace::send(-ptrace::own_group(), libc::SIGSTOP);
        self.to_foreground();
    }

    /// Ends all processes of the group.
    pub fn end(&self) {
        // It fails if all have ended by themselves.
        let _ = ptrace::send(-self.leader, libc::SIGKILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.to_background();
    }
}

/// Tells when a process has ended, without waiting for it: that would take away what a tracer in another thread waits for.
pub struct End(Option<OwnedFd>);

impl End {
    /// Of a process that is a child of ours and was not waited for, so that its number is not another's.
    pub fn of(pid: i32) -> Self {
        Self(ptrace::descriptor(pid).ok())
    }

    /// Whether it has ended; on kernels before 5.3 nobody knows.
    pub fn has_come(&self) -> bool {
        self.0.as_ref().is_some_and(ptrace::is_readable)
    }
}
