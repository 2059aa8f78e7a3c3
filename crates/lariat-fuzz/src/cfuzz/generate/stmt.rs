//! Statements.

use super::expr::INPUTS;
use super::types::{BOOL, INT, Int, Kind, SCHAR, Typed, UCHAR, UINT, USHORT, literal};
use super::{COST, Expr, Generator, SIZE, Stmt, Var};
use crate::cfuzz::program::Part;

impl Generator {
    /// One statement, or a few that belong together.
    pub(super) fn statement(&mut self, out: &mut Vec<Stmt>) {
        self.touched.clear();
        if self.cost > COST || self.size > SIZE {
            return self.observe(out);
        }
        self.cost += self.times;
        self.size += 1;
        let nested = self.nesting < 3;
        match self.rng.below(100) {
            0..=17 => self.assignment(out),
            18..=30 => self.declaration(out),
            31..=42 => self.observe(out),
            43..=50 if nested => self.if_else(out),
            51..=61 if nested => self.a_loop(out),
            62..=65 if nested => self.switch(out),
            66..=68 => self.call_statement(out),
            69..=71 => self.struct_assignment(out),
            72..=75 => self.pointer_assignment(out),
            76..=79 => self.input(out),
            80..=82 => self.leave(out),
            83 if nested => {
                self.count("block");
                let body = self.body(3);
                out.push(Stmt::text("{").with(body, "}"));
            }
            84 => self.stop(out),
            85..=99 if nested => self.idiom(out),
            _ => self.observe(out),
        }
        if self.chance(25) {
            self.observe(out);
        }
    }

    /// A block of statements with a scope of its own.
    pub(super) fn body(&mut self, most: usize) -> Vec<Stmt> {
        let scope = self.vars.len();
        self.depth += 1;
        self.nesting += 1;
        let mut body = Vec::new();
        for _ in 0..=self.rng.below(most) {
            self.statement(&mut body);
        }
        self.nesting -= 1;
        self.depth -= 1;
        self.vars.truncate(scope);
        body
    }

    pub(super) fn assignment(&mut self, out: &mut Vec<Stmt>) {
        let Some(target) = self.place(true) else { return self.observe(out) };
        // What stands on the left may be read on the right: the assignment comes last.
        match self.rng.below(10) {
            0..=4 => {
                self.count("=");
                let depth = 1 + u32::try_from(self.rng.below(3)).expect("small");
                let value = self.expr(depth);
                out.push(Stmt::of("# = #;", vec![target.e, value.e]));
            }
            5..=8 => self.compound_assignment(target, out),
            _ => {
                let safe = target.ty.bits < 32
                    || !target.ty.signed
                    || (target.hi < target.ty.max() && target.lo > target.ty.min());
                if safe || self.dare() {
                    self.count("++ --");
                    let pattern = *self.rng.pick(&["#++;", "#--;", "++#;", "--#;"]);
                    out.push(Stmt::of(pattern, vec![target.e]));
                } else {
                    self.compound_assignment(target, out);
                }
            }
        }
    }

    fn compound_assignment(&mut self, target: Typed, out: &mut Vec<Stmt>) {
        self.count("compound assignment");
        let value = self.expr(2);
        let (op, value) = match self.rng.below(10) {
            0..=3 => {
                let op = *self.rng.pick(&["+=", "-=", "*="]);
                let arithmetic = match op {
                    "+=" => "+",
                    "-=" => "-",
                    _ => "*",
                };
                let ty = Int::usual(target.ty, value.ty);
                let fits = !ty.signed || self.fits(&target, arithmetic, &value, ty) || self.dare();
                (op, if fits { value } else { value.cast(ty.unsigned()) })
            }
            4..=6 => (*self.rng.pick(&["&=", "|=", "^="]), value),
            7 => {
                let op = *self.rng.pick(&["/=", "%="]);
                let divisor = if self.dare() {
                    value
                } else {
                    let n = 2 + i128::try_from(self.rng.below(9)).expect("small");
                    literal(n, INT)
                };
                (op, divisor)
            }
            _ => {
                let left = (!target.ty.promoted().signed || self.dare()) && self.chance(50);
                // Of a compound assignment to a narrow type the sanitizer expects an amount within that type, though it is
                // promoted first.
                let bits = target.ty.bits;
                let by = if target.ty.bits >= 32 && self.dare() {
                    value
                } else {
                    literal(i128::try_from(self.rng.below(bits as usize)).expect("small"), INT)
                };
                (if left { "<<=" } else { ">>=" }, by)
            }
        };
        out.push(Stmt::of(&format!("# {op} #;"), vec![target.e, value.e]));
    }

