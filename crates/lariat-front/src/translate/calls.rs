//! Calls: functions that are entered, the compiler's intrinsics, functions with a model, and functions nobody knows.

use super::arith::{Num, Sym, and, bit, cmp, compare, constant, ite, low_bit, not, operate, or, truth};
use super::build::{Builder, Flow, Next, Split, State, operand_type};
use super::flat::{Plan, Point, index, is_longjmp, is_throw};
use super::layout::{Layout, Life, Size};
use super::points::{ObjectId, ObjectKind, Offsets, Targets, constant_of};
use super::{Context, ModelUse, bits_of};
use crate::models::{
    BinaryOp as ModelBinary, Content, Effect, Ends, Expr as ModelExpr, Kind, Model, Requirement, Returns,
    UnaryOp as ModelUnary, When, Write,
};
use crate::module::{Callee, Constant, FunctionId, Instruction, Op, Operand, Predicate, Type, ValueId};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, Goto, IntType, MemUpdate, Overflow, UnaryOp};

/// How many pieces a copy is written out with.
const PIECES: usize = 160;

impl<'m> Builder<'_, 'm> {
    pub(super) fn call(&mut self, state: &mut State, instruction: &'m Instruction) -> Result<Flow, Split> {
        let Op::Call { callee, args, returns_twice, .. } = &instruction.op else { return Ok(Flow::On) };
        let at = state.point();
        let flat = self.cx.flat;
        let result = flat.value(at.instance, instruction.id);
        let f = match callee {
            Callee::Asm(_) => {
                let span = state.span_of();
                self.assume(state, "inline assembly changes only its outputs and memory that others know of", span);
                self.forget_escaped(state, true, 40);
                let sym = self.any(state, &instruction.ty, 1, UnknownKind::Environment);
                for (n, a) in args.iter().enumerate() {
                    for object in self.points.expand(&self.targets(state, a)).0.into_keys() {
                        self.forget_if_data(state, object, 50 + index(n));
                    }
                }
                state.set_value(result, sym);
                return Ok(Flow::On);
            }
            Callee::Pointer(p) => return self.through_pointer(state, instruction, p, args),
            Callee::Function(f) => *f,
        };
        let name = flat.module.functions[f.0 as usize].name.as_str();
        if let Some((_, Plan::Enter(_) | Plan::Again(_))) = flat.plan(at).first() {
            let plan = flat.plan(at)[0].1;
            return self.enter(state, f, plan, args);
        }
        if *returns_twice {
            // The first time; a jump back comes with another value.
            if let Some(armed) = self.armed.get(&at) {
                state.set(*armed, constant(1, IntType::unsigned(8)));
            }
            let ty = IntType::signed(bits_of(&instruction.ty, flat.module).clamp(1, 128));
            state.set_value(result, Sym::Num(Num::constant(0, ty)));
            return Ok(Flow::To(flat.after_call(at)));
        }
        if is_longjmp(name) {
            return Ok(self.jump_back(state, at, args));
        }
        if is_throw(name) {
            let handler = flat.handler(at);
            self.unwind(state.clone(), handler);
            return Ok(Flow::Done);
        }
        match self.cx.model_use(at, callee) {
            ModelUse::Entered => Ok(Flow::On),
            ModelUse::Intrinsic(name) => self.intrinsic(state, instruction, name, args),
            ModelUse::Model(model) => self.model(state, instruction, model, args),
            ModelUse::Unknown => {
                let shown = flat.module.functions[f.0 as usize].shown().to_owned();
                self.unknown_call(state, instruction, &shown, args, Some(f))
            }
        }
    }

    /// Binds the arguments and goes to the callee's entry.
    fn enter(&mut self, state: &mut State, f: FunctionId, plan: Plan, args: &[Operand]) -> Result<Flow, Split> {
        let (Plan::Enter(inner) | Plan::Again(inner)) = plan else { return Ok(Flow::On) };
        let flat = self.cx.flat;
        let function = &flat.module.functions[f.0 as usize];
        let caller = flat.function(state.point().instance);
        let mut bound = Vec::new();
        for (n, p) in function.params.iter().enumerate() {
            let value = flat.value(inner, ValueId(index(n)));
            let Some(arg) = args.get(n) else {
                bound.push((value, self.any(state, &p.ty, 200 + index(n), UnknownKind::Environment)));
                continue;
            };
            if let Some(size) = p.byval {
                let kind = ObjectKind::Stack(inner, ValueId(index(n)));
                let Some(object) = self.points.known(kind) else { continue };
                let ty = self.address();
                let base = if self.memory.object(object).many.is_some() {
                    match self.next_of_many(state, object) {
                        Some(b) => b,
                        None => return Ok(Flow::Done),
                    }
                } else {
                    constant(self.memory.object(object).base.clone(), ty)
                };
                let to = Targets([(object, Offsets::Exact(vec![0]))].into());
                let from = self.targets(state, arg);
                let source = self.number(state, arg, &Type::Ptr, 210 + index(n)).to(ty);
                self.set_life(state, object, &base, true);
                if !self.copy(state, (&base, &to), (&source, &from), size, 20_000 + 400 * index(n))? {
                    return Ok(Flow::Done);
                }
                bound.push((value, Sym::Num(Num::new(base, ty))));
                continue;
            }
            let given = operand_type(caller, arg);
            let sym = if bits_of(&given, flat.module) == bits_of(&p.ty, flat.module) {
                self.operand(state, arg, &p.ty, 220 + index(n))
            } else {
                // The function was called without a prototype, and with something else than it takes.
                self.any(state, &p.ty, 220 + index(n), UnknownKind::Environment)
            };
            bound.push((value, sym));
        }
        for (value, sym) in bound {
            state.set_value(value, sym);
        }
        if let Some(depth) = self.depth_of(inner) {
            let ty = IntType::signed(64);
            let now = match plan {
                Plan::Again(_) => operate(BinaryOp::Add, ty, Overflow::Undefined, state.var(depth), constant(1, ty)),
                _ => constant(0, ty),
            };
            state.set(depth, now);
        }
        Ok(Flow::To(flat.entry(inner)))
    }

    fn through_pointer(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        pointer: &Operand,
        args: &[Operand],
    ) -> Result<Flow, Split> {
        let at = state.point();
        let ty = self.address();
        let value = self.number(state, pointer, &Type::Ptr, 1).to(ty);
        let plan = self.cx.flat.plan(at).to_vec();
        let mut ways = Vec::new();
        for (f, what) in plan {
            let Some(object) = self.points.known(ObjectKind::Function(f)) else { continue };
            let here = cmp(CmpOp::Eq, ty, value.clone(), constant(self.memory.object(object).base.clone(), ty));
            if here == truth(false) {
                continue;
            }
            let certain = here == truth(true);
            let mut taken = state.clone();
            if !certain {
                taken.restrict(here);
            }
            match what {
                Plan::Stay => ways.push((taken, Next::Outside(f))),
                _ => match self.enter(&mut taken, f, what, args)? {
                    Flow::To(to) => ways.push((taken, Next::Jump(to))),
                    Flow::On | Flow::Done => {}
                },
            }
            if certain {
                for (s, next) in ways.into_iter().rev() {
                    self.push(s, next);
                }
                return Ok(Flow::Done);
            }
        }
        let _ = instruction;
        self.push(state.clone(), Next::Nobody(value));
        for (s, next) in ways.into_iter().rev() {
            self.push(s, next);
        }
        Ok(Flow::Done)
    }

    /// A call through a pointer to a function that is not followed.
    pub(super) fn call_outside(&mut self, mut state: State, f: FunctionId) {
        let flat = self.cx.flat;
        let Some(instruction) = flat.instruction(state.point()) else { return };
        let Op::Call { args, .. } = &instruction.op else { return };
        let shown = flat.module.functions[f.0 as usize].shown().to_owned();
        let name = flat.module.functions[f.0 as usize].name.as_str();
        if is_longjmp(name) || is_throw(name) {
            // Where such a jump goes is followed only where the function is named.
            self.beyond_unless(&mut state, truth(false));
            return;
        }
        // What a model says of memory was not said to the points-to analysis: the function counts as unknown.
        let flow = self.unknown_call(&mut state, instruction, &shown, args, Some(f));
        self.after_outside(state, flow);
    }

    /// A call through a pointer that is none of the known functions.
    pub(super) fn call_nobody(&mut self, mut state: State, pointer: &Expr) {
        let flat = self.cx.flat;
        let Some(instruction) = flat.instruction(state.point()) else { return };
        let Op::Call { args, .. } = &instruction.op else { return };
        let ty = self.address();
        if !self.require(&mut state, cmp(CmpOp::Ne, ty, pointer.clone(), constant(0, ty))) {
            return;
        }
        let flow = self.unknown_call(&mut state, instruction, "a function behind a pointer", args, None);
        self.after_outside(state, flow);
    }

    fn after_outside(&mut self, mut state: State, flow: Result<Flow, Split>) {
        match flow {
            Ok(Flow::On) => {
                let next = self.cx.flat.after_call(state.point());
                if next.block == state.point().block {
                    state.move_to(next);
                    self.push(state, Next::Follow);
                } else {
                    self.enter_normal(state, next);
                }
            }
            Ok(Flow::To(to)) => self.jump(state, to),
            Ok(Flow::Done) => {}
            Err(Split) => {
                let at = state.point();
                self.go(&state, at);
            }
        }
    }

    /// `longjmp`: to where a `setjmp` was that is still being executed.
    fn jump_back(&mut self, state: &mut State, at: Point, args: &[Operand]) -> Flow {
        let flat = self.cx.flat;
        let targets = flat.jump_targets(at);
        let ty = IntType::signed(32);
        let value = match args.get(1) {
            Some(v) => self.number(state, v, &Type::Int(32), 1).to(ty),
            None => constant(1, ty),
        };
        let given = ite(cmp(CmpOp::Eq, ty, value.clone(), constant(0, ty)), constant(1, ty), value);
        if targets.is_empty() {
            // To a caller of the function that is analysed, or nowhere.
            self.end(state, if self.cx.whole { Goto::Ub } else { Goto::Trap });
            return Flow::Done;
        }
        let which = (targets.len() > 1).then(|| {
            self.unknown(state, 2, "jump buffer", IntType::unsigned(32), UnknownKind::Environment, None)
        });
        let mut ways = Vec::new();
        for (n, target) in targets.iter().enumerate() {
            let mut taken = state.clone();
            if let (Some(which), true) = (&which, n > 0) {
                let ty = IntType::unsigned(32);
                taken.restrict(cmp(CmpOp::Eq, ty, which.to(ty), constant(n, ty)));
            }
            // A buffer that was not filled, or whose function has returned, leads nowhere.
            let flag = IntType::unsigned(8);
            let armed = self.armed.get(target).map_or(constant(0, flag), |v| taken.var(*v));
            let ready = cmp(CmpOp::Eq, flag, armed, constant(1, flag));
            if ready == truth(false) {
                ways.push((taken, Next::End(Goto::Ub)));
                continue;
            }
            if ready != truth(true) {
                let mut other = taken.clone();
                other.restrict(not(ready));
                ways.push((other, Next::End(Goto::Ub)));
            }
            if self.cx.recursive(target.instance) {
                // Which of its calls it goes back to is not followed.
                ways.push((taken, Next::Beyond));
                continue;
            }
            self.leave_until(&mut taken, target.instance);
            self.forget_changed(&mut taken, *target);
            if let Some(i) = flat.instruction(*target) {
                taken.set_value(flat.value(target.instance, i.id), Sym::Num(Num::new(given.clone(), ty)));
            }
            ways.push((taken, Next::Jump(flat.after_call(*target))));
        }
        // What has a condition more comes first: of two ways to one target the second one pushed.
        let mut ordered = Vec::new();
        let mut rest = ways.into_iter().peekable();
        while let Some(way) = rest.next() {
            match way.1 {
                Next::End(_) if rest.peek().is_some_and(|w| matches!(w.1, Next::Jump(_) | Next::Beyond)) => {
                    let jump = rest.next().expect("it was looked at");
                    ordered.push(jump);
                    ordered.push(way);
                }
                _ => ordered.push(way),
            }
        }
        for (s, next) in ordered {
            self.push(s, next);
        }
        Flow::Done
    }

    /// After a jump back, the locals of the function with the `setjmp` that were changed since are indeterminate.
    fn forget_changed(&mut self, state: &mut State, target: Point) {
        let flat = self.cx.flat;
        let mut seen = std::collections::HashSet::new();
        let mut work = vec![flat.after_call(target)];
        let mut changed = std::collections::BTreeSet::new();
        while let Some(p) = work.pop() {
            if !seen.insert(p) {
                continue;
            }
            for i in flat.block(p).instructions.iter().skip(p.index as usize) {
                if let Op::Store { ptr, volatile: false, .. } = &i.op {
                    changed.extend(self.points.expand(&self.points.of(flat, p.instance, ptr)).0.into_keys());
                }
            }
            work.extend(flat.successors(p));
        }
        for o in changed {
            if let ObjectKind::Stack(instance, _) = self.points.objects[o.0 as usize]
                && instance == target.instance
            {
                self.forget(state, o, UnknownKind::Environment, 700 + o.0);
            }
        }
    }

    /// Whether nobody may change an object.
    fn is_constant(&self, object: ObjectId) -> bool {
        match self.points.objects[object.0 as usize] {
            ObjectKind::Function(_) => true,
            ObjectKind::Global(g) => self.cx.flat.module.globals[g.0 as usize].constant,
            _ => false,
        }
    }

    fn forget_if_data(&mut self, state: &mut State, object: ObjectId, tag: u32) {
        if !self.is_constant(object) {
            self.forget(state, object, UnknownKind::Environment, tag);
        }
    }

    /// A function nobody knows: it returns, and may have changed all that the outside knows of.
    fn unknown_call(
        &mut self,
        state: &mut State,
        instruction: &Instruction,
        name: &str,
        args: &[Operand],
        f: Option<FunctionId>,
    ) -> Result<Flow, Split> {
        let span = state.span_of();
        let defined = f.is_some_and(|f| !self.cx.flat.module.functions[f.0 as usize].blocks.is_empty());
        let text = if f.is_some() { format!("`{name}` returns") } else { format!("{name} returns") };
        self.assume(state, &text, span);
        let _ = args;
        if matches!(name, "setcontext" | "swapcontext" | "makecontext") {
            self.beyond_unless(state, truth(false));
            return Ok(Flow::Done);
        }
        self.forget_escaped(state, defined, 60);
        let unwinds = !matches!(&instruction.op, Op::Call { nounwind: true, .. });
        if let Some(handler) = self.cx.flat.handler(state.point()).filter(|_| unwinds) {
            // It may also end with an exception, and somebody here catches it.
            let flag = IntType::unsigned(1);
            let thrown = self.unknown(state, 0, "throws", flag, UnknownKind::Environment, None);
            let mut other = state.clone();
            other.restrict(low_bit(&thrown));
            self.emit_unwind(other, Some(handler));
        }
        let sym = self.any(state, &instruction.ty, 1, UnknownKind::Environment);
        let at = state.point();
        state.set_value(self.cx.flat.value(at.instance, instruction.id), sym);
        if instruction_never_returns(instruction, f.map(|f| &self.cx.flat.module.functions[f.0 as usize])) {
            self.end(state, Goto::Trap);
            return Ok(Flow::Done);
        }
        Ok(Flow::On)
    }

    fn forget_escaped(&mut self, state: &mut State, all_globals: bool, tag: u32) {
        let mut objects: Vec<ObjectId> = self.points.escaped.iter().copied().collect();
        if all_globals {
            let more = (0..self.points.objects.len()).map(|o| ObjectId(index(o)));
            let globals = more.filter(|o| matches!(self.points.objects[o.0 as usize], ObjectKind::Global(_)));
            objects.extend(globals);
            objects.sort_unstable();
            objects.dedup();
        }
        let mut regions = Vec::new();
        for o in objects {
            if let Layout::Region(n) = self.memory.object(o).layout
                && !self.is_constant(o)
            {
                // An array that is forgotten is forgotten for all its objects, once.
                if regions.contains(&n) {
                    continue;
                }
                regions.push(n);
            }
            self.forget_if_data(state, o, tag + o.0 * 64);
            if let (Life::Flag(flag), ObjectKind::Heap(_)) = (&self.memory.object(o).life, self.memory.object(o).kind) {
                let flag = *flag;
                let ty = IntType::unsigned(8);
                let range = Some((IBig::ZERO, IBig::from(1)));
                let still = self.unknown(state, tag + o.0 * 64 + 63, "alive", ty, UnknownKind::Environment, range);
                // What is gone stays gone.
                let now = ite(cmp(CmpOp::Eq, ty, state.var(flag), constant(0, ty)), constant(0, ty), still.expr);
                state.set(flag, now);
            }
        }
    }

    // ---- memory in bulk

    /// The condition that so many bytes from a pointer on are in one object that is there.
    pub(super) fn range_valid(&self, state: &State, pointer: &Expr, targets: &Targets, size: &Expr) -> Result<Cond, Split> {
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
                        Offsets::Class { first, stride } => {
                            (vec![*first], super::points::gcd(*stride, region.stride))
                        }
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
        tag: u32,
    ) -> Result<bool, Split> {
        if size == 0 {
            return Ok(true);
        }
        let ty = self.address();
        let n = constant(size, ty);
        let valid = and(
            self.range_valid(state, to, to_targets, &n)?,
            self.range_valid(state, from, from_targets, &n)?,
        );
        let Some(pieces) = self.pieces(to_targets, to, size) else {
            if !self.require(state, valid) {
                return Ok(false);
            }
            self.forget_all(state, to_targets, UnknownKind::Abstraction, tag);
            return Ok(true);
        };
        let mut values = Vec::new();
        for (k, (d, s)) in pieces.iter().enumerate() {
            let at = self.add_address(from.clone(), *d);
            let moved = super::layout::shift(from_targets, *d);
            let resolved = self.resolve(state, &at, &moved, *s, 1)?;
            values.push(self.read(state, &resolved, *s, tag + 8 * index(k))?);
        }
        if !self.require(state, valid) {
            return Ok(false);
        }
        for (k, ((d, s), value)) in pieces.iter().zip(values).enumerate() {
            let at = self.add_address(to.clone(), *d);
            let moved = super::layout::shift(to_targets, *d);
            let resolved = self.resolve(state, &at, &moved, *s, 1)?;
            self.write(state, &resolved, *s, &value, tag + 4000 + 8 * index(k))?;
        }
        Ok(true)
    }

    /// Writes the same byte so many times; whether anything follows.
    fn fill(
        &mut self,
        state: &mut State,
        (to, targets): (&Expr, &Targets),
        byte: &Num,
        size: u64,
        tag: u32,
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
            self.forget_all(state, targets, UnknownKind::Abstraction, tag);
            return Ok(true);
        };
        let one = byte.to(IntType::unsigned(8));
        for (k, (d, s)) in pieces.iter().enumerate() {
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
            self.write(state, &resolved, *s, &value, tag + 8 * index(k))?;
        }
        Ok(true)
    }

    pub(super) fn forget_all(&mut self, state: &mut State, targets: &Targets, kind: UnknownKind, tag: u32) {
        for object in self.points.expand(targets).0.into_keys() {
            if !matches!(self.points.objects[object.0 as usize], ObjectKind::Function(_)) {
                self.forget(state, object, kind, tag + object.0 * 64);
            }
        }
    }

    /// Marks an object as there or gone.
    fn set_life(&mut self, state: &mut State, id: ObjectId, base: &Expr, alive: bool) {
        let flag = IntType::unsigned(8);
        let value = constant(i32::from(alive), flag);
        match self.memory.object(id).life {
            Life::Always => {}
            Life::Flag(v) => state.set(v, value),
            Life::Mem(mem) => state.stores.push(MemUpdate::Store { mem, address: base.clone(), value }),
        }
    }

    /// A new object on the heap: its address, or nothing if nothing follows.
    fn allocate(&mut self, state: &mut State, at: Point, size: &Expr, content: Content) -> Option<Num> {
        let id = self.points.known(ObjectKind::Heap(at))?;
        let ty = self.address();
        let object = self.memory.object(id).clone();
        let base = if object.many.is_some() {
            self.next_of_many(state, id)?
        } else {
            constant(object.base.clone(), ty)
        };
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
            (Layout::Scalars(_), _) => self.forget(state, id, UnknownKind::Environment, 70),
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
                    None => self.forget(state, id, UnknownKind::Abstraction, 71),
                }
            }
            (Layout::Region(_), _) => self.forget_new(state, id, &base),
        }
        Some(Num::new(base, ty))
    }

    /// Frees what a pointer points to; whether anything follows.
    fn free(&mut self, state: &mut State, pointer: &Expr, targets: &Targets) -> Result<bool, Split> {
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
                let still = self.unknown(state, 0, "not the freed part", flag, UnknownKind::Environment, range);
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

    // ---- intrinsics

    fn intrinsic(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        name: &'m str,
        args: &[Operand],
    ) -> Result<Flow, Split> {
        let flat = self.cx.flat;
        let at = state.point();
        let function = flat.function(at.instance);
        let result = flat.value(at.instance, instruction.id);
        let width = bits_of(&instruction.ty, flat.module);
        let base = name.strip_prefix("llvm.").unwrap_or(name);
        let kind = base.split('.').next().unwrap_or(base);
        // On vectors they work lane by lane, which is not followed.
        let lanes = matches!(instruction.ty, Type::Other(_))
            || args.iter().any(|a| matches!(operand_type(function, a), Type::Other(_)));
        if lanes && instruction.ty != Type::Void && !writes_memory(name) {
            let sym = self.any(state, &instruction.ty, 1, UnknownKind::Abstraction);
            state.set_value(result, sym);
            return Ok(Flow::On);
        }
        let arg = |b: &mut Self, state: &mut State, n: usize| {
            let ty = args.get(n).map_or(Type::Void, |a| operand_type(function, a));
            args.get(n).map(|a| b.number(state, a, &ty, 10 + index(n)))
        };
        let sym = match kind {
            "dbg" => return Ok(Flow::On),
            "lifetime" => {
                let value = match args.last() {
                    Some(Operand::Value(v)) => *v,
                    _ => return Ok(Flow::On),
                };
                let Some(id) = self.points.known(ObjectKind::Stack(at.instance, value)) else { return Ok(Flow::On) };
                let starts = base.starts_with("lifetime.start");
                if starts {
                    if self.memory.object(id).many.is_some() {
                        let Some(address) = self.next_of_many(state, id) else { return Ok(Flow::Done) };
                        self.forget_new(state, id, &address);
                        let ty = self.address();
                        state.set_value(flat.value(at.instance, value), Sym::Num(Num::new(address, ty)));
                    } else {
                        self.forget_fresh(state, id, value.0);
                    }
                }
                self.set_alive(state, id, value, starts);
                return Ok(Flow::On);
            }
            "assume" => {
                let c = match args.first() {
                    Some(a) => self.condition(state, a, 1),
                    None => truth(true),
                };
                return Ok(if self.require(state, c) { Flow::On } else { Flow::Done });
            }
            "ubsantrap" => {
                self.end(state, Goto::Ub);
                return Ok(Flow::Done);
            }
            "trap" | "debugtrap" => {
                self.end(state, Goto::Trap);
                return Ok(Flow::Done);
            }
            "memcpy" | "memmove" | "memset" => {
                let ty = self.address();
                let (Some(to), Some(second), Some(n)) = (args.first(), args.get(1), args.get(2)) else {
                    return Ok(Flow::On);
                };
                let targets = self.targets(state, to);
                let pointer = self.number(state, to, &Type::Ptr, 1).to(ty);
                let size = arg(self, state, 2).unwrap_or_else(|| Num::constant(0, ty));
                let known = size.as_const().and_then(|k| u64::try_from(k.clone()).ok());
                // A volatile copy reads what the environment says.
                let volatile = matches!(args.get(3), Some(Operand::Constant(Constant::Int(_, 1))));
                let known = known.filter(|_| !volatile);
                let kept = if volatile { UnknownKind::Environment } else { UnknownKind::Abstraction };
                let from_targets = self.targets(state, second);
                let follows = match (kind, known) {
                    ("memset", Some(n)) => {
                        let byte = self.number(state, second, &Type::Int(8), 2);
                        self.fill(state, (&pointer, &targets), &byte, n, 30_000)?
                    }
                    (_, Some(n)) => {
                        let source = self.number(state, second, &Type::Ptr, 2).to(ty);
                        self.copy(state, (&pointer, &targets), (&source, &from_targets), n, 30_000)?
                    }
                    (_, None) => {
                        let _ = n;
                        let size = size.to(ty);
                        let mut valid = self.range_valid(state, &pointer, &targets, &size)?;
                        if kind != "memset" {
                            let source = self.number(state, second, &Type::Ptr, 2).to(ty);
                            valid = and(valid, self.range_valid(state, &source, &from_targets, &size)?);
                        }
                        let follows = self.require(state, valid);
                        if follows {
                            self.forget_all(state, &targets, kept, 30_000);
                        }
                        follows
                    }
                };
                return Ok(if follows { Flow::On } else { Flow::Done });
            }
            "expect" | "launder" | "strip" | "ssa" => {
                match args.first() {
                    Some(a) => self.operand(state, a, &instruction.ty, 1),
                    None => Sym::Nothing,
                }
            }
            // Without optimisation nothing counts as constant.
            "is" if base.starts_with("is.constant") => Sym::Cond(truth(false)),
            "sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul" if base.contains("with.overflow") => {
                match (arg(self, state, 0), arg(self, state, 1)) {
                    (Some(a), Some(b)) => {
                        let ty = args.first().map_or(Type::Void, |a| operand_type(function, a));
                        match overflowing(kind, bits_of(&ty, flat.module), &a, &b) {
                            Some(both) => both,
                            None => self.any(state, &instruction.ty, 1, UnknownKind::Abstraction),
                        }
                    }
                    _ => self.any(state, &instruction.ty, 1, UnknownKind::Abstraction),
                }
            }
            "smax" | "smin" | "umax" | "umin" => match (arg(self, state, 0), arg(self, state, 1)) {
                (Some(a), Some(b)) => {
                    let pred = match kind {
                        "smax" => Predicate::Sgt,
                        "smin" => Predicate::Slt,
                        "umax" => Predicate::Ugt,
                        _ => Predicate::Ult,
                    };
                    let ty = IntType { width, signed: kind.starts_with('s') };
                    let first = compare(pred, width, &a, &b);
                    Sym::Num(Num::new(ite(first, a.to(ty), b.to(ty)), ty))
                }
                _ => Sym::Nothing,
            },
            "abs" => match arg(self, state, 0) {
                Some(a) => {
                    let ty = IntType::signed(width);
                    let x = a.to(ty);
                    let poison = matches!(args.get(1), Some(Operand::Constant(Constant::Int(_, 1))));
                    let overflow = if poison { Overflow::Undefined } else { Overflow::Wraps };
                    let negated = Expr::unary(UnaryOp::Neg, ty, overflow, x.clone());
                    let negative = cmp(CmpOp::Lt, ty, x.clone(), constant(0, ty));
                    Sym::Num(Num::new(ite(negative, negated, x), ty))
                }
                None => Sym::Nothing,
            },
            "ctpop" | "ctlz" | "cttz" => match arg(self, state, 0) {
                Some(a) if width <= 64 => {
                    if kind != "ctpop" && matches!(args.get(1), Some(Operand::Constant(Constant::Int(_, 1)))) {
                        let ty = IntType::unsigned(width);
                        let ok = cmp(CmpOp::Ne, ty, a.to(ty), constant(0, ty));
                        if !self.require(state, ok) {
                            return Ok(Flow::Done);
                        }
                    }
                    Sym::Num(count_bits(kind, width, &a))
                }
                _ => self.any(state, &instruction.ty, 1, UnknownKind::Abstraction),
            },
            "bswap" => match arg(self, state, 0) {
                Some(a) if width % 8 == 0 => {
                    let ty = IntType::unsigned(width);
                    let byte = IntType::unsigned(8);
                    let parts = (0..width / 8).rev().map(|i| {
                        let moved = operate(BinaryOp::Shr, ty, Overflow::Wraps, a.to(ty), constant(8 * i, ty));
                        Num::new(moved, ty).to(byte)
                    });
                    Sym::Num(Num::new(Expr::Join(parts.collect()), ty))
                }
                _ => self.any(state, &instruction.ty, 1, UnknownKind::Abstraction),
            },
            "fshl" | "fshr" => match (arg(self, state, 0), arg(self, state, 1), arg(self, state, 2)) {
                (Some(a), Some(b), Some(c)) => {
                    let ty = IntType::unsigned(width);
                    let modulus = constant(width, ty);
                    let by = operate(BinaryOp::Rem, ty, Overflow::Wraps, c.to(ty), modulus.clone());
                    let rest = operate(BinaryOp::Sub, ty, Overflow::Wraps, modulus, by.clone());
                    let (left, right) = if kind == "fshl" { (by.clone(), rest) } else { (rest, by.clone()) };
                    let high = operate(BinaryOp::Shl, ty, Overflow::Wraps, a.to(ty), left);
                    let low = operate(BinaryOp::Shr, ty, Overflow::Wraps, b.to(ty), right);
                    let both = operate(BinaryOp::Or, ty, Overflow::Wraps, high, low);
                    let whole = if kind == "fshl" { a.to(ty) } else { b.to(ty) };
                    let none = cmp(CmpOp::Eq, ty, by, constant(0, ty));
                    Sym::Num(Num::new(ite(none, whole, both), ty))
                }
                _ => Sym::Nothing,
            },
            "usub" | "uadd" | "ssub" | "sadd" => self.any(state, &instruction.ty, 1, UnknownKind::Abstraction),
            "va_start" | "va_copy" => {
                let span = state.span_of();
                self.assume(state, "further arguments are as the function expects them", span);
                for a in args {
                    let targets = self.targets(state, a);
                    self.forget_all(state, &targets, UnknownKind::Environment, 80);
                }
                return Ok(Flow::On);
            }
            "va_end" | "stackrestore" | "prefetch" | "donothing" | "invariant" | "var" | "experimental" | "annotation" => {
                if instruction.ty == Type::Void {
                    return Ok(Flow::On);
                }
                self.any(state, &instruction.ty, 1, UnknownKind::Environment)
            }
            "objectsize" => self.any(state, &instruction.ty, 1, UnknownKind::Environment),
            "stacksave" => Sym::Num(Num::constant(0, self.address())),
            "threadlocal" => match args.first() {
                Some(a) => self.operand(state, a, &Type::Ptr, 1),
                None => Sym::Nothing,
            },
            "eh" => self.any(state, &instruction.ty, 1, UnknownKind::Environment),
            _ if writes_memory(name) => {
                for a in args {
                    let targets = self.targets(state, a);
                    self.forget_all(state, &targets, UnknownKind::Environment, 0);
                }
                self.forget_escaped(state, false, 0);
                self.any(state, &instruction.ty, 1, UnknownKind::Environment)
            }
            // Floating point, mostly: a result that is not followed and no effect.
            _ => self.any(state, &instruction.ty, 1, UnknownKind::Abstraction),
        };
        state.set_value(result, sym);
        Ok(Flow::On)
    }

    pub(super) fn observe(&mut self, state: &mut State, var: usize, args: &[Operand]) -> Flow {
        let at = state.point();
        let function = self.cx.flat.function(at.instance);
        let ty = IntType::signed(64);
        if let Some(a) = args.first() {
            let given = operand_type(function, a);
            let value = self.number(state, a, &given, 1);
            let e = value.to(ty);
            state.set(var, e);
        }
        let after = self.cx.flat.after_call(at);
        self.observation(after);
        Flow::To(after)
    }

    // ---- models

    fn model(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        model: &'m Model,
        args: &[Operand],
    ) -> Result<Flow, Split> {
        let flat = self.cx.flat;
        let at = state.point();
        let function = flat.function(at.instance);
        let result = flat.value(at.instance, instruction.id);
        let span = state.span_of();
        let mut values = Vec::new();
        for (n, a) in args.iter().enumerate() {
            let ty = operand_type(function, a);
            let mut v = self.number(state, a, &ty, 10 + index(n));
            // An argument is read by the type that the function takes.
            if let (Some(p), Type::Int(w)) = (model.params.get(n), &ty)
                && let Some(t) = p.ty
                && *w <= 128
            {
                v = v.read_as(IntType { width: *w, signed: t.signed() });
            }
            values.push(v);
        }
        for a in args {
            let targets = self.targets(state, a);
            self.hand_over(&targets);
        }
        let mut cx = ModelCall { values, targets: args.iter().map(|a| self.targets(state, a)).collect(), args, result: None };
        if let Some(text) = &model.assumption {
            self.assume(state, &format!("{text} (`{}`)", model.name), span.clone());
        }
        if model.blocks {
            self.assume(state, &format!("`{}` returns", model.name), span.clone());
        }
        if let Some(end) = &model.ends {
            let when = match &end.when {
                When::Always => truth(true),
                When::Perhaps => {
                    let u = self.unknown(state, 90, "ends", IntType::unsigned(1), UnknownKind::Environment, None);
                    low_bit(&u)
                }
                When::If(e) | When::PerhapsIf(e) => {
                    let certain = matches!(end.when, When::If(_));
                    let known = self.model_condition(e, &cx);
                    match known {
                        Some(c) if certain => c,
                        known => {
                            let flag = IntType::unsigned(1);
                            let u = self.unknown(state, 90, "ends", flag, UnknownKind::Environment, None);
                            and(known.unwrap_or(truth(true)), low_bit(&u))
                        }
                    }
                }
            };
            let goes = match end.how {
                Ends::Trap => Some(Goto::Trap),
                Ends::Stop => Some(Goto::Stop),
                Ends::Throw => None,
            };
            match goes {
                Some(target) => {
                    if !self.unless(state, not(when), target) {
                        return Ok(Flow::Done);
                    }
                }
                None => {
                    let handler = flat.handler(at);
                    if handler.is_none() {
                        if !self.unless(state, not(when), Goto::Trap) {
                            return Ok(Flow::Done);
                        }
                    } else if when == truth(true) {
                        self.unwind(state.clone(), handler);
                        return Ok(Flow::Done);
                    } else {
                        // It may, and somebody catches it: the rest of the call follows only if it does not.
                        let mut thrown = state.clone();
                        thrown.restrict(when);
                        self.emit_unwind(thrown, handler);
                    }
                }
            }
        }
        let mut vague = false;
        for r in &model.requires {
            let ok = match r {
                Requirement::Condition(e) => self.model_condition(e, &cx),
                Requirement::Readable { at, amount, up_to: false } => self.model_range(state, *at, None, amount, &cx)?,
                Requirement::Readable { .. } | Requirement::More => None,
                // `free` asks for itself.
                Requirement::Freeable(_) => Some(truth(true)),
                Requirement::String { .. } | Requirement::Apart { .. } => None,
            };
            match ok {
                Some(ok) => {
                    if !self.require(state, ok) {
                        return Ok(Flow::Done);
                    }
                }
                None => vague = true,
            }
        }
        // What comes back, before what happens to memory: effects may speak of it.
        let Some(value) = self.model_returns(state, at, &model.returns, model, instruction, &cx, 100)? else {
            return Ok(Flow::Done);
        };
        cx.result = match &value {
            Sym::Num(n) => Some(n.clone()),
            _ => None,
        };
        for (k, effect) in model.effects.iter().enumerate() {
            let tag = 40_000 + 9_000 * index(k);
            match effect {
                Effect::Writes(w) => {
                    if !self.model_write(state, w, &cx, tag, &mut vague)? {
                        return Ok(Flow::Done);
                    }
                }
                Effect::Frees(a) => {
                    let (Some(p), Some(t)) = (cx.values.get(*a), cx.targets.get(*a)) else { continue };
                    let pointer = p.to(self.address());
                    let targets = t.clone();
                    if !self.free(state, &pointer, &targets)? {
                        return Ok(Flow::Done);
                    }
                }
                Effect::Calls(_) => {
                    self.assume(state, &format!("`{}` calls nothing that does not return", model.name), span.clone());
                    self.forget_escaped(state, true, tag);
                }
                Effect::Prints(format) => {
                    vague = true;
                    if cx.args.get(*format).is_none_or(|f| may_count(flat.module, f)) {
                        for t in cx.targets.iter().skip(model.params.len()).cloned().collect::<Vec<_>>() {
                            self.forget_all(state, &t, UnknownKind::Environment, tag);
                        }
                        // A list of arguments has its pointers where nobody sees them.
                        self.forget_escaped(state, false, tag);
                    }
                }
                Effect::Scans(format, kind) => self.scan(state, *format, *kind, model, &cx, tag)?,
                Effect::ChangesThrough(a) | Effect::FreesThrough(a) => {
                    let targets = cx.targets.get(*a).cloned().unwrap_or_default();
                    if !targets.is_empty() {
                        self.forget_escaped(state, false, tag);
                    }
                }
                Effect::ChangesThroughRest | Effect::ChangesMemory => self.forget_escaped(state, false, tag),
            }
        }
        if vague {
            self.assume(state, &format!("`{}` gets valid arguments", model.name), span);
        }
        state.set_value(result, value);
        Ok(Flow::On)
    }

    /// A number of the table over the arguments, exact; nothing where it is not known.
    fn model_number(&self, e: &ModelExpr, cx: &ModelCall<'_>, ty: IntType) -> Option<Expr> {
        Some(match e {
            ModelExpr::Number(n) => ty.contains(&IBig::from(*n)).then(|| constant(*n, ty))?,
            ModelExpr::Arg(n) => {
                let v = cx.values.get(*n)?;
                if v.as_const().is_none() && !ty.includes(v.ty) && v.ty.width >= ty.width && v.ty.signed != ty.signed {
                    // A size_t as an address: beyond the largest object it is too large in either reading.
                    return Some(v.to(ty));
                }
                v.to(ty)
            }
            ModelExpr::Result => cx.result.as_ref()?.to(ty),
            ModelExpr::SizeOf(t) => constant(t.bytes(self.cx.options.data_model)?, ty),
            ModelExpr::Index | ModelExpr::Length(_) | ModelExpr::Size(_) => return None,
            ModelExpr::Unary(ModelUnary::Neg, a) => {
                let a = self.model_number(a, cx, ty)?;
                operate(BinaryOp::Sub, ty, Overflow::Undefined, constant(0, ty), a)
            }
            ModelExpr::Binary(op, a, b) => {
                let neutral = match op {
                    ModelBinary::Add => BinaryOp::Add,
                    ModelBinary::Sub => BinaryOp::Sub,
                    ModelBinary::Mul => BinaryOp::Mul,
                    ModelBinary::Div => BinaryOp::Div,
                    ModelBinary::Rem => BinaryOp::Rem,
                    _ => return self.model_condition(e, cx).map(|c| ite(c, constant(1, ty), constant(0, ty))),
                };
                operate(neutral, ty, Overflow::Undefined, self.model_number(a, cx, ty)?, self.model_number(b, cx, ty)?)
            }
            ModelExpr::Unary(ModelUnary::Not, _) => {
                let c = self.model_condition(e, cx)?;
                ite(c, constant(1, ty), constant(0, ty))
            }
            ModelExpr::If(c, a, b) => {
                let c = self.model_condition(c, cx)?;
                ite(c, self.model_number(a, cx, ty)?, self.model_number(b, cx, ty)?)
            }
        })
    }

    fn model_condition(&self, e: &ModelExpr, cx: &ModelCall<'_>) -> Option<Cond> {
        let ty = self.address();
        // Numbers of at most 32 bits are compared as 64, so that every value of every type has its place.
        let wide = if ty.width < 64 { IntType::signed(64) } else { ty };
        Some(match e {
            ModelExpr::Unary(ModelUnary::Not, a) => not(self.model_condition(a, cx)?),
            ModelExpr::Binary(ModelBinary::And, a, b) => and(self.model_condition(a, cx)?, self.model_condition(b, cx)?),
            ModelExpr::Binary(ModelBinary::Or, a, b) => or(self.model_condition(a, cx)?, self.model_condition(b, cx)?),
            ModelExpr::Binary(op, a, b)
                if matches!(
                    op,
                    ModelBinary::Lt
                        | ModelBinary::Le
                        | ModelBinary::Gt
                        | ModelBinary::Ge
                        | ModelBinary::Eq
                        | ModelBinary::Ne
                ) =>
            {
                let op = match op {
                    ModelBinary::Lt => CmpOp::Lt,
                    ModelBinary::Le => CmpOp::Le,
                    ModelBinary::Gt => CmpOp::Gt,
                    ModelBinary::Ge => CmpOp::Ge,
                    ModelBinary::Eq => CmpOp::Eq,
                    _ => CmpOp::Ne,
                };
                cmp(op, wide, self.model_number(a, cx, wide)?, self.model_number(b, cx, wide)?)
            }
            other => cmp(CmpOp::Ne, wide, self.model_number(other, cx, wide)?, constant(0, wide)),
        })
    }

    /// The condition that a range of bytes behind an argument is valid.
    fn model_range(
        &self,
        state: &State,
        arg: usize,
        offset: Option<&ModelExpr>,
        amount: &ModelExpr,
        cx: &ModelCall<'_>,
    ) -> Result<Option<Cond>, Split> {
        let ty = self.address();
        let (Some(p), Some(t)) = (cx.values.get(arg), cx.targets.get(arg)) else { return Ok(None) };
        let Some(size) = self.model_number(amount, cx, ty) else { return Ok(None) };
        let mut pointer = p.to(ty);
        let mut targets = t.clone();
        if let Some(o) = offset {
            match self.model_number(o, cx, ty) {
                Some(o) => {
                    pointer = operate(BinaryOp::Add, ty, Overflow::Undefined, pointer, o);
                    targets = targets.anywhere();
                }
                None => return Ok(None),
            }
        }
        let negative = cmp(CmpOp::Lt, ty, size.clone(), constant(0, ty));
        let valid = self.range_valid(state, &pointer, &targets, &size)?;
        Ok(Some(and(not(negative), valid)))
    }

    fn model_write(
        &mut self,
        state: &mut State,
        w: &Write,
        cx: &ModelCall<'_>,
        tag: u32,
        vague: &mut bool,
    ) -> Result<bool, Split> {
        let ty = self.address();
        let (Some(p), Some(targets)) = (cx.values.get(w.to).cloned(), cx.targets.get(w.to).cloned()) else {
            return Ok(true);
        };
        let pointer = p.to(ty);
        let amount = w.amount.as_ref().and_then(|n| self.model_number(n, cx, ty));
        let exact = match &amount {
            Some(Expr::Const(n, _)) if !w.up_to && w.offset.is_none() && w.condition.is_none() => {
                u64::try_from(n.clone()).ok()
            }
            _ => None,
        };
        if let Some(n) = exact {
            match w.content {
                Content::Zero => {
                    return self.fill(state, (&pointer, &targets), &Num::constant(0, IntType::unsigned(8)), n, tag);
                }
                Content::Byte(a) => {
                    if let Some(byte) = cx.values.get(a).cloned() {
                        return self.fill(state, (&pointer, &targets), &byte, n, tag);
                    }
                }
                Content::CopyOf(a) => {
                    if let (Some(from), Some(t)) = (cx.values.get(a), cx.targets.get(a).cloned()) {
                        let source = from.to(ty);
                        return self.copy(state, (&pointer, &targets), (&source, &t), n, tag);
                    }
                }
                Content::Unknown(kind) if n <= 16 => {
                    // A value of its own, as large as what is written, if there is a place of that size.
                    let resolved = self.resolve(state, &pointer, &targets, n, 1)?;
                    let lost = resolved.spots.iter().any(|s| matches!(s.place, super::memory::Place::Lost(_)));
                    if !lost && !resolved.spots.is_empty() {
                        let value = IntType::unsigned(u32::try_from(n * 8).unwrap_or(8));
                        let u = self.unknown(state, tag, "written", value, kind_of(kind), None);
                        if !self.require(state, resolved.valid.clone()) {
                            return Ok(false);
                        }
                        self.write(state, &resolved, n, &u, tag + 1)?;
                        return Ok(true);
                    }
                }
                _ => {}
            }
        }
        // That the bytes are there is asked for where their number is known.
        match (&w.amount, &w.condition) {
            (Some(n), None) if !w.up_to => match self.model_range(state, w.to, w.offset.as_ref(), n, cx)? {
                Some(ok) => {
                    if !self.require(state, ok) {
                        return Ok(false);
                    }
                }
                None => *vague = true,
            },
            _ => *vague = true,
        }
        // Not all of it may be new: what is written is not a matter of choice then.
        self.forget_all(state, &targets, UnknownKind::Abstraction, tag);
        Ok(true)
    }

    /// `scanf`: each further argument gets an input, or keeps its value.
    fn scan(
        &mut self,
        state: &mut State,
        format: usize,
        kind: Kind,
        model: &Model,
        cx: &ModelCall<'_>,
        tag: u32,
    ) -> Result<(), Split> {
        let sizes = cx.args.get(format).and_then(|f| self.scan_sizes(f)).unwrap_or_default();
        let ty = self.address();
        let first = model.params.len();
        for n in first..cx.args.len() {
            let (Some(p), Some(targets)) = (cx.values.get(n), cx.targets.get(n)) else { continue };
            let (pointer, targets) = (p.to(ty), targets.clone());
            let k = index(n);
            if let Some(Some(size)) = sizes.get(n - first) {
                let resolved = self.resolve(state, &pointer, &targets, *size, 1)?;
                let lost = resolved.spots.iter().any(|s| matches!(s.place, super::memory::Place::Lost(_)));
                if !lost && !resolved.spots.is_empty() {
                    let old = self.read(state, &resolved, *size, tag + 100 * k)?;
                    let value = IntType::unsigned(u32::try_from(size * 8).unwrap_or(8));
                    let new = self.unknown(state, tag + 100 * k + 50, "scanned", value, kind_of(kind), None);
                    let flag = IntType::unsigned(1);
                    let done = self.unknown(state, tag + 100 * k + 51, "read", flag, kind_of(kind), None);
                    if !self.require(state, resolved.valid.clone()) {
                        return Ok(());
                    }
                    let common = old.ty;
                    let both = Num::new(ite(low_bit(&done), new.to(common), old.to(common)), common);
                    self.write(state, &resolved, *size, &both, tag + 100 * k + 60)?;
                    continue;
                }
            }
            self.forget_all(state, &targets, UnknownKind::Abstraction, tag + 100 * k);
        }
        Ok(())
    }

    /// How many bytes each conversion of a constant format stores; nothing for what stores a string.
    fn scan_sizes(&self, format: &Operand) -> Option<Vec<Option<u64>>> {
        let Operand::Constant(Constant::Global(g, 0)) = format else { return None };
        let Some(Constant::Bytes(text)) = &self.cx.flat.module.globals[g.0 as usize].init else { return None };
        let text: String = text.iter().take_while(|b| **b != 0).map(|b| char::from(*b)).collect();
        let long = u64::from(self.cx.flat.module.pointer_bits / 8);
        let mut sizes = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                continue;
            }
            if chars.peek() == Some(&'%') {
                chars.next();
                continue;
            }
            let skip = chars.peek() == Some(&'*');
            let mut length = String::new();
            let mut conversion = ' ';
            for c in chars.by_ref() {
                if c.is_ascii_digit() || c == '*' {
                } else if "hlLqjzt".contains(c) {
                    length.push(c);
                } else {
                    conversion = c;
                    break;
                }
            }
            if skip {
                continue;
            }
            let integer = match length.as_str() {
                "hh" => 1,
                "h" => 2,
                "l" | "z" | "t" => long,
                "ll" | "q" | "j" | "L" => 8,
                _ => 4,
            };
            sizes.push(match conversion {
                'd' | 'i' | 'u' | 'o' | 'x' | 'X' | 'n' => Some(integer),
                'f' | 'e' | 'g' | 'a' | 'E' | 'G' => Some(if length == "l" { 8 } else { 4 }),
                'p' => Some(long),
                _ => None,
            });
        }
        Some(sizes)
    }

    /// What a modelled call returns; nothing if nothing follows.
    #[expect(clippy::too_many_arguments, reason = "a call has this many sides")]
    fn model_returns(
        &mut self,
        state: &mut State,
        at: Point,
        returns: &Returns,
        model: &Model,
        instruction: &Instruction,
        cx: &ModelCall<'_>,
        tag: u32,
    ) -> Result<Option<Sym>, Split> {
        let ty = self.address();
        let width = bits_of(&instruction.ty, self.cx.flat.module);
        let scalar = matches!(instruction.ty, Type::Int(_) | Type::Ptr) && width <= 128;
        if !scalar {
            // Nothing, a float, or a struct. A call for its effect only still has it.
            if let Returns::Fresh { .. } | Returns::Moved { .. } = core_of(returns) {
                return Ok(Some(self.any(state, &instruction.ty, tag, UnknownKind::Environment)));
            }
            return Ok(Some(self.any(state, &instruction.ty, tag, UnknownKind::Environment)));
        }
        let signed = match model.result {
            None | Some(crate::models::Type::Any) => {
                let voted = self.cx.signs(self.cx.flat.instance(at.instance).function);
                let voted = voted.get(&instruction.id).copied();
                self.stored_sign(at.instance, instruction.id).or(voted).unwrap_or(true)
            }
            Some(t) => t.signed() || t == crate::models::Type::Pointer,
        };
        // A single bit is 0 or 1, and a number that the model names must be one of the type.
        let fits = |e: &Option<ModelExpr>, ty: IntType| match e {
            Some(ModelExpr::Number(n)) => ty.contains(&IBig::from(*n)),
            _ => true,
        };
        let signed = match returns {
            _ if width == 1 => false,
            Returns::Value { low, high, .. } => {
                let (s, u) = (IntType::signed(width), IntType::unsigned(width));
                match (fits(low, s) && fits(high, s), fits(low, u) && fits(high, u)) {
                    (true, false) => true,
                    (false, true) => false,
                    _ => signed,
                }
            }
            _ => signed,
        };
        let int = IntType { width, signed };
        Ok(Some(match returns {
            Returns::Nothing => self.any(state, &instruction.ty, tag, UnknownKind::Environment),
            Returns::Value { kind, low, high } => {
                let bound = |e: &Option<ModelExpr>, b: &Self| e.as_ref().map(|e| b.model_number(e, cx, int));
                let (low, high) = (bound(low, self), bound(high, self));
                let (min, max) = int.range();
                let fixed = |b: &Option<Option<Expr>>, default: IBig| match b {
                    Some(Some(Expr::Const(k, _))) => k.clone(),
                    _ => default,
                };
                let range = (fixed(&low, min), fixed(&high, max));
                let ranged = (range != int.range() && range.0 <= range.1).then_some(range);
                let name = self.callee_name(instruction).unwrap_or_else(|| model.name.clone());
                let u = self.unknown(state, tag, &name, int, kind_of(*kind), ranged);
                let mut e = u.expr;
                if let Some(Some(h)) = &high
                    && !matches!(h, Expr::Const(..))
                {
                    e = ite(cmp(CmpOp::Le, int, e.clone(), h.clone()), e, h.clone());
                }
                if let Some(Some(l)) = &low
                    && !matches!(l, Expr::Const(..))
                {
                    e = ite(cmp(CmpOp::Ge, int, e.clone(), l.clone()), e, l.clone());
                }
                if width == 1 { Sym::Cond(low_bit(&Num::new(e, int))) } else { Sym::Num(Num::new(e, int)) }
            }
            Returns::Exactly(e) => match self.model_number(e, cx, int) {
                Some(value) => {
                    let num = Num::new(value, int);
                    if width == 1 { Sym::Cond(low_bit(&num)) } else { Sym::Num(num) }
                }
                None => self.any(state, &instruction.ty, tag, UnknownKind::Environment),
            },
            Returns::Fresh { size, content } => {
                let size = self.model_number(size, cx, ty);
                let Some(size) = size else {
                    return Ok(Some(self.any(state, &instruction.ty, tag, UnknownKind::Environment)));
                };
                // For an object that is larger than this there are no model addresses.
                let limit = constant(self.largest_at(at), ty);
                let fits = and(
                    cmp(CmpOp::Ge, ty, size.clone(), constant(0, ty)),
                    cmp(CmpOp::Le, ty, size.clone(), limit),
                );
                // What no memory can hold cannot be had.
                let possible = and(
                    cmp(CmpOp::Ge, ty, size.clone(), constant(0, ty)),
                    cmp(CmpOp::Le, ty, size.clone(), constant(self.largest_of_all(), ty)),
                );
                if possible == truth(false) {
                    return Ok(Some(Sym::Num(Num::constant(0, ty))));
                }
                if self.largest_at(at) < self.largest_of_all()
                    && !self.beyond_unless(state, or(fits, not(possible.clone())))
                {
                    return Ok(None);
                }
                let before = state.clone();
                let Some(fresh) = self.allocate(state, at, &size, *content) else { return Ok(None) };
                if possible == truth(true) {
                    Sym::Num(fresh)
                } else {
                    self.keep_if(state, &before, &possible);
                    Sym::Num(Num::new(ite(possible, fresh.to(ty), constant(0, ty)), ty))
                }
            }
            Returns::Moved { from, size } => {
                let Some(size) = self.model_number(size, cx, ty) else {
                    return Ok(Some(self.any(state, &instruction.ty, tag, UnknownKind::Environment)));
                };
                let limit = constant(self.largest_at(at), ty);
                if !self.beyond_unless(state, cmp(CmpOp::Le, ty, size.clone(), limit)) {
                    return Ok(None);
                }
                let (Some(old), Some(targets)) = (cx.values.get(*from), cx.targets.get(*from).cloned()) else {
                    return Ok(Some(self.any(state, &instruction.ty, tag, UnknownKind::Environment)));
                };
                let pointer = old.to(ty);
                if !self.free(state, &pointer, &targets)? {
                    return Ok(None);
                }
                let Some(fresh) = self.allocate(state, at, &size, Content::Uninitialised) else { return Ok(None) };
                // What was copied is not followed.
                if let Some(id) = self.points.known(ObjectKind::Heap(at)) {
                    self.forget(state, id, UnknownKind::Abstraction, tag + 3);
                }
                Sym::Num(fresh)
            }
            Returns::Within(a) => {
                let (Some(p), Some(_)) = (cx.values.get(*a), cx.targets.get(*a)) else {
                    return Ok(Some(self.any(state, &instruction.ty, tag, UnknownKind::Environment)));
                };
                let largest = self.largest();
                let by = self.unknown(state, tag, "distance", ty, UnknownKind::Environment, Some((IBig::ZERO, largest)));
                let span = state.span_of();
                self.assume(state, &format!("`{}` returns a pointer into its argument", model.name), span);
                Sym::Num(Num::new(operate(BinaryOp::Add, ty, Overflow::Undefined, p.to(ty), by.expr), ty))
            }
            Returns::Static { .. } | Returns::Handle => {
                let Some(id) = self.points.known(ObjectKind::Library(at, false)) else {
                    return Ok(Some(self.any(state, &instruction.ty, tag, UnknownKind::Environment)));
                };
                if matches!(returns, Returns::Static { .. }) {
                    self.forget(state, id, UnknownKind::Environment, tag + 5);
                }
                Sym::Num(Num::constant(self.memory.object(id).base.clone(), ty))
            }
            Returns::Table { entry, low, .. } => {
                let ids = (
                    self.points.known(ObjectKind::Library(at, true)),
                    self.points.known(ObjectKind::Library(at, false)),
                );
                let (Some(pointer), Some(table)) = ids else {
                    return Ok(Some(self.any(state, &instruction.ty, tag, UnknownKind::Environment)));
                };
                let size = i64::try_from(entry.bytes(self.cx.options.data_model).unwrap_or(1)).unwrap_or(1);
                let zero = &self.memory.object(table).base - IBig::from(low * size);
                let at = constant(self.memory.object(pointer).base.clone(), ty);
                let targets = Targets([(pointer, Offsets::Exact(vec![0]))].into());
                let bytes = u64::from(ty.width / 8);
                let resolved = self.resolve(state, &at, &targets, bytes, 1)?;
                if !resolved.spots.is_empty() {
                    self.write(state, &resolved, bytes, &Num::constant(zero, ty), tag)?;
                }
                Sym::Num(Num::new(at, ty))
            }
            Returns::OrNull(kind, inner) => {
                let before = state.clone();
                let Some(value) = self.model_returns(state, at, inner, model, instruction, cx, tag + 20)? else {
                    return Ok(None);
                };
                let flag = self.unknown(state, tag, &format!("{} fails", model.name), IntType::unsigned(1), kind_of(*kind), None);
                let works = not(low_bit(&flag));
                let Sym::Num(n) = value else { return Ok(Some(value)) };
                if let Returns::Fresh { .. } | Returns::Moved { .. } = core_of(inner) {
                    self.keep_if(state, &before, &works);
                }
                Sym::Num(Num::new(ite(works, n.to(ty), constant(0, ty)), ty))
            }
            Returns::If(c, yes, no) => match self.model_condition(c, cx) {
                Some(Cond::Const(true)) => {
                    return self.model_returns(state, at, yes, model, instruction, cx, tag + 40);
                }
                Some(Cond::Const(false)) => {
                    return self.model_returns(state, at, no, model, instruction, cx, tag + 60);
                }
                c => {
                    let c = c.unwrap_or_else(|| {
                        let flag = IntType::unsigned(1);
                        let u = self.unknown(state, tag, &model.name, flag, UnknownKind::Environment, None);
                        low_bit(&u)
                    });
                    let Some(a) = self.model_returns(state, at, yes, model, instruction, cx, tag + 40)? else {
                        return Ok(None);
                    };
                    let Some(b) = self.model_returns(state, at, no, model, instruction, cx, tag + 60)? else {
                        return Ok(None);
                    };
                    match (a, b) {
                        (Sym::Num(a), Sym::Num(b)) => {
                            let common = if a.ty == b.ty { a.ty } else { int };
                            Sym::Num(Num::new(ite(c, a.to(common), b.to(common)), common))
                        }
                        (Sym::Cond(a), Sym::Cond(b)) => {
                            let flag = IntType::unsigned(1);
                            Sym::Cond(cmp(CmpOp::Ne, flag, ite(c, bit(&a).expr, bit(&b).expr), constant(0, flag)))
                        }
                        (a, _) => a,
                    }
                }
            },
        }))
    }

    /// The name of the function that an instruction calls.
    fn callee_name(&self, instruction: &Instruction) -> Option<String> {
        match &instruction.op {
            Op::Call { callee: Callee::Function(f), .. } => {
                Some(self.cx.flat.module.functions[f.0 as usize].shown().to_owned())
            }
            _ => None,
        }
    }

    /// The largest object that a call can make in the model.
    fn largest_at(&self, at: Point) -> IBig {
        let Some(id) = self.points.known(ObjectKind::Heap(at)) else { return self.largest() };
        let object = self.memory.object(id);
        match (&object.many, &object.size) {
            (Some(_), _) => IBig::from(self.memory.largest.1),
            (None, Size::Constant(n)) => IBig::from(*n).max(self.largest()),
            (None, _) => self.largest(),
        }
    }

    /// The largest object.
    fn largest(&self) -> IBig {
        IBig::from(self.memory.largest.0)
    }

    /// The largest object that any memory can hold: all the addresses of a process, or what a pointer difference can say.
    pub(super) fn largest_of_all(&self) -> IBig {
        if self.address().width >= 64 { IBig::from(1u64 << 47) } else { IBig::from(i32::MAX) }
    }

    /// What has changed since a state stays only if a condition holds. Memory need not be put back: nobody has a pointer
    /// to what was not made.
    fn keep_if(&self, state: &mut State, before: &State, c: &Cond) {
        for (v, new) in state.changed_since(before) {
            let old = before.var(v);
            state.set(v, ite(c.clone(), new, old));
        }
    }
}

