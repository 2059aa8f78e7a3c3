//! The first location of a program: what holds in the beginning, and what a verdict on it does not cover.

use super::arith::{self, Sym, constant};
use super::build::{Builder, Next, State};
use super::flat::{InstanceId, index};
use super::layout::{Layout, Size};
use super::points::{ObjectKind, Targets};
use super::{leaves_of, store_size};
use crate::module::{Constant, FunctionId, Op, Type, ValueId};
use dashu_int::IBig;
use lariat_ir::fast::FastSet;
use lariat_ir::neutral::{Expr, IntType, Location, MemInit, MemUpdate, Origin};
use lariat_ir::{Obligation, UnknownKind};
use std::collections::BTreeSet;

impl Builder<'_, '_> {
    /// Functions that are called from outside, when and as often as it likes, are not in the graph; so their loops, and
    /// with them the end of the program, are open.
    pub(super) fn callbacks(&mut self) {
        let module = self.cx.flat.module;
        // What such a function knows of it may hand over in turn.
        let all_from = |mut found: BTreeSet<FunctionId>| {
            let mut work: Vec<FunctionId> = found.iter().copied().collect();
            while let Some(f) = work.pop() {
                for g in super::handlers::called(module, f) {
                    let more = super::flat::mentioned_in(&module.functions[g.0 as usize]);
                    work.extend(more.into_iter().filter(|m| found.insert(*m)));
                }
            }
            found
        };
        let mut given = self.handed_over.clone();
        if self.cx.whole {
            given.extend(self.cx.destructors.iter().copied());
        }
        // What may run when the program ends: nobody else has got its address to register it.
        let late = all_from(given);
        let escaped = self.points.escaped.iter().filter_map(|o| match self.points.objects[o.0 as usize] {
            ObjectKind::Function(f) => Some(f),
            _ => None,
        });
        let mut found = all_from(escaped.collect());
        found.extend(&late);
        for f in found {
            let function = &module.functions[f.0 as usize];
            if function.blocks.is_empty() {
                continue;
            }
            let text = if has_cycle(module, f, &mut FastSet::default()) {
                format!("the loops of `{}`, which is called from outside the program", function.shown())
            } else if late.contains(&f) && super::handlers::registers_at_exit(module, self.cx.table, f) {
                // One that registers itself is run, and registers itself, for ever.
                format!(
                    "`{}`, which is called from outside the program and registers what runs at exit",
                    function.shown()
                )
            } else {
                continue;
            };
            let span = self.span(function.place);
            self.program.obligations.push(Obligation { text, span });
        }
    }

    /// A call gets the addresses of functions, and may call them, then or later.
    pub(super) fn hand_over(&mut self, targets: &Targets) {
        for o in targets.0.keys() {
            if let ObjectKind::Function(f) = self.points.objects[o.0 as usize] {
                self.handed_over.insert(f);
            }
        }
    }

