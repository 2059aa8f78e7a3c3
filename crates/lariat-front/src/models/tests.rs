mod promises;

use super::*;
use std::collections::{HashMap, HashSet};

fn builtin_entries() -> Vec<entries::Entry<'static>> {
    BUILTIN.iter().flat_map(|(file, text)| entries::find(file, text).unwrap_or_else(|e| panic!("{e:?}"))).collect()
}

fn builtin_models() -> Vec<Model> {
    let functions = builtin_entries().into_iter().filter(|e| matches!(e.is, entries::Is::Function(..)));
    functions.flat_map(|e| e.models().unwrap_or_else(|e| panic!("{e:?}"))).collect()
}

fn model(name: &str) -> &'static Model {
    Table::builtin().get(name).unwrap_or_else(|| panic!("no model of {name}"))
}

fn user(text: &str) -> Result<Table, Failure> {
    Table::with(&[("mine.models".to_string(), text.to_string())])
}

/// The only model of a text.
fn one(text: &str) -> Model {
    let entries = entries::find("mine.models", text).unwrap_or_else(|e| panic!("{e:?}"));
    entries[0].models().unwrap_or_else(|e| panic!("{e:?}")).remove(0)
}

#[test]
fn every_built_in_entry_is_printed_and_parsed_to_the_same() {
    let models = builtin_models();
    assert!(models.len() > 900, "{}", models.len());
    for model in models {
        let text = model.to_string();
        assert_eq!(one(&text), model, "{text}");
    }
}

/// The parser refuses an entry that does not; this is what it refuses.
#[test]
fn every_entry_says_what_it_writes() {
    for model in builtin_models() {
        assert!(model.says_what_it_writes(), "{model}");
        let silent = Model { writes_nothing: false, ..model.clone() };
        let found = entries::find("mine.models", &silent.to_string()).unwrap_or_else(|e| panic!("{e:?}"))[0].models();
        assert_eq!(found.is_ok(), silent.says_what_it_writes(), "{silent}");
    }
}

/// What the library keeps, with the functions that write it. A program can declare each of these.
#[test]
fn the_objects_of_the_library_are_kept_by_those_that_write_them() {
    let expected: &[(&str, &[&str])] = &[
        ("optind", &["getopt", "getopt_long", "getopt_long_only"]),
        ("optarg", &["getopt", "getopt_long", "getopt_long_only"]),
        ("opterr", &["getopt"]),
        ("optopt", &["getopt", "getopt_long"]),
        ("timezone", &["tzset", "localtime", "localtime_r", "mktime", "ctime", "ctime_r", "strftime"]),
        ("daylight", &["tzset", "localtime", "mktime", "ctime", "strftime"]),
        ("tzname", &["tzset", "localtime", "mktime", "ctime", "strftime"]),
        ("signgam", &["lgamma", "lgammaf", "lgammal", "gamma", "gammaf", "gammal"]),
        ("error_message_count", &["error", "error_at_line"]),
        ("environ", &["setenv", "unsetenv", "putenv", "clearenv"]),
        ("__environ", &["setenv", "putenv"]),
        ("h_errno", &["gethostbyname", "gethostbyaddr"]),
    ];
    for (object, functions) in expected {
        for function in *functions {
            let kept = Kept::Object((*object).to_string());
            assert!(model(function).keeps.contains(&kept), "`{function}` writes `{object}`");
        }
    }
    // What depends on a state without a name is not said of the arguments alone.
    for model in builtin_models() {
        if model.keeps.iter().any(|k| matches!(k, Kept::Hidden(_))) {
            assert!(!matches!(model.returns, Returns::Exactly(_)), "{model}");
        }
    }
}

