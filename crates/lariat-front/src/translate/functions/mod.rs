//! Each function of a module by itself, with its calls: what views are made of.
//!
//! Here nothing is entered, nothing is cut and no pointer is followed. Local variables whose address nobody takes become variables, and
//! so do results of instructions that another block uses; within a block values are expressions. Everything else is a step on
//! memory (`lariat_ir::function`).
//!
//! What must be right here, since everything behind it trusts it: a run of the function in the program is a run of these blocks. A value that is not followed (floating
//! point, vectors, aggregates, volatile and atomic reads, `undef`, what may not have been written yet) is a fresh one at
//! each use. Poison needs no rule: a run in which it decides something has undefined behaviour, and else its value decides nothing.

mod body;
mod calls;
mod locals;
mod pointees;

use super::flat::{address_taken, index};
use super::{prepare, sources};
use crate::models::{Occasion, Table};
use crate::module::{AccessedBy, Callee, DebugType, Function, FunctionId, GlobalId, Module, Op, Type, ValueId};
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::function::{self, AccessType, FunctionLoop, Functions, Object};
use lariat_ir::graph::components;
use lariat_ir::neutral::IntType;
use lariat_ir::{Assumption, AssumptionKind, LoopKey, SourceKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the functions of a module share.
struct Shared<'m> {
    module: &'m Module,
    table: &'m Table,
    address: IntType,
    /// The numbers of functions with a body.
    numbers: FastMap<FunctionId, usize>,
    /// The functions whose address is taken.
    taken: &'m BTreeSet<FunctionId>,
    /// The occasions for which the module registers functions.
    registered: Vec<Occasion>,
    /// The globals that functions speak of, by their numbers.
    globals: FastMap<GlobalId, usize>,
    /// Where functions are put, in a file without `main`.
    pointees: Option<pointees::Pointees<'m>>,
    /// Whether the program names `errno` as an object, as C allows it to be one.
    is_errno_named: bool,
}

/// What a variable of a function holds, in terms of the module: for those who compare the two. No proof looks at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// The value of this number.
    Value(ValueId),
    /// What is in the local object whose address this value is.
    Content(ValueId),
    /// What arrives at this `phi`.
    Arriving(ValueId),
}

/// For each function its number in the module, and what its variables hold, as far as that has a name there.
pub type Origins = Vec<(FunctionId, Vec<Option<Held>>)>;

/// The functions of a module that was prepared.
pub(super) fn functions(module: &Module, table: &Table) -> (Functions, Origins) {
    let defined: Vec<FunctionId> = (0..module.functions.len())
        .map(|n| FunctionId(index(n)))
        .filter(|f| !module.functions[f.0 as usize].blocks.is_empty())
        .collect();
    let taken = address_taken(module);
    let is_whole = module.functions.iter().any(|f| f.name == "main" && !f.blocks.is_empty());
    let shared = Shared {
        module,
        table,
        // One bit more than a pointer has, so that each address is a number and so is the one behind the last.
        address: IntType::signed(module.pointer_bits + 1),
        numbers: defined.iter().enumerate().map(|(n, f)| (*f, n)).collect(),
        pointees: (!is_whole).then(|| pointees::Pointees::new(module, &taken)),
        taken: &taken,
        registered: calls::registered(module, table),
        globals: (0..module.globals.len()).map(|n| (GlobalId(index(n)), n)).collect(),
        is_errno_named: module.globals.iter().any(|g| g.name == "errno"),
    };
    let made = defined.iter().map(|f| (*f, function(&shared, *f)));
    let (list, origins) = made.map(|(f, (made, held))| (made, (f, held))).unzip();
    let is_internal = |f: &&FunctionId| !module.functions[f.0 as usize].external && !shared.taken.contains(f);
    let internal = defined.iter().filter(is_internal).map(|f| shared.numbers[f]).collect();
    let is_replaceable = |f: &&FunctionId| {
        let function = &module.functions[f.0 as usize];
        function.replaceable && function.name != "main"
    };
    let replaceable = defined.iter().filter(is_replaceable).map(|f| shared.numbers[f]).collect();
    let taken = shared.taken.iter().filter_map(|f| shared.numbers.get(f).copied()).collect();
    let replaced = shared.taken.iter().map(|f| &module.functions[f.0 as usize]).filter(|f| f.defaulted);
    let replaced =
        replaced.map(|f| Assumption::everywhere(AssumptionKind::Returns, format!("`{}` returns", f.shown()))).collect();
    let (entries, assumed) = (Vec::new(), Vec::new());
    let at_exit = shared.registered.contains(&Occasion::Exit);
    let globals = globals(module);
    let told = BTreeSet::new();
    let address = shared.address;
    let (members, rings) = (members(module), rings(module));
    let whole = false;
    (
        Functions {
            list,
            globals,
            address,
            taken,
            internal,
            replaceable,
            replaced,
            at_exit,
            whole,
            told,
            entries,
            assumed,
            rings,
            members,
        },
        origins,
    )
}

