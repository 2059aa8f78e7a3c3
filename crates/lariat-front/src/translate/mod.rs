//! From a module to one neutral program for each entry.
//!
//! 1. `prepare` reads what the compiler's checks say about signs, and takes the checks away whose operations have the same
//!    rule in the neutral program.
//! 2. `flat` makes one graph of the entry and what it calls.
//! 3. `points` finds what pointers may point to, `memory::layout` makes objects scalars or arrays.
//! 4. `build` executes pieces of the graph symbolically, from one cut point to the next, and writes them as cases: `start` has the
//!    beginning, `instructions` and `control::terminator` the steps.
//!
//! The builder is a composition of rooms, by what changes together. `control` owns the locations and the ways of a piece, `values` what the
//! program declares, `memory` the objects and what pointers mean, `calls` what is kept of calls, `library` what is kept of streams. A
//! method of a room changes that room and asks `values` for what is unknown; what also ends a way is a step of the builder.
//!
//! No LLVM pass runs. A local variable needs no SSA form to be a state variable, so nothing is promoted, and no pass can use
//! undefined behaviour to change what the program does.
//!
//! With [`Options::observe`] a call of that function ends a location: the value is stored in the variable `observed`, and the
//! next location's name starts with `observe`.

mod build;
mod calls;
mod control;
mod debug;
mod flat;
mod functions;
mod instructions;
mod library;
mod memory;
mod points;
mod prepare;
mod sources;
mod start;
mod state;
mod values;

pub use functions::{Held, Origins};

use crate::intrinsic::Intrinsic;
use crate::models::{Model, Table};
use crate::module::{
    BlockId, Callee, Function, FunctionId, Instruction, Listed, Module, Op, Operand, Place, Terminator, Type, ValueId,
};
use crate::{Entry, EntryChoice, Failure, Options};
use calls::handlers::Handlers;
use calls::relations::Relations;
use flat::{Flat, Form, Graph, InstanceId, Plan, Point};
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::function::Functions;
use lariat_ir::neutral::{IntType, Program, Recursion};
use lariat_ir::{Assumption, AssumptionKind, Span};
use std::cell::RefCell;
use std::rc::Rc;

/// The programs of a module's entries.
pub fn translate(module: &Module, options: &Options) -> Result<Vec<Entry>, Failure> {
    let prepared = Prepared::new(module, options)?;
    Ok((0..prepared.names.len()).map(|n| prepared.entry(n)).collect())
}

/// A module whose entries are translated when somebody asks for them.
#[derive(Debug)]
pub struct Prepared {
    module: Module,
    options: Options,
    /// The models, if they are not the built-in ones.
    own: Option<Table>,
    handlers: Handlers,
    assumed: Vec<Assumption>,
    entries: Vec<FunctionId>,
    names: Vec<String>,
    /// The function of each entry by its number among those with a body.
    functions: Vec<usize>,
}

impl Prepared {
    /// Looks for the entries of a module.
    pub fn new(module: &Module, options: &Options) -> Result<Self, Failure> {
        let own = if options.models.is_empty() { None } else { Some(Table::with(&options.models)?) };
        let table = own.as_ref().unwrap_or_else(|| Table::builtin());
        refuse(module)?;
        let mut module = prepare::prepare(module);
        let assumed = prepare::leave_assumptions_to_models(&mut module, table);
        let found = entries(&module, options)?;
        let names = found.iter().map(|f| module.functions[f.0 as usize].shown().to_owned()).collect();
        let defined = |f: &FunctionId| module.functions[..f.0 as usize].iter().filter(|g| !g.blocks.is_empty()).count();
        let functions = found.iter().map(defined).collect();
        let entries = found.into_iter().map(|f| prepare::with_constructors(&mut module, f)).collect();
        let handlers = Handlers::new(&module, table);
        Ok(Self { module, options: options.clone(), own, handlers, assumed, entries, names, functions })
    }

    fn table(&self) -> &Table {
        self.own.as_ref().unwrap_or_else(|| Table::builtin())
    }

    /// The names of the entries.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the program is all there, from `main` on, or one function was asked for.
    pub fn is_whole(&self) -> bool {
        self.names.iter().any(|n| n == "main") || matches!(self.options.entry, EntryChoice::Named(_))
    }

