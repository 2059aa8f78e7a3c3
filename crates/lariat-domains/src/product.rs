//! The product of intervals and congruences of single variables with a relational domain on each pack.

use crate::domain::{AbstractDomain, Jump};
use crate::linear::{Constraint, Linear};
use crate::meaning;
use crate::plan::Plan;
use crate::relation::Relation;
use crate::space::Space;
use crate::step::{Live, Step};
use crate::value::{self, AbsValue, Shared};
use dashu_int::IBig;
use lariat_ir::{EdgeId, Id, Term, VarId};
use std::rc::Rc;

/// Sets of states: what is known of each variable, and of the dimensions of each pack together.
#[derive(Clone, Debug)]
pub struct Product<R> {
    /// Nothing where there is no state.
    pub(crate) live: Option<Live<R>>,
}

impl<R: Relation> Product<R> {
    /// What is known of a variable; nothing where there is no state.
    pub fn value(&self, v: VarId) -> Option<&AbsValue> {
        self.live.as_ref().map(|l| &*l.boxes[v.index()])
    }

    /// Keeps the states in which each variable has a value of these sets.
    pub(crate) fn restrict(&mut self, to: Option<&[Shared]>) {
        let met = self.live.take().zip(to).and_then(|(mut live, to)| {
            for (own, other) in live.boxes.iter_mut().zip(to) {
                *own = value::meet(own, other).ok()?;
            }
            Some(live)
        });
        self.live = met;
    }

    /// The states in which the first root of a plan holds, after the others became the values of these variables.
    fn through(&self, space: &Space<'_>, plan: &Plan, updated: &[VarId]) -> Self {
        let Some(live) = &self.live else { return self.clone() };
        let stepped = Step::new(space, plan, live.clone()).and_then(|mut step| {
            step.assume(plan.roots[0], true)?;
            Ok(step)
        });
        let Ok(step) = stepped else { return Self { live: None } };
        let mut out = Self { live: None };
        for case in step.cases() {
            let mut after = case.finish(updated);
            if after.reduce(space).is_ok() {
                out = out.join(&Self { live: Some(after) });
            }
        }
        out
    }

    /// The constraints of all packs over the dimensions of the space.
    pub(crate) fn constraints(&self, space: &Space<'_>) -> Vec<Constraint> {
        let Some(live) = &self.live else { return Vec::new() };
        let of_pack = |(pack, dims): (&R, &Vec<usize>)| {
            let global = |c: Constraint| Constraint { linear: c.linear.rename(|n| dims[n]), bound: c.bound };
            pack.constraints().into_iter().map(global).collect::<Vec<_>>()
        };
        live.packs.iter().zip(&space.packs).flat_map(of_pack).collect()
    }

    /// Whether the values of single variables imply a constraint.
    pub(crate) fn boxes_imply(&self, space: &Space<'_>, c: &Constraint) -> bool {
        let Some(live) = &self.live else { return true };
        c.linear.interval(|d| space.interval(d, &live.boxes)).is_at_most(&c.bound)
    }
}

impl<R: Relation> AbstractDomain for Product<R> {
    fn top(space: &Space<'_>) -> Self {
        let boxes = space.tops.iter().cloned().collect();
        let packs = space.packs.iter().map(|p| R::top(p.len())).collect();
        Self { live: Some(Live { boxes, packs }) }
    }

    fn bottom(_: &Space<'_>) -> Self {
        Self { live: None }
    }

    fn is_bottom(&self) -> bool {
        self.live.is_none()
    }

    fn leq(&self, other: &Self) -> bool {
        let (Some(a), Some(b)) = (&self.live, &other.live) else { return self.live.is_none() };
        a.boxes.iter().zip(&b.boxes).all(|(x, y)| value::leq(x, y))
            && a.packs.iter().zip(&b.packs).all(|(x, y)| x.leq(y))
    }

    fn join(&self, other: &Self) -> Self {
        let (Some(a), Some(b)) = (&self.live, &other.live) else {
            return if self.live.is_some() { self.clone() } else { other.clone() };
        };
        let boxes = a.boxes.iter().zip(&b.boxes).map(|(x, y)| value::join(x, y)).collect();
        let packs = a.packs.iter().zip(&b.packs).map(|(x, y)| x.join(y)).collect();
        Self { live: Some(Live { boxes, packs }) }
    }

