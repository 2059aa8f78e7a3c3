//! A view as a neutral program.

use super::given::{Against, Compared, Given};
use super::links::Acyclic;
use super::places::{Lost, Places, assigned};
use super::symbolic::{
    Env, Walk, now, now_cond, reads_of, renumbered, renumbered_cond, unknowns_of, unknowns_of_cond, vars_of,
    vars_of_cond,
};
use super::{Keep, Refusal, Site, Start, refusal};
use lariat_ir::fast::FastMap;
use lariat_ir::function::{AccessType, End, FunctionLoop, Functions};
use lariat_ir::neutral::{Case, CmpOp, Cond, Expr, Goto, IntType, Location, Program, Recursion, Unknown};
use lariat_ir::{Id, LoopCopy, Mode, SourceId, SourceLoop, UnknownKind};
use std::collections::{BTreeMap, BTreeSet};

/// Makes the view of a loop that keeps some variables and places. The locations of the loop are those of the header's way around; it has no
/// other cycle.
pub fn derive(site: Site<'_>, places: &Places, keep: &Keep) -> Result<View, Refusal> {
    if let Some(why) = refusal(site, keep.start) {
        return Err(why);
    }
    let none = Places::none(site);
    let mut maker = Maker::new(site, (places, &none), keep);
    maker.make(keep.start, None);
    Ok(View::new(maker.program, site, (keep.start, places.uses_types()), None))
}

/// The same, from the states in which a comparison of what is kept holds.
pub(super) fn derive_from(
    site: Site<'_>,
    places: &Places,
    keep: &Keep,
    (compared, given): (Compared, &Given),
) -> Result<View, Refusal> {
    if let Some(why) = refusal(site, keep.start) {
        return Err(why);
    }
    let none = Places::none(site);
    let mut maker = Maker::new(site, (places, &none), keep);
    let of = |v: usize| Expr::Var(maker.kept[&v]);
    let (_, ty, _) = describe(site, places, given.left);
    let right = match &given.right {
        Against::Number(n) => Expr::constant(*n, ty),
        Against::Kept(v) => of(*v),
    };
    let condition = Cond::cmp(given.op, ty, of(given.left), right);
    maker.make(keep.start, Some(condition));
    let when = Condition::Compared(compared);
    Ok(View::new(maker.program, site, (keep.start, places.uses_types()), Some(when)))
}

/// What must hold when a loop is entered, for it to end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Links have no cycle.
    Acyclic(Acyclic),
    /// A number is as it should be.
    Compared(Compared),
}

impl Condition {
    /// Whether the loop runs for ever exactly if it does not hold.
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Acyclic(when) if when.exactly)
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Acyclic(when) => when.fmt(f),
            Self::Compared(when) => when.fmt(f),
        }
    }
}

/// A program about a loop, without locations.
pub(super) fn empty(site: Site<'_>) -> Program {
    let this = &site.function().loops[site.of];
    let mut program = Program::new(format!("{}: the loop at {}", site.shown(), place_of(this)));
    program.mode = Mode::Function;
    // Only proofs of termination are made of a view.
    program.recursion = Recursion::Skipped;
    program.address = site.functions.address;
    program.sources.push(SourceLoop { copy: LoopCopy { key: this.key.clone(), instance: 0 }, parent: None });
    program
}

/// A view of a loop. Nothing else makes one than this module and `links`.
#[derive(Clone, Debug)]
pub struct View {
    program: Program,
    function: usize,
    of: usize,
    uses_types: bool,
    start: Start,
    when: Option<Condition>,
    has_entered: bool,
    /// The function and the loop in it that this is a view of, where the function's only call was entered.
    callee: Option<(usize, usize)>,
}

