//! Expressions of steps in terms of the values at the beginning of a block.

use super::Site;
use super::places::{Lost, Names, Places};
use lariat_ir::fast::FastMap;
use lariat_ir::function::{Block, End, Step, Target};
use lariat_ir::neutral::{CmpOp, Cond, Expr, IntType};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What variables hold now; one that is not mentioned holds what it held at the beginning.
pub(super) type Env = FastMap<usize, Expr>;

/// An expression in terms of the beginning. What is shared stays shared.
pub(super) fn now(env: &Env, expr: &Expr) -> Expr {
    Now::new(|v| env.get(v).cloned(), |_| None).expr(expr)
}

/// The same for a condition.
pub(super) fn now_cond(env: &Env, cond: &Cond) -> Cond {
    Now::new(|v| env.get(v).cloned(), |_| None).cond(cond)
}

/// An expression with other numbers for its unknown values.
pub(super) fn renumbered(numbers: &FastMap<usize, usize>, expr: &Expr) -> Expr {
    Now::new(|_| None, |u| numbers.get(u).map(|n| Expr::Unknown(*n))).expr(expr)
}

/// The same for a condition.
pub(super) fn renumbered_cond(numbers: &FastMap<usize, usize>, cond: &Cond) -> Cond {
    Now::new(|_| None, |u| numbers.get(u).map(|n| Expr::Unknown(*n))).cond(cond)
}

/// Puts other expressions in the place of leaves.
struct Now<V, U> {
    var: V,
    unknown: U,
    exprs: FastMap<*const Expr, Arc<Expr>>,
    conds: FastMap<*const Cond, Arc<Cond>>,
}

impl<V: Fn(&usize) -> Option<Expr>, U: Fn(&usize) -> Option<Expr>> Now<V, U> {
    fn new(var: V, unknown: U) -> Self {
        Self { var, unknown, exprs: FastMap::default(), conds: FastMap::default() }
    }

    fn shared(&mut self, e: &Arc<Expr>) -> Arc<Expr> {
        let key = Arc::as_ptr(e);
        if let Some(done) = self.exprs.get(&key) {
            return Arc::clone(done);
        }
        let done = Arc::new(self.expr(e));
        self.exprs.insert(key, Arc::clone(&done));
        done
    }

    fn shared_cond(&mut self, c: &Arc<Cond>) -> Arc<Cond> {
        let key = Arc::as_ptr(c);
        if let Some(done) = self.conds.get(&key) {
            return Arc::clone(done);
        }
        let done = Arc::new(self.cond(c));
        self.conds.insert(key, Arc::clone(&done));
        done
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        match e {
            Expr::Var(v) => (self.var)(v).unwrap_or(Expr::Var(*v)),
            Expr::Unknown(u) => (self.unknown)(u).unwrap_or(Expr::Unknown(*u)),
            Expr::Const(..) => e.clone(),
            Expr::Unary { op, ty, overflow, arg } => {
                Expr::Unary { op: *op, ty: *ty, overflow: *overflow, arg: self.shared(arg) }
            }
            Expr::Binary { op, ty, overflow, left, right } => Expr::Binary {
                op: *op,
                ty: *ty,
                overflow: *overflow,
                left: self.shared(left),
                right: self.shared(right),
            },
            Expr::Cast { from, to, arg } => Expr::Cast { from: *from, to: *to, arg: self.shared(arg) },
            Expr::Ite(c, a, b) => Expr::Ite(self.shared_cond(c), self.shared(a), self.shared(b)),
            Expr::Load { mem, address } => Expr::Load { mem: *mem, address: self.shared(address) },
            Expr::Join(parts) => Expr::Join(parts.iter().map(|p| self.expr(p)).collect()),
            Expr::Promised { kept, value } => {
                Expr::Promised { kept: self.shared_cond(kept), value: self.shared(value) }
            }
            Expr::Float { op, args } => Expr::Float { op: *op, args: args.iter().map(|a| self.shared(a)).collect() },
        }
    }

