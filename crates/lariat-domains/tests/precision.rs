//! What must be found for the kinds of loops that programs have.

use lariat_domains::{Layer, Options, invariants};
use lariat_ir::{LoopForest, Sort, lts};
use std::collections::HashMap;

/// Asserts that a layer says each of these about a location, as a part by itself.
#[track_caller]
fn finds(layer: Layer, text: &str, location: &str, wanted: &[&str]) {
    let ts = lts::parse(text).unwrap_or_else(|e| panic!("{e}")).system;
    let found = invariants(&ts, &LoopForest::of(&ts), &Options::new(layer));
    assert_eq!(found.layer, Some(layer));
    let at = ts.loc_named(location).expect("the location exists");
    let said = found.at.get(&at).cloned().unwrap_or_default();
    let written: Vec<String> = said.iter().map(|t| lts::print_term(&ts, *t)).collect();
    for w in wanted {
        let term = lts::parse_term_of_sort(&ts, w, &HashMap::new(), Sort::Bool).unwrap_or_else(|e| panic!("{w}: {e}"));
        assert!(said.contains(&term), "{location}: {w} is not among {written:#?}");
    }
}

#[test]
fn a_counter_to_a_constant() {
    let text = "lts 1\nname a\nintegers ideal\nvar i: int\ninit i == 0\nentry head\n
head:
  if i < 10 goto head with i := i + 1
  if !(i < 10) goto done
done:
  goto EXIT\n";
    finds(Layer::Intervals, text, "head", &["0 <= i", "i <= 10"]);
    finds(Layer::Intervals, text, "done", &["i == 10"]);
}

#[test]
fn a_counter_to_a_variable() {
    let text = "lts 1\nname a\nintegers ideal\nvar i: int\nvar n: int\ninit i == 0 && 0 <= n\nentry head\n
head:
  if i < n goto head with i := i + 1
  if !(i < n) goto done
done:
  goto EXIT\n";
    finds(Layer::Octagons, text, "head", &["0 <= i", "0 <= n", "i <= n"]);
    finds(Layer::Octagons, text, "done", &["i == n"]);
}

#[test]
fn a_counter_until_it_is_equal() {
    let text = "lts 1\nname a\nintegers ideal\nvar i: int\nvar n: int\ninit i == 0 && 0 <= n\nentry head\n
head:
  if i != n goto head with i := i + 1
  if i == n goto done
done:
  goto EXIT\n";
    finds(Layer::Octagons, text, "head", &["0 <= i", "i <= n"]);
}

#[test]
fn an_unsigned_counter_of_a_machine() {
    let text = "lts 1\nname a\nintegers wrap\nvar i: bv32\nvar n: bv32\ninit i == 0\nentry head\n
head:
  if i <u n goto body
  if !(i <u n) goto done
body:
  goto head with i := i + 1
done:
  goto EXIT\n";
    finds(Layer::Octagons, text, "head", &["i <=u n"]);
    finds(Layer::Octagons, text, "body", &["i <u n", "i <=u 4294967294"]);
    finds(Layer::Octagons, text, "done", &["i == n"]);
}

#[test]
fn a_signed_counter_of_a_machine() {
    let text = "lts 1\nname a\nintegers wrap\nvar i: bv32\nvar n: bv32\ninit i == 0 && 0 <=s n\nentry head\n
head:
  if i <s n goto head with i := i + 1
  if !(i <s n) goto done
done:
  goto EXIT\n";
    finds(Layer::Octagons, text, "head", &["i <=u 2147483647", "i <=s n"]);
    finds(Layer::Octagons, text, "done", &["i == n"]);
}

#[test]
fn a_reduced_counter_over_the_integers() {
    let text = "lts 1\nname a\nintegers ideal\nvar i: int\nvar n: int\ninput k: int in 0 .. 4294967295\nentry start\n
start:
  goto head with i := 0, n := k
head:
  if i < n goto head with i := (i + 1) % 4294967296
  if !(i < n) goto EXIT\n";
    finds(Layer::Octagons, text, "head", &["0 <= i", "n <= 4294967295", "i <= n"]);
}

#[test]
fn two_counters_with_a_constant_sum() {
    let text = "lts 1\nname a\nintegers ideal\nvar i: int\nvar j: int\nvar n: int\ninit i == 0 && j == n && 0 <= n\nentry head\n
head:
  if 0 < j goto head with i := i + 1, j := j - 1
  if !(0 < j) goto done
done:
  goto EXIT\n";
    finds(Layer::Polyhedra, text, "head", &["i + j == n", "0 <= j"]);
    finds(Layer::Polyhedra, text, "done", &["i == n"]);
}

