//! `tests/runs/`: C programs that observe something, whose transition systems must do what the compiled programs do.
//!
//! They are differences that `./lariat fuzz --c` found or could have found, made small.

use std::path::Path;
use std::process::Command;

#[test]
fn systems_do_what_the_compiled_programs_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/runs");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut programs: Vec<_> = entries.map(|e| e.expect("it can be listed").path()).collect();
    programs.sort();
    assert!(!programs.is_empty());
    for program in programs {
        let done = Command::new(env!("CARGO_BIN_EXE_lariat-fuzz"))
            .args(["--c", "--program"])
            .arg(&program)
            .output()
            .expect("the tool starts");
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{}: {said}", program.display());
        assert!(!said.contains("not compared"), "{}: {said}", program.display());
    }
}
