//! Calls: functions that are entered, recursions, returns, `setjmp`, handlers, and functions that are not followed.

pub(in crate::translate) mod assembly;
pub(in crate::translate) mod handlers;
mod intrinsics;
pub(in crate::translate) mod relations;
mod returns;
pub(in crate::translate) mod skip;

use crate::module::{Callee, Function, FunctionId, Instruction, Op, Operand, Type, ValueId};
use crate::translate::build::Builder;
use crate::translate::calls::assembly::goes_on;
use crate::translate::calls::handlers::Risk;
use crate::translate::calls::skip::{DESCENDED, Written};
use crate::translate::flat::{InstanceId, Plan, Point, index, is_longjmp, is_setjmp, is_throw};
use crate::translate::memory::Memory;
use crate::translate::memory::access::for_ends_only_unless;
use crate::translate::memory::forget::Reach;
use crate::translate::memory::lives::Presence;
use crate::translate::points::{ObjectId, ObjectKind, Offsets, Targets};
use crate::translate::state::{Flow, Next, Split, State};
use crate::translate::values::arith::{Num, Sym, cmp, constant, ite, low_bit, not, operate, or, truth};
use crate::translate::values::{Values, operand_type};
use crate::translate::{Context, ModelUse, bits_of, debug};
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::neutral::{BinaryOp, CmpOp, Expr, Goto, Happening, IntType, Overflow};
use lariat_ir::{AssumptionKind, UnknownKind};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is kept of calls from piece to piece.
pub(in crate::translate) struct Calls<'a, 'm> {
    cx: &'a Context<'m>,
    memory: &'a Memory<'a, 'm>,
    /// How deep the calls of a function are that is entered again from within.
    depths: FastMap<InstanceId, usize>,
    /// Where all returns of such a function meet: the variables of its result, leaf by leaf.
    return_vars: FastMap<(InstanceId, u32), usize>,
    /// What a call was given, argument by argument, where facts are known about it; see [`relations`].
    given: FastMap<(InstanceId, u32), (usize, IntType)>,
    /// What the code of an instance may write; see [`skip`].
    written: FastMap<InstanceId, Rc<BTreeSet<ObjectId>>>,
    /// For each `setjmp`, the variable that says whether it has been called and its function not been left.
    armed: BTreeMap<Point, usize>,
    /// The variable that says whether a signal may come at any time.
    signal_due: Option<usize>,
    /// Functions whose addresses were given to functions that are not followed.
    handed_over: BTreeSet<FunctionId>,
}

impl<'a, 'm> Calls<'a, 'm> {
    pub(in crate::translate) fn new(
        cx: &'a Context<'m>,
        memory: &'a Memory<'a, 'm>,
        values: &mut Values<'_, '_>,
    ) -> Self {
        let flag = IntType::unsigned(8);
        let signal_due = cx.handlers.armed.then(|| values.made_zero("signal due", flag));
        let mut armed = BTreeMap::new();
        for p in &cx.flat.returns_twice {
            let name = format!("setjmp {}", debug::place_of(cx, *p));
            armed.insert(*p, values.made_zero(&name, flag));
        }
        let (written, handed_over) = (FastMap::default(), BTreeSet::new());
        let (depths, return_vars, given) = (FastMap::default(), FastMap::default(), FastMap::default());
        let mut calls = Self { cx, memory, depths, return_vars, given, written, armed, signal_due, handed_over };
        calls.make_depths(values);
        calls
    }

    fn make_depths(&mut self, values: &mut Values<'_, '_>) {
        // Where calls are skipped, all that counts is whether there is a caller that a return goes on in.
        let (name, ty) = if self.skips() { ("inner call of", DESCENDED) } else { ("depth of", IntType::signed(64)) };
        for (n, instance) in self.cx.flat.instances.iter().enumerate() {
            if !(instance.recursions.is_empty() || self.skips() && instance.parent.is_none()) {
                let function = &self.cx.flat.module.functions[instance.function.0 as usize];
                let var = values.made_zero(&format!("{name} {}", function.shown()), ty);
                self.depths.insert(InstanceId(index(n)), var);
            }
        }
    }
}

