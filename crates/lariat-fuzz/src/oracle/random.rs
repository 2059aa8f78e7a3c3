//! Random small systems.
//!
//! Two families, half of each: *graphs*, whose edges lead anywhere, so that nested and irreducible loops, unreachable
//! parts and accidental orbits appear; and *programs*, made of `while`, `if`, `break`, assumes, traps and undefined
//! divisions, so that there is something to prove. Guards are total and disjoint by construction.

mod program;

use lariat_ir::random::Random;
use lariat_ir::{
    Id, Integers, LocId, LoopCopy, LoopKey, Mode, Obligation, Op, Proves, Scalar, Sort, SourceId, SourceKind,
    SourceLoop, Term, TransitionSystem, UnknownId, UnknownKind, VarId,
};

/// What the systems of a campaign look like.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Percentage of systems over mathematical integers. Default is 30.
    pub ideal: u32,
    /// Percentage of structured programs. Default is 55.
    pub programs: u32,
    /// The most bits of state of a system over bit-vectors. Default is 12.
    pub max_bits: u32,
    /// Percentage of systems with unknown values. Default is 70.
    pub unknowns: u32,
    /// Percentage of bit-vector systems with a small array. Default is 5.
    pub arrays: u32,
}

impl Default for Shape {
    fn default() -> Self {
        Self { ideal: 30, programs: 55, max_bits: 12, unknowns: 70, arrays: 5 }
    }
}

/// The system of a seed.
pub fn random_system(seed: u64, shape: &Shape) -> TransitionSystem {
    let mut rng = Random::new(seed);
    let ideal = rng.percent(shape.ideal);
    let integers = match (ideal, rng.below(20)) {
        (_, 0) => Integers::C,
        (true, _) => Integers::Ideal,
        (false, _) => Integers::Wrap,
    };
    let mut ts = TransitionSystem::new(&format!("random-{seed:x}"), integers);
    if integers == Integers::C || rng.percent(2) {
        ts.proves = if rng.percent(50) { Proves::Terminates } else { Proves::Diverges };
    }
    if rng.percent(10) {
        ts.mode = Mode::Function;
    }
    if rng.percent(2) {
        ts.obligations.push(Obligation { text: "recursion through `visit`".into(), span: None });
    }
    let mut g = Generator { rng, ts, ideal, locs_left: 7, modulus: Vec::new() };
    g.declare(shape);
    if g.rng.percent(shape.programs) {
        g.program();
    } else {
        g.graph();
    }
    g.sources();
    debug_assert_eq!(g.ts.defects(), Vec::new(), "a random system is a system");
    g.ts
}

struct Generator {
    rng: Random,
    ts: TransitionSystem,
    ideal: bool,
    locs_left: usize,
    /// For an integer variable that stands for an unsigned one: 2 to the power of its width.
    modulus: Vec<Option<i64>>,
}

impl Generator {
    /// Says of some systems which loops of a source their locations lie in: any nesting will do.
    fn sources(&mut self) {
        if !self.rng.percent(40) {
            return;
        }
        let count = 1 + self.rng.below(4);
        for n in 0..count {
            let kind = *self.rng.pick(&[SourceKind::Loop, SourceKind::Recursion]);
            let ordinal = u32::try_from(n).expect("small");
            let key = LoopKey { span: None, function: "f".to_owned(), kind, ordinal };
            let instance = u32::try_from(self.rng.below(3)).expect("small");
            let parent = (n > 0 && self.rng.percent(60)).then(|| SourceId::from_index(self.rng.below(n)));
            self.ts.sources.push(SourceLoop { copy: LoopCopy { key, instance }, parent });
        }
        for l in self.ts.locs.ids().filter(|l| !l.is_sink()) {
            self.ts.locs[l].within = self.rng.percent(80).then(|| SourceId::from_index(self.rng.below(count)));
            self.ts.locs[l].artificial = self.rng.percent(5);
        }
    }

