//! What a call of a function with a model returns.

use crate::models::{Content, Effect, Expr as ModelExpr, Kind, Returns};
use crate::module::{FloatKind, Op, Type};
use crate::translate::bits_of;
use crate::translate::build::Builder;
use crate::translate::library::call::ModelCall;
use crate::translate::library::models::{core_of, kind_of};
use crate::translate::library::streams::{Outcome, chosen_range};
use crate::translate::memory::access::Access;
use crate::translate::points::{ObjectKind, Offsets, Targets};
use crate::translate::state::{Split, State};
use crate::translate::values::arith::{Num, Sym, and, bit, cmp, constant, ite, low_bit, not, operate, or, truth};
use dashu_int::IBig;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Overflow, Piece};
use lariat_ir::{AssumptionKind, UnknownKind};

impl Builder<'_, '_> {
    /// What a modelled call returns; nothing if nothing follows.
    pub(super) fn model_returns(
        &mut self,
        state: &mut State,
        returns: &Returns,
        call: &ModelCall<'_>,
    ) -> Result<Option<Sym>, Split> {
        let ty = self.memory.address();
        let Some(int) = self.result_type(returns, call) else {
            return Ok(Some(self.no_integer(state, returns, call)));
        };
        Ok(Some(match returns {
            Returns::Nothing => self.any_result(state, call),
            Returns::Value { .. } => self.returned_value(state, returns, call, int),
            Returns::Exactly(e) => match call.number(e, int) {
                Some(value) => as_result(value, int),
                None => self.any_result(state, call),
            },
            Returns::Fresh { size, content } => return Ok(self.returned_fresh(state, size, *content, call)),
            Returns::Moved { from, size } => return self.returned_moved(state, *from, size, call),
            Returns::Within(a) => {
                let (Some(p), Some(_)) = (call.values.get(*a), call.targets.get(*a)) else {
                    return Ok(Some(self.any_result(state, call)));
                };
                let range = Some((IBig::ZERO, self.memory.largest()));
                let by = self.values.unknown(state, "distance", ty, UnknownKind::Environment, range);
                let span = state.span_of();
                let text = format!("`{}` returns a pointer into its argument", call.model.name);
                self.values.assume(state, AssumptionKind::PointerInto, &text, span);
                Sym::Num(Num::new(operate(BinaryOp::Add, ty, Overflow::Undefined, p.to(ty), by.expr), ty))
            }
            Returns::Static { .. } | Returns::Handle => {
                let Some(id) = self.memory.known(ObjectKind::Library(call.at, false)) else {
                    return Ok(Some(self.any_result(state, call)));
                };
                if matches!(returns, Returns::Static { .. }) {
                    self.memory.forget(&mut self.values, state, id, UnknownKind::Environment);
                }
                Sym::Num(Num::constant(self.memory.object(id).base.clone(), ty))
            }
            Returns::Table { .. } => return self.returned_table(state, returns, call),
            Returns::OrNull(kind, inner) => return self.returned_or_null(state, *kind, inner, call),
            Returns::Read { .. } => return self.read_result(state, returns, call, int),
            Returns::If(c, yes, no) => match call.condition(c) {
                Some(Cond::Const(true)) => return self.model_returns(state, yes, call),
                Some(Cond::Const(false)) => return self.model_returns(state, no, call),
                c => {
                    let c = c.unwrap_or_else(|| {
                        let flag = IntType::unsigned(1);
                        let u = self.values.unknown(state, &call.model.name, flag, UnknownKind::Environment, None);
                        low_bit(&u)
                    });
                    let Some(a) = self.model_returns(state, yes, call)? else { return Ok(None) };
                    let Some(b) = self.model_returns(state, no, call)? else { return Ok(None) };
                    either(c, a, b, int)
                }
            },
        }))
    }

    fn any_result(&mut self, state: &mut State, call: &ModelCall<'_>) -> Sym {
        self.values.any(state, &call.instruction.ty, UnknownKind::Environment)
    }

