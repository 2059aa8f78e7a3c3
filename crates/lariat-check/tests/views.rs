//! Views have every step of the loop that they are made of, whatever is forgotten, and what they cover follows by their rules.

use lariat_check::view::{
    Against, Cover, Effects, Ending, Given, Keep, Left, Places, Refusal, Rest, Site, Start, View, comparisons, derive,
    derive_given, derive_walk, enter, enter_caller,
};
use lariat_check::{Proved, System, check};
use lariat_ir::function::{
    Access, AccessType, Block, Call, End, Function, FunctionLoop, Functions, Object, ObjectRef, Step, Target, Var,
    Writes,
};
use lariat_ir::neutral::{self, BinaryOp, CmpOp, Cond, Expr, IntType, Overflow, Target as Semantics};
use lariat_ir::{
    Assumption, AssumptionKind, Certificate, Claim, Id, LocId, LoopKey, Measure, Op, Order, Outline, Property,
    SourceKind, Term, Terms, TransitionSystem,
};
use lariat_smt::{Answer, Limit, Solver, Z3Solver};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const INT: IntType = IntType::signed(32);
const ADDRESS: IntType = IntType::signed(65);

/// A function with variables of these types, and with no blocks yet.
fn function(name: &str, vars: &[(&str, IntType)]) -> Function {
    let var = |(name, ty): &(&str, IntType)| Var { name: (*name).to_owned(), ty: *ty, named: true, object: None };
    Function {
        name: name.to_owned(),
        shown: name.to_owned(),
        vars: vars.iter().map(var).collect(),
        params: 0,
        locals: Vec::new(),
        blocks: Vec::new(),
        loops: Vec::new(),
        strange: None,
    }
}

fn a_loop(function: &str, header: usize, body: &[usize], parent: Option<usize>) -> FunctionLoop {
    let ordinal = u32::try_from(header).expect("a small number");
    let key = LoopKey { span: None, function: function.to_owned(), kind: SourceKind::Loop, ordinal };
    FunctionLoop { key, header, body: body.to_vec(), parent }
}

fn all(list: Vec<Function>) -> Functions {
    Functions {
        list,
        globals: Vec::new(),
        address: ADDRESS,
        internal: BTreeSet::new(),
        taken: Vec::new(),
        replaceable: BTreeSet::new(),
        replaced: Vec::new(),
        rings: false,
        members: BTreeMap::new(),
        at_exit: false,
        whole: false,
        told: BTreeSet::new(),
        entries: vec![0],
        assumed: Vec::new(),
    }
}

fn var(v: usize) -> Expr {
    Expr::Var(v)
}
fn plus(v: usize, k: i32, ty: IntType) -> Expr {
    Expr::binary(BinaryOp::Add, ty, Overflow::Undefined, var(v), Expr::constant(k, ty))
}
fn less(a: usize, b: usize) -> Cond {
    Cond::cmp(CmpOp::Lt, INT, var(a), var(b))
}
fn at(address: Expr) -> Access {
    Access { address, bytes: Some(4), ty: Some(INT), by: None }
}
fn load(var: usize, address: Expr) -> Step {
    Step::Load { var, at: at(address) }
}
fn store(address: Expr, value: i32) -> Step {
    Step::Store { at: at(address), value: Some(Expr::constant(value, INT)) }
}
/// A call, with addresses for arguments.
fn call(targets: Vec<Target>, args: Vec<Option<Expr>>) -> Step {
    let args = args.into_iter().map(|a| Some((a?, ADDRESS))).collect();
    Step::Call(Call { callee: "`g`".to_owned(), targets, writes: Writes::Exposed, args, result: None })
}
fn outside() -> Target {
    Target::Assumed(Assumption::everywhere(AssumptionKind::Returns, "`g` returns"))
}

/// `for (;;) steps`, left where `leave` says, in a function with these variables.
fn forever(vars: &[(&str, IntType)], steps: Vec<Step>) -> Function {
    let mut f = function("f", vars);
    let leave = f.vars.len();
    f.vars.push(Var { name: "leave".into(), ty: IntType::unsigned(1), named: false, object: None });
    let mut first = vec![Step::Fresh { var: leave }];
    first.extend(steps);
    let ty = IntType::unsigned(1);
    let cond = Cond::cmp(CmpOp::Ne, ty, var(leave), Expr::constant(0, ty));
    f.blocks = vec![
        Block { steps: Vec::new(), end: End::Jump(1) },
        Block { steps: first, end: End::Branch { cond, yes: 2, no: 1 } },
        Block { steps: Vec::new(), end: End::Return(None) },
    ];
    f.loops = vec![a_loop("f", 1, &[1], None)];
    f
}

/// A view of a function's first loop that keeps some variables, and the places with these roots and offsets.
struct Made {
    view: View,
    ts: TransitionSystem,
    /// The name in the view of what is kept.
    names: BTreeMap<usize, String>,
    places: Places,
}

fn made(functions: &Functions, of: usize, vars: &[usize], keep_places: bool) -> Made {
    made_from(functions, of, vars, keep_places, Start::Anywhere)
}

fn made_from(functions: &Functions, of: usize, vars: &[usize], keep_places: bool, start: Start) -> Made {
    let effects = Effects::of(functions);
    made_at(Site { functions, effects: &effects, function: 0, of, entered: None }, vars, keep_places, start)
}

/// The view of the first loop of the first function, with its calls entered.
fn made_with_callees(functions: &Functions, vars: &[usize]) -> Made {
    let effects = Effects::of(functions);
    let entered = enter(functions, 0, 0).expect("a call can be entered");
    let site = Site { functions, effects: &effects, function: 0, of: 0, entered: Some(&entered) };
    // What callees do is known only if their variables are kept.
    let own = functions.list[0].vars.len();
    let vars: Vec<usize> = vars.iter().copied().chain(own..entered.function().vars.len()).collect();
    made_at(site, &vars, true, Start::Anywhere)
}

fn made_at(site: Site<'_>, vars: &[usize], keep_places: bool, start: Start) -> Made {
    let places = Places::of(site);
    let mut keep: BTreeSet<usize> = vars.iter().copied().collect();
    if keep_places {
        keep.extend((0..places.list.len()).map(|n| places.first + n));
    }
    let view = derive(site, &places, &Keep { vars: keep.clone(), start }).expect("there is a view");
    let ts = neutral::lower(view.program(), Semantics::CTerminates);
    let names = keep.iter().zip(&view.program().vars).map(|(v, (name, _))| (*v, name.clone())).collect();
    Made { view, ts, names, places }
}

impl Made {
    /// The number of the place with this root and offset.
    fn place(&self, root: usize, offset: i64) -> usize {
        let found = self.places.list.iter().position(|p| p.root == root && p.offset == offset);
        self.places.first + found.expect("there is such a place")
    }

    fn header(&self) -> LocId {
        let forest = lariat_ir::LoopForest::of(&self.ts);
        forest.loops.iter().next().expect("a view has a loop").header
    }

    /// Whether the view can go from a visit of the header with these values to one with those.
    fn allows(&self, before: &[(usize, i32)], after: &[(usize, i32)]) -> bool {
        self.leads(self.header(), before, after)
    }

    /// Whether the first visit of the header can be with these values.
    fn begins(&self, with: &[(usize, i32)]) -> bool {
        self.leads(self.ts.entry, &[], with)
    }

    fn leads(&self, from: LocId, before: &[(usize, i32)], after: &[(usize, i32)]) -> bool {
        let ts = &self.ts;
        let terms = &ts.terms;
        let header = self.header();
        let term = |v: usize| ts.vars.iter().find(|x| x.name == self.names[&v]).expect("it is kept").term;
        let start: Vec<Term> = ts.vars.iter().map(|v| v.term).collect();
        let given: Vec<Term> = before.iter().map(|(v, k)| terms.eq(term(*v), terms.int(*k))).collect();
        let mut ways = vec![(from, start, given, 0u32)];
        let mut frame = 0;
        while let Some((at, state, facts, steps)) = ways.pop() {
            if at == header && steps > 0 {
                let now = |t: Term| state[ts.vars.iter().position(|x| x.term == t).expect("a variable")];
                let mut solver = Z3Solver::new();
                for f in facts.iter().copied().chain(after.iter().map(|(v, k)| terms.eq(now(term(*v)), terms.int(*k))))
                {
                    solver.assert(terms, f);
                }
                match solver.check(terms, Limit::default()) {
                    Answer::Sat(_) => return true,
                    Answer::Unsat => continue,
                    Answer::Unknown(why) => panic!("{why:?}"),
                }
            }
            for &e in &ts.locs[at].out {
                let edge = &ts.edges[e];
                frame += 1;
                let now = |t: Term| ts.in_state(t, &state, frame);
                let mut next = state.clone();
                for (v, t) in &edge.updates {
                    next[v.index()] = now(*t);
                }
                let mut more = facts.clone();
                more.push(now(edge.guard));
                for u in ts.unknowns_of(e) {
                    more.push(ts.range_condition(u, terms.copy_symbol(ts.unknowns[u].term, frame)));
                }
                if !ts.locs[edge.to].out.is_empty() {
                    ways.push((edge.to, next, more, steps + 1));
                }
            }
        }
        false
    }
}

