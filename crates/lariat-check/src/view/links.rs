//! Loops that walk along links: lists and trees without a cycle have an end.
//!
//! A loop over a list ends because the list does, and nothing in the loop shows that it does. So its view rests on a condition: when the loop is
//! entered, *the links that it walks along have no cycle*. Nothing else is kept than the number of cells that are still to come.
//!
//! **What is checked.** A variable or a place with a fixed address, the *cursor*, holds the address of a cell at the header. A *link* of a cell is the pointer at a fixed
//! offset in it; the offsets are found here. On each way from the header back to it the cursor gets the address of a cell that at least one link
//! leads to from the one it held: each value on the way is loaded from a link of a cell that was reached like that, or is copied. Inner loops are part of these
//! ways, with all their rounds.
//!
//! **Why the loop then ends.** Let `M` be the memory when the loop is entered, and let a run come by the header for ever. As long as no link that is followed differs from
//! what it is in `M`, the cells that are reached, one behind the other, are a walk along links in `M`. There are finitely many addresses, so some cell is reached twice, and the first
//! cell that is reached twice lies on a cycle of links in `M`. That is excluded by the condition.
//! Links that are followed are those in `M` unless something in the loop writes them. A write leaves them alone
//!
//! - if it cannot touch a link of any cell, by what [`Places`] knows of addresses, objects and types;
//! - if it is a store to a link of the cell that the cursor held at the header, by the same type as the link is read. That cell was reached by now,
//!   and is reached again only on a cycle. Behind such a store, in the same round, its links are not followed any more. Both have a type only if they are
//!   aligned, and aligned pointers that differ have no bytes in common; what has another type is apart by the rule for types;
//! - if it is made in a call, or by another thread where threads are synchronised: that it leaves alone the links that are still to be followed is then part of the
//!   condition, by the name of the function.
//!
//! So the number of links from the cursor's cell to the last one, along the longest walk, falls in every round: that is the axiom "a finite structure without a cycle has a rank",
//! and the view states it of one variable.
//!
//! Where an iteration knows nothing but its cursor the loop also runs for ever if the cursor comes back: [`super::repeats`]. Then the condition is that it does not before the loop
//! is left, and the number is that of the cells still to come. Where each round follows one link, the cells are those at which the rounds begin; else the condition
//! says that it speaks of these.

use super::derive::{Condition, View, empty, member};
use super::places::{Names, Place, Places, Where, Written, where_is};
use super::symbolic::read_first;
use super::{Effects, Refusal, Site, Start, refusal, repeats};
use lariat_ir::function::{Access, AccessType, Functions, Step, Target};
use lariat_ir::neutral::{Case, CmpOp, Cond, Expr, Goto, IntType, Location, Unknown};
use lariat_ir::{Id, SourceId, UnknownKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What must hold when a loop is entered, for it to end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acyclic {
    /// The cursor.
    pub cursor: String,
    /// The links: the names of their members in quotes, or where they are.
    pub along: BTreeSet<String>,
    links: BTreeSet<Link>,
    /// The function and the loop.
    of: (usize, usize),
    /// Who must leave links alone that are still to be followed: functions in quotes, or what else is called.
    pub spared_by: BTreeSet<String>,
    /// Whether the loop runs for ever exactly if its cursor comes back to a cell, so that this is all there is to say; see `view::repeats`.
    pub exactly: bool,
    /// Whether each round follows one link, so that the cells that come by are those at which the rounds begin.
    one_by_one: bool,
}

impl Acyclic {
    /// Whether a cycle of these links can only be one from before some function was called: no initial values make a ring, and nothing that the function may come to
    /// writes such links, outside of the loop itself.
    pub fn is_given_to(&self, entry: usize, functions: &Functions, effects: &Effects) -> bool {
        let writes_none = |function: usize| {
            let site = Site { functions, effects, function, of: 0, entered: None };
            let none = Places::none(site);
            let blocks = site.function().blocks.iter().enumerate();
            let outside = |b: usize| {
                let own = &functions.list[self.of.0].loops[self.of.1].body;
                function != self.of.0 || own.binary_search(&b).is_err()
            };
            blocks.filter(|(b, _)| outside(*b)).all(|(_, block)| {
                let mut names = Names::default();
                block.steps.iter().all(|step| {
                    let written = names.writes(site, step);
                    names.step(site, &none, step);
                    written.iter().all(|w| touched(&self.links, site, &none, w).is_empty())
                })
            })
        };
        !functions.rings && functions.reachable([entry]).into_iter().all(writes_none)
    }
}

impl std::fmt::Display for Acyclic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let listed = |all: &BTreeSet<String>| {
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            match all.split_last() {
                Some((end, first)) if !first.is_empty() => format!("{} and {end}", first.join(", ")),
                _ => all.concat(),
            }
        };
        if self.exactly {
            let along = listed(&self.along);
            return if self.one_by_one {
                write!(f, "no cell comes twice before the loop is left, from `{}` along {along}", self.cursor)
            } else {
                write!(f, "no two iterations begin with `{}` at one cell, along {along}", self.cursor)
            };
        }
        write!(f, "no cycle is reached from `{}` along {}", self.cursor, listed(&self.along))?;
        if !self.spared_by.is_empty() {
            let leave = if self.spared_by.len() == 1 { "leaves" } else { "leave" };
            write!(f, ", and {} {leave} the links ahead as they are", listed(&self.spared_by))?;
        }
        Ok(())
    }
}

