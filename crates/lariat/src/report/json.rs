//! Results as JSON, `lariat-results/1`.

use lariat_session::document::Document;
use lariat_session::results::Program;

/// One program as it is, several under `programs`.
pub fn render(programs: &[Program]) -> String {
    Document::from(programs).print()
}

/// What [`render`] gives for several programs, from what it gives for each: one as it is, several under `programs`.
pub fn together(mut rendered: Vec<String>) -> String {
    if rendered.len() == 1 {
        return rendered.swap_remove(0);
    }
    let mut text = render(&[]);
    let end = text.rfind("[]").expect("there are no programs in it");
    let rest = text.split_off(end);
    text.push('[');
    for (i, program) in rendered.iter().enumerate() {
        text.push_str(if i == 0 { "\n" } else { ",\n" });
        // A line break within a text of JSON is written as an escape: each line is one of the layout.
        for (j, line) in program.lines().enumerate() {
            text.push_str(if j == 0 { "    " } else { "\n    " });
            text.push_str(line);
        }
    }
    text.push_str(if rendered.is_empty() { "]" } else { "\n  ]" });
    text.push_str(&rest["[]".len()..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_session::results::Failure;
    use std::collections::BTreeMap;

    #[test]
    fn programs_that_are_rendered_one_by_one_give_the_same_text() {
        let program = |message: &str| Program {
            file: "a.c".to_owned(),
            sources: BTreeMap::new(),
            outcome: Err(Failure { place: None, message: message.to_owned() }),
            harnesses: Vec::new(),
        };
        let all = [program("one\nline \u{2028} \r and another"), program("[]"), program("")];
        for n in 0..=all.len() {
            let alone = all[..n].iter().map(|p| render(std::slice::from_ref(p))).collect();
            assert_eq!(together(alone), render(&all[..n]), "{n} programs");
        }
    }
}
