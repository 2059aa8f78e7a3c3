//! Measures from what exits compare, without listing paths.
//!
//! One round of a loop without inner loops is one formula, as large as the graph of its body. What its guards compare suggests measures:
//! of `a < b` the difference, of `p != 0` the number. A solver gives a step on which none of the measures so far falls; one
//! that falls on it and rises on no other step that is left is taken, and so on, until no step is left. So a handful of questions
//! decides a body with any number of paths.
//!
//! A tuple that is found falls lexicographically, bounded below: a step is left exactly if no component so far falls on it, and each new
//! component rises on none of those. The checker shows it again.
//!
//! First of all a solver is asked for a round that changes nothing. Where there is one, nothing falls in every round, and all other questions are
//! spared: that is the fate of most loops that stay open.

use crate::engine::{Effort, Engine, EngineCx, Goal, NoClaim, Outcome, Task};
use crate::invariants::Invariants;
use dashu_int::IBig;
use lariat_ir::graph::components;
use lariat_ir::simplify::{simplify, simplify_all};
use lariat_ir::{
    Certificate, Claim, Edge, Id, LocId, Measure, Op, Order, Outline, Property, Role, Sort, Term, TransitionSystem,
};
use lariat_smt::{Answer, Model, Solver};
use std::collections::{BTreeMap, BTreeSet};

/// The engine.
pub struct Exits;

impl Engine for Exits {
    fn name(&self) -> &'static str {
        "exits"
    }
    fn pursues(&self, goal: Goal) -> bool {
        matches!(goal, Goal::Ends(_))
    }
    fn run(&self, task: &Task<'_>, cx: &mut EngineCx) -> Outcome {
        // Most loops need no invariant, and those of a system cost more than all the rest.
        let found = match cx.effort {
            Effort::Quick => search(task, cx, false),
            Effort::Brief => search(task, cx, true),
            Effort::Full => return Outcome::nothing_new(),
        };
        match found {
            Ok(claim) => Outcome::Claims(vec![claim]),
            Err(why) => Outcome::GaveUp(why),
        }
    }
}

/// A round of so many terms is not looked at before other engines had their turn: one question about it takes a second.
const LARGE: usize = 20_000;
/// So many measures are tried.
const MOST_CANDIDATES: usize = 60;
/// So large may one be.
const LARGEST: usize = 24;
/// So many components a tuple may have.
const MOST_COMPONENTS: usize = 4;
/// After so many questions, or so many without an answer, the search is over: of 205 loops of real programs that were decided one took six questions, and nearly all two or three.
const MOST_ASKED: u32 = 12;
const MOST_UNANSWERED: u32 = 2;

/// One round of a loop.
struct Round {
    /// What holds of every round that comes back.
    facts: Vec<Term>,
    /// The variables behind it.
    after: Vec<Term>,
    /// What is compared in it, as a difference of numbers.
    compared: BTreeSet<Term>,
    /// The least and the greatest value of unknown values that have a range.
    ranges: BTreeMap<Term, (IBig, IBig)>,
}

