//! What a recursive call gives back, as a relation between its arguments and its result.
//!
//! In [`Form::Skip`](crate::translate::flat::Form) the result of a recursive call that returns is unknown. For `f(f(n + 11))` that is too little: the second
//! call descends with whatever the first one gave back. So some facts about arguments and result may be assumed of a call that is skipped, if each
//! return of the function is shown to keep them:
//!
//! - where a call is skipped, runs in which its result breaks a fact are left out;
//! - where a function returns, of whatever instance, a run in which a fact is broken goes beyond the model: then nothing is said of it, nor of anything that it might come to.
//!
//! **Why that leaves out no run of the program.** Suppose that nothing goes beyond the model, which a proof of termination has to show. Take the calls of a run of the program in
//! the order in which they return, and one of them, `c`. Follow the run, descending into the calls that are open when `c` is, and skipping those that have returned before: all of these return before
//! `c` does, so by induction they keep the facts, and no step of the followed run is left out. It comes to the return of `c`, which does not go beyond the model; so `c` keeps the facts. Then any followed
//! run is left whole, by the argument in [`super::skip`]. Facts say nothing of calls that do not return, and nothing is concluded from them about whether a call returns.
//!
//! The facts are guessed here, from values: a small evaluator runs the function on some arguments. A guess that is wrong costs the proof.

use crate::module::{
    BinOp, Callee, CastOp, Constant, Function, FunctionId, Module, Op, Operand, Parameter, Predicate, Terminator, Type,
    ValueId,
};
use crate::translate::flat::{address_taken, index};
use crate::translate::values::arith::{Num, and, cmp, constant, operate, or, truth};
use lariat_ir::fast::FastMap;
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, IntType, Overflow};
use lariat_ir::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// The facts about calls of functions.
pub(in crate::translate) type Relations = BTreeMap<FunctionId, Vec<Fact>>;

/// Where an argument is on one side of a number, the result, or its distance from an argument, is at least or at most a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::translate) struct Fact {
    /// The argument, whether it is at most the number, and the number; nothing for all calls.
    region: Option<(usize, bool, i64)>,
    /// The argument that the result is compared with, if it is not compared with a number alone.
    from: Option<usize>,
    is_least: bool,
    bound: i64,
}

/// A type in which no sum of two numbers of 64 bits wraps.
const WIDE: IntType = IntType::signed(72);

impl Fact {
    /// The fact about some arguments and a result, as signed numbers.
    fn holds(&self, args: &[Num], result: &Num) -> Cond {
        let wide = |n: &Num| n.read_as(IntType::signed(n.ty.width)).to(WIDE);
        let bound = constant(self.bound, WIDE);
        let bound = match self.from {
            Some(n) => operate(BinaryOp::Add, WIDE, Overflow::Undefined, wide(&args[n]), bound),
            None => bound,
        };
        let fact = cmp(if self.is_least { CmpOp::Ge } else { CmpOp::Le }, WIDE, wide(result), bound);
        match self.region {
            None => fact,
            Some((n, at_most, k)) => {
                let outside = if at_most { CmpOp::Gt } else { CmpOp::Le };
                or(cmp(outside, WIDE, wide(&args[n]), constant(k, WIDE)), fact)
            }
        }
    }
}

impl Fact {
    /// The same of numbers.
    fn is_true(&self, args: &[i64], result: i64) -> bool {
        let is_in = self.region.is_none_or(|(n, at_most, k)| (args[n] <= k) == at_most);
        let bound = self.from.map_or(0, |n| args[n]).saturating_add(self.bound);
        !is_in || if self.is_least { result >= bound } else { result <= bound }
    }
}

/// All facts together.
pub(in crate::translate) fn all_hold(facts: &[Fact], args: &[Num], result: &Num) -> Cond {
    facts.iter().map(|f| f.holds(args, result)).fold(truth(true), and)
}

/// Whether a function takes and gives integers only.
fn is_about_integers(function: &Function) -> bool {
    let fits = |ty: &Type| matches!(ty, Type::Int(w) if (8..=64).contains(w));
    !function.params.is_empty()
        && function.params.len() <= 3
        && !function.variadic
        && fits(&function.result)
        && function.params.iter().all(|p| fits(&p.ty))
}