impl Calls<'_, '_> {
    /// Whether a call gives a function the arguments that it takes, and expects the result that it has. Without a prototype, or through
    /// a pointer of another type, it may not.
    fn fits_call(&self, at: Point, f: FunctionId, args: &[Operand]) -> bool {
        let function = &self.cx.flat.module.functions[f.0 as usize];
        let caller = self.cx.flat.function(at.instance);
        let count =
            if function.variadic { args.len() >= function.params.len() } else { args.len() == function.params.len() };
        let result = self.cx.flat.instruction(at).is_none_or(|call| call.ty == function.result);
        count && result && function.params.iter().zip(args).all(|(p, a)| operand_type(caller, a) == p.ty)
    }

    /// After a jump back, the locals of the function with the `setjmp` that were changed since are indeterminate.
    fn forget_changed(&mut self, values: &mut Values<'_, '_>, state: &mut State, target: Point) {
        let flat = self.cx.flat;
        let mut seen = FastSet::default();
        let mut work = vec![flat.after_call(target)];
        let mut changed = Written::default();
        while let Some(p) = work.pop() {
            if !seen.insert(p) {
                continue;
            }
            for (n, i) in flat.block(p).instructions.iter().enumerate().skip(p.index as usize) {
                // A volatile local keeps its value.
                if !matches!(i.op, Op::Store { volatile: true, .. }) {
                    self.add_written(Point { index: index(n), ..p }, i, &mut changed);
                }
            }
            work.extend(flat.successors(p));
        }
        if changed.unknown {
            changed.objects.extend(self.memory.escaped().iter().copied());
        }
        for o in changed.objects {
            if let ObjectKind::Stack(instance, _) = self.memory.kind(o)
                && instance == target.instance
            {
                self.memory.forget(values, state, o, UnknownKind::Environment);
            }
        }
    }
}

