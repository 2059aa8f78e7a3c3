//! What a run gets from outside: what standard input holds, the pieces that were chosen one after the other; and the command line.

use super::replay::Replay;
use crate::source::Source;
use dashu_int::IBig;
use lariat_ir::neutral::{Happening, Origin, Piece};
use lariat_ir::{Id, TransitionSystem, UnknownId, UnknownKind, Value};
use std::collections::BTreeMap;

/// What a run reads.
#[derive(Clone, Default, Debug)]
pub(crate) struct Contents {
    /// The bytes, before the end.
    pub bytes: Vec<u8>,
    /// Whether they all come from standard input.
    pub standard: bool,
}

/// How many bytes are written down.
const LONGEST: usize = 60_000;

/// What a run reads from streams; nothing if it reads none, or not what was chosen.
pub(crate) fn contents(ts: &TransitionSystem, source: &Source, run: &Replay) -> Option<Contents> {
    let mut found = Contents { bytes: Vec::new(), standard: true };
    let mut chosen: BTreeMap<UnknownId, Value> = BTreeMap::new();
    let (mut reads, mut streams) = (false, false);
    // What waits to be read: the end of a number, or what is none.
    let (mut after_number, mut stuck) = (false, false);
    for m in &run.moments {
        chosen.extend(m.chosen.iter().cloned());
        let Some(trail) = source.trail(ts, m.edge) else { continue };
        for visit in trail {
            let u = match visit.what {
                Happening::Asked(u) => UnknownId::from_index(u),
                Happening::Waits(_) => {
                    reads = true;
                    continue;
                }
                _ => continue,
            };
            if ts.unknowns[u].kind != UnknownKind::Input {
                continue;
            }
            let Some(Origin::Stream { piece, standard, .. }) = source.origin(u) else { continue };
            let least = ts.least(u);
            let value = source.seen(u, chosen.get(&u).unwrap_or(&least))?;
            match piece {
                Piece::Rough if value != IBig::ZERO => return None,
                Piece::Rough | Piece::NoNumber => continue,
                Piece::Length => {
                    streams = true;
                    found.standard &= standard;
                    continue;
                }
                Piece::Missing => {
                    found.standard = false;
                    continue;
                }
                _ => {}
            }
            found.standard &= standard;
            if after_number {
                found.bytes.push(b'\n');
            }
            let byte_after_number = after_number && *piece == Piece::Byte;
            after_number = matches!(piece, Piece::Number(_));
            let no_number = std::mem::take(&mut stuck);
            match piece {
                // That was the newline.
                Piece::Byte if byte_after_number => {}
                // What was no number before is read now.
                Piece::Byte if no_number => {}
                Piece::Byte => found.bytes.push(u8::try_from(value).unwrap_or(b'a')),
                Piece::Items(width) => {
                    let bytes = usize::try_from(value).ok()?.checked_mul(usize::try_from(*width).ok()?)?;
                    found.bytes.extend(std::iter::repeat_n(b'a', bytes.min(LONGEST + 1)));
                }
                Piece::Line => {
                    let length = usize::try_from(value).ok()?.saturating_sub(1);
                    found.bytes.extend(std::iter::repeat_n(b'a', length.min(LONGEST + 1)));
                    found.bytes.push(b'\n');
                }
                Piece::Bytes(n) => {
                    let number = u128::try_from(value).ok()?;
                    found.bytes.extend(&number.to_le_bytes()[..usize::try_from(*n).ok()?.min(16)]);
                }
                Piece::Number(letter) => {
                    let bits = source.type_of(u)?.width;
                    found.bytes.extend(digits(&value, bits, *letter).bytes());
                }
                Piece::Rough | Piece::NoNumber | Piece::Length | Piece::Missing => {}
            }
        }
        // What is no number stays: it is there once.
        let now_stuck = m.changed.iter().any(|(v, _, now)| {
            ts.vars[*v].name.starts_with("pending") && matches!(now, Value::Bv(b) if b.unsigned() == 2u8.into())
        });
        if now_stuck {
            stuck = true;
            if after_number {
                found.bytes.push(b'\n');
            }
            after_number = false;
            found.bytes.push(b'?');
        }
        chosen.clear();
        if found.bytes.len() > LONGEST {
            return None;
        }
    }
    (reads && streams).then_some(found)
}

/// The words of the command line that were chosen, by their numbers, without the zero bytes at their ends.
pub(crate) fn words(ts: &TransitionSystem, source: &Source, run: &Replay) -> BTreeMap<u64, Vec<u8>> {
    let mut bytes: BTreeMap<(u64, u64), u8> = BTreeMap::new();
    let mut chosen: BTreeMap<UnknownId, Value> = BTreeMap::new();
    for m in run.stem() {
        chosen.extend(m.chosen.iter().cloned());
        for visit in source.trail(ts, m.edge).unwrap_or_default() {
            let Happening::Asked(u) = visit.what else { continue };
            let u = UnknownId::from_index(u);
            let Some((word, at)) = source.origin(u).and_then(byte_of) else { continue };
            let least = ts.least(u);
            let value = source.seen(u, chosen.get(&u).unwrap_or(&least));
            bytes.insert((word, at), value.and_then(|v| u8::try_from(v).ok()).unwrap_or(0));
        }
    }
    let mut words: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    let mut ended = None;
    for ((word, _), byte) in bytes {
        let text = words.entry(word).or_default();
        if byte == 0 {
            ended = Some(word);
        }
        if ended != Some(word) {
            text.push(byte);
        }
    }
    words
}

/// Whether an unknown is told of with others: a piece of a stream, or a part of the command line, which `argv` leads to and which is not
/// that pointer itself.
pub(crate) fn is_part(origin: &Origin) -> bool {
    match origin {
        Origin::Stream { .. } => true,
        Origin::Parameter { number: 1, name, pointer: None } => name.starts_with("argv["),
        _ => false,
    }
}

/// The word of the command line and the place in it, if this is a byte of one.
fn byte_of(origin: &Origin) -> Option<(u64, u64)> {
    let Origin::Parameter { number: 1, name, pointer: None } = origin else { return None };
    let (word, at) = name.strip_prefix("argv[")?.strip_suffix(']')?.split_once("][")?;
    Some((word.parse().ok()?, at.parse().ok()?))
}

/// A number as the conversion of a letter reads it.
fn digits(value: &IBig, bits: u32, letter: char) -> String {
    let half = IBig::from(1) << (bits - 1) as usize;
    match letter {
        'd' | 'i' if *value >= half => (value - (IBig::from(1) << bits as usize)).to_string(),
        'x' | 'X' => format!("{:x}", u128::try_from(value.clone()).unwrap_or(0)),
        'o' => format!("{:o}", u128::try_from(value.clone()).unwrap_or(0)),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_read() {
        let all_ones = IBig::from(u32::MAX);
        assert_eq!(digits(&all_ones, 32, 'd'), "-1");
        assert_eq!(digits(&all_ones, 32, 'u'), "4294967295");
        assert_eq!(digits(&all_ones, 32, 'x'), "ffffffff");
        assert_eq!(digits(&IBig::from(8), 32, 'o'), "10");
        assert_eq!(digits(&IBig::from(128), 8, 'd'), "-128");
    }
}
