//! Random C programs.
//!
//! A program is made from a seed alone. It is free of undefined behaviour by construction where its risk is zero: each
//! expression carries the range of its value, and an operation that could be undefined is given operands for which it
//! is not. With a higher risk, that care is left out now and then.
//!
//! Nothing that a program observes depends on addresses, on values that were never written or on how padding looks: two
//! correct translations of one program observe the same.

mod expr;
mod floats;
mod idioms;
mod lifetimes;
mod memory;
mod shared;
mod stmt;
mod surroundings;
mod types;

use super::program::{Constructs, Expr, Part, Program, Stmt};
use lariat_ir::random::Random;
use types::{BOOL, CHAR, COMMON, I128, INT, Int, Kind, LLONG, SCHAR, SHORT, U128, UCHAR, UINT, ULLONG, USHORT};

/// A random program with what is known about it.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The program.
    pub program: Program,
    /// In how many of 100 places the care to stay defined was left out.
    pub risk: u32,
    /// How often each construct occurs.
    pub constructs: Constructs,
    /// The seed of its inputs.
    pub input_seed: u64,
}

/// The n-th program of a seed.
pub fn generate(seed: u64, n: u64) -> Generated {
    let mut rng = Random::for_task(seed ^ 0xc0de, n);
    let input_seed = rng.next();
    // After a jump back the address sanitizer does not know the stack any more: such programs are to be defined.
    let jumps = rng.percent(12);
    let risk = match rng.below(8) {
        _ if jumps => 0,
        0..=3 => 0,
        4..=5 => 3,
        6 => 10,
        _ => 30,
    };
    let extent = match rng.below(100) {
        0..45 => Extent::Tiny,
        45..80 => Extent::Small,
        _ => Extent::Large,
    };
    let mut g = Generator::new(rng, risk, extent);
    g.jumps = jumps;
    let program = g.program();
    Generated { program, risk, constructs: g.constructs, input_seed }
}

/// A variable in scope.
#[derive(Clone, Debug)]
struct Var {
    name: String,
    kind: Kind,
    /// 0 lives for ever, 1 as long as the function, and so on inwards.
    depth: u32,
    /// Whether anything but its own loop may change it or point to it.
    open: bool,
    /// Whether it is a pointer that stays what it is, because what it points to is given back by its name.
    fixed: bool,
    /// What is known about its value.
    range: Option<(i128, i128)>,
}

/// A function that can be called.
#[derive(Clone, Debug)]
struct Func {
    name: String,
    params: Vec<Kind>,
    ret: Option<Kind>,
    /// About how many statements a call executes, and how many it has with what it calls.
    cost: u64,
    size: u64,
}

/// How large a program gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    Tiny,
    Small,
    Large,
}

struct Field {
    name: String,
    kind: Kind,
}

/// The most statements that are executed, about, if nothing runs for ever.
const COST: u64 = 1500;
/// The most statements, if every call is replaced by what it calls.
const SIZE: u64 = 120;

#[expect(clippy::struct_excessive_bools, reason = "they are independent facts about the place")]
struct Generator {
    rng: Random,
    risk: u32,
    extent: Extent,
    constructs: Constructs,
    items: Vec<Stmt>,
    vars: Vec<Var>,
    structs: Vec<Vec<Field>>,
    /// Which of them are packed: no pointer to a field of one may be made.
    packed: Vec<bool>,
    unions: Vec<Vec<Field>>,
    funcs: Vec<Func>,
    enums: Vec<(String, i128)>,
    names: usize,
    depth: u32,
    /// How often the place that is being written is executed, about.
    times: u64,
    cost: u64,
    size: u64,
    /// Variables that the present full expression reads or writes.
    touched: Vec<usize>,
    /// What the function that is being written returns.
    ret: Option<Kind>,
    in_main: bool,
    /// Whether `main` begins with a `setjmp`.
    jumps: bool,
    /// Whether the function has a computed goto, or an array of variable length: one excludes the other.
    computed_goto: bool,
    vla: bool,
    /// What may leave the statement: `break`, `continue`.
    breakable: bool,
    continuable: bool,
    /// How deep statements are nested.
    nesting: u32,
    /// How many indices and calls are around the expression that is being written.
    deep: u32,
}

impl Generator {
    fn new(rng: Random, risk: u32, extent: Extent) -> Self {
        Self {
            rng,
            risk,
            extent,
            constructs: Constructs::new(),
            items: Vec::new(),
            vars: Vec::new(),
            structs: Vec::new(),
            packed: Vec::new(),
            unions: Vec::new(),
            funcs: Vec::new(),
            enums: Vec::new(),
            names: 0,
            depth: 0,
            times: 1,
            cost: 0,
            size: 0,
            touched: Vec::new(),
            ret: None,
            in_main: false,
            jumps: false,
            computed_goto: false,
            vla: false,
            breakable: false,
            continuable: false,
            nesting: 0,
            deep: 0,
        }
    }

