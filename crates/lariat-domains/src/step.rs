//! One step of a system on an abstract state: the guard is assumed, then all updates happen at once.
//!
//! The step holds every pair of a state before it and unknown values that the guard allows; each fact that is added
//! holds for all of them. So the relations may use what the terms' values tell, and the other way round, in any order.

use crate::facts::Facts;
use crate::interval::Interval;
use crate::linear::{Constraint, Form, Linear};
use crate::plan::{Plan, Source};
use crate::relation::Relation;
use crate::space::{Space, View, reading};
use crate::value::{AbsValue, Empty, Shared, Truth};
use crate::word::Reading;
use dashu_int::IBig;
use lariat_ir::{Id, Op, VarId};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How often terms and relations tell each other what they know.
const ROUNDS: usize = 3;
/// The most cases that one step is divided into.
const MOST_CASES: usize = 8;
/// The largest plan that is divided into cases.
const LARGEST_DIVIDED: usize = 1500;

/// What is known of the variables: of each by itself, and of the dimensions of each pack together.
#[derive(Clone, Debug)]
pub(crate) struct Live<R> {
    pub boxes: Vec<Shared>,
    pub packs: Vec<R>,
}

/// A step in the making.
#[derive(Clone)]
pub(crate) struct Step<'a, R> {
    pub space: &'a Space<'a>,
    pub facts: Facts<'a>,
    pub live: Live<R>,
    /// The comparisons that the relations know of.
    related: HashSet<usize>,
    pub(crate) forms: RefCell<HashMap<(usize, View), Form>>,
}

impl<'a, R: Relation> Step<'a, R> {
    /// A step from these states, of which nothing is assumed yet.
    pub fn new(space: &'a Space<'a>, plan: &'a Plan, mut live: Live<R>) -> Result<Self, Empty> {
        live.reduce(space)?;
        let facts = Facts::new(plan, |source, sort| space.symbol(source, sort, &live.boxes));
        Ok(Self { space, facts, live, related: HashSet::new(), forms: RefCell::default() })
    }

    /// Assumes that a term of the plan is true, or false.
    pub fn assume(&mut self, node: usize, truth: bool) -> Result<(), Empty> {
        self.facts.learn(node, &AbsValue::Bool(Truth::of(truth)))?;
        self.settle()
    }

    /// Lets terms and relations tell each other what they know.
    pub fn settle(&mut self) -> Result<(), Empty> {
        for _ in 0..ROUNDS {
            self.facts.settle()?;
            let moved = self.tell_boxes()?;
            if self.live.packs.is_empty() {
                return Ok(());
            }
            self.live.tell_packs(self.space, &moved);
            let related = self.relate()?;
            if self.live.packs.iter().any(Relation::is_empty) {
                return Err(Empty);
            }
            if !related && moved.is_empty() {
                break;
            }
            self.live.tell_boxes(self.space)?;
            if !self.hear_boxes()? {
                break;
            }
        }
        self.facts.settle()?;
        self.tell_boxes()?;
        Ok(())
    }

    /// Variables take what their symbols know; gives those that changed.
    fn tell_boxes(&mut self) -> Result<Vec<VarId>, Empty> {
        let mut moved = Vec::new();
        for (i, source) in &self.facts.plan.symbols {
            if let Source::Var(v) = source {
                let own = &mut self.live.boxes[v.index()];
                let told = self.facts.value(*i);
                if !own.leq(told) {
                    *own = Rc::new(own.meet(told)?);
                    moved.push(*v);
                }
            }
        }
        Ok(moved)
    }

    /// Symbols take what their variables know; says whether that was new.
    fn hear_boxes(&mut self) -> Result<bool, Empty> {
        let mut new = false;
        for (i, source) in &self.facts.plan.symbols {
            if let Source::Var(v) = source {
                new |= self.facts.learn(*i, &self.live.boxes[v.index()])?;
            }
        }
        Ok(new)
    }

