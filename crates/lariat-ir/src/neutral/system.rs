//! A whole program as a transition system.
//!
//! Each location's chain of cases becomes edges whose guards are disjoint and total by construction, see [`decide`]; wherever
//! a condition, an assigned or evaluated value or the operand of a store is undefined an edge leads to UB.
//!
//! A guard may not depend on a value that is still to be chosen. Where one does, all unknowns of the location are
//! first stored in variables of their own, on one edge: on one edge, so that no input is chosen in the light of what the
//! environment answers at the same visit.

use super::decide::{Decisions, End};
use super::expr::{Bound, BoundMem, Lowered, Reading, Scope, and, ite, lower_expr, not};
use super::flow::{Taint, taint};
use super::overflow::may_overflow;
use super::{Case, Goto, IntType, MemInit, MemUpdate, Program, Target, machine};
use crate::fast::{FastMap, FastSet};
use crate::ids::{AssumptionId, Id, LocId, UnknownId, VarId};
use crate::simplify::{simplify, simplify_all};
use crate::sort::{Scalar, Sort};
use crate::system::{Edge, Integers, Location, Proves, TransitionSystem, Unknown, UnknownKind};
use crate::term::{Op, Role, Term, Terms};
use crate::value::{ArrayValue, Bits, Value};
use dashu_int::IBig;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The transition system of a program in one integer semantics.
///
/// # Panics
/// If [`Program::defects`] has something to say, or [`Program::proves`] nothing.
pub fn lower(program: &Program, target: Target) -> TransitionSystem {
    let defects = program.defects();
    assert!(defects.is_empty(), "the program `{}` is not one: {}", program.name, defects.join("; "));
    let mut builder = Builder::new(program, target);
    let drafts = builder.drafts();
    let mut roots: Vec<Term> = Vec::new();
    for d in drafts.iter().flatten() {
        roots.push(d.guard);
        roots.extend(d.updates.iter().map(|(_, t)| *t));
    }
    let simple: FastMap<Term, Term> = roots.iter().copied().zip(simplify_all(&builder.ts.terms, &roots)).collect();
    for (at, drafts) in drafts.into_iter().enumerate() {
        builder.location(at, drafts, &simple);
    }
    builder.finish()
}

/// An edge before its unknowns are dealt with.
struct Draft<'p> {
    to: LocId,
    guard: Term,
    updates: Vec<(VarId, Term)>,
    /// Where it comes from and what it rests on.
    case: &'p Case,
    /// The number of the case at its location.
    number: usize,
}

struct Builder<'p> {
    program: &'p Program,
    target: Target,
    ts: TransitionSystem,
    vars: Vec<Bound>,
    unknowns: Vec<Bound>,
    mems: Vec<BoundMem>,
    /// The variable that holds a memory.
    mem_vars: Vec<VarId>,
    /// The unknown contents.
    contents: Vec<Term>,
    /// The variable that says whether a variable is poisoned.
    shadows: Vec<Option<VarId>>,
    /// The variable that says which cells of a memory are read as they are.
    exact: Vec<Option<VarId>>,
    taint: Taint,
    locs: Vec<LocId>,
    /// The variables in which unknowns are stored before they are tested.
    stored: BTreeMap<UnknownId, VarId>,
    names: Names,
    loc_names: Names,
}

/// The names in use.
#[derive(Default)]
struct Names {
    taken: FastSet<String>,
    /// How often a name was asked for again.
    again: FastMap<String, u32>,
}

