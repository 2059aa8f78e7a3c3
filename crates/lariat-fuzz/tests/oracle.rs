//! Random systems whose truth is known, against the checker and the engines; `./lariat fuzz` runs more of them.
//!
//! A long test (`LARIAT_LONG=1`, which `./test --long` sets) takes three times as many of them.

use std::process::Command;

/// How many systems, of so many in a long test.
fn sized(long: u64) -> u64 {
    let is_long = std::env::var_os("LARIAT_LONG").is_some_and(|v| !v.is_empty() && v != "0");
    if is_long { long } else { long / 3 }
}

/// The columns of a kind's row in the table of `./lariat fuzz`.
struct Row {
    kind: String,
    minted: u64,
    accepted: u64,
    mutants: u64,
    invalid: u64,
    rejected: u64,
    incomplete: u64,
}

fn rows(table: &str) -> Vec<Row> {
    table
        .lines()
        .filter_map(|line| {
            // A kind's name may have several words; ten numbers follow it.
            let words: Vec<&str> = line.split_whitespace().collect();
            let numbers: Vec<u64> = words.iter().rev().map_while(|w| w.parse().ok()).collect();
            if numbers.len() != 10 {
                return None;
            }
            let number = |i: usize| numbers[10 - i];
            Some(Row {
                kind: words[..words.len() - 10].join(" "),
                minted: number(1),
                accepted: number(3),
                mutants: number(4),
                invalid: number(6),
                rejected: number(7),
                incomplete: number(9),
            })
        })
        .collect()
}

/// All engines run to their end on each: a few hundred systems take as long as thousands take the checker alone.
#[test]
fn the_engines_never_contradict_the_truth_of_random_systems() {
    let o = Command::new(env!("CARGO_BIN_EXE_lariat-fuzz"))
        .args(["--count", &sized(300).to_string(), "--seed", "1511", "--mutants", "0"])
        .output()
        .expect("the tool starts");
    assert_eq!(o.status.code(), Some(0), "{}", String::from_utf8_lossy(&o.stdout));
}

#[test]
fn thousands_of_random_systems_do_not_deceive_the_checker() {
    let o = Command::new(env!("CARGO_BIN_EXE_lariat-fuzz"))
        .args(["--count", &sized(3000).to_string()])
        .args(["--seed", "20261115", "--mutants", "2", "--no-engines"])
        .output()
        .expect("the tool starts");
    let table = String::from_utf8(o.stdout).expect("the table is text");
    assert_eq!(o.status.code(), Some(0), "{table}");
    let rows = rows(&table);
    let kinds: Vec<&str> = rows.iter().map(|r| r.kind.as_str()).collect();
    let expected = [
        "Inductive",
        "Orbit",
        "Program",
        "Ranking",
        "Ranking over inner",
        "RecurrentSet",
        "TransitionInvariant",
        "Unreachable",
    ];
    assert_eq!(kinds, expected, "{table}");
    for r in rows {
        assert!(r.minted > sized(200) && r.mutants > sized(400), "{}: too few to mean anything\n{table}", r.kind);
        assert_eq!(r.minted, r.accepted, "{}: every true certificate is accepted\n{table}", r.kind);
        assert!(
            r.invalid > sized(50) && r.rejected >= r.invalid,
            "{}: every invalid mutant is rejected\n{table}",
            r.kind
        );
        assert_eq!(r.incomplete, 0, "{}: nothing that keeps the rules is rejected\n{table}", r.kind);
    }
}

#[test]
fn the_same_seed_gives_the_same_table_with_any_number_of_jobs() {
    let table = |jobs: &str| {
        let o = Command::new(env!("CARGO_BIN_EXE_lariat-fuzz"))
            .args(["--count", &sized(100).to_string(), "--seed", "7", "--mutants", "1", "--jobs", jobs])
            .output()
            .expect("the tool starts");
        assert_eq!(o.status.code(), Some(0));
        String::from_utf8(o.stdout).expect("the table is text")
    };
    assert_eq!(table("1"), table("2"));
}
