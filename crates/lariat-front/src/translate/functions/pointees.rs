//! Which functions of a file a call through a pointer may run, as far as the file itself puts them there.
//!
//! In a file without `main` most functions whose address is taken are handed to other files, or stand in tables that these read. Taking every one of them for the callee of every call through
//! a pointer makes cycles of calls that no program has. So the value of the pointer is followed back: through local variables, choices, parameters with the arguments of all calls in the
//! file, results, and memory. What is loaded from memory was stored there by the file, by any store whose address may be the same; or it is an initial value; or it is from outside. Types are not
//! asked, since bytes may be copied from one struct into another. What comes back from a function that is not in the file, or is given to one that somebody else may call, may be any function
//! whose address the file takes.
//!
//! **What is not followed is stated.** Functions that only other files put somewhere are taken for functions from elsewhere, and so are those that are stored at addresses
//! of named variables that came from elsewhere. The verdict that rests on this says so. A program with `main` is not read like this: there, every function that fits may be called.

use super::locals;
use crate::module::{
    Callee, CastOp, Constant, Function, FunctionId, GlobalId, Instruction, Module, Op, Operand, Terminator, Type,
    ValueId,
};
use crate::translate::prepare;
use lariat_ir::fast::{FastMap, FastSet};
use std::collections::BTreeSet;

/// Where functions of a file are put.
pub(super) struct Pointees<'m> {
    module: &'m Module,
    /// What is stored in memory, if that may be a function.
    stores: Vec<Stored<'m>>,
    /// The functions in initial values.
    initial: Vec<(FunctionId, GlobalId)>,
    /// For each function the calls of it.
    calls: FastMap<FunctionId, Vec<(usize, &'m [Operand])>>,
    /// For each function the values that its local variables get.
    locals: Vec<FastMap<ValueId, Vec<&'m Operand>>>,
    /// The instructions of each function, by what they give.
    made: Vec<FastMap<ValueId, &'m Instruction>>,
    /// The functions that are called through pointers.
    taken: &'m BTreeSet<FunctionId>,
    /// The globals whose address is used for more than accesses.
    exposed: FastSet<GlobalId>,
}

/// A store.
struct Stored<'m> {
    function: usize,
    value: &'m Operand,
    object: Base,
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
    Memory(Base),
}

impl<'m> Pointees<'m> {
    pub(super) fn new(module: &'m Module, taken: &'m BTreeSet<FunctionId>) -> Self {
        let count = module.functions.len();
        let mut this = Self {
            module,
            stores: Vec::new(),
            initial: Vec::new(),
            calls: FastMap::default(),
            locals: (0..count).map(|_| FastMap::default()).collect(),
            made: (0..count).map(|_| FastMap::default()).collect(),
            taken,
            exposed: prepare::uses(module, module.functions.iter(), true).exposed,
        };
        for (n, global) in module.globals.iter().enumerate() {
            let id = GlobalId(super::index(n));
            if let Some(init) = &global.init {
                let mut held = Vec::new();
                functions_in(init, &mut held);
                this.initial.extend(held.into_iter().map(|f| (f, id)));
            }
        }
        for (f, function) in module.functions.iter().enumerate() {
            this.locals[f] = variables(module, function);
            for i in function.blocks.iter().flat_map(|b| &b.instructions) {
                this.made[f].insert(i.id, i);
                if let Op::Call { callee: Callee::Function(g), args, .. } = &i.op {
                    this.calls.entry(*g).or_default().push((f, args));
                }
            }
        }
        // Bytes may go anywhere.
        for (f, function) in module.functions.iter().enumerate() {
            for i in function.blocks.iter().flat_map(|b| &b.instructions) {
                let in_parts = match &i.op {
                    Op::Load { ptr, .. } if i.ty != Type::Ptr => Some(ptr),
                    Op::Store { ptr, ty, .. } if *ty != Type::Ptr => Some(ptr),
                    _ => None,
                };
                if let Some(Base::Global(g)) = in_parts.map(|ptr| this.base(f, ptr)) {
                    this.exposed.insert(g);
                }
            }
        }
        for (f, function) in module.functions.iter().enumerate() {
            for i in function.blocks.iter().flat_map(|b| &b.instructions) {
                match &i.op {
                    Op::Store { value, ptr, ty, .. } => {
                        let is_local = matches!(ptr, Operand::Value(p) if this.locals[f].contains_key(p));
                        if !is_local && may_hold(ty) {
                            this.stores.push(Stored { function: f, value, object: this.base(f, ptr) });
                        }
                    }
                    Op::AtomicRmw { value, ptr, .. } | Op::CompareExchange { new: value, ptr, .. } => {
                        this.stores.push(Stored { function: f, value, object: this.base(f, ptr) });
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
                Node::Memory(object) => self.memory(object, &mut found, &mut work)?,
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
            // Whoever has its address may call it with another function of which he has the address.
            if self.taken.contains(&id) {
                return None;
            }
            let n = v.0 as usize;
            for (caller, args) in self.calls.get(&id).into_iter().flatten() {
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
            Op::Load { ptr, .. } => work.push(Node::Memory(self.base(f, ptr))),
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
                // What is not here may give back what this file gave it before, as `signal` does.
                if callee.blocks.is_empty() {
                    return None;
                }
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
    fn memory(&self, object: Base, found: &mut BTreeSet<FunctionId>, work: &mut Vec<Node>) -> Option<()> {
        for stored in self.stores.iter().filter(|s| s.object == object) {
            Self::operand(stored.function, stored.value, found, work)?;
        }
        for (function, global) in &self.initial {
            let of = &self.module.globals[global.0 as usize];
            let is_other = match object {
                Base::Global(own) => own != *global,
                // The linker makes arrays of sections.
                Base::Any => !self.exposed.contains(global) && !of.external && of.section.is_empty(),
            };
            if !is_other {
                found.insert(*function);
            }
        }
        Some(())
    }

    /// The object that an address is of, where that is plain.
    fn base(&self, f: usize, ptr: &Operand) -> Base {
        match ptr {
            Operand::Constant(Constant::Global(g, _))
                if !self.exposed.contains(g) && !self.module.globals[g.0 as usize].is_symbol() =>
            {
                Base::Global(*g)
            }
            Operand::Constant(_) => Base::Any,
            Operand::Value(v) => match self.made[f].get(v).map(|i| &i.op) {
                Some(op @ Op::Gep { base, .. }) if locals::keeps_object(op) => self.base(f, base),
                _ => Base::Any,
            },
        }
    }
}

/// Whether values of a type may be functions, or hold some.
fn may_hold(ty: &Type) -> bool {
    !matches!(ty, Type::Void | Type::Int(..=31) | Type::Float(_))
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

/// The functions in a constant.
fn functions_in(c: &Constant, found: &mut Vec<FunctionId>) {
    match c {
        Constant::Function(f) => found.push(*f),
        Constant::Aggregate(_, parts) | Constant::Opaque(_, parts) => {
            for p in parts {
                functions_in(p, found);
            }
        }
        Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => functions_in(inner, found),
        _ => {}
    }
}
