//! Local variables: which of them are no memory, and where one of these may not have been written yet.

use super::is_number;
use crate::intrinsic::Intrinsic;
use crate::module::{Callee, Constant, DebugType, Function, Module, Op, Operand, Type, ValueId};
use crate::translate::{block_successors, debug, operands_of, terminator_operands};
use lariat_ir::fast::{FastMap, FastSet};

/// How the local objects of a function are used.
pub(super) struct Locals {
    /// Those that are variables, with the type of their values: every use is a plain load or store of one type.
    pub promoted: FastMap<ValueId, Type>,
    /// Those that are memory, whose address is used for accesses only.
    pub private: FastSet<ValueId>,
    /// For each block, the promoted ones that may not have been written when it begins.
    pub unwritten: Vec<FastSet<ValueId>>,
}

impl Locals {
    pub(super) fn new(module: &Module, function: &Function) -> Self {
        let mut promoted: FastMap<ValueId, Option<Type>> = FastMap::default();
        let mut private: FastSet<ValueId> = FastSet::default();
        for i in function.blocks.iter().flat_map(|b| &b.instructions) {
            if let Op::Alloca { count, .. } = &i.op {
                private.insert(i.id);
                if matches!(count, Operand::Constant(Constant::Int(_, 1))) {
                    promoted.insert(i.id, None);
                }
            }
        }
        // Addresses that are made from the address of one object by adding something.
        let mut derived: FastMap<ValueId, ValueId> = private.iter().map(|v| (*v, *v)).collect();
        let mut before = 0;
        while derived.len() > before {
            before = derived.len();
            for i in function.blocks.iter().flat_map(|b| &b.instructions) {
                if let Op::Gep { base: Operand::Value(b), .. } = &i.op
                    && keeps_object(&i.op)
                    && let Some(root) = derived.get(b).copied()
                {
                    derived.insert(i.id, root);
                }
            }
        }
        let mut taken: Vec<ValueId> = Vec::new();
        for i in function.blocks.iter().flat_map(|b| &b.instructions) {
            if is_marker(module, &i.op) {
                continue;
            }
            match &i.op {
                Op::Load { ptr: Operand::Value(p), volatile: false, atomic: false, .. } => {
                    access(&mut promoted, *p, &i.ty);
                }
                Op::Store { ptr: Operand::Value(p), volatile: false, atomic: false, ty, value, .. } => {
                    access(&mut promoted, *p, ty);
                    if let Operand::Value(v) = value {
                        taken.push(*v);
                    }
                }
                Op::Load { ptr: Operand::Value(p), .. } => {
                    promoted.remove(p);
                }
                Op::Store { ptr: Operand::Value(p), value, .. } => {
                    promoted.remove(p);
                    if let Operand::Value(v) = value {
                        taken.push(*v);
                    }
                }
                Op::Gep { base: Operand::Value(b), indices, .. } => {
                    promoted.remove(b);
                    if !keeps_object(&i.op) {
                        taken.push(*b);
                    }
                    taken.extend(indices.iter().filter_map(|(o, _)| as_value(o)));
                }
                op => taken.extend(operands_of(op).into_iter().filter_map(as_value)),
            }
        }
        let ends = function.blocks.iter().flat_map(|b| terminator_operands(&b.terminator));
        taken.extend(ends.filter_map(as_value));
        // An address that another block uses than the one that makes it is a value like any other there.
        for block in &function.blocks {
            let own: FastSet<ValueId> = block.instructions.iter().map(|i| i.id).collect();
            let used = block.instructions.iter().flat_map(|i| operands_of(&i.op)).filter_map(as_value);
            taken.extend(used.filter(|v| !own.contains(v) && derived.get(v).is_some_and(|root| root != v)));
        }
        for v in taken {
            promoted.remove(&v);
            if let Some(root) = derived.get(&v) {
                private.remove(root);
            }
        }
        let promoted: FastMap<ValueId, Type> =
            promoted.into_iter().filter_map(|(v, ty)| ty.filter(is_scalar).map(|ty| (v, ty))).collect();
        private.retain(|v| !promoted.contains_key(v));
        let unwritten = unwritten(module, function, &promoted);
        Self { promoted, private, unwritten }
    }
}

