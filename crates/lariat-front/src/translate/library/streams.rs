//! What comes from outside through streams: standard input, files, connections.
//!
//! A divergence proof chooses what is read. That is a choice of contents, not of single values: contents are finite, after their end comes
//! the end again, and a byte that is read twice is the same byte. So the program gets variables for what is yet to come, one set for
//! standard input and one for all other streams, or one set for all where a call may read from either:
//!
//! - `left`: how many reads will still give something. It is an input in the beginning, falls with each such read, and at 0
//!   there is the end, for ever. So no run of the system reads without end: the assumption `finite-input`.
//! - `rough`: in the beginning an input, too. Where it is 0, streams are plain ones: there is something while `left` is not 0, and then
//!   the end. Where it is 1, the environment decides at each read whether it comes to an end or to an error now, though there may be
//!   more later, and what is read. That is a terminal, a file that grows, a connection; and every behaviour of a plain stream
//!   is one of these. So a termination proof never rests on an end that stays, only on the finite number.
//! - `pending`: what the last `scanf` has left of a plain stream: 1, the byte behind a number, which is chosen to be a newline;
//!   2, something that is no number, which is chosen to be a `?` and is there until something else reads it.
//!
//! Why a divergence proof is right: it has to choose `rough` = 0, or be right for all that the environment does. Then all that is read while
//! `rough` stays 0 is new: no position is read twice, and nothing that is read was written by the program. Each choice is one of
//! the next bytes of some stream, and there is a content of each stream that has just these. Whatever could break that makes the streams
//! rough, with a number of reads that the environment decides: calls that move or copy handles, pushing back, writing to what may be read,
//! opening what may have been opened before, functions that are not known (`handles`).
//!
//! Streams of which the program itself says that they may have no end (a device, a pipe that it may write to) have no such variables: the
//! environment decides at each read.
//!
//! Why a termination proof is right: let a run be infinite. With `rough` = 1 and as many reads left as it makes before it moves a stream
//! (finitely many by the assumption, or without a bound where streams are moved for ever, which gives `left` a new value), it is a run of
//! the system.

use crate::models::{Effect, Expr as ModelExpr, Kind, Returns};
use crate::module::{Op, Operand};
use crate::translate::Context;
use crate::translate::build::Builder;
use crate::translate::flat::Point;
use crate::translate::library::Library;
use crate::translate::library::call::ModelCall;
use crate::translate::library::handles::{Census, Read, STANDARD_INPUT, STANDARD_OUTPUT, Which, is_global, text_of};
use crate::translate::library::models::model_at;
use crate::translate::points::Points;
use crate::translate::state::{Flow, Next, Split, State, site};
use crate::translate::values::Values;
use crate::translate::values::arith::{Num, Sym, and, cmp, constant, ite, low_bit, not, operate, truth};
use dashu_int::IBig;
use lariat_ir::fast::FastMap;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Origin, Overflow, Piece};
use lariat_ir::{AssumptionKind, UnknownKind};

/// How many reads are left.
const LEFT: IntType = IntType::unsigned(64);
/// Whether streams are rough, and what is pending.
const SMALL: IntType = IntType::unsigned(8);
/// The longest piece that is chosen for a read without a limit of its own.
const LONGEST: u64 = 1 << 20;
/// What is said of every proof that rests on the finite number of reads.
const FINITE: &str = "what is read from outside comes to an end (finite-input)";

/// Behind a number.
const AFTER_NUMBER: u8 = 1;
/// Before something that is no number.
const STUCK: u8 = 2;

/// What the calls of a program do with streams.
#[derive(Default)]
pub(in crate::translate) struct Streams {
    uses: FastMap<Point, Uses>,
    sets: [Set; 2],
    /// Whether the program gives the library's variables for the standard streams other values.
    reassigned: bool,
}

/// The variables of a set of streams; none if nothing reads from them.
#[derive(Clone, Default)]
struct Set {
    left: Option<usize>,
    rough: Option<usize>,
    pending: Option<usize>,
    /// Whether what is read is never chosen.
    starts_rough: bool,
    /// Whether it is standard input alone.
    standard: bool,
    /// Whether there may be no end of what is read, by what the program itself does.
    endless: bool,
}

