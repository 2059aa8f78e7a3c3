//! Control: the locations of the program, and the ways through the piece that is being written.
//!
//! A location is a point of the graph: the targets of retreating edges (so that every cycle has one), and wherever a piece gets
//! too large or a value must be stored before it can be used. The room owns the locations, the queue of those whose pieces are not written
//! yet, the ways of the piece that wait, and the cases that it has so far.

mod terminator;

use crate::intrinsic::Intrinsic;
use crate::module::{BlockId, FunctionId, Place};
use crate::translate::flat::{Point, index};
use crate::translate::memory::Memory;
use crate::translate::points::Targets;
use crate::translate::prepare::trap_kind;
use crate::translate::sources::Sources;
use crate::translate::state::{Next, State, with};
use crate::translate::values::Values;
use crate::translate::values::arith::{cmp, constant, not, truth};
use crate::translate::{Context, Names, block_successors, debug};
use dashu_int::IBig;
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::neutral::{Case, CmpOp, Cond, Expr, Goto, IntType, Location};
use lariat_ir::system::{BEYOND_THE_MODEL, RETURNS};
use lariat_ir::{AssumptionKind, IdVec, SourceId, SourceLoop, UnknownKind};
use std::collections::VecDeque;

/// How many instructions a piece may have, and how many cases.
const STEPS: usize = 400;
const CASES: usize = 48;
const JOINS: usize = 10;
/// A graph with more points than this is long: its pieces end where ways meet.
const LONG: usize = 400;

/// Locations, and the piece that is being written.
pub(in crate::translate) struct Control<'a, 'm> {
    cx: &'a Context<'m>,
    memory: &'a Memory<'a, 'm>,
    locs: Vec<Location>,
    names: Names,
    locations: FastMap<Point, usize>,
    /// Points whose locations have no cases yet.
    queue: VecDeque<Point>,
    /// The ways of the piece that wait, the next one last.
    pending: Vec<(State, Next)>,
    cases: Vec<Case>,
    /// The location that is being written, and whether it lies on a cycle.
    current: (usize, bool),
    /// The places of loops, by the blocks that they start with.
    headers: FastMap<(FunctionId, BlockId), Place>,
    /// The loops of the source.
    sources: Sources,
    /// The names of points in the other form of the program.
    known: &'a FastMap<Point, String>,
    /// The variable that calls of the observing function assign to.
    observed: Option<usize>,
    observations: FastSet<Point>,
    /// For each location, where its runs go of which nothing can be said.
    exhausted: FastMap<(usize, Beyond), usize>,
    /// Functions that the compiler's checks call where they fail.
    traps: FastSet<u32>,
    /// How many ways a piece may have and still follow each beyond where it meets others.
    joins: usize,
    /// Points that control comes to from elsewhere: behind `setjmp`.
    forced: FastSet<Point>,
}

/// What proofs about what follows rest on.
const ROOM: &str = "no more, and no larger, objects are made here than there are model addresses for";

/// How a run leaves what the model knows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::translate) enum Beyond {
    /// What it does now, and what it does later, is not known.
    Anywhere,
    /// It goes on, with more objects or larger ones than there are model addresses for.
    Room,
}

/// How far a piece is written.
#[derive(Clone, Copy)]
pub(in crate::translate) struct Mark {
    cases: usize,
    pending: usize,
}

impl<'a, 'm> Control<'a, 'm> {
    pub(in crate::translate) fn new(
        cx: &'a Context<'m>,
        memory: &'a Memory<'a, 'm>,
        known: &'a FastMap<Point, String>,
        values: &mut Values<'_, '_>,
    ) -> Self {
        let module = cx.flat.module;
        let mut headers = FastMap::default();
        for (n, f) in module.functions.iter().enumerate() {
            for block in &f.blocks {
                if let Some(place) = block.loop_place {
                    for to in block_successors(&block.terminator) {
                        headers.entry((FunctionId(index(n)), to)).or_insert(place);
                    }
                }
            }
        }
        let traps = module
            .functions
            .iter()
            .enumerate()
            .filter(|(_, f)| f.intrinsic == Some(Intrinsic::UbsanTrap))
            .map(|(n, _)| index(n))
            .collect();
        let observed = cx.options.observe.is_some().then(|| {
            let var = values.var("observed", IntType::signed(64));
            values.init((var, Some(IBig::ZERO)));
            var
        });
        Self {
            cx,
            memory,
            locs: Vec::new(),
            names: Names { taken: known.values().cloned().collect(), ..Names::default() },
            locations: FastMap::default(),
            queue: VecDeque::new(),
            pending: Vec::new(),
            cases: Vec::new(),
            current: (0, false),
            headers,
            sources: Sources::new(cx),
            known,
            observed,
            observations: FastSet::default(),
            exhausted: FastMap::default(),
            traps,
            joins: if cx.graph.order.len() > LONG { 1 } else { JOINS },
            forced: cx.flat.returns_twice.iter().map(|p| cx.flat.after_call(*p)).collect(),
        }
    }
}

