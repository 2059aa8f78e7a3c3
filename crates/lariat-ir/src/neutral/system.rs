//! A whole program as a transition system.
//!
//! Each location's chain of cases becomes edges whose guards are disjoint and total by construction: a case is reached when
//! the conditions before it are defined and false, its own condition is evaluated only then, and wherever a condition or
//! an assigned value is undefined an edge leads to UB.
//!
//! A guard may not depend on a value that is still to be chosen. Where one does, all unknowns of the location are
//! first stored in variables of their own, on one edge: on one edge, so that no input is chosen in the light of what the
//! environment answers at the same visit.

use super::expr::{Bound, Lowered, Scope, and, lower_cond, lower_expr, not};
use super::{Goto, Program, Target};
use crate::ids::{Id, LocId, UnknownId, VarId};
use crate::simplify::{simplify, simplify_all};
use crate::sort::Sort;
use crate::system::{Edge, Integers, Proves, Span, TransitionSystem, Unknown, UnknownKind};
use crate::term::{Op, Role, Term, Terms};
use crate::value::Value;
use dashu_int::IBig;
use std::collections::{BTreeMap, BTreeSet};

/// The transition system of a program in one integer semantics. Its mode is [`crate::Mode::Program`]; set another.
///
/// # Panics
/// If [`Program::defects`] has something to say.
pub fn lower(program: &Program, target: Target) -> TransitionSystem {
    let defects = program.defects();
    assert!(defects.is_empty(), "the program `{}` is not one: {}", program.name, defects.join("; "));
    let (integers, proves) = match target {
        Target::Wrap => (Integers::Wrap, Proves::Both),
        Target::Ideal => (Integers::Ideal, Proves::Both),
        Target::CTerminates => (Integers::C, Proves::Terminates),
        Target::CDiverges => (Integers::C, Proves::Diverges),
    };
    let mut ts = TransitionSystem::new(&program.name, integers);
    ts.proves = proves;
    let mut builder = Builder::new(program, target, ts);
    for (i, loc) in program.locs.iter().enumerate() {
        let id = builder.locs[i];
        builder.ts.locs[id].span.clone_from(&loc.span);
    }
    for at in 0..program.locs.len() {
        builder.location(at);
    }
    builder.finish()
}

/// An edge before its unknowns are dealt with.
struct Draft {
    to: LocId,
    guard: Term,
    updates: Vec<(VarId, Term)>,
    span: Option<Span>,
}

struct Builder<'p> {
    program: &'p Program,
    target: Target,
    ts: TransitionSystem,
    vars: Vec<Bound>,
    unknowns: Vec<Bound>,
    /// The variable that says whether a variable is poisoned.
    shadows: Vec<Option<VarId>>,
    locs: Vec<LocId>,
    /// The variables in which unknowns are stored before they are tested.
    stored: BTreeMap<UnknownId, VarId>,
    names: BTreeSet<String>,
    loc_names: BTreeSet<String>,
}

