use lariat_ir::{Op, Role, Sort, Term, Terms, Scalar};
use lariat_smt::{Answer, Limit, Solver, Z3Solver, QueryLog};
use std::time::Instant;
#[test]
#[ignore]
fn nia() {
    let t = Terms::new();
    let v = |n: &str| t.symbol(n, Sort::Int, Role::Free);
    let (x, y, z, a, b) = (v("x"), v("y"), v("z"), v("a"), v("b"));
    let mul = |p, q| t.apply(Op::IntMul, &[p, q]);
    let add = |p, q| t.apply(Op::IntAdd, &[p, q]);
    let lt = |p, q| t.apply(Op::IntLt, &[p, q]);
    let le = |p, q| t.apply(Op::IntLe, &[p, q]);
    let i = |k: i64| t.int(k);
    let mut qs: Vec<(&str, Vec<Term>)> = vec![
        ("pythagoras", vec![lt(i(10), x), lt(x, y), t.eq(add(mul(x, x), mul(y, y)), mul(z, z)), lt(i(0), z)]),
        ("factor", vec![lt(i(1), x), lt(x, y), t.eq(mul(x, y), i(10403))]),
        ("factor6", vec![lt(i(1), x), lt(x, y), t.eq(mul(x, y), i(1022117))]),
        ("prime", vec![lt(i(1), x), le(x, y), t.eq(mul(x, y), i(10007))]),
        ("square mod 4", vec![t.eq(t.apply(Op::IntMod, &[mul(x, x), i(4)]), i(3))]),
        ("square grows", vec![lt(i(1), x), le(mul(x, x), x)]),
        ("decreases", vec![lt(i(0), x), lt(i(1), y), t.eq(z, t.apply(Op::IntDiv, &[x, y])), le(x, z)]),
        ("no fermat 3", vec![lt(i(0), x), lt(i(0), y), lt(i(0), z), lt(x, i(60)), lt(y, i(60)), t.eq(add(mul(x, mul(x, x)), mul(y, mul(y, y))), mul(z, mul(z, z)))]),
        ("positive sum of squares", vec![lt(add(mul(x, x), mul(y, y)), i(0))]),
        ("amgm", vec![lt(add(mul(x, x), mul(y, y)), mul(i(2), mul(x, y)))]),
        ("linear combos", vec![lt(add(mul(i(3), x), mul(i(5), y)), i(7)), lt(i(6), add(mul(i(3), x), mul(i(5), y))), t.eq(t.apply(Op::IntMod, &[x, i(5)]), i(2))]),
        ("gauss sum step", vec![t.eq(mul(i(2), a), mul(x, add(x, i(1)))), t.eq(b, add(a, add(x, i(1)))), t.eq(y, add(x, i(1))), t.not(t.eq(mul(i(2), b), mul(y, add(y, i(1)))))]),
        ("pell", vec![lt(i(1), x), lt(i(0), y), t.eq(mul(x, x), add(mul(i(13), mul(y, y)), i(1)))]),
        ("cubes 29", vec![t.eq(add(mul(x, mul(x, x)), add(mul(y, mul(y, y)), mul(z, mul(z, z)))), i(29))]),
        ("cubes 4 mod 9", vec![t.eq(add(mul(x, mul(x, x)), add(mul(y, mul(y, y)), mul(z, mul(z, z)))), i(31))]),
    ];
    let m = t.symbol("m", Sort::Array(Scalar::BitVec(32), Scalar::BitVec(8)), Role::Free);
    let p = t.symbol("p", Sort::BitVec(32), Role::Free); let q = t.symbol("q", Sort::BitVec(32), Role::Free);
    let st = t.apply(Op::Store, &[m, p, t.bv(8, 1)]);
    let st2 = t.apply(Op::Store, &[st, q, t.bv(8, 2)]);
    qs.push(("arrays sat", vec![t.eq(t.apply(Op::Select, &[st2, p]), t.bv(8, 2)), t.eq(t.apply(Op::Select, &[m, t.bv(32, 7)]), t.bv(8, 9))]));
    qs.push(("arrays unsat", vec![t.not(t.eq(p, q)), t.not(t.eq(t.apply(Op::Select, &[st2, p]), t.bv(8, 1)))]));
    qs.push(("arrays eq", vec![t.eq(st, st2)]));
    for (name, q) in qs {
        let mut s = Z3Solver::isolated().with_log(QueryLog::off());
        for f in &q { s.assert(&t, *f); }
        let b = Instant::now();
        let r = s.check(&t, Limit::default());
        println!("{name}: {} in {:?}", match r { Answer::Sat(m) => format!("sat {:?}", m.iter().map(|(_, v)| v.to_string()).collect::<Vec<_>>()), Answer::Unsat => "unsat".into(), Answer::Unknown(w) => w.to_string() }, b.elapsed());
    }
}
