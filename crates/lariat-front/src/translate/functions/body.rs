//! The blocks of one function, instruction by instruction.

use super::locals::{Locals, declared_sign, is_marker, keeps_object, written_by};
use super::{Held, Shared, access_type, calls, is_number};
use crate::intrinsic::Intrinsic;
use crate::module::{
    BinOp, BlockId, Callee, CastOp, Constant, Function, FunctionId, GlobalId, Instruction, Op, Operand, Predicate,
    Terminator, Type, ValueId,
};
use crate::translate::values::arith::{self, Num, Sym, and, bit, cmp, constant, ite, low_bit, operate, or, truth};
use crate::translate::values::numbers::{bit_operation, select};
use crate::translate::values::operand_type;
use crate::translate::{bits_of, debug, operands_of, signs, span_of, terminator_operands};
use dashu_int::IBig;
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::function::{Access, AccessType, Block, Call, End, Object, ObjectRef, Step, Var, Writes};
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Overflow};
use std::sync::Arc;

/// A function that is being translated.
pub(super) struct Body<'m> {
    pub shared: &'m Shared<'m>,
    /// Its number in the module.
    pub id: FunctionId,
    pub function: &'m Function,
    locals: Locals,
    signs: FastMap<ValueId, bool>,
    vars: Vec<Var>,
    held: Vec<Option<Held>>,
    objects: Vec<Object>,
    /// The variables of local variables, and of values that more than one block uses.
    home: FastMap<ValueId, usize>,
    /// Of a `phi`: the variable that a predecessor leaves its value in. It is read at the beginning of the block only, so that an
    /// edge to elsewhere that passes the assignment, too, does no harm.
    arriving: FastMap<ValueId, usize>,
    /// The variables that are addresses of objects.
    addresses: FastMap<ObjectRef, usize>,
    blocks: Vec<Block>,
    /// Of the current block: what its instructions gave so far, the steps, and the local variables that may not have been written.
    values: FastMap<ValueId, Sym>,
    steps: Vec<Step>,
    unwritten: FastSet<ValueId>,
}

impl<'m> Body<'m> {
    pub(super) fn new(shared: &'m Shared<'m>, id: FunctionId) -> Self {
        let function = &shared.module.functions[id.0 as usize];
        let locals = Locals::new(shared.module, function);
        let mut this = Self {
            shared,
            id,
            function,
            locals,
            signs: signs(function),
            vars: Vec::new(),
            held: Vec::new(),
            objects: Vec::new(),
            home: FastMap::default(),
            arriving: FastMap::default(),
            addresses: FastMap::default(),
            blocks: Vec::new(),
            values: FastMap::default(),
            steps: Vec::new(),
            unwritten: FastSet::default(),
        };
        this.declare();
        this
    }

    pub(super) fn finish(self) -> (Vec<Var>, Vec<Object>, Vec<Block>, Vec<Option<Held>>) {
        (self.vars, self.objects, self.blocks, self.held)
    }

    pub(super) fn var(&mut self, name: impl Into<String>, ty: IntType, named: bool) -> usize {
        self.vars.push(Var { name: debug::clean(&name.into()), ty, named, object: None });
        self.held.push(None);
        self.vars.len() - 1
    }

    /// A variable that has a counterpart in the module.
    fn var_of(&mut self, held: Held, name: impl Into<String>, ty: IntType, named: bool) -> usize {
        let var = self.var(name, ty, named);
        self.held[var] = Some(held);
        var
    }

