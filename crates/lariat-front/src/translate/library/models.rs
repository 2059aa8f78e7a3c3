//! Functions with a model: what the table says, applied to a call.

use crate::models::{
    BinaryOp as ModelBinary, Content, Effect, Ends, Expr as ModelExpr, Kind, Model, Occasion, Requirement, Returns,
    When, Write,
};
use crate::module::{Constant, Instruction, Op, Operand};
use crate::translate::build::Builder;
use crate::translate::flat::Point;
use crate::translate::library::Library;
use crate::translate::library::call::ModelCall;
use crate::translate::library::formats::{Family, Format, never_ends, string};
use crate::translate::library::streams::{Outcome, parts};
use crate::translate::memory::access::{Access, for_ends_only, for_ends_only_unless};
use crate::translate::memory::forget::Reach;
use crate::translate::points::{ObjectKind, constant_of};
use crate::translate::state::{Flow, Split, State};
use crate::translate::values::arith::{Num, Sym, and, cmp, constant, ite, low_bit, not, operate, truth};
use crate::translate::values::operand_type;
use crate::translate::{Context, ModelUse};
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, Goto, IntType, Overflow, Piece};
use lariat_ir::{AssumptionKind, UnknownKind};

impl Library<'_, '_> {
    /// The condition that a range of bytes behind an argument is valid.
    fn model_range(
        &self,
        state: &State,
        arg: usize,
        offset: Option<&ModelExpr>,
        amount: &ModelExpr,
        call: &ModelCall<'_>,
    ) -> Result<Option<Cond>, Split> {
        let ty = self.memory.address();
        let (Some(p), Some(t)) = (call.values.get(arg), call.targets.get(arg)) else { return Ok(None) };
        let Some(size) = call.number(amount, ty) else { return Ok(None) };
        let mut pointer = p.to(ty);
        let mut targets = t.clone();
        if let Some(o) = offset {
            match call.number(o, ty) {
                Some(o) => {
                    pointer = operate(BinaryOp::Add, ty, Overflow::Undefined, pointer, o);
                    targets = targets.anywhere();
                }
                None => return Ok(None),
            }
        }
        let negative = cmp(CmpOp::Lt, ty, size.clone(), constant(0, ty));
        let valid = self.memory.range_valid(state, &pointer, &targets, &size)?;
        Ok(Some(and(not(negative), valid)))
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
}

impl<'m> Builder<'_, 'm> {
    pub(in crate::translate) fn model(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        model: &'m Model,
    ) -> Result<Flow, Split> {
        let at = state.point();
        let span = state.span_of();
        self.values.note_call(state, instruction, model);
        let mut call = self.library.model_call(&mut self.values, state, instruction, model);
        for a in call.args {
            let targets = self.memory.targets(state, a);
            self.calls.hand_over(&targets);
        }
        if let Some((kind, text)) = &model.assumption {
            self.values.assume(state, *kind, &format!("{text} (`{}`)", model.name), span.clone());
        }
        if model.blocks {
            self.values.assume(state, AssumptionKind::Returns, &format!("`{}` returns", model.name), span.clone());
        }
        if !self.run_registered(state, &call) {
            return Ok(Flow::Done);
        }
        self.calls.arm(state, &call);
        if model.jumps {
            // Where to is not followed. It may also fail, or somebody may come back.
            let flag = IntType::unsigned(1);
            let strays = self.values.unknown(state, "goes elsewhere", flag, UnknownKind::Environment, None);
            if !self.control.beyond_unless(&mut self.values, state, not(low_bit(&strays))) {
                return Ok(Flow::Done);
            }
        }
        if model.jumps || model.again {
            self.calls.forget_everything(&mut self.values, state);
        }
        if !self.may_end(state, &call) {
            return Ok(Flow::Done);
        }
        if !self.meet_requirements(state, &mut call)? {
            return Ok(Flow::Done);
        }
        if let Some(set) = self.library.reads_stream(at) {
            if call.vague {
                self.values.assume(
                    state,
                    AssumptionKind::Arguments,
                    &format!("`{}` gets valid arguments", model.name),
                    span,
                );
            }
            self.read_ways(state.clone(), &call, set);
            return Ok(Flow::Done);
        }
        self.model_outcome(state, call)
    }

