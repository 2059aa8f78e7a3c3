//! How objects become state: scalars where every access is at known places, else arrays indexed by address.
//!
//! Every object has its own range of model addresses. A real address is never visible: what would depend on one (the order of
//! unrelated objects, arithmetic on its digits) is unknown in [`crate::translate::values::numbers`]. Storage that one access may reach at places that
//! are not listed are one region, and share arrays. Within a region or an object, the accesses are fields: places of one
//! size that no access of another shape overlaps. Where some do (unions, casts), the places are kept byte by byte.
//!
//! Why fields are right: an access has an offset in the set that the points-to analysis found, so it reads or writes exactly the
//! bytes of its field in that object, and these belong to no other field. The arrays are indexed by the address of the
//! field's first byte, which determines object and offset, since the ranges of objects are disjoint.

use crate::intrinsic::Intrinsic;
use crate::module::{Callee, Op, Operand, TypeId, ValueId};
use crate::translate::flat::{Form, InstanceId, Plan, Point, index};
use crate::translate::library::models::{constant_amount, core_of, heap_size, is_handle, is_static, library_size};
use crate::translate::points::{ObjectId, ObjectKind, Offsets, Points, Targets, constant_of, gcd};
use crate::translate::{Context, ModelUse, Names, debug, leaves_of, store_size};
use dashu_int::IBig;
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::neutral::{IntType, Mem, MemInit, Program};
use std::collections::{BTreeMap, BTreeSet};

/// A part of an object with a variable of its own.
#[derive(Clone, Debug)]
pub(in crate::translate) struct Scalar {
    pub offset: i64,
    pub size: u64,
    pub var: usize,
    pub ty: IntType,
}

/// A field of a region: an array.
#[derive(Clone, Debug)]
pub(in crate::translate) struct Field {
    /// The offset, modulo the region's stride if that is not 0.
    pub first: i64,
    pub size: u64,
    pub mem: usize,
    pub ty: IntType,
}

#[derive(Clone, Debug, Default)]
pub(in crate::translate) struct Region {
    pub objects: Vec<ObjectId>,
    pub stride: i64,
    pub fields: Vec<Field>,
    /// One field, of single bytes, for everything.
    pub bytes: bool,
}

#[derive(Clone, Debug)]
pub(in crate::translate) enum Layout {
    Scalars(Vec<Scalar>),
    Region(usize),
}

#[derive(Clone, Debug)]
pub(in crate::translate) enum Size {
    Constant(u64),
    Var(usize),
    /// An array from the base address to the size, for objects of which there can be many.
    Mem(usize),
}

#[derive(Clone, Debug)]
pub(in crate::translate) enum Life {
    /// As long as the program runs, or as any pointer to it can be used.
    Always,
    /// While this variable is 1.
    Flag(usize),
    /// While this array has 1 at its base.
    Mem(usize),
}

/// Storage of which there can be many: their bases are `first + k * step`.
#[derive(Clone, Debug)]
pub(in crate::translate) struct Many {
    pub first: IBig,
    pub step: IBig,
    /// The base of the next one.
    pub next: usize,
    /// Beyond this there are no addresses.
    pub limit: IBig,
}

#[derive(Clone, Debug)]
pub(in crate::translate) struct Object {
    pub kind: ObjectKind,
    pub name: String,
    /// The address; for many, that of the first.
    pub base: IBig,
    pub many: Option<Many>,
    pub size: Size,
    pub life: Life,
    /// Whether it ends somewhere that is not known: a pointer to it may then be one to nothing, as the environment decides.
    pub doubtful: bool,
    /// Whether one call may make several of it that all end with the call.
    pub several: bool,
    /// Whether it stands for several objects at one address, of which nothing is known: they have no variables, and pointers to
    /// them are not told apart. Its size is that of each of them, or the largest there is.
    pub summary: bool,
    pub layout: Layout,
    /// What its address is a multiple of.
    pub align: u64,
    /// The debug type.
    pub ty: Option<TypeId>,
}

/// All objects of a program, and how they become state.
pub(in crate::translate) struct Storage {
    pub objects: Vec<Object>,
    pub regions: Vec<Region>,
    pub address: IntType,
    pub outside_size: Option<usize>,
    /// The largest object of open size, and the largest of which there can be many.
    pub largest: (u64, u64),
}

/// An access: where, and how many bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Access {
    object: ObjectId,
    offsets: Offsets,
    size: u64,
    sign: Option<bool>,
}

/// How many places an access may have before they become an array.
pub(in crate::translate) const ALTERNATIVES: usize = 6;
/// How many scalars an object may have before it becomes an array.
const SCALARS: usize = 160;

