//! One graph from many functions: callees are entered, not copied.
//!
//! An [`Instance`] is a function at one call site; its values have numbers of their own. A call whose function is being
//! called already, further out, is a recursion: control goes back to the entry of that instance. Where a return of it goes on
//! is a matter of the [`Form`]. Calls that would make the graph too large stay calls.

use super::values::operand_type;
use crate::intrinsic::Intrinsic;
use crate::module::{
    BlockId, Callee, Function, FunctionId, Instruction, Module, Op, Operand, Terminator, Type, ValueId,
};
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::graph::components;
use std::collections::{BTreeSet, VecDeque};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct InstanceId(pub u32);

/// A place in the graph: before the instruction `index` of a block, or before its terminator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Point {
    pub instance: InstanceId,
    pub block: BlockId,
    pub index: u32,
}

impl Point {
    /// The mark of points behind the scopes that begin there.
    const BEGUN: u32 = 1 << 31;
    /// The position that stands for the return of an instance that is entered again from within.
    pub const RETURN: u32 = u32::MAX;

    /// The same place, when the scopes that begin there have begun: a location of its own where the instruction needs what that stored.
    pub fn begun(self) -> Self {
        Self { index: self.index | Self::BEGUN, ..self }
    }
    pub fn is_begun(self) -> bool {
        self.index & Self::BEGUN != 0 && self.index != Self::RETURN
    }
    /// The place in the graph.
    pub fn plain(self) -> Self {
        if self.is_begun() { Self { index: self.index & !Self::BEGUN, ..self } } else { self }
    }
}

/// A value of an instance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct FlatValue(pub u32);

#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub function: FunctionId,
    /// The call that this is: the point before it.
    pub parent: Option<Point>,
    /// The calls further in that lead back to the entry of this instance.
    pub recursions: Vec<Point>,
    base: u32,
}

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Plan {
    /// The callee's instance is entered.
    Enter(InstanceId),
    /// The instance, which is being executed already, is entered again.
    Again(InstanceId),
    /// The callee is not followed: it is declared only, or too large.
    Stay,
}

/// What becomes of recursive calls; see [`lariat_ir::neutral::Recursion`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A return of an instance resumes after any of the recursive calls that may have led to it.
    Resume,
    /// A recursive call is skipped, or never left: see [`super::calls::skip`].
    Skip,
}

pub(super) struct Flat<'m> {
    pub module: &'m Module,
    pub form: Form,
    pub instances: Vec<Instance>,
    /// For each call of a function with a body, or through a pointer: the possible callees.
    plans: FastMap<Point, Vec<(FunctionId, Plan)>>,
    /// The points after calls that return twice.
    pub returns_twice: Vec<Point>,
    /// Functions with a body that are not followed at some call.
    pub left_out: BTreeSet<FunctionId>,
    values: u32,
}

/// How many instructions the graph may have; beyond it calls stay calls.
const BUDGET: usize = 40_000;
/// How many functions a call through a pointer is tried with.
const CANDIDATES: usize = 16;

impl<'m> Flat<'m> {
    pub(super) fn new(module: &'m Module, entry: FunctionId) -> Self {
        let mut flat = Self {
            module,
            form: Form::Resume,
            instances: Vec::new(),
            plans: FastMap::default(),
            returns_twice: Vec::new(),
            left_out: BTreeSet::new(),
            values: 0,
        };
        let taken = address_taken(module);
        let root = flat.add(entry, None);
        let mut size = instructions(module, entry);
        let mut queue = VecDeque::from([root]);
        // Breadth first: what is near the entry is followed before what is far.
        while let Some(id) = queue.pop_front() {
            let function = flat.function(id);
            for (b, block) in function.blocks.iter().enumerate() {
                for (i, instruction) in block.instructions.iter().enumerate() {
                    let Op::Call { callee, args, returns_twice, .. } = &instruction.op else { continue };
                    let point = Point { instance: id, block: BlockId(index(b)), index: index(i) };
                    if *returns_twice && is_setjmp(module, callee) {
                        flat.returns_twice.push(point);
                    }
                    let callees = match callee {
                        Callee::Function(f) => vec![*f],
                        Callee::Pointer(_) => {
                            let types: Vec<Type> = args.iter().map(|a| operand_type(function, a)).collect();
                            candidates(module, &taken, &types, &instruction.ty)
                        }
                        Callee::Asm(_) => continue,
                    };
                    let mut plan = Vec::new();
                    let many = callees.len() > CANDIDATES;
                    for f in callees {
                        if module.functions[f.0 as usize].blocks.is_empty() {
                            plan.push((f, Plan::Stay));
                            continue;
                        }
                        if let Some(active) = flat.active(id, f) {
                            flat.instances[active.0 as usize].recursions.push(point);
                            plan.push((f, Plan::Again(active)));
                            continue;
                        }
                        let more = instructions(module, f);
                        if many || size + more > BUDGET {
                            flat.left_out.insert(f);
                            plan.push((f, Plan::Stay));
                            continue;
                        }
                        size += more;
                        let inner = flat.add(f, Some(point));
                        queue.push_back(inner);
                        plan.push((f, Plan::Enter(inner)));
                    }
                    flat.plans.insert(point, plan);
                }
            }
        }
        flat
    }

