//! From files to results, as a library: it knows no terminal, no command line and no processes but those of the compiler.
//!
//! A [`Session`] reads programs and transition systems, decides their loops, and gives the [`results`] as data, which
//! reports, editors and tests make something of. A [`Sink`] hears of what happens meanwhile, and a [`Cancellation`] ends it.
//!
//! ```
//! use lariat_session::{Options, Session, Verdict};
//!
//! let file = std::env::temp_dir().join(format!("lariat-session-{}.lts", std::process::id()));
//! std::fs::write(&file, "\
//! lts 1
//! integers wrap
//! var x: bv8
//! entry head
//! head:
//!   if x >s 0 goto head with x := x - 1
//!   if !(x >s 0) goto EXIT
//! ")?;
//! let mut session = Session::new(Options::default());
//! let program = session.analyse(&file);
//! # std::fs::remove_file(&file)?;
//! let results = program.outcome.expect("it can be read");
//! assert_eq!(results.verdict, Verdict::Terminates);
//! assert!(results.loops[0].certificate.is_some(), "no verdict without a proof that the checker accepted");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! - [`input`] reads files; [`analyze`](mod@analyze) decides systems, and has each verdict checked; [`beside`] asks other integer semantics;
//! - [`results`] puts together what was found, in the words of the [`source`]; [`document`] has them as JSON; [`harness`] makes programs
//!   that show them; [`trace`] says what took the time;
//! - [`session`] does all of that with a file, within its time; [`cancel`] and [`threads`] are what it needs for that.

pub mod analyze;
pub mod beside;
pub mod cancel;
pub mod document;
pub mod harness;
pub mod input;
pub mod results;
pub mod session;
pub mod source;
pub mod threads;
pub mod trace;
mod upstream;
pub mod views;

pub use analyze::{Analysis, Settings, Verdict, analyze};
pub use cancel::{Cancellation, Why};
pub use session::{Event, Options, Session, Sink};
