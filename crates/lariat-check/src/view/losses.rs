//! Why nothing is known of what the exits of a loop ask: words for a reader. Nothing rests on it.

use super::derive::describe;
use super::places::{Places, assigned};
use super::slice::{Deps, leaves};
use super::symbolic::{Env, Walk, now, now_cond, unknowns_of, unknowns_of_cond};
use super::{Site, Start};
use lariat_ir::function::{End, Step};
use lariat_ir::neutral::Expr;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Where something gets a value that nobody knows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Loss {
    /// A place may be written in a call, of whom this tells.
    Call(String, String),
    /// A place may be written through another address.
    Store(String),
    /// Something is what a call gives back.
    Result(String),
    /// Something is read from memory that may have changed since.
    Memory,
    /// A variable changes in a loop inside.
    Inner(String),
    /// Something is no integer, or its value is not followed.
    Value,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(what, who) => write!(f, "{who} may change `{what}`"),
            Self::Store(what) => write!(f, "a store through another pointer may change `{what}`"),
            Self::Result(who) => write!(f, "{who} gives back any value"),
            Self::Memory => f.write_str("memory that it reads may hold another value in each iteration"),
            Self::Inner(what) => write!(f, "a loop inside sets `{what}`"),
            Self::Value => {
                f.write_str("it asks values that are not followed (floating-point, volatile, without a value)")
            }
        }
    }
}

/// What is lost of what the exits of a loop depend on.
pub fn losses(site: Site<'_>, places: &Places, deps: &Deps) -> BTreeSet<Loss> {
    let function = site.function();
    let wanted = deps.closed(&deps.exits);
    let mut found = BTreeSet::new();
    for l in site.passed(Start::Anywhere) {
        for v in assigned(site, &function.loops[l].body).into_iter().filter(|v| wanted.contains(v)) {
            let (name, _, is_named) = describe(site, places, v);
            if is_named {
                found.insert(Loss::Inner(name));
            }
        }
    }
    for b in site.body() {
        let block = &function.blocks[*b];
        let mut env = Env::default();
        let mut causes: BTreeMap<usize, Loss> = BTreeMap::new();
        let count = std::cell::Cell::new(0);
        let mut walk = Walk::new(site, places, |_, _| {
            count.set(count.get() + 1);
            Expr::Unknown(count.get() - 1)
        });
        for step in &block.steps {
            let first = count.get();
            let before: BTreeMap<usize, Expr> =
                (0..places.list.len()).map(|n| places.first + n).map(|p| (p, now(&env, &Expr::Var(p)))).collect();
            walk.step(&mut env, step);
            let is_lost = |p: &usize| wanted.contains(p) && before.get(p) != env.get(p) && env.contains_key(p);
            match step {
                Step::Call(call) => {
                    for p in before.keys().filter(|p| is_lost(p)) {
                        found.insert(Loss::Call(describe(site, places, *p).0, call.callee.clone()));
                    }
                    causes.extend((first..count.get()).map(|u| (u, Loss::Result(call.callee.clone()))));
                }
                Step::Store { .. } => {
                    for p in before.keys().filter(|p| is_lost(p)) {
                        let mut unknown = BTreeSet::new();
                        unknowns_of(&env[p], &mut unknown);
                        if unknown.iter().any(|u| *u >= first) {
                            found.insert(Loss::Store(describe(site, places, *p).0));
                        }
                    }
                    causes.extend((first..count.get()).map(|u| (u, Loss::Value)));
                }
                Step::Load { .. } => causes.extend((first..count.get()).map(|u| (u, Loss::Memory))),
                _ => causes.extend((first..count.get()).map(|u| (u, Loss::Value))),
            }
        }
        let mut unknown = BTreeSet::new();
        for (_, value) in env.iter().filter(|(v, _)| wanted.contains(v) && **v < places.first) {
            unknowns_of(value, &mut unknown);
        }
        if leaves(site, block) {
            match &block.end {
                End::Branch { cond, .. } => unknowns_of_cond(&now_cond(&env, cond), &mut unknown),
                End::Switch { value, .. } => unknowns_of(&now(&env, value), &mut unknown),
                _ => {}
            }
        }
        found.extend(unknown.into_iter().filter_map(|u| causes.get(&u).cloned()));
    }
    found
}
