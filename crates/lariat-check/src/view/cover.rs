//! What follows from views: which loops end, and which functions return.
//!
//! **A loop ends** if its view ends, so do the loops inside it, and every function that its blocks may call returns. **A function
//! returns** if nothing in it is [strange](super::Refusal::Strange), all its loops end by the same rule, and every function that it may call returns; and it is in no cycle of
//! calls. Functions from elsewhere are assumed to return, each of them by name. Where the view of one of these loops ends under a condition only, the same holds of the runs in which
//! that condition is true whenever that loop is entered; nobody shows here that it is, so nothing that is said of a whole entry rests on it.
//!
//! *Why.* Let a run stay in a loop `L` of an activation for ever, calls included. Either the activation takes infinitely many steps of its own in `L`,
//! or from some moment on the run stays in one call from a block of `L`. In the first case the blocks of `L` that it passes infinitely often are strongly connected; the
//! smallest loop `M` of the function that holds them is `L` or lies inside, and its header is one of them (the components of the rest are
//! the loops inside `M`, and all of those blocks lie in none of them). So the run passes the header of `M` infinitely often and stays in `M`, which the
//! view of `M` excludes. In the second case the function that is called does not return. Its activation again takes infinitely many steps of its own, which excludes the
//! views of its loops, or stays in a call. Since no function that returns is in a cycle of calls, that can be repeated only as often as there are functions.

use super::derive::View;
use crate::Proved;
use crate::verify::System;
use lariat_ir::function::{Function, Functions, Step, Target};
use lariat_ir::graph::components;
use lariat_ir::neutral::{self, Target as Semantics};
use lariat_ir::{Assumption, AssumptionKind, Property, Proves};
use std::collections::{BTreeMap, BTreeSet};

/// A view that was proved to end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ending {
    function: usize,
    of: usize,
    uses_types: bool,
    /// Whether it ends only under the condition of its view.
    has_condition: bool,
}

impl Ending {
    /// The view of which this was proved; nothing if the proof is of something else.
    pub fn of(view: &View, semantics: Semantics, system: &System<'_>, proof: &Proved) -> Option<Self> {
        let is_end = matches!(proof.claim.property, Property::Terminates(_)) && proof.always;
        let is_of_system = proof.of == system.serial() && system.ts().proves != Proves::Diverges;
        let is_of_view = system.hash() == neutral::lower(view.program(), semantics).hash();
        // The way around is its only loop, so this is the one that ends.
        let is_only = system.forest().loops.len() == 1;
        let (function, of) = view.of();
        let (uses_types, has_condition) = (view.uses_types(), view.when().is_some());
        (is_end && is_of_system && is_of_view && is_only).then_some(Self { function, of, uses_types, has_condition })
    }
}

/// Why a loop, or a function, is not shown to end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Left {
    /// This loop of this function has no view that ends.
    Loop(usize, usize),
    /// This loop of this function ends under a condition only.
    Condition(usize, usize),
    /// This function is called while it is executed.
    Recursion(usize),
    /// Control comes to this function in other ways than its graph says.
    Strange(usize),
    /// This function may not return by the body that it has here, which was taken away.
    Waits(String),
    /// Functions are registered that run when the program ends, and may register others.
    AtExit,
}

/// What it rests on that something ends.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rest {
    /// Assumptions, by their numbers in [`Cover::assumptions`].
    pub assumed: BTreeSet<usize>,
    /// The loops whose views end, by the numbers of the function and of the loop.
    pub loops: BTreeSet<(usize, usize)>,
    /// Those of them whose views end under a condition only, which must hold whenever they are entered.
    pub conditions: BTreeSet<(usize, usize)>,
}

impl Rest {
    fn extend(&mut self, other: &Self) {
        self.assumed.extend(&other.assumed);
        self.loops.extend(&other.loops);
        self.conditions.extend(&other.conditions);
    }
}

/// What the proofs about views cover.
#[derive(Clone, Debug)]
pub struct Cover<'a> {
    functions: &'a Functions,
    /// The loops whose views end.
    ends: BTreeMap<(usize, usize), Ending>,
    /// Of each function: whether it returns.
    returns: Vec<Result<Rest, Left>>,
    assumptions: Vec<Assumption>,
    /// Those about functions that others may replace, by their numbers.
    replaced: BTreeSet<usize>,
}

impl<'a> Cover<'a> {
    /// What follows from some proofs about views of these functions.
    pub fn new(functions: &'a Functions, ends: impl IntoIterator<Item = Ending>) -> Self {
        let mut known: BTreeMap<(usize, usize), Ending> = BTreeMap::new();
        for e in ends {
            let best = known.entry((e.function, e.of)).or_insert(e);
            if best.has_condition {
                *best = e;
            }
        }
        let mut this = Self {
            functions,
            ends: known,
            returns: Vec::new(),
            assumptions: functions.assumed.clone(),
            replaced: BTreeSet::new(),
        };
        this.find_returns();
        this.replaced = functions.replaced.iter().map(|a| this.note(a)).collect();
        this
    }

