//! Texts that are constant: how long they are, and what a format of the `printf` or `scanf` family asks for.
//!
//! That a call gets valid arguments is an assumption of verdicts. One that the constants of the program refute is none: a run that comes
//! to such a call is undefined. What a library then does is mostly to go on, so proofs that a run ends do not use it (`for_ends_only`); a
//! mistake here could hide an endless run, never invent an end.

use crate::module::{Constant, FloatKind, Module, Operand, Type};

/// The bytes of a constant text from where a pointer points to, and whether a zero byte follows them.
fn text<'m>(module: &'m Module, pointer: &Operand) -> Option<(&'m [u8], bool)> {
    let Operand::Constant(Constant::Global(g, offset)) = pointer else { return None };
    let global = &module.globals[g.0 as usize];
    if !global.constant {
        return None;
    }
    let offset = usize::try_from(*offset).ok()?;
    match global.init.as_ref()? {
        Constant::Bytes(bytes) => {
            let bytes = bytes.get(offset..)?;
            let end = bytes.iter().position(|b| *b == 0);
            Some((&bytes[..end.unwrap_or(bytes.len())], end.is_some()))
        }
        Constant::Zero(_) => ((offset as u64) < global.size).then_some((&[], true)),
        _ => None,
    }
}

/// The bytes of a constant string.
pub(in crate::translate) fn string<'m>(module: &'m Module, pointer: &Operand) -> Option<&'m [u8]> {
    text(module, pointer).filter(|(_, ends)| *ends).map(|(bytes, _)| bytes)
}

/// Whether a pointer is to constant bytes of which none is zero: no string.
pub(in crate::translate) fn never_ends(module: &Module, pointer: &Operand) -> bool {
    text(module, pointer).is_some_and(|(_, ends)| !ends)
}

/// A conversion of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conversion {
    /// How many further arguments say its width and its precision.
    stars: usize,
    /// Whether it takes nothing: `%*d` of `scanf`, `%m`.
    skips: bool,
    /// The least number of characters, as written.
    width: u64,
    /// Whether it has a precision, which may leave characters out.
    precise: bool,
    length: Length,
    letter: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Length {
    None,
    Char,
    Short,
    Long,
    LongLong,
    LongDouble,
}

/// The two families.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Prints,
    Scans,
}

/// A format: its conversions, and how many characters stand between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Format {
    pub(super) conversions: Vec<Conversion>,
    plain: u64,
}

impl Format {
    /// Reads a format; nothing where it has something that is not followed, such as `%2$d` or sets of characters.
    pub(super) fn parse(bytes: &[u8], family: Family) -> Option<Self> {
        let mut found = Self { conversions: Vec::new(), plain: 0 };
        let mut rest = bytes.iter().copied().peekable();
        while let Some(b) = rest.next() {
            if b != b'%' {
                found.plain += 1;
                continue;
            }
            let mut c =
                Conversion { stars: 0, skips: false, width: 0, precise: false, length: Length::None, letter: 0 };
            while let Some(&b) = rest.peek() {
                match b {
                    b'*' if family == Family::Scans => c.skips = true,
                    b'*' => c.stars += 1,
                    b'-' | b'+' | b' ' | b'#' | b'0' | b'\'' | b'I' if c.width == 0 && !c.precise => {}
                    b'.' => c.precise = true,
                    b'0'..=b'9' if c.precise => {}
                    b'0'..=b'9' => c.width = c.width.checked_mul(10)?.checked_add(u64::from(b - b'0'))?,
                    b'h' if c.length == Length::Short => c.length = Length::Char,
                    b'h' => c.length = Length::Short,
                    b'l' if c.length == Length::Long => c.length = Length::LongLong,
                    b'l' | b'z' | b't' => c.length = Length::Long,
                    b'j' | b'q' => c.length = Length::LongLong,
                    b'L' => c.length = Length::LongDouble,
                    _ => break,
                }
                rest.next();
            }
            let bare =
                c == Conversion { stars: 0, skips: false, width: 0, precise: false, length: Length::None, letter: 0 };
            c.letter = rest.next()?;
            match c.letter {
                b'%' if bare => {
                    found.plain += 1;
                    continue;
                }
                b'm' if family == Family::Prints => c.skips = true,
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b's' | b'p' | b'n' => {}
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {}
                _ => return None,
            }
            found.conversions.push(c);
        }
        Some(found)
    }

    /// Whether `%n` is among the conversions, which writes.
    pub(super) fn counts(&self) -> bool {
        self.conversions.iter().any(|c| c.letter == b'n')
    }

    /// Whether arguments of these types are what `printf` needs for it. More than that does no harm.
    pub(super) fn fits(&self, args: &[Type], pointer_bits: u32) -> bool {
        let mut args = args.iter();
        self.conversions.iter().all(|c| {
            (0..c.stars).all(|_| args.next() == Some(&Type::Int(32))) && (c.skips || c.takes(args.next(), pointer_bits))
        })
    }