impl View {
    pub(super) fn new(
        program: Program,
        site: Site<'_>,
        (start, uses_types): (Start, bool),
        when: Option<Condition>,
    ) -> Self {
        let has_entered = site.entered.is_some();
        let callee = site.entered.and_then(|e| e.in_callee(site.of, site.functions));
        Self { program, function: site.function, of: site.of, uses_types, start, when, has_entered, callee }
    }
    /// Whether it begins in the only caller of the function.
    pub fn is_of_caller(&self) -> bool {
        self.callee.is_some()
    }
    /// Whether calls are entered in it.
    pub fn has_entered(&self) -> bool {
        self.has_entered
    }
    /// What must hold when the loop is entered; nothing if it is a view of all runs.
    pub fn when(&self) -> Option<&Condition> {
        self.when.as_ref()
    }
    /// Where it begins.
    pub fn start(&self) -> Start {
        self.start
    }
    /// Whether it rests on the types by which the source accesses memory.
    pub fn uses_types(&self) -> bool {
        self.uses_types
    }
    /// The view as a program, to be lowered for proofs of termination.
    pub fn program(&self) -> &Program {
        &self.program
    }
    /// The numbers of the function and of its loop.
    pub fn of(&self) -> (usize, usize) {
        self.callee.unwrap_or((self.function, self.of))
    }
}

/// Where a way leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stop {
    /// Back to the header.
    Header,
    /// Out of the loop.
    Exit,
    /// To a block in which something happens.
    Block(usize),
}

struct Maker<'a> {
    site: Site<'a>,
    places: &'a Places,
    this: &'a FunctionLoop,
    /// The variable of the program for each variable or place that is kept.
    kept: BTreeMap<usize, usize>,
    /// The inner loops by their headers, with what they change.
    inner: BTreeMap<usize, (usize, BTreeSet<usize>)>,
    /// Whether nothing that is kept happens in a block.
    plain: BTreeMap<usize, bool>,
    /// Where the edges from a block lead.
    stops: FastMap<(usize, usize), Vec<Stop>>,
    /// The blocks that are locations.
    joins: BTreeSet<usize>,
    program: Program,
    /// The locations of the copy that is being made.
    locs: BTreeMap<usize, usize>,
    /// What is being looked at.
    part: Part,
    /// No places.
    none: &'a Places,
    /// The last blocks before the header.
    near: Vec<usize>,
}

/// A part of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// The blocks of the loop, from its header.
    Loop,
    /// All blocks, from the entry to the header.
    Before,
    /// The last ones before the header.
    Near,
}

/// The state on a way from a location.
#[derive(Clone)]
struct Way {
    env: Env,
    /// The conditions under which it is taken.
    conds: Vec<Cond>,
}

impl<'a> Maker<'a> {
    fn new(site: Site<'a>, (places, none): (&'a Places, &'a Places), keep: &Keep) -> Self {
        let function = site.function();
        let this = &function.loops[site.of];
        let mut program = empty(site);
        let mut kept = BTreeMap::new();
        let mut names: BTreeMap<String, u32> = BTreeMap::new();
        for &v in &keep.vars {
            let (name, ty, is_named) = describe(site, places, v);
            let count = names.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count > 1 { format!("{name}.{count}") } else { name };
            if !is_named {
                program.origins.made.insert(program.vars.len());
            }
            kept.insert(v, program.vars.len());
            program.vars.push((name, ty));
        }
        let inner = site
            .passed(keep.start)
            .into_iter()
            .map(|l| {
                let inner = &function.loops[l];
                let mut changed = assigned(site, &inner.body);
                // A place that is touched somewhere in the loop around may be touched in there.
                changed.extend(places.changed.iter().copied().filter(|v| *v >= places.first));
                (inner.header, (l, changed))
            })
            .collect();
        Self {
            site,
            places,
            this,
            kept,
            inner,
            plain: BTreeMap::new(),
            stops: FastMap::default(),
            joins: BTreeSet::new(),
            program,
            locs: BTreeMap::new(),
            part: Part::Loop,
            none,
            near: if keep.start == Start::Near { site.before() } else { Vec::new() },
        }
    }