#[test]
fn an_entry_about_many_functions_is_about_none_that_takes_a_pointer() {
    use module::Type::{Int, Ptr, Void};
    let int = Int(32);
    let nondet = model("nondet_whatever");
    assert_eq!(nondet.name, "nondet_*");
    assert!(nondet.may_stand_for(&[], &int, false) && nondet.may_stand_for(std::slice::from_ref(&int), &Ptr, false));
    assert!(!nondet.may_stand_for(&[Ptr], &Void, false), "void nondet_fill(int *)");
    assert!(!nondet.may_stand_for(&[Ptr], &int, false), "int nondet_read(int *)");
    assert!(!nondet.may_stand_for(&[], &Void, false), "void nondet_init(void)");
    assert!(!model("nondet_int").may_stand_for(&[Ptr], &int, false));
    let throws = model("_ZSt19__throw_logic_errorPKc");
    assert!(throws.may_stand_for(&[Ptr], &Void, true));
    assert!(!throws.may_stand_for(&[Ptr], &Void, false), "it is not declared to never return");
    let alloc = model("_RNvCs1234_7___rustc14___rust_dealloc");
    assert!(alloc.may_stand_for(&[Ptr, Int(64), Int(64)], &Void, false), "the entry names the pointer");
    // Every other pattern of the tables never comes back, or takes what it names.
    for model in builtin_models().iter().filter(|m| m.name.contains('*')) {
        let ends = model.ends.as_ref().is_some_and(|e| e.when == When::Always);
        assert!(ends || !model.variadic || model.name.contains("nondet_"), "{model}");
    }
    assert!(model("printf").may_stand_for(&[Ptr, Ptr], &int, false), "named by its whole name");
}

#[test]
fn no_built_in_name_is_described_twice() {
    let mut seen = HashMap::new();
    for entry in builtin_entries() {
        for name in &entry.names {
            let place = (entry.file, entry.line);
            assert_eq!(seen.insert(*name, place), None, "{name} in {place:?}");
        }
    }
}

#[test]
fn every_alias_has_a_target_that_is_a_function() {
    for entry in builtin_entries() {
        let entries::Is::Alias(target) = entry.is else { continue };
        let target = model(target);
        for name in &entry.names {
            assert_eq!(model(name), target);
        }
    }
}

/// Whoever states a bound or a size wrongly, states it of the wrong kind of parameter most of the time.
#[test]
fn pointers_are_written_through_and_integers_are_not() {
    for model in builtin_models() {
        for effect in &model.effects {
            if let Effect::Writes(write) = effect {
                assert_eq!(model.params[write.to].ty, Some(Type::Pointer), "{model}");
                if let Content::CopyOf(from) = write.content {
                    let reads = model.requires.iter().any(|r| match r {
                        Requirement::Readable { at, .. } | Requirement::String { at, .. } => *at == from,
                        _ => false,
                    });
                    assert!(reads, "what is copied must be readable:\n{model}");
                }
            }
        }
        if let Returns::Fresh { .. } | Returns::Moved { .. } | Returns::Within(_) | Returns::Handle =
            core(&model.returns)
        {
            assert_eq!(model.result, Some(Type::Pointer), "{model}");
        }
    }
}

fn core(returns: &Returns) -> &Returns {
    match returns {
        Returns::OrNull(_, inner) => core(inner),
        other => other,
    }
}

#[test]
fn what_the_entries_of_well_known_functions_say() {
    let read = model("read");
    assert!(read.blocks);
    let [Effect::Writes(write)] = &read.effects[..] else { panic!("{read}") };
    assert_eq!((write.to, write.amount.clone(), write.up_to), (1, Some(Expr::Arg(2)), true));
    assert_eq!(write.content, Content::Unknown(Kind::Stream));

    let calloc = model("calloc");
    let product = Expr::Binary(BinaryOp::Mul, Box::new(Expr::Arg(0)), Box::new(Expr::Arg(1)));
    let fresh = Returns::Fresh { size: product, content: Content::Zero };
    assert_eq!(calloc.returns, Returns::OrNull(Kind::Environment, Box::new(fresh)));

    assert_eq!(model("exit").ends, Some(End { how: Ends::Trap, when: When::Always }));
    let zero = Expr::Binary(BinaryOp::Eq, Box::new(Expr::Arg(0)), Box::new(Expr::Number(0)));
    assert_eq!(model("__VERIFIER_assume").ends, Some(End { how: Ends::Stop, when: When::If(zero) }));

    let free = model("free");
    assert_eq!((&free.effects[..], &free.requires[..]), (&[Effect::Frees(0)][..], &[Requirement::Freeable(0)][..]));
    assert_eq!(model("rand").returns, between(Kind::Environment, 0, i128::from(i32::MAX)));
    let byte = Box::new(between(Kind::Stream, 0, 255));
    assert_eq!(model("getchar").returns, Returns::Read { data: byte, end: Expr::Number(-1), fails: None });
    assert_eq!(model("getchar").streams, [StreamUse::Read(Handle::StandardInput)]);
    assert_eq!(model("__VERIFIER_nondet_int").returns, Returns::Value { kind: Kind::Input, low: None, high: None });
    assert!(model("setjmp").special && model("__sigsetjmp").special && model("longjmp").special);

    assert_eq!(model("getopt").keeps[1], Kept::Object("optind".to_string()));
    assert_eq!(model("rand").keeps, [Kept::Hidden("the seed".to_string())]);
    assert!(model("vfork").again && model("getcontext").again && model("swapcontext").jumps);
    assert_eq!(model("raise").runs, [(Occasion::Signals, None)]);
    assert!(model("alarm").arms.as_ref().is_some_and(|a| a.disarms) && model("setitimer").arms.is_some());
    assert_eq!(model("atexit").effects, [Effect::Registers(0, Occasion::Exit)]);
    assert_eq!(model("setvbuf").effects, [Effect::Keeps(1)]);
    assert!(model("pipe").makes_pipe && model("write").breaks_pipe);

    for name in ["printf", "puts", "strlen", "strcmp", "memcmp", "fopen", "atoi", "fwrite", "write", "sin"] {
        assert!(model(name).effects.iter().all(|e| matches!(e, Effect::Prints(_))), "{name} only reads");
    }
    // Nothing that is not nondeterministic by contract is a free choice at each call.
    for model in builtin_models() {
        let choice = format!("{model}").replace("standard input", "").contains("input");
        assert_eq!(choice, model.name.contains("nondet_"), "{model}");
    }
}