    /// Translates an entry with all that it calls.
    pub fn entry(&self, number: usize) -> Entry {
        let (table, f) = (self.table(), self.entries[number]);
        let relations = Relations::default();
        let job = Job { table, options: &self.options, handlers: &self.handlers, relations: &relations };
        let mut program = program(&self.module, job, f);
        state(&mut program, &self.assumed);
        Entry { name: self.names[number].clone(), program }
    }

    /// The same, with facts that are guessed of what its recursive calls give back; nothing if there are none. Where a guess is wrong nothing is proved.
    pub fn entry_with_relations(&self, number: usize) -> Option<Entry> {
        let (table, f) = (self.table(), self.entries[number]);
        let relations = calls::relations::guessed(&self.module);
        if relations.is_empty() {
            return None;
        }
        let job = Job { table, options: &self.options, handlers: &self.handlers, relations: &relations };
        let mut program = program(&self.module, job, f);
        state(&mut program, &self.assumed);
        matches!(program.recursion, Recursion::Resumed { .. })
            .then(|| Entry { name: self.names[number].clone(), program })
    }

    /// How many instructions an entry has with all that it calls, each call counted; at most so many.
    pub fn size(&self, number: usize, most: usize) -> usize {
        functions::size(&self.module, self.entries[number], most)
    }

    /// Each function with a body, by itself.
    pub fn functions(&self) -> Functions {
        self.functions_with_origins().0
    }

    /// The module that functions and entries are made from.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The functions, and what their variables are in the module.
    pub fn functions_with_origins(&self) -> (Functions, Origins) {
        let (mut found, origins) = functions::functions(&self.module, self.table());
        found.whole = self.names.iter().any(|n| n == "main");
        found.entries.clone_from(&self.functions);
        found.assumed.clone_from(&self.assumed);
        let entries = found.entries.iter().copied();
        found.told = match self.options.entry {
            EntryChoice::Named(_) if found.whole => found.reached(),
            EntryChoice::Named(_) => found.reachable(entries),
            EntryChoice::All | EntryChoice::Default => (0..found.list.len()).collect(),
        };
        (found, origins)
    }
}

/// What cannot be read as what it is.
fn refuse(module: &Module) -> Result<(), Failure> {
    let failure = |message: &str| Err(Failure { place: None, message: message.to_owned() });
    if module.big_endian {
        // Where the bytes of a number are decides what unions, casts and copies see.
        return failure(
            "its target keeps the highest byte first, which is not followed; compile it for a little-endian target",
        );
    }
    // Assembly outside of functions may define symbols, name one object twice and fill sections that run at the start.
    let harmless = [".ident", ".symver", ".file", ".hidden", "#", "//"];
    let strange = module.assembly.split(['\n', ';']).map(str::trim).find(|line| {
        !line.is_empty()
            && !harmless.iter().any(|d| line.starts_with(d))
            && *line != ".section .note.GNU-stack,\"\",@progbits"
    });
    match strange {
        Some(line) => failure(&format!(
            "it has assembly outside of functions (`{line}`), which is not followed; leave it out with a macro, and describe what \
             it defines with --model"
        )),
        None => Ok(()),
    }
}

/// Makes assumptions that every proof about a program rests on, in both its forms.
fn state(program: &mut Program, assumed: &[Assumption]) {
    program.assumptions.extend_from_slice(assumed);
    if let Recursion::Resumed { ending } = &mut program.recursion {
        state(ending, assumed);
    }
}

fn entries(module: &Module, options: &Options) -> Result<Vec<FunctionId>, Failure> {
    let defined: Vec<FunctionId> = (0..module.functions.len())
        .filter(|f| !module.functions[*f].blocks.is_empty())
        .map(|f| FunctionId(flat::index(f)))
        .collect();
    let named = |name: &str| {
        let of = |f: &&FunctionId| {
            let function = &module.functions[f.0 as usize];
            function.name == name || function.shown() == name
        };
        defined.iter().find(of).copied()
    };
    let failure = |message: String| Failure { place: None, message };
    match &options.entry {
        EntryChoice::Named(name) => named(name).map(|f| vec![f]).ok_or_else(|| {
            let known: Vec<&str> = defined.iter().map(|f| module.functions[f.0 as usize].shown()).take(8).collect();
            failure(format!("there is no function `{name}`; it defines {}", known.join(", ")))
        }),
        EntryChoice::All => Ok(defined),
        EntryChoice::Default => {
            if let Some(main) = named("main") {
                return Ok(vec![main]);
            }
            // Whoever has the address of a function calls it with what he likes.
            let taken = flat::address_taken(module);
            let is_called_by_others = |f: &&FunctionId| module.functions[f.0 as usize].external || taken.contains(*f);
            let external: Vec<FunctionId> = defined.iter().filter(is_called_by_others).copied().collect();
            Ok(if external.is_empty() { defined } else { external })
        }
    }
}

