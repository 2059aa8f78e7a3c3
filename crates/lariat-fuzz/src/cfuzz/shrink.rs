//! Makes a program small while something is still wrong with it.
//!
//! Statements are taken away, several at once as long as that works; a statement is replaced by what is inside it; an
//! expression by one of its parts or by a small number. What is no C any more does not compile and is no success.

use super::program::{Expr, Part, Program, Stmt};

/// How many candidates are judged at once.
pub const WIDTH: usize = 24;

/// One change of a program.
#[derive(Clone, Copy, Debug)]
enum Edit {
    /// Takes away so many statements from the n-th on.
    Remove(usize, usize),
    /// Replaces the n-th statement by one of its bodies.
    Hoist(usize, usize),
    /// Replaces the n-th expression by one of its parts, or a number.
    Simplify(usize, usize),
}

impl Edit {
    /// The number of what is changed.
    fn place(self) -> usize {
        match self {
            Self::Remove(n, _) | Self::Hoist(n, _) | Self::Simplify(n, _) => n,
        }
    }
    fn apply(self, program: &Program) -> Option<Program> {
        let mut changed = program.clone();
        let items = &mut changed.items;
        let done = match self {
            Self::Remove(mut n, length) => remove(items, &mut n, length),
            Self::Hoist(mut n, which) => hoist(items, &mut n, which),
            Self::Simplify(mut n, which) => simplify(items, &mut n, which),
        };
        (done && changed.size() < program.size()).then_some(changed)
    }
}

/// All changes of a program, the boldest first.
fn edits(program: &Program) -> Vec<Edit> {
    let (statements, exprs) = (count_statements(&program.items), count_exprs(&program.items));
    let mut all = Vec::new();
    for length in [16usize, 8, 4, 2, 1] {
        all.extend((0..statements).step_by(length.div_ceil(2)).map(|n| Edit::Remove(n, length)));
    }
    for n in 0..statements {
        all.extend((0..3).map(|which| Edit::Hoist(n, which)));
    }
    for n in 0..exprs {
        all.extend((0..6).map(|which| Edit::Simplify(n, which)));
    }
    all
}

/// A smaller program that still fails, found with at most `budget` questions; `fails` judges several programs at once.
pub fn shrink(program: &Program, budget: usize, fails: &mut dyn FnMut(&[Program]) -> Vec<bool>) -> Program {
    let mut best = program.clone();
    let mut left = budget;
    loop {
        let before = best.size();
        let mut at = 0;
        let mut all = edits(&best);
        while at < all.len() && left > 0 {
            let mut candidates = Vec::new();
            let mut end = at;
            while end < all.len() && candidates.len() < WIDTH.min(left) {
                candidates.extend(all[end].apply(&best).map(|c| (end, c)));
                end += 1;
            }
            if candidates.is_empty() {
                break;
            }
            let programs: Vec<Program> = candidates.iter().map(|(_, c)| c.clone()).collect();
            left -= programs.len();
            let answers = fails(&programs);
            let mut failing: Vec<(usize, Program)> =
                candidates.into_iter().zip(answers).filter(|(_, fails)| *fails).map(|(c, _)| c).collect();
            let together = combined(&best, &all, &failing);
            if !together.is_empty() && left >= together.len() {
                left -= together.len();
                let programs: Vec<Program> = together.iter().map(|(_, c)| c.clone()).collect();
                let answers = fails(&programs);
                failing.extend(together.into_iter().zip(answers).filter(|(_, fails)| *fails).map(|(c, _)| c));
            }
            match failing.into_iter().min_by_key(|(_, c)| c.size()) {
                Some((i, smaller)) => {
                    // The places behind have moved, those before were of no use.
                    let share = i * 1000 / all.len();
                    best = smaller;
                    all = edits(&best);
                    at = (share * all.len() / 1000).min(at);
                }
                None => at = end,
            }
        }
        if best.size() == before || left == 0 {
            return best;
        }
    }
}

/// Several changes that work alone, all at once: all of them, and each half.
fn combined(program: &Program, all: &[Edit], single: &[(usize, Program)]) -> Vec<(usize, Program)> {
    let statements = single.iter().filter(|(i, _)| !matches!(all[*i], Edit::Simplify(..))).count();
    let of_statements = statements * 2 >= single.len();
    let chosen: Vec<usize> =
        single.iter().map(|(i, _)| *i).filter(|i| !matches!(all[*i], Edit::Simplify(..)) == of_statements).collect();
    if chosen.len() < 2 {
        return Vec::new();
    }
    let (first, second) = chosen.split_at(chosen.len() / 2);
    let apply = |list: &[usize]| {
        let mut list = list.to_vec();
        // From behind, so that the places before stay what they are.
        list.sort_by_key(|i| std::cmp::Reverse(all[*i].place()));
        list.dedup_by_key(|i| all[*i].place());
        let mut changed = program.clone();
        for &i in &list {
            if let Some(next) = all[i].apply(&changed) {
                changed = next;
            }
        }
        (chosen[0], changed)
    };
    [&chosen[..], first, second].into_iter().filter(|l| l.len() > 1).map(apply).collect()
}