    #[expect(clippy::unused_self, reason = "it is a question to the generator")]
    fn fits(&self, a: &Typed, op: &str, b: &Typed, ty: Int) -> bool {
        let ((alo, ahi), (blo, bhi)) = (a.range_as(ty), b.range_as(ty));
        let range = match op {
            "+" => alo.checked_add(blo).zip(ahi.checked_add(bhi)),
            "-" => alo.checked_sub(bhi).zip(ahi.checked_sub(blo)),
            _ => {
                let all: Option<Vec<i128>> = [(alo, blo), (alo, bhi), (ahi, blo), (ahi, bhi)]
                    .into_iter()
                    .map(|(x, y)| x.checked_mul(y))
                    .collect();
                all.and_then(|c| c.iter().min().copied().zip(c.iter().max().copied()))
            }
        };
        range.is_some_and(|(lo, hi)| ty.holds(lo, hi))
    }

    pub(super) fn declaration(&mut self, out: &mut Vec<Stmt>) {
        match self.rng.below(20) {
            0..=3 => {
                let nullable = self.chance(25);
                if let Some((kind, init)) = self.random_pointer(self.depth, false) {
                    self.count("local pointer");
                    let kind = match kind {
                        Kind::Ptr { to, len, .. } if nullable => Kind::Ptr { to, len, nullable },
                        other => other,
                    };
                    let init = if nullable && self.chance(50) { Expr::text("0") } else { init };
                    return self.declare(kind, init, out);
                }
                self.observe(out);
            }
            4 if !self.simple_functions().is_empty() => {
                self.count("local function pointer");
                let init = self.function_name();
                self.declare(Kind::FnPtr, init, out);
            }
            5 => {
                self.count("static local");
                let kind = self.object_kind();
                let name = self.fresh("x");
                let init = self.initializer(&kind, true);
                out.push(Stmt::of(&format!("static {} = #;", kind.declare(&name)), vec![init]));
                self.vars.push(Var { name, kind, depth: 0, open: true, range: None, fixed: false });
            }
            6 => {
                self.count("volatile that is only written");
                let name = self.fresh("w");
                let e = self.expr(2);
                out.push(Stmt::of(&format!("volatile int {name} = #;"), vec![e.e]));
            }
            _ => {
                let kind = self.object_kind();
                let init = self.initializer(&kind, false);
                self.count("local");
                self.declare(kind, init, out);
            }
        }
    }

    /// Declares a local variable with an initial value.
    pub(super) fn declare(&mut self, kind: Kind, init: Expr, out: &mut Vec<Stmt>) {
        let name = self.fresh("x");
        out.push(Stmt::of(&format!("{} = #;", kind.declare(&name)), vec![init]));
        self.vars.push(Var { name, kind, depth: self.depth, open: true, range: None, fixed: false });
    }

    fn if_else(&mut self, out: &mut Vec<Stmt>) {
        self.count("if");
        let c = self.condition(2);
        let body = self.body(3);
        let mut s = Stmt::of("if (#) {", vec![c]).with(body, "}");
        if self.chance(20) {
            let c = self.condition(1);
            let body = self.body(2);
            s = s.then(" else if (#) {", vec![c]).with(body, "}");
        }
        if self.chance(40) {
            let body = self.body(3);
            s = s.then(" else {", vec![]).with(body, "}");
        }
        out.push(s);
    }

