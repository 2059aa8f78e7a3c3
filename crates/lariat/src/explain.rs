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
    Page { name: "invariants", text: include_str!("../../../docs/engines/invariants.md") },
    Page { name: "lts", text: include_str!("../../../docs/lts.md") },
    Page { name: "c", text: include_str!("../../../docs/c.md") },
    Page { name: "models", text: include_str!("../../../docs/models.md") },
    Page { name: "certificates", text: include_str!("../../../docs/certificates.md") },
    Page { name: "unknown", text: include_str!("../../../docs/unknown.md") },
    Page { name: "fuzz", text: include_str!("../../../docs/fuzz.md") },
];

/// What reports print and where it is explained.
const ALSO: &[(&str, &str)] = &[
    ("Ranking", "certificates"),
    ("TransitionInvariant", "certificates"),
    ("Orbit", "certificates"),
    ("RecurrentSet", "certificates"),
    ("AbstractCycle", "certificates"),
    ("Inductive", "certificates"),
    ("Unreachable", "certificates"),
    ("Program", "certificates"),
    ("terminates", "certificates"),
    ("diverges", "certificates"),
];

/// The page of this name, or the one that explains what reports call so.
pub fn find(name: &str) -> Option<&'static Page> {
    let name = ALSO.iter().find(|(other, _)| *other == name).map_or(name, |(_, page)| page);
    PAGES.iter().find(|p| p.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format's page shows a system: it must be one.
    #[test]
    fn the_example_of_the_format_is_read() {
        let page = find("lts").expect("there is a page").text;
        let example: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("    ")).collect();
        let parsed = lariat_ir::lts::parse(&example.join("\n")).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(parsed.system.name, "zune");
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
