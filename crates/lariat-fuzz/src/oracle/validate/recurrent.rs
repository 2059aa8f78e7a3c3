//! Recurrent sets.

use super::{Check, Code, Test, Validator, invalid};
use crate::oracle::space::Valuation;
use lariat_ir::{Arm, EdgeId, LocId, Move, Term, UnknownKind, Value};
use std::collections::{BTreeMap, BTreeSet};

impl Validator<'_> {
    pub(super) fn recurrent_set(
        &mut self,
        when: Term,
        header: LocId,
        start: &[Value],
        stem: &[Move],
        set: &BTreeMap<LocId, Term>,
        arms: &[Arm],
    ) -> Check {
        let body = self.body(header)?;
        if !set.keys().all(|l| body.contains(l)) {
            return invalid("the set is not in the loop");
        }
        let mut tests = self.tests(set)?;
        let fits = start.iter().map(Value::sort).eq(self.ts.vars.iter().map(|v| v.sort));
        let first = fits.then(|| self.space.intern_values(start)).flatten();
        let Some(first) = first else { return invalid("the start does not fit the variables") };
        let starts = self.starts(when)?;
        if self.initial.1 && !starts.contains(&first) {
            return invalid("the start is no initial state of `when`");
        }
        let everywhere: BTreeSet<LocId> = self.ts.locs.ids().filter(|l| !l.is_sink()).collect();
        let codes = self.moves(stem)?;
        for v in starts {
            for end in self.walk((self.ts.entry, v), stem, &codes, &everywhere)? {
                self.member(&mut tests, end, "the stem misses the set")?;
            }
        }
        let mut whens = Vec::new();
        for a in arms {
            if !set.contains_key(&a.from) {
                return invalid("an arm starts outside the set");
            }
            if a.path.is_empty() {
                return invalid("an arm has no edges");
            }
            whens.push((self.condition(a.when)?, self.moves(&a.path)?));
        }
        self.whole &= self.complete;
        for l in set.keys() {
            for v in self.universe.clone() {
                if !self.holds(tests.get_mut(l).expect("the set's own location"), v) {
                    continue;
                }
                let mut some = false;
                for (a, (test, codes)) in arms.iter().zip(&mut whens) {
                    if a.from == *l && self.holds(test, v) {
                        some = true;
                        for end in self.walk((*l, v), &a.path, codes, &body)? {
                            self.member(&mut tests, end, "an arm leaves the set")?;
                        }
                    }
                }
                if !some {
                    return invalid("a state of the set has no arm");
                }
            }
        }
        Ok(())
    }

    fn member(&mut self, tests: &mut BTreeMap<LocId, Test>, (l, v): (LocId, Valuation), otherwise: &str) -> Check {
        let inside = tests.get_mut(&l).is_some_and(|test| self.holds(test, v));
        if inside { Ok(()) } else { invalid(otherwise) }
    }

    /// For each step of a path the code of its inputs, in the order of the unknowns.
    fn moves(&self, path: &[Move]) -> Check<Vec<Vec<Code>>> {
        let mut out = Vec::new();
        for m in path {
            let wanted: Vec<_> = self
                .ts
                .unknowns_of(m.edge)
                .into_iter()
                .filter(|u| self.ts.unknowns[*u].kind == UnknownKind::Input)
                .collect();
            let mut given = m.inputs.clone();
            given.sort_by_key(|(u, _)| *u);
            if given.iter().map(|(u, _)| *u).ne(wanted.iter().copied()) {
                return invalid("a step does not give each of its inputs once");
            }
            let mut codes = Vec::new();
            for (u, t) in given {
                self.speaks_of_state(t, Some(self.ts.unknowns[u].sort))?;
                codes.push(self.code(t)?);
            }
            out.push(codes);
        }
        Ok(out)
    }

    /// Where a path leads from a state, for all environment and abstraction values.
    fn walk(
        &mut self,
        from: (LocId, Valuation),
        path: &[Move],
        codes: &[Vec<Code>],
        inside: &BTreeSet<LocId>,
    ) -> Check<Vec<(LocId, Valuation)>> {
        let mut at = from.0;
        let mut now: BTreeSet<Valuation> = [from.1].into();
        for (m, codes) in path.iter().zip(codes) {
            let edge: EdgeId = m.edge;
            let to = self.ts.edges[edge].to;
            if self.ts.edges[edge].from != at {
                return invalid("a path is not connected");
            }
            if to.is_sink() || !inside.contains(&to) {
                return invalid("a path leaves the loop");
            }
            let mut next = BTreeSet::new();
            for v in now {
                let Some(s) = self.step(at, v)? else { continue };
                if s.edge != edge {
                    return invalid("a path is not enabled");
                }
                let mut chosen = Vec::new();
                for c in codes {
                    let Some(w) = self.space.value_of(c, v) else {
                        self.whole = false;
                        continue;
                    };
                    chosen.push(w);
                }
                let Some(i) = self.space.input_number(edge, &chosen) else {
                    return invalid("an input is out of its range");
                };
                let others = s.others as usize;
                next.extend(self.space.outcomes(&s)[i * others..][..others].iter().copied());
            }
            now = next;
            at = to;
        }
        Ok(now.into_iter().map(|v| (at, v)).collect())
    }
}
