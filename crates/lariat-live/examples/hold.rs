//! Holds a process, reads its registers and memory, lets it go, and again, until somebody ends this: for the test that the
//! target survives it.

use lariat_live::capture;
use lariat_live::others::Others;
use lariat_live::process::Target;
use std::io::Write;
use std::time::Duration;

fn main() {
    let pid = std::env::args().nth(1).and_then(|a| a.parse().ok()).expect("the number of a process");
    let target = Target::find(pid).expect("the process runs");
    let Ok(mappings) = target.mappings() else { return };
    let others = Others::see(&target, &mappings);
    println!("ready");
    let _ = std::io::stdout().flush();
    loop {
        let Ok(held) = target.hold(Duration::from_secs(10)) else { return };
        let cpu = capture(&target, &held, pid, &others);
        // Most of the time it is held, so that most deaths find it so.
        std::thread::sleep(Duration::from_millis(3));
        drop(cpu);
        held.release();
        std::thread::sleep(Duration::from_micros(300));
    }
}