fn search(task: &Task<'_>, cx: &EngineCx, supported: bool) -> Result<Claim, NoClaim> {
    let ts = task.ts;
    let header = task.this().header;
    let mut round = round(ts, header, &task.this().body).ok_or("it holds another loop")?;
    let mut invariants: BTreeMap<LocId, Term> = BTreeMap::new();
    let is_large = ts.terms.reachable(&round.facts).len() > LARGE;
    if is_large && !supported {
        return Err("one round of it is too large for a first look".into());
    }
    let mut kept = Vec::new();
    if supported && !is_large {
        invariants.clone_from(&Invariants::of(task.board, ts, task.forest, cx.deadline));
        let here = invariants.get(&header).copied().filter(|t| *t != ts.terms.tt());
        round.facts.extend(here);
        kept = brought_along(ts, header, &task.this().body);
        if here.is_none() && kept.is_empty() {
            return Err("nothing is known where it begins".into());
        }
    }
    let mut asked = Asked::new(&round, ts, cx);
    keep_facts(&round, &mut kept, &mut asked);
    if supported && !is_large {
        for f in &kept {
            asked.solver.assert(&ts.terms, *f);
        }
        let here: Vec<Term> = invariants.get(&header).copied().into_iter().chain(kept).collect();
        let here = ts.terms.all(here.into_iter().filter(|t| *t != ts.terms.tt()));
        atoms(ts, here, &mut round.compared);
        invariants.insert(header, here);
    }
    if matches!(repeat(&round, &mut asked), Answer::Sat(_)) {
        return Err(NoClaim::Repeats("in some state one round changes nothing that its exits ask".to_owned()));
    }
    let candidates = candidates(ts, &round);
    let found = if candidates.is_empty() { None } else { tuple(&round, &candidates, &mut asked) };
    let Some(tuple) = found else {
        return Err(if cx.out_of_time() {
            NoClaim::out_of_time()
        } else {
            "nothing that its exits compare falls in every round".into()
        });
    };
    let certificate = Certificate::Ranking {
        outline: Outline { invariants, inner: Vec::new() },
        measures: BTreeMap::from([(header, tuple)]),
    };
    let (system, when) = (task.hash, ts.terms.tt());
    Ok(Claim { system, property: Property::Terminates(header), when, certificate })
}

/// What the conditions say by which a loop is come to, of variables that keep their values on the way: parts that all ways in have in common.
fn brought_along(ts: &TransitionSystem, header: LocId, body: &BTreeSet<LocId>) -> Vec<Term> {
    let terms = &ts.terms;
    let is_way_in = |e: &&Edge| body.contains(&e.to) && !body.contains(&e.from);
    // Who comes in elsewhere gets to the header with other values.
    if ts.edges.iter().filter(is_way_in).any(|e| e.to != header) {
        return Vec::new();
    }
    let ways = ts.edges.iter().filter(is_way_in);
    let facts = ways.map(|e| {
        let is_changed = |s: &Term| match terms.role(*s) {
            Some(Role::Var(v)) => e.updates.iter().any(|(w, _)| *w == v),
            _ => true,
        };
        let said = terms.conjuncts(e.guard).into_iter().filter(|t| *t != terms.tt());
        said.filter(|t| !terms.symbols(*t).iter().any(is_changed)).collect::<BTreeSet<Term>>()
    });
    let common = facts.reduce(|a, b| a.intersection(&b).copied().collect());
    common.unwrap_or_default().into_iter().take(MOST_BROUGHT).collect()
}

/// So many such facts are looked at.
const MOST_BROUGHT: usize = 8;

/// Leaves those of some facts that every round keeps, all of them together.
fn keep_facts(round: &Round, facts: &mut Vec<Term>, asked: &mut Asked<'_>) {
    let (ts, terms) = (asked.ts, &asked.ts.terms);
    while !facts.is_empty() {
        let later: Vec<Term> = facts.iter().map(|f| behind(ts, round, *f)).collect();
        let broken = terms.any(later.iter().map(|t| terms.not(*t)));
        let all: Vec<Term> = facts.iter().copied().chain([broken]).collect();
        match asked.cx.ask(asked.solver.as_mut(), ts, &all) {
            Answer::Unsat => return,
            Answer::Sat(step) => {
                let mut holds = later.iter().map(|t| step.eval(terms, *t).as_bool());
                facts.retain(|_| holds.next().unwrap_or(false));
            }
            Answer::Unknown(_) => facts.clear(),
        }
    }
}