    /// Parameters, local variables, and what is used in another block than where it is made.
    fn declare(&mut self) {
        let function = self.function;
        for (n, p) in function.params.iter().enumerate() {
            let v = ValueId(super::index(n));
            let ty = if is_number(&p.ty) { self.type_of(v, &p.ty) } else { IntType::unsigned(1) };
            let name = function.values.iter().find(|(w, _)| *w == v).map(|(_, variable)| variable.name.clone());
            let named = name.is_some();
            let name = name.unwrap_or_else(|| format!("argument {}", n + 1));
            let var = self.var_of(Held::Value(v), name, ty, named);
            if is_number(&p.ty) {
                self.home.insert(v, var);
            }
        }
        let mut made: FastMap<ValueId, usize> = FastMap::default();
        for (b, block) in function.blocks.iter().enumerate() {
            for i in &block.instructions {
                made.insert(i.id, b);
                match &i.op {
                    Op::Alloca { .. } => self.declare_local(i),
                    Op::Phi { .. } if is_number(&i.ty) => {
                        let ty = self.type_of(i.id, &i.ty);
                        let name = self.name_of(i);
                        let var = self.var_of(Held::Value(i.id), name.clone(), ty, false);
                        self.home.insert(i.id, var);
                        let var = self.var_of(Held::Arriving(i.id), format!("{name} arriving"), ty, false);
                        self.arriving.insert(i.id, var);
                    }
                    _ => {}
                }
            }
        }
        let mut shared: Vec<ValueId> = Vec::new();
        for (b, block) in function.blocks.iter().enumerate() {
            let mut used = |o: &Operand| {
                if let Operand::Value(v) = o
                    && made.get(v).is_some_and(|at| *at != b)
                {
                    shared.push(*v);
                }
            };
            for i in &block.instructions {
                match &i.op {
                    // Read where the value comes from.
                    Op::Phi { .. } => {}
                    op => operands_of(op).into_iter().for_each(&mut used),
                }
            }
            terminator_operands(&block.terminator).into_iter().for_each(&mut used);
        }
        // A phi reads what arrives by an edge at the end of the block that the edge comes from.
        for i in function.blocks.iter().flat_map(|b| &b.instructions) {
            if let Op::Phi { incoming } = &i.op {
                for (from, o) in incoming {
                    if let Operand::Value(v) = o
                        && made.get(v).is_some_and(|at| *at != from.0 as usize)
                    {
                        shared.push(*v);
                    }
                }
            }
        }
        shared.sort_unstable();
        shared.dedup();
        let wanted: FastSet<ValueId> = shared.into_iter().collect();
        for i in function.blocks.iter().flat_map(|b| &b.instructions) {
            let is_kept = wanted.contains(&i.id) && is_number(&i.ty) && !matches!(i.op, Op::Alloca { .. });
            if is_kept && !self.home.contains_key(&i.id) {
                let ty = self.type_of(i.id, &i.ty);
                let name = self.name_of(i);
                let var = self.var_of(Held::Value(i.id), name, ty, false);
                self.home.insert(i.id, var);
            }
        }
    }

    fn declare_local(&mut self, i: &Instruction) {
        let declared = self.function.declares.iter().find(|(v, _)| *v == i.id);
        let name = declared.map(|(_, v)| v.name.clone());
        let named = name.is_some();
        let name = name.unwrap_or_else(|| format!("slot {}", i.id.0));
        if let Some(ty) = self.locals.promoted.get(&i.id).cloned() {
            if is_number(&ty) {
                let int = match ty {
                    Type::Ptr => self.shared.address,
                    _ => IntType {
                        width: bits_of(&ty, self.shared.module),
                        // A number that was computed as signed must not be reduced on its way through a variable.
                        signed: declared_sign(self.shared.module, self.function, i.id).unwrap_or_else(|| {
                            let votes = self.uses_of(i.id).into_iter().filter_map(|v| self.signs.get(&v).copied());
                            votes.reduce(|a, b| a || b).unwrap_or(true)
                        }),
                    },
                };
                let var = self.var_of(Held::Content(i.id), name, int, named);
                self.home.insert(i.id, var);
            }
            return;
        }
        let private = self.locals.private.contains(&i.id);
        self.objects.push(Object { private, constant: false, bounded: true });
        let object = ObjectRef::Local(self.objects.len() - 1);
        let var = self.var_of(Held::Value(i.id), format!("&{name}"), self.shared.address, false);
        self.vars[var].object = Some(object);
        self.addresses.insert(object, var);
        self.home.insert(i.id, var);
    }