/// Whether an address computation leads nowhere else than into the object that it starts from; with `-fwrapv-pointer` it may lead anywhere.
pub(super) fn keeps_object(op: &Op) -> bool {
    matches!(op, Op::Gep { flags, offset, indices, .. } if flags.inbounds || indices.is_empty() && *offset == 0)
}

fn as_value(o: &Operand) -> Option<ValueId> {
    match o {
        Operand::Value(v) => Some(*v),
        Operand::Constant(_) => None,
    }
}

fn is_scalar(ty: &Type) -> bool {
    is_number(ty) || matches!(ty, Type::Float(_))
}

/// Notes the type of an access; an object with accesses of two types is memory.
fn access(promoted: &mut FastMap<ValueId, Option<Type>>, object: ValueId, ty: &Type) {
    match promoted.get_mut(&object) {
        Some(known @ None) => *known = Some(ty.clone()),
        Some(Some(known)) if known != ty => {
            promoted.remove(&object);
        }
        _ => {}
    }
}

/// Whether an instruction only says where a variable lives.
pub(super) fn is_marker(module: &Module, op: &Op) -> bool {
    let Op::Call { callee: Callee::Function(f), .. } = op else { return false };
    matches!(
        module.functions[f.0 as usize].intrinsic,
        Some(Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd | Intrinsic::Nothing)
    )
}

/// What an instruction does to what is written: `Some((variable, true))` where it is written, `false` where its life begins or ends.
pub(super) fn written_by(module: &Module, i: &crate::module::Instruction) -> Option<(ValueId, bool)> {
    match &i.op {
        Op::Store { ptr: Operand::Value(p), .. } => Some((*p, true)),
        Op::Alloca { .. } => Some((i.id, false)),
        _ => [Intrinsic::LifetimeStart, Intrinsic::LifetimeEnd]
            .into_iter()
            .find_map(|what| debug::marked(module, i, what))
            .map(|v| (v, false)),
    }
}

/// Forwards from the entry, where nothing is written.
fn unwritten(module: &Module, function: &Function, promoted: &FastMap<ValueId, Type>) -> Vec<FastSet<ValueId>> {
    let all: FastSet<ValueId> = promoted.keys().copied().collect();
    let mut known: Vec<Option<FastSet<ValueId>>> = vec![None; function.blocks.len()];
    known[0] = Some(all);
    let mut work = vec![0];
    while let Some(b) = work.pop() {
        let mut now = known[b].clone().expect("it was reached");
        for (v, is_written) in function.blocks[b].instructions.iter().filter_map(|i| written_by(module, i)) {
            if is_written {
                now.remove(&v);
            } else if promoted.contains_key(&v) {
                now.insert(v);
            }
        }
        for to in block_successors(&function.blocks[b].terminator) {
            let to = to.0 as usize;
            let grown = match &mut known[to] {
                Some(there) => {
                    let before = there.len();
                    there.extend(now.iter().copied());
                    there.len() > before
                }
                none => {
                    *none = Some(now.clone());
                    true
                }
            };
            if grown {
                work.push(to);
            }
        }
    }
    known.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whether the source declares a variable with a signed type; nothing if it does not say.
pub(super) fn declared_sign(module: &Module, function: &Function, value: ValueId) -> Option<bool> {
    let (_, variable) = function.declares.iter().find(|(v, _)| *v == value)?;
    match module.types.get(variable.ty?.0 as usize)? {
        DebugType::Int { signed, .. } => Some(*signed),
        DebugType::Bool { .. } => Some(false),
        _ => None,
    }
}