/// A pointer in each cell.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Link {
    offset: i64,
    by: Option<Arc<AccessType>>,
}

/// How a value was reached from what the cursor held at the header.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Reached {
    /// It is that.
    Start,
    /// Over links, each of these: at least so many, none or one, and at most so many, where two are any number.
    Over(u32, u32, BTreeSet<Link>),
}

impl Reached {
    fn least(&self) -> u32 {
        match self {
            Self::Start => 0,
            Self::Over(n, ..) => *n,
        }
    }
    fn most(&self) -> u32 {
        match self {
            Self::Start => 0,
            Self::Over(_, n, _) => *n,
        }
    }
    fn links(&self) -> BTreeSet<Link> {
        match self {
            Self::Start => BTreeSet::new(),
            Self::Over(.., links) => links.clone(),
        }
    }
    fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        let links = self.links().into_iter().chain(other.links()).collect();
        Self::Over(self.least().min(other.least()), self.most().max(other.most()), links)
    }
}

/// What is known at the beginning of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Known {
    /// The variables and places that hold a cell.
    held: BTreeMap<usize, Reached>,
    /// Whether links of the cell that the cursor held at the header may have been written in this round.
    written: bool,
}

/// The view of a loop that walks along links; nothing if it does not.
pub fn derive_walk(site: Site<'_>, places: &Places) -> Result<Option<View>, Refusal> {
    if let Some(why) = refusal(site, Start::Anywhere) {
        return Err(why);
    }
    let function = site.function();
    let address = site.functions.address;
    let mut read = BTreeSet::new();
    for b in site.body() {
        read_first(&function.blocks[*b], &mut read);
    }
    let places = &places.clone();
    let variables = loaded(site).into_iter().filter(|v| read.contains(v) && function.vars[*v].ty == address);
    let fixed = (places.first..places.first + places.list.len())
        .filter(|p| places.list[p - places.first].ty == address && places.is_fixed(*p) && places.changed.contains(p));
    let found = variables.chain(fixed).filter_map(|cursor| Walker::new(site, places, cursor).walk());
    // One that is exact says most, then one that asks nothing of functions.
    let best = found.min_by_key(|(when, _)| (!when.exactly, when.spared_by.len(), when.along.len()));
    Ok(best.map(|(when, uses_types)| view(site, when, uses_types)))
}

