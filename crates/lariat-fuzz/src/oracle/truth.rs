//! The truth about a small system, by enumeration.
//!
//! Guards are disjoint and total, so a run is a function of its first state and of the unknown values. Two questions are
//! asked of every state and every region (the body of a loop, or all that is no sink):
//! - *may*: is there a run from here that stays in the region for ever from some point on?
//! - *must*: can whoever chooses the inputs, seeing the state but not the other values of the same step, force such a run
//!   against every environment? This is a game with a co-Büchi winning condition: the least Y with
//!   Y = νX. (region ∩ pre(X)) ∪ pre(Y).
//!
//! Where the search was cut off, both are bracketed: once with the unexplored states counted as lost, once as won. What
//! both say is the truth, and what they do not agree on is not scored.

use super::compiled::Code;
use super::space::{Coverage, Expansion, Space, Valuation};
use lariat_ir::{Certificate, Claim, Id, IdVec, LocId, LoopForest, LoopId, Property, Term, TransitionSystem};
use std::collections::BTreeMap;

/// How many initial states are looked at.
const MAX_INITIAL: usize = 1 << 13;

/// A state of the explored part, by number.
pub type Node = u32;

/// What can be said of a program or a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// No run is infinite there.
    Terminates,
    /// From some initial state an infinite run can be forced.
    Diverges,
    /// There are infinite runs, and nobody can force one.
    Neither,
    /// There are infinite runs; whether one can be forced was not found out.
    NotTerminating,
    /// The search was cut off.
    Unscored,
}

impl Verdict {
    /// All verdicts, in the order of reports.
    pub const ALL: [Self; 5] = [Self::Terminates, Self::Diverges, Self::Neither, Self::NotTerminating, Self::Unscored];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terminates => "terminates",
            Self::Diverges => "diverges",
            Self::Neither => "neither",
            Self::NotTerminating => "not terminating",
            Self::Unscored => "unscored",
        }
    }
}

/// Why a system has no truth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoTruth {
    /// It has a sort or an unknown that is too large to enumerate.
    TooLarge,
    /// In this state no guard holds, or two do.
    Broken(LocId, Vec<lariat_ir::Value>),
}

/// A set of nodes, bracketed: what is certainly in it, and what is not certainly out of it.
#[derive(Clone, Debug)]
pub struct Bracket {
    /// Certainly in.
    pub least: Vec<bool>,
    /// In or unknown.
    pub greatest: Vec<bool>,
}

/// The two questions for one region.
#[derive(Clone, Debug)]
pub struct Region {
    /// From here a run may stay for ever.
    pub may: Bracket,
    /// From here a run can be kept for ever.
    pub must: Bracket,
}

/// The outcomes of the one step of an explored state.
#[derive(Clone, Debug)]
pub struct NodeStep {
    /// The edge.
    pub edge: lariat_ir::EdgeId,
    /// How many combinations of other values there are for each combination of inputs.
    pub others: usize,
    /// The outcomes, for each combination of inputs those of every combination of other values.
    pub outcomes: Vec<Node>,
}

/// A system, explored.
pub struct Truth<'a> {
    /// Its states.
    pub space: Space<'a>,
    /// Its loops.
    pub forest: LoopForest,
    /// The location and valuation of each explored state.
    pub nodes: Vec<(LocId, Valuation)>,
    /// The step of each explored state; none at a sink and where the search was cut off.
    pub steps: Vec<Option<NodeStep>>,
    /// The initial states.
    pub initial: Vec<Node>,
    /// How many of the initial states these are.
    pub coverage: Coverage,
    /// Whether every reachable state was explored.
    pub closed: bool,
    /// Each loop's region.
    pub loops: IdVec<LoopId, Region>,
    /// The region of everything that is no sink.
    pub program: Region,
    /// Where the search was cut off.
    pub(super) frontier: Vec<bool>,
}

