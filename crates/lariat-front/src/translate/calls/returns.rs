//! Returns, exceptions, and the ends of scopes.
//!
//! A function that calls itself has one instance for all its calls. For proofs of termination see [`super::skip`]. Otherwise, when an inner call returns, control goes on after one of the
//! recursive calls, and the locals of that call are those of another one: nothing is known of them. How deep the calls are is
//! counted, so that only the outermost return leaves the recursion.

use crate::module::{Operand, Type};
use crate::translate::build::Builder;
use crate::translate::calls::Calls;
use crate::translate::calls::skip::DESCENDED;
use crate::translate::control::Beyond;
use crate::translate::flat::{InstanceId, Point, index};
use crate::translate::memory::layout::Life;
use crate::translate::memory::lives::Presence;
use crate::translate::points::{ObjectId, ObjectKind};
use crate::translate::state::{Next, State, with};
use crate::translate::values::arith::{self, Num, Sym, cmp, constant, low_bit};
use crate::translate::values::{Values, flatten};
use crate::translate::{bits_of, leaves_of};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{CmpOp, Goto, IntType, Overflow};

impl Calls<'_, '_> {
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

    fn return_var(&mut self, values: &mut Values<'_, '_>, id: InstanceId, leaf: u32, ty: IntType) -> usize {
        if let Some(v) = self.return_vars.get(&(id, leaf)) {
            return *v;
        }
        let function = self.cx.flat.function(id);
        let leaves = leaves_of(&function.result);
        let width = leaves.get(leaf as usize).map_or(ty.width, |(_, t)| bits_of(t, self.cx.flat.module).clamp(1, 128));
        let name = format!("{} returns", function.shown());
        let var = values.made(&name, IntType { width, signed: ty.signed && width > 1 });
        self.return_vars.insert((id, leaf), var);
        var
    }

    /// The locals of an instance and of what it calls are those of another call now.
    fn forget_locals(&mut self, values: &mut Values<'_, '_>, state: &mut State, id: InstanceId) {
        let inner: Vec<InstanceId> =
            self.cx.flat.ids().filter(|i| *i != id && self.cx.flat.is_within(*i, id)).collect();
        for i in inner {
            self.forget_depth(values, state, i);
        }
        for n in 0..self.memory.objects().len() {
            if let ObjectKind::Stack(instance, _) = self.memory.objects()[n].kind
                && self.cx.flat.is_within(instance, id)
                && self.memory.objects()[n].many.is_none()
            {
                self.memory.forget(values, state, ObjectId(index(n)), UnknownKind::Abstraction);
                if let Life::Flag(flag) = self.memory.objects()[n].life {
                    let ty = IntType::unsigned(8);
                    let value =
                        values.unknown(state, "alive", ty, UnknownKind::Abstraction, Some((IBig::ZERO, IBig::from(1))));
                    state.set(flag, value.expr);
                }
            }
        }
    }

    /// Control leaves all calls up to an instance at once. How often the recursions around it are left is not known.
    pub(super) fn leave_until(&mut self, values: &mut Values<'_, '_>, state: &mut State, target: InstanceId) {
        let mut at = state.at.instance;
        while at != target {
            self.leave_scope(values, state, at);
            match self.cx.flat.instance(at).parent {
                Some(p) => at = p.instance,
                None => break,
            }
        }
        let mut around = Some(target);
        while let Some(id) = around {
            self.forget_depth(values, state, id);
            around = self.cx.flat.instance(id).parent.map(|p| p.instance);
        }
    }

    pub(super) fn forget_depth(&mut self, values: &mut Values<'_, '_>, state: &mut State, id: InstanceId) {
        if let Some(depth) = self.depth_of(id) {
            let (ty, most) = if self.skips() { (DESCENDED, 1) } else { (IntType::signed(64), 1u64 << 62) };
            let range = Some((IBig::ZERO, IBig::from(most)));
            let value = values.unknown(state, "depth", ty, UnknownKind::Abstraction, range);
            state.set(depth, value.expr);
        }
    }

    /// The local objects of an instance are gone.
    pub(super) fn leave_scope(&mut self, values: &mut Values<'_, '_>, state: &mut State, id: InstanceId) {
        for n in 0..self.memory.objects().len() {
            if let ObjectKind::Stack(instance, value) = self.memory.objects()[n].kind
                && instance == id
            {
                self.memory.set_alive(values, state, ObjectId(index(n)), value, Presence::Gone);
            }
        }
        self.memory.leave_several(values, state, id);
        if self.skips() && self.cx.recursive(id) {
            // An outer call of the same function may still be there.
            return;
        }
        let gone: Vec<usize> = self.armed.iter().filter(|(p, _)| p.instance == id).map(|(_, v)| *v).collect();
        for v in gone {
            state.set(v, constant(0, IntType::unsigned(8)));
        }
    }
}