/// What one call does.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// The set that it reads from.
    reads: Option<usize>,
    /// Whether that is standard input for certain.
    standard: bool,
    /// The sets that are rough from then on.
    moves: [bool; 2],
    /// Whether it opens a file that nothing else opens, to read it.
    opens: bool,
}

/// How a read goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::translate) enum Outcome {
    /// By the condition of this number among those of the model: nothing is read.
    Plain(usize),
    /// What was chosen, from a plain stream.
    Given,
    /// What the environment decides, from a rough one.
    Any,
    /// The end of a plain stream.
    End,
    /// The end of a rough one, or an error.
    AnyEnd,
    /// What is there is no number, and stays.
    NoNumber,
}

impl Streams {
    /// Looks at all calls of a program, also at those that are never reached.
    pub(in crate::translate) fn find(cx: &Context<'_>, points: &Points) -> Self {
        let (census, reassigned) = Census::take(cx, points);
        let mut streams = Self { reassigned, ..Self::default() };
        if census.reads.is_empty() {
            return streams;
        }
        let together = census.reads.iter().any(|r| r.which == Which::Either);
        let set = |which: Which| usize::from(which == Which::Other && !together);
        for read in &census.reads {
            let uses = streams.uses.entry(read.at).or_default();
            uses.reads = Some(set(read.which));
            uses.standard = read.which == Which::Standard;
        }
        for (at, [standard, others]) in &census.moves {
            let uses = streams.uses.entry(*at).or_default();
            uses.moves[0] |= *standard || together && *others;
            uses.moves[1] |= *others && !together;
        }
        for at in &census.opens {
            streams.uses.entry(*at).or_default().opens = true;
        }
        for (n, set_of) in streams.sets.iter_mut().enumerate() {
            let here: Vec<&Read> = census.reads.iter().filter(|r| set(r.which) == n).collect();
            // A `FILE` reads ahead of the program: what a descriptor gives then is not what comes next.
            set_of.starts_rough = here.iter().any(|r| r.buffered) && here.iter().any(|r| !r.buffered);
            set_of.starts_rough |= here.iter().any(|r| r.output);
            // Standard input is what it is, unless the program puts something else in its place.
            let moved = census.moves.iter().any(|(_, [standard, _])| *standard);
            set_of.endless = census.endless && (n == 1 || moved || here.iter().any(|r| r.which != Which::Standard));
            set_of.standard = here.iter().all(|r| r.which == Which::Standard);
        }
        streams
    }
}

impl Library<'_, '_> {
    /// Whether a call opens a file that nothing else opens, to read it: whether it is there is the user's choice.
    pub(super) fn opens(&self, at: Point) -> bool {
        self.streams.uses.get(&at).is_some_and(|u| u.opens)
    }

    /// Makes the variables of the streams that are read.
    pub(super) fn make_streams(&mut self, values: &mut Values<'_, '_>) {
        let reads: Vec<usize> = self.streams.uses.values().filter_map(|u| u.reads).collect();
        let scans = |at: &Point| {
            model_at(self.cx, *at).is_some_and(|(m, _)| m.effects.iter().any(|e| matches!(e, Effect::Scans(..))))
        };
        let scanned: Vec<usize> =
            self.streams.uses.iter().filter(|(at, _)| scans(at)).filter_map(|(_, u)| u.reads).collect();
        for n in 0..self.streams.sets.len() {
            if !reads.contains(&n) || self.streams.sets[n].endless {
                continue;
            }
            let mut made = |name: &str, ty: IntType| Some(values.made(name, ty));
            let (left, rough) = (made("reads left", LEFT), made("rough streams", SMALL));
            let pending = scanned.contains(&n).then(|| made("pending", SMALL)).flatten();
            self.streams.sets[n] = Set { left, rough, pending, ..self.streams.sets[n].clone() };
        }
    }