/// What is guessed of the functions of a module that call themselves, and that are called by their names only: then the arguments of each call are known.
pub(in crate::translate) fn guessed(module: &Module) -> Relations {
    let taken = address_taken(module);
    let calls = |f: FunctionId, g: &Function| {
        g.blocks
            .iter()
            .flat_map(|b| &b.instructions)
            .any(|i| matches!(&i.op, Op::Call { callee: Callee::Function(h), .. } if *h == f))
    };
    let all = module.functions.iter().enumerate().map(|(n, f)| (FunctionId(index(n)), f));
    let found = all.filter(|(id, f)| !taken.contains(id) && is_about_integers(f) && calls(*id, f));
    kept(module, found.map(|(id, f)| (id, facts_of(module, id, f))).collect())
}

/// Leaves those of some facts that calls keep if the calls in them do, as far as trials show: one that is broken when inner calls give back anything that the facts allow would
/// only be in the way.
fn kept(module: &Module, mut all: Relations) -> Relations {
    /// Each costs some microseconds.
    const TRIALS: u32 = 1_500;
    /// So often facts are taken out; what is left then is as good as nothing.
    const ROUNDS: u32 = 40;
    let mut chance = Random::new(1);
    for _ in 0..ROUNDS {
        let mut broken: BTreeMap<FunctionId, BTreeSet<usize>> = BTreeMap::new();
        for (id, facts) in &all {
            let function = &module.functions[id.0 as usize];
            let Type::Int(width) = function.result else { continue };
            let numbers: Vec<i64> = compared(function).into_iter().collect();
            for _ in 0..TRIALS {
                let near = |chance: &mut Random| chance.choose(&numbers) + chance.between(-20, 20);
                let args: Vec<i64> = (0..function.params.len()).map(|_| near(&mut chance)).collect();
                let bits = args.iter().map(|a| i128::from(*a).cast_unsigned()).collect();
                let mut run = Run { module, left: 4_000, believes: Some((&all, &mut chance)) };
                let Some(result) = run.call(*id, bits, 0) else { continue };
                let result = signed(width, result);
                let wrong = facts.iter().enumerate().filter(|(_, f)| !f.is_true(&args, result)).map(|(n, _)| n);
                broken.entry(*id).or_default().extend(wrong);
            }
        }
        broken.retain(|_, facts| !facts.is_empty());
        if broken.is_empty() {
            for facts in all.values_mut() {
                facts.truncate(MOST_KEPT);
            }
            all.retain(|_, facts| !facts.is_empty());
            return all;
        }
        for (id, gone) in broken {
            let mut number = 0;
            all.entry(id).or_default().retain(|_| {
                number += 1;
                !gone.contains(&(number - 1))
            });
        }
    }
    Relations::new()
}

/// So many facts of a function go into the program.
const MOST_KEPT: usize = 16;

/// So many are looked at.
const MOST: usize = 48;

fn facts_of(module: &Module, id: FunctionId, function: &Function) -> Vec<Fact> {
    let numbers = compared(function);
    // On a wide range and on a part of it: what is not the same on both is no bound.
    let around = match function.params.len() {
        1 => 24,
        2 => 10,
        _ => 4,
    };
    let wide = samples(module, id, function, &numbers, around);
    let narrow = samples(module, id, function, &numbers, around / 2);
    let mut regions: Vec<Option<(usize, bool, i64)>> = vec![None];
    for below in [0, 1] {
        for n in 0..function.params.len() {
            for k in numbers.iter().map(|k| k - below).filter(|k| below == 0 || !numbers.contains(k)) {
                regions.extend([true, false].map(|at_most| Some((n, at_most, k))));
            }
        }
    }
    let mut found: Vec<Fact> = Vec::new();
    for region in regions {
        let is_in = |(args, _): &&(Vec<i64>, i64)| match region {
            None => true,
            Some((n, true, k)) => args[n] <= k,
            Some((n, false, k)) => args[n] > k,
        };
        for from in (0..function.params.len()).map(Some).chain([None]) {
            let distance = |(args, r): &(Vec<i64>, i64)| r.checked_sub(from.map_or(0, |n| args[n]));
            let all: Option<Vec<i64>> = wide.iter().filter(is_in).map(distance).collect();
            let part: Option<Vec<i64>> = narrow.iter().filter(is_in).map(distance).collect();
            let (Some(all), Some(part)) = (all, part) else { continue };
            if part.len() < 3 {
                continue;
            }
            for is_least in [true, false] {
                let bound = |of: &[i64]| if is_least { of.iter().min().copied() } else { of.iter().max().copied() };
                let Some(bound) = bound(&all).filter(|b| bound(&part) == Some(*b)) else { continue };
                // What is known of all calls is known of some.
                let is_known = found
                    .iter()
                    .any(|f| f.region.is_none() && (f.from, f.is_least, f.bound) == (from, is_least, bound));
                if !is_known && found.len() < MOST {
                    found.push(Fact { region, from, is_least, bound });
                }
            }
        }
    }
    found
}

