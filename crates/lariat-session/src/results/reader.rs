//! Values and names as a reader of the source knows them.

use crate::source::{Source, changed_cells};
use dashu_int::IBig;
use lariat_ir::neutral::{Cells, Origin};
use lariat_ir::{Id, TransitionSystem, UnknownId, Value, VarId};

/// How many cells of a memory are shown.
const CELLS: usize = 8;

/// Speaks of a system to somebody who knows its source.
pub(super) struct Reader<'a> {
    pub ts: &'a TransitionSystem,
    pub source: &'a Source,
    /// The function whose locals have plain names.
    pub function: Option<&'a str>,
    /// The pointers that the entry was called with: name, value, and how many bytes what they point to has.
    pub pointers: Vec<(String, IBig, u64)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(ts: &'a TransitionSystem, source: &'a Source, function: Option<&'a str>) -> Self {
        Self { ts, source, function, pointers: Vec::new() }
    }

    /// What a variable is called.
    pub(super) fn name(&self, v: VarId) -> String {
        let before = self.source.origins.before.as_ref();
        if let Some(mem) = self.source.mem_of(v)
            && before.is_some_and(|b| b.mems.contains(&mem))
        {
            return "memory from before".to_owned();
        }
        self.source.name(&self.ts.vars[v].name, self.function)
    }

    pub(super) fn is_visible(&self, v: VarId) -> bool {
        self.source.is_visible(self.ts, v)
    }

    /// Whether a variable is a pointer that still has the value with which it was passed: an address that tells nothing.
    pub(super) fn is_as_passed(&self, v: VarId, value: &Value) -> bool {
        self.source.origins.pointers.contains(&v.index())
            && number(value).is_some_and(|a| self.pointers.iter().any(|(n, p, _)| *p == a && *n == self.name(v)))
    }

    /// The value of a variable that is no memory.
    pub(super) fn value(&self, v: VarId, value: &Value) -> String {
        let text = self.source.number(&self.ts.vars[v].name, value);
        if self.source.origins.pointers.contains(&v.index()) { self.pointer(value).unwrap_or(text) } else { text }
    }

    /// A variable with its value; of a memory, each cell that is not as it was before, or as most are.
    pub(super) fn values(&self, v: VarId, before: Option<&Value>, now: &Value) -> Vec<(String, String)> {
        if !matches!(now, Value::Array(_)) {
            return vec![(self.name(v), self.value(v, now))];
        }
        let cells = changed_cells(before, now);
        let mut shown: Vec<(String, String)> = Vec::new();
        shown.extend(cells.iter().map(|(index, value)| self.cell_value(v, index, value)));
        if shown.len() > CELLS {
            let more = shown.len() - CELLS;
            shown.truncate(CELLS);
            shown.push((format!("{}[...]", self.name(v)), format!("{more} more cells")));
        }
        shown
    }

    /// A cell of a memory with its value.
    pub(super) fn cell_value(&self, v: VarId, index: &Value, value: &Value) -> (String, String) {
        let (name, pointers) = self.cell(v, index);
        let text = self.source.number(&self.ts.vars[v].name, value);
        (name, if pointers { self.pointer(value).unwrap_or(text) } else { text })
    }

    /// What a cell of a memory is called, and whether it holds a pointer.
    fn cell(&self, v: VarId, index: &Value) -> (String, bool) {
        let plain = || (format!("{}[{}]", self.name(v), self.source.number("", index)), false);
        let (Some(mem), Some(address)) = (self.source.mem_of(v), number(index)) else { return plain() };
        let here = |c: &&Cells| c.mem == mem && c.base <= address && c.end.as_ref().is_none_or(|e| address < *e);
        let all = self.source.origins.cells.iter().filter(here);
        let Some(c) = all.max_by(|a, b| a.base.cmp(&b.base)) else { return plain() };
        if c.name.is_empty() {
            return (self.behind(&address, mem), c.pointers);
        }
        let name = self.source.name(&c.name, self.function);
        let offset = address - &c.base - IBig::from(c.first);
        if c.stride <= 0 {
            return (name, c.pointers);
        }
        let k = offset / IBig::from(c.stride);
        let text = match name.rfind("[0]") {
            Some(at) => format!("{}[{k}]{}", &name[..at], &name[at + 3..]),
            // Reached by a pointer to its first element.
            None => match name.strip_prefix('*') {
                Some(pointer) => format!("{pointer}[{k}]"),
                None if k == IBig::ZERO => name,
                None => format!("{name}, element {k}"),
            },
        };
        (text, c.pointers)
    }

    /// A place in memory from before: as what a pointer of the entry leads to.
    fn behind(&self, address: &IBig, mem: usize) -> String {
        let bytes = self.source.cell_type(mem).map_or(1, |t| u64::from(t.width / 8));
        let below = self.pointers.iter().filter(|(_, p, _)| p <= address);
        let Some((name, p, size)) = below.max_by(|a, b| a.1.cmp(&b.1)) else {
            return "memory from before the call".to_owned();
        };
        let offset = address - p;
        let size = IBig::from((*size).max(1));
        match (&offset / &size, &offset % &size) {
            (k, rest) if rest == IBig::ZERO && size == IBig::from(bytes) => format!("{name}[{k}]"),
            _ => format!("*{name}, {bytes} bytes from byte {offset} on"),
        }
    }

    /// A pointer in words; nothing if it is no address of the model.
    fn pointer(&self, value: &Value) -> Option<String> {
        let address = number(value)?;
        if address == IBig::ZERO {
            return Some("null".into());
        }
        if self.source.origins.before.as_ref().is_some_and(|before| before.base <= address) {
            let below = self.pointers.iter().filter(|(_, p, _)| *p <= address);
            return Some(match below.max_by(|a, b| a.1.cmp(&b.1)) {
                Some((name, p, _)) if *p == address => format!("`{name}` as it was passed"),
                Some((name, p, _)) => format!("`{name}` + {} bytes", address - p),
                None => "an address from before the call".to_owned(),
            });
        }
        let all = self.source.origins.objects.iter().filter(|o| o.base <= address);
        let object = all.max_by(|a, b| a.base.cmp(&b.base))?;
        if object.end.as_ref().is_some_and(|e| address > *e) {
            return None;
        }
        let name = self.source.name(&object.name, self.function);
        let whole = match name.strip_prefix('*') {
            Some(pointer) => format!("the memory of `{pointer}`"),
            None => format!("&{name}"),
        };
        let offset = address - &object.base;
        Some(if offset == IBig::ZERO { whole } else { format!("{whole} + {offset} bytes") })
    }

    /// The value of an unknown as the program sees it.
    pub(super) fn seen(&self, u: UnknownId, value: &Value) -> String {
        let text = || self.source.number(&self.ts.unknowns[u].name, value);
        if let Some(number) = self.source.float(u, value) {
            return number;
        }
        match self.source.origin(u) {
            Some(Origin::Parameter { pointer: Some(_), name, .. }) => match self.pointer(value) {
                Some(words) if words == format!("`{name}` as it was passed") => "a valid address".to_owned(),
                Some(words) => words,
                None => text(),
            },
            _ => self.source.seen(u, value).map_or_else(text, |n| n.to_string()),
        }
    }
}

/// A value as a number; addresses are signed.
pub(super) fn number(value: &Value) -> Option<IBig> {
    match value {
        Value::Bv(b) => Some(IBig::from(b.signed())),
        Value::Int(i) => Some(i.clone()),
        Value::Bool(_) | Value::Array(_) => None,
    }
}
