//! What a recorded run depends on.
//!
//! A step needs what its guard reads, and what is needed after it is computed from. With the values at hand this is
//! finer than the symbols of a term: of a choice only the branch that was taken counts, of an array only the cells
//! that were read; just as the checker sees it. Two runs that agree on what is needed and choose the same inputs take the
//! same steps.

use lariat_ir::eval::apply;
use lariat_ir::fast::FastMap;
use lariat_ir::{Choice, Id, Op, Role, StatePart, Term, TransitionSystem, UnknownId, UnknownKind, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Something that a run reads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Read {
    /// A part of the state.
    StatePart(StatePart),
    /// A value chosen on the way.
    Unknown(UnknownId),
}

/// Why a run cannot be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Miss {
    /// It depends on a value which only the environment knows.
    Unsettled,
    /// Something that it depends on has changed.
    Differs,
}

/// What the steps of a system read.
pub(crate) struct Reads<'a> {
    ts: &'a TransitionSystem,
    /// Terms whose reads are the same in every state: all their symbols.
    plain: FastMap<Term, Option<Rc<[Read]>>>,
}

impl<'a> Reads<'a> {
    pub fn new(ts: &'a TransitionSystem) -> Self {
        Self { ts, plain: FastMap::default() }
    }

    /// Whether a condition over the variables holds in a state, and what of the state decides it.
    pub fn of(&mut self, values: &[Value], condition: Term) -> (bool, BTreeSet<StatePart>) {
        let mut reader = Reader::new(self, values, &[]);
        let holds = reader.value(condition).as_bool();
        reader.all_of(condition);
        let place = |read| match read {
            Read::StatePart(p) => p,
            Read::Unknown(_) => unreachable!("the condition is over variables"),
        };
        (holds, reader.found.into_iter().map(place).collect())
    }

    /// The parts of the state before the steps that decide the steps themselves and the places `after` them. `states[i]` holds
    /// the values before step `i`.
    pub fn before(
        &mut self,
        states: &[Vec<Value>],
        steps: &[Choice],
        after: &BTreeSet<StatePart>,
    ) -> Result<BTreeSet<StatePart>, Miss> {
        let ts = self.ts;
        let mut needed = after.clone();
        for (values, step) in states.iter().zip(steps).rev() {
            let edge = &ts.edges[step.edge];
            let mut reader = Reader::new(self, values, &step.values);
            reader.all_of(edge.guard);
            let mut kept = BTreeSet::new();
            for place in needed {
                let (StatePart::Var(v) | StatePart::Cell(v, _)) = &place;
                match edge.updates.iter().find(|(w, _)| w == v) {
                    None => {
                        kept.insert(place);
                    }
                    Some((_, new)) => match &place {
                        StatePart::Var(_) => reader.all_of(*new),
                        StatePart::Cell(_, index) => reader.cell(*new, index),
                    },
                }
            }
            for read in reader.found {
                match read {
                    Read::StatePart(p) => {
                        kept.insert(p);
                    }
                    Read::Unknown(u) if ts.unknowns[u].kind == UnknownKind::Input => {}
                    Read::Unknown(_) => return Err(Miss::Unsettled),
                }
            }
            needed = without_cells_of_whole_arrays(kept);
        }
        Ok(needed)
    }

    /// The least set of places that a cycle reads or needs for what it leaves in the set: closed under what the cycle does. The
    /// search ends early where what it has so far `differs` after the cycle.
    pub fn closed(
        &mut self,
        states: &[Vec<Value>],
        cycle: &[Choice],
        differs: &dyn Fn(&BTreeSet<StatePart>) -> bool,
    ) -> Result<BTreeSet<StatePart>, Miss> {
        /// A chain of dependences through this many iterations is not followed to its end.
        const MOST_ROUNDS: usize = 64;
        let mut same = BTreeSet::new();
        for _ in 0..MOST_ROUNDS {
            let wider = self.before(states, cycle, &same)?;
            if differs(&wider) {
                return Err(Miss::Differs);
            }
            if wider == same {
                return Ok(same);
            }
            same = wider;
        }
        Err(Miss::Differs)
    }

    /// What a term reads in every state, if it has no choices and no cells.
    fn plain(&mut self, t: Term) -> Option<Rc<[Read]>> {
        let ts = self.ts;
        let find = || {
            let mut found = Vec::new();
            for u in ts.terms.reachable(&[t]) {
                match ts.terms.node(u).op {
                    Op::Ite | Op::Select | Op::Store | Op::Fill(_) => return None,
                    Op::Symbol(_) => found.push(read_of(ts, u)),
                    _ => {}
                }
            }
            Some(found.into())
        };
        self.plain.entry(t).or_insert_with(find).clone()
    }
}

/// What a symbol of a system stands for.
fn read_of(ts: &TransitionSystem, symbol: Term) -> Read {
    match ts.terms.role(symbol) {
        Some(Role::Var(v)) => Read::StatePart(StatePart::Var(v)),
        Some(Role::Unknown(u)) => Read::Unknown(u),
        role => unreachable!("a system has no symbol with the role {role:?}"),
    }
}

fn without_cells_of_whole_arrays(places: BTreeSet<StatePart>) -> BTreeSet<StatePart> {
    if !places.iter().any(|p| matches!(p, StatePart::Cell(..))) {
        return places;
    }
    let whole: BTreeSet<_> =
        places.iter().filter_map(|p| if let StatePart::Var(v) = p { Some(*v) } else { None }).collect();
    places.into_iter().filter(|p| !matches!(p, StatePart::Cell(v, _) if whole.contains(v))).collect()
}

