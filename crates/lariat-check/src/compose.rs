//! Verdicts on loops of the source, on entries and on files, from what was proved of systems.
//!
//! A loop of the source is no loop of a system: it occurs in several systems, and in each at several calls. What ties them together
//! is [`LoopCopy`], which systems carry (`lariat_ir::source`): a run of the program that stays in a copy for ever stays, in each system
//! that has all runs of the program, for ever in locations within that copy. Nothing here looks at a name of a location, and what does not match is open.
//!
//! **A copy ends** in a system that may carry proofs of termination if every cycle of locations within it lies in a loop of the system
//! that was proved to end. For let a run stay in the copy for ever. The locations that it visits infinitely often are strongly connected
//! and within the copy; the smallest loop of the system that holds them has its header among them (`lariat_ir::loops`), so that the header
//! is on a cycle within the copy. If that loop, or one around it, ends, there is no such run. A copy that the system does not list is open:
//! nothing says where its locations are. If the whole system was proved to end, all its copies do. Where a run may leave what the model
//! knows it may go on anywhere, in any state: what the program could have come to from there is open. It is not if that place lies in a loop that
//! ends: a run that gets there can come back there for ever, unchanged (`System::verify` asks for that), so no run does. The same holds where the whole
//! system was proved to end. A loop of the system that is none of the source follows the same rules, with its own locations in place of a copy's.
//!
//! **A copy hangs** in a system that may carry proofs of divergence if a loop of the system was proved to run for ever and the copy
//! is the smallest one that holds all its locations. The run then stays in the copy, and in every one around it; only the
//! smallest is said to hang, the others name it.
//!
//! **A recursion** holds all code of its function's instance and of what that calls. So it ends by the same rule only if the loops in its
//! calls do, also those that no recursive call follows.
//!
//! **A loop of the source** hangs if one of its copies in one entry does. It ends if all its copies end in all entries; an entry that nobody looked at
//! and that holds it leaves it open. What ends over the integers and hangs where numbers wrap is open as well, and so is its entry.

use crate::verify::System;
use crate::{Condition, Proved, Rejection};
use lariat_ir::source::{around, common};
use lariat_ir::{
    IdVec, LocId, Loop, LoopCopy, LoopForest, LoopId, LoopKey, Property, Proves, SourceId, SourceLoop, TransitionSystem,
};
use std::collections::{BTreeMap, BTreeSet};

/// The control flow of a system: its locations, where each leads, its loops, and the loops of the source.
#[derive(Clone, Debug)]
pub struct Control {
    forest: LoopForest,
    sources: IdVec<SourceId, SourceLoop>,
    within: IdVec<LocId, Option<SourceId>>,
    /// The locations that stand for no place of the source.
    artificial: BTreeSet<LocId>,
    /// The locations from which a run may go on anywhere.
    escapes: Vec<LocId>,
    next: IdVec<LocId, Vec<LocId>>,
    proves: Proves,
    /// The serial number of the verified system; nothing can be proved of one that was not verified.
    of: Option<u64>,
}

impl Control {
    /// That of a verified system.
    pub fn of(system: &System<'_>) -> Self {
        Self { of: Some(system.serial()), ..Self::new(system.ts(), system.forest().clone()) }
    }

    /// That of a system that nobody verified: all its loops are open.
    pub fn unverified(ts: &TransitionSystem) -> Self {
        Self::new(ts, LoopForest::of(ts))
    }

    fn new(ts: &TransitionSystem, forest: LoopForest) -> Self {
        Self {
            forest,
            sources: ts.sources.clone(),
            within: ts.locs.iter().map(|l| l.within).collect(),
            escapes: ts.locs.entries().filter(|(_, l)| l.escapes).map(|(id, _)| id).collect(),
            artificial: ts.locs.entries().filter(|(_, l)| l.artificial).map(|(id, _)| id).collect(),
            next: ts.locs.iter().map(|l| l.out.iter().map(|e| ts.edges[*e].to).collect()).collect(),
            proves: ts.proves,
            of: None,
        }
    }

    /// Whether a proof is about this system.
    pub fn is_of(&self, proof: &Proved) -> bool {
        self.of == Some(proof.of)
    }

    /// The loops of the system.
    pub fn forest(&self) -> &LoopForest {
        &self.forest
    }

    /// The loops of the source that it holds, with all their copies.
    pub fn copies(&self) -> impl Iterator<Item = &LoopCopy> {
        self.sources.iter().map(|s| &s.copy)
    }

