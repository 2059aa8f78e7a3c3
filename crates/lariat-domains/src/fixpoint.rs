//! Invariants by forward iteration.
//!
//! Upwards: from no state anywhere, each location takes what its incoming edges give, in a weak topological order, with widening at the headers, until
//! nothing is new. Each edge then leads from the annotation of its source into that of its target, which is checked at the end for
//! all edges, whatever the order was.
//!
//! Downwards: a location's annotation `X` becomes some `Y` within `X` that holds what `X` and the incoming edges, `F(X)`, have in common. That
//! stays inductive even where the transfer functions are not monotone: with `f` the concrete step, `f(Y)` is within `f(X)`, since `Y` is
//! within `X`; that lies within `X`, which was inductive, and within `F(X)`, since `F` is sound; so within `Y`. A `Y` that is not within
//! `X`, because something was dropped on the way, would break this.

use crate::budget::Meter;
use crate::domain::{AbstractDomain, Jump};
use crate::order::Unit;
use crate::space::Space;
use lariat_ir::{EdgeId, IdVec, LocId};

/// Rounds around a loop before bounds jump, then with thresholds, then to infinity.
const JOINS: u32 = 2;
const THRESHOLD_JUMPS: u32 = 8;
const JUMPS: u32 = 16;
/// Passes downwards.
const DESCENTS: u32 = 3;

/// That the budget was used up before the result was inductive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Exhausted;

/// The iteration for one domain.
pub(crate) struct Fixpoint<'a, D> {
    space: &'a Space<'a>,
    order: &'a [Unit],
    start: D,
    /// What is known already: `limit` keeps the states of it. It must be inductive, and hold in the result too.
    limit: &'a dyn Fn(LocId, &mut D),
    meter: &'a mut Meter,
    at: IdVec<LocId, D>,
    /// How often an annotation changed.
    version: IdVec<LocId, u32>,
    /// The result of an edge for a version of its source.
    posts: IdVec<EdgeId, Option<(u32, D)>>,
    into: IdVec<LocId, Vec<EdgeId>>,
}

impl<'a, D: AbstractDomain> Fixpoint<'a, D> {
    pub fn new(
        space: &'a Space<'a>,
        order: &'a [Unit],
        start: D,
        limit: &'a dyn Fn(LocId, &mut D),
        meter: &'a mut Meter,
    ) -> Self {
        let ts = space.system();
        let mut into: IdVec<LocId, Vec<EdgeId>> = ts.locs.ids().map(|_| Vec::new()).collect();
        for (id, e) in ts.edges.entries() {
            into[e.to].push(id);
        }
        Self {
            at: ts.locs.ids().map(|_| D::bottom(space)).collect(),
            version: ts.locs.ids().map(|_| 0).collect(),
            posts: ts.edges.ids().map(|_| None).collect(),
            into,
            space,
            order,
            start,
            limit,
            meter,
        }
    }

    /// An inductive annotation of every location.
    pub fn solve(mut self) -> Result<IdVec<LocId, D>, Exhausted> {
        self.units(self.order)?;
        self.confirm()?;
        for _ in 0..DESCENTS {
            // Each pass leaves an inductive annotation behind it, so an exhausted budget only ends the improvement.
            match self.descend(self.order) {
                Ok(true) => {}
                Ok(false) | Err(Exhausted) => break,
            }
        }
        Ok(self.at)
    }

    /// What the incoming edges give, and the start at the entry.
    fn incoming(&mut self, l: LocId) -> Result<D, Exhausted> {
        let mut all = if l == self.space.system().entry { self.start.clone() } else { D::bottom(self.space) };
        for i in 0..self.into[l].len() {
            let e = self.into[l][i];
            let from = self.space.system().edges[e].from;
            let version = self.version[from];
            if self.posts[e].as_ref().is_none_or(|(v, _)| *v != version) {
                self.meter.spend(self.space.cost(e))?;
                let mut post = self.at[from].post(self.space, e);
                (self.limit)(l, &mut post);
                self.posts[e] = Some((version, post));
            }
            let (_, post) = self.posts[e].as_ref().expect("just computed");
            if !post.is_bottom() {
                all = all.join(post);
            }
        }
        Ok(all)
    }

    /// Takes an annotation that is larger than the one before, and may become larger still so that it can be said.
    fn grow(&mut self, l: LocId, mut d: D) {
        d.keep_expressible(self.space);
        self.store(l, d);
    }

    fn store(&mut self, l: LocId, d: D) {
        self.at[l] = d;
        self.version[l] += 1;
    }

    fn units(&mut self, units: &[Unit]) -> Result<(), Exhausted> {
        for u in units {
            match u {
                Unit::Location(l) => {
                    let new = self.incoming(*l)?;
                    if !new.leq(&self.at[*l]) {
                        let joined = self.at[*l].join(&new);
                        self.grow(*l, joined);
                    }
                }
                Unit::Loop { header, body } => self.stabilise(*header, body)?,
            }
        }
        Ok(())
    }

    fn stabilise(&mut self, header: LocId, body: &[Unit]) -> Result<(), Exhausted> {
        for round in 0.. {
            let new = self.incoming(header)?;
            if new.leq(&self.at[header]) {
                if round > 0 {
                    break;
                }
            } else {
                let grown = self.grown(header, &new, round);
                self.grow(header, grown);
            }
            self.units(body)?;
        }
        Ok(())
    }

    /// The annotation of a location with new states, after some rounds around its loop.
    fn grown(&self, l: LocId, new: &D, round: u32) -> D {
        let old = &self.at[l];
        let jump = match round {
            _ if old.is_bottom() || round <= JOINS => return old.join(new),
            _ if round <= THRESHOLD_JUMPS => Jump::Threshold,
            _ if round <= JUMPS => Jump::Infinity,
            _ => Jump::Forget,
        };
        let joined = old.join(new);
        let mut widened = old.widen(self.space, &joined, jump);
        // What is known anyway need not be found again.
        if jump != Jump::Forget {
            (self.limit)(l, &mut widened);
        }
        widened
    }

    /// Repeats what the order may have missed, until every edge leads into the annotation of its target.
    fn confirm(&mut self) -> Result<(), Exhausted> {
        for round in 1.. {
            let mut stable = true;
            for l in self.space.system().locs.ids().filter(|l| !l.is_sink()) {
                let new = self.incoming(l)?;
                if !new.leq(&self.at[l]) {
                    stable = false;
                    let grown = self.grown(l, &new, round * THRESHOLD_JUMPS);
                    self.grow(l, grown);
                }
            }
            if stable {
                break;
            }
        }
        Ok(())
    }

    /// One pass downwards; says whether something changed.
    fn descend(&mut self, units: &[Unit]) -> Result<bool, Exhausted> {
        let mut changed = false;
        for u in units {
            let l = match u {
                Unit::Location(l) => *l,
                Unit::Loop { header, .. } => *header,
            };
            let new = self.incoming(l)?;
            if !self.at[l].leq(&new) {
                let refined = self.at[l].refine(self.space, &new);
                changed |= !self.at[l].leq(&refined);
                self.store(l, refined);
            }
            if let Unit::Loop { body, .. } = u {
                changed |= self.descend(body)?;
            }
        }
        Ok(changed)
    }
}
