//! A table that finds the number of something that is stored elsewhere, under that number.

/// Numbers by the hash of what they stand for: a table with open addressing that holds nothing but the numbers.
#[derive(Clone, Default)]
pub(crate) struct Interned {
    /// A power of two of places, at most three quarters of which are taken.
    slots: Vec<u32>,
    taken: usize,
}

const FREE: u32 = u32::MAX;

impl Interned {
    /// The number with this hash of which `is_it` says so; else `next`, which is then in the table. `hash_of` gives the hash of
    /// what another number stands for.
    pub fn find_or_insert(
        &mut self,
        hash: u64,
        next: u32,
        is_it: impl Fn(u32) -> bool,
        hash_of: impl Fn(u32) -> u64,
    ) -> u32 {
        if self.taken * 4 >= self.slots.len() * 3 {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![FREE; (old.len() * 2).max(64)];
            for number in old.into_iter().filter(|n| *n != FREE) {
                let place = self.probe(hash_of(number), |_| false);
                self.slots[place] = number;
            }
        }
        let place = self.probe(hash, is_it);
        if self.slots[place] == FREE {
            self.slots[place] = next;
            self.taken += 1;
        }
        self.slots[place]
    }

    /// The first place from the hash on that is free or right.
    fn probe(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        #[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
        let mut place = hash as usize & mask;
        while self.slots[place] != FREE && !is_it(self.slots[place]) {
            place = (place + 1) & mask;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_has_one_number_however_bad_the_hash() {
        for spread in [1, 7, 1 << 40] {
            let (mut table, mut things) = (Interned::default(), Vec::<u64>::new());
            let hash = |x: u64| x / spread;
            for round in 0..2 {
                for x in 0..1000u64 {
                    let next = u32::try_from(things.len()).expect("few");
                    let at = |n: u32| things[n as usize];
                    let n = table.find_or_insert(hash(x), next, |n| at(n) == x, |n| hash(at(n)));
                    assert_eq!((n == next), round == 0);
                    if n == next {
                        things.push(x);
                    }
                    assert_eq!(things[n as usize], x);
                }
            }
            assert_eq!(things.len(), 1000);
        }
    }
}
