//! Models as text: what is printed here is parsed to the same again.

use super::{
    Arg, BinaryOp, Content, Effect, Ends, Expr, Handle, Kept, Kind, Model, Occasion, Param, Requirement, Returns,
    StreamUse, Type, UnaryOp, When, Write,
};
use lariat_ir::AssumptionKind;
use std::fmt::{self, Display, Formatter};

impl Display for Model {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "function {}(", self.name)?;
        for (i, param) in self.params.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}", param.name)?;
            if let Some(ty) = param.ty {
                write!(f, ": {ty}")?;
            }
        }
        if self.variadic {
            f.write_str(if self.params.is_empty() { "..." } else { ", ..." })?;
        }
        f.write_str(")")?;
        if let Some(ty) = self.result {
            write!(f, " -> {ty}")?;
        }
        let p = Printer { params: &self.params };
        for requirement in &self.requires {
            write!(f, "\n    {}", p.requirement(requirement))?;
        }
        for effect in &self.effects {
            write!(f, "\n    {}", p.effect(effect))?;
        }
        if self.writes_nothing {
            f.write_str("\n    writes nothing")?;
        }
        if !self.keeps.is_empty() {
            let names: Vec<String> = self.keeps.iter().map(Kept::to_string).collect();
            write!(f, "\n    keeps {}", names.join(", "))?;
        }
        let condition = |e: &Option<Expr>| e.as_ref().map_or(String::new(), |e| format!(" if {}", p.expr(e, 0)));
        for (occasion, when) in &self.runs {
            write!(f, "\n    runs handlers {occasion}{}", condition(when))?;
        }
        if let Some(arms) = &self.arms {
            let what = if arms.handled_only { "handler" } else { "signal" };
            let none = if arms.disarms { ", else none" } else { "" };
            write!(f, "\n    arms a {what}{}{none}", condition(&arms.condition))?;
        }
        let plain = [
            (self.again, "returns again"),
            (self.jumps, "jumps elsewhere"),
            (self.makes_pipe, "makes a pipe"),
            (self.breaks_pipe, "may break a pipe"),
        ];
        for (_, clause) in plain.iter().filter(|(said, _)| *said) {
            write!(f, "\n    {clause}")?;
        }
        for used in &self.streams {
            write!(f, "\n    {}", p.stream(*used))?;
        }
        match &self.returns {
            Returns::Nothing => {}
            returns => write!(f, "\n    {}", p.returns(returns))?,
        }
        if let Some(end) = &self.ends {
            let verb = match end.how {
                Ends::Trap => "trap",
                Ends::Stop => "stop",
                Ends::Throw => "throw",
            };
            match &end.when {
                When::Always => write!(f, "\n    {verb}s")?,
                When::Perhaps => write!(f, "\n    may {verb}")?,
                When::If(e) => write!(f, "\n    {verb}s if {}", p.expr(e, 0))?,
                When::PerhapsIf(e) => write!(f, "\n    may {verb} if {}", p.expr(e, 0))?,
            }
        }
        if self.blocks {
            f.write_str("\n    may block")?;
        }
        if self.c_locale {
            f.write_str("\n    in the C locale")?;
        }
        if let Some((kind, text)) = &self.assumption {
            let word = if *kind == AssumptionKind::Model { String::new() } else { format!("{} ", kind.word()) };
            write!(f, "\n    assumes {word}\"{text}\"")?;
        }
        if self.special {
            f.write_str("\n    special")?;
        }
        f.write_str("\n")
    }
}

impl Display for Kept {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Kept::Object(name) => f.write_str(name),
            Kept::Hidden(text) => write!(f, "\"{text}\""),
        }
    }
}

impl Display for Occasion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Occasion::Exit => "at exit",
            Occasion::Signals => "at signals",
            Occasion::Fork => "at fork",
        })
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Bool => "bool",
            Type::Char => "char",
            Type::SignedChar => "signed char",
            Type::UnsignedChar => "unsigned char",
            Type::Short => "short",
            Type::UnsignedShort => "unsigned short",
            Type::Int => "int",
            Type::Unsigned => "unsigned",
            Type::Long => "long",
            Type::UnsignedLong => "unsigned long",
            Type::LongLong => "long long",
            Type::UnsignedLongLong => "unsigned long long",
            Type::Int128 => "__int128",
            Type::UnsignedInt128 => "unsigned __int128",
            Type::Size => "size_t",
            Type::SignedSize => "ssize_t",
            Type::Pointer => "pointer",
            Type::Float => "float",
            Type::Any => "any",
        })
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Input => "input",
            Kind::Stream => "stream",
            Kind::Environment => "environment",
            Kind::Time => "time",
        })
    }
}

