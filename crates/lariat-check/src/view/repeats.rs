//! Loops whose iterations know nothing but their cursor: they run for ever exactly if the cursor comes back.
//!
//! A loop over a list that changes nothing on its way ends under the [condition](super::links) that no cycle is reached. For some of these loops the
//! opposite is true as well, and then the condition says all there is to say.
//!
//! **What is checked.** Let `R` be the variables on which any condition in the loop depends, that of a branch, of an address that is accessed, or of behaviour that
//! is defined.
//!
//! - Of the variables in `R` that the loop assigns, none but the cursor holds a value at the header that an iteration may read.
//! - What is loaded into a variable of `R` is in memory that nothing in the loop writes, by what [`Places`] knows, and in no local object: what nobody has written there
//!   may be something else at each read.
//! - No variable of `R` gets a value that nobody knows, and no signed arithmetic that may overflow is made of them, but for addresses.
//! - Nothing is computed that may be undefined, whatever becomes of it, but for signed overflow: no division, shift or conversion to an integer without a test before it, which decides.
//! - There are no calls, no loops inside, and no ends at which nobody knows where control goes on.
//!
//! **Why it then runs for ever exactly if the cursor comes back.** What an iteration does, leaving the loop or undefined behaviour included, is a function of the cursor at its beginning: all
//! else that decides is the same in all iterations. So if two iterations of a run begin with one address, the run repeats what lies between them for ever; no condition of it is an overflow,
//! and what overflows elsewhere decides nothing. If no two iterations begin with one address there are finitely many of them, since there are finitely many addresses.

use super::places::{Names, Place, Places, Where, assigned, object_of};
use super::symbolic::{read_first, reads_of, vars_of, vars_of_cond};
use super::{Site, Start};
use lariat_ir::function::{End, ObjectRef, Step};
use lariat_ir::neutral::{BinaryOp, Cond, Expr, IntType, Overflow};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a loop runs for ever exactly if a variable, its cursor, comes back to a value that it had at the header. It may rest on the types of the source, which
/// [`Places::uses_types`] says then.
pub(super) fn runs_for_ever_exactly_if_it_repeats(site: Site<'_>, places: &Places, cursor: usize) -> bool {
    cursor < places.first
        && site.passed(Start::Anywhere).is_empty()
        && has_known_ends(site)
        && only_the_cursor_is_carried(site, cursor)
        && memory_stays(site, places)
}

/// The steps of the loop.
fn steps(site: Site<'_>) -> impl Iterator<Item = &Step> {
    site.body().iter().flat_map(move |b| &site.function().blocks[*b].steps)
}

fn has_known_ends(site: Site<'_>) -> bool {
    let ends = site.body().iter().map(|b| &site.function().blocks[*b].end);
    ends.into_iter().all(|end| !matches!(end, End::Choose(_))) && steps(site).all(|s| !matches!(s, Step::Call(_)))
}

/// The variables on which the conditions of the loop depend.
fn deciding(site: Site<'_>) -> BTreeSet<usize> {
    let mut made_of: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for step in steps(site) {
        let read = reads_of(step);
        match step {
            Step::Require(_) | Step::Store { .. } | Step::Call(_) => {}
            Step::Assign { .. } | Step::Fresh { .. } | Step::Load { .. } => {
                made_of.entry(step.assigns().expect("these assign")).or_default().extend(&read);
            }
        }
        match step {
            Step::Require(c) => vars_of_cond(c, &mut found),
            Step::Load { at, .. } | Step::Store { at, .. } => vars_of(&at.address, &mut found),
            Step::Assign { .. } | Step::Fresh { .. } | Step::Call(_) => {}
        }
    }
    for b in site.body() {
        match &site.function().blocks[*b].end {
            End::Branch { cond, .. } => vars_of_cond(cond, &mut found),
            End::Switch { value, .. } => vars_of(value, &mut found),
            End::Jump(_) | End::Choose(_) | End::Return(_) | End::Gone | End::Ub => {}
        }
    }
    let mut work: Vec<usize> = found.iter().copied().collect();
    while let Some(v) = work.pop() {
        work.extend(made_of.get(&v).into_iter().flatten().copied().filter(|w| found.insert(*w)));
    }
    found
}

