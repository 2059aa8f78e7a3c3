//! What a run of a transition system must look like, given the native runs.
//!
//! | | what the system does |
//! | --- | --- |
//! | no undefined behaviour | the same observations, the same end, in every integer semantics |
//! | undefined behaviour | the same observations before it, then UB: the undefined operations of a location are checked before its effects, and an observation ends a location |
//! | signed overflow, `wrap` | nothing special |
//! | signed overflow, `c` for divergence | what `wrap` does, but UB may end the run anywhere after the overflow |
//! | signed overflow, over Z | the same observations before it; then anything |

use super::interpret::{Ended, Trace};
use super::native::{End, Run};
use lariat_ir::neutral::Target;

/// What came of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All of the run was compared.
    Same,
    /// Only a part of the run could be compared: up to an overflow, or to the end of the fuel.
    Partly,
    /// They differ.
    Differ(String),
}

/// How much of what the optimiser made is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// The compiler's output.
    Plain,
    /// After passes that may do anything where behaviour is undefined.
    Optimised,
}

/// Compares a run of a system with the native run that the sanitizers watched.
pub fn compare(native: &Run, trace: &Trace, target: Target, variant: Variant) -> Outcome {
    if let Ended::Broken(why) = &trace.end {
        return Outcome::Differ(why.clone());
    }
    let undefined = match &native.end {
        End::Undefined(kind) => Some(kind.as_str()),
        End::Crash(_) => Some("crash"),
        _ => None,
    };
    let overflow = match (native.overflow_after, undefined) {
        // The smallest value divided by -1: over Z it has a quotient.
        (None, Some("signed-integer-overflow")) if target.over_z() => Some(native.observed.len()),
        (k, _) => k,
    };
    // What comes after the first overflow is defined in some semantics only.
    let must = match overflow {
        Some(k) if target != Target::Wrap => k,
        _ => native.observed.len(),
    };
    for (i, expected) in native.observed.iter().enumerate() {
        match trace.observed.get(i) {
            Some(got) if *got == i128::from(*expected) => {}
            Some(_) if i >= must && target.over_z() => return Outcome::Partly,
            Some(got) => return Outcome::Differ(format!("observation {i} is {got}, not {expected}")),
            None if trace.end == Ended::Fuel => return Outcome::Partly,
            None if i >= must && (target.over_z() || trace.end == Ended::Undefined) => return Outcome::Partly,
            None => {
                return Outcome::Differ(format!(
                    "it ends ({}) after {i} observations, where {expected} comes next",
                    trace.end
                ));
            }
        }
    }
    if undefined.is_some() && variant == Variant::Optimised {
        return Outcome::Partly;
    }
    let more = trace.observed.len() > native.observed.len();
    if overflow.is_some() && target.over_z() {
        return Outcome::Partly;
    }
    if more && native.end == End::Time {
        return Outcome::Differ("it observes something where the program runs silently for ever".into());
    }
    if more {
        let got = trace.observed[native.observed.len()];
        return Outcome::Differ(format!("it goes on and observes {got} where the program ends: {}", native.end));
    }
    match (&native.end, &trace.end) {
        (End::Exit, Ended::Exit) | (End::Trap, Ended::Trap) | (End::Limit, Ended::Limit) => Outcome::Same,
        (End::Time, Ended::Fuel) => Outcome::Same,
        (End::Undefined(_) | End::Crash(_), Ended::Undefined) => Outcome::Same,
        (_, Ended::Fuel) => Outcome::Partly,
        (_, Ended::Undefined) if overflow.is_some() && target == Target::CDiverges => Outcome::Same,
        (expected, got) => Outcome::Differ(format!("it ends differently: {got}, not {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(observed: &[i64], overflow_after: Option<usize>, end: End) -> Run {
        Run { observed: observed.to_vec(), overflow_after, end }
    }
    fn trace(observed: &[i128], end: Ended) -> Trace {
        Trace { observed: observed.to_vec(), end, asked: Vec::new() }
    }
    fn differs(o: &Outcome) -> bool {
        matches!(o, Outcome::Differ(_))
    }

    #[test]
    fn a_defined_run_is_the_same_everywhere() {
        let n = native(&[1, -2], None, End::Exit);
        for target in Target::ALL {
            let c = |t: &Trace| compare(&n, t, target, Variant::Plain);
            assert_eq!(c(&trace(&[1, -2], Ended::Exit)), Outcome::Same);
            assert_eq!(c(&trace(&[1], Ended::Fuel)), Outcome::Partly);
            for bad in [
                trace(&[1, 2], Ended::Exit),
                trace(&[1], Ended::Exit),
                trace(&[1, -2, 3], Ended::Exit),
                trace(&[1, -2], Ended::Trap),
                trace(&[1, -2], Ended::Undefined),
                trace(&[1], Ended::Undefined),
                trace(&[1, -2], Ended::Stop),
            ] {
                assert!(differs(&c(&bad)), "{bad:?} {target:?}");
            }
        }
    }

    #[test]
    fn undefined_behaviour_ends_a_run_at_its_place() {
        let n = native(&[1, 2], None, End::Undefined("integer-divide-by-zero".into()));
        for target in Target::ALL {
            let c = |t: &Trace| compare(&n, t, target, Variant::Plain);
            assert_eq!(c(&trace(&[1, 2], Ended::Undefined)), Outcome::Same);
            assert!(differs(&c(&trace(&[1], Ended::Undefined))), "{target:?}: too early");
            assert!(differs(&c(&trace(&[1, 2], Ended::Exit))), "{target:?}: not at all");
            assert!(differs(&c(&trace(&[1, 2, 3], Ended::Undefined))), "{target:?}: too late");
        }
    }

    #[test]
    fn an_overflow_counts_where_it_matters() {
        let n = native(&[1, 2, 3], Some(1), End::Exit);
        let wrapped = trace(&[1, 2, 3], Ended::Exit);
        let ended = trace(&[1, 2], Ended::Undefined);
        let other = trace(&[1, 7, 9, 9], Ended::Trap);
        let early = trace(&[], Ended::Undefined);
        for (target, t, bad) in [
            (Target::Wrap, &wrapped, false),
            (Target::Wrap, &ended, true),
            (Target::CDiverges, &wrapped, false),
            (Target::CDiverges, &ended, false),
            (Target::CDiverges, &other, true),
            (Target::CDiverges, &early, true),
            (Target::Ideal, &wrapped, false),
            (Target::Ideal, &other, false),
            (Target::Ideal, &early, true),
            (Target::CTerminates, &other, false),
        ] {
            assert_eq!(differs(&compare(&n, t, target, Variant::Plain)), bad, "{target:?} {t:?}");
        }
    }
}
