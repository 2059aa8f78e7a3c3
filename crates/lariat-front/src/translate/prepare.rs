//! What the compiler's checks say, read off and taken away.
//!
//! `-fsanitize=shift-base` checks signed left shifts only, so a check tells that the shift behind it is signed, which LLVM's
//! `shl` does not. The checks of shifts and of divisors go: the neutral operations have the rules, and each integer semantics
//! makes its own of them. So do those of conversions of numbers that are followed. Those that are sure to fail stay, because the operation behind them has been folded to poison.

use super::values::floats;
use crate::intrinsic::Intrinsic;
use crate::models::{Ends, Model, Table};
use crate::module::{
    BinOp, Block, BlockId, Callee, CastOp, Constant, Function, FunctionId, GlobalId, Instruction, Listed, Module, Op,
    Operand, Promise, Terminator, Type, ValueId,
};
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::graph::components;
use lariat_ir::{Assumption, AssumptionKind};
use std::collections::BTreeSet;

/// The kinds of the checks' traps.
const SHIFT: u128 = 20;
const DIVISION: u128 = 3;
const CONVERSION: u128 = 5;

pub(super) fn prepare(module: &Module) -> Module {
    let mut module = module.clone();
    let traps: Vec<u32> = module
        .functions
        .iter()
        .enumerate()
        .filter(|(_, f)| f.intrinsic == Some(Intrinsic::UbsanTrap))
        .map(|(n, _)| super::flat::index(n))
        .collect();
    let mut bodies = Vec::new();
    for function in &mut module.functions {
        checks(function, &traps);
        // For those who call it, what may be replaced is as good as declared only.
        if function.replaceable && function.name != "main" && !function.blocks.is_empty() {
            function.defaulted = true;
            // This one may be what runs: that it returns is not to be taken for granted then.
            function.waits = waits(function);
            let body = Function { defaulted: false, waits: false, ..function.clone() };
            function.blocks.clear();
            bodies.push(body);
        }
    }
    named_in_assembly(&mut module);
    // The body is a function of its own, of the same name: others run it, if it is the one that is linked.
    module.functions.extend(bodies);
    module
}

/// What the text of inline assembly names is used there for something that nobody follows.
fn named_in_assembly(module: &mut Module) {
    let instructions = module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions);
    let texts = instructions.filter_map(|i| match &i.op {
        Op::Call { callee: Callee::Asm(text), .. } => Some(text.as_str()),
        _ => None,
    });
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._$".contains(c);
    let words = texts.flat_map(|t| t.split(move |c| !is_part(c))).filter(|w| !w.is_empty());
    // Some systems put an underscore before the names of C.
    let names: BTreeSet<String> =
        words.flat_map(|w| [Some(w), w.strip_prefix('_')]).flatten().map(str::to_owned).collect();
    if names.is_empty() {
        return;
    }
    for global in module.globals.iter_mut().filter(|g| names.contains(&g.name)) {
        global.elsewhere = true;
    }
    for function in module.functions.iter_mut().filter(|f| names.contains(&f.name)) {
        function.elsewhere = true;
    }
}

/// Functions by which a program tells a tool what to assume stop the runs that they exclude, also where the program has a
/// body for them. A body that waits for ever is the usual way to write down, in C, that a run does not count; C itself says that it hangs. Where readings
/// differ nothing is said: no endless run is one that is excluded, and nothing ends that may come there. Gives what is assumed by that.
pub(super) fn leave_assumptions_to_models(module: &mut Module, table: &Table) -> Vec<Assumption> {
    let mut assumed = Vec::new();
    for f in module.functions.iter_mut().filter(|f| !f.blocks.is_empty()) {
        let stops = |m: &Model| m.ends.as_ref().is_some_and(|e| e.how == Ends::Stop);
        if table.get(&f.name).is_some_and(stops) {
            let text = format!("`{}` excludes runs, whatever its body does", f.shown());
            assumed.push(Assumption::everywhere(AssumptionKind::Excludes, text));
            f.waits = waits(f);
            f.blocks.clear();
        }
    }
    assumed
}

