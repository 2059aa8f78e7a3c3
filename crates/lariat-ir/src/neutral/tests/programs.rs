//! Programs, run side by side with a direct interpreter.

use super::random::types;
use super::reference::{ABSTRACT, Reference, arithmetic, bounds, number_of, value_of};
use crate::ids::{Id, LocId};
use crate::interp::{Machine, State, Step};
use crate::neutral::{
    BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Overflow, Program, Target, Unknown, lower,
};
use crate::simplify::tests::Random;
use crate::sort::Sort;
use crate::system::UnknownKind;
use crate::value::Value;

fn random_program(r: &mut Random) -> Program {
    let all = types(&[1, 2, 3, 4]);
    let var_types = [r.pick(&all), r.pick(&all), r.pick(&all)];
    let unknown_types = [r.pick(&all), r.pick(&all)];
    let count = 2 + r.below(2);
    let locs = (0..count)
        .map(|i| {
            let arms = 1 + r.below(3);
            let cases = (0..arms)
                .map(|arm| {
                    let known = r.below(2) == 0;
                    let cond_unknowns: &[IntType] = if known { &[] } else { &unknown_types };
                    let cond = (arm + 1 < arms).then(|| r.cond(2, &var_types, cond_unknowns));
                    let mut assigns = Vec::new();
                    for (v, &ty) in var_types.iter().enumerate() {
                        if r.below(2) == 0 {
                            assigns.push((v, r.expr(ty, 2, &var_types, &unknown_types)));
                        }
                    }
                    let target = match r.below(12) {
                        0 => Goto::Exit,
                        1 => r.pick(&[Goto::Stop, Goto::Trap, Goto::Ub]),
                        _ => Goto::Loc(r.below(count)),
                    };
                    Case::new(cond, assigns, target)
                })
                .collect();
            Location::new(format!("l{i}"), cases)
        })
        .collect();
    let kinds = [UnknownKind::Input, UnknownKind::Environment, UnknownKind::Abstraction];
    let (min, max) = var_types[0].range();
    Program {
        name: "random".to_owned(),
        vars: var_types.iter().enumerate().map(|(i, ty)| (format!("x{i}"), *ty)).collect(),
        unknowns: unknown_types
            .iter()
            .enumerate()
            .map(|(i, ty)| Unknown::new(format!("u{i}"), *ty, r.pick(&kinds)))
            .collect(),
        locs,
        entry: 0,
        init: vec![(0, Some(if r.below(2) == 0 { min } else { max })), (1, None)],
    }
}

/// The step of a direct interpreter: the next location or sink, or UB.
fn reference_step(p: &Program, at: usize, reference: &Reference<'_>) -> (Goto, Vec<(i128, bool)>) {
    let stay = reference.vars.to_vec();
    for case in &p.locs[at].cases {
        match case.cond.as_ref().map_or(Ok((true, false)), |c| reference.cond(c)) {
            Err(_) => return (Goto::Ub, stay),
            Ok((false, _)) => {}
            Ok((true, _)) => {
                let mut next = stay.clone();
                for (v, e) in &case.assigns {
                    match reference.expr(e) {
                        Err(_) => return (Goto::Ub, stay),
                        Ok(o) => next[*v] = (o.value, o.poison),
                    }
                }
                return (case.target, next);
            }
        }
    }
    unreachable!("the last case is the else")
}

/// In every state, reachable or not, exactly one edge is enabled.
fn assert_total_and_disjoint(machine: &Machine<'_>, r: &mut Random) {
    let ts = machine.system();
    for loc in ts.locs.ids().filter(|l| !l.is_sink()) {
        for _ in 0..20 {
            let values = ts
                .vars
                .iter()
                .map(|v| match v.sort {
                    Sort::Bool => Value::Bool(r.below(2) == 0),
                    Sort::BitVec(w) => Value::bv(w, r.below(1 << w) as u128),
                    Sort::Int => Value::int(i128::try_from(r.below(80)).expect("small") - 40),
                    Sort::Array(..) => unreachable!("programs have scalars only"),
                })
                .collect();
            let state = State { loc, values };
            assert!(machine.enabled(&state).is_ok(), "{:?} at {state:?}", machine.enabled(&state));
        }
    }
}

