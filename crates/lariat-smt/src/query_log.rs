//! The questions that no solver answered, as SMT-LIB scripts that a person can hand to any solver.
//!
//! A question's number comes from its text: it is the same in every run, so reports that print it stay the same.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, io, process};

/// How many questions are kept.
const KEPT: usize = 200;
/// Old questions are looked for once in so many writes, because that lists the folder.
const SWEEP_EVERY: u32 = 32;

static WRITES: AtomicU32 = AtomicU32::new(0);

/// The number of a question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct QueryId(pub u32);

impl QueryId {
    /// The number of a script.
    pub fn of(script: &str) -> Self {
        // FNV-1a, folded: no secret, only short and the same everywhere.
        let hash = script
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
        let folded = (hash >> 32) ^ (hash & 0xffff_ffff);
        Self(u32::try_from(folded).expect("32 bits are left"))
    }
}

impl fmt::Display for QueryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What became of a question that was to be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Saved {
    /// Its number, in any case.
    pub id: QueryId,
    /// Whether it could be written.
    pub stored: bool,
}

/// Why a question cannot be shown.
#[derive(Debug)]
pub struct NoQuery {
    id: QueryId,
    place: Option<PathBuf>,
    cause: Option<io::Error>,
}

impl fmt::Display for NoQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(place) = &self.place else {
            return write!(
                f,
                "no query is kept, because there is no folder for them: set LARIAT_CACHE to one and analyse again"
            );
        };
        write!(f, "query {} cannot be read from {}", self.id, place.display())?;
        if let Some(cause) = self.cause.as_ref().filter(|e| e.kind() != io::ErrorKind::NotFound) {
            write!(f, " ({cause})")?;
        }
        write!(f, ": only the newest {KEPT} are kept, so analyse the program again and ask once more")
    }
}

impl std::error::Error for NoQuery {}

/// A folder of questions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryLog {
    folder: Option<PathBuf>,
}

impl QueryLog {
    /// The user's: `queries` below `$LARIAT_CACHE`, else `$XDG_CACHE_HOME/lariat`, else `~/.cache/lariat`.
    pub fn of_user() -> Self {
        let set = |name| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let cache = set("LARIAT_CACHE")
            .or_else(|| set("XDG_CACHE_HOME").map(|p| p.join("lariat")))
            .or_else(|| set("HOME").map(|p| p.join(".cache/lariat")));
        Self { folder: cache.map(|p| p.join("queries")) }
    }
    /// In this folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }
    /// Keeps nothing; questions still get their numbers.
    pub fn off() -> Self {
        Self { folder: None }
    }

    /// Keeps a script. A log that cannot be written costs nobody an answer.
    pub fn save(&self, script: &str) -> Saved {
        let id = QueryId::of(script);
        let stored = self.folder.as_deref().is_some_and(|folder| write(folder, id, script).is_ok());
        Saved { id, stored }
    }

    /// The script with this number.
    pub fn load(&self, id: QueryId) -> Result<String, NoQuery> {
        let Some(folder) = &self.folder else { return Err(NoQuery { id, place: None, cause: None }) };
        let place = folder.join(file_name(id));
        fs::read_to_string(&place).map_err(|e| NoQuery { id, place: Some(place), cause: Some(e) })
    }
}

/// Keeps a script in the user's log.
pub fn save(script: &str) -> Saved {
    QueryLog::of_user().save(script)
}

/// The script with this number in the user's log.
pub fn load(id: QueryId) -> Result<String, NoQuery> {
    QueryLog::of_user().load(id)
}

fn file_name(id: QueryId) -> String {
    format!("{id}.smt2")
}

/// Writes beside and renames: a reader sees a whole script or none.
fn write(folder: &Path, id: QueryId, script: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let number = WRITES.fetch_add(1, Ordering::Relaxed);
    let draft = folder.join(format!(".{}.{number}.draft", process::id()));
    let written = fs::write(&draft, script).and_then(|()| fs::rename(&draft, folder.join(file_name(id))));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written?;
    if number.is_multiple_of(SWEEP_EVERY) {
        sweep(folder)?;
    }
    Ok(())
}

/// Deletes the oldest scripts, and drafts of processes that died, beyond the newest [`KEPT`] files.
fn sweep(folder: &Path) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let ours = path.extension().is_some_and(|e| e == "smt2" || e == "draft");
        // Another process may sweep at the same time.
        if let Some(time) = fs::metadata(&path).and_then(|m| m.modified()).ok().filter(|_| ours) {
            files.push((time, path));
        }
    }
    files.sort();
    let surplus = files.len().saturating_sub(KEPT);
    for (_, path) in &files[..surplus] {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = env::temp_dir().join(format!("lariat-query-log-{}-{name}", process::id()));
            let _ = fs::remove_dir_all(&path);
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_question_comes_back_by_its_number() {
        let folder = Folder::new("back");
        let log = QueryLog::at(folder.0.join("deep"));
        let saved = log.save("(check-sat)\n");
        assert!(saved.stored);
        assert_eq!(saved.id, QueryId::of("(check-sat)\n"));
        assert_eq!(saved.id, QueryId(3_335_925_025), "the number is the same in every run and on every machine");
        assert_eq!(log.load(saved.id).expect("it was stored"), "(check-sat)\n");
    }

    #[test]
    fn what_is_not_there_is_said_with_the_next_step() {
        let folder = Folder::new("missing");
        let message = QueryLog::at(&folder.0).load(QueryId(7)).expect_err("nothing was stored").to_string();
        assert!(message.contains("query 7") && message.contains("analyse the program again"), "{message}");
        assert!(QueryLog::off().load(QueryId(7)).expect_err("it keeps nothing").to_string().contains("LARIAT_CACHE"));
    }

    #[test]
    fn a_folder_that_cannot_be_is_no_trouble() {
        let folder = Folder::new("file");
        fs::write(&folder.0, "a file").expect("the temporary folder is writable");
        let saved = QueryLog::at(&folder.0).save("x");
        assert!(!saved.stored);
        assert_eq!(saved.id, QueryLog::off().save("x").id);
        fs::remove_file(&folder.0).expect("it was written above");
    }

    #[test]
    fn the_log_stays_small() {
        let folder = Folder::new("small");
        let log = QueryLog::at(&folder.0);
        for i in 0..(KEPT + 3 * SWEEP_EVERY as usize) {
            assert!(log.save(&format!("; {i}\n")).stored);
        }
        let left = fs::read_dir(&folder.0).expect("it exists").count();
        assert!(left <= KEPT + SWEEP_EVERY as usize, "{left} files");
    }
}
