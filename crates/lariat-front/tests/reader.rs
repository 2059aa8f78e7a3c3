//! The reader of LLVM modules, on small programs and on damaged files.

use lariat_front::Failure;
use lariat_front::llvm::read;
use lariat_front::module::{
    AccessedBy, AtomicOp, BinOp, Block, BlockId, Callee, CastOp, Constant, DebugType, Flags, FloatKind, FloatOp,
    FloatPredicate, Function, FunctionId, GlobalId, Member, Module, Op, Operand, Place, Predicate, Promise, Terminator,
    Type, TypeId, ValueId, Variable,
};
use std::io::Write;
use std::process::{Command, Stdio};

const FLAGS: &[&str] = &["-O0", "-g", "-Xclang", "-disable-O0-optnone", "-w", "-emit-llvm", "-c", "-o", "-", "-"];

/// Compiles a text from standard input to bitcode.
fn bitcode(language: &str, flags: &[&str], text: &str) -> Vec<u8> {
    let mut clang = Command::new("clang-22");
    clang.args(["-x", language]).args(flags).args(FLAGS).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = clang.spawn().expect("tools/setup installs clang-22");
    running.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("clang reads its input");
    let output = running.wait_with_output().expect("clang was started");
    assert!(output.status.success(), "clang fails on {text}");
    output.stdout
}

fn c(text: &str) -> Module {
    read(&bitcode("c", &[], text), "test.c").expect("clang's own bitcode")
}

fn ll(text: &str) -> Module {
    read(text.as_bytes(), "test.ll").expect("valid assembly")
}

fn function<'a>(module: &'a Module, name: &str) -> &'a Function {
    module.functions.iter().find(|f| f.shown() == name).unwrap_or_else(|| panic!("no function {name}"))
}

fn ops(function: &Function) -> Vec<&Op> {
    function.blocks.iter().flat_map(|b| &b.instructions).map(|i| &i.op).collect()
}

fn op(module: &Module, name: &str, index: usize) -> Op {
    ops(function(module, name))[index].clone()
}

fn value(n: u32) -> Operand {
    Operand::Value(ValueId(n))
}

fn int(width: u32, bits: u128) -> Operand {
    Operand::Constant(Constant::Int(width, bits))
}

fn global<'a>(module: &'a Module, name: &str) -> &'a Constant {
    let global = module.globals.iter().find(|g| g.name == name).unwrap_or_else(|| panic!("no global {name}"));
    global.init.as_ref().expect("it has an initial value")
}

/// The type of a variable, by its name, among the locals of a function.
fn local<'a>(module: &'a Module, name: &str, variable: &str) -> &'a DebugType {
    let found = function(module, name).declares.iter().find(|(_, v)| v.name == variable);
    let (_, variable) = found.unwrap_or_else(|| panic!("no variable {variable}"));
    debug(module, variable.ty)
}

fn debug(module: &Module, id: Option<TypeId>) -> &DebugType {
    let TypeId(index) = id.expect("a type");
    &module.types[usize::try_from(index).expect("small")]
}

fn signed_int(name: &str, size: u64, signed: bool) -> DebugType {
    DebugType::Int { name: name.to_owned(), size, signed }
}

#[test]
fn a_loop_as_clang_writes_it() {
    let module = c("int sum(int n) {\n  int s = 0;\n  while (s < n)\n    s += 2;\n  return s;\n}\n");
    assert_eq!(module.source, "-");
    assert_eq!(module.pointer_bits, 64);
    assert!(!module.big_endian);
    let f = function(&module, "sum");
    assert_eq!((f.external, f.variadic, f.noreturn, f.source_name.as_deref()), (true, false, false, None));
    assert_eq!(f.result, Type::Int(32));
    assert_eq!(f.params.len(), 1);
    assert_eq!(f.value_count(), f.params.len() + ops(f).len());
    let file = f.place.expect("a place").file;
    assert_eq!(module.files[file as usize], "<stdin>");
    assert_eq!(f.place, Some(Place { file, line: 1, column: 0 }));

    // %1 and %2 are the variables' memory; the block of the condition is 1, of the body 2, of the end 3.
    let at = |line, column| Some(Place { file, line, column });
    let plain = Flags::default();
    let load = |n: u32| Op::Load {
        ptr: value(n),
        size: 4,
        align: 4,
        volatile: false,
        atomic: false,
        promise: Promise::default(),
        by: AccessedBy::default(),
    };
    let store = |v: Operand, n: u32| Op::Store {
        value: v,
        ptr: value(n),
        ty: Type::Int(32),
        size: 4,
        align: 4,
        volatile: false,
        atomic: false,
        by: AccessedBy::default(),
    };
    let expected = [
        Op::Alloca { size: 4, count: int(32, 1), align: 4 },
        Op::Alloca { size: 4, count: int(32, 1), align: 4 },
        store(value(0), 1),
        store(int(32, 0), 2),
        load(2),
        load(1),
        Op::Compare { pred: Predicate::Slt, left: value(5), right: value(6), ty: Type::Int(32), flags: plain },
        load(2),
        Op::Binary { op: BinOp::Add, left: value(8), right: int(32, 2), flags: Flags { nsw: true, ..plain } },
        store(value(9), 2),
        load(2),
    ];
    assert_eq!(ops(f), expected.iter().collect::<Vec<_>>());
    let ids: Vec<_> = f.blocks.iter().flat_map(|b| &b.instructions).map(|i| i.id).collect();
    assert_eq!(ids, (1..12).map(ValueId).collect::<Vec<_>>());
    let terminators: Vec<_> = f.blocks.iter().map(|b| &b.terminator).collect();
    assert_eq!(
        terminators,
        [
            &Terminator::Jump(BlockId(1)),
            &Terminator::Branch { cond: value(7), yes: BlockId(2), no: BlockId(3) },
            &Terminator::Jump(BlockId(1)),
            &Terminator::Return(Some(value(11))),
        ]
    );
    let loops: Vec<_> = f.blocks.iter().map(|b| b.loop_place).collect();
    assert_eq!(loops, [None, None, at(3, 3), None]);
    assert_eq!(f.blocks[1].instructions[2].place, at(3, 12));
    assert_eq!(f.blocks[3].place, at(5, 3));

    let ty = Some(TypeId(0));
    assert_eq!(
        f.declares,
        [
            (ValueId(1), Variable { name: "n".to_owned(), ty, argument: 1, place: at(1, 13) }),
            (ValueId(2), Variable { name: "s".to_owned(), ty, argument: 0, place: at(2, 7) }),
        ]
    );
    assert_eq!(module.types, [signed_int("int", 4, true)]);
    assert_eq!(f.values, []);
}