fn count_statements(list: &[Stmt]) -> usize {
    list.iter()
        .map(|s| {
            1 + s
                .parts
                .iter()
                .map(|p| match p {
                    Part::Body(b) => count_statements(b),
                    _ => 0,
                })
                .sum::<usize>()
        })
        .sum()
}

/// Takes away up to `length` statements from the list in which the n-th stands, from there on.
fn remove(list: &mut Vec<Stmt>, n: &mut usize, length: usize) -> bool {
    let mut i = 0;
    while i < list.len() {
        if *n == 0 {
            let end = list.len().min(i + length);
            list.drain(i..end);
            return true;
        }
        *n -= 1;
        for p in &mut list[i].parts {
            if let Part::Body(b) = p
                && remove(b, n, length)
            {
                return true;
            }
        }
        i += 1;
    }
    false
}

/// Replaces the n-th statement by its body number `which`.
fn hoist(list: &mut Vec<Stmt>, n: &mut usize, which: usize) -> bool {
    let mut i = 0;
    while i < list.len() {
        if *n == 0 {
            let bodies: Vec<Vec<Stmt>> = list[i]
                .parts
                .iter()
                .filter_map(|p| match p {
                    Part::Body(b) => Some(b.clone()),
                    _ => None,
                })
                .collect();
            let Some(body) = bodies.into_iter().nth(which) else { return false };
            list.splice(i..=i, body);
            return true;
        }
        *n -= 1;
        let inside: usize = count_statements(std::slice::from_ref(&list[i])) - 1;
        if *n < inside {
            for p in &mut list[i].parts {
                if let Part::Body(b) = p {
                    let size = count_statements(b);
                    if *n < size {
                        return hoist(b, n, which);
                    }
                    *n -= size;
                }
            }
            return false;
        }
        *n -= inside;
        i += 1;
    }
    false
}

fn count_exprs(list: &[Stmt]) -> usize {
    let of = |p: &Part| match p {
        Part::Text(_) => 0,
        Part::Expr(e) => e.size(),
        Part::Body(b) => count_exprs(b),
    };
    list.iter().flat_map(|s| &s.parts).map(of).sum()
}

/// Replaces the n-th expression by candidate number `which`.
fn simplify(list: &mut [Stmt], n: &mut usize, which: usize) -> bool {
    for part in list.iter_mut().flat_map(|s| &mut s.parts) {
        match part {
            Part::Text(_) => {}
            Part::Expr(e) => {
                let size = e.size();
                if *n < size {
                    return simplify_expr(e, n, which);
                }
                *n -= size;
            }
            Part::Body(b) => {
                let size = count_exprs(b);
                if *n < size {
                    return simplify(b, n, which);
                }
                *n -= size;
            }
        }
    }
    false
}

fn simplify_expr(e: &mut Expr, n: &mut usize, which: usize) -> bool {
    if *n == 0 {
        // A leaf is as small as it gets.
        if e.args.is_empty() {
            return false;
        }
        let numbers = ["0", "1"];
        let replacement = match which.checked_sub(e.args.len()) {
            None => e.args[which].clone(),
            Some(i) if i < numbers.len() => Expr::text(numbers[i]),
            Some(_) => return false,
        };
        *e = replacement;
        return true;
    }
    *n -= 1;
    for arg in &mut e.args {
        let size = arg.size();
        if *n < size {
            return simplify_expr(arg, n, which);
        }
        *n -= size;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        let x = |t: &str| Expr::text(t);
        let sum = Expr::of("(# + #)", vec![x("a"), Expr::of("(# * #)", vec![x("b"), x("needle")])]);
        let inner = vec![Stmt::of("y = #;", vec![sum]), Stmt::text("z = 1;")];
        let body = vec![
            Stmt::text("int a = 1;"),
            Stmt::of("if (#) {", vec![x("a")]).with(inner, "}"),
            Stmt::text("return 0;"),
        ];
        Program { items: vec![Stmt::text("int g;"), Stmt::text("int @main(void) {").with(body, "}")] }
    }

    #[test]
    fn only_what_matters_is_left() {
        let mut asked = 0;
        let small = shrink(&program(), 1000, &mut |list| {
            asked += list.len();
            list.iter().map(|p| p.print("").contains("needle")).collect()
        });
        assert_eq!(small.print("").trim(), "y = needle;", "after {asked} questions");
    }

    #[test]
    fn nothing_fails_nothing_changes() {
        assert_eq!(shrink(&program(), 500, &mut |list| vec![false; list.len()]), program());
    }

    #[test]
    fn the_budget_is_kept() {
        let mut asked = 0;
        shrink(&program(), 7, &mut |list| {
            asked += list.len();
            vec![false; list.len()]
        });
        assert_eq!(asked, 7);
    }
}
