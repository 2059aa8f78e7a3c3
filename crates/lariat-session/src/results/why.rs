//! Why a run never ends, in sentences: what stays as it is, what comes back, what goes on changing in vain.

use super::reader::Reader;
use super::replay::Replay;
use super::words::{for_readers, readable};
use lariat_ir::{Certificate, Claim, Role, State, Term, Value, VarId};
use std::collections::BTreeSet;

/// How many variables a sentence speaks of.
const NAMED: usize = 5;
/// How many values of a variable are listed.
const LISTED: usize = 12;

/// Why a run does not end.
pub(super) struct Why {
    /// Sentences.
    pub sentences: Vec<String>,
    /// What holds again after every iteration, whatever the values are.
    pub in_general: Option<String>,
    /// The values that stay, as short as can be.
    pub stays: Option<String>,
}

/// Why the run of a certificate does not end.
pub(super) fn why(reader: &Reader<'_>, c: &Claim, run: &Replay) -> Why {
    let relevant = relevant(reader, run);
    let shown: Vec<VarId> = relevant.iter().copied().filter(|v| reader.is_visible(*v)).collect();
    let scalar = |v: &VarId| !matches!(run.states[0].value(*v), Value::Array(_));
    let (scalars, arrays): (Vec<VarId>, Vec<VarId>) = shown.into_iter().partition(scalar);
    let same = |a: &State, b: &State| a.loc == b.loc && relevant.iter().all(|v| a.value(*v) == b.value(*v));
    // The first rounds may still settle something.
    let lasso = (1..run.states.len()).find_map(|k| {
        let first = (0..k).find(|j| same(&run.states[*j], &run.states[k]))?;
        Some((first, k))
    });
    let period = lasso.map(|(first, k)| k - first);
    let (from, to) = lasso.unwrap_or((0, run.rounds.len()));
    let courses: Vec<(VarId, Vec<Value>)> = scalars.iter().map(|v| (*v, course(run, *v, from, to))).collect();
    let (moving, still): (Vec<_>, Vec<_>) = courses.into_iter().partition(|(_, values)| values.len() > 1);
    let mut sentences = Vec::new();
    let stays = stays(reader, &still);
    let iterations = |k: usize| if k == 1 { "one iteration".to_owned() } else { format!("{k} iterations") };
    match period {
        Some(_) if moving.is_empty() => {
            let array = arrays.iter().map(|v| reader.name(*v)).collect::<Vec<_>>().join(", ");
            let nothing = "nothing that decides how the loop goes on changes in it";
            sentences.push(match (&stays, arrays.is_empty()) {
                (Some(s), true) => format!("{nothing}: {s}"),
                (Some(s), false) => format!("{nothing}: {s}; neither does what it reads of {array}"),
                (None, true) if relevant.is_empty() => "no value decides whether it goes on".to_owned(),
                (None, true) => nothing.to_owned(),
                (None, false) => format!("{nothing}: not what it reads of {array}"),
            });
        }
        Some(k) => {
            let courses = moving.iter().take(NAMED).map(|(v, values)| listed(reader, *v, values, " -> "));
            let mut text = format!(
                "after {} the values are the same again: {}",
                iterations(k),
                courses.collect::<Vec<_>>().join("; ")
            );
            if let Some(s) = &stays {
                text.push_str("; ");
                text.push_str(s);
            }
            sentences.push(text);
        }
        None => {
            let courses = moving.iter().take(NAMED).map(|(v, values)| listed(reader, *v, values, ", ") + ", ...");
            let courses: Vec<String> = courses.collect();
            sentences.push(match (courses.is_empty(), &stays) {
                (false, _) => {
                    format!(
                        "values change from iteration to iteration, but never so that it ends: {}",
                        courses.join("; ")
                    )
                }
                (true, Some(s)) => format!("what decides it stays: {s}"),
                (true, None) => "every iteration leads to another one".to_owned(),
            });
        }
    }
    Why { sentences, in_general: in_general(reader, c, run), stays }
}

