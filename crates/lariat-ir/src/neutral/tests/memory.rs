//! Memories, ranges of unknowns and what a program says about itself, one rule at a time.

use super::reference::{Cells, array_of, bounds, number_of, value_of};
use crate::assumption::{Assumption, AssumptionKind};
use crate::ids::{Id, LocId, UnknownId};
use crate::interp::{Machine, State, Step};
use crate::neutral::{
    BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Mem, MemInit, MemUnknown, MemUpdate, Overflow, Program,
    Target, Unknown, lower,
};
use crate::system::{Mode, Obligation, Span, TransitionSystem, UnknownKind};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

const INT: IntType = IntType::signed(4);
const ADDRESS: IntType = IntType::signed(8);

fn at(address: i32) -> Expr {
    Expr::constant(address, ADDRESS)
}

fn zeros() -> MemInit {
    MemInit::Cells { default: 0.into(), cells: Vec::new() }
}

/// Two variables, one memory and these steps, one after the other.
fn steps(cell: IntType, init: MemInit, kinds: &[UnknownKind], steps: Vec<Case>) -> Program {
    let count = steps.len();
    let locs = steps
        .into_iter()
        .enumerate()
        .map(|(i, mut case)| {
            case.target = if i + 1 == count { Goto::Exit } else { Goto::Loc(i + 1) };
            Location::new(format!("l{i}"), vec![case])
        })
        .collect();
    let unknown = |(i, kind): (usize, &UnknownKind)| MemUnknown { name: format!("c{i}"), cell, kind: *kind };
    Program {
        vars: vec![("x".into(), cell), ("y".into(), cell)],
        mems: vec![Mem { name: "m".into(), cell, init }],
        mem_unknowns: kinds.iter().enumerate().map(unknown).collect(),
        locs,
        init: vec![(0, Some(7.into())), (1, Some(0.into()))],
        address: ADDRESS,
        ..Program::new("steps")
    }
}

fn assign(v: usize, e: Expr) -> Case {
    Case::new(None, vec![(v, e)], Goto::Exit)
}

fn update(update: MemUpdate) -> Case {
    Case { stores: vec![update], ..Case::new(None, vec![], Goto::Exit) }
}

fn store(address: i32, value: Expr) -> Case {
    update(MemUpdate::Store { mem: 0, address: at(address), value })
}

fn forget(unknown: usize) -> Case {
    update(MemUpdate::Forget { mem: 0, unknown })
}

fn next(v: usize) -> Expr {
    Expr::binary(BinaryOp::Add, INT, Overflow::Undefined, Expr::Var(v), Expr::constant(1, INT))
}

/// Runs a program in which every unknown content holds `content` everywhere; gives where it ends, and `x` and `y` there.
fn end(p: &Program, target: Target, content: i128) -> (LocId, i128, i128) {
    assert_eq!(p.defects(), Vec::<String>::new());
    let ts = lower(p, target);
    assert!(ts.defects().is_empty(), "{:?}", ts.defects());
    let cell = p.mems[0].cell;
    let everywhere = || array_of(target, ADDRESS, cell, &Cells { cells: BTreeMap::new(), default: content });
    let machine = Machine::new(&ts);
    let mut values: Vec<Value> = ts.vars.iter().map(|v| Value::zero(v.sort)).collect();
    values[0] = value_of(target, cell, 7);
    if p.mems[0].init == MemInit::Any {
        values[2] = everywhere();
    } else if let Some(v) = ts.var_named("m.written") {
        values[v.index()] =
            Value::Array(crate::value::ArrayValue::constant(crate::sort::Scalar::Int, Value::Bool(true)).into());
    }
    assert!(machine.is_initial(&values), "{}", crate::lts::print(&ts));
    let mut state = State { loc: ts.entry, values };
    while let Step::Took(_, next) = machine.step(&state, |_: UnknownId| everywhere()) {
        state = next;
    }
    (state.loc, number_of(cell, &state.values[0]), number_of(cell, &state.values[1]))
}

fn shadow(p: &Program, target: Target) -> bool {
    lower(p, target).var_named("m.written").is_some()
}

#[test]
fn a_value_that_left_its_type_survives_memory_over_z() {
    // m[3] = x + 1; y = m[3], with x = 7 of four bits.
    let through = || vec![store(3, next(0)), assign(1, Expr::load(0, at(3)))];
    for init in [zeros(), MemInit::Any] {
        let p = steps(INT, init.clone(), &[], through());
        for target in [Target::Ideal, Target::CTerminates] {
            assert_eq!(end(&p, target, 0), (LocId::EXIT, 7, 8), "{init:?}");
            assert_eq!(shadow(&p, target), init == MemInit::Any);
        }
        assert_eq!(end(&p, Target::Wrap, 0), (LocId::EXIT, 7, -8));
        // The overflow that is stored ends the run.
        assert_eq!(end(&p, Target::CDiverges, 0), (LocId::UB, 7, 0));
    }
    // It goes on to be one: what is loaded is computed with as it is.
    let again =
        vec![store(3, next(0)), store(4, Expr::load(0, at(3))), assign(1, Expr::load(0, at(4))), assign(1, next(1))];
    assert_eq!(end(&steps(INT, MemInit::Any, &[], again), Target::Ideal, 0), (LocId::EXIT, 7, 9));
}

