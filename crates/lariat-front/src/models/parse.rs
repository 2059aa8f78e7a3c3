//! The text form of models. `docs/models.md` describes it.

use super::entries::Entry;
use super::tokens::{Token, fail, tokenise};
use super::{
    Arg, Arms, BinaryOp, Content, Effect, End, Ends, Expr, Handle, Kept, Kind, Model, Occasion, Param, Requirement,
    Returns, StreamUse, Type, UnaryOp, When, Write,
};
use crate::Failure;
use lariat_ir::AssumptionKind;

/// Words that cannot name a parameter, because they mean something where a parameter can stand.
const RESERVED: &[&str] = &[
    "input",
    "stream",
    "environment",
    "time",
    "result",
    "null",
    "strlen",
    "size",
    "sizeof",
    "pointer",
    "table",
    "handle",
    "some",
    "up",
    "string",
    "all",
    "memory",
    "index",
    "nothing",
    "again",
];

/// Where an expression stands decides what it may speak of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Before,
    After,
    Table,
}

/// Reads one entry.
pub(super) struct Parser<'a> {
    file: &'a str,
    tokens: Vec<(Token<'a>, u32, u32)>,
    at: usize,
    params: Vec<Param>,
}

impl<'a> Parser<'a> {
    /// The parser of an entry's text after its names, which take up so many bytes of the first line.
    pub(super) fn new(entry: &'a Entry<'_>, text: &'a str, mut before: usize) -> Result<Self, Failure> {
        let mut tokens = Vec::new();
        let mut end = None;
        for (number, line) in (entry.line..).zip(text.lines()) {
            tokenise(entry.file, number, before, line, &mut tokens)?;
            before = 0;
            // A line that cannot be complete goes on in the next one.
            if let [.., (Token::Symbol(last), ..), (Token::End, ..)] = tokens[..]
                && ![":", ")", "..."].contains(&last)
            {
                end = tokens.pop();
            }
        }
        // Unless there is none.
        if tokens.last().is_some_and(|t| t.0 != Token::End) {
            tokens.extend(end);
        }
        Ok(Parser { file: entry.file, tokens, at: 0, params: Vec::new() })
    }

    /// The model, under one of its names.
    pub(super) fn model(mut self, name: &str) -> Result<Model, Failure> {
        let mut model = Model {
            name: name.to_string(),
            params: Vec::new(),
            variadic: false,
            result: None,
            requires: Vec::new(),
            effects: Vec::new(),
            writes_nothing: false,
            keeps: Vec::new(),
            runs: Vec::new(),
            arms: None,
            again: false,
            jumps: false,
            makes_pipe: false,
            breaks_pipe: false,
            streams: Vec::new(),
            returns: Returns::Nothing,
            ends: None,
            blocks: false,
            c_locale: false,
            assumption: None,
            special: false,
        };
        self.header(&mut model)?;
        let mut returns = None;
        while self.at < self.tokens.len() {
            if !self.eat_end() {
                self.clause(&mut model, &mut returns)?;
                if self.at < self.tokens.len() && !self.eat_end() {
                    return Err(self.expected("`;` or the end of the line"));
                }
            }
        }
        model.returns = returns.unwrap_or(match model.result {
            Some(_) => Returns::Value { kind: Kind::Environment, low: None, high: None },
            None => Returns::Nothing,
        });
        if !model.says_what_it_writes() {
            self.at = 0;
            return Err(self.error(
                "the entry does not say what the function writes: add `writes nothing`, or `writes`, `changes` or `keeps` \
                 and what it is",
            ));
        }
        let writes = |e: &Effect| !matches!(e, Effect::Registers(..) | Effect::GivesAway(_));
        if model.writes_nothing && (model.effects.iter().any(writes) || !model.keeps.is_empty()) {
            self.at = 0;
            return Err(self.error("the entry says that nothing is written, and what is: remove one"));
        }
        model.params = self.params;
        Ok(model)
    }

