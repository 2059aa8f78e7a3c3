//! The words, numbers and symbols of a table.

use crate::Failure;

/// A piece of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    Word(&'a str),
    Number(i128),
    Text(&'a str),
    Symbol(&'static str),
    /// The end of a clause: `;` or the end of a line.
    End,
}

/// Longer ones first.
const SYMBOLS: &[&str] = &[
    "...", "..", "->", "<=", ">=", "==", "!=", "&&", "||", "(", ")", ",", ":", "+", "-", "*", "/", "%", "<", ">", "!",
    "?",
];

/// The tokens of a line, or of what comes after its first bytes, and one for its end.
pub(super) fn tokenise<'a>(
    file: &str,
    number: u32,
    before: usize,
    line: &'a str,
    tokens: &mut Vec<(Token<'a>, u32, u32)>,
) -> Result<(), Failure> {
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let at = column(before + line.len() - rest.len());
        let Some(first) = rest.chars().next().filter(|c| *c != '#') else {
            tokens.push((Token::End, number, at));
            return Ok(());
        };
        let (token, length) = if first.is_ascii_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            (Token::Word(&rest[..length]), length)
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let digits = &rest[..length];
            let value = digits.strip_prefix("0x").map_or_else(|| digits.parse(), |h| i128::from_str_radix(h, 16));
            (Token::Number(value.map_err(|_| fail(file, number, at, &format!("`{digits}` is no number")))?), length)
        } else if first == '\'' {
            let mut chars = rest.chars().skip(1);
            match (chars.next(), chars.next()) {
                (Some(c), Some('\'')) if c.is_ascii() => (Token::Number(i128::from(u32::from(c))), 3),
                _ => return Err(fail(file, number, at, "expected one character between quotes, such as 'a'")),
            }
        } else if first == '"' {
            let Some(length) = rest[1..].find('"') else {
                return Err(fail(file, number, at, "expected a closing quote on the same line"));
            };
            (Token::Text(&rest[1..=length]), length + 2)
        } else if first == ';' {
            (Token::End, 1)
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            (Token::Symbol(symbol), symbol.len())
        } else {
            return Err(fail(file, number, at, &format!("`{first}` has no meaning here")));
        };
        tokens.push((token, number, at));
        rest = &rest[length..];
    }
}

/// An error at a place.
pub(super) fn fail(file: &str, line: u32, column: u32, message: &str) -> Failure {
    Failure { place: Some((file.to_string(), line, column)), message: message.to_string() }
}

/// The column after so many bytes.
pub(super) fn column(before: usize) -> u32 {
    u32::try_from(before).unwrap_or(u32::MAX - 1) + 1
}
