//! Loads and stores: from a pointer to the variables and arrays that it may mean, and to the condition that it is valid.

use crate::module::Type;
use crate::translate::memory::Memory;
use crate::translate::memory::collect::aligned;
use crate::translate::memory::layout::{Layout, Object, Size};
use crate::translate::points::{ObjectId, ObjectKind, Offsets, Targets};
use crate::translate::state::{Split, State};
use crate::translate::values::Values;
use crate::translate::values::arith::{Num, and, cmp, constant, ite, not, operate, or, truth};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, Happening, IntType, MemUpdate, Overflow};

/// What an access reads or writes.
#[derive(Clone, Debug)]
pub(in crate::translate) enum Referent {
    /// These variables, from the lowest address on; one, or a byte each.
    Vars(Vec<(usize, IntType)>),
    /// An array at an address; with a count, so many single bytes from there on.
    Cell { mem: usize, ty: IntType, address: Expr, bytes: Option<u64> },
    /// Nothing is known of it; the object is forgotten when it is written.
    Lost(ObjectId),
}

/// An access through a pointer: so many bytes, at an address with an alignment.
#[derive(Clone, Copy, Debug)]
pub(in crate::translate) struct Access<'a> {
    pub pointer: &'a Expr,
    pub targets: &'a Targets,
    pub size: u64,
    pub align: u64,
    /// By which type; none where bytes are accessed.
    pub ty: Option<&'a Type>,
}

/// A place and when it is the one.
#[derive(Clone, Debug)]
pub(in crate::translate) struct Spot {
    pub when: Cond,
    pub place: Referent,
}

/// What an access comes to: when it is valid, and the places it may then mean, the last one if no other.
pub(in crate::translate) struct Resolved {
    pub valid: Cond,
    pub spots: Vec<Spot>,
}

impl Resolved {
    /// Whether the access has a place, and none of which nothing is known.
    pub(in crate::translate) fn is_followed(&self) -> bool {
        !self.spots.is_empty() && !self.spots.iter().any(|s| matches!(s.place, Referent::Lost(_)))
    }
}

impl Memory<'_, '_> {
    /// How far a pointer is from the base of its object.
    fn offset_of(&self, object: &Object, pointer: &Expr) -> Expr {
        let ty = self.address();
        let from_first = self.add_address(pointer.clone(), -object.base.clone());
        match &object.many {
            None => from_first,
            Some(many) => operate(BinaryOp::Rem, ty, Overflow::Undefined, from_first, constant(many.step.clone(), ty)),
        }
    }

    /// The base of the object that a pointer points into.
    pub(super) fn base_of(&self, object: &Object, pointer: &Expr) -> Expr {
        let ty = self.address();
        match &object.many {
            None => constant(object.base.clone(), ty),
            Some(_) => {
                operate(BinaryOp::Sub, ty, Overflow::Undefined, pointer.clone(), self.offset_of(object, pointer))
            }
        }
    }

    /// The size of an object.
    pub(in crate::translate) fn size_of(&self, state: &State, object: &Object, pointer: &Expr) -> Result<Expr, Split> {
        let ty = self.address();
        Ok(match &object.size {
            Size::Constant(n) => constant(*n, ty),
            Size::Var(v) => state.var(*v),
            Size::Mem(m) => state.load_cell(*m, &self.base_of(object, pointer))?,
        })
    }