#[test]
fn random_programs_run_as_they_read() {
    let mut r = Random(3);
    let (mut steps, mut stored, mut abstractions, mut ends, mut poisoned) = (0, 0, 0, [0; 4], 0);
    for _ in 0..400 {
        let p = random_program(&mut r);
        assert_eq!(p.defects(), Vec::<String>::new());
        for target in Target::ALL {
            let ts = lower(&p, target);
            assert!(ts.defects().is_empty(), "{:?}", ts.defects());
            stored += ts.locs.len() - 4 - p.locs.len();
            abstractions += ts.unknowns.len() - p.unknowns.len();
            let machine = Machine::new(&ts);
            assert_total_and_disjoint(&machine, &mut r);
            for _ in 0..4 {
                // An initial state.
                let mut vars: Vec<(i128, bool)> = Vec::new();
                for (i, (_, ty)) in p.vars.iter().enumerate() {
                    let (min, max) = bounds(*ty);
                    let span = usize::try_from(max - min + 1).expect("small types");
                    let any = min + i128::try_from(r.below(span)).expect("small");
                    let fixed = p.init.iter().find(|(v, _)| *v == i).and_then(|(_, k)| k.clone());
                    vars.push((fixed.map_or(any, |k| i128::try_from(k).expect("small")), false));
                }
                let values = ts
                    .vars
                    .iter()
                    .enumerate()
                    .map(|(i, v)| p.vars.get(i).map_or(Value::zero(v.sort), |(_, ty)| value_of(target, *ty, vars[i].0)))
                    .collect();
                let mut state = State { loc: ts.entry, values };
                assert!(machine.is_initial(&state.values));
                let mut at = p.entry;
                for _ in 0..12 {
                    if vars.iter().any(|(v, _)| v.abs() > 1 << 20) {
                        // Soon the reference would run out of bits.
                        break;
                    }
                    let unknowns: Vec<(i128, bool)> = p
                        .unknowns
                        .iter()
                        .map(|u| {
                            let (min, max) = bounds(u.ty);
                            let free = u.computed && u.ty.signed && target.over_z();
                            let (min, max) = if free { (2 * min - 1, 2 * max + 2) } else { (min, max) };
                            let span = usize::try_from(max - min + 1).expect("small types");
                            (min + i128::try_from(r.below(span)).expect("small"), u.computed)
                        })
                        .collect();
                    let choose = |u: crate::ids::UnknownId| match p.unknowns.get(u.index()) {
                        Some(unknown) => value_of(target, unknown.ty, unknowns[u.index()].0),
                        None => Value::int(ABSTRACT),
                    };
                    let reference = Reference { arithmetic: arithmetic(target), vars: &vars, unknowns: &unknowns };
                    let (goto, next) = reference_step(&p, at, &reference);
                    let step = |state: &State| match machine.step(state, choose) {
                        Step::Took(_, next) => next,
                        other => panic!("{other:?} at {state:?} of {}", crate::lts::print(&ts)),
                    };
                    state = step(&state);
                    if ts.locs[state.loc].name.ends_with(".chosen") {
                        state = step(&state);
                    }
                    steps += 1;
                    let want = match goto {
                        Goto::Loc(i) => ts.loc_named(&p.locs[i].name).expect("locations keep their names"),
                        Goto::Exit => LocId::EXIT,
                        Goto::Stop => LocId::STOP,
                        Goto::Trap => LocId::TRAP,
                        Goto::Ub => LocId::UB,
                    };
                    assert_eq!(state.loc, want, "{target:?} {p:?}");
                    if want.is_sink() {
                        ends[want.index()] += 1;
                    }
                    if want == LocId::UB {
                        break;
                    }
                    for (i, (name, ty)) in p.vars.iter().enumerate() {
                        assert_eq!(number_of(*ty, &state.values[i]), next[i].0, "{name} {target:?} {p:?}");
                        let shadow = ts.var_named(&format!("{name}.poison"));
                        let flag = shadow.is_some_and(|s| state.values[s.index()].as_bool());
                        if target == Target::CDiverges {
                            assert_eq!(flag, next[i].1, "{name}.poison {p:?}");
                            poisoned += usize::from(flag);
                        } else {
                            assert!(shadow.is_none());
                        }
                    }
                    let Goto::Loc(i) = goto else { break };
                    at = i;
                    vars = next;
                }
            }
        }
    }
    println!("{steps} steps, {stored} stores, {abstractions} abstractions, ends {ends:?}, {poisoned} poisoned");
    assert!(steps > 10_000 && stored > 100 && abstractions > 10 && ends.iter().all(|n| *n > 20) && poisoned > 100);
}

