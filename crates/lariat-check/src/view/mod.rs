//! Views: a loop of a function as a system of its own, from any state in which its header can be.
//!
//! A view is made here, from the function and a list of what to keep; nobody hands over one that is already cut. So whoever searches may choose what
//! to forget as he likes: a bad choice costs the proof, never its truth.
//!
//! **What a view has.** Let a run of the program stay in an activation of the function, in the blocks of the loop, for ever, and let it pass
//! the header infinitely often. Then the view has an infinite run. Its states give the kept variables and places
//! their values in the program, its steps are the ways of the program between two visits of the header:
//! - *Start.* The first location gives everything that is kept a value that nobody knows, so the state at any visit of the header is among those
//!   in which the view begins. Signed numbers may be any integer over Z: they may have been computed. With [`Start::SecondRound`] one way around comes
//!   before: an infinite run has its first round behind it, too. With [`Start::Entry`] the ways from the function's entry come before, with parameters
//!   that nobody knows: the activation has come to the header on one of them. With [`Start::Near`] the last blocks before the header come before, in any state: see [`Site::before`]. Loops on these ways, also those around this one, are treated like inner loops: from the
//!   last visit of such a header on they do not go back to it. Places are unknown when the header is reached.
//! - *Forgotten variables* are unknown at each visit of a location that reads them, of the kind `Abstraction`.
//! - *Memory* is forgotten but for [`places`]: what a load gives is unknown, unless the address is that of a place. A place is written by the stores to it,
//!   becomes unknown at each store and each call that may touch it, and keeps its value else.
//! - *Inner loops.* At the header of an inner loop everything that is assigned in it becomes unknown, and its ways back lead nowhere: a visit of an
//!   inner loop that is left again is, from its last round on, a way through its blocks without a way back, from a state in which
//!   only what it assigns is changed. For this each inner loop must be entered at its header only; else there is no view.
//!   That inner loops are left is not said here: see [`cover`].
//! - *Calls* come back, with a result that nobody knows, having written what they [may write](effects); or they do not, and then the run does not stay in the loop's own
//!   blocks. That they come back is not said here either.
//! - *Where the function is left*, or its behaviour is undefined, the view ends.
//! - *Branches* go where their condition says; where that reads nothing that is kept, or all that comes before the next block with something that is kept
//!   is of no interest, an unknown value chooses.
//!
//! So if the view's loop ends, from every state, no run stays in the loop's own blocks for ever.

pub mod cover;
mod derive;
pub mod effects;
mod enter;
mod given;
mod links;
mod losses;
pub mod places;
mod repeats;
mod slice;
mod symbolic;

pub use cover::{Cover, Ending, Left, Rest};
pub use derive::{Condition, View, derive};
pub use effects::Effects;
pub use enter::{Entered, enter, enter_caller};
pub use given::{Against, Given, comparisons, derive_given};
pub use links::{Acyclic, derive_walk};
pub use losses::{Loss, losses};
pub use places::{Place, Places};
pub use slice::{Deps, deps, deps_before, keeps};

use lariat_ir::function::{Function, Functions};
use std::collections::BTreeSet;

/// A loop of a function.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// All functions.
    pub functions: &'a Functions,
    /// What they write.
    pub effects: &'a Effects,
    /// The number of the function.
    pub function: usize,
    /// The number of the loop in it.
    pub of: usize,
    /// The function with some of its calls [entered](enter()), if that is what is looked at.
    pub entered: Option<&'a Entered>,
}

impl<'a> Site<'a> {
    /// The function.
    pub fn function(&self) -> &'a Function {
        self.entered.map_or(&self.functions.list[self.function], Entered::function)
    }
    /// The name of the function that the loop is one of, to be shown.
    fn shown(&self) -> &'a str {
        let callee = self.entered.and_then(|e| e.in_callee(self.of, self.functions));
        callee.map_or(&self.function().shown, |(f, _)| &self.functions.list[f].shown)
    }
    /// The blocks of the loop, in ascending order.
    pub fn body(&self) -> &'a [usize] {
        &self.function().loops[self.of].body
    }
    fn is_inside(&self, block: usize) -> bool {
        self.body().binary_search(&block).is_ok()
    }
    /// The loops that a view passes on its way: those inside, at any depth, or all others.
    fn passed(&self, start: Start) -> Vec<usize> {
        match start {
            Start::Entry => (0..self.function().loops.len()).filter(|l| *l != self.of).collect(),
            Start::Anywhere | Start::SecondRound | Start::Near => self.inner().collect(),
        }
    }
    /// The last blocks before the header, in their order, if the loop is entered from one block only: whoever enters the loop has gone through them, one after the other, since
    /// each but the first has only the one before it as a predecessor. The first one may be come to in any state.
    pub fn before(&self) -> Vec<usize> {
        /// A block that is further away rarely matters.
        const MOST: usize = 6;
        let function = self.function();
        let reached = function.reached();
        let comes_from = |to: usize| -> Vec<usize> {
            reached.iter().copied().filter(|b| function.blocks[*b].end.targets().contains(&to)).collect()
        };
        let mut chain = Vec::new();
        let mut at = self.function().loops[self.of].header;
        // The first block is also where the function begins.
        while chain.len() < MOST && at != 0 {
            let outside: Vec<usize> = comes_from(at).into_iter().filter(|b| !self.is_inside(*b)).collect();
            let [only] = outside[..] else { break };
            if chain.contains(&only) {
                break;
            }
            chain.push(only);
            at = only;
        }
        chain.reverse();
        chain
    }
    /// The loops inside, at any depth.
    fn inner(&self) -> impl Iterator<Item = usize> + use<'a> {
        let loops = &self.function().loops;
        let of = self.of;
        (0..loops.len())
            .filter(move |l| *l != of && std::iter::successors(loops[*l].parent, |p| loops[*p].parent).any(|p| p == of))
    }
}

/// What a view keeps. Variables have their numbers; places come behind them, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Keep {
    /// Variables and places.
    pub vars: BTreeSet<usize>,
    /// What comes before the loop.
    pub start: Start,
}

/// Where a view begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Start {
    /// At the header, in any state.
    #[default]
    Anywhere,
    /// At the header, in any state that one round leads to.
    SecondRound,
    /// At the last blocks before the header, in any state.
    Near,
    /// At the entry of the function.
    Entry,
}

/// Why there is no view of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Control comes to its function's blocks in other ways than the graph says.
    Strange(String),
    /// A loop inside is entered at several blocks.
    Irreducible,
}

/// Whether there can be a view of a loop.
pub fn refusal(site: Site<'_>, start: Start) -> Option<Refusal> {
    let function = site.function();
    if let Some(why) = &function.strange {
        return Some(Refusal::Strange(why.clone()));
    }
    if site.entered.is_some_and(|e| e.of() != site.function) {
        return Some(Refusal::Strange("calls of another function are entered".to_owned()));
    }
    if start == Start::Near && enters_elsewhere(site, site.of) {
        return Some(Refusal::Irreducible);
    }
    site.passed(start).into_iter().any(|l| enters_elsewhere(site, l)).then_some(Refusal::Irreducible)
}

/// Whether ways lead into a loop past its header.
fn enters_elsewhere(site: Site<'_>, of: usize) -> bool {
    let function = site.function();
    let this = &function.loops[of];
    // A block that no run comes to enters nothing: checks whose outcome is known leave such blocks behind.
    function.reached().into_iter().any(|b| {
        let leads_inside = |to: &usize| *to != this.header && this.body.binary_search(to).is_ok();
        this.body.binary_search(&b).is_err() && function.blocks[b].end.targets().iter().any(leads_inside)
    })
}
