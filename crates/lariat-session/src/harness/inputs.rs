//! The inputs of a run, in the order in which the program reads them.

use crate::analyze::Study;
use crate::results::contents::{contents, is_part, words};
use crate::results::replay::{Moment, Replay};
use crate::source::Source;
use dashu_int::IBig;
use lariat_ir::neutral::{Happening, Origin};
use lariat_ir::{Arm, Certificate, Claim, Id, UnknownId, UnknownKind, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a function returns: first these values, then those again and again.
#[derive(Clone, Default, Debug)]
pub(super) struct Returns {
    pub first: Vec<IBig>,
    pub again: Vec<IBig>,
}

/// The inputs of a run.
#[derive(Clone, Default, Debug)]
pub(super) struct Inputs {
    /// What functions return.
    pub functions: BTreeMap<String, Returns>,
    /// The parameters of the entry.
    pub parameters: Vec<(UnknownId, IBig)>,
    /// What standard input holds.
    pub standard_input: Vec<u8>,
    /// Words of the command line.
    pub words: BTreeMap<u64, Vec<u8>>,
}

impl Inputs {
    /// Those of a run; or what cannot be given from outside.
    pub(super) fn of(study: &Study, source: &Source, claim: &Claim, run: &Replay) -> Result<Self, String> {
        let mut follower = Follower { study, source, chosen: BTreeMap::new() };
        let mut inputs = Self { words: words(&study.ts, source, run), ..Self::default() };
        if let Some(read) = contents(&study.ts, source, run) {
            if !read.standard {
                return Err("it reads from a file or a connection".into());
            }
            inputs.standard_input = read.bytes;
        }
        for m in run.stem() {
            inputs.take(source, follower.step(m)?, true);
        }
        let mut rounds: Vec<Vec<(UnknownId, IBig)>> = Vec::new();
        for n in 0..run.rounds.len() {
            let mut round = Vec::new();
            for m in run.round(n) {
                round.extend(follower.step(m)?);
            }
            rounds.push(round);
        }
        // The rounds before those that come again and again, and these.
        let (once, again) = if all_alike(study, claim) {
            (0, 1)
        } else {
            repetition(&rounds)
                .ok_or("each round needs other inputs, which depend on what the rounds before computed")?
        };
        for (n, round) in rounds.into_iter().take(once + again).enumerate() {
            inputs.take(source, round, n < once);
        }
        if inputs.functions.keys().any(|f| !super::is_name(f)) {
            return Err("an input comes from a function whose name cannot be written in C".into());
        }
        Ok(inputs)
    }

    fn take(&mut self, source: &Source, values: Vec<(UnknownId, IBig)>, once: bool) {
        for (u, value) in values {
            match source.origin(u) {
                Some(Origin::Call { function, .. }) => {
                    let returns = self.functions.entry(function.clone()).or_default();
                    if once { &mut returns.first } else { &mut returns.again }.push(value);
                }
                _ => self.parameters.push((u, value)),
            }
        }
    }

    /// The functions in C. An assembler name keeps them apart from whatever the source declares.
    pub(super) fn definitions(&self) -> String {
        let mut out = String::new();
        for (name, returns) in &self.functions {
            let list = |values: &[IBig]| values.iter().map(super::memory::number).collect::<Vec<_>>().join(", ");
            let (n, m) = (returns.first.len(), returns.again.len());
            let _ = writeln!(out, "long long lariat_{name}(void) __asm__(\"{name}\");");
            let _ = writeln!(out, "long long lariat_{name}(void) {{\n    static unsigned long long calls;");
            let _ = writeln!(out, "    unsigned long long call = calls++;");
            if n > 0 {
                let _ = writeln!(out, "    static const long long first[] = {{ {} }};", list(&returns.first));
                let _ = writeln!(out, "    if (call < {n})\n        return first[call];");
            }
            if m > 0 {
                let _ = writeln!(out, "    static const long long again[] = {{ {} }};", list(&returns.again));
                let _ = writeln!(out, "    return again[(call - {n}) % {m}];\n}}\n");
            } else {
                let _ = writeln!(out, "    return 0;\n}}\n");
            }
        }
        out
    }
}

/// What puts the content of standard input into its place, as text of C: what is declared, and what runs first.
pub(super) fn standard_input(bytes: &[u8]) -> (String, String) {
    if bytes.is_empty() {
        return (String::new(), String::new());
    }
    let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
    let declared = format!(
        "/* What standard input holds. */\n\
         static const unsigned char lariat_input[] = {{ {} }};\n\
         int lariat_pipe(int *) __asm__(\"pipe\");\n\
         long lariat_write(int, const void *, unsigned long) __asm__(\"write\");\n\
         int lariat_dup2(int, int) __asm__(\"dup2\");\n\
         int lariat_close(int) __asm__(\"close\");\n\n",
        list.join(", ")
    );
    let first = "    int lariat_ends[2];\n    lariat_pipe(lariat_ends);\n    \
                 lariat_write(lariat_ends[1], lariat_input, sizeof lariat_input);\n    lariat_close(lariat_ends[1]);\n    \
                 lariat_dup2(lariat_ends[0], 0);\n";
    (declared, first.to_owned())
}

/// Whether all rounds of a proof ask for the same inputs: the run repeats, or there is one list of constants.
fn all_alike(study: &Study, claim: &Claim) -> bool {
    match &claim.certificate {
        Certificate::Orbit { .. } => true,
        Certificate::RecurrentSet { arms, .. } => {
            let inputs = |a: &Arm| a.path.iter().flat_map(|m| m.inputs.clone()).collect::<Vec<_>>();
            let constant = |a: &Arm| inputs(a).iter().all(|(_, t)| study.ts.terms.constant_value(*t).is_some());
            arms.iter().all(constant) && arms.windows(2).all(|w| inputs(&w[0]) == inputs(&w[1]))
        }
        _ => false,
    }
}

/// How many rounds come first, and how many then come again and again, if at least half of the rounds that were followed are seen to be
/// such repetitions, each at least three times.
fn repetition<T: PartialEq>(rounds: &[T]) -> Option<(usize, usize)> {
    let half = rounds.len() / 2;
    (1..=half / 3).find_map(|period| {
        let repeats = |n: &usize| rounds[*n] == rounds[n + period];
        (half..rounds.len() - period).all(|n| repeats(&n)).then(|| {
            let first = (0..half).rev().find(|n| !repeats(n)).map_or(0, |n| n + 1);
            (first, period)
        })
    })
}

struct Follower<'a> {
    study: &'a Study,
    source: &'a Source,
    chosen: BTreeMap<UnknownId, Value>,
}