    /// The values that are stored to a local variable and loaded from it.
    fn uses_of(&self, local: ValueId) -> Vec<ValueId> {
        let mut found = Vec::new();
        for i in self.function.blocks.iter().flat_map(|b| &b.instructions) {
            match &i.op {
                Op::Load { ptr: Operand::Value(p), .. } if *p == local => found.push(i.id),
                Op::Store { ptr: Operand::Value(p), value: Operand::Value(v), .. } if *p == local => found.push(*v),
                _ => {}
            }
        }
        found
    }

    fn name_of(&self, i: &Instruction) -> String {
        let variable = self.function.values.iter().find(|(v, _)| *v == i.id);
        match (variable, i.place) {
            (Some((_, v)), _) => v.name.clone(),
            (None, Some(p)) => format!("value {}:{}", p.line, p.column),
            (None, None) => format!("value {}", i.id.0),
        }
    }

    /// The type that a value is read as.
    fn type_of(&self, v: ValueId, ty: &Type) -> IntType {
        match ty {
            Type::Ptr => self.shared.address,
            Type::Int(1) => IntType::unsigned(1),
            _ => IntType {
                width: bits_of(ty, self.shared.module).clamp(1, 128),
                signed: self.signs.get(&v).copied().unwrap_or(true),
            },
        }
    }

    pub(super) fn translate(&mut self) {
        for b in 0..self.function.blocks.len() {
            self.values.clear();
            self.steps.clear();
            self.unwritten = self.locals.unwritten[b].clone();
            let end = self.block(b);
            let steps = std::mem::take(&mut self.steps);
            self.blocks.push(Block { steps, end });
        }
    }

    fn block(&mut self, b: usize) -> End {
        let function = self.function;
        let block = &function.blocks[b];
        for i in &block.instructions {
            if let Some(end) = self.instruction(i) {
                // What does not return may throw.
                return match (end, &block.terminator) {
                    (End::Gone, Terminator::Invoke { unwind, .. }) => {
                        let end = End::Choose(vec![unwind.0 as usize]);
                        self.arrive(b, &end);
                        end
                    }
                    (end, _) => end,
                };
            }
            if let Some((local, is_written)) = written_by(self.shared.module, i)
                && self.locals.promoted.contains_key(&local)
            {
                if is_written {
                    self.unwritten.remove(&local);
                } else {
                    self.unwritten.insert(local);
                }
            }
            if let (Some(sym), Some(var)) = (self.values.get(&i.id).cloned(), self.home.get(&i.id).copied()) {
                let value = self.as_type(&sym, var);
                if value != Expr::Var(var) {
                    self.steps.push(Step::Assign { var, value });
                }
            }
        }
        self.leave(b, &block.terminator)
    }

    /// A value as one of the type of a variable.
    fn as_type(&mut self, sym: &Sym, var: usize) -> Expr {
        let ty = self.vars[var].ty;
        match sym {
            Sym::Num(n) => n.to(ty),
            Sym::Cond(c) => bit(c).to(ty),
            Sym::Aggregate(_) | Sym::Nothing => self.fresh(ty),
        }
    }

    /// A value that nobody knows.
    pub(super) fn fresh(&mut self, ty: IntType) -> Expr {
        let var = self.var("unknown", ty, false);
        self.steps.push(Step::Fresh { var });
        Expr::Var(var)
    }

    fn fresh_sym(&mut self, ty: &Type) -> Sym {
        match ty {
            Type::Int(1) => Sym::Cond(low_bit(&Num::new(self.fresh(IntType::unsigned(1)), IntType::unsigned(1)))),
            ty if is_number(ty) => {
                let int = match ty {
                    Type::Ptr => self.shared.address,
                    _ => IntType::signed(bits_of(ty, self.shared.module)),
                };
                Sym::Num(Num::new(self.fresh(int), int))
            }
            _ => Sym::Nothing,
        }
    }

    fn address_of(&mut self, object: ObjectRef, name: &str) -> Expr {
        if let Some(var) = self.addresses.get(&object) {
            return Expr::Var(*var);
        }
        let var = self.var(format!("&{name}"), self.shared.address, false);
        self.vars[var].object = Some(object);
        self.addresses.insert(object, var);
        Expr::Var(var)
    }

