//! The result model, and its renderings: pure functions of it.

pub mod json;
mod text;

pub use text::render as text;

use crate::analyze::{Analysis, Verdict};
use lariat_check::Proved;
use lariat_engines::LoopResult;
use lariat_ir::cprint::c_expr;
use lariat_ir::{
    Certificate, Choice, Claim, Data, LocId, LoopId, Machine, Mode, Move, Op, Order, Property, Role, Span, State, Term,
    TransitionSystem, UnknownId, UnknownKind, Value, claim, lts,
};
use std::collections::HashMap;
use std::time::Duration;

/// The name of the result format.
pub const SCHEMA: &str = "lariat-results/1";

/// What is known of one input file.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file as the user named it.
    pub file: String,
    /// Its text, for excerpts.
    pub source: String,
    /// What was found, or why nothing could be.
    pub outcome: Result<Results, Failure>,
}

/// Why a file could not be analysed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The line and column, if there is one.
    pub place: Option<(u32, u32)>,
    /// One sentence, with the next step.
    pub message: String,
}

/// The results for one program.
#[derive(Clone, Debug)]
pub struct Results {
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is unknown.
    pub reason: Option<String>,
    /// The integer semantics.
    pub integers: String,
    /// The data model.
    pub data_model: String,
    /// The entry.
    pub entry: String,
    /// The loops, in the order of their places.
    pub loops: Vec<LoopReport>,
    /// What is left open besides loops.
    pub recursion: Vec<String>,
    /// What the verdicts rest on.
    pub assumptions: Vec<(String, Option<Span>)>,
    /// The proof of the verdict.
    pub certificate: Option<Data>,
    /// The system's hash.
    pub hash: String,
    /// The system's text.
    pub lts: String,
    /// Verdicts that contradict each other.
    pub contradictions: Vec<String>,
    /// How long it took.
    pub time: Duration,
}

/// The report of one loop.
#[derive(Clone, Debug)]
pub struct LoopReport {
    /// Its header's name.
    pub id: String,
    /// The function it is in.
    pub function: Option<String>,
    /// The file, line and column of its source.
    pub span: Span,
    /// The line and column of its location in the `.lts` file.
    pub place: (u32, u32),
    /// How many loops are around it, itself included.
    pub depth: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// For which initial states, as C; nothing if for all.
    pub when: Option<String>,
    /// Who proved it.
    pub engine: Option<&'static str>,
    /// The claim with its certificate.
    pub certificate: Option<Data>,
    /// The kind of the certificate.
    pub kind: Option<&'static str>,
    /// The run that does not end.
    pub witness: Option<Witness>,
    /// How often it can go round at most.
    pub bound: Option<String>,
    /// In words: what falls, or what repeats.
    pub because: Option<String>,
    /// Why the verdict is unknown.
    pub reason: Option<String>,
    /// Claims that the checker did not accept.
    pub rejected: Vec<String>,
    /// How long it took.
    pub time: Duration,
}

/// A run that does not end.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The inputs in the order in which they are read, and the first values of variables that matter.
    pub inputs: Vec<(String, String)>,
    /// The steps to the loop.
    pub stem: Vec<StepReport>,
    /// The steps around it.
    pub cycle: Vec<StepReport>,
}

/// One step of a run.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// The location that is left.
    pub at: String,
    /// Its source.
    pub span: Option<Span>,
    /// The location that is reached.
    pub to: String,
    /// The inputs that are read, with the values to give.
    pub inputs: Vec<(String, String)>,
    /// The variables that changed, with their new values.
    pub changed: Vec<(String, String)>,
}

/// Makes the results of an analysis.
pub fn results(
    ts: &TransitionSystem,
    file: &str,
    places: &HashMap<LocId, (u32, u32)>,
    data_model: &str,
    analysis: &Analysis,
) -> Results {
    let mut loops: Vec<LoopReport> =
        analysis.loops.iter().map(|l| loop_report(ts, file, places, analysis, l)).collect();
    loops.sort_by_key(|l| (l.place, l.depth));
    let mut used: Vec<_> = analysis.proved.iter().flat_map(|(_, p)| p.assumptions().iter().copied()).collect();
    used.extend(analysis.program.iter().flat_map(|p| p.assumptions().iter().copied()));
    used.sort_unstable();
    used.dedup();
    Results {
        verdict: analysis.verdict,
        reason: analysis.reason.clone(),
        integers: ts.integers.to_string(),
        data_model: data_model.to_owned(),
        entry: ts.name.clone(),
        loops,
        recursion: ts.obligations.iter().map(|o| o.text.clone()).collect(),
        assumptions: used
            .into_iter()
            .map(|a| (ts.assumptions[a].text.clone(), ts.assumptions[a].span.clone()))
            .collect(),
        certificate: analysis.program.as_ref().map(|p| claim::to_data(ts, p.claim())),
        hash: ts.hash().to_string(),
        lts: lts::print(ts),
        contradictions: analysis.contradictions.clone(),
        time: analysis.time,
    }
}