/// What the programs of one module share.
#[derive(Clone, Copy)]
struct Job<'m> {
    table: &'m Table,
    options: &'m Options,
    /// Functions that run at signals and the like.
    handlers: &'m Handlers,
    /// What recursive calls give back.
    relations: &'m Relations,
}

fn program(module: &Module, job: Job<'_>, entry: FunctionId) -> Program {
    let mut flat = Flat::new(module, entry);
    let (mut program, names) = in_form(&flat, job, entry, &FastMap::default());
    // Observations compare runs, and a skipped call has none.
    if flat.has_recursion() && job.options.observe.is_none() {
        flat.form = Form::Skip;
        let (ending, _) = in_form(&flat, job, entry, &names);
        program.recursion = Recursion::Resumed { ending: Box::new(ending) };
    }
    program
}

/// The program of a graph, and the names of its locations; where `known` has one it is taken from there.
fn in_form(
    flat: &Flat<'_>,
    job: Job<'_>,
    entry: FunctionId,
    known: &FastMap<Point, String>,
) -> (Program, FastMap<Point, String>) {
    let module = flat.module;
    let graph = flat.explore(InstanceId(0));
    let whole = module.functions[entry.0 as usize].name == "main" || job.options.observe.is_some();
    let mut cx = Context::new(flat, &graph, job, whole);
    let solve = |cx: &mut Context<'_>| {
        let unknown = cx.has_unknown_calls() || !flat.left_out.is_empty();
        cx.open = unknown || !whole;
        cx.find_known_outside(entry, unknown);
        points::Points::solve(cx)
    };
    // First as if a call through a pointer always found one of the functions that are followed. If it is then found that they
    // all do, they do: what is assumed of a call holds up to the first one that goes elsewhere, and there is none.
    cx.closed = true;
    let mut points = solve(&mut cx);
    if !cx.are_closed(&points) {
        cx = Context::new(flat, &graph, job, whole);
        points = solve(&mut cx);
    }
    let mut program = Program::new(debug::clean(module.functions[entry.0 as usize].shown()));
    program.address = IntType::signed(module.pointer_bits);
    if cx.main_once {
        let text = "functions that are not in the program do not call `main`";
        program.assumptions.push(Assumption::everywhere(AssumptionKind::MainOnce, text));
    }
    let mut names = Names::default();
    let memory = memory::Memory::new(&cx, &points, &mut program, &mut names);
    build::Builder::new(&cx, &memory, program, names, known).build()
}

/// What everything in the making of one program looks at.
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts")]
struct Context<'m> {
    flat: &'m Flat<'m>,
    graph: &'m Graph,
    table: &'m Table,
    options: &'m Options,
    /// A whole program, not one function.
    whole: bool,
    /// Whether code that is not here may know of this program's globals.
    open: bool,
    /// Whether every call through a pointer enters a function that is followed, or has no function to call.
    closed: bool,
    signs: RefCell<FastMap<FunctionId, Rc<FastMap<ValueId, bool>>>>,
    /// Globals that code which is not here may write to, or give away the address of.
    known_outside: FastSet<crate::module::GlobalId>,
    /// Globals that code which is not here may store to, without knowing their addresses.
    stored_outside: FastSet<crate::module::GlobalId>,
    /// Whether it matters that code which is not here does not call `main`.
    main_once: bool,
    /// Functions that run when the program ends.
    destructors: Vec<FunctionId>,
    /// Functions that run at signals and the like.
    handlers: &'m Handlers,
    /// What recursive calls give back.
    relations: &'m Relations,
    /// For each block of an instance, its points in order, and whether each lies on a cycle.
    pieces: FastMap<(InstanceId, BlockId), Vec<(u32, bool)>>,
}

