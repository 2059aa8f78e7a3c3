//! A call of a function with a model: its arguments, and what the table says of them.

use crate::DataModel;
use crate::models::{BinaryOp as ModelBinary, Expr as ModelExpr, Model, Returns, UnaryOp as ModelUnary};
use crate::module::{Callee, Instruction, Module, Op, Operand, Type};
use crate::translate::flat::Point;
use crate::translate::library::Library;
use crate::translate::library::formats::string;
use crate::translate::library::streams::{Outcome, parts};
use crate::translate::points::Targets;
use crate::translate::state::State;
use crate::translate::values::arith::{Num, and, cmp, constant, ite, not, operate, or};
use crate::translate::values::{Values, operand_type};
use dashu_int::IBig;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Overflow, Piece};

/// A call of a modelled function.
pub(in crate::translate) struct ModelCall<'a> {
    pub(super) at: Point,
    pub(super) instruction: &'a Instruction,
    pub(in crate::translate) model: &'a Model,
    pub(super) values: Vec<Num>,
    pub(super) targets: Vec<Targets>,
    pub(super) args: &'a [Operand],
    pub(super) result: Option<Num>,
    /// If it reads a stream, how that goes.
    pub(super) outcome: Option<Outcome>,
    /// Whether something that it requires is not said in the program: that it holds is an assumption.
    pub(super) vague: bool,
    /// How many characters it prints at least.
    pub(super) printed: Option<u64>,
    /// Of arguments that are constant strings: their lengths.
    lengths: Vec<Option<usize>>,
    data_model: DataModel,
    address: IntType,
}

impl ModelCall<'_> {
    /// Whether the function had a body that may not return.
    pub(super) fn waits(&self, module: &Module) -> bool {
        let Op::Call { callee: Callee::Function(f), .. } = &self.instruction.op else { return false };
        module.functions[f.0 as usize].waits
    }
}

impl Library<'_, '_> {
    /// The arguments of a call.
    pub(super) fn model_call<'a>(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        instruction: &'a Instruction,
        model: &'a Model,
    ) -> ModelCall<'a> {
        let args: &[Operand] = match &instruction.op {
            Op::Call { args, .. } => args,
            _ => &[],
        };
        let function = self.cx.flat.function(state.point().instance);
        let mut given = Vec::new();
        for (n, a) in args.iter().enumerate() {
            let ty = operand_type(function, a);
            let mut v = values.number(state, a, &ty);
            // An argument is read by the type that the function takes.
            if let (Some(p), Type::Int(w)) = (model.params.get(n), &ty)
                && let Some(t) = p.ty
                && *w <= 128
            {
                v = v.read_as(IntType { width: *w, signed: t.signed() });
            }
            given.push(v);
        }
        let targets = args.iter().map(|a| self.memory.targets(state, a)).collect();
        ModelCall {
            at: state.point(),
            instruction,
            model,
            values: given,
            targets,
            args,
            result: None,
            outcome: None,
            vague: false,
            printed: None,
            lengths: args.iter().map(|a| string(self.cx.flat.module, a).map(<[u8]>::len)).collect(),
            data_model: self.cx.options.data_model,
            address: self.memory.address(),
        }
    }
}