    /// The condition that `size` bytes from a pointer on are in an object, and it is there. With an offset, that the
    /// pointer is at that offset, too.
    pub(in crate::translate) fn inside(
        &self,
        state: &State,
        object: &Object,
        pointer: &Expr,
        offset: Option<i64>,
        size: &Expr,
    ) -> Result<Cond, Split> {
        let ty = self.address();
        let length = self.size_of(state, object, pointer)?;
        let alive = self.alive(state, object, pointer)?;
        let mut valid = match &object.many {
            None => truth(true),
            Some(many) => and(
                cmp(CmpOp::Ge, ty, pointer.clone(), constant(many.first.clone(), ty)),
                cmp(CmpOp::Lt, ty, pointer.clone(), state.var(many.next)),
            ),
        };
        if let Some(o) = offset {
            // Whether it fits is then known, or asked of the size alone.
            let end = operate(BinaryOp::Add, ty, Overflow::Undefined, size.clone(), constant(o, ty));
            if o < 0 {
                return Ok(truth(false));
            }
            let at = match &object.many {
                None => cmp(CmpOp::Eq, ty, pointer.clone(), constant(&object.base + IBig::from(o), ty)),
                Some(_) => cmp(CmpOp::Eq, ty, self.offset_of(object, pointer), constant(o, ty)),
            };
            valid = and(valid, at);
            valid = and(valid, cmp(CmpOp::Le, ty, end, length));
        } else {
            let at = self.offset_of(object, pointer);
            let last = operate(BinaryOp::Sub, ty, Overflow::Undefined, length, size.clone());
            if object.many.is_none() {
                // Said of the pointer itself, which is linear and short.
                let low = constant(object.base.clone(), ty);
                let high = self.add_address(last, object.base.clone());
                valid = and(valid, cmp(CmpOp::Ge, ty, pointer.clone(), low));
                valid = and(valid, cmp(CmpOp::Le, ty, pointer.clone(), high));
            } else {
                valid = and(valid, cmp(CmpOp::Le, ty, at, last));
            }
        }
        Ok(and(valid, alive))
    }

    fn data(&self, targets: &Targets) -> Vec<(ObjectId, Offsets)> {
        let is_data = |o: &ObjectId| !matches!(self.points.objects[o.0 as usize], ObjectKind::Function(_));
        self.points.expand(targets).0.into_iter().filter(|(o, _)| is_data(o)).collect()
    }

    /// The place of an access at an offset, or at a member of a class of offsets.
    fn place(&self, id: ObjectId, offsets: &Offsets, size: u64, pointer: &Expr) -> Referent {
        let object = self.object(id);
        match &object.layout {
            Layout::Scalars(scalars) => {
                let Offsets::Exact(list) = offsets else { return Referent::Lost(id) };
                let [offset] = list.as_slice() else { return Referent::Lost(id) };
                if let Some(s) = scalars.iter().find(|s| s.offset == *offset && s.size == size) {
                    return Referent::Vars(vec![(s.var, s.ty)]);
                }
                let mut bytes = Vec::new();
                for byte in *offset..offset.saturating_add(i64::try_from(size).unwrap_or(0)) {
                    match scalars.iter().find(|s| s.offset == byte && s.size == 1) {
                        Some(s) => bytes.push((s.var, s.ty)),
                        None => return Referent::Lost(id),
                    }
                }
                Referent::Vars(bytes)
            }
            Layout::Region(number) => {
                let region = &self.layout.regions[*number];
                if region.bytes {
                    let field = &region.fields[0];
                    return Referent::Cell {
                        mem: field.mem,
                        ty: field.ty,
                        address: pointer.clone(),
                        bytes: Some(size),
                    };
                }
                let first = match offsets {
                    Offsets::Exact(list) => list.first().copied().unwrap_or(0),
                    Offsets::Class { first, .. } => *first,
                };
                let first = if region.stride > 0 { first.rem_euclid(region.stride) } else { first };
                match region.fields.iter().find(|f| f.first == first && f.size == size) {
                    Some(f) => Referent::Cell { mem: f.mem, ty: f.ty, address: pointer.clone(), bytes: None },
                    None => Referent::Lost(id),
                }
            }
        }
    }