/// Whether the initial values of globals hold addresses of each other in a ring.
fn rings(module: &Module) -> bool {
    let held = |n: usize| {
        let mut found = FastSet::default();
        module.globals[n].init.iter().for_each(|c| prepare::mention(c, &mut found));
        found.into_iter().map(|g: GlobalId| g.0 as usize)
    };
    components(module.globals.len(), held).iter().any(|c| c.cyclic)
}

/// The names of the members of structs, by the struct's name and the offset. Structs of one name that differ have none.
fn members(module: &Module) -> BTreeMap<(String, u64), String> {
    let mut found: BTreeMap<(String, u64), BTreeSet<&str>> = BTreeMap::new();
    for ty in &module.types {
        let DebugType::Record { name, members, .. } = ty else { continue };
        for m in members.iter().filter(|m| !m.bit_field) {
            found.entry((name.clone(), m.offset_bits / 8)).or_default().insert(&m.name);
        }
    }
    let one = |(at, names): ((String, u64), BTreeSet<&str>)| {
        (names.len() == 1).then(|| Some((at, (*names.first()?).to_owned()))).flatten()
    };
    found.into_iter().filter_map(one).collect()
}

/// A global that is seen in this file only, and whose address is used for loads and stores only, is private.
fn globals(module: &Module) -> Vec<Object> {
    let exposed: FastSet<GlobalId> = prepare::uses(module, module.functions.iter(), true).exposed;
    let object = |(n, g): (usize, &crate::module::Global)| Object {
        // What is put into a section can be reached by the names that the linker gives to its ends.
        private: !g.external && g.section.is_empty() && !exposed.contains(&GlobalId(index(n))),
        constant: g.constant && g.init.is_some(),
        // What the program puts into a section stands beside what else is there, and the linker's names lead from one to the next.
        bounded: g.init.is_some() && g.section.is_empty(),
    };
    module.globals.iter().enumerate().map(object).collect()
}

fn function(shared: &Shared<'_>, id: FunctionId) -> (function::Function, Vec<Option<Held>>) {
    let function = &shared.module.functions[id.0 as usize];
    let mut body = body::Body::new(shared, id);
    body.translate();
    let (vars, locals, blocks, held) = body.finish();
    let loops = sources::loops_of(shared.module, function)
        .into_iter()
        .map(|l| FunctionLoop {
            key: LoopKey { span: l.span, function: function.name.clone(), kind: SourceKind::Loop, ordinal: l.ordinal },
            header: l.header.0 as usize,
            body: l.body.iter().map(|b| b.0 as usize).collect(),
            parent: l.parent,
        })
        .collect();
    let made = function::Function {
        name: function.name.clone(),
        shown: function.shown().to_owned(),
        vars,
        params: function.params.len(),
        locals,
        blocks,
        loops,
        strange: strange(shared, function),
    };
    (made, held)
}

/// Why control may come to a block in a way that its predecessors do not tell.
fn strange(shared: &Shared<'_>, function: &Function) -> Option<String> {
    let calls = function.blocks.iter().flat_map(|b| &b.instructions);
    calls.into_iter().find_map(|i| match &i.op {
        Op::Call { returns_twice: true, .. } => Some("it has a call that returns twice".to_owned()),
        Op::Call { callee, .. } => calls::strays(shared, callee),
        Op::Opaque { what, acts: true, .. } if what == "callbr" => Some("its assembly may jump".to_owned()),
        _ => None,
    })
}

/// How many instructions a function has with all that it calls, each call counted; at most so many.
pub(super) fn size(module: &Module, f: FunctionId, most: usize) -> usize {
    fn of(module: &Module, f: FunctionId, most: usize, known: &mut FastMap<FunctionId, usize>) -> usize {
        if let Some(n) = known.get(&f) {
            return *n;
        }
        // A recursion is entered once.
        known.insert(f, 0);
        let mut sum = 0;
        for i in module.functions[f.0 as usize].blocks.iter().flat_map(|b| &b.instructions) {
            sum += 1;
            if let Op::Call { callee: Callee::Function(g), .. } = &i.op {
                sum += of(module, *g, most, known);
            }
            if sum >= most {
                sum = most;
                break;
            }
        }
        known.insert(f, sum);
        sum
    }
    of(module, f, most, &mut FastMap::default())
}

/// The type by which memory is accessed, where the language has a rule for that. It has none for packed structs: pointers in these may lie across each other.
fn access_type(module: &Module, by: &AccessedBy, (ty, size, align): (&Type, u64, u64)) -> Option<Arc<AccessType>> {
    let is_packed = *ty == Type::Ptr && align < size;
    if !module.typed_memory || by.path.is_empty() || is_packed {
        return None;
    }
    let member = by.member.as_ref().map(|m| (m.base.clone(), m.offset, m.inside.iter().cloned().collect()));
    Some(Arc::new(AccessType { path: by.path.clone(), member }))
}

/// Whether values of a type are numbers that are followed.
fn is_number(ty: &Type) -> bool {
    match ty {
        Type::Int(w) => (1..=128).contains(w),
        Type::Ptr => true,
        _ => false,
    }
}