/// The first of some conditions on the state at the header under which a loop ends for a measure found here, if it is entered where that holds: each round keeps it,
/// something falls in each, and two are possible from some state `within` the types of numbers. A condition that holds always is a good one to begin with.
pub fn first_that_suffices(
    ts: &TransitionSystem,
    (header, body): (LocId, &BTreeSet<LocId>),
    (conditions, within): (&[Term], &[Term]),
    cx: &EngineCx,
) -> Option<usize> {
    /// The unknown values of the second round come behind those of the first.
    const SECOND: u32 = 1 << 20;
    let terms = &ts.terms;
    let round = round(ts, header, body)?;
    if terms.reachable(&round.facts).len() > LARGE {
        return None;
    }
    let mut asked = Asked::new(&round, ts, cx);
    let second = round_from(ts, (header, body), round.after.clone(), SECOND)?;
    let twice: Vec<Term> = within.iter().copied().chain(second.facts).collect();
    let same = match repeat(&round, &mut asked) {
        Answer::Sat(same) => Some(same),
        Answer::Unsat => None,
        Answer::Unknown(_) => return None,
    };
    let candidates = candidates(ts, &round);
    // Where some round changes nothing, what does not exclude it is not enough.
    let excludes = |c: &Term| same.as_ref().is_none_or(|same| !same.eval(terms, *c).as_bool());
    for (n, condition) in conditions.iter().enumerate().filter(|(_, c)| excludes(c)).take(MOST_CONDITIONS) {
        if cx.out_of_time() {
            return None;
        }
        (asked.count, asked.unanswered) = (0, 0);
        let later = behind(ts, &round, *condition);
        asked.solver.push();
        asked.solver.assert(terms, *condition);
        let is_kept = matches!(asked.ask(&[terms.not(later)]), Answer::Unsat);
        // A condition under which nothing goes round says nothing.
        let ends = is_kept
            && matches!(asked.ask(&twice), Answer::Sat(_))
            && matches!(repeat(&round, &mut asked), Answer::Unsat)
            && tuple(&round, &candidates, &mut asked).is_some();
        asked.solver.pop();
        if ends {
            return Some(n);
        }
    }
    None
}

/// So many conditions are tried.
const MOST_CONDITIONS: usize = 14;

/// One round from the header back to it; nothing if a cycle avoids the header.
fn round(ts: &TransitionSystem, header: LocId, body: &BTreeSet<LocId>) -> Option<Round> {
    round_from(ts, (header, body), ts.vars.iter().map(|v| v.term).collect(), 0)
}

/// The same from some state, with unknown values that are numbered from here on.
fn round_from(
    ts: &TransitionSystem,
    (header, body): (LocId, &BTreeSet<LocId>),
    state: Vec<Term>,
    mut frame: u32,
) -> Option<Round> {
    let terms = &ts.terms;
    let places: Vec<LocId> = body.iter().copied().collect();
    let number: BTreeMap<LocId, usize> = places.iter().enumerate().map(|(n, l)| (*l, n)).collect();
    let inside = |n: usize| -> Vec<usize> {
        let out = ts.locs[places[n]].out.iter().map(|e| ts.edges[*e].to);
        out.filter(|to| *to != header).filter_map(|to| number.get(&to).copied()).collect()
    };
    let order = components(places.len(), inside);
    if order.iter().any(|c| c.cyclic) {
        return None;
    }
    let mut facts = Vec::new();
    let mut compared = BTreeSet::new();
    let mut ranges = BTreeMap::new();
    // For each location the ways that arrive there: when, and with what.
    let mut arrivals: BTreeMap<LocId, Vec<(Term, Vec<Term>)>> = BTreeMap::new();
    arrivals.insert(header, vec![(terms.tt(), state)]);
    let mut back: Vec<(Term, Vec<Term>)> = Vec::new();
    // Each component stands behind all that it leads to.
    for c in order.iter().rev() {
        let at = places[c.nodes[0]];
        let Some(ways) = arrivals.remove(&at) else { continue };
        let (here, state) = merged(ts, ways);
        for &e in &ts.locs[at].out {
            let edge = &ts.edges[e];
            frame += 1;
            let now = |t: Term| ts.in_state(t, &state, frame);
            let guard = simplify(terms, now(edge.guard));
            atoms(ts, guard, &mut compared);
            if !body.contains(&edge.to) {
                continue;
            }
            for u in ts.unknowns_of(e) {
                let range = ts.range_condition(u, terms.copy_symbol(ts.unknowns[u].term, frame));
                if range != terms.tt() {
                    facts.push(range);
                }
                if let Some(bounds) = &ts.unknowns[u].range {
                    ranges.insert(terms.copy_symbol(ts.unknowns[u].term, frame), bounds.clone());
                }
            }
            let mut after = state.clone();
            for (v, t) in &edge.updates {
                after[v.index()] = now(*t);
            }
            let after = simplify_all(terms, &after);
            let way = (simplify(terms, terms.and(here, guard)), after);
            if edge.to == header { back.push(way) } else { arrivals.entry(edge.to).or_default().push(way) }
        }
    }
    if back.is_empty() {
        return None;
    }
    let (comes_back, after) = merged(ts, back);
    facts.push(comes_back);
    Some(Round { facts, after, compared, ranges })
}