/// What a call comes to, besides functions that are entered.
enum ModelUse<'m> {
    Entered,
    Intrinsic(Intrinsic),
    /// The function whose calls are observations.
    Observe,
    Model(&'m Model),
    Unknown,
}

impl<'m> Context<'m> {
    fn new(flat: &'m Flat<'m>, graph: &'m Graph, job: Job<'m>, whole: bool) -> Self {
        let mut pieces: FastMap<(InstanceId, BlockId), Vec<(u32, bool)>> = FastMap::default();
        for p in &graph.order {
            pieces.entry((p.instance, p.block)).or_default().push((p.index, graph.cyclic.contains(p)));
        }
        for list in pieces.values_mut() {
            list.sort_unstable();
        }
        let destructors = prepare::listed(flat.module, Listed::Destructors);
        let signs = RefCell::default();
        let (known_outside, stored_outside) = (FastSet::default(), FastSet::default());
        let Job { table, options, handlers, relations } = job;
        Self {
            flat,
            graph,
            table,
            options,
            whole,
            open: false,
            closed: false,
            known_outside,
            stored_outside,
            main_once: false,
            destructors,
            handlers,
            relations,
            signs,
            pieces,
        }
    }

    /// What code that is not here, or not followed, may do with globals: it may run every function that it can name or has got
    /// the address of.
    fn find_known_outside(&mut self, entry: FunctionId, unknown_calls: bool) {
        if !self.open {
            return;
        }
        let module = self.flat.module;
        for (n, global) in module.globals.iter().enumerate() {
            if global.external && !global.constant {
                self.known_outside.insert(crate::module::GlobalId(flat::index(n)));
            }
        }
        let constant = |g: &crate::module::GlobalId| module.globals[g.0 as usize].constant;
        if !self.whole {
            // An earlier call may have run anything.
            let uses = prepare::uses(module, module.functions.iter(), true);
            self.known_outside.extend(uses.exposed.iter().filter(|g| !constant(g)));
            self.stored_outside.extend(uses.stored.iter().filter(|g| !constant(g)));
        }
        if unknown_calls {
            // A call changes what it stores to, like what it knows, and what is behind the pointers that it loads.
            let run = prepare::callable(module, self.flat.left_out.iter().copied());
            let uses = prepare::uses(module, run.iter().map(|f| &module.functions[f.0 as usize]), false);
            if self.whole && !run.contains(&entry) {
                let again = prepare::callable(module, std::iter::once(entry));
                let more = prepare::uses(module, again.iter().map(|f| &module.functions[f.0 as usize]), false);
                let is_new = |g: &crate::module::GlobalId| !constant(g) && !uses.stored.contains(g);
                self.main_once = more.stored.iter().any(is_new);
            }
            for all in [&uses.exposed, &uses.stored, &uses.loaded] {
                self.known_outside.extend(all.iter().filter(|g| !constant(g)));
            }
        }
    }

    fn has_unknown_calls(&self) -> bool {
        self.graph.order.iter().any(|p| {
            let block = self.flat.block(*p);
            (p.index as usize..block.instructions.len()).any(|i| match &block.instructions[i].op {
                Op::Call { callee, .. } => {
                    let at = Point { index: flat::index(i), ..*p };
                    match self.model_use(at, callee) {
                        ModelUse::Unknown => true,
                        ModelUse::Model(m) => {
                            // A function that is handed over may be run then, or later.
                            let hands_over = operands_of(&block.instructions[i].op).iter().any(|o| {
                                matches!(o, Operand::Constant(crate::module::Constant::Function(f))
                                    if !self.flat.module.functions[f.0 as usize].blocks.is_empty())
                            });
                            hands_over || self.handlers.concern(m)
                        }
                        _ => false,
                    }
                }
                _ => false,
            })
        })
    }

