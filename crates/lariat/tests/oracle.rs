//! Random systems whose truth is known, against the checker and the engines; `lariat fuzz` runs more of them.

use std::process::Command;

/// The columns of a kind's row in the table of `lariat fuzz`.
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
    let kinds = ["Inductive", "Orbit", "Program", "Ranking", "RecurrentSet", "TransitionInvariant", "Unreachable"];
    table
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let kind = words.first().filter(|k| kinds.contains(k))?;
            let number = |i: usize| words[i].parse().expect("the columns are numbers");
            Some(Row {
                kind: (*kind).to_owned(),
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

#[test]
fn thousands_of_random_systems_are_never_contradicted() {
    let o = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["fuzz", "--count", "3000", "--seed", "20261115", "--mutants", "2"])
        .output()
        .expect("the tool starts");
    let table = String::from_utf8(o.stdout).expect("the table is text");
    assert_eq!(o.status.code(), Some(0), "{table}");
    let rows = rows(&table);
    assert_eq!(rows.len(), 7, "{table}");
    for r in rows {
        assert!(r.minted > 500 && r.mutants > 500, "{}: too few to mean anything\n{table}", r.kind);
        assert_eq!(r.minted, r.accepted, "{}: every true certificate is accepted\n{table}", r.kind);
        assert!(r.invalid > 200 && r.rejected >= r.invalid, "{}: every invalid mutant is rejected\n{table}", r.kind);
        assert_eq!(r.incomplete, 0, "{}: nothing that keeps the rules is rejected\n{table}", r.kind);
    }
}

#[test]
fn the_same_seed_gives_the_same_table_with_any_number_of_jobs() {
    let table = |jobs: &str| {
        let o = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(["fuzz", "--count", "600", "--seed", "7", "--mutants", "1", "--jobs", jobs])
            .output()
            .expect("the tool starts");
        String::from_utf8(o.stdout).expect("the table is text")
    };
    assert_eq!(table("1"), table("2"));
}
