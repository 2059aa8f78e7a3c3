//! What pointers may point to: objects, and where in them.
//!
//! Inclusion constraints over the flat graph, without regard to the order of statements; since callees are entered for each call
//! site, calls are kept apart. An offset is a number, or any member of a residue class. Every value is tracked, also integers, so
//! that a pointer that went through an integer, or through memory byte by byte, is not lost.
//!
//! Sound: a run's pointer into an object has an offset in the set that was found for the value that holds it, as long as the
//! pointer was made from the address of that object by the operations of the program. What the outside may have kept comes back as
//! [`ObjectKind::Outside`] and as every object whose address was given away.

use super::flat::{Flat, FlatValue, Plan, Point};
use super::{Context, ModelUse};
use crate::intrinsic::Intrinsic;
use crate::models::{Content, Effect, Expr as ModelExpr, Model, Returns};
use crate::module::{
    BinOp, BlockId, Callee, CastOp, Constant, FunctionId, GlobalId, Instruction, Op, Operand, Terminator, Type, ValueId,
};
use lariat_ir::fast::{FastMap, FastSet};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ObjectId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum ObjectKind {
    Global(GlobalId),
    Function(FunctionId),
    /// An alloca; with a parameter's number, the copy that a `byval` parameter is.
    Stack(super::flat::InstanceId, ValueId),
    /// What a call gives: a new object.
    Heap(Point),
    /// What a call gives: an object of the library. The second is the pointer to a table that such a call may return.
    Library(Point, bool),
    /// All memory that the program did not make: what arguments point to.
    Outside,
    /// What is at addresses that the program gives as numbers: registers of devices. It has no bytes that are followed.
    Absolute,
}

/// Offsets within an object.
#[derive(Clone, PartialEq, Hash, Eq, Debug)]
pub(super) enum Offsets {
    /// These.
    Exact(Vec<i64>),
    /// `first + k * stride` for any whole `k`; the stride is at least 1, `0 <= first < stride`.
    Class { first: i64, stride: i64 },
}

/// A pointer has at most so many bytes.
const POINTER: u64 = 16;

/// How many offsets are kept apart.
const EXACT: usize = 8;

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

impl Offsets {
    pub(super) const ANY: Self = Self::Class { first: 0, stride: 1 };

    fn class(first: i64, stride: i64) -> Self {
        let stride = stride.max(1);
        Self::Class { first: first.rem_euclid(stride), stride }
    }
    /// Adds the offsets of another set; whether anything is new.
    fn absorb(&mut self, other: &Self) -> bool {
        let before = self.clone();
        match (&mut *self, other) {
            (Self::Exact(mine), Self::Exact(theirs)) => {
                for o in theirs {
                    if let Err(at) = mine.binary_search(o) {
                        mine.insert(at, *o);
                    }
                }
                if mine.len() > EXACT {
                    let first = mine[0];
                    let stride = mine.iter().fold(0, |g, o| gcd(g, o - first));
                    *self = Self::class(first, stride);
                }
            }
            (Self::Exact(mine), Self::Class { first, stride }) => {
                let stride = mine.iter().fold(*stride, |g, o| gcd(g, o.wrapping_sub(*first)));
                *self = Self::class(*first, stride);
            }
            (Self::Class { first, stride }, Self::Exact(theirs)) => {
                let stride = theirs.iter().fold(*stride, |g, o| gcd(g, o.wrapping_sub(*first)));
                *self = Self::class(*first, stride);
            }
            (Self::Class { first, stride }, Self::Class { first: f, stride: s }) => {
                let stride = gcd(gcd(*stride, *s), f.wrapping_sub(*first));
                *self = Self::class(*first, stride);
            }
        }
        *self != before
    }
    fn shifted(&self, by: i64) -> Self {
        match self {
            Self::Exact(all) => {
                let mut moved = Vec::new();
                for o in all {
                    match o.checked_add(by) {
                        // What is far outside of every object is as good as lost.
                        Some(o) if o.abs() < 1 << 40 => moved.push(o),
                        _ => return Self::ANY,
                    }
                }
                Self::Exact(moved)
            }
            Self::Class { first, stride } => Self::class(first.wrapping_add(by.rem_euclid(*stride)), *stride),
        }
    }
    fn scattered(&self, by: i64) -> Self {
        match self {
            Self::Exact(all) => {
                let first = all.first().copied().unwrap_or(0);
                Self::class(first, all.iter().fold(by, |g, o| gcd(g, o - first)))
            }
            Self::Class { first, stride } => Self::class(*first, gcd(*stride, by)),
        }
    }
}