#[test]
fn a_variable_that_is_forgotten_may_be_anything() {
    // while (i < n) i++;
    let mut f = function("f", &[("i", INT), ("n", INT)]);
    f.blocks = vec![
        Block { steps: Vec::new(), end: End::Branch { cond: less(0, 1), yes: 1, no: 2 } },
        Block { steps: vec![Step::Assign { var: 0, value: plus(0, 1, INT) }], end: End::Jump(0) },
        Block { steps: Vec::new(), end: End::Return(None) },
    ];
    f.loops = vec![a_loop("f", 0, &[0, 1], None)];
    let functions = all(vec![f]);
    let kept = made(&functions, 0, &[0, 1], false);
    assert!(kept.allows(&[(0, 3), (1, 5)], &[(0, 4), (1, 5)]));
    assert!(!kept.allows(&[(0, 5), (1, 5)], &[(0, 6)]), "it is left there");
    assert!(!kept.allows(&[(0, 3)], &[(0, 5)]));
    let forgotten = made(&functions, 0, &[0], false);
    assert!(forgotten.allows(&[(0, 5)], &[(0, 6)]), "n may be greater");
    assert!(!forgotten.allows(&[(0, 5)], &[(0, 5)]));
}

#[test]
fn a_place_is_what_nothing_else_may_touch() {
    let two = [("p", ADDRESS), ("q", ADDRESS), ("x", INT)];
    // `*p` is read; something is written.
    let with = |steps: Vec<Step>| {
        let mut all_steps = vec![load(2, var(0))];
        all_steps.extend(steps);
        all(vec![forever(&two, all_steps)])
    };
    let changes = |functions: &Functions| {
        let m = made(functions, 0, &[], true);
        let p = m.place(0, 0);
        assert!(m.allows(&[(p, 3)], &[(p, 3)]) || m.allows(&[(p, 3)], &[(p, 9)]), "something is possible");
        m.allows(&[(p, 3)], &[(p, 77)])
    };
    assert!(!changes(&with(Vec::new())));
    assert!(changes(&with(vec![store(var(1), 5)])), "q may be p");
    assert!(!changes(&with(vec![store(plus(0, 4, ADDRESS), 5)])), "other bytes of the same object");
    assert!(changes(&with(vec![store(plus(0, 2, ADDRESS), 5)])), "it has two bytes in common");
    assert!(changes(&with(vec![store(plus(0, -3, ADDRESS), 5)])), "it has one byte in common");
    let unknown = Access { bytes: None, ..at(plus(0, 8, ADDRESS)) };
    assert!(changes(&with(vec![Step::Store { at: unknown, value: None }])), "nobody knows how many bytes");
    assert!(changes(&with(vec![call(vec![outside()], Vec::new())])), "a call may write all that is known outside");
    let index = Expr::binary(BinaryOp::Add, ADDRESS, Overflow::Undefined, var(0), var(1));
    assert!(changes(&with(vec![store(index, 5)])), "somewhere in the same object");
    let from_integer = Expr::cast(INT, ADDRESS, var(2));
    assert!(changes(&with(vec![store(from_integer, 5)])), "nobody knows where");
    // What is stored there is what it holds.
    let m = made(&with(vec![store(var(0), 5)]), 0, &[], true);
    let p = m.place(0, 0);
    assert!(m.allows(&[(p, 3)], &[(p, 5)]) && !m.allows(&[(p, 3)], &[(p, 3)]));
    // Bytes that are written as something else than a number are unknown.
    let m = made(&with(vec![Step::Store { at: at(var(0)), value: None }]), 0, &[], true);
    assert!(m.allows(&[(p, 3)], &[(p, 77)]));
}

#[test]
fn a_place_moves_with_its_root() {
    // `p`, and what two loads read through it.
    let vars = [("p", ADDRESS), ("x", INT), ("y", INT), ("q", ADDRESS), ("o", ADDRESS)];
    let set = |v: usize, value: Expr| Step::Assign { var: v, value };
    let (x, y) = (1, 2);
    // Whether `x` and `y` may differ behind a round.
    let differ = |steps: Vec<Step>| {
        let functions = all(vec![forever(&vars, steps)]);
        let m = made(&functions, 0, &[x, y], true);
        assert!(m.allows(&[(x, 0), (y, 0)], &[(x, 7), (y, 7)]), "they may be the same");
        m.allows(&[(x, 0), (y, 0)], &[(x, 7), (y, 8)])
    };
    let (read_x, read_y) = (|| load(x, var(0)), || load(y, var(0)));
    let ahead = || set(0, plus(0, 4, ADDRESS));
    assert!(!differ(vec![read_x(), read_y(), ahead()]), "the same bytes");
    assert!(differ(vec![read_x(), ahead(), read_y()]), "other bytes");
    assert!(!differ(vec![ahead(), read_x(), read_y()]), "the same bytes, elsewhere");
    let behind = || plus(0, -4, ADDRESS);
    assert!(!differ(vec![read_x(), read_y(), ahead(), load(x, behind()), load(y, behind())]));
    assert!(differ(vec![read_x(), read_y(), store(var(3), 5), read_y(), ahead()]), "q may be p");
    assert!(differ(vec![read_x(), call(vec![outside()], Vec::new()), read_y(), ahead()]));
    assert!(!differ(vec![read_x(), store(plus(0, 4, ADDRESS), 5), read_y(), ahead()]), "other bytes");
    assert!(differ(vec![read_x(), store(plus(0, 2, ADDRESS), 5), read_y(), ahead()]), "two bytes in common");
    // An old address of `p` is another one than where it is now.
    let through_old = vec![set(3, var(0)), read_x(), read_y(), ahead(), read_x(), store(var(3), 5), read_y()];
    assert!(!differ(through_old), "q is four bytes behind");
    let through_older = vec![set(3, var(0)), ahead(), read_x(), store(plus(3, 4, ADDRESS), 5), read_y()];
    let functions = all(vec![forever(&vars, through_older)]);
    let m = made(&functions, 0, &[x, y], true);
    let may_be = |value: i32| m.allows(&[(x, 0), (y, 0)], &[(x, 7), (y, value)]);
    assert!(may_be(5) && !may_be(7), "what stood there was written");
    // Where it is led by what somebody else wrote nothing is known of it.
    let elsewhere = Step::Load { var: 0, at: Access { address: var(4), bytes: Some(8), ty: Some(ADDRESS), by: None } };
    assert!(differ(vec![read_x(), elsewhere.clone(), read_y(), load(x, plus(0, 4, ADDRESS))]));
    assert!(!differ(vec![elsewhere, read_x(), read_y()]));
    // What is stored there is what it holds.
    let stored = vec![store(var(0), 7), read_x(), read_y(), ahead(), read_y()];
    let functions = all(vec![forever(&vars, stored)]);
    let m = made(&functions, 0, &[x, y], true);
    assert!(m.allows(&[(x, 0), (y, 0)], &[(x, 7), (y, 9)]) && !m.allows(&[(x, 0), (y, 0)], &[(x, 6), (y, 9)]));
}

#[test]
fn a_place_whose_root_is_a_place_moves_with_it() {
    // `s->cur` is read, and what it points to; then it may be moved, or touched.
    let vars = [("s", ADDRESS), ("a", ADDRESS), ("b", ADDRESS), ("x", INT), ("y", INT), ("o", ADDRESS)];
    let (a, b, x, y) = (1, 2, 3, 4);
    let pointer = |address: Expr| Access { address, bytes: Some(8), ty: Some(ADDRESS), by: None };
    let current = |v: usize| Step::Load { var: v, at: pointer(var(0)) };
    let put = |value: Expr| Step::Store { at: pointer(var(0)), value: Some(value) };
    let differ = |between: Vec<Step>| {
        let mut steps = vec![current(a), load(x, var(a))];
        steps.extend(between);
        steps.extend([current(b), load(y, var(b)), current(a), put(plus(a, 1, ADDRESS))]);
        let functions = all(vec![forever(&vars, steps)]);
        let m = made(&functions, 0, &[x, y], true);
        assert!(m.allows(&[(x, 0), (y, 0)], &[(x, 7), (y, 7)]), "they may be the same");
        m.allows(&[(x, 0), (y, 0)], &[(x, 7), (y, 8)])
    };
    assert!(!differ(Vec::new()));
    assert!(differ(vec![put(plus(a, 4, ADDRESS))]), "it was moved");
    assert!(differ(vec![put(plus(a, 4, ADDRESS)), put(var(a))]), "and back, but what stood there is forgotten");
    assert!(differ(vec![store(var(5), 1)]), "it may have been touched, or what it points to");
    assert!(differ(vec![Step::Store { at: pointer(var(5)), value: Some(var(a)) }]));
    // A store through it may write the pointer itself.
    assert!(differ(vec![store(var(a), 1)]), "it may point to itself");
}

#[test]
fn what_comes_from_elsewhere_is_within_its_type() {
    // for (;;) { x = *p; g(); } with a signed character behind p, and g's result in y.
    let byte = IntType::signed(8);
    let read = || Step::Load { var: 1, at: Access { address: var(0), bytes: Some(1), ty: Some(byte), by: None } };
    let with = |writes: Writes, targets: Vec<Target>| {
        let called = Step::Call(Call { callee: String::new(), targets, writes, args: Vec::new(), result: Some(2) });
        let f = forever(&[("p", ADDRESS), ("x", byte), ("y", byte)], vec![read(), called]);
        let other = function("g", &[]);
        let functions = all(vec![f, other]);
        let m = made(&functions, 0, &[2], true);
        let p = m.place(0, 0);
        let held = |before: i32, after: i32| m.allows(&[(p, before)], &[(p, after)]);
        let given = |y: i32| m.allows(&[], &[(2, y)]);
        (held(3, 100), held(3, 200), held(200, 200), given(100), given(200))
    };
    assert_eq!(with(Writes::Outside, vec![outside()]), (true, false, true, true, false));
    assert_eq!(with(Writes::Exposed, vec![outside()]), (true, true, true, true, false));
    assert_eq!(with(Writes::Nothing, vec![outside()]), (false, false, true, true, false));
    // A function of the file may give back what it computed.
    assert_eq!(with(Writes::Outside, vec![Target::Function(1)]), (false, false, true, true, true));
    assert_eq!(with(Writes::Outside, vec![Target::Function(1), outside()]), (true, false, true, true, true));
}