    /// `(params) -> type` and what stands before the first clause.
    fn header(&mut self, model: &mut Model) -> Result<(), Failure> {
        self.symbol("(")?;
        while !self.eat(")") {
            if self.eat("...") {
                model.variadic = true;
                self.symbol(")")?;
                break;
            }
            let Some((Token::Word(name), ..)) = self.tokens.get(self.at).copied() else {
                return Err(self.expected("the name of a parameter, `...` or `)`"));
            };
            if RESERVED.contains(&name) {
                return Err(self.error(&format!("`{name}` has a meaning of its own: give the parameter another name")));
            }
            if self.params.iter().any(|p| p.name == name) {
                return Err(self.error(&format!("there are two parameters `{name}`: rename one")));
            }
            self.at += 1;
            let mut ty = None;
            if self.eat(":") {
                if self.eat_word("string") {
                    ty = Some(Type::Pointer);
                    model.requires.push(Requirement::String {
                        at: self.params.len(),
                        limit: None,
                        up_to: false,
                        or_null: false,
                    });
                } else {
                    ty = Some(self.ty()?);
                }
            }
            self.params.push(Param { name: name.to_string(), ty });
            if !self.eat(",") && self.peek() != Some(Token::Symbol(")")) {
                return Err(self.expected("`,` or `)`"));
            }
        }
        if self.eat("->") {
            model.result = Some(self.ty()?);
        }
        if !self.eat(":") && self.peek().is_some() && !self.eat_end() {
            return Err(self.expected("`->`, `:` or the end of the line"));
        }
        Ok(())
    }

    fn ty(&mut self) -> Result<Type, Failure> {
        let start = self.at;
        let mut words = Vec::new();
        while let Some(Token::Word(word)) = self.peek() {
            words.push(word);
            self.at += 1;
        }
        let ty = match words.join(" ").as_str() {
            "bool" | "_Bool" => Type::Bool,
            "char" => Type::Char,
            "signed char" => Type::SignedChar,
            "unsigned char" => Type::UnsignedChar,
            "short" => Type::Short,
            "unsigned short" => Type::UnsignedShort,
            "int" => Type::Int,
            "unsigned" | "unsigned int" => Type::Unsigned,
            "long" => Type::Long,
            "unsigned long" => Type::UnsignedLong,
            "long long" => Type::LongLong,
            "unsigned long long" => Type::UnsignedLongLong,
            "__int128" => Type::Int128,
            "unsigned __int128" => Type::UnsignedInt128,
            "size_t" => Type::Size,
            "ssize_t" => Type::SignedSize,
            "pointer" => Type::Pointer,
            "float" | "double" | "long double" => Type::Float,
            "any" => Type::Any,
            _ => {
                self.at = start;
                return Err(self.expected("a type: `int`, `unsigned long`, `size_t`, `pointer`, `string`, `float` …"));
            }
        };
        Ok(ty)
    }

