//! Transition systems.
//!
//! What [`TransitionSystem::defects`] establishes, so that everything after it may rely on it:
//! 1. the entry is no sink; a sink has no edges; every other location has at least one;
//! 2. a guard is a truth value over state variables only, so that whether an edge is taken never depends on a value
//!    that is still to be chosen; an unknown value is stored first and tested then;
//! 3. an edge changes a variable at most once, to a term of its sort over state variables and unknowns;
//! 4. `init` is a truth value over state variables;
//! 5. only an unknown of sort `int` has a range, and it is not empty;
//! 6. names are unique among variables and unknowns, and among locations, and consist of characters that the text form
//!    can write, so that no two systems have one text;
//! 7. each loop of the source is listed once, behind the one around it, and locations name loops that are listed.
//!
//! What `lariat_check::verify` establishes beyond, because it takes a solver: the guards at each location are total (a
//! stuck state is neither an end nor a hang) and pairwise disjoint. Disjoint guards make a run a function of its
//! first state and of the unknown values alone: no third party chooses an edge, so nobody has to say on which side of
//! a proof that party stands.

use crate::assumption::Assumption;
use crate::ids::{AssumptionId, EdgeId, Id, IdVec, LocId, SourceId, UnknownId, VarId};
use crate::sort::Sort;
use crate::source::{self, SourceLoop};
use crate::term::{Op, Role, Term, Terms};
use crate::value::Value;
use dashu_int::IBig;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file as the user named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// How integers behave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Integers {
    /// Two's complement everywhere.
    Wrap,
    /// Signed arithmetic over the mathematical integers; unsigned arithmetic and narrowing wrap.
    Ideal,
    /// C: what holds with signed arithmetic over the integers (`terminates`) and what a machine does without an
    /// overflow that matters (`diverges`) are two systems; [`Proves`] says which one this is.
    C,
}

impl fmt::Display for Integers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wrap => "wrap",
            Self::Ideal => "ideal",
            Self::C => "c",
        })
    }
}

/// Which verdicts a system can carry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Proves {
    /// Both: its runs are the program's runs.
    Both,
    /// Only termination: it has at least the runs that count.
    Terminates,
    /// Only divergence: it has at most the runs that count.
    Diverges,
}

impl Proves {
    /// As results write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Terminates => "terminates",
            Self::Diverges => "diverges",
        }
    }
}

/// Whose the entry is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// A whole program: a verdict speaks of its initial states.
    Program,
    /// One function: a verdict carries the condition on its inputs.
    Function,
}

/// Who chooses a nondeterministic value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnknownKind {
    /// The user of the program: a divergence proof may choose it.
    Input,
    /// The world: every value must be reckoned with.
    Environment,
    /// Lost precision: every value must be reckoned with.
    Abstraction,
}

impl UnknownKind {
    /// The keyword of the text form.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Environment => "environment",
            Self::Abstraction => "abstraction",
        }
    }
}

/// A state variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
    /// The symbol of its present value.
    pub term: Term,
    /// The symbol of its earlier value, `old(x)`.
    pub old: Term,
}

/// A nondeterministic value, chosen afresh each time an edge that mentions it is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
    /// Who chooses it.
    pub kind: UnknownKind,
    /// For an integer: the least and the greatest value it can take.
    pub range: Option<(IBig, IBig)>,
    /// Its symbol.
    pub term: Term,
}

/// A location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub span: Option<Span>,
    /// The function it belongs to.
    pub function: Option<String>,
    /// The innermost loop of the source that it lies in.
    pub within: Option<SourceId>,
    /// Whether it stands for no place of the source: a loop that starts here is none of the program.
    pub artificial: bool,
    /// Whether a run that gets here may go on anywhere in the program, in any state. It can then also come back here for ever, unchanged, so
    /// that a loop which holds this location ends only if no run gets here.
    pub escapes: bool,
    /// The edges that leave it.
    pub out: Vec<EdgeId>,
}

impl Location {
    /// A location of this name, of which nothing else is known.
    pub fn named(name: &str) -> Self {
        let name = name.to_owned();
        Self { name, span: None, function: None, within: None, artificial: false, escapes: false, out: Vec::new() }
    }
    /// What it stands for. Names are for readers, and so is this: no proof rests on it.
    pub fn kind(&self) -> LocationKind {
        if self.name.starts_with(BEYOND_THE_MODEL) {
            LocationKind::BeyondModel
        } else if self.name.starts_with(RETURNS) {
            LocationKind::Returns
        } else {
            LocationKind::Plain
        }
    }
}

/// The beginning of the names of locations to which runs go that leave the model of memory.
pub const BEYOND_THE_MODEL: &str = "beyond the model";

/// The beginning of the names of locations at which calls of a recursion return.
pub const RETURNS: &str = "returns:";

