//! Loops over memory that has several names: pointers into structs that are given to functions, two pointers to one object, functions that
//! write what their callers read, recursion, calls through pointers, variable arguments.
//!
//! Numbers stay between 0 and 63 and every loop counts its rounds, so that nothing overflows and everything ends.

use super::{Generator, Stmt};
use std::fmt::Write as _;

/// What a piece of code may name.
struct Names {
    /// Numbers that can be written.
    numbers: Vec<String>,
    /// Pointers to `int`, to the struct, and what their targets can be.
    ints: Vec<String>,
    boxes: Vec<String>,
    int_targets: Vec<String>,
    box_targets: Vec<String>,
    /// Calls.
    calls: Vec<String>,
    /// The pointer that others write through.
    kept: String,
    /// The counter of rounds of the innermost loop.
    round: String,
}

impl Generator {
    pub(super) fn shared_memory(&mut self, out: &mut Vec<Stmt>) {
        self.count("memory with several names");
        let id = self.fresh("");
        let tag = format!("@v{id}");
        self.items.push(Stmt::text(format!(
            "struct {tag}_in {{ int k; short z; }}; struct {tag} {{ unsigned left; int total; unsigned char flag; struct {tag}_in in; \
             struct {tag} *next; int *out; }};"
        )));
        let (g, gb, kept, gp) = (format!("@v{id}g"), format!("@v{id}b"), format!("@v{id}kept"), format!("@v{id}p"));
        let storage = if self.chance(50) { "static " } else { "" };
        self.items.push(Stmt::text(format!(
            "{storage}int {g} = 9; {storage}struct {tag} {gb} = {{7, 5, 3, {{1, 2}}, 0, 0}}; {storage}int *{kept} = &{g}; {storage}struct {tag} *{gp} = &{gb};"
        )));
        let global_numbers: Vec<String> =
            [g.as_str(), &format!("{gb}.left"), &format!("{gb}.in.k"), &format!("{gp}->total"), &format!("(*{kept})")]
                .map(str::to_owned)
                .to_vec();
        // Functions that write through what they are given, and through globals.
        let mut calls: Vec<String> = Vec::new();
        let mut same: Vec<String> = Vec::new();
        for n in 0..=self.rng.below(3) {
            let name = format!("@v{id}f{n}");
            let mut names = names_of_parameters(&global_numbers, &gb, &g, &kept);
            names.calls.clone_from(&calls);
            let body = self.some_of(&names, 3, 1);
            self.items.push(
                Stmt::text(format!(
                    "static void {name}(struct {tag} *b, int *p, unsigned k) {{ unsigned r = 0; (void)r;"
                ))
                .with(body, "}"),
            );
            calls.push(format!("{name}(BOX, INT, NUM);"));
            same.push(name);
        }
        if self.chance(40) {
            self.count("table of functions that write");
            let table = format!("@v{id}t");
            let (a, b) = (self.rng.pick(&same).clone(), self.rng.pick(&same).clone());
            let qualifier = if self.chance(50) { "const " } else { "" };
            self.items.push(Stmt::text(format!(
                "static void (*{qualifier}{table}[2])(struct {tag} *, int *, unsigned) = {{{a}, {b}}};"
            )));
            calls.push(format!("{table}[(NUM) & 1](BOX, INT, NUM);"));
        }
        if self.chance(40) {
            self.count("recursion with a loop");
            let name = format!("@v{id}r");
            let mut names = names_of_parameters(&global_numbers, &gb, &g, &kept);
            names.calls.clone_from(&calls);
            let mut body = self.some_of(&names, 2, 0);
            body.push(Stmt::text(format!("if (d > 0) {name}(b->next ? b->next : b, p, k + 1, d - 1);")));
            let mut more = self.some_of(&names, 1, 0);
            body.append(&mut more);
            let condition = self.loop_condition(&names, "r", 3);
            let looped = Stmt::text(format!("while ({condition}) {{")).with(body, "}");
            self.items.push(
                Stmt::text(format!(
                    "static void {name}(struct {tag} *b, int *p, unsigned k, int d) {{ unsigned r = 0;"
                ))
                .with(vec![looped], "}"),
            );
            calls.push(format!("{name}(BOX, INT, NUM, 1);"));
        }
        if self.chance(35) {
            self.count("variable arguments");
            let name = format!("@v{id}va");
            let what = if self.chance(50) {
                "*__builtin_va_arg(l, int *) ^= 1;"
            } else {
                "s += *__builtin_va_arg(l, int *) & 7;"
            };
            self.items.push(Stmt::text(format!(
                "static unsigned {name}(int n, ...) {{ unsigned s = 0; __builtin_va_list l; __builtin_va_start(l, n); \
                 while (n-- > 0) {{ {what} s += __builtin_va_arg(l, unsigned); }} __builtin_va_end(l); return s & 63; }}"
            )));
            calls.push(format!("NUM = {name}(2, INT, 3u, INT, 1u);"));
        }
        // The loops themselves.
        let name = format!("@v{id}run");
        let mut names = names_of_parameters(&global_numbers, &gb, &g, &kept);
        for n in ["x", "y", "a[r & 3]", "d->left", "d->in.k", "(*q)", "o.total", "(*b->out)"] {
            names.numbers.push(n.to_owned());
        }
        for n in ["x", "a[1]", "d->in.k", "o.total"] {
            names.int_targets.push(n.to_owned());
        }
        names.ints.push("q".into());
        names.boxes.push("d".into());
        names.box_targets.extend(["o".to_owned(), "(*d)".to_owned()]);
        names.calls.clone_from(&calls);
        let mut body = Vec::new();
        // Local objects that others write.
        for target in ["x", "a[1]", "o.total"] {
            if self.chance(30) {
                let pointer = self.rng.pick(&["p", "q", kept.as_str()]).to_string();
                body.push(Stmt::text(format!("{pointer} = &{target};")));
            }
        }
        for _ in 0..=self.rng.below(2) {
            let most = self.rng.below(3) + 3;
            let rounds = 3 + self.rng.below(4);
            let inner = self.some_of(&names, most, 1);
            let condition = self.loop_condition(&names, "r", rounds);
            body.push(if self.chance(25) {
                Stmt::text("r = 0; do {").with(inner, &format!("}} while ({condition});"))
            } else {
                Stmt::text(format!("r = 0; while ({condition}) {{")).with(inner, "}")
            });
        }
        self.items.push(
            Stmt::text(format!(
                "static unsigned {name}(struct {tag} *b, struct {tag} *d, int *p, int *q, unsigned k) {{ unsigned r = 0; int x = 5, y = 8; \
                 int a[4] = {{4, 3, 2, 1}}; struct {tag} o = {{6, 4, 2, {{3, 1}}, 0, p}};"
            ))
            .with(
                body,
                &format!("{kept} = &{g}; {gp} = &{gb}; return (x + 3 * y + a[1] + o.left + 5 * o.total + r) & 0xffff; }}"),
            ),
        );
        let (s, t, u, v) = (self.fresh("s"), self.fresh("s"), self.fresh("x"), self.fresh("x"));
        let boxes = [format!("&{s}"), format!("&{t}"), format!("&{gb}")];
        let ints = [
            format!("&{u}"),
            v.clone(),
            format!("{v} + 1"),
            format!("&{s}.total"),
            format!("&{g}"),
            format!("&{gb}.in.k"),
        ];
        let mut text = format!(
            "{{ struct {tag} {s} = {{5, 7, 1, {{2, 3}}, 0, 0}}, {t} = {{4, 6, 2, {{1, 1}}, &{s}, 0}}; int {u} = 6, {v}[2] = {{5, 9}};"
        );
        for _ in 0..=self.rng.below(2) {
            let (b, d) = (self.rng.pick(&boxes).clone(), self.rng.pick(&boxes).clone());
            let (p, q) = (self.rng.pick(&ints).clone(), self.rng.pick(&ints).clone());
            // Two names of one object are the point here.
            let q = if self.chance(35) { p.clone() } else { q };
            let k = self.rng.below(9);
            let _ = write!(
                text,
                " {s}.out = {t}.out = {gb}.out = &{u}; observe({name}({b}, {d}, {p}, {q}, {k})); observe({s}.left + 64 * {s}.total); observe({t}.in.k + 64 * {u}); observe({v}[0] + 64 * {v}[1]); observe({g} + 64 * {gb}.total);"
            );
        }
        let _ = write!(text, " {gb}.out = 0; {gb}.next = 0; }}");
        self.cost += 200 * self.times;
        out.push(Stmt::text(text));
    }