#[test]
fn two_counters_with_different_steps() {
    let text = "lts 1\nname a\nintegers ideal\nvar x: int\nvar y: int\ninit x == 0 && y == 0\nentry head\n
head:
  if x < 100 goto head with x := x + 1, y := y + 2
  if !(x < 100) goto done
done:
  goto EXIT\n";
    finds(Layer::Polyhedra, text, "head", &["2 * x == y", "x <= 100"]);
    finds(Layer::Polyhedra, text, "done", &["y == 200"]);
}

#[test]
fn a_sum_that_stays_below() {
    let text = "lts 1\nname a\nintegers ideal\nvar x: int\nvar y: int\nvar n: int\ninput c: bool\nvar b: bool
init x == 0 && y == 0 && 0 <= n\nentry head\n
head:
  if x + y < n goto pick with b := c
  if !(x + y < n) goto EXIT
pick:
  if b goto head with x := x + 1
  if !b goto head with y := y + 1\n";
    finds(Layer::Polyhedra, text, "head", &["x + y <= n", "0 <= x", "0 <= y"]);
}

#[test]
fn nested_loops() {
    let text = "lts 1\nname a\nintegers ideal\nvar i: int\nvar j: int\nvar n: int\ninit i == 0 && j == 0 && 0 <= n\nentry outer\n
outer:
  if i < n goto inner with j := 0
  if !(i < n) goto EXIT
inner:
  if j < i goto inner with j := j + 1
  if !(j < i) goto outer with i := i + 1\n";
    finds(Layer::Octagons, text, "outer", &["0 <= i", "i <= n"]);
    finds(Layer::Octagons, text, "inner", &["0 <= j", "j <= i", "i + 1 <= n"]);
}

#[test]
fn flags() {
    let text = "lts 1\nname a\nintegers wrap\nvar x: bv8\nvar done: bool\ninit !done && x == 0\nentry head\n
head:
  if !done goto head with done := x == 7, x := x + 1
  if done goto after
after:
  goto EXIT\n";
    finds(Layer::Intervals, text, "after", &["done"]);
    finds(Layer::Intervals, text, "head", &[]);
}

#[test]
fn state_machines() {
    let text = "lts 1\nname a\nintegers wrap\nvar s: bv32\ninput c: bool\nvar b: bool\ninit s == 0\nentry head\n
head:
  if s == 0 goto head with s := 1, b := c
  if s == 1 && b goto head with s := 3, b := c
  if s == 1 && !b goto head with s := 0, b := c
  if s == 3 goto head with s := 0, b := c
  if s != 0 && s != 1 && s != 3 goto never
never:
  goto EXIT\n";
    finds(Layer::Intervals, text, "head", &["s <=u 3"]);
}

#[test]
fn halving() {
    let text = "lts 1\nname a\nintegers ideal\nvar x: int\ninit 1 <= x\nentry head\n
head:
  if 1 < x goto head with x := (0 <= x ? x / 2 : -(-x / 2))
  if !(1 < x) goto done
done:
  goto EXIT\n";
    finds(Layer::Intervals, text, "head", &["1 <= x"]);
    finds(Layer::Intervals, text, "done", &["x == 1"]);
    let machine = "lts 1\nname a\nintegers wrap\nvar x: bv32\nvar y: bv32\ninit 1 <=u x && y == x\nentry head\n
head:
  if 1 <u x goto head with x := x >>u 1
  if !(1 <u x) goto done
done:
  goto EXIT\n";
    finds(Layer::Octagons, machine, "head", &["1 <=u x", "x <=u y"]);
    finds(Layer::Octagons, machine, "done", &["x == 1"]);
}

#[test]
fn remainders() {
    let text = "lts 1\nname a\nintegers ideal\nvar x: int\ninit x == 1\nentry head\n
head:
  if x < 100 goto head with x := x + 4
  if !(x < 100) goto done
done:
  goto EXIT\n";
    finds(Layer::Intervals, text, "head", &["x % 4 == 1", "1 <= x", "x <= 101"]);
    finds(Layer::Intervals, text, "done", &["x == 101"]);
    let machine = "lts 1\nname a\nintegers wrap\nvar x: bv32\ninit x & 3 == 1\nentry head\n
head:
  if x != 100 goto head with x := x + 4
  if x == 100 goto never
never:
  goto EXIT\n";
    finds(Layer::Intervals, machine, "head", &["extract(x, 1, 0) == 1#2"]);
    finds(Layer::Intervals, machine, "never", &["false"]);
}

#[test]
fn a_difference_that_is_kept() {
    let text = "lts 1\nname a\nintegers wrap\nvar p: bv64\nvar q: bv64\ninit p == q && p <=u 1000\nentry head\n
head:
  if p <u 5000 goto head with p := p + 1, q := q + 1
  if !(p <u 5000) goto EXIT\n";
    finds(Layer::Octagons, text, "head", &["p == q"]);
}
