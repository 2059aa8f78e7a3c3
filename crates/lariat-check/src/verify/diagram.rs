//! Whether exactly one of several guards holds, whatever the truth values of the comparisons in them: the usual `g` and
//! `!g`, chains of `else if` and trees of decisions need no solver.
//!
//! A guard is a propositional formula over atoms: what is below its connectives. It is turned into a decision diagram, which
//! is `FALSE`, `TRUE` or a choice between two diagrams by the truth of an atom. The diagram of a formula has the
//! formula's value under every assignment of truth values to the atoms; so a formula whose diagram is `FALSE` holds in no state, and
//! one whose diagram is `TRUE` in every state, because each state gives the atoms some truth values. The converse is not
//! claimed: atoms may depend on each other, and whoever gets the answer no asks a solver.
//!
//! One atom stands for a comparison in all its forms: `a <= b` is `!(b < a)`, as the orders are total, and `a == b` is `b == a`.

use lariat_ir::fast::FastMap;
use lariat_ir::{Op, Sort, Term, Terms};

/// Whether exactly one of these truth values holds, by propositional reasoning alone. Gives up on large diagrams: then, too, the
/// answer is no.
pub(super) fn exactly_one(terms: &Terms, guards: &[Term]) -> bool {
    Diagrams::new(terms).exactly_one(guards) == Some(true)
}

/// A diagram, by its number.
type Diagram = usize;
const FALSE: Diagram = 0;
const TRUE: Diagram = 1;

/// What is neither true nor false by its connectives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Atom {
    /// A strict order.
    Less(Op, Term, Term),
    /// The smaller term comes first.
    Equal(Term, Term),
    Other(Term),
}

/// What a truth value that is no negation says, and whether it says that it is not so.
pub(super) fn read(terms: &Terms, t: Term) -> (Atom, bool) {
    let node = terms.node(t);
    let less = |op: Op, negated: bool| {
        let (a, b) = (node.args()[0], node.args()[1]);
        (if negated { Atom::Less(op, b, a) } else { Atom::Less(op, a, b) }, negated)
    };
    match node.op {
        Op::IntLt | Op::BvUlt | Op::BvSlt => less(node.op, false),
        Op::IntLe => less(Op::IntLt, true),
        Op::BvUle => less(Op::BvUlt, true),
        Op::BvSle => less(Op::BvSlt, true),
        Op::Eq => (Atom::Equal(node.args()[0].min(node.args()[1]), node.args()[0].max(node.args()[1])), false),
        _ => (Atom::Other(t), false),
    }
}

struct Diagrams<'a> {
    terms: &'a Terms,
    atoms: FastMap<Atom, usize>,
    /// An atom, what is left where it is false, what is left where it is true; both speak of later atoms only.
    nodes: Vec<(usize, Diagram, Diagram)>,
    numbers: FastMap<(usize, Diagram, Diagram), Diagram>,
    /// Choices made before, with their results.
    choices: FastMap<(Diagram, Diagram, Diagram), Diagram>,
    /// The diagrams of terms.
    known: FastMap<Term, Diagram>,
}

impl<'a> Diagrams<'a> {
    /// Recursion goes one level down for each atom.
    const MOST_ATOMS: usize = 500;
    const MOST_CHOICES: usize = 100_000;

    fn new(terms: &'a Terms) -> Self {
        // The constants come after every atom.
        let constant = |d: Diagram| (usize::MAX, d, d);
        Self {
            terms,
            atoms: FastMap::default(),
            nodes: vec![constant(FALSE), constant(TRUE)],
            numbers: FastMap::default(),
            choices: FastMap::default(),
            known: FastMap::default(),
        }
    }

    fn exactly_one(&mut self, guards: &[Term]) -> Option<bool> {
        let mut some = FALSE;
        for &g in guards {
            let g = self.of(g)?;
            if self.choice(some, g, FALSE)? != FALSE {
                return Some(false);
            }
            some = self.choice(some, TRUE, g)?;
        }
        Some(some == TRUE)
    }

