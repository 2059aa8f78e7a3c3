//! Names and types of the source for objects and their parts.

use super::Context;
use super::flat::index;
use super::memory::layout::{Object, Size};
use super::points::{ObjectId, ObjectKind, Points};
use crate::intrinsic::Intrinsic;
use crate::module::{BlockId, Callee, DebugType, Function, Module, Op, Operand, TypeId, ValueId};
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::neutral::IntType;

/// What the source calls an object, and its type there.
pub(super) fn object_name(
    cx: &Context<'_>,
    points: &Points,
    kind: ObjectKind,
    id: ObjectId,
) -> (String, Option<TypeId>) {
    let module = cx.flat.module;
    match kind {
        ObjectKind::Global(g) => {
            let global = &module.globals[g.0 as usize];
            match &global.variable {
                Some(v) => (v.name.clone(), v.ty),
                None if global.name.starts_with(".str") || global.name.is_empty() => (format!("string {}", g.0), None),
                None => (clean(&global.name), None),
            }
        }
        ObjectKind::Function(f) => (clean(module.functions[f.0 as usize].shown()), None),
        ObjectKind::Stack(instance, value) => {
            let function = cx.flat.function(instance);
            match function.declares.iter().find(|(v, _)| *v == value) {
                // The entry's variables have the plain names.
                Some((_, variable)) if instance.0 == 0 => (variable.name.clone(), variable.ty),
                Some((_, variable)) => (format!("{}.{}", clean(function.shown()), variable.name), variable.ty),
                None => {
                    // What the compiler made for itself, in the order in which it did.
                    let returns = function.blocks.first().and_then(|b| b.instructions.first()).map(|i| i.id);
                    if returns == Some(value) {
                        (format!("{}.result", clean(function.shown())), None)
                    } else {
                        (format!("{}.slot{}", clean(function.shown()), value.0), None)
                    }
                }
            }
        }
        ObjectKind::Heap(at) => {
            // Named after the variable that holds it, where there is one.
            let mut holders =
                points.holders.get(&id).into_iter().flatten().filter_map(|h| match points.objects[h.0 as usize] {
                    ObjectKind::Stack(instance, value) => cx
                        .flat
                        .function(instance)
                        .declares
                        .iter()
                        .find(|(v, _)| *v == value)
                        .map(|(_, variable)| variable.clone()),
                    ObjectKind::Global(g) => module.globals[g.0 as usize].variable.clone(),
                    _ => None,
                });
            if let Some(variable) = holders.next() {
                let to = variable.ty.and_then(|t| match &module.types[t.0 as usize] {
                    DebugType::Pointer { to } => *to,
                    _ => None,
                });
                return (format!("*{}", variable.name), to);
            }
            (format!("heap {}", place_of(cx, at)), None)
        }
        ObjectKind::Library(at, pointer) => {
            let name = cx
                .flat
                .instruction(at)
                .and_then(|i| match &i.op {
                    Op::Call { callee: Callee::Function(f), .. } => Some(module.functions[f.0 as usize].name.clone()),
                    _ => None,
                })
                .unwrap_or_default();
            (format!("{}{}", clean(&name), if pointer { ".table" } else { ".result" }), None)
        }
        ObjectKind::Outside => ("outside".to_owned(), None),
        ObjectKind::Absolute => ("registers".to_owned(), None),
    }
}

/// The line and column of a point.
pub(super) fn place_of(cx: &Context<'_>, at: super::flat::Point) -> String {
    let place = cx.flat.instruction(at).map_or(cx.flat.block(at).place, |i| i.place);
    place.map_or_else(|| "somewhere".to_owned(), |p| format!("{}:{}", p.line, p.column))
}

/// A name without characters that the text form of systems does not allow.
pub(super) fn clean(name: &str) -> String {
    let allowed = |c: char| !(c.is_control() || matches!(c, '(' | ')' | '@' | '$' | '|' | '\\' | '`'));
    name.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}