impl Control<'_, '_> {
    /// The locations, the loops of the source, and the locations' names by the points that they are.
    pub(in crate::translate) fn finish(self) -> (Vec<Location>, IdVec<SourceId, SourceLoop>, FastMap<Point, String>) {
        let names = self.locations.iter().map(|(p, n)| (*p, self.locs[*n].name.clone())).collect();
        (self.locs, self.sources.list, names)
    }

    /// The variable that calls of the observing function assign to.
    pub(in crate::translate) fn observed(&self) -> Option<usize> {
        self.observed
    }

    /// The next location whose piece is to be written.
    pub(in crate::translate) fn next_piece(&mut self) -> Option<(Point, usize)> {
        let at = self.queue.pop_front()?;
        Some((at, self.locations[&at]))
    }

    /// The location that comes before all others.
    pub(in crate::translate) fn first_location(&mut self, place: Option<Place>, function: &str) {
        let mut location = Location::new(self.names.unused("start"), Vec::new());
        location.span = self.cx.span(place);
        location.function = Some(function.to_owned());
        self.locs.push(location);
        self.cases.clear();
    }

    /// The cases that have been written, which come before those of the piece.
    pub(in crate::translate) fn take_cases(&mut self) -> Vec<Case> {
        std::mem::take(&mut self.cases)
    }

    /// Puts cases before those of a location.
    pub(in crate::translate) fn put_before(&mut self, location: usize, cases: Vec<Case>) {
        self.locs[location].cases.splice(0..0, cases);
    }

    /// Begins with the piece at a location.
    pub(in crate::translate) fn begin_piece(&mut self, at: Point, location: usize) {
        self.cases.clear();
        let at = at.plain();
        let point = Point { index: if at.index == Point::RETURN { 0 } else { at.index }, ..at };
        self.current = (location, location != 0 && self.cx.on_cycle(point));
    }

    /// The next way of the piece.
    pub(in crate::translate) fn next_way(&mut self) -> Option<(State, Next)> {
        self.pending.pop()
    }

    /// Makes what was written the cases of its location.
    pub(in crate::translate) fn end_piece(&mut self, location: usize) {
        let mut cases = self.take_cases();
        // Where a condition is always met the rest is never tried.
        if let Some(k) = cases.iter().position(|c| c.cond.is_none()) {
            cases.truncate(k + 1);
        }
        self.locs[location].cases = cases;
    }

    /// How far the piece is written.
    pub(in crate::translate) fn mark(&self) -> Mark {
        Mark { cases: self.cases.len(), pending: self.pending.len() }
    }

    /// Takes back what was written since a mark.
    pub(in crate::translate) fn take_back(&mut self, mark: Mark) {
        self.cases.truncate(mark.cases);
        self.pending.truncate(mark.pending);
    }

