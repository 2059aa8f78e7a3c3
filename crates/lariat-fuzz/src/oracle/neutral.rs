//! Random neutral programs, lowered to every integer semantics.
//!
//! Beside what is asked of every random system, the four systems of one program must agree with what
//! `neutral` promises: see [`disagreement`].

use super::truth::Verdict;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{
    BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Mem, MemInit, MemUnknown, MemUpdate, Overflow, Program,
    Target, UnaryOp, Unknown,
};
use lariat_ir::random::Random;

/// The neutral program of a seed.
pub fn random_program(seed: u64) -> Program {
    let mut rng = Random::new(seed);
    let mut g = Generator { vars: Vec::new(), unknowns: Vec::new(), mem: None, rng: &mut rng };
    g.program(format!("neutral-{seed:x}"))
}

/// What the truths of one program's systems contradict, in the order of [`Target::ALL`]:
/// - `CTerminates` asks the same question of the same runs as `Ideal`;
/// - a run that `CDiverges` forces is one of machine integers, so `Wrap` has it, and nothing in it depends on an
///   overflow, so it exists over Z as well.
pub fn disagreement(truths: [Verdict; 4]) -> Option<String> {
    let [wrap, ideal, c_terminates, c_diverges] = truths;
    if ideal != c_terminates {
        return Some(format!("over Z the program {} and for C it {}", ideal.name(), c_terminates.name()));
    }
    if c_diverges == Verdict::Diverges {
        if matches!(wrap, Verdict::Terminates | Verdict::Neither) {
            return Some(format!("C lets a run be forced that machine integers do not have: `wrap` {}", wrap.name()));
        }
        if ideal == Verdict::Terminates {
            return Some("C lets a run be forced that ends over Z".into());
        }
    }
    None
}

/// The targets in the order that [`disagreement`] takes.
pub const TARGETS: [Target; 4] = Target::ALL;

struct Generator<'r> {
    rng: &'r mut Random,
    vars: Vec<IntType>,
    unknowns: Vec<IntType>,
    /// The type of the cells of the memory, if there is one.
    mem: Option<IntType>,
}

/// Two cells: memories are as small as they can be.
const ADDRESS: IntType = IntType::unsigned(1);

