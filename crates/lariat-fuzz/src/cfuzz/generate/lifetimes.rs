//! Objects that end while there is a pointer to them.

use super::{Expr, Generator, Stmt};

impl Generator {
    /// A function that leaves the address of something of its own behind.
    pub(super) fn left_behind(&mut self, out: &mut Vec<Stmt>) {
        self.count("address left behind");
        let (kept, read, function) = (self.fresh("@k"), self.fresh("@f"), self.fresh("@f"));
        let ty = self.some_int().name;
        self.items.push(Stmt::text(format!("static {ty} *{kept};")));
        self.items.push(Stmt::text(format!("static {ty} {read}(void) {{ return *{kept}; }}")));
        let (mut first, mut argument) = (ty.to_owned(), "#".to_owned());
        let (declared, place) = match self.rng.below(5) {
            0 => ("", "a"),
            1 => ("x = a;", "x"),
            2 => ("x[3] = {a, 1, a};", "x[(unsigned)b % 3u]"),
            3 => {
                // Too large for registers: the callee gets a copy.
                let id = self.fresh("@s");
                self.items.push(Stmt::text(format!("struct {id} {{ {ty} m[3]; long n[3]; }};")));
                argument = format!("(struct {id}){{{{1, #, 2}}, {{3}}}}");
                first = format!("struct {id}");
                ("", "a.m[(unsigned)b % 3u]")
            }
            _ => ("{", "x"),
        };
        let mut body = match declared {
            "" | "{" => Vec::new(),
            declared => vec![Stmt::text(format!("{ty} {declared}"))],
        };
        let mut used = vec![Stmt::text(format!("{kept} = &{place};"))];
        if self.chance(40) {
            used.push(Stmt::text(format!("*{kept} = !*{kept};")));
        }
        if self.chance(40) {
            used.push(Stmt::text(format!("observe({read}());")));
        }
        if declared == "{" {
            used.insert(0, Stmt::text(format!("{ty} x = a;")));
            body.push(Stmt::text("{").with(used, "}"));
            body.push(Stmt::text("return a;"));
        } else {
            body.extend(used);
            body.push(Stmt::text(format!("return *{kept};")));
        }
        self.items.push(Stmt::text(format!("static {ty} {function}({first} a, int b) {{")).with(body, "}"));
        let times = 1 + self.rng.below(3);
        let counter = self.fresh("i");
        let (a, b) = (self.full(1).e, self.full(1).e);
        let mut round = vec![Stmt::of(&format!("observe({function}({argument}, (int)#));"), vec![a, b])];
        if self.risk > 0 && self.chance(60) {
            self.count("use after return");
            let c: Expr = self.full(1).e;
            let what = if self.chance(70) { format!("observe(*{kept})") } else { format!("*{kept} = 1") };
            round.push(Stmt::of(&format!("if ((int)# % 3 == 0) {what};"), vec![c]));
        }
        self.cost += 8 * self.times * times as u64;
        out.push(Stmt::text(format!("for (int {counter} = 0; {counter} < {times}; {counter}++) {{")).with(round, "}"));
    }
}
