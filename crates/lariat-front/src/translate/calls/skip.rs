//! Recursive calls for proofs of termination: descend, or skip.
//!
//! In [`Form::Skip`] a recursive call is a choice that nobody controls:
//!
//! - *Descend*: control goes to the entry of the callee with the arguments, for good. The frame of the caller is forgotten, and
//!   when that call returns, or an exception leaves it, the run ends.
//! - *Skip*: the call has returned. Its result and whatever it may have changed are unknown, the rest is as it was.
//! - *Skip by an exception*: the same, and control goes to where the caller, or a function around it, catches it.
//!
//! Why this has an infinite run for each one of the program. Take an infinite run, and follow it; at each recursive call ask
//! what becomes of it. If it returns to its caller, normally or by an exception, skip it; otherwise descend. Calls that are not
//! recursive are followed as they are. Then no followed return is one of a call that was descended to, since those
//! never return; so the followed run is not cut off. It is infinite, too: what is left out are the insides of calls that return, each of
//! them finite and followed by the steps after the call. A call that `longjmp` leaves for good counts as one that does not
//! return: it is descended to, and the jump is followed.
//!
//! What the followed run needs is that each of its states is one of the states here:
//!
//! - After a skip, every object that the code of the callee, and of what it calls, may write has any content ([`Calls::written`]);
//!   also what it may write by functions that nobody knows. Objects that it frees may count as there: to use them is
//!   undefined, and that would only end the run. Constants, and locals of which nobody has a pointer, are as they were.
//! - All calls of a function share the variables of its instance. That is right for a local whose address never
//!   leaves the call that made it: only one call is followed at a time, and a new one starts with any content. All other
//!   objects that are made within a recursion are *summaries* ([`crate::translate::memory::layout::Object::summary`]): one address stands for all
//!   of them, whatever is read is unknown, whatever is written is lost, they never end, and whether two pointers to them
//!   are equal is unknown.
//! - What a skipped call gives back may be restricted by facts that every return keeps: see [`super::relations`].
//! - A jump back into a recursion goes to a call that may have been forgotten: nothing is known of its locals.

use crate::intrinsic::Intrinsic;
use crate::models::{Effect, Returns};
use crate::module::{BlockId, Callee, FunctionId, Instruction, Op, Operand, Parameter, Terminator, Type};
use crate::translate::ModelUse;
use crate::translate::build::Builder;
use crate::translate::calls::Calls;
use crate::translate::calls::relations::{Fact, all_hold};
use crate::translate::flat::{Form, InstanceId, Plan, Point, index};
use crate::translate::library::models::{core_of, may_count};
use crate::translate::memory::layout::{Layout, Life, Size};
use crate::translate::points::{ObjectId, ObjectKind};
use crate::translate::state::{Flow, Next, Split, State};
use crate::translate::values::Values;
use crate::translate::values::arith::{Num, Sym, cmp, constant, low_bit, not, truth};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{CmpOp, Cond, Goto, IntType};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The type of the variables that say whether a call was descended to.
pub(in crate::translate) const DESCENDED: IntType = IntType::unsigned(8);

/// Ways that are tried in this order; the last one has no further condition.
type Ways = Vec<(State, Next)>;

impl Calls<'_, '_> {
    pub(in crate::translate) fn skips(&self) -> bool {
        self.cx.flat.form == Form::Skip
    }

    /// The outermost instance whose code a recursive call of an instance may run.
    fn component(&self, again: InstanceId) -> InstanceId {
        let flat = self.cx.flat;
        let mut root = again;
        // A call back from within to what is further out runs that, too.
        let leads_out = |root: InstanceId| {
            flat.ids().find(|x| {
                *x != root
                    && flat.is_within(root, *x)
                    && flat.instance(*x).recursions.iter().any(|p| flat.is_within(p.instance, root))
            })
        };
        while let Some(further) = leads_out(root) {
            root = further;
        }
        root
    }

    /// The objects that the code of an instance, and of what it calls, may write.
    fn written(&mut self, root: InstanceId) -> Rc<BTreeSet<ObjectId>> {
        if let Some(found) = self.written.get(&root) {
            return Rc::clone(found);
        }
        let flat = self.cx.flat;
        let mut all = Written::default();
        for id in flat.ids().filter(|i| flat.is_within(*i, root)) {
            for (b, block) in flat.function(id).blocks.iter().enumerate() {
                for (i, instruction) in block.instructions.iter().enumerate() {
                    let at = Point { instance: id, block: BlockId(index(b)), index: index(i) };
                    self.add_written(at, instruction, &mut all);
                }
            }
        }
        let Written { mut objects, unknown } = all;
        if unknown {
            objects.extend(self.memory.escaped().iter().copied());
            let numbers = (0..self.memory.objects().len()).map(|o| ObjectId(index(o)));
            objects.extend(numbers.filter(|o| matches!(self.memory.object(*o).kind, ObjectKind::Global(_))));
        }
        let found = Rc::new(objects);
        self.written.insert(root, Rc::clone(&found));
        found
    }

