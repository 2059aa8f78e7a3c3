//! Pieces of programs that take several statements: jumps, dynamic memory, walks along pointers, and what breaks.

use super::types::{BOOL, INT, Int, Kind, U128};
use super::{COST, Expr, Generator, Stmt, Var};

impl Generator {
    /// One of the idioms.
    pub(super) fn idiom(&mut self, out: &mut Vec<Stmt>) {
        if self.times > 60 {
            return self.observe(out);
        }
        match self.rng.below(42) {
            37..=41 if self.in_main && self.times == 1 => self.shared_memory(out),
            34..=36 => self.surroundings(out),
            32 | 33 => self.left_behind(out),
            30 | 31 => self.float_idiom(out),
            27 | 28 => self.unused(out),
            29 if self.in_main => self.recursion(out),
            25 => self.flexible_array(out),
            26 => self.stack_memory(out),
            0 => self.forward_goto(out),
            1 => self.backward_goto(out),
            2 => self.two_entries(out),
            3 if !self.vla => self.computed_goto(out),
            4 if !self.computed_goto => self.variable_length(out),
            5 | 6 => self.heap(out),
            7 | 8 => self.memory_functions(out),
            9 => self.linked_list(out),
            10 | 11 => self.pointer_walk(out),
            12 => self.duff(out),
            13 => self.string_walk(out),
            14 => self.pointer_to_pointer(out),
            15 => self.array_of_pointers(out),
            16 => self.number_loop(out),
            17 => self.bytes(out),
            18 => self.state_machine(out),
            19 => self.out_of_two(out),
            20 => self.container(out),
            21 => self.row_pointer(out),
            22 => self.struct_with_function(out),
            23 if self.risk > 0 => self.broken(out),
            24 => self.pointer_swap(out),
            _ => self.observe(out),
        }
    }

    fn block(&mut self, most: usize) -> Stmt {
        // A block of its own: no declaration is jumped over.
        let outer = (self.breakable, self.continuable);
        (self.breakable, self.continuable) = (false, false);
        let body = self.body(most);
        (self.breakable, self.continuable) = outer;
        Stmt::text("{").with(body, "}")
    }

    fn forward_goto(&mut self, out: &mut Vec<Stmt>) {
        self.count("goto forward");
        let label = self.fresh("L");
        let c = self.condition(2);
        out.push(Stmt::of(&format!("if (#) goto {label};"), vec![c]));
        out.push(self.block(3));
        out.push(Stmt::text(format!("{label}: ;")));
    }

    /// Runs `f` for a place that is executed `n` times as often.
    fn repeated<T>(&mut self, n: u64, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.times;
        self.times = outer.saturating_mul(n);
        let result = f(self);
        self.times = outer;
        result
    }

    fn backward_goto(&mut self, out: &mut Vec<Stmt>) {
        self.count("goto backward");
        let label = self.fresh("L");
        let bound = 1 + self.rng.below(4) as u64;
        let fuel = self.fuel(bound, out);
        out.push(Stmt::text(format!("{label}: ;")));
        let body = self.repeated(bound + 1, |g| g.block(3));
        out.push(body);
        let c = self.condition(1);
        out.push(Stmt::of(&format!("if ({fuel}-- > 0 && #) goto {label};"), vec![c]));
    }

    /// A loop with two entries.
    fn two_entries(&mut self, out: &mut Vec<Stmt>) {
        self.count("irreducible loop");
        let (a, b) = (self.fresh("L"), self.fresh("L"));
        let bound = 1 + self.rng.below(4) as u64;
        let fuel = self.fuel(bound, out);
        let c = self.condition(1);
        if self.chance(50) {
            out.push(Stmt::of(&format!("if (#) goto {b};"), vec![c]));
            let first = self.repeated(bound + 1, |g| g.block(2));
            let second = self.repeated(bound + 1, |g| g.block(2));
            out.push(
                Stmt::text(format!("while ({fuel}-- > 0) {{"))
                    .with(vec![first, Stmt::text(format!("{b}: ;")), second], "}"),
            );
            return;
        }
        out.push(Stmt::of(&format!("if (#) goto {b};"), vec![c]));
        out.push(Stmt::text(format!("{a}: ;")));
        let first = self.repeated(bound + 1, |g| g.block(2));
        out.push(first);
        let d = self.condition(1);
        out.push(Stmt::of(&format!("if ({fuel}-- <= 0 || #) goto {a}end;"), vec![d]));
        out.push(Stmt::text(format!("{b}: ;")));
        let second = self.repeated(bound + 1, |g| g.block(2));
        out.push(second);
        out.push(Stmt::text(format!("if ({fuel}-- > 0) goto {a};")));
        out.push(Stmt::text(format!("{a}end: ;")));
    }

