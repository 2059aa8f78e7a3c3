//! What is in memory when the entry is called: globals, and what its pointers lead to.

use super::inputs::Inputs;
use crate::analyze::Study;
use crate::report::replay::Replay;
use crate::source::Source;
use dashu_int::IBig;
use lariat_ir::neutral::{Before, Cells, Origin};
use lariat_ir::{Id, Mode, Value, VarId};
use std::fmt::Write as _;

/// Memory from before is given this many bytes at most.
const LARGEST: u32 = 1 << 20;
/// And so many behind the last place that is named.
const MARGIN: u32 = 1 << 16;

/// Code that makes memory as a run needs it.
#[derive(Clone, Default, Debug)]
pub(super) struct Memory {
    /// Statements.
    pub setup: String,
    /// The first address of memory from before.
    first: Option<IBig>,
    /// The part of it that is made: its first address, and how many bytes it has.
    before: Option<(IBig, IBig)>,
    /// Objects that pointers may point to, by their first addresses.
    objects: Vec<(IBig, Option<IBig>, String)>,
}

impl Memory {
    pub(super) fn of(study: &Study, source: &Source, run: &Replay, inputs: &Inputs) -> Result<Self, String> {
        let mut memory = Self::default();
        for o in &source.origins.objects {
            if super::is_name(&o.name) {
                memory.objects.push((o.base.clone(), o.end.clone(), o.name.clone()));
            }
        }
        if let Some(before) = &source.origins.before {
            memory.first = Some(before.base.clone());
            memory.make_before(source, run, before, inputs)?;
        }
        if study.ts.mode == Mode::Function {
            memory.set_globals(study, source, run)?;
        }
        Ok(memory)
    }

    /// Memory that pointers from outside lead to, with its content. All of it is one object of the model, of which a run uses a
    /// small part: that part is made.
    fn make_before(&mut self, source: &Source, run: &Replay, before: &Before, inputs: &Inputs) -> Result<(), String> {
        let mut cells: Vec<(IBig, u32, IBig)> = Vec::new();
        let mut fills: Vec<(IBig, IBig, u32, IBig)> = Vec::new();
        for mem in &before.mems {
            let (Some(ty), Value::Array(content)) = (source.cell_type(*mem), &run.start[source.mem_var(*mem).index()])
            else {
                continue;
            };
            let width = ty.width / 8;
            let known = content.cells().iter().filter_map(|(at, value)| Some((signed(at)?, width, signed(value)?)));
            cells.extend(known.filter(|(at, ..)| *at >= before.base));
            let default = signed(content.default_value()).unwrap_or_default();
            if default != IBig::ZERO {
                let piece = source.origins.cells.iter().find(|c| c.mem == *mem);
                let (first, stride) = piece.map_or((0, 0), |c| (c.first, c.stride));
                let stride = IBig::from(stride.max(i64::from(width)));
                fills.push((&before.base + IBig::from(first), stride, width, default));
            }
        }
        for (var, offset) in &before.scalars {
            let width = match &run.start[*var] {
                Value::Bv(b) => b.width() / 8,
                _ => 8,
            };
            cells.extend(signed(&run.start[*var]).map(|value| (&before.base + IBig::from(*offset), width, value)));
        }
        let passed = inputs
            .parameters
            .iter()
            .filter(|(u, _)| matches!(source.origin(*u), Some(Origin::Parameter { pointer: Some(_), .. })));
        let globals: Vec<IBig> = source.origins.pointers.iter().filter_map(|v| signed(run.start.get(*v)?)).collect();
        let pointers =
            passed.map(|(_, value)| value).chain(cells.iter().filter(|c| c.1 == 8).map(|c| &c.2)).chain(&globals);
        let used: Vec<IBig> =
            pointers.filter(|p| **p >= before.base).chain(cells.iter().map(|c| &c.0)).cloned().collect();
        let (Some(low), Some(high)) = (used.iter().min(), used.iter().max()) else { return Ok(()) };
        // What is aligned in the model is aligned here.
        let low = low - low % IBig::from(16);
        let bytes = high - &low + IBig::from(MARGIN);
        if bytes > IBig::from(LARGEST) {
            return Err("its pointers lead to places too far apart".into());
        }
        let _ = writeln!(self.setup, "    static char *lariat_memory;\n    lariat_memory = calloc({bytes}, 1);");
        self.before = Some((low.clone(), bytes.clone()));
        for (first, stride, width, value) in fills {
            let (ty, value) = (Self::word(width)?, self.content(width, &value)?);
            let start = (first - &low) % &stride;
            let start = if start < IBig::ZERO { start + &stride } else { start };
            let _ = writeln!(
                self.setup,
                "    for (long at = {start}; at + {width} <= {bytes}; at += {stride})\n        *({ty} *)(lariat_memory + at) = {value};"
            );
        }
        for (at, width, value) in cells {
            let (ty, value) = (Self::word(width)?, self.content(width, &value)?);
            let _ = writeln!(self.setup, "    *({ty} *)(lariat_memory + {}) = {value};", at - &low);
        }
        Ok(())
    }

