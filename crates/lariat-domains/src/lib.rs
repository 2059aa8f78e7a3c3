//! Abstract domains over transition systems; no solver here.
//!
//! It has no content yet.
