//! Loops of two systems of one program: which of them are one loop of the source.
//!
//! Systems have no common identities but the names of their locations, so everything here fails closed: what does not match, or
//! matches twice, has no counterpart, and whoever asks says `unknown` where a verdict would need one.

use lariat_ir::{LocId, Loop, LoopForest, LoopId, Op, TransitionSystem};
use std::collections::{BTreeMap, BTreeSet};

/// The name of a location in the program that a system was made from. The lowering may put a location in front, where
/// unknown values are chosen, and the header of a loop may be the one or the other.
pub fn source_name(name: &str) -> &str {
    match name.rsplit_once(".chosen") {
        Some((base, rest)) if rest.strip_prefix('.').map_or(rest.is_empty(), |n| n.parse::<u32>().is_ok()) => base,
        _ => name,
    }
}

/// The places of the program that the locations of a system stand for, by their names.
#[derive(Clone, Debug)]
pub struct Places<'a> {
    ts: &'a TransitionSystem,
    forest: &'a LoopForest,
    /// The locations of each place: one, or one and that behind it where values are chosen.
    of: BTreeMap<&'a str, Vec<LocId>>,
}

impl<'a> Places<'a> {
    /// Those of a system.
    pub fn of(ts: &'a TransitionSystem, forest: &'a LoopForest) -> Self {
        let mut of: BTreeMap<&str, Vec<LocId>> = BTreeMap::new();
        for (id, l) in ts.locs.entries().filter(|(id, _)| !id.is_sink()) {
            of.entry(source_name(&l.name)).or_default().push(id);
        }
        // Two locations are one place only if the second can be reached from the first alone and the first leads nowhere else.
        let mut into: BTreeMap<LocId, usize> = BTreeMap::new();
        for e in &ts.edges {
            *into.entry(e.to).or_default() += 1;
        }
        let leads_only = |from: LocId, to: LocId| match ts.locs[from].out.as_slice() {
            [e] => ts.edges[*e].to == to && ts.terms.node(ts.edges[*e].guard).op == Op::Bool(true),
            _ => false,
        };
        of.retain(|name, locs| match locs.as_slice() {
            [_] => true,
            &[a, b] => {
                let (first, second) = if ts.locs[a].name == *name { (a, b) } else { (b, a) };
                ts.locs[first].name == *name && leads_only(first, second) && into.get(&second) == Some(&1)
            }
            _ => false,
        });
        Self { ts, forest, of }
    }

