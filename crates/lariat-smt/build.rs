//! Makes rustc link to the Z3 that `tools/setup` chose, and cargo's runs and tests find it.
//!
//! Links to the library go below `OUT_DIR`, because cargo treats search paths in its own target folder
//! better than others: they come first, before a system folder with an older Z3 that another build
//! script may name, and `cargo run`, tests and doc tests look there for libraries at run time.

use std::path::PathBuf;
use std::{env, fs, io, os::unix::fs::symlink};

fn main() -> io::Result<()> {
    let folder = |name| PathBuf::from(env::var_os(name).expect("cargo sets it for build scripts"));
    let chosen = folder("CARGO_MANIFEST_DIR").join("../../.deps/z3");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", chosen.display());
    let [host, target] = ["HOST", "TARGET"].map(|v| env::var(v).expect("cargo sets it for build scripts"));
    if host != target {
        println!(
            "cargo:warning=the Z3 library in .deps/z3/lib is one for {host}, so this can only be checked for {target}; to link it, \
             let Z3_LIBRARY_PATH_OVERRIDE name the folder of another"
        );
        return Ok(());
    }
    let Ok(library) = chosen.join("lib").canonicalize() else {
        // A warning only: `cargo check` and `cargo doc` need no library.
        println!("cargo:warning=there is no Z3 library in .deps/z3/lib: run tools/setup");
        return Ok(());
    };

    let found = folder("OUT_DIR").join("z3");
    if found.exists() {
        fs::remove_dir_all(&found)?;
    }
    fs::create_dir(&found)?;
    for entry in fs::read_dir(&library)? {
        // `libz3.so` is the name for linking, `libz3.so.<version>` the one that binaries ask for; on macOS both are `libz3.dylib`.
        let name = entry?.file_name();
        if name.to_string_lossy().starts_with("libz3.") {
            symlink(library.join(&name), found.join(&name))?;
        }
    }
    println!("cargo:rustc-link-search=native={}", found.display());
    Ok(())
}
