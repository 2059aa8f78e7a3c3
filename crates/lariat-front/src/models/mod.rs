//! What functions do that a program calls and does not define: one readable entry each, for the C library, the runtimes of
//! C++ and Rust, and whatever a user describes with `--model FILE`.
//!
//! A model must contain every behaviour that a conforming implementation can show; in doubt it says less. Its requirements
//! are exact: a call that violates one is undefined behaviour, a call that does not is none. A termination proof would
//! lose runs to a requirement too many, a divergence proof would rest on an undefined run with one too few. The
//! format is described in `docs/models.md`.

mod entries;
mod parse;
mod print;
#[cfg(test)]
mod tests;
mod tokens;

use crate::{DataModel, Failure, module};
use lariat_ir::AssumptionKind;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

/// What one function does. An entry says what it writes, or that it writes nothing: [`Model::says_what_it_writes`]. Objects of
/// the library that a program can name (`optind`, `timezone`) are changed by the functions that keep them, and by no other
/// one with a model; it makes no difference whether the program declares such an object or defines it, since the library
/// then uses that definition. `errno` is written by every function: see `__errno_location`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a clause of the format, independent of the others")]
pub struct Model {
    /// The function's name, or a pattern in which `*` stands for anything.
    pub name: String,
    /// The parameters that have names; [`Arg`] counts them.
    pub params: Vec<Param>,
    /// Whether further arguments may follow.
    pub variadic: bool,
    /// The type of the result; none is `void`.
    pub result: Option<Type>,
    /// What must hold at the call: it is undefined behaviour where, and only where, one of these does not.
    pub requires: Vec<Requirement>,
    /// What happens to memory, in this order.
    pub effects: Vec<Effect>,
    /// `writes nothing`: said of what has no effect on memory, so that nobody forgets to say what one has.
    pub writes_nothing: bool,
    /// `keeps …`: what the library remembers between calls, and this function reads and writes.
    pub keeps: Vec<Kept>,
    /// `runs handlers at …[ if condition]`: before the call returns or ends the program, functions run that the program has
    /// registered for such an occasion.
    pub runs: Vec<(Occasion, Option<Expr>)>,
    /// `arms …`: from now on a signal may come, at any time.
    pub arms: Option<Arms>,
    /// `returns again`: control may come back to after the call any number of times, when memory has changed: `vfork`,
    /// `getcontext`. (`setjmp` has code of its own.)
    pub again: bool,
    /// `jumps elsewhere`: control may go on at another place of the program: `setcontext`.
    pub jumps: bool,
    /// `makes a pipe`: the program may hold both of its ends.
    pub makes_pipe: bool,
    /// `may break a pipe`: it writes to a file, and a pipe that nobody reads raises a signal.
    pub breaks_pipe: bool,
    /// What happens to streams. Without one, the function leaves all of them as they are.
    pub streams: Vec<StreamUse>,
    /// What comes back.
    pub returns: Returns,
    /// Whether, and how, the call may not come back.
    pub ends: Option<End>,
    /// Whether it may wait for the outside without a limit: `read`, `accept`, `pthread_cond_wait`. Coming back is then
    /// an assumption.
    pub blocks: bool,
    /// Whether `returns` holds in the C locale only. Every C program starts in it; after `setlocale` or `uselocale`, and
    /// in a function analysed on its own, that is an assumption.
    pub c_locale: bool,
    /// What the entry takes for granted: what kind of thing, and words for the report.
    pub assumption: Option<(AssumptionKind, String)>,
    /// The translator has code of its own for this function, and the entry only says that it is known.
    pub special: bool,
}

/// What the library remembers between calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kept {
    /// An object with a name in C, which a program may declare, or define.
    Object(String),
    /// `"the seed"`: one without. What depends on it must be `environment`.
    Hidden(String),
}

/// When a function runs that the program has registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occasion {
    /// When the program ends.
    Exit,
    /// When a signal is delivered.
    Signals,
    /// In `fork`.
    Fork,
}