    fn add(&mut self, function: FunctionId, parent: Option<Point>) -> InstanceId {
        let id = InstanceId(index(self.instances.len()));
        let base = self.values;
        self.values += index(self.module.functions[function.0 as usize].value_count());
        self.instances.push(Instance { function, parent, recursions: Vec::new(), base });
        id
    }

    /// The instance of a function that is being executed when `from` is.
    fn active(&self, from: InstanceId, function: FunctionId) -> Option<InstanceId> {
        let mut at = Some(from);
        while let Some(id) = at {
            if self.instance(id).function == function {
                return Some(id);
            }
            at = self.instance(id).parent.map(|p| p.instance);
        }
        None
    }

    pub(super) fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id.0 as usize]
    }
    pub(super) fn ids(&self) -> impl Iterator<Item = InstanceId> + use<> {
        (0..index(self.instances.len())).map(InstanceId)
    }
    pub(super) fn function(&self, id: InstanceId) -> &'m Function {
        &self.module.functions[self.instance(id).function.0 as usize]
    }
    pub(super) fn value(&self, id: InstanceId, value: ValueId) -> FlatValue {
        FlatValue(self.instance(id).base + value.0)
    }
    pub(super) fn value_count(&self) -> usize {
        self.values as usize
    }
    pub(super) fn plan(&self, call: Point) -> &[(FunctionId, Plan)] {
        self.plans.get(&call).map_or(&[], Vec::as_slice)
    }
    #[expect(clippy::unused_self, reason = "it is asked like every other place of the graph")]
    pub(super) fn entry(&self, id: InstanceId) -> Point {
        Point { instance: id, block: BlockId(0), index: 0 }
    }
    pub(super) fn block(&self, p: Point) -> &'m crate::module::Block {
        &self.function(p.instance).blocks[p.block.0 as usize]
    }
    pub(super) fn instruction(&self, p: Point) -> Option<&'m Instruction> {
        self.block(p).instructions.get(p.index as usize)
    }
    /// Whether `inner` is executed within a call that `outer` is.
    pub(super) fn is_within(&self, inner: InstanceId, outer: InstanceId) -> bool {
        let mut at = Some(inner);
        while let Some(id) = at {
            if id == outer {
                return true;
            }
            at = self.instance(id).parent.map(|p| p.instance);
        }
        false
    }

    /// Where control goes on after a call that returns.
    pub(super) fn after_call(&self, call: Point) -> Point {
        let block = self.block(call);
        match block.terminator {
            Terminator::Invoke { normal, .. } if call.index as usize + 1 == block.instructions.len() => {
                Point { block: normal, index: 0, ..call }
            }
            _ => Point { index: call.index + 1, ..call },
        }
    }

    /// Where an exception goes that leaves a call; nothing if nobody catches it.
    pub(super) fn handler(&self, call: Point) -> Option<Point> {
        let mut at = call;
        loop {
            let block = self.block(at);
            if let Terminator::Invoke { unwind, .. } = block.terminator
                && at.index as usize + 1 == block.instructions.len()
            {
                return Some(Point { block: unwind, index: 0, ..at });
            }
            at = self.instance(at.instance).parent?;
        }
    }

    /// Whether some function is called while it is being executed.
    pub(super) fn has_recursion(&self) -> bool {
        self.instances.iter().any(|i| !i.recursions.is_empty())
    }

    /// The outermost instance around this one that may be entered while it is being executed.
    pub(super) fn outermost_recursion(&self, id: InstanceId) -> Option<InstanceId> {
        let mut found = None;
        let mut at = Some(id);
        while let Some(id) = at {
            if !self.instance(id).recursions.is_empty() {
                found = Some(id);
            }
            at = self.instance(id).parent.map(|p| p.instance);
        }
        found
    }

    /// The calls that return twice and whose function may still be executed at a point. In a recursion an outer call may
    /// have taken another way through the functions, so there it is all that lie in it.
    pub(super) fn jump_targets(&self, from: Point) -> Vec<Point> {
        let recursion = (self.form == Form::Skip).then(|| self.outermost_recursion(from.instance)).flatten();
        let active = |p: &Point| {
            self.is_within(from.instance, p.instance) || recursion.is_some_and(|r| self.is_within(p.instance, r))
        };
        self.returns_twice.iter().copied().filter(active).collect()
    }

    /// Where a return of an instance goes on: after the call that it is, then after each recursive call.
    pub(super) fn returns_to(&self, id: InstanceId) -> Vec<Point> {
        let instance = self.instance(id);
        let mut all: Vec<Point> = instance.parent.iter().map(|&p| self.after_call(p)).collect();
        if self.form == Form::Resume {
            all.extend(instance.recursions.iter().map(|&p| self.after_call(p)));
        }
        all
    }

    /// The points that can be reached from a point without passing another point of the graph. An over-approximation:
    /// whether a call unwinds or jumps is not looked at.
    pub(super) fn successors(&self, p: Point) -> Vec<Point> {
        let block = self.block(p);
        let mut found = Vec::new();
        for i in p.index as usize..block.instructions.len() {
            let here = Point { index: index(i), ..p };
            let instruction = &block.instructions[i];
            let Op::Call { callee, noreturn, nounwind, returns_twice, .. } = &instruction.op else { continue };
            let plan = self.plan(here);
            let mut entered = false;
            let mut skipped = false;
            for (_, what) in plan {
                match what {
                    Plan::Enter(inner) | Plan::Again(inner) => {
                        found.push(self.entry(*inner));
                        entered = true;
                        skipped |= self.form == Form::Skip && matches!(what, Plan::Again(_));
                    }
                    Plan::Stay => {}
                }
            }
            let function = match callee {
                Callee::Function(f) => Some(&self.module.functions[f.0 as usize]),
                _ => None,
            };
            let throws = function.is_some_and(|f| is_throw(&f.name));
            if function.is_some_and(is_longjmp) {
                found.extend(self.jump_targets(here).into_iter().map(|t| self.after_call(t)));
                return found;
            }
            if let Some(handler) = self.handler(here).filter(|_| !*nounwind || throws) {
                found.push(handler);
            }
            if throws {
                return found;
            }
            let direct = matches!(callee, Callee::Function(_));
            if entered || *returns_twice {
                if !direct || *returns_twice || skipped || plan.iter().any(|(_, w)| *w == Plan::Stay) {
                    found.push(self.after_call(here));
                }
                return found;
            }
            if *noreturn {
                return found;
            }
        }
        let at = |block: BlockId| Point { block, index: 0, ..p };
        match &block.terminator {
            Terminator::Jump(b) => found.push(at(*b)),
            Terminator::Branch { yes, no, .. } => found.extend([at(*yes), at(*no)]),
            Terminator::Switch { cases, default, .. } => {
                found.extend(cases.iter().map(|(_, b)| at(*b)));
                found.push(at(*default));
            }
            Terminator::IndirectJump { targets, .. } | Terminator::Opaque { targets, .. } => {
                found.extend(targets.iter().map(|b| at(*b)));
            }
            Terminator::Return(_) => found.extend(self.returns_to(p.instance)),
            Terminator::Invoke { normal, unwind } => found.extend([at(*normal), at(*unwind)]),
            Terminator::Resume => {
                if let Some(parent) = self.instance(p.instance).parent {
                    found.extend(self.handler(parent));
                }
            }
            Terminator::Unreachable => {}
        }
        found
    }

    /// The points that control can reach, in the order of a depth-first search, the targets of its retreating edges (each
    /// cycle has one), how many edges lead to each point, and which points lie on a cycle.
    pub(super) fn explore(&self, root: InstanceId) -> Graph {
        let start = self.entry(root);
        let mut graph = Graph::default();
        let mut state: FastMap<Point, bool> = FastMap::default();
        let mut stack = vec![(start, self.successors(start), 0)];
        state.insert(start, true);
        graph.order.push(start);
        while let Some((at, next, i)) = stack.last_mut() {
            if *i == next.len() {
                state.insert(*at, false);
                stack.pop();
                continue;
            }
            let to = next[*i];
            *i += 1;
            *graph.entries.entry(to).or_insert(0) += 1;
            match state.get(&to) {
                Some(true) => {
                    graph.cuts.insert(to);
                }
                Some(false) => {}
                None => {
                    state.insert(to, true);
                    graph.order.push(to);
                    stack.push((to, self.successors(to), 0));
                }
            }
        }
        graph.cyclic = self.cyclic(&graph.order);
        graph
    }

    /// The points on cycles.
    fn cyclic(&self, order: &[Point]) -> FastSet<Point> {
        let number: FastMap<Point, usize> = order.iter().enumerate().map(|(i, p)| (*p, i)).collect();
        let found = components(order.len(), |n| self.successors(order[n]).into_iter().map(|q| number[&q]));
        found.into_iter().filter(|c| c.cyclic).flat_map(|c| c.nodes).map(|n| order[n]).collect()
    }
}

