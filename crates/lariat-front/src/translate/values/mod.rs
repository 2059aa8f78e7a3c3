//! Values: of operands, of constants, of what is unknown; and the variables in which they go from piece to piece.
//!
//! The room owns what the program declares: variables, memories, unknown values, what they are called in the source, and the
//! assumptions. Other rooms ask it for a variable or for an unknown value, and keep the number.

pub(in crate::translate) mod arith;
mod computed;
pub(in crate::translate) mod floats;
mod live;
pub(in crate::translate) mod numbers;

use crate::models::{Ends, Model};
use crate::module::{BlockId, Callee, Constant, Function, FunctionId, Instruction, Op, Operand, Type, ValueId};
use crate::translate::flat::{FlatValue, InstanceId, Point, index};
use crate::translate::memory::Memory;
use crate::translate::points::{ObjectKind, Targets};
use crate::translate::state::{State, site};
use crate::translate::values::arith::{Num, Sym, bit, low_bit, truth};
use crate::translate::{Context, Names, bits_of, debug, leaves_of};
use dashu_int::IBig;
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::neutral::{
    Cond, Expr, Happening, IntType, Location, MemInit, MemUnknown, MemUpdate, Origin, Origins, Program, Unknown,
};
use lariat_ir::{Assumption, AssumptionKind, Mode, Obligation, Span, UnknownKind};
use std::rc::Rc;

/// What the program declares.
pub(in crate::translate) struct Values<'a, 'm> {
    cx: &'a Context<'m>,
    memory: &'a Memory<'a, 'm>,
    program: Program,
    names: Names,
    /// The variables of values that go from piece to piece, leaf by leaf.
    ssa: FastMap<(FlatValue, u32), usize>,
    /// The unknown values of instructions, in the order in which each asks for them.
    unknowns: FastMap<(Point, u32), usize>,
    mem_unknowns: FastMap<(Point, usize, UnknownKind), usize>,
    liveness: FastMap<FunctionId, Rc<Vec<FastSet<ValueId>>>>,
    assumptions: FastMap<Assumption, usize>,
    /// Whether floating-point operations round as they do by default.
    default_rounding: bool,
}

impl<'a, 'm> Values<'a, 'm> {
    pub(in crate::translate) fn new(
        cx: &'a Context<'m>,
        memory: &'a Memory<'a, 'm>,
        program: Program,
        names: Names,
    ) -> Self {
        Self {
            cx,
            memory,
            program,
            names,
            ssa: FastMap::default(),
            unknowns: FastMap::default(),
            mem_unknowns: FastMap::default(),
            liveness: FastMap::default(),
            assumptions: FastMap::default(),
            default_rounding: cx.default_rounding(),
        }
    }
}

impl Values<'_, '_> {
    /// The program with these locations. What was not given a value in the beginning, and is no input, starts as zero; it is
    /// written before it is read.
    pub(in crate::translate) fn finish(self, locs: Vec<Location>) -> Program {
        let mut program = self.program;
        let given: FastSet<usize> = program.init.iter().map(|(v, _)| *v).collect();
        let rest = (0..program.vars.len()).filter(|v| !given.contains(v));
        program.init.extend(rest.map(|v| (v, Some(IBig::ZERO))));
        for (v, value) in &mut program.init {
            if let Some(k) = value {
                *k = arith::wrap(k, program.vars[*v].1);
            }
        }
        program.mode = if self.cx.whole { Mode::Program } else { Mode::Function };
        program.entry = 0;
        program.locs = locs;
        program
    }

    /// A variable of the source, or one that an observer sees.
    pub(in crate::translate) fn var(&mut self, name: &str, ty: IntType) -> usize {
        self.names.var(&mut self.program, name, ty)
    }

    /// A variable that is none of the source's.
    pub(in crate::translate) fn made(&mut self, name: &str, ty: IntType) -> usize {
        self.names.made(&mut self.program, name, ty)
    }

    /// One that starts as zero.
    pub(in crate::translate) fn made_zero(&mut self, name: &str, ty: IntType) -> usize {
        let var = self.made(name, ty);
        self.init((var, Some(IBig::ZERO)));
        var
    }