/// `arms a signal[ if condition[, else none]]`, `arms a handler[ if condition]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arms {
    /// Whether the signal does nothing where no handler is registered; else it ends the program there.
    pub handled_only: bool,
    /// When.
    pub condition: Option<Expr>,
    /// `, else none`: where the condition does not hold the signal does not come any more.
    pub disarms: bool,
}

/// An index into [`Model::params`].
pub type Arg = usize;

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// How the entry calls it.
    pub name: String,
    /// Its type; none is what the program declares.
    pub ty: Option<Type>,
}

/// The types that matter: they say whether a value is signed, and whether a program's own declaration is of this function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are C's types")]
pub enum Type {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    Size,
    SignedSize,
    Pointer,
    /// `float`, `double` and `long double`: nothing is said of their values.
    Float,
    /// Whatever the program declares; also structs.
    Any,
}

/// Who decides a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The user of the program, at each call anew: nondeterministic calls. A divergence proof may choose it.
    Input,
    /// The user of the program, as the content of standard input, of a file or of a connection. It is an input, but finite, and
    /// two reads are not two choices where the first one met the end, which then comes again, or where the program has
    /// pushed a byte back. Whoever does not follow that must take it for environment; `translate::library::streams` does.
    Stream,
    /// Anybody else.
    Environment,
    /// The clock: environment that grows without bound.
    Time,
}

/// A number that depends on the arguments and on memory before the call. Sizes and bounds are exact, over the integers,
/// with each argument read by its type. In [`Returns::Exactly`] it is arithmetic of the result's type, and a signed overflow
/// is undefined behaviour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A constant.
    Number(i128),
    /// The value of an argument.
    Arg(Arg),
    /// The value that is returned: only in effects, which then come after it.
    Result,
    /// The index of an entry of a table: only in [`Returns::Table`].
    Index,
    /// `strlen(p)`: how many bytes come before the first zero byte, or before the end of the object if there is none.
    Length(Arg),
    /// `size(p)`: how many bytes there are from `p` to the end of the object that it points into.
    Size(Arg),
    /// `sizeof(type)` in bytes.
    SizeOf(Type),
    /// An operation on one number.
    Unary(UnaryOp, Box<Expr>),
    /// An operation on two numbers.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Operations on one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `!a`
    Not,
}

/// Operations on two numbers. A comparison gives 1 or 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are C's operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
}

/// What must hold at a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Requirement {
    /// `requires e`: it is not zero.
    Condition(Expr),
    /// `reads [up to] n bytes at p`: so many bytes from `p` on are inside one live object, whatever `p` is for `n` = 0.
    /// With `up to`, fewer bytes may do: the call may be undefined where there are not so many.
    Readable {
        /// The pointer.
        at: Arg,
        /// How many bytes.
        amount: Expr,
        /// Whether fewer may do.
        up_to: bool,
    },
    /// `reads string s [within [up to] n bytes][, or null]`: there is a zero byte before the end of the object, or at least so
    /// many bytes. With `up to` the call may be undefined where neither is so.
    String {
        /// The pointer.
        at: Arg,
        /// How many bytes are looked at.
        limit: Option<Expr>,
        /// Whether fewer may do.
        up_to: bool,
        /// Whether it may be null.
        or_null: bool,
    },
    /// `requires n bytes at a apart from m bytes at b`: the two ranges have no byte in common.
    Apart {
        /// One range.
        a: (Arg, Expr),
        /// The other.
        b: (Arg, Expr),
    },
    /// `requires p freeable`: null, or the start of a live object that came from `allocates` or `moves`.
    Freeable(Arg),
    /// `may be undefined`: there are more requirements, which this format cannot state.
    More,
}