impl Follower<'_> {
    /// The inputs that a step reads, in order.
    fn step(&mut self, m: &Moment) -> Result<Vec<(UnknownId, IBig)>, String> {
        let ts = &self.study.ts;
        self.chosen.extend(m.chosen.iter().cloned());
        let Some(trail) = self.source.trail(ts, m.edge) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for visit in trail {
            let Happening::Asked(u) = visit.what else { continue };
            let u = UnknownId::from_index(u);
            if ts.unknowns[u].kind != UnknownKind::Input {
                continue;
            }
            // What streams hold was found for all of them together, and so was the command line.
            if self.source.origin(u).is_some_and(is_part) {
                continue;
            }
            let least = ts.least(u);
            let value = self.chosen.get(&u).unwrap_or(&least);
            match self.source.origin(u) {
                Some(Origin::Parameter { .. } | Origin::Call { result: true, .. }) => {}
                Some(Origin::Call { function, .. }) => {
                    return Err(format!("`{function}` writes an input to memory"));
                }
                Some(Origin::Shared { .. } | Origin::Stream { .. }) | None => {
                    return Err(format!("it is not known how to give the input `{}`", ts.unknowns[u].name));
                }
            }
            if self.source.origins.floats.contains(&u.index()) {
                return Err(format!("the input `{}` is a floating-point number", ts.unknowns[u].name));
            }
            let seen = self.source.seen(u, value).ok_or("an input is no number")?;
            found.push((u, seen));
        }
        // What was chosen and is never asked for was for another way.
        self.chosen.clear();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::repetition;

    #[test]
    fn inputs_that_come_again_are_told_from_those_that_do_not() {
        assert_eq!(repetition(&[7; 12]), Some((0, 1)));
        assert_eq!(repetition(&[3, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]), Some((1, 2)));
        assert_eq!(repetition(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), None);
        assert_eq!(repetition(&[1, 1, 1, 1, 1, 1, 1, 1, 1, 2]), None, "the last one is another one");
        assert_eq!(repetition(&[1, 1]), None, "too few to tell");
        assert_eq!(repetition::<i32>(&[]), None);
    }
}
