//! Results as documents, `lariat-results/1`: what is written as JSON and read again. `docs/results.md` explains the fields.
//!
//! The schema is a contract: fields are added, never renamed, and stand in this order. Words (verdicts, kinds) are texts, so that a reader
//! meets a new one as such. A reader ignores fields that it does not know, and takes what is missing as not said.

mod from_results;
mod tree;

pub use tree::{from_data, to_data};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};
use std::fmt;

/// The name of the format.
pub const SCHEMA: &str = "lariat-results/1";

/// What stands for a name or a verdict that a torn document does not give.
pub const NOT_SAID: &str = "?";

/// What is written of some files.
#[derive(Clone, PartialEq, Serialize, Debug)]
#[serde(untagged)]
pub enum Document {
    /// Of one.
    One(Box<Program>),
    /// Of none, or of several.
    Several {
        /// The name of the format.
        schema: String,
        /// Who wrote it.
        tool: Tool,
        /// Each of them.
        programs: Vec<Program>,
    },
}

/// Why a text is no document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// It is no JSON.
    NoJson(String),
    /// It is in no format of this name.
    OtherSchema,
    /// A part of it is not what the format says.
    Torn(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoJson(why) => write!(f, "is no JSON: {why}"),
            Self::OtherSchema => write!(f, "is no {SCHEMA}"),
            Self::Torn(why) => write!(f, "is a torn {SCHEMA}: {why}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl Document {
    /// Reads a document.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let json: Json = serde_json::from_str(text).map_err(|e| ReadError::NoJson(e.to_string()))?;
        if json.get("schema").and_then(Json::as_str) != Some(SCHEMA) {
            return Err(ReadError::OtherSchema);
        }
        let torn = |e: serde_json::Error| ReadError::Torn(e.to_string());
        match json.get("programs") {
            Some(programs) => Ok(Self::Several {
                schema: SCHEMA.to_owned(),
                tool: json.get("tool").map_or_else(|| Ok(Tool::default()), Tool::deserialize).map_err(torn)?,
                programs: Vec::deserialize(programs).map_err(torn)?,
            }),
            None => Ok(Self::One(Box::new(Program::deserialize(&json).map_err(torn)?))),
        }
    }

    /// What is said of each file.
    pub fn programs(&self) -> &[Program] {
        match self {
            Self::One(program) => std::slice::from_ref(program),
            Self::Several { programs, .. } => programs,
        }
    }

    /// As text: JSON on several lines, with a line break at its end.
    pub fn print(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a tree of texts and numbers can be written");
        text.push('\n');
        text
    }
}

/// Who wrote a document.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What is known of one file.
#[derive(Clone, PartialEq, Serialize, Debug)]
#[serde(untagged)]
pub enum Program {
    /// It could not be analysed.
    Failed(Failed),
    /// It was analysed.
    Analysed(Box<Analysed>),
}

impl<'de> Deserialize<'de> for Program {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let json = Json::deserialize(deserializer)?;
        if json.get("error").is_some_and(Json::is_string) {
            Failed::deserialize(json).map(Self::Failed).map_err(D::Error::custom)
        } else {
            Analysed::deserialize(json).map(|a| Self::Analysed(Box::new(a))).map_err(D::Error::custom)
        }
    }
}

/// A file that could not be analysed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Failed {
    /// The name of the format.
    pub schema: String,
    /// Who wrote it.
    pub tool: Tool,
    /// The file.
    #[serde(default = "not_said")]
    pub file: String,
    /// Why, with the next step.
    pub error: String,
    /// The file in which the error is.
    pub at: Option<String>,
    /// The line there.
    pub line: Option<u32>,
    /// The column there.
    pub column: Option<u32>,
}

