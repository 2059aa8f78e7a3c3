//! Loops of the source, as systems carry them.
//!
//! One loop of the source occurs many times: in each integer semantics, in both forms of a program with recursion, at each call of
//! its function, in each entry. All that belongs together has one [`LoopKey`]; within an entry an instance of the function tells copies
//! apart. A system lists the copies that it holds, and each location names the innermost one that it lies in.
//!
//! What this promises, and `lariat_check::compose` builds on: a run of the program that stays in a copy for ever is, in each system
//! that has all runs of the program, one that stays for ever in locations within that copy.

use crate::ids::{IdVec, SourceId};
use crate::system::Span;
use std::fmt;

/// What goes round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SourceKind {
    /// A loop of one function: a cycle of its blocks. What is called from within belongs to it.
    Loop,
    /// A function that is called while it is being executed. All of its code and of what it calls belongs to it.
    Recursion,
}

impl SourceKind {
    /// The word of the text form.
    pub fn word(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Recursion => "recursion",
        }
    }
}

/// The identity of a loop of the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopKey {
    /// Where it stands.
    pub span: Option<Span>,
    /// The linkage name of its function: templates make several functions at one place.
    pub function: String,
    /// What it is.
    pub kind: SourceKind,
    /// Its number, from 0, among the loops of the function at this place: macros make several.
    pub ordinal: u32,
}

impl fmt::Display for LoopKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} of `{}`", self.kind.word(), self.function)?;
        if let Some(span) = &self.span {
            write!(f, " at {span}")?;
        }
        if self.ordinal > 0 { write!(f, " (number {})", self.ordinal + 1) } else { Ok(()) }
    }
}

/// A loop of the source in one instance of its function. Entries count their instances each for itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopCopy {
    /// Which loop it is.
    pub key: LoopKey,
    /// The instance of the function.
    pub instance: u32,
}

/// A copy in the list of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLoop {
    /// Which one it is.
    pub copy: LoopCopy,
    /// The smallest one around it; it stands before it in the list.
    pub parent: Option<SourceId>,
}

/// What is wrong with a list of copies; nothing if each is listed once and behind the one around it.
pub fn defect(sources: &IdVec<SourceId, SourceLoop>) -> Option<String> {
    let mut seen = std::collections::HashSet::new();
    sources.entries().find_map(|(id, s)| {
        let text = || format!("{} in the instance {}", s.copy.key, s.copy.instance);
        if !seen.insert(&s.copy) {
            return Some(format!("{} is listed twice", text()));
        }
        s.parent.is_some_and(|p| p >= id).then(|| format!("{} is listed before what is around it", text()))
    })
}

/// The copies around a place, the innermost first.
pub fn around(sources: &IdVec<SourceId, SourceLoop>, innermost: Option<SourceId>) -> impl Iterator<Item = SourceId> {
    std::iter::successors(innermost, |s| sources[*s].parent)
}

/// The smallest copy that holds all of some places, each given by the innermost copy it lies in; nothing if there is none, or no place.
pub fn common(
    sources: &IdVec<SourceId, SourceLoop>,
    places: impl IntoIterator<Item = Option<SourceId>>,
) -> Option<SourceId> {
    let mut places = places.into_iter();
    let mut found = places.next()??;
    for place in places {
        let chain: Vec<SourceId> = around(sources, place).collect();
        found = around(sources, Some(found)).find(|s| chain.contains(s))?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    fn copy(function: &str, instance: u32, parent: Option<usize>) -> SourceLoop {
        let key = LoopKey { span: None, function: function.to_owned(), kind: SourceKind::Loop, ordinal: 0 };
        SourceLoop { copy: LoopCopy { key, instance }, parent: parent.map(SourceId::from_index) }
    }

    #[test]
    fn the_smallest_copy_that_holds_all_is_found() {
        // 0 holds 1 and 2, 1 holds 3; 4 stands alone.
        let parents = [None, Some(0), Some(0), Some(1), None];
        let list: IdVec<SourceId, SourceLoop> = parents.iter().zip(0..).map(|(p, i)| copy("f", i, *p)).collect();
        let of =
            |places: &[Option<usize>]| common(&list, places.iter().map(|p| p.map(SourceId::from_index))).map(Id::index);
        assert_eq!(of(&[Some(3)]), Some(3));
        assert_eq!(of(&[Some(3), Some(1)]), Some(1));
        assert_eq!(of(&[Some(3), Some(2)]), Some(0));
        assert_eq!(of(&[Some(2), Some(0), Some(3)]), Some(0));
        assert_eq!(of(&[Some(3), Some(4)]), None);
        assert_eq!(of(&[Some(3), None]), None);
        assert_eq!(of(&[None, Some(3)]), None);
        assert_eq!(of(&[]), None);
        assert_eq!(defect(&list), None);
    }

    #[test]
    fn a_copy_is_listed_once_and_behind_what_is_around_it() {
        let twice: IdVec<SourceId, SourceLoop> = [copy("f", 0, None), copy("f", 0, None)].into_iter().collect();
        assert!(defect(&twice).is_some_and(|d| d.contains("twice")));
        let before: IdVec<SourceId, SourceLoop> = [copy("f", 0, Some(0))].into_iter().collect();
        assert!(defect(&before).is_some_and(|d| d.contains("before")));
    }
}
