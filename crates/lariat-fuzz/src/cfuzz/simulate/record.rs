//! What variables and places hold at the headers of loops.

use super::arithmetic::signed;
use super::machine::{Frame, Machine, Val, Watcher};
use dashu_int::IBig;
use lariat_check::view::{Entered, Places};
use lariat_front::translate::{Held, Origins};
use lariat_ir::function::{Functions, ObjectRef};
use lariat_ir::neutral::IntType;
use std::collections::{BTreeMap, BTreeSet};

/// What the variables and places of a loop hold that are of interest, as far as that is known.
pub(super) type State = BTreeMap<usize, IBig>;

/// In which surroundings a loop is looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Around {
    /// Its function as it is.
    Function,
    /// Its function with calls entered.
    Callees,
    /// The function that calls its function, at the only place, with that call entered.
    Caller,
}

/// A loop of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Looked {
    /// Its number.
    pub of: usize,
    pub around: Around,
}

/// A loop that is watched.
pub(super) struct Watched {
    /// The variables and places of interest.
    pub wanted: BTreeSet<usize>,
    /// The places.
    pub places: Places,
    /// Ways from the header back to it, without leaving the loop; and whether a signed number had overflowed when it came back.
    pub steps: Vec<(State, State, bool)>,
    /// States in which the loop was entered.
    pub entered: Vec<(State, bool)>,
    /// Whether two places with different names had a byte in common.
    pub is_aliased: bool,
    /// The caller, if that is where variables are looked for that are not of the function.
    caller: Option<Entered>,
    /// How often the header was visited.
    visits: u64,
}

impl Watched {
    pub(super) fn new(wanted: BTreeSet<usize>, places: Places, caller: Option<Entered>) -> Self {
        let (steps, entered) = (Vec::new(), Vec::new());
        Self { wanted, places, steps, entered, is_aliased: false, caller, visits: 0 }
    }

    /// Whether the way from this visit is recorded: from the first ones, and from some of the others.
    fn is_due(&self) -> bool {
        self.steps.len() < STEPS && (self.visits <= 4 || lariat_ir::random::mix(self.visits).is_multiple_of(16))
    }
}

/// How many ways of a loop are recorded.
const STEPS: usize = 8;
/// How many entries of a loop are recorded.
const ENTRIES: usize = 3;

