//! Lowered programs have guards that are total and disjoint by construction, and that can be seen without a solver.

use lariat_check::System;
use lariat_ir::neutral::{
    BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Mem, MemInit, MemUpdate, Overflow, Program, Target,
    Unknown, lower,
};
use lariat_ir::{Term, Terms, UnknownKind};
use lariat_smt::{Answer, DirectSolver, Limit, Solver};
use std::sync::Arc;
use std::time::Instant;

/// A solver that nobody should need.
struct Unasked;

impl DirectSolver for Unasked {}

impl Solver for Unasked {
    fn push(&mut self) {}
    fn pop(&mut self) {}
    fn assert(&mut self, _: &Terms, _: Term) {}
    fn check(&mut self, _: &Terms, _: Limit) -> Answer {
        panic!("the guards of a lowered program were given to a solver");
    }
    fn is_empty(&self) -> bool {
        true
    }
    fn name(&self) -> &'static str {
        "unasked"
    }
}

const TYPES: [IntType; 4] = [IntType::signed(32), IntType::unsigned(32), IntType::signed(64), IntType::unsigned(8)];
const VARS: usize = 60;

struct Generator(u64);

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % n as u64).expect("small")
    }

    fn var(&mut self, ty: usize) -> Expr {
        Expr::Var(4 * self.below(VARS / 4) + ty)
    }

    /// Sums and loads, now and then a quotient.
    fn expr(&mut self, ty: usize, depth: u32) -> Expr {
        let of = TYPES[ty];
        if depth == 0 {
            return match self.below(5) {
                0 => Expr::constant(self.below(9), of),
                1 if ty == 0 => Expr::Unknown(0),
                2 if ty == 0 => Expr::load(self.below(2), self.var(2)),
                _ => self.var(ty),
            };
        }
        let op = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::And, BinaryOp::Div][self.below(20) % 5];
        let overflow = if of.signed { Overflow::Undefined } else { Overflow::Wraps };
        let left = self.expr(ty, depth - 1);
        let masks = op == BinaryOp::And;
        let right =
            if masks || self.below(2) == 0 { Expr::constant(1 + self.below(7), of) } else { self.expr(ty, depth - 1) };
        Expr::binary(op, of, overflow, left, right)
    }

    fn cond(&mut self) -> Cond {
        let ty = self.below(4);
        let op = [CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge, CmpOp::Eq, CmpOp::Ne][self.below(6)];
        let depth = u32::from(self.below(3) == 0);
        let cond = Cond::cmp(op, TYPES[ty], self.expr(ty, depth), self.expr(ty, 0));
        if self.below(8) == 0 { Cond::or(cond, self.cond()) } else { cond }
    }

    /// The paths to the leaves of a tree of decisions.
    fn tree(&mut self, leaves: usize, path: Option<&Arc<Cond>>, found: &mut Vec<Cond>) {
        if leaves == 1 {
            found.push(path.map_or(Cond::Const(true), |p| (**p).clone()));
            return;
        }
        let here = Arc::new(self.cond());
        let not = Arc::new(Cond::Not(here.clone()));
        let left = 1 + self.below(leaves - 1);
        for (side, leaves) in [(here, left), (not, leaves - left)] {
            let longer = path.map_or_else(|| side.clone(), |p| Arc::new(Cond::and(p.clone(), side.clone())));
            self.tree(leaves, Some(&longer), found);
        }
    }

    fn location(&mut self, n: usize, count: usize, leaves: usize) -> Location {
        let mut conds = Vec::new();
        if self.below(5) == 0 {
            // A `switch`.
            let x = Arc::new(self.var(0));
            let constant = |k: usize| Expr::constant(k, TYPES[0]);
            conds.extend((0..leaves).map(|k| Cond::cmp(CmpOp::Eq, TYPES[0], x.clone(), constant(k))));
        } else {
            self.tree(leaves, None, &mut conds);
        }
        let last = conds.len() - 1;
        let cases = conds.into_iter().enumerate().map(|(k, cond)| {
            let assigns = (0..3)
                .map(|j| {
                    let v = (4 * n + 20 * j + k) % VARS;
                    (v, self.expr(v % 4, 2))
                })
                .collect();
            let near = (n + self.below(12)).saturating_sub(5);
            let target = if near < count { Goto::Loc(near) } else { Goto::Exit };
            let mut case = Case::new((k < last).then_some(cond), assigns, target);
            let (address, value) = (self.expr(2, 1), self.expr(0, 1));
            case.stores.push(MemUpdate::Store { mem: self.below(2), address, value });
            case
        });
        Location::new(format!("l{n}"), cases.collect())
    }

    fn program(&mut self, count: usize, most_leaves: usize) -> Program {
        let mem = |name: &str, init: MemInit| Mem { name: name.to_owned(), cell: TYPES[0], init };
        Program {
            vars: (0..VARS).map(|v| (format!("x{v}"), TYPES[v % 4])).collect(),
            unknowns: vec![Unknown::new("u", TYPES[0], UnknownKind::Input)],
            locs: (0..count)
                .map(|n| {
                    let leaves = 1 + self.below(most_leaves);
                    self.location(n, count, leaves)
                })
                .collect(),
            mems: vec![mem("m", MemInit::Any), mem("g", MemInit::Cells { default: 0.into(), cells: Vec::new() })],
            ..Program::new("lowered")
        }
    }
}

#[test]
fn guards_of_lowered_programs_need_no_solver() {
    for (count, leaves) in [(40, 12), (1500, 4), (60, 40)] {
        let p = Generator(count as u64).program(count, leaves);
        for target in Target::ALL {
            let start = Instant::now();
            let ts = lower(&p, target);
            let lowered = start.elapsed();
            let start = Instant::now();
            let system = System::verify(&ts, &mut Unasked, Limit::default()).expect("a lowered program is a system");
            let verified = start.elapsed();
            let (locs, edges, loops) = (ts.locs.len(), ts.edges.len(), system.forest().loops.len());
            println!(
                "{target:?}: {locs} locations, {edges} edges, {loops} loops: {lowered:?}, verified in {verified:?}"
            );
        }
    }
}

/// What is not total is not accepted, however large the rest is.
#[test]
#[should_panic(expected = "given to a solver")]
fn a_missing_edge_is_noticed() {
    let p = Generator(7).program(40, 12);
    let mut ts = lower(&p, Target::Wrap);
    let edge = ts.edges.ids().find(|e| ts.locs[ts.edges[*e].from].out.len() > 4).expect("a location with many edges");
    let guard = ts.edges[edge].guard;
    ts.edges[edge].guard = ts.terms.and(guard, ts.terms.ff());
    let _ = System::verify(&ts, &mut Unasked, Limit::default());
}