    /// What an instruction may write.
    pub(super) fn add_written(&self, at: Point, instruction: &Instruction, all: &mut Written) {
        let flat = self.cx.flat;
        let behind = |o: &Operand| self.memory.expand(&self.memory.pointees(at.instance, o)).0.into_keys();
        let Op::Call { callee, args, .. } = &instruction.op else {
            match &instruction.op {
                Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CompareExchange { ptr, .. } => {
                    all.objects.extend(behind(ptr));
                }
                Op::VaArg { list } => all.objects.extend(behind(list)),
                Op::Opaque { args, .. } => all.objects.extend(args.iter().flat_map(behind)),
                _ => {}
            }
            return;
        };
        match self.cx.model_use(at, callee) {
            ModelUse::Entered | ModelUse::Observe => {}
            ModelUse::Intrinsic(which) => match which {
                Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset => {
                    all.objects.extend(args.first().into_iter().flat_map(behind));
                }
                Intrinsic::VaStart | Intrinsic::VaEnd => all.objects.extend(args.iter().flat_map(behind)),
                _ => {}
            },
            ModelUse::Model(model) => {
                if let Returns::Static { .. } | Returns::Table { .. } = core_of(&model.returns) {
                    let both = [false, true].map(|pointer| self.memory.known(ObjectKind::Library(at, pointer)));
                    all.objects.extend(both.into_iter().flatten());
                }
                for global in self.cx.handlers.kept(model) {
                    all.objects.extend(self.memory.known(ObjectKind::Global(global)));
                }
                all.unknown |= model.again || self.cx.handlers.concern(model);
                for effect in &model.effects {
                    match effect {
                        Effect::Frees(_) => {}
                        Effect::Prints(format) if args.get(*format).is_some_and(|f| !may_count(flat.module, f)) => {}
                        Effect::Writes(w) => all.objects.extend(args.get(w.to).into_iter().flat_map(behind)),
                        // Whatever else a model does: through its arguments, or through what the outside knows of.
                        _ => {
                            all.objects.extend(args.iter().flat_map(behind));
                            all.unknown = true;
                        }
                    }
                }
            }
            ModelUse::Unknown => {
                all.objects.extend(args.iter().flat_map(behind));
                if let Callee::Pointer(p) = callee {
                    all.objects.extend(behind(p));
                }
                all.unknown = true;
            }
        }
    }

    /// The ways of an exception from where a state is: to whoever catches it. A call that was descended to has no caller
    /// any more: if the exception leaves it the run ends.
    pub(super) fn unwind_ways(&mut self, values: &mut Values<'_, '_>, mut state: State) -> Ways {
        let flat = self.cx.flat;
        let mut ways = Vec::new();
        loop {
            let at = state.point();
            let block = flat.block(at);
            if let Terminator::Invoke { unwind, .. } = block.terminator
                && at.index as usize + 1 == block.instructions.len()
            {
                let pad = values.enter_block(&mut state, at, unwind);
                ways.push((state, Next::Jump(pad)));
                return ways;
            }
            self.leave_scope(values, &mut state, at.instance);
            match self.was_descended(&state, at.instance) {
                Cond::Const(false) => {}
                Cond::Const(true) => {
                    ways.push((state, Next::End(Goto::Exit)));
                    return ways;
                }
                descended => {
                    let mut ended = state.clone();
                    ended.restrict(descended);
                    ways.push((ended, Next::End(Goto::Exit)));
                }
            }
            let Some(call) = flat.instance(at.instance).parent else {
                ways.push((state, Next::End(Goto::Trap)));
                return ways;
            };
            state.move_to(call);
        }
    }

    /// Whether the call that is followed was descended to.
    pub(super) fn was_descended(&self, state: &State, id: InstanceId) -> Cond {
        match self.depth_of(id) {
            Some(v) => cmp(CmpOp::Eq, DESCENDED, state.var(v), constant(1, DESCENDED)),
            None => truth(false),
        }
    }