    fn declare(&mut self, shape: &Shape) {
        let names = ["x", "y", "z"];
        if self.ideal {
            for name in &names[..=self.rng.below(3)] {
                self.ts.add_var(name, Sort::Int);
                let unsigned = self.rng.percent(25);
                let width = self.rng.between(2, 4);
                self.modulus.push(unsigned.then_some(1 << width));
            }
        } else {
            let budget = match self.rng.below(10) {
                0..=6 => 8,
                7..=8 => 10,
                _ => 12,
            }
            .min(shape.max_bits);
            let mut used = 0;
            let width = 3 + u32::try_from(self.rng.below(4)).expect("small");
            if self.rng.percent(shape.arrays) && budget >= 8 {
                self.ts.add_var("m", Sort::Array(Scalar::BitVec(2), Scalar::BitVec(2)));
                self.modulus.push(None);
                used += 8;
            }
            for name in &names[..=self.rng.below(3)] {
                let own =
                    if self.rng.percent(75) { width } else { 2 + u32::try_from(self.rng.below(4)).expect("small") };
                let own = own.min(budget.saturating_sub(used));
                if own >= 2 {
                    self.ts.add_var(name, Sort::BitVec(own));
                    self.modulus.push(None);
                    used += own;
                }
            }
            if self.ts.vars.iter().all(|v| v.sort.width().is_none()) {
                self.ts.add_var("x", Sort::BitVec(3));
                self.modulus.push(None);
            }
        }
        if self.rng.percent(15) {
            self.ts.add_var("b", Sort::Bool);
            self.modulus.push(None);
        }
        if self.rng.percent(shape.unknowns) {
            // A single input hides what the environment alone would do, so often there is none.
            let kinds = match self.rng.below(5) {
                0 => &[UnknownKind::Input][..],
                1 | 2 => &[UnknownKind::Environment, UnknownKind::Abstraction],
                _ => &[UnknownKind::Input, UnknownKind::Environment, UnknownKind::Abstraction],
            };
            for name in &["i", "j", "k"][..1 + self.rng.below(2) + usize::from(self.rng.percent(15))] {
                let kind = *self.rng.pick(kinds);
                if self.rng.percent(10) {
                    self.ts.add_unknown(name, Sort::Bool, kind, None);
                } else if self.ideal {
                    let lo = self.rng.between(-2, 1);
                    let hi = lo + self.rng.between(0, 3);
                    self.ts.add_unknown(name, Sort::Int, kind, Some((lo.into(), hi.into())));
                } else {
                    let widest = if self.rng.percent(20) { 3 } else { 2 };
                    let width = 1 + u32::try_from(self.rng.below(widest)).expect("small");
                    self.ts.add_unknown(name, Sort::BitVec(width), kind, None);
                }
            }
        }
        self.initial_states();
    }

    fn initial_states(&mut self) {
        let mut conjuncts = Vec::new();
        let vars: Vec<VarId> = self.ts.vars.ids().collect();
        for v in vars {
            let (sort, x) = (self.ts.vars[v].sort, self.ts.vars[v].term);
            let t = &self.ts.terms;
            match sort {
                Sort::Int => {
                    let (least, span) = match self.modulus[v.index()] {
                        Some(m) => (0, m - 1),
                        None => (self.rng.between(-3, 2), 8),
                    };
                    let lo = least + self.rng.between(0, 2.min(span));
                    if self.rng.percent(40) {
                        conjuncts.push(t.eq(x, t.int(lo)));
                    } else {
                        let hi = lo + self.rng.between(0, (span - (lo - least)).max(0));
                        conjuncts.push(t.apply(Op::IntLe, &[t.int(lo), x]));
                        conjuncts.push(t.apply(Op::IntLe, &[x, t.int(hi)]));
                    }
                }
                Sort::BitVec(w) => match self.rng.below(5) {
                    0 | 1 => {
                        let c = t.bv(w, self.rng.next().into());
                        conjuncts.push(if self.rng.percent(50) { t.eq(x, c) } else { t.eq(c, x) });
                    }
                    2 => {
                        let op = *self.rng.pick(&[Op::BvUle, Op::BvSle, Op::BvUlt]);
                        conjuncts.push(t.apply(op, &[x, t.bv(w, self.rng.next().into())]));
                    }
                    _ => {}
                },
                Sort::Bool => match self.rng.below(3) {
                    0 => conjuncts.push(x),
                    1 => conjuncts.push(t.not(x)),
                    _ => {}
                },
                Sort::Array(..) => {}
            }
        }
        self.ts.init = self.ts.terms.all(conjuncts);
    }

