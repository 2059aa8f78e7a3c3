//! What a reader calls the parts of a running program.

use super::prove::{Found, Watched};
use lariat_ir::Span;
use lariat_live::observe::CellPlace;
use lariat_live::symbols::{Frame, Symbols};
use lariat_live::variables::Variable;
use std::collections::BTreeMap;

/// Names for addresses and cells of one process.
pub struct Names {
    symbols: Symbols,
    /// The variables of the function that the loop is in.
    locals: Vec<Variable>,
}

/// A source line with how many instructions of the loop belong to it.
type Lines = BTreeMap<(String, u32), usize>;

impl Names {
    /// The names for a process.
    pub fn new(found: &Found) -> Self {
        let symbols = Symbols::new(found.target.pid, found.mappings.clone());
        let at_head = |w: &Watched| symbols.locals(w.head.address, &w.iterations.registers);
        let locals = found.watched.as_ref().map(at_head).unwrap_or_default();
        Self { symbols, locals }
    }

    /// The frames at an address, the innermost first.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        self.symbols.frames(address)
    }

    /// What a reader knows an address by: a function, a file, or only the number.
    pub fn place(&self, address: u64) -> String {
        let frames = self.frames(address);
        let file = self.symbols.file_of(address).map(|f| f.rsplit('/').next().unwrap_or(f).to_owned());
        match (frames.first().and_then(|f| f.function.clone()), file) {
            (Some(function), Some(file)) => format!("`{function}` in {file}"),
            (Some(function), None) => format!("`{function}`"),
            (None, Some(file)) => format!("{address:#x} in {file}"),
            (None, None) => format!("{address:#x}, in code that was made at run time"),
        }
    }

    /// The lines of the loop, in the file where it has most of them; those of the innermost functions.
    pub fn lines(&self, w: &Watched) -> Vec<Span> {
        let mut all: Lines = BTreeMap::new();
        for address in &w.iterations.code {
            for f in self.frames(*address).into_iter().take(1) {
                if let (Some(file), Some(line)) = (f.file, f.line) {
                    *all.entry((file, line)).or_default() += 1;
                }
            }
        }
        let mut files: BTreeMap<&str, usize> = BTreeMap::new();
        for ((file, _), n) in &all {
            *files.entry(file).or_default() += n;
        }
        let Some(file) = files.iter().max_by_key(|(_, n)| **n).map(|(f, _)| (*f).to_owned()) else { return Vec::new() };
        all.keys()
            .filter(|(f, _)| *f == file)
            .map(|(f, line)| Span { file: f.clone(), line: *line, column: 0 })
            .collect()
    }

    /// The local variable that a cell is, or is a part of.
    fn local(&self, place: CellPlace) -> Option<String> {
        self.locals.iter().find_map(|v| match (v.place, place) {
            (CellPlace::Register(a, _), CellPlace::Register(b, _)) if a == b => Some(v.name.clone()),
            (CellPlace::Memory(a, size), CellPlace::Memory(b, _)) if b >= a && b - a < u64::from(size) => {
                Some(if a == b { v.name.clone() } else { format!("{}+{}", v.name, b - a) })
            }
            _ => None,
        })
    }

    /// A cell as a reader knows it: a variable, or where it is.
    pub fn cell(&self, place: CellPlace) -> String {
        if let Some(name) = self.local(place) {
            return name;
        }
        match place {
            CellPlace::Register(..) => place.register_name().unwrap_or_default(),
            CellPlace::Memory(address, _) => match self.symbols.variable(address) {
                Some((name, 0)) => name,
                Some((name, offset)) => format!("{name}+{offset}"),
                None => {
                    let region = self.symbols.file_of(address).unwrap_or_default();
                    let region = if region.starts_with('[') { format!(" {region}") } else { String::new() };
                    format!("{address:#x}{region}")
                }
            },
        }
    }
}