    fn computed_goto(&mut self, out: &mut Vec<Stmt>) {
        self.count("computed goto");
        self.computed_goto = true;
        let label = self.fresh("L");
        let n = 2 + self.rng.below(2);
        let bound = 2 + self.rng.below(4) as u64;
        let fuel = self.fuel(bound, out);
        let entries: Vec<String> = (0..n).map(|i| format!("&&{label}_{i}")).collect();
        let storage = if self.chance(50) { "static void *const " } else { "void *" };
        out.push(Stmt::text(format!("{storage}{label}[] = {{{}}};", entries.join(", "))));
        let first = self.index(n, true);
        out.push(Stmt::of(&format!("goto *{label}[#];"), vec![first]));
        for i in 0..n {
            out.push(Stmt::text(format!("{label}_{i}: ;")));
            let body = self.repeated(bound, |g| g.block(2));
            out.push(body);
            match self.rng.below(3) {
                0 if i + 1 < n => {}
                _ => {
                    out.push(Stmt::text(format!("if ({fuel}-- <= 0) goto {label}_end;")));
                    let next = self.full(1).e;
                    out.push(Stmt::of(&format!("goto *{label}[(unsigned)# % {n}u];"), vec![next]));
                }
            }
        }
        out.push(Stmt::text(format!("{label}_end: ;")));
    }

    /// Runs `f` inside a block of its own with these declarations at its start.
    fn scoped(&mut self, out: &mut Vec<Stmt>, f: impl FnOnce(&mut Self, &mut Vec<Stmt>)) {
        let scope = self.vars.len();
        self.depth += 1;
        self.nesting += 1;
        let mut body = Vec::new();
        f(self, &mut body);
        self.nesting -= 1;
        self.depth -= 1;
        self.vars.truncate(scope);
        out.push(Stmt::text("{").with(body, "}"));
    }

    fn variable_length(&mut self, out: &mut Vec<Stmt>) {
        self.count("array of variable length");
        self.vla = true;
        self.scoped(out, |g, body| {
            let (n, v, i) = (g.fresh("n"), g.fresh("x"), g.fresh("i"));
            let e = g.full(1).e;
            let ty = g.some_int();
            let length = if g.dare() { "(# & 7) - 1" } else { "(# & 3) + 2" };
            body.push(Stmt::of(&format!("int {n} = {length};"), vec![e]));
            let value = g.full(1).e;
            body.push(Stmt::of(
                &format!("{} {v}[{n}]; for (int {i} = 0; {i} < {n}; {i}++) {v}[{i}] = (int)# + {i} % 3u;", ty.name),
                vec![value],
            ));
            let kind = Kind::array(Kind::Int(ty), 2);
            g.vars.push(Var { name: v.clone(), kind, depth: g.depth, open: true, range: None, fixed: false });
            for _ in 0..=g.rng.below(3) {
                g.statement(body);
            }
            body.push(Stmt::text(format!("for (int {i} = 0; {i} < {n}; {i}++) observe({v}[{i}]);")));
        });
    }

    fn heap(&mut self, out: &mut Vec<Stmt>) {
        let kind = if !self.structs.is_empty() && self.chance(30) {
            Kind::Struct(self.rng.below(self.structs.len()))
        } else {
            Kind::Int(self.some_int())
        };
        let n = 1 + self.rng.below(4);
        self.scoped(out, |g, body| {
            let name = g.fresh("x");
            let pointer = Kind::ptr(kind.clone(), n);
            let shown = pointer.declare(&name);
            let element = kind.declare("");
            let element = element.trim();
            match g.rng.below(3) {
                0 => {
                    g.count("calloc");
                    body.push(Stmt::text(format!("{shown} = calloc({n}, sizeof({element}));")));
                }
                1 => {
                    g.count("malloc");
                    let fill = *g.rng.pick(&["0", "1", "0x55", "255"]);
                    let fill = if is_picky(g, &kind) { "0" } else { fill };
                    body.push(Stmt::text(format!(
                        "{shown} = malloc({n} * sizeof({element})); memset({name}, {fill}, {n} * sizeof({element}));"
                    )));
                }
                _ => {
                    g.count("malloc of a loop's elements");
                    let i = g.fresh("i");
                    let value = if let Kind::Struct(id) = kind { g.struct_value(id) } else { g.full(1).e };
                    body.push(Stmt::of(
                        &format!("{shown} = malloc(sizeof({element}[{n}])); for (int {i} = 0; {i} < {n}; {i}++) {name}[{i}] = #;"),
                        vec![value],
                    ));
                }
            }
            // A program that runs out of memory is another one.
            body.push(Stmt::text(format!("if (!{name}) abort();")));
            g.vars.push(Var { name: name.clone(), kind: pointer, depth: g.depth, open: true, range: None, fixed: true });
            for _ in 0..=g.rng.below(3) {
                g.statement(body);
                if let Kind::Int(t) = kind {
                    let (i, e) = (g.index(n, false), g.full(1));
                    if t != BOOL || g.chance(50) {
                        body.push(Stmt::of(&format!("{name}[#] = #;"), vec![i, e.e]));
                    }
                }
            }
            if let Kind::Int(_) = kind {
                let i = g.index(n, false);
                body.push(Stmt::of(&format!("observe({name}[#]);"), vec![i]));
            }
            g.count("free");
            body.push(Stmt::text(format!("free({name});")));
            if g.dare() {
                g.count("use after free");
                body.push(match &kind {
                    Kind::Int(_) => Stmt::text(format!("observe(*{name});")),
                    _ => Stmt::text(format!("free({name});")),
                });
            }
        });
    }