/// Whether an intrinsic of this name may write through its arguments: those that compute only are listed.
pub(super) fn writes_memory(name: &str) -> bool {
    const COMPUTE: &[&str] = &[
        "abs", "annotation", "assume", "bitreverse", "bswap", "canonicalize", "ceil", "copysign", "cos", "ctlz", "ctpop",
        "cttz", "dbg", "debugtrap", "donothing", "eh", "exp", "exp10", "exp2", "expect", "experimental", "fabs", "floor", "fma",
        "fmuladd", "fptosi", "fptoui", "frameaddress", "frexp", "fshl", "fshr", "invariant", "is", "launder", "ldexp",
        "lifetime", "llrint", "llround", "log", "log10", "log2", "lrint", "lround", "maximum", "maximumnum", "maxnum",
        "memcpy", "memmove", "memset", "minimum", "minimumnum", "minnum", "modf", "nearbyint", "objectsize", "pow", "powi",
        "prefetch", "ptrmask", "returnaddress", "rint", "round", "roundeven", "sadd", "sdiv", "sin", "sincos", "smax", "smin",
        "smul", "sponentry", "sqrt", "ssa", "sshl", "ssub", "stackrestore", "stacksave", "strip", "tan", "threadlocal", "trap",
        "trunc", "uadd", "ubsantrap", "udiv", "umax", "umin", "umul", "ushl", "usub", "va_copy", "va_end", "va_start", "var",
        "vector",
    ];
    let kind = name.strip_prefix("llvm.").unwrap_or(name).split('.').next().unwrap_or_default();
    name.starts_with("llvm.") && COMPUTE.binary_search(&kind).is_err()
}