    /// The loops of the source that some of these locations lie in.
    pub fn copies_at(&self, locations: &BTreeSet<LocId>) -> Vec<&LoopCopy> {
        let within = locations.iter().flat_map(|l| around(&self.sources, self.within[*l]));
        within.collect::<BTreeSet<SourceId>>().into_iter().map(|s| &self.sources[s].copy).collect()
    }

    /// The loop of the source that a loop of the system is: the smallest one that holds all its locations.
    pub fn source_of(&self, id: LoopId) -> Option<&LoopCopy> {
        self.smallest(id).map(|s| &self.sources[s].copy)
    }

    fn smallest(&self, id: LoopId) -> Option<SourceId> {
        common(&self.sources, self.forest.loops[id].body.iter().map(|l| self.within[*l]))
    }

    fn find(&self, copy: &LoopCopy) -> Option<SourceId> {
        self.sources.entries().find(|(_, s)| s.copy == *copy).map(|(id, _)| id)
    }

    /// The locations within a copy.
    fn region(&self, copy: SourceId) -> BTreeSet<LocId> {
        let inside: IdVec<SourceId, bool> =
            self.sources.ids().map(|s| around(&self.sources, Some(s)).any(|a| a == copy)).collect();
        self.within.entries().filter(|(_, w)| w.is_some_and(|s| inside[s])).map(|(l, _)| l).collect()
    }

    /// Where a run may be after it got to a location from which it may go on anywhere: wherever it could have gone had it not got there.
    /// Nothing if no run gets there for ever, by these loops that end.
    fn behind(&self, escape: LocId, ends: &BTreeMap<LoopId, Extent>) -> BTreeSet<LocId> {
        let mut around = self.forest.loops.entries().filter(|(_, l)| l.body.contains(&escape));
        if around.any(|(id, _)| ends.get(&id) == Some(&Extent::Always)) {
            return BTreeSet::new();
        }
        let mut seen: BTreeSet<LocId> =
            self.next.entries().filter(|(_, to)| to.contains(&escape)).map(|(from, _)| from).collect();
        let mut open: Vec<LocId> = seen.iter().copied().collect();
        while let Some(l) = open.pop() {
            open.extend(self.next[l].iter().copied().filter(|to| seen.insert(*to)));
        }
        seen
    }

    /// Whether a cycle through a location stays in a region.
    fn goes_round(&self, start: LocId, region: &BTreeSet<LocId>) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(l) = open.pop().filter(|_| region.contains(&start)) {
            for &to in &self.next[l] {
                if to == start {
                    return true;
                }
                if region.contains(&to) && seen.insert(to) {
                    open.push(to);
                }
            }
        }
        false
    }
}

/// For which initial states something is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// For all.
    Always,
    /// For those of the condition with which this loop of the system was proved to end.
    When(LoopId),
}

/// What was proved of one system.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    control: &'a Control,
    ends: BTreeMap<LoopId, Extent>,
    hangs: BTreeSet<LoopId>,
    program_ends: bool,
    program_hangs: bool,
}

impl<'a> Findings<'a> {
    /// What proofs say of the system that they were made for.
    pub fn new(control: &'a Control, proofs: impl IntoIterator<Item = &'a Proved>) -> Result<Self, Rejection> {
        let (ends, hangs) = (BTreeMap::new(), BTreeSet::new());
        let mut found = Self { control, ends, hangs, program_ends: false, program_hangs: false };
        for p in proofs {
            if !control.is_of(p) {
                return Err(Rejection::new(
                    Condition::OtherSystem,
                    "a proof is about another system than its control flow",
                ));
            }
            let loop_at = |header: LocId| control.forest.with_header(header).expect("a proof names a loop");
            match p.claim.property {
                Property::Terminates(h) => {
                    let id = loop_at(h);
                    let extent = if p.always { Extent::Always } else { Extent::When(id) };
                    let known = found.ends.entry(id).or_insert(extent);
                    if p.always {
                        *known = Extent::Always;
                    }
                }
                Property::Diverges(h) => {
                    found.hangs.insert(loop_at(h));
                }
                Property::ProgramTerminates => found.program_ends |= p.always,
                Property::ProgramDiverges => found.program_hangs = true,
                Property::Holds | Property::Unreachable(_) => {}
            }
        }
        Ok(found)
    }

