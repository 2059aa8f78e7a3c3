//! Which values are used after a point, so that they must be stored where a piece ends.

use crate::module::{BlockId, Function, Op, Operand, ValueId};
use crate::translate::flat::{FlatValue, InstanceId, Point, index};
use crate::translate::values::Values;
use crate::translate::{block_successors, operands_of, terminator_operands};
use lariat_ir::fast::FastSet;
use std::rc::Rc;

impl Values<'_, '_> {
    /// The values that are used at or after a point.
    pub(in crate::translate) fn live_at(&mut self, at: Point) -> Vec<(FlatValue, InstanceId, ValueId)> {
        let mut found = Vec::new();
        let returns = at.index == Point::RETURN;
        let mut point = if returns { self.cx.flat.instance(at.instance).parent } else { Some(at) };
        let mut after_call = returns;
        while let Some(p) = point {
            let mut live: FastSet<ValueId> = if after_call {
                let next = self.cx.flat.after_call(p);
                let mut live = if next.block == p.block {
                    self.live_before(next)
                } else {
                    // Behind an `invoke`: with what the phis of the next blocks take.
                    self.live_after(p)
                };
                if let Some(i) = self.cx.flat.instruction(p) {
                    live.remove(&i.id);
                }
                live
            } else {
                self.live_before(p)
            };
            let mut list: Vec<ValueId> = live.drain().collect();
            list.sort_unstable();
            found.extend(list.into_iter().map(|v| (self.cx.flat.value(p.instance, v), p.instance, v)));
            point = self.cx.flat.instance(p.instance).parent;
            after_call = true;
        }
        found
    }

    fn live_after(&mut self, at: Point) -> FastSet<ValueId> {
        let f = self.cx.flat.instance(at.instance).function;
        let function = self.cx.flat.function(at.instance);
        let live_in = Rc::clone(self.liveness.entry(f).or_insert_with(|| Rc::new(liveness(function))));
        live_out(function, at.block, &live_in)
    }

    fn live_before(&mut self, at: Point) -> FastSet<ValueId> {
        let f = self.cx.flat.instance(at.instance).function;
        let function = self.cx.flat.function(at.instance);
        let live_in = Rc::clone(self.liveness.entry(f).or_insert_with(|| Rc::new(liveness(function))));
        let block = &function.blocks[at.block.0 as usize];
        let phis = block.instructions.iter().take_while(|i| matches!(i.op, Op::Phi { .. })).count();
        if at.index as usize <= phis {
            return live_in[at.block.0 as usize].clone();
        }
        let mut live = live_out(function, at.block, &live_in);
        backwards(block, at.index as usize, &mut live);
        live
    }
}

/// The values that are used at or after the start of each block, behind its phis.
fn liveness(function: &Function) -> Vec<FastSet<ValueId>> {
    let n = function.blocks.len();
    let mut live: Vec<FastSet<ValueId>> = vec![FastSet::default(); n];
    loop {
        let mut changed = false;
        for b in (0..n).rev() {
            let mut now = live_out(function, BlockId(index(b)), &live);
            let block = &function.blocks[b];
            let phis = block.instructions.iter().take_while(|i| matches!(i.op, Op::Phi { .. })).count();
            backwards(block, phis, &mut now);
            if now.len() != live[b].len() {
                live[b] = now;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}

fn live_out(function: &Function, block: BlockId, live_in: &[FastSet<ValueId>]) -> FastSet<ValueId> {
    let mut out = FastSet::default();
    for next in block_successors(&function.blocks[block.0 as usize].terminator) {
        let to = &function.blocks[next.0 as usize];
        let mut there = live_in[next.0 as usize].clone();
        for instruction in &to.instructions {
            let Op::Phi { incoming } = &instruction.op else { break };
            there.remove(&instruction.id);
            for (from, operand) in incoming {
                if let (true, Operand::Value(v)) = (*from == block, operand) {
                    out.insert(*v);
                }
            }
        }
        out.extend(there);
    }
    out
}

/// Goes from the end of a block back to a position.
fn backwards(block: &crate::module::Block, to: usize, live: &mut FastSet<ValueId>) {
    let note = |operand: &Operand, live: &mut FastSet<ValueId>| {
        if let Operand::Value(v) = operand {
            live.insert(*v);
        }
    };
    for o in terminator_operands(&block.terminator) {
        note(o, live);
    }
    for instruction in block.instructions.iter().skip(to).rev() {
        live.remove(&instruction.id);
        for o in operands_of(&instruction.op) {
            note(o, live);
        }
    }
}
