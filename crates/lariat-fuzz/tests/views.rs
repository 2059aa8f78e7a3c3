//! Deliberate faults in the functions that views are made from: the simulation of views must notice each.
//!
//! A program is followed as it is, and its views are made from functions in which something is wrong: an effect that was
//! forgotten, a branch that was swapped, an object that is taken for private. Without the fault nothing may be noticed.

use lariat_front::{EntryChoice, Options, compile, llvm, translate::Prepared};
use lariat_fuzz::cfuzz::native::{Build, Native, file_of};
use lariat_fuzz::cfuzz::program::{Program, Stmt};
use lariat_fuzz::cfuzz::simulate::{Simulated, Subject, simulate};
use lariat_ir::function::{AccessType, End, Function, Functions, Step, Target as Called, Writes};
use lariat_ir::neutral::{BinaryOp, CmpOp, Cond, Expr, IntType, Target};
use std::sync::Arc;

struct Fault {
    name: &'static str,
    program: &'static str,
    /// Makes the fault; gives how many places were changed.
    make: fn(&mut Functions) -> usize,
}

/// The function whose name ends so.
fn function<'f>(functions: &'f mut Functions, name: &str) -> &'f mut Function {
    functions.list.iter_mut().find(|f| f.name.ends_with(&format!("_{name}"))).expect("the program has it")
}

fn steps<'f>(functions: &'f mut Functions, name: &str) -> impl Iterator<Item = &'f mut Step> {
    function(functions, name).blocks.iter_mut().flat_map(|b| &mut b.steps)
}

fn var(function: &Function, name: &str) -> usize {
    let named = |v: &lariat_ir::function::Var| v.name == name && (v.named || name.starts_with('&'));
    function.vars.iter().position(named).expect("it has the variable")
}

fn drop_steps(functions: &mut Functions, name: &str, which: impl Fn(&Function, &Step) -> bool) -> usize {
    let whole = function(functions, name).clone();
    let mut n = 0;
    for block in &mut function(functions, name).blocks {
        block.steps.retain(|s| {
            let goes = which(&whole, s);
            n += usize::from(goes);
            !goes
        });
    }
    n
}

fn is_store(_: &Function, step: &Step) -> bool {
    matches!(step, Step::Store { .. })
}

/// Changes expressions from the leaves up.
fn change(e: &Expr, f: &mut dyn FnMut(Expr) -> Expr) -> Expr {
    let made = match e {
        Expr::Unary { op, ty, overflow, arg } => {
            Expr::Unary { op: *op, ty: *ty, overflow: *overflow, arg: Arc::new(change(arg, f)) }
        }
        Expr::Binary { op, ty, overflow, left, right } => Expr::Binary {
            op: *op,
            ty: *ty,
            overflow: *overflow,
            left: Arc::new(change(left, f)),
            right: Arc::new(change(right, f)),
        },
        Expr::Cast { from, to, arg } => Expr::Cast { from: *from, to: *to, arg: Arc::new(change(arg, f)) },
        Expr::Ite(c, a, b) => Expr::Ite(Arc::clone(c), Arc::new(change(a, f)), Arc::new(change(b, f))),
        other => other.clone(),
    };
    f(made)
}

/// Changes the values that are assigned and stored in a function.
fn change_values(functions: &mut Functions, name: &str, mut f: impl FnMut(Expr) -> Expr) -> usize {
    let mut n = 0;
    for step in steps(functions, name) {
        if let Step::Assign { value, .. } | Step::Store { value: Some(value), .. } = step {
            let made = change(value, &mut f);
            n += usize::from(made != *value);
            *value = made;
        }
    }
    n
}

fn change_ends(functions: &mut Functions, name: &str, mut f: impl FnMut(&mut End) -> bool) -> usize {
    function(functions, name).blocks.iter_mut().map(|b| usize::from(f(&mut b.end))).sum()
}

/// Changes the comparisons of a condition.
fn change_cond(c: &Cond, f: &dyn Fn(CmpOp, IntType) -> (CmpOp, IntType)) -> Cond {
    match c {
        Cond::Cmp { op, ty, left, right } => {
            let (op, to) = f(*op, *ty);
            let read = |e: &Expr| if to == *ty { e.clone() } else { Expr::cast(*ty, to, e.clone()) };
            Cond::cmp(op, to, read(left), read(right))
        }
        Cond::And(a, b) => Cond::And(Arc::new(change_cond(a, f)), Arc::new(change_cond(b, f))),
        Cond::Or(a, b) => Cond::Or(Arc::new(change_cond(a, f)), Arc::new(change_cond(b, f))),
        Cond::Not(a) => Cond::Not(Arc::new(change_cond(a, f))),
        other => other.clone(),
    }
}

