//! The script that builds and runs the programs.

use super::Harness;
use std::fmt::Write as _;
use std::path::Path;

/// A script that builds each program and runs it for some seconds; `from` is where the flags for the compiler hold.
pub fn script(programs: &[(Harness, Vec<String>)], from: &Path) -> String {
    let mut out = String::from(
        r#"#!/usr/bin/env bash
# Builds each program of this folder and runs it for some seconds: run.sh [SECONDS]
# Exit status: 0 all were still running then, 1 one ended, 2 one could not be built.
set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-5}
clang=${LARIAT_CLANG:-clang}
status=0

# show NAME FLAGS...
show() {
    local name=$1
    shift
    # A function that is never called on the way to the loop need not be there.
    "$clang" -O0 -g -w "$@" -o "$here/$name" "$here/$name.c" -lm -Wl,--unresolved-symbols=ignore-all || {
        echo "$name: it could not be built"
        status=2
        return
    }
    timeout -k 1 "$seconds" "$here/$name" </dev/null >/dev/null 2>&1
    local code=$?
    if [[ $code == 124 || $code == 137 ]]; then
        echo "$name: still running after $seconds s"
    else
        echo "$name: it ended with status $code"
        [[ $status == 2 ]] || status=1
    fi
}

"#,
    );
    let _ = writeln!(out, "cd -- {}", quoted(&from.display().to_string()));
    for (program, flags) in programs.iter().filter(|(p, _)| p.runs) {
        let name = program.name.strip_suffix(".c").unwrap_or(&program.name);
        let flags: Vec<String> = flags.iter().map(|f| format!(" {}", quoted(f))).collect();
        let _ = writeln!(out, "show {}{}", quoted(name), flags.concat());
    }
    out.push_str("exit $status\n");
    out
}

/// A word for the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
