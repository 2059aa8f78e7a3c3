//! Terms prepared for many abstract evaluations.

use crate::value::AbsValue;
use lariat_ir::{Op, Role, Sort, Term, Terms, UnknownId, VarId};

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// A state variable.
    Var(VarId),
    /// A nondeterministic value of an edge.
    Unknown(UnknownId),
    /// Anything else: any value of its sort.
    Free,
}

/// One term.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub op: Op,
    pub sort: Sort,
    args: [u32; 3],
    arity: u8,
}

impl Node {
    /// The numbers of the arguments.
    pub fn args(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.args[..usize::from(self.arity)].iter().map(|&a| a as usize)
    }
    /// The number of one argument.
    pub fn arg(&self, i: usize) -> usize {
        self.args[i] as usize
    }
}

/// The terms below some roots, arguments before what they are arguments of.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub nodes: Vec<Node>,
    pub roots: Vec<usize>,
    /// The symbols and what they stand for.
    pub symbols: Vec<(usize, Source)>,
    /// The constants.
    pub constants: Vec<(usize, AbsValue)>,
    /// Comparisons of numbers: what relational domains learn from.
    pub comparisons: Vec<usize>,
    /// Where a case distinction may help: conjunctions, disjunctions and choices.
    pub branches: Vec<usize>,
}

impl Plan {
    pub fn new(terms: &Terms, roots: &[Term]) -> Self {
        let order = terms.reachable(roots);
        let slot = |t: Term| order.binary_search(&t).expect("arguments are reachable");
        let number = |t: Term| u32::try_from(slot(t)).expect("terms fit in 32 bits");
        let mut plan = Self {
            nodes: Vec::with_capacity(order.len()),
            roots: roots.iter().map(|&r| slot(r)).collect(),
            symbols: Vec::new(),
            constants: Vec::new(),
            comparisons: Vec::new(),
            branches: Vec::new(),
        };
        for (i, &t) in order.iter().enumerate() {
            let node = terms.node(t);
            let mut args = [0; 3];
            for (a, of) in args.iter_mut().zip(node.args()) {
                *a = number(*of);
            }
            match node.op {
                Op::Symbol(_) => plan.symbols.push((
                    i,
                    match terms.role(t) {
                        Some(Role::Var(v)) => Source::Var(v),
                        Some(Role::Unknown(u)) => Source::Unknown(u),
                        _ => Source::Free,
                    },
                )),
                Op::IntLt | Op::IntLe | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => plan.comparisons.push(i),
                Op::Eq if is_number(terms.sort(node.args()[0])) => plan.comparisons.push(i),
                Op::And | Op::Or | Op::Ite => plan.branches.push(i),
                _ => {
                    if let Some(v) = terms.constant_value(t) {
                        plan.constants.push((i, AbsValue::constant(&v)));
                    }
                }
            }
            let arity = u8::try_from(node.args().len()).expect("at most three arguments");
            plan.nodes.push(Node { op: node.op, sort: node.sort, args, arity });
        }
        plan
    }
}

/// Whether values of a sort are numbers in some reading.
pub(crate) fn is_number(sort: Sort) -> bool {
    sort == Sort::Int || sort.width().is_some()
}
