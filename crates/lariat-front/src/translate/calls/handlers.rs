//! What runs that nobody calls: functions that the program has registered for signals, for `fork` or for its end, and
//! functions that it gives to the library to be called.
//!
//! Such a function is not in the graph. What it may do to a run is found from its code, and from that of all functions that it
//! calls by name ([`Risk`]):
//!
//! - It may change what its code can reach. Where it may run in the middle of a call (`raise`, `qsort`) that is forgotten. Where
//!   it may run at any time (a signal that a timer sends) only volatile and atomic objects can be read and changed by
//!   both sides without undefined behaviour (C11, 5.1.2.3 and 7.14.1.1), and these are values of the environment anyway.
//! - It may end the program: so there is a way to TRAP that the environment chooses, and no divergence is proved across it.
//! - It may not return: it has a loop, a jump, an exception, or assembly. Then nothing can be said of the run, and it goes beyond
//!   the model, as the environment chooses: neither an end nor a divergence is proved across it.
//!
//! That a signal comes from outside of the program is not reckoned with: the report says so where a handler is registered.

use crate::intrinsic::{Intrinsic, Unlisted};
use crate::models::{Effect, Ends, Kept, Model, Occasion, Table, When};
use crate::module::{Callee, Constant, Function, FunctionId, GlobalId, Module, Op, Operand, ValueId};
use crate::translate::build::Builder;
use crate::translate::calls::Calls;
use crate::translate::flat::{address_taken, index, is_longjmp, is_throw};
use crate::translate::library::call::ModelCall;
use crate::translate::memory::forget::Reach;
use crate::translate::memory::layout::{Layout, Life, Size};
use crate::translate::points::{ObjectId, ObjectKind, Targets};
use crate::translate::start::has_cycle;
use crate::translate::state::State;
use crate::translate::values::Values;
use crate::translate::values::arith::{and, cmp, constant, ite, low_bit, not, operate, truth};
use dashu_int::IBig;
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Goto, IntType, Overflow};
use lariat_ir::{AssumptionKind, UnknownKind};
use std::collections::BTreeSet;

/// What a function may do to the run of its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that it may do, independent of the others")]
pub(in crate::translate) struct Risk {
    /// It may end the program.
    pub ends: bool,
    /// It may run for ever, or go on elsewhere than after its call.
    pub strays: bool,
    /// It may throw an exception.
    pub throws: bool,
    /// It calls what nobody knows, of which it is assumed that it returns.
    pub unknown: bool,
}

impl Risk {
    fn and(self, other: Self) -> Self {
        Self {
            ends: self.ends || other.ends,
            strays: self.strays || other.strays,
            throws: self.throws || other.throws,
            unknown: self.unknown || other.unknown,
        }
    }
}

/// What a program registers, and what it arms.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the module, independent of the others")]
pub(in crate::translate) struct Handlers {
    /// What the functions may do that run at signals, if there may be one.
    pub signals: Option<Risk>,
    /// And in `fork`.
    pub fork: Option<Risk>,
    /// Whether a function that is called from outside may jump back to a `setjmp`.
    pub jumps: bool,
    /// Whether a signal may come at any time after some call.
    pub armed: bool,
    /// Whether all that arms one is the one timer that some of it also disarms.
    disarms: bool,
    /// Whether the program may hold both ends of a pipe.
    pipes: bool,
    /// The variables that other files see, by their names.
    globals: FastMap<String, GlobalId>,
    /// Whether the program may leave the locale of C.
    pub sets_locale: bool,
}

impl Handlers {
    /// Whether a modelled call may run functions of the program, or lets others run later.
    pub(in crate::translate) fn concern(&self, model: &Model) -> bool {
        let occasion = |o: &Occasion| match o {
            Occasion::Signals => self.signals.is_some(),
            Occasion::Fork => self.fork.is_some(),
            Occasion::Exit => false,
        };
        model.jumps
            || model.runs.iter().any(|(o, _)| occasion(o))
            || model.effects.iter().any(|e| {
                matches!(e, Effect::ChangesMemory | Effect::Calls(_))
                    || matches!(e, Effect::Registers(_, o) if occasion(o))
            })
    }