    /// An unknown value that no instruction asks for.
    pub(in crate::translate) fn made_unknown(&mut self, name: &str, ty: IntType, kind: UnknownKind) -> Expr {
        let name = self.names.unused(name);
        self.program.unknowns.push(Unknown::new(name, ty, kind));
        Expr::Unknown(self.program.unknowns.len() - 1)
    }

    pub(in crate::translate) fn type_of(&self, var: usize) -> IntType {
        self.program.vars[var].1
    }

    pub(in crate::translate) fn name_of(&self, var: usize) -> String {
        self.program.vars[var].0.clone()
    }

    /// The first value of a variable; without one it is an input.
    pub(in crate::translate) fn init(&mut self, value: (usize, Option<IBig>)) {
        self.program.init.push(value);
    }

    /// The first content of a memory.
    pub(in crate::translate) fn initial_cells(&mut self, mem: usize) -> &mut MemInit {
        &mut self.program.mems[mem].init
    }

    /// Says where an unknown value comes from.
    pub(in crate::translate) fn set_origin(&mut self, unknown: usize, origin: Origin) {
        self.program.unknowns[unknown].origin = Some(origin);
    }

    /// What reports say of the program.
    pub(in crate::translate) fn origins(&mut self) -> &mut Origins {
        &mut self.program.origins
    }

    /// What a verdict on the program does not cover.
    pub(in crate::translate) fn oblige(&mut self, obligation: Obligation) {
        self.program.obligations.push(obligation);
    }

    pub(in crate::translate) fn store_ssa(
        &mut self,
        value: (FlatValue, InstanceId, ValueId),
        sym: &Sym,
        assigns: &mut Vec<(usize, Expr)>,
    ) {
        let mut parts = Vec::new();
        flatten(sym, &mut parts);
        let leaves = self.leaves(value.1, value.2);
        for (n, (leaf, part)) in leaves.iter().zip(parts).enumerate() {
            let var = self.ssa_var(value, index(n), leaf);
            let ty = self.program.vars[var].1;
            let e = part.to(ty);
            if e != Expr::Var(var) {
                assigns.push((var, e));
            }
        }
    }

    pub(in crate::translate) fn leaves(&self, instance: InstanceId, value: ValueId) -> Vec<Type> {
        let function = self.cx.flat.function(instance);
        let ty = value_type(function, value);
        leaves_of(&ty).into_iter().map(|(_, t)| t).collect()
    }

    fn ssa_var(&mut self, value: (FlatValue, InstanceId, ValueId), leaf: u32, ty: &Type) -> usize {
        if let Some(v) = self.ssa.get(&(value.0, leaf)) {
            return *v;
        }
        let int = self.leaf_type(value.1, value.2, ty);
        let function = self.cx.flat.function(value.1);
        let variable = function.values.iter().chain(&function.declares).find(|(v, _)| *v == value.2);
        let name = match variable {
            Some((_, variable)) if function.values.iter().any(|(v, _)| *v == value.2) => variable.name.clone(),
            Some((_, variable)) => format!("&{}", variable.name),
            None => {
                let place = function
                    .blocks
                    .iter()
                    .flat_map(|b| &b.instructions)
                    .find(|i| i.id == value.2)
                    .and_then(|i| i.place);
                match place {
                    Some(p) => format!("value {}:{}", p.line, p.column),
                    None if (value.2.0 as usize) < function.params.len() => {
                        format!("{} argument {}", function.shown(), value.2.0 + 1)
                    }
                    None => format!("{} value", function.shown()),
                }
            }
        };
        let var = self.names.var(&mut self.program, &name, int);
        if !function.values.iter().any(|(v, _)| *v == value.2) {
            self.program.origins.made.insert(var);
        }
        self.ssa.insert((value.0, leaf), var);
        var
    }