/// A set of pointers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Targets(pub BTreeMap<ObjectId, Offsets>);

impl Targets {
    fn one(object: ObjectId, offset: i64) -> Self {
        Self(BTreeMap::from([(object, Offsets::Exact(vec![offset]))]))
    }
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    fn add(&mut self, object: ObjectId, offsets: &Offsets) -> bool {
        match self.0.get_mut(&object) {
            Some(mine) => mine.absorb(offsets),
            None => {
                self.0.insert(object, offsets.clone());
                true
            }
        }
    }
    fn absorb(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (object, offsets) in &other.0 {
            changed |= self.add(*object, offsets);
        }
        changed
    }
    fn map(&self, f: impl Fn(&Offsets) -> Offsets) -> Self {
        Self(self.0.iter().map(|(o, offsets)| (*o, f(offsets))).collect())
    }
    /// The same objects at any offset.
    pub(super) fn anywhere(&self) -> Self {
        self.map(|_| Offsets::ANY)
    }
}

/// What an object's cells may hold.
#[derive(Clone, Debug, Default)]
struct Cells {
    exact: BTreeMap<i64, Cell>,
    /// The size of the largest of them.
    largest: i64,
    anywhere: Targets,
}

/// A place that pointers were stored to, with the size of the largest value among them.
#[derive(Clone, Debug, Default)]
struct Cell {
    targets: Targets,
    size: i64,
}

impl Cells {
    /// Adds what a value of a size may point to; whether anything is new.
    fn put(&mut self, at: i64, size: i64, targets: &Targets) -> bool {
        let cell = self.exact.entry(at).or_default();
        let wider = size > cell.size;
        cell.size = cell.size.max(size);
        self.largest = self.largest.max(size);
        cell.targets.absorb(targets) || wider
    }
    /// What may be in so many bytes from a place on.
    fn within(&self, at: i64, size: i64) -> impl Iterator<Item = &Targets> {
        let near = self.exact.range(at.saturating_sub(self.largest)..at.saturating_add(size));
        near.filter(move |(start, cell)| **start + cell.size > at).map(|(_, cell)| &cell.targets)
    }
}

pub(super) struct Points {
    pub objects: Vec<ObjectKind>,
    ids: FastMap<ObjectKind, ObjectId>,
    values: Vec<Targets>,
    cells: Vec<Cells>,
    /// Objects that the outside knows of.
    pub escaped: BTreeSet<ObjectId>,
    /// The objects that were stored into each object, for the question what outlives what.
    pub holders: FastMap<ObjectId, BTreeSet<ObjectId>>,
    /// Objects that the library has kept a pointer to, and may write at any time.
    pub kept: BTreeSet<ObjectId>,
    /// Objects to which a phi may point, so that the pointer may be one of an earlier round.
    pub carried: BTreeSet<ObjectId>,
    /// What a function's instance may return.
    returned: FastMap<super::flat::InstanceId, Targets>,
    /// Globals that may be only names for addresses.
    symbols: FastSet<GlobalId>,
    changed: bool,
}

impl Points {
    pub(super) fn solve(cx: &Context<'_>) -> Self {
        let mut points = Self {
            objects: Vec::new(),
            ids: FastMap::default(),
            values: vec![Targets::default(); cx.flat.value_count()],
            cells: Vec::new(),
            escaped: BTreeSet::new(),
            holders: FastMap::default(),
            kept: BTreeSet::new(),
            carried: BTreeSet::new(),
            returned: FastMap::default(),
            symbols: symbols(cx.flat.module),
            changed: false,
        };
        points.start(cx);
        loop {
            points.changed = false;
            for id in cx.flat.ids() {
                let function = cx.flat.function(id);
                for (b, block) in function.blocks.iter().enumerate() {
                    for (i, instruction) in block.instructions.iter().enumerate() {
                        let at =
                            Point { instance: id, block: BlockId(super::flat::index(b)), index: super::flat::index(i) };
                        points.instruction(cx, at, instruction);
                    }
                    if let Terminator::Return(Some(value)) = &block.terminator {
                        let targets = points.operand(cx.flat, id, value);
                        if !targets.is_empty() {
                            let mut all = points.returned.remove(&id).unwrap_or_default();
                            points.changed |= all.absorb(&targets);
                            points.returned.insert(id, all);
                        }
                    }
                }
            }
            points.spread();
            if !points.changed {
                return points;
            }
        }
    }