    // ---- terms ----

    fn var_of(&mut self, wanted: impl Fn(Sort) -> bool) -> Option<VarId> {
        let all: Vec<VarId> = self.ts.vars.entries().filter(|(_, v)| wanted(v.sort)).map(|(id, _)| id).collect();
        if all.is_empty() { None } else { Some(*self.rng.pick(&all)) }
    }

    fn number_var(&mut self) -> VarId {
        self.var_of(|s| s == Sort::Int || s.width().is_some()).expect("every random system has a number")
    }

    fn constant(&mut self, sort: Sort) -> Term {
        let t = &self.ts.terms;
        match sort {
            Sort::Int => t.int(self.rng.between(-3, 8)),
            Sort::BitVec(w) => {
                let n = if self.rng.percent(60) { self.rng.next() % 4 } else { self.rng.next() };
                t.bv(w, n.into())
            }
            Sort::Bool => t.bool(self.rng.percent(50)),
            Sort::Array(i, e) => {
                let element = self.constant(e.into());
                self.ts.terms.apply(Op::Fill(i), &[element])
            }
        }
    }

    /// A bit-vector brought to a width.
    fn resized(&mut self, x: Term, width: u32) -> Term {
        let t = &self.ts.terms;
        let own = t.sort(x).width().expect("a bit-vector");
        match own.cmp(&width) {
            std::cmp::Ordering::Equal => x,
            std::cmp::Ordering::Greater => t.apply(Op::Extract { hi: width - 1, lo: 0 }, &[x]),
            std::cmp::Ordering::Less => {
                let by = width - own;
                t.apply(if self.rng.percent(70) { Op::ZeroExtend(by) } else { Op::SignExtend(by) }, &[x])
            }
        }
    }

    /// A variable, a constant, an unknown if allowed, or an array's cell, of this sort.
    fn atom(&mut self, sort: Sort, unknowns: bool) -> Term {
        if unknowns && self.rng.percent(45) {
            let fitting: Vec<UnknownId> = self
                .ts
                .unknowns
                .entries()
                .filter(|(_, u)| u.sort == sort || u.sort.width().is_some() && sort.width().is_some())
                .map(|(id, _)| id)
                .collect();
            if !fitting.is_empty() {
                let u = self.ts.unknowns[*self.rng.pick(&fitting)].term;
                return match sort {
                    Sort::BitVec(w) => self.resized(u, w),
                    _ => u,
                };
            }
        }
        if self.rng.percent(35) {
            return self.constant(sort);
        }
        if let Sort::BitVec(w) = sort {
            if self.rng.percent(20)
                && let Some(m) = self.var_of(|s| matches!(s, Sort::Array(..)))
            {
                let index = self.atom(Sort::BitVec(2), false);
                let cell = self.ts.terms.apply(Op::Select, &[self.ts.vars[m].term, index]);
                return self.resized(cell, w);
            }
            let v = self.number_var();
            let x = self.ts.vars[v].term;
            return self.resized(x, w);
        }
        match self.var_of(|s| s == sort) {
            Some(v) => self.ts.vars[v].term,
            None => self.constant(sort),
        }
    }