#[test]
fn who_reads_says_from_where_and_what_comes_at_the_end() {
    for model in builtin_models() {
        let reads = model.streams.iter().any(|s| matches!(s, StreamUse::Read(_)));
        let mut last = &model.returns;
        while let Returns::If(_, _, no) = last {
            last = no;
        }
        assert_eq!(reads, matches!(last, Returns::Read { .. }), "{model}");
    }
    // What moves a stream, or may make it give something again.
    for name in [
        "ungetc", "fseek", "rewind", "clearerr", "freopen", "lseek", "dup2", "fork", "system", "close", "write",
        "fputs",
    ] {
        let moves = |s: &StreamUse| matches!(s, StreamUse::Moved(_) | StreamUse::AllMoved | StreamUse::Written(_));
        assert!(model(name).streams.iter().any(moves), "{name}");
    }
}

fn between(kind: Kind, low: i128, high: i128) -> Returns {
    Returns::Value { kind, low: Some(Expr::Number(low)), high: Some(Expr::Number(high)) }
}

#[test]
fn names_are_found_by_alias_by_prefix_and_without_the_mark() {
    assert_eq!(model("\x01read").name, "read");
    assert_eq!(model("__isoc99_scanf").name, "scanf");
    assert_eq!(model("_IO_getc").name, "getc");
    assert_eq!(model("__VERIFIER_nondet_u128").name, "__VERIFIER_nondet_*");
    assert_eq!(model("_ZN4core9panicking5panic17h0123456789abcdefE").name, "_ZN4core9panicking*");
    assert_eq!(model("_RNvNtCs1234_4core9panicking5panic").name, "_RNv*_4core9panicking*");
    let abort = model("_ZN4core9panicking19panic_cannot_unwind17h0123456789abcdefE");
    assert_eq!(abort.ends, Some(End { how: Ends::Trap, when: When::Always }), "the longer pattern counts");
    assert_eq!(model("_ZSt19__throw_logic_errorPKc").ends, Some(End { how: Ends::Throw, when: When::Always }));
    for unknown in ["no_such_function", "", "\x01", "printf2", "_ZN3std9panicking9panicking17h0123456789abcdefE"] {
        assert_eq!(Table::builtin().get(unknown), None, "{unknown}");
    }
}

#[test]
fn patterns() {
    assert!(matches("a*", "a") && matches("a*", "abc") && !matches("a*", "ba"));
    assert!(matches("a*c", "ac") && matches("a*c", "abcc") && !matches("a*c", "abcd"));
    assert!(matches("a*b*c", "abbc") && matches("a*b*c", "axbyc") && !matches("a*b*c", "ac"));
    assert!(!matches("ab*ba", "aba"), "no character is used twice");
    assert!(matches("*", "") && matches("abc", "abc") && !matches("abc", "abcd"));
}