    fn count(&mut self, construct: &'static str) {
        *self.constructs.entry(construct).or_default() += 1;
    }

    /// Whether to leave the care out here.
    fn dare(&mut self) -> bool {
        self.risk > 0 && self.rng.percent(self.risk)
    }

    fn fresh(&mut self, base: &str) -> String {
        self.names += 1;
        format!("{base}{}", self.names)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.percent(percent)
    }

    fn some_int(&mut self) -> Int {
        if self.chance(4) {
            self.count("__int128");
            return if self.chance(50) { I128 } else { U128 };
        }
        let t = *self.rng.pick(&COMMON);
        self.count(match t.name {
            "_Bool" => "_Bool",
            "char" => "char",
            "signed char" => "signed char",
            "unsigned char" => "unsigned char",
            "short" => "short",
            "unsigned short" => "unsigned short",
            "int" => "int",
            "unsigned" => "unsigned",
            "long" => "long",
            "unsigned long" => "unsigned long",
            "long long" => "long long",
            _ => "unsigned long long",
        });
        t
    }

    fn program(&mut self) -> Program {
        self.types();
        self.globals();
        // Many small programs say more than a few large ones; some things need a large one.
        let functions = *self.rng.pick(match self.extent {
            Extent::Tiny => &[0, 0, 0, 1],
            Extent::Small => &[0, 0, 1, 1, 1, 2],
            Extent::Large => &[0, 1, 2, 2, 3, 4],
        });
        for _ in 0..functions {
            self.function();
        }
        self.tables();
        self.main();
        Program { items: std::mem::take(&mut self.items) }
    }

    fn types(&mut self) {
        if self.chance(20) {
            self.count("enum");
            let id = self.fresh("");
            let names: Vec<(String, i128)> = (0..3).map(|i| (format!("@E{id}_{i}"), [0, 5, 6][i])).collect();
            self.items
                .push(Stmt::text(format!("enum @e{id} {{ {}, {} = 5, {} }};", names[0].0, names[1].0, names[2].0)));
            self.enums = names;
        }
        if self.chance(25) {
            self.count("union");
            let first = if self.chance(50) { Kind::Int(ULLONG) } else { Kind::array(Kind::Int(UCHAR), 8) };
            let mut fields = vec![Field { name: "m0".into(), kind: first }];
            for i in 1..2 + self.rng.below(3) {
                let kind = match self.rng.below(6) {
                    0 => Kind::Int(INT),
                    1 => Kind::Int(LLONG),
                    2 => Kind::array(Kind::Int(SHORT), 4),
                    3 => Kind::array(Kind::Int(UINT), 2),
                    4 => Kind::Int(SCHAR),
                    _ => Kind::Int(USHORT),
                };
                fields.push(Field { name: format!("m{i}"), kind });
            }
            let body = fields.iter().map(|f| Stmt::text(format!("{};", f.kind.declare(&f.name)))).collect();
            self.items.push(Stmt::text("union @u0 {").with(body, "};"));
            self.unions.push(fields);
        }
        for id in 0..self.rng.below(3) {
            let mut fields = Vec::new();
            for i in 0..=self.rng.below(4) {
                let kind = self.field_kind(id);
                fields.push(Field { name: format!("m{i}"), kind });
            }
            self.count("struct");
            let body: Vec<Stmt> = fields.iter().map(|f| Stmt::text(format!("{};", f.kind.declare(&f.name)))).collect();
            let packed = self.chance(8);
            if packed {
                self.count("packed struct");
            }
            let attribute = if packed { "__attribute__((packed)) " } else { "" };
            self.items.push(Stmt::text(format!("struct {attribute}@s{id} {{")).with(body, "};"));
            self.packed.push(packed);
            self.structs.push(fields);
        }
    }

    fn field_kind(&mut self, earlier: usize) -> Kind {
        match self.rng.below(12) {
            0 | 1 => {
                self.count("bit-field");
                let t = *self.rng.pick(&[INT, UINT, INT, UINT, UCHAR, SHORT, BOOL]);
                let w = if t == BOOL { 1 } else { 1 + u32::try_from(self.rng.below(t.bits as usize)).expect("small") };
                // One bit with a sign is -1 or 0: wanted.
                Kind::Bits(t, w)
            }
            2 | 3 => {
                self.count("array in a struct");
                let t = self.some_int();
                Kind::array(Kind::Int(t), 2 + self.rng.below(3))
            }
            5 if !self.unions.is_empty() => {
                self.count("union in a struct");
                Kind::Union(0)
            }
            6 => {
                self.count("pointer in a struct");
                Kind::Ptr { to: Box::new(Kind::Int(INT)), len: 1, nullable: true }
            }
            7 => {
                self.count("wide bit-field");
                let w = 1 + u32::try_from(self.rng.below(64)).expect("small");
                Kind::Bits(if self.chance(50) { LLONG } else { ULLONG }, w)
            }
            4 if earlier > 0 => {
                self.count("nested struct");
                Kind::Struct(self.rng.below(earlier))
            }
            _ => Kind::Int(self.some_int()),
        }
    }