impl Names {
    /// A name that nothing has yet.
    fn unused(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        while !self.taken.insert(name.clone()) {
            let n = self.again.entry(base.to_owned()).or_insert(1);
            *n += 1;
            name = format!("{base}.{n}");
        }
        name
    }
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program, target: Target) -> Self {
        let integers = match target {
            Target::Wrap => Integers::Wrap,
            Target::Ideal => Integers::Ideal,
            Target::CTerminates | Target::CDiverges => Integers::C,
        };
        let mut ts = TransitionSystem::new(&program.name, integers);
        ts.proves = program.proves(target).expect("what skips calls is lowered for proofs of termination");
        ts.mode = program.mode;
        ts.assumptions = program.assumptions.iter().cloned().collect();
        ts.obligations.clone_from(&program.obligations);
        ts.sources.clone_from(&program.sources);
        let taint = taint(program, target);
        let mut names = Names::default();
        names.taken.extend(program.vars.iter().map(|(n, _)| n.clone()));
        names.taken.extend(program.unknowns.iter().map(|u| u.name.clone()));
        names.taken.extend(program.mems.iter().map(|m| m.name.clone()));
        names.taken.extend(program.mem_unknowns.iter().map(|u| u.name.clone()));
        // A program's variables keep their numbers, and so do its unknowns.
        let ids: Vec<VarId> = program.vars.iter().map(|(name, ty)| ts.add_var(name, target.sort(*ty))).collect();
        let array = |element: Sort| {
            let scalar = |sort: Sort| sort.as_scalar().expect("integers and truth values are scalars");
            Sort::Array(scalar(target.sort(program.address)), scalar(element))
        };
        let mem_vars: Vec<VarId> =
            program.mems.iter().map(|m| ts.add_var(&m.name, array(target.sort(m.cell)))).collect();
        let shadows: Vec<Option<VarId>> = program
            .vars
            .iter()
            .zip(&taint.vars)
            .map(|((name, _), &tainted)| {
                (tainted && target == Target::CDiverges)
                    .then(|| ts.add_var(&names.unused(&format!("{name}.poison")), Sort::Bool))
            })
            .collect();
        let vars = (0..ids.len())
            .map(|i| Bound {
                ty: program.vars[i].1,
                value: ts.vars[ids[i]].term,
                poison: shadows[i].map(|s| ts.vars[s].term),
                in_range: !(taint.vars[i] && target.over_z()),
            })
            .collect();
        let foreign = foreign(program);
        let exact: Vec<Option<VarId>> = (0..program.mems.len())
            .map(|m| {
                let name = format!("{}.written", program.mems[m].name);
                (target.over_z() && foreign[m] && taint.mems[m])
                    .then(|| ts.add_var(&names.unused(&name), array(Sort::Bool)))
            })
            .collect();
        let mems = (0..program.mems.len())
            .map(|m| BoundMem {
                content: ts.vars[mem_vars[m]].term,
                cell: program.mems[m].cell,
                reading: match exact[m] {
                    Some(v) => Reading::Either(ts.vars[v].term),
                    None if !target.over_z() => Reading::InRange,
                    None if foreign[m] => Reading::Reduced,
                    None if taint.mems[m] => Reading::Computed,
                    None => Reading::InRange,
                },
            })
            .collect();
        let unknowns = program.unknowns.iter().map(|u| add_unknown(&mut ts, target, u)).collect();
        let contents = program
            .mem_unknowns
            .iter()
            .map(|u| {
                let id = ts.add_unknown(&u.name, array(target.sort(u.cell)), u.kind, None);
                ts.unknowns[id].term
            })
            .collect();
        let mut loc_names = Names::default();
        loc_names.taken.extend(ts.locs.iter().map(|l| l.name.clone()));
        let locs: Vec<LocId> = program
            .locs
            .iter()
            .map(|l| {
                let id = ts.add_loc(&loc_names.unused(&l.name));
                ts.locs[id].span.clone_from(&l.span);
                ts.locs[id].function.clone_from(&l.function);
                (ts.locs[id].within, ts.locs[id].artificial) = (l.within, l.artificial);
                // Ends rest on it. For divergence what decides there is undefined: it leads to UB.
                ts.locs[id].escapes = l.escapes && ts.proves != Proves::Diverges;
                if may_overflow(l) {
                    ts.overflows.insert(id);
                }
                id
            })
            .collect();
        let stored = BTreeMap::new();
        Self {
            program,
            target,
            ts,
            vars,
            unknowns,
            mems,
            mem_vars,
            contents,
            shadows,
            exact,
            taint,
            locs,
            stored,
            names,
            loc_names,
        }
    }

    fn location(&mut self, at: usize, drafts: Vec<Draft<'p>>, simple: &FastMap<Term, Term>) {
        let mut edges = drafts;
        for d in &mut edges {
            d.guard = simple[&d.guard];
            d.updates.iter_mut().for_each(|(_, t)| *t = simple[t]);
            d.updates.retain(|(v, t)| self.ts.vars[*v].term != *t);
        }
        edges.retain(|d| self.ts.terms.node(d.guard).op != Op::Bool(false));
        let guards: Vec<Term> = edges.iter().map(|e| e.guard).collect();
        let mut from = self.locs[at];
        if !self.unknowns_in(&guards).is_empty() {
            from = self.store_unknowns(from, &mut edges);
        }
        for Draft { to, guard, updates, case, number } in edges {
            let assumes = case.assumes.iter().map(|&a| AssumptionId::from_index(a)).collect();
            let edge = self.ts.push_edge(Edge { from, to, guard, updates, span: case.span.clone(), assumes });
            self.ts.cases.insert(edge, (at, number));
        }
    }

    fn unknowns_in(&self, roots: &[Term]) -> BTreeSet<UnknownId> {
        let role = |t: Term| match self.ts.terms.role(t) {
            Some(Role::Unknown(u)) => Some(u),
            _ => None,
        };
        self.ts.terms.reachable(roots).into_iter().filter_map(role).collect()
    }

    /// Stores every unknown that the edges mention on an edge before them; gives the location where they start then.
    fn store_unknowns(&mut self, from: LocId, edges: &mut [Draft<'p>]) -> LocId {
        let roots: Vec<Term> = edges.iter().flat_map(|e| e.updates.iter().map(|(_, t)| *t).chain([e.guard])).collect();
        let mut updates = Vec::new();
        for u in self.unknowns_in(&roots) {
            let unknown = &self.ts.unknowns[u];
            let (name, sort, term) = (format!("{}.value", unknown.name), unknown.sort, unknown.term);
            let var = if let Some(&var) = self.stored.get(&u) {
                var
            } else {
                let var = self.ts.add_var(&self.names.unused(&name), sort);
                self.stored.insert(u, var);
                var
            };
            updates.push((var, term));
        }
        let terms = &self.ts.terms;
        let known = terms.substitute_all(&roots, |t: Term| match terms.role(t) {
            Some(Role::Unknown(u)) => self.stored.get(&u).map(|&v| self.ts.vars[v].term),
            _ => None,
        });
        let mut known = known.into_iter();
        for edge in edges {
            for t in edge.updates.iter_mut().map(|(_, t)| t).chain([&mut edge.guard]) {
                *t = known.next().expect("one for each root");
            }
        }
        let name = format!("{}.chosen", self.ts.locs[from].name);
        let chosen = self.ts.add_loc(&self.loc_names.unused(&name));
        let out = std::mem::take(&mut self.ts.locs[chosen].out);
        let name = std::mem::take(&mut self.ts.locs[chosen].name);
        if self.ts.overflows.contains(&from) {
            self.ts.overflows.insert(chosen);
        }
        self.ts.locs[chosen] = Location { name, out, escapes: false, ..self.ts.locs[from].clone() };
        let span = self.ts.locs[from].span.clone();
        let always = self.ts.terms.tt();
        self.ts.push_edge(Edge { from, to: chosen, guard: always, updates, span, assumes: Vec::new() });
        chosen
    }

    /// The edges of each location, with unknowns wherever they occur.
    fn drafts(&mut self) -> Vec<Vec<Draft<'p>>> {
        let Self { ts: TransitionSystem { terms, unknowns: ts_unknowns, .. }, names, .. } = self;
        let t: &Terms = terms;
        let mut fresh = || {
            let name = names.unused("bitwise");
            let term = t.symbol(&name, Sort::Int, Role::Unknown(UnknownId::from_index(ts_unknowns.len())));
            ts_unknowns.push(Unknown { name, sort: Sort::Int, kind: UnknownKind::Abstraction, range: None, term });
            term
        };
        let mut scope = Scope::new(t, self.target, [&self.vars, &self.unknowns], &self.mems, &mut fresh);
        let effects = Effects {
            target: self.target,
            taint: &self.taint,
            shadows: &self.shadows,
            mem_vars: &self.mem_vars,
            exact: &self.exact,
            mems: &self.mems,
            contents: &self.contents,
            program: self.program,
        };
        let mut decisions = Decisions::new();
        let mut all = Vec::new();
        for loc in &self.program.locs {
            let (defined, updates): (Vec<Term>, Vec<Vec<(VarId, Term)>>) =
                loc.cases.iter().map(|c| effects.of(&mut scope, c)).unzip();
            let mut drafts = Vec::new();
            for leaf in decisions.decide(&mut scope, &loc.cases, &defined) {
                let case = &loc.cases[leaf.case];
                let (to, updates) = match (leaf.end, case.target) {
                    (End::Undefined, _) => (LocId::UB, Vec::new()),
                    (End::Taken, target) => (target_of(&self.locs, target), updates[leaf.case].clone()),
                };
                drafts.push(Draft { to, guard: leaf.guard, updates, case, number: leaf.case });
            }
            all.push(drafts);
        }
        all
    }

    fn finish(mut self) -> TransitionSystem {
        let t = &self.ts.terms;
        let values: BTreeMap<usize, Option<IBig>> = self.program.init.iter().cloned().collect();
        let mut conditions = Vec::new();
        for (i, (_, ty)) in self.program.vars.iter().enumerate() {
            let x = self.vars[i].value;
            match values.get(&i).and_then(Option::as_ref) {
                Some(value) => conditions.push(t.eq(x, t.value(&constant(self.target, *ty, value)))),
                None if self.target.over_z() => {
                    let (min, max) = ty.range();
                    conditions.push(t.apply(Op::IntLe, &[t.int(min), x]));
                    conditions.push(t.apply(Op::IntLe, &[x, t.int(max)]));
                }
                None => {}
            }
        }
        conditions.extend(self.shadows.iter().flatten().map(|&s| t.not(self.ts.vars[s].term)));
        for (i, mem) in self.program.mems.iter().enumerate() {
            if let MemInit::Cells { default, cells } = &mem.init {
                let mut content = ArrayValue::constant(
                    index_sort(self.target, self.program),
                    constant(self.target, mem.cell, default),
                );
                for (address, value) in cells {
                    let address = constant(self.target, self.program.address, address);
                    content.set(address, constant(self.target, mem.cell, value));
                }
                conditions.push(t.eq(self.mems[i].content, t.value(&Value::Array(Arc::new(content)))));
            }
            if let Some(exact) = self.exact[i] {
                let as_it_is = Value::Bool(mem.init != MemInit::Any);
                let all = ArrayValue::constant(index_sort(self.target, self.program), as_it_is);
                conditions.push(t.eq(self.ts.vars[exact].term, t.value(&Value::Array(Arc::new(all)))));
            }
        }
        // They are written before they are read; a fixed value makes initial states alike.
        let stored = self.stored.values().map(|&v| &self.ts.vars[v]);
        conditions.extend(stored.map(|v| t.eq(v.term, t.value(&Value::zero(v.sort)))));
        self.ts.init = simplify(t, t.all(conditions));
        self.ts.entry = self.locs[self.program.entry];
        self.ts
    }
}