/// The numbers that a function compares something with, as signed ones, those that are small.
fn compared(function: &Function) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    for i in function.blocks.iter().flat_map(|b| &b.instructions) {
        if let Op::Compare { left, right, .. } = &i.op {
            for o in [left, right] {
                if let Operand::Constant(Constant::Int(width, value)) = o {
                    found.insert(signed(*width, *value));
                }
            }
        }
    }
    let mut found: BTreeSet<i64> = found.into_iter().filter(|k| k.abs() <= 10_000).take(4).collect();
    if found.is_empty() {
        found.insert(0);
    }
    found
}

fn signed(width: u32, bits: u128) -> i64 {
    let unused = 128 - width.clamp(1, 128);
    i64::try_from((bits << unused).cast_signed() >> unused).unwrap_or(i64::MAX)
}

/// Arguments around the numbers that a function compares, and what it gives back for them.
fn samples(
    module: &Module,
    id: FunctionId,
    function: &Function,
    numbers: &BTreeSet<i64>,
    around: i64,
) -> Vec<(Vec<i64>, i64)> {
    /// Of more parameters each has fewer values.
    const MOST_TRIED: usize = 700;
    let values: BTreeSet<i64> = numbers.iter().flat_map(|k| (k - around)..=(k + around)).collect();
    let values: Vec<i64> = values.into_iter().collect();
    let count = function.params.len();
    let step = (1..=values.len()).find(|s| values.len().div_ceil(*s).pow(index(count)) <= MOST_TRIED).unwrap_or(1);
    let values: Vec<i64> = values.into_iter().step_by(step).collect();
    let mut tuples: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..count {
        tuples = tuples.iter().flat_map(|t| values.iter().map(|v| t.iter().copied().chain([*v]).collect())).collect();
    }
    // Those that are likely to come back first: the others use up what there is.
    tuples.sort_by_key(|t| (t.iter().filter(|v| **v < 0).count(), t.iter().map(|v| v.abs()).sum::<i64>()));
    let mut left = 500_000;
    tuples
        .into_iter()
        .filter_map(|args| {
            // One call that goes on and on is not to take it all.
            let mut run = Run { module, left: 3_000.min(left), believes: None };
            let given = run.left;
            let bits = args.iter().map(|a| i128::from(*a).cast_unsigned()).collect();
            let result = run.call(id, bits, 0);
            left -= given - run.left;
            let Type::Int(width) = function.result else { return None };
            Some((args, signed(width, result?)))
        })
        .collect()
}

/// A run of functions on integers.
struct Run<'m, 'r> {
    module: &'m Module,
    /// So many instructions are still executed.
    left: u32,
    /// Inner calls of functions about which there are facts are not executed: they give back some value that the facts allow.
    believes: Option<(&'r Relations, &'r mut Random)>,
}