/// The value of a place in a state.
pub(crate) fn value_at(values: &[Value], place: &StatePart) -> Value {
    match place {
        StatePart::Var(v) => values[v.index()].clone(),
        StatePart::Cell(v, i) => match &values[v.index()] {
            Value::Array(a) => a.get(i).clone(),
            scalar => scalar.clone(),
        },
    }
}

struct Reader<'a, 'ts> {
    ts: &'ts TransitionSystem,
    reads: &'a mut Reads<'ts>,
    values: &'a [Value],
    chosen: &'a [(UnknownId, Value)],
    known: FastMap<Term, Value>,
    /// What was looked into already, as a whole or at a cell.
    seen: BTreeSet<(Term, Option<Value>)>,
    found: BTreeSet<Read>,
}

impl<'a, 'ts> Reader<'a, 'ts> {
    fn new(reads: &'a mut Reads<'ts>, values: &'a [Value], chosen: &'a [(UnknownId, Value)]) -> Self {
        Self {
            ts: reads.ts,
            reads,
            values,
            chosen,
            known: FastMap::default(),
            seen: BTreeSet::new(),
            found: BTreeSet::new(),
        }
    }

    /// The value of a term in this step.
    fn value(&mut self, t: Term) -> Value {
        let terms = &self.ts.terms;
        if let Some(v) = self.known.get(&t) {
            return v.clone();
        }
        for u in terms.reachable(&[t]) {
            if self.known.contains_key(&u) {
                continue;
            }
            let node = terms.node(u);
            let value = match node.op {
                Op::Symbol(_) => match terms.role(u) {
                    Some(Role::Var(v)) => self.values[v.index()].clone(),
                    Some(Role::Unknown(w)) => {
                        self.chosen.iter().find(|(x, _)| *x == w).map_or_else(|| self.ts.least(w), |(_, v)| v.clone())
                    }
                    role => unreachable!("a system has no symbol with the role {role:?}"),
                },
                Op::Bool(_) | Op::Bv(_) | Op::Int(_) => terms.constant_value(u).expect("a constant has a value"),
                op => {
                    let args: Vec<&Value> = node.args().iter().map(|a| &self.known[a]).collect();
                    apply(op, &args)
                }
            };
            self.known.insert(u, value);
        }
        self.known[&t].clone()
    }

    /// Notes what the value of a guard or of an update depends on.
    fn all_of(&mut self, t: Term) {
        match self.reads.plain(t) {
            Some(found) => self.found.extend(found.iter().cloned()),
            None => self.whole(t),
        }
    }

    /// Notes what the value of a term depends on.
    fn whole(&mut self, t: Term) {
        let mut open = vec![t];
        while let Some(t) = open.pop() {
            if !self.seen.insert((t, None)) {
                continue;
            }
            let node = self.ts.terms.node(t);
            let args: Vec<Term> = node.args().to_vec();
            match node.op {
                Op::Symbol(_) => {
                    self.found.insert(read_of(self.ts, t));
                }
                Op::Ite => {
                    let taken = if self.value(args[0]).as_bool() { args[1] } else { args[2] };
                    open.extend([args[0], taken]);
                }
                Op::Select => {
                    open.push(args[1]);
                    let index = self.value(args[1]);
                    self.cell(args[0], &index);
                }
                _ => open.extend(args),
            }
        }
    }

    /// Notes what one cell of an array term depends on.
    fn cell(&mut self, array: Term, index: &Value) {
        let mut array = array;
        loop {
            if !self.seen.insert((array, Some(index.clone()))) {
                return;
            }
            let node = self.ts.terms.node(array);
            let args: Vec<Term> = node.args().to_vec();
            match node.op {
                Op::Symbol(_) => {
                    let read = match self.ts.terms.role(array) {
                        Some(Role::Var(v)) => Read::StatePart(StatePart::Cell(v, index.clone())),
                        Some(Role::Unknown(u)) => Read::Unknown(u),
                        role => unreachable!("a system has no symbol with the role {role:?}"),
                    };
                    self.found.insert(read);
                    return;
                }
                Op::Store => {
                    self.whole(args[1]);
                    if self.value(args[1]) == *index {
                        self.whole(args[2]);
                        return;
                    }
                    array = args[0];
                }
                Op::Ite => {
                    self.whole(args[0]);
                    array = if self.value(args[0]).as_bool() { args[1] } else { args[2] };
                }
                Op::Fill(_) => {
                    self.whole(args[0]);
                    return;
                }
                _ => {
                    self.whole(array);
                    return;
                }
            }
        }
    }
}

/// The values of variables that a term needs to be as they are: those that it reads, by variable.
pub(crate) fn fixed_at_start(
    ts: &TransitionSystem,
    start: &[Value],
    needed: &BTreeSet<StatePart>,
    already: &BTreeSet<lariat_ir::VarId>,
) -> Term {
    let t = &ts.terms;
    let vars: BTreeMap<lariat_ir::VarId, &Value> = needed
        .iter()
        .map(|p| {
            let (StatePart::Var(v) | StatePart::Cell(v, _)) = p;
            (*v, &start[v.index()])
        })
        .filter(|(v, _)| !already.contains(v))
        .collect();
    t.all(vars.into_iter().map(|(v, value)| match value {
        Value::Bool(true) => ts.vars[v].term,
        Value::Bool(false) => t.not(ts.vars[v].term),
        other => t.eq(ts.vars[v].term, t.value(other)),
    }))
}
