//! `lariat check --emit`

use super::files::failed;
use super::workers::Answer;
use super::{Emit, Options, sentence};
use crate::commands::{fail, write_file};
use crate::report;
use lariat_engines::path_automaton::picture;
use lariat_ir::neutral::{Recursion, lower};
use lariat_ir::{LoopForest, Proves, TransitionSystem, lts};
use lariat_session::Options as Wanted;
use lariat_session::analyze::Settings;
use lariat_session::input::{self, is_lts};
use lariat_session::results::Failure;
use lariat_session::views;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a file is to the engines.
pub(super) fn emitted(o: &Options, emit: Emit, wanted: &Wanted, path: &Path) -> Answer {
    match text(emit, wanted, path) {
        Ok(text) => Answer { text, ..Answer::default() },
        Err(f) => failed(o, path, f),
    }
}

/// Draws the automata of all loops, each into a file of its own.
pub(super) fn draw_all(o: &Options, wanted: &Wanted) -> u8 {
    let Some(folder) = &o.output else {
        return fail("--emit automaton writes several files: name a folder with --output");
    };
    if let Err(e) = std::fs::create_dir_all(folder) {
        return fail(&format!("cannot make the folder {}: {e}", folder.display()));
    }
    let mut status = 0;
    let mut names: BTreeSet<String> = BTreeSet::new();
    for path in &o.files {
        let systems = match systems(wanted, path) {
            Ok(systems) => systems,
            Err(f) => {
                status = fail(&sentence(&path.display().to_string(), &f));
                continue;
            }
        };
        let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        for ts in systems {
            let forest = LoopForest::of(&ts);
            for (id, l) in forest.loops.entries() {
                let deadline = Instant::now() + Duration::from_secs_f64(o.timeout);
                let picture = picture(&ts, &forest, ts.hash(), id, deadline);
                let kind = if ts.proves == Proves::Diverges { ".diverges" } else { "" };
                let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
                let name: String = format!("{stem}.{}{kind}", ts.locs[l.header].name).chars().map(plain).collect();
                // Files of several folders may have one name.
                let mut distinct = name.clone();
                for n in 2.. {
                    if names.insert(distinct.clone()) {
                        break;
                    }
                    distinct = format!("{name}.{n}");
                }
                let file = folder.join(format!("{distinct}.svg"));
                if let Err(message) = write_file(&file, &report::automaton::svg(&picture)) {
                    return fail(&message);
                }
            }
        }
    }
    status
}

/// The systems of a file.
fn systems(wanted: &Wanted, path: &Path) -> Result<Vec<TransitionSystem>, Failure> {
    if is_lts(path) {
        return Ok(input::systems(wanted, path)?.into_iter().flat_map(|e| e.systems).map(|p| p.system).collect());
    }
    let integers = wanted.integers();
    let all = input::unit(wanted, path, None)?.entries();
    Ok(all.iter().flat_map(|e| e.program.systems(integers)).map(|(form, target)| lower(form, target)).collect())
}

fn text(emit: Emit, wanted: &Wanted, path: &Path) -> Result<String, Failure> {
    let file = path.display();
    let mut out = String::new();
    if is_lts(path) {
        if matches!(emit, Emit::Cfg | Emit::View) {
            let message = "a transition system is in an integer semantics already; print it with --emit lts";
            return Err(Failure { place: None, message: message.into() });
        }
        let all: Vec<String> = systems(wanted, path)?.iter().map(lts::print).collect();
        return Ok(all.join("\n"));
    }
    let integers = wanted.integers();
    let unit = input::unit(wanted, path, None)?;
    if emit == Emit::View {
        let settings = Settings { timeout: wanted.timeout, ..Settings::default() };
        for (what, ts) in views::systems(&unit.prepared.functions(), integers, &settings) {
            let _ = writeln!(out, "# {what}\n{}", lts::print(&ts));
        }
        return Ok(out);
    }
    for entry in unit.entries() {
        if emit == Emit::Cfg {
            let _ = writeln!(out, "# {file}: `{}`", entry.name);
            out.push_str(&report::cfg::print(&entry.program));
            out.push('\n');
            if let Recursion::Resumed { ending } = &entry.program.recursion {
                let _ = writeln!(out, "# {file}: `{}`, recursive calls skipped or never left", entry.name);
                out.push_str(&report::cfg::print(ending));
                out.push('\n');
            }
            continue;
        }
        for (form, target) in entry.program.systems(integers) {
            let ts: TransitionSystem = lower(form, target);
            let what = match ts.proves {
                Proves::Terminates => ", to prove that it ends",
                Proves::Diverges => ", to prove that it runs for ever",
                Proves::Both => "",
            };
            let _ = writeln!(out, "# {file}: `{}`, integers {integers}{what}", entry.name);
            let _ = writeln!(out, "{}", lts::print(&ts));
        }
    }
    Ok(out)
}
