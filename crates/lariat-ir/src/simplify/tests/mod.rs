//! Every rule against every valuation, at small widths.
//!
//! A [`Universe`] has a few symbols with all their values. Candidate applications are made over it, systematically to depth two
//! and at random to depth four; where a rule fires, its result must have the candidate's sort, its value under every
//! valuation, and a smaller measure.

mod candidates;
mod universe;

use super::{FAMILIES, Rule, families, simplify};
use crate::eval;
use crate::random::Random;
use crate::sort::{Scalar, Sort};
use crate::term::{Op, Role, Term, Terms, result_sort};
use candidates::{random, random_term, systematic, towers, twins};
use std::collections::{BTreeMap, BTreeSet};
use universe::{Universe, arrays, bit_vector_and_truth_value, bit_vectors, booleans, conversions, integers};

/// What a rule did wrong at a candidate.
fn offence(u: &Universe, rule: &Rule, op: Op, args: &[Term]) -> Result<bool, String> {
    let Some(result) = (rule.apply)(&u.terms, op, args) else { return Ok(false) };
    let shown = || format!("{}: {op:?} {args:?} -> {result:?} {:?}", rule.name, u.terms);
    let sorts: Vec<Sort> = args.iter().map(|&a| u.terms.sort(a)).collect();
    if Ok(u.terms.sort(result)) != result_sort(op, &sorts) {
        return Err(format!("another sort: {}", shown()));
    }
    let table = u.table(result);
    for (i, value) in u.apply(op, args).iter().enumerate() {
        if *value != table[i] {
            return Err(format!("{value} became {} under {:?}: {}", table[i], u.valuations[i], shown()));
        }
    }
    let (before, after) = (Measure::of(u, op, args), Measure::of_term(u, result));
    if after >= before {
        return Err(format!("{before:?} became {after:?}: {}", shown()));
    }
    if !FAMILIES.iter().any(|f| (f.concerns)(op) && f.rules.iter().any(|r| r.name == rule.name))
        && families().iter().any(|f| f.rules.iter().any(|r| r.name == rule.name))
    {
        return Err(format!("its family is never tried there: {}", shown()));
    }
    Ok(true)
}

/// The measure that the module's documentation defines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Measure(u128, u128);

impl Measure {
    fn of_term(u: &Universe, t: Term) -> Self {
        let node = u.terms.node(t);
        match node.op {
            Op::Symbol(_) => Self(2, 2),
            _ if node.args().is_empty() => Self(1, 1),
            op => Self::of(u, op, node.args()),
        }
    }
    fn of(u: &Universe, op: Op, args: &[Term]) -> Self {
        let own = match op {
            Op::Ite | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::IntLt | Op::IntLe => 5,
            Op::BvSub | Op::IntSub => 3,
            Op::IntToBv(_) => 1,
            _ => 2,
        };
        let mut sum = Self(own, 1);
        for (i, &a) in args.iter().enumerate() {
            let m = Self::of_term(u, a);
            let twice = op == Op::Ite && i == 0 || matches!(op, Op::IntToBv(_));
            sum.0 += if twice { 2 * m.0 } else { m.0 };
            sum.1 += m.1 << i;
        }
        sum
    }
}

/// Runs every rule over the candidates of a universe; gives how often each fired.
fn validate(u: &Universe, rules: &[Rule], deep: bool, count: usize) -> Result<BTreeMap<&'static str, usize>, String> {
    let mut fired: BTreeMap<&'static str, usize> = rules.iter().map(|r| (r.name, 0)).collect();
    let mut wrong = None;
    let mut visit = |op: Op, args: &[Term]| {
        for rule in rules {
            match offence(u, rule, op, args) {
                Ok(false) => {}
                Ok(true) => *fired.entry(rule.name).or_default() += 1,
                Err(e) => wrong = wrong.take().or(Some(e)),
            }
        }
    };
    systematic(u, deep, &mut visit);
    random(u, 7, count, &mut visit);
    twins(u, 5, 3 * count, &mut visit);
    towers(u, 3, count, &mut visit);
    wrong.map_or(Ok(fired), Err)
}

fn all_rules() -> Vec<Rule> {
    families().iter().flat_map(|f| f.rules).copied().collect()
}