impl<'a> Truth<'a> {
    /// Explores a system, expanding at most `fuel` states.
    pub fn of(ts: &'a TransitionSystem, fuel: usize) -> Result<Self, NoTruth> {
        let mut space = Space::new(ts).ok_or(NoTruth::TooLarge)?;
        let (models, coverage) = space.models(ts.init, ts.entry, MAX_INITIAL);
        let mut explored = Explored::default();
        let initial: Vec<Node> = models.into_iter().map(|v| explored.node(ts.entry, v)).collect();
        let mut done = 0;
        while done < explored.nodes.len() {
            let (loc, v) = explored.nodes[done];
            let mut step = None;
            let mut cut = false;
            if !loc.is_sink() {
                match if done < fuel { space.expand(loc, v) } else { Expansion::Outgrown } {
                    Expansion::Step(s) => {
                        let outcomes = space.outcomes(&s).iter().map(|&o| explored.node(s.to, o)).collect();
                        step = Some(NodeStep { edge: s.edge, others: s.others as usize, outcomes });
                    }
                    Expansion::Outgrown => cut = true,
                    Expansion::Broken => return Err(NoTruth::Broken(loc, space.values(v))),
                }
            }
            explored.steps.push(step);
            explored.frontier.push(cut);
            done += 1;
        }
        let Explored { nodes, steps, frontier, .. } = explored;
        let forest = LoopForest::of(ts);
        let game = Game::new(&nodes, &steps, &frontier);
        let loops = forest.loops.iter().map(|l| game.region(|loc| l.body.contains(&loc))).collect();
        let program = game.region(|loc| !loc.is_sink());
        let closed = !frontier.contains(&true);
        Ok(Self { space, forest, nodes, steps, initial, coverage, closed, loops, program, frontier })
    }

    /// What is true of the whole program.
    pub fn program_verdict(&self) -> Verdict {
        self.verdict(&self.program)
    }

    /// What is true of a loop.
    pub fn loop_verdict(&self, l: LoopId) -> Verdict {
        self.verdict(&self.loops[l])
    }

    /// What is true of the runs that stay for ever in some locations.
    pub fn verdict_in(&self, inside: impl Fn(LocId) -> bool) -> Verdict {
        let game = Game::new(&self.nodes, &self.steps, &self.frontier);
        self.verdict(&game.region(|l| !l.is_sink() && inside(l)))
    }

    fn verdict(&self, region: &Region) -> Verdict {
        let some = |set: &[bool]| self.initial.iter().any(|&n| set[n as usize]);
        let all_seen = self.coverage >= Coverage::UpToDead;
        if some(&region.must.least) {
            Verdict::Diverges
        } else if some(&region.may.least) {
            if all_seen && !some(&region.must.greatest) { Verdict::Neither } else { Verdict::NotTerminating }
        } else if all_seen && !some(&region.may.greatest) {
            Verdict::Terminates
        } else {
            Verdict::Unscored
        }
    }

    /// Whether a claim is true of the system; nothing if the search was cut off too early to tell. The certificate does not
    /// matter, except that `Holds` speaks of its invariants.
    pub fn claim(&mut self, claim: &Claim) -> Option<bool> {
        let code = Code::new(self.space.ts, &[claim.when])?;
        let mut starts: Vec<Node> = Vec::new();
        // A condition may tell apart what runs do not: then only what refutes is certain.
        let mut complete = self.coverage == Coverage::Full
            || self.coverage == Coverage::UpToDead && claim.when == self.space.ts.terms.tt();
        for &n in &self.initial {
            match self.space.truth_of(&code, self.nodes[n as usize].1) {
                Some(true) => starts.push(n),
                Some(false) => {}
                None => complete = false,
            }
        }
        let region_of = |l: LocId| self.forest.with_header(l).map(|id| &self.loops[id]);
        match claim.property {
            Property::Terminates(l) => Some(Self::all_end(&starts, complete, region_of(l)?)).flatten(),
            Property::ProgramTerminates => Self::all_end(&starts, complete, &self.program),
            Property::Diverges(l) => Self::all_forced(&starts, complete, region_of(l)?),
            Property::ProgramDiverges => Self::all_forced(&starts, complete, &self.program),
            Property::Unreachable(l) => {
                let (reached, whole) = self.reachable(&starts);
                let hit = (0..self.nodes.len()).any(|n| reached[n] && self.nodes[n].0 == l);
                if hit { Some(false) } else { (whole && complete).then_some(true) }
            }
            Property::Holds => {
                let invariants = match &claim.certificate {
                    Certificate::Inductive { invariants } | Certificate::Unreachable { invariants } => invariants,
                    Certificate::Ranking { outline, .. } | Certificate::TransitionInvariant { outline, .. } => {
                        &outline.invariants
                    }
                    _ => &BTreeMap::new(),
                };
                self.holds(&starts, complete && self.coverage == Coverage::Full, invariants)
            }
        }
    }

    fn all_end(starts: &[Node], complete: bool, region: &Region) -> Option<bool> {
        if starts.iter().any(|&n| region.may.least[n as usize]) {
            return Some(false);
        }
        (complete && !starts.iter().any(|&n| region.may.greatest[n as usize])).then_some(true)
    }