    fn globals(&mut self) {
        let most = if self.extent == Extent::Tiny { 2 } else { 4 };
        for _ in 0..=self.rng.below(most) {
            let kind = self.object_kind();
            let name = self.fresh("@g");
            let init = self.initializer(&kind, true);
            let is_const = self.chance(8) && matches!(kind, Kind::Array(..) | Kind::Int(_));
            let qualifier = match (is_const, self.rng.below(2)) {
                (true, _) => {
                    self.count("const global");
                    "static const "
                }
                (_, 0) => "static ",
                _ => "",
            };
            let head = format!("{qualifier}{}", kind.declare(&name));
            self.count("global");
            if self.chance(15) && !is_const {
                self.items.push(Stmt::text(format!("{head};")));
            } else {
                self.items.push(Stmt {
                    parts: vec![Part::Text(format!("{head} = ")), Part::Expr(init), Part::Text(";".into())],
                });
            }
            let range = None;
            self.vars.push(Var { name, kind, depth: 0, open: !is_const, range, fixed: false });
        }
        if self.chance(30)
            && let Some((kind, init)) = self.random_pointer(0, true)
        {
            self.count("global pointer");
            let name = self.fresh("@g");
            self.items.push(Stmt::of(&format!("{} = #;", kind.declare(&name)), vec![init]));
            self.vars.push(Var { name, kind, depth: 0, open: true, range: None, fixed: false });
        }
        if self.chance(10) {
            self.count("string literal");
            let text: String = (0..3 + self.rng.below(4))
                .map(|_| char::from(b'a' + u8::try_from(self.rng.below(26)).expect("small")))
                .collect();
            let name = self.fresh("@g");
            let len = text.len() + 1;
            if self.chance(50) {
                self.items.push(Stmt::text(format!("static const char *{name} = \"{text}\";")));
                self.vars.push(Var {
                    name,
                    kind: Kind::array(Kind::Int(CHAR), len),
                    depth: 0,
                    open: false,
                    range: None,
                    fixed: false,
                });
            } else {
                self.items.push(Stmt::text(format!("static char {name}[] = \"{text}\";")));
                self.vars.push(Var {
                    name,
                    kind: Kind::array(Kind::Int(CHAR), len),
                    depth: 0,
                    open: true,
                    range: None,
                    fixed: false,
                });
            }
        }
    }

    /// What an object can be that is neither a pointer nor a function.
    fn object_kind(&mut self) -> Kind {
        match self.rng.below(20) {
            0..=9 => Kind::Int(self.some_int()),
            10..=12 => {
                self.count("array");
                let t = self.some_int();
                let n = *self.rng.pick(&[2, 3, 4, 4, 5, 8]);
                Kind::array(Kind::Int(t), n)
            }
            13 => {
                self.count("two-dimensional array");
                let t = self.some_int();
                let (n, m) = (2 + self.rng.below(2), 2 + self.rng.below(3));
                Kind::array(Kind::array(Kind::Int(t), n), m)
            }
            14..=16 if !self.structs.is_empty() => Kind::Struct(self.rng.below(self.structs.len())),
            17 if !self.structs.is_empty() => {
                self.count("array of structs");
                Kind::array(Kind::Struct(self.rng.below(self.structs.len())), 2 + self.rng.below(2))
            }
            18 if !self.unions.is_empty() => Kind::Union(0),
            _ => Kind::Int(self.some_int()),
        }
    }

