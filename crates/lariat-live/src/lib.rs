//! From a hung process to observed iterations: ptrace, instruction semantics, symbols.
//!
//! It has no content yet.