    fn all_forced(starts: &[Node], complete: bool, region: &Region) -> Option<bool> {
        if starts.iter().any(|&n| !region.must.greatest[n as usize]) || complete && starts.is_empty() {
            return Some(false);
        }
        (complete && starts.iter().all(|&n| region.must.least[n as usize])).then_some(true)
    }

    fn holds(&mut self, starts: &[Node], complete: bool, invariants: &BTreeMap<LocId, Term>) -> Option<bool> {
        let (reached, mut whole) = self.reachable(starts);
        for (&l, &t) in invariants {
            let code = Code::new(self.space.ts, &[t])?;
            for ((loc, v), reached) in self.nodes.iter().zip(&reached) {
                if !*reached || *loc != l {
                    continue;
                }
                match self.space.truth_of(&code, *v) {
                    Some(true) => {}
                    Some(false) => return Some(false),
                    // Numbers of this size are not followed: a sum of two that are may be one.
                    None => whole = false,
                }
            }
        }
        (whole && complete).then_some(true)
    }

    /// What can be reached from these states, and whether no unexplored state is among it.
    pub fn reachable(&self, starts: &[Node]) -> (Vec<bool>, bool) {
        let mut reached = vec![false; self.nodes.len()];
        let mut open: Vec<Node> = starts.to_vec();
        let mut whole = true;
        while let Some(n) = open.pop() {
            if std::mem::replace(&mut reached[n as usize], true) {
                continue;
            }
            whole &= !self.frontier[n as usize];
            if let Some(s) = &self.steps[n as usize] {
                open.extend(s.outcomes.iter().filter(|&&o| !reached[o as usize]));
            }
        }
        (reached, whole)
    }
}

#[derive(Default)]
struct Explored {
    nodes: Vec<(LocId, Valuation)>,
    steps: Vec<Option<NodeStep>>,
    frontier: Vec<bool>,
    /// The node of each valuation at each location, plus one.
    number: Vec<Vec<Node>>,
}

impl Explored {
    fn node(&mut self, loc: LocId, v: Valuation) -> Node {
        if self.number.len() <= loc.index() {
            self.number.resize(loc.index() + 1, Vec::new());
        }
        let row = &mut self.number[loc.index()];
        if row.len() <= v as usize {
            row.resize((v as usize + 1).next_power_of_two(), 0);
        }
        let slot = &mut row[v as usize];
        if *slot == 0 {
            self.nodes.push((loc, v));
            *slot = u32::try_from(self.nodes.len()).expect("nodes fit in 32 bits");
        }
        *slot - 1
    }
}

/// The explored part as a game.
pub struct Game<'a> {
    nodes: &'a [(LocId, Valuation)],
    steps: &'a [Option<NodeStep>],
    frontier: &'a [bool],
    /// The predecessors of node n are `before[first[n]..first[n + 1]]`.
    first: Vec<u32>,
    before: Vec<Node>,
    one_player: bool,
}

impl<'a> Game<'a> {
    /// Prepares the explored part.
    pub fn new(nodes: &'a [(LocId, Valuation)], steps: &'a [Option<NodeStep>], frontier: &'a [bool]) -> Self {
        let mut first = vec![0u32; nodes.len() + 1];
        for s in steps.iter().flatten() {
            for &o in &s.outcomes {
                first[o as usize + 1] += 1;
            }
        }
        for i in 0..nodes.len() {
            first[i + 1] += first[i];
        }
        let mut fill = first.clone();
        let mut before = vec![0; first[nodes.len()] as usize];
        for (n, s) in steps.iter().enumerate() {
            for &o in s.iter().flat_map(|s| &s.outcomes) {
                before[fill[o as usize] as usize] = u32::try_from(n).expect("nodes fit in 32 bits");
                fill[o as usize] += 1;
            }
        }
        let one_player = steps.iter().flatten().all(|s| s.others == 1);
        Self { nodes, steps, frontier, first, before, one_player }
    }

    fn predecessors(&self, n: usize) -> &[Node] {
        &self.before[self.first[n] as usize..self.first[n + 1] as usize]
    }

    fn region(&self, inside: impl Fn(LocId) -> bool) -> Region {
        let inside: Vec<bool> = self.nodes.iter().map(|(l, _)| inside(*l)).collect();
        let bracket = |winning: &dyn Fn(bool) -> Vec<bool>| {
            let least = winning(false);
            let greatest = if self.frontier.contains(&true) { winning(true) } else { least.clone() };
            Bracket { least, greatest }
        };
        let may = bracket(&|cut| self.stays(&inside, cut, false));
        // Without other values every outcome is a choice of the inputs, and the two questions are one.
        let must = if self.one_player { may.clone() } else { bracket(&|cut| self.stays(&inside, cut, true)) };
        Region { may, must }
    }

