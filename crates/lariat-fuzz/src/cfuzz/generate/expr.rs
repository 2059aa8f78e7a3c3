//! Expressions with integer values.

use super::types::{
    BOOL, CHAR, INT, Int, Kind, LLONG, LONG, SCHAR, SHORT, Typed, U128, UCHAR, UINT, ULLONG, ULONG, USHORT, literal,
};
use super::{COST, Stmt};
use super::{Expr, Generator, SIZE};
use crate::cfuzz::program::Part;

/// Numbers at which something happens.
const NUMBERS: [i128; 24] =
    [0, 1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255, 256, 1000, 32767, 65535, 65536];

impl Generator {
    /// An expression of some integer type, at most so deep.
    pub(super) fn expr(&mut self, depth: u32) -> Typed {
        if depth == 0 {
            return self.leaf();
        }
        if self.deep > 2 {
            return self.number();
        }
        self.deep += 1;
        let e = self.operation(depth - 1);
        self.deep -= 1;
        e
    }

    fn operation(&mut self, d: u32) -> Typed {
        match self.rng.below(100) {
            0..=21 => self.arithmetic(d),
            22..=31 => self.bitwise(d),
            32..=37 => self.division(d),
            38..=45 => self.shift(d),
            46..=53 => self.comparison(d),
            54..=57 => self.logical(d),
            58..=64 => self.unary(d),
            65..=70 => {
                self.count("cast");
                let to = self.some_int();
                let e = self.expr(d);
                e.cast(to)
            }
            71..=74 => self.choice(d),
            75 => {
                self.count("comma");
                let a = self.effect(d).unwrap_or_else(|| self.expr(d));
                let b = self.expr(d);
                Typed { e: Expr::of("(#, #)", vec![a.e, b.e]), ..b }
            }
            76..=78 => self.effect(d).unwrap_or_else(|| self.leaf()),
            79..=84 => self.call(d).unwrap_or_else(|| self.leaf()),
            85..=87 => self.pointer_expr().unwrap_or_else(|| self.leaf()),
            88 => self.size_of(),
            89..=90 => self.builtin(d),
            91 => self.statement_expr(d),
            92 => self.compound_literal(d),
            93..=94 => self.float_to_integer(d),
            _ => self.leaf(),
        }
    }

    /// A condition, now and then a constant one.
    pub(super) fn condition(&mut self, depth: u32) -> Expr {
        self.touched.clear();
        if self.chance(60) { self.comparison(depth).e } else { self.expr(depth).e }
    }

    pub(super) fn leaf(&mut self) -> Typed {
        if self.chance(60)
            && let Some(p) = self.place(false)
        {
            return p;
        }
        self.number()
    }

    fn number(&mut self) -> Typed {
        if !self.enums.is_empty() && self.chance(10) {
            let (name, value) = self.rng.pick(&self.enums).clone();
            return Typed { e: Expr::text(name), ty: INT, lo: value, hi: value };
        }
        if self.chance(4) {
            self.count("character constant");
            let c = b'a' + u8::try_from(self.rng.below(26)).expect("small");
            return Typed {
                e: Expr::text(format!("'{}'", char::from(c))),
                ty: INT,
                lo: i128::from(c),
                hi: i128::from(c),
            };
        }
        let ty = if self.chance(70) { INT } else { self.some_int() };
        let value = match self.rng.below(10) {
            0..=6 => *self.rng.pick(&NUMBERS),
            7 => -*self.rng.pick(&NUMBERS),
            8 => *self.rng.pick(&[ty.max(), ty.min(), ty.max() - 1]),
            _ => i128::from(self.rng.next() >> (self.rng.below(63) + 1)),
        };
        let value = value.clamp(ty.min(), ty.max());
        let value = if ty.bits > 64 { value.clamp(i128::from(i64::MIN + 1), i128::from(i64::MAX)) } else { value };
        literal(value, ty)
    }