    /// What streams hold in the beginning.
    pub(in crate::translate) fn start_streams(&mut self, values: &mut Values<'_, '_>, state: &mut State) {
        for set in self.streams.sets.clone() {
            let (Some(left), Some(rough)) = (set.left, set.rough) else { continue };
            let reads = values.unknown(state, "reads left", LEFT, UnknownKind::Input, None);
            self.note_piece(values, &reads, Piece::Length, state.at);
            values.note_standard(&reads, set.standard);
            state.forget_var(left, reads.expr);
            let how = if set.starts_rough {
                constant(1, SMALL)
            } else {
                let range = Some((IBig::ZERO, IBig::from(1)));
                let how = values.unknown(state, "rough streams", SMALL, UnknownKind::Input, range);
                self.note_piece(values, &how, Piece::Rough, state.at);
                how.expr
            };
            state.forget_var(rough, how);
        }
    }

    /// The set of streams that a call reads from.
    pub(in crate::translate) fn reads_stream(&self, at: Point) -> Option<usize> {
        self.streams.uses.get(&at).and_then(|u| u.reads).filter(|n| self.streams.sets[*n].left.is_some())
    }

    /// Whether an operand is one of the standard streams, which are there: `stdin`, `stdout`, `stderr`.
    pub(super) fn is_standard_stream(&self, at: Point, operand: &Operand) -> bool {
        let Operand::Value(v) = operand else { return false };
        let function = self.cx.flat.function(at.instance);
        let made = function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == *v);
        let standard = |o: &Operand| is_global(self.cx, o, STANDARD_INPUT) || is_global(self.cx, o, STANDARD_OUTPUT);
        // C gives nobody the right to assign to them; this program may all the same.
        !self.streams.reassigned && matches!(made.map(|i| &i.op), Some(Op::Load { ptr, .. }) if standard(ptr))
    }

    /// The ways on from a read of a set of streams.
    fn stream_ways(
        &mut self,
        values: &mut Values<'_, '_>,
        mut state: State,
        call: &ModelCall<'_>,
        (number, read): (usize, &Returns),
        ways: &mut Vec<(State, Outcome)>,
    ) {
        let flag = IntType::unsigned(1);
        let set = self.streams.sets[number].clone();
        let (Some(left), Some(rough)) = (set.left, set.rough) else { return };
        let numbers = self.plain_numbers(call).is_some();
        if let Some(pending) = set.pending
            && !numbers
            && !is_byte(read)
        {
            // What is pending is the beginning of what comes: not all of that is a choice.
            let waits = cmp(CmpOp::Ne, SMALL, state.var(pending), constant(0, SMALL));
            let now = ite(waits, constant(1, SMALL), state.var(rough));
            state.forget_var(rough, now);
            state.forget_var(pending, constant(0, SMALL));
        }
        let is_plain = cmp(CmpOp::Eq, SMALL, state.var(rough), constant(0, SMALL));
        let more = cmp(CmpOp::Gt, LEFT, state.var(left), constant(0, LEFT));
        let way = |state: &State, condition: Cond| {
            let mut taken = state.clone();
            taken.restrict(condition);
            taken
        };
        let other = (numbers && set.pending.is_some()).then(|| {
            let other = values.unknown(&mut state, "no number", flag, UnknownKind::Input, None);
            self.note_piece(values, &other, Piece::NoNumber, state.at);
            other
        });
        // The ways of a plain stream come first, so that none of their conditions asks the environment.
        if is_plain != truth(false) {
            let plain = way(&state, is_plain);
            if let (Some(other), Some(pending)) = (other, set.pending) {
                let stuck = cmp(CmpOp::Eq, SMALL, plain.var(pending), constant(STUCK, SMALL));
                let chosen = and(more.clone(), low_bit(&other));
                for condition in [stuck, chosen].into_iter().filter(|c| *c != truth(false)) {
                    ways.push((way(&plain, condition), Outcome::NoNumber));
                }
            }
            ways.push((way(&plain, more.clone()), Outcome::Given));
            ways.push((plain, Outcome::End));
        }
        let cut = values.unknown(&mut state, "ends here", flag, UnknownKind::Environment, None);
        ways.push((way(&state, and(more, not(low_bit(&cut)))), Outcome::Any));
        ways.push((state, Outcome::AnyEnd));
    }

    /// Whether a call gives a descriptor of a file that nothing else opens, or says that there is none.
    pub(super) fn opens_alone(&self, at: Point, returns: &Returns) -> bool {
        let fails = matches!(returns, Returns::Value { low: Some(ModelExpr::Number(-1)), high: None, .. });
        fails && self.opens(at)
    }

    /// The conversions of a `scanf` that reads integers only, with nothing else behind the last one: each with its letter and the size
    /// of what it stores. They can be chosen one by one, and what is left behind them is the next byte.
    pub(super) fn plain_numbers(&self, call: &ModelCall<'_>) -> Option<Vec<(char, u64)>> {
        let format = call.model.effects.iter().find_map(|e| match e {
            Effect::Scans(n, Kind::Stream) => Some(*n),
            _ => None,
        })?;
        let text = text_of(self.cx, call.args.get(format)?)?;
        let long = u64::from(self.cx.flat.module.pointer_bits / 8);
        plain_numbers(&text, long)
    }

    /// An unknown is a piece of a stream.
    pub(super) fn note_piece(&mut self, values: &mut Values<'_, '_>, unknown: &Num, piece: Piece, at: Point) {
        let Expr::Unknown(u) = unknown.expr else { return };
        let standard = self.streams.uses.get(&at).is_some_and(|s| s.standard);
        let instruction = self.cx.flat.instruction(at);
        let function = instruction.and_then(|i| self.cx.callee_name(i)).unwrap_or_default();
        let site = instruction.and_then(|i| i.place).filter(|p| p.line > 0).map(site);
        values.set_origin(u, Origin::Stream { function, piece, standard, site });
    }

    /// What a call does to streams besides reading.
    pub(super) fn move_as_said(&mut self, values: &mut Values<'_, '_>, state: &mut State, at: Point) {
        if let Some(uses) = self.streams.uses.get(&at).copied() {
            self.move_streams(values, state, uses.moves);
        }
    }

    /// Streams give something else from here on.
    pub(in crate::translate) fn move_streams(
        &mut self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        which: [bool; 2],
    ) {
        for (set, _) in self.streams.sets.clone().iter().zip(which).filter(|(_, moved)| *moved) {
            let (Some(left), Some(rough)) = (set.left, set.rough) else { continue };
            let reads = values.unknown(state, "reads left", LEFT, UnknownKind::Environment, None);
            state.forget_var(left, reads.expr);
            state.forget_var(rough, constant(1, SMALL));
            if let Some(pending) = set.pending {
                state.forget_var(pending, constant(0, SMALL));
            }
        }
    }

    /// A call that is skipped may have read and moved streams. Rough ones do all that plain ones do.
    pub(in crate::translate) fn skip_streams(&mut self, values: &mut Values<'_, '_>, state: &mut State) {
        let moves = self.streams.uses.values().any(|u| u.moves != [false; 2]);
        for set in self.streams.sets.clone() {
            let (Some(left), Some(rough)) = (set.left, set.rough) else { continue };
            let reads = values.unknown(state, "reads left", LEFT, UnknownKind::Abstraction, None).expr;
            let before = state.var(left);
            let fewer = ite(cmp(CmpOp::Le, LEFT, reads.clone(), before.clone()), reads.clone(), before);
            state.forget_var(left, if moves { reads } else { fewer });
            state.forget_var(rough, constant(1, SMALL));
        }
    }
}

