//! What functions may write, bottom-up over the call graph.
//!
//! A function writes what its stores write and what its callees write, and nothing else. Its own local objects are no business of
//! its callers: they are gone when it returns, and no caller names them. So there remain global objects by their names, what
//! parameters point to, and everything else that is not private. Functions that call each other write what all of them do: the sets only grow, and
//! the iteration stops when they do not.

use super::places::{Where, where_is};
use super::symbolic::{Env, now};
use lariat_ir::function::{AccessType, Call, Function, Functions, ObjectRef, Step, Target, Writes};
use lariat_ir::neutral::Expr;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a function may write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// Global objects that its stores name.
    pub globals: BTreeSet<usize>,
    /// The parameters through which it writes, at bytes from and before these offsets; nothing for any bytes.
    pub params: BTreeSet<(usize, Option<(i64, i64)>)>,
    /// The types by which it writes what else it writes, where all is written by a type.
    pub typed: BTreeSet<(Arc<AccessType>, Option<u64>)>,
    /// What else it writes, by any type.
    pub rest: Writes,
}

impl Default for Effect {
    fn default() -> Self {
        Self { globals: BTreeSet::new(), params: BTreeSet::new(), typed: BTreeSet::new(), rest: Writes::Nothing }
    }
}

/// What each function may write.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    list: Vec<Effect>,
}

/// So many offsets of one parameter are told apart.
const MOST: usize = 64;

impl Effects {
    /// Those of some functions.
    pub fn of(functions: &Functions) -> Self {
        let count = functions.list.len();
        let mut this = Self { list: vec![Effect::default(); count] };
        let fixed: Vec<Vec<Option<usize>>> = functions.list.iter().map(parameters).collect();
        let mut callers: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
        for (f, function) in functions.list.iter().enumerate() {
            for to in function.callees() {
                callers[to].insert(f);
            }
        }
        let mut work: BTreeSet<usize> = (0..count).collect();
        while let Some(f) = work.pop_first() {
            let found = this.written(functions, f, &fixed[f]);
            if found != this.list[f] {
                this.list[f] = found;
                work.extend(callers[f].iter().copied());
            }
        }
        this
    }

    /// That of a function.
    pub fn function(&self, number: usize) -> &Effect {
        &self.list[number]
    }

    fn written(&self, functions: &Functions, f: usize, fixed: &[Option<usize>]) -> Effect {
        let function = &functions.list[f];
        let mut found = self.list[f].clone();
        for block in &function.blocks {
            let mut env = Env::default();
            for step in &block.steps {
                match step {
                    Step::Assign { var, value } => {
                        let value = now(&env, value);
                        env.insert(*var, value);
                    }
                    Step::Store { at, .. } => {
                        let address = now(&env, &at.address);
                        found.add(function, fixed, (where_is(&address), at.bytes), at.by.as_ref());
                    }
                    Step::Call(call) => self.called(function, fixed, (&env, call), &mut found),
                    Step::Load { .. } | Step::Fresh { .. } | Step::Require(_) => {}
                }
                // What is loaded, or given back, has no name before the end of the block.
                if let Some(var) = step.assigns().filter(|_| !matches!(step, Step::Assign { .. })) {
                    env.remove(&var);
                }
            }
        }
        found.limit();
        found
    }

    fn called(&self, function: &Function, fixed: &[Option<usize>], (env, call): (&Env, &Call), found: &mut Effect) {
        for write in self.call(call) {
            match write {
                Write::Rest(rest) => found.rest = found.rest.max(rest),
                Write::Typed(by, bytes) => {
                    found.typed.insert((by, bytes));
                }
                Write::Global(g) => {
                    found.globals.insert(g);
                }
                Write::Through(address, range) => {
                    let place = where_is(&now(env, &address));
                    match (range, place) {
                        (Some((from, to)), Where::At(root, offset)) => {
                            let bytes = u64::try_from(to - from).ok();
                            found.add(function, fixed, (Where::At(root, offset.saturating_add(from)), bytes), None);
                        }
                        (_, Where::At(root, _)) => found.add(function, fixed, (Where::In(root), None), None),
                        (_, other) => found.add(function, fixed, (other, None), None),
                    }
                }
            }
        }
    }

