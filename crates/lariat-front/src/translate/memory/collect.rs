//! The accesses of a program: which places of which objects, how many bytes at a time, and what is copied where.

use crate::intrinsic::Intrinsic;
use crate::module::{Callee, Op, Operand, ValueId};
use crate::translate::flat::{Plan, Point, index};
use crate::translate::library::models::{constant_amount, core_of};
use crate::translate::memory::layout::object_align;
use crate::translate::points::{ObjectId, ObjectKind, Offsets, Points, Targets, constant_of, gcd};
use crate::translate::{Context, ModelUse, leaves_of, store_size};
use lariat_ir::fast::FastSet;
use std::collections::{BTreeMap, BTreeSet};

/// An access: where, and how many bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Access {
    pub object: ObjectId,
    pub offsets: Offsets,
    pub size: u64,
    pub sign: Option<bool>,
}

/// How many places an access may have before they become an array.
pub(in crate::translate) const ALTERNATIVES: usize = 6;
/// All accesses and copies of a program, and which objects they reach together.
pub(super) struct Collector<'a, 'm> {
    cx: &'a Context<'m>,
    points: &'a Points,
    pub accesses: Vec<Access>,
    pub copies: Vec<(Targets, Targets, u64)>,
    /// The region that each object is in, if it is in one.
    parent: Vec<usize>,
    pub array: Vec<bool>,
    /// Addresses that go elsewhere than directly into loads and stores.
    pub freed: BTreeSet<ObjectId>,
    /// Storage without variables.
    summaries: &'a BTreeSet<ObjectId>,
}

impl<'a, 'm> Collector<'a, 'm> {
    /// All accesses and copies of a program.
    pub(super) fn of(cx: &'a Context<'m>, points: &'a Points, summaries: &'a BTreeSet<ObjectId>) -> Self {
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
    pub(super) fn root(&self, mut o: usize) -> usize {
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
