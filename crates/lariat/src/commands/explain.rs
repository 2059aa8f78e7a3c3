//! `lariat explain`

use super::{fail, print};
use crate::explain::{PAGES, find};
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
            format!("lariat explain NAME, with one of:\n{}\n", rows.join("\n"))
        }
        Some(name) => match find(name) {
            Some(page) => page.text.to_owned(),
            None => {
                let names: Vec<&str> = PAGES.iter().map(|p| p.name).collect();
                return fail(&format!("there is no page `{name}`; the pages are: {}", names.join(", ")));
            }
        },
    };
    match print(&text) {
        Ok(()) => 0,
        Err(message) => fail(&message),
    }
}
