//! Objects: what can be read and written, pointers to it, initial values.

use super::types::{INT, Kind, LONG, Typed, UINT, literal};
use super::{Expr, Generator, Var};

impl Generator {
    /// An integer that can be read, or written.
    pub(super) fn place(&mut self, write: bool) -> Option<Typed> {
        let usable = |g: &Self, i: usize| {
            let v = &g.vars[i];
            (v.open || !write) && !g.touched.contains(&i) && g.has_int(&v.kind)
        };
        let candidates: Vec<usize> = (0..self.vars.len()).filter(|&i| usable(self, i)).collect();
        if candidates.is_empty() {
            return None;
        }
        // What was declared last is the most interesting.
        let at = if self.chance(40) {
            candidates[candidates.len() - 1 - self.rng.below(candidates.len().min(4))]
        } else {
            *self.rng.pick(&candidates)
        };
        let v = self.vars[at].clone();
        let place = self.drill(Expr::text(v.name), &v.kind)?;
        Some(match v.range {
            Some((lo, hi)) => Typed { lo, hi, ..place },
            None => place,
        })
    }

    /// Whether an integer can be reached without asking whether a pointer is null.
    #[expect(clippy::self_only_used_in_recursion, reason = "it is a question to the generator")]
    fn has_int(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Int(_) | Kind::Bits(..) => true,
            Kind::Array(of, _) => self.has_int(of),
            Kind::Struct(_) | Kind::Union(_) => true,
            Kind::Ptr { to, nullable, .. } => !nullable && self.has_int(to),
            Kind::FnPtr => false,
        }
    }

    fn drill(&mut self, e: Expr, kind: &Kind) -> Option<Typed> {
        match kind {
            Kind::Int(t) => Some(Typed::any(e, *t)),
            Kind::Bits(t, w) => {
                self.count("bit-field access");
                let (lo, hi) =
                    if t.signed { (-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1) } else { (0, (1i128 << w) - 1) };
                // An unsigned bit-field narrower than int becomes an int when it is read.
                let ty = match w {
                    0..=31 => INT,
                    32 if t.signed => INT,
                    32 => UINT,
                    _ => *t,
                };
                Some(Typed { e, ty, lo, hi })
            }
            Kind::Array(of, n) => {
                self.count("array access");
                // What is called an array here may be a pointer to one.
                let i = self.index(*n, false);
                self.drill(Expr::of("#[#]", vec![e, i]), of)
            }
            Kind::Struct(id) => {
                let f = self.rng.below(self.structs[*id].len());
                let (name, kind) = (self.structs[*id][f].name.clone(), self.structs[*id][f].kind.clone());
                self.count("struct access");
                self.field(Expr::of(&format!("#.{name}"), vec![e]), &kind)
            }
            Kind::Union(id) => {
                let f = self.rng.below(self.unions[*id].len());
                let (name, kind) = (self.unions[*id][f].name.clone(), self.unions[*id][f].kind.clone());
                self.count("union access");
                self.field(Expr::of(&format!("#.{name}"), vec![e]), &kind)
            }
            Kind::Ptr { nullable: true, .. } => None,
            Kind::Ptr { to, len, .. } => {
                if let Kind::Struct(id) = **to
                    && *len == 1
                {
                    self.count("->");
                    let f = self.rng.below(self.structs[id].len());
                    let (name, kind) = (self.structs[id][f].name.clone(), self.structs[id][f].kind.clone());
                    return self.field(Expr::of(&format!("#->{name}"), vec![e]), &kind);
                }
                match self.rng.below(3) {
                    0 => {
                        self.count("dereference");
                        self.drill(Expr::of("(*#)", vec![e]), to)
                    }
                    1 => {
                        self.count("pointer index");
                        let i = self.safe_index(*len);
                        self.drill(Expr::of("#[#]", vec![e, i]), to)
                    }
                    _ => {
                        self.count("pointer arithmetic");
                        let i = self.safe_index(*len);
                        self.drill(Expr::of("(*(# + #))", vec![e, i]), to)
                    }
                }
            }
            Kind::FnPtr => None,
        }
    }

    /// A field. An array at the end of a struct may be longer than it says, by the compiler's leave: nothing is dared there.
    fn field(&mut self, e: Expr, kind: &Kind) -> Option<Typed> {
        if let Kind::Array(of, n) = kind {
            self.count("array access");
            let i = self.safe_index(*n);
            return self.drill(Expr::of("#[#]", vec![e, i]), of);
        }
        self.drill(e, kind)
    }

    /// An index below `n`, unless it is dared: for whole objects only. Inside a struct no sanitizer sees where a field ends.
    pub(super) fn index(&mut self, n: usize, known: bool) -> Expr {
        if self.chance(40) && self.dare() {
            self.count("unchecked index");
            let e = self.expr(1);
            // Beyond an array of known length the sanitizer sees every index; elsewhere only what lies near.
            return if known && self.chance(50) {
                Expr::of("(signed char)#", vec![e.e])
            } else {
                Expr::of(&format!("((int)((unsigned)# % {}u) - 1)", n + 2), vec![e.e])
            };
        }
        self.safe_index(n)
    }

    /// An index below `n`.
    pub(super) fn safe_index(&mut self, n: usize) -> Expr {
        match self.rng.below(4) {
            0 | 1 => self.plain_index(n, false),
            2 if n.is_power_of_two() => {
                let e = self.expr(1);
                Expr::of(&format!("(# & {})", n - 1), vec![e.e])
            }
            _ => {
                let e = self.expr(1);
                Expr::of(&format!("((unsigned)# % {n}u)"), vec![e.e])
            }
        }
    }

    /// A loop's counter or a constant below `n`.
    fn plain_index(&mut self, n: usize, constant: bool) -> Expr {
        let most = i128::try_from(n).expect("small");
        let below = |v: &&Var| v.range.is_some_and(|(lo, hi)| lo >= 0 && hi < most);
        let counters: Vec<String> = self.vars.iter().filter(below).map(|v| v.name.clone()).collect();
        if !constant && !counters.is_empty() && self.chance(70) {
            return Expr::text(self.rng.pick(&counters).clone());
        }
        literal(i128::try_from(self.rng.below(n)).expect("small"), INT).e
    }

    /// A pointer to `len` objects of a kind, none of which dies before scope `depth` ends.
    pub(super) fn pointer(&mut self, to: &Kind, len: usize, depth: u32, constant: bool) -> Option<Expr> {
        let mut found = Vec::new();
        let dare = !constant && self.dare();
        for i in 0..self.vars.len() {
            let v = self.vars[i].clone();
            if v.open && (v.depth <= depth || dare) && !(constant && matches!(v.kind, Kind::Ptr { .. })) {
                self.pointers_into(Expr::text(v.name), &v.kind, to, len, constant, &mut found);
            }
        }
        if found.is_empty() { None } else { Some(self.rng.pick(&found).clone()) }
    }

    fn pointers_into(&mut self, e: Expr, kind: &Kind, to: &Kind, len: usize, constant: bool, found: &mut Vec<Expr>) {
        if len == 1 && kind == to {
            found.push(Expr::of("&#", vec![e.clone()]));
        }
        match kind {
            Kind::Array(of, n) => {
                if **of == *to && *n >= len {
                    let offset = self.plain_index(n - len + 1, constant);
                    found.push(if self.chance(50) {
                        Expr::of("(# + #)", vec![e.clone(), offset])
                    } else {
                        Expr::of("&#[#]", vec![e.clone(), offset])
                    });
                }
                if !matches!(**of, Kind::Int(_)) {
                    let i = self.plain_index(*n, constant);
                    self.pointers_into(Expr::of("#[#]", vec![e, i]), of, to, len, constant, found);
                }
            }
            Kind::Struct(id) if !self.packed[*id] => {
                for f in 0..self.structs[*id].len() {
                    let (name, kind) = (self.structs[*id][f].name.clone(), self.structs[*id][f].kind.clone());
                    if !matches!(kind, Kind::Bits(..)) {
                        let field = Expr::of(&format!("#.{name}"), vec![e.clone()]);
                        self.pointers_into(field, &kind, to, len, constant, found);
                    }
                }
            }
            Kind::Union(id) => {
                for f in 0..self.unions[*id].len() {
                    let (name, kind) = (self.unions[*id][f].name.clone(), self.unions[*id][f].kind.clone());
                    let field = Expr::of(&format!("#.{name}"), vec![e.clone()]);
                    self.pointers_into(field, &kind, to, len, constant, found);
                }
            }
            Kind::Ptr { to: of, len: n, nullable: false } if **of == *to && *n >= len => {
                found.push(if *n > len {
                    let i = self.plain_index(n - len + 1, constant);
                    Expr::of("(# + #)", vec![e, i])
                } else {
                    e
                });
            }
            _ => {}
        }
    }

    /// Some pointer with what it points to.
    pub(super) fn random_pointer(&mut self, depth: u32, constant: bool) -> Option<(Kind, Expr)> {
        let mut kinds = Vec::new();
        for v in self.vars.iter().filter(|v| v.open && v.depth <= depth) {
            match &v.kind {
                Kind::Int(_) | Kind::Struct(_) => kinds.push((v.kind.clone(), 1)),
                Kind::Array(of, n) if **of != Kind::FnPtr => {
                    kinds.push(((**of).clone(), 1 + self.rng.below(*n)));
                }
                _ => {}
            }
        }
        if kinds.is_empty() {
            return None;
        }
        let (to, len) = self.rng.pick(&kinds).clone();
        let value = self.pointer(&to, len, depth, constant)?;
        Some((Kind::ptr(to, len), value))
    }

    /// Comparisons and differences of pointers into one object, tests for null.
    pub(super) fn pointer_expr(&mut self) -> Option<Typed> {
        let arrays: Vec<(String, usize)> = self
            .vars
            .iter()
            .filter_map(|v| match &v.kind {
                Kind::Array(of, n) if v.open && matches!(**of, Kind::Int(_) | Kind::Struct(_)) => {
                    Some((v.name.clone(), *n))
                }
                Kind::Ptr { to, len, nullable: false } if matches!(**to, Kind::Int(_) | Kind::Struct(_)) => {
                    Some((v.name.clone(), *len))
                }
                _ => None,
            })
            .collect();
        let nullable: Vec<(String, Kind)> = self
            .vars
            .iter()
            .flat_map(|v| match &v.kind {
                Kind::Ptr { to, nullable: true, .. } => vec![(v.name.clone(), (**to).clone())],
                Kind::Struct(id) => self.structs[*id]
                    .iter()
                    .filter_map(|f| match &f.kind {
                        Kind::Ptr { to, nullable: true, .. } => {
                            Some((format!("{}.{}", v.name, f.name), (**to).clone()))
                        }
                        _ => None,
                    })
                    .collect(),
                _ => Vec::new(),
            })
            .collect();
        if !nullable.is_empty() && self.chance(50) {
            let (name, to) = self.rng.pick(&nullable).clone();
            if self.chance(30) {
                self.count("test for null");
                let e = Expr::text(format!("({name} {} 0)", if self.chance(50) { "==" } else { "!=" }));
                return Some(Typed { e, ty: INT, lo: 0, hi: 1 });
            }
            self.count("dereference after a test");
            let checked = !self.dare();
            let target = self.drill(Expr::text(format!("(*{name})")), &to)?;
            if !checked {
                return Some(target);
            }
            let other = literal(7, INT);
            return Some(Typed::any(
                Expr::of(&format!("({name} ? # : #)"), vec![target.e, other.e]),
                super::types::Int::usual(target.ty, INT),
            ));
        }
        if arrays.is_empty() {
            return None;
        }
        let (name, n) = self.rng.pick(&arrays).clone();
        // One past the end is a place, too.
        let (i, j) = (self.safe_index(n + 1), self.safe_index(n + 1));
        let (i, j) = (Expr::of(&format!("({name} + #)"), vec![i]), Expr::of(&format!("({name} + #)"), vec![j]));
        if self.chance(50) {
            self.count("pointer difference");
            return Some(Typed { e: Expr::of("(# - #)", vec![i, j]), ty: LONG, lo: -100, hi: 100 });
        }
        self.count("pointer comparison");
        let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
        Some(Typed { e: Expr::of(&format!("(# {op} #)"), vec![i, j]), ty: INT, lo: 0, hi: 1 })
    }

    /// An initial value: a constant one, or a random expression.
    pub(super) fn initializer(&mut self, kind: &Kind, constant: bool) -> Expr {
        match kind {
            Kind::Int(_) | Kind::Bits(..) => {
                if constant || self.chance(50) {
                    let small = i128::try_from(self.rng.below(200)).expect("small") - 50;
                    let small = if self.chance(80) { small } else { i128::from(self.rng.next() >> 34) };
                    literal(small, INT).e
                } else {
                    self.touched.clear();
                    self.expr(2).e
                }
            }
            Kind::Array(of, n) => {
                let given = if self.chance(60) { *n } else { 1 + self.rng.below(*n) };
                let args: Vec<Expr> = (0..given).map(|_| self.initializer(of, constant)).collect();
                if given < *n && self.chance(30) {
                    self.count("designated initializer");
                    let places = vec!["#"; given].join(", ");
                    return Expr::of(&format!("{{[{}] = {places}}}", n - given), args);
                }
                Expr::of(&format!("{{{}}}", vec!["#"; given].join(", ")), args)
            }
            Kind::Struct(id) => {
                let kinds: Vec<(String, Kind)> =
                    self.structs[*id].iter().map(|f| (f.name.clone(), f.kind.clone())).collect();
                let given = if self.chance(70) { kinds.len() } else { 1 + self.rng.below(kinds.len()) };
                let named = self.chance(20);
                let mut args = Vec::new();
                let mut pattern = Vec::new();
                for (name, kind) in &kinds[..given] {
                    args.push(match kind {
                        // A struct is copied: what its pointers point to lives for ever.
                        Kind::Ptr { to, len, .. } if self.chance(60) => {
                            self.pointer(to, *len, 0, constant).unwrap_or_else(|| Expr::text("0"))
                        }
                        Kind::Ptr { .. } => Expr::text("0"),
                        _ => self.initializer(kind, constant),
                    });
                    pattern.push(if named { format!(".{name} = #") } else { "#".to_owned() });
                }
                Expr::of(&format!("{{{}}}", pattern.join(", ")), args)
            }
            Kind::Union(id) => {
                let first = self.unions[*id][0].kind.clone();
                // All of its bytes: what a union does not hold has no value.
                let e = match &first {
                    Kind::Array(of, n) => {
                        let args: Vec<Expr> = (0..*n).map(|_| self.initializer(of, constant)).collect();
                        Expr::of(&format!("{{{}}}", vec!["#"; *n].join(", ")), args)
                    }
                    other => self.initializer(other, constant),
                };
                Expr::of("{#}", vec![e])
            }
            Kind::Ptr { to, len, nullable } => {
                if *nullable && self.chance(50) {
                    return Expr::text("0");
                }
                let depth = if constant { 0 } else { self.depth };
                self.pointer(to, *len, depth, constant).unwrap_or_else(|| Expr::text("0"))
            }
            Kind::FnPtr => self.function_name(),
        }
    }

    /// A value of a struct type.
    pub(super) fn struct_value(&mut self, id: usize) -> Expr {
        let mut found = Vec::new();
        for v in &self.vars {
            match &v.kind {
                Kind::Struct(i) if *i == id => found.push(Expr::text(v.name.clone())),
                Kind::Array(of, n) if **of == Kind::Struct(id) => {
                    found.push(Expr::text(format!("{}[{}]", v.name, n - 1)));
                }
                Kind::Ptr { to, nullable: false, .. } if **to == Kind::Struct(id) => {
                    found.push(Expr::text(format!("(*{})", v.name)));
                }
                _ => {}
            }
        }
        if found.is_empty() || self.chance(25) {
            self.count("compound literal of a struct");
            let init = self.initializer(&Kind::Struct(id), false);
            return Expr::of(&format!("(struct @s{id})#"), vec![init]);
        }
        self.rng.pick(&found).clone()
    }
}
