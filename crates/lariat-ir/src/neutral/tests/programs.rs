//! Programs, run side by side with a direct interpreter.

use super::random::{Leaves, types};
use super::reference::{
    ABSTRACT, Arithmetic, Cells, Reference, arithmetic, array_of, bounds, fits, number_of, reduce, value_of,
};
use crate::ids::{Id, LocId, UnknownId};
use crate::interp::{Machine, State, Step};
use crate::neutral::{
    BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Mem, MemInit, MemUnknown, MemUpdate, Overflow, Program,
    Recursion, Target, Unknown, lower,
};
use crate::random::Random;
use crate::sort::Sort;
use crate::system::UnknownKind;
use crate::value::Value;
use std::sync::Arc;

const KINDS: [UnknownKind; 3] = [UnknownKind::Input, UnknownKind::Environment, UnknownKind::Abstraction];

fn between(r: &mut Random, min: i128, max: i128) -> i128 {
    min + i128::try_from(r.below(usize::try_from(max - min + 1).expect("small ranges"))).expect("small")
}

/// The paths to the leaves of a random decision tree.
fn tree(r: &mut Random, depth: u32, path: Option<&Arc<Cond>>, leaves: Leaves<'_>, found: &mut Vec<Cond>) {
    if depth == 0 || (path.is_some() && r.below(4) == 0) {
        found.push(path.map_or(Cond::Const(true), |c| (**c).clone()));
        return;
    }
    let size = u32::from(r.below(2) == 0);
    let here = Arc::new(r.cond(size, leaves));
    let not = Arc::new(Cond::Not(here.clone()));
    for side in [here, not] {
        let longer = path.map_or_else(|| side.clone(), |p| Arc::new(Cond::and(p.clone(), side.clone())));
        tree(r, depth - 1, Some(&longer), leaves, found);
    }
}

fn random_conds(r: &mut Random, leaves: Leaves<'_>) -> Vec<Option<Cond>> {
    let known = Leaves { unknowns: if r.below(2) == 0 { &[] } else { leaves.unknowns }, ..leaves };
    let mut conds = Vec::new();
    if r.below(2) == 0 {
        tree(r, 3, None, known, &mut conds);
        if r.below(4) == 0 {
            // Not in order, so that some conditions come before those whose negation they imply.
            let (a, b) = (r.below(conds.len()), r.below(conds.len()));
            conds.swap(a, b);
        }
    } else {
        conds = (0..=r.below(3)).map(|_| r.cond(2, known)).collect();
    }
    let mut conds: Vec<Option<Cond>> = conds.into_iter().map(Some).collect();
    *conds.last_mut().expect("at least one") = None;
    conds
}

