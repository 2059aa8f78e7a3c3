//! The states of a small system and its steps, worked out when they are first asked for.

use super::compiled::{Code, bits_of, domain_of, fits, from_word, leaves, to_word};
use lariat_ir::{EdgeId, Id, IdVec, LocId, Op, Role, Term, TransitionSystem, UnknownId, UnknownKind, Value};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// The values of all variables, by number. Where every variable has a fixed number of bits this is the bits themselves.
pub type Valuation = u32;

/// At most this many combinations of unknown values on an edge.
const MAX_CHOICES: usize = 1 << 12;
/// At most this many bits of state are numbered directly.
const MAX_DENSE_BITS: u32 = 16;

/// A multiplicative hasher: states are many, small and not chosen by an adversary.
#[derive(Default)]
pub struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.write_u64(u64::from(*b));
        }
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_i64(&mut self, n: i64) {
        self.write_u64(n.cast_unsigned());
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
}

/// A map with [`WordHasher`].
pub type WordMap<K, V> = HashMap<K, V, BuildHasherDefault<WordHasher>>;

/// How many of the valuations of a condition a search has found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Coverage {
    /// Some of them.
    Partial,
    /// One for each that a run can tell apart: a value that is never read was taken to be zero.
    UpToDead,
    /// All of them.
    Full,
}

/// A set with [`WordHasher`].
pub type WordSet<K> = HashSet<K, BuildHasherDefault<WordHasher>>;

/// What happens in a state that is at no sink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expansion {
    /// One edge is enabled.
    Step(Step),
    /// An integer outgrew a machine word: the state has a successor that the oracle cannot represent.
    Outgrown,
    /// No guard holds, or two do: no system that the checker would accept.
    Broken,
}

/// The enabled edge with all its outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The edge.
    pub edge: EdgeId,
    /// Where it leads.
    pub to: LocId,
    /// How many combinations of input values there are.
    pub inputs: u32,
    /// How many combinations of environment and abstraction values there are for each of them.
    pub others: u32,
    first: u32,
}

struct EdgeCode {
    updates: Code,
    targets: Vec<usize>,
    /// The registers of the inputs, with their domains; then the same for the others.
    inputs: Vec<(usize, Vec<i64>)>,
    others: Vec<(usize, Vec<i64>)>,
}

enum Layout {
    /// Offset and width of each variable in the number of a valuation.
    Dense(Vec<(u32, u32)>, u32),
    Sparse,
}

/// The states of a system.
pub struct Space<'a> {
    /// The system.
    pub ts: &'a TransitionSystem,
    layout: Layout,
    /// For each location: which edges it has, and code for their guards.
    guards: IdVec<LocId, Option<(Vec<EdgeId>, Code)>>,
    edges: IdVec<EdgeId, EdgeCode>,
    words: Vec<i64>,
    index: WordMap<Box<[i64]>, Valuation>,
    steps: IdVec<LocId, Vec<Option<Expansion>>>,
    outcomes: Vec<Valuation>,
    regs: Vec<i64>,
}

impl<'a> Space<'a> {
    /// Prepares a system; nothing if it has a sort or an unknown that is too large to enumerate.
    pub fn new(ts: &'a TransitionSystem) -> Option<Self> {
        if ts.vars.iter().any(|v| !fits(v.sort)) {
            return None;
        }
        let mut offset = 0;
        let mut dense = Vec::new();
        for v in &ts.vars {
            let Some(width) = bits_of(v.sort) else { break };
            dense.push((offset, width));
            offset += width;
        }
        let layout = if dense.len() == ts.vars.len() && offset <= MAX_DENSE_BITS {
            Layout::Dense(dense, offset)
        } else {
            Layout::Sparse
        };
        let mut guards = IdVec::new();
        for loc in &ts.locs {
            guards.push(if loc.out.is_empty() {
                None
            } else {
                let roots: Vec<Term> = loc.out.iter().map(|&e| ts.edges[e].guard).collect();
                Some((loc.out.clone(), Code::new(ts, &roots)?))
            });
        }
        let mut edges = IdVec::new();
        for e in ts.edges.ids() {
            let updates: Vec<Term> = ts.edges[e].updates.iter().map(|(_, t)| *t).collect();
            let targets = ts.edges[e].updates.iter().map(|(v, _)| v.index()).collect();
            let (mut inputs, mut others) = (Vec::new(), Vec::new());
            let mut choices = 1;
            for u in ts.unknowns_of(e) {
                let domain = domain_of(ts, u, MAX_CHOICES)?;
                choices *= domain.len();
                if choices > MAX_CHOICES {
                    return None;
                }
                let place = (2 * ts.vars.len() + u.index(), domain);
                if ts.unknowns[u].kind == UnknownKind::Input { inputs.push(place) } else { others.push(place) }
            }
            edges.push(EdgeCode { updates: Code::new(ts, &updates)?, targets, inputs, others });
        }
        let steps = ts.locs.ids().map(|_| Vec::new()).collect();
        Some(Self {
            ts,
            layout,
            guards,
            edges,
            words: Vec::new(),
            index: WordMap::default(),
            steps,
            outcomes: Vec::new(),
            regs: vec![0; leaves(ts)],
        })
    }

