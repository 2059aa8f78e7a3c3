//! Structured programs.

use super::Generator;
use lariat_ir::{EdgeId, Id, LocId, Op, Sort, Term, VarId};

/// An edge that has no end yet.
struct Open {
    from: LocId,
    guard: Term,
    updates: Vec<(VarId, Term)>,
}

impl Generator {
    pub(super) fn program(&mut self) {
        let start = self.new_loc();
        self.ts.entry = start;
        let tt = self.ts.terms.tt();
        let mut open = Open { from: start, guard: tt, updates: Vec::new() };
        if self.rng.percent(35) {
            // Start at the loop itself: the initial states are then the header's.
            open = self.loop_at(start, 2);
        } else if self.rng.percent(60) {
            open.updates = self.updates(2);
        }
        for _ in 0..=self.rng.below(2) {
            open = self.statement(open, 2, None);
        }
        if open.from == start && self.ts.edges.is_empty() {
            open = self.while_loop(open, 2);
        }
        self.close(open, LocId::EXIT);
    }

    fn new_loc(&mut self) -> LocId {
        self.locs_left = self.locs_left.saturating_sub(1);
        let n = self.ts.locs.len() - 4;
        self.ts.add_loc(&format!("p{n}"))
    }

    fn close(&mut self, open: Open, to: LocId) -> EdgeId {
        self.ts.add_edge(open.from, to, open.guard, open.updates)
    }

    /// The location that an open edge leads to.
    fn arrive(&mut self, open: Open) -> LocId {
        let l = self.new_loc();
        self.close(open, l);
        l
    }

    fn branch(&mut self, at: LocId, guard: Term) -> (Open, Open) {
        let other = self.ts.terms.not(guard);
        (Open { from: at, guard, updates: Vec::new() }, Open { from: at, guard: other, updates: Vec::new() })
    }

    fn statement(&mut self, open: Open, depth: u32, leave: Option<LocId>) -> Open {
        if self.locs_left <= 1 {
            return self.assign(open);
        }
        match self.rng.below(12) {
            0 | 1 => self.assign(open),
            2 => self.poll(open),
            3..=6 if depth > 0 => self.while_loop(open, depth),
            7 | 8 => {
                let at = self.arrive(open);
                let g = self.guard(1);
                let (yes, no) = self.branch(at, g);
                let yes = self.assign(yes);
                let no = if self.rng.percent(50) { self.assign(no) } else { no };
                let join = self.new_loc();
                self.close(yes, join);
                self.close(no, join);
                Open { from: join, guard: self.ts.terms.tt(), updates: Vec::new() }
            }
            9 => {
                let at = self.arrive(open);
                let g = self.guard(0);
                let (yes, no) = self.branch(at, g);
                let end = *self.rng.pick(&[LocId::STOP, LocId::STOP, LocId::TRAP, LocId::UB]);
                let end = leave.filter(|_| self.rng.percent(60)).unwrap_or(end);
                self.close(no, end);
                yes
            }
            10 => self.division(open),
            _ => match leave {
                Some(out) => {
                    let at = self.arrive(open);
                    let g = self.guard(0);
                    let (yes, no) = self.branch(at, g);
                    self.close(yes, out);
                    no
                }
                None => self.assign(open),
            },
        }
    }

    /// Puts an assignment behind an edge, in the same step where it is the first one.
    fn assign(&mut self, mut open: Open) -> Open {
        let all: Vec<VarId> = self.ts.vars.ids().collect();
        let v = *self.rng.pick(&all);
        let value = self.value_for(v, 1);
        if open.updates.iter().any(|(w, _)| *w == v) {
            if self.locs_left == 0 {
                return open;
            }
            let at = self.arrive(open);
            return Open { from: at, guard: self.ts.terms.tt(), updates: vec![(v, value)] };
        }
        open.updates.push((v, value));
        open
    }

    /// `do x = unknown(); while (x != c)`: whoever chooses decides when it ends.
    fn poll(&mut self, open: Open) -> Open {
        let x = self.number_var();
        let (sort, xt) = (self.ts.vars[x].sort, self.ts.vars[x].term);
        let fitting: Vec<Term> = self
            .ts
            .unknowns
            .iter()
            .filter(|u| u.sort == sort || u.sort.width().is_some() && sort.width().is_some())
            .map(|u| u.term)
            .collect();
        if fitting.is_empty() {
            return self.assign(open);
        }
        let at = self.arrive(open);
        let u = *self.rng.pick(&fitting);
        let t = &self.ts.terms;
        let (value, wanted) = match sort {
            Sort::BitVec(w) => (self.resized(u, w), self.ts.terms.bv(w, (self.rng.next() % 2).into())),
            _ => (u, t.int(self.rng.between(0, 1))),
        };
        let guard = self.ts.terms.eq(xt, wanted);
        let (out, mut again) = self.branch(at, guard);
        let value = match self.modulus[x.index()] {
            Some(m) => self.ts.terms.apply(Op::IntMod, &[value, self.ts.terms.int(m)]),
            None => value,
        };
        again.updates.push((x, value));
        self.close(again, at);
        out
    }