impl Run<'_, '_> {
    /// What an inner call gives back: of a function about which there are facts some value that they allow.
    fn inner(&mut self, id: FunctionId, args: Vec<u128>, depth: u32) -> Option<u128> {
        const TRIES: u32 = 30;
        let known = self.believes.as_mut().and_then(|(relations, chance)| Some((relations.get(&id)?, chance)));
        let Some((facts, chance)) = known else { return self.call(id, args, depth) };
        let function = &self.module.functions[id.0 as usize];
        let number = |(a, p): (&u128, &Parameter)| match p.ty {
            Type::Int(width) => Some(signed(width, *a)),
            _ => None,
        };
        let numbers: Vec<i64> = args.iter().zip(&function.params).map(number).collect::<Option<_>>()?;
        let Type::Int(width) = function.result else { return None };
        (0..TRIES).find_map(|_| {
            let some = facts.get(chance.below(facts.len() + 1));
            let base = some.map_or(0, |f| f.from.map_or(0, |n| numbers[n]).saturating_add(f.bound));
            let result = base.saturating_add(chance.between(-4, 4));
            let is_allowed = facts.iter().all(|f| f.is_true(&numbers, result));
            is_allowed.then(|| masked(width, i128::from(result).cast_unsigned()))
        })
    }

    /// What a call gives back, unless it does something else than compute with integers and local variables, or takes too long.
    fn call(&mut self, id: FunctionId, args: Vec<u128>, depth: u32) -> Option<u128> {
        /// The evaluator calls itself.
        const DEEPEST: u32 = 200;
        let function = &self.module.functions[id.0 as usize];
        if depth > DEEPEST || function.blocks.is_empty() || args.len() != function.params.len() {
            return None;
        }
        let mut values: FastMap<ValueId, u128> = FastMap::default();
        for (n, (arg, p)) in args.into_iter().zip(&function.params).enumerate() {
            let Type::Int(width) = p.ty else { return None };
            values.insert(ValueId(index(n)), masked(width, arg));
        }
        // Local variables are told apart by who made them.
        let mut memory: FastMap<ValueId, u128> = FastMap::default();
        let (mut at, mut from) = (0_usize, 0_usize);
        loop {
            let block = &function.blocks[at];
            for i in &block.instructions {
                self.left = self.left.checked_sub(1)?;
                let value = |o: &Operand| match o {
                    Operand::Value(v) => values.get(v).copied(),
                    Operand::Constant(Constant::Int(width, bits)) => Some(masked(*width, *bits)),
                    Operand::Constant(_) => None,
                };
                let made = match &i.op {
                    Op::Alloca { .. } => None,
                    Op::Store { value: stored, ptr: Operand::Value(to), volatile: false, ty: Type::Int(_), .. } => {
                        memory.insert(*to, value(stored)?);
                        None
                    }
                    Op::Load { ptr: Operand::Value(from), volatile: false, .. } => Some(*memory.get(from)?),
                    Op::Binary { op, left, right, .. } => {
                        let Type::Int(width) = i.ty else { return None };
                        Some(masked(width, binary(*op, width, value(left)?, value(right)?)?))
                    }
                    Op::Compare { pred, left, right, ty: Type::Int(width), .. } => {
                        Some(u128::from(compare(*pred, *width, value(left)?, value(right)?)))
                    }
                    Op::Cast { op, arg, from: Type::Int(from), .. } => {
                        let Type::Int(to) = i.ty else { return None };
                        let arg = value(arg)?;
                        match op {
                            CastOp::Trunc | CastOp::ZExt => Some(masked(to, arg)),
                            CastOp::SExt => Some(masked(to, extended(*from, arg).cast_unsigned())),
                            _ => return None,
                        }
                    }
                    Op::Select { cond, yes, no } => Some(value(if value(cond)? & 1 == 1 { yes } else { no })?),
                    Op::Phi { incoming } => {
                        let (_, arriving) = incoming.iter().find(|(b, _)| b.0 as usize == from)?;
                        Some(value(arriving)?)
                    }
                    Op::Call { callee: Callee::Function(g), args, .. } => {
                        let callee = &self.module.functions[g.0 as usize];
                        if callee.blocks.is_empty() {
                            // What describes variables and scopes does nothing.
                            if callee.intrinsic.is_some() && callee.result == Type::Void { None } else { return None }
                        } else {
                            let args = args.iter().map(value).collect::<Option<Vec<u128>>>()?;
                            Some(self.inner(*g, args, depth + 1)?)
                        }
                    }
                    _ => return None,
                };
                if let Some(made) = made {
                    values.insert(i.id, made);
                }
            }
            let value = |o: &Operand| match o {
                Operand::Value(v) => values.get(v).copied(),
                Operand::Constant(Constant::Int(width, bits)) => Some(masked(*width, *bits)),
                Operand::Constant(_) => None,
            };
            let next = match &block.terminator {
                Terminator::Jump(to) => *to,
                Terminator::Branch { cond, yes, no } => {
                    if value(cond)? & 1 == 1 {
                        *yes
                    } else {
                        *no
                    }
                }
                Terminator::Switch { value: of, cases, default, .. } => {
                    let of = value(of)?;
                    cases.iter().find(|(k, _)| *k == of).map_or(*default, |(_, to)| *to)
                }
                Terminator::Return(Some(result)) => return value(result),
                _ => return None,
            };
            (from, at) = (at, next.0 as usize);
            self.left = self.left.checked_sub(1)?;
        }
    }
}

