//! The emulator against the processor, over real programs.

use lariat_live::Machine;
use lariat_live::compare::compare;
use lariat_live::process::Target;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn probe() {
    let arguments: Vec<String> = std::env::var("PROBE").unwrap_or_default().split(' ').map(str::to_owned).collect();
    let steps: u64 = std::env::var("STEPS").ok().and_then(|s| s.parse().ok()).unwrap_or(20000);
    if arguments[0].is_empty() {
        return;
    }
    let mut child = Command::new(&arguments[0])
        .args(&arguments[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(150));
    let pid = i32::try_from(child.id()).unwrap();
    let mut machine = Machine::new().unwrap();
    let t = std::time::Instant::now();
    let found = compare(&mut machine, &Target::find(pid).unwrap(), pid, steps);
    println!("{found:#?} {:?}", t.elapsed());
    child.kill().unwrap();
    child.wait().unwrap();
}
