//! Views of the runs in which a number is as it should be when the loop is entered.
//!
//! `while (n > d) n -= d` ends unless `d` is at most 0, and nothing in the loop shows that it is not. So its view begins where a condition holds, and
//! what is said of it has that condition.
//!
//! **Why the loop then ends.** Let an activation of the function enter the loop in a state in which the condition holds, and stay in it for ever. The loop is entered at
//! its header only (else there is no such view), so that state is the one of the first visit of the header. The view begins in all states in which the condition holds of
//! what is kept, this one among them, and its steps are those of the loop, as in every view. So it has an infinite run.
//!
//! The condition is on the values at the header when the loop is entered, not on those at the beginning of the function, and it must hold whenever the loop is entered.

use super::derive::{derive_from, describe};
use super::places::Places;
use super::{Keep, Refusal, Site, Start, View, enters_elsewhere};
use lariat_ir::neutral::{CmpOp, IntType};
use std::collections::BTreeSet;

/// A comparison of what is kept when the loop is entered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// A variable or a place.
    pub left: usize,
    /// How it is compared.
    pub op: CmpOp,
    /// With what.
    pub right: Against,
}

/// What something is compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Against {
    /// A number.
    Number(i32),
    /// Another variable or place.
    Kept(usize),
}

/// A comparison as a reader sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    text: String,
}

impl std::fmt::Display for Compared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`", self.text)
    }
}

/// Makes the view of a loop that begins where a comparison holds.
pub fn derive_given(site: Site<'_>, places: &Places, keep: &Keep, given: &Given) -> Result<View, Refusal> {
    if keep.start != Start::Anywhere || enters_elsewhere(site, site.of) {
        return Err(Refusal::Irreducible);
    }
    let (left, ty, _) = describe(site, places, given.left);
    let right = match &given.right {
        Against::Number(n) => n.to_string(),
        Against::Kept(v) => describe(site, places, *v).0,
    };
    let op = match given.op {
        CmpOp::Gt if !ty.signed && given.right == Against::Number(0) => "!=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
        CmpOp::Gt => ">",
        CmpOp::Ge => ">=",
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
    };
    let compared = Compared { text: format!("{left} {op} {right}") };
    derive_from(site, places, keep, (compared, given))
}

/// Comparisons that may be all that is missing, the weakest first: whoever searches tries them.
pub fn comparisons(site: Site<'_>, places: &Places, keep: &Keep, exits: &BTreeSet<usize>) -> Vec<Given> {
    let address = site.functions.address;
    let known: Vec<(usize, IntType)> = keep
        .vars
        .iter()
        .filter_map(|v| {
            let (_, ty, is_named) = describe(site, places, *v);
            (is_named && ty.width >= 8).then_some((*v, ty))
        })
        .collect();
    let mut found = Vec::new();
    let numbers: Vec<&(usize, IntType)> = known.iter().filter(|(_, ty)| *ty != address).collect();
    let mut with = |left: usize, op: CmpOp, right: Against| found.push(Given { left, op, right });
    for (v, ty) in &numbers {
        // Of a number without a sign that is the same, and easier to ask.
        with(*v, if ty.signed { CmpOp::Ne } else { CmpOp::Gt }, Against::Number(0));
        if ty.signed {
            with(*v, CmpOp::Gt, Against::Number(0));
        }
    }
    let asked: Vec<&(usize, IntType)> = known.iter().filter(|(v, _)| exits.contains(v)).collect();
    for (n, (a, ty)) in asked.iter().enumerate() {
        for (b, _) in asked[n + 1..].iter().filter(|(_, other)| other == ty) {
            with(*a, CmpOp::Le, Against::Kept(*b));
            with(*a, CmpOp::Ge, Against::Kept(*b));
        }
    }
    for (v, ty) in &numbers {
        if ty.signed {
            with(*v, CmpOp::Ge, Against::Number(0));
            with(*v, CmpOp::Lt, Against::Number(0));
        }
        // What is divided by 1 stays as it is.
        with(*v, CmpOp::Gt, Against::Number(1));
    }
    found
}