impl Builder<'_, '_> {
    /// The ways on from a read, which has been found to be defined.
    pub(super) fn read_ways(&mut self, mut state: State, call: &ModelCall<'_>, number: usize) {
        let (plain, read) = parts(&call.model.returns);
        let flag = IntType::unsigned(1);
        // Where nothing is read. Ways that ask the environment come last, so that their answers decide nothing before.
        let mut ways = Vec::new();
        let mut idle: Vec<(Cond, Outcome)> = Vec::new();
        let mut reading = truth(true);
        for (n, (condition, returned)) in plain.iter().enumerate() {
            let condition = call.condition(condition).unwrap_or_else(|| {
                let either = self.values.unknown(&mut state, "reads", flag, UnknownKind::Environment, None);
                low_bit(&either)
            });
            if condition == truth(false) {
                continue;
            }
            if idle.is_empty() && matches!(returned, Returns::Exactly(_)) && condition != truth(true) {
                let mut taken = state.clone();
                taken.restrict(condition);
                ways.push((taken, Outcome::Plain(n)));
                continue;
            }
            reading = and(reading, not(condition.clone()));
            idle.push((condition, Outcome::Plain(n)));
        }
        let before = state.clone();
        if reading != truth(false) {
            if !idle.is_empty() {
                state.restrict(reading);
            }
            self.library.stream_ways(&mut self.values, state, call, (number, read), &mut ways);
        }
        let last = idle.len().saturating_sub(1);
        for (n, (condition, outcome)) in idle.into_iter().enumerate() {
            let mut taken = before.clone();
            if n < last {
                taken.restrict(condition);
            }
            ways.push((taken, outcome));
        }
        self.control.push_all(ways.into_iter().map(|(s, o)| (s, Next::Reads(o))).collect());
    }