    /// The diagram of a truth value; nothing if it becomes too large.
    fn of(&mut self, root: Term) -> Option<Diagram> {
        let mut open = vec![root];
        while let Some(&t) = open.last() {
            if self.known.contains_key(&t) {
                open.pop();
                continue;
            }
            let node = self.terms.node(t);
            let parts: &[Term] = if self.is_connective(node.op, node.args()) { node.args() } else { &[] };
            let before = open.len();
            // The first argument is looked at first, so that atoms are in the order in which decisions are written.
            open.extend(parts.iter().rev().filter(|p| !self.known.contains_key(p)));
            if open.len() > before {
                continue;
            }
            let part = |i: usize| self.known[&parts[i]];
            let d = match node.op {
                Op::Bool(b) => usize::from(b),
                Op::Not => self.choice(part(0), FALSE, TRUE)?,
                Op::And => self.choice(part(0), part(1), FALSE)?,
                Op::Or => self.choice(part(0), TRUE, part(1))?,
                Op::Ite => self.choice(part(0), part(1), part(2))?,
                _ => self.atom(t)?,
            };
            self.known.insert(t, d);
            open.pop();
        }
        Some(self.known[&root])
    }

    fn is_connective(&self, op: Op, args: &[Term]) -> bool {
        // Below a choice between numbers is no formula.
        matches!(op, Op::Not | Op::And | Op::Or) || op == Op::Ite && self.terms.sort(args[1]) == Sort::Bool
    }

    /// The diagram of a truth value that is no connective.
    fn atom(&mut self, t: Term) -> Option<Diagram> {
        let (atom, negated) = read(self.terms, t);
        let next = self.atoms.len();
        let number = *self.atoms.entry(atom).or_insert(next);
        if number >= Self::MOST_ATOMS {
            return None;
        }
        Some(if negated { self.node(number, TRUE, FALSE) } else { self.node(number, FALSE, TRUE) })
    }

    fn node(&mut self, atom: usize, no: Diagram, yes: Diagram) -> Diagram {
        if no == yes {
            return no;
        }
        let next = self.nodes.len();
        let number = *self.numbers.entry((atom, no, yes)).or_insert(next);
        if number == next {
            self.nodes.push((atom, no, yes));
        }
        number
    }