/// Whether no other variable that decides something takes a value from one iteration into the next, and all of them have values that are known.
fn only_the_cursor_is_carried(site: Site<'_>, cursor: usize) -> bool {
    let function = site.function();
    let deciding = deciding(site);
    let changed = assigned(site, site.body());
    let carried = read_at_header(site);
    let is_carried = |v: &usize| *v != cursor && changed.contains(v) && carried.contains(v);
    if deciding.iter().any(is_carried) {
        return false;
    }
    let address = site.functions.address;
    let is_exact = |step: &Step| match step {
        Step::Assign { var, value } => !deciding.contains(var) || never_overflows(value, address),
        Step::Fresh { var } => !deciding.contains(var),
        // What is no number has no value here.
        Step::Load { var, at } => {
            never_overflows(&at.address, address) && (!deciding.contains(var) || at.ty.is_some() && at.bytes.is_some())
        }
        Step::Store { at, .. } => never_overflows(&at.address, address),
        Step::Require(c) => never_overflows_in(c, address),
        Step::Call(_) => false,
    };
    let ends = site.body().iter().map(|b| &function.blocks[*b].end);
    steps(site).all(is_exact)
        && ends.into_iter().all(|end| match end {
            End::Branch { cond, .. } => never_overflows_in(cond, address),
            End::Switch { value, .. } => never_overflows(value, address),
            _ => true,
        })
}

/// The variables whose values at the header an iteration may read.
fn read_at_header(site: Site<'_>) -> BTreeSet<usize> {
    let function = site.function();
    let mut live: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    loop {
        let mut grown = false;
        for b in site.body().iter().rev() {
            let block = &function.blocks[*b];
            let mut before: BTreeSet<usize> = BTreeSet::new();
            for to in block.end.targets() {
                before.extend(live.get(&to).into_iter().flatten());
            }
            for v in block.steps.iter().filter_map(Step::assigns) {
                before.remove(&v);
            }
            read_first(block, &mut before);
            let known = live.entry(*b).or_default();
            grown |= *known != before;
            *known = before;
        }
        if !grown {
            return live.remove(&function.loops[site.of].header).unwrap_or_default();
        }
    }
}

/// Whether nothing in the loop writes what it loads in order to decide something.
fn memory_stays(site: Site<'_>, places: &Places) -> bool {
    let deciding = deciding(site);
    let mut loads: Vec<(Place, Where)> = Vec::new();
    for b in site.body() {
        let mut names = Names::default();
        for step in &site.function().blocks[*b].steps {
            if let Step::Load { var, at } = step
                && deciding.contains(var)
                && let (Some(bytes), Some(ty)) = (at.bytes, at.ty)
            {
                // The address of an object is the same in all blocks. What is in no object that is named is in no private one.
                let here = match names.locate(&at.address) {
                    here @ (Where::At(s, _) | Where::In(s)) => match object_of(site, s) {
                        Some((ObjectRef::Local(_), _)) => return false,
                        Some(_) => here,
                        None => Where::Anywhere,
                    },
                    Where::Anywhere => Where::Anywhere,
                };
                loads.push((Place::alone(0, bytes, ty, at.by.clone()), here));
            }
            names.step(site, places, step);
        }
    }
    site.body().iter().all(|b| {
        let mut names = Names::default();
        site.function().blocks[*b].steps.iter().all(|step| {
            let written = names.writes(site, step);
            names.step(site, places, step);
            let touches = |w| loads.iter().any(|(l, here)| places.may_touch_at(site, l, *here, w));
            !written.iter().any(touches)
        })
    })
}

/// Whether an expression has no signed arithmetic that may overflow; that of addresses stays within objects.
fn never_overflows(e: &Expr, address: IntType) -> bool {
    let ok = |overflow: &Overflow, ty: &IntType| *overflow == Overflow::Wraps || *ty == address;
    match e {
        Expr::Var(_) | Expr::Const(..) => true,
        Expr::Unary { ty, overflow, arg, .. } => ok(overflow, ty) && never_overflows(arg, address),
        Expr::Binary { op: BinaryOp::Shl | BinaryOp::Shr, right, .. } if !matches!(**right, Expr::Const(..)) => false,
        Expr::Binary { ty, overflow, left, right, .. } => {
            ok(overflow, ty) && never_overflows(left, address) && never_overflows(right, address)
        }
        Expr::Cast { arg, .. } => never_overflows(arg, address),
        Expr::Ite(c, a, b) => {
            never_overflows_in(c, address) && never_overflows(a, address) && never_overflows(b, address)
        }
        Expr::Unknown(_) | Expr::Load { .. } | Expr::Join(_) | Expr::Promised { .. } | Expr::Float { .. } => false,
    }
}

fn never_overflows_in(c: &Cond, address: IntType) -> bool {
    match c {
        Cond::Const(_) => true,
        Cond::Cmp { left, right, .. } => never_overflows(left, address) && never_overflows(right, address),
        Cond::And(a, b) | Cond::Or(a, b) => never_overflows_in(a, address) && never_overflows_in(b, address),
        Cond::Not(a) => never_overflows_in(a, address),
        Cond::Float { .. } => false,
    }
}