fn loop_report(
    ts: &TransitionSystem,
    file: &str,
    places: &HashMap<LocId, (u32, u32)>,
    analysis: &Analysis,
    result: &LoopResult,
) -> LoopReport {
    let id: LoopId = result.id;
    let this = &analysis.forest.loops[id];
    let header = &ts.locs[this.header];
    let place = places.get(&this.header).copied().unwrap_or((1, 1));
    let proof = analysis.proved.iter().find(
        |(_, p)| matches!(p.claim().property, Property::Terminates(h) | Property::Diverges(h) if h == this.header),
    );
    let verdict = match proof.map(|(_, p)| p.claim().property) {
        Some(Property::Terminates(_)) => Verdict::Terminates,
        Some(Property::Diverges(_)) => Verdict::Diverges,
        _ => Verdict::Unknown,
    };
    let claim = proof.map(|(_, p): &(&str, Proved)| p.claim());
    let reasons: Vec<String> =
        result.trials.iter().filter_map(|t| t.reason.as_ref().map(|r| format!("{}: {r}", t.engine))).collect();
    let rejected: Vec<String> = result.trials.iter().flat_map(|t| t.rejected.iter().cloned()).collect();
    let reason = (verdict == Verdict::Unknown).then(|| match (reasons.is_empty(), rejected.is_empty()) {
        (true, true) => "no engine looked at it".to_owned(),
        (true, false) => "a proof was found but not accepted by the checker".to_owned(),
        _ => reasons.join("; "),
    });
    LoopReport {
        id: header.name.clone(),
        function: header.function.clone(),
        span: header.span.clone().unwrap_or_else(|| Span { file: file.to_owned(), line: place.0, column: place.1 }),
        place,
        depth: this.depth,
        verdict,
        when: claim.filter(|c| c.when != ts.terms.tt()).map(|c| condition_words(ts, c.when)),
        engine: proof.map(|(engine, _)| *engine),
        certificate: claim.map(|c| claim::to_data(ts, c)),
        kind: claim.map(|c| c.certificate.kind()),
        witness: claim.and_then(|c| witness(ts, c)),
        bound: claim.and_then(|c| bound(ts, c)),
        because: claim.and_then(|c| because(ts, c)),
        reason,
        rejected,
        time: result.time,
    }
}

/// A term as C, with the names of the system.
fn as_c(ts: &TransitionSystem, t: Term) -> String {
    c_expr(&ts.terms, t, &|s| match (ts.terms.role(s), ts.terms.node(s).op) {
        (Some(Role::Old(v)), _) => format!("old({})", ts.vars[v].name),
        (_, Op::Symbol(id)) => ts.terms.symbol_data(id).name.clone(),
        _ => unreachable!("only symbols have names"),
    })
}

/// A condition on the initial states, as results write it.
pub fn condition_words(ts: &TransitionSystem, when: Term) -> String {
    as_c(ts, when)
}

/// A value as a reader writes it.
fn value_words(v: &Value) -> String {
    match v {
        Value::Bv(b) if b.width() == 1 => b.unsigned().to_string(),
        Value::Bv(b) => b.signed().to_string(),
        other => other.to_string(),
    }
}

/// The number of rounds that a ranking allows: an integer measure loses at least one each round and is at least zero
/// before it.
fn bound(ts: &TransitionSystem, c: &Claim) -> Option<String> {
    let (Certificate::Ranking { measures, .. }, Property::Terminates(header)) = (&c.certificate, c.property) else {
        return None;
    };
    let tuple = measures.get(&header)?;
    match (tuple.as_slice(), measures.len()) {
        ([m], 1) if m.order == Order::Int && !ts.terms.symbols(m.term).is_empty() => {
            let one_more = ts.terms.apply(Op::IntAdd, &[m.term, ts.terms.int(1)]);
            let simple = lariat_ir::simplify::simplify(&ts.terms, one_more);
            Some(format!("max(0, {})", as_c(ts, simple)))
        }
        _ => None,
    }
}