/// The results for one file.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Analysed {
    /// The name of the format.
    pub schema: String,
    /// Who wrote it.
    pub tool: Tool,
    /// The file.
    #[serde(default = "not_said")]
    pub file: String,
    /// The verdict: of the entry, or of all entries together.
    #[serde(default = "not_said")]
    pub verdict: String,
    /// Why it is unknown.
    pub reason: Option<String>,
    /// The integer semantics.
    pub integers: String,
    /// The data model.
    pub data_model: String,
    /// The entry, or `all`.
    pub entry: String,
    /// The loops.
    pub loops: Vec<Loop>,
    /// The functions that call themselves, and what else is left open.
    pub recursion: Vec<Loop>,
    /// What the verdicts rest on.
    pub assumptions: Vec<Assumption>,
    /// Verdicts that contradict each other.
    pub contradictions: Vec<String>,
    /// Each entry; nothing only where a document is torn.
    pub entries: Option<Vec<Entry>>,
    /// How long it took.
    pub millis: f64,
    /// Of a running process: what else is known.
    #[serde(flatten)]
    pub live: Option<Live>,
    /// The kind of `reason`, see `lariat explain CODE`.
    pub reason_code: Option<String>,
}

/// What a verdict rests on.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Assumption {
    /// In words.
    pub text: String,
    /// The place.
    pub at: Option<String>,
    /// What kind of thing it is, see `lariat explain CODE`; empty in documents of older releases.
    pub code: String,
}

/// One entry.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Entry {
    /// Its name.
    #[serde(default = "not_said")]
    pub name: String,
    /// The verdict.
    #[serde(default = "not_said")]
    pub verdict: String,
    /// Why it is unknown.
    pub reason: Option<String>,
    /// The proof of the verdict: a tree, see [`to_data`].
    pub certificate: Option<Json>,
    /// The systems that certificates speak of.
    pub systems: Vec<System>,
    /// The kind of `reason`, see `lariat explain CODE`.
    pub reason_code: Option<String>,
    /// Where the verdict follows from views: the loops that must end.
    pub needs: Option<Vec<Position>>,
}

/// A system.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct System {
    /// Which verdicts it can carry.
    pub proves: String,
    /// Its hash.
    pub hash: String,
    /// Its text.
    pub lts: String,
}

/// A loop, or a recursion.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Loop {
    /// Its header's name.
    #[serde(default = "not_said")]
    pub id: String,
    /// The function it is in.
    pub function: Option<String>,
    /// The file it is in.
    pub file: String,
    /// Its line.
    pub line: Option<u32>,
    /// Its column.
    pub column: Option<u32>,
    /// How many loops are around it, itself included.
    pub depth: u32,
    /// The verdict.
    #[serde(default = "not_said")]
    pub verdict: String,
    /// For which initial states, as C; nothing if for all.
    pub when: Option<String>,
    /// Who proved it.
    pub engine: Option<String>,
    /// The claim with its certificate: a tree, see [`to_data`].
    pub certificate: Option<Json>,
    /// The run that does not end.
    pub witness: Option<Witness>,
    /// How often it can go round at most.
    pub bound: Option<String>,
    /// What an endless loop is for, if it seems to be meant.
    pub intent: Option<String>,
    /// What the other integer semantics say, where they differ.
    pub overflow: Option<Overflow>,
    /// Why the verdict is unknown.
    pub reason: Option<String>,
    /// In sentences: what falls, or what repeats.
    pub why: Vec<String>,
    /// Claims that the checker did not accept.
    pub rejected: Vec<String>,
    /// The entry that the certificate is about.
    #[serde(default = "not_said")]
    pub entry: String,
    /// The same loop of the source in other entries, or called from elsewhere.
    pub others: Vec<Copy>,
    /// How long it took.
    pub millis: f64,
    /// What engines tried, and what that cost.
    pub trials: Vec<Trial>,
    /// The kind of `reason`, see `lariat explain CODE`.
    pub reason_code: Option<String>,
    /// The codes of what else is remarkable: an overflow that decides it, an intent.
    pub notes: Vec<String>,
    /// What the system of the certificate was made of, if that is no entry: `loop`, for the loop's body from any state, or `function`, for
    /// the function from its entry.
    pub view: Option<String>,
    /// That system.
    pub view_system: Option<System>,
    /// What must hold when the loop is entered, for that system to be one of it; nothing if it always is.
    pub view_when: Option<String>,
    /// Of a verdict from a view: the loops that must end, too.
    pub needs: Vec<Position>,
    /// Whether the opposite verdict is proved wherever `when` does not hold.
    #[serde(default)]
    pub exactly: bool,
}