pub fn random_program(r: &mut Random) -> Program {
    let all = types(&[1, 2, 3, 4]);
    let var_types = [r.choose(&all), r.choose(&all), r.choose(&all)];
    let unknown_types = [r.choose(&all), r.choose(&all)];
    let some: Vec<IntType> = [r.choose(&all), r.choose(&all)][r.below(3)..].to_vec();
    let address = r.choose(&types(&[2, 3]));
    let leaves = Leaves { vars: &var_types, unknowns: &unknown_types, mems: &some, address };
    let content = |r: &mut Random, cell: IntType| (0..2).filter(|_| r.below(2) == 0).map(|_| cell).collect::<Vec<_>>();
    let mem_unknowns: Vec<MemUnknown> = some
        .iter()
        .flat_map(|cell| content(r, *cell))
        .collect::<Vec<_>>()
        .into_iter()
        .enumerate()
        .map(|(i, cell)| MemUnknown { name: format!("c{i}"), cell, kind: r.choose(&KINDS) })
        .collect();
    let count = 2 + r.below(2);
    let locs = (0..count)
        .map(|i| {
            let cases = random_conds(r, leaves)
                .into_iter()
                .map(|cond| {
                    let mut assigns = Vec::new();
                    for (v, &ty) in var_types.iter().enumerate() {
                        if r.below(2) == 0 {
                            assigns.push((v, r.expr(ty, 2, leaves)));
                        }
                    }
                    let target = match r.below(12) {
                        0 => Goto::Exit,
                        1 => r.choose(&[Goto::Stop, Goto::Trap, Goto::Ub]),
                        _ => Goto::Loc(r.below(count)),
                    };
                    let mut case = Case::new(cond, assigns, target);
                    for _ in 0..r.below(3) {
                        if !some.is_empty() {
                            case.stores.push(random_store(r, leaves, &mem_unknowns));
                        }
                    }
                    case
                })
                .collect();
            Location::new(format!("l{i}"), cases)
        })
        .collect();
    let (min, max) = var_types[0].range();
    let unknown = |r: &mut Random, i: usize, ty: IntType| {
        let mut u = Unknown::new(format!("u{i}"), ty, r.choose(&KINDS));
        if r.below(3) == 0 {
            let (a, b) = (between(r, bounds(ty).0, bounds(ty).1), between(r, bounds(ty).0, bounds(ty).1));
            u.range = Some((a.min(b).into(), a.max(b).into()));
        }
        u
    };
    let mem = |r: &mut Random, i: usize, cell: IntType| {
        let init = if r.below(2) == 0 {
            MemInit::Any
        } else {
            let mut value = || between(r, bounds(cell).0, bounds(cell).1).into();
            MemInit::Cells { default: value(), cells: vec![(0.into(), value()), (1.into(), value())] }
        };
        Mem { name: format!("m{i}"), cell, init }
    };
    Program {
        name: "random".to_owned(),
        vars: var_types.iter().enumerate().map(|(i, ty)| (format!("x{i}"), *ty)).collect(),
        unknowns: unknown_types.iter().enumerate().map(|(i, ty)| unknown(r, i, *ty)).collect(),
        locs,
        entry: 0,
        init: vec![(0, Some(if r.below(2) == 0 { min } else { max })), (1, None)],
        mems: some.iter().enumerate().map(|(i, cell)| mem(r, i, *cell)).collect(),
        mem_unknowns,
        address,
        ..Program::default()
    }
}

fn random_store(r: &mut Random, leaves: Leaves<'_>, contents: &[MemUnknown]) -> MemUpdate {
    let mem = r.below(leaves.mems.len());
    let cell = leaves.mems[mem];
    let fitting: Vec<usize> = (0..contents.len()).filter(|u| contents[*u].cell == cell).collect();
    if !fitting.is_empty() && r.below(4) == 0 {
        return MemUpdate::Forget { mem, unknown: r.choose(&fitting) };
    }
    MemUpdate::Store { mem, address: r.expr(leaves.address, 1, leaves), value: r.expr(cell, 2, leaves) }
}

/// A state of the direct interpreter.
#[derive(Clone)]
struct Direct {
    vars: Vec<(i128, bool)>,
    mems: Vec<Cells>,
}

/// The step of a direct interpreter: the next location or sink, or UB.
fn direct_step(at: usize, reference: &Reference<'_>, contents: &[Cells]) -> (Goto, Direct) {
    let stay = Direct { vars: reference.vars.to_vec(), mems: reference.mems.to_vec() };
    for case in &reference.program.locs[at].cases {
        match case.cond.as_ref().map_or(Ok((true, false)), |c| reference.cond(c)) {
            Err(_) => return (Goto::Ub, stay),
            Ok((false, _)) => {}
            Ok((true, _)) => {
                return match direct_effects(case, reference, contents, stay.clone()) {
                    Some(next) => (case.target, next),
                    None => (Goto::Ub, stay),
                };
            }
        }
    }
    unreachable!("the last case is the else")
}

/// What a case does, or nothing where that is undefined.
fn direct_effects(case: &Case, reference: &Reference<'_>, contents: &[Cells], mut next: Direct) -> Option<Direct> {
    for (v, e) in &case.assigns {
        let o = reference.expr(e).ok()?;
        next.vars[*v] = (o.value, o.poison);
    }
    for update in &case.stores {
        match update {
            MemUpdate::Store { mem, address, value } => {
                let (a, v) = (reference.expr(address).ok()?, reference.expr(value).ok()?);
                if reference.arithmetic == Arithmetic::Poisoning && (a.poison || v.poison) {
                    return None;
                }
                next.mems[*mem].cells.insert(a.value, v.value);
            }
            MemUpdate::Forget { mem, unknown } => next.mems[*mem] = contents[*unknown].clone(),
        }
    }
    Some(next)
}