impl<'m> Builder<'_, 'm> {
    pub(in crate::translate) fn call(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
    ) -> Result<Flow, Split> {
        let Op::Call { callee, args, returns_twice, .. } = &instruction.op else { return Ok(Flow::On) };
        let at = state.point();
        let flat = self.cx.flat;
        let result = flat.value(at.instance, instruction.id);
        let f = match callee {
            Callee::Asm(text) => {
                let span = state.span_of();
                if !goes_on(flat.module, text) {
                    let risk = Risk { ends: true, strays: true, ..Default::default() };
                    if !self.take_risk(state, risk, truth(true)) {
                        return Ok(Flow::Done);
                    }
                }
                if !text.trim().is_empty() {
                    self.values.assume(
                        state,
                        AssumptionKind::AssemblyGoesOn,
                        "the assembly goes on behind it",
                        span.clone(),
                    );
                }
                self.values.assume(
                    state,
                    AssumptionKind::AssemblyEffects,
                    "inline assembly changes only its outputs and memory that others know of",
                    span,
                );
                let passed = state.trail.len();
                self.memory.forget_escaped(&mut self.values, state, Reach::Globals);
                self.library.move_streams(&mut self.values, state, [true; 2]);
                let sym = self.values.any(state, &instruction.ty, UnknownKind::Environment);
                for a in args {
                    for object in self.memory.expand(&self.memory.targets(state, a)).0.into_keys() {
                        self.memory.forget_if_data(&mut self.values, state, object);
                    }
                }
                state.set_value(result, sym);
                // What is forgotten is no assignment that a reader could see.
                state.trail.truncate(passed);
                return Ok(Flow::On);
            }
            Callee::Pointer(p) => return self.through_pointer(state, instruction, p, args),
            Callee::Function(f) => *f,
        };
        let function = &flat.module.functions[f.0 as usize];
        match flat.plan(at).first() {
            Some((_, Plan::Again(again))) if self.calls.skips() => {
                let ways = self.descend_or_skip(state.clone(), instruction, (f, *again), args)?;
                self.control.push_all(ways);
                return Ok(Flow::Done);
            }
            Some((_, plan @ (Plan::Enter(_) | Plan::Again(_)))) => return self.enter(state, f, *plan, args),
            _ => {}
        }
        if *returns_twice && is_setjmp(flat.module, callee) && self.cx.handlers.jumps {
            // A function that is not followed may jump back to here, at any time from now on.
            self.calls.forget_everything(&mut self.values, state);
            self.calls.set_armed(state, at);
            let sym = self.values.any(state, &instruction.ty, UnknownKind::Environment);
            state.set_value(result, sym);
            return Ok(Flow::To(flat.after_call(at)));
        }
        if *returns_twice && is_setjmp(flat.module, callee) {
            // The first time; a jump back comes with another value.
            self.calls.set_armed(state, at);
            let ty = IntType::signed(bits_of(&instruction.ty, flat.module).clamp(1, 128));
            state.set_value(result, Sym::Num(Num::constant(0, ty)));
            return Ok(Flow::To(flat.after_call(at)));
        }
        if is_longjmp(function) {
            return Ok(self.jump_back(state, at, args));
        }
        if is_throw(&function.name) {
            let handler = flat.handler(at);
            self.unwind(state.clone(), handler);
            return Ok(Flow::Done);
        }
        match self.cx.model_use(at, callee) {
            ModelUse::Entered => Ok(Flow::On),
            ModelUse::Observe => Ok(Flow::On),
            ModelUse::Intrinsic(which) => self.intrinsic(state, instruction, which, args),
            ModelUse::Model(model) => self.model(state, instruction, model),
            ModelUse::Unknown if function.waits => {
                self.control.beyond_unless(&mut self.values, state, truth(false));
                Ok(Flow::Done)
            }
            ModelUse::Unknown => self.unknown_call(state, instruction, Some(f)),
        }
    }

    /// What is behind a `restrict` parameter is not accessed through another one, if somebody writes it. That is asked of equal
    /// pointers, and only where an endless run is shown: machines do not look. Whether anything follows.
    fn keeps_apart(&mut self, state: &mut State, function: &Function, args: &[Operand]) -> bool {
        let ty = self.memory.address();
        let params: Vec<_> =
            function.params.iter().zip(args).filter(|(p, _)| p.ty == Type::Ptr && p.byval.is_none()).collect();
        for (n, (p, a)) in params.iter().enumerate() {
            for (q, b) in &params[n + 1..] {
                if !p.noalias && !q.noalias {
                    continue;
                }
                let (at, bt) = (self.memory.targets(state, a), self.memory.targets(state, b));
                if !at.0.keys().any(|o| bt.0.contains_key(o)) {
                    continue;
                }
                let (x, y) = (self.values.number(state, a, &Type::Ptr), self.values.number(state, b, &Type::Ptr));
                let (x, y) = (x.to(ty).unpromised().clone(), y.to(ty).unpromised().clone());
                let null = cmp(CmpOp::Eq, ty, x.clone(), constant(0, ty));
                if !self.control.require(state, for_ends_only_unless(or(null, cmp(CmpOp::Ne, ty, x, y)))) {
                    return false;
                }
            }
        }
        true
    }

    /// Binds the arguments and goes to the callee's entry.
    fn enter(&mut self, state: &mut State, f: FunctionId, plan: Plan, args: &[Operand]) -> Result<Flow, Split> {
        let (Plan::Enter(inner) | Plan::Again(inner)) = plan else { return Ok(Flow::On) };
        let flat = self.cx.flat;
        let function = &flat.module.functions[f.0 as usize];
        if !self.calls.fits_call(state.point(), f, args) {
            // Undefined in C, which LLVM does not say of every such call: nothing is said of what follows.
            self.control.beyond_unless(&mut self.values, state, truth(false));
            return Ok(Flow::Done);
        }
        let mut bound = Vec::new();
        for (n, (p, arg)) in function.params.iter().zip(args).enumerate() {
            let value = ValueId(index(n));
            if let Some(size) = p.byval {
                let kind = ObjectKind::Stack(inner, value);
                let Some(object) = self.memory.known(kind) else { continue };
                let ty = self.memory.address();
                let base = if self.memory.object(object).many.is_some() {
                    match self.next_of_many(state, object) {
                        Some(b) => b,
                        None => return Ok(Flow::Done),
                    }
                } else {
                    constant(self.memory.object(object).base.clone(), ty)
                };
                let to = Targets([(object, Offsets::Exact(vec![0]))].into());
                let from = self.memory.targets(state, arg);
                let source = self.values.number(state, arg, &Type::Ptr).to(ty);
                self.memory.set_life(state, object, &base, Presence::There);
                if !self.copy_to_new(state, (&base, &to), (&source, &from), size)? {
                    return Ok(Flow::Done);
                }
                bound.push((value, Sym::Num(Num::new(base, ty))));
                continue;
            }
            bound.push((value, self.values.operand(state, arg, &p.ty)));
        }
        if !self.keeps_apart(state, function, args) {
            return Ok(Flow::Done);
        }
        if self.cx.recursive(inner) {
            // This call has made none of its locals yet: what ends with it are not those of an outer one.
            for (instance, v) in self.memory.many_locals(|i| i == inner) {
                self.values.set_latest(state, instance, v, constant(0, self.memory.address()));
            }
        }
        self.note_given(state, f, inner, &bound);
        for (n, sym) in bound {
            match sym {
                Sym::Num(base) if self.memory.is_latest(inner, n) => {
                    self.values.set_latest(state, inner, n, base.to(self.memory.address()));
                }
                sym => state.set_value(flat.value(inner, n), sym),
            }
        }
        if let Some(depth) = self.calls.depth_of(inner) {
            let ty = if self.calls.skips() { DESCENDED } else { IntType::signed(64) };
            let now = match plan {
                Plan::Again(_) if self.calls.skips() => constant(1, ty),
                Plan::Again(_) => operate(BinaryOp::Add, ty, Overflow::Undefined, state.var(depth), constant(1, ty)),
                _ => constant(0, ty),
            };
            state.set(depth, now);
        }
        Ok(Flow::To(flat.entry(inner)))
    }

    /// Notes what a call was given, if there are facts about it.
    pub(in crate::translate) fn note_given(
        &mut self,
        state: &mut State,
        f: FunctionId,
        instance: InstanceId,
        bound: &[(ValueId, Sym)],
    ) {
        if !self.calls.skips() || !self.cx.relations.contains_key(&f) {
            return;
        }
        for (value, sym) in bound {
            let Sym::Num(num) = sym else { continue };
            let at = (instance, value.0);
            let known = self.calls.given.get(&at).copied();
            let (var, ty) = known.unwrap_or_else(|| {
                let function = self.cx.flat.function(instance);
                let var = self.values.made(&format!("{} was given {}", function.shown(), value.0 + 1), num.ty);
                self.calls.given.insert(at, (var, num.ty));
                (var, num.ty)
            });
            state.set(var, num.to(ty));
        }
    }

    /// Lets a return go on only where the facts about its function hold. Whether it does.
    fn keeps_facts(&mut self, state: &mut State, id: InstanceId, result: &Sym) -> bool {
        let (cx, flat) = (self.cx, self.cx.flat);
        let Some(facts) = cx.relations.get(&flat.instance(id).function).filter(|_| self.calls.skips()) else {
            return true;
        };
        let count = index(flat.function(id).params.len());
        let given = |n: u32| self.calls.given.get(&(id, n)).map(|(var, ty)| Num::new(state.var(*var), *ty));
        let args: Option<Vec<Num>> = (0..count).map(given).collect();
        let holds = match (args, result) {
            (Some(args), Sym::Num(result)) => relations::all_hold(facts, &args, result),
            _ => truth(false),
        };
        self.control.beyond_unless(&mut self.values, state, holds)
    }

    fn through_pointer(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        pointer: &Operand,
        args: &[Operand],
    ) -> Result<Flow, Split> {
        let at = state.point();
        let ty = self.memory.address();
        let value = self.values.number(state, pointer, &Type::Ptr).to(ty);
        let targets = self.memory.targets(state, pointer);
        let is_number = targets.is_empty() && !matches!(value, Expr::Const(..));
        if is_number || self.memory.is_computed(&targets) {
            // Which function has that number nobody knows here.
            self.control.beyond_unless(&mut self.values, state, truth(false));
            return Ok(Flow::Done);
        }
        let plan = self.cx.flat.plan(at).to_vec();
        let mut ways = Vec::new();
        for (f, what) in plan {
            let Some(object) = self.memory.known(ObjectKind::Function(f)) else { continue };
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
                Plan::Again(again) if self.calls.skips() => {
                    ways.extend(self.descend_or_skip(taken, instruction, (f, again), args)?);
                }
                _ => match self.enter(&mut taken, f, what, args)? {
                    Flow::To(to) => ways.push((taken, Next::Jump(to))),
                    Flow::On | Flow::Done => {}
                },
            }
            if certain {
                self.control.push_all(ways);
                return Ok(Flow::Done);
            }
        }
        self.control.push(state.clone(), Next::Nobody(value));
        self.control.push_all(ways);
        Ok(Flow::Done)
    }

    /// A call through a pointer to a function that is not followed.
    pub(in crate::translate) fn call_outside(&mut self, mut state: State, f: FunctionId) {
        let flat = self.cx.flat;
        let Some(instruction) = flat.instruction(state.point()) else { return };
        let function = &flat.module.functions[f.0 as usize];
        if is_longjmp(function) || is_throw(&function.name) {
            // Where such a jump goes is followed only where the function is named.
            self.control.beyond_unless(&mut self.values, &mut state, truth(false));
            return;
        }
        // What a model says of memory was not said to the points-to analysis: the function counts as unknown.
        let flow = self.unknown_call(&mut state, instruction, Some(f));
        self.after_outside(state, &flow);
    }

    /// A call through a pointer that is none of the known functions.
    pub(in crate::translate) fn call_nobody(&mut self, mut state: State, pointer: &Expr) {
        let flat = self.cx.flat;
        let Some(instruction) = flat.instruction(state.point()) else { return };
        let Op::Call { args, .. } = &instruction.op else { return };
        let ty = self.memory.address();
        if !self.control.require(&mut state, cmp(CmpOp::Ne, ty, pointer.clone(), constant(0, ty))) {
            return;
        }
        // A function of another type than the call's.
        if let Op::Call { callee: Callee::Pointer(p), .. } = &instruction.op {
            for object in self.memory.expand(&self.memory.targets(&state, p)).0.into_keys() {
                let ObjectKind::Function(f) = self.memory.kind(object) else { continue };
                let other = cmp(CmpOp::Ne, ty, pointer.clone(), constant(self.memory.object(object).base.clone(), ty));
                if !self.calls.fits_call(state.point(), f, args)
                    && !self.control.beyond_unless(&mut self.values, &mut state, other)
                {
                    return;
                }
            }
        }
        if self.cx.closed {
            // The pointer was made from no address of a function.
            self.control.beyond_unless(&mut self.values, &mut state, truth(false));
            return;
        }
        let flow = self.unknown_call(&mut state, instruction, None);
        self.after_outside(state, &flow);
    }

    fn after_outside(&mut self, mut state: State, flow: &Result<Flow, Split>) {
        match flow {
            Ok(Flow::On) => {
                let next = self.cx.flat.after_call(state.point());
                if next.block == state.point().block {
                    state.move_to(next);
                    self.control.push(state, Next::Follow);
                } else {
                    self.control.enter_normal(&mut self.values, state, next);
                }
            }
            Ok(Flow::To(to)) => self.control.jump(state, *to),
            Ok(Flow::Done) => {}
            Err(Split) => {
                let at = state.point();
                self.control.go(&mut self.values, &state, at);
            }
        }
    }

    /// `longjmp`: to where a `setjmp` was that is still being executed.
    fn jump_back(&mut self, state: &mut State, at: Point, args: &[Operand]) -> Flow {
        let flat = self.cx.flat;
        let targets = flat.jump_targets(at);
        let ty = IntType::signed(32);
        let value = match args.get(1) {
            Some(v) => self.values.number(state, v, &Type::Int(32)).to(ty),
            None => constant(1, ty),
        };
        let given = ite(cmp(CmpOp::Eq, ty, value.clone(), constant(0, ty)), constant(1, ty), value);
        if targets.is_empty() {
            // To a caller of the function that is analysed, or nowhere.
            self.control.end(state, if self.cx.whole { Goto::Ub } else { Goto::Trap });
            return Flow::Done;
        }
        let which = (targets.len() > 1)
            .then(|| self.values.unknown(state, "jump buffer", IntType::unsigned(32), UnknownKind::Environment, None));
        let mut ways = Vec::new();
        for (n, target) in targets.iter().enumerate() {
            let mut taken = state.clone();
            if let (Some(which), true) = (&which, n > 0) {
                let ty = IntType::unsigned(32);
                taken.restrict(cmp(CmpOp::Eq, ty, which.to(ty), constant(n, ty)));
            }
            // A buffer that was not filled, or whose function has returned, leads nowhere.
            let flag = IntType::unsigned(8);
            let armed = self.calls.armed_at(&taken, *target);
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
            if self.cx.recursive(target.instance) && self.calls.skips() {
                self.calls.jump_into_recursion(&mut self.values, &mut taken, *target);
            } else if self.cx.recursive(target.instance) {
                // Which of its calls it goes back to is not followed.
                ways.push((taken, Next::Beyond));
                continue;
            } else {
                self.calls.leave_until(&mut self.values, &mut taken, target.instance);
                self.memory.leave_blocks(&mut self.values, &mut taken, *target);
                self.calls.forget_changed(&mut self.values, &mut taken, *target);
            }
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
            self.control.push(s, next);
        }
        Flow::Done
    }

    /// A function nobody knows: it returns, and may have changed all that the outside knows of.
    #[expect(clippy::unnecessary_wraps, reason = "every kind of call has this form")]
    fn unknown_call(
        &mut self,
        state: &mut State,
        instruction: &Instruction,
        f: Option<FunctionId>,
    ) -> Result<Flow, Split> {
        let span = state.span_of();
        let function = f.map(|f| &self.cx.flat.module.functions[f.0 as usize]);
        let defined = function.is_some_and(|f| !f.blocks.is_empty());
        let text = match function {
            Some(f) => format!("`{}` returns", f.shown()),
            None => "a function behind a pointer returns".to_owned(),
        };
        self.values.assume(state, AssumptionKind::Returns, &text, span);
        state.passes(Happening::Called);
        let declared = function.filter(|_| !defined);
        if let Some(f) = declared.filter(|f| f.intrinsic.is_none()) {
            self.values.origins().unknown_functions.insert(f.shown().to_owned());
        }
        if let Some(model) = declared.and_then(|f| self.cx.table.of(f))
            && !self.run_unfollowed(state, model)
        {
            return Ok(Flow::Done);
        }
        if matches!(&instruction.op, Op::Call { returns_twice: true, .. }) {
            // It may come back later, too, when anything has happened in between.
            self.calls.forget_everything(&mut self.values, state);
        } else {
            self.memory.forget_escaped(&mut self.values, state, if defined { Reach::Globals } else { Reach::Escaped });
        }
        self.library.move_streams(&mut self.values, state, [true; 2]);
        let unwinds = !matches!(&instruction.op, Op::Call { nounwind: true, .. });
        if let Some(handler) = self.cx.flat.handler(state.point()).filter(|_| unwinds) {
            // It may also end with an exception, and somebody here catches it.
            let flag = IntType::unsigned(1);
            let thrown = self.values.unknown(state, "throws", flag, UnknownKind::Environment, None);
            let mut other = state.clone();
            other.restrict(low_bit(&thrown));
            self.emit_unwind(other, Some(handler));
        }
        let sym = self.values.any(state, &instruction.ty, UnknownKind::Environment);
        let at = state.point();
        state.set_value(self.cx.flat.value(at.instance, instruction.id), sym);
        if instruction_never_returns(instruction, function) {
            self.control.end(state, Goto::Trap);
            return Ok(Flow::Done);
        }
        Ok(Flow::On)
    }
}

