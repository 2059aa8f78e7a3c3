//! Values and their bytes.

use super::arithmetic::mask;
use super::machine::{Halt, Val, lost};
use lariat_front::module::{FloatKind, Type};

pub(super) fn short(bits: u128) -> u64 {
    u64::try_from(bits & u128::from(u64::MAX)).expect("it has 64 bits")
}

pub(super) fn width_of(ty: &Type) -> u32 {
    match ty {
        Type::Int(w) => *w,
        Type::Ptr => 64,
        Type::Float(FloatKind::Single) => 32,
        Type::Float(FloatKind::Double) => 64,
        _ => 0,
    }
}

pub(super) fn size_of(ty: &Type) -> u64 {
    match ty {
        Type::Struct(_, size) | Type::Other(size) => *size,
        Type::Array(_, n, size) => n * size,
        Type::Float(FloatKind::X87 | FloatKind::Quad) => 16,
        _ => u64::from(width_of(ty).div_ceil(8)),
    }
}

pub(super) fn zero(ty: &Type) -> Val {
    match ty {
        Type::Struct(members, _) => Val::Parts(members.iter().map(|(_, t)| zero(t)).collect()),
        Type::Array(of, n, _) => Val::Parts((0..*n).map(|_| zero(of)).collect()),
        _ => Val::Bits(0),
    }
}

pub(super) fn undefined_parts(ty: &Type) -> Val {
    match ty {
        Type::Struct(members, _) => Val::Parts(members.iter().map(|(_, t)| undefined_parts(t)).collect()),
        Type::Array(of, n, _) => Val::Parts((0..*n).map(|_| undefined_parts(of)).collect()),
        _ => Val::Undef,
    }
}

/// A value from its bytes.
pub(super) fn get(bytes: &[Option<u8>], ty: &Type) -> Result<Val, Halt> {
    let part = |at: u64, ty: &Type| {
        let at = usize::try_from(at).expect("it is small");
        get(&bytes[at..at + usize::try_from(size_of(ty)).expect("it is small")], ty)
    };
    match ty {
        Type::Struct(members, _) => {
            members.iter().map(|(at, t)| part(*at, t)).collect::<Result<_, _>>().map(Val::Parts)
        }
        Type::Array(of, n, size) => (0..*n).map(|k| part(k * size, of)).collect::<Result<_, _>>().map(Val::Parts),
        _ if width_of(ty) > 0 => {
            let mut bits = 0;
            for (n, byte) in bytes.iter().enumerate() {
                match byte {
                    Some(b) => bits |= u128::from(*b) << (8 * n),
                    None => return Ok(Val::Undef),
                }
            }
            Ok(Val::Bits(bits & mask(width_of(ty))))
        }
        _ => lost("a value of another kind"),
    }
}

/// The bytes of a value.
pub(super) fn put(value: &Val, ty: &Type, into: &mut [Option<u8>]) -> Result<(), Halt> {
    match (value, ty) {
        (Val::Parts(parts), Type::Struct(members, _)) => {
            for (p, (at, t)) in parts.iter().zip(members) {
                put(p, t, &mut into[usize::try_from(*at).expect("it is small")..])?;
            }
        }
        (Val::Parts(parts), Type::Array(of, _, size)) => {
            for (n, p) in parts.iter().enumerate() {
                put(p, of, &mut into[n * usize::try_from(*size).expect("it is small")..])?;
            }
        }
        (Val::Bits(bits), _) if width_of(ty) > 0 => {
            let n = usize::try_from(size_of(ty)).expect("it is small");
            for (k, byte) in into.iter_mut().take(n).enumerate() {
                *byte = Some(u8::try_from(bits >> (8 * k) & 255).expect("it is a byte"));
            }
        }
        (Val::Undef, _) => {
            let n = usize::try_from(size_of(ty)).expect("it is small").min(into.len());
            into[..n].fill(None);
        }
        _ => return lost("a value of another kind"),
    }
    Ok(())
}