/// The type and the name of a part of an object.
pub(super) fn field(cx: &Context<'_>, object: &Object, offset: i64, size: u64, votes: &[bool]) -> (IntType, String) {
    let width = u32::try_from(size * 8).unwrap_or(8);
    let module = cx.flat.module;
    let offset_bytes = u64::try_from(offset).unwrap_or(0);
    let found = object.ty.and_then(|ty| part(module, ty, offset_bytes, size));
    let (signed, suffix) = match found {
        Some((signed, suffix)) => (signed, suffix),
        None => {
            let whole = matches!(object.size, Size::Constant(n) if n == size) && offset == 0;
            (None, if whole { String::new() } else { format!("+{offset}") })
        }
    };
    // A number that was computed as signed must not be reduced on its way through memory.
    let signed = votes.contains(&true) || signed.unwrap_or(votes.is_empty());
    let name = match object.name.strip_prefix('*') {
        Some(pointer) if suffix.starts_with('.') => format!("{pointer}->{}", &suffix[1..]),
        _ => format!("{}{suffix}", object.name),
    };
    (IntType { width, signed }, clean(&name))
}

/// Whether the part of a type at an offset is signed, and what to write after the variable's name for it. Nothing if no
/// part has that place and size.
fn part(module: &Module, ty: TypeId, offset: u64, size: u64) -> Option<(Option<bool>, String)> {
    match &module.types[ty.0 as usize] {
        DebugType::Int { size: n, signed, .. } => (offset == 0 && *n == size).then(|| (Some(*signed), String::new())),
        DebugType::Bool { size: n } => (offset == 0 && *n == size).then(|| (Some(false), String::new())),
        DebugType::Float { size: n } => (offset == 0 && *n >= size).then(|| (Some(false), String::new())),
        DebugType::Pointer { .. } => (offset == 0).then(|| (Some(true), String::new())),
        DebugType::Array { of, counts } => {
            let element = (*of)?;
            let n = size_of(module, element)?;
            if n == 0 {
                return None;
            }
            let mut number = offset / n;
            let (signed, inner) = part(module, element, offset % n, size)?;
            let mut indices = Vec::new();
            for count in counts.iter().skip(1).rev() {
                let count = (*count)?.max(1);
                indices.push(number % count);
                number /= count;
            }
            indices.push(number);
            let text: Vec<String> = indices.iter().rev().map(|i| format!("[{i}]")).collect();
            Some((signed, format!("{}{inner}", text.concat())))
        }
        DebugType::Record { members, .. } => members.iter().find_map(|m| {
            if m.bit_field {
                // The storage unit of bit-fields is nobody's name; it is read and written as a whole.
                let start = m.offset_bits / 8;
                let unit = offset <= start && start < offset + size;
                return unit.then(|| (Some(false), format!(".bits{offset}")));
            }
            let start = m.offset_bits / 8;
            let length = m.size_bits / 8;
            (start <= offset && offset + size <= start + length)
                .then(|| part(module, m.ty?, offset - start, size))
                .flatten()
                .map(|(signed, inner)| (signed, format!(".{}{inner}", m.name)))
        }),
        DebugType::Other => None,
    }
}

/// How many bytes a pointer of this type points to; 0 if that is not known.
pub(super) fn pointee_size(module: &Module, pointer: Option<TypeId>) -> u64 {
    match pointer.map(|t| &module.types[t.0 as usize]) {
        Some(DebugType::Pointer { to: Some(to) }) => size_of(module, *to).unwrap_or(0),
        _ => 0,
    }
}