    fn make(&mut self, start: Start, given: Option<Cond>) {
        let first = match start {
            Start::Anywhere => None,
            Start::SecondRound => {
                self.look_at(Part::Loop);
                Some(self.copy(", first round"))
            }
            Start::Near if self.near.is_empty() => None,
            Start::Near => {
                self.look_at(Part::Near);
                Some(self.copy(", before"))
            }
            Start::Entry => {
                self.look_at(Part::Before);
                Some(self.copy(", before"))
            }
        };
        // Whatever comes before leads into the loop.
        let header = self.program.locs.len();
        self.settle(header);
        self.look_at(Part::Loop);
        self.copy("");
        self.settle(header);
        // In the beginning nothing is known.
        let mut assigns = Vec::new();
        for v in 0..self.program.vars.len() {
            let (name, ty) = self.program.vars[v].clone();
            let value = self.unknown(&name, ty);
            assigns.push((v, value));
        }
        let first = first.unwrap_or(header);
        // Runs in which the condition does not hold are not spoken of.
        let first = match given {
            None => first,
            Some(given) => {
                let cases =
                    vec![Case::new(Some(given), Vec::new(), Goto::Loc(first)), Case::new(None, Vec::new(), Goto::Stop)];
                self.program.locs.push(Location::new("given", cases));
                self.program.locs.len() - 1
            }
        };
        let start = Case::new(None, assigns, Goto::Loc(first));
        self.program.locs.push(Location::new("start", vec![start]));
        self.program.entry = self.program.locs.len() - 1;
        self.program.init = (0..self.program.vars.len()).map(|v| (v, Some(0.into()))).collect();
        self.drop_unused();
    }

    /// Takes out the unknown values that nothing reads.
    fn drop_unused(&mut self) {
        let mut used = BTreeSet::new();
        for case in self.program.locs.iter().flat_map(|l| &l.cases) {
            case.cond.iter().for_each(|c| unknowns_of_cond(c, &mut used));
            case.assigns.iter().for_each(|(_, e)| unknowns_of(e, &mut used));
        }
        let numbers: FastMap<usize, usize> = used.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        for case in self.program.locs.iter_mut().flat_map(|l| &mut l.cases) {
            if let Some(c) = &mut case.cond {
                *c = renumbered_cond(&numbers, c);
            }
            for (_, e) in &mut case.assigns {
                *e = renumbered(&numbers, e);
            }
        }
        let mut number = 0;
        self.program.unknowns.retain(|_| {
            number += 1;
            used.contains(&(number - 1))
        });
    }

    /// Lets the ways to the header lead there.
    fn settle(&mut self, header: usize) {
        for case in self.program.locs.iter_mut().flat_map(|l| &mut l.cases) {
            if case.target == Goto::Loc(usize::MAX) {
                case.target = Goto::Loc(header);
            }
        }
    }

    /// Looks at the blocks of a part of the function: where something happens, and where ways meet.
    fn look_at(&mut self, part: Part) {
        self.part = part;
        self.plain.clear();
        self.stops.clear();
        self.joins.clear();
        let blocks = self.blocks();
        let asks: Vec<bool> = blocks.iter().map(|b| self.look_at_block(*b)).collect();
        // A branch whose sides lead to the same blocks decides nothing, and then one before it may not either.
        loop {
            let mut found = false;
            for (b, _) in blocks.iter().zip(&asks).rev().filter(|(_, asks)| **asks) {
                if !self.plain[b] && self.decides_nothing(*b) {
                    self.plain.insert(*b, true);
                    self.stops.clear();
                    found = true;
                }
            }
            if !found {
                break;
            }
        }
        self.find_joins();
    }

    /// The blocks of the part.
    fn blocks(&self) -> Vec<usize> {
        match self.part {
            Part::Loop => self.this.body.clone(),
            Part::Before => (0..self.site.function().blocks.len()).collect(),
            Part::Near => self.near.clone(),
        }
    }

    /// Where the part begins.
    fn first(&self) -> usize {
        match self.part {
            Part::Loop => self.this.header,
            Part::Before => 0,
            Part::Near => self.near[0],
        }
    }

