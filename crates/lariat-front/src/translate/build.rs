//! Pieces of the graph, executed symbolically, as cases of locations.
//!
//! A location is a point of the graph: the targets of retreating edges (so that every cycle has one), and wherever a piece gets
//! too large or a value must be stored before it can be used. From a location all ways to the next ones are followed. At
//! a branch the condition is put before what follows on the `yes` side, then the other side follows without it: the cases
//! are tried in order, so that it holds there that the condition does not. The last case of all has none.
//!
//! A condition for undefined behaviour becomes a case that leads to UB, before what follows. All conditions of a piece are
//! evaluated in the state at its location, so within a piece undefined behaviour comes before the effects; that is the
//! freedom that C gives.

use super::arith::{self, Num, Sym, cmp, compare, constant, not, truth};
use super::flat::{FlatValue, InstanceId, Point, index};
use super::layout::Memory;
use super::points::{ObjectId, ObjectKind, Points, Targets};
use super::skip::DESCENDED;
use super::sources::Sources;
use super::{Context, Names, debug};
use crate::intrinsic::Intrinsic;
use crate::module::{BlockId, Constant, FunctionId, Op, Operand, Place, Predicate, Terminator, Type, ValueId};
use dashu_int::IBig;
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::neutral::{
    Case, CmpOp, Cond, Expr, Goto, Happening, IntType, Location, MemUpdate, Program, Recursion, Site, Unknown, Visit,
};
use lariat_ir::{Mode, Obligation, Span, UnknownKind};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// The piece must end here: a new location starts before the instruction.
#[derive(Debug)]
pub(super) struct Split;

/// What is known on one way through a piece.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) at: Point,
    pub(super) env: FastMap<FlatValue, Sym>,
    pub(super) vars: BTreeMap<usize, Expr>,
    pub(super) stores: Vec<MemUpdate>,
    /// Quotients and shifted values, which may be undefined, whether or not anything uses them.
    pub(super) evaluates: Vec<Expr>,
    pub(super) assumes: BTreeSet<usize>,
    pub(super) cond: Option<Cond>,
    pub(super) span: Option<Span>,
    /// Where that is, and what was passed on the way there.
    pub(super) site: Option<Site>,
    pub(super) trail: Vec<Visit>,
    pub(super) steps: usize,
    /// How many of the stores are those of earlier instructions.
    pub(super) settled: usize,
    /// How many unknown values this instruction has asked for.
    pub(super) asked: u32,
    /// Whether the object of the access is called by its name.
    pub(super) direct: bool,
    /// Whether the access is a store.
    pub(super) writing: bool,
}

/// How a way goes on, when its turn comes.
#[derive(Clone, Debug)]
pub(super) enum Next {
    /// Where it is, at a location that it has just come to.
    Arrive,
    /// Where it is.
    Follow,
    /// At a point, which may be a location.
    Jump(Point),
    /// At the location of a point.
    Go(Point),
    /// At a sink.
    End(Goto),
    /// Where nothing can be said.
    Beyond,
    /// With the call of a function that is not followed, which it stands before.
    Outside(FunctionId),
    /// With a call through a pointer to none of the known functions.
    Nobody(Expr),
    /// With a read, which it stands before.
    Reads(super::streams::Outcome),
}

impl State {
    pub(super) fn var(&self, v: usize) -> Expr {
        self.vars.get(&v).cloned().unwrap_or(Expr::Var(v))
    }
    pub(super) fn set(&mut self, v: usize, value: Expr) {
        self.vars.insert(v, value);
        self.passes(Happening::Set(v));
    }
    /// A variable gets a value that nobody knows: no assignment that a reader could see.
    pub(super) fn forget_var(&mut self, v: usize, value: Expr) {
        self.vars.insert(v, value);
    }
    /// Notes what happens here, for readers.
    pub(super) fn passes(&mut self, what: Happening) {
        if let Some(site) = self.site {
            let visit = Visit { site, what };
            if self.trail.last() != Some(&visit) {
                self.trail.push(visit);
            }
        }
    }
    pub(super) fn point(&self) -> Point {
        self.at
    }
    pub(super) fn move_to(&mut self, at: Point) {
        self.at = at;
    }
    pub(super) fn span_of(&self) -> Option<Span> {
        self.span.clone()
    }
    pub(super) fn set_value(&mut self, value: FlatValue, sym: Sym) {
        self.env.insert(value, sym);
    }
    /// One more condition for this way.
    pub(super) fn restrict(&mut self, cond: Cond) {
        self.cond = Some(with(self.cond.take(), cond));
    }
    /// The stores of earlier instructions.
    pub(super) fn settled(&self) -> &[MemUpdate] {
        &self.stores[..self.settled.min(self.stores.len())]
    }
    /// The variables that have another value than in an earlier state.
    pub(super) fn changed_since(&self, before: &Self) -> Vec<(usize, Expr)> {
        let differs = |(v, e): &(&usize, &Expr)| before.var(**v) != **e;
        self.vars.iter().filter(differs).map(|(v, e)| (*v, e.clone())).collect()
    }
}

