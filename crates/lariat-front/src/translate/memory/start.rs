//! What globals hold in the beginning, and the addresses of constants.

use crate::module::{Constant, Type};
use crate::translate::memory::Memory;
use crate::translate::memory::layout::{Layout, Region};
use crate::translate::points::{ObjectId, ObjectKind};
use crate::translate::state::State;
use crate::translate::values::Values;
use crate::translate::values::arith::{self, constant};
use crate::translate::{offsets_of, store_size};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{IntType, MemInit, MemUpdate};

/// What a global holds in the beginning.
#[derive(Clone, Copy)]
pub(in crate::translate) enum FirstContent<'a> {
    Bytes(&'a [u8]),
    /// What an earlier call has left there, which is an input.
    Input,
    /// What another file says.
    Elsewhere,
}

impl Memory<'_, '_> {
    /// Whether neither all objects of a region are globals whose first content is known, nor all are inputs: memory that was there
    /// before, and globals that anybody may have changed before.
    fn is_mixed(&self, region: &Region) -> bool {
        let kind = |o: &ObjectId| match self.object(*o).kind {
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

    pub(in crate::translate) fn start_global(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        id: ObjectId,
        first: FirstContent<'_>,
    ) {
        let object = self.object(id).clone();
        let bytes = match first {
            FirstContent::Bytes(bytes) => Some(bytes),
            FirstContent::Input | FirstContent::Elsewhere => None,
        };
        let input = matches!(first, FirstContent::Input);
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
                        let name = values.name_of(s.var);
                        let unknown = values.unknown(state, &name, s.ty, UnknownKind::Environment, None);
                        state.set(s.var, unknown.expr);
                        continue;
                    }
                    values.init((s.var, value));
                }
            }
            Layout::Region(n) => {
                let region = self.layout.regions[*n].clone();
                let others = self.is_mixed(&region);
                for f in &region.fields {
                    let Some(bytes) = bytes else {
                        if others || !input {
                            // One array cannot be an input in part: what is not known is then unknown to all.
                            let unknown = values.mem_unknown(state, f.mem, UnknownKind::Environment);
                            state.stores.insert(0, MemUpdate::Forget { mem: f.mem, unknown });
                        } else {
                            *values.initial_cells(f.mem) = MemInit::Any;
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
                        let unknown = values.mem_unknown(state, f.mem, UnknownKind::Abstraction);
                        state.stores.push(MemUpdate::Forget { mem: f.mem, unknown });
                    } else if others {
                        let address = self.address();
                        for (a, v) in written {
                            let (address, value) = (constant(a, address), constant(v, f.ty));
                            state.stores.push(MemUpdate::Store { mem: f.mem, address, value });
                        }
                    } else if let MemInit::Cells { cells, .. } = values.initial_cells(f.mem) {
                        cells.extend(written);
                    }
                }
            }
        }
    }

    /// The bytes of an initial value.
    pub(in crate::translate) fn bytes(&self, init: &Constant, size: u64) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(size.min(1 << 20)).unwrap_or(0)];
        self.put(init, 0, &mut bytes);
        bytes
    }

    pub(in crate::translate) fn put(&self, c: &Constant, at: usize, bytes: &mut [u8]) {
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
                for (part, offset) in parts.iter().zip(offsets_of(ty)) {
                    self.put(part, at + usize::try_from(offset).unwrap_or(0), bytes);
                }
            }
            other => {
                if let Some(value) = self.constant_address(other) {
                    let width = self.address().width;
                    let bits = arith::wrap(&value, IntType::unsigned(width));
                    number(u128::try_from(bits).unwrap_or(0), width as usize / 8);
                }
            }
        }
    }

    /// The number that a constant pointer is.
    pub(in crate::translate) fn constant_address(&self, c: &Constant) -> Option<IBig> {
        let base = |kind: ObjectKind| self.points.known(kind).map(|o| self.object(o).base.clone());
        match c {
            Constant::Null => Some(IBig::ZERO),
            Constant::Global(g, offset) => base(ObjectKind::Global(*g)).map(|b| b + IBig::from(*offset)),
            Constant::Function(f) => base(ObjectKind::Function(*f)),
            // A place in its function.
            Constant::Block(f, b) => base(ObjectKind::Function(*f))
                .map(|at| at + IBig::from(u64::from(b.0) + 1))
                .or_else(|| Some(IBig::from(u64::from(f.0) * 65_536 + u64::from(b.0) + 1))),
            Constant::PtrToInt(inner, _) => self.constant_address(inner),
            Constant::IntToPtr(inner) => match &**inner {
                Constant::Int(w, bits) => Some(arith::wrap(&IBig::from(*bits), IntType::signed((*w).max(1)))),
                other => self.constant_address(other),
            },
            _ => None,
        }
    }
}

/// Whether every part of an initial value is understood.
pub(in crate::translate) fn is_plain(c: &Constant) -> bool {
    match c {
        // What is undefined has no value that anybody could know.
        Constant::Opaque(..) | Constant::Undef(_) | Constant::Poison(_) => false,
        Constant::Aggregate(_, parts) => parts.iter().all(is_plain),
        Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => is_plain(inner),
        _ => true,
    }
}
