//! Whether guards are the paths of a tree of decisions, whatever is decided: then exactly one of them holds in each state.
//!
//! A guard is the conjunction of its facts; a fact is that a truth value holds, or that it does not. What is decided may be a
//! large formula, which is not looked into as long as it is the same one in all guards. Where every guard of a group has a fact
//! about one and the same truth value `x`, exactly one guard of the group holds in each state if exactly one of those with `x`
//! holds where `x` does, and exactly one of those with `!x` where it does not. In these two smaller groups facts that are known
//! by then are left out. A group of one guard without further facts is done. A group without such an `x` is left to the decision
//! diagrams, with what is not known of its guards: if exactly one of these remainders holds in every state, so it does where
//! the known facts hold, and there the guards are their remainders.

use super::diagram::{self, Atom, read};
use lariat_ir::fast::{FastMap, FastSet};
use lariat_ir::{Op, Term, Terms};

/// Whether exactly one of these truth values holds, as far as this can be seen without a solver; where it cannot, the answer is no.
pub(super) fn exactly_one(terms: &Terms, guards: &[Term]) -> bool {
    // A conjunction that other guards say does not hold is decided as a whole; what it joins would be much to look at.
    [decided_as_a_whole(terms, guards), FastSet::default()].iter().any(|whole| {
        let mut room = MOST_FACTS;
        let facts = guards.iter().map(|g| Facts::of(terms, *g, whole, &mut room));
        let facts = facts.collect::<Result<Vec<Option<Facts>>, Full>>().map(|all| all.into_iter().flatten().collect());
        facts.is_ok_and(|facts| Tree { terms, facts, known: FastMap::default(), trail: Vec::new() }.into_one())
    })
}

/// Whether that this is true, or false, is a conjunction: `!(a || b)` is one, too.
fn is_conjunction(op: Op, truth: bool) -> bool {
    op == if truth { Op::And } else { Op::Or }
}

/// What some guard says as a fact that is no conjunction, while its opposite would be one.
fn decided_as_a_whole(terms: &Terms, guards: &[Term]) -> FastSet<Term> {
    let (mut seen, mut whole) = (FastSet::default(), FastSet::default());
    let mut open: Vec<(Term, bool)> = guards.iter().map(|g| (*g, true)).collect();
    while let Some((t, truth)) = open.pop() {
        if !seen.insert((t, truth)) {
            continue;
        }
        let node = terms.node(t);
        match node.op {
            Op::Not => open.push((node.args()[0], !truth)),
            op if is_conjunction(op, truth) => open.extend(node.args().iter().map(|a| (*a, truth))),
            op if is_conjunction(op, !truth) => {
                whole.insert(t);
            }
            _ => {}
        }
    }
    whole
}

/// Facts of all guards together.
const MOST_FACTS: usize = 300_000;

/// There are too many facts.
struct Full;

/// That a truth value holds, or that it does not.
#[derive(Clone, Copy)]
struct Fact {
    atom: Atom,
    holds: bool,
    /// As a term; nothing for a conjunction, which is what it joins.
    term: Option<Term>,
    /// How many of the facts after it are what it joins.
    parts: usize,
}

/// What a guard says: all of it together.
struct Facts {
    /// In the order in which they are written, conjunctions before what they join.
    order: Vec<Fact>,
    /// Each with its place.
    places: FastMap<Atom, usize>,
}

