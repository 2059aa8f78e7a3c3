//! Raw hash-consed terms.
//!
//! A [`Terms`] arena belongs to one task; a [`Term`] is a small copyable id into it. Nothing is rewritten here: a term
//! is what was asked for, which is why the checker and the interpreter use this layer, and simplification is
//! another one ([`crate::simplify`]).
//!
//! The arguments of a term have smaller ids than the term, so ascending id order is a topological order: walks over
//! terms are loops, never recursion, and cannot exhaust the stack.

use crate::eval;
use crate::fast::{FastHasher, FastMap, FastSet};
use crate::float::FloatOp;
use crate::ids::{UnknownId, VarId};
use crate::intern::Interned;
use crate::sort::{MAX_WIDTH, Scalar, Sort};
use crate::value::{Bits, Value};
use dashu_int::IBig;
use std::cell::{Ref, RefCell};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

/// A term of an arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// An interned integer constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntId(u32);

/// A symbol of an arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(u32);

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The value of a state variable now.
    Var(VarId),
    /// The value of a state variable at the earlier point that a relation speaks of, written `old(x)`.
    Old(VarId),
    /// A nondeterministic value of an edge.
    Unknown(UnknownId),
    /// Another symbol at the numbered point of a path, written `x@3`.
    Copy(SymbolId, u32),
    /// Anything else.
    Free,
}

/// A symbol's name, sort and role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name, unique in its arena.
    pub name: String,
    /// The sort.
    pub sort: Sort,
    /// What it stands for.
    pub role: Role,
}

/// The operation of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are SMT-LIB's; `eval::apply` and `float::apply` define each")]
pub enum Op {
    Bool(bool),
    Bv(Bits),
    Int(IntId),
    Symbol(SymbolId),
    Not,
    And,
    Or,
    Eq,
    Ite,
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    Concat,
    Extract { hi: u32, lo: u32 },
    ZeroExtend(u32),
    SignExtend(u32),
    IntNeg,
    IntAdd,
    IntSub,
    IntMul,
    IntDiv,
    IntMod,
    IntLt,
    IntLe,
    IntToBv(u32),
    UbvToInt,
    SbvToInt,
    Select,
    Store,
    Fill(Scalar),
    Float(FloatOp),
}

/// A term's operation, arguments and sort.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// The sort of the result.
    pub sort: Sort,
    args: [Term; 3],
    arity: u8,
}

impl Node {
    /// The arguments.
    pub fn args(&self) -> &[Term] {
        &self.args[..self.arity as usize]
    }
}

/// Why an operation cannot be applied to some arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortError(pub String);

impl fmt::Display for SortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::error::Error for SortError {}

#[derive(Clone, Default)]
struct Arena {
    nodes: Vec<Node>,
    index: Interned,
    ints: Vec<IBig>,
    int_index: FastMap<IBig, IntId>,
    symbols: Vec<Symbol>,
    symbol_index: FastMap<String, Term>,
    copies: FastMap<(SymbolId, u32), Term>,
    /// The normal form of each term that was simplified.
    normal: Vec<Term>,
}

/// Which terms a walk has met: those with its number.
#[derive(Default)]
struct Marks {
    of: Vec<u32>,
    walk: u32,
}

/// An arena of terms. Adding a term needs no exclusive access: an id, once given, means the same term for ever.
pub struct Terms {
    arena: RefCell<Arena>,
    marks: RefCell<Marks>,
    serial: u64,
}

impl Default for Terms {
    fn default() -> Self {
        Self { arena: RefCell::default(), marks: RefCell::default(), serial: next_serial() }
    }
}

/// A copy goes its own way from there on, so it is another arena.
impl Clone for Terms {
    fn clone(&self) -> Self {
        Self { arena: self.arena.clone(), marks: RefCell::default(), serial: next_serial() }
    }
}

fn next_serial() -> u64 {
    static ARENAS: AtomicU64 = AtomicU64::new(0);
    ARENAS.fetch_add(1, Ordering::Relaxed)
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Terms({} nodes)", self.arena.borrow().nodes.len())
    }
}

const NO_ARG: Term = Term(u32::MAX);