    /// Whether every run ends.
    pub fn program_ends(&self) -> bool {
        self.program_ends && self.control.proves != Proves::Diverges
    }

    /// Whether some run does not.
    pub fn program_hangs(&self) -> bool {
        self.program_hangs && self.control.proves != Proves::Terminates
    }

    /// The loops of the system that were proved to run for ever.
    pub fn hanging(&self) -> impl Iterator<Item = LoopId> + '_ {
        self.hangs.iter().copied()
    }

    /// Whether a copy ends, and for which initial states; or a loop of the system that is not shown to end, if there is one.
    pub fn ends(&self, copy: &LoopCopy) -> Result<Extent, Open> {
        if self.control.proves == Proves::Diverges {
            return Err(Open::NotListed);
        }
        let Some(source) = self.control.find(copy) else { return Err(Open::NotListed) };
        if self.program_ends {
            return Ok(Extent::Always);
        }
        let region = self.control.region(source);
        if region.is_empty() && !self.control.escapes.is_empty() {
            // Nothing was followed to there, and where it would be nobody knows.
            return Err(Open::NotFollowed);
        }
        if self.may_escape_to(&region) {
            return Err(Open::Beyond);
        }
        let mut extent = Extent::Always;
        for id in self.control.forest.outermost() {
            self.loop_ends(id, &region, &mut extent)?;
        }
        Ok(extent)
    }

    /// Whether a run may leave what the model knows and go on in these locations.
    fn may_escape_to(&self, region: &BTreeSet<LocId>) -> bool {
        let reaches = |e: &LocId| !self.control.behind(*e, &self.ends).is_disjoint(region);
        !self.program_ends && self.control.escapes.iter().any(reaches)
    }

    /// The same for what goes round in one loop of the system: a cycle passes the loop's header, or lies in a loop inside.
    fn loop_ends(&self, id: LoopId, region: &BTreeSet<LocId>, extent: &mut Extent) -> Result<(), Open> {
        let Loop { header, body, .. } = &self.control.forest.loops[id];
        let here: BTreeSet<LocId> = region.intersection(body).copied().collect();
        if here.is_empty() || self.ends.get(&id) == Some(&Extent::Always) {
            return Ok(());
        }
        if !self.control.goes_round(*header, &here) {
            let inner = self.control.forest.loops.entries().filter(|(_, l)| l.parent == Some(id));
            return inner.map(|(id, _)| id).try_for_each(|id| self.loop_ends(id, region, extent));
        }
        match (self.ends.get(&id), *extent) {
            (None, _) => Err(Open::Loop(id)),
            // Two conditions have no common form.
            (Some(Extent::When(_)), Extent::When(_)) => Err(Open::Loop(id)),
            (Some(when), _) => {
                *extent = *when;
                Ok(())
            }
        }
    }

    /// A loop of the system that was proved to run for ever and is this copy. One that starts where no place of the source
    /// is, such as a cycle of returns, is none; its runs stay in the copy all the same.
    pub fn hangs(&self, copy: &LoopCopy) -> Option<LoopId> {
        let control = self.control;
        let is_source = |id: LoopId| !control.artificial.contains(&control.forest.loops[id].header);
        self.hanging_with(|id, smallest| control.sources[smallest].copy == *copy && is_source(id))
    }

    /// A loop of the system that was proved to run for ever, and whose runs stay in this copy: it is the copy, or lies inside.
    pub fn hangs_within(&self, copy: &LoopCopy) -> Option<LoopId> {
        let control = self.control;
        self.hanging_with(|_, smallest| {
            around(&control.sources, Some(smallest)).any(|s| control.sources[s].copy == *copy)
        })
    }

    fn hanging_with(&self, is: impl Fn(LoopId, SourceId) -> bool) -> Option<LoopId> {
        if self.control.proves == Proves::Terminates {
            return None;
        }
        self.hangs.iter().copied().find(|id| self.control.smallest(*id).is_some_and(|s| is(*id, s)))
    }

    /// Whether a loop of the system was proved to run for ever that is no loop of the source, and some of whose locations
    /// are within this copy.
    fn hangs_across(&self, copy: &LoopCopy) -> bool {
        let Some(source) = self.control.find(copy) else { return !self.hangs.is_empty() };
        let region = self.control.region(source);
        let mut stray = self.hangs.iter().filter(|id| self.control.smallest(**id).is_none());
        stray.any(|id| !self.control.forest.loops[*id].body.is_disjoint(&region))
    }
}