/// What happens to memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// `writes …`
    Writes(Write),
    /// `frees p`: the object that it points to is gone; nothing happens where `p` is null.
    Frees(Arg),
    /// `calls f`: any number of times, one after the other, with arguments and memory that may be anything that the
    /// function can reach.
    Calls(Arg),
    /// `prints f`: a format of the `printf` family. Its `%s` arguments are read as strings; only `%n` writes, an
    /// integer of the environment through the argument for it. A format that is not known may have one.
    Prints(Arg),
    /// `scans f: kind`: a format of the `scanf` family. Each further argument is a pointer, through which the format's
    /// conversion is stored, or not, from some one on: those after it are as before.
    Scans(Arg, Kind),
    /// `changes all through p`: whatever can be reached from that pointer, through any number of pointers, is unknown.
    ChangesThrough(Arg),
    /// `changes or frees all through p`: and any of these objects may be gone.
    FreesThrough(Arg),
    /// `changes all through ...`: the same for each further argument.
    ChangesThroughRest,
    /// `keeps memory at p`: the library keeps the pointer, and what is behind it may be read and written at any later time.
    Keeps(Arg),
    /// `gives away p`: the library keeps the pointer, does not write behind it, and may give it back at any later time.
    GivesAway(Arg),
    /// `registers f at …`: this function, or one that can be reached through this pointer, runs on that occasion.
    Registers(Arg, Occasion),
    /// `changes memory`: all that other code than the caller may reach: globals, and what a pointer to has got out of
    /// the program's hands.
    ChangesMemory,
}

/// What a call does to streams: standard input, open files, connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamUse {
    /// `stream f: read`: it takes what comes next. What it returns says how that is seen: [`Returns::Read`].
    Read(Handle),
    /// `stream f: written`
    Written(Handle),
    /// `stream f: moved`: what comes next may have been read before, or come from elsewhere, or not come any more.
    Moved(Handle),
    /// `stream path: opened`, `stream path: opened as mode`: a file, from its beginning, with the mode of `fopen`.
    Opened {
        /// Its name.
        path: Arg,
        /// The mode.
        mode: Option<Arg>,
    },
    /// `streams: opened`: something new that nobody has read from, such as a connection.
    OpenedAnew,
    /// `streams: moved`: this may happen to any of them, standard input included.
    AllMoved,
}

/// The stream that a call uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handle {
    /// `standard input`
    StandardInput,
    /// The one that this argument stands for: a pointer to a `FILE`, or a descriptor.
    Arg(Arg),
}

/// `writes [up to] n bytes at p [+ offset]: content[, terminated] [if condition]`. Where not all these bytes are in one
/// live object the call is undefined; with `up to` it may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Write {
    /// The pointer.
    pub to: Arg,
    /// How many bytes after it the write starts.
    pub offset: Option<Expr>,
    /// How many bytes; none (`some bytes`) is any number.
    pub amount: Option<Expr>,
    /// Whether fewer bytes may be written, as the environment decides; the rest keeps its value.
    pub up_to: bool,
    /// What is written.
    pub content: Content,
    /// Whether at least one byte is written, and one of them is zero.
    pub terminated: bool,
    /// When it happens; else not.
    pub condition: Option<Expr>,
}

/// The bytes that are written, or that a new object has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Unknown bytes, decided by this party.
    Unknown(Kind),
    /// Bytes without a value yet.
    Uninitialised,
    /// Zero bytes.
    Zero,
    /// Each byte is this argument, converted to `unsigned char`.
    Byte(Arg),
    /// The bytes at this argument, as they were before the call.
    CopyOf(Arg),
    /// One pointer: to somewhere in the object that this argument points into, or just past its end.
    PointerInto(Arg),
}