/// Several ways as one: their conditions exclude each other.
fn merged(ts: &TransitionSystem, mut ways: Vec<(Term, Vec<Term>)>) -> (Term, Vec<Term>) {
    let terms = &ts.terms;
    let (last, mut state) = ways.pop().expect("there is a way");
    let mut conditions = vec![last];
    for (taken, values) in ways {
        for (now, value) in state.iter_mut().zip(values) {
            if *now != value {
                *now = terms.ite(taken, value, *now);
            }
        }
        conditions.push(taken);
    }
    while let Some((i, j, both)) = meeting(ts, &conditions) {
        conditions.swap_remove(j);
        conditions[i] = both;
    }
    (simplify(terms, terms.any(conditions)), state)
}

/// Two conditions that differ in one part, which holds in one and not in the other, and what they come to together: where the two sides of a branch
/// meet, nothing is left of it, so that conditions do not grow with the number of branches in a row.
fn meeting(ts: &TransitionSystem, conditions: &[Term]) -> Option<(usize, usize, Term)> {
    let terms = &ts.terms;
    let parts: Vec<BTreeSet<Term>> = conditions.iter().map(|c| terms.conjuncts(*c).into_iter().collect()).collect();
    let negated = |t: Term| simplify(terms, terms.not(t));
    for j in 1..parts.len() {
        for i in 0..j {
            let only = |a: &BTreeSet<Term>, b: &BTreeSet<Term>| a.difference(b).copied().collect::<Vec<Term>>();
            if let ([a], [b]) = (&only(&parts[i], &parts[j])[..], &only(&parts[j], &parts[i])[..])
                && (negated(*a) == *b || negated(*b) == *a)
            {
                let common = parts[i].intersection(&parts[j]).copied().filter(|t| *t != terms.tt());
                return Some((i, j, terms.all(common)));
            }
        }
    }
    None
}

/// The differences of what comparisons in a condition compare, as far as they are small.
fn atoms(ts: &TransitionSystem, condition: Term, found: &mut BTreeSet<Term>) {
    let terms = &ts.terms;
    for t in terms.reachable(&[condition]) {
        let node = terms.node(t);
        let [a, b] = node.args() else { continue };
        let minus = match (node.op, terms.sort(*a)) {
            (Op::IntLt | Op::IntLe | Op::Eq, Sort::Int) => Op::IntSub,
            (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::Eq, Sort::BitVec(_)) => Op::BvSub,
            _ => continue,
        };
        let difference = simplify(terms, terms.apply(minus, &[*b, *a]));
        if terms.reachable(&[difference]).len() <= LARGEST {
            found.insert(difference);
        }
    }
}

/// Whether a term speaks of the beginning of a round, and of nothing else.
fn is_plain(ts: &TransitionSystem, t: Term) -> bool {
    let terms = &ts.terms;
    let symbols = terms.symbols(t);
    !symbols.is_empty() && symbols.iter().all(|s| matches!(terms.role(*s), Some(Role::Var(_))))
}