    fn meet(&self, other: &Self) -> Self {
        let (Some(a), Some(b)) = (&self.live, &other.live) else { return Self { live: None } };
        let boxes: Result<Vec<Shared>, _> = a.boxes.iter().zip(&b.boxes).map(|(x, y)| value::meet(x, y)).collect();
        let packs: Vec<R> = a.packs.iter().zip(&b.packs).map(|(x, y)| x.meet(y)).collect();
        let empty = packs.iter().any(Relation::is_empty);
        Self { live: boxes.ok().filter(|_| !empty).map(|boxes| Live { boxes, packs }) }
    }

    fn widen(&self, space: &Space<'_>, next: &Self, jump: Jump) -> Self {
        let (Some(a), Some(b)) = (&self.live, &next.live) else { return self.join(next) };
        let thresholds: &[IBig] = if jump == Jump::Threshold { &space.thresholds } else { &[] };
        let value = |((x, y), top): ((&Shared, &Shared), &Shared)| match jump {
            _ if value::leq(y, x) => x.clone(),
            Jump::Forget => top.clone(),
            _ => Rc::new(x.widen(y, thresholds)),
        };
        let pack = |(x, y): (&R, &R)| match jump {
            Jump::Forget if !y.leq(x) => None,
            _ => Some(x.widen(y)),
        };
        let boxes = a.boxes.iter().zip(&b.boxes).zip(&space.tops).map(value).collect();
        let packs = a.packs.iter().zip(&b.packs).zip(&space.packs);
        let packs = packs.map(|(pair, dims)| pack(pair).unwrap_or_else(|| R::top(dims.len()))).collect();
        Self { live: Some(Live { boxes, packs }) }
    }

    fn assume(&mut self, space: &Space<'_>, guard: Term) {
        let plan = Plan::new(&space.ts.terms, &[guard]);
        *self = self.through(space, &plan, &[]);
    }

    fn assign(&mut self, space: &Space<'_>, updates: &[(VarId, Term)]) {
        let terms = &space.ts.terms;
        let roots: Vec<Term> = std::iter::once(terms.tt()).chain(updates.iter().map(|(_, t)| *t)).collect();
        let vars: Vec<VarId> = updates.iter().map(|(v, _)| *v).collect();
        *self = self.through(space, &Plan::new(terms, &roots), &vars);
    }

    fn post(&self, space: &Space<'_>, edge: EdgeId) -> Self {
        let vars: Vec<VarId> = space.ts.edges[edge].updates.iter().map(|(v, _)| *v).collect();
        self.through(space, &space.edges[edge], &vars)
    }

    /// Part by part: a meet that would have to lose some of what this part says, in order to be said, leaves the part as it is.
    fn refine(&self, space: &Space<'_>, with: &Self) -> Self {
        let mut out = self.meet(with);
        out.keep_expressible(space);
        if let (Some(old), Some(new)) = (&self.live, &mut out.live) {
            for (before, after) in old.packs.iter().zip(&mut new.packs) {
                if !after.leq(before) {
                    after.clone_from(before);
                }
            }
        }
        out
    }

    fn keep_expressible(&mut self, space: &Space<'_>) {
        let Some(Live { boxes, packs }) = &mut self.live else { return };
        for (pack, dims) in packs.iter_mut().zip(&space.packs) {
            pack.retain(&mut |c| {
                let c = Constraint { linear: c.linear.rename(|n| dims[n]), bound: c.bound.clone() };
                meaning::is_expressible(space, &c) && meaning::is_informative(space, &c, boxes)
            });
        }
    }

    fn meaning(&self, space: &Space<'_>) -> Option<Term> {
        let parts = meaning::conjuncts(space, self);
        if parts.is_empty() { None } else { Some(space.ts.terms.all(parts)) }
    }

    fn why_not_leq(&self, space: &Space<'_>, other: &Self) -> Option<Term> {
        let a = self.live.as_ref()?;
        let Some(b) = &other.live else { return Some(space.ts.terms.ff()) };
        for (v, (x, y)) in space.ts.vars.ids().zip(a.boxes.iter().zip(&b.boxes)) {
            if !x.leq(y) {
                return Some(space.ts.terms.all(meaning::of_variable(space, v, y)));
            }
        }
        let implied = |c: &Constraint| {
            let c_linear: &Linear = &c.linear;
            a.sum(space, c_linear).is_at_most(&c.bound)
        };
        let missing = other.constraints(space).into_iter().find(|c| !implied(c))?;
        meaning::of_constraint(space, &missing)
    }
}