/// The variables that decide the first round: those that its conditions read, and those that these are computed from.
fn relevant(reader: &Reader<'_>, run: &Replay) -> BTreeSet<VarId> {
    let ts = reader.ts;
    let vars = |t: Term| {
        ts.terms.symbols(t).into_iter().filter_map(|s| match ts.terms.role(s) {
            Some(Role::Var(v)) => Some(v),
            _ => None,
        })
    };
    let edges: BTreeSet<_> = run.moments[run.stem..].iter().map(|m| m.edge).collect();
    let mut found: BTreeSet<VarId> = edges.iter().flat_map(|e| vars(ts.edges[*e].guard)).collect();
    loop {
        let more: Vec<VarId> = edges
            .iter()
            .flat_map(|e| &ts.edges[*e].updates)
            .filter(|(v, _)| found.contains(v))
            .flat_map(|(_, t)| vars(*t))
            .filter(|v| !found.contains(v))
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// The values of a variable during some rounds, each once in a row.
fn course(run: &Replay, v: VarId, from: usize, to: usize) -> Vec<Value> {
    let mut values = vec![run.states[from].value(v).clone()];
    for m in (from..to).flat_map(|n| run.round(n)) {
        if let Some((_, _, now)) = m.changed.iter().find(|(w, ..)| *w == v) {
            values.push(now.clone());
        }
    }
    values
}

/// `i`: 3 -> 2 -> 1
fn listed(reader: &Reader<'_>, v: VarId, values: &[Value], between: &str) -> String {
    let mut texts: Vec<String> = values.iter().map(|x| reader.value(v, x)).collect();
    if between == " -> " && texts.len() > LISTED {
        // The last one is the first one again.
        let last = texts.split_off(texts.len() - 2);
        texts.truncate(LISTED - 3);
        texts.push("...".to_owned());
        texts.extend(last);
    } else {
        texts.truncate(LISTED);
    }
    format!("`{}`: {}", reader.name(v), texts.join(between))
}

fn stays(reader: &Reader<'_>, still: &[(VarId, Vec<Value>)]) -> Option<String> {
    let parts: Vec<String> = still
        .iter()
        .filter(|(v, values)| !reader.is_as_passed(*v, &values[0]))
        .take(NAMED)
        .map(|(v, values)| format!("`{}` stays {}", reader.name(*v), reader.value(*v, &values[0])))
        .collect();
    let more = still.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more values stay") } else { String::new() };
    (!parts.is_empty()).then(|| parts.join(", ") + &more)
}

/// Whether a reader can take in a condition; one with an address of the model tells nothing.
fn is_short(text: &str) -> bool {
    let digits = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    text.len() <= 60 && digits <= Some(10)
}

/// What holds again after every iteration, whatever the values are.
fn in_general(reader: &Reader<'_>, c: &Claim, run: &Replay) -> Option<String> {
    let Certificate::RecurrentSet { set, .. } = &c.certificate else { return None };
    let ts = reader.ts;
    let condition = set.get(&run.states[0].loc)?;
    let all = ts.terms.conjuncts(*condition);
    let texts = all.iter().filter(|t| readable(reader, **t)).map(|t| for_readers(reader, *t)).filter(|t| is_short(t));
    let shown: Vec<String> = texts.map(|t| if t.contains("||") { format!("({t})") } else { t }).collect();
    if shown.is_empty() || shown.len() > 4 {
        return None;
    }
    // That nothing overflowed goes without saying, since such a run is no witness.
    let is_shadow = |t: &Term| {
        ts.terms.symbols(*t).iter().all(|s| match ts.terms.role(*s) {
            Some(Role::Var(v)) => ts.vars[v].name.ends_with(".poison"),
            _ => false,
        })
    };
    let others = all.iter().filter(|t| !is_shadow(t)).count() > shown.len();
    let among = if others { "among other things " } else { "" };
    Some(format!("an iteration that starts where {among}`{}` holds leads to where it holds again", shown.join(" && ")))
}