    /// Makes a value small, in one of many ways.
    pub(super) fn narrowed(&mut self, x: Typed, bits: u32) -> Typed {
        let bits = bits.min(62);
        let mask = (1i128 << bits) - 1;
        match self.rng.below(5) {
            0 if x.ty.bits > bits => {
                let m = literal(mask, x.ty.promoted());
                let ty = Int::usual(x.ty, m.ty);
                Typed::ranged(Expr::of("(# & #)", vec![x.e, m.e]), ty, 0, mask)
            }
            1 if x.ty.promoted().bits > bits => {
                let m = literal(mask, INT.max_of(x.ty));
                let ty = Int::usual(x.ty, m.ty);
                let lo = if ty.signed { -mask } else { 0 };
                Typed::ranged(Expr::of("(# % #)", vec![x.e, m.e]), ty, lo, mask)
            }
            2 if x.ty.bits > bits && x.ty.signed && x.ty.bits <= 64 => {
                let by = x.ty.bits - bits;
                let lo = x.ty.min() >> by;
                let ty = x.ty.promoted();
                Typed::ranged(Expr::of(&format!("(# >> {by})"), vec![x.e]), ty, lo, x.ty.max() >> by)
            }
            _ => {
                let to = match bits {
                    0..=7 => return Typed::ranged(Expr::of("(# & 63)", vec![x.e]), Int::usual(x.ty, INT), 0, 63),
                    8..=15 => *self.rng.pick(&[SCHAR, UCHAR, CHAR]),
                    16..=31 => *self.rng.pick(&[SHORT, USHORT, SCHAR]),
                    32..=63 => *self.rng.pick(&[INT, UINT]),
                    _ => *self.rng.pick(&[LLONG, LONG, INT]),
                };
                x.cast(to)
            }
        }
    }

    /// `a + b`, `a - b`, `a * b`.
    fn arithmetic(&mut self, d: u32) -> Typed {
        let a = self.expr(d);
        let b = self.expr(d);
        let op = *self.rng.pick(&["+", "+", "-", "-", "*"]);
        self.sum(a, op, b)
    }

    /// An arithmetic operation whose operands are changed until it cannot overflow, unless it is dared.
    pub(super) fn sum(&mut self, mut a: Typed, op: &'static str, mut b: Typed) -> Typed {
        self.count(match op {
            "+" => "+",
            "-" => "-",
            _ => "*",
        });
        for attempt in 0.. {
            let ty = Int::usual(a.ty, b.ty);
            let (alo, ahi) = a.range_as(ty);
            let (blo, bhi) = b.range_as(ty);
            let range = match op {
                "+" => alo.checked_add(blo).zip(ahi.checked_add(bhi)),
                "-" => alo.checked_sub(bhi).zip(ahi.checked_sub(blo)),
                _ => {
                    let corners = [(alo, blo), (alo, bhi), (ahi, blo), (ahi, bhi)].map(|(x, y)| x.checked_mul(y));
                    let all: Option<Vec<i128>> = corners.into_iter().collect();
                    all.and_then(|c| c.iter().min().copied().zip(c.iter().max().copied()))
                }
            };
            let fits = range.is_some_and(|(lo, hi)| ty.holds(lo, hi));
            if !ty.signed || fits || (attempt == 0 && (self.dare() || self.dare() || self.dare())) {
                let e = Expr::of(&format!("(# {op} #)"), vec![a.e, b.e]);
                return match range {
                    Some((lo, hi)) if fits => Typed::ranged(e, ty, lo, hi),
                    _ => Typed::any(e, ty),
                };
            }
            match self.rng.below(4) {
                0 if attempt == 0 && ty.bits < 64 => {
                    a = a.cast(LLONG);
                    b = b.cast(LLONG);
                }
                1 if attempt < 2 => {
                    let bits = if op == "*" { ty.bits / 2 - 1 } else { ty.bits - 2 };
                    a = self.narrowed(a, bits);
                    b = self.narrowed(b, bits);
                }
                _ => a = a.cast(ty.unsigned()),
            }
        }
        unreachable!("an unsigned operation is always allowed");
    }

    fn bitwise(&mut self, d: u32) -> Typed {
        let (a, b) = (self.expr(d), self.expr(d));
        let op = *self.rng.pick(&["&", "|", "^"]);
        self.count(match op {
            "&" => "&",
            "|" => "|",
            _ => "^",
        });
        let ty = Int::usual(a.ty, b.ty);
        let ((alo, ahi), (blo, bhi)) = (a.range_as(ty), b.range_as(ty));
        let e = Expr::of(&format!("(# {op} #)"), vec![a.e, b.e]);
        if alo < 0 || blo < 0 || ty == U128 {
            return Typed::any(e, ty);
        }
        let hi = if op == "&" { ahi.min(bhi) } else { ones(ahi.max(bhi)) };
        Typed::ranged(e, ty, 0, hi)
    }