/// The variables that get the value of a pointer that is loaded, by copies in any order: no other one can be a cursor. This costs one look at each step.
fn loaded(site: Site<'_>) -> BTreeSet<usize> {
    let mut copies: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut open: Vec<usize> = Vec::new();
    for step in site.body().iter().flat_map(|b| &site.function().blocks[*b].steps) {
        match step {
            Step::Assign { var, value } => {
                if let Where::At(from, 0) = where_is(value) {
                    copies.entry(from).or_default().insert(*var);
                }
            }
            Step::Load { var, at } if at.ty == Some(site.functions.address) => open.push(*var),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    while let Some(v) = open.pop() {
        if found.insert(v) {
            open.extend(copies.get(&v).into_iter().flatten());
        }
    }
    found
}

struct Walker<'a> {
    site: Site<'a>,
    places: &'a Places,
    cursor: usize,
    links: BTreeSet<Link>,
    spared_by: BTreeSet<String>,
    uses_types: bool,
    /// So many links are followed in a round at most.
    most: u32,
}

impl<'a> Walker<'a> {
    fn new(site: Site<'a>, places: &'a Places, cursor: usize) -> Self {
        Self { site, places, cursor, links: BTreeSet::new(), spared_by: BTreeSet::new(), uses_types: false, most: 0 }
    }

    /// The condition under which the loop ends, and whether that rests on the types of the source.
    fn walk(mut self) -> Option<(Acyclic, bool)> {
        /// So many rounds find all links.
        const ROUNDS: usize = 4;
        for _ in 0..ROUNDS {
            let before = self.links.clone();
            if !self.always_moves() {
                return None;
            }
            if self.links == before {
                let name = super::derive::describe(self.site, self.places, self.cursor).0;
                let along = self.links.iter().map(|l| self.named(l)).collect();
                let exactly = repeats::runs_for_ever_exactly_if_it_repeats(self.site, self.places, self.cursor);
                let uses_types = self.uses_types || self.places.uses_types();
                let of = (self.site.function, self.site.of);
                let one_by_one = self.most == 1;
                let (links, spared_by) = (self.links, self.spared_by);
                return Some((Acyclic { cursor: name, along, links, of, spared_by, exactly, one_by_one }, uses_types));
            }
        }
        None
    }

    fn named(&self, link: &Link) -> String {
        let name = link.by.as_ref().and_then(|by| member(self.site.functions, by));
        name.map_or_else(|| format!("the pointer at byte {}", link.offset), |name| format!("`{name}`"))
    }

    /// Whether the cursor moves over a link on every way back to the header, with the links that are known so far; it may find others.
    fn always_moves(&mut self) -> bool {
        let site = self.site;
        let function = site.function();
        let header = function.loops[site.of].header;
        let first = Known { held: BTreeMap::from([(self.cursor, Reached::Start)]), written: false };
        let mut at: BTreeMap<usize, Known> = BTreeMap::from([(header, first)]);
        let mut work: BTreeSet<usize> = [header].into();
        let mut comes_back = false;
        while let Some(b) = work.pop_first() {
            let Some(after) = self.block(b, at[&b].clone()) else { return false };
            for to in function.blocks[b].end.targets() {
                if to == header {
                    comes_back = true;
                    // What is known only shrinks, so what is not enough now never is.
                    match after.held.get(&self.cursor) {
                        Some(Reached::Over(1.., most, links)) => {
                            self.links.extend(links.iter().cloned());
                            self.most = self.most.max(*most);
                        }
                        _ => return false,
                    }
                } else if site.is_inside(to) {
                    let joined = match at.get(&to) {
                        None => after.clone(),
                        Some(known) => joined(known, &after),
                    };
                    if at.get(&to) != Some(&joined) {
                        at.insert(to, joined);
                        work.insert(to);
                    }
                }
            }
        }
        comes_back
    }

    /// What is known behind a block; nothing if something in it may write links.
    fn block(&mut self, b: usize, known: Known) -> Option<Known> {
        let (site, places) = (self.site, self.places);
        let Known { held, mut written } = known;
        // A symbol of a block is what a variable or place held at its beginning, or a value that nobody knows.
        let mut reached: BTreeMap<usize, Reached> = held.clone();
        let mut names = Names::default();
        for step in &site.function().blocks[b].steps {
            let followed = match step {
                Step::Load { at, .. } => self.follow(&names, &reached, written, at),
                _ => None,
            };
            for w in names.writes(site, step) {
                written |= self.writes(&reached, step, &w)?;
            }
            names.step(site, places, step);
            if let (Some(over), Some(var)) = (followed, step.assigns())
                && let Some(symbol) = names.symbol(var)
            {
                reached.insert(symbol, over);
            }
        }
        let all: BTreeSet<usize> = held.into_keys().chain(names.known()).collect();
        let cell = |v: usize| Some((v, reached.get(&names.symbol(v)?)?.clone()));
        Some(Known { held: all.into_iter().filter_map(cell).collect(), written })
    }

    /// The links over which what a load gives is reached, if it follows one of a cell.
    fn follow(&self, names: &Names, reached: &BTreeMap<usize, Reached>, written: bool, at: &Access) -> Option<Reached> {
        let address = self.site.functions.address;
        let Where::At(symbol, offset) = names.locate(&at.address) else { return None };
        let cell = reached.get(&symbol)?;
        let is_link = at.ty == Some(address) && at.bytes == Some(link_bytes(address));
        let is_old = !written || cell.least() > 0;
        let link = || Link { offset, by: at.by.clone() };
        let over = || Reached::Over(1, 2.min(cell.most() + 1), cell.links().into_iter().chain([link()]).collect());
        (is_link && is_old).then(over)
    }

    /// Whether something that is written may be a link of the cell that the cursor held at the header; nothing if it may be one of another cell.
    fn writes(&mut self, reached: &BTreeMap<usize, Reached>, step: &Step, written: &Written) -> Option<bool> {
        let address = self.site.functions.address;
        let touched = touched(&self.links, self.site, self.places, written);
        if touched.is_empty() {
            return Some(false);
        }
        match (step, written) {
            (Step::Call(call), _) => {
                let is_named = |t: &Target| matches!(t, Target::Function(_) | Target::Assumed(_));
                if !call.targets.iter().all(is_named) {
                    return None;
                }
                self.spared_by.insert(call.callee.clone());
                Some(false)
            }
            (Step::Store { .. }, Written::Bytes(Where::At(symbol, offset), bytes, by)) => {
                let is_own = |l: &&Link| l.offset == *offset && l.by.is_some() && l.by == *by;
                let is_first = reached.get(symbol) == Some(&Reached::Start);
                if !is_first || *bytes != Some(link_bytes(address)) || !touched.iter().all(is_own) {
                    return None;
                }
                self.uses_types = true;
                Some(true)
            }
            _ => None,
        }
    }
}

/// The links that something that is written may be.
fn touched<'l>(links: &'l BTreeSet<Link>, site: Site<'_>, places: &Places, written: &Written) -> Vec<&'l Link> {
    let address = site.functions.address;
    let touches = |l: &&Link| {
        let link = Place::alone(l.offset, link_bytes(address), address, l.by.clone());
        places.may_touch_at(site, &link, Where::Anywhere, written)
    };
    links.iter().filter(touches).collect()
}

fn link_bytes(address: IntType) -> u64 {
    u64::from((address.width - 1) / 8)
}

fn joined(a: &Known, b: &Known) -> Known {
    let both = |(v, r): (&usize, &Reached)| Some((*v, r.join(b.held.get(v)?)));
    Known { held: a.held.iter().filter_map(both).collect(), written: a.written || b.written }
}

/// The view: the number of links that are still to come, and that it falls or the loop is left.
fn view(site: Site<'_>, when: Acyclic, uses_types: bool) -> View {
    let mut program = empty(site);
    let ty = IntType::unsigned(64);
    program.vars.push(("links to come".to_owned(), ty));
    program.origins.made.insert(0);
    for name in ["at first", "then"] {
        program.unknowns.push(Unknown::new(name, ty, UnknownKind::Abstraction));
    }
    let this = &site.function().loops[site.of];
    let location = |name: String, cases: Vec<Case>| {
        let mut loc = Location::new(name, cases);
        loc.span.clone_from(&this.key.span);
        loc.function = Some(site.shown().to_owned());
        loc.within = Some(SourceId::from_index(0));
        loc
    };
    let falls = Cond::cmp(CmpOp::Lt, ty, Expr::Unknown(1), Expr::Var(0));
    let moves = Case::new(Some(falls), vec![(0, Expr::Unknown(1))], Goto::Loc(0));
    let header = format!("{}:{}", site.shown(), super::derive::place_of(this));
    program.locs.push(location(header, vec![moves, Case::new(None, Vec::new(), Goto::Exit)]));
    let start = Case::new(None, vec![(0, Expr::Unknown(0))], Goto::Loc(0));
    program.locs.push(Location::new("start", vec![start]));
    program.entry = 1;
    program.init = vec![(0, Some(0.into()))];
    View::new(program, site, (Start::Anywhere, uses_types), Some(Condition::Acyclic(when)))
}
