//! Functions with calls: what views are made of (`lariat_check::view`).
//!
//! A function is a graph of blocks. Values that no address leads to (parameters, results of instructions, local variables whose
//! address nobody takes) are variables; everything else is memory, which is read and written by steps of their own. Nothing is entered, nothing
//! is cut: a call names whom it may run and what it may write, and whoever makes a system of a function decides what to forget.
//!
//! **Addresses** are numbers of [`Functions::address`], a signed type that is one bit wider than a pointer: the real address, never
//! negative. An address computation that may leave its object is undefined in C, so a sum of an address and an offset is the
//! real sum, in every integer semantics, or the run has no further say.
//!
//! **Roots.** The address of an object is a variable that nothing assigns ([`Var::object`]).

use crate::assumption::Assumption;
use crate::neutral::{Cond, Expr, IntType};
use crate::source::LoopKey;
use dashu_int::IBig;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The functions of a file that are defined in it.
#[derive(Clone, Debug)]
pub struct Functions {
    /// Each once.
    pub list: Vec<Function>,
    /// Global objects.
    pub globals: Vec<Object>,
    /// The type of addresses.
    pub address: IntType,
    /// The numbers of the functions whose address is taken: the library may run one of them when the program begins, ends, or gets a signal.
    pub taken: Vec<usize>,
    /// The numbers of the functions that nobody but calls here run: no other file sees them, and their address is not taken.
    pub internal: BTreeSet<usize>,
    /// The numbers of the functions that others may replace when the program is linked. Calls have no target then, and whether this body is what they run is not known.
    pub replaceable: BTreeSet<usize>,
    /// That functions return whose address is taken, and whose bodies others may replace when the program is linked.
    pub replaced: Vec<Assumption>,
    /// Whether functions are registered to run when the program ends.
    pub at_exit: bool,
    /// Whether the program starts at an entry here, in `main`: nobody else calls its functions then.
    pub whole: bool,
    /// The numbers of the functions whose loops are told of: all, or those that runs from the entry that was asked for may come to.
    pub told: BTreeSet<usize>,
    /// The numbers of the functions that are analysed as entries.
    pub entries: Vec<usize>,
    /// What everything here rests on.
    pub assumed: Vec<Assumption>,
    /// Whether the initial values of objects hold addresses of each other in a ring.
    pub rings: bool,
    /// The names of members of structs, by the struct's name and the offset: words for a reader.
    pub members: BTreeMap<(String, u64), String>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The linkage name.
    pub name: String,
    /// The name to show.
    pub shown: String,
    /// The variables. The first ones are the parameters.
    pub vars: Vec<Var>,
    /// How many parameters there are.
    pub params: usize,
    /// Local objects that have an address.
    pub locals: Vec<Object>,
    /// The blocks, the entry first.
    pub blocks: Vec<Block>,
    /// The loops, each behind the one around it.
    pub loops: Vec<FunctionLoop>,
    /// Why control may come to a block from elsewhere than its predecessors (`setjmp`): then there are no views.
    pub strange: Option<String>,
}

impl Functions {
    /// The functions that some functions may come to by calls, themselves included.
    pub fn reachable(&self, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut seen: BTreeSet<usize> = from.into_iter().collect();
        let mut work: Vec<usize> = seen.iter().copied().collect();
        while let Some(f) = work.pop() {
            work.extend(self.list[f].callees().into_iter().filter(|g| seen.insert(*g)));
        }
        seen
    }

    /// The functions that runs from the entries may come to.
    pub fn reached(&self) -> BTreeSet<usize> {
        self.reachable(self.entries.iter().chain(&self.taken).chain(&self.replaceable).copied())
    }
}