    fn a_loop(&mut self, out: &mut Vec<Stmt>) {
        let bound = 1 + self.rng.below(6) as u64;
        let scope = self.vars.len();
        let outer = (self.breakable, self.continuable, self.times);
        (self.breakable, self.continuable) = (true, true);
        self.times = outer.2.saturating_mul(bound);
        if self.times > COST {
            self.times = outer.2;
            (self.breakable, self.continuable, self.times) = outer;
            return self.observe(out);
        }
        match self.rng.below(10) {
            0..=4 => self.counted_for(bound, out),
            5..=6 => {
                self.count("while");
                let fuel = self.fuel(bound, out);
                let c = self.condition(2);
                let body = self.body(3);
                let s = if self.chance(50) {
                    Stmt::of(&format!("while ({fuel}-- > 0 && #) {{"), vec![c])
                } else {
                    Stmt::of(&format!("while (# && {fuel}-- > 0) {{"), vec![c])
                };
                out.push(s.with(body, "}"));
            }
            7 => {
                self.count("do while");
                let fuel = self.fuel(bound, out);
                let body = self.body(3);
                let c = self.condition(1);
                out.push(Stmt::text("do {").with(body, "}").then(&format!(" while (#  && {fuel}-- > 0);"), vec![c]));
            }
            8 => {
                self.count("for without end, with break");
                let fuel = self.fuel(bound, out);
                let c = self.condition(1);
                let body = self.body(3);
                let guard = Stmt::of(&format!("if ({fuel}-- <= 0 || #) break;"), vec![c]);
                let mut all = vec![guard];
                all.extend(body);
                out.push(Stmt::text("for (;;) {").with(all, "}"));
            }
            _ => self.wrapping_loop(out),
        }
        (self.breakable, self.continuable, self.times) = outer;
        self.vars.truncate(scope);
    }

    /// A counter that nothing else changes.
    pub(super) fn fuel(&mut self, bound: u64, out: &mut Vec<Stmt>) -> String {
        let name = self.fresh("n");
        let ty = *self.rng.pick(&["int", "int", "short", "signed char", "long"]);
        out.push(Stmt::text(format!("{ty} {name} = {bound};")));
        name
    }

    fn counted_for(&mut self, bound: u64, out: &mut Vec<Stmt>) {
        self.count("for");
        let name = self.fresh("i");
        let ty = *self.rng.pick(&[INT, INT, INT, UINT, UCHAR, USHORT, SCHAR]);
        let up = self.chance(70);
        let step = 1 + self.rng.below(2) as u64;
        let extra = if self.chance(20) {
            let c = self.condition(1);
            Some(c)
        } else {
            None
        };
        let (head, range) = if up {
            (format!("for ({} {name} = 0; {name} < {bound}", ty.name), (0, i128::from(bound) - 1))
        } else {
            (format!("for ({} {name} = {bound}; {name} > 0", ty.name), (1, i128::from(bound)))
        };
        let update = match (up, step) {
            (true, 1) => format!("{name}++"),
            (true, n) => format!("{name} += {n}"),
            (false, _) => format!("--{name}"),
        };
        self.vars.push(Var {
            name: name.clone(),
            kind: Kind::Int(ty),
            depth: self.depth + 1,
            open: false,
            range: Some(range),
            fixed: false,
        });
        let body = self.body(3);
        let s = match extra {
            Some(c) => Stmt::of(&format!("{head} && #; {update}) {{"), vec![c]),
            None => Stmt::text(format!("{head}; {update}) {{")),
        };
        out.push(s.with(body, "}"));
    }

    /// Loops that end because a number of fixed width does.
    fn wrapping_loop(&mut self, out: &mut Vec<Stmt>) {
        self.count("loop that ends by wrapping or shifting");
        let ty = *self.rng.pick(&[UCHAR, USHORT, UINT, SCHAR, INT]);
        let name = self.fresh("k");
        let start = self.rng.next() % 5 + 1;
        let body = {
            let (lo, hi) = (ty.min(), ty.max());
            self.vars.push(Var {
                name: name.clone(),
                kind: Kind::Int(ty),
                depth: self.depth,
                open: false,
                range: Some((lo, hi)),
                fixed: false,
            });
            self.body(2)
        };
        let text = match (ty.bits, ty.signed) {
            (8 | 16 | 32, false) if self.chance(50) => {
                let from = ty.max() - i128::from(start);
                format!("for ({} {name} = {from}u; {name} != 1; {name}++) {{", ty.name)
            }
            (8, true) => {
                let from = ty.max() - i128::from(start);
                format!("for ({} {name} = {from}; {name} > 0; {name}++) {{", ty.name)
            }
            (_, false) => format!("for ({} {name} = {}u; {name}; {name} >>= 1) {{", ty.name, start * 3),
            _ => format!("for ({} {name} = {}; {name} > 0; {name} /= 2) {{", ty.name, start * 5),
        };
        out.push(Stmt::text(text).with(body, "}"));
    }

