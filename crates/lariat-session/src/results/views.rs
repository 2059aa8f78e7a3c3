//! What views add to the results: loops that end by themselves, and every loop of the source that no entry tells of.

use super::combine::loop_report;
use super::{EntryReport, LoopReport, Reason, Subject, SystemReport, ViewReport};
use crate::analyze::{EntryStudy, Verdict};
use crate::views::{ViewStudy, Views};
use lariat_check::view::{Condition, Cover, Effects, Left, Rest};
use lariat_ir::function::Functions;
use lariat_ir::{Assumption, LoopCopy, LoopKey, lts};
use std::collections::BTreeSet;

/// What else views say.
#[derive(Default)]
pub(super) struct Found {
    /// What their verdicts rest on.
    pub rests: Vec<Assumption>,
    /// Verdicts that contradict those of entries.
    pub contradictions: Vec<String>,
    /// A function that runs from an entry may come to, of which a loop ends under a condition.
    pub condition: Option<String>,
}

/// Puts what views say into the reports of the loops and of the entries.
pub(super) fn with_views(
    file: &str,
    all: &mut Vec<LoopReport>,
    views: &Views,
    mut cover: Cover<'_>,
    entries: &mut [EntryReport],
    is_told: &dyn Fn(&LoopKey) -> bool,
) -> Found {
    let mut contradictions = Vec::new();
    let Some(functions) = views.functions.as_deref() else { return Found::default() };
    // What an overflow decides is not said to end, nor is what holds it.
    let overflows: BTreeSet<&LoopKey> =
        all.iter().filter(|l| is_by_overflow(l)).filter_map(LoopReport::source).collect();
    let overflows: BTreeSet<LoopKey> = overflows.into_iter().cloned().collect();
    let key = |of: &(usize, usize)| functions.list[of.0].loops[of.1].key.clone();
    let is_clear = |rest: &Rest| !rest.loops.iter().any(|of| overflows.contains(&key(of)));
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let mut condition = None;
    // The entries in which a loop hung that ends under a condition.
    let mut settled: BTreeSet<String> = BTreeSet::new();
    let is_closed = functions.whole && entries.iter().all(|e| e.verdict == Verdict::Terminates);
    let reached = functions.reached();
    let replaceable = functions.reachable(functions.replaceable.iter().copied());
    // A body that may be replaced was not followed from any entry.
    let is_excluded = |f: usize| !reached.contains(&f) || is_closed && !replaceable.contains(&f);
    for (f, function) in functions.list.iter().enumerate() {
        for (l, this) in function.loops.iter().enumerate() {
            if !functions.told.contains(&f) {
                continue;
            }
            let known = all.iter().position(|r| r.source() == Some(&this.key));
            let rest = cover.ends(f, l);
            let verdict = known.map(|n| (all[n].verdict, all[n].when.is_some()));
            match (&rest, verdict) {
                (Ok(rest), Some((Verdict::Diverges, _))) if rest.conditions.is_empty() => {
                    contradictions.push(format!("{} was proved to run for ever, and its view to end", this.key));
                }
                // A cyclic list makes it hang, as the condition has it. Where the list is that of an unknown caller it is for him to know.
                (Ok(rest), Some((Verdict::Diverges, _)))
                    if functions.whole
                        || !is_clear(rest)
                        || known.is_none_or(|n| !is_given(functions, views, rest, &all[n])) => {}
                (Ok(rest), _) if is_clear(rest) && is_news(verdict, rest) => {
                    let Some(view) = views.of((f, l)) else { continue };
                    let needs = rest.loops.iter().filter(|of| **of != (f, l)).map(key).collect();
                    let when = conditions(functions, views, (f, l), rest);
                    // A condition of another loop may fail in a run that does not stay there.
                    let is_own = rest.conditions.len() == 1 && rest.conditions.contains(&(f, l));
                    let exactly = is_own && view.when.as_ref().is_some_and(Condition::is_exact);
                    let mut report = LoopReport { when, exactly, ..proved(file, functions, view, needs) };
                    if matches!(view.when, Some(Condition::Acyclic(_))) {
                        report.why = vec![
                            "each iteration goes on to a cell behind the one before, and there are finitely many"
                                .to_owned(),
                        ];
                        report.bound = None;
                    }
                    used.extend(&rest.assumed);
                    let is_reached = !functions.whole || !is_excluded(f);
                    if report.when.is_some() && is_reached {
                        condition.get_or_insert_with(|| function.shown.clone());
                    }
                    match known {
                        Some(n) => {
                            let before = std::mem::replace(&mut all[n], report);
                            if before.verdict == Verdict::Diverges {
                                settled.insert(before.entry.clone());
                                settled.extend(before.others.iter().map(|o| o.entry.clone()));
                            }
                            let this = &mut all[n];
                            this.time += before.time;
                            this.attempts.splice(0..0, before.attempts);
                        }
                        None => all.push(report),
                    }
                }
                (Ok(_), None) => all.push(open(functions, (f, l), Reason::OnlyByOverflow { hangs: None })),
                // The entry holds it, and nothing goes around in it.
                (Err(_), None) if is_told(&this.key) => {}
                // Calls do not lead there, or the whole program was followed and comes to no such loop.
                (Err(_), None) if functions.whole && is_excluded(f) => {
                    all.push(open(functions, (f, l), Reason::NotReached));
                }
                (Err(left), None) => all.push(open(functions, (f, l), reason(functions, views, (f, l), left))),
                _ => {}
            }
        }
    }
    for (entry, f) in entries.iter_mut().zip(&functions.entries) {
        if let Ok(rest) = cover.program(*f)
            && entry.verdict == Verdict::Unknown
            && is_clear(&rest)
            && !matches!(entry.reason, Some(Reason::OnlyByOverflow { .. } | Reason::MayWrap))
        {
            used.extend(&rest.assumed);
            (entry.verdict, entry.reason) = (Verdict::Terminates, None);
            entry.needs = Some(rest.loops.iter().map(key).collect());
        }
        // What hung there ends under a condition: nothing else is known to hang.
        let hangs = |l: &LoopReport| l.verdict == Verdict::Diverges && l.entry == entry.name;
        if entry.verdict == Verdict::Diverges && settled.contains(&entry.name) && !all.iter().any(hangs) {
            entry.verdict = Verdict::Unknown;
            entry.reason = Some(Reason::UnderCondition(functions.list[*f].shown.clone()));
            entry.certificate = None;
        }
    }
    Found { condition, rests: used.into_iter().map(|n| cover.assumptions()[n].clone()).collect(), contradictions }
}

