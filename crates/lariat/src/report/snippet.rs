//! What of a source file is shown and underlined.

use lariat_ir::Span;
use std::ops::Range;

/// The bytes of a loop's first line at a place: a keyword with what stands in parentheses behind it, or a word.
///
/// This is for the eye only; what a loop is was found out from the compiled program.
pub(super) fn loop_span(source: &str, place: &Span) -> Option<Range<usize>> {
    let word = word_span(source, place)?;
    let head = head_before(source, word.start).filter(|h| with_condition(source, h).end > word.start);
    Some(with_condition(source, &head.unwrap_or(word)))
}

/// The last `while` or `for` before a place, in the same line: what is known may be the place of the condition.
fn head_before(source: &str, at: usize) -> Option<Range<usize>> {
    let start = source[..at].rfind('\n').map_or(0, |n| n + 1);
    let line = &source[start..at];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let found = ["while", "for"].into_iter().filter_map(|w| Some((line.rfind(w)?, w))).max()?;
    let (begin, end) = (found.0, found.0 + found.1.len());
    let whole = !line[..begin].ends_with(is_word) && !line[end..].starts_with(is_word);
    whole.then_some(start + begin..start + end)
}

/// A keyword with what stands in parentheses behind it, or the word alone.
fn with_condition(source: &str, word: &Range<usize>) -> Range<usize> {
    if !matches!(&source[word.clone()], "while" | "for" | "if" | "switch") {
        return word.clone();
    }
    let rest = &source[word.end..];
    let open = rest.find(|c: char| !c.is_whitespace()).unwrap_or(0);
    if !rest[open..].starts_with('(') {
        return word.clone();
    }
    let mut depth = 0_u32;
    for (at, c) in rest[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return word.start..word.end + open + at + 1,
            ')' => depth -= 1,
            // A loop whose head has several lines is shown by its keyword.
            '\n' | '"' | '\'' => return word.clone(),
            _ => {}
        }
    }
    word.clone()
}

/// The bytes of the word at a line and column; a column 0 is not known, and the line's first word stands for it.
pub(super) fn word_span(source: &str, place: &Span) -> Option<Range<usize>> {
    let mut offset = 0;
    for (i, text) in source.split_inclusive('\n').enumerate() {
        if i + 1 == place.line as usize {
            let indent = text.chars().take_while(|c| c.is_whitespace()).count();
            let before = (place.column as usize).checked_sub(1).unwrap_or(indent);
            let start: usize = text.chars().take(before).map(char::len_utf8).sum();
            let rest = text.get(start..)?;
            let word: usize = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum();
            let end = start + word.max(rest.chars().next().map_or(0, char::len_utf8));
            return Some(offset + start..offset + end);
        }
        offset += text.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str, line: u32, column: u32) -> &str {
        let place = Span { file: "a.c".into(), line, column };
        &source[loop_span(source, &place).expect("the place is there")]
    }

    #[test]
    fn a_loop_is_underlined_with_its_condition() {
        assert_eq!(shown("x;\n  while (f(x) > (1)) {\n", 2, 3), "while (f(x) > (1))");
        assert_eq!(shown("for(;;) x++;", 1, 1), "for(;;)");
        assert_eq!(shown("do x++; while (x);", 1, 1), "do");
        assert_eq!(shown("while (a &&\n b) {}", 1, 1), "while");
        assert_eq!(shown("while (c != ')') {}", 1, 1), "while");
        assert_eq!(shown("again: x++; goto again;", 1, 1), "again");
        assert_eq!(shown("while", 1, 1), "while");
        // The place of the condition.
        assert_eq!(shown("  while( loc < len ) {", 1, 10), "while( loc < len )");
        assert_eq!(shown("  for (i = 0; i < n; i++) f(i);", 1, 15), "for (i = 0; i < n; i++)");
        assert_eq!(shown("  for (;;) x = f(i);", 1, 16), "f");
    }
}