#[test]
fn a_pointer_that_moves_is_no_root() {
    let vars = [("p", ADDRESS), ("x", INT)];
    let steps = vec![load(1, var(0)), Step::Assign { var: 0, value: plus(0, 4, ADDRESS) }];
    let functions = all(vec![forever(&vars, steps)]);
    let m = made(&functions, 0, &[], true);
    assert!(m.places.list.is_empty(), "{:?}", m.places);
    // Nor is one that was read from where somebody writes: `q = s->q; x = q->n; *p = 1`.
    let vars = [("s", ADDRESS), ("q", ADDRESS), ("x", INT), ("p", ADDRESS)];
    let read = |v: usize, a: Expr| Step::Load {
        var: v,
        at: Access { address: a, bytes: Some(8), ty: Some(ADDRESS), by: None },
    };
    let quiet = all(vec![forever(&vars, vec![read(1, var(0)), load(2, var(1))])]);
    let m = made(&quiet, 0, &[], true);
    let (outer, inner) = (m.place(0, 0), m.places.list.iter().position(|p| p.bytes == 4));
    assert_eq!(m.places.list[inner.expect("s->q->n is a place")].root, outer);
    let loud = all(vec![forever(&vars, vec![read(1, var(0)), load(2, var(1)), store(var(3), 1)])]);
    let m = made(&loud, 0, &[], true);
    let mut fixed = (0..m.places.list.len()).filter(|n| m.places.is_fixed(m.places.first + n));
    assert!(fixed.all(|n| m.places.list[n].root < m.places.first), "{:?}", m.places);
}

#[test]
fn objects_are_apart_if_nothing_else_can_lead_there() {
    let with = |private: bool, bounded: bool, written: Step| {
        let mut f =
            forever(&[("&a", ADDRESS), ("&b", ADDRESS), ("q", ADDRESS), ("x", INT)], vec![load(3, var(0)), written]);
        let object = || Object { private, constant: false, bounded };
        f.locals = vec![object(), object()];
        f.vars[0].object = Some(ObjectRef::Local(0));
        f.vars[1].object = Some(ObjectRef::Local(1));
        let functions = all(vec![f]);
        let m = made(&functions, 0, &[], true);
        let a = m.place(0, 0);
        m.allows(&[(a, 3)], &[(a, 77)])
    };
    let elsewhere = || call(vec![outside()], Vec::new());
    assert!(!with(true, true, store(var(2), 1)) && with(false, true, store(var(2), 1)));
    assert!(!with(false, true, store(var(1), 1)), "two objects");
    assert!(with(false, false, store(var(1), 1)), "a linker's symbol has no bounds");
    assert!(!with(true, true, elsewhere()) && with(false, true, elsewhere()));
}

#[test]
fn types_keep_accesses_apart_and_it_is_said() {
    let by = |path: &str, member: Option<(&str, u64, &[&str])>| {
        let member = member.map(|(base, offset, inside)| {
            (base.to_owned(), offset, inside.iter().map(|s| (*s).to_owned()).collect::<BTreeSet<_>>())
        });
        Some(Arc::new(AccessType { path: path.to_owned(), member }))
    };
    let changes = |read: Option<Arc<AccessType>>, written: Option<Arc<AccessType>>| {
        let steps = vec![
            Step::Load { var: 2, at: Access { by: read, ..at(var(0)) } },
            Step::Store { at: Access { by: written, ..at(var(1)) }, value: None },
        ];
        let functions = all(vec![forever(&[("p", ADDRESS), ("q", ADDRESS), ("x", INT)], steps)]);
        let m = made(&functions, 0, &[], true);
        let p = m.place(0, 0);
        (m.allows(&[(p, 3)], &[(p, 77)]), m.view.uses_types())
    };
    assert_eq!(changes(by("int/", None), by("short/", None)), (false, true));
    assert_eq!(changes(by("int/", None), by("int/", None)), (true, false));
    assert_eq!(changes(by("int/", None), None), (true, false), "a character touches everything");
    let pointer = "any pointer/";
    assert_eq!(
        changes(by("any pointer/p1 int/", None), by(pointer, None)),
        (true, false),
        "one is a kind of the other"
    );
    assert_eq!(changes(by("any pointer/p1 int/", None), by("any pointer/p1 char/", None)), (false, true));
    let (s, t) = (("s", 8, &["int"][..]), ("t", 8, &["int"][..]));
    assert_eq!(changes(by("int/", Some(s)), by("int/", Some(t))), (false, true));
    assert_eq!(changes(by("int/", Some(s)), by("int/", Some(("t", 8, &["int", "s"])))), (true, false), "t holds an s");
    assert_eq!(
        changes(by("int/", Some(s)), by("int/", Some(("t", 8, &["int", ""])))),
        (true, false),
        "t may hold an s"
    );
    assert_eq!(changes(by("int/", Some(s)), by("int/", Some(("s", 12, &["int"])))), (false, true), "another member");
    assert_eq!(changes(by("int/", Some(s)), by("int/", Some(("s", 10, &["int"])))), (true, false));
    assert_eq!(changes(by("int/", Some(s)), by("int/", None)), (true, false), "any int may be that member");
}

#[test]
fn types_say_nothing_where_addresses_do() {
    let by = |path: &str| Some(Arc::new(AccessType { path: path.to_owned(), member: None }));
    let steps = |written: Expr| {
        vec![
            Step::Load { var: 1, at: Access { by: by("int/"), ..at(var(0)) } },
            Step::Store { at: Access { by: by("float/"), ..at(written) }, value: None },
        ]
    };
    let changes = |written: Expr| {
        let functions = all(vec![forever(&[("p", ADDRESS), ("x", INT), ("k", ADDRESS)], steps(written))]);
        let m = made(&functions, 0, &[], true);
        let p = m.place(0, 0);
        (m.allows(&[(p, 3)], &[(p, 77)]), m.view.uses_types())
    };
    assert_eq!(changes(var(0)), (true, false), "the same bytes");
    assert_eq!(changes(plus(0, 3, ADDRESS)), (true, false), "the last one of them");
    let index = Expr::binary(BinaryOp::Add, ADDRESS, Overflow::Undefined, var(0), var(2));
    assert_eq!(changes(index), (false, true), "somewhere in the object");
}

#[test]
fn what_a_call_gives_back_is_no_address_from_before() {
    // q = &a; q = g(); *q = 1;
    let mut f = function("f", &[("&a", ADDRESS), ("q", ADDRESS)]);
    f.locals = vec![Object { private: false, constant: false, bounded: true }];
    f.vars[0].object = Some(ObjectRef::Local(0));
    let gives = Call {
        callee: String::new(),
        targets: vec![outside()],
        writes: Writes::Nothing,
        args: Vec::new(),
        result: Some(1),
    };
    let steps = |last: Step| vec![Step::Assign { var: 1, value: var(0) }, last, store(var(1), 1)];
    let rest = |last: Step| {
        let blocks = vec![Block { steps: steps(last), end: End::Return(None) }];
        let functions = all(vec![Function { blocks, ..f.clone() }]);
        Effects::of(&functions).function(0).rest
    };
    assert_eq!(rest(Step::Require(less(0, 1))), Writes::Nothing, "a local object is its own");
    assert_eq!(rest(Step::Call(gives)), Writes::Exposed);
    assert_eq!(rest(Step::Fresh { var: 1 }), Writes::Exposed);
    assert_eq!(rest(load(1, var(0))), Writes::Exposed);
}

#[test]
fn a_view_from_the_entry_arrives_as_the_function_does() {
    // i = 7; while (j < n) { j++; k = 0; } for (;;) { i++; leave? } with `*p` read in the loop.
    let vars = [("n", INT), ("p", ADDRESS), ("i", INT), ("j", INT), ("k", INT), ("x", INT)];
    let mut f = function("f", &vars);
    f.params = 2;
    let set = |v: usize, k: i32| Step::Assign { var: v, value: Expr::constant(k, INT) };
    let next = |v: usize| Step::Assign { var: v, value: plus(v, 1, INT) };
    f.blocks = vec![
        Block { steps: vec![set(2, 7), set(3, 0), set(4, 5), store(var(1), 3)], end: End::Jump(1) },
        Block { steps: Vec::new(), end: End::Branch { cond: less(3, 0), yes: 2, no: 3 } },
        Block { steps: vec![next(3), set(4, 0)], end: End::Jump(1) },
        Block { steps: vec![next(2), load(5, var(1))], end: End::Choose(vec![3, 4]) },
        Block { steps: Vec::new(), end: End::Return(None) },
    ];
    f.loops = vec![a_loop("f", 1, &[1, 2], None), a_loop("f", 3, &[3], None)];
    let functions = all(vec![f.clone()]);
    let m = made_from(&functions, 1, &[0, 2, 3, 4], true, Start::Entry);
    let p = m.place(1, 0);
    assert!(m.begins(&[(0, 4), (2, 7), (3, 4), (4, 0)]), "four rounds of the loop before");
    assert!(m.begins(&[(0, -1), (2, 7), (3, 0), (4, 5)]), "none");
    assert!(!m.begins(&[(2, 8)]) && !m.begins(&[(0, 4), (3, 3)]), "i is 7, and j is no less than n");
    assert!(m.begins(&[(p, 3)]) && m.begins(&[(p, 77)]), "what memory holds is not followed on the way");
    assert!(m.allows(&[(2, 7)], &[(2, 8)]) && !m.allows(&[(2, 7)], &[(2, 7)]));
    // From anywhere it is another number.
    assert!(made(&functions, 1, &[2], false).begins(&[(2, 8)]));
    // A loop around goes round as well: what it assigns is unknown on the way to the inner one.
    f.blocks[4].end = End::Choose(vec![0, 1]);
    f.blocks[0].steps.clear();
    f.loops = vec![
        a_loop("f", 0, &[0, 1, 2, 3, 4], None),
        a_loop("f", 1, &[1, 2, 3, 4], Some(0)),
        a_loop("f", 3, &[3], Some(1)),
    ];
    let around = all(vec![f]);
    assert!(made_from(&around, 2, &[2, 3], false, Start::Entry).begins(&[(2, 99), (3, 5)]));
}