fn random_cells(r: &mut Random, target: Target, cell: IntType, address: IntType) -> Cells {
    let value = |r: &mut Random| {
        let (min, max) = if target.over_z() { (-40, 40) } else { bounds(cell) };
        between(r, min, max)
    };
    let (min, max) = if target.over_z() { (-12, 12) } else { bounds(address) };
    let cells = (0..r.below(8)).map(|_| (between(r, min, max), value(r))).collect();
    Cells { cells, default: value(r) }
}

fn random_value(r: &mut Random, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(r.below(2) == 0),
        Sort::BitVec(w) => Value::bv(w, r.below(1 << w) as u128),
        Sort::Int => Value::int(between(r, -40, 40)),
        Sort::Array(index, element) => {
            let mut a = crate::value::ArrayValue::constant(index, random_value(r, element.into()));
            for _ in 0..r.below(6) {
                a.set(random_value(r, index.into()), random_value(r, element.into()));
            }
            Value::Array(Arc::new(a))
        }
    }
}

/// In every state, reachable or not, exactly one edge is enabled.
fn assert_total_and_disjoint(machine: &Machine<'_>, r: &mut Random) {
    let ts = machine.system();
    for loc in ts.locs.ids().filter(|l| !l.is_sink()) {
        for _ in 0..20 {
            let values = ts.vars.iter().map(|v| random_value(r, v.sort)).collect();
            let state = State { loc, values };
            assert!(machine.enabled(&state).is_ok(), "{:?} at {state:?}", machine.enabled(&state));
        }
    }
}

/// What unknowns are at one visit: as the system sees them, and as the program does.
struct Choice {
    raw: Vec<i128>,
    values: Vec<(i128, bool)>,
    raw_contents: Vec<Cells>,
    contents: Vec<Cells>,
}

fn choose(r: &mut Random, p: &Program, target: Target) -> Choice {
    let mut choice = Choice { raw: Vec::new(), values: Vec::new(), raw_contents: Vec::new(), contents: Vec::new() };
    for u in &p.unknowns {
        let small = |k: &dashu_int::IBig| i128::try_from(k.clone()).expect("small");
        let range = u.range.as_ref().map(|(low, high)| (small(low), small(high)));
        let (min, max) = match range {
            Some(range) if target.over_z() => range,
            None if target.over_z() && u.computed && u.ty.signed => (2 * bounds(u.ty).0 - 1, 2 * bounds(u.ty).1 + 2),
            _ => bounds(u.ty),
        };
        let raw = between(r, min, max);
        let value = range.filter(|(low, high)| raw < *low || *high < raw).map_or(raw, |(low, _)| low);
        choice.raw.push(raw);
        choice.values.push((value, u.computed));
    }
    for u in &p.mem_unknowns {
        let raw = random_cells(r, target, u.cell, p.address);
        let computed = u.kind == UnknownKind::Abstraction && u.cell.signed;
        choice.contents.push(if computed { raw.clone() } else { raw.reduced(u.cell) });
        choice.raw_contents.push(raw);
    }
    choice
}

#[derive(Default, Debug)]
struct Counts {
    steps: usize,
    stored: usize,
    abstractions: usize,
    ends: [usize; 4],
    poisoned: usize,
    cells: usize,
    outside: usize,
    flagged: usize,
}

#[test]
fn random_programs_run_as_they_read() {
    let mut r = Random::new(3);
    let mut seen = Counts::default();
    for _ in 0..600 {
        let p = random_program(&mut r);
        assert_eq!(p.defects(), Vec::<String>::new());
        for target in Target::ALL {
            let ts = lower(&p, target);
            assert!(ts.defects().is_empty(), "{:?}", ts.defects());
            seen.stored += ts.locs.len() - 4 - p.locs.len();
            seen.abstractions += ts.unknowns.len() - p.unknowns.len() - p.mem_unknowns.len();
            seen.flagged += ts.vars.iter().filter(|v| v.name.ends_with(".written")).count();
            let machine = Machine::new(&ts);
            assert_total_and_disjoint(&machine, &mut r);
            for _ in 0..4 {
                run(&mut r, &p, target, &machine, &mut seen);
            }
        }
    }
    println!("{seen:?}");
    assert!(seen.steps > 10_000 && seen.stored > 100 && seen.abstractions > 10 && seen.poisoned > 100);
    assert!(seen.ends.iter().all(|n| *n > 20));
    assert!(seen.cells > 10_000 && seen.outside > 1000 && seen.flagged > 100);
}

