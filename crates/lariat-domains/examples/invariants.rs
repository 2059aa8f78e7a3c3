//! Prints what holds at the locations of systems in the text form: `invariants [intervals|octagons|polyhedra] FILE...`
//!
//! A file may hold several systems, one after the other. The time of each analysis goes to standard error.

use lariat_domains::{Layer, Options, invariants};
use lariat_ir::{LoopForest, lts};
use std::time::Instant;

fn main() {
    let mut layer = Layer::Polyhedra;
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "intervals" => layer = Layer::Intervals,
            "octagons" => layer = Layer::Octagons,
            "polyhedra" => layer = Layer::Polyhedra,
            file => show(file, layer),
        }
    }
}

fn show(file: &str, layer: Layer) {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) => return eprintln!("{file}: {e}"),
    };
    let starts: Vec<usize> = text.match_indices("lts 1\n").map(|(i, _)| i).collect();
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(text.len());
        let ts = match lts::parse(&text[*start..end]) {
            Ok(parsed) => parsed.system,
            Err(e) => return eprintln!("{file}: {e}"),
        };
        let forest = LoopForest::of(&ts);
        let begun = Instant::now();
        let found = invariants(&ts, &forest, &Options::new(layer));
        let millis = begun.elapsed().as_secs_f64() * 1000.0;
        let (locs, vars) = (ts.locs.len(), ts.vars.len());
        eprintln!("{file} {}: {locs} locations, {vars} variables, {millis:.2} ms, {:?}", ts.name, found.layer);
        for (l, parts) in &found.at {
            let parts: Vec<String> = parts.iter().map(|t| lts::print_term(&ts, *t)).collect();
            println!("{}: {}", ts.locs[*l].name, parts.join(" && "));
        }
    }
}