    /// What holds in the beginning: the initial values of globals, and what arguments may be.
    fn start(&mut self, cx: &Context<'_>) {
        let outside = self.object(ObjectKind::Outside);
        self.escaped.insert(outside);
        for (n, global) in cx.flat.module.globals.iter().enumerate() {
            let id = GlobalId(super::flat::index(n));
            if let Some(init) = &global.init {
                self.initial(cx, ObjectKind::Global(id), 0, init);
            }
            if cx.known_outside.contains(&id) {
                let object = self.object(ObjectKind::Global(id));
                self.escaped.insert(object);
            }
            if cx.stored_outside.contains(&id) {
                let object = self.object(ObjectKind::Global(id));
                let outside = self.outside();
                self.store_anywhere(&Targets::one(object, 0), &outside);
            }
        }
        let root = super::flat::InstanceId(0);
        for n in 0..cx.flat.function(root).params.len() {
            let value = cx.flat.value(root, ValueId(super::flat::index(n)));
            self.values[value.0 as usize].add(outside, &Offsets::ANY);
        }
    }

    fn initial(&mut self, cx: &Context<'_>, global: ObjectKind, at: i64, init: &Constant) {
        match init {
            Constant::Aggregate(ty @ (Type::Struct(..) | Type::Array(..)), parts) => {
                for (part, offset) in parts.iter().zip(super::offsets_of(ty)) {
                    self.initial(cx, global, at + offset, part);
                }
            }
            other => {
                let targets = self.constant(other);
                if !targets.is_empty() {
                    let object = self.object(global);
                    let bits = match other {
                        Constant::PtrToInt(_, width) => *width,
                        Constant::Aggregate(ty, _) => super::bits_of(ty, cx.flat.module),
                        _ => cx.flat.module.pointer_bits,
                    };
                    self.cells[object.0 as usize].put(at, i64::from(bits.div_ceil(8)), &targets);
                }
            }
        }
    }

    pub(super) fn object(&mut self, kind: ObjectKind) -> ObjectId {
        if let Some(id) = self.ids.get(&kind) {
            return *id;
        }
        let id = ObjectId(super::flat::index(self.objects.len()));
        self.objects.push(kind);
        self.cells.push(Cells::default());
        self.ids.insert(kind, id);
        self.changed = true;
        id
    }

    pub(super) fn known(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.ids.get(&kind).copied()
    }

    pub(super) fn value(&self, value: FlatValue) -> &Targets {
        &self.values[value.0 as usize]
    }

    fn constant(&mut self, c: &Constant) -> Targets {
        match c {
            Constant::Global(g, _) if self.symbols.contains(g) => {
                // It may be an address in any object, as a number may.
                let (object, absolute) = (self.object(ObjectKind::Global(*g)), self.object(ObjectKind::Absolute));
                Targets(BTreeMap::from([(object, Offsets::ANY), (absolute, Offsets::ANY)]))
            }
            Constant::Global(g, offset) => Targets::one(self.object(ObjectKind::Global(*g)), *offset),
            Constant::Function(f) => Targets::one(self.object(ObjectKind::Function(*f)), 0),
            Constant::Block(f, b) => Targets::one(self.object(ObjectKind::Function(*f)), i64::from(b.0) + 1),
            Constant::IntToPtr(inner) if is_absolute(inner) => {
                let object = self.object(ObjectKind::Absolute);
                Targets(BTreeMap::from([(object, Offsets::ANY)]))
            }
            Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => self.constant(inner),
            Constant::Aggregate(_, parts) => {
                let mut all = Targets::default();
                for p in parts {
                    let targets = self.constant(p);
                    all.absorb(&targets);
                }
                all
            }
            Constant::Opaque(_, parts) => {
                // A number that nobody reckoned with, made from these addresses.
                let mut all = self.outside();
                for p in parts {
                    let targets = self.constant(p).anywhere();
                    self.escape(&targets);
                    all.absorb(&targets);
                }
                all
            }
            _ => Targets::default(),
        }
    }

