//! Parsing systems.

use super::lex::{ParseError, Token};
use super::terms::{Parser, error_at, numeral};
use crate::assumption::{Assumption, AssumptionKind};
use crate::ids::{AssumptionId, EdgeId, Id, LocId, SourceId};
use crate::sort::Sort;
use crate::source::{LoopCopy, LoopKey, SourceKind, SourceLoop};
use crate::system::{Edge, Integers, Mode, Obligation, Proves, SINKS, Span, TransitionSystem, UnknownKind, is_name};
use crate::term::Term;
use dashu_int::IBig;
use std::collections::{HashMap, HashSet};

/// The line and column of each location in its text.
pub type Places = HashMap<LocId, (u32, u32)>;

/// A system as read, with the place of each location in its text.
#[derive(Debug)]
pub struct Parsed {
    /// The system; its structure has no defects.
    pub system: TransitionSystem,
    /// The line and column of each location that is no sink.
    pub places: Places,
}

/// Reads a system.
pub fn parse(text: &str) -> Result<Parsed, ParseError> {
    let p = Parser::new(text, TransitionSystem::new("unnamed", Integers::Wrap), HashMap::new())?;
    p.system()
}

struct PendingEdge {
    from: LocId,
    to: (String, (u32, u32)),
    guard: Term,
    updates: Vec<(crate::ids::VarId, Term)>,
    span: Option<Span>,
    assumes: Vec<AssumptionId>,
    number: Option<u32>,
    place: (u32, u32),
}

