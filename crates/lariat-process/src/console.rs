//! What every command of a terminal needs: one sentence for what failed, output that a reader may leave, results at Ctrl-C.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the first Ctrl-C: long work comes to its end and shows what it has. The second one ends the process.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether the user has interrupted the command.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// From now on the first Ctrl-C is noted, see [`is_interrupted`]; the second one ends the process by `leave`, with its exit status.
pub fn show_results_on_interrupt(leave: fn(u8) -> !) {
    // Without a handler Ctrl-C ends the process at once, which is no reason not to start.
    let _ = ctrlc::set_handler(move || {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            leave(130);
        }
        eprintln!("lariat: stopping; Ctrl-C again ends at once");
    });
}

/// One sentence on standard error; the exit status for it.
pub fn fail(message: &str) -> u8 {
    eprintln!("lariat: {message}");
    2
}

/// Writes to standard output. A reader that went away has seen what it wanted.
pub fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot write to standard output: {e}")),
        _ => Ok(()),
    }
}

/// Reads a text file, or says in one sentence why not.
pub fn read_text(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {shown}; check the name"),
        std::io::ErrorKind::IsADirectory => format!("{shown} is a folder; name the files in it"),
        std::io::ErrorKind::PermissionDenied => format!("{shown} may not be read; check its permissions"),
        _ => format!("{shown} cannot be read: {e}"),
    })?;
    String::from_utf8(bytes).map_err(|_| format!("{shown} is no text file"))
}