    /// The globals that are objects of the library which a modelled function keeps.
    pub(in crate::translate) fn kept(&self, model: &Model) -> Vec<GlobalId> {
        let named = model.keeps.iter().filter_map(|k| match k {
            Kept::Object(name) => self.globals.get(name).copied(),
            Kept::Hidden(_) => None,
        });
        named.chain(self.globals.get("errno").copied()).collect()
    }

    pub(in crate::translate) fn new(module: &Module, table: &Table) -> Self {
        let taken = address_taken(module);
        // The names of the library are those of the whole program: a static variable is another one.
        let globals = module.globals.iter().enumerate().filter(|(_, g)| g.external && !g.constant);
        // And the library's `errno` is never that of the program: each thread has its own.
        let globals = globals
            .filter(|(_, g)| g.name != "errno" || g.init.is_none())
            .map(|(n, g)| (g.name.strip_prefix('\x01').unwrap_or(&g.name).to_owned(), GlobalId(index(n))))
            .collect();
        let mut found = Self { disarms: true, globals, ..Self::default() };
        let (mut signals, mut fork) = (BTreeSet::new(), BTreeSet::new());
        let mut given = BTreeSet::new();
        let (mut armed_if_handled, mut others) = (false, [false; 2]);
        let mut see = |model: &Model, caller: Option<&Function>, args: Option<&[Operand]>| {
            for effect in &model.effects {
                let Effect::Registers(arg, occasion) = effect else { continue };
                let (known, other) = match occasion {
                    Occasion::Signals => (&mut signals, &mut others[0]),
                    Occasion::Fork => (&mut fork, &mut others[1]),
                    Occasion::Exit => continue,
                };
                match args.and_then(|a| a.get(*arg)) {
                    // `SIG_DFL`, `SIG_IGN` and no function at all.
                    Some(none) if is_number(none) => {}
                    Some(Operand::Constant(Constant::Function(f))) => {
                        known.insert(*f);
                    }
                    // It may be any function whose address is a value, and one from elsewhere.
                    Some(Operand::Value(v)) if !is_local(caller, *v) => {
                        known.extend(&taken);
                        *other = true;
                    }
                    _ => known.extend(&taken),
                }
            }
            if let Some(arms) = &model.arms {
                found.armed |= !arms.handled_only;
                armed_if_handled |= arms.handled_only;
                found.disarms &= arms.disarms;
            }
            found.pipes |= model.makes_pipe;
            found.sets_locale |= model.keeps.iter().any(|k| matches!(k, Kept::Hidden(what) if what == "the locale"));
        };
        for caller in &module.functions {
            for i in caller.blocks.iter().flat_map(|b| &b.instructions) {
                let Op::Call { callee, args, .. } = &i.op else { continue };
                let Callee::Function(f) = callee else { continue };
                let function = &module.functions[f.0 as usize];
                if !function.blocks.is_empty() {
                    continue;
                }
                given.extend(args.iter().filter_map(|a| match a {
                    Operand::Constant(Constant::Function(f)) => Some(*f),
                    _ => None,
                }));
                if let Some(model) = table.of(function) {
                    see(model, Some(caller), Some(args));
                }
            }
        }
        // What is called through a pointer is called with anything.
        for function in taken.iter().map(|f| &module.functions[f.0 as usize]).filter(|f| f.blocks.is_empty()) {
            if let Some(model) = table.of(function) {
                see(model, None, None);
            }
        }
        let all = |functions: &BTreeSet<FunctionId>| {
            functions.iter().fold(Risk::default(), |r, f| r.and(risk(module, table, *f)))
        };
        let registered = |functions: &BTreeSet<FunctionId>, other: bool| {
            let risk = all(functions).and(Risk { unknown: other, ..Risk::default() });
            (other || !functions.is_empty()).then_some(risk)
        };
        found.signals = registered(&signals, others[0]);
        found.fork = registered(&fork, others[1]);
        found.armed |= armed_if_handled && found.signals.is_some();
        let jump = |f: &FunctionId| called(module, *f).iter().any(|g| is_longjmp(&module.functions[g.0 as usize]));
        found.jumps = [signals, fork, given].iter().flatten().any(jump);
        found
    }
}

