//! Which streams the calls of a program use: standard input, or others; what is opened once, what is only written.
//!
//! Two handles are of different streams for certain only where this is seen in the program: `stdin` itself and the descriptor 0; what comes
//! from calls that open files. The user may have two files for two names.

use crate::models::{Effect, Handle, Model, StreamUse};
use crate::module::{BlockId, Constant, Op, Operand};
use crate::translate::flat::{Plan, Point, index};
use crate::translate::points::{ObjectId, ObjectKind, Points, constant_of};
use crate::translate::{Context, ModelUse, operands_of, terminator_operands};
use lariat_ir::fast::{FastMap, FastSet};

/// What a stream is, as far as a handle tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::translate) enum Which {
    Standard,
    Other,
    Either,
    /// Standard output, or a file that is only written.
    Output,
}

/// A call that reads.
pub(in crate::translate) struct Read {
    pub at: Point,
    pub which: Which,
    /// Whether it reads from a `FILE`.
    pub buffered: bool,
    /// Whether it reads from what is for output: what comes is not the user's choice.
    pub output: bool,
}

/// What was found of the calls.
#[derive(Default)]
pub(in crate::translate) struct Census {
    pub reads: Vec<Read>,
    /// Whether standard input, and whether other streams are moved.
    pub moves: Vec<(Point, [bool; 2])>,
    /// Openings that are the only ones of their files.
    pub opens: Vec<Point>,
    /// Whether the program itself opens what may have no end: a device, a pipe that it writes, or a command, to itself.
    pub endless: bool,
}

impl Census {
    /// Looks at all calls; also gives whether the variables of the standard streams are assigned to.
    pub(in crate::translate) fn take(cx: &Context<'_>, points: &Points) -> (Self, bool) {
        let flat = cx.flat;
        let handles = Handles::of(cx, points);
        let mut census = Self::default();
        for instance in flat.ids() {
            for (b, block) in flat.function(instance).blocks.iter().enumerate() {
                for (i, instruction) in block.instructions.iter().enumerate() {
                    let Op::Call { callee, args, .. } = &instruction.op else { continue };
                    let at = Point { instance, block: BlockId(index(b)), index: index(i) };
                    let followed = |(_, w): &(_, Plan)| *w != Plan::Stay;
                    match cx.model_use(at, callee) {
                        ModelUse::Entered if flat.plan(at).iter().all(followed) => {}
                        ModelUse::Intrinsic(_) | ModelUse::Observe => {}
                        ModelUse::Model(model) => census.model(cx, &handles, at, model, args),
                        ModelUse::Entered | ModelUse::Unknown => census.moves.push((at, [true, true])),
                    }
                }
            }
        }
        census.opens.extend(handles.opened.iter().filter(|(_, o)| o.alone && o.reads).map(|(at, _)| *at));
        (census, handles.reassigned)
    }

    fn model(&mut self, cx: &Context<'_>, handles: &Handles<'_>, at: Point, model: &Model, args: &[Operand]) {
        if model.effects.iter().any(|e| matches!(e, Effect::Calls(_) | Effect::ChangesMemory)) {
            self.moves.push((at, [true, true]));
        }
        self.endless |= model.makes_pipe;
        for used in &model.streams {
            match used {
                StreamUse::Read(handle) => {
                    let which = handles.which(at, *handle, args);
                    let output = which == Which::Output;
                    let which = if output { Which::Either } else { which };
                    let buffered = match handle {
                        Handle::StandardInput => true,
                        Handle::Arg(n) => {
                            model.params.get(*n).is_some_and(|p| p.ty == Some(crate::models::Type::Pointer))
                        }
                    };
                    self.reads.push(Read { at, which, buffered, output });
                }
                // What goes out does not come in through standard input, unless the user connects the two: that is no finite input.
                StreamUse::Written(handle) => match handles.which(at, *handle, args) {
                    Which::Output => {}
                    _ => self.moves.push((at, [false, true])),
                },
                StreamUse::Moved(handle) => match handles.which(at, *handle, args) {
                    Which::Output => {}
                    Which::Standard => self.moves.push((at, [true, false])),
                    Which::Other => self.moves.push((at, [false, true])),
                    Which::Either => self.moves.push((at, [true, true])),
                },
                StreamUse::Opened { path, .. } => {
                    self.endless |= args.get(*path).and_then(|p| text_of(cx, p)).is_some_and(|p| is_made_up(&p));
                    if !handles.opened.get(&at).is_some_and(|o| o.alone) {
                        self.moves.push((at, [false, true]));
                    }
                }
                // One new connection has a content of its own; of many, there may be no last one.
                StreamUse::OpenedAnew => {
                    if cx.on_cycle(at) {
                        self.moves.push((at, [false, true]));
                    }
                }
                StreamUse::AllMoved => self.moves.push((at, [true, true])),
            }
        }
    }
}