/// A difference with bounds in the place of what others may set: an unknown value is at most its greatest one, and a variable that becomes one is at most that or what it is
/// now, whichever is greater. That bound rises in no round. The same downwards.
fn bounded_difference(ts: &TransitionSystem, round: &Round, difference: Term) -> [Term; 2] {
    let terms = &ts.terms;
    let bounds = |t: Term| match terms.role(t) {
        _ if terms.sort(t) != Sort::Int => None,
        Some(Role::Var(v)) => {
            let behind = terms.symbols(round.after[v.index()]);
            // The widest one: what else is chosen in a round are flags.
            let known = behind.iter().filter_map(|s| round.ranges.get(s));
            known.max_by_key(|(_, greatest)| greatest).map(|b| (b, true))
        }
        _ => round.ranges.get(&t).map(|b| (b, false)),
    };
    let with = |up: bool| {
        let put = terms.substitute(difference, |s| {
            let ((least, greatest), is_var) = bounds(s)?;
            let bound = terms.int(if up { greatest } else { least }.clone());
            let (low, high) = if up { (s, bound) } else { (bound, s) };
            Some(if is_var { terms.ite(terms.apply(Op::IntLe, &[low, high]), bound, s) } else { bound })
        });
        simplify(terms, put)
    };
    [with(true), with(false)]
}

/// The measures to be tried: differences in both directions, and what changes by itself.
///
/// A word falls as a number without a sign: of `a < b` the difference is one that did not wrap, whatever the sign of `a` and `b`. What falls as a number with a sign,
/// or rises, does so in the words' other orders.
fn candidates(ts: &TransitionSystem, round: &Round) -> Vec<Measure> {
    let terms = &ts.terms;
    let mut all = Vec::new();
    let both_ways = |d: Term| {
        let (order, minus) = match terms.sort(d) {
            Sort::Int => (Order::Int, Op::IntNeg),
            _ => (Order::Unsigned, Op::BvNeg),
        };
        [d, simplify(terms, terms.apply(minus, &[d]))].map(|term| Measure { order, term })
    };
    all.extend(round.compared.iter().copied().filter(|d| is_plain(ts, *d)).flat_map(both_ways));
    for (v, _) in ts.vars.iter().zip(&round.after).filter(|(v, after)| v.term != **after) {
        match v.sort {
            Sort::Int => all.push(Measure { order: Order::Int, term: v.term }),
            Sort::BitVec(_) => {
                let not = simplify(terms, terms.apply(Op::BvNot, &[v.term]));
                let orders = [Order::Unsigned, Order::Signed];
                all.extend(orders.into_iter().flat_map(|order| [v.term, not].map(|term| Measure { order, term })));
            }
            _ => {}
        }
    }
    let bounded = round.compared.iter().filter(|d| terms.sort(**d) == Sort::Int);
    let bounded = bounded.flat_map(|d| bounded_difference(ts, round, *d)).filter(|d| is_plain(ts, *d));
    all.extend(bounded.flat_map(both_ways));
    // What does not change cannot fall.
    let moves = |t: Term| behind(ts, round, t) != t;
    let mut seen = BTreeSet::new();
    all.retain(|m| seen.insert((m.term, m.order == Order::Signed)) && moves(m.term));
    all.truncate(MOST_CANDIDATES);
    all
}

/// A measure behind a round.
fn behind(ts: &TransitionSystem, round: &Round, t: Term) -> Term {
    let terms = &ts.terms;
    let after = terms.substitute(t, |s| match terms.role(s) {
        Some(Role::Var(v)) => Some(round.after[v.index()]),
        _ => None,
    });
    simplify(terms, after)
}

/// A solver that is asked about rounds.
struct Asked<'a> {
    ts: &'a TransitionSystem,
    solver: Box<dyn Solver>,
    cx: &'a EngineCx,
    count: u32,
    unanswered: u32,
}

impl<'a> Asked<'a> {
    /// One that knows what holds of rounds.
    fn new(round: &Round, ts: &'a TransitionSystem, cx: &'a EngineCx) -> Self {
        let mut solver = cx.solver();
        for f in &round.facts {
            solver.assert(&ts.terms, *f);
        }
        Self { ts, solver, cx, count: 0, unanswered: 0 }
    }

    /// Whether these terms can hold together in a round.
    fn ask(&mut self, all: &[Term]) -> Answer {
        let answer = self.cx.ask(self.solver.as_mut(), self.ts, all);
        self.count += 1;
        self.unanswered += u32::from(matches!(answer, Answer::Unknown(_)));
        answer
    }

    /// Whether to stop.
    fn is_over(&self) -> bool {
        self.cx.out_of_time() || self.count >= MOST_ASKED || self.unanswered >= MOST_UNANSWERED
    }
}