/// What a location stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocationKind {
    /// A place of the program.
    Plain,
    /// Runs that leave the model of memory go here.
    BeyondModel,
    /// Calls of a recursion return here.
    Returns,
}

/// An edge: taken when its guard holds; all updates happen at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocId,
    /// Where it ends.
    pub to: LocId,
    /// When it is taken.
    pub guard: Term,
    /// The variables it changes and their new values.
    pub updates: Vec<(VarId, Term)>,
    /// Where it comes from.
    pub span: Option<Span>,
    /// What the model of this step rests on.
    pub assumes: Vec<AssumptionId>,
}

/// Something that could run for ever and is no loop of this system, such as a recursion that was cut: as long as one
/// is open the program's termination cannot be concluded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// In words: "recursion through `visit`".
    pub text: String,
    /// Where it is.
    pub span: Option<Span>,
}

/// The hash of a system's text form.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SystemHash(pub [u8; 32]);

impl fmt::Display for SystemHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for SystemHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A transition system: what the engines see and the checker checks.
#[derive(Clone, Debug)]
pub struct TransitionSystem {
    /// The terms of this system and of everything that is said about it.
    pub terms: Terms,
    /// A name for messages.
    pub name: String,
    /// How integers behaved when it was made.
    pub integers: Integers,
    /// Which verdicts it can carry.
    pub proves: Proves,
    /// Whose the entry is.
    pub mode: Mode,
    /// The state variables.
    pub vars: IdVec<VarId, Var>,
    /// The nondeterministic values.
    pub unknowns: IdVec<UnknownId, Unknown>,
    /// The locations, the four sinks first.
    pub locs: IdVec<LocId, Location>,
    /// The edges.
    pub edges: IdVec<EdgeId, Edge>,
    /// Where runs start.
    pub entry: LocId,
    /// The states in which runs start.
    pub init: Term,
    /// What it rests on.
    pub assumptions: IdVec<AssumptionId, Assumption>,
    /// What its verdict does not cover.
    pub obligations: Vec<Obligation>,
    /// The loops of the source that it holds.
    pub sources: IdVec<SourceId, SourceLoop>,
    /// Of a system that was made from a program: the location and the case there that an edge stands for. Reports look at it,
    /// proofs do not; the text form and the hash have no trace of it.
    pub cases: BTreeMap<EdgeId, (usize, usize)>,
    /// Of a system that was made from a program: the locations where signed numbers may overflow. No more a part of it than `cases`.
    pub overflows: BTreeSet<LocId>,
}

/// Why a system is not one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Defect {
    /// The location it is at, if it is at one.
    pub at: Option<LocId>,
    /// In words, with the next step.
    pub message: String,
}

impl TransitionSystem {
    /// A system that has the four sinks and nothing else; the entry is to be set.
    pub fn new(name: &str, integers: Integers) -> Self {
        let terms = Terms::new();
        let init = terms.tt();
        Self {
            terms,
            name: name.to_owned(),
            integers,
            proves: Proves::Both,
            mode: Mode::Program,
            vars: IdVec::new(),
            unknowns: IdVec::new(),
            locs: SINKS.into_iter().map(|(_, name)| Location::named(name)).collect(),
            edges: IdVec::new(),
            entry: LocId::EXIT,
            init,
            assumptions: IdVec::new(),
            obligations: Vec::new(),
            sources: IdVec::new(),
            cases: BTreeMap::new(),
            overflows: BTreeSet::new(),
        }
    }

    /// Adds a state variable. Its name must be new.
    pub fn add_var(&mut self, name: &str, sort: Sort) -> VarId {
        let id = VarId::from_index(self.vars.len());
        let term = self.terms.symbol(name, sort, Role::Var(id));
        let old = self.terms.symbol(&format!("old({name})"), sort, Role::Old(id));
        self.vars.push(Var { name: name.to_owned(), sort, term, old })
    }

    /// Adds a nondeterministic value. Its name must be new.
    pub fn add_unknown(&mut self, name: &str, sort: Sort, kind: UnknownKind, range: Option<(IBig, IBig)>) -> UnknownId {
        let id = UnknownId::from_index(self.unknowns.len());
        let term = self.terms.symbol(name, sort, Role::Unknown(id));
        self.unknowns.push(Unknown { name: name.to_owned(), sort, kind, range, term })
    }

    /// Adds a location. Its name must be new.
    pub fn add_loc(&mut self, name: &str) -> LocId {
        self.locs.push(Location::named(name))
    }

    /// Adds an edge without source position or assumptions.
    pub fn add_edge(&mut self, from: LocId, to: LocId, guard: Term, updates: Vec<(VarId, Term)>) -> EdgeId {
        self.push_edge(Edge { from, to, guard, updates, span: None, assumes: Vec::new() })
    }

