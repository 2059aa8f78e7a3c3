//! What of floating-point numbers anybody wants to know.
//!
//! Their terms are heavy for solvers, and most numbers decide nothing. So a value that reaches no condition, address, divisor, shift
//! amount or conversion is not computed; and where nobody looks at the bits of a number, its NaN keeps the pattern that
//! operations give it.
//!
//! Why that is right: `need` is an upper bound of what any later step asks of a variable or memory, found backwards from what decides
//! something. Two runs that differ only in what is not needed go the same way, step by step, and one is infinite, or ends in a
//! sink, iff the other does. For a number whose bits nobody looks at all NaNs are one value: operations and comparisons cannot
//! tell them apart.

use super::floats::settled_number;
use super::memo::{Memo, Part};
use super::{BinaryOp, Cond, Expr, MemUpdate, Program};
use crate::fast::FastSet;
use crate::float::FloatOp;
use std::sync::Arc;

/// What is asked of a value; each asks for more than those before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Need {
    Nothing,
    /// The number that a pattern is.
    Number,
    /// All bits.
    Bits,
}

impl Program {
    /// Takes out what is computed of floating-point numbers for nothing.
    pub fn drop_idle_floats(&mut self) {
        let floats = |e: &Expr| mentions(Part::Expr(e), &|e| matches!(e, Expr::Float { .. }));
        let any = self.locs.iter().flat_map(|l| &l.cases).any(|c| {
            c.assigns.iter().any(|(_, e)| floats(e))
                || c.stores.iter().any(|s| matches!(s, MemUpdate::Store { value, .. } if floats(value)))
        });
        if !any {
            return;
        }
        let (vars, mems) = needs(self);
        // A poisoned address is undefined, too, and so is a poisoned condition, but for the one that is ours.
        let of_state = |e: &Expr| matches!(e, Expr::Var(_) | Expr::Load { .. });
        let asks = |e: &Expr| match e {
            Expr::Load { address, .. } => !matches!(**address, Expr::Const(..)),
            Expr::Ite(c, ..) => settled_number(e).is_none() && mentions(Part::Cond(c), &of_state),
            e => may_be_undefined(e),
        };
        let idle = |e: &Expr| floats(e) && !mentions(Part::Expr(e), &asks);
        for case in self.locs.iter_mut().flat_map(|l| &mut l.cases) {
            // A variable that nobody asks for may as well keep its value.
            case.assigns.retain(|(v, e)| vars[*v] != Need::Nothing || !idle(e));
            for (v, e) in &mut case.assigns {
                if vars[*v] == Need::Number {
                    *e = without_choice(e);
                }
            }
            for store in &mut case.stores {
                if let MemUpdate::Store { mem, value, .. } = store {
                    match mems[*mem] {
                        Need::Nothing if idle(value) => *value = Expr::constant(0, self.mems[*mem].cell),
                        Need::Number => *value = without_choice(value),
                        Need::Nothing | Need::Bits => {}
                    }
                }
            }
        }
    }
}

/// The same number, with the pattern of a NaN that operations give.
fn without_choice(e: &Expr) -> Expr {
    match e {
        _ if settled_number(e).is_some() => settled_number(e).map_or_else(|| e.clone(), |n| (**n).clone()),
        Expr::Ite(c, a, b) => Expr::Ite(c.clone(), Arc::new(without_choice(a)), Arc::new(without_choice(b))),
        other => other.clone(),
    }
}

/// Whether an operation is undefined for some operands.
fn may_be_undefined(e: &Expr) -> bool {
    match e {
        Expr::Binary { op, .. } => matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr),
        Expr::Float { op, .. } => matches!(op, FloatOp::ToSigned(_) | FloatOp::ToUnsigned(_)),
        _ => false,
    }
}

/// Whether an expression of which this holds occurs in something.
fn mentions(root: Part<'_>, what: &dyn Fn(&Expr) -> bool) -> bool {
    let (mut seen, mut open) = (FastSet::default(), vec![root]);
    while let Some(part) = open.pop() {
        if let Part::Expr(e) = part
            && what(e)
        {
            return true;
        }
        if seen.insert(part.address()) {
            part.children(|c| open.push(c));
        }
    }
    false
}

