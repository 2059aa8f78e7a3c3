//! What is known on one way through a piece.

use super::Context;
use super::flat::{FlatValue, Point};
use super::library::streams::Outcome;
use super::memory::access::distance;
use super::values::arith::{Sym, cmp, ite};
use crate::module::{FunctionId, Place};
use dashu_int::IBig;
use lariat_ir::Span;
use lariat_ir::fast::FastMap;
use lariat_ir::neutral::{Case, CmpOp, Cond, Expr, Goto, Happening, IntType, MemUpdate, Site, Visit};
use std::collections::{BTreeMap, BTreeSet};

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
    /// Whether the scopes that begin here have begun.
    pub(super) begun: bool,
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
    Reads(Outcome),
}

impl State {
    /// A way that starts at a point, with nothing known.
    pub(super) fn new(cx: &Context<'_>, at: Point) -> Self {
        Self {
            at,
            env: FastMap::default(),
            vars: BTreeMap::new(),
            stores: Vec::new(),
            evaluates: Vec::new(),
            assumes: BTreeSet::new(),
            cond: None,
            span: cx.span_at(at),
            site: None,
            trail: Vec::new(),
            steps: 0,
            settled: 0,
            asked: 0,
            direct: false,
            writing: false,
            begun: false,
        }
    }
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
    fn settled(&self) -> &[MemUpdate] {
        &self.stores[..self.settled.min(self.stores.len())]
    }
    /// The variables that have another value than in an earlier state.
    fn changed_since(&self, before: &Self) -> Vec<(usize, Expr)> {
        let differs = |(v, e): &(&usize, &Expr)| before.var(**v) != **e;
        self.vars.iter().filter(differs).map(|(v, e)| (*v, e.clone())).collect()
    }
    /// Control comes to a place of the source.
    pub(super) fn arrive(&mut self, cx: &Context<'_>, place: Option<Place>) {
        let Some(place) = place.filter(|p| p.line > 0) else { return };
        self.span = cx.span(Some(place));
        self.site = Some(site(place));
    }
    /// This way as a case.
    pub(super) fn case(&self, assigns: Vec<(usize, Expr)>, target: Goto) -> Case {
        let mut case = Case::new(self.cond.clone(), assigns, target);
        case.stores.clone_from(&self.stores);
        case.evaluates.clone_from(&self.evaluates);
        case.span.clone_from(&self.span);
        case.assumes = self.assumes.iter().copied().collect();
        case.trail.clone_from(&self.trail);
        case
    }
    /// The case that ends this way without storing anything.
    pub(super) fn last_case(&self, target: Goto) -> Case {
        Case { stores: Vec::new(), ..self.case(Vec::new(), target) }
    }
    /// The cell of an array as it is now, with the stores that are pending.
    pub(super) fn load_cell(&self, mem: usize, address: &Expr) -> Result<Expr, Split> {
        for update in self.settled().iter().rev() {
            match update {
                MemUpdate::Forget { mem: m, .. } if *m == mem => return Err(Split),
                MemUpdate::Store { mem: m, address: a, value } if *m == mem => match distance(a, address) {
                    Some(d) if d == IBig::ZERO => return Ok(value.clone()),
                    Some(_) => {}
                    None => return Err(Split),
                },
                _ => {}
            }
        }
        Ok(Expr::load(mem, address.clone()))
    }
    /// The same with the stores of the present instruction: what a cell holds that one of them may have been to.
    pub(super) fn cell_now(&self, mem: usize, address: &Expr, ty: IntType) -> Result<Expr, Split> {
        let mut now = self.load_cell(mem, address)?;
        for update in &self.stores[self.settled.min(self.stores.len())..] {
            if let MemUpdate::Store { mem: m, address: a, value } = update
                && *m == mem
            {
                now = match distance(a, address) {
                    Some(d) if d == IBig::ZERO => value.clone(),
                    Some(_) => now,
                    None => ite(cmp(CmpOp::Eq, ty, a.clone(), address.clone()), value.clone(), now),
                };
            }
        }
        Ok(now)
    }
    /// What has changed since a state stays only if a condition holds. Memory need not be put back: nobody has a pointer
    /// to what was not made.
    pub(super) fn keep_if(&mut self, before: &Self, c: &Cond) {
        for (v, new) in self.changed_since(before) {
            let old = before.var(v);
            self.set(v, ite(c.clone(), new, old));
        }
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