fn target_of(locs: &[LocId], target: Goto) -> LocId {
    match target {
        Goto::Loc(i) => locs[i],
        Goto::Exit => LocId::EXIT,
        Goto::Stop => LocId::STOP,
        Goto::Trap => LocId::TRAP,
        Goto::Ub => LocId::UB,
    }
}

fn index_sort(target: Target, program: &Program) -> Scalar {
    target.sort(program.address).as_scalar().expect("addresses are integers")
}

fn constant(target: Target, ty: IntType, value: &IBig) -> Value {
    if target.over_z() { Value::Int(value.clone()) } else { Value::Bv(Bits::from_int(ty.width, value)) }
}

/// The memories with content that nobody computed: over Z it is any array of integers.
fn foreign(program: &Program) -> Vec<bool> {
    let mut foreign: Vec<bool> = program.mems.iter().map(|m| m.init == MemInit::Any).collect();
    for update in program.locs.iter().flat_map(|l| &l.cases).flat_map(|c| &c.stores) {
        if let MemUpdate::Forget { mem, unknown } = update {
            foreign[*mem] |= !program.mem_unknowns[*unknown].is_computed();
        }
    }
    foreign
}

/// Adds an unknown of the program.
///
/// A range that is tighter than the type's is, for bit-vectors, the value `u in range ? u : least`: whoever chooses can have
/// every value of the range, by choosing it, and no other; and what holds for every choice of `u` holds for exactly the values
/// of the range.
fn add_unknown(ts: &mut TransitionSystem, target: Target, u: &super::Unknown) -> Bound {
    let free = u.has_no_range(target);
    let range = (target.over_z() && !free).then(|| u.range.clone().unwrap_or_else(|| u.ty.range()));
    let id = ts.add_unknown(&u.name, target.sort(u.ty), u.kind, range);
    let t = &ts.terms;
    let mut value = ts.unknowns[id].term;
    if let Some((low, high)) = &u.range
        && !target.over_z()
    {
        let outside = not(t, machine::between(t, u.ty, low, value, high));
        value = ite(t, outside, machine::constant(t, u.ty, low), value);
    }
    let poison = (u.computed && target == Target::CDiverges).then(|| t.tt());
    Bound { ty: u.ty, value, poison, in_range: !free }
}