/// Records states at the headers of loops.
pub(super) struct Recorder<'a> {
    functions: &'a Functions,
    origins: &'a Origins,
    /// The number of each function of the module.
    numbers: BTreeMap<usize, usize>,
    /// The loops of each function that are watched.
    pub loops: BTreeMap<usize, BTreeMap<Looked, Watched>>,
    /// The loops that activations are in, with the state at the last visit of the header if the next way is recorded.
    inside: BTreeMap<(u64, Looked), Option<State>>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(functions: &'a Functions, origins: &'a Origins) -> Self {
        let numbers = origins.iter().enumerate().map(|(n, (f, _))| (f.0 as usize, n)).collect();
        Self { functions, origins, numbers, loops: BTreeMap::new(), inside: BTreeMap::new() }
    }

    fn state(&self, machine: &Machine<'_>, f: usize, watched: &Watched) -> (State, bool) {
        let mut state = State::new();
        let mut at: Vec<(u64, u64, usize, i64)> = Vec::new();
        for &v in &watched.wanted {
            if let Some(value) = self.value(machine, f, watched, v) {
                state.insert(v, value);
            }
            if v >= watched.places.first
                && let Some(address) = self.address(machine, f, watched, v)
            {
                let p = &watched.places.list[v - watched.places.first];
                at.push((address, p.bytes, p.root, p.offset));
            }
        }
        let meets = |(a, n, root, _): &(u64, u64, usize, i64), (b, m, other, _): &(u64, u64, usize, i64)| {
            root != other && *a < b + m && *b < a + n
        };
        let is_aliased = at.iter().enumerate().any(|(n, p)| at[..n].iter().any(|q| meets(p, q)));
        (state, is_aliased)
    }

    /// The address of a place.
    fn address(&self, machine: &Machine<'_>, f: usize, watched: &Watched, v: usize) -> Option<u64> {
        let place = &watched.places.list[v - watched.places.first];
        let root = self.value(machine, f, watched, place.root)?;
        u64::try_from(root + IBig::from(place.offset)).ok()
    }

    /// What a variable holds in an activation of its function.
    fn of_function(&self, machine: &Machine<'_>, frame: &Frame, f: usize, v: usize) -> Option<IBig> {
        let bits = |v: &Val| match v {
            Val::Bits(b) => Some(*b),
            _ => None,
        };
        // What came with a call that was entered is not known here.
        let var = self.functions.list[f].vars.get(v)?;
        if let Some(ObjectRef::Global(g)) = var.object {
            return Some(machine.global(g).into());
        }
        // What was added to the functions has no counterpart.
        match self.origins[f].1.get(v).copied().flatten()? {
            Held::Value(id) => self.read_as(bits(&frame.values[id.0 as usize])?, var.ty),
            Held::Arriving(id) => self.read_as(bits(frame.arriving.get(&id)?)?, var.ty),
            Held::Content(id) => {
                let address = u64::try_from(bits(&frame.values[id.0 as usize])?).ok()?;
                let width = if var.ty == self.functions.address { 64 } else { var.ty.width };
                self.read_as(bytes(machine, address, u64::from(width.div_ceil(8)))?, var.ty)
            }
        }
    }

    fn value(&self, machine: &Machine<'_>, f: usize, watched: &Watched, v: usize) -> Option<IBig> {
        let places = &watched.places;
        if v < places.first {
            return match &watched.caller {
                None => self.of_function(machine, machine.frame(), f, v),
                Some(caller) => match caller.var_of_callee(v) {
                    Some(own) => self.of_function(machine, machine.frame(), f, own),
                    // The activation below is the caller's: nobody else calls it.
                    None => self.of_function(machine, machine.caller()?, caller.of(), v),
                },
            };
        }
        let place = &places.list[v - places.first];
        // What is counted from something that changes is no place.
        if !places.is_fixed(v) {
            return None;
        }
        let width = if place.ty == self.functions.address { 64 } else { u64::from(place.ty.width) };
        let address = self.address(machine, f, watched, v)?;
        // What was written by another type is not read before it is written again.
        let is_own = place.by.as_ref().is_none_or(|by| machine.memory.agrees(address, place.bytes, by));
        if width != 8 * place.bytes || !is_own {
            return None;
        }
        self.read_as(bytes(machine, address, place.bytes)?, place.ty)
    }

    /// Bits as a number of a type. An address has no sign.
    fn read_as(&self, bits: u128, ty: IntType) -> Option<IBig> {
        if ty == self.functions.address {
            return Some(IBig::from(bits & u128::from(u64::MAX)));
        }
        if ty.width > 128 {
            return None;
        }
        Some(if ty.signed {
            signed(bits, ty.width).into()
        } else {
            let unused = 128 - ty.width;
            ((bits << unused) >> unused).into()
        })
    }
}

fn bytes(machine: &Machine<'_>, address: u64, n: u64) -> Option<u128> {
    if n > 16 {
        return None;
    }
    let mut bits = 0;
    for (k, byte) in machine.memory.read(address, n).ok()?.iter().enumerate() {
        bits |= u128::from((*byte)?) << (8 * k);
    }
    Some(bits)
}

impl Watcher for Recorder<'_> {
    fn enter(&mut self, machine: &Machine<'_>, block: usize) {
        let frame = machine.frame();
        let Some(&f) = self.numbers.get(&frame.function) else { return };
        let Some(mut loops) = self.loops.remove(&f) else { return };
        for (&at, watched) in &mut loops {
            let this = &self.functions.list[f].loops[at.of];
            let key = (frame.serial, at);
            if this.body.binary_search(&block).is_err() {
                self.inside.remove(&key);
                continue;
            }
            if block != this.header {
                continue;
            }
            watched.visits += 1;
            let before = self.inside.remove(&key);
            let is_entered = before.is_none();
            let is_due = watched.is_due();
            let mut now = None;
            if is_due || matches!(before, Some(Some(_))) || is_entered && watched.entered.len() < ENTRIES {
                let (state, is_aliased) = self.state(machine, f, watched);
                watched.is_aliased |= is_aliased;
                now = Some(state);
            }
            if let (Some(Some(from)), Some(to)) = (before, &now) {
                watched.steps.push((from, to.clone(), machine.overflowed));
            } else if let (true, Some(state)) = (is_entered && watched.entered.len() < ENTRIES, &now) {
                watched.entered.push((state.clone(), machine.overflowed));
            }
            self.inside.insert(key, now.filter(|_| is_due));
        }
        self.loops.insert(f, loops);
    }

    fn leave(&mut self, serial: u64) {
        self.inside.retain(|(s, _), _| *s != serial);
    }
}