    /// `x = x / y`, undefined where y is zero (and, sometimes, where the quotient does not fit).
    fn division(&mut self, open: Open) -> Open {
        let x = self.number_var();
        let sort = self.ts.vars[x].sort;
        let at = self.arrive(open);
        let y = self.atom(sort, false);
        let t = &self.ts.terms;
        let (xt, zero) = (self.ts.vars[x].term, if let Sort::BitVec(w) = sort { t.bv(w, 0) } else { t.int(0) });
        let mut undefined = t.eq(y, zero);
        let op = match sort {
            Sort::BitVec(w) if self.rng.percent(50) => {
                let (least, minus_one) = (t.bv(w, 1 << (w - 1)), t.bv(w, u128::MAX));
                undefined = t.or(undefined, t.and(t.eq(xt, least), t.eq(y, minus_one)));
                *self.rng.pick(&[Op::BvSdiv, Op::BvSrem])
            }
            Sort::BitVec(_) => *self.rng.pick(&[Op::BvUdiv, Op::BvUrem]),
            _ => *self.rng.pick(&[Op::IntDiv, Op::IntMod]),
        };
        let value = t.apply(op, &[xt, y]);
        let value = match self.modulus[x.index()] {
            Some(m) => t.apply(Op::IntMod, &[value, t.int(m)]),
            None => value,
        };
        let (ub, mut fine) = self.branch(at, undefined);
        self.close(ub, LocId::UB);
        fine.updates.push((x, value));
        fine
    }

    fn while_loop(&mut self, open: Open, depth: u32) -> Open {
        let head = self.arrive(open);
        self.loop_at(head, depth)
    }

    /// A loop whose header is a location without edges; gives the way out.
    fn loop_at(&mut self, head: LocId, depth: u32) -> Open {
        let x = self.number_var();
        let (sort, xt) = (self.ts.vars[x].sort, self.ts.vars[x].term);
        let bound = self.atom(sort, false);
        let t = &self.ts.terms;
        let (add, sub, less, zero) = match sort {
            Sort::BitVec(w) => {
                let less = *self.rng.pick(&[Op::BvUlt, Op::BvUlt, Op::BvSlt]);
                (Op::BvAdd, Op::BvSub, less, t.bv(w, 0))
            }
            _ => (Op::IntAdd, Op::IntSub, Op::IntLt, t.int(0)),
        };
        let by = self.rng.next() % 3 / 2 + 1;
        let stride = match sort {
            Sort::BitVec(w) => t.bv(w, by.into()),
            _ => t.int(by),
        };
        // What the loop asks, and what moves it on.
        let (guard, step) = match self.rng.below(14) {
            0..=2 => (t.apply(less, &[xt, bound]), t.apply(add, &[xt, stride])),
            3 | 4 => (t.apply(less, &[zero, xt]), t.apply(sub, &[xt, stride])),
            5 => (t.not(t.eq(xt, zero)), t.apply(sub, &[xt, stride])),
            6 => {
                let halved = match sort {
                    Sort::BitVec(w) => t.apply(Op::BvLshr, &[xt, t.bv(w, 1)]),
                    _ => t.apply(Op::IntDiv, &[xt, t.int(2)]),
                };
                (t.apply(less, &[zero, xt]), halved)
            }
            7 => (t.not(t.eq(xt, bound)), t.apply(add, &[xt, stride])),
            8 | 9 => {
                let g = self.guard(0);
                (g, self.atom(sort, true))
            }
            10 => {
                let by = self.atom(sort, true);
                (self.ts.terms.apply(less, &[xt, bound]), self.ts.terms.apply(add, &[xt, by]))
            }
            _ => {
                let g = self.guard(1);
                (g, self.value_for(x, 1))
            }
        };
        let step = match self.modulus[x.index()] {
            Some(m) => self.ts.terms.apply(Op::IntMod, &[step, self.ts.terms.int(m)]),
            None => step,
        };
        let (mut body, out) = self.branch(head, guard);
        // `break` needs a place to go to that is no edge.
        let after = (self.locs_left > 2 && self.rng.percent(30)).then(|| self.new_loc());
        for _ in 0..self.rng.below(3) {
            body = self.statement(body, depth - 1, after);
        }
        let missing = self.rng.percent(8);
        if !missing {
            if body.updates.iter().any(|(v, _)| *v == x) {
                let at = self.arrive(body);
                body = Open { from: at, guard: self.ts.terms.tt(), updates: Vec::new() };
            }
            body.updates.push((x, step));
        }
        self.close(body, head);
        match after {
            Some(l) => {
                self.close(out, l);
                Open { from: l, guard: self.ts.terms.tt(), updates: Vec::new() }
            }
            None => out,
        }
    }
}
