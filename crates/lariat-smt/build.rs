//! Makes rustc link to the Z3 that `tools/setup` chose, and cargo's runs and tests find it.
//!
//! The library is linked into `OUT_DIR` because cargo adds exactly the search paths below its target
//! folder to the run-time library path of `cargo run`, of tests and of doc tests.

use std::path::{Path, PathBuf};
use std::{env, fs, io, os::unix::fs::symlink};

fn main() -> io::Result<()> {
    let variable = |name| PathBuf::from(env::var_os(name).expect("cargo sets it for build scripts"));
    let workspace = variable("CARGO_MANIFEST_DIR").join("../..");
    let z3 = workspace.join(".deps/z3");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", z3.display());
    let Ok(library) = z3.join("lib").canonicalize() else {
        // Enough for a type check; linking then says that there is no such library.
        println!("cargo:warning=no Z3 library in .deps/z3/lib: run tools/setup");
        return Ok(());
    };
    let out = variable("OUT_DIR").join("z3");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir(&out)?;
    link_library(&library, &out)?;
    println!("cargo:rustc-link-search=native={}", out.display());
    Ok(())
}

/// Links `libz3.so` and the versioned names beside it, by which binaries ask for it, into `out`.
fn link_library(library: &Path, out: &Path) -> io::Result<()> {
    for entry in fs::read_dir(library)? {
        let name = entry?.file_name();
        if name.to_string_lossy().starts_with("libz3.so") {
            symlink(library.join(&name), out.join(&name))?;
        }
    }
    Ok(())
}
