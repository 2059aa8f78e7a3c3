//! Places: bytes of memory that a loop names by a root and an offset.
//!
//! A place has a root (the address of an object, a variable, or another place), an offset and a size: the bytes from there on that the root's value *now* says. What they hold is
//! a variable like any other. If nothing in the loop changes the root the address is fixed. Else the place moves: whenever the root gets another value, the place is at other bytes, of
//! which nothing is known. A store through another address, or a call, may touch it or not.
//!
//! **Which place an access is of.** `Names` has what variables and places hold in terms of what they held at the beginning of a block, as far as it is a sum of one such value, the
//! *symbol*, and a number; a value that nobody knows is a symbol of its own. An access is of a place if its address and that of the place have the same symbol and the same number. Since a
//! symbol is one value throughout the block, these are the same bytes.
//!
//! **What may touch it.** Let `p` be a place whose address has the symbol `r` and let something be written at an address with the symbol `s`. If `r` and `s` are the same,
//! the bytes are compared. If both are addresses of objects with bounds, these are different ones, since each object has one variable for its address, and no address
//! computation leads from one into the other without undefined behaviour. If one of them is the address of a private object, the other one is
//! no address into it: nothing has it but the accesses that name it. A constant object is not written at all. Where the source accesses both by types of which
//! neither is a kind of the other, and neither is a character, or as members of two structs of which neither holds the other, they have no bytes in common: else the place's next load, by its own type, would be undefined in C
//! (6.5p7). Bytes of one symbol that are the same are touched whatever the types are. That rule is broken by some programs, so [`Places::uses_types`] says whether something rests on it. Everything else may touch it.

use super::Site;
use super::effects::Write;
use super::symbolic::{Env, now, read_first};
use lariat_ir::function::{Access, AccessType, Object, ObjectRef, Step, Writes};
use lariat_ir::neutral::{BinaryOp, Expr, IntType};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes that a loop names by a root. The number of a root is that of a variable, or, behind those, that of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// What its address is counted from.
    pub root: usize,
    /// So far.
    pub offset: i64,
    /// How many bytes it has.
    pub bytes: u64,
    /// The type of the number in them.
    pub ty: IntType,
    /// The type of the source by which all accesses are that name it, if it is one.
    pub by: Option<Arc<AccessType>>,
    /// Whether numbers and addresses are read there: then nothing is known of it.
    mixed: bool,
}

impl Place {
    /// Bytes that nothing here names.
    pub(super) fn alone(offset: i64, bytes: u64, ty: IntType, by: Option<Arc<AccessType>>) -> Self {
        Self { root: usize::MAX, offset, bytes, ty, by, mixed: false }
    }
}

/// The places of a loop.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// All of them.
    pub list: Vec<Place>,
    /// How many variables there are: the first place has this number.
    pub first: usize,
    /// The variables that the loop assigns, and the places that something in it may touch.
    pub changed: BTreeSet<usize>,
    /// Whether something is kept apart by the types of the source.
    types: Cell<bool>,
}

/// Where an address points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// So many bytes from a symbol: what a variable or a place held, or a value that nobody knows.
    At(usize, i64),
    /// Somewhere in the object of a symbol.
    In(usize),
    /// Nobody knows.
    Anywhere,
}

/// The first symbol that is none of a variable or place.
const OPAQUE: usize = usize::MAX / 2;

/// The symbol of an address: what other things are added to.
pub(super) fn where_is(address: &Expr) -> Where {
    match address {
        Expr::Var(v) => Where::At(*v, 0),
        Expr::Unknown(u) => Where::At(OPAQUE + u, 0),
        Expr::Binary { op: BinaryOp::Add, left, right, .. } => match (where_is(left), &**right) {
            (Where::At(root, offset), Expr::Const(k, _)) => match i64::try_from(k.clone()) {
                Ok(k) => offset.checked_add(k).map_or(Where::In(root), |sum| Where::At(root, sum)),
                Err(_) => Where::In(root),
            },
            (Where::At(root, _) | Where::In(root), _) => Where::In(root),
            (Where::Anywhere, _) => Where::Anywhere,
        },
        _ => Where::Anywhere,
    }
}

