//! Every rule against every valuation, at small widths.
//!
//! A [`Universe`] has a few symbols with all their values. Candidate applications are made over it, systematically to depth two
//! and at random to depth four; where a rule fires, its result must have the candidate's sort, its value under every
//! valuation, and a smaller measure.

use super::{FAMILIES, Rule, families, simplify};
use crate::eval;
use crate::sort::{Scalar, Sort};
use crate::term::{Op, Role, Term, Terms, result_sort};
use crate::value::{ArrayValue, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// A multiplicative generator: the tests print the same bytes on every run.
pub(crate) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % n
    }
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// All values of a small scalar sort.
fn all_values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(w) => (0..1u128 << w).map(|b| Value::bv(w, b)).collect(),
        Sort::Int => (-5..=5).map(Value::int).collect(),
        Sort::Array(i, e) => all_arrays(i, e),
    }
}

/// All maps over a small index: every default, with every way to fill the cells. Over integers, a few.
fn all_arrays(index: Scalar, element: Scalar) -> Vec<Value> {
    let mut maps = BTreeSet::new();
    let elements: Vec<Value> =
        all_values(element.into()).into_iter().step_by(if element == Scalar::Int { 4 } else { 1 }).collect();
    let indices: Vec<Value> =
        all_values(index.into()).into_iter().step_by(if index == Scalar::Int { 4 } else { 1 }).collect();
    for default in &elements {
        let mut level = vec![ArrayValue::constant(index, default.clone())];
        for i in &indices {
            level = level
                .iter()
                .flat_map(|map| {
                    elements.iter().map(|e| {
                        let mut map = map.clone();
                        map.set(i.clone(), e.clone());
                        map
                    })
                })
                .collect();
        }
        maps.extend(level);
    }
    maps.into_iter().map(|m| Value::Array(Arc::new(m))).collect()
}

/// Symbols with all their values, and tables of what terms over them evaluate to.
struct Universe {
    terms: Terms,
    symbols: Vec<Term>,
    /// The values of each symbol in every valuation.
    valuations: Vec<Vec<Value>>,
    ops: Vec<Op>,
    /// The sorts of the symbols, and truth values.
    sorts: Vec<Sort>,
    /// What each operation takes, over the sorts of the symbols.
    signatures: HashMap<Op, Vec<Vec<Sort>>>,
    constants: RefCell<BTreeMap<Sort, Rc<Vec<Term>>>>,
    tables: RefCell<HashMap<Term, Rc<Vec<Value>>>>,
}

impl Universe {
    fn new(symbols: &[(&str, Sort)], ops: Vec<Op>) -> Self {
        let terms = Terms::new();
        let names = symbols.iter().map(|(n, s)| terms.symbol(n, *s, Role::Free)).collect();
        let mut sorts: BTreeSet<Sort> = symbols.iter().map(|(_, s)| *s).collect();
        sorts.insert(Sort::Bool);
        let sorts: Vec<Sort> = sorts.into_iter().collect();
        let signatures = ops.iter().map(|&op| (op, signatures(op, &sorts))).collect();
        let mut valuations: Vec<Vec<Value>> = vec![Vec::new()];
        for (_, sort) in symbols {
            let values = all_values(*sort);
            valuations = valuations
                .into_iter()
                .flat_map(|v| {
                    values.iter().map(move |x| {
                        let mut v = v.clone();
                        v.push(x.clone());
                        v
                    })
                })
                .collect();
        }
        let (constants, tables) = (RefCell::default(), RefCell::default());
        Self { terms, symbols: names, valuations, ops, sorts, signatures, constants, tables }
    }

    fn constants(&self, sort: Sort) -> Rc<Vec<Term>> {
        let make = || match sort {
            Sort::Array(i, e) => {
                let fill = |v: &Value| self.terms.apply(Op::Fill(i), &[self.terms.value(v)]);
                all_values(e.into()).iter().map(fill).collect()
            }
            scalar => all_values(scalar).iter().map(|v| self.terms.value(v)).collect(),
        };
        self.constants.borrow_mut().entry(sort).or_insert_with(|| Rc::new(make())).clone()
    }

    fn symbols_of(&self, sort: Sort) -> Vec<Term> {
        self.symbols.iter().copied().filter(|&s| self.terms.sort(s) == sort).collect()
    }