/// The local object that this variable is the address of.
fn local<'f>(functions: &'f mut Functions, name: &str, object: &str) -> &'f mut lariat_ir::function::Object {
    let f = function(functions, name);
    let of = f.vars[var(f, object)].object;
    match of {
        Some(lariat_ir::function::ObjectRef::Local(n)) => &mut f.locals[n],
        other => panic!("{object} is no local object but {other:?}"),
    }
}

const CALLEE: &str = "struct @box { unsigned left, total; };
static void @take(struct @box *b) { b->left--; }
static void @note(struct @box *b, struct @box *c) { b->total++; }
int @main(void) {
    struct @box b = {5, 0}, c = {3, 0};
    while (b.left > 0) { @take(&b); @note(&c, &b); }
    observe(b.left); observe(c.total); return 0;
}";
const GLOBAL: &str = "static int @g = 4;
static void @down(void) { @g--; }
static void @idle(void) { }
static void (*@which)(void) = @down;
static void (*@other)(void) = @idle;
int @main(void) {
    while (@g > 0) { @which(); }
    observe(@g); @other(); return 0;
}";
const DIRECT: &str = "static int @g = 4;
static void @down(void) { @g--; }
static void @twice(void) { @down(); if (@g > 1) @down(); }
int @main(void) {
    while (@g > 0) { @twice(); }
    observe(@g); return 0;
}";
const PLAIN: &str = "int @main(void) {
    int i = 7; unsigned char c = 250;
    while (i > 0) { i -= 2; c++; if (c == 3) break; }
    while (c != 0) { c += 3; observe(c); if (c > 200) c = 0; }
    observe(i); return 0;
}";
const INNER: &str = "static int @cell = 9;
int @main(void) {
    int n = 6, k = 20;
    while (n > 0 && k > 0 && @cell > 0) {
        for (int j = 0; j < 3; j++) { k--; @cell--; }
        n--;
    }
    observe(k); return 0;
}";
const ALIAS: &str = "static int @g = 6;
static int @run(int *p) {
    int x = 5, *q = &x, n = 0;
    while (x > 0) { *q -= 1; n++; }
    while (@g > 0) { *p -= 2; n++; }
    return n;
}
int @main(void) { observe(@run(&@g)); return 0; }";
const KEPT: &str = "static int *@kept;
static void @poke(void) { *@kept -= 1; }
int @main(void) {
    int x = 5; @kept = &x;
    while (x > 0) { @poke(); }
    observe(x); return 0;
}";
const SIZES: &str = "struct @pair { int a, b; };
int @main(void) {
    struct @pair p = {1, 8}; long long v = 7ll << 32; int n = 0;
    while (p.b > 0 && n < 5) { memcpy(&p, &v, 8); v -= 1ll << 32; n++; }
    observe(p.b); return 0;
}";
const SWITCH: &str = "int @main(void) {
    int i = 10, s = 0;
    while (i > 0) {
        switch (i % 3) { case 0: i -= 1; break; case 1: i -= 4; s += 2; break; default: i -= 2; }
    }
    observe(i + s); return 0;
}";
const JUMPS: &str = "int @main(void) {
    static void *const to[] = {&&one, &&two}; int i = 8;
again: ;
    goto *to[i % 2];
one: i -= 1; goto check;
two: i -= 3;
check: if (i > 0) goto again;
    observe(i); return 0;
}";
const RESULTS: &str = "static int @next(int i) { return i - 2; }
int @main(void) {
    int i = 9; unsigned n = 0xfff;
    while (i > 0) { i = @next(i); }
    while (n > 3) { n = n / 2 + __builtin_popcount(n) - 4; }
    observe(i); observe(n); return 0;
}";
const RECURSION: &str = "static int @fuel = 12;
static int @walk(int depth) {
    int n = 0;
    while (@fuel > 0 && n < 4) { n++; @fuel--; if (depth > 0) n += @walk(depth - 1) & 1; }
    return n;
}
int @main(void) { observe(@walk(2)); observe(@fuel); return 0; }";
const TWO: &str = "int @main(void) {
    int a[2] = {6, 3}, b[2] = {1, 2}, n = 0; int *volatile kept[2] = {a, b};
    while (a[0] > 0 && n < 20) { a[0] -= 1; b[1] += 2; n++; }
    observe(a[0] + b[1] + n); (void)kept; return 0;
}";
const UNSIGNED: &str = "int @main(void) {
    unsigned i = 4000000000u, n = 0;
    while (i > 5u && n < 6u) { i /= 3u; n++; }
    observe(i); return 0;
}";