    /// Goes on with a read that goes in some way.
    pub(in crate::translate) fn read_on(&mut self, mut state: State, outcome: Outcome) {
        let at = state.point();
        let flat = self.cx.flat;
        let (Some(instruction), Some((model, _))) = (flat.instruction(at), model_at(self.cx, at)) else {
            return;
        };
        let before = state.clone();
        let mark = self.control.mark();
        let mut call = self.library.model_call(&mut self.values, &mut state, instruction, model);
        call.outcome = Some(outcome);
        match self.model_outcome(&mut state, call) {
            Ok(Flow::On) => {
                let next = flat.after_call(at);
                if next.block == at.block {
                    // A new piece may start here: the ways of many reads would be very many.
                    self.control.push(state, Next::Jump(next));
                } else {
                    self.control.enter_normal(&mut self.values, state, next);
                }
            }
            Ok(Flow::To(to)) => self.control.jump(state, to),
            Ok(Flow::Done) => {}
            Err(Split) => {
                // Nothing has been read yet: it is read by the piece that starts here.
                self.control.take_back(mark);
                self.control.go(&mut self.values, &before, at);
            }
        }
    }

    /// What a read returns, and what is left then.
    pub(super) fn read_result(
        &mut self,
        state: &mut State,
        returns: &Returns,
        call: &ModelCall<'_>,
        int: IntType,
    ) -> Result<Option<Sym>, Split> {
        let (at, instruction) = (call.at, call.instruction);
        let Returns::Read { data, end, fails } = returns else { return Ok(None) };
        let number = |e: &ModelExpr| call.number(e, int).unwrap_or_else(|| constant(0, int));
        let value = |e: Expr| Ok(Some(Sym::Num(Num::new(e, int))));
        let set = self.library.reads_stream(at).map(|n| self.library.streams.sets[n].clone()).unwrap_or_default();
        let (Some(outcome), Some(left)) = (call.outcome, set.left) else {
            // Which stream it is was not said: the environment decides.
            let flag = IntType::unsigned(1);
            let works = self.values.unknown(state, "reads", flag, UnknownKind::Environment, None);
            let Some(Sym::Num(given)) = self.model_returns(state, data, call)? else {
                return Ok(Some(self.values.any(state, &instruction.ty, UnknownKind::Environment)));
            };
            let ended = ended(&mut self.values, state, number(end), fails.as_ref().map(number));
            return value(ite(low_bit(&works), given.to(int), ended));
        };
        match outcome {
            Outcome::End => return value(number(end)),
            Outcome::AnyEnd => {
                let ended = ended(&mut self.values, state, number(end), fails.as_ref().map(number));
                return value(ended);
            }
            Outcome::NoNumber => {
                if let Some(pending) = set.pending {
                    state.forget_var(pending, constant(STUCK, SMALL));
                }
                return value(constant(0, int));
            }
            Outcome::Plain(_) => return Ok(Some(self.values.any(state, &instruction.ty, UnknownKind::Environment))),
            Outcome::Given | Outcome::Any => {}
        }
        self.values.assume(state, AssumptionKind::FiniteInput, FINITE, None);
        let fewer = operate(BinaryOp::Sub, LEFT, Overflow::Wraps, state.var(left), constant(1, LEFT));
        state.forget_var(left, fewer.clone());
        if outcome == Outcome::Given {
            let numbers = self.library.plain_numbers(call).map(|n| n.len());
            let pending = set.pending.map(|p| state.var(p));
            if let Some(p) = set.pending {
                let now = if numbers.is_some() { AFTER_NUMBER } else { 0 };
                state.forget_var(p, constant(now, SMALL));
            }
            if let Some(all) = numbers {
                return value(constant(all, int));
            }
            if call.is_single(data) {
                return value(constant(1, int));
            }
            if matches!(**data, Returns::Exactly(_)) {
                let line = self.values.unknown(state, "line", IntType::unsigned(1), UnknownKind::Input, None);
                self.library.note_piece(&mut self.values, &line, Piece::Line, at);
            }
            let Some(Sym::Num(given)) = self.model_returns(state, data, call)? else {
                return Ok(Some(self.values.any(state, &instruction.ty, UnknownKind::Environment)));
            };
            if is_byte(returns) {
                let Some(p) = pending else { return Ok(Some(Sym::Num(given))) };
                let is = |k: u8| cmp(CmpOp::Eq, SMALL, p.clone(), constant(k, SMALL));
                let byte = ite(is(STUCK), constant(b'?', int), given.to(int));
                return value(ite(is(AFTER_NUMBER), constant(b'\n', int), byte));
            }
            // A plain stream gives as much as it is asked for, but before its end.
            if let Returns::Value { high: Some(high), .. } = &**data {
                let short = cmp(CmpOp::Lt, int, given.to(int), number(high));
                state.forget_var(left, ite(short, constant(0, LEFT), fewer));
            }
            return Ok(Some(Sym::Num(given)));
        }
        self.model_returns(state, data, call)
    }
}