    fn division(&mut self, d: u32) -> Typed {
        let a = self.expr(d);
        let b = self.expr(d);
        let op = *self.rng.pick(&["/", "%"]);
        self.quotient(a, op, b)
    }

    pub(super) fn quotient(&mut self, mut a: Typed, op: &'static str, mut b: Typed) -> Typed {
        self.count(if op == "/" { "/" } else { "%" });
        if !self.dare() {
            let zero = |b: &Typed, ty: Int| {
                let (lo, hi) = b.range_as(ty);
                (lo <= 0 && 0 <= hi) || b.ty == U128 || ty == U128
            };
            if zero(&b, Int::usual(a.ty, b.ty)) {
                b = match self.rng.below(4) {
                    0 => literal(1 + i128::try_from(self.rng.below(20)).expect("small"), INT),
                    1 => {
                        let small = Typed::ranged(Expr::of("(# & 7)", vec![b.e]), Int::usual(b.ty, INT), 0, 7);
                        let ty = small.ty;
                        Typed::ranged(Expr::of("(# + 1)", vec![small.e]), ty, 1, 8)
                    }
                    2 => literal(-2 - i128::try_from(self.rng.below(20)).expect("small"), INT),
                    _ => {
                        let ty = Int::usual(b.ty, INT).unsigned();
                        Typed::ranged(Expr::of(&format!("(({})# | 1)", ty.name), vec![b.e]), ty, 1, ty.max())
                    }
                };
            }
            let ty = Int::usual(a.ty, b.ty);
            if zero(&b, ty) {
                b = literal(3, INT);
            }
            let ty = Int::usual(a.ty, b.ty);
            let (blo, bhi) = b.range_as(ty);
            let (alo, _) = a.range_as(ty);
            if ty.signed && alo == ty.min() && blo <= -1 && -1 <= bhi {
                a = self.narrowed(a, ty.bits / 2);
            }
        }
        let ty = Int::usual(a.ty, b.ty);
        let (alo, ahi) = a.range_as(ty);
        let (blo, bhi) = b.range_as(ty);
        let e = Expr::of(&format!("(# {op} #)"), vec![a.e, b.e]);
        if alo >= 0 && blo > 0 && ty != U128 {
            return if op == "/" { Typed::ranged(e, ty, 0, ahi) } else { Typed::ranged(e, ty, 0, ahi.min(bhi - 1)) };
        }
        Typed::any(e, ty)
    }

    fn shift(&mut self, d: u32) -> Typed {
        let a = self.expr(d);
        let b = self.expr(d);
        let left = self.chance(50);
        self.shifted(a, left, b)
    }

    pub(super) fn shifted(&mut self, mut a: Typed, left: bool, b: Typed) -> Typed {
        self.count(if left { "<<" } else { ">>" });
        let bits = a.ty.promoted().bits;
        let by = if self.dare() {
            b
        } else if self.chance(40) {
            literal(i128::try_from(self.rng.below(bits as usize)).expect("small"), INT)
        } else {
            let most = *self.rng.pick(&[i128::from(bits) - 1, 7, 3]);
            let ty = Int::usual(b.ty, INT);
            Typed::ranged(Expr::of(&format!("(# & {most})"), vec![b.e]), ty, 0, most)
        };
        if left && a.ty.promoted().signed && !self.dare() {
            let most = by.hi.clamp(0, 127);
            let ty = a.ty.promoted();
            let fits = a.lo >= 0 && most < i128::from(ty.bits) && a.hi <= ty.max() >> most;
            if !fits {
                a = a.cast(ty.unsigned());
            }
        }
        let ty = a.ty.promoted();
        let op = if left { "<<" } else { ">>" };
        let range = (a.lo, a.hi);
        let e = Expr::of(&format!("(# {op} #)"), vec![a.e, by.e]);
        if !left && range.0 >= 0 && ty != U128 { Typed::ranged(e, ty, 0, range.1) } else { Typed::any(e, ty) }
    }

