//! The pages behind `lariat explain`: those of `docs/`, so that there is one text of each.

/// A page.
pub struct Page {
    /// What the command calls it.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Page {
    /// Its heading.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

/// All pages.
pub const PAGES: &[Page] = &[
    Page { name: "orbit", text: include_str!("../../../docs/engines/orbit.md") },
    Page { name: "closed-set", text: include_str!("../../../docs/engines/closed-set.md") },
    Page { name: "ranking", text: include_str!("../../../docs/engines/ranking.md") },
    Page { name: "exits", text: include_str!("../../../docs/engines/exits.md") },
    Page { name: "path-automaton", text: include_str!("../../../docs/engines/path-automaton.md") },
    Page { name: "concolic", text: include_str!("../../../docs/engines/concolic.md") },
    Page { name: "invariants", text: include_str!("../../../docs/engines/invariants.md") },
    Page { name: "attach", text: include_str!("../../../docs/attach.md") },
    Page { name: "lts", text: include_str!("../../../docs/lts.md") },
    Page { name: "c", text: include_str!("../../../docs/c.md") },
    Page { name: "views", text: include_str!("../../../docs/views.md") },
    Page { name: "models", text: include_str!("../../../docs/models.md") },
    Page { name: "certificates", text: include_str!("../../../docs/certificates.md") },
    Page { name: "findings", text: include_str!("../../../docs/findings.md") },
    Page { name: "codes", text: include_str!("../../../docs/codes.md") },
    Page { name: "unknown", text: include_str!("../../../docs/unknown.md") },
    Page { name: "limits", text: include_str!("../../../docs/limits.md") },
    Page { name: "harness", text: include_str!("../../../docs/harness.md") },
    Page { name: "results", text: include_str!("../../../docs/results.md") },
    Page { name: "trace", text: include_str!("../../../docs/trace.md") },
    Page { name: "fuzz", text: include_str!("../../../docs/fuzz.md") },
];

/// What reports print and which page explains it as a whole.
const ALSO: &[(&str, &str)] = &[
    ("Ranking", "certificates"),
    ("TransitionInvariant", "certificates"),
    ("Orbit", "certificates"),
    ("RecurrentSet", "certificates"),
    ("AbstractCycle", "certificates"),
    ("Inductive", "certificates"),
    ("Unreachable", "certificates"),
    ("Program", "certificates"),
    ("json", "results"),
    ("run", "attach"),
];

/// The page of this name, or the one that explains what reports call so.
pub fn find(name: &str) -> Option<&'static Page> {
    let name = ALSO.iter().find(|(other, _)| *other == name).map_or(name, |(_, page)| page);
    PAGES.iter().find(|p| p.name == name)
}

/// The words of a report that have a section of their own.
pub fn words() -> impl Iterator<Item = &'static str> {
    sections("findings").map(|(heading, _)| heading)
}

/// The section on a word of a report.
fn section(word: &str) -> Option<&'static str> {
    sections("findings").find(|(heading, _)| *heading == word).map(|(_, text)| text)
}

/// The section on a code of results, in small letters, too.
fn code_section(code: &str) -> Option<&'static str> {
    let is_it = |heading: &str| heading.split_once(": ").is_some_and(|(c, _)| c.eq_ignore_ascii_case(code));
    sections("codes").find(|(heading, _)| is_it(heading)).map(|(_, text)| text)
}

/// The sections of a page, each with its heading.
fn sections(page: &str) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
    let mut rest = find(page).map_or("", |p| p.text);
    std::iter::from_fn(move || {
        let begin = rest.find("\n## ")? + 1;
        let text = &rest[begin..];
        let end = text.find("\n## ").map_or(text.len(), |end| end + 1);
        rest = &text[end.saturating_sub(1)..];
        Some((text[3..].lines().next()?, &text[..end]))
    })
}

/// What a name means: a page, or a section of one.
pub fn explain(name: &str) -> Option<&'static str> {
    section(name).or_else(|| code_section(name)).or_else(|| find(name).map(|p| p.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ir::AssumptionKind;
    use lariat_session::results::{Note, ReasonKind};

    /// The format's page shows a system: it must be one.
    #[test]
    fn the_example_of_the_format_is_read() {
        let page = find("lts").expect("there is a page").text;
        let example: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("    ")).collect();
        let parsed = lariat_ir::lts::parse(&example.join("\n")).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(parsed.system.name, "zune");
    }

    /// Every word that a result can have is explained.
    #[test]
    fn every_word_of_a_result_has_a_section() {
        use lariat_session::Verdict;
        use lariat_session::results::Intent;
        let verdicts = [Verdict::Terminates, Verdict::Diverges, Verdict::Unknown].map(Verdict::word);
        let intents = [Intent::EventLoop { waits_in: Vec::new() }, Intent::SpinWait, Intent::Halt];
        let intents: Vec<&str> = intents.iter().map(Intent::word).collect();
        let others = ["assumed", "when", "intent", "ends-only-by-overflow", "recursion", "certificates"];
        for word in verdicts.iter().chain(&intents).chain(&others) {
            let text = explain(word).unwrap_or_else(|| panic!("`{word}` is not explained"));
            assert!(text.starts_with('#') && text.len() > 100, "{word}: {text}");
        }
        let one = explain("halt").expect("it has a section");
        assert!(one.starts_with("## halt\n") && !one.contains("## recursion"), "{one}");
        assert!(words().any(|w| w == "event-loop"));
    }

    /// Every code has one meaning and one section, and every section is about a code.
    #[test]
    fn every_code_has_a_section() {
        let reasons = ReasonKind::ALL.iter().map(|k| (k.code(), k.title()));
        let assumptions = AssumptionKind::ALL.iter().map(|k| (k.code(), k.title()));
        let notes = Note::ALL.iter().map(|k| (k.code(), k.title()));
        let known: Vec<(&str, &str)> = reasons.chain(assumptions).chain(notes).collect();
        for (i, (code, title)) in known.iter().enumerate() {
            assert!(
                known[..i].iter().all(|(other, t)| other != code && t != title),
                "{code} {title} is not the only one"
            );
            let text = explain(code).unwrap_or_else(|| panic!("{code} is not explained"));
            assert!(text.starts_with(&format!("## {code}: {title}\n")) && text.len() > 100, "{code} {title}: {text}");
            assert_eq!(text.matches("## ").count(), 1, "{text}");
            assert_eq!(explain(&code.to_lowercase()), Some(text));
        }
        let headings: Vec<&str> = sections("codes").map(|(heading, _)| heading).collect();
        let stale: Vec<_> =
            headings.iter().filter(|h| !known.iter().any(|(c, t)| **h == format!("{c}: {t}"))).collect();
        assert!(stale.is_empty(), "{stale:?}");
        assert_eq!(headings.len(), known.len());
        assert!(headings.is_sorted(), "{headings:?}");
    }

    #[test]
    fn every_engine_has_a_page_with_the_five_headings() {
        for engine in lariat_engines::portfolio::ENGINES {
            let page = find(engine.name()).expect("an engine without a page cannot be explained");
            for heading in ["What it proves", "When it applies", "Example", "How the certificate is checked", "Paper"] {
                assert!(page.text.contains(&format!("## {heading}")), "{}: {heading}", page.name);
            }
        }
    }
}
