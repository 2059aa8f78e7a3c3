//! Which functions of a file a call through a pointer may run, as far as the file itself puts them there.
//!
//! In a file without `main` most functions whose address is taken are handed to other files, or stand in tables that these read. Taking every one of them for the callee of every call through
//! a pointer makes cycles of calls that no program has. So the value of the pointer is followed back: through local variables, choices, parameters with the arguments of all calls in the
//! file, results, and memory. What is loaded from memory was stored there: by a store in the file whose address may be the same, by the objects and by the types of
//! the source; in an initial value, at a place that the load may be of; or from outside.
//!
//! **What is not followed is stated.** Functions that leave the file and come back by a pointer from elsewhere are taken for functions from elsewhere, so are those that are stored at addresses
//! of named variables that came from elsewhere, and bytes that `memcpy` copies are taken for values of the members that they were. The verdict that rests on this says so. A program with `main` is not read like this: there, every function that fits may be called.

use super::{access_type, locals};
use crate::module::{
    AccessedBy, Callee, CastOp, Constant, DebugType, Function, FunctionId, Global, GlobalId, Instruction, Module, Op,
    Operand, Terminator, Type, TypeId, ValueId,
};
use crate::translate::prepare;
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::function::AccessType;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where functions of a file are put.
pub(super) struct Pointees<'m> {
    module: &'m Module,
    /// What is stored in memory, if that may be a function.
    stores: Vec<Stored<'m>>,
    /// The functions in initial values.
    initial: Vec<Initial>,
    /// For each function the calls of it, and all calls through pointers.
    calls: FastMap<FunctionId, Vec<(usize, &'m [Operand])>>,
    through_pointers: Vec<(usize, &'m [Operand])>,
    /// For each function the values that its local variables get.
    locals: Vec<FastMap<ValueId, Vec<&'m Operand>>>,
    /// The instructions of each function, by what they give.
    made: Vec<FastMap<ValueId, &'m Instruction>>,
    /// The functions that are called through pointers.
    taken: &'m BTreeSet<FunctionId>,
    /// The globals whose address is used for more than accesses.
    exposed: FastSet<GlobalId>,
}

/// A function in an initial value.
struct Initial {
    function: FunctionId,
    global: GlobalId,
    /// The structs around it by their names, and where it is in them.
    around: Vec<(String, u64)>,
}

/// A store.
struct Stored<'m> {
    function: usize,
    value: &'m Operand,
    cell: Cell,
}

/// Where something is in memory.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Cell {
    object: Base,
    bytes: u64,
    by: Option<Arc<AccessType>>,
}

/// Which object an address is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Base {
    /// One that this file loads from and stores to only, by its name: no other address here leads to it.
    Global(GlobalId),
    Any,
}

/// Something that may hold functions.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Node {
    Value(usize, ValueId),
    /// What a function gives back.
    Result(FunctionId),
    Memory(Cell),
}

impl<'m> Pointees<'m> {
    pub(super) fn new(module: &'m Module, taken: &'m BTreeSet<FunctionId>) -> Self {
        let count = module.functions.len();
        let mut this = Self {
            module,
            stores: Vec::new(),
            initial: Vec::new(),
            calls: FastMap::default(),
            through_pointers: Vec::new(),
            locals: (0..count).map(|_| FastMap::default()).collect(),
            made: (0..count).map(|_| FastMap::default()).collect(),
            taken,
            exposed: prepare::uses(module, module.functions.iter(), true).exposed,
        };
        for (n, global) in module.globals.iter().enumerate() {
            let id = GlobalId(super::index(n));
            if let Some(init) = &global.init {
                let ty = global.variable.as_ref().and_then(|v| v.ty);
                this.initial(id, global, ty, init);
            }
        }
        for (f, function) in module.functions.iter().enumerate() {
            this.locals[f] = variables(module, function);
            for i in function.blocks.iter().flat_map(|b| &b.instructions) {
                this.made[f].insert(i.id, i);
                if let Op::Call { callee, args, .. } = &i.op {
                    match callee {
                        Callee::Function(g) => this.calls.entry(*g).or_default().push((f, args)),
                        Callee::Pointer(_) => this.through_pointers.push((f, args)),
                        Callee::Asm(_) => {}
                    }
                }
            }
        }
        for (f, function) in module.functions.iter().enumerate() {
            for i in function.blocks.iter().flat_map(|b| &b.instructions) {
                match &i.op {
                    Op::Store { value, ptr, ty, size, align, by, .. } => {
                        let is_local = matches!(ptr, Operand::Value(p) if this.locals[f].contains_key(p));
                        if !is_local && may_hold(ty) {
                            let cell = this.cell(f, ptr, by, (ty, *size, *align));
                            this.stores.push(Stored { function: f, value, cell });
                        }
                    }
                    Op::AtomicRmw { value, ptr, size, .. } | Op::CompareExchange { new: value, ptr, size, .. } => {
                        let cell = Cell { object: this.base(f, ptr), bytes: *size, by: None };
                        this.stores.push(Stored { function: f, value, cell });
                    }
                    _ => {}
                }
            }
        }
        this
    }