#[test]
fn content_from_outside_lies_within_its_type() {
    // The array holds 1000 everywhere, which the divergence proof may have chosen; a cell of four bits holds -8.
    let load = || assign(1, Expr::load(0, at(3)));
    let over_z = [Target::Ideal, Target::CTerminates];
    for target in over_z {
        let p = steps(INT, MemInit::Any, &[], vec![load()]);
        assert_eq!(end(&p, target, 1000), (LocId::EXIT, 7, -8));
        assert!(!shadow(&p, target));
        // The same where other cells hold computed values.
        let p = steps(INT, MemInit::Any, &[], vec![store(4, next(0)), load()]);
        assert_eq!(end(&p, target, 1000), (LocId::EXIT, 7, -8));
        assert!(shadow(&p, target));
        for kind in [UnknownKind::Input, UnknownKind::Environment] {
            let p = steps(INT, zeros(), &[kind], vec![store(3, next(0)), forget(0), load()]);
            assert_eq!(end(&p, target, 1000), (LocId::EXIT, 7, -8));
        }
        let nat = IntType::unsigned(4);
        for kind in [UnknownKind::Input, UnknownKind::Environment, UnknownKind::Abstraction] {
            let p = steps(nat, zeros(), &[kind], vec![forget(0), load()]);
            assert_eq!(end(&p, target, 1000), (LocId::EXIT, 7, 8));
            assert!(!shadow(&p, target));
        }
    }
}

#[test]
fn content_that_was_lost_may_have_been_computed() {
    // No bound of the type bounds it: an array of 1000 is read as it is, also where the memory held inputs before.
    for init in [zeros(), MemInit::Any] {
        let p = steps(INT, init.clone(), &[UnknownKind::Abstraction], vec![forget(0), assign(1, Expr::load(0, at(3)))]);
        assert_eq!(end(&p, Target::CTerminates, 1000), (LocId::EXIT, 7, 1000), "{init:?}");
        assert_eq!(shadow(&p, Target::CTerminates), init == MemInit::Any);
    }
    // What is forgotten again by an input is reduced again.
    let kinds = [UnknownKind::Abstraction, UnknownKind::Input];
    let p = steps(INT, zeros(), &kinds, vec![forget(0), forget(1), assign(1, Expr::load(0, at(3)))]);
    assert_eq!(end(&p, Target::CTerminates, 1000), (LocId::EXIT, 7, -8));
}

#[test]
fn a_dead_overflow_is_harmless_and_a_store_or_an_address_is_not() {
    let x = || Expr::Var(0);
    let address = |e: Expr| Expr::cast(INT, ADDRESS, e);
    let overflow = || assign(0, next(0));
    let ends = |rest: Case| end(&steps(INT, zeros(), &[], vec![overflow(), rest]), Target::CDiverges, 0).0;
    assert_eq!(ends(assign(1, x())), LocId::EXIT);
    assert_eq!(ends(assign(1, Expr::load(0, address(x())))), LocId::UB);
    assert_eq!(ends(store(1, x())), LocId::UB);
    let value = Expr::constant(1, INT);
    assert_eq!(ends(update(MemUpdate::Store { mem: 0, address: address(x()), value })), LocId::UB);
    // A store that is forgotten at once is still one.
    let mut lost = store(1, x());
    lost.stores.push(MemUpdate::Forget { mem: 0, unknown: 0 });
    let p = steps(INT, zeros(), &[UnknownKind::Abstraction], vec![overflow(), lost]);
    assert_eq!(end(&p, Target::CDiverges, 0).0, LocId::UB);
    // Forgotten content is not poisoned: a branch on it is a branch.
    let mut p = steps(INT, zeros(), &[UnknownKind::Abstraction], vec![forget(0), assign(1, Expr::load(0, at(0)))]);
    let cond = Cond::cmp(CmpOp::Eq, INT, Expr::load(0, at(0)), Expr::constant(5, INT));
    p.locs[1].cases.insert(0, Case::new(Some(cond), vec![], Goto::Trap));
    assert_eq!(end(&p, Target::CDiverges, 5).0, LocId::TRAP);
}