    fn memory_functions(&mut self, out: &mut Vec<Stmt>) {
        let arrays: Vec<(String, Kind, usize)> = self
            .vars
            .iter()
            .filter_map(|v| match &v.kind {
                Kind::Array(of, n) if v.open && matches!(**of, Kind::Int(_)) => {
                    Some((v.name.clone(), (**of).clone(), *n))
                }
                _ => None,
            })
            .collect();
        let structs: Vec<(String, Kind)> = self
            .vars
            .iter()
            .filter(|v| v.open && matches!(v.kind, Kind::Struct(_) | Kind::Union(_)))
            .map(|v| (v.name.clone(), v.kind.clone()))
            .collect();
        if arrays.is_empty() || (!structs.is_empty() && self.chance(30)) {
            let Some((name, kind)) = structs.first().cloned() else { return self.declaration(out) };
            let twins: Vec<&String> =
                structs.iter().filter(|(n, k)| *k == kind && *n != name).map(|(n, _)| n).collect();
            if let Some(twin) = twins.first() {
                self.count("memcpy");
                out.push(Stmt::text(format!("memcpy(&{name}, &{twin}, sizeof {name});")));
            } else {
                self.count("memset");
                out.push(Stmt::text(format!("memset(&{name}, 0, sizeof {name});")));
            }
            return;
        }
        let (name, of, n) = self.rng.pick(&arrays).clone();
        let n = if self.dare() { n + 1 } else { 1 + self.rng.below(n) };
        let size = format!("{n} * sizeof {name}[0]");
        let others: Vec<String> =
            arrays.iter().filter(|(m, k, l)| *m != name && *k == of && *l >= n).map(|(m, _, _)| m.clone()).collect();
        match self.rng.below(4) {
            0 if !others.is_empty() => {
                self.count("memcpy");
                let other = self.rng.pick(&others).clone();
                out.push(Stmt::text(format!("memcpy({name}, {other}, {size});")));
            }
            1 if !others.is_empty() => {
                self.count("memcmp");
                let other = self.rng.pick(&others).clone();
                out.push(Stmt::text(format!("observe(memcmp({name}, {other}, {size}) == 0);")));
            }
            2 if n > 1 => {
                self.count("memmove");
                let (to, from) = if self.chance(50) { (1, 0) } else { (0, 1) };
                out.push(Stmt::text(format!("memmove({name} + {to}, {name} + {from}, {} * sizeof {name}[0]);", n - 1)));
            }
            _ => {
                self.count("memset");
                let fill = *self.rng.pick(&["0", "0", "1", "0x7f", "255"]);
                let fill = if of == Kind::Int(BOOL) { "1" } else { fill };
                out.push(Stmt::text(format!("memset({name}, {fill}, {size});")));
            }
        }
    }

    fn linked_list(&mut self, out: &mut Vec<Stmt>) {
        self.count("linked list");
        let (tag, p) = (self.fresh("node"), self.fresh("p"));
        let n = 2 + self.rng.below(3);
        self.scoped(out, |g, body| {
            body.push(Stmt::text(format!("struct {tag} {{ int v; struct {tag} *next; }};")));
            let mut next = "0".to_owned();
            for i in 0..n {
                let e = g.full(1).e;
                body.push(Stmt::of(&format!("struct {tag} {tag}_{i} = {{#, {next}}};"), vec![e]));
                next = format!("&{tag}_{i}");
            }
            if g.chance(30) {
                let e = g.condition(1);
                body.push(Stmt::of(&format!("if (#) {tag}_{}.next = 0;", n - 1), vec![e]));
            }
            if g.chance(30) {
                g.count("reversed list");
                let (q, t) = (g.fresh("p"), g.fresh("p"));
                body.push(Stmt::text(format!("struct {tag} *{q} = 0, *{t} = {next};")));
                body.push(Stmt::text(format!(
                    "while ({t}) {{ struct {tag} *r = {t}->next; {t}->next = {q}; {q} = {t}; {t} = r; }}"
                )));
                next = q;
            }
            let inner = if g.chance(50) {
                vec![Stmt::text(format!("observe({p}->v);"))]
            } else {
                let e = g.full(1).e;
                vec![Stmt::of(&format!("{p}->v ^= (int)#;"), vec![e]), Stmt::text(format!("observe({p}->v);"))]
            };
            body.push(
                Stmt::text(format!("for (struct {tag} *{p} = {next}; {p}; {p} = {p}->next) {{")).with(inner, "}"),
            );
            if g.dare() {
                g.count("null dereference");
                body.push(Stmt::text(format!("observe({tag}_0.next->v);")));
            }
            g.cost += 4 * g.times * n as u64;
        });
    }