    /// A truth value over the variables.
    fn guard(&mut self, depth: u32) -> Term {
        if depth > 0 && self.rng.percent(20) {
            let (a, b) = (self.guard(depth - 1), self.guard(depth - 1));
            let t = &self.ts.terms;
            return match self.rng.below(3) {
                0 => t.and(a, b),
                1 => t.or(a, b),
                _ => t.and(a, t.not(b)),
            };
        }
        if self.rng.percent(15)
            && let Some(b) = self.var_of(|s| s == Sort::Bool)
        {
            return self.ts.vars[b].term;
        }
        let v = self.number_var();
        let (sort, x) = (self.ts.vars[v].sort, self.ts.vars[v].term);
        let y = self.atom(sort, false);
        let t = &self.ts.terms;
        let (less, less_equal) = match sort {
            Sort::Int => (Op::IntLt, Op::IntLe),
            _ if self.rng.percent(60) => (Op::BvUlt, Op::BvUle),
            _ => (Op::BvSlt, Op::BvSle),
        };
        match self.rng.below(8) {
            0 | 1 => t.apply(less, &[x, y]),
            2 | 3 => t.apply(less, &[y, x]),
            4 => t.apply(less_equal, &[x, y]),
            5 => t.eq(x, y),
            6 => t.not(t.eq(x, y)),
            _ => match sort {
                Sort::BitVec(w) => t.eq(t.apply(Op::BvAnd, &[x, t.bv(w, 1)]), t.bv(w, 0)),
                _ => t.eq(t.apply(Op::IntMod, &[x, t.int(2)]), t.int(0)),
            },
        }
    }

    /// A new value for a variable.
    fn value_for(&mut self, v: VarId, depth: u32) -> Term {
        let (sort, x) = (self.ts.vars[v].sort, self.ts.vars[v].term);
        if depth > 0 && self.rng.percent(8) {
            let (c, a, b) = (self.guard(0), self.value_for(v, 0), self.value_for(v, 0));
            return self.ts.terms.ite(c, a, b);
        }
        let y = self.atom(sort, true);
        let t = &self.ts.terms;
        let term = match sort {
            Sort::Bool => match self.rng.below(4) {
                0 => t.not(x),
                1 => self.guard(0),
                _ => y,
            },
            Sort::Array(i, e) => {
                let (at, element) = (self.atom(i.into(), true), self.atom(e.into(), true));
                let t = &self.ts.terms;
                if self.rng.percent(85) {
                    t.apply(Op::Store, &[x, at, element])
                } else {
                    t.apply(Op::Fill(i), &[element])
                }
            }
            Sort::Int => match self.rng.below(12) {
                0 | 1 => t.apply(Op::IntAdd, &[x, t.int(self.rng.between(1, 2))]),
                2 | 3 => t.apply(Op::IntSub, &[x, t.int(self.rng.between(1, 2))]),
                4 => t.apply(Op::IntAdd, &[x, y]),
                5 => t.apply(Op::IntSub, &[x, y]),
                6 => t.apply(Op::IntMul, &[t.int(2), x]),
                7 => t.apply(Op::IntNeg, &[x]),
                8 => t.apply(Op::IntDiv, &[x, t.int(2)]),
                9 => t.apply(Op::IntMod, &[x, t.int(self.rng.between(2, 6))]),
                10 => {
                    let bits = |a: Term| t.apply(Op::IntToBv(4), &[a]);
                    let both = t.apply(*self.rng.pick(&[Op::BvAnd, Op::BvOr, Op::BvXor]), &[bits(x), bits(y)]);
                    t.apply(*self.rng.pick(&[Op::UbvToInt, Op::SbvToInt]), &[both])
                }
                _ => y,
            },
            Sort::BitVec(w) => match self.rng.below(18) {
                0 | 1 => t.apply(Op::BvAdd, &[x, t.bv(w, (1 + self.rng.next() % 2).into())]),
                2 | 3 => t.apply(Op::BvSub, &[x, t.bv(w, (1 + self.rng.next() % 2).into())]),
                4 => t.apply(Op::BvAdd, &[x, y]),
                5 => t.apply(Op::BvSub, &[x, y]),
                6 => t.apply(Op::BvMul, &[x, y]),
                7 => t.apply(Op::BvNeg, &[x]),
                8 => t.apply(Op::BvNot, &[x]),
                9 => t.apply(*self.rng.pick(&[Op::BvLshr, Op::BvAshr, Op::BvShl]), &[x, t.bv(w, 1)]),
                10 => t.apply(*self.rng.pick(&[Op::BvLshr, Op::BvAshr, Op::BvShl]), &[x, y]),
                11 => t.apply(*self.rng.pick(&[Op::BvAnd, Op::BvOr, Op::BvXor]), &[x, y]),
                12 => t.apply(Op::BvUrem, &[x, t.bv(w, (2 + self.rng.next() % 2).into())]),
                13 => {
                    let (hi, low) = (
                        t.apply(Op::Extract { hi: w - 2, lo: 0 }, &[x]),
                        t.apply(Op::Extract { hi: w - 1, lo: w - 1 }, &[x]),
                    );
                    t.apply(Op::Concat, &[hi, low])
                }
                _ => y,
            },
        };
        match self.modulus[v.index()] {
            Some(m) => self.ts.terms.apply(Op::IntMod, &[term, self.ts.terms.int(m)]),
            None => term,
        }
    }