/// Whether the part of a type at an offset is a pointer.
pub(super) fn is_pointer(module: &Module, ty: TypeId, offset: u64) -> bool {
    match &module.types[ty.0 as usize] {
        DebugType::Pointer { .. } => offset == 0,
        DebugType::Array { of: Some(element), .. } => {
            let n = size_of(module, *element).unwrap_or(0);
            n > 0 && is_pointer(module, *element, offset % n)
        }
        DebugType::Record { members, .. } => members.iter().any(|m| {
            let start = m.offset_bits / 8;
            let inside = start <= offset && offset < start + (m.size_bits / 8);
            inside && !m.bit_field && m.ty.is_some_and(|t| is_pointer(module, t, offset - start))
        }),
        _ => false,
    }
}

fn size_of(module: &Module, ty: TypeId) -> Option<u64> {
    match &module.types[ty.0 as usize] {
        DebugType::Int { size, .. } | DebugType::Bool { size } | DebugType::Float { size } => Some(*size),
        DebugType::Record { size, .. } => Some(*size),
        DebugType::Pointer { .. } => Some(u64::from(module.pointer_bits / 8)),
        DebugType::Array { of, counts } => {
            let mut n = size_of(module, (*of)?)?;
            for c in counts {
                n = n.checked_mul((*c)?)?;
            }
            Some(n)
        }
        DebugType::Other => None,
    }
}

/// Where the scopes of a function's local objects start.
pub(super) struct Scopes {
    /// Block and position of the first `llvm.lifetime.start` of each object.
    starts: FastMap<ValueId, (usize, usize)>,
    /// Objects whose scope may end before the function does.
    early: FastSet<ValueId>,
    /// Objects of variable size, or made in a loop, that last as long as the function: nothing releases them before.
    lasting: FastSet<ValueId>,
    /// Those of them that one call may make again and again.
    several: FastSet<ValueId>,
    /// Those that the function may access by their names outside of their scopes. A compiler's own code does not.
    strayed: FastSet<ValueId>,
    dominators: Vec<FastSet<usize>>,
}

/// The object that such a marker speaks of.
pub(super) fn marked(module: &Module, instruction: &crate::module::Instruction, what: Intrinsic) -> Option<ValueId> {
    let Op::Call { callee: Callee::Function(f), args, .. } = &instruction.op else { return None };
    if module.functions[f.0 as usize].intrinsic != Some(what) {
        return None;
    }
    match args.last() {
        Some(Operand::Value(v)) => Some(*v),
        _ => None,
    }
}

