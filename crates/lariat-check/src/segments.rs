//! All paths from one location to the next ones of a cut, as one formula.
//!
//! A segment starts in a location, goes through locations that are not in the cut, and ends in the cut. The
//! locations on the way form an acyclic graph, or the certificate is rejected. Each of them gets a condition "a path
//! comes here" and a term for every variable: where one edge comes in, those of the edge applied to those before it;
//! where several come in, fresh symbols, and for each edge a fresh truth value that implies its path and the
//! equations. So every real path satisfies the formula with its edges' truth values set, and what is
//! unsatisfiable for the formula is impossible for every path: that is the direction that all uses need. The formula
//! is as large as the graph, not as the number of its paths.
//!
//! Every unknown is a fresh symbol at each edge, confined to its range only: universally quantified in the
//! queries, whatever its kind.
//!
//! A stand-in replaces an inner loop: on arrival at its header the state becomes any that the relation allows, and the
//! path goes on from there; a further return to the header inside the inner body is dropped, because the relation
//! already contains its result (it is shown to be closed under such a return). A path that came into the inner body
//! elsewhere than through the header has not been at the header yet: its first arrival there counts as one.

use crate::prover::both;
use crate::rejection::{Condition, Rejection};
use crate::verify::System;
use lariat_ir::{EdgeId, Id, LocId, Loop, Role, Sort, Term, TransitionSystem, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What bounds the paths of interest.
pub(crate) struct Bounds<'b> {
    /// Paths stay inside these locations.
    pub inside: &'b BTreeSet<LocId>,
    /// Paths end here.
    pub cut: &'b BTreeSet<LocId>,
    /// What is known at locations, wherever a path passes one.
    pub known: &'b BTreeMap<LocId, Term>,
    /// Inner loops with the relation that stands in for each.
    pub stand_ins: &'b [(&'b Loop, Term)],
    /// What it means when a cycle avoids the cut.
    pub on_cycle: Condition,
}

/// Where a segment can end: the condition that it does, and the values of the variables there.
pub(crate) struct End {
    pub at: LocId,
    pub condition: Term,
    pub state: Vec<Term>,
}

/// All segments from one location.
pub(crate) struct Segments {
    /// Holds whatever path is taken.
    pub side: Vec<Term>,
    /// The ends, in the order of their locations.
    pub ends: Vec<End>,
}

/// A point of the path graph: a location, and the stand-in whose body the path is walking out of.
type Point = (LocId, Option<usize>);

enum Way {
    Edge(EdgeId),
    StandIn(usize),
}

/// All segments that start in `from` with the variables as they are.
pub(crate) fn from_location(system: &System<'_>, from: LocId, bounds: &Bounds<'_>) -> Result<Segments, Rejection> {
    let ts = system.ts();
    let graph = Graph::of(ts, from, bounds)?;
    let terms = &ts.terms;
    let start: Vec<Term> = ts.vars.iter().map(|v| v.term).collect();
    let mut side = Vec::new();
    let mut frame = 0u32;
    let mut next_frame = || {
        frame += 1;
        frame
    };
    let mut reached: BTreeMap<Node, (Term, Vec<Term>)> = BTreeMap::new();
    reached.insert(Node::Start, (terms.tt(), start));
    let mut ends = Vec::new();
    for node in &graph.order {
        let ways = &graph.incoming[node];
        let mut arrivals = Vec::new();
        for (source, way) in ways {
            let (condition, state) = &reached[source];
            arrivals.push(match way {
                Way::Edge(e) => {
                    let edge = &ts.edges[*e];
                    let at = next_frame();
                    let guard = ts.in_state(edge.guard, state, at);
                    let mut after = state.clone();
                    for (v, t) in &edge.updates {
                        after[v.index()] = ts.in_state(*t, state, at);
                    }
                    for u in ts.unknowns_of(*e) {
                        let range = ts.range_condition(u, terms.copy_symbol(ts.unknowns[u].term, at));
                        side.push(range);
                    }
                    (both(terms, *condition, guard), after)
                }
                Way::StandIn(i) => {
                    let after = fresh_state(ts, next_frame());
                    let relation = relate(ts, bounds.stand_ins[*i].1, state, &after);
                    (both(terms, *condition, relation), after)
                }
            });
        }
        let (mut condition, state) = if arrivals.len() == 1 {
            arrivals.swap_remove(0)
        } else {
            let at = next_frame();
            let state = fresh_state(ts, at);
            let mut any = Vec::new();
            for (i, (condition, after)) in arrivals.into_iter().enumerate() {
                let taken = terms.symbol(&format!("taken@{at}.{i}"), Sort::Bool, Role::Free);
                let equations = state.iter().zip(after).map(|(x, y)| terms.eq(*x, y));
                let path = both(terms, condition, terms.all(equations));
                side.push(terms.implies(taken, path));
                any.push(taken);
            }
            (terms.any(any), state)
        };
        if let Some(known) = bounds.known.get(&node.loc()) {
            condition = both(terms, condition, at_state(ts, *known, &state));
        }
        if let Node::End(at) = node {
            ends.push(End { at: *at, condition, state: state.clone() });
        }
        reached.insert(*node, (condition, state));
    }
    side.retain(|t| *t != terms.tt());
    ends.sort_by_key(|e| e.at);
    Ok(Segments { side, ends })
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Start,
    On(Point),
    End(LocId),
}

