//! Effective types: C lets an object that was declared be accessed by its own type, by one that differs in its sign, and by characters.
//!
//! What breaks that rule is undefined, and machines do it all the same. So proofs that a run ends do not use the rule, and a proof of an
//! endless run may not rest on an access that breaks it.
//!
//! An access is taken to break it where its type and the declared one are both known to be scalars and differ. The compiler
//! itself accesses the members of a small struct together, when it hands the struct over; so an access that is wider than a member is not looked at.

use crate::module::{DebugType, Module, Type, TypeId};
use crate::translate::memory::Memory;
use crate::translate::memory::layout::Object;
use crate::translate::points::{ObjectKind, Offsets};

/// What kind of number a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Integer,
    Float,
    Pointer,
}

/// What an object is declared to hold at an offset.
struct Declared {
    class: Class,
    size: u64,
    /// How far into the scalar the offset is.
    into: u64,
    /// Whether it is a member of something.
    member: bool,
}

impl Memory<'_, '_> {
    /// Whether an access to an object is by another type than the one that it is declared with.
    pub(super) fn by_another_type(&self, object: &Object, offsets: &Offsets, size: u64, by: Option<&Type>) -> bool {
        let module = self.cx.flat.module;
        let class = match by {
            Some(Type::Int(_)) if size > 1 => Class::Integer,
            Some(Type::Float(_)) => Class::Float,
            Some(Type::Ptr) => Class::Pointer,
            _ => return false,
        };
        if !module.typed_memory || !matches!(object.kind, ObjectKind::Stack(..) | ObjectKind::Global(_)) {
            return false;
        }
        let Some(ty) = object.ty else { return false };
        let breaks = |offset: i64| {
            let Some(declared) = u64::try_from(offset).ok().and_then(|o| declared(module, ty, o)) else { return false };
            if declared.member && size > declared.size {
                return false;
            }
            declared.class != class || declared.size != size || declared.into != 0
        };
        match offsets {
            Offsets::Exact(list) => !list.is_empty() && list.iter().all(|o| breaks(*o)),
            Offsets::Class { first, .. } => breaks(*first) && is_array_of_scalars(module, ty),
        }
    }
}

/// Whether what two pointers lead to are numbers that C lets nobody access by one another's type.
pub(in crate::translate) fn never_meet(module: &Module, a: Option<TypeId>, b: Option<TypeId>) -> bool {
    let pointee = |ty: Option<TypeId>| match &module.types[ty?.0 as usize] {
        DebugType::Pointer { to: Some(to) } => scalar(module, *to),
        _ => None,
    };
    // Characters access everything.
    let both = pointee(a).zip(pointee(b)).filter(|((_, n), (_, m))| module.typed_memory && *n > 1 && *m > 1);
    both.is_some_and(|(a, b)| a != b)
}

/// Whether a type is an array whose elements are numbers: one offset then tells of all.
fn is_array_of_scalars(module: &Module, ty: TypeId) -> bool {
    match &module.types[ty.0 as usize] {
        DebugType::Array { of: Some(of), .. } => scalar(module, *of).is_some(),
        _ => false,
    }
}

fn scalar(module: &Module, ty: TypeId) -> Option<(Class, u64)> {
    match &module.types[ty.0 as usize] {
        DebugType::Int { size, .. } | DebugType::Bool { size } => Some((Class::Integer, *size)),
        DebugType::Float { size } => Some((Class::Float, *size)),
        DebugType::Pointer { .. } => Some((Class::Pointer, u64::from(module.pointer_bits / 8))),
        DebugType::Array { .. } | DebugType::Record { .. } | DebugType::Other => None,
    }
}

/// The scalar at an offset; nothing where the type is not known there, or there are several.
fn declared(module: &Module, ty: TypeId, offset: u64) -> Option<Declared> {
    if let Some((class, size)) = scalar(module, ty) {
        // `long double` is as wide as its format says, and stored in more.
        return (size <= 8).then_some(Declared { class, size, into: offset, member: false });
    }
    match &module.types[ty.0 as usize] {
        DebugType::Array { of: Some(of), .. } => {
            let size = match &module.types[of.0 as usize] {
                DebugType::Record { size, .. } => *size,
                _ => scalar(module, *of)?.1,
            };
            declared(module, *of, offset % size.max(1))
        }
        DebugType::Record { members, .. } => {
            let holds = |m: &&crate::module::Member| {
                m.offset_bits / 8 <= offset && offset * 8 < m.offset_bits.saturating_add(m.size_bits)
            };
            let mut here = members.iter().filter(holds);
            let (Some(member), None) = (here.next(), here.next()) else { return None };
            if member.bit_field {
                return None;
            }
            let found = declared(module, member.ty?, offset - member.offset_bits / 8)?;
            Some(Declared { member: true, ..found })
        }
        _ => None,
    }
}
