//! Calls: whom they run, what they write, and whether anything follows.

use super::Shared;
use super::body::Body;
use super::is_number;
use crate::intrinsic::Intrinsic;
use crate::models::{Effect, Ends, Model, Occasion, Returns, Table, When};
use crate::module::{Callee, Constant, Instruction, Module, Op, Operand, Type};
use crate::translate::calls::assembly::goes_on;
use crate::translate::flat::{candidates, is_longjmp};
use crate::translate::values::operand_type;
use lariat_ir::function::{Access, Call, End, Step, Target, Writes};
use lariat_ir::{Assumption, AssumptionKind};

/// The model of a function, if it is one of the library.
fn model_of<'m>(shared: &Shared<'m>, callee: &Callee, i: &Instruction, types: &[Type]) -> Option<&'m Model> {
    let (Callee::Function(f), Op::Call { noreturn, .. }) = (callee, &i.op) else { return None };
    let function = &shared.module.functions[f.0 as usize];
    let model = shared.table.of(function)?;
    let fits = model.fits(types, &i.ty) && model.may_stand_for(types, &i.ty, *noreturn || function.noreturn);
    fits.then_some(model)
}

/// Why a call may bring control to where the graph does not.
pub(super) fn strays(shared: &Shared<'_>, callee: &Callee) -> Option<String> {
    match callee {
        Callee::Function(f) => {
            let function = &shared.module.functions[f.0 as usize];
            let is_strange = matches!(function.intrinsic, Some(Intrinsic::SetJump | Intrinsic::Beyond))
                || shared.table.of(function).is_some_and(|model| model.again || model.jumps);
            is_strange.then(|| format!("control may come back from `{}`", function.shown()))
        }
        Callee::Asm(text) => (!goes_on(shared.module, text)).then(|| "its assembly may jump".to_owned()),
        Callee::Pointer(_) => None,
    }
}

/// What an intrinsic does that is no call. Nothing if it is one.
enum Known {
    /// Nothing but its result, which nobody knows.
    Value,
    /// It gives its first argument.
    First,
    /// It writes where its first argument points.
    Writes,
    /// Nothing follows.
    End(End),
}

fn known(intrinsic: Intrinsic) -> Option<Known> {
    Some(match intrinsic {
        Intrinsic::Identity => Known::First,
        Intrinsic::Memcpy | Intrinsic::Memmove | Intrinsic::Memset | Intrinsic::VaStart => Known::Writes,
        Intrinsic::UbsanTrap => Known::End(End::Ub),
        Intrinsic::Trap | Intrinsic::LongJump => Known::End(End::Gone),
        Intrinsic::Nothing
        | Intrinsic::LifetimeStart
        | Intrinsic::LifetimeEnd
        | Intrinsic::Assume
        | Intrinsic::IsConstant
        | Intrinsic::WithOverflow(_)
        | Intrinsic::MinMax(_)
        | Intrinsic::Abs
        | Intrinsic::CountBits(_)
        | Intrinsic::Bswap
        | Intrinsic::FunnelShift { .. }
        | Intrinsic::VaEnd
        | Intrinsic::StackSave
        | Intrinsic::StackRestore
        | Intrinsic::Compute(_)
        | Intrinsic::Environment => Known::Value,
        Intrinsic::SetJump | Intrinsic::Beyond | Intrinsic::Unlisted(_) => return None,
    })
}