/// Whether a format of the `printf` family may have a `%n`, which writes.
pub(super) fn may_count(module: &crate::module::Module, format: &Operand) -> bool {
    let Operand::Constant(Constant::Global(g, 0)) = format else { return true };
    match &module.globals[g.0 as usize].init {
        Some(Constant::Bytes(text)) => {
            let text: Vec<u8> = text.iter().copied().take_while(|b| *b != 0).collect();
            let mut at = 0;
            while at < text.len() {
                if text[at] == b'%' {
                    at += 1;
                    while at < text.len() && !text[at].is_ascii_alphabetic() && text[at] != b'%' {
                        at += 1;
                    }
                    while at < text.len() && b"hlLqjzt".contains(&text[at]) {
                        at += 1;
                    }
                    if text.get(at) == Some(&b'n') {
                        return true;
                    }
                }
                at += 1;
            }
            false
        }
        Some(Constant::Zero(_)) => false,
        _ => true,
    }
}

/// A call of a modelled function.
struct ModelCall<'a> {
    values: Vec<Num>,
    targets: Vec<Targets>,
    args: &'a [Operand],
    result: Option<Num>,
}

fn kind_of(kind: Kind) -> UnknownKind {
    match kind {
        Kind::Input => UnknownKind::Input,
        // What a stream gives is not two choices where two reads are; that is not followed.
        Kind::Stream | Kind::Environment | Kind::Time => UnknownKind::Environment,
    }
}

