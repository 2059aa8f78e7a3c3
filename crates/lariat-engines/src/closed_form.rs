//! The state after k executions of a path, for updates that are affine.
//!
//! With `D e` for `e` after one execution less `e` before it, `e` after k executions is the sum of `binomial(k, j) D^j e` over all j
//! (Newton's forward differences). Where the differences of all variables vanish after finitely many steps, that is a
//! polynomial in k. A variable that is set to a constant is that constant from the first execution on, and what it was
//! before it: so the form is that of k - 1 executions after the first one, with the constants in place.
//! A variable whose differences do not vanish has no form here; nothing is known of it then.
//!
//! Sums of bit-vectors and their multiples are exact modulo the width, so forms of the first order hold for them as well. Higher
//! ones divide, which does not.

use crate::linear::{Linear, Reading, linear};
use dashu_int::IBig;
use lariat_ir::simplify::simplify;
use lariat_ir::{Bits, Id, Op, Role, Sort, Term, TransitionSystem, Value, Var};
use std::collections::BTreeMap;

/// Differences of a higher order than this are not looked at.
const MOST_ORDER: usize = 4;

/// The differences of each variable.
pub(crate) struct ClosedForm {
    /// For each variable `e`, `D e`, `D^2 e` and so on, as far as they are not zero; nothing for one that the others do not hang on.
    differences: Vec<Option<Vec<Linear>>>,
}

impl ClosedForm {
    /// The form of a path's update from its second execution on; nothing if no number has one.
    pub fn of(ts: &TransitionSystem, state: &[Term]) -> Option<Self> {
        let t = &ts.terms;
        let step: Vec<Option<Linear>> = ts
            .vars
            .entries()
            .map(|(v, var)| {
                let new = state[v.index()];
                let like_it = |c: &Term| t.sort(*c) == var.sort && matches!(t.role(*c), Some(Role::Var(_)));
                let is_affine = |l: &Linear| l.columns.keys().all(like_it);
                let is_number = matches!(var.sort, Sort::Int | Sort::BitVec(_));
                is_number.then(|| linear(t, new, Reading::Signed)).filter(is_affine)
            })
            .collect();
        let constant = |c: &Term| match t.role(*c) {
            Some(Role::Var(v)) => step[v.index()].as_ref().filter(|l| l.columns.is_empty()).map(|l| l.constant.clone()),
            _ => None,
        };
        // From the second execution on, what is set to a constant has it.
        let settled = |l: &Linear| {
            l.columns.iter().fold(Linear { columns: BTreeMap::new(), constant: l.constant.clone() }, |sum, (c, w)| {
                match constant(c) {
                    Some(value) => Linear { constant: sum.constant + w * value, ..sum },
                    None => sum.plus(w, &linear(t, *c, Reading::Signed)),
                }
            })
        };
        let step: Vec<Option<Linear>> = step.iter().map(|l| l.as_ref().map(settled)).collect();
        let differences: Vec<Option<Vec<Linear>>> = ts.vars.ids().map(|v| newton(ts, &step, v.index())).collect();
        differences.iter().any(Option::is_some).then_some(Self { differences })
    }

    /// The state after k executions; a variable without a form becomes one that nothing is known of, `when` telling those of
    /// different numbers apart. With a bit-vector for k the
    /// forms of integers are left out, and with an integer those of bit-vectors, as far as they change.
    pub fn after(&self, ts: &TransitionSystem, k: Term, when: &str) -> Vec<Term> {
        let t = &ts.terms;
        let of_integers = t.sort(k) == Sort::Int;
        let binomials: Vec<Term> =
            if of_integers { (0..=MOST_ORDER).map(|j| binomial(ts, k, j)).collect() } else { Vec::new() };
        let value = |var: &Var, differences: &[Linear]| match (differences, var.sort) {
            ([same], _) => Some(term(ts, same, var.sort)),
            (all, Sort::Int) if of_integers => {
                let parts = all.iter().zip(&binomials);
                let parts = parts.map(|(d, b)| t.apply(Op::IntMul, &[*b, term(ts, d, Sort::Int)]));
                parts.reduce(|a, b| t.apply(Op::IntAdd, &[a, b]))
            }
            ([same, change], Sort::BitVec(width)) if !of_integers => {
                let more = t.apply(Op::BvMul, &[resized(ts, k, width), term(ts, change, var.sort)]);
                Some(t.apply(Op::BvAdd, &[term(ts, same, var.sort), more]))
            }
            _ => None,
        };
        ts.vars
            .iter()
            .zip(&self.differences)
            .map(|(var, differences)| match differences.as_ref().and_then(|d| value(var, d)) {
                None => t.symbol(&format!("{}@{when}", var.name), var.sort, Role::Free),
                Some(value) => simplify(t, value),
            })
            .collect()
    }
}

/// The lowest bits of an unsigned number, or that number with zeros above it.
fn resized(ts: &TransitionSystem, k: Term, width: u32) -> Term {
    let t = &ts.terms;
    let Sort::BitVec(has) = t.sort(k) else { unreachable!("it is a bit-vector") };
    match width.cmp(&has) {
        std::cmp::Ordering::Less => t.apply(Op::Extract { hi: width - 1, lo: 0 }, &[k]),
        std::cmp::Ordering::Equal => k,
        std::cmp::Ordering::Greater => t.apply(Op::ZeroExtend(width - has), &[k]),
    }
}

