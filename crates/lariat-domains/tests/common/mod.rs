//! Random small systems, and their states by enumeration.
#![allow(dead_code, reason = "each test file uses its part")]

use dashu_int::IBig;
use lariat_ir::eval::Plan;
use lariat_ir::random::Random;
use lariat_ir::{
    Id, Integers, LocId, Machine, Op, Scalar, Sort, State, Step, Term, TransitionSystem, UnknownId, UnknownKind, Value,
    VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The numbers that an integer takes when states are enumerated.
pub const INTS: std::ops::RangeInclusive<i64> = -7..=7;

/// Makes random terms and systems.
pub struct Maker {
    pub ts: TransitionSystem,
    pub rng: Random,
    pub unknowns: bool,
    /// What some integer constants are multiplied by.
    pub scale: u64,
}

impl Maker {
    /// A system with random variables and nothing else. `ints`: over integers instead of bit-vectors.
    pub fn new(seed: u64, ints: bool) -> Self {
        let mut rng = Random::new(seed.wrapping_mul(0x1234_5677).wrapping_add(99));
        let mut ts = TransitionSystem::new("random", if ints { Integers::Ideal } else { Integers::Wrap });
        if ints {
            for name in &["x", "y", "z"][..2 + rng.below(2)] {
                ts.add_var(name, Sort::Int);
            }
            ts.add_unknown("i", Sort::Int, UnknownKind::Input, Some(((-1).into(), 2.into())));
        } else {
            let width = 3 + u32::try_from(rng.below(2)).expect("small");
            ts.add_var("x", Sort::BitVec(width));
            ts.add_var("y", Sort::BitVec(if rng.percent(80) { width } else { 2 }));
            if rng.percent(50) && width == 3 {
                ts.add_var("z", Sort::BitVec(width));
            }
            if rng.percent(15) {
                ts.add_var("m", Sort::Array(Scalar::Bool, Scalar::BitVec(1)));
            }
            ts.add_unknown("i", Sort::BitVec(2), UnknownKind::Input, None);
        }
        if rng.percent(30) {
            ts.add_var("b", Sort::Bool);
        }
        Self { ts, rng, unknowns: false, scale: 1 }
    }

    /// One over integers, whose constants and unknown values may be large.
    pub fn scaled(seed: u64, scale: u64) -> Self {
        let mut maker = Self::new(seed, true);
        maker.scale = scale;
        maker.ts.unknowns[UnknownId::from_index(0)].range = Some((-IBig::from(scale), IBig::from(scale)));
        maker
    }

    fn var_of(&mut self, wanted: impl Fn(Sort) -> bool) -> Option<Term> {
        let all: Vec<Term> = self.ts.vars.iter().filter(|v| wanted(v.sort)).map(|v| v.term).collect();
        if all.is_empty() { None } else { Some(self.rng.choose(&all)) }
    }

    fn resized(&mut self, x: Term, width: u32) -> Term {
        let t = &self.ts.terms;
        let own = t.sort(x).width().expect("a bit-vector");
        match own.cmp(&width) {
            std::cmp::Ordering::Greater => {
                let lo = u32::try_from(self.rng.below((own - width + 1) as usize)).expect("small");
                t.apply(Op::Extract { hi: lo + width - 1, lo }, &[x])
            }
            std::cmp::Ordering::Less => {
                let by = width - own;
                t.apply(if self.rng.percent(50) { Op::ZeroExtend(by) } else { Op::SignExtend(by) }, &[x])
            }
            std::cmp::Ordering::Equal => x,
        }
    }

    /// A random term of a sort.
    pub fn term(&mut self, sort: Sort, depth: u32) -> Term {
        if depth == 0 || self.rng.percent(25) {
            return self.leaf(sort);
        }
        if self.rng.percent(8) {
            let (c, a, b) = (self.term(Sort::Bool, depth - 1), self.term(sort, depth - 1), self.term(sort, depth - 1));
            return self.ts.terms.ite(c, a, b);
        }
        match sort {
            Sort::Bool => self.truth(depth),
            Sort::Int if self.rng.percent(8) => {
                let n = self.term(sort, depth - 1);
                let width = 2 + u32::try_from(self.rng.below(3)).expect("small");
                let word = self.ts.terms.apply(Op::IntToBv(width), &[n]);
                let back = self.rng.choose(&[Op::UbvToInt, Op::SbvToInt]);
                self.ts.terms.apply(back, &[word])
            }
            Sort::Int => {
                let (a, b) = (self.term(sort, depth - 1), self.term(sort, depth - 1));
                let op = self.rng.choose(&[
                    Op::IntAdd,
                    Op::IntAdd,
                    Op::IntAdd,
                    Op::IntSub,
                    Op::IntSub,
                    Op::IntMul,
                    Op::IntDiv,
                    Op::IntMod,
                    Op::IntNeg,
                ]);
                self.ts.terms.apply(op, &[a, b][..if op == Op::IntNeg { 1 } else { 2 }])
            }
            Sort::BitVec(w) => self.word(w, depth),
            Sort::Array(i, e) => {
                let m = self.leaf(sort);
                let (at, v) = (self.term(i.into(), depth - 1), self.term(e.into(), depth - 1));
                self.ts.terms.apply(Op::Store, &[m, at, v])
            }
        }
    }

    fn word(&mut self, w: u32, depth: u32) -> Term {
        let sort = Sort::BitVec(w);
        if w > 1 && self.rng.percent(6) {
            let low = 1 + u32::try_from(self.rng.below((w - 1) as usize)).expect("small");
            let (a, b) = (self.term(Sort::BitVec(w - low), depth - 1), self.term(Sort::BitVec(low), depth - 1));
            return self.ts.terms.apply(Op::Concat, &[a, b]);
        }
        if self.rng.percent(6) {
            let (a, b) = (self.term(sort, depth - 1), self.term(Sort::BitVec(2), depth - 1));
            let t = &self.ts.terms;
            let sum = t.apply(Op::IntAdd, &[t.apply(Op::SbvToInt, &[a]), t.apply(Op::UbvToInt, &[b])]);
            return t.apply(Op::IntToBv(w), &[sum]);
        }
        let (a, b) = (self.term(sort, depth - 1), self.term(sort, depth - 1));
        let op = self.rng.choose(&[
            Op::BvAdd,
            Op::BvAdd,
            Op::BvAdd,
            Op::BvAdd,
            Op::BvSub,
            Op::BvSub,
            Op::BvSub,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvSdiv,
            Op::BvSrem,
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
            Op::BvNot,
            Op::BvNeg,
        ]);
        let unary = matches!(op, Op::BvNot | Op::BvNeg);
        self.ts.terms.apply(op, &[a, b][..if unary { 1 } else { 2 }])
    }

    fn truth(&mut self, depth: u32) -> Term {
        if self.rng.percent(30) {
            let a = self.term(Sort::Bool, depth - 1);
            if self.rng.percent(20) {
                return self.ts.terms.not(a);
            }
            let b = self.term(Sort::Bool, depth - 1);
            let op = self.rng.choose(&[Op::And, Op::Or, Op::Eq]);
            return self.ts.terms.apply(op, &[a, b]);
        }
        let x = self.var_of(|s| s == Sort::Int || s.width().is_some()).expect("a number");
        let sort = self.ts.terms.sort(x);
        let a = if self.rng.percent(60) { x } else { self.term(sort, depth - 1) };
        let b = self.term(sort, depth - 1);
        let op = if sort == Sort::Int {
            self.rng.choose(&[Op::IntLt, Op::IntLe, Op::Eq])
        } else {
            self.rng.choose(&[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq])
        };
        let (a, b) = if self.rng.percent(50) { (a, b) } else { (b, a) };
        let c = self.ts.terms.apply(op, &[a, b]);
        if self.rng.percent(30) { self.ts.terms.not(c) } else { c }
    }

    fn leaf(&mut self, sort: Sort) -> Term {
        if self.unknowns && self.rng.percent(20) {
            let u = self.ts.unknowns[UnknownId::from_index(0)].term;
            match (sort, self.ts.terms.sort(u)) {
                (Sort::BitVec(w), Sort::BitVec(_)) => return self.resized(u, w),
                (Sort::Int, Sort::Int) => return u,
                _ => {}
            }
        }
        let own = self.var_of(|s| s == sort);
        if let Some(x) = own.filter(|_| self.rng.percent(65)) {
            return x;
        }
        let t = &self.ts.terms;
        match sort {
            Sort::Bool => t.bool(self.rng.percent(50)),
            Sort::Int => {
                let by = if self.rng.percent(60) { self.scale } else { 1 };
                t.int(IBig::from(self.rng.between(-3, 5)) * IBig::from(by))
            }
            Sort::BitVec(w) => {
                if self.rng.percent(25)
                    && let Some(x) = self.var_of(|s| s.width().is_some())
                {
                    return self.resized(x, w);
                }
                if self.rng.percent(10)
                    && let Some(m) = self.var_of(|s| matches!(s, Sort::Array(..)))
                {
                    let bit = self.ts.terms.apply(Op::Select, &[m, self.ts.terms.tt()]);
                    return self.resized(bit, w);
                }
                let c = if self.rng.percent(60) { self.rng.below(4) as u64 } else { self.rng.next() };
                self.ts.terms.bv(w, c.into())
            }
            Sort::Array(i, e) => own.unwrap_or_else(|| {
                let zero = self.ts.terms.value(&Value::zero(e.into()));
                self.ts.terms.apply(Op::Fill(i), &[zero])
            }),
        }
    }

    /// A new value for a variable: often what counters do.
    fn update(&mut self, v: VarId) -> Term {
        let (sort, x) = (self.ts.vars[v].sort, self.ts.vars[v].term);
        let t = &self.ts.terms;
        let step = self.rng.between(-2, 2);
        match sort {
            Sort::Int if self.rng.percent(50) => t.apply(Op::IntAdd, &[x, t.int(step)]),
            Sort::BitVec(w) if self.rng.percent(50) => {
                t.apply(Op::BvAdd, &[x, t.value(&Value::Bv(lariat_ir::Bits::from_signed(w, step.into())))])
            }
            _ => {
                self.unknowns = true;
                let term = self.term(sort, 2);
                self.unknowns = false;
                term
            }
        }
    }

    /// A system of a few locations with edges anywhere; guards are total and disjoint.
    pub fn system(mut self) -> TransitionSystem {
        let n = 2 + self.rng.below(3);
        let locs: Vec<LocId> = (0..n).map(|i| self.ts.add_loc(&format!("l{i}"))).collect();
        self.ts.entry = locs[0];
        let mut init = Vec::new();
        for v in self.ts.vars.ids().collect::<Vec<_>>() {
            let (sort, x) = (self.ts.vars[v].sort, self.ts.vars[v].term);
            if sort == Sort::Int || self.rng.percent(60) && sort.as_scalar().is_some() {
                let c = match sort {
                    Sort::Int => self.ts.terms.int(self.rng.between(-2, 3)),
                    _ => self.leaf(sort),
                };
                init.push(self.ts.terms.eq(x, c));
            }
        }
        if self.rng.percent(30) {
            init.push(self.term(Sort::Bool, 2));
        }
        self.ts.init = self.ts.terms.all(init);
        for &l in &locs {
            let g = self.term(Sort::Bool, 2);
            let guards = if self.rng.percent(15) { vec![self.ts.terms.tt()] } else { vec![g, self.ts.terms.not(g)] };
            for guard in guards {
                let to = if self.rng.percent(15) { LocId::EXIT } else { self.rng.choose(&locs) };
                let mut updates: Vec<(VarId, Term)> = Vec::new();
                for _ in 0..self.rng.below(3) {
                    let v = VarId::from_index(self.rng.below(self.ts.vars.len()));
                    if updates.iter().all(|(w, _)| *w != v) {
                        let t = self.update(v);
                        updates.push((v, t));
                    }
                }
                self.ts.add_edge(l, to, guard, updates);
            }
        }
        self.ts
    }
}

/// The values that a sort has in an enumeration.
pub fn values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Int => INTS.map(Value::int).collect(),
        Sort::BitVec(w) => (0..1 << w).map(|b| Value::bv(w, b)).collect(),
        Sort::Array(..) => vec![Value::zero(sort)],
    }
}