    fn cond(&mut self, c: &Cond) -> Cond {
        match c {
            Cond::Const(b) => Cond::Const(*b),
            Cond::Cmp { op, ty, left, right } => {
                Cond::Cmp { op: *op, ty: *ty, left: self.shared(left), right: self.shared(right) }
            }
            Cond::Float { op, args } => Cond::Float { op: *op, args: [self.shared(&args[0]), self.shared(&args[1])] },
            Cond::And(a, b) => Cond::And(self.shared_cond(a), self.shared_cond(b)),
            Cond::Or(a, b) => Cond::Or(self.shared_cond(a), self.shared_cond(b)),
            Cond::Not(a) => Cond::Not(self.shared_cond(a)),
        }
    }
}

/// The variables that an expression mentions.
pub(super) fn vars_of(e: &Expr, found: &mut BTreeSet<usize>) {
    Leaves { found, unknowns: false, seen: BTreeSet::new() }.expr(e);
}

/// The same for a condition.
pub(super) fn vars_of_cond(c: &Cond, found: &mut BTreeSet<usize>) {
    Leaves { found, unknowns: false, seen: BTreeSet::new() }.cond(c);
}

/// The variables that the operands of a step read.
pub(super) fn reads_of(step: &Step) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    match step {
        Step::Assign { value, .. } => vars_of(value, &mut found),
        Step::Require(c) => vars_of_cond(c, &mut found),
        Step::Load { at, .. } => vars_of(&at.address, &mut found),
        Step::Store { at, value } => {
            vars_of(&at.address, &mut found);
            if let Some(v) = value {
                vars_of(v, &mut found);
            }
        }
        Step::Call(_) | Step::Fresh { .. } => {}
    }
    found
}

/// The variables that a block reads before it writes them.
pub(super) fn read_first(block: &Block, found: &mut BTreeSet<usize>) {
    let mut written = BTreeSet::new();
    for step in &block.steps {
        found.extend(reads_of(step).difference(&written));
        written.extend(step.assigns());
    }
    let mut read = BTreeSet::new();
    match &block.end {
        End::Branch { cond, .. } => vars_of_cond(cond, &mut read),
        End::Switch { value, .. } => vars_of(value, &mut read),
        _ => {}
    }
    found.extend(read.difference(&written));
}

/// The unknown values that an expression mentions.
pub(super) fn unknowns_of(e: &Expr, found: &mut BTreeSet<usize>) {
    Leaves { found, unknowns: true, seen: BTreeSet::new() }.expr(e);
}

/// The same for a condition.
pub(super) fn unknowns_of_cond(c: &Cond, found: &mut BTreeSet<usize>) {
    Leaves { found, unknowns: true, seen: BTreeSet::new() }.cond(c);
}

struct Leaves<'a> {
    found: &'a mut BTreeSet<usize>,
    /// Whether unknown values are looked for, or variables.
    unknowns: bool,
    seen: BTreeSet<*const ()>,
}

impl Leaves<'_> {
    fn leaf(&mut self, number: usize, is_unknown: bool) {
        if is_unknown == self.unknowns {
            self.found.insert(number);
        }
    }
    fn shared(&mut self, e: &Arc<Expr>) {
        if self.seen.insert(Arc::as_ptr(e).cast()) {
            self.expr(e);
        }
    }
    fn shared_cond(&mut self, c: &Arc<Cond>) {
        if self.seen.insert(Arc::as_ptr(c).cast()) {
            self.cond(c);
        }
    }
    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Var(v) => self.leaf(*v, false),
            Expr::Unknown(u) => self.leaf(*u, true),
            Expr::Const(..) => {}
            Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => self.shared(arg),
            Expr::Load { address, .. } => self.shared(address),
            Expr::Binary { left, right, .. } => {
                self.shared(left);
                self.shared(right);
            }
            Expr::Ite(c, a, b) => {
                self.shared_cond(c);
                self.shared(a);
                self.shared(b);
            }
            Expr::Join(parts) => parts.iter().for_each(|p| self.expr(p)),
            Expr::Promised { kept, value } => {
                self.shared_cond(kept);
                self.shared(value);
            }
            Expr::Float { args, .. } => args.iter().for_each(|a| self.shared(a)),
        }
    }
    fn cond(&mut self, c: &Cond) {
        match c {
            Cond::Const(_) => {}
            Cond::Cmp { left, right, .. } => {
                self.shared(left);
                self.shared(right);
            }
            Cond::Float { args, .. } => args.iter().for_each(|a| self.shared(a)),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.shared_cond(a);
                self.shared_cond(b);
            }
            Cond::Not(a) => self.shared_cond(a),
        }
    }
}