    /// Relations learn from the comparisons whose truth is known, and decide others.
    fn relate(&mut self) -> Result<bool, Empty> {
        self.forms.borrow_mut().clear();
        let mut new = false;
        for &c in &self.facts.plan.comparisons {
            if self.related.contains(&c) {
                continue;
            }
            let truth = match self.facts.value(c).truth().known() {
                Some(t) => t,
                None => match self.decide(c) {
                    Some(t) => {
                        self.facts.learn(c, &AbsValue::Bool(Truth::of(t)))?;
                        new = true;
                        t
                    }
                    None => continue,
                },
            };
            let node = &self.facts.plan.nodes[c];
            // A disequation may say more when more is known.
            if node.op != Op::Eq || truth {
                self.related.insert(c);
            }
            for found in self.constraints_of(c, truth) {
                new |= self.live.constrain(self.space, &found);
            }
        }
        Ok(new)
    }

    /// The views in which a comparison compares, with whether it is strict; nothing for equality's strictness.
    fn comparison(&self, c: usize) -> (Vec<View>, Option<bool>) {
        let node = &self.facts.plan.nodes[c];
        let both = || {
            if self.facts.plan.nodes[node.arg(0)].sort.width().is_some() {
                vec![Some(Reading::Unsigned), Some(Reading::Signed)]
            } else {
                vec![None]
            }
        };
        match node.op {
            Op::IntLt => (vec![None], Some(true)),
            Op::IntLe => (vec![None], Some(false)),
            Op::BvUlt => (vec![Some(Reading::Unsigned)], Some(true)),
            Op::BvUle => (vec![Some(Reading::Unsigned)], Some(false)),
            Op::BvSlt => (vec![Some(Reading::Signed)], Some(true)),
            Op::BvSle => (vec![Some(Reading::Signed)], Some(false)),
            _ => (both(), None),
        }
    }

    fn difference(&self, c: usize, view: View) -> Form {
        let node = &self.facts.plan.nodes[c];
        self.form(node.arg(0), view).sub(&self.form(node.arg(1), view))
    }

    /// The truth of a comparison, where the relations decide it.
    fn decide(&self, c: usize) -> Option<bool> {
        let (views, strict) = self.comparison(c);
        for view in views {
            let d = self.difference(c, view);
            if d.linear.terms().len() < 2 {
                continue;
            }
            let range = d.values(&self.sum(&d.linear))?;
            let (negative, zero) = (IBig::from(-1), IBig::ZERO);
            match strict {
                Some(true) if range.is_at_most(&negative) => return Some(true),
                Some(true) if range.is_at_least(&zero) => return Some(false),
                Some(false) if range.is_at_most(&zero) => return Some(true),
                Some(false) if range.is_at_least(&IBig::from(1)) => return Some(false),
                None if !range.contains(&zero) => return Some(false),
                None if range.as_constant() == Some(&zero) => return Some(true),
                _ => {}
            }
        }
        None
    }

    /// What a comparison of known truth says about the dimensions: with `s (a - b) = sum + rest` and a bound on `a - b` the sum is
    /// bounded by that less the least rest.
    fn constraints_of(&self, c: usize, truth: bool) -> Vec<Constraint> {
        let (views, strict) = self.comparison(c);
        let mut found = Vec::new();
        let mut at_most = |d: &Form, bound: i32| {
            if let Some(least) = d.rest.lo() {
                found.push(Constraint::new(d.linear.clone(), IBig::from(bound) * &d.scale - least));
            }
        };
        for view in views {
            let d = self.difference(c, view);
            if d.linear.is_zero() {
                continue;
            }
            let reverse = d.times(&IBig::from(-1));
            match (strict, truth) {
                (Some(strictly), true) => at_most(&d, if strictly { -1 } else { 0 }),
                (Some(strictly), false) => at_most(&reverse, if strictly { 0 } else { -1 }),
                (None, true) => {
                    at_most(&d, 0);
                    at_most(&reverse, 0);
                }
                (None, false) => {
                    // Unequal numbers whose difference has one sign differ by one at least.
                    let range = d.values(&self.sum(&d.linear)).unwrap_or_else(Interval::top);
                    if range.is_at_most(&IBig::ZERO) {
                        at_most(&d, -1);
                    }
                    if range.is_at_least(&IBig::ZERO) {
                        at_most(&reverse, -1);
                    }
                }
            }
        }
        found
    }