    /// The places that have one address in this part.
    fn places(&self) -> &'a Places {
        match self.part {
            Part::Loop => self.places,
            Part::Before | Part::Near => self.none,
        }
    }

    /// A value that nobody knows, any integer if it is signed.
    fn unknown(&mut self, name: &str, ty: IntType) -> Expr {
        let name = format!("{name}?{}", self.program.unknowns.len());
        self.program.unknowns.push(Unknown::new(name, ty, UnknownKind::Abstraction));
        Expr::Unknown(self.program.unknowns.len() - 1)
    }

    fn mentions_kept(&self, vars: &BTreeSet<usize>) -> bool {
        vars.iter().any(|v| self.kept.contains_key(v))
    }

    /// Whether all edges of a block lead to the same blocks.
    fn decides_nothing(&mut self, b: usize) -> bool {
        let targets = self.site.function().blocks[b].end.targets();
        let mut all = targets.into_iter().map(|to| self.stops(b, to)).collect::<Vec<_>>();
        all.dedup();
        all.len() == 1
    }

    /// Notes whether passing a block changes nothing that is kept, and asks nothing about it. Gives whether it only asks, in order to decide where to go.
    fn look_at_block(&mut self, b: usize) -> bool {
        let (changes, asks) = self.does(b);
        self.plain.insert(b, !changes && !asks);
        !changes && asks
    }

    /// Whether a block changes something that is kept, or is undefined by its value, and whether it asks about it where it ends.
    fn does(&self, b: usize) -> (bool, bool) {
        if b == self.first() || self.inner.get(&b).is_some_and(|(_, changed)| self.mentions_kept(changed)) {
            return (true, true);
        }
        let block = &self.site.function().blocks[b];
        let mut env = Env::default();
        let (mut required, mut asked) = (BTreeSet::new(), BTreeSet::new());
        let mut walk = Walk::new(self.site, self.places(), |_, _| Expr::Unknown(usize::MAX));
        for step in &block.steps {
            if let Some(condition) = walk.step(&mut env, step) {
                vars_of_cond(&condition, &mut required);
            }
        }
        match &block.end {
            End::Branch { cond, .. } => vars_of_cond(&now_cond(&env, cond), &mut asked),
            End::Switch { value, .. } => vars_of(&now(&env, value), &mut asked),
            _ => {}
        }
        let changes = env.iter().any(|(v, e)| self.kept.contains_key(v) && *e != Expr::Var(*v));
        (changes || self.mentions_kept(&required), self.mentions_kept(&asked))
    }

    /// Where an edge leads, past all plain blocks.
    fn stops(&mut self, from: usize, to: usize) -> Vec<Stop> {
        if let Some(known) = self.stops.get(&(from, to)) {
            return known.clone();
        }
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut work = vec![(from, to)];
        while let Some((from, to)) = work.pop() {
            if to == self.this.header {
                found.insert(Stop::Header);
            } else if self.is_left(to) {
                found.insert(Stop::Exit);
            } else if self.goes_back(from, to) {
                // The last round of an inner loop does not go back.
            } else if !self.plain[&to] {
                found.insert(Stop::Block(to));
            } else if seen.insert(to) {
                let next = self.site.function().blocks[to].end.targets();
                if next.is_empty() {
                    found.insert(Stop::Exit);
                }
                work.extend(next.into_iter().map(|n| (to, n)));
            }
        }
        let found: Vec<Stop> = found.into_iter().collect();
        self.stops.insert((from, to), found.clone());
        found
    }

    /// Whether a block is not one of the part: runs that go there are not spoken of.
    fn is_left(&self, to: usize) -> bool {
        match self.part {
            Part::Loop => !self.site.is_inside(to),
            Part::Before => false,
            // From its first block the way to the header goes on: one that comes by there again has its last part later.
            Part::Near => to == self.near[0] || !self.near.contains(&to),
        }
    }

    /// Whether an edge is a way back of an inner loop.
    fn goes_back(&self, from: usize, to: usize) -> bool {
        self.inner.get(&to).is_some_and(|(l, _)| self.site.function().loops[*l].body.binary_search(&from).is_ok())
    }

    /// Blocks to which several ways lead are locations.
    fn find_joins(&mut self) {
        let mut seen: BTreeSet<usize> = [self.first()].into();
        let mut work = vec![self.first()];
        while let Some(b) = work.pop() {
            let mut targets = self.site.function().blocks[b].end.targets();
            targets.sort_unstable();
            for to in targets {
                for stop in self.stops(b, to) {
                    let Stop::Block(next) = stop else { continue };
                    if seen.insert(next) {
                        work.push(next);
                    } else {
                        self.joins.insert(next);
                    }
                }
            }
        }
    }

    /// Makes the locations of one way around; gives that of the header.
    fn copy(&mut self, what: &str) -> usize {
        self.locs.clear();
        let first = self.first();
        let blocks: Vec<usize> =
            [first].into_iter().chain(self.joins.iter().copied().filter(|b| *b != first)).collect();
        let base = self.program.locs.len();
        for (n, b) in blocks.iter().enumerate() {
            let header = format!("{}:{}", self.site.shown(), place_of(self.this));
            let name = if n == 0 { format!("{header}{what}") } else { format!("{header}, block {b}{what}") };
            let mut loc = Location::new(name, Vec::new());
            loc.span.clone_from(&self.this.key.span);
            loc.function = Some(self.site.shown().to_owned());
            loc.within = Some(SourceId::from_index(0));
            self.program.locs.push(loc);
            self.locs.insert(*b, base + n);
        }
        for (n, b) in blocks.into_iter().enumerate() {
            let mut cases = Vec::new();
            let way = Way { env: self.beginning(), conds: Vec::new() };
            self.block(b, way, &mut cases);
            // The last way is what is left.
            if let Some(last) = cases.last_mut() {
                last.cond = None;
            }
            self.program.locs[base + n].cases = cases;
        }
        base
    }

    /// What variables and places hold at a location.
    fn beginning(&self) -> Env {
        self.kept.iter().map(|(v, var)| (*v, Expr::Var(*var))).collect()
    }

    /// Executes a block, and what follows up to the next locations.
    fn block(&mut self, b: usize, mut way: Way, cases: &mut Vec<Case>) {
        let site = self.site;
        let block = &site.function().blocks[b];
        if let Some((_, changed)) = self.inner.get(&b) {
            let changed: Vec<usize> = changed.iter().copied().filter(|v| self.kept.contains_key(v)).collect();
            for v in changed {
                let (name, ty, _) = describe(site, self.places, v);
                let value = self.unknown(&name, ty);
                way.env.insert(v, value);
            }
        }
        for c in self.steps(b, &mut way.env) {
            let mut bad = way.clone();
            bad.conds.push(Cond::negation(c.clone()));
            self.leaf(&bad, Goto::Ub, cases);
            way.conds.push(c);
        }
        match &block.end {
            End::Jump(to) => self.edge(b, *to, way, cases),
            End::Branch { yes, no, .. } if self.stops(b, *yes) == self.stops(b, *no) => self.edge(b, *yes, way, cases),
            End::Branch { cond, yes, no } => {
                let mut asked = BTreeSet::new();
                vars_of_cond(cond, &mut asked);
                self.know(&mut way.env, asked);
                let cond = now_cond(&way.env, cond);
                match cond {
                    Cond::Const(true) => self.edge(b, *yes, way, cases),
                    Cond::Const(false) => self.edge(b, *no, way, cases),
                    cond if is_about_kept(&cond) => {
                        let mut then = way.clone();
                        then.conds.push(cond.clone());
                        self.edge(b, *yes, then, cases);
                        way.conds.push(Cond::negation(cond));
                        self.edge(b, *no, way, cases);
                    }
                    _ => self.choose(b, &[*yes, *no], way, cases),
                }
            }
            End::Switch { value, ty, cases: list, default } => {
                let mut asked = BTreeSet::new();
                vars_of(value, &mut asked);
                self.know(&mut way.env, asked);
                let value = now(&way.env, value);
                let about = Cond::cmp(CmpOp::Eq, *ty, value.clone(), Expr::constant(0, *ty));
                if is_about_kept(&about) {
                    for (k, to) in list {
                        let is = Cond::cmp(CmpOp::Eq, *ty, value.clone(), Expr::Const(k.clone(), *ty));
                        let mut then = way.clone();
                        then.conds.push(is.clone());
                        self.edge(b, *to, then, cases);
                        way.conds.push(Cond::negation(is));
                    }
                    self.edge(b, *default, way, cases);
                } else {
                    let targets: Vec<usize> = list.iter().map(|(_, to)| *to).chain([*default]).collect();
                    self.choose(b, &targets, way, cases);
                }
            }
            End::Choose(targets) => self.choose(b, targets, way, cases),
            End::Return(_) | End::Gone => self.leaf(&way, Goto::Exit, cases),
            End::Ub => self.leaf(&way, Goto::Ub, cases),
        }
    }

    /// Does the steps of a block. Gives the conditions without which its behaviour is undefined, as far as they are about something.
    fn steps(&mut self, b: usize, env: &mut Env) -> Vec<Cond> {
        let site = self.site;
        let mut all = Vec::new();
        let mut made: Vec<(IntType, Lost)> = Vec::new();
        let first = self.program.unknowns.len();
        let block = &site.function().blocks[b];
        // What is read before it is written here.
        let mut known: BTreeSet<usize> = env.keys().copied().collect();
        let mut missing = BTreeSet::new();
        for step in &block.steps {
            missing.extend(reads_of(step).into_iter().filter(|v| !known.contains(v)));
            known.extend(step.assigns());
        }
        missing.extend((0..self.places.list.len()).map(|n| self.places.first + n).filter(|p| !known.contains(p)));
        for v in missing {
            let (_, ty, _) = describe(site, self.places, v);
            env.insert(v, Expr::Unknown(first + made.len()));
            made.push((ty, Lost::Anyhow));
        }
        let fresh = |ty: IntType, lost: Lost| {
            made.push((ty, lost));
            Expr::Unknown(first + made.len() - 1)
        };
        let mut walk = Walk::new(site, self.places(), fresh);
        for step in &block.steps {
            all.extend(walk.step(env, step));
        }
        for (ty, lost) in made {
            let name = format!("?{}", self.program.unknowns.len());
            let computed = lost == Lost::Anyhow;
            self.program.unknowns.push(Unknown { computed, ..Unknown::new(name, ty, UnknownKind::Abstraction) });
        }
        all.retain(is_about_kept);
        all
    }

    /// Makes what is read and not kept an unknown value, one for all that follows.
    fn know(&mut self, env: &mut Env, read: BTreeSet<usize>) {
        for v in read {
            let (name, ty, _) = describe(self.site, self.places, v);
            env.entry(v).or_insert_with(|| self.unknown(&name, ty));
        }
    }

    fn edge(&mut self, from: usize, to: usize, way: Way, cases: &mut Vec<Case>) {
        let stops = self.stops(from, to);
        self.go(&stops, way, cases);
    }

    fn choose(&mut self, from: usize, targets: &[usize], way: Way, cases: &mut Vec<Case>) {
        let mut all = BTreeSet::new();
        for to in targets {
            all.extend(self.stops(from, *to));
        }
        let stops: Vec<Stop> = all.into_iter().collect();
        self.go(&stops, way, cases);
    }

    /// Before the loop an address may have been that of another place.
    fn forget_places(&mut self, env: &mut Env) {
        let kept: Vec<usize> = self.kept.keys().copied().filter(|v| *v >= self.places.first).collect();
        for v in kept {
            let (name, ty, _) = describe(self.site, self.places, v);
            let value = self.unknown(&name, ty);
            env.insert(v, value);
        }
    }

    /// Goes on at one of some stops, nobody knows which.
    fn go(&mut self, stops: &[Stop], mut way: Way, cases: &mut Vec<Case>) {
        let Some((last, rest)) = stops.split_last() else {
            // Only back in an inner loop.
            self.leaf(&way, Goto::Stop, cases);
            return;
        };
        if !rest.is_empty() {
            let ty = IntType::unsigned(16);
            let choice = self.unknown("way", ty);
            for (n, stop) in rest.iter().enumerate() {
                let k = i32::try_from(n).unwrap_or(i32::MAX);
                let is = Cond::cmp(CmpOp::Eq, ty, choice.clone(), Expr::constant(k, ty));
                let mut then = way.clone();
                then.conds.push(is.clone());
                self.stop(*stop, then, cases);
                way.conds.push(Cond::negation(is));
            }
        }
        self.stop(*last, way, cases);
    }

    fn stop(&mut self, stop: Stop, way: Way, cases: &mut Vec<Case>) {
        match stop {
            // It is put in when it is known.
            Stop::Header => {
                let mut way = way;
                if self.part != Part::Loop {
                    self.forget_places(&mut way.env);
                }
                self.leaf(&way, Goto::Loc(usize::MAX), cases);
            }
            Stop::Exit => self.leaf(&way, Goto::Exit, cases),
            Stop::Block(b) => match self.locs.get(&b) {
                Some(loc) => self.leaf(&way, Goto::Loc(*loc), cases),
                None => {
                    // On the way there blocks may have been passed that change what is not kept.
                    let mut way = way;
                    way.env.retain(|v, _| self.kept.contains_key(v));
                    self.block(b, way, cases);
                }
            },
        }
    }

    fn leaf(&mut self, way: &Way, target: Goto, cases: &mut Vec<Case>) {
        let cond = way.conds.iter().cloned().reduce(Cond::and).unwrap_or(Cond::Const(true));
        let mut assigns = Vec::new();
        if matches!(target, Goto::Loc(_)) {
            for (v, var) in &self.kept {
                match way.env.get(v) {
                    Some(e) if *e == Expr::Var(*var) => {}
                    Some(e) => assigns.push((*var, e.clone())),
                    None => {}
                }
            }
        }
        let mut case = Case::new(Some(cond), assigns, target);
        case.span.clone_from(&self.this.key.span);
        cases.push(case);
    }
}