    fn comparison(&mut self, d: u32) -> Typed {
        let (a, b) = (self.expr(d), self.expr(d));
        let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
        self.count(match op {
            "<" | "<=" => "< <=",
            ">" | ">=" => "> >=",
            _ => "== !=",
        });
        Typed { e: Expr::of(&format!("(# {op} #)"), vec![a.e, b.e]), ty: INT, lo: 0, hi: 1 }
    }

    fn logical(&mut self, d: u32) -> Typed {
        let (a, b) = (self.expr(d), self.expr(d));
        let op = *self.rng.pick(&["&&", "||"]);
        self.count(if op == "&&" { "&&" } else { "||" });
        Typed { e: Expr::of(&format!("(# {op} #)"), vec![a.e, b.e]), ty: INT, lo: 0, hi: 1 }
    }

    fn unary(&mut self, d: u32) -> Typed {
        let mut a = self.expr(d);
        match self.rng.below(5) {
            0 | 1 => {
                self.count("unary -");
                let ty = a.ty.promoted();
                if ty.signed && a.lo == ty.min() && !self.dare() {
                    a = if self.chance(50) { a.cast(ty.unsigned()) } else { self.narrowed(a, 16) };
                }
                let ty = a.ty.promoted();
                let (lo, hi) = (a.lo, a.hi);
                let e = Expr::of("(-#)", vec![a.e]);
                match (hi.checked_neg(), lo.checked_neg()) {
                    (Some(lo), Some(hi)) if ty.signed => Typed::ranged(e, ty, lo, hi),
                    _ => Typed::any(e, ty),
                }
            }
            2 | 3 => {
                self.count("~");
                let ty = a.ty.promoted();
                let e = Expr::of("(~#)", vec![a.e]);
                if ty.signed { Typed::ranged(e, ty, !a.hi, !a.lo) } else { Typed::any(e, ty) }
            }
            _ => {
                self.count("!");
                Typed { e: Expr::of("(!#)", vec![a.e]), ty: INT, lo: 0, hi: 1 }
            }
        }
    }

    fn choice(&mut self, d: u32) -> Typed {
        let a = self.expr(d);
        let b = self.expr(d);
        let ty = Int::usual(a.ty, b.ty);
        let ((alo, ahi), (blo, bhi)) = (a.range_as(ty), b.range_as(ty));
        let e = if self.chance(15) {
            self.count("?: without middle");
            Expr::of("(# ?: #)", vec![a.e, b.e])
        } else {
            self.count("?:");
            let c = self.expr(d);
            Expr::of("(# ? # : #)", vec![c.e, a.e, b.e])
        };
        Typed::ranged(e, ty, alo.min(blo), ahi.max(bhi))
    }

    /// An expression that changes a local variable which the rest of the full expression leaves alone.
    fn effect(&mut self, d: u32) -> Option<Typed> {
        let candidates: Vec<usize> = (0..self.vars.len())
            .filter(|i| {
                let v = &self.vars[*i];
                v.open && v.depth > 0 && matches!(v.kind, Kind::Int(_)) && !self.touched.contains(i)
            })
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let at = *self.rng.pick(&candidates);
        self.touched.push(at);
        let name = self.vars[at].name.clone();
        let Kind::Int(ty) = self.vars[at].kind else { return None };
        if (ty.bits < 32 && self.chance(50)) || (!ty.signed && self.chance(60)) {
            self.count("++ -- in an expression");
            let pattern = *self.rng.pick(&["(#++)", "(#--)", "(++#)", "(--#)"]);
            return Some(Typed::any(Expr::of(pattern, vec![Expr::text(name)]), ty));
        }
        self.count("assignment in an expression");
        let value = self.expr(d);
        let (lo, hi) = value.range_as(ty);
        Some(Typed { e: Expr::of("(# = #)", vec![Expr::text(name), value.e]), ty, lo, hi })
    }