    /// The place of a location; nothing if its name is not that of one place.
    fn name(&self, l: LocId) -> Option<&'a str> {
        let name = source_name(&self.ts.locs[l].name);
        self.of.contains_key(name).then_some(name)
    }

    /// The places of a loop; nothing if one of them has no name of its own.
    pub fn body(&self, id: LoopId) -> Option<BTreeSet<&'a str>> {
        self.forest.loops[id].body.iter().map(|l| self.name(*l)).collect()
    }

    fn header(&self, id: LoopId) -> Option<&'a str> {
        self.name(self.forest.loops[id].header)
    }

    /// Whether no run of this system stays for ever in a set of places: whatever goes round among them lies in loops that end. A place
    /// that this system does not have is one of which nothing is known.
    pub fn end(&self, places: &BTreeSet<&str>, ends: &dyn Fn(LoopId) -> bool) -> bool {
        let mut inside = BTreeSet::new();
        for name in places {
            let Some(locs) = self.of.get(name) else { return false };
            inside.extend(locs.iter().copied());
        }
        self.forest.outermost().all(|id| self.loop_ends(id, &inside, ends))
    }

    /// The same for what goes round in one loop: a cycle passes the loop's header, or lies in a loop inside.
    fn loop_ends(&self, id: LoopId, inside: &BTreeSet<LocId>, ends: &dyn Fn(LoopId) -> bool) -> bool {
        let Loop { header, body, .. } = &self.forest.loops[id];
        let mut inner = self.forest.loops.entries().filter(|(_, l)| l.parent == Some(id));
        let here: BTreeSet<LocId> = inside.intersection(body).copied().collect();
        ends(id) || !self.goes_round(*header, &here) && inner.all(|(id, _)| self.loop_ends(id, inside, ends))
    }

    /// Whether a cycle through a location stays in a region.
    fn goes_round(&self, start: LocId, region: &BTreeSet<LocId>) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(l) = open.pop().filter(|_| region.contains(&start)) {
            for e in &self.ts.locs[l].out {
                let to = self.ts.edges[*e].to;
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

/// The loops of a first system with those of a second one that stand for them.
#[derive(Clone, Debug, Default)]
pub struct Counterparts {
    second: BTreeMap<LoopId, LoopId>,
}

impl Counterparts {
    /// Matches loops: the only ones whose headers are one place; else the only ones of which each has the other's header in it.
    pub fn of(first: &Places<'_>, second: &Places<'_>) -> Self {
        let mut matched = only_pairs(first, second, &BTreeMap::new(), |a, b| {
            first.header(a).is_some_and(|name| second.header(b) == Some(name))
        });
        let holds = |places: &Places<'_>, id: LoopId, header: Option<&str>| {
            header.is_some_and(|h| places.body(id).is_some_and(|body| body.contains(h)))
        };
        let rest = only_pairs(first, second, &matched, |a, b| {
            holds(first, a, second.header(b)) && holds(second, b, first.header(a))
        });
        matched.extend(rest);
        Self { second: matched }
    }

    /// The loop of the second system for one of the first.
    pub fn of_first(&self, id: LoopId) -> Option<LoopId> {
        self.second.get(&id).copied()
    }

    /// The loop of the first system for one of the second.
    pub fn of_second(&self, id: LoopId) -> Option<LoopId> {
        self.second.iter().find(|(_, b)| **b == id).map(|(a, _)| *a)
    }
}

/// The pairs that fit, of loops that fit nothing else and are not matched yet.
fn only_pairs(
    first: &Places<'_>,
    second: &Places<'_>,
    matched: &BTreeMap<LoopId, LoopId>,
    fits: impl Fn(LoopId, LoopId) -> bool,
) -> BTreeMap<LoopId, LoopId> {
    let taken: BTreeSet<LoopId> = matched.values().copied().collect();
    let left: Vec<LoopId> = first.forest.loops.ids().filter(|a| !matched.contains_key(a)).collect();
    let right: Vec<LoopId> = second.forest.loops.ids().filter(|b| !taken.contains(b)).collect();
    let mut times: BTreeMap<LoopId, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for &a in &left {
        let fitting: Vec<LoopId> = right.iter().copied().filter(|b| fits(a, *b)).collect();
        for b in &fitting {
            *times.entry(*b).or_default() += 1;
        }
        if let [b] = fitting.as_slice() {
            found.push((a, *b));
        }
    }
    found.into_iter().filter(|(_, b)| times[b] == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::lts;

    #[test]
    fn the_location_where_values_are_chosen_has_the_name_of_its_source() {
        for (name, source) in [
            ("head", "head"),
            ("head.chosen", "head"),
            ("head.chosen.2", "head"),
            ("a.chosen.b", "a.chosen.b"),
            ("a.chosen.chosen", "a.chosen"),
        ] {
            assert_eq!(source_name(name), source);
        }
    }

    fn system(locations: &str) -> (TransitionSystem, LoopForest) {
        let text =
            format!("lts 1\nintegers wrap\nvar x: bv8\nenvironment e: bv8\nentry start\nstart: goto a\n{locations}");
        let ts = lts::parse(&text).expect("a system").system;
        let forest = LoopForest::of(&ts);
        (ts, forest)
    }

    /// For each loop of the first system the header of its counterpart.
    fn matched(first: &str, second: &str) -> Vec<(String, Option<String>)> {
        let ((a, in_a), (b, in_b)) = (system(first), system(second));
        let (here, there) = (Places::of(&a, &in_a), Places::of(&b, &in_b));
        let found = Counterparts::of(&here, &there);
        let name =
            |ts: &TransitionSystem, forest: &LoopForest, id: LoopId| ts.locs[forest.loops[id].header].name.clone();
        for (x, y) in &found.second {
            assert_eq!((found.of_first(*x), found.of_second(*y)), (Some(*y), Some(*x)));
        }
        let partner = |id: LoopId| found.of_first(id).map(|other| name(&b, &in_b, other));
        let mut all: Vec<_> = in_a.loops.ids().map(|id| (name(&a, &in_a, id), partner(id))).collect();
        all.sort();
        all
    }

    fn pair(a: &str, b: &str) -> (String, Option<String>) {
        (a.to_owned(), (!b.is_empty()).then(|| b.to_owned()))
    }

    const TWO: &str = "a: if x == 0 goto a\n if x != 0 goto b\nb: if x == 1 goto b\n if x != 1 goto EXIT\n";

    #[test]
    fn loops_match_by_their_headers_whether_values_are_chosen_there_or_not() {
        assert_eq!(matched(TWO, TWO), [pair("a", "a"), pair("b", "b")]);
        let chosen = "a: goto `a.chosen` with x := e\n`a.chosen`: if x == 0 goto a\n if x != 0 goto b\n\
                      b: if x == 1 goto b\n if x != 1 goto EXIT\n";
        assert_eq!(matched(TWO, chosen), [pair("a", "a"), pair("b", "b")]);
        assert_eq!(matched(chosen, TWO), [pair("a", "a"), pair("b", "b")]);
    }

    #[test]
    fn loops_with_other_headers_match_if_each_holds_the_others() {
        let at_a = "a: goto c\nc: if x == 0 goto a\n if x != 0 goto EXIT\n";
        let at_c = "a: if x == 7 goto EXIT\n if x != 7 goto c\nc: goto d\nd: if x == 0 goto c\n if x != 0 goto EXIT\n";
        assert_eq!(matched(at_a, at_a), [pair("a", "a")]);
        // The loop at `c` does not go through `a`: another one.
        assert_eq!(matched(at_a, at_c), [pair("a", "")]);
        let entered_at_c = "a: goto EXIT\nc: if x == 0 goto b\n if x != 0 goto EXIT\nb: goto c\n";
        let entered_at_b = "a: goto b\nc: if x == 0 goto b\n if x != 0 goto EXIT\nb: goto c\n";
        assert_eq!(matched(entered_at_c, entered_at_b), [pair("c", "b")]);
    }

    #[test]
    fn what_matches_nothing_or_twice_has_no_counterpart() {
        // Another name.
        let renamed = "a: if x == 0 goto a\n if x != 0 goto z\nz: if x == 1 goto z\n if x != 1 goto EXIT\n";
        assert_eq!(matched(TWO, renamed), [pair("a", "a"), pair("b", "")]);
        // A location that only looks like the one where values of `b` are chosen: it is a loop of its own.
        let twice = "a: if x == 0 goto a\n if x != 0 goto b\nb: if x == 1 goto b\n if x != 1 goto `b.chosen`\n\
                     `b.chosen`: if x == 2 goto `b.chosen`\n if x != 2 goto EXIT\n";
        assert_eq!(matched(TWO, twice), [pair("a", "a"), pair("b", "")]);
        assert_eq!(matched(twice, TWO), [pair("a", "a"), pair("b", ""), pair("b.chosen", "")]);
        assert_eq!(matched(twice, twice), [pair("a", "a"), pair("b", ""), pair("b.chosen", "")]);
        // Three locations of one name.
        let three =
            "a: goto `a.chosen`\n`a.chosen`: goto `a.chosen.2`\n`a.chosen.2`: if x == 0 goto a\n if x != 0 goto EXIT\n";
        assert_eq!(matched(three, three), [pair("a", "")]);
    }

    #[test]
    fn places_end_where_nothing_goes_round_but_loops_that_end() {
        let (ts, forest) = system(TWO);
        let places = Places::of(&ts, &forest);
        let at = |name: &str| forest.with_header(ts.loc_named(name).expect("a location")).expect("a loop");
        let (a, b) = (at("a"), at("b"));
        let ends = |names: &[&str], ending: &[LoopId]| {
            places.end(&names.iter().copied().collect(), &|id| ending.contains(&id))
        };
        assert!(ends(&["start"], &[]), "no loop goes through it");
        assert!(!ends(&["a"], &[]) && !ends(&["a"], &[b]) && ends(&["a"], &[a]));
        assert!(!ends(&["start", "a", "b"], &[a]) && ends(&["start", "a", "b"], &[a, b]));
        assert!(!ends(&["elsewhere"], &[a, b]), "of a place that is not there nothing is known");
        let (ts, forest) =
            system("a: goto c\nc: if x == 0 goto c\n if x == 1 goto a\n if x != 0 && x != 1 goto EXIT\n");
        let places = Places::of(&ts, &forest);
        let at = |name: &str| forest.with_header(ts.loc_named(name).expect("a location")).expect("a loop");
        let all: BTreeSet<&str> = ["a", "c"].into();
        assert!(places.end(&all, &|id| id == at("a")), "the loop around holds the other one");
        assert!(!places.end(&all, &|id| id == at("c")), "the inner loop ends, the outer one may not");
        assert!(places.end(&["c"].into(), &|id| id == at("c")));
        assert!(places.end(&["a"].into(), &|_| false), "`a` alone does not go round");
    }
}
