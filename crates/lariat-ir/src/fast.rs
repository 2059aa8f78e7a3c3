//! Hashing for keys that nobody chooses to collide: numbers of terms, operations, places in memory.
//!
//! The standard hasher resists keys made to collide, and takes more time for that than all other work on small terms.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map with a fast hash.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// A set with a fast hash.
pub type FastSet<K> = HashSet<K, BuildHasherDefault<FastHasher>>;

/// A hash that multiplies each word into the state and folds the product, whose halves depend on all bits of both factors.
#[derive(Clone, Copy, Default, Debug)]
pub struct FastHasher(u64);

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        // Else a text would collide with itself and zeros behind it.
        self.write_u64(bytes.len() as u64);
    }
    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }
    fn write_u64(&mut self, n: u64) {
        const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;
        let product = u128::from(self.0.rotate_left(32) ^ n ^ 0x2545_f491_4f6c_dd1d).wrapping_mul(FACTOR);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
        let (low, high) = (product as u64, (product >> 64) as u64);
        self.0 = low ^ high;
    }
    fn write_u128(&mut self, n: u128) {
        self.write(&n.to_le_bytes());
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n.cast_unsigned() as u64);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{BuildHasher, Hash};

    /// Tables look at the low bits for the place and at the high bits for a first comparison.
    fn collisions<T: Hash>(keys: impl IntoIterator<Item = T>, bits: u32) -> usize {
        let hasher = BuildHasherDefault::<FastHasher>::default();
        let (mut seen, mut count) = (HashSet::new(), 0);
        for key in keys {
            let hash = hasher.hash_one(key);
            count += usize::from(!seen.insert((hash & ((1 << bits) - 1), hash >> 57)));
        }
        count
    }

    #[test]
    fn keys_that_are_alike_do_not_collide() {
        // Of 4096 keys in 2^19 places about 16 collide by chance.
        assert!(collisions(0..4096u32, 12) < 40);
        assert!(collisions((0..4096u64).map(|n| n << 32), 12) < 40);
        assert!(collisions((0..64u32).flat_map(|a| (0..64u32).map(move |b| (a, b))), 12) < 40);
        assert!(collisions((0..64u32).flat_map(|a| (0..64u32).map(move |b| [a, b, u32::MAX])), 12) < 40);
        assert!(collisions((0..4096).map(|n| format!("x.{n}")), 12) < 40);
        assert_eq!(collisions(["a", "a\0", "a\0\0"], 12), 0);
    }
}