    /// A call of a function that returns an integer.
    pub(super) fn call(&mut self, d: u32) -> Option<Typed> {
        let (times, room) = (self.times, COST.saturating_sub(self.cost));
        let left = SIZE.saturating_sub(self.size);
        let fits = |cost: u64, size: u64| cost.saturating_mul(times) <= room && size <= left;
        // Through a table or a pointer.
        let pointers: Vec<(String, Option<usize>)> = self
            .vars
            .iter()
            .filter_map(|v| match &v.kind {
                Kind::FnPtr => Some((v.name.clone(), None)),
                Kind::Array(of, n) if **of == Kind::FnPtr => Some((v.name.clone(), Some(*n))),
                _ => None,
            })
            .collect();
        if !pointers.is_empty() && self.chance(40) {
            let simple = self.simple_functions();
            let cost = simple.iter().map(|&i| self.funcs[i].cost).max().unwrap_or(1);
            let size: u64 = simple.iter().map(|&i| self.funcs[i].size).sum();
            if fits(cost, size) {
                self.cost += cost * times;
                self.size += size;
                let (name, table) = self.rng.pick(&pointers).clone();
                let (a, b) = (self.expr(d.min(1)).e, self.expr(d.min(1)).e);
                let callee = match table {
                    Some(n) => {
                        self.count("call through a table");
                        let i = self.index(n, true);
                        Expr::of(&format!("{name}[#]"), vec![i])
                    }
                    None => {
                        self.count("call through a pointer");
                        Expr::text(name)
                    }
                };
                return Some(Typed::any(Expr::of("#(#, #)", vec![callee, a, b]), INT));
            }
        }
        let candidates: Vec<usize> = (0..self.funcs.len())
            .filter(|&i| {
                let f = &self.funcs[i];
                matches!(f.ret, Some(Kind::Int(_) | Kind::Struct(_))) && fits(f.cost, f.size)
            })
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let at = *self.rng.pick(&candidates);
        let call = self.call_of(at)?;
        match self.funcs[at].ret.clone() {
            Some(Kind::Int(ty)) => Some(Typed::any(call, ty)),
            Some(Kind::Struct(id)) => {
                self.count("field of a returned struct");
                let fields: Vec<(String, Int)> = self.structs[id]
                    .iter()
                    .filter_map(|f| match f.kind {
                        Kind::Int(t) => Some((f.name.clone(), t)),
                        _ => None,
                    })
                    .collect();
                if fields.is_empty() {
                    return None;
                }
                let (field, ty) = self.rng.pick(&fields).clone();
                Some(Typed::any(Expr::of(&format!("#.{field}"), vec![call]), ty))
            }
            _ => None,
        }
    }

    /// A call of this function with random arguments.
    pub(super) fn call_of(&mut self, at: usize) -> Option<Expr> {
        let f = self.funcs[at].clone();
        self.count("call");
        let mut args = Vec::new();
        for kind in &f.params {
            args.push(match kind {
                Kind::Int(_) => self.expr(1).e,
                Kind::Struct(id) => self.struct_value(*id),
                Kind::Ptr { to, len, .. } => self.pointer(to, *len, self.depth, false)?,
                Kind::FnPtr => self.function_before(at)?,
                _ => return None,
            });
        }
        self.cost += f.cost * self.times;
        self.size += f.size;
        let pattern = format!("{}({})", f.name, vec!["#"; args.len()].join(", "));
        Some(Expr::of(&pattern, args))
    }

    pub(super) fn function_before(&mut self, at: usize) -> Option<Expr> {
        let simple: Vec<usize> = self.simple_functions().into_iter().filter(|&i| i < at).collect();
        if simple.is_empty() {
            return None;
        }
        let i = *self.rng.pick(&simple);
        let f = &self.funcs[i];
        // The call happens inside: what it costs is counted where the pointer is passed.
        let (cost, size, name) = (f.cost, f.size, f.name.clone());
        self.cost += cost * self.times;
        self.size += size;
        Some(Expr::text(if self.chance(50) { name } else { format!("&{name}") }))
    }

    pub(super) fn function_name(&mut self) -> Expr {
        let n = self.funcs.len();
        self.function_before(n).unwrap_or_else(|| Expr::text("0"))
    }

    fn size_of(&mut self) -> Typed {
        self.count("sizeof");
        if self.chance(50) {
            let t = self.some_int();
            return Typed { e: Expr::text(format!("sizeof({})", t.name)), ty: ULONG, lo: 1, hi: 16 };
        }
        let names: Vec<String> = self
            .vars
            .iter()
            .filter(|v| {
                v.open && matches!(v.kind, Kind::Array(..) | Kind::Struct(_) | Kind::Int(_)) && v.range.is_none()
            })
            .map(|v| v.name.clone())
            .collect();
        if names.is_empty() {
            return self.number();
        }
        let name = self.rng.pick(&names).clone();
        Typed { e: Expr::text(format!("sizeof({name})")), ty: ULONG, lo: 1, hi: 100_000 }
    }

