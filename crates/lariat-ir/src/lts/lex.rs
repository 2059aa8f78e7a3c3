//! Tokens with their places.

use std::fmt;

/// Why a text could not be read, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What is wrong and what is expected.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A name, with the ticks of a quoted one removed.
    Name {
        text: String,
        quoted: bool,
    },
    /// `$12`, a let-bound name.
    Let(String),
    /// The digits of a numeral, in decimal or with `0x`.
    Number(String),
    Text(String),
    Sign(&'static str),
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { text, .. } => write!(f, "`{text}`"),
            Self::Let(n) => write!(f, "`${n}`"),
            Self::Number(n) => write!(f, "`{n}`"),
            Self::Text(t) => write!(f, "\"{t}\""),
            Self::Sign(s) => write!(f, "`{s}`"),
            Self::End => write!(f, "the end of the text"),
        }
    }
}

/// Longer signs first; those with a signedness letter are taken only when no name goes on behind the letter.
const SIGNS: &[&str] = &[
    ">>u", ">>s", "<=u", "<=s", ">=u", ">=s", "<u", "<s", ">u", ">s", "/u", "/s", "%u", "%s", ":=", "->", "==", "!=",
    "=>", "<=", ">=", "<<", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", ":", ",", ";",
    "(", ")", "[", "]", "{", "}", "=", "#", "..",
];

pub(crate) struct Lexer {
    tokens: Vec<(Token, u32, u32)>,
    next: usize,
}

impl Lexer {
    /// All tokens of a text.
    pub fn new(text: &str) -> Result<Self, ParseError> {
        let mut tokens = Vec::new();
        for (line, content) in text.lines().enumerate() {
            lex_line(content, u32::try_from(line + 1).unwrap_or(u32::MAX), &mut tokens)?;
        }
        let last = u32::try_from(text.lines().count().max(1)).unwrap_or(u32::MAX);
        let column = text.lines().last().map_or(1, |l| l.chars().count() + 1);
        tokens.push((Token::End, last, u32::try_from(column).unwrap_or(u32::MAX)));
        Ok(Self { tokens, next: 0 })
    }
    pub fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }
    pub fn peek_second(&self) -> &Token {
        &self.tokens[(self.next + 1).min(self.tokens.len() - 1)].0
    }
    pub fn place(&self) -> (u32, u32) {
        let (_, line, column) = self.tokens[self.next];
        (line, column)
    }
    pub fn advance(&mut self) -> Token {
        let token = self.tokens[self.next].0.clone();
        if self.next + 1 < self.tokens.len() {
            self.next += 1;
        }
        token
    }
    pub fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        let (line, column) = self.place();
        Err(ParseError { line, column, message: message.into() })
    }
    pub fn expected<T>(&self, what: &str) -> Result<T, ParseError> {
        self.error(format!("expected {what}, found {}", self.peek()))
    }
    pub fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name { text, quoted: false } if text == word)
    }
    pub fn take_sign(&mut self, sign: &str) -> bool {
        let yes = self.is_sign(sign);
        if yes {
            self.advance();
        }
        yes
    }
    pub fn take_word(&mut self, word: &str) -> bool {
        let yes = self.is_word(word);
        if yes {
            self.advance();
        }
        yes
    }
    pub fn expect_sign(&mut self, sign: &str) -> Result<(), ParseError> {
        if self.take_sign(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }
    pub fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.take_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }
    pub fn expect_name(&mut self, what: &str) -> Result<String, ParseError> {
        match self.peek().clone() {
            Token::Name { text, .. } => {
                self.advance();
                Ok(text)
            }
            _ => self.expected(what),
        }
    }
    pub fn expect_text(&mut self, what: &str) -> Result<String, ParseError> {
        match self.peek().clone() {
            Token::Text(text) => {
                self.advance();
                Ok(text)
            }
            _ => self.expected(what),
        }
    }
    pub fn expect_u32(&mut self, what: &str) -> Result<u32, ParseError> {
        if let Token::Number(digits) = self.peek().clone() {
            if let Ok(n) = digits.parse::<u32>() {
                self.advance();
                return Ok(n);
            }
            return self.error(format!("{digits} is too large for {what}"));
        }
        self.expected(what)
    }
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

