//! Large programs: what is shared stays shared, so that sizes grow with the program.

use crate::LoopForest;
use crate::neutral::{
    BinaryOp, Case, CmpOp, Cond, Expr, Goto, IntType, Location, Mem, MemInit, MemUpdate, Overflow, Program, Target,
    Unknown, lower,
};
use crate::system::UnknownKind;
use std::sync::Arc;
use std::time::Instant;

const INT: IntType = IntType::signed(32);

/// Many locations, each a tree of decisions with this many leaves over values that were computed step by step.
fn program(locations: usize, leaves: usize) -> Program {
    let vars = 200;
    let locs = (0..locations)
        .map(|n| {
            let var = |k: usize| Expr::Var((n + 7 * k) % vars);
            let mut value = Arc::new(var(0));
            let mut cases: Vec<Case> = Vec::new();
            let mut path: Option<Arc<Cond>> = None;
            for leaf in 0..leaves {
                let one = Expr::binary(BinaryOp::Add, INT, Overflow::Undefined, value.clone(), var(leaf));
                value = Arc::new(Expr::binary(BinaryOp::Sub, INT, Overflow::Undefined, one, value));
                let here = Arc::new(Cond::cmp(CmpOp::Lt, INT, value.clone(), var(leaf + 1)));
                let and =
                    |c: Arc<Cond>| path.as_ref().map_or_else(|| (*c).clone(), |p| Cond::and(p.clone(), c.clone()));
                let cond = (leaf + 1 < leaves).then(|| and(here.clone()));
                let address = Expr::cast(INT, IntType::signed(64), var(leaf + 2));
                let cell = Expr::load(n % 3, address.clone());
                // Nested loops of ten and of a hundred locations, and jumps over some of them.
                let back = if n % 100 == 99 {
                    n - 99
                } else if n % 10 == 9 {
                    n - 9
                } else {
                    n + 2
                };
                let target = if leaf % 3 == 1 { back.min(locations) } else { n + 1 };
                let target = if target == locations { Goto::Exit } else { Goto::Loc(target) };
                let assigns = vec![((n + leaf) % vars, (*value).clone()), ((n + leaf + 50) % vars, cell)];
                let mut case = Case::new(cond, assigns, target);
                case.stores.push(MemUpdate::Store { mem: (n + 1) % 3, address, value: (*value).clone() });
                cases.push(case);
                let not = Arc::new(Cond::Not(here));
                path = Some(Arc::new(and(not)));
            }
            Location::new(format!("l{n}"), cases)
        })
        .collect();
    let mem = |i: usize| Mem {
        name: format!("m{i}"),
        cell: INT,
        init: if i == 0 { MemInit::Any } else { MemInit::Cells { default: 0.into(), cells: vec![] } },
    };
    Program {
        vars: (0..vars).map(|i| (format!("x{i}"), INT)).collect(),
        unknowns: vec![Unknown::new("u", INT, UnknownKind::Input)],
        locs,
        mems: (0..3).map(mem).collect(),
        ..Program::new("large")
    }
}

#[test]
fn a_large_program_becomes_a_system_of_its_size() {
    for (locations, leaves) in [(500, 3), (50, 40)] {
        let p = program(locations, leaves);
        let start = Instant::now();
        assert!(p.defects().is_empty());
        println!("{locations} locations with {leaves} leaves: checked in {:?}", start.elapsed());
        for target in Target::ALL {
            let start = Instant::now();
            let ts = lower(&p, target);
            let lowered = start.elapsed();
            let start = Instant::now();
            let forest = LoopForest::of(&ts);
            let loops = start.elapsed();
            let start = Instant::now();
            let text = crate::lts::print(&ts);
            let printed = start.elapsed();
            println!(
                "  {target:?}: lowered in {lowered:?}, {} loops in {loops:?}, {} edges, {} terms, {} bytes in {printed:?}",
                forest.loops.len(),
                ts.edges.len(),
                ts.terms.len(),
                text.len(),
            );
            let size = locations * leaves;
            assert!(ts.edges.len() <= 4 * size && ts.terms.len() <= 100 * size && text.len() <= 1000 * size);
        }
    }
}

/// A value that many steps computed one after the other, each from the one before, twice: as a tree it would not fit anywhere.
#[test]
fn a_deep_and_shared_value_is_lowered() {
    let step = |v: Arc<Expr>| Arc::new(Expr::binary(BinaryOp::Add, INT, Overflow::Undefined, v.clone(), v));
    let value = (0..5000).fold(Arc::new(Expr::Var(0)), |v, _| step(v));
    let p = Program {
        vars: vec![("x".into(), INT)],
        locs: vec![Location::new("l", vec![Case::new(None, vec![(0, (*value).clone())], Goto::Loc(0))])],
        ..Program::new("deep")
    };
    assert!(p.defects().is_empty());
    for target in Target::ALL {
        let ts = lower(&p, target);
        assert!(ts.terms.len() < 100_000 && ts.defects().is_empty());
    }
}