    fn builtin(&mut self, d: u32) -> Typed {
        self.count("builtin");
        let a = self.expr(d);
        let b = self.expr(d.min(1));
        let one = |name: &str, a: Typed| Expr::of(&format!("{name}(#)"), vec![a.e]);
        match self.rng.below(9) {
            0 => Typed { e: one("__builtin_popcount", a), ty: INT, lo: 0, hi: 32 },
            1 => Typed { e: one("__builtin_popcountll", a), ty: INT, lo: 0, hi: 64 },
            2 => Typed::any(one("__builtin_bswap32", a), UINT),
            3 => {
                let e = Expr::of("__builtin_ctz(# | 64)", vec![a.e]);
                Typed { e, ty: INT, lo: 0, hi: 31 }
            }
            4 => {
                let e = Expr::of("__builtin_clz((unsigned)# | 1)", vec![a.e]);
                Typed { e, ty: INT, lo: 0, hi: 31 }
            }
            5 => {
                let small = self.narrowed(a, 16);
                let e = Expr::of("abs((int)#)", vec![small.cast(SHORT).e]);
                Typed { e, ty: INT, lo: 0, hi: 32768 }
            }
            6 => Typed::any(Expr::of("__builtin_expect(#, #)", vec![a.e, b.e]), LONG),
            7 => {
                let e = Expr::of(
                    "({ int t; int o = __builtin_add_overflow((long)#, (unsigned)#, &t); o ? 1 : t; })",
                    vec![a.e, b.e],
                );
                Typed::any(e, INT)
            }
            _ => {
                let e = Expr::of(
                    "({ unsigned char t; __builtin_mul_overflow((int)#, (short)#, &t) + 2 * t; })",
                    vec![a.e, b.e],
                );
                Typed { e, ty: INT, lo: 0, hi: 511 }
            }
        }
    }

    fn statement_expr(&mut self, d: u32) -> Typed {
        self.count("statement expression");
        let name = self.fresh("q");
        let ty = self.some_int();
        let a = self.expr(d);
        let e = Expr::of(&format!("({{ {} {name} = #; {name}; }})", ty.name), vec![a.e.clone()]);
        let (lo, hi) = a.range_as(ty);
        Typed { e, ty, lo, hi }
    }

    fn compound_literal(&mut self, d: u32) -> Typed {
        self.count("compound literal");
        let ty = self.some_int();
        let (a, b, c) = (self.expr(d.min(1)).e, self.expr(0).e, self.expr(0).e);
        let i = self.index(3, true);
        Typed::any(Expr::of(&format!("(({}[]){{#, #, #}})[#]", ty.name), vec![a, b, c, i]), ty)
    }

    /// An expression for a fresh full expression.
    pub(super) fn full(&mut self, depth: u32) -> Typed {
        self.touched.clear();
        self.expr(depth)
    }

    /// A statement that observes a value.
    pub(super) fn observe(&mut self, out: &mut Vec<Stmt>) {
        self.touched.clear();
        self.count("observe");
        let e = if self.chance(60) { self.place(false).map(|p| p.e) } else { None };
        let e = e.unwrap_or_else(|| self.expr(2).e);
        out.push(Stmt { parts: vec![Part::Text("observe(".into()), Part::Expr(e), Part::Text(");".into())] });
        self.cost += self.times;
        self.size += 1;
    }
}

impl Int {
    /// This type, or the other if that is wider.
    fn max_of(self, other: Self) -> Self {
        if other.bits > self.bits { other } else { self }
    }
}

/// All ones up to the highest one.
fn ones(x: i128) -> i128 {
    if x <= 0 { 0 } else { i128::MAX >> (x.leading_zeros() - 1) }
}

/// What an input function returns, by its name.
pub(super) const INPUTS: [(&str, Int); 11] = [
    ("int", INT),
    ("uint", UINT),
    ("char", CHAR),
    ("uchar", UCHAR),
    ("short", SHORT),
    ("ushort", USHORT),
    ("long", LONG),
    ("ulong", ULONG),
    ("longlong", LLONG),
    ("ulonglong", ULLONG),
    ("bool", BOOL),
];