pub(crate) fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// Whether a name can stand without ticks.
pub(crate) fn is_plain_name(name: &str) -> bool {
    name.starts_with(is_name_start) && name.chars().all(is_name_char) && !name.contains("..")
}

fn lex_line(content: &str, line: u32, tokens: &mut Vec<(Token, u32, u32)>) -> Result<(), ParseError> {
    let chars: Vec<char> = content.chars().collect();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        let column = u32::try_from(i + 1).unwrap_or(u32::MAX);
        let fail = |message: String| Err(ParseError { line, column, message });
        if c.is_whitespace() {
            i += 1;
            continue;
        }
        // `5#8` is a numeral with its width; a comment's sign starts the line or stands behind a space.
        if c == '#' && (i == 0 || chars[i - 1].is_whitespace()) {
            break;
        }
        let start = i;
        let token = if is_name_start(c) {
            while i < chars.len() && is_name_char(chars[i]) && !(chars[i] == '.' && chars.get(i + 1) == Some(&'.')) {
                i += 1;
            }
            Token::Name { text: chars[start..i].iter().collect(), quoted: false }
        } else if c == '`' {
            i += 1;
            while i < chars.len() && chars[i] != '`' {
                i += 1;
            }
            if i == chars.len() {
                return fail("this quoted name has no closing `".into());
            }
            i += 1;
            Token::Name { text: chars[start + 1..i - 1].iter().collect(), quoted: true }
        } else if c == '$' {
            i += 1;
            while i < chars.len() && chars[i].is_ascii_digit() {
                i += 1;
            }
            if i == start + 1 {
                return fail("expected a number behind `$`".into());
            }
            Token::Let(chars[start + 1..i].iter().collect())
        } else if c.is_ascii_digit() {
            i += 1;
            let hex = c == '0' && chars.get(i) == Some(&'x');
            if hex {
                i += 1;
            }
            while i < chars.len() && (chars[i].is_ascii_digit() || hex && chars[i].is_ascii_hexdigit()) {
                i += 1;
            }
            if hex && i == start + 2 || i < chars.len() && is_name_start(chars[i]) {
                return fail("this is no numeral; write decimal digits, or 0x and hexadecimal ones".into());
            }
            Token::Number(chars[start..i].iter().collect())
        } else if c == '"' {
            let mut text = String::new();
            i += 1;
            loop {
                match chars.get(i) {
                    None => return fail("this text has no closing quote".into()),
                    Some('"') => break,
                    Some('\\') => {
                        match chars.get(i + 1) {
                            Some('n') => text.push('\n'),
                            Some('t') => text.push('\t'),
                            Some('r') => text.push('\r'),
                            Some(&q @ ('"' | '\\')) => text.push(q),
                            _ => return fail("a backslash in a text stands before n, t, r, \" or another one".into()),
                        }
                        i += 2;
                    }
                    Some(&other) => {
                        text.push(other);
                        i += 1;
                    }
                }
            }
            i += 1;
            Token::Text(text)
        } else {
            let rest = &chars[i..];
            let fits = |s: &&&str| {
                let sign: Vec<char> = s.chars().collect();
                rest.starts_with(&sign)
                    && !(sign.len() > 1
                        && sign[sign.len() - 1].is_ascii_alphabetic()
                        && rest.get(sign.len()).is_some_and(|&n| is_name_char(n)))
            };
            let Some(sign) = SIGNS.iter().find(fits) else {
                return fail(format!("the character `{}` has no meaning here", c.escape_debug()));
            };
            i += sign.len();
            Token::Sign(sign)
        };
        tokens.push((token, line, column));
    }
    Ok(())
}

/// A text between quotes, as the lexer reads it.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A name, between ticks where it needs them.
pub(crate) fn quote_name(name: &str, reserved: &[&str]) -> String {
    if is_plain_name(name) && !reserved.contains(&name) { name.to_owned() } else { format!("`{name}`") }
}
