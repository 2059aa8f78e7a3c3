//! The flow of values that left their type, against the lowering itself.

use super::programs::random_program;
use crate::neutral::flow::taint;
use crate::neutral::{Bound, BoundMem, Expr, IntType, MemUpdate, Program, Reading, Scope, Target, lower_expr};
use crate::random::Random;
use crate::simplify::simplify;
use crate::sort::Sort;
use crate::term::{Role, Terms};

/// The least set of variables and memories that is closed under the assignments, by the word of the lowering.
fn by_lowering(p: &Program, target: Target) -> (Vec<bool>, Vec<bool>) {
    let (mut vars, mut mems) = (vec![false; p.vars.len()], vec![false; p.mems.len()]);
    let computed = |u: usize| p.mem_unknowns[u].is_computed();
    loop {
        let before = (vars.clone(), mems.clone());
        let t = Terms::new();
        let symbol = |name: String, sort: Sort| t.symbol(&name, sort, Role::Free);
        let bound = |name: String, ty: IntType, tainted: bool| Bound {
            ty,
            value: symbol(name.clone(), target.sort(ty)),
            poison: tainted.then(|| symbol(format!("{name} poison"), Sort::Bool)),
            in_range: !tainted,
        };
        let var_bounds: Vec<Bound> =
            p.vars.iter().enumerate().map(|(i, (_, ty))| bound(format!("v{i}"), *ty, vars[i])).collect();
        let free = |u: &crate::neutral::Unknown| u.computed && (!target.over_z() || u.ty.signed && u.range.is_none());
        let unknown_bounds: Vec<Bound> =
            p.unknowns.iter().enumerate().map(|(i, u)| bound(format!("u{i}"), u.ty, free(u))).collect();
        let scalar = |ty: IntType| target.sort(ty).as_scalar().expect("integers are scalars");
        let mem_bounds: Vec<BoundMem> = (0..p.mems.len())
            .map(|i| BoundMem {
                content: symbol(format!("m{i}"), Sort::Array(scalar(p.address), scalar(p.mems[i].cell))),
                cell: p.mems[i].cell,
                reading: if mems[i] { Reading::Computed } else { Reading::InRange },
            })
            .collect();
        let mut made = 0;
        let mut fresh = || {
            made += 1;
            symbol(format!("fresh {made}"), Sort::Int)
        };
        let mut scope = Scope::new(&t, target, [&var_bounds, &unknown_bounds], &mem_bounds, &mut fresh);
        let mut leaves = |e| {
            let e: &Expr = e;
            let lowered = lower_expr(&mut scope, e);
            if target.over_z() { !lowered.in_range } else { simplify(&t, lowered.poison) != t.ff() }
        };
        for case in p.locs.iter().flat_map(|l| &l.cases) {
            for (v, e) in &case.assigns {
                vars[*v] |= leaves(e);
            }
            for update in case.stores.iter().filter(|_| target.over_z()) {
                match update {
                    MemUpdate::Store { mem, value, .. } => mems[*mem] |= leaves(value),
                    MemUpdate::Forget { mem, unknown } => mems[*mem] |= computed(*unknown),
                }
            }
        }
        if before == (vars.clone(), mems.clone()) {
            return before;
        }
    }
}

#[test]
fn flow_finds_what_the_lowering_finds() {
    let mut r = Random::new(11);
    let (mut tainted, mut clean, mut too_many) = (0, 0, 0);
    for _ in 0..1500 {
        let p = random_program(&mut r);
        for target in [Target::Ideal, Target::CDiverges] {
            let (vars, mems) = by_lowering(&p, target);
            let found = taint(&p, target);
            for (want, got) in vars.iter().chain(&mems).zip(found.vars.iter().chain(&found.mems)) {
                assert!(*got || !*want, "{target:?} {p:?}");
                tainted += usize::from(*want);
                clean += usize::from(!*got);
                too_many += usize::from(*got && !*want);
            }
        }
        let none = taint(&p, Target::Wrap);
        assert!(!none.vars.contains(&true) && !none.mems.contains(&true));
    }
    println!("{tainted} tainted, {clean} clean, {too_many} only perhaps");
    assert!(tainted > 1000 && clean > 1000 && too_many * 20 < tainted);
}