/// So many places are kept apart, and so deep are their roots.
const MOST: usize = 48;
const ROUNDS: usize = 4;

impl Places {
    /// Those of a loop.
    pub fn of(site: Site<'_>) -> Self {
        let function = site.function();
        let mut this = Self { first: function.vars.len(), ..Self::default() };
        let assigned = assigned(site, site.body());
        let mut live = BTreeSet::new();
        for b in site.body() {
            read_first(&function.blocks[*b], &mut live);
        }
        for _ in 0..ROUNDS {
            // More places make more of them.
            let before = this.list.len();
            this.find_changed(site, &assigned);
            this.find(site, &live);
            if this.list.len() == before {
                break;
            }
        }
        // What was found last has not been compared with all accesses yet.
        this.each_access(site, |this, names, at| {
            this.note(names, at);
        });
        this.find_changed(site, &assigned);
        this
    }

    /// No places, where addresses are not looked at.
    pub(super) fn none(site: Site<'_>) -> Self {
        Self { first: site.function().vars.len(), ..Self::default() }
    }

    /// Whether something is kept apart only by the types of the source.
    pub fn uses_types(&self) -> bool {
        self.types.get()
    }

    /// Whether a place has an address that stays the same.
    pub fn is_fixed(&self, place: usize) -> bool {
        !self.changed.contains(&self.list[place - self.first].root)
    }

    /// Adds the places that loads and stores of the loop name.
    fn find(&mut self, site: Site<'_>, live: &BTreeSet<usize>) {
        // A place that moves is worth a variable only if more than one access names it.
        let mut seen: BTreeSet<(usize, i64, u64)> = BTreeSet::new();
        self.each_access(site, |this, names, at| {
            if !this.note(names, at) {
                this.add(names, at, live, &mut seen);
            }
        });
    }

    fn each_access(&mut self, site: Site<'_>, mut act: impl FnMut(&mut Self, &Names, &Access)) {
        for b in site.body() {
            let mut names = Names::default();
            for step in &site.function().blocks[*b].steps {
                if let Step::Load { at, .. } | Step::Store { at, .. } = step {
                    act(self, &names, at);
                }
                names.step(site, self, step);
            }
        }
    }

    /// Notes the types of an access of a place. Gives whether it is one.
    fn note(&mut self, names: &Names, at: &Access) -> bool {
        let here = names.locate(&at.address);
        let mut is_known = false;
        for n in 0..self.list.len() {
            if Some(self.list[n].bytes) != at.bytes || self.address(names, n) != here {
                continue;
            }
            is_known = true;
            let p = &mut self.list[n];
            if p.by != at.by {
                p.by = None;
            }
            if let Some(ty) = at.ty {
                // A number that was computed as signed must not be reduced on its way through memory.
                p.mixed |= p.ty.width != ty.width;
                p.ty.signed |= ty.signed;
            }
        }
        is_known
    }

    fn add(&mut self, names: &Names, at: &Access, live: &BTreeSet<usize>, seen: &mut BTreeSet<(usize, i64, u64)>) {
        let (Some(bytes), Some(ty)) = (at.bytes, at.ty) else { return };
        let here = names.locate(&at.address);
        let Where::At(symbol, offset) = here else { return };
        if self.list.len() >= MOST {
            return;
        }
        let place = |root: usize, offset: i64| Place { root, offset, bytes, ty, by: at.by.clone(), mixed: false };
        if symbol < OPAQUE && !self.changed.contains(&symbol) {
            self.list.push(place(symbol, offset));
            return;
        }
        let is_root = |r: &usize| *r >= self.first || live.contains(r);
        let of_root = |r: usize| match names.of(r) {
            Where::At(s, from) if s == symbol => Some((r, offset.checked_sub(from)?)),
            _ => None,
        };
        let roots = [symbol].into_iter().filter(|s| *s < OPAQUE).chain(names.known());
        if let Some((root, offset)) = roots.filter(is_root).find_map(of_root)
            && !seen.insert((root, offset, bytes))
        {
            self.list.push(place(root, offset));
        }
    }