    /// The first location: globals have their values, everything else is unknown.
    pub(super) fn start(&mut self) {
        let root = self.cx.flat.entry(InstanceId(0));
        let mut state = self.fresh_state(root);
        let mut any_outside = false;
        for id in 0..self.memory.objects.len() {
            let object = self.memory.objects[id].clone();
            let number = super::points::ObjectId(index(id));
            match object.kind {
                ObjectKind::Global(g) => {
                    let global = &self.cx.flat.module.globals[g.0 as usize];
                    let kept = !self.cx.known_outside.contains(&g) && !self.cx.stored_outside.contains(&g);
                    let known = global.constant || kept || self.cx.whole;
                    let bytes = match &global.init {
                        Some(init) if known && is_plain(init) => Some(self.bytes(init, global.size)),
                        // Elsewhere, or by an earlier call, it may have been given any value.
                        _ => None,
                    };
                    if let Size::Var(v) = object.size {
                        // As large as the other file says.
                        let ty = self.address();
                        let range = Some((IBig::ZERO, IBig::from(1 << 20)));
                        let size = self.unknown(&mut state, "size", ty, UnknownKind::Environment, range);
                        state.set(v, size.expr);
                    }
                    // The state at the call of a function is its input; what another file says is not.
                    let input = !known && !global.constant;
                    self.start_global(&mut state, number, bytes.as_deref(), input);
                }
                ObjectKind::Outside => {
                    if let Layout::Region(n) = object.layout {
                        any_outside = true;
                        for f in self.memory.regions[n].fields.clone() {
                            self.program.mems[f.mem].init = MemInit::Any;
                        }
                    } else if let Layout::Scalars(list) = &object.layout {
                        for s in list {
                            self.program.init.push((s.var, None));
                        }
                    }
                    if let Some(v) = self.memory.outside_size {
                        self.program.init.push((v, None));
                    }
                }
                ObjectKind::Library(..) => {
                    if matches!(object.layout, Layout::Scalars(_)) {
                        self.forget(&mut state, number, UnknownKind::Environment);
                    }
                }
                _ => {}
            }
        }
        // Memory of the stack, the heap and the library has some content that nobody knows.
        for n in 0..self.memory.regions.len() {
            let region = self.memory.regions[n].clone();
            let of = |o: &super::points::ObjectId| self.memory.object(*o).kind;
            let outside = region.objects.iter().any(|o| of(o) == ObjectKind::Outside);
            let unknown = region.objects.iter().any(|o| !matches!(of(o), ObjectKind::Global(_) | ObjectKind::Outside));
            if unknown && !outside {
                for f in &region.fields {
                    let forgotten = self.mem_unknown(&state, f.mem, UnknownKind::Environment);
                    state.stores.insert(0, MemUpdate::Forget { mem: f.mem, unknown: forgotten });
                }
            }
        }
        if any_outside {
            self.assume(&mut state, "memory that was there before is one object, and as large as it is used", None);
        }
        let function = self.cx.flat.function(InstanceId(0));
        state.site = function.place.filter(|p| p.line > 0).map(super::build::site);
        let is_main = function.name == "main" && self.cx.whole;
        for (n, p) in function.params.iter().enumerate() {
            let value = self.cx.flat.value(InstanceId(0), ValueId(index(n)));
            let leaves = leaves_of(&p.ty);
            for (_, leaf) in &leaves {
                let variable = function
                    .declares
                    .iter()
                    .chain(&function.values)
                    .map(|(_, v)| v)
                    .find(|v| v.argument as usize == n + 1);
                let name = variable.map_or_else(|| format!("argument {}", n + 1), |v| v.name.clone());
                let ty = self.leaf_type(InstanceId(0), ValueId(index(n)), leaf);
                let vector = (is_main && n == 1 && *leaf == Type::Ptr).then(|| self.vector_address()).flatten();
                let range = (is_main && n == 0 && ty.width >= 8)
                    .then(|| (IBig::from(1), IntType::signed(ty.width).range().1))
                    .or_else(|| (*leaf == Type::Ptr).then(|| ty.range()));
                // What lies behind a third parameter is not followed.
                let kind = if is_main && n > 1 { UnknownKind::Environment } else { UnknownKind::Input };
                let unknown = match vector {
                    // The vector lies where memory from before begins.
                    Some(v) => arith::Num::constant(v, ty),
                    None => self.unknown(&mut state, &name, ty, kind, range),
                };
                if matches!(leaf, Type::Float(_)) {
                    self.note_float(&unknown);
                }
                if let Expr::Unknown(u) = unknown.expr {
                    let name = name.clone();
                    let size = || super::debug::pointee_size(self.cx.flat.module, variable.and_then(|v| v.ty));
                    let pointer = (*leaf == Type::Ptr).then(size);
                    self.program.unknowns[u].origin = Some(Origin::Parameter { number: n, name, pointer });
                }
                let sym = Sym::Num(unknown);
                if leaves.len() == 1 {
                    state.env.insert(value, sym);
                } else {
                    match state.env.entry(value).or_insert_with(|| Sym::Aggregate(Vec::new())) {
                        Sym::Aggregate(parts) => parts.push(sym),
                        _ => unreachable!("it was made as an aggregate"),
                    }
                }
            }
        }
        self.start_streams(&mut state);
        let mut location = Location::new(self.loc_names.unused("start"), Vec::new());
        location.span = self.span(function.place);
        location.function = Some(function.shown().to_owned());
        self.program.locs.push(location);
        self.program.entry = 0;
        self.cases.clear();
        let mut short = Vec::new();
        if is_main && !function.params.is_empty() {
            self.assume(&mut state, "the program is called with its name: `argc` is at least 1", None);
            short = self.command_lines(&mut state);
        }
        let before = std::mem::take(&mut self.cases);
        if short.is_empty() {
            // The first piece goes on from here, unless control comes back to the entry.
            self.jump(state, root);
        } else {
            self.push(state, Next::Go(root));
            self.push_all(short.into_iter().map(|s| (s, Next::Go(root))).collect());
        }
        self.ways(root, 0);
        let cases = &mut self.program.locs[0].cases;
        cases.splice(0..0, before);
    }

