//! Sessions as a program uses them: files in, results out, with events on the way and a token that ends it.

use lariat_session::results::Results;
use lariat_session::{Cancellation, Event, Options, Session, Sink, Verdict, Why};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn write(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a test file can be written");
    path
}

/// What came, in words; and the token that is set as soon as a system is known.
#[derive(Clone, Default)]
struct Heard {
    words: Arc<Mutex<Vec<String>>>,
    then: Option<Cancellation>,
}

impl Heard {
    fn all(&self) -> Vec<String> {
        self.words.lock().expect("nobody panicked").clone()
    }
}

impl Sink for Heard {
    fn event(&self, event: Event<'_>) {
        let words = match event {
            Event::Read { entries, integers } => format!("read {} in {integers}", entries.join(", ")),
            Event::System { entry, number, verdict } => {
                if let Some(token) = &self.then {
                    token.cancel(Why::Interrupted);
                }
                format!("system {entry}.{number} {}", verdict.word())
            }
            Event::Early(program) => {
                let entries = program.outcome.as_ref().map_or(0, |r| r.entries.len());
                format!("early, with {entries} entries")
            }
            Event::View { function } => format!("view of {function}"),
            _ => return,
        };
        self.words.lock().expect("nobody panicked").push(words);
    }
    fn wants_early(&self) -> bool {
        true
    }
}

fn analysed(session: &mut Session, path: &Path) -> Results {
    session.analyse(path).outcome.expect("it can be read")
}

#[test]
fn a_c_file_and_a_system_go_through_one_session() {
    let c =
        write("both.c", "int f(int n) { while (n > 0) n--; return n; }\nint g(int n) { while (n == 7) ; return n; }\n");
    let lts = write(
        "down.lts",
        "lts 1\nname down\nintegers wrap\nvar x: bv8\nentry a\na:\n  if x >s 0 goto a with x := x - 1\n  if !(x >s 0) goto EXIT\n",
    );
    let heard = Heard::default();
    let options = Options { harness: true, jobs: 2, ..Options::default() };
    let mut session = Session::new(options).with_sink(heard.clone());

    let program = session.analyse(&c);
    assert!(program.sources.values().any(|text| text.contains("while (n == 7)")), "the text comes with the results");
    assert_eq!(program.harnesses.len(), 1, "one endless run is shown");
    let r = program.outcome.expect("it can be read");
    let verdicts: Vec<_> = r.loops.iter().map(|l| (l.function.as_deref(), l.verdict)).collect();
    assert_eq!(verdicts, [(Some("f"), Verdict::Terminates), (Some("g"), Verdict::Diverges)]);
    let events = heard.all();
    assert_eq!(events[0], "read f, g in c");
    assert!(events.contains(&"view of f".to_owned()), "{events:?}");
    assert!(events.iter().any(|e| e.starts_with("system 1.") && e.ends_with("diverges")), "{events:?}");
    assert!(!events.iter().any(|e| e.starts_with("early")), "it is not large: {events:?}");

    let r = analysed(&mut session, &lts);
    assert_eq!((r.verdict, r.entry.as_str(), r.integers.as_str()), (Verdict::Terminates, "down", "wrap"));
    assert_eq!(heard.all()[events.len()..], ["read down in wrap", "system 0.0 terminates"]);

    let missing = session.analyse(Path::new("nowhere.lts"));
    assert!(missing.outcome.is_err_and(|f| f.message.contains("there is no file nowhere.lts")));
}

/// Functions that nobody decides soon.
fn hard(name: &str) -> PathBuf {
    let one = |f: usize| {
        format!(
            "unsigned f{f}(unsigned x, unsigned y) {{\n  while (x * x * y != {f} + y * y) {{ x = x * 7 + y; y ^= x >> 3; if (x % 5 == y % 3) y = y * x; }}\n  return x;\n}}\n"
        )
    };
    write(name, &(0..6).map(one).collect::<String>())
}

#[test]
fn a_token_that_is_set_gives_the_results_so_far() {
    let file = hard("cancelled.c");
    let token = Cancellation::new();
    let heard = Heard { then: Some(token.clone()), ..Heard::default() };
    let options = Options { timeout: Duration::from_secs(100), ..Options::default() };
    let mut session = Session::new(options).with_sink(heard.clone()).with_cancellation(token.clone());
    let begin = Instant::now();
    let r = analysed(&mut session, &file);
    assert!(begin.elapsed() < Duration::from_secs(50), "nobody waits for the search: {:?}", begin.elapsed());
    assert_eq!((r.verdict, r.entries.len()), (Verdict::Unknown, 6), "all entries are listed");
    let why = "interrupted by Ctrl-C; run it again";
    assert!(
        r.entries.iter().all(|e| e.reason.as_ref().map(ToString::to_string).as_deref() == Some(why)),
        "{:?}",
        r.entries[0].reason
    );
    assert_eq!(heard.all()[0], "read f0, f1, f2, f3, f4, f5 in c");
    assert_eq!(token.why(), Some(Why::Interrupted));

    // It stays set; before a file is read there is not much to say of it.
    let r = analysed(&mut session, &file);
    assert_eq!((r.verdict, r.loops.len()), (Verdict::Unknown, 0));
}

#[test]
fn the_time_of_a_session_is_kept() {
    let options = Options { timeout: Duration::from_secs(2), ..Options::default() };
    let begin = Instant::now();
    let r = analysed(&mut Session::new(options), &hard("late.c"));
    // Generous, since other tests run at the same time.
    assert!(begin.elapsed() < Duration::from_secs(12), "{:?}", begin.elapsed());
    assert_eq!((r.verdict, r.entries.len()), (Verdict::Unknown, 6));
}

#[test]
fn of_a_large_program_all_entries_are_told_early() {
    let one_loop = |k: usize| {
        format!(
            "  for (unsigned i = 0; i < n * a[{k}]; i += b + {k}) {{ a[(i + {k}) % 12] ^= b * i; while (b * b != a[{k}] + n) b += a[{}]; }}\n",
            (k + 1) % 12
        )
    };
    let loops: String = (0..12).map(one_loop).collect();
    let one = |f: usize| format!("unsigned f{f}(unsigned n, unsigned b, unsigned *a) {{\n{loops}  return b;\n}}\n");
    let calls = ["f0", "f1", "f2", "f3"].map(|f| format!("  n += {f}(n, n, a);\n")).concat();
    let main = format!("int main(int n, char **arguments) {{\n  unsigned a[12] = {{1}};\n{calls}  return n;\n}}\n");
    let file = write("large.c", &((0..4).map(one).collect::<String>() + &main));
    let heard = Heard::default();
    let options = Options { timeout: Duration::from_secs(4), ..Options::default() };
    let r = analysed(&mut Session::new(options).with_sink(heard.clone()), &file);
    assert_eq!((r.entries.len(), r.loops.len()), (1, 4 * 24), "each loop is told");
    let events = heard.all();
    assert!(events.contains(&"early, with 1 entries".to_owned()), "{events:?}");
}