    /// Symbols and constants of a sort.
    fn leaves(&self, sort: Sort) -> Vec<Term> {
        let mut all = self.symbols_of(sort);
        all.extend(self.constants(sort).iter());
        all
    }

    /// The values of a term under every valuation.
    fn table(&self, t: Term) -> Rc<Vec<Value>> {
        if let Some(table) = self.tables.borrow().get(&t) {
            return table.clone();
        }
        let node = self.terms.node(t);
        let table = if let Some(at) = self.symbols.iter().position(|&s| s == t) {
            self.valuations.iter().map(|v| v[at].clone()).collect()
        } else if let Some(value) = self.terms.constant_value(t) {
            vec![value; self.valuations.len()]
        } else {
            self.apply(node.op, node.args())
        };
        let table = Rc::new(table);
        let mut tables = self.tables.borrow_mut();
        if tables.len() > 4000 {
            tables.clear();
        }
        tables.insert(t, table.clone());
        table
    }

    fn apply(&self, op: Op, args: &[Term]) -> Vec<Value> {
        let tables: Vec<Rc<Vec<Value>>> = args.iter().map(|&a| self.table(a)).collect();
        (0..self.valuations.len())
            .map(|i| match tables.as_slice() {
                [a] => eval::apply(op, &[&a[i]]),
                [a, b] => eval::apply(op, &[&a[i], &b[i]]),
                [a, b, c] => eval::apply(op, &[&a[i], &b[i], &c[i]]),
                _ => unreachable!("operations have one to three arguments"),
            })
            .collect()
    }
}

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
            _ => 2,
        };
        let mut sum = Self(own, 1);
        for (i, &a) in args.iter().enumerate() {
            let m = Self::of_term(u, a);
            sum.0 += if op == Op::Ite && i == 0 { 2 * m.0 } else { m.0 };
            sum.1 += m.1 << i;
        }
        sum
    }
}

const BOOLEAN: [Op; 5] = [Op::Not, Op::And, Op::Or, Op::Eq, Op::Ite];

fn bit_vector_ops(width: u32) -> Vec<Op> {
    let mut ops = BOOLEAN.to_vec();
    ops.extend([Op::BvNot, Op::BvNeg, Op::BvAnd, Op::BvOr, Op::BvXor, Op::BvAdd, Op::BvSub, Op::BvMul]);
    ops.extend([Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem, Op::BvShl, Op::BvLshr, Op::BvAshr]);
    ops.extend([Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Concat]);
    ops.extend((0..=2).flat_map(|by| [Op::ZeroExtend(by), Op::SignExtend(by)]));
    ops.extend((0..2 * width).flat_map(|hi| (0..=hi).map(move |lo| Op::Extract { hi, lo })));
    ops
}

fn bit_vectors(width: u32) -> Universe {
    let w = Sort::BitVec(width);
    Universe::new(&[("x", w), ("y", w)], bit_vector_ops(width))
}

/// One bit-vector and one truth value: two and one would take twice the valuations.
fn bit_vector_and_truth_value(width: u32) -> Universe {
    Universe::new(&[("x", Sort::BitVec(width)), ("p", Sort::Bool)], bit_vector_ops(width))
}

fn booleans() -> Universe {
    let symbols = [("p", Sort::Bool), ("q", Sort::Bool), ("r", Sort::Bool), ("s", Sort::Bool)];
    Universe::new(&symbols, BOOLEAN.to_vec())
}

fn integers() -> Universe {
    let mut ops = BOOLEAN.to_vec();
    ops.extend([Op::IntNeg, Op::IntAdd, Op::IntSub, Op::IntMul, Op::IntDiv, Op::IntMod, Op::IntLt, Op::IntLe]);
    Universe::new(&[("x", Sort::Int), ("y", Sort::Int), ("p", Sort::Bool)], ops)
}

fn arrays(index: Scalar, element: Scalar) -> Universe {
    let (i, e) = (index.into(), element.into());
    let mut symbols = vec![("a", Sort::Array(index, element)), ("i", i), ("v", e)];
    if index != Scalar::Int {
        // Eleven values each would be too many valuations.
        symbols.push(("j", i));
    }
    let add = if index == Scalar::Int { Op::IntAdd } else { Op::BvAdd };
    Universe::new(&symbols, vec![Op::Ite, Op::Eq, Op::Select, Op::Store, Op::Fill(index), add])
}