/// The values that are chosen of a range without a bound of its own: not all can be had of a file that fits on a disk.
pub(super) fn chosen_range(range: Option<(IBig, IBig)>, int: IntType) -> Option<(IBig, IBig)> {
    match range {
        Some((low, _)) if int.width > 32 => Some((low, IBig::from(LONGEST))),
        range => range,
    }
}

/// The end of a rough stream, or an error.
fn ended(values: &mut Values<'_, '_>, state: &mut State, end: Expr, fails: Option<Expr>) -> Expr {
    let Some(fails) = fails else { return end };
    let flag = values.unknown(state, "fails", IntType::unsigned(1), UnknownKind::Environment, None);
    ite(low_bit(&flag), fails, end)
}

/// The parts of what a reading function returns: by conditions, and what it reads else.
pub(super) fn parts(returns: &Returns) -> (Vec<(&ModelExpr, &Returns)>, &Returns) {
    let (mut plain, mut rest) = (Vec::new(), returns);
    while let Returns::If(condition, yes, no) = rest {
        plain.push((condition, &**yes));
        rest = no;
    }
    (plain, rest)
}

/// Whether a read gives one byte as its value.
fn is_byte(read: &Returns) -> bool {
    let Returns::Read { data, .. } = read else { return false };
    let byte = |low: &Option<ModelExpr>, high: &Option<ModelExpr>| {
        matches!((low, high), (Some(ModelExpr::Number(0)), Some(ModelExpr::Number(255))))
    };
    matches!(&**data, Returns::Value { low, high, .. } if byte(low, high))
}

fn plain_numbers(format: &str, long: u64) -> Option<Vec<(char, u64)>> {
    let mut found = Vec::new();
    let mut chars = format.chars().peekable();
    let mut last = false;
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => last = false,
            // What cannot be a part of a number ends one.
            ',' | ';' | ':' | '/' if last => last = false,
            '%' => {
                let mut length = String::new();
                while let Some(c) = chars.next_if(|c| "hljzt".contains(*c)) {
                    length.push(c);
                }
                let size = match length.as_str() {
                    "" => 4,
                    "hh" => 1,
                    "h" => 2,
                    "l" | "z" | "t" => long,
                    "ll" | "j" => 8,
                    _ => return None,
                };
                let conversion = chars.next().filter(|c| "diuxXo".contains(*c))?;
                found.push((conversion, size));
                last = true;
            }
            _ => return None,
        }
    }
    last.then_some(found)
}