impl Parser<TransitionSystem> {
    fn system(mut self) -> Result<Parsed, ParseError> {
        if !self.lex.is_word("lts") {
            return self.lex.expected("`lts 1`, the first line of a transition system");
        }
        self.lex.advance();
        let place = self.lex.place();
        if self.lex.expect_u32("the format's number")? != 1 {
            return error_at(place, "only `lts 1` is known; this file is of another version of lariat");
        }
        let mut entry: Option<(String, (u32, u32))> = None;
        let mut init = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let place = self.lex.place();
            let Token::Name { text, quoted: false } = self.lex.peek().clone() else { break };
            if matches!(self.lex.peek_second(), Token::Sign(":")) {
                break;
            }
            if matches!(text.as_str(), "name" | "integers" | "mode") && !seen.insert(text.clone()) {
                return error_at(place, format!("there is more than one `{text}`"));
            }
            match text.as_str() {
                "name" => {
                    self.lex.advance();
                    self.ts.name = self.lex.expect_name("a name for the system")?;
                }
                "integers" => {
                    self.lex.advance();
                    self.integers()?;
                }
                "mode" => {
                    self.lex.advance();
                    self.ts.mode = match self.lex.expect_name("`program` or `function`")?.as_str() {
                        "program" => Mode::Program,
                        "function" => Mode::Function,
                        other => {
                            return error_at(place, format!("`{other}` is no mode; write `program` or `function`"));
                        }
                    };
                }
                "var" => {
                    self.lex.advance();
                    let name = self.new_name()?;
                    self.lex.expect_sign(":")?;
                    let sort = self.sort()?;
                    self.ts.add_var(&name, sort);
                }
                "input" => self.unknown(UnknownKind::Input)?,
                "environment" => self.unknown(UnknownKind::Environment)?,
                "abstraction" => self.unknown(UnknownKind::Abstraction)?,
                "assumption" => {
                    self.lex.advance();
                    let kind = self.assumption_kind()?;
                    let text = self.lex.expect_text("the assumption between quotes")?;
                    let span = self.span()?;
                    self.ts.assumptions.push(Assumption { kind, text, span });
                }
                "obligation" => {
                    self.lex.advance();
                    let text = self.lex.expect_text("the obligation between quotes")?;
                    let span = self.span()?;
                    self.ts.obligations.push(Obligation { text, span });
                }
                "source" => self.source()?,
                "let" => {
                    self.lex.advance();
                    let Token::Let(name) = self.lex.advance() else {
                        return error_at(place, "expected a name such as `$1` behind `let`");
                    };
                    self.lex.expect_sign("=")?;
                    let item = self.term(0)?;
                    let t = self.settle(item);
                    if self.lets.insert(name.clone(), t).is_some() {
                        return error_at(place, format!("`${name}` is defined twice"));
                    }
                }
                "init" => {
                    self.lex.advance();
                    init.push(self.term_of(Sort::Bool)?);
                }
                "entry" => {
                    self.lex.advance();
                    let place = self.lex.place();
                    let name = self.lex.expect_name("the location where runs start")?;
                    if entry.replace((name, place)).is_some() {
                        return error_at(place, "there is more than one `entry`");
                    }
                }
                other => {
                    return error_at(
                        place,
                        format!(
                            "`{other}` starts no declaration; expected name, integers, mode, var, input, environment, \
                             abstraction, assumption, obligation, source, let, init, entry, or a location such as `head:`"
                        ),
                    );
                }
            }
        }
        self.ts.init = match init.as_slice() {
            [one] => *one,
            several => self.ts.terms.all(several.iter().copied()),
        };
        let (places, pending) = self.locations()?;
        let Some((name, place)) = entry else {
            return self.lex.error("there is no `entry`; add a line such as `entry start` before the locations");
        };
        self.ts.entry = self.resolve(&name, place)?;
        self.connect(pending)?;
        if let Some(defect) = self.ts.defects().into_iter().next() {
            let place = defect.at.and_then(|l| places.get(&l)).copied().unwrap_or((1, 1));
            return error_at(place, defect.message);
        }
        Ok(Parsed { system: self.ts, places })
    }

    fn integers(&mut self) -> Result<(), ParseError> {
        let place = self.lex.place();
        self.ts.integers = match self.lex.expect_name("`wrap`, `ideal` or `c`")?.as_str() {
            "wrap" => Integers::Wrap,
            "ideal" => Integers::Ideal,
            "c" => Integers::C,
            other => return error_at(place, format!("`{other}` is no integer semantics; write wrap, ideal or c")),
        };
        if self.lex.take_word("proves") {
            let place = self.lex.place();
            self.ts.proves = match self.lex.expect_name("`terminates` or `diverges`")?.as_str() {
                "terminates" => Proves::Terminates,
                "diverges" => Proves::Diverges,
                other => return error_at(place, format!("`{other}` is no verdict; write terminates or diverges")),
            };
        } else if self.ts.integers == Integers::C {
            return error_at(
                place,
                "in the semantics `c` a system carries one verdict only; write `integers c proves terminates` or \
                 `integers c proves diverges`",
            );
        }
        Ok(())
    }

    fn new_name(&mut self) -> Result<String, ParseError> {
        let place = self.lex.place();
        let name = self.lex.expect_name("a new name")?;
        if !is_name(&name) {
            return error_at(place, format!("`{name}` cannot be a name"));
        }
        if self.ts.var_named(&name).is_some() || self.ts.unknown_named(&name).is_some() {
            return error_at(place, format!("`{name}` is declared twice"));
        }
        Ok(name)
    }

    /// The word for what kind of thing is assumed. Without one the system states it.
    fn assumption_kind(&mut self) -> Result<AssumptionKind, ParseError> {
        if let Token::Text(_) = self.lex.peek() {
            return Ok(AssumptionKind::Stated);
        }
        let place = self.lex.place();
        let word = self.lex.expect_name("the assumption between quotes")?;
        let unknown = || error_at(place, format!("there is no kind of assumption `{word}`; leave the word out"));
        AssumptionKind::of_word(&word).map_or_else(unknown, Ok)
    }

    fn unknown(&mut self, kind: UnknownKind) -> Result<(), ParseError> {
        self.lex.advance();
        let name = self.new_name()?;
        self.lex.expect_sign(":")?;
        let sort = self.sort()?;
        let range = if self.lex.take_word("in") {
            let lo = self.integer()?;
            self.lex.expect_sign("..")?;
            Some((lo, self.integer()?))
        } else {
            None
        };
        self.ts.add_unknown(&name, sort, kind, range);
        Ok(())
    }

    fn integer(&mut self) -> Result<IBig, ParseError> {
        let negative = self.lex.take_sign("-");
        let Token::Number(digits) = self.lex.peek().clone() else { return self.lex.expected("a number") };
        self.lex.advance();
        let n = numeral(&digits);
        Ok(if negative { -n } else { n })
    }

    fn span(&mut self) -> Result<Option<Span>, ParseError> {
        if !self.lex.take_word("at") {
            return Ok(None);
        }
        let file = self.lex.expect_text("a file name between quotes")?;
        self.lex.expect_sign(":")?;
        let line = self.lex.expect_u32("a line")?;
        self.lex.expect_sign(":")?;
        let column = self.lex.expect_u32("a column")?;
        Ok(Some(Span { file, line, column }))
    }

    fn source(&mut self) -> Result<(), ParseError> {
        self.lex.advance();
        let place = self.lex.place();
        let kind = match self.lex.expect_name("`loop` or `recursion`")?.as_str() {
            "loop" => SourceKind::Loop,
            "recursion" => SourceKind::Recursion,
            other => return error_at(place, format!("`{other}` is nothing of a source; write `loop` or `recursion`")),
        };
        let function = self.lex.expect_text("a function name between quotes")?;
        let ordinal = if self.lex.take_word("number") { self.lex.expect_u32("a number")? } else { 0 };
        let instance = if self.lex.take_word("copy") { self.lex.expect_u32("the number of a copy")? } else { 0 };
        let parent = self.within()?;
        let span = self.span()?;
        let copy = LoopCopy { key: LoopKey { span, function, kind, ordinal }, instance };
        self.ts.sources.push(SourceLoop { copy, parent });
        Ok(())
    }

    /// Whether this word stands here, and is not the name of a location.
    fn mark(&mut self, word: &str) -> bool {
        let found = self.lex.is_word(word) && !matches!(self.lex.peek_second(), Token::Sign(":"));
        if found {
            self.lex.advance();
        }
        found
    }

    fn within(&mut self) -> Result<Option<SourceId>, ParseError> {
        let place = self.lex.place();
        if self.lex.is_word("within") && matches!(self.lex.peek_second(), Token::Sign(":")) {
            return Ok(None);
        }
        if !self.lex.take_word("within") {
            return Ok(None);
        }
        let n = self.lex.expect_u32("the number of a source")? as usize;
        if n >= self.ts.sources.len() {
            return error_at(place, format!("there is no source {n}; they are counted from 0 in their order"));
        }
        Ok(Some(SourceId::from_index(n)))
    }

    fn locations(&mut self) -> Result<(Places, Vec<PendingEdge>), ParseError> {
        let mut places = HashMap::new();
        let mut pending = Vec::new();
        while *self.lex.peek() != Token::End {
            let place = self.lex.place();
            let name = self.lex.expect_name("a location such as `head:`")?;
            if self.ts.loc_named(&name).is_some() {
                return error_at(place, format!("the location `{name}` stands twice, or is the name of a sink"));
            }
            self.lex.expect_sign(":")?;
            let here = self.ts.add_loc(&name);
            places.insert(here, place);
            self.ts.locs[here].span = self.span()?;
            if self.lex.take_word("in") {
                self.ts.locs[here].function = Some(self.lex.expect_text("a function name between quotes")?);
            }
            self.ts.locs[here].within = self.within()?;
            self.ts.locs[here].artificial = self.mark("artificial");
            self.ts.locs[here].escapes = self.mark("escapes");
            while (self.lex.is_word("goto") || self.lex.is_word("if"))
                && !matches!(self.lex.peek_second(), Token::Sign(":"))
            {
                pending.push(self.edge(here)?);
            }
        }
        Ok((places, pending))
    }

    fn edge(&mut self, from: LocId) -> Result<PendingEdge, ParseError> {
        let place = self.lex.place();
        let guard = if self.lex.take_word("if") { self.term_of(Sort::Bool)? } else { self.ts.terms.tt() };
        self.lex.expect_word("goto")?;
        let to_place = self.lex.place();
        let to = self.lex.expect_name("a location or EXIT, STOP, TRAP or UB")?;
        let mut updates = Vec::new();
        if self.lex.take_word("with") {
            loop {
                let place = self.lex.place();
                let name = self.lex.expect_name("a variable")?;
                let Some(var) = self.ts.var_named(&name) else {
                    return error_at(place, format!("`{name}` is no variable; declare it with `var {name}: bv32`"));
                };
                self.lex.expect_sign(":=")?;
                let sort = self.ts.vars[var].sort;
                updates.push((var, self.term_of(sort)?));
                if !self.lex.take_sign(",") {
                    break;
                }
            }
        }
        let mut assumes = Vec::new();
        while self.lex.is_word("assumes") {
            self.lex.advance();
            let n = self.lex.expect_u32("the number of an assumption")? as usize;
            if n >= self.ts.assumptions.len() {
                return error_at(place, format!("there is no assumption {n}; they are counted from 0 in their order"));
            }
            assumes.push(AssumptionId::from_index(n));
        }
        let number = if self.lex.take_word("edge") { Some(self.lex.expect_u32("the edge's number")?) } else { None };
        let span = self.span()?;
        Ok(PendingEdge { from, to: (to, to_place), guard, updates, span, assumes, number, place })
    }

    fn resolve(&self, name: &str, place: (u32, u32)) -> Result<LocId, ParseError> {
        match self.ts.loc_named(name) {
            Some(l) => Ok(l),
            None => {
                let sinks = SINKS.map(|(_, n)| n).join(", ");
                error_at(place, format!("there is no location `{name}`; add `{name}:` with its edges, or use {sinks}"))
            }
        }
    }

    /// Adds the edges in the order of their numbers, which is the order of the text where they have none.
    fn connect(&mut self, mut pending: Vec<PendingEdge>) -> Result<(), ParseError> {
        if pending.iter().any(|e| e.number.is_some()) {
            pending.sort_by_key(|e| e.number);
            for (i, e) in pending.iter().enumerate() {
                if e.number.map(|n| n as usize) != Some(i) {
                    return error_at(e.place, "where edges are numbered, each has a number, from 0 without gaps");
                }
            }
        }
        for e in pending {
            let to = self.resolve(&e.to.0, e.to.1)?;
            let _: EdgeId = self.ts.push_edge(Edge {
                from: e.from,
                to,
                guard: e.guard,
                updates: e.updates,
                span: e.span,
                assumes: e.assumes,
            });
        }
        Ok(())
    }
}