#[test]
fn stores_happen_in_order_and_see_the_state_before() {
    let load = |a: i32| Expr::load(0, at(a));
    let put = |a: i32, value: Expr| MemUpdate::Store { mem: 0, address: at(a), value };
    let constant = |k: i32| Expr::constant(k, INT);
    // m[0] = 3; then m[0] = 4, m[1] = m[0], m[0] = 5 and y = m[0] at once.
    let mut case = assign(1, load(0));
    case.stores = vec![put(0, constant(4)), put(1, load(0)), put(0, constant(5))];
    let p = steps(INT, zeros(), &[], vec![store(0, constant(3)), case.clone()]);
    for target in Target::ALL {
        assert_eq!(end(&p, target, 0), (LocId::EXIT, 7, 3), "{target:?}");
        for (cell, want) in [(0, 5), (1, 3)] {
            let mut p = p.clone();
            p.locs[1].cases[0].target = Goto::Loc(2);
            p.locs.push(Location::new("last", vec![assign(1, load(cell))]));
            assert_eq!(end(&p, target, 0).2, want, "{target:?}");
        }
        // What is stored after the memory was forgotten stays, what was stored before does not.
        let mut mixed = assign(0, load(2));
        mixed.stores = vec![put(0, constant(4)), MemUpdate::Forget { mem: 0, unknown: 0 }, put(1, constant(6))];
        for (cell, want) in [(0, 2), (1, 6), (2, 2)] {
            let p = steps(INT, zeros(), &[UnknownKind::Input], vec![mixed.clone(), assign(1, load(cell))]);
            assert_eq!(end(&p, target, 2), (LocId::EXIT, 0, want), "{target:?}");
        }
    }
}