    /// What an access may mean.
    pub(in crate::translate) fn resolve(&self, state: &State, access: Access<'_>) -> Result<Resolved, Split> {
        let Access { pointer, targets, size, align, ty: by } = access;
        let ty = self.address();
        let bytes = constant(size, ty);
        let mut spots: Vec<Spot> = Vec::new();
        let mut valid = truth(false);
        let mut add = |when: Cond, place: Referent| {
            if when == truth(false) {
                return;
            }
            valid = or(valid.clone(), when.clone());
            // One array for several objects is one place.
            if let (
                Some(Spot { when: last, place: Referent::Cell { mem: a, address, .. } }),
                Referent::Cell { mem: b, .. },
            ) = (spots.last_mut(), &place)
                && a == b
            {
                // Which of its cells it is the pointer tells.
                *address = pointer.clone();
                *last = or(last.clone(), when);
            } else {
                spots.push(Spot { when, place });
            }
        };
        for (id, offsets) in self.data(targets) {
            let object = self.object(id);
            let by_chance = |at: &Offsets| {
                let chance = object.align < align || self.by_another_type(object, at, size, by);
                if chance { for_ends_only() } else { truth(true) }
            };
            if state.writing
                && let ObjectKind::Global(g) = object.kind
                && self.cx.flat.module.globals[g.0 as usize].constant
            {
                // A constant cannot be written to.
                continue;
            }
            if let (Expr::Const(p, _), None) = (pointer, &object.many) {
                // A known address: the object and the offset are known.
                let offset = i64::try_from(p - &object.base).unwrap_or(-1);
                if i64::try_from(align.min(object.align)).is_ok_and(|a| a > 1 && offset % a != 0) {
                    continue;
                }
                let at = Offsets::Exact(vec![offset]);
                let when = and(self.inside(state, object, pointer, Some(offset), &bytes)?, by_chance(&at));
                add(when, self.place(id, &at, size, pointer));
                continue;
            }
            let align = align.min(object.align);
            match aligned(&offsets, align) {
                Offsets::Exact(list) => {
                    for o in list {
                        if i64::try_from(align).is_ok_and(|a| a > 1 && o % a != 0) {
                            // Misaligned, since the object is aligned.
                            continue;
                        }
                        let one = Offsets::Exact(vec![o]);
                        let when = and(self.inside(state, object, pointer, Some(o), &bytes)?, by_chance(&one));
                        let at = if object.many.is_none() {
                            constant(&object.base + IBig::from(o), ty)
                        } else {
                            pointer.clone()
                        };
                        add(when, self.place(id, &one, size, &at));
                    }
                }
                class @ Offsets::Class { .. } => {
                    let mut when = and(self.inside(state, object, pointer, None, &bytes)?, by_chance(&class));
                    if class != offsets {
                        // The class was narrowed by the alignment, which is then to be asked for.
                        let modulus = constant(align, ty);
                        let rest = operate(BinaryOp::Rem, ty, Overflow::Undefined, pointer.clone(), modulus);
                        when = and(when, cmp(CmpOp::Eq, ty, rest, constant(0, ty)));
                    }
                    add(when, self.place(id, &class, size, pointer));
                }
            }
        }
        Ok(Resolved { valid, spots })
    }

    /// The number at a place, of `size` bytes.
    fn read_place(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        place: &Referent,
        size: u64,
    ) -> Result<Num, Split> {
        let whole = IntType::unsigned(u32::try_from(size * 8).unwrap_or(8));
        if size > 16 {
            // Wider than any number that is followed.
            let widest = IntType::unsigned(128);
            return Ok(values.unknown(state, "wide", widest, UnknownKind::Abstraction, None));
        }
        Ok(match place {
            Referent::Vars(list) => match list.as_slice() {
                [(v, ty)] => Num::new(state.var(*v), *ty),
                bytes => Num::new(join(bytes.iter().map(|(v, _)| state.var(*v)).collect()), whole),
            },
            Referent::Cell { mem, ty, address, bytes: None } => Num::new(state.load_cell(*mem, address)?, *ty),
            Referent::Cell { mem, address, bytes: Some(n), .. } => {
                let mut parts = Vec::new();
                for i in 0..*n {
                    let at = self.add_address(address.clone(), i);
                    parts.push(state.load_cell(*mem, &at)?);
                }
                Num::new(join(parts), whole)
            }
            // Signed: over Z, what was stored there may have left its type.
            Referent::Lost(id) => {
                let ty = IntType::signed(whole.width);
                // What an object of the library holds is for the library to decide.
                let kind = match self.object(*id).kind {
                    ObjectKind::Library(..) => UnknownKind::Environment,
                    _ => UnknownKind::Abstraction,
                };
                values.unknown(state, "lost", ty, kind, None)
            }
        })
    }

