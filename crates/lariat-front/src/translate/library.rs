//! Functions with a model: what the table says, applied to a call.

use super::arith::{Num, Sym, and, bit, cmp, constant, ite, low_bit, not, operate, or, truth};
use super::build::{Builder, Flow, Split, State};
use super::flat::{Point, index};
use super::points::{ObjectKind, Offsets, Targets, constant_of};
use super::streams::{Outcome, parts};
use super::values::operand_type;
use super::{Context, ModelUse, bits_of};
use crate::models::{
    BinaryOp as ModelBinary, Content, Effect, Ends, Expr as ModelExpr, Kind, Model, Requirement, Returns,
    UnaryOp as ModelUnary, When, Write,
};
use crate::module::{Callee, Constant, FloatKind, Instruction, Op, Operand, Type};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, Goto, IntType, Overflow, Piece};

impl<'m> Builder<'_, 'm> {
    pub(super) fn model(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        model: &'m Model,
        args: &[Operand],
    ) -> Result<Flow, Split> {
        let flat = self.cx.flat;
        let at = state.point();
        let span = state.span_of();
        self.note_call(state, instruction, model);
        let cx = self.model_call(state, model, args);
        for a in args {
            let targets = self.targets(state, a);
            self.hand_over(&targets);
        }
        if let Some(text) = &model.assumption {
            self.assume(state, &format!("{text} (`{}`)", model.name), span.clone());
        }
        if model.blocks {
            self.assume(state, &format!("`{}` returns", model.name), span.clone());
        }
        if !self.run_registered(state, model, &cx) {
            return Ok(Flow::Done);
        }
        self.arm(state, model, &cx);
        if model.jumps {
            // Where to is not followed. It may also fail, or somebody may come back.
            let flag = IntType::unsigned(1);
            let strays = self.unknown(state, "goes elsewhere", flag, UnknownKind::Environment, None);
            if !self.beyond_unless(state, not(low_bit(&strays))) {
                return Ok(Flow::Done);
            }
        }
        if model.jumps || model.again {
            self.forget_everything(state);
        }
        if let Some(end) = &model.ends {
            let when = match &end.when {
                When::Always => truth(true),
                When::Perhaps => {
                    let u = self.unknown(state, "ends", IntType::unsigned(1), UnknownKind::Environment, None);
                    low_bit(&u)
                }
                When::If(e) | When::PerhapsIf(e) => {
                    let certain = matches!(end.when, When::If(_));
                    let known = self.model_condition(e, &cx);
                    match known {
                        Some(c) if certain => c,
                        known => {
                            let flag = IntType::unsigned(1);
                            let u = self.unknown(state, "ends", flag, UnknownKind::Environment, None);
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
                Requirement::Condition(ModelExpr::Binary(ModelBinary::Ne, a, b))
                    if let (ModelExpr::Arg(n), ModelExpr::Number(0)) = (&**a, &**b)
                        && args.get(*n).is_some_and(|o| self.is_standard_stream(at, o)) =>
                {
                    Some(truth(true))
                }
                Requirement::Condition(e) => self.model_condition(e, &cx),
                Requirement::Readable { at, amount, up_to: false } => {
                    self.model_range(state, *at, None, amount, &cx)?
                }
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
        if let Some(set) = self.reads_stream(at) {
            if vague {
                self.assume(state, &format!("`{}` gets valid arguments", model.name), span);
            }
            self.read_ways(state.clone(), model, &cx, set);
            return Ok(Flow::Done);
        }
        self.model_outcome(state, instruction, model, cx, vague)
    }

    /// The arguments of a call.
    pub(super) fn model_call<'a>(&mut self, state: &mut State, model: &Model, args: &'a [Operand]) -> ModelCall<'a> {
        let function = self.cx.flat.function(state.point().instance);
        let mut values = Vec::new();
        for (n, a) in args.iter().enumerate() {
            let ty = operand_type(function, a);
            let mut v = self.number(state, a, &ty);
            // An argument is read by the type that the function takes.
            if let (Some(p), Type::Int(w)) = (model.params.get(n), &ty)
                && let Some(t) = p.ty
                && *w <= 128
            {
                v = v.read_as(IntType { width: *w, signed: t.signed() });
            }
            values.push(v);
        }
        let targets = args.iter().map(|a| self.targets(state, a)).collect();
        ModelCall { values, targets, args, result: None, outcome: None }
    }

    /// What a defined call does and returns.
    pub(super) fn model_outcome(
        &mut self,
        state: &mut State,
        instruction: &'m Instruction,
        model: &'m Model,
        mut cx: ModelCall<'_>,
        mut vague: bool,
    ) -> Result<Flow, Split> {
        let flat = self.cx.flat;
        let at = state.point();
        let result = flat.value(at.instance, instruction.id);
        let span = state.span_of();
        let (plain, read) = parts(&model.returns);
        let returns = match cx.outcome {
            None => &model.returns,
            Some(Outcome::Plain(n)) => plain.get(n).map_or(&model.returns, |(_, r)| r),
            Some(_) => read,
        };
        // What comes back, before what happens to memory: effects may speak of it.
        let value = if model.c_locale && self.cx.handlers.sets_locale {
            self.any(state, &instruction.ty, UnknownKind::Environment)
        } else {
            let Some(value) = self.model_returns(state, at, returns, model, instruction, &cx)? else {
                return Ok(Flow::Done);
            };
            value
        };
        if model.c_locale && !self.cx.whole {
            self.assume(state, "the locale is that of C", span.clone());
        }
        cx.result = match &value {
            Sym::Num(n) => Some(n.clone()),
            _ => None,
        };
        self.forget_kept(state, model);
        for effect in &model.effects {
            match effect {
                Effect::Writes(w) => {
                    let chosen = self.chooses_bytes(model, &cx);
                    if !self.model_write(state, w, &cx, chosen, &mut vague)? {
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
                Effect::Calls(a) => {
                    let targets = cx.targets.get(*a).cloned().unwrap_or_default();
                    if !self.called_back(state, model, &targets) {
                        return Ok(Flow::Done);
                    }
                }
                Effect::Keeps(a) => {
                    let targets = cx.targets.get(*a).cloned().unwrap_or_default();
                    self.forget_all(state, &targets, UnknownKind::Environment);
                }
                // What was registered runs later: see `run_registered` and `callbacks`.
                Effect::Registers(..) | Effect::GivesAway(_) => {}
                Effect::Prints(format) => {
                    vague = true;
                    if cx.args.get(*format).is_none_or(|f| may_count(flat.module, f)) {
                        for t in cx.targets.iter().skip(model.params.len()).cloned().collect::<Vec<_>>() {
                            self.forget_all(state, &t, UnknownKind::Environment);
                        }
                        // A list of arguments has its pointers where nobody sees them.
                        self.forget_escaped(state, false);
                    }
                }
                Effect::Scans(format, kind) => self.scan(state, *format, *kind, model, &cx)?,
                Effect::ChangesThrough(a) | Effect::FreesThrough(a) => {
                    let targets = cx.targets.get(*a).cloned().unwrap_or_default();
                    if !targets.is_empty() {
                        self.forget_escaped(state, false);
                    }
                }
                Effect::ChangesThroughRest | Effect::ChangesMemory => self.forget_escaped(state, false),
            }
        }
        self.move_as_said(state, at);
        if vague {
            self.assume(state, &format!("`{}` gets valid arguments", model.name), span);
        }
        state.set_value(result, value);
        Ok(Flow::On)
    }

    /// A number of the table over the arguments, exact; nothing where it is not known.
    pub(super) fn model_number(&self, e: &ModelExpr, cx: &ModelCall<'_>, ty: IntType) -> Option<Expr> {
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

    pub(super) fn model_condition(&self, e: &ModelExpr, cx: &ModelCall<'_>) -> Option<Cond> {
        let ty = self.address();
        // Numbers of at most 32 bits are compared as 64, so that every value of every type has its place.
        let wide = if ty.width < 64 { IntType::signed(64) } else { ty };
        Some(match e {
            ModelExpr::Unary(ModelUnary::Not, a) => not(self.model_condition(a, cx)?),
            ModelExpr::Binary(ModelBinary::And, a, b) => {
                and(self.model_condition(a, cx)?, self.model_condition(b, cx)?)
            }
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
    pub(super) fn model_range(
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

    pub(super) fn model_write(
        &mut self,
        state: &mut State,
        w: &Write,
        cx: &ModelCall<'_>,
        chosen: bool,
        vague: &mut bool,
    ) -> Result<bool, Split> {
        let ty = self.address();
        let stream = w.content == Content::Unknown(Kind::Stream);
        if stream && matches!(cx.outcome, Some(Outcome::End | Outcome::NoNumber)) {
            return Ok(true);
        }
        let (Some(p), Some(targets)) = (cx.values.get(w.to).cloned(), cx.targets.get(w.to).cloned()) else {
            return Ok(true);
        };
        let pointer = p.to(ty);
        let amount = w.amount.as_ref().and_then(|n| self.model_number(n, cx, ty));
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
                    if let Some(byte) = cx.values.get(a).cloned() {
                        return self.fill(state, (&pointer, &targets), &byte, n);
                    }
                }
                Content::CopyOf(a) => {
                    if let (Some(from), Some(t)) = (cx.values.get(a), cx.targets.get(a).cloned()) {
                        let source = from.to(ty);
                        return self.copy(state, (&pointer, &targets), (&source, &t), n);
                    }
                }
                Content::Unknown(kind) if n <= 16 => {
                    // A value of its own, as large as what is written, if there is a place of that size.
                    let resolved = self.resolve(state, &pointer, &targets, n, 1)?;
                    let lost = resolved.spots.iter().any(|s| matches!(s.place, super::memory::Place::Lost(_)));
                    if !lost && !resolved.spots.is_empty() {
                        let value = IntType::unsigned(u32::try_from(n * 8).unwrap_or(8));
                        let kind = if stream && chosen { UnknownKind::Input } else { kind_of(kind) };
                        let u = self.unknown(state, "written", value, kind, None);
                        if kind == UnknownKind::Input && stream {
                            self.note_piece(&u, Piece::Bytes(n), state.at);
                        }
                        if !self.require(state, resolved.valid.clone()) {
                            return Ok(false);
                        }
                        self.write(state, &resolved, n, &u)?;
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
        self.forget_all(state, &targets, UnknownKind::Abstraction);
        Ok(true)
    }

    /// `scanf`: each further argument gets an input, or keeps its value.
    pub(super) fn scan(
        &mut self,
        state: &mut State,
        format: usize,
        kind: Kind,
        model: &Model,
        cx: &ModelCall<'_>,
    ) -> Result<(), Split> {
        if let Some(Outcome::End | Outcome::AnyEnd | Outcome::NoNumber) = cx.outcome {
            return Ok(());
        }
        let numbers = match cx.outcome {
            Some(Outcome::Given) => self.plain_numbers(model, cx).unwrap_or_default(),
            _ => Vec::new(),
        };
        let sizes = cx.args.get(format).and_then(|f| self.scan_sizes(f)).unwrap_or_default();
        let ty = self.address();
        let first = model.params.len();
        for n in first..cx.args.len() {
            let (Some(p), Some(targets)) = (cx.values.get(n), cx.targets.get(n)) else { continue };
            let (pointer, targets) = (p.to(ty), targets.clone());
            let _k = index(n);
            let chosen = numbers.get(n - first).map(|(letter, size)| {
                let ty = IntType::unsigned(u32::try_from(size * 8).unwrap_or(8));
                let new = self.unknown(state, "scanned", ty, UnknownKind::Input, None);
                self.note_piece(&new, Piece::Number(*letter), state.at);
                new
            });
            if let Some(Some(size)) = sizes.get(n - first) {
                let resolved = self.resolve(state, &pointer, &targets, *size, 1)?;
                let lost = resolved.spots.iter().any(|s| matches!(s.place, super::memory::Place::Lost(_)));
                if !lost && !resolved.spots.is_empty() {
                    let old = self.read(state, &resolved, *size)?;
                    let value = IntType::unsigned(u32::try_from(size * 8).unwrap_or(8));
                    if let Some(new) = chosen {
                        // All conversions of a plain stream are done.
                        if !self.require(state, resolved.valid.clone()) {
                            return Ok(());
                        }
                        self.write(state, &resolved, *size, &new)?;
                        continue;
                    }
                    let new = self.unknown(state, "scanned", value, kind_of(kind), None);
                    let flag = IntType::unsigned(1);
                    let done = self.unknown(state, "read", flag, kind_of(kind), None);
                    if !self.require(state, resolved.valid.clone()) {
                        return Ok(());
                    }
                    let common = old.ty;
                    let both = Num::new(ite(low_bit(&done), new.to(common), old.to(common)), common);
                    self.write(state, &resolved, *size, &both)?;
                    continue;
                }
            }
            self.forget_all(state, &targets, UnknownKind::Abstraction);
        }
        Ok(())
    }

    /// How many bytes each conversion of a constant format stores; nothing for what stores a string.
    pub(super) fn scan_sizes(&self, format: &Operand) -> Option<Vec<Option<u64>>> {
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
    pub(super) fn model_returns(
        &mut self,
        state: &mut State,
        at: Point,
        returns: &Returns,
        model: &Model,
        instruction: &Instruction,
        cx: &ModelCall<'_>,
    ) -> Result<Option<Sym>, Split> {
        let ty = self.address();
        let width = bits_of(&instruction.ty, self.cx.flat.module);
        let scalar = matches!(instruction.ty, Type::Int(_) | Type::Ptr) && width <= 128;
        if !scalar {
            // A number that is an input may have every pattern.
            let followed = matches!(instruction.ty, Type::Float(FloatKind::Single | FloatKind::Double));
            let promises = matches!(instruction.op, Op::Call { fast: true, .. });
            if let Returns::Value { kind: Kind::Input, low: None, high: None } = returns
                && followed
                && !promises
            {
                let name = self.callee_name(instruction).unwrap_or_else(|| model.name.clone());
                let input = self.unknown(state, &name, IntType::unsigned(width), UnknownKind::Input, None);
                self.note_float(&input);
                return Ok(Some(Sym::Num(input)));
            }
            // Nothing, another float, or a struct. A call for its effect only still has it.
            return Ok(Some(self.any(state, &instruction.ty, UnknownKind::Environment)));
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
            Returns::Nothing => self.any(state, &instruction.ty, UnknownKind::Environment),
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
                // How many conversions of a format are done is not a choice of its own.
                let scans = model.effects.iter().any(|e| matches!(e, Effect::Scans(..)));
                let chosen = *kind == Kind::Stream && cx.outcome == Some(Outcome::Given) && !scans;
                let missing = self.opens_alone(at, returns);
                let (kind, ranged) = match ranged {
                    ranged if chosen => (UnknownKind::Input, Self::chosen_range(ranged, int, high.is_some())),
                    Some((_, most)) if missing => (kind_of(*kind), Some((IBig::ZERO, most))),
                    ranged => (kind_of(*kind), ranged),
                };
                let u = self.unknown(state, &name, int, kind, ranged);
                if chosen {
                    let piece = self.piece_of(returns, model, cx);
                    self.note_piece(&u, piece, at);
                }
                let mut e = u.expr;
                if missing {
                    let gone = self.unknown(state, "missing", IntType::unsigned(1), UnknownKind::Input, None);
                    self.note_piece(&gone, Piece::Missing, at);
                    e = ite(low_bit(&gone), constant(-1, int), e);
                }
                if let Some(Some(h)) = &high
                    && !matches!(h, Expr::Const(..))
                {
                    let mut within = cmp(CmpOp::Le, int, e.clone(), h.clone());
                    // Where there is nothing between the bounds nothing is promised: `read` with a size beyond all sizes.
                    if let Some(Some(l)) = &low {
                        within = or(within, cmp(CmpOp::Lt, int, h.clone(), l.clone()));
                    }
                    e = ite(within, e, h.clone());
                }
                if let Some(Some(l)) = &low
                    && !matches!(l, Expr::Const(..))
                {
                    let mut within = cmp(CmpOp::Ge, int, e.clone(), l.clone());
                    if let Some(Some(h)) = &high {
                        within = or(within, cmp(CmpOp::Lt, int, h.clone(), l.clone()));
                    }
                    e = ite(within, e, l.clone());
                }
                if width == 1 { Sym::Cond(low_bit(&Num::new(e, int))) } else { Sym::Num(Num::new(e, int)) }
            }
            Returns::Exactly(e) => match self.model_number(e, cx, int) {
                Some(value) => {
                    let num = Num::new(value, int);
                    if width == 1 { Sym::Cond(low_bit(&num)) } else { Sym::Num(num) }
                }
                None => self.any(state, &instruction.ty, UnknownKind::Environment),
            },
            Returns::Fresh { size, content } => {
                let size = self.model_number(size, cx, ty);
                let Some(size) = size else {
                    return Ok(Some(self.any(state, &instruction.ty, UnknownKind::Environment)));
                };
                // For an object that is larger than this there are no model addresses.
                let limit = constant(self.largest_at(at), ty);
                let fits =
                    and(cmp(CmpOp::Ge, ty, size.clone(), constant(0, ty)), cmp(CmpOp::Le, ty, size.clone(), limit));
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
                    return Ok(Some(self.any(state, &instruction.ty, UnknownKind::Environment)));
                };
                let limit = constant(self.largest_at(at), ty);
                if !self.beyond_unless(state, cmp(CmpOp::Le, ty, size.clone(), limit)) {
                    return Ok(None);
                }
                let (Some(old), Some(targets)) = (cx.values.get(*from), cx.targets.get(*from).cloned()) else {
                    return Ok(Some(self.any(state, &instruction.ty, UnknownKind::Environment)));
                };
                let pointer = old.to(ty);
                if !self.free(state, &pointer, &targets)? {
                    return Ok(None);
                }
                let Some(fresh) = self.allocate(state, at, &size, Content::Uninitialised) else { return Ok(None) };
                // What was copied is not followed.
                if let Some(id) = self.points.known(ObjectKind::Heap(at)) {
                    self.forget(state, id, UnknownKind::Abstraction);
                }
                Sym::Num(fresh)
            }
            Returns::Within(a) => {
                let (Some(p), Some(_)) = (cx.values.get(*a), cx.targets.get(*a)) else {
                    return Ok(Some(self.any(state, &instruction.ty, UnknownKind::Environment)));
                };
                let largest = self.largest();
                let by = self.unknown(state, "distance", ty, UnknownKind::Environment, Some((IBig::ZERO, largest)));
                let span = state.span_of();
                self.assume(state, &format!("`{}` returns a pointer into its argument", model.name), span);
                Sym::Num(Num::new(operate(BinaryOp::Add, ty, Overflow::Undefined, p.to(ty), by.expr), ty))
            }
            Returns::Static { .. } | Returns::Handle => {
                let Some(id) = self.points.known(ObjectKind::Library(at, false)) else {
                    return Ok(Some(self.any(state, &instruction.ty, UnknownKind::Environment)));
                };
                if matches!(returns, Returns::Static { .. }) {
                    self.forget(state, id, UnknownKind::Environment);
                }
                Sym::Num(Num::constant(self.memory.object(id).base.clone(), ty))
            }
            Returns::Table { entry, low, .. } => {
                let ids = (
                    self.points.known(ObjectKind::Library(at, true)),
                    self.points.known(ObjectKind::Library(at, false)),
                );
                let (Some(pointer), Some(table)) = ids else {
                    return Ok(Some(self.any(state, &instruction.ty, UnknownKind::Environment)));
                };
                let size = i64::try_from(entry.bytes(self.cx.options.data_model).unwrap_or(1)).unwrap_or(1);
                let zero = &self.memory.object(table).base - IBig::from(low * size);
                let at = constant(self.memory.object(pointer).base.clone(), ty);
                let targets = Targets([(pointer, Offsets::Exact(vec![0]))].into());
                let bytes = u64::from(ty.width / 8);
                let resolved = self.resolve(state, &at, &targets, bytes, 1)?;
                if !resolved.spots.is_empty() {
                    self.write(state, &resolved, bytes, &Num::constant(zero, ty))?;
                }
                Sym::Num(Num::new(at, ty))
            }
            Returns::OrNull(kind, inner) => {
                let before = state.clone();
                let Some(value) = self.model_returns(state, at, inner, model, instruction, cx)? else {
                    return Ok(None);
                };
                let chosen = matches!(**inner, Returns::Handle) && self.streams.opens(at);
                let kind = if chosen { UnknownKind::Input } else { kind_of(*kind) };
                let flag = self.unknown(state, &format!("{} fails", model.name), IntType::unsigned(1), kind, None);
                if chosen {
                    self.note_piece(&flag, Piece::Missing, at);
                }
                let works = not(low_bit(&flag));
                let Sym::Num(n) = value else { return Ok(Some(value)) };
                if let Returns::Fresh { .. } | Returns::Moved { .. } = core_of(inner) {
                    self.keep_if(state, &before, &works);
                }
                Sym::Num(Num::new(ite(works, n.to(ty), constant(0, ty)), ty))
            }
            Returns::Read { .. } => {
                return self.read_result(state, at, returns, (model, instruction), cx, int);
            }
            Returns::If(c, yes, no) => match self.model_condition(c, cx) {
                Some(Cond::Const(true)) => {
                    return self.model_returns(state, at, yes, model, instruction, cx);
                }
                Some(Cond::Const(false)) => {
                    return self.model_returns(state, at, no, model, instruction, cx);
                }
                c => {
                    let c = c.unwrap_or_else(|| {
                        let flag = IntType::unsigned(1);
                        let u = self.unknown(state, &model.name, flag, UnknownKind::Environment, None);
                        low_bit(&u)
                    });
                    let Some(a) = self.model_returns(state, at, yes, model, instruction, cx)? else {
                        return Ok(None);
                    };
                    let Some(b) = self.model_returns(state, at, no, model, instruction, cx)? else {
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
    pub(super) fn callee_name(&self, instruction: &Instruction) -> Option<String> {
        match &instruction.op {
            Op::Call { callee: Callee::Function(f), .. } => {
                Some(self.cx.flat.module.functions[f.0 as usize].shown().to_owned())
            }
            _ => None,
        }
    }
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
pub(super) struct ModelCall<'a> {
    values: Vec<Num>,
    targets: Vec<Targets>,
    args: &'a [Operand],
    result: Option<Num>,
    /// If it reads a stream, how that goes.
    pub(super) outcome: Option<Outcome>,
}

impl ModelCall<'_> {
    pub(super) fn args(&self) -> &[Operand] {
        self.args
    }
}

pub(super) fn kind_of(kind: Kind) -> UnknownKind {
    match kind {
        Kind::Input => UnknownKind::Input,
        // What a stream gives is a choice only where `streams` has followed what was read of it.
        Kind::Stream | Kind::Environment | Kind::Time => UnknownKind::Environment,
    }
}

/// What a model returns, without the question whether it works.
pub(super) fn core_of(returns: &Returns) -> &Returns {
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

pub(super) fn model_at<'m>(cx: &Context<'m>, at: Point) -> Option<(&'m Model, &'m [Operand])> {
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

/// Whether a call gives something of the library that the program only hands on.
pub(super) fn is_handle(cx: &Context<'_>, at: Point) -> bool {
    model_at(cx, at).is_some_and(|(model, _)| matches!(core_of(&model.returns), Returns::Handle))
}

/// For an object of the library that a call gives a pointer to and that is no handle and no table: whether it may change at
/// any time.
pub(super) fn is_static(cx: &Context<'_>, kind: ObjectKind) -> Option<bool> {
    let ObjectKind::Library(at, false) = kind else { return None };
    let (model, _) = model_at(cx, at)?;
    match core_of(&model.returns) {
        Returns::Static { volatile, .. } => Some(*volatile),
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