/// A round that leaves everything as it was.
fn repeat(round: &Round, asked: &mut Asked<'_>) -> Answer {
    let terms = &asked.ts.terms;
    let changed = asked.ts.vars.iter().zip(&round.after).filter(|(v, after)| v.term != **after);
    let same: Vec<Term> = changed.map(|(v, after)| terms.apply(Op::Eq, &[v.term, *after])).collect();
    asked.ask(&same)
}

/// A measure before and behind a round.
struct Candidate {
    measure: Measure,
    /// It falls, and may do so only finitely often.
    falls: Term,
    rises: Term,
}

impl Candidate {
    fn new(ts: &TransitionSystem, round: &Round, measure: Measure) -> Self {
        let terms = &ts.terms;
        let (before, after) = (measure.term, behind(ts, round, measure.term));
        let less = match measure.order {
            Order::Int => Op::IntLt,
            Order::Unsigned => Op::BvUlt,
            Order::Signed => Op::BvSlt,
        };
        let falls = terms.apply(less, &[after, before]);
        let falls = match measure.order {
            Order::Int => terms.and(terms.apply(Op::IntLe, &[terms.int(0), before]), falls),
            Order::Unsigned | Order::Signed => falls,
        };
        Self { measure, falls, rises: terms.apply(less, &[before, after]) }
    }
}

/// A tuple that falls in every round.
fn tuple(round: &Round, candidates: &[Measure], asked: &mut Asked<'_>) -> Option<Vec<Measure>> {
    let ts = asked.ts;
    let terms = &ts.terms;
    let all: Vec<Candidate> = candidates.iter().map(|m| Candidate::new(ts, round, *m)).collect();
    let holds = |t: Term, model: &Model| model.eval(terms, t).as_bool();
    if let Some(one) = alone(&all, asked) {
        return Some(vec![one]);
    }
    let mut tuple = Vec::new();
    let mut unfit: BTreeSet<usize> = BTreeSet::new();
    loop {
        if asked.is_over() {
            return None;
        }
        let model = match asked.cx.check(asked.solver.as_mut(), terms) {
            Answer::Unsat => return Some(tuple),
            Answer::Sat(model) => model,
            Answer::Unknown(_) => return None,
        };
        if tuple.len() == MOST_COMPONENTS {
            return None;
        }
        let mut open: Vec<usize> =
            (0..all.len()).filter(|n| !unfit.contains(n) && holds(all[*n].falls, &model)).collect();
        let mut taken = None;
        while let Some(n) = open.first().copied() {
            if asked.is_over() {
                return None;
            }
            match asked.ask(&[all[n].rises]) {
                Answer::Unsat => {
                    taken = Some(n);
                    break;
                }
                // One step tells of all candidates that rise on it.
                Answer::Sat(step) => {
                    unfit.extend(open.iter().copied().filter(|m| holds(all[*m].rises, &step)));
                    open.retain(|m| !unfit.contains(m));
                }
                Answer::Unknown(_) => {
                    unfit.insert(n);
                    open.retain(|m| *m != n);
                }
            }
        }
        let n = taken?;
        tuple.push(all[n].measure);
        // What rose on steps that are done with may do now.
        unfit = BTreeSet::from([n]);
        asked.solver.assert(terms, terms.not(all[n].falls));
    }
}

/// A measure that falls in every round by itself, which is what a reader understands best. Each step on which one does not fall tells of others.
fn alone(all: &[Candidate], asked: &mut Asked<'_>) -> Option<Measure> {
    let terms = &asked.ts.terms;
    let mut open: Vec<usize> = (0..all.len()).collect();
    while let Some(n) = open.first().copied().filter(|_| !asked.is_over()) {
        match asked.ask(&[terms.not(all[n].falls)]) {
            Answer::Unsat => return Some(all[n].measure),
            Answer::Sat(step) => open.retain(|m| *m != n && step.eval(terms, all[*m].falls).as_bool()),
            Answer::Unknown(_) => open.retain(|m| *m != n),
        }
    }
    None
}