    /// The states from which a run stays inside for ever from some point on: of its own accord, or `forced` by the inputs.
    fn stays(&self, inside: &[bool], cut_counts: bool, forced: bool) -> Vec<bool> {
        let mut won: Vec<bool> = vec![false; self.nodes.len()];
        if cut_counts {
            won.copy_from_slice(self.frontier);
        }
        loop {
            let before = won.iter().filter(|w| **w).count();
            let kept = self.kept(inside, &won, forced);
            won = self.attracted(kept, forced);
            if won.iter().filter(|w| **w).count() == before {
                return won;
            }
        }
    }

    /// The greatest X with X = (inside ∩ pre(X)) ∪ `safe`.
    pub fn kept(&self, inside: &[bool], safe: &[bool], forced: bool) -> Vec<bool> {
        let mut kept: Vec<bool> = inside.iter().zip(safe).map(|(i, s)| *i || *s).collect();
        let mut open: Vec<usize> = (0..self.nodes.len()).filter(|&n| kept[n]).collect();
        while let Some(n) = open.pop() {
            if kept[n] && !safe[n] && !self.pre(n, &kept, forced) {
                kept[n] = false;
                open.extend(self.predecessors(n).iter().map(|&p| p as usize).filter(|&p| kept[p]));
            }
        }
        kept
    }

    /// The least Y with Y = `goal` ∪ pre(Y).
    pub fn attracted(&self, mut goal: Vec<bool>, forced: bool) -> Vec<bool> {
        let mut open: Vec<usize> = (0..goal.len()).filter(|&n| goal[n]).collect();
        while let Some(n) = open.pop() {
            for &p in self.predecessors(n) {
                let p = p as usize;
                if !goal[p] && self.pre(p, &goal, forced) {
                    goal[p] = true;
                    open.push(p);
                }
            }
        }
        goal
    }

