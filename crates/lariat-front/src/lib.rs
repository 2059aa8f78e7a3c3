//! From C, C++, Rust and bitcode to transition systems: the only crate that will know LLVM.
//!
//! It has no content yet. `.lts` files, which `lariat-ir` parses, are the input until then.