#[test]
fn a_call_fits_the_entry_or_the_function_is_another_one() {
    use module::Type::{Int, Ptr, Void};
    let (int, long) = (Int(32), Int(64));
    assert!(model("strlen").fits(&[Ptr], &long));
    assert!(model("strlen").fits(&[Ptr], &int), "declared by hand");
    assert!(model("strlen").fits(&[Ptr], &Void), "the result is not used");
    assert!(!model("strlen").fits(std::slice::from_ref(&long), &long));
    assert!(!model("strlen").fits(&[Ptr, Ptr], &long));
    assert!(!model("malloc").fits(std::slice::from_ref(&long), &int), "without a declaration it returns an int");
    assert!(model("printf").fits(&[Ptr, int.clone(), Ptr], &int));
    assert!(!model("printf").fits(&[], &int));
    assert!(model("__VERIFIER_nondet_pointer").fits(&[], &Ptr));
    assert!(
        model("sin")
            .fits(&[module::Type::Float(module::FloatKind::Double)], &module::Type::Float(module::FloatKind::Double))
    );
}

#[test]
fn the_users_entries_come_first() {
    let table = user(
        "# my functions\n\
         function malloc(n: size_t) -> pointer: writes nothing; allocates n bytes: zero\n\n\
         function next() -> int\n  writes nothing\n  returns input in 1 .. 6   # a die\n  may block\n\
         alias roll, throw_dice = next\n\
         alias take = free\n\
         function dev_*(...): writes nothing; may trap\n",
    )
    .unwrap_or_else(|e| panic!("{e:?}"));
    let get = |name: &str| table.get(name).unwrap_or_else(|| panic!("no model of {name}"));
    assert_eq!(get("malloc").returns, Returns::Fresh { size: Expr::Arg(0), content: Content::Zero });
    assert_eq!(get("roll").returns, between(Kind::Input, 1, 6));
    assert!(get("throw_dice").blocks);
    assert_eq!(get("take"), model("free"));
    assert_eq!(get("dev_open").ends, Some(End { how: Ends::Trap, when: When::Perhaps }));
    assert_eq!(get("calloc"), model("calloc"));
    assert_eq!(table.get("no_such_function"), None);
}

#[test]
fn an_alias_that_swaps_names_does_not_lead_to_itself() {
    let table = user("alias f = malloc\nalias malloc = f\n").unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(table.get("malloc"), Some(model("malloc")));
    assert_eq!(table.get("f"), Some(model("malloc")));
}

