//! The answers of an SMT-LIB solver, read without trust: whatever the text is, it is read or refused, never a panic.

use dashu_int::IBig;
use lariat_ir::{ArrayValue, Scalar, Sort, Value};
use std::sync::Arc;

/// An expression of an answer; a number into its [`Sexprs`].
#[derive(Clone, Copy)]
pub(crate) struct Sexpr(usize);

/// Parsed expressions, in one flat list: a chain of stores is as deep as an array is long, and must not need a stack.
pub(crate) struct Sexprs {
    nodes: Vec<Node>,
    root: Sexpr,
}

enum Node {
    Atom(String),
    List(Vec<Sexpr>),
}

impl Sexprs {
    /// Reads exactly one expression.
    pub fn parse(text: &str) -> Option<Self> {
        let mut nodes = Vec::new();
        let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
        let mut rest = text.trim_start();
        while let Some(c) = rest.chars().next() {
            let node = match c {
                '(' => {
                    open.push(Vec::new());
                    rest = rest[1..].trim_start();
                    continue;
                }
                ')' => {
                    rest = &rest[1..];
                    Node::List(open.pop()?)
                }
                '|' => {
                    let end = rest[1..].find('|')? + 2;
                    let atom = &rest[..end];
                    rest = &rest[end..];
                    Node::Atom(atom.to_owned())
                }
                // No value that we read has a text or a comment in it.
                '"' | ';' => return None,
                _ => {
                    let end = rest.find(|c: char| c.is_whitespace() || "()|\";".contains(c)).unwrap_or(rest.len());
                    let atom = &rest[..end];
                    rest = &rest[end..];
                    Node::Atom(atom.to_owned())
                }
            };
            nodes.push(node);
            open.last_mut()?.push(Sexpr(nodes.len() - 1));
            rest = rest.trim_start();
        }
        match (open.pop()?.as_slice(), open.is_empty()) {
            (&[root], true) => Some(Self { nodes, root }),
            _ => None,
        }
    }

    /// The whole.
    pub fn root(&self) -> Sexpr {
        self.root
    }

    /// The items of a list; nothing for an atom.
    pub fn list(&self, e: Sexpr) -> Option<&[Sexpr]> {
        match &self.nodes[e.0] {
            Node::List(items) => Some(items),
            Node::Atom(_) => None,
        }
    }

    /// The text of an atom; nothing for a list.
    pub fn atom(&self, e: Sexpr) -> Option<&str> {
        match &self.nodes[e.0] {
            Node::Atom(text) => Some(text),
            Node::List(_) => None,
        }
    }

    fn atoms(&self, e: Sexpr) -> Option<Vec<&str>> {
        self.list(e)?.iter().map(|&i| self.atom(i)).collect()
    }

    /// A value of this sort; nothing if it is written in a way that we do not know.
    pub fn value(&self, e: Sexpr, sort: Sort) -> Option<Value> {
        match sort {
            Sort::Array(index, element) => self.array(e, index, element),
            Sort::Bool => self.scalar(e, Scalar::Bool),
            Sort::Int => self.scalar(e, Scalar::Int),
            Sort::BitVec(w) => self.scalar(e, Scalar::BitVec(w)),
        }
    }

    fn scalar(&self, e: Sexpr, sort: Scalar) -> Option<Value> {
        match (sort, self.atom(e)) {
            (Scalar::Bool, Some("true")) => Some(Value::Bool(true)),
            (Scalar::Bool, Some("false")) => Some(Value::Bool(false)),
            (Scalar::Int, Some(digits)) => natural(digits).map(Value::Int),
            (Scalar::Int, None) => match self.atoms(e)?.as_slice() {
                ["-", digits] => natural(digits).map(|i| Value::Int(-i)),
                _ => None,
            },
            (Scalar::BitVec(w), Some(text)) => {
                let width = usize::try_from(w).ok()?;
                let (digits, base) = match text.strip_prefix("#b") {
                    Some(digits) if digits.len() == width => (digits, 2),
                    Some(_) => return None,
                    None => (text.strip_prefix("#x").filter(|d| d.len() * 4 == width)?, 16),
                };
                let only_digits = digits.bytes().all(|b| b.is_ascii_hexdigit());
                u128::from_str_radix(digits, base).ok().filter(|_| only_digits).map(|bits| Value::bv(w, bits))
            }
            (Scalar::BitVec(w), None) => match self.atoms(e)?.as_slice() {
                ["_", digits, width] if natural(width)? == IBig::from(w) => {
                    let bits = natural(digits.strip_prefix("bv")?)?;
                    let bits = u128::try_from(bits).ok()?;
                    let value = Value::bv(w, bits);
                    (value.as_bits().unsigned() == bits).then_some(value)
                }
                _ => None,
            },
            (Scalar::Bool, _) => None,
        }
    }

