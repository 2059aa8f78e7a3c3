//! `.lts` files: one system, or several.

use super::read_text;
use crate::results::Failure;
use crate::session::Options;
use lariat_front::EntryChoice;
use lariat_ir::lts::{self, ParseError, Parsed};
use lariat_ir::{Proves, Span};
use std::collections::BTreeSet;
use std::path::Path;

/// The systems of one entry: one, or the one that carries proofs of termination and the one that carries proofs of divergence.
pub struct Systems {
    /// The name of each.
    pub name: String,
    /// The systems.
    pub systems: Vec<Parsed>,
}

/// Reads an `.lts` file that fits the options.
pub fn systems(options: &Options, path: &Path) -> Result<Vec<Systems>, Failure> {
    let file = path.display().to_string();
    let anywhere = |message: String| Failure { place: None, message };
    let source = read_text(path).map_err(anywhere)?;
    let all = parse_all(&source)
        .map_err(|e| Failure { place: Some(Span { file, line: e.line, column: e.column }), message: e.message })?;
    let integers = all[0].system.integers;
    if all.iter().any(|p| p.system.integers != integers) {
        return Err(anywhere("its systems were made for different --integers; put each into a file of its own".into()));
    }
    if let Some(wanted) = options.integers.filter(|i| *i != integers) {
        let message = format!("this system was made for --integers {integers}, not {wanted}");
        return Err(anywhere(message));
    }
    let mut entries = by_entry(all).map_err(anywhere)?;
    if let EntryChoice::Named(entry) = &options.entry {
        let names: Vec<String> = entries.iter().map(|e| format!("`{}`", e.name)).collect();
        entries.retain(|e| e.name == *entry);
        if entries.is_empty() {
            let message = format!("there is no entry `{entry}`; this system is {}", names.join(", "));
            return Err(anywhere(message));
        }
    }
    Ok(entries)
}

/// The systems of a text; at least one. Each starts with a line `lts 1` and is read as if it stood alone, at its place.
fn parse_all(text: &str) -> Result<Vec<Parsed>, ParseError> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some("lts") && words.next().is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut first: Vec<usize> = (0..lines.len()).filter(|n| starts(lines[*n])).collect();
    // What stands before the first system belongs to it: comments, or an error.
    first.splice(..first.len().min(1), [0]);
    let ends = first.iter().skip(1).copied().chain([lines.len()]);
    first.iter().zip(ends).map(|(&from, to)| lts::parse(&("\n".repeat(from) + &lines[from..to].join("\n")))).collect()
}

/// Two systems of one name that follow each other, the first for proofs of termination and the second for proofs of divergence, are those of one
/// entry, as `--emit lts` writes them. Every other one is an entry by itself.
fn by_entry(all: Vec<Parsed>) -> Result<Vec<Systems>, String> {
    let mut entries: Vec<Systems> = Vec::new();
    for p in all {
        match entries.last_mut() {
            Some(Systems { name, systems })
                if *name == p.system.name
                    && p.system.proves == Proves::Diverges
                    && matches!(systems.as_slice(), [one] if one.system.proves == Proves::Terminates) =>
            {
                systems.push(p);
            }
            _ => entries.push(Systems { name: p.system.name.clone(), systems: vec![p] }),
        }
    }
    let mut names = BTreeSet::new();
    match entries.iter().find(|e| !names.insert(&e.name)) {
        Some(twice) => Err(format!("there are several systems `{}`; give each a `name` of its own", twice.name)),
        None => Ok(entries),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(name: &str, verdict: &str) -> String {
        format!("# a comment\nlts 1\nname {name}\nintegers c proves {verdict}\nvar x: int\nentry a\na: goto EXIT\n")
    }

    fn entries(text: &str) -> Result<Vec<(String, usize)>, String> {
        let all = parse_all(text).map_err(|e| format!("{}: {}", e.line, e.message))?;
        Ok(by_entry(all)?.into_iter().map(|e| (e.name, e.systems.len())).collect())
    }

    #[test]
    fn systems_of_one_entry_are_told_from_those_of_others() {
        let text = |parts: &[(&str, &str)]| parts.iter().map(|(n, v)| system(n, v)).collect::<String>();
        let both = [("f", "terminates"), ("f", "diverges"), ("g", "terminates"), ("h", "diverges")];
        let found = entries(&text(&both)).expect("systems");
        assert_eq!(found, [("f".to_owned(), 2), ("g".to_owned(), 1), ("h".to_owned(), 1)]);
        for twice in [
            [("f", "terminates"), ("f", "terminates")],
            [("f", "diverges"), ("f", "terminates")],
            [("f", "diverges"), ("f", "diverges")],
        ] {
            assert!(entries(&text(&twice)).is_err_and(|e| e.contains("several systems `f`")), "{twice:?}");
        }
    }

    #[test]
    fn places_are_those_in_the_whole_text() {
        let text = system("f", "terminates") + &system("g", "terminates");
        let all = parse_all(&text).expect("systems");
        let lines: Vec<Vec<u32>> = all.iter().map(|p| p.places.values().map(|(line, _)| *line).collect()).collect();
        assert_eq!(lines, [vec![7], vec![14]]);
        let torn = text.clone() + "lts 1\nentry b\nb: goto\n";
        assert!(entries(&torn).is_err_and(|e| e.starts_with("17: ")), "{:?}", entries(&torn));
        assert!(entries("").is_err() && entries("nothing\n").is_err_and(|e| e.starts_with("1: ")));
    }
}