    /// What an operand may point to, after the solution.
    pub(super) fn of(&self, flat: &Flat<'_>, instance: super::flat::InstanceId, operand: &Operand) -> Targets {
        match operand {
            Operand::Value(v) => self.value(flat.value(instance, *v)).clone(),
            Operand::Constant(c) => self.of_constant(c),
        }
    }

    fn of_constant(&self, c: &Constant) -> Targets {
        let one = |kind: ObjectKind, offset: i64| {
            self.known(kind).map_or_else(Targets::default, |object| Targets::one(object, offset))
        };
        match c {
            Constant::Global(g, _) if self.symbols.contains(g) => {
                let mut all = one(ObjectKind::Global(*g), 0).anywhere();
                all.absorb(&one(ObjectKind::Absolute, 0).anywhere());
                all
            }
            Constant::Global(g, offset) => one(ObjectKind::Global(*g), *offset),
            Constant::Function(f) => one(ObjectKind::Function(*f), 0),
            Constant::Block(f, b) => one(ObjectKind::Function(*f), i64::from(b.0) + 1),
            Constant::IntToPtr(inner) if is_absolute(inner) => one(ObjectKind::Absolute, 0).anywhere(),
            Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => self.of_constant(inner),
            Constant::Aggregate(_, parts) => {
                let mut all = Targets::default();
                for p in parts {
                    all.absorb(&self.of_constant(p));
                }
                all
            }
            Constant::Opaque(_, parts) => {
                let mut all = one(ObjectKind::Outside, 0).anywhere();
                for p in parts {
                    all.absorb(&self.of_constant(p).anywhere());
                }
                all
            }
            _ => Targets::default(),
        }
    }

    fn operand(&mut self, flat: &Flat<'_>, instance: super::flat::InstanceId, operand: &Operand) -> Targets {
        match operand {
            Operand::Value(v) => self.value(flat.value(instance, *v)).clone(),
            Operand::Constant(c) => self.constant(c),
        }
    }

    fn flow(&mut self, to: FlatValue, targets: &Targets) {
        self.changed |= self.values[to.0 as usize].absorb(targets);
    }

    /// What may be read through these pointers.
    fn load(&self, pointers: &Targets, size: u64) -> Targets {
        let mut all = Targets::default();
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        for (object, offsets) in &self.expand(pointers).0 {
            let cells = &self.cells[object.0 as usize];
            all.absorb(&cells.anywhere);
            match offsets {
                Offsets::Exact(list) => {
                    for o in list {
                        for targets in cells.within(*o, size) {
                            all.absorb(targets);
                        }
                    }
                }
                Offsets::Class { .. } => cells.exact.values().for_each(|cell| {
                    all.absorb(&cell.targets);
                }),
            }
        }
        all
    }

    /// Stores a value of so many bytes.
    fn store(&mut self, pointers: &Targets, values: &Targets, size: u64) {
        if values.is_empty() {
            return;
        }
        let size = i64::try_from(size).unwrap_or(i64::MAX >> 1);
        for (object, offsets) in &self.expand(pointers).0 {
            let cells = &mut self.cells[object.0 as usize];
            match offsets {
                Offsets::Exact(list) => {
                    for o in list {
                        // Copies that move may reach ever further: what is many, or far, is kept together.
                        if cells.exact.contains_key(o) || cells.exact.len() < 64 && (0..1 << 20).contains(o) {
                            self.changed |= cells.put(*o, size, values);
                        } else {
                            self.changed |= cells.anywhere.absorb(values);
                        }
                    }
                }
                Offsets::Class { .. } => self.changed |= cells.anywhere.absorb(values),
            }
            for held in values.0.keys() {
                self.changed |= self.holders.entry(*held).or_default().insert(*object);
            }
        }
    }

    /// Stores a value at any place of the objects.
    fn store_anywhere(&mut self, pointers: &Targets, values: &Targets) {
        self.store(&pointers.anywhere(), values, 1);
    }

