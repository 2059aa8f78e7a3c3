use lariat_ir::{Op, Role, Sort, Term, Terms};
use lariat_smt::{Answer, Limit, Solver, Z3Solver};
use std::time::Instant;

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 { self.0 ^= self.0 << 13; self.0 ^= self.0 >> 7; self.0 ^= self.0 << 17; self.0 }
    fn below(&mut self, n: usize) -> usize { (self.next() >> 11) as usize % n }
}

fn bv(t: &Terms, r: &mut Rng, vars: &[Term], w: u32, depth: u32) -> Term {
    if depth == 0 || r.below(5) == 0 {
        return if r.below(4) == 0 { t.bv(w, r.next() as u128) } else { vars[r.below(vars.len())] };
    }
    let ops = [Op::BvAdd, Op::BvSub, Op::BvAnd, Op::BvOr, Op::BvXor, Op::BvMul, Op::BvShl, Op::BvLshr, Op::BvUrem, Op::BvSdiv, Op::BvAdd, Op::BvSub];
    let ops = if std::env::var("HEAVY").is_ok() { &ops[..] } else if r.below(30) == 0 { &ops[5..10] } else { &ops[..5] };
    let a = bv(t, r, vars, w, depth - 1);
    let b = bv(t, r, vars, w, depth - 1);
    t.apply(ops[r.below(ops.len())], &[a, b])
}
fn boolean(t: &Terms, r: &mut Rng, vars: &[Term], w: u32, depth: u32) -> Term {
    let ops = [Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq];
    if depth == 0 {
        let a = bv(t, r, vars, w, 2);
        let b = bv(t, r, vars, w, 2);
        return t.apply(ops[r.below(ops.len())], &[a, b]);
    }
    let a = boolean(t, r, vars, w, depth - 1);
    let b = boolean(t, r, vars, w, depth - 1);
    match r.below(3) { 0 => t.and(a, b), 1 => t.or(a, b), _ => t.and(a, t.not(b)) }
}
fn query(t: &Terms, r: &mut Rng, w: u32) -> Vec<Term> {
    let x: Vec<Term> = (0..3).map(|i| t.symbol(&format!("x{i}_{w}"), Sort::BitVec(w), Role::Free)).collect();
    let y: Vec<Term> = (0..3).map(|i| t.symbol(&format!("y{i}_{w}"), Sort::BitVec(w), Role::Free)).collect();
    let mut q = vec![boolean(t, r, &x, w, 1)];
    for v in &y { let u = bv(t, r, &x, w, 2); q.push(t.eq(*v, u)); }
    let inv = boolean(t, r, &x, w, 1);
    q.push(inv);
    let next = t.substitute(inv, |s| x.iter().position(|v| *v == s).map(|i| y[i]));
    q.push(t.not(next));
    q
}

#[test]
#[ignore]
fn measure() {
    let n: usize = std::env::var("N").ok().and_then(|s| s.parse().ok()).unwrap_or(3000);
    for w in [4u32] {
        let n = if w == 32 { n / 10 } else { n };
        for how in ["pushpop", "new", "isolated", "fresharena"] {
            if let Ok(h) = std::env::var("HOW") { if h != how { continue; } }
            let mut t = Terms::new();
            let mut r = Rng(88172645463325252);
            let qs: Vec<Vec<Term>> = (0..n).map(|_| query(&t, &mut r, w)).collect();
            let n = if how == "isolated" { 200.min(n) } else { n };
            let (mut sat, mut unsat, mut unk) = (0, 0, 0);
            let mut worst = 0u128;
            let start = Instant::now();
            let mut s = Z3Solver::new();
            let mut r = Rng(88172645463325252);
            for q in &qs[..n] {
                let b = Instant::now();
                let fresh;
                let q = if how == "fresharena" { t = Terms::new(); fresh = query(&t, &mut r, w); &fresh } else { q };
                match how { "new"|"fresharena" => s = Z3Solver::new(), "isolated" => s = Z3Solver::isolated(), _ => s.push() }
                for &a in q { s.assert(&t, a); }
                match s.check(&t, Limit::default()) { Answer::Sat(_) => sat += 1, Answer::Unsat => unsat += 1, Answer::Unknown(y) => { if unk < 3 { eprintln!("{y}") }; unk += 1 } }
                if how == "pushpop" { s.pop(); }
                worst = worst.max(b.elapsed().as_micros());
            }
            println!("w{w} {how}: {:.1} us/query worst {worst} us, sat {sat} unsat {unsat} unknown {unk}", start.elapsed().as_secs_f64() * 1e6 / n as f64);
        }
    }
}
