//! What a program says of its source and a transition system does not: names, types, and the lines that an edge passes.

use dashu_int::IBig;
use lariat_ir::neutral::{IntType, MemInit, Origin, Origins, Program, Recursion, Site, Visit};
use lariat_ir::{Bits, EdgeId, Format, Id, Span, TransitionSystem, UnknownId, Value, VarId, float};
use std::collections::{BTreeMap, BTreeSet};

/// What a program says of its source. Of an `.lts` file nothing is known.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Variables and unknowns of unsigned types, by their names.
    unsigned: BTreeSet<String>,
    /// The variables that start with one value.
    fixed: BTreeSet<String>,
    /// How many variables there are; the memories follow them.
    vars: usize,
    /// The cells of each memory.
    cells: Vec<IntType>,
    /// The types of the unknowns, and the least and the greatest value where they are not the type's.
    unknowns: Vec<(IntType, Option<(IBig, IBig)>)>,
    /// Where unknowns come from.
    origins_of: Vec<Option<Origin>>,
    /// For each location and each of its cases, what is passed.
    trails: Vec<Vec<Vec<Visit>>>,
    /// The functions that locations are in.
    functions: BTreeSet<String>,
    /// The rest.
    pub origins: Origins,
}

impl Source {
    /// What a program says; of its other form, if it has two, what the variables there are.
    pub fn of(program: &Program) -> Self {
        let mut source = Self::of_form(program);
        if let Recursion::Resumed { ending } = &program.recursion {
            let Self { unsigned, fixed, functions, .. } = Self::of_form(ending);
            source.unsigned.extend(unsigned);
            source.fixed.extend(fixed);
            source.functions.extend(functions);
        }
        source
    }
    fn of_form(program: &Program) -> Self {
        let vars = program.vars.iter().map(|(name, ty)| (name, *ty));
        let unknowns = program.unknowns.iter().map(|u| (&u.name, u.ty));
        let mems = program.mems.iter().map(|m| (&m.name, m.cell));
        let all = vars.chain(unknowns).chain(mems).chain(program.mem_unknowns.iter().map(|u| (&u.name, u.cell)));
        let fixed = program.init.iter().filter(|(_, value)| value.is_some());
        let filled = program.mems.iter().filter(|m| m.init != MemInit::Any);
        Self {
            unsigned: all.filter(|(_, ty)| !ty.signed).map(|(name, _)| name.clone()).collect(),
            fixed: fixed.map(|(v, _)| program.vars[*v].0.clone()).chain(filled.map(|m| m.name.clone())).collect(),
            vars: program.vars.len(),
            cells: program.mems.iter().map(|m| m.cell).collect(),
            unknowns: program.unknowns.iter().map(|u| (u.ty, u.range.clone())).collect(),
            origins_of: program.unknowns.iter().map(|u| u.origin.clone()).collect(),
            trails: program.locs.iter().map(|l| l.cases.iter().map(|c| c.trail.clone()).collect()).collect(),
            functions: program.locs.iter().filter_map(|l| l.function.clone()).collect(),
            origins: program.origins.clone(),
        }
    }