#[test]
fn a_view_begins_with_the_last_blocks_before_it() {
    // n = 3; if (j < n) i = 7, else i = 8; k = i; while (i < n) { i++; }
    let mut f = function("f", &[("n", INT), ("i", INT), ("j", INT), ("k", INT)]);
    let set = |v: usize, k: i32| Step::Assign { var: v, value: Expr::constant(k, INT) };
    let copy = Step::Assign { var: 3, value: var(1) };
    f.blocks = vec![
        Block { steps: vec![set(0, 3)], end: End::Branch { cond: less(2, 0), yes: 1, no: 2 } },
        Block { steps: vec![set(1, 7)], end: End::Jump(3) },
        Block { steps: vec![set(1, 8)], end: End::Jump(3) },
        Block { steps: vec![copy], end: End::Branch { cond: less(3, 2), yes: 4, no: 6 } },
        Block { steps: Vec::new(), end: End::Branch { cond: less(1, 0), yes: 5, no: 6 } },
        Block { steps: vec![Step::Assign { var: 1, value: plus(1, 1, INT) }], end: End::Jump(4) },
        Block { steps: Vec::new(), end: End::Return(None) },
    ];
    f.loops = vec![a_loop("f", 4, &[4, 5], None)];
    let near = |f: &Function, keep: &[usize]| made_from(&all(vec![f.clone()]), 0, keep, false, Start::Near);
    let m = near(&f, &[0, 1, 2, 3]);
    assert!(
        m.begins(&[(0, 9), (1, 5), (2, 6), (3, 5)]),
        "what stands before the block where ways meet is not looked at"
    );
    assert!(!m.begins(&[(1, 5), (3, 6)]) && !m.begins(&[(2, 5), (3, 5)]), "k is i, and less than j");
    assert!(m.allows(&[(0, 9), (1, 5)], &[(0, 9), (1, 6)]), "later rounds begin anywhere");
    // Only one way leads there: then it is known as far as it goes.
    let mut straight = f.clone();
    straight.blocks[2].end = End::Ub;
    assert!(!near(&straight, &[0, 1]).begins(&[(1, 8)]) && near(&straight, &[0, 1]).begins(&[(0, 3), (1, 7)]));
    // From two blocks.
    let mut two = f.clone();
    two.blocks[2].end = End::Jump(4);
    assert!(near(&two, &[1, 3]).begins(&[(1, 5), (3, 6)]));
    // A function begins at its first block, whoever leads there besides.
    let mut again = f.clone();
    again.blocks = vec![
        Block { steps: vec![crate::set(3, 1)], end: End::Jump(1) },
        Block { steps: Vec::new(), end: End::Branch { cond: less(1, 0), yes: 2, no: 3 } },
        Block { steps: vec![Step::Assign { var: 1, value: plus(1, 1, INT) }], end: End::Jump(1) },
        Block { steps: vec![set(1, 2)], end: End::Choose(vec![0, 4]) },
        Block { steps: Vec::new(), end: End::Return(None) },
    ];
    again.loops = vec![a_loop("f", 0, &[0, 1, 2, 3], None), a_loop("f", 1, &[1, 2], Some(0))];
    let m = made_from(&all(vec![again]), 1, &[1, 3], false, Start::Near);
    assert!(m.begins(&[(1, 77), (3, 77)]) && !m.begins(&[(1, 77), (3, 78)]));
    // Entered past its header.
    f.blocks[0].end = End::Choose(vec![1, 2, 5]);
    let functions = all(vec![f]);
    let effects = Effects::of(&functions);
    let site = Site { functions: &functions, effects: &effects, function: 0, of: 0, entered: None };
    let keep = Keep { vars: BTreeSet::from([1]), start: Start::Near };
    assert_eq!(derive(site, &Places::of(site), &keep).err(), Some(Refusal::Irreducible));
}

#[test]
fn a_second_round_begins_where_the_first_one_leads() {
    // for (;;) { k = 3; if (i < n) i++; else leave; }
    let mut f = function("f", &[("i", INT), ("n", INT), ("k", INT)]);
    let steps = vec![Step::Assign { var: 0, value: plus(0, 1, INT) }];
    let three = Step::Assign { var: 2, value: Expr::constant(3, INT) };
    f.blocks = vec![
        Block { steps: Vec::new(), end: End::Jump(1) },
        Block { steps: vec![three], end: End::Branch { cond: less(0, 1), yes: 2, no: 3 } },
        Block { steps, end: End::Jump(1) },
        Block { steps: Vec::new(), end: End::Return(None) },
    ];
    f.loops = vec![a_loop("f", 1, &[1, 2], None)];
    let functions = all(vec![f]);
    let m = made_from(&functions, 0, &[0, 1, 2], false, Start::SecondRound);
    assert!(m.begins(&[(0, 5), (1, 5), (2, 3)]) && !m.begins(&[(2, 4)]) && !m.begins(&[(0, 6), (1, 5)]));
    assert!(m.allows(&[(0, 4), (1, 5)], &[(0, 5)]));
    assert!(made(&functions, 0, &[0, 1, 2], false).begins(&[(0, 6), (1, 5), (2, 4)]));
}

#[test]
fn callees_write_what_their_stores_and_callees_write() {
    // `set` writes 4 bytes at offset 8 of what its first parameter points to; `via` calls it with its own parameter moved by 4.
    let mut set = function("set", &[("p", ADDRESS)]);
    set.params = 1;
    set.blocks = vec![Block { steps: vec![store(plus(0, 8, ADDRESS), 1)], end: End::Return(None) }];
    let mut via = function("via", &[("q", ADDRESS)]);
    via.params = 1;
    let inner = call(vec![Target::Function(1)], vec![Some(plus(0, 4, ADDRESS))]);
    via.blocks = vec![Block { steps: vec![inner], end: End::Return(None) }];
    let changes = |offset: i32, callee: usize, arg: Option<Expr>| {
        let steps = vec![load(1, plus(0, offset, ADDRESS)), call(vec![Target::Function(callee)], vec![arg])];
        let f = forever(&[("s", ADDRESS), ("x", INT), ("r", ADDRESS)], steps);
        let functions = all(vec![f, set.clone(), via.clone()]);
        let m = made(&functions, 0, &[], true);
        let p = m.place(0, i64::from(offset));
        m.allows(&[(p, 3)], &[(p, 77)])
    };
    assert!(!changes(0, 1, Some(var(0))) && changes(8, 1, Some(var(0))) && changes(6, 1, Some(var(0))));
    assert!(!changes(8, 2, Some(var(0))) && changes(12, 2, Some(var(0))));
    assert!(changes(0, 1, Some(var(2))), "r may point anywhere");
    assert!(changes(0, 1, None), "it is called in another way than it is written");
    assert!(changes(0, 1, Some(plus(0, -8, ADDRESS))));
    // A parameter that is changed is none any more.
    set.blocks[0].steps.insert(0, Step::Assign { var: 0, value: var(0) });
    let functions = all(vec![forever(&[("s", ADDRESS)], Vec::new()), set]);
    assert_eq!(Effects::of(&functions).function(1).rest, Writes::Exposed);
}

#[test]
fn a_global_without_bounds_may_lead_into_others_in_a_callee_too() {
    // `set` writes the global b. Of a is read in the loop, and it is another one; but b may be a linker's symbol.
    let changes = |bounded: bool, private: bool, which: usize| {
        let mut set = function("set", &[("&b", ADDRESS)]);
        set.vars[0].object = Some(ObjectRef::Global(1));
        set.blocks = vec![Block { steps: vec![store(var(0), 1)], end: End::Return(None) }];
        let steps = vec![load(1, var(0)), call(vec![Target::Function(1)], Vec::new())];
        let mut f = forever(&[("&a", ADDRESS), ("x", INT)], steps);
        f.vars[0].object = Some(ObjectRef::Global(which));
        let mut functions = all(vec![f, set]);
        let object = |bounded: bool| Object { private, constant: false, bounded };
        functions.globals = vec![object(true), object(bounded)];
        let m = made(&functions, 0, &[], true);
        let p = m.place(0, 0);
        m.allows(&[(p, 3)], &[(p, 77)])
    };
    assert!(!changes(true, false, 0), "two objects with bounds are apart");
    assert!(changes(false, false, 0), "one without bounds may be the other");
    assert!(!changes(false, true, 0), "nothing else leads to a private one");
    assert!(changes(true, false, 1) && changes(true, true, 1), "it is the one that is written");
}

