//! From a chain of cases to guards that are disjoint and total.
//!
//! A case is reached when the conditions before it are defined and false, its own condition is evaluated only then, and its
//! effects only if that holds. Written down directly, the guard of a case repeats the negations of all conditions before it.
//! Programs mostly come as trees of decisions, whose cases are the paths to the leaves and share their beginnings; the guard of
//! a leaf then is its path alone. So the chain is evaluated along paths first, each comparison once on each; where a case
//! turns out to be reached on two paths the chain is no tree, and is written down directly.

use super::expr::{Lowered, Scope, and, lower_cond, not};
use super::memo::{Memo, Part};
use super::{Case, Cond};
use crate::fast::FastMap;
use crate::simplify::simplify;
use crate::term::{Op, Term, Terms};
use std::rc::Rc;

/// What becomes of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// It is taken.
    Taken,
    /// Its condition or its effects are undefined.
    Undefined,
}

/// An end of the evaluation of a location's cases.
pub(super) struct Leaf {
    /// The index of the case.
    pub case: usize,
    pub end: End,
    /// When the evaluation ends here.
    pub guard: Term,
}

/// What is known of the conditions of a program.
pub(super) struct Decisions<'a> {
    literals: Memo<'a, [Rc<Literal>; 2]>,
    /// What truth values decide, and how.
    decided: FastMap<Term, (Term, bool)>,
}

impl<'a> Decisions<'a> {
    pub fn new() -> Self {
        Self { literals: Memo::new(), decided: FastMap::default() }
    }

    /// The ends of the evaluation of a location's cases, given when the effects of each are defined: in each state exactly one
    /// of the guards holds.
    pub fn decide(&mut self, scope: &mut Scope<'a>, cases: &'a [Case], effects: &[Term]) -> Vec<Leaf> {
        let t = scope.terms();
        let conds: Vec<Vec<Rc<Literal>>> =
            cases.iter().map(|c| c.cond.as_ref().map_or(Vec::new(), |c| self.literals(scope, c))).collect();
        let defined: Vec<Rc<[Fact]>> = effects.iter().map(|e| self.facts(t, *e)).collect();
        Tree::new(t).leaves(&conds, &defined).unwrap_or_else(|| chain(scope, cases, effects))
    }

    fn literals(&mut self, scope: &mut Scope<'a>, cond: &'a Cond) -> Vec<Rc<Literal>> {
        let mut found = Vec::new();
        let mut open = vec![(cond, true)];
        while let Some((cond, positive)) = open.pop() {
            match (cond, positive) {
                (Cond::And(a, b), true) | (Cond::Or(a, b), false) => open.extend([(&**b, positive), (&**a, positive)]),
                (Cond::Not(a), _) => open.push((a, !positive)),
                _ => found.push(self.literal(scope, cond)[usize::from(positive)].clone()),
            }
        }
        found
    }

    /// That a condition does not hold, and that it holds.
    fn literal(&mut self, scope: &mut Scope<'a>, cond: &'a Cond) -> &[Rc<Literal>; 2] {
        let part = Part::Cond(cond);
        if !self.literals.contains(part) {
            let t = scope.terms();
            let Lowered { term, defined, .. } = lower_cond(scope, cond);
            let fact = self.fact(t, term);
            let defined = self.facts(t, defined);
            let literals = [fact.negated(), fact].map(|fact| Rc::new(Literal { fact, defined: defined.clone() }));
            self.literals.insert(part, literals);
        }
        self.literals.get(part)
    }

    /// The conjuncts of a condition.
    fn facts(&mut self, t: &Terms, condition: Term) -> Rc<[Fact]> {
        if condition == t.tt() {
            return Rc::new([]);
        }
        t.conjuncts(condition).into_iter().map(|c| self.fact(t, c)).collect()
    }

    fn fact(&mut self, t: &Terms, term: Term) -> Fact {
        let (atom, positive) = *self.decided.entry(term).or_insert_with(|| settle(t, term));
        Fact { atom, positive }
    }
}

/// The guards as the chain has them.
fn chain<'a>(scope: &mut Scope<'a>, cases: &'a [Case], effects: &[Term]) -> Vec<Leaf> {
    let t = scope.terms();
    let mut leaves = Vec::new();
    let mut reached = t.tt();
    for (i, case) in cases.iter().enumerate() {
        let mut leaf = |end: End, guard: Term| leaves.push(Leaf { case: i, end, guard });
        let mut here = reached;
        if let Some(cond) = &case.cond {
            let c = lower_cond(scope, cond);
            leaf(End::Undefined, and(t, reached, not(t, c.defined)));
            let evaluated = and(t, reached, c.defined);
            here = and(t, evaluated, c.term);
            reached = and(t, evaluated, not(t, c.term));
        }
        leaf(End::Undefined, and(t, here, not(t, effects[i])));
        leaf(End::Taken, and(t, here, effects[i]));
    }
    leaves
}

/// A part of a condition: all of them together, each evaluated only if those before it hold, are the condition.
struct Literal {
    fact: Fact,
    /// When it may be evaluated: all of these together.
    defined: Rc<[Fact]>,
}

/// That something is decided this way.
#[derive(Clone, Copy)]
struct Fact {
    atom: Term,
    positive: bool,
}

