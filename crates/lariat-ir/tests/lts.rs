//! The text form: what is printed is read again, and what cannot be read is told in one sentence with its place.

use lariat_ir::random::Random;
use lariat_ir::{AssumptionKind, Id, LoopForest, lts};

const ZUNE: &str = include_str!("../../../examples/zune.lts");

const EVERYTHING: &str = r#"
lts 1
name `every thing`
integers ideal
mode function
var x: int
var b: bool
var w: bv8
var m: array(bv4, bv8)
var `old`: bv4
input i: int in -5 .. 5
environment e: bv8
abstraction a: array(bv4, bv8)
assumption returns "`f` returns" at "f.c":1:2
assumption "the moon is round"
obligation "recursion through `f`"
let $1 = x * 2 + 3
init x > -1 && (b => m[3] == 0xff)
entry `if`

`if`:
  if $1 < 7 && b goto two with x := $1 - -3, w := zext(extract(e, 3, 0), 8), m := store(m, 1#4, sext(`old`, 8)) assumes 0
  if !($1 < 7 && b) goto EXIT with x := -(3) + -x / (x % 4), b := (w <u 3) != (w >=s -1) at "f.c":7:1
two: at "f.c":9:1 in "f"
  goto three with x := ubv_to_int(w) + sbv_to_int(int_to_bv(x, 8) & w), w := int_to_bv(-3, 8)
three:
  if fp_lt(sbv_to_fp(w, 32), 0x3f800000#32) || fp_eq(ubv_to_fp(w, 64), fp_sqrt(fp_to_fp(sbv_to_fp(w, 32), 64))) goto four
  if !(fp_lt(sbv_to_fp(w, 32), 0x3f800000#32) || fp_eq(ubv_to_fp(w, 64), fp_sqrt(fp_to_fp(sbv_to_fp(w, 32), 64)))) goto EXIT with w := fp_to_ubv(fp_div(fp_rint(sbv_to_fp(w, 32)), fp_fma(1#32, 2#32, 3#32)), 8)
four:
  goto `if` with m := b ? a : fill(bv4, 9#8), w := ~w << 1 >>u 1 >>s 1 | w & 3 ^ -w, `old` := concat(1#1, 5#3), x := i
"#;

#[test]
fn printed_systems_are_read_again_to_the_same_text_and_hash() {
    for text in [ZUNE, EVERYTHING] {
        let first = lts::parse(text).expect("the text is a system").system;
        let printed = lts::print(&first);
        let second = lts::parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}")).system;
        assert_eq!(lts::print(&second), printed);
        assert_eq!(first.hash(), second.hash());
        assert_eq!(first.terms.node(first.init).op, second.terms.node(second.init).op);
    }
}

/// A kind of assumption has a word. Without one it is what the system states, and then the text, and so the hash, stays as it was when there
/// were no words.
#[test]
fn assumptions_have_kinds() {
    let ts = lts::parse(EVERYTHING).expect("the text is a system").system;
    let kinds: Vec<AssumptionKind> = ts.assumptions.iter().map(|a| a.kind).collect();
    assert_eq!(kinds, [AssumptionKind::Returns, AssumptionKind::Stated]);
    let printed = lts::print(&ts);
    for line in ["assumption returns \"`f` returns\" at \"f.c\":1:2\n", "assumption \"the moon is round\"\n"] {
        assert!(printed.contains(line), "{printed}");
    }
    for kind in AssumptionKind::ALL {
        let text = EVERYTHING.replace("assumption returns", &format!("assumption {}", kind.word()));
        let ts = lts::parse(&text).unwrap_or_else(|e| panic!("{e}")).system;
        let again = lts::parse(&lts::print(&ts)).unwrap_or_else(|e| panic!("{e}")).system;
        assert_eq!((ts.assumptions[Id::from_index(0)].kind, &ts.assumptions), (*kind, &again.assumptions));
    }
    let wrong = lts::parse(&EVERYTHING.replace("assumption returns", "assumption hope")).expect_err("no kind");
    assert!(wrong.message.contains("`hope`"), "{wrong}");
}

#[test]
fn zune_has_one_loop() {
    let ts = lts::parse(ZUNE).expect("the example is a system").system;
    let forest = LoopForest::of(&ts);
    assert_eq!(forest.loops.len(), 1);
    assert_eq!(ts.locs[forest.loops.iter().next().expect("there is one").header].name, "head");
}

#[test]
fn a_text_cut_anywhere_or_with_a_changed_byte_never_panics() {
    for text in [ZUNE, EVERYTHING] {
        for cut in 0..text.len() {
            if text.is_char_boundary(cut) {
                let _ = lts::parse(&text[..cut]);
            }
        }
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                let pick = random.choose(b"()[]{}!-+*<>=#$:,.\"`\\ \nabx019?us&|");
                match random.below(4) {
                    0 => bytes[at] = pick,
                    1 => bytes.insert(at, pick),
                    _ => {
                        bytes.remove(at);
                    }
                }
            }
            if let Ok(s) = String::from_utf8(bytes) {
                let _ = lts::parse(&s);
            }
        }
    }
}

#[test]
fn deep_brackets_are_refused_and_deep_terms_are_printed_with_names() {
    let nested = format!(
        "lts 1\nvar x: int\ninit {}x{} == 0\nentry a\na:\n goto EXIT\n",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let e = lts::parse(&nested).expect_err("too deep");
    assert!(e.message.contains("nest too deep"), "{e}");
    let mut ts = lts::parse("lts 1\nvar x: int\nentry a\na:\n goto EXIT\n").expect("a system").system;
    let x = ts.vars.iter().next().expect("x").term;
    let mut t = x;
    for _ in 0..50_000 {
        t = ts.terms.apply(lariat_ir::Op::IntAdd, &[t, ts.terms.apply(lariat_ir::Op::IntMul, &[t, x])]);
    }
    ts.init = ts.terms.eq(t, x);
    let printed = lts::print(&ts);
    let again = lts::parse(&printed).expect("printed systems are read again").system;
    assert_eq!(lts::print(&again), printed);
}

/// Each bad text with the place and the heart of the message.
#[test]
fn errors_name_the_place_and_the_next_step() {
    let cases = [
        ("", (1, 1), "expected `lts 1`"),
        ("lts 2", (1, 5), "another version of lariat"),
        ("lts 1\nintegers c proves diverges\nintegers wrap", (3, 1), "more than one `integers`"),
        ("lts 1\nvar x: bv200", (2, 8), "expected a sort"),
        ("lts 1\nvar x: int\nvar x: int", (3, 5), "declared twice"),
        ("lts 1\nvar x: bv8\ninit x < 3\nentry a\na:\n goto EXIT", (3, 8), "`<u` for unsigned"),
        ("lts 1\nvar x: bv4\ninit x == 16\nentry a\na:\n goto EXIT", (3, 11), "does not fit in 4 bits"),
        ("lts 1\nentry a\na:\n goto b", (4, 7), "there is no location `b`"),
        ("lts 1\nentry a\na:", (3, 1), "has no edges"),
        ("lts 1\ninput i: bool\nentry a\na:\n if i goto EXIT\n if !i goto a", (4, 1), "store it in a variable"),
        ("lts 1\na:\n goto EXIT", (3, 11), "there is no `entry`"),
        ("lts 1\nintegers c\nentry a\na:\n goto EXIT", (2, 10), "carries one verdict only"),
        ("lts 1\nvar x: int\nentry a\na:\n goto EXIT with x := x, x := 1", (4, 1), "changes `x` twice"),
        ("lts 1\nvar x: int\ninit x < 1 < 2\nentry a\na:\n goto EXIT", (3, 12), "do not chain"),
        ("lts 1\nname \"x\ny\"", (2, 6), "no closing quote"),
    ];
    for (text, place, message) in cases {
        let e = lts::parse(text).expect_err(text);
        assert!(e.message.contains(message), "{text}\n{e}");
        assert_eq!((e.line, e.column), place, "{text}\n{e}");
    }
}

/// A name that the text form cannot write would let two systems have one hash.
#[test]
fn names_that_cannot_be_written_are_defects() {
    for name in ["", "a`b", "a\nb", "old(x)", "x@3"] {
        let mut ts = lts::parse("lts 1\nvar x: int\nentry a\na:\n goto EXIT\n").expect("a system").system;
        assert!(ts.defects().is_empty());
        if name == "old(x)" || name == "x@3" {
            // Such a symbol exists already, or would clash with one that the checker makes.
            ts.unknowns.push(lariat_ir::Unknown {
                name: name.into(),
                sort: lariat_ir::Sort::Int,
                kind: lariat_ir::UnknownKind::Input,
                range: None,
                term: ts.terms.int(0),
            });
        } else {
            ts.add_loc(name);
        }
        assert!(ts.defects().iter().any(|d| d.message.contains("cannot be")), "{name:?}");
    }
}
