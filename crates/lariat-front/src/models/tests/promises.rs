//! What models promise is what the translated programs do.
//!
//! A case is an entry, a C function that calls what it describes, and the ways in which its runs may end. Promises are
//! put into the function's own words: it traps where one is broken. All runs are made, with those values of unknowns that decide something.

use super::{Model, Type, When, builtin_entries, entries};
use crate::{Entry, EntryChoice, Options, load};
use lariat_ir::neutral::{Program, Target, lower};
use lariat_ir::{AssumptionKind, Bits, Id, LocId, Machine, Sort, State, TransitionSystem, UnknownId, Value, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Reads a C program with the models of a text.
fn read(name: &str, c: &str, models: &str) -> Vec<Entry> {
    let file = std::env::temp_dir().join(format!("lariat-models-{}-{name}.c", std::process::id()));
    std::fs::write(&file, c).expect("the folder for temporary files is writable");
    let options = Options {
        flags: vec!["-w".into(), "-fno-builtin".into()],
        entry: EntryChoice::All,
        models: vec![("mine.models".to_owned(), models.to_owned())],
        ..Options::default()
    };
    let unit = load(&file, &options);
    std::fs::remove_file(&file).expect("it was made here");
    unit.unwrap_or_else(|e| panic!("{e:?}\n{c}\n{models}")).entries()
}

/// Values of an unknown: its bounds, and the small numbers within them.
fn values(ts: &TransitionSystem, u: UnknownId) -> Vec<Value> {
    let all: Vec<Value> = match ts.unknowns[u].sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(w) => [0, 1, 2, 3, 4, 5, 6, 7, -1].map(|n: i32| Value::Bv(Bits::from_int(w, &n.into()))).to_vec(),
        Sort::Int => (-1..=7).map(Value::int).collect(),
        sort @ Sort::Array(..) => vec![Value::zero(sort)],
    };
    let least = ts.least(u);
    let mut all: Vec<Value> = all.into_iter().chain([least]).filter(|v| ts.admits(u, v)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The sinks that runs come to.
fn ends(program: &Program) -> BTreeSet<&'static str> {
    let ts = lower(program, Target::Ideal);
    let machine = Machine::new(&ts);
    let mut start: Vec<Value> = ts.vars.iter().map(|v| Value::zero(v.sort)).collect();
    for (v, value) in program.init.iter().filter_map(|(v, value)| Some((*v, value.as_ref()?))) {
        // A program's variables keep their numbers.
        start[v] = match ts.vars[VarId::from_index(v)].sort {
            Sort::BitVec(w) => Value::Bv(Bits::from_int(w, value)),
            _ => Value::Int(value.clone()),
        };
    }
    assert!(machine.is_initial(&start), "{}", program.name);
    let mut waiting = vec![State { loc: ts.entry, values: start }];
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut found = BTreeSet::new();
    while let Some(state) = waiting.pop() {
        match state.loc {
            LocId::EXIT => found.insert("exit"),
            LocId::STOP => found.insert("stop"),
            LocId::TRAP => found.insert("trap"),
            LocId::UB => found.insert("undefined"),
            _ => false,
        };
        if state.loc.is_sink() || !seen.insert(state.clone()) {
            continue;
        }
        assert!(seen.len() < 20_000, "{} has few states", program.name);
        let edge = machine.enabled(&state).expect("systems are total");
        let mut given: Vec<BTreeMap<UnknownId, Value>> = vec![BTreeMap::new()];
        for u in machine.unknowns_of(edge) {
            let with = |g: &BTreeMap<UnknownId, Value>| {
                values(&ts, *u)
                    .into_iter()
                    .map(|v| g.iter().map(|(u, v)| (*u, v.clone())).chain([(*u, v)]).collect())
                    .collect::<Vec<_>>()
            };
            given = given.iter().flat_map(with).collect();
        }
        waiting.extend(given.iter().map(|g| machine.take(&state, edge, |u| g[&u].clone())));
    }
    found
}

/// An entry about `f`, its declaration in C, what a function does with it, and how its runs end. Arguments and inputs are small numbers.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    // Without a model everything is possible.
    ("", "void f(int *)", "int x = 1; f(&x); if (x != 1) trap();", &["exit", "trap"]),
    ("", "int f(void)", "if (f() == 3) trap();", &["exit", "trap"]),
    // Results.
    ("f() -> int: writes nothing; returns 5", "int f(void)", "if (f() != 5) trap();", &["exit"]),
    ("f(n: int) -> int: writes nothing; returns n + n", "int f(int)", "if (f(4) != 8) trap();", &["exit"]),
    (
        "f() -> int: writes nothing; returns input in 1 .. 6",
        "int f(void)",
        "int x = f(); if (x < 1 || x > 6) trap();",
        &["exit"],
    ),
    ("f() -> int: writes nothing; returns input in 1 .. 6", "int f(void)", "if (f() == 6) trap();", &["exit", "trap"]),
    (
        "f() -> int: writes nothing; returns environment in 1 .. 6",
        "int f(void)",
        "if (f() == 1) trap();",
        &["exit", "trap"],
    ),
    (
        "f(n: int) -> int: writes nothing; returns environment in 0 .. n",
        "int f(int)",
        "if (f(2) > 2) trap();",
        &["exit"],
    ),
    (
        "f(n: int) -> int: writes nothing; returns environment in 0 .. n",
        "int f(int)",
        "if (f(3) > 2) trap();",
        &["exit", "trap"],
    ),
    // Memory.
    ("f(p: pointer): writes nothing", "void f(int *)", "int x = 1; f(&x); if (x != 1) trap();", &["exit"]),
    ("f(p: pointer): writes 4 bytes at p: zero", "void f(int *)", "int x = 1; f(&x); if (x != 0) trap();", &["exit"]),
    (
        "f(p: pointer): writes 4 bytes at p: zero",
        "void f(int *)",
        "int x[2] = {1, 1}; f(x); if (x[1] != 1) trap();",
        &["exit"],
    ),
    (
        "f(p: pointer): writes 4 bytes at p: environment",
        "void f(int *)",
        "int x = 1; f(&x); if (x != 1) trap();",
        &["exit", "trap"],
    ),
    (
        "f(p: pointer): writes up to 4 bytes at p: zero",
        "void f(int *)",
        "int x = 1; f(&x); if (x != 0) trap();",
        &["exit", "trap"],
    ),
    ("f(p: pointer): writes 8 bytes at p: zero", "void f(int *)", "int x = 1; f(&x);", &["undefined"]),
    (
        "f(p: pointer): changes all through p",
        "void f(int **)",
        "int x = 1; int *p = &x; f(&p); if (x != 1) trap();",
        &["exit", "trap"],
    ),
    ("f(p: pointer): changes memory", "void f(int *)", "g = 1; f(0); if (g != 1) trap();", &["exit", "trap"]),
    ("f(p: pointer): writes nothing", "void f(int *)", "g = 1; f(0); if (g != 1) trap();", &["exit"]),
    ("f(): keeps g", "void f(void)", "g = 1; f(); if (g != 1) trap();", &["exit", "trap"]),
    ("f(): keeps other", "void f(void)", "g = 1; f(); if (g != 1) trap();", &["exit"]),
    // Needs.
    ("f(n: int): writes nothing; requires n > 3", "void f(int)", "f(4);", &["exit"]),
    ("f(n: int): writes nothing; requires n > 3", "void f(int)", "f(3);", &["undefined"]),
    ("f(p: pointer): writes nothing; reads 4 bytes at p", "void f(int *)", "int x = 1; f(&x);", &["exit"]),
    ("f(p: pointer): writes nothing; reads 4 bytes at p", "void f(int *)", "int x = 1; f(&x + 1);", &["undefined"]),
    // Ends.
    ("f(): writes nothing; traps", "void f(void)", "f();", &["trap"]),
    ("f(): writes nothing; may trap", "void f(void)", "f();", &["exit", "trap"]),
    ("f(n: int): writes nothing; stops if n == 0", "void f(int)", "f(0);", &["stop"]),
    ("f(n: int): writes nothing; stops if n == 0", "void f(int)", "f(1);", &["exit"]),
    // Objects.
    (
        "f() -> pointer: writes nothing; allocates 4 bytes: zero",
        "int *f(void)",
        "int *p = f(); if (*p != 0) trap();",
        &["exit"],
    ),
    (
        "f() -> pointer: writes nothing; allocates 4 bytes: zero",
        "int *f(void)",
        "int *p = f(); p[1] = 0;",
        &["undefined"],
    ),
];