/// What a function, and all that it calls, may do.
pub(super) fn risk(module: &Module, table: &Table, f: FunctionId) -> Risk {
    let mut found = Risk::default();
    let mut seen = FastSet::default();
    let mut work = vec![f];
    found.strays = !module.functions[f.0 as usize].blocks.is_empty() && has_cycle(module, f, &mut FastSet::default());
    while let Some(f) = work.pop() {
        if !seen.insert(f) {
            continue;
        }
        let function = &module.functions[f.0 as usize];
        if function.blocks.is_empty() {
            found = found.and(risk_outside(table, function));
            continue;
        }
        for i in function.blocks.iter().flat_map(|b| &b.instructions) {
            match &i.op {
                Op::Call { callee: Callee::Function(g), .. } => work.push(*g),
                Op::Call { callee: Callee::Asm(_) | Callee::Pointer(_), .. } | Op::Opaque { acts: true, .. } => {
                    found.strays = true;
                }
                _ => {}
            }
        }
    }
    found
}

fn risk_outside(table: &Table, function: &Function) -> Risk {
    let name = function.name.as_str();
    if is_longjmp(function) {
        return Risk { strays: true, ..Risk::default() };
    }
    if is_throw(name) {
        return Risk { throws: true, ..Risk::default() };
    }
    if let Some(which) = function.intrinsic {
        let traps = matches!(which, Intrinsic::Trap | Intrinsic::UbsanTrap | Intrinsic::Unlisted(Unlisted::Traps));
        return Risk { ends: function.noreturn || traps, ..Risk::default() };
    }
    match table.of(function) {
        Some(model) => {
            let ends = |how: Ends| model.ends.as_ref().is_some_and(|e| e.how == how);
            let always = model.ends.as_ref().is_some_and(|e| e.when == When::Always);
            let runs = !model.runs.is_empty() && !always || model.effects.iter().any(|e| matches!(e, Effect::Calls(_)));
            Risk {
                ends: ends(Ends::Trap) || function.noreturn || model.breaks_pipe,
                // What it runs in turn is not looked at: a handler that raises its own signal runs for ever.
                strays: model.jumps || model.again || runs,
                throws: ends(Ends::Throw),
                unknown: model.blocks,
            }
        }
        None => Risk { ends: function.noreturn, unknown: true, ..Risk::default() },
    }
}

/// Whether a function that is registered for the end of the program, or one that it calls, registers more.
pub(in crate::translate) fn registers_at_exit(module: &Module, table: &Table, f: FunctionId) -> bool {
    let at_exit = |model: &Model| model.effects.iter().any(|e| matches!(e, Effect::Registers(_, Occasion::Exit)));
    called(module, f).iter().any(|g| {
        let function = &module.functions[g.0 as usize];
        function.blocks.is_empty() && table.of(function).is_some_and(at_exit)
    })
}

/// A function and all that it calls by name.
pub(in crate::translate) fn called(module: &Module, f: FunctionId) -> BTreeSet<FunctionId> {
    let mut seen = BTreeSet::new();
    let mut work = vec![f];
    while let Some(f) = work.pop() {
        if !seen.insert(f) {
            continue;
        }
        for i in module.functions[f.0 as usize].blocks.iter().flat_map(|b| &b.instructions) {
            if let Op::Call { callee: Callee::Function(g), .. } = &i.op {
                work.push(*g);
            }
        }
    }
    seen
}

/// Whether a value is the address of a local object, so no function.
fn is_local(caller: Option<&Function>, value: ValueId) -> bool {
    let mut made = caller.into_iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions);
    made.any(|i| i.id == value && matches!(i.op, Op::Alloca { .. }))
}

fn is_number(o: &Operand) -> bool {
    match o {
        Operand::Constant(Constant::Null | Constant::Int(..)) => true,
        Operand::Constant(Constant::IntToPtr(inner)) => matches!(**inner, Constant::Int(..)),
        _ => false,
    }
}