    fn pointer_walk(&mut self, out: &mut Vec<Stmt>) {
        let arrays: Vec<(String, Int, usize)> = self
            .vars
            .iter()
            .filter_map(|v| match &v.kind {
                Kind::Array(of, n) if v.open => match **of {
                    Kind::Int(t) => Some((v.name.clone(), t, *n)),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        if arrays.is_empty() {
            return self.declaration(out);
        }
        self.count("walk along a pointer");
        let (name, ty, n) = self.rng.pick(&arrays).clone();
        let p = self.fresh("p");
        let t = ty.name;
        let beyond = usize::from(self.dare());
        let n = n + beyond;
        let e = self.full(1).e;
        self.cost += 3 * self.times * n as u64;
        match self.rng.below(5) {
            0 => out.push(Stmt::text(format!("for ({t} *{p} = {name}; {p} < {name} + {n}; {p}++) observe(*{p});"))),
            1 => out.push(Stmt::text(format!("for ({t} *{p} = {name} + {n}; {p} != {name};) observe(*--{p});"))),
            2 => {
                out.push(Stmt::of(&format!("{{ {t} *{p} = {name}; while ({p} - {name} < {n}) *{p}++ = (int)#; }}"), vec![e]));
            }
            3 => {
                let e = self.index(n, false);
                out.push(Stmt::of(&format!("{{ {t} *{p} = &{name}[#]; observe(*{p}); observe({p} - {name}); }}"), vec![e]));
            }
            _ => out.push(Stmt::text(format!(
                "{{ {t} *{p} = {name}, *{p}e = {name} + {}; while ({p} < {p}e) {{ {t} r = *{p}; *{p}++ = *{p}e; *{p}e-- = r; }} }}",
                n - 1
            ))),
        }
    }

    /// A loop that is entered through a switch.
    fn duff(&mut self, out: &mut Vec<Stmt>) {
        self.count("switch into a loop");
        let outer = (self.breakable, self.continuable);
        let n = self.fuel(3, out);
        let e = self.full(1).e;
        let arms: Vec<Stmt> = (0..3).map(|_| self.repeated(4, |g| g.block(1))).collect();
        let mut arms = arms.into_iter();
        let mut arm = || arms.next().expect("three arms");
        let inner = vec![arm(), Stmt::text("case 2: ;"), arm(), Stmt::text("case 1: ;"), arm()];
        let body = vec![Stmt::text("case 0: do {").with(inner, &format!("}} while ({n}-- > 0);"))];
        (self.breakable, self.continuable) = outer;
        out.push(Stmt::of("switch ((unsigned)# % 4) {", vec![e]).with(body, "}"));
    }

    fn string_walk(&mut self, out: &mut Vec<Stmt>) {
        let text: String = (0..=self.rng.below(5))
            .map(|_| char::from(b'A' + u8::try_from(self.rng.below(26)).expect("small")))
            .collect();
        let s = self.fresh("s");
        self.cost += 8 * self.times;
        match self.rng.below(3) {
            0 => {
                self.count("walk along a string");
                out.push(Stmt::text(format!("for (const char *{s} = \"{text}\"; *{s}; {s}++) observe(*{s});")));
            }
            1 => {
                self.count("array from a string");
                let e = self.index(text.len() + 1, true);
                out.push(Stmt::of(
                    &format!(
                        "{{ char {s}[] = \"{text}\"; {s}[#] ^= 3; observe({s}[0]); observe({s}[{}]); }}",
                        text.len() / 2
                    ),
                    vec![e],
                ));
            }
            _ => {
                self.count("index of a string");
                let e = self.index(text.len() + 1, true);
                out.push(Stmt::of(&format!("observe(\"{text}\"[#]);"), vec![e]));
            }
        }
    }

    fn pointer_to_pointer(&mut self, out: &mut Vec<Stmt>) {
        let pointers: Vec<(String, Kind, usize, u32)> = self
            .vars
            .iter()
            .filter_map(|v| match &v.kind {
                Kind::Ptr { to, len, nullable: false } if v.open && !v.fixed && matches!(**to, Kind::Int(_)) => {
                    Some((v.name.clone(), (**to).clone(), *len, v.depth))
                }
                _ => None,
            })
            .collect();
        if pointers.is_empty() {
            return self.declaration(out);
        }
        self.count("pointer to a pointer");
        let (name, to, len, depth) = self.rng.pick(&pointers).clone();
        let pp = self.fresh("pp");
        let other = self.pointer(&to, len, depth, false).unwrap_or_else(|| Expr::text(name.clone()));
        let e = self.full(2).e;
        let declared = to.declare(&format!("**{pp}"));
        let body = vec![
            Stmt::text(format!("{declared} = &{name};")),
            Stmt::of(&format!("**{pp} = #;"), vec![e]),
            Stmt::of(&format!("*{pp} = #;"), vec![other]),
            Stmt::text(format!("observe(**{pp});")),
        ];
        out.push(Stmt::text("{").with(body, "}"));
    }

    fn array_of_pointers(&mut self, out: &mut Vec<Stmt>) {
        let ty = self.some_int();
        let to = Kind::Int(ty);
        let n = 2 + self.rng.below(2);
        let entries: Option<Vec<Expr>> = (0..n).map(|_| self.pointer(&to, 1, self.depth + 1, false)).collect();
        let Some(entries) = entries else { return self.declaration(out) };
        self.count("array of pointers");
        let name = self.fresh("ps");
        let (i, j) = (self.index(n, true), self.index(n, true));
        let e = self.full(2).e;
        let body = vec![
            Stmt::of(&format!("{} *{name}[] = {{{}}};", ty.name, vec!["#"; n].join(", ")), entries),
            Stmt::of(&format!("*{name}[#] = #;"), vec![i, e]),
            Stmt::of(&format!("observe(*{name}[#]);"), vec![j]),
        ];
        out.push(Stmt::text("{").with(body, "}"));
    }

    /// Loops of which nobody says how often they run.
    fn number_loop(&mut self, out: &mut Vec<Stmt>) {
        self.count("loop over a number");
        let (a, b, fuel) = (self.fresh("k"), self.fresh("k"), self.fresh("n"));
        let (x, y) = (self.full(1).e, self.full(1).e);
        self.cost += 40 * self.times;
        let text = match self.rng.below(4) {
            0 => format!(
                "{{ unsigned {a} = (unsigned)# & 255, {b} = (unsigned)# & 255; while ({b}) {{ unsigned r = {a} % {b}; {a} = {b}; {b} = r; }} observe({a}); }}"
            ),
            1 => format!(
                "{{ int {a} = ((int)# & 31) + 1, {b} = (int)#, {fuel} = 40; while ({a} != 1 && {fuel}-- > 0) {a} = {a} % 2 ? 3 * {a} + 1 : {a} / 2; observe({a} ^ {b}); }}"
            ),
            2 => format!(
                "{{ unsigned long {a} = #, {b} = 0; (void)#; while ({a} && {b} < 20) {{ {a} &= {a} - 1; {b}++; }} observe({b}); }}"
            ),
            _ => format!(
                "{{ int {a} = (short)# & 63, {b} = (short)#, {fuel} = 0; do {{ {fuel} += {a} & 1 ? {b} : 1; {a} -= 7; }} while ({a} > 0); observe({fuel}); }}"
            ),
        };
        out.push(Stmt::of(&text, vec![x, y]));
    }

    /// An object's bytes.
    fn bytes(&mut self, out: &mut Vec<Stmt>) {
        let objects: Vec<(String, Int)> = self
            .vars
            .iter()
            .filter_map(|v| match v.kind {
                Kind::Int(t) if v.open && t != BOOL => Some((v.name.clone(), t)),
                _ => None,
            })
            .collect();
        if objects.is_empty() {
            return self.declaration(out);
        }
        self.count("bytes of an object");
        let (name, ty) = self.rng.pick(&objects).clone();
        let b = self.fresh("b");
        let n = (ty.bits / 8) as usize;
        let i = self.index(n, false);
        let mut body = vec![
            Stmt::text(format!("unsigned char *{b} = (unsigned char *)&{name};")),
            Stmt::of(&format!("observe({b}[#]);"), vec![i]),
        ];
        if self.chance(60) {
            let (i, e) = (self.index(n, false), self.full(1).e);
            body.push(Stmt::of(&format!("{b}[#] = #;"), vec![i, e]));
            body.push(Stmt::text(format!("observe({name});")));
        }
        out.push(Stmt::text("{").with(body, "}"));
    }

    fn state_machine(&mut self, out: &mut Vec<Stmt>) {
        self.count("state machine");
        let state = self.fresh("k");
        let bound = 2 + self.rng.below(5) as u64;
        let fuel = self.fuel(bound, out);
        let ty = *self.rng.pick(&["int", "unsigned", "char", "long"]);
        out.push(Stmt::text(format!("{ty} {state} = 0;")));
        let mut arms = Vec::new();
        let outer = (self.breakable, self.continuable);
        for i in 0..3 {
            let next = self.full(1).e;
            let mut body = self.repeated(bound, |g| {
                (g.breakable, g.continuable) = (true, true);
                g.body(1)
            });
            body.push(Stmt::of(&format!("{state} = (unsigned)# % 4; observe({state}); break;"), vec![next]));
            arms.push(Stmt::text(format!("case {i}: {{")).with(body, "}"));
        }
        (self.breakable, self.continuable) = outer;
        let label = self.fresh("L");
        arms.push(Stmt::text(format!("default: goto {label};")));
        let body = vec![Stmt::text(format!("switch ({state}) {{")).with(arms, "}")];
        out.push(Stmt::text(format!("while ({fuel}-- > 0) {{")).with(body, "}"));
        out.push(Stmt::text(format!("{label}: ;")));
    }

    fn out_of_two(&mut self, out: &mut Vec<Stmt>) {
        self.count("goto out of two loops");
        let (i, j, label) = (self.fresh("i"), self.fresh("i"), self.fresh("L"));
        let (n, m) = (1 + self.rng.below(4), 1 + self.rng.below(4));
        if self.times * (n * m) as u64 * 3 > COST {
            return self.observe(out);
        }
        for (name, n) in [(&i, n), (&j, m)] {
            let range = Some((0, i128::try_from(n).expect("small") - 1));
            self.vars.push(Var {
                name: name.clone(),
                kind: Kind::Int(INT),
                depth: self.depth + 1,
                open: false,
                range,
                fixed: false,
            });
        }
        let scope = self.vars.len() - 2;
        let c = self.condition(2);
        let outer = (self.breakable, self.continuable);
        let body = self.repeated((n * m) as u64, |g| {
            (g.breakable, g.continuable) = (true, true);
            g.body(2)
        });
        self.vars.truncate(scope);
        (self.breakable, self.continuable) = outer;
        let mut inner = vec![Stmt::of(&format!("if (#) goto {label};"), vec![c])];
        inner.extend(body);
        let inner = vec![Stmt::text(format!("for (int {j} = 0; {j} < {m}; {j}++) {{")).with(inner, "}")];
        out.push(Stmt::text(format!("for (int {i} = 0; {i} < {n}; {i}++) {{")).with(inner, "}"));
        out.push(Stmt::text(format!("{label}: ;")));
    }

    /// From a field back to the struct around it.
    fn container(&mut self, out: &mut Vec<Stmt>) {
        let objects: Vec<(String, usize)> = self
            .vars
            .iter()
            .filter_map(|v| match v.kind {
                Kind::Struct(id) if v.open && !self.packed[id] => Some((v.name.clone(), id)),
                _ => None,
            })
            .collect();
        if objects.is_empty() {
            return self.declaration(out);
        }
        let (name, id) = self.rng.pick(&objects).clone();
        let fields: Vec<(String, Int)> = self.structs[id]
            .iter()
            .filter_map(|f| match f.kind {
                Kind::Int(t) => Some((f.name.clone(), t)),
                _ => None,
            })
            .collect();
        if fields.is_empty() {
            return self.observe(out);
        }
        self.count("container of a field");
        let (from, ty) = self.rng.pick(&fields).clone();
        let (to, _) = self.rng.pick(&fields).clone();
        let (p, q) = (self.fresh("p"), self.fresh("p"));
        let e = self.full(1).e;
        let body = vec![
            Stmt::text(format!("{} *{p} = &{name}.{from};", ty.name)),
            Stmt::text(format!(
                "struct @s{id} *{q} = (struct @s{id} *)((char *){p} - __builtin_offsetof(struct @s{id}, {from}));"
            )),
            Stmt::of(&format!("{q}->{to} = #;"), vec![e]),
            Stmt::text(format!("observe({name}.{to});")),
        ];
        out.push(Stmt::text("{").with(body, "}"));
    }

    fn row_pointer(&mut self, out: &mut Vec<Stmt>) {
        let arrays: Vec<(String, Kind, usize)> = self
            .vars
            .iter()
            .filter_map(|v| match &v.kind {
                Kind::Array(of, n) if v.open && matches!(**of, Kind::Array(..)) => {
                    Some((v.name.clone(), (**of).clone(), *n))
                }
                _ => None,
            })
            .collect();
        if arrays.is_empty() {
            return self.declaration(out);
        }
        self.count("pointer to a row");
        let (name, row, n) = self.rng.pick(&arrays).clone();
        let Kind::Array(of, m) = row.clone() else { return };
        let p = self.fresh("p");
        let declared = Kind::ptr(row, n).declare(&p);
        let (i, j, e) = (self.index(n, false), self.index(m, true), self.full(1).e);
        let flat = self.fresh("p");
        let mut body = vec![
            Stmt::text(format!("{declared} = {name};")),
            Stmt::of(&format!("{p}[#][#] = #;"), vec![i, j, e]),
            Stmt::text(format!("observe({p}[{}][{}]);", n - 1, m - 1)),
        ];
        if let Kind::Int(t) = *of {
            body.push(Stmt::text(format!("{} *{flat} = &{name}[{}][0];", t.name, n - 1)));
            body.push(Stmt::text(format!("observe({flat}[{}]);", m - 1)));
        }
        out.push(Stmt::text("{").with(body, "}"));
    }

    fn struct_with_function(&mut self, out: &mut Vec<Stmt>) {
        let n = self.funcs.len();
        let (times, left) = (self.times, COST.saturating_sub(self.cost));
        let cost: u64 = self.simple_functions().iter().map(|&i| self.funcs[i].cost).max().unwrap_or(0);
        if cost.saturating_mul(times) > left {
            return self.observe(out);
        }
        let Some(f) = self.function_before(n) else { return self.declaration(out) };
        let Some(g) = self.function_before(n) else { return };
        self.count("function pointer in a struct");
        let s = self.fresh("fs");
        let (c, a, b) = (self.condition(1), self.full(1).e, self.full(1).e);
        let body = vec![
            Stmt::of(&format!("struct {{ int k; int (*f)(int, int); }} {s} = {{3, #}};"), vec![f]),
            Stmt::of(&format!("if (#) {s}.f = #;"), vec![c, g]),
            Stmt::of(&format!("observe({s}.f(#, #) ^ {s}.k);"), vec![a, b]),
        ];
        out.push(Stmt::text("{").with(body, "}"));
    }

    /// A struct whose last field is as long as the memory.
    fn flexible_array(&mut self, out: &mut Vec<Stmt>) {
        self.count("flexible array member");
        let (tag, p) = (self.fresh("fam"), self.fresh("p"));
        let ty = self.some_int();
        let n = 1 + self.rng.below(4);
        let (i, e, j) = (self.index(n, false), self.full(1).e, self.safe_index(n));
        let body = vec![
            Stmt::text(format!("struct {tag} {{ int n; {} d[]; }};", ty.name)),
            Stmt::text(format!("struct {tag} *{p} = calloc(1, sizeof(struct {tag}) + {n} * sizeof({}));", ty.name)),
            Stmt::text(format!("if (!{p}) abort();")),
            Stmt::text(format!("{p}->n = {n};")),
            Stmt::of(&format!("{p}->d[#] = #;"), vec![i, e]),
            Stmt::of(&format!("observe({p}->d[#] ^ {p}->n);"), vec![j]),
            Stmt::text(format!("free({p});")),
        ];
        out.push(Stmt::text("{").with(body, "}"));
    }

    /// Memory that the function gives back when it returns.
    fn stack_memory(&mut self, out: &mut Vec<Stmt>) {
        self.count("alloca");
        let ty = self.some_int();
        let n = 1 + self.rng.below(4);
        self.scoped(out, |g, body| {
            let name = g.fresh("x");
            let kind = Kind::ptr(Kind::Int(ty), n);
            body.push(Stmt::text(format!(
                "{} = __builtin_alloca({n} * sizeof({t})); memset({name}, 0, {n} * sizeof({t}));",
                kind.declare(&name),
                t = ty.name
            )));
            g.vars.push(Var { name: name.clone(), kind, depth: g.depth, open: true, range: None, fixed: false });
            for _ in 0..=g.rng.below(2) {
                g.statement(body);
            }
            body.push(Stmt::text(format!("observe(*{name});")));
        });
    }

    /// Two pointers change places.
    fn pointer_swap(&mut self, out: &mut Vec<Stmt>) {
        let pointers: Vec<Var> = self
            .vars
            .iter()
            .filter(|v| v.open && !v.fixed && matches!(v.kind, Kind::Ptr { nullable: false, .. }))
            .cloned()
            .collect();
        for (i, a) in pointers.iter().enumerate() {
            if let Some(b) = pointers[i + 1..].iter().find(|b| b.kind == a.kind && b.depth == a.depth) {
                self.count("pointers swapped");
                let t = self.fresh("p");
                let text =
                    format!("{{ {} = {}; {} = {}; {} = {t}; }}", a.kind.declare(&t), a.name, a.name, b.name, b.name);
                return out.push(Stmt::text(text));
            }
        }
        self.declaration(out);
    }

    /// What may not be done, under a condition that is often false.
    fn broken(&mut self, out: &mut Vec<Stmt>) {
        let c = self.full(1).e;
        let name = self.fresh("p");
        let what = match self.rng.below(6) {
            0 => {
                self.count("null dereference");
                format!("{{ int *{name} = 0; if ((int)# % 3 == 0) *{name} = 1; }}")
            }
            1 => {
                self.count("use after scope");
                format!(
                    "{{ int *{name}; {{ int {name}y = 3; {name} = &{name}y; }} if ((int)# % 3 == 0) observe(*{name}); }}"
                )
            }
            2 => {
                self.count("double free");
                format!("{{ int *{name} = malloc(4); free({name}); if ((int)# % 3 == 0) free({name}); }}")
            }
            3 => {
                self.count("pointer out of bounds");
                format!("{{ int {name}a[3] = {{1, 2, 3}}; int *{name} = {name}a; observe({name}[(unsigned)# % 4]); }}")
            }
            4 => {
                self.count("free of no heap object");
                format!("{{ int {name}a = 0; int *{name} = &{name}a; if ((int)# % 3 == 0) free({name}); }}")
            }
            _ => {
                self.count("heap out of bounds");
                format!(
                    "{{ char *{name} = calloc(3, 1); {name}[(unsigned)# % 4] = 5; observe({name}[2]); free({name}); }}"
                )
            }
        };
        out.push(Stmt::of(&what, vec![c]));
    }

    /// A value that is computed and that nothing uses: it may be undefined all the same.
    fn unused(&mut self, out: &mut Vec<Stmt>) {
        self.count("value that nothing uses");
        self.touched.clear();
        let (a, b) = (self.expr(1), self.expr(1));
        let value = match self.rng.below(4) {
            0 => self.shifted(a, true, b),
            1 => self.shifted(a, false, b),
            2 => self.quotient(a, "%", b),
            _ => self.quotient(a, "/", b),
        };
        if self.chance(50) {
            return out.push(Stmt::of("(void)#;", vec![value.e]));
        }
        let name = self.fresh("x");
        let other = self.full(1);
        out.push(Stmt::of(
            &format!("{{ {} {name} = #; {name} = #; observe({name}); }}", value.ty.name),
            vec![value.e, other.e],
        ));
    }

    /// A function that calls itself a few times.
    fn recursion(&mut self, out: &mut Vec<Stmt>) {
        self.count("recursion");
        let name = self.fresh("@r");
        // The function stands before `main`, and sees only what lives for ever.
        let mut inner: Vec<Var> = self.vars.iter().filter(|v| v.name.starts_with('@')).cloned().collect();
        for a in ["n", "a"] {
            let kind = Kind::Int(INT);
            inner.push(Var { name: a.into(), kind, depth: 1, open: false, range: None, fixed: false });
        }
        let outer = std::mem::replace(&mut self.vars, inner);
        self.touched.clear();
        let (first, next, last) = (self.expr(1).e, self.expr(1).e, self.expr(1).e);
        self.vars = outer;
        let tail = self.chance(50);
        let step = if tail { "return # & 1023;" } else { "return (# & 1023) ^ (int)#;" };
        let again = Expr::of(&format!("{name}(n - 1, (int)#)"), vec![next]);
        let body = vec![
            Stmt::of("observe(#);", vec![first]),
            Stmt::text("if (n <= 0) return a;"),
            if tail { Stmt::of(step, vec![again]) } else { Stmt::of(step, vec![again, last]) },
        ];
        self.items.push(Stmt::text(format!("static int {name}(int n, int a) {{")).with(body, "}"));
        let (n, a) = (self.full(1).e, self.full(1).e);
        self.cost += 12 * self.times;
        out.push(Stmt::of(&format!("observe({name}((unsigned)# % 4u, (int)#));"), vec![n, a]));
    }

    /// A jump from a function back to `main`.
    pub(super) fn set_jump(&mut self, out: &mut Vec<Stmt>) {
        self.count("setjmp longjmp");
        let (buffer, thrower) = (self.fresh("@jb"), self.fresh("@thrower"));
        self.items.push(Stmt::text(format!("static jmp_buf {buffer};")));
        let limit = self.rng.below(6);
        self.items.push(Stmt::text(format!("static void {thrower}(int c) {{")).with(
            vec![
                Stmt::text("observe(c);"),
                Stmt::text(format!("if (c > {limit}) longjmp({buffer}, c);")),
                Stmt::text("observe(-c);"),
            ],
            "}",
        ));
        // Locals that change between the two have no value afterwards: only globals are in sight.
        let (mut tried, mut caught) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            self.observe(&mut tried);
            let e = self.full(1).e;
            tried.push(Stmt::of(&format!("{thrower}((int)# & 7);"), vec![e]));
            self.assignment(&mut tried);
        }
        self.observe(&mut caught);
        self.assignment(&mut caught);
        out.push(
            Stmt::text(format!("if (setjmp({buffer}) == 0) {{"))
                .with(tried, "}")
                .then(" else {", vec![])
                .with(caught, "}"),
        );
    }

    /// A loop without an end, or with one that nobody knows.
    pub(super) fn endless(&mut self, out: &mut Vec<Stmt>) {
        self.count("loop without fuel");
        let outer = self.times;
        self.times = 40;
        self.cost = 0;
        let mut body = Vec::new();
        self.observe(&mut body);
        let outer_leave = (self.breakable, self.continuable);
        (self.breakable, self.continuable) = (true, false);
        body.extend(self.body(4));
        (self.breakable, self.continuable) = outer_leave;
        self.times = outer;
        let label = self.fresh("L");
        match self.rng.below(8) {
            0 | 1 => out.push(Stmt::text("for (;;) {").with(body, "}")),
            2 | 3 => {
                let c = self.condition(2);
                out.push(Stmt::of("while (#) {", vec![c]).with(body, "}"));
            }
            4 => {
                let c = self.condition(2);
                out.push(Stmt::text("do {").with(body, "}").then(" while (#);", vec![c]));
            }
            5 => {
                let inner = vec![Stmt::text(format!("{label}: ;"))];
                let c = self.condition(1);
                out.extend(inner);
                out.push(Stmt::text("do {").with(body, "} while (0);"));
                out.push(Stmt::of(&format!("if (#) goto {label};"), vec![c]));
            }
            6 => {
                self.count("silent endless loop");
                let c = self.condition(1);
                out.push(Stmt::of("while (#) ;", vec![c]));
            }
            _ => {
                self.count("silent endless loop");
                let k = self.fresh("k");
                out.push(Stmt::text(format!("{{ unsigned char {k} = 1; while ({k}) {{ {k} += 2; }} }}")));
            }
        }
    }

    /// Everything in sight is observed.
    pub(super) fn digest(&mut self, out: &mut Vec<Stmt>) {
        let vars: Vec<Var> = self.vars.iter().filter(|v| v.open).cloned().collect();
        for v in vars.iter().rev().take(8) {
            match &v.kind {
                Kind::Int(t) if *t == U128 => {
                    out.push(Stmt::text(format!("observe({0}); observe({0} >> 64);", v.name)));
                }
                Kind::Int(_) => out.push(Stmt::text(format!("observe({});", v.name))),
                Kind::Array(of, n) if matches!(**of, Kind::Int(_)) => {
                    out.push(Stmt::text(format!("for (int i = 0; i < {n}; i++) observe({}[i]);", v.name)));
                }
                Kind::Struct(id) => {
                    for f in &self.structs[*id] {
                        if matches!(f.kind, Kind::Int(_) | Kind::Bits(..)) {
                            out.push(Stmt::text(format!("observe({}.{});", v.name, f.name)));
                        }
                    }
                }
                Kind::Union(id) => {
                    if let Kind::Int(_) = self.unions[*id][0].kind {
                        out.push(Stmt::text(format!("observe({}.m0);", v.name)));
                    } else {
                        out.push(Stmt::text(format!("for (int i = 0; i < 8; i++) observe({}.m0[i]);", v.name)));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether not every bit pattern is a value: of a truth value two are, of a pointer the null pointer.
fn is_picky(g: &Generator, kind: &Kind) -> bool {
    match kind {
        Kind::Int(t) => *t == BOOL,
        Kind::Bits(..) => false,
        Kind::Array(of, _) => is_picky(g, of),
        Kind::Struct(id) => g.structs[*id].iter().any(|f| is_picky(g, &f.kind)),
        Kind::Ptr { .. } | Kind::FnPtr => true,
        Kind::Union(_) => false,
    }
}