/// A run from a random initial state, of both.
fn run(r: &mut Random, p: &Program, target: Target, machine: &Machine<'_>, seen: &mut Counts) {
    let ts = machine.system();
    let (mut direct, values) = initial(r, p, target, machine);
    let mut state = State { loc: ts.entry, values };
    let mut at = p.entry;
    for _ in 0..12 {
        let large = |v: i128| v.abs() > 1 << 20;
        let stored = |m: &Cells| m.cells.iter().any(|(a, v)| large(*a) || large(*v));
        if direct.vars.iter().any(|(v, _)| large(*v)) || direct.mems.iter().any(stored) {
            // Soon the reference would run out of bits.
            return;
        }
        let choice = choose(r, p, target);
        let reference = Reference {
            program: p,
            arithmetic: arithmetic(target),
            vars: &direct.vars,
            unknowns: &choice.values,
            mems: &direct.mems,
        };
        let (goto, next) = direct_step(at, &reference, &choice.contents);
        let chosen = |u: UnknownId| {
            let i = u.index();
            if i < p.unknowns.len() {
                value_of(target, p.unknowns[i].ty, choice.raw[i])
            } else if i < p.unknowns.len() + p.mem_unknowns.len() {
                let content = i - p.unknowns.len();
                array_of(target, p.address, p.mem_unknowns[content].cell, &choice.raw_contents[content])
            } else {
                Value::int(ABSTRACT)
            }
        };
        let step = |state: &State| match machine.step(state, chosen) {
            Step::Took(_, next) => next,
            other => panic!("{other:?} at {state:?} of {}", crate::lts::print(ts)),
        };
        state = step(&state);
        if ts.locs[state.loc].name.ends_with(".chosen") {
            state = step(&state);
        }
        seen.steps += 1;
        let want = match goto {
            Goto::Loc(i) => ts.loc_named(&p.locs[i].name).expect("locations keep their names"),
            Goto::Exit => LocId::EXIT,
            Goto::Stop => LocId::STOP,
            Goto::Trap => LocId::TRAP,
            Goto::Ub => LocId::UB,
        };
        assert_eq!(state.loc, want, "{target:?} {p:?}");
        if want.is_sink() {
            seen.ends[want.index()] += 1;
        }
        if want == LocId::UB {
            return;
        }
        compare(p, target, ts, &state, &next, seen);
        let Goto::Loc(i) = goto else { return };
        at = i;
        direct = next;
    }
}

fn initial(r: &mut Random, p: &Program, target: Target, machine: &Machine<'_>) -> (Direct, Vec<Value>) {
    let ts = machine.system();
    let small = |k: &dashu_int::IBig| i128::try_from(k.clone()).expect("small");
    let mut direct = Direct { vars: Vec::new(), mems: Vec::new() };
    let mut values = Vec::new();
    for (i, (_, ty)) in p.vars.iter().enumerate() {
        let any = between(r, bounds(*ty).0, bounds(*ty).1);
        let fixed = p.init.iter().find(|(v, _)| *v == i).and_then(|(_, k)| k.as_ref().map(small));
        direct.vars.push((fixed.unwrap_or(any), false));
        values.push(value_of(target, *ty, fixed.unwrap_or(any)));
    }
    for m in &p.mems {
        let raw = match &m.init {
            MemInit::Any => random_cells(r, target, m.cell, p.address),
            MemInit::Cells { default, cells } => {
                Cells { default: small(default), cells: cells.iter().map(|(a, v)| (small(a), small(v))).collect() }
            }
        };
        values.push(array_of(target, p.address, m.cell, &raw));
        direct.mems.push(raw.reduced(m.cell));
    }
    for v in ts.vars.iter().skip(values.len()) {
        let flags = p.mems.iter().find(|m| v.name == format!("{}.written", m.name));
        let mut value = Value::zero(v.sort);
        if let (Some(m), Sort::Array(index, _)) = (flags, v.sort) {
            let as_it_is = Value::Bool(m.init != MemInit::Any);
            value = Value::Array(Arc::new(crate::value::ArrayValue::constant(index, as_it_is)));
        }
        values.push(value);
    }
    assert!(machine.is_initial(&values), "{}", crate::lts::print(ts));
    (direct, values)
}