/// Why a copy of a loop is not shown to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Open {
    /// This loop of the system that carries proofs of termination is not shown to end.
    Loop(LoopId),
    /// No system that could show it says where the copy's locations are.
    NotListed,
    /// Before it, or in it, a run may leave what the model knows, and go on anywhere.
    Beyond,
    /// No run was followed to it, and some may leave what the model knows.
    NotFollowed,
    /// It ends over the integers, and hangs where numbers wrap.
    Wraps,
    /// It ends over the integers. Where numbers wrap something runs for ever, and whether it is this loop is not known.
    MayWrap,
}

/// What is known of one entry.
#[derive(Clone, Debug)]
pub enum Entry<'a> {
    /// Its systems.
    Seen {
        /// The one that carries proofs of termination.
        ends: Findings<'a>,
        /// The one that carries proofs of divergence, if it is another one.
        hangs: Option<Findings<'a>>,
        /// The program where numbers wrap, if that was asked.
        wrap: Option<Findings<'a>>,
    },
    /// Nobody looked at it. It holds these loops of the source.
    Unseen(&'a BTreeSet<LoopKey>),
}

/// What follows for a loop of the source, or for one of its copies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It ends; in one entry perhaps only under a condition.
    Ends(Extent),
    /// It can run for ever.
    Hangs,
    /// Neither was shown.
    Open(Open),
    /// It ends in all entries that were looked at; the one of this number holds it, too.
    NotSeen(usize),
}

impl<'a> Entry<'a> {
    /// What is known of a copy in this entry.
    pub fn outcome(&self, copy: &LoopCopy) -> Outcome {
        let Self::Seen { ends, hangs, wrap } = self else { return Outcome::Open(Open::NotListed) };
        let hanging = hangs.as_ref().unwrap_or(ends);
        if hanging.hangs(copy).is_some() {
            return Outcome::Hangs;
        }
        match (ends.ends(copy), wrap) {
            (Ok(_), Some(w)) if w.hangs_within(copy).is_some() => Outcome::Open(Open::Wraps),
            (Ok(_), Some(w)) if w.hangs_across(copy) => Outcome::Open(Open::MayWrap),
            (Ok(extent), _) => Outcome::Ends(extent),
            (Err(open), _) => Outcome::Open(open),
        }
    }

    /// Why the end of a loop of the system for proofs of termination is not to be told, if it is none of the source: no copy stands for it.
    pub fn doubt(&self, id: LoopId) -> Option<Open> {
        let Self::Seen { ends, wrap, .. } = self else { return Some(Open::NotListed) };
        // Which of the loops where numbers wrap it is nobody knows.
        let strays = |w: &Findings<'_>| w.hanging().any(|h| w.control.smallest(h).is_none());
        if ends.may_escape_to(&ends.control.forest.loops[id].body) {
            Some(Open::Beyond)
        } else {
            wrap.as_ref().is_some_and(strays).then_some(Open::MayWrap)
        }
    }

    /// The copies of a loop of the source in this entry.
    fn copies_of<'k>(&'k self, key: &'k LoopKey) -> impl Iterator<Item = &'a LoopCopy> + 'k {
        let control = match self {
            Self::Seen { ends, .. } => Some(ends.control),
            Self::Unseen(_) => None,
        };
        control.into_iter().flat_map(Control::copies).filter(move |c| c.key == *key)
    }

    /// Whether every run of the entry ends: not where one hangs because numbers wrap.
    pub fn program(&self) -> Outcome {
        match self {
            Self::Seen { ends, hangs, .. } if hangs.as_ref().unwrap_or(ends).program_hangs() => Outcome::Hangs,
            Self::Seen { ends, wrap, .. } if ends.program_ends() => {
                let wraps = wrap.as_ref().is_some_and(|w| w.hanging().next().is_some());
                if wraps { Outcome::Open(Open::Wraps) } else { Outcome::Ends(Extent::Always) }
            }
            _ => Outcome::Open(Open::NotListed),
        }
    }
}