fn shrink_branch(end: &mut End, keep_yes: bool) -> bool {
    if let End::Branch { yes, no, .. } = end {
        *end = End::Jump(if keep_yes { *yes } else { *no });
        return true;
    }
    false
}

fn faults() -> Vec<Fault> {
    let mut all: Vec<Fault> = Vec::new();
    let mut fault = |name, program, make| all.push(Fault { name, program, make });
    fault("an effect of a call through a parameter is forgotten", CALLEE, |f| drop_steps(f, "take", is_store));
    fault("the argument of a call is another object", CALLEE, |f| {
        let main = function(f, "main");
        let other = var(main, "&c");
        let mut n = 0;
        for step in steps(f, "main") {
            if let Step::Call(call) = step
                && call.args.len() == 1
                && call.args[0].is_some()
            {
                // The function gets the other box.
                call.args[0] = Some((Expr::Var(other), IntType::signed(65)));
                n += 1;
            }
        }
        n
    });
    fault("a function writes other bytes than it does", CALLEE, |f| {
        let mut n = 0;
        for step in steps(f, "take") {
            if let Step::Store { at, .. } = step {
                at.address = Expr::Binary {
                    op: BinaryOp::Add,
                    ty: IntType::signed(65),
                    overflow: lariat_ir::neutral::Overflow::Undefined,
                    left: Arc::new(at.address.clone()),
                    right: Arc::new(Expr::constant(4, IntType::signed(65))),
                };
                n += 1;
            }
        }
        n
    });
    fault("an effect on a global is forgotten", DIRECT, |f| drop_steps(f, "down", is_store));
    fault("a target of a call through a pointer is forgotten", GLOBAL, |f| {
        let idle = f.list.iter().position(|g| g.name.ends_with("_idle")).expect("it is there");
        let mut n = 0;
        for step in steps(f, "main") {
            if let Step::Call(call) = step
                && call.targets.len() > 1
            {
                call.targets = vec![Called::Function(idle)];
                n += 1;
            }
        }
        n
    });
    fault("a call is forgotten", GLOBAL, |f| drop_steps(f, "main", |_, s| matches!(s, Step::Call(_))));
    fault("a step is forgotten", PLAIN, |f| {
        drop_steps(
            f,
            "main",
            |f, s| matches!(s, Step::Assign { var: v, value } if f.vars[*v].name == "i" && f.vars[*v].named && !matches!(value, Expr::Const(..))),
        )
    });
    fault("a constant is wrong", PLAIN, |f| {
        change_values(f, "main", |e| match e {
            Expr::Const(k, ty) if k == (-2).into() || k == 2.into() => Expr::Const(k * 2, ty),
            other => other,
        })
    });
    fault("a constant before the loop is wrong", PLAIN, |f| {
        change_values(f, "main", |e| match e {
            Expr::Const(k, ty) if k == 7.into() => Expr::constant(6, ty),
            other => other,
        })
    });
    fault("a branch is swapped", PLAIN, |f| {
        change_ends(f, "main", |end| {
            if let End::Branch { yes, no, .. } = end {
                std::mem::swap(yes, no);
                return true;
            }
            false
        })
    });
    fault("an edge of a branch is dropped, yes", PLAIN, |f| change_ends(f, "main", |e| shrink_branch(e, false)));
    fault("a conversion cuts too much", PLAIN, |f| {
        change_values(f, "main", |e| match e {
            Expr::Cast { arg, from, to } if to.width < from.width => {
                let few = IntType::unsigned(4);
                Expr::cast(few, to, Expr::Cast { from, to: few, arg })
            }
            other => other,
        })
    });
    fault("undefined behaviour where there is none", PLAIN, |f| {
        let main = function(f, "main");
        let i = var(main, "i");
        let ty = main.vars[i].ty;
        let header = main.loops[0].header;
        let bound = Cond::cmp(CmpOp::Gt, ty, Expr::Var(i), Expr::constant(4, ty));
        main.blocks[header].steps.insert(0, Step::Require(bound));
        1
    });
    fault("a block of the loop is taken for one outside", PLAIN, |f| {
        let main = function(f, "main");
        let header = main.loops[0].header;
        let latch = (0..main.blocks.len()).rev().find(|b| {
            *b != header && main.loops[0].body.contains(b) && main.blocks[*b].end.targets().contains(&header)
        });
        let latch = latch.expect("it has one");
        main.loops[0].body.retain(|b| *b != latch);
        1
    });
    fault("a variable that an inner loop assigns is forgotten", INNER, |f| {
        drop_steps(
            f,
            "main",
            |f, s| matches!(s, Step::Assign { var: v, value } if f.vars[*v].name == "k" && f.vars[*v].named && !matches!(value, Expr::Const(..))),
        )
    });
    fault("a place that an inner loop stores to is forgotten", INNER, |f| drop_steps(f, "main", is_store));
    fault("an object is taken for private", ALIAS, |f| {
        local(f, "run", "&x").private = true;
        1
    });
    fault("an object that a call writes is taken for private", KEPT, |f| {
        local(f, "main", "&x").private = true;
        1
    });
    fault("a global is taken for constant", ALIAS, |f| {
        f.globals.iter_mut().for_each(|g| g.constant = true);
        f.globals.len()
    });
    fault("a global is taken for private", ALIAS, |f| {
        f.globals.iter_mut().for_each(|g| g.private = true);
        f.globals.len()
    });
    fault("types keep apart what overlaps", ALIAS, |f| {
        let mut n = 0;
        for step in steps(f, "run") {
            if let Step::Store { at, .. } = step
                && at.by.is_some()
            {
                at.by = Some(Arc::new(AccessType { path: "short/".to_owned(), member: None }));
                n += 1;
            }
        }
        n
    });
    fault("a store is forgotten", ALIAS, |f| drop_steps(f, "run", is_store));
    fault("a store is too short", SIZES, |f| {
        let mut n = 0;
        for step in steps(f, "main") {
            if let Step::Store { at, value: None } = step
                && at.bytes == Some(8)
            {
                at.bytes = Some(4);
                n += 1;
            }
        }
        n
    });
    fault("a copy is forgotten", SIZES, |f| {
        drop_steps(f, "main", |_, s| matches!(s, Step::Store { at, value: None } if at.bytes == Some(8)))
    });
    fault("a case of a switch is forgotten", SWITCH, |f| {
        change_ends(f, "main", |end| match end {
            End::Switch { cases, .. } => cases.pop().is_some(),
            _ => false,
        })
    });
    fault("a case of a switch has another number", SWITCH, |f| {
        change_ends(f, "main", |end| match end {
            End::Switch { cases, .. } => {
                cases[0].0 = 7.into();
                true
            }
            _ => false,
        })
    });
    fault("a target of a computed jump is forgotten", JUMPS, |f| {
        change_ends(f, "main", |end| match end {
            End::Choose(targets) => targets.pop().is_some(),
            _ => false,
        })
    });
    fault("the result of a call is forgotten", RESULTS, |f| {
        let mut n = 0;
        let ty = IntType::signed(32);
        for step in steps(f, "main") {
            if let Step::Call(call) = step
                && let Some(var) = call.result
            {
                *step = Step::Assign { var, value: Expr::constant(1, ty) };
                n += 1;
            }
        }
        n
    });
    fault("a function gives back another value", RESULTS, |f| {
        change_ends(f, "next", |end| match end {
            End::Return(Some((value, _))) => {
                *value = change(value, &mut |e| match e {
                    Expr::Const(k, ty) if k == (-2).into() || k == 2.into() => Expr::Const(k * 2, ty),
                    Expr::Var(_) => Expr::constant(1, IntType::signed(32)),
                    other => other,
                });
                true
            }
            _ => false,
        })
    });
    fault("a number that is handed over is another one", RESULTS, |f| {
        let mut n = 0;
        for step in steps(f, "main") {
            if let Step::Call(call) = step
                && let [Some((value, ty))] = call.args.as_mut_slice()
            {
                *value = Expr::constant(1, *ty);
                n += 1;
            }
        }
        n
    });
    fault("a value that nobody knows is taken for known", RESULTS, |f| {
        let types: Vec<IntType> = function(f, "main").vars.iter().map(|v| v.ty).collect();
        let mut n = 0;
        for step in steps(f, "main") {
            if let Step::Fresh { var } = step {
                *step = Step::Assign { var: *var, value: Expr::constant(1, types[*var]) };
                n += 1;
            }
        }
        n
    });
    fault("the effect of a recursion is forgotten", RECURSION, |f| {
        let mut n = 0;
        for step in steps(f, "walk") {
            if let Step::Call(call) = step {
                call.targets.clear();
                call.writes = Writes::Nothing;
                n += 1;
            }
        }
        n
    });
    fault("an object is taken for another", TWO, |f| {
        let main = function(f, "main");
        let (a, b) = (var(main, "&a"), var(main, "&b"));
        let mut n = 0;
        for step in main.blocks.iter_mut().flat_map(|b| &mut b.steps) {
            if let Step::Store { at, .. } = step {
                at.address = change(&at.address, &mut |e| match e {
                    Expr::Var(v) if v == a => Expr::Var(b),
                    other => other,
                });
                n += 1;
            }
        }
        n
    });
    fault("a load is of other bytes", TWO, |f| {
        let mut n = 0;
        for step in steps(f, "main") {
            if let Step::Store { at, .. } = step {
                at.address = change(&at.address, &mut |e| match e {
                    Expr::Const(k, ty) if k == 4.into() => Expr::constant(8, ty),
                    other => other,
                });
                n += 1;
            }
        }
        n
    });
    fault("a comparison has another sign", UNSIGNED, |f| {
        change_ends(f, "main", |end| match end {
            End::Branch { cond, .. } => {
                *cond = change_cond(cond, &|op, ty| (op, IntType { signed: true, ..ty }));
                true
            }
            _ => false,
        })
    });
    fault("a comparison is another one", UNSIGNED, |f| {
        change_ends(f, "main", |end| match end {
            End::Branch { cond, .. } => {
                *cond = change_cond(cond, &|op, ty| (if op == CmpOp::Gt { CmpOp::Le } else { CmpOp::Ge }, ty));
                true
            }
            _ => false,
        })
    });
    fault("an operation is another one", UNSIGNED, |f| {
        change_values(f, "main", |e| match e {
            Expr::Binary { op: BinaryOp::Div, ty, overflow, left, right } => {
                Expr::Binary { op: BinaryOp::Rem, ty, overflow, left, right }
            }
            other => other,
        })
    });
    all
}

