//! What is in memory when the entry is called: globals, and what its pointers lead to.

use super::inputs::Inputs;
use crate::analyze::Study;
use crate::results::replay::Replay;
use crate::source::Source;
use dashu_int::IBig;
use lariat_ir::neutral::{Before, Cells, Origin};
use lariat_ir::{ArrayValue, Bits, Certificate, Claim, EdgeId, Id, Op, Role, Term, UnknownId, Value, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Memory from before that is filled has so many bytes at most.
const LARGEST_FILLED: u32 = 1 << 26;
/// Bits of the number of bytes that can be mapped, of which only touched ones are really there: where pointers have 8 bytes, and 4.
const MAPPED: [usize; 2] = [45, 30];
/// So many bytes are made behind the last place that is known to be used.
const MARGIN: u32 = 1 << 16;

/// Code that makes memory as a run needs it.
#[derive(Clone, Default, Debug)]
pub(super) struct Memory {
    /// Statements.
    pub setup: String,
    /// Definitions of global variables, each for the case that the source only declares it.
    pub externs: String,
    /// How many bytes a pointer has.
    pointer_bytes: u32,
    /// The first address of memory from before.
    first: Option<IBig>,
    /// The part of it that is made: its first address, and how many bytes it has.
    before: Option<(IBig, IBig)>,
    /// Objects that pointers may point to, by their first addresses.
    objects: Vec<(IBig, Option<IBig>, String)>,
}

/// The content of memory from before.
#[derive(Default)]
struct Content {
    /// Address, bytes, value.
    cells: Vec<(IBig, u32, IBig)>,
    /// What all other cells hold where that is not 0: the first address, the distance to the next, bytes, value.
    fills: Vec<(IBig, IBig, u32, IBig)>,
}

impl Memory {
    pub(super) fn of(
        study: &Study,
        source: &Source,
        claim: &Claim,
        run: &Replay,
        inputs: &Inputs,
    ) -> Result<Self, String> {
        let mut memory = Self { pointer_bytes: 8, ..Self::default() };
        for o in &source.origins.objects {
            if super::is_name(&o.name) {
                memory.objects.push((o.base.clone(), o.end.clone(), o.name.clone()));
            }
        }
        let touched = touched(study, source, run);
        if let Some(before) = &source.origins.before {
            // The model's addresses tell how wide they are.
            memory.pointer_bytes = if before.base >= IBig::from(1) << 59 { 8 } else { 4 };
            memory.first = Some(before.base.clone());
            memory.make_before(&touched, source, claim, run, before, inputs)?;
        }
        memory.set_globals(study, source, run)?;
        memory.set_foreign(study, source, run, &touched)?;
        Ok(memory)
    }

    /// Whether the statements map memory.
    pub(super) fn maps(&self) -> bool {
        self.before.is_some()
    }

    /// A definition of the global that a name is a part of, if the source only declares it; the script says whether it does.
    fn define(&mut self, part: &str) {
        let part = part.strip_prefix(BYTES).unwrap_or(part);
        let name = part.split(['.', '[']).next().unwrap_or(part);
        let begin = format!("#ifdef LARIAT_EXTERN_{name}\n");
        if !super::is_name(name) || self.externs.contains(&begin) {
            return;
        }
        let object = self.objects.iter().find(|(_, _, n)| n == name);
        let bytes = object.and_then(|(base, end, _)| Some(end.as_ref()? - base)).unwrap_or_else(|| IBig::from(MARGIN));
        let _ = write!(
            self.externs,
            "{begin}__asm__(\".bss\\n.balign 16\\n.globl {name}\\n{name}: .zero {bytes}\\n.text\");\n#endif\n"
        );
    }

    /// Memory that pointers from outside lead to, with its content. All of it is one object of the model: it is made as a whole, or if that is
    /// too large, the part that a run uses.
    fn make_before(
        &mut self,
        touched: &(Touched, Touched),
        source: &Source,
        claim: &Claim,
        run: &Replay,
        before: &Before,
        inputs: &Inputs,
    ) -> Result<(), String> {
        let content = self.content_before(source, run, before);
        let passed = inputs
            .parameters
            .iter()
            .filter(|(u, _)| matches!(source.origin(*u), Some(Origin::Parameter { pointer: Some(_), .. })));
        let globals: Vec<IBig> = source.origins.pointers.iter().filter_map(|v| signed(run.start.get(*v)?)).collect();
        let held = content.cells.iter().filter(|c| c.1 == self.pointer_bytes).map(|c| &c.2);
        let pointers = passed.map(|(_, value)| value).chain(held).chain(&globals);
        let mut used: BTreeSet<IBig> =
            pointers.filter(|p| **p >= before.base).chain(content.cells.iter().map(|c| &c.0)).cloned().collect();
        let size = before.size.and_then(|v| signed(run.start.get(v)?));
        let mappable = IBig::from(1) << MAPPED[usize::from(self.pointer_bytes == 4)];
        let largest = if content.fills.is_empty() { mappable } else { IBig::from(LARGEST_FILLED) };
        let whole = size.filter(|size| *size <= largest).map(|size| (before.base.clone(), size + IBig::from(MARGIN)));
        let (low, bytes) = match whole {
            Some(whole) => whole,
            None => {
                let here = |places: &Touched| -> BTreeSet<IBig> {
                    let mine = places.iter().filter(|(mem, at)| before.mems.contains(mem) && *at >= before.base);
                    mine.map(|(_, at)| at.clone()).collect()
                };
                let (first, then) = (here(&touched.0), here(&touched.1));
                // An orbit comes back to where it was; of other runs that is seen.
                if !matches!(claim.certificate, Certificate::Orbit { .. }) && !then.is_subset(&first) {
                    return Err("its pointers lead on and on through more memory than there is".into());
                }
                used.extend(first);
                used.extend(then);
                let (Some(low), Some(high)) = (used.first(), used.last()) else { return Ok(()) };
                // What is aligned in the model is aligned here.
                let low = low - low % IBig::from(4096);
                let bytes = high - &low + IBig::from(MARGIN);
                (low, bytes)
            }
        };
        if bytes > &largest + IBig::from(MARGIN) {
            let filled = if content.fills.is_empty() { "" } else { " that are not 0" };
            return Err(format!("its pointers lead to places too far apart: it takes {bytes} bytes{filled}"));
        }
        if used.is_empty() {
            return Ok(());
        }
        let _ = writeln!(self.setup, "    static char *lariat_memory;\n    lariat_memory = lariat_map({bytes});");
        self.before = Some((low.clone(), bytes.clone()));
        for (first, stride, width, value) in content.fills {
            let (ty, value) = (Self::word(width)?, self.content(width, &value)?);
            let start = (first - &low) % &stride;
            let start = if start < IBig::ZERO { start + &stride } else { start };
            let _ = writeln!(
                self.setup,
                "    for (long at = {start}; at + {width} <= {bytes}; at += {stride})\n        *({ty} *)(lariat_memory + at) = {value};"
            );
        }
        for (at, width, value) in content.cells {
            let (ty, value) = (Self::word(width)?, self.content(width, &value)?);
            let offset = at - &low;
            if offset < IBig::ZERO || &offset + IBig::from(width) > bytes {
                return Err("a place in memory lies outside all objects".into());
            }
            let _ = writeln!(self.setup, "    *({ty} *)(lariat_memory + {offset}) = {value};");
        }
        Ok(())
    }

    /// The content of memory from before when a run starts.
    fn content_before(&self, source: &Source, run: &Replay, before: &Before) -> Content {
        let mut all = Content::default();
        for mem in &before.mems {
            let (Some(ty), Value::Array(content)) = (source.cell_type(*mem), &run.start[source.mem_var(*mem).index()])
            else {
                continue;
            };
            let width = ty.width / 8;
            let known = content.cells().keys().filter_map(signed).filter(|at| *at >= before.base);
            all.cells.extend(self.words(content, width, known.collect()));
            let default = signed(content.default_value()).unwrap_or_default();
            if default != IBig::ZERO {
                let piece = source.origins.cells.iter().find(|c| c.mem == *mem);
                let (first, stride) = piece.map_or((0, 0), |c| (c.first, c.stride));
                let stride = IBig::from(stride.max(i64::from(width)));
                all.fills.push((&before.base + IBig::from(first), stride, width, default));
            }
        }
        for (var, offset) in &before.scalars {
            let width = match &run.start[*var] {
                Value::Bv(b) => b.width() / 8,
                _ => 8,
            };
            let value = signed(&run.start[*var]);
            all.cells.extend(value.map(|value| (&before.base + IBig::from(*offset), width, value)));
        }
        all
    }

    /// Cells of a memory with their values: address, bytes, value. Where it is kept byte by byte, those of a pointer are one.
    fn words(&self, content: &ArrayValue, width: u32, places: BTreeSet<IBig>) -> Vec<(IBig, u32, IBig)> {
        let at = |address: &IBig| {
            let index = match content.cells().keys().next() {
                Some(Value::Bv(b)) => Value::Bv(Bits::from_int(b.width(), address)),
                Some(_) => Value::Int(address.clone()),
                None => return signed(content.default_value()),
            };
            signed(content.get(&index))
        };
        let mut found: Vec<(IBig, u32, IBig)> = Vec::new();
        let mut behind: Option<IBig> = None;
        for place in places {
            if behind.as_ref().is_some_and(|b| place < *b) {
                continue;
            }
            let size = i64::from(self.pointer_bytes);
            let start = &place - &place % IBig::from(size);
            let bytes: Option<Vec<IBig>> = (0..size).map(|k| at(&(&start + IBig::from(k)))).collect();
            let word = bytes.filter(|_| width == 1).map(|bytes| {
                let low = bytes
                    .iter()
                    .rev()
                    .fold(IBig::ZERO, |w, b| w * IBig::from(256) + (b + IBig::from(256)) % IBig::from(256));
                if low >= IBig::from(1) << (8 * self.pointer_bytes as usize - 1) {
                    low - (IBig::from(1) << (8 * self.pointer_bytes as usize))
                } else {
                    low
                }
            });
            match word.filter(|w| self.is_address(self.pointer_bytes, w)) {
                Some(word) => {
                    behind = Some(&start + IBig::from(size));
                    found.push((start, self.pointer_bytes, word));
                }
                None => found.extend(at(&place).map(|value| (place, width, value))),
            }
        }
        found
    }

    /// Whether so many bytes hold an address of the model. Nothing says which of them hold pointers; where objects lie far above the
    /// numbers that programs have, none else is in one.
    fn is_address(&self, bytes: u32, value: &IBig) -> bool {
        let object = || bytes == 8 && *value != IBig::ZERO && self.pointer(value).is_some();
        bytes == self.pointer_bytes && (self.is_inside(value) || object())
    }

    /// Globals that are defined elsewhere, of whose types nothing is known: by their symbols and offsets, as far as the run looks at them.
    fn set_foreign(
        &mut self,
        study: &Study,
        source: &Source,
        run: &Replay,
        touched: &(Touched, Touched),
    ) -> Result<(), String> {
        let before = source.origins.before.as_ref();
        for v in &source.origins.made {
            let var = &study.ts.vars[VarId::from_index(*v)];
            let (name, offset) = var.name.split_once('+').unwrap_or((&var.name, "0"));
            let object = self.objects.iter().any(|(_, _, n)| n == name);
            let size = before.is_some_and(|b| b.size == Some(*v) || b.scalars.iter().any(|(s, _)| s == v));
            let (Some(value), Ok(offset)) = (signed(&run.start[*v]), offset.parse::<u64>()) else { continue };
            if let Value::Bv(b) = &run.start[*v]
                && object
                && !size
                && !source.is_fixed(&var.name)
            {
                self.set_at(name, &IBig::from(offset), b.width() / 8, &value)?;
            }
        }
        let mut places: BTreeMap<usize, BTreeSet<IBig>> = BTreeMap::new();
        for (mem, at) in touched.0.union(&touched.1) {
            let covered = source.origins.cells.iter().any(|c| {
                c.mem == *mem && !c.name.is_empty() && c.base <= *at && c.end.as_ref().is_none_or(|end| at < end)
            });
            let fixed = source.is_fixed(&study.ts.vars[source.mem_var(*mem)].name);
            if !covered && !fixed && !self.is_inside(at) {
                places.entry(*mem).or_default().insert(at.clone());
            }
        }
        for (mem, places) in places {
            let (Some(ty), Value::Array(content)) = (source.cell_type(mem), &run.start[source.mem_var(mem).index()])
            else {
                continue;
            };
            for (at, width, value) in self.words(content, ty.width / 8, places) {
                let inside = |(base, end, _): &&(IBig, Option<IBig>, String)| {
                    *base <= at && end.as_ref().is_some_and(|e| at < *e)
                };
                let Some((base, _, name)) = self.objects.iter().find(inside).cloned() else { continue };
                self.set_at(&name, &(&at - base), width, &value)?;
            }
        }
        Ok(())
    }

    /// Sets what a symbol stands for, at an offset.
    fn set_at(&mut self, name: &str, offset: &IBig, width: u32, value: &IBig) -> Result<(), String> {
        self.define(name);
        let declaration = format!("extern char lariat_at_{name}[] __asm__(\"{name}\");\n");
        if !self.externs.contains(&declaration) {
            self.externs.push_str(&declaration);
        }
        let (ty, value) = (Self::word(width)?, self.content(width, value)?);
        let _ = writeln!(self.setup, "    *({ty} *)(lariat_at_{name} + {offset}) = {value};");
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
        if self.is_address(bytes, value) {
            let pointer = self.pointer(value).ok_or("a pointer in memory leads to nothing that can be made")?;
            return Ok(format!("({})(__SIZE_TYPE__)({pointer})", Self::word(bytes)?));
        }
        Ok(format!("({}){}", Self::word(bytes)?, number(value)))
    }

    /// Globals that somebody may have changed before the call.
    fn set_globals(&mut self, study: &Study, source: &Source, run: &Replay) -> Result<(), String> {
        let ts = &study.ts;
        let outside: Vec<usize> =
            source.origins.before.iter().flat_map(|b| b.scalars.iter().map(|(v, _)| *v)).collect();
        for (id, v) in ts.vars.entries() {
            let local = source.is_local_elsewhere(&v.name, None);
            if local || source.is_fixed(&v.name) || !source.is_visible(ts, id) || outside.contains(&id.index()) {
                continue;
            }
            match &run.start[id.index()] {
                Value::Array(content) => {
                    let Some(mem) = source.mem_of(id) else { continue };
                    // Locals and what is allocated are not there yet, and what pointers from outside lead to is made already.
                    let there = |c: &&Cells| {
                        let name = c.name.strip_prefix(BYTES).unwrap_or(&c.name);
                        !name.is_empty() && !name.starts_with('*') && !source.is_local_elsewhere(name, None)
                    };
                    for c in source.origins.cells.iter().filter(|c| c.mem == mem).filter(there) {
                        self.define(&c.name);
                        let default = signed(content.default_value()).unwrap_or_default();
                        if default != IBig::ZERO {
                            let value = self.global_value(c.pointers, &default)?;
                            let all = everywhere(c, &value)
                                .ok_or_else(|| format!("the global `{}` cannot be filled from outside", c.name))?;
                            self.setup.push_str(&all);
                        }
                        for (index, value) in content.cells() {
                            let (Some(at), Some(value)) = (signed(index), signed(value)) else { continue };
                            if at >= c.base && c.end.as_ref().is_none_or(|e| at < *e) {
                                let name = cell_name(c, &at)
                                    .ok_or_else(|| format!("the global `{}` cannot be set from outside", c.name))?;
                                let value = self.global_value(c.pointers, &value)?;
                                let _ = writeln!(self.setup, "    {name} = {value};");
                            }
                        }
                    }
                }
                value => {
                    let Some(value) = signed(value) else { continue };
                    if !is_lvalue(&v.name) {
                        return Err(format!("the global `{}` cannot be set from outside", v.name));
                    }
                    self.define(&v.name);
                    let pointer = source.origins.pointers.contains(&id.index());
                    let _ = writeln!(self.setup, "    {} = {};", v.name, self.global_value(pointer, &value)?);
                }
            }
        }
        Ok(())
    }

    fn global_value(&self, pointer: bool, value: &IBig) -> Result<String, String> {
        if pointer || self.is_inside(value) {
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

/// Places that a run reads or writes: the memory's index, and the address.
type Touched = BTreeSet<(usize, IBig)>;

/// What a run touches before half of its rounds, and after.
fn touched(study: &Study, source: &Source, run: &Replay) -> (Touched, Touched) {
    let (ts, terms) = (&study.ts, &study.ts.terms);
    let mems = |array: Term| -> Vec<usize> {
        let mem = |s: &Term| match terms.role(*s) {
            Some(Role::Var(v)) => source.mem_of(v),
            _ => None,
        };
        terms.symbols(array).iter().filter_map(mem).collect()
    };
    let indices = |edge: EdgeId| -> Vec<(Vec<usize>, Term)> {
        let edge = &ts.edges[edge];
        let roots: Vec<Term> = edge.updates.iter().map(|(_, t)| *t).chain([edge.guard]).collect();
        let all = terms.reachable(&roots).into_iter().filter_map(|t| {
            let node = terms.node(t);
            matches!(node.op, Op::Select | Op::Store).then(|| (mems(node.args()[0]), node.args()[1]))
        });
        all.collect()
    };
    let half = run.rounds.get(run.rounds.len() / 2).copied().unwrap_or(run.stem);
    let mut known: BTreeMap<EdgeId, Vec<(Vec<usize>, Term)>> = BTreeMap::new();
    let mut state = run.start.clone();
    let (mut first, mut then) = (BTreeSet::new(), BTreeSet::new());
    for (n, m) in run.moments.iter().enumerate() {
        let chosen: BTreeMap<UnknownId, &Value> = m.chosen.iter().map(|(u, v)| (*u, v)).collect();
        for (mems, index) in known.entry(m.edge).or_insert_with(|| indices(m.edge)).iter() {
            let value = terms.eval(*index, |s| match terms.role(s) {
                Some(Role::Var(v)) => state[v.index()].clone(),
                Some(Role::Unknown(u)) => chosen.get(&u).map_or_else(|| ts.least(u), |v| (*v).clone()),
                _ => Value::zero(terms.sort(s)),
            });
            let set = if n < half { &mut first } else { &mut then };
            set.extend(signed(&value).into_iter().flat_map(|at| mems.iter().map(move |mem| (*mem, at.clone()))));
        }
        for (v, _, now) in &m.changed {
            state[v.index()] = now.clone();
        }
    }
    (first, then)
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

/// How the name of a cell starts that is one of the bytes of an object.
const BYTES: &str = "bytes of ";

/// A statement that gives all cells of a piece one value.
fn everywhere(c: &Cells, value: &str) -> Option<String> {
    if !c.name.contains("[0]") || c.stride <= 0 {
        return lvalue(c, "0").map(|name| format!("    {name} = {value};\n"));
    }
    // Of a size that is not known so much is made.
    let bytes = c.end.as_ref().map_or_else(|| IBig::from(MARGIN), |end| end - &c.base);
    let count = (bytes - IBig::from(c.first) + IBig::from(c.stride - 1)) / IBig::from(c.stride);
    let name = lvalue(c, "k")?;
    Some(format!("    for (long k = 0; k < {count}; k++)\n        {name} = {value};\n"))
}

/// What C calls the cell at an address.
fn cell_name(c: &Cells, address: &IBig) -> Option<String> {
    let k = if c.stride > 0 { (address - &c.base - IBig::from(c.first)) / IBig::from(c.stride) } else { IBig::ZERO };
    if k != IBig::ZERO && !c.name.contains("[0]") {
        return None;
    }
    lvalue(c, &k.to_string())
}

/// What C calls the cell of a number.
fn lvalue(c: &Cells, k: &str) -> Option<String> {
    if let Some(object) = c.name.strip_prefix(BYTES).and_then(|name| name.strip_suffix("[0]")) {
        return is_lvalue(object).then(|| format!("((unsigned char *)&{object})[{k}]"));
    }
    let name = match c.name.rfind("[0]") {
        Some(at) => format!("{}[{k}]{}", &c.name[..at], &c.name[at + 3..]),
        None => c.name.clone(),
    };
    is_lvalue(&c.name).then_some(name)
}

/// Whether a text is a variable of C, or a part of one.
fn is_lvalue(text: &str) -> bool {
    let parts = text.split(['.', '[']);
    parts.enumerate().all(|(n, part)| match part.strip_suffix(']') {
        Some(index) => n > 0 && index.chars().all(|c| c.is_ascii_digit()),
        None => super::is_name(part),
    })
}