    fn global(&mut self, g: GlobalId, offset: i64) -> Expr {
        let global = &self.shared.module.globals[g.0 as usize];
        let name = global.variable.as_ref().map_or(global.name.as_str(), |v| v.name.as_str());
        let base = self.address_of(ObjectRef::Global(self.shared.globals[&g]), name);
        self.moved(base, constant(offset, self.shared.address))
    }

    fn moved(&self, base: Expr, by: Expr) -> Expr {
        operate(BinaryOp::Add, self.shared.address, Overflow::Undefined, base, by)
    }

    pub(super) fn operand(&mut self, o: &Operand, ty: &Type) -> Sym {
        match o {
            Operand::Value(v) => {
                if let Some(sym) = self.values.get(v) {
                    return sym.clone();
                }
                match self.home.get(v).copied() {
                    // The address of a variable that has none is used by nothing that is translated.
                    Some(_) if self.locals.promoted.contains_key(v) => self.fresh_sym(ty),
                    Some(var) if self.vars[var].ty == IntType::unsigned(1) => {
                        Sym::Cond(low_bit(&Num::new(Expr::Var(var), IntType::unsigned(1))))
                    }
                    Some(var) => Sym::Num(Num::new(Expr::Var(var), self.vars[var].ty)),
                    None => self.fresh_sym(ty),
                }
            }
            Operand::Constant(c) => self.constant(c, ty),
        }
    }

    fn constant(&mut self, c: &Constant, ty: &Type) -> Sym {
        match c {
            Constant::Int(1, bits) => Sym::Cond(truth(bits & 1 == 1)),
            Constant::Int(width, bits) if *width <= 128 => {
                Sym::Num(Num::constant(IBig::from(*bits), IntType::signed(*width)))
            }
            Constant::Null => Sym::Num(Num::constant(0, self.shared.address)),
            Constant::Zero(Type::Ptr) => Sym::Num(Num::constant(0, self.shared.address)),
            Constant::Zero(Type::Int(1)) => Sym::Cond(truth(false)),
            Constant::Zero(Type::Int(w)) if *w <= 128 => Sym::Num(Num::constant(0, IntType::signed(*w))),
            Constant::Global(g, offset) => Sym::Num(Num::new(self.global(*g, *offset), self.shared.address)),
            _ => self.fresh_sym(ty),
        }
    }

    pub(super) fn number(&mut self, o: &Operand, ty: &Type) -> Num {
        match self.operand(o, ty) {
            Sym::Num(n) => n,
            Sym::Cond(c) => bit(&c),
            Sym::Aggregate(_) | Sym::Nothing => {
                let int = IntType::signed(bits_of(ty, self.shared.module).clamp(1, 128));
                Num::new(self.fresh(int), int)
            }
        }
    }

    /// What is handed to a function, or given back by one, with its type.
    pub(super) fn passed(&mut self, o: &Operand, ty: &Type) -> (Expr, IntType) {
        let n = match ty {
            Type::Ptr => Num::new(self.pointer(o), self.shared.address),
            _ => self.number(o, ty),
        };
        (n.expr, n.ty)
    }

    fn condition(&mut self, o: &Operand) -> Cond {
        match self.operand(o, &Type::Int(1)) {
            Sym::Cond(c) => c,
            Sym::Num(n) => low_bit(&n),
            Sym::Aggregate(_) | Sym::Nothing => {
                low_bit(&Num::new(self.fresh(IntType::unsigned(1)), IntType::unsigned(1)))
            }
        }
    }

    pub(super) fn pointer(&mut self, o: &Operand) -> Expr {
        let address = self.shared.address;
        self.number(o, &Type::Ptr).to(address)
    }

    /// That bytes are where an object can be: not below zero, and not behind the last address.
    fn require_room(&mut self, address: &Expr, bytes: u64) {
        let ty = self.shared.address;
        let last = ty.range().1 - IBig::from(bytes.max(1) - 1);
        let from = cmp(CmpOp::Ge, ty, address.clone(), constant(0, ty));
        let to = cmp(CmpOp::Le, ty, address.clone(), Expr::Const(last, ty));
        match and(from, to) {
            Cond::Const(true) => {}
            c => self.steps.push(Step::Require(c)),
        }
    }

