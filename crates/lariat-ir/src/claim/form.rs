//! The text and data form of claims: names instead of ids, terms as in `.lts` files.

use super::{Arm, Certificate, Choice, Claim, Disjunct, Inner, Measure, Move, Order, Outline, Property, StatePart};
use crate::data::Data;
use crate::ids::{EdgeId, Id, LocId, UnknownId, VarId};
use crate::lts::{Lets, ParseError, parse_term_of_sort, print_term};
use crate::sort::Sort;
use crate::system::{SystemHash, TransitionSystem};
use crate::term::{Op, Role, Term};
use crate::value::Value;
use std::collections::{BTreeMap, HashMap};

/// A claim as text.
pub fn print(ts: &TransitionSystem, claim: &Claim) -> String {
    to_data(ts, claim).print()
}

/// Reads a claim about this system.
pub fn parse(ts: &TransitionSystem, text: &str) -> Result<Claim, String> {
    let data = Data::parse(text).map_err(|e: ParseError| e.to_string())?;
    from_data(ts, &data)
}

/// A claim as a tree.
pub fn to_data(ts: &TransitionSystem, claim: &Claim) -> Data {
    let mut roots = Vec::new();
    collect_terms(claim, &mut roots);
    let lets = Lets::of(ts, &roots, 1);
    let writer = Writer { ts, lets: &lets };
    let Data::Record(mut fields) = writer.claim(claim) else { unreachable!("a claim is a record") };
    if !lets.is_empty() {
        let definitions =
            lets.definitions(ts).map(|(n, t)| Data::record([("name", Data::text(n)), ("is", Data::text(t))])).collect();
        fields.insert(0, ("let".into(), Data::List(definitions)));
    }
    Data::Record(fields)
}

/// Reads a claim about this system from a tree.
pub fn from_data(ts: &TransitionSystem, data: &Data) -> Result<Claim, String> {
    let mut reader = Reader { ts, lets: HashMap::new() };
    if let Some(lets) = data.get("let") {
        for d in list(lets, "let")? {
            let name = text(field(d, "name")?, "name")?;
            let body = text(field(d, "is")?, "is")?;
            let t = crate::lts::parse_term(ts, body, &reader.lets).map_err(|e| format!("in let {name}: {e}"))?;
            let key = name.strip_prefix('$').ok_or("a let's name starts with `$`")?;
            reader.lets.insert(key.to_owned(), t);
        }
    }
    reader.claim(data, 0)
}

fn collect_terms(claim: &Claim, out: &mut Vec<Term>) {
    out.push(claim.when);
    let outline = |o: &Outline, out: &mut Vec<Term>| {
        out.extend(o.invariants.values());
        for i in &o.inner {
            out.push(i.relation);
            collect_terms(&i.claim, out);
        }
    };
    match &claim.certificate {
        Certificate::Ranking { outline: o, measures } => {
            outline(o, out);
            out.extend(measures.values().flatten().map(|m| m.term));
        }
        Certificate::TransitionInvariant { outline: o, disjuncts } => {
            outline(o, out);
            for d in disjuncts {
                out.push(d.relation);
                out.extend(d.measure.iter().map(|m| m.term));
            }
        }
        Certificate::Orbit { .. } => {}
        Certificate::RecurrentSet { stem, set, arms, .. } => {
            out.extend(set.values());
            out.extend(stem.iter().flat_map(|m| m.inputs.iter().map(|(_, t)| *t)));
            for a in arms {
                out.push(a.when);
                out.extend(a.path.iter().flat_map(|m| m.inputs.iter().map(|(_, t)| *t)));
            }
        }
        Certificate::AbstractCycle { states, .. } => out.extend(states.iter().map(|(_, t)| *t)),
        Certificate::Inductive { invariants } | Certificate::Unreachable { invariants } => {
            out.extend(invariants.values());
        }
        Certificate::Program { parts } => parts.iter().for_each(|p| collect_terms(p, out)),
    }
}

struct Writer<'a> {
    ts: &'a TransitionSystem,
    lets: &'a Lets,
}