/// What is known of the handles in a program.
struct Handles<'a> {
    cx: &'a Context<'a>,
    points: &'a Points,
    opened: FastMap<Point, Opened>,
    /// Whether the value of `stdin` goes elsewhere than into calls that are not followed.
    spreads: bool,
    /// Whether the variables of the standard streams are used for more than their values.
    reassigned: bool,
}

/// The opening of a file.
struct Opened {
    /// Whether it happens once, and nothing else opens that file.
    alone: bool,
    /// Whether it is only read, or only written.
    reads: bool,
    writes: bool,
}

impl<'a> Handles<'a> {
    fn of(cx: &'a Context<'a>, points: &'a Points) -> Self {
        let flat = cx.flat;
        let mut found: Vec<(Point, Option<String>, Opened)> = Vec::new();
        let (mut spreads, mut reassigned) = (false, false);
        for instance in flat.ids() {
            let function = flat.function(instance);
            let mut standard: FastSet<crate::module::ValueId> = FastSet::default();
            for i in function.blocks.iter().flat_map(|b| &b.instructions) {
                if let Op::Load { ptr, .. } = &i.op
                    && is_global(cx, ptr, STANDARD_INPUT)
                {
                    standard.insert(i.id);
                }
            }
            for (b, block) in function.blocks.iter().enumerate() {
                for (i, instruction) in block.instructions.iter().enumerate() {
                    let at = Point { instance, block: BlockId(index(b)), index: index(i) };
                    let op = &instruction.op;
                    let is_load = matches!(op, Op::Load { .. });
                    let outside =
                        matches!(op, Op::Call { callee, .. } if matches!(cx.model_use(at, callee), ModelUse::Model(_)));
                    for o in operands_of(op) {
                        spreads |= matches!(o, Operand::Value(v) if standard.contains(v)) && !outside;
                        spreads |= is_global(cx, o, STANDARD_INPUT) && !is_load;
                        let standard = is_global(cx, o, STANDARD_INPUT) || is_global(cx, o, STANDARD_OUTPUT);
                        reassigned |= standard && !is_load;
                    }
                    let Op::Call { callee, args, .. } = op else { continue };
                    let ModelUse::Model(model) = cx.model_use(at, callee) else { continue };
                    for used in &model.streams {
                        let StreamUse::Opened { path, mode } = used else { continue };
                        let name = args.get(*path).and_then(|p| text_of(cx, p)).and_then(|p| plain_name(&p));
                        let (reads, writes) = match mode {
                            Some(m) => match args.get(*m).and_then(|m| text_of(cx, m)) {
                                Some(m) if !m.contains('+') => {
                                    (m.starts_with('r'), m.starts_with('w') || m.starts_with('a'))
                                }
                                _ => (false, false),
                            },
                            // `O_RDONLY` is 0 on all targets that are modelled.
                            None => (args.get(path + 1).and_then(constant_of).is_some_and(|f| f % 4 == 0), false),
                        };
                        found.push((at, name, Opened { alone: !cx.on_cycle(at), reads, writes }));
                    }
                }
            }
            for block in &function.blocks {
                for o in terminator_operands(&block.terminator) {
                    spreads |= matches!(o, Operand::Value(v) if standard.contains(v));
                }
            }
        }
        // The user may have two files for two names; a name that is not known may be any.
        let names: Vec<Option<String>> = found.iter().map(|(_, name, _)| name.clone()).collect();
        let opened = found
            .into_iter()
            .enumerate()
            .map(|(n, (at, name, mut opened))| {
                let differs = |(m, other): (usize, &Option<String>)| m == n || other.is_some() && *other != name;
                opened.alone &= name.is_some() && names.iter().enumerate().all(differs);
                (at, opened)
            })
            .collect();
        Self { cx, points, opened, spreads, reassigned }
    }