    /// How many valuations there are, if they are finitely many and few.
    pub fn valuations(&self) -> Option<u32> {
        match self.layout {
            Layout::Dense(_, bits) => Some(1 << bits),
            Layout::Sparse => None,
        }
    }

    /// The words of a valuation.
    pub fn words(&self, v: Valuation) -> Vec<i64> {
        let mut out = Vec::with_capacity(self.ts.vars.len());
        self.words_into(v, &mut out);
        out
    }

    fn words_into(&self, v: Valuation, out: &mut Vec<i64>) {
        out.clear();
        match &self.layout {
            Layout::Dense(places, _) => {
                out.extend(places.iter().map(|(at, width)| i64::from(v >> at) & ((1i64 << width) - 1)));
            }
            Layout::Sparse => {
                let n = self.ts.vars.len();
                out.extend_from_slice(&self.words[v as usize * n..][..n]);
            }
        }
    }

    /// The values of a valuation.
    pub fn values(&self, v: Valuation) -> Vec<Value> {
        self.words(v).into_iter().zip(&self.ts.vars).map(|(w, var)| from_word(var.sort, w)).collect()
    }

    /// The valuation with these words.
    pub fn intern(&mut self, words: &[i64]) -> Valuation {
        match &self.layout {
            Layout::Dense(places, _) => words
                .iter()
                .zip(places)
                .fold(0, |v, (w, (at, _))| v | u32::try_from(*w).expect("a bit-vector is not negative") << at),
            Layout::Sparse => {
                if let Some(&v) = self.index.get(words) {
                    return v;
                }
                let v = u32::try_from(self.index.len()).expect("valuations fit in 32 bits");
                self.words.extend_from_slice(words);
                self.index.insert(words.into(), v);
                v
            }
        }
    }

    /// The valuation with these values, if they fit.
    pub fn intern_values(&mut self, values: &[Value]) -> Option<Valuation> {
        let words: Option<Vec<i64>> = values.iter().map(to_word).collect();
        Some(self.intern(&words?))
    }

    /// What happens in a state; the location is no sink.
    pub fn expand(&mut self, loc: LocId, v: Valuation) -> Expansion {
        if let Some(Some(known)) = self.steps[loc].get(v as usize) {
            return *known;
        }
        let expansion = self.work_out(loc, v);
        let slots = &mut self.steps[loc];
        if slots.len() <= v as usize {
            let all = self.valuations().map_or(v as usize + 1, |n| n as usize);
            self.steps[loc].resize(all.max(v as usize + 1), None);
        }
        self.steps[loc][v as usize] = Some(expansion);
        expansion
    }

    /// The outcomes of a step: for each combination of inputs those of every combination of other values.
    pub fn outcomes(&self, step: &Step) -> &[Valuation] {
        &self.outcomes[step.first as usize..][..(step.inputs * step.others) as usize]
    }

    /// The values of the unknowns of an edge in one combination.
    pub fn choice(&self, edge: EdgeId, input: u32, other: u32) -> Vec<(UnknownId, Value)> {
        let code = &self.edges[edge];
        let mut out = Vec::new();
        for (places, mut n) in [(&code.inputs, input as usize), (&code.others, other as usize)] {
            for (reg, domain) in places {
                let u = UnknownId::from_index(reg - 2 * self.ts.vars.len());
                out.push((u, from_word(self.ts.unknowns[u].sort, domain[n % domain.len()])));
                n /= domain.len();
            }
        }
        out.sort_by_key(|(u, _)| *u);
        out
    }