    fn switch(&mut self, out: &mut Vec<Stmt>) {
        self.count("switch");
        let e = self.full(2);
        let modulus = 2 + self.rng.below(4);
        let value = match self.rng.below(4) {
            0 => e.e,
            1 => e.cast(*self.pick_switch_type()).e,
            _ => Expr::of(&format!("(unsigned)# % {modulus}"), vec![e.e]),
        };
        let outer = self.breakable;
        self.breakable = true;
        let mut arms = Vec::new();
        let cases = 1 + self.rng.below(4);
        let default_at = if self.chance(60) { Some(self.rng.below(cases + 1)) } else { None };
        let mut next = 0;
        for i in 0..=cases {
            if default_at == Some(i) {
                self.switch_arm("default:".into(), &mut arms);
            }
            if i == cases {
                break;
            }
            let label = match self.rng.below(6) {
                0 => {
                    self.count("case range");
                    let to = next + 1 + self.rng.below(3);
                    let l = format!("case {next} ... {to}:");
                    next = to + 1;
                    l
                }
                1 => {
                    let l = format!("case {next}: case {}:", next + 1);
                    next += 2;
                    l
                }
                2 => {
                    let l = format!("case -{}:", next + 1);
                    next += 1;
                    l
                }
                _ => {
                    let l = format!("case {next}:");
                    next += 1;
                    l
                }
            };
            self.switch_arm(label, &mut arms);
        }
        self.breakable = outer;
        out.push(Stmt::of("switch (#) {", vec![value]).with(arms, "}"));
    }