    /// The type as which a value is stored between pieces.
    pub(in crate::translate) fn leaf_type(&self, instance: InstanceId, value: ValueId, ty: &Type) -> IntType {
        let width = bits_of(ty, self.cx.flat.module).clamp(1, 128);
        match ty {
            Type::Int(1) => IntType::unsigned(1),
            Type::Int(_) => {
                let function = self.cx.flat.function(instance);
                let by_name = function.values.iter().find(|(v, _)| *v == value).and_then(|(_, variable)| variable.ty);
                let known = by_name
                    .or_else(|| {
                        // A parameter has the type of the variable that it starts.
                        let n = value.0 as usize;
                        (n < function.params.len())
                            .then(|| {
                                let mut all = function.declares.iter().map(|(_, v)| v);
                                all.find(|v| v.argument as usize == n + 1).and_then(|v| v.ty)
                            })
                            .flatten()
                    })
                    .and_then(|t| match &self.cx.flat.module.types[t.0 as usize] {
                        crate::module::DebugType::Int { signed, .. } => Some(*signed),
                        crate::module::DebugType::Bool { .. } => Some(false),
                        _ => None,
                    });
                let voted = self.cx.signs(self.cx.flat.instance(instance).function).get(&value).copied();
                IntType { width, signed: known.or(voted).unwrap_or(true) }
            }
            Type::Ptr => IntType::signed(width),
            _ => IntType::unsigned(width),
        }
    }

    /// Whether the variable that a value is stored in at once is signed.
    pub(in crate::translate) fn stored_sign(&self, instance: InstanceId, value: ValueId) -> Option<bool> {
        let function = self.cx.flat.function(instance);
        let slot = function.blocks.iter().flat_map(|b| &b.instructions).find_map(|i| match &i.op {
            Op::Store { value: Operand::Value(v), ptr: Operand::Value(slot), .. } if *v == value => Some(*slot),
            _ => None,
        })?;
        let (_, variable) = function.declares.iter().find(|(v, _)| *v == slot)?;
        match &self.cx.flat.module.types[variable.ty?.0 as usize] {
            crate::module::DebugType::Int { signed, .. } => Some(*signed),
            crate::module::DebugType::Bool { .. } => Some(false),
            _ => None,
        }
    }

    /// Something nobody knows.
    pub(in crate::translate) fn unknown(
        &mut self,
        state: &mut State,
        name: &str,
        ty: IntType,
        kind: UnknownKind,
        range: Option<(IBig, IBig)>,
    ) -> Num {
        // Each question of an instruction has its own value. On other ways to the same instruction they are asked for again,
        // and may be shared: a run takes one way.
        let key = (state.at, state.asked);
        state.asked += 1;
        let same = |u: &usize| {
            let u = &self.program.unknowns[*u];
            u.ty == ty && u.kind == kind && u.range == range && u.name.starts_with(name)
        };
        let found = self.unknowns.get(&key).copied().filter(same);
        let id = found.unwrap_or_else(|| {
            let place = debug::place_of(self.cx, state.at);
            let unused = self.names.unused(&format!("{name} {place}"));
            let mut unknown = Unknown::new(unused, ty, kind);
            unknown.range = range;
            unknown.origin = self.origin(state.at, name);
            self.program.unknowns.push(unknown);
            let id = self.program.unknowns.len() - 1;
            self.unknowns.insert(key, id);
            id
        });
        state.passes(Happening::Asked(id));
        Num::new(Expr::Unknown(id), ty)
    }

    /// Where a value comes from that the instruction at a point asks for.
    fn origin(&self, at: Point, what: &str) -> Option<Origin> {
        let instruction = self.cx.flat.instruction(at)?;
        let site = instruction.place.filter(|p| p.line > 0).map(site);
        match &instruction.op {
            Op::Call { callee: Callee::Function(f), .. } => {
                let function = self.cx.flat.module.functions[f.0 as usize].shown();
                Some(Origin::Call { function: function.to_owned(), result: what == function, site })
            }
            Op::Load { volatile, atomic, .. } if *volatile || *atomic => Some(Origin::Shared { site }),
            _ => None,
        }
    }

    pub(in crate::translate) fn mem_unknown(&mut self, state: &State, mem: usize, kind: UnknownKind) -> usize {
        let key = (state.at, mem, kind);
        if let Some(u) = self.mem_unknowns.get(&key) {
            return *u;
        }
        let name = format!("{} {}", self.program.mems[mem].name, debug::place_of(self.cx, state.at));
        let name = self.names.unused(&name);
        let cell = self.program.mems[mem].cell;
        self.program.mem_unknowns.push(MemUnknown { name, cell, kind });
        let id = self.program.mem_unknowns.len() - 1;
        self.mem_unknowns.insert(key, id);
        id
    }