    /// What a sum of dimensions can be.
    pub(crate) fn sum(&self, l: &Linear) -> Interval {
        self.live.sum(self.space, l)
    }

    /// Divides the step into cases in which more is known; together they hold what the step holds, since each division is by a
    /// truth value.
    pub fn cases(self) -> Vec<Self> {
        let mut done = Vec::new();
        let mut open = vec![(self, 0)];
        while let Some((step, depth)) = open.pop() {
            let room = done.len() + open.len() + 1 < MOST_CASES && depth < 4;
            let Some(at) = step.undecided().filter(|_| room) else {
                done.push(step);
                continue;
            };
            for truth in [false, true] {
                let mut case = step.clone();
                if case.assume(at, truth).is_ok() {
                    open.push((case, depth + 1));
                }
            }
        }
        done
    }

    /// A truth value to divide by: one side of a disjunction that holds, or the condition of a choice. Outer terms first.
    fn undecided(&self) -> Option<usize> {
        let plan = self.facts.plan;
        if plan.nodes.len() > LARGEST_DIVIDED {
            return None;
        }
        let open = |i: usize| self.facts.value(i).truth() == Truth::Either;
        plan.branches.iter().rev().find_map(|&b| {
            let node = &plan.nodes[b];
            let truth = self.facts.value(b).truth();
            let divides = match node.op {
                Op::And => truth == Truth::No,
                Op::Or => truth == Truth::Yes,
                Op::Ite => self.facts.value(node.arg(1)) != self.facts.value(node.arg(2)) || self.live.packs.len() > 1,
                _ => false,
            };
            Some(node.arg(0)).filter(|&c| divides && open(c))
        })
    }

    /// The states after the updates: the roots from the second on are the new values of these variables.
    pub fn finish(mut self, updated: &[VarId]) -> Live<R> {
        self.forms.borrow_mut().clear();
        let plan = self.facts.plan;
        let new: Vec<(VarId, usize)> = updated.iter().copied().zip(plan.roots.iter().copied().skip(1)).collect();
        let mut moves: Vec<Vec<(usize, Form)>> = self.live.packs.iter().map(|_| Vec::new()).collect();
        for &(v, root) in &new {
            let views = [None, Some(Reading::Unsigned), Some(Reading::Signed)];
            for (d, view) in views.into_iter().filter_map(|w| Some((self.space.dimension(v, w)?, w))) {
                let (pack, place) = self.space.place[d].expect("a dimension has a pack");
                let form = self.form(root, view);
                let form = self.live.within(self.space, &form, pack);
                if form != Form::dimension(place) {
                    moves[pack].push((place, form));
                }
            }
        }
        for (pack, moves) in self.live.packs.iter_mut().zip(&moves) {
            pack.update(moves);
        }
        for &(v, root) in &new {
            self.live.boxes[v.index()] = Rc::new(self.facts.value(root).clone());
        }
        self.live
    }
}

impl<R: Relation> Live<R> {
    /// Lets boxes and relations tell each other what they know.
    pub fn reduce(&mut self, space: &Space<'_>) -> Result<(), Empty> {
        if self.packs.is_empty() {
            return Ok(());
        }
        for p in &mut self.packs {
            p.close();
        }
        let all: Vec<VarId> = space.ts.vars.ids().collect();
        self.tell_packs(space, &all);
        if self.packs.iter().any(Relation::is_empty) {
            return Err(Empty);
        }
        self.tell_boxes(space)
    }

