//! Memory in bulk: copies, fills, new objects and freed ones.

use crate::models::Content;
use crate::translate::build::Builder;
use crate::translate::flat::Point;
use crate::translate::memory::Memory;
use crate::translate::memory::access::Access;
use crate::translate::memory::collect::shift;
use crate::translate::memory::layout::{Layout, Life, Size};
use crate::translate::memory::lives::Presence;
use crate::translate::points::{ObjectKind, Offsets, Targets, gcd};
use crate::translate::state::{Split, State};
use crate::translate::values::arith::{Num, and, cmp, constant, ite, or, truth};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{CmpOp, Cond, Expr, IntType, MemUpdate};

/// How many pieces a copy is written out with.
const PIECES: usize = 160;

impl Memory<'_, '_> {
    /// The condition that so many bytes from a pointer on are in one object that is there.
    pub(in crate::translate) fn range_valid(
        &self,
        state: &State,
        pointer: &Expr,
        targets: &Targets,
        size: &Expr,
    ) -> Result<Cond, Split> {
        let ty = self.address();
        let mut valid = cmp(CmpOp::Eq, ty, size.clone(), constant(0, ty));
        for (id, offsets) in self.points.expand(targets).0 {
            let object = self.object(id);
            if matches!(object.kind, ObjectKind::Function(_)) {
                continue;
            }
            match (&offsets, pointer, &object.many) {
                (_, Expr::Const(p, _), None) => {
                    let offset = i64::try_from(p - &object.base).unwrap_or(-1);
                    valid = or(valid, self.inside(state, object, pointer, Some(offset), size)?);
                }
                (Offsets::Exact(list), ..) => {
                    for o in list {
                        valid = or(valid, self.inside(state, object, pointer, Some(*o), size)?);
                    }
                }
                _ => valid = or(valid, self.inside(state, object, pointer, None, size)?),
            }
        }
        Ok(valid)
    }