fn because(ts: &TransitionSystem, c: &Claim) -> Option<String> {
    match &c.certificate {
        Certificate::Ranking { measures, .. } => {
            let tuple = measures.values().next()?;
            let texts: Vec<String> = tuple.iter().map(|m| format!("`{}`", as_c(ts, m.term))).collect();
            let never_goes_round = tuple.len() == 1 && ts.terms.symbols(tuple[0].term).is_empty();
            Some(if never_goes_round {
                "it never comes back to its start".to_owned()
            } else if tuple.iter().all(|m| m.order == Order::Int) {
                format!(
                    "{} falls in every round, and a round starts only where it is at least zero",
                    texts.join(", then ")
                )
            } else {
                format!("{} falls in every round, and its type has finitely many values", texts.join(", then "))
            })
        }
        Certificate::TransitionInvariant { disjuncts, .. } => {
            let parts: Vec<String> = disjuncts.iter().map(|d| format!("`{}`", as_c(ts, d.relation))).collect();
            Some(format!(
                "any two visits are related by one of {}, and none of these goes on for ever",
                parts.join(", ")
            ))
        }
        Certificate::Orbit { .. } => Some("after the cycle everything that decides it is as it was before".into()),
        Certificate::RecurrentSet { set, .. } => {
            let parts: Vec<String> = set
                .iter()
                .map(|(l, t)| {
                    let what = if *t == ts.terms.tt() { "any state".to_owned() } else { format!("`{}`", as_c(ts, *t)) };
                    format!("{what} at `{}`", ts.locs[*l].name)
                })
                .collect();
            Some(format!("from {} the cycle leads back there", parts.join(" or ")))
        }
        _ => None,
    }
}

/// The run of a divergence certificate, replayed: stem and once around.
fn witness(ts: &TransitionSystem, c: &Claim) -> Option<Witness> {
    let machine = Machine::new(ts);
    let (start, stem, cycle): (&[Value], Vec<Planned<'_>>, Vec<Planned<'_>>) = match &c.certificate {
        Certificate::Orbit { start, stem, cycle, .. } => {
            (start, stem.iter().map(Planned::Choice).collect(), cycle.iter().map(Planned::Choice).collect())
        }
        Certificate::RecurrentSet { start, stem, arms, .. } => {
            // The cycle shown starts with the arm for the place where the stem ends.
            let end = stem.last().map_or(ts.entry, |m| ts.edges[m.edge].to);
            let arm = arms.iter().find(|a| a.from == end)?;
            (start, stem.iter().map(Planned::Move).collect(), arm.path.iter().map(Planned::Move).collect())
        }
        _ => return None,
    };
    let mut inputs = Vec::new();
    let needed = ts.terms.symbols(c.when);
    for (v, value) in ts.vars.iter().zip(start) {
        if ts.mode == Mode::Function || needed.contains(&v.term) {
            inputs.push((v.name.clone(), value_words(value)));
        }
    }
    let mut state = State { loc: ts.entry, values: start.to_vec() };
    let mut reports = Vec::new();
    for (i, step) in stem.iter().chain(&cycle).enumerate() {
        // With several arms the first one listed may be for other states than this one: what was shown so far stands.
        if machine.enabled(&state) != Ok(step.edge()) {
            break;
        }
        let mut chosen = Vec::new();
        let next = machine.take(&state, step.edge(), |u| {
            let value = step.value(ts, &state, u);
            if ts.unknowns[u].kind == UnknownKind::Input {
                chosen.push((ts.unknowns[u].name.clone(), value_words(&value)));
            }
            value
        });
        if i < stem.len() {
            inputs.extend(chosen.iter().cloned());
        }
        let changed = ts
            .vars
            .iter()
            .zip(state.values.iter().zip(&next.values))
            .filter(|(_, (a, b))| a != b)
            .map(|(v, (_, b))| (v.name.clone(), value_words(b)))
            .collect();
        reports.push(StepReport {
            at: ts.locs[state.loc].name.clone(),
            span: ts.edges[step.edge()].span.clone().or_else(|| ts.locs[state.loc].span.clone()),
            to: ts.locs[next.loc].name.clone(),
            inputs: chosen,
            changed,
        });
        state = next;
    }
    let around = reports.split_off(stem.len().min(reports.len()));
    Some(Witness { inputs, stem: reports, cycle: around })
}

enum Planned<'a> {
    Choice(&'a Choice),
    Move(&'a Move),
}

impl Planned<'_> {
    fn edge(&self) -> lariat_ir::EdgeId {
        match self {
            Self::Choice(c) => c.edge,
            Self::Move(m) => m.edge,
        }
    }
    fn value(&self, ts: &TransitionSystem, state: &State, u: UnknownId) -> Value {
        let chosen = match self {
            Self::Choice(c) => c.values.iter().find(|(w, _)| *w == u).map(|(_, v)| v.clone()),
            Self::Move(m) => m.inputs.iter().find(|(w, _)| *w == u).map(|(_, t)| {
                ts.terms.eval(*t, |s| match ts.terms.role(s) {
                    Some(Role::Var(v)) => state.value(v).clone(),
                    role => unreachable!("{role:?} in an input"),
                })
            }),
        };
        chosen.unwrap_or_else(|| ts.least(u))
    }
}
