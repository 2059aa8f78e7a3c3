//! How much memory processes use.

use crate::sys;
use std::sync::OnceLock;

/// The resident memory of one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usage {
    /// Its number.
    pub pid: u32,
    /// In bytes. Pages that a forked child shares with its parent count for both, so a sum is never too small.
    pub bytes: u64,
}

/// The resident memory of a process and of its descendants, the process first. One that has just ended is left out.
pub fn usage(pid: u32) -> Vec<Usage> {
    let mut all = Vec::new();
    let mut open = vec![pid];
    while let Some(pid) = open.pop() {
        let Some(bytes) = sys::resident(pid) else { continue };
        all.push(Usage { pid, bytes });
        open.extend(sys::children(pid));
    }
    all
}

/// The bytes of a page.
pub fn page_size() -> u64 {
    static SIZE: OnceLock<u64> = OnceLock::new();
    *SIZE.get_or_init(sys::page_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn descendants_are_counted() {
        let mut shell = Command::new("sh");
        let script = "sleep 60 & echo $!; wait";
        let mut child = shell.args(["-c", script]).stdout(Stdio::piped()).spawn().expect("a shell can be started");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("it is piped");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("the shell speaks");
        let grandchild: u32 = line.trim().parse().expect("a number");
        let all = usage(std::process::id());
        assert_eq!(all[0].pid, std::process::id());
        assert!(all[0].bytes > 1 << 20);
        for pid in [child.id(), grandchild] {
            assert!(all.iter().any(|u| u.pid == pid && u.bytes > 0), "{pid} in {all:?}");
        }
        Command::new("kill").arg(line.trim()).status().expect("kill can be started");
        child.wait().expect("the shell ends");
        assert!(usage(child.id()).is_empty());
    }
}