#[test]
fn an_inner_loop_leaves_what_it_assigns_unknown() {
    // for (;;) { while (j < n) { j++; } i++; }
    let mut f = function("f", &[("i", INT), ("j", INT), ("n", INT), ("other", INT)]);
    let set = |v: usize| Step::Assign { var: v, value: plus(v, 1, INT) };
    f.blocks = vec![
        Block { steps: Vec::new(), end: End::Jump(1) },
        Block { steps: Vec::new(), end: End::Jump(2) },
        Block { steps: Vec::new(), end: End::Branch { cond: less(1, 2), yes: 3, no: 4 } },
        Block { steps: vec![set(1)], end: End::Jump(2) },
        Block { steps: vec![set(0)], end: End::Jump(1) },
    ];
    f.loops = vec![a_loop("f", 1, &[1, 2, 3, 4], None), a_loop("f", 2, &[2, 3], Some(0))];
    let functions = all(vec![f.clone()]);
    let m = made(&functions, 0, &[0, 1, 2, 3], false);
    assert!(m.allows(&[(0, 1), (1, 0), (2, 9), (3, 4)], &[(0, 2), (1, 9), (2, 9), (3, 4)]));
    assert!(!m.allows(&[(1, 0), (2, 9)], &[(1, 8), (2, 9)]), "it is left where j is n at least");
    assert!(!m.allows(&[(3, 4)], &[(3, 5)]) && !m.allows(&[(0, 1)], &[(0, 3)]));
    // A block to which nothing leads enters nothing.
    f.blocks.push(Block { steps: Vec::new(), end: End::Jump(3) });
    let functions = all(vec![f.clone()]);
    assert!(made(&functions, 0, &[0], false).allows(&[(0, 1)], &[(0, 2)]));
    f.blocks.pop();
    // Entered elsewhere than at its header.
    f.blocks[1].end = End::Choose(vec![2, 3]);
    let functions = all(vec![f.clone()]);
    let effects = Effects::of(&functions);
    let site = Site { functions: &functions, effects: &effects, function: 0, of: 0, entered: None };
    let refused = derive(site, &Places::of(site), &Keep::default());
    assert_eq!(refused.err(), Some(Refusal::Irreducible));
    f.strange = Some("setjmp".into());
    let functions = all(vec![f]);
    let site = Site { functions: &functions, ..site };
    let refused = derive(site, &Places::of(site), &Keep::default());
    assert_eq!(refused.err(), Some(Refusal::Strange("setjmp".into())));
}

/// `while (i < n) { i++; steps }`
fn counting(name: &str, steps: Vec<Step>) -> Function {
    let mut f = function(name, &[("i", INT), ("n", INT)]);
    let mut body = vec![Step::Assign { var: 0, value: plus(0, 1, INT) }];
    body.extend(steps);
    f.blocks = vec![
        Block { steps: Vec::new(), end: End::Branch { cond: less(0, 1), yes: 1, no: 2 } },
        Block { steps: body, end: End::Jump(0) },
        Block { steps: Vec::new(), end: End::Return(None) },
    ];
    f.loops = vec![a_loop(name, 0, &[0, 1], None)];
    f
}