/// A name that nothing has yet.
fn unused(names: &mut BTreeSet<String>, base: &str) -> String {
    let mut name = base.to_owned();
    let mut n = 1;
    while !names.insert(name.clone()) {
        n += 1;
        name = format!("{base}.{n}");
    }
    name
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program, target: Target, mut ts: TransitionSystem) -> Self {
        let tainted = tainted(program, target);
        let mut names: BTreeSet<String> = program
            .vars
            .iter()
            .map(|(n, _)| n.clone())
            .chain(program.unknowns.iter().map(|u| u.name.clone()))
            .collect();
        let ids: Vec<VarId> = program.vars.iter().map(|(name, ty)| ts.add_var(name, target.sort(*ty))).collect();
        let shadows: Vec<Option<VarId>> = program
            .vars
            .iter()
            .zip(&tainted)
            .map(|((name, _), &tainted)| {
                (tainted && target == Target::CDiverges)
                    .then(|| ts.add_var(&unused(&mut names, &format!("{name}.poison")), Sort::Bool))
            })
            .collect();
        let vars = ids
            .iter()
            .enumerate()
            .map(|(i, &v)| Bound {
                value: ts.vars[v].term,
                poison: shadows[i].map(|s| ts.vars[s].term),
                in_range: !(tainted[i] && target.over_z()),
            })
            .collect();
        let unknowns = program
            .unknowns
            .iter()
            .map(|u| {
                let free = u.computed && u.ty.signed;
                let range = (target.over_z() && !free).then(|| u.ty.range());
                let id = ts.add_unknown(&u.name, target.sort(u.ty), u.kind, range);
                let poison = (u.computed && target == Target::CDiverges).then(|| ts.terms.tt());
                Bound { value: ts.unknowns[id].term, poison, in_range: !(free && target.over_z()) }
            })
            .collect();
        let mut loc_names: BTreeSet<String> = ts.locs.iter().map(|l| l.name.clone()).collect();
        let locs = program.locs.iter().map(|l| ts.add_loc(&unused(&mut loc_names, &l.name))).collect();
        Self { program, target, ts, vars, unknowns, shadows, locs, stored: BTreeMap::new(), names, loc_names }
    }

    fn location(&mut self, at: usize) {
        let from = self.locs[at];
        let drafts = self.drafts(at);
        let mut roots: Vec<Term> = Vec::new();
        for d in &drafts {
            roots.push(d.guard);
            roots.extend(d.updates.iter().map(|(_, t)| *t));
        }
        let mut simple = simplify_all(&self.ts.terms, &roots).into_iter();
        let mut next = || simple.next().expect("one for each root");
        let mut edges: Vec<Draft> = Vec::new();
        for d in drafts {
            let guard = next();
            let updates: Vec<(VarId, Term)> = d.updates.iter().map(|(v, _)| (*v, next())).collect();
            if self.ts.terms.node(guard).op != Op::Bool(false) {
                edges.push(Draft { guard, updates, ..d });
            }
        }
        let guards: Vec<Term> = edges.iter().map(|e| e.guard).collect();
        let from = if self.unknowns_in(&guards).is_empty() { from } else { self.store_unknowns(from, &mut edges) };
        for Draft { to, guard, mut updates, span } in edges {
            updates.retain(|(v, t)| self.ts.vars[*v].term != *t);
            self.ts.push_edge(Edge { from, to, guard, updates, span, assumes: Vec::new() });
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
    fn store_unknowns(&mut self, from: LocId, edges: &mut [Draft]) -> LocId {
        let roots: Vec<Term> = edges.iter().flat_map(|e| e.updates.iter().map(|(_, t)| *t).chain([e.guard])).collect();
        let mut updates = Vec::new();
        for u in self.unknowns_in(&roots) {
            let unknown = &self.ts.unknowns[u];
            let (name, sort, term) = (format!("{}.value", unknown.name), unknown.sort, unknown.term);
            let var = if let Some(&var) = self.stored.get(&u) {
                var
            } else {
                let var = self.ts.add_var(&unused(&mut self.names, &name), sort);
                self.stored.insert(u, var);
                var
            };
            updates.push((var, term));
        }
        let terms = &self.ts.terms;
        let value = |t: Term| match terms.role(t) {
            Some(Role::Unknown(u)) => self.stored.get(&u).map(|&v| self.ts.vars[v].term),
            _ => None,
        };
        for edge in edges {
            edge.guard = terms.substitute(edge.guard, value);
            for (_, t) in &mut edge.updates {
                *t = terms.substitute(*t, value);
            }
        }
        let name = format!("{}.chosen", self.ts.locs[from].name);
        let chosen = self.ts.add_loc(&unused(&mut self.loc_names, &name));
        let span = self.ts.locs[from].span.clone();
        self.ts.locs[chosen].span = span;
        let always = self.ts.terms.tt();
        self.ts.add_edge(from, chosen, always, updates);
        chosen
    }

    /// The edges of a location, with unknowns wherever they occur.
    fn drafts(&mut self, at: usize) -> Vec<Draft> {
        let TransitionSystem { terms, unknowns, .. } = &mut self.ts;
        let t: &Terms = terms;
        let names = &mut self.names;
        let mut fresh = || {
            let name = unused(names, "bitwise");
            let term = t.symbol(&name, Sort::Int, Role::Unknown(UnknownId::from_index(unknowns.len())));
            unknowns.push(Unknown { name, sort: Sort::Int, kind: UnknownKind::Abstraction, range: None, term });
            term
        };
        let (target, vars, unknowns) = (self.target, self.vars.as_slice(), self.unknowns.as_slice());
        let mut scope = Scope { terms: t, target, vars, unknowns, fresh: &mut fresh };
        let mut drafts = Vec::new();
        let mut reached = t.tt();
        for case in &self.program.locs[at].cases {
            let undefined = |guard: Term| Draft { to: LocId::UB, guard, updates: Vec::new(), span: case.span.clone() };
            let here = match &case.cond {
                Some(cond) => {
                    let c = lower_cond(&mut scope, cond);
                    drafts.push(undefined(and(t, reached, not(t, c.defined))));
                    let evaluated = and(t, reached, c.defined);
                    reached = and(t, evaluated, not(t, c.term));
                    and(t, evaluated, c.term)
                }
                None => reached,
            };
            let mut defined = t.tt();
            let mut updates = Vec::new();
            for (v, e) in &case.assigns {
                let Lowered { term, defined: ok, poison, .. } = lower_expr(&mut scope, e);
                defined = and(t, defined, ok);
                updates.push((VarId::from_index(*v), term));
                if let Some(shadow) = self.shadows[*v] {
                    updates.push((shadow, poison));
                }
            }
            drafts.push(undefined(and(t, here, not(t, defined))));
            let to = match case.target {
                Goto::Loc(i) => self.locs[i],
                Goto::Exit => LocId::EXIT,
                Goto::Stop => LocId::STOP,
                Goto::Trap => LocId::TRAP,
                Goto::Ub => LocId::UB,
            };
            drafts.push(Draft { to, guard: and(t, here, defined), updates, span: case.span.clone() });
        }
        drafts
    }

    fn finish(mut self) -> TransitionSystem {
        let t = &self.ts.terms;
        let values: BTreeMap<usize, Option<IBig>> = self.program.init.iter().cloned().collect();
        let mut conditions = Vec::new();
        for (i, (_, ty)) in self.program.vars.iter().enumerate() {
            let x = self.vars[i].value;
            match values.get(&i).and_then(Option::as_ref) {
                Some(value) if self.target.over_z() => conditions.push(t.eq(x, t.int(value.clone()))),
                Some(value) => conditions.push(t.eq(x, super::machine::constant(t, *ty, value))),
                None if self.target.over_z() => {
                    let (min, max) = ty.range();
                    conditions.push(t.apply(Op::IntLe, &[t.int(min), x]));
                    conditions.push(t.apply(Op::IntLe, &[x, t.int(max)]));
                }
                None => {}
            }
        }
        conditions.extend(self.shadows.iter().flatten().map(|&s| t.not(self.ts.vars[s].term)));
        // They are written before they are read; a fixed value makes initial states alike.
        let stored = self.stored.values().map(|&v| &self.ts.vars[v]);
        conditions.extend(stored.map(|v| t.eq(v.term, t.value(&Value::zero(v.sort)))));
        self.ts.init = simplify(t, t.all(conditions));
        self.ts.entry = self.locs[self.program.entry];
        self.ts
    }
}

/// The variables that may come to hold a value out of their type's range (over Z) or derived from an overflow
/// (`CDiverges`): the least set that is closed under the assignments, by the word of the lowering itself.
fn tainted(program: &Program, target: Target) -> Vec<bool> {
    let mut tainted = vec![false; program.vars.len()];
    if target == Target::Wrap {
        return tainted;
    }
    let terms = Terms::new();
    let symbol = |name: String, sort: Sort| terms.symbol(&name, sort, Role::Free);
    let mut made = 0;
    let mut fresh = || {
        made += 1;
        symbol(format!("fresh {made}"), Sort::Int)
    };
    let unknowns: Vec<Bound> = program
        .unknowns
        .iter()
        .enumerate()
        .map(|(i, u)| Bound {
            value: symbol(format!("unknown {i}"), target.sort(u.ty)),
            poison: u.computed.then(|| terms.tt()),
            in_range: !(u.computed && u.ty.signed),
        })
        .collect();
    loop {
        let vars: Vec<Bound> = program
            .vars
            .iter()
            .enumerate()
            .map(|(i, (_, ty))| Bound {
                value: symbol(format!("var {i}"), target.sort(*ty)),
                poison: tainted[i].then(|| symbol(format!("poison {i}"), Sort::Bool)),
                in_range: !tainted[i],
            })
            .collect();
        let mut scope = Scope { terms: &terms, target, vars: &vars, unknowns: &unknowns, fresh: &mut fresh };
        let before = tainted.clone();
        for (v, e) in program.locs.iter().flat_map(|l| &l.cases).flat_map(|c| &c.assigns) {
            let value = lower_expr(&mut scope, e);
            tainted[*v] |= if target.over_z() { !value.in_range } else { simplify(&terms, value.poison) != terms.ff() };
        }
        if tainted == before {
            return tainted;
        }
    }
}