/// Compares a state of the system with one of the direct interpreter.
fn compare(p: &Program, target: Target, ts: &crate::TransitionSystem, state: &State, want: &Direct, seen: &mut Counts) {
    for (i, (name, ty)) in p.vars.iter().enumerate() {
        assert_eq!(number_of(*ty, &state.values[i]), want.vars[i].0, "{name} {target:?} {p:?}");
        let shadow = ts.var_named(&format!("{name}.poison"));
        let flag = shadow.is_some_and(|s| state.values[s.index()].as_bool());
        if target == Target::CDiverges {
            assert_eq!(flag, want.vars[i].1, "{name}.poison {p:?}");
            seen.poisoned += usize::from(flag);
        } else {
            assert!(shadow.is_none());
        }
    }
    for (i, m) in p.mems.iter().enumerate() {
        let content = state.values[p.vars.len() + i].as_array();
        let flags = ts.var_named(&format!("{}.written", m.name)).map(|v| state.values[v.index()].as_array());
        let (min, max) = if target.over_z() { (-20, 20) } else { bounds(p.address) };
        for a in min..=max {
            let index = value_of(target, p.address, a);
            let raw = number_of(m.cell, content.get(&index));
            let cell = want.mems[i].at(a);
            // How a cell is read shows in what programs load; here, that nothing else is in it.
            match flags.map(|f| f.get(&index).as_bool()) {
                Some(true) => assert_eq!(raw, cell, "{} {target:?} {p:?}", m.name),
                Some(false) => assert_eq!(reduce(m.cell, raw), cell, "{} {target:?} {p:?}", m.name),
                None => assert!(raw == cell || reduce(m.cell, raw) == cell, "{} {target:?} {p:?}", m.name),
            }
            seen.cells += 1;
            seen.outside += usize::from(!fits(m.cell, cell));
        }
    }
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
        ..Program::default()
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
        ..Program::default()
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

#[test]
fn a_program_with_recursion_has_a_system_for_each_verdict() {
    use crate::system::{Integers, Proves};
    let plain = count_up();
    let skipped = Program { recursion: Recursion::Skipped, ..count_up() };
    let resumed = Program {
        recursion: Recursion::Resumed { ending: Box::new(skipped.clone()) },
        name: "resumed".into(),
        ..count_up()
    };
    let proves = |p: &Program, integers: Integers| -> Vec<(String, Proves)> {
        p.systems(integers).into_iter().map(|(form, target)| (form.name.clone(), lower(form, target).proves)).collect()
    };
    let (ends, hangs) = ((plain.name.clone(), Proves::Terminates), (plain.name.clone(), Proves::Diverges));
    for integers in [Integers::Wrap, Integers::Ideal] {
        assert_eq!(proves(&plain, integers), [(plain.name.clone(), Proves::Both)]);
    }
    assert_eq!(proves(&plain, Integers::C), [ends.clone(), hangs]);
    for integers in [Integers::Wrap, Integers::Ideal, Integers::C] {
        assert_eq!(proves(&resumed, integers), [ends.clone(), ("resumed".to_owned(), Proves::Diverges)]);
    }
    assert_eq!(skipped.proves(Target::CDiverges), None);
}

/// Where nobody knows how a run goes on nothing is said to end. A system for proofs of divergence says nothing of ends: there what
/// decides is no choice of ours, so that the run does not count.
#[test]
fn only_a_system_that_can_show_an_end_has_escapes() {
    let ty = IntType::unsigned(1);
    let mut p = Program::new("beyond");
    p.unknowns = vec![Unknown::new("more", ty, UnknownKind::Abstraction)];
    let again = Cond::cmp(CmpOp::Eq, ty, Expr::Unknown(0), Expr::constant(0, ty));
    let cases = vec![Case::new(Some(again), Vec::new(), Goto::Loc(0)), Case::new(None, Vec::new(), Goto::Stop)];
    p.locs = vec![Location { escapes: true, artificial: true, ..Location::new("beyond", cases) }];
    for target in Target::ALL {
        let ts = lower(&p, target);
        let beyond = ts.loc_named("beyond").expect("it keeps its name");
        assert_eq!(ts.locs[beyond].escapes, target != Target::CDiverges, "{target:?}");
        let goes_on = ts.locs[beyond].out.iter().any(|e| ts.edges[*e].to != LocId::UB);
        assert_eq!(goes_on, target != Target::CDiverges, "{target:?}");
    }
}