    /// The type of so many bytes.
    fn word(bytes: u32) -> Result<&'static str, String> {
        Ok(match bytes {
            1 => "unsigned char",
            2 => "unsigned short",
            4 => "unsigned",
            8 => "unsigned long long",
            _ => return Err("what a pointer leads to holds numbers of odd widths".into()),
        })
    }

    /// What so many bytes hold.
    fn content(&self, bytes: u32, value: &IBig) -> Result<String, String> {
        if bytes == 8 && self.is_inside(value) {
            let pointer = self.pointer(value).ok_or("a pointer in memory leads to nothing that can be made")?;
            return Ok(format!("(unsigned long long)({pointer})"));
        }
        Ok(format!("({}){}", Self::word(bytes)?, number(value)))
    }

    /// Globals that somebody may have changed before the call.
    fn set_globals(&mut self, study: &Study, source: &Source, run: &Replay) -> Result<(), String> {
        let ts = &study.ts;
        let outside: Vec<usize> =
            source.origins.before.iter().flat_map(|b| b.scalars.iter().map(|(v, _)| *v)).collect();
        for (id, v) in ts.vars.entries() {
            if source.is_fixed(&v.name) || !source.is_visible(ts, id) || outside.contains(&id.index()) {
                continue;
            }
            match &run.start[id.index()] {
                Value::Array(content) => {
                    let Some(mem) = source.mem_of(id) else { continue };
                    let pieces: Vec<&Cells> = source.origins.cells.iter().filter(|c| c.mem == mem).collect();
                    for c in pieces.into_iter().filter(|c| !c.name.is_empty()) {
                        let default = signed(content.default_value()).unwrap_or_default();
                        if default != IBig::ZERO {
                            let value = self.global_value(source, id, &default)?;
                            let all = everywhere(c, &value).ok_or("a global cannot be filled from outside")?;
                            self.setup.push_str(&all);
                        }
                        for (index, value) in content.cells() {
                            let (Some(at), Some(value)) = (signed(index), signed(value)) else { continue };
                            if at >= c.base && c.end.as_ref().is_none_or(|e| at < *e) {
                                let name = cell_name(c, &at).ok_or("a global cannot be named")?;
                                let _ =
                                    writeln!(self.setup, "    {name} = {};", self.global_value(source, id, &value)?);
                            }
                        }
                    }
                }
                value => {
                    let Some(value) = signed(value) else { continue };
                    if !is_lvalue(&v.name) {
                        return Err(format!("the global `{}` cannot be set from outside", v.name));
                    }
                    let _ = writeln!(self.setup, "    {} = {};", v.name, self.global_value(source, id, &value)?);
                }
            }
        }
        Ok(())
    }

    fn global_value(&self, source: &Source, v: VarId, value: &IBig) -> Result<String, String> {
        if source.origins.pointers.contains(&v.index()) || self.is_inside(value) {
            self.pointer(value).ok_or_else(|| "a global pointer leads to nothing that can be made".to_owned())
        } else {
            Ok(number(value))
        }
    }

    /// Whether an address is one of the memory from before.
    pub(super) fn is_inside(&self, address: &IBig) -> bool {
        self.first.as_ref().is_some_and(|first| first <= address)
    }

    /// A pointer in C; nothing if there is nothing at the address.
    pub(super) fn pointer(&self, address: &IBig) -> Option<String> {
        if *address == IBig::ZERO {
            return Some("0".to_owned());
        }
        if let Some((base, bytes)) = self.before.as_ref().filter(|_| self.is_inside(address)) {
            let offset = address - base;
            return (IBig::ZERO <= offset && offset <= *bytes).then(|| format!("(void *)(lariat_memory + {offset})"));
        }
        let objects =
            self.objects.iter().filter(|(base, end, _)| base <= address && end.as_ref().is_some_and(|e| address <= e));
        let (base, _, name) = objects.max_by(|a, b| a.0.cmp(&b.0))?;
        Some(format!("(void *)((char *)&{name} + {})", address - base))
    }
}