/// The view of a function's loop that keeps `i` and `n`, its system and the proof that it ends.
fn with_proof<T>(functions: &Functions, f: usize, then: impl FnOnce(&View, &System<'_>, &Proved) -> T) -> T {
    let effects = Effects::of(functions);
    let site = Site { functions, effects: &effects, function: f, of: 0, entered: None };
    let keep = Keep { vars: [0, 1].into(), start: Start::Anywhere };
    let view = derive(site, &Places::of(site), &keep).expect("there is a view");
    proved(&view, |terms, var| terms.apply(Op::IntSub, &[var("n"), var("i")]), then)
}

/// A view, its system, and the proof that something falls in it.
fn proved<T>(
    view: &View,
    falls: impl FnOnce(&Terms, &dyn Fn(&str) -> Term) -> Term,
    then: impl FnOnce(&View, &System<'_>, &Proved) -> T,
) -> T {
    let ts = neutral::lower(view.program(), Semantics::CTerminates);
    let system = System::verify(&ts, &mut Z3Solver::new().direct(), Limit::default()).expect("its guards are total");
    let header = system.forest().loops.iter().next().expect("a loop").header;
    let var = |name: &str| ts.vars.iter().find(|v| v.name == name).expect("it is kept").term;
    let term = falls(&ts.terms, &var);
    let measures = BTreeMap::from([(header, vec![Measure { order: Order::Int, term }])]);
    let certificate = Certificate::Ranking { outline: Outline::default(), measures };
    let (hash, property, when) = (system.hash(), Property::Terminates(header), ts.terms.tt());
    let claim = Claim { system: hash, property, when, certificate };
    let proved = check(&system, &claim, &mut Z3Solver::new().direct(), Limit::default()).expect("it falls");
    then(view, &system, &proved)
}

fn ending(functions: &Functions, f: usize) -> Ending {
    with_proof(functions, f, |view, system, proved| {
        Ending::of(view, Semantics::CTerminates, system, proved).expect("it is the proof of this view")
    })
}

#[test]
fn a_proof_is_about_its_own_view_only() {
    let functions = all(vec![counting("f", Vec::new()), counting("g", vec![Step::Fresh { var: 1 }])]);
    let slow = all(vec![counting("f", vec![Step::Assign { var: 0, value: plus(0, 1, INT) }])]);
    with_proof(&slow, 0, |other, _, _| {
        with_proof(&functions, 0, |view, system, proved| {
            assert!(Ending::of(view, Semantics::CTerminates, system, proved).is_some());
            assert!(Ending::of(other, Semantics::CTerminates, system, proved).is_none(), "another view");
            assert!(Ending::of(view, Semantics::Ideal, system, proved).is_none(), "another semantics");
        });
    });
    with_proof(&functions, 0, |view, system, _| {
        with_proof(&functions, 0, |_, _, proved| {
            assert!(Ending::of(view, Semantics::CTerminates, system, proved).is_none(), "another system");
        });
    });
}

#[test]
fn a_loop_ends_only_if_all_that_it_calls_returns() {
    let calls = |f: usize| call(vec![Target::Function(f)], Vec::new());
    let list = vec![
        counting("f", vec![calls(1)]),
        counting("g", vec![call(vec![outside()], Vec::new())]),
        counting("calls itself", vec![calls(2)]),
        counting("calls that", vec![calls(2)]),
        Function { strange: Some("setjmp".into()), ..function("strange", &[]) },
        counting("calls strange", vec![calls(4)]),
    ];
    let functions = all(list);
    let ends: Vec<Ending> = [0, 1, 2, 3, 5].map(|f| ending(&functions, f)).to_vec();
    let mut cover = Cover::new(&functions, ends.iter().copied());
    let rest = cover.ends(0, 0).expect("f and g are shown to end");
    assert_eq!(rest.loops, BTreeSet::from([(0, 0), (1, 0)]));
    let assumed: Vec<&str> = rest.assumed.iter().map(|n| cover.assumptions()[*n].text.as_str()).collect();
    assert_eq!(assumed, ["`g` returns"]);
    assert_eq!(cover.ends(2, 0), Err(Left::Recursion(2)));
    assert_eq!(cover.ends(3, 0), Err(Left::Recursion(2)));
    assert_eq!(cover.ends(5, 0), Err(Left::Strange(4)));
    assert!(cover.program(0).is_ok() && cover.program(3).is_err());
    // Without the proof for `g` neither ends.
    let mut cover = Cover::new(&functions, [ends[0]]);
    assert_eq!((cover.ends(0, 0), cover.ends(1, 0)), (Err(Left::Loop(1, 0)), Err(Left::Loop(1, 0))));
    // Nor does a program in which the library may run something that is open.
    let mut functions = Functions { taken: vec![2], ..functions };
    functions.list[0].name = "main".into();
    let cover = Cover::new(&functions, ends.iter().copied());
    assert_eq!(cover.program(0), Err(Left::Recursion(2)));
    let functions = Functions { taken: Vec::new(), at_exit: true, ..functions };
    let cover = Cover::new(&functions, ends.iter().copied());
    assert_eq!(cover.program(0), Err(Left::AtExit), "one may register the next for ever");
    // That is about programs. A function by itself returns, unless it ends the program.
    let mut functions = Functions { taken: vec![2], ..functions };
    functions.list[0].name = "f".into();
    assert!(Cover::new(&functions, ends.iter().copied()).program(0).is_ok());
    let leaving = all(vec![counting("f", vec![call(vec![Target::AtExit], Vec::new())])]);
    let end = ending(&leaving, 0);
    assert_eq!(Cover::new(&leaving, [end]).ends(0, 0), Err(Left::AtExit));
}

#[test]
fn an_outer_loop_ends_only_if_the_inner_ones_do() {
    let mut f = counting("f", Vec::new());
    f.loops[0].body = vec![0, 1, 3];
    f.blocks[1].end = End::Jump(3);
    f.blocks.push(Block { steps: Vec::new(), end: End::Choose(vec![3, 0]) });
    f.loops.push(a_loop("f", 3, &[3], Some(0)));
    let functions = all(vec![f]);
    let outer = ending(&functions, 0);
    assert_eq!(Cover::new(&functions, [outer]).ends(0, 0), Err(Left::Loop(0, 1)));
}

/// The pointer at byte 8 of a struct cell.
fn link(address: Expr) -> Access {
    let member = Some(("cell#1".to_owned(), 8, BTreeSet::from(["int/".to_owned()])));
    let by = Arc::new(AccessType { path: "char/pointer/".to_owned(), member });
    Access { address, bytes: Some(8), ty: Some(ADDRESS), by: Some(by) }
}
fn follow(var: usize, from: usize) -> Step {
    Step::Load { var, at: link(plus(from, 8, ADDRESS)) }
}
fn relink(cell: usize, to: usize) -> Step {
    Step::Store { at: link(plus(cell, 8, ADDRESS)), value: Some(var(to)) }
}
fn set(to: usize, from: usize) -> Step {
    Step::Assign { var: to, value: var(from) }
}

/// What is said of the first loop of some functions as one that walks along links, and whether that rests on types.
fn walk(functions: &Functions) -> Option<(String, bool)> {
    let effects = Effects::of(functions);
    let site = Site { functions, effects: &effects, function: 0, of: 0, entered: None };
    let view = derive_walk(site, &Places::of(site)).expect("there is no reason against a view")?;
    Some((view.when().expect("it has a condition").to_string(), view.uses_types()))
}

/// `for (;;) steps` over a cursor `c` and two more cells.
fn walks(steps: Vec<Step>) -> Option<(String, bool)> {
    let mut functions = all(vec![forever(&[("c", ADDRESS), ("next", ADDRESS), ("other", ADDRESS)], steps)]);
    functions.members.insert(("cell".to_owned(), 8), "next".to_owned());
    walk(&functions)
}

#[test]
fn a_loop_that_follows_a_link_in_each_round_ends_without_a_cycle() {
    let plain = Some(("no cycle is reached from `c` along `next`".to_owned(), false));
    assert_eq!(walks(vec![follow(0, 0)]), plain);
    assert_eq!(walks(vec![follow(1, 0), set(0, 1)]), plain);
    assert_eq!(walks(vec![follow(1, 0), follow(0, 1)]), plain, "two links in one round");
    assert_eq!(walks(vec![follow(1, 0)]), None, "the cursor stays");
    assert_eq!(walks(vec![follow(0, 2)]), None, "another cell's link is followed");
    assert_eq!(walks(vec![follow(0, 0), set(0, 2)]), None, "it goes somewhere else in the end");
    assert_eq!(walks(vec![follow(1, 0), Step::Assign { var: 0, value: plus(1, 8, ADDRESS) }]), None, "that is no cell");
    assert_eq!(walks(vec![Step::Load { var: 0, at: at(plus(0, 8, ADDRESS)) }]), None, "that is no pointer");
}

#[test]
fn links_that_are_written_are_not_followed() {
    assert_eq!(walks(vec![relink(2, 0), follow(0, 0)]), None, "the other cell may be one ahead");
    assert_eq!(walks(vec![follow(0, 0), relink(2, 0)]), None, "or be reached in a later round");
    assert_eq!(walks(vec![relink(0, 2), follow(0, 0)]), None, "it goes where the store says");
    let (when, uses_types) = walks(vec![follow(1, 0), relink(0, 2), set(0, 1)]).expect("it was followed before");
    assert_eq!((&*when, uses_types), ("no cycle is reached from `c` along `next`", true));
    assert_eq!(walks(vec![follow(1, 0), relink(1, 2), set(0, 1)]), None, "the cell ahead gets another link");
    assert_eq!(walks(vec![follow(1, 0), relink(0, 2), follow(1, 0), set(0, 1)]), None, "the link is read again");
    let untyped = Step::Store { at: Access { by: None, ..link(plus(0, 8, ADDRESS)) }, value: Some(var(2)) };
    assert_eq!(walks(vec![follow(1, 0), untyped, set(0, 1)]), None, "it may be half of another cell's link");
    let half = Step::Store { at: Access { bytes: Some(4), ..link(plus(0, 8, ADDRESS)) }, value: None };
    assert_eq!(walks(vec![follow(1, 0), half, set(0, 1)]), None);
    let character = Step::Store { at: Access { by: None, bytes: Some(1), ty: None, address: var(2) }, value: None };
    assert_eq!(walks(vec![follow(0, 0), character]), None, "a character is a byte of anything");
    let number = Access { by: Some(Arc::new(AccessType { path: "char/int/".to_owned(), member: None })), ..at(var(2)) };
    let (_, uses_types) =
        walks(vec![follow(0, 0), Step::Store { at: number, value: None }]).expect("no link is an int");
    assert!(uses_types);
}

#[test]
fn what_is_called_must_leave_links_alone() {
    let (when, _) = walks(vec![call(vec![outside()], vec![Some(var(0))]), follow(0, 0)]).expect("it may");
    assert_eq!(when, "no cycle is reached from `c` along `next`, and `g` leaves the links ahead as they are");
    assert_eq!(walks(vec![call(vec![Target::AtExit], Vec::new()), follow(0, 0)]), None, "nobody knows who that is");
    assert_eq!(walks(vec![call(vec![Target::Waits("g".into())], Vec::new()), follow(0, 0)]), None);
}

#[test]
fn each_way_round_must_follow_a_link() {
    // for (;;) { if (flag) c = c->next; }, and the same with a link on both sides.
    let made = |other: Vec<Step>| {
        let flag = IntType::unsigned(1);
        let mut f = function("f", &[("c", ADDRESS), ("flag", flag)]);
        let cond = Cond::cmp(CmpOp::Ne, flag, var(1), Expr::constant(0, flag));
        f.blocks = vec![
            Block { steps: vec![Step::Fresh { var: 1 }], end: End::Branch { cond, yes: 1, no: 2 } },
            Block { steps: vec![follow(0, 0)], end: End::Jump(3) },
            Block { steps: other, end: End::Jump(3) },
            Block { steps: Vec::new(), end: End::Choose(vec![0, 4]) },
            Block { steps: Vec::new(), end: End::Return(None) },
        ];
        f.loops = vec![a_loop("f", 0, &[0, 1, 2, 3], None)];
        walk(&all(vec![f]))
    };
    assert_eq!(made(Vec::new()), None);
    let (when, _) = made(vec![follow(0, 0), follow(0, 0)]).expect("one link or two");
    assert_eq!(when, "no cycle is reached from `c` along the pointer at byte 8");
}

/// Whether `while (c) steps` ends exactly if no cell comes twice. `values` are more variables.
fn is_exact(values: &[(&str, IntType)], steps: Vec<Step>) -> bool {
    is_exact_with(values, steps, |f| f)
}

fn is_exact_with(values: &[(&str, IntType)], steps: Vec<Step>, change: impl FnOnce(Function) -> Function) -> bool {
    condition_of(values, steps, change).1
}

/// What is said of such a walk, and whether it is exact.
fn condition_of(
    values: &[(&str, IntType)],
    steps: Vec<Step>,
    change: impl FnOnce(Function) -> Function,
) -> (String, bool) {
    let vars: Vec<(&str, IntType)> =
        [("c", ADDRESS), ("next", ADDRESS)].into_iter().chain(values.iter().copied()).collect();
    let mut f = function("f", &vars);
    let ends = Cond::cmp(CmpOp::Eq, ADDRESS, var(0), Expr::constant(0, ADDRESS));
    f.blocks = vec![
        Block { steps: Vec::new(), end: End::Branch { cond: ends, yes: 2, no: 1 } },
        Block { steps, end: End::Jump(0) },
        Block { steps: Vec::new(), end: End::Return(None) },
    ];
    f.loops = vec![a_loop("f", 0, &[0, 1], None)];
    let functions = all(vec![change(f)]);
    let effects = Effects::of(&functions);
    let site = Site { functions: &functions, effects: &effects, function: 0, of: 0, entered: None };
    let view = derive_walk(site, &Places::of(site)).expect("there is no reason against a view");
    let view = view.expect("it walks along links");
    let when = view.when().expect("it has a condition");
    (when.to_string(), when.is_exact())
}

/// A number of the cell behind `from`, by a type that no link has.
fn key(address: Expr) -> Access {
    let by = Arc::new(AccessType { path: "char/int/".to_owned(), member: None });
    Access { address, bytes: Some(4), ty: Some(INT), by: Some(by) }
}
fn look(to: usize, from: Expr) -> Step {
    Step::Load { var: to, at: key(from) }
}

#[test]
fn a_loop_that_knows_its_cursor_only_runs_for_ever_exactly_on_a_ring() {
    assert!(is_exact(&[], vec![follow(0, 0)]));
    assert!(is_exact(&[], vec![follow(1, 0), set(0, 1)]));
    // What counts, and decides nothing, may overflow.
    let count = |v: usize| Step::Assign { var: v, value: plus(v, 1, INT) };
    assert!(is_exact(&[("n", INT)], vec![count(2), follow(0, 0)]));
    // What decides is carried on, in a variable or in memory.
    let until = |v: usize| Step::Require(less(v, v));
    assert!(!is_exact(&[("n", INT)], vec![until(2), count(2), follow(0, 0)]));
    assert!(!is_exact(&[("n", INT)], vec![count(2), until(2), follow(0, 0)]));
    assert!(!is_exact(
        &[("n", INT), ("m", INT)],
        vec![until(3), Step::Assign { var: 3, value: var(2) }, count(2), follow(0, 0)]
    ));
    // A number of the cell decides, or one of the cell before.
    assert!(is_exact(&[("n", INT)], vec![look(2, var(0)), until(2), follow(0, 0)]));
    assert!(!is_exact(&[("n", INT)], vec![until(2), look(2, var(0)), follow(0, 0)]));
    // It is written in the loop, in this cell or who knows where; or is no such number.
    let write = |to: Expr| Step::Store { at: key(to), value: None };
    assert!(is_exact(&[("n", INT)], vec![write(var(0)), follow(0, 0)]));
    assert!(!is_exact(&[("n", INT)], vec![look(2, var(0)), until(2), write(var(0)), follow(0, 0)]));
    assert!(!is_exact(&[("n", INT), ("p", ADDRESS)], vec![look(2, var(0)), until(2), write(var(3)), follow(0, 0)]));
    // Nobody knows it, it is no number, or it may overflow.
    assert!(!is_exact(&[("n", INT)], vec![Step::Fresh { var: 2 }, until(2), follow(0, 0)]));
    let part = Step::Load { var: 2, at: Access { ty: None, ..key(var(0)) } };
    assert!(!is_exact(&[("n", INT)], vec![part, until(2), follow(0, 0)]));
    assert!(!is_exact(
        &[("n", INT)],
        vec![look(2, var(0)), Step::Assign { var: 2, value: plus(2, 1, INT) }, until(2), follow(0, 0)]
    ));
    // An address that moves on leaves its object some time.
    let ahead = Step::Assign { var: 2, value: plus(2, 4, ADDRESS) };
    assert!(!is_exact(&[("p", ADDRESS)], vec![write(var(2)), ahead, follow(0, 0)]));
    // A call may do anything.
    assert!(!is_exact(&[], vec![call(vec![outside()], Vec::new()), follow(0, 0)]));
    // Where it goes on is not known.
    assert!(!is_exact_with(&[], vec![follow(0, 0)], |mut f| {
        f.blocks[1].end = End::Choose(vec![0, 2]);
        f
    }));
}

#[test]
fn a_round_over_several_links_is_told_apart() {
    let told = |steps: Vec<Step>| condition_of(&[], steps, |f| f).0;
    let one = told(vec![follow(0, 0)]);
    assert!(one.contains("no cell comes twice"), "{one}");
    let two = told(vec![follow(1, 0), follow(0, 1)]);
    assert!(two.contains("no two iterations begin with `c` at one cell"), "{two}");
}

#[test]
fn what_a_loop_writes_in_an_object_of_its_own_is_carried_on() {
    // n = own; require n < n; own = ...; the object is private, so that no other address leads there.
    let with_object = |mut f: Function| {
        f.locals = vec![Object { private: true, constant: false, bounded: true }];
        f.vars[3].object = Some(ObjectRef::Local(0));
        f
    };
    let own = || key(var(3));
    let steps = |first: bool| {
        let write = Step::Store { at: own(), value: None };
        let read = vec![Step::Load { var: 2, at: own() }, Step::Require(less(2, 2))];
        let mut all = if first { vec![write.clone()] } else { Vec::new() };
        all.extend(read);
        all.extend((!first).then_some(write));
        all.push(follow(0, 0));
        all
    };
    let vars = [("n", INT), ("&own", ADDRESS)];
    assert!(!is_exact_with(&vars, steps(false), with_object));
    assert!(!is_exact_with(&vars, steps(true), with_object));
    let reads = vec![Step::Load { var: 2, at: own() }, Step::Require(less(2, 2)), follow(0, 0)];
    assert!(!is_exact_with(&vars, reads, with_object), "what nobody has written may be something else at each read");
}

#[test]
fn a_condition_is_handed_on_and_never_met_here() {
    // f walks along a list; g calls f in a loop that ends by itself.
    let f = forever(&[("c", ADDRESS)], vec![follow(0, 0)]);
    let functions = all(vec![f, counting("g", vec![call(vec![Target::Function(0)], Vec::new())])]);
    let effects = Effects::of(&functions);
    let site = Site { functions: &functions, effects: &effects, function: 0, of: 0, entered: None };
    let view = derive_walk(site, &Places::of(site)).expect("a view").expect("it walks along links");
    let walked = proved(
        &view,
        |_, var| var("links to come"),
        |view, system, proved| {
            Ending::of(view, Semantics::CTerminates, system, proved).expect("it is the proof of this view")
        },
    );
    let ends = [walked, ending(&functions, 1)];
    let mut cover = Cover::new(&functions, ends);
    let conditions = |rest: Result<Rest, Left>| rest.expect("it ends, under a condition").conditions;
    assert_eq!(conditions(cover.ends(0, 0)), BTreeSet::from([(0, 0)]));
    assert_eq!(conditions(cover.ends(1, 0)), BTreeSet::from([(0, 0)]), "what is called has the condition");
    assert_eq!(cover.program(0), Err(Left::Condition(0, 0)));
    assert_eq!(cover.program(1), Err(Left::Condition(0, 0)));
}

/// A function that takes some of its variables, and has the rest for itself.
fn taking(name: &str, params: usize, vars: &[(&str, IntType)], blocks: Vec<Block>) -> Function {
    Function { params, blocks, ..function(name, vars) }
}

/// `result = f(args)`.
fn called(f: usize, args: Vec<Option<(Expr, IntType)>>, result: Option<usize>) -> Step {
    let targets = vec![Target::Function(f)];
    Step::Call(Call { callee: "`g`".into(), targets, writes: Writes::Exposed, args, result })
}

fn given_back(value: Expr, ty: IntType) -> End {
    End::Return(Some((value, ty)))
}

#[test]
fn what_an_entered_callee_gives_back_is_known() {
    let i = (var(0), INT);
    // int g(int k) { return k - 1; }  for (;;) i = g(i);
    let minus_one = || Block { steps: Vec::new(), end: given_back(plus(0, -1, INT), INT) };
    let f = || forever(&[("i", INT)], vec![called(1, vec![Some(i.clone())], Some(0))]);
    let m = made_with_callees(&all(vec![f(), taking("g", 1, &[("k", INT)], vec![minus_one()])]), &[0]);
    assert!(m.allows(&[(0, 5)], &[(0, 4)]) && !m.allows(&[(0, 5)], &[(0, 5)]));
    // A parameter that the callee assigns is its own: k = 7; return k - 1, and i stays as it was.
    let assigns = Block { steps: vec![Step::Assign { var: 0, value: Expr::constant(7, INT) }], ..minus_one() };
    let keeps_i = forever(&[("i", INT), ("r", INT)], vec![called(1, vec![Some(i.clone())], Some(1))]);
    let m = made_with_callees(&all(vec![keeps_i, taking("g", 1, &[("k", INT)], vec![assigns])]), &[0, 1]);
    assert!(m.allows(&[(0, 5), (1, 0)], &[(0, 5), (1, 6)]));
    assert!(!m.allows(&[(0, 5), (1, 0)], &[(0, 7)]) && !m.allows(&[(0, 5), (1, 0)], &[(1, 4)]));
    // A result of another type is converted: unsigned char g(int k) { return k - 1; }
    let byte = IntType::unsigned(8);
    let narrow = Block { steps: Vec::new(), end: given_back(Expr::cast(INT, byte, plus(0, -1, INT)), byte) };
    let m = made_with_callees(&all(vec![f(), taking("g", 1, &[("k", INT)], vec![narrow])]), &[0]);
    assert!(m.allows(&[(0, 0)], &[(0, 255)]) && !m.allows(&[(0, 0)], &[(0, -1)]));
    // Nothing given back is anything.
    let nothing = Block { steps: Vec::new(), end: End::Return(None) };
    let m = made_with_callees(&all(vec![f(), taking("g", 1, &[("k", INT)], vec![nothing])]), &[0]);
    assert!(m.allows(&[(0, 5)], &[(0, 77)]));
    // An argument of which nothing is known may be anything.
    let f = forever(&[("i", INT)], vec![called(1, vec![None], Some(0))]);
    let m = made_with_callees(&all(vec![f, taking("g", 1, &[("k", INT)], vec![minus_one()])]), &[0]);
    assert!(m.allows(&[(0, 5)], &[(0, 77)]));
}

#[test]
fn an_entered_callee_may_be_left_by_an_exception() {
    // for (;;) try { i = g(i); } catch (...) { }, where g calls something from elsewhere and returns k - 1. Block 1 ends like an `invoke`.
    let catching = |callee: usize| {
        let mut f = forever(&[("i", INT), ("r", INT)], Vec::new());
        let End::Branch { .. } = f.blocks[1].end.clone() else { panic!("it branches") };
        let back = std::mem::replace(&mut f.blocks[1].end, End::Choose(vec![3, 4]));
        f.blocks[1].steps.push(called(callee, vec![Some((var(0), INT))], Some(1)));
        f.blocks.push(Block { steps: vec![Step::Assign { var: 0, value: var(1) }], end: back.clone() });
        f.blocks.push(Block { steps: Vec::new(), end: back });
        f.loops = vec![a_loop("f", 1, &[1, 3, 4], None)];
        f
    };
    let of = |steps: Vec<Step>, end: End| taking("g", 1, &[("k", INT)], vec![Block { steps, end }]);
    let less_one = || given_back(plus(0, -1, INT), INT);
    let stays = |list: Vec<Function>| {
        let m = made_with_callees(&all(list), &[0, 1]);
        assert!(m.allows(&[(0, 5)], &[(0, 4)]), "it may return");
        m.allows(&[(0, 5)], &[(0, 5)])
    };
    assert!(stays(vec![catching(1), of(vec![call(vec![outside()], Vec::new())], less_one())]), "g may throw");
    // The same one call further in, also where the calls in between have no handlers.
    let inner = of(vec![call(vec![outside()], Vec::new())], less_one());
    let through = of(vec![called(2, vec![Some((var(0), INT))], Some(0))], given_back(var(0), INT));
    assert!(stays(vec![catching(1), through, inner]), "what g calls may throw");
    // One that ends in another way than by returning.
    let throws = vec![
        Block { steps: Vec::new(), end: End::Choose(vec![1, 2]) },
        Block { steps: Vec::new(), end: End::Gone },
        Block { steps: Vec::new(), end: less_one() },
    ];
    assert!(stays(vec![catching(1), taking("g", 1, &[("k", INT)], throws)]), "g throws");
    // Without a handler whoever is left is left for good.
    let plain = forever(&[("i", INT)], vec![called(1, vec![Some((var(0), INT))], Some(0))]);
    assert!(!stays(vec![plain, of(vec![call(vec![outside()], Vec::new())], less_one())]));
}

#[test]
fn a_local_object_of_an_entered_callee_is_another_one_each_time() {
    // a = b; b = address of a local object of g.
    let set = |to: usize, from: usize| Step::Assign { var: to, value: var(from) };
    let steps = vec![set(0, 1), called(1, Vec::new(), Some(1))];
    let f = forever(&[("a", ADDRESS), ("b", ADDRESS)], steps);
    let mut g = taking("g", 0, &[("&x", ADDRESS)], vec![Block { steps: Vec::new(), end: given_back(var(0), ADDRESS) }]);
    g.vars[0].object = Some(ObjectRef::Local(0));
    g.locals = vec![Object { private: false, constant: false, bounded: true }];
    let m = made_with_callees(&all(vec![f, g]), &[0, 1]);
    assert!(m.allows(&[(0, 1), (1, 2)], &[(0, 2), (1, 3)]), "somewhere else than before");
    assert!(m.allows(&[(0, 1), (1, 2)], &[(0, 2), (1, 2)]), "or at the same address");
    // What is in a private one is lost with it: i = *&x; *&x = 5.
    let kept = vec![load(1, var(0)), store(var(0), 5)];
    let mut g =
        taking("g", 0, &[("&x", ADDRESS), ("y", INT)], vec![Block { steps: kept, end: given_back(var(1), INT) }]);
    g.vars[0].object = Some(ObjectRef::Local(0));
    g.locals = vec![Object { private: true, constant: false, bounded: true }];
    let f = forever(&[("i", INT)], vec![called(1, Vec::new(), Some(0))]);
    let m = made_with_callees(&all(vec![f, g]), &[0]);
    assert!(m.allows(&[(0, 5)], &[(0, 77)]));
}

#[test]
fn what_is_entered_has_fitting_arguments_and_entries_of_its_own() {
    let g = || taking("g", 1, &[("k", INT)], vec![Block { steps: Vec::new(), end: given_back(var(0), INT) }]);
    let f = |args: Vec<Option<(Expr, IntType)>>| forever(&[("i", INT)], vec![called(1, args, Some(0))]);
    let one = || vec![Some((var(0), INT))];
    assert!(enter(&all(vec![f(one()), g()]), 0, 0).is_some());
    assert!(enter(&all(vec![f(Vec::new()), g()]), 0, 0).is_none(), "an argument is missing");
    let mut strange = g();
    strange.strange = Some("setjmp".into());
    assert!(enter(&all(vec![f(one()), strange]), 0, 0).is_none(), "control may come back to it");
    // A function that others may replace, or that is one of several, is not entered.
    let mut several = f(one());
    let Step::Call(call) = &mut several.blocks[1].steps[1] else { panic!("it is the call") };
    call.targets.push(outside());
    assert!(enter(&all(vec![several, g()]), 0, 0).is_none());
    // A recursion is entered once; what it calls then is a call.
    let again =
        taking("g", 1, &[("k", INT)], vec![Block { steps: vec![called(1, one(), Some(0))], ..g().blocks[0].clone() }]);
    let m = made_with_callees(&all(vec![f(one()), again]), &[0]);
    assert!(m.allows(&[(0, 5)], &[(0, 77)]));
}

#[test]
fn the_only_call_says_what_arguments_are() {
    // static void g(int n, int step) { for (;;) i += step; }, and f calls g(n, 4).
    let g = || {
        let mut g = taking("g", 2, &[("n", INT), ("step", INT), ("i", INT)], Vec::new());
        let sum = Expr::Binary {
            op: BinaryOp::Add,
            ty: INT,
            overflow: Overflow::Undefined,
            left: Arc::new(var(2)),
            right: Arc::new(var(1)),
        };
        g.blocks = vec![
            Block { steps: Vec::new(), end: End::Jump(1) },
            Block { steps: vec![Step::Assign { var: 2, value: sum }], end: End::Choose(vec![1, 2]) },
            Block { steps: Vec::new(), end: End::Return(None) },
        ];
        g.loops = vec![a_loop("g", 1, &[1], None)];
        g
    };
    let f = || {
        let args = vec![Some((var(0), INT)), Some((Expr::constant(4, INT), INT))];
        let steps = vec![called(1, args, None)];
        taking("f", 1, &[("n", INT)], vec![Block { steps, end: End::Return(None) }])
    };
    let internal = |list: Vec<Function>| Functions { internal: BTreeSet::from([1]), ..all(list) };
    let functions = internal(vec![f(), g()]);
    let entered = enter_caller(&functions, 1).expect("it is called at one place");
    let effects = Effects::of(&functions);
    let of = entered.loop_of_callee(0).expect("it has the loop");
    let site = Site { functions: &functions, effects: &effects, function: 0, of, entered: Some(&entered) };
    let vars = (0..entered.function().vars.len()).collect();
    let view = derive(site, &Places::of(site), &Keep { vars, start: Start::Entry }).expect("there is a view");
    assert_eq!(view.of(), (1, 0), "it is a view of the callee's loop");
    let ts = neutral::lower(view.program(), neutral::Target::CTerminates);
    let text = lariat_ir::lts::print(&ts);
    assert!(text.contains("+ 4"), "the step is known:\n{text}");
    // Of the caller's number nobody hands over another function's blocks.
    let wrong = Site { function: 1, of: 0, ..site };
    assert!(matches!(derive(wrong, &Places::of(wrong), &Keep::default()), Err(Refusal::Strange(_))));
    // Others may call it, or it is an entry, or it is called twice.
    assert!(enter_caller(&all(vec![f(), g()]), 1).is_none());
    assert!(enter_caller(&Functions { entries: vec![1], ..internal(vec![f(), g()]) }, 1).is_none());
    assert!(enter_caller(&internal(vec![f(), g(), f()]), 1).is_none());
    let mut twice = f();
    let step = twice.blocks[0].steps[0].clone();
    twice.blocks[0].steps.push(step);
    assert!(enter_caller(&internal(vec![twice, g()]), 1).is_none());
}

/// `while (n > d) n -= d;`
fn steps_of_d() -> Function {
    let mut f = function("f", &[("n", INT), ("d", INT)]);
    let minus = Expr::binary(BinaryOp::Sub, INT, Overflow::Undefined, var(0), var(1));
    f.blocks = vec![
        Block { steps: Vec::new(), end: End::Jump(1) },
        Block { steps: Vec::new(), end: End::Branch { cond: less(1, 0), yes: 2, no: 3 } },
        Block { steps: vec![Step::Assign { var: 0, value: minus }], end: End::Jump(1) },
        Block { steps: Vec::new(), end: End::Return(None) },
    ];
    f.loops = vec![a_loop("f", 1, &[1, 2], None)];
    f
}

#[test]
fn a_view_may_begin_where_a_comparison_holds_and_says_so() {
    let functions = all(vec![steps_of_d()]);
    let effects = Effects::of(&functions);
    let site = Site { functions: &functions, effects: &effects, function: 0, of: 0, entered: None };
    let places = Places::of(site);
    let keep = Keep { vars: BTreeSet::from([0, 1]), start: Start::Anywhere };
    let positive = Given { left: 1, op: CmpOp::Gt, right: Against::Number(0) };
    let view = derive_given(site, &places, &keep, &positive).expect("there is no reason against a view");
    assert_eq!(view.when().expect("it has a condition").to_string(), "`d > 0`");
    let ts = neutral::lower(view.program(), Semantics::CTerminates);
    let terms = &ts.terms;
    let header = lariat_ir::LoopForest::of(&ts).loops.iter().next().expect("it has a loop").header;
    let (n, d) = (ts.vars[Id::from_index(0)].term, ts.vars[Id::from_index(1)].term);
    let claim = |invariant: Term| Claim {
        system: ts.hash(),
        property: Property::Terminates(header),
        when: terms.tt(),
        certificate: Certificate::Ranking {
            outline: Outline { invariants: BTreeMap::from([(header, invariant)]), inner: Vec::new() },
            measures: BTreeMap::from([(
                header,
                vec![Measure { order: Order::Int, term: terms.apply(Op::IntSub, &[n, d]) }],
            )]),
        },
    };
    let limit = Limit::default();
    let system = System::verify(&ts, &mut Z3Solver::new().direct(), limit).expect("it is total and disjoint");
    let accepts = |t: Term| check(&system, &claim(t), &mut Z3Solver::new().direct(), limit).ok();
    assert!(accepts(terms.tt()).is_none(), "it falls only by a positive step");
    assert!(accepts(terms.apply(Op::IntLt, &[terms.int(1), d])).is_none(), "the view begins with a step of 1, too");
    let proved = accepts(terms.apply(Op::IntLt, &[terms.int(0), d])).expect("it is positive in the beginning");
    let ending = Ending::of(&view, Semantics::CTerminates, &system, &proved).expect("it is the view's");
    let mut cover = Cover::new(&functions, [ending]);
    let rest = cover.ends(0, 0).expect("it ends, under a condition");
    assert_eq!(rest.conditions, BTreeSet::from([(0, 0)]));
    assert_eq!(cover.program(0), Err(Left::Condition(0, 0)), "nobody shows that it holds");
    assert!(comparisons(site, &places, &keep, &BTreeSet::from([0, 1])).contains(&positive));
}

#[test]
fn no_comparison_is_made_where_a_loop_is_not_entered_at_its_header() {
    let mut f = steps_of_d();
    let given = Given { left: 1, op: CmpOp::Gt, right: Against::Number(0) };
    let derived = |f: &Function, start: Start| {
        let functions = all(vec![f.clone()]);
        let effects = Effects::of(&functions);
        let site = Site { functions: &functions, effects: &effects, function: 0, of: 0, entered: None };
        let keep = Keep { vars: BTreeSet::from([0, 1]), start };
        derive_given(site, &Places::of(site), &keep, &given).is_ok()
    };
    assert!(derived(&f, Start::Anywhere));
    assert!(!derived(&f, Start::SecondRound), "by then the number may be another one");
    assert!(!derived(&f, Start::Entry));
    f.blocks[0].end = End::Choose(vec![1, 2]);
    assert!(!derived(&f, Start::Anywhere), "the first state at the header is not that in which it is entered");
}