#[test]
fn errors_name_the_place_and_what_was_expected() {
    let cases: &[(&str, u32, u32, &str)] = &[
        ("funktion f()", 1, 1, "expected `function` or `alias`, found `funktion`"),
        ("\n  returns 1", 2, 1, "belongs to the function above"),
        ("function f", 1, 11, "expected `(`"),
        ("function 3f()", 1, 1, "expected the name of a function, found `3f`"),
        ("function f(n", 1, 13, "expected `,` or `)`"),
        ("function f(n: lnt)", 1, 15, "expected a type"),
        ("function f(n, n)", 1, 15, "two parameters `n`"),
        ("function f(result)", 1, 12, "`result` has a meaning of its own"),
        ("function f() -> int:\n    yields 1", 2, 5, "expected a clause"),
        ("function f() -> int\n    returns 1 2", 2, 15, "expected `;` or the end of the line, found `2`"),
        ("function f(n: int) -> int: returns m", 1, 36, "the function has none called `m`"),
        ("function f(n: int): frees n", 1, 27, "expected a pointer, and `n` has another type"),
        ("function f(): returns 1", 1, 15, "the function has no result"),
        ("function f() -> int: returns 1; returns 2", 1, 33, "says twice what is returned"),
        ("function f(): traps; may throw", 1, 22, "says twice how the call ends"),
        ("function f(p): writes n bytes at p: input", 1, 23, "the function has none called `n`"),
        ("function f(p): writes 4 bytes at p", 1, 35, "expected `:`, found the end of the clause"),
        ("function f(p): writes 4 bytes at p: noise", 1, 37, "expected `input`, `stream`, `environment`"),
        ("function f(p): reads 4 byte at p", 1, 24, "expected `bytes`, found `byte`"),
        ("function f(p): may fail", 1, 20, "expected `block`, `trap`, `throw`"),
        ("function f(p: pointer) -> int", 1, 11, "does not say what the function writes: add `writes nothing`"),
        ("function f(p): writes nothing; frees p", 1, 11, "says that nothing is written, and what is"),
        ("function f(): writes nothing; keeps optind", 1, 11, "says that nothing is written, and what is"),
        ("function f(p): registers p at exit", 1, 11, "does not say what the function writes"),
        ("function f(p): gives away p", 1, 11, "does not say what the function writes"),
        ("function f(nothing)", 1, 12, "`nothing` has a meaning of its own"),
        ("function f(): keeps 3", 1, 21, "expected the name of an object of the library, or words in quotes"),
        ("function f(p): registers p at dawn", 1, 31, "expected `exit`, `signals` or `fork`"),
        ("function f(): arms a bomb", 1, 22, "expected `signal`, found `bomb`"),
        ("function f(n): arms a signal if n, or none", 1, 36, "expected `else`, found `or`"),
        ("function f(): jumps high", 1, 21, "expected `elsewhere`"),
        ("function f() -> int: returns result", 1, 30, "none called `result`"),
        ("function f() -> int: returns input in 0 ..", 1, 43, "expected an expression"),
        ("function f() -> int: returns 12x", 1, 30, "`12x` is no number"),
        ("function f() -> int: returns 'ab'", 1, 30, "one character between quotes"),
        ("function f(): assumes \"x", 1, 23, "closing quote"),
        ("function f(): assumes x", 1, 23, "the assumption in quotes"),
        ("function f() -> int: returns 1 & 2", 1, 32, "`&` has no meaning here"),
        ("function f() -> int: returns sizeof(float)", 1, 37, "an integer type"),
        ("function f() -> int: returns 1 +\n\n", 2, 1, "expected an expression"),
        ("alias f", 1, 8, "expected `=`"),
        ("alias f = g h", 1, 1, "expected the name of a function, found `g h`"),
        ("alias f = no_such_function", 1, 1, "there is no model of `no_such_function`"),
        (
            "function f(): writes nothing\nfunction g(): writes nothing\nalias f = g",
            3,
            1,
            "`f` is described twice, first in mine.models, line 1",
        ),
        ("alias f = g\nalias g = f", 1, 1, "there is no model of `g`"),
    ];
    for (text, line, column, message) in cases {
        let failure = user(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
        assert_eq!(failure.place, Some(("mine.models".to_string(), *line, *column)), "{text}: {}", failure.message);
        assert!(failure.message.contains(message), "{text}: {}", failure.message);
    }
}

/// The value of an expression without memory.
fn eval(e: &Expr, args: &[i128], index: i128) -> i128 {
    let value = |e: &Expr| eval(e, args, index);
    match e {
        Expr::Number(n) => *n,
        Expr::Arg(a) => args[*a],
        Expr::Index => index,
        Expr::Unary(UnaryOp::Neg, e) => -value(e),
        Expr::Unary(UnaryOp::Not, e) => i128::from(value(e) == 0),
        Expr::Binary(op, a, b) => {
            let (a, b) = (value(a), value(b));
            match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a / b,
                BinaryOp::Rem => a % b,
                BinaryOp::Lt => i128::from(a < b),
                BinaryOp::Le => i128::from(a <= b),
                BinaryOp::Gt => i128::from(a > b),
                BinaryOp::Ge => i128::from(a >= b),
                BinaryOp::Eq => i128::from(a == b),
                BinaryOp::Ne => i128::from(a != b),
                BinaryOp::And => i128::from(a != 0 && b != 0),
                BinaryOp::Or => i128::from(a != 0 || b != 0),
            }
        }
        Expr::If(c, a, b) => value(if value(c) != 0 { a } else { b }),
        other => panic!("{other:?} needs memory"),
    }
}

#[test]
fn operators_bind_as_in_c() {
    let value = |text: &str| {
        let model = one(&format!("function f(a: int, b: int) -> int: writes nothing; returns {text}"));
        let Returns::Exactly(e) = &model.returns else { panic!("{model}") };
        eval(e, &[7, 2], 0)
    };
    assert_eq!(value("a - b - 1"), 4);
    assert_eq!(value("a + b * 3"), 13);
    assert_eq!(value("-a % b"), -1);
    assert_eq!(value("a < b || b < a && a == 7"), 1);
    assert_eq!(value("!(a < b) ? a > b ? 1 : 2 : 3"), 1);
    assert_eq!(value("a == 7 != 0"), 1);
    assert_eq!(value("'A' + 0x10"), 81);
    assert_eq!(value("- -a - -1"), 8);
    assert_eq!(value("a +\n        b"), 9, "over two lines");
}

type Class = fn(&u8) -> bool;
type Case = fn(&u8) -> u8;