/// Every valuation of the variables, integers within [`INTS`].
pub fn valuations(ts: &TransitionSystem) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    for v in &ts.vars {
        let own = values(v.sort);
        all = all
            .into_iter()
            .flat_map(|p: Vec<Value>| own.iter().map(move |x| p.iter().cloned().chain([x.clone()]).collect()))
            .collect();
    }
    all
}

/// Whether a term over the variables holds.
pub struct Test {
    plan: Plan,
}

impl Test {
    pub fn new(ts: &TransitionSystem, t: Term) -> Self {
        Self { plan: Plan::new(&ts.terms, &[t]) }
    }
    pub fn value(&self, ts: &TransitionSystem, values: &[Value]) -> Value {
        let mut out = self.plan.run(|s| match ts.terms.role(s) {
            Some(lariat_ir::Role::Var(v)) => values[v.index()].clone(),
            _ => Value::zero(ts.terms.sort(s)),
        });
        out.swap_remove(0)
    }
    pub fn holds(&self, ts: &TransitionSystem, values: &[Value]) -> bool {
        self.value(ts, values).as_bool()
    }
}

/// The states that follow one, for every value of the only unknown.
pub fn successors(machine: &Machine<'_>, state: &State) -> Vec<State> {
    let ts = machine.system();
    let unknown = &ts.unknowns[UnknownId::from_index(0)];
    let choices = match &unknown.range {
        Some((lo, hi)) => {
            let small = (-1..=2).map(IBig::from).filter(|i| lo <= i && i <= hi);
            small.chain([lo.clone(), hi.clone()]).map(Value::Int).collect()
        }
        None => values(unknown.sort),
    };
    let mut out = BTreeSet::new();
    for c in choices {
        if let Step::Took(_, next) = machine.step(state, |_| c.clone()) {
            out.insert(next);
        }
    }
    out.into_iter().collect()
}

/// Runs are not followed beyond.
const LARGEST: i64 = 1 << 50;

/// The states of all runs, or as many as come within a limit.
pub fn reachable(ts: &TransitionSystem, limit: usize) -> BTreeSet<State> {
    let machine = Machine::new(ts);
    let mut open: Vec<State> = valuations(ts)
        .into_iter()
        .filter(|v| machine.is_initial(v))
        .map(|values| State { loc: ts.entry, values })
        .collect();
    let mut seen: BTreeSet<State> = open.iter().cloned().collect();
    while let Some(s) = open.pop() {
        for next in successors(&machine, &s) {
            // Squares in a loop would not end.
            let small = |v: &Value| !matches!(v, Value::Int(i) if *i > LARGEST.into() || *i < (-LARGEST).into());
            if seen.len() < limit && next.values.iter().all(small) && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    seen
}

/// The annotation of each location, prepared.
pub fn tests(ts: &TransitionSystem, at: &BTreeMap<LocId, Term>) -> BTreeMap<LocId, Test> {
    at.iter().map(|(l, t)| (*l, Test::new(ts, *t))).collect()
}
