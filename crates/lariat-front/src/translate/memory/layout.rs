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

use crate::module::{Op, TypeId};
use crate::translate::flat::index;
use crate::translate::library::models::{heap_size, library_size};
use crate::translate::memory::collect::{Access, Collector};
use crate::translate::memory::lifetimes::lifetimes;
use crate::translate::points::{ObjectId, ObjectKind, Offsets, Points, Targets, constant_of, gcd};
use crate::translate::{Context, Names, debug};
use dashu_int::IBig;
use lariat_ir::neutral::{IntType, Mem, MemInit, Program};
use std::collections::BTreeMap;

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

/// How many scalars an object may have before it becomes an array.
const SCALARS: usize = 160;

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
        for (o, &kind) in points.objects.iter().enumerate() {
            let id = ObjectId(index(o));
            let (name, ty) = debug::object_name(cx, points, kind, id);
            let size = object_size(cx, kind);
            let slot = match (kind, size) {
                (ObjectKind::Function(_), _) => 1,
                // What is larger cannot be had, and so needs no room.
                (ObjectKind::Heap(_), Some(n)) => n.min(at.most),
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
                // Also where the program does not access it itself: functions of the library do.
                (ObjectKind::Outside, _) => {
                    let var = names.made(program, "outside.size", program.address);
                    memory.outside_size = Some(var);
                    Size::Var(var)
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
    /// The largest object that any memory can hold.
    most: u64,
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
                most: 1 << 47,
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
                most: i32::MAX as u64,
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

pub(super) fn object_size(cx: &Context<'_>, kind: ObjectKind) -> Option<u64> {
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
pub(super) fn object_align(cx: &Context<'_>, kind: ObjectKind) -> u64 {
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

/// The initial content of a memory that nothing is known of.
pub(in crate::translate) fn blank(cell: IntType, name: String) -> Mem {
    Mem { name, cell, init: MemInit::Cells { default: IBig::ZERO, cells: Vec::new() } }
}