#[test]
fn what_an_entry_says_is_what_a_call_does() {
    // One program, and a table with an entry for each function of it.
    let mut c = "int g, other;\n".to_owned();
    let mut models = "function trap(): writes nothing; traps\n".to_owned();
    c.push_str("void trap(void);\n");
    for (n, (model, declared, body, _)) in CASES.iter().enumerate() {
        let renamed = |text: &str| text.replace("f(", &format!("f{n}("));
        let _ = writeln!(c, "extern {};\nvoid case_{n}(void) {{ {} }}", renamed(declared), renamed(body));
        if !model.is_empty() {
            let _ = writeln!(models, "function {}", renamed(model));
        }
    }
    let unit = read("promises", &c, &models);
    assert_eq!(unit.len(), CASES.len());
    let mut wrong = Vec::new();
    for (n, (model, _, body, expected)) in CASES.iter().enumerate() {
        let entry = unit.iter().find(|e| e.name == format!("case_{n}")).expect("each case is an entry");
        let found = ends(&entry.program);
        if found != expected.iter().copied().collect() {
            wrong.push(format!("{model}\n    {body}\n    ends in {found:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_an_entry_assumes_is_stated() {
    let models = "function waits(): writes nothing; may block\n\
                  function believes(): writes nothing; assumes \"the moon is round\"\n\
                  function plain(): writes nothing\n\
                  function alone(): writes nothing; assumes threads \"it is alone\"\n";
    let c = "void waits(void); void believes(void); void plain(void); void strange(void); void alone(void);\n\
             void a(void) { waits(); }\nvoid b(void) { believes(); }\nvoid c(void) { plain(); }\nvoid d(void) { strange(); }\nvoid e(void) { alone(); }\n";
    let unit = read("assumptions", c, models);
    let of = |name: &str| {
        let entry = unit.iter().find(|e| e.name == name).expect("an entry");
        entry.program.assumptions.iter().map(|a| (a.kind, a.text.clone())).collect::<Vec<_>>()
    };
    assert_eq!(of("a"), [(AssumptionKind::Returns, "`waits` returns".to_owned())]);
    assert_eq!(of("b"), [(AssumptionKind::Model, "the moon is round (`believes`)".to_owned())]);
    assert_eq!(of("c"), []);
    assert_eq!(of("d"), [(AssumptionKind::Returns, "`strange` returns".to_owned())], "a function without a model");
    assert_eq!(of("e"), [(AssumptionKind::Threads, "it is alone (`alone`)".to_owned())]);
}

/// A type in C, or nothing if the entry leaves it open.
fn in_c(ty: Option<Type>) -> Option<&'static str> {
    Some(match ty? {
        Type::Bool => "_Bool",
        Type::Char => "char",
        Type::SignedChar => "signed char",
        Type::UnsignedChar => "unsigned char",
        Type::Short => "short",
        Type::UnsignedShort => "unsigned short",
        Type::Int => "int",
        Type::Unsigned => "unsigned",
        Type::Long => "long",
        Type::UnsignedLong => "unsigned long",
        Type::LongLong => "long long",
        Type::UnsignedLongLong => "unsigned long long",
        Type::Size => "unsigned long",
        Type::SignedSize => "long",
        Type::Pointer => "void *",
        Type::Float => "double",
        Type::Int128 | Type::UnsignedInt128 | Type::Any => return None,
    })
}

/// Each function of the table whose call can be written down without knowing more, called with whatever it may be called with.
#[test]
fn each_built_in_entry_is_found_by_a_call() {
    let functions = builtin_entries().into_iter().filter(|e| matches!(e.is, entries::Is::Function(..)));
    let models: Vec<Model> = functions.map(|e| e.model(e.names[0]).unwrap_or_else(|e| panic!("{e:?}"))).collect();
    let mut c = String::new();
    let mut called: Vec<&Model> = Vec::new();
    for model in &models {
        let params: Option<Vec<&str>> = model.params.iter().map(|p| in_c(p.ty)).collect();
        let result = if model.result.is_none() { Some("void") } else { in_c(model.result) };
        let (Some(params), Some(result)) = (params, result) else { continue };
        // What the translator has code of its own for, and what is no name in C.
        let is_name = model.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if model.special || !is_name || model.name == "main" {
            continue;
        }
        let n = called.len();
        let list = params.iter().enumerate().map(|(i, p)| format!("{p} a{i}")).collect::<Vec<_>>().join(", ");
        let given = (0..params.len()).map(|i| format!("a{i}")).collect::<Vec<_>>().join(", ");
        let list = if list.is_empty() { "void".to_owned() } else { list };
        let more = if model.variadic && !params.is_empty() { ", ..." } else { "" };
        let _ = writeln!(
            c,
            "extern {result} f{n}({list}{more}) __asm__(\"{}\");\nvoid call_{n}({list}) {{ f{n}({given}); }}",
            model.name
        );
        called.push(model);
    }
    assert!(called.len() > 300, "{} entries can be called", called.len());
    let unit = read("built-in", &c, "");
    assert_eq!(unit.len(), called.len());
    for (n, model) in called.iter().enumerate() {
        let name = format!("call_{n}");
        let program = &unit.iter().find(|e| e.name == name).expect("each call is an entry").program;
        let stated = |words: &str| program.assumptions.iter().any(|a| a.text.contains(words));
        let returns = program.assumptions.iter().any(|a| a.text == format!("`{}` returns", model.name));
        // Functions that the program has registered are unknown code, too.
        let unknown_code = !model.runs.is_empty() || model.effects.iter().any(|e| matches!(e, super::Effect::Calls(_)));
        let ends = model.ends.as_ref().is_some_and(|e| e.when == When::Always);
        if !unknown_code && !model.again && !model.jumps && !ends {
            assert_eq!(returns, model.blocks, "{model}\n{:?}", program.assumptions);
        }
        if let Some((_, assumption)) = &model.assumption {
            assert!(ends || stated(assumption), "{model}\n{:?}", program.assumptions);
        }
        if ends {
            let exits =
                |l: &lariat_ir::neutral::Location| l.cases.iter().any(|c| c.target == lariat_ir::neutral::Goto::Exit);
            assert!(!program.locs.iter().any(exits), "{model} does not come back");
        }
    }
}
