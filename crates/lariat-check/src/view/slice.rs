//! What the exits of a loop depend on. This is advice for whoever chooses what to keep: nothing rests on it.

use super::places::Places;
use super::symbolic::{Env, Walk, now, now_cond, read_first, vars_of, vars_of_cond};
use super::{Keep, Site, Start};
use lariat_ir::function::{Block, End, Step};
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
    // What a block needs of others; the rest, the most by far, is named only within one.
    let mut needed: BTreeSet<usize> = (0..places.list.len()).map(|n| places.first + n).collect();
    for b in blocks {
        read_first(&site.function().blocks[*b], &mut needed);
    }
    for b in blocks {
        let block = &site.function().blocks[*b];
        let mut env = Env::default();
        let mut walk = Walk::new(site, places, |_, _| Expr::Unknown(0));
        for step in &block.steps {
            if let Some(required) = walk.step(&mut env, step) {
                vars_of_cond(&required, &mut found.addresses);
            }
        }
        for (var, value) in env.iter().filter(|(v, _)| needed.contains(v)) {
            vars_of(value, found.made_of.entry(*var).or_default());
        }
        let into = if leaves(site, block) { &mut found.exits } else { &mut found.branches };
        match &block.end {
            End::Branch { cond, .. } => vars_of_cond(&now_cond(&env, cond), into),
            End::Switch { value, .. } => vars_of(&now(&env, value), into),
            _ => {}
        }
    }
    found
}

/// Whether a block may leave the loop. Where the behaviour is undefined no run leaves: what a compiler's check asks decides no exit.
pub(super) fn leaves(site: Site<'_>, block: &Block) -> bool {
    block.end.targets().iter().any(|to| !site.is_inside(*to) && !is_undefined(site, *to))
}

/// Whether the behaviour is undefined where a block begins, or soon after.
fn is_undefined(site: Site<'_>, block: usize) -> bool {
    match site.function().blocks[block].end {
        End::Ub => true,
        End::Jump(to) => matches!(site.function().blocks[to].end, End::Ub),
        _ => false,
    }
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

/// The variables that get a number in the last blocks before a loop.
fn begun(site: Site<'_>) -> BTreeSet<usize> {
    let steps = site.before().into_iter().flat_map(|b| &site.function().blocks[b].steps);
    let number = |step: &Step| match step {
        Step::Assign { var, value: Expr::Const(..) } => Some(*var),
        _ => None,
    };
    steps.filter_map(number).collect()
}

/// What to keep of a loop, in the order in which it is tried: what the exits depend on, with what pointers are moved, and everything; each is found
/// when it is asked for.
pub fn keeps<'a>(site: Site<'a>, places: &'a Places, deps: &Deps) -> impl Iterator<Item = Keep> + use<'a> {
    let moved: BTreeSet<usize> = deps.addresses.intersection(&places.changed).copied().collect();
    let exits = deps.closed(&deps.exits);
    let pointers = deps.closed(&deps.exits.union(&moved).copied().collect());
    let all: BTreeSet<usize> = [&deps.exits, &deps.branches, &deps.addresses].into_iter().flatten().copied().collect();
    let all = deps.closed(&all);
    let keep = |(vars, start): (BTreeSet<usize>, Start)| Keep { vars, start };
    // A counter that nothing else decides: from where it begins it may be all that is needed.
    let counts = |v: &&usize| deps.made_of.get(v).is_some_and(|of| of.iter().all(|w| w == *v));
    let begun = begun(site);
    let counters = deps.exits.intersection(&places.changed).filter(|v| begun.contains(v)).filter(counts).take(3);
    let counters: Vec<(BTreeSet<usize>, Start)> = counters.map(|v| (BTreeSet::from([*v]), Start::Near)).collect();
    let first = [(exits.clone(), Start::Anywhere)].into_iter().chain(counters);
    let near = (!exits.is_disjoint(&begun)).then_some((exits, Start::Near));
    let then = [(pointers.clone(), Start::SecondRound), (all, Start::SecondRound)];
    let first = first.chain(then).chain(near).map(keep);
    let last = move || Keep { vars: deps_before(site).closed(&pointers), start: Start::Entry };
    let mut found: Vec<Keep> = Vec::new();
    first.chain(std::iter::once_with(last)).filter(move |keep| {
        // Nothing falls where nothing changes.
        let is_tried = !keep.vars.is_disjoint(&places.changed) && keep.vars.len() <= 40 && !found.contains(keep);
        if is_tried {
            found.push(keep.clone());
        }
        is_tried
    })
}