    /// How many pointers `scanf` needs for it.
    pub(super) fn pointers(&self) -> usize {
        self.conversions.iter().filter(|c| !c.skips).count()
    }

    /// The numbers of the arguments that must be strings.
    pub(super) fn strings(&self) -> Vec<usize> {
        let mut next = 0;
        let mut found = Vec::new();
        for c in &self.conversions {
            next += c.stars;
            if c.letter == b's' {
                found.push(next);
            }
            next += usize::from(!c.skips);
        }
        found
    }

    /// How many characters are printed at least; `lengths` has those of arguments that are constant.
    pub(super) fn least(&self, lengths: impl Fn(usize, u8) -> Option<u64>) -> u64 {
        let mut next = 0;
        let mut sum = self.plain;
        for c in &self.conversions {
            next += c.stars;
            let known = if c.precise || c.length != Length::None || c.skips { None } else { lengths(next, c.letter) };
            let least = match c.letter {
                b's' | b'm' | b'n' => 0,
                // A wide zero is no character.
                b'c' if c.length != Length::None => 0,
                // Zero with the precision zero is nothing.
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' if c.precise => 0,
                _ => 1,
            };
            let width = if c.letter == b'n' { 0 } else { c.width };
            sum = sum.saturating_add(known.unwrap_or(least).max(width));
            next += usize::from(!c.skips);
        }
        sum
    }
}

impl Conversion {
    /// Whether `printf` may take an argument of this type for it.
    fn takes(self, ty: Option<&Type>, pointer_bits: u32) -> bool {
        let integer = match self.length {
            Length::None | Length::Char | Length::Short => 32,
            Length::Long => pointer_bits,
            Length::LongLong | Length::LongDouble => 64,
        };
        match (self.letter, ty) {
            (b'c', Some(Type::Int(w))) => *w == 32,
            (b'd' | b'i' | b'u' | b'o' | b'x' | b'X', Some(Type::Int(w))) => *w == integer,
            (b's' | b'p' | b'n', Some(Type::Ptr)) => true,
            (b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A', Some(Type::Float(kind))) => match self.length {
                Length::LongDouble => matches!(kind, FloatKind::X87 | FloatKind::Quad),
                _ => *kind == FloatKind::Double,
            },
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prints(text: &str) -> Format {
        Format::parse(text.as_bytes(), Family::Prints).expect("it is a format")
    }

    const INT: Type = Type::Int(32);
    const LONG: Type = Type::Int(64);
    const DOUBLE: Type = Type::Float(FloatKind::Double);

    #[test]
    fn arguments_are_of_the_types_that_a_format_needs() {
        let cases: &[(&str, &[Type], bool)] = &[
            ("no conversion, 100 %%", &[], true),
            ("%d", &[INT], true),
            ("%d", &[INT, LONG, DOUBLE], true),
            ("%d", &[], false),
            ("%d", &[LONG], false),
            ("%ld %zu %lld", &[LONG, LONG, LONG], true),
            ("%lu", &[INT], false),
            ("%hhx %hd", &[INT, INT], true),
            ("%s %p", &[Type::Ptr, Type::Ptr], true),
            ("%s", &[LONG], false),
            ("%-08.3f|%G", &[DOUBLE, DOUBLE], true),
            ("%f", &[INT], false),
            ("%Lf", &[DOUBLE], false),
            ("%*.*s", &[INT, INT, Type::Ptr], true),
            ("%*s", &[Type::Ptr], false),
            ("%m and %d", &[INT], true),
        ];
        for (text, types, fits) in cases {
            assert_eq!(prints(text).fits(types, 64), *fits, "{text} with {types:?}");
        }
        assert!(prints("%ld").fits(&[INT], 32));
        for text in ["%", "%2$d", "%k", "%l", "%*%%s"] {
            assert_eq!(Format::parse(text.as_bytes(), Family::Prints), None, "{text}");
        }
        assert!(prints("a%nb").counts() && !prints("%%n%d").counts());
        assert_eq!(Format::parse(b"%*d %d %7s", Family::Scans).expect("it is a format").pointers(), 2);
        assert_eq!(Format::parse(b"%[a-z]", Family::Scans), None);
    }

    #[test]
    fn the_least_number_of_characters() {
        let least = |text: &str| prints(text).least(|n, letter| (n == 0 && letter == b's').then_some(5));
        assert_eq!(least("abc%%"), 4);
        assert_eq!(least("%d,%c"), 3);
        assert_eq!(least("%10d"), 10);
        assert_eq!(least("%.0d"), 0);
        assert_eq!(least("%s!"), 6);
        assert_eq!(least("%.2s!"), 1);
        assert_eq!(least("%d%s"), 1);
        assert_eq!(prints("%d %s %*d %s").strings(), [1, 4]);
    }
}