    /// Where fields are in the next `size` bytes from any of these pointers: distance and size. Nothing if there are too many.
    pub(in crate::translate) fn pieces(&self, targets: &Targets, pointer: &Expr, size: u64) -> Option<Vec<(u64, u64)>> {
        let mut all = Vec::new();
        let end = i64::try_from(size).ok()?;
        for (id, offsets) in self.points.expand(targets).0 {
            let object = self.object(id);
            let offsets = match (pointer, &object.many) {
                (Expr::Const(p, _), None) => Offsets::Exact(vec![i64::try_from(p - &object.base).ok()?]),
                _ => offsets,
            };
            match &object.layout {
                Layout::Scalars(scalars) => {
                    let Offsets::Exact(starts) = &offsets else { return None };
                    for start in starts {
                        for s in scalars {
                            let d = s.offset - start;
                            let last = d + i64::try_from(s.size).ok()?;
                            if d >= 0 && last <= end {
                                all.push((u64::try_from(d).ok()?, s.size));
                            } else if last > 0 && d < end {
                                // A part of it only.
                                return None;
                            }
                        }
                    }
                }
                Layout::Region(n) => {
                    let region = &self.layout.regions[*n];
                    if region.bytes {
                        if size > PIECES as u64 {
                            return None;
                        }
                        all.extend((0..size).map(|d| (d, 1)));
                        continue;
                    }
                    let (starts, step) = match &offsets {
                        Offsets::Exact(list) => (list.clone(), region.stride),
                        Offsets::Class { first, stride } => (vec![*first], gcd(*stride, region.stride)),
                    };
                    if matches!(offsets, Offsets::Class { .. }) && step < region.stride {
                        return None;
                    }
                    for f in &region.fields {
                        for start in &starts {
                            let size = i64::try_from(f.size).ok()?;
                            let mut d = f.first - start;
                            if step > 0 {
                                // The one before the first that starts within may reach into it.
                                d = d.rem_euclid(step) - step;
                            }
                            loop {
                                if d >= 0 && d + size <= end {
                                    all.push((u64::try_from(d).ok()?, f.size));
                                } else if d + size > 0 && d < end {
                                    return None;
                                }
                                d += step;
                                if step == 0 || d >= end || all.len() > PIECES {
                                    break;
                                }
                            }
                        }
                    }
                }
            }
            if all.len() > PIECES {
                return None;
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }
}

impl Builder<'_, '_> {
    /// Copies bytes; whether anything follows.
    pub(in crate::translate) fn copy(
        &mut self,
        state: &mut State,
        (to, to_targets): (&Expr, &Targets),
        (from, from_targets): (&Expr, &Targets),
        size: u64,
    ) -> Result<bool, Split> {
        if size == 0 {
            return Ok(true);
        }
        let there = self.memory.range_valid(state, to, to_targets, &constant(size, self.memory.address()))?;
        self.copy_where(state, there, (to, to_targets), (from, from_targets), size)
    }

    /// Copies bytes to an object that this instruction makes; whether anything follows. That the object is there is not asked:
    /// the memory that says so has not changed yet.
    pub(in crate::translate) fn copy_to_new(
        &mut self,
        state: &mut State,
        to: (&Expr, &Targets),
        from: (&Expr, &Targets),
        size: u64,
    ) -> Result<bool, Split> {
        if size == 0 {
            return Ok(true);
        }
        self.copy_where(state, truth(true), to, from, size)
    }

    fn copy_where(
        &mut self,
        state: &mut State,
        there: Cond,
        (to, to_targets): (&Expr, &Targets),
        (from, from_targets): (&Expr, &Targets),
        size: u64,
    ) -> Result<bool, Split> {
        let n = constant(size, self.memory.address());
        let valid = and(there, self.memory.range_valid(state, from, from_targets, &n)?);
        let Some(pieces) = self.memory.pieces(to_targets, to, size) else {
            if !self.is_valid(state, &[to_targets, from_targets], valid) {
                return Ok(false);
            }
            self.memory.forget_all(&mut self.values, state, to_targets, UnknownKind::Abstraction);
            return Ok(true);
        };
        let mut values = Vec::new();
        for (d, s) in &pieces {
            let at = self.memory.add_address(from.clone(), *d);
            let moved = shift(from_targets, *d);
            let resolved =
                self.memory.resolve(state, Access { pointer: &at, targets: &moved, size: *s, align: 1, ty: None })?;
            values.push(self.memory.read(&mut self.values, state, &resolved, *s)?);
        }
        if !self.is_valid(state, &[to_targets, from_targets], valid) {
            return Ok(false);
        }
        for ((d, s), value) in pieces.iter().zip(values) {
            let at = self.memory.add_address(to.clone(), *d);
            let moved = shift(to_targets, *d);
            let resolved =
                self.memory.resolve(state, Access { pointer: &at, targets: &moved, size: *s, align: 1, ty: None })?;
            self.memory.write(&mut self.values, state, &resolved, *s, &value)?;
        }
        Ok(true)
    }

    /// Writes the same byte so many times; whether anything follows.
    pub(in crate::translate) fn fill(
        &mut self,
        state: &mut State,
        (to, targets): (&Expr, &Targets),
        byte: &Num,
        size: u64,
    ) -> Result<bool, Split> {
        if size == 0 {
            return Ok(true);
        }
        let n = constant(size, self.memory.address());
        let valid = self.memory.range_valid(state, to, targets, &n)?;
        if !self.is_valid(state, &[targets], valid) {
            return Ok(false);
        }
        let Some(pieces) = self.memory.pieces(targets, to, size) else {
            self.memory.forget_all(&mut self.values, state, targets, UnknownKind::Abstraction);
            return Ok(true);
        };
        let one = byte.to(IntType::unsigned(8));
        for (d, s) in &pieces {
            let width = u32::try_from(s * 8).unwrap_or(8);
            let ty = IntType::unsigned(width);
            let value = match &one {
                Expr::Const(b, _) => {
                    let sum = (0..*s).fold(IBig::ZERO, |sum, i| sum + (b << usize::try_from(8 * i).unwrap_or(0)));
                    Num::constant(sum, ty)
                }
                other if *s == 1 => Num::new(other.clone(), ty),
                other => Num::new(Expr::Join((0..*s).map(|_| other.clone()).collect()), ty),
            };
            let at = self.memory.add_address(to.clone(), *d);
            let moved = shift(targets, *d);
            let resolved =
                self.memory.resolve(state, Access { pointer: &at, targets: &moved, size: *s, align: 1, ty: None })?;
            self.memory.write(&mut self.values, state, &resolved, *s, &value)?;
        }
        Ok(true)
    }

    /// A new object on the heap: its address, or nothing if nothing follows.
    pub(in crate::translate) fn allocate(
        &mut self,
        state: &mut State,
        at: Point,
        size: &Expr,
        content: Content,
    ) -> Option<Num> {
        let id = self.memory.known(ObjectKind::Heap(at))?;
        let ty = self.memory.address();
        let object = self.memory.object(id).clone();
        let base =
            if object.many.is_some() { self.next_of_many(state, id)? } else { constant(object.base.clone(), ty) };
        match object.size {
            Size::Constant(_) => {}
            Size::Var(v) => state.set(v, size.clone()),
            Size::Mem(mem) => {
                state.stores.push(MemUpdate::Store { mem, address: base.clone(), value: size.clone() });
            }
        }
        self.memory.set_life(state, id, &base, Presence::There);
        match (&object.layout, content) {
            (Layout::Scalars(scalars), Content::Zero) => {
                for s in scalars.clone() {
                    state.set(s.var, constant(0, s.ty));
                }
            }
            (Layout::Scalars(_), _) => self.memory.forget(&mut self.values, state, id, UnknownKind::Environment),
            (Layout::Region(_), Content::Zero) => {
                let targets = Targets([(id, Offsets::Exact(vec![0]))].into());
                let pieces = match (object.size, size) {
                    (_, Expr::Const(n, _)) => {
                        u64::try_from(n.clone()).ok().and_then(|n| self.memory.pieces(&targets, &base, n))
                    }
                    _ => None,
                };
                match pieces {
                    Some(pieces) => {
                        for (d, s) in pieces {
                            let at = self.memory.add_address(base.clone(), d);
                            let Layout::Region(n) = object.layout else { break };
                            let region = &self.memory.region(n);
                            let first = i64::try_from(d).unwrap_or(0);
                            let field = region.fields.iter().find(|f| {
                                region.bytes
                                    || f.size == s
                                        && f.first
                                            == if region.stride > 0 { first.rem_euclid(region.stride) } else { first }
                            });
                            if let Some(f) = field {
                                let (mem, ty) = (f.mem, f.ty);
                                state.stores.push(MemUpdate::Store { mem, address: at, value: constant(0, ty) });
                            }
                        }
                    }
                    // Zeros that are too many to be written down.
                    None => self.memory.forget(&mut self.values, state, id, UnknownKind::Abstraction),
                }
            }
            (Layout::Region(_), _) => self.memory.forget_new(&mut self.values, state, id, &base),
        }
        Some(Num::new(base, ty))
    }

    /// Frees what a pointer points to; whether anything follows.
    pub(in crate::translate) fn free(
        &mut self,
        state: &mut State,
        pointer: &Expr,
        targets: &Targets,
    ) -> Result<bool, Split> {
        let ty = self.memory.address();
        let null = cmp(CmpOp::Eq, ty, pointer.clone(), constant(0, ty));
        let mut valid = null;
        let mut outside = Vec::new();
        let mut changes = Vec::new();
        for (id, _) in self.memory.expand(targets).0 {
            let object = self.memory.object(id).clone();
            match object.kind {
                ObjectKind::Heap(_) => {}
                // Memory that came from outside may be freed; which part of it is gone then is not known.
                ObjectKind::Outside => {
                    let here = cmp(CmpOp::Ge, ty, pointer.clone(), constant(object.base.clone(), ty));
                    valid = or(valid, here.clone());
                    outside.push((id, here));
                    continue;
                }
                _ => continue,
            }
            let here = self.memory.inside(state, &object, pointer, Some(0), &constant(0, ty))?;
            valid = or(valid, here.clone());
            changes.push((id, here));
        }
        if !self.control.require(state, valid) {
            return Ok(false);
        }
        let flag = IntType::unsigned(8);
        for (id, here) in outside {
            if let Life::Flag(v) = self.memory.object(id).life {
                let range = Some((IBig::ZERO, IBig::from(1)));
                let still = self.values.unknown(state, "not the freed part", flag, UnknownKind::Environment, range);
                let gone = cmp(CmpOp::Eq, flag, state.var(v), constant(0, flag));
                let now = ite(here, ite(gone, constant(0, flag), still.expr), state.var(v));
                state.set(v, now);
            }
        }
        for (id, here) in changes {
            match self.memory.object(id).life {
                Life::Always => {}
                Life::Flag(v) => {
                    let now = ite(here, constant(0, flag), state.var(v));
                    state.set(v, now);
                }
                Life::Mem(mem) => {
                    // Where it is another object, or none, nothing changes.
                    let old = state.load_cell(mem, pointer)?;
                    let value = ite(here, constant(0, flag), old);
                    state.stores.push(MemUpdate::Store { mem, address: pointer.clone(), value });
                }
            }
        }
        Ok(true)
    }
}
