//! What the exits of a loop depend on. This is advice for whoever chooses what to keep: nothing rests on it.

use super::Site;
use super::places::Places;
use super::symbolic::{Env, Walk, now, now_cond, vars_of, vars_of_cond};
use lariat_ir::function::End;
use lariat_ir::neutral::Expr;
use std::collections::{BTreeMap, BTreeSet};

/// What depends on what in one round of a loop.
#[derive(Clone, Debug, Default)]
pub struct Deps {
    /// For what is assigned, the variables and places of which it is made.
    pub made_of: BTreeMap<usize, BTreeSet<usize>>,
    /// What the conditions of the loop's exits mention.
    pub exits: BTreeSet<usize>,
    /// What other conditions mention.
    pub branches: BTreeSet<usize>,
    /// What addresses of accesses mention.
    pub addresses: BTreeSet<usize>,
}

/// Those of a loop.
pub fn deps(site: Site<'_>, places: &Places) -> Deps {
    among(site, places, site.body())
}

/// What is made of what anywhere in the function of a loop.
pub fn deps_before(site: Site<'_>) -> Deps {
    let all: Vec<usize> = (0..site.function().blocks.len()).collect();
    among(site, &Places::none(site), &all)
}

fn among(site: Site<'_>, places: &Places, blocks: &[usize]) -> Deps {
    let mut found = Deps::default();
    for b in blocks {
        let block = &site.function().blocks[*b];
        let mut env = Env::default();
        let mut walk = Walk::new(site, places, |_| Expr::Unknown(0));
        for step in &block.steps {
            if let Some(required) = walk.step(&mut env, step) {
                vars_of_cond(&required, &mut found.addresses);
            }
        }
        for (var, value) in &env {
            vars_of(value, found.made_of.entry(*var).or_default());
        }
        let leaves = block.end.targets().iter().any(|to| !site.is_inside(*to));
        let into = if leaves { &mut found.exits } else { &mut found.branches };
        match &block.end {
            End::Branch { cond, .. } => vars_of_cond(&now_cond(&env, cond), into),
            End::Switch { value, .. } => vars_of(&now(&env, value), into),
            _ => {}
        }
    }
    found
}

impl Deps {
    /// Everything that some variables and places are made of, themselves included.
    pub fn closed(&self, from: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut all = from.clone();
        let mut work: Vec<usize> = from.iter().copied().collect();
        while let Some(v) = work.pop() {
            for w in self.made_of.get(&v).into_iter().flatten() {
                if all.insert(*w) {
                    work.push(*w);
                }
            }
        }
        all
    }
}