    /// Copies what is behind one set of pointers behind another.
    fn copy(&mut self, to: &Targets, from: &Targets) {
        // Where both are at one place the copies keep their places.
        if let (Some((a, Offsets::Exact(x))), Some((b, Offsets::Exact(y)))) = (only(to), only(from))
            && let ([x], [y]) = (x.as_slice(), y.as_slice())
            && (a != b || x == y)
        {
            let (a, b, by) = (*a, *b, x - y);
            let source = self.cells[b.0 as usize].clone();
            for (o, cell) in &source.exact {
                self.store(&Targets::one(a, o + by), &cell.targets, cell.size.unsigned_abs());
            }
            self.store_anywhere(&Targets::one(a, 0), &source.anywhere);
            return;
        }
        let values = self.load(&from.anywhere(), 1);
        self.store_anywhere(to, &values);
    }

    /// The outside gets to know these objects.
    fn escape(&mut self, targets: &Targets) {
        for object in self.expand(targets).0.keys() {
            self.changed |= self.escaped.insert(*object);
        }
    }

    /// What the outside knows it may store everywhere it can reach, and it knows what is stored there.
    fn spread(&mut self) {
        loop {
            let before = self.escaped.len();
            for object in self.escaped.clone() {
                let held = self.load(&Targets(BTreeMap::from([(object, Offsets::ANY)])), 1);
                self.escape(&held);
            }
            if self.escaped.len() == before {
                break;
            }
        }
        let everything = self.outside();
        for object in self.escaped.clone() {
            if !matches!(self.objects[object.0 as usize], ObjectKind::Function(_)) {
                self.store_anywhere(&Targets::one(object, 0), &everything);
            }
        }
    }

    /// Whether a function's instance may return a pointer to an object.
    pub(super) fn returns_object(&self, instance: super::flat::InstanceId, object: ObjectId) -> bool {
        self.returned.get(&instance).is_some_and(|t| t.0.contains_key(&object))
    }

    /// A pointer that comes from outside: it may point to whatever the outside knows of, which [`Self::expand`] tells.
    fn outside(&self) -> Targets {
        let outside = self.known(ObjectKind::Outside).expect("it was made first");
        Targets(BTreeMap::from([(outside, Offsets::ANY)]))
    }

    /// With a pointer from outside, everything that it may be.
    pub(super) fn expand(&self, targets: &Targets) -> Targets {
        let outside = self.known(ObjectKind::Outside).expect("it was made first");
        let mut all = targets.clone();
        if targets.0.contains_key(&outside) {
            for o in &self.escaped {
                all.add(*o, &Offsets::ANY);
            }
        }
        all
    }