/// Calls `visit` with every way to draw one term from each list.
fn product(lists: &[Vec<Term>], visit: &mut dyn FnMut(&[Term])) {
    let mut at = vec![0; lists.len()];
    if lists.iter().any(Vec::is_empty) {
        return;
    }
    loop {
        let args: Vec<Term> = at.iter().zip(lists).map(|(&i, l)| l[i]).collect();
        visit(&args);
        let Some(d) = (0..at.len()).rev().find(|&d| at[d] + 1 < lists[d].len()) else { return };
        at[d] += 1;
        for later in &mut at[d + 1..] {
            *later = 0;
        }
    }
}

/// The argument sorts that an operation takes, as far as sorts of the universe go.
fn signatures(op: Op, sorts: &[Sort]) -> Vec<Vec<Sort>> {
    let mut all = Vec::new();
    let arity = match op {
        Op::Ite | Op::Store => 3,
        Op::Not
        | Op::BvNot
        | Op::BvNeg
        | Op::IntNeg
        | Op::Extract { .. }
        | Op::ZeroExtend(_)
        | Op::SignExtend(_)
        | Op::Fill(_) => 1,
        _ => 2,
    };
    let mut open: Vec<Vec<Sort>> = vec![Vec::new()];
    while let Some(prefix) = open.pop() {
        if prefix.len() == arity {
            if result_sort(op, &prefix).is_ok() {
                all.push(prefix);
            }
            continue;
        }
        open.extend(sorts.iter().map(|&s| {
            let mut p = prefix.clone();
            p.push(s);
            p
        }));
    }
    all
}

/// Depth one over leaves, then one argument of depth one among leaves. `with_constant_arguments`: also inner terms that have only
/// constants below, which are many and say little.
fn systematic(u: &Universe, with_constant_arguments: bool, visit: &mut dyn FnMut(Op, &[Term])) {
    let mut inner: BTreeMap<Sort, Vec<Term>> = BTreeMap::new();
    for &op in &u.ops {
        for signature in &u.signatures[&op] {
            let lists: Vec<Vec<Term>> = signature.iter().map(|&s| u.leaves(s)).collect();
            product(&lists, &mut |args| {
                visit(op, args);
                if with_constant_arguments || args.iter().any(|a| u.symbols.contains(a)) {
                    let t = u.terms.apply(op, args);
                    inner.entry(u.terms.sort(t)).or_default().push(t);
                }
            });
        }
    }
    let mut sorts = u.sorts.clone();
    sorts.extend(inner.keys().copied().filter(|s| !matches!(s, Sort::Array(..))));
    sorts.sort_unstable();
    sorts.dedup();
    for &op in &u.ops {
        for signature in signatures(op, &sorts) {
            for deep in 0..signature.len() {
                // Another argument of a wide sort has only constants to draw from: enough, and not too many.
                let lists: Vec<Vec<Term>> = signature
                    .iter()
                    .enumerate()
                    .map(|(i, &s)| if i == deep { inner.get(&s).cloned().unwrap_or_default() } else { u.leaves(s) })
                    .collect();
                if lists.iter().map(Vec::len).product::<usize>() > 600_000 {
                    continue;
                }
                product(&lists, &mut |args| visit(op, args));
            }
        }
    }
}

/// A random term of a sort, of at most this depth. `near` are terms that should occur again.
fn random_term(u: &Universe, r: &mut Random, sort: Sort, depth: u32, near: &[Term]) -> Term {
    let close: Vec<Term> = near.iter().copied().filter(|&t| u.terms.sort(t) == sort).collect();
    if !close.is_empty() && r.below(3) == 0 {
        return r.pick(&close);
    }
    let symbols = u.symbols_of(sort);
    if depth > 0 && r.below(5) > 0 {
        for _ in 0..40 {
            let op = r.pick(&u.ops);
            let candidates: Vec<&Vec<Sort>> =
                u.signatures[&op].iter().filter(|s| result_sort(op, s) == Ok(sort)).collect();
            if candidates.is_empty() {
                continue;
            }
            let signature = r.pick(&candidates);
            let args: Vec<Term> = signature.iter().map(|&s| random_term(u, r, s, depth - 1, near)).collect();
            return u.terms.apply(op, &args);
        }
    }
    if symbols.is_empty() || r.below(3) == 0 { r.pick(&u.constants(sort)) } else { r.pick(&symbols) }
}