impl Builder<'_, '_> {
    /// An exception goes to a landing pad, or ends the program.
    pub(in crate::translate) fn unwind(&mut self, mut state: State, handler: Option<Point>) {
        if self.calls.skips() {
            let ways = self.calls.unwind_ways(&mut self.values, state);
            self.control.push_all(ways);
            return;
        }
        // In a recursion it may be an outer call of the same function that catches it.
        let near = handler.is_some_and(|h| h.instance == state.at.instance);
        if !near && self.cx.recursive(state.at.instance) {
            let beyond = self.control.exhausted_location(&mut self.values, Beyond::Anywhere);
            self.control.emit(state.last_case(Goto::Loc(beyond)));
            return;
        }
        match handler {
            Some(pad) => {
                self.calls.leave_until(&mut self.values, &mut state, pad.instance);
                let from = self.calls.phi_source(pad, state.at);
                let point = self.values.enter_block(&mut state, from, pad.block);
                self.control.jump(state, point);
            }
            None => self.control.pending_end(state, Goto::Trap),
        }
    }

    /// An exception that somebody catches, written at once.
    pub(in crate::translate) fn emit_unwind(&mut self, mut state: State, handler: Option<Point>) {
        if self.calls.skips() {
            for (state, next) in self.calls.unwind_ways(&mut self.values, state) {
                match next {
                    Next::End(target) => self.control.end(&state, target),
                    Next::Jump(pad) => self.control.go(&mut self.values, &state, pad),
                    _ => unreachable!("an exception is caught, or ends the run"),
                }
            }
            return;
        }
        if let Some(pad) = handler {
            self.calls.leave_until(&mut self.values, &mut state, pad.instance);
            let from = self.calls.phi_source(pad, state.at);
            let point = self.values.enter_block(&mut state, from, pad.block);
            self.control.go(&mut self.values, &state, point);
        }
    }

    pub(in crate::translate) fn return_from(&mut self, mut state: State, value: Option<&Operand>) {
        let id = state.at.instance;
        let function = self.cx.flat.function(id);
        let sym = match value {
            Some(v) => self.values.operand(&mut state, v, &function.result.clone()),
            None => Sym::Nothing,
        };
        if !self.keeps_facts(&mut state, id, &sym) {
            return;
        }
        self.calls.leave_scope(&mut self.values, &mut state, id);
        let parent = self.cx.flat.instance(id).parent;
        let recursions = self.cx.flat.instance(id).recursions.clone();
        let first = |b: &mut Self, state: State, sym: Sym| match parent {
            None => b.control.pending_end(state, Goto::Exit),
            Some(call) => b.resume(state, call, sym),
        };
        if self.calls.skips() {
            let descended = self.calls.was_descended(&state, id);
            self.branch(state, descended, |b, s| b.control.pending_end(s, Goto::Exit), |b, s| first(b, s, sym));
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
            let var = self.calls.return_var(&mut self.values, id, index(n), part.ty);
            let ty = self.values.type_of(var);
            state.set(var, part.to(ty));
        }
        self.control.push(state, Next::Go(Point { index: Point::RETURN, ..self.cx.flat.entry(id) }));
    }

    /// A return of a function that calls itself: of the outermost call, or of an inner one, which goes on after one of the
    /// recursive calls; whose locals they were is not known.
    pub(in crate::translate) fn return_again(&mut self, state: State) {
        let id = state.at.instance;
        let function = self.cx.flat.function(id);
        let leaves = leaves_of(&function.result);
        let mut parts = Vec::new();
        if function.result != Type::Void {
            for (n, (_, leaf)) in leaves.iter().enumerate() {
                let var = self.calls.return_var(
                    &mut self.values,
                    id,
                    index(n),
                    IntType::signed(bits_of(leaf, self.cx.flat.module).clamp(1, 128)),
                );
                let num = Num::new(state.var(var), self.values.type_of(var));
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
        let depth = self.calls.depths[&id];
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
                None => b.control.pending_end(s, Goto::Exit),
                Some(call) => b.resume(s, call, sym),
            },
            |b, _| b.resume_recursion(inner, id, &recursions, &result),
        );
    }

    fn resume_recursion(&mut self, mut state: State, id: InstanceId, calls: &[Point], result: &Sym) {
        self.calls.forget_locals(&mut self.values, &mut state, id);
        self.values.forget_latest(&mut state, id);
        let which = (calls.len() > 1)
            .then(|| self.values.unknown(&mut state, "caller", IntType::unsigned(32), UnknownKind::Abstraction, None));
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
            for (v, instance, value) in self.values.live_at(after) {
                if !self.cx.flat.is_within(instance, id) || self.memory.is_latest(instance, value) {
                    continue;
                }
                let leaves = self.values.leaves(instance, value);
                let mut parts = Vec::new();
                for leaf in &leaves {
                    let ty = self.values.leaf_type(instance, value, leaf);
                    parts.push(Sym::Num(self.values.unknown(
                        &mut taken,
                        "caller value",
                        ty,
                        UnknownKind::Abstraction,
                        None,
                    )));
                }
                let sym = if parts.len() == 1 { parts.remove(0) } else { Sym::Aggregate(parts) };
                taken.env.insert(v, sym);
            }
            self.resume(taken, *call, result.clone());
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
            self.control.jump(state, after);
        } else {
            state.at = call;
            self.control.follow_block(&mut self.values, state, after.block);
        }
    }
}