impl Node {
    fn loc(self) -> LocId {
        match self {
            Self::Start => LocId::EXIT,
            Self::On((l, _)) | Self::End(l) => l,
        }
    }
}

struct Graph {
    /// Every node but the start, each after those its ways come from.
    order: Vec<Node>,
    incoming: BTreeMap<Node, Vec<(Node, Way)>>,
}

impl Graph {
    fn of(ts: &TransitionSystem, from: LocId, bounds: &Bounds<'_>) -> Result<Self, Rejection> {
        let mut incoming: BTreeMap<Node, Vec<(Node, Way)>> = BTreeMap::new();
        // Depth first with an explicit stack; the nodes in reverse post-order are in topological order.
        let mut state: BTreeMap<Node, bool> = BTreeMap::new();
        let mut post = Vec::new();
        let mut stack = vec![(Node::Start, successors(ts, from, Node::Start, bounds), 0)];
        state.insert(Node::Start, true);
        while let Some((node, next, done)) = stack.last_mut() {
            let node = *node;
            let Some((target, way)) = next.get_mut(*done).map(|(t, w)| (*t, w.take())) else {
                state.insert(node, false);
                post.push(node);
                stack.pop();
                continue;
            };
            *done += 1;
            incoming.entry(target).or_default().push((node, way.expect("each way is taken once")));
            match state.get(&target) {
                Some(true) => {
                    let message = format!("a cycle through `{}` passes none of them", ts.locs[target.loc()].name);
                    return Err(Rejection::new(bounds.on_cycle, message));
                }
                Some(false) => {}
                None => {
                    state.insert(target, true);
                    let further =
                        if matches!(target, Node::End(_)) { Vec::new() } else { successors(ts, from, target, bounds) };
                    stack.push((target, further, 0));
                }
            }
        }
        post.reverse();
        let order = post.into_iter().filter(|n| *n != Node::Start).collect();
        Ok(Self { order, incoming })
    }
}

fn successors(ts: &TransitionSystem, from: LocId, node: Node, bounds: &Bounds<'_>) -> Vec<(Node, Option<Way>)> {
    let stand_in_at = |l: LocId| bounds.stand_ins.iter().position(|(inner, _)| inner.header == l);
    let (loc, phase) = match node {
        Node::Start => (from, None),
        Node::On(point) => point,
        Node::End(_) => unreachable!("an end has no successors"),
    };
    // An arrival at an inner header goes on only through its relation. The start itself is no arrival.
    if let (Node::On(_), None, Some(i)) = (node, phase, stand_in_at(loc)) {
        return vec![(Node::On((loc, Some(i))), Some(Way::StandIn(i)))];
    }
    let mut out = Vec::new();
    for &e in &ts.locs[loc].out {
        let to = ts.edges[e].to;
        if to.is_sink() || !bounds.inside.contains(&to) {
            continue;
        }
        let target = if bounds.cut.contains(&to) {
            Node::End(to)
        } else {
            match phase {
                Some(i) if bounds.stand_ins[i].0.body.contains(&to) => {
                    if to == bounds.stand_ins[i].0.header {
                        continue;
                    }
                    Node::On((to, Some(i)))
                }
                _ => Node::On((to, None)),
            }
        };
        out.push((target, Some(Way::Edge(e))));
    }
    out
}

fn fresh_state(ts: &TransitionSystem, frame: u32) -> Vec<Term> {
    ts.vars.iter().map(|v| ts.terms.copy_symbol(v.term, frame)).collect()
}

/// A term over the variables in a state.
pub(crate) fn at_state(ts: &TransitionSystem, t: Term, state: &[Term]) -> Term {
    ts.terms.substitute(t, |s| match ts.terms.role(s) {
        Some(Role::Var(v)) => Some(state[v.index()]),
        _ => None,
    })
}

/// A relation between two states.
pub(crate) fn relate(ts: &TransitionSystem, relation: Term, old: &[Term], new: &[Term]) -> Term {
    ts.terms.substitute(relation, |s| match ts.terms.role(s) {
        Some(Role::Var(v)) => Some(new[v.index()]),
        Some(Role::Old(v)) => Some(old[v.index()]),
        _ => None,
    })
}

/// The old values of all variables, as a state.
pub(crate) fn old_state(ts: &TransitionSystem) -> Vec<Term> {
    ts.vars.ids().map(|v: VarId| ts.vars[v].old).collect()
}