    /// The number of the combination with these values for the inputs of an edge, in the order of the unknowns.
    pub fn input_number(&self, edge: EdgeId, chosen: &[i64]) -> Option<usize> {
        let (mut number, mut weight) = (0, 1);
        for ((_, domain), word) in self.edges[edge].inputs.iter().zip(chosen) {
            number += weight * domain.binary_search(word).ok()?;
            weight *= domain.len();
        }
        (chosen.len() == self.edges[edge].inputs.len()).then_some(number)
    }

    fn work_out(&mut self, loc: LocId, v: Valuation) -> Expansion {
        let mut words = Vec::with_capacity(self.ts.vars.len());
        self.words_into(v, &mut words);
        let mut regs = std::mem::take(&mut self.regs);
        regs.resize(leaves(self.ts), 0);
        regs[..words.len()].copy_from_slice(&words);
        let (out, code) = self.guards[loc].as_ref().expect("the location is no sink");
        let expansion = if code.run(&mut regs) {
            let mut enabled = (0..out.len()).filter(|&i| code.root(&regs, i) != 0);
            match (enabled.next(), enabled.next()) {
                (Some(i), None) => {
                    let edge = out[i];
                    self.outcomes_of(edge, &words, &mut regs)
                }
                _ => Expansion::Broken,
            }
        } else {
            Expansion::Outgrown
        };
        self.regs = regs;
        expansion
    }

    fn outcomes_of(&mut self, edge: EdgeId, words: &[i64], regs: &mut Vec<i64>) -> Expansion {
        let code = &self.edges[edge];
        let count = |p: &[(usize, Vec<i64>)]| p.iter().map(|(_, d)| d.len()).product::<usize>();
        let (inputs, others) = (count(&code.inputs), count(&code.others));
        let first = self.outcomes.len();
        let mut next = words.to_vec();
        let set = |places: &[(usize, Vec<i64>)], mut n: usize, regs: &mut Vec<i64>| {
            for (reg, domain) in places {
                regs[*reg] = domain[n % domain.len()];
                n /= domain.len();
            }
        };
        for i in 0..inputs {
            for o in 0..others {
                let code = &self.edges[edge];
                set(&code.inputs, i, regs);
                set(&code.others, o, regs);
                if !code.updates.run(regs) {
                    self.outcomes.truncate(first);
                    return Expansion::Outgrown;
                }
                for (n, target) in code.targets.iter().enumerate() {
                    next[*target] = code.updates.root(regs, n);
                }
                let v = self.intern(&next);
                self.outcomes.push(v);
            }
        }
        let small = |n: usize| u32::try_from(n).expect("outcomes fit in 32 bits");
        Expansion::Step(Step {
            edge,
            to: self.ts.edges[edge].to,
            inputs: small(inputs),
            others: small(others),
            first: small(first),
        })
    }

    /// The valuations in which a condition on the variables holds, and how many of them these are.
    ///
    /// Integers are searched within what the top-level conjuncts of the condition allow; a variable without such bounds
    /// whose value at `loc` is never read counts as zero, any other is searched near zero only.
    pub fn models(&mut self, condition: Term, loc: LocId, limit: usize) -> (Vec<Valuation>, Coverage) {
        let Some(code) = Code::new(self.ts, &[condition]) else { return (Vec::new(), Coverage::Partial) };
        if let Some(n) = self.valuations() {
            let mut coverage = Coverage::Full;
            let mut holds = |v| {
                self.truth_of(&code, v).unwrap_or_else(|| {
                    coverage = Coverage::Partial;
                    false
                })
            };
            let found = (0..n).filter(|&v| holds(v)).collect();
            return (found, coverage);
        }
        let mut coverage = Coverage::Full;
        let live = live_at(self.ts, loc, condition);
        let mut size = 1usize;
        let mut domains: Vec<Vec<i64>> = Vec::new();
        for (id, var) in self.ts.vars.entries() {
            let domain: Vec<i64> = match bits_of(var.sort) {
                Some(bits) if bits <= 8 => (0..1i64 << bits).collect(),
                Some(_) if !live[id.index()] => {
                    coverage = coverage.min(Coverage::UpToDead);
                    vec![0]
                }
                Some(bits) if bits <= 12 => (0..1i64 << bits).collect(),
                Some(_) => return (Vec::new(), Coverage::Partial),
                None => match bounds(self.ts, condition, var.term) {
                    (Some(lo), Some(hi)) if hi - lo < 4096 => (lo..=hi).collect(),
                    _ if !live[id.index()] => {
                        coverage = coverage.min(Coverage::UpToDead);
                        vec![0]
                    }
                    (lo, hi) => {
                        coverage = Coverage::Partial;
                        let lo = lo.unwrap_or(hi.map_or(-3, |h| h - 6));
                        (lo..=lo + 6).collect()
                    }
                },
            };
            size = size.saturating_mul(domain.len());
            domains.push(domain);
        }
        if size > limit {
            return (Vec::new(), Coverage::Partial);
        }
        let mut found = Vec::new();
        for n in 0..size {
            let mut rest = n;
            let words: Vec<i64> = domains
                .iter()
                .map(|d| {
                    let w = d[rest % d.len()];
                    rest /= d.len();
                    w
                })
                .collect();
            let v = self.intern(&words);
            match self.truth_of(&code, v) {
                Some(true) => found.push(v),
                Some(false) => {}
                None => coverage = Coverage::Partial,
            }
        }
        (found, coverage)
    }