    /// Stores over a constant array.
    fn array(&self, e: Sexpr, index: Scalar, element: Scalar) -> Option<Value> {
        let mut stores = Vec::new();
        let mut at = e;
        let mut map = loop {
            match *self.list(at)? {
                [op, below, i, v] if self.atom(op) == Some("store") => {
                    stores.push((self.scalar(i, index)?, self.scalar(v, element)?));
                    at = below;
                }
                [op, v] => match *self.list(op)? {
                    [a, c, _] if self.atom(a) == Some("as") && self.atom(c) == Some("const") => {
                        break ArrayValue::constant(index, self.scalar(v, element)?);
                    }
                    _ => return None,
                },
                _ => return None,
            }
        };
        for (i, v) in stores.into_iter().rev() {
            map.set(i, v);
        }
        Some(Value::Array(Arc::new(map)))
    }
}

fn natural(digits: &str) -> Option<IBig> {
    let proper = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if proper { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::smtlib;

    fn read(text: &str, sort: Sort) -> Option<Value> {
        let all = Sexprs::parse(text)?;
        all.value(all.root(), sort)
    }

    #[test]
    fn reads_what_smtlib_prints() {
        let mut map = ArrayValue::constant(Scalar::BitVec(3), Value::int(0));
        map.set(Value::bv(3, 5), Value::int(-7));
        map.set(Value::bv(3, 1), Value::int(7));
        let values = [
            Value::Bool(true),
            Value::int(-12),
            Value::int(IBig::from(3) << 100),
            Value::bv(5, 17),
            Value::bv(128, u128::MAX),
            Value::Array(Arc::new(map)),
        ];
        for v in values {
            assert_eq!(read(&smtlib::value(&v), v.sort()), Some(v));
        }
        assert_eq!(read("(_ bv5 8)", Sort::BitVec(8)), Some(Value::bv(8, 5)));
        // The outermost store is the last one.
        let twice = "(store (store ((as const (Array Int Int)) 0) 1 2) 1 3)";
        let v = read(twice, Sort::Array(Scalar::Int, Scalar::Int)).expect("it is an array");
        assert_eq!(*v.as_array().get(&Value::int(1)), Value::int(3));
    }

    #[test]
    fn refuses_the_rest() {
        for text in ["", "(", ")", "(()", "a b", "|a", "\"x\"", "(a))", "5 ; c"] {
            assert!(Sexprs::parse(text).is_none(), "{text}");
        }
        for text in ["x", "-5", "5.0", "(- 5 6)", "(- (- 5))", "+5", "٣"] {
            assert!(read(text, Sort::Int).is_none(), "{text}");
        }
        for text in
            ["#b1", "#b111111111", "#b1111111+", "#x+1", "#x1", "(_ bv256 8)", "(_ bv1 9)", "(_ bv1)", "1", "#x"]
        {
            assert!(read(text, Sort::BitVec(8)).is_none(), "{text}");
        }
        assert!(read("1", Sort::Bool).is_none());
        for text in ["a", "(store a #b1 #b1)", "((as const (Array Int Int)))", "((as x y) 1)", "(lambda ((i Int)) 0)"] {
            assert!(read(text, Sort::Array(Scalar::Int, Scalar::Int)).is_none(), "{text}");
        }
    }

    #[test]
    fn depth_needs_no_stack() {
        let n = 300_000;
        let text = format!("{}((as const (Array Int Int)) 0){}", "(store ".repeat(n), " 1 2)".repeat(n));
        assert!(read(&text, Sort::Array(Scalar::Int, Scalar::Int)).is_some());
        assert!(Sexprs::parse(&"(".repeat(n)).is_none());
    }
}