    /// What an instruction does; an end if nothing of the block follows.
    fn instruction(&mut self, i: &Instruction) -> Option<End> {
        let module = self.shared.module;
        if is_marker(module, &i.op) {
            self.begin_life(i);
            return None;
        }
        let width = bits_of(&i.ty, module);
        let sym = match &i.op {
            Op::Alloca { .. } => {
                // Elsewhere than in the first block it is another object each time.
                if let Some(var) = self.home.get(&i.id).copied().filter(|v| self.vars[*v].object.is_some())
                    && !self.blocks.is_empty()
                {
                    self.steps.push(Step::Fresh { var });
                }
                return None;
            }
            Op::Load { ptr, size, align, volatile, atomic, by, .. } => {
                if *atomic {
                    self.synchronise();
                }
                let by = access_type(self.shared.module, by, (&i.ty, *size, *align));
                self.load(i, ptr, (*size, by), *volatile || *atomic)
            }
            Op::Store { value, ptr, ty, size, align, atomic, by, .. } => {
                if *atomic {
                    self.synchronise();
                }
                let by = access_type(self.shared.module, by, (ty, *size, *align));
                self.store(value, ptr, ty, (*size, by));
                return None;
            }
            Op::Gep { base, offset, indices, .. } if keeps_object(&i.op) => self.element(base, *offset, indices),
            Op::Binary { op, left, right, flags } if is_number(&i.ty) => {
                if width == 1 {
                    let (a, b) = (self.condition(left), self.condition(right));
                    match op {
                        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Add | BinOp::Sub | BinOp::Mul => {
                            bit_operation(*op, &a, &b)
                        }
                        _ => self.fresh_sym(&i.ty),
                    }
                } else {
                    let (a, b) = (self.number(left, &i.ty), self.number(right, &i.ty));
                    self.require_defined((*op, flags.checked), width, (&a, &b));
                    Sym::Num(arith::binary(*op, width, &a, &b, *flags))
                }
            }
            Op::Compare { pred, left, right, ty, .. } if is_number(ty) => self.compare(*pred, left, right, ty),
            Op::Cast { op, arg, from, .. } => self.cast(*op, arg, from, &i.ty),
            Op::Select { cond, yes, no } if is_number(&i.ty) => {
                let c = self.condition(cond);
                let (a, b) = (self.operand(yes, &i.ty), self.operand(no, &i.ty));
                match (&i.ty, a, b) {
                    (Type::Ptr, Sym::Num(a), Sym::Num(b)) => {
                        let ty = self.shared.address;
                        Sym::Num(Num::new(ite(c, a.to(ty), b.to(ty)), ty))
                    }
                    (_, a, b) => select(&c, &a, &b, width),
                }
            }
            Op::Phi { .. } => match self.arriving.get(&i.id).zip(self.home.get(&i.id)) {
                // What arrives is another value at the end of a block that leads back to itself.
                Some((arriving, home)) => {
                    let (arriving, home) = (*arriving, *home);
                    self.steps.push(Step::Assign { var: home, value: Expr::Var(arriving) });
                    let n = Num::new(Expr::Var(home), self.vars[home].ty);
                    if width == 1 { Sym::Cond(low_bit(&n)) } else { Sym::Num(n) }
                }
                None => Sym::Nothing,
            },
            Op::Freeze { arg: Operand::Constant(c) } if !matches!(c, Constant::Undef(_) | Constant::Poison(_)) => {
                self.constant(c, &i.ty)
            }
            Op::AtomicRmw { ptr, size, .. } | Op::CompareExchange { ptr, size, .. } => {
                let address = self.pointer(ptr);
                self.steps
                    .push(Step::Store { at: Access { address, bytes: Some(*size), ty: None, by: None }, value: None });
                self.synchronise();
                self.fresh_sym(&i.ty)
            }
            Op::Fence => {
                self.synchronise();
                return None;
            }
            Op::Call { .. } => return calls::call(self, i),
            Op::Opaque { acts: true, .. } => {
                self.synchronise();
                self.fresh_sym(&i.ty)
            }
            _ => self.fresh_sym(&i.ty),
        };
        self.values.insert(i.id, sym);
        None
    }

