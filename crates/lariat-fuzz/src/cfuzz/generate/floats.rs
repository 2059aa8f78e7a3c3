//! Floating-point numbers. What no number looks like nobody says, so that bits are looked at of numbers only.

use super::types::{INT, Int, Typed, ULONG};
use super::{Expr, Generator, Stmt};

/// Numbers at which something happens.
const NUMBERS: [&str; 22] = [
    "0.0",
    "(-0.0)",
    "1.0",
    "(-1.0)",
    "0.5",
    "1.5",
    "2.5",
    "(-2.5)",
    "0.1",
    "0.1f",
    "3.0f",
    "1e10",
    "(-1e10f)",
    "16777216.0f",
    "9007199254740992.0",
    "1e300",
    "1e38f",
    "5e-324",
    "1e-45f",
    "2147483647.5",
    "(1.0 / 3)",
    "1e-300",
];

/// Functions on one number that give the same everywhere.
const FUNCTIONS: [&str; 8] = [
    "__builtin_fabs",
    "__builtin_floor",
    "__builtin_ceil",
    "__builtin_trunc",
    "__builtin_round",
    "__builtin_rint",
    "__builtin_fabsf",
    "__builtin_floorf",
];

impl Generator {
    /// A number.
    fn float(&mut self, d: u32) -> Expr {
        if d == 0 {
            return match self.rng.below(8) {
                0..=3 => Expr::text(*self.rng.pick(&NUMBERS)),
                4 => {
                    self.count("float input");
                    Expr::text(*self.rng.pick(&["__VERIFIER_nondet_double()", "__VERIFIER_nondet_float()"]))
                }
                _ => {
                    let ty = *self.rng.pick(&["double", "float"]);
                    Expr::of(&format!("({ty})#"), vec![self.leaf().e])
                }
            };
        }
        match self.rng.below(20) {
            0..=9 => {
                self.count("float arithmetic");
                let op = *self.rng.pick(&["+", "-", "*", "/"]);
                let (a, b) = (self.float(d - 1), self.float(d - 1));
                Expr::of(&format!("(# {op} #)"), vec![a, b])
            }
            10 => Expr::of("(-#)", vec![self.float(d - 1)]),
            11 | 12 => {
                self.count("float conversion");
                let ty = *self.rng.pick(&["double", "float", "float"]);
                Expr::of(&format!("({ty})#"), vec![self.float(d - 1)])
            }
            13..=15 => {
                self.count("float function");
                let f = *self.rng.pick(&FUNCTIONS);
                Expr::of(&format!("{f}(#)"), vec![self.float(d - 1)])
            }
            16 => {
                let (c, a, b) = (self.float_comparison(0).e, self.float(d - 1), self.float(d - 1));
                Expr::of("(# ? # : #)", vec![c, a, b])
            }
            17 => {
                self.count("float function");
                let (a, b) = (self.float(d - 1), self.float(0));
                Expr::of("__builtin_copysign(#, #)", vec![a, b])
            }
            _ => self.float(0),
        }
    }

    fn float_comparison(&mut self, d: u32) -> Typed {
        self.count("float comparison");
        let (a, b) = (self.float(d), self.float(d));
        let text = *self.rng.pick(&[
            "(# < #)",
            "(# <= #)",
            "(# > #)",
            "(# >= #)",
            "(# == #)",
            "(# != #)",
            "__builtin_isless(#, #)",
            "__builtin_isunordered(#, #)",
            "(!__builtin_isnan(#) && #)",
            "(__builtin_isinf(#) || __builtin_signbit(1.0 + (# == 0)))",
        ]);
        Typed { e: Expr::of(text, vec![a, b]), ty: INT, lo: 0, hi: 1 }
    }

    /// An integer made from numbers.
    pub(super) fn float_to_integer(&mut self, d: u32) -> Typed {
        match self.rng.below(8) {
            0..=2 => self.float_comparison(d),
            3 => {
                self.count("bits of a float");
                let e = self.float(d);
                let (text, ty) = *self.rng.pick(&[
                    ("({ union { double d; unsigned long u; } t; t.d = #; t.d == t.d ? t.u : 1ul; })", ULONG),
                    ("({ float d = #; unsigned u = 7; if (d == d) memcpy(&u, &d, 4); (unsigned long)u; })", ULONG),
                ]);
                Typed::any(Expr::of(text, vec![e]), ty)
            }
            _ => {
                let ty = self.some_int();
                let e = self.float(d);
                if ty.bits > 1 && self.dare() {
                    self.count("float to an integer that may not hold it");
                    return Typed::any(Expr::of(&format!("({})#", ty.name), vec![e]), ty);
                }
                self.count("float to an integer");
                let (lo, hi) = if ty.bits == 1 { (0, 1) } else { within(ty) };
                let name = self.fresh("f");
                let kind = *self.rng.pick(&["double", "float"]);
                let text =
                    format!("({{ {kind} {name} = #; {name} >= {lo} && {name} <= {hi} ? ({}){name} : 0; }})", ty.name);
                Typed { e: Expr::of(&text, vec![e]), ty: ty.promoted(), lo, hi }
            }
        }
    }

    /// Loops and objects of numbers.
    pub(super) fn float_idiom(&mut self, out: &mut Vec<Stmt>) {
        let (x, fuel, y) = (self.fresh("f"), self.fresh("n"), self.fresh("g"));
        let ty = *self.rng.pick(&["double", "float"]);
        self.touched.clear();
        let (a, b) = (self.float(2), self.float(1));
        self.touched.clear();
        self.cost += 30 * self.times;
        let seen = format!("observe({x} > -1e6 && {x} < 1e6 ? (int)({x} * 8) : {x} == {x});");
        let text = match self.rng.below(5) {
            0 => {
                self.count("loop over a float");
                format!(
                    "{{ {ty} {x} = #; int {fuel} = 0; while ({x} < # && {fuel} < 12) {{ {x} += 0.5; {fuel}++; }} observe({fuel}); {seen} }}"
                )
            }
            1 => {
                self.count("loop over a float");
                format!(
                    "{{ {ty} {x} = #, {y} = #; int {fuel} = 0; do {{ {x} = {x} / 3 + {y}; {fuel}++; }} while ({x} != {y} && {fuel} < 9); observe({fuel}); {seen} }}"
                )
            }
            2 => {
                self.count("array of floats");
                format!(
                    "{{ {ty} {y}[3] = {{#, #, 1}}; for (int i = 0; i < 5; i++) {y}[i % 3] = {y}[(i + 1) % 3] * 0.25f - i; {ty} {x} = {y}[1]; {seen} }}"
                )
            }
            3 => {
                self.count("struct with floats");
                format!(
                    "{{ struct {{ char c; {ty} x; float y; }} {y} = {{1, #, 0}}, *p = &{y}; p->y = #; p->x += p->y; {ty} {x} = {y}.x; {seen} observe({y}.y < p->x); }}"
                )
            }
            _ => {
                self.count("increment of a float");
                format!(
                    "{{ {ty} {x} = #; int {fuel} = # < 1; {x}++; {x} *= 1.5f; --{x}; {fuel} += {x} > 2; {seen} observe({fuel}); }}"
                )
            }
        };
        out.push(Stmt::of(&text, vec![a, b]));
    }
}

/// Limits that every floating-point type has, and whose numbers in between the type holds.
fn within(ty: Int) -> (i128, i128) {
    let bits = ty.bits.min(24) - u32::from(ty.signed);
    let most = (1 << bits) - 1;
    (if ty.signed { -most } else { 0 }, most)
}