    fn which(&self, at: Point, handle: Handle, args: &[Operand]) -> Which {
        let Handle::Arg(n) = handle else { return Which::Standard };
        let Some(operand) = args.get(n) else { return Which::Either };
        match operand {
            Operand::Constant(Constant::Null) => return Which::Output,
            Operand::Constant(Constant::Int(..)) => {
                return match constant_of(operand) {
                    Some(0) => Which::Standard,
                    Some(1 | 2) => Which::Output,
                    _ => Which::Other,
                };
            }
            Operand::Value(v) => {
                let function = self.cx.flat.function(at.instance);
                let made = function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == *v);
                if let Some(Op::Load { ptr, .. }) = made.map(|i| &i.op) {
                    if is_global(self.cx, ptr, STANDARD_INPUT) && !self.spreads {
                        return Which::Standard;
                    }
                    if is_global(self.cx, ptr, STANDARD_OUTPUT) {
                        return Which::Output;
                    }
                }
            }
            Operand::Constant(_) => {}
        }
        // What points to objects of calls that open files is none of the standard streams.
        let targets = self.points.of(self.cx.flat, at.instance, operand);
        let opened = |o: &ObjectId| match self.points.objects[o.0 as usize] {
            ObjectKind::Library(p, false) => Some(self.opened.get(&p)),
            _ => None,
        };
        let all: Option<Vec<Option<&Opened>>> = targets.0.keys().map(opened).collect();
        match all {
            Some(all) if !all.is_empty() && !self.spreads => {
                let output = |o: Option<&Opened>| o.is_some_and(|o| o.writes && o.alone);
                if all.into_iter().all(output) { Which::Output } else { Which::Other }
            }
            _ => Which::Either,
        }
    }
}

pub(in crate::translate) const STANDARD_INPUT: &[&str] = &["stdin", "__stdinp"];
pub(in crate::translate) const STANDARD_OUTPUT: &[&str] = &["stdout", "stderr", "__stdoutp", "__stderrp"];

/// Whether an operand is the address of one of these variables of the library.
pub(super) fn is_global(cx: &Context<'_>, operand: &Operand, names: &[&str]) -> bool {
    let Operand::Constant(Constant::Global(g, 0)) = operand else { return false };
    let global = &cx.flat.module.globals[g.0 as usize];
    global.init.is_none() && names.contains(&global.name.as_str())
}

/// The text that an operand points to, if it is constant.
pub(super) fn text_of(cx: &Context<'_>, operand: &Operand) -> Option<String> {
    let Operand::Constant(Constant::Global(g, 0)) = operand else { return None };
    let global = &cx.flat.module.globals[g.0 as usize];
    match &global.init {
        Some(Constant::Bytes(text)) if global.constant => {
            Some(text.iter().take_while(|b| **b != 0).map(|b| char::from(*b)).collect())
        }
        _ => None,
    }
}

/// The last part of the name of a file whose content is the user's choice. Devices and what the system makes up are none.
fn plain_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    (!is_made_up(path) && !path.contains("..") && !name.is_empty() && name != ".").then(|| name.to_owned())
}

/// Whether a name is one of devices, and of what the system makes up while it is read: there may be no end of it.
fn is_made_up(path: &str) -> bool {
    ["/dev", "/proc", "/sys", "/run"].iter().any(|p| path.starts_with(p))
}