struct Collector<'a, 'm> {
    cx: &'a Context<'m>,
    points: &'a Points,
    accesses: Vec<Access>,
    copies: Vec<(Targets, Targets, u64)>,
    /// The region that each object is in, if it is in one.
    parent: Vec<usize>,
    array: Vec<bool>,
    /// Addresses that go elsewhere than directly into loads and stores.
    freed: BTreeSet<ObjectId>,
    /// Storage without variables.
    summaries: &'a BTreeSet<ObjectId>,
}

impl<'a, 'm> Collector<'a, 'm> {
    /// All accesses and copies of a program.
    fn of(cx: &'a Context<'m>, points: &'a Points, summaries: &'a BTreeSet<ObjectId>) -> Self {
        let n = points.objects.len();
        let mut all = Self {
            cx,
            points,
            accesses: Vec::new(),
            copies: Vec::new(),
            parent: (0..n).collect(),
            array: vec![false; n],
            freed: BTreeSet::new(),
            summaries,
        };
        all.collect();
        for (to, from, _) in &all.copies.clone() {
            // What a copy touches at unlisted places is an array, too; its fields come from the accesses.
            for side in [to, from] {
                if side.0.values().any(|o| matches!(o, Offsets::Class { .. })) {
                    let data = all.data(side);
                    all.join(data.into_iter().map(|(o, _)| o));
                }
            }
        }
        all.spread();
        all
    }
}

impl Collector<'_, '_> {
    fn root(&self, mut o: usize) -> usize {
        while self.parent[o] != o {
            o = self.parent[o];
        }
        o
    }
    fn join(&mut self, objects: impl IntoIterator<Item = ObjectId>) {
        let mut first = None;
        for o in objects {
            let root = self.root(o.0 as usize);
            self.array[o.0 as usize] = true;
            match first {
                None => first = Some(root),
                Some(f) => self.parent[root] = f,
            }
        }
    }
    fn data(&self, targets: &Targets) -> Vec<(ObjectId, Offsets)> {
        let is_data = |o: &ObjectId| {
            !matches!(self.points.objects[o.0 as usize], ObjectKind::Function(_)) && !self.summaries.contains(o)
        };
        self.points.expand(targets).0.iter().filter(|(o, _)| is_data(o)).map(|(o, x)| (*o, x.clone())).collect()
    }
    fn access(&mut self, targets: &Targets, size: u64, align: u64, sign: Option<bool>) {
        let data = self.data(targets);
        let mut places = 0;
        for (object, offsets) in &data {
            let kind = self.points.objects[object.0 as usize];
            let aligned = aligned(offsets, align.min(object_align(self.cx, kind)));
            match &aligned {
                Offsets::Exact(list) => places += list.len(),
                Offsets::Class { .. } => places = ALTERNATIVES + 1,
            }
            self.accesses.push(Access { object: *object, offsets: aligned, size, sign });
        }
        if places > ALTERNATIVES {
            self.join(data.into_iter().map(|(o, _)| o));
        }
    }
    fn copy(&mut self, to: &Targets, from: &Targets, size: u64) {
        for side in [to, from] {
            let data = self.data(side);
            let exact: usize = data
                .iter()
                .map(|(_, o)| match o {
                    Offsets::Exact(list) => list.len(),
                    Offsets::Class { .. } => ALTERNATIVES + 1,
                })
                .sum();
            if exact > ALTERNATIVES {
                self.join(data.into_iter().map(|(o, _)| o));
            }
        }
        self.copies.push((to.clone(), from.clone(), size));
    }