/// What cases do to variables and memories.
struct Effects<'b> {
    program: &'b Program,
    target: Target,
    taint: &'b Taint,
    shadows: &'b [Option<VarId>],
    mems: &'b [BoundMem],
    mem_vars: &'b [VarId],
    exact: &'b [Option<VarId>],
    contents: &'b [Term],
}

impl Effects<'_> {
    /// The new values of a case, and that all of them are defined.
    fn of<'a>(&self, scope: &mut Scope<'a>, case: &'a Case) -> (Term, Vec<(VarId, Term)>) {
        let t = scope.terms();
        let mut defined = t.tt();
        let mut updates = Vec::new();
        for (v, e) in &case.assigns {
            let Lowered { term, defined: ok, poison, in_range, .. } = lower_expr(scope, e);
            defined = and(t, defined, ok);
            updates.push((VarId::from_index(*v), term));
            if let Some(shadow) = self.shadows[*v] {
                updates.push((shadow, poison));
            }
            assert!(self.taint.vars[*v] || in_range && poison == t.ff(), "taint flows where `flow` does not see it");
        }
        for e in &case.evaluates {
            defined = and(t, defined, lower_expr(scope, e).defined);
        }
        let mut changed: BTreeMap<usize, (Term, Option<Term>)> = BTreeMap::new();
        for update in &case.stores {
            let (MemUpdate::Store { mem, .. } | MemUpdate::Forget { mem, .. }) = update;
            let flags = match self.mems[*mem].reading {
                Reading::Either(flags) => Some(flags),
                _ => None,
            };
            let (content, flags) = changed.entry(*mem).or_insert((self.mems[*mem].content, flags));
            match update {
                MemUpdate::Store { address, value, .. } => {
                    let (a, v) = (lower_expr(scope, address), lower_expr(scope, value));
                    // A poisoned address decides which cell changes. A poisoned value would do no harm before it is read and
                    // decides something, but then cells would need shadows, too: to end the run here leaves fewer runs to
                    // proofs of divergence, which is sound.
                    for part in [a, v] {
                        defined = and(t, defined, and(t, part.defined, not(t, part.poison)));
                    }
                    *content = t.apply(Op::Store, &[*content, a.term, v.term]);
                    *flags = flags.map(|f| t.apply(Op::Store, &[f, a.term, t.tt()]));
                    assert!(self.taint.mems[*mem] || v.in_range, "taint flows where `flow` does not see it");
                }
                MemUpdate::Forget { unknown, .. } => {
                    *content = self.contents[*unknown];
                    // What was lost may have been computed, so it is read as it is and can be any integer; what came from
                    // outside is reduced.
                    let as_it_is = self.program.mem_unknowns[*unknown].is_computed();
                    let all = Op::Fill(index_sort(self.target, self.program));
                    *flags = flags.map(|_| t.apply(all, &[t.bool(as_it_is)]));
                }
            }
        }
        for (mem, (content, flags)) in changed {
            updates.push((self.mem_vars[mem], content));
            updates.extend(self.exact[mem].zip(flags));
        }
        (defined, updates)
    }
}
