//! Returns, exceptions, and the ends of scopes.
//!
//! A function that calls itself has one instance for all its calls. For proofs of termination see [`super::skip`]. Otherwise, when an inner call returns, control goes on after one of the
//! recursive calls, and the locals of that call are those of another one: nothing is known of them. How deep the calls are is
//! counted, so that only the outermost return leaves the recursion.

use super::arith::{self, Num, Sym, cmp, constant, low_bit};
use super::build::{Builder, Next, RETURN, State, with};
use super::flat::{InstanceId, Point, index};
use super::layout::Life;
use super::points::ObjectKind;
use super::skip::DESCENDED;
use super::values::flatten;
use super::{bits_of, leaves_of};
use crate::module::{Operand, Type, ValueId};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{Case, CmpOp, Goto, IntType, MemUpdate, Overflow};

impl Builder<'_, '_> {
    /// An exception goes to a landing pad, or ends the program.
    pub(super) fn unwind(&mut self, mut state: State, handler: Option<Point>) {
        if self.skips() {
            let ways = self.unwind_ways(state);
            self.push_all(ways);
            return;
        }
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
        if self.skips() {
            for (state, next) in self.unwind_ways(state) {
                match next {
                    Next::End(target) => self.end(&state, target),
                    Next::Jump(pad) => self.go(&state, pad),
                    _ => unreachable!("an exception is caught, or ends the run"),
                }
            }
            return;
        }
        if let Some(pad) = handler {
            self.leave_until(&mut state, pad.instance);
            let from = self.phi_source(pad, state.at);
            let point = self.enter_block(&mut state, from, pad.block);
            self.go(&state, point);
        }
    }

    /// The block from which a landing pad is entered when an exception comes from a point further in.
    pub(super) fn phi_source(&self, pad: Point, from: Point) -> Point {
        let mut at = from;
        while at.instance != pad.instance {
            match self.cx.flat.instance(at.instance).parent {
                Some(p) => at = p,
                None => return pad,
            }
        }
        at
    }

    pub(super) fn return_from(&mut self, mut state: State, value: Option<&Operand>) {
        let id = state.at.instance;
        let function = self.cx.flat.function(id);
        let sym = match value {
            Some(v) => self.operand(&mut state, v, &function.result.clone()),
            None => Sym::Nothing,
        };
        self.leave_scope(&mut state, id);
        let parent = self.cx.flat.instance(id).parent;
        let recursions = self.cx.flat.instance(id).recursions.clone();
        let first = |b: &mut Self, state: State, sym: Sym| match parent {
            None => b.pending_end(state, Goto::Exit),
            Some(call) => b.resume(state, call, sym),
        };
        if self.skips() {
            let descended = self.was_descended(&state, id);
            self.branch(state, descended, |b, s| b.pending_end(s, Goto::Exit), |b, s| first(b, s, sym));
            return;
        }
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

    pub(super) fn return_var(&mut self, id: InstanceId, leaf: u32, ty: IntType) -> usize {
        if let Some(v) = self.return_vars.get(&(id, leaf)) {
            return *v;
        }
        let function = self.cx.flat.function(id);
        let leaves = leaves_of(&function.result);
        let width = leaves.get(leaf as usize).map_or(ty.width, |(_, t)| bits_of(t, self.cx.flat.module).clamp(1, 128));
        let name = format!("{} returns", function.shown());
        let var = self.names.made(&mut self.program, &name, IntType { width, signed: ty.signed && width > 1 });
        self.return_vars.insert((id, leaf), var);
        var
    }

    /// A return of a function that calls itself: of the outermost call, or of an inner one, which goes on after one of the
    /// recursive calls; whose locals they were is not known.
    pub(super) fn return_again(&mut self, state: State) {
        let id = state.at.instance;
        let function = self.cx.flat.function(id);
        let leaves = leaves_of(&function.result);
        let mut parts = Vec::new();
        if function.result != Type::Void {
            for (n, (_, leaf)) in leaves.iter().enumerate() {
                let var =
                    self.return_var(id, index(n), IntType::signed(bits_of(leaf, self.cx.flat.module).clamp(1, 128)));
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

    pub(super) fn resume_recursion(&mut self, mut state: State, id: InstanceId, calls: &[Point], result: &Sym) {
        self.forget_locals(&mut state, id);
        self.forget_latest(&mut state, id);
        let which = (calls.len() > 1)
            .then(|| self.unknown(&mut state, "caller", IntType::unsigned(32), UnknownKind::Abstraction, None));
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
                if !self.cx.flat.is_within(instance, id) || self.is_latest(instance, value) {
                    continue;
                }
                let leaves = self.leaves(instance, value);
                let mut parts = Vec::new();
                for leaf in &leaves {
                    let ty = self.leaf_type(instance, value, leaf);
                    parts.push(Sym::Num(self.unknown(&mut taken, "caller value", ty, UnknownKind::Abstraction, None)));
                }
                let sym = if parts.len() == 1 { parts.remove(0) } else { Sym::Aggregate(parts) };
                taken.env.insert(v, sym);
            }
            self.resume(taken, *call, result.clone());
        }
    }

    /// The locals of an instance and of what it calls are those of another call now.
    pub(super) fn forget_locals(&mut self, state: &mut State, id: InstanceId) {
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
                self.forget(state, super::points::ObjectId(index(n)), UnknownKind::Abstraction);
                if let Life::Flag(flag) = self.memory.objects[n].life {
                    let ty = IntType::unsigned(8);
                    let value =
                        self.unknown(state, "alive", ty, UnknownKind::Abstraction, Some((IBig::ZERO, IBig::from(1))));
                    state.set(flag, value.expr);
                }
            }
        }
    }

