//! Makes a program small while something is still wrong with it.
//!
//! Statements are taken away, several at once as long as that works; a statement is replaced by what is inside it; an
//! expression by one of its parts or by a small number. What is no C any more does not compile and is no success.

use super::program::{Expr, Part, Program, Stmt};

/// A smaller program that still fails, found with at most `budget` questions.
pub fn shrink(program: &Program, budget: usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = budget;
    let mut attempt = |candidate: Program, best: &mut Program, left: &mut usize| -> bool {
        if *left == 0 || candidate.size() >= best.size() {
            return false;
        }
        *left -= 1;
        let better = fails(&candidate);
        if better {
            *best = candidate;
        }
        better
    };
    loop {
        let before = best.size();
        // Whole runs of statements first, then shorter ones.
        for length in [16, 8, 4, 2, 1] {
            let mut at = 0;
            while at < count_statements(&best.items) && left > 0 {
                let mut candidate = best.clone();
                let mut n = at;
                remove(&mut candidate.items, &mut n, length);
                if !attempt(candidate, &mut best, &mut left) {
                    at += length.min(4);
                }
            }
        }
        let mut at = 0;
        while at < count_statements(&best.items) && left > 0 {
            let mut which = 0;
            let mut progress = false;
            loop {
                let mut candidate = best.clone();
                let mut n = at;
                if !hoist(&mut candidate.items, &mut n, which) {
                    break;
                }
                progress |= attempt(candidate, &mut best, &mut left);
                if progress {
                    break;
                }
                which += 1;
            }
            at += usize::from(!progress);
        }
        let mut at = 0;
        while at < count_exprs(&best.items) && left > 0 {
            let mut progress = false;
            for which in 0.. {
                let mut candidate = best.clone();
                let mut n = at;
                if !simplify(&mut candidate.items, &mut n, which) {
                    break;
                }
                if attempt(candidate, &mut best, &mut left) {
                    progress = true;
                    break;
                }
            }
            at += usize::from(!progress);
        }
        if best.size() == before || left == 0 {
            return best;
        }
    }
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
        let small = shrink(&program(), 500, &mut |p| {
            asked += 1;
            p.print("").contains("needle")
        });
        assert_eq!(small.print("").trim(), "y = needle;", "after {asked} questions");
    }

    #[test]
    fn nothing_fails_nothing_changes() {
        assert_eq!(shrink(&program(), 500, &mut |_| false), program());
    }

    #[test]
    fn the_budget_is_kept() {
        let mut asked = 0;
        shrink(&program(), 7, &mut |_| {
            asked += 1;
            false
        });
        assert_eq!(asked, 7);
    }
}