fn instruction_never_returns(instruction: &Instruction, function: Option<&Function>) -> bool {
    let here = matches!(&instruction.op, Op::Call { noreturn: true, .. });
    here || function.is_some_and(|f| f.noreturn && f.blocks.is_empty())
}

impl Calls<'_, '_> {
    /// A `setjmp` is called.
    fn set_armed(&self, state: &mut State, at: Point) {
        if let Some(armed) = self.armed.get(&at) {
            state.set(*armed, constant(1, IntType::unsigned(8)));
        }
    }

    /// Whether a `setjmp` has been called, and its function not been left.
    fn armed_at(&self, state: &State, at: Point) -> Expr {
        self.armed.get(&at).map_or(constant(0, IntType::unsigned(8)), |v| state.var(*v))
    }

    /// Functions whose addresses were given to functions that are not followed.
    pub(in crate::translate) fn handed_over(&self) -> &BTreeSet<FunctionId> {
        &self.handed_over
    }

    fn depth_of(&self, instance: InstanceId) -> Option<usize> {
        self.depths.get(&instance).copied()
    }

    /// A call gets the addresses of functions, and may call them, then or later.
    pub(in crate::translate) fn hand_over(&mut self, targets: &Targets) {
        for o in targets.0.keys() {
            if let ObjectKind::Function(f) = self.memory.kind(*o) {
                self.handed_over.insert(f);
            }
        }
    }
}