impl Writer<'_> {
    fn term(&self, t: Term) -> Data {
        Data::text(self.lets.text(self.ts, t))
    }
    fn loc(&self, l: LocId) -> Data {
        Data::text(&*self.ts.locs[l].name)
    }
    fn unknown(&self, u: UnknownId) -> Data {
        Data::text(&*self.ts.unknowns[u].name)
    }
    fn at(&self, map: &BTreeMap<LocId, Term>, key: &str) -> Data {
        Data::List(map.iter().map(|(l, t)| Data::record([("at", self.loc(*l)), (key, self.term(*t))])).collect())
    }
    fn measures(&self, ms: &[Measure]) -> Data {
        let one = |m: &Measure| {
            let order = match m.order {
                Order::Int => "int",
                Order::Unsigned => "unsigned",
                Order::Signed => "signed",
            };
            Data::record([("order", Data::text(order)), ("term", self.term(m.term))])
        };
        Data::List(ms.iter().map(one).collect())
    }
    fn inner(&self, inner: &[Inner]) -> Data {
        let one = |i: &Inner| {
            Data::record([
                ("loop", self.loc(i.header)),
                ("relation", self.term(i.relation)),
                ("claim", self.claim(&i.claim)),
            ])
        };
        Data::List(inner.iter().map(one).collect())
    }
    fn moves(&self, path: &[Move]) -> Data {
        let input = |(u, t): &(UnknownId, Term)| Data::record([("name", self.unknown(*u)), ("value", self.term(*t))]);
        let one = |m: &Move| {
            Data::record([
                ("edge", Data::text(m.edge.index().to_string())),
                ("inputs", Data::List(m.inputs.iter().map(input).collect())),
            ])
        };
        Data::List(path.iter().map(one).collect())
    }
    fn choices(&self, path: &[Choice]) -> Data {
        let value = |(u, v): &(UnknownId, Value)| {
            Data::record([("name", self.unknown(*u)), ("value", Data::text(v.to_string()))])
        };
        let one = |c: &Choice| {
            Data::record([
                ("edge", Data::text(c.edge.index().to_string())),
                ("values", Data::List(c.values.iter().map(value).collect())),
            ])
        };
        Data::List(path.iter().map(one).collect())
    }
    fn start(&self, values: &[Value]) -> Data {
        let one = |(i, v): (usize, &Value)| {
            let name = &self.ts.vars[VarId::from_index(i)].name;
            Data::record([("name", Data::text(name)), ("value", Data::text(v.to_string()))])
        };
        Data::List(values.iter().enumerate().map(one).collect())
    }

    fn claim(&self, c: &Claim) -> Data {
        let (property, at) = match c.property {
            Property::Terminates(l) => ("terminates", Some(l)),
            Property::Diverges(l) => ("diverges", Some(l)),
            Property::Holds => ("holds", None),
            Property::Unreachable(l) => ("unreachable", Some(l)),
            Property::ProgramTerminates => ("program terminates", None),
            Property::ProgramDiverges => ("program diverges", None),
        };
        let mut fields = vec![
            ("system".to_owned(), Data::text(c.system.to_string())),
            ("property".to_owned(), Data::text(property)),
        ];
        if let Some(l) = at {
            fields.push(("at".into(), self.loc(l)));
        }
        fields.push(("when".into(), self.term(c.when)));
        fields.push(("kind".into(), Data::text(c.certificate.kind())));
        let mut add = |key: &str, d: Data| fields.push((key.to_owned(), d));
        match &c.certificate {
            Certificate::Ranking { outline, measures } => {
                add("invariants", self.at(&outline.invariants, "holds"));
                add("inner", self.inner(&outline.inner));
                let one = |(l, ms): (&LocId, &Vec<Measure>)| {
                    Data::record([("at", self.loc(*l)), ("tuple", self.measures(ms))])
                };
                add("measures", Data::List(measures.iter().map(one).collect()));
            }
            Certificate::TransitionInvariant { outline, disjuncts } => {
                add("invariants", self.at(&outline.invariants, "holds"));
                add("inner", self.inner(&outline.inner));
                let one = |d: &Disjunct| {
                    Data::record([("relation", self.term(d.relation)), ("tuple", self.measures(&d.measure))])
                };
                add("disjuncts", Data::List(disjuncts.iter().map(one).collect()));
            }
            Certificate::Orbit { start, stem, cycle, same } => {
                add("start", self.start(start));
                add("stem", self.choices(stem));
                add("cycle", self.choices(cycle));
                let place = |p: &StatePart| match p {
                    StatePart::Var(v) => Data::record([("var", Data::text(&*self.ts.vars[*v].name))]),
                    StatePart::Cell(v, i) => Data::record([
                        ("var", Data::text(&*self.ts.vars[*v].name)),
                        ("index", Data::text(i.to_string())),
                    ]),
                };
                add("same", Data::List(same.iter().map(place).collect()));
            }
            Certificate::RecurrentSet { start, stem, set, arms } => {
                add("start", self.start(start));
                add("stem", self.moves(stem));
                add("set", self.at(set, "holds"));
                let one = |a: &Arm| {
                    Data::record([
                        ("from", self.loc(a.from)),
                        ("when", self.term(a.when)),
                        ("path", self.moves(&a.path)),
                    ])
                };
                add("arms", Data::List(arms.iter().map(one).collect()));
            }
            Certificate::AbstractCycle { domain, states, edges } => {
                add("domain", Data::text(domain));
                let one = |(l, t): &(LocId, Term)| Data::record([("at", self.loc(*l)), ("holds", self.term(*t))]);
                add("states", Data::List(states.iter().map(one).collect()));
                add("edges", Data::List(edges.iter().map(|e| Data::text(e.index().to_string())).collect()));
            }
            Certificate::Inductive { invariants } | Certificate::Unreachable { invariants } => {
                add("invariants", self.at(invariants, "holds"));
            }
            Certificate::Program { parts } => add("parts", Data::List(parts.iter().map(|p| self.claim(p)).collect())),
        }
        Data::Record(fields)
    }
}