    fn collect(&mut self) {
        let cx = self.cx;
        let flat = cx.flat;
        for id in flat.ids() {
            let function = flat.function(id);
            let signs = cx.signs(flat.instance(id).function);
            for (b, block) in function.blocks.iter().enumerate() {
                for (i, instruction) in block.instructions.iter().enumerate() {
                    let of = |o: &Operand| self.points.of(flat, id, o);
                    match &instruction.op {
                        Op::Load { ptr, size, align, .. } => {
                            let sign = signs.get(&instruction.id).copied();
                            self.typed(&of(ptr), &instruction.ty, *size, *align, sign);
                        }
                        Op::Store { value, ptr, ty, size, align, .. } => {
                            let sign = match value {
                                Operand::Value(v) => signs.get(v).copied(),
                                Operand::Constant(_) => None,
                            };
                            self.typed(&of(ptr), ty, *size, *align, sign);
                        }
                        Op::AtomicRmw { ptr, size, .. } | Op::CompareExchange { ptr, size, .. } => {
                            self.access(&of(ptr), *size, *size, None);
                        }
                        Op::Call { callee, args, .. } => {
                            let at = Point { instance: id, block: crate::module::BlockId(index(b)), index: index(i) };
                            self.call(at, callee, args);
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    /// An access of a value, member by member.
    fn typed(&mut self, targets: &Targets, ty: &crate::module::Type, size: u64, align: u64, sign: Option<bool>) {
        let parts = leaves_of(ty);
        if parts.len() == 1 && parts[0].0 == 0 {
            self.access(targets, size, align, sign);
            return;
        }
        for (offset, leaf) in parts {
            let moved = shift(targets, offset);
            self.access(&moved, store_size(&leaf, self.cx.flat.module), 1, None);
        }
    }

    fn call(&mut self, at: Point, callee: &Callee, args: &[Operand]) {
        let (cx, flat) = (self.cx, self.cx.flat);
        let of = |o: &Operand| self.points.of(flat, at.instance, o);
        for (f, what) in flat.plan(at) {
            let (Plan::Enter(inner) | Plan::Again(inner)) = what else { continue };
            let params = &flat.module.functions[f.0 as usize].params;
            for (n, (a, p)) in args.iter().zip(params).enumerate() {
                if let Some(size) = p.byval {
                    let kind = ObjectKind::Stack(*inner, ValueId(index(n)));
                    if let Some(copy) = self.points.known(kind) {
                        let to = Targets(BTreeMap::from([(copy, Offsets::Exact(vec![0]))]));
                        self.copy(&to, &of(a), size);
                    }
                }
            }
        }
        match cx.model_use(at, callee) {
            ModelUse::Intrinsic(Intrinsic::Memcpy | Intrinsic::Memmove) => {
                let size = args.get(2).and_then(constant_of).and_then(|n| u64::try_from(n).ok());
                if let (Some(size), [to, from, ..]) = (size, args) {
                    self.copy(&of(to), &of(from), size);
                }
            }
            ModelUse::Model(model) => {
                for effect in &model.effects {
                    match effect {
                        crate::models::Effect::Writes(write) => {
                            if let (crate::models::Content::CopyOf(from), Some(to), Some(n)) = (
                                write.content,
                                args.get(write.to),
                                write.amount.as_ref().and_then(|n| constant_amount(n, args)),
                            ) && let Some(from) = args.get(from)
                                && write.offset.is_none()
                            {
                                self.copy(&of(to), &of(from), n);
                            }
                        }
                        crate::models::Effect::Frees(n) => {
                            if let Some(a) = args.get(*n) {
                                self.freed.extend(self.points.expand(&of(a)).0.keys());
                            }
                        }
                        _ => {}
                    }
                }
                if let crate::models::Returns::Moved { from, .. } = core_of(&model.returns)
                    && let Some(a) = args.get(*from)
                {
                    self.freed.extend(self.points.expand(&of(a)).0.keys());
                }
            }
            _ => {}
        }
    }

    /// A copy needs the same fields on both sides: each access within one gives one within the other.
    fn spread(&mut self) {
        let mut known: FastSet<Access> = self.accesses.iter().cloned().collect();
        for _ in 0..8 {
            let mut by_object: BTreeMap<ObjectId, Vec<&Access>> = BTreeMap::new();
            for access in &self.accesses {
                by_object.entry(access.object).or_default().push(access);
            }
            let mut new = Vec::new();
            for (to, from, size) in &self.copies {
                for (a, b) in [(to, from), (from, to)] {
                    for (object, places) in &a.0 {
                        for access in by_object.get(object).into_iter().flatten() {
                            for by in distances(places, &access.offsets, *size, access.size) {
                                for (other, there) in self.data(b) {
                                    let offsets = match there {
                                        Offsets::Exact(list) => Offsets::Exact(list.iter().map(|o| o + by).collect()),
                                        Offsets::Class { first, stride } => {
                                            Offsets::Class { first: (first + by).rem_euclid(stride), stride }
                                        }
                                    };
                                    let access =
                                        Access { object: other, offsets, size: access.size, sign: access.sign };
                                    if known.insert(access.clone()) {
                                        new.push(access);
                                    }
                                }
                            }
                        }
                    }
                }
            }
            if new.is_empty() || self.accesses.len() > 4000 {
                return;
            }
            self.accesses.extend(new);
        }
    }
}

/// The offsets that an access can have in an object, if both are aligned so: a misaligned access is undefined.
pub(super) fn aligned(offsets: &Offsets, align: u64) -> Offsets {
    match (offsets, i64::try_from(align)) {
        (Offsets::Class { stride, .. }, Ok(a)) if a > 1 && a % stride == 0 => Offsets::Class { first: 0, stride: a },
        _ => offsets.clone(),
    }
}

/// How far an access is from where a copy of `size` bytes starts, where it may lie within.
fn distances(places: &Offsets, access: &Offsets, size: u64, width: u64) -> Vec<i64> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let width = i64::try_from(width).unwrap_or(i64::MAX);
    let within = |d: &i64| *d >= 0 && d.saturating_add(width) <= size;
    match (places, access) {
        (Offsets::Exact(starts), Offsets::Exact(list)) => {
            let mut all: Vec<i64> = starts.iter().flat_map(|s| list.iter().map(move |o| o - s)).collect();
            all.retain(within);
            all.sort_unstable();
            all.dedup();
            all
        }
        _ => {
            let class = |o: &Offsets| match o {
                Offsets::Exact(list) => (list.first().copied().unwrap_or(0), 0),
                Offsets::Class { first, stride } => (*first, *stride),
            };
            let ((a, s), (b, t)) = (class(places), class(access));
            let stride = gcd(s, t).max(1);
            let mut d = (b - a).rem_euclid(stride);
            let mut all = Vec::new();
            while within(&d) && all.len() < 64 {
                all.push(d);
                d += stride;
            }
            all
        }
    }
}

pub(in crate::translate) fn shift(targets: &Targets, by: u64) -> Targets {
    let by = i64::try_from(by).unwrap_or(0);
    Targets(
        targets
            .0
            .iter()
            .map(|(o, x)| {
                let moved = match x {
                    Offsets::Exact(list) => Offsets::Exact(list.iter().map(|o| o + by).collect()),
                    Offsets::Class { first, stride } => {
                        Offsets::Class { first: (first + by).rem_euclid(*stride), stride: *stride }
                    }
                };
                (*o, moved)
            })
            .collect(),
    )
}

impl Storage {
    pub(in crate::translate) fn new(
        cx: &Context<'_>,
        points: &Points,
        program: &mut Program,
        names: &mut Names,
    ) -> Self {
        let n = points.objects.len();
        let lives = lifetimes(cx, points);
        let mut all = Collector::of(cx, points, &lives.summaries);
        let pointer = program.address.width;
        let mut memory = Self {
            objects: Vec::new(),
            regions: Vec::new(),
            address: program.address,
            outside_size: None,
            largest: (0, 0),
        };
        let open = points.objects.iter().filter(|k| object_size(cx, **k).is_none()).count();
        let mut at = Addresses::new(pointer, open);
        let many: Vec<bool> = (0..n).map(|o| lives.many.contains(&ObjectId(index(o)))).collect();
        let copies = index(many.iter().filter(|m| **m).count());
        let mut number = 0;
        let used: BTreeSet<ObjectId> = all.accesses.iter().map(|a| a.object).collect();
        for (o, &kind) in points.objects.iter().enumerate() {
            let id = ObjectId(index(o));
            let (name, ty) = debug::object_name(cx, points, kind, id);
            let size = object_size(cx, kind);
            let slot = match (kind, size) {
                (ObjectKind::Function(_), _) => 1,
                (_, Some(n)) => n,
                (_, None) => at.open,
            };
            let (base, many) = if kind == ObjectKind::Outside {
                (at.outside.clone(), None)
            } else if many[o] {
                let (first, step, limit) = at.many(number, copies);
                number += 1;
                let next = names.made(program, &format!("{name}.next"), program.address);
                program.init.push((next, Some(first.clone())));
                (first.clone(), Some(Many { first, step, next, limit }))
            } else {
                (at.one(slot), None)
            };
            let size = match (kind, size) {
                (ObjectKind::Outside, _) => {
                    if used.contains(&id) {
                        let var = names.made(program, "outside.size", program.address);
                        memory.outside_size = Some(var);
                        Size::Var(var)
                    } else {
                        Size::Constant(0)
                    }
                }
                (_, Some(n)) => Size::Constant(n),
                (_, None) if lives.summaries.contains(&id) => Size::Constant(at.open),
                (_, None) if many.is_some() => {
                    let mem = names.mem(program, &format!("{name}.size"), program.address);
                    Size::Mem(mem)
                }
                (_, None) => {
                    let var = names.made(program, &format!("{name}.size"), program.address);
                    program.init.push((var, Some(IBig::ZERO)));
                    Size::Var(var)
                }
            };
            let outside_freed = kind == ObjectKind::Outside && all.freed.contains(&id);
            let summary = lives.summaries.contains(&id);
            let mortal = outside_freed
                || lives.mortal.contains(&id)
                || all.freed.contains(&id) && matches!(kind, ObjectKind::Heap(_)) && !summary;
            let flag = IntType::unsigned(8);
            let life = match (&many, mortal) {
                (_, false) => Life::Always,
                (None, true) => {
                    let var = names.made(program, &format!("{name}.alive"), flag);
                    program.init.push((var, Some(IBig::from(i32::from(outside_freed)))));
                    Life::Flag(var)
                }
                (Some(_), true) => Life::Mem(names.mem(program, &format!("{name}.alive"), flag)),
            };
            if many.is_some() {
                all.array[o] = true;
            }
            let doubtful = lives.doubtful.contains(&id);
            memory.objects.push(Object {
                kind,
                name,
                base,
                many,
                size,
                life,
                doubtful,
                several: lives.several.contains(&id),
                summary,
                layout: Layout::Scalars(Vec::new()),
                align: object_align(cx, kind),
                ty,
            });
        }
        memory.largest = (at.open, 1 << at.many_bits);
        memory.fields(cx, &mut all, program, names);
        memory
    }

    fn fields(&mut self, cx: &Context<'_>, all: &mut Collector<'_, '_>, program: &mut Program, names: &mut Names) {
        // Storage that are not in a region: scalars.
        let mut by_object: BTreeMap<ObjectId, Vec<Access>> = BTreeMap::new();
        for a in &all.accesses {
            by_object.entry(a.object).or_default().push(a.clone());
        }
        for (id, accesses) in &by_object {
            let o = id.0 as usize;
            if all.array[o] {
                continue;
            }
            let mut places: BTreeMap<(i64, u64), Vec<bool>> = BTreeMap::new();
            for a in accesses {
                let Offsets::Exact(list) = &a.offsets else { continue };
                for offset in list {
                    places.entry((*offset, a.size)).or_default().extend(a.sign);
                }
            }
            // Places outside of the object cannot be accessed.
            if let Size::Constant(size) = self.objects[o].size {
                places.retain(|(offset, n), _| *offset >= 0 && u64::try_from(*offset).is_ok_and(|x| x + n <= size));
            }
            if places.len() > SCALARS || places.keys().any(|(_, n)| *n > 16) {
                all.array[o] = true;
                continue;
            }
            // Copies may end within a place.
            let cut = |offset: i64, n: u64| {
                all.copies.iter().any(|(to, from, size)| {
                    [to, from].into_iter().any(|side| match side.0.get(id) {
                        Some(Offsets::Exact(starts)) => starts.iter().any(|s| {
                            let end = s + i64::try_from(*size).unwrap_or(0);
                            let last = offset + i64::try_from(n).unwrap_or(0);
                            let inside = |x: i64| offset < x && x < last;
                            inside(*s) || inside(end)
                        }),
                        _ => false,
                    })
                })
            };
            let mut scalars = Vec::new();
            let list: Vec<((i64, u64), Vec<bool>)> = places.into_iter().collect();
            let mut k = 0;
            while k < list.len() {
                let mut end = list[k].0.0 + i64::try_from(list[k].0.1).unwrap_or(0);
                let mut last = k + 1;
                while last < list.len() && list[last].0.0 < end {
                    end = end.max(list[last].0.0 + i64::try_from(list[last].0.1).unwrap_or(0));
                    last += 1;
                }
                let ((offset, size), votes) = &list[k];
                if last == k + 1 && !cut(*offset, *size) {
                    let (ty, name) = debug::field(cx, &self.objects[o], *offset, *size, votes);
                    let var = names.var(program, &name, ty);
                    scalars.push(Scalar { offset: *offset, size: *size, var, ty });
                } else {
                    for byte in *offset..end {
                        let ty = IntType::unsigned(8);
                        let var = names.var(program, &format!("{}.byte{byte}", self.objects[o].name), ty);
                        scalars.push(Scalar { offset: byte, size: 1, var, ty });
                    }
                }
                k = last;
            }
            self.objects[o].layout = Layout::Scalars(scalars);
        }
        self.region_fields(cx, all, &by_object, (program, names));
    }

    /// Storage that accesses at unlisted places reach together share arrays.
    fn region_fields(
        &mut self,
        cx: &Context<'_>,
        all: &Collector<'_, '_>,
        by_object: &BTreeMap<ObjectId, Vec<Access>>,
        (program, names): (&mut Program, &mut Names),
    ) {
        let mut regions: BTreeMap<usize, Vec<ObjectId>> = BTreeMap::new();
        for o in 0..self.objects.len() {
            if all.array[o] {
                regions.entry(all.root(o)).or_default().push(ObjectId(index(o)));
            }
        }
        for (_, objects) in regions {
            let number = self.regions.len();
            let mut region = Region { objects: objects.clone(), ..Region::default() };
            for o in &objects {
                self.objects[o.0 as usize].layout = Layout::Region(number);
            }
            let accesses: Vec<&Access> = objects.iter().filter_map(|o| by_object.get(o)).flatten().collect();
            region.stride = accesses.iter().fold(0, |g, a| match &a.offsets {
                Offsets::Class { stride, .. } => gcd(g, *stride),
                Offsets::Exact(_) => g,
            });
            let mut fields: BTreeMap<(i64, u64), Vec<bool>> = BTreeMap::new();
            for a in &accesses {
                let mut put = |first: i64| {
                    let first = if region.stride > 0 { first.rem_euclid(region.stride) } else { first };
                    fields.entry((first, a.size)).or_default().extend(a.sign);
                };
                match &a.offsets {
                    Offsets::Exact(list) => list.iter().for_each(|o| put(*o)),
                    Offsets::Class { first, .. } => put(*first),
                }
            }
            // Copies whose length is no multiple of the stride, or that end within a field, need bytes.
            let keys: Vec<(i64, i64)> =
                fields.keys().map(|(f, n)| (*f, f + i64::try_from(*n).unwrap_or(i64::MAX / 2))).collect();
            let overlap = keys.windows(2).any(|w| w[1].0 < w[0].1);
            let beyond = region.stride > 0 && keys.last().is_some_and(|(_, end)| *end > region.stride);
            let wide = fields.keys().any(|(_, n)| *n > 16 || !n.is_power_of_two() && *n != 10 && *n != 12);
            let cut = all.copies.iter().any(|(to, from, size)| {
                let here = |side: &Targets| side.0.keys().any(|o| objects.contains(o));
                (here(to) || here(from))
                    && keys.iter().any(|(f, end)| {
                        let size = i64::try_from(*size).unwrap_or(0);
                        // Where the copies start is within the classes; what is left over is a partial field.
                        let starts = |side: &Targets| {
                            side.0.iter().filter(|(o, _)| objects.contains(o)).any(|(_, x)| {
                                let list = match x {
                                    Offsets::Exact(list) => list.clone(),
                                    Offsets::Class { first, stride } => {
                                        let m = gcd(*stride, region.stride).max(1);
                                        if m < region.stride {
                                            return true;
                                        }
                                        vec![*first]
                                    }
                                };
                                list.iter().any(|s| {
                                    let inside = |x: i64| {
                                        let x = if region.stride > 0 { x.rem_euclid(region.stride) } else { x };
                                        *f < x && x < *end
                                    };
                                    inside(*s) || inside(s + size)
                                })
                            })
                        };
                        starts(to) || starts(from)
                    })
            });
            let shared = self.region_name(&objects);
            if overlap || beyond || wide || cut {
                region.bytes = true;
                region.stride = 0;
                let ty = IntType::unsigned(8);
                let mem = names.mem(program, &shared, ty);
                region.fields.push(Field { first: 0, size: 1, mem, ty });
            } else {
                for ((first, size), votes) in fields {
                    let example = &self.objects[objects[0].0 as usize];
                    let (ty, name) = debug::field(cx, example, first, size, &votes);
                    let name = if objects.len() == 1 { name } else { format!("{shared}.{first}") };
                    let mem = names.mem(program, &name, ty);
                    region.fields.push(Field { first, size, mem, ty });
                }
            }
            self.regions.push(region);
        }
    }

    fn region_name(&self, objects: &[ObjectId]) -> String {
        let first = &self.objects[objects[0].0 as usize].name;
        if objects.len() == 1 { first.clone() } else { format!("memory of {first}") }
    }

    pub(in crate::translate) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }
}

/// Where objects lie.
struct Addresses {
    next: IBig,
    gap: u64,
    /// Room for an object whose size is not known.
    open: u64,
    outside: IBig,
    many: IBig,
    many_bits: u32,
    end: IBig,
}

impl Addresses {
    fn new(pointer: u32, objects_of_open_size: usize) -> Self {
        let power = |n: usize| IBig::from(1) << n;
        if pointer >= 64 {
            Self {
                next: power(33),
                gap: 1 << 32,
                // All addresses of a process, so that nothing larger can be had.
                open: 1 << 47,
                outside: power(60),
                many: power(61),
                many_bits: 40,
                end: power(62),
            }
        } else {
            let bits = pointer as usize;
            Self {
                next: IBig::from(4096),
                gap: 1 << 12,
                open: (1 << 28) / (objects_of_open_size.max(1).next_power_of_two() as u64),
                outside: power(bits - 2),
                many: power(bits - 2) + power(bits - 3),
                many_bits: 16,
                end: power(bits - 1),
            }
        }
    }
    fn one(&mut self, size: u64) -> IBig {
        let base = self.next.clone();
        let slot = size.max(1).saturating_add(self.gap);
        self.next += IBig::from(slot.div_ceil(4096) * 4096);
        base
    }
    fn many(&mut self, number: u32, count: u32) -> (IBig, IBig, IBig) {
        let step = IBig::from(1) << self.many_bits as usize;
        let first = &self.many + IBig::from(number) * &step;
        (first, step * IBig::from(count), self.end.clone())
    }
}

fn object_size(cx: &Context<'_>, kind: ObjectKind) -> Option<u64> {
    match kind {
        ObjectKind::Global(g) => {
            let global = &cx.flat.module.globals[g.0 as usize];
            // How large it is may be known only where it is defined.
            (global.size > 0 || global.init.is_some()).then_some(global.size)
        }
        ObjectKind::Function(_) => Some(1),
        ObjectKind::Stack(id, v) => {
            let function = cx.flat.function(id);
            if let Some(p) = function.params.get(v.0 as usize) {
                return p.byval;
            }
            function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == v).and_then(|i| match &i.op {
                Op::Alloca { size, count, .. } => {
                    let count = u64::try_from(constant_of(count)?).ok()?;
                    size.checked_mul(count)
                }
                _ => None,
            })
        }
        ObjectKind::Heap(at) => heap_size(cx, at),
        ObjectKind::Library(at, pointer) => library_size(cx, at, pointer),
        ObjectKind::Outside => None,
        ObjectKind::Absolute => Some(0),
    }
}

/// What the address of an object is a multiple of, at least.
fn object_align(cx: &Context<'_>, kind: ObjectKind) -> u64 {
    let pointer = u64::from(cx.flat.module.pointer_bits / 8);
    match kind {
        ObjectKind::Global(g) => cx.flat.module.globals[g.0 as usize].align,
        ObjectKind::Function(_) => 1,
        ObjectKind::Stack(id, v) => {
            let function = cx.flat.function(id);
            let made = function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == v);
            match made.map(|i| &i.op) {
                Some(Op::Alloca { align, .. }) => *align,
                // A copy for a parameter.
                _ => function.params.get(v.0 as usize).map_or(1, |p| p.align),
            }
        }
        // For every type that has no alignment of its own.
        ObjectKind::Heap(_) | ObjectKind::Library(..) => 2 * pointer,
        // The address is an input, digits and all.
        ObjectKind::Outside | ObjectKind::Absolute => 4096,
    }
}

struct Lifetimes {
    /// Storage of which a run may make many that matter at one time, or one after the other with pointers left over.
    many: BTreeSet<ObjectId>,
    /// Storage that may be used when they are gone.
    mortal: BTreeSet<ObjectId>,
    /// Those of which it is not known when they are gone.
    doubtful: BTreeSet<ObjectId>,
    /// Local objects of which one call may make several that all end with it.
    several: BTreeSet<ObjectId>,
    /// Storage that stand for several.
    summaries: BTreeSet<ObjectId>,
}

/// Which objects need an instance number, and which a flag.
///
/// A heap object that is made on a cycle is one of many. A local object is one at a time: it needs a flag only if a pointer to
/// it may be left when it is gone, and a number of its own only if, besides, it can be made again. Such a pointer is kept in
/// something that lives longer than the object: not in an object of a function that is called while it lives, and not
/// in one of the same function whose scope starts after, and so ends no later.
///
/// Where recursive calls are skipped, the objects that are made within a recursion and are not private to one call are summaries.
fn lifetimes(cx: &Context<'_>, points: &Points) -> Lifetimes {
    let mut found = Lifetimes {
        many: BTreeSet::new(),
        mortal: BTreeSet::new(),
        doubtful: BTreeSet::new(),
        several: BTreeSet::new(),
        summaries: BTreeSet::new(),
    };
    let skips = cx.flat.form == Form::Skip;
    let shared = if skips { shared_locals(cx, points) } else { BTreeSet::new() };
    let statics = points.objects.iter().filter(|k| is_static(cx, **k).is_some()).count();
    let mut starts: FastMap<InstanceId, debug::Scopes> = FastMap::default();
    for (o, &kind) in points.objects.iter().enumerate() {
        let id = ObjectId(index(o));
        match kind {
            // What the library may write at any time.
            _ if points.kept.contains(&id) && !matches!(kind, ObjectKind::Outside | ObjectKind::Function(_)) => {
                found.summaries.insert(id);
            }
            // Two calls may give the same object of the library, or not: nothing is known of it but where there is one call.
            ObjectKind::Library(at, false)
                if is_static(cx, kind).is_some_and(|volatile| {
                    volatile || statics > 1 || cx.on_cycle(at) || cx.recursive(at.instance)
                }) =>
            {
                found.summaries.insert(id);
            }
            ObjectKind::Heap(at) if skips && cx.recursive(at.instance) => {
                found.summaries.insert(id);
            }
            // What a library hands out each time is another one, and nobody knows what is in it.
            ObjectKind::Library(at, false) if (cx.on_cycle(at) || cx.recursive(at.instance)) && is_handle(cx, at) => {
                found.summaries.insert(id);
            }
            ObjectKind::Stack(instance, _) if skips && cx.recursive(instance) && !shared.contains(&id) => {}
            ObjectKind::Stack(instance, _) if skips && cx.recursive(instance) && object_size(cx, kind).is_some() => {
                found.summaries.insert(id);
            }
            ObjectKind::Heap(at) if cx.on_cycle(at) => {
                found.many.insert(id);
            }
            ObjectKind::Stack(instance, value) => {
                let scopes = starts
                    .entry(instance)
                    .or_insert_with(|| debug::Scopes::new(cx.flat.module, cx.flat.function(instance)));
                let outlived = |holder: &ObjectId| match points.objects[holder.0 as usize] {
                    ObjectKind::Stack(other, v) => {
                        if other == instance {
                            // In a recursion the holder may be that of a later call.
                            !scopes.starts_after(v, value) || cx.recursive(instance)
                        } else {
                            !cx.flat.is_within(other, instance)
                        }
                    }
                    _ => true,
                };
                let kept = points.holders.get(&id).is_some_and(|all| all.iter().any(outlived));
                let returned = points.returns_object(instance, id);
                // Values that are in no variable: a phi keeps a pointer from round to round, and a parameter of a recursion
                // one of an outer call.
                let carried = points.carried.contains(&id)
                    || cx.recursive(instance)
                        && cx.flat.ids().any(|other| {
                            cx.recursive(other)
                                && (0..cx.flat.function(other).params.len())
                                    .any(|n| points.value(cx.flat.value(other, ValueId(index(n)))).0.contains_key(&id))
                        });
                let lasting = kept || returned || carried || points.escaped.contains(&id) || scopes.is_strayed(value);
                if !lasting {
                    continue;
                }
                // An object of the whole function `main` is there until the end.
                let whole = instance == InstanceId(0) && scopes.is_whole(value) && !cx.recursive(instance);
                if whole {
                    continue;
                }
                found.mortal.insert(id);
                if scopes.is_unmarked(value) {
                    found.doubtful.insert(id);
                }
                if cx.stack_on_cycle(instance, value) {
                    found.many.insert(id);
                    if scopes.is_several(value) {
                        found.several.insert(id);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The locals to which there may be a pointer in memory, or in another call than the one that made them.
fn shared_locals(cx: &Context<'_>, points: &Points) -> BTreeSet<ObjectId> {
    let mut shared: BTreeSet<ObjectId> = points.escaped.iter().chain(&points.carried).copied().collect();
    shared.extend(points.holders.iter().filter(|(_, holders)| !holders.is_empty()).map(|(o, _)| *o));
    for id in cx.flat.ids() {
        let function = cx.flat.function(id);
        for n in 0..function.value_count() {
            let value = ValueId(index(n));
            for o in points.value(cx.flat.value(id, value)).0.keys() {
                let ObjectKind::Stack(owner, made) = points.objects[o.0 as usize] else { continue };
                // A parameter has a pointer of the caller, unless it is the copy that the callee gets.
                if owner != id || n < function.params.len() && made != value || points.returns_object(id, *o) {
                    shared.insert(*o);
                }
            }
        }
    }
    shared
}

/// The initial content of a memory that nothing is known of.
pub(in crate::translate) fn blank(cell: IntType, name: String) -> Mem {
    Mem { name, cell, init: MemInit::Cells { default: IBig::ZERO, cells: Vec::new() } }
}