    /// What other threads wrote may be seen from here on.
    fn synchronise(&mut self) {
        let (callee, targets, args) = ("another thread".to_owned(), Vec::new(), Vec::new());
        self.steps.push(Step::Call(Call { callee, targets, writes: Writes::Outside, args, result: None }));
    }

    /// Where the life of a local object begins, or ends, nobody knows what it holds.
    fn begin_life(&mut self, i: &Instruction) {
        let marked = [Intrinsic::LifetimeStart, Intrinsic::LifetimeEnd]
            .into_iter()
            .find_map(|what| debug::marked(self.shared.module, i, what));
        let Some(var) = marked.and_then(|v| self.home.get(&v).copied()) else { return };
        if self.vars[var].object.is_some() {
            let at = Access { address: Expr::Var(var), bytes: None, ty: None, by: None };
            self.steps.push(Step::Store { at, value: None });
        }
    }

    /// The result of a call, or of another instruction that makes steps of its own.
    pub(super) fn set(&mut self, i: &Instruction, sym: Sym) {
        self.values.insert(i.id, sym);
    }

    /// A variable for what an instruction gives, if that is a number.
    pub(super) fn result(&mut self, i: &Instruction) -> Option<usize> {
        if !is_number(&i.ty) {
            return None;
        }
        let ty = self.type_of(i.id, &i.ty);
        let name = self.name_of(i);
        let var = self.var_of(Held::Value(i.id), name, ty, false);
        let sym = match i.ty {
            Type::Int(1) => Sym::Cond(low_bit(&Num::new(Expr::Var(var), ty))),
            _ => Sym::Num(Num::new(Expr::Var(var), ty)),
        };
        self.set(i, sym);
        Some(var)
    }

    pub(super) fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn load(
        &mut self,
        i: &Instruction,
        ptr: &Operand,
        (size, by): (u64, Option<Arc<AccessType>>),
        strange: bool,
    ) -> Sym {
        if let Operand::Value(p) = ptr
            && self.locals.promoted.contains_key(p)
        {
            let Some(local) = self.home.get(p).copied().filter(|_| !self.unwritten.contains(p)) else {
                return self.fresh_sym(&i.ty);
            };
            let ty = self.vars[local].ty;
            let name = self.vars[local].name.clone();
            let var = self.var_of(Held::Value(i.id), name, ty, false);
            self.steps.push(Step::Assign { var, value: Expr::Var(local) });
            return if i.ty == Type::Int(1) {
                Sym::Cond(low_bit(&Num::new(Expr::Var(var), ty)))
            } else {
                Sym::Num(Num::new(Expr::Var(var), ty))
            };
        }
        let address = self.pointer(ptr);
        self.require_room(&address, size);
        if strange || !is_number(&i.ty) {
            return self.fresh_sym(&i.ty);
        }
        let var = self.result(i).expect("it is a number");
        let ty = self.vars[var].ty;
        self.steps.push(Step::Load { var, at: Access { address, bytes: Some(size), ty: Some(ty), by } });
        self.values[&i.id].clone()
    }

    fn store(&mut self, value: &Operand, ptr: &Operand, ty: &Type, (size, by): (u64, Option<Arc<AccessType>>)) {
        if let Operand::Value(p) = ptr
            && self.locals.promoted.contains_key(p)
        {
            if let Some(local) = self.home.get(p).copied() {
                let sym = self.operand(value, ty);
                let value = self.as_type(&sym, local);
                self.steps.push(Step::Assign { var: local, value });
            }
            return;
        }
        let address = self.pointer(ptr);
        self.require_room(&address, size);
        let mut access = Access { address, bytes: Some(size), ty: None, by };
        let mut stored = None;
        if is_number(ty) && u64::from(bits_of(ty, self.shared.module)) == 8 * size {
            let n = match ty {
                Type::Ptr => Num::new(self.pointer(value), self.shared.address),
                _ => self.number(value, ty),
            };
            // As wide as what is stored, so that one reading is enough.
            let int = match ty {
                Type::Ptr => self.shared.address,
                _ => IntType { width: bits_of(ty, self.shared.module), signed: n.ty.signed },
            };
            access.ty = Some(int);
            stored = Some(n.to(int));
        }
        self.steps.push(Step::Store { at: access, value: stored });
    }