/// Whether what a view says is more than what is known of a loop: its verdict, and whether that has a condition.
fn is_news(known: Option<(Verdict, bool)>, rest: &Rest) -> bool {
    match known {
        None | Some((Verdict::Unknown | Verdict::Diverges, _)) => true,
        Some((Verdict::Terminates, has_condition)) => has_condition && rest.conditions.is_empty(),
    }
}

/// Whether the links of all conditions are those from before an entry was called, in each entry in which a loop hangs.
fn is_given(functions: &Functions, views: &Views, rest: &Rest, report: &LoopReport) -> bool {
    let effects = Effects::of(functions);
    let copies = report.others.iter().filter(|o| o.verdict == Verdict::Diverges).map(|o| &o.entry);
    let entries: BTreeSet<&String> = copies.chain([&report.entry]).collect();
    let conditions: Vec<&Condition> = rest.conditions.iter().filter_map(|of| views.of(*of)?.when.as_ref()).collect();
    // A number that is not as it should be is a caller's fault like any other.
    let is_given_to = |when: &Condition, f: usize| match when {
        Condition::Acyclic(when) => when.is_given_to(f, functions, &effects),
        Condition::Compared(_) => false,
    };
    entries.into_iter().all(|name| {
        let entry = functions.entries.iter().find(|f| functions.list[**f].shown == *name);
        entry.is_some_and(|f| conditions.iter().all(|when| is_given_to(when, *f)))
    })
}

fn is_by_overflow(l: &LoopReport) -> bool {
    matches!(l.reason, Some(Reason::OnlyByOverflow { .. } | Reason::MayWrap | Reason::HangsInside(_)))
}

/// How many loops are around a loop, itself included.
fn depth(functions: &Functions, (f, l): (usize, usize)) -> u32 {
    let loops = &functions.list[f].loops;
    u32::try_from(std::iter::successors(Some(l), |l| loops[*l].parent).count()).unwrap_or(u32::MAX)
}