impl Scopes {
    pub(super) fn new(module: &Module, function: &Function) -> Self {
        let (mut starts, mut early) = (FastMap::default(), FastSet::default());
        let (mut lasting, mut several) = (FastSet::default(), FastSet::default());
        let releases = function.blocks.iter().flat_map(|b| &b.instructions).any(|i| {
            matches!(&i.op, Op::Call { callee: Callee::Function(f), .. }
                if module.functions[f.0 as usize].intrinsic == Some(Intrinsic::StackRestore))
        });
        let jumps_back = function
            .blocks
            .iter()
            .flat_map(|b| &b.instructions)
            .any(|i| matches!(i.op, Op::Call { returns_twice: true, .. }));
        // What is declared in an inner scope that the compiler does not mark, because control jumps into it, ends somewhere.
        for ((value, block, _), (_, variable)) in function.declared_at.iter().zip(&function.declares) {
            if variable.argument == 0 && block.0 != 0 {
                early.insert(*value);
            }
        }
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, instruction) in block.instructions.iter().enumerate() {
                // A local array of variable size, and what `alloca` gives in a loop.
                // And what has no declaration, because control never passes it.
                let declared = function.declares.iter().any(|(v, _)| *v == instruction.id);
                if matches!(instruction.op, Op::Alloca { .. }) && (b != 0 || !declared) {
                    if b != 0 && !releases {
                        lasting.insert(instruction.id);
                        if jumps_back || comes_again(function, BlockId(index(b))) {
                            several.insert(instruction.id);
                        }
                    }
                    early.insert(instruction.id);
                }
                if let Some(v) = marked(module, instruction, Intrinsic::LifetimeStart) {
                    starts.entry(v).or_insert((b, i));
                    if b != 0 {
                        early.insert(v);
                    }
                }
                if let Some(v) = marked(module, instruction, Intrinsic::LifetimeEnd) {
                    let returns = matches!(block.terminator, crate::module::Terminator::Return(_));
                    let last = block.instructions[i + 1..].iter().all(|later| {
                        marked(module, later, Intrinsic::LifetimeEnd).is_some() || matches!(later.op, Op::Load { .. })
                    });
                    if !(returns && last) {
                        early.insert(v);
                    }
                }
            }
        }
        let strayed = strayed(module, function);
        Self { starts, early, lasting, several, strayed, dominators: dominators(function) }
    }
    /// Whether the function may access an object by its name when it is not there.
    pub(super) fn is_strayed(&self, value: ValueId) -> bool {
        self.strayed.contains(&value)
    }
    /// Whether an object is there as long as its function runs.
    pub(super) fn is_whole(&self, value: ValueId) -> bool {
        !self.early.contains(&value)
    }
    /// Whether the scope of an object ends somewhere that the compiler does not mark.
    pub(super) fn is_unmarked(&self, value: ValueId) -> bool {
        self.early.contains(&value) && !self.starts.contains_key(&value) && !self.lasting.contains(&value)
    }
    /// Whether one call may make several of an object, all of which last as long as it does.
    pub(super) fn is_several(&self, value: ValueId) -> bool {
        self.several.contains(&value)
    }
    /// Whether the scope of `later` starts after that of `earlier`, in every run, or both are the whole function.
    pub(super) fn starts_after(&self, later: ValueId, earlier: ValueId) -> bool {
        if self.is_whole(earlier) {
            return true;
        }
        match (self.starts.get(&later), self.starts.get(&earlier)) {
            (Some(l), Some(e)) if l.0 == e.0 => l.1 >= e.1,
            (Some(l), Some(e)) => self.dominators[l.0].contains(&e.0),
            _ => false,
        }
    }
}

/// The local object that an address is in, if it is made from one by offsets.
pub(super) fn local_of(function: &Function, operand: &Operand) -> Option<ValueId> {
    let mut operand = operand;
    loop {
        let Operand::Value(v) = operand else { return None };
        let mut n = (v.0 as usize).checked_sub(function.params.len())?;
        let mut blocks = function.blocks.iter();
        let instruction = loop {
            let block = blocks.next()?;
            match block.instructions.get(n) {
                Some(i) => break i,
                None => n -= block.instructions.len(),
            }
        };
        match &instruction.op {
            Op::Alloca { .. } => return Some(*v),
            Op::Gep { base, .. } => operand = base,
            _ => return None,
        }
    }
}

/// The local objects with marked scopes that are loaded from or stored to by their names where, on some way, they are not in scope.
fn strayed(module: &Module, function: &Function) -> FastSet<ValueId> {
    let instructions = function.blocks.iter().flat_map(|b| &b.instructions);
    let mut number: FastMap<ValueId, usize> = FastMap::default();
    for v in instructions.filter_map(|i| marked(module, i, Intrinsic::LifetimeStart)) {
        let next = number.len();
        number.entry(v).or_insert(next);
    }
    let mut found = FastSet::default();
    if number.is_empty() {
        return found;
    }
    // For each block, which of them may be out of scope at its beginning.
    let mut gone: Vec<Option<Vec<bool>>> = vec![None; function.blocks.len()];
    gone[0] = Some(vec![true; number.len()]);
    let mut work = vec![0];
    while let Some(b) = work.pop() {
        let mut now = gone[b].clone().unwrap_or_default();
        for i in &function.blocks[b].instructions {
            for (what, out) in [(Intrinsic::LifetimeStart, false), (Intrinsic::LifetimeEnd, true)] {
                if let Some(n) = marked(module, i, what).and_then(|v| number.get(&v)) {
                    now[*n] = out;
                }
            }
            let (Op::Load { ptr, .. } | Op::Store { ptr, .. }) = &i.op else { continue };
            if let Some(v) = local_of(function, ptr)
                && number.get(&v).is_some_and(|n| now[*n])
            {
                found.insert(v);
            }
        }
        for next in super::block_successors(&function.blocks[b].terminator) {
            let there = &mut gone[next.0 as usize];
            let mut more = there.is_none();
            for (t, n) in there.get_or_insert_with(|| vec![false; number.len()]).iter_mut().zip(&now) {
                more |= *n && !*t;
                *t |= n;
            }
            if more {
                work.push(next.0 as usize);
            }
        }
    }
    found
}