impl Terms {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number that no other arena of this process has: a term means something in its own arena only.
    pub fn serial(&self) -> u64 {
        self.serial
    }
    /// The node of a term.
    pub fn node(&self, t: Term) -> Node {
        self.arena.borrow().nodes[t.0 as usize]
    }
    /// The sort of a term.
    pub fn sort(&self, t: Term) -> Sort {
        self.node(t).sort
    }
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.arena.borrow().nodes.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The integer behind its id.
    pub fn int_value(&self, id: IntId) -> IBig {
        self.arena.borrow().ints[id.0 as usize].clone()
    }
    /// A symbol's data.
    pub fn symbol_data(&self, id: SymbolId) -> Ref<'_, Symbol> {
        Ref::map(self.arena.borrow(), |a| &a.symbols[id.0 as usize])
    }
    /// The role of a term that is a symbol.
    pub fn role(&self, t: Term) -> Option<Role> {
        match self.node(t).op {
            Op::Symbol(s) => Some(self.symbol_data(s).role),
            _ => None,
        }
    }
    /// The value of a term that is a constant leaf.
    pub fn constant_value(&self, t: Term) -> Option<Value> {
        match self.node(t).op {
            Op::Bool(b) => Some(Value::Bool(b)),
            Op::Bv(b) => Some(Value::Bv(b)),
            Op::Int(i) => Some(Value::Int(self.int_value(i))),
            _ => None,
        }
    }

    /// The term for a symbol of this name, made on first use.
    ///
    /// # Panics
    /// If the name is taken by a symbol of another sort or role: names are checked where they enter.
    pub fn symbol(&self, name: &str, sort: Sort, role: Role) -> Term {
        let mut arena = self.arena.borrow_mut();
        if let Some(&t) = arena.symbol_index.get(name) {
            let Op::Symbol(id) = arena.nodes[t.0 as usize].op else { unreachable!("the index holds symbols") };
            let old = &arena.symbols[id.0 as usize];
            assert!(old.sort == sort && old.role == role, "the symbol {name} exists with another sort or role");
            return t;
        }
        let id = SymbolId(u32::try_from(arena.symbols.len()).expect("symbols fit in 32 bits"));
        arena.symbols.push(Symbol { name: name.to_owned(), sort, role });
        let t = arena.insert(Op::Symbol(id), &[], sort);
        arena.symbol_index.insert(name.to_owned(), t);
        t
    }

    /// The symbol `t` at point `frame` of a path.
    pub fn copy_symbol(&self, t: Term, frame: u32) -> Term {
        let node = self.node(t);
        let Op::Symbol(id) = node.op else { panic!("only symbols have copies") };
        if let Some(&c) = self.arena.borrow().copies.get(&(id, frame)) {
            return c;
        }
        let name = format!("{}@{frame}", self.symbol_data(id).name);
        let c = self.symbol(&name, node.sort, Role::Copy(id, frame));
        self.arena.borrow_mut().copies.insert((id, frame), c);
        c
    }

    /// Applies an operation that is no leaf, if the sorts fit.
    pub fn try_apply(&self, op: Op, args: &[Term]) -> Result<Term, SortError> {
        let mut arena = self.arena.borrow_mut();
        let mut sorts = [Sort::Bool; 3];
        for (i, a) in args.iter().enumerate() {
            sorts[i] = arena.nodes[a.0 as usize].sort;
        }
        let sort = result_sort(op, &sorts[..args.len()])?;
        Ok(arena.insert(op, args, sort))
    }

    /// Applies an operation that is no leaf.
    ///
    /// # Panics
    /// If the sorts do not fit: code that builds terms from checked parts knows that they do.
    pub fn apply(&self, op: Op, args: &[Term]) -> Term {
        self.try_apply(op, args).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The term of a concrete value.
    pub fn value(&self, v: &Value) -> Term {
        match v {
            Value::Bool(b) => self.bool(*b),
            Value::Bv(b) => self.arena.borrow_mut().insert(Op::Bv(*b), &[], Sort::BitVec(b.width())),
            Value::Int(i) => {
                let mut arena = self.arena.borrow_mut();
                let id = arena.intern_int(i);
                arena.insert(Op::Int(id), &[], Sort::Int)
            }
            Value::Array(a) => {
                let mut t = self.apply(Op::Fill(a.index_sort()), &[self.value(a.default_value())]);
                for (i, v) in a.cells() {
                    t = self.apply(Op::Store, &[t, self.value(i), self.value(v)]);
                }
                t
            }
        }
    }
    /// `true` or `false`.
    pub fn bool(&self, b: bool) -> Term {
        self.arena.borrow_mut().insert(Op::Bool(b), &[], Sort::Bool)
    }
    /// `true`.
    pub fn tt(&self) -> Term {
        self.bool(true)
    }
    /// `false`.
    pub fn ff(&self) -> Term {
        self.bool(false)
    }
    /// A bit-vector constant.
    pub fn bv(&self, width: u32, bits: u128) -> Term {
        self.value(&Value::bv(width, bits))
    }
    /// An integer constant.
    pub fn int(&self, i: impl Into<IBig>) -> Term {
        self.value(&Value::Int(i.into()))
    }
    /// Negation.
    pub fn not(&self, a: Term) -> Term {
        self.apply(Op::Not, &[a])
    }
    /// Conjunction.
    pub fn and(&self, a: Term, b: Term) -> Term {
        self.apply(Op::And, &[a, b])
    }
    /// Disjunction.
    pub fn or(&self, a: Term, b: Term) -> Term {
        self.apply(Op::Or, &[a, b])
    }
    /// Implication, as `!a || b`.
    pub fn implies(&self, a: Term, b: Term) -> Term {
        self.or(self.not(a), b)
    }
    /// Conjunction of any number of terms; `true` for none.
    pub fn all(&self, ts: impl IntoIterator<Item = Term>) -> Term {
        self.balanced(Op::And, true, ts.into_iter().collect())
    }
    /// Disjunction of any number of terms; `false` for none.
    pub fn any(&self, ts: impl IntoIterator<Item = Term>) -> Term {
        self.balanced(Op::Or, false, ts.into_iter().collect())
    }
    /// Equality.
    pub fn eq(&self, a: Term, b: Term) -> Term {
        self.apply(Op::Eq, &[a, b])
    }
    /// If `c` then `a` else `b`.
    pub fn ite(&self, c: Term, a: Term, b: Term) -> Term {
        self.apply(Op::Ite, &[c, a, b])
    }

    fn balanced(&self, op: Op, neutral: bool, mut ts: Vec<Term>) -> Term {
        if ts.is_empty() {
            return self.bool(neutral);
        }
        while ts.len() > 1 {
            ts = ts.chunks(2).map(|c| if c.len() == 2 { self.apply(op, c) } else { c[0] }).collect();
        }
        ts[0]
    }

    /// Every term below these roots and the roots, ascending: arguments before what they are arguments of.
    pub fn reachable(&self, roots: &[Term]) -> Vec<Term> {
        let arena = self.arena.borrow();
        let mut marks = self.marks.borrow_mut();
        let Marks { of, walk } = &mut *marks;
        of.resize(arena.nodes.len(), 0);
        *walk = walk.checked_add(1).unwrap_or_else(|| {
            of.fill(0);
            1
        });
        let mut seen = Vec::new();
        let mut open: Vec<Term> = roots.to_vec();
        while let Some(t) = open.pop() {
            if std::mem::replace(&mut of[t.0 as usize], *walk) != *walk {
                seen.push(t);
                open.extend_from_slice(arena.nodes[t.0 as usize].args());
            }
        }
        seen.sort_unstable();
        seen
    }

    /// The symbols that occur in a term, ascending.
    pub fn symbols(&self, t: Term) -> Vec<Term> {
        let mut all = self.reachable(&[t]);
        all.retain(|&s| matches!(self.node(s).op, Op::Symbol(_)));
        all
    }

    /// Replaces symbols; those that `of` leaves alone stay.
    pub fn substitute(&self, t: Term, of: impl FnMut(Term) -> Option<Term>) -> Term {
        self.substitute_all(&[t], of)[0]
    }

    /// Replaces symbols in several terms at once.
    pub fn substitute_all(&self, ts: &[Term], mut of: impl FnMut(Term) -> Option<Term>) -> Vec<Term> {
        let mut image: FastMap<Term, Term> = FastMap::default();
        for u in self.reachable(ts) {
            let node = self.node(u);
            let v = match node.op {
                Op::Symbol(_) => of(u).unwrap_or(u),
                _ if node.args().is_empty() => u,
                op => {
                    let args: Vec<Term> = node.args().iter().map(|a| image[a]).collect();
                    if args == node.args() { u } else { self.apply(op, &args) }
                }
            };
            image.insert(u, v);
        }
        ts.iter().map(|t| image[t]).collect()
    }

    /// The value of a term; `lookup` gives the value of each symbol.
    pub fn eval(&self, t: Term, lookup: impl FnMut(Term) -> Value) -> Value {
        eval::eval(self, t, lookup)
    }

    /// The normal form that was found for a term before.
    pub(crate) fn known_normal_form(&self, t: Term) -> Option<Term> {
        self.arena.borrow().normal.get(t.0 as usize).copied().filter(|n| *n != NO_ARG)
    }
    /// Keeps the normal form of a term: what simplification makes of it never changes.
    pub(crate) fn keep_normal_form(&self, t: Term, normal: Term) {
        let mut arena = self.arena.borrow_mut();
        let len = arena.nodes.len();
        arena.normal.resize(len, NO_ARG);
        arena.normal[t.0 as usize] = normal;
    }

    /// The conjuncts of a term, each once: what nested `&&` join.
    pub fn conjuncts(&self, t: Term) -> Vec<Term> {
        let mut out = Vec::new();
        let mut open = vec![t];
        let mut seen = FastSet::default();
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            let node = self.node(t);
            match node.op {
                Op::And => open.extend(node.args().iter().rev()),
                Op::Bool(true) => {}
                _ => out.push(t),
            }
        }
        out
    }
}