    /// The functions that a call through a pointer may run; nothing if that is not known.
    pub(super) fn of(&self, function: usize, callee: &Operand) -> Option<BTreeSet<FunctionId>> {
        let mut found = BTreeSet::new();
        let mut seen: FastSet<Node> = FastSet::default();
        let mut work: Vec<Node> = Vec::new();
        Self::operand(function, callee, &mut found, &mut work)?;
        while let Some(node) = work.pop() {
            if !seen.insert(node.clone()) {
                continue;
            }
            match node {
                Node::Value(f, v) => self.value(f, v, &mut found, &mut work)?,
                Node::Result(g) => {
                    for b in &self.module.functions[g.0 as usize].blocks {
                        if let Terminator::Return(Some(value)) = &b.terminator {
                            Self::operand(g.0 as usize, value, &mut found, &mut work)?;
                        }
                    }
                }
                Node::Memory(cell) => self.memory(&cell, &mut found, &mut work)?,
            }
        }
        Some(found)
    }

    fn operand(f: usize, operand: &Operand, found: &mut BTreeSet<FunctionId>, work: &mut Vec<Node>) -> Option<()> {
        match operand {
            Operand::Value(v) => work.push(Node::Value(f, *v)),
            Operand::Constant(Constant::Function(g)) => {
                found.insert(*g);
            }
            Operand::Constant(
                Constant::Null
                | Constant::Undef(_)
                | Constant::Poison(_)
                | Constant::Zero(_)
                | Constant::Int(..)
                | Constant::Float(..)
                | Constant::Bytes(_)
                | Constant::Global(..)
                | Constant::Block(..),
            ) => {}
            Operand::Constant(
                Constant::PtrToInt(..) | Constant::IntToPtr(_) | Constant::Aggregate(..) | Constant::Opaque(..),
            ) => return None,
        }
        Some(())
    }

    /// Where a value comes from.
    fn value(&self, f: usize, v: ValueId, found: &mut BTreeSet<FunctionId>, work: &mut Vec<Node>) -> Option<()> {
        let function = &self.module.functions[f];
        let Some(i) = self.made[f].get(&v) else {
            let id = FunctionId(super::index(f));
            let n = v.0 as usize;
            let direct = self.calls.get(&id).into_iter().flatten();
            // Calls through pointers that may be of it: those with as many arguments.
            let by_pointer = self.through_pointers.iter().filter(|_| self.taken.contains(&id));
            for (caller, args) in direct.chain(by_pointer) {
                if let Some(a) = args.get(n).filter(|_| function.variadic || args.len() == function.params.len()) {
                    Self::operand(*caller, a, found, work)?;
                }
            }
            return Some(());
        };
        match &i.op {
            // The address of an object is no function.
            Op::Alloca { .. } | Op::Gep { .. } => {}
            Op::Load { ptr: Operand::Value(p), .. } if self.locals[f].contains_key(p) => {
                for value in &self.locals[f][p] {
                    Self::operand(f, value, found, work)?;
                }
            }
            Op::Load { ptr, by, size, align, .. } => {
                work.push(Node::Memory(self.cell(f, ptr, by, (&i.ty, *size, *align))));
            }
            Op::Select { yes, no, .. } => {
                Self::operand(f, yes, found, work)?;
                Self::operand(f, no, found, work)?;
            }
            Op::Phi { incoming } => {
                for (_, value) in incoming {
                    Self::operand(f, value, found, work)?;
                }
            }
            Op::Freeze { arg } => Self::operand(f, arg, found, work)?,
            Op::Cast { op: CastOp::BitCast | CastOp::AddrSpaceCast, arg, .. } => Self::operand(f, arg, found, work)?,
            Op::Call { callee: Callee::Function(g), .. } => {
                let callee = &self.module.functions[g.0 as usize];
                if callee.intrinsic.is_some() {
                    return None;
                }
                // What is not here gives back what comes from elsewhere.
                work.push(Node::Result(*g));
            }
            Op::Call { callee: Callee::Pointer(_), .. } => {
                let fits = |g: &&FunctionId| self.module.functions[g.0 as usize].result == i.ty;
                work.extend(self.taken.iter().filter(fits).map(|g| Node::Result(*g)));
            }
            _ => return None,
        }
        Some(())
    }

