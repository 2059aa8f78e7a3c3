//! The script that builds and runs the programs.

use super::Harness;
use std::fmt::Write as _;
use std::path::Path;

/// A script that builds each program and runs it for some seconds; `from` is where the flags for the compiler hold.
pub fn script(programs: &[(Harness, Vec<String>)], from: &Path) -> String {
    let mut out = String::from(
        r#"#!/usr/bin/env bash
# Builds each program of this folder and runs it for some seconds: run.sh [SECONDS]
# Exit status: 0 all were still running then (or used up the stack), 1 one ended, 2 one could not be built.
set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-5}
clang=${LARIAT_CLANG:-}
for name in clang clang-{22..14} cc; do
    [[ -n $clang ]] || clang=$(command -v "$name")
done
# What the compiler would refuse and the analysis reads.
lenient=(-Wno-error=implicit-int -Wno-error=implicit-function-declaration -Wno-error=int-conversion)
lenient+=(-Wno-error=incompatible-pointer-types)
status=0

# show WHAT NAME FLAGS...
show() {
    local what=$1 name=$2
    shift 2
    # A function that is never called on the way to the loop need not be there.
    "$clang" -O0 -g -w "${lenient[@]}" "$@" -o "$here/$name" "$here/$name.c" -lm -Wl,--unresolved-symbols=ignore-all || {
        echo "$name: it could not be built"
        status=2
        return
    }
    timeout -k 1 "$seconds" "$here/$name" </dev/null >/dev/null 2>&1
    local code=$?
    if [[ $code == 124 || $code == 137 ]]; then
        echo "$name: still running after $seconds s"
    elif [[ $what == recursion && $code == 139 ]]; then
        echo "$name: the stack was used up, as by an endless recursion"
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
        let what = if program.recursion { "recursion" } else { "loop" };
        let _ = writeln!(out, "show {what} {}{}", quoted(name), flags.concat());
    }
    out.push_str("exit $status\n");
    out
}

/// A word for the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
