//! The first location of a program: what holds in the beginning, and what a verdict on it does not cover.

use super::build::Builder;
use super::calls::handlers::{called, registers_at_exit};
use super::flat::{InstanceId, index, mentioned_in};
use super::instructions::kept;
use super::memory::layout::{Layout, Scalar, Size};
use super::memory::start::{FirstContent, is_plain};
use super::memory::types::never_meet;
use super::points::{ObjectId, ObjectKind};
use super::prepare::constants_stored;
use super::state::{Next, State, site};
use super::values::arith::{self, Num, Sym, and, cmp, constant, operate, or, truth};
use super::{block_successors, debug, leaves_of};
use crate::module::{Function, FunctionId, Module, Op, Parameter, Type, TypeId, ValueId};
use dashu_int::IBig;
use lariat_ir::fast::FastSet;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, Goto, IntType, MemInit, MemUpdate, Origin, Overflow};
use lariat_ir::{AssumptionKind, Obligation, UnknownKind};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Builder<'_, '_> {
    /// Functions that are called from outside, when and as often as it likes, are not in the graph; so their loops, and
    /// with them the end of the program, are open.
    pub(super) fn callbacks(&mut self) {
        let module = self.cx.flat.module;
        // What such a function knows of it may hand over in turn.
        let all_from = |mut found: BTreeSet<FunctionId>| {
            let mut work: Vec<FunctionId> = found.iter().copied().collect();
            while let Some(f) = work.pop() {
                for g in called(module, f) {
                    let more = mentioned_in(&module.functions[g.0 as usize]);
                    work.extend(more.into_iter().filter(|m| found.insert(*m)));
                }
            }
            found
        };
        let mut given = self.calls.handed_over().clone();
        if self.cx.whole {
            given.extend(self.cx.destructors.iter().copied());
        }
        // What may run when the program ends: nobody else has got its address to register it.
        let late = all_from(given);
        let escaped = self.memory.escaped().iter().filter_map(|o| match self.memory.kind(*o) {
            ObjectKind::Function(f) => Some(f),
            _ => None,
        });
        let mut found = all_from(escaped.collect());
        found.extend(&late);
        for f in found {
            let function = &module.functions[f.0 as usize];
            if function.blocks.is_empty() {
                continue;
            }
            let text = if has_cycle(module, f, &mut FastSet::default()) {
                format!("the loops of `{}`, which is called from outside the program", function.shown())
            } else if late.contains(&f) && registers_at_exit(module, self.cx.table, f) {
                // One that registers itself is run, and registers itself, for ever.
                format!(
                    "`{}`, which is called from outside the program and registers what runs at exit",
                    function.shown()
                )
            } else {
                continue;
            };
            let span = self.cx.span(function.place);
            self.values.oblige(Obligation { text, span });
        }
    }

    /// The first location: globals have their values, everything else is unknown.
    pub(super) fn start(&mut self) {
        let root = self.cx.flat.entry(InstanceId(0));
        let mut state = State::new(self.cx, root);
        self.start_objects(&mut state);
        let function = self.cx.flat.function(InstanceId(0));
        state.site = function.place.filter(|p| p.line > 0).map(site);
        let is_main = function.name == "main" && self.cx.whole;
        self.start_parameters(&mut state, is_main);
        self.start_given(&mut state);
        self.entry_keeps_promises(&mut state);
        self.library.start_streams(&mut self.values, &mut state);
        self.control.first_location(function.place, function.shown());
        self.statics_hold_what_is_stored(&mut state);
        let mut short = Vec::new();
        if is_main && !function.params.is_empty() {
            self.values.assume(
                &mut state,
                AssumptionKind::CommandLine,
                "the program is called with its name: `argc` is at least 1",
                None,
            );
            short = self.command_lines(&mut state);
        }
        let before = self.control.take_cases();
        if short.is_empty() {
            // The first piece goes on from here, unless control comes back to the entry.
            self.control.jump(state, root);
        } else {
            self.control.push(state, Next::Go(root));
            self.control.push_all(short.into_iter().map(|s| (s, Next::Go(root))).collect());
        }
        self.ways(root, 0);
        self.control.put_before(0, before);
    }

    /// What objects hold in the beginning.
    fn start_objects(&mut self, state: &mut State) {
        let mut any_outside = false;
        for id in 0..self.memory.objects().len() {
            let object = self.memory.objects()[id].clone();
            let number = ObjectId(index(id));
            match object.kind {
                ObjectKind::Global(g) => {
                    let global = &self.cx.flat.module.globals[g.0 as usize];
                    let kept = !self.cx.known_outside.contains(&g) && !self.cx.stored_outside.contains(&g);
                    let known = global.constant || kept || self.cx.whole;
                    let bytes = match &global.init {
                        Some(init) if known && is_plain(init) => Some(self.memory.bytes(init, global.size)),
                        // Elsewhere, or by an earlier call, it may have been given any value.
                        _ => None,
                    };
                    if let Size::Var(v) = object.size {
                        // As large as the other file says.
                        let ty = self.memory.address();
                        let range = Some((IBig::ZERO, IBig::from(1 << 20)));
                        let size = self.values.unknown(state, "size", ty, UnknownKind::Environment, range);
                        state.set(v, size.expr);
                    }
                    let first = match &bytes {
                        Some(bytes) => FirstContent::Bytes(bytes),
                        // The state at the call of a function is its input; what another file says is not.
                        None if !known && !global.constant => FirstContent::Input,
                        None => FirstContent::Elsewhere,
                    };
                    self.memory.start_global(&mut self.values, state, number, first);
                }
                ObjectKind::Outside => {
                    if let Layout::Region(n) = object.layout {
                        any_outside = true;
                        for f in self.memory.region(n).fields.clone() {
                            *self.values.initial_cells(f.mem) = MemInit::Any;
                        }
                    } else if let Layout::Scalars(list) = &object.layout {
                        for s in list {
                            self.values.init((s.var, None));
                        }
                    }
                    if let Some(v) = self.memory.outside_size() {
                        self.values.init((v, None));
                    }
                }
                ObjectKind::Library(..) => {
                    if matches!(object.layout, Layout::Scalars(_)) {
                        self.memory.forget(&mut self.values, state, number, UnknownKind::Environment);
                    }
                }
                _ => {}
            }
        }
        // Memory of the stack, the heap and the library has some content that nobody knows.
        for n in 0..self.memory.regions().len() {
            let region = self.memory.region(n).clone();
            let of = |o: &ObjectId| self.memory.object(*o).kind;
            let outside = region.objects.iter().any(|o| of(o) == ObjectKind::Outside);
            let unknown = region.objects.iter().any(|o| !matches!(of(o), ObjectKind::Global(_) | ObjectKind::Outside));
            // What the library keeps is no input, also where a pointer may be to it or to memory from before.
            let kept_by_library = region.objects.iter().any(|o| matches!(of(o), ObjectKind::Library(..)));
            if unknown && !outside || kept_by_library {
                for f in &region.fields {
                    let forgotten = self.values.mem_unknown(state, f.mem, UnknownKind::Environment);
                    state.stores.insert(0, MemUpdate::Forget { mem: f.mem, unknown: forgotten });
                }
            }
        }
        if any_outside {
            self.values.assume(
                state,
                AssumptionKind::MemoryBefore,
                "memory that was there before is one object, and as large as it is used",
                None,
            );
        }
    }

    /// What an entry is given keeps what its parameters promise: what is not null, and what lies apart from what. And no pointer that is there in the beginning leads to an object that is made later: one that happens to have its address is no value to
    /// choose. A proof of an endless run in `c` has to do without such values; for a proof of termination they are there, and in `wrap` and `ideal`, where
    /// an address is a number that can be guessed. Pointers in memory of which nothing is known are told of where they are loaded.
    fn entry_keeps_promises(&mut self, state: &mut State) {
        // A program that starts here begins with values of its own.
        if self.cx.whole {
            return;
        }
        let mut pointers: Vec<(Expr, IntType)> = Vec::new();
        let mut promises: Vec<Cond> = Vec::new();
        let function = self.cx.flat.function(InstanceId(0));
        let mut params = Vec::new();
        for (n, p) in function.params.iter().enumerate() {
            let value = self.cx.flat.value(InstanceId(0), ValueId(index(n)));
            let Some(Sym::Num(num)) = state.env.get(&value) else { continue };
            if !p.promise.is_empty() {
                promises.push(kept(num, &p.promise));
            }
            if p.ty == Type::Ptr {
                pointers.push((num.expr.clone(), num.ty));
                if p.align > 1 {
                    let by = constant(p.align, num.ty);
                    let rest = operate(BinaryOp::Rem, num.ty, Overflow::Undefined, num.expr.clone(), by);
                    promises.push(cmp(CmpOp::Eq, num.ty, rest, constant(0, num.ty)));
                }
                if p.nonnull {
                    promises.push(cmp(CmpOp::Ne, num.ty, num.expr.clone(), constant(0, num.ty)));
                }
                params.push((p, declared_type(function, n), num.clone()));
            }
        }
        promises.extend(params.iter().enumerate().flat_map(|(n, first)| {
            let module = self.cx.flat.module;
            params[n + 1..].iter().filter_map(move |second| apart(module, first, second))
        }));
        for object in self.memory.objects() {
            let is_before = matches!(object.kind, ObjectKind::Global(_) | ObjectKind::Outside);
            if let Layout::Scalars(list) = &object.layout
                && is_before
            {
                let module = self.cx.flat.module;
                let may_be_pointer =
                    |s: &&Scalar| object.ty.is_none_or(|ty| debug::is_pointer(module, ty, s.offset.unsigned_abs()));
                let wide = list.iter().filter(|s| 8 * s.size == u64::from(module.pointer_bits)).filter(may_be_pointer);
                pointers.extend(wide.map(|s| (Expr::Var(s.var), s.ty)));
            }
        }
        let flag = IntType::unsigned(8);
        let variable = pointers.into_iter().filter(|(pointer, _)| !matches!(pointer, Expr::Const(..)));
        promises.extend(variable.filter_map(|(pointer, ty)| self.memory.is_from_before(&Num::new(pointer, ty))));
        for kept in promises.into_iter().filter(|c| *c != truth(true)) {
            let promised = Expr::Promised { kept: Arc::new(kept), value: Arc::new(constant(1, flag)) };
            // A divisor of which nothing is known is undefined.
            state.evaluates.push(operate(BinaryOp::Div, flag, Overflow::Undefined, constant(1, flag), promised));
        }
    }

    /// What an earlier call has left in an object is what this file stores there, if nobody else knows the object. Where all that is stored are constants, it
    /// is one of them, or the initial value; what it would do with another one is no finding. Runs that break this rule are left out: there are none.
    fn statics_hold_what_is_stored(&mut self, state: &mut State) {
        /// More are as good as any value.
        const MOST: usize = 8;
        if self.cx.whole {
            return;
        }
        let module = self.cx.flat.module;
        let stored = constants_stored(module);
        let mut own = Vec::new();
        for object in self.memory.objects() {
            let ObjectKind::Global(g) = object.kind else { continue };
            let global = &module.globals[g.0 as usize];
            let is_own = self.cx.stored_outside.contains(&g) && !self.cx.known_outside.contains(&g);
            let (Layout::Scalars(list), true, Some(init)) = (&object.layout, is_own, &global.init) else { continue };
            let ([scalar], Some(values)) = (list.as_slice(), stored.get(&g)) else { continue };
            if scalar.offset != 0 || scalar.size != global.size || scalar.size > 8 || !is_plain(init) {
                continue;
            }
            let mut first = [0; 8];
            let bytes = self.memory.bytes(init, global.size);
            first.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
            let mut values = values.clone();
            values.insert(u128::from(u64::from_le_bytes(first)));
            if values.len() > MOST {
                continue;
            }
            // The range for those who do not look into alternatives.
            let values: BTreeSet<IBig> = values.iter().map(|v| arith::wrap(&IBig::from(*v), scalar.ty)).collect();
            let compare =
                |op, value: &IBig| cmp(op, scalar.ty, Expr::Var(scalar.var), Expr::Const(value.clone(), scalar.ty));
            let (least, most) = (values.first().expect("it has an initial one"), values.last().expect("as before"));
            let within = and(compare(CmpOp::Ge, least), compare(CmpOp::Le, most));
            let is_dense = *most == least + IBig::from(values.len() - 1);
            let one = values.iter().map(|v| compare(CmpOp::Eq, v)).reduce(or).filter(|_| !is_dense);
            own.push(one.into_iter().fold(within, and));
        }
        for held in own {
            self.control.unless(state, held, Goto::Stop);
        }
    }

    /// What the entry is given, if there are facts about its calls.
    fn start_given(&mut self, state: &mut State) {
        let function = self.cx.flat.function(InstanceId(0));
        let values = (0..function.params.len()).map(|n| ValueId(index(n)));
        let bound = values.filter_map(|v| Some((v, state.env.get(&self.cx.flat.value(InstanceId(0), v))?.clone())));
        let bound: Vec<(ValueId, Sym)> = bound.collect();
        self.note_given(state, self.cx.flat.instance(InstanceId(0)).function, InstanceId(0), &bound);
    }

    /// The parameters of the entry, which are inputs.
    fn start_parameters(&mut self, state: &mut State, is_main: bool) {
        let function = self.cx.flat.function(InstanceId(0));
        for (n, p) in function.params.iter().enumerate() {
            let value = self.cx.flat.value(InstanceId(0), ValueId(index(n)));
            let leaves = leaves_of(&p.ty);
            for (_, leaf) in &leaves {
                let variable = function
                    .declares
                    .iter()
                    .chain(&function.values)
                    .map(|(_, v)| v)
                    .find(|v| v.argument as usize == n + 1);
                let name = variable.map_or_else(|| format!("argument {}", n + 1), |v| v.name.clone());
                let ty = self.values.leaf_type(InstanceId(0), ValueId(index(n)), leaf);
                let vector = (is_main && n == 1 && *leaf == Type::Ptr).then(|| self.memory.vector_address()).flatten();
                let range = (is_main && n == 0 && ty.width >= 8)
                    .then(|| (IBig::from(1), IntType::signed(ty.width).range().1))
                    .or_else(|| (*leaf == Type::Ptr).then(|| ty.range()));
                // What lies behind a third parameter is not followed.
                let kind = if is_main && n > 1 { UnknownKind::Environment } else { UnknownKind::Input };
                let unknown = match vector {
                    // The vector lies where memory from before begins.
                    Some(v) => Num::constant(v, ty),
                    None => self.values.unknown(state, &name, ty, kind, range),
                };
                if matches!(leaf, Type::Float(_)) {
                    self.values.note_float(&unknown);
                }
                if let Expr::Unknown(u) = unknown.expr {
                    let name = name.clone();
                    let size = || debug::pointee_size(self.cx.flat.module, variable.and_then(|v| v.ty));
                    let pointer = (*leaf == Type::Ptr).then(size);
                    self.values.set_origin(u, Origin::Parameter { number: n, name, pointer });
                }
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
    }
}

/// The type of a parameter in the source.
fn declared_type(function: &Function, n: usize) -> Option<TypeId> {
    let all = function.declares.iter().chain(&function.values).map(|(_, v)| v);
    all.into_iter().find(|v| v.argument as usize == n + 1)?.ty
}

/// That two parameters do not lead to the same bytes, where one is `restrict`, or they lead to numbers of other types.
fn apart(
    module: &Module,
    (p, of_p, x): &(&Parameter, Option<TypeId>, Num),
    (q, of_q, y): &(&Parameter, Option<TypeId>, Num),
) -> Option<Cond> {
    if !(p.noalias || q.noalias || never_meet(module, *of_p, *of_q)) {
        return None;
    }
    let ty = x.ty;
    let size = |of: &Option<TypeId>| constant(debug::pointee_size(module, *of).max(1), ty);
    let behind = |a: &Num, b: &Num, n: Expr| {
        let end = operate(BinaryOp::Add, ty, Overflow::Undefined, b.expr.clone(), n);
        cmp(CmpOp::Ge, ty, a.expr.clone(), end)
    };
    let null = cmp(CmpOp::Eq, ty, x.expr.clone(), constant(0, ty));
    Some(or(null, or(behind(x, y, size(of_q)), behind(y, x, size(of_p)))))
}

/// Whether a function, or one that it calls, may go round; a call that is not known may.
pub(super) fn has_cycle(module: &Module, f: FunctionId, seen: &mut FastSet<FunctionId>) -> bool {
    if !seen.insert(f) {
        return true;
    }
    let function = &module.functions[f.0 as usize];
    let back = function
        .blocks
        .iter()
        .enumerate()
        .any(|(b, block)| block_successors(&block.terminator).iter().any(|to| to.0 as usize <= b));
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