fn instruction_never_returns(instruction: &Instruction, function: Option<&crate::module::Function>) -> bool {
    let here = matches!(&instruction.op, Op::Call { noreturn: true, .. });
    here || function.is_some_and(|f| f.noreturn && f.blocks.is_empty())
}

/// The result of an operation and whether it overflowed.
fn overflowing(kind: &str, width: u32, a: &Num, b: &Num) -> Option<Sym> {
    if width == 0 || width > 63 && kind.ends_with("mul") && width * 2 > 128 || width > 126 {
        return None;
    }
    let signed = kind.starts_with('s');
    let ty = IntType { width, signed };
    let wide = IntType::signed(if kind.ends_with("mul") { (2 * width).min(128) } else { width + 2 });
    let op = match &kind[1..] {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        _ => BinaryOp::Mul,
    };
    if kind.ends_with("mul") && !signed && 2 * width > 127 {
        return None;
    }
    let of = |n: &Num| Num::new(n.to(ty), ty).to(wide);
    let exact = operate(op, wide, Overflow::Wraps, of(a), of(b));
    let result = Num::new(exact.clone(), wide).read_as(ty);
    let (min, max) = ty.range();
    let out = or(
        cmp(CmpOp::Lt, wide, exact.clone(), constant(min, wide)),
        cmp(CmpOp::Gt, wide, exact, constant(max, wide)),
    );
    Some(Sym::Aggregate(vec![Sym::Num(result), Sym::Cond(out)]))
}