/// What comes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Returns {
    /// Nothing, or something that nobody should use: an unknown value of the environment.
    Nothing,
    /// Any value, or any within bounds that belong to it. A pointer is any pointer that the outside may know of.
    Value {
        /// Who decides it.
        kind: Kind,
        /// The least value; none is the type's.
        low: Option<Expr>,
        /// The greatest value; none is the type's.
        high: Option<Expr>,
    },
    /// This value.
    Exactly(Expr),
    /// A new object of its own that must be freed.
    Fresh {
        /// Its size in bytes.
        size: Expr,
        /// What is in it.
        content: Content,
    },
    /// `realloc`: a new object, which has the bytes of the old one as far as they fit, then uninitialised ones; the old
    /// one is freed. With null from [`Returns::OrNull`] the old one stays; for a size of 0 it may be gone.
    Moved {
        /// The old object, or null.
        from: Arg,
        /// The new size in bytes.
        size: Expr,
    },
    /// A pointer into the object that this argument points into, at or after the argument.
    Within(Arg),
    /// A pointer to the start of an object of the library. It may be the same at each call, and its bytes are unknown
    /// anew after each call of any function that returns such a pointer.
    Static {
        /// Its size in bytes; none is any number.
        size: Option<Expr>,
        /// Who decides the bytes.
        kind: Kind,
        /// Whether there is a zero byte in it.
        terminated: bool,
        /// Whether the bytes may change at any time (`errno`).
        volatile: bool,
    },
    /// A pointer to a pointer to entry 0 of a constant table: `__ctype_b_loc`.
    Table {
        /// The type of an entry.
        entry: Type,
        /// The first index.
        low: i64,
        /// The last index.
        high: i64,
        /// The entry at [`Expr::Index`]; none is any constant of the environment.
        content: Option<Expr>,
    },
    /// A pointer to something that only the library knows, and no object of the program: `fopen`.
    Handle,
    /// That, or null as this party decides.
    OrNull(Kind, Box<Returns>),
    /// By a condition.
    If(Expr, Box<Returns>, Box<Returns>),
    /// `returns DATA, or END at the end, or FAILURE`: what a function returns that reads a stream. With `data` it has taken at least
    /// one byte from it. It stands alone, or behind `else`.
    Read {
        /// What it returns for something that was read.
        data: Box<Returns>,
        /// What it returns where nothing comes any more.
        end: Expr,
        /// What it may return for an error, if that is something else.
        fails: Option<Expr>,
    },
}

/// The call may not come back. This is decided first, before requirements and effects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    /// What happens instead.
    pub how: Ends,
    /// When.
    pub when: When,
}

/// What happens instead of coming back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// The program ends: `exit`, `abort`, a failed assertion.
    Trap,
    /// The run does not count: `__VERIFIER_assume(0)`.
    Stop,
    /// An exception or a panic: to the landing pad, if there is one, else the program ends.
    Throw,
}

/// When a call does not come back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum When {
    /// Always.
    Always,
    /// The environment decides.
    Perhaps,
    /// Where this is not zero.
    If(Expr),
    /// Where this is not zero the environment decides; else never.
    PerhapsIf(Expr),
}

impl Model {
    /// Whether it reads what comes from a stream, and may wait for it.
    pub fn reads_stream(&self) -> bool {
        let returns = |r: &Returns| match r {
            Returns::Read { .. } => true,
            Returns::Value { kind, .. } | Returns::Static { kind, .. } | Returns::OrNull(kind, _) => {
                *kind == Kind::Stream
            }
            _ => false,
        };
        let either = match &self.returns {
            Returns::If(_, a, b) => returns(a) || returns(b),
            one => returns(one),
        };
        either
            || self.effects.iter().any(|e| match e {
                Effect::Writes(w) => w.content == Content::Unknown(Kind::Stream),
                Effect::Scans(_, kind) => *kind == Kind::Stream,
                _ => false,
            })
    }
    /// Whether the entry says what the function writes. One that never comes back need not.
    pub fn says_what_it_writes(&self) -> bool {
        let writes = |e: &Effect| !matches!(e, Effect::Registers(..) | Effect::GivesAway(_));
        self.writes_nothing
            || self.special
            || self.again
            || self.jumps
            || !self.keeps.is_empty()
            || self.effects.iter().any(writes)
            || self.ends.as_ref().is_some_and(|e| e.when == When::Always)
    }
    /// Whether an entry that is about many functions, or about any arguments, may be about this one. Such an entry knows nothing
    /// of pointers that its parameters do not name, so that a function that takes one is another one; so is a function
    /// without a result, where the entry has one; and what is said to never come back must have been declared so.
    pub fn may_stand_for(&self, args: &[module::Type], result: &module::Type, noreturn: bool) -> bool {
        let pattern = self.name.contains('*');
        let ends = self.ends.as_ref().is_some_and(|e| e.when == When::Always);
        if ends {
            return !pattern || noreturn;
        }
        let open = pattern || self.params.is_empty();
        let unnamed = args.iter().skip(self.params.len());
        !open
            || unnamed.clone().all(|a| matches!(a, module::Type::Int(_) | module::Type::Float(_)))
                && !(pattern && self.result.is_some() && *result == module::Type::Void)
    }
    /// Whether a call with arguments and a result of these types is one of this function. A program may use a library's
    /// name for something else; what it declares differently must count as unknown.
    pub fn fits(&self, args: &[module::Type], result: &module::Type) -> bool {
        let enough = if self.variadic { args.len() >= self.params.len() } else { args.len() == self.params.len() };
        enough
            && self.params.iter().zip(args).all(|(p, a)| p.ty.is_none_or(|t| t.fits(a)))
            && (*result == module::Type::Void || self.result.is_none_or(|t| t.fits(result)))
    }
}

