//! What a solver says about a floating-point operation is what `lariat_ir::float` says: values of every kind, both solvers.

use lariat_ir::random::Random;
use lariat_ir::{FloatOp, Format, Op, Role, Sort, Term, Terms, Value};
use lariat_smt::{Answer, Cvc5Solver, Limit, QueryLog, Solver, Z3Solver};

/// A pattern of any kind: zeros, subnormal numbers, numbers near one and near the limits of integers, infinities, NaNs.
fn pattern(r: &mut Random, format: Format) -> u128 {
    let (one, inf) = (format.of_int(1), format.infinity());
    let fraction = 1u128 << (format.precision() - 1);
    let near = u128::from(r.next() % 5);
    let magnitude = match r.next() % 9 {
        0 => near,
        1 => fraction - 3 + near,
        2 => inf - 3 + near,
        3 => format.nan() + near,
        4 => one - 2 + near,
        5 => format.of_int(1 << (r.next() % 65)) - 2 + near,
        6 => format.of_int(i128::from(r.next() % 1000)) + fraction / 2,
        _ => u128::from(r.next()) & (format.sign() - 1),
    };
    if r.next().is_multiple_of(2) { magnitude | format.sign() } else { magnitude }
}

fn solvers() -> Vec<Box<dyn Solver>> {
    let mut all: Vec<Box<dyn Solver>> = vec![
        Box::new(Z3Solver::new().with_log(QueryLog::off())),
        Box::new(Z3Solver::isolated().with_log(QueryLog::off())),
    ];
    // The second opinion is optional on a developer's machine; the automatic tests install it.
    match Cvc5Solver::new() {
        Ok(cvc5) => all.push(Box::new(cvc5.with_log(QueryLog::off()))),
        Err(missing) => eprintln!("{missing}"),
    }
    all
}

/// The operation, with arguments and widths of its own that vary.
fn application(r: &mut Random, op: FloatOp, format: Format) -> (FloatOp, Vec<Value>) {
    let width = format.width();
    match op {
        FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_) => {
            let from = r.choose(&[1, 8, 32, 33, 64]);
            let n = match r.next() % 3 {
                0 => u128::from(r.next() % 4).wrapping_sub(2),
                1 => (1u128 << (r.next() % 64)).wrapping_add(u128::from(r.next() % 5)).wrapping_sub(2),
                _ => u128::from(r.next()),
            };
            (op.with_width(width), vec![Value::bv(from, n)])
        }
        _ => {
            let own = match op {
                FloatOp::Convert(_) => r.choose(&[32, 64]),
                _ => r.choose(&[1, 8, 24, 25, 32, 53, 54, 64]),
            };
            (op.with_width(own), (0..op.arity()).map(|_| Value::bv(width, pattern(r, format))).collect())
        }
    }
}

#[test]
fn operations_mean_the_same_to_the_solvers_and_to_us() {
    let mut r = Random::new(1);
    let mut asked = 0;
    for round in 0..5 {
        let terms = Terms::new();
        let (mut fixed, mut right) = (Vec::new(), Vec::new());
        for format in Format::ALL {
            for (n, op) in FloatOp::ALL.into_iter().enumerate() {
                // Division, roots and fused products of 64 bits are slow to ask about.
                let slow = format == Format::Double && matches!(op, FloatOp::Div | FloatOp::Sqrt | FloatOp::Fma);
                if slow && round > 0 {
                    continue;
                }
                let (op, values) = application(&mut r, op, format);
                let args: Vec<Term> = values
                    .iter()
                    .enumerate()
                    .map(|(i, v)| {
                        let name = format!("{}{n}.{i}", if format == Format::Single { "f" } else { "d" });
                        let x = terms.symbol(&name, v.sort(), Role::Free);
                        fixed.push(terms.eq(x, terms.value(v)));
                        x
                    })
                    .collect();
                let result = terms.apply(Op::Float(op), &args);
                let value = lariat_ir::float::apply(op, &values.iter().collect::<Vec<_>>());
                right.push((terms.eq(result, terms.value(&value)), format!("{op:?} {values:?}")));
                // And of another operation on the result.
                if let Sort::BitVec(w) = terms.sort(result)
                    && Format::of_width(w).is_some()
                    && op.result_format(w).is_some()
                {
                    let twice = terms.apply(Op::Float(FloatOp::Add), &[result, result]);
                    let value = lariat_ir::float::apply(FloatOp::Add, &[&value, &value]);
                    right.push((terms.eq(twice, terms.value(&value)), format!("twice {op:?} {values:?}")));
                }
            }
        }
        for solver in &mut solvers() {
            for &t in &fixed {
                solver.assert(&terms, t);
            }
            assert!(matches!(solver.check(&terms, Limit::default()), Answer::Sat(_)), "{}", solver.name());
            for (right, what) in &right {
                solver.push();
                solver.assert(&terms, terms.not(*right));
                let answer = solver.check(&terms, Limit::default());
                assert!(matches!(answer, Answer::Unsat), "{}: {what}: {answer:?}", solver.name());
                solver.pop();
                asked += 1;
            }
        }
    }
    println!("{asked} asked");
}

/// Questions with a free number: there is one that adding does not change, and it stays so.
#[test]
fn numbers_are_found() {
    let terms = Terms::new();
    let x = terms.symbol("x", Sort::BitVec(32), Role::Free);
    let float = |n: i128| terms.bv(32, Format::Single.of_int(n));
    let next = |a: Term| terms.apply(Op::Float(FloatOp::Add), &[a, float(1)]);
    let small = |a: Term| terms.apply(Op::Float(FloatOp::Lt), &[a, float(16_777_220)]);
    let stuck = |a: Term| terms.and(small(a), terms.eq(next(a), a));
    // To find a number among all takes cvc5 more than the units that it gets for Z3's.
    let limit = || Limit::rlimit(20 * Limit::DEFAULT_RLIMIT);
    for solver in &mut solvers() {
        solver.assert(&terms, stuck(x));
        let answer = solver.check(&terms, limit());
        assert!(matches!(answer, Answer::Sat(_)), "{}: {answer:?}", solver.name());
        solver.assert(&terms, terms.not(stuck(next(x))));
        let answer = solver.check(&terms, limit());
        assert!(matches!(answer, Answer::Unsat), "{}: {answer:?}", solver.name());
    }
}