/// Whether a body goes round, or calls something that may.
fn waits(function: &Function) -> bool {
    let next = |b: usize| super::block_successors(&function.blocks[b].terminator).into_iter().map(|to| to.0 as usize);
    let calls = |i: &Instruction| matches!(i.op, Op::Call { noreturn: false, .. });
    components(function.blocks.len(), next).iter().any(|c| c.cyclic)
        || function.blocks.iter().flat_map(|b| &b.instructions).any(calls)
}

/// The kind of trap that a block is, if it is one.
pub(super) fn trap_kind(function: &Function, block: BlockId, is_trap: impl Fn(u32) -> bool) -> Option<u128> {
    let first = function.blocks[block.0 as usize].instructions.first()?;
    match &first.op {
        Op::Call { callee: Callee::Function(f), args, .. } if is_trap(f.0) => match args.first() {
            Some(Operand::Constant(Constant::Int(_, kind))) => Some(*kind),
            _ => Some(u128::MAX),
        },
        _ => None,
    }
}

/// Whether a block shifts or divides by a value as it is: an amount of another width than what is shifted is converted first, and
/// then the shift does not see all of it.
fn is_amount_in(function: &Function, block: BlockId, amount: &Operand) -> bool {
    use BinOp::{AShr, LShr, SDiv, SRem, Shl, UDiv, URem};
    function.blocks[block.0 as usize].instructions.iter().any(|i| match &i.op {
        Op::Binary { op: Shl | LShr | AShr | SDiv | UDiv | SRem | URem, right, .. } => right == amount,
        _ => false,
    })
}

/// The first shift behind a check is the one that the check is for, if its amount is not another one.
fn mark_checked(function: &mut Function, block: BlockId, amount: impl Fn(&Operand) -> bool) {
    let shift = function.blocks[block.0 as usize].instructions.iter_mut().find_map(|i| match &mut i.op {
        Op::Binary { op: BinOp::Shl | BinOp::LShr | BinOp::AShr, right, flags, .. } => Some((right, flags)),
        _ => None,
    });
    if let Some((right, flags)) = shift
        && amount(right)
    {
        flags.checked = true;
    }
}

/// Marks the conversion that a check is for, if it has the rule: numbers that are not followed keep the check.
fn mark_conversion(function: &mut Function, cond: ValueId, block: BlockId) -> bool {
    let made_by = |v: ValueId| function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == v);
    let Some(Op::Binary { op: BinOp::And, left: Operand::Value(above), right: Operand::Value(below), .. }) =
        made_by(cond).map(|i| &i.op)
    else {
        return false;
    };
    let checked = |v: ValueId| match made_by(v) {
        Some(Instruction { op: Op::FloatCompare { left, .. }, nosanitize: true, .. }) => Some(left.clone()),
        _ => None,
    };
    let Some(number) = checked(*above).filter(|n| checked(*below).as_ref() == Some(n)) else { return false };
    for i in &mut function.blocks[block.0 as usize].instructions {
        if let Op::Cast { op: CastOp::FpToSi | CastOp::FpToUi, arg, from, flags } = &mut i.op
            && *arg == number
        {
            flags.checked = floats::converts(from, &i.ty);
            return flags.checked;
        }
    }
    false
}