    fn function(&mut self) {
        let simple = self.chance(45);
        let name = self.fresh("@f");
        let mut params = Vec::new();
        let ret = if simple {
            params = vec![Kind::Int(INT), Kind::Int(INT)];
            Some(Kind::Int(INT))
        } else {
            for _ in 0..self.rng.below(4) {
                params.push(match self.rng.below(10) {
                    0..=1 => {
                        self.count("pointer parameter");
                        let t = self.some_int();
                        Kind::ptr(Kind::Int(t), 1 + self.rng.below(3))
                    }
                    2 if !self.structs.is_empty() => {
                        self.count("struct parameter");
                        Kind::Struct(self.rng.below(self.structs.len()))
                    }
                    3 if !self.structs.is_empty() => {
                        self.count("struct pointer parameter");
                        Kind::ptr(Kind::Struct(self.rng.below(self.structs.len())), 1)
                    }
                    4 => {
                        self.count("function pointer parameter");
                        Kind::FnPtr
                    }
                    _ => Kind::Int(self.some_int()),
                });
            }
            match self.rng.below(10) {
                0..=1 => None,
                2 if !self.structs.is_empty() => {
                    self.count("struct return");
                    Some(Kind::Struct(self.rng.below(self.structs.len())))
                }
                _ => Some(Kind::Int(self.some_int())),
            }
        };
        self.count("function");
        let shown: Vec<String> = params.iter().enumerate().map(|(i, k)| k.declare(&format!("a{i}"))).collect();
        let shown = if shown.is_empty() { "void".to_owned() } else { shown.join(", ") };
        let signature = format!("{name}({shown})");
        let head = match &ret {
            Some(kind) => kind.declare(&signature),
            None => format!("void {signature}"),
        };
        let storage = ["static ", "static ", "", "static inline "][self.rng.below(4)];
        let globals = self.vars.len();
        let outer = (self.cost, self.size);
        (self.cost, self.size) = (0, 0);
        self.depth = 1;
        for (i, kind) in params.iter().enumerate() {
            self.vars.push(Var {
                name: format!("a{i}"),
                kind: kind.clone(),
                depth: 1,
                open: true,
                range: None,
                fixed: false,
            });
        }
        self.ret.clone_from(&ret);
        (self.computed_goto, self.vla) = (false, false);
        let mut body = Vec::new();
        for _ in 0..=self.rng.below(4) {
            self.statement(&mut body);
        }
        let value = ret.as_ref().map(|kind| self.value_of(kind));
        self.vars.truncate(globals);
        self.depth = 0;
        let (cost, size) = (self.cost + 1, self.size + 2);
        (self.cost, self.size) = outer;
        // The last `return` belongs to the function: without it, its value would be nobody's.
        let whole = Stmt::text(format!("{storage}{head} {{")).with(body, "");
        self.items.push(match value {
            Some(value) => whole.then("    return #;\n}", vec![value]),
            None => whole.then("}", vec![]),
        });
        self.funcs.push(Func { name, params, ret, cost, size });
    }

    /// A value to pass or to return.
    fn value_of(&mut self, kind: &Kind) -> Expr {
        self.touched.clear();
        match kind {
            Kind::Int(_) | Kind::Bits(..) => self.expr(2).e,
            Kind::Struct(id) => self.struct_value(*id),
            Kind::FnPtr => self.function_name(),
            other => self.initializer(other, false),
        }
    }

    /// Tables of functions, for calls through pointers.
    fn tables(&mut self) {
        let simple: Vec<String> = self.simple_functions().into_iter().map(|i| self.funcs[i].name.clone()).collect();
        if !simple.is_empty() && self.chance(50) {
            self.count("table of functions");
            let name = self.fresh("@t");
            let n = 2 + self.rng.below(3);
            let entries: Vec<Expr> = (0..n).map(|_| Expr::text(self.rng.pick(&simple).clone())).collect();
            let pattern = format!(
                "static int (*{}{name}[{n}])(int, int) = {{{}}};",
                if self.chance(50) { "const " } else { "" },
                vec!["#"; n].join(", ")
            );
            self.items.push(Stmt::of(&pattern, entries));
            let kind = Kind::array(Kind::FnPtr, n);
            self.vars.push(Var { name, kind, depth: 0, open: false, range: None, fixed: false });
        }
    }

    /// The functions from two `int` to `int`.
    fn simple_functions(&self) -> Vec<usize> {
        let simple = |f: &Func| f.ret == Some(Kind::Int(INT)) && f.params == [Kind::Int(INT), Kind::Int(INT)];
        (0..self.funcs.len()).filter(|&i| simple(&self.funcs[i])).collect()
    }

    fn main(&mut self) {
        self.in_main = true;
        self.depth = 1;
        self.ret = Some(Kind::Int(INT));
        (self.computed_goto, self.vla) = (false, false);
        (self.cost, self.size) = (0, 0);
        let mut body = Vec::new();
        let globals = self.vars.len();
        if self.jumps {
            self.set_jump(&mut body);
        }
        if self.chance(25) {
            self.shared_memory(&mut body);
        }
        let (least, more) = match self.extent {
            Extent::Tiny => (1, 3),
            Extent::Small => (2, 4),
            Extent::Large => (5, 8),
        };
        for _ in 0..least + self.rng.below(more) {
            self.statement(&mut body);
        }
        self.digest(&mut body);
        if self.chance(12) {
            self.endless(&mut body);
        }
        let value = self.expr(1).e;
        self.vars.truncate(globals);
        self.items.push(Stmt::text("int @main(void) {").with(body, "").then("    return #;\n}", vec![value]));
    }
}