impl Arena {
    fn insert(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        let mut padded = [NO_ARG; 3];
        padded[..args.len()].copy_from_slice(args);
        let Self { nodes, index, .. } = self;
        let next = u32::try_from(nodes.len()).ok().filter(|n| *n < NO_ARG.0).expect("terms fit in 32 bits");
        let is_it = |n: u32| nodes[n as usize].args == padded && nodes[n as usize].op == op;
        let hash_of = |n: u32| hash(nodes[n as usize].op, nodes[n as usize].args);
        let t = index.find_or_insert(hash(op, padded), next, is_it, hash_of);
        if t == next {
            let arity = u8::try_from(args.len()).expect("at most three arguments");
            nodes.push(Node { op, sort, args: padded, arity });
        }
        Term(t)
    }

    fn intern_int(&mut self, i: &IBig) -> IntId {
        if let Some(&id) = self.int_index.get(i) {
            return id;
        }
        let id = IntId(u32::try_from(self.ints.len()).expect("integers fit in 32 bits"));
        self.ints.push(i.clone());
        self.int_index.insert(i.clone(), id);
        id
    }
}

fn hash(op: Op, args: [Term; 3]) -> u64 {
    let mut hasher = FastHasher::default();
    op.hash(&mut hasher);
    args.hash(&mut hasher);
    hasher.finish()
}