    fn pick_switch_type(&mut self) -> &'static Int {
        const TYPES: [Int; 5] = [UCHAR, SCHAR, super::types::LONG, super::types::ULLONG, BOOL];
        &TYPES[self.rng.below(TYPES.len())]
    }

    #[expect(clippy::needless_pass_by_value, reason = "the label is made for this arm")]
    fn switch_arm(&mut self, label: String, arms: &mut Vec<Stmt>) {
        let mut body = self.body(2);
        if self.chance(65) {
            body.push(Stmt::text("break;"));
        } else {
            self.count("fallthrough");
        }
        // A block, so that no declaration is jumped over.
        arms.push(Stmt::text(format!("{label} {{")).with(body, "}"));
    }

    fn call_statement(&mut self, out: &mut Vec<Stmt>) {
        let (times, room, left) = (self.times, COST.saturating_sub(self.cost), SIZE.saturating_sub(self.size));
        let candidates: Vec<usize> = (0..self.funcs.len())
            .filter(|&i| self.funcs[i].cost.saturating_mul(times) <= room && self.funcs[i].size <= left)
            .collect();
        if candidates.is_empty() {
            return self.assignment(out);
        }
        let at = *self.rng.pick(&candidates);
        let Some(call) = self.call_of(at) else { return self.observe(out) };
        match self.funcs[at].ret.clone() {
            Some(Kind::Int(_)) if self.chance(60) => out.push(Stmt::of("observe(#);", vec![call])),
            Some(Kind::Struct(id)) if self.chance(70) => {
                self.count("struct from a call");
                self.declare(Kind::Struct(id), call, out);
            }
            Some(kind @ Kind::Int(_)) => self.declare(kind, call, out),
            _ => out.push(Stmt::of("#;", vec![call])),
        }
    }

    fn struct_assignment(&mut self, out: &mut Vec<Stmt>) {
        let mut targets = Vec::new();
        for v in self.vars.iter().filter(|v| v.open) {
            match &v.kind {
                Kind::Struct(id) => targets.push((*id, v.name.clone())),
                Kind::Array(of, n) => {
                    if let Kind::Struct(id) = **of {
                        targets.push((id, format!("{}[{}]", v.name, n - 1)));
                    }
                }
                Kind::Ptr { to, nullable: false, .. } => {
                    if let Kind::Struct(id) = **to {
                        targets.push((id, format!("*{}", v.name)));
                    }
                }
                _ => {}
            }
        }
        if targets.is_empty() {
            return self.assignment(out);
        }
        self.count("struct assignment");
        let (id, name) = self.rng.pick(&targets).clone();
        let value = self.struct_value(id);
        out.push(Stmt::of(&format!("{name} = #;"), vec![value]));
    }

    fn pointer_assignment(&mut self, out: &mut Vec<Stmt>) {
        let mut pointers: Vec<(String, Kind, u32)> = Vec::new();
        for v in self.vars.iter().filter(|v| v.open && !v.fixed) {
            match &v.kind {
                Kind::Ptr { .. } => pointers.push((v.name.clone(), v.kind.clone(), v.depth)),
                // A struct is copied: what its pointers point to lives for ever.
                Kind::Struct(id) => pointers.extend(
                    self.structs[*id]
                        .iter()
                        .filter(|f| matches!(f.kind, Kind::Ptr { .. }))
                        .map(|f| (format!("{}.{}", v.name, f.name), f.kind.clone(), 0)),
                ),
                _ => {}
            }
        }
        if pointers.is_empty() {
            return self.declaration(out);
        }
        let (name, kind, depth) = self.rng.pick(&pointers).clone();
        let Kind::Ptr { to, len, nullable } = &kind else { return };
        self.count("pointer assignment");
        let value = if (*nullable && self.chance(30)) || (self.risk > 0 && self.chance(self.risk / 3)) {
            Expr::text("0")
        } else {
            match self.pointer(to, *len, depth, false) {
                Some(e) => e,
                None => return self.observe(out),
            }
        };
        let value = if self.chance(15)
            && let Some(other) = self.pointer(to, *len, depth, false)
        {
            self.count("?: of pointers");
            let c = self.condition(1);
            Expr::of("(# ? # : #)", vec![c, value, other])
        } else {
            value
        };
        out.push(Stmt::of(&format!("{name} = #;"), vec![value]));
    }

    fn input(&mut self, out: &mut Vec<Stmt>) {
        self.count("input");
        let (name, ty) = *self.rng.pick(&INPUTS);
        let call = Expr::text(format!("__VERIFIER_nondet_{name}()"));
        if self.chance(50)
            && let Some(target) = self.place(true)
        {
            out.push(Stmt::of("# = #;", vec![target.e, call]));
        } else {
            self.declare(Kind::Int(ty), call, out);
        }
        if self.chance(80) {
            self.observe(out);
        }
    }

    /// `break`, `continue` or `return` under a condition.
    fn leave(&mut self, out: &mut Vec<Stmt>) {
        let c = self.condition(2);
        let how = match self.rng.below(3) {
            0 if self.breakable => {
                self.count("break");
                "break;"
            }
            1 if self.continuable => {
                self.count("continue");
                "continue;"
            }
            2 if !self.in_main || self.chance(10) => {
                self.count("return");
                let Some(kind) = self.ret.clone() else {
                    return out.push(Stmt::of("if (#) return;", vec![c]));
                };
                let value = self.value_of(&kind);
                return out.push(Stmt::of("if (#) return #;", vec![c, value]));
            }
            _ => return self.observe(out),
        };
        out.push(Stmt { parts: vec![Part::Text("if (".into()), Part::Expr(c), Part::Text(format!(") {how}"))] });
    }

    /// The end of the program, seldom reached.
    fn stop(&mut self, out: &mut Vec<Stmt>) {
        let (a, b) = (self.full(1).e, self.expr(0).e);
        match self.rng.below(6) {
            0 => {
                self.count("abort");
                out.push(Stmt::of("if ((int)# == 77 + (short)#) abort();", vec![a, b]));
            }
            1 => {
                self.count("exit");
                out.push(Stmt::of("if ((int)# == 5 && #) exit(1);", vec![a, b]));
            }
            2 => {
                self.count("assert");
                out.push(Stmt::of("assert((long)# != 13 || #);", vec![a, b]));
            }
            3 => {
                self.count("trap");
                out.push(Stmt::of("if ((int)# == 9 && (char)# > 3) __builtin_trap();", vec![a, b]));
            }
            4 if self.risk > 0 => {
                self.count("unreachable");
                out.push(Stmt::of("if ((int)# == 3 && (char)# > 3) __builtin_unreachable();", vec![a, b]));
            }
            _ => self.observe(out),
        }
    }
}