    /// Adds an edge.
    pub fn push_edge(&mut self, edge: Edge) -> EdgeId {
        let from = edge.from;
        let id = self.edges.push(edge);
        self.locs[from].out.push(id);
        id
    }

    /// The variable of this name.
    pub fn var_named(&self, name: &str) -> Option<VarId> {
        self.vars.entries().find(|(_, v)| v.name == name).map(|(id, _)| id)
    }
    /// The unknown of this name.
    pub fn unknown_named(&self, name: &str) -> Option<UnknownId> {
        self.unknowns.entries().find(|(_, u)| u.name == name).map(|(id, _)| id)
    }
    /// The location of this name.
    pub fn loc_named(&self, name: &str) -> Option<LocId> {
        self.locs.entries().find(|(_, l)| l.name == name).map(|(id, _)| id)
    }

    /// The unknowns that an edge mentions, in order.
    pub fn unknowns_of(&self, edge: EdgeId) -> Vec<UnknownId> {
        let roots: Vec<Term> = self.edges[edge].updates.iter().map(|(_, t)| *t).collect();
        let mut ids: Vec<UnknownId> = self
            .terms
            .reachable(&roots)
            .into_iter()
            .filter_map(|t| match self.terms.role(t) {
                Some(Role::Unknown(u)) => Some(u),
                _ => None,
            })
            .collect();
        ids.sort_unstable();
        ids
    }

    /// Whether a value is one that an unknown can take.
    pub fn admits(&self, unknown: UnknownId, value: &Value) -> bool {
        let u = &self.unknowns[unknown];
        value.sort() == u.sort
            && match (&u.range, value) {
                (Some((lo, hi)), Value::Int(i)) => lo <= i && i <= hi,
                _ => true,
            }
    }

    /// The least value of an unknown's range; zero where it has none.
    pub fn least(&self, unknown: UnknownId) -> Value {
        match &self.unknowns[unknown].range {
            Some((lo, _)) => Value::Int(lo.clone()),
            None => Value::zero(self.unknowns[unknown].sort),
        }
    }

    /// A term of an edge in a state: the variables as they are there, the unknowns as those of this occurrence.
    pub fn in_state(&self, t: Term, state: &[Term], occurrence: u32) -> Term {
        self.terms.substitute(t, |s| match self.terms.role(s) {
            Some(Role::Var(v)) => Some(state[v.index()]),
            Some(Role::Unknown(_)) => Some(self.terms.copy_symbol(s, occurrence)),
            _ => None,
        })
    }

    /// The condition that a term is a value which an unknown can take.
    pub fn range_condition(&self, unknown: UnknownId, value: Term) -> Term {
        use crate::term::Op;
        let t = &self.terms;
        match &self.unknowns[unknown].range {
            Some((lo, hi)) => {
                t.and(t.apply(Op::IntLe, &[t.int(lo.clone()), value]), t.apply(Op::IntLe, &[value, t.int(hi.clone())]))
            }
            None => t.tt(),
        }
    }

    /// The variables that a condition on states gives one value: by a conjunct `x == constant`, `b` or `!b`.
    pub fn fixed_by(&self, condition: Term) -> BTreeSet<VarId> {
        let terms = &self.terms;
        let variable = |t: Term| match terms.role(t) {
            Some(Role::Var(v)) => Some(v),
            _ => None,
        };
        let constant = |t: Term| terms.symbols(t).is_empty();
        terms
            .conjuncts(condition)
            .into_iter()
            .filter_map(|c| {
                let node = terms.node(c);
                match node.op {
                    Op::Eq if constant(node.args()[1]) => variable(node.args()[0]),
                    Op::Eq if constant(node.args()[0]) => variable(node.args()[1]),
                    Op::Not => variable(node.args()[0]),
                    _ => variable(c),
                }
            })
            .collect()
    }

    /// The hash of the text form: two systems with one hash are the same system.
    pub fn hash(&self) -> SystemHash {
        SystemHash(Sha256::digest(crate::lts::print(self).as_bytes()).into())
    }