    /// Reads `size` bytes; the access must have been found valid.
    pub(in crate::translate) fn read(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        at: &Resolved,
        size: u64,
    ) -> Result<Num, Split> {
        let mut result: Option<Num> = None;
        for spot in at.spots.iter().rev() {
            let value = self.read_place(values, state, &spot.place, size)?;
            result = Some(match result {
                None => value,
                Some(rest) => {
                    // A common type: signed, if one is, since that keeps every number.
                    let width = u32::try_from(size * 8).unwrap_or(8);
                    let ty = if value.ty == rest.ty {
                        value.ty
                    } else {
                        IntType { width, signed: value.ty.signed || rest.ty.signed }
                    };
                    Num::new(ite(spot.when.clone(), value.to(ty), rest.to(ty)), ty)
                }
            });
        }
        let width = u32::try_from(size * 8).unwrap_or(8);
        Ok(match result {
            Some(value) => value,
            // There is no place: the access was not valid, and this is not reached.
            None => Num::constant(0, IntType::signed(width)),
        })
    }

    /// Writes `size` bytes; the access must have been found valid.
    pub(in crate::translate) fn write(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        at: &Resolved,
        size: u64,
        value: &Num,
    ) -> Result<(), Split> {
        let last = at.spots.len().saturating_sub(1);
        let mut before = truth(true);
        for (n, spot) in at.spots.iter().enumerate() {
            let when = if last == 0 {
                truth(true)
            } else if n == last {
                before.clone()
            } else {
                and(before.clone(), spot.when.clone())
            };
            before = and(before, not(spot.when.clone()));
            self.write_spot(values, state, &Spot { when, place: spot.place.clone() }, size, value)?;
        }
        Ok(())
    }

    /// Writes to a place where a condition holds.
    fn write_spot(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        spot: &Spot,
        size: u64,
        value: &Num,
    ) -> Result<(), Split> {
        let Spot { when, place } = spot;
        if size > 16 {
            match place {
                Referent::Vars(list) => {
                    for (v, ty) in list.clone() {
                        let new = values.unknown(state, "wide", ty, UnknownKind::Abstraction, None);
                        state.set(v, new.expr);
                    }
                }
                Referent::Cell { mem, .. } => values.forget_mem(state, *mem, UnknownKind::Abstraction),
                Referent::Lost(id) => self.forget(values, state, *id, UnknownKind::Abstraction),
            }
            return Ok(());
        }
        let whole = IntType::unsigned(u32::try_from(size * 8).unwrap_or(8));
        match place {
            Referent::Vars(list) => match list.as_slice() {
                [(v, ty)] => {
                    let new = ite(when.clone(), value.to(*ty), state.var(*v));
                    state.set(*v, new);
                }
                bytes => {
                    let bits = bits(values, state, value, whole);
                    for (i, (v, _)) in bytes.iter().enumerate() {
                        let new = ite(when.clone(), byte(&bits, whole, i as u64), state.var(*v));
                        state.set(*v, new);
                    }
                }
            },
            Referent::Cell { mem, ty, address, bytes: None } => {
                let new = value.to(*ty);
                // One store for each place that it may be; where this is not the one, the cell stays as an earlier one left it.
                let new = if *when == truth(true) {
                    new
                } else {
                    ite(when.clone(), new, state.cell_now(*mem, address, self.address())?)
                };
                state.stores.push(MemUpdate::Store { mem: *mem, address: address.clone(), value: new });
                state.passes(Happening::Stored(*mem));
            }
            Referent::Cell { mem, address, bytes: Some(n), .. } => {
                let bits = bits(values, state, value, whole);
                let mut all = Vec::new();
                for i in 0..*n {
                    let at = self.add_address(address.clone(), i);
                    let new = byte(&bits, whole, i);
                    let new = if *when == truth(true) {
                        new
                    } else {
                        ite(when.clone(), new, state.cell_now(*mem, &at, self.address())?)
                    };
                    all.push(MemUpdate::Store { mem: *mem, address: at, value: new });
                }
                state.stores.extend(all);
            }
            Referent::Lost(id) => {
                if let Layout::Region(n) = self.object(*id).layout {
                    // Stored somewhere, then forgotten: the value is still asked to be defined.
                    let address = constant(self.object(*id).base.clone(), self.address());
                    if let Some(f) = self.layout.regions[n].fields.first() {
                        let (mem, value) = (f.mem, value.to(f.ty));
                        state.stores.push(MemUpdate::Store { mem, address, value });
                        state.passes(Happening::Stored(mem));
                    }
                }
                self.forget(values, state, *id, UnknownKind::Abstraction);
            }
        }
        Ok(())
    }
}