/// What follows for a loop of the source from all entries.
pub fn source_loop(entries: &[Entry<'_>], key: &LoopKey) -> Outcome {
    let mut weakest = Outcome::Ends(Extent::Always);
    for (n, entry) in entries.iter().enumerate() {
        if let Entry::Unseen(keys) = entry
            && keys.contains(key)
            && matches!(weakest, Outcome::Ends(_))
        {
            weakest = Outcome::NotSeen(n);
        }
        for copy in entry.copies_of(key) {
            match (entry.outcome(copy), &weakest) {
                (Outcome::Hangs, _) => return Outcome::Hangs,
                (Outcome::Ends(Extent::Always), _) | (_, Outcome::Open(_)) => {}
                (open @ Outcome::Open(_), _) => weakest = open,
                (when, Outcome::Ends(_)) => weakest = when,
                _ => {}
            }
        }
    }
    weakest
}

/// What follows for a file from its entries: one that hangs is enough for the one verdict, all must end for the other.
pub fn all_entries(outcomes: impl IntoIterator<Item = Outcome>) -> Outcome {
    let mut weakest = Outcome::Ends(Extent::Always);
    for o in outcomes {
        match o {
            Outcome::Hangs => return o,
            Outcome::Ends(_) => {}
            open => weakest = open,
        }
    }
    weakest
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::random::Random;
    use lariat_ir::{Id, Integers, SourceKind};

    fn key(n: usize) -> LoopKey {
        LoopKey {
            span: None,
            function: "f".to_owned(),
            kind: SourceKind::Loop,
            ordinal: u32::try_from(n).expect("small"),
        }
    }

    /// A graph whose locations lie anywhere in loops of the source: two keys with up to two copies each.
    fn random(chance: &mut Random) -> TransitionSystem {
        let mut ts = TransitionSystem::new("random", Integers::Wrap);
        let locs: Vec<LocId> = (0..4).map(|n| ts.add_loc(&format!("n{n}"))).collect();
        ts.entry = locs[0];
        for n in 0..4 {
            let copy = LoopCopy { key: key(n / 2), instance: u32::try_from(n % 2).expect("small") };
            let parent = (n > 0 && chance.below(2) == 0).then(|| SourceId::from_index(chance.below(n)));
            ts.sources.push(SourceLoop { copy, parent });
        }
        let tt = ts.terms.tt();
        for &a in &locs {
            ts.locs[a].within = (chance.below(5) > 0).then(|| SourceId::from_index(chance.below(4)));
            for &b in &locs {
                if chance.below(10) < 4 {
                    ts.add_edge(a, b, tt, Vec::new());
                }
            }
        }
        ts
    }

    /// The sets of locations that a run could visit infinitely often: strongly connected, with a cycle.
    fn cyclic_sets(ts: &TransitionSystem) -> Vec<BTreeSet<LocId>> {
        let locs: Vec<LocId> = ts.locs.ids().filter(|l| !l.is_sink()).collect();
        let sets = (1u32..16).map(|mask| (0..4).filter(|n| mask >> n & 1 == 1).map(|n| locs[n]).collect());
        let edge = |a: LocId, b: LocId| ts.locs[a].out.iter().any(|e| ts.edges[*e].to == b);
        let reaches = |set: &BTreeSet<LocId>, a: LocId, b: LocId| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![a]);
            while let Some(l) = open.pop() {
                open.extend(set.iter().copied().filter(|t| edge(l, *t) && seen.insert(*t)));
            }
            seen.contains(&b)
        };
        sets.filter(|s: &BTreeSet<LocId>| s.iter().all(|a| s.iter().all(|b| reaches(s, *a, *b)))).collect()
    }

    fn within(ts: &TransitionSystem, l: LocId, copy: &LoopCopy) -> bool {
        around(&ts.sources, ts.locs[l].within).any(|s| ts.sources[s].copy == *copy)
    }

    /// What is true of the loops of a system, if runs stay for ever in these sets of locations.
    fn known<'a>(control: &'a Control, runs: &[BTreeSet<LocId>], chance: &mut Random) -> Findings<'a> {
        let mut found = Findings::new(control, []).expect("there are no proofs");
        for (id, l) in control.forest.loops.entries() {
            let stays = runs.iter().any(|r| r.is_subset(&l.body));
            match chance.below(4) {
                0 => {}
                1 if !stays => {
                    found.ends.insert(id, Extent::When(id));
                }
                _ if stays => {
                    found.hangs.insert(id);
                }
                _ => {
                    found.ends.insert(id, Extent::Always);
                }
            }
        }
        found
    }

    /// Any graph, any nesting, any runs: what follows from true verdicts on loops of systems is true of loops of the source.
    #[test]
    fn only_what_is_true_is_concluded() {
        let mut chance = Random::new(7);
        let (mut ended, mut hung, mut whole) = (0, 0, 0);
        for _ in 0..20_000 {
            let systems: Vec<TransitionSystem> = (0..2).map(|_| random(&mut chance)).collect();
            let runs: Vec<Vec<BTreeSet<LocId>>> = systems
                .iter()
                .map(|ts| cyclic_sets(ts).into_iter().filter(|_| chance.below(4) == 0).collect())
                .collect();
            let controls: Vec<Control> = systems.iter().map(Control::unverified).collect();
            let stays =
                |e: usize, copy: &LoopCopy| runs[e].iter().any(|r| r.iter().all(|l| within(&systems[e], *l, copy)));
            let mut entries = Vec::new();
            for (e, control) in controls.iter().enumerate() {
                let found = known(control, &runs[e], &mut chance);
                for copy in control.copies() {
                    if found.ends(copy).is_ok() {
                        ended += 1;
                        assert!(!stays(e, copy), "{:?} {copy:?}", systems[e]);
                    }
                    if found.hangs(copy).is_some() || found.hangs_within(copy).is_some() {
                        hung += 1;
                        assert!(stays(e, copy), "{:?} {copy:?}", systems[e]);
                    }
                }
                entries.push(Entry::Seen { ends: found, hangs: None, wrap: None });
            }
            for n in 0..2 {
                let copies = || (0..2).map(|i| LoopCopy { key: key(n), instance: i });
                let any = (0..2).any(|e| copies().any(|c| stays(e, &c)));
                match source_loop(&entries, &key(n)) {
                    Outcome::Hangs => assert!(any),
                    Outcome::Ends(_) => {
                        whole += 1;
                        assert!(!any);
                    }
                    Outcome::Open(_) | Outcome::NotSeen(_) => {}
                }
            }
        }
        assert!(ended > 10_000 && hung > 10_000 && whole > 2_000, "{ended} {hung} {whole}");
    }

    fn system(proves: Proves, sources: &[Option<usize>], within: Option<usize>) -> Control {
        let mut ts = TransitionSystem::new("one loop", Integers::C);
        ts.proves = proves;
        let head = ts.add_loc("head");
        ts.entry = head;
        let tt = ts.terms.tt();
        ts.add_edge(head, head, tt, Vec::new());
        for (n, parent) in sources.iter().enumerate() {
            let copy = LoopCopy { key: key(n), instance: 0 };
            ts.sources.push(SourceLoop { copy, parent: parent.map(SourceId::from_index) });
        }
        ts.locs[head].within = within.map(SourceId::from_index);
        Control::unverified(&ts)
    }

    fn only_loop(control: &Control) -> LoopId {
        control.forest.loops.ids().next().expect("there is one loop")
    }

    fn ending(control: &Control) -> Findings<'_> {
        let mut found = Findings::new(control, []).expect("there are no proofs");
        found.ends.insert(only_loop(control), Extent::Always);
        found
    }

    fn hanging(control: &Control) -> Findings<'_> {
        let mut found = Findings::new(control, []).expect("there are no proofs");
        found.hangs.insert(only_loop(control));
        found
    }

    #[test]
    fn a_system_carries_its_own_verdict_only() {
        let copy = LoopCopy { key: key(0), instance: 0 };
        let (terminates, diverges) =
            (system(Proves::Terminates, &[None], Some(0)), system(Proves::Diverges, &[None], Some(0)));
        assert_eq!(ending(&terminates).ends(&copy), Ok(Extent::Always));
        assert_eq!(ending(&diverges).ends(&copy), Err(Open::NotListed));
        assert!(hanging(&diverges).hangs(&copy).is_some() && hanging(&terminates).hangs(&copy).is_none());
    }

    #[test]
    fn what_is_not_listed_is_open() {
        let copy = LoopCopy { key: key(0), instance: 0 };
        let nothing = system(Proves::Both, &[], None);
        assert_eq!(ending(&nothing).ends(&copy), Err(Open::NotListed));
        // It is listed, and nothing in the system goes round there.
        let elsewhere = system(Proves::Both, &[None], None);
        let open = Findings::new(&elsewhere, []).expect("there are no proofs");
        assert_eq!(open.ends(&copy), Ok(Extent::Always));
    }

    #[test]
    fn an_entry_that_nobody_looked_at_leaves_its_loops_open() {
        let control = system(Proves::Both, &[None], Some(0));
        let seen = Entry::Seen { ends: ending(&control), hangs: None, wrap: None };
        assert_eq!(source_loop(std::slice::from_ref(&seen), &key(0)), Outcome::Ends(Extent::Always));
        let (with, without) = ([key(0)].into(), [key(1)].into());
        assert_eq!(source_loop(&[seen.clone(), Entry::Unseen(&with)], &key(0)), Outcome::NotSeen(1));
        assert_eq!(source_loop(&[Entry::Unseen(&without), seen], &key(0)), Outcome::Ends(Extent::Always));
    }

    #[test]
    fn what_hangs_where_numbers_wrap_is_open_and_so_is_all_around() {
        // The loop of the system is source 1, which lies in source 0; source 2 stands apart.
        let of = |within| system(Proves::Both, &[None, Some(0), None], within);
        let (over_z, wrapped, nowhere) = (of(Some(1)), of(Some(1)), of(None));
        let outcome = |wrap: &Control, n: usize| {
            let entry = Entry::Seen { ends: ending(&over_z), hangs: None, wrap: Some(hanging(wrap)) };
            entry.outcome(&LoopCopy { key: key(n), instance: 0 })
        };
        assert_eq!(outcome(&wrapped, 1), Outcome::Open(Open::Wraps));
        assert_eq!(outcome(&wrapped, 0), Outcome::Open(Open::Wraps));
        assert_eq!(outcome(&wrapped, 2), Outcome::Ends(Extent::Always));
        // What hangs there is no loop of the source: nothing that is known lies in it.
        assert_eq!(outcome(&nowhere, 1), Outcome::Ends(Extent::Always));
        let mut ends = ending(&over_z);
        ends.program_ends = true;
        let entry = Entry::Seen { ends, hangs: None, wrap: Some(hanging(&nowhere)) };
        assert_eq!(entry.program(), Outcome::Open(Open::Wraps), "but something hangs");
    }

    #[test]
    fn what_comes_behind_an_escape_is_open() {
        // The first loop ends; behind it a run may escape, then comes the second one.
        let mut ts = TransitionSystem::new("escape", Integers::Wrap);
        let [first, fork, beyond, second] = ["first", "fork", "beyond", "second"].map(|n| ts.add_loc(n));
        ts.entry = first;
        let tt = ts.terms.tt();
        for (a, b) in
            [(first, first), (first, fork), (fork, beyond), (beyond, beyond), (fork, second), (second, second)]
        {
            ts.add_edge(a, b, tt, Vec::new());
        }
        for (n, l) in [first, second].into_iter().enumerate() {
            ts.sources.push(SourceLoop { copy: LoopCopy { key: key(n), instance: 0 }, parent: None });
            ts.locs[l].within = Some(SourceId::from_index(n));
        }
        // The third one has no locations.
        ts.sources.push(SourceLoop { copy: LoopCopy { key: key(2), instance: 0 }, parent: None });
        ts.locs[beyond].escapes = true;
        let control = Control::unverified(&ts);
        let at = |l| control.forest.with_header(l).expect("a loop");
        let copy = |n| LoopCopy { key: key(n), instance: 0 };
        let mut found = Findings::new(&control, []).expect("there are no proofs");
        found.ends.extend([first, second].map(|l| (at(l), Extent::Always)));
        assert_eq!((found.ends(&copy(0)), found.ends(&copy(1))), (Ok(Extent::Always), Err(Open::Beyond)));
        assert_eq!(found.ends(&copy(2)), Err(Open::NotFollowed), "it may be called from where nothing is known");
        let entry = Entry::Seen { ends: found.clone(), hangs: None, wrap: None };
        assert_eq!((entry.doubt(at(first)), entry.doubt(at(second))), (None, Some(Open::Beyond)));
        // It was shown that no run gets there.
        found.ends.insert(at(beyond), Extent::Always);
        assert_eq!(found.ends(&copy(1)), Ok(Extent::Always));
    }

    #[test]
    fn a_file_ends_only_if_all_its_entries_do() {
        let ends = || Outcome::Ends(Extent::Always);
        let open = || Outcome::Open(Open::NotListed);
        assert_eq!(all_entries([ends(), ends()]), ends());
        assert_eq!(all_entries([ends(), open()]), open());
        assert_eq!(all_entries([open(), Outcome::Hangs, ends()]), Outcome::Hangs);
        assert_eq!(all_entries([]), ends());
    }
}