/// A loop of the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Position {
    /// The linkage name of the function that it is in.
    pub function: String,
    /// The file it is in.
    pub file: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// Its column.
    pub column: Option<u32>,
    /// Its number, from 0, among the loops of the function at this place.
    pub ordinal: u32,
}

/// One attempt of an engine at a loop.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Trial {
    /// The engine.
    pub engine: String,
    /// How hard it tried: `quick`, `brief` or `full`.
    pub rung: String,
    /// What came of it: `terminates`, `diverges`, `gave-up`, `not-confirmed` or `rejected`.
    pub outcome: String,
    /// How long it searched.
    pub millis: f64,
    /// How many questions it asked.
    pub queries: u64,
    /// How long the checker took.
    pub check_millis: f64,
    /// How many questions the checker asked.
    pub check_queries: u64,
}

/// Another copy of a loop of the source.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Copy {
    /// The entry it is in.
    #[serde(default = "not_said")]
    pub entry: String,
    /// Its header's name.
    #[serde(default = "not_said")]
    pub id: String,
    /// The verdict.
    #[serde(default = "not_said")]
    pub verdict: String,
    /// For which initial states, as C; nothing if for all.
    pub when: Option<String>,
    /// The claim with its certificate: a tree, see [`to_data`].
    pub certificate: Option<Json>,
}

/// A run that does not end.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Witness {
    /// The values that somebody chooses.
    pub inputs: Vec<Input>,
    /// The steps to the loop.
    pub stem: Vec<Step>,
    /// The steps around it.
    pub cycle: Vec<Step>,
}

/// A value that somebody chooses.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Input {
    /// What it is called.
    pub name: String,
    /// The value.
    pub value: String,
    /// Where it comes from: `call`, `parameter`, `before`, `stream` or `input`.
    pub from: String,
    /// The file of the call.
    pub file: Option<String>,
    /// The line of the call.
    pub line: Option<u32>,
    /// The column of the call.
    pub column: Option<u32>,
}

/// One step of a run.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Step {
    /// The location it starts from, in an `.lts` file.
    pub at: Option<String>,
    /// The location that is reached, in an `.lts` file.
    pub to: Option<String>,
    /// The file of its source.
    pub file: Option<String>,
    /// The line of its source.
    pub line: Option<u32>,
    /// The column of its source.
    pub column: Option<u32>,
    /// The inputs that are read, with the values to give.
    pub inputs: Vec<Input>,
    /// The variables that changed, with their new values.
    pub changed: Map<String, Json>,
}

/// The verdicts of the three integer semantics on one loop.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Overflow {
    /// As C has it.
    pub c: String,
    /// Two's complement everywhere.
    pub wrap: String,
    /// Signed integers are unbounded.
    pub ideal: String,
}

/// What is said of a running process.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Live {
    /// The verdict in one sentence.
    pub headline: String,
    /// The process.
    pub process: Process,
    /// How long it was held.
    pub held_millis: f64,
    /// How long the proof took after it was released.
    pub search_millis: f64,
    /// Instructions an iteration, at most.
    pub instructions: Option<u64>,
    /// How many iterations make a round after which all is as before.
    pub period: Option<usize>,
    /// Whether only unbounded integers make it infinite.
    pub unbounded: bool,
    /// When a counter wraps.
    pub leaves_in_seconds: Option<f64>,
    /// Inlined calls around the header of the loop, the innermost first.
    pub frames: Vec<String>,
    /// The lines of the loop.
    pub lines: Vec<Line>,
    /// The values that the loop reads.
    pub watch: Vec<Watched>,
    /// What could still end the loop.
    pub conditions: Vec<Condition>,
}