    /// A call that may end the run, or leave by an exception. Whether anything follows.
    fn may_end(&mut self, state: &mut State, call: &ModelCall<'_>) -> bool {
        let Some(end) = &call.model.ends else { return true };
        let when = match &end.when {
            When::Always => truth(true),
            When::Perhaps => {
                let u = self.values.unknown(state, "ends", IntType::unsigned(1), UnknownKind::Environment, None);
                low_bit(&u)
            }
            When::If(e) | When::PerhapsIf(e) => {
                let certain = matches!(end.when, When::If(_));
                let known = call.condition(e);
                match known {
                    Some(c) if certain => c,
                    known => {
                        let flag = IntType::unsigned(1);
                        let u = self.values.unknown(state, "ends", flag, UnknownKind::Environment, None);
                        and(known.unwrap_or(truth(true)), low_bit(&u))
                    }
                }
            }
        };
        match end.how {
            Ends::Trap => self.control.unless(state, not(when), Goto::Trap),
            Ends::Stop if call.waits(self.cx.flat.module) => {
                self.control.beyond_unless(&mut self.values, state, not(when))
            }
            Ends::Stop => self.control.unless(state, not(when), Goto::Stop),
            Ends::Throw => {
                let handler = self.cx.flat.handler(call.at);
                if handler.is_none() {
                    return self.control.unless(state, not(when), Goto::Trap);
                }
                if when == truth(true) {
                    self.unwind(state.clone(), handler);
                    return false;
                }
                // It may, and somebody catches it: the rest of the call follows only if it does not.
                let mut thrown = state.clone();
                thrown.restrict(when);
                self.emit_unwind(thrown, handler);
                true
            }
        }
    }

    /// Asks for what a call requires. Whether anything follows.
    fn meet_requirements(&mut self, state: &mut State, call: &mut ModelCall<'_>) -> Result<bool, Split> {
        for r in &call.model.requires {
            let ok = match r {
                Requirement::Condition(ModelExpr::Binary(ModelBinary::Ne, a, b))
                    if let (ModelExpr::Arg(n), ModelExpr::Number(0)) = (&**a, &**b)
                        && call.args.get(*n).is_some_and(|o| self.library.is_standard_stream(call.at, o)) =>
                {
                    Some(truth(true))
                }
                Requirement::Condition(e) => call.condition(e),
                Requirement::Readable { at, amount, up_to: false } => {
                    self.library.model_range(state, *at, None, amount, call)?
                }
                Requirement::Readable { .. } | Requirement::More => None,
                // `free` asks for itself.
                Requirement::Freeable(_) => Some(truth(true)),
                Requirement::String { at, limit, or_null, .. } => {
                    if !self.asks_for_string(state, *at, *or_null, limit.as_ref(), call) {
                        return Ok(false);
                    }
                    continue;
                }
                Requirement::Apart { .. } => None,
            };
            match ok {
                Some(ok) => {
                    if !self.control.require(state, ok) {
                        return Ok(false);
                    }
                }
                None => call.vague = true,
            }
        }
        Ok(true)
    }

    /// An argument must point to a string, or to so many bytes. Whether anything follows.
    fn asks_for_string(
        &mut self,
        state: &mut State,
        arg: usize,
        or_null: bool,
        limit: Option<&ModelExpr>,
        call: &mut ModelCall<'_>,
    ) -> bool {
        let (Some(p), Some(operand)) = (call.values.get(arg), call.args.get(arg)) else {
            call.vague = true;
            return true;
        };
        if string(self.cx.flat.module, operand).is_some() {
            return true;
        }
        let ty = self.memory.address();
        // No byte need be looked at where there is a limit.
        if !or_null && limit.is_none() {
            // Not every library traps: some calls fail where they get null.
            let there = not(cmp(CmpOp::Eq, ty, p.to(ty), constant(0, ty)));
            let ends = truth(!never_ends(self.cx.flat.module, operand));
            if !self.control.require(state, for_ends_only_unless(and(there, ends))) {
                return false;
            }
        }
        call.vague = true;
        true
    }