    fn instruction(&mut self, cx: &Context<'_>, at: Point, instruction: &Instruction) {
        let flat = cx.flat;
        let id = at.instance;
        let result = flat.value(id, instruction.id);
        match &instruction.op {
            Op::Alloca { .. } => {
                let object = self.object(ObjectKind::Stack(id, instruction.id));
                self.flow(result, &Targets::one(object, 0));
            }
            Op::Load { ptr, size, .. } => {
                let pointers = self.operand(flat, id, ptr);
                let loaded = self.load(&pointers, *size);
                self.flow(result, &loaded);
            }
            Op::Store { value, ptr, size, .. } => {
                let values = self.operand(flat, id, value);
                let pointers = self.operand(flat, id, ptr);
                self.store(&pointers, &values, *size);
            }
            Op::Gep { base, offset, indices, .. } => {
                let base = self.operand(flat, id, base);
                let mut moved = base.map(|o| o.shifted(*offset));
                for (index, scale) in indices {
                    moved = match constant_of(index) {
                        Some(k) => moved.map(|o| o.shifted(k.wrapping_mul(*scale))),
                        None => moved.map(|o| o.scattered(*scale)),
                    };
                    let through = self.operand(flat, id, index).anywhere();
                    moved.absorb(&through);
                }
                self.flow(result, &moved);
            }
            Op::Binary { op, left, right, .. } => {
                let (a, b) = (self.operand(flat, id, left), self.operand(flat, id, right));
                if a.is_empty() && b.is_empty() {
                    return;
                }
                let both = match (op, constant_of(left), constant_of(right)) {
                    (BinOp::Add, _, Some(k)) => a.map(|o| o.shifted(k)),
                    (BinOp::Add, Some(k), _) => b.map(|o| o.shifted(k)),
                    (BinOp::Sub, _, Some(k)) => a.map(|o| o.shifted(k.wrapping_neg())),
                    _ => {
                        let mut all = a.anywhere();
                        all.absorb(&b.anywhere());
                        all
                    }
                };
                self.flow(result, &both);
            }
            Op::Compare { .. } | Op::FloatCompare { .. } | Op::Fence | Op::Float { .. } => {}
            Op::Cast { op, arg, .. } => {
                let targets = self.operand(flat, id, arg);
                match op {
                    CastOp::PtrToInt | CastOp::IntToPtr | CastOp::BitCast | CastOp::AddrSpaceCast => {
                        self.flow(result, &targets);
                    }
                    _ => self.flow(result, &targets.anywhere()),
                }
            }
            Op::Select { yes, no, .. } => {
                for operand in [yes, no] {
                    let targets = self.operand(flat, id, operand);
                    self.flow(result, &targets);
                }
            }
            Op::Phi { incoming } => {
                for (_, operand) in incoming {
                    let targets = self.operand(flat, id, operand);
                    self.carried.extend(targets.0.keys());
                    self.flow(result, &targets);
                }
            }
            Op::Freeze { arg } => {
                let targets = self.operand(flat, id, arg);
                self.flow(result, &targets);
            }
            Op::ExtractValue { aggregate, .. } => {
                let targets = self.operand(flat, id, aggregate);
                self.flow(result, &targets);
            }
            Op::InsertValue { aggregate, value, .. } => {
                for operand in [aggregate, value] {
                    let targets = self.operand(flat, id, operand);
                    self.flow(result, &targets);
                }
            }
            Op::AtomicRmw { ptr, value, size, .. } => {
                let pointers = self.operand(flat, id, ptr);
                let loaded = self.load(&pointers, *size);
                let mut values = self.operand(flat, id, value);
                self.flow(result, &loaded);
                values.absorb(&loaded);
                self.store(&pointers, &values.anywhere(), *size);
            }
            Op::CompareExchange { ptr, new, size, .. } => {
                let pointers = self.operand(flat, id, ptr);
                let loaded = self.load(&pointers, *size);
                self.flow(result, &loaded);
                let values = self.operand(flat, id, new);
                self.store(&pointers, &values, *size);
            }
            Op::VaArg { .. } | Op::LandingPad => {
                let outside = self.outside();
                self.flow(result, &outside);
            }
            Op::Opaque { args, .. } => {
                for a in args {
                    let targets = self.operand(flat, id, a);
                    self.escape(&targets);
                }
                let outside = self.outside();
                self.flow(result, &outside);
            }
            Op::Call { callee, args, .. } => self.call(cx, at, instruction, callee, args),
        }
    }

    fn call(&mut self, cx: &Context<'_>, at: Point, instruction: &Instruction, callee: &Callee, args: &[Operand]) {
        let flat = cx.flat;
        let result = flat.value(at.instance, instruction.id);
        let arguments: Vec<Targets> = args.iter().map(|a| self.operand(flat, at.instance, a)).collect();
        let plan = flat.plan(at);
        for (f, what) in plan {
            if matches!(callee, Callee::Pointer(_)) {
                self.object(ObjectKind::Function(*f));
            }
            let (Plan::Enter(inner) | Plan::Again(inner)) = what else { continue };
            let function = &flat.module.functions[f.0 as usize];
            for (n, targets) in arguments.iter().enumerate() {
                let number = ValueId(super::flat::index(n));
                match function.params.get(n) {
                    Some(p) if p.byval.is_some() => {
                        let copy = self.object(ObjectKind::Stack(*inner, number));
                        let there = Targets::one(copy, 0);
                        self.copy(&there, targets);
                        self.flow(flat.value(*inner, number), &there);
                    }
                    Some(_) => self.flow(flat.value(*inner, number), targets),
                    // A further argument, which `va_arg` may find.
                    None => self.escape(targets),
                }
            }
            if let Some(returned) = self.returned.get(inner).cloned() {
                self.flow(result, &returned);
            }
        }
        match cx.model_use(at, callee) {
            ModelUse::Entered | ModelUse::Observe => {}
            ModelUse::Intrinsic(which) => self.intrinsic(which, result, &arguments),
            ModelUse::Unknown => {
                for a in &arguments {
                    self.escape(a);
                }
                let outside = self.outside();
                self.flow(result, &outside);
            }
            ModelUse::Model(model) => {
                for global in cx.handlers.kept(model) {
                    let object = self.object(ObjectKind::Global(global));
                    let outside = self.outside();
                    self.store_anywhere(&Targets::one(object, 0), &outside);
                }
                for effect in &model.effects {
                    self.effect(cx, model, effect, args, &arguments);
                }
                if may_pass_on(model) {
                    for a in &arguments {
                        let held = self.load(&a.anywhere(), POINTER);
                        self.escape(&held);
                    }
                }
                let pointer = model.result == Some(crate::models::Type::Pointer);
                self.returns(at, result, &model.returns, &arguments, pointer);
            }
        }
    }