pub(super) fn call(body: &mut Body<'_>, i: &Instruction) -> Option<End> {
    let Op::Call { callee, args, noreturn, .. } = &i.op else { return None };
    if let Some(known) = body.intrinsic(callee).and_then(known) {
        return as_known(body, i, args, known);
    }
    let shared = body.shared;
    let types: Vec<Type> = args.iter().map(|a| operand_type(body.function, a)).collect();
    let mut writes = Writes::Outside;
    let mut targets = Vec::new();
    let mut is_gone = *noreturn;
    let mut is_taken = false;
    let span = body.span(i);
    let mut assumed = Vec::new();
    let mut assume = |kind: AssumptionKind, text: String| {
        assumed.push(Target::Assumed(Assumption { kind, text, span: span.clone() }));
    };
    match callee {
        Callee::Asm(text) => {
            if !text.trim().is_empty() {
                assume(AssumptionKind::AssemblyGoesOn, "the assembly goes on behind it".to_owned());
            }
            let outputs = "inline assembly changes only its outputs and memory that others know of";
            assume(AssumptionKind::AssemblyEffects, outputs.to_owned());
        }
        Callee::Pointer(pointer) => {
            assume(AssumptionKind::Returns, "a function that is called through a pointer returns".to_owned());
            // A call through a pointer of another type is undefined.
            let mut fits = candidates(shared.module, shared.taken, &types, &i.ty);
            let put = shared.pointees.as_ref().and_then(|p| p.of(body.id.0 as usize, pointer));
            if let Some(put) = put.filter(|put| fits.iter().any(|f| !put.contains(f))) {
                fits.retain(|f| put.contains(f));
                let text = "a call through a pointer runs a function that its file puts there, or one from elsewhere";
                assume(AssumptionKind::CalledFunctions, text.to_owned());
            }
            targets.extend(fits.iter().filter_map(|f| shared.numbers.get(f)).map(|n| Target::Function(*n)));
        }
        Callee::Function(f) => {
            let function = &shared.module.functions[f.0 as usize];
            is_gone |= function.noreturn || is_longjmp(function);
            if let Some(number) = shared.numbers.get(f) {
                targets.push(Target::Function(*number));
            } else if let Some(model) = model_of(shared, callee, i, &types) {
                if function.waits {
                    targets.push(Target::Waits(function.shown().to_owned()));
                }
                writes = writes_of(shared, model);
                is_gone |= model.ends.as_ref().is_some_and(|e| e.when == When::Always && e.how != Ends::Throw);
                // What runs in it may be any function that the program gave away.
                let runs = runs_others(shared, model);
                is_taken |= runs;
                let ends = |(occasion, _): &(Occasion, _)| *occasion == Occasion::Exit;
                if model.runs.iter().any(ends) && shared.registered.contains(&Occasion::Exit) {
                    targets.push(Target::AtExit);
                }
                if model.blocks || model.special || runs || !model.runs.is_empty() || model.reads_stream() {
                    writes = Writes::Outside;
                    assume(AssumptionKind::Returns, format!("`{}` returns", function.shown()));
                }
                if let Some((kind, text)) = &model.assumption {
                    assume(*kind, text.clone());
                }
            } else if function.waits {
                targets.push(Target::Waits(function.shown().to_owned()));
            } else if is_gone {
                assume(AssumptionKind::Returns, format!("`{}` ends the program, or throws", function.shown()));
            } else {
                assume(AssumptionKind::Returns, format!("`{}` returns", function.shown()));
            }
        }
    }
    targets.extend(assumed);
    if is_taken {
        targets.extend(shared.taken.iter().filter_map(|f| shared.numbers.get(f)).map(|n| Target::Function(*n)));
    }
    let mut values = Vec::new();
    let params = match &callee {
        Callee::Function(f) => shared.module.functions[f.0 as usize].params.as_slice(),
        Callee::Asm(_) | Callee::Pointer(_) => &[],
    };
    for (n, (a, ty)) in args.iter().zip(&types).enumerate() {
        // The callee gets the address of a copy that nobody else has.
        let is_copied = params.get(n).is_some_and(|p| p.byval.is_some());
        let value = (is_number(ty) && !is_copied).then(|| body.passed(a, ty));
        values.push(value);
    }
    let result = body.result(i);
    let callee = match callee {
        Callee::Asm(_) => "inline assembly".to_owned(),
        Callee::Pointer(_) => "what is called through a pointer".to_owned(),
        Callee::Function(f) => format!("`{}`", shared.module.functions[f.0 as usize].shown()),
    };
    body.step(Step::Call(Call { callee, targets, writes, args: values, result }));
    // What is declared never to return and does is undefined.
    is_gone.then_some(End::Gone)
}

fn as_known(body: &mut Body<'_>, i: &Instruction, args: &[Operand], known: Known) -> Option<End> {
    match known {
        Known::Value => {
            if let Some(var) = body.result(i) {
                body.step(Step::Fresh { var });
            }
        }
        Known::First => {
            if let Some(first) = args.first() {
                let sym = body.operand(first, &i.ty);
                body.set(i, sym);
            }
        }
        Known::Writes => {
            if let Some(to) = args.first() {
                let address = body.pointer(to);
                let bytes = match args.get(2) {
                    Some(Operand::Constant(Constant::Int(_, n))) => u64::try_from(*n).ok(),
                    _ => None,
                };
                body.step(Step::Store { at: Access { address, bytes, ty: None, by: None }, value: None });
            }
        }
        Known::End(end) => return Some(end),
    }
    None
}

/// Whether functions of this file may run in a call: because it calls back, or because they were registered for an occasion.
fn runs_others(shared: &Shared<'_>, model: &Model) -> bool {
    model.runs.iter().any(|(occasion, _)| shared.registered.contains(occasion))
        || model.arms.is_some() && shared.registered.contains(&Occasion::Signals)
        || model.effects.iter().any(|e| matches!(e, Effect::Calls(_)))
}

/// The occasions for which a file registers functions. One that gives away the address of a function that registers others may do anything with it.
pub(super) fn registered(module: &Module, table: &Table) -> Vec<Occasion> {
    let declared = module.functions.iter().filter(|f| f.blocks.is_empty());
    let models = declared.filter_map(|f| table.of(f));
    let mut found = Vec::new();
    for effect in models.flat_map(|m| &m.effects) {
        if let Effect::Registers(_, occasion) = effect
            && !found.contains(occasion)
        {
            found.push(*occasion);
        }
    }
    found
}

/// What a function of the library writes. The bytes that one returns a pointer to are the library's, and so is the buffer of a stream, which the
/// program may have given to it.
fn writes_of(shared: &Shared<'_>, model: &Model) -> Writes {
    let is_quiet = model.writes_nothing
        && model.keeps.is_empty()
        && model.effects.is_empty()
        && model.streams.is_empty()
        && !model.breaks_pipe;
    if is_quiet && is_plain(&model.returns) && !shared.is_errno_named { Writes::Errno } else { Writes::Outside }
}

/// Whether what comes back is no object of the library that a call fills.
fn is_plain(returns: &Returns) -> bool {
    match returns {
        Returns::Nothing | Returns::Value { .. } | Returns::Exactly(_) | Returns::Within(_) | Returns::Table { .. } => {
            true
        }
        // `errno` itself: asking where it is does not change it.
        Returns::Static { volatile, .. } => *volatile,
        Returns::OrNull(_, inner) => is_plain(inner),
        Returns::If(_, a, b) => is_plain(a) && is_plain(b),
        Returns::Fresh { .. } | Returns::Moved { .. } | Returns::Handle | Returns::Read { .. } => false,
    }
}
