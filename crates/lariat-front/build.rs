//! Compiles the reader of LLVM modules and links LLVM into it.
//!
//! Statically: loading the shared library of LLVM would take longer than reading most programs does.

use std::env;
use std::process::Command;

const VERSION: &str = "22";
const SOURCES: [&str; 2] = ["shim/reader.cpp", "shim/module.cpp"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=shim");
    for variable in ["LARIAT_LLVM_CONFIG", "LLVM_CONFIG", "PATH"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let [host, target] = ["HOST", "TARGET"].map(|v| env::var(v).expect("cargo sets it for build scripts"));
    if host != target && env::var_os("LARIAT_LLVM_CONFIG").is_none() {
        println!(
            "cargo:warning=without an LLVM {VERSION} for {target} this can only be checked; to link it, let LARIAT_LLVM_CONFIG \
             name the llvm-config of one"
        );
        return;
    }
    let config = match Config::find() {
        Ok(config) => config,
        Err(why) => {
            // A warning only: `cargo check` and `cargo doc` need no library.
            println!("cargo:warning={why}");
            return;
        }
    };

    let mut shim = cc::Build::new();
    shim.cpp(true).files(SOURCES).include(config.ask("--includedir")).warnings(false).std("c++17");
    // LLVM may be built without type information, and its headers then cannot be used with it.
    shim.flag("-fno-rtti").flag("-fno-exceptions").opt_level(2).debug(false);
    shim.compile("lariat_front_reader");

    let folder = config.ask("--libdir");
    println!("cargo:rustc-link-search=native={folder}");
    let parts = ["core", "bitreader", "asmparser"];
    for library in config.ask_all(&["--link-static", "--libs"], &parts).split_whitespace() {
        let name = library.strip_prefix("-l").expect("llvm-config lists libraries as -lNAME");
        // Not copied into our own library: they are large, and the linker finds them where they are.
        println!("cargo:rustc-link-lib=static:-bundle={name}");
    }
    // None of the system's libraries that llvm-config names: only other parts of LLVM need them, and an old Z3 is among
    // them.
}

/// A program `llvm-config` of the right version.
struct Config(String);

impl Config {
    fn find() -> Result<Config, String> {
        let given = ["LARIAT_LLVM_CONFIG", "LLVM_CONFIG"].into_iter().find_map(|v| env::var(v).ok());
        let names = match given {
            Some(name) => vec![name],
            None => vec![format!("llvm-config-{VERSION}"), "llvm-config".to_owned()],
        };
        for name in &names {
            let config = Config(name.clone());
            if config.run(&["--version"]).is_some_and(|v| v.split('.').next() == Some(VERSION)) {
                return Ok(config);
            }
        }
        Err(format!("there is no LLVM {VERSION} (looked for {}): run tools/setup", names.join(", ")))
    }

    fn run(&self, arguments: &[&str]) -> Option<String> {
        let output = Command::new(&self.0).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn ask(&self, question: &str) -> String {
        self.ask_all(&[question], &[])
    }

    fn ask_all(&self, flags: &[&str], parts: &[&str]) -> String {
        self.run(&[flags, parts].concat()).unwrap_or_else(|| {
            panic!("{} {} fails: install all of LLVM {VERSION} with tools/setup", self.0, flags.join(" "))
        })
    }
}