fn checks(function: &mut Function, traps: &[u32]) {
    for b in 0..function.blocks.len() {
        let Terminator::Branch { cond: Operand::Value(cond), yes, no } = function.blocks[b].terminator else {
            continue;
        };
        let kind = trap_kind(function, no, |f| traps.contains(&f));
        if kind == Some(CONVERSION) && mark_conversion(function, cond, yes) {
            function.blocks[b].terminator = Terminator::Jump(yes);
            continue;
        }
        if kind != Some(SHIFT) && kind != Some(DIVISION) {
            continue;
        }
        let Some(check) = function.blocks[b].instructions.iter().position(|i| i.id == cond) else { continue };
        let test = &function.blocks[b].instructions[check].op;
        let mut of_base = cond;
        let mut stays = None;
        match test {
            // Of the amount of a shift whose operands have no sign, or of a divisor.
            Op::Compare { left, .. } => {
                if is_amount_in(function, yes, left) {
                    // It is no comparison of the program, and says nothing about signs.
                    let nothing = Op::Freeze { arg: Operand::Constant(Constant::Int(1, 1)) };
                    let amount = left.clone();
                    function.blocks[b].instructions[check].op = nothing;
                    mark_checked(function, yes, |right| *right == amount);
                    function.blocks[b].terminator = Terminator::Jump(yes);
                } else if kind == Some(SHIFT) {
                    mark_checked(function, yes, |_| true);
                }
                continue;
            }
            Op::Binary { op: BinOp::And, left: Operand::Constant(Constant::Int(_, 0)), .. } => {
                function.blocks[b].terminator = Terminator::Jump(no);
                continue;
            }
            Op::Binary { op: BinOp::And, left: Operand::Value(exponent), right: Operand::Value(base), .. } => {
                of_base = *base;
                let of_amount = function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == *exponent);
                let checked = of_amount
                    .is_some_and(|i| matches!(&i.op, Op::Compare { left, .. } if is_amount_in(function, yes, left)));
                stays = (!checked).then_some(*exponent);
            }
            // Of an amount that is known to be right.
            Op::Binary { op: BinOp::And, right: Operand::Value(base), .. } => of_base = *base,
            _ => {}
        }
        let base = checked_base(function, of_base);
        // The condition is a phi over the check of the amount, which is `true` from where the amount is out of range.
        let sources: Vec<BlockId> = function.blocks[b]
            .instructions
            .iter()
            .find(|i| i.id == of_base)
            .map(|i| match &i.op {
                Op::Phi { incoming } => incoming.iter().map(|(from, _)| *from).collect(),
                _ => Vec::new(),
            })
            .unwrap_or_default();
        function.blocks[b].terminator = match stays {
            Some(exponent) => Terminator::Branch { cond: Operand::Value(exponent), yes, no },
            None => Terminator::Jump(yes),
        };
        let here = BlockId(super::flat::index(b));
        for source in &sources {
            let block = &function.blocks[source.0 as usize];
            if let Terminator::Branch { yes: y, no: n, .. } = block.terminator
                && (n == here && sources.contains(&y) || y == here && sources.contains(&n))
            {
                function.blocks[source.0 as usize].terminator = Terminator::Jump(here);
            }
        }
        // With constant operands there is no shift any more, and the next one behind it is another one.
        let Some(base) = base else { continue };
        let shift = function.blocks[yes.0 as usize]
            .instructions
            .iter_mut()
            .find(|i| matches!(&i.op, Op::Binary { op: BinOp::Shl, left, .. } if *left == base));
        if let Some(i) = shift
            && let Op::Binary { flags, .. } = &mut i.op
        {
            flags.nsw = true;
            flags.checked = true;
        }
    }
}

/// What is shifted, told from the check of its high bits: a phi over `x >> (31 - amount) == 0`, where C++ shifts once more.
fn checked_base(function: &Function, check: ValueId) -> Option<Operand> {
    let made_by = |o: &Operand| match o {
        Operand::Value(v) => function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == *v),
        Operand::Constant(_) => None,
    };
    let Op::Phi { incoming } = &made_by(&Operand::Value(check))?.op else { return None };
    let Op::Compare { left, .. } = &incoming.iter().find_map(|(_, o)| made_by(o))?.op else { return None };
    let mut base = left;
    while let Some(Instruction { op: Op::Binary { op: BinOp::LShr, left, .. }, nosanitize: true, .. }) = made_by(base) {
        base = left;
    }
    Some(base.clone())
}

/// The functions that are listed to be run before or after `main`, in their order: by the compiler, and by the program itself in
/// the sections that the loader goes through. Where their order depends on the linker they are in that of the module.
pub(super) fn listed(module: &Module, which: Listed) -> Vec<FunctionId> {
    let sections: &[&str] = match which {
        Listed::Constructors => &[".preinit_array", ".init_array", ".ctors"],
        Listed::Destructors => &[".fini_array", ".dtors"],
    };
    let mut found: Vec<(u128, FunctionId)> = Vec::new();
    for global in &module.globals {
        let Some(init) = &global.init else { continue };
        if global.listed == Some(which) {
            let Constant::Aggregate(_, entries) = init else { continue };
            for entry in entries {
                if let Constant::Aggregate(_, parts) = entry
                    && let [Constant::Int(_, priority), Constant::Function(f), ..] = parts.as_slice()
                {
                    found.push((*priority, *f));
                }
            }
        } else if let Some(rest) = sections.iter().find_map(|s| global.section.strip_prefix(s)) {
            let first = if global.section.starts_with(".preinit") { 0 } else { DEFAULT_PRIORITY };
            let priority = rest.strip_prefix('.').and_then(|n| n.parse().ok()).unwrap_or(first);
            let mut functions = Vec::new();
            pointed(init, &mut functions);
            found.extend(functions.into_iter().map(|f| (priority, f)));
        }
    }
    found.sort_by_key(|(priority, _)| *priority);
    found.into_iter().map(|(_, f)| f).collect()
}

