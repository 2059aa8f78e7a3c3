//! A plain tree of records, lists and texts: the one structure behind the text form and the JSON form of claims.

use crate::lts::{Lexer, ParseError, Token, quote};
use std::fmt::Write as _;

/// A tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Data {
    /// A text.
    Text(String),
    /// Some trees in order.
    List(Vec<Data>),
    /// Named trees in order.
    Record(Vec<(String, Data)>),
}

/// How deep a tree may nest when it is read.
const MAX_DEPTH: u32 = 64;

impl Data {
    /// A text.
    pub fn text(t: impl Into<String>) -> Self {
        Self::Text(t.into())
    }
    /// A record.
    pub fn record<const N: usize>(fields: [(&str, Data); N]) -> Self {
        Self::Record(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
    }
    /// A field of a record.
    pub fn get(&self, key: &str) -> Option<&Data> {
        match self {
            Self::Record(fields) => fields.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// As text, two spaces a level.
    pub fn print(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out.push('\n');
        out
    }

    fn write(&self, level: usize, out: &mut String) {
        let pad = |n: usize| "  ".repeat(n);
        match self {
            Self::Text(t) => out.push_str(&quote(t)),
            Self::List(items) if items.is_empty() => out.push_str("[]"),
            Self::Record(fields) if fields.is_empty() => out.push_str("{}"),
            Self::List(items) => {
                out.push_str("[\n");
                for item in items {
                    out.push_str(&pad(level + 1));
                    item.write(level + 1, out);
                    out.push('\n');
                }
                let _ = write!(out, "{}]", pad(level));
            }
            Self::Record(fields) => {
                out.push_str("{\n");
                for (key, value) in fields {
                    let _ = write!(out, "{}{key}: ", pad(level + 1));
                    value.write(level + 1, out);
                    out.push('\n');
                }
                let _ = write!(out, "{}}}", pad(level));
            }
        }
    }

    /// Reads what [`Data::print`] writes.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut lex = Lexer::new(text)?;
        let data = Self::read(&mut lex, 0)?;
        if *lex.peek() == Token::End { Ok(data) } else { lex.expected("the end of the text") }
    }

    fn read(lex: &mut Lexer, depth: u32) -> Result<Self, ParseError> {
        if depth > MAX_DEPTH {
            return lex.error("records nest too deep here");
        }
        if lex.take_sign("[") {
            let mut items = Vec::new();
            while !lex.take_sign("]") {
                items.push(Self::read(lex, depth + 1)?);
            }
            return Ok(Self::List(items));
        }
        if lex.take_sign("{") {
            let mut fields: Vec<(String, Self)> = Vec::new();
            while !lex.take_sign("}") {
                let key = lex.expect_name("a field's name or `}`")?;
                if fields.iter().any(|(k, _)| *k == key) {
                    return lex.error(format!("the field `{key}` stands twice"));
                }
                lex.expect_sign(":")?;
                fields.push((key, Self::read(lex, depth + 1)?));
            }
            return Ok(Self::Record(fields));
        }
        lex.expect_text("a text between quotes, `[` or `{`").map(Self::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_again() {
        let d = Data::record([
            ("kind", Data::text("a \"b\" \\ \n c")),
            ("empty", Data::List(vec![])),
            ("none", Data::Record(vec![])),
            ("list", Data::List(vec![Data::text("x"), Data::record([("y", Data::text(""))])])),
        ]);
        assert_eq!(Data::parse(&d.print()), Ok(d));
    }

    #[test]
    fn a_torn_text_is_an_error_with_its_place() {
        let e = Data::parse("{ kind: \"x\"\n list: [").expect_err("the list is open");
        assert_eq!((e.line, e.column), (2, 9));
    }
}