    /// Whether neither all objects of a region are globals whose first content is known, nor all are inputs: memory that was there
    /// before, and globals that anybody may have changed before.
    pub(super) fn is_mixed(&self, region: &super::layout::Region) -> bool {
        let kind = |o: &super::points::ObjectId| match self.memory.object(*o).kind {
            ObjectKind::Global(g) => {
                let global = &self.cx.flat.module.globals[g.0 as usize];
                let kept = !self.cx.known_outside.contains(&g) && !self.cx.stored_outside.contains(&g);
                let known = global.constant || kept || self.cx.whole;
                Some((known, !known || global.init.as_ref().is_some_and(is_plain)))
            }
            ObjectKind::Outside if !self.cx.whole => Some((false, true)),
            _ => None,
        };
        let first = region.objects.first().and_then(kind);
        first.is_none() || region.objects.iter().any(|o| kind(o) != first)
    }

    pub(super) fn start_global(
        &mut self,
        state: &mut State,
        id: super::points::ObjectId,
        bytes: Option<&[u8]>,
        input: bool,
    ) {
        let object = self.memory.object(id).clone();
        let number = |from: i64, size: u64, bytes: &[u8]| {
            let from = usize::try_from(from).unwrap_or(usize::MAX);
            let mut sum = IBig::ZERO;
            for i in 0..usize::try_from(size).unwrap_or(0) {
                sum += IBig::from(bytes.get(from.saturating_add(i)).copied().unwrap_or(0)) << (8 * i);
            }
            sum
        };
        match &object.layout {
            Layout::Scalars(list) => {
                for s in list {
                    let value = bytes.map(|b| arith::wrap(&number(s.offset, s.size, b), s.ty));
                    if value.is_none() && !input {
                        let name = self.program.vars[s.var].0.clone();
                        let unknown = self.unknown(state, &name, s.ty, UnknownKind::Environment, None);
                        state.set(s.var, unknown.expr);
                        continue;
                    }
                    self.program.init.push((s.var, value));
                }
            }
            Layout::Region(n) => {
                let region = self.memory.regions[*n].clone();
                let others = self.is_mixed(&region);
                for f in &region.fields {
                    let Some(bytes) = bytes else {
                        if others || !input {
                            // One array cannot be an input in part: what is not known is then unknown to all.
                            let unknown = self.mem_unknown(state, f.mem, UnknownKind::Environment);
                            state.stores.insert(0, MemUpdate::Forget { mem: f.mem, unknown });
                        } else {
                            self.program.mems[f.mem].init = MemInit::Any;
                        }
                        continue;
                    };
                    let size = bytes.len() as u64;
                    let mut at = f.first;
                    let step = if region.bytes {
                        1
                    } else if region.stride > 0 {
                        region.stride
                    } else {
                        i64::MAX / 4
                    };
                    let mut written = Vec::new();
                    while u64::try_from(at).is_ok_and(|a| a + f.size <= size) {
                        let value = arith::wrap(&number(at, f.size, bytes), f.ty);
                        if value != IBig::ZERO || others {
                            written.push((&object.base + IBig::from(at), value));
                        }
                        at += step;
                    }
                    if written.len() > 600 {
                        // A long table is not written down: its content is forgotten.
                        let unknown = self.mem_unknown(state, f.mem, UnknownKind::Abstraction);
                        state.stores.push(MemUpdate::Forget { mem: f.mem, unknown });
                    } else if others {
                        let address = self.address();
                        for (a, v) in written {
                            let (address, value) = (constant(a, address), constant(v, f.ty));
                            state.stores.push(MemUpdate::Store { mem: f.mem, address, value });
                        }
                    } else if let MemInit::Cells { cells, .. } = &mut self.program.mems[f.mem].init {
                        cells.extend(written);
                    }
                }
            }
        }
    }

