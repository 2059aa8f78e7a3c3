//! Pieces of the graph, executed symbolically, as cases of locations.
//!
//! A location is a point of the graph: the targets of retreating edges (so that every cycle has one), and wherever a piece gets
//! too large or a value must be stored before it can be used. From a location all ways to the next ones are followed. At
//! a branch the condition is put before what follows on the `yes` side, then the other side follows without it: the cases
//! are tried in order, so that it holds there that the condition does not. The last case of all has none.
//!
//! A condition for undefined behaviour becomes a case that leads to UB, before what follows. All conditions of a piece are
//! evaluated in the state at its location, so within a piece undefined behaviour comes before the effects; that is the
//! freedom that C gives.

use super::arith::{self, Num, Sym, and, bit, cmp, compare, constant, ite, low_bit, not, truth};
use super::flat::{FlatValue, InstanceId, Point, index};
use super::layout::{Layout, Life, Memory, Size};
use super::points::{ObjectKind, Points, Targets};
use super::{Context, Names, bits_of, debug, leaves_of, store_size};
use crate::module::{
    BinOp, BlockId, CastOp, Constant, Function, FunctionId, Instruction, Op, Operand, Place, Predicate, Terminator, Type,
    ValueId,
};
use dashu_int::IBig;
use lariat_ir::neutral::{
    Case, CmpOp, Cond, Expr, Goto, IntType, Location, MemInit, MemUnknown, MemUpdate, Overflow, Program, Unknown,
};
use lariat_ir::{Assumption, Mode, Obligation, Span, UnknownKind};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// The piece must end here: a new location starts before the instruction.
#[derive(Debug)]
pub(super) struct Split;

/// What is known on one way through a piece.
#[derive(Clone, Debug)]
pub(super) struct State {
    at: Point,
    env: HashMap<FlatValue, Sym>,
    vars: BTreeMap<usize, Expr>,
    pub(super) stores: Vec<MemUpdate>,
    assumes: BTreeSet<usize>,
    cond: Option<Cond>,
    span: Option<Span>,
    steps: usize,
    /// How many of the stores are those of earlier instructions.
    settled: usize,
    /// How many unknown values this instruction has asked for.
    asked: u32,
    /// Whether the object of the access is called by its name.
    pub(super) direct: bool,
    /// Whether the access is a store.
    pub(super) writing: bool,
}

/// How a way goes on, when its turn comes.
#[derive(Clone, Debug)]
pub(super) enum Next {
    /// Where it is.
    Follow,
    /// At a point, which may be a location.
    Jump(Point),
    /// At the location of a point.
    Go(Point),
    /// At a sink.
    End(Goto),
    /// Where nothing can be said.
    Beyond,
    /// With the call of a function that is not followed, which it stands before.
    Outside(FunctionId),
    /// With a call through a pointer to none of the known functions.
    Nobody(Expr),
}

impl State {
    pub(super) fn var(&self, v: usize) -> Expr {
        self.vars.get(&v).cloned().unwrap_or(Expr::Var(v))
    }
    pub(super) fn set(&mut self, v: usize, value: Expr) {
        self.vars.insert(v, value);
    }
    pub(super) fn point(&self) -> Point {
        self.at
    }
    pub(super) fn move_to(&mut self, at: Point) {
        self.at = at;
    }
    pub(super) fn span_of(&self) -> Option<Span> {
        self.span.clone()
    }
    pub(super) fn set_value(&mut self, value: FlatValue, sym: Sym) {
        self.env.insert(value, sym);
    }
    /// One more condition for this way.
    pub(super) fn restrict(&mut self, cond: Cond) {
        self.cond = Some(with(self.cond.take(), cond));
    }
    /// The stores of earlier instructions.
    pub(super) fn settled(&self) -> &[MemUpdate] {
        &self.stores[..self.settled.min(self.stores.len())]
    }
    /// The variables that have another value than in an earlier state.
    pub(super) fn changed_since(&self, before: &Self) -> Vec<(usize, Expr)> {
        let differs = |(v, e): &(&usize, &Expr)| before.var(**v) != **e;
        self.vars.iter().filter(differs).map(|(v, e)| (*v, e.clone())).collect()
    }
}

/// Where control goes after an instruction.
pub(super) enum Flow {
    On,
    /// To this point, within the piece if that is possible.
    To(Point),
    /// All that follows has been written.
    Done,
}

/// The position that stands for the return of an instance that is entered again from within.
const RETURN: u32 = u32::MAX;

/// How many instructions a piece may have, how many cases, and how large a value may get.
const STEPS: usize = 400;
const CASES: usize = 48;
const JOINS: usize = 10;
/// A graph with more points than this is long: its pieces end where ways meet.
const LONG: usize = 400;
const LARGE: usize = 60;

pub(super) struct Builder<'a, 'm> {
    pub(super) cx: &'a Context<'m>,
    pub(super) points: &'a Points,
    pub(super) memory: &'a Memory,
    pub(super) program: Program,
    pub(super) names: Names,
    loc_names: Names,
    locations: HashMap<Point, usize>,
    queue: VecDeque<Point>,
    pending: Vec<(State, Next)>,
    cases: Vec<Case>,
    ssa: HashMap<(FlatValue, u32), usize>,
    unknowns: HashMap<(Point, u32), usize>,
    mem_unknowns: HashMap<(Point, usize, UnknownKind), usize>,
    liveness: HashMap<FunctionId, Rc<Vec<HashSet<ValueId>>>>,
    headers: HashMap<(FunctionId, BlockId), Place>,
    depths: HashMap<InstanceId, usize>,
    return_vars: HashMap<(InstanceId, u32), usize>,
    /// Functions whose addresses were given to functions that are not followed.
    handed_over: BTreeSet<FunctionId>,
    /// Where variables are declared whose scopes the compiler does not mark.
    declared: HashMap<FunctionId, Rc<HashMap<(BlockId, u32), Vec<ValueId>>>>,
    assumptions: HashMap<(String, Option<Span>), usize>,
    observed: Option<usize>,
    observations: HashSet<Point>,
    /// For each location, where its runs go of which nothing can be said.
    exhausted: HashMap<usize, usize>,
    /// The location that is being written, and whether it lies on a cycle.
    current: (usize, bool),
    traps: HashSet<u32>,
    /// For each `setjmp`, the variable that says whether it has been called and its function not been left.
    pub(super) armed: BTreeMap<Point, usize>,
    /// How many ways a piece may have and still follow each beyond where it meets others.
    joins: usize,
    /// Points that control comes to from elsewhere: behind `setjmp`.
    forced: HashSet<Point>,
}

impl<'a, 'm> Builder<'a, 'm> {
    pub(super) fn new(
        cx: &'a Context<'m>,
        points: &'a Points,
        memory: &'a Memory,
        program: Program,
        names: Names,
    ) -> Self {
        let mut headers = HashMap::new();
        let module = cx.flat.module;
        for (n, f) in module.functions.iter().enumerate() {
            for block in &f.blocks {
                if let Some(place) = block.loop_place {
                    for to in super::block_successors(&block.terminator) {
                        headers.entry((FunctionId(index(n)), to)).or_insert(place);
                    }
                }
            }
        }
        let traps = module
            .functions
            .iter()
            .enumerate()
            .filter(|(_, f)| f.name == "llvm.ubsantrap")
            .map(|(n, _)| index(n))
            .collect();
        let mut builder = Self {
            cx,
            points,
            memory,
            program,
            names,
            loc_names: Names::default(),
            locations: HashMap::new(),
            queue: VecDeque::new(),
            pending: Vec::new(),
            cases: Vec::new(),
            ssa: HashMap::new(),
            unknowns: HashMap::new(),
            mem_unknowns: HashMap::new(),
            liveness: HashMap::new(),
            headers,
            depths: HashMap::new(),
            return_vars: HashMap::new(),
            handed_over: BTreeSet::new(),
            declared: HashMap::new(),
            assumptions: HashMap::new(),
            observed: None,
            observations: HashSet::new(),
            exhausted: HashMap::new(),
            current: (0, false),
            traps,
            armed: BTreeMap::new(),
            joins: if cx.graph.order.len() > LONG { 1 } else { JOINS },
            forced: cx.flat.returns_twice.iter().map(|p| cx.flat.after_call(*p)).collect(),
        };
        if cx.options.observe.is_some() {
            let ty = IntType::signed(64);
            let var = builder.names.var(&mut builder.program, "observed", ty);
            builder.program.init.push((var, Some(IBig::ZERO)));
            builder.observed = Some(var);
        }
        for p in &cx.flat.returns_twice {
            let name = format!("setjmp {}", debug::place_of(cx, *p));
            let var = builder.names.var(&mut builder.program, &name, IntType::unsigned(8));
            builder.program.init.push((var, Some(IBig::ZERO)));
            builder.armed.insert(*p, var);
        }
        for (n, instance) in cx.flat.instances.iter().enumerate() {
            if !instance.recursions.is_empty() {
                let function = &module.functions[instance.function.0 as usize];
                let name = format!("depth of {}", function.shown());
                let var = builder.names.var(&mut builder.program, &name, IntType::signed(64));
                builder.program.init.push((var, Some(IBig::ZERO)));
                builder.depths.insert(InstanceId(index(n)), var);
            }
        }
        builder
    }

    pub(super) fn build(mut self) -> Program {
        self.program.mode = if self.cx.whole { Mode::Program } else { Mode::Function };
        self.start();
        while let Some(point) = self.queue.pop_front() {
            self.piece(point);
        }
        for f in &self.cx.flat.left_out {
            let function = &self.cx.flat.module.functions[f.0 as usize];
            let span = self.span(function.place);
            self.program.obligations.push(Obligation {
                text: format!("the loops of `{}`, which is too large to be followed from here", function.shown()),
                span,
            });
        }
        self.callbacks();
        // What was not given a value in the beginning, and is no input, starts as zero; it is written before it is read.
        let given: HashSet<usize> = self.program.init.iter().map(|(v, _)| *v).collect();
        for v in 0..self.program.vars.len() {
            if !given.contains(&v) {
                self.program.init.push((v, Some(IBig::ZERO)));
            }
        }
        for (v, value) in &mut self.program.init {
            if let Some(k) = value {
                *k = arith::wrap(k, self.program.vars[*v].1);
            }
        }
        self.program
    }