    /// What is wrong with the structure of this system; nothing if it is a system (see the module's list).
    pub fn defects(&self) -> Vec<Defect> {
        let mut found = Vec::new();
        let mut defect = |at: Option<LocId>, message: String| found.push(Defect { at, message });
        if self.entry.is_sink() {
            defect(None, "the entry is a sink; name a location with `entry`".into());
        }
        for (id, loc) in self.locs.entries() {
            match (id.is_sink(), loc.out.is_empty()) {
                (true, false) => defect(Some(id), format!("`{}` is a sink and cannot have edges", loc.name)),
                (false, true) => defect(
                    Some(id),
                    format!("`{}` has no edges: a run would be stuck there; add `goto EXIT` or another end", loc.name),
                ),
                _ => {}
            }
        }
        for edge in &self.edges {
            let at = Some(edge.from);
            let name = &self.locs[edge.from].name;
            if self.terms.sort(edge.guard) != Sort::Bool {
                defect(at, format!("a guard at `{name}` is no truth value"));
            } else if let Some(what) = self.stray_symbol(edge.guard, false) {
                defect(
                    at,
                    format!(
                        "a guard at `{name}` mentions {what}; store it in a variable on an edge before and test that"
                    ),
                );
            }
            let mut changed = HashSet::new();
            for (var, value) in &edge.updates {
                let v = &self.vars[*var];
                if !changed.insert(*var) {
                    defect(at, format!("an edge at `{name}` changes `{}` twice", v.name));
                }
                if self.terms.sort(*value) != v.sort {
                    let got = self.terms.sort(*value);
                    defect(
                        at,
                        format!("an edge at `{name}` gives `{}` of sort {} a value of sort {got}", v.name, v.sort),
                    );
                }
                if let Some(what) = self.stray_symbol(*value, true) {
                    defect(at, format!("an update at `{name}` mentions {what}, which is no variable or unknown"));
                }
            }
        }
        if self.terms.sort(self.init) != Sort::Bool {
            defect(None, "`init` is no truth value".into());
        } else if let Some(what) = self.stray_symbol(self.init, false) {
            defect(None, format!("`init` mentions {what}; it may speak of variables only"));
        }
        for u in &self.unknowns {
            if let Some((lo, hi)) = &u.range {
                if u.sort != Sort::Int {
                    defect(None, format!("`{}` has a range but is no `int`", u.name));
                }
                if lo > hi {
                    defect(None, format!("the range of `{}` is empty", u.name));
                }
            }
        }
        for name in self.vars.iter().map(|v| &v.name).chain(self.unknowns.iter().map(|u| &u.name)) {
            if !is_name(name) {
                defect(None, format!("`{name}` cannot be a variable's name"));
            }
        }
        for name in self.locs.iter().map(|l| &l.name).chain([&self.name]) {
            if !is_label(name) {
                defect(None, format!("`{name}` cannot be the name of a location or a system"));
            }
        }
        let mut names = HashSet::new();
        for name in self.vars.iter().map(|v| &v.name).chain(self.unknowns.iter().map(|u| &u.name)) {
            if !names.insert(name) {
                defect(None, format!("`{name}` is declared twice"));
            }
        }
        let mut names = HashSet::new();
        for (id, loc) in self.locs.entries() {
            if !names.insert(&loc.name) {
                defect(Some(id), format!("the location `{}` stands twice", loc.name));
            }
            if loc.within.is_some_and(|s| self.sources.get(s).is_none()) {
                defect(Some(id), format!("`{}` lies in a loop of the source that is not listed", loc.name));
            }
        }
        if let Some(message) = source::defect(&self.sources) {
            defect(None, message);
        }
        found
    }

    /// A symbol that may not occur in a term of this system.
    fn stray_symbol(&self, t: Term, unknowns_allowed: bool) -> Option<String> {
        self.terms.symbols(t).into_iter().find_map(|s| match self.terms.role(s) {
            Some(Role::Var(v)) if self.vars.get(v).is_some_and(|var| var.term == s) => None,
            Some(Role::Unknown(u)) if self.unknowns.get(u).is_some_and(|x| x.term == s) => {
                (!unknowns_allowed).then(|| format!("the unknown `{}`", self.unknowns[u].name))
            }
            _ => Some(format!("`{}`", crate::lts::print_term(self, s))),
        })
    }
}

/// Whether a text can be the name of a location or a system.
pub fn is_label(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c == '`' || c.is_control())
}

/// Whether a text can be the name of a variable or an unknown: it must not look like `old(x)` or a copy, `x@3`.
pub fn is_name(name: &str) -> bool {
    is_label(name) && !name.contains(['(', ')', '@', '$', '|', '\\'])
}

/// The four sinks with their names, in the order of their ids.
pub const SINKS: [(LocId, &str); 4] =
    [(LocId::EXIT, "EXIT"), (LocId::STOP, "STOP"), (LocId::TRAP, "TRAP"), (LocId::UB, "UB")];

impl LocId {
    /// The entry returned.
    pub const EXIT: Self = Self::sink(0);
    /// An assume was violated: the run does not count.
    pub const STOP: Self = Self::sink(1);
    /// Abort, exit, an uncaught exception or a panic.
    pub const TRAP: Self = Self::sink(2);
    /// Undefined behaviour.
    pub const UB: Self = Self::sink(3);

    /// Whether runs end here.
    pub fn is_sink(self) -> bool {
        self <= Self::UB
    }
}