impl Calls<'_, '_> {
    /// A call that makes a signal come later, or not any more.
    pub(in crate::translate) fn arm(&mut self, state: &mut State, call: &ModelCall<'_>) {
        let model = call.model;
        let (Some(arms), Some(var)) = (&model.arms, self.signal_due) else { return };
        if arms.handled_only && self.cx.handlers.signals.is_none() {
            return;
        }
        let ty = IntType::unsigned(8);
        let disarms = arms.disarms && self.cx.handlers.disarms;
        let disarmed = if disarms { constant(0, ty) } else { state.var(var) };
        let value = match arms.condition.as_ref().map(|c| call.condition(c)) {
            Some(Some(c)) => ite(c, constant(1, ty), disarmed),
            None | Some(None) => constant(1, ty),
        };
        state.set(var, value);
    }

    /// Control comes back to where anything may have happened since: every object may have another content, what was there may
    /// be gone, and there may be more. Values that are in no object are as they were.
    pub(in crate::translate) fn forget_everything(&mut self, values: &mut Values<'_, '_>, state: &mut State) {
        let (ty, flag) = (self.memory.address(), IntType::unsigned(8));
        let bit = Some((IBig::ZERO, IBig::from(1)));
        let mut regions = BTreeSet::new();
        for n in 0..self.memory.objects().len() {
            let object = self.memory.objects()[n].clone();
            match object.layout {
                Layout::Region(r) if !regions.insert(r) => {}
                _ => self.memory.forget_if_data(values, state, ObjectId(index(n))),
            }
            match object.life {
                Life::Always => {}
                Life::Flag(v) => {
                    let there = values.unknown(state, "alive", flag, UnknownKind::Environment, bit.clone());
                    state.set(v, there.expr);
                }
                Life::Mem(mem) => values.forget_mem(state, mem, UnknownKind::Environment),
            }
            match object.size {
                Size::Constant(_) => {}
                Size::Var(v) => {
                    let range = Some((IBig::ZERO, self.memory.largest_of_all()));
                    let size = values.unknown(state, "size", ty, UnknownKind::Environment, range);
                    state.set(v, size.expr);
                }
                Size::Mem(mem) => values.forget_mem(state, mem, UnknownKind::Environment),
            }
            if let Some(many) = object.many {
                let range = Some((IBig::ZERO, (&many.limit - &many.first) / &many.step));
                let made = values.unknown(state, "made", ty, UnknownKind::Environment, range);
                let from_first = operate(BinaryOp::Mul, ty, Overflow::Undefined, made.expr, constant(many.step, ty));
                let next = operate(BinaryOp::Add, ty, Overflow::Undefined, from_first, constant(many.first, ty));
                state.set(many.next, next);
            }
        }
        for v in self.armed.values().copied().collect::<Vec<_>>() {
            let armed = values.unknown(state, "armed", flag, UnknownKind::Environment, bit.clone());
            state.set(v, armed.expr);
        }
    }
}

impl Builder<'_, '_> {
    /// What a modelled call runs before it returns: handlers of signals and of `fork`, and functions that it was given to
    /// call. Whether anything follows.
    pub(in crate::translate) fn run_registered(&mut self, state: &mut State, call: &ModelCall<'_>) -> bool {
        let model = call.model;
        let handlers = self.cx.handlers;
        let (signals, fork, pipes) = (handlers.signals, handlers.fork, handlers.pipes);
        for (occasion, condition) in &model.runs {
            let risk = match occasion {
                Occasion::Signals => signals,
                Occasion::Fork => fork,
                // Only what the program's end runs, and nothing follows that.
                Occasion::Exit => None,
            };
            let when = match condition.as_ref().map(|c| call.condition(c)) {
                None | Some(None) => truth(true),
                Some(Some(c)) => c,
            };
            if when == truth(false) {
                continue;
            }
            let always = model.ends.as_ref().is_some_and(|e| e.when == When::Always);
            if risk.is_none_or(|r| r.unknown) && *occasion == Occasion::Signals && self.cx.open && !always {
                let span = state.span_of();
                self.values.assume(
                    state,
                    AssumptionKind::Handlers,
                    &format!("`{}` runs no handler that is not followed", model.name),
                    span,
                );
            }
            if let Some(risk) = risk {
                self.memory.forget_escaped(&mut self.values, state, Reach::Globals);
                if !self.take_risk(state, risk, when) {
                    return false;
                }
            }
        }
        if model.breaks_pipe && pipes {
            let risk = Risk { ends: true, ..signals.unwrap_or_default() };
            if signals.is_some() {
                self.memory.forget_escaped(&mut self.values, state, Reach::Globals);
            }
            if !self.take_risk(state, risk, truth(true)) {
                return false;
            }
        }
        true
    }