/// `e`, `D e` and so on until they vanish.
fn newton(ts: &TransitionSystem, step: &[Option<Linear>], v: usize) -> Option<Vec<Linear>> {
    let t = &ts.terms;
    let stepped = |l: &Linear| -> Option<Linear> {
        let mut sum = Linear { columns: BTreeMap::new(), constant: l.constant.clone() };
        for (c, w) in &l.columns {
            let Some(Role::Var(v)) = t.role(*c) else { return None };
            sum = sum.plus(w, step[v.index()].as_ref()?);
        }
        Some(sum)
    };
    let own = step[v].as_ref()?;
    // What is set to a constant stays.
    if own.columns.is_empty() {
        return Some(vec![own.clone()]);
    }
    let mut all = vec![linear(t, ts.vars.iter().nth(v)?.term, Reading::Signed)];
    loop {
        let last = all.last()?;
        let next = stepped(last)?.plus(&IBig::from(-1), last);
        if next.columns.is_empty() && next.constant == IBig::ZERO {
            return Some(all);
        }
        if all.len() > MOST_ORDER {
            return None;
        }
        all.push(next);
    }
}

/// `k (k - 1) ... (k - j + 1) / j!`, which is an integer.
fn binomial(ts: &TransitionSystem, k: Term, j: usize) -> Term {
    let t = &ts.terms;
    let mut product = t.int(1);
    let mut divisor = IBig::from(1);
    for i in 0..j {
        let i = i64::try_from(i).expect("orders are small");
        product = simplify(t, t.apply(Op::IntMul, &[product, t.apply(Op::IntSub, &[k, t.int(i)])]));
        divisor *= IBig::from(i + 1);
    }
    if divisor == IBig::from(1) { product } else { t.apply(Op::IntDiv, &[product, t.int(divisor)]) }
}

/// A linear form as a term over variables of one sort.
pub(crate) fn term(ts: &TransitionSystem, l: &Linear, sort: Sort) -> Term {
    let t = &ts.terms;
    let (add, mul) = if sort == Sort::Int { (Op::IntAdd, Op::IntMul) } else { (Op::BvAdd, Op::BvMul) };
    let number = |n: &IBig| match sort {
        // Modulo the width.
        Sort::BitVec(width) => t.value(&Value::Bv(Bits::from_int(width, n))),
        _ => t.int(n.clone()),
    };
    let mut sum = number(&l.constant);
    for (c, w) in &l.columns {
        sum = t.apply(add, &[t.apply(mul, &[number(w), *c]), sum]);
    }
    simplify(t, sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::SymbolicPath;
    use lariat_ir::lts;

    /// The form of a loop's one path against the path taken again and again.
    fn agrees(vars: &str, updates: &str, k: impl Fn(&TransitionSystem, i64) -> Term) {
        let text = format!("lts 1\n{vars}entry h\nh:\n goto h with {updates}\n");
        let ts = lts::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).system;
        let t = &ts.terms;
        let edge = ts.edges.ids().next().expect("an edge");
        let once = SymbolicPath::at(&ts, ts.entry).then(&ts, edge);
        let form = ClosedForm::of(&ts, &once.state).expect("a form");
        assert!(form.differences.iter().any(|d| d.as_ref().is_some_and(|d| d.len() > 1)), "{updates}");
        let (mut path, mut followed) = (once.clone(), 0);
        for more in 0..7 {
            // `more` executions after the first one.
            let said = form.after(&ts, k(&ts, more), "later");
            for (v, said) in ts.vars.ids().zip(said) {
                if matches!(t.role(said), Some(Role::Free)) {
                    continue;
                }
                followed += 1;
                let said = crate::path::in_state(&ts, said, &once.state);
                for seed in [0i64, 1, -3, 100, 250] {
                    let value = |s: Term| match (t.role(s), t.sort(s)) {
                        (Some(Role::Var(w)), Sort::BitVec(width)) => Value::Bv(Bits::from_int(
                            width,
                            &IBig::from(seed * 7 + i64::try_from(w.index()).expect("few")),
                        )),
                        (Some(Role::Var(w)), _) => Value::int(seed - 5 * i64::try_from(w.index()).expect("few")),
                        other => panic!("{other:?}"),
                    };
                    let real = t.eval(path.state[v.index()], value);
                    assert_eq!(t.eval(said, value), real, "{updates}: {} after {more}", ts.vars[v].name);
                }
            }
            path.advance(&ts, edge);
        }
        assert!(followed >= 7, "{updates}");
    }

    #[test]
    fn integers_follow_polynomials() {
        let k = |ts: &TransitionSystem, n: i64| ts.terms.int(n);
        let three = "var x: int\nvar y: int\nvar z: int\n";
        agrees(three, "x := x + 3", k);
        agrees(three, "x := x + y, y := y + z, z := z - 1", k);
        agrees(three, "x := x + y, y := 4, z := z + 2 * y", k);
        agrees(three, "x := 7 - x, y := y + 1, z := x * x", k);
        agrees(three, "x := y, y := y + 1", k);
    }

    #[test]
    fn words_follow_sums_around_the_wrap() {
        let k = |ts: &TransitionSystem, n: i64| ts.terms.bv(64, n.cast_unsigned().into());
        let three = "var x: bv8\nvar y: bv8\nvar z: bv32\n";
        agrees(three, "x := x + 200, z := z - 1", k);
        agrees(three, "x := x - y, z := zext(x, 32)", k);
        agrees(three, "x := x + y, y := 31, z := z + 5", k);
        agrees(three, "x := x + y, y := y + 3", k);
    }
}