    /// Whether a compiled condition on the variables holds; nothing if a number in it is too great to be followed.
    pub fn truth_of(&mut self, code: &Code, v: Valuation) -> Option<bool> {
        self.value_of(code, v).map(|w| w == 1)
    }

    /// The value of a compiled term over the variables, if it fits.
    pub fn value_of(&mut self, code: &Code, v: Valuation) -> Option<i64> {
        let mut words = Vec::with_capacity(self.ts.vars.len());
        self.words_into(v, &mut words);
        self.regs.resize(leaves(self.ts), 0);
        self.regs[..words.len()].copy_from_slice(&words);
        code.run(&mut self.regs).then(|| code.root(&self.regs, 0))
    }

    /// Whether a compiled relation holds between an earlier and a present valuation.
    pub fn related(&mut self, code: &Code, old: Valuation, now: Valuation) -> bool {
        let n = self.ts.vars.len();
        let (before, after) = (self.words(old), self.words(now));
        self.regs.resize(leaves(self.ts), 0);
        self.regs[..n].copy_from_slice(&after);
        self.regs[n..2 * n].copy_from_slice(&before);
        code.run(&mut self.regs) && code.root(&self.regs, 0) == 1
    }
}

/// The bounds that the conjuncts of a condition put on an integer variable.
fn bounds(ts: &TransitionSystem, condition: Term, var: Term) -> (Option<i64>, Option<i64>) {
    let constant = |t: Term| ts.terms.constant_value(t).as_ref().and_then(to_word);
    let (mut lo, mut hi): (Option<i64>, Option<i64>) = (None, None);
    for c in ts.terms.conjuncts(condition) {
        let node = ts.terms.node(c);
        let [a, b] = *node.args() else { continue };
        let (least, greatest) = match (node.op, constant(a), constant(b)) {
            (Op::Eq, Some(k), _) if b == var => (Some(k), Some(k)),
            (Op::Eq, _, Some(k)) if a == var => (Some(k), Some(k)),
            (Op::IntLe, Some(k), _) if b == var => (Some(k), None),
            (Op::IntLe, _, Some(k)) if a == var => (None, Some(k)),
            (Op::IntLt, Some(k), _) if b == var => (Some(k + 1), None),
            (Op::IntLt, _, Some(k)) if a == var => (None, Some(k - 1)),
            _ => continue,
        };
        lo = lo.max(least);
        hi = [hi, greatest].into_iter().flatten().min();
    }
    (lo, hi)
}

/// Whether the value of each variable at a location can matter to a later guard or to the condition.
fn live_at(ts: &TransitionSystem, loc: LocId, condition: Term) -> Vec<bool> {
    let vars_of = |t: Term| {
        ts.terms.symbols(t).into_iter().filter_map(|s| match ts.terms.role(s) {
            Some(Role::Var(v)) => Some(v.index()),
            _ => None,
        })
    };
    let mut live: IdVec<LocId, Vec<bool>> = ts.locs.ids().map(|_| vec![false; ts.vars.len()]).collect();
    loop {
        let before = live.clone();
        for e in &ts.edges {
            for v in vars_of(e.guard) {
                live[e.from][v] = true;
            }
            for v in ts.vars.ids() {
                if !live[e.to][v.index()] {
                    continue;
                }
                match e.updates.iter().find(|(u, _)| *u == v) {
                    Some((_, t)) => vars_of(*t).for_each(|x| live[e.from][x] = true),
                    None => live[e.from][v.index()] = true,
                }
            }
        }
        if before == live {
            break;
        }
    }
    for v in vars_of(condition) {
        live[loc][v] = true;
    }
    live[loc].clone()
}