impl Functions {
    /// The call that runs a function, if there is one that may, and nobody else does.
    pub fn only_call(&self, callee: usize) -> Option<CallSite> {
        if !self.internal.contains(&callee) || self.entries.contains(&callee) {
            return None;
        }
        let calls = self.list.iter().enumerate().flat_map(|(function, f)| {
            f.blocks.iter().enumerate().flat_map(move |(block, b)| {
                b.steps.iter().enumerate().map(move |(step, s)| (CallSite { function, block, step }, s))
            })
        });
        let mut sites = calls.filter_map(|(site, step)| match step {
            Step::Call(call) => call.targets.contains(&Target::Function(callee)).then_some(site),
            _ => None,
        });
        let site = sites.next()?;
        sites.next().is_none().then_some(site)
    }
}

impl Function {
    /// The blocks to which ways lead from the entry.
    pub fn reached(&self) -> BTreeSet<usize> {
        let mut seen = BTreeSet::from([0]);
        let mut work = vec![0];
        while let Some(b) = work.pop() {
            work.extend(self.blocks[b].end.targets().into_iter().filter(|to| seen.insert(*to)));
        }
        seen
    }

    /// The functions of the file that this one may call.
    pub fn callees(&self) -> BTreeSet<usize> {
        let calls = self.blocks.iter().flat_map(|b| &b.steps).filter_map(|step| match step {
            Step::Call(call) => Some(call),
            _ => None,
        });
        let targets = calls.flat_map(|call| &call.targets).filter_map(|target| match target {
            Target::Function(f) => Some(*f),
            Target::Assumed(_) | Target::Waits(_) | Target::AtExit => None,
        });
        targets.collect()
    }
}

/// A call in a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CallSite {
    /// The number of the function.
    pub function: usize,
    /// The block in it.
    pub block: usize,
    /// The step in that.
    pub step: usize,
}

/// A variable of a function.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: IntType,
    /// Whether the source knows it by this name.
    pub named: bool,
    /// Whose address it is. Nothing assigns it then.
    pub object: Option<ObjectRef>,
}

/// An object of the file or of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectRef {
    /// An index into [`Functions::globals`].
    Global(usize),
    /// An index into [`Function::locals`].
    Local(usize),
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Whether nothing but the accesses that name it reaches it: its address is used for nothing else, anywhere.
    pub private: bool,
    /// Whether nobody writes it.
    pub constant: bool,
    /// Whether it has bounds that address computations keep to: one that is only declared may be a linker's symbol.
    pub bounded: bool,
}

/// A loop of a function: a cyclic component of its blocks.
#[derive(Clone, Debug)]
pub struct FunctionLoop {
    /// Which one it is.
    pub key: LoopKey,
    /// The block at which it is entered.
    pub header: usize,
    /// Its blocks, those of inner loops included, in ascending order.
    pub body: Vec<usize>,
    /// The number of the smallest loop around it.
    pub parent: Option<usize>,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// Where it goes on.
    pub end: End,
}

/// A step.
#[derive(Clone, Debug)]
pub enum Step {
    /// A variable gets a value of its type.
    Assign {
        /// The variable.
        var: usize,
        /// The value.
        value: Expr,
    },
    /// A variable gets a value that nobody knows, another one each time.
    Fresh {
        /// The variable.
        var: usize,
    },
    /// The behaviour is undefined where this does not hold.
    Require(Cond),
    /// A variable gets what memory holds.
    Load {
        /// The variable.
        var: usize,
        /// Where.
        at: Access,
    },
    /// Memory is written.
    Store {
        /// Where.
        at: Access,
        /// What, if it is a number of the type of the access.
        value: Option<Expr>,
    },
    /// Functions are called.
    Call(Call),
}

impl Step {
    /// The variable that it assigns.
    pub fn assigns(&self) -> Option<usize> {
        match self {
            Self::Assign { var, .. } | Self::Fresh { var } | Self::Load { var, .. } => Some(*var),
            Self::Call(call) => call.result,
            Self::Require(_) | Self::Store { .. } => None,
        }
    }
}