    /// Goes on after a call.
    pub(super) fn resume(&mut self, mut state: State, call: Point, result: Sym) {
        if let Some(instruction) = self.cx.flat.instruction(call) {
            let value = self.cx.flat.value(call.instance, instruction.id);
            state.env.insert(value, result);
        }
        let after = self.cx.flat.after_call(call);
        if after.block == call.block {
            self.jump(state, after);
        } else {
            state.at = call;
            self.follow_block(state, after.block);
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

    pub(super) fn forget_depth(&mut self, state: &mut State, id: InstanceId) {
        if let Some(depth) = self.depth_of(id) {
            let (ty, most) = if self.skips() { (DESCENDED, 1) } else { (IntType::signed(64), 1u64 << 62) };
            let range = Some((IBig::ZERO, IBig::from(most)));
            let value = self.unknown(state, "depth", ty, UnknownKind::Abstraction, range);
            state.set(depth, value.expr);
        }
    }

    /// The local objects of an instance are gone.
    pub(super) fn leave_scope(&mut self, state: &mut State, id: InstanceId) {
        for n in 0..self.memory.objects.len() {
            if let ObjectKind::Stack(instance, value) = self.memory.objects[n].kind
                && instance == id
            {
                self.set_alive(state, super::points::ObjectId(index(n)), value, false);
            }
        }
        self.leave_several(state, id);
        if self.skips() && self.cx.recursive(id) {
            // An outer call of the same function may still be there.
            return;
        }
        let gone: Vec<usize> = self.armed.iter().filter(|(p, _)| p.instance == id).map(|(_, v)| *v).collect();
        for v in gone {
            state.set(v, constant(0, IntType::unsigned(8)));
        }
    }

    /// Where the earlier ones of several objects of a call are is not kept: from now on any of them may be gone.
    pub(super) fn leave_several(&mut self, state: &mut State, id: InstanceId) {
        for object in self.memory.objects.iter().filter(|o| o.several) {
            if let (ObjectKind::Stack(instance, _), Life::Mem(mem)) = (object.kind, &object.life)
                && instance == id
            {
                self.forget_mem(state, *mem, UnknownKind::Environment);
            }
        }
    }

    /// Marks a local object as there or gone.
    pub(super) fn set_alive(&mut self, state: &mut State, id: super::points::ObjectId, value: ValueId, alive: bool) {
        let object = self.memory.object(id).clone();
        let flag = IntType::unsigned(8);
        let value_of = if alive && object.doubtful && !matches!(object.life, Life::Always) {
            let range = Some((IBig::ZERO, IBig::from(1)));
            self.unknown(state, "in scope", flag, UnknownKind::Environment, range).expr
        } else {
            constant(i32::from(alive), flag)
        };
        match object.life {
            Life::Always => {}
            Life::Flag(v) => state.set(v, value_of),
            Life::Mem(mem) => {
                let ObjectKind::Stack(instance, _) = object.kind else { return };
                let address = self.address();
                let Sym::Num(base) = self.value(state, instance, value) else { return };
                let base = base.to(address);
                state.stores.push(MemUpdate::Store { mem, address: base, value: value_of });
            }
        }
    }
}