    fn model_use(&self, at: Point, callee: &Callee) -> ModelUse<'m> {
        match callee {
            Callee::Pointer(_) if self.closed => ModelUse::Entered,
            Callee::Asm(_) | Callee::Pointer(_) => ModelUse::Unknown,
            Callee::Function(f) => {
                if self.flat.plan(at).iter().any(|(_, w)| *w != Plan::Stay) {
                    return ModelUse::Entered;
                }
                let function = &self.flat.module.functions[f.0 as usize];
                if !function.blocks.is_empty() {
                    return ModelUse::Unknown;
                }
                if let Some(intrinsic) = function.intrinsic.filter(|i| !matches!(i, Intrinsic::Unlisted(_))) {
                    return ModelUse::Intrinsic(intrinsic);
                }
                if self.options.observe.as_deref() == Some(&function.name) {
                    return ModelUse::Observe;
                }
                let Some(instruction) = self.flat.instruction(at) else { return ModelUse::Unknown };
                let Op::Call { args, noreturn, .. } = &instruction.op else { return ModelUse::Unknown };
                let caller = self.flat.function(at.instance);
                let types: Vec<Type> = args.iter().map(|a| values::operand_type(caller, a)).collect();
                // What the program declares differently is another function.
                match self.table.of(function) {
                    Some(model)
                        if model.fits(&types, &instruction.ty)
                            && model.may_stand_for(&types, &instruction.ty, *noreturn || function.noreturn) =>
                    {
                        ModelUse::Model(model)
                    }
                    _ => ModelUse::Unknown,
                }
            }
        }
    }

    /// Whether the pointers of all calls point to the beginnings of functions that are followed there, if anywhere.
    fn are_closed(&self, points: &points::Points) -> bool {
        self.flat.ids().all(|instance| {
            let blocks = self.flat.function(instance).blocks.iter().enumerate();
            blocks.flat_map(|(b, block)| block.instructions.iter().enumerate().map(move |i| (b, i))).all(
                |(b, (i, call))| {
                    let Op::Call { callee: Callee::Pointer(pointer), .. } = &call.op else { return true };
                    let at = Point { instance, block: BlockId(flat::index(b)), index: flat::index(i) };
                    let plan = self.flat.plan(at);
                    points.of(self.flat, instance, pointer).0.iter().all(|(object, offsets)| {
                        let points::ObjectKind::Function(f) = points.objects[object.0 as usize] else { return false };
                        *offsets == points::Offsets::Exact(vec![0])
                            && plan.iter().any(|(g, w)| *g == f && *w != Plan::Stay)
                    })
                },
            )
        })
    }

    /// Whether a point may be passed more than once.
    fn on_cycle(&self, at: Point) -> bool {
        self.pieces
            .get(&(at.instance, at.block))
            .and_then(|list| list.iter().rev().find(|(i, _)| *i <= at.index))
            .is_some_and(|(_, cyclic)| *cyclic)
    }

    /// Whether an instance may be entered while it is being executed.
    fn recursive(&self, instance: InstanceId) -> bool {
        self.flat.outermost_recursion(instance).is_some()
    }

    /// Whether a local object may be made more than once.
    fn stack_on_cycle(&self, instance: InstanceId, value: ValueId) -> bool {
        let function = self.flat.function(instance);
        if self.on_cycle(self.flat.entry(instance)) {
            return true;
        }
        function.blocks.iter().enumerate().any(|(b, block)| {
            block.instructions.iter().enumerate().any(|(i, instruction)| {
                let here = instruction.id == value
                    || debug::marked(self.flat.module, instruction, Intrinsic::LifetimeStart) == Some(value);
                here && self.on_cycle(Point { instance, block: BlockId(flat::index(b)), index: flat::index(i) })
            })
        })
    }

    /// The name of the function that an instruction calls.
    fn callee_name(&self, instruction: &Instruction) -> Option<String> {
        match &instruction.op {
            Op::Call { callee: Callee::Function(f), .. } => {
                Some(self.flat.module.functions[f.0 as usize].shown().to_owned())
            }
            _ => None,
        }
    }

    fn span(&self, place: Option<Place>) -> Option<Span> {
        span_of(self.flat.module, place)
    }

    fn span_at(&self, at: Point) -> Option<Span> {
        let block = self.flat.block(at);
        let places = block.instructions.iter().skip(at.index as usize).map(|i| i.place).chain([block.place]);
        // A block of the compiler's own has the place of what leads to it.
        let function = self.flat.function(at.instance);
        let before =
            function.blocks.iter().filter(|b| block_successors(&b.terminator).contains(&at.block)).map(|b| b.place);
        self.span(places.chain(before).flatten().find(|p| p.line > 0))
    }

    /// For the values of a function: whether they are used or made as signed numbers, or as unsigned ones.
    fn signs(&self, f: FunctionId) -> Rc<FastMap<ValueId, bool>> {
        if let Some(found) = self.signs.borrow().get(&f) {
            return Rc::clone(found);
        }
        let found = Rc::new(signs(&self.flat.module.functions[f.0 as usize]));
        self.signs.borrow_mut().insert(f, Rc::clone(&found));
        found
    }
}