#[test]
fn every_flag_is_read() {
    let module = ll("define i32 @f(i32 %a, i32 %b, i64 %c, ptr %p) {
        %1 = add nsw i32 %a, %b
        %2 = mul nuw nsw i32 %a, %b
        %3 = udiv exact i32 %a, %b
        %4 = ashr exact i32 %a, %b
        %5 = or disjoint i32 %a, %b
        %6 = zext nneg i32 %a to i64
        %7 = icmp samesign ult i32 %a, %b
        %8 = getelementptr inbounds nuw i32, ptr %p, i64 %c
        %9 = trunc nsw i64 %c to i32
        %10 = trunc nuw i64 %c to i32
        %11 = shl i32 %a, %b
        %12 = getelementptr nusw i8, ptr %p, i64 %c
        ret i32 %1
    }");
    let none = Flags::default();
    let flags: Vec<_> = ops(function(&module, "f"))
        .into_iter()
        .map(|op| match op {
            Op::Binary { flags, .. } | Op::Cast { flags, .. } => Some(*flags),
            Op::Compare { flags, .. } | Op::Gep { flags, .. } => Some(*flags),
            _ => None,
        })
        .collect();
    assert_eq!(
        flags,
        [
            Some(Flags { nsw: true, ..none }),
            Some(Flags { nsw: true, nuw: true, ..none }),
            Some(Flags { exact: true, ..none }),
            Some(Flags { exact: true, ..none }),
            Some(Flags { disjoint: true, ..none }),
            Some(Flags { nneg: true, ..none }),
            Some(Flags { samesign: true, ..none }),
            Some(Flags { inbounds: true, nuw: true, ..none }),
            Some(Flags { nsw: true, ..none }),
            Some(Flags { nuw: true, ..none }),
            Some(none),
            // A promise for which there is no flag.
            None,
        ]
    );
    assert_eq!(
        op(&module, "f", 11),
        Op::Opaque { what: "getelementptr".to_owned(), acts: false, args: vec![value(3), value(2)] }
    );
}

#[test]
fn every_binary_operation_predicate_and_conversion_is_itself() {
    let binary = [
        ("add", BinOp::Add),
        ("sub", BinOp::Sub),
        ("mul", BinOp::Mul),
        ("udiv", BinOp::UDiv),
        ("sdiv", BinOp::SDiv),
        ("urem", BinOp::URem),
        ("srem", BinOp::SRem),
        ("and", BinOp::And),
        ("or", BinOp::Or),
        ("xor", BinOp::Xor),
        ("shl", BinOp::Shl),
        ("lshr", BinOp::LShr),
        ("ashr", BinOp::AShr),
    ];
    let compare = [
        ("eq", Predicate::Eq),
        ("ne", Predicate::Ne),
        ("ugt", Predicate::Ugt),
        ("uge", Predicate::Uge),
        ("ult", Predicate::Ult),
        ("ule", Predicate::Ule),
        ("sgt", Predicate::Sgt),
        ("sge", Predicate::Sge),
        ("slt", Predicate::Slt),
        ("sle", Predicate::Sle),
    ];
    let float = [
        ("fadd", FloatOp::Add),
        ("fsub", FloatOp::Sub),
        ("fmul", FloatOp::Mul),
        ("fdiv", FloatOp::Div),
        ("frem", FloatOp::Rem),
    ];
    let casts = [
        ("trunc i64 %c to i8", CastOp::Trunc),
        ("zext i32 %a to i64", CastOp::ZExt),
        ("sext i32 %a to i64", CastOp::SExt),
        ("fptrunc double %d to float", CastOp::FpTrunc),
        ("fpext float %e to double", CastOp::FpExt),
        ("fptoui double %d to i32", CastOp::FpToUi),
        ("fptosi double %d to i32", CastOp::FpToSi),
        ("uitofp i32 %a to double", CastOp::UiToFp),
        ("sitofp i32 %a to double", CastOp::SiToFp),
        ("ptrtoint ptr %p to i64", CastOp::PtrToInt),
        ("inttoptr i64 %c to ptr", CastOp::IntToPtr),
        ("bitcast double %d to i64", CastOp::BitCast),
        ("addrspacecast ptr %p to ptr addrspace(1)", CastOp::AddrSpaceCast),
    ];
    let mut text = "define void @f(i32 %a, i32 %b, i64 %c, double %d, float %e, ptr %p) {\n".to_owned();
    text.extend(binary.iter().map(|(name, _)| format!("%{name} = {name} i32 %a, %b\n")));
    text.extend(compare.iter().map(|(name, _)| format!("%{name} = icmp {name} i32 %a, %b\n")));
    text.extend(float.iter().map(|(name, _)| format!("%{name} = {name} double %d, %d\n")));
    text.extend(casts.iter().enumerate().map(|(n, (form, _))| format!("%cast{n} = {form}\n")));
    text.push_str("%neg = fneg double %d\n%less = fcmp ult double %d, %d\nret void\n}\n");
    let module = ll(&text);
    let mut found = ops(function(&module, "f")).into_iter();
    for (name, expected) in binary {
        assert!(matches!(found.next(), Some(Op::Binary { op, .. }) if *op == expected), "{name}");
    }
    for (name, expected) in compare {
        assert!(matches!(found.next(), Some(Op::Compare { pred, .. }) if *pred == expected), "{name}");
    }
    for (name, expected) in float {
        assert!(matches!(found.next(), Some(Op::Float { op, right: Some(_), .. }) if *op == expected), "{name}");
    }
    for (name, expected) in casts {
        assert!(matches!(found.next(), Some(Op::Cast { op, .. }) if *op == expected), "{name}");
    }
    assert_eq!(found.next(), Some(&Op::Float { op: FloatOp::Neg, left: value(3), right: None }));
    let less = Op::FloatCompare { pred: FloatPredicate::Ult, left: value(3), right: value(3) };
    assert_eq!(found.next(), Some(&less));
    assert_eq!(found.next(), None);
}