    /// What a defined call does and returns.
    pub(super) fn model_outcome(&mut self, state: &mut State, mut call: ModelCall<'_>) -> Result<Flow, Split> {
        let flat = self.cx.flat;
        let (at, model, instruction) = (call.at, call.model, call.instruction);
        let result = flat.value(at.instance, instruction.id);
        let span = state.span_of();
        let (plain, read) = parts(&model.returns);
        let returns = match call.outcome {
            None => &model.returns,
            Some(Outcome::Plain(n)) => plain.get(n).map_or(&model.returns, |(_, r)| r),
            Some(_) => read,
        };
        // What comes back, before what happens to memory: effects may speak of it.
        let value = if model.c_locale && self.cx.handlers.sets_locale {
            self.values.any(state, &instruction.ty, UnknownKind::Environment)
        } else {
            let Some(value) = self.model_returns(state, returns, &call)? else {
                return Ok(Flow::Done);
            };
            value
        };
        if model.c_locale && !self.cx.whole {
            self.values.assume(state, AssumptionKind::Locale, "the locale is that of C", span.clone());
        }
        call.result = match &value {
            Sym::Num(n) => Some(n.clone()),
            _ => None,
        };
        self.memory.forget_kept(&mut self.values, state, model);
        for effect in &model.effects {
            match effect {
                Effect::Writes(w) => {
                    if !self.model_write(state, w, &mut call)? {
                        return Ok(Flow::Done);
                    }
                }
                Effect::Frees(a) => {
                    let (Some(p), Some(t)) = (call.values.get(*a), call.targets.get(*a)) else { continue };
                    let pointer = p.to(self.memory.address());
                    let targets = t.clone();
                    if !self.free(state, &pointer, &targets)? {
                        return Ok(Flow::Done);
                    }
                }
                Effect::Calls(a) => {
                    let targets = call.targets.get(*a).cloned().unwrap_or_default();
                    if !self.called_back(state, model, &targets) {
                        return Ok(Flow::Done);
                    }
                }
                Effect::Keeps(a) => {
                    let targets = call.targets.get(*a).cloned().unwrap_or_default();
                    self.memory.forget_all(&mut self.values, state, &targets, UnknownKind::Environment);
                }
                // What was registered runs later: see `run_registered` and `callbacks`.
                Effect::Registers(f, Occasion::Exit) if call.is_null(*f) => {
                    if !self.control.require(state, for_ends_only()) {
                        return Ok(Flow::Done);
                    }
                }
                Effect::Registers(..) | Effect::GivesAway(_) => {}
                Effect::Prints(format) => {
                    if !self.print(state, *format, &mut call) {
                        return Ok(Flow::Done);
                    }
                    if call.args.get(*format).is_none_or(|f| may_count(flat.module, f)) {
                        for t in call.targets.iter().skip(model.params.len()).cloned().collect::<Vec<_>>() {
                            self.memory.forget_all(&mut self.values, state, &t, UnknownKind::Environment);
                        }
                        // A list of arguments has its pointers where nobody sees them.
                        self.memory.forget_escaped(&mut self.values, state, Reach::Escaped);
                    }
                }
                Effect::Scans(format, kind) => {
                    let parsed = call.args.get(*format).and_then(|f| string(flat.module, f));
                    let parsed = parsed.and_then(|t| Format::parse(t, Family::Scans));
                    let given = call.args.len().saturating_sub(model.params.len());
                    let few = model.variadic && parsed.is_some_and(|p| p.pointers() > given);
                    if few && !self.control.require(state, for_ends_only()) {
                        return Ok(Flow::Done);
                    }
                    self.scan(state, *format, *kind, &call)?;
                }
                Effect::ChangesThrough(a) | Effect::FreesThrough(a) => {
                    let targets = call.targets.get(*a).cloned().unwrap_or_default();
                    if !targets.is_empty() {
                        self.memory.forget_escaped(&mut self.values, state, Reach::Escaped);
                    }
                }
                Effect::ChangesThroughRest | Effect::ChangesMemory => {
                    self.memory.forget_escaped(&mut self.values, state, Reach::Escaped);
                }
            }
        }
        self.library.move_as_said(&mut self.values, state, at);
        if call.vague {
            self.values.assume(
                state,
                AssumptionKind::Arguments,
                &format!("`{}` gets valid arguments", model.name),
                span,
            );
        }
        state.set_value(result, value);
        Ok(Flow::On)
    }

