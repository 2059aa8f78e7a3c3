//! Walks over expressions and conditions: each part is looked at once, however often it is shared, and arguments before
//! what they are arguments of, without recursion.

use super::{Cond, Expr};
use crate::fast::FastMap;
use std::marker::PhantomData;

/// An expression or a condition of a program that outlives `'p`.
#[derive(Clone, Copy)]
pub(super) enum Part<'p> {
    Expr(&'p Expr),
    Cond(&'p Cond),
}

impl<'p> Part<'p> {
    /// Where it stands. No expression or condition holds another in place, so that no two have one address.
    pub fn address(self) -> usize {
        match self {
            Self::Expr(e) => std::ptr::from_ref(e).addr(),
            Self::Cond(c) => std::ptr::from_ref(c).addr(),
        }
    }

    /// What it is made of.
    pub fn children(self, mut child: impl FnMut(Part<'p>)) {
        match self {
            Self::Expr(Expr::Var(_) | Expr::Unknown(_) | Expr::Const(..)) | Self::Cond(Cond::Const(_)) => {}
            Self::Expr(Expr::Unary { arg, .. } | Expr::Cast { arg, .. } | Expr::Load { address: arg, .. }) => {
                child(Part::Expr(arg));
            }
            Self::Expr(Expr::Binary { left, right, .. }) | Self::Cond(Cond::Cmp { left, right, .. }) => {
                child(Part::Expr(left));
                child(Part::Expr(right));
            }
            Self::Expr(Expr::Ite(c, a, b)) => {
                child(Part::Cond(c));
                child(Part::Expr(a));
                child(Part::Expr(b));
            }
            Self::Expr(Expr::Float { args, .. }) => args.iter().for_each(|a| child(Part::Expr(a))),
            Self::Cond(Cond::Float { args, .. }) => args.iter().for_each(|a| child(Part::Expr(a))),
            Self::Expr(Expr::Promised { kept, value }) => {
                child(Part::Cond(kept));
                child(Part::Expr(value));
            }
            Self::Expr(Expr::Join(parts)) => parts.iter().for_each(|p| child(Part::Expr(p))),
            Self::Cond(Cond::And(a, b) | Cond::Or(a, b)) => {
                child(Part::Cond(a));
                child(Part::Cond(b));
            }
            Self::Cond(Cond::Not(a)) => child(Part::Cond(a)),
        }
    }
}

/// What is known of parts by their address. They outlive it, so that an address never comes to mean another part.
pub(super) struct Memo<'p, T> {
    known: FastMap<usize, T>,
    parts: PhantomData<Part<'p>>,
}

impl<'p, T> Memo<'p, T> {
    pub fn new() -> Self {
        Self { known: FastMap::default(), parts: PhantomData }
    }

    pub fn contains(&self, part: Part<'p>) -> bool {
        self.known.contains_key(&part.address())
    }
    /// What is known of a part that was met before.
    pub fn get(&self, part: Part<'p>) -> &T {
        &self.known[&part.address()]
    }
    pub fn expr(&self, e: &'p Expr) -> &T {
        self.get(Part::Expr(e))
    }
    pub fn cond(&self, c: &'p Cond) -> &T {
        self.get(Part::Cond(c))
    }

    /// The next part on the way to everything below what is open, arguments first: one of which nothing is known yet, to be
    /// inserted before the next call. A part is open with whether its arguments were opened.
    pub fn next(&self, open: &mut Vec<(Part<'p>, bool)>) -> Option<Part<'p>> {
        while let Some((part, opened)) = open.pop() {
            if self.contains(part) {
                continue;
            }
            if opened {
                return Some(part);
            }
            open.push((part, true));
            part.children(|c| open.push((c, false)));
        }
        None
    }

    pub fn insert(&mut self, part: Part<'p>, value: T) {
        self.known.insert(part.address(), value);
    }
}