/// What the steps of a block do to variables and places. `fresh` makes a value that nobody knows.
///
/// There are two sets of values. Those of the caller are in whatever terms he likes. The names are in terms of the variables and places at the beginning of the
/// block, and say which place an address is.
pub(super) struct Walk<'a, F: FnMut(IntType, Lost) -> Expr> {
    site: Site<'a>,
    places: &'a Places,
    names: Names,
    fresh: F,
}

impl<'a, F: FnMut(IntType, Lost) -> Expr> Walk<'a, F> {
    /// At the beginning of a block.
    pub(super) fn new(site: Site<'a>, places: &'a Places, fresh: F) -> Self {
        Self { site, places, names: Names::default(), fresh }
    }

    /// Does a step. Gives the condition without which the behaviour is undefined.
    pub(super) fn step(&mut self, env: &mut Env, step: &Step) -> Option<Cond> {
        let function = self.site.function();
        let done = self.names.step(self.site, self.places, step);
        let mut required = None;
        match step {
            Step::Assign { var, value } => {
                let value = now(env, value);
                env.insert(*var, value);
            }
            Step::Fresh { var } => {
                let value = (self.fresh)(function.vars[*var].ty, Lost::Anyhow);
                env.insert(*var, value);
            }
            Step::Require(c) => required = Some(now_cond(env, c)),
            Step::Load { var, .. } => {
                let ty = function.vars[*var].ty;
                let value = match done.read {
                    Some(p) => self.convert(now(env, &Expr::Var(p)), self.places.list[p - self.places.first].ty, ty),
                    None => (self.fresh)(ty, Lost::Anyhow),
                };
                env.insert(*var, value);
            }
            Step::Store { at, value } => {
                if let Some(p) = done.written {
                    let ty = self.places.list[p - self.places.first].ty;
                    let value = match value.as_ref().zip(at.ty) {
                        Some((v, from)) => self.convert(now(env, v), from, ty),
                        None => (self.fresh)(ty, Lost::Anyhow),
                    };
                    env.insert(p, value);
                }
            }
            Step::Call(call) => {
                if let Some(var) = call.result {
                    let is_outside = |t: &Target| matches!(t, Target::Assumed(_) | Target::Waits(_) | Target::AtExit);
                    let lost = if call.targets.iter().all(is_outside) { Lost::Outside } else { Lost::Anyhow };
                    let value = (self.fresh)(function.vars[var].ty, lost);
                    env.insert(var, value);
                }
            }
        }
        for (place, lost) in done.forgotten {
            let ty = self.places.list[place - self.places.first].ty;
            let value = (self.fresh)(ty, lost);
            // What nobody wrote may have been beyond its type before.
            let value = match lost {
                Lost::Anyhow => value,
                Lost::Outside => {
                    let flag = IntType::unsigned(1);
                    let is_written =
                        Cond::cmp(CmpOp::Eq, flag, (self.fresh)(flag, Lost::Anyhow), Expr::constant(1, flag));
                    Expr::Ite(Arc::new(is_written), Arc::new(value), Arc::new(now(env, &Expr::Var(place))))
                }
            };
            env.insert(place, value);
        }
        required
    }

    /// A value as one of another type. An address is the number that its bits are without a sign.
    fn convert(&self, value: Expr, from: IntType, to: IntType) -> Expr {
        let address = self.site.functions.address;
        if from != to && (from == address || to == address) {
            let bits = IntType::unsigned(address.width - 1);
            return convert(convert(value, from, bits), bits, to);
        }
        convert(value, from, to)
    }
}

/// A value as one of another type.
fn convert(value: Expr, from: IntType, to: IntType) -> Expr {
    if from == to { value } else { Expr::cast(from, to, value) }
}