impl Generator<'_> {
    fn ty(&mut self, most: usize) -> IntType {
        let width = 2 + u32::try_from(self.rng.below(most - 1)).expect("small");
        IntType { width, signed: self.rng.percent(60) }
    }

    fn program(&mut self, name: String) -> Program {
        let shared = self.ty(4);
        for _ in 0..=self.rng.below(2) {
            let own = if self.rng.percent(70) { shared } else { self.ty(3) };
            self.vars.push(own);
        }
        let mut unknowns = Vec::new();
        if self.rng.percent(50) {
            for n in 0..=self.rng.below(2) {
                let ty = self.ty(2);
                let kind = *self.rng.pick(&[UnknownKind::Input, UnknownKind::Environment]);
                self.unknowns.push(ty);
                let mut unknown = Unknown::new(format!("u{n}"), ty, kind);
                if self.rng.percent(20) {
                    let (low, high) = bounds(ty);
                    let (a, b) = (self.rng.between(low, high), self.rng.between(low, high));
                    unknown.range = Some((a.min(b).into(), a.max(b).into()));
                }
                unknowns.push(unknown);
            }
        }
        let (mut mems, mut mem_unknowns) = (Vec::new(), Vec::new());
        if self.rng.percent(15) {
            let cell = self.ty(2);
            self.mem = Some(cell);
            let (low, high) = bounds(cell);
            let init = if self.rng.percent(40) {
                MemInit::Any
            } else {
                MemInit::Cells { default: self.rng.between(low, high).into(), cells: Vec::new() }
            };
            mems.push(Mem { name: "m".to_owned(), cell, init });
            let kind = *self.rng.pick(&[UnknownKind::Input, UnknownKind::Environment, UnknownKind::Abstraction]);
            mem_unknowns.push(MemUnknown { name: "content".to_owned(), cell, kind });
        }
        let count = 2 + self.rng.below(3);
        let locs = (0..count).map(|n| self.location(n, count)).collect();
        let init = (0..self.vars.len())
            .filter_map(|v| {
                let (lo, hi) = bounds(self.vars[v]);
                self.rng.percent(50).then(|| (v, Some(self.rng.between(lo, hi).into())))
            })
            .collect();
        let vars = self.vars.iter().enumerate().map(|(n, ty)| (["x", "y", "z"][n].to_owned(), *ty)).collect();
        Program { name, vars, unknowns, locs, init, mems, mem_unknowns, address: ADDRESS, ..Program::default() }
    }

    fn location(&mut self, n: usize, count: usize) -> Location {
        let arms = self.rng.below(3);
        let mut cases: Vec<Case> = (0..arms)
            .map(|_| {
                let cond = self.cond(1);
                self.case(Some(cond), n, count)
            })
            .collect();
        cases.push(self.case(None, n, count));
        Location::new(format!("n{n}"), cases)
    }

    fn case(&mut self, cond: Option<Cond>, n: usize, count: usize) -> Case {
        let mut assigns: Vec<(usize, Expr)> = Vec::new();
        for _ in 0..self.rng.below(3) {
            let v = self.rng.below(self.vars.len());
            if assigns.iter().all(|(w, _)| *w != v) {
                let value = self.step(v);
                assigns.push((v, value));
            }
        }
        let target = match self.rng.below(10) {
            0 | 1 => Goto::Exit,
            2 => *self.rng.pick(&[Goto::Stop, Goto::Trap, Goto::Ub, Goto::Exit]),
            3..=5 => Goto::Loc((n + 1) % count),
            _ => Goto::Loc(self.rng.below(count)),
        };
        let mut case = Case::new(cond, assigns, target);
        if let Some(cell) = self.mem.filter(|_| self.rng.percent(40)) {
            case.stores.push(if self.rng.percent(15) {
                MemUpdate::Forget { mem: 0, unknown: 0 }
            } else {
                MemUpdate::Store { mem: 0, address: self.leaf(ADDRESS), value: self.expr(cell, 1) }
            });
        }
        case
    }

    /// Counting, mostly.
    fn step(&mut self, v: usize) -> Expr {
        let ty = self.vars[v];
        if self.rng.percent(50) {
            let op = *self.rng.pick(&[BinaryOp::Add, BinaryOp::Sub]);
            let overflow = self.overflow(ty);
            return Expr::binary(op, ty, overflow, Expr::Var(v), Expr::constant(1, ty));
        }
        self.expr(ty, 2)
    }

    fn overflow(&mut self, ty: IntType) -> Overflow {
        if ty.signed && self.rng.percent(75) { Overflow::Undefined } else { Overflow::Wraps }
    }

    fn constant(&mut self, ty: IntType) -> Expr {
        let (lo, hi) = bounds(ty);
        let near = self.rng.percent(60);
        Expr::constant(if near { self.rng.between(0, 1.min(hi)) } else { self.rng.between(lo, hi) }, ty)
    }

    fn leaf(&mut self, ty: IntType) -> Expr {
        let convert = |from: IntType, e: Expr| if from == ty { e } else { Expr::cast(from, ty, e) };
        if !self.unknowns.is_empty() && self.rng.percent(25) {
            let u = self.rng.below(self.unknowns.len());
            return convert(self.unknowns[u], Expr::Unknown(u));
        }
        if self.rng.percent(35) {
            return self.constant(ty);
        }
        if let Some(cell) = self.mem.filter(|_| self.rng.percent(30)) {
            return convert(cell, Expr::load(0, self.leaf(ADDRESS)));
        }
        let v = self.rng.below(self.vars.len());
        convert(self.vars[v], Expr::Var(v))
    }

    fn expr(&mut self, ty: IntType, depth: u32) -> Expr {
        use BinaryOp::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
        if depth == 0 || self.rng.percent(35) {
            return self.leaf(ty);
        }
        match self.rng.below(8) {
            0 => {
                let op = *self.rng.pick(&[UnaryOp::Neg, UnaryOp::Not]);
                let overflow = self.overflow(ty);
                Expr::unary(op, ty, overflow, self.expr(ty, depth - 1))
            }
            1 => {
                let (c, a) = (self.cond(0), self.expr(ty, depth - 1));
                Expr::ite(c, a, self.expr(ty, depth - 1))
            }
            _ => {
                let op = *self.rng.pick(&[Add, Add, Add, Sub, Sub, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr]);
                let overflow = self.overflow(ty);
                let left = self.expr(ty, depth - 1);
                // A bitwise operation on two values that left their type has no value over Z: a mask is enough.
                let masks = matches!(op, And | Or | Xor) && self.rng.percent(85);
                let right = if masks { self.constant(ty) } else { self.expr(ty, depth - 1) };
                Expr::binary(op, ty, overflow, left, right)
            }
        }
    }

    fn cond(&mut self, depth: u32) -> Cond {
        if depth > 0 && self.rng.percent(20) {
            let (a, b) = (self.cond(0), self.cond(0));
            return match self.rng.below(3) {
                0 => Cond::and(a, b),
                1 => Cond::or(a, b),
                _ => Cond::negation(a),
            };
        }
        let v = self.rng.below(self.vars.len());
        let ty = self.vars[v];
        let op = *self.rng.pick(&[CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge, CmpOp::Eq, CmpOp::Ne]);
        let left = if self.rng.percent(80) { Expr::Var(v) } else { self.expr(ty, 1) };
        let right = if self.rng.percent(50) { self.constant(ty) } else { self.leaf(ty) };
        Cond::cmp(op, ty, left, right)
    }
}

fn bounds(ty: IntType) -> (i64, i64) {
    if ty.signed { (-(1 << (ty.width - 1)), (1 << (ty.width - 1)) - 1) } else { (0, (1 << ty.width) - 1) }
}

#[cfg(test)]
mod tests {
    use super::super::truth::Truth;
    use super::*;
    use lariat_ir::neutral::lower;
    use std::collections::BTreeMap;

    #[test]
    fn the_four_systems_of_a_program_agree() {
        let mut count: BTreeMap<(usize, Verdict), u32> = BTreeMap::new();
        for seed in 0..250 {
            let program = random_program(seed);
            assert_eq!(program.defects(), Vec::<String>::new(), "seed {seed}");
            let truths = TARGETS.map(|target| {
                let ts = lower(&program, target);
                match Truth::of(&ts, 4000) {
                    Ok(t) => t.program_verdict(),
                    Err(super::super::truth::NoTruth::TooLarge) => Verdict::Unscored,
                    Err(e) => panic!("seed {seed}, {target:?}: {e:?}\n{}", lariat_ir::lts::print(&ts)),
                }
            });
            for (n, v) in truths.into_iter().enumerate() {
                *count.entry((n, v)).or_default() += 1;
            }
            let text = || TARGETS.map(|t| lariat_ir::lts::print(&lower(&program, t))).join("\n");
            if let Some(why) = disagreement(truths) {
                panic!("seed {seed}: {why}\n{}", text());
            }
        }
        for n in 0..4 {
            let of = |v| count.get(&(n, v)).copied().unwrap_or(0);
            assert!(
                of(Verdict::Terminates) > 50 && of(Verdict::Diverges) > 20 && of(Verdict::Unscored) < 80,
                "{count:?}"
            );
        }
    }
}
