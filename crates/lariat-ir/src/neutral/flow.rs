//! Where values flow that have left their type's range (over Z) or that are derived from an overflow (`CDiverges`).
//!
//! Each rule of the lowering passes such a value on, stops it or makes one, whatever the state. So the question is one of
//! reachability: from the operations that make one, along those that pass it on, to variables and memories. The rules are written
//! here a second time, without terms; the lowering asserts that it finds nothing which is not found here.

use super::memo::{Memo, Part};
use super::{BinaryOp, Expr, MemUpdate, Overflow, Program, Target, UnaryOp, integers};
use crate::float::FloatOp;
use dashu_int::IBig;

/// What such a value may come to; nothing in [`Target::Wrap`].
pub(super) struct Taint {
    pub vars: Vec<bool>,
    pub mems: Vec<bool>,
}

pub(super) fn taint(program: &Program, target: Target) -> Taint {
    let (vars, mems) = (program.vars.len(), program.mems.len());
    let passes_to = vec![Vec::new(); vars + mems];
    let mut graph = Graph { program, target, passes_to, sources: Vec::new(), vertices: Memo::new() };
    if target != Target::Wrap {
        for case in program.locs.iter().flat_map(|l| &l.cases) {
            for (v, e) in &case.assigns {
                graph.flow(e, *v);
            }
            // A poisoned value is never stored: that is undefined.
            for update in case.stores.iter().filter(|_| target.over_z()) {
                match update {
                    MemUpdate::Store { mem, value, .. } => graph.flow(value, vars + mem),
                    MemUpdate::Forget { mem, unknown } if program.mem_unknowns[*unknown].is_computed() => {
                        graph.sources.push(vars + mem);
                    }
                    MemUpdate::Forget { .. } => {}
                }
            }
        }
    }
    let reached = graph.reached();
    Taint { vars: reached[..vars].to_vec(), mems: reached[vars..vars + mems].to_vec() }
}

/// The vertices are the variables, the memories and the expressions.
struct Graph<'p> {
    program: &'p Program,
    target: Target,
    passes_to: Vec<Vec<usize>>,
    sources: Vec<usize>,
    vertices: Memo<'p, usize>,
}

impl<'p> Graph<'p> {
    /// Adds that the value of an expression comes to a variable or a memory.
    fn flow(&mut self, from: &'p Expr, to: usize) {
        let mut open = vec![(Part::Expr(from), false)];
        while let Some(part) = self.vertices.next(&mut open) {
            let vertex = match part {
                Part::Expr(Expr::Var(v)) => *v,
                Part::Expr(e) => self.expression(e),
                // A condition that rests on such a value is undefined, or its truth is what it is over Z.
                Part::Cond(_) => usize::MAX,
            };
            self.vertices.insert(part, vertex);
        }
        self.passes_to[*self.vertices.expr(from)].push(to);
    }

    fn expression(&mut self, e: &'p Expr) -> usize {
        let Self { program, target, passes_to, sources, vertices } = self;
        let vertex = passes_to.len();
        passes_to.push(Vec::new());
        rule(program, *target, e, |pass| match pass {
            Pass::Made => sources.push(vertex),
            Pass::Arg(a) => passes_to[*vertices.expr(a)].push(vertex),
            Pass::Cell(m) => passes_to[program.vars.len() + m].push(vertex),
        });
        vertex
    }

    fn reached(self) -> Vec<bool> {
        let mut reached = vec![false; self.passes_to.len()];
        let mut open = self.sources;
        while let Some(v) = open.pop() {
            if !std::mem::replace(&mut reached[v], true) {
                open.extend_from_slice(&self.passes_to[v]);
            }
        }
        reached
    }
}

/// Where the value of an expression may have it from.
enum Pass<'p> {
    /// The operation makes it.
    Made,
    /// This argument may have it.
    Arg(&'p Expr),
    /// A cell of this memory may have it.
    Cell(usize),
}

fn rule<'p>(program: &Program, target: Target, e: &'p Expr, mut from: impl FnMut(Pass<'p>)) {
    let over_z = target.over_z();
    match e {
        Expr::Var(_) | Expr::Const(..) => {}
        Expr::Unknown(u) => {
            let u = &program.unknowns[*u];
            if u.computed && !over_z || u.has_no_range(target) {
                from(Pass::Made);
            }
        }
        Expr::Unary { op: UnaryOp::Not, arg, .. } => from(Pass::Arg(arg)),
        Expr::Unary { op: UnaryOp::Neg, ty, overflow, .. } if over_z => {
            if integers::over_z(*ty, *overflow) {
                from(Pass::Made);
            }
        }
        Expr::Unary { op: UnaryOp::Neg, overflow: Overflow::Undefined, .. } => from(Pass::Made),
        Expr::Unary { op: UnaryOp::Neg, arg, .. } => from(Pass::Arg(arg)),
        Expr::Binary { op, ty, overflow, left, right } if over_z => match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Shl => {
                if integers::over_z(*ty, *overflow) {
                    from(Pass::Made);
                }
            }
            BinaryOp::Rem => {
                if integers::over_z(*ty, *overflow) {
                    from(Pass::Arg(left));
                    from(Pass::Arg(right));
                }
            }
            BinaryOp::And if is_mask(left) || is_mask(right) => {}
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                from(Pass::Arg(left));
                from(Pass::Arg(right));
            }
            BinaryOp::Shr => from(Pass::Arg(left)),
        },
        Expr::Binary { op, ty, overflow, left, right } => {
            from(Pass::Arg(left));
            // Poison in a divisor or an amount is undefined, not passed on.
            if !matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr) {
                from(Pass::Arg(right));
            }
            let harmless = |k: &[i32]| match &**right {
                Expr::Const(value, _) => ty.signed && k.iter().any(|k| IBig::from(*k) == *value),
                _ => false,
            };
            let overflows = match op {
                BinaryOp::Add | BinaryOp::Sub => !harmless(&[0]),
                BinaryOp::Mul => !harmless(&[0, 1]),
                BinaryOp::Shl => true,
                _ => false,
            };
            if *overflow == Overflow::Undefined && overflows {
                from(Pass::Made);
            }
        }
        Expr::Cast { from: source, to, arg } => {
            if !over_z || to.includes(*source) {
                from(Pass::Arg(arg));
            }
        }
        Expr::Ite(_, yes, no) => {
            from(Pass::Arg(yes));
            from(Pass::Arg(no));
        }
        Expr::Load { mem, .. } => {
            if over_z {
                from(Pass::Cell(*mem));
            }
        }
        Expr::Float { op, args } => {
            // Patterns are unsigned. Poison in what is converted to an integer is undefined, not passed on.
            if !over_z && !matches!(op, FloatOp::ToSigned(_) | FloatOp::ToUnsigned(_)) {
                for a in args {
                    from(Pass::Arg(a));
                }
            }
        }
        Expr::Promised { value, .. } => {
            from(Pass::Arg(value));
            if !over_z {
                from(Pass::Made);
            }
        }
        Expr::Join(parts) => {
            // The parts are unsigned: over Z they lie within their types.
            for p in parts.iter().filter(|_| !over_z) {
                from(Pass::Arg(p));
            }
        }
    }
}

/// Whether a conjunction with this lies within the type, whatever the other operand.
fn is_mask(e: &Expr) -> bool {
    matches!(e, Expr::Const(k, _) if *k >= IBig::ZERO)
}
