//! The loops of the source that an entry's graph holds, and which of them each point lies in.
//!
//! A loop of a function is a cyclic component of its blocks; its header is the block at which it is entered, and the components of
//! the rest are the loops inside, as in `lariat_ir::loops`. A point of an instance lies in the loops of its block, then in those
//! around the call that the instance is. So a run that stays in a loop of the source, calls included, stays in points within it.
//!
//! Control comes back to a call that returns twice from anywhere, so each block of such a function leads there.

use super::flat::{InstanceId, Point, index};
use super::{Context, block_successors, span_of};
use crate::module::{Block, BlockId, Function, FunctionId, Module, Op};
use lariat_ir::fast::FastMap;
use lariat_ir::graph::components;
use lariat_ir::{IdVec, LoopCopy, LoopKey, SourceId, SourceKind, SourceLoop, Span};
use std::collections::BTreeMap;

/// The loops of the source in all instances.
pub(super) struct Sources {
    pub list: IdVec<SourceId, SourceLoop>,
    /// The innermost loop of a block.
    blocks: FastMap<(InstanceId, BlockId), SourceId>,
    /// What is around all of an instance: the recursion that it is, or the loop that the call lies in.
    instances: Vec<Option<SourceId>>,
}

/// A loop of a function.
pub(super) struct OwnLoop {
    pub header: BlockId,
    pub body: Vec<BlockId>,
    /// The loop around it, by its number in the list.
    pub parent: Option<usize>,
    pub span: Option<Span>,
    pub ordinal: u32,
}

impl Sources {
    pub(super) fn new(cx: &Context<'_>) -> Self {
        let flat = cx.flat;
        let mut found = Self { list: IdVec::new(), blocks: FastMap::default(), instances: Vec::new() };
        let mut own: FastMap<FunctionId, Vec<OwnLoop>> = FastMap::default();
        // An instance stands behind the one that it is called from.
        for id in flat.ids() {
            let instance = flat.instance(id);
            let function = flat.function(id);
            let mut around = instance.parent.and_then(|call| found.at(call));
            if !instance.recursions.is_empty() {
                let span = cx.span(function.place);
                around = Some(found.push(id, function, (SourceKind::Recursion, span, 0), around));
            }
            found.instances.push(around);
            let loops = own.entry(instance.function).or_insert_with(|| loops_of(flat.module, function));
            let mut ids: Vec<SourceId> = Vec::new();
            for l in loops {
                let parent = l.parent.map(|p| ids[p]).or(around);
                let source = found.push(id, function, (SourceKind::Loop, l.span.clone(), l.ordinal), parent);
                ids.push(source);
                // Inner loops come later.
                found.blocks.extend(l.body.iter().map(|b| ((id, *b), source)));
            }
        }
        found
    }

    fn push(
        &mut self,
        id: InstanceId,
        function: &Function,
        (kind, span, ordinal): (SourceKind, Option<Span>, u32),
        parent: Option<SourceId>,
    ) -> SourceId {
        let key = LoopKey { span, function: function.name.clone(), kind, ordinal };
        self.list.push(SourceLoop { copy: LoopCopy { key, instance: id.0 }, parent })
    }

    /// The innermost loop of the source at a point.
    pub(super) fn at(&self, p: Point) -> Option<SourceId> {
        let of_block = if p.index == Point::RETURN { None } else { self.blocks.get(&(p.instance, p.block)).copied() };
        of_block.or_else(|| self.instances[p.instance.0 as usize])
    }
}

/// The loops of a function, each behind the one around it.
pub(super) fn loops_of(module: &Module, function: &Function) -> Vec<OwnLoop> {
    let is_twice = |b: &Block| b.instructions.iter().any(|i| matches!(i.op, Op::Call { returns_twice: true, .. }));
    let twice: Vec<usize> = (0..function.blocks.len()).filter(|b| is_twice(&function.blocks[*b])).collect();
    let next: Vec<Vec<usize>> = function
        .blocks
        .iter()
        .map(|b| block_successors(&b.terminator).iter().map(|to| to.0 as usize).chain(twice.iter().copied()).collect())
        .collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (from, to) in next.iter().enumerate().flat_map(|(from, all)| all.iter().map(move |to| (from, *to))) {
        before[to].push(from);
    }
    let mut found: Vec<OwnLoop> = Vec::new();
    let mut open: Vec<(Vec<usize>, Option<usize>)> = vec![((0..next.len()).collect(), None)];
    while let Some((region, parent)) = open.pop() {
        let place: FastMap<usize, usize> = region.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let inside = |i: usize| next[region[i]].iter().filter_map(|to| place.get(to).copied()).collect::<Vec<_>>();
        let mut bodies: Vec<Vec<usize>> = components(region.len(), inside)
            .into_iter()
            .filter(|c| c.cyclic)
            .map(|c| c.nodes.into_iter().map(|i| region[i]).collect())
            .collect();
        bodies.sort();
        for body in bodies {
            let is_entered = |b: usize| b == 0 || before[b].iter().any(|from| body.binary_search(from).is_err());
            let header = body.iter().copied().find(|b| is_entered(*b)).unwrap_or(body[0]);
            let rest = body.iter().copied().filter(|b| *b != header).collect();
            let block = |b: usize| BlockId(index(b));
            let span = header_span(module, function, (header, &body));
            let body = body.into_iter().map(block).collect();
            found.push(OwnLoop { header: block(header), body, parent, span, ordinal: 0 });
            open.push((rest, Some(found.len() - 1)));
        }
    }
    number(&mut found);
    found
}

/// Numbers the loops of one place in the order of their headers.
fn number(loops: &mut [OwnLoop]) {
    let mut order: Vec<usize> = (0..loops.len()).collect();
    order.sort_by_key(|l| loops[*l].header);
    let mut count: BTreeMap<Option<Span>, u32> = BTreeMap::new();
    for l in order {
        let next = count.entry(loops[l].span.clone()).or_default();
        loops[l].ordinal = *next;
        *next += 1;
    }
}

/// Where a loop stands: where the compiler says that it does, else at its header's first instruction with a place.
fn header_span(module: &Module, function: &Function, (header, body): (usize, &[usize])) -> Option<Span> {
    let leads_there = |b: &&Block| block_successors(&b.terminator).iter().any(|to| to.0 as usize == header);
    let mut latches = body.iter().map(|b| &function.blocks[*b]).filter(leads_there);
    let said = latches.find_map(|b| b.loop_place);
    let block = &function.blocks[header];
    let places = block.instructions.iter().map(|i| i.place).chain([block.place, function.place]);
    span_of(module, said.or_else(|| places.flatten().find(|p| p.line > 0)))
}