#[test]
fn what_has_no_form_is_opaque() {
    let module = ll("define void @f(<4 x i32> %v, double %d, ptr addrspace(256) %g, ptr %p, <vscale x 4 x i32> %s) {
        %1 = add <4 x i32> %v, %v
        %2 = icmp eq <4 x i32> %v, %v
        %3 = fadd fast double %d, %d
        %4 = load i32, ptr addrspace(256) %g
        %5 = extractelement <4 x i32> %v, i32 0
        %6 = bitcast <4 x i32> %v to i128
        %7 = getelementptr i32, ptr %p, <2 x i64> <i64 1, i64 2>
        store <vscale x 4 x i32> %s, ptr %p
        store <4 x i32> %v, ptr %p
        ret void
    }");
    let f = function(&module, "f");
    let whats: Vec<_> = ops(f)
        .into_iter()
        .map(|op| match op {
            Op::Opaque { what, .. } => what.as_str(),
            Op::Store { ty: Type::Other(16), size: 16, .. } => "a store of 16 bytes",
            other => panic!("{other:?}"),
        })
        .collect();
    let expected =
        ["add", "icmp", "fadd", "load", "extractelement", "bitcast", "getelementptr", "store", "a store of 16 bytes"];
    assert_eq!(whats, expected);
    let types: Vec<_> = f.params.iter().map(|p| p.ty.clone()).collect();
    assert_eq!(types, [Type::Other(16), Type::Float(FloatKind::Double), Type::Other(8), Type::Ptr, Type::Other(0)]);
}