/// The rules that must fire in a universe.
fn expected(families: &[&str], extra: &[&'static str], except: &[&str]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = self::families()
        .iter()
        .filter(|f| families.contains(&f.name))
        .flat_map(|f| f.rules)
        .map(|r| r.name)
        .filter(|n| !except.contains(n))
        .collect();
    names.extend(extra);
    names
}

/// How often every expected rule has to fire.
const ENOUGH: usize = 20;

fn assert_validated(name: &str, universes: &[Universe], deep: bool, count: usize, expected: &[&str]) {
    let mut fired: BTreeMap<&str, usize> = BTreeMap::new();
    for u in universes {
        for (rule, n) in validate(u, &all_rules(), deep, count).unwrap_or_else(|e| panic!("{name}: {e}")) {
            *fired.entry(rule).or_default() += n;
        }
    }
    let total: usize = fired.values().sum();
    println!("{name}: {total} firings");
    let idle: Vec<String> =
        expected.iter().filter(|n| fired[**n] < ENOUGH).map(|n| format!("{n} {}", fired[*n])).collect();
    assert!(idle.is_empty(), "{name}: too few firings of {}", idle.join(", "));
}

const INT_COMPARISONS: [&str; 3] = ["int-compare-constant", "int-compare-offsets", "int-compare-self"];

fn bits(width: u32) -> [Universe; 2] {
    [bit_vectors(width), bit_vector_and_truth_value(width)]
}

fn bit_vector_rules() -> Vec<&'static str> {
    expected(&["any sort", "comparisons", "ring", "bits"], &["not-comparison"], &INT_COMPARISONS)
}

#[test]
fn rules_hold_for_bit_vectors_of_one_bit() {
    let mut rules = bit_vector_rules();
    // One bit has no two parts.
    rules.retain(|r| *r != "concat-extracts");
    assert_validated("bv1", &bits(1), true, 60_000, &rules);
}

#[test]
fn rules_hold_for_bit_vectors_of_two_bits() {
    assert_validated("bv2", &bits(2), true, 60_000, &bit_vector_rules());
}

#[test]
fn rules_hold_for_bit_vectors_of_three_bits() {
    assert_validated("bv3", &bits(3), false, 60_000, &bit_vector_rules());
}

#[test]
fn rules_hold_for_bit_vectors_of_four_bits() {
    assert_validated("bv4", &bits(4), false, 60_000, &bit_vector_rules());
}

#[test]
fn rules_hold_for_truth_values() {
    let rules = expected(&["any sort", "boolean"], &["eq-truth-value", "eq-complement"], &["not-comparison"]);
    assert_validated("bool", &[booleans()], true, 60_000, &rules);
}

#[test]
fn rules_hold_for_integers() {
    let bit_vectors_only = [
        "eq-cancel-bits",
        "eq-extended",
        "compare-bounds",
        "compare-to-equality",
        "compare-extended",
        "compare-extended-constant",
        "compare-remainder",
    ];
    let families = ["any sort", "comparisons", "ring", "integer division"];
    let rules = expected(&families, &["not-comparison"], &bit_vectors_only);
    assert_validated("int", &[integers()], true, 60_000, &rules);
}

#[test]
fn rules_hold_for_conversions() {
    let rules = expected(&["conversions"], &[], &[]);
    assert_validated("conversions", &[conversions(1), conversions(2), conversions(3)], false, 60_000, &rules);
}

fn assert_arrays_validated(index: Scalar, element: Scalar, count: usize) {
    let name = format!("array({index}, {element})");
    let rules = expected(&["arrays"], &[], &[]);
    assert_validated(&name, &[arrays(index, element)], true, count, &rules);
}

#[test]
fn rules_hold_for_arrays_of_two_cells() {
    assert_arrays_validated(Scalar::BitVec(1), Scalar::BitVec(1), 60_000);
    assert_arrays_validated(Scalar::BitVec(1), Scalar::BitVec(2), 30_000);
}

#[test]
fn rules_hold_for_arrays_of_more_cells() {
    assert_arrays_validated(Scalar::BitVec(2), Scalar::BitVec(1), 20_000);
    assert_arrays_validated(Scalar::Int, Scalar::Bool, 20_000);
}

#[test]
fn rule_names_are_unique() {
    let names: BTreeSet<&str> = all_rules().iter().map(|r| r.name).collect();
    assert_eq!(names.len(), all_rules().len());
}

