//! The text form of systems: `.lts`.
//!
//! ```text
//! lts 1
//! name zune
//! integers wrap
//! var days: bv32
//! var year: bv32
//! input d: bv32
//! init year == 1980
//! entry start
//!
//! start:
//!   goto head with days := d
//! head: at "zune.c":3:3 in "main"
//!   if days >s 365 goto body
//!   if !(days >s 365) goto EXIT
//! ```
//!
//! A location is a label followed by its edges; `goto` without `if` has the guard `true`. A numeral without a width takes
//! the sort its place asks for. `let $1 = term` names a term that occurs often. The comment sign is `#` at the start of
//! a line or after a space.

mod lex;
mod parse;
mod print;
mod terms;

pub use lex::ParseError;
pub(crate) use lex::{Lexer, Token, quote};
pub use parse::{Parsed, Places, parse};
pub use print::{Lets, print, print_term};
pub use terms::{parse_term, parse_term_of_sort};