#[test]
fn address_computations_are_bytes() {
    let module = c("struct s { char tag; struct { short x, y[5]; } in[7]; };
        short *f(struct s *p, long i, int j) { return &p[i].in[j].y[3]; }
        int *g(int (*m)[10], unsigned i) { return &m[2][i]; }
        char *h(char *p) { return p - 3; }
        struct none {};
        struct none *k(struct none *p, long i) { return p + i; }");
    let geps = |name| -> Vec<(i64, Vec<i64>)> {
        ops(function(&module, name))
            .into_iter()
            .filter_map(|op| match op {
                Op::Gep { offset, indices, flags: Flags { inbounds: true, .. }, .. } => {
                    Some((*offset, indices.iter().map(|(_, scale)| *scale).collect()))
                }
                _ => None,
            })
            .collect()
    };
    // The struct inside has 12 bytes, the one outside 86: 2 for the tag and 7 * 12.
    assert_eq!(geps("f"), [(0, vec![86]), (2, vec![]), (0, vec![12]), (2, vec![]), (6, vec![])]);
    assert_eq!(geps("g"), [(80, vec![]), (0, vec![4])]);
    assert_eq!(geps("h"), [(-3, vec![])]);
    assert_eq!(geps("k"), [(0, vec![])]);

    let module = ll("target datalayout = \"e-i64:64\"
        define ptr @f(ptr %p, i64 %i, i32 %j) {
        %1 = getelementptr {i32, [9 x {i8, i64}]}, ptr %p, i64 %i, i32 1, i32 %j, i32 1
        %2 = getelementptr i32, ptr %p, i128 -1
        %wide = zext i64 %i to i128
        %3 = getelementptr i32, ptr %p, i128 %wide
        ret ptr %1
    }");
    let indices = vec![(value(1), 152), (value(2), 16)];
    assert_eq!(op(&module, "f", 0), Op::Gep { base: value(0), offset: 16, indices, flags: Flags::default() });
    let back = Op::Gep { base: value(0), offset: -4, indices: Vec::new(), flags: Flags::default() };
    assert_eq!(op(&module, "f", 1), back);
    assert!(matches!(op(&module, "f", 3), Op::Opaque { .. }));
}

#[test]
fn constants() {
    let module = c("struct s { long a; struct s *next; char c[8]; };
        struct s one = { -1, 0, \"abcdefg\" };
        struct s two = { 7, &one, { 1 } };
        char *into = (char *)&two + 9;
        long *member = &two.a;
        char text[] = \"hi\";
        unsigned short numbers[3] = { 1, 65535 };
        int zeros[40];
        long number = (long)&one;
        void f(void) {}
        void (*function)(void) = f;
        char *fixed = (char *)4096;
        double half = 0.5;
        long double longer = 1.0L;
        __int128 wide = (__int128)1 << 100;
        unsigned _BitInt(200) wider = 5;
        extern int elsewhere;
        int *away = &elsewhere;");
    let id = |name: &str| {
        let index = module.globals.iter().position(|g| g.name == name).expect("a global");
        GlobalId(u32::try_from(index).expect("small"))
    };
    let s = module.globals[0].ty.clone();
    let chars = Type::Array(Box::new(Type::Int(8)), 8, 1);
    assert_eq!(s, Type::Struct(vec![(0, Type::Int(64)), (8, Type::Ptr), (16, chars)], 24));
    let minus_one = Constant::Int(64, u128::from(u64::MAX));
    assert_eq!(
        *global(&module, "one"),
        Constant::Aggregate(s.clone(), vec![minus_one, Constant::Null, Constant::Bytes(b"abcdefg\0".to_vec())])
    );
    assert_eq!(
        *global(&module, "two"),
        Constant::Aggregate(
            s,
            vec![Constant::Int(64, 7), Constant::Global(id("one"), 0), Constant::Bytes(vec![1, 0, 0, 0, 0, 0, 0, 0])]
        )
    );
    assert_eq!(*global(&module, "into"), Constant::Global(id("two"), 9));
    assert_eq!(*global(&module, "member"), Constant::Global(id("two"), 0));
    assert_eq!(*global(&module, "text"), Constant::Bytes(b"hi\0".to_vec()));
    let shorts = Type::Array(Box::new(Type::Int(16)), 3, 2);
    let [one, most, zero] = [1, 65535, 0].map(|n| Constant::Int(16, n));
    assert_eq!(*global(&module, "numbers"), Constant::Aggregate(shorts, vec![one, most, zero]));
    assert_eq!(*global(&module, "zeros"), Constant::Zero(Type::Array(Box::new(Type::Int(32)), 40, 4)));
    assert_eq!(*global(&module, "number"), Constant::PtrToInt(Box::new(Constant::Global(id("one"), 0)), 64));
    assert_eq!(*global(&module, "function"), Constant::Function(FunctionId(0)));
    assert_eq!(*global(&module, "fixed"), Constant::IntToPtr(Box::new(Constant::Int(64, 4096))));
    assert_eq!(*global(&module, "half"), Constant::Float(FloatKind::Double, u128::from(0.5_f64.to_bits())));
    assert_eq!(*global(&module, "longer"), Constant::Float(FloatKind::X87, 0x3fff_8000_0000_0000_0000));
    assert_eq!(*global(&module, "wide"), Constant::Int(128, 1 << 100));
    assert_eq!(*global(&module, "wider"), Constant::Opaque(Type::Int(256), vec![]));
    assert_eq!(*global(&module, "away"), Constant::Global(id("elsewhere"), 0));
    let elsewhere = module.globals.iter().find(|g| g.name == "elsewhere").expect("it is declared");
    assert_eq!((&elsewhere.init, elsewhere.size, elsewhere.external), (&None, 4, true));
}

#[test]
fn addresses_that_only_assembly_has() {
    let module = ll("@g = global [4 x i32] zeroinitializer
        @h = external global {i8, i32}
        @alias = alias i32, getelementptr (i8, ptr @g, i64 4)
        @called = alias void (), ptr @f
        @resolved = ifunc void (), ptr @resolver
        @a = global ptr getelementptr (i8, ptr @alias, i64 8)
        @b = global ptr getelementptr ({i8, i32}, ptr @h, i32 0, i32 1)
        @c = global ptr getelementptr (i8, ptr null, i64 24)
        @d = global ptr getelementptr (i8, ptr inttoptr (i64 100 to ptr), i64 -4)
        @e = global i64 sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr @h to i64))
        @i = global ptr getelementptr (i8, ptr @f, i64 1)
        @j = global [2 x i8] undef
        @k = global ptr @resolved
        @l = global <2 x i32> <i32 1, i32 2>
        @m = thread_local global i32 0
        @n = externally_initialized global i32 0
        define void @f() {
            call void @called()
            call void @resolved()
            call void asm sideeffect \"nop\", \"\"()
            ret void
        }
        define internal ptr @resolver() { ret ptr @f }
        define void @bare() naked { unreachable }");
    assert_eq!(*global(&module, "a"), Constant::Global(GlobalId(0), 12));
    assert_eq!(*global(&module, "b"), Constant::Global(GlobalId(1), 4));
    assert_eq!(*global(&module, "c"), Constant::IntToPtr(Box::new(Constant::Int(64, 24))));
    assert_eq!(*global(&module, "d"), Constant::IntToPtr(Box::new(Constant::Int(64, 96))));
    // What is not understood says what it is made from.
    let (g, h) = (Constant::Global(GlobalId(0), 0), Constant::Global(GlobalId(1), 0));
    assert_eq!(*global(&module, "e"), Constant::Opaque(Type::Int(64), vec![h, g]));
    let f = || vec![Constant::Function(FunctionId(0))];
    assert_eq!(*global(&module, "i"), Constant::Opaque(Type::Ptr, f()));
    assert_eq!(*global(&module, "j"), Constant::Undef(Type::Array(Box::new(Type::Int(8)), 2, 1)));
    let resolver = || vec![Constant::Function(FunctionId(1))];
    assert_eq!(*global(&module, "k"), Constant::Opaque(Type::Ptr, resolver()));
    assert_eq!(*global(&module, "l"), Constant::Opaque(Type::Other(8), vec![]));
    let of = |name: &str| module.globals.iter().find(|g| g.name == name).expect("a global");
    assert!(of("m").thread_local && !of("l").thread_local);
    assert_eq!(of("n").init, None);
    let callees: Vec<_> = ops(function(&module, "f"))
        .into_iter()
        .map(|op| match op {
            Op::Call { callee, .. } => callee.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        callees,
        [
            Callee::Function(FunctionId(0)),
            Callee::Pointer(Operand::Constant(Constant::Opaque(Type::Ptr, resolver()))),
            Callee::Asm("nop".to_owned()),
        ]
    );
    assert!(!function(&module, "resolver").external);
    assert_eq!(function(&module, "bare").blocks, [], "a naked function's body is not all there");
}

#[test]
fn debug_types() {
    let module = c("typedef const unsigned int word;
        enum small { A, B }; enum with_sign { C = -1 };
        struct list { struct list *next; volatile word w; signed b : 3; unsigned c : 7; _Bool flag; };
        union u { float f; double d; };
        typedef int row[3];
        void f(int n) {
            word a = 0; enum small b; enum with_sign c; struct list d; union u e; row g[2]; int h[n]; char i;
            _Atomic long j; void *k; int (*l)(int); float *restrict m; int (*o)[];
            typedef int v4 __attribute__((vector_size(16))); v4 p;
        }");
    assert_eq!(*local(&module, "f", "a"), signed_int("unsigned int", 4, false));
    assert_eq!(*local(&module, "f", "b"), signed_int("small", 4, false));
    assert_eq!(*local(&module, "f", "c"), signed_int("with_sign", 4, true));
    assert_eq!(*local(&module, "f", "i"), signed_int("char", 1, true));
    assert_eq!(*local(&module, "f", "j"), signed_int("long", 8, true));
    assert_eq!(*local(&module, "f", "k"), DebugType::Pointer { to: None });
    assert_eq!(*local(&module, "f", "p"), DebugType::Other);
    let DebugType::Pointer { to } = local(&module, "f", "l") else { panic!("a pointer") };
    assert_eq!(*debug(&module, *to), DebugType::Other);
    let DebugType::Pointer { to } = local(&module, "f", "m") else { panic!("a pointer") };
    assert_eq!(*debug(&module, *to), DebugType::Float { size: 4 });
    let DebugType::Array { of, counts } = local(&module, "f", "g") else { panic!("an array") };
    assert_eq!((debug(&module, *of), counts), (&signed_int("int", 4, true), &vec![Some(2), Some(3)]));
    let DebugType::Array { counts, .. } = local(&module, "f", "h") else { panic!("an array") };
    assert_eq!(*counts, [None]);
    let DebugType::Pointer { to } = local(&module, "f", "o") else { panic!("a pointer") };
    assert!(matches!(debug(&module, *to), DebugType::Array { counts, .. } if *counts == [None]));

    let DebugType::Record { name, size, members } = local(&module, "f", "d") else { panic!("a record") };
    assert_eq!((name.as_str(), *size), ("list", 16));
    let shape: Vec<_> = members.iter().map(|m| (m.name.as_str(), m.offset_bits, m.size_bits, m.bit_field)).collect();
    assert_eq!(
        shape,
        [("next", 0, 64, false), ("w", 64, 32, false), ("b", 96, 3, true), ("c", 99, 7, true), ("flag", 112, 8, false),]
    );
    let types: Vec<_> = members[1..].iter().map(|m| debug(&module, m.ty)).collect();
    let unsigned = signed_int("unsigned int", 4, false);
    assert_eq!(types, [&unsigned, &signed_int("int", 4, true), &unsigned, &DebugType::Bool { size: 1 }]);
    // The pointer leads back to the record itself.
    let DebugType::Pointer { to } = debug(&module, members[0].ty) else { panic!("a pointer") };
    assert_eq!(debug(&module, *to), local(&module, "f", "d"));
    let DebugType::Record { members, .. } = local(&module, "f", "e") else { panic!("a record") };
    assert_eq!(members.iter().map(|m| m.offset_bits).collect::<Vec<_>>(), [0, 0]);
}

#[test]
fn globals_know_their_variables() {
    let module = c("static unsigned char counter = 3; int next(void) { static long seen; return ++seen + counter++; }");
    let variables: Vec<_> = module
        .globals
        .iter()
        .map(|g| {
            let v = g.variable.as_ref().expect("a variable");
            (g.name.as_str(), v.name.as_str(), debug(&module, v.ty).clone(), g.external)
        })
        .collect();
    assert_eq!(
        variables,
        [
            ("next.seen", "seen", signed_int("long", 8, true), false),
            ("counter", "counter", signed_int("unsigned char", 1, false), false),
        ]
    );
}

#[test]
fn calls() {
    let module = c("int printf(const char *, ...); _Noreturn void stop(int); int _setjmp(void *);
        struct big { long a[5]; }; struct big make(struct big b, int (*p)(int)) { p(4); return b; }
        void f(void *p) { printf(\"%d\", 1); if (_setjmp(p)) stop(1); __asm__ volatile (\"cpuid\"); }");
    let call = |name: &str| {
        let found = ops(function(&module, "f")).into_iter().find(|op| match op {
            Op::Call { callee: Callee::Function(FunctionId(id)), .. } => module.functions[*id as usize].name == name,
            _ => false,
        });
        let Some(Op::Call { args, noreturn, returns_twice, .. }) = found else { panic!("no call of {name}") };
        (args.len(), *noreturn, *returns_twice)
    };
    assert_eq!(call("printf"), (2, false, false));
    assert_eq!(call("stop"), (1, true, false));
    assert_eq!(call("_setjmp"), (1, false, true));
    assert!(function(&module, "printf").variadic && function(&module, "printf").blocks.is_empty());
    assert!(function(&module, "stop").noreturn);
    let make = function(&module, "make");
    let sizes: Vec<_> = make.params.iter().map(|p| (p.sret, p.byval)).collect();
    assert_eq!(sizes, [(Some(40), None), (None, Some(40)), (None, None)]);
    assert!(
        ops(make).iter().any(|op| matches!(op, Op::Call { callee: Callee::Pointer(_), args, .. } if args.len() == 1))
    );
    let assembly = Callee::Asm("cpuid".to_owned());
    assert!(ops(function(&module, "f")).iter().any(|op| matches!(op, Op::Call { callee, .. } if *callee == assembly)));
}

#[test]
fn computed_goto_and_switch() {
    let module = c("int f(int n) {
            static void *const table[] = { &&a, &&b };
            switch (n) { case -1: return 5; case 3 ... 4: n = 0; }
            goto *table[n];
        a:  return 1;
        b:  return 2;
        }");
    let f = function(&module, "f");
    let Constant::Aggregate(_, targets) = global(&module, "f.table") else { panic!("a table") };
    let blocks: Vec<_> = targets
        .iter()
        .map(|t| match t {
            Constant::Block(FunctionId(0), block) => *block,
            other => panic!("{other:?}"),
        })
        .collect();
    let jump = f.blocks.iter().find_map(|b| match &b.terminator {
        Terminator::IndirectJump { address: Operand::Value(_), targets } => Some(targets.clone()),
        _ => None,
    });
    assert_eq!(jump, Some(blocks));
    let Some(Terminator::Switch { width: 32, cases, default, .. }) =
        f.blocks.iter().map(|b| &b.terminator).find(|t| matches!(t, Terminator::Switch { .. }))
    else {
        panic!("a switch")
    };
    assert_eq!(cases.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [u128::from(u32::MAX), 3, 4]);
    assert!(cases.iter().all(|(_, to)| to != default));
}

#[test]
fn sanitizer_checks_and_lifetimes_stay() {
    let flags = [
        "-Xclang",
        "-fsanitize-address-use-after-scope",
        "-fsanitize=shift-base,array-bounds,vla-bound",
        "-fsanitize-trap=all",
    ];
    let text = "int f(int n) { int a[4]; for (int i = 0; i < n; i++) { int t = i << 1; a[i] = t; } return a[0]; }";
    let module = read(&bitcode("c", &flags, text), "test.c").expect("clang's own bitcode");
    let f = function(&module, "f");
    let called = |block: &Block| -> Vec<String> {
        let of = |op: &Op| match op {
            Op::Call { callee: Callee::Function(FunctionId(id)), .. } => {
                Some(module.functions[*id as usize].name.clone())
            }
            _ => None,
        };
        block.instructions.iter().filter_map(|i| of(&i.op)).collect()
    };
    let names: Vec<_> = f.blocks.iter().flat_map(called).collect();
    assert!(names.iter().any(|n| n.starts_with("llvm.lifetime.start")), "{names:?}");
    assert!(!names.iter().any(|n| n.starts_with("llvm.dbg")), "{names:?}");
    let traps: Vec<_> = f.blocks.iter().filter(|b| called(b).contains(&"llvm.ubsantrap".to_owned())).collect();
    assert!(traps.len() >= 2, "a shift and an index");
    for trap in traps {
        assert_eq!(trap.terminator, Terminator::Unreachable);
        assert!(trap.instructions.iter().all(|i| i.nosanitize));
        // Made by the compiler, with the place of what it checks.
        assert_eq!(trap.place.map(|p| p.line), Some(1));
    }
}

#[test]
fn exceptions_of_cpp() {
    let text = "struct base { int b; }; struct guard : base { ~guard(); int more; static int shared; };
        int may_throw(guard &);
        namespace inside { int f() { guard g; return may_throw(g); } }";
    let module = read(&bitcode("c++", &["-fexceptions"], text), "test.cpp").expect("clang's own bitcode");
    let f = function(&module, "f");
    assert_eq!(f.name, "_ZN6inside1fEv");
    let invoke = f.blocks.iter().find(|b| matches!(b.terminator, Terminator::Invoke { .. })).expect("an invoke");
    let last = invoke.instructions.last().expect("the call");
    assert!(matches!(&last.op, Op::Call { args, nounwind: false, .. } if args.len() == 1));
    let Terminator::Invoke { normal, unwind } = invoke.terminator else { unreachable!() };
    // The result is a value like any other.
    assert_eq!(f.blocks[normal.0 as usize].terminator, Terminator::Return(Some(Operand::Value(last.id))));
    assert_eq!(f.blocks[unwind.0 as usize].instructions[0].op, Op::LandingPad);
    assert!(f.blocks.iter().any(|b| b.terminator == Terminator::Resume));
    // What is only declared has no debug information, but a mangled name.
    assert_eq!(function(&module, "may_throw(guard&)").name, "_Z9may_throwR5guard");
    let DebugType::Record { members, .. } = local(&module, "f", "g") else { panic!("a record") };
    let shape: Vec<_> = members.iter().map(|m| (m.name.as_str(), m.offset_bits, m.size_bits)).collect();
    assert_eq!(shape, [("base", 0, 32), ("more", 32, 32)]);
}

#[test]
fn terminators_that_are_not_understood_keep_their_targets() {
    let module = c("int f(int x) { asm goto (\"jmp %l1\" : \"+r\"(x) : : : out); return x; out: return 0; }");
    let f = function(&module, "f");
    let block = f.blocks.iter().find(|b| matches!(b.terminator, Terminator::Opaque { .. })).expect("asm goto");
    let Terminator::Opaque { what, targets } = &block.terminator else { unreachable!() };
    assert_eq!((what.as_str(), targets.len()), ("callbr", 2));
    let last = block.instructions.last().expect("its result");
    assert!(matches!(&last.op, Op::Opaque { what, .. } if what == "callbr"));
    assert_eq!(last.ty, Type::Int(32));
}

#[test]
fn atomics_volatiles_and_aggregates() {
    let module = ll("define {i32, i1} @f(ptr %p, i32 %a) {
        %1 = load volatile i32, ptr %p, align 2
        %2 = load atomic i32, ptr %p seq_cst, align 4
        %3 = atomicrmw umax ptr %p, i32 %a monotonic
        %4 = cmpxchg ptr %p, i32 %a, i32 0 seq_cst seq_cst
        fence seq_cst
        %5 = extractvalue {i32, i1} %4, 1
        %6 = insertvalue {i32, i1} %4, i32 7, 0
        %7 = select i1 %5, i32 %a, i32 0
        %8 = freeze i32 %7
        %9 = va_arg ptr %p, i32
        ret {i32, i1} %6
    }");
    let pair = Type::Struct(vec![(0, Type::Int(32)), (4, Type::Int(1))], 8);
    assert_eq!(function(&module, "f").result, pair);
    let expected = [
        Op::Load {
            ptr: value(0),
            size: 4,
            align: 2,
            volatile: true,
            atomic: false,
            promise: Promise::default(),
            by: AccessedBy::default(),
        },
        Op::Load {
            ptr: value(0),
            size: 4,
            align: 4,
            volatile: false,
            atomic: true,
            promise: Promise::default(),
            by: AccessedBy::default(),
        },
        Op::AtomicRmw { op: AtomicOp::Other, ptr: value(0), value: value(1), size: 4 },
        Op::CompareExchange { ptr: value(0), expected: value(1), new: int(32, 0), size: 4 },
        Op::Fence,
        Op::ExtractValue { aggregate: value(5), path: vec![1] },
        Op::InsertValue { aggregate: value(5), value: int(32, 7), path: vec![0] },
        Op::Select { cond: value(7), yes: value(1), no: int(32, 0) },
        Op::Freeze { arg: value(9) },
        Op::VaArg { list: value(0) },
    ];
    assert_eq!(ops(function(&module, "f")), expected.iter().collect::<Vec<_>>());
}

#[test]
fn phis_name_the_blocks_they_come_from() {
    let module = ll("define i32 @f(i32 %n) {
        entry:
            br label %head
        head:
            %i = phi i32 [ 0, %entry ], [ %next, %head ]
            %next = add i32 %i, 1
            %more = icmp ult i32 %next, %n
            br i1 %more, label %head, label %out
        out:
            ret i32 %i
    }");
    let incoming = vec![(BlockId(0), int(32, 0)), (BlockId(1), value(2))];
    assert_eq!(op(&module, "f", 0), Op::Phi { incoming });
}

#[test]
fn thirty_two_bits() {
    let text = "struct s { char c; void *p; long l; long double d; };
        unsigned size = sizeof(struct s); int *f(int *p, long long i) { return p + i; } long double x;";
    let flags = ["--target=i386-pc-linux-gnu"];
    let module = read(&bitcode("c", &flags, text), "test.c").expect("clang's own bitcode");
    assert_eq!(module.pointer_bits, 32);
    assert_eq!(*global(&module, "size"), Constant::Int(32, 24));
    let x = module.globals.iter().find(|g| g.name == "x").expect("a global");
    assert_eq!((&x.ty, x.size), (&Type::Float(FloatKind::X87), 12));
    let f = function(&module, "f");
    assert!(ops(f).iter().any(|op| matches!(op, Op::Alloca { size: 8, .. })));
    assert!(ops(f).iter().any(|op| matches!(op, Op::Gep { indices, .. } if indices.iter().all(|(_, s)| *s == 4))));

    let module = ll("target datalayout = \"e-p:32:32\"
        @g = global i8 0
        @a = global ptr getelementptr (i8, ptr @g, i32 -1)
        @b = global ptr getelementptr (i8, ptr null, i64 -1)
        define ptr @f(ptr %p, i64 %i) {
            %1 = getelementptr i8, ptr %p, i64 4294967295
            %2 = getelementptr i8, ptr %p, i64 %i
            ret ptr %1
        }");
    assert_eq!(*global(&module, "a"), Constant::Global(GlobalId(0), -1));
    let top = Constant::Int(32, u128::from(u32::MAX));
    assert_eq!(*global(&module, "b"), Constant::IntToPtr(Box::new(top)));
    let back = Op::Gep { base: value(0), offset: -1, indices: Vec::new(), flags: Flags::default() };
    assert_eq!(op(&module, "f", 0), back);
    assert!(matches!(op(&module, "f", 1), Op::Opaque { .. }), "an index that is cut off first");
}

/// What compilers before LLVM 19 wrote: calls instead of records.
const OLD_DEBUG_CALLS: &str = "
    define void @f(i32 %x) !dbg !4 {
        %a = alloca i32
        call void @llvm.dbg.declare(metadata ptr %a, metadata !7, metadata !DIExpression()), !dbg !9
        call void @llvm.dbg.value(metadata i32 %x, metadata !8, metadata !DIExpression()), !dbg !9
        call void @llvm.dbg.value(metadata i32 %x, metadata !8, metadata !DIExpression(DW_OP_deref)), !dbg !9
        ret void, !dbg !9
    }
    declare void @llvm.dbg.declare(metadata, metadata, metadata)
    declare void @llvm.dbg.value(metadata, metadata, metadata)
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!2}
    !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
    !1 = !DIFile(filename: \"/home/me/a.c\", directory: \"/home/you\")
    !2 = !{i32 2, !\"Debug Info Version\", i32 3}
    !3 = !DISubroutineType(types: !{})
    !4 = distinct !DISubprogram(name: \"f\", file: !10, line: 3, type: !3, unit: !0, spFlags: DISPFlagDefinition)
    !5 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)
    !7 = !DILocalVariable(name: \"a\", scope: !4, file: !11, line: 4, type: !5)
    !8 = !DILocalVariable(name: \"x\", arg: 1, scope: !4, file: !12, line: 3, type: !5)
    !9 = !DILocation(line: 4, column: 6, scope: !4)
    !10 = !DIFile(filename: \"me/a.c\", directory: \"/home\")
    !11 = !DIFile(filename: \"inc/a.h\", directory: \"/home/you\")
    !12 = !DIFile(filename: \"them/b.h\", directory: \"/home\")
";

#[test]
fn old_debug_calls_and_names_of_files() {
    let module = ll(OLD_DEBUG_CALLS);
    let f = function(&module, "f");
    assert_eq!(ops(f).len(), 1);
    let file = |place: Option<Place>| module.files[place.expect("a place").file as usize].as_str();
    let [(ValueId(1), a)] = &f.declares[..] else { panic!("one variable in memory") };
    let [(ValueId(0), x)] = &f.values[..] else { panic!("one variable in a value") };
    assert_eq!((a.name.as_str(), x.name.as_str(), x.argument), ("a", "x", 1));
    assert_eq!(a.place.map(|p| (p.line, p.column)), Some((4, 6)));
    assert_eq!(x.place.map(|p| (p.line, p.column)), Some((3, 0)));
    // As the compiler was given it; relative to the current folder; neither.
    assert_eq!(file(f.place), "/home/me/a.c");
    assert_eq!(file(a.place), "inc/a.h");
    assert_eq!(file(x.place), "/home/them/b.h");
}

#[test]
fn members_of_a_rust_enum_lie_one_upon_the_other() {
    let module = ll("define void @f() !dbg !4 {
            %a = alloca i64
                #dbg_declare(ptr %a, !7, !DIExpression(), !9)
            ret void, !dbg !9
        }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: \"a.rs\", directory: \"/\")
        !2 = !{i32 2, !\"Debug Info Version\", i32 3}
        !3 = !DISubroutineType(types: !{})
        !4 = distinct !DISubprogram(name: \"f\", file: !1, line: 3, type: !3, unit: !0, spFlags: DISPFlagDefinition)
        !5 = !DIBasicType(name: \"u32\", size: 32, encoding: DW_ATE_unsigned)
        !7 = !DILocalVariable(name: \"a\", scope: !4, file: !1, line: 4, type: !10)
        !9 = !DILocation(line: 4, column: 6, scope: !4)
        !10 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Option\", size: 64, elements: !{!11})
        !11 = !DICompositeType(tag: DW_TAG_variant_part, scope: !10, size: 64, elements: !{!12, !13},
            discriminator: !14)
        !12 = !DIDerivedType(tag: DW_TAG_member, name: \"None\", scope: !11, baseType: !15, size: 64, extraData: i32 0)
        !13 = !DIDerivedType(tag: DW_TAG_member, name: \"Some\", scope: !11, baseType: !15, size: 64, extraData: i32 1)
        !14 = !DIDerivedType(tag: DW_TAG_member, scope: !10, baseType: !5, size: 32, flags: DIFlagArtificial)
        !15 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Inner\", size: 64, elements: !{})");
    let DebugType::Record { members, .. } = local(&module, "f", "a") else { panic!("a record") };
    let shape: Vec<_> = members.iter().map(|m| (m.name.as_str(), m.offset_bits, m.size_bits)).collect();
    assert_eq!(shape, [("", 0, 32), ("None", 0, 64), ("Some", 0, 64)]);
    let [Member { ty: tag, .. }, Member { ty: none, .. }, Member { ty: some, .. }] = &members[..] else {
        panic!("three")
    };
    assert_eq!(debug(&module, *tag), &signed_int("u32", 4, false));
    assert_eq!(none, some);
}

fn error(bytes: &[u8]) -> Failure {
    read(bytes, "test.bc").expect_err("it is damaged")
}

#[test]
fn damaged_text_is_an_error_with_its_place() {
    let failure = error(b"define i32 @f() {\n  ret i32 %x\n}\n");
    assert_eq!(failure.place, Some(("test.bc".to_owned(), 2, 11)));
    assert!(failure.message.contains("use of undefined value '%x'"), "{}", failure.message);
    let failure = error(b"\x7fELF and so on");
    assert!(failure.message.starts_with("this is neither bitcode nor assembly"), "{}", failure.message);
    assert!(error(b"").message.starts_with("test.bc is empty"));
}

#[test]
fn what_the_verifier_refuses_is_an_error() {
    let failure = error(
        b"define void @f(ptr %p) {\n  call void @llvm.lifetime.start.p0(ptr %p)\n  ret void\n}\n\
        declare void @llvm.lifetime.start.p0(ptr)\n",
    );
    let expected = "LLVM's verifier refuses test.bc (llvm.lifetime.start/end can only be used on alloca or poison)";
    assert!(failure.message.starts_with(expected), "{}", failure.message);
}

#[test]
fn debug_information_that_is_broken_is_left_out() {
    let text = OLD_DEBUG_CALLS.replace("!DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)", "!{}");
    let module = ll(&text);
    let f = function(&module, "f");
    assert_eq!((f.place, f.declares.len(), f.values.len(), ops(f).len()), (None, 0, 0, 1));
    // So is that of another version.
    let module = ll(&OLD_DEBUG_CALLS.replace("Version\", i32 3", "Version\", i32 2"));
    assert_eq!(function(&module, "f").place, None);
}

#[test]
fn a_newer_writer_is_named() {
    let mut bytes = bitcode("c", &[], "int x;");
    // The name of the writer is somewhere in the first block, in characters of six bits.
    let bits = |bytes: &[u8], width: u32| -> Vec<u8> {
        bytes.iter().flat_map(|byte| (0..width).map(move |n| byte >> n & 1)).collect()
    };
    let alphabet = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let written = |text: &str| -> Vec<u8> {
        let code = |c: u8| alphabet.iter().position(|a| *a == c).and_then(|n| u8::try_from(n).ok());
        bits(&text.bytes().map(|c| code(c).expect("a character of the alphabet")).collect::<Vec<_>>(), 6)
    };
    let (old, new) = (written("LLVM22"), written("LLVM97"));
    let mut all = bits(&bytes, 8);
    let start = all.windows(old.len()).position(|w| w == old).expect("the name of the writer");
    all[start..start + old.len()].copy_from_slice(&new);
    bytes = all.chunks(8).map(|byte| byte.iter().rev().fold(0, |sum, bit| sum << 1 | bit)).collect();
    let failure = error(&bytes);
    let expected = "the bitcode in test.bc was written by a newer LLVM than 22 (LLVM97";
    assert!(failure.message.starts_with(expected), "{}", failure.message);
    assert!(failure.message.ends_with("compile with clang 22 or older."), "{}", failure.message);
}

#[test]
fn bitcode_without_its_end_is_an_error() {
    let whole = bitcode("c", &[], "int f(int n) { int s = 0; while (s < n) s += 2; return s; }");
    read(&whole, "test.bc").expect("the whole file");
    for length in (4..whole.len()).step_by(29) {
        let failure = error(&whole[..length]);
        assert!(failure.message.contains("damaged"), "{length} bytes: {}", failure.message);
    }
}

#[test]
fn changed_bitcode_is_an_error_or_a_module() {
    let whole = bitcode("c", &[], "int f(int n) { int s = 0; while (s < n) s += 2; return s; }");
    let (mut errors, mut modules) = (0, 0);
    for (n, at) in (8..whole.len()).step_by(23).enumerate() {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (n % 8);
        match read(&changed, "test.bc") {
            Ok(_) => modules += 1,
            Err(_) => errors += 1,
        }
    }
    assert!(errors > 0 && modules > 0, "{errors} errors, {modules} modules");
}

#[test]
fn several_threads_read_at_once() {
    let bytes = bitcode("c", &[], "int f(int n) { int s = 0; while (s < n) s += 2; return s; }");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(read(&bytes, "test.bc").map(|m| m.functions.len()), Ok(1));
                    assert!(read(&bytes[..400], "test.bc").is_err());
                }
            });
        }
    });
}