#[test]
fn a_wrong_rule_is_caught() {
    type Apply = fn(&Terms, Op, &[Term]) -> Option<Term>;
    let wrong: [(&str, Apply); 5] = [
        ("x - 0 -> 0", |t, op, a| if op == Op::BvSub { super::arith::is_zero(t, a[1]).then_some(a[1]) } else { None }),
        ("x / x -> 1", |t, op, a| {
            (op == Op::BvUdiv && a[0] == a[1]).then(|| t.bv(t.sort(a[0]).width().expect("a bit-vector"), 1))
        }),
        ("!(a < b) -> b < a", |t, op, a| {
            let node = t.node(a[0]);
            (op == Op::Not && node.op == Op::BvSlt).then(|| t.apply(Op::BvSlt, &[node.args()[1], node.args()[0]]))
        }),
        ("(bool) x + 0 -> x == x", |t, op, a| {
            (op == Op::BvAdd && super::arith::is_zero(t, a[1])).then(|| t.eq(a[0], a[0]))
        }),
        ("x + y -> y + x", |t, op, a| (op == Op::BvAdd).then(|| t.apply(op, &[a[1], a[0]]))),
    ];
    for (name, apply) in wrong {
        let rule = Rule { name, apply };
        for width in 1..=3 {
            // At one bit, `x / x` is 1 for 1 and all ones for 0: the wrong rule is right there.
            let right = width == 1 && name == "x / x -> 1";
            let verdict = validate(&bit_vectors(width), &[rule], true, 1);
            assert_eq!(verdict.is_ok(), right, "{name} at width {width}: {verdict:?}");
        }
    }
}

#[test]
fn deep_terms_keep_their_value() {
    let universes = [
        bit_vectors(1),
        bit_vectors(3),
        bit_vectors(4),
        booleans(),
        integers(),
        conversions(2),
        arrays(Scalar::BitVec(1), Scalar::BitVec(2)),
    ];
    let mut shrunk = 0;
    for u in &universes {
        let mut r = Random::new(11);
        for _ in 0..1500 {
            let sort = r.choose(&u.sorts);
            let t = random_term(u, &mut r, sort, 6, &[]);
            let s = simplify(&u.terms, t);
            assert_eq!(u.terms.sort(s), sort);
            assert_eq!(simplify(&u.terms, s), s, "simplification ends in a normal form");
            assert!(Measure::of_term(u, s) <= Measure::of_term(u, t));
            shrunk += usize::from(s != t);
            let plan = eval::Plan::new(&u.terms, &[t, s]);
            for v in u.valuations.iter().step_by(1 + u.valuations.len() / 64) {
                let lookup =
                    |x: Term| v[u.symbols.iter().position(|&s| s == x).expect("a symbol of the universe")].clone();
                let values = plan.run(lookup);
                assert_eq!(values[0], values[1]);
            }
        }
    }
    assert!(shrunk > 4000, "only {shrunk} terms changed");
}

#[test]
fn long_chains_need_no_stack() {
    let terms = Terms::new();
    let x = terms.symbol("x", Sort::BitVec(32), Role::Free);
    let one = terms.bv(32, 1);
    let sum = (0..200_000).fold(x, |t, _| terms.apply(Op::BvAdd, &[t, one]));
    assert_eq!(simplify(&terms, sum), terms.apply(Op::BvAdd, &[x, terms.bv(32, 200_000)]));
}

#[test]
fn what_programs_make_comes_out_readable() {
    let t = Terms::new();
    let x = t.symbol("x", Sort::BitVec(32), Role::Free);
    let c = t.symbol("c", Sort::BitVec(8), Role::Free);
    let k = |n: i32| t.bv(32, u128::from(n.cast_unsigned()));
    // (x < 10 ? 1 : 0) != 0
    let flag = t.ite(t.apply(Op::BvSlt, &[x, k(10)]), k(1), k(0));
    assert_eq!(simplify(&t, t.not(t.eq(flag, k(0)))), t.apply(Op::BvSlt, &[x, k(10)]));
    // (int)c < 300 for an unsigned char, and c == 10
    let wide = t.apply(Op::ZeroExtend(24), &[c]);
    assert_eq!(simplify(&t, t.apply(Op::BvSlt, &[wide, k(300)])), t.tt());
    assert_eq!(simplify(&t, t.eq(wide, k(10))), t.eq(c, t.bv(8, 10)));
    // i - 1 + 1
    let back = t.apply(Op::BvAdd, &[t.apply(Op::BvSub, &[x, k(1)]), k(1)]);
    assert_eq!(simplify(&t, back), x);
}