/// A place with the name of its file.
fn span_of(module: &Module, place: Option<Place>) -> Option<Span> {
    place.map(|p| Span {
        file: module.files.get(p.file as usize).cloned().unwrap_or_default(),
        line: p.line,
        column: p.column.max(1),
    })
}

fn signs(function: &Function) -> FastMap<ValueId, bool> {
    use crate::module::{BinOp, CastOp, Predicate};
    let mut found: FastMap<ValueId, bool> = FastMap::default();
    let mut vote = |operand: &Operand, signed: bool| {
        if let Operand::Value(v) = operand {
            // Signed wins: a signed number may be out of its type's range over Z, and must not be reduced.
            let entry = found.entry(*v).or_insert(signed);
            *entry |= signed;
        }
    };
    for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
        let this = Operand::Value(instruction.id);
        match &instruction.op {
            Op::Binary { op, left, right, flags } => match op {
                BinOp::SDiv | BinOp::SRem | BinOp::AShr => {
                    for o in [left, right, &this] {
                        vote(o, true);
                    }
                }
                BinOp::UDiv | BinOp::URem | BinOp::LShr => {
                    for o in [left, right, &this] {
                        vote(o, false);
                    }
                }
                _ if flags.nsw => {
                    for o in [left, right, &this] {
                        vote(o, true);
                    }
                }
                _ => vote(&this, false),
            },
            Op::Compare { pred, left, right, ty, .. } => match pred {
                _ if *ty == Type::Ptr => {}
                Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle => {
                    vote(left, true);
                    vote(right, true);
                }
                Predicate::Ugt | Predicate::Uge | Predicate::Ult | Predicate::Ule => {
                    vote(left, false);
                    vote(right, false);
                }
                Predicate::Eq | Predicate::Ne => {}
            },
            Op::Cast { op, arg, .. } => match op {
                CastOp::SExt | CastOp::SiToFp => {
                    vote(arg, true);
                    vote(&this, true);
                }
                CastOp::ZExt | CastOp::UiToFp => {
                    vote(arg, false);
                    vote(&this, false);
                }
                CastOp::IntToPtr => vote(arg, true),
                _ => {}
            },
            Op::Gep { indices, .. } => indices.iter().for_each(|(i, _)| vote(i, true)),
            _ => {}
        }
    }
    found
}

/// Names that are not taken yet.
#[derive(Default)]
struct Names {
    taken: FastSet<String>,
    /// The number behind the last name that was made of another.
    again: FastMap<String, u32>,
}