impl Facts {
    /// Nothing if the guard says of something that it holds and that it does not: it never holds, and is none.
    /// The terms of `whole` are not taken apart.
    fn of(terms: &Terms, guard: Term, whole: &FastSet<Term>, room: &mut usize) -> Result<Option<Self>, Full> {
        enum Open {
            Term(Term, bool),
            /// The conjunction at this place has no more parts.
            End(usize),
        }
        let mut facts = Self { order: Vec::new(), places: FastMap::default() };
        let mut open = vec![Open::Term(guard, true)];
        while let Some(next) = open.pop() {
            let (t, truth) = match next {
                Open::Term(t, truth) => (t, truth),
                Open::End(place) => {
                    facts.order[place].parts = facts.order.len() - place - 1;
                    continue;
                }
            };
            let node = terms.node(t);
            match node.op {
                Op::Not => {
                    open.push(Open::Term(node.args()[0], !truth));
                    continue;
                }
                Op::Bool(b) if b == truth => continue,
                Op::Bool(_) => return Ok(None),
                _ => {}
            }
            let joins = is_conjunction(node.op, truth) && !whole.contains(&t);
            let (atom, negated) = read(terms, t);
            let place = facts.order.len();
            let holds = truth != negated;
            let earlier = *facts.places.entry(atom).or_insert(place);
            if earlier != place && facts.order[earlier].holds != holds {
                return Ok(None);
            }
            *room = room.checked_sub(1).ok_or(Full)?;
            let term = (!joins).then(|| if truth { t } else { terms.not(t) });
            facts.order.push(Fact { atom, holds, term, parts: 0 });
            if joins {
                open.push(Open::End(place));
                open.extend(node.args().iter().rev().map(|a| Open::Term(*a, truth)));
            }
        }
        Ok(Some(facts))
    }

    fn get(&self, atom: Atom) -> Option<bool> {
        self.places.get(&atom).map(|&place| self.order[place].holds)
    }
}

struct Tree<'a> {
    terms: &'a Terms,
    facts: Vec<Facts>,
    /// What every guard of the group says, and in which order it became known.
    known: FastMap<Atom, bool>,
    trail: Vec<Atom>,
}

