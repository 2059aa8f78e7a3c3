//! `lariat explain`

use super::{fail, print};
use crate::explain::{PAGES, explain, words};
use clap::Args;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// What to explain; without a name, what there is
    name: Option<String>,
}

pub(super) fn run(o: &Options) -> u8 {
    let text = match &o.name {
        None => {
            let rows: Vec<String> = PAGES.iter().map(|p| format!("  {:<14}{}", p.name, p.title())).collect();
            let words: Vec<&str> = words().collect();
            format!(
                "lariat explain NAME, with one of:\n{}\nor a word of a report:\n  {}\n",
                rows.join("\n"),
                words.join(", ")
            )
        }
        Some(name) => match explain(name) {
            Some(text) => text.to_owned(),
            None => {
                let names: Vec<&str> = PAGES.iter().map(|p| p.name).chain(words()).collect();
                return fail(&format!("there is no page `{name}`; the pages are: {}", names.join(", ")));
            }
        },
    };
    match print(&text) {
        Ok(()) => 0,
        Err(message) => fail(&message),
    }
}
