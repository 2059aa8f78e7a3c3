//! Facts about a system that engines share.

use lariat_ir::{LocId, Role, Term, TransitionSystem, VarId};
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// One fact of each type, made when it is first asked for. An engine adds a fact by defining its type.
///
/// The checker believes none of them: what a claim uses, its certificate shows.
#[derive(Default)]
pub struct Board {
    facts: RefCell<HashMap<TypeId, Rc<dyn Any>>>,
}

impl Board {
    /// The fact of this type; `make` computes it at the first call, and may ask for facts of other types.
    pub fn get_or_insert_with<T: 'static>(&self, make: impl FnOnce() -> T) -> Rc<T> {
        let key = TypeId::of::<T>();
        let known = self.facts.borrow().get(&key).cloned();
        let fact = known.unwrap_or_else(|| {
            let made: Rc<dyn Any> = Rc::new(make());
            self.facts.borrow_mut().entry(key).or_insert(made).clone()
        });
        fact.downcast().expect("a fact is kept under its own type")
    }
}

/// The variables that the guards of a region depend on, closed under dependence through its edges.
pub(crate) fn relevant(ts: &TransitionSystem, region: &BTreeSet<LocId>) -> BTreeSet<VarId> {
    let edges: Vec<_> = ts.edges.iter().filter(|e| region.contains(&e.from)).collect();
    let mut found: BTreeSet<VarId> = BTreeSet::new();
    let mut open: Vec<Term> = edges.iter().map(|e| e.guard).collect();
    while let Some(t) = open.pop() {
        for s in ts.terms.symbols(t) {
            if let Some(Role::Var(v)) = ts.terms.role(s)
                && found.insert(v)
            {
                let inner = edges.iter().filter(|e| region.contains(&e.to));
                open.extend(inner.flat_map(|e| &e.updates).filter(|(w, _)| *w == v).map(|(_, new)| *new));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_made_once_and_may_use_others() {
        struct Sum(u32);
        let board = Board::default();
        let sum = || Sum(*board.get_or_insert_with(|| 3_u32) + u32::from(*board.get_or_insert_with(|| 4_u8)));
        assert_eq!(board.get_or_insert_with(sum).0, 7);
        assert_eq!(board.get_or_insert_with(|| -> Sum { unreachable!("it is known") }).0, 7);
        assert_eq!(*board.get_or_insert_with(|| 5_u32), 3);
    }
}