    /// The type that the result is read as, if it is an integer or a pointer.
    fn result_type(&self, returns: &Returns, call: &ModelCall<'_>) -> Option<IntType> {
        let width = bits_of(&call.instruction.ty, self.cx.flat.module);
        if !matches!(call.instruction.ty, Type::Int(_) | Type::Ptr) || width > 128 {
            return None;
        }
        let signed = match call.model.result {
            None | Some(crate::models::Type::Any) => {
                let voted = self.cx.signs(self.cx.flat.instance(call.at.instance).function);
                let voted = voted.get(&call.instruction.id).copied();
                self.values.stored_sign(call.at.instance, call.instruction.id).or(voted).unwrap_or(true)
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
        Some(IntType { width, signed })
    }

    /// The result of a call that gives no integer.
    fn no_integer(&mut self, state: &mut State, returns: &Returns, call: &ModelCall<'_>) -> Sym {
        // A number that is an input may have every pattern.
        let ty = &call.instruction.ty;
        let followed = matches!(ty, Type::Float(FloatKind::Single | FloatKind::Double));
        let promises = matches!(call.instruction.op, Op::Call { fast: true, .. });
        if let Returns::Value { kind: Kind::Input, low: None, high: None } = returns
            && followed
            && !promises
        {
            let name = self.cx.callee_name(call.instruction).unwrap_or_else(|| call.model.name.clone());
            let pattern = IntType::unsigned(bits_of(ty, self.cx.flat.module));
            let input = self.values.unknown(state, &name, pattern, UnknownKind::Input, None);
            self.values.note_float(&input);
            return Sym::Num(input);
        }
        // Nothing, another float, or a struct. A call for its effect only still has it.
        self.any_result(state, call)
    }

    /// A number between bounds.
    fn returned_value(&mut self, state: &mut State, returns: &Returns, call: &ModelCall<'_>, int: IntType) -> Sym {
        let Returns::Value { kind, low, high } = returns else { return Sym::Nothing };
        let bound = |e: &Option<ModelExpr>| e.as_ref().map(|e| call.number(e, int));
        let (low, high) = (bound(low), bound(high));
        let (min, max) = int.range();
        let fixed = |b: &Option<Option<Expr>>, default: IBig| match b {
            Some(Some(Expr::Const(k, _))) => k.clone(),
            _ => default,
        };
        let range = (fixed(&low, min), fixed(&high, max));
        let ranged = (range != int.range() && range.0 <= range.1).then_some(range);
        let name = self.cx.callee_name(call.instruction).unwrap_or_else(|| call.model.name.clone());
        // How many conversions of a format are done is not a choice of its own.
        let scans = call.model.effects.iter().any(|e| matches!(e, Effect::Scans(..)));
        let chosen = *kind == Kind::Stream && call.outcome == Some(Outcome::Given) && !scans;
        let missing = self.library.opens_alone(call.at, returns);
        let (kind, ranged) = match ranged {
            ranged if chosen && high.is_some() => (UnknownKind::Input, ranged),
            ranged if chosen => (UnknownKind::Input, chosen_range(ranged, int)),
            Some((_, most)) if missing => (kind_of(*kind), Some((IBig::ZERO, most))),
            ranged => (kind_of(*kind), ranged),
        };
        let u = self.values.unknown(state, &name, int, kind, ranged);
        if chosen {
            let piece = call.piece_of(returns);
            self.library.note_piece(&mut self.values, &u, piece, call.at);
        }
        let mut e = u.expr;
        if missing {
            let gone = self.values.unknown(state, "missing", IntType::unsigned(1), UnknownKind::Input, None);
            self.library.note_piece(&mut self.values, &gone, Piece::Missing, call.at);
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
        as_result(e, int)
    }

    /// A new object.
    fn returned_fresh(
        &mut self,
        state: &mut State,
        size: &ModelExpr,
        content: Content,
        call: &ModelCall<'_>,
    ) -> Option<Sym> {
        let ty = self.memory.address();
        let (size, content) = match call.number(size, ty) {
            Some(size) => (size, content),
            // What is copied has a length that nobody counted.
            None => (self.open_size(state), Content::Unknown(Kind::Environment)),
        };
        // For an object that is larger than this there are no model addresses.
        let limit = constant(self.memory.largest_at(call.at), ty);
        let fits = and(cmp(CmpOp::Ge, ty, size.clone(), constant(0, ty)), cmp(CmpOp::Le, ty, size.clone(), limit));
        // What no memory can hold cannot be had.
        let possible = and(
            cmp(CmpOp::Ge, ty, size.clone(), constant(0, ty)),
            cmp(CmpOp::Le, ty, size.clone(), constant(self.memory.largest_of_all(), ty)),
        );
        if possible == truth(false) {
            return Some(Sym::Num(Num::constant(0, ty)));
        }
        if self.memory.largest_at(call.at) < self.memory.largest_of_all()
            && !self.control.room_unless(&mut self.values, state, or(fits, not(possible.clone())))
        {
            return None;
        }
        let before = state.clone();
        let fresh = self.allocate(state, call.at, &size, content)?;
        if possible == truth(true) {
            return Some(Sym::Num(fresh));
        }
        state.keep_if(&before, &possible);
        Some(Sym::Num(Num::new(ite(possible, fresh.to(ty), constant(0, ty)), ty)))
    }

    /// The size of a new object, if all that is known is that there is one.
    fn open_size(&mut self, state: &mut State) -> Expr {
        let range = Some((IBig::ZERO, self.memory.largest_of_all()));
        self.values.unknown(state, "size", self.memory.address(), UnknownKind::Environment, range).expr
    }

    /// A new object in place of another one.
    fn returned_moved(
        &mut self,
        state: &mut State,
        from: usize,
        size: &ModelExpr,
        call: &ModelCall<'_>,
    ) -> Result<Option<Sym>, Split> {
        let ty = self.memory.address();
        let size = call.number(size, ty).unwrap_or_else(|| self.open_size(state));
        // What no memory can hold cannot be had, and the old object stays.
        let possible = and(
            cmp(CmpOp::Ge, ty, size.clone(), constant(0, ty)),
            cmp(CmpOp::Le, ty, size.clone(), constant(self.memory.largest_of_all(), ty)),
        );
        if possible == truth(false) {
            return Ok(Some(Sym::Num(Num::constant(0, ty))));
        }
        let limit = constant(self.memory.largest_at(call.at), ty);
        let fits = or(cmp(CmpOp::Le, ty, size.clone(), limit), not(possible.clone()));
        if !self.control.room_unless(&mut self.values, state, fits) {
            return Ok(None);
        }
        let before = state.clone();
        let (Some(old), Some(targets)) = (call.values.get(from), call.targets.get(from).cloned()) else {
            return Ok(Some(self.any_result(state, call)));
        };
        let pointer = old.to(ty);
        if !self.free(state, &pointer, &targets)? {
            return Ok(None);
        }
        let Some(fresh) = self.allocate(state, call.at, &size, Content::Uninitialised) else { return Ok(None) };
        // What was copied is not followed.
        if let Some(id) = self.memory.known(ObjectKind::Heap(call.at)) {
            self.memory.forget(&mut self.values, state, id, UnknownKind::Abstraction);
        }
        if possible == truth(true) {
            return Ok(Some(Sym::Num(fresh)));
        }
        state.keep_if(&before, &possible);
        Ok(Some(Sym::Num(Num::new(ite(possible, fresh.to(ty), constant(0, ty)), ty))))
    }

    /// A pointer to a pointer to a table of the library.
    fn returned_table(
        &mut self,
        state: &mut State,
        returns: &Returns,
        call: &ModelCall<'_>,
    ) -> Result<Option<Sym>, Split> {
        let Returns::Table { entry, low, .. } = returns else { return Ok(None) };
        let ty = self.memory.address();
        let ids = (
            self.memory.known(ObjectKind::Library(call.at, true)),
            self.memory.known(ObjectKind::Library(call.at, false)),
        );
        let (Some(pointer), Some(table)) = ids else {
            return Ok(Some(self.any_result(state, call)));
        };
        let size = i64::try_from(entry.bytes(self.cx.options.data_model).unwrap_or(1)).unwrap_or(1);
        let zero = &self.memory.object(table).base - IBig::from(low * size);
        let at = constant(self.memory.object(pointer).base.clone(), ty);
        let targets = Targets([(pointer, Offsets::Exact(vec![0]))].into());
        let bytes = u64::from(ty.width / 8);
        let resolved =
            self.memory.resolve(state, Access { pointer: &at, targets: &targets, size: bytes, align: 1, ty: None })?;
        if !resolved.spots.is_empty() {
            self.memory.write(&mut self.values, state, &resolved, bytes, &Num::constant(zero, ty))?;
        }
        Ok(Some(Sym::Num(Num::new(at, ty))))
    }

    /// What is returned if the call works, else null.
    fn returned_or_null(
        &mut self,
        state: &mut State,
        kind: Kind,
        inner: &Returns,
        call: &ModelCall<'_>,
    ) -> Result<Option<Sym>, Split> {
        let ty = self.memory.address();
        let before = state.clone();
        let Some(value) = self.model_returns(state, inner, call)? else {
            return Ok(None);
        };
        let chosen = matches!(inner, Returns::Handle) && self.library.opens(call.at);
        let kind = if chosen { UnknownKind::Input } else { kind_of(kind) };
        let flag = self.values.unknown(state, &format!("{} fails", call.model.name), IntType::unsigned(1), kind, None);
        if chosen {
            self.library.note_piece(&mut self.values, &flag, Piece::Missing, call.at);
        }
        let works = not(low_bit(&flag));
        let Sym::Num(n) = value else { return Ok(Some(value)) };
        if let Returns::Fresh { .. } | Returns::Moved { .. } = core_of(inner) {
            state.keep_if(&before, &works);
        }
        Ok(Some(Sym::Num(Num::new(ite(works, n.to(ty), constant(0, ty)), ty))))
    }
}

fn as_result(value: Expr, int: IntType) -> Sym {
    let num = Num::new(value, int);
    if int.width == 1 { Sym::Cond(low_bit(&num)) } else { Sym::Num(num) }
}

/// One of two results, by a condition.
fn either(c: Cond, a: Sym, b: Sym, int: IntType) -> Sym {
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