    /// The location at a point, made if there is none.
    pub(in crate::translate) fn location(&mut self, at: Point) -> usize {
        if let Some(n) = self.locations.get(&at) {
            return *n;
        }
        let function = self.cx.flat.function(at.instance);
        if at.index == Point::RETURN {
            let name = self.names.unused(&format!("{RETURNS}{}", debug::clean(function.shown())));
            let mut location = Location::new(name, Vec::new());
            location.span = self.cx.span(function.place);
            location.function = Some(function.shown().to_owned());
            location.within = self.sources.at(at);
            location.artificial = true;
            self.locs.push(location);
            let n = self.locs.len() - 1;
            self.locations.insert(at, n);
            self.queue.push_back(at);
            return n;
        }
        let key = at;
        let at = key.plain();
        let instance = self.cx.flat.instance(at.instance);
        let header = (key.index == 0).then(|| self.headers.get(&(instance.function, at.block))).flatten().copied();
        let span = self.cx.span(header).or_else(|| self.cx.span_at(at)).or_else(|| self.cx.span(function.place));
        let shown = debug::clean(function.shown());
        let entered_again = key == self.cx.flat.entry(at.instance) && !instance.recursions.is_empty();
        // Within a recursion a cycle may start here that only returns from call after call.
        let artificial = !entered_again && header.is_none() && self.cx.recursive(at.instance);
        let (name, span) = if entered_again {
            (format!("recursion:{shown}"), self.cx.span(function.place).or(span))
        } else if self.observations.contains(&key) {
            ("observe".to_owned(), span)
        } else {
            let line = span.as_ref().map_or(0, |s| s.line);
            (format!("{}{shown}:{line}", if artificial { RETURNS } else { "" }), span)
        };
        // A point has one name in both forms of a program, for readers.
        let name = self.known.get(&key).cloned().unwrap_or_else(|| self.names.unused(&name));
        let mut location = Location::new(name, Vec::new());
        location.span = span;
        location.function = Some(function.shown().to_owned());
        location.within = self.sources.at(at);
        location.artificial = artificial;
        self.locs.push(location);
        let n = self.locs.len() - 1;
        self.locations.insert(key, n);
        self.queue.push_back(key);
        n
    }

    /// The case that goes to the location at a point, with everything stored that is used there.
    fn leave(&mut self, values: &mut Values<'_, '_>, state: &State, to: Point) -> Case {
        let target = self.location(to);
        let mut assigns: Vec<(usize, Expr)> =
            state.vars.iter().filter(|(v, e)| **e != Expr::Var(**v)).map(|(v, e)| (*v, e.clone())).collect();
        let live = values.live_at(to.plain());
        for value in live {
            if self.memory.fixed_address(value.1, value.2).is_some() {
                continue;
            }
            let Some(sym) = state.env.get(&value.0) else { continue };
            values.store_ssa(value, &sym.clone(), &mut assigns);
        }
        state.case(assigns, Goto::Loc(target))
    }

    /// Ways are followed in the order in which they are put here, the last one first.
    pub(in crate::translate) fn push(&mut self, state: State, next: Next) {
        self.pending.push((state, next));
    }

    /// Ways that are followed in their order.
    pub(in crate::translate) fn push_all(&mut self, ways: Vec<(State, Next)>) {
        self.pending.extend(ways.into_iter().rev());
    }

    /// A location starts here because something is observed before it.
    pub(in crate::translate) fn observation(&mut self, at: Point) {
        self.observations.insert(at);
    }

    pub(in crate::translate) fn emit(&mut self, case: Case) {
        self.cases.push(case);
    }

    /// Ends this way at a sink.
    pub(in crate::translate) fn end(&mut self, state: &State, target: Goto) {
        self.emit(state.last_case(target));
    }

    /// Ends this way at the location of a point.
    pub(in crate::translate) fn go(&mut self, values: &mut Values<'_, '_>, state: &State, to: Point) {
        let case = self.leave(values, state, to);
        self.emit(case);
    }

    /// What follows needs a condition; where it does not hold it is undefined behaviour. Whether anything follows.
    pub(in crate::translate) fn require(&mut self, state: &mut State, ok: Cond) -> bool {
        self.unless(state, ok, Goto::Ub)
    }

    pub(in crate::translate) fn unless(&mut self, state: &mut State, ok: Cond, target: Goto) -> bool {
        match not(ok) {
            Cond::Const(false) => true,
            Cond::Const(true) => {
                self.end(state, target);
                false
            }
            bad => {
                let mut other = state.clone();
                other.cond = Some(with(state.cond.clone(), bad));
                self.end(&other, target);
                true
            }
        }
    }

    /// Goes on at a point: within the piece, if that is possible.
    pub(in crate::translate) fn jump(&mut self, mut state: State, to: Point) {
        let graph = self.cx.graph;
        let entries = graph.entries.get(&to).copied().unwrap_or(0);
        let cut = graph.cuts.contains(&to)
            || self.observations.contains(&to)
            || self.forced.contains(&to)
            || state.steps > STEPS
            || self.cases.len() + self.pending.len() > CASES
            || entries > 1 && self.cases.len() + self.pending.len() > self.joins;
        let next = if cut {
            Next::Go(to)
        } else {
            state.at = to;
            Next::Follow
        };
        self.push(state, next);
    }