impl Tree<'_> {
    fn into_one(mut self) -> bool {
        let all: Vec<usize> = (0..self.facts.len()).collect();
        // A group, how much was known when it was made, and what its guards have decided beyond that.
        let mut groups: Vec<(Vec<usize>, usize, Option<Atom>)> = vec![(all, 0, None)];
        while let Some((group, known, decided)) = groups.pop() {
            for atom in self.trail.drain(known..) {
                self.known.remove(&atom);
            }
            if let (Some(&guard), Some(atom)) = (group.first(), decided) {
                self.learn(guard, atom);
            }
            match self.decision(&group) {
                Some(atom) => {
                    let (yes, no) = group.into_iter().partition(|&g| self.facts[g].get(atom) == Some(true));
                    groups.extend([yes, no].map(|part| (part, self.trail.len(), Some(atom))));
                }
                None if self.rest_is_one(&group) => {}
                None => return false,
            }
        }
        true
    }

    /// Something that every guard of the group decides and that is not known yet.
    fn decision(&self, group: &[usize]) -> Option<Atom> {
        let order = &self.facts[*group.first()?].order;
        let is_known = |f: &Fact| self.known.contains_key(&f.atom);
        // How many facts before each place are open. A conjunction is known, too, when all that it joins is.
        let mut open = vec![0];
        for f in order {
            open.push(open[open.len() - 1] + usize::from(f.term.is_some() && !is_known(f)));
        }
        let is_open = |(place, f): &(usize, &Fact)| !is_known(f) && open[*place] < open[place + 1 + f.parts];
        let mut atoms = order.iter().enumerate().filter(is_open).map(|(_, f)| f.atom);
        atoms.find(|a| group.iter().all(|&g| self.facts[g].places.contains_key(a)))
    }

    /// What a guard says of an atom becomes known; with a conjunction what it joins. All guards of its group say the same of the
    /// atom, so they have the same conjunction.
    fn learn(&mut self, guard: usize, atom: Atom) {
        let Facts { order, places } = &self.facts[guard];
        let place = places[&atom];
        for fact in &order[place..=place + order[place].parts] {
            if self.known.insert(fact.atom, fact.holds).is_none() {
                self.trail.push(fact.atom);
            }
        }
    }

    fn rest_is_one(&self, group: &[usize]) -> bool {
        let rest = |g: &usize| {
            let unknown = self.facts[*g].order.iter().filter(|f| !self.known.contains_key(&f.atom));
            self.terms.all(unknown.filter_map(|f| f.term))
        };
        diagram::exactly_one(self.terms, &group.iter().map(rest).collect::<Vec<Term>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::{Role, Sort};

    /// Formulas that a diagram of a hundred thousand choices does not hold: sums of products of many truth values.
    fn large(t: &Terms, name: &str) -> Term {
        let p = |i: usize| t.symbol(&format!("{name}{i}"), Sort::Bool, Role::Free);
        // The first part makes the first twenty be decided first.
        let first = t.all((0..20).map(p));
        t.or(first, t.any((0..20).map(|i| t.and(p(i), p(i + 20)))))
    }

    #[test]
    fn what_is_decided_is_not_looked_into() {
        let t = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|n| large(&t, n));
        let both = t.and(a, t.not(b));
        let rest = t.and(t.not(both), t.not(c));
        let chain = [both, t.and(t.not(both), c), t.and(rest, a), t.and(rest, t.not(a))];
        assert!(exactly_one(&t, &chain));
        assert!(!diagram::exactly_one(&t, &chain));
        for gone in 0..chain.len() {
            let some: Vec<Term> = (0..chain.len()).filter(|i| *i != gone).map(|i| chain[i]).collect();
            assert!(!exactly_one(&t, &some), "a gap at {gone}");
        }
        assert!(!exactly_one(&t, &[both, t.and(t.not(both), c), t.not(c)]), "an overlap");
        assert!(!exactly_one(&t, &[a, b, t.and(t.not(a), t.not(b))]), "an overlap");
        assert!(!exactly_one(&t, &[]));
        assert!(exactly_one(&t, &[t.tt()]));
        assert!(!exactly_one(&t, &[t.tt(), t.tt()]));
    }

    #[test]
    fn remainders_are_left_to_the_diagrams() {
        let t = Terms::new();
        let x = large(&t, "x");
        let [p, q] = ["p", "q"].map(|n| t.symbol(n, Sort::Bool, Role::Free));
        let differ = t.or(t.and(p, t.not(q)), t.and(t.not(p), q));
        let same = t.or(t.and(p, q), t.and(t.not(p), t.not(q)));
        assert!(exactly_one(&t, &[t.not(x), t.and(x, differ), t.and(x, same)]));
        assert!(!exactly_one(&t, &[t.not(x), t.and(x, differ), t.and(x, p)]));
    }

    /// Random guards over a few truth values, also such as say two opposite things: where the answer is yes, exactly one holds.
    #[test]
    fn the_answer_yes_is_right() {
        let t = Terms::new();
        let atoms: Vec<Term> = (0..4).map(|i| t.symbol(&format!("p{i}"), Sort::Bool, Role::Free)).collect();
        let mut state = 1u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % n as u64).expect("small")
        };
        let mut yes = 0;
        for _ in 0..20_000 {
            // A tree of decisions, with a change in some.
            let mut leaves = vec![t.tt()];
            for _ in 0..below(4) {
                let leaf = leaves.swap_remove(below(leaves.len()));
                let (a, b) = (atoms[below(4)], atoms[below(4)]);
                let x = [a, t.not(a), t.and(a, b), t.or(a, t.not(b)), t.and(t.not(b), a)][below(5)];
                leaves.extend([t.and(leaf, x), t.and(leaf, t.not(x))]);
            }
            if below(2) == 0 {
                let at = below(leaves.len());
                leaves[at] = t.and(leaves[at], atoms[below(4)]);
            }
            if !exactly_one(&t, &leaves) {
                continue;
            }
            yes += 1;
            for bits in 0..16usize {
                let value = |s: Term| {
                    let i = atoms.iter().position(|a| *a == s).expect("an atom");
                    lariat_ir::Value::Bool(bits >> i & 1 == 1)
                };
                let holding = leaves.iter().filter(|g| t.eval(**g, value).as_bool()).count();
                assert_eq!(holding, 1, "{leaves:?} under {bits:b}");
            }
        }
        assert!(yes > 5000, "{yes}");
    }
}