/// Random applications in which subterms tend to occur twice.
fn random(u: &Universe, seed: u64, count: usize, visit: &mut dyn FnMut(Op, &[Term])) {
    let mut r = Random(seed);
    for _ in 0..count {
        let op = r.pick(&u.ops);
        let all = &u.signatures[&op];
        if all.is_empty() {
            continue;
        }
        let signature = &all[r.below(all.len())];
        let mut near: Vec<Term> = Vec::new();
        let mut args = Vec::new();
        for &s in signature {
            let t = random_term(u, &mut r, s, 2, &near);
            near = u.terms.reachable(&[t]);
            args.push(t);
        }
        visit(op, &args);
    }
}

/// Applications to two terms with the same kind of operation on top, such as `x + 1 == y + 2`.
fn twins(u: &Universe, seed: u64, count: usize, visit: &mut dyn FnMut(Op, &[Term])) {
    let mut r = Random(seed);
    let mut kinds: Vec<(std::mem::Discriminant<Op>, Vec<Term>)> = Vec::new();
    for &op in &u.ops {
        let kind = std::mem::discriminant(&op);
        if !kinds.iter().any(|(k, _)| *k == kind) {
            kinds.push((kind, Vec::new()));
        }
        let group = &mut kinds.iter_mut().find(|(k, _)| *k == kind).expect("it was made").1;
        for signature in &u.signatures[&op] {
            let lists: Vec<Vec<Term>> = signature.iter().map(|&s| u.leaves(s)).collect();
            product(&lists, &mut |args| {
                if args.iter().any(|a| u.symbols.contains(a)) {
                    group.push(u.terms.apply(op, args));
                }
            });
        }
    }
    kinds.retain(|(_, group)| !group.is_empty());
    // There are many extractions, and none joins two terms.
    let outer: Vec<Op> = u.ops.iter().copied().filter(|op| !matches!(op, Op::Extract { .. })).collect();
    for _ in 0..count {
        let group = &kinds[r.below(kinds.len())].1;
        let (a, b) = (r.pick(group), r.pick(group));
        let op = r.pick(&outer);
        if result_sort(op, &[u.terms.sort(a), u.terms.sort(b)]).is_ok() {
            visit(op, &[a, b]);
        }
    }
}

/// Towers `f(g(f(..), ..), ..)` of two operations, with leaves in the other places.
fn towers(u: &Universe, seed: u64, count: usize, visit: &mut dyn FnMut(Op, &[Term])) {
    let mut r = Random(seed);
    let place = |r: &mut Random, op: Op, below: Option<Term>| {
        let fitting: Vec<&Vec<Sort>> =
            u.signatures[&op].iter().filter(|s| below.is_none_or(|t| s.contains(&u.terms.sort(t)))).collect();
        if fitting.is_empty() {
            return None;
        }
        let signature = r.pick(&fitting);
        let mut args: Vec<Term> = signature.iter().map(|&s| r.pick(&u.leaves(s))).collect();
        if let Some(t) = below {
            let at: Vec<usize> = (0..args.len()).filter(|&i| signature[i] == u.terms.sort(t)).collect();
            args[at[r.below(at.len())]] = t;
        }
        Some(args)
    };
    for _ in 0..count {
        let (f, g) = (r.pick(&u.ops), r.pick(&u.ops));
        let Some(args) = place(&mut r, f, None) else { continue };
        let Some(args) = place(&mut r, g, Some(u.terms.apply(f, &args))) else { continue };
        let Some(args) = place(&mut r, f, Some(u.terms.apply(g, &args))) else { continue };
        visit(f, &args);
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
    ];
    let families = ["any sort", "comparisons", "ring", "integer division"];
    let rules = expected(&families, &["not-comparison"], &bit_vectors_only);
    assert_validated("int", &[integers()], true, 60_000, &rules);
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
        arrays(Scalar::BitVec(1), Scalar::BitVec(2)),
    ];
    let mut shrunk = 0;
    for u in &universes {
        let mut r = Random(11);
        for _ in 0..1500 {
            let sort = r.pick(&u.sorts);
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