    /// The bytes of an initial value.
    pub(super) fn bytes(&self, init: &Constant, size: u64) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(size.min(1 << 20)).unwrap_or(0)];
        self.put(init, 0, &mut bytes);
        bytes
    }

    pub(super) fn put(&self, c: &Constant, at: usize, bytes: &mut [u8]) {
        let mut number = |value: u128, n: usize| {
            for (i, b) in value.to_le_bytes().iter().take(n).enumerate() {
                if let Some(slot) = bytes.get_mut(at + i) {
                    *slot = *b;
                }
            }
        };
        match c {
            Constant::Int(width, value) => number(*value, (*width as usize).div_ceil(8)),
            Constant::Float(kind, value) => {
                number(*value, usize::try_from(store_size(&Type::Float(*kind), self.cx.flat.module)).unwrap_or(0));
            }
            Constant::Bytes(list) => {
                for (i, b) in list.iter().enumerate() {
                    if let Some(slot) = bytes.get_mut(at + i) {
                        *slot = *b;
                    }
                }
            }
            Constant::Aggregate(ty, parts) => {
                for (part, offset) in parts.iter().zip(super::offsets_of(ty)) {
                    self.put(part, at + usize::try_from(offset).unwrap_or(0), bytes);
                }
            }
            other => {
                if let Some(value) = self.constant_address(other) {
                    let width = self.program.address.width;
                    let bits = arith::wrap(&value, IntType::unsigned(width));
                    number(u128::try_from(bits).unwrap_or(0), width as usize / 8);
                }
            }
        }
    }

    /// The number that a constant pointer is.
    pub(super) fn constant_address(&self, c: &Constant) -> Option<IBig> {
        let base = |kind: ObjectKind| self.points.known(kind).map(|o| self.memory.object(o).base.clone());
        match c {
            Constant::Null => Some(IBig::ZERO),
            Constant::Global(g, offset) => base(ObjectKind::Global(*g)).map(|b| b + IBig::from(*offset)),
            Constant::Function(f) => base(ObjectKind::Function(*f)),
            Constant::Block(f, b) => Some(IBig::from(u64::from(f.0) * 65_536 + u64::from(b.0) + 1)),
            Constant::PtrToInt(inner, _) => self.constant_address(inner),
            Constant::IntToPtr(inner) => match &**inner {
                Constant::Int(w, bits) => Some(arith::wrap(&IBig::from(*bits), IntType::signed((*w).max(1)))),
                other => self.constant_address(other),
            },
            _ => None,
        }
    }
}

/// Whether a function, or one that it calls, may go round; a call that is not known may.
pub(super) fn has_cycle(module: &crate::module::Module, f: FunctionId, seen: &mut FastSet<FunctionId>) -> bool {
    if !seen.insert(f) {
        return true;
    }
    let function = &module.functions[f.0 as usize];
    let back = function
        .blocks
        .iter()
        .enumerate()
        .any(|(b, block)| super::block_successors(&block.terminator).iter().any(|to| to.0 as usize <= b));
    let calls = function.blocks.iter().flat_map(|b| &b.instructions).any(|i| match &i.op {
        Op::Call { callee: crate::module::Callee::Function(g), .. } => {
            !module.functions[g.0 as usize].blocks.is_empty() && has_cycle(module, *g, seen)
        }
        Op::Call { callee: crate::module::Callee::Pointer(_), .. } => true,
        _ => false,
    });
    seen.remove(&f);
    back || calls
}

/// Whether every part of an initial value is understood.
pub(super) fn is_plain(c: &Constant) -> bool {
    match c {
        // What is undefined has no value that anybody could know.
        Constant::Opaque(_) | Constant::Undef(_) | Constant::Poison(_) => false,
        Constant::Aggregate(_, parts) => parts.iter().all(is_plain),
        Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => is_plain(inner),
        _ => true,
    }
}