fn masked(width: u32, bits: u128) -> u128 {
    let unused = 128 - width.clamp(1, 128);
    (bits << unused) >> unused
}

fn extended(width: u32, bits: u128) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    (bits << unused).cast_signed() >> unused
}

fn binary(op: BinOp, width: u32, a: u128, b: u128) -> Option<u128> {
    let (x, y) = (extended(width, a), extended(width, b));
    Some(match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SDiv => x.checked_div(y)?.cast_unsigned(),
        BinOp::SRem => x.checked_rem(y)?.cast_unsigned(),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl if b < u128::from(width) => a << b,
        BinOp::LShr if b < u128::from(width) => a >> b,
        BinOp::AShr if b < u128::from(width) => (x >> b).cast_unsigned(),
        _ => return None,
    })
}

fn compare(pred: Predicate, width: u32, a: u128, b: u128) -> bool {
    let (x, y) = (extended(width, a), extended(width, b));
    match pred {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Sgt => x > y,
        Predicate::Sge => x >= y,
        Predicate::Slt => x < y,
        Predicate::Sle => x <= y,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, compile, llvm, translate::prepare};

    /// The facts that are guessed of a function, in words.
    fn guesses(c: &str, name: &str) -> Vec<String> {
        let file = std::env::temp_dir().join(format!("lariat-relations-{}-{name}.c", std::process::id()));
        std::fs::write(&file, c).expect("a folder for temporary files");
        let bitcode = compile::compile(&file, &Options::default()).expect("it is C");
        std::fs::remove_file(&file).expect("it was just written");
        let module = prepare::prepare(&llvm::read(&bitcode, "f.c").expect("it is bitcode"));
        let id = module.functions.iter().position(|f| f.name == name).expect("it is defined");
        let facts = guessed(&module).remove(&FunctionId(index(id))).unwrap_or_default();
        let word = |f: &Fact| {
            let region = match f.region {
                None => String::new(),
                Some((n, true, k)) => format!("a{n} <= {k}: "),
                Some((n, false, k)) => format!("a{n} > {k}: "),
            };
            let from = f.from.map_or(String::new(), |n| format!("a{n} + "));
            format!("{region}r {} {from}{}", if f.is_least { ">=" } else { "<=" }, f.bound)
        };
        facts.iter().map(word).collect()
    }

    #[test]
    fn facts_about_what_calls_give_back() {
        let of = guesses("int mc91(int n) { return n > 100 ? n - 10 : mc91(mc91(n + 11)); }", "mc91");
        for fact in ["r >= a0 + -10", "a0 > 100: r <= a0 + -10", "a0 <= 100: r <= 91", "r >= 91"] {
            assert!(of.contains(&fact.to_owned()), "{fact} in {of:?}");
        }
        let of = guesses(
            "int a(int m, int n) { if (m == 0) return n + 1; if (n == 0) return a(m - 1, 1); return a(m - 1, a(m, n - 1)); }",
            "a",
        );
        assert!(of.contains(&"a1 > -1: r >= 1".to_owned()), "{of:?}");
        let of = guesses(
            "void abort(void); int g(int x, int y) { if (x <= 0 || y <= 0) abort(); if (x == y) return x; if (x > y) return g(x - y, y); return g(x, y - x); }",
            "g",
        );
        assert!(of.contains(&"r >= 1".to_owned()), "{of:?}");
        // What only goes on and on says nothing.
        assert_eq!(guesses("int f(int x) { return f(x + 1) + 1; }", "f"), [""; 0]);
    }
}