/// A running process.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// The number of its thread.
    pub thread: i32,
    /// Its command line.
    pub command: String,
}

/// A line of a source.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Line {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// A value that a loop reads and that has to stay as the proof says.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Watched {
    /// What a reader calls it.
    pub name: String,
    /// Where it is.
    pub place: String,
    /// How many bytes it has.
    pub size: u32,
    /// Its value when the loop was watched.
    pub value: String,
    /// Whether the loop changes it.
    pub changes: bool,
}

/// Something that could still end a loop.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Condition {
    /// A word for machines.
    pub kind: String,
    /// Words for readers, to stand after "unless".
    pub text: String,
}

fn not_said() -> String {
    NOT_SAID.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYSTEM: &str =
        "lts 1\nname down\nintegers wrap\nvar x: bv8\nentry a\na:\n  if x == 7#8 goto a\n  if x != 7#8 goto EXIT\n";

    fn analysed(name: &str) -> crate::results::Program {
        let path = std::env::temp_dir().join(format!("lariat-{name}-{}.lts", std::process::id()));
        std::fs::write(&path, SYSTEM).expect("a test file can be written");
        let program = crate::Session::new(crate::Options::default()).analyse(&path);
        std::fs::remove_file(&path).expect("it was written just now");
        program
    }

    #[test]
    fn what_is_written_is_read_and_written_again() {
        let one = analysed("written");
        let mut live = one.clone();
        let results = live.outcome.as_mut().expect("it was analysed");
        results.live = Some(Box::new(crate::results::Live {
            pid: 7,
            thread: 8,
            command: "sleep".into(),
            held: std::time::Duration::from_millis(3),
            search: std::time::Duration::ZERO,
            instructions: Some((1, 2)),
            period: None,
            unbounded: true,
            leaves_in: Some(std::time::Duration::from_secs(9)),
            watch: vec![],
            at: "main".into(),
            frames: vec!["main".into()],
            lines: vec![],
            verdict: "it hangs".into(),
            conditions: vec![("signal", "a handler runs".into())],
            waits: false,
        }));
        let failed = crate::results::Program::failed(std::path::Path::new("a.c"), "it is none");
        let all = [one, live, failed];
        for programs in [&all[..0], &all[..1], &all[1..2], &all[2..], &all[..]] {
            let document = Document::from(programs);
            assert_eq!(document.programs().len(), programs.len());
            let text = document.print();
            let read = Document::read(&text).expect("it was written just now");
            assert_eq!(read, document);
            assert_eq!(read.print(), text);
        }
    }

    #[test]
    fn a_reader_ignores_what_it_does_not_know_and_says_what_is_torn() {
        let text = Document::from(&[analysed("torn")][..]).print();
        let more = text.replacen("\"verdict\"", "\"novel\": [{}], \"verdict\"", 3);
        assert_eq!(Document::read(&more), Document::read(&text));
        let Ok(Document::One(p)) = Document::read(&format!("{{\"schema\": \"{SCHEMA}\"}}")) else {
            panic!("one program")
        };
        let Program::Analysed(p) = *p else { panic!("nothing failed") };
        assert_eq!((p.file.as_str(), p.verdict.as_str(), p.entries, p.live), (NOT_SAID, NOT_SAID, None, None));
        let error = |text: &str| Document::read(text).expect_err("it is no document");
        assert!(matches!(error("{"), ReadError::NoJson(_)));
        assert_eq!(error("[]"), ReadError::OtherSchema);
        assert_eq!(error(&text.replace(SCHEMA, "lariat-results/0")), ReadError::OtherSchema);
        for (was, is) in [("\"loops\": [", "\"loops\": 5, \"was\": ["), ("\"verdict\": \"diverges\"", "\"verdict\": 5")]
        {
            let torn = text.replacen(was, is, 1);
            assert_ne!(torn, text);
            assert!(matches!(error(&torn), ReadError::Torn(_)), "{is}");
        }
    }
}