    fn loop_condition(&mut self, names: &Names, round: &str, rounds: usize) -> String {
        let n = self.rng.pick(&names.numbers).clone();
        let k = self.rng.below(5);
        match self.rng.below(5) {
            0 => format!("{n} > {k} && {round}++ < {rounds}"),
            1 => format!("{round}++ < {rounds} && {n} != {k}"),
            2 => format!("{round}++ < {rounds}"),
            3 => {
                let m = self.rng.pick(&names.numbers).clone();
                format!("({n} >= {k} || {m} < 40) && {round}++ < {rounds}")
            }
            _ => format!("{n} && {round}++ < {rounds}"),
        }
    }

    fn some_of(&mut self, names: &Names, most: usize, deep: u32) -> Vec<Stmt> {
        (0..=self.rng.below(most)).map(|_| self.memory_step(names, deep)).collect()
    }

    fn memory_step(&mut self, names: &Names, deep: u32) -> Stmt {
        let (n, m) = (self.rng.pick(&names.numbers).clone(), self.rng.pick(&names.numbers).clone());
        let (p, b) = (self.rng.pick(&names.ints).clone(), self.rng.pick(&names.boxes).clone());
        let k = self.rng.below(7);
        let text = match self.rng.below(24) {
            0..=3 => format!("{n} = ({m} + {k}) & 63;"),
            4 | 5 => format!("{n} -= {n} > 0;"),
            6 => format!("if ({m} > {k}) {n} = {k};"),
            7 => format!("if ({m} & 1) {{ {n} = ({n} ^ {k}) & 63; }} else {{ {m} = ({m} + 1) & 63; }}"),
            8 => format!("{p} = &{};", self.rng.pick(&names.int_targets).clone()),
            9 => format!("{b} = &{};", self.rng.pick(&names.box_targets).clone()),
            10 => format!("{b} = {b}->next ? {b}->next : {b};"),
            11 => format!("{}.in = {b}->in;", self.rng.pick(&names.box_targets).clone()),
            12 => format!("memset(&{b}->total, 0, sizeof {b}->total);"),
            13 => format!("*(char *){p} = {k};"),
            14 => format!("*(unsigned *){p} = {m} & 31;"),
            15 => {
                format!("{{ int t = {n}; {0} = &t; *{0} = (*{0} + {k}) & 63; {m} = t & 63; {0} = {p}; }}", names.kept)
            }
            16 => format!("{} = {p};", names.kept),
            17 => format!(
                "{{ int *h = malloc(sizeof *h); if (!h) abort(); *h = {n} & 15; {m} = (*h + 1) & 63; free(h); }}"
            ),
            18 => format!(
                "switch ({n} & 3) {{ case 0: {m} = {k}; break; case 1: {n} = 2; default: {m} = ({m} + 2) & 63; }}"
            ),
            19 if deep > 0 => {
                let j = self.fresh("j");
                let inner = self.some_of(names, 2, deep - 1);
                return Stmt::text(format!("for (int {j} = 0; {j} < 3; {j}++) {{")).with(inner, "}");
            }
            20 if deep > 0 => {
                let j = self.fresh("j");
                let inner = self.some_of(names, 2, deep - 1);
                return Stmt::text(format!("for (int {j} = 0; {m} > {k} && {j} < 4; {j}++) {{")).with(inner, "}");
            }
            _ if !names.calls.is_empty() => {
                let call = self.rng.pick(&names.calls).clone();
                call.replace("BOX", &b).replace("INT", &p).replacen("NUM", &n, 1).replace("NUM", &k.to_string())
            }
            _ => format!("{n} = ({n} + {} + {k}) & 63;", names.round),
        };
        Stmt::text(text)
    }
}

/// What a function names that gets a struct, an `int` and a number.
fn names_of_parameters(globals: &[String], gb: &str, g: &str, kept: &str) -> Names {
    let mut numbers: Vec<String> =
        ["b->left", "b->total", "b->in.k", "b->flag", "b->in.z", "(*p)", "k"].map(str::to_owned).to_vec();
    numbers.extend(globals.iter().cloned());
    Names {
        numbers,
        ints: vec!["p".into()],
        boxes: vec!["b".into()],
        int_targets: vec!["b->total".into(), "b->in.k".into(), g.to_owned(), format!("{gb}.total")],
        box_targets: vec![gb.to_owned(), "(*b)".into()],
        calls: Vec::new(),
        kept: kept.to_owned(),
        round: "r".into(),
    }
}