/// The sort of an operation's result, or why the arguments do not fit.
pub fn result_sort(op: Op, args: &[Sort]) -> Result<Sort, SortError> {
    use Sort::{Array, BitVec, Bool, Int};
    if let Op::Float(op) = op {
        return op.result_sort(args);
    }
    let fail = |want: &str| {
        let got: Vec<String> = args.iter().map(ToString::to_string).collect();
        Err(SortError(format!("`{}` needs {want}, not ({})", op_name(op), got.join(", "))))
    };
    match (op, args) {
        (Op::Not, [Bool]) | (Op::And | Op::Or, [Bool, Bool]) => Ok(Bool),
        (Op::Eq, [a, b]) if a == b => Ok(Bool),
        (Op::Ite, [Bool, a, b]) if a == b => Ok(*a),
        (Op::BvNot | Op::BvNeg, [BitVec(w)]) => Ok(BitVec(*w)),
        (
            Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvAdd
            | Op::BvSub
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr,
            [BitVec(v), BitVec(w)],
        ) if v == w => Ok(BitVec(*w)),
        (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, [BitVec(v), BitVec(w)]) if v == w => Ok(Bool),
        (Op::Concat, [BitVec(v), BitVec(w)]) if v + w <= MAX_WIDTH => Ok(BitVec(v + w)),
        (Op::Extract { hi, lo }, [BitVec(w)]) if lo <= hi && hi < *w => Ok(BitVec(hi - lo + 1)),
        (Op::ZeroExtend(by) | Op::SignExtend(by), [BitVec(w)]) if by <= MAX_WIDTH && by + w <= MAX_WIDTH => {
            Ok(BitVec(by + w))
        }
        (Op::IntNeg, [Int]) | (Op::IntAdd | Op::IntSub | Op::IntMul | Op::IntDiv | Op::IntMod, [Int, Int]) => Ok(Int),
        (Op::IntLt | Op::IntLe, [Int, Int]) => Ok(Bool),
        (Op::IntToBv(w), [Int]) if (1..=MAX_WIDTH).contains(&w) => Ok(BitVec(w)),
        (Op::UbvToInt | Op::SbvToInt, [BitVec(_)]) => Ok(Int),
        (Op::Select, [Array(i, e), index]) if *index == Sort::from(*i) => Ok((*e).into()),
        (Op::Store, [Array(i, e), index, value]) if *index == Sort::from(*i) && *value == Sort::from(*e) => {
            Ok(Array(*i, *e))
        }
        (Op::Fill(i), [value]) => match value.as_scalar() {
            Some(e) => Ok(Array(i, e)),
            None => fail("a scalar"),
        },
        (Op::Not, _) => fail("one truth value"),
        (Op::And | Op::Or, _) => fail("two truth values"),
        (Op::Eq, _) => fail("two terms of one sort"),
        (Op::Ite, _) => fail("a truth value and two terms of one sort"),
        (Op::IntNeg | Op::IntAdd | Op::IntSub | Op::IntMul | Op::IntDiv | Op::IntMod | Op::IntLt | Op::IntLe, _) => {
            fail("integers")
        }
        (Op::IntToBv(_), _) => fail("an integer and a width of 1 to 128 bits"),
        (Op::Select, _) => fail("an array and an index of its sort"),
        (Op::Store, _) => fail("an array, an index and an element of its sorts"),
        (Op::Extract { .. }, _) => fail("a bit-vector that has these bits"),
        (Op::Concat | Op::ZeroExtend(_) | Op::SignExtend(_), _) => fail("bit-vectors of at most 128 bits in all"),
        (Op::BvNot | Op::BvNeg | Op::UbvToInt | Op::SbvToInt, _) => fail("one bit-vector"),
        (Op::Bool(_) | Op::Bv(_) | Op::Int(_) | Op::Symbol(_) | Op::Fill(_), _) => fail("no arguments"),
        _ => fail("two bit-vectors of one width"),
    }
}