    /// Everything that something may rest on.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    fn note(&mut self, assumption: &Assumption) -> usize {
        let known = self.assumptions.iter().position(|a| a == assumption);
        known.unwrap_or_else(|| {
            self.assumptions.push(assumption.clone());
            self.assumptions.len() - 1
        })
    }

    fn find_returns(&mut self) {
        let next: Vec<BTreeSet<usize>> = self.functions.list.iter().map(Function::callees).collect();
        let mut returns: BTreeMap<usize, Result<Rest, Left>> = BTreeMap::new();
        // Whoever is called comes before his callers.
        for component in components(next.len(), |f| next[f].clone()) {
            for f in component.nodes {
                let result = if component.cyclic { Err(Left::Recursion(f)) } else { self.function(f, &returns) };
                returns.insert(f, result);
            }
        }
        self.returns = returns.into_values().collect();
    }

    fn function(&mut self, f: usize, returns: &BTreeMap<usize, Result<Rest, Left>>) -> Result<Rest, Left> {
        let function = &self.functions.list[f];
        if function.strange.is_some() {
            return Err(Left::Strange(f));
        }
        let all: Vec<usize> = (0..function.blocks.len()).collect();
        self.covered(f, &(0..function.loops.len()).collect::<Vec<_>>(), &all, |g| &returns[&g])
    }

    /// That the views of some loops end, and that all functions return which some blocks call.
    fn covered<'r>(
        &mut self,
        f: usize,
        loops: &[usize],
        blocks: &[usize],
        returns: impl Fn(usize) -> &'r Result<Rest, Left>,
    ) -> Result<Rest, Left> {
        let functions = self.functions;
        let mut rest = Rest { assumed: (0..functions.assumed.len()).collect(), ..Rest::default() };
        for &l in loops {
            let Some(ending) = self.ends.get(&(f, l)).copied() else { return Err(Left::Loop(f, l)) };
            if ending.has_condition {
                rest.conditions.insert((f, l));
            }
            if ending.uses_types {
                let text = "memory is accessed by the types that it was written by, as C has it";
                rest.assumed.insert(self.note(&Assumption::everywhere(AssumptionKind::EffectiveTypes, text)));
            }
            rest.loops.insert((f, l));
        }
        for step in blocks.iter().flat_map(|b| &functions.list[f].blocks[*b].steps) {
            let Step::Call(call) = step else { continue };
            for target in &call.targets {
                match target {
                    Target::Function(g) => rest.extend(returns(*g).as_ref().map_err(Clone::clone)?),
                    Target::Assumed(a) => {
                        rest.assumed.insert(self.note(a));
                    }
                    Target::Waits(name) => return Err(Left::Waits(name.clone())),
                    Target::AtExit => return Err(Left::AtExit),
                }
            }
        }
        Ok(rest)
    }

    /// Whether a function returns, and what that rests on, conditions included.
    pub fn returns(&self, f: usize) -> Result<&Rest, Left> {
        self.returns[f].as_ref().map_err(Clone::clone)
    }

    /// Whether everything ends that starts in an entry, without any condition. Where that is `main`, this is the program, with all that the library may run when it
    /// begins, ends, or gets a signal; else it is a call of the function, and what it runs is called in it.
    pub fn program(&self, entry: usize) -> Result<Rest, Left> {
        let mut rest = self.returns(entry)?.clone();
        if let Some((f, l)) = rest.conditions.first() {
            return Err(Left::Condition(*f, *l));
        }
        if self.functions.list[entry].name != "main" {
            return Ok(rest);
        }
        if self.functions.at_exit {
            return Err(Left::AtExit);
        }
        for f in &self.functions.taken {
            rest.extend(self.returns(*f)?);
        }
        if let Some((f, l)) = rest.conditions.first() {
            return Err(Left::Condition(*f, *l));
        }
        rest.assumed.extend(&self.replaced);
        Ok(rest)
    }

    /// Whether a loop ends, and what that rests on, conditions included.
    pub fn ends(&mut self, f: usize, of: usize) -> Result<Rest, Left> {
        let function = &self.functions.list[f];
        if function.strange.is_some() {
            return Err(Left::Strange(f));
        }
        let inside = |l: &usize| std::iter::successors(Some(*l), |p| function.loops[*p].parent).any(|p| p == of);
        let loops: Vec<usize> = (0..function.loops.len()).filter(inside).collect();
        let known = self.returns.clone();
        self.covered(f, &loops, &function.loops[of].body, |g| &known[g])
    }
}