    fn model_write(&mut self, state: &mut State, w: &Write, call: &mut ModelCall<'_>) -> Result<bool, Split> {
        let chosen = call.chooses_bytes();
        let ty = self.memory.address();
        let stream = w.content == Content::Unknown(Kind::Stream);
        if stream && matches!(call.outcome, Some(Outcome::End | Outcome::NoNumber)) {
            return Ok(true);
        }
        let (Some(p), Some(targets)) = (call.values.get(w.to).cloned(), call.targets.get(w.to).cloned()) else {
            return Ok(true);
        };
        let pointer = p.to(ty);
        let amount = w.amount.as_ref().and_then(|n| call.number(n, ty));
        let exact = match &amount {
            Some(Expr::Const(n, _))
                if (!w.up_to || stream && chosen) && w.offset.is_none() && w.condition.is_none() =>
            {
                u64::try_from(n.clone()).ok()
            }
            _ => None,
        };
        if let Some(n) = exact {
            match w.content {
                Content::Zero => {
                    return self.fill(state, (&pointer, &targets), &Num::constant(0, IntType::unsigned(8)), n);
                }
                Content::Byte(a) => {
                    if let Some(byte) = call.values.get(a).cloned() {
                        return self.fill(state, (&pointer, &targets), &byte, n);
                    }
                }
                Content::CopyOf(a) => {
                    if let (Some(from), Some(t)) = (call.values.get(a), call.targets.get(a).cloned()) {
                        let source = from.to(ty);
                        return self.copy(state, (&pointer, &targets), (&source, &t), n);
                    }
                }
                Content::Unknown(kind) if n <= 16 => {
                    // A value of its own, as large as what is written, if there is a place of that size.
                    let resolved = self
                        .memory
                        .resolve(state, Access { pointer: &pointer, targets: &targets, size: n, align: 1, ty: None })?;
                    if resolved.is_followed() {
                        let value = IntType::unsigned(u32::try_from(n * 8).unwrap_or(8));
                        // Where an object is nobody can choose: what the program reads as an address is the environment's.
                        let number = !self.memory.holds_addresses(&targets);
                        let kind = match kind_of(kind) {
                            _ if stream && chosen && number => UnknownKind::Input,
                            UnknownKind::Input if !number => UnknownKind::Environment,
                            _ if stream => UnknownKind::Environment,
                            kind => kind,
                        };
                        let u = self.values.unknown(state, "written", value, kind, None);
                        if kind == UnknownKind::Input && stream {
                            self.library.note_piece(&mut self.values, &u, Piece::Bytes(n), state.at);
                        }
                        if !self.is_valid(state, &[&targets], resolved.valid.clone()) {
                            return Ok(false);
                        }
                        self.memory.write(&mut self.values, state, &resolved, n, &u)?;
                        return Ok(true);
                    }
                }
                _ => {}
            }
        }
        // That the bytes are there is asked for where their number is known.
        match (&w.amount, &w.condition) {
            (Some(n), None) if !w.up_to => match self.library.model_range(state, w.to, w.offset.as_ref(), n, call)? {
                Some(ok) => {
                    if !self.control.require(state, ok) {
                        return Ok(false);
                    }
                }
                None => call.vague = true,
            },
            (None, None) if let Some(least) = call.printed => {
                // The characters, and the zero byte behind them.
                let amount = ModelExpr::Number(i128::from(least) + 1);
                if let Some(ok) = self.library.model_range(state, w.to, w.offset.as_ref(), &amount, call)?
                    && !self.control.require(state, for_ends_only_unless(ok))
                {
                    return Ok(false);
                }
                call.vague = true;
            }
            _ => call.vague = true,
        }
        // Not all of it may be new: what is written is not a matter of choice then.
        self.memory.forget_all(&mut self.values, state, &targets, UnknownKind::Abstraction);
        Ok(true)
    }