/// What must hold for a loop to end, beginning with what must hold when it is entered itself.
fn conditions(functions: &Functions, views: &Views, this: (usize, usize), rest: &Rest) -> Option<String> {
    /// More are counted only.
    const MOST: usize = 3;
    let text = |of: &(usize, usize)| Some(views.of(*of)?.when.as_ref()?.to_string());
    let own = rest.conditions.get(&this).and_then(text);
    let here = functions.list[this.0].loops[this.1].key.span.as_ref();
    let others: Vec<String> = rest
        .conditions
        .iter()
        .filter(|of| **of != this)
        .filter_map(|of| {
            let function = &functions.list[of.0];
            let line = function.loops[of.1].key.span.as_ref().map_or(String::new(), |s| match here {
                Some(here) if here.line == s.line => format!(" at {}:{}", s.line, s.column),
                _ => format!(" at line {}", s.line),
            });
            let inside = if of.0 == this.0 { String::new() } else { format!(" of `{}`", function.shown) };
            Some(format!("for the loop{line}{inside}: {}", text(of)?))
        })
        .collect();
    let more = match others.len().saturating_sub(MOST) {
        0 => None,
        n => Some(format!("and {n} more such conditions, each told at its loop")),
    };
    let all: Vec<String> = own.into_iter().chain(others.into_iter().take(MOST)).chain(more).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn proved(file: &str, functions: &Functions, view: &ViewStudy, needs: Vec<LoopKey>) -> LoopReport {
    let function = &functions.list[view.of.0];
    let entry = EntryStudy { source: view.source.clone(), ..EntryStudy::named(&function.shown) };
    let study = &view.study;
    let result = study.analysis.loops.first().expect("a view has one loop");
    let ts = &study.ts;
    let system = SystemReport { proves: ts.proves.word(), hash: ts.hash().to_string(), lts: lts::print(ts) };
    LoopReport {
        depth: depth(functions, view.of),
        view: Some(Box::new(ViewReport {
            rung: view.rung,
            system,
            needs,
            when: view.when.as_ref().map(ToString::to_string),
        })),
        ..loop_report(file, &entry, study, None, result)
    }
}

fn reason(functions: &Functions, views: &Views, this: (usize, usize), left: &Left) -> Reason {
    let shown = |f: usize| functions.list[f].shown.clone();
    let at = |(f, l): (usize, usize)| match &functions.list[f].loops[l].key.span {
        Some(span) => format!("its loop at {}:{} is open", span.line, span.column),
        None => "one of its loops is open".to_owned(),
    };
    match left {
        Left::Loop(f, l) if (*f, *l) == this => {
            /// More are left out.
            const MOST: usize = 3;
            let lost = views.lost.get(&this).into_iter().flatten();
            Reason::OpenByItself(lost.take(MOST).map(ToString::to_string).collect())
        }
        Left::Loop(f, l) if *f == this.0 => {
            let span = functions.list[*f].loops[*l].key.span.as_ref();
            Reason::InnerLoopOpen(span.map_or_else(|| shown(*f), |s| format!("{}:{}", shown(*f), s.line)))
        }
        Left::Condition(f, _) => Reason::UnderCondition(shown(*f)),
        Left::Loop(f, l) => Reason::CalleeOpen(shown(*f), at((*f, *l))),
        Left::Waits(f) => Reason::CalleeOpen(f.clone(), "the body that it has here may not return".to_owned()),
        Left::AtExit => Reason::CalleeOpen("exit".to_owned(), "what runs at exit may register more".to_owned()),
        Left::Recursion(f) => Reason::CalleeOpen(shown(*f), "it calls itself".to_owned()),
        Left::Strange(f) if *f == this.0 => Reason::Malformed(functions.list[*f].strange.clone().unwrap_or_default()),
        Left::Strange(f) => Reason::CalleeOpen(shown(*f), functions.list[*f].strange.clone().unwrap_or_default()),
    }
}

/// A loop of the source of which nothing was proved.
fn open(functions: &Functions, of: (usize, usize), reason: Reason) -> LoopReport {
    let function = &functions.list[of.0];
    let key = &function.loops[of.1].key;
    let id = match &key.span {
        Some(span) => format!("{}:{}:{}", function.shown, span.line, span.column),
        None => function.shown.clone(),
    };
    let subject = Subject::Source(LoopCopy { key: key.clone(), instance: 0 });
    LoopReport {
        function: Some(function.shown.clone()),
        depth: depth(functions, of),
        ..LoopReport::open(function.shown.clone(), id, subject, key.span.clone(), reason)
    }
}