    /// Whether a program was read from a source.
    pub fn is_known(&self) -> bool {
        !self.trails.is_empty()
    }
    /// What an edge passes, in order; nothing for an edge on which values are only chosen.
    pub fn trail(&self, ts: &TransitionSystem, edge: EdgeId) -> Option<&[Visit]> {
        let (at, case) = ts.cases.get(&edge)?;
        Some(self.trails.get(*at)?.get(*case)?)
    }
    /// Where an unknown comes from.
    pub fn origin(&self, u: UnknownId) -> Option<&Origin> {
        self.origins_of.get(u.index())?.as_ref()
    }
    /// The type of an unknown.
    pub fn type_of(&self, u: UnknownId) -> Option<IntType> {
        self.unknowns.get(u.index()).map(|(ty, _)| *ty)
    }
    /// The number that a program sees when an unknown of its system has a value: where machine integers have a range, what is
    /// outside stands for the least one.
    pub fn seen(&self, u: UnknownId, value: &Value) -> Option<IBig> {
        let (ty, range) = self.unknowns.get(u.index())?;
        let number = match value {
            Value::Bv(b) if ty.signed => IBig::from(b.signed()),
            Value::Bv(b) => IBig::from(b.unsigned()),
            Value::Int(i) => i.clone(),
            Value::Bool(_) | Value::Array(_) => return None,
        };
        Some(match range {
            Some((low, high)) if number < *low || number > *high => low.clone(),
            _ => number,
        })
    }
    /// The number that an unknown has, if it is a floating-point one.
    pub fn float(&self, u: UnknownId, value: &Value) -> Option<String> {
        let (ty, _) = self.unknowns.get(u.index())?;
        let known = self.origins.floats.contains(&u.index()) && Format::of_width(ty.width).is_some();
        let pattern = if known { self.seen(u, value) } else { None };
        Some(float::decimal(Bits::from_int(ty.width, &pattern?)))
    }
    /// A place as reports write it.
    pub fn span(&self, site: Site) -> Option<Span> {
        self.origins.span(site)
    }
    /// The memory that a variable of a system holds.
    pub fn mem_of(&self, v: VarId) -> Option<usize> {
        v.index().checked_sub(self.vars).filter(|m| *m < self.cells.len())
    }
    /// The variable of a system that holds a memory.
    pub fn mem_var(&self, mem: usize) -> VarId {
        VarId::from_index(self.vars + mem)
    }
    /// The type of a memory's cells.
    pub fn cell_type(&self, mem: usize) -> Option<IntType> {
        self.cells.get(mem).copied()
    }
    /// Whether a variable is of an unsigned type.
    pub fn is_unsigned(&self, name: &str) -> bool {
        self.unsigned.contains(name)
    }
    /// Whether a variable starts with one value.
    pub fn is_fixed(&self, name: &str) -> bool {
        self.fixed.contains(name)
    }

    /// Whether a variable of a system is one that a reader knows: a variable of the source, or of an `.lts` file.
    pub fn is_visible(&self, ts: &TransitionSystem, v: VarId) -> bool {
        let name = &ts.vars[v].name;
        // The lowering made these: whether another one is poisoned, an unknown value that is kept, which cells are exact.
        let of_var = |suffix: &str| name.strip_suffix(suffix).is_some_and(|base| ts.var_named(base).is_some());
        let of_unknown = name.strip_suffix(".value").is_some_and(|base| ts.unknown_named(base).is_some());
        if of_var(".poison") || of_var(".written") || of_unknown {
            return false;
        }
        match self.mem_of(v) {
            Some(mem) => self.origins.cells.iter().any(|c| c.mem == mem),
            None => !self.origins.made.contains(&v.index()),
        }
    }

    /// What a reader calls a variable, seen from a function: locals of that function have their plain names.
    pub fn name(&self, name: &str, function: Option<&str>) -> String {
        let Some((head, rest)) = name.split_once('.') else { return name.to_owned() };
        if function == Some(head) && self.functions.contains(head) { rest.to_owned() } else { name.to_owned() }
    }

    /// Whether a variable is a local one of another function than this one.
    pub fn is_local_elsewhere(&self, name: &str, function: Option<&str>) -> bool {
        name.split_once('.').is_some_and(|(head, _)| function != Some(head) && self.functions.contains(head))
    }

    /// A number as a reader writes it.
    pub fn number(&self, name: &str, value: &Value) -> String {
        match value {
            Value::Bv(b) if b.width() == 1 || self.unsigned.contains(name) => b.unsigned().to_string(),
            Value::Bv(b) => b.signed().to_string(),
            other => other.to_string(),
        }
    }
}

/// The cells of an array that differ from what they were before, or from most others.
pub fn changed_cells(before: Option<&Value>, now: &Value) -> BTreeMap<Value, Value> {
    let Value::Array(now) = now else { return BTreeMap::new() };
    let old = match before {
        Some(Value::Array(a)) => Some(a),
        _ => None,
    };
    let mut found = BTreeMap::new();
    for index in now.cells().keys().chain(old.iter().flat_map(|a| a.cells().keys())) {
        let was = old.map_or(now.default_value(), |a| a.get(index));
        if now.get(index) != was {
            found.insert(index.clone(), now.get(index).clone());
        }
    }
    found
}