impl ModelCall<'_> {
    /// A number of the table over the arguments, exact; nothing where it is not known.
    pub(in crate::translate) fn number(&self, e: &ModelExpr, ty: IntType) -> Option<Expr> {
        Some(match e {
            ModelExpr::Number(n) => ty.contains(&IBig::from(*n)).then(|| constant(*n, ty))?,
            ModelExpr::Arg(n) => {
                let v = self.values.get(*n)?;
                if v.as_const().is_none() && !ty.includes(v.ty) && v.ty.width >= ty.width && v.ty.signed != ty.signed {
                    // A size_t as an address: beyond the largest object it is too large in either reading.
                    return Some(v.to(ty));
                }
                v.to(ty)
            }
            ModelExpr::Result => self.result.as_ref()?.to(ty),
            ModelExpr::SizeOf(t) => constant(t.bytes(self.data_model)?, ty),
            ModelExpr::Length(n) => {
                let length = IBig::from((*self.lengths.get(*n)?)?);
                ty.contains(&length).then(|| constant(length, ty))?
            }
            ModelExpr::Index | ModelExpr::Size(_) => return None,
            ModelExpr::Unary(ModelUnary::Neg, a) => {
                let a = self.number(a, ty)?;
                operate(BinaryOp::Sub, ty, Overflow::Undefined, constant(0, ty), a)
            }
            ModelExpr::Binary(op, a, b) => {
                let neutral = match op {
                    ModelBinary::Add => BinaryOp::Add,
                    ModelBinary::Sub => BinaryOp::Sub,
                    ModelBinary::Mul => BinaryOp::Mul,
                    ModelBinary::Div => BinaryOp::Div,
                    ModelBinary::Rem => BinaryOp::Rem,
                    _ => return self.condition(e).map(|c| ite(c, constant(1, ty), constant(0, ty))),
                };
                operate(neutral, ty, Overflow::Undefined, self.number(a, ty)?, self.number(b, ty)?)
            }
            ModelExpr::Unary(ModelUnary::Not, _) => {
                let c = self.condition(e)?;
                ite(c, constant(1, ty), constant(0, ty))
            }
            ModelExpr::If(c, a, b) => {
                let c = self.condition(c)?;
                ite(c, self.number(a, ty)?, self.number(b, ty)?)
            }
        })
    }

    /// Whether an argument is the null pointer, whatever happens.
    pub(super) fn is_null(&self, arg: usize) -> bool {
        self.values.get(arg).and_then(Num::as_const).is_some_and(|k| *k == IBig::ZERO)
    }

    pub(in crate::translate) fn condition(&self, e: &ModelExpr) -> Option<Cond> {
        let ty = self.address;
        // Numbers of at most 32 bits are compared as 64, so that every value of every type has its place.
        let wide = if ty.width < 64 { IntType::signed(64) } else { ty };
        Some(match e {
            ModelExpr::Unary(ModelUnary::Not, a) => not(self.condition(a)?),
            ModelExpr::Binary(ModelBinary::And, a, b) => and(self.condition(a)?, self.condition(b)?),
            ModelExpr::Binary(ModelBinary::Or, a, b) => or(self.condition(a)?, self.condition(b)?),
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
                cmp(op, wide, self.number(a, wide)?, self.number(b, wide)?)
            }
            other => cmp(CmpOp::Ne, wide, self.number(other, wide)?, constant(0, wide)),
        })
    }

    /// Whether a read of something gives exactly one item.
    pub(super) fn is_single(&self, data: &Returns) -> bool {
        let int = IntType::unsigned(64);
        let one = |e: &Option<ModelExpr>| {
            let value = e.as_ref().and_then(|e| self.number(e, int));
            matches!(value, Some(Expr::Const(k, _)) if k == IBig::from(1))
        };
        matches!(data, Returns::Value { low, high, .. } if one(low) && one(high))
    }

    /// What a chosen result is a piece of.
    pub(super) fn piece_of(&self, data: &Returns) -> Piece {
        let Returns::Value { high, .. } = data else { return Piece::Line };
        match high {
            Some(ModelExpr::Number(255)) => Piece::Byte,
            None if matches!(self.model.result, Some(crate::models::Type::Int)) => Piece::Bytes(4),
            None => Piece::Line,
            Some(_) => {
                let int = IntType::unsigned(64);
                let width = self.model.params.iter().position(|p| p.name == "width");
                let width = width.and_then(|n| self.number(&ModelExpr::Arg(n), int));
                match width {
                    Some(Expr::Const(k, _)) => Piece::Items(u64::try_from(k).unwrap_or(1)),
                    _ => Piece::Items(1),
                }
            }
        }
    }

    /// Whether the bytes that a call writes are chosen one by one: it reads one item.
    pub(super) fn chooses_bytes(&self) -> bool {
        match parts(&self.model.returns).1 {
            Returns::Read { data, .. } => self.outcome == Some(Outcome::Given) && self.is_single(data),
            _ => false,
        }
    }
}