    fn clause(&mut self, model: &mut Model, returns: &mut Option<Returns>) -> Result<(), Failure> {
        let start = self.at;
        let Some(Token::Word(word)) = self.peek() else { return Err(self.expected("a clause such as `returns …`")) };
        self.at += 1;
        match word {
            "requires" => model.requires.push(self.requires()?),
            "reads" => model.requires.push(self.reads()?),
            "writes" if self.eat_word("nothing") => model.writes_nothing = true,
            "keeps" if self.peek() == Some(Token::Word("memory")) => {
                self.words(&["memory", "at"])?;
                model.effects.push(Effect::Keeps(self.pointer()?));
            }
            "keeps" => self.keeps(model)?,
            "gives" => {
                self.words(&["away"])?;
                model.effects.push(Effect::GivesAway(self.pointer()?));
            }
            "registers" => {
                let function = self.pointer()?;
                model.effects.push(Effect::Registers(function, self.occasion()?));
            }
            "runs" => {
                self.words(&["handlers"])?;
                let occasion = self.occasion()?;
                model.runs.push((occasion, self.condition()?));
            }
            "arms" => {
                self.words(&["a"])?;
                let handled_only = self.eat_word("handler");
                if !handled_only {
                    self.words(&["signal"])?;
                }
                let condition = self.condition()?;
                let disarms = condition.is_some() && self.eat(",");
                if disarms {
                    self.words(&["else", "none"])?;
                }
                model.arms = Some(Arms { handled_only, condition, disarms });
            }
            "jumps" => {
                self.words(&["elsewhere"])?;
                model.jumps = true;
            }
            "makes" => {
                self.words(&["a", "pipe"])?;
                model.makes_pipe = true;
            }
            "returns" if self.eat_word("again") => model.again = true,
            "writes" => {
                let write = self.writes()?;
                model.effects.push(Effect::Writes(write));
            }
            "frees" => model.effects.push(Effect::Frees(self.pointer()?)),
            "calls" => model.effects.push(Effect::Calls(self.pointer()?)),
            "prints" => model.effects.push(Effect::Prints(self.pointer()?)),
            "scans" => {
                let format = self.pointer()?;
                self.symbol(":")?;
                model.effects.push(Effect::Scans(format, self.kind()?));
            }
            "stream" => model.streams.push(self.stream()?),
            "streams" => {
                self.symbol(":")?;
                model.streams.push(if self.eat_word("moved") {
                    StreamUse::AllMoved
                } else if self.eat_word("opened") {
                    StreamUse::OpenedAnew
                } else {
                    return Err(self.expected("`moved` or `opened`"));
                });
            }
            "changes" if self.eat_word("memory") => model.effects.push(Effect::ChangesMemory),
            "changes" => {
                let frees = self.eat_word("or");
                if frees {
                    self.words(&["frees"])?;
                }
                self.words(&["all", "through"])?;
                model.effects.push(if !frees && self.eat("...") {
                    Effect::ChangesThroughRest
                } else if frees {
                    Effect::FreesThrough(self.pointer()?)
                } else {
                    Effect::ChangesThrough(self.pointer()?)
                });
            }
            "returns" | "allocates" | "moves" => {
                if returns.is_some() {
                    self.at = start;
                    return Err(self.error("the entry says twice what is returned: remove one"));
                }
                if model.result.is_none() {
                    self.at = start;
                    return Err(self.error("the function has no result: write its type after the parameters, `-> int`"));
                }
                *returns = Some(match word {
                    "returns" => self.returns()?,
                    "allocates" => {
                        let size = self.expr(Scope::Before)?;
                        self.words(&["bytes"])?;
                        self.symbol(":")?;
                        let content = self.content()?;
                        self.or_null(Returns::Fresh { size, content })?
                    }
                    _ => {
                        let from = self.pointer()?;
                        self.words(&["to"])?;
                        let size = self.expr(Scope::Before)?;
                        self.words(&["bytes"])?;
                        self.or_null(Returns::Moved { from, size })?
                    }
                });
            }
            "traps" => return self.end(model, start, Ends::Trap),
            "stops" => return self.end(model, start, Ends::Stop),
            "throws" => return self.end(model, start, Ends::Throw),
            "may" if self.eat_word("block") => model.blocks = true,
            "may" if self.eat_word("break") => {
                self.words(&["a", "pipe"])?;
                model.breaks_pipe = true;
            }
            "may" if self.eat_word("be") => {
                self.words(&["undefined"])?;
                model.requires.push(Requirement::More);
            }
            "may" => {
                let how = if self.eat_word("trap") {
                    Ends::Trap
                } else if self.eat_word("throw") {
                    Ends::Throw
                } else {
                    return Err(self.expected("`block`, `trap`, `throw`, `break a pipe` or `be undefined`"));
                };
                let when = if self.eat_word("if") { When::PerhapsIf(self.expr(Scope::Before)?) } else { When::Perhaps };
                self.ends(model, start, End { how, when })?;
            }
            "in" => {
                self.words(&["the", "C", "locale"])?;
                model.c_locale = true;
            }
            "assumes" => {
                let kind = match self.peek() {
                    Some(Token::Word(word)) => AssumptionKind::of_word(word),
                    _ => None,
                };
                self.at += usize::from(kind.is_some());
                let Some(Token::Text(text)) = self.peek() else {
                    return Err(self.expected("the assumption in quotes"));
                };
                if model.assumption.is_some() {
                    return Err(self.error("one assumption is enough: say both in one sentence"));
                }
                self.at += 1;
                model.assumption = Some((kind.unwrap_or(AssumptionKind::Model), text.to_string()));
            }
            "special" => model.special = true,
            _ => {
                self.at = start;
                return Err(self.expected(
                    "a clause: `requires`, `reads`, `writes`, `keeps`, `frees`, `calls`, `changes`, `stream`, `registers`, `runs`, \
                     `arms`, `returns`, `allocates`, `traps`, `stops`, `throws`, `may` or `assumes`",
                ));
            }
        }
        Ok(())
    }