    pub(in crate::translate) fn follow_block(&mut self, values: &mut Values<'_, '_>, mut state: State, to: BlockId) {
        let from = state.at;
        let function = self.cx.flat.function(from.instance);
        if trap_kind(function, to, |f| self.traps.contains(&f)).is_some() {
            self.pending_end(state, Goto::Ub);
            return;
        }
        let point = values.enter_block(&mut state, from, to);
        self.jump(state, point);
    }

    /// Ends a way, in its turn.
    pub(in crate::translate) fn pending_end(&mut self, state: State, target: Goto) {
        self.push(state, Next::End(target));
    }

    /// Goes on at the block that follows an `invoke`.
    pub(in crate::translate) fn enter_normal(&mut self, values: &mut Values<'_, '_>, state: State, to: Point) {
        self.follow_block(values, state, to.block);
    }

    /// What follows needs a condition; where it does not hold nothing can be said, neither of this nor of what the program does then.
    /// Whether anything follows.
    pub(in crate::translate) fn beyond_unless(
        &mut self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        ok: Cond,
    ) -> bool {
        self.leaves_unless(values, state, ok, Beyond::Anywhere)
    }

    /// The same for model addresses: where the condition does not hold there are none left for what the program makes.
    pub(in crate::translate) fn room_unless(
        &mut self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        ok: Cond,
    ) -> bool {
        if ok == truth(true) {
            return true;
        }
        let follows = self.leaves_unless(values, state, ok, Beyond::Room);
        if follows {
            // What is said of later loops leaves out runs for which there was no room.
            values.assume(state, AssumptionKind::Room, ROOM, state.span_of());
        }
        follows
    }

    fn leaves_unless(&mut self, values: &mut Values<'_, '_>, state: &mut State, ok: Cond, how: Beyond) -> bool {
        let bad = not(ok);
        if bad == truth(false) {
            return true;
        }
        let certain = bad == truth(true);
        let beyond = self.exhausted_location(values, how);
        let mut other = state.clone();
        if !certain {
            other.restrict(bad);
        }
        self.emit(other.last_case(Goto::Loc(beyond)));
        !certain
    }

    /// Where runs go of which nothing can be said, neither an end nor a hang: they have used up all model addresses, or
    /// follow a pointer that was never set. From within a loop they may come back, so that it is not said to end because
    /// its runs get here.
    pub(in crate::translate) fn exhausted_location(&mut self, values: &mut Values<'_, '_>, how: Beyond) -> usize {
        let (current, cyclic) = self.current;
        if let Some(n) = self.exhausted.get(&(current, how)) {
            return *n;
        }
        let ty = IntType::unsigned(1);
        let unknown = values.made_unknown("more", ty, UnknownKind::Abstraction);
        let n = self.locs.len();
        let again = Cond::cmp(CmpOp::Eq, ty, unknown, constant(0, ty));
        let back = if cyclic { current } else { n };
        let cases = vec![Case::new(Some(again), Vec::new(), Goto::Loc(back)), Case::new(None, Vec::new(), Goto::Stop)];
        let mut location = Location::new(self.names.unused(BEYOND_THE_MODEL), cases);
        // From here it may come back: a run that does stays where it was.
        location.within = self.locs[current].within;
        location.artificial = true;
        location.escapes = how == Beyond::Anywhere;
        self.locs.push(location);
        self.exhausted.insert((current, how), n);
        n
    }

    /// A pointer that was made from no address is null, or nobody knows what it is: it may have been left without a value, and
    /// happen to be right. Whether anything follows.
    pub(in crate::translate) fn somewhere(
        &mut self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        pointer: &Expr,
        targets: &Targets,
    ) -> bool {
        if !targets.is_empty() || matches!(pointer, Expr::Const(k, _) if *k == IBig::ZERO) {
            return true;
        }
        let ty = self.memory.address();
        if self.require(state, cmp(CmpOp::Ne, ty, pointer.clone(), constant(0, ty))) {
            let nowhere = self.exhausted_location(values, Beyond::Anywhere);
            self.emit(state.last_case(Goto::Loc(nowhere)));
        }
        false
    }
}