/// A command line with as many strings as the program is called with.
pub(super) fn command_line(inputs: &Inputs, source: &Source) -> String {
    let count = inputs.parameters.iter().find_map(|(u, value)| match source.origin(*u) {
        Some(Origin::Parameter { number: 0, .. }) => Some(value.clone()),
        _ => None,
    });
    let count = count.and_then(|c| usize::try_from(c).ok()).unwrap_or(1).min(1000);
    // They may be written to.
    let word = |n: usize| {
        let text = inputs.words.get(&(n as u64)).map_or(&b"program"[..], Vec::as_slice);
        let bytes: Vec<String> = text.iter().map(|b| format!("(char){b}")).chain(["0".to_owned()]).collect();
        format!("(char []){{ {} }}", bytes.join(", "))
    };
    let strings: Vec<String> = (0..count.max(1)).map(word).collect();
    format!("(char *[]){{ {}, 0 }}", strings.join(", "))
}

/// A number as C writes it.
pub(super) fn number(value: &IBig) -> String {
    let (least, most) = (IBig::from(i64::MIN), IBig::from(i64::MAX));
    if *value == least {
        "(-9223372036854775807LL - 1)".to_owned()
    } else if *value > most {
        format!("(long long){value}ULL")
    } else if IBig::from(i32::MIN) < *value && *value <= IBig::from(i32::MAX) {
        value.to_string()
    } else {
        format!("{value}LL")
    }
}

fn signed(value: &Value) -> Option<IBig> {
    match value {
        Value::Bv(b) => Some(IBig::from(b.signed())),
        Value::Int(i) => Some(i.clone()),
        Value::Bool(_) | Value::Array(_) => None,
    }
}

/// A statement that gives all cells of a piece one value.
fn everywhere(c: &Cells, value: &str) -> Option<String> {
    let Some(at) = c.name.rfind("[0]").filter(|_| c.stride > 0) else {
        return is_lvalue(&c.name).then(|| format!("    {} = {value};\n", c.name));
    };
    let count = (c.end.as_ref()? - &c.base - IBig::from(c.first) + IBig::from(c.stride - 1)) / IBig::from(c.stride);
    let (head, tail) = (&c.name[..at], &c.name[at + 3..]);
    is_lvalue(&c.name).then(|| format!("    for (long k = 0; k < {count}; k++)\n        {head}[k]{tail} = {value};\n"))
}

/// What C calls the cell at an address.
fn cell_name(c: &Cells, address: &IBig) -> Option<String> {
    let k = if c.stride > 0 { (address - &c.base - IBig::from(c.first)) / IBig::from(c.stride) } else { IBig::ZERO };
    let name = match c.name.rfind("[0]") {
        Some(at) => format!("{}[{k}]{}", &c.name[..at], &c.name[at + 3..]),
        None if k == IBig::ZERO => c.name.clone(),
        None => return None,
    };
    is_lvalue(&name).then_some(name)
}

/// Whether a text is a variable of C, or a part of one.
fn is_lvalue(text: &str) -> bool {
    let parts = text.split(['.', '[']);
    parts.enumerate().all(|(n, part)| match part.strip_suffix(']') {
        Some(index) => n > 0 && index.chars().all(|c| c.is_ascii_digit()),
        None => super::is_name(part),
    })
}