/// That of a constructor that names none.
const DEFAULT_PRIORITY: u128 = 65535;

/// The functions that a constant points to, in order.
fn pointed(c: &Constant, found: &mut Vec<FunctionId>) {
    match c {
        Constant::Function(f) => found.push(*f),
        Constant::Aggregate(_, parts) => parts.iter().for_each(|p| pointed(p, found)),
        Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => pointed(inner, found),
        _ => {}
    }
}

/// The entry to start at: for `main`, a function that first runs what has to run before.
pub(super) fn with_constructors(module: &mut Module, entry: FunctionId) -> FunctionId {
    let first = listed(module, Listed::Constructors);
    let main = module.functions[entry.0 as usize].clone();
    if main.name != "main" || first.is_empty() {
        return entry;
    }
    let params = super::flat::index(main.params.len());
    let mut instructions = Vec::new();
    let call = |n: usize, f: FunctionId, ty: Type, args: Vec<Operand>| Instruction {
        id: ValueId(params + super::flat::index(n)),
        ty,
        op: Op::Call {
            callee: Callee::Function(f),
            promises: vec![Promise::default(); args.len()],
            args,
            promise: Promise::default(),
            noreturn: false,
            nounwind: false,
            returns_twice: false,
            fast: false,
            bundles: false,
        },
        place: main.place,
        nosanitize: false,
    };
    for (n, f) in first.iter().enumerate() {
        // The loader hands over what `main` gets; nobody looks closer.
        let function = &module.functions[f.0 as usize];
        let args =
            function.params.iter().map(|p| Operand::Constant(Constant::Opaque(p.ty.clone(), Vec::new()))).collect();
        instructions.push(call(n, *f, function.result.clone(), args));
    }
    let args = (0..params).map(|n| Operand::Value(ValueId(n))).collect();
    instructions.push(call(first.len(), entry, main.result.clone(), args));
    let result = (main.result != Type::Void).then(|| Operand::Value(ValueId(params + super::flat::index(first.len()))));
    let block = Block { instructions, terminator: Terminator::Return(result), place: main.place, loop_place: None };
    module.functions.push(Function {
        blocks: vec![block],
        declares: Vec::new(),
        declared_at: Vec::new(),
        values: Vec::new(),
        ..main
    });
    FunctionId(super::flat::index(module.functions.len() - 1))
}

/// What functions do with globals.
#[derive(Default)]
pub(super) struct Uses {
    /// Globals that are stored to.
    pub stored: FastSet<GlobalId>,
    /// Globals that are loaded from.
    pub loaded: FastSet<GlobalId>,
    /// Globals whose address is used for something else than a load or a store there.
    pub exposed: FastSet<GlobalId>,
}

pub(super) fn mention(c: &Constant, found: &mut FastSet<GlobalId>) {
    match c {
        Constant::Global(g, _) => {
            found.insert(*g);
        }
        Constant::Aggregate(_, parts) | Constant::Opaque(_, parts) => parts.iter().for_each(|p| mention(p, found)),
        Constant::PtrToInt(inner, _) | Constant::IntToPtr(inner) => mention(inner, found),
        _ => {}
    }
}

/// What an access is to. One by an address that is computed names no object.
fn accessed(at: &Constant, found: &mut FastSet<GlobalId>, exposed: &mut FastSet<GlobalId>) {
    mention(at, found);
    if !matches!(at, Constant::Global(..)) {
        mention(at, exposed);
    }
}