    /// Nothing is known of a memory any more.
    pub(in crate::translate) fn forget_mem(&mut self, state: &mut State, mem: usize, kind: UnknownKind) {
        let unknown = self.mem_unknown(state, mem, kind);
        // What was stored before is still asked to be defined; see `MemUpdate::Forget`.
        state.stores.push(MemUpdate::Forget { mem, unknown });
    }

    /// Something is taken for granted on this way.
    pub(in crate::translate) fn assume(
        &mut self,
        state: &mut State,
        kind: AssumptionKind,
        text: &str,
        span: Option<Span>,
    ) {
        let assumption = Assumption { kind, text: text.to_owned(), span };
        let program = &mut self.program;
        let id = *self.assumptions.entry(assumption.clone()).or_insert_with(|| {
            program.assumptions.push(assumption);
            program.assumptions.len() - 1
        });
        state.assumes.insert(id);
    }

    /// The value of an operand of a type.
    pub(in crate::translate) fn operand(&mut self, state: &mut State, operand: &Operand, ty: &Type) -> Sym {
        match operand {
            Operand::Value(v) => self.value(state, state.at.instance, *v),
            Operand::Constant(c) => self.constant(state, c, ty),
        }
    }

    /// The variable with the address of the latest of many local objects.
    fn latest(&mut self, instance: InstanceId, v: ValueId) -> usize {
        self.ssa_var((self.cx.flat.value(instance, v), instance, v), 0, &Type::Ptr)
    }

    /// One of many local objects was made.
    pub(in crate::translate) fn set_latest(&mut self, state: &mut State, instance: InstanceId, v: ValueId, base: Expr) {
        let var = self.latest(instance, v);
        state.set(var, base);
    }

    /// The latest ones are those of another call, of which nothing is known.
    pub(in crate::translate) fn forget_latest(&mut self, state: &mut State, within: InstanceId) {
        let ty = self.memory.address();
        for (instance, v) in self.memory.many_locals(|i| self.cx.flat.is_within(i, within)) {
            let base = self.unknown(state, "caller value", ty, UnknownKind::Abstraction, Some(ty.range()));
            self.set_latest(state, instance, v, base.expr);
        }
    }

    pub(in crate::translate) fn value(&mut self, state: &State, instance: InstanceId, v: ValueId) -> Sym {
        let flat = self.cx.flat.value(instance, v);
        if let Some(sym) = state.env.get(&flat) {
            return sym.clone();
        }
        if let Some(base) = self.memory.fixed_address(instance, v) {
            return Sym::Num(Num::constant(base, self.memory.address()));
        }
        let function = self.cx.flat.function(instance);
        let ty = value_type(function, v);
        let leaves: Vec<Type> = leaves_of(&ty).into_iter().map(|(_, t)| t).collect();
        let mut parts = Vec::new();
        for (n, leaf) in leaves.iter().enumerate() {
            let var = self.ssa_var((flat, instance, v), index(n), leaf);
            let int = self.program.vars[var].1;
            let num = Num::new(state.var(var), int);
            parts.push(match leaf {
                Type::Int(1) => Sym::Cond(low_bit(&num)),
                _ => Sym::Num(num),
            });
        }
        if matches!(ty, Type::Struct(..) | Type::Array(..)) { Sym::Aggregate(parts) } else { parts.remove(0) }
    }

