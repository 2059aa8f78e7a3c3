//! The emulator against the processor, step by step over real programs: every register, flag, vector register and every
//! byte that is written has to be the same after each instruction.

use lariat_live::Machine;
use lariat_live::compare::{Comparison, compare};
use lariat_live::process::Target;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Steps of each program. There are five: half a million in all.
const STEPS: u64 = 101_000;

/// Starts a program, lets it get going, and follows it for some steps.
fn follow(program: &str, arguments: &[&str]) {
    let started =
        Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = started else {
        println!("skipped: there is no {program} here");
        return;
    };
    let pid = i32::try_from(child.id()).expect("process numbers are small");
    let mut machine = Machine::new().expect("there is memory for code");
    let begin = Instant::now();
    // On a busy machine it takes a while until there is a program to look at.
    let target = loop {
        std::thread::sleep(Duration::from_millis(200));
        match Target::find(pid) {
            Ok(target) => break target,
            Err(why) => assert!(begin.elapsed() < Duration::from_secs(10), "the program does not run: {why:?}"),
        }
    };
    let found = compare(&mut machine, &target, pid, STEPS);
    child.kill().expect("the program can be ended");
    child.wait().expect("the program ends");
    let found = match found {
        Err(e) if e.contains("not permitted") => {
            println!("skipped: tracing is not allowed here: {e}");
            return;
        }
        found => found.expect("the program can be followed"),
    };
    let Comparison { steps, stops, differences, native } = found;
    let natively: u64 = native.values().sum();
    println!(
        "{program}: {steps} steps in {:.1} s, {} instructions run natively {natively} times, stops: {stops:?}",
        begin.elapsed().as_secs_f64(),
        native.len()
    );
    assert!(differences.is_empty(), "{program} differs: {differences:#?}");
    assert!(steps >= STEPS, "{program} made only {steps} steps");
    // A stop claims nothing, but where many instructions are unknown there would be little to compare.
    let unknown: u64 = stops.iter().filter(|(why, _)| why.contains("not known")).map(|(_, n)| *n).sum();
    assert!(unknown * 50 < steps, "{program}: {stops:#?}");
}

#[test]
fn a_checksum() {
    follow("sha256sum", &["/dev/zero"]);
}

#[test]
fn a_compressor() {
    follow("gzip", &["-c", "/dev/zero"]);
}

#[test]
fn an_interpreter_of_scripts() {
    follow(
        "perl",
        &[
            "-e",
            "my %h; for (my $i = 0; ; $i++) { $h{$i % 97} .= sprintf('%x', $i * 1.5); $h{$i % 97} = '' if $i % 7 == 0 }",
        ],
    );
}

#[test]
fn an_interpreter_of_bytecode() {
    let program = "d = {}\nwhile True:\n    d[len(d) % 100] = sorted(str(len(d) * 1.5) * 9)";
    follow("/usr/bin/python3", &["-c", program]);
}

#[test]
fn text_processing() {
    follow(
        "awk",
        &[
            "BEGIN { for (i = 0; ; i++) { s = s sprintf(\"%d,%g\", i, i / 3); if (length(s) > 3000) { gsub(/1+/, \"\", s); s = \"\" } } }",
        ],
    );
}

/// Programs use few of them, so one is made that uses them all.
#[test]
fn string_instructions() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/live/string_instructions.c");
    let binary = concat!(env!("CARGO_TARGET_TMPDIR"), "/string_instructions");
    let built = Command::new("clang-22").args(["-O1", "-w", "-o", binary, source]).status();
    if !built.is_ok_and(|s| s.success()) {
        println!("skipped: clang-22 is not here");
        return;
    }
    follow(binary, &[]);
}