/// The values that `x` can get from an unknown with this range.
fn reached(ts: &TransitionSystem, ty: IntType, over_z: bool) -> BTreeSet<i128> {
    let machine = Machine::new(ts);
    let values = ts.vars.iter().map(|v| Value::zero(v.sort)).collect();
    let state = State { loc: ts.entry, values };
    let (min, max) = bounds(IntType::signed(ty.width + 2));
    let u = UnknownId::from_index(0);
    let target = if over_z { Target::Ideal } else { Target::Wrap };
    (min..=max)
        .map(|k| value_of(target, ty, k))
        .filter(|v| ts.admits(u, v))
        .map(|v| match machine.step(&state, |_| v.clone()) {
            Step::Took(_, next) => number_of(ty, &next.values[0]),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn a_range_has_all_of_its_values_and_no_others() {
    for ty in [IntType::signed(3), IntType::unsigned(3), IntType::signed(1), IntType::unsigned(1)] {
        let (min, max) = bounds(ty);
        for low in min..=max {
            for high in low..=max {
                for kind in [UnknownKind::Input, UnknownKind::Abstraction] {
                    let mut u = Unknown::new("u", ty, kind);
                    u.range = Some((low.into(), high.into()));
                    let p = Program {
                        vars: vec![("x".into(), ty)],
                        unknowns: vec![u],
                        locs: vec![Location::new("l", vec![assign(0, Expr::Unknown(0))])],
                        ..Program::new("range")
                    };
                    assert_eq!(p.defects(), Vec::<String>::new());
                    for target in Target::ALL {
                        let ts = lower(&p, target);
                        let want: BTreeSet<i128> = (low..=high).collect();
                        assert_eq!(reached(&ts, ty, target.over_z()), want, "{ty:?} {low} {high} {target:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_joined_value_has_its_least_significant_part_first() {
    let (byte, word) = (IntType::unsigned(8), IntType::unsigned(32));
    let parts = [0x78, 0x56, 0x34, 0x12].map(|k| Expr::constant(k, byte));
    let p = Program {
        vars: vec![("x".into(), word)],
        locs: vec![Location::new("l", vec![assign(0, Expr::Join(parts.to_vec()))])],
        ..Program::new("join")
    };
    assert_eq!(p.defects(), Vec::<String>::new());
    for target in Target::ALL {
        let ts = lower(&p, target);
        let machine = Machine::new(&ts);
        let values = ts.vars.iter().map(|v| Value::zero(v.sort)).collect();
        let Step::Took(_, next) = machine.step(&State { loc: ts.entry, values }, |_| unreachable!("no unknowns"))
        else {
            panic!("there is a step");
        };
        assert_eq!(number_of(word, &next.values[0]), 0x1234_5678, "{target:?}");
    }
}

#[test]
fn what_a_program_says_about_itself_stays() {
    let span = |line: u32| Some(Span { file: "a.c".into(), line, column: 1 });
    let mut p = steps(INT, zeros(), &[], vec![assign(0, Expr::Unknown(0)), store(0, Expr::Var(0))]);
    p.unknowns.push(Unknown::new("u", INT, UnknownKind::Input));
    // The unknown is tested, so it is stored first.
    let cond = Cond::cmp(CmpOp::Lt, INT, Expr::Unknown(0), Expr::constant(0, INT));
    p.locs[0].cases.insert(0, Case::new(Some(cond), vec![], Goto::Exit));
    p.assumptions =
        ["`read` returns", "`malloc` succeeds"].map(|t| Assumption::everywhere(AssumptionKind::Returns, t)).to_vec();
    p.obligations = vec![Obligation { text: "recursion through `f`".into(), span: span(9) }];
    p.mode = Mode::Function;
    for (i, loc) in p.locs.iter_mut().enumerate() {
        loc.function = Some("f".into());
        loc.span = span(u32::try_from(i).expect("small") + 1);
    }
    p.locs[0].cases[1].assumes = vec![1];
    p.locs[0].cases[1].span = span(7);
    for target in Target::ALL {
        let ts = lower(&p, target);
        assert_eq!((ts.mode, ts.assumptions.len(), &ts.obligations), (Mode::Function, 2, &p.obligations));
        assert!(ts.locs.iter().skip(4).all(|l| l.function.as_deref() == Some("f")));
        let chosen = ts.loc_named("l0.chosen").expect("the unknown is stored first");
        assert_eq!(ts.locs[chosen].span, span(1));
        for e in &ts.edges {
            let ours = e.from == chosen && e.to == ts.loc_named("l1").expect("locations keep their names");
            assert_eq!(e.assumes.iter().map(|a| a.index()).collect::<Vec<_>>(), if ours { vec![1] } else { vec![] });
            assert!(!ours || e.span == span(7));
        }
        let text = crate::lts::print(&ts);
        let again = crate::lts::parse(&text).expect("a lowered system can be read back");
        assert_eq!(crate::lts::print(&again.system), text);
    }
}

#[test]
fn defects_of_memories_are_named() {
    let good =
        steps(INT, zeros(), &[UnknownKind::Input], vec![store(0, Expr::Var(0)), assign(1, Expr::load(0, at(0)))]);
    assert_eq!(good.defects(), Vec::<String>::new());
    let broken = |change: &dyn Fn(&mut Program)| {
        let mut p = good.clone();
        change(&mut p);
        p.defects().join("; ")
    };
    let forget = |mem: usize, unknown: usize| vec![MemUpdate::Forget { mem, unknown }];
    assert!(broken(&|p| p.address = IntType::unsigned(8)).contains("address"));
    assert!(broken(&|p| p.mems[0].cell = IntType::signed(5)).contains("stored value"));
    assert!(broken(&|p| p.mems[0].cell = IntType::signed(0)).contains("no type"));
    assert!(broken(&|p| p.mems.clear()).contains("no memory 0"));
    assert!(broken(&|p| p.mems[0].name = "x".into()).contains("declared twice"));
    assert!(broken(&|p| p.mem_unknowns[0].name = "m".into()).contains("declared twice"));
    assert!(broken(&|p| p.locs[0].cases[0].stores = forget(1, 0)).contains("no memory 1"));
    assert!(broken(&|p| p.locs[0].cases[0].stores = forget(0, 3)).contains("no unknown content 3"));
    let cells = |p: &mut Program, cells: Vec<(i32, i32)>| {
        let cells = cells.into_iter().map(|(a, v)| (a.into(), v.into())).collect();
        p.mems[0].init = MemInit::Cells { default: 0.into(), cells };
    };
    assert!(broken(&|p| cells(p, vec![(0, 8)])).contains("no value of its cells"));
    assert!(broken(&|p| cells(p, vec![(128, 0)])).contains("no address"));
    assert!(broken(&|p| cells(p, vec![(1, 0), (1, 1)])).contains("two initial values"));
    assert!(broken(&|p| p.locs[0].cases[0].assumes = vec![0]).contains("assumption 0"));
    let ranged = |low: i32, high: i32| {
        let mut u = Unknown::new("u", INT, UnknownKind::Input);
        u.range = Some((low.into(), high.into()));
        u
    };
    assert!(broken(&|p| p.unknowns = vec![ranged(3, 2)]).contains("no range"));
    assert!(broken(&|p| p.unknowns = vec![ranged(0, 8)]).contains("no range"));
    assert_eq!(broken(&|p| p.unknowns = vec![ranged(-8, 7)]), "");
    let join = |parts: Vec<Expr>| move |p: &mut Program| p.locs[1].cases[0].assigns[0].1 = Expr::Join(parts.clone());
    assert!(broken(&join(vec![Expr::Var(0)])).contains("part of a joined value"));
    assert!(broken(&join(vec![])).contains("no type"));
    assert!(broken(&join(vec![Expr::constant(0, IntType::unsigned(4))])).contains("the new value of `y`"));
}