    /// What an effect of a model does to pointers.
    fn effect(&mut self, cx: &Context<'_>, model: &Model, effect: &Effect, args: &[Operand], arguments: &[Targets]) {
        match effect {
            Effect::Writes(write) => {
                let to = arguments.get(write.to).cloned().unwrap_or_default();
                match write.content {
                    Content::CopyOf(from) => {
                        let from = arguments.get(from).cloned().unwrap_or_default();
                        if write.offset.is_none() {
                            self.copy(&to, &from);
                        } else {
                            self.copy(&to.anywhere(), &from.anywhere());
                        }
                    }
                    Content::PointerInto(into) => {
                        let into = arguments.get(into).cloned().unwrap_or_default().anywhere();
                        self.store_anywhere(&to, &into);
                    }
                    Content::Unknown(_) => {
                        // Bytes that nobody knows may be those of a pointer.
                        let outside = self.outside();
                        self.store_anywhere(&to, &outside);
                    }
                    _ => {}
                }
            }
            Effect::Prints(format) => {
                // Only `%n` writes.
                if args.get(*format).is_none_or(|f| super::library::models::may_count(cx.flat.module, f)) {
                    for a in arguments.iter().skip(model.params.len()) {
                        self.escape(a);
                    }
                }
            }
            Effect::Frees(_) | Effect::Scans(..) => {}
            Effect::Calls(_) | Effect::ChangesMemory => arguments.iter().for_each(|a| self.escape(a)),
            Effect::Keeps(arg) => {
                let kept = arguments.get(*arg).cloned().unwrap_or_default();
                self.kept.extend(self.expand(&kept).0.into_keys());
                self.escape(&kept);
            }
            Effect::ChangesThrough(arg)
            | Effect::FreesThrough(arg)
            | Effect::GivesAway(arg)
            | Effect::Registers(arg, _) => {
                let through = arguments.get(*arg).cloned().unwrap_or_default();
                self.escape(&through);
            }
            Effect::ChangesThroughRest => {
                for a in arguments.iter().skip(model.params.len()) {
                    self.escape(a);
                }
            }
        }
    }

