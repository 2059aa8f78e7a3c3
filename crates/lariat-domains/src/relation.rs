//! What the relational domains have in common.

use crate::interval::Interval;
use crate::linear::{Constraint, Form, Linear};
use std::fmt;

/// Sets of points with integer coordinates, described by linear constraints over numbered dimensions.
///
/// "Holds" speaks of integer points: an implementation may cut off points that have no integer coordinates.
pub trait Relation: Clone + fmt::Debug {
    /// All points with `size` coordinates.
    fn top(size: usize) -> Self;
    /// Whether there is surely no point. A false answer says nothing.
    fn is_empty(&self) -> bool;
    /// Drops points that violate a constraint; no others.
    fn add(&mut self, c: &Constraint);
    /// The values that a sum takes, or more.
    fn bounds(&self, l: &Linear) -> Interval;
    /// Whether every point is one of the other. A false answer says nothing.
    fn leq(&self, other: &Self) -> bool;
    /// Holds the points of both.
    fn join(&self, other: &Self) -> Self;
    /// Holds the points of both; along a chain of widenings the result changes finitely often.
    fn widen(&self, next: &Self) -> Self;
    /// Moves every point: the listed coordinates become numbers that their forms, over the old coordinates, allow, all at
    /// once. Every point that this can give is held.
    fn update(&mut self, updates: &[(usize, Form)]);
    /// Constraints whose common points are exactly those of this set.
    fn constraints(&self) -> Vec<Constraint>;
    /// Drops constraints of the description that are not to be kept; points are only added.
    fn retain(&mut self, keep: &mut dyn FnMut(&Constraint) -> bool);
    /// Brings the description into the form that makes the other operations precise.
    fn close(&mut self) {}

    /// The points of this set that satisfy the constraints of another, or more.
    fn meet(&self, other: &Self) -> Self {
        let mut out = self.clone();
        for c in other.constraints() {
            out.add(&c);
        }
        out
    }
}