    fn updates(&mut self, most: usize) -> Vec<(VarId, Term)> {
        let mut out: Vec<(VarId, Term)> = Vec::new();
        for _ in 0..self.rng.below(most + 1) {
            let all: Vec<VarId> = self.ts.vars.ids().collect();
            let v = *self.rng.pick(&all);
            if out.iter().all(|(w, _)| *w != v) {
                let value = self.value_for(v, 1);
                out.push((v, value));
            }
        }
        out
    }

    // ---- graphs ----

    fn graph(&mut self) {
        let n = 2 + self.rng.below(5);
        let locs: Vec<LocId> = (0..n).map(|i| self.ts.add_loc(&format!("n{i}"))).collect();
        self.ts.entry = locs[0];
        let ends = 5 + u32::try_from(self.rng.below(30)).expect("small");
        for &l in &locs {
            let t = &self.ts.terms;
            let guards = match self.rng.below(10) {
                0 | 1 => vec![t.tt()],
                2..=7 => {
                    let g = self.guard(1);
                    vec![g, self.ts.terms.not(g)]
                }
                _ => {
                    let (g, h) = (self.guard(1), self.guard(0));
                    let t = &self.ts.terms;
                    vec![g, t.and(t.not(g), h), t.and(t.not(g), t.not(h))]
                }
            };
            for guard in guards {
                let to = if self.rng.percent(ends) {
                    *self.rng.pick(&[LocId::EXIT, LocId::EXIT, LocId::STOP, LocId::TRAP, LocId::UB])
                } else {
                    *self.rng.pick(&locs)
                };
                let updates = if to.is_sink() { Vec::new() } else { self.updates(2) };
                self.ts.add_edge(l, to, guard, updates);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::truth::{Truth, Verdict};
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn random_systems_are_systems_of_every_kind() {
        let mut count: BTreeMap<Verdict, u32> = BTreeMap::new();
        for seed in 0..600 {
            let ts = random_system(seed, &Shape::default());
            assert_eq!(ts.defects(), Vec::new(), "seed {seed}");
            let truth =
                Truth::of(&ts, 4000).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{}", lariat_ir::lts::print(&ts)));
            *count.entry(truth.program_verdict()).or_default() += 1;
        }
        assert!(count[&Verdict::Terminates] > 150, "{count:?}");
        assert!(count[&Verdict::Diverges] > 100, "{count:?}");
        assert!(count[&Verdict::Neither] > 10, "{count:?}");
        assert!(count.get(&Verdict::Unscored).copied().unwrap_or(0) < 90, "{count:?}");
    }

    #[test]
    fn one_seed_gives_one_system() {
        for seed in 0..50 {
            let text = |s| lariat_ir::lts::print(&random_system(s, &Shape::default()));
            assert_eq!(text(seed), text(seed));
        }
    }
}
