//! What proofs rest on and nobody has shown.

use crate::codes;
use crate::system::Span;

/// Something that was taken for granted when a system was made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Assumption {
    /// What kind of thing it is.
    pub kind: AssumptionKind,
    /// In words: "`read` returns".
    pub text: String,
    /// Where it was made.
    pub span: Option<Span>,
}

impl Assumption {
    /// One that holds everywhere.
    pub fn everywhere(kind: AssumptionKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), span: None }
    }
}

codes! {
    /// The kinds of assumptions. A new one needs a section in `docs/codes.md`.
    pub enum AssumptionKind {
        Stated = "L0200", "the system states it";
        Returns = "L0201", "a function returns";
        Arguments = "L0202", "a library function gets valid arguments";
        FiniteInput = "L0203", "what is read comes to an end";
        Handlers = "L0204", "no handler runs that is not followed";
        Callbacks = "L0205", "what a library function calls returns";
        AssemblyGoesOn = "L0206", "inline assembly goes on behind it";
        AssemblyEffects = "L0207", "inline assembly changes only what it says";
        Variadic = "L0208", "further arguments are as expected";
        Device = "L0209", "there is a device at an address";
        Rounding = "L0210", "other code leaves the rounding mode alone";
        Precision = "L0211", "floating-point operations round to their own type";
        CommandLine = "L0212", "the program is called with its name";
        MemoryBefore = "L0213", "memory from before is one object";
        JumpTargets = "L0214", "a jump goes to one of its targets";
        Room = "L0215", "there is room for the objects that are made";
        NoEffect = "L0216", "an instruction has no effect but its result";
        Excludes = "L0217", "a function of the program excludes runs";
        Locale = "L0218", "the locale is that of C";
        PointerInto = "L0219", "a function returns a pointer into its argument";
        Model = "L0220", "a model states it";
        Threads = "L0221", "threads are not followed";
        Signals = "L0222", "no signal comes from outside";
        AtExit = "L0223", "functions that run at exit return";
        Undisturbed = "L0224", "nobody interferes with the process";
        NotEnded = "L0225", "what could still end the loop does not happen";
        EffectiveTypes = "L0226", "memory is accessed by the types that it was written by";
        CalledFunctions = "L0227", "a call through a pointer runs a function that its file puts there";
        MainOnce = "L0228", "nobody else calls `main`";
    }
}

impl AssumptionKind {
    /// The word for it in the text forms of systems and of models.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Returns => "returns",
            Self::Arguments => "arguments",
            Self::FiniteInput => "finite",
            Self::Handlers => "handlers",
            Self::Callbacks => "callbacks",
            Self::AssemblyGoesOn => "assembly",
            Self::AssemblyEffects => "outputs",
            Self::Variadic => "variadic",
            Self::Device => "device",
            Self::Rounding => "rounding",
            Self::Precision => "precision",
            Self::CommandLine => "argc",
            Self::MemoryBefore => "before",
            Self::JumpTargets => "targets",
            Self::Room => "room",
            Self::NoEffect => "effect",
            Self::Excludes => "excludes",
            Self::Locale => "locale",
            Self::PointerInto => "pointer",
            Self::Model => "model",
            Self::Threads => "threads",
            Self::Signals => "signals",
            Self::AtExit => "exit",
            Self::Undisturbed => "process",
            Self::NotEnded => "unless",
            Self::EffectiveTypes => "types",
            Self::CalledFunctions => "pointers",
            Self::MainOnce => "main",
        }
    }
    /// The kind that a word stands for.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_stands_for_one_kind() {
        for kind in AssumptionKind::ALL {
            assert_eq!(AssumptionKind::of_word(kind.word()), Some(*kind));
        }
        assert_eq!(AssumptionKind::of_word("hope"), None);
    }
}