#[test]
fn every_deliberate_fault_is_noticed() {
    let folder = std::env::temp_dir().join(format!("lariat-views-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let faults = faults();
    assert!(faults.len() >= 20);
    let programs: Vec<Program> =
        faults.iter().map(|f| Program { items: vec![Stmt::text(f.program.to_owned())] }).collect();
    let source = folder.join("programs.c");
    std::fs::write(&source, file_of(&programs)).expect("it can be written");
    let native = Native::new(&folder).expect("there is a compiler");
    let runs = native.run(&source, "programs", &vec![0; faults.len()], Build::Plain).expect("they compile");
    let bitcode = compile::compile(&source, &Options::default()).expect("they compile");
    let mut module = llvm::read(&bitcode, "programs.c").expect("it is read");
    module.typed_memory = true;
    let mut unnoticed = Vec::new();
    for (k, fault) in faults.iter().enumerate() {
        let entry = format!("p{k}_main");
        let options = Options { entry: EntryChoice::Named(entry.clone()), ..Options::default() };
        let prepared = Prepared::new(&module, &options).expect("the entry is there");
        let (mut functions, origins) = prepared.functions_with_origins();
        // Only those of this program.
        let ask = |functions: &Functions| -> Simulated {
            let targets = &[Target::Wrap, Target::CTerminates, Target::Ideal];
            let (input_seed, native, entry) = (0, &runs[k], entry.as_str());
            let (module, origins) = (prepared.module(), &origins);
            simulate(Subject { module, functions, origins, entry, input_seed, native, targets })
        };
        let right = ask(&functions);
        assert!(right.wrong.is_empty(), "without `{}`: {:?}", fault.name, right.wrong);
        assert_eq!(right.whole, 1, "`{}` is followed: {:?}", fault.name, right.lost);
        assert!(right.steps > 0, "`{}` has steps", fault.name);
        // The functions of this program come to the front, since names are looked for by their ends.
        let own = |name: &str| name.starts_with(&format!("p{k}_"));
        for f in &mut functions.list {
            if !own(&f.name) {
                f.name.push_str(" of another");
            }
        }
        assert!((fault.make)(&mut functions) > 0, "`{}` is made", fault.name);
        let wrong = ask(&functions);
        if wrong.wrong.is_empty() {
            unnoticed.push(fault.name);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(unnoticed.is_empty(), "of {} faults not noticed: {unnoticed:#?}", faults.len());
}