fn count_bits(kind: &str, width: u32, a: &Num) -> Num {
    let ty = IntType::unsigned(width);
    let x = a.to(ty);
    let set = |i: u32| {
        let moved = operate(BinaryOp::Shr, ty, Overflow::Wraps, x.clone(), constant(i, ty));
        let one = operate(BinaryOp::And, ty, Overflow::Wraps, moved, constant(1, ty));
        cmp(CmpOp::Ne, ty, one, constant(0, ty))
    };
    let e = match kind {
        "ctpop" => (0..width).fold(constant(0, ty), |sum, i| {
            operate(BinaryOp::Add, ty, Overflow::Wraps, sum, ite(set(i), constant(1, ty), constant(0, ty)))
        }),
        "ctlz" => (0..width).fold(constant(width, ty), |rest, i| ite(set(i), constant(width - 1 - i, ty), rest)),
        _ => (0..width).rev().fold(constant(width, ty), |rest, i| ite(set(i), constant(i, ty), rest)),
    };
    Num::new(e, ty)
}

/// What a model returns, without the question whether it works.
pub(super) fn core_of(returns: &Returns) -> &Returns {
    match returns {
        Returns::OrNull(_, inner) => core_of(inner),
        Returns::If(_, yes, no) => match core_of(yes) {
            fresh @ (Returns::Fresh { .. } | Returns::Moved { .. }) => fresh,
            _ => core_of(no),
        },
        other => other,
    }
}

