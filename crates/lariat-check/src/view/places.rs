//! Places: bytes of memory that a loop names by an address which stays the same in it.
//!
//! A place has a root that nothing in the loop changes (the address of an object, a variable, or another place that nothing in the loop may
//! touch), an offset and a size. So all its loads and stores are of the same bytes, and what it holds is a variable like any other; a store through
//! another address, or a call, may touch it or not.
//!
//! **What may touch it.** Let `p` be a place with the root `r` and let something be written at an address with the root `s`. If `r` and `s` are the same variable,
//! the bytes are compared. If both are addresses of objects with bounds, these are different ones, since each object has one variable for its address, and no address
//! computation leads from one into the other without undefined behaviour. If one of them is the address of a private object, the other one is
//! no address into it: nothing has it but the accesses that name it. A constant object is not written at all. Where the source accesses both by types of which
//! neither is a kind of the other, and neither is a character, or as members of two structs of which neither holds the other, they have no bytes in common: else the place's next load, by its own type, would be undefined in C
//! (6.5p7). That rule is broken by some programs, so [`Places::uses_types`] says whether something rests on it. Everything else may touch it.

use super::Site;
use super::effects::Write;
use super::symbolic::{Env, now};
use lariat_ir::function::{Access, AccessType, Call, Object, ObjectRef, Step, Writes};
use lariat_ir::neutral::{BinaryOp, Expr, IntType};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bytes that a loop names by one address. The number of a root is that of a variable, or, behind those, that of a place.
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
    /// So many bytes from a root.
    At(usize, i64),
    /// Somewhere in the object of a root.
    In(usize),
    /// Nobody knows.
    Anywhere,
}