/// The classes of characters that a test can get from elsewhere.
const CLASSES: &[(&str, i128, Class)] = &[
    ("isupper", 256, u8::is_ascii_uppercase),
    ("islower", 512, u8::is_ascii_lowercase),
    ("isalpha", 1024, u8::is_ascii_alphabetic),
    ("isdigit", 2048, u8::is_ascii_digit),
    ("isxdigit", 4096, u8::is_ascii_hexdigit),
    ("isspace", 8192, |c| c.is_ascii_whitespace() || *c == 11),
    ("isprint", 16384, |c| c.is_ascii_graphic() || *c == b' '),
    ("isgraph", 32768, u8::is_ascii_graphic),
    ("isblank", 1, |c| matches!(c, b' ' | b'\t')),
    ("iscntrl", 2, u8::is_ascii_control),
    ("ispunct", 4, u8::is_ascii_punctuation),
    ("isalnum", 8, u8::is_ascii_alphanumeric),
];

#[test]
fn the_classes_of_characters_are_those_of_ascii() {
    let Returns::Table { entry: Type::UnsignedShort, low: -128, high: 255, content: Some(bits) } =
        &model("__ctype_b_loc").returns
    else {
        panic!("a table")
    };
    for (name, bit, member) in CLASSES {
        let model = model(name);
        for c in -1..=255_i128 {
            for requirement in &model.requires {
                let Requirement::Condition(e) = requirement else { panic!("{model}") };
                assert_ne!(eval(e, &[c], 0), 0);
            }
            let expected = u8::try_from(c).is_ok_and(|c| member(&c));
            let mut returns = &model.returns;
            while let Returns::If(condition, then, other) = returns {
                returns = if eval(condition, &[c], 0) != 0 { then } else { other };
            }
            match returns {
                Returns::Value { low: Some(Expr::Number(1)), high: None, .. } => assert!(expected, "{name} {c}"),
                Returns::Value { low: Some(Expr::Number(0)), high: None, .. } => assert!(c > 127, "{name} {c}"),
                Returns::Exactly(Expr::Number(0)) => assert!(!expected, "{name} {c}"),
                other => panic!("{name}: {other:?}"),
            }
            assert_eq!(eval(bits, &[], c) & bit != 0, expected, "{name} {c}");
        }
        for c in -128..0 {
            assert_eq!(eval(bits, &[], c), 0);
        }
    }
}

#[test]
fn the_case_of_characters_is_that_of_ascii() {
    let table = |name: &str| match &model(name).returns {
        Returns::Table { entry: Type::Int, low: -128, high: 255, content: Some(e) } => e,
        other => panic!("{other:?}"),
    };
    let function = |name: &str| match &model(name).returns {
        Returns::Exactly(e) => e,
        other => panic!("{other:?}"),
    };
    let cases: [(&str, &str, Case); 2] = [
        ("tolower", "__ctype_tolower_loc", u8::to_ascii_lowercase),
        ("toupper", "__ctype_toupper_loc", u8::to_ascii_uppercase),
    ];
    for (name, loc, expected) in cases {
        for c in -1..=255_i128 {
            let expected = u8::try_from(c).map_or(c, |c| i128::from(expected(&c)));
            assert_eq!(eval(function(name), &[c], 0), expected, "{name} {c}");
            assert_eq!(eval(table(loc), &[], c), expected, "{loc} {c}");
        }
        for c in -128..-1 {
            assert_eq!(eval(table(loc), &[], c), c + 256, "{loc} {c}");
        }
    }
}

#[test]
fn absolute_values() {
    for name in ["abs", "labs", "llabs"] {
        let Returns::Exactly(e) = &model(name).returns else { panic!("{name}") };
        assert_eq!([-3, 0, 3].map(|n| eval(e, &[n], 0)), [3, 0, 3]);
    }
}

#[test]
fn the_examples_of_the_page_are_read() {
    let page = include_str!("../../../../docs/models.md");
    let example: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("    ")).collect();
    let table = user(&example.join("\n")).unwrap_or_else(|e| panic!("{e:?}"));
    let names: HashSet<&str> = table.exact.keys().map(|k| &**k).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

#[test]
fn sizes_of_types() {
    assert_eq!(Type::Long.bytes(DataModel::Lp64), Some(8));
    assert_eq!(Type::Long.bytes(DataModel::Ilp32), Some(4));
    assert_eq!(Type::LongLong.bytes(DataModel::Ilp32), Some(8));
    assert_eq!(Type::Float.bytes(DataModel::Lp64), None);
    assert!(Type::Int.signed() && Type::SignedSize.signed() && !Type::Size.signed() && !Type::Bool.signed());
}