/// What some functions, and the initial values of globals if asked for, do with globals.
pub(super) fn uses<'a>(module: &'a Module, functions: impl Iterator<Item = &'a Function>, initial: bool) -> Uses {
    let mut found = Uses::default();
    let elsewhere = module.globals.iter().enumerate().filter(|(_, g)| g.elsewhere);
    found.exposed.extend(elsewhere.map(|(n, _)| GlobalId(super::flat::index(n))));
    if initial {
        for global in &module.globals {
            global.init.iter().for_each(|c| mention(c, &mut found.exposed));
        }
    }
    for block in functions.flat_map(|f| &f.blocks) {
        for i in &block.instructions {
            match &i.op {
                Op::Load { ptr, .. } => {
                    if let Operand::Constant(c) = ptr {
                        accessed(c, &mut found.loaded, &mut found.exposed);
                    }
                }
                Op::Store { value, ptr, .. } => {
                    if let Operand::Constant(c) = value {
                        mention(c, &mut found.exposed);
                    }
                    if let Operand::Constant(c) = ptr {
                        accessed(c, &mut found.stored, &mut found.exposed);
                    }
                }
                op => {
                    for o in super::operands_of(op) {
                        if let Operand::Constant(c) = o {
                            mention(c, &mut found.exposed);
                        }
                    }
                }
            }
        }
        for o in super::terminator_operands(&block.terminator) {
            if let Operand::Constant(c) = o {
                mention(c, &mut found.exposed);
            }
        }
    }
    found
}

/// The values that a module stores to each of its integers that are whole objects, where all of them are constants.
pub(super) fn constants_stored(module: &Module) -> FastMap<GlobalId, BTreeSet<u128>> {
    let mut found: FastMap<GlobalId, BTreeSet<u128>> = FastMap::default();
    let mut others: FastSet<GlobalId> = FastSet::default();
    for function in &module.functions {
        for i in function.blocks.iter().flat_map(|b| &b.instructions) {
            let Op::Store { value, ptr: Operand::Constant(at), size, .. } = &i.op else { continue };
            let mut values = BTreeSet::new();
            match at {
                Constant::Global(g, 0)
                    if module.globals[g.0 as usize].size == *size && is_one_of(function, value, 0, &mut values) =>
                {
                    found.entry(*g).or_default().extend(values);
                }
                _ => mention(at, &mut others),
            }
        }
    }
    found.retain(|g, _| !others.contains(g));
    found
}

/// Whether a value is one of some constants, which are added.
fn is_one_of(function: &Function, value: &Operand, depth: u32, values: &mut BTreeSet<u128>) -> bool {
    /// Deeper choices are rare.
    const MOST: u32 = 4;
    let mut inside = |o: &Operand| is_one_of(function, o, depth + 1, values);
    match value {
        Operand::Constant(Constant::Int(_, value)) => {
            values.insert(*value);
            true
        }
        Operand::Value(v) if depth < MOST => {
            let made = function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == *v);
            match made.map(|i| &i.op) {
                Some(Op::Select { yes, no, .. }) => inside(yes) && inside(no),
                Some(Op::Phi { incoming }) => incoming.iter().all(|(_, o)| inside(o)),
                Some(Op::Cast { op: CastOp::ZExt, from: Type::Int(1), .. }) => {
                    values.extend([0, 1]);
                    true
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// The functions that code which is not here may run: those that it can name, those whose address it may have got, and
/// what these call. The entry is one of them, which is then executed once more; only that `main` is called by its name is assumed not to happen.
pub(super) fn callable(module: &Module, more: impl Iterator<Item = FunctionId>) -> Vec<FunctionId> {
    let taken = super::flat::address_taken(module);
    let mut work: Vec<FunctionId> = (0..module.functions.len())
        .map(|n| FunctionId(super::flat::index(n)))
        .filter(|f| {
            let function = &module.functions[f.0 as usize];
            function.external && function.name != "main" || taken.contains(f)
        })
        .chain(more)
        .collect();
    let mut found = Vec::new();
    let mut seen = FastSet::default();
    while let Some(f) = work.pop() {
        if module.functions[f.0 as usize].blocks.is_empty() || !seen.insert(f) {
            continue;
        }
        found.push(f);
        for i in module.functions[f.0 as usize].blocks.iter().flat_map(|b| &b.instructions) {
            if let Op::Call { callee: Callee::Function(g), .. } = &i.op {
                work.push(*g);
            }
        }
    }
    found
}