/// Where control goes after an instruction.
pub(super) enum Flow {
    On,
    /// To this point, within the piece if that is possible.
    To(Point),
    /// All that follows has been written.
    Done,
}

/// The position that stands for the return of an instance that is entered again from within.
pub(super) const RETURN: u32 = u32::MAX;

/// How many instructions a piece may have, how many cases, and how large a value may get.
const STEPS: usize = 400;
const CASES: usize = 48;
const JOINS: usize = 10;
/// A graph with more points than this is long: its pieces end where ways meet.
const LONG: usize = 400;
const LARGE: usize = 60;

/// The variables that are declared at each place of a function.
type Declared = FastMap<(BlockId, u32), Vec<ValueId>>;

pub(super) struct Builder<'a, 'm> {
    pub(super) cx: &'a Context<'m>,
    pub(super) points: &'a Points,
    pub(super) memory: &'a Memory,
    pub(super) program: Program,
    pub(super) names: Names,
    pub(super) loc_names: Names,
    pub(super) locations: FastMap<Point, usize>,
    pub(super) queue: VecDeque<Point>,
    pub(super) pending: Vec<(State, Next)>,
    pub(super) cases: Vec<Case>,
    pub(super) ssa: FastMap<(FlatValue, u32), usize>,
    pub(super) unknowns: FastMap<(Point, u32), usize>,
    pub(super) mem_unknowns: FastMap<(Point, usize, UnknownKind), usize>,
    pub(super) liveness: FastMap<FunctionId, Rc<Vec<FastSet<ValueId>>>>,
    pub(super) headers: FastMap<(FunctionId, BlockId), Place>,
    /// The loops of the source.
    pub(super) sources: Sources,
    pub(super) depths: FastMap<InstanceId, usize>,
    pub(super) return_vars: FastMap<(InstanceId, u32), usize>,
    /// What the code of an instance may write; see [`super::skip`].
    pub(super) written: FastMap<InstanceId, Rc<BTreeSet<ObjectId>>>,
    /// The names of points in the other form of the program.
    pub(super) known: &'a FastMap<Point, String>,
    /// Functions whose addresses were given to functions that are not followed.
    pub(super) handed_over: BTreeSet<FunctionId>,
    /// Where variables are declared whose scopes the compiler does not mark.
    pub(super) declared: FastMap<FunctionId, Rc<Declared>>,
    /// The scopes of local objects.
    pub(super) scopes: FastMap<FunctionId, Rc<debug::Scopes>>,
    pub(super) assumptions: FastMap<(String, Option<Span>), usize>,
    pub(super) observed: Option<usize>,
    pub(super) observations: FastSet<Point>,
    /// For each location, where its runs go of which nothing can be said.
    pub(super) exhausted: FastMap<usize, usize>,
    /// The location that is being written, and whether it lies on a cycle.
    pub(super) current: (usize, bool),
    pub(super) traps: FastSet<u32>,
    /// The variable that says whether a signal may come at any time.
    pub(super) signal_due: Option<usize>,
    /// For each `setjmp`, the variable that says whether it has been called and its function not been left.
    pub(super) armed: BTreeMap<Point, usize>,
    /// How many ways a piece may have and still follow each beyond where it meets others.
    pub(super) joins: usize,
    /// Points that control comes to from elsewhere: behind `setjmp`.
    pub(super) forced: FastSet<Point>,
    /// Whether floating-point operations round as they do by default.
    pub(super) default_rounding: bool,
    /// What calls do with streams.
    pub(super) streams: super::streams::Streams,
}