    fn element(&mut self, base: &Operand, offset: i64, indices: &[(Operand, i64)]) -> Sym {
        let address = self.shared.address;
        let base = self.pointer(base);
        let mut sum = add_constant(base, &IBig::from(offset), address);
        for (i, scale) in indices {
            let ty = operand_type(self.function, i);
            let value = self.number(i, &ty);
            let value = arith::sign_extend(&value, bits_of(&ty, self.shared.module).clamp(1, 128));
            let scaled =
                operate(BinaryOp::Mul, address, Overflow::Undefined, value.to(address), constant(*scale, address));
            sum = match scaled {
                Expr::Const(k, _) => add_constant(sum, &k, address),
                scaled => self.moved(sum, scaled),
            };
        }
        Sym::Num(Num::new(sum, address))
    }

    fn compare(&mut self, pred: Predicate, left: &Operand, right: &Operand, ty: &Type) -> Sym {
        if *ty == Type::Ptr {
            // Addresses are not negative, so the order of the numbers is that of the addresses.
            let address = self.shared.address;
            let (a, b) = (self.pointer(left), self.pointer(right));
            let op = match pred {
                Predicate::Eq => CmpOp::Eq,
                Predicate::Ne => CmpOp::Ne,
                Predicate::Ugt => CmpOp::Gt,
                Predicate::Uge => CmpOp::Ge,
                Predicate::Ult => CmpOp::Lt,
                Predicate::Ule => CmpOp::Le,
                Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle => {
                    return self.fresh_sym(&Type::Int(1));
                }
            };
            return Sym::Cond(cmp(op, address, a, b));
        }
        let width = bits_of(ty, self.shared.module);
        let (a, b) = (self.number(left, ty), self.number(right, ty));
        Sym::Cond(arith::compare(pred, width, &a, &b))
    }