    pub(in crate::translate) fn constant(&mut self, state: &mut State, c: &Constant, ty: &Type) -> Sym {
        match c {
            Constant::Int(1, bits) => Sym::Cond(truth(bits & 1 == 1)),
            Constant::Int(width, bits) => Sym::Num(Num::constant(IBig::from(*bits), IntType::signed(*width))),
            Constant::Float(kind, bits) => {
                let width = bits_of(&Type::Float(*kind), self.cx.flat.module);
                Sym::Num(Num::constant(IBig::from(*bits), IntType::unsigned(width)))
            }
            Constant::Zero(t) => zero(t, self.cx.flat.module),
            Constant::Aggregate(t, parts) => {
                let inner: Vec<Type> = match t {
                    Type::Struct(members, _) => members.iter().map(|(_, t)| t.clone()).collect(),
                    Type::Array(of, n, _) => (0..*n).map(|_| (**of).clone()).collect(),
                    _ => Vec::new(),
                };
                let mut all = Vec::new();
                for (part, ty) in parts.iter().zip(&inner) {
                    match self.constant(state, part, ty) {
                        Sym::Aggregate(list) => all.extend(list),
                        one => all.push(one),
                    }
                }
                Sym::Aggregate(all)
            }
            Constant::Bytes(list) => Sym::Aggregate(
                list.iter().map(|b| Sym::Num(Num::constant(u32::from(*b), IntType::unsigned(8)))).collect(),
            ),
            Constant::Undef(t) | Constant::Poison(t) => {
                let first = self.program.unknowns.len();
                let sym = self.any(state, t, UnknownKind::Environment);
                // No two uses need see one value, so that nothing may be decided by it.
                for u in self.program.unknowns.iter_mut().skip(first) {
                    u.computed = true;
                }
                sym
            }
            Constant::Opaque(t, _) => self.any(state, t, UnknownKind::Abstraction),
            other => match self.memory.constant_address(other) {
                Some(address) => Sym::Num(Num::constant(address, self.memory.address())),
                None => self.any(state, ty, UnknownKind::Abstraction),
            },
        }
    }

    /// A value of a type that nobody knows.
    pub(in crate::translate) fn any(&mut self, state: &mut State, ty: &Type, kind: UnknownKind) -> Sym {
        let module = self.cx.flat.module;
        let leaves = leaves_of(ty);
        let mut parts = Vec::new();
        for (_, leaf) in &leaves {
            let width = bits_of(leaf, module).clamp(1, 128);
            let signed = matches!(leaf, Type::Ptr);
            let what = if kind == UnknownKind::Abstraction { "not followed" } else { "unknown" };
            let ty = IntType { width, signed };
            // An address has the range of its type, in every semantics.
            let num = self.unknown(state, what, ty, kind, signed.then(|| ty.range()));
            if let Expr::Unknown(u) = num.expr {
                // Not a number that overflowed before it was lost: one of its type that nobody computed here.
                self.program.unknowns[u].computed = false;
            }
            parts.push(match leaf {
                Type::Int(1) => Sym::Cond(low_bit(&num)),
                _ => Sym::Num(num),
            });
        }
        match ty {
            Type::Void => Sym::Nothing,
            Type::Struct(..) | Type::Array(..) => Sym::Aggregate(parts),
            _ => parts.pop().unwrap_or(Sym::Nothing),
        }
    }

    /// A part of an aggregate.
    pub(in crate::translate) fn extract(
        &mut self,
        state: &mut State,
        aggregate: &Operand,
        path: &[u32],
        result: &Type,
    ) -> Sym {
        let ty = operand_type(self.cx.flat.function(state.at.instance), aggregate);
        let (first, count) = leaf_range(&ty, path);
        match self.operand(state, aggregate, &ty) {
            Sym::Aggregate(parts) if count == 1 && !matches!(result, Type::Struct(..) | Type::Array(..)) => {
                parts.get(first).cloned().unwrap_or(Sym::Nothing)
            }
            Sym::Aggregate(parts) => Sym::Aggregate(parts.into_iter().skip(first).take(count).collect()),
            _ => self.any(state, result, UnknownKind::Abstraction),
        }
    }

    /// An aggregate with another part.
    pub(in crate::translate) fn insert(
        &mut self,
        state: &mut State,
        (aggregate, value): (&Operand, &Operand),
        path: &[u32],
        ty: &Type,
    ) -> Sym {
        let (first, count) = leaf_range(ty, path);
        let inner = inner_type(ty, path);
        let new = self.operand(state, value, &inner);
        match self.operand(state, aggregate, ty) {
            Sym::Aggregate(mut parts) => {
                let new = match new {
                    Sym::Aggregate(list) => list,
                    one => vec![one],
                };
                if first + count <= parts.len() && new.len() == count {
                    parts.splice(first..first + count, new);
                }
                Sym::Aggregate(parts)
            }
            _ => self.any(state, ty, UnknownKind::Abstraction),
        }
    }