impl Type {
    /// Whether its values are read as signed. (`char` is, as on all targets that are modelled.)
    pub fn signed(self) -> bool {
        use Type::{Char, Int, Int128, Long, LongLong, Short, SignedChar, SignedSize};
        matches!(self, Char | SignedChar | Short | Int | Long | LongLong | Int128 | SignedSize)
    }

    /// How many bytes it has, if it is an integer or a pointer.
    pub fn bytes(self, model: DataModel) -> Option<u64> {
        let word = match model {
            DataModel::Lp64 => 8,
            DataModel::Ilp32 => 4,
        };
        Some(match self {
            Type::Bool | Type::Char | Type::SignedChar | Type::UnsignedChar => 1,
            Type::Short | Type::UnsignedShort => 2,
            Type::Int | Type::Unsigned => 4,
            Type::Long | Type::UnsignedLong | Type::Size | Type::SignedSize | Type::Pointer => word,
            Type::LongLong | Type::UnsignedLongLong => 8,
            Type::Int128 | Type::UnsignedInt128 => 16,
            Type::Float | Type::Any => return None,
        })
    }

    /// Whether a value of that type can be one of this. Widths may differ: old programs declare `int` for `long`.
    fn fits(self, ty: &module::Type) -> bool {
        match self {
            Type::Pointer => matches!(ty, module::Type::Ptr),
            Type::Float => matches!(ty, module::Type::Float(_)),
            Type::Any => true,
            _ => matches!(ty, module::Type::Int(_)),
        }
    }
}

