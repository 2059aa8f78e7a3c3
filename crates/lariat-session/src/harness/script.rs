//! The script that builds and runs the programs.

use super::Harness;
use std::fmt::Write as _;
use std::path::Path;

/// A script that builds each program and runs it for some seconds; `from` is where the flags for the compiler hold.
pub fn script(programs: &[(Harness, Vec<String>)], from: &Path) -> String {
    let mut out = String::from(
        r#"#!/usr/bin/env bash
# Builds each program of this folder and runs it for some seconds: run.sh [SECONDS]
# Exit status: 0 all were still running then (or used up the stack), 1 one ended, 2 one could not be built or has not what it needs.
set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-5}
clang=${LARIAT_CLANG:-}
for name in clang clang-{22..14} cc; do
    [[ -n $clang ]] || clang=$(command -v "$name")
done
# What the compiler would refuse and the analysis reads; and numbers that wrap.
flags=(-O0 -g -w -fwrapv -Wno-error=implicit-int -Wno-error=implicit-function-declaration -Wno-error=int-conversion)
flags+=(-Wno-error=incompatible-pointer-types)
status=0

# build NAME FLAGS...
# Functions and variables that no library here has are defined: variables have their place in NAME.c, and a function that comes to be called
# says so.
build() {
    local name=$1 said names=() missing=() known=()
    shift
    said=$(LC_ALL=C "$clang" "${flags[@]}" "$@" -o "$here/$name" "$here/$name.c" -lm 2>&1) && return
    mapfile -t names < <(sed -nE "s/.*undefined (reference to|symbol:) [\`']?([A-Za-z0-9_.\$]+).*/\2/p" <<<"$said" | sort -u)
    for n in "${names[@]}"; do
        if grep -q "^#ifdef LARIAT_EXTERN_$n\$" "$here/$name.c"; then
            known+=("-DLARIAT_EXTERN_$n")
        else
            missing+=("$n")
        fi
    done
    if [[ ${#names[@]} == 0 ]]; then
        echo "$said" >&2
        return 1
    fi
    {
        echo 'long write(int, const void *, __SIZE_TYPE__);'
        echo 'void _exit(int) __attribute__((noreturn));'
        for n in "${missing[@]}"; do
            echo "void lariat_missing_${n//[^A-Za-z0-9_]/_}(void) __asm__(\"$n\");"
            echo "void lariat_missing_${n//[^A-Za-z0-9_]/_}(void) { write(2, \"lariat: no $n\\n\", $((${#n} + 12))); _exit(98); }"
        done
    } >"$here/$name.missing.c"
    "$clang" "${flags[@]}" "$@" "${known[@]}" -o "$here/$name" "$here/$name.c" "$here/$name.missing.c" -lm >&2
}

# show WHAT NAME FLAGS...
show() {
    local what=$1 name=$2 said
    shift 2
    build "$name" "$@" || {
        echo "$name: it could not be built"
        status=2
        return
    }
    said=$(timeout -k 1 "$seconds" "$here/$name" </dev/null 2>&1 >/dev/null | tail -c 1000 | tr -d '\0'; exit "${PIPESTATUS[0]}")
    local code=$?
    if [[ $code == 124 || $code == 137 ]]; then
        echo "$name: still running after $seconds s"
    elif [[ $what == recursion && $code == 139 ]]; then
        echo "$name: the stack was used up, as by an endless recursion"
    elif [[ $code == 98 && $said == *"lariat: no "* ]]; then
        echo "$name: nothing is shown: there is no ${said##*lariat: no } here"
        status=2
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