    /// The names of objects, and texts for what has none.
    fn keeps(&mut self, model: &mut Model) -> Result<(), Failure> {
        loop {
            model.keeps.push(match self.peek() {
                Some(Token::Word(name)) => Kept::Object(name.to_string()),
                Some(Token::Text(text)) => Kept::Hidden(text.to_string()),
                _ => return Err(self.expected("the name of an object of the library, or words in quotes")),
            });
            self.at += 1;
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    fn occasion(&mut self) -> Result<Occasion, Failure> {
        self.words(&["at"])?;
        let occasion = match self.peek() {
            Some(Token::Word("exit")) => Occasion::Exit,
            Some(Token::Word("signals")) => Occasion::Signals,
            Some(Token::Word("fork")) => Occasion::Fork,
            _ => return Err(self.expected("`exit`, `signals` or `fork`")),
        };
        self.at += 1;
        Ok(occasion)
    }

    fn condition(&mut self) -> Result<Option<Expr>, Failure> {
        if self.eat_word("if") { Ok(Some(self.expr(Scope::Before)?)) } else { Ok(None) }
    }

    fn end(&mut self, model: &mut Model, start: usize, how: Ends) -> Result<(), Failure> {
        let when = if self.eat_word("if") { When::If(self.expr(Scope::Before)?) } else { When::Always };
        self.ends(model, start, End { how, when })
    }

    fn ends(&mut self, model: &mut Model, start: usize, end: End) -> Result<(), Failure> {
        if model.ends.is_some() {
            self.at = start;
            return Err(self.error("the entry says twice how the call ends: remove one"));
        }
        model.ends = Some(end);
        Ok(())
    }

    fn requires(&mut self) -> Result<Requirement, Failure> {
        if self.peek_at(1) == Some(Token::Word("freeable")) {
            let arg = self.pointer()?;
            self.at += 1;
            return Ok(Requirement::Freeable(arg));
        }
        let e = self.expr(Scope::Before)?;
        if !self.eat_word("bytes") {
            return Ok(Requirement::Condition(e));
        }
        self.words(&["at"])?;
        let a = (self.pointer()?, e);
        self.words(&["apart", "from"])?;
        let e = self.expr(Scope::Before)?;
        self.words(&["bytes", "at"])?;
        Ok(Requirement::Apart { a, b: (self.pointer()?, e) })
    }

    fn reads(&mut self) -> Result<Requirement, Failure> {
        if self.eat_word("string") {
            let at = self.pointer()?;
            let (mut limit, mut up_to) = (None, false);
            if self.eat_word("within") {
                up_to = self.up_to()?;
                limit = Some(self.expr(Scope::Before)?);
                self.words(&["bytes"])?;
            }
            let or_null = self.eat(",");
            if or_null {
                self.words(&["or", "null"])?;
            }
            return Ok(Requirement::String { at, limit, up_to, or_null });
        }
        let up_to = self.up_to()?;
        let amount = self.expr(Scope::Before)?;
        self.words(&["bytes", "at"])?;
        Ok(Requirement::Readable { at: self.pointer()?, amount, up_to })
    }

    fn up_to(&mut self) -> Result<bool, Failure> {
        let up_to = self.eat_word("up");
        if up_to {
            self.words(&["to"])?;
        }
        Ok(up_to)
    }

    fn writes(&mut self) -> Result<Write, Failure> {
        let up_to = self.up_to()?;
        let amount = if self.eat_word("some") { None } else { Some(self.expr(Scope::After)?) };
        self.words(&["bytes", "at"])?;
        let to = self.pointer()?;
        let offset = if self.eat("+") { Some(self.expr(Scope::Before)?) } else { None };
        self.symbol(":")?;
        let content = self.content()?;
        let terminated = self.eat(",");
        if terminated {
            self.words(&["terminated"])?;
        }
        let condition = if self.eat_word("if") { Some(self.expr(Scope::After)?) } else { None };
        Ok(Write { to, offset, amount, up_to, content, terminated, condition })
    }

    /// `standard input: read`, `f: read`, `f: written`, `f: moved`, `path: opened as mode`
    fn stream(&mut self) -> Result<StreamUse, Failure> {
        let handle = if self.eat_word("standard") {
            self.words(&["input"])?;
            Handle::StandardInput
        } else {
            Handle::Arg(self.param()?)
        };
        self.symbol(":")?;
        Ok(if self.eat_word("read") {
            StreamUse::Read(handle)
        } else if self.eat_word("written") {
            StreamUse::Written(handle)
        } else if self.eat_word("moved") {
            StreamUse::Moved(handle)
        } else if let Handle::Arg(path) = handle
            && self.eat_word("opened")
        {
            let mode = if self.eat_word("as") { Some(self.pointer()?) } else { None };
            StreamUse::Opened { path, mode }
        } else {
            return Err(self.expected("`read`, `written`, `moved` or `opened`"));
        })
    }

    fn kind(&mut self) -> Result<Kind, Failure> {
        self.try_kind().ok_or_else(|| self.expected("`input`, `stream`, `environment` or `time`"))
    }

    fn try_kind(&mut self) -> Option<Kind> {
        let kind = match self.peek() {
            Some(Token::Word("input")) => Kind::Input,
            Some(Token::Word("stream")) => Kind::Stream,
            Some(Token::Word("environment")) => Kind::Environment,
            Some(Token::Word("time")) => Kind::Time,
            _ => return None,
        };
        self.at += 1;
        Some(kind)
    }

    fn content(&mut self) -> Result<Content, Failure> {
        if let Some(kind) = self.try_kind() {
            return Ok(Content::Unknown(kind));
        }
        if self.eat_word("uninitialised") {
            return Ok(Content::Uninitialised);
        }
        if self.eat_word("zero") {
            return Ok(Content::Zero);
        }
        if self.eat_word("byte") {
            return Ok(Content::Byte(self.param()?));
        }
        if self.eat_word("copy") {
            self.words(&["of"])?;
            return Ok(Content::CopyOf(self.pointer()?));
        }
        if self.eat_word("pointer") {
            self.words(&["into"])?;
            return Ok(Content::PointerInto(self.pointer()?));
        }
        Err(self.expected(
            "`input`, `stream`, `environment`, `time`, `uninitialised`, `zero`, `byte c`, `copy of p` or `pointer into p`",
        ))
    }

    fn returns(&mut self) -> Result<Returns, Failure> {
        let value = self.value()?;
        let value = self.or_null(value)?;
        if !self.eat_word("if") {
            return Ok(value);
        }
        let condition = self.expr(Scope::Before)?;
        self.symbol(",")?;
        self.words(&["else"])?;
        Ok(Returns::If(condition, Box::new(value), Box::new(self.returns()?)))
    }

    fn or_null(&mut self, value: Returns) -> Result<Returns, Failure> {
        // A comma may also belong to `, else` of an outer condition.
        if self.peek() != Some(Token::Symbol(",")) || self.peek_at(1) != Some(Token::Word("or")) {
            return Ok(value);
        }
        self.at += 2;
        // `or END at the end`
        if self.peek() != Some(Token::Word("null")) || self.peek_at(1) == Some(Token::Word("at")) {
            let end = self.expr(Scope::Before)?;
            self.words(&["at", "the", "end"])?;
            let more = self.peek() == Some(Token::Symbol(",")) && self.peek_at(1) == Some(Token::Word("or"));
            self.at += if more { 2 } else { 0 };
            let fails = if more { Some(self.expr(Scope::Before)?) } else { None };
            return Ok(Returns::Read { data: Box::new(value), end, fails });
        }
        self.words(&["null"])?;
        let kind = if self.eat_word("as") { self.kind()? } else { Kind::Environment };
        Ok(Returns::OrNull(kind, Box::new(value)))
    }

    fn value(&mut self) -> Result<Returns, Failure> {
        if let Some(kind) = self.try_kind() {
            let (mut low, mut high) = (None, None);
            if self.eat_word("in") {
                low = Some(self.expr(Scope::Before)?);
                self.symbol("..")?;
                high = Some(self.expr(Scope::Before)?);
            } else if self.eat_word("at") {
                if self.eat_word("least") {
                    low = Some(self.expr(Scope::Before)?);
                } else if self.eat_word("most") {
                    high = Some(self.expr(Scope::Before)?);
                } else {
                    return Err(self.expected("`least` or `most`"));
                }
            }
            return Ok(Returns::Value { kind, low, high });
        }
        if self.eat_word("handle") {
            return Ok(Returns::Handle);
        }
        if self.eat_word("table") {
            self.words(&["of"])?;
            // The words of a type would take in `from`.
            let start = self.at;
            while self.peek().is_some_and(|t| t != Token::Word("from") && matches!(t, Token::Word(_))) {
                self.at += 1;
            }
            let end = self.at;
            let rest = self.tokens.split_off(end);
            self.at = start;
            let entry = self.ty();
            self.tokens.extend(rest);
            let entry = entry?;
            self.words(&["from"])?;
            let low = self.number()?;
            self.words(&["to"])?;
            let high = self.number()?;
            self.symbol(":")?;
            let content = if self.eat_word("environment") { None } else { Some(self.expr(Scope::Table)?) };
            return Ok(Returns::Table { entry, low, high, content });
        }
        if self.eat_word("pointer") {
            if self.eat_word("into") {
                return Ok(Returns::Within(self.pointer()?));
            }
            if !self.eat_word("to") {
                return Err(self.expected("`into` and a parameter, or `to` and a number of bytes"));
            }
            let size = if self.eat_word("some") { None } else { Some(self.expr(Scope::Before)?) };
            let volatile = self.eat_word("volatile");
            self.words(&["bytes"])?;
            self.symbol(":")?;
            let kind = self.kind()?;
            let terminated = self.peek_at(1) == Some(Token::Word("terminated")) && self.eat(",");
            if terminated {
                self.at += 1;
            }
            return Ok(Returns::Static { size, kind, terminated, volatile });
        }
        Ok(Returns::Exactly(self.expr(Scope::Before)?))
    }

    /// A parameter.
    fn param(&mut self) -> Result<Arg, Failure> {
        if let Some(Token::Word(word)) = self.peek() {
            if let Some(arg) = self.params.iter().position(|p| p.name == word) {
                self.at += 1;
                return Ok(arg);
            }
            return Err(self.error(&format!("expected a parameter, and the function has none called `{word}`")));
        }
        Err(self.expected("a parameter"))
    }

    /// A parameter that can be a pointer.
    fn pointer(&mut self) -> Result<Arg, Failure> {
        let arg = self.param()?;
        if matches!(self.params[arg].ty, None | Some(Type::Pointer)) {
            return Ok(arg);
        }
        self.at -= 1;
        Err(self.error(&format!("expected a pointer, and `{}` has another type", self.params[arg].name)))
    }

    fn number(&mut self) -> Result<i64, Failure> {
        let start = self.at;
        if let Expr::Number(n) = self.unary(Scope::Before)?
            && let Ok(n) = i64::try_from(n)
        {
            return Ok(n);
        }
        self.at = start;
        Err(self.expected("a number"))
    }

    fn expr(&mut self, place: Scope) -> Result<Expr, Failure> {
        let condition = self.binary(place, 0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.expr(place)?;
        self.symbol(":")?;
        Ok(Expr::If(Box::new(condition), Box::new(then), Box::new(self.expr(place)?)))
    }

    fn binary(&mut self, place: Scope, least: u8) -> Result<Expr, Failure> {
        let mut left = self.unary(place)?;
        while let Some(Token::Symbol(symbol)) = self.peek()
            && let Some(op) = BinaryOp::ALL.into_iter().find(|o| o.symbol() == symbol)
            && op.precedence() >= least
        {
            self.at += 1;
            let right = self.binary(place, op.precedence() + 1)?;
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self, place: Scope) -> Result<Expr, Failure> {
        if self.eat("-") {
            return Ok(match self.unary(place)? {
                Expr::Number(n) => Expr::Number(-n),
                e => Expr::Unary(UnaryOp::Neg, Box::new(e)),
            });
        }
        if self.eat("!") {
            return Ok(Expr::Unary(UnaryOp::Not, Box::new(self.unary(place)?)));
        }
        if self.eat("(") {
            let e = self.expr(place)?;
            self.symbol(")")?;
            return Ok(e);
        }
        match self.peek() {
            Some(Token::Number(n)) => {
                self.at += 1;
                Ok(Expr::Number(n))
            }
            Some(Token::Word("null")) => {
                self.at += 1;
                Ok(Expr::Number(0))
            }
            Some(Token::Word("result")) if place == Scope::After => {
                self.at += 1;
                Ok(Expr::Result)
            }
            Some(Token::Word("index")) if place == Scope::Table => {
                self.at += 1;
                Ok(Expr::Index)
            }
            Some(Token::Word(word @ ("strlen" | "size"))) => {
                self.at += 1;
                self.symbol("(")?;
                let arg = self.pointer()?;
                self.symbol(")")?;
                Ok(if word == "size" { Expr::Size(arg) } else { Expr::Length(arg) })
            }
            Some(Token::Word("sizeof")) => {
                self.at += 1;
                self.symbol("(")?;
                let ty = self.ty()?;
                if matches!(ty, Type::Float | Type::Any) {
                    self.at -= 1;
                    return Err(self.expected("an integer type or `pointer`"));
                }
                self.symbol(")")?;
                Ok(Expr::SizeOf(ty))
            }
            Some(Token::Word(_)) => Ok(Expr::Arg(self.param()?)),
            _ => Err(self.expected("an expression")),
        }
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).map(|t| t.0)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Symbol(s)) if s == symbol);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(w)) if w == word);
        self.at += usize::from(found);
        found
    }

    fn eat_end(&mut self) -> bool {
        let found = self.peek() == Some(Token::End);
        self.at += usize::from(found);
        found
    }

    fn symbol(&mut self, symbol: &str) -> Result<(), Failure> {
        if self.eat(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    fn words(&mut self, words: &[&str]) -> Result<(), Failure> {
        for word in words {
            if !self.eat_word(word) {
                return Err(self.expected(&format!("`{word}`")));
            }
        }
        Ok(())
    }

    fn expected(&self, what: &str) -> Failure {
        let found = match self.peek() {
            Some(Token::Word(w)) => format!("`{w}`"),
            Some(Token::Number(n)) => format!("`{n}`"),
            Some(Token::Text(t)) => format!("\"{t}\""),
            Some(Token::Symbol(s)) => format!("`{s}`"),
            Some(Token::End) | None => "the end of the clause".to_string(),
        };
        self.error(&format!("expected {what}, found {found}"))
    }

    /// An error at the token that comes next.
    fn error(&self, message: &str) -> Failure {
        let (_, line, column) = self.tokens.get(self.at).or(self.tokens.last()).copied().unwrap_or((Token::End, 1, 1));
        fail(self.file, line, column, message)
    }
}