    /// `printf`: the arguments are those that a constant format needs. Whether anything follows.
    fn print(&mut self, state: &mut State, format: usize, call: &mut ModelCall<'_>) -> bool {
        let module = self.cx.flat.module;
        let parsed =
            call.args.get(format).and_then(|f| string(module, f)).and_then(|t| Format::parse(t, Family::Prints));
        let (Some(parsed), true) = (parsed, call.model.variadic) else {
            call.vague = true;
            return true;
        };
        let function = self.cx.flat.function(call.at.instance);
        let given = &call.args[call.model.params.len().min(call.args.len())..];
        let types: Vec<_> = given.iter().map(|a| operand_type(function, a)).collect();
        if !parsed.fits(&types, module.pointer_bits) && !self.control.require(state, for_ends_only()) {
            return false;
        }
        for n in parsed.strings() {
            let Some(s) = given.get(n) else { continue };
            if (call.is_null(call.model.params.len() + n) || never_ends(module, s))
                && !self.control.require(state, for_ends_only())
            {
                return false;
            }
            call.vague |= string(module, s).is_none();
        }
        call.printed = Some(parsed.least(|n, letter| match (letter, given.get(n)?) {
            (b's', s) => string(module, s).map(|text| text.len() as u64),
            (b'd' | b'i', Operand::Constant(Constant::Int(32, bits))) => {
                Some(u32::try_from(*bits).ok()?.cast_signed().to_string().len() as u64)
            }
            (b'u', Operand::Constant(Constant::Int(32, bits))) => Some(bits.to_string().len() as u64),
            _ => None,
        }));
        true
    }

    /// `scanf`: each further argument gets an input, or keeps its value.
    fn scan(&mut self, state: &mut State, format: usize, kind: Kind, call: &ModelCall<'_>) -> Result<(), Split> {
        if let Some(Outcome::End | Outcome::AnyEnd | Outcome::NoNumber) = call.outcome {
            return Ok(());
        }
        let numbers = match call.outcome {
            Some(Outcome::Given) => self.library.plain_numbers(call).unwrap_or_default(),
            _ => Vec::new(),
        };
        let sizes = call.args.get(format).and_then(|f| self.library.scan_sizes(f)).unwrap_or_default();
        let ty = self.memory.address();
        let first = call.model.params.len();
        for n in first..call.args.len() {
            let (Some(p), Some(targets)) = (call.values.get(n), call.targets.get(n)) else { continue };
            let (pointer, targets) = (p.to(ty), targets.clone());
            let chosen = numbers.get(n - first).map(|(letter, size)| {
                let ty = IntType::unsigned(u32::try_from(size * 8).unwrap_or(8));
                let new = self.values.unknown(state, "scanned", ty, UnknownKind::Input, None);
                self.library.note_piece(&mut self.values, &new, Piece::Number(*letter), state.at);
                new
            });
            if let Some(Some(size)) = sizes.get(n - first) {
                let resolved = self
                    .memory
                    .resolve(state, Access { pointer: &pointer, targets: &targets, size: *size, align: 1, ty: None })?;
                if resolved.is_followed() {
                    let old = self.memory.read(&mut self.values, state, &resolved, *size)?;
                    let value = IntType::unsigned(u32::try_from(size * 8).unwrap_or(8));
                    if let Some(new) = chosen {
                        // All conversions of a plain stream are done.
                        if !self.is_valid(state, &[&targets], resolved.valid.clone()) {
                            return Ok(());
                        }
                        self.memory.write(&mut self.values, state, &resolved, *size, &new)?;
                        continue;
                    }
                    let new = self.values.unknown(state, "scanned", value, kind_of(kind), None);
                    let flag = IntType::unsigned(1);
                    let done = self.values.unknown(state, "read", flag, kind_of(kind), None);
                    if !self.is_valid(state, &[&targets], resolved.valid.clone()) {
                        return Ok(());
                    }
                    let common = old.ty;
                    let both = Num::new(ite(low_bit(&done), new.to(common), old.to(common)), common);
                    self.memory.write(&mut self.values, state, &resolved, *size, &both)?;
                    continue;
                }
            }
            self.memory.forget_all(&mut self.values, state, &targets, UnknownKind::Abstraction);
        }
        Ok(())
    }
}