    /// An operand as a number.
    pub(in crate::translate) fn number(&mut self, state: &mut State, operand: &Operand, ty: &Type) -> Num {
        match self.operand(state, operand, ty) {
            Sym::Num(n) => n,
            Sym::Cond(c) => bit(&c),
            Sym::Aggregate(_) | Sym::Nothing => {
                let width = bits_of(ty, self.cx.flat.module).clamp(1, 128);
                self.unknown(state, "unknown", IntType::unsigned(width), UnknownKind::Environment, None)
            }
        }
    }

    pub(in crate::translate) fn condition(&mut self, state: &mut State, operand: &Operand) -> Cond {
        match self.operand(state, operand, &Type::Int(1)) {
            Sym::Cond(c) => c,
            Sym::Num(n) => low_bit(&n),
            Sym::Aggregate(_) | Sym::Nothing => {
                let flag = IntType::unsigned(1);
                low_bit(&self.unknown(state, "unknown", flag, UnknownKind::Environment, None))
            }
        }
    }
}

pub(in crate::translate) fn flatten(sym: &Sym, parts: &mut Vec<Num>) {
    match sym {
        Sym::Num(n) => parts.push(n.clone()),
        Sym::Cond(c) => parts.push(bit(c)),
        Sym::Aggregate(list) => list.iter().for_each(|s| flatten(s, parts)),
        Sym::Nothing => {}
    }
}

fn zero(ty: &Type, module: &crate::module::Module) -> Sym {
    match ty {
        Type::Int(1) => Sym::Cond(truth(false)),
        Type::Struct(..) | Type::Array(..) => {
            Sym::Aggregate(leaves_of(ty).iter().map(|(_, t)| zero(t, module)).collect())
        }
        Type::Void => Sym::Nothing,
        other => Sym::Num(Num::constant(0, IntType::signed(bits_of(other, module).clamp(1, 128)))),
    }
}

/// The type of a value of a function.
fn value_type(function: &Function, value: ValueId) -> Type {
    let n = value.0 as usize;
    if let Some(p) = function.params.get(n) {
        return p.ty.clone();
    }
    let mut first = function.params.len();
    for block in &function.blocks {
        if n < first + block.instructions.len() {
            return block.instructions[n - first].ty.clone();
        }
        first += block.instructions.len();
    }
    Type::Void
}

/// The type of an operand.
pub(in crate::translate) fn operand_type(function: &Function, operand: &Operand) -> Type {
    match operand {
        Operand::Value(v) => value_type(function, *v),
        Operand::Constant(c) => match c {
            Constant::Int(w, _) | Constant::PtrToInt(_, w) => Type::Int(*w),
            Constant::Float(k, _) => Type::Float(*k),
            Constant::Undef(t)
            | Constant::Poison(t)
            | Constant::Zero(t)
            | Constant::Aggregate(t, _)
            | Constant::Opaque(t, _) => t.clone(),
            Constant::Bytes(list) => Type::Array(Box::new(Type::Int(8)), list.len() as u64, 1),
            Constant::Null
            | Constant::Global(..)
            | Constant::Function(_)
            | Constant::Block(..)
            | Constant::IntToPtr(_) => Type::Ptr,
        },
    }
}

fn inner_type(ty: &Type, path: &[u32]) -> Type {
    match (ty, path) {
        (t, []) => t.clone(),
        (Type::Struct(members, _), [n, rest @ ..]) => {
            members.get(*n as usize).map_or(Type::Void, |(_, t)| inner_type(t, rest))
        }
        (Type::Array(of, ..), [_, rest @ ..]) => inner_type(of, rest),
        _ => Type::Void,
    }
}