impl Fact {
    fn negated(self) -> Self {
        Self { positive: !self.positive, ..self }
    }
    fn term(self, t: &Terms) -> Term {
        if self.positive { self.atom } else { not(t, self.atom) }
    }
}

/// What a truth value decides, and how, in the form that simplification leaves alone, also below a negation: `1 <= x` of an
/// unsigned `x` is that `x == 0` is false. With that, guards that exclude each other show it.
fn settle(t: &Terms, term: Term) -> (Term, bool) {
    const MOST_STEPS: u32 = 4;
    let (mut atom, mut positive) = decided(t, simplify(t, term));
    for _ in 0..MOST_STEPS {
        let (a, p) = decided(t, simplify(t, atom));
        let (b, q) = decided(t, simplify(t, not(t, a)));
        (atom, positive) = (b, positive == (p != q));
        if a == b {
            break;
        }
    }
    (atom, positive)
}

/// What a truth value decides, and how: one comparison has one name, whichever way it is written.
fn decided(t: &Terms, mut term: Term) -> (Term, bool) {
    let mut positive = true;
    loop {
        let node = t.node(term);
        let args = node.args();
        let strict = match node.op {
            Op::Not => {
                term = args[0];
                positive = !positive;
                continue;
            }
            Op::Eq if args[1] < args[0] => return (t.eq(args[1], args[0]), positive),
            Op::IntLe => Op::IntLt,
            Op::BvUle => Op::BvUlt,
            Op::BvSle => Op::BvSlt,
            _ => return (term, positive),
        };
        // `a <= b` decides `b < a`, the other way round.
        return (t.apply(strict, &[args[1], args[0]]), !positive);
    }
}

/// A path of which only the beginning is known: the one that leaves another path where a literal does not hold.
struct Fork {
    /// The case at which the evaluation goes on.
    case: usize,
    guard: Term,
    /// How many facts hold at the beginning.
    facts: usize,
    /// That the literal does not hold.
    fact: Fact,
}

/// The paths through the conditions of a location.
struct Tree<'a> {
    terms: &'a Terms,
    /// What was decided on the path, and in which order.
    facts: FastMap<Term, bool>,
    trail: Vec<Term>,
    /// When the path is taken: all facts together.
    guard: Term,
    leaves: Vec<Leaf>,
}

impl<'a> Tree<'a> {
    fn new(terms: &'a Terms) -> Self {
        let (facts, trail, leaves) = (FastMap::default(), Vec::new(), Vec::new());
        Self { terms, facts, trail, guard: terms.tt(), leaves }
    }

    /// Nothing if a case lies at the end of more than one path.
    fn leaves(mut self, conds: &[Vec<Rc<Literal>>], effects: &[Rc<[Fact]>]) -> Option<Vec<Leaf>> {
        let mut taken = vec![false; conds.len()];
        let mut forks = Vec::new();
        let mut case = 0;
        loop {
            while !self.holds(case, &conds[case], &mut forks) {
                case += 1;
            }
            if std::mem::replace(&mut taken[case], true) {
                return None;
            }
            self.assume_defined(case, &effects[case]);
            self.leaves.push(Leaf { case, end: End::Taken, guard: self.guard });
            let Some(fork) = forks.pop() else { return Some(self.leaves) };
            for atom in self.trail.drain(fork.facts..) {
                self.facts.remove(&atom);
            }
            self.add(fork.fact);
            (case, self.guard) = (fork.case, fork.guard);
        }
    }

    /// Whether a case's condition holds on this path, which goes on where literals hold that were not decided yet. The last
    /// case's does: it has none.
    fn holds(&mut self, case: usize, literals: &[Rc<Literal>], forks: &mut Vec<Fork>) -> bool {
        let t = self.terms;
        for l in literals {
            // Also where the truth is known: it may be known of an equal term that is defined elsewhere.
            self.assume_defined(case, &l.defined);
            match self.truth(l.fact) {
                Some(true) => {}
                Some(false) => return false,
                None => {
                    let fact = l.fact.negated();
                    let guard = and(t, self.guard, fact.term(t));
                    forks.push(Fork { case: case + 1, guard, facts: self.trail.len(), fact });
                    self.guard = and(t, self.guard, l.fact.term(t));
                    self.add(l.fact);
                }
            }
        }
        true
    }

    fn truth(&self, fact: Fact) -> Option<bool> {
        let atom = match self.terms.node(fact.atom).op {
            Op::Bool(b) => Some(b),
            _ => self.facts.get(&fact.atom).copied(),
        };
        atom.map(|truth| truth == fact.positive)
    }

    /// Adds a fact that was not decided yet.
    fn add(&mut self, fact: Fact) {
        let before = self.facts.insert(fact.atom, fact.positive);
        assert!(before.is_none(), "a fact on a path is decided once");
        self.trail.push(fact.atom);
    }

    /// Ends the path where something is undefined, and goes on where it is not.
    fn assume_defined(&mut self, case: usize, defined: &[Fact]) {
        let t = self.terms;
        let mut open = t.tt();
        for &fact in defined {
            match self.truth(fact) {
                Some(true) => {}
                Some(false) => open = t.ff(),
                None => {
                    open = and(t, open, fact.term(t));
                    self.add(fact);
                }
            }
        }
        if open != t.tt() {
            self.leaves.push(Leaf { case, end: End::Undefined, guard: and(t, self.guard, not(t, open)) });
            self.guard = and(t, self.guard, open);
        }
    }
}
