//! Names for addresses: functions, source lines, inlined calls, variables.

use crate::process::Mapping;
use crate::variables::{self, Variable};
use addr2line::Loader;
use object::{Object, ObjectSymbol, SymbolKind};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A place in a program, as a debugger names it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// The function.
    pub function: Option<String>,
    /// The source file.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
}

/// The names in the files that a process has mapped.
pub struct Symbols {
    pid: i32,
    mappings: Vec<Mapping>,
    loaded: RefCell<BTreeMap<String, Option<File>>>,
}

struct File {
    loader: Loader,
    /// The loadable parts: offset in the file, address as linked, size in the file.
    parts: Vec<(u64, u64, u64)>,
    /// Variables with static storage: address, size, name, by address.
    data: Vec<(u64, u64, String)>,
    bytes: Vec<u8>,
}

impl Symbols {
    /// The names for a process with these mappings.
    pub fn new(pid: i32, mappings: Vec<Mapping>) -> Self {
        Self { pid, mappings, loaded: RefCell::default() }
    }

    fn mapping(&self, address: u64) -> Option<&Mapping> {
        self.mappings.iter().find(|m| (m.start..m.end).contains(&address))
    }

    /// The name of the file that an address belongs to, or of the mapping.
    pub fn file_of(&self, address: u64) -> Option<&str> {
        self.mapping(address).map(|m| m.name.as_str()).filter(|n| !n.is_empty())
    }

    /// Runs something on the file of an address, with the address as it was linked.
    fn with<T>(&self, address: u64, what: impl FnOnce(&File, u64) -> Option<T>) -> Option<T> {
        let mapping = self.mapping(address)?;
        // Memory behind a program's data has no file, but names: it belongs to the file mapped before it.
        let named = if mapping.name.starts_with('/') { mapping } else { self.before(mapping)? };
        let mut loaded = self.loaded.borrow_mut();
        let file = loaded.entry(named.name.clone()).or_insert_with(|| load(self.pid, &named.name));
        let file = file.as_ref()?;
        let (_, linked, _) = file.parts.iter().find(|(at, _, size)| {
            let page = at & !0xfff;
            (page..at + size).contains(&named.offset)
        })?;
        let (at, ..) = file.parts.iter().find(|(_, l, _)| l == linked)?;
        // The address of the file's first byte, had it been mapped as a whole.
        let base = named.start.wrapping_sub(named.offset);
        let bias = base.wrapping_add(*at).wrapping_sub(*linked);
        what(file, address.wrapping_sub(bias))
    }

    fn before(&self, mapping: &Mapping) -> Option<&Mapping> {
        let n = self.mappings.iter().position(|m| m.start == mapping.start)?;
        let previous = self.mappings.get(n.checked_sub(1)?)?;
        (previous.end == mapping.start && previous.name.starts_with('/') && mapping.name.is_empty()).then_some(previous)
    }

    /// The frames of a place, the innermost inlined one first.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let found = self.with(address, |file, linked| {
            let mut out = Vec::new();
            if let Ok(mut frames) = file.loader.find_frames(linked) {
                while let Ok(Some(f)) = frames.next() {
                    let function = f.function.as_ref().and_then(|n| n.demangle().ok()).map(|n| n.to_string());
                    let at = f.location;
                    out.push(Frame {
                        function,
                        file: at.as_ref().and_then(|l| l.file).map(str::to_owned),
                        line: at.as_ref().and_then(|l| l.line),
                        column: at.as_ref().and_then(|l| l.column),
                    });
                }
            }
            if out.iter().all(|f| f.function.is_none()) {
                let function = file.loader.find_symbol(linked).map(demangled);
                match out.first_mut() {
                    Some(first) => first.function = function,
                    None => out.push(Frame { function, ..Frame::default() }),
                }
            }
            Some(out)
        });
        found.unwrap_or_default()
    }

    /// The local variables that are visible at an address, with these values of the general registers.
    pub fn locals(&self, address: u64, registers: &[u64; 16]) -> Vec<Variable> {
        let found = self.with(address, |file, linked| {
            Some(variables::visible(&file.bytes, linked, address.wrapping_sub(linked), registers))
        });
        found.unwrap_or_default()
    }

    /// The variable with static storage at an address, and how far into it the address is.
    pub fn variable(&self, address: u64) -> Option<(String, u64)> {
        self.with(address, |file, linked| {
            let n = file.data.partition_point(|d| d.0 <= linked);
            let (address, size, name) = file.data.get(n.checked_sub(1)?)?;
            let offset = linked - address;
            (offset < *size).then(|| (demangled(name), offset))
        })
    }
}

fn demangled(name: &str) -> String {
    // A short name may read like the code of a type: only what starts like a mangled name is one.
    if name.starts_with("_Z") || name.starts_with("_R") {
        addr2line::demangle_auto(name.into(), None).into_owned()
    } else {
        name.to_owned()
    }
}

/// A file of the process; seen from inside its container, if it is in one.
fn load(pid: i32, name: &str) -> Option<File> {
    let inside = PathBuf::from(format!("/proc/{pid}/root{name}"));
    let path = if inside.exists() { inside } else { Path::new(name).to_owned() };
    let bytes = fs::read(&path).ok()?;
    let parts = parts(&bytes)?;
    let data = data(&bytes);
    Some(File { loader: Loader::new(&path).ok()?, parts, data, bytes })
}

fn data(file: &[u8]) -> Vec<(u64, u64, String)> {
    let Ok(elf) = object::File::parse(file) else { return Vec::new() };
    let named = elf.symbols().chain(elf.dynamic_symbols());
    let data = named.filter(|s| s.is_definition() && s.size() > 0 && s.kind() == SymbolKind::Data);
    let mut all: Vec<(u64, u64, String)> =
        data.filter_map(|s| Some((s.address(), s.size(), s.name().ok()?.to_owned()))).collect();
    all.sort();
    all.dedup();
    all
}

/// The loadable parts of an executable file.
fn parts(file: &[u8]) -> Option<Vec<(u64, u64, u64)>> {
    let word = |at: usize| Some(u64::from_le_bytes(file.get(at..at + 8)?.try_into().ok()?));
    let half = |at: usize| Some(u16::from_le_bytes(file.get(at..at + 2)?.try_into().ok()?));
    if file.get(..5)? != [0x7f, b'E', b'L', b'F', 2] {
        return None;
    }
    let table = usize::try_from(word(32)?).ok()?;
    let (size, count) = (usize::from(half(54)?), usize::from(half(56)?));
    let mut out = Vec::new();
    for n in 0..count {
        let at = table.checked_add(n * size)?;
        // PT_LOAD
        if file.get(at..at + 4)? == [1, 0, 0, 0] {
            out.push((word(at + 8)?, word(at + 16)?, word(at + 32)?));
        }
    }
    Some(out)
}