    /// A jump into a recursion: which call it goes to is not known, and so nothing of its locals.
    pub(super) fn jump_into_recursion(&mut self, values: &mut Values<'_, '_>, state: &mut State, target: Point) {
        let flat = self.cx.flat;
        let Some(root) = flat.outermost_recursion(target.instance) else { return };
        for id in flat.ids().filter(|i| flat.is_within(*i, root)) {
            self.forget_depth(values, state, id);
        }
        let armed: Vec<usize> =
            self.armed.iter().filter(|(p, _)| flat.is_within(p.instance, root)).map(|(_, v)| *v).collect();
        for v in armed {
            state.set(v, constant(1, IntType::unsigned(8)));
        }
        for n in 0..self.memory.objects().len() {
            let object = self.memory.objects()[n].clone();
            let ObjectKind::Stack(instance, _) = object.kind else { continue };
            if !flat.is_within(instance, root) {
                continue;
            }
            self.memory.forget(values, state, ObjectId(index(n)), UnknownKind::Abstraction);
            if let Size::Var(v) = object.size {
                let range = Some((IBig::ZERO, self.memory.largest_of_all()));
                let size = values.unknown(state, "size", self.memory.address(), UnknownKind::Abstraction, range);
                state.set(v, size.expr);
            }
            if let Life::Flag(v) = object.life {
                state.set(v, constant(1, IntType::unsigned(8)));
            }
        }
        values.forget_latest(state, root);
        for (v, instance, value) in values.live_at(flat.after_call(target)) {
            let known = self.memory.fixed_address(instance, value).is_some() || self.memory.is_latest(instance, value);
            if known || !flat.is_within(instance, root) {
                continue;
            }
            let mut parts = Vec::new();
            for leaf in values.leaves(instance, value) {
                let ty = values.leaf_type(instance, value, &leaf);
                let num: Num = values.unknown(state, "caller value", ty, UnknownKind::Abstraction, None);
                parts.push(if leaf == Type::Int(1) { Sym::Cond(low_bit(&num)) } else { Sym::Num(num) });
            }
            let sym = if parts.len() == 1 { parts.remove(0) } else { Sym::Aggregate(parts) };
            state.set_value(v, sym);
        }
    }
}

impl Builder<'_, '_> {
    /// The ways on from a recursive call.
    pub(super) fn descend_or_skip(
        &mut self,
        mut state: State,
        instruction: &Instruction,
        (f, again): (FunctionId, InstanceId),
        args: &[Operand],
    ) -> Result<Ways, Split> {
        let flag = IntType::unsigned(1);
        let call = state.point();
        let choice = self.values.unknown(&mut state, "descends", flag, UnknownKind::Abstraction, None);
        let mut ways = Vec::new();
        let mut inside = state.clone();
        inside.restrict(low_bit(&choice));
        if let Flow::To(entry) = self.enter(&mut inside, f, Plan::Again(again), args)? {
            ways.push((inside, Next::Jump(entry)));
        }
        let given = self.facts_about(&mut state, f, args);
        self.skip(&mut state, again);
        let unwinds = !matches!(&instruction.op, Op::Call { nounwind: true, .. });
        if unwinds && self.cx.flat.handler(call).is_some() {
            let thrown = self.values.unknown(&mut state, "throws", flag, UnknownKind::Abstraction, None);
            let mut other = state.clone();
            other.restrict(low_bit(&thrown));
            ways.extend(self.calls.unwind_ways(&mut self.values, other));
        }
        let result = self.values.result_of_skipped(&mut state, &instruction.ty);
        if let (Some((facts, args)), Sym::Num(result)) = (&given, &result) {
            let mut broken = state.clone();
            broken.restrict(not(all_hold(facts, args, result)));
            ways.push((broken, Next::End(Goto::Stop)));
        }
        state.set_value(self.cx.flat.value(call.instance, instruction.id), result);
        let after = self.cx.flat.after_call(call);
        let to = if after.block == call.block { after } else { self.values.enter_block(&mut state, call, after.block) };
        ways.push((state, Next::Jump(to)));
        Ok(ways)
    }

    /// What may be assumed of a call that returns, with its arguments.
    fn facts_about(&mut self, state: &mut State, f: FunctionId, args: &[Operand]) -> Option<(Vec<Fact>, Vec<Num>)> {
        let facts = self.cx.relations.get(&f)?.clone();
        let params = &self.cx.flat.module.functions[f.0 as usize].params;
        let number = |(p, a): (&Parameter, &Operand)| match self.values.operand(state, a, &p.ty) {
            Sym::Num(num) => Some(num),
            _ => None,
        };
        let args: Option<Vec<Num>> = params.iter().zip(args).map(number).collect();
        Some((facts, args?))
    }

    /// A recursive call of an instance has returned: everything that it may have written is unknown.
    fn skip(&mut self, state: &mut State, again: InstanceId) {
        self.library.skip_streams(&mut self.values, state);
        let root = self.calls.component(again);
        let mut regions = BTreeSet::new();
        for &o in self.calls.written(root).iter() {
            let object = self.memory.object(o);
            let own = matches!(object.kind, ObjectKind::Stack(i, _) if self.cx.flat.is_within(i, root));
            if own && object.many.is_none() || self.memory.is_constant(o) {
                // A local whose address does not leave its call: the callee has another one.
                continue;
            }
            if let Layout::Region(n) = object.layout
                && !regions.insert(n)
            {
                continue;
            }
            self.memory.forget(&mut self.values, state, o, UnknownKind::Abstraction);
        }
    }
}

/// What a piece of code may write.
#[derive(Default)]
pub(in crate::translate) struct Written {
    pub(in crate::translate) objects: BTreeSet<ObjectId>,
    /// Whether it calls what nobody knows.
    pub(in crate::translate) unknown: bool,
}