impl Names {
    fn unused(&mut self, base: &str) -> String {
        let base = debug::clean(base);
        let base = if base.is_empty() { "value".to_owned() } else { base };
        if self.taken.insert(base.clone()) {
            return base;
        }
        let last = self.again.entry(base.clone()).or_insert(1);
        loop {
            *last += 1;
            let name = format!("{base}.{last}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
    fn var(&mut self, program: &mut Program, base: &str, ty: IntType) -> usize {
        let name = self.unused(base);
        program.vars.push((name, ty));
        program.vars.len() - 1
    }
    /// A variable that is none of the source's.
    fn made(&mut self, program: &mut Program, base: &str, ty: IntType) -> usize {
        let var = self.var(program, base, ty);
        program.origins.made.insert(var);
        var
    }
    fn mem(&mut self, program: &mut Program, base: &str, cell: IntType) -> usize {
        let name = self.unused(base);
        program.mems.push(memory::layout::blank(cell, name));
        program.mems.len() - 1
    }
}

/// The operands of an instruction.
fn operands_of(op: &Op) -> Vec<&Operand> {
    match op {
        Op::Alloca { count, .. } => vec![count],
        Op::Load { ptr, .. } => vec![ptr],
        Op::Store { value, ptr, .. } => vec![value, ptr],
        Op::Gep { base, indices, .. } => {
            let mut all = vec![base];
            all.extend(indices.iter().map(|(i, _)| i));
            all
        }
        Op::Binary { left, right, .. } | Op::Compare { left, right, .. } | Op::FloatCompare { left, right, .. } => {
            vec![left, right]
        }
        Op::Float { left, right, .. } => right.iter().fold(vec![left], |mut all, r| {
            all.push(r);
            all
        }),
        Op::Cast { arg, .. } | Op::Freeze { arg } => vec![arg],
        Op::Select { cond, yes, no } => vec![cond, yes, no],
        Op::Phi { incoming } => incoming.iter().map(|(_, o)| o).collect(),
        Op::ExtractValue { aggregate, .. } => vec![aggregate],
        Op::InsertValue { aggregate, value, .. } => vec![aggregate, value],
        Op::Call { callee, args, .. } => {
            let mut all: Vec<&Operand> = args.iter().collect();
            if let Callee::Pointer(p) = callee {
                all.push(p);
            }
            all
        }
        Op::AtomicRmw { ptr, value, .. } => vec![ptr, value],
        Op::CompareExchange { ptr, expected, new, .. } => vec![ptr, expected, new],
        Op::VaArg { list } => vec![list],
        Op::LandingPad | Op::Fence => Vec::new(),
        Op::Opaque { args, .. } => args.iter().collect(),
    }
}

/// The operands of a terminator.
fn terminator_operands(t: &Terminator) -> Vec<&Operand> {
    match t {
        Terminator::Branch { cond, .. } => vec![cond],
        Terminator::Switch { value, .. } => vec![value],
        Terminator::IndirectJump { address, .. } => vec![address],
        Terminator::Return(Some(value)) => vec![value],
        _ => Vec::new(),
    }
}

/// The blocks that may follow.
fn block_successors(t: &Terminator) -> Vec<BlockId> {
    match t {
        Terminator::Jump(b) => vec![*b],
        Terminator::Branch { yes, no, .. } => vec![*yes, *no],
        Terminator::Switch { cases, default, .. } => cases.iter().map(|(_, b)| *b).chain([*default]).collect(),
        Terminator::IndirectJump { targets, .. } | Terminator::Opaque { targets, .. } => targets.clone(),
        Terminator::Invoke { normal, unwind } => vec![*normal, *unwind],
        Terminator::Return(_) | Terminator::Resume | Terminator::Unreachable => Vec::new(),
    }
}

/// Where the parts of an aggregate are, in bytes.
fn offsets_of(ty: &Type) -> Vec<i64> {
    let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    match ty {
        Type::Struct(members, _) => members.iter().map(|(o, _)| signed(*o)).collect(),
        Type::Array(_, n, size) => (0..*n).map(|i| signed(i * size)).collect(),
        _ => vec![0],
    }
}

/// The parts of a type that are no aggregates, with their offsets.
fn leaves_of(ty: &Type) -> Vec<(u64, Type)> {
    match ty {
        Type::Struct(members, _) => {
            members.iter().flat_map(|(o, t)| leaves_of(t).into_iter().map(move |(p, leaf)| (o + p, leaf))).collect()
        }
        Type::Array(of, n, size) => (0..(*n).min(256))
            .flat_map(|i| leaves_of(of).into_iter().map(move |(p, leaf)| (i * size + p, leaf)))
            .collect(),
        other => vec![(0, other.clone())],
    }
}

/// Whether a type has more parts than are followed.
fn is_huge(ty: &Type) -> bool {
    match ty {
        Type::Array(of, n, _) => *n > 256 || is_huge(of),
        Type::Struct(members, _) => members.iter().any(|(_, t)| is_huge(t)),
        _ => false,
    }
}

/// How many bits a value has; 0 for what has none.
fn bits_of(ty: &Type, module: &Module) -> u32 {
    use crate::module::FloatKind;
    match ty {
        Type::Int(w) => *w,
        Type::Ptr => module.pointer_bits,
        Type::Float(kind) => match kind {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::X87 => 80,
            FloatKind::Quad => 128,
        },
        Type::Void => 0,
        Type::Other(n) | Type::Struct(_, n) => u32::try_from(n * 8).unwrap_or(u32::MAX),
        Type::Array(_, n, size) => u32::try_from(n * size * 8).unwrap_or(u32::MAX),
    }
}

/// How many bytes a value has in memory.
fn store_size(ty: &Type, module: &Module) -> u64 {
    u64::from(bits_of(ty, module)).div_ceil(8)
}