/// What [`Flat::explore`] finds.
#[derive(Default)]
pub(super) struct Graph {
    pub order: Vec<Point>,
    pub cuts: BTreeSet<Point>,
    pub entries: FastMap<Point, usize>,
    pub cyclic: FastSet<Point>,
}

pub(super) fn is_longjmp(function: &Function) -> bool {
    matches!(function.name.as_str(), "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk")
        || function.intrinsic == Some(Intrinsic::LongJump)
}

/// Whether a call that returns twice is one that `longjmp` comes back to; `vfork` and `getcontext` are none.
pub(super) fn is_setjmp(module: &Module, callee: &Callee) -> bool {
    let Callee::Function(f) = callee else { return false };
    let function = &module.functions[f.0 as usize];
    let name = function.name.strip_prefix('\x01').unwrap_or(&function.name);
    matches!(name, "setjmp" | "_setjmp" | "__setjmp" | "sigsetjmp" | "__sigsetjmp")
        || function.intrinsic == Some(Intrinsic::SetJump)
}

pub(super) fn is_throw(name: &str) -> bool {
    matches!(name, "__cxa_throw" | "__cxa_rethrow" | "_Unwind_RaiseException" | "_Unwind_Resume")
}

pub(super) fn index(n: usize) -> u32 {
    u32::try_from(n).expect("a program has fewer than 2^32 of anything")
}