/// The root of an address: the variable that other things are added to.
pub(super) fn where_is(address: &Expr) -> Where {
    match address {
        Expr::Var(v) => Where::At(*v, 0),
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
        for _ in 0..ROUNDS {
            this.changed.clone_from(&assigned);
            // A place whose root is one that is touched after all is none; touching more makes more of them.
            let before = this.list.len();
            this.find_touched(site);
            this.find(site);
            if this.list.len() == before {
                break;
            }
        }
        this.changed.clone_from(&assigned);
        this.find_touched(site);
        // What is counted from something that changes is no place any more: it counts as touched, and nothing is known of it.
        loop {
            let before = this.changed.len();
            for (n, p) in this.list.iter().enumerate() {
                if this.changed.contains(&p.root) {
                    this.changed.insert(this.first + n);
                }
            }
            if this.changed.len() == before {
                break;
            }
        }
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

    /// The place that an access is of, by its number.
    pub(super) fn find_place(&self, at: Where, bytes: Option<u64>) -> Option<usize> {
        let Where::At(root, offset) = at else { return None };
        let is = |p: &Place| p.root == root && p.offset == offset && Some(p.bytes) == bytes && !p.mixed;
        let number = self.first + self.list.iter().position(is)?;
        self.is_fixed(number).then_some(number)
    }

    /// Adds the places that loads and stores of the loop name.
    fn find(&mut self, site: Site<'_>) {
        for b in site.body() {
            let mut env = Env::default();
            for step in &site.function().blocks[*b].steps {
                if let Step::Load { at, .. } | Step::Store { at, .. } = step {
                    self.add(&env, at);
                }
                self.follow(&mut env, step);
            }
        }
    }

    fn add(&mut self, env: &Env, at: &Access) {
        let (Some(bytes), Some(ty)) = (at.bytes, at.ty) else { return };
        let Where::At(root, offset) = where_is(&now(env, &at.address)) else { return };
        let known = self.list.iter_mut().find(|p| p.root == root && p.offset == offset && p.bytes == bytes);
        let is_known = known.is_some();
        if let Some(p) = known {
            if p.by != at.by {
                p.by = None;
            }
            // A number that was computed as signed must not be reduced on its way through memory.
            p.mixed |= p.ty.width != ty.width;
            p.ty.signed |= ty.signed;
        }
        if !is_known && !self.changed.contains(&root) && self.list.len() < MOST {
            self.list.push(Place { root, offset, bytes, ty, by: at.by.clone(), mixed: false });
        }
    }

    /// What variables hold after a step, as far as addresses go: the value of a place that nothing touches is a root.
    pub(super) fn follow(&self, env: &mut Env, step: &Step) {
        match step {
            Step::Assign { var, value } => {
                let value = now(env, value);
                env.insert(*var, value);
            }
            Step::Load { var, at } => {
                let place = self.find_place(where_is(&now(env, &at.address)), at.bytes);
                match place.filter(|p| !self.changed.contains(p) && Some(self.list[p - self.first].ty) == at.ty) {
                    Some(p) => env.insert(*var, Expr::Var(p)),
                    None => env.remove(var),
                };
            }
            Step::Fresh { var } => {
                env.remove(var);
            }
            Step::Call(Call { result: Some(var), .. }) => {
                env.remove(var);
            }
            Step::Require(_) | Step::Store { .. } | Step::Call(_) => {}
        }
    }

    /// Finds the places that something in the loop may touch.
    fn find_touched(&mut self, site: Site<'_>) {
        loop {
            let mut touched: BTreeSet<usize> = BTreeSet::new();
            for b in site.body() {
                let mut env = Env::default();
                for step in &site.function().blocks[*b].steps {
                    let written = writes(site, &env, step);
                    for n in 0..self.list.len() {
                        if written.iter().any(|w| self.may_touch(site, n, w)) {
                            touched.insert(self.first + n);
                        }
                    }
                    self.follow(&mut env, step);
                }
            }
            let before = self.changed.len();
            self.changed.extend(touched);
            if self.changed.len() == before {
                return;
            }
        }
    }

    /// Whether something that is written may be a byte of a place; see the head of this module.
    pub(super) fn may_touch(&self, site: Site<'_>, place: usize, written: &Written) -> bool {
        let (by, bytes) = match written {
            Written::Bytes(_, bytes, by) => (by.as_deref(), *bytes),
            Written::Typed(by, bytes) => (Some(&**by), *bytes),
            Written::Global(_) | Written::Rest(_) => (None, None),
        };
        if !self.may_touch_untyped(site, place, written) {
            return false;
        }
        let p = &self.list[place];
        let is_apart = by.zip(p.by.as_deref()).is_some_and(|(a, b)| !a.may_meet(bytes, b, Some(p.bytes)));
        if is_apart {
            self.types.set(true);
        }
        !is_apart
    }

    fn may_touch_untyped(&self, site: Site<'_>, place: usize, written: &Written) -> bool {
        let p = &self.list[place];
        let object = object_of(site, p.root);
        if object.is_some_and(|(_, o)| o.constant) {
            return false;
        }
        let is_private = object.is_some_and(|(_, o)| o.private);
        match written {
            Written::Bytes(Where::Anywhere, ..) => !is_private,
            Written::Bytes(Where::At(root, offset), Some(bytes), _) if *root == p.root => {
                let (from, to) = (i128::from(*offset), i128::from(*offset) + i128::from(*bytes));
                from < i128::from(p.offset) + i128::from(p.bytes) && i128::from(p.offset) < to
            }
            Written::Bytes(Where::At(root, _) | Where::In(root), ..) => {
                let other = object_of(site, *root);
                *root == p.root
                    || !(is_private
                        || other.is_some_and(|(_, o)| o.private)
                        || object.is_some_and(|(_, o)| o.bounded) && other.is_some_and(|(_, o)| o.bounded))
            }
            Written::Global(g) => match object {
                Some((o, _)) => o == ObjectRef::Global(*g),
                None => !site.functions.globals[*g].private,
            },
            Written::Rest(Writes::Nothing) => false,
            Written::Rest(Writes::Errno) => {
                let is_other = p.by.as_ref().is_some_and(|t| !t.path.starts_with("int/"));
                self.types.set(self.types.get() || object.is_none() && is_other);
                object.is_none() && !is_other
            }
            // A private local object is nobody else's; a private global one is, of the functions of this file.
            Written::Typed(..) | Written::Rest(Writes::Exposed) => {
                !(is_private && matches!(object, Some((ObjectRef::Local(_), _))))
            }
        }
    }
}

/// The object whose address a root is.
fn object_of(site: Site<'_>, root: usize) -> Option<(ObjectRef, &Object)> {
    let function = site.function();
    let object = function.vars.get(root)?.object?;
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

/// What a step writes to memory.
pub(super) fn writes(site: Site<'_>, env: &Env, step: &Step) -> Vec<Written> {
    match step {
        Step::Store { at, .. } => vec![Written::Bytes(where_is(&now(env, &at.address)), at.bytes, at.by.clone())],
        Step::Call(call) => {
            let of = |w: Write| match w {
                Write::Global(g) => Written::Global(g),
                Write::Rest(rest) => Written::Rest(rest),
                Write::Typed(by, bytes) => Written::Typed(by, bytes),
                Write::Through(address, range) => match (where_is(&now(env, &address)), range) {
                    (Where::At(root, offset), Some((from, to))) => {
                        let bytes = u64::try_from(to - from).ok();
                        Written::Bytes(Where::At(root, offset.saturating_add(from)), bytes, None)
                    }
                    (Where::At(root, _), None) => Written::Bytes(Where::In(root), None, None),
                    (other, _) => Written::Bytes(other, None, None),
                },
            };
            site.effects.call(call).into_iter().map(of).collect()
        }
        _ => Vec::new(),
    }
}

/// The variables that some blocks assign.
pub(super) fn assigned(site: Site<'_>, blocks: &[usize]) -> BTreeSet<usize> {
    let steps = blocks.iter().flat_map(|b| &site.function().blocks[*b].steps);
    steps
        .filter_map(|step| match step {
            Step::Assign { var, .. } | Step::Fresh { var } | Step::Load { var, .. } => Some(*var),
            Step::Call(call) => call.result,
            Step::Require(_) | Step::Store { .. } => None,
        })
        .collect()
}