    /// Where a place is now.
    fn address(&self, names: &Names, place: usize) -> Where {
        let p = &self.list[place];
        match names.of(p.root) {
            Where::At(symbol, from) => {
                from.checked_add(p.offset).map_or(Where::In(symbol), |offset| Where::At(symbol, offset))
            }
            other => other,
        }
    }

    /// The place that an access is of, by its number.
    fn find_place(&self, names: &Names, at: &Access) -> Option<usize> {
        let here = names.locate(&at.address);
        let Where::At(..) = here else { return None };
        let is = |n: &usize| {
            let p = &self.list[*n];
            Some(p.bytes) == at.bytes && !p.mixed && self.address(names, *n) == here
        };
        Some(self.first + (0..self.list.len()).find(is)?)
    }

    /// Finds what the loop changes: the variables that it assigns, the places that something in it may touch, and those that move.
    fn find_changed(&mut self, site: Site<'_>, assigned: &BTreeSet<usize>) {
        self.changed.clone_from(assigned);
        for b in site.body() {
            let mut names = Names::default();
            for step in &site.function().blocks[*b].steps {
                let done = names.step(site, self, step);
                self.changed.extend(done.forgotten.into_keys());
                self.changed.extend(done.written);
            }
        }
        // The root of a place comes before it.
        for n in 0..self.list.len() {
            if self.changed.contains(&self.list[n].root) {
                self.changed.insert(self.first + n);
            }
        }
    }

    /// Whether something that is written may be a byte of a place; see the head of this module.
    fn may_touch(&self, site: Site<'_>, names: &Names, place: usize, written: &Written) -> bool {
        let here = self.address(names, place);
        self.may_touch_at(site, &self.list[place], here, written)
    }

    /// The same for bytes at some address.
    pub(super) fn may_touch_at(&self, site: Site<'_>, p: &Place, here: Where, written: &Written) -> bool {
        let (by, bytes) = match written {
            Written::Bytes(_, bytes, by) => (by.as_deref(), *bytes),
            Written::Typed(by, bytes) => (Some(&**by), *bytes),
            Written::Global(_) | Written::Rest(_) => (None, None),
        };
        if !self.may_touch_untyped(site, p, here, written) {
            return false;
        }
        // Where addresses show that it is touched, types say nothing else.
        let is_certain = match (written, here) {
            (Written::Bytes(Where::At(s, _), Some(_), _), Where::At(r, _)) => *s == r,
            _ => false,
        };
        let is_apart =
            !is_certain && by.zip(p.by.as_deref()).is_some_and(|(a, b)| !a.may_meet(bytes, b, Some(p.bytes)));
        if is_apart {
            self.types.set(true);
        }
        !is_apart
    }

