//! Memory in bulk: copies, fills, new objects and freed ones.

use super::arith::{Num, and, cmp, constant, ite, or, truth};
use super::build::{Builder, Split, State};
use super::flat::Point;
use super::layout::{Layout, Life, Size};
use super::points::{ObjectId, ObjectKind, Offsets, Targets};
use crate::models::Content;
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{CmpOp, Cond, Expr, IntType, MemUpdate};

/// How many pieces a copy is written out with.
const PIECES: usize = 160;

impl Builder<'_, '_> {
    /// The condition that so many bytes from a pointer on are in one object that is there.
    pub(super) fn range_valid(
        &self,
        state: &State,
        pointer: &Expr,
        targets: &Targets,
        size: &Expr,
    ) -> Result<Cond, Split> {
        let ty = self.address();
        let mut valid = cmp(CmpOp::Eq, ty, size.clone(), constant(0, ty));
        for (id, offsets) in self.points.expand(targets).0 {
            let object = self.memory.object(id);
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
    pub(super) fn pieces(&self, targets: &Targets, pointer: &Expr, size: u64) -> Option<Vec<(u64, u64)>> {
        let mut all = Vec::new();
        let end = i64::try_from(size).ok()?;
        for (id, offsets) in self.points.expand(targets).0 {
            let object = self.memory.object(id);
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
                    let region = &self.memory.regions[*n];
                    if region.bytes {
                        if size > PIECES as u64 {
                            return None;
                        }
                        all.extend((0..size).map(|d| (d, 1)));
                        continue;
                    }
                    let (starts, step) = match &offsets {
                        Offsets::Exact(list) => (list.clone(), region.stride),
                        Offsets::Class { first, stride } => (vec![*first], super::points::gcd(*stride, region.stride)),
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

    /// Copies bytes; whether anything follows.
    pub(super) fn copy(
        &mut self,
        state: &mut State,
        (to, to_targets): (&Expr, &Targets),
        (from, from_targets): (&Expr, &Targets),
        size: u64,
    ) -> Result<bool, Split> {
        if size == 0 {
            return Ok(true);
        }
        let there = self.range_valid(state, to, to_targets, &constant(size, self.address()))?;
        self.copy_where(state, there, (to, to_targets), (from, from_targets), size)
    }

    /// Copies bytes to an object that this instruction makes; whether anything follows. That the object is there is not asked:
    /// the memory that says so has not changed yet.
    pub(super) fn copy_to_new(
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
        let n = constant(size, self.address());
        let valid = and(there, self.range_valid(state, from, from_targets, &n)?);
        let Some(pieces) = self.pieces(to_targets, to, size) else {
            if !self.require(state, valid) {
                return Ok(false);
            }
            self.forget_all(state, to_targets, UnknownKind::Abstraction);
            return Ok(true);
        };
        let mut values = Vec::new();
        for (d, s) in &pieces {
            let at = self.add_address(from.clone(), *d);
            let moved = super::layout::shift(from_targets, *d);
            let resolved = self.resolve(state, &at, &moved, *s, 1)?;
            values.push(self.read(state, &resolved, *s)?);
        }
        if !self.require(state, valid) {
            return Ok(false);
        }
        for ((d, s), value) in pieces.iter().zip(values) {
            let at = self.add_address(to.clone(), *d);
            let moved = super::layout::shift(to_targets, *d);
            let resolved = self.resolve(state, &at, &moved, *s, 1)?;
            self.write(state, &resolved, *s, &value)?;
        }
        Ok(true)
    }

    /// Writes the same byte so many times; whether anything follows.
    pub(super) fn fill(
        &mut self,
        state: &mut State,
        (to, targets): (&Expr, &Targets),
        byte: &Num,
        size: u64,
    ) -> Result<bool, Split> {
        if size == 0 {
            return Ok(true);
        }
        let n = constant(size, self.address());
        let valid = self.range_valid(state, to, targets, &n)?;
        if !self.require(state, valid) {
            return Ok(false);
        }
        let Some(pieces) = self.pieces(targets, to, size) else {
            self.forget_all(state, targets, UnknownKind::Abstraction);
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
            let at = self.add_address(to.clone(), *d);
            let moved = super::layout::shift(targets, *d);
            let resolved = self.resolve(state, &at, &moved, *s, 1)?;
            self.write(state, &resolved, *s, &value)?;
        }
        Ok(true)
    }

    pub(super) fn forget_all(&mut self, state: &mut State, targets: &Targets, kind: UnknownKind) {
        for object in self.points.expand(targets).0.into_keys() {
            if !matches!(self.points.objects[object.0 as usize], ObjectKind::Function(_)) {
                self.forget(state, object, kind);
            }
        }
    }

    /// Marks an object as there or gone.
    pub(super) fn set_life(&mut self, state: &mut State, id: ObjectId, base: &Expr, alive: bool) {
        let flag = IntType::unsigned(8);
        let value = constant(i32::from(alive), flag);
        match self.memory.object(id).life {
            Life::Always => {}
            Life::Flag(v) => state.set(v, value),
            Life::Mem(mem) => state.stores.push(MemUpdate::Store { mem, address: base.clone(), value }),
        }
    }

    /// A new object on the heap: its address, or nothing if nothing follows.
    pub(super) fn allocate(&mut self, state: &mut State, at: Point, size: &Expr, content: Content) -> Option<Num> {
        let id = self.points.known(ObjectKind::Heap(at))?;
        let ty = self.address();
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
        self.set_life(state, id, &base, true);
        match (&object.layout, content) {
            (Layout::Scalars(scalars), Content::Zero) => {
                for s in scalars.clone() {
                    state.set(s.var, constant(0, s.ty));
                }
            }
            (Layout::Scalars(_), _) => self.forget(state, id, UnknownKind::Environment),
            (Layout::Region(_), Content::Zero) => {
                let targets = Targets([(id, Offsets::Exact(vec![0]))].into());
                let pieces = match (object.size, size) {
                    (_, Expr::Const(n, _)) => {
                        u64::try_from(n.clone()).ok().and_then(|n| self.pieces(&targets, &base, n))
                    }
                    _ => None,
                };
                match pieces {
                    Some(pieces) => {
                        for (d, s) in pieces {
                            let at = self.add_address(base.clone(), d);
                            let Layout::Region(n) = object.layout else { break };
                            let region = &self.memory.regions[n];
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
                    None => self.forget(state, id, UnknownKind::Abstraction),
                }
            }
            (Layout::Region(_), _) => self.forget_new(state, id, &base),
        }
        Some(Num::new(base, ty))
    }

    /// Frees what a pointer points to; whether anything follows.
    pub(super) fn free(&mut self, state: &mut State, pointer: &Expr, targets: &Targets) -> Result<bool, Split> {
        let ty = self.address();
        let null = cmp(CmpOp::Eq, ty, pointer.clone(), constant(0, ty));
        let mut valid = null;
        let mut outside = Vec::new();
        let mut changes = Vec::new();
        for (id, _) in self.points.expand(targets).0 {
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
            let here = self.inside(state, &object, pointer, Some(0), &constant(0, ty))?;
            valid = or(valid, here.clone());
            changes.push((id, here));
        }
        if !self.require(state, valid) {
            return Ok(false);
        }
        let flag = IntType::unsigned(8);
        for (id, here) in outside {
            if let Life::Flag(v) = self.memory.object(id).life {
                let range = Some((IBig::ZERO, IBig::from(1)));
                let still = self.unknown(state, "not the freed part", flag, UnknownKind::Environment, range);
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
                    let old = self.load_cell(state, mem, pointer)?;
                    let value = ite(here, constant(0, flag), old);
                    state.stores.push(MemUpdate::Store { mem, address: pointer.clone(), value });
                }
            }
        }
        Ok(true)
    }

    /// The largest object that a call can make in the model.
    pub(super) fn largest_at(&self, at: Point) -> IBig {
        let Some(id) = self.points.known(ObjectKind::Heap(at)) else { return self.largest() };
        let object = self.memory.object(id);
        match (&object.many, &object.size) {
            (Some(_), _) => IBig::from(self.memory.largest.1),
            (None, Size::Constant(n)) => IBig::from(*n).max(self.largest()),
            (None, _) => self.largest(),
        }
    }

    /// The largest object.
    pub(super) fn largest(&self) -> IBig {
        IBig::from(self.memory.largest.0)
    }

    /// The largest object that any memory can hold: all the addresses of a process, or what a pointer difference can say.
    pub(super) fn largest_of_all(&self) -> IBig {
        if self.address().width >= 64 { IBig::from(1u64 << 47) } else { IBig::from(i32::MAX) }
    }

    /// What has changed since a state stays only if a condition holds. Memory need not be put back: nobody has a pointer
    /// to what was not made.
    #[expect(clippy::unused_self, reason = "it belongs to the making of objects")]
    pub(super) fn keep_if(&self, state: &mut State, before: &State, c: &Cond) {
        for (v, new) in state.changed_since(before) {
            let old = before.var(v);
            state.set(v, ite(c.clone(), new, old));
        }
    }
}