impl<'a, 'm> Builder<'a, 'm> {
    pub(super) fn new(
        cx: &'a Context<'m>,
        points: &'a Points,
        memory: &'a Memory,
        program: Program,
        names: Names,
        known: &'a FastMap<Point, String>,
    ) -> Self {
        let mut headers = FastMap::default();
        let module = cx.flat.module;
        for (n, f) in module.functions.iter().enumerate() {
            for block in &f.blocks {
                if let Some(place) = block.loop_place {
                    for to in super::block_successors(&block.terminator) {
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
        let mut builder = Self {
            cx,
            points,
            memory,
            program,
            names,
            loc_names: Names { taken: known.values().cloned().collect(), ..Names::default() },
            locations: FastMap::default(),
            queue: VecDeque::new(),
            pending: Vec::new(),
            cases: Vec::new(),
            ssa: FastMap::default(),
            unknowns: FastMap::default(),
            mem_unknowns: FastMap::default(),
            liveness: FastMap::default(),
            headers,
            sources: Sources::new(cx.flat),
            depths: FastMap::default(),
            return_vars: FastMap::default(),
            written: FastMap::default(),
            known,
            handed_over: BTreeSet::new(),
            declared: FastMap::default(),
            scopes: FastMap::default(),
            assumptions: FastMap::default(),
            observed: None,
            observations: FastSet::default(),
            exhausted: FastMap::default(),
            current: (0, false),
            traps,
            signal_due: None,
            armed: BTreeMap::new(),
            joins: if cx.graph.order.len() > LONG { 1 } else { JOINS },
            forced: cx.flat.returns_twice.iter().map(|p| cx.flat.after_call(*p)).collect(),
            default_rounding: cx.default_rounding(),
            streams: super::streams::Streams::find(cx, points),
        };
        builder.make_streams();
        if cx.options.observe.is_some() {
            let ty = IntType::signed(64);
            let var = builder.names.var(&mut builder.program, "observed", ty);
            builder.program.init.push((var, Some(IBig::ZERO)));
            builder.observed = Some(var);
        }
        if cx.handlers.armed {
            let var = builder.names.made(&mut builder.program, "signal due", IntType::unsigned(8));
            builder.program.init.push((var, Some(IBig::ZERO)));
            builder.signal_due = Some(var);
        }
        for p in &cx.flat.returns_twice {
            let name = format!("setjmp {}", debug::place_of(cx, *p));
            let var = builder.names.made(&mut builder.program, &name, IntType::unsigned(8));
            builder.program.init.push((var, Some(IBig::ZERO)));
            builder.armed.insert(*p, var);
        }
        for (n, instance) in cx.flat.instances.iter().enumerate() {
            // Where calls are skipped, all that counts is whether there is a caller that a return goes on in.
            let (name, ty) =
                if builder.skips() { ("inner call of", DESCENDED) } else { ("depth of", IntType::signed(64)) };
            if !(instance.recursions.is_empty() || builder.skips() && instance.parent.is_none()) {
                let function = &module.functions[instance.function.0 as usize];
                let name = format!("{name} {}", function.shown());
                let var = builder.names.made(&mut builder.program, &name, ty);
                builder.program.init.push((var, Some(IBig::ZERO)));
                builder.depths.insert(InstanceId(index(n)), var);
            }
        }
        builder
    }

    /// The program, and the names of its locations.
    pub(super) fn build(mut self) -> (Program, FastMap<Point, String>) {
        self.program.mode = if self.cx.whole { Mode::Program } else { Mode::Function };
        self.program.sources.clone_from(&self.sources.list);
        self.start();
        while let Some(point) = self.queue.pop_front() {
            self.piece(point);
        }
        for f in &self.cx.flat.left_out {
            let function = &self.cx.flat.module.functions[f.0 as usize];
            let span = self.span(function.place);
            self.program.obligations.push(Obligation {
                text: format!("the loops of `{}`, which is too large to be followed from here", function.shown()),
                span,
            });
        }
        self.callbacks();
        self.note_origins();
        // What was not given a value in the beginning, and is no input, starts as zero; it is written before it is read.
        let given: FastSet<usize> = self.program.init.iter().map(|(v, _)| *v).collect();
        for v in 0..self.program.vars.len() {
            if !given.contains(&v) {
                self.program.init.push((v, Some(IBig::ZERO)));
            }
        }
        for (v, value) in &mut self.program.init {
            if let Some(k) = value {
                *k = arith::wrap(k, self.program.vars[*v].1);
            }
        }
        // What is observed is asked for, though nothing in the program does.
        if self.observed.is_none() {
            self.program.drop_idle_floats();
        }
        if self.skips() {
            self.program.recursion = Recursion::Skipped;
        }
        let names = self.locations.iter().map(|(p, n)| (*p, self.program.locs[*n].name.clone())).collect();
        (self.program, names)
    }

    pub(super) fn fresh_state(&self, at: Point) -> State {
        State {
            at,
            env: FastMap::default(),
            vars: BTreeMap::new(),
            stores: Vec::new(),
            evaluates: Vec::new(),
            assumes: BTreeSet::new(),
            cond: None,
            span: self.span_at(at),
            site: None,
            trail: Vec::new(),
            steps: 0,
            settled: 0,
            asked: 0,
            direct: false,
            writing: false,
        }
    }

    pub(super) fn span(&self, place: Option<Place>) -> Option<Span> {
        place.map(|p| Span {
            file: self.cx.flat.module.files.get(p.file as usize).cloned().unwrap_or_default(),
            line: p.line,
            column: p.column.max(1),
        })
    }

    pub(super) fn span_at(&self, at: Point) -> Option<Span> {
        let block = self.cx.flat.block(at);
        let places = block.instructions.iter().skip(at.index as usize).map(|i| i.place).chain([block.place]);
        // A block of the compiler's own has the place of what leads to it.
        let function = self.cx.flat.function(at.instance);
        let before = function
            .blocks
            .iter()
            .filter(|b| super::block_successors(&b.terminator).contains(&at.block))
            .map(|b| b.place);
        self.span(places.chain(before).flatten().find(|p| p.line > 0))
    }

    /// The location at a point, made if there is none.
    pub(super) fn location(&mut self, at: Point) -> usize {
        if let Some(n) = self.locations.get(&at) {
            return *n;
        }
        let function = self.cx.flat.function(at.instance);
        if at.index == RETURN {
            let name = self.loc_names.unused(&format!("returns:{}", debug::clean(function.shown())));
            let mut location = Location::new(name, Vec::new());
            location.span = self.span(function.place);
            location.function = Some(function.shown().to_owned());
            location.within = self.sources.at(at);
            location.artificial = true;
            self.program.locs.push(location);
            let n = self.program.locs.len() - 1;
            self.locations.insert(at, n);
            self.queue.push_back(at);
            return n;
        }
        let instance = self.cx.flat.instance(at.instance);
        let header = (at.index == 0).then(|| self.headers.get(&(instance.function, at.block))).flatten().copied();
        let span = self.span(header).or_else(|| self.span_at(at)).or_else(|| self.span(function.place));
        let shown = debug::clean(function.shown());
        let entered_again = at == self.cx.flat.entry(at.instance) && !instance.recursions.is_empty();
        // Within a recursion a cycle may start here that only returns from call after call.
        let artificial = !entered_again && header.is_none() && self.cx.recursive(at.instance);
        let (name, span) = if entered_again {
            (format!("recursion:{shown}"), self.span(function.place).or(span))
        } else if self.observations.contains(&at) {
            ("observe".to_owned(), span)
        } else {
            let line = span.as_ref().map_or(0, |s| s.line);
            (format!("{}{shown}:{line}", if artificial { "returns:" } else { "" }), span)
        };
        // A point has one name in both forms of a program, so that its loops can be compared.
        let name = self.known.get(&at).cloned().unwrap_or_else(|| self.loc_names.unused(&name));
        let mut location = Location::new(name, Vec::new());
        location.span = span;
        location.function = Some(function.shown().to_owned());
        location.within = self.sources.at(at);
        location.artificial = artificial;
        self.program.locs.push(location);
        let n = self.program.locs.len() - 1;
        self.locations.insert(at, n);
        self.queue.push_back(at);
        n
    }

    /// The case that goes to the location at a point, with everything stored that is used there.
    pub(super) fn leave(&mut self, state: &State, to: Point) -> Case {
        let target = self.location(to);
        let mut assigns: Vec<(usize, Expr)> =
            state.vars.iter().filter(|(v, e)| **e != Expr::Var(**v)).map(|(v, e)| (*v, e.clone())).collect();
        let live = self.live_at(to);
        for value in live {
            if self.fixed_address(value.1, value.2).is_some() {
                continue;
            }
            let Some(sym) = state.env.get(&value.0) else { continue };
            self.store_ssa(value, &sym.clone(), &mut assigns);
        }
        self.case(state, assigns, Goto::Loc(target))
    }

    #[expect(clippy::unused_self, reason = "it is one of the ways to end a way")]
    pub(super) fn case(&self, state: &State, assigns: Vec<(usize, Expr)>, target: Goto) -> Case {
        let mut case = Case::new(state.cond.clone(), assigns, target);
        case.stores.clone_from(&state.stores);
        case.evaluates.clone_from(&state.evaluates);
        case.span.clone_from(&state.span);
        case.assumes = state.assumes.iter().copied().collect();
        case.trail.clone_from(&state.trail);
        case
    }

    pub(super) fn piece(&mut self, at: Point) {
        if at.index == RETURN {
            let mut state = self.fresh_state(self.cx.flat.entry(at.instance));
            state.at = at;
            self.return_again(state);
            let n = self.locations[&at];
            self.ways(at, n);
            return;
        }
        let state = self.fresh_state(at);
        self.push(state, Next::Arrive);
        let n = self.locations[&at];
        self.ways(at, n);
    }

    /// Follows the ways that wait, and makes them the cases of a location.
    pub(super) fn ways(&mut self, at: Point, location: usize) {
        self.cases.clear();
        let point = Point { index: if at.index == RETURN { 0 } else { at.index }, ..at };
        self.current = (location, location != 0 && self.cx.on_cycle(point));
        while let Some((state, next)) = self.pending.pop() {
            match next {
                Next::Arrive => {
                    let mut state = state;
                    if self.signal_comes(&mut state) {
                        self.follow(state, at);
                    }
                }
                Next::Follow => self.follow(state, at),
                Next::Jump(to) => self.jump(state, to),
                Next::Go(to) => self.go(&state, to),
                Next::End(target) => self.end(&state, target),
                Next::Beyond => {
                    let mut state = state;
                    self.beyond_unless(&mut state, truth(false));
                }
                Next::Outside(f) => self.call_outside(state, f),
                Next::Nobody(pointer) => self.call_nobody(state, &pointer),
                Next::Reads(outcome) => self.read_on(state, outcome),
            }
        }
        let mut cases = std::mem::take(&mut self.cases);
        // Where a condition is always met the rest is never tried.
        if let Some(k) = cases.iter().position(|c| c.cond.is_none()) {
            cases.truncate(k + 1);
        }
        self.program.locs[location].cases = cases;
    }

    /// Ways are followed in the order in which they are put here, the last one first.
    pub(super) fn push(&mut self, state: State, next: Next) {
        self.pending.push((state, next));
    }

    /// Ways that are followed in their order.
    pub(super) fn push_all(&mut self, ways: Vec<(State, Next)>) {
        self.pending.extend(ways.into_iter().rev());
    }

    pub(super) fn depth_of(&self, instance: InstanceId) -> Option<usize> {
        self.depths.get(&instance).copied()
    }

    /// A location starts here because something is observed before it.
    pub(super) fn observation(&mut self, at: Point) {
        self.observations.insert(at);
    }

    pub(super) fn emit(&mut self, case: Case) {
        self.cases.push(case);
    }

    /// Ends this way at a sink.
    pub(super) fn end(&mut self, state: &State, target: Goto) {
        let case = self.case(state, Vec::new(), target);
        let case = Case { stores: Vec::new(), ..case };
        self.emit(case);
    }

    /// Ends this way at the location of a point.
    pub(super) fn go(&mut self, state: &State, to: Point) {
        let case = self.leave(state, to);
        self.emit(case);
    }

    /// What follows needs a condition; where it does not hold it is undefined behaviour. Whether anything follows.
    pub(super) fn require(&mut self, state: &mut State, ok: Cond) -> bool {
        self.unless(state, ok, Goto::Ub)
    }

    pub(super) fn unless(&mut self, state: &mut State, ok: Cond, target: Goto) -> bool {
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

    /// Follows both sides of a branch: `yes` under the condition, first.
    pub(super) fn branch(
        &mut self,
        state: State,
        cond: Cond,
        yes: impl FnOnce(&mut Self, State),
        no: impl FnOnce(&mut Self, State),
    ) {
        match cond {
            Cond::Const(true) => yes(self, state),
            Cond::Const(false) => no(self, state),
            c => {
                let mut taken = state.clone();
                taken.cond = Some(with(state.cond.clone(), c));
                // What is pushed last is followed first.
                no(self, state);
                yes(self, taken);
            }
        }
    }

    /// Goes on at a point: within the piece, if that is possible.
    pub(super) fn jump(&mut self, mut state: State, to: Point) {
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

    pub(super) fn follow(&mut self, mut state: State, start: Point) {
        loop {
            let at = state.at;
            let block = self.cx.flat.block(at);
            if let Some(instruction) = block.instructions.get(at.index as usize) {
                if matches!(instruction.op, Op::Phi { .. }) {
                    // It got its value when the block was entered.
                    state.at.index += 1;
                    continue;
                }
                state.steps += 1;
                if state.steps > STEPS * 4 && at != start {
                    self.go(&state, at);
                    return;
                }
                self.arrive(&mut state, instruction.place);
                self.declare(&mut state);
                // Only what was stored before can make an instruction start a new piece.
                let before = (!state.stores.is_empty()).then(|| state.clone());
                state.settled = state.stores.len();
                state.asked = 0;
                let marks = self.cases.len();
                let waiting = self.pending.len();
                match self.execute(&mut state, instruction) {
                    Ok(Flow::On) => {
                        state.at.index = at.index + 1;
                        let result = self.cx.flat.value(at.instance, instruction.id);
                        if state.env.get(&result).is_some_and(|s| arith::sym_size(s, LARGE + 1) > LARGE)
                            || state.stores.len() > 64
                        {
                            let to = state.at;
                            self.go(&state, to);
                            return;
                        }
                    }
                    Ok(Flow::To(to)) => {
                        self.jump(state, to);
                        return;
                    }
                    Ok(Flow::Done) => return,
                    Err(Split) => {
                        // Nothing of this instruction has happened yet.
                        self.cases.truncate(marks);
                        self.pending.truncate(waiting);
                        let before = before.expect("without earlier stores nothing has to wait for one");
                        self.go(&before, at);
                        return;
                    }
                }
                continue;
            }
            state.asked = 0;
            self.declare(&mut state);
            self.arrive(&mut state, block.place);
            if !matches!(block.terminator, Terminator::Jump(_)) {
                state.passes(Happening::Passed);
            }
            self.terminator(state, &block.terminator);
            return;
        }
    }

    /// Control comes to a place of the source.
    fn arrive(&self, state: &mut State, place: Option<Place>) {
        let Some(place) = place.filter(|p| p.line > 0) else { return };
        state.span = self.span(Some(place));
        state.site = Some(site(place));
    }

    /// A variable that is declared here has no value yet, or none any more: control may come here again without having left
    /// its scope. (Where the compiler marks scopes, the marks say it.)
    pub(super) fn declare(&mut self, state: &mut State) {
        let f = self.cx.flat.instance(state.at.instance).function;
        let function = self.cx.flat.function(state.at.instance);
        let module = self.cx.flat.module;
        let here = self.declared.entry(f).or_insert_with(|| {
            let marked: FastSet<ValueId> = function
                .blocks
                .iter()
                .flat_map(|b| &b.instructions)
                .filter_map(|i| debug::marked(module, i, &Intrinsic::LifetimeStart))
                .collect();
            let mut found: FastMap<(BlockId, u32), Vec<ValueId>> = FastMap::default();
            for ((value, block, at), (_, variable)) in function.declared_at.iter().zip(&function.declares) {
                if variable.argument == 0 && !marked.contains(value) && block.0 != 0 {
                    found.entry((*block, *at)).or_default().push(*value);
                }
            }
            Rc::new(found)
        });
        let Some(values) = Rc::clone(here).get(&(state.at.block, state.at.index)).cloned() else { return };
        for value in values {
            if let Some(id) = self.points.known(ObjectKind::Stack(state.at.instance, value)) {
                self.forget(state, id, UnknownKind::Environment);
            }
        }
    }

    /// Enters a block: its phis get their values.
    pub(super) fn enter_block(&mut self, state: &mut State, from: Point, to: BlockId) -> Point {
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

    pub(super) fn follow_block(&mut self, mut state: State, to: BlockId) {
        let from = state.at;
        let function = self.cx.flat.function(from.instance);
        if super::prepare::trap_kind(function, to, |f| self.traps.contains(&f)).is_some() {
            self.pending_end(state, Goto::Ub);
            return;
        }
        let point = self.enter_block(&mut state, from, to);
        self.jump(state, point);
    }

    /// Ends a way, in its turn.
    pub(super) fn pending_end(&mut self, state: State, target: Goto) {
        self.push(state, Next::End(target));
    }

    pub(super) fn terminator(&mut self, mut state: State, t: &Terminator) {
        match t {
            // Nothing may be decided by poison.
            Terminator::Branch { cond: Operand::Constant(Constant::Poison(_)), .. }
            | Terminator::Switch { value: Operand::Constant(Constant::Poison(_)), .. }
            | Terminator::IndirectJump { address: Operand::Constant(Constant::Poison(_)), .. } => {
                self.pending_end(state, Goto::Ub);
            }
            Terminator::Jump(to) => self.follow_block(state, *to),
            Terminator::Branch { cond, yes, no } => {
                let cond = self.condition(&mut state, cond);
                let (yes, no) = (*yes, *no);
                self.branch(state, cond, |b, s| b.follow_block(s, yes), |b, s| b.follow_block(s, no));
            }
            Terminator::Switch { value, width, cases, default } => {
                let value = if self.is_address(&state, value, &Type::Int(*width)) {
                    let ty = IntType::unsigned(*width);
                    self.unknown(&mut state, "digits of an address", ty, UnknownKind::Environment, None)
                } else {
                    self.number(&mut state, value, &Type::Int(*width))
                };
                let mut ways = Vec::new();
                let rest = state;
                let mut certain = false;
                // Targets that are the same are one case.
                let mut groups: Vec<(BlockId, Cond)> = Vec::new();
                for (bits, to) in cases {
                    let number = Num::constant(IBig::from(*bits), IntType::signed(*width));
                    let here = compare(Predicate::Eq, *width, &value, &number);
                    match groups.iter_mut().find(|(b, _)| b == to) {
                        Some((_, cond)) => *cond = arith::or(cond.clone(), here),
                        None => groups.push((*to, here)),
                    }
                }
                for (to, cond) in groups {
                    match cond {
                        Cond::Const(false) => {}
                        Cond::Const(true) => {
                            ways.push((rest.clone(), to));
                            certain = true;
                            break;
                        }
                        c => {
                            let mut taken = rest.clone();
                            taken.cond = Some(with(rest.cond.clone(), c));
                            ways.push((taken, to));
                        }
                    }
                }
                if !certain {
                    self.follow_block(rest, *default);
                }
                for (state, to) in ways.into_iter().rev() {
                    self.follow_block(state, to);
                }
            }
            Terminator::IndirectJump { address, targets } => {
                let value = self.number(&mut state, address, &Type::Ptr);
                let f = self.cx.flat.instance(state.at.instance).function;
                let ty = self.address();
                self.pending_end(state.clone(), Goto::Ub);
                let mut seen = BTreeSet::new();
                let mut ways = Vec::new();
                for to in targets {
                    if !seen.insert(*to) {
                        continue;
                    }
                    let label = self.constant_address(&Constant::Block(f, *to)).unwrap_or_default();
                    match cmp(CmpOp::Eq, ty, value.to(ty), constant(label, ty)) {
                        Cond::Const(false) => {}
                        c => {
                            let mut taken = state.clone();
                            taken.cond = Some(with(state.cond.clone(), c));
                            ways.push((taken, *to));
                        }
                    }
                }
                for (state, to) in ways.into_iter().rev() {
                    self.follow_block(state, to);
                }
            }
            Terminator::Return(value) => {
                let promise = &self.cx.flat.function(state.at.instance).promise;
                if let Some(value) = value
                    && !self.pass_with(&mut state, value, promise)
                {
                    return;
                }
                self.return_from(state, value.as_ref());
            }
            Terminator::Invoke { normal, .. } => self.follow_block(state, *normal),
            Terminator::Resume => {
                let handler = self.cx.flat.instance(state.at.instance).parent.and_then(|p| self.cx.flat.handler(p));
                self.unwind(state, handler);
            }
            Terminator::Unreachable => self.pending_end(state, Goto::Ub),
            Terminator::Opaque { what, targets } => {
                let span = state.span.clone();
                self.assume(&mut state, &format!("`{what}` goes to one of its targets"), span);
                let unknown = self.unknown(&mut state, what, IntType::unsigned(32), UnknownKind::Environment, None);
                for (n, to) in targets.clone().into_iter().enumerate() {
                    if n == 0 {
                        self.follow_block(state.clone(), to);
                        continue;
                    }
                    let mut taken = state.clone();
                    let ty = IntType::unsigned(32);
                    let c = cmp(CmpOp::Eq, ty, unknown.to(ty), constant(n, ty));
                    taken.cond = Some(with(state.cond.clone(), c));
                    self.follow_block(taken, to);
                }
                if targets.is_empty() {
                    self.pending_end(state, Goto::Trap);
                }
            }
        }
    }

    /// Goes on at the block that follows an `invoke`.
    pub(super) fn enter_normal(&mut self, state: State, to: Point) {
        self.follow_block(state, to.block);
    }

    /// What follows needs a condition; where it does not hold nothing can be said. Whether anything follows.
    pub(super) fn beyond_unless(&mut self, state: &mut State, ok: Cond) -> bool {
        let bad = not(ok);
        if bad == truth(false) {
            return true;
        }
        let certain = bad == truth(true);
        let beyond = self.exhausted_location();
        let mut other = state.clone();
        if !certain {
            other.restrict(bad);
        }
        let case = self.case(&other, Vec::new(), Goto::Loc(beyond));
        self.emit(Case { stores: Vec::new(), ..case });
        !certain
    }

    /// Where runs go of which nothing can be said, neither an end nor a hang: they have used up all model addresses, or
    /// follow a pointer that was never set. From within a loop they may come back, so that it is not said to end because
    /// its runs get here.
    pub(super) fn exhausted_location(&mut self) -> usize {
        let (current, cyclic) = self.current;
        if let Some(n) = self.exhausted.get(&current) {
            return *n;
        }
        let ty = IntType::unsigned(1);
        let name = self.names.unused("more");
        self.program.unknowns.push(Unknown::new(name, ty, UnknownKind::Abstraction));
        let unknown = self.program.unknowns.len() - 1;
        let n = self.program.locs.len();
        let again = Cond::cmp(CmpOp::Eq, ty, Expr::Unknown(unknown), constant(0, ty));
        let back = if cyclic { current } else { n };
        let cases = vec![Case::new(Some(again), Vec::new(), Goto::Loc(back)), Case::new(None, Vec::new(), Goto::Stop)];
        let mut location = Location::new(self.loc_names.unused("beyond the model"), cases);
        // From here it may come back: a run that does stays where it was.
        location.within = self.program.locs[current].within;
        location.artificial = true;
        self.program.locs.push(location);
        self.exhausted.insert(current, n);
        n
    }

    /// A pointer that was made from no address is null, or nobody knows what it is: it may have been left without a value, and
    /// happen to be right. Whether anything follows.
    pub(super) fn somewhere(&mut self, state: &mut State, pointer: &Expr, targets: &Targets) -> bool {
        if !targets.is_empty() || matches!(pointer, Expr::Const(k, _) if *k == IBig::ZERO) {
            return true;
        }
        let ty = self.address();
        if self.require(state, cmp(CmpOp::Ne, ty, pointer.clone(), constant(0, ty))) {
            let nowhere = self.exhausted_location();
            let case = self.case(state, Vec::new(), Goto::Loc(nowhere));
            self.emit(Case { stores: Vec::new(), ..case });
        }
        false
    }
}

/// A place for readers.
pub(super) fn site(place: Place) -> Site {
    Site { file: place.file, line: place.line, column: place.column.max(1) }
}

/// One more condition on a way.
pub(super) fn with(before: Option<Cond>, cond: Cond) -> Cond {
    match before {
        None => cond,
        Some(b) => Cond::and(b, cond),
    }
}