    fn may_touch_untyped(&self, site: Site<'_>, p: &Place, here: Where, written: &Written) -> bool {
        let object = match here {
            Where::At(symbol, _) | Where::In(symbol) => object_of(site, symbol),
            Where::Anywhere => None,
        };
        if object.is_some_and(|(_, o)| o.constant) {
            return false;
        }
        let is_private = object.is_some_and(|(_, o)| o.private);
        match written {
            Written::Bytes(Where::Anywhere, ..) => !is_private,
            Written::Bytes(there @ (Where::At(s, _) | Where::In(s)), bytes, _) => match (here, there, bytes) {
                (Where::At(r, offset), Where::At(_, written), Some(bytes)) if r == *s => {
                    let (from, to) = (i128::from(*written), i128::from(*written) + i128::from(*bytes));
                    from < i128::from(offset) + i128::from(p.bytes) && i128::from(offset) < to
                }
                (Where::At(r, _) | Where::In(r), ..) if r == *s => true,
                _ => {
                    let other = object_of(site, *s);
                    !(is_private
                        || other.is_some_and(|(_, o)| o.private)
                        || object.is_some_and(|(_, o)| o.bounded) && other.is_some_and(|(_, o)| o.bounded))
                }
            },
            Written::Global(g) => match object {
                // A function of the file named it, as a store here would: one without bounds may lead into others.
                Some((o, of)) => {
                    let other = &site.functions.globals[*g];
                    o == ObjectRef::Global(*g) || !(of.private || other.private || of.bounded && other.bounded)
                }
                None => !site.functions.globals[*g].private,
            },
            Written::Rest(Writes::Nothing) => false,
            Written::Rest(Writes::Errno) => {
                let is_other = p.by.as_ref().is_some_and(|t| !t.path.starts_with("int/"));
                self.types.set(self.types.get() || object.is_none() && is_other);
                object.is_none() && !is_other
            }
            // A private local object is nobody else's; a private global one is, of the functions of this file.
            Written::Typed(..) | Written::Rest(Writes::Outside | Writes::Exposed) => {
                !(is_private && matches!(object, Some((ObjectRef::Local(_), _))))
            }
        }
    }
}

/// What variables and places hold, in terms of what they held at the beginning of a block.
#[derive(Default)]
pub(super) struct Names {
    env: Env,
    /// How many values there are that nobody knows.
    opaque: usize,
}

/// What a step does to places, by their numbers.
#[derive(Default)]
pub(super) struct Done {
    /// The place that a load is of.
    pub read: Option<usize>,
    /// The place that a store is of.
    pub written: Option<usize>,
    /// The places of which nothing is known behind the step.
    pub forgotten: BTreeMap<usize, Lost>,
}

/// How a place lost what it held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Lost {
    /// Only functions from elsewhere may have written it: it holds what it held, or a value of its type.
    Outside,
    /// It may hold any number, also one beyond its type: a signed number that the program computed.
    Anyhow,
}

impl Names {
    /// Where an address points.
    pub(super) fn locate(&self, address: &Expr) -> Where {
        where_is(&now(&self.env, address))
    }

    /// The value of a variable or place, as an address.
    pub(super) fn of(&self, root: usize) -> Where {
        self.env.get(&root).map_or(Where::At(root, 0), where_is)
    }

    /// The symbol that a variable or place holds, if it holds one.
    pub(super) fn symbol(&self, root: usize) -> Option<usize> {
        match self.of(root) {
            Where::At(symbol, 0) => Some(symbol),
            _ => None,
        }
    }

    /// The variables and places that hold something else than at the beginning.
    pub(super) fn known(&self) -> impl Iterator<Item = usize> + use<> {
        let all: BTreeSet<usize> = self.env.keys().copied().collect();
        all.into_iter()
    }

    /// A value that nobody knows.
    fn unknown(&mut self) -> Expr {
        self.opaque += 1;
        Expr::Unknown(self.opaque - 1)
    }