    /// Whether one step can lead, or can be made to lead, into a set.
    fn pre(&self, n: usize, set: &[bool], forced: bool) -> bool {
        let Some(s) = &self.steps[n] else { return false };
        if forced {
            s.outcomes.chunks(s.others).any(|c| c.iter().all(|&o| set[o as usize]))
        } else {
            s.outcomes.iter().any(|&o| set[o as usize])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::lts;

    fn verdicts(text: &str) -> (Verdict, Vec<Verdict>) {
        let ts = lts::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")).system;
        let truth = Truth::of(&ts, 4000).expect("the system is small");
        (truth.program_verdict(), truth.forest.loops.ids().map(|l| truth.loop_verdict(l)).collect())
    }

    #[test]
    fn a_counter_ends() {
        let text = "lts 1\nvar x: bv4\nentry h\nh:\n if x >u 0 goto h with x := x - 1\n if x == 0 goto EXIT\n";
        assert_eq!(verdicts(text), (Verdict::Terminates, vec![Verdict::Terminates]));
    }

    #[test]
    fn an_odd_number_never_meets_zero_in_steps_of_two() {
        let text = "lts 1\nvar x: bv4\nentry h\nh:\n if x != 0 goto h with x := x - 2\n if x == 0 goto EXIT\n";
        assert_eq!(verdicts(text), (Verdict::Diverges, vec![Verdict::Diverges]));
    }

    #[test]
    fn a_sum_too_great_to_be_followed_refutes_nothing() {
        let text =
            "lts 1\nvar x: int\nvar y: int\ninit x == 1 && y == 0\nentry h\nh:\n goto h with x := 2 * x, y := x\n";
        let ts = lts::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")).system;
        let claim = |invariant: &str| Claim {
            system: ts.hash(),
            property: Property::Holds,
            when: ts.terms.tt(),
            certificate: Certificate::Inductive {
                invariants: BTreeMap::from([(
                    ts.entry,
                    lts::parse_term(&ts, invariant, &std::collections::HashMap::new()).expect("it is a term"),
                )]),
            },
        };
        let mut truth = Truth::of(&ts, 4000).expect("the system is small");
        assert_eq!(truth.claim(&claim("0 <= x + y")), None);
        assert_eq!(truth.claim(&claim("x + y <= 1000")), Some(false));
    }

    #[test]
    fn inputs_choose_and_the_environment_does_not() {
        let text = |kind: &str| {
            format!(
                "lts 1\nvar x: bv3\n{kind} i: bv3\nentry h\nh:\n if x != 0 goto h with x := i\n if x == 0 goto EXIT\n"
            )
        };
        assert_eq!(verdicts(&text("input")).0, Verdict::Diverges);
        assert_eq!(verdicts(&text("environment")).0, Verdict::Neither);
        assert_eq!(verdicts(&text("abstraction")).0, Verdict::Neither);
    }

    #[test]
    fn an_input_is_chosen_before_the_environment_of_the_same_step() {
        let same = "lts 1\nvar x: bv2\ninput i: bv2\nenvironment e: bv2\ninit x == 1\nentry h\nh:\n \
                    if x != 0 goto h with x := i ^ e\n if x == 0 goto EXIT\n";
        assert_eq!(verdicts(same).0, Verdict::Neither);
        let later = "lts 1\nvar x: bv2\nvar y: bv2\ninput i: bv2\nenvironment e: bv2\ninit x == 1\nentry h\nh:\n \
                     if x != 0 goto b with y := e\n if x == 0 goto EXIT\nb:\n goto h with x := y ^ i\n";
        assert_eq!(verdicts(later).0, Verdict::Diverges);
    }

    #[test]
    fn the_outer_loop_may_run_for_ever_while_the_inner_one_ends() {
        let text = "lts 1\nvar x: bv3\nentry a\na:\n goto b with x := 3\nb:\n if x != 0 goto b with x := x - 1\n \
                    if x == 0 goto a\n";
        assert_eq!(verdicts(text), (Verdict::Diverges, vec![Verdict::Terminates, Verdict::Diverges]));
    }

    /// The environment decides when the loop is left for the last time, and whichever it does the run ends up inside.
    #[test]
    fn leaving_a_loop_finitely_often_is_staying_in_it() {
        let text = "lts 1\nvar x: bv1\nvar y: bv1\nenvironment e: bv1\ninit x == 0 && y == 0\nentry s\n\
                    s:\n goto h\nh:\n if x == 0 || y == 1 goto h with x := e\n if x == 1 && y == 0 goto s with y := 1\n";
        let (program, loops) = verdicts(text);
        assert_eq!(program, Verdict::Diverges);
        assert_eq!(loops[0], Verdict::Diverges);
    }

    #[test]
    fn integers_are_scored_where_the_search_closes() {
        let ideal =
            |body: &str| format!("lts 1\nintegers ideal\nvar x: int\ninit 0 <= x && x <= 5\nentry h\nh:\n{body}");
        assert_eq!(verdicts(&ideal(" if x > 0 goto h with x := x - 1\n if x <= 0 goto EXIT\n")).0, Verdict::Terminates);
        assert_eq!(
            verdicts(&ideal(" if x >= 0 goto h with x := x * 2 % 7\n if x < 0 goto EXIT\n")).0,
            Verdict::Diverges
        );
        assert_eq!(verdicts(&ideal(" if x >= 0 goto h with x := x + 1\n if x < 0 goto EXIT\n")).0, Verdict::Unscored);
    }

    #[test]
    fn a_claim_is_judged_for_its_own_initial_states() {
        let text = "lts 1\nvar x: bv4\nentry h\nh:\n if x != 0 goto h with x := x - 2\n if x == 0 goto EXIT\n";
        let ts = lts::parse(text).expect("a system").system;
        let mut truth = Truth::of(&ts, 4000).expect("the system is small");
        let mut judge = |property, when: &str| {
            let when = lts::parse_term(&ts, when, &std::collections::HashMap::new()).expect("a term");
            let certificate = Certificate::Program { parts: vec![] };
            truth.claim(&Claim { system: ts.hash(), property, when, certificate })
        };
        assert_eq!(judge(Property::ProgramDiverges, "true"), Some(false));
        assert_eq!(judge(Property::ProgramDiverges, "x & 1 == 1"), Some(true));
        assert_eq!(judge(Property::ProgramDiverges, "false"), Some(false));
        assert_eq!(judge(Property::ProgramTerminates, "x & 1 == 0"), Some(true));
        assert_eq!(judge(Property::ProgramTerminates, "true"), Some(false));
        assert_eq!(judge(Property::Terminates(ts.entry), "x <u 2"), Some(false));
        assert_eq!(judge(Property::Unreachable(LocId::EXIT), "x & 1 == 1"), Some(true));
    }
}