/// An amount that the constant arguments of a call decide.
pub(super) fn constant_amount(e: &ModelExpr, args: &[Operand]) -> Option<u64> {
    fn number(e: &ModelExpr, args: &[Operand]) -> Option<i128> {
        match e {
            ModelExpr::Number(n) => Some(*n),
            ModelExpr::Arg(n) => constant_of(args.get(*n)?).map(i128::from),
            ModelExpr::Binary(op, a, b) => {
                let (a, b) = (number(a, args)?, number(b, args)?);
                match op {
                    ModelBinary::Add => a.checked_add(b),
                    ModelBinary::Sub => a.checked_sub(b),
                    ModelBinary::Mul => a.checked_mul(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }
    u64::try_from(number(e, args)?).ok()
}

fn model_at<'m>(cx: &Context<'m>, at: Point) -> Option<(&'m Model, &'m [Operand])> {
    let instruction = cx.flat.instruction(at)?;
    let Op::Call { callee, args, .. } = &instruction.op else { return None };
    match cx.model_use(at, callee) {
        ModelUse::Model(m) => Some((m, args)),
        _ => None,
    }
}

/// The size of the object that a call makes, if it is constant.
pub(super) fn heap_size(cx: &Context<'_>, at: Point) -> Option<u64> {
    let (model, args) = model_at(cx, at)?;
    match core_of(&model.returns) {
        Returns::Fresh { size, .. } | Returns::Moved { size, .. } => constant_amount(size, args),
        _ => None,
    }
}

/// The size of an object of the library.
pub(super) fn library_size(cx: &Context<'_>, at: Point, pointer: bool) -> Option<u64> {
    let (model, args) = model_at(cx, at)?;
    let bytes = u64::from(cx.flat.module.pointer_bits / 8);
    match core_of(&model.returns) {
        Returns::Table { .. } if pointer => Some(bytes),
        Returns::Table { entry, low, high, .. } => {
            let n = u64::try_from(high - low + 1).ok()?;
            Some(n * entry.bytes(cx.options.data_model)?)
        }
        Returns::Static { size, .. } => {
            let open = if cx.flat.module.pointer_bits >= 64 { 1 << 30 } else { 1 << 20 };
            Some(size.as_ref().and_then(|n| constant_amount(n, args)).unwrap_or(open))
        }
        _ => Some(1),
    }
}