    /// What is in memory.
    fn memory(&self, cell: &Cell, found: &mut BTreeSet<FunctionId>, work: &mut Vec<Node>) -> Option<()> {
        for stored in &self.stores {
            if may_meet(&stored.cell, cell) {
                Self::operand(stored.function, stored.value, found, work)?;
            }
        }
        let member = cell.by.as_ref().and_then(|by| by.member.as_ref());
        for Initial { function, global, around } in &self.initial {
            let is_other = match cell.object {
                Base::Global(own) => own != *global,
                Base::Any => !self.exposed.contains(global) && !self.module.globals[global.0 as usize].external,
            };
            let is_apart = member.is_some_and(|(base, offset, _)| {
                // Names of C++ are written in another way, and a struct without a name may be any.
                let is_named = !base.starts_with("_ZTS")
                    && !tag(base).is_empty()
                    && around.iter().all(|(name, _)| !name.is_empty());
                is_named && !around.is_empty() && !around.iter().any(|(name, at)| at == offset && *name == tag(base))
            });
            if !is_other && !is_apart {
                found.insert(*function);
            }
        }
        Some(())
    }

    fn cell(&self, f: usize, ptr: &Operand, by: &AccessedBy, access: (&Type, u64, u64)) -> Cell {
        Cell { object: self.base(f, ptr), bytes: access.1, by: access_type(self.module, by, access) }
    }

    /// The object that an address is of, where that is plain.
    fn base(&self, f: usize, ptr: &Operand) -> Base {
        match ptr {
            Operand::Constant(Constant::Global(g, _)) if !self.exposed.contains(g) => Base::Global(*g),
            Operand::Constant(_) => Base::Any,
            Operand::Value(v) => match self.made[f].get(v).map(|i| &i.op) {
                Some(op @ Op::Gep { base, .. }) if locals::keeps_object(op) => self.base(f, base),
                _ => Base::Any,
            },
        }
    }

    /// Notes the functions in an initial value.
    fn initial(&mut self, id: GlobalId, global: &Global, ty: Option<TypeId>, init: &Constant) {
        let mut held: Vec<(FunctionId, Option<u64>)> = Vec::new();
        functions_in(init, Some(0), &mut held);
        for (f, at) in held {
            let around = match (ty, at) {
                (Some(ty), Some(at)) => around(self.module, ty, at, global.size),
                _ => None,
            };
            self.initial.push(Initial { function: f, global: id, around: around.unwrap_or_default() });
        }
    }
}

/// Whether values of a type may be functions, or hold some.
fn may_hold(ty: &Type) -> bool {
    !matches!(ty, Type::Void | Type::Int(..=31) | Type::Float(_))
}

/// Whether two accesses may be of the same bytes.
fn may_meet(a: &Cell, b: &Cell) -> bool {
    a.object == b.object
        && a.by.as_ref().zip(b.by.as_ref()).is_none_or(|(x, y)| x.may_meet(Some(a.bytes), y, Some(b.bytes)))
}

