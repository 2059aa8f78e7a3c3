//! What may be seen of addresses: which values are some, whether they stay within their objects, which objects may lie over each other.

use crate::intrinsic::{Arithmetic, Intrinsic};
use crate::module::{BinOp, Constant, Global, Op, Operand, Type};
use crate::translate::memory::Memory;
use crate::translate::memory::collect::ALTERNATIVES;
use crate::translate::memory::layout::{Life, Size};
use crate::translate::points::{ObjectId, ObjectKind, Offsets, Targets};
use crate::translate::state::{Split, State};
use crate::translate::values::arith::{Num, and, cmp, constant, not, or, truth};
use crate::translate::values::operand_type;
use dashu_int::IBig;
use lariat_ir::neutral::{CmpOp, Cond, Expr};
use std::collections::BTreeSet;

impl Memory<'_, '_> {
    /// That an address is not that of an object which is made later than the entry begins; nothing if there are none.
    pub(in crate::translate) fn is_from_before(&self, pointer: &Num) -> Option<Cond> {
        let address = self.address();
        let ranges = self.made_later.get_or_init(|| self.find_made_later());
        let at = pointer.to(address);
        let outside = |(from, to): &(IBig, IBig)| {
            let below = cmp(CmpOp::Lt, address, at.clone(), constant(from.clone(), address));
            or(below, not(cmp(CmpOp::Lt, address, at.clone(), constant(to.clone(), address))))
        };
        ranges.iter().map(outside).reduce(and)
    }

    /// From the address of each object that is made later to that of the next object.
    fn find_made_later(&self) -> Vec<(IBig, IBig)> {
        let is_later =
            |kind: ObjectKind| matches!(kind, ObjectKind::Stack(..) | ObjectKind::Heap(_) | ObjectKind::Library(..));
        let mut bases: Vec<(IBig, bool)> = self.objects().iter().map(|o| (o.base.clone(), is_later(o.kind))).collect();
        bases.sort();
        let mut ranges: Vec<(IBig, IBig)> = Vec::new();
        for (this, next) in bases.iter().zip(bases.iter().skip(1)).filter(|(this, next)| this.1 && this.0 < next.0) {
            match ranges.last_mut() {
                Some(last) if last.1 == this.0 => last.1.clone_from(&next.0),
                _ => ranges.push((this.0.clone(), next.0.clone())),
            }
        }
        ranges
    }

    /// Whether something that these point to was there in the beginning, with what nobody here has put into it.
    pub(in crate::translate) fn may_be_from_before(&self, targets: &Targets) -> bool {
        let is_before = |o: &ObjectId| matches!(self.kind(*o), ObjectKind::Global(_) | ObjectKind::Outside);
        targets.is_empty() || self.expand(targets).0.keys().any(is_before)
    }

    /// Whether a value is the address of something, or made from one, so that its digits mean nothing.
    pub(in crate::translate) fn is_address(&self, state: &State, operand: &Operand, ty: &Type) -> bool {
        let targets = self.targets(state, operand);
        let numbers = [ObjectKind::Outside, ObjectKind::Absolute].map(|kind| self.points.known(kind));
        let real = targets.0.keys().any(|o| !numbers.contains(&Some(*o)));
        match ty {
            Type::Ptr => !targets.is_empty(),
            _ => real,
        }
    }

    /// Whether a value is a difference of two addresses in one object, or no address at all.
    pub(in crate::translate) fn distance_like(&self, state: &State, operand: &Operand) -> bool {
        if self.targets(state, operand).is_empty() {
            return true;
        }
        let Operand::Value(v) = operand else { return false };
        let function = self.cx.flat.function(state.at.instance);
        let Some(Op::Binary { op: BinOp::Sub, left, right, .. }) =
            function.blocks.iter().flat_map(|b| &b.instructions).find(|i| i.id == *v).map(|i| &i.op)
        else {
            return false;
        };
        self.one_object(state, left, right)
    }

    /// Whether two pointers are into one object, of which there is one.
    pub(in crate::translate) fn one_object(&self, state: &State, left: &Operand, right: &Operand) -> bool {
        let (a, b) = (self.targets(state, left), self.targets(state, right));
        let mut all: BTreeSet<_> = a.0.keys().collect();
        all.extend(b.0.keys());
        all.len() == 1
            && all.iter().all(|o| {
                let object = self.object(**o);
                object.many.is_none() && !object.summary
            })
    }