/// All models that are known in a run.
#[derive(Debug, Default)]
pub struct Table {
    /// The text of entries that are parsed when they are asked for: a program calls few of the built-in ones.
    entries: Vec<entries::Entry<'static>>,
    /// By name, without those that have a `*`.
    exact: HashMap<Cow<'static, str>, Slot>,
    /// Names with `*`, the longest first; the first that matches counts.
    patterns: Vec<(Cow<'static, str>, Slot)>,
    /// Other names of functions.
    aliases: HashMap<Cow<'static, str>, Cow<'static, str>>,
    /// Whom to ask about what is not here.
    base: Option<&'static Table>,
}

/// An entry of the table under one of its names.
#[derive(Debug)]
struct Slot {
    /// An index into [`Table::entries`]; of no use where the model is there from the start.
    entry: usize,
    /// In a box, because most are never filled, and what is never touched costs no time.
    model: OnceLock<Box<Model>>,
}

/// The built-in tables: the names of the files and their texts.
const BUILTIN: &[(&str, &str)] = &[
    ("stdlib.models", include_str!("stdlib.models")),
    ("string.models", include_str!("string.models")),
    ("stdio.models", include_str!("stdio.models")),
    ("ctype.models", include_str!("ctype.models")),
    ("math.models", include_str!("math.models")),
    ("posix.models", include_str!("posix.models")),
    ("threads.models", include_str!("threads.models")),
    ("runtime.models", include_str!("runtime.models")),
];

impl Table {
    /// The models of what comes with the language.
    pub fn builtin() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| {
            let mut table = Table::default();
            table.exact.reserve(2000);
            for (file, text) in BUILTIN {
                let entries = entries::find(file, text).expect("the unit tests parse the built-in tables");
                for entry in entries {
                    let number = table.entries.len();
                    for name in &entry.names {
                        match entry.is {
                            entries::Is::Alias(target) => {
                                table.aliases.insert(Cow::Borrowed(name), Cow::Borrowed(target));
                            }
                            entries::Is::Function(..) => {
                                table.add(Cow::Borrowed(name), Slot { entry: number, model: OnceLock::new() });
                            }
                        }
                    }
                    table.entries.push(entry);
                }
            }
            table.sort();
            table
        })
    }

    /// The built-in table and the user's own ones, whose entries come first. Each is the name of a file and its text.
    pub fn with(files: &[(String, String)]) -> Result<Table, Failure> {
        let mut table = Table { base: Some(Table::builtin()), ..Table::default() };
        let mut seen: HashMap<&str, (&str, u32)> = HashMap::new();
        let mut aliases = Vec::new();
        for (file, text) in files {
            for entry in entries::find(file, text)? {
                for &name in &entry.names {
                    if let Some((file, line)) = seen.insert(name, (entry.file, entry.line)) {
                        return Err(entry.failure(&format!(
                            "`{name}` is described twice, first in {file}, line {line}: remove one of the two"
                        )));
                    }
                }
                match entry.is {
                    entries::Is::Alias(_) => aliases.push(entry),
                    entries::Is::Function(..) => {
                        for model in entry.models()? {
                            let name = Cow::Owned(model.name.clone());
                            table.add(name, Slot { entry: usize::MAX, model: OnceLock::from(Box::new(model)) });
                        }
                    }
                }
            }
        }
        table.sort();
        for entry in aliases {
            let entries::Is::Alias(target) = entry.is else { continue };
            if table.get(target).is_none() {
                return Err(entry.failure(&format!(
                    "there is no model of `{target}`: describe it with `function {target}(…)` in this file"
                )));
            }
            // Never an alias of an alias, so that none leads to itself.
            let target = table.aliases.get(target).cloned().unwrap_or_else(|| Cow::Owned(target.to_string()));
            for name in &entry.names {
                table.aliases.insert(Cow::Owned((*name).to_string()), target.clone());
            }
        }
        Ok(table)
    }

    /// The model of a function that has no body here. One whose body another may replace when the program is linked has none: what runs
    /// may be that body.
    pub fn of(&self, function: &module::Function) -> Option<&Model> {
        if function.defaulted { None } else { self.get(&function.name) }
    }

    /// The model of a function by its name in the object file.
    pub fn get(&self, name: &str) -> Option<&Model> {
        // Clang marks names that get no prefix of the target's with this byte.
        let name = name.strip_prefix('\x01').unwrap_or(name);
        self.function(self.aliases.get(name).map_or(name, |target| target))
    }

    /// The model of a function, if this is no other name of one.
    fn function(&self, name: &str) -> Option<&Model> {
        if let Some(slot) = self.exact.get(name) {
            return Some(self.model(name, slot));
        }
        if let Some((pattern, slot)) = self.patterns.iter().find(|(p, _)| matches(p, name)) {
            return Some(self.model(pattern, slot));
        }
        self.base.and_then(|b| b.get(name))
    }

    fn model<'a>(&'a self, name: &str, slot: &'a Slot) -> &'a Model {
        slot.model.get_or_init(|| {
            let model = self.entries[slot.entry].model(name);
            Box::new(model.expect("the unit tests parse every entry of the built-in tables"))
        })
    }

    fn add(&mut self, name: Cow<'static, str>, slot: Slot) {
        if name.contains('*') {
            self.patterns.push((name, slot));
        } else {
            self.exact.insert(name, slot);
        }
    }

    fn sort(&mut self) {
        self.patterns.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    }
}

/// Whether a name is one that the pattern describes: `*` stands for any characters, also none.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        // The first place is as good as any later one, because a `*` follows.
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    true
}
