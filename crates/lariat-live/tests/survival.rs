//! The target goes on, unharmed, whenever its tracer dies.

use lariat_ir::random::Random;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

const SOURCE: &str = "
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *work(void *n) {
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < 1500000000ul; i++) sum += i & 3;
    return (void *)sum;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    unsigned long mine = (unsigned long)work(0);
    void *theirs;
    pthread_join(other, &theirs);
    usleep(1000);
    printf(\"%lu %lu\\n\", mine, (unsigned long)theirs);
    return 0;
}
";

/// Tracers that die.
const DEATHS: u64 = 200;

#[test]
fn two_hundred_tracers_die_and_the_target_does_not() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join("survives.c"), folder.join("survives"));
    std::fs::write(&source, SOURCE).expect("a test file can be written");
    let compiled = Command::new("cc").args(["-O1", "-pthread", "-o"]).args([&binary, &source]).status();
    assert!(compiled.is_ok_and(|s| s.success()), "there is a C compiler");
    // Cargo puts examples beside the tests' folder.
    let tests = std::env::current_exe().expect("this test has a file");
    let tracer = tests.ancestors().nth(2).expect("it is in a folder").join("examples/hold");
    if !tracer.exists() {
        println!("skipped: the tracer was not built; run cargo build --examples");
        return;
    }
    let target = Command::new(&binary).stdout(Stdio::piped()).spawn().expect("the program starts");
    let pid = target.id().to_string();
    let mut random = Random::new(7);
    let mut died_holding = 0;
    for n in 0..DEATHS {
        let mut child =
            Command::new(&tracer).arg(&pid).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output is ours");
        if BufReader::new(out).read_line(&mut line).unwrap_or(0) == 0 {
            // The target has ended, or may not be traced.
            let _ = child.wait();
            assert_ne!(n, 0, "no tracer could start");
            break;
        }
        std::thread::sleep(Duration::from_micros(random.next() % 9000));
        let state = state(&pid);
        died_holding += u64::from(state == 't');
        child.kill().expect("a tracer can be killed");
        child.wait().expect("a tracer ends");
    }
    println!("{DEATHS} tracers died, {died_holding} of them while the target was held");
    let out = target.wait_with_output().expect("the target ends");
    assert!(out.status.success(), "the target ended with {}", out.status);
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "2250000000 2250000000");
}

fn state(pid: &str) -> char {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    text.rsplit_once(')').and_then(|(_, rest)| rest.trim().chars().next()).unwrap_or('?')
}