    /// Whether pointers are to places inside of objects that are always there, or null.
    pub(in crate::translate) fn always_inside(&self, targets: &Targets) -> bool {
        targets.0.iter().all(|(o, offsets)| {
            let object = self.object(*o);
            matches!(object.life, Life::Always)
                && match (offsets, &object.size) {
                    (Offsets::Exact(list), Size::Constant(n)) => {
                        list.iter().all(|x| u64::try_from(*x).is_ok_and(|x| x < *n))
                    }
                    _ => false,
                }
        })
    }

    /// Whether an address may be one of code within a function.
    pub(in crate::translate) fn is_label(&self, targets: &Targets) -> bool {
        let is_begin = |offsets: &Offsets| matches!(offsets, Offsets::Exact(list) if list.as_slice() == [0]);
        targets
            .0
            .iter()
            .any(|(o, offsets)| matches!(self.object(*o).kind, ObjectKind::Function(_)) && !is_begin(offsets))
    }

    /// Whether what is no address of an object here is just a number: one of the program, or what a caller gave.
    pub(in crate::translate) fn is_number(&self, targets: &Targets) -> bool {
        targets.0.keys().all(|o| matches!(self.object(*o).kind, ObjectKind::Outside | ObjectKind::Absolute))
    }

    /// Whether an address may have been computed from that of a function, or from that of another object to be called.
    pub(in crate::translate) fn is_computed(&self, targets: &Targets) -> bool {
        let is_outside = |o: &ObjectId| matches!(self.object(*o).kind, ObjectKind::Outside);
        targets.0.iter().any(|(o, offsets)| !is_outside(o) && !matches!(offsets, Offsets::Exact(_)))
    }

    /// Whether an address is null exactly if its number here is. One that was computed from another one comes by 0 somewhere, and where that is nobody knows; so does
    /// a name that another file may define.
    pub(in crate::translate) fn shows_null(&self, targets: &Targets, ty: &Type) -> bool {
        let is_weak = |o: &ObjectId| match self.object(*o).kind {
            ObjectKind::Global(g) => self.cx.flat.module.globals[g.0 as usize].weak,
            _ => false,
        };
        let is_outside = |o: &ObjectId| matches!(self.object(*o).kind, ObjectKind::Outside | ObjectKind::Absolute);
        // Pointer arithmetic comes to null by undefined behaviour only.
        let is_plain = |(o, offsets): (&ObjectId, &Offsets)| {
            *ty == Type::Ptr || is_outside(o) || matches!(offsets, Offsets::Exact(list) if list.iter().all(|x| *x >= 0))
        };
        targets.0.iter().all(|t| is_plain(t) && !is_weak(t.0))
    }

    /// The condition that a pointer is to a place inside of an object that is there.
    pub(in crate::translate) fn inside_now(
        &self,
        state: &State,
        pointer: &Expr,
        targets: &Targets,
    ) -> Result<Cond, Split> {
        let ty = self.address();
        let mut inside = truth(false);
        for (id, offsets) in &targets.0 {
            let object = self.object(*id);
            if object.doubtful {
                continue;
            }
            if let ObjectKind::Function(_) = object.kind {
                inside = or(inside, cmp(CmpOp::Eq, ty, pointer.clone(), constant(object.base.clone(), ty)));
                continue;
            }
            let one = constant(1, ty);
            match (offsets, pointer, &object.many) {
                (_, Expr::Const(p, _), None) => {
                    let offset = i64::try_from(p - &object.base).unwrap_or(-1);
                    inside = or(inside, self.inside(state, object, pointer, Some(offset), &one)?);
                }
                (Offsets::Exact(list), ..) => {
                    for o in list {
                        inside = or(inside, self.inside(state, object, pointer, Some(*o), &one)?);
                    }
                }
                _ => inside = or(inside, self.inside(state, object, pointer, None, &one)?),
            }
        }
        Ok(inside)
    }