    /// What a call may write, with addresses as expressions of the caller.
    pub fn call(&self, call: &Call) -> Vec<Write> {
        let mut all = Vec::new();
        let mut is_outside = false;
        let mut known: BTreeSet<usize> = BTreeSet::new();
        for target in &call.targets {
            match target {
                Target::Function(f) => {
                    known.insert(*f);
                }
                Target::Assumed(_) | Target::Waits(_) | Target::AtExit => is_outside = true,
            }
        }
        if is_outside || known.is_empty() {
            all.push(Write::Rest(call.writes));
        }
        for f in known {
            let effect = &self.list[f];
            all.push(Write::Rest(effect.rest));
            all.extend(effect.typed.iter().cloned().map(|(by, bytes)| Write::Typed(by, bytes)));
            all.extend(effect.globals.iter().map(|g| Write::Global(*g)));
            for (p, range) in &effect.params {
                match call.args.get(*p) {
                    Some(Some((address, _))) => all.push(Write::Through(address.clone(), *range)),
                    // It is called in another way than it is written.
                    _ => all.push(Write::Rest(Writes::Exposed)),
                }
            }
        }
        all
    }
}

/// Something that a call may write.
#[derive(Clone, Debug)]
pub enum Write {
    /// A global object.
    Global(usize),
    /// The object that an address points into, perhaps only these bytes from it on.
    Through(Expr, Option<(i64, i64)>),
    /// What is not named, by a type.
    Typed(Arc<AccessType>, Option<u64>),
    /// What is not named.
    Rest(Writes),
}

impl Effect {
    fn add(
        &mut self,
        function: &Function,
        fixed: &[Option<usize>],
        (at, bytes): (Where, Option<u64>),
        by: Option<&Arc<AccessType>>,
    ) {
        let (root, range) = match at {
            Where::At(root, offset) => {
                let end = bytes.and_then(|n| offset.checked_add(i64::try_from(n).ok()?));
                (root, end.map(|end| (offset, end)))
            }
            Where::In(root) => (root, None),
            Where::Anywhere => {
                self.anything(by, bytes);
                return;
            }
        };
        match function.vars.get(root).and_then(|v| v.object) {
            Some(ObjectRef::Local(_)) => {}
            Some(ObjectRef::Global(g)) => {
                self.globals.insert(g);
            }
            None => match fixed.get(root).copied().flatten() {
                Some(p) => {
                    self.params.insert((p, range));
                }
                None => self.anything(by, bytes),
            },
        }
    }

    fn anything(&mut self, by: Option<&Arc<AccessType>>, bytes: Option<u64>) {
        match by {
            Some(by) => {
                self.typed.insert((Arc::clone(by), bytes));
            }
            None => self.rest = Writes::Exposed,
        }
    }

    /// Makes one range of many. Of a parameter with any bytes no others are kept: the sets would grow again, for ever.
    fn limit(&mut self) {
        if self.params.len() > MOST {
            self.params = self.params.iter().map(|(p, _)| (*p, None)).collect();
        }
        let any: BTreeSet<usize> = self.params.iter().filter(|(_, range)| range.is_none()).map(|(p, _)| *p).collect();
        self.params.retain(|(p, range)| range.is_none() || !any.contains(p));
    }
}

/// For each variable the parameter that it is, if it is one for good: nothing else is ever assigned to it.
pub(super) fn parameters(function: &Function) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = (0..function.vars.len()).map(|v| (v < function.params).then_some(v)).collect();
    let mut assigned = vec![0; function.vars.len()];
    let mut source: Vec<Option<usize>> = vec![None; function.vars.len()];
    for step in function.blocks.iter().flat_map(|b| &b.steps) {
        if let Some(var) = step.assigns() {
            assigned[var] += 1;
        }
        if let Step::Assign { var, value: Expr::Var(v) } = step {
            source[*var] = Some(*v);
        }
    }
    for v in 0..function.vars.len() {
        if v < function.params && assigned[v] > 0 {
            found[v] = None;
        }
    }
    // A variable that is assigned once, from a parameter: before that it is not read.
    for v in function.params..function.vars.len() {
        if assigned[v] == 1
            && let Some(s) = source[v].filter(|s| *s < function.params)
        {
            found[v] = found[s];
        }
    }
    found
}