/// `while (x > 0) x++;` with an `int` of four bits.
fn count_up() -> Program {
    let ty = IntType::signed(4);
    let more = Cond::cmp(CmpOp::Gt, ty, Expr::Var(0), Expr::constant(0, ty));
    let next = Expr::binary(BinaryOp::Add, ty, Overflow::Undefined, Expr::Var(0), Expr::constant(1, ty));
    let cases = vec![Case::new(Some(more), vec![(0, next)], Goto::Loc(0)), Case::new(None, vec![], Goto::Exit)];
    Program {
        name: "count_up".into(),
        vars: vec![("x".into(), ty)],
        unknowns: vec![],
        locs: vec![Location::new("loop", cases)],
        entry: 0,
        init: vec![(0, Some(1.into()))],
    }
}

fn end_of(p: &Program, target: Target, fuel: u64) -> crate::interp::RunEnd {
    let ts = lower(p, target);
    let machine = Machine::new(&ts);
    let values = ts
        .vars
        .iter()
        .enumerate()
        .map(|(i, v)| match p.init.iter().find(|(j, _)| *j == i) {
            Some((_, Some(k))) => value_of(target, p.vars[i].1, i128::try_from(k.clone()).expect("small")),
            _ => Value::zero(v.sort),
        })
        .collect::<Vec<Value>>();
    assert!(machine.is_initial(&values));
    machine.run(State { loc: ts.entry, values }, fuel, |_| unreachable!("no unknowns")).1
}

#[test]
fn an_overflow_that_decides_is_undefined_only_for_divergence() {
    use crate::interp::RunEnd::{OutOfFuel, Sink};
    let p = count_up();
    assert_eq!(end_of(&p, Target::Wrap, 1000), Sink(LocId::EXIT));
    assert_eq!(end_of(&p, Target::Ideal, 1000), OutOfFuel);
    assert_eq!(end_of(&p, Target::CTerminates, 1000), OutOfFuel);
    assert_eq!(end_of(&p, Target::CDiverges, 1000), Sink(LocId::UB));
    // A dead overflow is harmless: for (;;) x++;
    let mut dead = p;
    dead.locs[0].cases[0].cond = Some(Cond::Const(true));
    assert_eq!(end_of(&dead, Target::CDiverges, 1000), OutOfFuel);
}

#[test]
fn shadows_only_where_poison_can_come() {
    let (int, nat) = (IntType::signed(8), IntType::unsigned(8));
    let grow = |ty, overflow| Expr::binary(BinaryOp::Add, ty, overflow, Expr::Var(0), Expr::constant(1, ty));
    let cases = vec![Case::new(
        None,
        vec![
            (0, grow(int, Overflow::Undefined)),
            (1, Expr::cast(int, nat, Expr::Var(0))),
            (2, Expr::binary(BinaryOp::Add, nat, Overflow::Wraps, Expr::Var(2), Expr::constant(1, nat))),
        ],
        Goto::Loc(0),
    )];
    let p = Program {
        name: "shadows".into(),
        vars: vec![("a".into(), int), ("b".into(), nat), ("c".into(), nat)],
        unknowns: vec![],
        locs: vec![Location::new("loop", cases)],
        entry: 0,
        init: vec![],
    };
    let ts = lower(&p, Target::CDiverges);
    let names: Vec<&str> = ts.vars.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "a.poison", "b.poison"]);
    assert_eq!(ts.proves, crate::system::Proves::Diverges);
    let text = crate::lts::print(&ts);
    let again = crate::lts::parse(&text).expect("a lowered system can be read back");
    assert_eq!(crate::lts::print(&again.system), text);
}

#[test]
fn defects_are_named() {
    let good = count_up();
    let broken = |change: &dyn Fn(&mut Program)| {
        let mut p = good.clone();
        change(&mut p);
        p.defects().join("; ")
    };
    assert_eq!(good.defects(), Vec::<String>::new());
    assert!(broken(&|p| p.entry = 3).contains("no location 3"));
    assert!(broken(&|p| p.locs[0].cases.truncate(1)).contains("end the chain"));
    assert!(broken(&|p| p.locs[0].cases[0].target = Goto::Loc(9)).contains("location 9"));
    assert!(broken(&|p| p.init = vec![(0, Some(99.into()))]).contains("no value of its type"));
    assert!(broken(&|p| p.vars[0].1 = IntType::signed(5)).contains("type"));
    assert!(broken(&|p| p.vars.push(("x".into(), IntType::signed(4)))).contains("twice"));
    assert!(broken(&|p| p.locs[0].cases[0].assigns.push((0, Expr::Var(0)))).contains("two assignments"));
}