/// The name of a struct in the names by which memory is accessed: behind it stands a number that tells apart structs of one name.
fn tag(base: &str) -> &str {
    base.split('#').next().unwrap_or(base)
}

/// The local variables of a function that are used for plain loads and stores only, with what they get.
fn variables<'m>(module: &Module, function: &'m Function) -> FastMap<ValueId, Vec<&'m Operand>> {
    let mut found: FastMap<ValueId, Vec<&'m Operand>> = FastMap::default();
    let mut used: FastSet<ValueId> = FastSet::default();
    for i in function.blocks.iter().flat_map(|b| &b.instructions) {
        match &i.op {
            Op::Alloca { .. } => {
                found.entry(i.id).or_default();
            }
            Op::Load { ptr: Operand::Value(_), .. } => {}
            Op::Store { ptr: Operand::Value(p), value, .. } => {
                found.entry(*p).or_default().push(value);
                if let Operand::Value(v) = value {
                    used.insert(*v);
                }
            }
            op if locals::is_marker(module, op) => {}
            op => used.extend(crate::translate::operands_of(op).into_iter().filter_map(as_value)),
        }
    }
    for b in &function.blocks {
        used.extend(crate::translate::terminator_operands(&b.terminator).into_iter().filter_map(as_value));
    }
    let allocas: FastSet<ValueId> = function
        .blocks
        .iter()
        .flat_map(|b| &b.instructions)
        .filter(|i| matches!(i.op, Op::Alloca { .. }))
        .map(|i| i.id)
        .collect();
    found.retain(|v, _| allocas.contains(v) && !used.contains(v));
    found
}

fn as_value(o: &Operand) -> Option<ValueId> {
    match o {
        Operand::Value(v) => Some(*v),
        Operand::Constant(_) => None,
    }
}

/// The functions in a constant, with where they are in it as far as that is known.
fn functions_in(c: &Constant, at: Option<u64>, found: &mut Vec<(FunctionId, Option<u64>)>) {
    match c {
        Constant::Function(f) => found.push((*f, at)),
        Constant::Aggregate(ty, parts) => {
            for (n, part) in parts.iter().enumerate() {
                let offset = match ty {
                    Type::Struct(members, _) => members.get(n).map(|(offset, _)| *offset),
                    Type::Array(_, _, size) => u64::try_from(n).ok().and_then(|n| n.checked_mul(*size)),
                    _ => None,
                };
                functions_in(part, at.zip(offset).map(|(a, o)| a + o), found);
            }
        }
        Constant::Opaque(_, parts) => parts.iter().for_each(|p| functions_in(p, None, found)),
        Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => functions_in(inner, None, found),
        _ => {}
    }
}

/// The structs that hold a place of an object, with where it is in each; nothing if that is not known.
fn around(module: &Module, ty: TypeId, at: u64, size: u64) -> Option<Vec<(String, u64)>> {
    let mut found = Vec::new();
    let (mut ty, mut at, mut size) = (ty, at, size);
    loop {
        match &module.types[ty.0 as usize] {
            DebugType::Array { of, counts } => {
                let mut count: u64 = 1;
                for c in counts {
                    count = count.checked_mul((*c)?)?;
                }
                size = size.checked_div(count).filter(|s| *s > 0)?;
                at %= size;
                ty = (*of)?;
            }
            DebugType::Record { name, members, .. } => {
                found.push((name.clone(), at));
                let holds = |m: &&crate::module::Member| {
                    let from = m.offset_bits / 8;
                    from <= at && at < from + m.size_bits.div_ceil(8)
                };
                let mut inside = members.iter().filter(holds);
                // In a union several members may hold it.
                let member = inside.next().filter(|_| inside.next().is_none())?;
                at -= member.offset_bits / 8;
                size = member.size_bits.div_ceil(8);
                ty = member.ty?;
            }
            DebugType::Pointer { .. } => return Some(found),
            DebugType::Int { .. } | DebugType::Bool { .. } | DebugType::Float { .. } | DebugType::Other => return None,
        }
    }
}
