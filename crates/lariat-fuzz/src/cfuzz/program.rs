//! A C program as a tree of text: what is needed to print it and to make it smaller, and nothing more.
//!
//! The generator knows the types; the tree only knows which pieces are expressions and which are lists of statements.
//! A smaller program that is no C any more does not compile, and that is how it is found out.

use std::collections::BTreeMap;

/// What stands in texts for the prefix of a program's own names, so that many programs fit into one file.
pub const PREFIX: char = '@';

/// An expression: its arguments between pieces of text, one more than there are arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// The text before, between and after the arguments.
    pub pieces: Vec<String>,
    /// The arguments.
    pub args: Vec<Expr>,
}

impl Expr {
    /// A leaf.
    pub fn text(text: impl Into<String>) -> Self {
        Self { pieces: vec![text.into()], args: Vec::new() }
    }
    /// The arguments in the places of a pattern that are marked by `#`.
    pub fn of(pattern: &str, args: Vec<Self>) -> Self {
        let pieces: Vec<String> = pattern.split('#').map(str::to_owned).collect();
        assert_eq!(pieces.len(), args.len() + 1, "`{pattern}` has a place for each argument");
        Self { pieces, args }
    }
    fn print(&self, out: &mut String) {
        for (i, piece) in self.pieces.iter().enumerate() {
            out.push_str(piece);
            if let Some(arg) = self.args.get(i) {
                arg.print(out);
            }
        }
    }
    /// How many leaves and operations.
    pub fn size(&self) -> usize {
        1 + self.args.iter().map(Self::size).sum::<usize>()
    }
}

/// A part of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Text that stays as it is.
    Text(String),
    /// An expression.
    Expr(Expr),
    /// Statements, each on a line of its own.
    Body(Vec<Stmt>),
}

/// A statement or a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// Its parts.
    pub parts: Vec<Part>,
}

impl Stmt {
    /// A statement of fixed text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text(text.into())] }
    }
    /// The arguments in the places of a pattern that are marked by `#`.
    pub fn of(pattern: &str, args: Vec<Expr>) -> Self {
        let mut parts = Vec::new();
        let mut args = args.into_iter();
        for (i, piece) in pattern.split('#').enumerate() {
            if i > 0 {
                parts.push(Part::Expr(args.next().expect("a pattern has an argument for each place")));
            }
            if !piece.is_empty() {
                parts.push(Part::Text(piece.to_owned()));
            }
        }
        assert!(args.next().is_none(), "`{pattern}` has a place for each argument");
        Self { parts }
    }
    /// This statement with a body and a text after it.
    pub fn with(mut self, body: Vec<Self>, tail: &str) -> Self {
        self.parts.push(Part::Body(body));
        self.parts.push(Part::Text(tail.to_owned()));
        self
    }
    /// This statement with another pattern at its end.
    pub fn then(mut self, pattern: &str, args: Vec<Expr>) -> Self {
        self.parts.extend(Self::of(pattern, args).parts);
        self
    }

    fn print(&self, indent: usize, out: &mut String) {
        pad(indent, out);
        let mut fresh = true;
        for part in &self.parts {
            match part {
                Part::Text(t) => {
                    if !fresh && out.ends_with('\n') {
                        pad(indent, out);
                    }
                    out.push_str(t);
                }
                Part::Expr(e) => e.print(out),
                Part::Body(body) => {
                    out.push('\n');
                    for s in body {
                        s.print(indent + 1, out);
                    }
                }
            }
            fresh = false;
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }

    /// How much there is to read.
    pub fn size(&self) -> usize {
        2 + self
            .parts
            .iter()
            .map(|p| match p {
                Part::Text(_) => 0,
                Part::Expr(e) => e.size(),
                Part::Body(b) => b.iter().map(Self::size).sum(),
            })
            .sum::<usize>()
    }
}

fn pad(indent: usize, out: &mut String) {
    for _ in 0..indent {
        out.push_str("    ");
    }
}

/// A program: types, globals and functions, the last of them `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The declarations, in order.
    pub items: Vec<Stmt>,
}

impl Program {
    /// The text, with a prefix before each of the program's own names.
    pub fn print(&self, prefix: &str) -> String {
        let mut out = String::new();
        for item in &self.items {
            item.print(0, &mut out);
        }
        out.replace(PREFIX, prefix)
    }
    /// How much there is to read.
    pub fn size(&self) -> usize {
        self.items.iter().map(Stmt::size).sum()
    }
}

/// How often each construct occurs.
pub type Constructs = BTreeMap<&'static str, u64>;

/// What stands before the programs of a file.
pub const PRELUDE: &str = "#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#pragma STDC FP_CONTRACT OFF
void observe(long long);
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
_Bool __VERIFIER_nondet_bool(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
";