    /// Whether pointers may be into two constants, or to two functions, that the linker may lay over each other (string literals, mostly), or
    /// into objects of the library.
    pub(in crate::translate) fn may_lie_over(&self, x: &Targets, y: &Targets) -> bool {
        let module = self.cx.flat.module;
        x.0.iter().any(|(a, i)| {
            y.0.iter().filter(|(b, _)| a != *b).any(|(b, j)| {
                match (self.object(*a).kind, self.object(*b).kind) {
                    (ObjectKind::Function(f), ObjectKind::Function(g)) => {
                        let (f, g) = (&module.functions[f.0 as usize], &module.functions[g.0 as usize]);
                        f.unnamed || g.unnamed
                    }
                    (ObjectKind::Global(f), ObjectKind::Global(g))
                        if [f, g].iter().any(|n| module.globals[n.0 as usize].is_symbol()) =>
                    {
                        true
                    }
                    (ObjectKind::Global(f), ObjectKind::Global(g)) => {
                        let (f, g) = (&module.globals[f.0 as usize], &module.globals[g.0 as usize]);
                        f.constant && g.constant && (f.unnamed || g.unnamed) && !must_differ((f, i), (g, j))
                    }
                    // Two calls may have given one object.
                    (ObjectKind::Library(..), ObjectKind::Library(..)) => true,
                    _ => false,
                }
            })
        })
    }

    /// Whether the result of a computation is not followed: on vectors it works lane by lane, and with the digits of an address it
    /// gives a number that nobody knows. To add to an address, or to take from it, makes another one.
    pub(in crate::translate) fn is_out_of_sight(
        &self,
        state: &State,
        which: Intrinsic,
        args: &[Operand],
        result: &Type,
    ) -> bool {
        let function = self.cx.flat.function(state.point().instance);
        let ty = |a: &Operand| operand_type(function, a);
        if matches!(result, Type::Other(_)) || args.iter().any(|a| matches!(ty(a), Type::Other(_))) {
            return true;
        }
        let addresses: Vec<bool> = args.iter().map(|a| self.is_address(state, a, &ty(a))).collect();
        let moved = match which {
            Intrinsic::WithOverflow(Arithmetic::SAdd | Arithmetic::UAdd) => !addresses.iter().all(|a| *a),
            Intrinsic::WithOverflow(Arithmetic::SSub | Arithmetic::USub) => !addresses.get(1).is_some_and(|a| *a),
            _ => false,
        };
        addresses.contains(&true) && !moved
    }

    /// The condition that an address stays within the object of its base, or just past its end: where that was promised it is poison
    /// elsewhere. (An access asks for more, so that the promise is left out of its address.)
    pub(in crate::translate) fn stays_inside(
        &self,
        state: &mut State,
        base: &Operand,
        (from, sum): (&Expr, &Expr),
    ) -> Result<Cond, Split> {
        let targets = self.points.expand(&self.targets(state, base));
        let ty = self.address();
        let is_null = |e: &Expr| cmp(CmpOp::Eq, ty, e.clone(), constant(0, ty));
        // Nothing may be added to null but 0, and no object has its address.
        let as_null = and(is_null(from), is_null(sum));
        let neither = and(not(is_null(from)), not(is_null(sum)));
        let known = |o: &ObjectId| {
            let object = self.object(*o);
            !object.summary && !matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Absolute)
        };
        // Of a pointer that may point anywhere nothing else is promised that could be said in a few words.
        if targets.is_empty() || targets.0.len() > ALTERNATIVES || !targets.0.keys().all(known) {
            return Ok(or(as_null, neither));
        }
        let nothing = constant(0, self.address());
        let mut kept = truth(false);
        for id in targets.0.keys() {
            let object = self.object(*id);
            let offset = match (sum, &object.many) {
                (Expr::Const(p, _), None) => Some(i64::try_from(p - &object.base).unwrap_or(-1)),
                _ => None,
            };
            // The object may be gone: then the address means nothing, but no operation has broken a promise yet.
            state.direct = true;
            let inside = self.inside(state, object, sum, offset, &nothing);
            state.direct = false;
            kept = or(kept, inside?);
        }
        Ok(or(and(kept, neither), as_null))
    }
}

/// Whether two constants cannot lie over each other so that the given places meet, because they have different bytes there.
fn must_differ((f, i): (&Global, &Offsets), (g, j): (&Global, &Offsets)) -> bool {
    let (Some(Constant::Bytes(f)), Some(Constant::Bytes(g))) = (&f.init, &g.init) else { return false };
    let (Offsets::Exact(i), Offsets::Exact(j)) = (i, j) else { return false };
    let byte = |bytes: &[u8], at: i64| usize::try_from(at).ok().and_then(|at| bytes.get(at).copied());
    i.iter().all(|i| {
        j.iter().all(|j| {
            let both = (0..i64::try_from(f.len()).unwrap_or(0)).map(|at| (byte(f, at), byte(g, at - i + j)));
            both.into_iter().any(|pair| matches!(pair, (Some(a), Some(b)) if a != b))
        })
    })
}