    /// A division by zero and one that overflows are undefined, whatever becomes of the result. So is a shift by too much where the source has it; elsewhere it may have been
    /// moved to where nothing uses the result.
    fn require_defined(&mut self, (op, is_checked): (BinOp, bool), width: u32, (a, b): (&Num, &Num)) {
        let (unsigned, signed) = (IntType::unsigned(width), IntType::signed(width));
        let differs = |n: &Num, ty: IntType, k: IBig| cmp(CmpOp::Ne, ty, n.to(ty), constant(k, ty));
        let condition = match op {
            BinOp::UDiv | BinOp::URem => differs(b, unsigned, 0.into()),
            BinOp::SDiv | BinOp::SRem => {
                let overflow = or(differs(b, signed, (-1).into()), differs(a, signed, signed.range().0));
                and(differs(b, signed, 0.into()), overflow)
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr if is_checked => {
                cmp(CmpOp::Lt, unsigned, b.to(unsigned), constant(width, unsigned))
            }
            _ => return,
        };
        if condition != truth(true) {
            self.steps.push(Step::Require(condition));
        }
    }

    fn cast(&mut self, op: CastOp, arg: &Operand, from: &Type, to: &Type) -> Sym {
        if matches!(from, Type::Float(_)) && is_number(to) && op != CastOp::BitCast {
            // Undefined where it does not fit, which nobody knows here.
            let flag = IntType::unsigned(1);
            let fits = self.fresh(flag);
            self.steps.push(Step::Require(cmp(CmpOp::Ne, flag, fits, constant(0, flag))));
        }
        if !is_number(from) || !is_number(to) {
            return self.fresh_sym(to);
        }
        let module = self.shared.module;
        let (wide, width) = (bits_of(from, module), bits_of(to, module));
        let pointer = IntType::unsigned(module.pointer_bits);
        let n = self.number(arg, from);
        let made = match op {
            CastOp::Trunc => arith::truncate(&n, width),
            CastOp::ZExt => arith::zero_extend(&n, wide),
            CastOp::SExt => arith::sign_extend(&n, wide),
            CastOp::PtrToInt => {
                let n = n.read_as(pointer);
                if width < pointer.width { arith::truncate(&n, width) } else { n }
            }
            CastOp::IntToPtr => {
                let n = if wide < pointer.width { arith::zero_extend(&n, wide) } else { n.read_as(pointer) };
                n.read_as(self.shared.address)
            }
            CastOp::BitCast if from == to => n,
            _ => return self.fresh_sym(to),
        };
        if width == 1 { Sym::Cond(low_bit(&made)) } else { Sym::Num(made) }
    }

    /// How a block ends; what arrives at the blocks behind it is left for them.
    fn leave(&mut self, b: usize, terminator: &Terminator) -> End {
        let end = match terminator {
            Terminator::Jump(to) => End::Jump(to.0 as usize),
            Terminator::Branch { cond, yes, no } => {
                let cond = self.condition(cond);
                End::Branch { cond, yes: yes.0 as usize, no: no.0 as usize }
            }
            Terminator::Switch { value, width, cases, default } if *width <= 128 => {
                let ty = IntType::unsigned(*width);
                let n = self.number(value, &Type::Int(*width));
                let int = if n.ty.signed { IntType::signed(*width) } else { ty };
                let cases = cases.iter().map(|(k, to)| (arith::wrap(&IBig::from(*k), int), to.0 as usize)).collect();
                End::Switch { value: n.to(int), ty: int, cases, default: default.0 as usize }
            }
            Terminator::Switch { cases, default, .. } => {
                End::Choose(cases.iter().map(|(_, to)| to.0 as usize).chain([default.0 as usize]).collect())
            }
            Terminator::IndirectJump { targets, .. } | Terminator::Opaque { targets, .. } => {
                End::Choose(targets.iter().map(|t| t.0 as usize).collect())
            }
            Terminator::Invoke { normal, unwind } => End::Choose(vec![normal.0 as usize, unwind.0 as usize]),
            Terminator::Return(Some(value)) if is_number(&self.function.result) => {
                let ty = self.function.result.clone();
                End::Return(Some(self.passed(value, &ty)))
            }
            Terminator::Return(_) => End::Return(None),
            Terminator::Resume => End::Gone,
            Terminator::Unreachable => End::Ub,
        };
        self.arrive(b, &end);
        end
    }

    /// Leaves what arrives at the blocks behind a block.
    fn arrive(&mut self, b: usize, end: &End) {
        let mut targets = end.targets();
        targets.sort_unstable();
        targets.dedup();
        let here = BlockId(super::index(b));
        let function = self.function;
        for to in targets {
            for i in &function.blocks[to].instructions {
                let Op::Phi { incoming } = &i.op else { continue };
                let Some(var) = self.arriving.get(&i.id).copied() else { continue };
                if let Some((_, o)) = incoming.iter().find(|(from, _)| *from == here) {
                    let sym = self.operand(o, &i.ty);
                    let value = self.as_type(&sym, var);
                    self.steps.push(Step::Assign { var, value });
                }
            }
        }
    }

    pub(super) fn intrinsic(&self, callee: &Callee) -> Option<Intrinsic> {
        match callee {
            Callee::Function(f) => self.shared.module.functions[f.0 as usize].intrinsic,
            _ => None,
        }
    }
    pub(super) fn span(&self, i: &Instruction) -> Option<lariat_ir::Span> {
        span_of(self.shared.module, i.place)
    }
}

/// A sum with a constant, whose constants are together.
fn add_constant(base: Expr, k: &IBig, ty: IntType) -> Expr {
    if let Expr::Binary { op: BinaryOp::Add, left, right, .. } = &base
        && let Expr::Const(c, _) = &**right
    {
        return operate(BinaryOp::Add, ty, Overflow::Undefined, (**left).clone(), constant(c + k, ty));
    }
    operate(BinaryOp::Add, ty, Overflow::Undefined, base, constant(k.clone(), ty))
}