/// Bytes of memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// The address of the first one.
    pub address: Expr,
    /// How many there are; nothing if that is not known.
    pub bytes: Option<u64>,
    /// The type of the number in them, if it is one.
    pub ty: Option<IntType>,
    /// The type of the source by which they are accessed; nothing if it may be any.
    pub by: Option<Arc<AccessType>>,
}

/// A type of the source by which memory is accessed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AccessType {
    /// The type, behind those that it is a kind of, each with a `/`.
    pub path: String,
    /// The struct that it is named as a member of, the member's offset, and the names of all types in that struct; an empty one
    /// if one of them is not known.
    pub member: Option<(String, u64, BTreeSet<String>)>,
}

impl AccessType {
    /// Whether accesses of so many bytes by this type and another one may have a byte in common, by the rules of C.
    pub fn may_meet(&self, bytes: Option<u64>, other: &Self, other_bytes: Option<u64>) -> bool {
        if !self.path.starts_with(&other.path) && !other.path.starts_with(&self.path) {
            return false;
        }
        let (Some((base, offset, inside)), Some((other_base, other_offset, other_inside))) =
            (&self.member, &other.member)
        else {
            return true;
        };
        if base == other_base {
            let (Some(n), Some(m)) = (bytes, other_bytes) else { return true };
            return *offset < other_offset.saturating_add(m) && *other_offset < offset.saturating_add(n);
        }
        let may_hold = |names: &BTreeSet<String>, name: &str| names.contains(name) || names.contains("");
        may_hold(inside, other_base) || may_hold(other_inside, base)
    }
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Who is called, in words for a reader: a function's name in quotes, or what it is.
    pub callee: String,
    /// Whom it may run.
    pub targets: Vec<Target>,
    /// What functions from elsewhere write in it.
    pub writes: Writes,
    /// The arguments that are numbers or addresses, with their types.
    pub args: Vec<Option<(Expr, IntType)>>,
    /// The variable that gets the result.
    pub result: Option<usize>,
}

/// Whom a call runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A function of the file.
    Function(usize),
    /// A function from elsewhere of which it is assumed that it returns.
    Assumed(Assumption),
    /// A function, by the name to show, that excludes runs by waiting for ever: whether these runs count is not said.
    Waits(String),
    /// What was registered to run when the program ends, and what that registers in turn.
    AtExit,
}

/// What a function from elsewhere writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Writes {
    /// Nothing.
    Nothing,
    /// `errno`, at most.
    Errno,
    /// Whatever is not private, with values that come from elsewhere: they are within their types, also over Z.
    Outside,
    /// Whatever is not private, with any values.
    Exposed,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum End {
    /// At another one.
    Jump(usize),
    /// By a condition.
    Branch {
        /// The condition.
        cond: Cond,
        /// Where it holds.
        yes: usize,
        /// Where it does not.
        no: usize,
    },
    /// By the value of a number.
    Switch {
        /// The number.
        value: Expr,
        /// Its type.
        ty: IntType,
        /// What it is compared with, one after the other.
        cases: Vec<(IBig, usize)>,
        /// Where it is none of them.
        default: usize,
    },
    /// At one of these, nobody knows which; perhaps the function is left.
    Choose(Vec<usize>),
    /// The function returns, with this number of a type if it gives one back.
    Return(Option<(Expr, IntType)>),
    /// The function is left in another way: the program ends, or something is thrown.
    Gone,
    /// The behaviour is undefined.
    Ub,
}

impl End {
    /// The blocks that may follow.
    pub fn targets(&self) -> Vec<usize> {
        match self {
            Self::Jump(b) => vec![*b],
            Self::Branch { yes, no, .. } => vec![*yes, *no],
            Self::Switch { cases, default, .. } => cases.iter().map(|(_, b)| *b).chain([*default]).collect(),
            Self::Choose(list) => list.clone(),
            Self::Return(_) | Self::Gone | Self::Ub => Vec::new(),
        }
    }
}