/// Which leaves of a type a path leads to.
fn leaf_range(ty: &Type, path: &[u32]) -> (usize, usize) {
    match (ty, path) {
        (t, []) => (0, leaves_of(t).len()),
        (Type::Struct(members, _), [n, rest @ ..]) => {
            let before: usize = members.iter().take(*n as usize).map(|(_, t)| leaves_of(t).len()).sum();
            let (first, count) = members.get(*n as usize).map_or((0, 0), |(_, t)| leaf_range(t, rest));
            (before + first, count)
        }
        (Type::Array(of, ..), [n, rest @ ..]) => {
            let (first, count) = leaf_range(of, rest);
            (leaves_of(of).len() * *n as usize + first, count)
        }
        _ => (0, 0),
    }
}

impl Values<'_, '_> {
    /// Notes a call of a function with a model, for readers.
    pub(in crate::translate) fn note_call(&mut self, state: &mut State, instruction: &Instruction, model: &Model) {
        if model.ends.as_ref().is_some_and(|e| e.how == Ends::Stop)
            && let Some(name) = self.cx.callee_name(instruction)
        {
            self.program.origins.assumes.insert(name);
        }
        if !(model.blocks || model.reads_stream()) {
            state.passes(Happening::Called);
            return;
        }
        let name = self.cx.callee_name(instruction).unwrap_or_else(|| model.name.clone());
        let waiting = &mut self.program.origins.waiting;
        let number = waiting.iter().position(|w| *w == name).unwrap_or_else(|| {
            waiting.push(name);
            waiting.len() - 1
        });
        state.passes(Happening::Waits(number));
    }

    /// A number that the callee computed: over Z it may have left its type.
    pub(in crate::translate) fn result_of_skipped(&mut self, state: &mut State, ty: &Type) -> Sym {
        if *ty == Type::Void {
            return Sym::Nothing;
        }
        let mut parts = Vec::new();
        for (_, leaf) in leaves_of(ty) {
            parts.push(match leaf {
                Type::Int(w) if (2..=128).contains(&w) => {
                    Sym::Num(self.unknown(state, "returned", IntType::signed(w), UnknownKind::Abstraction, None))
                }
                other => self.any(state, &other, UnknownKind::Abstraction),
            });
        }
        match ty {
            Type::Struct(..) | Type::Array(..) => Sym::Aggregate(parts),
            _ => parts.pop().unwrap_or(Sym::Nothing),
        }
    }

    pub(in crate::translate) fn note_standard(&mut self, unknown: &Num, is: bool) {
        if let Expr::Unknown(u) = unknown.expr
            && let Some(Origin::Stream { standard, .. }) = &mut self.program.unknowns[u].origin
        {
            *standard = is;
        }
    }

    /// A part of the command line, for readers.
    pub(in crate::translate) fn note_argument(&mut self, part: &Num, name: String) {
        if let Expr::Unknown(u) = part.expr {
            self.program.unknowns[u].origin = Some(Origin::Parameter { number: 1, name, pointer: None });
        }
    }

    /// Enters a block: its phis get their values.
    pub(in crate::translate) fn enter_block(&mut self, state: &mut State, from: Point, to: BlockId) -> Point {
        let function = self.cx.flat.function(from.instance);
        let block = &function.blocks[to.0 as usize];
        let mut values = Vec::new();
        for instruction in &block.instructions {
            let Op::Phi { incoming } = &instruction.op else { break };
            let operand = incoming.iter().find(|(b, _)| *b == from.block).map(|(_, o)| o);
            let sym = match operand {
                Some(o) => {
                    let o = o.clone();
                    self.operand(state, &o, &instruction.ty)
                }
                None => Sym::Nothing,
            };
            values.push((self.cx.flat.value(from.instance, instruction.id), sym));
        }
        state.env.extend(values);
        Point { instance: from.instance, block: to, index: 0 }
    }

    /// Whether an access is to registers of a device, at addresses that the program gives as numbers: what is read there is
    /// decided by the device, and so is what becomes of what is written.
    pub(in crate::translate) fn is_register(&mut self, state: &mut State, targets: &Targets) -> bool {
        let absolute = self.memory.known(ObjectKind::Absolute);
        let found = absolute.is_some() && targets.0.len() == 1 && targets.0.keys().next().copied() == absolute;
        if found {
            self.program.origins.devices = true;
            let span = state.span.clone();
            self.assume(
                state,
                AssumptionKind::Device,
                "there is a device at the address that the program gives as a number",
                span,
            );
        }
        found
    }
}