    fn returns(&mut self, at: Point, result: FlatValue, returns: &Returns, arguments: &[Targets], pointer: bool) {
        let arg = |n: usize| arguments.get(n).cloned().unwrap_or_default();
        match returns {
            Returns::Nothing => {}
            Returns::Value { .. } => {
                if pointer {
                    let outside = self.outside();
                    self.flow(result, &outside);
                }
            }
            Returns::Exactly(e) => {
                if let ModelExpr::Arg(n) = e {
                    self.flow(result, &arg(*n));
                } else {
                    for n in mentioned(e) {
                        self.flow(result, &arg(n).anywhere());
                    }
                }
            }
            Returns::Fresh { .. } => {
                let object = self.object(ObjectKind::Heap(at));
                self.flow(result, &Targets::one(object, 0));
            }
            Returns::Moved { from, .. } => {
                let object = self.object(ObjectKind::Heap(at));
                let there = Targets::one(object, 0);
                self.flow(result, &there);
                let from = arg(*from);
                let values = self.load(&from.anywhere(), 1);
                self.copy(&there, &from);
                self.store_anywhere(&there, &values);
            }
            Returns::Within(n) => self.flow(result, &arg(*n).anywhere()),
            Returns::Static { .. } | Returns::Handle => {
                let object = self.object(ObjectKind::Library(at, false));
                self.flow(result, &Targets::one(object, 0));
                if matches!(returns, Returns::Static { .. }) {
                    let outside = self.outside();
                    self.store_anywhere(&Targets::one(object, 0), &outside);
                }
            }
            Returns::Table { .. } => {
                let pointer = self.object(ObjectKind::Library(at, true));
                let table = self.object(ObjectKind::Library(at, false));
                self.flow(result, &Targets::one(pointer, 0));
                self.store(&Targets::one(pointer, 0), &Targets(BTreeMap::from([(table, Offsets::ANY)])), POINTER);
            }
            Returns::OrNull(_, inner) | Returns::Read { data: inner, .. } => {
                self.returns(at, result, inner, arguments, pointer);
            }
            Returns::If(_, yes, no) => {
                self.returns(at, result, yes, arguments, pointer);
                self.returns(at, result, no, arguments, pointer);
            }
        }
    }

    fn intrinsic(&mut self, which: Intrinsic, result: FlatValue, arguments: &[Targets]) {
        match which {
            Intrinsic::Memcpy | Intrinsic::Memmove => {
                if let [to, from, ..] = arguments {
                    self.copy(to, from);
                }
            }
            Intrinsic::VaStart => {
                if let Some(list) = arguments.first() {
                    self.escape(list);
                }
            }
            Intrinsic::Identity => {
                if let Some(first) = arguments.first() {
                    self.flow(result, first);
                }
            }
            // A number that is made from addresses.
            which if which.is_computed() => {
                for a in arguments {
                    self.flow(result, &a.anywhere());
                }
            }
            _ => {}
        }
    }
}

/// Whether a function may keep what its arguments point to, or hand it on, so that addresses among it come back from elsewhere: through a
/// pipe, a file, a queue of events. One that only makes and frees memory does not.
fn may_pass_on(model: &Model) -> bool {
    fn makes(returns: &Returns) -> bool {
        match returns {
            Returns::Fresh { .. } | Returns::Moved { .. } => true,
            Returns::OrNull(_, inner) => makes(inner),
            Returns::If(_, yes, no) => makes(yes) || makes(no),
            _ => false,
        }
    }
    !makes(&model.returns) && !model.effects.iter().any(|e| matches!(e, Effect::Frees(_)))
}

/// Whether a number that is made a pointer is an address of memory that is there: null and what is negative as an offset (`MAP_FAILED`,
/// marks in the last pages) are not.
fn is_absolute(number: &Constant) -> bool {
    matches!(number, Constant::Int(width, bits) if *bits != 0 && bits >> (width - 1) == 0)
}

/// The globals that may be only names for addresses.
fn symbols(module: &crate::module::Module) -> FastSet<GlobalId> {
    let all = module.globals.iter().enumerate().filter(|(_, g)| g.is_symbol());
    all.map(|(n, _)| GlobalId(super::flat::index(n))).collect()
}

/// The only member.
fn only(targets: &Targets) -> Option<(&ObjectId, &Offsets)> {
    let mut all = targets.0.iter();
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// The arguments that an expression mentions.
fn mentioned(e: &ModelExpr) -> Vec<usize> {
    match e {
        ModelExpr::Arg(n) => vec![*n],
        ModelExpr::Unary(_, a) => mentioned(a),
        ModelExpr::Binary(_, a, b) => [mentioned(a), mentioned(b)].concat(),
        ModelExpr::If(a, b, c) => [mentioned(a), mentioned(b), mentioned(c)].concat(),
        _ => Vec::new(),
    }
}

/// An integer constant as a signed number.
pub(super) fn constant_of(operand: &Operand) -> Option<i64> {
    match operand {
        Operand::Constant(Constant::Int(width, bits)) if *width <= 64 => {
            let shift = 128 - width;
            i64::try_from((*bits << shift).cast_signed() >> shift).ok()
        }
        _ => None,
    }
}