fn field<'a>(d: &'a Data, key: &str) -> Result<&'a Data, String> {
    d.get(key).ok_or_else(|| format!("the field `{key}` is missing"))
}

fn text<'a>(d: &'a Data, key: &str) -> Result<&'a str, String> {
    match d {
        Data::Text(t) => Ok(t),
        _ => Err(format!("`{key}` must be a text")),
    }
}

fn list<'a>(d: &'a Data, key: &str) -> Result<&'a [Data], String> {
    match d {
        Data::List(items) => Ok(items),
        _ => Err(format!("`{key}` must be a list")),
    }
}

/// Reads every item of a list field.
fn each<T>(d: &Data, key: &str, mut read: impl FnMut(&Data) -> Result<T, String>) -> Result<Vec<T>, String> {
    list(field(d, key)?, key)?.iter().map(|x| read(x).map_err(|e| format!("in `{key}`: {e}"))).collect()
}

/// Claims nest as deep as loops do.
const MAX_CLAIM_DEPTH: u32 = 32;

/// What symbols a term may mention.
#[derive(Clone, Copy, PartialEq)]
enum Speaks {
    State,
    Relation,
}

struct Reader<'a> {
    ts: &'a TransitionSystem,
    lets: HashMap<String, Term>,
}

impl Reader<'_> {
    fn term(&self, d: &Data, key: &str, sort: Option<Sort>, speaks: Speaks) -> Result<Term, String> {
        let source = text(field(d, key)?, key)?;
        let parsed = match sort {
            Some(s) => parse_term_of_sort(self.ts, source, &self.lets, s),
            None => crate::lts::parse_term(self.ts, source, &self.lets),
        };
        let t = parsed.map_err(|e| format!("in `{key}`: {e}"))?;
        for s in self.ts.terms.symbols(t) {
            match self.ts.terms.role(s) {
                Some(Role::Var(_)) => {}
                Some(Role::Old(_)) if speaks == Speaks::Relation => {}
                _ => return Err(format!("`{key}` may not mention `{}`", print_term(self.ts, s))),
            }
        }
        Ok(t)
    }
    fn value(&self, d: &Data, sort: Sort) -> Result<Value, String> {
        let t = self.term(d, "value", Some(sort), Speaks::State)?;
        // Only what a value is written with: arithmetic in it could make a number that fills the memory.
        let terms = &self.ts.terms;
        let is_written =
            |u: &Term| matches!(terms.node(*u).op, Op::Bool(_) | Op::Bv(_) | Op::Int(_) | Op::Store | Op::Fill(_));
        if terms.reachable(&[t]).iter().all(is_written) {
            Ok(terms.eval(t, |_| unreachable!("the term has no symbols")))
        } else {
            Err("`value` must be a constant".into())
        }
    }
    fn loc(&self, d: &Data, key: &str) -> Result<LocId, String> {
        let name = text(field(d, key)?, key)?;
        self.ts.loc_named(name).ok_or_else(|| format!("the system has no location `{name}`"))
    }
    fn var(&self, d: &Data, key: &str) -> Result<VarId, String> {
        let name = text(field(d, key)?, key)?;
        self.ts.var_named(name).ok_or_else(|| format!("the system has no variable `{name}`"))
    }
    fn unknown(&self, d: &Data) -> Result<UnknownId, String> {
        let name = text(field(d, "name")?, "name")?;
        self.ts.unknown_named(name).ok_or_else(|| format!("the system has no unknown `{name}`"))
    }
    fn edge(&self, source: &str) -> Result<EdgeId, String> {
        let n: usize = source.parse().map_err(|_| format!("`{source}` is no edge's number"))?;
        if n < self.ts.edges.len() { Ok(EdgeId::from_index(n)) } else { Err(format!("the system has no edge {n}")) }
    }
    fn at(&self, d: &Data, key: &str) -> Result<BTreeMap<LocId, Term>, String> {
        let pairs =
            each(d, key, |x| Ok((self.loc(x, "at")?, self.term(x, "holds", Some(Sort::Bool), Speaks::State)?)))?;
        unique(pairs)
    }
    fn measures(&self, d: &Data) -> Result<Vec<Measure>, String> {
        each(d, "tuple", |x| {
            let order = match text(field(x, "order")?, "order")? {
                "int" => Order::Int,
                "unsigned" => Order::Unsigned,
                "signed" => Order::Signed,
                other => return Err(format!("`{other}` is no order; write int, unsigned or signed")),
            };
            Ok(Measure { order, term: self.term(x, "term", None, Speaks::State)? })
        })
    }
    fn outline(&self, d: &Data, depth: u32) -> Result<Outline, String> {
        let inner = each(d, "inner", |x| {
            Ok(Inner {
                header: self.loc(x, "loop")?,
                relation: self.term(x, "relation", Some(Sort::Bool), Speaks::Relation)?,
                claim: Box::new(self.claim(field(x, "claim")?, depth + 1)?),
            })
        })?;
        Ok(Outline { invariants: self.at(d, "invariants")?, inner })
    }
    fn moves(&self, d: &Data, key: &str) -> Result<Vec<Move>, String> {
        each(d, key, |x| {
            let edge = self.edge(text(field(x, "edge")?, "edge")?)?;
            let inputs = each(x, "inputs", |i| {
                let u = self.unknown(i)?;
                Ok((u, self.term(i, "value", Some(self.ts.unknowns[u].sort), Speaks::State)?))
            })?;
            Ok(Move { edge, inputs })
        })
    }
    fn choices(&self, d: &Data, key: &str) -> Result<Vec<Choice>, String> {
        each(d, key, |x| {
            let edge = self.edge(text(field(x, "edge")?, "edge")?)?;
            let values = each(x, "values", |i| {
                let u = self.unknown(i)?;
                Ok((u, self.value(i, self.ts.unknowns[u].sort)?))
            })?;
            Ok(Choice { edge, values })
        })
    }
    fn start(&self, d: &Data) -> Result<Vec<Value>, String> {
        let named = each(d, "start", |x| {
            let v = self.var(x, "name")?;
            Ok((v, self.value(x, self.ts.vars[v].sort)?))
        })?;
        let map: BTreeMap<VarId, Value> = unique(named)?;
        self.ts
            .vars
            .ids()
            .map(|v| map.get(&v).cloned().ok_or_else(|| format!("`start` has no value for `{}`", self.ts.vars[v].name)))
            .collect()
    }

    fn claim(&self, d: &Data, depth: u32) -> Result<Claim, String> {
        if depth > MAX_CLAIM_DEPTH {
            return Err("claims nest too deep".into());
        }
        let property = match text(field(d, "property")?, "property")? {
            "terminates" => Property::Terminates(self.loc(d, "at")?),
            "diverges" => Property::Diverges(self.loc(d, "at")?),
            "holds" => Property::Holds,
            "unreachable" => Property::Unreachable(self.loc(d, "at")?),
            "program terminates" => Property::ProgramTerminates,
            "program diverges" => Property::ProgramDiverges,
            other => return Err(format!("`{other}` is no property")),
        };
        let when = self.term(d, "when", Some(Sort::Bool), Speaks::State)?;
        let certificate = match text(field(d, "kind")?, "kind")? {
            "Ranking" => {
                let measures = each(d, "measures", |x| Ok((self.loc(x, "at")?, self.measures(x)?)))?;
                Certificate::Ranking { outline: self.outline(d, depth)?, measures: unique(measures)? }
            }
            "TransitionInvariant" => {
                let disjuncts = each(d, "disjuncts", |x| {
                    let relation = self.term(x, "relation", Some(Sort::Bool), Speaks::Relation)?;
                    Ok(Disjunct { relation, measure: self.measures(x)? })
                })?;
                Certificate::TransitionInvariant { outline: self.outline(d, depth)?, disjuncts }
            }
            "Orbit" => {
                let same = each(d, "same", |x| {
                    let v = self.var(x, "var")?;
                    let Some(index) = x.get("index") else { return Ok(StatePart::Var(v)) };
                    let Sort::Array(i, _) = self.ts.vars[v].sort else {
                        return Err(format!("`{}` is no array and has no cells", self.ts.vars[v].name));
                    };
                    let wrapped = Data::record([("value", index.clone())]);
                    Ok(StatePart::Cell(v, self.value(&wrapped, i.into())?))
                })?;
                Certificate::Orbit {
                    start: self.start(d)?,
                    stem: self.choices(d, "stem")?,
                    cycle: self.choices(d, "cycle")?,
                    same,
                }
            }
            "RecurrentSet" => {
                let arms = each(d, "arms", |x| {
                    Ok(Arm {
                        from: self.loc(x, "from")?,
                        when: self.term(x, "when", Some(Sort::Bool), Speaks::State)?,
                        path: self.moves(x, "path")?,
                    })
                })?;
                Certificate::RecurrentSet {
                    start: self.start(d)?,
                    stem: self.moves(d, "stem")?,
                    set: self.at(d, "set")?,
                    arms,
                }
            }
            "AbstractCycle" => Certificate::AbstractCycle {
                domain: text(field(d, "domain")?, "domain")?.to_owned(),
                states: each(d, "states", |x| {
                    Ok((self.loc(x, "at")?, self.term(x, "holds", Some(Sort::Bool), Speaks::State)?))
                })?,
                edges: each(d, "edges", |x| self.edge(text(x, "edges")?))?,
            },
            "Inductive" => Certificate::Inductive { invariants: self.at(d, "invariants")? },
            "Unreachable" => Certificate::Unreachable { invariants: self.at(d, "invariants")? },
            "Program" => Certificate::Program { parts: each(d, "parts", |x| self.claim(x, depth + 1))? },
            other => return Err(format!("`{other}` is no kind of certificate")),
        };
        Ok(Claim { system: hash(text(field(d, "system")?, "system")?)?, property, when, certificate })
    }
}

fn unique<K: Ord, V>(pairs: Vec<(K, V)>) -> Result<BTreeMap<K, V>, String> {
    let n = pairs.len();
    let map: BTreeMap<K, V> = pairs.into_iter().collect();
    if map.len() == n { Ok(map) } else { Err("the same name stands twice in a list".into()) }
}

fn hash(hex: &str) -> Result<SystemHash, String> {
    let bad = || format!("`{hex}` is no hash of a system: 64 hexadecimal digits");
    if hex.len() != 64 || !hex.is_ascii() {
        return Err(bad());
    }
    let mut bytes = [0; 32];
    for (i, b) in bytes.iter_mut().enumerate() {
        *b = u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).map_err(|_| bad())?;
    }
    Ok(SystemHash(bytes))
}
