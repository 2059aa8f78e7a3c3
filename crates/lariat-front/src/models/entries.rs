//! Where each entry of a table starts and what it is about; nothing in it is read yet.

use super::Model;
use super::parse::Parser;
use super::tokens::{column, fail};
use crate::Failure;

/// An entry of a table, found but not read.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    /// The file that it is from.
    pub file: &'a str,
    /// Its first line, from 1.
    pub line: u32,
    /// The names that it is about.
    pub names: Vec<&'a str>,
    /// What it says.
    pub is: Is<'a>,
}

/// What an entry says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Is<'a> {
    /// `function NAMES` and all that follows the names, and how many bytes of the first line come before that.
    Function(&'a str, usize),
    /// `alias NAMES = NAME`
    Alias(&'a str),
}

impl Entry<'_> {
    /// An error about the whole entry.
    pub fn failure(&self, message: &str) -> Failure {
        Failure { place: Some((self.file.to_string(), self.line, 1)), message: message.to_string() }
    }

    /// The model of one of the entry's names.
    pub fn model(&self, name: &str) -> Result<Model, Failure> {
        let Is::Function(text, before) = self.is else {
            return Err(self.failure("an alias has no model of its own"));
        };
        Parser::new(self, text, before)?.model(name)
    }

    /// The models of all names.
    pub fn models(&self) -> Result<Vec<Model>, Failure> {
        let Some(first) = self.names.first() else { return Ok(Vec::new()) };
        let model = self.model(first)?;
        Ok(self.names.iter().map(|n| Model { name: (*n).to_string(), ..model.clone() }).collect())
    }
}

/// The entries of a file. Only what stands at the start of a line is looked at.
pub(super) fn find<'a>(file: &'a str, text: &'a str) -> Result<Vec<Entry<'a>>, Failure> {
    let mut entries = Vec::new();
    let mut start = 0;
    let mut number = 0;
    // The function whose lines are being collected: its line, its names, where its text starts and where the rest of it.
    let mut open: Option<(u32, Vec<&'a str>, usize, usize)> = None;
    let close = |open: &mut Option<(u32, Vec<&'a str>, usize, usize)>, end: usize, entries: &mut Vec<Entry<'a>>| {
        if let Some((line, names, from, rest)) = open.take() {
            entries.push(Entry { file, line, names, is: Is::Function(&text[rest..end], rest - from) });
        }
    };
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        number += 1;
        let body = line.trim_end();
        if body.is_empty() || body.starts_with([' ', '\t', '#']) {
            let indented = body.trim_start();
            if open.is_none() && !indented.is_empty() && !indented.starts_with('#') {
                return Err(fail(
                    file,
                    number,
                    1,
                    "a line that starts with a space belongs to the function above it, and there is none",
                ));
            }
            continue;
        }
        close(&mut open, at, &mut entries);
        if let Some(rest) = body.strip_prefix("function ") {
            let Some(length) = rest.find('(') else {
                return Err(fail(
                    file,
                    number,
                    column(body.len()),
                    "expected `(` and the parameters after the function's name",
                ));
            };
            let names = names(file, number, &rest[..length])?;
            open = Some((number, names, at, at + "function ".len() + length));
        } else if let Some(rest) = body.strip_prefix("alias ") {
            let rest = rest.split('#').next().unwrap_or_default();
            let Some((left, right)) = rest.split_once('=') else {
                return Err(fail(
                    file,
                    number,
                    column(body.len()),
                    "expected `=` and the name of a function that has a model",
                ));
            };
            let target = names(file, number, right)?;
            let [target] = target[..] else {
                return Err(fail(file, number, 1, "expected one name after `=`"));
            };
            entries.push(Entry { file, line: number, names: names(file, number, left)?, is: Is::Alias(target) });
        } else {
            let word = body.split_whitespace().next().unwrap_or_default();
            return Err(fail(file, number, 1, &format!("expected `function` or `alias`, found `{word}`")));
        }
    }
    close(&mut open, text.len(), &mut entries);
    Ok(entries)
}

/// Names between commas.
fn names<'a>(file: &str, line: u32, text: &'a str) -> Result<Vec<&'a str>, Failure> {
    text.split(',')
        .map(|name| {
            let name = name.trim();
            let fine = |c: char| c.is_ascii_alphanumeric() || "_.$*".contains(c);
            if !name.is_empty() && name.chars().all(fine) && !name.starts_with(|c: char| c.is_ascii_digit()) {
                Ok(name)
            } else {
                Err(fail(file, line, 1, &format!("expected the name of a function, found `{name}`")))
            }
        })
        .collect()
}
