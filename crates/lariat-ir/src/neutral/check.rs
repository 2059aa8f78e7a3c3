//! What makes a neutral program one: its parts have types that agree.

use super::memo::{Memo, Part};
use super::{Case, Expr, Goto, IntType, Location, MemInit, MemUpdate, Program, floats};
use crate::sort::MAX_WIDTH;
use crate::source;
use dashu_int::IBig;
use std::collections::BTreeSet;

/// The type of an expression, nothing for a condition, or what is wrong.
type Typed = Result<Option<IntType>, String>;
type Types<'p> = Memo<'p, Typed>;

fn sound(ty: IntType) -> Result<IntType, String> {
    if (1..=MAX_WIDTH).contains(&ty.width) { Ok(ty) } else { Err(format!("there is no type {ty:?}")) }
}

fn same(what: &str, want: IntType, got: IntType) -> Result<(), String> {
    if want == got { Ok(()) } else { Err(format!("{what} has the type {got:?} and should have {want:?}")) }
}

impl Program {
    /// The type of an expression, or what is wrong with it.
    pub fn type_of(&self, expr: &Expr) -> Result<IntType, String> {
        self.type_in(&mut Memo::new(), expr)
    }

    fn type_in<'p>(&self, types: &mut Types<'p>, expr: &'p Expr) -> Result<IntType, String> {
        Ok(self.check_part(types, Part::Expr(expr))?.expect("an expression has a type"))
    }

    fn check_part<'p>(&self, types: &mut Types<'p>, root: Part<'p>) -> Typed {
        let mut open = vec![(root, false)];
        while let Some(part) = types.next(&mut open) {
            let found = self.check_one(types, part);
            types.insert(part, found);
        }
        types.get(root).clone()
    }

    /// The type of a part, given those of its arguments.
    fn check_one<'p>(&self, types: &Types<'p>, part: Part<'p>) -> Typed {
        use super::Cond;
        let of = |e: &'p Expr| types.expr(e).clone().map(|ty| ty.expect("an expression has a type"));
        let holds = |c: &'p Cond| types.cond(c).clone().map(|_| ());
        match part {
            Part::Expr(e) => match e {
                Expr::Var(v) => self.vars.get(*v).map(|(_, ty)| *ty).ok_or_else(|| format!("there is no variable {v}")),
                Expr::Unknown(u) => {
                    self.unknowns.get(*u).map(|u| u.ty).ok_or_else(|| format!("there is no unknown {u}"))
                }
                Expr::Const(value, ty) if sound(*ty)?.contains(value) => Ok(*ty),
                Expr::Const(value, ty) => Err(format!("{value} is no value of {ty:?}")),
                Expr::Unary { ty, arg, .. } => same("an operand", sound(*ty)?, of(arg)?).map(|()| *ty),
                Expr::Binary { ty, left, right, .. } => {
                    same("a left operand", sound(*ty)?, of(left)?)?;
                    same("a right operand", *ty, of(right)?).map(|()| *ty)
                }
                Expr::Cast { from, to, arg } => {
                    same("the operand of a conversion", *from, of(arg)?)?;
                    sound(*to)
                }
                Expr::Ite(cond, yes, no) => {
                    holds(cond)?;
                    let ty = of(yes)?;
                    same("the second branch of a choice", ty, of(no)?).map(|()| ty)
                }
                Expr::Load { mem, address } => {
                    same("an address", self.address, of(address)?)?;
                    self.mems.get(*mem).map(|m| m.cell).ok_or_else(|| format!("there is no memory {mem}"))
                }
                Expr::Promised { kept, value } => {
                    holds(kept)?;
                    of(value)
                }
                Expr::Join(parts) => {
                    let mut width = 0;
                    for p in parts {
                        let ty = of(p)?;
                        same("a part of a joined value", IntType::unsigned(ty.width), ty)?;
                        width += ty.width;
                    }
                    sound(IntType::unsigned(width))
                }
                Expr::Float { op, args } => {
                    let types = args.iter().map(|a| of(a)).collect::<Result<Vec<IntType>, String>>()?;
                    floats::type_of(*op, &types)?.ok_or_else(|| format!("`{}` is a condition", op.name()))
                }
            }
            .map(Some),
            Part::Cond(c) => match c {
                Cond::Const(_) => Ok(()),
                Cond::Cmp { ty, left, right, .. } => {
                    same("the left side of a comparison", sound(*ty)?, of(left)?)?;
                    same("the right side of a comparison", *ty, of(right)?)
                }
                Cond::Float { op, args: [a, b] } => match floats::type_of(*op, &[of(a)?, of(b)?])? {
                    None => Ok(()),
                    Some(_) => Err(format!("`{}` is no condition", op.name())),
                },
                Cond::And(a, b) | Cond::Or(a, b) => holds(a).and_then(|()| holds(b)),
                Cond::Not(a) => holds(a),
            }
            .map(|()| None),
        }
    }

    /// What is wrong with this program; [`super::lower`] asks for one of which this says nothing.
    pub fn defects(&self) -> Vec<String> {
        let mut found = self.declaration_defects();
        found.extend(source::defect(&self.sources));
        let mut types = Memo::new();
        let mut names = BTreeSet::new();
        for loc in &self.locs {
            if !names.insert(&loc.name) {
                found.push(format!("the location `{}` stands twice", loc.name));
            }
            if loc.within.is_some_and(|s| self.sources.get(s).is_none()) {
                found.push(format!("`{}` lies in a loop of the source that is not listed", loc.name));
            }
            for problem in self.location_defects(&mut types, loc) {
                found.push(format!("at `{}`: {problem}", loc.name));
            }
        }
        if self.entry >= self.locs.len() {
            found.push(format!("there is no location {} to enter", self.entry));
        }
        let mut set = BTreeSet::new();
        for (v, value) in &self.init {
            match (self.vars.get(*v), value) {
                (None, _) => found.push(format!("an initial value for the variable {v}, which there is not")),
                (Some((name, ty)), Some(value)) if !ty.contains(value) => {
                    found.push(format!("the initial value {value} of `{name}` is no value of its type"));
                }
                _ => {}
            }
            if !set.insert(*v) {
                found.push(format!("two initial values for the variable {v}"));
            }
        }
        found
    }

    /// What is wrong with variables, unknowns and memories.
    fn declaration_defects(&self) -> Vec<String> {
        let mut found = Vec::new();
        let scalars = self.vars.iter().map(|(_, ty)| *ty).chain(self.unknowns.iter().map(|u| u.ty));
        let cells = self.mems.iter().map(|m| m.cell).chain(self.mem_unknowns.iter().map(|u| u.cell));
        let types: Vec<IntType> = scalars.chain(cells).chain([self.address]).collect();
        found.extend(types.into_iter().filter_map(|ty| sound(ty).err()));
        if !found.is_empty() {
            // Nothing can be said of the values of a type that does not exist.
            return found;
        }
        let scalars = self.vars.iter().map(|(n, _)| n).chain(self.unknowns.iter().map(|u| &u.name));
        let memories = self.mems.iter().map(|m| &m.name).chain(self.mem_unknowns.iter().map(|u| &u.name));
        let mut names = BTreeSet::new();
        for name in scalars.chain(memories) {
            if !names.insert(name) {
                found.push(format!("`{name}` is declared twice"));
            }
        }
        for u in &self.unknowns {
            if let Some((low, high)) = &u.range
                && !(low <= high && u.ty.contains(low) && u.ty.contains(high))
            {
                found.push(format!("{low} to {high} is no range of values of `{}`", u.name));
            }
        }
        for m in &self.mems {
            if let MemInit::Cells { default, cells } = &m.init {
                for value in cells.iter().map(|(_, v)| v).chain([default]).filter(|v| !m.cell.contains(v)) {
                    found.push(format!("the initial value {value} in `{}` is no value of its cells", m.name));
                }
                let mut seen: BTreeSet<&IBig> = BTreeSet::new();
                for (address, _) in cells {
                    if !self.address.contains(address) {
                        found.push(format!("the initial value of `{}` at {address}, which is no address", m.name));
                    }
                    if !seen.insert(address) {
                        found.push(format!("two initial values of `{}` at {address}", m.name));
                    }
                }
            }
        }
        found
    }

    fn location_defects<'p>(&'p self, types: &mut Types<'p>, loc: &'p Location) -> Vec<String> {
        let mut found = Vec::new();
        let last = loc.cases.len().saturating_sub(1);
        if loc.cases.is_empty() {
            found.push("no cases; end the chain with an `else`".to_owned());
        }
        for (i, case) in loc.cases.iter().enumerate() {
            match &case.cond {
                Some(cond) => {
                    found.extend(self.check_part(types, Part::Cond(cond)).err());
                    if i == last {
                        found.push("the last case has a condition; end the chain with an `else`".to_owned());
                    }
                }
                None if i < last => found.push("a case after the `else`".to_owned()),
                None => {}
            }
            let mut changed = BTreeSet::new();
            for (v, e) in &case.assigns {
                let Some((name, ty)) = self.vars.get(*v) else {
                    found.push(format!("an assignment to the variable {v}, which there is not"));
                    continue;
                };
                if !changed.insert(*v) {
                    found.push(format!("two assignments to `{name}` in one case"));
                }
                let what = format!("the new value of `{name}`");
                found.extend(self.type_in(types, e).and_then(|got| same(&what, *ty, got)).err());
            }
            found.extend(case.stores.iter().filter_map(|s| self.check_store(types, s).err()));
            found.extend(case.evaluates.iter().filter_map(|e| self.type_in(types, e).err()));
            found.extend(self.reference_defects(case));
        }
        found
    }

    fn check_store<'p>(&'p self, types: &mut Types<'p>, update: &'p MemUpdate) -> Result<(), String> {
        let memory = |m: usize| self.mems.get(m).ok_or_else(|| format!("there is no memory {m}"));
        match update {
            MemUpdate::Store { mem, address, value } => {
                same("the address of a store", self.address, self.type_in(types, address)?)?;
                same("a stored value", memory(*mem)?.cell, self.type_in(types, value)?)
            }
            MemUpdate::Forget { mem, unknown } => {
                let content =
                    self.mem_unknowns.get(*unknown).ok_or_else(|| format!("there is no unknown content {unknown}"))?;
                same("an unknown content", memory(*mem)?.cell, content.cell)
            }
        }
    }

    /// Where a case mentions what there is not.
    fn reference_defects(&self, case: &Case) -> Vec<String> {
        let mut found = Vec::new();
        if let Goto::Loc(to) = case.target
            && to >= self.locs.len()
        {
            found.push(format!("a case goes to the location {to}, which there is not"));
        }
        for a in case.assumes.iter().filter(|a| **a >= self.assumptions.len()) {
            found.push(format!("a case rests on the assumption {a}, which there is not"));
        }
        found
    }
}