/// Whether a condition reads any variable of the program: by now these are the ones that are kept.
fn is_about_kept(c: &Cond) -> bool {
    let mut vars = BTreeSet::new();
    vars_of_cond(c, &mut vars);
    !vars.is_empty()
}

/// The name and the type of a variable or place, and whether the source has that name.
pub(super) fn describe(site: Site<'_>, places: &Places, v: usize) -> (String, IntType, bool) {
    let function = site.function();
    if let Some(var) = function.vars.get(v) {
        return (var.name.clone(), var.ty, var.named);
    }
    let place = &places.list[v - places.first];
    let (root, ..) = describe(site, places, place.root);
    if let Some(member) = place.by.as_ref().and_then(|by| member(site.functions, by)) {
        // What is behind a place that has a name of its own.
        let name = match root.strip_prefix('&') {
            Some(object) => format!("{object}.{member}"),
            None => format!("{root}->{member}"),
        };
        return (name, place.ty, true);
    }
    let name = match root.strip_prefix('&') {
        Some(object) if place.offset == 0 => object.to_owned(),
        Some(object) => format!("{object}+{}", place.offset),
        None if place.offset == 0 => format!("*{root}"),
        None => format!("*{root}+{}", place.offset),
    };
    (name, place.ty, true)
}

/// The name of the member as which memory is accessed: words for a reader.
pub(super) fn member<'a>(functions: &'a Functions, by: &AccessType) -> Option<&'a String> {
    let (base, offset, _) = by.member.as_ref()?;
    // Behind the name of a struct stands a number that tells apart structs of one name, and before it, in C++, how long it is.
    let name = base.split('#').next().unwrap_or(base);
    let name = name.strip_prefix("_ZTS").unwrap_or(name);
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
    functions.members.get(&(name.to_owned(), *offset))
}

/// Where a loop stands, in few words.
pub(super) fn place_of(this: &FunctionLoop) -> String {
    let ordinal = if this.key.ordinal > 0 { format!(" number {}", this.key.ordinal + 1) } else { String::new() };
    match &this.key.span {
        Some(span) => format!("{}:{}{ordinal}", span.line, span.column),
        None => format!("block {}{ordinal}", this.header),
    }
}
