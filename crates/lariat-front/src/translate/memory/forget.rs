//! Contents that become unknown.

use crate::models::Model;
use crate::translate::flat::index;
use crate::translate::memory::Memory;
use crate::translate::memory::layout::{Layout, Life, Size};
use crate::translate::points::{ObjectId, ObjectKind, Offsets, Targets};
use crate::translate::state::State;
use crate::translate::values::Values;
use crate::translate::values::arith::{cmp, constant, ite, truth};
use dashu_int::IBig;
use lariat_ir::UnknownKind;
use lariat_ir::neutral::{CmpOp, Expr, IntType, MemUpdate};

/// What code that is not followed may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::translate) enum Reach {
    /// Storage that the outside knows of.
    Escaped,
    /// These, and all globals.
    Globals,
}

impl Memory<'_, '_> {
    pub(in crate::translate) fn forget_all(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        targets: &Targets,
        kind: UnknownKind,
    ) {
        for object in self.points.expand(targets).0.into_keys() {
            if !matches!(self.points.objects[object.0 as usize], ObjectKind::Function(_)) {
                self.forget(values, state, object, kind);
            }
        }
    }

    /// Nothing is known of an object's content any more.
    pub(in crate::translate) fn forget(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        id: ObjectId,
        kind: UnknownKind,
    ) {
        let object = self.object(id).clone();
        match &object.layout {
            Layout::Scalars(scalars) => {
                for s in scalars {
                    let name = values.name_of(s.var);
                    let value = values.unknown(state, &name, s.ty, kind, None);
                    state.forget_var(s.var, value.expr);
                }
            }
            Layout::Region(number) => {
                let fields = self.layout.regions[*number].fields.clone();
                for f in fields {
                    values.forget_mem(state, f.mem, kind);
                }
            }
        }
    }

    pub(in crate::translate) fn forget_if_data(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        object: ObjectId,
    ) {
        if !self.is_constant(object) {
            self.forget(values, state, object, UnknownKind::Environment);
        }
    }

    pub(in crate::translate) fn forget_escaped(&self, values: &mut Values<'_, '_>, state: &mut State, reach: Reach) {
        let mut objects: Vec<ObjectId> = self.points.escaped.iter().copied().collect();
        if reach == Reach::Globals {
            let more = (0..self.points.objects.len()).map(|o| ObjectId(index(o)));
            let globals = more.filter(|o| matches!(self.points.objects[o.0 as usize], ObjectKind::Global(_)));
            objects.extend(globals);
            objects.sort_unstable();
            objects.dedup();
        }
        let mut regions = Vec::new();
        for o in objects {
            if let Layout::Region(n) = self.object(o).layout
                && !self.is_constant(o)
            {
                // An array that is forgotten is forgotten for all its objects, once.
                if regions.contains(&n) {
                    continue;
                }
                regions.push(n);
            }
            self.forget_if_data(values, state, o);
            if let (Life::Flag(flag), ObjectKind::Heap(_)) = (&self.object(o).life, self.object(o).kind) {
                let flag = *flag;
                let ty = IntType::unsigned(8);
                let range = Some((IBig::ZERO, IBig::from(1)));
                let still = values.unknown(state, "alive", ty, UnknownKind::Environment, range);
                // What is gone stays gone.
                let now = ite(cmp(CmpOp::Eq, ty, state.var(flag), constant(0, ty)), constant(0, ty), still.expr);
                state.set(flag, now);
            }
        }
    }

    /// The library's objects that a modelled call changes: those that the program declares or defines by these names.
    pub(in crate::translate) fn forget_kept(&self, values: &mut Values<'_, '_>, state: &mut State, model: &Model) {
        for object in self.cx.handlers.kept(model) {
            if let Some(id) = self.points.known(ObjectKind::Global(object)) {
                self.forget(values, state, id, UnknownKind::Environment);
            }
        }
    }

    /// The content of an object that has just been made.
    pub(in crate::translate) fn forget_fresh(&self, values: &mut Values<'_, '_>, state: &mut State, id: ObjectId) {
        match &self.object(id).layout {
            Layout::Scalars(scalars) => {
                for s in scalars {
                    let name = values.name_of(s.var);
                    let value = values.unknown(state, &name, s.ty, UnknownKind::Environment, None);
                    // Each read of what has no value yet may give another one: an endless run must not rest on it.
                    let none_yet = matches!(self.object(id).kind, ObjectKind::Stack(..));
                    let value = if none_yet { Expr::promised(truth(false), value.expr) } else { value.expr };
                    state.forget_var(s.var, value);
                }
            }
            Layout::Region(_) => {
                let base = constant(self.object(id).base.clone(), self.address());
                self.forget_new(values, state, id, &base);
            }
        }
    }

    /// The content of a new object in an array. What was never written has the array's first content, of which nobody knows
    /// anything; but where the array is an input in part, and where the object may have been there before, it is forgotten.
    pub(in crate::translate) fn forget_new(
        &self,
        values: &mut Values<'_, '_>,
        state: &mut State,
        id: ObjectId,
        base: &Expr,
    ) {
        let object = self.object(id).clone();
        let Layout::Region(n) = object.layout else { return };
        let region = self.layout.regions[n].clone();
        let again = object.many.is_none() && self.cx.on_cycle(state.at);
        let input = region.objects.iter().any(|o| self.object(*o).kind == ObjectKind::Outside);
        if !again && !input {
            return;
        }
        let targets = Targets([(id, Offsets::Exact(vec![0]))].into());
        let pieces = match object.size {
            Size::Constant(size) => self.pieces(&targets, base, size),
            _ => None,
        };
        let Some(pieces) = pieces else {
            let alone = region.objects.len() == 1;
            let kind = if alone { UnknownKind::Environment } else { UnknownKind::Abstraction };
            self.forget(values, state, id, kind);
            return;
        };
        for (d, size) in pieces {
            let first = i64::try_from(d).unwrap_or(0);
            let first = if region.stride > 0 { first.rem_euclid(region.stride) } else { first };
            let field = region.fields.iter().find(|f| region.bytes || f.size == size && f.first == first);
            let Some(field) = field.cloned() else { continue };
            let value = values.unknown(state, "content", field.ty, UnknownKind::Environment, None);
            let address = self.add_address(base.clone(), d);
            state.stores.push(MemUpdate::Store { mem: field.mem, address, value: value.expr });
        }
    }
}
