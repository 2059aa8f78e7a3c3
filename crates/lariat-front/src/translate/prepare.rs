//! What the compiler's checks say, read off and taken away.
//!
//! `-fsanitize=shift-base` checks signed left shifts only, so a check tells that the shift behind it is signed, which LLVM's
//! `shl` does not. The check itself goes: the neutral `<<` has the rule, and each integer semantics makes its own of it.

use crate::module::{BinOp, BlockId, Callee, Constant, Function, Module, Op, Operand, Terminator};

/// The kind of a check's trap.
const SHIFT: u128 = 20;

pub(super) fn prepare(module: &Module) -> Module {
    let mut module = module.clone();
    let traps: Vec<u32> = module
        .functions
        .iter()
        .enumerate()
        .filter(|(_, f)| f.name == "llvm.ubsantrap")
        .map(|(n, _)| super::flat::index(n))
        .collect();
    for function in &mut module.functions {
        shifts(function, &traps);
    }
    module
}

/// The kind of trap that a block is, if it is one.
pub(super) fn trap_kind(function: &Function, block: BlockId, is_trap: impl Fn(u32) -> bool) -> Option<u128> {
    let first = function.blocks[block.0 as usize].instructions.first()?;
    match &first.op {
        Op::Call { callee: Callee::Function(f), args, .. } if is_trap(f.0) => match args.first() {
            Some(Operand::Constant(Constant::Int(_, kind))) => Some(*kind),
            _ => Some(u128::MAX),
        },
        _ => None,
    }
}

fn shifts(function: &mut Function, traps: &[u32]) {
    for b in 0..function.blocks.len() {
        let Terminator::Branch { cond: Operand::Value(cond), yes, no } = function.blocks[b].terminator else {
            continue;
        };
        if trap_kind(function, no, |f| traps.contains(&f)) != Some(SHIFT) {
            continue;
        }
        // The condition is a phi over the check of the amount, which is `true` from where the amount is out of range.
        let sources: Vec<BlockId> = function.blocks[b]
            .instructions
            .iter()
            .find(|i| i.id == cond)
            .map(|i| match &i.op {
                Op::Phi { incoming } => incoming.iter().map(|(from, _)| *from).collect(),
                _ => Vec::new(),
            })
            .unwrap_or_default();
        function.blocks[b].terminator = Terminator::Jump(yes);
        let here = BlockId(super::flat::index(b));
        for source in &sources {
            let block = &function.blocks[source.0 as usize];
            if let Terminator::Branch { yes: y, no: n, .. } = block.terminator
                && (n == here && sources.contains(&y) || y == here && sources.contains(&n))
            {
                function.blocks[source.0 as usize].terminator = Terminator::Jump(here);
            }
        }
        let shift = function.blocks[yes.0 as usize]
            .instructions
            .iter_mut()
            .find(|i| matches!(i.op, Op::Binary { op: BinOp::Shl, .. }));
        if let Some(i) = shift
            && let Op::Binary { flags, .. } = &mut i.op
        {
            flags.nsw = true;
        }
    }
}
