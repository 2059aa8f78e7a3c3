//! Applications of operations at which rules are tried.

use super::universe::{Universe, signatures};
use crate::random::Random;
use crate::sort::Sort;
use crate::term::{Op, Term, result_sort};
use std::collections::BTreeMap;

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

/// Depth one over leaves, then one argument of depth one among leaves. `with_constant_arguments`: also inner terms that have only
/// constants below, which are many and say little.
pub fn systematic(u: &Universe, with_constant_arguments: bool, visit: &mut dyn FnMut(Op, &[Term])) {
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
                // This leaves out nothing but choices between two constants of six or eight bits.
                if lists.iter().map(Vec::len).product::<usize>() > 600_000 {
                    continue;
                }
                product(&lists, &mut |args| visit(op, args));
            }
        }
    }
}

/// A random term of a sort, of at most this depth. `near` are terms that should occur again.
pub fn random_term(u: &Universe, r: &mut Random, sort: Sort, depth: u32, near: &[Term]) -> Term {
    let close: Vec<Term> = near.iter().copied().filter(|&t| u.terms.sort(t) == sort).collect();
    if !close.is_empty() && r.below(3) == 0 {
        return r.choose(&close);
    }
    let symbols = u.symbols_of(sort);
    if depth > 0 && r.below(5) > 0 {
        for _ in 0..40 {
            let op = r.choose(&u.ops);
            let candidates: Vec<&Vec<Sort>> =
                u.signatures[&op].iter().filter(|s| result_sort(op, s) == Ok(sort)).collect();
            if candidates.is_empty() {
                continue;
            }
            let signature = r.choose(&candidates);
            let args: Vec<Term> = signature.iter().map(|&s| random_term(u, r, s, depth - 1, near)).collect();
            return u.terms.apply(op, &args);
        }
    }
    if symbols.is_empty() || r.below(3) == 0 { r.choose(&u.constants(sort)) } else { r.choose(&symbols) }
}

/// Random applications in which subterms tend to occur twice.
pub fn random(u: &Universe, seed: u64, count: usize, visit: &mut dyn FnMut(Op, &[Term])) {
    let mut r = Random::new(seed);
    for _ in 0..count {
        let op = r.choose(&u.ops);
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
pub fn twins(u: &Universe, seed: u64, count: usize, visit: &mut dyn FnMut(Op, &[Term])) {
    let mut r = Random::new(seed);
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
        let (a, b) = (r.choose(group), r.choose(group));
        let op = r.choose(&outer);
        if result_sort(op, &[u.terms.sort(a), u.terms.sort(b)]).is_ok() {
            visit(op, &[a, b]);
        }
    }
}

/// Towers `f(g(f(..), ..), ..)` of two operations, with leaves in the other places.
pub fn towers(u: &Universe, seed: u64, count: usize, visit: &mut dyn FnMut(Op, &[Term])) {
    let mut r = Random::new(seed);
    let place = |r: &mut Random, op: Op, below: Option<Term>| {
        let fitting: Vec<&Vec<Sort>> =
            u.signatures[&op].iter().filter(|s| below.is_none_or(|t| s.contains(&u.terms.sort(t)))).collect();
        if fitting.is_empty() {
            return None;
        }
        let signature = r.choose(&fitting);
        let mut args: Vec<Term> = signature.iter().map(|&s| r.choose(&u.leaves(s))).collect();
        if let Some(t) = below {
            let at: Vec<usize> = (0..args.len()).filter(|&i| signature[i] == u.terms.sort(t)).collect();
            args[at[r.below(at.len())]] = t;
        }
        Some(args)
    };
    for _ in 0..count {
        let (f, g) = (r.choose(&u.ops), r.choose(&u.ops));
        let Some(args) = place(&mut r, f, None) else { continue };
        let Some(args) = place(&mut r, g, Some(u.terms.apply(f, &args))) else { continue };
        let Some(args) = place(&mut r, f, Some(u.terms.apply(g, &args))) else { continue };
        visit(f, &args);
    }
}