    /// Does a step.
    ///
    /// Where the places are is judged before it. A place whose root gets another value by it is elsewhere behind it, and nothing is known of it; the root of a
    /// place comes before it in the list, so one pass finds all of these.
    pub(super) fn step(&mut self, site: Site<'_>, places: &Places, step: &Step) -> Done {
        let mut done = Done::default();
        let mut held: BTreeMap<usize, Expr> = BTreeMap::new();
        match step {
            Step::Assign { var, value } => {
                held.insert(*var, now(&self.env, value));
            }
            Step::Load { var, at } => {
                done.read = places.find_place(self, at);
                let same = done.read.filter(|p| Some(places.list[p - places.first].ty) == at.ty);
                let value = same.map(|p| self.env.get(&p).cloned().unwrap_or(Expr::Var(p)));
                held.insert(*var, value.unwrap_or_else(|| self.unknown()));
            }
            Step::Store { at, value } => {
                done.written = places.find_place(self, at);
                if let Some(p) = done.written {
                    let same = value.as_ref().filter(|_| Some(places.list[p - places.first].ty) == at.ty);
                    let value = same.map(|v| now(&self.env, v));
                    held.insert(p, value.unwrap_or_else(|| self.unknown()));
                }
            }
            Step::Fresh { .. } | Step::Require(_) | Step::Call(_) => {
                if let Some(var) = step.assigns() {
                    held.insert(var, self.unknown());
                }
            }
        }
        let written = self.writes(site, step);
        if !written.is_empty() {
            for n in 0..places.list.len() {
                let place = places.first + n;
                let touches = |w: &&Written| places.may_touch(site, self, n, w);
                let lost = written.iter().filter(touches).map(Written::lost).max();
                if let Some(lost) = lost.filter(|_| done.written != Some(place)) {
                    held.insert(place, self.unknown());
                    done.forgotten.insert(place, lost);
                }
            }
        }
        held.retain(|v, value| *value != *self.env.get(v).unwrap_or(&Expr::Var(*v)));
        for (n, p) in places.list.iter().enumerate() {
            let place = places.first + n;
            if held.contains_key(&p.root) {
                held.insert(place, self.unknown());
                done.written = done.written.filter(|w| *w != place);
                done.forgotten.insert(place, Lost::Anyhow);
            }
        }
        self.env.extend(held);
        done
    }

    /// What a step writes to memory.
    pub(super) fn writes(&self, site: Site<'_>, step: &Step) -> Vec<Written> {
        match step {
            Step::Store { at, .. } => vec![Written::Bytes(self.locate(&at.address), at.bytes, at.by.clone())],
            Step::Call(call) => {
                let of = |w: Write| match w {
                    Write::Global(g) => Written::Global(g),
                    Write::Rest(rest) => Written::Rest(rest),
                    Write::Typed(by, bytes) => Written::Typed(by, bytes),
                    Write::Through(address, range) => match (self.locate(&address), range) {
                        (Where::At(symbol, offset), Some((from, to))) => {
                            let bytes = u64::try_from(to - from).ok();
                            Written::Bytes(Where::At(symbol, offset.saturating_add(from)), bytes, None)
                        }
                        (Where::At(symbol, _), None) => Written::Bytes(Where::In(symbol), None, None),
                        (other, _) => Written::Bytes(other, None, None),
                    },
                };
                site.effects.call(call).into_iter().map(of).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The object whose address a symbol is.
pub(super) fn object_of(site: Site<'_>, symbol: usize) -> Option<(ObjectRef, &Object)> {
    let function = site.function();
    let object = function.vars.get(symbol)?.object?;
    Some((
        object,
        match object {
            ObjectRef::Global(g) => &site.functions.globals[g],
            ObjectRef::Local(l) => &function.locals[l],
        },
    ))
}

/// Something that a step writes.
#[derive(Clone, Debug)]
pub(super) enum Written {
    /// Bytes from there on; nothing if it is not known how many. By a type, if that is known.
    Bytes(Where, Option<u64>, Option<Arc<AccessType>>),
    /// What is not named, by a type.
    Typed(Arc<AccessType>, Option<u64>),
    /// A global object.
    Global(usize),
    /// What is not named.
    Rest(Writes),
}

impl Written {
    /// What a place holds then.
    fn lost(&self) -> Lost {
        match self {
            Self::Rest(Writes::Nothing | Writes::Errno | Writes::Outside) => Lost::Outside,
            Self::Bytes(..) | Self::Typed(..) | Self::Global(_) | Self::Rest(Writes::Exposed) => Lost::Anyhow,
        }
    }
}

/// The variables that some blocks assign.
pub(super) fn assigned(site: Site<'_>, blocks: &[usize]) -> BTreeSet<usize> {
    blocks.iter().flat_map(|b| &site.function().blocks[*b].steps).filter_map(Step::assigns).collect()
}