impl BinaryOp {
    /// All of them.
    pub const ALL: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::And,
        BinaryOp::Or,
    ];

    /// As in C.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// How strongly it binds, as in C.
    pub(super) fn precedence(self) -> u8 {
        match self {
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 6,
            BinaryOp::Add | BinaryOp::Sub => 5,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 4,
            BinaryOp::Eq | BinaryOp::Ne => 3,
            BinaryOp::And => 2,
            BinaryOp::Or => 1,
        }
    }
}

/// How strongly `-` and `!` bind.
const UNARY: u8 = 7;

struct Printer<'a> {
    params: &'a [Param],
}

impl Printer<'_> {
    fn arg(&self, arg: Arg) -> &str {
        self.params.get(arg).map_or("?", |p| &p.name)
    }

    fn requirement(&self, requirement: &Requirement) -> String {
        match requirement {
            Requirement::Condition(e) => format!("requires {}", self.expr(e, 0)),
            Requirement::Readable { at, amount, up_to } => {
                let up_to = if *up_to { "up to " } else { "" };
                format!("reads {up_to}{} bytes at {}", self.expr(amount, 0), self.arg(*at))
            }
            Requirement::String { at, limit, up_to, or_null } => {
                let up_to = if *up_to { "up to " } else { "" };
                let limit =
                    limit.as_ref().map_or(String::new(), |n| format!(" within {up_to}{} bytes", self.expr(n, 0)));
                let or_null = if *or_null { ", or null" } else { "" };
                format!("reads string {}{limit}{or_null}", self.arg(*at))
            }
            Requirement::Apart { a: (a, n), b: (b, m) } => {
                let (n, m) = (self.expr(n, 0), self.expr(m, 0));
                format!("requires {n} bytes at {} apart from {m} bytes at {}", self.arg(*a), self.arg(*b))
            }
            Requirement::More => "may be undefined".to_string(),
            Requirement::Freeable(p) => format!("requires {} freeable", self.arg(*p)),
        }
    }

    fn effect(&self, effect: &Effect) -> String {
        match effect {
            Effect::Writes(write) => self.write(write),
            Effect::Frees(p) => format!("frees {}", self.arg(*p)),
            Effect::Calls(p) => format!("calls {}", self.arg(*p)),
            Effect::Prints(p) => format!("prints {}", self.arg(*p)),
            Effect::Scans(p, kind) => format!("scans {}: {kind}", self.arg(*p)),
            Effect::ChangesThrough(p) => format!("changes all through {}", self.arg(*p)),
            Effect::FreesThrough(p) => format!("changes or frees all through {}", self.arg(*p)),
            Effect::ChangesThroughRest => "changes all through ...".to_string(),
            Effect::Keeps(p) => format!("keeps memory at {}", self.arg(*p)),
            Effect::GivesAway(p) => format!("gives away {}", self.arg(*p)),
            Effect::Registers(p, occasion) => format!("registers {} {occasion}", self.arg(*p)),
            Effect::ChangesMemory => "changes memory".to_string(),
        }
    }

    fn stream(&self, used: StreamUse) -> String {
        let of = |handle: Handle| match handle {
            Handle::StandardInput => "standard input",
            Handle::Arg(n) => self.arg(n),
        };
        match used {
            StreamUse::Read(h) => format!("stream {}: read", of(h)),
            StreamUse::Written(h) => format!("stream {}: written", of(h)),
            StreamUse::Moved(h) => format!("stream {}: moved", of(h)),
            StreamUse::Opened { path, mode } => {
                let mode = mode.map_or(String::new(), |m| format!(" as {}", self.arg(m)));
                format!("stream {}: opened{mode}", self.arg(path))
            }
            StreamUse::OpenedAnew => "streams: opened".to_string(),
            StreamUse::AllMoved => "streams: moved".to_string(),
        }
    }

    fn write(&self, write: &Write) -> String {
        let up_to = if write.up_to { "up to " } else { "" };
        let amount = self.amount(write.amount.as_ref());
        let offset = write.offset.as_ref().map_or(String::new(), |e| format!(" + {}", self.expr(e, 0)));
        let content = self.content(write.content);
        let terminated = if write.terminated { ", terminated" } else { "" };
        let condition = write.condition.as_ref().map_or(String::new(), |e| format!(" if {}", self.expr(e, 0)));
        format!("writes {up_to}{amount} bytes at {}{offset}: {content}{terminated}{condition}", self.arg(write.to))
    }

    fn amount(&self, amount: Option<&Expr>) -> String {
        amount.map_or("some".to_string(), |e| self.expr(e, 0))
    }

    fn content(&self, content: Content) -> String {
        match content {
            Content::Unknown(kind) => kind.to_string(),
            Content::Uninitialised => "uninitialised".to_string(),
            Content::Zero => "zero".to_string(),
            Content::Byte(p) => format!("byte {}", self.arg(p)),
            Content::CopyOf(p) => format!("copy of {}", self.arg(p)),
            Content::PointerInto(p) => format!("pointer into {}", self.arg(p)),
        }
    }

    /// The whole clause. A new object is a verb of its own, and stands alone or beside null.
    fn returns(&self, returns: &Returns) -> String {
        let (inner, null) = match returns {
            Returns::OrNull(kind, inner) => (&**inner, Self::null(*kind)),
            other => (other, String::new()),
        };
        match inner {
            Returns::Fresh { size, content } => {
                format!("allocates {} bytes: {}{null}", self.expr(size, 0), self.content(*content))
            }
            Returns::Moved { from, size } => {
                format!("moves {} to {} bytes{null}", self.arg(*from), self.expr(size, 0))
            }
            _ => format!("returns {}", self.value(returns)),
        }
    }

    fn null(kind: Kind) -> String {
        match kind {
            Kind::Environment => ", or null".to_string(),
            kind => format!(", or null as {kind}"),
        }
    }

    fn value(&self, returns: &Returns) -> String {
        match returns {
            Returns::Value { kind, low: Some(low), high: Some(high) } => {
                format!("{kind} in {} .. {}", self.expr(low, 0), self.expr(high, 0))
            }
            Returns::Value { kind, low: Some(low), high: None } => format!("{kind} at least {}", self.expr(low, 0)),
            Returns::Value { kind, low: None, high: Some(high) } => format!("{kind} at most {}", self.expr(high, 0)),
            Returns::Value { kind, low: None, high: None } => kind.to_string(),
            Returns::Exactly(e) => self.expr(e, 0),
            Returns::Within(p) => format!("pointer into {}", self.arg(*p)),
            Returns::Static { size, kind, terminated, volatile } => {
                let size = self.amount(size.as_ref());
                let volatile = if *volatile { " volatile" } else { "" };
                let terminated = if *terminated { ", terminated" } else { "" };
                format!("pointer to {size}{volatile} bytes: {kind}{terminated}")
            }
            Returns::Table { entry, low, high, content } => {
                let content = content.as_ref().map_or("environment".to_string(), |e| self.expr(e, 0));
                format!("table of {entry} from {low} to {high}: {content}")
            }
            Returns::Handle => "handle".to_string(),
            Returns::OrNull(kind, inner) => format!("{}{}", self.value(inner), Self::null(*kind)),
            Returns::Read { data, end, fails } => {
                let fails = fails.as_ref().map_or(String::new(), |e| format!(", or {}", self.expr(e, 0)));
                format!("{}, or {} at the end{fails}", self.value(data), self.expr(end, 0))
            }
            Returns::If(condition, then, other) => {
                format!("{} if {}, else {}", self.value(then), self.expr(condition, 0), self.value(other))
            }
            // Neither is a value that could stand within another: the parser makes none such.
            Returns::Nothing | Returns::Fresh { .. } | Returns::Moved { .. } => String::new(),
        }
    }

    /// An expression, in parentheses where something that binds as strongly as `least` stands around it.
    fn expr(&self, expr: &Expr, least: u8) -> String {
        let (text, binds) = match expr {
            Expr::Number(n) => (n.to_string(), u8::MAX),
            Expr::Arg(p) => (self.arg(*p).to_string(), u8::MAX),
            Expr::Result => ("result".to_string(), u8::MAX),
            Expr::Index => ("index".to_string(), u8::MAX),
            Expr::Length(p) => (format!("strlen({})", self.arg(*p)), u8::MAX),
            Expr::Size(p) => (format!("size({})", self.arg(*p)), u8::MAX),
            Expr::SizeOf(ty) => (format!("sizeof({ty})"), u8::MAX),
            Expr::Unary(UnaryOp::Neg, e) => (format!("-{}", self.expr(e, UNARY)), UNARY),
            Expr::Unary(UnaryOp::Not, e) => (format!("!{}", self.expr(e, UNARY)), UNARY),
            Expr::Binary(op, a, b) => {
                let binds = op.precedence();
                (format!("{} {} {}", self.expr(a, binds), op.symbol(), self.expr(b, binds + 1)), binds)
            }
            Expr::If(c, a, b) => (format!("{} ? {} : {}", self.expr(c, 1), self.expr(a, 0), self.expr(b, 0)), 0),
        };
        if binds < least { format!("({text})") } else { text }
    }
}