    /// If `c` then `a` else `b`, by the first atom of the three.
    fn choice(&mut self, c: Diagram, a: Diagram, b: Diagram) -> Option<Diagram> {
        match c {
            TRUE => return Some(a),
            FALSE => return Some(b),
            _ if a == b => return Some(a),
            _ => {}
        }
        if let Some(&known) = self.choices.get(&(c, a, b)) {
            return Some(known);
        }
        if self.choices.len() >= Self::MOST_CHOICES {
            return None;
        }
        let atom = [c, a, b].map(|d| self.nodes[d].0).into_iter().min().expect("three diagrams");
        // What is left of a diagram once the atom is decided; one that starts with a later atom does not speak of it.
        let left = |d: Diagram, truth: bool| match self.nodes[d] {
            (first, no, yes) if first == atom => [no, yes][usize::from(truth)],
            _ => d,
        };
        let [when_no, when_yes] = [false, true].map(|truth| [c, a, b].map(|d| left(d, truth)));
        let no = self.choice(when_no[0], when_no[1], when_no[2])?;
        let yes = self.choice(when_yes[0], when_yes[1], when_yes[2])?;
        let result = self.node(atom, no, yes);
        self.choices.insert((c, a, b), result);
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::Role;
    use lariat_ir::random::Random;

    /// Atoms that are independent of each other: a boolean, comparisons of three numbers each with one of its own.
    fn atoms(t: &Terms) -> Vec<[Term; 2]> {
        let symbol = |name: &str, sort: Sort| t.symbol(name, sort, Role::Free);
        let pair = |name: &str, sort: Sort| (symbol(&format!("{name}1"), sort), symbol(&format!("{name}2"), sort));
        let mut found = vec![[symbol("p", Sort::Bool); 2]];
        let (a, b) = pair("i", Sort::Int);
        found.push([t.apply(Op::IntLt, &[a, b]), t.not(t.apply(Op::IntLe, &[b, a]))]);
        let (a, b) = pair("s", Sort::BitVec(8));
        found.push([t.not(t.apply(Op::BvSle, &[a, b])), t.apply(Op::BvSlt, &[b, a])]);
        let (a, b) = pair("u", Sort::BitVec(8));
        found.push([t.apply(Op::BvUle, &[a, b]), t.not(t.apply(Op::BvUlt, &[b, a]))]);
        let (a, b) = pair("e", Sort::Int);
        found.push([t.eq(a, b), t.eq(b, a)]);
        found
    }

    fn formula(r: &mut Random, t: &Terms, atoms: &[[Term; 2]], depth: u32) -> Term {
        if depth == 0 || r.below(5) == 0 {
            return match r.below(12) {
                0 => t.bool(r.below(2) == 0),
                _ => atoms[r.below(atoms.len())][r.below(2)],
            };
        }
        let mut part = || formula(r, t, atoms, depth - 1);
        let (a, b, c) = (part(), part(), part());
        match r.below(4) {
            0 => t.not(a),
            1 => t.and(a, b),
            2 => t.or(a, b),
            _ => t.ite(a, b, c),
        }
    }

    /// The truth of a formula under an assignment, by the formula itself.
    fn truth(t: &Terms, atoms: &[[Term; 2]], row: usize, g: Term) -> bool {
        if let Some(i) = atoms.iter().position(|forms| forms.contains(&g)) {
            return row >> i & 1 == 1;
        }
        let node = t.node(g);
        let arg = |i: usize| truth(t, atoms, row, node.args()[i]);
        match node.op {
            Op::Bool(b) => b,
            Op::Not => !arg(0),
            Op::And => arg(0) && arg(1),
            Op::Or => arg(0) || arg(1),
            Op::Ite => arg(if arg(0) { 1 } else { 2 }),
            other => unreachable!("{other:?}"),
        }
    }

    fn by_table(t: &Terms, atoms: &[[Term; 2]], guards: &[Term]) -> bool {
        (0..1 << atoms.len()).all(|row| guards.iter().filter(|g| truth(t, atoms, row, **g)).count() == 1)
    }

    #[test]
    fn diagrams_say_what_truth_tables_say() {
        let mut r = Random::new(1);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..4000 {
            let t = Terms::new();
            let atoms = atoms(&t);
            // A chain of conditions, as guards; then perhaps something wrong with it.
            let mut guards = Vec::new();
            let mut rest = t.tt();
            for _ in 0..r.below(5) {
                let c = formula(&mut r, &t, &atoms, 3);
                guards.push(t.and(rest, c));
                rest = t.and(rest, t.not(c));
            }
            guards.push(rest);
            let at = r.below(guards.len());
            match r.below(6) {
                0 => guards[at] = formula(&mut r, &t, &atoms, 3),
                1 => guards.push(formula(&mut r, &t, &atoms, 3)),
                2 => {
                    guards.remove(at);
                }
                _ => {}
            }
            let want = by_table(&t, &atoms, &guards);
            assert_eq!(exactly_one(&t, &guards), want, "{guards:?}");
            *(if want { &mut yes } else { &mut no }) += 1;
        }
        assert!(yes > 1000 && no > 500, "{yes} and {no}");
    }

    #[test]
    fn one_comparison_in_two_forms_is_one_atom() {
        let t = Terms::new();
        for [a, b] in atoms(&t) {
            assert!(exactly_one(&t, &[a, t.not(b)]) && exactly_one(&t, &[t.not(a), b]));
            assert!(!exactly_one(&t, &[a, b]) && !exactly_one(&t, &[a]) && !exactly_one(&t, &[a, b, t.not(b)]));
        }
        // What looks alike and is not.
        let (x, y) = (t.symbol("x", Sort::BitVec(8), Role::Free), t.symbol("y", Sort::BitVec(8), Role::Free));
        let compare = |op: Op, a: Term, b: Term| t.apply(op, &[a, b]);
        assert!(!exactly_one(&t, &[compare(Op::BvUlt, x, y), compare(Op::BvSle, y, x)]));
        assert!(!exactly_one(&t, &[compare(Op::BvUlt, x, y), compare(Op::BvUlt, y, x)]));
        assert!(!exactly_one(&t, &[compare(Op::BvSle, x, y), compare(Op::BvSle, y, x)]));
        assert!(!exactly_one(&t, &[]));
    }

    /// Long chains of long conditions have small diagrams; what has none is given up, not decided.
    #[test]
    fn long_chains_are_decided_and_hard_ones_given_up() {
        let t = Terms::new();
        let p = |i: usize| t.symbol(&format!("p{i}"), Sort::Bool, Role::Free);
        let mut guards = Vec::new();
        let mut rest = t.tt();
        for k in 0..60 {
            let c = t.all((0..6).map(|j| p(6 * k + j)));
            guards.push(t.and(rest, c));
            rest = t.and(rest, t.not(c));
        }
        let chain = [guards.as_slice(), &[rest]].concat();
        assert!(exactly_one(&t, &chain));
        assert!(!exactly_one(&t, &guards));
        // Atoms that belong together stand far apart: the diagram has to remember all of the first half.
        let far = t.any((0..40).map(|i| t.and(p(1000 + i), p(2000 + i))));
        let first = t.any((0..40).map(|i| p(1000 + i)));
        let g = t.and(first, far);
        assert_eq!(Diagrams::new(&t).exactly_one(&[g, t.not(g)]), None);
        assert!(!exactly_one(&t, &[g, t.not(g)]));
    }
}