    /// A function runs that is not followed: what it may do to the run, as the environment chooses. Whether anything follows.
    pub(super) fn take_risk(&mut self, state: &mut State, risk: Risk, when: Cond) -> bool {
        let flag = IntType::unsigned(1);
        // Where an exception goes that comes from what is not followed is not followed either.
        let strays = risk.strays || risk.throws;
        if risk.ends {
            let ends = self.values.unknown(state, "ends", flag, UnknownKind::Environment, None);
            if !self.control.unless(state, not(and(when.clone(), low_bit(&ends))), Goto::Trap) {
                return false;
            }
        }
        if strays {
            let strays = self.values.unknown(state, "does not return", flag, UnknownKind::Environment, None);
            return self.control.beyond_unless(&mut self.values, state, not(and(when, low_bit(&strays))));
        }
        true
    }

    /// A call of a function that has a model, but not by its name, or not with its types: what it may do to the run. Whether
    /// anything follows.
    pub(super) fn run_unfollowed(&mut self, state: &mut State, model: &Model) -> bool {
        let handlers = self.cx.handlers;
        let mut risk = Risk::default();
        for (occasion, _) in &model.runs {
            let run = match occasion {
                Occasion::Signals => handlers.signals,
                Occasion::Fork => handlers.fork,
                Occasion::Exit => None,
            };
            risk = risk.and(run.unwrap_or_default());
        }
        risk.strays |= model.jumps || model.again;
        risk.ends |= model.ends.is_some() || model.breaks_pipe && handlers.pipes;
        if let (Some(arms), Some(var)) = (&model.arms, self.calls.signal_due)
            && (!arms.handled_only || handlers.signals.is_some())
        {
            state.set(var, constant(1, IntType::unsigned(8)));
        }
        if model.jumps || model.again {
            self.calls.forget_everything(&mut self.values, state);
        }
        self.take_risk(state, risk, truth(true))
    }

    /// At a location: a signal that is due may come. Whether anything follows.
    pub(in crate::translate) fn signal_comes(&mut self, state: &mut State) -> bool {
        let Some(var) = self.calls.signal_due else { return true };
        let (ty, flag) = (IntType::unsigned(8), IntType::unsigned(1));
        let due = cmp(CmpOp::Ne, ty, state.var(var), constant(0, ty));
        // Unknowns of their own: those that instructions ask for at this point are others.
        let bit = |values: &mut Values<'_, '_>, name: &str| {
            let unknown = values.made_unknown(name, flag, UnknownKind::Environment);
            cmp(CmpOp::Ne, flag, unknown, constant(0, flag))
        };
        let comes = bit(&mut self.values, "signal comes");
        if !self.control.unless(state, not(and(due.clone(), comes)), Goto::Trap) {
            return false;
        }
        if self.cx.handlers.signals.is_some_and(|r| r.strays) {
            let strays = bit(&mut self.values, "handler does not return");
            return self.control.beyond_unless(&mut self.values, state, not(and(due, strays)));
        }
        true
    }

    /// A function is called by the library, any number of times. Whether anything follows.
    pub(in crate::translate) fn called_back(&mut self, state: &mut State, model: &Model, targets: &Targets) -> bool {
        let module = self.cx.flat.module;
        let mut risk = Risk { unknown: targets.is_empty(), ..Risk::default() };
        for o in self.memory.expand(targets).0.into_keys() {
            risk = risk.and(match self.memory.kind(o) {
                ObjectKind::Function(f) => self::risk(module, self.cx.table, f),
                _ => Risk { unknown: true, ..Risk::default() },
            });
        }
        if risk.unknown {
            let span = state.span_of();
            self.values.assume(
                state,
                AssumptionKind::Callbacks,
                &format!("`{}` calls nothing that does not return", model.name),
                span,
            );
        }
        if model.ends.as_ref().is_some_and(|e| e.how == Ends::Throw) {
            // The exception is one of the caller.
            risk.throws = false;
        }
        self.memory.forget_escaped(&mut self.values, state, Reach::Globals);
        self.take_risk(state, risk, truth(true))
    }
}