/// The bits of a number. Bytes cannot hold a signed number that has left its type over Z, and reducing it would make the type
/// a bound for it: nothing is known of it then. For machine integers there is no such number.
fn bits(values: &mut Values<'_, '_>, state: &mut State, value: &Num, whole: IntType) -> Expr {
    let bits = value.to(whole);
    let computed = matches!(
        value.expr,
        Expr::Binary { .. } | Expr::Unary { .. } | Expr::Var(_) | Expr::Ite(..) | Expr::Load { .. }
    );
    if !value.ty.signed || value.ty.width != whole.width || !computed {
        return bits;
    }
    let (min, max) = value.ty.range();
    let within = and(
        Cond::cmp(CmpOp::Ge, value.ty, value.expr.clone(), constant(min, value.ty)),
        Cond::cmp(CmpOp::Le, value.ty, value.expr.clone(), constant(max, value.ty)),
    );
    let lost = values.unknown(state, "out of range", whole, UnknownKind::Abstraction, None);
    ite(within, bits, lost.expr)
}

/// Holds for proofs that a run ends; and no proof of an endless run may rest on it. So it is with an access that asks for more than the
/// alignment of its object, which is defined only if the address happens to have it, and with what C leaves undefined and
/// machines do all the same.
pub(in crate::translate) fn for_ends_only() -> Cond {
    for_ends_only_unless(truth(false))
}

/// The same where a condition does not hold.
pub(in crate::translate) fn for_ends_only_unless(kept: Cond) -> Cond {
    if kept == truth(true) {
        return kept;
    }
    let flag = IntType::unsigned(1);
    let promised = Expr::promised(kept, constant(0, flag));
    Cond::cmp(CmpOp::Eq, flag, promised, constant(0, flag))
}

/// How far the second address is from the first, if that shows.
pub(in crate::translate) fn distance(a: &Expr, b: &Expr) -> Option<IBig> {
    fn split(e: &Expr) -> (Option<&Expr>, IBig) {
        match e {
            Expr::Const(k, _) => (None, k.clone()),
            Expr::Binary { op: BinaryOp::Add, left, right, .. } => match &**right {
                Expr::Const(k, _) => (Some(left), k.clone()),
                _ => (Some(e), IBig::ZERO),
            },
            _ => (Some(e), IBig::ZERO),
        }
    }
    let ((x, i), (y, j)) = (split(a), split(b));
    (x == y).then(|| j - i)
}

/// A byte of a number of an unsigned type.
fn byte(value: &Expr, whole: IntType, number: u64) -> Expr {
    let ty = IntType::unsigned(8);
    if let Expr::Join(parts) = value
        && parts.len() as u64 * 8 == u64::from(whole.width)
    {
        return parts[usize::try_from(number).unwrap_or(0)].clone();
    }
    if let Expr::Const(k, _) = value {
        return constant(k >> usize::try_from(number * 8).unwrap_or(0), ty);
    }
    let shifted = operate(BinaryOp::Shr, whole, Overflow::Wraps, value.clone(), constant(number * 8, whole));
    Num::new(shifted, whole).to(ty)
}

/// Bytes, the lowest first, as one number.
fn join(parts: Vec<Expr>) -> Expr {
    if let [one] = parts.as_slice() {
        return one.clone();
    }
    let width = u32::try_from(parts.len() * 8).unwrap_or(8);
    let mut sum = IBig::ZERO;
    for (i, p) in parts.iter().enumerate() {
        match p {
            Expr::Const(k, _) => sum += k << (8 * i),
            _ => return Expr::Join(parts),
        }
    }
    constant(sum, IntType::unsigned(width))
}