    /// Relations take the bounds of some variables. Bounds that every value of the sort has stay out: they say nothing, and cost.
    fn tell_packs(&mut self, space: &Space<'_>, vars: &[VarId]) {
        for (pack, dims) in self.packs.iter_mut().zip(&space.packs) {
            for (place, &d) in dims.iter().enumerate().filter(|(_, d)| vars.contains(&space.dims[**d].var)) {
                let known = space.interval(d, &self.boxes);
                let own = pack.bounds(&Linear::dimension(place));
                let telling = |e: Option<&IBig>| e.filter(|e| !space.is_range_end(d, e)).cloned();
                if let Some(h) = telling(known.hi()).filter(|h| !own.is_at_most(h)) {
                    pack.add(&Constraint::new(Linear::dimension(place), h));
                }
                if let Some(l) = telling(known.lo()).filter(|l| !own.is_at_least(l)) {
                    pack.add(&Constraint::new(Linear::dimension(place).scale(&IBig::from(-1)), -l));
                }
            }
        }
    }

    /// Variables take the bounds that the relations know.
    fn tell_boxes(&mut self, space: &Space<'_>) -> Result<(), Empty> {
        for (pack, dims) in self.packs.iter().zip(&space.packs) {
            for (place, &d) in dims.iter().enumerate() {
                let range = pack.bounds(&Linear::dimension(place));
                let own = &mut self.boxes[space.dims[d].var.index()];
                if reading(own, space.dims[d].view).leq(&range) {
                    continue;
                }
                let limited = match (&**own, space.dims[d].view) {
                    (AbsValue::Int(n), None) => n.limit(&range).map(AbsValue::Int),
                    (AbsValue::Bv(w), Some(r)) => w.limit(r, &range).map(AbsValue::Bv),
                    _ => continue,
                };
                *own = Rc::new(limited.ok_or(Empty)?);
            }
        }
        Ok(())
    }

    /// What a sum of dimensions can be: by pack, the relations and the single bounds each give an interval, and both hold.
    pub fn sum(&self, space: &Space<'_>, l: &Linear) -> Interval {
        let mut total = Interval::constant(0);
        for (p, pack) in self.packs.iter().enumerate() {
            let own: Vec<(usize, IBig)> =
                l.terms().iter().filter(|(d, _)| space.place[*d].is_some_and(|(q, _)| q == p)).cloned().collect();
            if own.is_empty() {
                continue;
            }
            let part = Linear::new(own);
            let single = part.interval(|d| space.interval(d, &self.boxes));
            let local = part.rename(|d| space.place[d].expect("a dimension has a pack").1);
            let range = single.meet(&pack.bounds(&local)).unwrap_or(single);
            total = total.add(&range);
        }
        total
    }

    /// A form over the dimensions of one pack, those of others replaced by what they can be.
    pub fn within(&self, space: &Space<'_>, form: &Form, pack: usize) -> Form {
        let inside = |d: usize| space.place[d].filter(|(p, _)| *p == pack).map(|(_, n)| n);
        let own = form.linear.terms().iter().filter_map(|(d, c)| Some((inside(*d)?, c.clone())));
        let others = Linear::new(form.linear.terms().iter().filter(|(d, _)| inside(*d).is_none()).cloned());
        Form { scale: form.scale.clone(), linear: Linear::new(own), rest: form.rest.add(&self.sum(space, &others)) }
    }

    /// Adds a constraint to every pack that has dimensions of it; the others count with their least values. Says whether a
    /// pack had something to learn.
    fn constrain(&mut self, space: &Space<'_>, c: &Constraint) -> bool {
        let mut new = false;
        let mut packs: Vec<usize> = c.linear.terms().iter().filter_map(|(d, _)| Some(space.place[*d]?.0)).collect();
        packs.sort_unstable();
        packs.dedup();
        for p in packs {
            let form = Form { scale: IBig::from(1), linear: c.linear.clone(), rest: Interval::constant(0) };
            let local = self.within(space, &form, p);
            let Some(least) = local.rest.lo() else { continue };
            let constraint = Constraint::new(local.linear, &c.bound - least);
            if !self.packs[p].bounds(&constraint.linear).is_at_most(&constraint.bound) {
                self.packs[p].add(&constraint);
                new = true;
            }
        }
        new
    }
}