/// Whether a format of the `printf` family may have a `%n`, which writes.
pub(in crate::translate) fn may_count(module: &crate::module::Module, format: &Operand) -> bool {
    string(module, format).and_then(|text| Format::parse(text, Family::Prints)).is_none_or(|f| f.counts())
}

pub(super) fn kind_of(kind: Kind) -> UnknownKind {
    match kind {
        Kind::Input => UnknownKind::Input,
        // What a stream gives is a choice only where `streams` has followed what was read of it.
        Kind::Stream | Kind::Environment | Kind::Time => UnknownKind::Environment,
    }
}

/// What a model returns, without the question whether it works.
pub(in crate::translate) fn core_of(returns: &Returns) -> &Returns {
    match returns {
        Returns::OrNull(_, inner) | Returns::Read { data: inner, .. } => core_of(inner),
        Returns::If(_, yes, no) => match core_of(yes) {
            fresh @ (Returns::Fresh { .. } | Returns::Moved { .. }) => fresh,
            _ => core_of(no),
        },
        other => other,
    }
}

/// An amount that the constant arguments of a call decide.
pub(in crate::translate) fn constant_amount(e: &ModelExpr, args: &[Operand]) -> Option<u64> {
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

pub(super) fn model_at<'m>(cx: &Context<'m>, at: Point) -> Option<(&'m Model, &'m [Operand])> {
    let instruction = cx.flat.instruction(at)?;
    let Op::Call { callee, args, .. } = &instruction.op else { return None };
    match cx.model_use(at, callee) {
        ModelUse::Model(m) => Some((m, args)),
        _ => None,
    }
}

/// The size of the object that a call makes, if it is constant.
pub(in crate::translate) fn heap_size(cx: &Context<'_>, at: Point) -> Option<u64> {
    let (model, args) = model_at(cx, at)?;
    match core_of(&model.returns) {
        Returns::Fresh { size, .. } | Returns::Moved { size, .. } => constant_amount(size, args),
        _ => None,
    }
}

/// Whether a call gives something of the library that the program only hands on.
pub(in crate::translate) fn is_handle(cx: &Context<'_>, at: Point) -> bool {
    model_at(cx, at).is_some_and(|(model, _)| matches!(core_of(&model.returns), Returns::Handle))
}

/// For an object of the library that a call gives a pointer to and that is no handle and no table: whether it may change at
/// any time.
pub(in crate::translate) fn is_static(cx: &Context<'_>, kind: ObjectKind) -> Option<bool> {
    let ObjectKind::Library(at, false) = kind else { return None };
    let (model, _) = model_at(cx, at)?;
    match core_of(&model.returns) {
        Returns::Static { volatile, .. } => Some(*volatile),
        _ => None,
    }
}

/// The size of an object of the library.
pub(in crate::translate) fn library_size(cx: &Context<'_>, at: Point, pointer: bool) -> Option<u64> {
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