fn instructions(module: &Module, f: FunctionId) -> usize {
    module.functions[f.0 as usize].blocks.iter().map(|b| b.instructions.len() + 1).sum()
}

/// The functions with a body that a call through a pointer may reach: their addresses are taken, they take as many
/// arguments of these kinds, and give a result of the same type. A call through a pointer of another type is undefined.
pub(super) fn candidates(
    module: &Module,
    taken: &BTreeSet<FunctionId>,
    args: &[Type],
    result: &Type,
) -> Vec<FunctionId> {
    let fits = |f: &&FunctionId| {
        let function = &module.functions[f.0 as usize];
        let count = args.len() == function.params.len() || function.variadic && args.len() > function.params.len();
        let kinds = function.params.iter().zip(args).all(|(p, a)| !is_pointer_for_number(&p.ty, a));
        count && kinds && function.result == *result
    };
    taken.iter().filter(fits).copied().collect()
}

/// Whether one of two types is a pointer, and the other one an integer or a floating-point number.
fn is_pointer_for_number(a: &Type, b: &Type) -> bool {
    let is_number = |t: &Type| matches!(t, Type::Int(_) | Type::Float(_));
    *a == Type::Ptr && is_number(b) || is_number(a) && *b == Type::Ptr
}

/// The functions whose address is a value somewhere.
pub(super) fn address_taken(module: &Module) -> BTreeSet<FunctionId> {
    let elsewhere = module.functions.iter().enumerate().filter(|(_, f)| f.elsewhere);
    let mut found: BTreeSet<FunctionId> = elsewhere.map(|(n, _)| FunctionId(index(n))).collect();
    for global in &module.globals {
        global.init.iter().for_each(|c| mention(c, &mut found));
    }
    for function in &module.functions {
        found.extend(mentioned_in(function));
    }
    found
}

/// The functions whose address is a value in a function.
pub(super) fn mentioned_in(function: &Function) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut operand = |o: &Operand| {
        if let Operand::Constant(c) = o {
            mention(c, &mut found);
        }
    };
    for block in &function.blocks {
        block.instructions.iter().flat_map(|i| super::operands_of(&i.op)).for_each(&mut operand);
        if let Terminator::Return(Some(value)) = &block.terminator {
            operand(value);
        }
    }
    found
}

fn mention(c: &crate::module::Constant, found: &mut BTreeSet<FunctionId>) {
    use crate::module::Constant;
    match c {
        Constant::Function(f) => {
            found.insert(*f);
        }
        Constant::Aggregate(_, parts) | Constant::Opaque(_, parts) => parts.iter().for_each(|p| mention(p, found)),
        Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => mention(inner, found),
        _ => {}
    }
}