    /// Functions that are called from outside, when and as often as it likes, are not in the graph; so their loops, and
    /// with them the end of the program, are open.
    fn callbacks(&mut self) {
        let module = self.cx.flat.module;
        let mut found: BTreeSet<FunctionId> = self.handed_over.clone();
        for o in &self.points.escaped {
            if let ObjectKind::Function(f) = self.points.objects[o.0 as usize] {
                found.insert(f);
            }
        }
        if self.cx.whole {
            found.extend(self.cx.destructors.iter().copied());
        }
        for f in found {
            let function = &module.functions[f.0 as usize];
            if function.blocks.is_empty() || !has_cycle(module, f, &mut HashSet::new()) {
                continue;
            }
            let span = self.span(function.place);
            let text = format!("the loops of `{}`, which is called from outside the program", function.shown());
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

    // ---- the beginning

    /// The first location: globals have their values, everything else is unknown.
    fn start(&mut self) {
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
                        let size = self.unknown(&mut state, 0, "size", ty, UnknownKind::Environment, range);
                        state.set(v, size.expr);
                    }
                    // The state at the call of a function is its input; what another file says is not.
                    let input = !known && !global.constant;
                    self.start_global(&mut state, number, bytes, input);
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
                        self.forget(&mut state, number, UnknownKind::Environment, 900_000 + index(id));
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
            let unknown =
                region.objects.iter().any(|o| !matches!(of(o), ObjectKind::Global(_) | ObjectKind::Outside));
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
        for (n, p) in function.params.iter().enumerate() {
            let value = self.cx.flat.value(InstanceId(0), ValueId(index(n)));
            let leaves = leaves_of(&p.ty);
            for (k, (_, leaf)) in leaves.iter().enumerate() {
                let name = function
                    .declares
                    .iter()
                    .chain(&function.values)
                    .map(|(_, v)| v)
                    .find(|v| v.argument as usize == n + 1)
                    .map_or_else(|| format!("argument {}", n + 1), |v| v.name.clone());
                let ty = self.leaf_type(InstanceId(0), ValueId(index(n)), leaf);
                let range = (self.cx.whole && function.name == "main" && n == 0 && ty.width >= 8)
                    .then(|| (IBig::from(1), IntType::signed(ty.width).range().1))
                    .or_else(|| (*leaf == Type::Ptr).then(|| ty.range()));
                let unknown = self.unknown(&mut state, 800_000 + index(n * 16 + k), &name, ty, UnknownKind::Input, range);
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
        let mut location = Location::new(self.loc_names.unused("start"), Vec::new());
        location.span = self.span(function.place);
        location.function = Some(function.shown().to_owned());
        self.program.locs.push(location);
        self.program.entry = 0;
        self.cases.clear();
        if function.name == "main" && self.cx.whole && !function.params.is_empty() {
            self.assume(&mut state, "the program is called with its name: `argc` is at least 1", None);
            self.argument_vector(&mut state);
        }
        let before = std::mem::take(&mut self.cases);
        // The first piece goes on from here, unless control comes back to the entry.
        self.jump(state, root);
        self.ways(root, 0);
        let cases = &mut self.program.locs[0].cases;
        cases.splice(0..0, before);
    }

    /// `argv[argc]` is null; where it is not this is no run of the program.
    fn argument_vector(&mut self, state: &mut State) {
        let value = |n: u32| self.cx.flat.value(InstanceId(0), ValueId(n));
        let (Some(Sym::Num(count)), Some(Sym::Num(vector))) =
            (state.env.get(&value(0)).cloned(), state.env.get(&value(1)).cloned())
        else {
            return;
        };
        let ty = self.address();
        let bytes = u64::from(ty.width / 8);
        let by = arith::operate(
            lariat_ir::neutral::BinaryOp::Mul,
            ty,
            Overflow::Undefined,
            count.to(ty),
            constant(bytes, ty),
        );
        let at = arith::operate(lariat_ir::neutral::BinaryOp::Add, ty, Overflow::Undefined, vector.to(ty), by);
        let targets = self.points.value(value(1)).clone();
        let Ok(resolved) = self.resolve(state, &at, &targets, bytes, bytes) else { return };
        let lost = resolved.spots.iter().any(|s| matches!(s.place, super::memory::Place::Lost(_)));
        if resolved.spots.is_empty() || lost || self.memory.outside_size.is_none() {
            return;
        }
        if let Ok(last) = self.read(state, &resolved, bytes, 850_000) {
            let null = cmp(CmpOp::Eq, ty, last.to(ty), constant(0, ty));
            self.unless(state, and(resolved.valid, null), Goto::Stop);
        }
    }

    /// Whether all objects of a region are globals whose first content is known, or all are inputs.
    fn is_mixed(&self, region: &super::layout::Region) -> bool {
        let kind = |o: &super::points::ObjectId| match self.memory.object(*o).kind {
            ObjectKind::Global(g) => {
                let global = &self.cx.flat.module.globals[g.0 as usize];
                let kept = !self.cx.known_outside.contains(&g) && !self.cx.stored_outside.contains(&g);
                let known = global.constant || kept || self.cx.whole;
                (known, global.init.as_ref().is_some_and(is_plain))
            }
            _ => (false, true),
        };
        let first = region.objects.first().map(kind);
        let globals = region.objects.iter().all(|o| matches!(self.memory.object(*o).kind, ObjectKind::Global(_)));
        !globals || region.objects.iter().any(|o| Some(kind(o)) != first)
    }

    fn start_global(
        &mut self,
        state: &mut State,
        id: super::points::ObjectId,
        bytes: Option<Vec<u8>>,
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
                    let value = bytes.as_ref().map(|b| arith::wrap(&number(s.offset, s.size, b), s.ty));
                    if value.is_none() && !input {
                        let name = self.program.vars[s.var].0.clone();
                        let unknown = self.unknown(state, 0, &name, s.ty, UnknownKind::Environment, None);
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
                    let Some(bytes) = &bytes else {
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
    fn bytes(&self, init: &Constant, size: u64) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(size.min(1 << 20)).unwrap_or(0)];
        self.put(init, 0, &mut bytes);
        bytes
    }

    fn put(&self, c: &Constant, at: usize, bytes: &mut [u8]) {
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
    fn constant_address(&self, c: &Constant) -> Option<IBig> {
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

    // ---- locations and pieces

    fn fresh_state(&self, at: Point) -> State {
        State {
            at,
            env: HashMap::new(),
            vars: BTreeMap::new(),
            stores: Vec::new(),
            assumes: BTreeSet::new(),
            cond: None,
            span: self.span_at(at),
            steps: 0,
            settled: 0,
            asked: 0,
            direct: false,
            writing: false,
        }
    }

    pub(super) fn span(&self, place: Option<Place>) -> Option<Span> {
        place.map(|p| Span {
            file: self.cx.flat.module.files.get(p.file as usize).cloned().unwrap_or_default(),
            line: p.line,
            column: p.column.max(1),
        })
    }

    fn span_at(&self, at: Point) -> Option<Span> {
        let block = self.cx.flat.block(at);
        let places = block.instructions.iter().skip(at.index as usize).map(|i| i.place).chain([block.place]);
        // A block of the compiler's own has the place of what leads to it.
        let function = self.cx.flat.function(at.instance);
        let before = function
            .blocks
            .iter()
            .filter(|b| super::block_successors(&b.terminator).contains(&at.block))
            .map(|b| b.place);
        self.span(places.chain(before).flatten().find(|p| p.line > 0))
    }

    /// The location at a point, made if there is none.
    fn location(&mut self, at: Point) -> usize {
        if let Some(n) = self.locations.get(&at) {
            return *n;
        }
        let function = self.cx.flat.function(at.instance);
        if at.index == RETURN {
            let name = self.loc_names.unused(&format!("returns:{}", debug::clean(function.shown())));
            let mut location = Location::new(name, Vec::new());
            location.span = self.span(function.place);
            location.function = Some(function.shown().to_owned());
            self.program.locs.push(location);
            let n = self.program.locs.len() - 1;
            self.locations.insert(at, n);
            self.queue.push_back(at);
            return n;
        }
        let instance = self.cx.flat.instance(at.instance);
        let header = (at.index == 0).then(|| self.headers.get(&(instance.function, at.block))).flatten().copied();
        let span = self.span(header).or_else(|| self.span_at(at)).or_else(|| self.span(function.place));
        let shown = debug::clean(function.shown());
        let entered_again = at == self.cx.flat.entry(at.instance) && !instance.recursions.is_empty();
        let (name, span) = if entered_again {
            (format!("recursion:{shown}"), self.span(function.place).or(span))
        } else if self.observations.contains(&at) {
            ("observe".to_owned(), span)
        } else {
            let line = span.as_ref().map_or(0, |s| s.line);
            // Within a recursion a cycle may start here that only returns from call after call.
            let made = header.is_none() && self.cx.recursive(at.instance);
            (format!("{}{shown}:{line}", if made { "returns:" } else { "" }), span)
        };
        let mut location = Location::new(self.loc_names.unused(&name), Vec::new());
        location.span = span;
        location.function = Some(function.shown().to_owned());
        self.program.locs.push(location);
        let n = self.program.locs.len() - 1;
        self.locations.insert(at, n);
        self.queue.push_back(at);
        n
    }

    /// The case that goes to the location at a point, with everything stored that is used there.
    fn leave(&mut self, state: &State, to: Point) -> Case {
        let target = self.location(to);
        let mut assigns: Vec<(usize, Expr)> =
            state.vars.iter().filter(|(v, e)| **e != Expr::Var(**v)).map(|(v, e)| (*v, e.clone())).collect();
        let live = self.live_at(to);
        for value in live {
            if self.fixed_address(value.1, value.2).is_some() {
                continue;
            }
            let Some(sym) = state.env.get(&value.0) else { continue };
            self.store_ssa(value, &sym.clone(), &mut assigns);
        }
        self.case(state, assigns, Goto::Loc(target))
    }

    fn case(&self, state: &State, assigns: Vec<(usize, Expr)>, target: Goto) -> Case {
        let mut case = Case::new(state.cond.clone(), assigns, target);
        case.stores.clone_from(&state.stores);
        case.span.clone_from(&state.span);
        case.assumes = state.assumes.iter().copied().collect();
        case
    }

    fn store_ssa(&mut self, value: (FlatValue, InstanceId, ValueId), sym: &Sym, assigns: &mut Vec<(usize, Expr)>) {
        let mut parts = Vec::new();
        flatten(sym, &mut parts);
        let leaves = self.leaves(value.1, value.2);
        for (n, (leaf, part)) in leaves.iter().zip(parts).enumerate() {
            let var = self.ssa_var(value, index(n), leaf);
            let ty = self.program.vars[var].1;
            let e = part.to(ty);
            if e != Expr::Var(var) {
                assigns.push((var, e));
            }
        }
    }

    fn leaves(&self, instance: InstanceId, value: ValueId) -> Vec<Type> {
        let function = self.cx.flat.function(instance);
        let ty = value_type(function, value);
        leaves_of(&ty).into_iter().map(|(_, t)| t).collect()
    }

    fn ssa_var(&mut self, value: (FlatValue, InstanceId, ValueId), leaf: u32, ty: &Type) -> usize {
        if let Some(v) = self.ssa.get(&(value.0, leaf)) {
            return *v;
        }
        let int = self.leaf_type(value.1, value.2, ty);
        let function = self.cx.flat.function(value.1);
        let variable = function.values.iter().chain(&function.declares).find(|(v, _)| *v == value.2);
        let name = match variable {
            Some((_, variable)) if function.values.iter().any(|(v, _)| *v == value.2) => variable.name.clone(),
            Some((_, variable)) => format!("&{}", variable.name),
            None => {
                let place = function
                    .blocks
                    .iter()
                    .flat_map(|b| &b.instructions)
                    .find(|i| i.id == value.2)
                    .and_then(|i| i.place);
                match place {
                    Some(p) => format!("value {}:{}", p.line, p.column),
                    None if (value.2.0 as usize) < function.params.len() => {
                        format!("{} argument {}", function.shown(), value.2.0 + 1)
                    }
                    None => format!("{} value", function.shown()),
                }
            }
        };
        let var = self.names.var(&mut self.program, &name, int);
        self.ssa.insert((value.0, leaf), var);
        var
    }

    /// The type as which a value is stored between pieces.
    fn leaf_type(&self, instance: InstanceId, value: ValueId, ty: &Type) -> IntType {
        let width = bits_of(ty, self.cx.flat.module).clamp(1, 128);
        match ty {
            Type::Int(1) => IntType::unsigned(1),
            Type::Int(_) => {
                let function = self.cx.flat.function(instance);
                let by_name = function.values.iter().find(|(v, _)| *v == value).and_then(|(_, variable)| variable.ty);
                let known = by_name
                    .or_else(|| {
                        // A parameter has the type of the variable that it starts.
                        let n = value.0 as usize;
                        (n < function.params.len())
                            .then(|| {
                                let mut all = function.declares.iter().map(|(_, v)| v);
                                all.find(|v| v.argument as usize == n + 1).and_then(|v| v.ty)
                            })
                            .flatten()
                    })
                    .and_then(|t| match &self.cx.flat.module.types[t.0 as usize] {
                        crate::module::DebugType::Int { signed, .. } => Some(*signed),
                        crate::module::DebugType::Bool { .. } => Some(false),
                        _ => None,
                    });
                let voted = self.cx.signs(self.cx.flat.instance(instance).function).get(&value).copied();
                IntType { width, signed: known.or(voted).unwrap_or(true) }
            }
            Type::Ptr => IntType::signed(width),
            _ => IntType::unsigned(width),
        }
    }

    /// Whether the variable that a value is stored in at once is signed.
    pub(super) fn stored_sign(&self, instance: InstanceId, value: ValueId) -> Option<bool> {
        let function = self.cx.flat.function(instance);
        let slot = function.blocks.iter().flat_map(|b| &b.instructions).find_map(|i| match &i.op {
            Op::Store { value: Operand::Value(v), ptr: Operand::Value(slot), .. } if *v == value => Some(*slot),
            _ => None,
        })?;
        let (_, variable) = function.declares.iter().find(|(v, _)| *v == slot)?;
        match &self.cx.flat.module.types[variable.ty?.0 as usize] {
            crate::module::DebugType::Int { signed, .. } => Some(*signed),
            crate::module::DebugType::Bool { .. } => Some(false),
            _ => None,
        }
    }

    /// The values that are used at or after a point.
    fn live_at(&mut self, at: Point) -> Vec<(FlatValue, InstanceId, ValueId)> {
        let mut found = Vec::new();
        let returns = at.index == RETURN;
        let mut point = if returns { self.cx.flat.instance(at.instance).parent } else { Some(at) };
        let mut after_call = returns;
        while let Some(p) = point {
            let mut live: HashSet<ValueId> = if after_call {
                let next = self.cx.flat.after_call(p);
                let mut live = if next.block == p.block {
                    self.live_before(next)
                } else {
                    // Behind an `invoke`: with what the phis of the next blocks take.
                    self.live_after(p)
                };
                if let Some(i) = self.cx.flat.instruction(p) {
                    live.remove(&i.id);
                }
                live
            } else {
                self.live_before(p)
            };
            let mut list: Vec<ValueId> = live.drain().collect();
            list.sort_unstable();
            found.extend(list.into_iter().map(|v| (self.cx.flat.value(p.instance, v), p.instance, v)));
            point = self.cx.flat.instance(p.instance).parent;
            after_call = true;
        }
        found
    }

    fn live_after(&mut self, at: Point) -> HashSet<ValueId> {
        let f = self.cx.flat.instance(at.instance).function;
        let function = self.cx.flat.function(at.instance);
        let live_in = Rc::clone(self.liveness.entry(f).or_insert_with(|| Rc::new(liveness(function))));
        live_out(function, at.block, &live_in)
    }

    fn live_before(&mut self, at: Point) -> HashSet<ValueId> {
        let f = self.cx.flat.instance(at.instance).function;
        let function = self.cx.flat.function(at.instance);
        let live_in = Rc::clone(self.liveness.entry(f).or_insert_with(|| Rc::new(liveness(function))));
        let block = &function.blocks[at.block.0 as usize];
        let phis = block.instructions.iter().take_while(|i| matches!(i.op, Op::Phi { .. })).count();
        if at.index as usize <= phis {
            return live_in[at.block.0 as usize].clone();
        }
        let mut live = live_out(function, at.block, &live_in);
        backwards(block, at.index as usize, &mut live);
        live
    }

    fn piece(&mut self, at: Point) {
        if at.index == RETURN {
            let mut state = self.fresh_state(self.cx.flat.entry(at.instance));
            state.at = at;
            self.return_again(state);
            let n = self.locations[&at];
            self.ways(at, n);
            return;
        }
        let state = self.fresh_state(at);
        self.push(state, Next::Follow);
        let n = self.locations[&at];
        self.ways(at, n);
    }

    /// Follows the ways that wait, and makes them the cases of a location.
    fn ways(&mut self, at: Point, location: usize) {
        self.cases.clear();
        let point = Point { index: if at.index == RETURN { 0 } else { at.index }, ..at };
        self.current = (location, location != 0 && self.cx.on_cycle(point));
        while let Some((state, next)) = self.pending.pop() {
            match next {
                Next::Follow => self.follow(state, at),
                Next::Jump(to) => self.jump(state, to),
                Next::Go(to) => self.go(&state, to),
                Next::End(target) => self.end(&state, target),
                Next::Beyond => {
                    let mut state = state;
                    self.beyond_unless(&mut state, truth(false));
                }
                Next::Outside(f) => self.call_outside(state, f),
                Next::Nobody(pointer) => self.call_nobody(state, &pointer),
            }
        }
        let mut cases = std::mem::take(&mut self.cases);
        // Where a condition is always met the rest is never tried.
        if let Some(k) = cases.iter().position(|c| c.cond.is_none()) {
            cases.truncate(k + 1);
        }
        self.program.locs[location].cases = cases;
    }

    /// Ways are followed in the order in which they are put here, the last one first.
    pub(super) fn push(&mut self, state: State, next: Next) {
        self.pending.push((state, next));
    }

    pub(super) fn depth_of(&self, instance: InstanceId) -> Option<usize> {
        self.depths.get(&instance).copied()
    }

    /// A location starts here because something is observed before it.
    pub(super) fn observation(&mut self, at: Point) {
        self.observations.insert(at);
    }

    fn emit(&mut self, case: Case) {
        self.cases.push(case);
    }

    /// Ends this way at a sink.
    pub(super) fn end(&mut self, state: &State, target: Goto) {
        let case = self.case(state, Vec::new(), target);
        let case = Case { stores: Vec::new(), ..case };
        self.emit(case);
    }

    /// Ends this way at the location of a point.
    pub(super) fn go(&mut self, state: &State, to: Point) {
        let case = self.leave(state, to);
        self.emit(case);
    }

    /// What follows needs a condition; where it does not hold it is undefined behaviour. Whether anything follows.
    pub(super) fn require(&mut self, state: &mut State, ok: Cond) -> bool {
        self.unless(state, ok, Goto::Ub)
    }

    pub(super) fn unless(&mut self, state: &mut State, ok: Cond, target: Goto) -> bool {
        match not(ok) {
            Cond::Const(false) => true,
            Cond::Const(true) => {
                self.end(state, target);
                false
            }
            bad => {
                let mut other = state.clone();
                other.cond = Some(with(state.cond.clone(), bad));
                self.end(&other, target);
                true
            }
        }
    }

    /// Follows both sides of a branch: `yes` under the condition, first.
    pub(super) fn branch(&mut self, state: State, cond: Cond, yes: impl FnOnce(&mut Self, State), no: impl FnOnce(&mut Self, State)) {
        match cond {
            Cond::Const(true) => yes(self, state),
            Cond::Const(false) => no(self, state),
            c => {
                let mut taken = state.clone();
                taken.cond = Some(with(state.cond.clone(), c));
                // What is pushed last is followed first.
                no(self, state);
                yes(self, taken);
            }
        }
    }

    /// Goes on at a point: within the piece, if that is possible.
    pub(super) fn jump(&mut self, mut state: State, to: Point) {
        let graph = self.cx.graph;
        let entries = graph.entries.get(&to).copied().unwrap_or(0);
        let cut = graph.cuts.contains(&to)
            || self.observations.contains(&to)
            || self.forced.contains(&to)
            || state.steps > STEPS
            || self.cases.len() + self.pending.len() > CASES
            || entries > 1 && self.cases.len() + self.pending.len() > self.joins;
        let next = if cut {
            Next::Go(to)
        } else {
            state.at = to;
            Next::Follow
        };
        self.push(state, next);
    }

    fn follow(&mut self, mut state: State, start: Point) {
        loop {
            let at = state.at;
            let block = self.cx.flat.block(at);
            if let Some(instruction) = block.instructions.get(at.index as usize) {
                if matches!(instruction.op, Op::Phi { .. }) {
                    // It got its value when the block was entered.
                    state.at.index += 1;
                    continue;
                }
                state.steps += 1;
                if state.steps > STEPS * 4 && at != start {
                    self.go(&state, at);
                    return;
                }
                if let Some(span) = self.span(instruction.place).filter(|s| s.line > 0) {
                    state.span = Some(span);
                }
                self.declare(&mut state);
                // Only what was stored before can make an instruction start a new piece.
                let before = (!state.stores.is_empty()).then(|| state.clone());
                state.settled = state.stores.len();
                state.asked = 0;
                let marks = self.cases.len();
                let waiting = self.pending.len();
                match self.execute(&mut state, instruction) {
                    Ok(Flow::On) => {
                        state.at.index = at.index + 1;
                        let result = self.cx.flat.value(at.instance, instruction.id);
                        if state.env.get(&result).is_some_and(|s| arith::sym_size(s, LARGE + 1) > LARGE)
                            || state.stores.len() > 64
                        {
                            let to = state.at;
                            self.go(&state, to);
                            return;
                        }
                    }
                    Ok(Flow::To(to)) => {
                        self.jump(state, to);
                        return;
                    }
                    Ok(Flow::Done) => return,
                    Err(Split) => {
                        // Nothing of this instruction has happened yet.
                        self.cases.truncate(marks);
                        self.pending.truncate(waiting);
                        let before = before.expect("without earlier stores nothing has to wait for one");
                        self.go(&before, at);
                        return;
                    }
                }
                continue;
            }
            state.asked = 0;
            self.declare(&mut state);
            if let Some(span) = self.span(block.place).filter(|s| s.line > 0) {
                state.span = Some(span);
            }
            self.terminator(state, &block.terminator);
            return;
        }
    }

    /// A variable that is declared here has no value yet, or none any more: control may come here again without having left
    /// its scope. (Where the compiler marks scopes, the marks say it.)
    fn declare(&mut self, state: &mut State) {
        let f = self.cx.flat.instance(state.at.instance).function;
        let function = self.cx.flat.function(state.at.instance);
        let module = self.cx.flat.module;
        let here = self.declared.entry(f).or_insert_with(|| {
            let marked: HashSet<ValueId> = function
                .blocks
                .iter()
                .flat_map(|b| &b.instructions)
                .filter_map(|i| debug::marked(module, i, "llvm.lifetime.start"))
                .collect();
            let mut found: HashMap<(BlockId, u32), Vec<ValueId>> = HashMap::new();
            for ((value, block, at), (_, variable)) in function.declared_at.iter().zip(&function.declares) {
                if variable.argument == 0 && !marked.contains(value) && block.0 != 0 {
                    found.entry((*block, *at)).or_default().push(*value);
                }
            }
            Rc::new(found)
        });
        let Some(values) = Rc::clone(here).get(&(state.at.block, state.at.index)).cloned() else { return };
        for value in values {
            if let Some(id) = self.points.known(ObjectKind::Stack(state.at.instance, value)) {
                self.forget(state, id, UnknownKind::Environment, 400_000 + value.0);
            }
        }
    }

    /// Enters a block: its phis get their values.
    fn enter_block(&mut self, state: &mut State, from: Point, to: BlockId) -> Point {
        let function = self.cx.flat.function(from.instance);
        let block = &function.blocks[to.0 as usize];
        let mut values = Vec::new();
        for instruction in &block.instructions {
            let Op::Phi { incoming } = &instruction.op else { break };
            let operand = incoming.iter().find(|(b, _)| *b == from.block).map(|(_, o)| o);
            let sym = match operand {
                Some(o) => {
                    let o = o.clone();
                    self.operand(state, &o, &instruction.ty, 600_000 + instruction.id.0)
                }
                None => Sym::Nothing,
            };
            values.push((self.cx.flat.value(from.instance, instruction.id), sym));
        }
        state.env.extend(values);
        Point { instance: from.instance, block: to, index: 0 }
    }

    fn to_block(&mut self, mut state: State, to: BlockId) {
        let from = state.at;
        let function = self.cx.flat.function(from.instance);
        if super::prepare::trap_kind(function, to, |f| self.traps.contains(&f)).is_some() {
            self.pending_end(state, Goto::Ub);
            return;
        }
        let point = self.enter_block(&mut state, from, to);
        self.jump(state, point);
    }

    /// Ends a way, in its turn.
    pub(super) fn pending_end(&mut self, state: State, target: Goto) {
        self.push(state, Next::End(target));
    }

    fn terminator(&mut self, mut state: State, t: &Terminator) {
        match t {
            Terminator::Jump(to) => self.to_block(state, *to),
            Terminator::Branch { cond, yes, no } => {
                let cond = self.condition(&mut state, cond, 500_000);
                let (yes, no) = (*yes, *no);
                self.branch(state, cond, |b, s| b.to_block(s, yes), |b, s| b.to_block(s, no));
            }
            Terminator::Switch { value, width, cases, default } => {
                let value = if self.is_address(&state, value, &Type::Int(*width)) {
                    let ty = IntType::unsigned(*width);
                    self.unknown(&mut state, 0, "digits of an address", ty, UnknownKind::Environment, None)
                } else {
                    self.number(&mut state, value, &Type::Int(*width), 500_000)
                };
                let mut ways = Vec::new();
                let rest = state;
                let mut certain = false;
                // Targets that are the same are one case.
                let mut groups: Vec<(BlockId, Cond)> = Vec::new();
                for (bits, to) in cases {
                    let number = Num::constant(IBig::from(*bits), IntType::signed(*width));
                    let here = compare(Predicate::Eq, *width, &value, &number);
                    match groups.iter_mut().find(|(b, _)| b == to) {
                        Some((_, cond)) => *cond = arith::or(cond.clone(), here),
                        None => groups.push((*to, here)),
                    }
                }
                for (to, cond) in groups {
                    match cond {
                        Cond::Const(false) => {}
                        Cond::Const(true) => {
                            ways.push((rest.clone(), to));
                            certain = true;
                            break;
                        }
                        c => {
                            let mut taken = rest.clone();
                            taken.cond = Some(with(rest.cond.clone(), c));
                            ways.push((taken, to));
                        }
                    }
                }
                if !certain {
                    self.to_block(rest, *default);
                }
                for (state, to) in ways.into_iter().rev() {
                    self.to_block(state, to);
                }
            }
            Terminator::IndirectJump { address, targets } => {
                let value = self.number(&mut state, address, &Type::Ptr, 500_000);
                let f = self.cx.flat.instance(state.at.instance).function;
                let ty = self.address();
                self.pending_end(state.clone(), Goto::Ub);
                let mut seen = BTreeSet::new();
                let mut ways = Vec::new();
                for to in targets {
                    if !seen.insert(*to) {
                        continue;
                    }
                    let label = self.constant_address(&Constant::Block(f, *to)).unwrap_or_default();
                    match cmp(CmpOp::Eq, ty, value.to(ty), constant(label, ty)) {
                        Cond::Const(false) => {}
                        c => {
                            let mut taken = state.clone();
                            taken.cond = Some(with(state.cond.clone(), c));
                            ways.push((taken, *to));
                        }
                    }
                }
                for (state, to) in ways.into_iter().rev() {
                    self.to_block(state, to);
                }
            }
            Terminator::Return(value) => self.return_from(state, value.as_ref()),
            Terminator::Invoke { normal, .. } => self.to_block(state, *normal),
            Terminator::Resume => {
                let handler = self.cx.flat.instance(state.at.instance).parent.and_then(|p| self.cx.flat.handler(p));
                self.unwind(state, handler);
            }
            Terminator::Unreachable => self.pending_end(state, Goto::Ub),
            Terminator::Opaque { what, targets } => {
                let span = state.span.clone();
                self.assume(&mut state, &format!("`{what}` goes to one of its targets"), span);
                let unknown = self.unknown(
                    &mut state,
                    510_000,
                    what,
                    IntType::unsigned(32),
                    UnknownKind::Environment,
                    None,
                );
                for (n, to) in targets.clone().into_iter().enumerate() {
                    if n == 0 {
                        self.to_block(state.clone(), to);
                        continue;
                    }
                    let mut taken = state.clone();
                    let ty = IntType::unsigned(32);
                    let c = cmp(CmpOp::Eq, ty, unknown.to(ty), constant(n, ty));
                    taken.cond = Some(with(state.cond.clone(), c));
                    self.to_block(taken, to);
                }
                if targets.is_empty() {
                    self.pending_end(state, Goto::Trap);
                }
            }
        }
    }

    /// An exception goes to a landing pad, or ends the program.
    pub(super) fn unwind(&mut self, mut state: State, handler: Option<Point>) {
        // In a recursion it may be an outer call of the same function that catches it.
        let near = handler.is_some_and(|h| h.instance == state.at.instance);
        if !near && self.cx.recursive(state.at.instance) {
            let beyond = self.exhausted_location();
            let case = self.case(&state, Vec::new(), Goto::Loc(beyond));
            self.emit(Case { stores: Vec::new(), ..case });
            return;
        }
        match handler {
            Some(pad) => {
                self.leave_until(&mut state, pad.instance);
                let from = self.phi_source(pad, state.at);
                let point = self.enter_block(&mut state, from, pad.block);
                self.jump(state, point);
            }
            None => self.pending_end(state, Goto::Trap),
        }
    }

    /// An exception that somebody catches, written at once.
    pub(super) fn emit_unwind(&mut self, mut state: State, handler: Option<Point>) {
        if let Some(pad) = handler {
            self.leave_until(&mut state, pad.instance);
            let from = self.phi_source(pad, state.at);
            let point = self.enter_block(&mut state, from, pad.block);
            self.go(&state, point);
        }
    }

    /// Goes on at the block that follows an `invoke`.
    pub(super) fn enter_normal(&mut self, state: State, to: Point) {
        self.to_block(state, to.block);
    }

    /// The block from which a landing pad is entered when an exception comes from a point further in.
    fn phi_source(&self, pad: Point, from: Point) -> Point {
        let mut at = from;
        while at.instance != pad.instance {
            match self.cx.flat.instance(at.instance).parent {
                Some(p) => at = p,
                None => return pad,
            }
        }
        at
    }

    fn return_from(&mut self, mut state: State, value: Option<&Operand>) {
        let id = state.at.instance;
        let function = self.cx.flat.function(id);
        let sym = match value {
            Some(v) => self.operand(&mut state, v, &function.result.clone(), 500_000),
            None => Sym::Nothing,
        };
        self.leave_scope(&mut state, id);
        let parent = self.cx.flat.instance(id).parent;
        let recursions = self.cx.flat.instance(id).recursions.clone();
        let first = |b: &mut Self, state: State, sym: Sym| match parent {
            None => b.pending_end(state, Goto::Exit),
            Some(call) => b.resume(state, call, sym),
        };
        if recursions.is_empty() {
            first(self, state, sym);
            return;
        }
        // All returns of a function that calls itself meet, with the result stored.
        let mut parts = Vec::new();
        flatten(&sym, &mut parts);
        for (n, part) in parts.iter().enumerate() {
            let var = self.return_var(id, index(n), part.ty);
            let ty = self.program.vars[var].1;
            state.set(var, part.to(ty));
        }
        self.push(state, Next::Go(Point { index: RETURN, ..self.cx.flat.entry(id) }));
    }

    fn return_var(&mut self, id: InstanceId, leaf: u32, ty: IntType) -> usize {
        if let Some(v) = self.return_vars.get(&(id, leaf)) {
            return *v;
        }
        let function = self.cx.flat.function(id);
        let leaves = leaves_of(&function.result);
        let width = leaves.get(leaf as usize).map_or(ty.width, |(_, t)| bits_of(t, self.cx.flat.module).clamp(1, 128));
        let name = format!("{} returns", function.shown());
        let var = self.names.var(&mut self.program, &name, IntType { width, signed: ty.signed && width > 1 });
        self.return_vars.insert((id, leaf), var);
        var
    }

    /// A return of a function that calls itself: of the outermost call, or of an inner one, which goes on after one of the
    /// recursive calls; whose locals they were is not known.
    fn return_again(&mut self, state: State) {
        let id = state.at.instance;
        let function = self.cx.flat.function(id);
        let leaves = leaves_of(&function.result);
        let mut parts = Vec::new();
        if function.result != Type::Void {
            for (n, (_, leaf)) in leaves.iter().enumerate() {
                let var = self.return_var(id, index(n), IntType::signed(bits_of(leaf, self.cx.flat.module).clamp(1, 128)));
                let num = Num::new(state.var(var), self.program.vars[var].1);
                parts.push(match leaf {
                    Type::Int(1) => Sym::Cond(low_bit(&num)),
                    _ => Sym::Num(num),
                });
            }
        }
        let sym = match function.result {
            Type::Void => Sym::Nothing,
            Type::Struct(..) | Type::Array(..) => Sym::Aggregate(parts),
            _ => parts.pop().unwrap_or(Sym::Nothing),
        };
        let parent = self.cx.flat.instance(id).parent;
        let recursions = self.cx.flat.instance(id).recursions.clone();
        let depth = self.depths[&id];
        let ty = IntType::signed(64);
        let outermost = cmp(CmpOp::Le, ty, state.var(depth), constant(0, ty));
        let mut inner = state.clone();
        let less = arith::operate(
            lariat_ir::neutral::BinaryOp::Sub,
            ty,
            Overflow::Undefined,
            state.var(depth),
            constant(1, ty),
        );
        inner.set(depth, less);
        let result = sym.clone();
        self.branch(
            state,
            outermost,
            |b, s| match parent {
                None => b.pending_end(s, Goto::Exit),
                Some(call) => b.resume(s, call, sym),
            },
            |b, _| b.resume_recursion(inner, id, &recursions, &result),
        );
    }

    fn resume_recursion(&mut self, mut state: State, id: InstanceId, calls: &[Point], result: &Sym) {
        self.forget_locals(&mut state, id);
        let which = (calls.len() > 1).then(|| {
            self.unknown(&mut state, 520_000, "caller", IntType::unsigned(32), UnknownKind::Abstraction, None)
        });
        for (n, call) in calls.iter().enumerate() {
            let mut taken = state.clone();
            if n > 0
                && let Some(which) = &which
            {
                let ty = IntType::unsigned(32);
                let c = cmp(CmpOp::Eq, ty, which.to(ty), constant(n, ty));
                taken.cond = Some(with(state.cond.clone(), c));
            }
            // Values that are used after the call were those of another call.
            let after = self.cx.flat.after_call(*call);
            for (v, instance, value) in self.live_at(after) {
                if !self.cx.flat.is_within(instance, id) {
                    continue;
                }
                let leaves = self.leaves(instance, value);
                let mut parts = Vec::new();
                for (k, leaf) in leaves.iter().enumerate() {
                    let ty = self.leaf_type(instance, value, leaf);
                    let tag = 530_000 + v.0.wrapping_mul(8).wrapping_add(index(k));
                    parts.push(Sym::Num(self.unknown(&mut taken, tag, "caller value", ty, UnknownKind::Abstraction, None)));
                }
                let sym = if parts.len() == 1 { parts.remove(0) } else { Sym::Aggregate(parts) };
                taken.env.insert(v, sym);
            }
            self.resume(taken, *call, result.clone());
        }
    }

    /// The locals of an instance and of what it calls are those of another call now.
    fn forget_locals(&mut self, state: &mut State, id: InstanceId) {
        let inner: Vec<InstanceId> =
            self.cx.flat.ids().filter(|i| *i != id && self.cx.flat.is_within(*i, id)).collect();
        for i in inner {
            self.forget_depth(state, i);
        }
        for n in 0..self.memory.objects.len() {
            if let ObjectKind::Stack(instance, _) = self.memory.objects[n].kind
                && self.cx.flat.is_within(instance, id)
                && self.memory.objects[n].many.is_none()
            {
                self.forget(state, super::points::ObjectId(index(n)), UnknownKind::Abstraction, 300_000 + index(n));
                if let Life::Flag(flag) = self.memory.objects[n].life {
                    let ty = IntType::unsigned(8);
                    let value = self.unknown(
                        state,
                        540_000 + index(n),
                        "alive",
                        ty,
                        UnknownKind::Abstraction,
                        Some((IBig::ZERO, IBig::from(1))),
                    );
                    state.set(flag, value.expr);
                }
            }
        }
    }

    /// Goes on after a call.
    fn resume(&mut self, mut state: State, call: Point, result: Sym) {
        if let Some(instruction) = self.cx.flat.instruction(call) {
            let value = self.cx.flat.value(call.instance, instruction.id);
            state.env.insert(value, result);
        }
        let after = self.cx.flat.after_call(call);
        if after.block == call.block {
            self.jump(state, after);
        } else {
            state.at = call;
            self.to_block(state, after.block);
        }
    }

    /// Control leaves all calls up to an instance at once. How often the recursions around it are left is not known.
    pub(super) fn leave_until(&mut self, state: &mut State, target: InstanceId) {
        let mut at = state.at.instance;
        while at != target {
            self.leave_scope(state, at);
            match self.cx.flat.instance(at).parent {
                Some(p) => at = p.instance,
                None => break,
            }
        }
        let mut around = Some(target);
        while let Some(id) = around {
            self.forget_depth(state, id);
            around = self.cx.flat.instance(id).parent.map(|p| p.instance);
        }
    }

    fn forget_depth(&mut self, state: &mut State, id: InstanceId) {
        if let Some(depth) = self.depth_of(id) {
            let ty = IntType::signed(64);
            let range = Some((IBig::ZERO, IBig::from(1u64 << 62)));
            let value = self.unknown(state, 0, "depth", ty, UnknownKind::Abstraction, range);
            state.set(depth, value.expr);
        }
    }

    /// The local objects of an instance are gone.
    fn leave_scope(&mut self, state: &mut State, id: InstanceId) {
        for n in 0..self.memory.objects.len() {
            if let ObjectKind::Stack(instance, value) = self.memory.objects[n].kind
                && instance == id
            {
                self.set_alive(state, super::points::ObjectId(index(n)), value, false);
            }
        }
        let gone: Vec<usize> = self.armed.iter().filter(|(p, _)| p.instance == id).map(|(_, v)| *v).collect();
        for v in gone {
            state.set(v, constant(0, IntType::unsigned(8)));
        }
    }

    /// Marks a local object as there or gone.
    pub(super) fn set_alive(&mut self, state: &mut State, id: super::points::ObjectId, value: ValueId, alive: bool) {
        let object = self.memory.object(id).clone();
        let flag = IntType::unsigned(8);
        let value_of = if alive && object.doubtful && !matches!(object.life, Life::Always) {
            let range = Some((IBig::ZERO, IBig::from(1)));
            self.unknown(state, 0, "in scope", flag, UnknownKind::Environment, range).expr
        } else {
            constant(i32::from(alive), flag)
        };
        match object.life {
            Life::Always => {}
            Life::Flag(v) => state.set(v, value_of),
            Life::Mem(mem) => {
                let ObjectKind::Stack(instance, _) = object.kind else { return };
                let address = self.address();
                let base = match self.ssa_or_env(state, instance, value) {
                    Some(Sym::Num(n)) => n.to(address),
                    _ => return,
                };
                state.stores.push(MemUpdate::Store { mem, address: base, value: value_of });
            }
        }
    }

    fn ssa_or_env(&mut self, state: &State, instance: InstanceId, value: ValueId) -> Option<Sym> {
        let flat = self.cx.flat.value(instance, value);
        if let Some(sym) = state.env.get(&flat) {
            return Some(sym.clone());
        }
        let leaves = self.leaves(instance, value);
        let var = self.ssa_var((flat, instance, value), 0, leaves.first()?);
        let ty = self.program.vars[var].1;
        Some(Sym::Num(Num::new(Expr::Var(var), ty)))
    }

    // ---- values

    /// Something nobody knows, the same at each visit wherever the tag is the same.
    pub(super) fn unknown(
        &mut self,
        state: &mut State,
        tag: u32,
        name: &str,
        ty: IntType,
        kind: UnknownKind,
        range: Option<(IBig, IBig)>,
    ) -> Num {
        // Each question of an instruction has its own value. On other ways to the same instruction they are asked for again,
        // and may be shared: a run takes one way.
        let _ = tag;
        let key = (state.at, state.asked);
        state.asked += 1;
        let same = |u: &usize| {
            let u = &self.program.unknowns[*u];
            u.ty == ty && u.kind == kind && u.range == range && u.name.starts_with(name)
        };
        let found = self.unknowns.get(&key).copied().filter(same);
        let id = found.unwrap_or_else(|| {
            let place = debug::place_of(self.cx, state.at);
            let name = self.names.unused(&format!("{name} {place}"));
            let mut unknown = Unknown::new(name, ty, kind);
            unknown.range = range;
            self.program.unknowns.push(unknown);
            let id = self.program.unknowns.len() - 1;
            self.unknowns.insert(key, id);
            id
        });
        Num::new(Expr::Unknown(id), ty)
    }

    pub(super) fn mem_unknown(&mut self, state: &State, mem: usize, kind: UnknownKind) -> usize {
        let key = (state.at, mem, kind);
        if let Some(u) = self.mem_unknowns.get(&key) {
            return *u;
        }
        let name = format!("{} {}", self.program.mems[mem].name, debug::place_of(self.cx, state.at));
        let name = self.names.unused(&name);
        let cell = self.program.mems[mem].cell;
        self.program.mem_unknowns.push(MemUnknown { name, cell, kind });
        let id = self.program.mem_unknowns.len() - 1;
        self.mem_unknowns.insert(key, id);
        id
    }

    /// Something is taken for granted on this way.
    pub(super) fn assume(&mut self, state: &mut State, text: &str, span: Option<Span>) {
        let key = (text.to_owned(), span.clone());
        let program = &mut self.program;
        let id = *self.assumptions.entry(key).or_insert_with(|| {
            program.assumptions.push(Assumption { text: text.to_owned(), span });
            program.assumptions.len() - 1
        });
        state.assumes.insert(id);
    }

    /// The value of an operand of a type.
    pub(super) fn operand(&mut self, state: &mut State, operand: &Operand, ty: &Type, tag: u32) -> Sym {
        match operand {
            Operand::Value(v) => self.value(state, state.at.instance, *v),
            Operand::Constant(c) => self.constant(state, c, ty, tag),
        }
    }

    /// The address of a local object of which there is one.
    fn fixed_address(&self, instance: InstanceId, v: ValueId) -> Option<IBig> {
        let object = self.memory.object(self.points.known(ObjectKind::Stack(instance, v))?);
        object.many.is_none().then(|| object.base.clone())
    }

    pub(super) fn value(&mut self, state: &State, instance: InstanceId, v: ValueId) -> Sym {
        let flat = self.cx.flat.value(instance, v);
        if let Some(sym) = state.env.get(&flat) {
            return sym.clone();
        }
        if let Some(base) = self.fixed_address(instance, v) {
            return Sym::Num(Num::constant(base, self.address()));
        }
        let function = self.cx.flat.function(instance);
        let ty = value_type(function, v);
        let leaves: Vec<Type> = leaves_of(&ty).into_iter().map(|(_, t)| t).collect();
        let mut parts = Vec::new();
        for (n, leaf) in leaves.iter().enumerate() {
            let var = self.ssa_var((flat, instance, v), index(n), leaf);
            let int = self.program.vars[var].1;
            let num = Num::new(state.var(var), int);
            parts.push(match leaf {
                Type::Int(1) => Sym::Cond(low_bit(&num)),
                _ => Sym::Num(num),
            });
        }
        if matches!(ty, Type::Struct(..) | Type::Array(..)) { Sym::Aggregate(parts) } else { parts.remove(0) }
    }

    fn constant(&mut self, state: &mut State, c: &Constant, ty: &Type, tag: u32) -> Sym {
        match c {
            Constant::Int(1, bits) => Sym::Cond(truth(bits & 1 == 1)),
            Constant::Int(width, bits) => Sym::Num(Num::constant(IBig::from(*bits), IntType::signed(*width))),
            Constant::Float(kind, bits) => {
                let width = bits_of(&Type::Float(*kind), self.cx.flat.module);
                Sym::Num(Num::constant(IBig::from(*bits), IntType::unsigned(width)))
            }
            Constant::Zero(t) => zero(t, self.cx.flat.module),
            Constant::Aggregate(t, parts) => {
                let inner: Vec<Type> = match t {
                    Type::Struct(members, _) => members.iter().map(|(_, t)| t.clone()).collect(),
                    Type::Array(of, n, _) => (0..*n).map(|_| (**of).clone()).collect(),
                    _ => Vec::new(),
                };
                let mut all = Vec::new();
                for (n, (part, ty)) in parts.iter().zip(&inner).enumerate() {
                    match self.constant(state, part, ty, tag.wrapping_mul(16).wrapping_add(index(n))) {
                        Sym::Aggregate(list) => all.extend(list),
                        one => all.push(one),
                    }
                }
                Sym::Aggregate(all)
            }
            Constant::Bytes(list) => Sym::Aggregate(
                list.iter().map(|b| Sym::Num(Num::constant(u32::from(*b), IntType::unsigned(8)))).collect(),
            ),
            Constant::Undef(t) => {
                let first = self.program.unknowns.len();
                let sym = self.any(state, t, tag, UnknownKind::Environment);
                // No two uses need see one value, so that nothing may be decided by it.
                for u in self.program.unknowns.iter_mut().skip(first) {
                    u.computed = true;
                }
                sym
            }
            Constant::Opaque(t) => self.any(state, t, tag, UnknownKind::Abstraction),
            other => match self.constant_address(other) {
                Some(address) => Sym::Num(Num::constant(address, self.address())),
                None => self.any(state, ty, tag, UnknownKind::Abstraction),
            },
        }
    }

    /// A value of a type that nobody knows.
    pub(super) fn any(&mut self, state: &mut State, ty: &Type, tag: u32, kind: UnknownKind) -> Sym {
        let module = self.cx.flat.module;
        let leaves = leaves_of(ty);
        let mut parts = Vec::new();
        for (n, (_, leaf)) in leaves.iter().enumerate() {
            let width = bits_of(leaf, module).clamp(1, 128);
            let signed = matches!(leaf, Type::Ptr);
            let tag = tag.wrapping_mul(32).wrapping_add(index(n));
            let what = if kind == UnknownKind::Abstraction { "not followed" } else { "unknown" };
            let ty = IntType { width, signed };
            // An address has the range of its type, in every semantics.
            let num = self.unknown(state, tag, what, ty, kind, signed.then(|| ty.range()));
            if let Expr::Unknown(u) = num.expr {
                // Not a number that overflowed before it was lost: one of its type that nobody computed here.
                self.program.unknowns[u].computed = false;
            }
            parts.push(match leaf {
                Type::Int(1) => Sym::Cond(low_bit(&num)),
                _ => Sym::Num(num),
            });
        }
        match ty {
            Type::Void => Sym::Nothing,
            Type::Struct(..) | Type::Array(..) => Sym::Aggregate(parts),
            _ => parts.pop().unwrap_or(Sym::Nothing),
        }
    }

    /// An operand as a number.
    pub(super) fn number(&mut self, state: &mut State, operand: &Operand, ty: &Type, tag: u32) -> Num {
        match self.operand(state, operand, ty, tag) {
            Sym::Num(n) => n,
            Sym::Cond(c) => bit(&c),
            Sym::Aggregate(_) | Sym::Nothing => {
                let width = bits_of(ty, self.cx.flat.module).clamp(1, 128);
                self.unknown(state, tag.wrapping_add(7), "unknown", IntType::unsigned(width), UnknownKind::Environment, None)
            }
        }
    }

    pub(super) fn condition(&mut self, state: &mut State, operand: &Operand, tag: u32) -> Cond {
        match self.operand(state, operand, &Type::Int(1), tag) {
            Sym::Cond(c) => c,
            Sym::Num(n) => low_bit(&n),
            Sym::Aggregate(_) | Sym::Nothing => {
                let flag = IntType::unsigned(1);
                low_bit(&self.unknown(state, tag, "unknown", flag, UnknownKind::Environment, None))
            }
        }
    }

    pub(super) fn targets(&self, state: &State, operand: &Operand) -> Targets {
        self.points.of(self.cx.flat, state.at.instance, operand)
    }

    // ---- instructions

    fn execute(&mut self, state: &mut State, instruction: &'m Instruction) -> Result<Flow, Split> {
        let id = state.at.instance;
        let module = self.cx.flat.module;
        let result = self.cx.flat.value(id, instruction.id);
        let width = bits_of(&instruction.ty, module);
        let sym = match &instruction.op {
            Op::Alloca { size, count } => {
                let Some(object) = self.points.known(ObjectKind::Stack(id, instruction.id)) else {
                    return Ok(Flow::On);
                };
                let count = self.number(state, count, &Type::Int(64), 1);
                return self.make_local(state, object, instruction.id, *size, &count);
            }
            Op::Load { ptr, size, align, volatile, atomic } => {
                let targets = self.targets(state, ptr);
                let pointer = self.number(state, ptr, &Type::Ptr, 1).to(self.address());
                state.direct = self.is_direct(id, ptr);
                let loaded = self.load(state, &pointer, &targets, &instruction.ty, *size, *align);
                state.direct = false;
                let Some(sym) = loaded? else { return Ok(Flow::Done) };
                let part = *size < u64::from(module.pointer_bits / 8) && {
                    let outside = self.points.known(ObjectKind::Outside);
                    self.points.value(result).0.keys().any(|o| Some(*o) != outside)
                };
                if *volatile || *atomic || part {
                    // A part of an address is a number that nobody knows.
                    self.any(state, &instruction.ty, 2, UnknownKind::Environment)
                } else {
                    sym
                }
            }
            Op::Store { value, ptr, ty, size, align, .. } => {
                let targets = self.targets(state, ptr);
                let pointer = self.number(state, ptr, &Type::Ptr, 1).to(self.address());
                let sym = self.operand(state, value, ty, 3);
                state.direct = self.is_direct(id, ptr);
                let stored = self.store(state, &pointer, &targets, &sym, ty, *size, *align);
                state.direct = false;
                return stored;
            }
            Op::Gep { base, offset, indices, .. } => {
                let address = self.address();
                let mut sum = self.number(state, base, &Type::Ptr, 1).to(address);
                sum = self.add_address(sum, *offset);
                for (n, (i, scale)) in indices.iter().enumerate() {
                    let ty = operand_type(self.cx.flat.function(id), i);
                    let value = self.number(state, i, &ty, 2 + index(n));
                    let value = arith::sign_extend(&value, bits_of(&ty, module).clamp(1, 128));
                    let scaled = arith::operate(
                        lariat_ir::neutral::BinaryOp::Mul,
                        address,
                        Overflow::Undefined,
                        value.to(address),
                        constant(*scale, address),
                    );
                    sum = match scaled {
                        Expr::Const(k, _) => self.add_address(sum, k),
                        scaled => arith::operate(
                            lariat_ir::neutral::BinaryOp::Add,
                            address,
                            Overflow::Undefined,
                            sum,
                            scaled,
                        ),
                    };
                }
                Sym::Num(Num::new(sum, address))
            }
            Op::Binary { op, left, right, flags } => {
                if !matches!(instruction.ty, Type::Int(w) if w <= 128) {
                    self.any(state, &instruction.ty, 1, UnknownKind::Abstraction)
                } else if width == 1 {
                    let (a, b) = (self.condition(state, left, 1), self.condition(state, right, 2));
                    match op {
                        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Add | BinOp::Sub | BinOp::Mul => {
                            bit_operation(*op, &a, &b)
                        }
                        _ => self.any(state, &instruction.ty, 1, UnknownKind::Abstraction),
                    }
                } else {
                    self.arithmetic(state, *op, width, (left, right), *flags, &instruction.ty)
                }
            }
            Op::Compare { pred, left, right, ty, flags } => {
                let width = bits_of(ty, module);
                if matches!(ty, Type::Int(_) | Type::Ptr) && width <= 128 {
                    if width == 1 {
                        let (a, b) = (self.condition(state, left, 1), self.condition(state, right, 2));
                        Sym::Cond(compare(*pred, 1, &bit(&a), &bit(&b)))
                    } else {
                        let c = self.comparison(state, *pred, left, right, ty, instruction.nosanitize);
                        Sym::Cond(if flags.samesign { self.unless_signs_differ(state, left, right, ty, c) } else { c })
                    }
                } else {
                    self.any(state, &instruction.ty, 1, UnknownKind::Abstraction)
                }
            }
            Op::Cast { op, arg, from, flags } => self.cast(state, *op, arg, from, &instruction.ty, *flags),
            Op::Select { cond, yes, no } => {
                let c = self.condition(state, cond, 1);
                let (a, b) = (self.operand(state, yes, &instruction.ty, 2), self.operand(state, no, &instruction.ty, 3));
                select(&c, &a, &b, width)
            }
            Op::Phi { .. } | Op::Fence => return Ok(Flow::On),
            Op::Freeze { arg } => self.operand(state, arg, &instruction.ty, 1),
            Op::ExtractValue { aggregate, path } => {
                let ty = operand_type(self.cx.flat.function(id), aggregate);
                let (first, count) = leaf_range(&ty, path);
                match self.operand(state, aggregate, &ty, 1) {
                    Sym::Aggregate(parts) if count == 1 && !matches!(instruction.ty, Type::Struct(..) | Type::Array(..)) => {
                        parts.get(first).cloned().unwrap_or(Sym::Nothing)
                    }
                    Sym::Aggregate(parts) => Sym::Aggregate(parts.into_iter().skip(first).take(count).collect()),
                    _ => self.any(state, &instruction.ty, 2, UnknownKind::Abstraction),
                }
            }
            Op::InsertValue { aggregate, value, path } => {
                let (first, count) = leaf_range(&instruction.ty, path);
                let inner = inner_type(&instruction.ty, path);
                let new = self.operand(state, value, &inner, 2);
                match self.operand(state, aggregate, &instruction.ty, 1) {
                    Sym::Aggregate(mut parts) => {
                        let new = match new {
                            Sym::Aggregate(list) => list,
                            one => vec![one],
                        };
                        if first + count <= parts.len() && new.len() == count {
                            parts.splice(first..first + count, new);
                        }
                        Sym::Aggregate(parts)
                    }
                    _ => self.any(state, &instruction.ty, 3, UnknownKind::Abstraction),
                }
            }
            Op::Float { .. } | Op::FloatCompare { .. } => {
                self.any(state, &instruction.ty, 1, UnknownKind::Abstraction)
            }
            Op::AtomicRmw { op, ptr, value, size } => {
                let targets = self.targets(state, ptr);
                let pointer = self.number(state, ptr, &Type::Ptr, 1).to(self.address());
                let Some(_) = self.load(state, &pointer, &targets, &instruction.ty, *size, *size)? else {
                    return Ok(Flow::Done);
                };
                let old = self.any(state, &instruction.ty, 2, UnknownKind::Environment);
                let operand = self.operand(state, value, &instruction.ty, 3);
                let new = match (op.as_str(), &old, &operand) {
                    ("xchg", _, new) => new.clone(),
                    ("add", Sym::Num(a), Sym::Num(b)) => {
                        Sym::Num(arith::binary(BinOp::Add, width, a, b, crate::module::Flags::default()))
                    }
                    ("sub", Sym::Num(a), Sym::Num(b)) => {
                        Sym::Num(arith::binary(BinOp::Sub, width, a, b, crate::module::Flags::default()))
                    }
                    _ => self.any(state, &instruction.ty, 4, UnknownKind::Environment),
                };
                let ty = instruction.ty.clone();
                if let Flow::Done = self.store(state, &pointer, &targets, &new, &ty, *size, *size)? {
                    return Ok(Flow::Done);
                }
                old
            }
            Op::CompareExchange { ptr, new, size, .. } => {
                let targets = self.targets(state, ptr);
                let pointer = self.number(state, ptr, &Type::Ptr, 1).to(self.address());
                let ty = operand_type(self.cx.flat.function(id), new);
                let Some(_) = self.load(state, &pointer, &targets, &ty, *size, *size)? else { return Ok(Flow::Done) };
                let both = self.any(state, &instruction.ty, 2, UnknownKind::Environment);
                let new = self.operand(state, new, &ty, 3);
                if let Sym::Aggregate(parts) = &both
                    && let [old, Sym::Cond(done)] = parts.as_slice()
                {
                    let stored = select(done, &new, old, bits_of(&ty, module));
                    if let Flow::Done = self.store(state, &pointer, &targets, &stored, &ty, *size, *size)? {
                        return Ok(Flow::Done);
                    }
                }
                both
            }
            Op::VaArg { .. } => {
                let span = state.span.clone();
                self.assume(state, "further arguments are as the function expects them", span);
                self.any(state, &instruction.ty, 1, UnknownKind::Environment)
            }
            Op::LandingPad => self.any(state, &instruction.ty, 1, UnknownKind::Environment),
            Op::Opaque { what, args } => {
                let span = state.span.clone();
                self.assume(state, &format!("`{what}` has no effect but its result"), span);
                let _ = args;
                self.any(state, &instruction.ty, 1, UnknownKind::Abstraction)
            }
            Op::Call { callee, args, .. } => {
                if let (Some(var), super::ModelUse::Intrinsic("lariat.observe")) =
                    (self.observed, self.cx.model_use(state.at, callee))
                {
                    return Ok(self.observe(state, var, args));
                }
                return self.call(state, instruction);
            }
        };
        state.env.insert(result, sym);
        Ok(Flow::On)
    }

    /// Whether an address is that of a local object that the function calls by its name.
    fn is_direct(&self, instance: InstanceId, operand: &Operand) -> bool {
        let Operand::Value(v) = operand else { return false };
        let function = self.cx.flat.function(instance);
        let Some(first) = (v.0 as usize).checked_sub(function.params.len()) else {
            return function.params[v.0 as usize].byval.is_some();
        };
        let mut n = first;
        for block in &function.blocks {
            if let Some(i) = block.instructions.get(n) {
                return match &i.op {
                    Op::Alloca { .. } => true,
                    Op::Gep { base, .. } => self.is_direct(instance, base),
                    _ => false,
                };
            }
            n -= block.instructions.len();
        }
        false
    }

    /// A new local object: nothing is known of its content.
    fn make_local(
        &mut self,
        state: &mut State,
        id: super::points::ObjectId,
        value: ValueId,
        element: u64,
        count: &Num,
    ) -> Result<Flow, Split> {
        let object = self.memory.object(id).clone();
        let ty = self.address();
        let flat = self.cx.flat.value(state.at.instance, value);
        if let Size::Constant(_) = object.size {
        } else {
            let size = arith::operate(
                lariat_ir::neutral::BinaryOp::Mul,
                ty,
                Overflow::Undefined,
                count.to(ty),
                constant(element, ty),
            );
            // A negative size, or more than there is, is undefined; for less there may still be no model addresses.
            let possible = and(
                cmp(CmpOp::Ge, ty, size.clone(), constant(0, ty)),
                cmp(CmpOp::Le, ty, size.clone(), constant(self.largest_of_all(), ty)),
            );
            if !self.require(state, possible) {
                return Ok(Flow::Done);
            }
            let largest = if object.many.is_some() { self.memory.largest.1 } else { self.memory.largest.0 };
            if IBig::from(largest) < self.largest_of_all()
                && !self.beyond_unless(state, cmp(CmpOp::Le, ty, size.clone(), constant(largest, ty)))
            {
                return Ok(Flow::Done);
            }
            match object.size {
                Size::Var(v) => state.set(v, size),
                Size::Mem(m) => {
                    let base = object.many.as_ref().map_or_else(
                        || constant(object.base.clone(), ty),
                        |many| state.var(many.next),
                    );
                    state.stores.push(MemUpdate::Store { mem: m, address: base, value: size });
                }
                Size::Constant(_) => {}
            }
        }
        if object.many.is_some() {
            let Some(base) = self.next_of_many(state, id) else { return Ok(Flow::Done) };
            self.forget_new(state, id, &base);
            state.env.insert(flat, Sym::Num(Num::new(base, ty)));
        } else {
            state.env.insert(flat, Sym::Num(Num::constant(object.base.clone(), ty)));
            self.forget_fresh(state, id, value.0);
        }
        self.set_alive(state, id, value, true);
        Ok(Flow::On)
    }

    /// The content of an object that has just been made.
    pub(super) fn forget_fresh(&mut self, state: &mut State, id: super::points::ObjectId, tag: u32) {
        match &self.memory.object(id).layout {
            Layout::Scalars(_) => self.forget(state, id, UnknownKind::Environment, 100 + tag % 64),
            Layout::Region(_) => {
                let base = constant(self.memory.object(id).base.clone(), self.address());
                self.forget_new(state, id, &base);
            }
        }
    }

    /// The content of a new object in an array. What was never written has the array's first content, of which nobody knows
    /// anything; but where the array is an input in part, and where the object may have been there before, it is forgotten.
    pub(super) fn forget_new(&mut self, state: &mut State, id: super::points::ObjectId, base: &Expr) {
        let object = self.memory.object(id).clone();
        let Layout::Region(n) = object.layout else { return };
        let region = self.memory.regions[n].clone();
        let again = object.many.is_none() && self.cx.on_cycle(state.at);
        let input = region.objects.iter().any(|o| self.memory.object(*o).kind == ObjectKind::Outside);
        if !again && !input {
            return;
        }
        let targets = Targets([(id, super::points::Offsets::Exact(vec![0]))].into());
        let pieces = match object.size {
            Size::Constant(size) => self.pieces(&targets, base, size),
            _ => None,
        };
        let Some(pieces) = pieces else {
            let alone = region.objects.len() == 1;
            let kind = if alone { UnknownKind::Environment } else { UnknownKind::Abstraction };
            self.forget(state, id, kind, 150);
            return;
        };
        for (k, (d, size)) in pieces.into_iter().enumerate() {
            let first = i64::try_from(d).unwrap_or(0);
            let first = if region.stride > 0 { first.rem_euclid(region.stride) } else { first };
            let field = region.fields.iter().find(|f| region.bytes || f.size == size && f.first == first);
            let Some(field) = field.cloned() else { continue };
            let value = self.unknown(state, 250_000 + index(k), "content", field.ty, UnknownKind::Environment, None);
            let address = self.add_address(base.clone(), d);
            state.stores.push(MemUpdate::Store { mem: field.mem, address, value: value.expr });
        }
    }

    /// What follows needs a condition; where it does not hold nothing can be said. Whether anything follows.
    pub(super) fn beyond_unless(&mut self, state: &mut State, ok: Cond) -> bool {
        let bad = not(ok);
        if bad == truth(false) {
            return true;
        }
        let certain = bad == truth(true);
        let beyond = self.exhausted_location();
        let mut other = state.clone();
        if !certain {
            other.restrict(bad);
        }
        let case = self.case(&other, Vec::new(), Goto::Loc(beyond));
        self.emit(Case { stores: Vec::new(), ..case });
        !certain
    }

    /// The address of a further object of which there are many.
    pub(super) fn next_of_many(&mut self, state: &mut State, id: super::points::ObjectId) -> Option<Expr> {
        let object = self.memory.object(id).clone();
        let many = object.many.as_ref()?;
        let ty = self.address();
        let base = state.var(many.next);
        let limit = constant(&many.limit - &many.step, ty);
        if !self.beyond_unless(state, cmp(CmpOp::Lt, ty, base.clone(), limit)) {
            return None;
        }
        state.set(many.next, self.add_address(base.clone(), many.step.clone()));
        Some(base)
    }

    /// Where runs go of which nothing can be said, neither an end nor a hang: they have used up all model addresses, or
    /// follow a pointer that was never set. From within a loop they may come back, so that it is not said to end because
    /// its runs get here.
    fn exhausted_location(&mut self) -> usize {
        let (current, cyclic) = self.current;
        if let Some(n) = self.exhausted.get(&current) {
            return *n;
        }
        let ty = IntType::unsigned(1);
        let name = self.names.unused("more");
        self.program.unknowns.push(Unknown::new(name, ty, UnknownKind::Abstraction));
        let unknown = self.program.unknowns.len() - 1;
        let n = self.program.locs.len();
        let again = Cond::cmp(CmpOp::Eq, ty, Expr::Unknown(unknown), constant(0, ty));
        let back = if cyclic { current } else { n };
        let cases = vec![
            Case::new(Some(again), Vec::new(), Goto::Loc(back)),
            Case::new(None, Vec::new(), Goto::Stop),
        ];
        self.program.locs.push(Location::new(self.loc_names.unused("beyond the model"), cases));
        self.exhausted.insert(current, n);
        n
    }

    /// A pointer that was made from no address is null, or nobody knows what it is: it may have been left without a value, and
    /// happen to be right. Whether anything follows.
    fn somewhere(&mut self, state: &mut State, pointer: &Expr, targets: &Targets) -> bool {
        if !targets.is_empty() || matches!(pointer, Expr::Const(k, _) if *k == IBig::ZERO) {
            return true;
        }
        let ty = self.address();
        if self.require(state, cmp(CmpOp::Ne, ty, pointer.clone(), constant(0, ty))) {
            let nowhere = self.exhausted_location();
            let case = self.case(state, Vec::new(), Goto::Loc(nowhere));
            self.emit(Case { stores: Vec::new(), ..case });
        }
        false
    }

    /// Loads a value; nothing if the access is undefined on this way.
    pub(super) fn load(
        &mut self,
        state: &mut State,
        pointer: &Expr,
        targets: &Targets,
        ty: &Type,
        size: u64,
        align: u64,
    ) -> Result<Option<Sym>, Split> {
        let leaves = leaves_of(ty);
        let single = leaves.len() == 1 && leaves[0].0 == 0;
        let mut parts = Vec::new();
        if !self.somewhere(state, pointer, targets) {
            return Ok(None);
        }
        if super::is_huge(ty) {
            let valid = self.range_valid(state, pointer, targets, &constant(size, self.address()))?;
            if !self.require(state, valid) {
                return Ok(None);
            }
            return Ok(Some(self.any(state, ty, 0, UnknownKind::Abstraction)));
        }
        for (n, (offset, leaf)) in leaves.iter().enumerate() {
            let (bytes, align) = if single { (size, align) } else { (store_size(leaf, self.cx.flat.module), 1) };
            let at = self.add_address(pointer.clone(), *offset);
            let moved = super::layout::shift(targets, *offset);
            let resolved = self.resolve(state, &at, &moved, bytes, align)?;
            let value = self.read(state, &resolved, bytes, 2000 + 40 * index(n))?;
            if !self.require(state, resolved.valid) {
                return Ok(None);
            }
            parts.push(match leaf {
                Type::Int(1) => Sym::Cond(low_bit(&value)),
                Type::Int(w) if u64::from(*w) < bytes * 8 => Sym::Num(arith::truncate(&value, *w)),
                _ => Sym::Num(value),
            });
        }
        Ok(Some(if matches!(ty, Type::Struct(..) | Type::Array(..)) {
            Sym::Aggregate(parts)
        } else {
            parts.pop().unwrap_or(Sym::Nothing)
        }))
    }

    /// Stores a value.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of LLVM's store")]
    pub(super) fn store(
        &mut self,
        state: &mut State,
        pointer: &Expr,
        targets: &Targets,
        value: &Sym,
        ty: &Type,
        size: u64,
        align: u64,
    ) -> Result<Flow, Split> {
        let leaves = leaves_of(ty);
        let single = leaves.len() == 1 && leaves[0].0 == 0;
        let mut parts = Vec::new();
        flatten(value, &mut parts);
        if !self.somewhere(state, pointer, targets) {
            return Ok(Flow::Done);
        }
        if super::is_huge(ty) {
            let valid = self.range_valid(state, pointer, targets, &constant(size, self.address()))?;
            if !self.require(state, valid) {
                return Ok(Flow::Done);
            }
            self.forget_all(state, targets, UnknownKind::Abstraction, 0);
            return Ok(Flow::On);
        }
        for (n, ((offset, leaf), part)) in leaves.iter().zip(parts).enumerate() {
            let (bytes, align) = if single { (size, align) } else { (store_size(leaf, self.cx.flat.module), 1) };
            let at = self.add_address(pointer.clone(), *offset);
            let moved = super::layout::shift(targets, *offset);
            state.writing = true;
            let resolved = self.resolve(state, &at, &moved, bytes, align);
            state.writing = false;
            let resolved = resolved?;
            let part = match leaf {
                Type::Int(w) if u64::from(*w) < bytes * 8 => arith::zero_extend(&part, *w),
                _ => part,
            };
            if !self.require(state, resolved.valid.clone()) {
                return Ok(Flow::Done);
            }
            self.write(state, &resolved, bytes, &part, 3000 + 40 * index(n))?;
        }
        Ok(Flow::On)
    }

    /// Whether a value is the address of something, or made from one, so that its digits mean nothing.
    fn is_address(&self, state: &State, operand: &Operand, ty: &Type) -> bool {
        let targets = self.targets(state, operand);
        let outside = self.points.known(ObjectKind::Outside);
        let real = targets.0.keys().any(|o| Some(*o) != outside);
        match ty {
            Type::Ptr => !targets.is_empty(),
            _ => real,
        }
    }

    fn arithmetic(
        &mut self,
        state: &mut State,
        op: BinOp,
        width: u32,
        (left, right): (&Operand, &Operand),
        flags: crate::module::Flags,
        ty: &Type,
    ) -> Sym {
        let (p, q) = (self.is_address(state, left, ty), self.is_address(state, right, ty));
        let (a, b) = (self.number(state, left, ty, 1), self.number(state, right, ty, 2));
        if p || q {
            let same = p && q && self.one_object(state, left, right);
            let plain = match op {
                BinOp::Add => !(p && q),
                BinOp::Sub => same || p && !q,
                _ => false,
            };
            // A difference of addresses is no address: it is tracked as one only because nobody looked closer.
            if !plain && !(self.distance_like(state, left) && self.distance_like(state, right)) {
                return self.any(state, ty, 3, UnknownKind::Abstraction);
            }
        }
        let result = arith::binary(op, width, &a, &b, flags);
        self.unless_promised(state, op, width, (&a, &b), flags, result)
    }

    /// Whether a value is a difference of two addresses in one object.
    fn distance_like(&self, state: &State, operand: &Operand) -> bool {
        let Operand::Value(v) = operand else { return true };
        if self.targets(state, operand).is_empty() {
            return true;
        }
        let function = self.cx.flat.function(state.at.instance);
        let Some(Op::Binary { op: BinOp::Sub, left, right, .. }) =
            function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == *v).map(|i| &i.op)
        else {
            return false;
        };
        self.one_object(state, left, right)
    }

    /// A result whose promise is broken is any value.
    fn unless_promised(
        &mut self,
        state: &mut State,
        op: BinOp,
        width: u32,
        (a, b): (&Num, &Num),
        flags: crate::module::Flags,
        result: Num,
    ) -> Sym {
        let unsigned = IntType::unsigned(width);
        let zero = constant(0, unsigned);
        let broken = match op {
            BinOp::SDiv | BinOp::UDiv if flags.exact => {
                let signed = op == BinOp::SDiv;
                let ty = IntType { width, signed };
                // A distance within an array is a multiple of its elements' size.
                let rest = arith::operate(
                    lariat_ir::neutral::BinaryOp::Rem,
                    ty,
                    Overflow::Undefined,
                    a.to(ty),
                    b.to(ty),
                );
                cmp(CmpOp::Ne, ty, rest, constant(0, ty))
            }
            BinOp::LShr | BinOp::AShr if flags.exact => {
                let back = arith::operate(
                    lariat_ir::neutral::BinaryOp::Shl,
                    unsigned,
                    Overflow::Wraps,
                    result.to(unsigned),
                    b.to(unsigned),
                );
                cmp(CmpOp::Ne, unsigned, back, a.to(unsigned))
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl if flags.nsw && flags.nuw => {
                // The signed rule is in the operation; the unsigned one is asked for here.
                let (x, y, r) = (a.to(unsigned), b.to(unsigned), result.to(unsigned));
                match op {
                    BinOp::Add => cmp(CmpOp::Lt, unsigned, r, x),
                    BinOp::Sub => cmp(CmpOp::Lt, unsigned, x, y),
                    // Without a signed overflow, it is one where a factor is negative and the other is neither 0 nor 1.
                    BinOp::Mul => {
                        let signed = IntType::signed(width);
                        let negative = |n: &Num| cmp(CmpOp::Lt, signed, n.to(signed), constant(0, signed));
                        let large = |e: &Expr| cmp(CmpOp::Gt, unsigned, e.clone(), constant(1, unsigned));
                        arith::or(and(negative(a), large(&y)), and(negative(b), large(&x)))
                    }
                    _ => {
                        let signed = IntType::signed(width);
                        cmp(CmpOp::Lt, signed, a.to(signed), constant(0, signed))
                    }
                }
            }
            BinOp::Or if flags.disjoint => {
                let both = arith::operate(
                    lariat_ir::neutral::BinaryOp::And,
                    unsigned,
                    Overflow::Wraps,
                    a.to(unsigned),
                    b.to(unsigned),
                );
                cmp(CmpOp::Ne, unsigned, both, zero)
            }
            _ => truth(false),
        };
        match broken {
            Cond::Const(false) => Sym::Num(result),
            c => {
                let ty = result.ty;
                let other = self.unknown(state, 9, "poison", ty, UnknownKind::Environment, None);
                Sym::Num(Num::new(ite(c, other.expr, result.expr), ty))
            }
        }
    }

    /// Whether two pointers are into one object, of which there is one.
    fn one_object(&self, state: &State, left: &Operand, right: &Operand) -> bool {
        let (a, b) = (self.targets(state, left), self.targets(state, right));
        let mut all: BTreeSet<_> = a.0.keys().collect();
        all.extend(b.0.keys());
        all.len() == 1 && all.iter().all(|o| self.memory.object(**o).many.is_none())
    }

    fn comparison(
        &mut self,
        state: &mut State,
        pred: Predicate,
        left: &Operand,
        right: &Operand,
        ty: &Type,
        check: bool,
    ) -> Cond {
        let width = bits_of(ty, self.cx.flat.module);
        let (a, b) = (self.number(state, left, ty, 1), self.number(state, right, ty, 2));
        let (p, q) = (self.is_address(state, left, ty), self.is_address(state, right, ty));
        let equality = matches!(pred, Predicate::Eq | Predicate::Ne);
        let signed = IntType::signed(width);
        let distances = self.distance_like(state, left) && self.distance_like(state, right);
        if (p || q) && !equality && !distances {
            let null = |n: &Num| n.as_const() == Some(&IBig::ZERO);
            let known = *ty == Type::Ptr && (null(&a) || null(&b) || self.one_object(state, left, right));
            if !known {
                let flag = IntType::unsigned(1);
                let unknown = self.unknown(state, 3, "order of addresses", flag, UnknownKind::Environment, None);
                return low_bit(&unknown);
            }
        }
        if equality && let Some(cond) = self.address_equality(state, left, right, (&a, &b), ty) {
            return if pred == Predicate::Eq { cond } else { not(cond) };
        }
        if *ty == Type::Ptr {
            // Model addresses are not negative, so that one order serves both.
            let pred = match pred {
                Predicate::Ugt => Predicate::Sgt,
                Predicate::Uge => Predicate::Sge,
                Predicate::Ult => Predicate::Slt,
                Predicate::Ule => Predicate::Sle,
                other => other,
            };
            return compare(pred, width, &a.read_as(signed), &b.read_as(signed));
        }
        if check
            && a.ty.signed
            && let (Predicate::Ult | Predicate::Ule, Some(limit)) = (pred, b.as_const())
            && *limit >= IBig::ZERO
        {
            // The compiler's own test of an index, which is no conversion of the program.
            let index = a.to(signed);
            let op = if pred == Predicate::Ult { CmpOp::Lt } else { CmpOp::Le };
            return and(
                cmp(CmpOp::Ge, signed, index.clone(), constant(0, signed)),
                cmp(op, signed, index, constant(limit.clone(), signed)),
            );
        }
        compare(pred, width, &a, &b)
    }

    /// A comparison that promises operands of one sign; where they are not it is any truth value.
    fn unless_signs_differ(&mut self, state: &mut State, left: &Operand, right: &Operand, ty: &Type, c: Cond) -> Cond {
        let width = bits_of(ty, self.cx.flat.module);
        let signed = IntType::signed(width);
        let (a, b) = (self.number(state, left, ty, 1), self.number(state, right, ty, 2));
        let negative = |n: &Num| bit(&cmp(CmpOp::Lt, signed, n.to(signed), constant(0, signed))).expr;
        let flag = IntType::unsigned(1);
        let differ = cmp(CmpOp::Ne, flag, negative(&a), negative(&b));
        let any = self.unknown(state, 0, "poison", flag, UnknownKind::Environment, None);
        arith::or(and(differ.clone(), low_bit(&any)), and(not(differ), c))
    }

    /// Whether two values are equal, at least one of which is an address: nothing where the model addresses tell. Pointers to
    /// different objects differ, but that just past the end of one may be that to the next. What is no address at all equals
    /// one by chance, and so do pointers into memory that the program did not make.
    fn address_equality(
        &mut self,
        state: &mut State,
        left: &Operand,
        right: &Operand,
        (a, b): (&Num, &Num),
        ty: &Type,
    ) -> Option<Cond> {
        let (p, q) = (self.is_address(state, left, ty), self.is_address(state, right, ty));
        let null = |n: &Num| n.as_const() == Some(&IBig::ZERO);
        if !(p || q) || null(a) || null(b) || self.distance_like(state, left) && self.distance_like(state, right) {
            return None;
        }
        let width = bits_of(ty, self.cx.flat.module);
        let flag = IntType::unsigned(1);
        let by_chance = self.unknown(state, 0, "chance of addresses", flag, UnknownKind::Environment, None);
        let by_chance = low_bit(&by_chance);
        if p != q {
            // One of them may be null in a variable.
            let zero = |n: &Num| {
                let signed = IntType::signed(width);
                cmp(CmpOp::Eq, signed, n.to(signed), constant(0, signed))
            };
            let either = arith::or(zero(a), zero(b));
            let same = compare(Predicate::Eq, width, a, b);
            return Some(arith::or(and(either.clone(), same), and(not(either), by_chance)));
        }
        let (x, y) = (self.targets(state, left), self.targets(state, right));
        let (x, y) = (self.points.expand(&x), self.points.expand(&y));
        let outside = self.points.known(ObjectKind::Outside);
        let from_outside =
            |t: &Targets| outside.is_some_and(|o| t.0.contains_key(&o)) && self.cx.whole;
        let common: Vec<_> = x.0.keys().filter(|o| y.0.contains_key(o)).collect();
        if !common.is_empty() && !(from_outside(&x) && from_outside(&y)) {
            return None;
        }
        let signed = IntType::signed(width);
        let zero = |n: &Num| cmp(CmpOp::Eq, signed, n.to(signed), constant(0, signed));
        let both = and(zero(a), zero(b));
        let neither = and(not(zero(a)), not(zero(b)));
        // Inner places of different objects never meet.
        let inner = |t: &Targets| {
            t.0.iter().all(|(o, offsets)| match (offsets, &self.memory.object(*o).size) {
                (super::points::Offsets::Exact(list), Size::Constant(n)) => {
                    list.iter().all(|x| u64::try_from(*x).is_ok_and(|x| x < *n))
                }
                _ => false,
            })
        };
        if common.is_empty() && inner(&x) && inner(&y) {
            return Some(both);
        }
        Some(arith::or(both, and(neither, by_chance)))
    }

    fn cast(
        &mut self,
        state: &mut State,
        op: CastOp,
        arg: &Operand,
        from: &Type,
        to: &Type,
        flags: crate::module::Flags,
    ) -> Sym {
        let module = self.cx.flat.module;
        let (w, v) = (bits_of(from, module), bits_of(to, module));
        if w == 0 || v == 0 || w > 128 || v > 128 {
            return self.any(state, to, 1, UnknownKind::Abstraction);
        }
        let boolean = |b: &mut Self, state: &mut State| b.condition(state, arg, 1);
        match op {
            CastOp::Trunc => {
                if self.is_address(state, arg, from) && !self.distance_like(state, arg) {
                    return self.any(state, to, 2, UnknownKind::Abstraction);
                }
                let a = self.number(state, arg, from, 1);
                let short = if v == 1 { bit(&low_bit(&a)) } else { arith::truncate(&a, v) };
                let mut lost = truth(false);
                for (promised, signed) in [(flags.nsw, true), (flags.nuw, false)] {
                    if promised {
                        let (wide, narrow) = (IntType { width: w, signed }, IntType { width: v, signed });
                        let back = Num::new(short.to(narrow), narrow).to(wide);
                        lost = arith::or(lost, cmp(CmpOp::Ne, wide, back, a.to(wide)));
                    }
                }
                let short = if lost == truth(false) {
                    short
                } else {
                    let any = self.unknown(state, 9, "poison", short.ty, UnknownKind::Environment, None);
                    Num::new(ite(lost, any.expr, short.expr), short.ty)
                };
                if v == 1 { Sym::Cond(low_bit(&short)) } else { Sym::Num(short) }
            }
            CastOp::ZExt if w == 1 => Sym::Num(bit(&boolean(self, state))),
            CastOp::SExt if w == 1 => {
                let c = boolean(self, state);
                let ty = IntType::signed(v);
                Sym::Num(Num::new(ite(c, constant(-1, ty), constant(0, ty)), ty))
            }
            CastOp::ZExt => {
                let a = self.number(state, arg, from, 1);
                let extended = arith::zero_extend(&a, w);
                if flags.nneg && a.ty.signed {
                    let ty = IntType::signed(w);
                    let negative = cmp(CmpOp::Lt, ty, a.to(ty), constant(0, ty));
                    let other = self.unknown(state, 9, "poison", extended.ty, UnknownKind::Environment, None);
                    return Sym::Num(Num::new(ite(negative, other.expr, extended.expr), extended.ty));
                }
                Sym::Num(extended)
            }
            CastOp::SExt => Sym::Num(arith::sign_extend(&self.number(state, arg, from, 1), w)),
            CastOp::PtrToInt => {
                let a = self.number(state, arg, from, 1);
                Sym::Num(if v < w { arith::truncate(&a, v) } else { a })
            }
            CastOp::IntToPtr => {
                let a = self.number(state, arg, from, 1);
                Sym::Num(if w > v { arith::truncate(&a, v) } else { a }.read_as(self.address()))
            }
            CastOp::BitCast | CastOp::AddrSpaceCast if w == v && !matches!(to, Type::Other(_)) => {
                self.operand(state, arg, from, 1)
            }
            _ => self.any(state, to, 1, UnknownKind::Abstraction),
        }
    }
}

/// Whether a function, or one that it calls, may go round; a call that is not known may.
fn has_cycle(module: &crate::module::Module, f: FunctionId, seen: &mut HashSet<FunctionId>) -> bool {
    if !seen.insert(f) {
        return true;
    }
    let function = &module.functions[f.0 as usize];
    let back = function.blocks.iter().enumerate().any(|(b, block)| {
        super::block_successors(&block.terminator).iter().any(|to| to.0 as usize <= b)
    });
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
fn is_plain(c: &Constant) -> bool {
    match c {
        Constant::Opaque(_) => false,
        Constant::Aggregate(_, parts) => parts.iter().all(is_plain),
        Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => is_plain(inner),
        _ => true,
    }
}

/// One more condition on a way.
pub(super) fn with(before: Option<Cond>, cond: Cond) -> Cond {
    match before {
        None => cond,
        Some(b) => Cond::and(b, cond),
    }
}

fn flatten(sym: &Sym, parts: &mut Vec<Num>) {
    match sym {
        Sym::Num(n) => parts.push(n.clone()),
        Sym::Cond(c) => parts.push(bit(c)),
        Sym::Aggregate(list) => list.iter().for_each(|s| flatten(s, parts)),
        Sym::Nothing => {}
    }
}

fn select(c: &Cond, a: &Sym, b: &Sym, width: u32) -> Sym {
    match (c, a, b) {
        (Cond::Const(true), a, _) => a.clone(),
        (Cond::Const(false), _, b) => b.clone(),
        (_, Sym::Cond(x), Sym::Cond(y)) => {
            let ty = IntType::unsigned(1);
            Sym::Cond(cmp(CmpOp::Ne, ty, ite(c.clone(), bit(x).expr, bit(y).expr), constant(0, ty)))
        }
        (_, Sym::Num(x), Sym::Num(y)) => {
            // A type that has both numbers, or the full width, in which every reading is the same bits.
            let fits = |ty: IntType, n: &Num| n.as_const().map_or(ty.includes(n.ty), |k| ty.contains(k));
            let both = |ty: IntType| fits(ty, x) && fits(ty, y);
            let full = IntType { width, signed: x.ty.signed || y.ty.signed };
            let ty = [x.ty, y.ty].into_iter().find(|ty| both(*ty)).unwrap_or(full);
            Sym::Num(Num::new(ite(c.clone(), x.to(ty), y.to(ty)), ty))
        }
        (_, Sym::Aggregate(x), Sym::Aggregate(y)) => {
            Sym::Aggregate(x.iter().zip(y).map(|(x, y)| select(c, x, y, part_width(x, y))).collect())
        }
        _ => Sym::Nothing,
    }
}

/// A width that holds two parts of aggregates.
fn part_width(x: &Sym, y: &Sym) -> u32 {
    let of = |s: &Sym| match s {
        Sym::Num(n) => n.ty.width,
        _ => 1,
    };
    (of(x).max(of(y)) + 1).min(128)
}

/// An operation on truth values: both sides are evaluated.
fn bit_operation(op: BinOp, a: &Cond, b: &Cond) -> Sym {
    match (op, a, b) {
        (BinOp::Xor, c, Cond::Const(true)) | (BinOp::Xor, Cond::Const(true), c) => return Sym::Cond(not(c.clone())),
        (BinOp::And, Cond::Const(k), c) | (BinOp::And, c, Cond::Const(k)) => {
            return Sym::Cond(if *k { c.clone() } else { truth(false) });
        }
        (BinOp::Or, Cond::Const(k), c) | (BinOp::Or, c, Cond::Const(k)) => {
            return Sym::Cond(if *k { truth(true) } else { c.clone() });
        }
        _ => {}
    }
    let ty = IntType::unsigned(1);
    let neutral = match op {
        BinOp::And | BinOp::Mul => lariat_ir::neutral::BinaryOp::And,
        BinOp::Or => lariat_ir::neutral::BinaryOp::Or,
        _ => lariat_ir::neutral::BinaryOp::Xor,
    };
    let result = arith::operate(neutral, ty, Overflow::Wraps, bit(a).expr, bit(b).expr);
    Sym::Cond(cmp(CmpOp::Ne, ty, result, constant(0, ty)))
}

fn zero(ty: &Type, module: &crate::module::Module) -> Sym {
    match ty {
        Type::Int(1) => Sym::Cond(truth(false)),
        Type::Struct(..) | Type::Array(..) => {
            Sym::Aggregate(leaves_of(ty).iter().map(|(_, t)| zero(t, module)).collect())
        }
        Type::Void => Sym::Nothing,
        other => Sym::Num(Num::constant(0, IntType::signed(bits_of(other, module).clamp(1, 128)))),
    }
}

/// The type of a value of a function.
pub(super) fn value_type(function: &Function, value: ValueId) -> Type {
    let n = value.0 as usize;
    if let Some(p) = function.params.get(n) {
        return p.ty.clone();
    }
    let mut first = function.params.len();
    for block in &function.blocks {
        if n < first + block.instructions.len() {
            return block.instructions[n - first].ty.clone();
        }
        first += block.instructions.len();
    }
    Type::Void
}

/// The type of an operand.
pub(super) fn operand_type(function: &Function, operand: &Operand) -> Type {
    match operand {
        Operand::Value(v) => value_type(function, *v),
        Operand::Constant(c) => match c {
            Constant::Int(w, _) | Constant::PtrToInt(_, w) => Type::Int(*w),
            Constant::Float(k, _) => Type::Float(*k),
            Constant::Undef(t) | Constant::Zero(t) | Constant::Aggregate(t, _) | Constant::Opaque(t) => t.clone(),
            Constant::Bytes(list) => Type::Array(Box::new(Type::Int(8)), list.len() as u64, 1),
            Constant::Null
            | Constant::Global(..)
            | Constant::Function(_)
            | Constant::Block(..)
            | Constant::IntToPtr(_) => Type::Ptr,
        },
    }
}

fn inner_type(ty: &Type, path: &[u32]) -> Type {
    match (ty, path) {
        (t, []) => t.clone(),
        (Type::Struct(members, _), [n, rest @ ..]) => {
            members.get(*n as usize).map_or(Type::Void, |(_, t)| inner_type(t, rest))
        }
        (Type::Array(of, ..), [_, rest @ ..]) => inner_type(of, rest),
        _ => Type::Void,
    }
}

/// Which leaves of a type a path leads to.
fn leaf_range(ty: &Type, path: &[u32]) -> (usize, usize) {
    match (ty, path) {
        (t, []) => (0, leaves_of(t).len()),
        (Type::Struct(members, _), [n, rest @ ..]) => {
            let before: usize = members.iter().take(*n as usize).map(|(_, t)| leaves_of(t).len()).sum();
            let (first, count) = members.get(*n as usize).map_or((0, 0), |(_, t)| leaf_range(t, rest));
            (before + first, count)
        }
        (Type::Array(of, ..), [n, rest @ ..]) => {
            let (first, count) = leaf_range(of, rest);
            (leaves_of(of).len() * *n as usize + first, count)
        }
        _ => (0, 0),
    }
}

/// The values that are used at or after the start of each block, behind its phis.
fn liveness(function: &Function) -> Vec<HashSet<ValueId>> {
    let n = function.blocks.len();
    let mut live: Vec<HashSet<ValueId>> = vec![HashSet::new(); n];
    loop {
        let mut changed = false;
        for b in (0..n).rev() {
            let mut now = live_out(function, BlockId(index(b)), &live);
            let block = &function.blocks[b];
            let phis = block.instructions.iter().take_while(|i| matches!(i.op, Op::Phi { .. })).count();
            backwards(block, phis, &mut now);
            if now.len() != live[b].len() {
                live[b] = now;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}

fn live_out(function: &Function, block: BlockId, live_in: &[HashSet<ValueId>]) -> HashSet<ValueId> {
    let mut out = HashSet::new();
    for next in super::block_successors(&function.blocks[block.0 as usize].terminator) {
        let to = &function.blocks[next.0 as usize];
        let mut there = live_in[next.0 as usize].clone();
        for instruction in &to.instructions {
            let Op::Phi { incoming } = &instruction.op else { break };
            there.remove(&instruction.id);
            for (from, operand) in incoming {
                if let (true, Operand::Value(v)) = (*from == block, operand) {
                    out.insert(*v);
                }
            }
        }
        out.extend(there);
    }
    out
}

/// Goes from the end of a block back to a position.
fn backwards(block: &crate::module::Block, to: usize, live: &mut HashSet<ValueId>) {
    let note = |operand: &Operand, live: &mut HashSet<ValueId>| {
        if let Operand::Value(v) = operand {
            live.insert(*v);
        }
    };
    for o in super::terminator_operands(&block.terminator) {
        note(o, live);
    }
    for instruction in block.instructions.iter().skip(to).rev() {
        live.remove(&instruction.id);
        for o in super::operands_of(&instruction.op) {
            note(o, live);
        }
    }
}