/// The operation as the text form writes it, for messages.
fn op_name(op: Op) -> &'static str {
    match op {
        Op::Bool(_) | Op::Bv(_) | Op::Int(_) => "constant",
        Op::Symbol(_) => "symbol",
        Op::Not => "!",
        Op::And => "&&",
        Op::Or => "||",
        Op::Eq => "==",
        Op::Ite => "? :",
        Op::BvNot => "~",
        Op::BvNeg | Op::IntNeg | Op::BvSub | Op::IntSub => "-",
        Op::BvAnd => "&",
        Op::BvOr => "|",
        Op::BvXor => "^",
        Op::BvAdd | Op::IntAdd => "+",
        Op::BvMul | Op::IntMul => "*",
        Op::BvUdiv => "/u",
        Op::BvUrem => "%u",
        Op::BvSdiv => "/s",
        Op::BvSrem => "%s",
        Op::BvShl => "<<",
        Op::BvLshr => ">>u",
        Op::BvAshr => ">>s",
        Op::BvUlt => "<u",
        Op::BvUle => "<=u",
        Op::BvSlt => "<s",
        Op::BvSle => "<=s",
        Op::Concat => "concat",
        Op::Extract { .. } => "extract",
        Op::ZeroExtend(_) => "zext",
        Op::SignExtend(_) => "sext",
        Op::IntDiv => "/",
        Op::IntMod => "%",
        Op::IntLt => "<",
        Op::IntLe => "<=",
        Op::IntToBv(_) => "int_to_bv",
        Op::UbvToInt => "ubv_to_int",
        Op::SbvToInt => "sbv_to_int",
        Op::Select => "[ ]",
        Op::Store => "store",
        Op::Fill(_) => "fill",
        Op::Float(op) => op.name(),
    }
}