/// Whether control may come from a block back to it, within a call.
fn comes_again(function: &Function, block: BlockId) -> bool {
    let next = |b: BlockId| super::block_successors(&function.blocks[b.0 as usize].terminator);
    let mut seen = FastSet::default();
    let mut work = next(block);
    while let Some(b) = work.pop() {
        if seen.insert(b) {
            work.extend(next(b));
        }
    }
    seen.contains(&block)
}

/// The local objects with marked scopes none of which a point lies in.
pub(super) fn out_of_scope(module: &Module, function: &Function, block: BlockId, at: u32) -> FastSet<ValueId> {
    let mut open: Vec<Option<FastSet<ValueId>>> = vec![None; function.blocks.len()];
    let pass = |b: BlockId, to: usize, open: &mut FastSet<ValueId>| {
        for instruction in function.blocks[b.0 as usize].instructions.iter().take(to) {
            open.extend(marked(module, instruction, Intrinsic::LifetimeStart));
            if let Some(v) = marked(module, instruction, Intrinsic::LifetimeEnd) {
                open.remove(&v);
            }
        }
    };
    open[0] = Some(FastSet::default());
    let mut work = vec![BlockId(0)];
    while let Some(b) = work.pop() {
        let mut after = open[b.0 as usize].clone().unwrap_or_default();
        pass(b, usize::MAX, &mut after);
        for next in super::block_successors(&function.blocks[b.0 as usize].terminator) {
            let there = &mut open[next.0 as usize];
            let before = there.as_ref().map(FastSet::len);
            there.get_or_insert_default().extend(after.iter().copied());
            if before != there.as_ref().map(FastSet::len) {
                work.push(next);
            }
        }
    }
    let mut here = open[block.0 as usize].take().unwrap_or_default();
    pass(block, at as usize, &mut here);
    let all = function.blocks.iter().flat_map(|b| &b.instructions);
    all.filter_map(|i| marked(module, i, Intrinsic::LifetimeStart)).filter(|v| !here.contains(v)).collect()
}

/// The blocks that every way to a block passes.
fn dominators(function: &Function) -> Vec<FastSet<usize>> {
    let n = function.blocks.len();
    let mut before = vec![Vec::new(); n];
    for (b, block) in function.blocks.iter().enumerate() {
        for s in super::block_successors(&block.terminator) {
            before[s.0 as usize].push(b);
        }
    }
    let everything: FastSet<usize> = (0..n).collect();
    let mut found = vec![everything; n];
    if n > 0 {
        found[0] = FastSet::from_iter([0]);
    }
    // A function with very many blocks is not worth the effort: nothing but itself dominates a block then.
    if n > 400 {
        return (0..n).map(|b| FastSet::from_iter([b])).collect();
    }
    loop {
        let mut changed = false;
        for b in 1..n {
            let mut all: Option<FastSet<usize>> = None;
            for p in &before[b] {
                all = Some(match all {
                    None => found[*p].clone(),
                    Some(x) => x.intersection(&found[*p]).copied().collect(),
                });
            }
            let mut all = all.unwrap_or_default();
            all.insert(b);
            if all != found[b] {
                found[b] = all;
                changed = true;
            }
        }
        if !changed {
            return found;
        }
    }
}