struct Demand<'p> {
    vars: Vec<Need>,
    mems: Vec<Need>,
    /// What is assigned to each variable, and stored to each memory.
    assigned: Vec<Vec<&'p Expr>>,
    stored: Vec<Vec<&'p Expr>>,
    seen: Memo<'p, Need>,
    open: Vec<(Part<'p>, Need)>,
}

/// What is asked of variables and memories.
fn needs(program: &Program) -> (Vec<Need>, Vec<Need>) {
    let (vars, mems) = (program.vars.len(), program.mems.len());
    let mut demand = Demand {
        vars: vec![Need::Nothing; vars],
        mems: vec![Need::Nothing; mems],
        assigned: vec![Vec::new(); vars],
        stored: vec![Vec::new(); mems],
        seen: Memo::new(),
        open: Vec::new(),
    };
    for case in program.locs.iter().flat_map(|l| &l.cases) {
        demand.open.extend(case.cond.iter().map(|c| (Part::Cond(c), Need::Bits)));
        for (v, e) in &case.assigns {
            demand.assigned[*v].push(e);
            demand.open.push((Part::Expr(e), Need::Nothing));
        }
        demand.open.extend(case.evaluates.iter().map(|e| (Part::Expr(e), Need::Nothing)));
        for store in &case.stores {
            if let MemUpdate::Store { mem, address, value } = store {
                demand.stored[*mem].push(value);
                demand.open.push((Part::Expr(address), Need::Bits));
                demand.open.push((Part::Expr(value), Need::Nothing));
            }
        }
    }
    while let Some((part, need)) = demand.open.pop() {
        if !demand.seen.contains(part) || *demand.seen.get(part) < need {
            demand.seen.insert(part, need);
            demand.visit(part, need);
        }
    }
    (demand.vars, demand.mems)
}

impl<'p> Demand<'p> {
    /// What is asked of the operands, when this is asked of the result. What decides whether an operation is defined is asked for in any
    /// case.
    fn visit(&mut self, part: Part<'p>, need: Need) {
        // An operation on integers looks at all bits.
        let bits = if need == Need::Nothing { Need::Nothing } else { Need::Bits };
        match part {
            Part::Expr(Expr::Const(..) | Expr::Unknown(_)) | Part::Cond(Cond::Const(_)) => {}
            Part::Expr(Expr::Var(v)) => {
                if self.vars[*v] < need {
                    self.vars[*v] = need;
                    self.open.extend(self.assigned[*v].iter().map(|e| (Part::Expr(e), need)));
                }
            }
            Part::Expr(Expr::Load { mem, address }) => {
                self.open.push((Part::Expr(address), Need::Bits));
                if self.mems[*mem] < need {
                    self.mems[*mem] = need;
                    self.open.extend(self.stored[*mem].iter().map(|e| (Part::Expr(e), need)));
                }
            }
            Part::Expr(e) if settled_number(e).is_some() => {
                let number = need.min(Need::Number);
                self.open.extend(settled_number(e).map(|n| (Part::Expr(n), number)));
            }
            // Which branch is evaluated decides what is undefined.
            Part::Expr(Expr::Ite(c, a, b)) => {
                self.open.extend([(Part::Cond(c), Need::Bits), (Part::Expr(a), need), (Part::Expr(b), need)]);
            }
            Part::Expr(e @ Expr::Float { op, args }) => {
                let asked = match need {
                    _ if !op.takes_floats() => bits,
                    Need::Nothing if !may_be_undefined(e) => Need::Nothing,
                    _ => Need::Number,
                };
                self.open.extend(args.iter().map(|a| (Part::Expr(a), asked)));
            }
            Part::Cond(Cond::Float { args, .. }) => {
                self.open.extend(args.iter().map(|a| (Part::Expr(a), Need::Number)));
            }
            Part::Expr(e) => {
                let asked = if may_be_undefined(e) { Need::Bits } else { bits };
                part.children(|c| self.open.push((c, asked)));
            }
            Part::Cond(_) => part.children(|c| self.open.push((c, Need::Bits))),
        }
    }
}
