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

use super::calls::Calls;
use super::control::Control;
use super::flat::Point;
use super::library::Library;
use super::memory::Memory;
use super::state::{Flow, Next, Split, State, with};
use super::values::Values;
use super::values::arith::{self, truth};
use super::{Context, Names};
use crate::module::{Op, Terminator};
use lariat_ir::Obligation;
use lariat_ir::fast::FastMap;
use lariat_ir::neutral::{Cond, Happening, Program, Recursion};

/// How many instructions a way may have before a location must end it, and how large a value may get.
const MAX_STEPS: usize = 1600;
const LARGE: usize = 60;

/// Executes the graph: each room keeps what changes together, a step asks the rooms that it needs.
pub(super) struct Builder<'a, 'm> {
    pub(super) cx: &'a Context<'m>,
    pub(super) memory: &'a Memory<'a, 'm>,
    pub(super) values: Values<'a, 'm>,
    pub(super) control: Control<'a, 'm>,
    pub(super) calls: Calls<'a, 'm>,
    pub(super) library: Library<'a, 'm>,
}

impl<'a, 'm> Builder<'a, 'm> {
    pub(super) fn new(
        cx: &'a Context<'m>,
        memory: &'a Memory<'a, 'm>,
        program: Program,
        names: Names,
        known: &'a FastMap<Point, String>,
    ) -> Self {
        let mut values = Values::new(cx, memory, program, names);
        let library = Library::new(cx, memory, &mut values);
        let control = Control::new(cx, memory, known, &mut values);
        let calls = Calls::new(cx, memory, &mut values);
        Self { cx, memory, values, control, calls, library }
    }

    /// The program, and the names of its locations.
    pub(super) fn build(mut self) -> (Program, FastMap<Point, String>) {
        self.start();
        while let Some((point, location)) = self.control.next_piece() {
            if point.index == Point::RETURN {
                let mut state = State::new(self.cx, self.cx.flat.entry(point.instance));
                state.at = point;
                self.return_again(state);
            } else {
                let mut state = State::new(self.cx, point.plain());
                state.begun = point.is_begun();
                self.control.push(state, Next::Arrive);
            }
            self.ways(point, location);
        }
        for f in &self.cx.flat.left_out {
            let function = &self.cx.flat.module.functions[f.0 as usize];
            let span = self.cx.span(function.place);
            self.values.oblige(Obligation {
                text: format!("the loops of `{}`, which is too large to be followed from here", function.shown()),
                span,
            });
        }
        self.callbacks();
        self.memory.note_origins(&mut self.values);
        let observes = self.control.observed().is_some();
        let skips = self.calls.skips();
        let (locs, sources, names) = self.control.finish();
        let mut program = self.values.finish(locs);
        program.sources = sources;
        // What is observed is asked for, though nothing in the program does.
        if !observes {
            program.drop_idle_floats();
        }
        if skips {
            program.recursion = Recursion::Skipped;
        }
        (program, names)
    }

    /// Follows the ways that wait, and makes them the cases of a location.
    pub(super) fn ways(&mut self, at: Point, location: usize) {
        self.control.begin_piece(at, location);
        while let Some((mut state, next)) = self.control.next_way() {
            match next {
                Next::Arrive => {
                    if self.signal_comes(&mut state) {
                        self.follow(state, at);
                    }
                }
                Next::Follow => self.follow(state, at),
                Next::Jump(to) => self.control.jump(state, to),
                Next::Go(to) => self.control.go(&mut self.values, &state, to),
                Next::End(target) => self.control.end(&state, target),
                Next::Beyond => {
                    self.control.beyond_unless(&mut self.values, &mut state, truth(false));
                }
                Next::Outside(f) => self.call_outside(state, f),
                Next::Nobody(pointer) => self.call_nobody(state, &pointer),
                Next::Reads(outcome) => self.read_on(state, outcome),
            }
        }
        self.control.end_piece(location);
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
                if state.steps > MAX_STEPS && at != start.plain() {
                    self.control.go(&mut self.values, &state, at);
                    return;
                }
                state.arrive(self.cx, instruction.place);
                let begun = std::mem::take(&mut state.begun);
                let begins = !begun && self.memory.declare(&mut self.values, &mut state);
                // Only what was stored before can make an instruction start a new piece.
                let before = (!state.stores.is_empty()).then(|| state.clone());
                state.settled = state.stores.len();
                state.asked = 0;
                let mark = self.control.mark();
                match self.execute(&mut state, instruction) {
                    Ok(Flow::On) => {
                        state.at.index = at.index + 1;
                        let result = self.cx.flat.value(at.instance, instruction.id);
                        if state.env.get(&result).is_some_and(|s| arith::sym_size(s, LARGE + 1) > LARGE)
                            || state.stores.len() > 64
                        {
                            let to = state.at;
                            self.control.go(&mut self.values, &state, to);
                            return;
                        }
                    }
                    Ok(Flow::To(to)) => {
                        self.control.jump(state, to);
                        return;
                    }
                    Ok(Flow::Done) => return,
                    Err(Split) => {
                        // Nothing of this instruction has happened yet.
                        self.control.take_back(mark);
                        let mut before = before.expect("without earlier stores nothing has to wait for one");
                        // A scope that begins here is not to begin again.
                        let to = if begun || begins { at.begun() } else { at };
                        if to == start {
                            // What happens at the start of this piece would happen again.
                            self.control.beyond_unless(&mut self.values, &mut before, truth(false));
                        } else {
                            self.control.go(&mut self.values, &before, to);
                        }
                        return;
                    }
                }
                continue;
            }
            state.asked = 0;
            self.memory.declare(&mut self.values, &mut state);
            state.arrive(self.cx, block.place);
            if !matches!(block.terminator, Terminator::Jump(_)) {
                state.passes(Happening::Passed);
            }
            self.terminator(state, &block.terminator);
            return;
        }
    }
}
